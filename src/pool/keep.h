/*
 * keep.h - GPUs that a move leaves to jobs.
 *
 * Jobs fill what serving leaves (assign_jobs()), so a fleet that gets smaller takes the GPUs
 * of a job first, and what that costs hides that others could move out of its hours. A move
 * that keeps some hours for the jobs while it mends the rest finds that out.
 *
 * Example: a job needs all 8 GPUs for 5 hours, two workloads 4 each all day. With the 8 kept
 * in 5 of the hours, the two are served elsewhere there.
 */
#ifndef GP_POOL_KEEP_H
#define GP_POOL_KEEP_H

#include "pool/assign.h"

/* kept[hour x types + type]: by chance nothing, what the jobs have now (they are filled in),
 * or what does their work in hours by chance; false: nothing. */
bool keep_for_jobs(struct assign *a, uint64_t *random, int *kept);
void keep_nothing(const struct grid *grid, int *kept);

#endif
