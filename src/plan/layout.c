/*
 * layout.c - see layout.h.
 */
#include "plan/layout.h"

#include <math.h>

/* vLLM and Megatron pad the vocabulary to a multiple of this before cutting it. */
#define VOCAB_PAD 64

static const enum share_rule share_rules[ROLE_COUNT] = {
    [ROLE_EMBED] = SHARE_TP,     [ROLE_HEAD] = SHARE_TP,         [ROLE_NORM] = SHARE_ALL,
    [ROLE_ROUTER] = SHARE_ALL,   [ROLE_ATTN_Q] = SHARE_TP,       [ROLE_ATTN_KV] = SHARE_KV,
    [ROLE_ATTN_OUT] = SHARE_TP,  [ROLE_ATTN_LATENT] = SHARE_ALL, [ROLE_INDEXER] = SHARE_ALL,
    [ROLE_RECURRENT] = SHARE_TP, [ROLE_MLP] = SHARE_TP,          [ROLE_EXPERT] = SHARE_EXPERT,
    [ROLE_SHARED] = SHARE_TP,    [ROLE_LAYER_EMBED] = SHARE_TP,  [ROLE_NGRAM] = SHARE_TP,
    [ROLE_VISION] = SHARE_TOWER, [ROLE_OTHER] = SHARE_ALL,
};

int layout_kv_heads(const struct layer_kind *kind, int tp)
{
    int per = (kind->kv_heads + tp - 1) / tp;

    return per > 1 ? per : 1;
}

enum share_rule layout_share_rule(const struct layer_kind *kind, enum tensor_role role)
{
    enum share_rule rule = share_rules[role];

    /* MLA's up projection kv_b is cut by heads like any other matrix */
    if (rule == SHARE_KV &&
        (!kind || kind->kv_heads <= 0 || mixer_is(kind->mixer, MIXER_IS_PROJECTED)))
        return SHARE_TP;
    return rule;
}

void layout_shares(const struct layer_kind *kind, const struct layout *layout,
                   double out[SHARE_COUNT])
{
    out[SHARE_ALL] = 1;
    out[SHARE_TP] = out[SHARE_TOWER] = 1.0 / layout->tp;
    out[SHARE_KV] = kind && kind->kv_heads > 0
                        ? (double)layout_kv_heads(kind, layout->tp) / kind->kv_heads
                        : out[SHARE_TP];
    out[SHARE_EXPERT] = 1.0 / (layout->ep > layout->tp ? layout->ep : layout->tp);
}

double layout_share(const struct layer_kind *kind, enum tensor_role role,
                    const struct layout *layout)
{
    double shares[SHARE_COUNT];

    layout_shares(kind, layout, shares);
    return shares[layout_share_rule(kind, role)];
}

static int stage_start(int layers, int pp, int stage)
{
    int base = layers / pp, rest = layers % pp;
    /* stages pp-1-rest .. pp-2 hold one layer more, the last never does */
    int more = stage - (pp - 1 - rest);

    more = more < 0 ? 0 : more > rest ? rest : more;
    return stage >= pp ? layers : stage * base + more;
}

int layout_stage_first(const struct model *model, int pp, int stage)
{
    return stage_start(model->layer_count, pp, stage);
}

int layout_gpu_layers(const struct request *q)
{
    int layers = q->model->layer_count;

    return q->host_layers < layers ? layers - q->host_layers : 0;
}

int layout_stage_begin(const struct request *q, int pp, int stage)
{
    int layers = layout_gpu_layers(q);
    const struct gpu_mix *mix = q->gpu ? q->gpu->mix : NULL;

    if (mix && mix->count == pp && q->engine && q->engine->gguf) { /* llama-model.cpp: splits */
        int act = layers + (q->host_layers <= q->model->layer_count);
        int first = (int)ceil(mix->share[stage] * act - 1e-9);

        return q->model->layer_count - layers + (stage < pp && first < layers ? first : layers);
    }

    return q->model->layer_count - layers + stage_start(layers, pp, stage);
}

