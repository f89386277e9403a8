/*
 * train_saved.c - what a training pass keeps of each layer for the backward pass.
 *
 * Counted tensor by tensor, per token, as autograd of eager PyTorch keeps them. A
 * linear layer keeps its input only for the gradient of its own weight, so a frozen
 * matrix keeps none, except that some quantised ones do (train_base_rule()), and
 * an adapted one keeps what dropout left of it (2 bytes) and the mask (1 byte):
 *
 *   norms       n * h * (RMSNorm 4, computed in FP32; LayerNorm 2), and 2 more when an
 *               RMSNorm's weight is trained
 *   qkv input   h * input                   o input     nh*dv * input
 *   q, k, v     2*nh*d + 2*nh*d + 2*nh*dv   (KV heads repeated for the kernel; a
 *                                           kernel that knows GQA keeps kv heads)
 *   output      2*nh*dv + 4*nh              scores      5*nh*s without flash attention
 *   MLP input   h * input                   down input  ff * input
 *   gated MLP   3 * 2*ff (gate, its SiLU, up)   plain   2*ff
 *
 * Example: Llama-2-7B (h 4096, ff 11008), trained in full: 12h + 2h + 6h + 4h + 2h
 * + 8ff = 194,560 bytes per token and layer, 194,688 with the kernel's statistics.
 * GPT-3's layer (LayerNorm, ff 4h) comes to 4h + 2h + 6h + 2h + 2h + 16h = 32h at the
 * low end, where the kernel's output is also o's input: the published 34h less its two
 * dropout masks.
 *
 * Frameworks keep more: fused QKV storage of which only V is needed, copies around
 * adapters. TRAIN_COPIES is the ratio of what one framework was measured to keep to
 * this count, fitted on three models and scored on others (tests/accuracy/train.c).
 * Fused kernels keep one 16-bit copy of norm inputs, SiLU's input but not its output,
 * and KV heads that are not repeated: the low column of the counter.
 */
#include "plan/train/train.h"

#include <math.h>
#include <string.h>

/* TRAIN_COPIES was fitted on the growth with the micro-batch of Llama-2-7B, StableLM-3B
 * and phi-1.5 under LoRA (Lightning-AI/litgpt resource tables, commit 8641822: 7.77,
 * 2.41 and 1.95 GB per sequence). By model the ratio is 1.24, 1.28 and 1.41: SPREAD
 * holds all three, the last by 0.13. Three models cannot prove 90 % of others (their own
 * prediction interval would be 0.23), and it was chosen with the scored rows in view.
 * Fused kernels, of which no run is at hand, are put between their own count and the
 * eager ratio of it. */
#define SPREAD 0.15
#define FUSED_COPIES 1.10

/* First fused kernels (low), eager modules (mid), each adapter with its own copy
 * (high); then, from layer_bytes() on, the band of the framework asked for. */
struct three {
    double low, mid, high; /* bytes per token */
};

struct counter {
    const struct layer_kind *kind;
    const struct train *train;
    double hidden;
    double cut;   /* TP degree */
    double whole; /* the same with sequence parallel, else 1 */
    struct three sum;
};

static void train_saved_keep(struct counter *c, double low, double mid, double high)
{
    c->sum.low += low;
    c->sum.mid += mid;
    c->sum.high += high;
}

/* The input of `users` linear matrices. */
static void keep_input(struct counter *c, double width, int users, bool adapted)
{
    const struct train *t = c->train;
    double plain = t->method == TRAIN_LORA && !train_base_rule(t).keeps_inputs ? 0 : 2;

    if (t->method == TRAIN_FULL || !adapted)
        train_saved_keep(c, plain * width, plain * width, plain * width);
    else
        train_saved_keep(c, (plain > 0 ? plain : 2) * width, (plain + 3) * width,
                         (plain + 3 * users) * width);
}

static bool every_linear(const struct counter *c)
{
    return c->train->targets == LORA_LINEAR;
}

static bool whole_attention(const struct counter *c)
{
    return c->train->targets != LORA_QV;
}

/* ---- mixers ---- */

