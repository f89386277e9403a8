/*
 * session.c - the life of a session: see session.h.
 *
 * Each state has one function that goes on with it for a while. Whatever somebody
 * should be told goes through one queue, so that a step delivers one thing and the
 * order of what happened is kept.
 */
#include "run/session_parts.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/json.h"
#include "util/mem.h"

void session_warn(struct session *s, const char *code, const char *fmt, ...)
{
    struct session_remark *note = &s->note[s->note_count];
    va_list args;

    if (s->note_count == SESSION_NOTES)
        return;
    note->code = code;
    va_start(args, fmt);
    vsnprintf(note->text, sizeof note->text, fmt, args);
    va_end(args);
    s->note_count++;
}

void session_say(struct session *s, const char *text)
{
    if (s->queued == SESSION_QUEUE) {
        memmove(s->queue, s->queue + 1, sizeof s->queue - sizeof s->queue[0]);
        s->queued--;
    }
    gp_copy(s->queue[s->queued++], sizeof s->queue[0], text);
}

double session_figure(const json_t *json, const char *key)
{
    const json_t *value = json_object_get(json, key);

    return json_is_number(value) ? json_number_value(value) : NAN;
}

const char *session_word(const json_t *json, const char *key)
{
    const char *text = json_string_value(json_object_get(json, key));

    return text ? text : "";
}

/* ---- beginning and end ---- */

static void take_ask(struct session *s, const struct session_ask *how)
{
    s->how = *how;
    s->options = *how->options;
    s->how.options = &s->options;
    gp_copy(s->tests_text, sizeof s->tests_text, how->tests ? how->tests : "");
    gp_copy(s->folder, sizeof s->folder, how->folder ? how->folder : "");
    gp_copy(s->job, sizeof s->job, how->job ? how->job : "");
    s->how.tests = s->tests_text;
    s->how.folder = s->folder;
    s->how.job = s->job;
}

struct session *session_new(const struct session_ask *options, struct gp_err *err)
{
    struct session *s = gp_calloc(1, sizeof *s);

    s->state = SESSION_LOOKING;
    s->trying = -1;
    s->records = json_array();
    s->clock = clock_now();
    s->began = time(NULL);
    take_ask(s, options);
    if (session_recall(s, err) == GP_OK && session_check(s, err) == GP_OK &&
        session_name_files(s, err) == GP_OK)
        return s;
    session_free(s);
    return NULL;
}

void session_free(struct session *s)
{
    if (!s)
        return;
    runner_free(s->runner);
    session_drop_plan(s);
    if (s->have_log)
        benchlog_fini(&s->log);
    journal_close(s->journal, false);
    json_decref(s->hello);
    json_decref(s->listed);
    json_decref(s->records);
    json_decref(s->recalled);
    free(s->found);
    free(s);
}

enum session_state session_state(const struct session *s)
{
    return s->state;
}

enum gp_status session_replan(struct session *s, const struct session_ask *how,
                              struct gp_err *err)
{
    enum gp_status status;

    if (s->state != SESSION_READY)
        return gp_fail(err, GP_E_INTERNAL, "session", "",
                       "a plan can be changed before it is started");
    session_drop_plan(s);
    s->note_count = s->look_notes;
    take_ask(s, how);
    status = session_recall(s, err);
    if (!status)
        status = session_check(s, err);
    if (!status)
        status = session_name_files(s, err);
    return status ? status : session_make_plan(s, err);
}

enum gp_status session_start(struct session *s, struct gp_err *err)
{
    enum gp_status status;

    if (s->state != SESSION_READY || s->points.count == 0)
        return gp_fail(err, GP_E_INTERNAL, "session", "", "there is no plan to start");
    if ((status = session_open_journal(s, err)) != GP_OK)
        return status;
    s->clock = clock_now();
    s->began = time(NULL);
    s->state = SESSION_WORKING;
    session_phase(s, false);
    return GP_OK;
}

/* ---- stopping ---- */

static void broken(struct session *s, const struct gp_err *why)
{
    runner_free(s->runner);
    s->runner = NULL;
    s->state = SESSION_BROKEN;
    s->broken = *why;
}

void session_stop(struct session *s, enum session_stop_level level, int signal)
{
    int wanted = level == SESSION_NOW ? 2 : 1;
    struct gp_err why;

    if (s->state == SESSION_DONE || s->state == SESSION_BROKEN)
        return;
    s->stopped = true;
    if (signal)
        s->signal = signal;
    if (s->state == SESSION_LOOKING || s->state == SESSION_READY) {
        gp_fail(&why, GP_E_NOTHING, "", "", "stopped before anything was measured");
        broken(s, &why);
        return;
    }
    if (s->state != SESSION_WORKING || s->level >= wanted || !s->runner)
        return;
    if (!session_has_begun(s)) /* no point is lost */
        wanted = 2;
    session_say(s, wanted == 1 ? "stops after this point; once more: at once"
                               : "stops at once");
    if (s->level == 0)
        runner_stop(s->runner, STOP_AFTER_POINT);
    if (wanted == 2)
        runner_stop(s->runner, STOP_NOW);
    s->level = wanted;
}

/* ---- one step ---- */

static void blank(struct session_event *event)
{
    memset(event, 0, sizeof *event);
    event->device = event->index = -1;
}

static bool next_note(struct session *s, struct session_event *event)
{
    if (s->queued == 0)
        return false;
    gp_copy(s->text, sizeof s->text, s->queue[0]);
    memmove(s->queue, s->queue + 1, sizeof s->queue - sizeof s->queue[0]);
    s->queued--;
    event->kind = SESSION_EVENT_NOTE;
    event->text = s->text;
    return true;
}

static bool tell_broken(struct session *s, struct session_event *event)
{
    if (s->told)
        return false;
    s->told = true;
    event->kind = SESSION_EVENT_FAILED;
    event->err = s->broken;
    return true;
}

static bool look(struct session *s, double seconds, struct session_event *event)
{
    if (!session_look(s, seconds, event))
        return false;
    if (event->kind == SESSION_EVENT_FAILED && s->state == SESSION_LOOKING) {
        broken(s, &event->err);
        s->told = true;
    }
    return true;
}

bool session_step(struct session *s, double seconds, struct session_event *event)
{
    blank(event);
    if (next_note(s, event))
        return true;
    switch (s->state) {
    case SESSION_LOOKING:
        return look(s, seconds, event);
    case SESSION_WORKING:
        return session_work(s, seconds, event) || next_note(s, event);
    case SESSION_BROKEN:
        return tell_broken(s, event);
    default:
        return false;
    }
}
