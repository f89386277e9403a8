/*
 * points.c - one function per test that lists its points; a table calls those asked for.
 *
 * Presets differ in how many points there are (quick: a few that show the shape of the curve) as
 * well as in the time each gets. A point whose estimate is beyond what its preset allows is left
 * out and counted in a note, unless its shape was given by hand. lm_head stops at 1024 tokens: an
 * engine computes logits of each sequence's last token only. A layer of routed experts is as many
 * products as the tokens reach experts, each of its share of them.
 *
 * How long a point takes and how much it allocates is only for --dry-run, the ETA and for leaving
 * out what would take out of proportion long; no result ever shows these figures. Where the caller
 * knows no rate, round ones stand in: 1 TB/s and 100 TFLOP/s (FP32 20) of a GPU, 10 GB/s and 100
 * GFLOP/s of a CPU. They may be wrong by ten either way; the ETA corrects itself as points finish.
 *
 *   operation = max(operations / rate, bytes / bandwidth) + launch
 *   seconds   = set-up + variants * (max(warm-up, 3 ops) + max(max_time, 10 ops) + check)
 *               (a sum over devices: 20 ops of warm-up)
 * A GPU's product has a variant for each answer of its library that differs: heuristic, tuned, what
 * frameworks get (two, seldom both: one is counted), and FP8 of few columns also padded.
 *   check of all results = operands in double + results compared + products of doubles
 */
#include "measure/points.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "model/gguf.h"
#include "plan/memory.h"

#define LAYERS_MAX 256
#define HEAD_BATCH 1024
#define BATCH_MAX 8192
#define MEMORY_TOP (4 * GP_GIB)
#define MEMORY_SHARE 0.25
#define CACHE_GUESS (64 * GP_MIB)
#define CACHE_READ (16 * GP_MIB)
#define CACHE_UNIT (64 * GP_KIB) /* a read of the cache is a multiple of it */
#define DIM_MAX 2147483648.0     /* 2^31, as point_from_json bounds it */
#define LAUNCH 5e-6              /* s */
#define PAD_BELOW 16             /* columns of FP8, as cuda_gemm.c */
#define SETUP 0.05               /* s: descriptors, checks */
#define SUM_RATE 5e10            /* bytes/s of a link between devices */

/* s that one point may take, by preset. */
static const double too_long[] = {
    [PRESET_QUICK] = 5, [PRESET_NORMAL] = 45, [PRESET_THOROUGH] = 400};

struct planning {
    const struct points_options *options;
    struct points *out;
    int left_out; /* of the test being listed */
    bool full;    /* POINTS_MAX was reached */
};

static __attribute__((format(printf, 2, 3))) void add_note(struct planning *p, const char *fmt, ...)
{
    char *text = p->out->note[p->out->note_count];
    va_list args;

    if (p->out->note_count == POINTS_NOTES)
        return;
    va_start(args, fmt);
    vsnprintf(text, sizeof(p->out->note[0]), fmt, args);
    va_end(args);
    p->out->note_count++;
}

static bool has_point(const struct points *points, const char *id)
{
    for (int i = 0; i < points->count; i++)
        if (strcmp(points->point[i].id, id) == 0)
            return true;
    return false;
}

static void keep_point(struct points *out, const struct point *point, double seconds, double bytes)
{
    if (out->count == out->cap) {
        size_t cap = out->cap ? 2 * (size_t)out->cap : 64;

        out->point = gp_realloc(out->point, cap * sizeof(*out->point));
        out->seconds = gp_realloc(out->seconds, cap * sizeof(*out->seconds));
        out->bytes = gp_realloc(out->bytes, cap * sizeof(*out->bytes));
        out->cap = (int)cap;
    }
    out->point[out->count] = *point;
    out->seconds[out->count] = seconds;
    out->bytes[out->count++] = bytes;
    out->total_seconds += seconds;
    out->most_bytes = fmax(out->most_bytes, bytes);
}

/* Names the point and keeps it, once. `always`: however long it takes. */
static void add_point(struct planning *p, struct point *point, bool always)
{
    double seconds = points_seconds(p->options, point);

    point_name(point);
    if (has_point(p->out, point->id))
        return;
    if (!always && seconds > too_long[p->options->preset])
        p->left_out++;
    else if (p->out->count == POINTS_MAX)
        p->full = true;
    else
        keep_point(p->out, point, seconds, points_memory(p->options, point));
}

/* In each of the types. */
static void add_types(struct planning *p, unsigned types, struct point point, bool always)
{
    for (int t = 0; t < TYPE_COUNT; t++) {
        point.type = (enum bench_type)t;
        if (types >> t & 1)
            add_point(p, &point, always);
    }
}

