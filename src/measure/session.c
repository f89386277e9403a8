/*
 * session.c - a run over the devices, from the question to the file, and what can be seen of it:
 * see session.h.
 *
 * Each state has one function that advances it for a while. Notes for the user go through one
 * queue, so that a step delivers one event and the order of events is kept.
 *
 * All devices work at the same time, because that is how they are used; copies of the host follow,
 * one device after another, and then what several of them do together (allreduce, peer), driven by
 * the first alone. Whatever was measured is in the
 * journal before the next point begins, so nothing here has to hurry. The time left is the sum of
 * the estimates of what is left, times what the points done took over what they were estimated at,
 * and the rests between tests and the warm-up that are to come.
 */
#include "measure/session_inside.h"

#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "answer/calibrate.h"
#include "base/clock.h"
#include "base/json.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/runner_line.h"

#define TIMEOUT 60.0 /* s without a line, beside ten times the time of a point */
#define STALL 5.0    /* of a time-out that was given: it may talk so much longer */
#define EWMA 0.9
#define TICK 0.25 /* s that one step of session_drive waits at most */
#define SIGNALS 4 /* that are caught at most */

/* ---- beginning and end ---- */

/* What the words of an ask decide, without any device. */
static enum gp_status read_ask(struct session *s, const struct session_request *ask,
                               struct gp_err *err)
{
    s->ask = *ask;
    s->options = *ask->options;
    gp_copy(s->tests, sizeof(s->tests), ask->tests ? ask->tests : "");
    gp_copy(s->folder, sizeof(s->folder), ask->folder ? ask->folder : "");
    gp_copy(s->job, sizeof(s->job), ask->job ? ask->job : "");
    s->ask.options = &s->options;
    s->ask.tests = s->tests;
    s->ask.folder = s->folder;
    s->ask.job = s->job;
    enum gp_status rc = session_recall_options(s, err);
    if (!rc)
        rc = bench_plan_check(&s->plan, &s->ask, err);
    return rc ? rc : session_name_files(s, err);
}

struct session *session_new(const struct session_request *ask, struct gp_err *err)
{
    struct session *s = gp_calloc(1, sizeof(*s));

    s->state = SESSION_LOOKING;
    s->look.trying = -1;
    s->work.began = clock_now();
    s->work.date = time(NULL);
    if (read_ask(s, ask, err) == GP_OK)
        return s;
    session_free(s);
    return NULL;
}

static void drop_devices(struct session *s)
{
    for (int i = 0; i < s->devices; i++) {
        free(s->device[i].shown.variant);
        free(s->device[i].shown.failed);
        json_decref(s->device[i].opened);
        free(s->device[i].order);
    }
    free(s->device);
    s->device = NULL;
    s->devices = 0;
}

static enum gp_status make_plan(struct session *s, struct gp_err *err)
{
    enum gp_status rc = bench_plan_make(&s->plan, &s->ask, &s->look, &s->notes, err);

    if (rc)
        return rc;
    s->devices = s->plan.devices;
    s->device = gp_calloc((size_t)s->devices, sizeof(*s->device));
    for (int i = 0; i < s->devices; i++) {
        struct device_run *d = &s->device[i];
        size_t points = (size_t)s->plan.points.count;

        d->facts = s->plan.device[i]->facts;
        d->listed = s->plan.device[i]->line;
        d->shown.variant = gp_calloc(points * SESSION_VARIANTS, sizeof(*d->shown.variant));
        d->shown.failed = gp_calloc(points, sizeof(*d->shown.failed));
    }
    return GP_OK;
}

void session_free(struct session *s)
{
    if (!s)
        return;
    runner_free(s->work.runner);
    look_fini(&s->look);
    drop_devices(s);
    bench_plan_drop(&s->plan);
    free(s->plan.shapes);
    if (s->have_log)
        benchlog_fini(&s->log);
    journal_close(s->work.journal, false);
    records_fini(&s->work.records);
    json_decref(s->recalled);
    for (int i = 0; i < s->notes.queued; i++)
        free(s->notes.queue[i]);
    free(s->notes.remark);
    free(s);
}

enum session_state session_state(const struct session *s)
{
    return s->state;
}

enum gp_status session_replan(struct session *s, const struct session_request *ask,
                              struct gp_err *err)
{
    if (s->state != SESSION_READY)
        return gp_fail(err, GP_E_INTERNAL, "session", "",
                       "a plan can be changed before it is started");
    drop_devices(s);
    bench_plan_drop(&s->plan);
    s->notes.count = s->notes.kept;
    enum gp_status rc = read_ask(s, ask, err);
    return rc ? rc : make_plan(s, err);
}

/* ---- what is left to do ---- */

bool session_all_well(const struct session *s, const struct point *point)
{
    bool pair = bench_kind_is(point->kind, KIND_IS_PAIR); /* else all take part */

    for (int i = 0; i < s->devices; i++) {
        const struct session_device *d = &s->device[i].facts;

        if (d->failed && (!pair || d->id == point->from || d->id == point->to))
            return false;
    }
    return true;
}

