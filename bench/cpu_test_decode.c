/*
 * cpu_test_decode.c - test decode: one step of a synthetic decoder, n tokens at once.
 *
 *   per layer   qkv, o, gate_up, down with the layer's own weights, and a read of all
 *               keys and values that the n sequences have in the cache
 *   at the end  the vocabulary head
 *
 * In the formats that are planned, or not at all (point.c). It is synthetic: what is
 * left out, the arithmetic of attention too, is in params.omitted, and it bounds no real
 * step, from either side. linear_s and attention_s are the two parts of the steps that were
 * measured. The dimensions are those of the measured shard.
 *
 * As many real layers as memory holds, at least 4 (or all): weights of a layer come
 * from memory as in life. The rest is extrapolated and the point says so: t = t_layers
 * * layers / real + t_head 8 of 32 layers in 80 ms, head 9 ms: 80*32/8 + 9 = 329 ms.
 *
 * Keys and values are read as bytes, whatever their type.
 */
#include <math.h>
#include <stdint.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "base/str.h"
#include "bench/cpu_engine.h"

enum part { QKV, O, GATE_UP, DOWN, PARTS, HEAD = PARTS, GEMMS };
enum { LAYERS_LEAST = 4, LINE = 64 };

struct decode_work {
    struct cpu_gemm *gemm[GEMMS];
    int layers, real;
    char *cache;              /* real layers, one after the other */
    size_t layer_cache;       /* bytes, a multiple of 64 */
    size_t reading;           /* offset of the layer that is read */
    double linear, attention; /* s, of all steps in the samples */
    int steps;
    uint64_t sink[512]; /* keeps the reads */
};

static void decode_release(void *ctx)
{
    struct decode_work *work = ctx;

    for (int i = 0; i < GEMMS; i++)
        cpu_gemm_free(work->gemm[i]);
    cpu_release(work->cache, work->layer_cache * (size_t)work->real);
}

static bool make_gemms(struct decode_work *work, const struct point *p,
                       const struct decode_types *types, double budget, struct refusal *why)
{
    int64_t q = (int64_t)p->heads * p->head_dim, kv = (int64_t)p->kv_heads * p->head_dim;
    const struct gemm_shape shapes[GEMMS] = {
        [QKV] = {types->linear, q + 2 * kv, p->n, p->hidden},
        [O] = {types->linear, p->hidden, p->n, q},
        [GATE_UP] = {types->linear, 2 * p->ff, p->n, p->hidden},
        [DOWN] = {types->linear, p->hidden, p->n, p->ff},
        [HEAD] = {types->head, p->vocab, p->n, p->hidden},
    };

    for (int i = 0; i < GEMMS; i++) {
        const struct gemm_shape *s = &shapes[i];

        if (bench_type_bytes(s->type) * (double)s->k * (double)(s->m + s->n) > budget)
            return cpu_refuse(why, POINT_OOM, "one layer exceeds the %.1f GB that may be used",
                              budget / 1e9);
        if (!(work->gemm[i] = cpu_gemm_new(s, why)))
            return false;
    }
    return true;
}

/* How many layers the budget holds beside the head, activations and one W being packed. */
static int layers_that_fit(const struct decode_work *work, double budget, double *layer,
                           double *rest)
{
    double source = 0;

    *layer = (double)work->layer_cache;
    *rest = (double)cpu_gemm_made(work->gemm[HEAD])->packed;
    for (int i = 0; i < GEMMS; i++) {
        source = fmax(source, cpu_gemm_source_bytes(work->gemm[i]));
        *rest += cpu_gemm_row_bytes(work->gemm[i]);
        if (i < PARTS)
            *layer += (double)cpu_gemm_made(work->gemm[i])->packed;
    }
    return (int)fmin(fmax(floor((budget - *rest - source) / *layer), 0), work->layers);
}

static void touch_part(void *ctx, int part, int parts)
{
    struct decode_work *work = ctx;
    size_t from, to;

    cpu_pool_share(work->layer_cache * (size_t)work->real, part, parts, &from, &to);
    number_fill(FILL_UNIFORM, NUMBER_S32, work->cache + from, to - from, from + 1);
}

static bool decode_fill(struct cpu_engine *engine, struct decode_work *work)
{
    struct method_settings each = engine->settings;

    each.check = CHECK_SAMPLE; /* rows of all its layers would have to be kept */
    for (int i = 0; i < GEMMS; i++, each.seed++)
        if (!cpu_gemm_fill(work->gemm[i], engine->pool, i == HEAD ? 1 : work->real, 1, &each,
                           &engine->why))
            return false;
    if (work->layer_cache == 0)
        return true;
    work->cache = cpu_alloc(work->layer_cache * (size_t)work->real);
    if (!work->cache)
        return cpu_refuse(&engine->why, POINT_OOM, "the KV cache could not be allocated");
    cpu_pool_run(engine->pool, touch_part, work);
    return true;
}