/* ---- types ---- */

/* What the model's weights are multiplied in; weight-only formats in 16 bit. */
static enum bench_type model_type(const struct points_options *options)
{
    const struct precision *p = &options->request->precision;
    const struct format *format = p->weight;

    if (!format || format->weight_only)
        format = p->base;
    if (!format)
        return TYPE_BF16;
    enum bench_type type = bench_type_of_format(format->id);
    if (type == TYPE_COUNT)
        type = bench_type_of_arithmetic(format_math_word(format->math));
    return type == TYPE_COUNT ? TYPE_BF16 : type; /* INT4 weights */
}

static unsigned gemm_types(const struct points_options *options)
{
    unsigned known_types = 0;

    if (options->types)
        return options->types;
    if (options->settings.soak > 0) /* the one that a GPU's products mostly are of */
        return options->cpu || (options->products && !(options->products & 1u << TYPE_BF16))
                   ? 1u << TYPE_FP32
                   : 1u << TYPE_BF16;
    for (int t = 0; t < TYPE_COUNT; t++)
        known_types |=
            (unsigned)(options->cpu ? type_rows[t].cpu : !options->subset || !type_rows[t].later)
            << t;
    return options->products ? known_types & options->products : known_types;
}

/* Types for a test on the model's own shapes: the model's; a CPU also gets FP32, which every one
 * can do (and quickly only that). */
static unsigned model_types(const struct points_options *options)
{
    enum bench_type own = model_type(options);
    unsigned type = 1u << own;

    if (options->types)
        return options->types;
    if (type_rows[own].later) /* which one compute capability alone has */
        type |= 1u << bench_type_of_arithmetic(type_rows[own].arithmetic);
    if (!options->cpu)
        return type;
    return 1u << TYPE_FP32 | (options->preset == PRESET_QUICK ? 0 : type & gemm_types(options));
}

/* ---- gemm ---- */

static enum bench_cache cache_of(const struct points_options *options, enum bench_cache own)
{
    return options->cache < 0 ? own : (enum bench_cache)options->cache;
}

static void plan_gemm(struct planning *p)
{
    const struct points_options *options = p->options;
    struct point point = {.test = TEST_GEMM, .cache = cache_of(options, CACHE_COLD), .tp = 1};
    unsigned types = gemm_types(options);
    bool quick = options->preset == PRESET_QUICK;

    for (int i = 0; i < options->shape_count; i++) {
        point.m = options->shapes[i].m;
        point.n = options->shapes[i].n;
        point.k = options->shapes[i].k;
        add_types(p, types, point, true);
    }
    if (options->shape_count > 0)
        return;
    if (options->settings.soak > 0) { /* much work for a result that is compared: 32 MiB of a GPU */
        point.m = point.n = options->cpu ? 2048 : 4096;
        point.k = options->cpu ? 8192 : 32768;
        add_types(p, types, point, true);
        return;
    }
    for (int64_t size = 256; size <= 8192; size *= 2) {
        point.m = point.n = point.k = size;
        if (options->subset ? size == (options->cpu ? 1024 : 8192)
                            : !quick || size == 512 || size == 2048 || size == 8192)
            add_types(p, types, point, false);
    }
}

/* ---- the model ---- */

static struct layout layout_of(const struct points_options *options)
{
    struct layout layout = {.tp = 1, .pp = 1, .ep = 1, .replicas = 1, .gpus = 1, .hosts = 1};

    if (options->layout)
        layout = *options->layout;
    if (options->tp > 0)
        layout.tp = options->tp;
    return layout;
}

/* False, with a note, when there is no model whose tokens could be planned. */
static bool has_model(struct planning *p, enum bench_test test)
{
    const struct request *request = p->options->request;

    if (!request || !request->model)
        add_note(p, "%s left out: it needs a model (--model)", bench_test_word(test));
    else if (request->model->weights_only || request->model->kind_count == 0)
        add_note(p, "%s left out: %s has no token-wise layers", bench_test_word(test),
                 request->model->id);
    else
        return true;
    return false;
}

