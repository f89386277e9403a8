/*
 * s_bench_choose.c - Bench before a run: tests, how, devices, and what it will take.
 *
 * The form is on the left, what a start would do on the right: points, time, memory and
 * why this engine. Focus begins on "Start", so that Enter measures with what is there.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"
#include "catalog/gpu.h"
#include "tui/list.h"
#include "tui/settings.h"
#include "tui/toolkit/key.h"

#define LABEL 8 /* columns of what is said of the plan */

/* The options that have a row in the form; the others are in a window. */
#define BENCH_LINES 5
struct bench_option_line {
    enum option_id id;
    const char *label, *otherwise, *explain;
};
static const struct bench_option_line bench_lines[BENCH_LINES] = {
    {OPT_TYPE, "Types", "as the test does",
     "Types: which number formats. Left/Right for one, Enter for several; what a "
     "device lacks is reported as unsupported."},
    {OPT_SHAPES, "Shapes", "squares (gemm)",
     "Shapes of gemm: m outputs x n tokens x k inputs, as 4096x8x4096,4096x64x4096; "
     "empty: squares."},
    {OPT_PRESET, "Preset", "normal",
     "Preset: quick has a few points of 0.3 s, normal more of 1 s, thorough gives each "
     "3 s; all go through them twice."},
    {OPT_TIME_LIMIT, "Time limit", "none",
     "Time limit: stops after the point that runs then; the rest can be resumed."},
    {OPT_BACKEND, "Engine", "auto",
     "Engine: auto takes the GPUs where there are some, else the CPU."},
};

/* Has it a row of the form? */
static bool has_row(enum option_id id)
{
    if (id == OPT_DEVICE) /* of which each has one */
        return true;
    for (int i = 0; i < BENCH_LINES; i++)
        if (bench_lines[i].id == id)
            return true;
    return false;
}

/* ---- one option ---- */

enum gp_status bench_set_all(struct app *app, struct bench *b, const struct bench_options *bench,
                             struct gp_err *err)
{
    struct bench_options *now = &b->values.bench;
    bool engine = strcmp(now->value[OPT_BACKEND], bench->value[OPT_BACKEND]) != 0;

    if (memcmp(now, bench, sizeof(*now)) == 0)
        return GP_OK;
    if (b->stage == STAGE_RUN)
        return gp_fail(err, GP_E_USAGE, "", "x stops it", "a run is on: it keeps its options");
    if (b->stage == STAGE_DONE && engine)
        return gp_fail(err, GP_E_USAGE, "", "r goes back to choosing",
                       "another engine is another run");
    *now = *bench;
    if (engine) { /* whose devices are others */
        b->values.left_out = 0;
        bench_renew(app, b);
    } else {
        bench_changed(app, b);
    }
    return GP_OK;
}

static enum gp_status option_set(struct app *app, struct bench *b, enum option_id id,
                                 const char *text, struct gp_err *err)
{
    struct bench_options next = b->values.bench;
    enum gp_status rc = bench_options_put(&next, app->form->planner, id, text, err);

    return rc ? rc : bench_set_all(app, b, &next, err);
}

/* A change by hand; says why where it cannot be, or not now. */
static void option_change(struct app *app, struct bench *b, enum option_id id, const char *text)
{
    struct gp_err err = {0};

    if (option_set(app, b, id, text, &err))
        app_report_err(app, &err);
}

/* What a step walks over, where it is not the words of the table. */
static const char *const steps[OPTION_COUNT] = {
    [OPT_TYPE] = "|bf16|fp16|fp8|int8|fp32|fp32-pedantic|tf32|fp16-acc16|mxfp8|nvfp4",
    [OPT_TIME_LIMIT] = "|1m|5m|15m|30m|1h|2h",
};

/* What is said of a word in a list. */
static const struct {
    enum option_id id;
    const char *word, *more;
} said[] = {
    {OPT_TYPE, "", "of batch and decode the plan's own, of gemm those the device is made for"},
    {OPT_PRESET, "quick", "a few points, 0.3 s each: a minute or two"},
    {OPT_PRESET, "normal", "more points, up to 1 s each: the usual"},
    {OPT_PRESET, "thorough", "up to 3 s each, for a narrow band"},
    {OPT_BACKEND, "auto", "the GPUs where there are some, else the CPU"},
    {OPT_BACKEND, "cuda", "NVIDIA GPUs"},
    {OPT_BACKEND, "cpu", "the processor"},
    {OPT_FILL, "zeros", "draws less power: not comparable"},
    {OPT_CHECK, "none", "whether the results are right is not known then"},
};

