/*
 * pack.h - one hour within fleets that are given: the cheapest covers that fit, and
 * what no covers undercut.
 *
 *   min sum of cost of the covers     one for each workload, sum of use[g] <= room[g]
 *
 * as a linear program over covers, which are made as its prices ask for them (Dantzig,
 * Wolfe 1960). Its value bounds the hour from below; few workloads are split between
 * covers in it, and those are branched on by the count of one way. Each part is rounded
 * to a plan as well.
 */
#ifndef GP_CORE_POOL_PACK_H
#define GP_CORE_POOL_PACK_H

#include "core/pool/assign.h"

#define PACK_MOST_WORKLOADS 160 /* the program has a row for each */

struct pack {
    const struct grid *grid;
    int t;
    double room[POOL_MOST_TYPES];
    double limit;  /* $ from which on nothing is of use */
    uint64_t work; /* units that it may take; what is left of them */
    short *x;      /* [way] a plan to begin with; the best */
    double cost;   /* of it; INFINITY: it does not fit */
    double bound;
};

void pack_hour(struct pack *p);

#endif
