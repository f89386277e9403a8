/*
 * test_paste.c - pasted text is one line of text and never a key; characters whose bytes
 * come one by one.
 */
#include "tui/toolkit/edit.h"

#include <stdlib.h>

#include "tui/app.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/overlay.h"
#include "tui/toolkit/utf8.h"
#include "unit.h"

static struct app app;
static int done;

static void paste_text(struct paste *paste, const char *text)
{
    uint32_t ch;

    paste_begin(paste);
    while ((ch = utf8_next(&text)) != 0)
        paste_add(paste, ch);
    paste_end(paste);
}

static void test_lines_become_one(void **state)
{
    static const char *const pairs[][2] = {
        {"gpuplan --plan \\\n  -m 70B \\\r\n\t-g l40s\n", "gpuplan --plan    -m 70B    -g l40s"},
        {"\n\n one \ttwo\r", "one  two"},
        {"größe 漢字", "größe 漢字"},
        {"a\033[201~\x7f"
         "b\xc2\x9b"
         "c\xff",
         "a?[201~?b?c?"},
        {" \n\t ", ""},
        {"back\\slash", "back\\slash"},
    };
    struct paste paste;

    (void)state;
    for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
        paste_text(&paste, pairs[i][0]);
        assert_string_equal(paste.text, pairs[i][1]);
        assert_false(paste.on || paste.over);
    }
}

/* Whatever comes: a line of text, terminated, none of it a control character. */
static void test_anything_is_a_line_of_text(void **state)
{
    struct paste paste;

    (void)state;
    srand(1);
    for (int i = 0; i < 20000; i++) {
        int count = rand() % 40 == 0 ? 2000 : rand() % 60;
        const char *p = paste.text;
        uint32_t ch;

        paste_begin(&paste);
        while (count-- > 0)
            paste_add(&paste, rand() % 3 ? (uint32_t)rand() % 0x100 : (uint32_t)rand() % 0x200000);
        paste_end(&paste);
        assert_int_equal(paste.len, strlen(paste.text));
        assert_true(paste.len < sizeof paste.text);
        while ((ch = utf8_next(&p)) != 0)
            assert_true(ch >= 0x20 && !(ch >= 0x7f && ch < 0xa0) && ch != 0xfffd);
    }
}

/* ---- where it goes ---- */

static bool taken(struct app *in, void *ctx, const char *text, struct gp_err *err)
{
    (void)in;
    (void)ctx;
    (void)err;
    assert_string_equal(text, "64x64 q");
    done++;
    return true;
}

static void yes(struct app *in, void *ctx)
{
    (void)in;
    (void)ctx;
    done++;
}

static void refused(const char *text)
{
    struct overlay *top = app.display.top;
    struct paste paste;

    paste_text(&paste, text);
    assert_non_null(overlay_paste(&app.display, &paste));
    assert_ptr_equal(app.display.top, top);
    assert_true(!top || !top->closed);
    assert_int_equal(done, 0);
}

static void test_only_lines_take_it(void **state)
{
    struct prompt_spec options = {.label = ":", .text = "offered", .done = taken};
    char longer[EDIT_MAX + 2] = "";
    struct paste paste;

    (void)state;
    memset(longer, 'x', EDIT_MAX + 1);
    refused("y\nq");
    question_open(&app.display, "Replace it?", yes, NULL);
    refused("y\nY");
    pager_open(&app.display, "Text", "some text\n");
    refused("q");
    prompt_open(&app.display, &options);
    refused(longer);
    paste_text(&paste, "64x64 q\n"); /* the end of the line does not take it */
    assert_null(overlay_paste(&app.display, &paste));
    assert_int_equal(done, 0);
    overlay_key(&app.display, K_ENTER);
    assert_int_equal(done, 1);
    overlay_close_all(&app.display);
}

/* ---- bytes one by one ---- */

static void test_bytes_make_characters(void **state)
{
    static const char text[] = "aß漢\U0001f600z";
    struct utf8_input input = {.len = 0};
    const char *p = text;

    (void)state;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        uint32_t ch = utf8_take(&input, (unsigned char)text[i]);

        if (ch)
            assert_int_equal(ch, utf8_next(&p));
    }
    assert_int_equal(*p, '\0');
}

/* Nothing that is no UTF-8 costs a key behind it. */
static void test_keys_survive_broken_bytes(void **state)
{
    struct utf8_input input = {.len = 0};

    (void)state;
    srand(2);
    for (int i = 0; i < 1000000; i++) {
        int byte = rand() % 256;
        uint32_t ch = utf8_take(&input, byte);

        if (byte < 0x80)
            assert_int_equal(ch, byte);
        assert_true(input.len >= 0 && input.len < 4);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_lines_become_one),
        cmocka_unit_test(test_anything_is_a_line_of_text),
        cmocka_unit_test(test_only_lines_take_it),
        cmocka_unit_test(test_bytes_make_characters),
        cmocka_unit_test(test_keys_survive_broken_bytes),
    };

    app = (struct app){.display = {.rows = 24, .cols = 80, .app = &app}};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