static const char *more_of(enum option_id id, const char *word)
{
    for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
        if (said[i].id == id && strcmp(said[i].word, word) == 0)
            return said[i].more;
    return "";
}

enum { WORDS = 16 };

/* The words that a step walks over, the default among them, as "" where it is none of
 * the table's. Returns how many; 0: this is no matter of words. */
static int words_of(enum option_id id, char word[WORDS][32], int *fallback)
{
    const struct option_row *row = &option_rows[id];
    const char *list = steps[id] ? steps[id] : row->type == OPTION_FLAG ? "off|on" : row->choices;
    const char *own = id == OPT_BACKEND ? "auto" : row->fallback;
    int n = 0;

    *fallback = -1;
    while (list && *list && n < WORDS - 1) {
        size_t len = strcspn(list, "|");

        gp_format(word[n], 32, "%.*s", (int)len, list);
        if (!word[n][0] || strcmp(word[n], own) == 0)
            *fallback = n;
        list += len + (list[len] == '|');
        n++;
    }
    if (n > 0 && *fallback < 0) {
        memmove(word + 1, word, (size_t)n * sizeof(word[0]));
        word[0][0] = '\0';
        *fallback = 0;
        n++;
    }
    return n;
}

static void bench_step(struct app *app, struct bench *b, enum option_id id, int by)
{
    const char *now = b->values.bench.value[id];
    char word[WORDS][32];
    int at, n = words_of(id, word, &at);

    if (n == 0) {
        app_report(app, false, "%s: Enter takes a value", option_rows[id].name);
        return;
    }
    for (int i = 0; i < n; i++)
        if (now[0] && strcmp(word[i], now) == 0)
            at = i;
    option_change(app, b, id, word[(at + by + n) % n]);
}

static void word_chosen(struct app *app, void *ctx, const char *word)
{
    struct bench *b = ctx;

    option_change(app, b, b->edited, word);
}

/* The default's row has the id "auto", which means it wherever it is typed. */
static void option_choose(struct app *app, struct bench *b, enum option_id id)
{
    struct choice *list = gp_calloc(WORDS, sizeof(*list));
    const char *now = b->values.bench.value[id];
    char word[WORDS][32];
    int fallback, n = words_of(id, word, &fallback);
    struct chooser_ask options = {.title = option_rows[id].name,
                                  .choices = list,
                                  .count = n,
                                  .selected = now[0] ? now : "auto",
                                  .many = id == OPT_TYPE,
                                  .marked = now,
                                  .chosen = word_chosen,
                                  .ctx = b};

    for (int i = 0; i < n; i++) {
        const char *more = more_of(id, word[i]);

        gp_copy(list[i].id, sizeof(list[i].id), i == fallback ? "auto" : word[i]);
        gp_copy(list[i].text, sizeof(list[i].text),
                word[i][0] ? word[i] : option_rows[id].fallback);
        gp_copy(list[i].more, sizeof(list[i].more),
                more[0] || i != fallback ? more : "the default");
    }
    chooser_open(&app->display, &options);
    free(list);
}

static bool value_typed(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct bench *b = ctx;

    return option_set(app, b, b->edited, text, err) == GP_OK;
}

/* What to type, where the table does not say it in few words. */
static const char *const hints[OPTION_COUNT] = {
    [OPT_SHAPES] = "MxNxK, several with ',': 4096x8x4096",
    [OPT_TIME_LIMIT] = "90s, 10m or 2h",
};

static void ask_for(struct app *app, struct bench *b, enum option_id id)
{
    const struct option_row *row = &option_rows[id];
    char label[48], hint[160], range[80], fallback[80];
    struct prompt_ask options = {.label = label,
                                 .text = b->values.bench.value[id],
                                 .hint = hint,
                                 .history = PROMPT_VALUE,
                                 .done = value_typed,
                                 .ctx = b};

    gp_format(label, sizeof(label), "%s: ", row->name);
    gp_format(hint, sizeof(hint), "%s; empty: %s",
              hints[id] ? hints[id] : bench_option_range(id, range, sizeof(range)),
              bench_option_default(id, fallback, sizeof(fallback)));
    prompt_open(&app->display, &options);
}

