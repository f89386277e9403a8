/* test_cuda_types.c - the support table: every type on every generation and library. */
#include "bench/cuda_types.h"
#include "unit.h"

/* The oldest library that has the type there; 0 = never. From NVIDIA's documents. */
static const int ccs[] = {61, 70, 75, 80, 86, 89, 90, 100, 103, 110, 120, 121};
enum { CCS = sizeof ccs / sizeof ccs[0] };
static const size_t first[TYPE_COUNT][CCS] = {
    [TYPE_FP32] = {110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000,
                   110000, 110000},
    [TYPE_FP32_PEDANTIC] = {110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000,
                            110000, 110000, 110000},
    [TYPE_TF32] = {0, 0, 0, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000},
    [TYPE_FP16] = {110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000,
                   110000, 110000},
    [TYPE_FP16ACC] = {110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000,
                      110000, 110000, 110000},
    [TYPE_BF16] = {0, 0, 0, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000},
    [TYPE_INT8] = {0, 0, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000, 110000,
                   110000},
    [TYPE_FP8] = {0, 0, 0, 0, 0, 120103, 111103, 120800, 120800, 130000, 120800, 120800},
    [TYPE_FP8_ROW] = {0, 0, 0, 0, 0, 0, 120900, 0, 0, 0, 0, 0},
    [TYPE_FP8_BLOCK] = {0, 0, 0, 0, 0, 0, 120900, 0, 0, 0, 0, 0},
    [TYPE_MXFP8] = {0, 0, 0, 0, 0, 0, 0, 120800, 120800, 130000, 120800, 120800},
    [TYPE_NVFP4] = {0, 0, 0, 0, 0, 0, 0, 120800, 120800, 130000, 120800, 120800},
};

static void every_type_everywhere(void **state)
{
    const size_t libraries[] = {110000, 111103, 120001, 120103, 120405,
                                120800, 120904, 130000, 130100};
    (void)state;
    for (int t = 0; t < TYPE_COUNT; t++)
        for (int c = 0; c < CCS; c++)
            for (size_t l = 0; l < sizeof libraries / sizeof libraries[0]; l++) {
                char why[200] = "";
                size_t lt = libraries[l], from = first[t][c];
                const struct cuda_type *row = cuda_type_find((enum bench_type)t);
                bool want = from && lt >= from && row && row->compiled;

                assert_int_equal(
                    cuda_type_supported((enum bench_type)t, ccs[c], lt, why, sizeof why), want);
                assert_true(want == (why[0] == '\0'));
            }
}

static void says_what_it_takes(void **state)
{
    char why[200];

    (void)state;
    assert_false(cuda_type_supported(TYPE_FP8, 86, 130100, why, sizeof why));
    assert_string_equal(why, "fp8 needs compute capability 8.9, the GPU has 8.6");
    assert_false(cuda_type_supported(TYPE_FP8, 89, 120002, why, sizeof why));
    assert_string_equal(why, "fp8 on compute capability 8.9 needs cuBLASLt 12.1.3, this "
                             "is 12.0.2");
    assert_false(cuda_type_supported(TYPE_FP8_ROW, 89, 130100, why, sizeof why));
    assert_string_equal(why, "fp8-row needs compute capability 9.0, the GPU has 8.9");
    assert_false(cuda_type_supported(TYPE_FP8_BLOCK, 103, 130100, why, sizeof why));
    assert_string_equal(why, "cuBLASLt multiplies fp8-block on compute capability 9.x alone, the "
                             "GPU has 10.3");
    assert_false(cuda_type_supported(TYPE_FP8_BLOCK, 90, 120804, why, sizeof why));
    assert_string_equal(why, "fp8-block on compute capability 9.0 needs cuBLASLt 12.9.0, this is "
                             "12.8.4");
    assert_false(cuda_type_supported(TYPE_BF16, 75, 120103, why, sizeof why));
    assert_string_equal(why, "bf16 needs compute capability 8.0, the GPU has 7.5");
}

static void old_gpus(void **state)
{
    char why[200];

    (void)state;
    assert_true(cuda_library_supports(61, 120904, why, sizeof why));
    assert_true(cuda_library_supports(75, 130100, why, sizeof why));
    assert_false(cuda_library_supports(70, 130100, why, sizeof why));
    assert_non_null(strstr(why, "7.0"));
    assert_non_null(strstr(why, "needs 7.5"));
    assert_false(cuda_library_supports(37, 120103, why, sizeof why));
    assert_true(cuda_library_supports(37, 111103, why, sizeof why));
}

