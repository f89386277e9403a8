/*
 * pool_highs.h - HiGHS, another solver, where its library is on this machine.
 *
 * It is opened at run time, never linked: $GPUPLAN_HIGHS, a path, or libhighs.so by its
 * usual names; the value "none" leaves it alone. It gets the rung as pool_mps.h writes
 * it. Its plan is priced by this program before it is believed, and its bound is taken
 * when it stays under the cost.
 */
#ifndef GP_POOL_POOL_HIGHS_H
#define GP_POOL_POOL_HIGHS_H

#include "pool/pool.h"

struct pool_highs {
    char version[32];       /* "" = none was found */
    char trouble[96];       /* why it was of no use; "" = it answered */
    enum pool_rung_id rung; /* that it was asked */
    double bound;           /* $ over all hours, as it says; 0: none */
    bool taken;             /* its plan or its bound was better */
    bool plan, raised;      /* the plan, the bound of the rung are its own */
};

/* Is there one? Its version in out. */
bool pool_highs_find(struct pool_highs *out);

/* Asks it for a rung of an answer, for so many seconds on one core. */
void pool_highs_solve(const struct pool *pool, enum pool_rung_id rung, double seconds,
                      struct pool_answer *answer, struct pool_highs *out);

#endif
