/*
 * resolve.c - from options to a request: the first half of planner.h, and what a planner keeps.
 *
 * planner_resolve() is a row of steps, each of which looks up or checks one part of the request
 * from what the options and the steps before it say: model, weights, prices, GPU, engine,
 * host memory, drafts, load, and what was measured.
 */
#include <ctype.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "answer/calibrate.h"
#include "answer/option.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "catalog/names.h"
#include "catalog/trace.h"
#include "model/read/checkpoint.h"
#include "model/read/drafthead.h"
#include "model/read/hub_cache.h"
#include "plan/draft.h"
#include "plan/search.h"
#include "plan/speed/host.h"
#include "plan/weights.h"
#include "probe/cpu_host.h"

#define MODELS_KEPT 256 /* read or made up, from one request of --batch to the next */

struct local_model {
    char *text; /* path or size as asked */
    bool generic;
    struct model *model;
};

struct local_gpu {
    char *text; /* "h100-sxm/3g.40gb", "cpu" */
    struct gpu *gpu;
    struct gpu_mix *mix; /* of unlike GPUs: gpu->mix; or NULL */
};

struct planner {
    struct catalog *catalog;
    long today;
    planner_local_fn local;
    bool local_asked, local_found, market_loaded;
    char local_text[320]; /* the id of the GPU in this machine, or why there is none */
    struct local_model *models;
    size_t model_count, model_cap;
    char *read_text; /* the last name of a model that was read; NULL */
    struct name_reading read;
    struct local_gpu *gpus;
    size_t gpu_count, gpu_cap;
    const struct gpu *host_of; /* the last whose host was looked for in the whole market */
    int host_gpus;
    bool host_assumed;
    char *trace_path; /* NULL: none yet */
    struct trace trace;
    struct market market;
    struct calibrations *calibrations;
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

static void forget_models(struct planner *p)
{
    for (size_t i = 0; i < p->model_count; i++) {
        free(p->models[i].text);
        free(p->models[i].model);
    }
    p->model_count = 0;
}

void planner_free(struct planner *p)
{
    if (!p)
        return;
    forget_models(p);
    for (size_t i = 0; i < p->gpu_count; i++) {
        free(p->gpus[i].text);
        free(p->gpus[i].gpu);
        free(p->gpus[i].mix);
    }
    free(p->models);
    free(p->gpus);
    free(p->read_text);
    free(p->trace_path);
    trace_fini(&p->trace);
    calibrations_free(p->calibrations);
    catalog_free(p->catalog);
    free(p);
}

struct catalog *planner_catalog(struct planner *p)
{
    return p->catalog;
}

const struct trace *planner_trace(const struct planner *p, const struct resolved *r)
{
    return r->trace[0] ? &p->trace : NULL;
}

long planner_today(const struct planner *p)
{
    return p->today;
}

enum gp_status planner_gpu(struct planner *p, const char *id, const struct gpu **gpu, char *used,
                           size_t size, struct gp_err *err)
{
    return calibrate_catalog_gpu(&p->calibrations, p->catalog, id, gpu, used, size, err);
}

bool planner_running(struct planner *p, const struct benchlog *log, struct resolved *resolved)
{
    const struct gpu *sheet;
    int count;

    return planner_named_gpu(p, resolved->request.gpu->id, &sheet, &count, NULL) == GP_OK &&
           sheet->family &&
           calibrate_running(&p->calibrations, p->catalog, sheet, log, &resolved->request.gpu);
}

void planner_measured_anew(struct planner *p)
{
    calibrations_forget(p->calibrations);
}

void planner_between_requests(struct planner *p)
{
    if (p->model_count >= MODELS_KEPT)
        forget_models(p);
}

/* A request in the making. */
struct resolving {
    struct planner *planner;
    const struct options *options;
    const char *model, *precision, *gpu; /* as asked; NULL: the default */
    bool named;                          /* the model by a name that planner->read explains */
    struct resolved *out;
    struct request *request; /* of out */
    struct gp_err *err;
};

/* The catalogue does not know which option named the unknown id: add it. What was found after
 * another reading failed leaves no error. */
static enum gp_status named_by(enum gp_status rc, const char *option, struct gp_err *err)
{
    if (!rc && err)
        err->code = GP_OK;
    if (rc && err && !err->where[0])
        gp_copy(err->where, sizeof(err->where), option);
    return rc;
}

/* "is not planned for vLLM 0.17+" and the like: what this engine does not do. */
static enum gp_status refuse_for_engine(const struct resolving *r, const char *option,
                                        const char *hint, const char *what)
{
    const struct engine *e = r->request->engine;

    return gp_fail(r->err, GP_E_USAGE, option, hint, "%s %s %s", what, e->name, e->range);
}

/* ---- models ---- */

/* "70B", "0.5b": a number and a unit letter, nothing else. */
static bool is_size(const char *text)
{
    char *end;
    double value = strtod(text, &end);

    return value > 0 && end > text && *end && strchr("bBmMtT", *end) && end[1] == '\0';
}

/* One read before under this text. */
static const struct local_model *kept_model(const struct planner *p, const char *text)
{
    for (size_t i = 0; i < p->model_count; i++)
        if (strcmp(p->models[i].text, text) == 0)
            return &p->models[i];
    return NULL;
}

/* The model under a name of its own, or the one that has the name already. */
static const struct model *keep_model(struct planner *p, const char *text, bool generic,
                                      const struct model *model)
{
    const struct local_model *kept = kept_model(p, text);

    if (kept)
        return kept->model;
    p->models = gp_grow(p->models, &p->model_cap, p->model_count + 1, sizeof(*p->models));
    struct local_model *slot = &p->models[p->model_count++];
    *slot = (struct local_model){.text = gp_strdup(text), .generic = generic};
    slot->model = gp_malloc(sizeof(*model));
    *slot->model = *model;
    gp_sanitize(slot->model->source); /* holds the path */
    gp_sanitize(slot->model->note);
    return slot->model;
}

/* "no model 'devstral'": what can be done, and which are near. */
static enum gp_status refuse_name(struct planner *p, const char *text, struct gp_err *err)
{
    const struct name_reading *read = &p->read;
    const struct name_other *unlike = read->unlike;
    const char *repository = read->repository, *name = strchr(repository, '/');
    struct strbuf hint;
    char near[256] = "";

    strbuf_init(&hint);
    if (!unlike)
        catalog_near_models(p->catalog, read->name, near, sizeof(near));
    strbuf_add(&hint, unlike ? unlike->hint : near);
    if (unlike && read->base)
        strbuf_addf(&hint, ": -m %s", read->base);
    if (name) {
        bool gguf = strcasestr(name, "gguf"); /* which has no config.json */

        strbuf_addf(&hint, "%shf download %s %s --local-dir %s, then -m %s%s",
                    hint.len == 0 ? ""
                    : unlike      ? "; or "
                                  : " Or ",
                    repository, gguf ? "--include '*Q4_K_M*'" : "config.json", name + 1,
                    gguf ? "its file in " : "./", name + 1);
    } else if (strchr(read->name, ':') && !unlike && !strchr(text, '/'))
        strbuf_addf(&hint,
                    "%sollama pull %s, then -m the file that ollama show --modelfile %s names",
                    hint.len == 0 ? "" : " Or ", read->name, read->name);
    else if (hint.len == 0)
        strbuf_add(&hint, "see gpuplan --list models; or -m with the folder of its config.json, "
                          "its GGUF or a size such as 7B");
    if (unlike)
        gp_fail(err, GP_E_USAGE, "--model", hint.text, "'%.120s' is %s", text, unlike->what);
    else
        gp_fail(err, GP_E_USAGE, "--model", hint.text, "no model '%.120s'%s", text,
                name ? " in the catalogue" : "");
    strbuf_fini(&hint);
    return GP_E_USAGE;
}

/* What the name says is in p->read, which holds until the next one. */
static enum gp_status find_named(struct planner *p, const char *text, const struct model **model,
                                 struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    if (!p->read_text || strcmp(p->read_text, text) != 0) {
        free(p->read_text);
        p->read_text = NULL;
        rc = catalog_read_name(p->catalog, text, &p->read, err);
        if (rc)
            return rc;
        p->read_text = gp_strdup(text);
    }
    return p->read.id ? catalog_model(p->catalog, p->read.id, model, err)
                      : refuse_name(p, text, err);
}

static bool ends_in(const char *text, const char *suffix)
{
    size_t n = strlen(text), len = strlen(suffix);

    return n > len && strcasecmp(text + n - len, suffix) == 0;
}

/* A path rather than a name: it says so, or names a file. */
static bool is_path(const char *text)
{
    const char *slash = strchr(text, '/');
    bool url = strstr(text, "://") || name_is_address(text);
    const char *inner = slash ? strchr(slash + 1, '/') : NULL;
    bool file = inner && !strchr(inner + 1, '/') && ends_in(text, ".gguf"); /* ORG/NAME/FILE */

    return text[0] && (path_is_there(text) || strchr("./~", text[0]) ||
                       (slash && (!slash[1] || strchr(slash + 1, '/')) && !url && !file) ||
                       (!url && (ends_in(text, ".json") || ends_in(text, ".safetensors") ||
                                 (ends_in(text, ".gguf") && !file))));
}

/* *named: what was typed is a name of the model, and no id or alias of it. */
static enum gp_status find_model(struct planner *p, const char *text, const struct model **model,
                                 bool *generic, bool *named, struct gp_err *err)
{
    const struct local_model *kept = kept_model(p, text);
    struct hub_model hub;
    struct model read;
    enum gp_status rc;
    double params;

    *named = false;
    *generic = kept && kept->generic;
    if (kept) {
        *model = kept->model;
        return GP_OK;
    }
    if (is_path(text)) {
        rc = checkpoint_read(text, &read, err);
        *generic = !rc && read.assumed;
    } else if (is_size(text)) {
        rc = units_parse_params(text, "--model", &params, err);
        if (!rc)
            rc = model_generic(params, &read, err);
        if (rc && err)
            gp_copy(err->where, sizeof(err->where), "--model");
        *generic = true;
    } else {
        rc = catalog_model(p->catalog, text, model, NULL); /* what is near is asked for below */
        if (rc != GP_OK && rc != GP_E_USAGE)
            rc = catalog_model(p->catalog, text, model, err);
        if (rc != GP_E_USAGE)
            return named_by(rc, "--model", err);
        if (!hub_cache_find(text, &hub)) {
            *named = true;
            return named_by(find_named(p, text, model, err), "--model", err);
        }
        rc = checkpoint_read(hub.path, &read, err);
        *generic = !rc && read.assumed;
    }
    if (!rc)
        *model = keep_model(p, text, *generic, &read);
    return rc;
}

/* A model that is made of the one asked for; all of what makes it is in the text it is kept by. */
static const struct model *keep_variant(struct resolving *r, const char *made,
                                        const struct model *model)
{
    const struct model *kept;
    struct strbuf key;

    strbuf_init(&key);
    strbuf_addf(&key, "%s --prune %s%s", r->model, options_word(r->options, OPT_PRUNE, ""), made);
    kept = keep_model(r->planner, key.text, r->out->generic, model);
    strbuf_fini(&key);
    return kept;
}

/* Another max_context of a release, by a word of the name that was typed. */
static void take_context(struct resolving *r)
{
    const struct model *m = r->request->model;
    char word[32];
    int tokens;

    for (const char *rest = m->contexts; *rest; rest += strspn(rest, "|")) {
        if (sscanf(rest, "%31[^ |] %d", word, &tokens) == 2 && tokens > 0 &&
            strcasestr(r->model, word)) {
            struct model release = *m;

            release.max_context = tokens;
            release.yarn.context = 0; /* which is said of the others */
            r->request->model = keep_variant(r, " --release", &release);
            return;
        }
        rest += strcspn(rest, "|");
    }
}

/* A context beyond what the model was trained for, by the least factor of YaRN that holds it, or
 * that reaches furthest. */
static enum gp_status resolve_yarn(struct resolving *r)
{
    const struct model *m = r->request->model;
    char made[FORMAT_ID_MAX + 64];

