/*
 * launch.c - launch_make() of launch.h: what a plan sets, and where its groups run.
 */
#include "answer/launch.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "base/path.h"
#include "base/units.h"
#include "model/read/checkpoint.h"
#include "plan/layout.h"
#include "plan/memory.h"

/* What a plan sets, as it is gathered. */
struct making {
    struct planner *planner;
    const struct options *options;
    const struct answer *answer;
    const struct request *request;
    const struct layout *layout;
    const struct memory *memory;
    struct launch *out;
};

static bool has_setting(const struct making *m, enum launch_setting setting)
{
    return launch_flag_of(m->out->table, m->out->version, setting) != NULL;
}

static void set_if(const struct making *m, bool wanted, enum launch_setting setting, double number)
{
    if (wanted)
        launch_set_number(&m->out->values, setting, number);
}

/* A default: said where the engine has an option for it. */
static void set_known(const struct making *m, bool asked, enum launch_setting setting,
                      double number)
{
    set_if(m, asked || has_setting(m, setting), setting, number);
}

/* ---- the version ---- */

/* The version asked for, else the newest of the range that was checked. */
static void find_version(const struct options *options, const struct engine *e, struct launch *out)
{
    const char *asked = strchr(options_word(options, OPT_ENGINE, ""), '@');
    bool open = e->until == LONG_MAX;
    const char *text = asked && engine_version(asked + 1, 0) >= 0 ? asked + 1 : e->checked;

    out->version = engine_version(text, 0);
    gp_copy(out->version_text, sizeof(out->version_text), text);
    if (!asked && !open) {
        out->version = e->until;
        gp_format(out->version_text, sizeof(out->version_text), "%ld.%ld", e->until / 100000000,
                  e->until / 10000 % 10000);
    }
    if (out->version < 0)
        out->version = 0;
}

/* ---- the model ---- */

/* The first alias that is a repository; "" when there is none. */
static void model_repository(struct catalog *catalog, const char *id, char *text, size_t size)
{
    const char *alias = catalog_aliases(catalog, id);

    text[0] = '\0';
    while (*alias) {
        size_t len = strcspn(alias, "|");

        if (memchr(alias, '/', len) && len < size) {
            gp_format(text, size, "%.*s", (int)len, alias);
            return;
        }
        alias += len + (alias[len] == '|');
    }
}

static bool is_repository(const char *text)
{
    return strchr(text, '/') && text[0] != '/' && text[0] != '.' && !path_is_there(text);
}

/* Does the published checkpoint serve this precision, as it is or made from it? */
static bool is_published(const struct making *m)
{
    const struct request *q = m->request;
    struct precision native;

    if (q->precision.native)
        return true;
    if (planner_precision(m->planner, q->model, NULL, &native, NULL) || native.weight->bits < 16)
        return false;
    return launch_word_of(m->out->table, m->out->version, LAUNCH_DTYPE, q->precision.id) ||
           launch_word_of(m->out->table, m->out->version, LAUNCH_QUANTIZATION, q->precision.id);
}

/* The text of a model for the command line; false when it is a placeholder. */
static bool model_word(const struct making *m, const char *asked, const struct model *model,
                       const struct precision *p, bool whole, char text[LAUNCH_TEXT_MAX])
{
    char repo[160];

    model_repository(planner_catalog(m->planner), model->id, repo, sizeof(repo));
    if (whole && p->native && checkpoint_is_path(asked) && path_is_there(asked))
        return gp_copy(text, LAUNCH_TEXT_MAX, asked);
    if (whole && !m->request->engine->gguf && (repo[0] || is_repository(asked)))
        return gp_copy(text, LAUNCH_TEXT_MAX, is_repository(asked) ? asked : repo);
    gp_format(text, LAUNCH_TEXT_MAX, "./%s-%s%s", model->id, p->id,
              m->request->engine->gguf ? ".gguf" : "");
    return false;
}

static void set_model(const struct making *m)
{
    const struct request *q = m->request;
    const struct resolved *r = &m->answer->resolved;
    struct launch_values *v = &m->out->values;
    bool whole = is_published(m) && !r->prune[0] && q->prune == PRUNE_NONE;
    char text[LAUNCH_TEXT_MAX];

    m->out->checkpoint = !model_word(m, r->model_text, q->model, &q->precision, whole, text);
    launch_set_text(v, LAUNCH_MODEL, text);
    bool kept = q->precision.native && strcmp(q->precision.id, "fp32") != 0;
    if (kept || m->out->checkpoint) /* "auto" makes 16 bit of FP32 */
        return;
    for (int s = LAUNCH_DTYPE; s <= LAUNCH_QUANTIZATION; s++)
        if (launch_word_of(m->out->table, m->out->version, (enum launch_setting)s, q->precision.id))
            launch_set_text(v, (enum launch_setting)s, q->precision.id);
}

