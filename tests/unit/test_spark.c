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
    struct rect in = {0, 1, 1, cols};

    canvas_init(&canvas, charset);
    canvas_clear(&canvas, 1, 10);
    strbuf_init(&out);
    spark_draw(&canvas, in, INK_SERIES1, spark, 0, 7);
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

/* A bar goes through as many rows as there are: 5 of 0..7 is full below, 1.5 of 3.5 above. */
static void test_tall(void **state)
{
    static const double values[] = {0, 1, 3.5, 5, 7};
    struct spark spark = {0};
    struct canvas canvas;
    struct strbuf out;

    (void)state;
    for (int i = 0; i < 5; i++)
        spark_add(&spark, values[i]);
    canvas_init(&canvas, CHARSET_BLOCK);
    canvas_clear(&canvas, 2, 6);
    strbuf_init(&out);
    spark_draw(&canvas, (struct rect){0, 0, 2, 5}, INK_SERIES1, &spark, 0, 7);
    canvas_dump(&canvas, &out);
    assert_string_equal(out.text, "   ▄█\n▁▃███\n");
    strbuf_fini(&out);
    canvas_fini(&canvas);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_ring),
        cmocka_unit_test(test_height),
        cmocka_unit_test(test_draw),
        cmocka_unit_test(test_tall),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