    if (r->request->context <= m->max_context || m->max_context >= m->yarn.context ||
        !r->request->engine->yarn)
        return GP_OK;
    struct model longer = *m;
    struct model_yarn *y = &longer.yarn;
    y->factor = (int)ceil(fmin(r->request->context, y->context) / y->original);
    y->trained = m->max_context;
    longer.max_context = (int)fmin((double)y->original * y->factor, y->context);
    /* a format may have a release of its own */
    gp_format(made, sizeof(made), " --yarn %d -p %s%s", y->factor, r->request->precision.id,
              r->request->text_only ? " --language-model-only" : "");
    r->request->model = keep_variant(r, made, &longer);
    return GP_OK;
}

static enum gp_status resolve_model(struct resolving *r)
{
    struct resolved *out = r->out;

    gp_copy(out->model_text, sizeof(out->model_text), r->model);
    enum gp_status rc =
        find_model(r->planner, r->model, &r->request->model, &out->generic, &r->named, r->err);
    if (!rc)
        take_context(r);
    return rc;
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

/* Structured pruning makes another model, which is planned like any; 2:4 and a percentage keep
 * its shape. */
static enum gp_status resolve_prune(struct resolving *r)
{
    const char *text = options_word(r->options, OPT_PRUNE, "none");
    const struct model *whole = r->request->model;
    struct resolved *out = r->out;
    struct model pruned;
    double amount = 0;
    char note[sizeof(pruned.note)];
    bool layers = strncmp(text, "layers:", 7) == 0, width = strncmp(text, "width:", 6) == 0;

    if (strcmp(text, "none") == 0)
        return GP_OK;
    if (strcmp(text, "2:4") == 0) {
        r->request->prune = PRUNE_2_4;
        return GP_OK;
    }
    if (!layers && !read_percent(width ? text + 6 : text, &amount))
        return gp_fail(r->err, GP_E_USAGE, "--prune",
                       "none, 2:4, a percentage such as 50, layers:8 or width:25%",
                       "'%s' is not a kind of pruning", text);
    if (!layers && !width) {
        r->request->prune = PRUNE_UNSTRUCTURED;
        r->request->prune_share = amount / 100;
        return GP_OK;
    }
    pruned = *whole;
    if (width)
        model_prune_width(&pruned, amount / 100);
    else if (units_parse_number(text + 7, "", &amount, NULL) || amount != floor(amount) ||
             amount < 1 || !model_prune_layers(&pruned, (int)fmin(amount, MODEL_MAX_LAYERS)))
        return gp_fail(r->err, GP_E_USAGE, "--prune", "layers:8, and one layer stays",
                       "'%s' does not fit the %d layers of %s", text, whole->layer_count,
                       whole->id);
    gp_copy(note, sizeof(note), pruned.note);
    gp_format(pruned.note, sizeof(pruned.note), "pruned by %.24s%s%.300s", text,
              note[0] ? "; " : "", note);
    gp_copy(out->prune, sizeof(out->prune), text);
    r->request->model = keep_variant(r, "", &pruned);
    return GP_OK;
}

/* A model without its vision tower is another one too. */
static enum gp_status resolve_vision(struct resolving *r)
{
    struct request *q = r->request;
    struct model text;

    q->text_only = options_flag(r->options, OPT_LANGUAGE_MODEL_ONLY);
    if (!q->text_only || model_params_role(q->model, ROLE_VISION) == 0)
        return GP_OK;
    text = *q->model;
    model_text_only(&text);
    q->model = keep_variant(r, " --language-model-only", &text);
    return GP_OK;
}

/* ---- precisions ---- */

/* The 16-bit type the model computes in; FP32 models that are quantised take BF16. */
static enum gp_status base_format(struct planner *p, const struct model *m,
                                  const struct format *weight, const struct format **base,
                                  struct gp_err *err)
{
    const char *id = m->native_dtype;

    if (weight->block > 0)
        id = "fp16"; /* GGUF engines compute in FP16 */
    else if (weight->group_bytes == 0 && weight->bits >= 16 && !weight->mix)
        id = weight->id;
    else if (strcmp(id, "fp16") != 0)
        id = "bf16";
    if (strcmp(id, "tf32") == 0 || strcmp(id, "fp64") == 0)
        id = "fp32";
    return catalog_format(p->catalog, id, base, err);
}

/* As it is published: the format of its heaviest role gives the name. */
static enum gp_status native_precision(struct planner *p, const struct model *m,
                                       struct precision *out, struct gp_err *err)
{
    static const enum tensor_role roles[] = {ROLE_EXPERT, ROLE_MLP, ROLE_ATTN_Q, ROLE_RECURRENT,
                                             ROLE_OTHER};
    enum tensor_role heaviest = roles[0];
    double params[ROLE_COUNT];
    enum gp_status rc = GP_OK;

    memset(out, 0, sizeof(*out));
    out->native = true;
    for (int r = 0; r < ROLE_COUNT && !rc; r++) {
        const char *id = m->native[r][0] ? m->native[r] : m->native_dtype;

        rc = catalog_format(p->catalog, id[0] ? id : "bf16", &out->by_role[r], err);
    }
    if (rc)
        return rc;
    model_params_roles(m, params);
    for (size_t i = 1; i < sizeof(roles) / sizeof(roles[0]); i++)
        if (params[roles[i]] > params[heaviest])
            heaviest = roles[i];
    out->weight = out->by_role[heaviest];
    gp_copy(out->id, sizeof(out->id), out->weight->id);
    rc = base_format(p, m, out->weight, &out->base, err);
    out->kv = out->base;
    return rc || !m->native_kv[0] ? rc : catalog_format(p->catalog, m->native_kv, &out->kv, err);
}

enum gp_status planner_precision(struct planner *p, const struct model *m,
                                 const struct format *format, struct precision *out,
                                 struct gp_err *err)
{
    const struct model_checkpoint *published = NULL; /* in that format */
    bool unread = m->native_unread[0] && !m->bytes.known;
    enum gp_status rc = native_precision(p, m, out, err);

    if (!rc && unread && !format)
        return gp_fail(err, GP_E_FILE, m->source[0] ? m->source : m->id,
                       "the shape is whole: -p FORMAT plans it in one of gpuplan --list formats, "
                       "such as -p int4",
                       "quantization_config.quant_method: \"%s\" is no method that is known here",
                       m->native_unread);
    /* asking for what it is published in, or for its family's plain name, is asking for
     * the checkpoint as it is */
    bool same =
        !rc && format && !unread &&
        (strcmp(format->id, out->weight->id) == 0 || strcmp(format->id, out->weight->family) == 0);
    if (rc || !format || same)
        return rc;
    out->native = false;
    out->weight = format;
    gp_copy(out->id, sizeof(out->id), format->id);
    rc = base_format(p, m, format, &out->base, err);
    out->kv = out->base;
    /* llama.cpp's converter and quantizer leave experts that are published in MXFP4 as they are */
    const struct format *experts = out->by_role[ROLE_EXPERT];
    bool kept = format->mix && strcmp(experts->id, "mxfp4") == 0;
    for (int i = 0; i < m->checkpoint_count && !published; i++)
        if (strcmp(m->checkpoint[i].format, format->id) == 0)
            published = &m->checkpoint[i];
    for (int r = 0; r < ROLE_COUNT && !rc; r++) {
        out->by_role[r] = format->keep_roles >> r & 1 ? out->base : format;
        if (published && published->role[r][0])
            rc = catalog_format(p->catalog, published->role[r], &out->by_role[r], err);
        else if (kept && r == ROLE_EXPERT)
            out->by_role[r] = experts;
    }
    return rc;
}

/* Bytes of the weights in another format, as a share of those asked for. */
static double share_of_bytes(struct resolving *r, const char *id)
{
    struct request other = *r->request;
    const struct format *format;

    if (catalog_format(r->planner->catalog, id, &format, NULL) ||
        planner_precision(r->planner, other.model, format, &other.precision, NULL))
        return 1;
    return weights_file_bytes(&other) / weights_file_bytes(r->request);
}

/* What the name of the model was read as. */
static void say_read(struct resolving *r, bool took_format)
{
    const struct name_reading *read = &r->planner->read;
    struct resolved *out = r->out;
    const char *format = took_format ? r->request->precision.id : read->format;

    if (took_format || !read->format[0])
        gp_copy(out->repository, sizeof(out->repository), read->repository);
    gp_format(out->model_read, sizeof(out->model_read), "%.120s: %s%s%s%s%s", r->model, read->id,
              read->format[0] ? " with " : "", format,
              read->derived ? ", whose shape its name ends in" : "",
              took_format       ? " (from the name; config.json of the repository would make it "
                                  "exact)"
              : read->format[0] ? ", but --precision says otherwise"
                                : "");
    gp_sanitize(out->model_read);
}

const struct model *planner_release(struct planner *p, const struct model *m,
                                    const struct precision *precision)
{
    const struct model *kept;
    struct strbuf key;
    bool other = false;
    int ff = 0;

    for (int i = 0; i < m->checkpoint_count && !precision->native; i++)
        if (strcmp(m->checkpoint[i].format, precision->weight->id) == 0)
            ff = m->checkpoint[i].ff;
    for (int k = 0; k < m->kind_count && ff > 0; k++)
        other |= m->kind[k].ff > 0 && m->kind[k].ff != ff;
    if (!other)
        return NULL;
    struct model padded = *m;
    for (int k = 0; k < m->kind_count; k++)
        if (m->kind[k].ff > 0)
            padded.kind[k].ff = ff;
    strbuf_init(&key);
    strbuf_addf(&key, "%s %p --release %s", m->id, (const void *)m, precision->weight->id);
    kept = keep_model(p, key.text, false, &padded);
    strbuf_fini(&key);
    return kept;
}

/* A release in this format whose MLPs were padded is another model. */
static void take_release(struct resolving *r)
{
    struct request *q = r->request;
    const struct model *m = planner_release(r->planner, q->model, &q->precision);
    int ff = 0;

    if (!m)
        return;
    for (int k = 0; k < m->kind_count; k++)
        ff = m->kind[k].ff > ff ? m->kind[k].ff : ff;
    q->unpadded = q->model;
    q->model = m;
    gp_format(r->out->release, sizeof(r->out->release),
              "%s as published: MLPs padded to %s, so that TP 2, 4 and 8 cut whole groups of "
              "scales; your own conversion may not be",
              q->precision.weight->id, UNITS_TOKENS(ff));
}

static enum gp_status resolve_weights(struct resolving *r)
{
    const struct format *format = NULL;
    const struct name_reading *read = &r->planner->read;
    struct precision *out = &r->request->precision;
    const char *id = r->precision;
    bool by_name = r->named && read->format[0] && (!id || strcmp(id, "auto") == 0);
    enum gp_status rc = GP_OK;