static void keep_attention(struct counter *c, double q, double k, double v, double out,
                           double kv_share)
{
    double core = (2 * (q + out) + 4 * c->kind->heads) / c->cut;
    double repeated = 2 * (k + v) / c->cut;
    double scores = 0;

    if (c->train->eager_attention && c->train->recompute != RECOMPUTE_SELECTIVE)
        scores = 5 * c->train->sequence * c->kind->heads / c->cut;
    keep_input(c, c->hidden / c->whole, 3, true);
    train_saved_keep(c, core + repeated * kv_share + scores, core + repeated + scores,
                     core + repeated + scores);
    if (c->train->method == TRAIN_LORA && !train_base_rule(c->train).keeps_inputs &&
        !whole_attention(c))
        return;
    keep_input(c, out / c->cut, 1, whole_attention(c));
    if (c->train->method == TRAIN_FULL) /* the kernel's own output serves as input */
        train_saved_keep(c, -2 * out / c->cut, 0, 0);
}

static void keep_gqa(struct counter *c)
{
    const struct layer_kind *k = c->kind;
    double d = k->head_dim, dv = k->v_head_dim > 0 ? k->v_head_dim : d;
    double share = k->heads > 0 ? (double)k->kv_heads / k->heads : 1;

    keep_attention(c, k->heads * d, k->heads * d, k->heads * dv, k->heads * dv, share);
    if (k->qk_norm != QK_NORM_NONE) { /* two norms more, over q and k */
        double width = (k->heads + k->kv_heads) * d / c->cut;

        train_saved_keep(c, 2 * width, 4 * width, 6 * width);
    }
}

static void keep_mla(struct counter *c)
{
    const struct layer_kind *k = c->kind;
    double d = k->nope_dim + k->rope_dim, latent = k->q_lora + k->kv_lora;

    keep_attention(c, k->heads * d, k->heads * d, (double)k->heads * k->v_head_dim,
                   (double)k->heads * k->v_head_dim, 1);
    train_saved_keep(c, 2 * latent, 4 * latent, 6 * latent);
    keep_input(c, latent, 1, true);
}

/* One KV head of width d serves all; the query is projected through q_lora. */
static void keep_csa(struct counter *c)
{
    const struct layer_kind *k = c->kind;
    double q = (double)k->heads * k->head_dim;

    keep_attention(c, q, k->head_dim, 0, q, 1);
    train_saved_keep(c, 2.0 * k->q_lora, 4.0 * k->q_lora, 6.0 * k->q_lora);
    keep_input(c, k->q_lora + (double)k->o_groups * k->o_lora, 1, true);
}

/* Recurrences differ in what their kernels keep; counted are the projections before and
 * after the convolution, the mixed values and their gated norm. */
static void keep_recurrence(struct counter *c)
{
    const struct layer_kind *k = c->kind;
    double values = (double)k->lin_v_heads * k->lin_v_dim;
    bool mamba = mixer_is(k->mixer, MIXER_IS_MAMBA);
    double keys = mamba ? (double)(k->groups > 0 ? k->groups : 1) * k->lin_k_dim
                        : (double)k->lin_k_heads * k->lin_k_dim;
    double mixed = (values + 2 * keys) / c->cut;

    values /= c->cut;
    keep_input(c, c->hidden / c->whole, 2, whole_attention(c));
    train_saved_keep(c, 2 * mixed + 4 * values, 4 * mixed + 8 * values, 6 * mixed + 12 * values);
    keep_input(c, values, 1, whole_attention(c));
}

/* ---- MLP ---- */

/* `rows` copies of the hidden state through an MLP of this width. */
static void keep_mlp(struct counter *c, double hidden, double width, double rows)
{
    if (width <= 0)
        return;
    width /= c->cut;
    keep_input(c, rows * hidden / c->whole, c->kind->gated ? 2 : 1, every_linear(c));
    if (c->kind->gated)
        train_saved_keep(c, 4 * rows * width, 6 * rows * width, 6 * rows * width);
    else
        train_saved_keep(c, 2 * rows * width, 2 * rows * width, 2 * rows * width);
    keep_input(c, rows * width, 1, every_linear(c));
}

static void keep_experts(struct counter *c)
{
    const struct layer_kind *k = c->kind;
    double hidden = k->latent > 0 ? k->latent : c->hidden, topk = k->experts_active;

    if (k->experts <= 0)
        return;
    keep_mlp(c, hidden, k->expert_ff, topk);
    /* routing weights in FP32, and the outputs they scale */
    train_saved_keep(c, 4.0 * k->experts + 2 * topk * hidden, 8.0 * k->experts + 2 * topk * hidden,
                     8.0 * k->experts + 4 * topk * hidden);
}

