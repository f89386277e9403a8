/*
 * launch.c - launch_make() of launch.h: what a plan sets, and where its groups run.
 */
#include "answer/launch.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/quote.h"
#include "base/units.h"
#include "catalog/names.h"
#include "model/read/checkpoint.h"
#include "plan/draft.h"
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

/* ---- the model ---- */

/* Letters and digits of the words that both names have. */
static size_t shared_words(const char *name, const char *typed)
{
    char of[NAME_WORDS_MAX], words[NAME_WORDS_MAX], *rest;
    size_t sum = 0;

    name_words(name, of);
    name_words(typed, words);
    for (char *w = strtok_r(words, "-", &rest); w; w = strtok_r(NULL, "-", &rest))
        sum += gp_has_word(of, "-", w) ? strlen(w) : 0;
    return sum;
}

/* Of the aliases that are repositories of a model that chats, else of a base model, the one that
 * has the most of what was typed (a shape has several releases), the first of them; "" when there
 * is none. */
static void model_repository(struct catalog *catalog, const char *id, const char *typed, char *text,
                             size_t size)
{
    const char *base = catalog_base_models(catalog, id);
    char one[LAUNCH_TEXT_MAX];
    bool any_chats = false;
    size_t most = 0;

    text[0] = '\0';
    for (const char *alias = catalog_aliases(catalog, id); *alias;) {
        size_t len = strcspn(alias, "|"), shared;

        gp_format(one, sizeof(one), "%.*s", (int)len, alias);
        alias += len + (alias[len] == '|');
        bool chats = !gp_has_word(base, "|", one);
        if (!strchr(one, '/') || (any_chats && !chats))
            continue;
        shared = shared_words(one, typed);
        if (!text[0] || chats != any_chats || shared > most) {
            gp_copy(text, size, one);
            most = shared;
        }
        any_chats = chats;
    }
}

static bool is_repository(const char *text)
{
    return strchr(text, '/') && text[0] != '/' && text[0] != '.' && !path_is_there(text);
}

static bool flag_holds(long version, long from, long until)
{
    return version >= from && version <= until;
}

