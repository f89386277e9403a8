/*
 * cuda_decode.c - one step of a decoder, as one graph: what a token really costs.
 *
 * Per layer: qkv, q*K^T and p*V over the cache of every sequence, o, gate+up, down;
 * then the head. Every linear layer is the product of cuda_lt.c with the heuristic
 * algorithm; attention is a strided batch over sequences and KV heads in the
 * activations' 16-bit type. Norms, rotary embedding, softmax, sampling and, of a tensor
 * parallel model, the two sums over GPUs of each layer are left out: a lower bound, and
 * params.omitted says so.
 *
 * All layers run. Where memory does not hold all weights and caches, layer i uses those
 * of layer i mod L, of four at the least; L layers of an 8B model in BF16 are L x 436
 * MB, so that from the first layer on twice the cache lies between two uses.
 * `algorithm` says L.
 *
 * params.eager_s is the same step without a graph, launch by launch on an idle stream:
 * the median of a few, before the measurement and so on a device that may be cooler.
 * Were a launch 3 us of the host, the 193 of 32 layers took 0.58 ms however fast the
 * device is.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_lt.h"
#include "util/json.h"
#include "util/str.h"

enum part { QKV, OUT, GATE_UP, DOWN, HEAD, PARTS };
enum {
    OF_LAYER = HEAD + 2,  /* products: the linear layers, scores and values */
    PRODUCTS = PARTS + 2, /* those, and the head */
    LAYERS_LEAST = 4      /* with memory of their own */
};

#define EAGER_MAX   9
#define EAGER_SHARE 0.2 /* of max_time, that the steps without a graph may take */

struct decode_state {
    int layers, real; /* of the model; with memory of their own */
    struct lt_gemm linear[PARTS], scores, values;
    char *weights[PARTS]; /* real copies of each; one of the head */
    char *inputs[PARTS];  /* B of each linear layer, rewritten by none */
    char *output;         /* D of the widest */
    char *keys, *cached;  /* K and V of the real layers */
    char *query, *probabilities, *attended;
};

static struct lt_operands linear_operands(struct decode_state *s, enum part part,
                                          int layer)
{
    struct lt_gemm *g = &s->linear[part];

    return lt_place(g, s->weights[part] + (size_t)layer * lt_a_bytes(g),
                    s->inputs[part], s->output);
}

static bool linear(struct cuda_ctx *ctx, struct decode_state *s, enum part part,
                   int layer)
{
    struct lt_operands o = linear_operands(s, part, layer);

    return lt_launch(ctx, &s->linear[part], LT_HEURISTIC, &o);
}

static struct lt_operands score_operands(struct decode_state *s, int layer)
{
    return (struct lt_operands){.a = s->keys + (size_t)layer * lt_a_bytes(&s->scores),
                                .b = s->query,
                                .d = s->probabilities};
}

static struct lt_operands value_operands(struct decode_state *s, int layer)
{
    return (struct lt_operands){.a = s->cached + (size_t)layer * lt_a_bytes(&s->values),
                                .b = s->probabilities,
                                .d = s->attended};
}

/* Number i of those that a layer and the head have, and its operands there. */
static struct lt_gemm *product(struct decode_state *s, int i, int layer,
                               struct lt_operands *o)
{
    if (i < PARTS) {
        *o = linear_operands(s, (enum part)i, layer);
        return &s->linear[i];
    }
    *o = i == PARTS ? score_operands(s, layer) : value_operands(s, layer);
    return i == PARTS ? &s->scores : &s->values;
}

static bool attention(struct cuda_ctx *ctx, struct decode_state *s, int layer)
{
    struct lt_operands scores = score_operands(s, layer);
    struct lt_operands values = value_operands(s, layer);

    return lt_launch(ctx, &s->scores, LT_HEURISTIC, &scores) &&
           lt_launch(ctx, &s->values, LT_HEURISTIC, &values);
}

