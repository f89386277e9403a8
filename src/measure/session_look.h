/*
 * session_look.h - which engine is there, and which devices it has.
 *
 * Without --backend the GPUs are measured where the CUDA engine finds some; otherwise
 * the CPU is, and the reason is kept and said. A driver takes a second to answer, so
 * the engine's list is awaited like anything else, step by step.
 */
#ifndef GP_MEASURE_SESSION_LOOK_H
#define GP_MEASURE_SESSION_LOOK_H

#include <stdbool.h>

#include "answer/option.h"
#include "base/path.h"
#include "catalog/catalog.h"
#include "measure/runner.h"
#include "measure/session_device.h"
#include "measure/session_notes.h"

struct session_look {
    struct runner *runner; /* of the list; NULL: none runs */
    int trying;            /* place among the backends that are tried, -1 at first */
    double asked_at;       /* s, when an engine was asked; 0 = said that it was */
    char why_not[320];     /* the backend before could not be used */
    char backend[8], program[GP_PATH_MAX];
    char chosen[400]; /* why this backend and not another, "" = it was asked for */
    struct session_engine engine;
    struct found_device *found;
    int count;
    size_t cap;
};

enum look_state { LOOK_WAITS, LOOK_DONE, LOOK_FAILED };

/* Goes on for at most `seconds`. LOOK_FAILED: no engine will do, *err says why. */
enum look_state look_step(struct session_look *look, const struct options *options, double seconds,
                          struct session_notes *notes, struct gp_err *err);
/* LOOK_DONE: finds the GPUs in the catalogue. */
void look_match(struct session_look *look, struct catalog *catalog);
void look_fini(struct session_look *look);

/* s that an engine may be silent: $GPUPLAN_ENGINE_TIMEOUT, or as usual. */
double look_timeout(double usual);

#endif
