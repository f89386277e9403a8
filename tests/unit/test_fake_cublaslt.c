/* test_fake_cublaslt.c - the stand-in refuses what the library refuses, and only that. */
#include <cublasLt.h>
#include <stdlib.h>
#include <string.h>

#include "bench/number.h"
#include "tests/fixtures/fake_cuda.h"
#include "unit.h"

/* One product, as the engine describes it unless a row says otherwise. */
struct product {
    int compute, scale, operands, result;
    int cc;
    int64_t m, n, k;
    int op_a, op_b; /* 'T', 'N'; 0: T and N */
    int a_mode, b_mode;
    int64_t lda; /* 0: what it must be at the least */
    cublasStatus_t status;
};

#define FP8(...) CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_8F_E4M3, CUDA_R_16BF, __VA_ARGS__
#define INT8(...) CUBLAS_COMPUTE_32I, CUDA_R_32I, CUDA_R_8I, CUDA_R_32I, __VA_ARGS__
#define BF16(...) CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_16BF, CUDA_R_16BF, __VA_ARGS__
#define OK CUBLAS_STATUS_SUCCESS
#define REFUSED CUBLAS_STATUS_NOT_SUPPORTED
#define INVALID CUBLAS_STATUS_INVALID_VALUE

static const struct product products[] = {
    {BF16(90, 64, 5, 33), .status = OK},
    {BF16(90, 64, 5, 33), 'N', 'N', .status = OK},
    {BF16(75, 64, 5, 33), .status = REFUSED},
    {BF16(90, 64, 5, 33), .lda = 32, .status = INVALID},
    {CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 70, 64, 5, 33, .status = OK},
    /* alpha in float for a product in halves */
    {CUBLAS_COMPUTE_16F, CUDA_R_32F, CUDA_R_16F, CUDA_R_16F, 70, 64, 5, 33, .status = REFUSED},
    {CUBLAS_COMPUTE_32F_FAST_TF32, CUDA_R_32F, CUDA_R_32F, CUDA_R_32F, 75, 64, 5, 33,
     .status = REFUSED},
    /* INT8: TN, m and k in fours; n in fours on 12.0 */
    {INT8(75, 64, 5, 36), .status = OK},
    {INT8(61, 64, 5, 36), .status = REFUSED},
    {INT8(90, 64, 5, 36), 'N', 'N', .status = REFUSED},
    {INT8(90, 64, 5, 36), 'T', 'T', .status = REFUSED},
    {INT8(90, 62, 5, 36), .status = REFUSED},
    {INT8(90, 64, 5, 35), .status = REFUSED},
    {INT8(90, 64, 5, 36), .lda = 38, .status = REFUSED},
    {INT8(120, 64, 5, 36), .status = REFUSED},
    {INT8(120, 64, 8, 36), .status = OK},
    /* FP8: 16 bytes; TN but for 10.x and 11.0 */
    {FP8(86, 64, 5, 64), .status = REFUSED},
    {FP8(89, 64, 5, 64), .status = OK},
    {FP8(90, 64, 5, 72), .status = REFUSED},
    {FP8(90, 60, 5, 64), .status = REFUSED},
    {FP8(90, 64, 16, 64), 'N', 'N', .status = REFUSED},
    {FP8(100, 64, 16, 64), 'N', 'N', .status = OK},
    {FP8(120, 64, 16, 64), 'N', 'N', .status = REFUSED},
#if CUDART_VERSION >= 12080
#define VEC32 CUBLASLT_MATMUL_MATRIX_SCALE_VEC32_UE8M0
#define VEC16 CUBLASLT_MATMUL_MATRIX_SCALE_VEC16_UE4M3
#define FP4(...) CUBLAS_COMPUTE_32F, CUDA_R_32F, CUDA_R_4F_E2M1, CUDA_R_16BF, __VA_ARGS__
    /* block scales: from 10.0 on, the same for both, each of its own type */
    {FP8(100, 64, 5, 64), .a_mode = VEC32, .b_mode = VEC32, .status = OK},
    {FP8(90, 64, 5, 64), .a_mode = VEC32, .b_mode = VEC32, .status = REFUSED},
    {FP8(100, 64, 5, 64), .a_mode = VEC32, .status = REFUSED},
    {FP8(100, 64, 5, 64), .a_mode = VEC16, .b_mode = VEC16, .status = REFUSED},
    {FP4(100, 64, 5, 64), .a_mode = VEC16, .b_mode = VEC16, .status = OK},
    {FP4(100, 64, 5, 64), .status = REFUSED},
    {FP4(90, 64, 5, 64), .a_mode = VEC16, .b_mode = VEC16, .status = REFUSED},
    {FP4(100, 64, 5, 80), .a_mode = VEC16, .b_mode = VEC16, .status = REFUSED},
    {FP4(100, 64, 32, 64), 'N', 'N', .a_mode = VEC16, .b_mode = VEC16, .status = REFUSED},
#endif
#if CUDART_VERSION >= 12090
#define ROW CUBLASLT_MATMUL_MATRIX_SCALE_OUTER_VEC_32F
#define VEC128 CUBLASLT_MATMUL_MATRIX_SCALE_VEC128_32F
#define BLK128 CUBLASLT_MATMUL_MATRIX_SCALE_BLK128x128_32F
    /* scales of FP32: on 9.0 alone; blocks of 128 x 128 on one side, m and n in fours */
    {FP8(90, 64, 5, 64), .a_mode = ROW, .b_mode = ROW, .status = OK},
    {FP8(89, 64, 5, 64), .a_mode = ROW, .b_mode = ROW, .status = REFUSED},
    {FP8(100, 64, 5, 64), .a_mode = ROW, .b_mode = ROW, .status = REFUSED},
    {FP8(90, 64, 5, 64), .a_mode = ROW, .status = REFUSED},
    {FP8(90, 64, 8, 192), .a_mode = VEC128, .b_mode = VEC128, .status = OK},
    {FP8(90, 64, 8, 192), .a_mode = BLK128, .b_mode = VEC128, .status = OK},
    {FP8(90, 64, 8, 192), .a_mode = VEC128, .b_mode = BLK128, .status = OK},
    {FP8(90, 64, 8, 192), .a_mode = BLK128, .b_mode = BLK128, .status = REFUSED},
    {FP8(90, 64, 8, 192), .a_mode = BLK128, .b_mode = ROW, .status = REFUSED},
    {FP8(90, 64, 8, 192), .a_mode = BLK128, .status = REFUSED},
    {FP8(90, 64, 8, 192), .b_mode = BLK128, .status = REFUSED},
    {FP8(90, 64, 6, 192), .a_mode = BLK128, .b_mode = VEC128, .status = REFUSED},
    {FP8(100, 64, 8, 192), .a_mode = BLK128, .b_mode = VEC128, .status = REFUSED},
    {BF16(90, 64, 8, 192), .a_mode = ROW, .b_mode = ROW, .status = REFUSED},
    {FP8(90, 64, 8, 64), .a_mode = 17, .b_mode = 17, .status = INVALID},
#endif
};

