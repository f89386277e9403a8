/*
 * memory.c - see memory.h for the budgets and activation.h for the activation law.
 */
#include "plan/memory.h"

#include <math.h>
#include <string.h>

#include "base/units.h"
#include "plan/activation.h"
#include "plan/rules.h"
#include "plan/terms_list.h"
#include "plan/weights.h"

double memory_rule_of_thumb(double params, double bits)
{
    return params * bits / 8 * 1.25;
}

/* Does the GPU's id begin with a word of the list? */
static bool memory_excepted(const char *list, const char *id)
{
    for (const char *p = list; *p; p += strcspn(p, "|"), p += *p == '|')
        if (strncmp(p, id, strcspn(p, "|")) == 0)
            return true;
    return false;
}

static bool large_gpu(const struct request *q)
{
    const struct engine *e = q->engine;

    return gpu_usable(q->gpu).value >= e->large_bytes &&
           !memory_excepted(e->large_except, q->gpu->id);
}

bool memory_may_take_whole(const struct request *q)
{
    const struct engine *e = q->engine;

    return q->gpu->whole >= e->large_bytes && e->large_bytes > 0 && !large_gpu(q) &&
           !memory_excepted(e->large_except, q->gpu->id) &&
           (q->max_num_seqs <= 0 || q->max_batched_tokens <= 0);
}

static double default_seqs(const struct request *q)
{
    if (q->draft_tokens > 0 && q->engine->draft_slots > 0)
        return q->engine->draft_slots;
    int seqs = large_gpu(q) ? q->engine->seqs_large : q->engine->seqs_small;
    return seqs > 0 ? seqs : fmax(q->users, q->engine->slots_least);
}

static double default_tokens(const struct request *q)
{
    const struct engine *e = q->engine;
    const struct engine_tier *tier = engine_tier(e, q->gpu->physical.value);
    int tokens = large_gpu(q) ? e->tokens_large : e->tokens_small;

    if (tier && tier->tokens > 0)
        return tier->tokens;
    if (e->tokens_huge > 0 && gpu_usable(q->gpu).value >= e->huge_bytes)
        tokens = e->tokens_huge;
    if (tokens <= 0 || model_is_encoder(q->model)) /* a whole prompt at once; V0, too */
        tokens = (int)fmax(fmax(tokens, 2048), q->context);
    return tokens;
}

/* vLLM: max_num_seqs slots of max_model_len tokens bound the default batch, and the batch
 * bounds the default slots: each computes a token a step. */
double memory_max_batched_tokens(const struct request *q)
{
    double seqs = q->max_num_seqs > 0 ? q->max_num_seqs : default_seqs(q);

    if (q->max_batched_tokens > 0)
        return q->max_batched_tokens;
    return q->engine->defaults_clip ? fmin(default_tokens(q), seqs * q->context)
                                    : default_tokens(q);
}

double memory_max_num_seqs(const struct request *q)
{
    if (q->max_num_seqs > 0)
        return q->max_num_seqs;
    return q->engine->defaults_clip ? fmin(default_seqs(q), memory_max_batched_tokens(q))
                                    : default_seqs(q);
}

double memory_fraction(const struct request *q, const struct load *load, const struct layout *l)
{
    const struct engine_rules *rules = engine_rules(q->engine->budget);

    return rules->fraction ? rules->fraction(q, load, l) : load->fraction;
}

/* ---- what is alike on all stages of a layout ---- */

/* Of a process on the processors alone: its program and heap, no context of a driver. */
#define HOST_PROCESS (128.0 * 1024 * 1024)

/* GPUs that sum up what each computed: of one layer's tensors, or of its experts. */
static int memory_together(const struct layout *l)
{
    return l->ep > l->tp ? l->ep : l->tp;
}

/* NCCL's buffers go with its channels, and those with the link's bandwidth (NVIDIA/nccl
 * issues/864). All of them from NVSwitch's of an A100 on, 600 GB/s. */
#define FULL_LINK 600e9

static double memory_link_share(const struct request *q, const struct layout *l)
{
    int n = memory_together(l), host = q->host_gpus;

    if (host > 0 && n > host)
        n = host;
    return gpu_linked(q->gpu, n) ? fmin(q->gpu->link_bandwidth / FULL_LINK, 1) : 0;
}

/* Between an engine's figures over PCIe and over NVSwitch, by the link. */
static struct quantity by_link(const struct request *q, const struct layout *l,
                               struct quantity linked, struct quantity pcie)
{
    double share = memory_link_share(q, l);

