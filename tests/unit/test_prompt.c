/*
 * test_prompt.c - lines that are typed, questions, and texts that are read.
 */
#include "tui/toolkit/overlay.h"

#include <locale.h>

#include "tui/app.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/utf8.h"
#include "unit.h"

static struct app app;
static char got[EDIT_MAX];
static int calls;

static void press(const char *names)
{
    char name[16];

    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");

        gp_format(name, sizeof name, "%.*s", (int)n, p);
        assert_int_not_equal(key_find(name), K_NONE);
        overlay_key(&app.display, key_find(name));
        p += n;
        p += strspn(p, " ");
    }
}

static void type(const char *text)
{
    uint32_t ch;

    while ((ch = utf8_next(&text)) != 0)
        overlay_key(&app.display, (int)ch);
}

static int start(void **state)
{
    (void)state;
    app = (struct app){.display = {.rows = 24, .cols = 80, .app = &app}};
    got[0] = '\0';
    calls = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    overlay_close_all(&app.display);
    return 0;
}

static void show(struct canvas *canvas, enum charset charset)
{
    struct frame frame = frame_of(app.display.rows, app.display.cols);

    canvas_init(canvas, charset);
    canvas_clear(canvas, app.display.rows, app.display.cols);
    overlay_draw(&app.display, canvas, frame.body, frame.explain);
}

static void assert_shows(const char *part, bool wanted)
{
    struct canvas canvas;
    struct strbuf text;

    show(&canvas, CHARSET_ASCII);
    strbuf_init(&text);
    canvas_dump(&canvas, &text);
    if ((strstr(text.text, part) != NULL) != wanted)
        fail_msg("%s \"%s\":\n%s", wanted ? "does not show" : "shows", part, text.text);
    strbuf_fini(&text);
    canvas_fini(&canvas);
}

/* ---- a line ---- */

static void edit_keys(struct edit *edit, const char *names)
{
    char name[16];

    for (const char *p = names; *p;) {
        size_t n = strcspn(p, " ");

        gp_format(name, sizeof name, "%.*s", (int)n, p);
        assert_true(edit_key(edit, key_find(name)));
        p += n;
        p += strspn(p, " ");
    }
}

static void keys_edit_characters_not_bytes(void **state)
{
    struct edit edit;

    (void)state;
    edit_set(&edit, "größe 漢字");
    edit_keys(&edit, "BS");
    assert_string_equal(edit.text, "größe 漢");
    edit_keys(&edit, "Home Right Right Del");
    assert_string_equal(edit.text, "grße 漢");
    edit_keys(&edit, "ö");
    assert_string_equal(edit.text, "größe 漢");
    edit_keys(&edit, "Left Left C-u");
    assert_string_equal(edit.text, "röße 漢");
    edit_keys(&edit, "End C-w");
    assert_string_equal(edit.text, "röße ");
    edit_keys(&edit, "C-w C-w C-a BS C-e Del Left Right");
    assert_string_equal(edit.text, "");
    edit_set(&edit, "one two");
    edit_keys(&edit, "C-a Right Right Right C-k");
    assert_string_equal(edit.text, "one");
    assert_false(edit_key(&edit, K_F1));
    assert_false(edit_key(&edit, K_ENTER));
}

static void what_is_no_text_is_tamed(void **state)
{
    struct edit edit;

    (void)state;
    edit_set(&edit, "a\x1b[2Jb\xff"
                    "c\n");
    assert_string_equal(edit.text, "a?[2Jb?c?");
}

static void a_full_line_takes_no_more(void **state)
{
    struct edit edit;

    (void)state;
    edit_set(&edit, "");
    for (int i = 0; i < 3 * EDIT_MAX; i++)
        assert_true(edit_key(&edit, i % 2 ? 'x' : 0x6f22));
    assert_true(edit.len < EDIT_MAX);
    assert_int_equal(strlen(edit.text), edit.len);
    assert_true(gp_is_utf8(edit.text));
}

static void the_cursor_is_always_seen(void **state)
{
    struct edit edit;

    (void)state;
    edit_set(&edit, "gpuplan --plan --model llama-3.1-70b --gpu h100-sxm:2 漢字漢字");
    for (int cols = 8; cols < 90; cols++)
        for (size_t i = 0; i < 70; i++) {
            struct canvas canvas;

            canvas_init(&canvas, CHARSET_BLOCK);
            canvas_clear(&canvas, 1, cols);
            edit_draw(&edit, &canvas, canvas_rect(&canvas), 0, 3, true);
            assert_true(canvas.cursor_x >= 3 && canvas.cursor_x < cols);
            if (edit.at < edit.len && canvas.cells[canvas.cursor_x].ch > ' ') {
                const char *p = edit.text + edit.at;

                assert_int_equal(canvas.cells[canvas.cursor_x].ch, utf8_next(&p));
            }
            canvas_fini(&canvas);
            edit_key(&edit, i == 0 ? K_HOME : K_RIGHT);
        }
}

