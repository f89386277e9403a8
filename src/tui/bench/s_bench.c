/*
 * s_bench.c - the screen Bench: its session, its three pages, its life; see s_bench.h.
 *
 * Nothing here waits. A tick asks the session for what has happened, for at most
 * SLICE seconds, and says when it wants to be called again: soon while engines work,
 * once a second for the monitor, never while the user thinks.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/calibrate.h"
#include "answer/diagnose_print.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/units.h"
#include "catalog/gpu.h"
#include "measure/confirm.h"
#include "measure/devices.h"
#include "measure/diagnosing.h"
#include "measure/result/benchlog.h"
#include "tui/list.h"
#include "tui/settings.h"
#include "tui/toolkit/key.h"

#define SLICE 0.006 /* s of one tick */
#define SOON 0.05   /* s until the next, while engines work */

struct bench_diagnosis {
    struct diagnosing d;
    struct record doc; /* the verdict, when it is known */
    bool known;
};

/* What a session asks for, and the texts of it: the session outlives what the form
 * lends. */
struct bench_request {
    struct form form; /* as it was; its answer is the form's own, and gone when that plans again */
    struct gpu host;  /* the processors of its plan; has_host: there are some */
    bool has_host;
    struct bench_options bench;
    char tests[96], devices[256], resume[GP_PATH_MAX], folder[GP_PATH_MAX];
    struct options options;
    struct session_request how;
};

/* ---- rows that several panels have ---- */

void bench_fact(struct page *page, int indent, const char *label, const char *fmt, ...)
{
    const struct rect *in = &page->in;
    struct rect right = {in->y + page->y, in->x + indent, in->rows - page->y, in->cols - indent};
    struct strbuf text;
    va_list args;

    strbuf_init(&text);
    va_start(args, fmt);
    strbuf_addv(&text, fmt, args);
    va_end(args);
    canvas_text(page->canvas, *in, page->y, 0, INK_DIM, label);
    page->y += canvas_wrap(page->canvas, right, 0, INK_TEXT, text.text);
    strbuf_fini(&text);
}

/* A path under the home folder as "~/...". */
static char *bench_path(char *text, size_t size, const char *path)
{
    const char *home = getenv("HOME");
    size_t n = home ? strlen(home) : 0;

    if (n > 1 && strncmp(path, home, n) == 0 && path[n] == '/')
        gp_format(text, size, "~%s", path + n);
    else
        gp_copy(text, size, path);
    return text;
}

void bench_file(struct page *page, const char *name, const char *path)
{
    char text[GP_PATH_MAX + 2];
    const char *shown = bench_path(text, sizeof(text), path), *slash = strrchr(shown, '/');

    if (slash && gp_width(shown) > page->in.cols - 6)
        shown = slash + 1;
    if (page->canvas)
        canvas_text(page->canvas, page->in, page->y, 0, INK_DIM, name);
    page_row(page, 6, INK_TEXT, shown);
}

/* ---- the devices that are chosen ---- */

/* Without a session none is found. */
static int devices_found(const struct bench *b)
{
    return b->session ? session_found(b->session) : 0;
}

/* "0,2" when some are left out, "" for all. */
static void chosen_devices(const struct bench *b, char *text, size_t size)
{
    text[0] = '\0';
    for (int i = 0; i < devices_found(b) && b->values.left_out; i++)
        if (i >= 64 || !(b->values.left_out >> i & 1))
            gp_append(text, size, ",", "%d", i);
}

/* The opposite. */
static enum gp_status choose_devices(struct bench *b, const char *text, struct gp_err *err)
{
    int found = devices_found(b);
    uint64_t chosen = 0;

    while (*text) {
        char *end;
        unsigned long n = strtoul(text, &end, 10);

        if (end == text || (*end && *end != ',') || *text == '-')
            return gp_fail(err, GP_E_USAGE, "--device", "0,1 or all",
                           "'%.60s' is not a list of devices", text);
        if (n >= 64 || (int)n >= found)
            return gp_fail(err, GP_E_USAGE, "--device", "d shows them", "no device %lu here", n);
        chosen |= (uint64_t)1 << n;
        text = end + (*end == ',');
    }
    b->values.left_out = 0;
    for (int i = 0; chosen && i < found && i < 64; i++)
        if (!(chosen >> i & 1))
            b->values.left_out |= (uint64_t)1 << i;
    return GP_OK;
}

/* ---- the form as the options of --bench ---- */

static enum session_state bench_state(const struct bench *b) /* BROKEN without a session */
{
    return b->session ? session_state(b->session) : SESSION_BROKEN;
}

/* Does a test measure the model? */
static bool asks_model(const struct bench *b)
{
    return (b->values.tests & bench_tests_that(TEST_NEEDS_MODEL)) != 0;
}

static enum gp_status ask_fill(const struct bench *b, struct bench_request *ask, struct gp_err *err)
{
    const struct plan *plan = ask->form.answered ? &ask->form.answer->plan : NULL;
    struct options *options = &ask->options;
    enum gp_status rc = GP_OK;

    if (b->page == BENCH_PAGE_DIAGNOSE) {
        gp_copy(ask->tests, sizeof(ask->tests), DIAGNOSING_TESTS);
        diagnosing_options(&b->diagnosis->d, options);
    } else if (b->page == BENCH_PAGE_CONFIRM) {
        gp_copy(ask->tests, sizeof(ask->tests), plan ? confirm_tests(plan) : "memory,fit");
        form_write_options(&ask->form, options);
        if (plan && plan->request.gpu->host)
            rc = options_text(options, OPT_BACKEND, "confirm", "cpu", err);
    } else if (!ask->tests[0]) {
        rc = gp_fail(err, GP_E_USAGE, "", "Space takes one", "no test is chosen");
    } else if (b->values.left_out && !ask->devices[0] && devices_found(b)) {
        rc = gp_fail(err, GP_E_USAGE, "", "Space takes one", "no device is chosen");
    } else {
        if (asks_model(b))
            form_write_options(&ask->form, options);
        rc = bench_options_ask(&ask->bench, options, err);
        if (!rc && ask->devices[0])
            rc = options_text(options, OPT_DEVICE, "devices", ask->devices, err);
    }
    if (!rc && ask->resume[0])
        rc = options_text(options, OPT_RESUME, "journal", ask->resume, err);
    return rc;
}

/* The form as it is now; NULL: b->err says why it cannot be asked. */
static struct bench_request *ask_new(const struct app *app, struct bench *b)
{
    struct bench_request *ask = gp_calloc(1, sizeof(*ask));

    memset(&b->err, 0, sizeof(b->err));
    b->version = app->form->version;
    b->stale = false;
    ask->form = *app->form;
    if (app->form->answered && app->form->answer->plan.request.gpu) {
        ask->host = *app->form->answer->plan.request.gpu;
        ask->has_host = ask->host.host;
    }
    ask->bench = b->values.bench;
    ask->how = (struct session_request){.options = &ask->options,
                                        .planner = app->form->planner,
                                        .tests = ask->tests,
                                        .confirm = b->page == BENCH_PAGE_CONFIRM,
                                        .folder = ask->folder};
    bench_tests_list(b->values.tests, ask->tests, sizeof(ask->tests));
    chosen_devices(b, ask->devices, sizeof(ask->devices));
    gp_copy(ask->resume, sizeof(ask->resume), b->resume);
    settings_results(ask->folder, sizeof(ask->folder));
    if (ask_fill(b, ask, &b->err)) {
        free(ask);
        return NULL;
    }
    return ask;
}

/* ---- the session ---- */

static void lines_drop(struct bench *b)
{
    free(b->lines);
    b->lines = NULL;
    b->line_count = 0;
}

static void narrow_drop(struct bench *b)
{
    task_drop(&b->narrowing);
    b->narrow = NULL;
    b->so_far = quantity_unknown();
}

