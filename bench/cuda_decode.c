/*
 * cuda_decode.c - one step of a synthetic decoder, as one graph.
 *
 * Per layer: qkv, q*K^T and p*V over the cache of every sequence, o, gate+up, down; then the head.
 * Every linear layer is the product of cuda_lt.c with the heuristic algorithm, in the format that
 * is planned, and attention in that of the cache; where cuBLASLt has no such product the point is
 * unsupported (point.c). What a real step has beside these is in params.omitted. The step is
 * synthetic: fused kernels leave out traffic that these products have, so it bounds a real one from
 * neither side. linear_s and attention_s are its two parts, each as a graph of its own.
 *
 * Attention is a strided batch over sequences and KV heads. Of few of them that would keep few
 * multiprocessors busy: 8 blocks on 132 for one user of an 8B model. So the cache of each is cut
 * along its tokens, as engines do it (split KV), until there are two blocks for each multiprocessor
 * or 256 tokens in a part: the query, copied for each part, gives the part's scores, these and its
 * values a partial result, and a third product adds up the partial results. 8192 tokens of 8 KV
 * heads on 132 multiprocessors: 32 parts of 256. An FP8 cache holds its values by dimension, not by
 * token, for that is what cuBLASLt multiplies, and the probabilities are FP8 numbers of their own.
 *
 * All layers run. Where memory does not hold all weights and caches, layer i uses those of layer i
 * mod L, of four at the least; L layers of an 8B model in BF16 are L x 436 MB, so that from the
 * first layer on twice the cache lies between two uses. `algorithm` says L.
 *
 * params.eager_s is the same step without a graph, launch by launch on an idle stream: the median
 * of a few, before the measurement and so on a device that may be cooler. Were a launch 3 us of the
 * host, the 193 of 32 layers took 0.58 ms however fast the device is.
 */
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "bench/cuda_lt.h"

enum part { QKV, OUT, GATE_UP, DOWN, HEAD, LINEARS };
enum stage { SCORES = LINEARS, VALUES, SUMS, PRODUCTS }; /* of attention */
enum doing { LINEAR = 1, ATTENTION = 2 };
enum {
    LAYERS_LEAST = 4,  /* with memory of their own */
    SPLIT_LEAST = 256, /* tokens of a part of the cache */
    BLOCKS = 2,        /* of attention, for each multiprocessor */
    BATCH_MOST = 65535 /* products of one call */
};

enum { SOME = 9 };     /* steps that are timed before the measurement, of each kind */
#define SOME_SHARE 0.2 /* of max_time, that each kind may take */

struct decode_state {
    int layers, real; /* of the model; with memory of their own */
    int doing;        /* bits of enum doing: what a step runs */
    int splits;       /* of each cache */
    int64_t chunk;    /* tokens of a part */
    struct decode_types types;
    struct lt_gemm product[PRODUCTS];
    char *weights[LINEARS]; /* real copies of each; one of the head */
    char *inputs[LINEARS];  /* B of each linear layer, rewritten by none */
    char *output;           /* D of the widest */
    char *keys, *values;    /* of the real layers */
    char *query, *scores, *probabilities, *partial, *factors, *attended;
};

/* Is the sum over the parts a product of its own? */
static bool decode_splits(const struct decode_state *s)
{
    return s->splits > 1;
}

/* Those that a layer and the head have. */
static int decode_products(const struct decode_state *s)
{
    return decode_splits(s) ? SUMS + 1 : SUMS;
}

static struct lt_operands decode_operands(struct decode_state *s, int i, int layer)
{
    struct lt_gemm *g = &s->product[i];
    size_t at = (size_t)layer * lt_a_bytes(g);

    switch (i) {
    case SCORES:
        return (struct lt_operands){.a = s->keys + at, .b = s->query, .d = s->scores};
    case VALUES:
        return (struct lt_operands){.a = s->values + at,
                                    .b = s->probabilities,
                                    .d = decode_splits(s) ? s->partial : s->attended};
    case SUMS:
        return (struct lt_operands){.a = s->partial, .b = s->factors, .d = s->attended};
    default:
        return lt_place(g, s->weights[i] + at, s->inputs[i], s->output);
    }
}

