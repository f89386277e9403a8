/*
 * bench_run.c - the engines at work: one per device, until all points are measured or
 * somebody stops them.
 *
 * Signals: SIGINT, SIGTERM and SIGHUP are counted; the first asks the engines to stop
 * after their point, the second at once. Whatever was measured is in the journal before
 * the next point begins, so nothing here has to hurry.
 *
 * All devices work at the same time, because that is how they are used; what several of
 * them do together (allreduce) follows, driven by the first alone.
 */
#include "cli/bench_parts.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/mem.h"

#define TICK    0.25 /* s that one step waits at most */
#define TIMEOUT 60.0 /* s without a line, beside ten times the time of a point */

static volatile sig_atomic_t signals_seen, signal_last;

static void on_signal(int number)
{
    signal_last = number;
    signals_seen++;
}

void bench_signals(bool on)
{
    static const int numbers[] = {SIGINT, SIGTERM, SIGHUP};
    static struct sigaction before[3];
    struct sigaction action;

    memset(&action, 0, sizeof action);
    action.sa_handler = on_signal;
    for (int i = 0; i < 3; i++) {
        if (on && sigaction(numbers[i], &action, &before[i]) == 0 &&
            before[i].sa_handler == SIG_IGN) /* nohup */
            sigaction(numbers[i], &before[i], NULL);
        else if (!on)
            sigaction(numbers[i], &before[i], NULL);
    }
}

/* ---- what is left to do ---- */

/* How often this point of this device has been answered: passes that need no more. */
static int passes_done(const struct bench_job *job, int device, const char *id)
{
    const json_t *record;
    int passes = 0;
    size_t i;

    json_array_foreach(job->records, i, record)
    {
        const json_t *point = json_object_get(record, "point");
        const char *name = json_string_value(json_object_get(point, "id"));
        int pass = (int)json_integer_value(json_object_get(record, "pass"));

        if (json_integer_value(json_object_get(record, "device")) == device && name &&
            strcmp(name, id) == 0 && pass >= passes)
            passes = pass + 1;
    }
    return passes;
}

static bool belongs(const struct bench_job *job, int device, int index, bool together)
{
    bool allreduce = job->points.point[index].test == TEST_ALLREDUCE;

    return allreduce == together && (!together || device == 0);
}

/* The order of one device: all passes, less what a resumed journal holds. */
static int *order_of(const struct bench_job *job, int device, bool together, int *count)
{
    int n = job->points.count, *all, *skip;

    *count = 0;
    if (job->device[device].failed || n == 0)
        return NULL;
    all = points_order(job->ask.settings.seed, n, job->passes);
    skip = gp_calloc((size_t)n, sizeof *skip);
    for (int i = 0; i < n && json_array_size(job->records); i++)
        skip[i] = passes_done(job, job->device[device].index, job->points.point[i].id);
    for (int i = 0; i < n * job->passes; i++)
        if (belongs(job, device, all[i], together) && skip[all[i]]-- <= 0)
            all[(*count)++] = all[i];
    free(skip);
    return all;
}

/* ---- events ---- */

struct working {
    struct bench_job *job;
    struct runner *runner;
    int device_of[BENCH_DEVICES]; /* by engine number */
    int *order[BENCH_DEVICES];
    int stops; /* stop levels asked for so far */
};

/* Passes of this variant that are recorded. */
static int pass_of(const struct bench_job *job, int device, const json_t *point)
{
    const char *id = json_string_value(json_object_get(point, "id"));
    const char *variant = json_string_value(json_object_get(point, "variant"));
    const json_t *record;
    int pass = 0;
    size_t i;

    json_array_foreach(job->records, i, record)
    {
        const json_t *p = json_object_get(record, "point");
        const char *v = json_string_value(json_object_get(p, "variant"));

        pass += json_integer_value(json_object_get(record, "device")) == device &&
                strcmp(json_string_value(json_object_get(p, "id")), id) == 0 &&
                strcmp(v ? v : "", variant ? variant : "") == 0;
    }
    return pass;
}

static void keep(struct working *w, int d, const json_t *point)
{
    struct bench_job *job = w->job;
    int device = job->device[d].index, pass = pass_of(job, device, point);
    json_t *record = json_object();

    json_object_set_new(record, "device", json_integer(device));
    json_object_set_new(record, "pass", json_integer(pass));
    json_object_set_new(record, "point", json_deep_copy(point));
    json_array_append(job->records, record);
    if (job->journal && !job->disk &&
        journal_add(job->journal, record, &job->disk_err)) {
        job->disk = true;
        bench_progress_say(job, job->disk_err.text);
        runner_stop(w->runner, STOP_AFTER_POINT);
    }
    json_decref(record);
}