/* Devices and points are known: the list of points under headings, and the terms of Confirm. */
static void session_ready(const struct app *app, struct bench *b)
{
    int points = session_points(b->session), test = -1, count;
    struct session_point p;

    lines_drop(b);
    session_plan(b->session, &b->plan);
    b->host = NULL;
    if (strcmp(b->plan.backend, CPU_ID) == 0)
        planner_named_gpu(app->form->planner, CPU_ID, &b->host, &count, NULL);
    b->lines = gp_calloc((size_t)points * 2 + 1, sizeof(*b->lines));
    for (int i = 0; i < points && session_point(b->session, 0, i, &p); i++) {
        if ((int)p.point->test != test)
            b->lines[b->line_count++] = BENCH_HEADING(p.point->test);
        test = (int)p.point->test;
        b->lines[b->line_count++] = i;
    }
    free(b->confirm);
    b->confirm = NULL;
    if (b->page != BENCH_PAGE_CONFIRM || !app->form->answered)
        return;
    b->confirm = gp_calloc(1, sizeof(*b->confirm));
    b->confirm->before = *app->form->answer;
    if (b->confirm->before.plan.speed.gap == SPEED_KNOWN && confirm_find(b->confirm, b->session))
        confirm_predict(b->confirm, b->session);
}

/* The session and what it made. */
static void session_drop(struct bench *b)
{
    if (b->diagnosis) {
        if (!b->diagnosis->known && b->stage == STAGE_RUN)
            diagnosing_drop_journal(b->session);
        diagnosing_end(&b->diagnosis->d);
        record_fini(&b->diagnosis->doc);
        free(b->diagnosis);
        b->diagnosis = NULL;
    }
    narrow_drop(b);
    session_free(b->session);
    free(b->ask);
    free(b->confirm);
    b->session = NULL;
    b->ask = NULL;
    b->confirm = NULL;
    lines_drop(b);
}

static void bench_renew(struct app *app, struct bench *b)
{
    session_drop(b);
    for (int i = 0; i < BENCH_DEVICES; i++) {
        b->live[i].next = 0;
        gauges_init(&b->live[i].gauges);
    }
    b->stage = STAGE_CHOOSE;
    b->panel = b->notes = b->stopping = b->device = b->point = 0;
    b->saved[0] = b->unwritten[0] = '\0';
    b->wanted = false;
    b->follow = true;
    if (b->page == BENCH_PAGE_DIAGNOSE) {
        b->diagnosis = gp_calloc(1, sizeof(*b->diagnosis));
        diagnosing_begin(&b->diagnosis->d);
        record_init(&b->diagnosis->doc);
    }
    b->ask = ask_new(app, b);
    if (b->ask)
        b->session = session_new(&b->ask->how, &b->err);
    app_touch(app);
}

/* Same devices, another plan. */
static void bench_replan(struct app *app, struct bench *b)
{
    struct bench_request *ask = ask_new(app, b);

    lines_drop(b);
    app_touch(app);
    if (!ask)
        return;
    if (session_replan(b->session, &ask->how, &b->err) == GP_OK)
        session_ready(app, b);
    free(b->ask);
    b->ask = ask;
}

/* The form changed: plans anew. */
static void bench_changed(struct app *app, struct bench *b)
{
    if (bench_state(b) == SESSION_BROKEN)
        bench_renew(app, b);
    else
        b->stale = true;
    app_touch(app);
}

static void bench_begin(struct app *app, struct bench *b)
{
    enum session_state state = bench_state(b);
    struct session_device d;

    if (state == SESSION_LOOKING) {
        b->wanted = true;
        app_report(app, false, "starts as soon as the devices are known");
        return;
    }
    if (state == SESSION_READY && b->stale)
        bench_replan(app, b);
    b->wanted = false;
    if (state == SESSION_READY && !b->err.text[0]) {
        settings_make_results();
        session_start(b->session, &b->err);
    }
    if (state != SESSION_READY || b->err.text[0]) {
        app_report_err(app, &b->err);
        return;
    }
    for (int i = 0; i < BENCH_DEVICES && session_device(b->session, i, &d); i++)
        b->live[i].gauges.limit[GAUGE_MEMORY] = d.memory / GP_GIB;
    b->stage = STAGE_RUN;
    b->resume[0] = '\0';
    app->interrupted = false;
    b->panel = b->device = b->point = 0;
    b->follow = true;
    app_touch(app);
}

const struct gpu *bench_host(const struct bench *b)
{
    return b->ask && b->ask->has_host ? &b->ask->host : b->host;
}

bool bench_unfinished(const struct bench *b)
{
    return b->stage == STAGE_DONE && b->page != BENCH_PAGE_DIAGNOSE &&
           strcmp(session_status(b->session), "complete") != 0;
}

void bench_go_on(struct app *app, struct bench *b)
{
    bool some = session_can_resume(b->session); /* else it begins anew */

    gp_copy(b->resume, sizeof(b->resume), some ? b->plan.journal : "");
    bench_renew(app, b);
    b->wanted = bench_state(b) != SESSION_BROKEN;
    app_report(app, false, "%s as soon as the devices are known", some ? "goes on" : "starts");
}

/* ---- one option ---- */

#define LABEL 8 /* columns of what is said of the plan */

/* The options that have a row in the form; the others are in a window. */
#define BENCH_LINES 5
static const struct bench_option_line {
    enum option_id id;
    const char *label, *otherwise, *explain;
    const char *steps; /* what a step walks over, where it is not the words of the table */
    const char *hint;  /* what to type, where the table does not say it in few words */
} bench_lines[BENCH_LINES] = {
    {OPT_TYPE, "Types", "as the test does",
     "Types: which number formats. Left/Right for one, Enter for several; what a "
     "device lacks is reported as unsupported.",
     "|bf16|fp16|fp8|int8|fp32|fp32-pedantic|tf32|fp16-acc16|fp8-row|fp8-block|mxfp8|nvfp4", NULL},
    {OPT_SHAPES, "Shapes", "squares (gemm)",
     "Shapes of gemm: m outputs x n tokens x k inputs, as 4096x8x4096,4096x64x4096; "
     "empty: squares.",
     NULL, "MxNxK, several with ',': 4096x8x4096"},
    {OPT_PRESET, "Preset", "normal",
     "Preset: quick has a few points of 0.3 s, normal more of 1 s, thorough gives each "
     "3 s; all go through them twice.",
     NULL, NULL},
    {OPT_TIME_LIMIT, "Time limit", "none",
     "Time limit: stops after the point that runs then; the rest can be resumed.",
     "|1m|5m|15m|30m|1h|2h", "90s, 10m or 2h"},
    {OPT_BACKEND, "Engine", "auto",
     "Engine: auto takes the GPUs where there are some, else the CPU.", NULL, NULL},
};

/* Its row of the form; NULL: it has none. */
static const struct bench_option_line *option_line(enum option_id id)
{
    for (int i = 0; i < BENCH_LINES; i++)
        if (bench_lines[i].id == id)
            return &bench_lines[i];
    return NULL;
}

/* Other options; refused while a run is on. */
static enum gp_status options_set(struct app *app, struct bench *b,
                                  const struct bench_options *bench, struct gp_err *err)
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

static bool value_typed(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct bench *b = ctx;
    struct bench_options next = b->values.bench;

    return bench_options_put(&next, app->form->planner, b->edited, text, err) == GP_OK &&
           options_set(app, b, &next, err) == GP_OK;
}

/* A change by hand; says why where it cannot be, or not now. */
static void word_chosen(struct app *app, void *ctx, const char *word)
{
    struct gp_err err = {0};

    if (!value_typed(app, ctx, word, &err))
        app_report_err(app, &err);
}

