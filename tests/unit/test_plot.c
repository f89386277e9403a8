/*
 * test_plot.c - plots as pictures, and what must not break them.
 */
#include "unit.h"

#include "tui/toolkit/plot_draw.h"

/* A rectangle of cells as text. */
static char *picture(const struct plot *plot, int rows, int cols, enum charset charset,
                     double cursor)
{
    static struct strbuf out;
    struct canvas canvas;

    canvas_init(&canvas, charset);
    canvas_clear(&canvas, rows, cols);
    plot_draw(&canvas, canvas_rect(&canvas), plot, cursor);
    strbuf_fini(&out);
    strbuf_init(&out);
    canvas_dump(&canvas, &out);
    canvas_fini(&canvas);
    return out.text;
}

static struct plot roof(void)
{
    struct plot plot;
    struct plot_series *line, *point;

    plot_init(&plot);
    plot.x = (struct plot_axis){
        .low = 1, .high = 256, .log = true, .base = 2, .title = "FLOP per byte", .unit = ""};
    plot.y = (struct plot_axis){
        .low = 1, .high = 64, .log = true, .base = 2, .title = "TFLOP/s", .unit = "TFLOP/s"};
    line = plot_add(&plot, "roof", PLOT_TEXT, 0);
    line->label = 'a';
    plot_point(line, 1, 1);
    plot_point(line, 32, 32);
    plot_point(line, 256, 32);
    point = plot_add(&plot, "decode", PLOT_1, '1');
    plot_point(point, 2, 2);
    plot_point(point, 128, 8);
    plot.legend = 1;
    return plot;
}

static void a_roofline_in_ascii(void **state)
{
    struct plot plot = roof();

    (void)state;
    assert_string_equal(picture(&plot, 13, 40, CHARSET_ASCII, NAN),
                        "64|\n"
                        "  |                      /-------------a\n"
                        "  |                   ///\n"
                        "16|                ///\n"
                        "  |            ////                1\n"
                        " 4|         ///\n"
                        "  |      ///\n"
                        "  |  ///1\n"
                        " 1|//\n"
                        "  +-------------------------------------\n"
                        "   1             8           64\n"
                        "   FLOP per byte\n"
                        "a roof   1 decode\n");
    plot_fini(&plot);
}

/* clang-format off */
static void the_same_in_blocks_and_braille(void **state)
{
    struct plot plot = roof();

    (void)state;
    plot.legend = 0;
    assert_string_equal(picture(&plot, 7, 24, CHARSET_BLOCK, NAN),
                        "  │\n"
                        "16│          ▄▄▀▀▀▀▀▀▀▀a\n"
                        "  │      ▄▄▀▀        1\n"
                        "  │  ▄1▀▀\n"
                        " 1│▀▀\n"
                        "  └─────────────────────\n"
                        "   1       8     64\n");
    assert_string_equal(picture(&plot, 7, 24, CHARSET_BRAILLE, 64),
                        "  │               │\n"
                        "16│          ⣀⠤⠊⠉⠉⠉⠉⠉⠉⠉a\n"
                        "  │      ⣀⠤⠒⠉     │  1\n"
                        "  │  ⢀1⠔⠉         │\n"
                        " 1│⠐⠊⠁            │\n"
                        "  └─────────────────────\n"
                        "   1       8     64\n");
    plot_fini(&plot);
}
/* clang-format on */

/* NAN leaves a gap; a line of one point is a dot. */
static void gaps_and_single_points(void **state)
{
    struct plot plot;
    struct plot_series *line;

    (void)state;
    plot_init(&plot);
    plot.x = (struct plot_axis){.low = 0, .high = 10};
    plot.y = (struct plot_axis){.low = 0, .high = 2};
    line = plot_add(&plot, "gap", PLOT_TEXT, 0);
    plot_point(line, 0, 1);
    plot_point(line, 3, 1);
    plot_point(line, 5, NAN);
    plot_point(line, 7, 1);
    plot_point(line, 8, NAN);
    plot_point(line, 10, 1);
    assert_string_equal(picture(&plot, 3, 11, CHARSET_ASCII, NAN), "\n----   |  |\n\n");
    assert_near(plot_read(&plot, line, 1.5), 1, 0);
    assert_true(isnan(plot_read(&plot, line, 4)));
    assert_true(isnan(plot_read(&plot, line, 11)));
    plot_fini(&plot);
}

/* A roof is read exactly, on the slope and on the flat. */
static void values_are_read_on_the_axes_as_drawn(void **state)
{
    struct plot plot = roof();

    (void)state;
    assert_near(plot_read(&plot, &plot.series[0], 1), 1, 0);
    assert_near(plot_read(&plot, &plot.series[0], 10), 10, 1e-12);
    assert_near(plot_read(&plot, &plot.series[0], 100), 32, 1e-12);
    assert_near(plot_move(&plot, 9, 1, 3), 8, 1e-12);
    assert_near(plot_move(&plot, 9, 1, -3), 1, 0);
    assert_near(plot_move(&plot, 9, 128, 100), 256, 0);
    plot_fini(&plot);
}

