/*
 * apart.h - a rung with isolated workloads as two pools: those, and the others.
 *
 * An isolated workload holds whole units of its own all day (C and D), so the fleets of a
 * plan are n = a + r: what the isolated hold, and what the others share with all spares.
 * When each GPU of both has the price mu[g] (Lagrange 1788, Guignard and Kim 1987),
 *
 *   cost >= A(mu) + R(mu) + sum over g of min over n (own(n) - mu[g] n)
 *
 * for every mu >= 0: A is a rung A (or B, of composed GPUs) of the isolated workloads, and
 * R the same rung of the others, both with whole units. Where nothing is in stock and
 * nothing scarce, mu is the price of a GPU, the last sum 0, and nothing is lost. Both plans
 * together are one of the rung. Where they take more of a type than there is, the plans are
 * divided by what the isolated hold of it: at most k units, which bounds A anew, or more,
 * which leaves less to R (branch and bound).
 *
 * Example: servers of 8 at $218 a day, an isolated workload that needs 3 GPUs and others
 * that need 9 at a time: 1 + 2 servers, $654; 12 GPUs of all would be 2.
 */
#ifndef GP_POOL_APART_H
#define GP_POOL_APART_H

#include "pool/bound.h"

struct apart_search {
    const struct assign *plan; /* the best one, as it changes */
    double upper;              /* $ of it */
    /* Solves the pool of the isolated workloads or of the others: *rung. False: stop. */
    bool (*solve)(void *ctx, const struct pool *pool, bool isolated, struct pool_rung *rung);
    /* replicas[candidate x hours + hour] of the whole; $ of the best plan then */
    double (*take)(void *ctx, int *replicas);
    void *ctx;
};

/* Does a workload hold GPUs of its own where others, or jobs, may share? */
bool apart_takes(const struct grid *grid);

/* Raises b->best until it meets the best plan or solve() says stop. */
void apart_raise(struct bound *b, struct apart_search *search);

#endif
