/*
 * test_cpu_rows.c - products of weights as GGUF stores them: each kernel that this processor
 * can run, plain C too, against sums in double; one token, tiles of many, and what is left of
 * both; shared among threads.
 */
#include "bench/cpu_gemm_rows.c"

#include "unit.h"

enum { M = 48, K = 96, N_MOST = 17 };

struct matrices {
    struct op *op;
    char *w, *packed;
    float *x, *y;
};

static void fill(struct matrices *a, const struct row_type *t, const struct kernels *kernels, int n)
{
    struct gemm_shape shape = {t->type, M, n, K};
    struct gemm_made made = {.op = NULL};
    struct refusal why;

    assert_true(gemm_rows.make(&shape, &made, &why));
    a->op = made.op;
    a->op->kernels = *kernels;
    a->w = gp_calloc(M * K, number_size(t->w));
    a->packed = gp_calloc(1, made.packed);
    a->x = gp_calloc((size_t)n * K, sizeof(float));
    a->y = gp_calloc((size_t)n * M, sizeof(float));
    number_fill(t->w, a->w, M * K, 7);
    number_fill(NUMBER_F32, a->x, (size_t)n * K, 11);
    assert_true(gemm_rows.pack(a->op, a->w, a->packed));
}

static void drop(struct matrices *a)
{
    gemm_rows.free(a->op);
    free(a->w);
    free(a->packed);
    free(a->x);
    free(a->y);
}

static void compare(const struct row_type *t, const struct kernels *kernels, int n)
{
    struct matrices a;

    fill(&a, t, kernels, n);
    assert_true(gemm_rows.execute(a.op, a.packed, a.x, a.y));
    for (int c = 0; c < n; c++)
        for (int m = 0; m < M; m++) {
            double sum = 0, size = 0;

            for (int k = 0; k < K; k++) {
                double one = number_get(t->w, a.w, (size_t)(m * K + k)) * (double)a.x[c * K + k];

                sum += one;
                size += one * one;
            }
            /* x keeps 8 bits at the least: half a step of 127, K times at random */
            assert_near((double)a.y[c * M + m] / sqrt(size), sum / sqrt(size), 0.05);
        }
    drop(&a);
}

static int can_run(const struct row_type *t, const struct kernels *kernels)
{
    return kernels >= best_kernels(t);
}

static int every_count(const struct row_type *t, const struct kernels *kernels)
{
    int ran = 0;

    for (int n = 1; n <= N_MOST && can_run(t, kernels); n += 4, ran++)
        compare(t, kernels, n);
    return ran;
}

static void every_kernel(void **state)
{
    int ran = 0;

    (void)state;
    gemm_rows.threads(3);
    for (size_t i = 0; i < sizeof row_types / sizeof row_types[0]; i++)
        for (int k = 0; k < 3 && row_types[i].kernels[k].isa; k++)
            ran += every_count(&row_types[i], &row_types[i].kernels[k]);
    assert_true(ran >= 20); /* plain C of four formats is anywhere */
    gemm_rows.threads(1);
    compare(&row_types[0], best_kernels(&row_types[0]), 6);
}

static void halves(void **state)
{
    static const float exact[] = {0, 1, -1, 0.5f, 65504, -0x1p-14f, 0x1p-24f, 1.0009765625f};

    (void)state;
    for (size_t i = 0; i < sizeof exact / sizeof exact[0]; i++)
        assert_near((double)from_half(to_half(exact[i])), (double)exact[i], 0);
    assert_int_equal(to_half(1), 0x3c00);
    assert_int_equal(to_half(-2), 0xc000);
    assert_near((double)from_half(to_half(0.1f)), 0.1, 0x1p-14);
}

static void blocks(void **state)
{
    float x[BLOCK];
    struct x_block a, b;

    (void)state;
    for (int i = 0; i < BLOCK; i++)
        x[i] = (float)(i * i % 37 - 18) / 3;
    quantize(x, &a);
    for (int i = 0; i < BLOCK; i++)
        assert_near((double)((float)a.q[i] * a.scale), (double)x[i], (double)a.scale * 0.501);
    quantize_all(x, &b, 1);
    assert_memory_equal(&a, &b, sizeof a);
    memset(x, 0, sizeof x);
    quantize(x, &a);
    quantize_all(x, &b, 1);
    assert_memory_equal(&a, &b, sizeof a);
}

static void odd_shapes(void **state)
{
    static const struct gemm_shape shapes[] = {
        {TYPE_GGML_Q4_0, 12, 1, 64}, {TYPE_GGML_Q8_0, 16, 1, 48}, {TYPE_GGML_F16, 16, 1, 40}};
    struct gemm_made made;
    struct refusal why;

    (void)state;
    for (size_t i = 0; i < sizeof shapes / sizeof shapes[0]; i++) {
        assert_false(gemm_rows.make(&shapes[i], &made, &why));
        assert_non_null(strstr(why.text, "blocks of"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_kernel),
        cmocka_unit_test(halves),
        cmocka_unit_test(blocks),
        cmocka_unit_test(odd_shapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
