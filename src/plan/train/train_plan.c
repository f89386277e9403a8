/*
 * train_plan.c - validity, verdict and search of train.h.
 *
 * Verdict, as for inference: fits when even the high end of `total` does, does-not-fit
 * when not even the low end does, marginal between.
 *
 * Search: memory per GPU falls with N from two ranks on, so the fewest GPUs are found
 * by bisection; one rank is tried apart because it has no buckets and no NCCL. The
 * highest ZeRO stage needs the fewest GPUs; with their number known, the lowest stage
 * that is as good wins, because it communicates least. Recomputation is chosen likewise:
 * the count is that of full recompute, and the least that fits on it wins. Where no
 * number surely fits, the fewest that the middle of the band fits is shown, else the
 * fewest whose states do.
 *
 * Example: Llama-3.1-8B, full, 2048 tokens, H100: one GPU is refused by its states
 * (134.6 GiB), ZeRO-3 on three has 16 B * 8.03e9 / 3 = 39.9 GiB of them.
 */
#include "plan/train/train.h"

#include <math.h>
#include <string.h>

/* ---- validity ---- */

/* Puts down the reason when it holds. */
static void train_plan_refuse(struct train_memory *m, bool holds, enum train_reason reason)
{
    m->reasons |= (unsigned)holds << reason;
}

/* Reasons that need no layout. */
static void check_numbers(const struct request *q, const struct train *t, struct train_memory *m)
{
    const struct model *model = q->model;

    train_plan_refuse(m, t->method <= TRAIN_NONE || t->method >= TRAIN_COUNT, TRAIN_REASON_METHOD);
    train_plan_refuse(m, model->weights_only || model->layer_count <= 0, TRAIN_REASON_TOKENS);
    train_plan_refuse(m, !(t->sequence >= 1 && t->sequence <= 1e8), TRAIN_REASON_SEQUENCE);
    train_plan_refuse(m, !(t->micro_batch >= 1 && t->micro_batch <= 1e6), TRAIN_REASON_MICRO_BATCH);
    train_plan_refuse(m, t->zero_stage < TRAIN_ZERO_CHOOSE || t->zero_stage > 3, TRAIN_REASON_ZERO);
    train_plan_refuse(m, t->method > TRAIN_FULL && (t->lora_rank < 1 || t->lora_rank > 65536),
                      TRAIN_REASON_LORA_RANK);
    train_plan_refuse(m,
                      t->gpus < 0 || t->tp < 1 || t->pp < 1 || t->cp < 1 || t->tp > PLAN_MAX_GPUS ||
                          t->pp > PLAN_MAX_GPUS || t->cp > PLAN_MAX_GPUS,
                      TRAIN_REASON_DEGREES);
    train_plan_refuse(m, model->positions > 0 && t->sequence > model->positions,
                      TRAIN_REASON_POSITIONS);
}

/* GPUs that share one micro-batch. */
static int replica_of(const struct train *t)
{
    return t->tp * t->pp * t->cp;
}

struct request train_request(const struct request *q)
{
    struct request plain = *q;

    plain.gpu_count = 0;
    plain.engine = NULL; /* its layouts are for serving */
    return plain;
}

int train_lowest_stage(const struct train *t)
{
    static const int lowest[OFFLOAD_COUNT] = {
        [OFFLOAD_OPTIMIZER] = 1,
        [OFFLOAD_PARAMETERS] = 3,
    };

    return lowest[t->offload];
}

/* ---- verdict ---- */

static enum train_limit limit_of(const struct request *q, const struct train_memory *m)
{
    double room = m->usable.value - q->used;

    if (m->free.value + q->used >= 0 && m->free.value < 0)
        return TRAIN_LIMIT_USED;
    if (m->weights.value > room)
        return TRAIN_LIMIT_WEIGHTS;
    if (m->states.value + m->context.value > room)
        return TRAIN_LIMIT_STATES;
    if (m->logits.value > m->live.value && m->moment == MOMENT_BACKWARD &&
        m->free.value + m->logits.value - m->live.value >= 0)
        return TRAIN_LIMIT_LOGITS;
    return TRAIN_LIMIT_ACTIVATIONS;
}