static bool is_last_phase(const struct session *s)
{
    return s->work.phase == 1 + s->devices;
}

/* Is the point measured in this phase by this device? */
static bool is_in_phase(const struct session *s, int place, int index)
{
    const struct point *point = &s->plan.points.point[index];

    if (point_together(point))
        return is_last_phase(s) && place == 0 && session_all_well(s, point);
    return s->work.phase == (point_in_turn(point) && s->devices > 1 ? 1 + place : 0);
}

/* Even a device that measures nothing in the first phase is looked at in it. */
static bool is_looked_at(const struct session *s)
{
    for (int i = 0; i < s->plan.points.count && s->work.phase == 0; i++)
        if (point_together(&s->plan.points.point[i]) || point_in_turn(&s->plan.points.point[i]))
            return true;
    return false;
}

/* Devices that work at the same time. */
static int devices_at_work(const struct session *s)
{
    return s->work.phase == 0 ? s->devices : 1;
}

/* The order of one device: all passes, less what a resumed journal holds, which is *before. */
static int *order_of(const struct session *s, int place, int *count, int *before)
{
    const struct points *points = &s->plan.points;
    const struct session_device *d = &s->device[place].facts;
    int n = points->count, *skip;

    *count = *before = 0;
    if (d->failed || n == 0)
        return NULL;
    int *all = points_order(s->plan.options.settings.seed, points);
    skip = gp_calloc((size_t)n, sizeof(*skip));
    for (int i = 0; i < n && s->work.records.count; i++)
        skip[i] = records_passes(&s->work.records, d->id, i);
    for (int i = 0; i < n * points_passes(&s->plan.options.settings); i++) {
        if (!is_in_phase(s, place, all[i]))
            continue;
        if (skip[all[i]]-- > 0)
            ++*before;
        else
            all[(*count)++] = all[i];
    }
    free(skip);
    return all;
}

/* A remark of the result; the caller says it. */
static void lose_device(struct session *s, struct session_device *d, const char *why)
{
    d->failed = true;
    d->running = -1;
    gp_copy(d->why, sizeof(d->why), why);
    notes_add(&s->notes, "device_failed", "device %d: %s", d->id, why);
    gp_format(s->text, sizeof(s->text), "device %d: %s", d->id, why);
}

static int test_of(const struct session *s, int index)
{
    return (int)s->plan.points.point[index].test;
}

static void start_device(struct session *s, int place)
{
    struct device_run *d = &s->device[place];
    struct session_work *w = &s->work;
    struct session_estimate *e = &w->estimate;
    struct gp_err err = {0};
    int count, before;
    struct runner_plan plan = {
        .program = s->look.program,
        .device = d->facts.id,
        .settings = s->plan.options.settings,
        .points = s->plan.points.point,
        .wait = devices_at_work(s) > 1,
        .timeout = look_timeout(TIMEOUT + 10 * s->plan.options.settings.max_time),
        .patience = STALL * look_timeout(0),
        .seconds = look_timeout(0) > 0 ? NULL : s->plan.points.seconds,
    };

    /* the others that a second look would see were ours a moment ago */
    plan.settings.force = plan.settings.force || w->phase > 0;
    free(d->order);
    d->order = order_of(s, place, &count, &before);
    e->before += before;
    if (count == 0 && (d->facts.failed || !is_looked_at(s)))
        return;
    plan.order = d->order;
    plan.count = count;
    int engine = runner_start(w->runner, &plan, &err);
    if (engine < 0) {
        lose_device(s, &d->facts, err.text);
        notes_queue(&s->notes, s->text);
        return;
    }
    w->place_of[engine] = place;
    d->test = -1;
    for (int i = 0; i < count; i++) {
        e->left += s->plan.points.seconds[d->order[i]] / devices_at_work(s);
        if (i)
            e->rests += (test_of(s, d->order[i]) != test_of(s, d->order[i - 1])) /
                        (double)devices_at_work(s);
    }
    e->of += count;
}

static void begin_phase(struct session *s, int phase)
{
    s->work.phase = phase;
    s->work.estimate.warms = phase == 0;
    s->work.runner = runner_new();
    for (int i = 0; i < s->devices; i++)
        start_device(s, i);
}

/* ---- the journal ---- */

/* What an earlier run measured counts as if it had been measured now. */
static void take_journal(struct session *s, const json_t *lines)
{
    const json_t *line;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        const char *id = json_string_value(json_object_get(line, "id"));
        json_int_t device = json_integer_value(json_object_get(line, "device"));
        struct session_record *record;
        int place = 0, index = 0;

        while (place < s->devices && s->device[place].facts.id != device)
            place++;
        while (index < s->plan.points.count && strcmp(s->plan.points.point[index].id, id) != 0)
            index++;
        if (place == s->devices || index == s->plan.points.count)
            continue;
        record =
            records_add(&s->work.records, (int)device, index, &s->plan.points.point[index], line);
        record->pass = (int)json_integer_value(json_object_get(line, "pass"));
        shown_take(&s->device[place].shown, record);
    }
    s->work.resumed = s->work.records.count > 0;
    for (int k = 0; k < s->devices; k++)
        session_find_roof(s, &s->device[k]);
}

