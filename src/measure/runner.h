/*
 * runner.h - starts engine programs, gives them points, and reads what they say.
 *
 * One engine process per device. The runner polls; it never blocks its caller: --bench calls
 * runner_step() in a loop, the screen from its own. An engine that crashes, hangs (no line for
 * `timeout` seconds), babbles (lines too long, no JSON, points nobody asked for, numbers that are
 * none) or lies (a point twice, another id) is stopped, reported by name and device, and its device
 * marked failed; the others go on. Points that were measured stay measured.
 */
#ifndef GP_MEASURE_RUNNER_H
#define GP_MEASURE_RUNNER_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "measure/point/method.h"
#include "measure/point/point.h"

struct runner;

enum runner_event_kind {
    EVENT_HELLO,
    EVENT_DEVICE,
    EVENT_START, /* point index began */
    EVENT_SENSORS,
    EVENT_POINT, /* a result; json is the engine's object, checked */
    EVENT_LOG,
    EVENT_FAILED, /* this engine is gone; err says why */
    EVENT_DONE,
    EVENT_READY /* warm; not delivered */
};

struct runner_event {
    enum runner_event_kind kind;
    int engine;         /* which of the runner's engines */
    int index;          /* of the point, START and POINT */
    const json_t *json; /* borrowed until the next step */
    struct gp_err err;  /* FAILED */
};

struct runner_plan {
    const char *program; /* path of the engine program */
    int device;
    struct method_settings settings;
    const struct point *points; /* borrowed */
    const int *order;           /* indices into points, in the order to run; an
                                      * index may come again (passes). NULL: 0, 1, .. */
    int count;                  /* of order */
    bool wait;                  /* begin when all engines of the runner are warm */
    double timeout;             /* s without a line before the engine is stopped */
    double patience;            /* s without progress (sensors and logs are none),
                                      * at least the timeout; before the first point
                                      * the warm-up's longest more ... */
    const double *seconds;      /* ... and in a point three times what it is
                                      * estimated at, by index; borrowed, or NULL */
};

struct runner *runner_new(void);
void runner_free(struct runner *runner); /* kills what still runs */

/* Starts one engine; returns its number, or -1 with *err. */
int runner_start(struct runner *runner, const struct runner_plan *plan, struct gp_err *err);

/* Waits at most `seconds` and delivers one event; false when there was none. */
bool runner_step(struct runner *runner, double seconds, struct runner_event *out);
bool runner_busy(const struct runner *runner);

/* What the engine wrote to its standard error last (at most 4 KiB, control characters removed);
 * borrowed until the next step. */
const char *runner_words(struct runner *runner, int engine);

/* Starts `program --devices`: events HELLO, DEVICE for each, then DONE or FAILED with the engine's
 * own reason. Returns its number, or -1 with *err. */
int runner_list(struct runner *runner, const char *program, double timeout, struct gp_err *err);

enum stop_level { STOP_AFTER_POINT, STOP_NOW };
void runner_stop(struct runner *runner, enum stop_level level);

/* The engine program: in $GPUPLAN_LIBEXEC alone when that is set; else beside gpuplan itself, as in
 * a build tree or a folder copied to another machine; else where it was installed. Never in $PATH:
 * what is started is what belongs to this gpuplan. name = "cuda" or "cpu". False: it is not
 * there. */
bool runner_find(const char *name, char *path, size_t size);

#endif
