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

#include "core/gpu.h"
#include "util/units.h"

/* The options that have a row; the others are in a window (s_bench_options.c). */
static const struct option_line {
    enum option_id id;
    const char *label, *otherwise, *explain;
} bench[] = {
    {OPT_TYPE, "Types", "as the test does",
     "Types: which number formats. Left/Right for one, Enter for several; what a "
     "device has not is reported as unsupported."},
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
enum { OPTIONS = sizeof bench / sizeof *bench, BEFORE = 1 + TEST_COUNT + OPTIONS + 1 };

bool bench_option_row(enum option_id id)
{
    if (id == OPT_DEVICE) /* of which each has one */
        return true;
    for (int i = 0; i < OPTIONS; i++)
        if (bench[i].id == id)
            return true;
    return false;
}

enum { PANEL_FORM, PANEL_PLAN, PANELS };

/* ---- rows ---- */

int bench_rows(const struct bench *b)
{
    return BEFORE + (b->session ? session_found(b->session) : 0);
}

enum bench_row bench_row_of(const struct bench *b, int row, int *which)
{
    int after = row - 1 - TEST_COUNT;

    (void)b;
    *which = 0;
    if (row <= 0)
        return ROW_START;
    *which = after < 0 ? row - 1 : row >= BEFORE ? row - BEFORE : after;
    return after < 0          ? ROW_TEST
           : after < OPTIONS  ? ROW_OPTION
           : after == OPTIONS ? ROW_MORE
                              : ROW_DEVICE;
}

/* Headings stand before the tests, before how they are done and before the devices. */
static int line_of(int row)
{
    return row + (row >= 1) + (row >= 1 + TEST_COUNT) + (row >= BEFORE);
}

/* The row on a line of the form; -1 for a heading. */
static int row_on(const struct bench *b, int line)
{
    for (int row = 0; row < bench_rows(b); row++)
        if (line_of(row) == line)
            return row;
    return -1;
}

static const char *heading_on(int line)
{
    return line == line_of(1) - 1                 ? "Tests"
           : line == line_of(1 + TEST_COUNT) - 1 ? "How"
           : line == line_of(BEFORE) - 1          ? "Devices"
                                                  : NULL;
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
                  session_say_time(time, sizeof time, b->plan.seconds));
}

static void device_text(const struct bench *b, int i, char *text, size_t size)
{
    struct session_device d;
    char free[32] = "";

    if (!session_found_device(b->session, i, &d)) {
        gp_copy(text, size, "?");
        return;
    }
    if (isfinite(d.free))
        units_gib(free, sizeof free, d.free);
    gp_format(text, size, "%d %s%s%s%s", d.id, d.name, free[0] ? ", " : "", free,
              free[0] ? " free" : "");
}

static void row_text(const struct bench *b, int row, char *text, size_t size)
{
    const struct bench_form *f = &b->values;
    char part[160];
    int which;

    switch (bench_row_of(b, row, &which)) {
    case ROW_START:
        start_text(b, part, sizeof part);
        gp_format(text, size, "Start       %s", part);
        break;
    case ROW_TEST:
        gp_format(text, size, "[%c] %-10s%s", f->tests >> which & 1 ? 'x' : ' ',
                  test_rows[which].word, test_rows[which].title);
        break;
    case ROW_OPTION:
        gp_format(text, size, "%-12s%s", bench[which].label,
                  f->bench.value[bench[which].id][0] ? f->bench.value[bench[which].id]
                                                     : bench[which].otherwise);
        break;
    case ROW_MORE:
        bench_more_text(b, part, sizeof part);
        gp_format(text, size, "%-12s%s", "More", part);
        break;
    case ROW_DEVICE:
        device_text(b, which, part, sizeof part);
        gp_format(text, size, "[%c] %s", f->left_out >> which & 1 ? ' ' : 'x', part);
        break;
    }
}

static void draw_form(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct rect inside = rect_inside(in);
    int rows = bench_rows(b), lines = line_of(rows - 1) + 1;
    int top = bench_top(line_of(b->row), lines, inside.rows);
    bool scrolls = lines > inside.rows;
    char text[320];

    canvas_box(canvas, in, "Measure", NULL);
    for (int y = 0; y < inside.rows && top + y < lines; y++) {
        int row = row_on(b, top + y);

        if (row < 0) {
            canvas_rule(canvas, inside, y, heading_on(top + y));
            continue;
        }
        row_text(b, row, text, sizeof text);
        canvas_fit(canvas, inside, y, 2, inside.cols - 2 - scrolls, INK_TEXT, text);
        if (row != b->row || b->panel != PANEL_FORM)
            continue;
        canvas_glyph(canvas, inside, y, 0, INK_KEY, GLYPH_CURSOR);
        canvas_ink(canvas, inside, y, 1, inside.cols - 1, INK_FOCUS);
        canvas_cursor(canvas, inside, y, 0);
    }
    if (top > 0)
        canvas_glyph(canvas, inside, 0, inside.cols - 1, INK_KEY, GLYPH_UP);
    if (top + inside.rows < lines)
        canvas_glyph(canvas, inside, inside.rows - 1, inside.cols - 1, INK_KEY,
                     GLYPH_DOWN);
}

