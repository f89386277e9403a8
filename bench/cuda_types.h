/*
 * cuda_types.h - which operand types cuBLASLt can multiply, on what, from which version.
 *
 * One row per type says how the product is set up, one row per (type, compute capability range)
 * from which library version on it exists. Nothing here asks the device: the answer is a pure
 * function of type, compute capability and library version, e.g. fp8 on compute capability 8.9
 * needs cuBLASLt 12.1.3 and on 9.0 only 11.11.3.
 *
 * Every product is column-major TN, D[m,n] = A[k,m]^T * B[k,n], the one layout that all
 * low-precision kernels have; m is the layer's output width and n the batch.
 */
#ifndef GP_BENCH_CUDA_TYPES_H
#define GP_BENCH_CUDA_TYPES_H

#include <cublasLt.h>
#include <cuda_runtime_api.h>
#include <stdbool.h>
#include <stddef.h>

#include "bench/number.h"

/* Of an operand, each of k elements in rows (A's) or columns (B's): */
enum cuda_scale {
    SCALE_NONE,
    SCALE_VEC32_UE8M0, /* of 32 elements, tiled */
    SCALE_VEC16_UE4M3, /* of 16, tiled */
    SCALE_OUTER_32F,   /* of a whole row */
    SCALE_VEC128_32F,  /* of 128 elements, the rows' side by side */
    SCALE_BLK128_32F,  /* of 128 in 128 rows, along k; padded to 4 of them */
    SCALE_COUNT
};

struct cuda_type {
    enum bench_type type;
    bool compiled; /* false: the headers this was built with do not know the type */
    cublasComputeType_t compute;
    cudaDataType_t scale; /* the C type of alpha and beta follows it */
    cudaDataType_t ab, d; /* A and B; C and D */
    enum number bits, out;
    enum cuda_scale scales[2];  /* of A, of B */
    bool fast;                  /* FP8: engines let it add up in fewer bits where it can */
    int m_multiple, k_multiple; /* what cuBLASLt demands */
    int n_multiple;             /* the batch is padded to this */
    int n_fallback;             /* and to this, when there is no algorithm otherwise */
    int header;                 /* CUDA version of the headers it needs, 12080 */
};

/* The row of a type; NULL for one that cuBLASLt does not have. */
const struct cuda_type *cuda_type_find(enum bench_type type);

/* Can this device and library do it? If not, `why` says what it takes. `cc` is 90 for
 * 9.0, `lt` what cublasLtGetVersion() returns (111103, 120804, 130100). */
bool cuda_type_supported(enum bench_type type, int cc, size_t lt, char *why, size_t size);

/* Is the device new enough for the library at all? */
bool cuda_library_supports(int cc, size_t lt, char *why, size_t size);

/* Does the shape meet what the type demands of m and k? */
bool cuda_type_shape(const struct cuda_type *type, int64_t m, int64_t k, char *why, size_t size);

/* As cublasLtMatmulMatrixScale_t numbers it; -1: the headers this was built with do not. */
int cuda_scale_mode(enum cuda_scale scale);
/* Bytes of the scales of `outer` rows of k elements. */
size_t cuda_scale_bytes(enum cuda_scale scale, int64_t outer, int64_t k);

/* Where the scale of block `inner` of row `outer` lies: tiles of 128 rows x 4 blocks,
 * 512 bytes each, tiles of one row band after another. */
size_t cuda_scale_offset(int64_t outer, int64_t inner, int64_t inner_blocks);
int64_t cuda_scale_block(enum cuda_scale scale, int64_t k); /* elements per scale, 0 for none */
/* Fills those of `outer` rows: 0.5..1 at random, padding 0. */
void cuda_scale_fill(enum cuda_scale scale, uint8_t *data, int64_t outer, int64_t k, uint64_t seed);
/* Of block `inner` of row `row` of `outer`. */
double cuda_scale_get(enum cuda_scale scale, const uint8_t *data, int64_t outer, int64_t row,
                      int64_t inner, int64_t k);

#endif
