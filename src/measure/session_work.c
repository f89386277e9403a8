/*
 * session_work.c - the engines at work: one per device, until all points are measured
 * or they are stopped.
 *
 * All devices work at the same time, because that is how they are used; what several of
 * them do together (allreduce, peer) follows, driven by the first alone. Whatever was
 * measured is in the journal before the next point begins, so nothing here has to
 * hurry. The time left is the sum of the estimates of what is left, times what the
 * points done took over what they were estimated at, and the rests between tests and the
 * warm-up that are to come.
 */
#include "measure/session_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/units.h"
#include "measure/runner_line.h"
#include "measure/session_options.h"

#define TIMEOUT 60.0 /* s without a line, beside ten times the time of a point */
#define STALL 5.0    /* of a time-out that was given: it may talk so much longer */
#define EWMA 0.9

/* ---- what is left to do ---- */

static bool takes_part(const struct session_device *d, const struct point *point)
{
    return !bench_kind_is(point->kind, KIND_IS_PAIR) || d->id == point->from || d->id == point->to;
}

bool session_all_well(const struct session *s, const struct point *point)
{
    for (int i = 0; i < s->devices; i++)
        if (s->device[i].facts.failed && takes_part(&s->device[i].facts, point))
            return false;
    return true;
}

/* Is the point measured in this phase by this device? */
static bool is_in_phase(const struct session *s, int place, int index)
{
    const struct point *point = &s->plan.points.point[index];

    if (!point_together(point))
        return !s->work.together;
    return s->work.together && place == 0 && session_all_well(s, point);
}

/* Even a device that measures nothing alone is looked at before it works with others. */
static bool is_looked_at(const struct session *s)
{
    for (int i = 0; i < s->plan.points.count && !s->work.together; i++)
        if (point_together(&s->plan.points.point[i]))
            return true;
    return false;
}

/* The order of one device: all passes, less what a resumed journal holds. */
static int *order_of(const struct session *s, int place, int *count)
{
    const struct points *points = &s->plan.points;
    const struct session_device *d = &s->device[place].facts;
    int n = points->count, *all, *skip;

    *count = 0;
    if (d->failed || n == 0)
        return NULL;
    all = points_order(s->plan.options.settings.seed, points);
    skip = gp_calloc((size_t)n, sizeof(*skip));
    for (int i = 0; i < n && s->work.records.count; i++)
        skip[i] = records_passes(&s->work.records, d->id, i);
    for (int i = 0; i < n * POINTS_PASSES; i++)
        if (is_in_phase(s, place, all[i]) && skip[all[i]]-- <= 0)
            all[(*count)++] = all[i];
    free(skip);
    return all;
}

static void mark_lost(struct session_device *d, const char *why)
{
    d->failed = true;
    d->running = -1;
    gp_copy(d->why, sizeof(d->why), why);
}

static void lose_device(struct session *s, struct session_device *d, const char *why)
{
    mark_lost(d, why);
    notes_add_said(&s->notes, "device_failed", "device %d: %s", d->id, why);
}

static int test_of(const struct session *s, int index)
{
    return (int)s->plan.points.point[index].test;
}

/* What the new order adds to the estimate. */
static void estimate_order(struct session *s, const int *order, int count)
{
    struct session_estimate *e = &s->work.estimate;

    for (int i = 0; i < count; i++)
        e->left += s->plan.points.seconds[order[i]] / s->devices;
    for (int i = 1; i < count; i++)
        e->rests += (test_of(s, order[i]) != test_of(s, order[i - 1])) / (double)s->devices;
    e->of += count;
}

static void start_device(struct session *s, int place)
{
    struct device_run *d = &s->device[place];
    struct session_work *w = &s->work;
    struct gp_err err = {0};
    int count, engine;
    struct runner_plan plan = {
        .program = s->look.program,
        .device = d->facts.id,
        .settings = s->plan.options.settings,
        .points = s->plan.points.point,
        .wait = s->devices > 1 && !w->together,
        .timeout = look_timeout(TIMEOUT + 10 * s->plan.options.settings.max_time),
        .patience = STALL * look_timeout(0),
        .seconds = look_timeout(0) > 0 ? NULL : s->plan.points.seconds,
    };

    /* the others that a second look would see were ours a moment ago */
    plan.settings.force = plan.settings.force || w->together;
    free(d->order);
    d->order = order_of(s, place, &count);
    if (count == 0 && (d->facts.failed || !is_looked_at(s)))
        return;
    plan.order = d->order;
    plan.count = count;
    engine = runner_start(w->runner, &plan, &err);
    if (engine < 0) {
        lose_device(s, &d->facts, err.text);
        return;
    }
    w->place_of[engine] = place;
    d->test = -1;
    estimate_order(s, d->order, count);
}