static enum gp_status open_journal(struct session *s, struct gp_err *err)
{
    const json_t *device[SESSION_DEVICES];
    struct journal_read read = {0};
    json_t *print;
    enum gp_status rc;
    char hash[17];

    for (int i = 0; i < s->devices; i++)
        device[i] = s->device[i].listed;
    points_hash(&s->plan.points, hash);
    print =
        journal_fingerprint(&s->plan.options.settings, hash, s->look.engine, device, s->devices);
    json_t *run = session_options_json(s);
    if (!options_flag(&s->options, OPT_RESUME)) {
        rc = journal_create(s->files.journal, print, run, &s->work.journal, err);
    } else {
        rc = journal_resume(s->files.journal, print, run, &read, &s->work.journal, err);
        if (!rc)
            take_journal(s, read.records);
        for (int i = 0; i < read.warning_count; i++)
            notes_add(&s->notes, "journal", "%s", read.warning[i]);
        journal_read_fini(&read);
    }
    json_decref(run);
    json_decref(print);
    return rc;
}

/* ---- results ---- */

void session_find_roof(const struct session *s, struct device_run *d)
{
    const struct points *points = &s->plan.points;

    memset(&d->roof, 0, sizeof(d->roof));
    for (int i = 0; i < points->count; i++) {
        struct session_record **slot = shown_of(&d->shown, i);

        for (int v = 0; v < SESSION_VARIANTS && slot[v]; v++)
            session_roof_take(&d->roof, &d->facts, &points->point[i], &slot[v]->result);
    }
}

void session_see_result(const struct session *s, const struct device_run *d,
                        const struct session_record *record, struct point_result *out)
{
    const struct point *point = &s->plan.points.point[record->point];
    struct roofline line = session_predict(&d->facts, &d->roof, point);
    struct roof sheet = session_sheet(&d->facts, &d->roof, point);

    *out = record->result;
    if (sheet.rate.known && sheet.rate.value > 0)
        out->sheet_ops = 100 * out->ops / sheet.rate.value;
    if (sheet.bandwidth.known && sheet.bandwidth.value > 0)
        out->sheet_bytes = 100 * out->bytes / sheet.bandwidth.value;
    if (!line.time.known)
        return;
    out->predicted = line.time.value;
    out->ratio = out->median > 0 ? out->predicted / out->median : 0;
    out->bound = roof_bound_word(line.bound);
    out->origin = origin_word(line.time.origin);
}

/* ---- events ---- */

/* Among the records, and into the journal. What ended without a figure took no time, and tells
 * nothing of those that do. */
static void take_answer(struct session *s, struct device_run *d, const struct runner_event *said,
                        struct session_event *event)
{
    struct session_work *w = &s->work;
    struct session_estimate *e = &w->estimate;
    double rest = d->rested ? s->plan.options.settings.pause : 0;
    struct gp_err err;
    struct session_record *record = records_add(&w->records, d->facts.id, said->index,
                                                &s->plan.points.point[said->index], said->json);

    if (w->journal && !w->disk &&
        journal_add_point(w->journal, record->device, record->pass, said->json, &err)) {
        w->disk = true;
        notes_queue(&s->notes, err.text);
        runner_stop(w->runner, STOP_AFTER_POINT);
    }
    if (d->began > 0) { /* else a further variant of the same point */
        if (record->result.state == POINT_OK) {
            e->estimated = EWMA * e->estimated + s->plan.points.seconds[said->index];
            e->took = EWMA * e->took + fmax(0, clock_now() - d->began - rest);
        }
        e->left -= s->plan.points.seconds[said->index] / devices_at_work(s);
        e->done++;
    }
    d->began = 0;
    d->facts.running = -1;
    shown_take(&d->shown, record);
    session_find_roof(s, d);
    event->kind = SESSION_EVENT_POINT;
    session_see_result(s, d, record, &event->result);
}

static void take_loss(struct session *s, struct device_run *d, const struct runner_event *said,
                      struct session_event *event)
{
    const char *words = runner_words(s->work.runner, said->engine), *hint = said->err.hint;
    bool has_words = words && words[0];

    lose_device(s, &d->facts, said->err.text);
    gp_format(s->text, sizeof(s->text), "device %d: %s%s%s%s%s", d->facts.id, said->err.text,
              hint[0] ? " (" : "", hint, hint[0] ? ")" : "", has_words ? "; it wrote:" : "");
    event->kind = SESSION_EVENT_LOST;
    event->text = s->text;
    if (has_words)
        notes_queue(&s->notes, words);
}

/* An engine's warning of these becomes a remark of the result and a note. */
static void take_log(struct session *s, const struct session_device *d, const json_t *line,
                     struct session_event *event)
{
    static const struct {
        const char *code, *is;
    } kept[] = {{"busy", " is busy"}, {"memory", ""}, {"wrong", ""}};
    const char *code = json_string_value(json_object_get(line, "code"));
    const char *said = json_string_value(json_object_get(line, "text"));
    char text[200];