static int common_divisor(int a, int b)
{
    while (b > 0) {
        int rest = a % b;

        a = b;
        b = rest;
    }
    return a;
}

int layout_group(const struct layout *l)
{
    int replicas = l->ep > l->tp ? l->ep / common_divisor(l->ep, l->tp) : 1;

    return l->tp * l->pp * replicas;
}

int layout_ways(const struct layout *l)
{
    return layout_group(l) / (l->tp * l->pp);
}

struct layout layout_prefill(const struct layout *l)
{
    struct layout side = *l;

    side.tp = l->prefill_tp > 0 ? l->prefill_tp : l->tp;
    side.replicas = l->prefill;
    side.prefill = side.prefill_tp = 0;
    side.gpus = side.tp * side.pp * side.replicas;
    return side;
}

int layout_widest(const struct layout *l)
{
    int group = layout_group(l), side = l->prefill_tp * l->pp;

    return side > group ? side : group;
}

int layout_gpus(const struct layout *l)
{
    int tp = l->prefill_tp > 0 ? l->prefill_tp : l->tp;

    return l->pp * (l->tp * layout_decoding(l) + tp * l->prefill);
}

/* Those that decode as few hosts as they take, the others in what is left there first. */
static int hosts_of_both(const struct layout *l, int host_gpus)
{
    struct layout side = layout_prefill(l), decode = *l;

    decode.replicas = layout_decoding(l);
    decode.prefill = decode.prefill_tp = 0;
    int hosts = layout_hosts(&decode, host_gpus);
    int unit = layout_group(&decode), small = layout_group(&side);
    if (unit > host_gpus || small > host_gpus)
        return hosts + layout_hosts(&side, host_gpus);
    int per_host = host_gpus / unit, units = decode.tp * decode.pp * decode.replicas / unit;
    int last = units - (hosts - 1) * per_host;
    int beside =
        (hosts - 1) * ((host_gpus - per_host * unit) / small) + (host_gpus - last * unit) / small;
    int rest = side.gpus / small - beside, room = host_gpus / small;
    return hosts + (rest > 0 ? (rest + room - 1) / room : 0);
}

int layout_hosts(const struct layout *l, int host_gpus)
{
    if (l->prefill_tp > 0)
        return hosts_of_both(l, host_gpus > 1 ? host_gpus : 1);
    int group = layout_group(l), replica = l->tp * l->pp;
    int host = host_gpus > 1 ? host_gpus : 1;
    int unit = group <= host ? group : replica;
    if (unit <= host) {
        int units = replica * l->replicas / unit, per_host = host / unit;

        return (units + per_host - 1) / per_host;
    }
    if (l->tp > host)
        return (l->tp + host - 1) / host * l->pp * l->replicas;
    int stages = host / l->tp;
    return (l->pp + stages - 1) / stages * l->replicas;
}

/* ---- validity ---- */

struct refusals {
    struct refusal *out; /* NULL: only whether there is one */
    int most, count;
};

static void layout_refuse(struct refusals *r, enum refusal_code code, int a, int b)
{
    for (int i = 0; i < r->count && i < r->most; i++)
        if (r->out[i].code == code && r->out[i].a == a && r->out[i].b == b)
            return; /* of another kind of layer */
    if (r->count < r->most)
        r->out[r->count] = (struct refusal){code, a, b};
    r->count++;
}

static void check_attention(struct refusals *r, const struct layer_kind *k, int tp)
{
    if (k->heads > 0 && k->heads % tp != 0)
        layout_refuse(r, REFUSED_HEADS, tp, k->heads);
    if (k->o_groups % tp != 0)
        layout_refuse(r, REFUSED_OUTPUT, tp, k->o_groups);
    if (mixer_is(k->mixer, MIXER_IS_LATENT) || k->kv_heads <= 0)
        return;
    if (k->kv_heads % tp != 0 && tp % k->kv_heads != 0)
        layout_refuse(r, REFUSED_KV_HEADS, tp, k->kv_heads);
}