static void plan_batch(struct planning *p)
{
    const struct points_options *options = p->options;
    struct products_layer layers[LAYERS_MAX];
    struct layout layout = layout_of(options);
    int64_t step = options->preset == PRESET_QUICK ? 8 : 2;
    int64_t most = options->subset && options->cpu ? 64 : BATCH_MAX;
    int count;

    if (!has_model(p, TEST_BATCH))
        return;
    count =
        products_layers(options->request->model, &layout, layers, options->subset ? 1 : LAYERS_MAX);
    for (int i = 0; i < count; i++) {
        struct point point = {.test = TEST_BATCH,
                              .cache = cache_of(options, CACHE_WEIGHTS_COLD),
                              .m = layers[i].m,
                              .k = layers[i].k,
                              .tp = layout.tp};
        unsigned types = model_types(options);

        gp_copy(point.layer, sizeof(point.layer), layers[i].name);
        gp_copy(point.model, sizeof(point.model), options->request->model->id);
        for (int64_t tokens = 1; tokens <= most; tokens *= step) {
            point.n = tokens;
            if (layers[i].experts > 0) {
                point.tokens = tokens;
                products_experts(&layers[i], (double)tokens, &point.groups, &point.n);
            }
            if (tokens <= HEAD_BATCH || strcmp(layers[i].name, "lm_head") != 0)
                add_types(p, types, point, false);
        }
    }
}

/* The kind of attention layer that the model has most of; NULL = it has none. */
static const struct layer_kind *main_kind(const struct model *model)
{
    const struct layer_kind *best = NULL;
    int most = 0;

    for (int k = 0; k < model->kind_count; k++) {
        int layers = model_kind_layers(model, k);

        if (model->kind[k].heads > 0 && layers > most) {
            best = &model->kind[k];
            most = layers;
        }
    }
    return best;
}

/* What the point has in place of something in the model: in its answer and as a note. */
static __attribute__((format(printf, 3, 4))) void stands_in(struct planning *p, struct point *point,
                                                            const char *fmt, ...)
{
    char text[sizeof(point->stand_in)];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    add_note(p, "decode: %s", text);
    gp_append(point->stand_in, sizeof(point->stand_in), "; ", "%s", text);
}

/* MLA keeps kvl + rope numbers per token, not 2*kv*d: as many KV heads as come nearest stand in for
 * them. */
static void decode_heads(struct planning *p, const struct layer_kind *kind, int tp,
                         struct point *point)
{
    point->heads = (kind->heads + tp - 1) / tp;
    point->head_dim = kind->head_dim > 0 ? kind->head_dim : kind->v_head_dim;
    point->kv_heads = layout_kv_heads(kind, tp);
    if (!mixer_is(kind->mixer, MIXER_IS_PROJECTED) || point->head_dim <= 0)
        return;
    point->head_dim = kind->v_head_dim > 0 ? kind->v_head_dim : kind->head_dim;
    point->kv_heads =
        (int)fmax(round((kind->kv_lora + kind->rope_dim) / (2.0 * point->head_dim)), 1);
    stands_in(p, point, "%d KV heads of %d for an MLA latent of %d", point->kv_heads,
              point->head_dim, kind->kv_lora + kind->rope_dim);
}

/* A gated MLP as wide as what works on one token: its own, its shared and active experts; two
 * matrices count as two thirds of three. */
static void decode_ff(struct planning *p, const struct layer_kind *kind, int tp,
                      struct point *point)
{
    double ff = kind->ff + kind->shared_ff + (double)kind->expert_ff * kind->experts_active;

    if (kind->experts > 0)
        stands_in(p, point, "one MLP for %d of %d experts", kind->experts_active, kind->experts);
    if (!kind->gated)
        ff *= 2.0 / 3;
    point->ff = (int64_t)fmax(ceil(ff / tp), 1);
}

/* In the formats of attention, of the MLP or experts ("bf16+mxfp4" where they differ), and of the
 * head, which often keeps 16 bits. */
static void take_formats(const struct precision *precision, const struct layer_kind *kind,
                         struct point *point)
{
    const struct format *attention = precision->by_role[ROLE_ATTN_Q];
    const struct format *mlp = precision->by_role[kind->experts > 0 ? ROLE_EXPERT : ROLE_MLP];
    const struct format *head = precision->by_role[ROLE_HEAD];

    if (attention && mlp)
        gp_format(point->weights, sizeof(point->weights),
                  strcmp(attention->id, mlp->id) == 0 ? "%s" : "%s+%s", attention->id, mlp->id);
    if (head)
        gp_copy(point->head, sizeof(point->head), head->id);
}

/* As planned; of a type given by hand, that type. */
static void add_decode(struct planning *p, const struct layer_kind *kind, struct point *point)
{
    if (p->options->request->kv)
        gp_copy(point->kv, sizeof(point->kv), p->options->request->kv->id);
    add_types(p, p->options->types, *point, true);
    if (p->options->types)
        return;
    point->type = model_type(p->options);
    take_formats(&p->options->request->precision, kind, point);
    add_point(p, point, true);
}

