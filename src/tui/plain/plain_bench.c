/*
 * plain_bench.c - plain mode's measurement: a plan, a question, a line per point.
 *
 * The quick preset of gemm, batch, memory and transfer, by the same session
 * (measure/session.h); its other options may be typed where it asks. Ctrl-C once stops
 * after the point, twice at once; what was measured is in the result file either way.
 */
#include "tui/plain/plain_lines.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "measure/point/test.h"
#include "measure/session.h"
#include "tui/bench/bench_options.h"
#include "tui/settings.h"
#include "tui/toolkit/words.h"

/* ---- what is said ---- */

static void minutes(char *text, size_t size, double seconds)
{
    if (!isfinite(seconds))
        gp_copy(text, size, "an unknown time");
    else if (seconds < 90)
        gp_format(text, size, "%.0f second%s", seconds, lround(seconds) == 1 ? "" : "s");
    else
        gp_format(text, size, "%.0f minutes", seconds / 60);
}

static void say_plan(const struct session *s)
{
    struct session_plan plan;
    struct session_device device;
    char text[200];

    session_plan(s, &plan);
    for (int i = 0; i < session_devices(s); i++)
        if (session_device(s, i, &device))
            plain_say("Device: %s.", device.name);
    plain_say("Plan, with the %s engine: %s. Ctrl-C stops after a point.", plan.backend,
              session_say_plan(s, text, sizeof(text)));
    plain_say("Result: %s", plan.result);
}

/* What may be typed, one line each: "rel-ci: half the width ...". */
static void say_options(const struct bench_options *bench)
{
    char range[120], fallback[80];

    plain_say("Options, as in: rel-ci 2 force. A value of auto is the default.");
    for (int i = 0; i < OPTION_COUNT; i++) {
        enum option_id id = (enum option_id)i;

        if (bench_option(id))
            plain_say("%s: %s. %s. Default %s%s%s.", option_rows[id].name, option_rows[id].help,
                      bench_option_range(id, range, sizeof(range)),
                      bench_option_default(id, fallback, sizeof(fallback)),
                      bench->value[id][0] ? ", now " : "", bench->value[id]);
    }
}

static void say_point(const struct session *s, const struct session_event *event)
{
    const struct point_result *r = &event->result;
    struct session_point point;
    struct session_progress at;
    char left[40], rate[32], flags[96], ratio[64] = "";

    if (!session_point(s, event->device, event->index, &point))
        return;
    session_progress(s, &at);
    minutes(left, sizeof(left), at.left);
    result_rate(rate, sizeof(rate), r);
    result_flags(r, ", ", flags, sizeof(flags));
    if (r->ratio > 0)
        gp_format(ratio, sizeof(ratio), ", %.0f percent of the prediction", 100 * r->ratio);
    if (r->state == POINT_OK)
        plain_say("%d of %d: %s%s%s, %s%s%s%s. About %s left.", at.done, at.of, point.point->id,
                  r->variant[0] ? ", " : "", r->variant, rate, ratio, flags[0] ? ", flagged: " : "",
                  flags, left);
    else
        plain_say("%d of %d: %s, %s%s%s. About %s left.", at.done, at.of, point.point->id,
                  point_state_words[r->state], r->reason[0] ? ": " : "", r->reason, left);
}

static void say_end(struct session *s)
{
    struct session_plan plan;
    struct gp_err err;
    enum gp_status rc = session_finish(s, &err);
    char text[480];

    session_plan(s, &plan);
    if (rc)
        plain_say_err(&err);
    plain_say("%s", session_outcome(s, text, sizeof(text)));
    for (int i = 0; i < session_devices(s); i++)
        if (session_say_lost(s, i, text, sizeof(text)))
            plain_say("%s", text);
    for (int i = 0; i < session_summaries(s); i++)
        plain_say("%s", session_summary(s, i));
    if (!rc)
        plain_say("The result is in %s", plan.result);
}

/* ---- the run ---- */

/* What is measured and how, and the texts that the session borrows. */
struct wish {
    struct options options;
    struct bench_options bench;
    struct session_ask how;
    char tests[96], folder[GP_PATH_MAX];
};

