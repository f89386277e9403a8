/*
 * account.h - what a plan costs, uses and leaves idle: from the working plan to the
 * answer.
 *
 * Every GPU-hour that is owned ends in one place:
 *
 *   owned = useful + server + peaks + type + slice + replica + headroom + spare + start
 *
 * useful serves the mean demand at the rate that is possible without goals, or a job.
 */
#ifndef GP_POOL_ACCOUNT_H
#define GP_POOL_ACCOUNT_H

#include "pool/assign.h"

/* Fills all of *out but bound and gap; out->use and the like are allocated here. */
void account_rung(struct assign *a, struct pool_rung *out);

/* Frees what account_rung() allocated. */
void account_fini(struct pool_rung *rung);

/* Peak of the sum over sum of the peaks, workloads weighed by what a unit costs. */
double account_coincidence(const struct pool *pool);

/* $ per GPU-hour of premium at which the plan of D costs what C costs. */
double account_break_even(const struct pool *pool, const struct pool_rung *shared,
                          const struct pool_rung *hourly);

#endif
