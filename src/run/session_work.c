/*
 * session_work.c - the engines at work: one per device, until all points are measured
 * or somebody stops them.
 *
 * All devices work at the same time, because that is how they are used; what several of
 * them do together (allreduce, peer) follows, driven by the first alone. Whatever was
 * measured is in the journal before the next point begins, so nothing here has to
 * hurry. The time left is the sum of the estimates of what is left, times what the
 * points done took over what they were estimated at, and the rests between tests and the
 * warm-up that are to come.
 */
#include "run/session_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "run/runner_line.h"
#include "util/clock.h"
#include "util/json.h"
#include "util/mem.h"
#include "util/units.h"

#define TIMEOUT 60.0 /* s without a line, beside ten times the time of a point */
#define STALL   5.0  /* of a time-out that was given: it may talk so much longer */
#define EWMA    0.9

/* ---- what is left to do ---- */

/* How often this point of this device has been answered: passes that need no more. */
static int passes_done(const struct session *s, int device, const char *id)
{
    const json_t *record;
    int passes = 0;
    size_t i;

    json_array_foreach(s->records, i, record)
    {
        const json_t *point = json_object_get(record, "point");
        int pass = (int)json_integer_value(json_object_get(record, "pass"));

        if (json_integer_value(json_object_get(record, "device")) == device &&
            strcmp(session_word(point, "id"), id) == 0 && pass >= passes)
            passes = pass + 1;
    }
    return passes;
}

static bool takes_part(const struct session_unit *u, const struct point *point)
{
    return !bench_kind_is(point->kind, KIND_IS_PAIR) || u->index == point->from ||
           u->index == point->to;
}

bool session_all_well(const struct session *s, const struct point *point)
{
    for (int i = 0; i < s->count; i++)
        if (s->unit[i].failed && takes_part(&s->unit[i], point))
            return false;
    return true;
}

static bool belongs(const struct session *s, int place, int index)
{
    const struct point *point = &s->points.point[index];

    if (!point_together(point))
        return !s->together;
    return s->together && place == 0 && session_all_well(s, point);
}

/* Even a device that measures nothing alone is looked at before it works with others. */
static bool is_looked_at(const struct session *s)
{
    for (int i = 0; i < s->points.count && !s->together; i++)
        if (point_together(&s->points.point[i]))
            return true;
    return false;
}

/* The order of one device: all passes, less what a resumed journal holds. */
static int *order_of(const struct session *s, int place, int *count)
{
    int n = s->points.count, *all, *skip;

    *count = 0;
    if (s->unit[place].failed || n == 0)
        return NULL;
    all = points_order(s->points_options.settings.seed, &s->points);
    skip = gp_calloc((size_t)n, sizeof *skip);
    for (int i = 0; i < n && json_array_size(s->records); i++)
        skip[i] = passes_done(s, s->unit[place].index, s->points.point[i].id);
    for (int i = 0; i < n * POINTS_PASSES; i++)
        if (belongs(s, place, all[i]) && skip[all[i]]-- <= 0)
            all[(*count)++] = all[i];
    free(skip);
    return all;
}

double session_timeout(double usual)
{
    const char *text = getenv("GPUPLAN_ENGINE_TIMEOUT");
    double given = text ? strtod(text, NULL) : 0;

    return given > 0 ? given : usual;
}

static void lost(struct session *s, struct session_unit *u, const char *why)
{
    u->failed = true;
    u->running = -1;
    gp_copy(u->why, sizeof u->why, why);
    session_warn(s, "device_failed", "device %d: %s", u->index, why);
}

static int test_of(const struct session *s, int index)
{
    return (int)s->points.point[index].test;
}

static void start(struct session *s, int place)
{
    struct session_unit *u = &s->unit[place];
    struct gp_err err = {0};
    int count, engine;
    struct runner_plan plan = {
        .program = s->program,
        .device = u->index,
        .settings = s->points_options.settings,
        .points = s->points.point,
        .wait = s->count > 1 && !s->together,
        .timeout = session_timeout(TIMEOUT + 10 * s->points_options.settings.max_time),
        .patience = STALL * session_timeout(0),
        .seconds = session_timeout(0) > 0 ? NULL : s->points.seconds,
    };

    /* the others that a second look would see were ours a moment ago */
    plan.settings.force = plan.settings.force || s->together;
    free(u->order);
    u->order = order_of(s, place, &count);
    if (count == 0 && (u->failed || !is_looked_at(s)))
        return;
    plan.order = u->order;
    plan.count = count;
    engine = runner_start(s->runner, &plan, &err);
    if (engine < 0) {
        lost(s, u, err.text);
        session_say(s, s->note[s->note_count - 1].text);
        return;
    }
    s->unit_of[engine] = place;
    u->test = -1;
    for (int i = 0; i < count; i++)
        s->estimate.left += s->points.seconds[u->order[i]] / s->count;
    for (int i = 1; i < count; i++)
        s->estimate.rests += (test_of(s, u->order[i]) != test_of(s, u->order[i - 1])) /
                             (double)s->count;
    s->estimate.of += count;
}

