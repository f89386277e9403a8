/*
 * slices.h - MIG slices on whole GPUs: how many GPUs hold so many of each profile.
 *
 * A GPU is cut in one of a few ways (cut[k][profile]); the fewest GPUs are a covering
 * problem, solved depth first from the largest profile down. A weight per profile with
 * sum of cut[k][p] weight[p] <= 1 for every cut bounds it from below:
 *
 *   GPUs >= sum of weight[p] count[p]
 *
 * Example: cuts 7 x 1g, 3 x 2g + 1 x 1g, 2 x 3g: five 2g and one 3g take 3 GPUs.
 */
#ifndef GP_POOL_SLICES_H
#define GP_POOL_SLICES_H

#include "pool/pool.h"

/* Share of a GPU that a slice of each profile is charged with. */
void slices_weights(const struct pool_type *type, double weight[POOL_MOST_SLICES]);

/* The fewest GPUs found for count[profile], with those weights; cuts[k] (may be NULL):
 * GPUs that are cut that way. */
int slices_gpus(const struct pool_type *type, const double weight[POOL_MOST_SLICES],
                const int count[POOL_MOST_SLICES], int cuts[POOL_MOST_CUTS]);

#endif
