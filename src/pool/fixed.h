/*
 * fixed.h - GPUs that one workload has all day: which replicas to hold.
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
#ifndef GP_POOL_FIXED_H
#define GP_POOL_FIXED_H

#include "pool/grid.h"

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

#endif
