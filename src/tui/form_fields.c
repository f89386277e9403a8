/*
 * form_fields.c - what a field is chosen from, its number and what stands beside its label
 * (form.h). What is special about one field is its row here.
 *
 * Each list begins with the default (id ""), where there is one. A step of the form
 * walks the same list, without the details, which for precisions means planning each.
 * A value that was chosen for the user says so: "auto: 2". Numbers have their unit.
 */
#include "tui/form.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/units.h"
#include "model/read/hub_cache.h"
#include "tui/settings.h"

#define X(id, option, columns) [FIELD_##id] = {OPT_##option, &option_rows[OPT_##option].columns},
const struct field_row field_rows[FIELD_COUNT] = {FIELDS(X)};
#undef X

enum field field_of(int option)
{
    if (option == OPT_OUT) /* "output 256" */
        return FIELD_OUTPUT;
    for (int f = 0; f < FIELD_COUNT; f++)
        if ((int)field_rows[f].option == option)
            return (enum field)f;
    return FIELD_COUNT;
}

bool field_is_number(enum field field)
{
    enum option_type type = option_rows[field_rows[field].option].type;

    return field == FIELD_GPUS || (type >= OPTION_COUNTED && type != OPTION_PATH);
}

struct choices_list {
    struct choice *items;
    size_t cap;
    int count;
};

static struct choice *choices_add(struct choices_list *list, const char *id, const char *text,
                                  const char *more)
{
    list->items = gp_grow(list->items, &list->cap, (size_t)list->count + 1, sizeof(*list->items));
    struct choice *c = &list->items[list->count++];
    memset(c, 0, sizeof(*c));
    gp_copy(c->id, sizeof(c->id), id);
    gp_copy(c->text, sizeof(c->text), text);
    gp_sanitize(c->text);
    gp_copy(c->more, sizeof(c->more), more);
    return c;
}

/* ---- the models that were chosen in earlier runs, for the top of their list ----
 *
 * $XDG_STATE_HOME/gpuplan/recent-models has a name a line, the last one chosen first: an id of
 * the catalogue, a size, "org/name" of the hub's cache, or the absolute path of a folder or
 * file. Anything else in it is passed over; a file that is not ours in size is not read. */

#define RECENT_MODELS 8
#define RECENT_MODEL_MAX 240

struct recent_models {
    int count;
    char id[RECENT_MODELS][RECENT_MODEL_MAX];
};

#define FILE_MOST 16384 /* bytes; ours has at most 8 lines of 240 */

static void recent_add(struct recent_models *r, const char *id)
{
    bool plain = id[0] && strlen(id) < RECENT_MODEL_MAX && gp_is_utf8(id);

    for (const char *p = id; *p; p++)
        plain = plain && (unsigned char)*p >= ' ' && *p != 0x7f;
    for (int i = 0; i < r->count; i++)
        plain = plain && strcmp(r->id[i], id) != 0;
    if (plain && r->count < RECENT_MODELS)
        gp_copy(r->id[r->count++], RECENT_MODEL_MAX, id);
}

/* None where there is no file or it cannot be read. */
static void recent_models_read(struct recent_models *r)
{
    char path[GP_PATH_MAX], *text = NULL;
    size_t len;

    r->count = 0;
    if (!path_state_home(path, sizeof(path), "recent-models") || !path_is_file(path) ||
        path_read(path, FILE_MOST, &text, &len, NULL))
        return;
    for (char *at = text, *line; (line = strsep(&at, "\n"));)
        recent_add(r, line);
    free(text);
}

/* Can a plan be made of it here and now? */
static bool recent_models_is_there(const struct form *form, const char *id)
{
    const struct model *model;
    struct hub_model hub;

    return (id[0] >= '0' && id[0] <= '9') || path_is_there(id) || hub_cache_find(id, &hub) ||
           catalog_model(planner_catalog(form->planner), id, &model, NULL) == GP_OK;
}

/* The models that the form has had, the last first, those undone among them: how many; *now: the
 * place of the one it has. */
