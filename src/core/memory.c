/*
 * memory.c - see memory.h for the budgets and engine.h for the activation law.
 *
 * The activation law is a reading of logged vLLM runs: the profiling run is over either
 * in the sampler (logits of max_num_seqs requests in the compute type and a number of
 * FP32 copies of them, with the hidden states of the batch still alive) or inside the
 * widest layer. MoE kernels keep their workspace through both. TP cuts the layer but
 * not the logits: every rank gathers them.
 */
#include "core/memory.h"

#include <math.h>
#include <string.h>

#include "util/units.h"

double memory_rule_of_thumb(double params, double bits)
{
    return params * bits / 8 * 1.25;
}

static bool large_gpu(const struct request *q)
{
    const struct engine *e = q->engine;
    size_t n = strlen(e->large_except);
    if (n > 0 && strncmp(q->gpu->id, e->large_except, n) == 0)
        return false;
    return gpu_usable(q->gpu).value >= e->large_bytes;
}

double memory_max_num_seqs(const struct request *q)
{
    if (q->max_num_seqs > 0)
        return q->max_num_seqs;
    int seqs = large_gpu(q) ? q->engine->seqs_large : q->engine->seqs_small;
    return seqs > 0 ? seqs : q->users; /* llama.cpp: one slot per user */
}

double memory_max_batched_tokens(const struct request *q)
{
    if (q->max_batched_tokens > 0)
        return q->max_batched_tokens;
    int tokens = large_gpu(q) ? q->engine->tokens_large : q->engine->tokens_small;
    return tokens > 0 ? tokens
                      : fmax(2048, q->context); /* V0: a whole prompt at once */
}

/* ---- activation ---- */

static double widest_mlp(const struct model *m)
{
    double widest = 0;
    for (int k = 0; k < m->kind_count; k++)
        widest = fmax(widest, fmax(m->kind[k].ff, m->kind[k].shared_ff));
    return widest;
}

/* Two scratch tensors of c*topk rows: after gate and up, and after the product. vLLM
 * shares them over layers but never gives them back. MXFP4 kernels need none. */
static double moe_bytes(const struct request *q, const struct layout *l, double tokens,
                        double act)
{
    double most = 0, h = q->model->hidden;
    double cut = l->ep > l->tp ? 1 : (double)l->tp / l->ep;
    if (q->precision.by_role[ROLE_EXPERT]->math == MATH_FP4)
        return 0;
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];
        double width = kind->expert_ff / cut;
        double hidden = kind->latent > 0 ? kind->latent : h;
        most = fmax(most, kind->experts_active *
                              (fmax(2 * width, hidden) + fmax(width, hidden)));
    }
    return tokens * most * act;
}

struct activation memory_activation(const struct request *q, const struct load *load,
                                    const struct layout *l, bool has_head)
{
    const struct engine *e = q->engine;
    const struct model *m = q->model;
    double act = q->precision.base->bits / 8, h = m->hidden;
    double tokens = memory_max_batched_tokens(q), seqs = memory_max_num_seqs(q);
    struct activation a;
    double logits = seqs * m->vocab * (e->logit_copies * 4 + act);
    double layer = tokens * (2 * h + 3 * widest_mlp(m) / l->tp) * act;
    a.sampling =
        quantity_add(quantity_of(logits + tokens * h * act, ORIGIN_MODEL), e->base);
    a.forward = quantity_add(quantity_of(layer, ORIGIN_MODEL), e->forward_base);
    a.moe = quantity_of(e->moe_workspace * moe_bytes(q, l, tokens, act), ORIGIN_MODEL);
    a.vision = load->has_vision ? e->vision : quantity_exact(0);
    a.peak = a.forward;
    if (has_head && a.sampling.value > a.forward.value)
        a.peak = a.sampling;
    a.peak = quantity_add(a.peak, quantity_add(a.moe, a.vision));
    return a;
}

/* ---- the parts of one stage ---- */

static struct quantity non_torch(const struct request *q, const struct layout *l)
{
    if (l->tp > 1)
        return q->engine->non_torch_tp;
    return l->pp > 1 ? q->engine->non_torch_pp : q->engine->non_torch_1;
}

