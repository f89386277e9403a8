/*
 * assign.h - a plan while it is worked on: which replicas run in each hour, and what
 * GPUs that takes.
 *
 * use[t,g] counts whole GPUs: seats of replicas, GPUs cut into slices (all slices of an
 * hour share GPUs), and what workloads with GPUs of their own hold all day. Jobs go
 * into what is left under `room`, the GPUs that are there for use. All changes pass
 * through assign_set() and assign_own(), which keep the sums.
 *
 * At the end it is accounted for: what it costs, uses and leaves idle. Every GPU-hour
 * that is owned ends in one place:
 *
 *   owned = useful + server + peaks + type + slice + replica + headroom + spare + start
 *
 * useful serves the mean demand at the rate that is possible without goals, or a job.
 */
#ifndef GP_POOL_ASSIGN_H
#define GP_POOL_ASSIGN_H

#include <stdint.h>

#include "pool/grid.h"

/* ---- cover.c: the cheapest way to serve one demand: counts x of a few items ----
 *
 *   min  sum price x + penalty x max(0, need - sum rate x)
 *                    + missing x max(0, minimum - sum x)
 *   with sum of seat x over the items of a group at most room[group]
 *
 * Where paid[group] seats are paid for in any case, worth[group] $ are added for each of
 * them that is not taken.
 *
 * Depth first over the items, cheapest per rate first, with the fractional cost of the
 * rest as bound (Dantzig 1957). Exact, unless it takes more than COVER_NODES steps;
 * then `lower` is what cannot be undercut, and the counts are the best that were seen.
 *
 * Example: need 10; item 0 of rate 4 for $4, item 1 of rate 3 for $3.5: 0 twice and 1
 * once serve 11 for $11.5.
 */

#define COVER_NODES 20000

struct cover_item {
    double price; /* $, at least 0 */
    double rate;  /* over 0 */
    int seat;     /* of the group's room; 0: none */
    int group;
};

struct cover_request {
    const struct cover_item *items;
    int count; /* at most POOL_MOST_WAYS */
    double need, penalty, missing;
    int minimum;
    const int *room;     /* [groups]; NULL: as much as wanted */
    int groups;          /* at most POOL_MOST_WAYS */
    const int *paid;     /* [groups] seats; NULL: none */
    const double *worth; /* [groups] $ of a seat, with paid: at most its part of a price */
    int nodes;           /* steps it may take; 0: COVER_NODES */
};

struct cover {
    double cost, lower;
    int nodes;
    short x[POOL_MOST_WAYS];
};

void cover_solve(const struct cover_request *ask, struct cover *out);

/* ---- fixed.c: GPUs that one workload has all day: which replicas to hold ----
 *
 * Holding X, the workload serves every hour with the cheapest x[t] <= X:
 *
 *   cost(X) = own GPUs of X, in whole units + sum over t of running(x[t]) + shortage
 *
 * First the units are chosen (a whole server is as good as its best filling), then what stands in
 * them; depth first, with fractional units and the running cost of an unlimited choice as bound.
 *
 * Example: 3 GPUs needed at the peak, servers of 2 at $48 a day: 2 servers, $96.
 */

struct fixed_price { /* of one type, per GPU over all hours */
    double low, high;
    int low_left; /* GPUs at the low price, the rest at the high one */
    int least;    /* GPUs that are paid for in any case */
    int room;     /* GPUs that can be had */
    int first;    /* GPUs that come with the first: spares */
};

struct fixed_market {
    struct fixed_price type[POOL_MOST_TYPES];
    int gpus;     /* of all types together that can be had */
    double watts; /* that they may draw */
};

struct fixed {
    double cost, lower;
    int nodes;
    short held[POOL_MOST_WAYS];
};

/* `leaves`: how many X may be priced. */
void fixed_solve(const struct grid *grid, int w, const struct fixed_market *market, int leaves,
                 struct fixed *out);

/* $ of serving all hours with what is held, GPUs aside. */
double fixed_cost(const struct grid *grid, int w, const short *held);

/* The cheapest serving of hour t by what is held. */
void fixed_serve(const struct grid *grid, int w, int t, const short *held, short *x);

/* The same for a job: workers to hold. */
int fixed_job(const struct grid *grid, int j, const struct fixed_market *market, double *cost);

/* ---- the plan ---- */