void session_begin_phase(struct session *s, bool together)
{
    s->work.together = together;
    s->work.estimate.warms = !together;
    s->work.runner = runner_new();
    for (int i = 0; i < s->devices; i++)
        start_device(s, i);
}

/* ---- the journal ---- */

static json_t *fingerprint(const struct session *s)
{
    const json_t *hello[SESSION_DEVICES], *device[SESSION_DEVICES];
    char hash[17];

    for (int i = 0; i < s->devices; i++) {
        hello[i] = s->look.engine.line;
        device[i] = s->device[i].listed;
    }
    points_hash(&s->plan.points, hash);
    return journal_fingerprint(&s->plan.options.settings, hash, hello, device, s->devices);
}

static struct device_run *device_of(struct session *s, json_int_t id)
{
    for (int i = 0; i < s->devices; i++)
        if (s->device[i].facts.id == id)
            return &s->device[i];
    return NULL;
}

static int point_of(const struct session *s, const char *id)
{
    for (int i = 0; i < s->plan.points.count; i++)
        if (strcmp(s->plan.points.point[i].id, id) == 0)
            return i;
    return -1;
}

/* What an earlier run measured counts as if it had been measured now. */
static void take_journal(struct session *s, const json_t *lines)
{
    const json_t *line;
    size_t i;

    json_array_foreach(lines, i, line)
    {
        const json_t *point = json_object_get(line, "point");
        struct device_run *d = device_of(s, json_integer_value(json_object_get(line, "device")));
        int index = point_of(s, session_text(point, "id"));
        struct session_record *record;

        if (!d || index < 0)
            continue;
        record =
            records_add(&s->work.records, d->facts.id, index, &s->plan.points.point[index], point);
        record->pass = (int)json_integer_value(json_object_get(line, "pass"));
        shown_take(&d->shown, record);
    }
    s->work.resumed = s->work.records.count > 0;
    for (int u = 0; u < s->devices; u++)
        session_find_roof(s, &s->device[u]);
}

enum gp_status session_open_journal(struct session *s, struct gp_err *err)
{
    json_t *print = fingerprint(s), *run = session_options_json(&s->options, s->tests);
    struct journal_read read = {0};
    enum gp_status rc;

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
                        const struct session_record *record, struct session_result *out)
{
    struct roofline line =
        session_predict(&d->facts, &d->roof, &s->plan.points.point[record->point]);

    *out = record->result;
    if (!line.time.known)
        return;
    out->predicted = line.time.value;
    out->ratio = out->median > 0 ? out->predicted / out->median : NAN;
    out->bound = roof_bound_word(line.bound);
    out->origin = origin_word(line.time.origin);
}

/* ---- events ---- */

/* Among the records, and into the journal. */
static struct session_record *keep_answer(struct session *s, const struct device_run *d,
                                          const struct runner_event *said)
{
    struct session_work *w = &s->work;
    struct gp_err err;
    struct session_record *record = records_add(&w->records, d->facts.id, said->index,
                                                &s->plan.points.point[said->index], said->json);

    if (w->journal && !w->disk &&
        journal_add_point(w->journal, record->device, record->pass, said->json, &err)) {
        w->disk = true;
        notes_say(&s->notes, err.text);
        runner_stop(w->runner, STOP_AFTER_POINT);
    }
    return record;
}

static void begin_point(struct session *s, struct device_run *d, int index)
{
    d->rested = d->test >= 0 && d->test != test_of(s, index);
    d->test = test_of(s, index);
    d->began = clock_now();
    d->facts.running = index;
    s->work.estimate.rests -= d->rested / (double)s->devices;
    s->work.estimate.warms = false;
}

/* What ended without a figure took no time, and tells nothing of those that do. */
static void count_point(struct session *s, struct device_run *d, int index, bool measured)
{
    struct session_estimate *e = &s->work.estimate;
    double rest = d->rested ? s->plan.options.settings.pause : 0;

    if (d->began > 0) { /* else a further variant of the same point */
        if (measured) {
            e->estimated = EWMA * e->estimated + s->plan.points.seconds[index];
            e->took = EWMA * e->took + fmax(0, clock_now() - d->began - rest);
        }
        e->left -= s->plan.points.seconds[index] / s->devices;
        e->done++;
    }
    d->began = 0;
    d->facts.running = -1;
}

static bool take_point(struct session *s, struct device_run *d, const struct runner_event *said,
                       struct session_event *event)
{
    struct session_record *record = keep_answer(s, d, said);