static struct quantity overhead(const struct memory *m)
{
    return quantity_add(quantity_add(m->activation, m->non_torch), m->graphs);
}

enum budget memory_budget(const struct request *q)
{
    return q->model->weights_only ? BUDGET_ASKED : q->engine->budget;
}

static void budget_pool(const struct request *q, struct memory *m)
{
    struct quantity used = quantity_of(q->used, ORIGIN_ASSUMED);
    struct quantity room = q->used > 0 ? quantity_sub(m->usable, used) : m->usable;
    struct quantity rest;
    double keep = 1 - q->headroom;
    switch (memory_budget(q)) {
    case BUDGET_UTILIZATION:
        m->budget = quantity_scale(m->usable, m->fraction * keep);
        rest = quantity_sub(m->budget, quantity_add(m->weights, m->activation));
        m->kv_pool = quantity_sub(rest, m->non_torch);
        if (q->engine->graphs_in_budget)
            m->kv_pool = quantity_sub(m->kv_pool, m->graphs);
        break;
    case BUDGET_FREE:
        m->budget = quantity_scale(room, keep);
        rest = quantity_sub(m->budget, quantity_add(m->weights, overhead(m)));
        m->kv_pool = rest.value > 0 ? quantity_scale(rest, m->fraction) : rest;
        break;
    case BUDGET_STATIC:
        m->budget = quantity_scale(room, m->fraction * keep);
        m->kv_pool = quantity_sub(m->budget, m->weights);
        break;
    case BUDGET_ASKED:
        m->budget = quantity_scale(room, keep);
        m->kv_pool = quantity_sub(m->budget, quantity_add(m->weights, overhead(m)));
        break;
    }
}

/* What is counted from a shape is as good as the shape. */
static enum origin counted(const struct request *q)
{
    return q->model->assumed ? ORIGIN_ASSUMED : ORIGIN_EXACT;
}

static void stage_parts(const struct request *q, const struct load *load,
                        const struct layout *l, int stage, struct memory *m)
{
    bool exact = !q->precision.weight->mix;
    m->stage = stage;
    m->split = weights_stage(q, load, l, stage);
    m->weights = quantity_of(m->split.total, exact ? counted(q) : ORIGIN_MODEL);
    if (!exact) { /* a blend of types: the published sizes are met within 0.5 % */
        m->weights.low *= 0.995;
        m->weights.high *= 1.005;
    }
    m->activation = m->non_torch = m->graphs = quantity_exact(0);
    if (!q->model->weights_only) {
        m->activation = memory_activation(q, load, l, stage == l->pp - 1).peak;
        m->non_torch = non_torch(q, l);
        m->graphs = q->engine->graphs;
    }
    m->usable = gpu_usable(q->gpu);
    m->physical = q->gpu->physical;
    budget_pool(q, m);
}

/* Whole blocks only; a part of a block serves nobody. */
static double pool_requests(double pool, const struct kv_sequence *s)
{
    if (pool <= 0 || s->reserved <= 0)
        return 0;
    return s->block > 0 ? floor(pool / s->block) * s->block / s->reserved
                        : pool / s->reserved;
}

static double pool_tokens(double pool, const struct kv_sequence *s,
                          const struct request *q)
{
    double block = q->engine->block;
    if (pool <= 0)
        return 0;
    if (s->per_token > 0)
        return floor(pool / (s->per_token * block)) * block;
    return pool_requests(pool, s) * q->context;
}

typedef double (*pool_fn)(double, const struct kv_sequence *, const struct request *);

static double requests_of(double pool, const struct kv_sequence *s,
                          const struct request *q)
{
    (void)q;
    return pool_requests(pool, s);
}

static struct quantity pool_holds(const struct memory *m, const struct request *q,
                                  pool_fn fn)
{
    const struct quantity *p = &m->kv_pool;
    return quantity_band(fn(p->value, &m->sequence, q), fn(p->low, &m->sequence, q),
                         fn(p->high, &m->sequence, q), ORIGIN_MODEL);
}