struct assign {
    const struct grid *grid;
    struct arrays arrays;      /* the following */
    short *x;                  /* [grid_place() + way] replicas that serve */
    short *held;               /* [way] replicas of a constant workload, there all day */
    int *own;                  /* [workload x types + type] GPUs a constant workload holds */
    int *use;                  /* [hour x types + type] without jobs */
    int *cut;                  /* [hour x types + type] of them cut into slices */
    int *slices;               /* [(hour x types + type) x POOL_MOST_SLICES] */
    double *serve;             /* [workload x hours + hour] $: running whole GPUs, and penalty */
    int *workers;              /* [job x hours + hour] */
    int *job_held;             /* [job] workers with GPUs of their own all day (A and B) */
    int room[POOL_MOST_TYPES]; /* GPUs that may be used at a time */
};

void assign_init(struct assign *a, const struct grid *grid);
void assign_fini(struct assign *a);
void assign_copy(struct assign *to, const struct assign *from);

/* Sets the replicas x[0..ways of w) of a workload in an hour; of a constant one those
 * that serve, of what it holds. */
void assign_set(struct assign *a, int w, int t, const short *x);
static inline const short *assign_at(const struct assign *a, int w, int t)
{
    return &a->x[grid_place(a->grid, w, t)];
}

/* Sets what a constant workload holds. */
void assign_own(struct assign *a, int w, const short *held);

/* The GPUs of each type that so many replicas take in whole units. */
void assign_holding(const struct grid *grid, int w, const short *held, int *own);

/* GPUs of each type that the slices of a workload take, when nobody shares them. */
void assign_cuts(const struct grid *grid, int w, const short *x, int *cuts);

/* $ of a cover at true prices, without slices that others share; *unmet in units. */
double assign_serving(const struct grid *grid, int w, int t, const short *x, double *unmet);

/* GPUs, and slices of those that are cut, that a workload may have in an hour. */
struct assign_left {
    int gpus[POOL_MOST_TYPES];
    int slices[POOL_MOST_TYPES][POOL_MOST_SLICES];
};

/* What the other workloads leave of room[g] GPUs; below 0: they take more. */
void assign_left(const struct assign *a, int w, int t, const int *room, struct assign_left *left);

/* The cheapest cover of (w, t) at running prices plus guide[g] $ per GPU taken in this
 * hour and more[way of w] $ per replica (NULL: none), within what is left (NULL: any room).
 * Slices are charged by weight, those that are left of a GPU nothing. */
void assign_cover(const struct grid *grid, int w, int t, const double *guide, const double *more,
                  const struct assign_left *left, int nodes, struct cover *out);

/* The same as it is asked of cover_solve(), without a limit of room. */
void assign_ask(const struct grid *grid, int w, int t, const double *guide,
                struct cover_item *items, struct cover_request *ask);

/* Sets the workers that a job keeps GPUs for all day; they work until it is done. */
void assign_own_job(struct assign *a, int j, int held);

/* $ of a job of which so many GPU-hours are done; how many are. */
double assign_job_cost(const struct grid *grid, int j, double done);
double assign_job_done(const struct assign *a, int j);

/* Room needed at the busiest hour, jobs aside. */
int assign_peak(const struct assign *a, int g);

/* Fills jobs of type g into `room` GPUs, most urgent first, or those of the largest workers
 * or of most worth where that costs less; $ for running and undone. */
double assign_jobs(struct assign *a, int g, int room);

/* Are there jobs that fill what is free of a type? */
bool assign_has_jobs(const struct grid *grid, int g);

/* $ of starting replicas of a workload over the day. */
double assign_starts(const struct assign *a, int w);

/* Room follows use: drops what nothing needs, and adds what jobs are worth; under caps those
 * of each type first, in turn. */
void assign_fit(struct assign *a);

/* Is the room within what can be owned, the slots and the watts? */
bool assign_allowed(const struct assign *a);

/* $ in all, with room as it stands. */
double assign_total(struct assign *a);

/* Fills all of *out but bound and gap; out->use and the like are allocated here. */
void account_rung(struct assign *a, struct pool_rung *out);

/* Frees what account_rung() allocated. */
void account_fini(struct pool_rung *rung);

/* Peak of the sum over sum of the peaks, workloads weighed by what a unit costs. */
double account_coincidence(const struct pool *pool);

/* ---- improve.c: a better plan from a plan, local search over fleets and covers ----
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