static bool run_product(struct cuda_ctx *ctx, struct decode_state *s, int i, int layer)
{
    struct lt_operands o = decode_operands(s, i, layer);

    return lt_launch(ctx, &s->product[i], LT_HEURISTIC, &o);
}

static bool decode_linear(struct cuda_ctx *ctx, struct decode_state *s, enum part part, int layer)
{
    return !(s->doing & LINEAR) || run_product(ctx, s, (int)part, layer);
}

static bool decode_attention(struct cuda_ctx *ctx, struct decode_state *s, int layer)
{
    return !(s->doing & ATTENTION) ||
           (run_product(ctx, s, SCORES, layer) && run_product(ctx, s, VALUES, layer) &&
            (!decode_splits(s) || run_product(ctx, s, SUMS, layer)));
}

static bool decode_enqueue(struct cuda_ctx *ctx, int variant, int i)
{
    struct decode_state *s = ctx->work.state;

    (void)variant, (void)i;
    for (int layer = 0; layer < s->layers; layer++) {
        int real = layer % s->real;

        if (!decode_linear(ctx, s, QKV, real) || !decode_attention(ctx, s, real) ||
            !decode_linear(ctx, s, OUT, real) || !decode_linear(ctx, s, GATE_UP, real) ||
            !decode_linear(ctx, s, DOWN, real))
            return false;
    }
    return decode_linear(ctx, s, HEAD, 0);
}

/* Every kind of linear layer of the last real layer, the scores of one cache, and what
 * they make of its values: by then the scores are those just checked. */
static void decode_check(struct cuda_ctx *ctx, int variant, struct check *out)
{
    struct decode_state *s = ctx->work.state;
    struct check one;

    (void)variant;
    out->done = out->ok = true;
    for (int i = 0; i < decode_products(s) && out->ok; i++) {
        bool layered = i != HEAD && i != SUMS;
        struct lt_operands o = decode_operands(s, i, layered ? s->real - 1 : 0);

        lt_check(ctx, &s->product[i], LT_HEURISTIC, &o, &one);
        out->done = one.done;
        out->ok = one.ok && one.done;
        out->n += one.n;
        if (one.max_err > out->max_err)
            out->max_err = one.max_err;
        if (one.zeros > out->zeros)
            out->zeros = one.zeros;
        gp_copy(out->why, sizeof out->why, one.why);
        out->cause = one.cause;
    }
}

static void decode_release(struct cuda_ctx *ctx)
{
    struct decode_state *s = ctx->work.state;
    char *blocks[] = {s->output, s->keys,    s->values,  s->query,
                      s->scores, s->partial, s->factors, s->attended};

    for (int part = 0; part < LINEARS; part++) {
        cuda_give(ctx, s->weights[part]);
        cuda_give(ctx, s->inputs[part]);
    }
    if (s->probabilities != s->scores)
        cuda_give(ctx, s->probabilities);
    for (size_t i = 0; i < sizeof blocks / sizeof blocks[0]; i++)
        cuda_give(ctx, blocks[i]);
    for (int i = 0; i < PRODUCTS; i++)
        lt_close(&s->product[i]);
}

/* Into how many parts each cache is cut, and how many tokens one has. */
static void plan_splits(struct cuda_ctx *ctx, const struct point *p, struct decode_state *s)
{
    int64_t context = (int64_t)p->context < 1 ? 1 : (int64_t)p->context;
    int64_t caches = p->n * p->kv_heads, parts = (BLOCKS * ctx->sms + caches - 1) / caches;
    int64_t whole = s->types.kv == TYPE_FP8 ? 16 : 8; /* rows of 16 bytes, or more */

    if (parts > context / SPLIT_LEAST)
        parts = context / SPLIT_LEAST;
    if (parts > BATCH_MOST / caches)
        parts = BATCH_MOST / caches;
    if (parts < 1)
        parts = 1;
    s->chunk = ((context + parts - 1) / parts + whole - 1) / whole * whole;
    s->splits = (int)((context + s->chunk - 1) / s->chunk);
    ctx->padded = s->chunk * s->splits != context;
}

