/*
 * train_fix.c - what to change so that a run fits.
 *
 * A fix is the setting with one thing changed (two, where one is not enough), estimated
 * like any other. The order: fits before marginal, fewer GPUs, then what changes least
 * of what was asked.
 */
#include "plan/train/train.h"

#include <math.h>
#include <stdlib.h>

struct fix_search {
    const struct request *request;
    const struct train_memory *plan;
    struct train_fix found[2 * TRAIN_MAX_FIXES];
    int count;
};

/* True when the setting is an improvement and was put down. */
static bool train_fix_propose(struct fix_search *f, const struct train *t, enum train_fix_kind kind)
{
    struct train_memory m;

    train_estimate(f->request, t, &m);
    if (m.verdict >= f->plan->verdict || f->count >= (int)(sizeof(f->found) / sizeof(f->found[0])))
        return false;
    f->found[f->count++] = (struct train_fix){
        .kind = kind,
        .verdict = m.verdict,
        .train = m.train,
        .gain = f->plan->free.known ? m.free.value - f->plan->free.value : 0,
        .gpus = m.train.gpus,
        .ranks = f->plan->shards,
        .host = m.host.value,
    };
    return true;
}

/* The setting to change; where the GPU count was ours to choose it is again. */
static struct train train_fix_start(const struct fix_search *f)
{
    struct train t = f->plan->train;

    if (f->plan->searched) {
        t.gpus = 0;
        t.zero_stage = TRAIN_ZERO_CHOOSE;
    }
    if (f->plan->recompute_chosen)
        t.recompute = RECOMPUTE_AUTO;
    return t;
}

static void more_sharding(struct fix_search *f)
{
    struct train t = f->plan->train;
    int top = t.pp > 1 ? 1 : 3;

    for (int z = t.zero_stage + 1; f->plan->shards > 1 && z <= top; z++) {
        t.zero_stage = z;
        int before = f->count;
        if (!train_fix_propose(f, &t, TRAIN_FIX_ZERO))
            continue;
        if (f->found[before].verdict == VERDICT_FITS || z == top)
            return;
        f->count = before; /* the next one may do better than marginal */
    }
}

/* States in host memory cost time; the weights only where the rest is not enough. */
static void train_fix_offload(struct fix_search *f)
{
    struct train t = train_fix_start(f);

    if (t.step_in_backward)
        return;
    t.zero_stage = TRAIN_ZERO_CHOOSE;
    for (int o = t.offload + 1; o < OFFLOAD_COUNT; o++) {
        t.offload = (enum train_offload)o;
        if (train_fix_propose(f, &t, TRAIN_FIX_OFFLOAD) &&
            f->found[f->count - 1].verdict == VERDICT_FITS)
            return;
    }
}

/* The longest sequence, in steps of 256 tokens, that fits. */
static void train_fix_shorter(struct fix_search *f)
{
    struct train t = f->plan->train;
    struct train_memory m;
    double low = 0, high = floor(t.sequence / 256);

    while (high - low > 1) {
        double middle = floor((low + high) / 2);

        t.sequence = middle * 256;
        train_estimate(f->request, &t, &m);
        if (m.verdict == VERDICT_FITS)
            low = middle;
        else
            high = middle;
    }
    if (low < 1)
        return;
    t.sequence = low * 256;
    train_fix_propose(f, &t, TRAIN_FIX_SEQUENCE);
}

/* Another method on the same GPUs; with recompute and batch 1 where it needs them. */
static void other_method(struct fix_search *f, enum train_method method)
{
    struct train t = f->plan->train;
    struct train plain = train_defaults(method);

    if (t.method >= method || t.format)
        return;
    t = train_fix_start(f);
    t.method = method;
    t.step_in_backward = false;
    t.zero_stage = TRAIN_ZERO_CHOOSE;
    if (t.lora_rank < 1)
        t.lora_rank = plain.lora_rank;
    int before = f->count;
    bool lora = method == TRAIN_LORA;
    if (train_fix_propose(f, &t, lora ? TRAIN_FIX_LORA : TRAIN_FIX_QLORA) &&
        f->found[before].verdict == VERDICT_FITS)
        return;
    for (int i = 0; i < f->count; i++)
        if (f->found[i].verdict == VERDICT_FITS)
            return;
    f->count = before; /* marginal alone: better with all three */
    t.recompute = RECOMPUTE_FULL;
    t.micro_batch = 1;
    train_fix_propose(f, &t, lora ? TRAIN_FIX_LORA_BOTH : TRAIN_FIX_QLORA_BOTH);
}

static int by_worth(const void *pa, const void *pb)
{
    const struct train_fix *a = pa, *b = pb;

    if (a->verdict != b->verdict)
        return (int)a->verdict - (int)b->verdict;
    if (a->gpus != b->gpus)
        return a->gpus - b->gpus;
    return (int)a->kind - (int)b->kind;
}

int train_fixes(const struct request *q, const struct train_memory *m,
                struct train_fix out[TRAIN_MAX_FIXES])
{
    struct fix_search f = {.request = q, .plan = m};
    int n = 0;

    if (m->verdict == VERDICT_FITS || m->limit == TRAIN_LIMIT_LAYOUT)
        return 0;
    struct train t = train_fix_start(&f);
    struct train_memory open;

    if (!t.fused_kernels || t.loss != LOSS_FUSED) { /* other code, not another result */
        t.fused_kernels = true;
        t.loss = LOSS_FUSED;
        train_fix_propose(&f, &t, TRAIN_FIX_FUSED);
    }
    /* Time for memory: less is kept, nothing about the result changes. */
    t = train_fix_start(&f);
    enum recompute asked = t.recompute;
    bool recompute = asked < RECOMPUTE_FULL;
    bool batch = t.micro_batch > 1;

    t.recompute = RECOMPUTE_FULL;
    bool done = recompute && train_fix_propose(&f, &t, TRAIN_FIX_RECOMPUTE);
    t.recompute = asked;
    t.micro_batch = 1;
    done = (batch && train_fix_propose(&f, &t, TRAIN_FIX_BATCH)) || done;
    t.recompute = RECOMPUTE_FULL;
    if (!done && recompute && batch)
        train_fix_propose(&f, &t, TRAIN_FIX_BOTH);
    more_sharding(&f);
    train_fix_offload(&f);
    t = m->train;
    t.gpus = 0;
    t.zero_stage = TRAIN_ZERO_CHOOSE;
    train_estimate(q, &t, &open);
    if (open.train.gpus > m->train.gpus && open.verdict < m->verdict)
        train_fix_propose(&f, &open.train, TRAIN_FIX_GPUS);
    t = train_fix_start(&f);
    if (t.method == TRAIN_FULL && t.optimizer == OPTIMIZER_ADAMW) {
        t.optimizer = OPTIMIZER_ADAMW_8BIT;
        train_fix_propose(&f, &t, TRAIN_FIX_OPTIMIZER);
    }
    train_fix_shorter(&f);
    other_method(&f, TRAIN_LORA);
    other_method(&f, TRAIN_QLORA);
    qsort(f.found, (size_t)f.count, sizeof(f.found[0]), by_worth);
    bool any = f.count > 0 && f.found[0].verdict == VERDICT_FITS;
    for (int i = 0; i < f.count && n < TRAIN_MAX_FIXES; i++)
        if (!any || f.found[i].verdict == VERDICT_FITS)
            out[n++] = f.found[i];
    return n;
}