    return pcie.known ? quantity_add(quantity_scale(pcie, 1 - share), quantity_scale(linked, share))
                      : linked;
}

static struct quantity non_torch(const struct request *q, const struct layout *l)
{
    const struct engine *e = q->engine;

    if (q->gpu->host)
        return quantity_band(HOST_PROCESS, HOST_PROCESS / 2, 4 * HOST_PROCESS, ORIGIN_ASSUMED);
    if (memory_together(l) > 1)
        return e->non_torch_moe.known && model_experts(q->model) > 0
                   ? e->non_torch_moe
                   : by_link(q, l, e->non_torch_tp, e->non_torch_pcie);
    return l->pp > 1 ? e->non_torch_pp : e->non_torch_1;
}

/* What the process holds before the engine counts its budget. */
static struct quantity context_of(const struct request *q, const struct layout *l)
{
    const struct engine *e = q->engine;

    if (!e->context.known || q->gpu->host)
        return quantity_exact(0);
    return memory_together(l) > 1 && e->context_tp.known
               ? by_link(q, l, e->context_tp, e->context_pcie)
               : e->context;
}

/* vLLM: a graph for each of 1, 2, 4, in steps of 8 up to 255 and of 16 up to twice the slots,
 * 512 at most (config/vllm.py, _set_cudagraph_sizes). */
static double captured_sizes(double slots)
{
    double most = fmin(2 * slots, 512);

    return (most >= 1) + (most >= 2) + (most >= 4) + floor(fmin(most, 255) / 8) +
           (most >= 256 ? floor((most - 256) / 16) + 1 : 0);
}

/* The estimate measures a first graph, and then what one more takes. */
#define FIRST_GRAPH 0.25
#define LEAST_HIGH 0.35 /* of the band's upper end, however few there are */

/* Of as many as the slots have captured; once more with adapters (cudagraph_specialize_lora). */
static struct quantity graphs_of(const struct request *q, const struct load *load,
                                 struct quantity g)
{
    double slots = (1 + q->draft_tokens) * load->max_num_seqs;
    double share =
        FIRST_GRAPH + (1 - FIRST_GRAPH) * captured_sizes(slots) / captured_sizes(INFINITY);

    if (q->engine->graphs_by_slots)
        g = quantity_band(g.value * share, g.low * share, g.high * fmax(share, LEAST_HIGH),
                          g.origin);
    if (q->lora_slots > 0 && q->engine->budget == BUDGET_UTILIZATION)
        g.high *= 2;
    return g;
}

/* Graphs hold nodes for the kernels of every layer of a stage, and what the layers of one
 * keep between them, which TP cuts. */
static struct quantity real_graphs(const struct request *q, const struct load *load,
                                   const struct layout *l)
{
    double layers = ceil((double)q->model->layer_count / l->pp);
    const struct engine *e = q->engine;
    bool moe = e->graphs_moe.known && model_experts(q->model) > 0;

    if (q->gpu->host || q->eager)
        return quantity_exact(0);
    if (model_is_encoder(q->model)) /* pieces between its attention, if any */
        return quantity_band(e->graphs.value / 2, 0, e->graphs.high, ORIGIN_ASSUMED);
    double each = moe ? 0 : e->graphs_layer + e->graphs_layer_tp / l->tp;
    struct quantity g =
        quantity_add(moe ? e->graphs_moe : e->graphs, quantity_of(layers * each, ORIGIN_MODEL));
    if (l->tp > 2 && e->graphs_pcie.known)
        g = quantity_add(g, quantity_scale(e->graphs_pcie, 1 - memory_link_share(q, l)));
    return graphs_of(q, load, g);
}

/* What a server's log says of a term. */
static struct quantity as_logged(const struct stages *s, enum logged_term term,
                                 struct quantity estimate)
{
    return logged_apply(s->request, s->layout, s->load->max_num_seqs, s->load->max_batched_tokens,
                        term, estimate);
}

