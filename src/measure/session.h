/*
 * session.h - one run of the benchmark, from the question to the result file.
 *
 * A session chooses the engine (CUDA where it finds a GPU, else the CPU), plans the
 * points, keeps the journal, drives the engines through runner.h, compares each result
 * with the roofline and writes gpuplan.bench/1, for --bench and for the screen. It never
 * prints, never waits longer than asked, and keeps no state outside itself.
 *
 *   LOOKING --READY--> READY --session_start--> WORKING --OVER--> OVER --finish--> DONE
 *      `--FAILED--> BROKEN (no engine, no device, a model that cannot be read)
 *
 *     struct session *s = session_new(&ask, &err);      // checks words, starts nothing
 *     while (s && session_state(s) != SESSION_OVER) {
 *         struct session_event e;
 *         if (!session_step(s, 0.25, &e))               // a screen: 0, it never waits
 *             continue;                                 // nothing happened
 *         if (e.kind == SESSION_EVENT_FAILED)
 *             break;                                    // e.err says why
 *         if (e.kind == SESSION_EVENT_READY && session_start(s, &err))
 *             break;                                    // no journal can be written
 *         if (e.kind == SESSION_EVENT_POINT)
 *             show(e.device, e.index, &e.result);
 *         if (ctrl_c)
 *             session_stop(s, SESSION_AFTER_POINT, SIGINT);
 *     }
 *     if (s && session_state(s) == SESSION_OVER)
 *         session_finish(s, &err);                      // the file, the summary
 *     code = session_exit_code(s, false);
 *     session_free(s);                                  // kills what still runs
 *
 * Left alone in READY, a session costs nothing: the screen shows session_plan() and the
 * points, and calls session_replan() when the user changes a test, at the price of a
 * plan (milliseconds) and not of asking the driver again.
 *
 * Stopping: SESSION_AFTER_POINT lets each device finish its point; SESSION_NOW ends the
 * engines (they have three seconds). What was measured is in the journal before the
 * next point begins; --resume goes on. A device whose engine dies, hangs or lies is
 * lost: the others go on, the run's status is "failed" and its exit code 4.
 */
#ifndef GP_MEASURE_SESSION_H
#define GP_MEASURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/option.h"
#include "answer/planner.h"
#include "base/err.h"
#include "base/str.h"
#include "measure/session_facts.h"

struct session;
struct benchlog; /* measure/result/benchlog.h */

struct session_ask {
    /* borrowed by session_new and session_replan alone, but its texts until
     * session_free */
    const struct options *options;
    struct planner *planner;     /* until session_free */
    const char *tests;           /* "gemm,memory"; NULL or "" = as --bench without any */
    const char *folder;          /* of a result without --output; NULL = the current one */
    bool view;                   /* --output names a view: the result is beside it, .json */
    bool confirm;                /* just what a plan rests on, by measure/confirm.h */
    int rank, ranks, local_rank; /* of several processes; ranks 0 or 1: alone */
    const char *job;             /* of theirs, or NULL */
};

enum session_state {
    SESSION_LOOKING,
    SESSION_READY,
    SESSION_WORKING,
    SESSION_OVER,
    SESSION_DONE,
    SESSION_BROKEN
};
enum session_stop_level { SESSION_AFTER_POINT, SESSION_NOW };

enum session_event_kind {
    SESSION_EVENT_READY, /* devices, points and files are known */
    SESSION_EVENT_BEGIN, /* a point begins on a device */
    SESSION_EVENT_SENSORS,
    SESSION_EVENT_POINT, /* a result; it is in the journal */
    SESSION_EVENT_LOG,   /* an engine says something, for the curious */
    SESSION_EVENT_NOTE,  /* the session does: stops, disk full, an engine's last words */
    SESSION_EVENT_LOST,  /* a device is lost, text says why */
    SESSION_EVENT_OVER,  /* nothing runs any more */
    SESSION_EVENT_FAILED /* err says why: the session is BROKEN, or READY with an empty
                          * plan, which session_replan may mend */
};

struct session_event {
    enum session_event_kind kind;
    int device;                     /* place among the session's devices; -1 = none */
    int index;                      /* of the point; -1 = none */
    const char *text;               /* LOG, NOTE, LOST; until the next step */
    struct session_sensors sensors; /* SENSORS */
    struct session_result result;   /* POINT */
    struct gp_err err;              /* FAILED */
};

/* NULL with GP_E_USAGE and the like in *err. Nothing is started, no file touched. */
struct session *session_new(const struct session_ask *options, struct gp_err *err);
void session_free(struct session *session); /* the journal stays */

enum session_state session_state(const struct session *session);

/* Goes on for at most `seconds` and delivers at most one event; false: none came. */
bool session_step(struct session *session, double seconds, struct session_event *event);

/* READY: plans anew for another ask; the devices that were found stay. On failure the
 * plan is empty and the state is still READY. --backend cannot change. */
enum gp_status session_replan(struct session *session, const struct session_ask *options,
                              struct gp_err *err);

/* READY: opens or resumes the journal; what fails later is an event. */
enum gp_status session_start(struct session *session, struct gp_err *err);

/* signal: the exit code becomes 128 + it; 0 = a key was pressed. */
void session_stop(struct session *session, enum session_stop_level level, int signal);

/* OVER: makes the document, writes it, closes the journal (removed when the run is
 * complete and the file written, or nothing was measured). When it cannot be written,
 * the rest can still be read and session_finish be tried again. With --output - nothing
 * is written, and the journal stays until session_settle says that the result is safe
 * elsewhere. */
enum gp_status session_finish(struct session *session, struct gp_err *err);
void session_settle(struct session *session);

/* Is there a journal that is worth going on with? */
bool session_can_resume(const struct session *session);

/* ---- what can be seen ---- */
void session_plan(const struct session *session, struct session_plan *out);
void session_progress(const struct session *session, struct session_progress *out);
int session_found(const struct session *session); /* devices, chosen or not */
bool session_found_device(const struct session *session, int i, struct session_device *out);
int session_devices(const struct session *session); /* chosen by --device */
bool session_device(const struct session *session, int place, struct session_device *out);
int session_points(const struct session *session);
bool session_point(const struct session *session, int place, int index, struct session_point *out);
int session_notes(const struct session *session); /* left out, assumed, resumed, lost */
const char *session_note(const struct session *session, int i);
const char *session_note_code(const struct session *session, int i); /* "busy" */
size_t session_stem(const char *path); /* "a.b/run.json": length of "a.b/run" */
void session_dry_run(const struct session *session, struct strbuf *out); /* as text */
/* Does the option decide what is measured, not what a command makes of it? */
bool session_measures_by(enum option_id id);

/* ---- DONE ---- */
const char *session_status(const struct session *session);         /* "complete", "failed" */
int session_exit_code(const struct session *session, bool strict); /* DESIGN's */
int session_summaries(const struct session *session);
const char *session_summary(const struct session *session, int i);
const struct benchlog *session_log(const struct session *session); /* NULL before */

#endif
