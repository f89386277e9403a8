/*
 * session.c - the life of a session, and what can be seen of it: see session.h.
 *
 * Each state has one function that advances it for a while. Notes for the user go
 * through one queue, so that a step delivers one event and the order of events is kept.
 */
#include "answer/calibrate.h"
#include "measure/session_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/session_options.h"
#include "measure/session_say.h"

/* ---- beginning and end ---- */

static void take_ask(struct session *s, const struct session_ask *ask)
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
}

/* What the words of an ask decide, without any device. */
static enum gp_status read_ask(struct session *s, const struct session_ask *ask, struct gp_err *err)
{
    enum gp_status rc;

    take_ask(s, ask);
    rc = session_options_recall(&s->options, s->tests, sizeof(s->tests), &s->recalled, err);
    if (!rc)
        rc = bench_plan_check(&s->plan, &s->ask, err);
    if (!rc)
        rc = session_files_name(&s->files, &s->ask, s->work.date, err);
    return rc;
}

struct session *session_new(const struct session_ask *ask, struct gp_err *err)
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
        shown_fini(&s->device[i].shown);
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
        s->device[i].facts = s->plan.device[i]->facts;
        s->device[i].listed = s->plan.device[i]->line;
        shown_init(&s->device[i].shown, s->plan.points.count);
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
    bench_plan_fini(&s->plan);
    if (s->have_log)
        benchlog_fini(&s->log);
    journal_close(s->work.journal, false);
    records_fini(&s->work.records);
    json_decref(s->recalled);
    notes_fini(&s->notes);
    free(s);
}

enum session_state session_state(const struct session *s)
{
    return s->state;
}

enum gp_status session_replan(struct session *s, const struct session_ask *ask, struct gp_err *err)
{
    enum gp_status rc;

    if (s->state != SESSION_READY)
        return gp_fail(err, GP_E_INTERNAL, "session", "",
                       "a plan can be changed before it is started");
    drop_devices(s);
    bench_plan_drop(&s->plan);
    s->notes.count = s->notes.kept;
    rc = read_ask(s, ask, err);
    return rc ? rc : make_plan(s, err);
}

enum gp_status session_start(struct session *s, struct gp_err *err)
{
    enum gp_status rc;