static void plan_decode(struct planning *p)
{
    const struct request *request = p->options->request;
    struct layout layout = layout_of(p->options);
    struct point point = {.test = TEST_DECODE, .cache = CACHE_WEIGHTS_COLD};

    if (!has_model(p, TEST_DECODE))
        return;
    const struct layer_kind *kind = main_kind(request->model);
    if (!kind) {
        add_note(p, "decode left out: %s has no attention layers", request->model->id);
        return;
    }
    gp_copy(point.model, sizeof(point.model), request->model->id);
    point.tp = layout.tp;
    point.pp = layout.pp > 1 ? layout.pp : 0;
    point.n = (int64_t)fmax(ceil(request->users / layout.replicas), 1);
    point.context = fmax(request->context, 1);
    point.layers = (request->model->layer_count + layout.pp - 1) / layout.pp;
    point.hidden = request->model->hidden;
    point.vocab = (request->model->vocab + layout.tp - 1) / layout.tp;
    decode_heads(p, kind, layout.tp, &point);
    decode_ff(p, kind, layout.tp, &point);
    add_decode(p, kind, &point);
}

/* What the plan puts on one GPU. The context and libraries (non_torch) are left out: the engine
 * that allocates has its own. */
static void plan_fit(struct planning *p)
{
    const struct request *request = p->options->request;
    struct layout layout = layout_of(p->options);
    struct point point = {.test = TEST_FIT, .tp = layout.tp};
    struct memory memory;

    if (!request || !request->model || !request->gpu || !request->engine) {
        add_note(p, "fit left out: it needs a plan (--model, and a GPU that is known)");
        return;
    }
    struct load load = load_sum(request);
    memory_estimate(request, &load, &layout, &memory);
    point.bytes = floor(memory.weights.value + memory.activation.value + memory.graphs.value +
                        fmax(memory.kv_reserved.value, 0));
    gp_copy(point.model, sizeof(point.model), request->model->id);
    if (point.bytes >= 1)
        add_point(p, &point, true);
}

/* ---- bytes ---- */

static void add_bytes(struct planning *p, enum bench_test test, enum bench_kind kind, double bytes)
{
    struct point point = {.test = test, .kind = kind, .bytes = bytes, .tp = 1};

    add_point(p, &point, bench_test_is(test, TEST_IS_ALWAYS));
}

/* In each kind of the test; `top`: those of the largest size. */
static void add_kinds(struct planning *p, enum bench_test test, double bytes, bool top)
{
    if (!top && !bench_test_has_kinds(test))
        add_bytes(p, test, KIND_NONE, bytes);
    for (int i = KIND_NONE + 1; i < KIND_COUNT; i++)
        if (kind_rows[i].test == test && bench_kind_is((enum bench_kind)i, KIND_IS_TOP) == top)
            add_bytes(p, test, (enum bench_kind)i, bytes);
}

/* A copy holds two of the largest; both must fit in what a point may take. */
static void plan_beyond_cache(struct planning *p, enum bench_test test)
{
    const struct points_options *options = p->options;
    double cache = options->cache_bytes > 0 ? options->cache_bytes : CACHE_GUESS;
    double low = ceil(4 * cache / GP_MIB) * GP_MIB, top = MEMORY_TOP;

    if (options->memory > 0)
        top = fmin(top, MEMORY_SHARE * options->memory / 2);
    if (options->settings.max_memory > 0)
        top = fmin(top, options->settings.max_memory / 2);
    top = fmax(floor(top / GP_MIB) * GP_MIB, GP_MIB);
    if (low > top) {
        add_note(p, "%s: only %.0f MiB may be used, less than four times the cache",
                 bench_test_word(test), top / GP_MIB);
        low = top;
    }
    if (options->preset == PRESET_QUICK)
        low = top = fmin(fmax(low, 256 * GP_MIB), top);
    for (double bytes = low; bytes < top; bytes *= 4)
        add_kinds(p, test, bytes, false);
    add_kinds(p, test, top, false);
    if (!options->cpu && !options->subset) /* the same by other means than kernels of our own */
        add_kinds(p, test, top, true);
}

static void plan_memory(struct planning *p)
{
    double half = floor(p->options->cache_bytes / 2 / CACHE_UNIT) * CACHE_UNIT;
    struct point point = {.test = TEST_MEMORY, /* what stays in the last cache, for comparison */
                          .kind = KIND_READ,
                          .cache = CACHE_HOT,
                          .bytes = fmin(half, CACHE_READ),
                          .tp = 1};

    plan_beyond_cache(p, TEST_MEMORY);
    if (point.bytes > 0 && !(p->options->cpu && p->options->preset == PRESET_QUICK))
        add_point(p, &point, true);
}

