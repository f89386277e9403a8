/*
 * method_check.c - how far a result may be from the same sum in double.
 *
 * |d - ref| <= u_out*|ref| + 8*u_acc*S with S = sum |a_i b_i|: u_out is half a unit in
 * the last place of the output type (BF16 has 8 significant bits: 2^-8; 35.885 is
 * rounded to 36, rightly), u_acc that of the accumulator. FP32 sums of 4096
 * uniform products were seen to err by 2..9e-8 of S (at most 1.5 * 2^-24), so 8 leaves
 * room and still catches the 2e-2 of an INT8 kernel that saturates. TF32 rounds its
 * inputs to 11 bits; FP8 accumulation keeps about 14 bits on the first parts that had
 * it.
 */
#include "bench/method.h"

#include <math.h>

#include "bench/point.h"
#include "util/str.h"

#define SAFETY 8

static const struct {
    int out, acc; /* -log2 of u; 0 = exact */
} bits[TYPE_COUNT] = {
    [TYPE_FP32] = {0, 24},     [TYPE_TF32] = {0, 11},  [TYPE_FP16] = {11, 24},
    [TYPE_FP16ACC] = {11, 11}, [TYPE_BF16] = {8, 24},  [TYPE_INT8] = {0, 0},
    [TYPE_FP8] = {8, 14},      [TYPE_MXFP8] = {8, 14}, [TYPE_NVFP4] = {8, 14},
};

#define ZEROS_MOST 0.25

void method_no_zeros(struct check *check, enum bench_fill fill, double zeros,
                     double looked_at)
{
    if (!(looked_at > 0))
        return;
    check->zeros = zeros / looked_at;
    if (check->zeros <= ZEROS_MOST || fill == FILL_ZEROS)
        return;
    if (check->ok)
        gp_format(check->why, sizeof check->why,
                  "%.0f %% of the operands are zero: this is no fair time",
                  100 * check->zeros);
    check->ok = false;
}

static double unit(int exponent)
{
    return exponent ? ldexp(1, -exponent) : 0;
}

bool method_within(int type, double d, double ref, double s, double *ratio)
{
    double allowed, away = fabs(d - ref);

    *ratio = INFINITY;
    if (type < 0 || type >= TYPE_COUNT || !isfinite(d) || !isfinite(ref))
        return false;
    allowed =
        unit(bits[type].out) * fabs(ref) + SAFETY * unit(bits[type].acc) * fabs(s);
    if (away == 0)
        *ratio = 0;
    else
        *ratio = allowed > 0 ? away / allowed : 2 + away; /* 2: 1 + 1e-30 is 1 */
    return *ratio <= 1;
}