void session_phase(struct session *s, bool together)
{
    s->together = together;
    s->estimate.warms = !together;
    s->runner = runner_new();
    for (int i = 0; i < s->count; i++)
        start(s, i);
}

/* ---- events ---- */

/* Passes of this variant that are recorded. */
static int pass_of(const struct session *s, int device, const json_t *point)
{
    const json_t *record;
    int pass = 0;
    size_t i;

    json_array_foreach(s->records, i, record)
    {
        const json_t *p = json_object_get(record, "point");

        pass += json_integer_value(json_object_get(record, "device")) == device &&
                strcmp(session_word(p, "id"), session_word(point, "id")) == 0 &&
                strcmp(session_word(p, "variant"), session_word(point, "variant")) == 0;
    }
    return pass;
}

/* Into the journal, and among the records; the record's own copy of the point. */
static json_t *keep(struct session *s, const struct session_unit *u,
                    const json_t *point)
{
    json_t *record = json_object(), *copy = json_deep_copy(point);
    int pass = pass_of(s, u->index, point);

    json_object_set_new(record, "device", json_integer(u->index));
    json_object_set_new(record, "pass", json_integer(pass));
    json_object_set_new(record, "point", copy);
    json_array_append(s->records, record);
    if (s->journal && !s->disk && journal_add(s->journal, record, &s->disk_err)) {
        s->disk = true;
        session_say(s, s->disk_err.text);
        runner_stop(s->runner, STOP_AFTER_POINT);
    }
    json_decref(record);
    return copy;
}

static void begin_point(struct session *s, struct session_unit *u, int index)
{
    u->rested = u->test >= 0 && u->test != test_of(s, index);
    u->test = test_of(s, index);
    u->began = clock_now();
    u->running = index;
    s->estimate.rests -= u->rested / (double)s->count;
    s->estimate.warms = false;
}

/* What ended without a figure took no time, and tells nothing of those that do. */
static void count_point(struct session *s, struct session_unit *u, int index,
                        bool measured)
{
    struct session_estimate *e = &s->estimate;
    double rest = u->rested ? s->points_options.settings.pause : 0;

    if (u->began > 0) { /* else a further variant of the same point */
        if (measured) {
            e->estimated = EWMA * e->estimated + s->points.seconds[index];
            e->took = EWMA * e->took + fmax(0, clock_now() - u->began - rest);
        }
        e->left -= s->points.seconds[index] / s->count;
        e->done++;
    }
    u->began = 0;
    u->running = -1;
}

static bool take_point(struct session *s, struct session_unit *u,
                       const struct runner_event *said, struct session_event *event)
{
    json_t *point = keep(s, u, said->json);

    count_point(s, u, said->index, strcmp(session_word(point, "state"), "ok") == 0);
    session_show(u, said->index, point);
    session_find_roof(s, u);
    event->kind = SESSION_EVENT_POINT;
    session_read_result(s, u, said->index, point, &event->result);
    return true;
}

static bool take_loss(struct session *s, struct session_unit *u,
                      const struct runner_event *said, struct session_event *event)
{
    const char *words = runner_words(s->runner, said->engine);
    const struct gp_err *why = &said->err;
    bool has_hint = why->hint[0], has_words = words && words[0];

    lost(s, u, why->text);
    gp_format(s->text, sizeof s->text, "device %d: %s%s%s%s%s", u->index, why->text,
              has_hint ? " (" : "", why->hint, has_hint ? ")" : "",
              has_words ? "; it wrote:" : "");
    event->kind = SESSION_EVENT_LOST;
    event->text = s->text;
    if (has_words)
        session_say(s, words);
    return true;
}

/* What an engine warns of the result keeps, and whoever watches is told. False: it is
 * no such warning. */