static void add_pairs(struct planning *p, double bytes)
{
    const struct points_options *options = p->options;

    for (int i = 0; i < options->devices && i < POINTS_DEVICES; i++)
        for (int j = 0; j < options->devices && j < POINTS_DEVICES; j++) {
            struct point point = {.test = TEST_TRANSFER,
                                  .bytes = bytes,
                                  .tp = 1,
                                  .kind = KIND_PEER,
                                  .from = options->device[i],
                                  .to = options->device[j]};

            if (i != j)
                add_point(p, &point, false);
            point.kind = KIND_PEER_BOTH;
            if (i < j && options->preset != PRESET_QUICK)
                add_point(p, &point, false);
        }
}

static uint64_t chosen_devices(const struct points_options *options)
{
    uint64_t devices = 0;

    for (int i = 0; i < options->devices && i < POINTS_DEVICES; i++)
        if (options->device[i] >= 0 && options->device[i] < POINT_DEVICES)
            devices |= (uint64_t)1 << options->device[i];
    return devices;
}

/* What the host gives to all of them together. */
static void add_all_at_once(struct planning *p, double bytes)
{
    struct point point = {
        .test = TEST_TRANSFER, .bytes = bytes, .tp = 1, .devices = chosen_devices(p->options)};

    for (point.kind = KIND_H2D_ALL; p->options->devices > 1 && point.kind <= KIND_D2H_ALL;
         point.kind++)
        add_point(p, &point, false);
}

/* Between the host and a device that has memory of its own. */
static void add_host_copies(struct planning *p, double top)
{
    static const enum bench_kind pinned[] = {KIND_H2D_PINNED, KIND_D2H_PINNED, KIND_BOTH_PINNED};
    static const enum bench_kind pageable[] = {KIND_H2D_PAGEABLE, KIND_D2H_PAGEABLE};
    bool quick = p->options->preset == PRESET_QUICK;

    for (int i = 0; i < 2 && p->options->subset; i++)
        add_bytes(p, TEST_TRANSFER, pinned[i], 64 * GP_MIB);
    if (p->options->subset)
        return;
    for (double bytes = quick ? 64 * GP_KIB : 4 * GP_KIB; bytes <= top; bytes *= quick ? 1024 : 4) {
        for (int i = 0; i < 3; i++)
            add_bytes(p, TEST_TRANSFER, pinned[i], bytes);
        if (bytes >= GP_MIB)
            for (int i = 0; i < 2; i++)
                add_bytes(p, TEST_TRANSFER, pageable[i], bytes);
    }
    for (int i = 0; i < 2; i++) /* what a copy costs before any byte counts */
        add_bytes(p, TEST_TRANSFER, pinned[i], 4);
}

static void plan_transfer(struct planning *p)
{
    const char *path = p->options->storage;
    double top = 256 * GP_MIB;
    struct point point = {.test = TEST_TRANSFER,
                          .kind = KIND_STORAGE,
                          .bytes = p->options->preset == PRESET_QUICK ? top : 4 * top,
                          .tp = 1};

    if (!p->options->cpu)
        add_host_copies(p, top);
    if (path) { /* a file by hand is read to its end, or so far as a temporary one would be */
        gp_copy(point.path, sizeof(point.path), path);
        point.bytes = fmin(point.bytes, p->options->storage_bytes);
    }
    if (!p->options->subset || path)
        add_point(p, &point, path != NULL);
    if (p->options->cpu || p->options->subset)
        return;
    add_all_at_once(p, 64 * GP_MIB);
    add_pairs(p, 64 * GP_MIB);
    if (p->options->preset == PRESET_THOROUGH) {
        add_pairs(p, 4 * GP_KIB);
        add_pairs(p, GP_MIB);
    }
}

static void add_allreduce(struct planning *p, unsigned types, double bytes, int64_t tokens)
{
    struct point point = {.test = TEST_ALLREDUCE,
                          .bytes = bytes,
                          .tp = 1,
                          .n = tokens,
                          .devices = chosen_devices(p->options)};

    if (tokens > 0)
        gp_copy(point.model, sizeof(point.model), p->options->request->model->id);
    for (int t = 0; t < TYPE_COUNT; t++) { /* in both kinds before the next type */
        point.kind = KIND_PLAIN;
        add_types(p, types & 1u << t, point, false);
        point.kind = KIND_GRAPH;
        if (p->options->preset != PRESET_QUICK)
            add_types(p, types & 1u << t, point, false);
    }
}

/* What a layer of the model sums after attention and MLP: one row of hidden 16-bit numbers per
 * token of the batch. Before the round sizes, one of which it may be. */