    event->kind = SESSION_EVENT_LOG;
    event->text = s->text;
    gp_copy(s->text, sizeof(s->text), said ? said : "");
    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (s->work.phase > 0 || !code || strcmp(code, kept[i].code) != 0)
            continue;
        line_clean(text, sizeof(text), said);
        gp_format(s->text, sizeof(s->text), "device %d%s: %s", d->id, kept[i].is, text);
        notes_add(&s->notes, kept[i].code, "%s", s->text);
        event->kind = SESSION_EVENT_NOTE;
    }
}

static bool take_line(struct session *s, const struct runner_event *said,
                      struct session_event *event)
{
    struct device_run *d = &s->device[s->work.place_of[said->engine]];

    event->device = s->work.place_of[said->engine];
    event->index = said->index;
    switch (said->kind) {
    case EVENT_DEVICE:
        json_decref(d->opened);
        d->opened = json_incref((json_t *)said->json);
        session_device_opened(&d->facts, d->opened);
        return false;
    case EVENT_START:
        d->rested = d->test >= 0 && d->test != test_of(s, said->index);
        d->test = test_of(s, said->index);
        d->began = clock_now();
        d->facts.running = said->index;
        s->work.estimate.rests -= d->rested / (double)s->devices;
        s->work.estimate.warms = false;
        event->kind = SESSION_EVENT_BEGIN;
        return true;
    case EVENT_SENSORS:
        event->kind = SESSION_EVENT_SENSORS;
        event->index = d->facts.running;
        session_sensors_read(&d->facts, said->json, &event->sensors);
        return true;
    case EVENT_POINT:
        take_answer(s, d, said, event);
        return true;
    case EVENT_LOG:
        take_log(s, &d->facts, said->json, event);
        return true;
    case EVENT_FAILED:
        take_loss(s, d, said, event);
        return true;
    default:
        return false;
    }
}

/* ---- the step ---- */

/* Seconds until the limit; INFINITY without one. */
static double time_left(const struct session *s)
{
    if (s->plan.time_limit <= 0 || s->work.limit_hit)
        return INFINITY;
    return fmax(0, s->plan.time_limit - (clock_now() - s->work.began));
}

static bool has_begun(const struct session *s)
{
    bool begun = s->work.estimate.done > 0;

    for (int i = 0; i < s->devices && !begun; i++)
        begun = s->device[i].facts.running >= 0;
    return begun;
}

static void heed_limit(struct session *s)
{
    bool begun = has_begun(s);

    if (time_left(s) > 0)
        return;
    s->work.limit_hit = true;
    if (begun) {
        notes_queue(&s->notes, "the time limit is reached: stops after this point");
    } else {
        gp_format(s->text, sizeof(s->text),
                  "the time limit of %s s passed during the warm-up, before any point: nothing is "
                  "measured",
                  UNITS_PLAIN(s->plan.time_limit, 3));
        notes_add(&s->notes, "time_limit", "%s", s->text);
        notes_queue(&s->notes, s->text);
    }
    runner_stop(s->work.runner, begun ? STOP_AFTER_POINT : STOP_NOW);
}

static bool is_stopping(const struct session *s)
{
    return s->work.stopped || s->work.limit_hit || s->work.disk;
}

static bool all_answered(const struct session *s, int place)
{
    for (int i = 0; i < s->plan.points.count; i++)
        if (is_in_phase(s, place, i) && !shown_of(&s->device[place].shown, i)[0])
            return false;
    return true;
}

/* No engine runs: the next phase, or the end, when all notes are delivered. */
static bool next_phase(struct session *s, struct session_event *event)
{
    struct session_work *w = &s->work;

    if (w->runner) {
        runner_free(w->runner);
        w->runner = NULL;
        for (int i = 0; i < s->devices; i++) {
            struct session_device *d = &s->device[i].facts;

            d->running = -1;
            /* one that another process ended may have ended politely */
            if (!is_stopping(s) && !d->failed && !all_answered(s, i)) {
                lose_device(s, d, "its engine ended before all points were measured");
                notes_queue(&s->notes, s->text);
            }
        }
    }
    if (s->notes.queued)
        return false;
    if (!is_last_phase(s) && !is_stopping(s)) {
        begin_phase(s, s->devices > 1 ? w->phase + 1 : 1 + s->devices);
        return false;
    }
    w->ended = clock_now();
    s->state = SESSION_OVER;
    event->kind = SESSION_EVENT_OVER;
    event->device = event->index = -1;
    return true;
}

static bool work_step(struct session *s, double seconds, struct session_event *event)
{
    struct runner_event said;

    if (!s->work.runner)
        return next_phase(s, event);
    heed_limit(s);
    if (!s->notes.queued && runner_step(s->work.runner, fmin(seconds, time_left(s)), &said))
        return take_line(s, &said, event);
    if (!s->notes.queued && !runner_busy(s->work.runner))
        return next_phase(s, event);
    return false;
}

