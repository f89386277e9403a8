/*
 * improve.h - a better plan from a plan: local search over fleets and covers.
 *
 * The moves (improve.c has one function for each):
 *
 *   move_fleets   takes GPUs of one type away, or trades them for cheaper ones of another, and
 *                 mends each hour in which the rest is too few: the workload that minds least is
 *                 served anew within what is left, the lambda of the bound saying which GPUs
 *                 others want
 *   move_jobs     the same, while some hours are kept for jobs: a fleet that gets smaller takes
 *                 the GPUs of a job first, and what that costs hides that others could move out
 *                 of its hours. A job needs all 8 GPUs for 5 hours, two workloads 4 each all day:
 *                 with the 8 kept in 5 of the hours, the two are served elsewhere there
 *   move_home     puts a workload on one way all day, with fleets that fit
 *   move_priced   adds and takes a few replicas at true prices: no price of a GPU leads to what
 *                 slices of several workloads save together, or to replicas that stay because a
 *                 start costs more. GPUs cut in 1 + 1 slices of rates 2.5 and 1: a need of 20
 *                 takes 6 of them with both filled, 7 or 8 with slices of one size
 *   move_day      plans the day of one workload anew as a whole, starts included
 *   move_shuffle  takes a few workloads of one hour off their GPUs and serves them anew
 *
 * What costs less in all is kept, and at first now and then what costs a little more
 * (annealing). Deterministic for a seed; work is counted, not timed.
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

/* Cheaper running, and replicas that stay instead of starting again, in the same room. */
void improve_polish(struct assign *a, struct improve *how);

#endif
