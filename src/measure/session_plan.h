/*
 * session_plan.h - from options to points.
 *
 * Whatever the options alone show to be wrong is reported before an engine is started.
 * Tests that need a model take --model; batch and decode have a default, noted in the
 * result.
 */
#ifndef GP_MEASURE_SESSION_PLAN_H
#define GP_MEASURE_SESSION_PLAN_H

#include <stdbool.h>

#include "answer/planner.h"
#include "measure/points.h"
#include "measure/session.h"
#include "measure/session_look.h"
#include "measure/session_notes.h"

struct bench_plan {
    unsigned tests;                                /* bit per enum bench_test */
    struct answer *answer;                         /* of the model asked for, or NULL */
    struct point_shape *shapes;                    /* --shapes, or NULL */
    char storage[sizeof((struct point *)0)->path]; /* --storage, whole */
    double time_limit;                             /* s, 0 = none */
    struct found_device *device[SESSION_DEVICES];  /* chosen, borrowed */
    int devices;
    struct points_options options;
    struct points points;
};

/* Words alone; takes what they say. */
enum gp_status bench_plan_check(struct bench_plan *plan, const struct session_ask *ask,
                                struct gp_err *err);
/* Devices and points; on failure the plan is empty. */
enum gp_status bench_plan_make(struct bench_plan *plan, const struct session_ask *ask,
                               struct session_look *look, struct session_notes *notes,
                               struct gp_err *err);
void bench_plan_drop(struct bench_plan *plan); /* what was made */
void bench_plan_fini(struct bench_plan *plan);

#endif