static bool decode_enqueue(struct cuda_ctx *ctx, int variant, int i)
{
    struct decode_state *s = ctx->work.state;

    (void)variant, (void)i;
    for (int layer = 0; layer < s->layers; layer++) {
        int real = layer % s->real;

        if (!linear(ctx, s, QKV, real) || !attention(ctx, s, real) ||
            !linear(ctx, s, OUT, real) || !linear(ctx, s, GATE_UP, real) ||
            !linear(ctx, s, DOWN, real))
            return false;
    }
    return linear(ctx, s, HEAD, 0);
}

/* Every kind of linear layer of the last real layer, the scores of one cache, and what
 * they make of its values: by then the scores are those just checked. */
static void decode_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct decode_state *s = ctx->work.state;
    struct check one;

    (void)variant;
    *out = (struct check){.done = true, .ok = true};
    for (int i = 0; i < PRODUCTS && out->ok; i++) {
        struct lt_operands o;
        struct lt_gemm *g = product(s, i, i == HEAD ? 0 : s->real - 1, &o);

        lt_check(ctx, g, LT_HEURISTIC, &o, &one);
        out->done = one.done;
        out->ok = one.ok && one.done;
        out->n += one.n;
        if (one.max_err > out->max_err)
            out->max_err = one.max_err;
        if (one.zeros > out->zeros)
            out->zeros = one.zeros;
        gp_copy(out->why, sizeof out->why, one.why);
    }
}

static void decode_release(struct cuda_ctx *ctx)
{
    struct decode_state *s = ctx->work.state;
    char *blocks[] = {s->output, s->keys,          s->cached,
                      s->query,  s->probabilities, s->attended};

    for (int part = 0; part < PARTS; part++) {
        cuda_give(ctx, s->weights[part]);
        cuda_give(ctx, s->inputs[part]);
        lt_close(&s->linear[part]);
    }
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        cuda_give(ctx, blocks[i]);
    lt_close(&s->scores);
    lt_close(&s->values);
    free(s);
}

static enum point_state open_products(struct cuda_ctx *ctx, const struct point *p,
                                      struct decode_state *s, char *why, size_t size)
{
    const struct cuda_type *type = cuda_type_find(p->type);
    const struct cuda_type *plain = cuda_type_find(
        p->type == TYPE_FP32 || p->type == TYPE_TF32                      ? TYPE_FP32
        : p->type == TYPE_FP16 || p->type == TYPE_FP16ACC || ctx->cc < 80 ? TYPE_FP16
                                                                          : TYPE_BF16);
    int64_t q = (int64_t)p->heads * p->head_dim,
            kv = (int64_t)p->kv_heads * p->head_dim;
    const int64_t shape[PARTS][2] = {
        [QKV] = {q + 2 * kv, p->hidden},    [OUT] = {p->hidden, q},
        [GATE_UP] = {2 * p->ff, p->hidden}, [DOWN] = {p->hidden, p->ff},
        [HEAD] = {p->vocab, p->hidden},
    };
    int64_t context = (int64_t)p->context < 1 ? 1 : (int64_t)p->context;
    int64_t group = p->heads / p->kv_heads;
    int caches = (int)(p->n * p->kv_heads);
    enum point_state state = POINT_OK;

    ctx->padded = context % 8 != 0;
    context = (context + 7) / 8 * 8; /* full speed wants rows of 16 bytes */
    for (int i = 0; i < PARTS && state == POINT_OK; i++)
        state = lt_open(ctx, type, shape[i][0], p->n, shape[i][1], &s->linear[i], why,
                        size);
    if (state == POINT_OK)
        state = lt_open_batched(ctx, plain, true, context, group, p->head_dim, caches,
                                &s->scores, why, size);
    if (state == POINT_OK)
        state = lt_open_batched(ctx, plain, false, p->head_dim, group, context, caches,
                                &s->values, why, size);
    return state;
}

static size_t widest(const struct decode_state *s)
{
    size_t output = 0;

    for (int i = 0; i < PARTS; i++)
        if (lt_d_bytes(&s->linear[i]) > output)
            output = lt_d_bytes(&s->linear[i]);
    return output;
}

