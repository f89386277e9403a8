/*
 * test_spark.c - the last minute of a figure: the ring, heights, and what is drawn.
 */
#include "tui/toolkit/plot_draw.h"

#include <math.h>

#include "unit.h"

static void test_ring(void **state)
{
    struct spark spark = {0};

    (void)state;
    assert_true(isnan(spark_value(&spark, 0)));
    assert_true(isnan(spark_most(&spark)));
    for (int i = 1; i <= SPARK_SECONDS + 5; i++)
        spark_add(&spark, i);
    assert_int_equal(spark.count, SPARK_SECONDS);
    assert_near(spark_value(&spark, 0), SPARK_SECONDS + 5, 0);
    assert_near(spark_value(&spark, SPARK_SECONDS - 1), 6, 0);
    assert_true(isnan(spark_value(&spark, SPARK_SECONDS)));
    assert_true(isnan(spark_value(&spark, -1)));
    spark_add(&spark, NAN);
    assert_true(isnan(spark_value(&spark, 0)));
    assert_near(spark_most(&spark), SPARK_SECONDS + 5, 0);
}

static void test_height(void **state)
{
    (void)state;
    assert_int_equal(spark_height(0, 0, 700), 0);
    assert_int_equal(spark_height(350, 0, 700), 4);
    assert_int_equal(spark_height(700, 0, 700), 7);
    assert_int_equal(spark_height(900, 0, 700), 7); /* over the end */
    assert_int_equal(spark_height(-5, 0, 700), 0);
    assert_int_equal(spark_height(NAN, 0, 700), -1);
    assert_int_equal(spark_height(1, 0, NAN), -1);
    assert_int_equal(spark_height(1, 0, 0), -1);
}

static void expect(const struct spark *spark, enum charset charset, int cols, const char *wanted)
{
    struct canvas canvas;
    struct strbuf out;
    struct rect in = {0, 0, 1, 8};

    canvas_init(&canvas, charset);
    canvas_clear(&canvas, 1, 10);
    strbuf_init(&out);
    spark_draw(&canvas, in, 0, 1, cols, INK_SERIES1, spark, 0, 7);
    canvas_dump(&canvas, &out);
    out.text[strcspn(out.text, "\n")] = '\0';
    assert_string_equal(out.text, wanted);
    strbuf_fini(&out);
    canvas_fini(&canvas);
}

static void test_draw(void **state)
{
    static const double values[] = {1, 2, 3, NAN, 5, 7};
    struct spark spark = {0};

    (void)state;
    for (int i = 0; i < 6; i++)
        spark_add(&spark, values[i]);
    expect(&spark, CHARSET_BLOCK, 7, "  ▂▃▄ ▆█"); /* the newest at the right */
    expect(&spark, CHARSET_BLOCK, 4, " ▄ ▆█");    /* the oldest have no room */
    expect(&spark, CHARSET_ASCII, 7, "  _.- +#");
    expect(&spark, CHARSET_BLOCK, 20, ""); /* clipped: that is outside */
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_height),
        cmocka_unit_test(test_draw),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