static void check_width(struct refusals *r, const struct layer_kind *k, int tp, int ep)
{
    int per_expert = ep > tp ? 1 : tp / (ep > 0 ? ep : 1);

    if (k->ff % tp != 0)
        layout_refuse(r, REFUSED_MLP, tp, k->ff);
    if (k->experts > 0 && k->expert_ff % per_expert != 0)
        layout_refuse(r, REFUSED_EXPERT, per_expert, k->expert_ff);
    if (k->shared_ff % tp != 0)
        layout_refuse(r, REFUSED_MLP, tp, k->shared_ff);
    if (k->lin_v_heads % tp != 0 || k->lin_k_heads % tp != 0)
        layout_refuse(r, REFUSED_RECURRENT, tp,
                      k->lin_k_heads % tp != 0 ? k->lin_k_heads : k->lin_v_heads);
    if (k->groups > 1 && k->groups % tp != 0) /* mamba_mixer2.py, vLLM 0.33 and SGLang 0.5.23 */
        layout_refuse(r, REFUSED_STATE_GROUPS, tp, k->groups);
}

/* Is `width` elements of a shard a whole number of blocks, or may its blocks be cut down to a
 * divisor that both widths have? */
static bool divides_blocks(const struct support *s, int width, int block, int hidden)
{
    if (width % block == 0 || !s)
        return true;
    return s->least > 0 && common_divisor(common_divisor(block, width), hidden) >= s->least;
}

/* A shard that cuts a block of scales: rows of outputs (`alone`: of a matrix that is loaded by
 * itself), or a group along the inputs. */
static void check_block(struct refusals *r, const struct request *q, enum tensor_role role,
                        enum refusal_code code, bool alone, int outputs, int inputs)
{
    const struct format *f = q->precision.by_role[role];
    int rows = f->group_rows > 1 ? f->group_rows : 1, cols = f->group_cols > 1 ? f->group_cols : 1;

    if (outputs % rows == 0 && inputs % cols == 0)
        return;
    const struct support *s = engine_support(q->engine, SUPPORT_SHARDS, f->id, f->family, role);
    if (code == REFUSED_GATE_BLOCK && s && !s->gates)
        return;
    bool merged = s && s->merged && !alone;

    if (!merged && !divides_blocks(s, outputs, rows, q->model->hidden))
        layout_refuse(r, code, outputs, rows);
    else if (!divides_blocks(s, inputs, cols, q->model->hidden))
        layout_refuse(r, code, inputs, cols);
}

/* The outputs of column-parallel layers and the inputs of row-parallel ones, of a GPU. The
 * projections of the latent attention and its KV heads that every GPU holds whole are not cut. */