static enum gp_status fill(struct plain *plain, struct wish *wish, struct gp_err *err)
{
    form_ask(plain->form, &wish->options);
    bench_tests_list(bench_tests_that(TEST_IS_CHOSEN), wish->tests, sizeof(wish->tests));
    wish->how = (struct session_ask){.options = &wish->options,
                                     .planner = plain->form->planner,
                                     .tests = wish->tests,
                                     .folder = wish->folder};
    return bench_options_ask(&wish->bench, &wish->options, err);
}

static enum gp_status replan(struct plain *plain, struct session *s, struct wish *wish,
                             struct gp_err *err)
{
    enum gp_status rc = fill(plain, wish, err);

    return rc ? rc : session_replan(s, &wish->how, err);
}

/* Options as they are typed, and the plan with them. What cannot be changes nothing. */
static void take_options(struct plain *plain, struct session *s, struct wish *wish,
                         const char *text)
{
    struct bench_options before = wish->bench, *now = &wish->bench;
    struct strbuf command;
    struct gp_err err;
    enum gp_status rc = bench_options_line(now, plain->form->planner, text, &err);

    if (!rc && strcmp(before.value[OPT_BACKEND], now->value[OPT_BACKEND]) != 0)
        rc = gp_fail(&err, GP_E_USAGE, "--backend", "gpuplan --bench takes it",
                     "cannot change once the devices are known");
    if (!rc)
        rc = replan(plain, s, wish, &err);
    if (rc) {
        plain_say_err(&err);
        wish->bench = before;
        if (replan(plain, s, wish, &err))
            plain_say_err(&err);
        return;
    }
    strbuf_init(&command);
    bench_options_command(now, &command);
    plain_say("Set:%s", command.len ? command.text : " nothing");
    strbuf_fini(&command);
    say_plan(s);
}

/* True when the measurement may begin. */
static bool agreed(struct plain *plain, struct session *s, struct wish *wish)
{
    static const char question[] =
        "Measure this machine? 1 yes, 2 no, or an option, ? names them [2]: ";
    char text[PLAIN_LINE];
    struct session_plan plan;
    struct gp_err err;

    say_plan(s);
    for (;;) {
        if (!plain_ask(plain, question, text) || !text[0] || strcmp(text, "2") == 0 ||
            words_begin("no", text))
            return false;
        if (strcmp(text, "1") == 0 || words_begin("yes", text))
            break;
        if (strcmp(text, "?") == 0)
            say_options(&wish->bench);
        else
            take_options(plain, s, wish, text);
    }
    session_plan(s, &plan);
    if (plan.result[0] == '/')
        settings_make_results();
    if (session_start(s, &err) == GP_OK)
        return true;
    plain_say_err(&err);
    return false;
}

struct plain_run {
    struct plain *plain;
    struct session *session;
    struct wish *wish;
};

/* One event; false when there is nothing more to wait for. */
static bool take_event(void *ctx, const struct session_event *e)
{
    static const int interrupt[] = {SIGINT};
    struct plain_run *run = ctx;
    struct session *s = run->session;

    switch (e->kind) {
    case SESSION_EVENT_READY:
        if (!agreed(run->plain, s, run->wish))
            return false;
        session_signals_catch(interrupt, 1);
        return true;
    case SESSION_EVENT_POINT:
        say_point(s, e);
        return true;
    case SESSION_EVENT_NOTE:
    case SESSION_EVENT_LOST:
        plain_say("%s", e->text);
        return true;
    case SESSION_EVENT_FAILED:
        plain_say_err(&e->err);
        return false;
    case SESSION_EVENT_OVER:
        say_end(s);
        return false;
    default:
        return true;
    }
}

void plain_bench(struct plain *plain)
{
    struct wish *wish = gp_calloc(1, sizeof(*wish));
    struct session *session = NULL;
    struct gp_err err = {.code = GP_OK};

    settings_results(wish->folder, sizeof(wish->folder));
    gp_copy(wish->bench.value[OPT_PRESET], BENCH_VALUE, "quick");
    if (fill(plain, wish, &err) == GP_OK)
        session = session_new(&wish->how, &err);
    if (session) {
        struct plain_run run = {plain, session, wish};

        session_drive(session, take_event, &run);
        session_signals_release();
    } else {
        plain_say_err(&err);
    }
    session_free(session);
    free(wish);
}