static void option_change(struct app *app, struct bench *b, enum option_id id, const char *text)
{
    b->edited = id;
    word_chosen(app, b, text);
}

enum { WORDS = 16 };

/* The words that a step walks over, the default among them, as "" where it is none of
 * the table's. Returns how many; 0: this is no matter of words. */
static int words_of(enum option_id id, char word[WORDS][32], int *fallback)
{
    const struct option_row *row = &option_rows[id];
    const struct bench_option_line *line = option_line(id);
    const char *list = line && line->steps        ? line->steps
                       : row->type == OPTION_FLAG ? "off|on"
                                                  : row->choices;
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

static void option_step(struct app *app, struct bench *b, enum option_id id, int by)
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

/* The default's row has the id "auto", which means it wherever it is typed. */
static void option_choose(struct app *app, struct bench *b, enum option_id id)
{
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
    struct choice *list = gp_calloc(WORDS, sizeof(*list));
    const char *now = b->values.bench.value[id];
    char word[WORDS][32];
    int fallback, n = words_of(id, word, &fallback);
    struct chooser_spec options = {.title = option_rows[id].name,
                                   .choices = list,
                                   .count = n,
                                   .selected = now[0] ? now : "auto",
                                   .many = id == OPT_TYPE,
                                   .marked = now,
                                   .chosen = word_chosen,
                                   .ctx = b};

    for (int i = 0; i < n; i++) {
        const char *more = i == fallback ? "the default" : "";

        for (size_t k = 0; k < sizeof(said) / sizeof(said[0]); k++)
            if (said[k].id == id && strcmp(said[k].word, word[i]) == 0)
                more = said[k].more;
        gp_copy(list[i].id, sizeof(list[i].id), i == fallback ? "auto" : word[i]);
        gp_copy(list[i].text, sizeof(list[i].text),
                word[i][0] ? word[i] : option_rows[id].fallback);
        gp_copy(list[i].more, sizeof(list[i].more), more);
    }
    chooser_open(&app->display, &options);
    free(list);
}

static void option_edit(struct app *app, struct bench *b, enum option_id id)
{
    const struct option_row *row = &option_rows[id];
    const struct bench_option_line *line = option_line(id);
    char label[48], hint[160], range[80], fallback[80];
    struct prompt_spec options = {.label = label,
                                  .text = b->values.bench.value[id],
                                  .hint = hint,
                                  .history = PROMPT_VALUE,
                                  .done = value_typed,
                                  .ctx = b};

    b->edited = id;
    if (row->type == OPTION_FLAG) {
        option_step(app, b, id, 1);
    } else if (row->type == OPTION_WORD || id == OPT_TYPE) {
        option_choose(app, b, id);
    } else {
        gp_format(label, sizeof(label), "%s: ", row->name);
        gp_format(hint, sizeof(hint), "%s; empty: %s",
                  line && line->hint ? line->hint : bench_option_range(id, range, sizeof(range)),
                  bench_option_default(id, fallback, sizeof(fallback)));
        prompt_open(&app->display, &options);
    }
}

/* ---- the window of those without a row of their own ---- */

/* Of devices each has a row. */
static int list_more(enum option_id ids[OPTION_COUNT])
{
    int n = 0;

    for (int id = 0; id < OPTION_COUNT; id++)
        if (bench_option((enum option_id)id) && !option_line((enum option_id)id) &&
            id != OPT_DEVICE)
            ids[n++] = (enum option_id)id;
    return n;
}

struct window {
    struct overlay overlay;
    struct bench *b; /* outlives every window */
    enum option_id ids[OPTION_COUNT];
    int count, focus;
};

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
        option_step(app, w->b, id, action == ACT_LEFT ? -1 : 1);
    else if (action == ACT_TOGGLE && words)
        option_step(app, w->b, id, 1);
    else if (action == ACT_OPEN || action == ACT_TOGGLE)
        option_edit(app, w->b, id);
    overlay->passed = action == ACT_HELP || action == ACT_START;
    overlay->closed = action == ACT_BACK || action == ACT_QUIT || action == ACT_OPTIONS ||
                      action == ACT_START || key == KEY_CTRL('g');
}

/* Says in rows y.. of a list, in its last column, that there is more above and below. */
static void draw_ends(struct canvas *canvas, struct rect in, int y, int rows, int top, int count)
{
    if (top > 0)
        canvas_glyph(canvas, in, y, in.cols - 1, INK_KEY, GLYPH_UP);
    if (top + rows < count)
        canvas_glyph(canvas, in, y + rows - 1, in.cols - 1, INK_KEY, GLYPH_DOWN);
}

static void window_draw(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                        struct rect bottom)
{
    /* Where there is room; else a value stands with the default: "zeros, not uniform". */
    enum { COL_OPTION, COL_VALUE, COL_DEFAULT, COLUMNS };
    static const struct list_column columns[COLUMNS] = {
        {"option", 14, 0, false}, {"value", 13, 58, false}, {"default", 0, 0, false}};
    const struct window *w = (const struct window *)overlay;
    struct rect box = frame_middle(body, w->count + 6, 76), in = rect_inside(box);
    struct rect cells = {in.y, in.x + 2, in.rows, in.cols - 3}, help = in;
    struct list_table table = list_table(columns, COLUMNS, cells.cols);
    bool wide = table.cols[COL_VALUE] > 0, head = wide && in.rows > 10;
    int rows = in.rows - head - 1 - (wide ? 2 : 3); /* the rest is help */
    int top = list_top(w->focus, w->count, rows), y = head;
    const struct option_row *focus = &option_rows[w->ids[w->focus]];
    char range[120], text[BENCH_VALUE + 400];

    (void)bottom;
    canvas_fill(canvas, box);
    canvas_box(canvas, box, "More options of the measurement", NULL);
    canvas_accent(canvas, box);
    if (head)
        list_titles(canvas, cells, &table);
    for (int i = 0; i < rows && top + i < w->count; i++) {
        enum option_id id = w->ids[top + i];
        const char *value = w->b->values.bench.value[id];
        bool both = value[0] && !wide;

        gp_format(text, sizeof(text), "%s%s%s", both ? value : "", both ? ", not " : "",
                  bench_option_default(id, range, sizeof(range)));
        list_cell(canvas, cells, y + i, &table, COL_OPTION, INK_TEXT, option_rows[id].name);
        list_cell(canvas, cells, y + i, &table, COL_VALUE, INK_KEY, value[0] ? value : "-");
        list_cell(canvas, cells, y + i, &table, COL_DEFAULT, both ? INK_KEY : INK_DIM, text);
    }
    canvas_glyph(canvas, in, y + w->focus - top, 0, INK_FOCUS, GLYPH_CURSOR);
    list_focus(canvas, in, y + w->focus - top);
    draw_ends(canvas, in, y, rows, top, w->count);
    canvas_rule(canvas, in, y + rows, focus->name);
    help.y += y + rows + 1;
    help.rows -= y + rows + 1;
    gp_format(text, sizeof(text), "%s: %s",
              bench_option_range(w->ids[w->focus], range, sizeof(range)), focus->help);
    canvas_wrap(canvas, help, 0, INK_TEXT, text);
}

static void bench_options_open(struct app *app, struct bench *b, enum option_id focus)
{
    static const struct overlay_ops ops = {
        .size = sizeof(struct window),
        .draw = window_draw,
        .key = window_key,
        .bar = "Enter:change  Del:default  F5:start  Esc:back",
    };
    struct window *w = (struct window *)overlay_new(&ops);

    w->b = b;
    w->count = list_more(w->ids);
    for (int i = 0; i < w->count; i++)
        if (w->ids[i] == focus)
            w->focus = i;
    overlay_push(&app->display, &w->overlay);
}

/* ---- the form: tests, how, devices ----
 *
 * It is on the left, what a start would do on the right: points, time, memory and why this
 * engine. Focus begins on "Start", so that Enter measures with what is there. */

