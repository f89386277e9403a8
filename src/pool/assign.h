/*
 * assign.h - a plan while it is worked on: which replicas run in each hour, and what
 * GPUs that takes.
 *
 * use[t,g] counts whole GPUs: seats of replicas, GPUs cut into slices (all slices of an
 * hour share GPUs), and what workloads with GPUs of their own hold all day. Jobs go
 * into what is left under `room`, the GPUs that are there for use. All changes pass
 * through assign_set() and assign_own(), which keep the sums.
 *
 * At the end it is accounted for (account.c): what it costs, uses and leaves idle. Every GPU-hour
 * that is owned ends in one place:
 *
 *   owned = useful + server + peaks + type + slice + replica + headroom + spare + start
 *
 * useful serves the mean demand at the rate that is possible without goals, or a job.
 */
#ifndef GP_POOL_ASSIGN_H
#define GP_POOL_ASSIGN_H

#include "pool/cover.h"
#include "pool/grid.h"

struct assign {
    const struct grid *grid;
    short *x;                  /* [way x hours + hour] replicas that serve */
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
void assign_get(const struct assign *a, int w, int t, short *x);

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

/* The same as it is asked of cover.h, without a limit of room. */
void assign_ask(const struct grid *grid, int w, int t, const double *guide,
                struct cover_item *items, struct cover_ask *ask);

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

#endif
