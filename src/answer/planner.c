/*
 * planner.c - see planner.h.
 */
#include "answer/planner.h"

#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer/planner_calib.h"
#include "answer/planner_cpu.h"
#include "answer/planner_engine.h"
#include "answer/planner_lengths.h"
#include "answer/planner_measured.h"
#include "answer/spelling.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "model/read/checkpoint.h"
#include "model/read/hub_cache.h"
#include "plan/draft.h"
#include "plan/search.h"

#define MODELS_KEPT 256 /* read or made up; more than one command can name */

struct local_model {
    char *text; /* path or size as asked */
    bool generic;
    struct model *model;
};

struct local_slice {
    char *text; /* "h100-sxm/3g.40gb" */
    struct gpu *gpu;
};

struct planner {
    struct catalog *catalog;
    long today;
    planner_local_fn local;
    bool local_asked, local_found, market_loaded;
    char local_text[320]; /* the id of the GPU in this machine, or why there is none */
    struct local_model *models;
    size_t model_count, model_cap, model_next; /* next: the slot to replace next */
    struct local_slice *slices;
    size_t slice_count, slice_cap;
    struct planner_trace trace;
    struct market market;
    struct planner_calib *calib;
    struct planner_logs *logs;
};

struct planner *planner_new(const char *profiles_dir, long today, planner_local_fn local)
{
    struct planner *p = gp_calloc(1, sizeof(*p));

    *p = (struct planner){.catalog = catalog_new(profiles_dir), .today = today, .local = local};
    return p;
}

struct planner *planner_twin(const struct planner *of, const char *profiles_dir)
{
    return planner_new(profiles_dir, of->today, of->local);
}

void planner_free(struct planner *p)
{
    if (!p)
        return;
    for (size_t i = 0; i < p->model_count; i++) {
        free(p->models[i].text);
        free(p->models[i].model);
    }
    for (size_t i = 0; i < p->slice_count; i++) {
        free(p->slices[i].text);
        free(p->slices[i].gpu);
    }
    free(p->models), free(p->slices);
    planner_trace_fini(&p->trace);
    planner_calib_free(p->calib);
    planner_logs_free(p->logs);
    catalog_free(p->catalog);
    free(p);
}

struct catalog *planner_catalog(struct planner *p)
{
    return p->catalog;
}

const struct trace *planner_trace(const struct planner *p, const struct resolved *r)
{
    return r->trace[0] ? &p->trace.trace : NULL;
}

long planner_today(const struct planner *p)
{
    return p->today;
}

enum gp_status planner_gpu(struct planner *p, const char *id, const struct gpu **gpu, char *used,
                           size_t size, struct gp_err *err)
{
    return planner_calib_gpu(&p->calib, p->catalog, id, gpu, used, size, err);
}

void planner_measured_anew(struct planner *p)
{
    planner_calib_forget(p->calib);
}

static enum gp_status load_market(struct planner *p, struct gp_err *err)
{
    struct market *m = &p->market;
    enum gp_status rc;

    if (p->market_loaded)
        return GP_OK;
    rc = catalog_instances(p->catalog, &m->instances, &m->instance_count, err);
    if (!rc)
        rc = catalog_servers(p->catalog, &m->servers, &m->server_count, err);
    if (!rc)
        rc = catalog_ownership(p->catalog, &m->ownership, err);
    m->today = p->today;
    p->market_loaded = rc == GP_OK;
    return rc;
}

/* The catalogue does not know which option named the unknown id: add it. */
static enum gp_status named_by(enum gp_status status, const char *option, struct gp_err *err)
{
    if (status && err && !err->where[0])
        gp_copy(err->where, sizeof(err->where), option);
    return status;
}

/* ---- models ---- */

/* "70B", "0.5b": a number and a unit letter, nothing else. */
static bool is_size(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    return value > 0 && end > text && *end && strchr("bBmMtT", *end) && end[1] == '\0';
}

/* A long --batch may name any number of sizes: the oldest are forgotten. */
static const struct model *keep_model(struct planner *p, const char *text, bool generic,
                                      const struct model *model)
{
    struct local_model *slot;

    if (p->model_count < MODELS_KEPT) {
        p->models = gp_grow(p->models, &p->model_cap, p->model_count + 1, sizeof(*p->models));
        slot = &p->models[p->model_count++];
    } else {
        slot = &p->models[p->model_next++ % MODELS_KEPT];
        free(slot->text);
        free(slot->model);
    }
    *slot = (struct local_model){.text = gp_strdup(text), .generic = generic};
    slot->model = gp_malloc(sizeof(*model));
    *slot->model = *model;
    gp_tame(slot->model->source); /* holds the path */
    gp_tame(slot->model->note);
    return slot->model;
}

/* One read before under this text. */
static const struct local_model *kept_model(const struct planner *p, const char *text)
{
    for (size_t i = 0; i < p->model_count; i++)
        if (strcmp(p->models[i].text, text) == 0)
            return &p->models[i];
    return NULL;
}