static int recent_models_had(const struct form *form, const char *ids[FORM_UNDO], int *now)
{
    int n = 0;

    for (int at = form->undo_last; at >= form->undo_first; at--) {
        if (at == form->undo_at) {
            *now = n;
            ids[n++] = form->values.value[FIELD_MODEL];
        }
        for (int i = 0; at > form->undo_first && i < form->undo[at % FORM_UNDO].count; i++)
            if (form->undo[at % FORM_UNDO].change[i].field == FIELD_MODEL)
                ids[n++] = form->undo[at % FORM_UNDO].change[i].text;
    }
    return n;
}

void recent_models_keep(const struct form *form)
{
    struct recent_models before, now = {0};
    const char *ids[FORM_UNDO];
    char path[GP_PATH_MAX], *whole;
    struct strbuf out;
    int at, n = recent_models_had(form, ids, &at);

    for (; at < n - 1; at++) { /* what it was given, not what it began with */
        if (!ids[at][0] || strcmp(ids[at], ids[n - 1]) == 0 ||
            !recent_models_is_there(form, ids[at]))
            continue;
        whole = path_is_there(ids[at]) ? realpath(ids[at], NULL) : NULL;
        recent_add(&now, whole ? whole : ids[at]);
        free(whole);
    }
    if (now.count == 0 || !path_state_home(path, sizeof(path), "recent-models"))
        return;
    recent_models_read(&before);
    for (int i = 0; i < before.count; i++)
        recent_add(&now, before.id[i]);
    strbuf_init(&out);
    for (int i = 0; i < now.count; i++)
        strbuf_addf(&out, "%s\n", now.id[i]);
    if (settings_make_folders(path, NULL) == GP_OK)
        path_write(path, out.text, out.len, NULL); /* a list that cannot be kept is no loss */
    strbuf_fini(&out);
}

/* ---- models ---- */

static void choices_add_model(struct choices_list *list, const struct model *m)
{
    struct choice *c = choices_add(list, m->id, m->name, "");
    double active = model_params_active(m);
    char tokens[32] = "-", used[32] = "";

    if (m->max_context > 0)
        units_tokens(tokens, sizeof(tokens), m->max_context);
    if (active < 0.9 * model_params(m))
        units_params(used, sizeof(used), active);
    gp_format(c->more, sizeof(c->more), "%9s %8s %9s  %s", UNITS_PARAMS(model_params(m)), used,
              tokens,
              m->weights_only     ? "weights only"
              : m->native_name[0] ? m->native_name
                                  : m->native_dtype);
}

static const char of_a_size[] = "a dense model of this size";

static bool choices_have(const struct choices_list *list, const char *id)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].id, id) == 0)
            return true;
    return false;
}

/* Paths or names; deep: far from here, so that their last part says more. */
static void choices_add_found(struct choices_list *list, char **ids, size_t count, bool deep,
                              const char *where)
{
    for (size_t i = 0; i < count; i++)
        if (!choices_have(list, ids[i]))
            choices_add(list, ids[i], deep ? path_name(ids[i]) : ids[i], where)->tail = true;
    local_models_free(ids, count);
}

/* Those of the current folder, of Ollama, of LM Studio and of the hub's cache. */
static void choices_add_local(struct choices_list *list)
{
    struct hub_model *hub;
    size_t cached = hub_cache_list(&hub), count;
    char **ids;

    count = local_models(".", &ids);
    choices_add_found(list, ids, count, false, "in this folder");
    count = ollama_models(&ids);
    choices_add_found(list, ids, count, false, "in Ollama here");
    count = lmstudio_models(&ids);
    choices_add_found(list, ids, count, true, "in LM Studio here");
    for (size_t i = 0; i < cached; i++)
        if (!choices_have(list, hub[i].name))
            choices_add(list, hub[i].name, hub[i].name, "in the hub's cache here");
    free(hub);
}

static void choices_add_chosen(const struct model *const *all, size_t count, const char *id,
                               struct choices_list *list)
{
    size_t i = 0;

