/*
 * fleet.h - a higher bound where whole units count: prices of the hours, sizes of the
 * fleets.
 *
 * Once the fleets n[g] are chosen, the hours no longer touch each other. The least that
 * serving hour t costs within n is at least
 *
 *   V(t, n) = max over lambda >= 0 of sum over w of min cover(prices + lambda)
 *                                     - sum over g of lambda[g] room(n[g])
 *
 * and every lambda gives a plane under it, good for all n (Benders 1962). So the cost
 * of any plan is at least
 *
 *   min over whole n of own(n) + sum over t of the highest plane of hour t at n
 *
 * which is a linear program of few rows but for the wholeness; that is branched on. The
 * bound is taken from its weights, summed anew: it holds whatever the program missed.
 * Where an hour cannot be served with fleets n, it cannot be with smaller ones: what such
 * an hour costs (pack.h) is a floor for all of them. On the side units of the best plan's
 * fleets are traded between types.
 *
 * Example: servers of 8 at $218 a day and 56.4 GPUs needed at least: $1539 without, 8
 * servers and $1744 with it, when 7 servers leave a shortage that costs more.
 */
#ifndef GP_POOL_FLEET_H
#define GP_POOL_FLEET_H

#include "pool/bound.h"

/* Can the hours be taken one by one: no workload with GPUs of its own?
 * Jobs take from the room of their hours, in parts of workers. */
bool fleet_takes(const struct grid *grid);

struct fleet_search {
    double upper;   /* $ of the best plan known */
    const short *x; /* [way x hours + hour] of it, as it changes */
    uint64_t work;  /* units it may spend */
    bool (*stop)(void *ctx);
    double (*take)(void *ctx, const short *x); /* a plan is found; $ of the best then */
    void *ctx;
};

/* Raises b->best until it meets the best plan, the work is spent or stop() says so. */
void fleet_raise(struct bound *b, struct fleet_search *search);

#endif