/* ---- starting ---- */

enum gp_status session_start(struct session *s, struct gp_err *err)
{
    enum gp_status rc;

    if (s->state != SESSION_READY || s->plan.points.count == 0)
        return gp_fail(err, GP_E_INTERNAL, "session", "", "no plan to start");
    if ((rc = open_journal(s, err)) != GP_OK)
        return rc;
    s->work.began = clock_now();
    s->work.date = time(NULL);
    s->state = SESSION_WORKING;
    begin_phase(s, 0);
    return GP_OK;
}

/* ---- stopping ---- */

static void break_session(struct session *s, const struct gp_err *why)
{
    runner_free(s->look.runner);
    s->look.runner = NULL;
    s->state = SESSION_BROKEN;
    s->broken = *why;
}

void session_stop(struct session *s, enum session_stop_level level, int signal)
{
    int wanted = level == SESSION_NOW ? 2 : 1;
    struct gp_err why;

    if (s->state == SESSION_DONE || s->state == SESSION_BROKEN)
        return;
    s->work.stopped = true;
    if (signal)
        s->work.signal = signal;
    if (s->state == SESSION_LOOKING || s->state == SESSION_READY) {
        gp_fail(&why, GP_E_NOTHING, "", "", "stopped before anything was measured");
        break_session(s, &why);
        return;
    }
    if (s->state != SESSION_WORKING || s->work.level >= wanted || !s->work.runner)
        return;
    if (!has_begun(s)) /* no point is lost */
        wanted = 2;
    notes_queue(&s->notes,
                wanted == 1 ? "stops after this point; again: immediately" : "stops immediately");
    if (s->work.level == 0)
        runner_stop(s->work.runner, STOP_AFTER_POINT);
    if (wanted == 2)
        runner_stop(s->work.runner, STOP_NOW);
    s->work.level = wanted;
}

/* ---- one step ---- */

static bool next_note(struct session *s, struct session_event *event)
{
    struct session_notes *n = &s->notes;

    if (n->queued == 0)
        return false;
    gp_copy(s->text, sizeof(s->text), n->queue[0]);
    free(n->queue[0]);
    memmove(n->queue, n->queue + 1, (NOTES_WAIT - 1) * sizeof(*n->queue));
    n->queued--;
    event->kind = SESSION_EVENT_NOTE;
    event->text = s->text;
    return true;
}

static bool say_broken(struct session *s, struct session_event *event)
{
    if (s->broken_said)
        return false;
    s->broken_said = true;
    event->kind = SESSION_EVENT_FAILED;
    event->err = s->broken;
    return true;
}

static bool look_for_devices(struct session *s, double seconds, struct session_event *event)
{
    switch (look_step(&s->look, &s->options, s->ask.planner, seconds, &s->notes, &event->err)) {
    case LOOK_WAITS:
        return false;
    case LOOK_DONE: /* on to the plan */
        s->notes.kept = s->notes.count;
        s->state = SESSION_READY;
        event->kind = SESSION_EVENT_READY;
        if (make_plan(s, &event->err))
            event->kind = SESSION_EVENT_FAILED;
        return true;
    default:
        break_session(s, &event->err);
        return say_broken(s, event);
    }
}

bool session_step(struct session *s, double seconds, struct session_event *event)
{
    memset(event, 0, sizeof(*event));
    event->device = event->index = -1;
    if (next_note(s, event))
        return true;
    switch (s->state) {
    case SESSION_LOOKING:
        return look_for_devices(s, seconds, event);
    case SESSION_WORKING:
        return work_step(s, seconds, event) || next_note(s, event);
    case SESSION_BROKEN:
        return say_broken(s, event);
    default:
        return false;
    }
}

/* ---- the end ---- */

static int failed_devices(const struct session *s)
{
    int n = 0;

    for (int i = 0; i < s->devices; i++)
        n += s->device[i].facts.failed;
    return n;
}

const char *session_status(const struct session *s)
{
    return failed_devices(s)                                      ? "failed"
           : s->work.stopped || s->work.limit_hit || s->work.disk ? "interrupted"
                                                                  : "complete";
}

int session_exit_code(const struct session *s, bool strict)
{
    int ok = 0, wrong = 0, flagged = 0, errors = 0;

    for (int i = 0; s->have_log && i < s->log.count; i++) {
        const struct point_result *p = &s->log.point[i];

        /* the second: a figure of one pass, of which another came to nothing */
        errors += p->state == POINT_ERROR || result_flagged(p, "failed_once");
        if (p->state != POINT_OK)
            continue;
        ok++;
        wrong += result_wrong(p);
        flagged += p->disturbed;
    }
    if (s->work.stopped)
        return 128 + (s->work.signal ? s->work.signal : 2);
    if (s->state == SESSION_BROKEN)
        return gp_status_exit(s->broken.code);
    if (s->work.disk)
        return gp_status_exit(GP_E_FILE);
    if (wrong)
        return gp_status_exit(GP_E_CHECK);
    if (failed_devices(s) || errors)
        return gp_status_exit(GP_E_DEVICE);
    if (!ok)
        return gp_status_exit(GP_E_NOTHING);
    return flagged && strict ? gp_status_exit(GP_E_CHECK) : 0;
}

