/*
 * cuda_lt.h - one matrix product for cuBLASLt: descriptors, algorithms, launch, check.
 *
 * Used by the gemm and batch points (cuda_gemm.c) and by every linear layer of the
 * decoder step (cuda_decode.c).
 */
#ifndef GP_BENCH_CUDA_LT_H
#define GP_BENCH_CUDA_LT_H

#include "bench/cuda_ctx.h"

enum { LT_HEURISTIC = 0, LT_TUNED = 1 };

struct lt_gemm {
    /* What is asked for, before lt_open() */
    const struct cuda_type *type;
    int64_t m, n_asked, k;
    bool plain_a; /* A is stored m x k: the decoder's P*V */
    int batch;    /* strided batch; 0 = 1 */
    void *shapes; /* on the device, 12 bytes of each product: the batch is a group, whose shapes
                   * are read there and whose matrices by lists of their addresses */
    /* How the library is asked; all zero: as the settings say and for the best precision */
    double workspace;   /* bytes, of those of the settings; 0 = all */
    bool any_reduction; /* parts of a split k may be added in the output's type */
    bool pads;          /* n as engines pad it */
    /* What there is after it */
    int64_t n; /* padded */
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a_layout, b_layout, d_layout;
    cublasLtMatmulHeuristicResult_t algos[METHOD_MAX_ALGOS];
    int algo_count;
    int tried;     /* of those: timed, or found not to run */
    int chosen[2]; /* index into algos of the heuristic's and the tuned variant */
    bool fast_accum;
};

struct lt_operands { /* one copy; scales NULL where the type has none */
    void *a, *b, *d;
    void *a_scale, *b_scale;
    void *a_list, *b_list, *d_list; /* of a group: on the device, an address for each product */
};

/* Bytes of each operand, 256-byte aligned, scales after the elements. */
size_t lt_a_bytes(const struct lt_gemm *gemm);
size_t lt_b_bytes(const struct lt_gemm *gemm);
size_t lt_d_bytes(const struct lt_gemm *gemm);

/* Descriptors and algorithms of what is asked for, where the library can do it. */
bool lt_open(struct cuda_ctx *ctx, struct lt_gemm *gemm);
/* Is the algorithm that was chosen for a variant of one that of the other's? */
bool lt_same(const struct lt_gemm *a, int variant_a, const struct lt_gemm *b, int variant_b);
void lt_close(struct lt_gemm *gemm);

/* The operands of a copy whose memory starts at a, b and d; fills them. */
struct lt_operands lt_place(const struct lt_gemm *gemm, void *a, void *b, void *d);
/* Of matrix i of the batch alone. */
struct lt_operands lt_of_batch(const struct lt_gemm *gemm, const struct lt_operands *all, int i);
bool lt_fill_a(struct cuda_ctx *ctx, const struct lt_gemm *gemm, void *a, uint64_t salt);
bool lt_fill_b(struct cuda_ctx *ctx, const struct lt_gemm *gemm, void *b, uint64_t salt);

/* Launches the algorithms one by one, best first, until one runs: that is the heuristic's variant
 * (and the tuned one until something better is found). *first: s of that launch, the first of this
 * product. What is named may still not run (NOT_SUPPORTED). */
bool lt_choose(struct cuda_ctx *ctx, struct lt_gemm *gemm, const struct lt_operands *operands,
               double *first);
bool lt_launch(struct cuda_ctx *ctx, struct lt_gemm *gemm, int variant,
               const struct lt_operands *operands);
/* How the sums of a variant are made, for the check. */
struct summing lt_summing(const struct lt_gemm *gemm, int variant);
/* Are parts of a split k added in a type narrower than that of the sums? */
bool lt_reduced(const struct lt_gemm *gemm, int variant);
/* "id 66 tile 128x128 stages 32x2 split-k 1" of algorithm i. */
void lt_describe(const struct lt_gemm *gemm, int i, char *text, size_t size);
/* The same as fields, and more: rank, of, tried, id, tile, stages, split_k, reduction, swizzle,
 * custom, inner, cluster, workspace_bytes, waves; what the library does not tell is null. */
json_t *lt_describe_json(const struct lt_gemm *gemm, int i);

/* cuda_check.c: the product once more into poisoned memory, 16 x 16 of it recomputed. */
void lt_check(struct cuda_ctx *ctx, struct lt_gemm *gemm, int variant,
              const struct lt_operands *operands, struct check *out);
/* All of it: 64 x 64 on the host, the others against products of doubles on the device,
 * which take up to `room` bytes there. mode "block" where they cannot be had, and why. */
void lt_check_full(struct cuda_ctx *ctx, struct lt_gemm *gemm, int variant,
                   const struct lt_operands *operands, double room, struct check *out);

#endif