/* ---- the prompt ---- */

static bool accept(struct app *at, void *ctx, const char *text, struct gp_err *err)
{
    assert_ptr_equal(at, &app);
    assert_ptr_equal(ctx, got);
    calls++;
    gp_copy(got, sizeof got, text);
    if (strcmp(text, "wrong") == 0) {
        gp_fail(err, GP_E_USAGE, "context", "a number such as 32k", "\"wrong\" is none");
        return false;
    }
    if (strcmp(text, "read") == 0)
        pager_open(&at->display, "Read", "a text\n");
    return true;
}

static void complete(struct app *at, void *ctx, const char *text, struct strbuf *out)
{
    static const char *const words[] = {"set", "save", "save-settings", "screen-plan"};
    const char *last = strrchr(text, ' ') ? strrchr(text, ' ') + 1 : text;

    (void)at;
    (void)ctx;
    for (int i = 0; i < 4; i++)
        if (strncmp(words[i], last, strlen(last)) == 0)
            strbuf_addf(out, "%s%s", out->len ? " " : "", words[i]);
}

static const struct prompt_spec plain_ask = {
    .label = ":",
    .hint = "an action or an option",
    .history = PROMPT_COMMAND,
    .done = accept,
    .complete = complete,
    .ctx = got,
};

static void a_line_is_handed_over(void **state)
{
    (void)state;
    prompt_open(&app.display, &plain_ask);
    assert_shows("an action or an option", true);
    type("users 16");
    assert_shows("an action or an option", false);
    assert_shows(":users 16", true);
    press("Enter");
    assert_string_equal(got, "users 16");
    assert_null(app.display.top);
}

static void a_refused_line_stays(void **state)
{
    (void)state;
    prompt_open(&app.display, &plain_ask);
    type("wrong");
    press("Enter");
    assert_non_null(app.display.top);
    assert_shows("context: \"wrong\" is none (a number such as 32k)", true);
    assert_shows(":wrong", true);
    press("C-u");
    assert_shows("is none", false);
    type("right");
    press("Enter");
    assert_string_equal(got, "right");
    assert_null(app.display.top);
}

static void a_callback_may_open_a_window(void **state)
{
    (void)state;
    prompt_open(&app.display, &plain_ask);
    type("read");
    press("Enter");
    assert_non_null(app.display.top);
    assert_null(app.display.top->below);
    assert_shows("a text", true);
    press("q");
    assert_null(app.display.top);
}

static void history_goes_back_and_forth(void **state)
{
    (void)state;
    for (int i = 0; i < 60; i++) { /* more than it keeps */
        char text[20];

        prompt_open(&app.display, &plain_ask);
        gp_format(text, sizeof text, "line %d", i);
        type(text);
        press("Enter");
    }
    prompt_open(&app.display, &plain_ask);
    type("new");
    press("Up Up");
    assert_shows(":line 58", true);
    press("Down Down Down");
    assert_shows(":new", true);
    for (int i = 0; i < 70; i++)
        press("Up");
    assert_shows(":line 10", true);
    press("Esc");
    assert_int_equal(calls, 60);
}

static void tab_completes_what_is_certain(void **state)
{
    (void)state;
    prompt_open(&app.display, &plain_ask);
    type("sa");
    press("Tab");
    assert_shows(":save", true);
    assert_shows("save save-settings", true);
    type("-");
    press("Tab Enter");
    assert_string_equal(got, "save-settings ");
    prompt_open(&app.display, &plain_ask);
    type("x zz");
    press("Tab");
    assert_shows("no completion", true);
    press("C-w");
    type("sc");
    press("Tab Enter");
    assert_string_equal(got, "x screen-plan ");
}

static void one_row_is_enough(void **state)
{
    (void)state;
    app.display.rows = 12;
    app.display.cols = 40;
    prompt_open(&app.display, &plain_ask);
    type("wrong");
    press("Enter");
    assert_shows(":wrong", true);
    assert_shows("context: \"wrong\" is none", true);
    press("BS BS BS BS BS BS"); /* the last one on an empty line closes it */
    assert_null(app.display.top);
}

/* ---- a question ---- */

static void yes(struct app *at, void *ctx)
{
    (void)at;
    assert_ptr_equal(ctx, got);
    calls++;
}