enum bench_row { ROW_START, ROW_TEST, ROW_OPTION, ROW_MORE, ROW_DEVICE };
enum { BEFORE = 1 + TEST_COUNT + BENCH_LINES + 1 }; /* rows before the devices */
enum { PANEL_FORM, PANEL_PLAN, PANELS };

static int form_rows(const struct bench *b)
{
    return BEFORE + devices_found(b);
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

/* free: with what is free on a device. */
static void row_text(const struct bench *b, int row, bool free, struct strbuf *out)
{
    const struct bench_form *f = &b->values;
    struct session_device d;
    enum option_id ids[OPTION_COUNT];
    const char *value;
    int which, set = 0;
    enum bench_row kind = form_row_of(row, &which);

    strbuf_clear(out);
    if (kind == ROW_START) {
        strbuf_add(out, "Start       ");
        if (bench_state(b) == SESSION_LOOKING)
            strbuf_add(out, "looking for devices");
        else if (b->err.text[0])
            strbuf_add(out, "cannot start yet");
        else
            strbuf_addf(out, "%d points, %s", b->plan.points * b->plan.devices,
                        BENCH_TIME(b->plan.seconds));
    } else if (kind == ROW_TEST) {
        strbuf_addf(out, "[%c] %-10s%s", f->tests >> which & 1 ? 'x' : ' ',
                    bench_test_word((enum bench_test)which), test_rows[which].title);
    } else if (kind == ROW_OPTION) {
        value = f->bench.value[bench_lines[which].id];
        strbuf_addf(out, "%-12s%s", bench_lines[which].label,
                    value[0] ? value : bench_lines[which].otherwise);
    } else if (kind == ROW_DEVICE) {
        strbuf_add(out, f->left_out >> which & 1 ? "[ ] " : "[x] ");
        if (!session_found_device(b->session, which, &d)) {
            strbuf_add(out, "?");
            return;
        }
        strbuf_addf(out, "%d %s", d.id, d.name);
        if (free && isfinite(d.free))
            strbuf_addf(out, ", %s free", UNITS_GIB(d.free));
    } else { /* "More   2 set: rel-ci 2, force" */
        int n = list_more(ids);

        for (int i = 0; i < n; i++)
            set += f->bench.value[ids[i]][0] != '\0';
        if (set == 0)
            strbuf_add(out, "More        options, none set");
        else
            strbuf_addf(out, "More        %d set:", set);
        for (int i = 0, told = 0; i < n; i++) {
            bool flag = option_rows[ids[i]].type == OPTION_FLAG;

            value = f->bench.value[ids[i]];
            if (value[0])
                strbuf_addf(out, "%s %s%s%s", told++ ? "," : "", option_rows[ids[i]].name,
                            flag ? "" : " ", flag ? "" : value);
        }
    }
}

static void draw_form(const struct bench *b, struct canvas *canvas, struct rect box)
{
    static const char *const headings[] = {
        [ROW_TEST] = "Tests", [ROW_OPTION] = "How", [ROW_DEVICE] = "Devices"};
    struct rect in = rect_inside(box);
    int lines = line_of(form_rows(b) - 1) + 1, top = list_top(line_of(b->row), lines, in.rows);
    int cols = in.cols - 2 - (lines > in.rows), which;
    struct strbuf text;

    strbuf_init(&text);
    canvas_box(canvas, box, "Measure", NULL);
    if (b->panel != PANEL_PLAN)
        canvas_accent(canvas, box);
    for (int y = 0; y < in.rows && top + y < lines; y++) {
        int row = row_on(b, top + y);

        if (row < 0) { /* of the kind of the row below it */
            canvas_rule(canvas, in, y, headings[form_row_of(row_on(b, top + y + 1), &which)]);
            continue;
        }
        row_text(b, row, true, &text);
        if (gp_width(text.text) > cols)
            row_text(b, row, false, &text);
        canvas_fit(canvas, in, y, 2, cols, INK_TEXT, text.text);
        if (row != b->row || b->panel != PANEL_FORM)
            continue;
        canvas_glyph(canvas, in, y, 0, INK_KEY, GLYPH_CURSOR);
        list_focus(canvas, in, y);
    }
    draw_ends(canvas, in, 0, in.rows, top, lines);
    strbuf_fini(&text);
}

/* ---- what a start would do ---- */

static void show_figures(struct page *page, const struct bench *b)
{
    const struct session_plan *p = &b->plan;
    bool cpu = strcmp(p->backend, "cpu") == 0, free;
    struct session_device d;
    double least = NAN; /* free on the device that has the least */
    char path[GP_PATH_MAX], text[GP_PATH_MAX];

    for (int i = 0; session_device(b->session, i, &d); i++)
        least = fmin(least, d.free);
    free = isfinite(least);
    bench_fact(page, LABEL, "points", "%d, %d passes on %d device%s", p->points, p->passes,
               p->devices, p->devices == 1 ? "" : "s");
    bench_fact(page, LABEL, "time", "about %s", BENCH_TIME(p->seconds));
    bench_fact(page, LABEL, "memory", "%s at once%s%s%s", BENCH_BYTES(p->bytes), free ? ", " : "",
               free ? UNITS_GIB(least) : "", free ? " free" : "");
    bench_fact(page, LABEL, "engine", "%s%s%s", p->backend, p->chosen[0] ? ": " : "", p->chosen);
    for (int i = 0; !cpu && session_device(b->session, i, &d); i++)
        bench_fact(page, LABEL, i ? "" : "profile", "%d is %s", d.id,
                   d.gpu ? d.gpu->id : "not in the catalogue: nothing is predicted");
    settings_results(path, sizeof(path));
    bench_fact(page, LABEL, "results", "%s/", bench_path(text, sizeof(text), path));
}

/* Of each test's points: how many, how long all passes take, the most memory at once. */
static void show_sums(struct page *page, const struct bench *b)
{
    struct session_point p;

    page_rule(page, "Points, time, memory");
    for (int i = 0; i < b->line_count;) {
        enum bench_test test = (enum bench_test)BENCH_HEADING(b->lines[i]);
        double seconds = 0, bytes = 0;
        int first = ++i;

        for (; i < b->line_count && b->lines[i] >= 0; i++)
            if (session_point(b->session, 0, b->lines[i], &p)) {
                seconds += p.seconds * b->plan.passes;
                bytes = fmax(bytes, p.bytes);
            }
        canvas_textf(page->canvas, page->in, page->y++, 0, INK_TEXT, "%-9s %4d  %12s  %8s",
                     bench_test_word(test), i - first, BENCH_TIME(seconds), BENCH_BYTES(bytes));
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

static void draw_plan(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};
    bool focus = b->panel == PANEL_PLAN;

    canvas_box(canvas, in, "The plan", focus ? "Enter: points" : NULL);
    if (focus)
        canvas_accent(canvas, in);
    if (focus)
        canvas_cursor(canvas, page.in, 0, 0);
    if (bench_state(b) == SESSION_LOOKING) {
        canvas_wrap(canvas, page.in, 0, INK_TEXT, "Querying the engines for devices.");
    } else if (b->err.text[0] || !b->session) {
        page_wordsf(&page, 0, INK_WARN, "%s%s%s", b->err.where, b->err.where[0] ? ": " : "",
                    b->err.text);
        page_words(&page, 0, INK_TEXT, b->err.hint);
        page.y++;
        if (bench_state(b) == SESSION_BROKEN)
            page_words(&page, 0, INK_TEXT, "r looks again");
    } else {
        show_figures(&page, b);
        show_sums(&page, b);
        show_notes(&page, b);
    }
}

/* ---- both ---- */

#define LEAST_COLS 36 /* of a panel: else the one in focus has all columns */

#define POINTS_LEAST 12 /* rows of the list of points, so that it is worth them */

/* *points: below both, where rows are left, what would be measured. */
static void panel_rects(const struct bench *b, const struct frame *frame, struct rect out[PANELS],
                        struct rect *points)
{
    static const int weights[PANELS] = {1, 1};
    struct rect body = frame->body;
    int rows = line_of(form_rows(b) - 1) + 3;

    out[0] = out[1] = *points = (struct rect){0};
    if (frame->size <= SIZE_ONE || body.cols < PANELS * LEAST_COLS) {
        out[b->panel == PANEL_PLAN ? PANEL_PLAN : PANEL_FORM] = body;
        return;
    }
    if (body.rows - rows >= POINTS_LEAST && b->line_count > 0) {
        *points = (struct rect){body.y + rows, body.x, body.rows - rows, body.cols};
        body.rows = rows;
    }
    frame_columns(body, weights, PANELS, LEAST_COLS, out);
}

static void choose_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame)
{
    struct rect panel[PANELS], points;

    panel_rects(b, frame, panel, &points);
    if (!rect_empty(points))
        bench_points_draw(b, canvas, points);
    if (!rect_empty(panel[PANEL_FORM]))
        draw_form(b, canvas, panel[PANEL_FORM]);
    if (!rect_empty(panel[PANEL_PLAN]))
        draw_plan(b, canvas, panel[PANEL_PLAN]);
}

static void choose_click(struct bench *b, const struct frame *frame, int y, int x)
{
    struct rect panel[PANELS], points, in;
    int row, lines = line_of(form_rows(b) - 1) + 1;

    panel_rects(b, frame, panel, &points);
    in = rect_inside(panel[PANEL_FORM]);
    y += frame->body.y - in.y;
    x += frame->body.x - in.x;
    if (rect_empty(in) || x < 0 || x >= in.cols)
        return;
    row = row_on(b, y + list_top(line_of(b->row), lines, in.rows));
    if (row >= 0)
        b->row = row;
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
    else if (kind == ROW_OPTION)
        option_step(app, b, bench_lines[which].id, 1);
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
        option_edit(app, b, bench_lines[which].id);
    else
        row_toggle(app, b);
}

static const char *choose_word(const struct bench *b, enum action action)
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

static bool choose_act(struct app *app, struct bench *b, enum action action)
{
    int by = list_step(action, 8), which;

    b->row = list_clamp(b->row + by, 0, form_rows(b) - 1);
    if (action == ACT_OPEN)
        start_or_edit(app, b);
    else if (action == ACT_START)
        bench_begin(app, b);
    else if (action == ACT_TOGGLE)
        row_toggle(app, b);
    else if (action == ACT_PANEL || action == ACT_PANEL_BACK)
        b->panel = (b->panel + 1) % PANELS;
    else if (action == ACT_STOP || action == ACT_STOP_NOW)
        app_report(app, false, "nothing runs yet: F5 starts");
    else if (action == ACT_SAVE_RESULT)
        app_report(app, false, "nothing is measured yet: F5 starts");
    else if (action != ACT_LEFT && action != ACT_RIGHT)
        return by != 0;
    else if (form_row_of(b->row, &which) == ROW_OPTION)
        option_step(app, b, bench_lines[which].id, action == ACT_LEFT ? -1 : 1);
    return true;
}

static const char *choose_explain(const struct bench *b)
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

    return b->panel == PANEL_PLAN ? "The plan: what a start would do. Enter lists every point."
           : kind == ROW_TEST     ? test_rows[which].help
           : kind == ROW_OPTION   ? bench_lines[which].explain
                                  : words[kind];
}