    if (by_name)
        id = read->format;
    if (id && strcmp(id, "native") != 0 && strcmp(id, "auto") != 0)
        rc = named_by(catalog_format(r->planner->catalog, id, &format, r->err), "--precision",
                      r->err);
    if (!rc)
        rc = planner_precision(r->planner, r->request->model, format, out, r->err);
    if (!rc)
        take_release(r);
    if (rc || !r->named)
        return rc;
    if (by_name && !out->native) {
        double share = read->other[0] ? share_of_bytes(r, read->other) : 1;

        out->named_low = fmin(share, 1);
        out->named_high = fmax(share, 1);
        out->named = true;
    }
    say_read(r, by_name);
    return GP_OK;
}

enum gp_status planner_kv(struct planner *p, const struct engine *engine,
                          const struct precision *precision, const struct format **kv,
                          struct gp_err *err)
{
    *kv = precision->kv;
    return engine->gguf && precision->kv->bits > 16
               ? catalog_format(planner_catalog(p), "fp16", kv, err)
               : GP_OK;
}

static enum gp_status resolve_kv(struct resolving *r)
{
    const char *id = options_word(r->options, OPT_KV_PRECISION, "auto");
    struct request *q = r->request;

    q->kv_auto = strcmp(id, "auto") == 0;
    return q->kv_auto ? planner_kv(r->planner, q->engine, &q->precision, &q->kv, r->err)
                      : named_by(catalog_format(r->planner->catalog, id, &q->kv, r->err),
                                 "--kv-precision", r->err);
}

/* ---- prices ---- */

/* The region must be one of a provider that counts, whatever the dates. */
static bool has_region(const struct market *m)
{
    struct market any = *m;

    any.dated = false;
    for (size_t i = 0; i < m->instance_count; i++)
        if (market_takes(&any, &m->instances[i]))
            return true;
    return false;
}

/* Each of "aws,azure" must be a provider of the catalogue, whose instances are sorted by them. */
static enum gp_status check_providers(const struct market *m, struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    struct strbuf names;

    strbuf_init(&names);
    for (size_t i = 0; i < m->instance_count; i++)
        if (i == 0 || strcmp(m->instances[i - 1].provider, m->instances[i].provider) != 0)
            strbuf_addf(&names, "%s%s", i ? ", " : "", m->instances[i].provider);
    for (const char *p = m->providers; *p && !rc;) {
        size_t len = strcspn(p, ",");
        bool known = false;

        for (size_t i = 0; i < m->instance_count && !known; i++)
            known = strlen(m->instances[i].provider) == len &&
                    strncasecmp(m->instances[i].provider, p, len) == 0;
        if (!known)
            rc = gp_fail(err, GP_E_USAGE, "--provider", names.text,
                         "'%.*s' is not a provider of the catalogue", (int)len, p);
        p += len + (p[len] == ',');
    }
    strbuf_fini(&names);
    return rc;
}

static enum gp_status resolve_market(struct resolving *r)
{
    const struct options *o = r->options;
    struct planner *p = r->planner;
    struct market *m = &r->out->market;
    enum gp_status rc = GP_OK;

    if (!p->market_loaded) {
        rc = catalog_instances(p->catalog, &p->market.instances, &p->market.instance_count, r->err);
        if (!rc)
            rc = catalog_servers(p->catalog, &p->market.servers, &p->market.server_count, r->err);
        if (!rc)
            rc = catalog_ownership(p->catalog, &p->market.ownership, r->err);
        p->market.today = p->today;
        p->market_loaded = rc == GP_OK;
    }
    *m = p->market;
    m->hours = options_or(o, OPT_HOURS, 0);
    m->electricity = options_or(o, OPT_ELECTRICITY, 0);
    m->dated = options_flag(o, OPT_DATED);
    r->request->price = (enum price_want)options_choice(o, OPT_PRICE);
    if (rc)
        return rc;
    if (!gp_copy(m->providers, sizeof(m->providers), options_word(o, OPT_PROVIDER, "")))
        return gp_fail(r->err, GP_E_USAGE, "--provider", "", "is longer than %d bytes",
                       MARKET_TEXT_MAX - 1);
    if (!gp_copy(m->region, sizeof(m->region), options_word(o, OPT_REGION, "")))
        return gp_fail(r->err, GP_E_USAGE, "--region", "", "is longer than %d bytes",
                       MARKET_TEXT_MAX - 1);
    if (m->providers[0])
        rc = check_providers(m, r->err);
    if (!rc && m->region[0] && !has_region(m))
        rc = gp_fail(r->err, GP_E_USAGE, "--region", "see gpuplan --list instances",
                     "no instance%s%s is in a region with '%s'", m->providers[0] ? " of " : "",
                     m->providers, m->region);
    return rc;
}

/* ---- GPUs ---- */

/* --gpu cpu: the processors of this machine, as a device like others.
 *
 *   bandwidth  min(cores x 12, sockets x 50) GB/s of up to 16 cores a socket, x 200 GB/s of
 *              more; a band of /2.5..x2.5: nobody but root can ask what memory is built in
 *   FP32       cores x clock x operations per cycle of the widest vectors; 2.5 GHz where no
 *              clock can be read. It is the rate of 16-bit and quantized weights too, which
 *              llama.cpp unpacks into those vectors
 *   memory     of the machine or its cgroup, less 2 to 20 % for the system and others
 *
 * All of it is `assumed`, but the memory; --confirm and --bench replace it by what they
 * measure here (plan/speed/calib.h).
 *
 * Example: 2 cores with AVX-512 at 2.5 GHz, one socket: 24 GB/s (9.6..60), 320 GFLOP/s.
 */
#define CPU_CORE_BANDWIDTH 12e9    /* bytes/s: some 20 lines of 64 bytes in 100 ns */
#define CPU_SOCKET_BANDWIDTH 50e9  /* two channels */
#define CPU_SERVER_BANDWIDTH 200e9 /* eight */
#define CPU_SERVER_CORES 16        /* of a socket, above which it is a server's */
#define CPU_BANDWIDTH_BAND 2.5
#define CPU_CLOCK 2.5e9 /* Hz, where none can be read */
#define CPU_CLOCK_BAND 1.8
#define CPU_FLOPS 32.0 /* per cycle, where no vectors are named */
#define CPU_USABLE 0.94
#define CPU_USABLE_LEAST 0.80
#define CPU_USABLE_MOST 0.98

/* GP_E_DEVICE: not even the size of the memory can be read. */
static enum gp_status cpu_as_gpu(struct catalog *catalog, struct gpu *out, struct gp_err *err)
{
    struct cpu_host h;
    char slow[32] = "";

    cpu_host_read(&h);
    if (h.memory <= 0)
        return gp_fail(err, GP_E_DEVICE, "--gpu cpu", "name a GPU",
                       "cannot read how much memory this machine has");
    int sockets = h.sockets > 0 ? h.sockets : 1;
    double socket =
        h.cores / sockets > CPU_SERVER_CORES ? CPU_SERVER_BANDWIDTH : CPU_SOCKET_BANDWIDTH;
    double bandwidth = fmin(h.cores * CPU_CORE_BANDWIDTH, sockets * socket);
    double clock = h.clock > 0 ? h.clock : CPU_CLOCK;
    double rate = h.cores * clock * (h.vector ? h.vector->flops : CPU_FLOPS);