static void bench_edit(struct app *app, struct bench *b, enum option_id id)
{
    b->edited = id;
    if (option_rows[id].type == OPTION_FLAG)
        bench_step(app, b, id, 1);
    else if (option_rows[id].type == OPTION_WORD || id == OPT_TYPE)
        option_choose(app, b, id);
    else
        ask_for(app, b, id);
}

/* ---- those without a row of their own ---- */

static int list_more(enum option_id ids[OPTION_COUNT])
{
    int n = 0;

    for (int id = 0; id < OPTION_COUNT; id++)
        if (bench_option((enum option_id)id) && !has_row((enum option_id)id))
            ids[n++] = (enum option_id)id;
    return n;
}

/* "2 set: rel-ci 2, force" */
static void bench_more_text(const struct bench *b, char *text, size_t size)
{
    enum option_id ids[OPTION_COUNT];
    int n = list_more(ids), set = 0;
    size_t len;

    for (int i = 0; i < n; i++)
        set += b->values.bench.value[ids[i]][0] != '\0';
    if (set == 0) {
        gp_copy(text, size, "options, none set");
        return;
    }
    gp_format(text, size, "%d set:", set);
    for (int i = 0, told = 0; i < n; i++) {
        const char *value = b->values.bench.value[ids[i]];
        bool flag = option_rows[ids[i]].type == OPTION_FLAG;

        len = strlen(text);
        if (value[0])
            gp_format(text + len, size - len, "%s %s%s%s", told++ ? "," : "",
                      option_rows[ids[i]].name, flag ? "" : " ", flag ? "" : value);
    }
}

struct window {
    struct overlay overlay;
    struct bench *b; /* outlives every window */
    enum option_id ids[OPTION_COUNT];
    int count, focus;
};

/* Where there is room; else a value stands with the default: "zeros, not uniform". */
enum { COL_OPTION, COL_VALUE, COL_DEFAULT, COLUMNS };
static const struct list_column columns[COLUMNS] = {
    {"option", 14, 0, false}, {"value", 13, 58, false}, {"default", 0, 0, false}};

static void window_key(struct display *display, struct overlay *overlay, int key)
{
    struct app *app = display->app;
    struct window *w = (struct window *)overlay;
    enum option_id id = w->ids[w->focus];
    enum action action = action_of_key(key, SCREEN_BENCH);
    bool words = option_rows[id].type <= OPTION_WORD && option_rows[id].type != OPTION_TEXT;

    w->focus = list_clamp(w->focus + list_step(action, 4), 0, w->count - 1);
    if (key == K_DELETE || key == K_BACKSPACE || action == ACT_AGAIN)
        option_change(app, w->b, id, "");
    else if (action == ACT_LEFT || action == ACT_RIGHT)
        bench_step(app, w->b, id, action == ACT_LEFT ? -1 : 1);
    else if (action == ACT_TOGGLE && words)
        bench_step(app, w->b, id, 1);
    else if (action == ACT_OPEN || action == ACT_TOGGLE)
        bench_edit(app, w->b, id);
    overlay->passed = action == ACT_HELP || action == ACT_START;
    overlay->closed = action == ACT_BACK || action == ACT_QUIT || action == ACT_OPTIONS ||
                      action == ACT_START || key == KEY_CTRL('g');
}

static void draw_option(const struct window *w, struct canvas *canvas, struct rect in, int y, int i,
                        const struct list_table *table)
{
    enum option_id id = w->ids[i];
    const char *value = w->b->values.bench.value[id];
    bool both = value[0] && !table->cols[COL_VALUE];
    char text[80], last[BENCH_VALUE + 100];

    bench_option_default(id, text, sizeof(text));
    gp_format(last, sizeof(last), "%s%s%s", both ? value : "", both ? ", not " : "", text);
    list_cell(canvas, in, y, table, COL_OPTION, INK_TEXT, option_rows[id].name);
    list_cell(canvas, in, y, table, COL_VALUE, INK_KEY, value[0] ? value : "-");
    list_cell(canvas, in, y, table, COL_DEFAULT, both ? INK_KEY : INK_DIM, last);
}