static enum gp_status find_model(struct planner *p, const char *text, const struct model **model,
                                 bool *generic, struct gp_err *err)
{
    struct gp_err unknown = {0};
    const struct local_model *kept = kept_model(p, text);
    struct hub_model hub;
    struct model read;
    enum gp_status rc;
    double params;

    *generic = false;
    if (kept) {
        *model = kept->model;
        *generic = kept->generic;
        return GP_OK;
    }
    if (checkpoint_is_path(text)) {
        rc = checkpoint_read(text, &read, err);
        /* "org/name" is a path that is not there, and may be a catalogue alias */
        if (rc && strchr(text, '/') && !path_is_there(text) &&
            catalog_model(p->catalog, text, model, &unknown) == GP_OK)
            return GP_OK;
        if (rc && !path_is_there(text) && hub_cache_find(text, &hub))
            rc = checkpoint_read(hub.path, &read, err);
        *generic = !rc && read.assumed;
        if (err && strncmp(unknown.hint, "did you mean", 12) == 0)
            gp_copy(err->hint, sizeof(err->hint), unknown.hint);
    } else if (is_size(text)) {
        rc = units_parse_params(text, "--model", &params, err);
        if (!rc)
            rc = model_generic(params, &read, err);
        if (rc && err)
            gp_copy(err->where, sizeof(err->where), "--model");
        *generic = true;
    } else {
        return named_by(catalog_model(p->catalog, text, model, err), "--model", err);
    }
    if (!rc)
        *model = keep_model(p, text, *generic, &read);
    return rc;
}

/* ---- precisions ---- */

static enum tensor_role heaviest_role(const struct model *m)
{
    static const enum tensor_role roles[] = {ROLE_EXPERT, ROLE_MLP, ROLE_ATTN_Q, ROLE_RECURRENT,
                                             ROLE_OTHER};
    enum tensor_role best = ROLE_MLP;
    double params[ROLE_COUNT];

    model_params_roles(m, params);
    for (size_t i = 0; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (i == 0 || params[roles[i]] > params[best])
            best = roles[i];
    return best;
}

static bool is_scalar(const struct format *f)
{
    return f->block == 0 && f->group_bytes == 0 && f->bits >= 16 && !f->mix;
}

/* The 16-bit type the model computes in; FP32 models that are quantised take BF16. */
static enum gp_status base_format(struct planner *p, const struct model *m,
                                  const struct format *weight, const struct format **base,
                                  struct gp_err *err)
{
    const char *id = m->native_dtype;

    if (is_scalar(weight) && !weight->block)
        id = weight->id;
    else if (weight->block > 0)
        id = "fp16"; /* GGUF engines compute in FP16 */
    else if (strcmp(id, "fp16") != 0)
        id = "bf16";
    if (strcmp(id, "tf32") == 0 || strcmp(id, "fp64") == 0)
        id = "fp32";
    return catalog_format(p->catalog, id, base, err);
}

static enum gp_status native_precision(struct planner *p, const struct model *m,
                                       struct precision *out, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    memset(out, 0, sizeof(*out));
    out->native = true;
    for (int r = 0; r < ROLE_COUNT && !rc; r++) {
        const char *id = m->native[r][0] ? m->native[r] : m->native_dtype;

        rc = catalog_format(p->catalog, id[0] ? id : "bf16", &out->by_role[r], err);
    }
    if (rc)
        return rc;
    out->weight = out->by_role[heaviest_role(m)];
    gp_copy(out->id, sizeof(out->id), out->weight->id);
    rc = base_format(p, m, out->weight, &out->base, err);
    out->kv = out->base;
    return rc || !m->native_kv[0] ? rc : catalog_format(p->catalog, m->native_kv, &out->kv, err);
}

/* The published checkpoint of that format, if the model's profile knows one. */
static const struct model_checkpoint *checkpoint_of(const struct model *m,
                                                    const struct format *format)
{
    for (int i = 0; i < m->checkpoint_count; i++)
        if (strcmp(m->checkpoint[i].format, format->id) == 0)
            return &m->checkpoint[i];
    return NULL;
}

enum gp_status planner_precision(struct planner *p, const struct model *m,
                                 const struct format *format, struct precision *out,
                                 struct gp_err *err)
{
    enum gp_status rc = native_precision(p, m, out, err);