static const char *launch_word_of(const struct launch_engine *table, long version,
                                  enum launch_setting setting, const char *format)
{
    for (int i = 0; i < table->word_count; i++) {
        const struct launch_word *w = &table->word[i];

        if (w->setting == setting && !w->read && flag_holds(version, w->from, w->until) &&
            strcmp(w->value, format) == 0)
            return w->word;
    }
    return NULL;
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
static bool model_word(const struct making *m, const char *typed, const char *asked,
                       const struct model *model, const struct precision *p, bool whole,
                       char text[LAUNCH_TEXT_MAX])
{
    char repo[160];

    model_repository(planner_catalog(m->planner), model->id, typed, repo, sizeof(repo));
    if (whole && p->native && checkpoint_is_path(asked) && path_is_there(asked)) {
        /* an option and a home are not what these names are of */
        gp_format(text, LAUNCH_TEXT_MAX, "%s%s", strchr("-~", asked[0]) ? "./" : "", asked);
        return true;
    }
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
    const char *typed = m->options->models[0];
    const char *asked = r->model_read[0] ? r->repository : typed;
    bool named = q->precision.named && r->repository[0]; /* the repository is in this format */
    bool whole = (is_published(m) || named) && !r->prune[0] && q->prune == PRUNE_NONE;
    char text[LAUNCH_TEXT_MAX];

    m->out->checkpoint = !model_word(m, typed, asked, q->model, &q->precision, whole, text);
    m->out->hub = !m->out->checkpoint && is_repository(text);
    launch_set_text(v, LAUNCH_MODEL, text);
    m->out->base =
        gp_has_word(catalog_base_models(planner_catalog(m->planner), q->model->id), "|", text);
    model_repository(planner_catalog(m->planner), q->model->id, typed, m->out->chat,
                     sizeof(m->out->chat));
    bool kept = (q->precision.native || named) && strcmp(q->precision.id, "fp32") != 0;
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
    const struct precision *p = draft_precision(q);
    const struct draft_facts *facts = &draft_facts[q->draft_kind];
    char text[LAUNCH_TEXT_MAX];
    const char *asked = options_word(m->options, OPT_DRAFT, ""), *head = strchr(asked, ':');

    if (q->draft_kind == DRAFT_NONE)
        return;
    launch_set_text(v, LAUNCH_DRAFT_KIND, facts->word);
    launch_set_number(v, q->draft_kind == DRAFT_NGRAM ? LAUNCH_NGRAM_TOKENS : LAUNCH_DRAFT_TOKENS,
                      q->draft_tokens);
    if (q->draft && !facts->at_once &&
        launch_flag_of(m->out->table, m->out->version, LAUNCH_DRAFT_STEPS))
        launch_set_number(v, LAUNCH_DRAFT_STEPS, q->draft_tokens);
    if (!q->draft || q->draft_kind == DRAFT_MTP)
        return;
    if (q->draft_kind == DRAFT_MODEL)
        m->out->draft_file = !model_word(m, asked, asked, q->draft, p, p->native, text);
    else if (head && head[1])
        gp_copy(text, sizeof(text), head + 1);
    else {
        m->out->draft_file = true;
        gp_format(text, sizeof(text), "%s-HEAD", facts->word);
    }
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
    set_if(m, q->eager, LAUNCH_EAGER, 1);
    set_if(m, q->policy != POLICY_FCFS, LAUNCH_PRIORITY, 1);
    set_if(m, q->policy == POLICY_LOW_FIRST && has_setting(m, LAUNCH_LOW_FIRST), LAUNCH_LOW_FIRST,
           1);
    const struct launch_flag *flag = launch_flag_of(m->out->table, m->out->version, LAUNCH_CONTEXT);
    if (flag && flag->unit == LAUNCH_PER_CELLS)
        m->out->values.number[LAUNCH_CONTEXT] *= shared ? users : seqs;
}

/* A context beyond what the model was trained for. */
static void set_yarn(const struct making *m)
{
    const struct model_yarn *y = &m->request->model->yarn;
    char text[LAUNCH_TEXT_MAX];

    if (y->factor == 0)
        return;
    gp_format(text, sizeof(text),
              "{\"rope_type\": \"yarn\", \"factor\": %d.0, \"rope_theta\": %d, "
              "\"original_max_position_embeddings\": %d}",
              y->factor, y->theta, y->original);
    launch_set_text(&m->out->values, LAUNCH_YARN, text);
    set_if(m, has_setting(m, LAUNCH_YARN_FACTOR), LAUNCH_YARN_FACTOR, y->factor);
    set_if(m, has_setting(m, LAUNCH_YARN_ORIGINAL), LAUNCH_YARN_ORIGINAL, y->original);
}

static void set_rest(const struct making *m)
{
    const struct request *q = m->request;
    struct strbuf name;

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
        strbuf_init(&name);
        quote_add(&name, QUOTE_TAG, q->model->id);
        strbuf_add(&name, name.len > 0 ? ".yaml" : "model.yaml");
        launch_set_text(&m->out->values, LAUNCH_CONFIG, name.text);
        strbuf_fini(&name);
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
    /* Engines want as many GPUs on each host, and a TP group on one: more hosts than planned
     * where stages do not divide evenly. */
    int even = planned;

    while (even < out->gpus && (out->gpus % even || (out->gpus / even) % l->tp))
        even++;
    out->nodes = even <= out->gpus && out->gpus % even == 0 && (out->gpus / even) % l->tp == 0
                     ? even
                     : planned;
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

    if (out->nodes > 1 && strcmp(out->table->hosts, "one") == 0)
        return refuse_launch(m, "--launch", "take GPUs of one host",
                             "has no option that spreads a replica over hosts", err);
    if (!has_setting(m, LAUNCH_SPLIT) && !has_setting(m, LAUNCH_TP) && l->tp > 1 &&
        !engine_lists(out->table->unneeded, launch_setting_word(LAUNCH_TP)))
        return refuse_launch(m, "--launch", "--tp 1", "splits layers over GPUs, not tensors", err);
    /* no command says it, which the plan has refused, too */
    struct refusal list[REFUSED_COUNT];
    int count = layout_refusals(m->request, l, list, REFUSED_COUNT);
    for (int i = 0; i < count && i < REFUSED_COUNT; i++)
        if (list[i].code == REFUSED_EP_ALL || list[i].code == REFUSED_TP_PP ||
            list[i].code == REFUSED_DP_TP) {
            struct texts texts = {0};
            enum gp_status rc = gp_fail(err, GP_E_USAGE, "--launch", "", "%s",
                                        sentence_refusals(m->request, l, &texts));

            texts_fini(&texts);
            return rc;
        }
    return GP_OK;
}

static enum gp_status check_rows(const struct making *m, struct gp_err *err)
{
    const struct launch_values *v = &m->out->values;
    char what[96];