static void add_messages(struct planning *p, unsigned types)
{
    static const int64_t tokens[] = {1, 8, 64, 512};
    const struct model *model = p->options->request ? p->options->request->model : NULL;

    if (!model || model->hidden < 1)
        return;
    types &= 1u << TYPE_BF16 | 1u << TYPE_FP16;
    for (size_t i = 0; i < sizeof(tokens) / sizeof(*tokens); i++)
        add_allreduce(p, types, 2.0 * (double)tokens[i] * (double)model->hidden, tokens[i]);
}

static void plan_allreduce(struct planning *p)
{
    unsigned known_types = 0;
    bool quick = p->options->preset == PRESET_QUICK;
    unsigned types = 1u << TYPE_BF16 | (quick ? 0 : 1u << TYPE_FP32);

    if (p->options->devices < 2) {
        add_note(p, "allreduce left out: it needs several devices");
        return;
    }
    for (int t = 0; t < TYPE_COUNT; t++)
        known_types |= (unsigned)type_rows[t].sums << t;
    if (p->options->types & known_types)
        types = p->options->types & known_types;
    add_messages(p, types);
    for (double bytes = GP_KIB; bytes <= 256 * GP_MIB; bytes *= quick ? 64 : 2)
        add_allreduce(p, types, bytes, 0);
}

/* ---- all of them ---- */

/* Those that differ from a test whose sizes go beyond the cache. */
static void (*const planners[TEST_COUNT])(struct planning *) = {
    [TEST_GEMM] = plan_gemm,           [TEST_BATCH] = plan_batch,   [TEST_MEMORY] = plan_memory,
    [TEST_TRANSFER] = plan_transfer,   [TEST_DECODE] = plan_decode, [TEST_FIT] = plan_fit,
    [TEST_ALLREDUCE] = plan_allreduce,
};

void points_fini(struct points *points)
{
    free(points->point);
    free(points->seconds);
    free(points->bytes);
    memset(points, 0, sizeof(*points));
}

enum gp_status points_plan(const struct points_options *options, struct points *out,
                           struct gp_err *err)
{
    struct planning p = {.options = options, .out = out};

    memset(out, 0, sizeof(*out));
    for (int test = 0; test < TEST_COUNT; test++) {
        if (!(options->tests >> test & 1))
            continue;
        p.left_out = 0;
        if (planners[test])
            planners[test](&p);
        else
            plan_beyond_cache(&p, (enum bench_test)test);
        if (p.left_out > 0 && !options->subset)
            add_note(&p, "%s: %d points left out that would take more than %.0f s each here",
                     bench_test_word((enum bench_test)test), p.left_out, too_long[options->preset]);
    }
    if (p.full)
        add_note(&p, "only the first %d points are planned", POINTS_MAX);
    if (out->count > 0)
        return GP_OK;
    return gp_fail(err, GP_E_USAGE, "--bench", "", "nothing to measure%s%s",
                   out->note_count ? ": " : "", out->note_count ? out->note[0] : "");
}

/* ---- what they take ---- */

static const struct {
    double bandwidth, fp32, other; /* bytes/s, operations/s */
    double fill;                   /* bytes/s at which operands are made */
    int variants;                  /* of a matrix product */
} guesses[2] = {
    {1e12, 2e13, 1e14, 2e10, 3}, /* GPU */
    {1e10, 1e11, 1e11, 5e8, 1},  /* CPU */
};

/* A full check of a product, seconds: on a CPU of rows within CHECK_FULL_MOST multiply-adds; of a
 * GPU 64 x 64 results on the host, then panels of PANEL columns (cuda_check.c), for each of which A
 * is fetched, decoded and sent once more. Of four threads, and of a GPU with little FP64. */
static double check_seconds(const struct points_options *options, const struct point *p)
{
    enum { BLOCK = 64, PANEL = 2048 };
    const double multiply = 4e-10, element = 4e-9, compare = 1e-8, doubles = 1e12;
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;
    double rows = fmin(m, BLOCK), columns = fmin(n, BLOCK), width = PANEL;

    if (options->settings.check != CHECK_FULL || !bench_test_is(p->test, TEST_IS_PRODUCT))
        return 0;
    if (options->cpu)
        return 1e-9 * fmin(m * n * k, CHECK_FULL_MOST);
    if (p->groups > 1) { /* each of them */
        struct point one = *p;

        one.groups = 0;
        return p->groups * check_seconds(options, &one);
    }
    while (width > BLOCK && 8 * width * k > 128 * GP_MIB)
        width /= 2;
    return multiply * rows * columns * k + element * k * (n + m * ceil(n / width)) +
           compare * m * n + 4 * m * n * k / doubles;
}

