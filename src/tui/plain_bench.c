/*
 * plain_bench.c - plain mode's measurement: a plan, a question, a line per point.
 *
 * The quick preset of the tests that --bench measures by default, by the same session
 * (run/session.h). Ctrl-C once stops after the point, twice at once; what was measured
 * is in the result file either way.
 */
#include "tui/plain_parts.h"

#include <math.h>
#include <signal.h>
#include <string.h>

#include "run/session.h"
#include "tui/settings.h"
#include "util/str.h"

#define TICK 0.25 /* s that one step waits at most */

/* ---- Ctrl-C ---- */

static volatile sig_atomic_t interrupts;

static void on_interrupt(int number)
{
    (void)number;
    interrupts++;
}

/* Off again also when it never was on. */
static void catch_interrupts(bool on)
{
    static struct sigaction before;
    static bool caught;
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_interrupt;
    action.sa_flags = SA_RESTART; /* what is being written goes on being written */
    if (on && !caught)
        sigaction(SIGINT, &action, &before);
    else if (!on && caught)
        sigaction(SIGINT, &before, NULL);
    caught = on;
}

/* ---- what is said ---- */

static void minutes(char *text, size_t size, double seconds)
{
    if (!isfinite(seconds))
        gp_copy(text, size, "an unknown time");
    else if (seconds < 90)
        gp_format(text, size, "%.0f second%s", seconds,
                  lround(seconds) == 1 ? "" : "s");
    else
        gp_format(text, size, "%.0f minutes", seconds / 60);
}

static void say_plan(const struct session *s)
{
    struct session_plan plan;
    struct session_device device;
    char time[40];

    session_plan(s, &plan);
    minutes(time, sizeof time, plan.seconds);
    for (int i = 0; i < session_devices(s); i++)
        if (session_device(s, i, &device))
            plain_say("Device: %s.", device.name);
    plain_say(
        "Plan: %d points on %d device%s with the %s engine, about %s. Ctrl-C stops "
        "after a point.",
        plan.points, plan.devices, plan.devices == 1 ? "" : "s", plan.backend, time);
    plain_say("Result: %s", plan.result);
}

static void say_point(const struct session *s, const struct session_event *event)
{
    const struct session_result *r = &event->result;
    struct session_point point;
    struct session_progress at;
    char left[40], ratio[64] = "";

    if (!session_point(s, event->device, event->index, &point))
        return;
    session_progress(s, &at);
    minutes(left, sizeof left, at.left);
    if (isfinite(r->ratio) && r->ratio > 0)
        gp_format(ratio, sizeof ratio, ", %.0f percent of the prediction",
                  100 * r->ratio);
    if (strcmp(r->state, "ok") == 0)
        plain_say("%d of %d: %s%s%s, %s%s%s%s. About %s left.", at.done, at.of,
                  point.id, r->variant[0] ? ", " : "", r->variant, r->rate, ratio,
                  r->flags[0] ? ", flagged: " : "", r->flags, left);
    else
        plain_say("%d of %d: %s, %s%s%s. About %s left.", at.done, at.of, point.id,
                  r->state, r->reason && r->reason[0] ? ": " : "",
                  r->reason ? r->reason : "", left);
}

static void say_end(struct session *s)
{
    struct session_plan plan;
    struct gp_err err;
    enum gp_status status = session_finish(s, &err);

    session_plan(s, &plan);
    if (status)
        plain_say_err(&err);
    plain_say("Measured: %s.", session_status(s));
    for (int i = 0; i < session_summaries(s); i++)
        plain_say("%s", session_summary(s, i));
    if (!status)
        plain_say("The result is in %s", plan.result);
}

/* ---- the run ---- */

static void stop_when_asked(struct session *s, int *heeded)
{
    if (interrupts <= *heeded || *heeded > 1)
        return;
    session_stop(s, *heeded == 0 ? SESSION_AFTER_POINT : SESSION_NOW, 0);
    ++*heeded;
}

static void make_folder_of(const char *path)
{
    char folder[GP_PATH_MAX];

    gp_format(folder, sizeof folder, "%.*s", (int)(strrchr(path, '/') - path), path);
    settings_make_results(folder);
}

/* True when the measurement may begin. */
static bool agreed(struct plain *plain, struct session *s)
{
    char text[PLAIN_LINE];
    struct session_plan plan;
    struct gp_err err;

    say_plan(s);
    if (!plain_ask(plain, "Measure this machine? 1 yes, 2 no [2]: ", text))
        return false;
    if (strcmp(text, "1") != 0 && gp_casecmp(text, "y") != 0 &&
        gp_casecmp(text, "yes") != 0)
        return false;
    session_plan(s, &plan);
    if (plan.result[0] == '/')
        make_folder_of(plan.result);
    if (session_start(s, &err) == GP_OK)
        return true;
    plain_say_err(&err);
    return false;
}

/* One event; false when there is nothing more to wait for. */
static bool heed(struct plain *plain, struct session *s, const struct session_event *e)
{
    switch (e->kind) {
    case SESSION_EVENT_READY:
        if (!agreed(plain, s))
            return false;
        catch_interrupts(true);
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

static void run(struct plain *plain, struct session *s)
{
    struct session_event event;
    bool going = true;
    int heeded = 0;

    while (going) {
        stop_when_asked(s, &heeded);
        if (session_step(s, TICK, &event))
            going = heed(plain, s, &event);
    }
}

void plain_bench(struct plain *plain)
{
    struct ask ask;
    char folder[GP_PATH_MAX];
    struct session_ask how = {.ask = &ask,
                              .planner = plain->desk->planner,
                              .tests = "gemm,batch,memory", /* as on the screen */
                              .folder = folder};
    struct session *session;
    struct gp_err err = {.code = GP_OK};

    desk_ask(plain->desk, &ask);
    settings_results(&plain->start->settings, folder, sizeof folder);
    if (ask_text(&ask, OPT_PRESET, "preset", "quick", &err) != GP_OK) {
        plain_say_err(&err);
        return;
    }
    session = session_new(&how, &err);
    if (!session) {
        plain_say_err(&err);
        return;
    }
    interrupts = 0;
    run(plain, session);
    catch_interrupts(false);
    session_free(session);
}