static void set_draft(const struct making *m)
{
    const struct request *q = m->request;
    struct launch_values *v = &m->out->values;
    const struct precision *p = q->draft_mtp ? &q->precision : &q->draft_precision;
    char text[LAUNCH_TEXT_MAX];

    if (q->draft_tokens > 0 && q->draft)
        launch_set_number(v, LAUNCH_DRAFT_TOKENS, q->draft_tokens);
    if (q->draft_mtp)
        launch_set_number(v, LAUNCH_DRAFT_MTP, 1);
    if (!q->draft || q->draft_mtp)
        return;
    m->out->draft_file =
        !model_word(m, options_word(m->options, OPT_DRAFT, ""), q->draft, p, p->native, text);
    launch_set_text(v, LAUNCH_DRAFT, text);
}

/* What "auto" is, as the planner resolves it. */
static void set_kv(const struct making *m)
{
    const struct request *q = m->request;
    const char *own =
        q->model->native_kv[0] && q->precision.native ? q->model->native_kv : q->precision.base->id;

    if (q->model->weights_only || (!m->out->table->kv_always && strcmp(q->kv->id, own) == 0))
        return;
    launch_set_text(&m->out->values, LAUNCH_KV, q->kv->id);
}

/* ---- memory ---- */

static void set_share(const struct making *m)
{
    const struct request *q = m->request;
    const struct memory *y = m->memory;
    double room = y->usable.value - q->used - y->weights.value - y->activation.value -
                  y->non_torch.value - y->graphs.value;

    /* an encoder has no pool, but the engine asks for its share to be free all the same */
    switch (model_is_encoder(q->model) ? q->engine->budget : memory_budget(q)) {
    case BUDGET_UTILIZATION:
    case BUDGET_STATIC:
        set_if(m, true, LAUNCH_SHARE, y->fraction * (1 - q->headroom));
        break;
    case BUDGET_FREE:
        set_if(m, true, LAUNCH_SHARE,
               q->headroom > 0 && room > 0 ? fmax(y->kv_pool.value / room, 0.01) : y->fraction);
        break;
    case BUDGET_ASKED:
        m->out->headroom = q->headroom > 0;
        break;
    }
}

static void set_load(const struct making *m)
{
    const struct request *q = m->request;
    double users = fmax(ceil(m->memory->users), 1);
    /* where no number of slots is asked for and the engine's is one per user, a replica has one
     * for each of its own */
    bool by_users = q->max_num_seqs <= 0 && q->engine->seqs_small == 0 && q->draft_tokens <= 0;
    double seqs =
        by_users ? fmax(ceil(m->memory->users), q->engine->slots_least) : m->memory->max_num_seqs;
    bool shared = has_setting(m, LAUNCH_UNIFIED) && seqs > users;

    set_if(m, true, LAUNCH_CONTEXT, q->context);
    if (!model_is_served(q->model))
        return;
    set_known(m, q->max_num_seqs > 0, LAUNCH_SEQS, seqs);
    set_known(m, q->max_batched_tokens > 0, LAUNCH_TOKENS, m->memory->max_batched_tokens);
    set_if(m, shared, LAUNCH_UNIFIED, 1);
    const struct launch_flag *flag = launch_flag_of(m->out->table, m->out->version, LAUNCH_CONTEXT);
    if (flag && flag->unit == LAUNCH_PER_CELLS)
        m->out->values.number[LAUNCH_CONTEXT] *= shared ? users : seqs;
}