/* ---- Confirm: what the plan on the form rests on, predicted before the run and measured after
 * it; then the plan turns to what was measured ----
 *
 * The result is kept by the session itself (calibrate.h); w saves it under a name besides,
 * D removes what is kept of the planned GPU. */

/* Has the plan come that was asked for anew? */
static void confirm_tick(struct app *app, struct bench *b)
{
    struct confirm *c = b->confirm;

    if (b->refresh == REFRESH_NOT || app->form->planning)
        return;
    if (c && b->refresh == REFRESH_MEASURED && app->form->answered) {
        c->after = *app->form->answer;
        c->measured = confirm_counts(c) && c->after.resolved.calibrated[0];
    }
    b->refresh = REFRESH_NOT;
    b->version = app->form->version;
    app_touch(app);
}

/* ---- the plan's TPOT while it is measured: beside the screen, as a plan takes a while ---- */

struct narrowing {
    struct resolved before;
    struct benchlog log; /* so far */
    struct quantity tpot;
};

static bool narrow_unit(void *ctx, int i, struct planner *planner)
{
    struct narrowing *n = ctx;

    (void)i;
    n->tpot = confirm_so_far(&n->before, planner, &n->log);
    return false;
}

static void narrow_free(void *ctx)
{
    struct narrowing *n = ctx;

    benchlog_fini(&n->log);
    free(n);
}

static void narrow_begin(struct app *app, struct bench *b)
{
    static const struct task_ops ops = {TASK_SCREEN, narrow_unit, narrow_free};
    struct benchlog log;

    if (!confirm_counts(b->confirm) || !session_so_far(b->session, &log))
        return;
    task_drop(&b->narrowing);
    b->narrow = gp_calloc(1, sizeof(*b->narrow));
    b->narrow->before = b->confirm->before.resolved;
    b->narrow->log = log;
    b->narrowing = task_begin(app->worker, &ops, b->narrow);
}

static void narrow_tick(struct app *app, struct bench *b)
{
    if (!b->narrowing || !task_finished(b->narrowing))
        return;
    if (b->narrow->tpot.known)
        b->so_far = b->narrow->tpot;
    task_drop(&b->narrowing);
    b->narrow = NULL;
    app_touch(app);
}

/* The form answered again, with what is kept now. */
static void plan_refresh(struct app *app)
{
    planner_measured_anew(app->form->planner);
    worker_reload_measurements(app->worker);
    form_again(app->form);
}

/* The same model on what is here: one step of undo, and a start. */
static void confirm_here(struct app *app, struct bench *b)
{
    const struct confirm *c = b->confirm;
    struct gp_err err = {0};
    char given[2 * GPU_ID_MAX];

    gp_format(given, sizeof(given), "--gpu %s",
              strcmp(b->plan.backend, "cpu") == 0 ? "cpu" : c->here);
    if (form_options(app->form, given, &err))
        app_report_err(app, &err);
    else
        app_report(app, false, "planned on %s; u takes it back", c->here);
    b->adopt = !err.code;
}

static void drop_kept(struct app *app, void *ctx)
{
    struct bench *b = ctx;
    const char *gpu = app->form->answered ? app->form->answer->plan.request.gpu->id : "";
    int dropped = calibration_drop(gpu);

    if (dropped > 0) {
        plan_refresh(app);
        b->refresh = REFRESH_DROPPED;
        confirm_tick(app, b);
    }
    app_report(app, false,
               dropped > 0 ? "the measurements of %s are dropped" : "nothing is kept for %s",
               gpu[0] ? gpu : "it");
}

/* What took minutes to measure is not gone by one key. */
static void confirm_drop(struct app *app, struct bench *b)
{
    char question[300];

    gp_format(question, sizeof(question),
              "Forget what was measured of %s? Plans estimate it again.",
              app->form->answered ? app->form->answer->plan.request.gpu->id : "the GPU");
    question_open(&app->display, question, drop_kept, b);
}

/* ---- Diagnose: why is this device slow? ----
 *
 * The key starts it: a session beside the screen with the options of --bench --diagnose, and
 * when it is over the same verdict in words, with its evidence. Nothing is kept but that. */

