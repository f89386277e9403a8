/*
 * form_choices.c - what can be chosen for a field, and what is said about each.
 *
 * Each list begins with the default (id ""), where there is one. A step of the form
 * walks the same list, without the details, which for precisions means planning each.
 */
#include "tui/form.h"
#include "tui/recent_models.h"

#include <stdlib.h>
#include <string.h>

#include "answer/sentence.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/read/hub_cache.h"

struct list {
    struct choice *items;
    size_t cap;
    int count;
};

static struct choice *list_add(struct list *list, const char *id, const char *text,
                               const char *more)
{
    struct choice *c;

    list->items = gp_grow(list->items, &list->cap, (size_t)list->count + 1, sizeof(*list->items));
    c = &list->items[list->count++];
    memset(c, 0, sizeof(*c));
    gp_copy(c->id, sizeof(c->id), id);
    gp_copy(c->text, sizeof(c->text), text);
    gp_tame(c->text);
    gp_copy(c->more, sizeof(c->more), more);
    return c;
}

/* ---- models ---- */

static void add_model(struct list *list, const struct model *m)
{
    struct choice *c = list_add(list, m->id, m->name, "");
    char params[32], tokens[32];

    units_params(params, sizeof(params), model_params(m));
    units_tokens(tokens, sizeof(tokens), m->max_context);
    if (m->max_context > 0)
        gp_format(c->more, sizeof(c->more), "%s, %s tokens, %s", params, tokens,
                  m->native_name[0] ? m->native_name : m->native_dtype);
    else
        gp_format(c->more, sizeof(c->more), "%s, %s", params,
                  m->weights_only ? "weights only" : m->native_dtype);
}

static const char of_a_size[] = "a dense model of about this size, shape assumed";

static bool is_listed(const struct list *list, const char *id)
{
    for (int i = 0; i < list->count; i++)
        if (strcmp(list->items[i].id, id) == 0)
            return true;
    return false;
}

/* Those of the hub's cache, and those of the current folder. */
static void add_local_models(struct list *list)
{
    struct hub_model *hub;
    size_t cached = hub_cache_list(&hub);
    char **paths;
    size_t count = local_models(".", &paths);

    for (size_t i = 0; i < count; i++)
        if (!is_listed(list, paths[i]))
            list_add(list, paths[i], paths[i], "a model in this folder");
    for (size_t i = 0; i < cached; i++)
        if (!is_listed(list, hub[i].name))
            list_add(list, hub[i].name, hub[i].name, "in the hub's cache here");
    free(hub);
    local_models_free(paths, count);
}

static void add_chosen(const struct model *const *all, size_t count, const char *id,
                       struct list *list)
{
    size_t i = 0;

    while (i < count && strcmp(all[i]->id, id) != 0)
        i++;
    if (is_listed(list, id))
        return;
    if (i < count)
        add_model(list, all[i]);
    else
        list_add(list, id, id, id[0] >= '0' && id[0] <= '9' ? of_a_size : "chosen before");
}

/* The one that is chosen, and those that were before, the last one first: in this run, then in
 * earlier ones. */
static void add_recent(struct form *form, const struct model *const *all, size_t count,
                       struct list *list)
{
    struct recent_models recent;

    for (int at = form->undo_last; at >= form->undo_first; at--)
        add_chosen(all, count, form->undo[at % FORM_UNDO].value[FIELD_MODEL], list);
    recent_models_read(&recent);
    for (int i = 0; i < recent.count; i++)
        if (recent_models_is_there(form, recent.id[i]))
            add_chosen(all, count, recent.id[i], list);
}

/* Language models first; by family, and within one from small to large. */
static int by_family(const void *pa, const void *pb)
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

