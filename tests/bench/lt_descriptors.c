/*
 * lt_descriptors.c - every product of the support table described to the real cuBLASLt,
 * with or without a GPU.
 *
 * The engine's own lt_open() describes. What it would ask the heuristic, which needs a
 * GPU, ends here instead (--wrap), where all of it is read back from the library: what was
 * set must be there, under the numbers that the headers give it. 77 without cuBLASLt.
 */
#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "bench/cuda_library.h"
#include "bench/cuda_lt.h"

cublasStatus_t __wrap_cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t *results,
    int *found);

static struct {
    cublasStatus_t (*desc)(cublasLtMatmulDesc_t, int, void *, size_t, size_t *);
    cublasStatus_t (*layout)(cublasLtMatrixLayout_t, int, void *, size_t, size_t *);
    cublasStatus_t (*preference)(cublasLtMatmulPreference_t, int, void *, size_t, size_t *);
} get;

static int failures, asked;
static struct lt_gemm described; /* that the heuristic is asked about */
static char what[80];

static void expect(bool good, const char *name)
{
    if (!good)
        printf("not ok: %s: %s\n", what, name);
    failures += !good;
}

/* EQUAL(desc, desc, ATTRIBUTE, type, value): the library has that value there. */
#define EQUAL(kind, object, attribute, type, value)                                              \
    do {                                                                                         \
        type got = 0, wanted_ = (type)(value);                                                   \
        size_t size_ = 0;                                                                        \
        expect(get.kind(object, attribute, &got, sizeof got, &size_) == CUBLAS_STATUS_SUCCESS && \
                   size_ == sizeof got && got == wanted_,                                        \
               #attribute " of " #object);                                                       \
    } while (0)

static void check_layout(cublasLtMatrixLayout_t layout, int type, int64_t rows, int64_t columns)
{
    EQUAL(layout, layout, CUBLASLT_MATRIX_LAYOUT_TYPE, uint32_t, type);
    EQUAL(layout, layout, CUBLASLT_MATRIX_LAYOUT_ORDER, int32_t, CUBLASLT_ORDER_COL);
    EQUAL(layout, layout, CUBLASLT_MATRIX_LAYOUT_ROWS, uint64_t, rows);
    EQUAL(layout, layout, CUBLASLT_MATRIX_LAYOUT_COLS, uint64_t, columns);
    EQUAL(layout, layout, CUBLASLT_MATRIX_LAYOUT_LD, int64_t, rows);
    EQUAL(layout, layout, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, int32_t, described.batch);
    if (described.batch > 1)
        EQUAL(layout, layout, CUBLASLT_MATRIX_LAYOUT_STRIDED_BATCH_OFFSET, int64_t, rows * columns);
}

static void check_scales(cublasLtMatmulDesc_t desc)
{
    if (described.type->scales[0] == SCALE_NONE)
        return;
#if CUDART_VERSION >= 12080
    const enum cuda_scale *s = described.type->scales;

    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, int32_t, cuda_scale_mode(s[0]));
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, int32_t, cuda_scale_mode(s[1]));
#endif
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, uintptr_t, 4096);
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, uintptr_t, 4096);
}

cublasStatus_t __wrap_cublasLtMatmulAlgoGetHeuristic(
    cublasLtHandle_t handle, cublasLtMatmulDesc_t desc, cublasLtMatrixLayout_t a,
    cublasLtMatrixLayout_t b, cublasLtMatrixLayout_t c, cublasLtMatrixLayout_t d,
    cublasLtMatmulPreference_t preference, int wanted, cublasLtMatmulHeuristicResult_t *results,
    int *found)
{
    const struct cuda_type *t = described.type;
    bool transposed = !described.plain_a;
    int64_t m = described.m, k = described.k, n = 0;
    uint64_t workspace = 0;
    uint32_t reductions = 0;
    size_t written;

    (void)handle, (void)results, (void)wanted;
    asked++;
    *found = 0;
    get.layout(b, CUBLASLT_MATRIX_LAYOUT_COLS, &n, sizeof n, &written);
    expect(n >= described.n_asked, "columns of B");
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_COMPUTE_TYPE, int32_t, t->compute);
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_SCALE_TYPE, int32_t, t->scale);
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_TRANSA, int32_t, transposed ? CUBLAS_OP_T : CUBLAS_OP_N);
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_TRANSB, int32_t, CUBLAS_OP_N);
    EQUAL(desc, desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, int8_t, described.fast_accum);
    check_scales(desc);
    check_layout(a, t->ab, transposed ? k : m, transposed ? m : k);
    check_layout(b, t->ab, k, n);
    check_layout(d, t->d, m, n);
    expect(c == d, "C is D");
    expect(get.preference(preference, CUBLASLT_MATMUL_PREF_MAX_WORKSPACE_BYTES, &workspace,
                          sizeof workspace, &written) == CUBLAS_STATUS_SUCCESS &&
               workspace > 0 && workspace <= 32 << 20,
           "workspace");
    expect(get.preference(preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &reductions,
                          sizeof reductions, &written) == CUBLAS_STATUS_SUCCESS &&
               (reductions & ~(uint32_t)CUBLASLT_REDUCTION_SCHEME_MASK) == 0,
           "reduction schemes");
    return CUBLAS_STATUS_NOT_SUPPORTED;
}