/* kept: the weights and KV of s are those of this layout. */
static void cut_stages(const struct request *q, const struct load *load, const struct layout *l,
                       bool kept, struct stages *s)
{
    const struct engine_rules *rules = engine_rules(memory_budget(q));
    const int from = l->pp > 1 ? 0 : 1; /* the only stage has the head */

    s->request = q;
    s->load = load;
    s->layout = l;
    if (!kept) {
        s->users = ceil(q->users / layout_decoding(l));
        weights_cut(q, load, l, &s->weights);
        if (!q->model->weights_only)
            kvcache_cut(q, l->tp, s->users, q->context, load->max_batched_tokens, &s->kv);
        double end = memory_end_tokens(q);
        s->ends = end < q->context && s->users > 1 && !q->model->weights_only;
        if (s->ends)
            kvcache_cut(q, l->tp, s->users, end, load->max_batched_tokens, &s->kv_end);
    }
    s->non_torch = s->graphs = s->graphs_charged = s->context = quantity_exact(0);
    s->activation[0] = s->activation[1] = quantity_exact(0);
    if (model_is_served(q->model)) {
        for (int head = from; head < 2; head++)
            s->activation[head] = activation_estimate(q, load, l, head).peak;
        s->non_torch = quantity_add(non_torch(q, l), quantity_of(load->kept, ORIGIN_MODEL));
        s->graphs = real_graphs(q, load, l);
        if (load->graphs_in_budget && !q->eager)
            s->graphs_charged = graphs_of(q, load, q->engine->graphs_charged);
        s->context = context_of(q, l);
    }
    if (logged_of(q)) {
        for (int head = from; head < 2; head++)
            s->activation[head] = as_logged(s, LOGGED_ACTIVATION, s->activation[head]);
        s->non_torch = as_logged(s, LOGGED_NON_TORCH, s->non_torch);
        s->graphs = as_logged(s, LOGGED_GRAPHS, s->graphs);
        s->graphs_charged = as_logged(s, LOGGED_CHARGED, s->graphs_charged);
    }
    for (int head = from; head < 2; head++)
        s->overhead[head] =
            quantity_add(quantity_add(s->activation[head], s->non_torch), s->graphs);
    s->fraction = memory_fraction(q, load, l);
    s->budget = rules->budget ? rules->budget(s) : load->budget;
    for (int head = 0; head < 2; head++)
        s->spare[head] = rules->spare ? rules->spare(s, head) : quantity_unknown();
}

/* ---- one stage ---- */

static void stage_sum(const struct stages *s, struct stage *at)
{
    const struct request *q = s->request;
    bool none = q->model->weights_only || q->kv_on_host;
    bool last = at->index == s->layout->pp - 1;

    model_count_kinds(q->model, at->first, at->end, at->layers);
    at->sequence = none ? (struct kv_sequence){0} : kvcache_stage(q, &s->kv, at->layers, last);
    at->ended = none || !s->ends ? at->sequence : kvcache_stage(q, &s->kv_end, at->layers, last);
}

static struct stage stage_at(const struct stages *s, int index)
{
    struct stage at = {
        .index = index,
        .first = layout_stage_begin(s->request, s->layout->pp, index),
        .end = layout_stage_begin(s->request, s->layout->pp, index + 1),
    };

    stage_sum(s, &at);
    return at;
}

/* Do layers [first, end) look like those before them, all on the GPU? */
static bool same_as_before(const struct request *q, int before, int first, int end)
{
    const struct model *m = q->model;

    return end - first == first - before && before >= q->host_experts &&
           (m->kind_count == 1 ||
            memcmp(m->layer + before, m->layer + first, (size_t)(end - first)) == 0);
}

/* What a stage's own GPU has, where they are not alike. */
struct stage_gpu {
    struct quantity physical, usable, budget;
};

static struct stage_gpu stage_gpu(const struct stages *s, int stage)
{
    const struct gpu_mix *mix = s->request->gpu->mix;
    struct stage_gpu g = {s->request->gpu->physical, s->load->usable, s->budget};

    if (!mix || stage >= mix->count)
        return g;
    g.physical = mix->at[stage]->physical;
    g.usable = gpu_usable(mix->at[stage]);
    g.budget = memory_budget_bytes(s->request, g.usable, s->fraction);
    return g;
}

static struct quantity parts_pool(const struct stages *s, struct quantity budget,
                                  struct quantity weights, int head)
{
    struct quantity rest;
    const struct engine *e = s->request->engine;

    switch (memory_budget(s->request)) {
    case BUDGET_UTILIZATION:
        rest = quantity_sub(budget, quantity_add(weights, s->activation[head]));
        return quantity_sub(rest, quantity_add(s->non_torch, s->graphs_charged));
    case BUDGET_STATIC:
        rest = quantity_sub(budget, weights);
        return s->load->has_vision ? quantity_sub(rest, quantity_exact(e->vision_kept)) : rest;
    case BUDGET_FREE:
        rest = quantity_sub(budget, quantity_add(weights, s->overhead[head]));
        return rest.value > 0 ? quantity_scale(rest, s->load->fraction) : rest;
    case BUDGET_ASKED:
        break;
    }
    return quantity_sub(budget, quantity_add(weights, s->overhead[head]));
}