static bool take_warning(struct session *s, const struct session_unit *u,
                         const struct runner_event *said, struct session_event *event)
{
    static const struct {
        const char *code, *is;
    } kept[] = {{"busy", " is busy"}, {"memory", ""}};
    const char *code = session_word(said->json, "code");
    char text[200];

    for (size_t i = 0; i < sizeof kept / sizeof kept[0]; i++) {
        if (s->together || strcmp(code, kept[i].code) != 0)
            continue;
        line_clean(text, sizeof text, session_word(said->json, "text"));
        gp_format(s->text, sizeof s->text, "device %d%s: %s", u->index, kept[i].is,
                  text);
        session_warn(s, kept[i].code, "%s", s->text);
        event->kind = SESSION_EVENT_NOTE;
        event->text = s->text;
        return true;
    }
    return false;
}

static bool handle(struct session *s, const struct runner_event *said,
                   struct session_event *event)
{
    struct session_unit *u = &s->unit[s->unit_of[said->engine]];

    event->device = s->unit_of[said->engine];
    event->index = said->index;
    switch (said->kind) {
    case EVENT_DEVICE:
        json_decref(u->opened);
        u->opened = json_incref((json_t *)said->json);
        return false;
    case EVENT_START:
        begin_point(s, u, said->index);
        event->kind = SESSION_EVENT_BEGIN;
        return true;
    case EVENT_SENSORS:
        event->kind = SESSION_EVENT_SENSORS;
        event->index = u->running;
        session_sensors(u, said->json, &event->sensors);
        return true;
    case EVENT_POINT:
        return take_point(s, u, said, event);
    case EVENT_LOG:
        if (take_warning(s, u, said, event))
            return true;
        event->kind = SESSION_EVENT_LOG;
        gp_copy(s->text, sizeof s->text, session_word(said->json, "text"));
        event->text = s->text;
        return true;
    case EVENT_FAILED:
        return take_loss(s, u, said, event);
    default:
        return false;
    }
}

/* ---- the step ---- */

/* Seconds until the limit; INFINITY without one. */
static double time_left(const struct session *s)
{
    if (s->time_limit <= 0 || s->limit_hit)
        return INFINITY;
    return fmax(0, s->time_limit - (clock_now() - s->clock));
}

bool session_has_begun(const struct session *s)
{
    bool begun = s->estimate.done > 0;

    for (int i = 0; i < s->count && !begun; i++)
        begun = s->unit[i].running >= 0;
    return begun;
}

static void heed_limit(struct session *s)
{
    if (time_left(s) > 0)
        return;
    s->limit_hit = true;
    if (session_has_begun(s)) {
        session_say(s, "the time limit is reached: stops after this point");
    } else {
        session_warn(s, "time_limit",
                     "the time limit of %s s passed during the warm-up, before any "
                     "point: nothing is measured",
                     UNITS_PLAIN(s->time_limit, 3));
        session_say(s, s->note[s->note_count - 1].text);
    }
    runner_stop(s->runner, session_has_begun(s) ? STOP_AFTER_POINT : STOP_NOW);
}

static bool stops(const struct session *s)
{
    return s->stopped || s->limit_hit || s->disk;
}

static bool all_answered(const struct session *s, int place)
{
    for (int i = 0; i < s->points.count; i++)
        if (belongs(s, place, i) && !s->unit[place].shown[(size_t)i * SESSION_VARIANTS])
            return false;
    return true;
}

/* An engine that somebody else ended may have said a polite goodbye: what counts is
 * that nobody here asked it to, and that points are missing. */
static void look_for_missing(struct session *s)
{
    for (int i = 0; i < s->count && !stops(s); i++) {
        if (s->unit[i].failed || all_answered(s, i))
            continue;
        lost(s, &s->unit[i], "its engine ended before all points were measured");
        session_say(s, s->note[s->note_count - 1].text);
    }
}

/* No engine runs: the second phase, or the end, when all notes are delivered. */
static bool next_phase(struct session *s, struct session_event *event)
{
    if (s->runner) {
        runner_free(s->runner);
        s->runner = NULL;
        for (int i = 0; i < s->count; i++)
            s->unit[i].running = -1;
        look_for_missing(s);
    }
    if (s->queued)
        return false;
    if (!s->together && !stops(s)) {
        session_phase(s, true);
        return false;
    }
    s->ended = clock_now();
    s->state = SESSION_OVER;
    event->kind = SESSION_EVENT_OVER;
    event->device = event->index = -1;
    return true;
}

bool session_work(struct session *s, double seconds, struct session_event *event)
{
    struct runner_event said;

    if (!s->runner)
        return next_phase(s, event);
    heed_limit(s);
    if (!s->queued && runner_step(s->runner, fmin(seconds, time_left(s)), &said))
        return handle(s, &said, event);
    if (!s->queued && !runner_busy(s->runner))
        return next_phase(s, event);
    return false;
}