static void check_blocks(struct refusals *r, const struct request *q, const struct layer_kind *k,
                         const struct layout *l)
{
    const struct format *const *f = q->precision.by_role;

    if (f[ROLE_MLP]->group_cols <= 1 && f[ROLE_EXPERT]->group_cols <= 1 &&
        f[ROLE_SHARED]->group_cols <= 1 && f[ROLE_ATTN_OUT]->group_cols <= 1 &&
        f[ROLE_RECURRENT]->group_cols <= 1)
        return; /* no scales of blocks */
    int tp = l->tp, shards = l->ep > tp ? 1 : tp / (l->ep > 0 ? l->ep : 1);
    int heads = k->heads / tp, kv = k->kv_heads > 0 ? layout_kv_heads(k, tp) : 0;
    int values = k->lin_v_heads / tp * k->lin_v_dim;
    bool projected = mixer_is(k->mixer, MIXER_IS_PROJECTED);
    int key = projected ? k->nope_dim + k->rope_dim : k->head_dim;
    int value = k->v_head_dim > 0 ? k->v_head_dim : k->head_dim;

    check_block(r, q, ROLE_MLP, REFUSED_MLP_BLOCK, false, k->ff / tp, k->ff / tp);
    check_block(r, q, ROLE_SHARED, REFUSED_SHARED_BLOCK, false, k->shared_ff / tp,
                k->shared_ff / tp);
    if (k->experts > 0)
        check_block(r, q, ROLE_EXPERT, REFUSED_EXPERT_BLOCK, true, k->expert_ff / shards,
                    k->expert_ff / shards);
    check_block(r, q, ROLE_ATTN_Q, REFUSED_HEADS_BLOCK, projected, heads * key, 0);
    if (projected)
        check_block(r, q, ROLE_ATTN_KV, REFUSED_HEADS_BLOCK, true, heads * (k->nope_dim + value),
                    0);
    else if (!mixer_is(k->mixer, MIXER_IS_POOLED))
        check_block(r, q, ROLE_ATTN_KV, REFUSED_HEADS_BLOCK, false, kv * k->head_dim, 0);
    if (!mixer_is(k->mixer, MIXER_IS_POOLED))
        check_block(r, q, ROLE_ATTN_OUT, REFUSED_HEADS_BLOCK, true, 0, heads * value);
    if (!mixer_is(k->mixer, MIXER_IS_RECURRENT))
        return;
    check_block(r, q, ROLE_RECURRENT, REFUSED_STATE_BLOCK, false, values, values);
    if (k->lin_k_heads > 0) {
        check_block(r, q, ROLE_RECURRENT, REFUSED_STATE_BLOCK, false,
                    k->lin_k_heads / tp * k->lin_k_dim, 0);
        check_block(r, q, ROLE_RECURRENT, REFUSED_GATE_BLOCK, false, k->lin_v_heads / tp, 0);
    }
}

/* Cuts that the weights allow, of one side. */
static void check_cut(struct refusals *r, const struct request *q, const struct layout *l)
{
    int padded = (q->model->vocab + VOCAB_PAD - 1) / VOCAB_PAD * VOCAB_PAD;
    const struct model *m = q->model;

    for (int k = 0; k < m->kind_count && l->tp > 1; k++) {
        check_attention(r, &m->kind[k], l->tp);
        check_width(r, &m->kind[k], l->tp, l->ep);
        if (q->engine) /* training has none */
            check_blocks(r, q, &m->kind[k], l);
    }
    if (m->vocab > 0 && padded % l->tp != 0)
        layout_refuse(r, REFUSED_VOCABULARY, l->tp, m->vocab);
}

/* The draft is cut over as many GPUs. */
static void check_draft(struct refusals *r, const struct request *q, const struct layout *l)
{
    if (!q->draft || q->draft_kind == DRAFT_MTP || l->tp == 1)
        return;
    for (int k = 0; k < q->draft->kind_count; k++) {
        struct refusals of = {NULL, 0, 0};
        const struct layer_kind *kind = &q->draft->kind[k];

        check_attention(&of, kind, l->tp);
        check_width(&of, kind, l->tp, l->ep);
        if (of.count > 0) {
            layout_refuse(r, REFUSED_DRAFT, l->tp, kind->heads);
            return;
        }
    }
}

static void check_ep(struct refusals *r, const struct request *q, const struct layout *l)
{
    int experts = model_experts(q->model);

    if (q->engine->gguf || q->engine->experts_whole)
        layout_refuse(r, REFUSED_EP_ENGINE, l->ep, 0);
    if (experts == 0)
        layout_refuse(r, REFUSED_EP_DENSE, l->ep, 0);
    else if (experts % l->ep != 0)
        layout_refuse(r, REFUSED_EP_EXPERTS, l->ep, experts);
    if (l->tp * l->replicas % l->ep != 0)
        layout_refuse(r, REFUSED_EP_GPUS, l->ep, l->tp * l->replicas);
    if (l->ep < l->tp && l->tp % l->ep != 0)
        layout_refuse(r, REFUSED_EP_TP, l->ep, l->tp);
    else if (q->engine->ep_all && l->ep != l->tp * layout_ways(l))
        layout_refuse(r, REFUSED_EP_ALL, l->ep, l->tp * layout_ways(l));
}