struct quantity train_knob_part(const struct train_memory *m)
{
    const struct quantity *const parts[TRAIN_KNOB_COUNT] = {
        [TRAIN_KNOB_ACTIVATIONS] = &m->activations, [TRAIN_KNOB_LOGITS] = &m->logits,
        [TRAIN_KNOB_BUFFERS] = &m->buffers,         [TRAIN_KNOB_GRADIENTS] = &m->gradients,
        [TRAIN_KNOB_WEIGHTS] = &m->weights,         [TRAIN_KNOB_STEP] = &m->step,
    };

    return *parts[m->knob];
}

/* gpus, zero_stage, tp and pp are set: the binding stage. */
static void estimate_layout(const struct request *q, const struct train *t,
                            struct train_memory *out)
{
    struct train_memory base = {
        .train = *t, .limit = TRAIN_LIMIT_LAYOUT, .verdict = VERDICT_DOES_NOT_FIT};

    check_numbers(q, t, &base);
    if (!base.reasons) {
        base.shards = t->gpus / (t->tp * t->pp);
        base.data_parallel = base.shards / t->cp;
        base.params = model_params(q->model);
        base.trainable = t->method == TRAIN_FULL ? base.params : train_adapters(q, t);
        struct request plain = train_request(q);
        struct layout l = train_layout(t);
        bool whole = t->gpus > 0 && t->gpus % replica_of(t) == 0;

        train_plan_refuse(&base, !whole, TRAIN_REASON_MULTIPLE);
        train_plan_refuse(&base, whole && !layout_valid(&plain, &l), TRAIN_REASON_LAYOUT);
        train_plan_refuse(&base, t->pp > 1 && t->zero_stage >= 2 && !t->device_map,
                          TRAIN_REASON_ZERO_PP);
        bool one = t->tp == 1 && t->cp == 1 && t->zero_stage == 0 && t->pp == t->gpus &&
                   t->offload == OFFLOAD_NONE;

        train_plan_refuse(&base, fmod(t->sequence, t->cp) != 0, TRAIN_REASON_CP);
        train_plan_refuse(&base, t->sequence_parallel && t->tp == 1,
                          TRAIN_REASON_SEQUENCE_PARALLEL);
        train_plan_refuse(&base, t->device_map && !one, TRAIN_REASON_MAP);
        train_plan_refuse(&base, t->device_map && q->host_gpus > 0 && t->gpus > q->host_gpus,
                          TRAIN_REASON_MAP_HOST);
        train_plan_refuse(&base, t->zero_stage < train_lowest_stage(t), TRAIN_REASON_OFFLOAD);
        /* a gradient that is applied at once cannot be summed over micro-batches, and over ranks
         * unit by unit only */
        bool ranks = t->gpus > t->tp * t->pp;
        train_plan_refuse(&base,
                          t->step_in_backward &&
                              (t->pp > 1 || t->offload != OFFLOAD_NONE || t->zero_stage == 1 ||
                               t->zero_stage == 2 || (ranks && t->zero_stage == 0)),
                          TRAIN_REASON_STEP);
        train_plan_refuse(&base, t->method > TRAIN_FULL && !base.reasons && base.trainable <= 0,
                          TRAIN_REASON_ADAPTERS);
    }
    *out = base;
    if (base.reasons)
        return;
    base.limit = TRAIN_LIMIT_NONE;
    base.usable = gpu_usable(q->gpu);
    for (int s = 0; s < t->pp; s++) {
        struct train_memory m = base;

        train_stage(q, s, &m);
        if (s == 0 || m.free.value < out->free.value)
            *out = m;
    }
    bool sharded = t->zero_stage == 3 && out->shards > 1;
    const bool holds[TRAIN_WARNING_COUNT] = {
        [TRAIN_WARNING_NF4_STORED] = t->method == TRAIN_QLORA && t->zero_stage == 3,
        [TRAIN_WARNING_ADAPTER_UNITS] = t->method != TRAIN_FULL && sharded,
        [TRAIN_WARNING_NO_SYNC] = t->method == TRAIN_FULL && sharded && !t->whole_gradients,
        [TRAIN_WARNING_SELECTIVE] = t->recompute == RECOMPUTE_SELECTIVE && !t->eager_attention,
        [TRAIN_WARNING_CONTEXT] = q->model->max_context > 0 && t->sequence > q->model->max_context,
        [TRAIN_WARNING_BF16] = q->gpu->compute_capability > 0 && q->gpu->compute_capability < 80,
    };
    unsigned bits = 0;

