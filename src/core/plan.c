/*
 * plan.c - see plan.h. Search for a layout here; fixes and solving have their own
 * files.
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

#define REASON(p, ...)  say((p)->reasons, &(p)->reason_count, __VA_ARGS__)
#define WARNING(p, ...) say((p)->warnings, &(p)->warning_count, __VA_ARGS__)

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
    if (p->verdict != VERDICT_FITS || m->free.low >= 0)
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
    if (need <= m->kv_pool.low && m->kv_pool.low >= 0)
        return;
    if (need > m->kv_pool.high || m->kv_pool.high <= 0) {
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

static void judge_layout(const struct request *q, const struct layout *layout,
                         struct plan *p)
{
    char why[400];
    memset(p, 0, sizeof(*p));
    p->request = *q;
    p->layout = *layout;
    p->layout.gpus = layout->tp * layout->pp * layout->replicas;
    p->layout.hosts = layout_hosts(&p->layout, q->host_gpus);
    if (!layout_valid(q, &p->layout, why, sizeof(why))) {
        REASON(p, "%s", why);
        refuse(p, LIMIT_LAYOUT);
        return;
    }
    memory_estimate(q, &p->layout, &p->memory);
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

void plan_layout(const struct request *q, const struct layout *layout,
                 const struct market *market, struct plan *p)
{
    judge_layout(q, layout, p);
    if (p->has_memory)
        cost_estimate(q, &p->layout, market, &p->cost);
}

/* ---- choosing a layout ---- */

static bool fixed_or(int want, int have)
{
    return want <= 0 || want == have;
}

static bool lacks_memory(const struct plan *p)
{
    return p->limit == LIMIT_WEIGHTS || p->limit == LIMIT_OVERHEAD ||
           p->limit == LIMIT_KV;
}

/* Better verdict first; among those that do not fit, what misses least; then fewer
 * GPUs, less PP, fewer replicas. */
static bool prefer(const struct plan *a, const struct plan *b)
{
    if (a->has_memory != b->has_memory)
        return a->has_memory;
    if (a->verdict != b->verdict)
        return a->verdict < b->verdict;
    if (a->verdict == VERDICT_DOES_NOT_FIT && lacks_memory(a) && lacks_memory(b))
        return plan_margin(a) > plan_margin(b);
    if (a->layout.gpus != b->layout.gpus)
        return a->layout.gpus < b->layout.gpus;
    if (a->layout.pp != b->layout.pp)
        return a->layout.pp < b->layout.pp;
    return a->layout.replicas < b->layout.replicas;
}

struct search {
    const struct request *request;
    struct plan best;
    bool any;
    int marginal_gpus; /* the fewest that are marginal; 0 = none seen */
};

static void consider(struct search *s, const struct plan *p)
{
    int gpus = p->layout.gpus;
    if (p->verdict == VERDICT_MARGINAL &&
        (s->marginal_gpus == 0 || gpus < s->marginal_gpus))
        s->marginal_gpus = gpus;
    if (!s->any || prefer(p, &s->best))
        s->best = *p;
    s->any = true;
}

/* Judges one cut; false when it is not valid. Such a cut is only an answer (with its
 * reason) when the request itself fixed it. */
static bool try_layout(struct search *s, int tp, int pp, int replicas, struct plan *p)
{
    const struct request *q = s->request;
    struct layout l = {.tp = tp, .pp = pp, .replicas = replicas};
    l.ep = q->ep > 0 ? q->ep : 1;
    judge_layout(q, &l, p);
    if (p->has_memory || (q->tp > 0 && (q->pp > 0 || pp == 1)))
        consider(s, p);
    return p->has_memory;
}

/* ---- a given number of GPUs ---- */

/* TP within a host first. PP is slower and rarer: it is taken only when no cut without
 * it fits, and never in place of a TP that one host can hold. */
static void try_count(struct search *s, int n)
{
    const struct request *q = s->request;
    struct plan p;
    for (int pp = 1; pp <= n; pp++) {
        bool had = s->any && s->best.has_memory;
        for (int replicas = 1; replicas * pp <= n; replicas++)
            if (n % (replicas * pp) == 0 && fixed_or(q->pp, pp) &&
                fixed_or(q->replicas, replicas) && fixed_or(q->tp, n / replicas / pp))
                try_layout(s, n / replicas / pp, pp, replicas, &p);
        bool held =
            !had && pp == 1 && s->best.has_memory && s->best.layout.replicas == 1;
        if (s->any && (s->best.verdict == VERDICT_FITS || held))
            return;
    }
}

/* ---- the fewest GPUs ---- */

/* Replicas so that each one's share of the users fits in `pool`; 0 = no number does.
 * What a replica needs does not depend on how many there are. */