/* The verdict; NULL: it is not known. */
static const struct record *verdict_of(const struct bench *b)
{
    return b->diagnosis && b->diagnosis->known ? &b->diagnosis->doc : NULL;
}

static enum ink line_ink(const char *line)
{
    static const struct {
        const char *begins;
        enum ink ink;
    } inks[] = {
        {"healthy:", INK_OK},   {"slow:", INK_WARN},    {"broken:", INK_BAD},
        {"unknown:", INK_WARN}, {"evidence:", INK_DIM}, {"not told", INK_DIM},
    };

    for (size_t i = 0; i < sizeof(inks) / sizeof(inks[0]); i++)
        if (strncmp(line, inks[i].begins, strlen(inks[i].begins)) == 0)
            return inks[i].ink;
    return INK_TEXT;
}

/* "  clock   2300 MHz" after "clock 2000 MHz": the same facts in fewer rows. */
static void add_fact(struct strbuf *facts, char *line)
{
    const char *between = facts->len > 0 ? ", " : "";

    for (char *word; (word = strsep(&line, " "));)
        if (word[0]) {
            strbuf_addf(facts, "%s%s", between, word);
            between = " ";
        }
}

static void show_facts(struct page *page, struct strbuf *facts)
{
    if (facts->len > 0)
        page_words(page, 2, INK_TEXT, facts->text);
    strbuf_clear(facts);
}

/* The text of the command, its facts one after the other. */
static void show_verdict(struct page *page, const struct record *doc)
{
    struct strbuf text, facts;
    bool told = false;

    strbuf_init(&text);
    strbuf_init(&facts);
    diagnose_text(doc, &text);
    for (char *at = text.text, *line; (line = strsep(&at, "\n")) && at;) {
        told = strcmp(line, "evidence:") == 0 || (told && line[0] == ' ');
        if (told && line[0] == ' ') {
            add_fact(&facts, line);
            continue;
        }
        show_facts(page, &facts);
        page_words(page, 2, line_ink(line), line);
    }
    show_facts(page, &facts);
    strbuf_fini(&facts);
    strbuf_fini(&text);
}

static void diagnose_draw(const struct bench *b, struct canvas *canvas, struct rect box)
{
    struct page page = {.canvas = canvas, .in = rect_inside(box)};

    canvas_box(canvas, box, "Diagnose", "why is this device slow?");
    if (verdict_of(b))
        show_verdict(&page, verdict_of(b));
    else if (b->err.text[0])
        page_words(&page, 0, INK_BAD, b->err.text);
    else if (bench_state(b) == SESSION_LOOKING)
        page_words(&page, 0, INK_TEXT, "looks for devices");
    else
        page_words(&page, 0, INK_TEXT,
                   "F5 measures for less than a minute and says why a device "
                   "is slow; p all of Bench");
    if (page.y > page.in.rows) /* not all of it */
        canvas_glyph(canvas, page.in, page.in.rows - 1, page.in.cols - 1, INK_TEXT, GLYPH_MORE);
    canvas_cursor(canvas, page.in, 0, 0);
}

static void diagnose_read(struct app *app, const struct record *verdict)
{
    struct strbuf out;

    strbuf_init(&out);
    diagnose_text(verdict, &out);
    pager_open(&app->display, "Diagnose", out.text);
    strbuf_fini(&out);
}

static void diagnose_start(struct app *app, struct bench *b)
{
    b->page = BENCH_PAGE_DIAGNOSE;
    bench_renew(app, b);
    b->wanted = bench_state(b) != SESSION_BROKEN;
    if (!b->wanted)
        app_report_err(app, &b->err);
}

/* The keys of both pages: turn them, start, drop what is kept; there is no form to change. */
static bool page_act(struct app *app, struct bench *b, enum action action)
{
    bool diagnose = b->page == BENCH_PAGE_DIAGNOSE && b->stage != STAGE_RUN;
    bool confirm = b->page == BENCH_PAGE_CONFIRM && b->stage == STAGE_CHOOSE;
    bool start = action == ACT_START || action == ACT_OPEN;

    if ((action == ACT_CONFIRM || action == ACT_DIAGNOSE) && b->stage == STAGE_RUN) {
        app_report(app, true, "it runs: x stops after the point");
    } else if (action == ACT_CONFIRM) {
        b->page = b->page == BENCH_PAGE_TESTS ? BENCH_PAGE_CONFIRM : BENCH_PAGE_TESTS;
        bench_renew(app, b);
    } else if (action == ACT_DROP) {
        confirm_drop(app, b);
    } else if (diagnose && action == ACT_OPEN && verdict_of(b)) {
        diagnose_read(app, verdict_of(b));
    } else if (action == ACT_DIAGNOSE || (diagnose && (action == ACT_AGAIN || start))) {
        diagnose_start(app, b);
    } else if (diagnose && action == ACT_SAVE_RESULT) {
        app_report(app, false, "no result is kept: e writes the verdict");
    } else if (confirm && start && b->confirm && b->confirm->terms > 0) {
        bench_begin(app, b);
    } else if (confirm && start && b->confirm && b->confirm->here[0]) {
        confirm_here(app, b);
    } else if (confirm && start) {
        app_report(app, true, "nothing to confirm here");
    } else {
        return (diagnose || confirm) &&
               (action == ACT_TOGGLE || action == ACT_OPTIONS || action == ACT_LEFT ||
                action == ACT_RIGHT || action == ACT_PANEL || action == ACT_PANEL_BACK);
    }
    return true;
}

/* ---- events ---- */

static void finish_run(struct app *app, struct bench *b)
{
    struct bench_diagnosis *diagnosis = b->diagnosis;
    struct gp_err err = {0};
    char text[480];

    narrow_drop(b);
    b->unwritten[0] = '\0';
    if (session_finish(b->session, &err)) {
        gp_copy(b->unwritten, sizeof(b->unwritten), err.text);
        gp_sanitize(b->unwritten);
        app_report_err(app, &err);
    } else {
        app_report(app, strcmp(session_status(b->session), "failed") == 0, "%s",
                   session_outcome(b->session, text, sizeof(text)));
    }
    session_plan(b->session, &b->plan);
    if (diagnosis) {
        diagnosing_finish(&diagnosis->d, b->session);
        enum diagnose_status worst = diagnosing_record(&diagnosis->d, &diagnosis->doc);
        diagnosis->known = true;
        app_report(app, worst >= DIAGNOSE_SLOW, "diagnosed: %s%s", diagnose_status_word(worst),
                   b->stopping ? ", of what was measured until it was stopped" : "");
    } else {
        if (b->confirm)
            confirm_measure(b->confirm, b->session);
        if (session_log(b->session))
            plan_refresh(app);
        b->refresh = REFRESH_MEASURED;
        confirm_tick(app, b);
    }
    b->stage = STAGE_DONE;
    b->panel = app_frame(app).size <= SIZE_ONE ? BENCH_WORDS : BENCH_POINTS;
}

static void take_event(struct app *app, struct bench *b, const struct session_event *event,
                       double now)
{
    if (b->diagnosis)
        diagnosing_event(&b->diagnosis->d, b->session, event);
    switch (event->kind) {
    case SESSION_EVENT_READY:
        session_ready(app, b);
        if (b->wanted)
            bench_begin(app, b);
        break;
    case SESSION_EVENT_FAILED:
        b->err = event->err;
        b->wanted = false;
        b->resume[0] = '\0';
        break;
    case SESSION_EVENT_BEGIN:
        if (b->follow && event->device == b->device)
            b->point = event->index;
        break;
    case SESSION_EVENT_POINT:
        if (b->confirm) {
            confirm_measure(b->confirm, b->session);
            narrow_begin(app, b);
        }
        break;
    case SESSION_EVENT_SENSORS:
        bench_sensors(b, event, now);
        break;
    case SESSION_EVENT_NOTE:
    case SESSION_EVENT_LOST:
        if (b->notes == BENCH_NOTES)
            memmove(b->note, b->note + 1, sizeof(b->note[0]) * (size_t)--b->notes);
        gp_copy(b->note[b->notes], sizeof(b->note[0]), event->text);
        gp_sanitize(b->note[b->notes++]);
        if (!(b->stage == STAGE_RUN && app->screen == SCREEN_BENCH && !b->monitor &&
              app_frame(app).size > SIZE_ONE))
            app_report(app, event->kind == SESSION_EVENT_LOST, "%s", event->text);
        break;
    case SESSION_EVENT_OVER:
        finish_run(app, b);
        break;
    default:
        break;
    }
    app_touch(app);
}

