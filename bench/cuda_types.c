/*
 * cuda_types.c - the table of cuda_types.h.
 *
 * Sources: cuBLAS documentation, cublasLtMatmul (types, layouts, alignment, scale modes); CUDA 12.1
 * Update 1 release notes (FP8 on compute capability 8.9); CUDA 12.8 release notes (Blackwell,
 * block-scaled formats); "Narrow Precision Data Types Usage" of the same documentation (layouts of
 * scales; those of FP32 by rows and by blocks of 128: compute capability 9.0 and cuBLASLt 12.9
 * alone); CUDA 13.0 release notes (7.5 is the oldest compute capability left). The
 * batch is padded to 4 for INT8 because kernels of compute capability 12.0 refuse other n, though
 * the documentation demands only m and k.
 */
#include "bench/cuda_types.h"

#include <stdio.h>
#include <string.h>

#if CUDART_VERSION >= 12080
#define HAVE_FP4 true
#define TYPE_R_FP4 CUDA_R_4F_E2M1
#define MODE_12_8(name) CUBLASLT_MATMUL_MATRIX_SCALE_##name
#else
#define HAVE_FP4 false
#define MODE_12_8(name) (-1)
#define TYPE_R_FP4 CUDA_R_8I /* never used: the row is marked as not compiled */
#endif

#if CUDART_VERSION >= 12090
#define HAVE_SCALES true
#define MODE_12_9(name) CUBLASLT_MATMUL_MATRIX_SCALE_##name
#else
#define HAVE_SCALES false
#define MODE_12_9(name) (-1)
#endif

#define SCALES(a, b)         \
    {                        \
        SCALE_##a, SCALE_##b \
    }

static const struct cuda_type types[TYPE_COUNT] = {
    /* in the order of enum bench_type: type, compiled, compute, scale, A and B, D, bits,
     * out, scales, fast, m, k, n, n', header */
    {TYPE_FP32, true, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, NUMBER_F32,
     NUMBER_F32, SCALES(NONE, NONE), false, 1, 1, 1, 1, 11000},
    {TYPE_FP32_PEDANTIC, true, CUBLAS_COMPUTE_32F_PEDANTIC, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F,
     NUMBER_F32, NUMBER_F32, SCALES(NONE, NONE), false, 1, 1, 1, 1, 11000},
    {TYPE_TF32, true, CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, NUMBER_F32,
     NUMBER_F32, SCALES(NONE, NONE), false, 1, 1, 1, 1, 11000},
    {TYPE_FP16, true, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, NUMBER_F16,
     NUMBER_F16, SCALES(NONE, NONE), false, 1, 1, 1, 1, 11000},
    {TYPE_FP16ACC, true, CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, NUMBER_F16,
     NUMBER_F16, SCALES(NONE, NONE), false, 1, 1, 1, 1, 11000},
    {TYPE_BF16, true, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, NUMBER_BF16,
     NUMBER_BF16, SCALES(NONE, NONE), false, 1, 1, 1, 1, 11000},
    {TYPE_INT8, true, CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, NUMBER_S8, NUMBER_S32,
     SCALES(NONE, NONE), false, 4, 4, 4, 16, 11000},
    {TYPE_FP8, true, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF, NUMBER_E4M3,
     NUMBER_BF16, SCALES(NONE, NONE), true, 16, 16, 1, 16, 11080},
    {TYPE_FP8_ROW, HAVE_SCALES, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF,
     NUMBER_E4M3, NUMBER_BF16, SCALES(OUTER_32F, OUTER_32F), true, 16, 16, 1, 16, 12090},
    {TYPE_FP8_BLOCK, HAVE_SCALES, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF,
     NUMBER_E4M3, NUMBER_BF16, SCALES(BLK128_32F, VEC128_32F), false, 16, 16, 4, 16, 12090},
    {TYPE_MXFP8, HAVE_FP4, CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF, NUMBER_E4M3,
     NUMBER_BF16, SCALES(VEC32_UE8M0, VEC32_UE8M0), false, 16, 32, 1, 16, 12080},
    {TYPE_NVFP4, HAVE_FP4, CUBLAS_COMPUTE_32F, CUDA_R_32F, TYPE_R_FP4, CUDA_R_16BF, NUMBER_E2M1,
     NUMBER_BF16, SCALES(VEC16_UE4M3, VEC16_UE4M3), false, 16, 32, 1, 16, 12080},
};

