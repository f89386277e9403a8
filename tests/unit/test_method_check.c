/*
 * test_method_check.c - the check of results, on products that are computed as a GPU's
 * tensor cores do: right ones pass, whatever the algorithm, and those with a fault do not.
 *
 * A tensor core adds so many products to its accumulator at once: all are brought to the
 * exponent of the largest, what is below some bits of it is cut off (towards zero), what
 * is left is added, and of the sum so many bits are kept (arXiv 2512.07004). With 48 bits
 * below the largest it is the sum alone that is cut, always towards zero, so that errors
 * add up as far as they can. FP16, BF16, TF32: 4 or 8 products (16 since
 * Hopper), 24 bits; FP8 on Ada and Hopper: 32 products, 13 bits below the largest.
 */
#include "measure/point/method.h"

#include <stdlib.h>

#include "unit.h"

enum { SIDE = 16, SAMPLES = SIDE * SIDE };

struct core {
    const char *name;
    enum bench_type type;
    int in, out; /* significant bits of inputs, as cut or rounded, and of the output */
    int at_once; /* products */
    int below;   /* bits below the largest addend that addends keep */
    int kept;    /* significant bits of the sum */
    int block;   /* products of 128 bytes of each operand: one step over k */
};

static const struct core cores[] = {
    {"FP16, 4 at once", TYPE_FP16, 11, 11, 4, 23, 24, 64},
    {"FP16, 4 summed exactly", TYPE_FP16, 11, 11, 4, 48, 24, 64},
    {"FP16, 8 at once", TYPE_FP16, 11, 11, 8, 23, 24, 64},
    {"BF16, 4 at once", TYPE_BF16, 8, 8, 4, 23, 24, 64},
    {"BF16, 4 summed exactly", TYPE_BF16, 8, 8, 4, 48, 24, 64},
    {"BF16, 16 at once", TYPE_BF16, 8, 8, 16, 25, 24, 64},
    {"TF32, 4 at once", TYPE_TF32, 11, 24, 4, 23, 24, 32},
    {"TF32, 4 summed exactly", TYPE_TF32, 11, 24, 4, 48, 24, 32},
    {"FP8, 32 at once", TYPE_FP8, 4, 8, 32, 13, 14, 128},
    {"FP8, 32 summed exactly", TYPE_FP8, 4, 8, 32, 48, 14, 128},
    {"FP8, 16 at once", TYPE_FP8, 4, 8, 16, 13, 14, 128},
};
enum { CORES = sizeof cores / sizeof cores[0] };

static const int depths[] = {64, 512, 4096, 8192, 28672};
enum { DEPTHS = sizeof depths / sizeof depths[0], NORMAL_MOST = 4096, SCHEMES_MOST = 4096 };

enum fault { FAULT_NONE, FAULT_LOST_BLOCK, FAULT_OTHER_ELEMENT, FAULT_SCALE };

struct operands {
    int k;
    double *a, *b;           /* SIDE rows and columns of k, as stored */
    double *core_a, *core_b; /* and as the core takes them */
};

/* ---- numbers ---- */

static uint64_t state = 1;

static double uniform(void) /* -1..1 */
{
    state = state * 6364136223846793005u + 1442695040888963407u;
    return ldexp((double)(state >> 11), -52) - 1;
}

static double normal(void) /* as --fill normal: deviation 0.5 */
{
    double u = (uniform() + 1) / 2 + 1e-12, v = (uniform() + 1) / 2;

    return 0.5 * sqrt(-2 * log(u)) * cos(2 * M_PI * v);
}

static double keep_bits(double x, int bits, double (*round_it)(double))
{
    int exponent;
    double mantissa = frexp(x, &exponent);

    return ldexp(round_it(ldexp(mantissa, bits)), exponent - bits);
}

static struct operands make_operands(const struct core *core, int k, bool uniformly)
{
    size_t bytes = sizeof(double) * SIDE * (size_t)k;
    struct operands o = {k, malloc(bytes), malloc(bytes), malloc(bytes), malloc(bytes)};
    /* TF32 is stored in 24 bits; the core cuts it */
    int stored = core->type == TYPE_TF32 ? 24 : core->in;

    assert_true(o.a && o.b && o.core_a && o.core_b);
    for (int i = 0; i < SIDE * k; i++) {
        o.a[i] = keep_bits(uniformly ? uniform() : normal(), stored, nearbyint);
        o.b[i] = keep_bits(uniformly ? uniform() : normal(), stored, nearbyint);
        o.core_a[i] = keep_bits(o.a[i], core->in, trunc);
        o.core_b[i] = keep_bits(o.b[i], core->in, trunc);
    }
    return o;
}

static void free_operands(struct operands *o)
{
    free(o->a);
    free(o->b);
    free(o->core_a);
    free(o->core_b);
}

/* ---- the device ---- */

