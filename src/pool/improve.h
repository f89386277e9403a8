/*
 * improve.h - a better plan from a plan: local search over fleets and covers.
 *
 * A move takes GPUs of one type away, or trades them for cheaper ones of another, and
 * mends each hour in which the rest is too few: the workload that minds least is served
 * anew within what is left, the lambda of the bound saying which GPUs others want. Some
 * put a workload on one way all day, with fleets that fit, or add and take a few replicas at
 * true prices (nudge.h); where starts cost something, the day of a workload is planned anew as
 * a whole (day.h). What costs less in all is kept, and at first now and then what costs a
 * little more (annealing). Deterministic for a seed; work is counted, not timed.
 */
#ifndef GP_POOL_IMPROVE_H
#define GP_POOL_IMPROVE_H

#include "pool/assign.h"

struct improve {
    uint64_t random;
    uint64_t work; /* units that may still be spent */
    const double *lambda;
    double (*part)(void *ctx); /* of the time that is gone; 1 or more ends */
    void *ctx;
};

/* Works on *a until the work or the time is spent; never ends dearer. */
void improve_run(struct assign *a, struct improve *how);

/* Brings a plan that takes more than there is (GPUs of a type, slots, watts) within it;
 * what cannot be served any more is unmet. */
void improve_shed(struct assign *a, struct improve *how);

/* Cheaper running, and replicas that stay instead of starting again, in the same room.
 */
void improve_polish(struct assign *a, struct improve *how);

#endif
