/*
 * session.h - one run of the benchmark, from the question to the result file.
 *
 * A session chooses the engine (CUDA where it finds a GPU, else the CPU), plans the points, keeps
 * the journal, drives the engines through runner.h, compares each result with the roofline and
 * writes gpuplan.bench/1, for --bench and for the screen. It never prints, never waits longer than
 * asked, and keeps no state outside itself.
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
 * Left alone in READY, a session costs nothing: the screen shows session_plan() and the points, and
 * calls session_replan() when the user changes a test, at the price of a plan (milliseconds) and
 * not of asking the driver again.
 *
 * Stopping: SESSION_AFTER_POINT lets each device finish its point; SESSION_NOW ends the engines
 * (they have three seconds). What was measured is in the journal before the next point begins;
 * --resume goes on. A device whose engine dies, hangs or lies is lost: the others go on, the run's
 * status is "failed" and its exit code 4.
 */
#ifndef GP_MEASURE_SESSION_H
#define GP_MEASURE_SESSION_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/option.h"
#include "answer/planner.h"
#include "base/err.h"
#include "base/str.h"
#include "measure/point/result.h"

struct session;
struct benchlog; /* measure/result/benchlog.h */
struct gpu;

/* ---- what can be seen: plain values, in SI units ----
 * An unknown number is NAN; of a result it is 0. Texts are the session's own; they stay until the
 * next call that changes it (session_step, session_replan, session_finish). */

#define SESSION_DEVICES 64 /* that one session measures at most */
#define SESSION_VARIANTS 8 /* results of one point: "heuristic", "tuned" */
#define SESSION_NOTE 256

struct session_device {
    int id;                           /* as its engine counts */
    char name[257];                   /* "NVIDIA H100 80GB HBM3" */
    char driver[80];                  /* version; "" = unknown */
    char uuid[129], pci[65];          /* "" = unknown */
    double memory, free;              /* bytes; free as it was when it was listed */
    double cache;                     /* bytes of the last one */
    double bandwidth;                 /* bytes/s by the driver's clocks and bus */
    double power_limit, sm_clock_max; /* W, MHz */
    bool says_products;               /* which types it multiplies: */
    unsigned products;                /* bit per enum bench_type */
    const struct gpu *gpu;            /* of the catalogue, or a MIG slice of it; NULL = neither */
    bool failed;                      /* its engine is lost */
    char why[SESSION_NOTE];           /* and why */
    int running;                      /* index of the point that runs, -1 = none */
};

struct session_sensors {                    /* of one reading; NAN = not told */
    double power, power_limit;              /* W */
    double sm_clock, sm_clock_max;          /* MHz; of a CPU, the cores' mean */
    double memory_clock;                    /* MHz */
    double temperature, memory_temperature; /* degrees C */
    double memory_used, memory_total;       /* bytes */
    double busy;          /* 0..1: SMs; of a GPU that does not count them, the time with a kernel */
    double tensor, dram;  /* 0..1: tensor cores, memory interface */
    double load;          /* of a CPU: runnable processes */
    double samples;       /* of the point that runs */
    double sample;        /* s of one operation, the latest of them */
    const char *throttle; /* "none", "power_cap", "thermal", "hw", "unknown"; "" = not told */
};

/* The readings by the names of a result: gpuplan-bench(1). */
struct session_sensor_row {
    const char *name;
    const char *said[2]; /* as an engine says it, the better one first; NULL = a fact */
    size_t offset;       /* of the double in struct session_sensors */
    double unit;         /* that the name is in, per one of the struct: 100 = % */
};
#define SESSION_SENSOR_ROWS 13
extern const struct session_sensor_row session_sensor_rows[SESSION_SENSOR_ROWS];
double *session_sensor(struct session_sensors *sensors, int row);

enum session_mark {
    MARK_WAITING,
    MARK_RUNNING,
    MARK_OK,
    MARK_WRONG,
    MARK_FAILED,
    MARK_UNSUPPORTED,
    MARK_SKIPPED
};

struct session_point {
    const struct point *point; /* as planned */
    double seconds, bytes;     /* it takes about so long (one pass) and so much */
    enum session_mark mark;
    int count;                                    /* of result */
    struct point_result result[SESSION_VARIANTS]; /* as measured last, with the prediction; what a
                                                   * framework gets is first */
};