/* What is counted from a shape is as good as the shape. */
static enum origin memory_counted(const struct request *q)
{
    return q->model->assumed ? ORIGIN_ASSUMED : ORIGIN_EXACT;
}

double memory_mean_tokens(const struct request *q)
{
    double whole = q->engine->no_evict ? 2 : 1;

    return fmin(q->context, spread_held(&q->spread, q->prompt, whole * q->output));
}

double memory_described_tokens(const struct request *q)
{
    if (q->engine->whole_slots)
        return q->context;
    return fmin(q->context, spread_end(&q->spread, q->prompt, q->output));
}

double memory_end_tokens(const struct request *q)
{
    return q->reserve == RESERVE_FULL ? q->context : memory_described_tokens(q);
}

/* Is it all users at their end and one of full context that a stage has to hold? Where that
 * is more than all of full context, it is those. */
static bool one_is_full(const struct stages *s, const struct stage *at)
{
    return s->ends &&
           s->users * at->ended.reserved + at->sequence.reserved < s->users * at->sequence.reserved;
}

/* Of one request at its end and one of full context, what all users need. */
static double stage_need(const struct stages *s, const struct stage *at, double end, double full)
{
    return one_is_full(s, at) ? s->users * end + full : s->users * full;
}

double memory_requests_held(const struct binding *b, double pool)
{
    double full = b->each > 0 ? floor(pool / b->each) : INFINITY;

    return b->described > 0 && pool >= b->each ? fmax(full, floor((pool - b->each) / b->described))
                                               : full;
}

/* Bytes the engine sets aside for the users of a stage while they are spread; all of each
 * slot where it does so when it starts. */
static double stage_mean(const struct stages *s, const struct stage *at, double reserved)
{
    const struct request *q = s->request;
    bool whole = q->engine->whole_slots;

    if (at->mean >= 0)
        return at->mean;
    if (q->model->weights_only || q->kv_on_host)
        return 0;
    struct kv_sequence one =
        kvcache_sequence(q, s->layout->tp, at->first, at->end,
                         whole ? q->context : memory_mean_tokens(q), s->load->max_batched_tokens);
    return whole ? reserved : s->users * one.reserved + one.fixed;
}

static enum memory_state stage_room(const struct binding *b)
{
    if (b->pool.high <= 0 && b->pool.low < 0)
        return MEMORY_LACKS;
    if (b->reserved <= b->pool.low && b->pool.low >= 0)
        return b->free.low < 0 ? MEMORY_OVERRUNS : MEMORY_HOLDS;
    if (b->least > b->pool.low)
        return b->least > b->pool.high ? MEMORY_LACKS : MEMORY_DOUBTS;
    return b->reserved > b->pool.high ? MEMORY_SPREADS : MEMORY_CROSSES;
}

static void stage_weights(const struct stages *s, struct stage *at)
{
    const struct request *q = s->request;
    int head = at->index == s->layout->pp - 1;
    struct quantity held = weights_held(q, &s->weights, at->first, at->end);

    at->weights = weights_sure(
        q, s->load, &s->weights, at->layers,
        weights_total(&s->weights, q->model->kind_count, at->layers, at->index == 0, head));
    if (held.high > 0)
        at->weights = quantity_sub(at->weights, held);
    if (q->draft || q->lora_slots > 0) /* which engines load with the weights */
        at->weights = quantity_add(
            at->weights, quantity_add(weights_draft(q, s->load, s->layout, at->index),
                                      lora_bytes(q, &s->weights, s->layout, at->first, at->end)));
    at->weights = as_logged(s, LOGGED_WEIGHTS, at->weights);
    at->mean = -1;
}

static void stage_binding(const struct stages *s, struct stage *at, struct binding *out)
{
    const struct request *q = s->request;
    const struct kv_sequence *one = &at->sequence;
    const struct engine_rules *rules = engine_rules(q->engine->budget);
    int head = at->index == s->layout->pp - 1;
    struct stage_gpu g = stage_gpu(s, at->index);

    out->stage = at->index;
    out->weights = at->weights;
    out->overhead = s->overhead[head];
    out->pool = logged_pool(q, s->layout, s->load->max_num_seqs, s->load->max_batched_tokens,
                            g.usable.value, parts_pool(s, g.budget, out->weights, head));
    out->budget = g.budget;
    out->spare = s->spare[head];
    out->each = one->reserved + one->fixed;
    out->described = s->ends ? at->ended.reserved : 0;
    out->states = rules->states ? rules->states(s, one, &out->pool) : quantity_unknown();
    out->reserved = stage_need(s, at, at->ended.reserved, one->reserved) + one->fixed;
    struct quantity taken = quantity_add(quantity_add(out->weights, out->overhead),
                                         quantity_of(out->reserved, memory_counted(q)));
    out->free = quantity_sub(quantity_sub(g.usable, taken), quantity_exact(q->used));
    out->least = out->reserved;
    if (out->reserved > out->pool.low && out->each <= out->pool.high)
        out->least = fmax(out->each, at->mean = stage_mean(s, at, out->reserved));
    out->state = stage_room(out);
}

