/*
 * test_cpu_rows.c - products of weights as GGUF stores them: each kernel that this processor
 * can run, plain C too, against sums in double; one token, tiles of many, and what is left of
 * both; shared among threads.
 */
#include "bench/cpu_gemm_rows.c"
#include "bench/cpu_rows_k.c"

#include "unit.h"

enum { M = 48, K_MOST = 512, N_MOST = 17 };

struct matrices {
    struct op *op;
    int k;
    char *w, *packed;
    float *x, *y;
};

static void fill(struct matrices *a, const struct row_type *t, const struct kernels *kernels, int n)
{
    int k = t->columns == SUPER ? K_MOST : 96;
    struct gemm_shape shape = {t->type, M, n, k};
    struct gemm_made made = {.op = NULL};
    struct refusal why;

    assert_true(gemm_rows.make(&shape, &made, &why));
    a->op = made.op;
    a->op->kernels = *kernels;
    a->k = k;
    a->w = gp_calloc((size_t)(M * k), number_size(t->w));
    a->packed = gp_calloc(1, made.packed);
    a->x = gp_calloc((size_t)(n * k), sizeof(float));
    a->y = gp_calloc((size_t)n * M, sizeof(float));
    number_fill(t->w, a->w, (size_t)(M * k), 7);
    number_fill(NUMBER_F32, a->x, (size_t)(n * k), 11);
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

            for (int k = 0; k < a.k; k++) {
                double one =
                    number_get(t->w, a.w, (size_t)(m * a.k + k)) * (double)a.x[c * a.k + k];

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
        for (int k = 0; k < KERNELS && row_types[i].kernels[k].isa; k++)
            ran += every_count(&row_types[i], &row_types[i].kernels[k]);
    assert_true(ran >= 30); /* plain C of six formats is anywhere */
    gemm_rows.threads(1);
    compare(&row_types[0], best_kernels(&row_types[0]), 6);
}

/* ---- scales of K-quants, which whole numbers leave at 1 ---- */

/* Any bytes are a block, but for halves that are no small numbers. */
static void *random_blocks(size_t bytes)
{
    uint8_t *at = gp_malloc(bytes);

    number_fill(NUMBER_U8, at, bytes, 23);
    return at;
}

static void random_halves(uint16_t *half, int count, uint64_t seed)
{
    number_fill(NUMBER_F16, half, (size_t)count, seed);
}

/* Weight i of row r, as llama.cpp's ggml-quants.c dequantizes a block of one row. */
static double q4k_value(const struct q4k_block *a, int r, int i)
{
    struct sizes s = sizes_of(a->sizes[i / 32]);
    int both = a->q[i / 64 * 256 + i % 32 / 8 * 64 + r * 8 + i % 8];
    int q = i % 64 < 32 ? both & 15 : both >> 4;

    return (double)from_half(a->scale[r]) * s.size[r] * q -
           (double)from_half(a->least[r]) * s.low[r];
}

static double q6k_value(const struct q6k_block *a, int r, int i)
{
    static const int shift[] = {0, 0, 4, 4};
    int quarter = i / 32 % 4, half = i / 128;
    int low = a->low[half * 64 + quarter % 2 * 32 + i % 32] >> shift[quarter] & 15;
    int q = low | (a->high[half * 32 + i % 32] >> 2 * quarter & 3) << 4;

    (void)r;
    return (double)from_half(a->scale) * a->size[i / 16] * (q - 32);
}

/* Every kernel on blocks whose sizes and lows differ, tokens by its own number. */
static void every_scale(tile_kernel *run, int rows, int tokens, const void *w, size_t block,
                        double (*value)(const void *w, int block, int row, int i))
{
    enum { BLOCKS = 2 };
    float *x = gp_calloc((size_t)tokens * BLOCKS * SUPER, sizeof(float));
    struct x_super *b = gp_calloc((size_t)tokens * BLOCKS, sizeof *b);
    float y[8 * 8] = {0};

    number_fill(NUMBER_F32, x, (size_t)tokens * BLOCKS * SUPER, 5);
    x_super_all(x, b, tokens * BLOCKS);
    run(w, block * BLOCKS, (const char *)b, BLOCKS * sizeof *b, BLOCKS * SUPER, y, rows);
    for (int t = 0; t < tokens; t++)
        for (int r = 0; r < rows; r++) {
            double sum = 0, size = 0;

            for (int i = 0; i < BLOCKS * SUPER; i++) {
                const struct x_super *at = &b[t * BLOCKS + i / SUPER];
                double one =
                    value(w, i / SUPER, r, i % SUPER) * (double)at->scale * at->q[i % SUPER];
                sum += one;
                size += fabs(one);
            }
            assert_near((double)y[t * rows + r], sum, size * 0x1p-18); /* x as it was rounded */
        }
    free(x);
    free(b);
}

static double q4k_of(const void *w, int block, int row, int i)
{
    return q4k_value((const struct q4k_block *)w + block, row, i);
}

static double q6k_of(const void *w, int block, int row, int i)
{
    return q6k_value((const struct q6k_block *)w + block, row, i);
}

static void k_scales(void **state)
{
    struct q4k_block *four = random_blocks(2 * sizeof *four);
    struct q6k_block *six = random_blocks(2 * sizeof *six);

    (void)state;
    for (int i = 0; i < 2; i++) {
        random_halves(four[i].scale, Q4_ROWS, 1);
        random_halves(four[i].least, Q4_ROWS, 2);
        random_halves(&six[i].scale, 1, 3);
    }
    every_scale(q4k_plain, Q4_ROWS, 1, four, sizeof *four, q4k_of);
    every_scale(q6k_plain, 1, 1, six, sizeof *six, q6k_of);
#if defined(__x86_64__)
    if (has_avx2()) {
        every_scale(q4k_avx2_1, Q4_ROWS, 1, four, sizeof *four, q4k_of);
        every_scale(q4k_avx2_4, Q4_ROWS, 4, four, sizeof *four, q4k_of);
        every_scale(q6k_avx2, 1, 1, six, sizeof *six, q6k_of);
    }
    if (has_avx512()) {
        every_scale(q4k_avx512_4, Q4_ROWS, 4, four, sizeof *four, q4k_of);
        every_scale(q4k_avx512_8, Q4_ROWS, 8, four, sizeof *four, q4k_of);
    }
#endif
    free(four);
    free(six);
}

static void k_sizes(void **state)
{
    struct sizes a, b;
    uint8_t packed[12];

    (void)state;
    for (int seed = 0; seed < 64; seed++) {
        for (int r = 0; r < Q4_ROWS; r++) {
            a.size[r] = (uint8_t)((seed + 7 * r) & 63);
            a.low[r] = (uint8_t)((63 - seed + 11 * r) & 63);
        }
        sizes_put(&a, packed);
        b = sizes_of(packed);
        assert_memory_equal(&a, &b, sizeof a);
    }
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
        {TYPE_GGML_Q4_0, 12, 1, 64}, {TYPE_GGML_Q4_K, 16, 1, 128}, {TYPE_GGML_Q6_K, 12, 1, 256},
        {TYPE_GGML_Q8_0, 16, 1, 48}, {TYPE_GGML_F16, 16, 1, 40},   {TYPE_GGML_BF16, 16, 1, 48}};
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
        cmocka_unit_test(every_kernel), cmocka_unit_test(k_scales), cmocka_unit_test(k_sizes),
        cmocka_unit_test(halves),       cmocka_unit_test(blocks),   cmocka_unit_test(odd_shapes),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