/* What one point of this test may allocate, as the engines decide it, were all memory free; without
 * knowing the device, as much as it wants. */
static double most_memory(const struct points_options *options, enum bench_test test)
{
    double share = !bench_test_is(test, TEST_IS_WHOLE) ? METHOD_SHARE
                   : options->cpu                      ? METHOD_DECODE_HOST
                                                       : METHOD_DECODE_DEVICE;

    if (options->settings.max_memory > 0)
        return options->settings.max_memory;
    return options->memory > 0 ? share * options->memory : 1e15;
}

/* Seconds that one operation takes, about. */
static double points_operation(const struct points_options *options, const struct point *point)
{
    double bytes = point_bytes(point), part = 1, rate = options->rate[point->type];
    double bandwidth =
        options->bandwidth > 0 ? options->bandwidth : guesses[options->cpu].bandwidth;

    if (bench_test_is(point->test, TEST_IS_ONCE))
        return bytes / guesses[options->cpu].fill;
    if (bench_test_is(point->test, TEST_NEEDS_DEVICES))
        return 2 * bytes / SUM_RATE + 4 * LAUNCH;
    if (kind_rows[point->kind].rate > 0)
        return bytes / kind_rows[point->kind].rate + LAUNCH;
    if (bench_test_is(point->test, TEST_IS_WHOLE)) /* of the layers, as many as fit */
        part = fmin(most_memory(options, point->test) / bytes, 1);
    if (!(rate > 0))
        rate = strcmp(type_rows[point->type].arithmetic, "fp32") == 0 ? guesses[options->cpu].fp32
                                                                      : guesses[options->cpu].other;
    return part * fmax(point_operations(point) / rate, bytes / bandwidth) + LAUNCH;
}

static double product_memory(const struct points_options *options, const struct point *p)
{
    double e = bench_type_bytes(p->type) * fmax(p->groups, 1), m = (double)p->m, n = (double)p->n;
    double a = m * (double)p->k * e, b = n * (double)p->k * e;
    double d = fmax(point_bytes(p) - a - b, 0);
    double cache = options->cache_bytes > 0 ? options->cache_bytes : CACHE_GUESS;
    double most = most_memory(options, p->test);
    bool cold;

    if (p->cache == CACHE_HOT)
        return a + b + d;
    if (p->cache == CACHE_WEIGHTS_COLD)
        return b + d + a * method_rotation(cache, a, most - b - d, &cold);
    return (a + b + d) * method_rotation(cache, a + b + d, most, &cold);
}

double points_memory(const struct points_options *options, const struct point *point)
{
    if (bench_test_is(point->test, TEST_IS_PRODUCT))
        return product_memory(options, point);
    if (bench_test_is(point->test, TEST_IS_WHOLE)) /* as many layers as fit */
        return fmin(point_bytes(point), most_memory(options, point->test));
    if (bench_test_is(point->test, TEST_NEEDS_DEVICES) ||
        test_rows[point->test].bound == BOUND_LINK) /* where they come from and go to */
        return 2 * point->bytes;
    return point_bytes(point);
}

/* Of all results, of each variant. */
static double full_check(const struct points_options *options, const struct point *point)
{
    int variants = bench_test_is(point->test, TEST_IS_PRODUCT) ? guesses[options->cpu].variants : 1;
    bool pads = variants > 1 && point->type == TYPE_FP8 && point->n < PAD_BELOW;

    return (variants + pads) * check_seconds(options, point);
}

double points_seconds(const struct points_options *options, const struct point *point)
{
    double op = points_operation(options, point);
    double setup = SETUP + points_memory(options, point) / guesses[options->cpu].fill;
    int variants = bench_test_is(point->test, TEST_IS_PRODUCT) ? guesses[options->cpu].variants : 1;
    bool pads = variants > 1 && point->type == TYPE_FP8 && point->n < PAD_BELOW;
    struct method_settings settings = options->settings;

    if (bench_test_is(point->test, TEST_NEEDS_DEVICES))
        settings = method_of_sums(&settings);
    double warmup = fmax(settings.warmup_launches, 3);
    if (settings.soak > 0)
        return setup + settings.soak;
    if (bench_test_is(point->test, TEST_IS_ONCE)) /* what cannot fit is refused at once */
        return SETUP + (options->memory > 0 && point->bytes > options->memory ? 0 : op);
    return setup +
           (variants + pads) *
               (fmax(settings.warmup, warmup * op) + fmax(settings.max_time, 10 * op)) +
           full_check(options, point);
}

