/*
 * points_cost.c - about how long a point takes and how much it allocates.
 *
 * Only for --dry-run, the ETA and for leaving out what would take out of proportion
 * long; no result ever shows these figures. Where the caller knows no rate, round ones
 * stand in: 1 TB/s and 100 TFLOP/s (FP32 20) of a GPU, 10 GB/s and 100 GFLOP/s of a
 * CPU. They may be wrong by ten either way; the ETA corrects itself as points finish.
 *
 *   operation = max(operations / rate, bytes / bandwidth) + launch
 *   seconds   = set-up + variants * (max(warm-up, 3 ops) + max(max_time, 10 ops))
 *               (a sum over devices: 20 ops of warm-up)
 */
#include "measure/points.h"

#include <math.h>
#include <string.h>

#include "base/units.h"

#define LAUNCH 5e-6   /* s */
#define SETUP 0.05    /* s: descriptors, checks */
#define SUM_RATE 5e10 /* bytes/s of a link between devices */
#define CACHE_GUESS (64 * GP_MIB)

static const struct {
    double bandwidth, fp32, other; /* bytes/s, operations/s */
    double fill;                   /* bytes/s at which operands are made */
    int variants;                  /* of a matrix product: heuristic and tuned */
} guesses[2] = {
    {1e12, 2e13, 1e14, 2e10, 2}, /* GPU */
    {1e10, 1e11, 1e11, 5e8, 1},  /* CPU */
};

static double bandwidth_of(const struct points_options *options)
{
    return options->bandwidth > 0 ? options->bandwidth : guesses[options->cpu].bandwidth;
}

static double rate_of(const struct points_options *options, enum bench_type type)
{
    if (options->rate[type] > 0)
        return options->rate[type];
    return strcmp(type_rows[type].arithmetic, "fp32") == 0 ? guesses[options->cpu].fp32
                                                           : guesses[options->cpu].other;
}

/* What one point of this test may allocate, as the engines decide it, were all memory
 * free; without knowing the device, as much as it wants. */
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
    double bytes = point_bytes(point), part = 1;

    if (bench_test_is(point->test, TEST_IS_ONCE))
        return bytes / guesses[options->cpu].fill;
    if (bench_test_is(point->test, TEST_NEEDS_DEVICES))
        return 2 * bytes / SUM_RATE + 4 * LAUNCH;
    if (kind_rows[point->kind].rate > 0)
        return bytes / kind_rows[point->kind].rate + LAUNCH;
    if (bench_test_is(point->test, TEST_IS_WHOLE)) /* of the layers, as many as fit */
        part = fmin(most_memory(options, point->test) / bytes, 1);
    return part * fmax(point_operations(point) / rate_of(options, point->type),
                       bytes / bandwidth_of(options)) +
           LAUNCH;
}

static double product_memory(const struct points_options *options, const struct point *p)
{
    double e = bench_type_bytes(p->type), m = (double)p->m, n = (double)p->n;
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

double points_seconds(const struct points_options *options, const struct point *point)
{
    double op = points_operation(options, point);
    double setup = SETUP + points_memory(options, point) / guesses[options->cpu].fill;
    int variants = bench_test_is(point->test, TEST_IS_PRODUCT) ? guesses[options->cpu].variants : 1;
    struct method_settings settings = options->settings;
    double warmup;

    if (bench_test_is(point->test, TEST_NEEDS_DEVICES))
        settings = method_of_sums(&settings);
    warmup = fmax(settings.warmup_launches, 3);
    if (bench_test_is(point->test, TEST_IS_ONCE)) /* what cannot fit is refused at once */
        return SETUP + (options->memory > 0 && point->bytes > options->memory ? 0 : op);
    return setup +
           variants * (fmax(settings.warmup, warmup * op) + fmax(settings.max_time, 10 * op));
}

double points_time(const struct points_options *options, const struct points *points)
{
    unsigned seen = 0;
    int tests = 0;

    for (int i = 0; i < points->count; i++) {
        unsigned bit = 1u << points->point[i].test;

        tests += !(seen & bit);
        seen |= bit;
    }
    if (tests == 0)
        return 0;
    return options->settings.device_warmup_min +
           POINTS_PASSES * (points->total_seconds + (tests - 1) * options->settings.pause);
}