static bool open_attention(struct cuda_ctx *ctx, const struct point *p, struct decode_state *s)
{
    bool narrow = s->types.kv == TYPE_FP8;
    const struct cuda_type *kv = cuda_type_find(s->types.kv);
    const struct cuda_type *plain = cuda_type_find(narrow ? TYPE_BF16 : s->types.kv);
    int64_t group = p->heads / p->kv_heads;
    int caches = (int)(p->n * p->kv_heads), parts = caches * s->splits;
    struct lt_gemm *g = s->product;

    if (!narrow && s->types.kv != TYPE_BF16 && s->types.kv != TYPE_FP16 && s->types.kv != TYPE_FP32)
        return cuda_refuse(ctx, POINT_UNSUPPORTED,
                           "cuBLASLt has no attention over a KV cache of %s", point_kv(p));
    g[SCORES] = (struct lt_gemm){
        .type = kv, .m = s->chunk, .n_asked = group, .k = p->head_dim, .batch = parts};
    g[VALUES] = (struct lt_gemm){.type = kv,
                                 .m = p->head_dim,
                                 .n_asked = group,
                                 .k = s->chunk,
                                 .batch = parts,
                                 .plain_a = !narrow};
    if (!lt_open(ctx, &g[SCORES]) || !lt_open(ctx, &g[VALUES]))
        return false;
    g[SUMS] = (struct lt_gemm){.type = plain,
                               .m = p->head_dim * g[VALUES].n,
                               .n_asked = 1,
                               .k = s->splits,
                               .batch = caches,
                               .plain_a = true};
    return !decode_splits(s) || lt_open(ctx, &g[SUMS]);
}

static bool open_products(struct cuda_ctx *ctx, const struct point *p, struct decode_state *s)
{
    int64_t q = (int64_t)p->heads * p->head_dim, kv = (int64_t)p->kv_heads * p->head_dim;
    const int64_t shape[LINEARS][2] = {
        [QKV] = {q + 2 * kv, p->hidden},    [OUT] = {p->hidden, q},
        [GATE_UP] = {2 * p->ff, p->hidden}, [DOWN] = {p->hidden, p->ff},
        [HEAD] = {p->vocab, p->hidden},
    };
    char why[200];

    if (!point_decode_types(p, &s->types, why, sizeof why))
        return cuda_refuse(ctx, POINT_UNSUPPORTED, "%s", why);
    plan_splits(ctx, p, s);
    for (int i = 0; i < LINEARS; i++) {
        enum bench_type type = i == HEAD ? s->types.head : s->types.linear;

        s->product[i] = (struct lt_gemm){
            .type = cuda_type_find(type), .m = shape[i][0], .n_asked = p->n, .k = shape[i][1]};
        if (!lt_open(ctx, &s->product[i]))
            return false;
    }
    return open_attention(ctx, p, s);
}

static size_t decode_widest(const struct decode_state *s)
{
    size_t output = 0;

    for (int i = 0; i < LINEARS; i++)
        if (lt_d_bytes(&s->product[i]) > output)
            output = lt_d_bytes(&s->product[i]);
    return output;
}

/* What passes from product to product of attention: by the address of its pointer, how
 * many bytes; the count of them. */
struct passed {
    char **slot;
    size_t bytes;
};
enum { PASSED = 6 };

static int passed_on(struct decode_state *s, struct passed out[PASSED])
{
    const struct lt_gemm *g = s->product;
    size_t values = lt_d_bytes(&g[VALUES]);
    int n = 0;

    out[n++] = (struct passed){&s->query, lt_b_bytes(&g[SCORES])};
    out[n++] = (struct passed){&s->scores, lt_d_bytes(&g[SCORES])};
    if (s->types.kv == TYPE_FP8) /* else they are the scores */
        out[n++] = (struct passed){&s->probabilities, lt_b_bytes(&g[VALUES])};
    if (decode_splits(s)) {
        out[n++] = (struct passed){&s->partial, values};
        out[n++] = (struct passed){&s->factors, lt_b_bytes(&g[SUMS])};
        values = lt_d_bytes(&g[SUMS]);
    }
    out[n++] = (struct passed){&s->attended, values};
    return n;
}