static void draw_help(enum option_id id, struct canvas *canvas, struct rect in, int y)
{
    struct rect below = {in.y + y + 1, in.x, in.rows - y - 1, in.cols};
    char range[120], text[400];

    canvas_rule(canvas, in, y, option_rows[id].name);
    bench_option_range(id, range, sizeof(range));
    gp_format(text, sizeof(text), "%s: %s", range, option_rows[id].help);
    canvas_wrap(canvas, below, 0, INK_TEXT, text);
}

static void window_draw(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                        struct rect bottom)
{
    const struct window *w = (const struct window *)overlay;
    struct rect box = frame_middle(body, w->count + 6, 76), in = rect_inside(box);
    struct rect cells = {in.y, in.x + 2, in.rows, in.cols - 3};
    struct list_table table = list_table(columns, COLUMNS, cells.cols);
    bool wide = table.cols[COL_VALUE] > 0, head = wide && in.rows > 10;
    int rows = in.rows - head - 1 - (wide ? 2 : 3); /* the rest is help */
    int top = list_top(w->focus, w->count, rows), y = 0;

    (void)bottom;
    canvas_fill(canvas, box);
    canvas_box(canvas, box, "More options of the measurement", NULL);
    if (head) {
        list_titles(canvas, cells, &table);
        y++;
    }
    for (int i = 0; i < rows && top + i < w->count; i++)
        draw_option(w, canvas, cells, y + i, top + i, &table);
    canvas_glyph(canvas, in, y + w->focus - top, 0, INK_FOCUS, GLYPH_CURSOR);
    list_focus(canvas, in, y + w->focus - top);
    if (top > 0)
        canvas_glyph(canvas, in, y, in.cols - 1, INK_KEY, GLYPH_UP);
    if (top + rows < w->count)
        canvas_glyph(canvas, in, y + rows - 1, in.cols - 1, INK_KEY, GLYPH_DOWN);
    draw_help(w->ids[w->focus], canvas, in, y + rows);
}

static const struct overlay_ops ops = {
    .size = sizeof(struct window),
    .draw = window_draw,
    .key = window_key,
    .bar = "Enter:change  Del:default  F5:start  Esc:back",
};

void bench_options_open(struct app *app, struct bench *b, enum option_id focus)
{
    struct window *w = (struct window *)overlay_new(&ops);

    w->b = b;
    w->count = list_more(w->ids);
    for (int i = 0; i < w->count; i++)
        if (w->ids[i] == focus)
            w->focus = i;
    overlay_push(&app->display, &w->overlay);
}

enum bench_row { ROW_START, ROW_TEST, ROW_OPTION, ROW_MORE, ROW_DEVICE };
static const char *const headings[] = {
    [ROW_TEST] = "Tests", [ROW_OPTION] = "How", [ROW_DEVICE] = "Devices"};

enum { BEFORE = 1 + TEST_COUNT + BENCH_LINES + 1 }; /* rows before the devices */

enum { PANEL_FORM, PANEL_PLAN, PANELS };

/* ---- rows ---- */

static int form_rows(const struct bench *b)
{
    return BEFORE + (b->session ? session_found(b->session) : 0);
}

/* What a row of the form is of, and which of its kind. */
static enum bench_row form_row_of(int row, int *which)
{
    static const int first[] = {0, 1, 1 + TEST_COUNT, BEFORE - 1, BEFORE};
    int kind = ROW_DEVICE;

    while (row < first[kind])
        kind--;
    *which = row - first[kind];
    return (enum bench_row)kind;
}

/* Headings stand before the tests, before how they are done and before the devices. */
static int line_of(int row)
{
    return row + (row >= 1) + (row >= 1 + TEST_COUNT) + (row >= BEFORE);
}

/* The row on a line of the form; -1 for a heading. */
static int row_on(const struct bench *b, int line)
{
    for (int row = 0; row < form_rows(b); row++)
        if (line_of(row) == line)
            return row;
    return -1;
}

/* ---- what stands in a row ---- */

static void start_text(const struct bench *b, char *text, size_t size)
{
    enum session_state state = bench_state(b);
    char time[32];

    if (state == SESSION_LOOKING)
        gp_copy(text, size, "looking for devices");
    else if (b->err.text[0])
        gp_copy(text, size, "cannot start yet");
    else
        gp_format(text, size, "%d points, %s", b->plan.points * b->plan.devices,
                  session_say_time(time, sizeof(time), b->plan.seconds));
}