static void shapes(void **state)
{
    char why[200];
    const struct cuda_type *int8 = cuda_type_find(TYPE_INT8);
    const struct cuda_type *fp4 = cuda_type_find(TYPE_NVFP4);

    (void)state;
    assert_true(cuda_type_shape(int8, 4096, 4096, why, sizeof why));
    assert_false(cuda_type_shape(int8, 4095, 4096, why, sizeof why));
    assert_false(cuda_type_shape(int8, 4096, 4098, why, sizeof why));
    assert_int_equal(int8->n_multiple, 4);
    assert_false(cuda_type_shape(fp4, 4096, 16, why, sizeof why));
    assert_true(cuda_type_shape(fp4, 4096, 32, why, sizeof why));
    assert_true(cuda_type_shape(cuda_type_find(TYPE_FP32), 7, 13, why, sizeof why));
}

static void sizes(void **state)
{
    (void)state;
    assert_int_equal(number_bytes(NUMBER_E2M1, 33), 17);
    assert_int_equal(number_bytes(NUMBER_BF16, 33), 66);
    assert_int_equal(cuda_scale_bytes(SCALE_NONE, 128, 64), 0);
    /* one tile of 512 bytes covers 128 x 64 (16 each) or 128 x 128 (32 each) */
    assert_int_equal(cuda_scale_bytes(SCALE_VEC16_UE4M3, 128, 64), 512);
    assert_int_equal(cuda_scale_bytes(SCALE_VEC32_UE8M0, 128, 128), 512);
    assert_int_equal(cuda_scale_bytes(SCALE_VEC16_UE4M3, 129, 65), 2048);
    assert_int_equal(cuda_scale_bytes(SCALE_OUTER_32F, 129, 640), 4 * 129);
    assert_int_equal(cuda_scale_bytes(SCALE_VEC128_32F, 132, 640), 4 * 132 * 5);
    assert_int_equal(cuda_scale_bytes(SCALE_VEC128_32F, 132, 641), 4 * 132 * 6);
    /* 5 along k are padded to 8; 129 rows are two of blocks */
    assert_int_equal(cuda_scale_bytes(SCALE_BLK128_32F, 129, 640), 4 * 8 * 2);
}

/* Of FP32, as the documentation words it: M-major M x L; K-major L4 x ceil(M / 128). */
static void scales_of_floats(void **state)
{
    float data[200 * 5];

    (void)state;
    for (int i = 0; i < 200 * 5; i++)
        data[i] = (float)i;
    for (int64_t row = 0; row < 200; row++)
        for (int64_t l = 0; l < 5; l++) {
            const uint8_t *bytes = (const uint8_t *)data;

            assert_true(cuda_scale_get(SCALE_VEC128_32F, bytes, 200, row, l, 640) ==
                        (double)(l * 200 + row));
            assert_true(cuda_scale_get(SCALE_BLK128_32F, bytes, 200, row, l, 640) ==
                        (double)(row / 128 * 8 + l));
            assert_true(cuda_scale_get(SCALE_OUTER_32F, bytes, 200, row, 0, 640) == (double)row);
        }
    assert_int_equal(cuda_scale_block(SCALE_OUTER_32F, 640), 640);
    assert_int_equal(cuda_scale_block(SCALE_BLK128_32F, 640), 128);
    assert_int_equal(cuda_scale_block(SCALE_NONE, 640), 0);
}

/* Every scale has a byte of its own inside the allocation. */
static void scale_layout(void **state)
{
    unsigned char seen[4096] = {0};
    size_t bytes = cuda_scale_bytes(SCALE_VEC16_UE4M3, 200, 160);

    (void)state;
    assert_int_equal(bytes, 12 * 256);
    for (int64_t row = 0; row < 200; row++)
        for (int64_t i = 0; i < 10; i++) {
            size_t at = cuda_scale_offset(row, i, 10);

            assert_true(at < bytes);
            assert_int_equal(seen[at]++, 0);
        }
    assert_int_equal(cuda_scale_offset(0, 1, 8), 1);
    assert_int_equal(cuda_scale_offset(1, 0, 8), 16);
    assert_int_equal(cuda_scale_offset(32, 0, 8), 4);
    assert_int_equal(cuda_scale_offset(0, 4, 8), 512);
    assert_int_equal(cuda_scale_offset(128, 0, 8), 1024);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_type_everywhere),
        cmocka_unit_test(says_what_it_takes),
        cmocka_unit_test(old_gpus),
        cmocka_unit_test(shapes),
        cmocka_unit_test(sizes),
        cmocka_unit_test(scales_of_floats),
        cmocka_unit_test(scale_layout),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