    for (int i = 0; i < LAUNCH_SETTING_COUNT; i++) {
        enum launch_setting s = (enum launch_setting)i;
        bool format = s == LAUNCH_KV;

        if (!v->given[i] ||
            engine_lists(m->out->table->unneeded, launch_setting_word((enum launch_setting)i)))
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

/* Can a line of a Modelfile hold it? Ollama leaves out characters that Go does not print. */
static bool modelfile_holds(const char *text)
{
    static const struct {
        uint32_t first, last;
    } unseen[] = {
        {0xA0, 0xA0},          {0xAD, 0xAD},     {0x600, 0x605},   {0x61C, 0x61C},
        {0x6DD, 0x6DD},        {0x1680, 0x1680}, {0x180E, 0x180E}, {0x2000, 0x200F},
        {0x2028, 0x202F},      {0x205F, 0x206F}, {0x3000, 0x3000}, {0xE000, 0xF8FF},
        {0xFEFF, 0xFEFF},      {0xFFF0, 0xFFFB}, {0xFFFE, 0xFFFF}, {0xE0000, 0xE0FFF},
        {0xF0000, UINT32_MAX},
    };
    bool held = strncmp(text, "\"\"", 2) != 0 &&
                strcmp(text, "\"") != 0; /* three quotes begin a text of several lines */

    for (uint32_t ch = 0; *text && held; text += gp_utf8(text, &ch)) {
        gp_utf8(text, &ch);
        held = gp_is_clean(ch);
        for (size_t i = 0; i < sizeof(unseen) / sizeof(unseen[0]); i++)
            held = held && (ch < unseen[i].first || ch > unseen[i].last);
    }
    return held;
}

/* No other path than the one that is asked for. */
static enum gp_status check_path(const struct making *m, enum launch_setting setting,
                                 const char *option, const char *asked, struct gp_err *err)
{
    static const char hint[] = "name it by a link: ln -s PATH model";
    const char *text = m->out->values.text[setting];
    const struct launch_flag *flag = launch_flag_of(m->out->table, m->out->version, setting);

    if (!m->out->values.given[setting])
        return GP_OK;
    if (strlen(asked) + 2 >= LAUNCH_TEXT_MAX && path_is_there(asked))
        return gp_fail(err, GP_E_USAGE, option, hint,
                       "a path of %zu bytes is too long for a command: %d are the most",
                       strlen(asked), LAUNCH_TEXT_MAX - 3);
    if (!gp_is_utf8(text))
        return gp_fail(err, GP_E_USAGE, option, hint, "'%s' is not UTF-8", text);
    if (flag && flag->form == LAUNCH_AS_MODELFILE && !modelfile_holds(text))
        return gp_fail(err, GP_E_USAGE, option, hint, "a Modelfile cannot hold the path '%s'",
                       text);
    return GP_OK;
}

static enum gp_status make_one(struct planner *planner, const struct options *options,
                               const struct answer *answer, struct launch *out, struct gp_err *err)
{
    const struct plan *p = &answer->plan;
    struct making m = {planner, options, answer, &p->request, &p->layout, &p->memory, out};

    memset(out, 0, sizeof(*out));
    enum gp_status rc =
        catalog_launch(planner_catalog(planner), p->request.engine->id, &out->table, err);
    if (rc)
        return rc == GP_E_USAGE ? gp_fail(err, rc, "--launch", "", "%s has no table of options",
                                          p->request.engine->name)
                                : rc;
    /* The version asked for, else the newest of the range that was checked. */
    const char *asked = strchr(options_word(options, OPT_ENGINE, ""), '@');
    bool open = p->request.engine->until == LONG_MAX;
    const char *text = asked ? asked + 1 + (asked[1] == 'v') : p->request.engine->checked;

    out->version = engine_version(text, 0);
    gp_copy(out->version_text, sizeof(out->version_text), text);
    if (!asked && !open) {
        out->version = p->request.engine->until;
        gp_format(out->version_text, sizeof(out->version_text), "%ld.%ld",
                  p->request.engine->until / 100000000, p->request.engine->until / 10000 % 10000);
    }
    if (out->version < 0)
        out->version = 0;
    place_groups(&m);
    set_model(&m);
    set_kv(&m);
    set_load(&m);
    set_share(&m);
    set_layout(&m);
    set_draft(&m);
    set_yarn(&m);
    set_rest(&m);
    rc = check_layout(&m, err);
    if (!rc)
        rc = check_rows(&m, err);
    if (!rc)
        rc = check_path(&m, LAUNCH_MODEL, "--model", options->models[0], err);
    return rc ? rc
              : check_path(&m, LAUNCH_DRAFT, "--draft", options_word(options, OPT_DRAFT, ""), err);
}

/* Those of each kind as if they were all. */
enum gp_status launch_make(struct planner *planner, const struct options *options,
                           const struct answer *answer, struct launch out[2], struct gp_err *err)
{
    const struct layout *whole = &answer->plan.layout;
    struct answer *part = gp_malloc(sizeof(*part));
    enum gp_status rc = GP_OK;

    for (int i = whole->prefill > 0 ? 1 : 0; i >= 0 && !rc; i--) {
        struct layout *l = &part->plan.layout;

        *part = *answer;
        l->replicas = i ? whole->prefill : whole->replicas - whole->prefill;
        l->tp = i && whole->prefill_tp > 0 ? whole->prefill_tp : whole->tp;
        l->prefill = l->prefill_tp = 0;
        l->gpus = whole->prefill > 0 ? layout_gpus(l) : whole->gpus;
        if (whole->prefill > 0 && whole->gpus > 0) /* its share of the machines */
            l->hosts = (whole->hosts * l->gpus + whole->gpus - 1) / whole->gpus;
        rc = make_one(planner, options, part, &out[i], err);
        out[i].prefill = NULL;
    }
    out->prefill = whole->prefill > 0 && !rc ? &out[1] : NULL;
    free(part);
    return rc;
}

#define MASTER "HOST0" /* stands for the first host's address */

/* ---- rows of the table ---- */

const struct launch_flag *launch_flag_of(const struct launch_engine *table, long version,
                                         enum launch_setting setting)
{
    for (int i = 0; i < table->flag_count; i++)
        if (table->flag[i].setting == setting && table->flag[i].form != LAUNCH_AS_READ &&
            flag_holds(version, table->flag[i].from, table->flag[i].until))
            return &table->flag[i];
    return NULL;
}

/* ---- lists ---- */

static void list_add(struct launch_list *list, const char *name, const char *text, bool raw)
{
    list->at = gp_grow(list->at, &list->cap, list->count + 1, sizeof(*list->at));
    list->at[list->count++] =
        (struct launch_word_at){.name = name, .text = gp_strdup(text), .raw = raw};
}

static void list_fini(struct launch_list *list)
{
    for (size_t i = 0; i < list->count; i++)
        free(list->at[i].text);
    free(list->at);
}

void launch_command_fini(struct launch_command *command)
{
    list_fini(&command->argv);
    list_fini(&command->env);
    strbuf_fini(&command->text);
}

/* ---- one value ---- */

/* What is being written, and for which part of a group. */
struct writing {
    const struct launch *launch;
    const struct launch_place *place;
    struct launch_values values; /* with those of the place */
    struct launch_command *out;
};

static double flag_number(const struct writing *w, const struct launch_flag *f)
{
    double value = w->values.number[f->setting];

    if (f->unit == LAUNCH_PER_GROUP)
        value *= w->launch->ways;
    if (f->form == LAUNCH_AS_LEAST)
        value = fmax(value, f->least);
    return fmax(value + f->add, f->add < 0 ? 1 : value);
}

static void value_text(const struct writing *w, const struct launch_flag *f,
                       char text[LAUNCH_TEXT_MAX])
{
    const char *given = w->values.text[f->setting];
    const char *word = launch_word_of(w->launch->table, w->launch->version, f->setting, given);

    if (f->constant[0])
        gp_copy(text, LAUNCH_TEXT_MAX, f->constant);
    else if (launch_setting_is_text(f->setting))
        gp_format(text, LAUNCH_TEXT_MAX, "%s%s%s", f->prefix, word ? word : given, f->suffix);
    else if (f->form == LAUNCH_AS_COUNT)
        gp_format(text, LAUNCH_TEXT_MAX, "%.0f", fmax(rint(flag_number(w, f)), 1));
    else
        gp_format(text, LAUNCH_TEXT_MAX, "%.*g", f->setting == LAUNCH_SHARE ? 6 : 12,
                  flag_number(w, f));
}

/* Only what is known where it runs is an expression. */
static bool is_raw(const struct writing *w, enum launch_setting s)
{
    const struct launch_place *p = w->place;

    return (s == LAUNCH_NODE_RANK && p->node_text) || (s == LAUNCH_DP_START && p->node_text) ||
           ((s == LAUNCH_MASTER || s == LAUNCH_DP_ADDRESS) && p->master) ||
           (s == LAUNCH_PORT && p->port);
}

static json_t *value_json(const struct writing *w, const struct launch_flag *f)
{
    char text[LAUNCH_TEXT_MAX];

    value_text(w, f, text);
    return f->constant[0] || launch_setting_is_text(f->setting)
               ? gp_json_text(text)
               : gp_json_number(strtod(text, NULL));
}

static bool flag_applies(const struct writing *w, const struct launch_flag *f)
{
    if (w->place->only_options &&
        (f->setting == LAUNCH_MODEL || f->setting >= LAUNCH_GPUS_PER_NODE))
        return false;
    return w->values.given[f->setting] && f->form != LAUNCH_AS_READ &&
           flag_holds(w->launch->version, f->from, f->until) &&
           (f->form != LAUNCH_AS_LEAST || w->values.number[f->setting] > f->least);
}

/* All members of one option's JSON. */
static json_t *object_of(const struct writing *w, const char *flag)
{
    const struct launch_engine *t = w->launch->table;
    json_t *object = json_object();

    for (int i = 0; i < t->flag_count; i++)
        if (t->flag[i].form == LAUNCH_AS_JSON && flag_applies(w, &t->flag[i]) &&
            strcmp(t->flag[i].flag, flag) == 0)
            json_object_set_new(object, t->flag[i].key, value_json(w, &t->flag[i]));
    return object;
}

/* ---- one row ---- */

static void write_json(struct writing *w, const struct launch_flag *f)
{
    json_t *object = object_of(w, f->flag);
    const struct launch_list *argv = &w->out->argv;
    struct strbuf text = STRBUF_EMPTY;
    bool there = false; /* by another member of it */

    gp_json_write(object, false, &text);
    for (size_t i = 0; i < argv->count; i++)
        there |= !argv->at[i].name && strcmp(argv->at[i].text, f->flag) == 0;
    if (!there) {
        list_add(&w->out->argv, NULL, f->flag, false);
        list_add(&w->out->argv, NULL, text.text, false);
    }
    strbuf_fini(&text);
    json_decref(object);
}

/* "kv_cache_config.dtype" below its parent, which the row before it may have opened. */
static void write_yaml(struct writing *w, const struct launch_flag *f, const char *text)
{
    const char *dot = strchr(f->flag, '.');
    char parent[56];

    if (!dot) {
        strbuf_addf(&w->out->text, "%s: %s\n", f->flag, text);
        return;
    }
    gp_format(parent, sizeof(parent), "%.*s:\n", (int)(dot - f->flag), f->flag);
    if (!strstr(w->out->text.text, parent))
        strbuf_add(&w->out->text, parent);
    strbuf_addf(&w->out->text, "  %s: %s\n", dot + 1, text);
}

static void write_row(struct writing *w, const struct launch_flag *f)
{
    char text[LAUNCH_TEXT_MAX];
    bool from = strcmp(f->flag, "FROM") == 0;
    const char *quoted; /* Ollama trims what is not */

    value_text(w, f, text);
    switch (f->form) {
    case LAUNCH_AS_SWITCH:
        list_add(&w->out->argv, NULL, f->flag, false);
        break;
    case LAUNCH_AS_FIRST:
        list_add(&w->out->argv, NULL, text, false);
        break;
    case LAUNCH_AS_FILES:
        for (int i = 1; i <= (int)w->values.number[f->setting]; i++) {
            gp_format(text, sizeof(text), "./adapter-%d.gguf", i);
            list_add(&w->out->argv, NULL, f->flag, false);
            list_add(&w->out->argv, NULL, text, false);
        }
        break;
    case LAUNCH_AS_RPC:
        text[0] = '\0';
        for (int node = 1; node < w->launch->nodes; node++)
            gp_append(text, sizeof(text), ",", "HOST%d:50052", node);
        list_add(&w->out->argv, NULL, f->flag, false);
        list_add(&w->out->argv, NULL, text, false);
        break;
    case LAUNCH_AS_JSON:
        write_json(w, f);
        break;
    case LAUNCH_AS_ENV:
        list_add(&w->out->env, f->flag, text, is_raw(w, f->setting));
        break;
    case LAUNCH_AS_YAML:
        write_yaml(w, f, text);
        break;
    case LAUNCH_AS_MODELFILE:
        quoted = strchr(" \"", text[0]) || text[strlen(text) - 1] == ' ' ? "\"" : "";
        strbuf_addf(&w->out->text, "%s%s %s%s%s\n", from ? "" : "PARAMETER ", f->flag, quoted, text,
                    quoted);
        break;
    default:
        list_add(&w->out->argv, NULL, f->flag, false);
        list_add(&w->out->argv, NULL, text, is_raw(w, f->setting));
    }
}

/* ---- where it runs ---- */

static void set_place_text(struct writing *w, enum launch_setting s, const char *text, int number)
{
    char digits[16];

    gp_format(digits, sizeof(digits), "%d", number);
    launch_set_text(&w->values, s, text ? text : digits);
}

/* Copies of the attention on one host each: the engine's processes on the others are told
 * where they begin. Else one copy is cut over the hosts. */
static void set_nodes(struct writing *w)
{
    const struct launch *l = w->launch;
    const struct launch_place *p = w->place;
    const char *master = p->master ? p->master : MASTER;
    bool parts = l->ways > 1 && l->ways % l->nodes == 0 &&
                 launch_flag_of(l->table, l->version, LAUNCH_DP_LOCAL);
    char start[64];

    if (l->nodes <= 1)
        return;
    launch_set_number(&w->values, LAUNCH_GPUS_PER_NODE, l->host_gpus);
    if (p->node > 0 && !p->any_node)
        launch_set_number(&w->values, LAUNCH_HEADLESS, 1);
    if (parts) {
        gp_format(start, sizeof(start), "$((%s * %d))", p->node_text ? p->node_text : "",
                  l->ways / l->nodes);
        launch_set_number(&w->values, LAUNCH_DP_LOCAL, l->ways / l->nodes);
        set_place_text(w, LAUNCH_DP_START, p->node_text ? start : NULL,
                       p->node * (l->ways / l->nodes));
        launch_set_text(&w->values, LAUNCH_DP_ADDRESS, master);
        return;
    }
    launch_set_number(&w->values, LAUNCH_NODES, l->nodes);
    launch_set_number(&w->values, LAUNCH_RAY, 1);
    set_place_text(w, LAUNCH_NODE_RANK, p->node_text, p->node);
    launch_set_text(&w->values, LAUNCH_MASTER, master);
}

static void writing_begin(struct writing *w, const struct launch *launch,
                          const struct launch_place *place, struct launch_command *out)
{
    memset(out, 0, sizeof(*out));
    strbuf_init(&out->text);
    w->launch = launch;
    w->place = place;
    w->values = launch->values;
    w->out = out;
    if (place->container)
        launch_set_text(&w->values, LAUNCH_HOST, "0.0.0.0");
    if (!place->container || place->port)
        set_place_text(w, LAUNCH_PORT, place->port,
                       launch->table->port + place->group % launch->per_host);
    set_nodes(w);
}

void launch_command(const struct launch *launch, const struct launch_place *place,
                    struct launch_command *out)
{
    const struct launch_engine *t = launch->table;
    int first = place->group % launch->per_host * launch->host_gpus;
    bool spread = launch->nodes > 1;
    struct writing w;
    char text[LAUNCH_TEXT_MAX] = "";

    writing_begin(&w, launch, place, out);
    /* which GPUs of its host the group may see */
    if (!place->anywhere && launch->visible && (launch->per_host > 1 || t->all_gpus)) {
        for (int i = 0; i < launch->host_gpus; i++)
            gp_append(text, sizeof(text), ",", "%d", first + i);
        list_add(&out->env, launch->visible, text, false);
    }
    /* mpirun starts a process for each GPU of the group */
    if (spread && strcmp(t->hosts, "mpi") == 0 && !place->anywhere) {
        gp_format(text, sizeof(text), "%d", launch->gpus);
        const char *const words[] = {"mpirun", "-n", text, "--hostfile", "hosts.txt"};
        for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
            list_add(&out->argv, NULL, words[i], false);
    }
    if (spread && t->ranks[0] && !place->only_options)
        list_add(&out->argv, NULL, t->ranks, false);
    for (const char *word = place->only_options                       ? ""
                            : place->container && t->image_command[0] ? t->image_command
                                                                      : t->command;
         *word;) {
        size_t len = strcspn(word, "|");

        gp_format(text, sizeof(text), "%.*s", (int)len, word);
        list_add(&out->argv, NULL, text, false);
        word += len + (word[len] == '|');
    }
    for (int i = 0; i < t->flag_count; i++)
        if (flag_applies(&w, &t->flag[i]))
            write_row(&w, &t->flag[i]);
    if (out->text.len > 0)
        gp_copy(out->file, sizeof(out->file),
                launch->values.given[LAUNCH_CONFIG] ? launch->values.text[LAUNCH_CONFIG]
                                                    : "Modelfile");
}

/* ---- the engine's own configuration ---- */

void launch_config(const struct launch *launch, struct strbuf *out)
{
    const struct launch_engine *t = launch->table;
    const struct launch_place place = {.anywhere = true};
    struct launch_command unused;
    struct writing w;
    json_t *config = json_object();

    writing_begin(&w, launch, &place, &unused);
    for (int i = 0; i < t->flag_count; i++) {
        const struct launch_flag *f = &t->flag[i];
        const char *dot = strchr(f->name, '.');
        char parent[56];
        json_t *to = config;

        /* what a server that embeds the engine sets itself, or has in another file */
        if (!flag_applies(&w, f) || f->setting == LAUNCH_PORT || f->setting == LAUNCH_CONFIG ||
            f->setting == LAUNCH_HEADLESS || f->form == LAUNCH_AS_LEAST)
            continue;
        if (dot) {
            gp_format(parent, sizeof(parent), "%.*s", (int)(dot - f->name), f->name);
            if (!json_object_get(config, parent))
                json_object_set_new(config, parent, json_object());
            to = json_object_get(config, parent);
        }
        json_object_set_new(to, dot ? dot + 1 : f->name,
                            f->form == LAUNCH_AS_SWITCH ? json_true()
                            : f->form == LAUNCH_AS_JSON ? object_of(&w, f->flag)
                                                        : value_json(&w, f));
    }
    gp_json_write(config, true, out);
    json_decref(config);
    launch_command_fini(&unused);
}
