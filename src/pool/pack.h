/*
 * pack.h - one hour within fleets that are given, or what all hold all day: the
 * cheapest covers that fit, and what no covers undercut.
 *
 *   min sum of cost of the covers     one for each workload, within limits of their GPUs
 *
 * as a linear program over covers, which are made as its prices ask for them (Dantzig,
 * Wolfe 1960). Its value bounds the cost from below; few workloads are split between covers
 * in it, and those are branched on by the GPUs that one takes of a type (patterns, in pack.c),
 * at most k here and more there, the part with the lowest bound first. Which of them is tried
 * on the program before (strong branching: Applegate, Bixby, Chvatal, Cook 1995). Each part is
 * rounded to a plan as well.
 *
 * For a day (PACK_DAY, A and B) a cover is what a workload or job holds, in whole
 * units, and it costs what serving every hour with that does.
 */
#ifndef GP_POOL_PACK_H
#define GP_POOL_PACK_H

#include "pool/assign.h"

#define PACK_MOST_LIMITS (2 * POOL_MOST_TYPES + 2)
#define PACK_DAY (-1) /* in place of an hour */

struct pack_limit { /* sum of per[g] x GPUs taken <= room, or $ for each one over it */
    double per[POOL_MOST_TYPES];
    double room;
    double over; /* INFINITY: there are no more */
};

struct pack {
    const struct grid *grid;
    int t; /* hour, or PACK_DAY */
    int limit_count;
    struct pack_limit limits[PACK_MOST_LIMITS];
    double price[POOL_MOST_TYPES]; /* $ for each GPU taken */
    double goal;                   /* $ from which on nothing is of use */
    uint64_t work;                 /* units that it may take; what is left of them */
    int leaves;                    /* fixed_solve's, of a day */
    bool (*stop)(void *ctx);       /* NULL: never */
    void *ctx;
    short *x;    /* [way], and of a day [job]: a plan to begin with; the best */
    double cost; /* of it; INFINITY: it does not fit */
    double bound;
    struct branch *branch; /* what it keeps from solve to solve; NULL at first */
};

/* Limits of an hour: the GPUs that are there; and of a day: stock, purchases, caps, which
 * price what is owned. `spared`: slots and watts for the spares of all types are kept
 * back, which not every plan needs: for a plan, not for a bound. */
void pack_rooms(struct pack *p, const double *room);
void pack_fleets(struct pack *p, bool spared);

/* Begins with p->x and p->bound. Other rooms, goals and works may follow: what it knows
 * of covers stays until pack_fini(). */
void pack_solve(struct pack *p);
void pack_fini(struct pack *p);

/* The prices of GPUs at which no covers undercut the most: in lambda[types], beside
 * what they cost; the bound. *value: the least that covers cost at them. */
double pack_prices(struct pack *p, double *lambda, double *value);

#endif