/* The accumulator after some more products. */
static double add_at_once(const struct core *core, double sum, const double *products, int count)
{
    double largest = fabs(sum), unit;
    int exponent;

    for (int i = 0; i < count; i++)
        largest = fmax(largest, fabs(products[i]));
    if (largest == 0)
        return 0;
    frexp(largest, &exponent);
    unit = ldexp(1, exponent - 1 - core->below);
    sum = trunc(sum / unit);
    for (int i = 0; i < count; i++)
        sum += trunc(products[i] / unit);
    return keep_bits(sum * unit, core->kept, trunc);
}

/* Of the products from..to, in the type of the sums; those of `lost` are left out. */
static double device_part(const struct core *core, const double *a, const double *b, int from,
                          int to, int lost)
{
    double sum = 0, products[32];
    int count = 0;

    for (int i = from; i < to; i++) {
        bool left_out = lost >= 0 && i >= lost && i < lost + core->block;

        products[count++] = left_out ? 0 : a[i] * b[i];
        if (count == core->at_once || i + 1 == to) {
            sum = add_at_once(core, sum, products, count);
            count = 0;
        }
    }
    return sum;
}

/* One element of the result, as the algorithm says. */
static double device(const struct core *core, const struct summing *how, const double *a,
                     const double *b, int lost)
{
    int split = how->split > 1 ? how->split : 1, k = (int)how->k;
    double sum = 0;

    for (int s = 0; s < split; s++) {
        double part =
            device_part(core, a, b, k / split * s, s + 1 == split ? k : k / split * (s + 1), lost);

        if (how->reduction == REDUCTION_OUTPUT)
            part = keep_bits(part, core->out, nearbyint);
        sum += part;
        if (how->reduction == REDUCTION_IN_PLACE)
            sum = keep_bits(sum, core->out, nearbyint);
    }
    return keep_bits(sum, core->out, nearbyint);
}

/* ---- the check ---- */

/* How many of 256 results, with a fault 52, are refused; *worst: the largest ratio. All
 * have lost a block, or a scale; one in 16 is another column's element. */
static int refused(const struct core *core, const struct summing *how, const struct operands *o,
                   enum fault fault, double *worst)
{
    int bad = 0, lost = fault == FAULT_LOST_BLOCK ? o->k / core->block / 2 * core->block : -1;

    *worst = 0;
    for (int at = 0; at < SAMPLES; at += fault ? 5 : 1) { /* 5: no multiple of a row */
        const double *a = o->a + at % SIDE * o->k;
        const double *b = o->b + at / SIDE * o->k;
        bool other = fault == FAULT_OTHER_ELEMENT && at % SIDE == 0;
        double ref = 0, absolute = 0, ratio, d;

        for (int i = 0; i < o->k; i++) {
            ref += a[i] * b[i];
            absolute += fabs(a[i] * b[i]);
        }
        d = device(core, how, o->core_a + at % SIDE * o->k,
                   o->core_b + (at / SIDE + other) % SIDE * o->k, lost);
        if (fault == FAULT_SCALE)
            d = keep_bits(2 * d, core->out, nearbyint);
        bad += !method_within(how, d, ref, absolute, &ratio);
        *worst = fmax(*worst, ratio);
    }
    return bad;
}

static void assert_right(const struct core *core, const struct summing *how,
                         const struct operands *o)
{
    double worst;
    int bad = refused(core, how, o, FAULT_NONE, &worst);

    if (bad > 0)
        fail_msg("%s, k = %d, split %d, reduction %d: %d right results are refused, the "
                 "worst is %.2f of what is allowed",
                 core->name, o->k, how->split, how->reduction, bad, worst);
}

static void assert_refused(const struct core *core, const struct summing *how,
                           const struct operands *o, enum fault fault)
{
    double worst;

    if (refused(core, how, o, fault, &worst) == 0)
        fail_msg("%s, k = %d, split %d, reduction %d: fault %d passes, %.2f of what is "
                 "allowed",
                 core->name, o->k, how->split, how->reduction, fault, worst);
}

/* Truncation passes at every depth, of operands of both kinds. */
static void test_truncation(void **unused)
{
    (void)unused;
    for (int c = 0; c < CORES; c++)
        for (int d = 0; d < DEPTHS; d++)
            for (int uniformly = depths[d] > NORMAL_MOST; uniformly < 2; uniformly++) {
                struct operands o = make_operands(&cores[c], depths[d], uniformly);
                struct summing how = {.type = cores[c].type, .k = o.k};

                assert_right(&cores[c], &how, &o);
                free_operands(&o);
            }
}

/* Parts that are added in the sums' type, in the output's, and in the output's place. */
static void test_split(void **unused)
{
    static const int splits[] = {2, 4, 8, 32};

    (void)unused;
    for (int c = 0; c < CORES; c += 2)
        for (int i = 0; i < 4; i++)
            for (int scheme = 0; scheme <= REDUCTION_IN_PLACE; scheme++) {
                struct operands o = make_operands(&cores[c], 4096, i % 2);
                struct summing how = {.type = cores[c].type,
                                      .k = o.k,
                                      .split = splits[i],
                                      .reduction = (enum reduction)scheme};

                assert_right(&cores[c], &how, &o);
                free_operands(&o);
            }
}