/* ---- both ---- */

static void panels(const struct bench *b, const struct frame *frame,
                   struct rect out[PANELS])
{
    static const int weights[PANELS] = {1, 1};

    out[0] = out[1] = (struct rect){0};
    if (frame->size <= SIZE_ONE)
        out[b->panel == PANEL_PLAN ? PANEL_PLAN : PANEL_FORM] = frame->body;
    else
        frame_columns(frame->body, weights, PANELS, 36, out);
}

void bench_choose_draw(const struct app *app, const struct bench *b,
                       struct canvas *canvas, const struct frame *frame)
{
    struct rect panel[PANELS];

    panels(b, frame, panel);
    if (!rect_empty(panel[PANEL_FORM]))
        draw_form(b, canvas, panel[PANEL_FORM]);
    if (!rect_empty(panel[PANEL_PLAN]))
        bench_plan_draw(app, b, canvas, panel[PANEL_PLAN], b->panel == PANEL_PLAN);
}

void bench_choose_click(struct app *app, struct bench *b, const struct frame *frame,
                        int y, int x)
{
    struct rect panel[PANELS], inside;
    int row, lines = line_of(bench_rows(b) - 1) + 1;

    (void)app;
    panels(b, frame, panel);
    inside = rect_inside(panel[PANEL_FORM]);
    y += frame->body.y;
    x += frame->body.x;
    if (rect_empty(inside) || x < inside.x || x >= inside.x + inside.cols)
        return;
    row = row_on(b, y - inside.y + bench_top(line_of(b->row), lines, inside.rows));
    if (row >= 0)
        b->row = row;
}

/* ---- changing ---- */

static void change(struct app *app, struct bench *b, int by)
{
    int which;

    if (bench_row_of(b, b->row, &which) == ROW_OPTION)
        bench_step(app, b, bench[which].id, by);
}

static void toggle(struct app *app, struct bench *b)
{
    int which;
    enum bench_row kind = bench_row_of(b, b->row, &which);

    if (kind == ROW_TEST)
        b->values.tests ^= 1u << which;
    else if (kind == ROW_DEVICE && which < 64)
        b->values.left_out ^= (uint64_t)1 << which;
    else if (kind == ROW_MORE)
        bench_options_open(app, b, OPTION_COUNT);
    else
        change(app, b, 1);
    if (kind == ROW_TEST || kind == ROW_DEVICE)
        bench_changed(app, b);
}

static void start_or_edit(struct app *app, struct bench *b)
{
    int which;
    enum bench_row kind = bench_row_of(b, b->row, &which);
    struct strbuf out;

    if (b->panel == PANEL_PLAN && b->line_count > 0) {
        strbuf_init(&out);
        session_dry_run(b->session, &out);
        pager_open(&app->display, "The plan", out.text);
        strbuf_fini(&out);
    } else if (b->panel == PANEL_PLAN || kind == ROW_START) {
        bench_begin(app, b);
    } else if (kind == ROW_TEST || kind == ROW_DEVICE) {
        toggle(app, b);
    } else if (kind == ROW_MORE) {
        bench_options_open(app, b, OPTION_COUNT);
    } else {
        bench_edit(app, b, bench[which].id);
    }
}

const char *bench_choose_word(const struct bench *b, enum action action)
{
    int which;
    enum bench_row kind = bench_row_of(b, b->row, &which);
    bool read = b->panel == PANEL_PLAN, start = !read && kind == ROW_START;
    bool take = !read && (kind == ROW_TEST || kind == ROW_DEVICE);

    if (action == ACT_TOGGLE)
        return take ? "choose" : NULL;
    if (action == ACT_START)
        return start ? NULL : "start";
    return take ? NULL : start ? "start" : read ? "read" : "change";
}

static bool move(struct bench *b, enum action action)
{
    int last = bench_rows(b) - 1;
    int to = action == ACT_UP          ? b->row - 1
             : action == ACT_DOWN      ? b->row + 1
             : action == ACT_PAGE_UP   ? b->row - 8
             : action == ACT_PAGE_DOWN ? b->row + 8
             : action == ACT_FIRST     ? 0
             : action == ACT_LAST      ? last
                                       : -100;

    if (to == -100)
        return false;
    b->row = to < 0 ? 0 : to > last ? last : to;
    return true;
}

bool bench_choose_act(struct app *app, struct bench *b, enum action action)
{
    if (move(b, action))
        return true;
    switch (action) {
    case ACT_OPEN:
        start_or_edit(app, b);
        return true;
    case ACT_START:
        bench_begin(app, b);
        return true;
    case ACT_TOGGLE:
        toggle(app, b);
        return true;
    case ACT_LEFT:
    case ACT_RIGHT:
        change(app, b, action == ACT_LEFT ? -1 : 1);
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
    enum bench_row kind = bench_row_of(b, b->row, &which);

    strbuf_add(out, b->panel == PANEL_PLAN
                        ? "The plan: what a start would do. Enter lists every point."
                    : kind == ROW_TEST   ? test_rows[which].help
                    : kind == ROW_OPTION ? bench[which].explain
                                         : words[kind]);
}
