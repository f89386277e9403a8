/*
 * bound.h - what no plan of a rung can undercut, and good first plans beside it.
 *
 * The GPUs that all share are given a price lambda[t,g] >= 0 for each hour instead of a
 * limit (Lagrangian relaxation). Then every workload and hour is a small covering
 * problem of its own, and so is the size of each fleet:
 *
 *   L(lambda) = sum over w, t of min cover(prices + lambda[t])
 *             + sum over j of min job(lambda)
 *             + sum over g of min over n of own(n) - sum over t of lambda[t,g] (n -
 * spare)
 *
 * L is a lower bound for any lambda, whatever found it. It is raised by the volume
 * algorithm (Barahona, Anbil 2000): steps along the mean of the violations. Where a
 * type can be bought without end, its lambda sum to at most its price. Caps on slots
 * and power have a price of their own. Starts are left out: they only cost more.
 */
#ifndef GP_POOL_BOUND_H
#define GP_POOL_BOUND_H

#include "pool/assign.h"

struct bound {
    const struct grid *grid;
    double best;    /* $: the highest L so far */
    double *lambda; /* [hour x types + type] of it */
    double *trial;  /* the same, of the last step */
    double *use;    /* violations are use - fleet; of the last step, and their mean */
    double *mean_use;
    double fleet[POOL_MOST_TYPES], mean_fleet[POOL_MOST_TYPES];
    double cap[2], trial_cap[2];                     /* prices of a slot and a watt */
    int low[POOL_MOST_TYPES], high[POOL_MOST_TYPES]; /* fleets, in whole units */
    double step;                                     /* share of the Polyak step */
    int fails;                                       /* steps since L rose */
    short *x;                                        /* [way x hours + hour] of the last step */
    short *held;                                     /* [way] constant workloads */
    int *job_held;
    int leaves; /* fixed_solve's, for one workload */
    uint64_t work;
};

void bound_init(struct bound *b, const struct grid *grid, int leaves);
void bound_fini(struct bound *b);

/* L at lambda as it stands in b->trial; the covers of it are in b->x. */
double bound_evaluate(struct bound *b);

/* One step upwards, when the best plan known costs `upper`. */
void bound_step(struct bound *b, double upper);

/* The least that a job costs which fills free GPUs, at prices lambda[hour x types + type]
 * of them; use (may be NULL) gets the GPUs that it takes then. */
double bound_job(const struct grid *grid, int j, const double *lambda, double *use);

/* One part of L: a workload and hour at prices lambda[g], what it takes added to use[g];
 * and a fleet of low..high GPUs when the prices of its hours sum to `sum` and each GPU
 * costs `more` besides (*kept: the best size, or NULL). */
double bound_cover(struct bound *b, int w, int t, const double *lambda, double *use);
double bound_fleet(const struct grid_type *type, int low, int high, double more, double sum,
                   int *kept);

/* The covers of the last step as a plan. */
void bound_plan(const struct bound *b, struct assign *a);

#endif