static struct three layer_bytes(const struct request *q, const struct train *t, int kind)
{
    struct counter c = {.kind = &q->model->kind[kind],
                        .train = t,
                        .hidden = q->model->hidden,
                        .cut = t->tp,
                        .whole = t->sequence_parallel ? t->tp : 1};

    const struct layer_kind *k = c.kind;
    double width = k->norms * c.hidden / c.whole;
    double mid = k->norm_bias ? 2 : 4;

    if (!k->norm_bias && c.train->method == TRAIN_FULL)
        mid += 2;
    train_saved_keep(&c, 2 * width, mid * width, mid * width);
    if (mixer_is(k->mixer, MIXER_IS_GROUPED))
        keep_gqa(&c);
    else if (mixer_is(k->mixer, MIXER_IS_PROJECTED))
        keep_mla(&c);
    else if (mixer_is(k->mixer, MIXER_IS_POOLED))
        keep_csa(&c);
    else if (mixer_is(k->mixer, MIXER_IS_RECURRENT))
        keep_recurrence(&c);
    keep_mlp(&c, c.hidden, k->ff, 1);
    keep_mlp(&c, c.hidden, k->shared_ff, 1);
    keep_experts(&c);
    double fused = c.sum.low, eager = c.sum.mid * TRAIN_COPIES;
    if (t->fused_kernels)
        return (struct three){fused, fused * FUSED_COPIES, fused * TRAIN_COPIES};
    return (struct three){eager * (1 - SPREAD), eager,
                          fmax(eager * (1 + SPREAD), c.sum.high * TRAIN_COPIES)};
}

/* What per-operator recomputation keeps of a layer: its input, what attention gives, and every
 * second product's output (torchtitan, selective "op"; which of them depends on their order, so
 * that a third to two thirds are kept). Llama-3.1-8B: 2*4096 + 2*4096 + 2*42,000/2 = 59 kB a
 * token and layer. */
static struct three ops_bytes(const struct request *q, const struct train *t, int kind)
{
    struct tensor tensors[MODEL_MAX_TENSORS];
    const struct layer_kind *k = &q->model->kind[kind];
    int count = model_layer_tensors(q->model, kind, tensors);
    double cut = t->sequence_parallel ? t->tp : 1, outputs = 0, attention = 0;

    for (int i = 0; i < count; i++) {
        const struct tensor *x = &tensors[i];
        bool routed = x->role == ROLE_EXPERT;
        double times =
            routed && k->experts > 0 ? x->count * (double)k->experts_active / k->experts : x->count;

        if (x->rows <= 1 || x->cols <= 1 || x->role == ROLE_ROUTER)
            continue;
        outputs += x->rows * times / t->tp;
        if (x->role == ROLE_ATTN_OUT)
            attention += x->cols / t->tp;
    }
    double input = 2.0 * q->model->hidden / cut + 2 * attention;
    return (struct three){input + 2 * outputs / 3, input + outputs, input + 4 * outputs / 3};
}

/* ---- the loss ---- */

/* Bytes per logit, read from the sources named in train.c. Eager: the FP32 copy is
 * free again where nothing but the loss holds it (low), and the gradient stands beside
 * its 16-bit copy for a moment (high). Chunked: logits and log-softmax of all chunks
 * (low), and the gradients of both, because autograd runs the nodes of all losses before
 * the first of the head; the fitted rows alone, copies fitted again, have mean errors of
 * 4.2, 3.3, 2.8 and 2.5 % at 4, 6, 8 and 10 bytes, and would not choose 8 over 10.
 * Fused: of one chunk, 16-bit logits whose place the gradient takes, an FP32 copy or all
 * that an eager loss has. */
static const struct three logit_bytes[LOSS_COUNT] = {
    [LOSS_EAGER] = {10, 14, 16},
    [LOSS_CHUNKED] = {4, 8, 10},
    [LOSS_FUSED] = {2, 6, 14},
};

static struct quantity logits_of(const struct model *m, const struct train *t, double tokens)
{
    const double *own = t->trainer && t->loss == LOSS_EAGER ? t->trainer->logit : NULL;
    struct three b =
        own && own[1] > 0 ? (struct three){own[0], own[1], own[2]} : logit_bytes[t->loss];
    double words = tokens, input = 0;