static double bench_tick(struct app *app, void *state, double now)
{
    struct bench *b = state;
    double wish = -1, look = -1; /* s; < 0: not at all */
    double begin, at;
    enum session_state is;
    struct session_event event;

    confirm_tick(app, b);
    if (b->adopt && !app->form->planning) {
        b->adopt = false;
        bench_renew(app, b);
        b->wanted = bench_state(b) != SESSION_BROKEN;
    }
    if (b->stage == STAGE_CHOOSE && b->refresh == REFRESH_NOT && bench_state(b) == SESSION_READY &&
        (b->stale || (b->version != app->form->version && app->screen == SCREEN_BENCH)))
        bench_replan(app, b);
    at = begin = clock_now();
    for (int quiet = 0; quiet < 8 && at - begin < SLICE; at = clock_now()) {
        is = bench_state(b);
        if (is != SESSION_LOOKING && is != SESSION_WORKING)
            break;
        if (session_step(b->session, 0, &event))
            take_event(app, b, &event, at);
        else
            quiet++;
    }
    narrow_tick(app, b);
    is = bench_state(b);
    if (is == SESSION_LOOKING || is == SESSION_WORKING)
        wish = SOON;
    if (b->stage == STAGE_RUN && bench_seconds(b, now))
        app_touch(app);
    if (b->monitor && app->screen == SCREEN_BENCH)
        look = devices_view_tick(app, b->view, now);
    return wish < 0 ? look : look < 0 ? wish : fmin(wish, look);
}

/* ---- opening, closing ---- */

static void open_bench(struct app *app, void *state)
{
    const struct answer *a = app->form->answered ? app->form->answer : NULL;
    struct bench *b = state;

    b->values.tests = bench_tests_that(TEST_IS_CHOSEN);
    gp_copy(b->values.bench.value[OPT_PRESET], BENCH_VALUE, "quick");
    if (a && (a->resolved.gpu_local || a->plan.request.gpu->host)) /* of a plan of this machine */
        b->page = BENCH_PAGE_CONFIRM;
    bench_renew(app, b);
}

static void bench_show(struct app *app, void *state)
{
    struct bench *b = state;

    if (b->stage == STAGE_CHOOSE && b->version != app->form->version)
        bench_changed(app, b);
}

static void close_bench(struct app *app, void *state)
{
    struct bench *b = state;

    (void)app;
    session_drop(b);
    devices_view_free(b->view);
}

/* ---- keys ---- */

static bool bench_act(struct app *app, void *state, enum action action)
{
    struct bench *b = state;

    app_touch(app);
    if (action == ACT_DEVICES || (b->monitor && action == ACT_BACK)) {
        b->monitor = !b->monitor;
        if (b->monitor && !b->view)
            b->view = devices_view_new();
        return true;
    }
    if (b->stage == STAGE_DONE && action == ACT_SCREEN_CURVES && session_log(b->session))
        curves_show_log(app, session_log(b->session)); /* and then it is shown */
    if (b->stage == STAGE_RUN && (action == ACT_STOP || action == ACT_STOP_NOW)) {
        b->stopping = action == ACT_STOP_NOW || b->stopping ? 2 : 1;
        session_stop(b->session, b->stopping == 2 ? SESSION_NOW : SESSION_AFTER_POINT, 0);
        return true;
    }
    if (b->monitor)
        return devices_view_act(b->view, action);
    if (page_act(app, b, action))
        return true;
    if (b->stage != STAGE_RUN && (action == ACT_OPTIONS || action == ACT_AGAIN)) {
        if (action == ACT_AGAIN)
            bench_renew(app, b);
        else
            bench_options_open(app, b, b->stage == STAGE_DONE ? OPT_FORCE : OPTION_COUNT);
        return true;
    }
    if (b->stage == STAGE_CHOOSE)
        return choose_act(app, b, action);
    if (b->stage == STAGE_DONE && bench_done_act(app, b, action))
        return true;
    if (action == ACT_START || action == ACT_OPEN || action == ACT_TOGGLE ||
        action == ACT_OPTIONS) {
        app_report(app, false,
                   b->stage == STAGE_RUN ? "it runs: x stops after the point, X now"
                                         : "r goes back to choosing, for another run");
        return true;
    }
    if (action == ACT_PANEL || action == ACT_PANEL_BACK) {
        bench_live_act(app, b, action);
        return true;
    }
    return bench_points_act(b, action, app->display.rows > 12 ? app->display.rows - 10 : 4);
}

/* ":rel-ci 2 force"; the devices are kept as rows and not as a text. */
static enum gp_status take_options(struct app *app, void *state, const char *line,
                                   struct gp_err *err)
{
    struct bench *b = state;
    struct bench_options next = b->values.bench;
    char *devices = next.value[OPT_DEVICE], before[BENCH_VALUE];
    uint64_t left_out = b->values.left_out;

    chosen_devices(b, devices, BENCH_VALUE);
    gp_copy(before, sizeof(before), devices);
    enum gp_status rc = bench_options_line(&next, app->form->planner, line, err);
    if (!rc && strcmp(before, devices) != 0)
        rc = choose_devices(b, devices, err);
    memset(devices, 0, BENCH_VALUE);
    if (!rc)
        rc = options_set(app, b, &next, err);
    if (rc)
        b->values.left_out = left_out;
    else if (b->values.left_out != left_out)
        bench_changed(app, b);
    return rc;
}

/* The word of an action that the stage takes; NULL: it takes no such action. */
static const char *bench_word(const void *state, enum action action)
{
    const struct bench *b = state;
    bool choose = b->stage == STAGE_CHOOSE && !b->monitor;
    bool done = b->stage == STAGE_DONE && !b->monitor;

    switch (action) {
    case ACT_OPEN:
    case ACT_START:
    case ACT_TOGGLE:
        return choose                       ? choose_word(b, action)
               : done && action == ACT_OPEN ? "read"
               : done && action == ACT_START && bench_unfinished(b)
                   ? (session_can_resume(b->session) ? "go on" : "try again")
                   : NULL;
    case ACT_CONFIRM: /* the other page */
        return b->monitor || b->stage == STAGE_RUN ? NULL
               : b->page == BENCH_PAGE_TESTS       ? "confirm"
                                                   : "all tests";
    case ACT_DIAGNOSE:
        return b->monitor || b->stage == STAGE_RUN ? NULL
               : b->page == BENCH_PAGE_DIAGNOSE    ? "again"
                                                   : action_rows[action].word;
    case ACT_STOP:
    case ACT_STOP_NOW:
        return b->stage == STAGE_RUN ? action_rows[action].word : NULL;
    case ACT_OPTIONS:
        return choose || (done && session_some_busy(b->session)) ? action_rows[action].word : NULL;
    case ACT_EXPORT: /* of a plan: seldom wanted */
        return choose ? NULL : action_rows[action].word;
    case ACT_AGAIN:
    case ACT_SAVE_RESULT:
        return done && b->page != BENCH_PAGE_DIAGNOSE ? action_rows[action].word : NULL;
    case ACT_DEVICES:
        return b->monitor ? "back" : action_rows[action].word;
    default:
        return action_rows[action].word;
    }
}

