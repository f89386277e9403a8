/*
 * s_bench.c - the screen Bench: its life; see s_bench.h.
 *
 * Nothing here waits. A tick asks the session for what has happened, for at most
 * SLICE seconds, and says when it wants to be called again: soon while engines work,
 * once a second for the monitor, never while the user thinks.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <string.h>

#include "base/clock.h"
#include "base/json.h"
#include "measure/devices.h"
#include "measure/result/benchlog.h"

#define SLICE 0.006 /* s of one tick */
#define SOON 0.05   /* s until the next, while engines work */

/* ---- events ---- */

static void finish_run(struct app *app, struct bench *b)
{
    struct gp_err err = {0};

    b->unwritten[0] = '\0';
    if (session_finish(b->session, &err)) {
        gp_copy(b->unwritten, sizeof(b->unwritten), err.text);
        gp_tame(b->unwritten);
        app_report_err(app, &err);
    } else {
        bool failed = strcmp(session_status(b->session), "failed") == 0;
        char text[480];

        app_report(app, failed, "%s", session_outcome(b->session, text, sizeof(text)));
    }
    session_plan(b->session, &b->plan);
    if (!bench_diagnose_over(app, b))
        bench_confirm_over(app, b);
    b->stage = STAGE_DONE;
    b->panel = app_frame(app).size <= SIZE_ONE ? BENCH_WORDS : BENCH_POINTS;
}

static void take_event(struct app *app, struct bench *b, const struct session_event *event,
                       double now)
{
    bench_diagnose_event(b, event);
    switch (event->kind) {
    case SESSION_EVENT_READY:
        bench_sum_up(b);
        bench_confirm_ready(app, b);
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
    case SESSION_EVENT_SENSORS:
        bench_sensors(b, event, now);
        break;
    case SESSION_EVENT_NOTE:
    case SESSION_EVENT_LOST:
        bench_note(b, event->text);
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

/* What happened, until nothing more has or the slice is over. */
static void go_on(struct app *app, struct bench *b)
{
    double begin = clock_now(), now = begin;
    struct session_event event;

    for (int quiet = 0; quiet < 8 && now - begin < SLICE; now = clock_now()) {
        enum session_state state = bench_state(b);

        if (state != SESSION_LOOKING && state != SESSION_WORKING)
            break;
        if (session_step(b->session, 0, &event))
            take_event(app, b, &event, now);
        else
            quiet++;
    }
}

static double bench_tick(struct app *app, void *state, double now)
{
    struct bench *b = state;
    double wish = -1, look = -1; /* s; < 0: not at all */
    enum session_state at;

    bench_confirm_tick(app, b);
    if (b->stage == STAGE_CHOOSE && b->refresh == REFRESH_NOT && bench_state(b) == SESSION_READY &&
        (b->stale || (b->version != app->form->version && app->screen == SCREEN_BENCH)))
        bench_replan(app, b);
    go_on(app, b);
    at = bench_state(b);
    if (at == SESSION_LOOKING || at == SESSION_WORKING)
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
    struct bench *b = state;

    b->values.tests = bench_tests_that(TEST_IS_CHOSEN);
    gp_copy(b->values.bench.value[OPT_PRESET], BENCH_VALUE, "quick");
    b->page = bench_confirm_first(app) ? BENCH_PAGE_CONFIRM : BENCH_PAGE_TESTS;
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
    bench_drop(b);
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
    if (bench_confirm_act(app, b, action) || bench_diagnose_act(app, b, action))
        return true;
    if (b->stage == STAGE_CHOOSE)
        return bench_choose_act(app, b, action);
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
    enum gp_status rc;

    bench_ask_devices(b, devices, BENCH_VALUE);
    gp_copy(before, sizeof(before), devices);
    rc = bench_options_line(&next, app->form->planner, line, err);
    if (!rc && strcmp(before, devices) != 0)
        rc = bench_take_devices(b, devices, err);
    memset(devices, 0, BENCH_VALUE);
    if (!rc)
        rc = bench_set_all(app, b, &next, err);
    if (rc)
        b->values.left_out = left_out;
    else if (b->values.left_out != left_out)
        bench_changed(app, b);
    return rc;
}

/* In each stage, what does something there. */
static const char *bench_word(const void *state, enum action action)
{
    const struct bench *b = state;
    bool choose = b->stage == STAGE_CHOOSE && !b->monitor;
    bool done = b->stage == STAGE_DONE && !b->monitor;

    switch (action) {
    case ACT_OPEN:
    case ACT_START:
    case ACT_TOGGLE:
        return choose                       ? bench_choose_word(b, action)
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
        bench_choose_click(app, b, &frame, y, x);
    app_touch(app);
}

/* ---- what is shown ---- */

static void bench_draw(const struct app *app, const void *state, struct canvas *canvas,
                       const struct frame *frame)
{
    const struct bench *b = state;

    if (b->monitor)
        devices_view_draw(b->view, canvas, frame);
    else if (b->page == BENCH_PAGE_CONFIRM && b->stage != STAGE_RUN)
        bench_confirm_draw(app, b, canvas, frame);
    else if (b->page == BENCH_PAGE_DIAGNOSE && b->stage != STAGE_RUN)
        bench_diagnose_draw(b, canvas, frame);
    else if (b->stage == STAGE_CHOOSE)
        bench_choose_draw(b, canvas, frame);
    else if (b->stage == STAGE_RUN)
        bench_live_draw(app, b, canvas, frame);
    else
        bench_done_draw(app, b, canvas, frame);
}

static void bench_explain(const struct app *app, const void *state, struct strbuf *out)
{
    const struct bench *b = state;

    (void)app;
    if (b->monitor)
        devices_view_explain(out);
    else if (b->page == BENCH_PAGE_CONFIRM && b->stage != STAGE_RUN)
        bench_confirm_explain(out);
    else if (b->page == BENCH_PAGE_DIAGNOSE && b->stage != STAGE_RUN)
        bench_diagnose_explain(out);
    else if (b->stage == STAGE_CHOOSE)
        bench_choose_explain(b, out);
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
        strbuf_add(out, bench_diagnose_word(b));
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
    if (bench_ask_model(b)) {
        char start[128];

        gp_format(start, sizeof(start), "bench %s", text);
        form_command(app->form, start, out);
    } else {
        strbuf_addf(out, "gpuplan --bench %s", text);
    }
    bench_options_command(&b->values.bench, out);
    bench_ask_devices(b, text, sizeof(text));
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
    const struct fact *items;
    enum gp_status rc;

    record_init(&doc);
    rc = report_list(planner_catalog(app->form->planner), &devices_class, NULL, 0, &doc, err);
    items = rc ? NULL : record_find(&doc, "items");
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

    if (b->monitor)
        return export_devices(app, suffix, out, err);
    if (b->page == BENCH_PAGE_DIAGNOSE)
        return bench_diagnose_export(b, suffix, out, err);
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