static void models(struct form *form, bool details, struct list *list)
{
    /* Where a newcomer begins; any other size can be typed. */
    static const char *const sizes[] = {"8B", "70B", "400B"};
    const struct model *const *all, **sorted;
    size_t count;

    if (catalog_models(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    if (details) {
        add_recent(form, all, count, list);
        add_local_models(list);
    }
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++)
        if (!is_listed(list, sizes[i]))
            list_add(list, sizes[i], sizes[i], of_a_size);
    sorted = gp_calloc(count + 1, sizeof(*sorted));
    for (size_t i = 0; i < count; i++)
        sorted[i] = all[i];
    if (count > 0)
        qsort(sorted, count, sizeof(*sorted), by_family);
    for (size_t i = 0; i < count; i++)
        if (!details || !is_listed(list, sorted[i]->id))
            add_model(list, sorted[i]);
    free(sorted);
}

/* ---- formats ---- */

/* Tensor types of GGUF are parts of files, not files; TF32 is a way to reckon; no engine
 * runs FP64. */
static bool is_offered(const struct format *f)
{
    return strncmp(f->id, "ggml-", 5) != 0 && strcmp(f->id, "tf32") != 0 &&
           strcmp(f->id, "fp64") != 0;
}

/* What most people look for stands first. */
static int place_of(const struct format *f)
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
static int by_bits(const void *pa, const void *pb)
{
    const struct format *a = *(const struct format *const *)pa;
    const struct format *b = *(const struct format *const *)pb;
    int place_a = place_of(a), place_b = place_of(b);
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

static const struct format **formats_of(struct form *form, size_t *count)
{
    const struct format *all, **list;
    size_t n, used = 0;

    if (catalog_formats(planner_catalog(form->planner), &all, &n, NULL))
        n = 0;
    list = gp_calloc(n + 1, sizeof(*list));
    for (size_t i = 0; i < n; i++)
        if (is_offered(&all[i]))
            list[used++] = &all[i];
    if (used)
        qsort(list, used, sizeof(*list), by_bits);
    *count = used;
    return list;
}

/* What the plan would be with these weights: "33.88 GiB per GPU: fits on 2". */
static void say_precision(struct form *form, const char *id, char *text, size_t size)
{
    struct options options;
    struct resolved resolved;
    struct plan *plan;
    const struct request *now = &form->answer->plan.request;
    char gib[32];
    struct texts why = {0};

    form_ask(form, &options);
    if (planner_resolve(form->planner, &options, NULL, id[0] ? id : "native", now->gpu->id,
                        &resolved, NULL))
        return;
    resolved.request.gpu_count = now->gpu_count;
    plan = gp_calloc(1, sizeof(*plan));
    planner_plan(form->planner, &resolved, plan);
    if (plan->has_memory)
        gp_format(text, size, "%s per GPU: %s on %d x %s",
                  units_gib(gib, sizeof(gib), plan->memory.weights.value),
                  verdict_words_for(plan->verdict, plan->limit)->sentence, plan->layout.gpus,
                  now->gpu->id);
    else
        gp_copy(text, size, sentence_first_reason(plan, &why));
    texts_fini(&why);
    free(plan);
}

static void precisions(struct form *form, bool details, struct list *list)
{
    const struct model *m = form->answered ? form->answer->plan.request.model : NULL;
    struct precision native, p;
    char text[120] = "as published";
    size_t count;
    const struct format **all = formats_of(form, &count);

    if (m && planner_precision(form->planner, m, NULL, &native, NULL) == GP_OK)
        gp_format(text, sizeof(text), "as published: %s", native.weight->id);
    else
        m = NULL;
    list_add(list, "", text, "");
    for (size_t i = 0; i < count; i++) {
        if (m && (planner_precision(form->planner, m, all[i], &p, NULL) || p.native))
            continue; /* native is there already */
        gp_format(text, sizeof(text), "%-10s %s", all[i]->id, all[i]->name);
        list_add(list, all[i]->id, text, "");
    }
    free(all);
    for (int i = 0; details && m && i < list->count; i++)
        say_precision(form, list->items[i].id, list->items[i].more, sizeof(list->items[i].more));
}

/* An engine that reads GGUF keeps its KV cache in such formats too; the others do not. */
static bool is_kv_format(const struct form *form, const struct format *f)
{
    bool gguf = form->answered && form->answer->plan.request.engine->gguf;

    return gp_has_word("fp32 bf16 fp16", " ", f->id) ||
           gp_has_word(gguf ? "q8_0 q5_1 q5_0 q4_1 q4_0 iq4_nl" : "fp8 int8 nvfp4", " ", f->id);
}

static void kv_formats(struct form *form, struct list *list)
{
    char text[120], more[40];
    size_t count;
    const struct format **all = formats_of(form, &count);

    list_add(list, "", "auto", "what the checkpoint asks for, else the activations' format");
    for (size_t i = 0; i < count; i++)
        if (is_kv_format(form, all[i])) {
            gp_format(text, sizeof(text), "%-10s %s", all[i]->id, all[i]->name);
            gp_format(more, sizeof(more), "%.4g bits per element", all[i]->bits);
            list_add(list, all[i]->id, text, more);
        }
    free(all);
}

/* ---- GPUs ---- */

/* As one of a list. Names begin alike: one that is cut keeps its end. */
static void add_gpu(struct list *list, const char *id, const char *name, const struct gpu *g)
{
    struct quantity usable = gpu_usable(g);
    char memory[32] = "memory unknown", rate[32] = "", year[32] = "";
    struct choice *c = list_add(list, id, name, "");

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
static void add_local_gpu(struct form *form, struct list *list)
{
    struct options options = {0};
    struct resolved r;
    char text[120];

    if (planner_resolve(form->planner, &options, MODEL_DEFAULT, NULL, "local", &r, NULL))
        return;
    gp_format(text, sizeof(text), "here: %s", gpu_short_name(r.request.gpu));
    add_gpu(list, "local", text, r.request.gpu);
}

static void add_slices(const struct gpu *g, struct list *list)
{
    for (int i = 0; i < g->slice_count; i++) {
        char id[GPU_ID_MAX + 32], text[120];
        struct gpu cut;

        gp_format(id, sizeof(id), "%s/%s", g->id, g->slice[i].profile);
        gp_format(text, sizeof(text), "%s, MIG %s", gpu_short_name(g), g->slice[i].profile);
        if (!gpu_slice_of(g, g->slice[i].profile, &cut, NULL))
            add_gpu(list, id, text, &cut);
    }
}

/* "h100-sxm/3g.40gb" is a slice of "h100-sxm". */
static bool is_chosen(const struct form *form, const struct gpu *g)
{
    const char *id =
        form->answered ? form->answer->plan.request.gpu->id : form->values.value[FIELD_GPU];
    size_t len = strcspn(id, "/");

    return strlen(g->id) == len && strncmp(g->id, id, len) == 0;
}

static void gpus(struct form *form, bool details, struct list *list)
{
    const struct gpu *const *all;
    size_t count;

    list_add(list, "", "auto: here, else the cheapest", "");
    if (details)
        add_local_gpu(form, list);
    if (catalog_gpus(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        add_gpu(list, all[i]->id, gpu_short_name(all[i]), all[i]);
        if (is_chosen(form, all[i]))
            add_slices(all[i], list);
    }
}

/* ---- engines, prices, pruning ---- */

static void engines(struct form *form, struct list *list)
{
    const struct engine *all;
    size_t count;
    char id[80], text[120], more[80];

    list_add(list, "", "auto", "the newest vLLM; llama.cpp for GGUF");
    if (catalog_engines(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    for (size_t i = 0; i < count; i++) {
        const struct engine *e = &all[i];

        catalog_engine_id(e, id, sizeof(id));
        gp_format(text, sizeof(text), "%s %s", e->name, e->range);
        gp_format(more, sizeof(more), "budgets by %s, %.2f by default",
                  engine_budget_word(e->budget), e->fraction);
        list_add(list, id, text, more);
    }
}

static void prices(struct list *list)
{
    list_add(list, "", "on-demand", "list prices of clouds");
    list_add(list, "spot", "spot", "list prices of instances that may be taken away");
    list_add(list, "market", "market", "marketplaces and auctions");
    list_add(list, "buy", "buy", "the hardware, its power and its room");
}

static void dates(struct list *list)
{
    list_add(list, "", "off", "all rents");
    list_add(list, "on", "on", "only prices with a date of their own");
}

static void prunings(struct list *list)
{
    list_add(list, "", "none", "every weight is stored");
    list_add(list, "2:4", "2:4", "two of four weights are zero: saves memory");
    list_add(list, "50", "50 %", "zeros anywhere: saves nothing");
}

static void drafts(struct list *list)
{
    list_add(list, "", "none", "one token a step");
    list_add(list, "mtp", "mtp", "the model's own multi-token-prediction layers");
}

static void adapters(struct list *list)
{
    list_add(list, "", "none", "the model alone");
    list_add(list, "1:16", "1 of rank 16", "one LoRA adapter");
    list_add(list, "4:16", "4 of rank 16", "four at once");
    list_add(list, "8:64", "8 of rank 64", "eight at once");
}

static void kv_places(struct list *list)
{
    list_add(list, "", "off", "on the GPU");
    list_add(list, "on", "on", "in host memory, where attention is computed then");
}

/* ---- providers, regions ---- */

static int find_choice(const struct list *list, const char *id)
{
    for (int i = 1; i < list->count; i++)
        if (strcmp(list->items[i].id, id) == 0)
            return i;
    return -1;
}

/* Each provider, or each region, with how many instances it has. */
static void places(struct form *form, bool regions, struct list *list)
{
    const struct instance *all;
    size_t count;
    int *counts;

    list_add(list, "", regions ? "any" : "all", "all instances of the catalogue");
    if (catalog_instances(planner_catalog(form->planner), &all, &count, NULL))
        count = 0;
    counts = gp_calloc(count + 1, sizeof(*counts));
    for (size_t i = 0; i < count; i++) {
        const char *id = regions ? all[i].region : all[i].provider;
        int at = id[0] ? find_choice(list, id) : 0;

        if (at < 0) {
            list_add(list, id, id, "");
            at = list->count - 1;
        }
        counts[at]++;
    }
    for (int i = 1; i < list->count; i++)
        gp_format(list->items[i].more, sizeof(list->items[i].more), "%d instances", counts[i]);
    free(counts);
}

/* ---- all of them ---- */

struct choice *form_choices(struct form *form, enum field field, bool details, int *count)
{
    struct list list = {0};

    switch (field) {
    case FIELD_MODEL:
        models(form, details, &list);
        break;
    case FIELD_PRECISION:
        precisions(form, details, &list);
        break;
    case FIELD_KV:
        kv_formats(form, &list);
        break;
    case FIELD_GPU:
        gpus(form, details, &list);
        break;
    case FIELD_ENGINE:
        engines(form, &list);
        break;
    case FIELD_PRICE:
        prices(&list);
        break;
    case FIELD_PROVIDER:
    case FIELD_REGION:
        places(form, field == FIELD_REGION, &list);
        break;
    case FIELD_DATED:
        dates(&list);
        break;
    case FIELD_PRUNE:
        prunings(&list);
        break;
    case FIELD_DRAFT:
        drafts(&list);
        break;
    case FIELD_LORA:
        adapters(&list);
        break;
    case FIELD_NO_KV:
        kv_places(&list);
        break;
    default:
        break;
    }
    *count = list.count;
    return list.items;
}

const char *form_free_text(enum field field)
{
    switch (field) {
    case FIELD_MODEL:
        return "a size such as 70B, or a path";
    case FIELD_PRECISION:
    case FIELD_KV:
        return "another format, as --list formats has it";
    case FIELD_GPU:
        return "id/slice:count, such as a100-sxm-80/3g.40gb:2";
    case FIELD_ENGINE:
        return "a version, such as vllm@0.19";
    case FIELD_PROVIDER:
        return "several, such as aws,gcp";
    case FIELD_REGION:
        return "a part of a name, such as us";
    case FIELD_PRUNE:
        return "a percentage, such as 30";
    case FIELD_DRAFT:
        return "a model, such as qwen3-0.6b";
    case FIELD_LORA:
        return "adapters and their rank, such as 4:32";
    default:
        return NULL;
    }
}