    /* asking for what it is published in, or for its family's plain name, is asking for
     * the checkpoint as it is */
    if (rc || !format || strcmp(format->id, out->weight->id) == 0 ||
        strcmp(format->id, out->weight->family) == 0)
        return rc;
    out->native = false;
    out->weight = format;
    gp_copy(out->id, sizeof(out->id), format->id);
    rc = base_format(p, m, format, &out->base, err);
    out->kv = out->base;
    const struct model_checkpoint *own = checkpoint_of(m, format);
    for (int r = 0; r < ROLE_COUNT && !rc; r++) {
        out->by_role[r] = format->keep_roles >> r & 1 ? out->base : format;
        if (own && own->role[r][0])
            rc = catalog_format(p->catalog, own->role[r], &out->by_role[r], err);
    }
    return rc;
}

/* ---- GPUs ---- */

static const struct gpu *kept_gpu(const struct planner *p, const char *text)
{
    for (size_t i = 0; i < p->slice_count; i++)
        if (strcmp(p->slices[i].text, text) == 0)
            return p->slices[i].gpu;
    return NULL;
}

/* Takes the text. */
static const struct gpu *keep_gpu(struct planner *p, char *text, const struct gpu *made)
{
    p->slices = gp_grow(p->slices, &p->slice_cap, p->slice_count + 1, sizeof(*p->slices));
    struct local_slice *slot = &p->slices[p->slice_count++];
    slot->text = text;
    slot->gpu = gp_malloc(sizeof(*made));
    *slot->gpu = *made;
    return slot->gpu;
}

static enum gp_status find_slice(struct planner *p, const char *text, char *slash,
                                 const struct gpu **gpu, struct gp_err *err)
{
    const struct gpu *whole;
    struct gpu cut;

    if ((*gpu = kept_gpu(p, text)) != NULL)
        return GP_OK;
    char *copy = gp_strdup(text);
    *slash = '\0';
    enum gp_status rc = catalog_gpu(p->catalog, text, &whole, err);
    if (!rc)
        rc = gpu_slice_of(whole, slash + 1, &cut, err);
    if (rc) {
        free(copy);
        return rc;
    }
    *gpu = keep_gpu(p, copy, &cut);
    return GP_OK;
}

static enum gp_status find_cpu(struct planner *p, int count, const struct gpu **gpu,
                               struct gp_err *err)
{
    struct gpu made;
    enum gp_status rc = GP_OK;

    if (count > 1)
        return gp_fail(err, GP_E_USAGE, "--gpu", "-g cpu", "this machine is one device");
    if ((*gpu = kept_gpu(p, CPU_ID)) == NULL &&
        (rc = planner_cpu_gpu(p->catalog, &made, err)) == GP_OK)
        *gpu = keep_gpu(p, gp_strdup(CPU_ID), &made);
    return rc;
}

/* Drivers are asked once, when the first request needs them. */
static bool has_local(struct planner *p)
{
    if (!p->local_asked && p->local)
        p->local_found = p->local(p->catalog, p->local_text, sizeof(p->local_text));
    else if (!p->local_asked)
        gp_copy(p->local_text, sizeof(p->local_text), "devices were not searched");
    p->local_asked = true;
    return p->local_found;
}

/* The nearest GPUs with the count, however it was written: "did you mean h200-sxm:8?" */
static void suggest_gpu(struct planner *p, const char *text, int count, struct gp_err *err)
{
    const struct gpu *gpu;
    char name[128], as[16];
    bool other_way = count == 0 && spelling_count(text, name, sizeof(name), &count);

    if (count < 1 || count > PLAN_MAX_GPUS)
        return;
    gp_format(as, sizeof(as), "*:%d", count);
    if (!other_way)
        catalog_suggest_gpu(p->catalog, text, as, err->hint, sizeof(err->hint));
    else if (catalog_gpu(p->catalog, name, &gpu, NULL) == GP_OK)
        gp_format(err->hint, sizeof(err->hint), "did you mean %s:%d?", gpu->id, count);
    else
        catalog_suggest_gpu(p->catalog, name, as, err->hint, sizeof(err->hint));
}

/* "h100-sxm", "h100-sxm:4", "a100-80/3g.40gb:2", "local", "cpu" */
static enum gp_status find_gpu(struct planner *p, const char *text, const struct gpu **gpu,
                               int *count, struct gp_err *err)
{
    char id[128];

    *count = 0;
    if (!gp_copy(id, sizeof(id), text))
        return gp_fail(err, GP_E_USAGE, "--gpu", "see gpuplan --list gpus",
                       "'%.40s...' is not a GPU", text);
    char *colon = strrchr(id, ':');
    if (colon) {
        char *end;
        long n = strtol(colon + 1, &end, 10);

        if (!isdigit((unsigned char)colon[1]) || *end || n < 1 || n > PLAN_MAX_GPUS)
            return gp_fail(err, GP_E_USAGE, "--gpu", "write it as in h100-sxm:4",
                           "'%s' is not a count from 1 to %d", colon + 1, PLAN_MAX_GPUS);
        *colon = '\0';
        *count = (int)n;
    }
    if (strcmp(id, "all") == 0)
        return gp_fail(err, GP_E_USAGE, "--gpu", "gpuplan --compare -g all",
                       "'all' is not one GPU");
    if (strcmp(id, "local") == 0) {
        if (!has_local(p))
            return gp_fail(err, GP_E_DEVICE, "--gpu local",
                           "see gpuplan --list devices, or name a GPU",
                           "this machine has no GPU that the catalogue knows: %s", p->local_text);
        gp_copy(id, sizeof(id), p->local_text);
    }
    if (strcmp(id, CPU_ID) == 0)
        return find_cpu(p, *count, gpu, err);
    char *slash = strchr(id, '/');
    enum gp_status rc =
        slash ? find_slice(p, id, slash, gpu, err) : catalog_gpu(p->catalog, id, gpu, err);
    if (rc == GP_E_USAGE && !slash && err)
        suggest_gpu(p, id, *count, err);
    return named_by(rc, "--gpu", err);
}

/* ---- the rest of a request ---- */

static bool is_gguf_file(const char *model)
{
    size_t len = strlen(model);

    return len > 5 && strcasecmp(model + len - 5, ".gguf") == 0;
}

static enum gp_status resolve_engine(struct planner *p, const struct options *options,
                                     const char *model, struct request *q, struct gp_err *err)
{
    bool gguf = q->precision.weight->block > 0 || is_gguf_file(model);
    const char *name = options_word(options, OPT_ENGINE, gguf ? CATALOG_ENGINE_GGUF : NULL);

    if (!name)
        return planner_engine(p->catalog, q, err);
    return named_by(catalog_engine(p->catalog, name, &q->engine, err), "--engine", err);
}

static enum gp_status resolve_kv(struct planner *p, const struct options *options,
                                 struct request *q, struct gp_err *err)
{
    const char *id = options_word(options, OPT_KV_PRECISION, "auto");