    memset(out, 0, sizeof(*out));
    gp_copy(out->id, sizeof(out->id), CPU_ID);
    gp_copy(out->vendor, sizeof(out->vendor), CPU_ID);
    gp_copy(out->form_factor, sizeof(out->form_factor), "CPU");
    gp_copy(out->interconnect, sizeof(out->interconnect), "none");
    gp_copy(out->confidence, sizeof(out->confidence), "low");
    gp_copy(out->family_id, sizeof(out->family_id), CPU_ID);
    if (h.slow > 0)
        gp_format(slow, sizeof(slow), " (and %d slower)", h.slow);
    gp_format(out->name, sizeof(out->name), "%.40s, %d core%s%s", h.name, h.cores,
              h.cores == 1 ? "" : "s", slow);
    gp_copy(out->architecture, sizeof(out->architecture), h.vector ? h.vector->name : "CPU");
    gp_format(out->note, sizeof(out->note),
              "bandwidth and rates assumed from %d cores%s%s; gpuplan --confirm measures them",
              h.cores, h.vector ? " with " : "", h.vector ? h.vector->name : "");
    gp_copy(out->source, sizeof(out->source), "/proc/cpuinfo, /proc/meminfo, cgroups of now");
    out->host = true;
    out->link_domain = 1;
    out->memory_marketed = h.memory;
    out->physical = quantity_of(h.memory, ORIGIN_MEASURED);
    out->usable = quantity_band(h.memory * CPU_USABLE, h.memory * CPU_USABLE_LEAST,
                                h.memory * CPU_USABLE_MOST, ORIGIN_ASSUMED);
    out->bandwidth = quantity_band(bandwidth, bandwidth / CPU_BANDWIDTH_BAND,
                                   bandwidth * CPU_BANDWIDTH_BAND, ORIGIN_ASSUMED);
    out->rate[MATH_FP32] = out->rate[MATH_FP16] = out->rate[MATH_BF16] =
        quantity_band(rate, rate / CPU_CLOCK_BAND, rate * CPU_CLOCK_BAND, ORIGIN_ASSUMED);
    return catalog_family(catalog, CPU_ID, &out->family, err);
}

/* "36gb"; *end is what stands behind it. */
static bool parse_gb(const char *text, double *bytes, const char **end)
{
    char number[32];
    size_t n = strspn(text, "0123456789."), unit = strcspn(text + n, "@/");

    *end = text + n + unit;
    return n > 0 && unit > 0 && gp_format(number, sizeof(number), "%.*s", (int)(n + unit), text) &&
           units_parse_bytes(number, "", bytes, NULL) == GP_OK && *bytes > 0;
}

/* "24GB", "24GB@1008GB/s": a GPU of which no more is known. Without a bandwidth it has memory and
 * no speed. */
static bool plain_gpu(const char *text, struct gpu *out)
{
    double memory, bandwidth = 0;
    const char *end;

    if (!parse_gb(text, &memory, &end) || memory < 1e9 || /* 780M is a GPU's name */
        (*end == '@' && (!parse_gb(end + 1, &bandwidth, &end) || strcasecmp(end, "/s") != 0)) ||
        (bandwidth == 0 && *end))
        return false;
    memset(out, 0, sizeof(*out));
    gp_copy(out->id, sizeof(out->id), text);
    gp_format(out->name, sizeof(out->name), "GPU of %.40s", text);
    gp_copy(out->confidence, sizeof(out->confidence), "low");
    gp_copy(out->source, sizeof(out->source), "--gpu");
    gp_copy(out->note, sizeof(out->note),
            "a profile with vendor, architecture and tflops narrows this (gpuplan-profile(5))");
    out->memory_marketed = memory;
    out->memory_only = bandwidth == 0;
    out->physical = quantity_band(memory, memory * 0.93, memory * 1.074, ORIGIN_ASSUMED);
    if (bandwidth > 0)
        out->bandwidth = quantity_of(bandwidth, ORIGIN_ASSUMED);
    return true;
}

/* Of a Mac's memory, what macOS gives the GPU by default. */
static double apple_share(double memory)
{
    return memory <= 32e9 ? 2 / 3.0 : 0.75;
}

/* "apple-m4-max:36gb": the same chip with another memory, and so without its prices. */
static void other_memory(const struct gpu *of, const char *text, double memory, struct gpu *out)
{
    double share = memory / of->memory_marketed, given = 1;

    if (strcmp(of->vendor, "apple") == 0)
        given = apple_share(memory) / apple_share(of->memory_marketed);
    *out = *of;
    gp_format(out->id, sizeof(out->id), "%.30s:%.16s", of->id, text);
    gp_format(out->name, sizeof(out->name), "%.60s, %.16s", of->name, text);
    out->memory_marketed = memory;
    out->physical = quantity_scale(of->physical, share);
    out->usable = quantity_scale(gpu_usable(of), share * given);
    out->physical.origin = out->usable.origin = ORIGIN_ASSUMED;
    out->slice_count = 0;
    out->launch_price = out->street_price = (struct quantity){.known = false};
}

/* What no profile holds as it is, a slice, another memory or this machine's processors: made
 * once. */
static enum gp_status find_made_gpu(struct planner *p, const char *text, const struct gpu **gpu,
                                    struct gp_err *err)
{
    const char *cut = text + strcspn(text, ":/"), *end;
    const struct gpu *whole;
    struct gpu made;
    char id[128];
    double memory;
    enum gp_status rc = GP_OK;