struct session_plan { /* what a start would do */
    int points, passes, devices;
    bool subset;                  /* the quick one */
    double seconds, bytes;        /* in all; at most at once on one device */
    const char *backend;          /* "cuda", "cpu" */
    const char *chosen;           /* why it and not another, "" = it was asked for */
    const char *result, *journal; /* files; result "" = none is written */
    const char *base;             /* what ranks merge into; else the same as result */
};

struct session_progress {
    int done, of;         /* measurements, over all devices and passes */
    int before;           /* of done, by the runs that this one goes on with */
    double elapsed, left; /* s */
};

const char *session_mark_word(enum session_mark mark);

/* ---- a run ---- */

struct session_request {
    /* borrowed by session_new and session_replan alone, but its texts until session_free */
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
    struct point_result result;     /* POINT */
    struct gp_err err;              /* FAILED */
};

/* NULL with GP_E_USAGE and the like in *err. Nothing is started, no file touched. */
struct session *session_new(const struct session_request *options, struct gp_err *err);
void session_free(struct session *session); /* the journal stays */

enum session_state session_state(const struct session *session);

/* Goes on for at most `seconds` and delivers at most one event; false: none came. */
bool session_step(struct session *session, double seconds, struct session_event *event);

/* READY: plans anew for another ask; the devices that were found stay. On failure the plan is empty
 * and the state is still READY. --backend cannot change. */
enum gp_status session_replan(struct session *session, const struct session_request *options,
                              struct gp_err *err);

/* READY: opens or resumes the journal; what fails later is an event. */
enum gp_status session_start(struct session *session, struct gp_err *err);

/* signal: the exit code becomes 128 + it; 0 = a key was pressed. */
void session_stop(struct session *session, enum session_stop_level level, int signal);

/* OVER: makes the document, writes it, closes the journal (removed when the run is complete and the
 * file written, or nothing was measured). When it cannot be written, the rest can still be read and
 * session_finish be tried again. With --output - nothing is written, and the journal stays until
 * session_settle says that the result is safe elsewhere. */
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
/* Does the option decide what is measured, not what a command makes of it? */
bool session_measures_by(enum option_id id);

/* ---- DONE ---- */
const char *session_status(const struct session *session);         /* "complete", "failed" */
int session_exit_code(const struct session *session, bool strict); /* DESIGN's */
int session_summaries(const struct session *session);
const char *session_summary(const struct session *session, int i);
const struct benchlog *session_log(const struct session *session); /* NULL before */
/* WORKING: the document as it would be now; wants benchlog_fini. False: nothing was measured. */
bool session_so_far(struct session *session, struct benchlog *out);

/* ---- driven to its end by a caller that only waits for it ----
 *
 *     session_signals_catch(numbers, 3);
 *     session_drive(session, take_event, ctx);   // until take_event says that it is over
 *     session_signals_release();
 *
 * The first signal stops it after the point, the second at once. */

/* Counts these signals from 0 on, but one that is ignored (nohup) stays ignored. Writing goes on
 * where one interrupts it. */
void session_signals_catch(const int *numbers, int count);
void session_signals_release(void); /* as it was before; nothing when none is caught */
/* How many came, and the last of them. */
int session_signals(int *last);

/* Delivers event after event; false: there is nothing more to wait for. */
typedef bool session_take(void *ctx, const struct session_event *event);
void session_drive(struct session *session, session_take *take, void *ctx);

/* ---- in the words that the command, the screen and plain mode share ---- */
void session_dry_run(const struct session *session, struct strbuf *out);
char *session_text_time(char *text, size_t size, double seconds); /* "1 min 16 s" */

/* "25 points on 2 devices, 2 passes, about 1 min 16 s with warm-up and rests, at most 456 MiB at
 * once on each device" */
char *session_text_plan(const struct session *session, char *text, size_t size);

/* Its engine found others at work there and measured nothing. */
bool session_is_busy(const struct session_device *device);
bool session_some_busy(const struct session *session);

/* What a run came to, as a sentence, and as a word or two for a corner: "complete", "4 of 6 good",
 * "interrupted". */
char *session_outcome(const struct session *session, char *text, size_t size);
char *session_outcome_word(const struct session *session, char *text, size_t size);

/* "devices 0, 2 lost: ...": that device, and the later ones with the same reason. False: it is not
 * lost, or was named with one before it. */
bool session_text_lost(const struct session *session, int place, char *text, size_t size);

#endif
