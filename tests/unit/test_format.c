/* test_format.c - bytes of tensors in formats with and without scales. */
#include "model/format.h"

#include "unit.h"

static void test_plain(void **state)
{
    struct format bf16 = {.bits = 16};

    (void)state;
    assert_near(format_bytes(&bf16, 4096, 4096), 33554432, 0);
    assert_near(format_bytes(&bf16, 1, 4096), 8192, 0);
    assert_near(format_bytes(&bf16, 0, 4096), 0, 0);
}

static void test_group_scales(void **state)
{
    struct format awq = {.bits = 4, .group_cols = 128, .group_rows = 1, .group_bytes = 2.5};
    struct format gptq = {
        .bits = 4, .group_cols = 128, .group_rows = 1, .group_bytes = 2.5, .input_bytes = 4};

    (void)state;
    /* AWQ INT4 g128: 4.15625 bits per weight. */
    assert_near(format_bytes(&awq, 4096, 4096), 8716288, 0);
    assert_near(format_bytes(&awq, 4096, 4096) * 8 / (4096.0 * 4096), 4.15625, 1e-12);
    /* A ragged last group has a whole scale. */
    assert_near(format_bytes(&awq, 4, 130), 4 * 130 / 2.0 + 4 * 2 * 2.5, 0);
    assert_near(format_bytes(&gptq, 4096, 4096), 8716288 + 4096 * 4, 0);
}

static void test_block_row_and_tensor_scales(void **state)
{
    struct format block = {.bits = 8, .group_cols = 128, .group_rows = 128, .group_bytes = 4};
    struct format channel = {.bits = 8, .group_rows = 1, .group_bytes = 4};
    struct format tensor = {.bits = 8, .tensor_bytes = 4};

    (void)state;
    assert_near(format_bytes(&block, 1536, 7168), 1536.0 * 7168 + 12 * 56 * 4, 0);
    assert_near(format_bytes(&block, 576, 7168), 576.0 * 7168 + 5 * 56 * 4, 0);
    assert_near(format_bytes(&channel, 1024, 4096), 1024.0 * 4096 + 1024 * 4, 0);
    assert_near(format_bytes(&tensor, 1024, 4096), 1024.0 * 4096 + 4, 0);
}

static void test_gguf_blocks_fall_back(void **state)
{
    struct format q4_k = {.bits = 4.5, .block = 256, .fallback_bits = 16};
    struct format no_fallback = {.bits = 4.5, .block = 256};

    (void)state;
    assert_near(format_bytes(&q4_k, 4096, 4096), 4096.0 * 16 * 144, 0);
    assert_near(format_bytes(&q4_k, 1024, 100), 204800, 0);
    assert_near(format_bytes(&no_fallback, 1024, 100), 57600, 0);
}

static void test_mix_bits_between_sizes(void **state)
{
    struct format mix = {.bits = 4.5, .mix = true, .core_bits_8b = 4.6, .core_bits_70b = 4.4};
    struct format half = {.bits = 4.5, .mix = true, .core_bits_8b = 4.6};
    double middle = sqrt(8030261248.0 * 70553706496.0);

    (void)state;
    assert_near(format_core_bits(&mix, 1e9), 4.6, 0);
    assert_near(format_core_bits(&mix, 8030261248.0), 4.6, 0);
    assert_near(format_core_bits(&mix, middle), 4.5, 1e-12);
    assert_near(format_core_bits(&mix, 70553706496.0), 4.4, 0);
    assert_near(format_core_bits(&mix, 1e12), 4.4, 0);
    assert_near(format_core_bits(&half, 1e12), 4.6, 0);
    assert_near(format_core_bits(&(struct format){.bits = 4.5}, 1e10), 4.5, 0);
}

static void test_words(void **state)
{
    static const char *const words[MATH_COUNT] = {"fp32", "tf32", "fp16", "bf16",
                                                  "fp8",  "int8", "int4", "fp4"};

    (void)state;
    for (int i = 0; i < MATH_COUNT; i++)
        assert_string_equal(format_math_word((enum format_math)i), words[i]);
    assert_string_equal(format_math_word(MATH_COUNT), "?");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_plain),
        cmocka_unit_test(test_group_scales),
        cmocka_unit_test(test_block_row_and_tensor_scales),
        cmocka_unit_test(test_gguf_blocks_fall_back),
        cmocka_unit_test(test_mix_bits_between_sizes),
        cmocka_unit_test(test_words),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