    for (size_t i = 0; i < p->gpu_count; i++)
        if (strcmp(p->gpus[i].text, text) == 0) {
            *gpu = p->gpus[i].gpu;
            return GP_OK;
        }
    gp_format(id, sizeof(id), "%.*s", (int)(cut - text), text);
    if (plain_gpu(text, &made)) {
        rc = catalog_gpu_family(p->catalog, &made, err);
    } else if (*cut) {
        rc = catalog_gpu(p->catalog, id, &whole, err);
        if (!rc && *cut == ':' && parse_gb(cut + 1, &memory, &end))
            other_memory(whole, cut + 1, memory, &made);
        else if (!rc)
            rc = gpu_slice_of(whole, cut + 1, &made, err);
    } else {
        rc = cpu_as_gpu(p->catalog, &made, err);
    }
    if (rc)
        return rc;
    p->gpus = gp_grow(p->gpus, &p->gpu_cap, p->gpu_count + 1, sizeof(*p->gpus));
    struct local_gpu *slot = &p->gpus[p->gpu_count++];
    slot->text = gp_strdup(text);
    slot->mix = NULL;
    slot->gpu = gp_malloc(sizeof(made));
    *slot->gpu = made;
    *gpu = slot->gpu;
    return GP_OK;
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

/* Takes the count off "apple-m4-max:36gb:2". */
static enum gp_status take_count(char *id, int *count, struct gp_err *err)
{
    for (char *colon; (colon = strrchr(id, ':')) != NULL;) {
        const char *end;
        char *after;
        double memory;
        long n = strtol(colon + 1, &after, 10);

        if (parse_gb(colon + 1, &memory, &end) && !*end && strchr(id, ':') == colon &&
            !strchr(id, '/'))
            return GP_OK;
        if (!isdigit((unsigned char)colon[1]) || *after || n < 1 || n > PLAN_MAX_GPUS || *count > 0)
            return gp_fail(
                err, GP_E_USAGE, "--gpu", "write it as in h100-sxm:4, or apple-m4-max:36gb",
                "'%s' is not a count from 1 to %d, nor a memory", colon + 1, PLAN_MAX_GPUS);
        *colon = '\0';
        *count = (int)n;
    }
    return GP_OK;
}

/* "rtx-5090:1+rtx-5070-ti:1": unlike GPUs of one vendor, for one model. */
static enum gp_status find_mixed(struct planner *p, const char *text, bool by_memory,
                                 const struct gpu **gpu, int *count, struct gp_err *err)
{
    struct gpu_mix *mix = gp_calloc(1, sizeof(*mix));
    struct strbuf id, name;
    char key[160];
    enum gp_status rc = GP_OK;

    gp_format(key, sizeof(key), "%.140s%s", text, by_memory ? "" : " even");
    for (size_t i = 0; i < p->gpu_count; i++)
        if (strcmp(p->gpus[i].text, key) == 0) {
            *gpu = p->gpus[i].gpu;
            *count = p->gpus[i].gpu->mix->count;
            free(mix);
            return GP_OK;
        }
    strbuf_init(&id);
    strbuf_init(&name);
    for (const char *at = text; *at && !rc;) {
        const struct gpu *one = NULL;
        char part[64];
        int n = 0, length = (int)strcspn(at, "+");

        gp_format(part, sizeof(part), "%.*s", length, at);
        rc = planner_named_gpu(p, part, &one, &n, err);
        n = n > 0 ? n : 1;
        if (!rc && (!one->family || one->memory_only || one->host || one->mix))
            rc = gp_fail(err, GP_E_USAGE, "--gpu", "see gpuplan --list gpus",
                         "%s cannot be one of several kinds", part);
        else if (!rc && mix->count > 0 && strcmp(one->vendor, mix->at[0]->vendor) != 0)
            rc = gp_fail(err, GP_E_USAGE, "--gpu", "GPUs of one vendor",
                         "%s and %s do not serve one model together", mix->at[0]->id, part);
        else if (!rc && mix->count + n > GPU_MIX_MAX)
            rc = gp_fail(err, GP_E_USAGE, "--gpu", "", "more than %d unlike GPUs", GPU_MIX_MAX);
        for (int i = 0; i < n && !rc; i++)
            mix->at[mix->count++] = one;
        if (!rc) {
            strbuf_addf(&id, "%s%s:%d", id.len > 0 ? "+" : "", one->id, n);
            strbuf_addf(&name, "%s%s", name.len > 0 ? " + " : "", gpu_short_name(one));
        }
        at += length + (at[length] == '+');
        if (!rc && !*at && at[-1] == '+')
            rc = gp_fail(err, GP_E_USAGE, "--gpu", "rtx-5090+rtx-4090, or rtx-4090:2",
                         "'%.60s' has no GPU behind its last +", text);
    }
    bool alike = !rc && mix->count > 0;
    for (int i = 1; i < mix->count; i++)
        alike &= mix->at[i] == mix->at[0];
    if (alike) { /* several of one kind after all */
        *gpu = mix->at[0];
        *count = mix->count;
    } else if (!rc && id.len >= GPU_ID_MAX) {
        rc = gp_fail(err, GP_E_USAGE, "--gpu", "fewer kinds", "'%.60s' is too long", id.text);
    }
    if (!rc && !alike) {
        p->gpus = gp_grow(p->gpus, &p->gpu_cap, p->gpu_count + 1, sizeof(*p->gpus));
        struct local_gpu *slot = &p->gpus[p->gpu_count++];

        slot->text = gp_strdup(key);
        slot->gpu = gp_malloc(sizeof(*slot->gpu));
        slot->mix = mix;
        gpu_mixed(mix, by_memory, slot->gpu);
        gp_copy(slot->gpu->id, sizeof(slot->gpu->id), id.text);
        gp_copy(slot->gpu->name, sizeof(slot->gpu->name), name.text);
        *gpu = slot->gpu;
        *count = mix->count;
    } else {
        free(mix);
    }
    strbuf_fini(&id);
    strbuf_fini(&name);
    return rc;
}

/* "10de:2684", as lspci -n has it. */
static bool is_pci_id(const char *text)
{
    static const char hex[] = "0123456789abcdefABCDEF";

    return strspn(text, hex) == 4 && text[4] == ':' && strspn(text + 5, hex) == 4 && !text[9];
}

static enum gp_status find_gpu(struct planner *p, const char *text, const struct gpu **gpu,
                               int *count, struct gp_err *err)
{
    char id[128], name[128], as[16];
    struct gpu plain;
    const char *end;
    double memory;
    enum gp_status rc;

    *count = 0;
    /* a plus behind a slash is of a MIG profile: 1g.10gb+me */
    const char *plus = strchr(text, '+'), *slash = strchr(text, '/');
    bool spelt = plus && plus > text && plus[-1] != ' ' && /* Max+ 395, RX 6800 XT Nitro+ */
                 (plus[1] == ' ' || (!plus[1] && strchr(text, ' ')));
    if (plus && !spelt && (!slash || plus < slash))
        return find_mixed(p, text, true, gpu, count, err);
    if (!gp_copy(id, sizeof(id), text))
        return gp_fail(err, GP_E_USAGE, "--gpu", "see gpuplan --list gpus",
                       "'%.40s...' is not a GPU", text);
    bool plain_text = is_pci_id(id) || strchr(id, '['); /* lspci's: no count and no slice */
    rc = plain_text ? GP_OK : take_count(id, count, err);
    if (rc)
        return rc;
    if (*count == 0 && strchr(id, '(') && spelling_count(id, name, sizeof(name), count))
        gp_copy(id, sizeof(id), name); /* H100 (x8): else what stands in brackets says nothing */
    gp_copy(name, sizeof(name), id);
    int times = 0;
    if (*count == 0 && spelling_count(id, name, sizeof(name), &times) && times <= PLAN_MAX_GPUS &&
        plain_gpu(name, &plain)) { /* 2x24GB@1008GB/s */
        gp_copy(id, sizeof(id), name);
        *count = times;
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
        return *count > 1
                   ? gp_fail(err, GP_E_USAGE, "--gpu", "-g cpu", "this machine is one device")
                   : find_made_gpu(p, CPU_ID, gpu, err);
    if (!plain_text && (strpbrk(id, ":/") || plain_gpu(id, &plain)))
        return named_by(find_made_gpu(p, id, gpu, err), "--gpu", err);
    rc = catalog_gpu(p->catalog, id, gpu, err);
    if (rc == GP_E_USAGE && *count == 0 && spelling_count(id, name, sizeof(name), count)) {
        if (*count > PLAN_MAX_GPUS) /* 4090 is no count */
            *count = 0;
        else
            rc = catalog_gpu(p->catalog, name, gpu, err); /* 2x4090 */
        size_t n = strlen(name);
        if (rc == GP_E_USAGE && n > 2 && gp_lower(name[n - 1]) == 's' &&
            isdigit((unsigned char)name[n - 2])) { /* 4 A100s */
            name[n - 1] = '\0';
            rc = catalog_gpu(p->catalog, name, gpu, err);
        }
    }
    if (rc == GP_E_USAGE && *count > 0 && spelling_count(id, name, sizeof(name), &times) &&
        catalog_gpu(p->catalog, name, gpu, NULL) == GP_OK) { /* 2xh100:4 */
        return gp_fail(err, GP_E_USAGE, "--gpu", "leave one of them out", "'%.60s' has two counts",
                       text);
    }
    if (rc == GP_E_USAGE && err && strncmp(err->text, "no GPU", 6) == 0 && *count > 0) {
        gp_format(as, sizeof(as), "*:%d", *count);
        catalog_suggest_gpu(p->catalog, name, as, err->hint, sizeof(err->hint));
    }
    if (rc == GP_E_USAGE && err && parse_gb(id, &memory, &end) && *end == '@')
        gp_copy(err->hint, sizeof(err->hint), "a memory and its bandwidth: 24GB@1008GB/s");
    return named_by(rc, "--gpu", err);
}

enum gp_status planner_named_gpu(struct planner *p, const char *text, const struct gpu **gpu,
                                 int *count, struct gp_err *err)
{
    struct gp_err own = {0};
    char reading[160], hint[160];
    const char *near;
    int many = 0, gb = catalog_vgpu_memory(text);
    enum gp_status rc;

    if (gb > 0) {
        gp_format(hint, sizeof(hint), "-g %dGB plans its memory", gb);
        return gp_fail(err, GP_E_USAGE, "--gpu", hint,
                       "'%.80s' is a vGPU of %d GB, which takes turns with others", text, gb);
    }
    rc = catalog_gpu_is_slice(text)
             ? gp_fail(&own, GP_E_USAGE, "--gpu", "write it as in h100-sxm/3g.40gb",
                       "no GPU '%.80s'", text)
             : find_gpu(p, text, gpu, count, &own);
    if (rc == GP_E_USAGE && !name_counted(text, &many) && !strchr(text, ':') &&
        spelling_count(text, reading, sizeof(reading), &many) && many <= PLAN_MAX_GPUS &&
        planner_named_gpu(p, reading, gpu, count, NULL) == GP_OK) {
        /* 2x DGX H100; HGX H200 8x, of which it has 8; and fans: Ventus 3X */
        size_t all = strlen(text), name = strlen(reading);
        bool before = strchr(text, '(') || (name < all && strcmp(text + all - name, reading) == 0);
        bool its = (*count == many || strcasestr(text, "gpu")) && !before;
        bool fans = *count == 0 && !before;

        *count = its ? many : many * (*count > 0 ? *count : 1);
        if (*count <= PLAN_MAX_GPUS && !fans)
            return GP_OK;
    }
    if (rc == GP_E_USAGE && catalog_gpu_reading(p->catalog, text, reading, sizeof(reading)) &&
        find_gpu(p, reading, gpu, count, NULL) == GP_OK)
        return GP_OK;
    if (rc == GP_E_USAGE && (near = strrchr(text, '[')) != NULL && strchr(near, '/')) {
        gp_copy(own.hint, sizeof(own.hint), "a chip of several cards, name one:");
        for (near++; *near && *near != ']'; near += *near == '/') {
            const struct gpu *one;
            int len = (int)strcspn(near, "]/");

            gp_format(reading, sizeof(reading), "%.*s", len, near);
            near += len;
            if (catalog_gpu(p->catalog, reading, &one, NULL) == GP_OK)
                gp_append(own.hint, sizeof(own.hint), " ", "%s", one->id);
        }
        if (own.hint[strlen(own.hint) - 1] == ':')
            own.hint[0] = '\0';
    }
    if (rc == GP_E_USAGE && (!own.hint[0] || strncmp(own.hint, "--list", 6) == 0)) {
        gp_copy(own.hint, sizeof(own.hint),
                "see gpuplan --list gpus; or -g with its memory and bandwidth: 24GB@1008GB/s");
        if (strncmp(own.text, "no GPU '", 8) == 0 && !strchr(text, '+')) /* whole: EVO-X9 */
            gp_format(own.text, sizeof(own.text), "no GPU '%.80s'", text);
    }
    if (rc == GP_E_USAGE && (near = catalog_near_instance(p->catalog, text)) != NULL)
        gp_format(own.hint, sizeof(own.hint), "did you mean %s?", near);
    if (rc == GP_E_USAGE && strchr(text, ','))
        gp_copy(own.hint, sizeof(own.hint), "each with its own -g: --compare -g h100 -g a100");
    if (rc && err)
        *err = own;
    return rc;
}

static enum gp_status resolve_gpu(struct resolving *r)
{
    struct planner *p = r->planner;
    struct request *q = r->request;
    const struct market *market = &r->out->market;

    r->out->gpu_local = !r->gpu && has_local(p) && strcmp(p->local_text, CPU_ID) != 0;
    r->out->gpu_chosen = !r->gpu && !r->out->gpu_local;
    if (r->out->gpu_chosen)
        return GP_OK;
    enum gp_status rc =
        planner_named_gpu(p, r->gpu ? r->gpu : "local", &q->gpu, &q->gpu_count, r->err);
    if (rc)
        return rc;
    if (q->gpu_count == 0 && gpu_is_alone(q->gpu))
        q->gpu_count = 1;
    if (r->gpu && !q->gpu->mix && strcmp(r->gpu, "local") != 0) {
        size_t n = strlen(q->gpu->id);

        if (strncasecmp(r->gpu, q->gpu->id, n) != 0 || (r->gpu[n] && r->gpu[n] != ':')) {
            struct strbuf others;

            strbuf_init(&others);
            catalog_gpu_namesakes(p->catalog, r->gpu, q->gpu->id, &others);
            gp_format(r->out->gpu_read, sizeof(r->out->gpu_read), "%.80s: %s%s%s", r->gpu,
                      q->gpu->id, others.len > 0 ? "; there is also " : "", others.text);
            strbuf_fini(&others);
        }
        gp_sanitize(r->out->gpu_read);
    }
    if (p->host_of != q->gpu || market_is_narrowed(market)) {
        p->host_gpus = cost_host_gpus(q->gpu, market, &p->host_assumed);
        p->host_of = market_is_narrowed(market) ? NULL : q->gpu;
    }
    q->host_gpus = p->host_gpus;
    q->host_assumed = p->host_assumed;
    q->host_watts = cost_host_watts(q->gpu, market, &q->watts_assumed);
    return calibrate_gpu(&p->calibrations, p->catalog, r->options, r->out, r->err);
}

/* ---- engine and host memory ---- */

/* On its vendor's GPUs, and on one as old as this. */
static bool starts_on(const struct engine *e, const struct gpu *gpu)
{
    return engine_runs_on(e, gpu) &&
           !engine_excludes(e, SUPPORT_ENGINE, "", "", gpu->compute_capability);
}

enum gp_status planner_engine(struct catalog *catalog, struct request *q, struct gp_err *err)
{
    static const char *const names[] = CATALOG_ENGINES_TAKEN;
    enum { NAMES = sizeof(names) / sizeof(names[0]) };
    enum gp_status rc = catalog_engine(catalog, names[0], &q->usual_engine, err);

    q->engine = q->usual_engine;
    /* the first that starts and loads the weights, else the first that starts */
    for (size_t i = 0; i < 2 * NAMES && !rc && q->gpu; i++) {
        const struct engine *e;

        rc = catalog_engine(catalog, names[i % NAMES], &e, err);
        while (e && !(starts_on(e, q->gpu) && (i >= NAMES || reason_loads(q, e))))
            e = catalog_engine_before(catalog, e);
        if (e) {
            q->engine = e;
            break;
        }
    }
    return rc;
}

static enum gp_status resolve_engine(struct resolving *r)
{
    struct request *q = r->request;
    const struct option_value *of = r->options->value; /* three of them are llama.cpp's own words */
    const struct name_reading *read = &r->planner->read;
    bool named = r->named && read->gguf && strcmp(q->precision.weight->id, read->format) == 0;
    bool gguf = q->precision.weight->block > 0 || named || ends_in(r->model, ".gguf") ||
                of[OPT_GPU_LAYERS].given || of[OPT_N_CPU_MOE].given || of[OPT_NO_KV_OFFLOAD].given;
    const char *name = options_word(r->options, OPT_ENGINE, gguf ? CATALOG_ENGINE_GGUF : NULL);
    enum gp_status rc =
        name ? named_by(catalog_engine(r->planner->catalog, name, &q->engine, r->err), "--engine",
                        r->err)
             : planner_engine(r->planner->catalog, q, r->err);

    const char *version = name ? strchr(name, '@') : NULL;
    if (!rc && version)
        q->engine_asked = engine_version(version + 1 + (version[1] == 'v'), ENGINE_LAST_PATCH);
    if (!rc && q->gpu && q->gpu->mix && !q->engine->gguf) /* as many layers on each */
        rc = find_mixed(r->planner, q->gpu->id, false, &q->gpu, &(int){0}, r->err);
    if (!rc && q->gpu && q->gpu->mix && q->engine->budget != BUDGET_ASKED &&
        q->engine->budget != BUDGET_UTILIZATION)
        rc = refuse_for_engine(r, "--gpu", "llama.cpp, Ollama and vLLM",
                               "is not planned on unlike GPUs:");
    if (!rc && q->text_only && !q->engine->language_only)
        rc = refuse_for_engine(r, "--language-model-only", "vllm@0.17 and newer have it",
                               "is not planned for");
    return rc;
}

/* What stays in host memory: layers, experts, bytes of weights, and KV cache. */
static enum gp_status resolve_host(struct resolving *r)
{
    static const struct {
        enum option_id option;
        const char *word; /* of struct engine's offload */
    } kinds[] = {
        {OPT_GPU_LAYERS, "layers"}, {OPT_N_CPU_MOE, "experts"}, {OPT_CPU_OFFLOAD_GB, "bytes"}};
    enum { KINDS = sizeof(kinds) / sizeof(kinds[0]) };
    const struct options *o = r->options;
    struct request *q = r->request;
    const char *kv = q->engine->kv_offload;
    int layers = q->model->layer_count;

    /* the output is the last layer, and the first to be on a GPU */
    if (options_flag(o, OPT_GPU_LAYERS) && !(q->gpu && q->gpu->host))
        q->host_layers = (int)fmax(layers + 1 - o->value[OPT_GPU_LAYERS].number, 0);
    q->host_experts = (int)fmin(options_or(o, OPT_N_CPU_MOE, 0), layers);
    q->host_told = o->value[OPT_GPU_LAYERS].given || o->value[OPT_N_CPU_MOE].given;
    q->host_bytes = options_or(o, OPT_CPU_OFFLOAD_GB, 0) * GP_GIB;
    const double asked[KINDS] = {q->host_layers, q->host_experts, q->host_bytes};
    for (int i = 0; i < KINDS; i++) {
        char where[48], hint[160] = "";

        if (asked[i] <= 0 || engine_lists(q->engine->offload, kinds[i].word))
            continue;
        gp_format(where, sizeof(where), "--%s", option_rows[kinds[i].option].name);
        for (int j = 0; j < KINDS; j++)
            if (engine_lists(q->engine->offload, kinds[j].word))
                gp_append(hint, sizeof(hint), " or ", "%s--%s", hint[0] ? "" : "it has ",
                          option_rows[kinds[j].option].name);
        return gp_fail(r->err, GP_E_USAGE, where, hint, "is not planned for %s", q->engine->name);
    }
    if (q->host_experts > 0 && model_experts(q->model) == 0)
        return gp_fail(r->err, GP_E_USAGE, "--n-cpu-moe",
                       "--gpu-layers leaves whole layers in host memory",
                       "%s has no routed experts", q->model->name);
    q->host_kv = options_or(o, OPT_KV_OFFLOAD_GB, 0) * engine_kv_unit(q->engine);
    q->kv_on_host = options_flag(o, OPT_NO_KV_OFFLOAD);
    q->eager = options_flag(o, OPT_ENFORCE_EAGER);
    if (q->eager && !engine_has_eager(q->engine))
        return refuse_for_engine(r, "--enforce-eager", "", "has no such option");
    q->policy = (enum policy)options_choice(o, OPT_SCHEDULING_POLICY);
    if (q->policy && q->engine->priority == PRIORITY_NONE)
        return refuse_for_engine(r, "--scheduling-policy", "SGLang, and vLLM from 0.11 on",
                                 "no request goes before others in");
    bool all = strcmp(kv, "all") == 0;
    if (q->host_kv > 0 && (all || !kv[0]))
        return refuse_for_engine(r, "--kv-offload-gb", all ? "it has --no-kv-offload" : "",
                                 "is not planned for");
    if (q->kv_on_host && !all)
        return refuse_for_engine(r, "--no-kv-offload", kv[0] ? "it has --kv-offload-gb" : "",
                                 "is not planned for");
    return GP_OK;
}

/* "ddr5-5600x2", "12xddr5-4800", "60GB/s": bytes/s. Eight bytes at a time of each channel. */
static bool parse_host_memory(const char *text, struct quantity *out)
{
    double channels = 2, rate;
    const char *end, *at = text;
    char tail[8] = "";
    int type, used = 0;

    if (parse_gb(text, &rate, &end) && strcasecmp(end, "/s") == 0) {
        *out = quantity_of(rate, ORIGIN_ASSUMED);
        return true;
    }
    if (sscanf(at, "%lf%1[xX]%n", &channels, tail, &used) == 2)
        at += used;
    if (strncasecmp(at, "lp", 2) == 0)
        at += 2;
    if (sscanf(at, "%*1[dD]%*1[dD]%*1[rR]%1d%n", &type, &used) != 1)
        return false;
    at += used + (at[used] == 'x' || at[used] == 'X');
    used = 0;
    if (sscanf(at, "-%lf%n", &rate, &used) != 1)
        return false;
    at += used;
    if (*at && (tail[0] || sscanf(at, "%*1[xX]%lf%n", &channels, &used) != 1 || at[used]))
        return false;
    *out = quantity_of(channels * rate * 8e6, ORIGIN_SHEET);
    return channels >= 1 && channels <= 64 && rate >= 800 && rate <= 20000;
}

/* Memory and processors of the host, where something may stay there. */
static enum gp_status resolve_host_memory(struct resolving *r)
{
    const char *text = options_word(r->options, OPT_HOST_MEMORY, "");
    struct request *q = r->request;
    struct host *h = &q->host;
    const struct gpu *cpu;
    struct cpu_host here;
    bool keeps = q->engine->offload[0] || q->engine->kv_offload[0];

    if (text[0] && !q->gpu)
        return gp_fail(r->err, GP_E_USAGE, "--host-memory", "name it by --gpu",
                       "no GPU is named whose host has it");
    if (text[0] && q->gpu->host)
        return gp_fail(r->err, GP_E_USAGE, "--host-memory", "leave it",
                       "the processors' own memory is read, or measured by --bench");
    if (text[0] && !keeps)
        return refuse_for_engine(r, "--host-memory", "", "is of no use to");
    if (q->gpu && q->gpu->host)
        return GP_OK;
    if (q->gpu) /* whatever this engine keeps there: Compare asks others, too */
        host_guess(q->gpu, h);
    enum gp_status rc = catalog_family(r->planner->catalog, CPU_ID, &h->family, r->err);
    if (!rc && r->out->gpu_local && !find_made_gpu(r->planner, CPU_ID, &cpu, r->err)) {
        /* this machine's, as it was measured or is read */
        struct resolved *own = gp_calloc(1, sizeof(*own));

        own->request.gpu = cpu;
        rc = calibrate_gpu(&r->planner->calibrations, r->planner->catalog, r->options, own, r->err);
        if (!h->unified)
            h->bandwidth = own->request.gpu->bandwidth;
        cpu_host_read(&here);
        h->cores = here.cores;
        free(own);
    }
    if (!rc && text[0] && !parse_host_memory(text, &h->bandwidth))
        rc = gp_fail(r->err, GP_E_USAGE, "--host-memory",
                     "ddr5-5600x2, ddr4-3200x4: type, MT/s and channels of a socket; or 60GB/s",
                     "'%s' is no memory", text);
    h->told = text[0] != '\0';
    gp_copy(r->out->host_memory, sizeof(r->out->host_memory), text);
    gp_sanitize(r->out->host_memory);
    h->cores = options_or(r->options, OPT_HOST_THREADS, h->cores);
    h->told_cores = r->options->value[OPT_HOST_THREADS].given;
    return rc;
}

/* ---- drafts and adapters ---- */

/* The model's own layers, as a model that is kept under a name of its own. */
static enum gp_status find_mtp(struct resolving *r)
{
    struct request *q = r->request;
    struct model mtp;

    if (draft_mtp(q->model, &mtp) == 0)
        return gp_fail(r->err, GP_E_USAGE, "--draft", "name a model, such as --draft qwen3-0.6b",
                       "%s has no multi-token-prediction layers", q->model->name);
    gp_format(mtp.name, sizeof(mtp.name), "MTP of %.80s", q->model->name);
    q->draft = keep_variant(r, " --draft mtp", &mtp);
    return GP_OK;
}

/* An EAGLE-3 head or DFlash's layers: by their config.json where it is here, else as such ones
 * of this model usually are. Their weights are in 16 bit. */
static enum gp_status find_head(struct resolving *r, const char *checkpoint)
{
    struct request *q = r->request;
    const struct draft_facts *facts = &draft_facts[q->draft_kind];
    const struct format *format = q->engine->gguf ? q->precision.weight : NULL;
    struct draft_head told = {0};
    struct hub_model hub;
    bool file = is_path(checkpoint) && !ends_in(checkpoint, ".gguf");
    const char *path = file                                                ? checkpoint
                       : checkpoint[0] && hub_cache_find(checkpoint, &hub) ? hub.path
                                                                           : NULL;
    enum gp_status rc = path ? drafthead_read(path, &told, r->err) : GP_OK;
    struct model head;
    char key[288];

    if (rc)
        return rc;
    draft_shape(q->model, q->draft_kind, &told, &head);
    gp_format(head.name, sizeof(head.name), "%s for %.80s", facts->word, q->model->name);
    gp_format(key, sizeof(key), " --draft %s:%.200s", facts->word, checkpoint);
    q->draft = keep_variant(r, key, &head);
    return planner_precision(r->planner, q->draft, format, &q->draft_precision, r->err);
}

static enum gp_status find_draft(struct resolving *r, const char *text)
{
    struct request *q = r->request;
    const struct format *format = q->engine->gguf ? q->precision.weight : NULL;
    bool generic, named;
    enum gp_status rc = find_model(r->planner, text, &q->draft, &generic, &named, r->err);

    if (rc && r->err && strcmp(r->err->where, "--model") == 0)
        gp_copy(r->err->where, sizeof(r->err->where), "--draft");
    if (!rc && (q->draft->weights_only || q->draft->vocab == 0))
        rc = gp_fail(r->err, GP_E_USAGE, "--draft", "", "%s writes no text", q->draft->name);
    /* a draft that is only a size has the words of the model that it drafts for */
    if (!rc && is_size(text) && q->draft->vocab != q->model->vocab) {
        struct model draft = *q->draft;
        char key[288];

        draft.vocab = q->model->vocab;
        gp_format(key, sizeof(key), "%.120s --draft %.120s", q->model->id, text);
        q->draft = keep_model(r->planner, key, true, &draft);
    }
    return rc ? rc : planner_precision(r->planner, q->draft, format, &q->draft_precision, r->err);
}

/* "it has --draft MODEL, mtp, eagle3"; or that it has none. */
static const char *draft_offers(const struct engine *e, char out[160])
{
    gp_copy(out, 160, e->draft[0] ? "" : "no draft is; --engine " CATALOG_ENGINE " has them");
    for (int k = DRAFT_MODEL; k < DRAFT_KIND_COUNT; k++)
        if (engine_lists(e->draft, draft_facts[k].word))
            gp_append(out, 160, ", ", "%s%s", out[0] ? "" : "it has --draft ",
                      k == DRAFT_MODEL ? "MODEL" : draft_facts[k].word);
    return out;
}

/* "0.645": accepted over drafted; "0.8,0.6,0.4": of each position, as engines print them. */
static enum gp_status read_acceptance(struct resolving *r, const char *text, double *share)
{
    struct request *q = r->request;
    char *end;

    for (int n = 0;; n++) {
        double value = strtod(text, &end);

        if (end == text || (*end && *end != ',') || !(value > 0) || value > 1)
            return gp_fail(r->err, GP_E_USAGE, "--acceptance",
                           "accepted over drafted tokens, as engines print it: 0.645; of each "
                           "position: 0.8,0.6,0.4",
                           "%.*s is no share above 0 and up to 1", (int)strcspn(text, ","), text);
        if (n == DRAFT_LISTED_MAX || (q->draft_tokens > 0 && n >= q->draft_tokens))
            return gp_fail(r->err, GP_E_USAGE, "--acceptance", "one for each drafted token",
                           "more positions than the %d tokens that are drafted",
                           n == DRAFT_LISTED_MAX ? DRAFT_LISTED_MAX : q->draft_tokens);
        if (n > 0 && value > q->accept_at[n - 1])
            return gp_fail(r->err, GP_E_USAGE, "--acceptance",
                           "a token is accepted only behind accepted ones",
                           "position %d has %g, more than the %g before it", n + 1, value,
                           q->accept_at[n - 1]);
        q->accept_at[n] = value;
        if (*end == '\0') {
            *share = value;
            q->accept_listed = n > 0 ? n + 1 : 0;
            return GP_OK;
        }
        text = end + 1;
    }
}

#define LENGTHS_AGREE 0.02 /* of two that were told: engines print two digits */

static enum gp_status resolve_acceptance(struct resolving *r)
{
    const char *text = options_word(r->options, OPT_ACCEPTANCE, "");
    struct request *q = r->request;
    double told = options_or(r->options, OPT_ACCEPTANCE_LENGTH, 0), share = 0;
    enum gp_status rc = text[0] ? read_acceptance(r, text, &share) : GP_OK;

    if (rc)
        return rc;
    if (q->draft_tokens == 0)
        q->draft_tokens = q->accept_listed;
    if (q->draft_tokens == 0 && draft_facts[q->draft_kind].tokens == 0)
        q->draft_tokens = q->draft ? q->draft->layer_count : 0;
    if (q->draft_tokens == 0)
        q->draft_tokens = draft_facts[q->draft_kind].tokens;
    double k = q->draft_tokens;
    q->accept_length = share > 0 ? 1 + k * share : told;
    if (q->accept_listed > 0)
        q->accept_length = draft_length(q, q->draft_tokens);
    if (told > k + 1)
        return gp_fail(r->err, GP_E_USAGE, "--acceptance-length",
                       "tokens that a step yields, the model's own among them; "
                       "--speculative-tokens says how many are drafted",
                       "%g is more than the %g that %g drafted tokens can yield", told, k + 1, k);
    if (told > 0 && fabs(told - q->accept_length) > LENGTHS_AGREE * told)
        return gp_fail(r->err, GP_E_USAGE, "--acceptance-length", "give one of the two",
                       "%g tokens a step are not the %.3g of --acceptance %s", told,
                       q->accept_length, text);
    return GP_OK;
}

static enum gp_status resolve_draft(struct resolving *r)
{
    const char *text = options_word(r->options, OPT_DRAFT, ""), *checkpoint;
    struct request *q = r->request;
    const char *orphan = options_word(r->options, OPT_ACCEPTANCE, "")[0] ? "--acceptance"
                         : options_or(r->options, OPT_ACCEPTANCE_LENGTH, 0) > 0
                             ? "--acceptance-length"
                             : NULL;
    char offers[160], what[80];
    enum gp_status rc = GP_OK;

    if (strcmp(text, "none") == 0)
        return GP_OK;
    q->draft_tokens = (int)options_or(r->options, OPT_SPECULATIVE_TOKENS, 0);
    if (!text[0] && orphan)
        return gp_fail(r->err, GP_E_USAGE, orphan, "--draft mtp, or --draft MODEL",
                       "no draft model is given");
    if (!text[0])
        return GP_OK;
    if (q->model->weights_only)
        return gp_fail(r->err, GP_E_USAGE, "--draft", "", "%s writes no text", q->model->name);
    q->draft_kind = draft_kind_of(text, &checkpoint);
    const struct draft_facts *facts = &draft_facts[q->draft_kind];
    if (checkpoint[0] && (q->draft_kind == DRAFT_MTP || q->draft_kind == DRAFT_NGRAM))
        return gp_fail(r->err, GP_E_USAGE, "--draft", "eagle3 and dflash have one",
                       "%s have no checkpoint of their own, such as '%.80s'", facts->name,
                       checkpoint);
    if (!engine_lists(q->engine->draft, facts->word)) {
        bool one = q->draft_kind == DRAFT_MODEL || q->draft_kind == DRAFT_EAGLE3;

        gp_format(what, sizeof(what), "%s %s not planned for",
                  q->draft_kind == DRAFT_MODEL    ? "a draft model"
                  : q->draft_kind == DRAFT_EAGLE3 ? "an EAGLE-3 head"
                                                  : facts->name,
                  one ? "is" : "are");
        return refuse_for_engine(r, "--draft", draft_offers(q->engine, offers), what);
    }
    gp_format(r->out->draft, sizeof(r->out->draft), "%s%s%s", facts->word, checkpoint[0] ? ":" : "",
              checkpoint);
    if (q->draft_kind == DRAFT_MODEL)
        rc = find_draft(r, text);
    else if (q->draft_kind == DRAFT_MTP)
        rc = find_mtp(r);
    else if (q->draft_kind != DRAFT_NGRAM)
        rc = find_head(r, checkpoint);
    bool steps = !facts->at_once && q->draft_kind != DRAFT_NGRAM; /* what the default counts */
    if (!rc && q->draft_tokens == 0 &&
        strchr(options_word(r->options, OPT_ACCEPTANCE, ""), ',') == NULL && steps)
        q->draft_tokens = q->engine->draft_tokens;
    return rc ? rc : resolve_acceptance(r);
}

/* "4", "4:32". */
static enum gp_status resolve_lora(struct resolving *r)
{
    const char *text = options_word(r->options, OPT_LORA, "none");
    const char *colon = strchr(text, ':');
    struct request *q = r->request;
    const char *ranks = q->engine->lora_ranks;
    char slots[16], rank_word[16];
    double n, rank = 16;

    if (strcmp(text, "none") == 0)
        return GP_OK;
    gp_format(slots, sizeof(slots), "%.*s", (int)fmin(strcspn(text, ":"), 15), text);
    if (units_parse_number(slots, "", &n, NULL) || n != floor(n) || n < 1 || n > 1024 ||
        (colon && (units_parse_number(colon + 1, "", &rank, NULL) || rank != floor(rank) ||
                   rank < 1 || rank > 4096)))
        return gp_fail(r->err, GP_E_USAGE, "--lora",
                       "1 to 1024 adapters of rank 1 to 4096, as in 4 or 4:32",
                       "'%s' is not a number of adapters and a rank", text);
    if (!q->engine->lora)
        return refuse_for_engine(r, "--lora", "", "is not planned for");
    q->lora_slots = (int)n;
    q->lora_rank = (int)rank;
    gp_format(rank_word, sizeof(rank_word), "%d", q->lora_rank);
    if (ranks[0] && !engine_lists(ranks, rank_word))
        return gp_fail(r->err, GP_E_USAGE, "--lora", ranks, "%s %s does not take a LoRA rank of %s",
                       q->engine->name, q->engine->range, rank_word);
    return GP_OK;
}

/* ---- load ---- */

/* Lengths from a log of requests; where neither users nor a rate is given, the rate of its
 * busiest minute: what is planned must hold then. The context defaults to its longest request,
 * where the model takes that. */
static enum gp_status resolve_trace(struct resolving *r, const char *path)
{
    static const enum option_id told[] = {OPT_PROMPT, OPT_OUTPUT, OPT_PROMPT_STDDEV,
                                          OPT_OUTPUT_STDDEV};
    const struct options *o = r->options;
    struct planner *p = r->planner;
    struct request *q = r->request;
    double most = q->model->max_context;

    for (size_t i = 0; i < sizeof(told) / sizeof(told[0]); i++)
        if (o->value[told[i]].given) {
            char where[80];

            gp_format(where, sizeof(where), "--%s", option_rows[told[i]].name);
            return gp_fail(r->err, GP_E_USAGE, where, "leave one of them out",
                           "the lengths are those of --trace");
        }
    if (!p->trace_path || strcmp(p->trace_path, path) != 0) { /* --batch names it in each line */
        free(p->trace_path);
        p->trace_path = NULL;
        trace_fini(&p->trace);
        if (trace_read(path, &p->trace, r->err))
            return r->err->code;
        p->trace_path = gp_strdup(path);
    }
    const struct trace *t = &p->trace;
    double longest = fmax(request_usual_context(q), t->longest);
    q->context = options_or(o, OPT_CONTEXT, most > 0 ? fmin(longest, most) : longest);
    if (!trace_lengths(t, q->context, &q->prompt, &q->output, &q->spread))
        return gp_fail(r->err, GP_E_USAGE, "--context", "raise --context",
                       "no request of the trace is as short as %.0f tokens", q->context);
    if (!o->value[OPT_USERS].given && !o->value[OPT_RATE].given && t->busiest > 0)
        q->rate = t->busiest;
    else if (!o->value[OPT_USERS].given && !o->value[OPT_RATE].given && t->asked > 0)
        q->rate = t->asked;
    else if (!o->value[OPT_USERS].given && !o->value[OPT_RATE].given && t->users > 0)
        q->users = t->users;
    gp_copy(r->out->trace, sizeof(r->out->trace), path);
    gp_sanitize(r->out->trace);
    r->out->trace_requests = (double)t->count;
    r->out->trace_rate = t->rate;
    r->out->trace_busiest = t->busiest;
    return GP_OK;
}

static enum gp_status read_spread(const struct resolving *r, enum option_id id, double mean,
                                  double *stddev)
{
    char where[80];

    *stddev = options_or(r->options, id, 0);
    if (*stddev <= SPREAD_MOST * mean)
        return GP_OK;
    gp_format(where, sizeof(where), "--%s", option_rows[id].name);
    return gp_fail(r->err, GP_E_USAGE, where, "give lengths this uneven as a --trace",
                   "%.0f is more than %.0f times the mean of %.0f tokens", *stddev, SPREAD_MOST,
                   mean);
}

/* How many requests of what length. */
static enum gp_status resolve_lengths(struct resolving *r)
{
    const struct options *o = r->options;
    const char *trace = options_word(o, OPT_TRACE, "");
    bool given = o->value[OPT_PROMPT].given || o->value[OPT_OUTPUT].given;
    struct request *q = r->request;
    double prompt, output; /* standard deviations */

    q->context_auto = !o->value[OPT_CONTEXT].given;
    q->users = options_or(o, OPT_USERS, 1);
    q->rate = options_or(o, OPT_RATE, 0);
    r->out->load_default = !o->value[OPT_USERS].given && !o->value[OPT_RATE].given && !trace[0];
    if (o->value[OPT_RATE].given && o->value[OPT_USERS].given)
        return gp_fail(r->err, GP_E_USAGE, "--rate", "give one of them",
                       "--users and --rate both say how many requests there are");
    if (trace[0])
        return resolve_trace(r, trace);
    q->prompt = options_or(o, OPT_PROMPT, 0);
    q->output = options_or(o, OPT_OUTPUT, 0);
    q->prompt_auto = q->prompt <= 0;
    q->output_auto = q->output <= 0;
    bool room = request_take_context(q, options_or(o, OPT_CONTEXT, request_usual_context(q)), NULL);
    if (read_spread(r, OPT_PROMPT_STDDEV, q->prompt, &prompt) ||
        read_spread(r, OPT_OUTPUT_STDDEV, q->output, &output))
        return r->err->code;
    q->spread = spread_of(q->prompt, prompt, q->output, output, q->context);
    if (given && !room) /* of what was typed, not of what would have been taken beside it */
        return gp_fail(
            r->err, GP_E_USAGE, o->value[OPT_PROMPT].given ? "--prompt" : "--output-tokens",
            "raise --context", "%s%.0f tokens%s exceed the context of %.0f",
            o->value[OPT_PROMPT].given && o->value[OPT_OUTPUT].given ? "prompt and output of " : "",
            (o->value[OPT_PROMPT].given ? q->prompt : 0) +
                (o->value[OPT_OUTPUT].given ? q->output : 0),
            o->value[OPT_PROMPT].given && !o->value[OPT_OUTPUT].given
                ? " and at least one of output"
                : "",
            q->context);
    return GP_OK;
}

/* "3" or "3xTP2", up to `end`. tp: 0 where it is not told. */
static bool parse_side(const char *text, const char *end, int *replicas, int *tp)
{
    int used = 0, more = 0;

    *tp = 0;
    if (sscanf(text, "%4d%n", replicas, &used) != 1 || *replicas < 1)
        return false;
    if (text + used == end)
        return true;
    return sscanf(text + used, "x%*1[Tt]%*1[Pp]%4d%n", tp, &more) == 1 && *tp > 0 &&
           text + used + more == end;
}

/* Prompts worked off apart: "1:3", "2xTP1:1xTP4", "auto", "none"; and --tp. */
static enum gp_status resolve_split(struct resolving *r)
{
    const char *text = options_word(r->options, OPT_DISAGGREGATE, "none");
    const char *colon = strchr(text, ':');
    struct request *q = r->request;
    int tp = 0; /* of the replicas that decode; 0 = not told */

    q->split = strcmp(text, "none") != 0;
    if (q->split && strcmp(text, "auto") != 0 &&
        !(colon && parse_side(text, colon, &q->prefill, &q->prefill_tp) &&
          parse_side(colon + 1, text + strlen(text), &q->decode, &tp) &&
          q->prefill + q->decode <= PLAN_MAX_GPUS))
        return gp_fail(r->err, GP_E_USAGE, "--disaggregate",
                       "replicas for prompts and for decoding, as in 1:3 or 2xTP1:1xTP4, or auto",
                       "'%s' is not two numbers of replicas", text);
    if (q->split && !q->engine->disaggregation[0])
        return gp_fail(r->err, GP_E_USAGE, "--disaggregate", "vllm, sglang and tensorrt-llm do",
                       "%s %s has no such mode", q->engine->name, q->engine->range);
    q->tp = (int)options_or(r->options, OPT_TP, 0);
    if (!r->options->value[OPT_TP].given && tp > 0)
        q->tp = tp;
    if (q->prefill_tp == 0)
        q->prefill_tp = tp;
    return GP_OK;
}

/* "0.60:2.40", dollars per million tokens of prompts and of answers. */
static enum gp_status resolve_api(struct resolving *r)
{
    const char *text = options_word(r->options, OPT_API_PRICE, "");
    struct request *q = r->request;
    char *end;

    q->api_in = strtod(text, &end);
    bool valid = end > text && *end == ':';
    const char *out = valid ? end + 1 : text;
    q->api_out = strtod(out, &end);
    valid = valid && end > out && *end == '\0' && q->api_in >= 0 && q->api_in <= 1e6 &&
            q->api_out > 0 && q->api_out <= 1e6;
    if (text[0] && !valid)
        return gp_fail(r->err, GP_E_USAGE, "--api-price", "write IN:OUT, as in 0.60:2.40",
                       "'%s' is not two prices per million tokens", text);
    return GP_OK;
}

static const struct {
    enum option_id id;
    enum late late;
} late_goals[] = {
    {OPT_TTFT_P95, LATE_TTFT_P95}, {OPT_TTFT_P99, LATE_TTFT_P99}, {OPT_TPOT_P95, LATE_TPOT_P95},
    {OPT_TPOT_P99, LATE_TPOT_P99}, {OPT_E2E_P95, LATE_E2E_P95},   {OPT_E2E_P99, LATE_E2E_P99},
};

/* What is a number and nothing else: goals, the layout, the engine's knobs. */
static enum gp_status resolve_numbers(struct resolving *r)
{
    const struct options *o = r->options;
    struct request *q = r->request;

    q->prefix_hit = options_or(o, OPT_PREFIX_HIT, 0);
    q->ttft = options_or(o, OPT_TTFT, 0) / 1e3;
    q->tpot = options_or(o, OPT_TPOT, 0) / 1e3;
    q->throughput = options_or(o, OPT_THROUGHPUT, 0);
    for (size_t i = 0; i < sizeof(late_goals) / sizeof(late_goals[0]); i++)
        q->late[late_goals[i].late] = options_or(o, late_goals[i].id, 0) / 1e3;
    q->budget = options_or(o, OPT_BUDGET, 0);
    /* as many requests as it takes, if nobody says how many there are */
    if (q->throughput > 0 && q->rate <= 0 && !o->value[OPT_USERS].given)
        q->rate = q->throughput / q->output;
    if (late_asked(q) && q->rate <= 0)
        return gp_fail(r->err, GP_E_USAGE, "--rate",
                       "--rate N, in requests per second; --replay also takes --users",
                       "a goal of a percentile needs a rate at which requests arrive");
    q->power_cap = options_or(o, OPT_POWER_CAP, 0);
    q->pp = (int)options_or(o, OPT_PP, 0);
    q->max_pp = (int)options_or(o, OPT_MAX_PP, SEARCH_MAX_PP);
    q->ep = (int)options_or(o, OPT_EP, 0);
    q->dp = (int)options_or(o, OPT_DP, 0);
    q->replicas = (int)options_or(o, OPT_REPLICAS, 0);
    if (q->dp > 1 && q->tp > 0 && q->ep > 0 &&
        layout_ways(&(struct layout){.tp = q->tp, .pp = 1, .ep = q->ep}) != q->dp) {
        char hint[80];

        gp_format(hint, sizeof(hint), "--ep %d, or leave it out; whole copies are --replicas",
                  q->tp * q->dp);
        return gp_fail(r->err, GP_E_USAGE, "--ep", hint,
                       "%d copies of the attention by --tp %d share their experts, not %d GPUs",
                       q->dp, q->tp, q->ep);
    }
    if (q->gpu && q->gpu->mix) {
        if (q->tp > 1 || q->ep > 1 || q->dp > 1 || q->replicas > 1 ||
            (q->pp > 0 && q->pp != q->gpu_count))
            return gp_fail(r->err, GP_E_USAGE, "--gpu",
                           "leave --tp, --pp, --ep, --dp and --replicas out",
                           "unlike GPUs are one pipeline of %d stages", q->gpu_count);
        q->tp = q->replicas = 1;
        q->pp = q->max_pp = q->gpu_count;
    }
    q->max_num_seqs = options_or(o, OPT_MAX_NUM_SEQS, 0);
    q->max_batched_tokens = options_or(o, OPT_MAX_BATCHED_TOKENS, 0);
    q->utilization = options_or(o, OPT_MEMORY_UTILIZATION, 0);
    q->headroom = options_or(o, OPT_HEADROOM, 0);
    q->options_fixed = o->running;
    q->reserve = options_choice(o, OPT_RESERVE) == 1 ? RESERVE_FULL : RESERVE_LOAD;
    q->goals = options_choice(o, OPT_GOALS) == 1 ? GOALS_SURE : GOALS_LIKELY;
    q->used = options_or(o, OPT_USED, 0);
    if (q->dp > 1 && model_experts(q->model) == 0)
        return gp_fail(r->err, GP_E_USAGE, "--dp", "use --replicas",
                       "%s has no experts that copies could share", q->model->id);
    return GP_OK;
}

/* Of several models, precisions and GPUs to compare, the first of each was measured. */
static enum gp_status resolve_measured(struct resolving *r)
{
    const struct options *o = r->options;
    const char *list = options_word(o, OPT_CALIBRATION, "none");
    bool native = r->request->precision.native;

    if (strcmp(list, "none") == 0)
        return GP_OK;
    if (o->gpu_count == 0 || strcmp(o->gpus[0], "all") == 0)
        return gp_fail(r->err, GP_E_USAGE, "--calibration",
                       "--gpu NAME, the one that was measured, first", "no GPU is named");
    if ((o->model_count > 0 && strcmp(r->model, o->models[0]) != 0) ||
        strcmp(r->gpu, o->gpus[0]) != 0 ||
        (o->precision_count > 0 ? strcmp(r->precision, o->precisions[0]) != 0 : !native))
        return GP_OK;
    return calibrate_request(r->planner, &r->planner->calibrations, list, r->out, r->err);
}

static enum gp_status (*const resolve_steps[])(struct resolving *) = {
    resolve_model, resolve_prune,   resolve_vision,   resolve_weights, resolve_market,
    resolve_gpu,   resolve_engine,  resolve_kv,       resolve_host,    resolve_host_memory,
    resolve_draft, resolve_lora,    resolve_lengths,  resolve_yarn,    resolve_split,
    resolve_api,   resolve_numbers, resolve_measured,
};

enum gp_status planner_resolve(struct planner *p, const struct options *options, const char *model,
                               const char *precision, const char *gpu, struct resolved *out,
                               struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    memset(out, 0, sizeof(*out));
    if (!model && options->model_count == 0)
        return gp_fail(err, GP_E_USAGE, "--model", "see gpuplan --list models", "no model given");
    struct resolving r = {
        .planner = p,
        .options = options,
        .model = model ? model : options->models[0],
        .precision =
            precision || options->precision_count == 0 ? precision : options->precisions[0],
        .gpu = gpu || options->gpu_count == 0 ? gpu : options->gpus[0],
        .out = out,
        .request = &out->request,
        .err = err,
    };

    out->request.data_date = catalog_data_date(planner_catalog(p));
    for (size_t i = 0; i < sizeof(resolve_steps) / sizeof(resolve_steps[0]) && !rc; i++)
        rc = resolve_steps[i](&r);
    return rc;
}