static void device_text(const struct bench *b, int i, char *text, size_t size)
{
    struct session_device d;
    char free[40] = "", gib[32];

    if (!session_found_device(b->session, i, &d)) {
        gp_copy(text, size, "?");
        return;
    }
    if (isfinite(d.free))
        gp_format(free, sizeof(free), ", %s free", units_gib(gib, sizeof(gib), d.free));
    gp_format(text, size, "%d %s%s", d.id, d.name, free);
}

static void row_text(const struct bench *b, int row, char *text, size_t size)
{
    const struct bench_form *f = &b->values;
    const char *value;
    char part[160];
    int which;

    switch (form_row_of(row, &which)) {
    case ROW_START:
        start_text(b, part, sizeof(part));
        gp_format(text, size, "Start       %s", part);
        break;
    case ROW_TEST:
        gp_format(text, size, "[%c] %-10s%s", f->tests >> which & 1 ? 'x' : ' ',
                  bench_test_word((enum bench_test)which), test_rows[which].title);
        break;
    case ROW_OPTION:
        value = f->bench.value[bench_lines[which].id];
        gp_format(text, size, "%-12s%s", bench_lines[which].label,
                  value[0] ? value : bench_lines[which].otherwise);
        break;
    case ROW_MORE:
        bench_more_text(b, part, sizeof(part));
        gp_format(text, size, "%-12s%s", "More", part);
        break;
    case ROW_DEVICE:
        device_text(b, which, part, sizeof(part));
        gp_format(text, size, "[%c] %s", f->left_out >> which & 1 ? ' ' : 'x', part);
        break;
    }
}

static void draw_form(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct rect inside = rect_inside(in);
    int rows = form_rows(b), lines = line_of(rows - 1) + 1;
    int top = list_top(line_of(b->row), lines, inside.rows);
    bool scrolls = lines > inside.rows;
    char text[320];
    int which;

    canvas_box(canvas, in, "Measure", NULL);
    for (int y = 0; y < inside.rows && top + y < lines; y++) {
        int row = row_on(b, top + y);

        if (row < 0) { /* of the kind of the row below it */
            canvas_rule(canvas, inside, y, headings[form_row_of(row_on(b, top + y + 1), &which)]);
            continue;
        }
        row_text(b, row, text, sizeof(text));
        if (gp_width(text) > inside.cols - 2 - scrolls && form_row_of(row, &which) == ROW_DEVICE) {
            char *free = strstr(text, " GiB free") ? strrchr(text, ',') : NULL;

            if (free)
                *free = '\0';
        }
        canvas_fit(canvas, inside, y, 2, inside.cols - 2 - scrolls, INK_TEXT, text);
        if (row != b->row || b->panel != PANEL_FORM)
            continue;
        canvas_glyph(canvas, inside, y, 0, INK_KEY, GLYPH_CURSOR);
        list_focus(canvas, inside, y);
    }
    if (top > 0)
        canvas_glyph(canvas, inside, 0, inside.cols - 1, INK_KEY, GLYPH_UP);
    if (top + inside.rows < lines)
        canvas_glyph(canvas, inside, inside.rows - 1, inside.cols - 1, INK_KEY, GLYPH_DOWN);
}

/* ---- what a start would do ---- */

/* What is free on the chosen device that has the least; NAN = unknown. */
static double least_free(const struct bench *b)
{
    struct session_device d;
    double least = NAN;

    for (int i = 0; session_device(b->session, i, &d); i++)
        least = fmin(least, d.free);
    return least;
}

static void show_figures(struct page *page, const struct bench *b)
{
    const struct session_plan *p = &b->plan;
    double least = least_free(b);
    char time[40], bytes[40], gib[32], free[48] = "";

    bench_fact(page, LABEL, "points", "%d, %d passes on %d device%s", p->points, p->passes,
               p->devices, p->devices == 1 ? "" : "s");
    bench_fact(page, LABEL, "time", "about %s", session_say_time(time, sizeof(time), p->seconds));
    if (isfinite(least))
        gp_format(free, sizeof(free), ", %s free", units_gib(gib, sizeof(gib), least));
    bench_fact(page, LABEL, "memory", "%s at once%s", units_bytes(bytes, sizeof(bytes), p->bytes),
               free);
    bench_fact(page, LABEL, "engine", "%s%s%s", p->backend, p->chosen[0] ? ": " : "", p->chosen);
}

