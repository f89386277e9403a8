/*
 * format.c - bytes of a tensor, scales included.
 *
 *   bytes = rows*cols*bits/8 + groups*group_bytes + cols*input_bytes + tensor_bytes
 *   groups = ceil(rows/group_rows) * ceil(cols/group_cols)
 *
 * A ragged last group still has its whole scale: 4096 x 100 in groups of 64 columns
 * keeps 4096*2 scales, not 4096*1.5625.
 *
 * GGUF: a row that is no multiple of the block cannot be stored in the type; the
 * quantiser takes the fallback type for that whole tensor (a 1024 x 100 matrix in Q4_K,
 * blocks of 256, becomes F16: 204,800 bytes). The mean bits of a mix drift with the
 * size of the model, because the layers that get a better type are a smaller or larger
 * part of it: Q4_K_M is 4.7985 bits at 8.03e9 parameters and 4.7995 at 70.55e9 outside
 * embedding and output. Between the two the mean follows the logarithm of the size;
 * outside nothing is known and the nearer figure stands.
 */
#include "model/format.h"

#include <math.h>
#include <stddef.h>

/* The models the two figures of a mix were taken on: Llama-3.1-8B and -70B. */
#define PARAMS_8B 8030261248.0
#define PARAMS_70B 70553706496.0

static double format_groups(double size, int group)
{
    return group > 0 ? ceil(size / group) : 1.0;
}

double format_bytes(const struct format *format, double rows, double cols)
{
    double elements = rows * cols;
    double bits = format->bits;

    if (elements <= 0)
        return 0;
    if (format->block > 0 && fmod(cols, format->block) != 0 && format->fallback_bits > 0)
        bits = format->fallback_bits;
    return elements * bits / 8 +
           format_groups(rows, format->group_rows) * format_groups(cols, format->group_cols) *
               format->group_bytes +
           cols * format->input_bytes + format->tensor_bytes;
}

double format_core_bits(const struct format *format, double params_total)
{
    double small = format->core_bits_8b, large = format->core_bits_70b;

    if (small <= 0 && large <= 0)
        return format->bits;
    if (small <= 0 || large <= 0)
        return small > 0 ? small : large;
    if (params_total <= PARAMS_8B)
        return small;
    if (params_total >= PARAMS_70B)
        return large;
    return small + (large - small) * log(params_total / PARAMS_8B) / log(PARAMS_70B / PARAMS_8B);
}

const char *format_math_word(enum format_math math)
{
    static const char *const words[MATH_COUNT] = {
        [MATH_FP32] = "fp32", [MATH_TF32] = "tf32", [MATH_FP16] = "fp16", [MATH_BF16] = "bf16",
        [MATH_FP8] = "fp8",   [MATH_INT8] = "int8", [MATH_INT4] = "int4", [MATH_FP4] = "fp4",
    };

    return (size_t)math < MATH_COUNT ? words[math] : "?";
}