static void ticks(void **state)
{
    struct plot_axis linear = {.low = 0, .high = 79 * 1073741824.0, .bytes = true};
    struct plot_axis tokens = {.low = 256, .high = 131072, .log = true, .base = 2};
    struct plot_axis small = {.low = 0, .high = 0.7};
    double at[PLOT_TICKS];
    char text[32];

    (void)state;
    assert_int_equal(plot_ticks(&linear, 5, at), 4);
    assert_string_equal(plot_tick_text(&linear, at[3], text, sizeof text), "60");
    assert_string_equal(plot_unit(&linear), "GiB");
    assert_int_equal(plot_ticks(&tokens, 10, at), 10);
    assert_string_equal(plot_tick_text(&tokens, at[9], text, sizeof text), "128k");
    assert_string_equal(plot_tick_text(&tokens, at[0], text, sizeof text), "256");
    assert_int_equal(plot_ticks(&small, 8, at), 8);
    assert_string_equal(plot_tick_text(&small, at[7], text, sizeof text), "0.7");
}

/* Hours of a week are days first. */
static void ticks_of_hours(void **state)
{
    struct plot_axis day = {.high = 23, .hours = 24}, week = {.high = 167, .hours = 168};
    double at[PLOT_TICKS];
    char text[32];

    (void)state;
    assert_int_equal(plot_ticks(&day, 5, at), 4);
    assert_string_equal(plot_tick_text(&day, at[1], text, sizeof(text)), "06:00");
    assert_int_equal(plot_ticks(&week, 10, at), 7);
    assert_string_equal(plot_tick_text(&week, at[6], text, sizeof(text)), "Sun 00:00");
    assert_int_equal(plot_ticks(&week, 15, at), 14);
    assert_string_equal(plot_tick_text(&week, at[3], text, sizeof(text)), "Tue 12:00");
    for (int most = 1; most < PLOT_TICKS; most++)
        assert_in_range(plot_ticks(&week, most, at), 1, most < 4 ? 4 : most);
}

/* Whatever the ends of the axes are: ticks stay few, places are numbers or NAN, and no
 * cell outside the rectangle is touched (under the address sanitizer). */
static void odd_axes_and_tiny_rectangles(void **state)
{
    static const double ends[][2] = {
        {0, 0},          {1, 1},  {5, -5},        {-1e308, 1e308}, {NAN, NAN},     {0, INFINITY},
        {1e-300, 1e300}, {-3, 0}, {1, 1 + 1e-15}, {1e300, 1e300},  {-INFINITY, 5},
    };
    static const double values[] = {0, 1, -1, 1e300, -1e300, 1e-300, NAN, INFINITY};

    (void)state;
    for (size_t e = 0; e < sizeof ends / sizeof *ends; e++)
        for (int how = 0; how < 8; how++) {
            struct plot plot;
            struct plot_axis axis = {.low = ends[e][0],
                                     .high = ends[e][1],
                                     .log = how & 1,
                                     .base = how & 2 ? 2 : 10,
                                     .title = "title",
                                     .unit = "u",
                                     .bytes = (how & 4) != 0};
            struct plot_series *line, *points;

            plot_init(&plot);
            plot.x = plot.y = axis;
            plot.legend = 3;
            line = plot_add(&plot, "line", PLOT_TEXT, 0);
            points = plot_add(&plot, "points", PLOT_TEXT, '1');
            line->label = 'a';
            for (size_t i = 0; i < sizeof values / sizeof *values; i++)
                for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
                    plot_point(line, values[i], values[k]);
                    plot_point(points, values[k], values[i]);
                }
            for (int rows = 1; rows < 12; rows++)
                for (int cols = 1; cols < 40; cols += 3)
                    picture(&plot, rows, cols, (enum charset)(rows % 3), 1);
            plot_read(&plot, line, 0.5);
            plot_move(&plot, 10, 1, 3);
            plot_fini(&plot);
        }
}

static void more_than_there_is_room_for(void **state)
{
    struct plot plot;
    struct plot_series *s;

    (void)state;
    plot_init(&plot);
    for (int i = 0; i < PLOT_SERIES; i++)
        assert_non_null(plot_add(&plot,
                                 "series of a name that is longer than the room "
                                 "that there is for names of series",
                                 PLOT_TEXT, 0));
    assert_null(plot_add(&plot, "one more", PLOT_TEXT, 0));
    s = &plot.series[0];
    for (int i = 0; i < PLOT_POINTS + 10; i++)
        plot_point(s, i, i);
    assert_int_equal(s->count, PLOT_POINTS);
    plot_point(NULL, 1, 1);
    plot_fini(&plot);
}