static int enough_replicas(const struct plan *p, double pool)
{
    double each = p->memory.sequence.reserved;
    double slots = memory_max_num_seqs(&p->request);
    double users = each > 0 ? fmin(floor(pool / each), slots) : slots;
    return users >= 1 ? (int)fmin(ceil(p->request.users / users), PLAN_MAX_GPUS + 1)
                      : 0;
}

/* Experts may be spread over replicas: then their number is a multiple of this. */
static int replica_step(const struct request *q, int tp)
{
    int step = 1;
    while (q->ep > tp && tp * step % q->ep != 0 && step < q->ep)
        step++;
    return step;
}

static void try_cut(struct search *s, int tp, int pp)
{
    const struct request *q = s->request;
    int step = replica_step(q, tp);
    int counts[2] = {0, 0};
    struct plan p;
    if (!try_layout(s, tp, pp, q->replicas > 0 ? q->replicas : step, &p) ||
        q->replicas > 0 || p.verdict == VERDICT_FITS)
        return;
    counts[0] = enough_replicas(&p, p.memory.kv_pool.low);
    counts[1] = enough_replicas(&p, p.memory.kv_pool.high);
    for (int i = 0; i < 2; i++) {
        int replicas = (counts[i] + step - 1) / step * step;
        if (replicas > step && tp * pp * replicas <= PLAN_MAX_GPUS)
            try_layout(s, tp, pp, replicas, &p);
    }
}

/* The widest TP that is valid inside one host: what a replica of several hosts uses. */
static int widest_tp(const struct request *q)
{
    struct layout l = {.pp = 1, .ep = 1, .replicas = 1};
    struct request open = *q;
    char why[8];
    open.gpu_count = 0;
    for (l.tp = q->host_gpus > 0 ? q->host_gpus : 1; l.tp > 1; l.tp--) {
        l.gpus = l.tp;
        if (layout_valid(&open, &l, why, sizeof(why)))
            break;
    }
    return l.tp;
}

/* Stages below which not even the weights have room; shares are a little uneven. */
static int least_stages(const struct request *q, int tp)
{
    double room = gpu_usable(q->gpu).high * tp * (q->ep > tp ? q->ep / tp : 1);
    double least = floor(weights_file_bytes(q) * 0.95 / room);
    return least > 2 ? (int)fmin(least, PLAN_MAX_GPUS / tp) : 2;
}

static bool fits(const struct search *s)
{
    return s->any && s->best.verdict == VERDICT_FITS;
}

/* A replica within one host; else whole hosts of pipeline stages, if those are fewer.
 */
static void search_counts(struct search *s)
{
    const struct request *q = s->request;
    int widest = q->tp > 0 ? q->tp : q->host_gpus > 0 ? q->host_gpus : 1;
    for (int tp = q->tp > 0 ? q->tp : 1; tp <= widest && q->pp <= 1; tp++)
        try_cut(s, tp, 1);
    /* PP costs speed: only where TP needs several replicas, or does not fit at all */
    if (q->pp != 1 && (!fits(s) || s->best.layout.replicas > 1)) {
        int tp = q->tp > 0 ? q->tp : widest_tp(q);
        int least = q->pp > 0 ? q->pp : least_stages(q, tp);
        int most = q->pp > 0 ? q->pp : PLAN_MAX_GPUS / tp;
        for (int pp = least; pp <= most; pp++)
            if (!fits(s) || tp * pp < s->best.layout.gpus)
                try_cut(s, tp, pp);
    }
    /* that many GPUs when asked for by number get the same layout */
    if (fits(s)) {
        struct search counted = {.request = q};
        try_count(&counted, s->best.layout.gpus);
        if (fits(&counted))
            s->best = counted.best;
    }
    if (fits(s) && s->marginal_gpus > 0 && s->marginal_gpus < s->best.layout.gpus)
        REASON(&s->best, "%d GPU%s would be marginal", s->marginal_gpus,
               s->marginal_gpus == 1 ? "" : "s");
}

void plan_request(const struct request *q, const struct market *market,
                  struct plan *out)
{
    struct search s = {.request = q};
    if (q->gpu_count > 0)
        try_count(&s, q->gpu_count);
    else
        search_counts(&s);
    if (!s.any) {
        /* no valid cut of the given numbers exists: say why the nearest one is none */
        struct layout l = {.tp = q->tp > 0 ? q->tp : 1,
                           .pp = q->pp > 0 ? q->pp : 1,
                           .ep = q->ep > 0 ? q->ep : 1,
                           .replicas = q->replicas > 0 ? q->replicas : 1};
        if (q->tp <= 0 && q->gpu_count > 0)
            l.tp = q->gpu_count / (l.pp * l.replicas) > 0
                       ? q->gpu_count / (l.pp * l.replicas)
                       : 1;
        judge_layout(q, &l, &s.best);
    }
    *out = s.best;
    if (out->has_memory)
        cost_estimate(q, &out->layout, market, &out->cost);
}