    if (s->state != SESSION_READY || s->plan.points.count == 0)
        return gp_fail(err, GP_E_INTERNAL, "session", "", "no plan to start");
    if ((rc = session_open_journal(s, err)) != GP_OK)
        return rc;
    s->work.began = clock_now();
    s->work.date = time(NULL);
    s->state = SESSION_WORKING;
    session_begin_phase(s, false);
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
    if (!session_has_begun(s)) /* no point is lost */
        wanted = 2;
    notes_say(&s->notes,
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
    if (!notes_next(&s->notes, s->text, sizeof(s->text)))
        return false;
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

/* The devices are known: on to the plan. */
static void make_ready(struct session *s, struct session_event *event)
{
    s->notes.kept = s->notes.count;
    look_match(&s->look, planner_catalog(s->ask.planner));
    s->state = SESSION_READY;
    event->kind = SESSION_EVENT_READY;
    if (make_plan(s, &event->err))
        event->kind = SESSION_EVENT_FAILED;
}

static bool look_for_devices(struct session *s, double seconds, struct session_event *event)
{
    switch (look_step(&s->look, &s->options, seconds, &s->notes, &event->err)) {
    case LOOK_WAITS:
        return false;
    case LOOK_DONE:
        make_ready(s, event);
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
        return session_work_step(s, seconds, event) || next_note(s, event);
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
        const struct benchlog_point *p = &s->log.point[i];

        /* the second: a figure of one pass, of which another came to nothing */
        errors += p->state == POINT_ERROR || benchlog_flagged(p, "failed_once");
        if (p->state != POINT_OK)
            continue;
        ok++;
        wrong += benchlog_wrong(p);
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

static enum gp_status make_log(struct session *s, struct gp_err *err)
{
    json_t *json;
    enum gp_status rc;

    if (s->have_log)
        return GP_OK;
    json = session_document(s);
    rc = benchlog_from_json("result", json, &s->log, err);
    json_decref(json);
    s->have_log = rc == GP_OK;
    if (rc && err)
        err->code = GP_E_INTERNAL;
    return rc ? GP_E_INTERNAL : GP_OK;
}

void session_settle(struct session *s)
{
    journal_close(s->work.journal, !session_can_resume(s));
    s->work.journal = NULL;
}

/* Devices that failed before their first point leave nothing; a run that was
 * interrupted before it may be continued by a script. */
bool session_can_resume(const struct session *s)
{
    const char *status = session_status(s);

    return strcmp(status, "complete") != 0 &&
           (s->work.records.count > 0 || strcmp(status, "failed") != 0);
}

enum gp_status session_finish(struct session *s, struct gp_err *err)
{
    enum gp_status rc;

    if (s->state != SESSION_OVER && s->state != SESSION_DONE)
        return gp_fail(err, GP_E_INTERNAL, "session", "", "it is not over");
    if ((rc = make_log(s, err)) != GP_OK)
        return rc;
    s->state = SESSION_DONE;
    if (s->files.to_stdout)
        return GP_OK;
    if ((rc = benchlog_write(s->files.result, s->log.json, err)) == GP_OK) {
        session_settle(s);
        calibration_keep(&s->log, NULL); /* the result is safe without it */
    }
    return rc;
}

const struct benchlog *session_log(const struct session *s)
{
    return s->have_log ? &s->log : NULL;
}

static const json_t *summary(const struct session *s)
{
    return s->have_log ? json_object_get(s->log.json, "summary") : NULL;
}

int session_summaries(const struct session *s)
{
    return (int)json_array_size(summary(s));
}

const char *session_summary(const struct session *s, int i)
{
    const char *text = json_string_value(json_array_get(summary(s), (size_t)i));

    return i >= 0 && text ? text : "";
}

/* ---- points ---- */

static enum session_mark mark_of(const struct session *s, const struct device_run *d, int index)
{
    const struct session_record *first = shown_of(&d->shown, index)[0];

    if (d->facts.running == index)
        return MARK_RUNNING;
    if (first && first->result.ok)
        return first->result.check == 0 ? MARK_WRONG : MARK_OK;
    if (first)
        return strcmp(first->result.state, "unsupported") == 0 ? MARK_UNSUPPORTED : MARK_FAILED;
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
    const struct device_run *d;
    const struct point *p;

    memset(out, 0, sizeof(*out));
    if (place < 0 || place >= s->devices || index < 0 || index >= s->plan.points.count)
        return false;
    d = &s->device[place];
    p = &s->plan.points.point[index];
    *out = (struct session_point){
        .index = index,
        .id = p->id,
        .test = p->test,
        .type = p->type,
        .layer = p->layer,
        .kind = point_kind(p),
        .m = p->m,
        .n = p->n,
        .k = p->k,
        .size = bench_test_is(p->test, TEST_IS_SIZED) ? p->bytes : 0,
        .seconds = s->plan.points.seconds[index],
        .bytes = s->plan.points.bytes[index],
        .operations = point_operations(p),
        .moved = point_bytes(p),
        .mark = mark_of(s, d, index),
    };
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
        .passes = POINTS_PASSES,
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

void session_progress(const struct session *s, struct session_progress *out)
{
    const struct session_estimate *e = &s->work.estimate;
    double factor = e->estimated > 0 ? e->took / e->estimated : 1;
    double now = s->work.ended > 0 ? s->work.ended : clock_now();
    double warmup = s->plan.options.settings.device_warmup_min - (now - s->work.began);
    double left = fmax(0, e->left) * factor + fmax(0, e->rests) * s->plan.options.settings.pause +
                  (e->warms ? fmax(0, warmup) : 0);

    *out = (struct session_progress){
        .done = e->done,
        .of = e->of,
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

void session_dry_run(const struct session *s, struct strbuf *out)
{
    const struct points *p = &s->plan.points;
    char size[32], text[200];

    for (int i = 0; i < s->devices; i++)
        strbuf_addf(out, "device %d: %s (%s)\n", s->device[i].facts.id, s->device[i].facts.name,
                    s->look.backend);
    for (int i = 0; i < p->count; i++)
        strbuf_addf(out, "%-64s %10s %7.1f s\n", p->point[i].id,
                    units_bytes(size, sizeof(size), p->bytes[i]), p->seconds[i] * POINTS_PASSES);
    for (int i = 0; i < p->note_count; i++)
        strbuf_addf(out, "note: %s\n", p->note[i]);
    for (int i = 0; i < s->notes.count; i++)
        strbuf_addf(out, "note: %s\n", s->notes.remark[i].text);
    strbuf_addf(out, "%s; result in %s\n", session_say_plan(s, text, sizeof(text)),
                s->files.result);
}