struct built {
    cublasLtHandle_t handle;
    cublasLtMatmulDesc_t desc;
    cublasLtMatrixLayout_t a, b, d;
    cublasLtMatmulPreference_t preference;
    cublasLtMatmulHeuristicResult_t results[4];
    int found;
};

static void set(cublasLtMatmulDesc_t desc, int attribute, int32_t value)
{
    assert_int_equal(
        cublasLtMatmulDescSetAttribute(desc, (cublasLtMatmulDescAttributes_t)attribute, &value, 4),
        OK);
}

static void set_modes(struct built *x, const struct product *p, void *scales)
{
#if CUDART_VERSION >= 12080
    if (p->a_mode)
        set(x->desc, CUBLASLT_MATMUL_DESC_A_SCALE_MODE, p->a_mode);
    if (p->b_mode)
        set(x->desc, CUBLASLT_MATMUL_DESC_B_SCALE_MODE, p->b_mode);
#endif
    (void)p;
    cublasLtMatmulDescSetAttribute(x->desc, CUBLASLT_MATMUL_DESC_A_SCALE_POINTER, &scales,
                                   sizeof scales);
    cublasLtMatmulDescSetAttribute(x->desc, CUBLASLT_MATMUL_DESC_B_SCALE_POINTER, &scales,
                                   sizeof scales);
}

