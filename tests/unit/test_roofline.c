/*
 * test_roofline.c - the worked numbers of roofline.h, and what bounds nothing.
 */
#include "unit.h"

#include "plan/roofline.h"

static struct gpu h100(void)
{
    struct gpu gpu;

    memset(&gpu, 0, sizeof gpu);
    gpu.bandwidth = quantity_of(3.35e12, ORIGIN_SHEET);
    gpu.rate[MATH_BF16] = quantity_of(989.4e12, ORIGIN_SHEET);
    gpu.rate[MATH_FP16] = quantity_of(100e12, ORIGIN_SHEET);
    gpu.rate_fp16acc = quantity_of(200e12, ORIGIN_SHEET);
    gpu.pcie_gen = 5;
    gpu.pcie_lanes = 16;
    return gpu;
}

static void one_token_is_memory(void **state)
{
    struct gpu gpu = h100();
    struct roof roof = roof_of_gpu(&gpu, MATH_BF16, false);
    double m = 28672, k = 4096, bytes = 2 * (m * k + k + m);
    struct roofline line = roofline_work(&roof, 2 * m * k, bytes);

    (void)state;
    assert_int_equal(line.bound, ROOF_MEMORY);
    assert_near(line.time.value, bytes / 3.35e12, 0);
    assert_near(line.time.value, 70.1e-6, 0.1e-6);
    assert_int_equal(line.time.origin, ORIGIN_SHEET);
}

static void a_square_is_arithmetic(void **state)
{
    struct gpu gpu = h100();
    struct roof roof = roof_of_gpu(&gpu, MATH_BF16, false);
    double n = 8192;
    struct roofline line = roofline_work(&roof, 2 * n * n * n, 6 * n * n);

    (void)state;
    assert_int_equal(line.bound, ROOF_ARITHMETIC);
    assert_near(line.time.value, 2 * n * n * n / 989.4e12, 0);
}

static void fp16_accumulation_has_its_own_rate(void **state)
{
    struct gpu gpu = h100();

    (void)state;
    assert_near(roof_of_gpu(&gpu, MATH_FP16, true).rate.value, 200e12, 0);
    assert_near(roof_of_gpu(&gpu, MATH_FP16, false).rate.value, 100e12, 0);
    gpu.rate_fp16acc = quantity_unknown();
    assert_near(roof_of_gpu(&gpu, MATH_FP16, true).rate.value, 100e12, 0);
}

static void what_is_unknown_bounds_nothing(void **state)
{
    struct roof roof = {quantity_unknown(), quantity_unknown()};
    struct roofline line = roofline_work(&roof, 1e9, 1e9);

    (void)state;
    assert_false(line.time.known);
    assert_int_equal(line.bound, ROOF_NONE);
    roof.rate = quantity_of(0, ORIGIN_SHEET); /* no such mode */
    roof.bandwidth = quantity_of(1e9, ORIGIN_MEASURED);
    line = roofline_work(&roof, 1e9, 2e9);
    assert_int_equal(line.bound, ROOF_MEMORY);
    assert_near(line.time.value, 2, 0);
    assert_int_equal(line.time.origin, ORIGIN_MEASURED);
}

static void links(void **state)
{
    struct gpu gpu = h100();
    struct roofline line = roofline_link(&gpu, 63.015e9);

    (void)state;
    assert_near(roofline_pcie(5, 16), 63.015e9, 1e6);
    assert_near(roofline_pcie(4, 16), 31.508e9, 1e6);
    assert_near(roofline_pcie(3, 16), 15.754e9, 1e6);
    assert_near(roofline_pcie(2, 16), 8e9, 0);
    assert_near(roofline_pcie(9, 16), 0, 0);
    assert_near(roofline_pcie(4, 0), 0, 0);
    assert_int_equal(line.bound, ROOF_LINK);
    assert_near(line.time.value, 1, 1e-4);
    gpu.pcie_gen = 0;
    assert_false(roofline_link(&gpu, 1e9).time.known);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_token_is_memory),
        cmocka_unit_test(a_square_is_arithmetic),
        cmocka_unit_test(fp16_accumulation_has_its_own_rate),
        cmocka_unit_test(what_is_unknown_bounds_nothing),
        cmocka_unit_test(links),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