/* ---- the stage that binds ---- */

/* A stage binds that is worse off for sure; else when its pool holds fewer requests, or,
 * without any KV, has less. */
static bool memory_binds(const struct binding *a, const struct binding *b)
{
    if (a->state != b->state)
        return a->state > b->state;
    if (a->reserved > 0 && b->reserved > 0 && a->pool.value > 0 && b->pool.value > 0)
        return a->pool.value / a->reserved < b->pool.value / b->reserved;
    return a->pool.value - a->reserved < b->pool.value - b->reserved;
}

static void bind_stage(const struct stages *s, struct stage *at, struct binding *out)
{
    struct binding b;

    stage_binding(s, at, &b);
    if (at->index == 0 || memory_binds(&b, out))
        *out = b;
}

/* Middle stages of the same layers are alike. Those that are looked at are kept, if that is asked
 * for and there is room. */
static void find_binding(const struct stages *s, struct stages_kept *kept, struct binding *out)
{
    struct stage at = stage_at(s, 0);
    int pp = s->layout->pp, count = 0;

    for (int stage = 0; stage < pp; stage++) {
        int before = at.first;
        bool draft = s->request->draft && stage == pp - 1;

        if (stage > 0) {
            at.index = stage;
            at.first = at.end;
            at.end = layout_stage_begin(s->request, pp, stage + 1);
            if (draft || !same_as_before(s->request, before, at.first, at.end))
                stage_sum(s, &at);
            else if (stage > 1 && stage < pp - 1 && !s->request->gpu->mix)
                continue;
        }
        stage_weights(s, &at);
        bind_stage(s, &at, out);
        if (kept && count < STAGES_KEPT)
            kept->of[count] = at;
        count++;
    }
    if (kept) {
        kept->any = count <= STAGES_KEPT;
        kept->count = count;
    }
}

void memory_binding(const struct request *q, const struct load *load, const struct layout *l,
                    struct binding *out)
{
    struct stages_kept *kept = logged_of(q) ? NULL : load->kept_stages;
    struct stages own;

    if (!kept) {
        cut_stages(q, load, l, false, &own);
        find_binding(&own, NULL, out);
        return;
    }
    double slots = q->engine->budget == BUDGET_ASKED ? kvcache_slots(q, q->users) : 0;
    double batch = kvcache_holds_batch(q) ? load->max_batched_tokens : 0;
    bool same = kept->any && kept->users == q->users && kept->batch == batch &&
                kept->slots == slots && memcmp(&kept->layout, l, sizeof(*l)) == 0;

    cut_stages(q, load, l, same, &kept->stages);
    for (int i = 0; same && i < kept->count; i++)
        bind_stage(&kept->stages, &kept->of[i], out);
    if (same)
        return;
    kept->layout = *l;
    kept->users = q->users;
    kept->batch = batch;
    kept->slots = slots;
    find_binding(&kept->stages, kept, out);
}

/* ---- all figures of one stage ---- */

/* Whole blocks only; a part of a block serves nobody. */
static double pool_requests(double pool, const struct kv_sequence *s)
{
    pool -= s->fixed;
    if (pool <= 0 || s->reserved <= 0)
        return 0;
    return s->block > 0 ? floor(pool / s->block) * s->block / s->reserved : pool / s->reserved;
}

/* Requests at their end, of a pool that has to hold one of full length to start. */
static double pool_described(double pool, double full, const struct kv_sequence *end)
{
    return pool >= full ? pool_requests(pool, end) : 0;
}

static double pool_tokens(double pool, const struct kv_sequence *s, const struct request *q)
{
    if (pool <= 0)
        return 0;
    if (s->cell > 0)
        return floor(pool / (s->cell * q->engine->block)) * q->engine->block;
    if (s->per_token > 0)
        return floor(pool / s->block) * round(s->block / s->per_token);
    return pool_requests(pool, s) * q->context;
}