static const struct gate {
    enum bench_type type;
    int cc_low, cc_high;
    size_t lt;
} gates[] = {
    {TYPE_FP32, 35, 999, 110000},    {TYPE_FP32_PEDANTIC, 35, 999, 110000},
    {TYPE_TF32, 80, 999, 110000},    {TYPE_FP16, 53, 999, 110000},
    {TYPE_FP16ACC, 53, 999, 110000}, {TYPE_BF16, 80, 999, 110000},
    {TYPE_INT8, 75, 999, 110000},    {TYPE_FP8, 89, 89, 120103},
    {TYPE_FP8, 90, 99, 111103},      {TYPE_FP8, 100, 109, 120800},
    {TYPE_FP8, 110, 119, 130000},    {TYPE_FP8, 120, 999, 120800},
    {TYPE_FP8_ROW, 90, 99, 120900},  {TYPE_FP8_BLOCK, 90, 99, 120900},
    {TYPE_MXFP8, 100, 109, 120800},  {TYPE_MXFP8, 110, 119, 130000},
    {TYPE_MXFP8, 120, 999, 120800},  {TYPE_NVFP4, 100, 109, 120800},
    {TYPE_NVFP4, 110, 119, 130000},  {TYPE_NVFP4, 120, 999, 120800},
};
enum { GATES = sizeof gates / sizeof gates[0] };

/* What each major version of the library dropped, newest first. */
static const struct {
    size_t lt;
    int cc;
} floors[] = {{130000, 75}, {120000, 50}, {110000, 35}};
enum { FLOORS = sizeof floors / sizeof floors[0] };

const struct cuda_type *cuda_type_find(enum bench_type type)
{
    return (unsigned)type < TYPE_COUNT && types[type].header ? &types[type] : NULL;
}

/* 111103 is 11.11.3: ten thousands, hundreds, units, in every release so far. */
static int version_major(size_t lt)
{
    return (int)(lt / 10000);
}

static int version_minor(size_t lt)
{
    return (int)(lt / 100 % 100);
}

static int version_patch(size_t lt)
{
    return (int)(lt % 100);
}

bool cuda_library_supports(int cc, size_t lt, char *why, size_t size)
{
    for (int i = 0; i < FLOORS; i++) {
        if (lt < floors[i].lt)
            continue;
        if (cc >= floors[i].cc)
            return true;
        snprintf(why, size,
                 "the GPU has compute capability %d.%d, cuBLASLt %d.%d needs %d.%d or newer",
                 cc / 10, cc % 10, version_major(lt), version_minor(lt), floors[i].cc / 10,
                 floors[i].cc % 10);
        return false;
    }
    snprintf(why, size, "cuBLASLt %d.%d is older than 11.0", version_major(lt), version_minor(lt));
    return false;
}

bool cuda_type_supported(enum bench_type type, int cc, size_t lt, char *why, size_t size)
{
    const struct cuda_type *row = cuda_type_find(type);
    int oldest = 0, newest = 0;

    if (!row) {
        snprintf(why, size, "%s is a type of processors alone", bench_type_word(type));
        return false;
    }
    for (int i = 0; i < GATES; i++) {
        if (gates[i].type != type)
            continue;
        if (!oldest)
            oldest = gates[i].cc_low;
        newest = gates[i].cc_high;
        if (cc < gates[i].cc_low || cc > gates[i].cc_high)
            continue;
        if (lt < gates[i].lt) {
            snprintf(why, size,
                     "%s on compute capability %d.%d needs cuBLASLt %d.%d.%d, this is %d.%d.%d",
                     bench_type_word(type), cc / 10, cc % 10, version_major(gates[i].lt),
                     version_minor(gates[i].lt), version_patch(gates[i].lt), version_major(lt),
                     version_minor(lt), version_patch(lt));
            return false;
        }
        if (!row->compiled)
            snprintf(why, size, "built with the headers of CUDA %d.%d, %s needs %d.%d",
                     CUDART_VERSION / 1000, CUDART_VERSION % 1000 / 10, bench_type_word(type),
                     row->header / 1000, row->header % 1000 / 10);
        return row->compiled;
    }
    if (cc > newest)
        snprintf(why, size,
                 "cuBLASLt multiplies %s on compute capability %d.x alone, the GPU has %d.%d",
                 bench_type_word(type), newest / 10, cc / 10, cc % 10);
    else
        snprintf(why, size, "%s needs compute capability %d.%d, the GPU has %d.%d",
                 bench_type_word(type), oldest / 10, oldest % 10, cc / 10, cc % 10);
    return false;
}

bool cuda_type_shape(const struct cuda_type *type, int64_t m, int64_t k, char *why, size_t size)
{
    if (m % type->m_multiple)
        snprintf(why, size, "%s needs m to be a multiple of %d, not %lld",
                 bench_type_word(type->type), type->m_multiple, (long long)m);
    else if (k % type->k_multiple)
        snprintf(why, size, "%s needs k to be a multiple of %d, not %lld",
                 bench_type_word(type->type), type->k_multiple, (long long)k);
    else
        return true;
    return false;
}

