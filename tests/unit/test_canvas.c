/*
 * test_canvas.c - cells: clipping, wide characters, boxes, and what dumps say.
 */
#include "tui/toolkit/canvas.h"

#include <locale.h>
#include <string.h>

#include "tui/toolkit/utf8.h"
#include "unit.h"

static struct canvas make(int rows, int cols, enum charset charset)
{
    struct canvas canvas;

    canvas_init(&canvas, charset);
    canvas_clear(&canvas, rows, cols);
    return canvas;
}

static void expect(struct canvas *canvas, const char *want)
{
    struct strbuf out;

    strbuf_init(&out);
    canvas_dump(canvas, &out);
    assert_string_equal(out.text, want);
    strbuf_fini(&out);
}

static void test_text_is_clipped(void **state)
{
    struct canvas c = make(3, 10, CHARSET_BRAILLE);
    struct rect in = {1, 2, 1, 5};

    (void)state;
    assert_int_equal(canvas_text(&c, in, 0, 3, INK_OK, "abcdef"), 6);
    canvas_text(&c, in, 1, 0, INK_OK, "below");
    canvas_text(&c, in, -1, 0, INK_OK, "above");
    canvas_text(&c, in, 0, -1, INK_OK, "xy");
    expect(&c, "\n  y  ab\n\n");
    canvas_text(&c, (struct rect){-5, -5, 100, 100}, 5, 5, INK_OK, "at 0 0");
    expect(&c, "at 0 0\n  y  ab\n\n");
    canvas_fini(&c);
}

static void test_bad_bytes_are_tamed(void **state)
{
    struct canvas c = make(1, 12, CHARSET_ASCII);

    (void)state;
    canvas_text(&c, canvas_rect(&c), 0, 0, INK_TEXT, "a\033[2J\n\xff\xc3[é");
    expect(&c, "a?[2J?\?\?[?\n");
    canvas_fini(&c);
}

static void test_wide_characters(void **state)
{
    struct canvas c = make(1, 6, CHARSET_BRAILLE);
    struct rect all = canvas_rect(&c);

    (void)state;
    if (gp_char_width(0x4e2d) != 2)
        skip();
    assert_int_equal(canvas_text(&c, all, 0, 0, INK_TEXT, "a中b"), 4);
    expect(&c, "a中b\n");
    canvas_text(&c, all, 0, 2, INK_TEXT, "x"); /* on its right half */
    expect(&c, "a xb\n");
    canvas_text(&c, all, 0, 4, INK_TEXT, "中中"); /* the second has no room */
    expect(&c, "a xb中\n");
    canvas_text(&c, all, 0, 4, INK_TEXT, "z"); /* on its left half */
    expect(&c, "a xbz\n");
    canvas_fini(&c);
}

static void test_fit_and_wrap(void **state)
{
    struct canvas c = make(4, 8, CHARSET_BRAILLE);
    struct rect all = canvas_rect(&c);

    (void)state;
    canvas_fit(&c, all, 0, 0, 5, INK_TEXT, "exact");
    canvas_fit(&c, all, 1, 0, 5, INK_TEXT, "longer");
    canvas_right(&c, all, 2, INK_TEXT, "end");
    expect(&c, "exact\nlong…\n     end\n\n");
    canvas_clear(&c, 4, 8);
    assert_int_equal(canvas_wrap(&c, all, 1, INK_TEXT, "one two three four five"), 3);
    expect(&c, "\none two\nthree\nfour …\n");
    canvas_fini(&c);
}

static void test_box(void **state)
{
    struct canvas c = make(4, 16, CHARSET_ASCII);
    struct strbuf out;

    (void)state;
    canvas_box(&c, canvas_rect(&c), "Plan", "1-2");
    canvas_rule(&c, rect_inside(canvas_rect(&c)), 0, "x");
    canvas_rule(&c, rect_inside(canvas_rect(&c)), 1, "of nothing");
    expect(&c, "+- Plan - 1-2 -+\n|-- x ---------|\n|              |\n"
               "+--------------+\n");
    canvas_ink(&c, canvas_rect(&c), 1, 1, 2, INK_FOCUS);
    strbuf_init(&out);
    canvas_dump_inks(&c, &out);
    assert_int_equal(out.text[17 + 1], 'A' + INK_FOCUS);
    strbuf_fini(&out);
    canvas_box(&c, (struct rect){0, 0, 1, 16}, "too flat", NULL);
    canvas_fini(&c);
}

static void test_utf8(void **state)
{
    static const uint32_t codes[] = {'a', 0xe9, 0x28ff, 0x1f600, 0x10ffff};
    const char *surrogate = "\xed\xa0\x80", *overlong = "\xc0\x80";
    char text[5];

    (void)state;
    for (size_t i = 0; i < sizeof codes / sizeof *codes; i++) {
        const char *p = utf8_text(codes[i], text);

        assert_int_equal(utf8_next(&p), codes[i]);
        assert_int_equal(*p, 0);
    }
    assert_int_equal(utf8_next(&surrogate), 0xfffd);
    assert_int_equal(utf8_next(&overlong), 0xfffd);
    assert_int_equal(gp_char_width(0x2588), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_text_is_clipped),
        cmocka_unit_test(test_bad_bytes_are_tamed),
        cmocka_unit_test(test_wide_characters),
        cmocka_unit_test(test_fit_and_wrap),
        cmocka_unit_test(test_box),
        cmocka_unit_test(test_utf8),
    };

    setlocale(LC_ALL, "C.UTF-8");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