static bool decode_prepare(struct cpu_engine *engine, const struct point *point, void *ctx,
                           struct prepared *out)
{
    struct decode_work *work = ctx;
    double budget = cpu_share(engine, METHOD_DECODE_HOST), layer, rest, cache, linear;
    struct refusal *why = &engine->why;
    struct decode_types types;
    int least = point->layers < LAYERS_LEAST ? point->layers : LAYERS_LEAST;

    why->state = POINT_UNSUPPORTED;
    if (!point_decode_types(point, &types, why->text, sizeof why->text))
        return false;
    work->layers = point->layers;
    point_decode_bytes(point, &linear, &cache);
    cache /= point->layers;
    if (cache > budget)
        return cpu_refuse(why, POINT_OOM,
                          "one layer's KV cache exceeds the memory that may be used");
    work->layer_cache = (size_t)cache / LINE * LINE;
    if (!make_gemms(work, point, &types, budget, why))
        return false;
    work->real = layers_that_fit(work, budget, &layer, &rest);
    if (work->real < least) {
        cpu_refuse(why, POINT_OOM, "%.1f GB hold %d of %d layers, at least %d are needed",
                   budget / 1e9, work->real, work->layers, least);
        work->real = 0;
        return false;
    }
    out->bytes = rest + layer * work->real;
    out->cold = out->bytes >= 2 * engine->topology.cache;
    out->rotation = 1; /* one operation walks all layers */
    if (work->real < work->layers)
        cpu_flag(engine, "extrapolated");
    cpu_flag_product(engine, cpu_gemm_made(work->gemm[QKV]));
    gp_copy(out->algorithm, sizeof out->algorithm, cpu_gemm_made(work->gemm[QKV])->algorithm);
    out->params = point_decode_params(point, work->real, "read of keys and values",
                                      "arithmetic of attention");
    json_object_set_new(out->params, "threads", json_integer(engine->topology.threads));
    return decode_fill(engine, work);
}

/* ---- a step ---- */

typedef uint64_t vector __attribute__((vector_size(64), may_alias, aligned(64)));

static void read_part(void *ctx, int part, int parts)
{
    struct decode_work *work = ctx;
    const char *base = work->cache + work->reading;
    vector a = {0}, b = {0};
    size_t from, to, i;

    cpu_pool_share(work->layer_cache, part, parts, &from, &to);
    for (i = from; i + 2 * LINE <= to; i += 2 * LINE) {
        a += *(const vector *)(const void *)(base + i);
        b += *(const vector *)(const void *)(base + i + LINE);
    }
    for (; i < to; i += LINE)
        a += *(const vector *)(const void *)(base + i);
    a += b;
    work->sink[part % 64 * 8] += a[0] ^ a[1] ^ a[2] ^ a[3] ^ a[4] ^ a[5] ^ a[6] ^ a[7];
}

static bool one_step(struct cpu_engine *engine, struct decode_work *work, double *seconds)
{
    double start = clock_now(), read, reading = 0, layers;
    double times = (double)work->layers / work->real;

    for (int layer = 0; layer < work->real; layer++) {
        for (int i = 0; i < PARTS; i++) {
            if (!cpu_gemm_run(work->gemm[i], layer, 0) || !cpu_gemm_wait(work->gemm[i]))
                return false;
            if (i != QKV || !work->layer_cache)
                continue;
            read = clock_now();
            work->reading = (size_t)layer * work->layer_cache;
            cpu_pool_run(engine->pool, read_part, work);
            reading += clock_now() - read;
        }
    }
    double middle = clock_now();
    if (!cpu_gemm_run(work->gemm[HEAD], 0, 0) || !cpu_gemm_wait(work->gemm[HEAD]))
        return false;
    double head = clock_now() - middle;
    layers = middle - start;
    *seconds += layers * times + head;
    if (engine->sampling) {
        work->attention += reading * times;
        work->linear += (layers - reading) * times + head;
        work->steps++;
    }
    return true;
}

static bool decode_run(struct cpu_engine *engine, void *ctx, int launches, double *seconds)
{
    struct decode_work *work = ctx;

    *seconds = 0;
    for (int i = 0; i < launches; i++)
        if (!one_step(engine, work, seconds))
            return false;
    if (work->steps > 0 && engine->params) {
        json_object_set_new(engine->params, "linear_s", gp_json_number(work->linear / work->steps));
        json_object_set_new(engine->params, "attention_s",
                            gp_json_number(work->attention / work->steps));
    }
    return true;
}

/* Every kind of layer, on the last layer's weights. */
static void decode_check(struct cpu_engine *engine, void *ctx, struct check *out)
{
    struct decode_work *work = ctx;
    struct check one;

    (void)engine;
    out->done = out->ok = true;
    for (int i = 0; i < GEMMS; i++) {
        cpu_gemm_check(work->gemm[i], &one);
        out->n += one.n;
        out->max_err = fmax(out->max_err, one.max_err);
        out->zeros = fmax(out->zeros, one.zeros);
        if (one.ok || !out->ok)
            continue;
        out->ok = false;
        gp_copy(out->why, sizeof out->why, one.why);
        out->cause = one.cause;
    }
}

const struct cpu_test cpu_test_decode = {
    sizeof(struct decode_work), decode_prepare, decode_run, decode_check, decode_release, NULL};