static cublasStatus_t build(struct built *x, const struct product *p)
{
    bool ta = p->op_a != 'N', tb = p->op_b == 'T';
    int64_t lda = p->lda ? p->lda : ta ? p->k : p->m, ldb = tb ? p->n : p->k;
    char cc[8];

    snprintf(cc, sizeof cc, "%d", p->cc);
    setenv("FAKE_CUDA_CC", cc, 1);
    *x = (struct built){0};
    cublasLtCreate(&x->handle);
    cublasLtMatmulDescCreate(&x->desc, (cublasComputeType_t)p->compute, (cudaDataType_t)p->scale);
    set(x->desc, CUBLASLT_MATMUL_DESC_TRANSA, ta ? CUBLAS_OP_T : CUBLAS_OP_N);
    set(x->desc, CUBLASLT_MATMUL_DESC_TRANSB, tb ? CUBLAS_OP_T : CUBLAS_OP_N);
    set_modes(x, p, (void *)(uintptr_t)256);
    cublasLtMatrixLayoutCreate(&x->a, (cudaDataType_t)p->operands, (uint64_t)(ta ? p->k : p->m),
                               (uint64_t)(ta ? p->m : p->k), lda);
    cublasLtMatrixLayoutCreate(&x->b, (cudaDataType_t)p->operands, (uint64_t)(tb ? p->n : p->k),
                               (uint64_t)(tb ? p->k : p->n), ldb);
    cublasLtMatrixLayoutCreate(&x->d, (cudaDataType_t)p->result, (uint64_t)p->m, (uint64_t)p->n,
                               p->m);
    cublasLtMatmulPreferenceCreate(&x->preference);
    return cublasLtMatmulAlgoGetHeuristic(x->handle, x->desc, x->a, x->b, x->d, x->d, x->preference,
                                          4, x->results, &x->found);
}

static void drop(struct built *x)
{
    cublasLtMatmulPreferenceDestroy(x->preference);
    cublasLtMatrixLayoutDestroy(x->a);
    cublasLtMatrixLayoutDestroy(x->b);
    cublasLtMatrixLayoutDestroy(x->d);
    cublasLtMatmulDescDestroy(x->desc);
    cublasLtDestroy(x->handle);
}

static void refuses_products(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof products / sizeof products[0]; i++) {
        struct built x;
        cublasStatus_t status = build(&x, &products[i]);

        if (status != products[i].status)
            print_error("row %zu of products: status %d\n", i, (int)status);
        assert_int_equal(status, products[i].status);
        assert_int_equal(x.found > 0, status == OK);
        drop(&x);
    }
}

static cublasStatus_t launch(struct built *x, int algo, const float *alpha, char *a,
                             void *workspace, size_t size, char *d)
{
    const float zero = 0;

    return cublasLtMatmul(x->handle, x->desc, alpha, a, x->a, a, x->b, &zero, d, x->d, d, x->d,
                          &x->results[algo].algo, workspace, size, NULL);
}

static void refuses_launches(void **state)
{
    static const struct product p = {BF16(90, 64, 64, 64), .status = OK},
                                other = {BF16(90, 64, 32, 64), .status = OK};
    char *memory = aligned_alloc(256, 1 << 16), *d = aligned_alloc(256, 1 << 16);
    const float one = 1;
    struct built x, y;

    (void)state;
    memset(memory, 0, 1 << 16);
    memset(d, 0, 1 << 16);
    setenv("FAKE_CUDA", "workspace", 1);
    assert_int_equal(build(&x, &p), OK);
    assert_int_equal(x.found, 1); /* the other wants a workspace, and none was offered */
    assert_int_equal(build(&y, &other), OK);
    unsetenv("FAKE_CUDA");
    assert_int_equal(launch(&x, 0, &one, memory, NULL, 0, d), OK);
    assert_int_equal(launch(&x, 0, &one, memory + 8, NULL, 0, d), INVALID);
    assert_int_equal(launch(&x, 0, &one, memory, NULL, 0, d + 2), INVALID);
    assert_int_equal(launch(&x, 0, &one, memory, memory + 16, 4096, d), INVALID);
    assert_int_equal(launch(&x, 0, &one, memory, memory, 4096, d), OK);
    /* an algorithm of another product, and one that nobody named */
    x.results[0] = y.results[0];
    assert_int_equal(launch(&x, 0, &one, memory, NULL, 0, d), INVALID);
    memset(&x.results[0], 0, sizeof x.results[0]);
    assert_int_equal(launch(&x, 0, &one, memory, NULL, 0, d), INVALID);
    drop(&x);
    drop(&y);
    free(memory);
    free(d);
}