static void set_rest(const struct making *m)
{
    const struct request *q = m->request;
    char name[LAUNCH_TEXT_MAX];

    set_known(m, q->host_layers > 0, LAUNCH_GPU_LAYERS,
              q->gpu->host ? 0 : q->model->layer_count + 1 - q->host_layers);
    set_if(m, q->host_experts > 0, LAUNCH_CPU_MOE, q->host_experts);
    set_if(m, q->host_bytes > 0, LAUNCH_CPU_OFFLOAD, q->host_bytes / GP_GIB);
    set_if(m, q->host_kv > 0, LAUNCH_KV_OFFLOAD, q->host_kv / engine_kv_unit(q->engine));
    set_if(m, q->kv_on_host, LAUNCH_NO_KV, 1);
    set_if(m, q->lora_slots > 0, LAUNCH_LORA_SLOTS, q->lora_slots);
    set_if(m, q->lora_slots > 0 && has_setting(m, LAUNCH_LORA_RANK), LAUNCH_LORA_RANK,
           q->lora_rank);
    set_if(m, m->answer->resolved.request.text_only, LAUNCH_TEXT_ONLY, 1);
    set_if(m, q->prefix_hit > 0 && has_setting(m, LAUNCH_PREFIX), LAUNCH_PREFIX, 1);
    set_if(m, q->engine->flash_attention && has_setting(m, LAUNCH_FLASH), LAUNCH_FLASH, 1);
    set_if(m, has_setting(m, LAUNCH_FIXED), LAUNCH_FIXED, 1);
    set_if(m, m->out->gpus > 1 && has_setting(m, LAUNCH_SEVERAL_GPUS), LAUNCH_SEVERAL_GPUS, 1);
    if (has_setting(m, LAUNCH_CONFIG)) {
        gp_format(name, sizeof(name), "%s.yaml", q->model->id);
        launch_set_text(&m->out->values, LAUNCH_CONFIG, name);
    }
}

/* ---- layout ---- */

/* llama.cpp: layers of each GPU, the last one's with the output, or equal parts. */
static void set_split(const struct making *m)
{
    const struct layout *l = m->layout;
    char text[LAUNCH_TEXT_MAX] = "";

    launch_set_text(&m->out->values, LAUNCH_SPLIT_MODE, l->tp > 1 ? "tensor" : "layer");
    for (int g = 0; g < l->tp * l->pp; g++) {
        int layers = l->tp > 1 ? 1
                               : layout_stage_begin(m->request, l->pp, g + 1) -
                                     layout_stage_begin(m->request, l->pp, g) + (g == l->pp - 1);

        gp_append(text, sizeof(text), ",", "%d", layers);
    }
    launch_set_text(&m->out->values, LAUNCH_SPLIT, text);
}

static void set_layout(const struct making *m)
{
    const struct layout *l = m->layout;

    set_if(m, m->out->ways > 1, LAUNCH_DP, m->out->ways);
    set_if(m, l->ep > 1, LAUNCH_EP, l->ep);
    if (has_setting(m, LAUNCH_SPLIT)) {
        if (l->tp * l->pp > 1)
            set_split(m);
        return;
    }
    bool one = strcmp(m->out->table->hosts, "one") == 0; /* it splits by itself */
    const struct launch_flag *tp = launch_flag_of(m->out->table, m->out->version, LAUNCH_TP);
    bool group = tp && tp->unit == LAUNCH_PER_GROUP && m->out->ways > 1;
    set_if(m, (l->tp > 1 && !one) || group, LAUNCH_TP, l->tp);
    set_if(m, l->pp > 1 && !one, LAUNCH_PP, l->pp);
}

/* Engines want as many GPUs on each host, and a TP group on one: more hosts than planned
 * where stages do not divide evenly. */
static int even_nodes(int gpus, int tp, int nodes)
{
    int even = nodes;

    while (even < gpus && (gpus % even || (gpus / even) % tp))
        even++;
    return even <= gpus && gpus % even == 0 && (gpus / even) % tp == 0 ? even : nodes;
}

static void place_groups(const struct making *m)
{
    static const struct {
        const char *vendor, *visible, *resource; /* resource: as Kubernetes calls such a GPU */
    } vendors[] = {
        {"nvidia", "CUDA_VISIBLE_DEVICES", "nvidia.com/gpu"},
        {"amd", "HIP_VISIBLE_DEVICES", "amd.com/gpu"},
        {"intel", "ZE_AFFINITY_MASK", "gpu.intel.com/xe"},
    };
    const struct layout *l = m->layout;
    const struct gpu *gpu = m->request->gpu;
    const char *slice = strchr(gpu->id, '/'), *resource = vendors[0].resource;
    struct launch *out = m->out;
    const struct launch_engine *t = out->table;
    int hosts = l->hosts > 1 ? l->hosts : 1;

    out->gpus = layout_group(l);
    out->ways = layout_ways(l);
    out->groups = l->replicas / out->ways > 0 ? l->replicas / out->ways : 1;
    int planned = hosts > out->groups ? (hosts + out->groups - 1) / out->groups : 1;
    out->nodes = even_nodes(out->gpus, l->tp, planned);
    out->uneven = out->nodes != planned;
    out->per_host = hosts < out->groups ? (out->groups + hosts - 1) / hosts : 1;
    out->host_gpus = (out->gpus + out->nodes - 1) / out->nodes;
    for (size_t i = 0; i < sizeof(vendors) / sizeof(vendors[0]); i++)
        if (strcmp(gpu->vendor, vendors[i].vendor) == 0) {
            out->visible = vendors[i].visible;
            resource = vendors[i].resource;
        }
    if (!gpu->host)
        gp_format(out->resource, sizeof(out->resource), "%s%s",
                  slice ? "nvidia.com/mig-" : resource, slice ? slice + 1 : "");
    const char *image = gpu->host                         ? t->image_host
                        : strcmp(gpu->vendor, "amd") == 0 ? t->image_amd
                                                          : "";
    out->image = image[0] ? image : t->image;
    out->foreign = !image[0] && strcmp(gpu->vendor, "nvidia") != 0;
}