    q->kv = q->precision.kv;
    q->kv_auto = strcmp(id, "auto") == 0;
    return q->kv_auto
               ? GP_OK
               : named_by(catalog_format(p->catalog, id, &q->kv, err), "--kv-precision", err);
}

static enum gp_status unknown_prune(const char *text, struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, "--prune",
                   "none, 2:4, a percentage such as 50, layers:8 or width:25%",
                   "'%s' is not a kind of pruning", text);
}

/* "25" or "25%", between 0 and 100. */
static bool read_percent(const char *text, double *percent)
{
    char number[32];
    size_t len = strlen(text);

    gp_format(number, sizeof(number), "%.*s",
              (int)(len > 0 && text[len - 1] == '%' ? len - 1 : len), text);
    return len < sizeof(number) && !units_parse_number(number, "", percent, NULL) && *percent > 0 &&
           *percent < 100;
}

/* Structured pruning makes another model, which is planned like any. */
static enum gp_status prune_structure(struct planner *p, const struct options *options,
                                      struct resolved *out, struct gp_err *err)
{
    const char *text = options_word(options, OPT_PRUNE, "none");
    const struct model *whole = out->request.model;
    const struct local_model *kept;
    struct model pruned;
    double amount;
    char key[192], note[sizeof(pruned.note)];

    if (strncmp(text, "layers:", 7) != 0 && strncmp(text, "width:", 6) != 0)
        return GP_OK;
    pruned = *whole;
    if (text[0] == 'l') {
        if (units_parse_number(text + 7, "", &amount, NULL) || amount != floor(amount) ||
            amount < 1 || !model_prune_layers(&pruned, (int)fmin(amount, MODEL_MAX_LAYERS)))
            return gp_fail(err, GP_E_USAGE, "--prune", "layers:8, and one layer stays",
                           "'%s' does not fit the %d layers of %s", text, whole->layer_count,
                           whole->id);
    } else {
        if (!read_percent(text + 6, &amount))
            return unknown_prune(text, err);
        model_prune_width(&pruned, amount / 100);
    }
    gp_copy(note, sizeof(note), pruned.note);
    gp_format(pruned.note, sizeof(pruned.note), "pruned by %.24s%s%.300s", text,
              note[0] ? "; " : "", note);
    gp_format(key, sizeof(key), "%.100s --prune %.40s", out->model_text, text);
    kept = kept_model(p, key);
    out->request.model = kept ? kept->model : keep_model(p, key, out->generic, &pruned);
    gp_copy(out->prune, sizeof(out->prune), text);
    return GP_OK;
}

/* A model without its vision tower is another one too. */
static void leave_out_vision(struct planner *p, const struct options *options, struct resolved *out)
{
    struct model text;
    char key[256];

    out->request.text_only = options_flag(options, OPT_LANGUAGE_MODEL_ONLY);
    if (!out->request.text_only || model_params_role(out->request.model, ROLE_VISION) == 0)
        return;
    text = *out->request.model;
    gp_format(key, sizeof(key), "%.100s --prune %.40s --language-model-only", out->model_text,
              out->prune);
    const struct local_model *kept = kept_model(p, key);
    model_text_only(&text);
    out->request.model = kept ? kept->model : keep_model(p, key, out->generic, &text);
}

static enum gp_status check_text_only(const struct resolved *r, struct gp_err *err)
{
    const struct engine *e = r->request.engine;

