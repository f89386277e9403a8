/* test_quantity.c - bands add at their ends, and the weakest origin wins. */
#include "base/quantity.h"

#include "unit.h"

static void expect(struct quantity got, double value, double low, double high, enum origin origin)
{
    assert_true(got.known);
    assert_near(got.value, value, 1e-12);
    assert_near(got.low, low, 1e-12);
    assert_near(got.high, high, 1e-12);
    assert_int_equal(got.origin, origin);
}

static void test_makers(void **state)
{
    (void)state;
    expect(quantity_exact(3), 3, 3, 3, ORIGIN_EXACT);
    expect(quantity_of(3, ORIGIN_SHEET), 3, 3, 3, ORIGIN_SHEET);
    expect(quantity_band(2, 1, 4, ORIGIN_MODEL), 2, 1, 4, ORIGIN_MODEL);
    expect(quantity_band(5, 1, 4, ORIGIN_MODEL), 5, 1, 5, ORIGIN_MODEL);
    assert_false(quantity_unknown().known);
}

static void test_header_example(void **state)
{
    struct quantity graphs = quantity_band(1.04, 0.51, 1.85, ORIGIN_MODEL);
    struct quantity used = quantity_add(graphs, quantity_exact(65.71));

    (void)state;
    expect(used, 66.75, 66.22, 67.56, ORIGIN_MODEL);
    expect(quantity_sub(quantity_of(79.19, ORIGIN_SHEET), used), 12.44, 11.63, 12.97, ORIGIN_MODEL);
}

static void test_unknown_spreads(void **state)
{
    (void)state;
    assert_false(quantity_add(quantity_exact(1), quantity_unknown()).known);
    assert_false(quantity_sub(quantity_unknown(), quantity_exact(1)).known);
    assert_false(quantity_scale(quantity_unknown(), 2).known);
    assert_false(quantity_max0(quantity_unknown()).known);
}

static void test_scale_and_floor(void **state)
{
    (void)state;
    expect(quantity_scale(quantity_band(2, 1, 4, ORIGIN_SHEET), 8), 16, 8, 32, ORIGIN_SHEET);
    expect(quantity_max0(quantity_band(-1, -3, 2, ORIGIN_MODEL)), 0, 0, 2, ORIGIN_MODEL);
}

static void test_origins_in_order(void **state)
{
    (void)state;
    for (enum origin a = ORIGIN_EXACT; a <= ORIGIN_ASSUMED; a++)
        for (enum origin b = ORIGIN_EXACT; b <= ORIGIN_ASSUMED; b++)
            assert_int_equal(quantity_add(quantity_of(1, a), quantity_of(1, b)).origin,
                             a > b ? a : b);
    assert_string_equal(origin_word(ORIGIN_EXACT), "exact");
    assert_string_equal(origin_word(ORIGIN_MEASURED), "measured");
    assert_string_equal(origin_word(ORIGIN_SHEET), "sheet");
    assert_string_equal(origin_word(ORIGIN_MODEL), "model");
    assert_string_equal(origin_word(ORIGIN_ASSUMED), "assumed");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_makers),           cmocka_unit_test(test_header_example),
        cmocka_unit_test(test_unknown_spreads),  cmocka_unit_test(test_scale_and_floor),
        cmocka_unit_test(test_origins_in_order),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