static void stage_kv(const struct request *q, const struct layout *l, struct memory *m)
{
    int first = layout_stage_first(q->model, l->pp, m->stage);
    int end = layout_stage_first(q->model, l->pp, m->stage + 1);
    if (!q->model->weights_only)
        m->sequence =
            kvcache_sequence(q, l->tp, first, end, q->context, m->max_batched_tokens);
    m->kv_needed = quantity_of(m->users * m->sequence.exact, counted(q));
    m->state = quantity_of(m->users * m->sequence.state, counted(q));
    m->kv_reserved = quantity_of(m->users * m->sequence.reserved, counted(q));
    m->max_concurrency = pool_holds(m, q, requests_of);
    m->kv_cache_tokens = pool_holds(m, q, pool_tokens);
    if (m->sequence.reserved <= 0)
        m->max_concurrency = m->kv_cache_tokens = quantity_unknown();
    struct quantity taken = quantity_add(m->weights, overhead(m));
    m->free = quantity_sub(m->usable, quantity_add(taken, m->kv_reserved));
    m->free = quantity_sub(m->free, quantity_exact(q->used));
}

enum memory_state memory_state(const struct memory *m)
{
    double need = m->kv_reserved.value;
    if (need > m->kv_pool.high || (m->kv_pool.high <= 0 && m->kv_pool.low < 0))
        return MEMORY_LACKS;
    if (need > m->kv_pool.low || m->kv_pool.low < 0)
        return MEMORY_CROSSES;
    return m->free.low < 0 ? MEMORY_OVERRUNS : MEMORY_HOLDS;
}

/* A stage binds that is worse off for sure; else when its pool holds fewer requests, or,
 * without any KV, has less. */
static bool binds(const struct memory *a, const struct memory *b)
{
    if (memory_state(a) != memory_state(b))
        return memory_state(a) > memory_state(b);
    double need_a = a->kv_reserved.value, need_b = b->kv_reserved.value;
    if (need_a > 0 && need_b > 0 && a->kv_pool.value > 0 && b->kv_pool.value > 0)
        return a->kv_pool.value / need_a < b->kv_pool.value / need_b;
    return a->kv_pool.value - need_a < b->kv_pool.value - need_b;
}

static struct memory whole_request(const struct request *q, const struct load *load,
                                   const struct layout *l)
{
    struct memory m;
    memset(&m, 0, sizeof(m));
    m.users = ceil(q->users / l->replicas);
    m.max_num_seqs = memory_max_num_seqs(q);
    m.max_batched_tokens = memory_max_batched_tokens(q);
    m.fraction = q->utilization > 0 ? q->utilization : q->engine->fraction;
    m.kv_bytes_per_token = load->kv_bytes_per_token;
    m.rule_of_thumb = memory_rule_of_thumb(load->params, q->precision.weight->bits);
    m.file_bytes = load->file_bytes;
    return m;
}

void memory_stage(const struct request *q, const struct load *load,
                  const struct layout *l, int stage, struct memory *out)
{
    *out = whole_request(q, load, l);
    stage_parts(q, load, l, stage, out);
    stage_kv(q, l, out);
}

/* A stage in the middle is like the one before it when both hold the same layers. */
static bool same_as_before(const struct model *m, int pp, int stage)
{
    int first = layout_stage_first(m, pp, stage),
        end = layout_stage_first(m, pp, stage + 1);
    int before = layout_stage_first(m, pp, stage - 1);
    if (stage < 2 || stage == pp - 1 || end - first != first - before)
        return false;
    return m->kind_count == 1 ||
           memcmp(m->layer + before, m->layer + first, (size_t)(end - first)) == 0;
}

void memory_estimate(const struct request *q, const struct load *load,
                     const struct layout *l, struct memory *out)
{
    struct memory base = whole_request(q, load, l);
    for (int s = 0; s < l->pp; s++) {
        struct memory m = base;
        if (same_as_before(q->model, l->pp, s))
            continue;
        stage_parts(q, load, l, s, &m);
        stage_kv(q, l, &m);
        if (s == 0 || binds(&m, out))
            *out = m;
    }
}