/* Bytes of the head and of what passes from product to product. */
static double beside_layers(const struct decode_state *s)
{
    double bytes = (double)lt_a_bytes(&s->linear[HEAD]) + (double)widest(s) +
                   (double)lt_b_bytes(&s->scores) + (double)lt_d_bytes(&s->scores) +
                   (double)lt_d_bytes(&s->values);

    for (int i = 0; i < PARTS; i++)
        bytes += (double)lt_b_bytes(&s->linear[i]);
    return bytes;
}

static bool plan_layers(struct cuda_ctx *ctx, const struct point *p,
                        struct decode_state *s, struct prepared *out, char *why,
                        size_t size)
{
    double layer = (double)lt_a_bytes(&s->scores) + (double)lt_a_bytes(&s->values);
    int least = p->layers < LAYERS_LEAST ? p->layers : LAYERS_LEAST;
    double rest = beside_layers(s), budget = cuda_share(ctx, METHOD_DECODE_DEVICE);

    for (int i = 0; i < HEAD; i++)
        layer += (double)lt_a_bytes(&s->linear[i]);
    s->layers = p->layers;
    s->real = p->layers;
    if (s->real * layer + rest > budget)
        s->real = budget > rest ? (int)((budget - rest) / layer) : 0;
    if (s->real < least) {
        snprintf(why, size,
                 "%.2f GiB hold %d of %d layers beside the head, at least %d are "
                 "needed",
                 budget / 0x1p30, s->real, s->layers, least);
        return false;
    }
    ctx->extrapolated = s->real < s->layers;
    ctx->params = json_pack("{s:i, s:i, s:i, s:s}", "layers_real", s->real,
                            "extrapolated_layers", s->layers - s->real, "step_launches",
                            s->layers * OF_LAYER + 1, "omitted", point_omitted(p));
    json_object_set_new(ctx->params, "step_bytes", gp_json_number(point_bytes(p)));
    out->cold = s->real * layer + (double)lt_a_bytes(&s->linear[HEAD]) >= 2 * ctx->l2;
    out->bytes = s->real * layer + rest;
    snprintf(out->algorithm, sizeof out->algorithm,
             "%d layers on weights and cache of %d; no norm, rope, softmax", s->layers,
             s->real);
    return true;
}

static bool take(struct cuda_ctx *ctx, char **slot, double bytes, bool *oom, char *why,
                 size_t size)
{
    *slot = cuda_take(ctx, bytes, oom, why, size);
    return *slot != NULL;
}

static enum point_state allocate(struct cuda_ctx *ctx, struct decode_state *s,
                                 char *why, size_t size)
{
    bool oom = false, ok = true;

    for (int i = 0; ok && i < PARTS; i++) {
        double copies = i == HEAD ? 1 : s->real;

        ok = take(ctx, &s->weights[i], copies * (double)lt_a_bytes(&s->linear[i]), &oom,
                  why, size) &&
             take(ctx, &s->inputs[i], (double)lt_b_bytes(&s->linear[i]), &oom, why,
                  size);
    }
    ok =
        ok && take(ctx, &s->output, (double)widest(s), &oom, why, size) &&
        take(ctx, &s->keys, (double)lt_a_bytes(&s->scores) * s->real, &oom, why,
             size) &&
        take(ctx, &s->cached, (double)lt_a_bytes(&s->values) * s->real, &oom, why,
             size) &&
        take(ctx, &s->query, (double)lt_b_bytes(&s->scores), &oom, why, size) &&
        take(ctx, &s->probabilities, (double)lt_d_bytes(&s->scores), &oom, why, size) &&
        take(ctx, &s->attended, (double)lt_d_bytes(&s->values), &oom, why, size);
    return ok ? POINT_OK : oom ? POINT_OOM : POINT_ERROR;
}

