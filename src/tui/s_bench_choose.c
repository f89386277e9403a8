/*
 * s_bench_choose.c - Bench before a run: tests, how, devices, and what it will take.
 *
 * The form is on the left, what a start would do on the right: points, time, memory and
 * why this engine. Focus begins on "Start", so that Enter measures with what is there.
 */
#include "tui/s_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/gpu.h"
#include "util/units.h"

const struct bench_test_row bench_tests[BENCH_TESTS] = {
    {"gemm", "products of matrices",
     "gemm: y = x W for square matrices, or the shapes given: rate = 2 m n k / time, "
     "against the data sheet's.",
     false},
    {"batch", "the plan's layers by batch",
     "batch: the linear layers of the plan's model as one GPU holds them, for 1 to "
     "8192 "
     "tokens: where weights stop being the limit.",
     true},
    {"memory", "read, write and copy",
     "memory: bytes per second of the device's memory, beyond its caches: what bounds "
     "decoding.",
     false},
    {"transfer", "to and from the host",
     "transfer: host to device and back, pinned and pageable, and a file from storage.",
     false},
    {"decode", "a whole decoder step",
     "decode: one step of the plan's model with its layers, KV reads and head, for its "
     "users and context.",
     true},
    {"fit", "allocates what is planned",
     "fit: allocates the bytes per GPU that the plan asks for: does the plan fit for "
     "real?",
     true},
    {"allreduce", "sums over devices",
     "allreduce: the sum over all chosen devices, 1 KiB to 256 MiB; two devices or "
     "more.",
     false},
};

static const char *const types[] = {"",     "bf16", "fp16",       "fp8",   "int8",
                                    "fp32", "tf32", "fp16-acc16", "mxfp8", "nvfp4"};
static const char *const limits[] = {"", "1m", "5m", "15m", "30m", "1h", "2h"};
enum { TYPES = sizeof types / sizeof *types, LIMITS = sizeof limits / sizeof *limits };

enum { PANEL_FORM, PANEL_PLAN, PANELS };

/* ---- rows ---- */

int bench_rows(const struct bench *b)
{
    int found = b->session ? session_found(b->session) : 0;

    return 1 + BENCH_TESTS + 5 + found;
}

enum bench_row bench_row_of(const struct bench *b, int row, int *which)
{
    int after = row - 1 - BENCH_TESTS;

    (void)b;
    *which = 0;
    if (row <= 0)
        return ROW_START;
    if (after < 0) {
        *which = row - 1;
        return ROW_TEST;
    }
    if (after < 5)
        return (enum bench_row)(ROW_TYPES + after);
    *which = after - 5;
    return ROW_DEVICE;
}

/* Headings stand before the tests, before how they are done and before the devices. */
static int line_of(int row)
{
    return row + (row >= 1) + (row >= 1 + BENCH_TESTS) + (row >= 6 + BENCH_TESTS);
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
           : line == line_of(1 + BENCH_TESTS) - 1 ? "How"
           : line == line_of(6 + BENCH_TESTS) - 1 ? "Devices"
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
                  bench_time(time, sizeof time, b->plan.seconds));
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

static const char *or_word(const char *text, const char *otherwise)
{
    return text[0] ? text : otherwise;
}