    if (!r->request.text_only || e->language_only)
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, "--language-model-only", "vllm@0.17 and newer have it",
                   "is not planned for %s %s", e->name, e->range);
}

static enum gp_status resolve_prune(const struct options *options, struct request *q,
                                    struct gp_err *err)
{
    const char *text = options_word(options, OPT_PRUNE, "none");
    double percent = 0;

    if (strcmp(text, "none") == 0 || strncmp(text, "layers:", 7) == 0 ||
        strncmp(text, "width:", 6) == 0)
        return GP_OK;
    if (strcmp(text, "2:4") == 0) {
        q->prune = PRUNE_2_4;
        return GP_OK;
    }
    if (!read_percent(text, &percent))
        return unknown_prune(text, err);
    q->prune = PRUNE_UNSTRUCTURED;
    q->prune_share = percent / 100;
    return GP_OK;
}

/* ---- host memory ---- */

static const struct {
    enum option_id option;
    const char *word; /* of struct engine's offload */
} host_options[] = {
    {OPT_GPU_LAYERS, "layers"},
    {OPT_N_CPU_MOE, "experts"},
    {OPT_CPU_OFFLOAD_GB, "bytes"},
};
#define HOST_OPTIONS (sizeof(host_options) / sizeof(host_options[0]))

static enum gp_status refuse_host(const struct request *q, enum option_id option,
                                  struct gp_err *err)
{
    char where[48], hint[160] = "";

    gp_format(where, sizeof(where), "--%s", option_rows[option].name);
    for (size_t i = 0; i < HOST_OPTIONS; i++)
        if (engine_lists(q->engine->offload, host_options[i].word)) {
            size_t n = strlen(hint);

            gp_format(hint + n, sizeof(hint) - n, "%s--%s", n ? " or " : "it has ",
                      option_rows[host_options[i].option].name);
        }
    return gp_fail(err, GP_E_USAGE, where, hint, "is not planned for %s", q->engine->name);
}

static enum gp_status resolve_host(const struct options *options, struct request *q,
                                   struct gp_err *err)
{
    int layers = q->model->layer_count;
    const struct option_value *given = &options->value[OPT_GPU_LAYERS];

    /* the output is the last layer, and the first to be on a GPU */
    q->host_layers =
        given->given && !(q->gpu && q->gpu->host) ? (int)fmax(layers + 1 - given->number, 0) : 0;
    q->host_experts = (int)fmin(options_or(options, OPT_N_CPU_MOE, 0), layers);
    q->host_bytes = options_or(options, OPT_CPU_OFFLOAD_GB, 0) * GP_GIB;
    const double kept[HOST_OPTIONS] = {q->host_layers, q->host_experts, q->host_bytes};
    for (size_t i = 0; i < HOST_OPTIONS; i++)
        if (kept[i] > 0 && !engine_lists(q->engine->offload, host_options[i].word))
            return refuse_host(q, host_options[i].option, err);
    if (q->host_experts > 0 && model_experts(q->model) == 0)
        return gp_fail(err, GP_E_USAGE, "--n-cpu-moe",
                       "--gpu-layers leaves whole layers in host memory",
                       "%s has no routed experts", q->model->name);
    return GP_OK;
}

static enum gp_status resolve_host_kv(const struct options *options, struct request *q,
                                      struct gp_err *err)
{
    const char *kind = q->engine->kv_offload;

    q->host_kv = options_or(options, OPT_KV_OFFLOAD_GB, 0) * engine_kv_unit(q->engine);
    q->kv_on_host = options_flag(options, OPT_NO_KV_OFFLOAD);
    bool all = strcmp(kind, "all") == 0;
    if (q->host_kv > 0 && (all || !kind[0]))
        return gp_fail(err, GP_E_USAGE, "--kv-offload-gb", all ? "it has --no-kv-offload" : "",
                       "is not planned for %s %s", q->engine->name, q->engine->range);
    if (q->kv_on_host && !all)
        return gp_fail(err, GP_E_USAGE, "--no-kv-offload", kind[0] ? "it has --kv-offload-gb" : "",
                       "is not planned for %s %s", q->engine->name, q->engine->range);
    return GP_OK;
}

/* ---- drafts and adapters ---- */

static enum gp_status refuse_draft(const struct request *q, bool mtp, struct gp_err *err)
{
    const char *kinds = q->engine->draft;
    bool other = engine_lists(kinds, mtp ? "model" : "mtp");

    return gp_fail(err, GP_E_USAGE, "--draft",
                   !other ? ""
                   : mtp  ? "it takes a model"
                          : "it has --draft mtp, for models with such layers",
                   "%s not planned for %s %s", mtp ? "MTP layers are" : "a draft model is",
                   q->engine->name, q->engine->range);
}

/* The model's own layers, as a model that is kept under a name of its own. */
static enum gp_status find_mtp(struct planner *p, const struct resolved *r, struct request *q,
                               struct gp_err *err)
{
    struct model mtp;
    const struct local_model *kept;
    char key[320];