    while (i < count && strcmp(all[i]->id, id) != 0)
        i++;
    if (choices_have(list, id))
        return;
    if (i < count)
        choices_add_model(list, all[i]);
    else
        choices_add(list, id, id, id[0] >= '0' && id[0] <= '9' ? of_a_size : "chosen before");
}

/* Language models first; by family, and within one from small to large. */
static int model_order(const void *pa, const void *pb)
{
    const struct model *a = *(const struct model *const *)pa;
    const struct model *b = *(const struct model *const *)pb;
    int order = (int)a->weights_only - (int)b->weights_only;
    double size_a = model_params(a), size_b = model_params(b);

    if (!order)
        order = (a->max_context <= 0) - (b->max_context <= 0);
    if (!order)
        order = gp_casecmp(a->family, b->family);
    if (!order)
        order = (size_a > size_b) - (size_a < size_b);
    return order ? order : strcmp(a->id, b->id);
}

static void choices_models(struct form *form, bool details, struct choices_list *list)
{
    /* Where a newcomer begins; any other size can be typed. */
    static const char *const sizes[] = {"8B", "70B", "400B"};
    /* What is served most, small ones first: before all the others, which are by family. */
    static const char *const popular[] = {
        "llama-3.2-3b", "llama-3.1-8b",    "qwen3-8b",    "gemma-3-12b",   "gpt-oss-20b",
        "gemma-3-27b",  "qwen3-30b-a3b",   "qwen3-32b",   "llama-3.3-70b", "qwen2.5-72b",
        "gpt-oss-120b", "qwen3-235b-a22b", "deepseek-v3", "deepseek-r1"};
    const struct model *const *all, **sorted;
    const char *had[FORM_UNDO];
    struct recent_models recent;
    size_t count;
    int now;

    if (catalog_models(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    if (details) { /* those chosen in this run, the last one first, then in earlier ones */
        for (int i = 0, n = recent_models_had(form, had, &now); i < n; i++)
            choices_add_chosen(all, count, had[i], list);
        recent_models_read(&recent);
        for (int i = 0; i < recent.count; i++)
            if (recent_models_is_there(form, recent.id[i]))
                choices_add_chosen(all, count, recent.id[i], list);
        choices_add_local(list);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (!choices_have(list, sizes[i]))
            choices_add(list, sizes[i], sizes[i], of_a_size);
    for (size_t i = 0; details && i < sizeof(popular) / sizeof(popular[0]); i++)
        for (size_t k = 0; k < count; k++)
            if (strcmp(all[k]->id, popular[i]) == 0 && !choices_have(list, popular[i]))
                choices_add_model(list, all[k]);
    sorted = gp_calloc(count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = all[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), model_order);
    for (size_t i = 0; i < count; i++)
        if (!details || !choices_have(list, sorted[i]->id))
            choices_add_model(list, sorted[i]);
    free(sorted);
}

/* ---- formats ---- */

/* What most people look for stands first. */
static int format_place(const struct format *f)
{
    static const char *const first[] = {"bf16",  "fp8",    "int8", "int4-awq",
                                        "nvfp4", "q4_k_m", "q8_0", "fp16"};

    enum { COUNT = sizeof(first) / sizeof(first[0]) };
    int i = 0;

    while (i < COUNT && strcmp(f->id, first[i]) != 0)
        i++;
    return i;
}

/* Then GGUF files after the others, and from many bits to few. */
static int format_order(const void *pa, const void *pb)
{
    const struct format *a = *(const struct format *const *)pa;
    const struct format *b = *(const struct format *const *)pb;
    int place_a = format_place(a), place_b = format_place(b);
    double bits_a = a->mix ? a->core_bits_70b : a->bits;
    double bits_b = b->mix ? b->core_bits_70b : b->bits;

    if (place_a != place_b)
        return place_a - place_b;
    if ((a->block > 0) != (b->block > 0))
        return a->block > 0 ? 1 : -1;
    if (bits_a < bits_b || bits_a > bits_b)
        return bits_a > bits_b ? -1 : 1;
    return strcmp(a->id, b->id);
}

static const struct format **formats_sorted(struct form *form, size_t *count)
{
    const struct format *all, **list;
    size_t n, used = 0;

    if (catalog_formats(planner_catalog(form->planner), &all, &n, NULL))
        n = 0;
    list = gp_calloc(n + 1, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        /* tensor types of GGUF are parts of files, not files; TF32 is a way to reckon; no engine
         * runs FP64 */
        if (strncmp(all[i].id, "ggml-", 5) != 0 && !gp_has_word("tf32 fp64", " ", all[i].id))
            list[used++] = &all[i];
    if (used)
        qsort(list, used, sizeof(*list), format_order);
    *count = used;
    return list;
}

/* What the plan would be with these weights: "33.88 GiB per GPU: fits on 2". */
static void precision_outcome(struct form *form, const char *id, char *text, size_t size)
{
    struct options options;
    struct resolved resolved;
    struct plan *plan;
    const struct request *now = &form->answer->plan.request;
    char gib[32];
    struct texts why = {0};

    values_write_options(&form->values, &options);
    if (planner_resolve(form->planner, &options, NULL, id[0] ? id : "native", now->gpu->id,
                        &resolved, NULL))
        return;
    resolved.request.gpu_count = now->gpu_count;
    plan = gp_calloc(1, sizeof(*plan));
    planner_plan(form->planner, &resolved, plan);
    if (plan->has_memory)
        gp_format(text, size, "%s per GPU: %s on %d x %s",
                  units_gib(gib, sizeof(gib), plan->memory.weights.value),
                  plan_verdict_words(plan)->sentence, plan->layout.gpus, now->gpu->id);
    else
        gp_copy(text, size, sentence_first_reason(plan, &why));
    texts_fini(&why);
    free(plan);
}

static void choices_precisions(struct form *form, bool details, struct choices_list *list)
{
    const struct model *m = form->answered ? form->answer->plan.request.model : NULL;
    struct precision native, p;
    char text[120] = "as published";
    size_t count;
    const struct format **all = formats_sorted(form, &count);

    if (m && planner_precision(form->planner, m, NULL, &native, NULL) == GP_OK)
        gp_format(text, sizeof(text), "as published: %s", native.weight->id);
    else
        m = NULL;
    choices_add(list, "", text, "");
    for (size_t i = 0; i < count; i++) {
        if (m && (planner_precision(form->planner, m, all[i], &p, NULL) || p.native))
            continue; /* native is there already */
        gp_format(text, sizeof(text), "%-10s %s", all[i]->id, all[i]->name);
        choices_add(list, all[i]->id, text, "");
    }
    free(all);
    for (int i = 0; details && m && i < list->count; i++)
        precision_outcome(form, list->items[i].id, list->items[i].more,
                          sizeof(list->items[i].more));
}

static void choices_kv(struct form *form, bool details, struct choices_list *list)
{
    /* An engine that reads GGUF keeps its KV cache in such formats too; the others do not. */
    bool gguf = form->answered && form->answer->plan.request.engine->gguf;
    const char *kept =
        gguf ? "fp32 bf16 fp16 q8_0 q5_1 q5_0 q4_1 q4_0 iq4_nl" : "fp32 bf16 fp16 fp8 int8 nvfp4";
    char text[120], more[40];
    size_t count;
    const struct format **all = formats_sorted(form, &count);

    (void)details;
    choices_add(list, "", "auto", "what the checkpoint asks for, else the activations' format");
    for (size_t i = 0; i < count; i++)
        if (gp_has_word(kept, " ", all[i]->id)) {
            gp_format(text, sizeof(text), "%-10s %s", all[i]->id, all[i]->name);
            gp_format(more, sizeof(more), "%.4g bits per element", all[i]->bits);
            choices_add(list, all[i]->id, text, more);
        }
    free(all);
}

/* ---- GPUs ---- */

/* As one of a list. Names begin alike: one that is cut keeps its end. */
static void choices_add_gpu(struct choices_list *list, const char *id, const char *name,
                            const struct gpu *g)
{
    struct quantity usable = gpu_usable(g);
    char memory[32] = "memory unknown", rate[32] = "", year[32] = "";
    struct choice *c = choices_add(list, id, name, "");

    c->tail = true;
    if (usable.known)
        units_gib(memory, sizeof(memory), usable.value);
    if (g->bandwidth.known)
        units_bandwidth(rate, sizeof(rate), g->bandwidth.value);
    if (g->release_year > 0)
        gp_format(year, sizeof(year), ", %d", g->release_year);
    gp_format(c->more, sizeof(c->more), "%s usable%s%s%s", memory, rate[0] ? ", " : "", rate, year);
}

/* The one in this machine, if the catalogue knows it. */
static void add_local_gpu(struct form *form, struct choices_list *list)
{
    struct options options = {0};
    struct resolved r;
    char text[120];

    if (planner_resolve(form->planner, &options, MODEL_DEFAULT, NULL, "local", &r, NULL))
        return;
    gp_format(text, sizeof(text), "here: %s", gpu_short_name(r.request.gpu));
    choices_add_gpu(list, "local", text, r.request.gpu);
}

static void add_slices(const struct gpu *g, struct choices_list *list)
{
    for (int i = 0; i < g->slice_count; i++) {
        char id[GPU_ID_MAX + 32], text[120];
        struct gpu cut;

        gp_format(id, sizeof(id), "%s/%s", g->id, g->slice[i].profile);
        gp_format(text, sizeof(text), "%s, MIG %s", gpu_short_name(g), g->slice[i].profile);
        if (!gpu_slice_of(g, g->slice[i].profile, &cut, NULL))
            choices_add_gpu(list, id, text, &cut);
    }
}

static void choices_gpus(struct form *form, bool details, struct choices_list *list)
{
    const char *id =
        form->answered ? form->answer->plan.request.gpu->id : form->values.value[FIELD_GPU];
    size_t count, len = strcspn(id, "/"); /* "h100-sxm/3g.40gb" is a slice of "h100-sxm" */
    const struct gpu *const *all;

    choices_add(list, "", "auto: here, else the cheapest", "");
    if (details)
        add_local_gpu(form, list);
    if (catalog_gpus(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        choices_add_gpu(list, all[i]->id, gpu_short_name(all[i]), all[i]);
        if (strlen(all[i]->id) == len && strncmp(all[i]->id, id, len) == 0)
            add_slices(all[i], list);
    }
}

/* ---- engines, providers, regions ---- */

static void choices_engines(struct form *form, bool details, struct choices_list *list)
{
    const struct engine *all;
    size_t count;
    char id[80], text[120], more[80];

    (void)details;
    choices_add(list, "", "auto", "the newest vLLM; llama.cpp for GGUF");
    if (catalog_engines(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct engine *e = &all[i];

        catalog_engine_id(e, id, sizeof(id));
        gp_format(text, sizeof(text), "%s %s", e->name, e->range);
        gp_format(more, sizeof(more), "budgets by %s, %.2f by default",
                  engine_budget_word(e->budget), e->fraction);
        choices_add(list, id, text, more);
    }
}

/* Each provider, or each region, with how many instances it has. */
static void choices_places(struct form *form, bool regions, struct choices_list *list)
{
    const struct instance *all;
    size_t count;
    int *counts;

    choices_add(list, "", regions ? "any" : "all", "all instances of the catalogue");
    if (catalog_instances(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    counts = gp_calloc(count + 1, sizeof(*counts));
    for (size_t i = 0; i < count; i++) {
        const char *id = regions ? all[i].region : all[i].provider;
        int at = id[0] ? 1 : 0;

        while (at > 0 && at < list->count && strcmp(list->items[at].id, id) != 0)
            at++;
        if (at == list->count)
            choices_add(list, id, id, "");
        counts[at]++;
    }
    for (int i = 1; i < list->count; i++)
        gp_format(list->items[i].more, sizeof(list->items[i].more), "%d instances", counts[i]);
    free(counts);
}

/* ---- what stands in the form of a field that is no number ---- */

/* Of an answered form but for the model. False: the value stands there, or the default's word. */
static bool show_chosen(const struct form *form, enum field field, char *text, size_t size)
{
    const struct request *q = &form->answer->plan.request;
    const char *value = form->values.value[field], *chosen = value[0] ? "" : "auto: ";

    if (field == FIELD_MODEL)
        gp_format(text, size, "%s%s", path_name(value),
                  form->answered && form->answer->resolved.generic ? " (assumed)" : "");
    else if (!form->answered)
        return false;
    else if (field == FIELD_PRECISION)
        gp_format(text, size, "%s%s", chosen, q->precision.id);
    else if (field == FIELD_KV)
        gp_format(text, size, "%s%s", chosen, q->kv->id);
    else if (field == FIELD_ENGINE)
        gp_format(text, size, "%s%s %s", chosen, q->engine->name, q->engine->range);
    else if (field == FIELD_GPU && (!value[0] || strcmp(value, "local") == 0))
        gp_format(text, size, "%s: %s", form->answer->resolved.gpu_chosen ? "auto" : "here",
                  q->gpu->id);
    else
        return false;
    return true;
}

/* ---- fields that are chosen from a list ---- */

#define FIXED 5

static const struct {
    void (*choices)(struct form *form, bool details, struct choices_list *list);
    const char *fixed[FIXED][3]; /* or these: id, text, what is said about it */
    const char *other;           /* what may be typed besides */
} lists[FIELD_COUNT] = {
    [FIELD_MODEL] = {.choices = choices_models, .other = "a size such as 70B, or a path"},
    [FIELD_PRECISION] = {.choices = choices_precisions,
                         .other = "another format, as --list formats has it"},
    [FIELD_KV] = {.choices = choices_kv, .other = "another format, as --list formats has it"},
    [FIELD_GPU] = {.choices = choices_gpus,
                   .other = "id/slice:count, such as a100-sxm-80/3g.40gb:2"},
    [FIELD_ENGINE] = {.choices = choices_engines, .other = "a version, such as vllm@0.19"},
    [FIELD_PROVIDER] = {.other = "several, such as aws,gcp"},
    [FIELD_REGION] = {.other = "a part of a name, such as us"},
    [FIELD_PRICE] = {.fixed = {{"", "on-demand", "list prices of clouds"},
                               {"spot", "spot", "list prices of instances that may be taken away"},
                               {"market", "market", "marketplaces and auctions"},
                               {"buy", "buy", "the hardware, its power and its room"}}},
    [FIELD_RESERVE] = {.fixed = {{"", "load", "the requests at their end, and one of full context"},
                                 {"full", "full", "all users at full context"}}},
    [FIELD_GOALS] = {.fixed = {{"", "likely", "by the middle of an estimate"},
                               {"sure", "sure", "by its whole band: more GPUs"}}},
    [FIELD_DATED] = {.fixed = {{"", "off", "all rents"},
                               {"on", "on", "only prices with a date of their own"}}},
    [FIELD_PRUNE] = {.fixed = {{"", "none", "every weight is stored"},
                               {"2:4", "2:4", "two of four weights are zero: saves memory"},
                               {"50", "50 %", "zeros anywhere: saves nothing"}},
                     .other = "a percentage, such as 30"},
    [FIELD_DRAFT] = {.fixed = {{"", "none", "one token a step"},
                               {"mtp", "mtp", "the model's own multi-token-prediction layers"},
                               {"eagle3", "eagle3", "an EAGLE-3 head"},
                               {"dflash", "dflash", "DFlash: a block of tokens in one pass"},
                               {"ngram", "ngram", "what followed the same tokens before"}},
                     .other = "a model, such as qwen3-0.6b"},
    [FIELD_LORA] = {.fixed = {{"", "none", "the model alone"},
                              {"1:16", "1 of rank 16", "one LoRA adapter"},
                              {"4:16", "4 of rank 16", "four at once"},
                              {"8:64", "8 of rank 64", "eight at once"}},
                    .other = "adapters and their rank, such as 4:32"},
    [FIELD_NO_KV] = {.fixed = {{"", "off", "on the GPU"},
                               {"on", "on", "in host memory, where attention is computed then"}}},
};

struct choice *form_choices(struct form *form, enum field field, bool details, int *count)
{
    struct choices_list list = {0};

    *count = 0;
    if (field == FIELD_COUNT)
        return NULL;
    if (lists[field].choices)
        lists[field].choices(form, details, &list);
    if (field == FIELD_PROVIDER || field == FIELD_REGION)
        choices_places(form, field == FIELD_REGION, &list);
    for (int i = 0; i < FIXED && lists[field].fixed[i][0]; i++)
        choices_add(&list, lists[field].fixed[i][0], lists[field].fixed[i][1],
                    lists[field].fixed[i][2]);
    *count = list.count;
    return list.items;
}

const char *form_free_text(enum field field)
{
    return lists[field].other;
}

/* ---- numbers ---- */

double field_planned(const struct answer *a, enum field field)
{
    const struct option_planned *at = &field_rows[field].form->planned;
    const struct ownership *owned = a->resolved.market.ownership;
    const struct request *q = &a->plan.request;
    const char *member = (const char *)&a->plan + at->offset;
    const char *text = option_rows[field_rows[field].option].fallback;

    if (at->kind == PLANNED_INT)
        return *(const int *)(const void *)member * at->scale;
    if (at->kind == PLANNED_DOUBLE || at->kind == PLANNED_MEMORY)
        return at->kind == PLANNED_DOUBLE || a->plan.has_memory
                   ? *(const double *)(const void *)member * at->scale
                   : -1;
    if (field == FIELD_GPU_LAYERS)
        return q->model->layer_count + 1 - q->host_layers;
    if (field == FIELD_ELECTRICITY)
        return owned ? owned->electricity : -1;
    return text[0] >= '0' && text[0] <= '9' ? strtod(text, NULL) : -1; /* the option's default */
}

double form_number(const struct form *form, enum field field)
{
    const char *text = form->values.value[field];
    struct options options = {0};

    if (!text[0])
        return form->answered ? field_planned(form->answer, field) : -1;
    if (field == FIELD_GPUS)
        return strtod(text, NULL);
    if (!field_is_number(field) || options_text(&options, field_rows[field].option, "", text, NULL))
        return -1;
    return options.value[field_rows[field].option].number / (field == FIELD_USED ? GP_GIB : 1);
}

static void show_number(const struct form *form, enum field field, char *text, size_t size)
{
    const struct option_row *option = &option_rows[field_rows[field].option];
    const char *unit = field_rows[field].form->unit, *value = form->values.value[field];
    double number = form_number(form, field);
    char word[48];

    unit = unit ? unit : option->unit;
    if (!value[0] && field == FIELD_USERS && form->values.value[FIELD_RATE][0]) {
        gp_format(text, size, "by rate: %.0f", number);
        return;
    }
    if (!value[0] && strcmp(option->fallback, "none") == 0) {
        gp_copy(text, size, "none"); /* steps begin at the estimate, which is no goal */
        return;
    }
    if (number < 0) {
        gp_copy(text, size, value[0] ? value : "auto");
        return;
    }
    if (strcmp(unit, "share") == 0)
        gp_format(word, sizeof(word), "%.2f", number);
    else if (number < floor(number) || number > floor(number))
        gp_format(word, sizeof(word), "%.4g", number);
    else
        units_tokens(word, sizeof(word), number);
    gp_format(text, size, "%s%s%s%s",
              value[0] || (option->fallback[0] >= '0' && option->fallback[0] <= '9') ? ""
                                                                                     : "auto: ",
              word, unit[0] ? " " : "", unit);
}

/* ---- all of them ---- */

void form_show(struct form *form)
{
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *value = form->values.value[f];
        const char *fallback = option_rows[field_rows[f].option].fallback;
        char *text = form->shown[f];
        size_t size = sizeof(form->shown[f]);

        if (field_is_number((enum field)f))
            show_number(form, (enum field)f, text, size);
        else if (show_chosen(form, (enum field)f, text, size))
            ;
        else if (value[0])
            gp_copy(text, size, value);
        else /* the default's word, where it is one */
            gp_copy(text, size, strchr(fallback, ' ') ? "auto" : fallback);
        gp_sanitize(text);
    }
}