static void bench_click(struct app *app, void *state, int y, int x)
{
    struct bench *b = state;
    struct frame frame = app_frame(app);

    if (b->monitor)
        devices_view_click(b->view, y);
    else if (b->stage == STAGE_CHOOSE)
        choose_click(b, &frame, y, x);
    app_touch(app);
}

/* ---- what is shown ---- */

static void bench_draw(const struct app *app, const void *state, struct canvas *canvas,
                       const struct frame *frame)
{
    const struct bench *b = state;

    if (b->monitor)
        devices_view_draw(b->view, canvas, frame);
    else if (b->stage == STAGE_RUN && (b->page != BENCH_PAGE_CONFIRM || frame->size <= SIZE_ONE))
        bench_live_draw(b, canvas, frame);
    else if (b->page == BENCH_PAGE_CONFIRM)
        confirm_draw(app, b, canvas, frame->body);
    else if (b->page == BENCH_PAGE_DIAGNOSE)
        diagnose_draw(b, canvas, frame->body);
    else if (b->stage == STAGE_CHOOSE)
        choose_draw(b, canvas, frame);
    else
        bench_done_draw(b, canvas, frame);
}

static void bench_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct bench *b = state;

    (void)app;
    if (b->monitor)
        strbuf_add(out, "Driver readings, once a second; \"-\": not reported. used = total "
                        "less free, with the driver's share. d or Esc goes back.");
    else if (b->page == BENCH_PAGE_CONFIRM)
        strbuf_add(out, "Confirm: only what the plan rests on is measured, and the plan takes it.\n"
                        "~ scattered and counts less; ignored: other programs disturbed it.");
    else if (b->page == BENCH_PAGE_DIAGNOSE && b->stage != STAGE_RUN)
        strbuf_add(out,
                   "Diagnose: the first line is the verdict, with the first cause that holds.\n"
                   "Memory, products and copies were measured; no result is kept.");
    else if (b->stage == STAGE_CHOOSE)
        strbuf_add(out, choose_explain(b));
    else
        bench_point_explain(b, out);
}

/* Once, on every screen. */
static void bench_running(const void *state, struct strbuf *out)
{
    const struct bench *b = state;
    struct session_progress p;

    if (b->stage != STAGE_RUN)
        return;
    session_progress(b->session, &p);
    strbuf_addf(out, "%s %.0f %%",
                b->stopping                      ? "stopping"
                : bench_warms(b)                 ? "warm-up"
                : b->page == BENCH_PAGE_DIAGNOSE ? "diagnose"
                                                 : "bench",
                p.of ? floor(100.0 * p.done / p.of) : 0);
}

static void bench_title(const struct app *app, const void *state, struct strbuf *out)
{
    const struct bench *b = state;
    char word[40];

    (void)app;
    if (b->monitor)
        devices_view_title(b->view, out);
    else if (b->page == BENCH_PAGE_DIAGNOSE)
        strbuf_add(out, verdict_of(b) ? record_get(verdict_of(b), "status") : "");
    else if (b->stage == STAGE_DONE)
        strbuf_add(out, session_outcome_word(b->session, word, sizeof(word)));
}

/* ---- elsewhere: as a file, the command for it ---- */

static void bench_command(const struct app *app, const void *state, struct strbuf *out)
{
    const struct bench *b = state;
    char text[256];

    if (b->monitor) {
        strbuf_add(out, "gpuplan --list devices");
        return;
    }
    if (b->page == BENCH_PAGE_DIAGNOSE) {
        strbuf_add(out, "gpuplan --bench --diagnose");
        return;
    }
    bench_tests_list(b->values.tests, text, sizeof(text));
    if (asks_model(b)) {
        char start[128];

        gp_format(start, sizeof(start), "bench %s", text);
        form_command(app->form, start, out);
    } else {
        strbuf_addf(out, "gpuplan --bench %s", text);
    }
    bench_options_command(&b->values.bench, out);
    chosen_devices(b, text, sizeof(text));
    if (text[0])
        strbuf_addf(out, " --device %s", text);
    if (bench_unfinished(b) && session_can_resume(b->session)) {
        strbuf_add(out, " --resume ");
        strbuf_quote(out, b->plan.journal);
    }
}

static enum gp_status export_devices(const struct app *app, const char *suffix, struct strbuf *out,
                                     struct gp_err *err)
{
    struct record doc;
    enum gp_status rc;

    record_init(&doc);
    rc = report_list(planner_catalog(app->form->planner), &devices_class, NULL, 0, &doc, err);
    const struct fact *items = rc ? NULL : record_find(&doc, "items");
    if (items && strcmp(suffix, "json") == 0)
        record_json(&doc, out);
    else if (items)
        record_table(items->records, items->record_count, NULL,
                     strcmp(suffix, "csv") == 0 ? RECORD_CSV : RECORD_TEXT, out);
    record_fini(&doc);
    return rc;
}

static enum gp_status export_result(const struct app *app, const void *state, const char *suffix,
                                    struct strbuf *out, struct gp_err *err)
{
    const struct bench *b = state;
    const struct benchlog *log = b->session ? session_log(b->session) : NULL;
    const struct record *verdict = verdict_of(b);

    if (b->monitor)
        return export_devices(app, suffix, out, err);
    if (b->page == BENCH_PAGE_DIAGNOSE) {
        if (!verdict)
            return gp_fail(err, GP_E_NOTHING, "", "y starts it", "nothing is diagnosed yet");
        if (strcmp(suffix, "csv") == 0)
            return gp_fail(err, GP_E_USAGE, "", "json or txt",
                           "a verdict cannot be printed as a table");
        (strcmp(suffix, "json") == 0 ? record_json : diagnose_text)(verdict, out);
        return GP_OK;
    }
    if (log && strcmp(suffix, "json") == 0)
        gp_json_write(log->json, true, out);
    else if (log)
        benchlog_print(log, strcmp(suffix, "csv") == 0 ? BENCHLOG_CSV : BENCHLOG_TEXT, out);
    else if (b->line_count > 0 && strcmp(suffix, "txt") == 0)
        session_dry_run(b->session, out);
    else
        return gp_fail(err, GP_E_NOTHING, "", "txt has the plan", "nothing is measured yet");
    for (int i = 0; log && strcmp(suffix, "txt") == 0 && i < session_summaries(b->session); i++)
        strbuf_addf(out, "%s%s\n", i ? "" : "\n", session_summary(b->session, i));
    return GP_OK;
}

/* ---- the table ---- */

static bool bench_busy(const struct app *app, const void *state, char *why, size_t size)
{
    const struct bench *b = state;
    struct session_progress p;

    (void)app;
    if (b->stage != STAGE_RUN)
        return false;
    session_progress(b->session, &p);
    gp_format(why, size, "a measurement runs, %d of %d done (kept in its journal)", p.done, p.of);
    return true;
}

static bool bench_unsaved(const struct app *app, const void *state, char *why, size_t size)
{
    const struct bench *b = state;
    bool lost = b->stage == STAGE_DONE && b->unwritten[0] && !b->saved[0];

    (void)app;
    if (lost)
        gp_copy(why, size, "the result is in no file yet (w saves it)");
    return lost;
}

const struct screen_ops screen_bench = {
    .state_size = sizeof(struct bench),
    .open = open_bench,
    .close = close_bench,
    .show = bench_show,
    .draw = bench_draw,
    .act = bench_act,
    .tick = bench_tick,
    .explain = bench_explain,
    .title = bench_title,
    .running = bench_running,
    .suffixes = "json csv txt",
    .export = export_result,
    .command = bench_command,
    .takes = bench_option,
    .options = take_options,
    .busy = bench_busy,
    .unsaved = bench_unsaved,
    .word = bench_word,
    .click = bench_click,
};