    q->draft_mtp = true;
    gp_format(key, sizeof(key), "%s %s --draft mtp", r->model_text, r->prune);
    kept = kept_model(p, key);
    if (!kept && draft_mtp(q->model, &mtp) == 0)
        return gp_fail(err, GP_E_USAGE, "--draft", "name a model, such as --draft qwen3-0.6b",
                       "%s has no multi-token-prediction layers", q->model->name);
    gp_format(mtp.name, sizeof(mtp.name), "MTP of %.80s", q->model->name);
    q->draft = kept ? kept->model : keep_model(p, key, r->generic, &mtp);
    return GP_OK;
}

/* A draft that is only a size has the words of the model that it drafts for. */
static void share_words(struct planner *p, const char *text, struct request *q)
{
    struct model draft = *q->draft;
    char key[288];

    if (draft.vocab == q->model->vocab)
        return;
    gp_format(key, sizeof(key), "%.120s --draft %.120s", q->model->id, text);
    const struct local_model *kept = kept_model(p, key);
    draft.vocab = q->model->vocab;
    q->draft = kept ? kept->model : keep_model(p, key, true, &draft);
}

static enum gp_status find_draft(struct planner *p, const char *text, struct request *q,
                                 struct gp_err *err)
{
    const struct format *format = q->engine->gguf ? q->precision.weight : NULL;
    bool generic;
    enum gp_status rc = find_model(p, text, &q->draft, &generic, err);

    if (rc && err && strcmp(err->where, "--model") == 0)
        gp_copy(err->where, sizeof(err->where), "--draft");
    if (!rc && (q->draft->weights_only || q->draft->vocab == 0))
        rc = gp_fail(err, GP_E_USAGE, "--draft", "", "%s writes no text", q->draft->name);
    if (!rc && is_size(text))
        share_words(p, text, q);
    return rc ? rc : planner_precision(p, q->draft, format, &q->draft_precision, err);
}

static enum gp_status resolve_draft(struct planner *p, const struct options *options,
                                    const struct resolved *r, struct request *q, struct gp_err *err)
{
    const char *text = options_word(options, OPT_DRAFT, "");
    bool mtp = strcmp(text, "mtp") == 0;
    enum gp_status rc;

    if (strcmp(text, "none") == 0)
        return GP_OK;
    q->draft_tokens = (int)options_or(options, OPT_SPECULATIVE_TOKENS, 0);
    q->acceptance = options_or(options, OPT_ACCEPTANCE, 0);
    if (!text[0] && q->acceptance > 0)
        return gp_fail(err, GP_E_USAGE, "--acceptance", "--draft mtp, or --draft MODEL",
                       "no draft model is given");
    if (!text[0])
        return GP_OK;
    if (q->model->weights_only)
        return gp_fail(err, GP_E_USAGE, "--draft", "", "%s writes no text", q->model->name);
    if (!engine_lists(q->engine->draft, mtp ? "mtp" : "model"))
        return refuse_draft(q, mtp, err);
    rc = mtp ? find_mtp(p, r, q, err) : find_draft(p, text, q, err);
    if (!rc && q->draft_tokens == 0 && q->engine->draft_tokens > 0)
        q->draft_tokens = q->engine->draft_tokens;
    if (!rc && q->draft_tokens == 0)
        q->draft_tokens = mtp ? q->draft->layer_count : 3;
    return rc;
}

static enum gp_status check_rank(const struct request *q, struct gp_err *err)
{
    const char *ranks = q->engine->lora_ranks;
    char rank[16];

    gp_format(rank, sizeof(rank), "%d", q->lora_rank);
    if (!ranks[0] || engine_lists(ranks, rank))
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, "--lora", ranks, "%s %s does not take a LoRA rank of %s",
                   q->engine->name, q->engine->range, rank);
}

/* "4", "4:32". */
static enum gp_status resolve_lora(const struct options *options, struct request *q,
                                   struct gp_err *err)
{
    const char *text = options_word(options, OPT_LORA, "none");
    const char *colon = strchr(text, ':');
    char slots[16];
    double n, rank = 16;

    if (strcmp(text, "none") == 0)
        return GP_OK;
    gp_format(slots, sizeof(slots), "%.*s", (int)fmin(strcspn(text, ":"), 15), text);
    if (units_parse_number(slots, "", &n, NULL) || n != floor(n) || n < 1 || n > 1024 ||
        (colon && (units_parse_number(colon + 1, "", &rank, NULL) || rank != floor(rank) ||
                   rank < 1 || rank > 4096)))
        return gp_fail(err, GP_E_USAGE, "--lora",
                       "1 to 1024 adapters of rank 1 to 4096, as in 4 or 4:32",
                       "'%s' is not a number of adapters and a rank", text);
    if (!q->engine->lora)
        return gp_fail(err, GP_E_USAGE, "--lora", "", "is not planned for %s %s", q->engine->name,
                       q->engine->range);
    q->lora_slots = (int)n;
    q->lora_rank = (int)rank;
    return check_rank(q, err);
}