/* Layers that read the pool of an earlier one are on its stage (deepseek_v41/attention.py:
 * "PP splits inside a v4.1 kv-sharing group are not supported"). */
static void check_pools(struct refusals *r, const struct request *q, const struct layout *l)
{
    const struct model *m = q->model;

    for (int stage = 1; stage < l->pp; stage++) {
        int i = layout_stage_begin(q, l->pp, stage);
        int end = layout_stage_begin(q, l->pp, stage + 1);

        while (i < end && m->kind[m->layer[i]].compress == 0)
            i++;
        if (i < end && m->kind[m->layer[i]].csa2 && m->kind[m->layer[i]].kv_shared) {
            layout_refuse(r, REFUSED_SHARED_POOL, l->pp, i);
            return;
        }
    }
}

/* Over several hosts, each of them whole, where it is asked for: engines take that. */
static bool tp_across(const struct request *q, int tp)
{
    return q->tp == tp && q->engine && !q->engine->gguf && tp % q->host_gpus == 0;
}

int layout_refusals(const struct request *q, const struct layout *l, struct refusal *out, int most)
{
    struct refusals r = {.out = out, .most = most};
    struct layout side = layout_prefill(l);

    check_cut(&r, q, l);
    if (l->prefill_tp > 0)
        check_cut(&r, q, &side);
    if (l->pp > 1 && l->pp > layout_gpu_layers(q))
        layout_refuse(&r, REFUSED_STAGES, l->pp, layout_gpu_layers(q));
    else
        check_pools(&r, q, l);
    check_draft(&r, q, l);
    /* Some engines spread layers alone. */
    if (q->engine && q->engine->layers_only && l->tp > 1) /* fine-tuning has no engine */
        layout_refuse(&r, REFUSED_TP_ENGINE, l->tp, 0);
    if (q->engine && q->engine->tp_or_pp && l->tp > 1 && l->pp > 1)
        layout_refuse(&r, REFUSED_TP_PP, l->tp, l->pp);
    const struct layout *const sides[] = {l, &side};
    for (int i = 0; i < (l->prefill_tp > 0 ? 2 : 1); i++) {
        const struct layout *of = sides[i];

        if (q->engine && q->engine->dp_whole && of->tp > 1 && layout_ways(of) > 1)
            layout_refuse(&r, REFUSED_DP_TP, of->tp, layout_ways(of));
        if (l->ep > 1)
            check_ep(&r, q, of);
    }
    /* a group of each side at least, and as many as were asked for */
    int ways = layout_ways(l), own = layout_ways(&side), decode = layout_decoding(l);
    if (q->split && (l->prefill < own || decode < ways || l->prefill % own || decode % ways ||
                     (q->prefill > 0 && (l->prefill != q->prefill || decode != q->decode))))
        layout_refuse(&r, REFUSED_SPLIT, q->prefill > 0 ? q->prefill : ways,
                      q->prefill > 0 ? q->decode : ways);
    int tp = l->prefill_tp > l->tp ? l->prefill_tp : l->tp;

    if (q->gpu->link_domain == 1 && layout_widest(l) > 1)
        layout_refuse(&r, REFUSED_MIG, 0, 0);
    else if (q->host_gpus > 0 && tp > request_tp_domain(q) && !tp_across(q, tp))
        layout_refuse(&r, q->host_assumed ? REFUSED_HOST_ASSUMED : REFUSED_HOST, tp, q->host_gpus);
    if (q->engine && q->engine->one_host && q->host_gpus > 0 && l->tp * l->pp > q->host_gpus)
        layout_refuse(&r, REFUSED_ONE_HOST, l->tp * l->pp, q->host_gpus);
    if (q->gpu_count > 0 && l->gpus != q->gpu_count)
        layout_refuse(&r, REFUSED_COUNT, l->gpus, q->gpu_count);
    return r.count;
}

bool layout_valid(const struct request *q, const struct layout *l)
{
    return layout_refusals(q, l, NULL, 0) == 0;
}