void session_settle(struct session *s)
{
    journal_close(s->work.journal, !session_can_resume(s));
    s->work.journal = NULL;
}

/* Devices that failed before their first point leave nothing; a run that was interrupted before it
 * may be continued by a script. */
bool session_can_resume(const struct session *s)
{
    const char *status = session_status(s);

    if (s->plan.options.settings.soak > 0) /* that was stopped: it is what was asked for */
        return false;
    return strcmp(status, "complete") != 0 &&
           (s->work.records.count > 0 || strcmp(status, "failed") != 0);
}

enum gp_status session_finish(struct session *s, struct gp_err *err)
{
    enum gp_status rc;

    if (s->state != SESSION_OVER && s->state != SESSION_DONE)
        return gp_fail(err, GP_E_INTERNAL, "session", "", "it is not over");
    if (!s->have_log) {
        json_t *json = session_document(s);

        s->have_log = benchlog_from_json("result", json, &s->log, err) == GP_OK;
        json_decref(json);
        if (!s->have_log && err)
            err->code = GP_E_INTERNAL;
        if (!s->have_log)
            return GP_E_INTERNAL;
    }
    s->state = SESSION_DONE;
    if (s->files.to_stdout)
        return GP_OK;
    if ((rc = benchlog_write(s->files.result, s->log.json, err)) == GP_OK) {
        session_settle(s);
        if (!(s->plan.options.settings.soak > 0)) /* of a device that may be broken */
            calibration_keep(&s->log, NULL);      /* the result is safe without it */
    }
    return rc;
}

const struct benchlog *session_log(const struct session *s)
{
    return s->have_log ? &s->log : NULL;
}

bool session_so_far(struct session *s, struct benchlog *out)
{
    if (s->state != SESSION_WORKING || s->work.records.count == 0)
        return false;
    json_t *json = session_document(s);
    bool rc = benchlog_from_json("result", json, out, NULL) == GP_OK;
    json_decref(json);
    return rc;
}

static const json_t *summary_texts(const struct session *s)
{
    return s->have_log ? json_object_get(s->log.json, "summary") : NULL;
}

int session_summaries(const struct session *s)
{
    return (int)json_array_size(summary_texts(s));
}

const char *session_summary(const struct session *s, int i)
{
    const char *text = json_string_value(json_array_get(summary_texts(s), (size_t)i));

    return i >= 0 && text ? text : "";
}

/* ---- points ---- */

static enum session_mark mark_of(const struct session *s, const struct device_run *d, int index)
{
    const struct session_record *first = shown_of(&d->shown, index)[0];

    if (d->facts.running == index)
        return MARK_RUNNING;
    if (first && first->result.state == POINT_OK)
        return result_wrong(&first->result) ? MARK_WRONG : MARK_OK;
    if (first)
        return first->result.state == POINT_UNSUPPORTED ? MARK_UNSUPPORTED : MARK_FAILED;
    return d->facts.failed || s->state == SESSION_OVER || s->state == SESSION_DONE ? MARK_SKIPPED
                                                                                   : MARK_WAITING;
}

const char *session_mark_word(enum session_mark mark)
{
    static const char *const words[] = {"waiting", "running",     "ok",     "wrong",
                                        "failed",  "unsupported", "skipped"};

    return (unsigned)mark < sizeof(words) / sizeof(*words) ? words[mark] : "?";
}

bool session_point(const struct session *s, int place, int index, struct session_point *out)
{
    const struct points *points = &s->plan.points;

    memset(out, 0, sizeof(*out));
    if (place < 0 || place >= s->devices || index < 0 || index >= points->count)
        return false;
    const struct device_run *d = &s->device[place];
    out->point = &points->point[index];
    out->seconds = points->seconds[index];
    out->bytes = points->bytes[index];
    out->mark = mark_of(s, d, index);
    for (int i = 0; i < SESSION_VARIANTS; i++) {
        const struct session_record *record = shown_of(&d->shown, index)[i];

        if (record)
            session_see_result(s, d, record, &out->result[out->count++]);
    }
    return true;
}

int session_points(const struct session *s)
{
    return s->plan.points.count;
}

/* ---- devices ---- */

int session_found(const struct session *s)
{
    return s->state == SESSION_LOOKING ? 0 : s->look.count;
}

bool session_found_device(const struct session *s, int i, struct session_device *out)
{
    if (i < 0 || i >= session_found(s))
        return false;
    *out = s->look.found[i].facts;
    return true;
}

int session_devices(const struct session *s)
{
    return s->devices;
}

bool session_device(const struct session *s, int place, struct session_device *out)
{
    if (place < 0 || place >= s->devices)
        return false;
    *out = s->device[place].facts;
    return true;
}

/* ---- the whole ---- */