static void fill_stage(const struct stages *s, int stage, struct memory *m)
{
    const struct request *q = s->request;
    const struct load *load = s->load;
    struct stage at = stage_at(s, stage);
    const struct kv_sequence *one = &m->sequence;
    enum origin counted = memory_counted(q);
    struct binding b;

    memset(m, 0, sizeof(*m));
    stage_weights(s, &at);
    stage_binding(s, &at, &b);
    m->sequence = at.sequence;
    m->stage = stage;
    struct stage_gpu g = stage_gpu(s, stage);

    m->physical = g.physical;
    m->usable = g.usable;
    m->budget = g.budget;
    m->weights = b.weights;
    m->host = q->host_bytes > 0 ? weights_held(q, &s->weights, at.first, at.end)
                                : quantity_of(weights_on_host(q, load), b.weights.origin);
    m->tables = quantity_of(load->tables, b.weights.origin);
    m->host_kv = q->host_kv > 0 ? quantity_exact(q->host_kv)
                                : quantity_of(weights_host_kv(q, load, s->users), counted);
    m->draft = weights_draft(q, load, s->layout, stage);
    m->lora = lora_bytes(q, &s->weights, s->layout, at.first, at.end);
    m->split = weights_stage(q, load, s->layout, stage);
    m->activation = s->activation[stage == s->layout->pp - 1];
    m->non_torch = s->non_torch;
    m->context = s->context;
    m->graphs = s->graphs;
    m->graphs_charged = memory_budget(q) == BUDGET_UTILIZATION ? s->graphs_charged : s->graphs;
    m->kv_pool = b.pool;
    m->kv_needed = quantity_of(stage_need(s, &at, at.ended.exact, one->exact), counted);
    m->state = quantity_of(stage_need(s, &at, at.ended.state, one->state), counted);
    m->kv_reserved = quantity_of(b.reserved, counted);
    m->kv_full = quantity_of(s->users * one->reserved + one->fixed, counted);
    m->one_full = one_is_full(s, &at);
    m->kv_mean = quantity_of(stage_mean(s, &at, b.reserved),
                             q->model->assumed ? ORIGIN_ASSUMED : ORIGIN_MODEL);
    m->room = b.state;
    m->state_blocks = b.states;
    m->free = b.free;
    m->max_concurrency = m->kv_cache_tokens = m->holds_load = quantity_unknown();
    if (one->reserved > 0) {
        double end = memory_described_tokens(q);

        m->described = end < q->context ? kvcache_sequence(q, s->layout->tp, at.first, at.end, end,
                                                           load->max_batched_tokens)
                                        : *one;
        double full = one->reserved + one->fixed;

        m->holds_load =
            quantity_band(pool_described(b.pool.value, full, &m->described),
                          pool_described(b.pool.low, full, &m->described),
                          pool_described(b.pool.high, full, &m->described), ORIGIN_MODEL);
        m->max_concurrency =
            quantity_band(pool_requests(b.pool.value, one), pool_requests(b.pool.low, one),
                          pool_requests(b.pool.high, one), ORIGIN_MODEL);
        m->kv_cache_tokens =
            quantity_band(pool_tokens(b.pool.value, one, q), pool_tokens(b.pool.low, one, q),
                          pool_tokens(b.pool.high, one, q), ORIGIN_MODEL);
    }
    m->kv_bytes_per_token = load->kv_bytes_per_token;
    m->rule_of_thumb = memory_rule_of_thumb(load->params, q->precision.weight->bits);
    m->file_bytes = load->file_bytes;
    m->users = s->users;
    m->max_num_seqs = load->max_num_seqs;
    m->max_batched_tokens = load->max_batched_tokens;
    m->fraction = s->fraction;
}

void memory_stage(const struct request *q, const struct load *load, const struct layout *l,
                  int stage, struct memory *out)
{
    struct stages s;

    cut_stages(q, load, l, false, &s);
    fill_stage(&s, stage, out);
}

void memory_estimate(const struct request *q, const struct load *load, const struct layout *l,
                     struct memory *out)
{
    struct stages s;
    struct binding b;

    cut_stages(q, load, l, false, &s);
    find_binding(&s, NULL, &b);
    fill_stage(&s, b.stage, out);
}

/* ---- a server's log ---- */

struct quantity memory_term(const struct memory *m, enum logged_term term)
{
    const struct quantity *const of[LOGGED_TERMS] = {
        [LOGGED_WEIGHTS] = &m->weights,        [LOGGED_ACTIVATION] = &m->activation,
        [LOGGED_NON_TORCH] = &m->non_torch,    [LOGGED_GRAPHS] = &m->graphs,
        [LOGGED_CHARGED] = &m->graphs_charged,
    };

