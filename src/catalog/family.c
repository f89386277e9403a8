/*
 * family.c - see family.h.
 */
#include "catalog/family.h"

#include <math.h>
#include <string.h>

const char *kernel_word(enum kernel kernel)
{
#define X(NAME, word) [KERNEL_##NAME] = word,
    static const char *const words[KERNEL_COUNT] = {KERNELS(X)};
#undef X
    return words[kernel];
}

static double rate_of(const struct gpu *gpu, enum format_math math)
{
    return gpu->rate[math].known ? gpu->rate[math].value : 0;
}

/* BF16, or FP16 where the hardware has no BF16. */
static double rate_16(const struct gpu *gpu)
{
    double bf16 = rate_of(gpu, MATH_BF16);

    return bf16 > 0 ? bf16 : rate_of(gpu, MATH_FP16);
}

static enum kernel kernel_gguf(const struct format *f)
{
    return f->bits >= 16 ? KERNEL_GGUF16 : KERNEL_GGUF;
}

/* Without arithmetic of its own. */
static enum kernel kernel_unpacked(const struct format *f)
{
    return f->bits > 8 ? KERNEL_16 : f->bits > 4 ? KERNEL_W8 : KERNEL_W4;
}

enum kernel kernel_of(const struct format *f, const struct gpu *gpu, bool gguf)
{
    if (gguf)
        return kernel_gguf(f);
    if (strcmp(f->id, "mxfp4") == 0)
        return KERNEL_MXFP4;
    if (f->weight_only || (f->bits < 16 && rate_of(gpu, f->math) <= 0))
        return kernel_unpacked(f);
    switch (f->math) {
    case MATH_FP8:
        return f->group_cols > 0 ? KERNEL_FP8_BLOCK : KERNEL_FP8;
    case MATH_FP4:
        return KERNEL_FP4;
    case MATH_INT8:
        return KERNEL_INT8;
    case MATH_FP32:
    case MATH_TF32:
        return KERNEL_32;
    default:
        return kernel_unpacked(f);
    }
}

double kernel_rate(enum kernel kernel, const struct gpu *gpu)
{
    switch (kernel) {
    case KERNEL_32:
        return rate_of(gpu, MATH_FP32);
    case KERNEL_FP8:
    case KERNEL_FP8_BLOCK:
        return rate_of(gpu, MATH_FP8);
    case KERNEL_MXFP4: /* FP8 activations where there is FP4 arithmetic, else 16 bit */
        return rate_of(gpu, MATH_FP4) > 0 ? rate_of(gpu, MATH_FP8) : rate_16(gpu);
    case KERNEL_FP4:
        return rate_of(gpu, MATH_FP4);
    case KERNEL_INT8:
        return rate_of(gpu, MATH_INT8);
    case KERNEL_GGUF16: /* llama.cpp adds up in FP16, twice as fast on GeForce cards */
    case KERNEL_GGUF:
        return gpu->rate_fp16acc.known ? gpu->rate_fp16acc.value : rate_16(gpu);
    default:
        return rate_16(gpu);
    }
}

/* ---- weights that are packed ---- */

#define INTEGER_LANES 64 /* of a multiprocessor; from cc 8.0 on */
#define UNPACK 2.85      /* integer instructions per weight, beside its share of a load */

double family_unpacked(enum kernel kernel, const struct gpu *gpu, double memory)
{
    double lanes = INTEGER_LANES * gpu->sm_count * gpu->boost_mhz * 1e6;
    double weights = kernel == KERNEL_W8 ? 1 : 2; /* of a byte */
    bool packed = kernel == KERNEL_W4 || kernel == KERNEL_W8;

    if (!packed || lanes <= 0 || !gpu->bandwidth.known)
        return memory;
    return 1 / hypot(1 / memory, UNPACK * weights * gpu->bandwidth.value / lanes);
}

/* Whose figure stands in for a kernel's; 16 bit is every family's own. */
static const enum kernel alike[KERNEL_COUNT] = {
    [KERNEL_16] = KERNEL_16,         [KERNEL_32] = KERNEL_16,       [KERNEL_FP8] = KERNEL_16,
    [KERNEL_FP8_BLOCK] = KERNEL_FP8, [KERNEL_FP4] = KERNEL_FP8,     [KERNEL_MXFP4] = KERNEL_W4,
    [KERNEL_INT8] = KERNEL_16,       [KERNEL_W8] = KERNEL_16,       [KERNEL_W4] = KERNEL_W8,
    [KERNEL_GGUF16] = KERNEL_16,     [KERNEL_GGUF] = KERNEL_GGUF16,
};

struct product_share family_product(const struct family *f, enum kernel kernel, bool *is_alike)
{
    enum kernel k = kernel;

    while (f->product[k].memory <= 0 && alike[k] != k)
        k = alike[k];
    *is_alike = k != kernel;
    return f->product[k];
}

/* A family without figures of experts takes those of its products, half the arithmetic:
 * uneven routing leaves half of a grouped product's tiles empty. */
struct expert_share family_expert(const struct family *f, enum kernel kernel, bool *is_alike)
{
    enum kernel k = kernel;

    while (f->expert[k].memory <= 0 && alike[k] != k)
        k = alike[k];
    *is_alike = k != kernel;
    if (f->expert[k].memory > 0)
        return f->expert[k];
    struct product_share p = family_product(f, kernel, is_alike);
    *is_alike = true;
    return (struct expert_share){.compute = p.compute / 2, .memory = p.memory};
}