/* ---- what cannot be told ---- */

static enum gp_status refuse_launch(const struct making *m, const char *where, const char *hint,
                                    const char *what, struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, where, hint, "%s %s %s", m->request->engine->name,
                   m->out->version_text, what);
}

static enum gp_status check_layout(const struct making *m, struct gp_err *err)
{
    const struct layout *l = m->layout;
    const struct launch *out = m->out;
    const struct launch_flag *ep = launch_flag_of(out->table, out->version, LAUNCH_EP);

    if (l->prefill > 0)
        return refuse_launch(m, "--launch", "without --disaggregate; the manual names its option",
                             "must be told how its two kinds of replicas find each other, "
                             "which is not known here",
                             err);
    if (out->nodes > 1 && strcmp(out->table->hosts, "one") == 0)
        return refuse_launch(m, "--launch", "take GPUs of one host",
                             "has no option that spreads a replica over hosts", err);
    if (!has_setting(m, LAUNCH_SPLIT) && !has_setting(m, LAUNCH_TP) && l->tp > 1)
        return refuse_launch(m, "--launch", "--tp 1", "splits layers over GPUs, not tensors", err);
    if (has_setting(m, LAUNCH_SPLIT) && l->tp > 1 && l->pp > 1)
        return refuse_launch(m, "--launch", "--tp 1, or --pp 1",
                             "splits by tensor or by layer, not both", err);
    if (out->ways > 1 && out->table->dp_tp > 0 && l->tp != out->table->dp_tp)
        return refuse_launch(m, "--launch", "--tp 1", "cannot cut attention and copy it", err);
    if (l->ep > 1 && ep && ep->unit == LAUNCH_PER_ALL && l->ep != l->tp * out->ways)
        return refuse_launch(m, "--launch", "--ep auto",
                             "spreads experts over all GPUs of a group, or none", err);
    return GP_OK;
}

static enum gp_status check_rows(const struct making *m, struct gp_err *err)
{
    const struct launch_values *v = &m->out->values;
    char what[96];

    for (int i = 0; i < LAUNCH_SETTING_COUNT; i++) {
        enum launch_setting s = (enum launch_setting)i;
        bool format = s == LAUNCH_KV;

        if (!v->given[i])
            continue;
        gp_format(what, sizeof(what), "has no option for %s", launch_setting_word(s));
        if (!has_setting(m, s))
            return refuse_launch(m, "--launch", "plan without it, or for another version", what,
                                 err);
        gp_format(what, sizeof(what), "has no word for a KV cache in %.40s", v->text[i]);
        if (format && !launch_word_of(m->out->table, m->out->version, s, v->text[i]))
            return refuse_launch(m, "--kv-precision", "plan another one", what, err);
    }
    return GP_OK;
}

enum gp_status launch_make(struct planner *planner, const struct options *options,
                           const struct answer *answer, struct launch *out, struct gp_err *err)
{
    const struct plan *p = &answer->plan;
    struct making m = {planner, options, answer, &p->request, &p->layout, &p->memory, out};
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    rc = catalog_launch(planner_catalog(planner), p->request.engine->id, &out->table, err);
    if (rc)
        return rc == GP_E_USAGE ? gp_fail(err, rc, "--launch", "", "%s has no table of options",
                                          p->request.engine->name)
                                : rc;
    find_version(options, p->request.engine, out);
    place_groups(&m);
    set_model(&m);
    set_kv(&m);
    set_load(&m);
    set_share(&m);
    set_layout(&m);
    set_draft(&m);
    set_rest(&m);
    rc = check_layout(&m, err);
    return rc ? rc : check_rows(&m, err);
}