void session_plan(const struct session *s, struct session_plan *out)
{
    *out = (struct session_plan){
        .points = s->plan.points.count,
        .passes = points_passes(&s->plan.options.settings),
        .devices = s->devices,
        .subset = s->plan.options.subset,
        .seconds = points_time(&s->plan.options, &s->plan.points),
        .bytes = s->plan.points.most_bytes,
        .backend = s->look.backend,
        .chosen = s->look.chosen,
        .result = s->files.to_stdout ? "" : s->files.result,
        .journal = s->files.journal,
        .base = s->files.base,
    };
}

/* s of the estimate that have passed of the points that run. */
static double in_progress(const struct session *s, double now)
{
    double passed = 0;

    for (int i = 0; i < s->devices; i++) {
        const struct device_run *d = &s->device[i];

        if (d->facts.running >= 0 && d->began > 0)
            passed += fmin(now - d->began, s->plan.points.seconds[d->facts.running]) / s->devices;
    }
    return passed;
}

void session_progress(const struct session *s, struct session_progress *out)
{
    const struct session_estimate *e = &s->work.estimate;
    double factor = e->estimated > 0 ? e->took / e->estimated : 1;
    double now = s->work.ended > 0 ? s->work.ended : clock_now();
    double warmup = s->plan.options.settings.device_warmup_min - (now - s->work.began);
    double left = fmax(0, (e->left - in_progress(s, now)) * factor) +
                  fmax(0, e->rests) * s->plan.options.settings.pause +
                  (e->warms ? fmax(0, warmup) : 0);

    *out = (struct session_progress){
        .done = e->before + e->done,
        .of = e->before + e->of,
        .before = e->before,
        .elapsed =
            s->state == SESSION_LOOKING || s->state == SESSION_READY ? 0 : now - s->work.began,
        .left = s->state == SESSION_WORKING ? left : 0,
    };
}

int session_notes(const struct session *s)
{
    return s->notes.count + s->plan.points.note_count + (s->look.chosen[0] != '\0');
}

const char *session_note(const struct session *s, int i)
{
    if (i < 0 || i >= session_notes(s))
        return "";
    if (i < s->notes.count)
        return s->notes.remark[i].text;
    i -= s->notes.count;
    return i < s->plan.points.note_count ? s->plan.points.note[i] : s->look.chosen;
}

const char *session_note_code(const struct session *s, int i)
{
    if (i >= 0 && i < s->notes.count)
        return s->notes.remark[i].code;
    return i - s->notes.count < s->plan.points.note_count ? "plan" : "device";
}

/* ---- driven to its end ---- */

static volatile sig_atomic_t seen, last_seen;

static struct caught {
    int number;
    struct sigaction before;
} caught[SIGNALS];
static int caught_count;

static void on_signal(int number)
{
    last_seen = number;
    seen++;
}

void session_signals_catch(const int *numbers, int count)
{
    struct sigaction action;

    seen = last_seen = 0;
    memset(&action, 0, sizeof(action));
    action.sa_handler = on_signal;
    action.sa_flags = SA_RESTART;
    for (int i = 0; i < count && caught_count < SIGNALS; i++) {
        struct caught *c = &caught[caught_count];

        c->number = numbers[i];
        if (sigaction(c->number, &action, &c->before) != 0)
            continue;
        if (c->before.sa_handler == SIG_IGN)
            sigaction(c->number, &c->before, NULL);
        else
            caught_count++;
    }
}

void session_signals_release(void)
{
    while (caught_count > 0) {
        caught_count--;
        sigaction(caught[caught_count].number, &caught[caught_count].before, NULL);
    }
    seen = 0;
}

int session_signals(int *last)
{
    *last = last_seen;
    return seen;
}

void session_drive(struct session *s, session_take *take, void *ctx)
{
    struct session_event event;
    int heeded = 0;
    bool going = true;

    for (;;) { /* also once more at the end: one that came late decides the exit code alone */
        while (heeded < 2 && heeded < seen)
            session_stop(s, heeded++ == 0 ? SESSION_AFTER_POINT : SESSION_NOW, last_seen);
        if (!going)
            return;
        if (session_step(s, TICK, &event))
            going = take(ctx, &event);
    }
}

/* ---- what a run will take and came to, in words ---- */

char *session_text_time(char *text, size_t size, double seconds)
{
    long s = lround(seconds);

    if (seconds < 1)
        gp_format(text, size, "under 1 s");
    else if (s < 60)
        gp_format(text, size, "%ld s", s);
    else if (s < 3600)
        gp_format(text, size, "%ld min %02ld s", s / 60, s % 60);
    else
        gp_format(text, size, "%ld h %02ld min", s / 3600, s / 60 % 60);
    return text;
}

char *session_text_plan(const struct session *s, char *text, size_t size)
{
    struct session_plan plan;
    char bytes[32], time[32];

    session_plan(s, &plan);
    gp_format(
        text, size,
        "%d point%s on %d device%s, %d pass%s, about %s with warm-up and rests, at most %s at "
        "once on each device",
        plan.points, plan.points == 1 ? "" : "s", plan.devices, plan.devices == 1 ? "" : "s",
        plan.passes, plan.passes == 1 ? "" : "es",
        session_text_time(time, sizeof(time), plan.seconds),
        units_bytes(bytes, sizeof(bytes), plan.bytes));
    return text;
}