static void row_text(const struct bench *b, int row, char *text, size_t size)
{
    const struct bench_form *f = &b->form;
    char part[160];
    int which;

    switch (bench_row_of(b, row, &which)) {
    case ROW_START:
        start_text(b, part, sizeof part);
        gp_format(text, size, "Start       %s", part);
        break;
    case ROW_TEST:
        gp_format(text, size, "[%c] %-10s%s", f->tests >> which & 1 ? 'x' : ' ',
                  bench_tests[which].name, bench_tests[which].what);
        break;
    case ROW_TYPES:
        gp_format(text, size, "Types       %s", or_word(f->types, "as the test does"));
        break;
    case ROW_SHAPES:
        gp_format(text, size, "Shapes      %s", or_word(f->shapes, "squares (gemm)"));
        break;
    case ROW_PRESET:
        gp_format(text, size, "Preset      %s", bench_presets[f->preset]);
        break;
    case ROW_LIMIT:
        gp_format(text, size, "Time limit  %s", or_word(f->limit, "none"));
        break;
    case ROW_ENGINE:
        gp_format(text, size, "Engine      %s", bench_engines[f->engine]);
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
    char text[320];

    canvas_box(canvas, in, "Measure", NULL);
    for (int y = 0; y < inside.rows && top + y < lines; y++) {
        int row = row_on(b, top + y);

        if (row < 0) {
            canvas_rule(canvas, inside, y, heading_on(top + y));
            continue;
        }
        row_text(b, row, text, sizeof text);
        canvas_fit(canvas, inside, y, 2, inside.cols - 2, INK_TEXT, text);
        if (row != b->row || b->panel != PANEL_FORM)
            continue;
        canvas_glyph(canvas, inside, y, 0, INK_KEY, GLYPH_CURSOR);
        canvas_ink(canvas, inside, y, 1, inside.cols - 1, INK_FOCUS);
        canvas_cursor(canvas, inside, y, 0);
    }
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

static void take_types(struct app *app, void *ctx, const char *id)
{
    struct bench *b = ctx;

    gp_copy(b->form.types, sizeof b->form.types, strcmp(id, "auto") == 0 ? "" : id);
    bench_changed(app, b);
}

static void take_preset(struct app *app, void *ctx, const char *id)
{
    struct bench *b = ctx;

    for (int i = 0; i < 3; i++)
        if (strcmp(id, bench_presets[i]) == 0)
            b->form.preset = i;
    bench_changed(app, b);
}

static void take_engine(struct app *app, void *ctx, const char *id)
{
    struct bench *b = ctx;

    if (b->stage != STAGE_CHOOSE) { /* it began while the list was open */
        app_report(app, false, "a run is on: the engine stays");
        return;
    }
    for (int i = 0; i < 3; i++)
        if (strcmp(id, bench_engines[i]) == 0)
            b->form.engine = i;
    b->form.left_out = 0;
    bench_renew(app, b);
}

static void choose_types(struct app *app, struct bench *b)
{
    struct choice *list = calloc(TYPES, sizeof *list);
    struct chooser_ask ask = {.title = "Types",
                              .choices = list,
                              .count = TYPES,
                              .many = true,
                              .marked = b->form.types,
                              .chosen = take_types,
                              .ctx = b};

    if (!list)
        return;
    gp_copy(list[0].id, sizeof list[0].id, "auto");
    gp_copy(list[0].text, sizeof list[0].text, "as the test does");
    gp_copy(list[0].more, sizeof list[0].more,
            "of batch and decode the plan's own, of gemm those the device is made for");
    for (int i = 1; i < TYPES; i++) {
        gp_copy(list[i].id, sizeof list[i].id, types[i]);
        gp_copy(list[i].text, sizeof list[i].text, types[i]);
    }
    chooser_open(app, &ask);
    free(list);
}

static void choose_word(struct app *app, struct bench *b, const char *title,
                        const char *const words[3], const char *const more[3], int at,
                        void (*chosen)(struct app *, void *, const char *))
{
    struct choice list[3];
    struct chooser_ask ask = {.title = title,
                              .choices = list,
                              .count = 3,
                              .selected = words[at],
                              .chosen = chosen,
                              .ctx = b};

    memset(list, 0, sizeof list);
    for (int i = 0; i < 3; i++) {
        gp_copy(list[i].id, sizeof list[i].id, words[i]);
        gp_copy(list[i].text, sizeof list[i].text, words[i]);
        gp_copy(list[i].more, sizeof list[i].more, more[i]);
    }
    chooser_open(app, &ask);
}

/* What is typed is tried: a plan that it makes impossible refuses it. */
static bool try_text(struct app *app, struct bench *b, char *value, size_t size,
                     enum option_id id, const char *text, struct gp_err *err)
{
    struct ask ask;

    memset(&ask, 0, sizeof ask);
    if (strcmp(text, "none") == 0)
        text = "";
    if (text[0] && ask_text(&ask, id, "", text, err))
        return false;
    if (strlen(text) >= size) {
        gp_fail(err, GP_E_USAGE, "", "", "that is too long");
        return false;
    }
    gp_copy(value, size, text);
    bench_changed(app, b);
    return true;
}

static bool take_limit(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct bench *b = ctx;

    return try_text(app, b, b->form.limit, sizeof b->form.limit, OPT_TIME_LIMIT, text,
                    err);
}

static bool take_shapes(struct app *app, void *ctx, const char *text,
                        struct gp_err *err)
{
    struct bench *b = ctx;

    return try_text(app, b, b->form.shapes, sizeof b->form.shapes, OPT_SHAPES, text,
                    err);
}

static void edit(struct app *app, struct bench *b, enum bench_row kind)
{
    static const char *const efforts[3] = {"a few points, 0.3 s each: a minute or two",
                                           "more points, 1 s each: the usual",
                                           "3 s each, for a narrow band"};
    static const char *const engines[3] = {
        "the GPUs where there are some, else the CPU", "NVIDIA GPUs", "the processor"};
    struct prompt_ask limit = {.label = "Time limit: ",
                               .text = b->form.limit,
                               .hint = "90s, 10m or 2h; empty: none",
                               .history = PROMPT_VALUE,
                               .done = take_limit,
                               .ctx = b};
    struct prompt_ask shapes = {.label = "Shapes: ",
                                .text = b->form.shapes,
                                .hint = "MxNxK, several with ',': 4096x8x4096",
                                .history = PROMPT_VALUE,
                                .done = take_shapes,
                                .ctx = b};

    if (kind == ROW_TYPES)
        choose_types(app, b);
    else if (kind == ROW_SHAPES)
        prompt_open(app, &shapes);
    else if (kind == ROW_LIMIT)
        prompt_open(app, &limit);
    else if (kind == ROW_PRESET)
        choose_word(app, b, "Preset", bench_presets, efforts, b->form.preset,
                    take_preset);
    else
        choose_word(app, b, "Engine", bench_engines, engines, b->form.engine,
                    take_engine);
}

static int step(int at, int by, int count)
{
    return (at + by + count) % count;
}

static int place_of(const char *const *words, int count, const char *word)
{
    for (int i = 0; i < count; i++)
        if (strcmp(words[i], word) == 0)
            return i;
    return 0;
}

static void change(struct app *app, struct bench *b, int by)
{
    struct bench_form *f = &b->form;
    int which;

    switch (bench_row_of(b, b->row, &which)) {
    case ROW_TYPES:
        gp_copy(f->types, sizeof f->types,
                types[step(place_of(types, TYPES, f->types), by, TYPES)]);
        break;
    case ROW_PRESET:
        f->preset = step(f->preset, by, 3);
        break;
    case ROW_LIMIT:
        gp_copy(f->limit, sizeof f->limit,
                limits[step(place_of(limits, LIMITS, f->limit), by, LIMITS)]);
        break;
    case ROW_ENGINE:
        take_engine(app, b, bench_engines[step(f->engine, by, 3)]);
        return;
    default:
        return;
    }
    bench_changed(app, b);
}

static void toggle(struct app *app, struct bench *b)
{
    int which;
    enum bench_row kind = bench_row_of(b, b->row, &which);

    if (kind == ROW_TEST)
        b->form.tests ^= 1u << which;
    else if (kind == ROW_DEVICE && which < 64)
        b->form.left_out ^= (uint64_t)1 << which;
    else {
        change(app, b, 1);
        return;
    }
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
        reader_open(app, "The plan", out.text);
        strbuf_fini(&out);
    } else if (b->panel == PANEL_PLAN || kind == ROW_START) {
        bench_begin(app, b);
    } else if (kind == ROW_TEST || kind == ROW_DEVICE) {
        toggle(app, b);
    } else {
        edit(app, b, kind);
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
        [ROW_TYPES] = "Types: which number formats. Left/Right for one, Enter for "
                      "several; what a device has not is reported as unsupported.",
        [ROW_SHAPES] = "Shapes of gemm: m outputs x n tokens x k inputs, as "
                       "4096x8x4096,4096x64x4096; empty: squares.",
        [ROW_PRESET] = "Preset: quick has a few points of 0.3 s, normal more of 1 s, "
                       "thorough gives each 3 s; all go through them twice.",
        [ROW_LIMIT] = "Time limit: stops after the point that runs then; the rest can "
                      "be resumed.",
        [ROW_ENGINE] =
            "Engine: auto takes the GPUs where there are some, else the CPU.",
        [ROW_DEVICE] = "Devices are measured at the same time, as they are used. d "
                       "shows what they do now.",
    };
    int which;
    enum bench_row kind = bench_row_of(b, b->row, &which);

    strbuf_add(out, b->panel == PANEL_PLAN
                        ? "The plan: what a start would do. Enter lists every point."
                    : kind == ROW_TEST ? bench_tests[which].explain
                                       : words[kind]);
}