static void show_devices(struct page *page, const struct bench *b)
{
    bool cpu = strcmp(b->plan.backend, "cpu") == 0;
    struct session_device d;

    for (int i = 0; !cpu && session_device(b->session, i, &d); i++)
        bench_fact(page, LABEL, i ? "" : "profile", "%d is %s", d.id,
                   d.gpu ? d.gpu->id : "not in the catalogue: nothing is predicted");
}

static void show_sums(struct page *page, const struct bench *b)
{
    char time[32], bytes[32];

    page_rule(page, "Points, time, memory");
    for (int i = 0; i < b->sums; i++) {
        const struct bench_sum *sum = &b->sum[i];

        canvas_textf(page->canvas, page->in, page->y++, 0, INK_TEXT, "%-9s %4d  %12s  %8s",
                     bench_test_word(sum->test), sum->points,
                     session_say_time(time, sizeof(time), sum->seconds),
                     units_bytes(bytes, sizeof(bytes), sum->bytes));
    }
}

static void show_notes(struct page *page, const struct bench *b)
{
    bool first = true;

    for (int i = 0; i < session_notes(b->session); i++) {
        const char *note = session_note(b->session, i);

        if (strcmp(note, b->plan.chosen) == 0)
            continue; /* it stands above */
        if (first && page->y + 1 < page->in.rows)
            page_rule(page, "Notes");
        first = false;
        page->y += canvas_wrap(page->canvas, page->in, page->y, INK_TEXT, note);
    }
}

static void draw_error(const struct bench *b, struct canvas *canvas, struct rect in)
{
    char text[sizeof(b->err.where) + sizeof(b->err.text) + 8];
    int y;

    gp_format(text, sizeof(text), "%s%s%s", b->err.where, b->err.where[0] ? ": " : "", b->err.text);
    y = canvas_wrap(canvas, in, 0, INK_WARN, text);
    if (b->err.hint[0])
        y += canvas_wrap(canvas, in, y, INK_TEXT, b->err.hint);
    if (bench_state(b) == SESSION_BROKEN)
        canvas_wrap(canvas, in, y + 1, INK_TEXT, "r looks again");
}

static void draw_plan(const struct bench *b, struct canvas *canvas, struct rect in, bool focus)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};

    canvas_box(canvas, in, "The plan", focus ? "Enter: points" : NULL);
    if (focus)
        canvas_cursor(canvas, page.in, 0, 0);
    if (bench_state(b) == SESSION_LOOKING) {
        canvas_wrap(canvas, page.in, 0, INK_TEXT, "Querying the engines for devices.");
        return;
    }
    if (b->err.text[0] || !b->session) {
        draw_error(b, canvas, page.in);
        return;
    }
    show_figures(&page, b);
    show_devices(&page, b);
    char path[GP_PATH_MAX], text[GP_PATH_MAX];

    settings_results(path, sizeof(path));
    bench_fact(&page, LABEL, "results", "%s/", bench_path(text, sizeof(text), path));
    show_sums(&page, b);
    show_notes(&page, b);
}

/* ---- both ---- */

#define LEAST_COLS 36 /* of a panel: else the one in focus has all columns */

static void panel_rects(const struct bench *b, const struct frame *frame, struct rect out[PANELS])
{
    static const int weights[PANELS] = {1, 1};

    out[0] = out[1] = (struct rect){0};
    if (frame->size <= SIZE_ONE || frame->body.cols < PANELS * LEAST_COLS)
        out[b->panel == PANEL_PLAN ? PANEL_PLAN : PANEL_FORM] = frame->body;
    else
        frame_columns(frame->body, weights, PANELS, LEAST_COLS, out);
}

void bench_choose_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame)
{
    struct rect panel[PANELS];

    panel_rects(b, frame, panel);
    if (!rect_empty(panel[PANEL_FORM]))
        draw_form(b, canvas, panel[PANEL_FORM]);
    if (!rect_empty(panel[PANEL_PLAN]))
        draw_plan(b, canvas, panel[PANEL_PLAN], b->panel == PANEL_PLAN);
}

void bench_choose_click(struct app *app, struct bench *b, const struct frame *frame, int y, int x)
{
    struct rect panel[PANELS], inside;
    int row, lines = line_of(form_rows(b) - 1) + 1;

    (void)app;
    panel_rects(b, frame, panel);
    inside = rect_inside(panel[PANEL_FORM]);
    y += frame->body.y;
    x += frame->body.x;
    if (rect_empty(inside) || x < inside.x || x >= inside.x + inside.cols)
        return;
    row = row_on(b, y - inside.y + list_top(line_of(b->row), lines, inside.rows));
    if (row >= 0)
        b->row = row;
}

