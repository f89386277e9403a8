/*
 * test_chooser.c - a list that typing makes shorter: what is shown, what is handed
 * back.
 */
#include "tui/toolkit/overlay.h"

#include <locale.h>

#include "tui/app.h"
#include "tui/toolkit/key.h"
#include "unit.h"

static struct app app;
static char chosen[400];
static int calls;

static void take(struct app *at, void *ctx, const char *id)
{
    assert_ptr_equal(at, &app);
    assert_ptr_equal(ctx, chosen);
    gp_copy(chosen, sizeof chosen, id);
    calls++;
}

static const struct choice gpus[] = {
    {.id = "h100-sxm", .text = "H100 SXM 80 GB", .more = "79.6 GiB, 3.35 TB/s, 2022"},
    {.id = "h200-sxm", .text = "H200 SXM 141 GB", .more = "139.8 GiB, 4.8 TB/s, 2023"},
    {.id = "l40s", .text = "L40S 48 GB", .more = "44.5 GiB, 0.86 TB/s, 2023"},
    {.id = "l4", .text = "L4 24 GB", .more = "22.5 GiB, 0.3 TB/s, 2023"},
    {.id = "mi300x", .text = "Instinct MI300X", .more = "191.5 GiB, 5.3 TB/s, 2023"},
};

static struct chooser_spec ask_of(const char *free, bool many)
{
    return (struct chooser_spec){
        .title = "GPU",
        .choices = gpus,
        .count = 5,
        .free = free,
        .many = many,
        .chosen = take,
        .ctx = chosen,
    };
}

static void keys(const char *names)
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
    for (; *text; text++)
        overlay_key(&app.display, (unsigned char)*text);
}

/* What the screen shows now; to be freed with strbuf_fini. */
static struct strbuf shown(int rows, int cols, enum charset charset, int *cursor)
{
    struct canvas canvas;
    struct strbuf text;
    struct frame frame = frame_of(rows, cols);

    canvas_init(&canvas, charset);
    canvas_clear(&canvas, rows, cols);
    app.display.rows = rows;
    app.display.cols = cols;
    overlay_draw(&app.display, &canvas, frame.body, frame.explain);
    strbuf_init(&text);
    canvas_dump(&canvas, &text);
    *cursor = canvas.cursor_y;
    canvas_fini(&canvas);
    return text;
}

static int start(void **state)
{
    (void)state;
    app = (struct app){.display = {.rows = 24, .cols = 80, .app = &app}};
    chosen[0] = '\0';
    calls = 0;
    return 0;
}

static int stop(void **state)
{
    (void)state;
    overlay_close_all(&app.display);
    return 0;
}

static void assert_shows(const char *part, bool wanted)
{
    int cursor;
    struct strbuf text = shown(app.display.rows, app.display.cols, CHARSET_ASCII, &cursor);

    if ((strstr(text.text, part) != NULL) != wanted)
        fail_msg("%s \"%s\":\n%s", wanted ? "does not show" : "shows", part, text.text);
    strbuf_fini(&text);
}

static void takes_the_one_in_focus(void **state)
{
    struct chooser_spec options = ask_of(NULL, false);

    (void)state;
    options.selected = "l40s";
    chooser_open(&app.display, &options);
    keys("Down Enter");
    assert_string_equal(chosen, "l4");
    assert_int_equal(calls, 1);
    assert_null(app.display.top);
    assert_false(overlay_key(&app.display, K_DOWN));
}

/* "h" is short for H200; "x" for nothing, which is said. */
static bool read_as(struct app *at, void *ctx, const char *text, char *out, size_t size)
{
    (void)at;
    (void)ctx;
    gp_copy(out, size, strcmp(text, "h") == 0 ? "H200 SXM" : "no GPU");
    return strcmp(text, "h") == 0;
}

static void takes_what_the_text_means(void **state)
{
    struct chooser_spec options = ask_of("any", false);

    (void)state;
    options.means = read_as;
    chooser_open(&app.display, &options);
    type("h");
    assert_shows("\"h\": H200 SXM", true);
    keys("Enter");
    assert_string_equal(chosen, "h"); /* not the first in the list */
    chooser_open(&app.display, &options);
    type("l");
    keys("Enter");
    assert_string_equal(chosen, "l40s");
}

static void escape_calls_nothing(void **state)
{
    struct chooser_spec options = ask_of("any", false);

    (void)state;
    chooser_open(&app.display, &options);
    type("l4");
    keys("Esc");
    assert_int_equal(calls, 0);
    assert_null(app.display.top);
}

static void words_match_in_any_order_and_case(void **state)
{
    struct chooser_spec options = ask_of(NULL, false);

    (void)state;
    chooser_open(&app.display, &options);
    type("141 SXM");
    assert_shows("1 of 5", true);
    assert_shows("H200 SXM 141 GB", true);
    assert_shows("H100", false);
    keys("C-u");
    assert_shows("5 of 5", true);
    type("sxm");
    assert_shows("2 of 5", true);
    keys("BS BS BS");
    type("h200sxm");
    assert_shows("1 of 5", true);
    keys("C-u");
    type("mi300");
    keys("Enter");
    assert_string_equal(chosen, "mi300x");
}