static const struct scale {
    int k, rows; /* elements of a block along k, 0 = all; rows that share it */
    enum number bits;
    bool tiled;   /* in 128 x 4 scales */
    bool outer;   /* those of a block of k lie side by side, row by row */
    int multiple; /* to which a row's are padded, where they lie along k */
    int mode;
} scales[SCALE_COUNT] = {
    [SCALE_VEC32_UE8M0] = {32, 1, NUMBER_UE8M0, true, false, 4, MODE_12_8(VEC32_UE8M0)},
    [SCALE_VEC16_UE4M3] = {16, 1, NUMBER_E4M3, true, false, 4, MODE_12_8(VEC16_UE4M3)},
    [SCALE_OUTER_32F] = {0, 1, NUMBER_F32, false, true, 1, MODE_12_9(OUTER_VEC_32F)},
    [SCALE_VEC128_32F] = {128, 1, NUMBER_F32, false, true, 1, MODE_12_9(VEC128_32F)},
    [SCALE_BLK128_32F] = {128, 128, NUMBER_F32, false, false, 4, MODE_12_9(BLK128x128_32F)},
};

int cuda_scale_mode(enum cuda_scale scale)
{
    return scales[scale].mode;
}

int64_t cuda_scale_block(enum cuda_scale scale, int64_t k)
{
    return scale == SCALE_NONE || scales[scale].k ? scales[scale].k : k;
}

static int64_t round_up(int64_t value, int64_t multiple)
{
    return (value + multiple - 1) / multiple * multiple;
}

/* Scales along k, with their padding, and how many rows of scales there are. */
static int64_t scale_stride(enum cuda_scale scale, int64_t k)
{
    int64_t block = cuda_scale_block(scale, k);

    return round_up((k + block - 1) / block, scales[scale].multiple);
}

static int64_t scale_rows(enum cuda_scale scale, int64_t outer)
{
    if (scales[scale].tiled)
        return round_up(outer, 128);
    return (outer + scales[scale].rows - 1) / scales[scale].rows;
}

size_t cuda_scale_bytes(enum cuda_scale scale, int64_t outer, int64_t k)
{
    if (scale == SCALE_NONE)
        return 0;
    return number_bytes(scales[scale].bits,
                        (size_t)(scale_stride(scale, k) * scale_rows(scale, outer)));
}

size_t cuda_scale_offset(int64_t outer, int64_t inner, int64_t inner_blocks)
{
    int64_t tiles = (inner_blocks + 3) / 4; /* in a band of 128 rows */
    int64_t tile = outer / 128 * tiles + inner / 4;
    int64_t row = outer % 128;

    return (size_t)(tile * 512 + row % 32 * 16 + row / 32 * 4 + inner % 4);
}

/* Which of the scales in memory. */
static size_t scale_index(enum cuda_scale scale, int64_t outer, int64_t row, int64_t inner,
                          int64_t k)
{
    int64_t along = scale_stride(scale, k);

    row /= scales[scale].rows;
    if (scales[scale].tiled)
        return cuda_scale_offset(row, inner, along);
    return (size_t)(scales[scale].outer ? inner * outer + row : row * along + inner);
}

void cuda_scale_fill(enum cuda_scale scale, uint8_t *data, int64_t outer, int64_t k, uint64_t seed)
{
    int64_t block = cuda_scale_block(scale, k), blocks = block ? (k + block - 1) / block : 0;

    memset(data, 0, cuda_scale_bytes(scale, outer, k));
    for (int64_t row = 0; row < outer; row += scales[scale].rows)
        for (int64_t i = 0; i < blocks; i++) {
            unsigned r = (unsigned)((seed = seed * 6364136223846793005u + 1) >> 33);
            size_t at = scale_index(scale, outer, row, i, k);

            /* ue8m0 0x7e = 0.5, 0x7f = 1; ue4m3 0x30 = 0.5 ... 0x38 = 1 */
            if (scales[scale].bits == NUMBER_F32)
                ((float *)(void *)data)[at] = 0.5f + (float)(r % 4097) / 8192;
            else
                data[at] = (uint8_t)(scale == SCALE_VEC32_UE8M0 ? 0x7e + r % 2 : 0x30 + r % 9);
        }
}

double cuda_scale_get(enum cuda_scale scale, const uint8_t *data, int64_t outer, int64_t row,
                      int64_t inner, int64_t k)
{
    if (scale == SCALE_NONE)
        return 1;
    return number_get(scales[scale].bits, data, scale_index(scale, outer, row, inner, k));
}