    for (int w = 0; w < TRAIN_WARNING_COUNT; w++)
        bits |= (unsigned)holds[w] << w;
    out->warnings = bits;
    out->verdict = out->free.low >= 0   ? VERDICT_FITS
                   : out->free.high < 0 ? VERDICT_DOES_NOT_FIT
                                        : VERDICT_MARGINAL;
    if (out->verdict == VERDICT_FITS)
        return;
    out->limit = limit_of(q, out);
    if (out->verdict == VERDICT_MARGINAL) { /* the part with the widest band decides */
        enum train_knob widest = out->knob;
        struct quantity part = train_knob_part(out);
        double most = part.high - part.low;

        for (int k = 0; k < TRAIN_KNOB_COUNT; k++) {
            out->knob = (enum train_knob)k;
            part = train_knob_part(out);
            if (part.high - part.low > most) {
                most = part.high - part.low;
                widest = out->knob;
            }
        }
        out->knob = widest;
    }
    out->reasons |= 1u << TRAIN_REASON_NEEDS;
}

/* ---- search ---- */

typedef bool (*good_fn)(const struct request *, const struct train_memory *);

static bool train_plan_fits(const struct request *q, const struct train_memory *m)
{
    (void)q;
    return m->verdict == VERDICT_FITS;
}

/* More likely than not. */
static bool middle_fits(const struct request *q, const struct train_memory *m)
{
    (void)q;
    return m->limit != TRAIN_LIMIT_LAYOUT && m->free.value >= 0;
}

/* Activations do not, on any number of GPUs: show where the rest does. */
static bool states_fit(const struct request *q, const struct train_memory *m)
{
    return m->limit != TRAIN_LIMIT_LAYOUT &&
           m->states.value + m->context.value <= m->usable.value - q->used;
}

static bool try_ranks(const struct request *q, struct train *t, int ranks, good_fn good)
{
    struct train_memory m;

    t->gpus = ranks * replica_of(t);
    estimate_layout(q, t, &m);
    return good(q, &m);
}

/* Fewest ranks that are good; 0 = none. */
static int fewest_ranks(const struct request *q, struct train *t, int most, good_fn good)
{
    int low = 1, high = most; /* `low` is not good, `high` is */

    if (try_ranks(q, t, 1, good))
        return 1;
    if (most < 2 || !try_ranks(q, t, most, good))
        return 0;
    while (high - low > 1) {
        int middle = low + (high - low) / 2;

        if (try_ranks(q, t, middle, good))
            high = middle;
        else
            low = middle;
    }
    return high;
}

static int highest_stage(const struct train *t)
{
    return t->device_map ? 0 : t->pp > 1 ? 1 : 3;
}

/* With ranks known: the lowest ZeRO stage that is as good as the highest one. */
static void choose_stage(const struct request *q, struct train *t, struct train_memory *out)
{
    int lowest = train_lowest_stage(t);
    int top = t->gpus > t->tp * t->pp || lowest > 0 ? highest_stage(t) : 0;
    struct train_memory best, m;

    t->zero_stage = top;
    estimate_layout(q, t, &best);
    *out = best;
    for (int z = lowest; z < top; z++) {
        t->zero_stage = z;
        estimate_layout(q, t, &m);
        if (m.verdict <= best.verdict && best.verdict != VERDICT_DOES_NOT_FIT) {
            *out = m;
            break;
        }
    }
    *t = out->train;
}

static void answer_stage(const struct request *q, struct train *t, bool choose,
                         struct train_memory *out)
{
    if (choose)
        choose_stage(q, t, out);
    else
        estimate_layout(q, t, out);
}