/* Bytes of the head and of what passes from product to product. */
static double beside_layers(struct decode_state *s)
{
    double bytes = (double)lt_a_bytes(&s->product[HEAD]) + (double)decode_widest(s);
    struct passed passed[PASSED];
    int count = passed_on(s, passed);

    for (int i = 0; i < count; i++)
        bytes += (double)passed[i].bytes;
    for (int i = 0; i < LINEARS; i++)
        bytes += (double)lt_b_bytes(&s->product[i]);
    return bytes;
}

static void decode_describe(struct cuda_ctx *ctx, const struct point *p,
                            const struct decode_state *s, struct prepared *out)
{
    char how[64];

    gp_format(how, sizeof how, decode_splits(s) ? "KV in %d parts of %lld tokens" : "whole KV",
              s->splits, (long long)s->chunk);
    ctx->params = point_decode_params(p, s->real, how, "");
    json_object_set_new(ctx->params, "step_launches",
                        json_integer(s->layers * (decode_products(s) - 1) + 1));
    gp_format(out->algorithm, sizeof out->algorithm,
              "synthetic: %d layers on weights and cache of %d", s->layers, s->real);
}

static bool plan_layers(struct cuda_ctx *ctx, const struct point *p, struct decode_state *s,
                        struct prepared *out)
{
    double layer =
        (double)lt_a_bytes(&s->product[SCORES]) + (double)lt_a_bytes(&s->product[VALUES]);
    int least = p->layers < LAYERS_LEAST ? p->layers : LAYERS_LEAST;
    double rest = beside_layers(s), budget = cuda_share(ctx, METHOD_DECODE_DEVICE);

    for (int i = 0; i < HEAD; i++)
        layer += (double)lt_a_bytes(&s->product[i]);
    s->layers = p->layers;
    s->real = p->layers;
    if (s->real * layer + rest > budget)
        s->real = budget > rest ? (int)((budget - rest) / layer) : 0;
    if (s->real < least)
        return cuda_refuse(ctx, POINT_OOM,
                           "%.2f GiB hold %d of %d layers beside the head, at least %d are needed",
                           budget / 0x1p30, s->real, s->layers, least);
    ctx->extrapolated = s->real < s->layers;
    out->cold = s->real * layer + (double)lt_a_bytes(&s->product[HEAD]) >= 2 * ctx->l2;
    out->bytes = s->real * layer + rest;
    decode_describe(ctx, p, s, out);
    return true;
}

static bool decode_allocate(struct cuda_ctx *ctx, struct decode_state *s)
{
    const struct lt_gemm *g = s->product;
    struct passed passed[PASSED];
    int count = passed_on(s, passed);
    bool ok = true;

    for (int i = 0; ok && i < LINEARS; i++) {
        double copies = i == HEAD ? 1 : s->real;

        ok = (s->weights[i] = cuda_take(ctx, copies * (double)lt_a_bytes(&g[i]))) &&
             (s->inputs[i] = cuda_take(ctx, (double)lt_b_bytes(&g[i])));
    }
    ok = ok && (s->output = cuda_take(ctx, (double)decode_widest(s))) &&
         (s->keys = cuda_take(ctx, (double)lt_a_bytes(&g[SCORES]) * s->real)) &&
         (s->values = cuda_take(ctx, (double)lt_a_bytes(&g[VALUES]) * s->real));
    for (int i = 0; ok && i < count; i++)
        ok = (*passed[i].slot = cuda_take(ctx, (double)passed[i].bytes));
    if (ok && s->types.kv != TYPE_FP8)
        s->probabilities = s->scores;
    return ok;
}