double points_time(const struct points_options *options, const struct points *points)
{
    unsigned seen = 0;
    int tests = 0;
    double turns = 0;  /* of the devices after the first */
    double checks = 0; /* what a GPU's second pass leaves out */
    int passes = points_passes(&options->settings);

    for (int i = 0; i < points->count; i++) {
        unsigned bit = 1u << points->point[i].test;

        if (options->devices > 1 && point_in_turn(&points->point[i]))
            turns += (options->devices - 1) * points->seconds[i];
        if (!options->cpu)
            checks += full_check(options, &points->point[i]);
        tests += !(seen & bit);
        seen |= bit;
    }
    if (tests == 0)
        return 0;
    return options->settings.device_warmup_min +
           passes * (points->total_seconds + turns + (tests - 1) * options->settings.pause) -
           (passes - 1) * checks;
}

/* ---- their order, and the hash that names them all ---- */

/* Test by test, because a product heats what the next test finds cool. */
int *points_order(uint64_t seed, const struct points *points)
{
    size_t n = (size_t)points->count, k = 0;
    int *order = gp_calloc(POINTS_PASSES * n + 1, sizeof(*order));
    int *mixed = gp_calloc(n + 1, sizeof(*mixed));

    method_order(seed, points->count, mixed);
    for (int test = 0; test < TEST_COUNT; test++)
        for (size_t i = 0; i < n; i++)
            if ((int)points->point[mixed[i]].test == test)
                order[k++] = mixed[i];
    for (size_t i = 0; i < n; i++)
        order[n + i] = order[n - 1 - i];
    free(mixed);
    return order;
}

int points_passes(const struct method_settings *settings)
{
    return settings->soak > 0 ? 1 : POINTS_PASSES;
}

/* Of the ids, each with its terminator. */
void points_hash(const struct points *points, char text[17])
{
    uint64_t hash = GP_HASH;

    for (int i = 0; i < points->count; i++)
        hash = gp_hash(hash, points->point[i].id, strlen(points->point[i].id) + 1);
    snprintf(text, 17, "%016llx", (unsigned long long)hash);
}

/* ---- as they are written on a command line ---- */

enum gp_status points_parse_words(const char *text, const char *where, const char *const *words,
                                  int count, unsigned *bits, struct gp_err *err)
{
    char piece[32], hint[256];

    *bits = 0;
    for (const char *at = text;; at++) {
        size_t len = strcspn(at, ",");
        int found = -1;

        gp_format(piece, sizeof(piece), "%.*s", (int)(len < 31 ? len : 31), at);
        for (int i = 0; i < count; i++)
            if (gp_casecmp(piece, words[i]) == 0)
                found = i;
        if (found < 0 && strcmp(piece, "all") != 0) {
            gp_copy(hint, sizeof(hint), "one of ");
            for (int i = 0; i < count; i++)
                gp_append(hint, sizeof(hint), i ? ", " : "", "%s", words[i]);
            gp_append(hint, sizeof(hint), ", ", "all");
            return gp_fail(err, GP_E_USAGE, where, hint, "unknown word \"%s\"", piece);
        }
        *bits |= found < 0 ? (1u << count) - 1 : 1u << found;
        at += len;
        if (!*at)
            return GP_OK;
    }
}

/* Three numbers of digits only, parted by "x" or ":". */
static bool parse_shape(const char *at, const char *end, struct point_shape *out)
{
    int64_t *dims[] = {&out->m, &out->n, &out->k};

    for (int i = 0; i < 3; i++) {
        const char *from;
        double value = 0;

        if (i && (at == end || (*at != 'x' && *at != ':')))
            return false;
        from = at += i > 0;
        for (; at < end && *at >= '0' && *at <= '9'; at++)
            value = value * 10 + (*at - '0');
        if (at == from || value < 1 || value > DIM_MAX)
            return false;
        *dims[i] = (int64_t)value;
    }
    return at == end;
}

enum gp_status points_parse_shapes(const char *text, const char *where, struct point_shape *out,
                                   int max, int *count, struct gp_err *err)
{
    *count = 0;
    for (const char *at = text;; at++) {
        const char *end = at + strcspn(at, ",");

        if (*count == max)
            return gp_fail(err, GP_E_USAGE, where, "", "more than %d shapes", max);
        if (!parse_shape(at, end, &out[*count]))
            return gp_fail(err, GP_E_USAGE, where,
                           "m:n:k, outputs by tokens by inputs, such as 4096:8:4096",
                           "\"%.*s\" is not a shape", (int)(end - at < 60 ? end - at : 60), at);
        ++*count;
        at = end;
        if (!*at)
            return GP_OK;
    }
}