/* alpha is what lies there in the scale's type: a float one is nothing in halves, and
 * very much as an integer. */
static void reads_alpha(void **state)
{
    static const struct product halves = {
        CUBLAS_COMPUTE_16F, CUDA_R_16F, CUDA_R_16F, CUDA_R_16F, 90, 16, 16, 16, .status = OK};
    uint16_t *memory = aligned_alloc(256, 4096), *d = aligned_alloc(256, 4096);
    static const uint16_t one_half = 0x3c00;
    const float one = 1;
    struct built x;

    (void)state;
    for (int i = 0; i < 256; i++)
        memory[i] = one_half;
    assert_int_equal(build(&x, &halves), OK);
    memset(d, 0xff, 4096);
    launch(&x, 0, (const float *)(const void *)&one_half, (char *)memory, NULL, 0, (char *)d);
    assert_true(number_get(NUMBER_F16, d, 0) == 16);
    memset(d, 0xff, 4096);
    launch(&x, 0, &one, (char *)memory, NULL, 0, (char *)d);
    assert_true(number_get(NUMBER_F16, d, 0) == 0);
    drop(&x);
    free(memory);
    free(d);
}

/* Reductions in the type of the result only where the mask lets them. */
static void minds_reductions(void **state)
{
    static const struct product p = {BF16(90, 64, 64, 64), .status = OK};
    uint32_t scheme, mask = CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE, all = ~0u;
    struct built x;

    (void)state;
    setenv("FAKE_CUDA", "allowed", 1);
    for (int allowed = 1; allowed >= 0; allowed--) {
        assert_int_equal(build(&x, &p), OK);
        if (!allowed)
            assert_int_equal(
                cublasLtMatmulPreferenceSetAttribute(
                    x.preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &mask, sizeof mask),
                OK);
        assert_int_equal(cublasLtMatmulAlgoGetHeuristic(x.handle, x.desc, x.a, x.b, x.d, x.d,
                                                        x.preference, 4, x.results, &x.found),
                         OK);
        cublasLtMatmulAlgoConfigGetAttribute(&x.results[0].algo,
                                             CUBLASLT_ALGO_CONFIG_REDUCTION_SCHEME, &scheme,
                                             sizeof scheme, NULL);
        assert_int_equal(scheme, allowed ? CUBLASLT_REDUCTION_SCHEME_INPLACE
                                         : CUBLASLT_REDUCTION_SCHEME_COMPUTE_TYPE);
        assert_int_equal(
            cublasLtMatmulPreferenceSetAttribute(
                x.preference, CUBLASLT_MATMUL_PREF_REDUCTION_SCHEME_MASK, &all, sizeof all),
            INVALID);
        drop(&x);
    }
    unsetenv("FAKE_CUDA");
}

static void minds_sizes(void **state)
{
    static const struct product p = {BF16(90, 64, 64, 64), .status = OK};
    int64_t wide = 0;
    struct built x;

    (void)state;
    assert_int_equal(build(&x, &p), OK);
    assert_int_equal(cublasLtMatmulDescSetAttribute(x.desc, CUBLASLT_MATMUL_DESC_TRANSA, &wide, 8),
                     INVALID);
    assert_int_equal(
        cublasLtMatmulDescSetAttribute(x.desc, CUBLASLT_MATMUL_DESC_FAST_ACCUM, &wide, 4), INVALID);
    assert_int_equal(
        cublasLtMatrixLayoutSetAttribute(x.a, CUBLASLT_MATRIX_LAYOUT_BATCH_COUNT, &wide, 8),
        INVALID);
    assert_int_equal(cublasLtMatmulAlgoGetHeuristic(NULL, x.desc, x.a, x.b, x.d, x.d, x.preference,
                                                    4, x.results, &x.found),
                     CUBLAS_STATUS_NOT_INITIALIZED);
    drop(&x);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(refuses_products), cmocka_unit_test(refuses_launches),
        cmocka_unit_test(reads_alpha),      cmocka_unit_test(minds_reductions),
        cmocka_unit_test(minds_sizes),
    };

    unsetenv("FAKE_CUDA");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