/* "0.60:2.40", dollars per million tokens of prompts and of answers. */
static enum gp_status resolve_api(const struct options *options, struct request *q,
                                  struct gp_err *err)
{
    const char *text = options_word(options, OPT_API_PRICE, "");
    char *end;

    q->api_in = strtod(text, &end);
    bool valid = end > text && *end == ':';
    const char *out = valid ? end + 1 : text;
    q->api_out = strtod(out, &end);
    valid = valid && end > out && *end == '\0' && q->api_in >= 0 && q->api_in <= 1e6 &&
            q->api_out > 0 && q->api_out <= 1e6;
    if (text[0] && !valid)
        return gp_fail(err, GP_E_USAGE, "--api-price", "write IN:OUT, as in 0.60:2.40",
                       "'%s' is not two prices per million tokens", text);
    return GP_OK;
}

/* What the words of an answer say of a trace. */
static void name_trace(const struct options *options, const struct trace *t, struct resolved *out)
{
    if (!t)
        return;
    gp_copy(out->trace, sizeof(out->trace), options_word(options, OPT_TRACE, ""));
    gp_tame(out->trace);
    out->trace_requests = (double)t->count;
    out->trace_rate = t->rate;
    out->trace_busiest = t->busiest;
}

static enum gp_status resolve_load(struct planner *p, const struct options *options,
                                   struct resolved *out, struct gp_err *err)
{
    struct request *q = &out->request;
    const struct trace *trace;
    double context = request_usual_context(q);

    q->context_auto = !options->value[OPT_CONTEXT].given;
    enum gp_status rc = planner_lengths(options, &p->trace, context, q, &trace, err);
    if (rc)
        return rc;
    name_trace(options, trace, out);
    rc = planner_split(options, q, err);
    if (rc)
        return rc;
    if (resolve_api(options, q, err))
        return err->code;
    q->prefix_hit = options_or(options, OPT_PREFIX_HIT, 0);
    q->ttft = options_or(options, OPT_TTFT, 0) / 1e3;
    q->tpot = options_or(options, OPT_TPOT, 0) / 1e3;
    q->throughput = options_or(options, OPT_THROUGHPUT, 0);
    q->budget = options_or(options, OPT_BUDGET, 0);
    /* as many requests as it takes, if nobody says how many there are */
    if (q->throughput > 0 && q->rate <= 0 && !options->value[OPT_USERS].given)
        q->rate = q->throughput / q->output;
    q->power_cap = options_or(options, OPT_POWER_CAP, 0);
    q->pp = (int)options_or(options, OPT_PP, 0);
    q->max_pp = (int)options_or(options, OPT_MAX_PP, SEARCH_MAX_PP);
    q->ep = (int)options_or(options, OPT_EP, 0);
    q->dp = (int)options_or(options, OPT_DP, 0);
    q->replicas = (int)options_or(options, OPT_REPLICAS, 0);
    q->max_num_seqs = options_or(options, OPT_MAX_NUM_SEQS, 0);
    q->max_batched_tokens = options_or(options, OPT_MAX_BATCHED_TOKENS, 0);
    q->utilization = options_or(options, OPT_MEMORY_UTILIZATION, 0);
    q->headroom = options_or(options, OPT_HEADROOM, 0);
    q->used = options_or(options, OPT_USED, 0);
    if (q->dp > 1 && model_experts(q->model) == 0)
        return gp_fail(err, GP_E_USAGE, "--dp", "use --replicas",
                       "%s has no experts that copies could share", q->model->id);
    return GP_OK;
}

/* ---- which instances count ---- */

static bool is_provider(const struct market *m, const char *name, size_t len)
{
    for (size_t i = 0; i < m->instance_count; i++)
        if (strlen(m->instances[i].provider) == len &&
            strncasecmp(m->instances[i].provider, name, len) == 0)
            return true;
    return false;
}

/* "aws, azure, crusoe": the instances are sorted by provider. */
static void provider_names(const struct market *m, char *text, size_t size)
{
    const char *last = "";

    text[0] = '\0';
    for (size_t i = 0; i < m->instance_count; i++) {
        size_t len = strlen(text);

        if (strcmp(last, m->instances[i].provider) != 0)
            gp_format(text + len, size - len, "%s%s", len ? ", " : "", m->instances[i].provider);
        last = m->instances[i].provider;
    }
}

static enum gp_status check_providers(const struct market *m, struct gp_err *err)
{
    char names[240];

    provider_names(m, names, sizeof(names));
    for (const char *p = m->providers; *p;) {
        size_t len = strcspn(p, ",");

        if (!is_provider(m, p, len))
            return gp_fail(err, GP_E_USAGE, "--provider", names,
                           "'%.*s' is not a provider of the catalogue", (int)len, p);
        p += len + (p[len] == ',');
    }
    return GP_OK;
}

