/*
 * method_check.c - how far a right result may be from the same sum in double.
 *
 * With S = sum |a_i b_i| over k products, |d - ref| may be
 *   u_out |ref|               rounding to the output type: half a unit in its last place
 *                             (BF16 has 8 significant bits: 2^-8; 35.885 becomes 36)
 *   8 u_acc S                 an accumulator that rounds to nearest, 2^-24: sums of 4096
 *                             products were seen to err by 2..9e-8 of S
 *                             a tensor core, 2^-21: it cuts off what is below 24 bits of
 *                             the largest of 4 to 16 addends, always towards zero, so that
 *                             errors add up (arXiv 2512.07004, PeerJ CS 330)
 *   2^-13 S (2 + sqrt(k)/32)  the narrow accumulator of FP8: 13 bits below the largest of
 *                             32 addends; the cut of the sum itself, once in 32 products,
 *                             grows with k, that of the products with its root
 *   2^-11 (4 |ref| + 8 R)     TF32 cuts its inputs to 11 bits: all of a sum by the same
 *                             part, and each product by chance
 * R = S/sqrt(k) stands for the root of the sum of squares, which it is within 1.3 (uniform
 * operands) to 1.6 (normal ones). In k = 8192 uniform products a lost block of 32 differs
 * by 1.9; TF32 may be 0.2 away, were it 8 u S it would be 8.
 *
 * Where an algorithm splits k and adds the parts in the output type, each is rounded once
 * more: u_out times the sum of |parts|. A part is of size R' / sqrt(split), R' = 1.6 R, so
 * all of them have 3 R' sqrt(split) at the most; added in place one by one it is the sum so
 * far that is rounded, up to 3 R' each time.
 *
 * All of these are simulated in tests/unit/test_method_check.c.
 */
#include "measure/point/method.h"

#include <math.h>

#include "base/str.h"

#define SAFETY 8
#define ROOT_MOST 1.6 /* root of the sum of squares over S/sqrt(k) */
#define SIGMAS 3      /* of what is as random as a sum of random products */
#define NARROW 13     /* bits of FP8's accumulator */
#define NARROW_RUN 32 /* products between two cuts of its sum */

static const struct {
    int out, acc, in; /* -log2 of u; 0 = exact */
    bool narrow;      /* accumulates in NARROW bits */
} bits[TYPE_COUNT] = {
    [TYPE_FP32] = {.acc = 24},
    [TYPE_FP32_PEDANTIC] = {.acc = 24},
    [TYPE_TF32] = {.acc = 21, .in = 11},
    [TYPE_FP16] = {.out = 11, .acc = 21},
    [TYPE_FP16ACC] = {.out = 11, .acc = 11},
    [TYPE_BF16] = {.out = 8, .acc = 21},
    [TYPE_INT8] = {0},
    [TYPE_FP8] = {.out = 8, .narrow = true},
    [TYPE_FP8_ROW] = {.out = 8, .narrow = true},
    [TYPE_FP8_BLOCK] = {.out = 8, .narrow = true},
    [TYPE_MXFP8] = {.out = 8, .narrow = true},
    [TYPE_NVFP4] = {.out = 8, .narrow = true},
};

#define ZEROS_MOST 0.25

void method_no_zeros(struct check *check, enum bench_fill fill, double zeros, double looked_at)
{
    if (!(looked_at > 0))
        return;
    check->zeros = zeros / looked_at;
    if (check->zeros <= ZEROS_MOST || fill == FILL_ZEROS)
        return;
    if (check->ok) {
        gp_format(check->why, sizeof check->why,
                  "%.0f %% of the operands are zero: the time is not comparable",
                  100 * check->zeros);
        check->cause = "operands";
    }
    check->ok = false;
}

static double check_unit(int exponent)
{
    return exponent ? ldexp(1, -exponent) : 0;
}

/* Of the sum of |parts|, what the output type may lose. */
static double check_reduced(const struct summing *how, double root)
{
    double parts = SIGMAS * ROOT_MOST * root;

    if (how->split < 2 || how->reduction == REDUCTION_COMPUTE)
        return 0;
    return check_unit(bits[how->type].out) * parts *
           (how->reduction == REDUCTION_IN_PLACE ? how->split : sqrt(how->split));
}

static double check_allowance(const struct summing *how, double ref, double s)
{
    double wide = sqrt(fmax(how->k, 1)), root = s / wide;
    double narrow = bits[how->type].narrow ? ldexp(1, -NARROW) : 0;

    return check_unit(bits[how->type].out) * ref + SAFETY * check_unit(bits[how->type].acc) * s +
           check_unit(bits[how->type].in) * (4 * ref + SAFETY * root) +
           narrow * s * (2 + wide / NARROW_RUN) + check_reduced(how, root);
}

bool method_within(const struct summing *how, double d, double ref, double s, double *ratio)
{
    double away = fabs(d - ref);

    *ratio = INFINITY;
    if ((unsigned)how->type >= TYPE_COUNT || !isfinite(d) || !isfinite(ref))
        return false;
    double allowed = check_allowance(how, fabs(ref), fabs(s));
    if (away == 0)
        *ratio = 0;
    else
        *ratio = allowed > 0 ? away / allowed : 2 + away; /* 2: 1 + 1e-30 is 1 */
    return *ratio <= 1;
}

bool check_within(struct check *check, const struct summing *how, double d, double ref, double s)
{
    double ratio = 0;
    bool good = method_within(how, d, ref, s, &ratio);

    check->n++;
    check->max_err = isnan(ratio) ? HUGE_VAL : fmax(check->max_err, ratio);
    return good;
}

void check_wrong(struct check *check, int64_t i, int64_t j, double d, double ref)
{
    check->ok = false;
    gp_format(check->why, sizeof(check->why), "d[%lld,%lld] is %.9g, not %.9g", (long long)i,
              (long long)j, d, ref);
}