static void open_one(struct cuda_ctx *ctx, enum bench_type type, int64_t n)
{
    struct lt_gemm gemm = {.type = cuda_type_find(type), .m = 4096, .n_asked = n, .k = 2048};
    char why[300];
    int before = asked;

    if (!cuda_type_supported(type, ctx->cc, ctx->lt_version, why, sizeof why))
        return;
    snprintf(what, sizeof what, "%s on %d.%d, n = %d", bench_type_word(type), ctx->cc / 10,
             ctx->cc % 10, (int)n);
    described = gemm;
    described.batch = 1;
    described.fast_accum = (type == TYPE_FP8 || type == TYPE_FP8_ROW) && ctx->cc < 100;
    lt_open(ctx, &gemm);
    lt_close(&gemm);
    expect(asked > before, ctx->fault);
}

static void open_batched(struct cuda_ctx *ctx, bool plain_a)
{
    struct lt_gemm gemm = {.type = cuda_type_find(TYPE_FP16),
                           .m = 128,
                           .n_asked = 4,
                           .k = 8192,
                           .batch = 8,
                           .plain_a = plain_a};
    int before = asked;

    snprintf(what, sizeof what, "%s of attention", plain_a ? "P*V" : "Q*K");
    described = gemm;
    lt_open(ctx, &gemm);
    lt_close(&gemm);
    expect(asked > before, ctx->fault);
}

static bool bind_getters(size_t version)
{
    void *lt = cuda_library_load(version >= 130000   ? "libcublasLt.so.13"
                                 : version >= 120000 ? "libcublasLt.so.12"
                                                     : "libcublasLt.so.11");

    if (!lt)
        return false;
    *(void **)&get.desc = dlsym(lt, "cublasLtMatmulDescGetAttribute");
    *(void **)&get.layout = dlsym(lt, "cublasLtMatrixLayoutGetAttribute");
    *(void **)&get.preference = dlsym(lt, "cublasLtMatmulPreferenceGetAttribute");
    return get.desc && get.layout && get.preference;
}

int main(void)
{
    static const int ccs[] = {75, 80, 86, 89, 90, 100, 110, 120};
    struct cuda_ctx ctx = {.settings = {.workspace = 32 << 20, .algos = 16},
                           .workspace = (void *)(uintptr_t)4096};
    struct gp_err err;
    char libraries[512];

    setvbuf(stdout, NULL, _IOLBF, 0);
    if (cuda_library_open(&err) != GP_OK) {
        printf("skipped: %s\n", err.text);
        return 77;
    }
    cuda_library_describe(libraries, sizeof libraries);
    ctx.lt_version = cublasLtGetVersion();
    if (!bind_getters(ctx.lt_version)) {
        printf("skipped: nothing can be read back from %s\n", libraries);
        return 77;
    }
    for (size_t c = 0; c < sizeof ccs / sizeof ccs[0]; c++) {
        ctx.cc = ccs[c];
        for (int type = 0; type < TYPE_COUNT; type++)
            for (int64_t n = 1; n <= 16; n += 15)
                open_one(&ctx, (enum bench_type)type, n);
        open_batched(&ctx, true);
        open_batched(&ctx, false);
    }
    printf("%d descriptions read back from %s, %d failures\n", asked, libraries, failures);
    return failures || asked < 2 * TYPE_COUNT;
}