    count_point(s, d, said->index, record->result.ok);
    shown_take(&d->shown, record);
    session_find_roof(s, d);
    event->kind = SESSION_EVENT_POINT;
    session_see_result(s, d, record, &event->result);
    return true;
}

static bool take_loss(struct session *s, struct device_run *d, const struct runner_event *said,
                      struct session_event *event)
{
    const char *words = runner_words(s->work.runner, said->engine);
    const struct gp_err *why = &said->err;
    bool has_hint = why->hint[0], has_words = words && words[0];

    mark_lost(&d->facts, why->text);
    notes_add(&s->notes, "device_failed", "device %d: %s", d->facts.id, why->text);
    gp_format(s->text, sizeof(s->text), "device %d: %s%s%s%s%s", d->facts.id, why->text,
              has_hint ? " (" : "", why->hint, has_hint ? ")" : "", has_words ? "; it wrote:" : "");
    event->kind = SESSION_EVENT_LOST;
    event->text = s->text;
    if (has_words)
        notes_say(&s->notes, words);
    return true;
}

/* An engine's warning becomes a remark of the result and a note. False: it is
 * no such warning. */
static bool take_warning(struct session *s, const struct session_device *d,
                         const struct runner_event *said, struct session_event *event)
{
    static const struct {
        const char *code, *is;
    } kept[] = {{"busy", " is busy"}, {"memory", ""}};
    const char *code = session_text(said->json, "code");
    char text[200];

    for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++) {
        if (s->work.together || strcmp(code, kept[i].code) != 0)
            continue;
        line_clean(text, sizeof(text), session_text(said->json, "text"));
        gp_format(s->text, sizeof(s->text), "device %d%s: %s", d->id, kept[i].is, text);
        notes_add(&s->notes, kept[i].code, "%s", s->text);
        event->kind = SESSION_EVENT_NOTE;
        event->text = s->text;
        return true;
    }
    return false;
}

static bool take_log(struct session *s, const struct session_device *d,
                     const struct runner_event *said, struct session_event *event)
{
    if (take_warning(s, d, said, event))
        return true;
    event->kind = SESSION_EVENT_LOG;
    gp_copy(s->text, sizeof(s->text), session_text(said->json, "text"));
    event->text = s->text;
    return true;
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
        begin_point(s, d, said->index);
        event->kind = SESSION_EVENT_BEGIN;
        return true;
    case EVENT_SENSORS:
        event->kind = SESSION_EVENT_SENSORS;
        event->index = d->facts.running;
        session_sensors_read(&d->facts, said->json, &event->sensors);
        return true;
    case EVENT_POINT:
        return take_point(s, d, said, event);
    case EVENT_LOG:
        return take_log(s, &d->facts, said, event);
    case EVENT_FAILED:
        return take_loss(s, d, said, event);
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

bool session_has_begun(const struct session *s)
{
    bool begun = s->work.estimate.done > 0;

    for (int i = 0; i < s->devices && !begun; i++)
        begun = s->device[i].facts.running >= 0;
    return begun;
}

static void heed_limit(struct session *s)
{
    bool begun = session_has_begun(s);

    if (time_left(s) > 0)
        return;
    s->work.limit_hit = true;
    if (begun)
        notes_say(&s->notes, "the time limit is reached: stops after this point");
    else
        notes_add_said(&s->notes, "time_limit",
                       "the time limit of %s s passed during the warm-up, before any "
                       "point: nothing is measured",
                       UNITS_PLAIN(s->plan.time_limit, 3));
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

/* An engine that another process ended may have ended politely: it is lost when points
 * are missing and it was not asked to stop. */
static void look_for_missing(struct session *s)
{
    for (int i = 0; i < s->devices && !is_stopping(s); i++)
        if (!s->device[i].facts.failed && !all_answered(s, i))
            lose_device(s, &s->device[i].facts, "its engine ended before all points were measured");
}

/* No engine runs: the second phase, or the end, when all notes are delivered. */
static bool next_phase(struct session *s, struct session_event *event)
{
    struct session_work *w = &s->work;

    if (w->runner) {
        runner_free(w->runner);
        w->runner = NULL;
        for (int i = 0; i < s->devices; i++)
            s->device[i].facts.running = -1;
        look_for_missing(s);
    }
    if (s->notes.queued)
        return false;
    if (!w->together && !is_stopping(s)) {
        session_begin_phase(s, true);
        return false;
    }
    w->ended = clock_now();
    s->state = SESSION_OVER;
    event->kind = SESSION_EVENT_OVER;
    event->device = event->index = -1;
    return true;
}

bool session_work_step(struct session *s, double seconds, struct session_event *event)
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