/* The region must be one of a provider that counts, whatever the dates. */
static enum gp_status check_region(const struct market *m, struct gp_err *err)
{
    struct market any = *m;

    any.dated = false;
    for (size_t i = 0; i < m->instance_count; i++)
        if (market_takes(&any, &m->instances[i]))
            return GP_OK;
    return gp_fail(err, GP_E_USAGE, "--region", "see gpuplan --list instances",
                   "no instance%s%s is in a region with '%s'", m->providers[0] ? " of " : "",
                   m->providers, m->region);
}

static enum gp_status resolve_market(const struct options *options, struct market *m,
                                     struct gp_err *err)
{
    const char *providers = options_word(options, OPT_PROVIDER, "");
    const char *region = options_word(options, OPT_REGION, "");
    enum gp_status rc = GP_OK;

    m->hours = options_or(options, OPT_HOURS, 0);
    m->electricity = options_or(options, OPT_ELECTRICITY, 0);
    m->dated = options_flag(options, OPT_DATED);
    if (!gp_copy(m->providers, sizeof(m->providers), providers))
        return gp_fail(err, GP_E_USAGE, "--provider", "", "is longer than %d bytes",
                       MARKET_TEXT_MAX - 1);
    if (!gp_copy(m->region, sizeof(m->region), region))
        return gp_fail(err, GP_E_USAGE, "--region", "", "is longer than %d bytes",
                       MARKET_TEXT_MAX - 1);
    if (m->providers[0])
        rc = check_providers(m, err);
    if (!rc && m->region[0])
        rc = check_region(m, err);
    return rc;
}

static enum gp_status resolve_gpu(struct planner *p, const char *gpu, struct resolved *out,
                                  struct gp_err *err)
{
    struct request *q = &out->request;
    enum gp_status rc = GP_OK;

    if (!gpu && has_local(p) && strcmp(p->local_text, CPU_ID) != 0) {
        gpu = "local";
        out->gpu_local = true;
    }
    if (gpu)
        rc = find_gpu(p, gpu, &q->gpu, &q->gpu_count, err);
    else
        out->gpu_chosen = true;
    if (!rc && q->gpu) {
        q->host_gpus = cost_host_gpus(q->gpu, &out->market, &q->host_assumed);
        q->host_watts = cost_host_watts(q->gpu, &out->market, &q->watts_assumed);
    }
    return rc;
}

static enum gp_status resolve_weights(struct planner *p, const char *precision,
                                      struct resolved *out, struct gp_err *err)
{
    const struct format *format = NULL;
    enum gp_status rc = GP_OK;

    if (precision && strcmp(precision, "native") != 0 && strcmp(precision, "auto") != 0)
        rc = named_by(catalog_format(p->catalog, precision, &format, err), "--precision", err);
    if (!rc)
        rc = planner_precision(p, out->request.model, format, &out->request.precision, err);
    return rc;
}

enum gp_status planner_resolve(struct planner *p, const struct options *options, const char *model,
                               const char *precision, const char *gpu, struct resolved *out,
                               struct gp_err *err)
{
    struct request *q = &out->request;
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    if (!model && options->model_count == 0)
        return gp_fail(err, GP_E_USAGE, "--model", "see gpuplan --list models", "no model given");
    model = model ? model : options->models[0];
    precision = precision || options->precision_count == 0 ? precision : options->precisions[0];
    gpu = gpu || options->gpu_count == 0 ? gpu : options->gpus[0];
    const struct resolved_from from = {model, precision, gpu};
    gp_copy(out->model_text, sizeof(out->model_text), model);
    rc = find_model(p, model, &q->model, &out->generic, err);
    if (!rc)
        rc = prune_structure(p, options, out, err);
    if (!rc) {
        leave_out_vision(p, options, out);
        rc = resolve_weights(p, precision, out, err);
    }
    if (!rc)
        rc = load_market(p, err);
    out->market = p->market;
    if (!rc)
        rc = resolve_market(options, &out->market, err);
    if (!rc)
        rc = resolve_gpu(p, gpu, out, err);
    if (!rc)
        rc = planner_calib_apply(&p->calib, p->catalog, options, out, err);
    if (!rc)
        rc = resolve_engine(p, options, model, q, err);
    if (!rc)
        rc = check_text_only(out, err);
    if (!rc)
        rc = resolve_kv(p, options, q, err);
    if (!rc)
        rc = resolve_prune(options, q, err);
    if (!rc)
        rc = resolve_host(options, q, err);
    if (!rc)
        rc = resolve_host_kv(options, q, err);
    if (!rc)
        rc = resolve_draft(p, options, out, q, err);
    if (!rc)
        rc = resolve_lora(options, q, err);
    q->price = (enum price_want)options_choice(options, OPT_PRICE);
    if (!rc)
        rc = resolve_load(p, options, out, err);
    if (!rc)
        rc = resolve_measured(p, &p->logs, options, &from, out, err);
    return rc;
}