    return *of[term];
}

enum logged_how memory_logged(const struct request *q, const struct layout *l,
                              const struct memory *m, enum logged_term term)
{
    return logged_how(q, l, m->max_num_seqs, m->max_batched_tokens, term,
                      memory_term(m, term).origin);
}

/* ---- terms: non-torch, graphs ---- */

static void add_overheads(struct terms *w, const struct load *load)
{
    const struct memory *m = &w->plan->memory;
    const struct engine *e = w->plan->request.engine;
    const struct layout *l = &w->plan->layout;

    activation_terms(w, load);
    bool together = memory_together(l) > 1;
    double share = memory_link_share(&w->plan->request, l);

    input_number(w, "link", share, "gpu");
    term_add(w, "non-torch", "non_torch",
             together && e->non_torch_pcie.known ? "PCIe's + link * (NVSwitch's - PCIe's)"
             : together                          ? "engine's constant at tp > 1"
             : l->pp > 1                         ? "engine's constant at tp = 1, pp > 1"
                                                 : "engine's constant on one GPU",
             m->non_torch, "GiB", source_engine(e, TERM_NON_TORCH),
             together && e->non_torch_pcie.known
                 ? "link, context, cuBLAS, NCCL, all-reduce, the runner's buffers"
             : together ? "context, cuBLAS, NCCL, all-reduce, the runner's buffers"
                        : "context, cuBLAS, the runner's buffers");
    if (m->context.value > 0)
        term_add(w, "before the budget", "before",
                 "engine's constant: context, with TP NCCL's; beside the budget", m->context, "GiB",
                 source_engine(e, TERM_NON_TORCH), "context, link");
    term_add(w, "CUDA graphs", "graphs", "engine's constant, in some versions for each layer",
             m->graphs, "GiB", source_engine(e, TERM_GRAPHS),
             e->budget != BUDGET_UTILIZATION ? "memory beside the pool"
                                             : "capture after the KV pool is set");
    if (e->budget == BUDGET_UTILIZATION)
        term_add(w, "CUDA graphs, charged", "graphs charged", "the engine's own estimate, or 0",
                 m->graphs_charged, "GiB", source_engine(e, TERM_GRAPHS),
                 m->graphs_charged.high > 0 ? "a charge to the budget before the KV pool"
                                            : "no charge to the budget");
}

/* ---- terms: budget, pool, need ---- */

struct equation {
    const char *text, *inputs;
};

static const struct equation budgets[] = {
    [BUDGET_UTILIZATION] = {"utilization * usable * (1 - headroom)",
                            "utilization, usable, used, headroom"},
    [BUDGET_FREE] = {"(usable - used) * (1 - headroom)", "usable, used, headroom"},
    [BUDGET_STATIC] = {"fraction * (usable - used - non_torch) * (1 - headroom)",
                       "fraction, usable, used, non_torch, headroom"},
    [BUDGET_ASKED] = {"(usable - used) * (1 - headroom)", "usable, used, headroom"},
};

static const struct equation pools[] = {
    [BUDGET_UTILIZATION] = {"budget - weights - activation - non_torch - graphs charged",
                            "budget, weights, activation, non_torch, graphs charged"},
    [BUDGET_FREE] = {"fraction * (budget - weights - activation - non_torch - graphs)",
                     "fraction, budget, weights, activation, non_torch, graphs"},
    [BUDGET_STATIC] = {"budget - weights [- what a vision tower keeps]", "budget, weights"},
    [BUDGET_ASKED] = {"budget - weights - activation - non_torch - graphs",
                      "budget, weights, activation, non_torch, graphs"},
};

static void add_pool(struct terms *w)
{
    const struct engine *e = w->plan->request.engine;
    const struct memory *m = &w->plan->memory;
    enum budget b = memory_budget(&w->plan->request);
    bool uniform = m->sequence.per_token > 0, cell = m->sequence.cell > 0;

    input_exact(w, "cell", m->sequence.cell);
    term_add(w, "KV pool", "pool", pools[b].text, m->kv_pool, "GiB", source_engine(e, TERM_BUDGET),
             pools[b].inputs);
    if (!m->kv_cache_tokens.known)
        return;
    term_add(w, "KV cache tokens", "pool tokens",
             cell      ? "floor(pool / cell)"
             : uniform ? "floor(pool / (block * KV per token)) * block"
                       : "concurrency * s",
             m->kv_cache_tokens, "tokens", source_engine(e, TERM_BLOCK),
             cell      ? "pool, cell"
             : uniform ? "pool, block, KV per token on this GPU"
                       : "pool, s");
    term_add(w, "max concurrency", "concurrency",
             m->sequence.fixed > 0   ? "(pool - shared) / given"
             : m->sequence.block > 0 ? "floor(pool / block bytes) * block bytes / given"
                                     : "pool / given",
             m->max_concurrency, "requests", source_engine(e, TERM_BLOCK),
             "pool, block bytes, given");
}

