/*
 * sweep.h - a plan's memory while one thing changes and its layout does not.
 *
 * A point is plan_layout() of the request with another context or another number of
 * users: nothing is interpolated, so each point is what --plan answers for it when the
 * layout is given. Per GPU of the stage that binds,
 *
 *   taken = used + weights + activation + runtime + kv
 *   limit = used + weights + activation + runtime + pool
 *
 * and the users' requests fit (in the middle of the band) where taken <= limit.
 *
 * Example: Llama-3.1-70B in FP8 on 2 x H100, 16 users of 8192 tokens, vLLM 0.21: taken
 * 33.88 + 1.96 + 3.00 + 20.00 = 58.84 GiB, limit 72.85 GiB.
 */
#ifndef GP_PLAN_SWEEP_H
#define GP_PLAN_SWEEP_H

#include "plan/plan.h"

enum sweep { SWEEP_CONTEXT, SWEEP_USERS };

struct sweep_point {
    double x; /* tokens of a request, or users in all */
    enum verdict verdict;
    enum limit limit;
    struct quantity weights, activation, kv; /* bytes; kv: reserved for the users */
    struct quantity runtime;                 /* bytes: context, libraries and CUDA graphs */
    struct quantity pool;                    /* bytes left for KV, may be negative */
    struct quantity usable, budget, free;    /* bytes */
    double tokens, requests;                 /* that the pool holds */
    double used;                             /* bytes that something else holds */
    bool known;                              /* false: the layout is refused, nothing else holds */
};

double sweep_taken(const struct sweep_point *point); /* bytes */
double sweep_limit(const struct sweep_point *point); /* bytes */

/* At most `most` values from low to high, ascending, equally far apart on a log axis:
 * whole blocks of tokens or whole users. Returns how many. */
int sweep_values(const struct request *request, enum sweep of, double low, double high, double *out,
                 int most);
/* Puts a value in its place among count ascending ones; returns how many there are. */
int sweep_insert(double *values, int count, int most, double value);

void sweep_at(const struct request *request, const struct layout *layout, enum sweep of, double x,
              struct sweep_point *out);

/* Where it ends: the most tokens or users that fit, and that fit or are marginal;
 * 0 = none. after: what stands in the way beyond that. */
struct sweep_end {
    double fits, marginal;
    enum limit after;
};
struct sweep_end sweep_end(const struct request *request, const struct layout *layout,
                           enum sweep of);

#endif