static bool fill(struct cuda_ctx *ctx, struct decode_state *s)
{
    bool ok = true;

    for (int i = 0; ok && i < PARTS; i++)
        for (int l = 0; ok && l < (i == HEAD ? 1 : s->real); l++)
            ok = lt_fill_a(ctx, &s->linear[i],
                           s->weights[i] + (size_t)l * lt_a_bytes(&s->linear[i]),
                           (uint64_t)(l * PARTS + i));
    for (int l = 0; ok && l < s->real; l++)
        ok = lt_fill_a(ctx, &s->scores, s->keys + (size_t)l * lt_a_bytes(&s->scores),
                       (uint64_t)l) &&
             lt_fill_a(ctx, &s->values, s->cached + (size_t)l * lt_a_bytes(&s->values),
                       (uint64_t)l + 1);
    for (int i = 0; ok && i < PARTS; i++)
        ok = lt_fill_b(ctx, &s->linear[i], s->inputs[i], 5);
    return ok && lt_fill_b(ctx, &s->scores, s->query, 7) &&
           cuda_ok(ctx, cudaStreamSynchronize(ctx->stream), "fill");
}

/* The first algorithm that runs, of each product: *first is what they took together. */
static enum point_state choose(struct cuda_ctx *ctx, struct decode_state *s,
                               struct prepared *out, char *why, size_t size)
{
    enum point_state state = POINT_OK;
    int refused = 0;

    for (int i = 0; i < PRODUCTS && state == POINT_OK; i++) {
        struct lt_operands o;
        struct lt_gemm *g = product(s, i, 0, &o);
        double first;

        state = lt_choose(ctx, g, &o, &first, why, size);
        refused += state == POINT_OK && g->chosen[LT_HEURISTIC] > 0;
        ctx->padded |= g->n != g->n_asked;
    }
    if (state == POINT_OK && refused)
        gp_format(out->algorithm + strlen(out->algorithm),
                  sizeof out->algorithm - strlen(out->algorithm),
                  "; #0 does not run for %d", refused);
    out->first = -1; /* each product by itself, which is no step */
    return state;
}

/* Launch by launch, once unmeasured; false when the device failed. */
static bool time_eager(struct cuda_ctx *ctx)
{
    double took[EAGER_MAX], seconds;
    double end = cuda_now() + EAGER_SHARE * ctx->settings.max_time;
    int n = 0;

    if (!cuda_time_plain(ctx, &ctx->work, 0, 0, 1, &seconds))
        return false;
    do {
        if (!cuda_time_plain(ctx, &ctx->work, 0, 0, 1, &took[n++]))
            return false;
    } while (n < EAGER_MAX && cuda_now() < end);
    json_object_set_new(ctx->params, "eager_s",
                        gp_json_number(method_stats(took, NULL, n).median));
    return true;
}

enum point_state cuda_decode_prepare(struct cuda_ctx *ctx, const struct point *point,
                                     struct prepared *out, char *why, size_t size)
{
    struct decode_state *s;
    enum point_state state;

    if (point->kv_heads < 1 || point->heads < point->kv_heads || point->head_dim < 1 ||
        point->layers < 1 || point->n < 1 || point->hidden < 1 || point->ff < 1 ||
        point->vocab < 1 || point->n * point->kv_heads > 65535)
        return snprintf(why, size,
                        "no decoder has such dimensions, or the batch is too "
                        "large"),
               POINT_UNSUPPORTED;
    if (!(s = calloc(1, sizeof *s)))
        return snprintf(why, size, "out of host memory"), POINT_ERROR;
    ctx->work = (struct cuda_work){.active = true,
                                   .name = point->id,
                                   .enqueue = decode_enqueue,
                                   .calls = point->layers * OF_LAYER + 1,
                                   .check = decode_check,
                                   .release = decode_release,
                                   .state = s};
    state = open_products(ctx, point, s, why, size);
    if (state == POINT_OK && !plan_layers(ctx, point, s, out, why, size))
        state = POINT_OOM;
    if (state == POINT_OK)
        state = allocate(ctx, s, why, size);
    if (state == POINT_OK && !fill(ctx, s))
        state = cuda_failed(ctx, why, size);
    if (state == POINT_OK)
        state = choose(ctx, s, out, why, size);
    return state == POINT_OK && !time_eager(ctx) ? cuda_failed(ctx, why, size) : state;
}