static void an_exact_id_is_in_focus(void **state)
{
    struct chooser_spec options = ask_of(NULL, false);

    (void)state;
    chooser_open(&app.display, &options);
    type("L4");
    assert_shows("2 of 5", true);
    keys("Enter");
    assert_string_equal(chosen, "l4");
}

static void other_text_is_a_row(void **state)
{
    struct chooser_spec options = ask_of("a GPU of your own", false);

    (void)state;
    chooser_open(&app.display, &options);
    assert_shows("or a GPU of your own", true);
    type("h");
    assert_shows("\"h\" as typed", true);
    assert_shows("2 of 5", true);
    type("9 ");
    keys("Enter");
    assert_string_equal(chosen, "h9");

    chooser_open(&app.display, &options);
    type("h100");
    keys("End Enter");
    assert_string_equal(chosen, "h100");

    chooser_open(&app.display, &options);
    type("H100-sxm");
    assert_shows("as typed", false);
    keys("Enter");
    assert_string_equal(chosen, "h100-sxm");
}

static void what_matches_nothing_is_said(void **state)
{
    struct chooser_spec options = ask_of(NULL, false);

    (void)state;
    chooser_open(&app.display, &options);
    type("b300");
    assert_shows("nothing matches \"b300\"", true);
    assert_shows("0 of 5", true);
    keys("Enter Down PgUp");
    assert_int_equal(calls, 0);
    assert_non_null(app.display.top);
    keys("C-w Enter");
    assert_string_equal(chosen, "h100-sxm");
}

static void several_are_joined(void **state)
{
    struct chooser_spec options = ask_of(NULL, true);

    (void)state;
    options.marked = "l4,h100-sxm";
    chooser_open(&app.display, &options);
    assert_shows("2 marked, 5 of 5", true);
    assert_shows("[x] H100", true);
    keys("Down Space Enter"); /* h200 too */
    assert_string_equal(chosen, "h100-sxm,h200-sxm,l4");

    options.marked = NULL;
    chooser_open(&app.display, &options);
    keys("Down Enter"); /* none is marked: the one in focus */
    assert_string_equal(chosen, "h200-sxm");
}

static void long_lists_scroll(void **state)
{
    static struct choice many[124];
    struct chooser_spec options = ask_of(NULL, false);
    int cursor;

    (void)state;
    for (int i = 0; i < 124; i++) {
        gp_format(many[i].id, sizeof many[i].id, "model-%d", i);
        gp_format(many[i].text, sizeof many[i].text, "Model %d", i);
    }
    options.choices = many;
    options.count = 124;
    options.selected = "model-100";
    chooser_open(&app.display, &options);
    for (int rows = 12; rows <= 40; rows += 7)
        for (int cols = 40; cols <= 200; cols += 40) {
            struct strbuf text = shown(rows, cols, CHARSET_ASCII, &cursor);
            const char *row = text.text;

            for (int y = 0; y < cursor; y++)
                row = strchr(row, '\n') + 1;
            row = strstr(row, "> Model 100");
            assert_non_null(row);
            strbuf_fini(&text);
        }
    keys("PgDn PgDn PgDn");
    assert_shows("> Model 123", true);
    keys("Home PgDn PgUp");
    assert_shows("> Model 0", true);
    keys("Up Enter");
    assert_string_equal(chosen, "model-0");
}

static void more_stands_beside_or_below(void **state)
{
    struct chooser_spec options = ask_of(NULL, false);
    int cursor;
    struct strbuf text;

    (void)state;
    chooser_open(&app.display, &options);
    text = shown(24, 80, CHARSET_BLOCK, &cursor);
    assert_non_null(strstr(text.text, "H100 SXM 80 GB   79.6 GiB"));
    strbuf_fini(&text);
    text = shown(12, 40, CHARSET_BLOCK, &cursor);
    assert_non_null(strstr(text.text, "79.6 GiB"));
    assert_null(strstr(text.text, "139.8 GiB"));
    strbuf_fini(&text);
    keys("Down");
    text = shown(12, 40, CHARSET_BLOCK, &cursor);
    assert_non_null(strstr(text.text, "139.8 GiB"));
    strbuf_fini(&text);
}

static void nothing_to_choose_from(void **state)
{
    struct chooser_spec options = ask_of(NULL, false);

    (void)state;
    options.choices = NULL;
    options.count = 0;
    chooser_open(&app.display, &options);
    assert_shows("nothing to choose from", true);
    keys("Enter End Down Space");
    assert_int_equal(calls, 0);
}

int main(void)
{
#define T(test) cmocka_unit_test_setup_teardown(test, start, stop)
    const struct CMUnitTest tests[] = {
        T(takes_the_one_in_focus),
        T(takes_what_the_text_means),
        T(escape_calls_nothing),
        T(words_match_in_any_order_and_case),
        T(an_exact_id_is_in_focus),
        T(other_text_is_a_row),
        T(what_matches_nothing_is_said),
        T(several_are_joined),
        T(long_lists_scroll),
        T(more_stands_beside_or_below),
        T(nothing_to_choose_from),
    };

    setlocale(LC_ALL, "");
    return cmocka_run_group_tests(tests, NULL, NULL);
}