static void failed(struct working *w, const struct runner_event *event)
{
    struct bench_device_run *d = &w->job->device[w->device_of[event->engine]];
    const char *words = runner_words(w->runner, event->engine);
    char text[720];

    d->failed = true;
    gp_format(d->why, sizeof d->why, "%s", event->err.text);
    gp_format(text, sizeof text, "device %d: %s%s%s%s%s", d->index, event->err.text,
              event->err.hint[0] ? " (" : "", event->err.hint,
              event->err.hint[0] ? ")" : "", words && words[0] ? "; it wrote:" : "");
    bench_warn(w->job, "device %d: %s", d->index, event->err.text);
    bench_progress_say(w->job, text);
    if (words && words[0])
        bench_progress_say(w->job, words);
}

static void handle(struct working *w, const struct runner_event *event)
{
    int d = w->device_of[event->engine];

    switch (event->kind) {
    case EVENT_START:
        bench_progress_start(w->job, d, event->index);
        break;
    case EVENT_SENSORS:
        bench_progress_sensors(w->job, event->json);
        break;
    case EVENT_POINT:
        keep(w, d, event->json);
        bench_progress_point(w->job, d, event->index, event->json);
        break;
    case EVENT_LOG:
        if (w->job->in->verbose)
            bench_progress_say(w->job,
                               json_string_value(json_object_get(event->json, "text")));
        break;
    case EVENT_FAILED:
        failed(w, event);
        break;
    default:
        break;
    }
}

/* ---- stopping ---- */

static void heed(struct working *w)
{
    struct bench_job *job = w->job;
    bool late = job->time_limit > 0 && bench_now() - job->clock > job->time_limit;
    int wanted = signals_seen > 2 ? 2 : signals_seen;

    if (late && !job->limit_hit) {
        job->limit_hit = true;
        bench_progress_say(job, "the time limit is reached: stops after this point");
        runner_stop(w->runner, STOP_AFTER_POINT);
    }
    while (w->stops < wanted) {
        job->signal = signal_last;
        bench_progress_say(job, w->stops == 0
                                    ? "stops after this point; once more: at once"
                                    : "stops at once");
        runner_stop(w->runner, w->stops++ == 0 ? STOP_AFTER_POINT : STOP_NOW);
    }
}

static bool stopped(const struct bench_job *job)
{
    return job->signal || job->limit_hit || job->disk || signals_seen;
}

/* ---- one phase ---- */

static enum gp_status start(struct working *w, int d, bool together, struct gp_err *err)
{
    struct bench_job *job = w->job;
    int count, engine;
    int *order = order_of(job, d, together, &count);
    struct runner_plan plan = {
        .program = job->program,
        .device = job->device[d].index,
        .settings = job->ask.settings,
        .points = job->points.point,
        .order = order,
        .count = count,
        .timeout = TIMEOUT + 10 * job->ask.settings.max_time,
    };

    w->order[d] = order;
    if (count == 0)
        return GP_OK;
    engine = runner_start(w->runner, &plan, err);
    if (engine < 0) {
        job->device[d].failed = true;
        bench_warn(job, "device %d: %s", job->device[d].index, err->text);
        return err->code ? err->code : GP_E_DEVICE;
    }
    if (engine < BENCH_DEVICES)
        w->device_of[engine] = d;
    for (int i = 0; i < count; i++)
        job->progress.left += job->points.seconds[order[i]] / job->device_count;
    job->progress.of += count;
    return GP_OK;
}

static enum gp_status phase(struct bench_job *job, bool together, struct gp_err *err)
{
    struct working w = {.job = job, .runner = runner_new()};
    struct runner_event event;
    enum gp_status status = GP_OK;

    for (int d = 0; d < job->device_count; d++) {
        enum gp_status one = start(&w, d, together, err);

        status = one ? one : status;
    }
    while (runner_busy(w.runner)) {
        if (runner_step(w.runner, TICK, &event))
            handle(&w, &event);
        heed(&w);
    }
    while (runner_step(w.runner, 0, &event))
        handle(&w, &event);
    heed(&w);
    runner_free(w.runner);
    for (int d = 0; d < job->device_count; d++)
        free(w.order[d]);
    return status;
}

enum gp_status bench_run(struct bench_job *job, struct gp_err *err)
{
    enum gp_status status;

    status = phase(job, false, err);
    if (!stopped(job))
        status = phase(job, true, err) ? err->code : status;
    if (signals_seen && !job->signal)
        job->signal = signal_last;
    bench_progress_end(job);
    return status;
}
