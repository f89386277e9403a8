/*
 * train_plan.c - validity, verdict and search of train.h.
 *
 * Verdict, as for inference: fits when even the high end of `total` does, does-not-fit
 * when not even the low end does, marginal between.
 *
 * Search: memory per GPU falls with N from two ranks on, so the fewest GPUs are found
 * by bisection; one rank is tried apart because it has no buckets and no NCCL. The
 * highest ZeRO stage needs the fewest GPUs; with their number known, the lowest stage
 * that is as good wins, because it communicates least. Where no number surely fits, the
 * fewest that the middle of the band fits is shown, else the fewest whose states do.
 *
 * Example: Llama-3.1-8B, full, 2048 tokens, H100: one GPU is refused by its states
 * (134.6 GiB), ZeRO-3 on three has 16 B * 8.03e9 / 3 = 39.9 GiB of them.
 */
#include "core/train.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

/* ---- validity ---- */

static void note(char lines[TRAIN_MAX_NOTES][240], int *count, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

static void note(char lines[TRAIN_MAX_NOTES][240], int *count, const char *fmt, ...)
{
    va_list args;
    if (*count >= TRAIN_MAX_NOTES)
        return;
    va_start(args, fmt);
    vsnprintf(lines[(*count)++], 240, fmt, args);
    va_end(args);
}

/* Reasons that need no layout. */
static void check_numbers(const struct request *q, const struct train *t,
                          struct train_memory *m)
{
    if (t->method <= TRAIN_NONE || t->method >= TRAIN_COUNT)
        note(m->reasons, &m->reason_count, "no training method was given");
    if (q->model->weights_only || q->model->layer_count <= 0)
        note(m->reasons, &m->reason_count, "%s is not a model trained by tokens",
             q->model->id);
    if (!(t->sequence >= 1 && t->sequence <= 1e8))
        note(m->reasons, &m->reason_count, "sequence: %s is outside 1..100,000,000 tokens",
             UNITS_PLAIN(t->sequence, 6));
    if (!(t->micro_batch >= 1 && t->micro_batch <= 1e6))
        note(m->reasons, &m->reason_count, "micro-batch: %s is outside 1..1,000,000",
             UNITS_PLAIN(t->micro_batch, 6));
    if (t->zero_stage < TRAIN_ZERO_CHOOSE || t->zero_stage > 3)
        note(m->reasons, &m->reason_count, "ZeRO stage: %d is outside 0..3",
             t->zero_stage);
    if (t->method > TRAIN_FULL && (t->lora_rank < 1 || t->lora_rank > 65536))
        note(m->reasons, &m->reason_count, "LoRA rank: %d is outside 1..65536",
             t->lora_rank);
    if (t->gpus < 0 || t->tp < 1 || t->pp < 1 || t->tp > PLAN_MAX_GPUS ||
        t->pp > PLAN_MAX_GPUS)
        note(m->reasons, &m->reason_count, "GPUs, TP or PP are out of range");
    if (q->model->positions > 0 && t->sequence > q->model->positions)
        note(m->reasons, &m->reason_count,
             "a sequence of %.0f tokens exceeds the %d learned positions", t->sequence,
             q->model->positions);
}

static void check_layout(const struct request *q, const struct train *t,
                         struct train_memory *m)
{
    struct request plain = *q;
    struct layout l = train_layout(t);
    char why[240];
    plain.gpu_count = 0;
    if (l.replicas < 1 || l.replicas * t->tp * t->pp != t->gpus)
        note(m->reasons, &m->reason_count, "%d GPUs are no multiple of TP %d x PP %d",
             t->gpus, t->tp, t->pp);
    else if (!layout_valid(&plain, &l)) {
        layout_refusal_words(&plain, &l, why, sizeof(why));
        note(m->reasons, &m->reason_count, "%s", why);
    }
    if (t->pp > 1 && t->zero_stage >= 2)
        note(m->reasons, &m->reason_count,
             "ZeRO-%d does not work with PP: gradients are kept over the micro-batches "
             "(DeepSpeed's PipelineEngine refuses stages 2 and 3)",
             t->zero_stage);
    if (t->method > TRAIN_FULL && m->reason_count == 0 && train_adapters(q, t) <= 0)
        note(m->reasons, &m->reason_count,
             "the model has no query and value projections to adapt");
}

bool train_valid(const struct request *q, const struct train *train, char *why,
                 size_t size)
{
    struct train t = *train;
    struct train_memory m = {0};
    size_t len = 0;
    t.tp = t.tp > 0 ? t.tp : 1;
    t.pp = t.pp > 0 ? t.pp : 1;
    check_numbers(q, &t, &m);
    if (m.reason_count == 0)
        check_layout(q, &t, &m);
    if (size > 0)
        why[0] = '\0';
    for (int i = 0; i < m.reason_count && len + 1 < size; i++) {
        gp_format(why + len, size - len, "%s%s", i ? "; " : "", m.reasons[i]);
        len += strlen(why + len);
    }
    return m.reason_count == 0;
}

static void add_warnings(const struct request *q, const struct train *t,
                         struct train_memory *m)
{
    if (t->method == TRAIN_QLORA && t->zero_stage == 3)
        note(m->warnings, &m->warning_count,
             "QLoRA with ZeRO-3 or FSDP needs NF4 stored as 16-bit floats "
             "(bnb_4bit_quant_storage) and bitsandbytes 0.43 or later");
    if (t->method != TRAIN_FULL && t->zero_stage == 3 && m->data_parallel > 1)
        note(m->warnings, &m->warning_count,
             "wrap adapters in FSDP units of their own: units that mix frozen and "
             "trained parameters hold gradients for all of them");
    if (t->method == TRAIN_FULL && t->zero_stage == 3 && m->data_parallel > 1 &&
        !t->whole_gradients)
        note(m->warnings, &m->warning_count,
             "accumulate with gradients synchronised: FSDP under no_sync() holds %.1f "
             "GiB of whole gradients more",
             m->local * 2 / GP_GIB);
    if (t->recompute == RECOMPUTE_SELECTIVE && !t->eager_attention)
        note(
            m->warnings, &m->warning_count,
            "selective recompute saves nothing where flash attention stores no scores");
    if (q->model->max_context > 0 && t->sequence > q->model->max_context)
        note(m->warnings, &m->warning_count,
             "the sequence exceeds the model's context of %d tokens",
             q->model->max_context);
    if (q->gpu->compute_capability > 0 && q->gpu->compute_capability < 80)
        note(m->warnings, &m->warning_count,
             "this GPU has no BF16: FP16 with loss scaling takes the same memory");
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

/* The part with the widest band decides. */
static void name_knob(struct train_memory *m)
{
    const struct {
        const char *name;
        const struct quantity *q;
    } parts[] = {
        {"activations", &m->activations},
        {"logits", &m->logits},
        {"gathered parameters and buckets", &m->buffers},
        {"gradients in 16 or 32 bit", &m->gradients},
        {"parts of the base that stay in 16 bit", &m->weights},
        {"the optimizer's temporaries", &m->step},
    };
    size_t widest = 0;
    for (size_t i = 1; i < sizeof(parts) / sizeof(parts[0]); i++)
        if (parts[i].q->high - parts[i].q->low >
            parts[widest].q->high - parts[widest].q->low)
            widest = i;
    char low[32], high[32];
    gp_format(m->knob, sizeof(m->knob), "%s: %s to %s", parts[widest].name,
              units_gib(low, sizeof(low), parts[widest].q->low),
              units_gib(high, sizeof(high), parts[widest].q->high));
}

static void judge(const struct request *q, struct train_memory *m)
{
    char need[32], have[32];
    m->verdict = m->free.low >= 0   ? VERDICT_FITS
                 : m->free.high < 0 ? VERDICT_DOES_NOT_FIT
                                    : VERDICT_MARGINAL;
    if (m->verdict == VERDICT_FITS)
        return;
    m->limit = limit_of(q, m);
    if (m->verdict == VERDICT_MARGINAL)
        name_knob(m);
    note(m->reasons, &m->reason_count, "needs %s per GPU of %s (limit: %s)",
         units_gib(need, sizeof(need), m->total.value + q->used),
         units_gib(have, sizeof(have), m->usable.value), train_limit_word(m->limit));
}

/* gpus, zero_stage, tp and pp are set: the binding stage. */
static void estimate_layout(const struct request *q, const struct train *t,
                            struct train_memory *out)
{
    struct train_memory base = {
        .train = *t, .limit = TRAIN_LIMIT_LAYOUT, .verdict = VERDICT_DOES_NOT_FIT};
    check_numbers(q, t, &base);
    if (base.reason_count == 0)
        check_layout(q, t, &base);
    *out = base;
    if (base.reason_count > 0)
        return;
    base.limit = TRAIN_LIMIT_NONE;
    base.data_parallel = t->gpus / (t->tp * t->pp);
    base.params = model_params(q->model);
    base.trainable = t->method == TRAIN_FULL ? base.params : train_adapters(q, t);
    base.usable = gpu_usable(q->gpu);
    for (int s = 0; s < t->pp; s++) {
        struct train_memory m = base;
        train_stage(q, s, &m);
        if (s == 0 || m.free.value < out->free.value)
            *out = m;
    }
    add_warnings(q, t, out);
    judge(q, out);
}

/* ---- search ---- */

typedef bool (*good_fn)(const struct request *, const struct train_memory *);

static bool fits(const struct request *q, const struct train_memory *m)
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
    t->gpus = ranks * t->tp * t->pp;
    estimate_layout(q, t, &m);
    return good(q, &m);
}

/* Fewest ranks that are good; 0 = none. */
static int fewest_ranks(const struct request *q, struct train *t, int most,
                        good_fn good)
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
    return t->pp > 1 ? 1 : 3;
}