static void csv_is_exact(void **state)
{
    struct plot plot = roof();
    struct strbuf out;

    (void)state;
    plot_point(&plot.series[1], 1.0 / 3, NAN);
    strbuf_init(&out);
    plot_csv(&plot, &out);
    assert_string_equal(out.text, "series,FLOP per byte,TFLOP/s\n"
                                  "roof,1,1\nroof,32,32\nroof,256,32\n"
                                  "decode,2,2\ndecode,128,8\n"
                                  "decode,0.333333333333,\n");
    strbuf_fini(&out);
    plot_fini(&plot);
}

/* Names come from files. */
static void svg_holds_no_markup_of_names(void **state)
{
    struct plot plot = roof();
    struct strbuf out;

    (void)state;
    snprintf(plot.series[0].name, sizeof plot.series[0].name, "<b>&\x01\xff</b>");
    plot_point(&plot.series[0], NAN, INFINITY);
    strbuf_init(&out);
    plot_svg(&plot, &out);
    assert_non_null(strstr(out.text, "&lt;b&gt;&amp;??&lt;/b&gt;"));
    assert_null(strstr(out.text, "<b>"));
    assert_null(strstr(out.text, "nan"));
    assert_null(strstr(out.text, "inf"));
    assert_non_null(strstr(out.text, "prefers-color-scheme:dark"));
    strbuf_fini(&out);
    plot_fini(&plot);
}

static struct plot band(void)
{
    struct plot plot;
    struct plot_series *s;

    plot_init(&plot);
    plot.x = (struct plot_axis){
        .low = 1, .high = 16, .log = true, .base = 2, .title = "users", .unit = ""};
    plot.y = (struct plot_axis){.high = 10, .base = 10, .title = "ms", .unit = "ms"};
    s = plot_add_shade(&plot, "TPOT", PLOT_1, PLOT_BAND);
    plot_span(s, 1, 2, 6);
    plot_span(s, 4, 2, 6);
    plot_span(s, 16, NAN, NAN);
    s = plot_add(&plot, "TPOT", PLOT_1, 0);
    s->label = 't';
    plot_point(s, 1, 4);
    plot_point(s, 4, 4);
    plot_rule(&plot, true, 4, PLOT_WARN, "%s", "a word that is wider than its place");
    plot_rule(&plot, false, 8, PLOT_WARN, "goal %d", 8);
    plot_rule(&plot, false, 80, PLOT_WARN, "outside");
    return plot;
}

/* A band has its edges, a rule its word; neither leaves the area. */
static void a_band_and_rules(void **state)
{
    struct plot plot = band();
    const char *seen = picture(&plot, 14, 50, CHARSET_ASCII, NAN);

    (void)state;
    assert_int_equal(plot.rules, 2);
    assert_non_null(strstr(seen, "goal 8"));
    assert_non_null(strstr(seen, "a word that is wider"));
    assert_non_null(strstr(seen, ".  .  ."));
    assert_null(strstr(seen, "outside"));
    picture(&plot, 5, 17, CHARSET_BRAILLE, NAN); /* no room for words */
    plot_fini(&plot);
}

static void shades_as_files(void **state)
{
    struct plot plot = band();
    struct strbuf out;

    (void)state;
    strbuf_init(&out);
    plot_csv(&plot, &out);
    assert_non_null(strstr(out.text, "TPOT low,1,2\n"));
    assert_non_null(strstr(out.text, "TPOT high,4,6\n"));
    strbuf_clear(&out);
    gp_copy(plot.title, sizeof(plot.title), "<b a=\"1\">&'");
    plot_svg_part(&plot, 7, 480, 360, &out);
    assert_non_null(strstr(out.text, "&lt;b a=&quot;1&quot;&gt;&amp;&#39;"));
    assert_non_null(strstr(out.text, "url(#in7)"));
    assert_non_null(strstr(out.text, "goal 8"));
    assert_null(strstr(out.text, "nan"));
    strbuf_fini(&out);
    plot_fini(&plot);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_roofline_in_ascii),
        cmocka_unit_test(a_band_and_rules),
        cmocka_unit_test(shades_as_files),
        cmocka_unit_test(the_same_in_blocks_and_braille),
        cmocka_unit_test(gaps_and_single_points),
        cmocka_unit_test(values_are_read_on_the_axes_as_drawn),
        cmocka_unit_test(ticks),
        cmocka_unit_test(ticks_of_hours),
        cmocka_unit_test(odd_axes_and_tiny_rectangles),
        cmocka_unit_test(more_than_there_is_room_for),
        cmocka_unit_test(csv_is_exact),
        cmocka_unit_test(svg_holds_no_markup_of_names),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