static void add_need(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    const struct memory *m = &p->memory;

    if (m->state_blocks.known)
        term_add(w, "blocks of state", "state blocks",
                 "floor(pool / block bytes); the slots need one each", m->state_blocks, "blocks",
                 source_rule(q->engine, TERM_STATE, TERM_BLOCK), "pool, block bytes, seqs");
    term_add(w, "users' KV", "KV needed",
             m->one_full ? "the users' keys and values at their end, and one's of full context"
                         : "users * keys and values of one",
             m->kv_needed, "GiB", source_model(q->model), "users per replica, keys and values");
    if (m->state.value > 0)
        term_add(w, "users' state", "state needed",
                 m->one_full ? "(users + 1) * state of one request"
                             : "users * state of one request",
                 m->state, "GiB", source_model(q->model), "users per replica, state");
    if (m->one_full) {
        input_number(w, "end tokens", memory_end_tokens(q), "request");
        term_add(w, "one described request is given", "given at its end",
                 "the same of a request at its end", quantity_exact(m->described.reserved), "GiB",
                 source_engine(q->engine, TERM_BLOCK), "end tokens");
    }
    term_add(w, "users' need", "need",
             m->one_full ? "users * given at its end + given" : "users * given", m->kv_reserved,
             "GiB", source_engine(q->engine, TERM_BLOCK),
             m->one_full ? "users per replica, given at its end, given"
                         : "users per replica, given");
    if (m->one_full)
        term_add(w, "users' need at full context", "full need", "users * given", m->kv_full, "GiB",
                 source_engine(q->engine, TERM_BLOCK), "users per replica, given");
    input_number(w, "mean tokens", memory_mean_tokens(q), "request");
    term_add(w, "users' mean need", "mean need", "users * reserved for mean tokens", m->kv_mean,
             "GiB", source_engine(q->engine, TERM_BLOCK), "users per replica, mean tokens");
}

/* What a server's log says of each term that follows from it. */
static void add_logged(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct memory *m = &p->memory;
    const struct logged *g = &p->request.logged;

    for (int t = 0; t < LOGGED_TERMS; t++) {
        enum logged_how how = memory_logged(&p->request, &p->layout, m, (enum logged_term)t);

        if (how == LOGGED_NOT)
            continue;
        term_add(w, "logged / estimated", "logged / estimated",
                 how == LOGGED_SAME ? "the logged figure stands for the estimate"
                                    : "estimate * (logged / estimate of what was logged)^share",
                 quantity_of(exp(g->by[t]), ORIGIN_MEASURED), "x",
                 source_counted("one start of this model, format, GPU and engine"), "");
        term_is_part(w, logged_word((enum logged_term)t), 0);
    }
}

void memory_terms(struct terms *w)
{
    const struct request *q = &w->plan->request;
    const struct equation *e = &budgets[memory_budget(q)];
    struct load load = load_sum(q);

    if (logged_of(q))
        add_logged(w);
    add_overheads(w, &load);
    kvcache_terms(w);
    if (engine_rules(w->plan->request.engine->budget)->terms)
        engine_rules(w->plan->request.engine->budget)->terms(w);
    term_add(w, "budget", "budget", e->text, w->plan->memory.budget, "GiB",
             source_engine(q->engine, TERM_BUDGET), e->inputs);
    if (!q->model->weights_only) {
        add_pool(w);
        add_need(w);
    }
    const struct memory *m = &w->plan->memory;
    const struct format *f = w->plan->request.precision.weight;

    term_add(w, "free", "free", "usable - used - weights - activation - non_torch - graphs - need",
             m->free, "GiB", source_counted("the parts above"),
             "usable, used, weights, activation, non_torch, graphs, need");
    input_number(w, "bits", f->bits, f->id);
    term_add(w, "rule of thumb", "rule", "params * bits/8 * 1.25, all GPUs together",
             quantity_of(m->rule_of_thumb, ORIGIN_ASSUMED), "GiB",
             source_counted("the field's rule, to compare with: no figure rests on it"),
             "params, bits");
}