static void only_y_is_yes(void **state)
{
    (void)state;
    question_open(&app.display, "A measurement runs. Stop it and quit?", yes, got);
    assert_shows("Stop it and quit?", true);
    press("Enter x Space");
    assert_non_null(app.display.top);
    press("n");
    assert_int_equal(calls, 0);
    assert_null(app.display.top);
    question_open(&app.display, "Quit?", yes, got);
    press("y");
    assert_int_equal(calls, 1);
    assert_null(app.display.top);
}

/* ---- a text ---- */

static void open_lines(int count)
{
    struct strbuf text;

    strbuf_init(&text);
    for (int i = 1; i <= count; i++)
        strbuf_addf(&text, "row %d%s\n", i, i % 20 == 0 ? " Needle" : "");
    pager_open(&app.display, "Text", text.text);
    strbuf_fini(&text);
}

static void a_text_scrolls(void **state)
{
    (void)state;
    open_lines(43);
    assert_shows("1-18 of 43", true);
    press("PgDn");
    assert_shows("19-36 of 43", true);
    press("G");
    assert_shows("26-43 of 43", true);
    press("j k k");
    assert_shows("24-41 of 43", true);
    press("g Up");
    assert_shows("1-18 of 43", true);
    app.display.rows = 60;
    assert_shows("1-43 of 43", true);
    press("q");
    assert_null(app.display.top);
}

static void words_are_found(void **state)
{
    (void)state;
    open_lines(70);
    press("/");
    type("needle");
    press("Enter");
    assert_shows("row 20 Needle", true);
    press("n n");
    assert_shows("row 60 Needle", true);
    press("n");
    assert_shows("continued from the top", true);
    assert_shows("row 20 Needle", true);
    press("N");
    assert_shows("continued from the end", true);
    assert_shows(">row 60 Needle", true);
    press("/");
    type("haystack");
    press("Enter");
    assert_shows("not found: haystack", true);
}

static void matches_are_marked_also_across_rows(void **state)
{
    struct canvas canvas;
    struct strbuf inks;
    int marked = 0;

    (void)state;
    app.display.rows = 12;
    app.display.cols = 40;
    pager_open(&app.display, "Text", "one two three four five six seven eight nine ten");
    press("/");
    type("seven eight");
    press("Enter");
    show(&canvas, CHARSET_ASCII);
    strbuf_init(&inks);
    canvas_dump_inks(&canvas, &inks);
    for (size_t i = 0; i < inks.len; i++)
        marked += inks.text[i] == 'A' + INK_FOCUS;
    assert_true(marked == 11 || marked == 10); /* the blank may stand at a row's end */
    strbuf_fini(&inks);
    canvas_fini(&canvas);
}

static void long_lines_wrap_below_their_first_letter(void **state)
{
    (void)state;
    app.display.rows = 12;
    app.display.cols = 40;
    pager_open(&app.display, "Text",
               "  weights = parameters x bytes of each, over the GPUs of the layout\n");
    assert_shows("|   weights = parameters x bytes of ", true);
    assert_shows("|   each, over the GPUs of the layout", true);
    assert_shows("1-2 of 2", true);
}

static void every_size_is_survived(void **state)
{
    (void)state;
    pager_open(&app.display, "Odd",
               "a\tb\n\n\t\n\x1b[2J 漢字漢字漢字漢字漢字漢字"
               "漢字漢字漢字漢字漢字漢字\n"
               "a-very-long-word-without-any-blank-in-it-that-must-be-broken-somewhere-x");
    press("/");
    type("漢");
    press("Enter");
    for (app.display.rows = 1; app.display.rows < 40; app.display.rows++)
        for (app.display.cols = 1; app.display.cols < 100; app.display.cols += 3) {
            struct canvas canvas;

            show(&canvas, CHARSET_BRAILLE);
            canvas_fini(&canvas);
            press("n PgDn Down");
        }
    app.display.rows = 24;
    app.display.cols = 80;
}

static void empty_texts_are_texts(void **state)
{
    (void)state;
    pager_open(&app.display, "Nothing", "");
    assert_shows("1-1 of 1", true);
    press("n / x Enter n N PgDn G g Esc");
    assert_null(app.display.top);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        T(keys_edit_characters_not_bytes),
        T(what_is_no_text_is_tamed),
        T(a_full_line_takes_no_more),
        T(the_cursor_is_always_seen),
        T(a_line_is_handed_over),
        T(a_refused_line_stays),
        T(a_callback_may_open_a_window),
        T(history_goes_back_and_forth),
        T(tab_completes_what_is_certain),
        T(one_row_is_enough),
        T(only_y_is_yes),
        T(a_text_scrolls),
        T(words_are_found),
        T(matches_are_marked_also_across_rows),
        T(long_lines_wrap_below_their_first_letter),
        T(every_size_is_survived),
        T(empty_texts_are_texts),
    };

    setlocale(LC_ALL, "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