/* ---- changing ---- */

static void row_step(struct app *app, struct bench *b, int by)
{
    int which;

    if (form_row_of(b->row, &which) == ROW_OPTION)
        bench_step(app, b, bench_lines[which].id, by);
}

static void row_toggle(struct app *app, struct bench *b)
{
    int which;
    enum bench_row kind = form_row_of(b->row, &which);

    if (kind == ROW_TEST)
        b->values.tests ^= 1u << which;
    else if (kind == ROW_DEVICE && which < 64)
        b->values.left_out ^= (uint64_t)1 << which;
    else if (kind == ROW_MORE)
        bench_options_open(app, b, OPTION_COUNT);
    else
        row_step(app, b, 1);
    if (kind == ROW_TEST || kind == ROW_DEVICE)
        bench_changed(app, b);
}

static void start_or_edit(struct app *app, struct bench *b)
{
    int which;
    enum bench_row kind = form_row_of(b->row, &which);

    if (b->panel == PANEL_PLAN && b->line_count > 0) {
        struct strbuf out;

        strbuf_init(&out);
        session_dry_run(b->session, &out);
        pager_open(&app->display, "The plan", out.text);
        strbuf_fini(&out);
    } else if (b->panel == PANEL_PLAN || kind == ROW_START)
        bench_begin(app, b);
    else if (kind == ROW_OPTION)
        bench_edit(app, b, bench_lines[which].id);
    else
        row_toggle(app, b);
}

const char *bench_choose_word(const struct bench *b, enum action action)
{
    int which;
    enum bench_row kind = form_row_of(b->row, &which);
    bool read = b->panel == PANEL_PLAN, start = !read && kind == ROW_START;
    bool take = !read && (kind == ROW_TEST || kind == ROW_DEVICE);

    if (action == ACT_TOGGLE)
        return take ? "choose" : NULL;
    if (action == ACT_START)
        return start ? NULL : "start";
    return take ? NULL : start ? "start" : read ? "read" : "change";
}

bool bench_choose_act(struct app *app, struct bench *b, enum action action)
{
    int by = list_step(action, 8);

    b->row = list_clamp(b->row + by, 0, form_rows(b) - 1);
    if (by != 0)
        return true;
    switch (action) {
    case ACT_OPEN:
        start_or_edit(app, b);
        return true;
    case ACT_START:
        bench_begin(app, b);
        return true;
    case ACT_TOGGLE:
        row_toggle(app, b);
        return true;
    case ACT_LEFT:
    case ACT_RIGHT:
        row_step(app, b, action == ACT_LEFT ? -1 : 1);
        return true;
    case ACT_PANEL:
    case ACT_PANEL_BACK:
        b->panel = (b->panel + 1) % PANELS;
        return true;
    case ACT_OPTIONS:
        bench_options_open(app, b, OPTION_COUNT);
        return true;
    case ACT_AGAIN:
        bench_renew(app, b);
        return true;
    case ACT_STOP:
    case ACT_STOP_NOW:
        app_report(app, false, "nothing runs yet: F5 starts");
        return true;
    case ACT_SAVE_RESULT:
        app_report(app, false, "nothing is measured yet: F5 starts");
        return true;
    default:
        return false;
    }
}

void bench_choose_explain(const struct bench *b, struct strbuf *out)
{
    static const char *const words[] = {
        [ROW_START] = "Start: measures with what is chosen below; what is measured is "
                      "kept whatever happens.",
        [ROW_MORE] = "More: options that are rarely needed, such as force, rel-ci and "
                     "fill. Enter or o opens them; : takes them as well (rel-ci 2).",
        [ROW_DEVICE] = "Devices are measured at the same time, as they are used. d "
                       "shows what they do now.",
    };
    int which;
    enum bench_row kind = form_row_of(b->row, &which);

    strbuf_add(out, b->panel == PANEL_PLAN
                        ? "The plan: what a start would do. Enter lists every point."
                    : kind == ROW_TEST   ? test_rows[which].help
                    : kind == ROW_OPTION ? bench_lines[which].explain
                                         : words[kind]);
}
