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

#include "base/units.h"
#include "catalog/gpu.h"
#include "tui/list.h"
#include "tui/settings.h"

#define LABEL 8 /* columns of what is said of the plan */

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

/* Without what is free on it, which the plan says. */
static void device_text_short(char *text)
{
    char *free = strstr(text, " GiB free") ? strrchr(text, ',') : NULL;

    if (free)
        *free = '\0';
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
        if (gp_width(text) > inside.cols - 2 - scrolls && form_row_of(row, &which) == ROW_DEVICE)
            device_text_short(text);
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

static void show_folder(struct page *page)
{
    char path[GP_PATH_MAX], text[GP_PATH_MAX];

    settings_results(path, sizeof(path));
    bench_fact(page, LABEL, "results", "%s/", bench_path(text, sizeof(text), path));
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
    show_folder(&page);
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

static void show_points(struct app *app, const struct bench *b)
{
    struct strbuf out;

    strbuf_init(&out);
    session_dry_run(b->session, &out);
    pager_open(&app->display, "The plan", out.text);
    strbuf_fini(&out);
}

static void start_or_edit(struct app *app, struct bench *b)
{
    int which;
    enum bench_row kind = form_row_of(b->row, &which);

    if (b->panel == PANEL_PLAN && b->line_count > 0)
        show_points(app, b);
    else if (b->panel == PANEL_PLAN || kind == ROW_START)
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
