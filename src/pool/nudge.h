/*
 * nudge.h - moves of improve.h that count at true prices: cut GPUs, starts, jobs and fleets
 * that follow. No price of a GPU leads to what slices of several workloads save together, or
 * to replicas that stay because a start costs more.
 *
 * Example: GPUs cut in 1 + 1 slices of rates 2.5 and 1: a need of 20 takes 6 of them with both
 * filled, 7 or 8 with slices of one size.
 */
#ifndef GP_POOL_NUDGE_H
#define GP_POOL_NUDGE_H

#include "pool/climb.h"

/* A few replicas more or fewer of some ways in some hours, another way making up for it: the
 * change in cost, or INFINITY when it was taken back. */
double nudge_some(struct climb *c, double slack);

/* A workload on one way all day, likewise. */
double nudge_home(struct climb *c, double slack);

#endif