/* The same results, judged as if their parts were added in FP32, are refused: to say
 * nothing of the scheme would call a right result wrong. */
static void test_scheme_matters(void **unused)
{
    static const int splits[] = {2, 4, 8};
    const struct core *bf16 = &cores[3];

    (void)unused;
    for (int i = 0; i < 3; i++) {
        struct operands o = make_operands(bf16, 4096, true);
        struct summing how = {
            .type = TYPE_BF16, .k = 4096, .split = splits[i], .reduction = REDUCTION_IN_PLACE};
        struct summing silent = {.type = TYPE_BF16, .k = 4096};
        int bad = 0;

        for (int at = 0; at < SAMPLES; at++) {
            const double *a = o.a + at % SIDE * o.k, *b = o.b + at / SIDE * o.k;
            double ref = 0, absolute = 0, ratio;

            for (int j = 0; j < o.k; j++) {
                ref += a[j] * b[j];
                absolute += fabs(a[j] * b[j]);
            }
            bad += !method_within(&silent, device(bf16, &how, a, b, -1), ref, absolute, &ratio);
        }
        assert_in_range(bad, SAMPLES / 10, SAMPLES);
        free_operands(&o);
    }
}

/* Faults are refused at every depth and with every way to add up parts. */
static void test_faults(void **unused)
{
    (void)unused;
    for (int c = 0; c < CORES; c++)
        for (int d = 2; d < DEPTHS; d++)
            for (int scheme = 0; scheme <= REDUCTION_IN_PLACE; scheme++) {
                if (scheme && depths[d] > SCHEMES_MOST)
                    continue;
                struct operands o = make_operands(&cores[c], depths[d], true);
                struct summing how = {.type = cores[c].type,
                                      .k = o.k,
                                      .split = scheme ? 4 : 1,
                                      .reduction = (enum reduction)scheme};

                for (int fault = 1; fault <= FAULT_SCALE; fault++)
                    assert_refused(&cores[c], &how, &o, (enum fault)fault);
                free_operands(&o);
            }
}

/* ---- single figures ---- */

static bool within(enum bench_type type, double d, double ref, double s, double *ratio)
{
    const struct summing how = {.type = type, .k = 4096};

    return method_within(&how, d, ref, s, ratio);
}

static void test_within(void **unused)
{
    const double s = 100, ulp = 1.0 / (1 << 24);
    double ratio;

    (void)unused;
    assert_true(within(TYPE_FP32, 10 + 7 * ulp * s, 10, s, &ratio));
    assert_near(ratio, 7.0 / 8, 1e-6);
    assert_false(within(TYPE_FP32, 10 + 9 * ulp * s, 10, s, &ratio));
    assert_true(ratio > 1);
    /* rounding of the output: half a unit of bf16's eight bits */
    assert_true(within(TYPE_BF16, 36, 35.885, 0.1, &ratio)); /* nearest there is */
    assert_false(within(TYPE_BF16, 10 * (1 + 1.0 / 200), 10, 0.1, &ratio));
    assert_true(within(TYPE_INT8, 12345, 12345, 1e6, &ratio));
    assert_false(within(TYPE_INT8, 12346, 12345, 1e6, &ratio));
    /* saturation: 2 % of the sum is no rounding in any type of eight bits or more */
    assert_false(within(TYPE_INT8, 980, 1000, 1000, &ratio));
    assert_false(within(TYPE_FP8, 980, 1000, 1000, &ratio));
    assert_false(within(TYPE_FP32, NAN, 10, s, &ratio)); /* poison left in D */
    assert_false(within(TYPE_FP32, INFINITY, 10, s, &ratio));
    assert_false(within(TYPE_FP32, 10, NAN, s, &ratio));
    assert_true(within(TYPE_FP32, 0, 0, 0, &ratio));
    assert_near(ratio, 0, 0);
    assert_false(within(TYPE_FP32, 1e-30, 0, 0, &ratio));
    assert_false(within(TYPE_COUNT, 1, 1, 1, &ratio));
}

/* A kernel that did nothing leaves zeros: not a single output passes. */
static void test_zeros_fail_the_check(void **unused)
{
    double ratio;

    (void)unused;
    for (int type = 0; type < TYPE_COUNT; type++)
        assert_false(within((enum bench_type)type, 0, 17.25, 60, &ratio));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_truncation),     cmocka_unit_test(test_split),
        cmocka_unit_test(test_scheme_matters), cmocka_unit_test(test_faults),
        cmocka_unit_test(test_within),         cmocka_unit_test(test_zeros_fail_the_check),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