void session_dry_run(const struct session *s, struct strbuf *out)
{
    const struct points *p = &s->plan.points;
    char size[32], text[200];

    for (int i = 0; i < s->devices; i++)
        strbuf_addf(out, "device %d: %s (%s)\n", s->device[i].facts.id, s->device[i].facts.name,
                    s->look.backend);
    for (int i = 0; i < p->count; i++)
        strbuf_addf(out, "%-64s %10s %7.1f s\n", p->point[i].id,
                    units_bytes(size, sizeof(size), p->bytes[i]),
                    p->seconds[i] * points_passes(&s->plan.options.settings));
    for (int i = 0; i < p->note_count; i++)
        strbuf_addf(out, "note: %s\n", p->note[i]);
    for (int i = 0; i < s->notes.count; i++)
        strbuf_addf(out, "note: %s\n", s->notes.remark[i].text);
    strbuf_addf(out, "%s; result in %s\n", session_text_plan(s, text, sizeof(text)),
                s->files.result);
}

/* ---- lost devices ---- */

/* An engine that finds others at work says "busy: ...". */
bool session_is_busy(const struct session_device *device)
{
    return device->failed && strncmp(device->why, "busy: ", 6) == 0;
}

static int count_busy(const struct session *s)
{
    int n = 0;

    for (int i = 0; i < s->devices; i++)
        n += session_is_busy(&s->device[i].facts);
    return n;
}

bool session_some_busy(const struct session *s)
{
    return count_busy(s) > 0;
}

bool session_text_lost(const struct session *s, int place, char *text, size_t size)
{
    const struct session_device *d, *other;
    char list[120] = "";
    int count = 0;

    if (place < 0 || place >= s->devices || !(d = &s->device[place].facts)->failed)
        return false;
    for (int i = 0; i < s->devices; i++) {
        other = &s->device[i].facts;
        if (!other->failed || strcmp(other->why, d->why) != 0)
            continue;
        if (i < place)
            return false;
        gp_append(list, sizeof(list), ", ", "%d", other->id);
        count++;
    }
    gp_format(text, size, "device%s %s %s: %s", count == 1 ? "" : "s", list,
              session_is_busy(d) ? "not measured" : "lost", d->why);
    return true;
}

/* ---- what it came to ---- */

static void say_complete(const struct benchlog *log, char *text, size_t size)
{
    struct benchlog_tally t = benchlog_tally(log);
    const char *reason = "";

    for (int i = log->count - 1; i >= 0; i--)
        if (log->point[i].state != POINT_OK && log->point[i].reason[0])
            reason = log->point[i].reason;
    if (t.good == log->count)
        gp_copy(text, size, "Complete: every point was measured.");
    else if (t.good > 0)
        gp_format(text, size, "Complete: %d of %d points have a good figure.", t.good, log->count);
    else if (t.without == log->count)
        gp_format(text, size, "Nothing was measured: %s", reason);
    else
        gp_format(text, size, "No good figure: %d flagged, %d wrong, %d without one.", t.flagged,
                  t.wrong, t.without);
}

char *session_outcome(const struct session *s, char *text, size_t size)
{
    const char *status = session_status(s);
    int busy = count_busy(s);

    if (strcmp(status, "complete") == 0 && s->have_log)
        say_complete(&s->log, text, size);
    else if (strcmp(status, "complete") == 0)
        gp_copy(text, size, "Complete, but no result could be made of it.");
    else if (s->work.limit_hit && !s->work.stopped && session_can_resume(s))
        gp_format(text, size, "The time limit of %s is reached: %d of %d points are measured.",
                  session_text_time((char[32]){""}, 32, s->plan.time_limit),
                  s->work.estimate.before + s->work.estimate.done,
                  s->work.estimate.before + s->work.estimate.of);
    else if (strcmp(status, "failed") != 0)
        gp_copy(text, size,
                session_can_resume(s) ? "Interrupted: what was measured is kept."
                                      : "Interrupted before a point was measured.");
    else
        gp_copy(text, size,
                busy == 0 ? "Failed: a device was lost; what was measured is kept."
                : session_can_resume(s)
                    ? "Partly measured: other processes use a device; the rest is kept."
                : busy < s->devices
                    ? "Nothing was measured: one device was lost, another is in use."
                    : "Nothing was measured: other processes use the device.");
    return text;
}

char *session_outcome_word(const struct session *s, char *text, size_t size)
{
    int good = s->have_log ? benchlog_tally(&s->log).good : 0;

    if (s->work.limit_hit && !s->work.stopped && failed_devices(s) == 0)
        gp_copy(text, size, "time limit");
    else if (!s->have_log || strcmp(session_status(s), "complete") != 0 || good == s->log.count)
        gp_copy(text, size, session_status(s));
    else
        gp_format(text, size, "%d of %d good", good, s->log.count);
    return text;
}