/* With ranks known: the lowest ZeRO stage that is as good as the highest one. */
static void choose_stage(const struct request *q, struct train *t,
                         struct train_memory *out)
{
    int top = t->gpus > t->tp * t->pp ? highest_stage(t) : 0;
    struct train_memory best, m;
    t->zero_stage = top;
    estimate_layout(q, t, &best);
    *out = best;
    for (int z = 0; z < top; z++) {
        t->zero_stage = z;
        estimate_layout(q, t, &m);
        if (m.verdict <= best.verdict && best.verdict != VERDICT_DOES_NOT_FIT) {
            *out = m;
            break;
        }
    }
    *t = out->train;
}

static void choose_ranks(const struct request *q, struct train *t, bool choose)
{
    static const good_fn wishes[] = {fits, middle_fits, states_fit};
    int most = PLAN_MAX_GPUS / (t->tp * t->pp), ranks = 0;
    if (choose)
        t->zero_stage = highest_stage(t);
    for (size_t i = 0; i < sizeof(wishes) / sizeof(wishes[0]) && ranks == 0; i++)
        ranks = fewest_ranks(q, t, most, wishes[i]);
    t->gpus = (ranks > 0 ? ranks : 1) * t->tp * t->pp;
}

void train_estimate(const struct request *q, const struct train *train,
                    struct train_memory *out)
{
    struct train t = *train;
    bool choose = t.zero_stage == TRAIN_ZERO_CHOOSE;
    t.tp = t.tp > 0 ? t.tp : 1;
    t.pp = t.pp > 0 ? t.pp : 1;
    memset(out, 0, sizeof(*out));
    check_numbers(q, &t, out);
    if (out->reason_count > 0 || t.tp * t.pp > PLAN_MAX_GPUS) {
        out->train = t;
        out->verdict = VERDICT_DOES_NOT_FIT;
        out->limit = TRAIN_LIMIT_LAYOUT;
        if (out->reason_count == 0)
            note(out->reasons, &out->reason_count, "TP x PP exceeds %d GPUs",
                 PLAN_MAX_GPUS);
        return;
    }
    if (t.gpus == 0)
        choose_ranks(q, &t, choose);
    if (choose)
        choose_stage(q, &t, out);
    else
        estimate_layout(q, &t, out);
    out->searched = train->gpus == 0;
    if (out->searched && out->verdict != VERDICT_FITS &&
        out->limit != TRAIN_LIMIT_LAYOUT)
        note(out->reasons, &out->reason_count,
             "no number of GPUs up to %d surely fits: activations and logits are the "
             "same on each",
             PLAN_MAX_GPUS);
}