static bool decode_fill(struct cuda_ctx *ctx, struct decode_state *s)
{
    bool ok = true;

    for (int i = 0; ok && i < LINEARS; i++)
        for (int l = 0; ok && l < (i == HEAD ? 1 : s->real); l++)
            ok = lt_fill_a(ctx, &s->product[i],
                           s->weights[i] + (size_t)l * lt_a_bytes(&s->product[i]),
                           (uint64_t)(l * LINEARS + i));
    for (int l = 0; ok && l < s->real; l++)
        for (int i = SCORES; ok && i <= VALUES; i++)
            ok = lt_fill_a(ctx, &s->product[i], decode_operands(s, i, l).a, (uint64_t)(l + i));
    for (int i = 0; ok && i < LINEARS; i++)
        ok = lt_fill_b(ctx, &s->product[i], s->inputs[i], 5);
    ok = ok && lt_fill_b(ctx, &s->product[SCORES], s->query, 7);
    if (ok && s->probabilities != s->scores)
        ok = lt_fill_b(ctx, &s->product[VALUES], s->probabilities, 8);
    if (ok && decode_splits(s))
        ok = lt_fill_b(ctx, &s->product[SUMS], s->factors, 9);
    return ok && cuda_wait(ctx, "fill");
}

/* The first algorithm that runs, of each product. */
static bool decode_choose(struct cuda_ctx *ctx, struct decode_state *s, struct prepared *out)
{
    int refused = 0;

    for (int i = 0; i < decode_products(s); i++) {
        struct lt_operands o = decode_operands(s, i, 0);
        struct lt_gemm *g = &s->product[i];
        double first;

        if (!lt_choose(ctx, g, &o, &first))
            return false;
        refused += g->chosen[LT_HEURISTIC] > 0;
        ctx->reduced |= lt_reduced(g, LT_HEURISTIC);
        ctx->padded |= g->n != g->n_asked;
    }
    if (refused)
        gp_format(out->algorithm + strlen(out->algorithm),
                  sizeof out->algorithm - strlen(out->algorithm), "; #0 does not run for %d",
                  refused);
    out->first = -1; /* each product by itself, which is no step */
    return true;
}

static bool in_graph(struct cuda_ctx *ctx, double *seconds)
{
    return cuda_run(ctx, 0, 1, seconds);
}

static bool call_by_call(struct cuda_ctx *ctx, double *seconds)
{
    return cuda_time_plain(ctx, &ctx->work, 0, 0, 1, seconds);
}

/* A step or a part of it, as `name` among the params: the median of a few, once unmeasured
 * before. False when the device failed. */
static bool time_some(struct cuda_ctx *ctx, enum doing doing, const char *name,
                      bool (*one)(struct cuda_ctx *ctx, double *seconds))
{
    struct decode_state *s = ctx->work.state;
    double took[SOME], seconds, end = clock_now() + SOME_SHARE * ctx->settings.max_time;
    int n = 0;

    s->doing = doing;
    cuda_timer_reset(ctx);
    bool ok = one(ctx, &seconds);
    do
        ok = ok && one(ctx, &took[n++]);
    while (ok && n < SOME && clock_now() < end);
    cuda_timer_reset(ctx);
    s->doing = LINEAR | ATTENTION;
    if (ok)
        json_object_set_new(ctx->params, name, gp_json_number(method_stats(took, NULL, n).median));
    return ok;
}

bool cuda_decode_prepare(struct cuda_ctx *ctx, const struct point *point, struct prepared *out)
{
    static const struct cuda_work work = {
        .enqueue = decode_enqueue, .check = decode_check, .release = decode_release};
    struct decode_state *s;

    if (point->kv_heads < 1 || point->heads < point->kv_heads || point->head_dim < 1 ||
        point->layers < 1 || point->n < 1 || point->hidden < 1 || point->ff < 1 ||
        point->vocab < 1 || point->n * point->kv_heads > BATCH_MOST)
        return cuda_refuse(ctx, POINT_UNSUPPORTED,
                           "no decoder has such dimensions, or the batch is too large");
    s = cuda_begin(ctx, point, &work, sizeof *s);
    ctx->work.calls = point->layers * (PRODUCTS - 1) + 1;
    s->doing = LINEAR | ATTENTION;
    return open_products(ctx, point, s) && plan_layers(ctx, point, s, out) &&
           decode_allocate(ctx, s) && decode_fill(ctx, s) && decode_choose(ctx, s, out) &&
           time_some(ctx, LINEAR | ATTENTION, "eager_s", call_by_call) &&
           time_some(ctx, LINEAR, "linear_s", in_graph) &&
           time_some(ctx, ATTENTION, "attention_s", in_graph);
}
