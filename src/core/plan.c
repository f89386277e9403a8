/*
 * plan.c - one layout judged, see plan.h. The search for a layout, fixes and solving
 * have their own files.
 */
#include "core/plan.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

const char *verdict_word(enum verdict verdict)
{
    static const char *const words[] = {"fits", "marginal", "does-not-fit"};
    return words[verdict];
}

const char *limit_word(enum limit limit)
{
    static const char *const words[LIMIT_COUNT] = {
        "none", "weights",      "overhead", "kv-cache",    "layout",
        "type", "max-num-seqs", "used",     "max-context",
    };
    return words[limit];
}

double plan_margin(const struct plan *p)
{
    const struct memory *m = &p->memory;
    double kv = m->kv_pool.value - m->kv_reserved.value;
    if (p->limit != LIMIT_USED)
        return kv;
    return fmin(kv, m->usable.value - p->request.used - m->budget.value);
}

static void say(char (*lines)[240], int *count, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void say(char (*lines)[240], int *count, const char *fmt, ...)
{
    va_list args;
    if (*count >= PLAN_MAX_REASONS)
        return;
    va_start(args, fmt);
    vsnprintf(lines[(*count)++], 240, fmt, args);
    va_end(args);
}

/* A search judges thousands of layouts and says nothing of all but one. */
#define SAY(p, list, ...)                                                              \
    do {                                                                               \
        if (!(p)->silent)                                                              \
            say((p)->list##s, &(p)->list##_count, __VA_ARGS__);                        \
    } while (0)
#define REASON(p, ...)  SAY(p, reason, __VA_ARGS__)
#define WARNING(p, ...) SAY(p, warning, __VA_ARGS__)

static void refuse(struct plan *p, enum limit limit)
{
    p->verdict = VERDICT_DOES_NOT_FIT;
    if (p->limit == LIMIT_NONE)
        p->limit = limit;
}

/* ---- what has nothing to do with how much ---- */

static bool listed(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (strncmp(p, word, n) == 0 && (p[n] == '|' || p[n] == '\0'))
            return true;
    return false;
}

/* An engine runs on some vendors' GPUs, and keeps its KV cache in its own formats. */
static void check_engine(struct plan *p)
{
    const struct request *q = &p->request;
    const struct engine *e = q->engine;
    const struct format *w = q->precision.weight;
    bool known = listed("nvidia|amd|intel|apple", q->gpu->vendor);
    if (e->vendors[0] && !known)
        WARNING(p, "nobody has said whether %s runs on %s GPUs", e->name,
                q->gpu->vendor);
    else if (e->vendors[0] && !listed(e->vendors, q->gpu->vendor)) {
        REASON(p, "%s does not run on %s GPUs", e->name, q->gpu->vendor);
        refuse(p, LIMIT_TYPE);
    }
    if (w->bits < 16 && w->block <= 0 && !w->mix && !listed(e->quantized_any, w->id) &&
        q->gpu->compute_capability > 0 &&
        q->gpu->compute_capability < e->quantized_min_cc) {
        REASON(p, "%s takes %s weights from compute capability %d.%d on, %s has %d.%d",
               e->name, w->id, e->quantized_min_cc / 10, e->quantized_min_cc % 10,
               q->gpu->id, q->gpu->compute_capability / 10,
               q->gpu->compute_capability % 10);
        refuse(p, LIMIT_TYPE);
    }
    if ((q->kv->block > 0) != e->gguf && q->kv->bits < 16) {
        REASON(p, "%s has no %s KV cache", e->name, q->kv->id);
        refuse(p, LIMIT_TYPE);
    }
}

static void check_types(struct plan *p)
{
    const struct request *q = &p->request;
    const struct gpu *g = q->gpu;
    const struct format *w = q->precision.weight;
    bool bf16 = q->precision.base->math == MATH_BF16 && !q->model->weights_only;
    int least = q->engine->bf16_min_cc;
    struct quantity rate = g->rate[w->math], half = g->rate[MATH_FP16];
    struct quantity fp8 = g->rate[MATH_FP8];
    if (bf16 && least > 0 && g->compute_capability > 0 &&
        g->compute_capability < least) {
        if (w->math == MATH_BF16 && w->bits >= 16) {
            REASON(p,
                   "%s refuses BF16 below compute capability %d.%d, %s has %d.%d: use "
                   "--precision fp16",
                   q->engine->name, least / 10, least % 10, g->id,
                   g->compute_capability / 10, g->compute_capability % 10);
            refuse(p, LIMIT_TYPE);
        } else {
            WARNING(p, "%s has no BF16: run the activations in FP16 (--dtype half)",
                    g->id);
        }
    }
    if (!q->model->weights_only)
        check_engine(p);
    else
        WARNING(p,
                "only the weights are counted: what this kind of model needs to run is "
                "not estimated");
    if (w->mix && model_params_role(q->model, ROLE_VISION) > 0)
        WARNING(p,
                "the vision tower is not counted: GGUF keeps it in a file of its own");
    if (w->block > 0 && !q->engine->gguf)
        WARNING(p,
                "%s is a GGUF format; %s does not run it well: llama.cpp is its engine",
                w->id, q->engine->name);
    if (w->weight_only || w->math >= MATH_COUNT || w->bits >= 16)
        return;
    if (rate.known && rate.value == 0)
        WARNING(p,
                "%s has no %s arithmetic: %s weights are unpacked to 16 bit, which "
                "saves memory but no arithmetic",
                g->id, format_math_word(w->math), w->id);
    else if (rate.known && half.known && w->bits < 16 && rate.value < half.value)
        WARNING(p,
                "%s runs %s at only %.4g %s, %.1f times slower than FP16: prefill and "
                "large batches crawl%s",
                g->id, format_math_word(w->math), rate.value / 1e12,
                w->math == MATH_INT8 || w->math == MATH_INT4 ? "TOPS" : "TFLOPS",
                half.value / rate.value,
                fp8.known && fp8.value > half.value
                    ? "; FP8 is the fast 8-bit type here"
                    : "");
}

/* Tokens and users: nothing to ask of a model of which only the weights are counted. */
static void check_serving(struct plan *p)
{
    const struct request *q = &p->request;
    double seqs = memory_max_num_seqs(q);
    if (q->model->max_context > 0 && q->context > q->model->max_context) {
        REASON(p, "%.0f tokens of context exceed the %d the model was made for",
               q->context, q->model->max_context);
        refuse(p, LIMIT_CONTEXT);
    }
    if (ceil(q->users / p->layout.replicas) > seqs) {
        REASON(p,
               "%.0f users per replica exceed max_num_seqs %.0f: the rest would wait",
               ceil(q->users / p->layout.replicas), seqs);
        refuse(p, LIMIT_SEQS);
    }
}

static void check_request(struct plan *p)
{
    const struct request *q = &p->request;
    if (q->prune == PRUNE_UNSTRUCTURED)
        WARNING(p, "unstructured pruning saves no memory: zeros are stored like any "
                   "other weight; 2:4 does save");
    if (q->prune == PRUNE_2_4 && q->gpu->compute_capability > 0 &&
        q->gpu->compute_capability < 80)
        WARNING(p,
                "%s has no sparse tensor cores (they start at compute capability 8.0)",
                q->gpu->id);
    if (strcmp(q->gpu->confidence, "low") == 0)
        WARNING(p, "the figures of %s are of low confidence", q->gpu->id);
}

/* vLLM takes its share of the whole GPU and does not start when that much is not free.
 */
static void check_used(struct plan *p)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    char free[32], wants[32];
    double left = m->usable.value - q->used;
    if (q->used <= 0 || q->engine->budget != BUDGET_UTILIZATION ||
        m->budget.value <= left)
        return;
    REASON(p, "%s wants %s but only %s are free: --memory-utilization %.2f at most",
           q->engine->name, units_gib(wants, sizeof(wants), m->budget.value),
           units_gib(free, sizeof(free), left),
           floor(left / m->usable.value * 100) / 100);
    refuse(p, LIMIT_USED);
}

/* ---- how much ---- */

struct term {
    const char *name;
    const char *knob;
    const struct quantity *q;
};

static double width(const struct quantity *q)
{
    return q->high - q->low;
}

static void name_knob(struct plan *p)
{
    const struct memory *m = &p->memory;
    const struct term terms[] = {
        {"CUDA graphs", "raise --memory-utilization, or run without graphs",
         &m->graphs},
        {"the activation peak", "lower --max-num-seqs", &m->activation},
        {"memory outside the allocator", "raise --memory-utilization", &m->non_torch},
        {"the usable memory of the GPU", "measure the device itself", &m->usable},
        {"the weights", "plan with the checkpoint's own files", &m->weights},
    };
    const struct term *widest = &terms[1];
    const struct engine *e = p->request.engine;
    bool graphs = e->budget != BUDGET_UTILIZATION || e->graphs_in_budget ||
                  p->limit == LIMIT_OVERHEAD;
    for (size_t i = 0; i < sizeof(terms) / sizeof(terms[0]); i++) {
        if (i == 0 && !graphs)
            continue;
        if (width(terms[i].q) > width(widest->q))
            widest = &terms[i];
    }
    gp_format(p->knob, sizeof(p->knob), "%s (%.2f..%.2f GiB): %s", widest->name,
              widest->q->low / GP_GIB, widest->q->high / GP_GIB, widest->knob);
}

static void explain_shortage(struct plan *p)
{
    const struct memory *m = &p->memory;
    char a[32], b[32], c[32];
    if (m->weights.low > m->budget.high) {
        p->limit = LIMIT_WEIGHTS;
        REASON(p, "the weights take %s per GPU, %s may be used",
               units_gib(a, sizeof(a), m->weights.value),
               units_gib(b, sizeof(b), m->budget.value));
        return;
    }
    if (m->kv_pool.high <= 0) {
        p->limit = LIMIT_OVERHEAD;
        REASON(p, "weights %s and overheads leave no room for KV (%s)",
               units_gib(a, sizeof(a), m->weights.value),
               units_gib(b, sizeof(b), m->kv_pool.value));
        return;
    }
    p->limit = LIMIT_KV;
    REASON(p, "%.0f x %.0f tokens need %s of KV per GPU, %s are left (band up to %s)",
           m->users, p->request.context, units_gib(a, sizeof(a), m->kv_reserved.value),
           units_gib(b, sizeof(b), m->kv_pool.value),
           units_gib(c, sizeof(c), m->kv_pool.high));
}

/* SGLang's fraction covers weights and KV; what it leaves must hold everything else. */
static void check_static_rest(struct plan *p)
{
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;
    struct quantity need =
        quantity_add(quantity_add(m->activation, m->non_torch), m->graphs);
    double share = 1 - m->fraction * (1 - q->headroom);
    struct quantity rest = quantity_scale(
        quantity_max0(quantity_sub(m->usable, quantity_exact(q->used))), share);
    if (q->engine->budget != BUDGET_STATIC || need.high <= rest.low)
        return;
    REASON(p, "the engine's overheads take up to %.2f GiB, its fraction leaves %.2f",
           need.high / GP_GIB, rest.low / GP_GIB);
    if (need.low > rest.high)
        refuse(p, LIMIT_OVERHEAD);
    else if (p->verdict == VERDICT_FITS)
        p->verdict = VERDICT_MARGINAL;
    if (p->limit == LIMIT_NONE)
        p->limit = LIMIT_OVERHEAD;
    if (p->verdict == VERDICT_MARGINAL)
        name_knob(p);
}

/* What lies outside the budget (graphs, other processes) comes out of what it leaves.
 */
static void check_free(struct plan *p)
{
    const struct memory *m = &p->memory;
    if (p->verdict != VERDICT_FITS || memory_state(m) != MEMORY_OVERRUNS)
        return;
    p->verdict = VERDICT_MARGINAL;
    p->limit = LIMIT_OVERHEAD;
    name_knob(p);
    REASON(p, "all parts together leave %.2f..%.2f GiB: it may run out",
           m->free.low / GP_GIB, m->free.high / GP_GIB);
    REASON(p, "what decides: %s", p->knob);
}

static void judge(struct plan *p)
{
    const struct memory *m = &p->memory;
    double need = m->kv_reserved.value;
    enum memory_state state = memory_state(m);
    if (state <= MEMORY_OVERRUNS)
        return;
    if (state == MEMORY_LACKS) {
        enum limit before = p->limit;
        refuse(p, LIMIT_KV);
        explain_shortage(p);
        p->limit = before != LIMIT_NONE ? before : p->limit;
        return;
    }
    if (p->verdict == VERDICT_FITS)
        p->verdict = VERDICT_MARGINAL;
    if (p->limit == LIMIT_NONE)
        p->limit = LIMIT_KV;
    name_knob(p);
    REASON(p, "the users need %.2f GiB of KV, the pool is %.2f..%.2f GiB",
           need / GP_GIB, m->kv_pool.low / GP_GIB, m->kv_pool.high / GP_GIB);
    REASON(p, "what decides: %s", p->knob);
}

/* ---- one layout ---- */

void plan_judge(const struct request *q, const struct load *load,
                const struct layout *layout, bool sentences, struct plan *p)
{
    char why[400];
    memset(p, 0, sizeof(*p));
    p->silent = !sentences;
    p->request = *q;
    p->layout = *layout;
    p->layout.gpus = layout->tp * layout->pp * layout->replicas;
    p->layout.hosts = layout_hosts(&p->layout, q->host_gpus);
    if (!layout_valid(q, &p->layout, why, sentences ? sizeof(why) : 0)) {
        REASON(p, "%s", why);
        refuse(p, LIMIT_LAYOUT);
        return;
    }
    memory_estimate(q, load, &p->layout, &p->memory);
    p->has_memory = true;
    check_types(p);
    check_request(p);
    if (!q->model->weights_only) {
        check_serving(p);
        check_used(p);
    }
    judge(p);
    if (!q->model->weights_only)
        check_static_rest(p);
    check_free(p);
}

void plan_price(struct plan *p, const struct market *market)
{
    p->priced = true;
    if (!p->has_memory)
        return;
    cost_estimate(&p->request, &p->layout, market, &p->cost);
    if (p->cost.machines > 0)
        p->layout.hosts = p->cost.machines;
}

void plan_layout(const struct request *q, const struct layout *layout,
                 const struct market *market, struct plan *p)
{
    struct load load = load_sum(q);
    plan_judge(q, &load, layout, true, p);
    plan_price(p, market);
}

bool plan_spans(const struct plan *p)
{
    const struct rent *r = cost_wanted(&p->cost);
    return r && r->known ? r->apart : layout_group(&p->layout) > p->request.host_gpus;
}