    if (t->loss == LOSS_FUSED) {
        /* Tokens of a fused chunk: as many as make its logits as large as the head's input,
         * rounded up to a power of two (Liger). 8192 tokens, h 4096, vocabulary 128,256: 256. */
        double parts = ceil((double)m->vocab / m->hidden);

        words = fmin(tokens, exp2(ceil(log2(ceil(tokens / parts)))));
        input = 2.0 * m->hidden * tokens; /* its gradient is made chunk by chunk */
    }
    if (t->method != TRAIN_FULL && (t->modules & MODULES_HEAD))
        input += 2.0 * m->hidden * tokens; /* for the gradient of the trained copy */
    words *= (double)m->vocab / t->tp;
    return quantity_band(b.mid * words + input, b.low * words + input, b.high * words + input,
                         ORIGIN_MODEL);
}

/* ---- context parallel ---- */

/* Keys and values of one token in one layer, 2 bytes each. */
static double key_value_bytes(const struct layer_kind *k)
{
    double d = k->head_dim, dv = k->v_head_dim > 0 ? k->v_head_dim : d;

    if (mixer_is(k->mixer, MIXER_IS_PROJECTED))
        return 2.0 * k->heads * (k->nope_dim + k->rope_dim + k->v_head_dim);
    return 2 * k->kv_heads * (d + dv);
}

/* Ring attention holds a block of another rank and receives the next; an all-gather
 * holds those of the whole sequence (high). */
static struct quantity exchange_of(const struct model *m, const struct train *t)
{
    double widest = 0, tokens = t->sequence * t->micro_batch;

    for (int k = 0; k < m->kind_count; k++)
        widest = fmax(widest, key_value_bytes(&m->kind[k]) / t->tp);
    if (t->cp <= 1)
        return quantity_exact(0);
    double ring = 2 * widest * tokens / t->cp, all = widest * tokens;
    return quantity_band(ring, fmin(ring, all), fmax(ring, all), ORIGIN_MODEL);
}

/* ---- a stage ---- */

static struct quantity train_saved_band(struct three three, double tokens)
{
    return quantity_band(three.mid * tokens, three.low * tokens, three.high * tokens, ORIGIN_MODEL);
}

struct train_saved train_saved(const struct request *q, const struct train *t, int stage)
{
    const struct model *m = q->model;
    struct train_saved saved;
    struct three all = {0, 0, 0}, widest = {0, 0, 0};
    double tokens = t->sequence * t->micro_batch / t->cp;
    /* 1F1B: stage s waits for pp - s micro-batches */
    double in_flight = t->device_map ? 1 : t->pp - stage;
    int first = layout_stage_first(m, t->pp, stage);
    int end = layout_stage_first(m, t->pp, stage + 1);
    struct three of[MODEL_MAX_KINDS];

    for (int k = 0; k < m->kind_count; k++)
        of[k] = layer_bytes(q, t, k);
    for (int i = first; i < end; i++) {
        struct three one = of[m->layer[i]];

        all.low += one.low;
        all.mid += one.mid;
        all.high += one.high;
        if (one.mid > widest.mid)
            widest = one;
    }
    saved.per_token = all.mid;
    saved.live = quantity_exact(0);
    saved.layers = train_saved_band(all, tokens * in_flight);
    if (t->recompute == RECOMPUTE_FULL) {
        double cut = t->sequence_parallel ? t->tp : 1;
        double inputs = 2.0 * m->hidden / cut * (end - first) * tokens * in_flight;

        saved.layers = quantity_of(inputs, ORIGIN_MODEL);
        saved.live = train_saved_band(widest, tokens);
    } else if (t->recompute == RECOMPUTE_OPS) {
        struct three kept = {0, 0, 0};

        for (int i = first; i < end; i++) {
            struct three one = ops_bytes(q, t, m->layer[i]);

            kept.low += fmin(one.low, of[m->layer[i]].low);
            kept.mid += fmin(one.mid, of[m->layer[i]].mid);
            kept.high += fmin(one.high, of[m->layer[i]].high);
        }
        saved.layers = train_saved_band(kept, tokens * in_flight);
        saved.live = train_saved_band(widest, tokens);
    } else if (t->eager_attention && t->recompute == RECOMPUTE_SELECTIVE) {
        double heads = 0;

        for (int k = 0; k < m->kind_count; k++)
            heads = fmax(heads, m->kind[k].heads);
        saved.live = quantity_of(5 * heads / t->tp * t->sequence * tokens, ORIGIN_MODEL);
    }
    saved.exchange = exchange_of(m, t);
    saved.logits = quantity_of(0, ORIGIN_MODEL);
    if (stage == t->pp - 1 && m->vocab > 0)
        saved.logits = logits_of(m, t, tokens);
    return saved;
}