/* The least recomputation that fits as well as the most does; the most where even that
 * does not fit. */
static void choose_recompute(const struct request *q, const struct train *train, bool choose,
                             struct train_memory *out)
{
    struct train_memory m;
    struct train t = *train;

    t.recompute = RECOMPUTE_FULL;
    answer_stage(q, &t, choose, out);
    for (int r = RECOMPUTE_NONE; r < RECOMPUTE_FULL; r++) {
        if (out->verdict == VERDICT_DOES_NOT_FIT || r == RECOMPUTE_OPS ||
            (r == RECOMPUTE_SELECTIVE && !train->eager_attention))
            continue;
        t = *train;
        t.recompute = (enum recompute)r;
        answer_stage(q, &t, choose, &m);
        if (m.verdict <= out->verdict) {
            *out = m;
            break;
        }
    }
    out->recompute_chosen = true;
}

static void choose_ranks(const struct request *q, struct train *t, bool choose)
{
    static const good_fn wishes[] = {train_plan_fits, middle_fits, states_fit};
    int most = PLAN_MAX_GPUS / replica_of(t), ranks = 0;

    if (choose)
        t->zero_stage = highest_stage(t);
    for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]) && ranks == 0; i++)
        ranks = fewest_ranks(q, t, most, wishes[i]);
    /* More GPUs than a host has are rented host by host: 11 on hosts of 8 are 16. */
    int gpus = (ranks > 0 ? ranks : 1) * replica_of(t);
    int replica = replica_of(t);
    int host = q->host_gpus, whole = gpus;

    while (host > 1 && gpus > host && whole <= PLAN_MAX_GPUS &&
           (whole % host != 0 || whole % replica != 0))
        whole++;
    t->gpus = whole <= PLAN_MAX_GPUS ? whole : gpus;
}

/* Layers in series: the fewest GPUs of one host. */
static void choose_series(const struct request *q, struct train *t)
{
    static const good_fn wishes[] = {train_plan_fits, middle_fits, states_fit};
    int layers = q->model->layer_count;
    int most = q->host_gpus > 0 && q->host_gpus < layers ? q->host_gpus : layers;
    struct train_memory m;

    t->zero_stage = 0;
    for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]); i++)
        for (t->gpus = t->pp = 1; t->gpus <= most; t->pp = ++t->gpus) {
            estimate_layout(q, t, &m);
            if (wishes[i](q, &m))
                return;
        }
    t->gpus = t->pp = most;
}

void train_estimate(const struct request *q, const struct train *train, struct train_memory *out)
{
    struct train t = *train;
    bool choose = t.zero_stage == TRAIN_ZERO_CHOOSE;
    bool least = t.recompute == RECOMPUTE_AUTO;

    t.tp = t.tp > 0 ? t.tp : 1;
    t.pp = t.pp > 0 ? t.pp : 1;
    t.cp = t.cp > 0 ? t.cp : 1;
    if (t.device_map)
        t.pp = t.gpus > 0 ? t.gpus : 1;
    memset(out, 0, sizeof(*out));
    check_numbers(q, &t, out);
    train_plan_refuse(out, !out->reasons && replica_of(&t) > PLAN_MAX_GPUS, TRAIN_REASON_TOO_MANY);
    if (out->reasons) {
        out->train = t;
        out->verdict = VERDICT_DOES_NOT_FIT;
        out->limit = TRAIN_LIMIT_LAYOUT;
        return;
    }
    if (least)
        t.recompute = RECOMPUTE_FULL;
    if (t.gpus == 0 && t.device_map)
        choose_series(q, &t);
    else if (t.gpus == 0)
        choose_ranks(q, &t, choose);
    if (least)
        choose_recompute(q, &t, choose, out);
    else
        answer_stage(q, &t, choose, out);
    out->searched = train->gpus == 0;
    train_plan_refuse(
        out, out->searched && out->verdict != VERDICT_FITS && out->limit != TRAIN_LIMIT_LAYOUT,
        TRAIN_REASON_NO_COUNT);
}
