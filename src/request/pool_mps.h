/*
 * pool_mps.h - one rung of a pool as an integer program in free MPS, for any solver.
 *
 * The very problem that core/pool/pool.h states, with none of the solver's shortcuts:
 *
 *   X<i>.<t>  replicas of way i that run in hour t     H<i>     held all day (own GPUs)
 *   N<g> B<g> units of type g from stock, bought       O<w>.<g> units that are w's own
 *   Y<g>.<k>.<t> GPUs cut the k-th way                 U, M     unmet, missing replicas
 *   S<i>.<t>  replicas that start                      V, Q     workers, undone
 * GPU-hours Z<g>      1 when the type is kept: its spares count
 *
 * Its optimum is the least cost of the rung; its rows and columns stand in a fixed
 * order, so the same pool gives the same text.
 */
#ifndef GP_REQUEST_POOL_MPS_H
#define GP_REQUEST_POOL_MPS_H

#include "core/pool/pool.h"
#include "util/str.h"

void pool_mps(const struct pool *pool, enum pool_rung_id rung, struct strbuf *out);

/* What a solver made of it: replicas[candidate x hours + hour] from the values of the
 * columns of these names. False: a name or a count that the program does not have. */
bool pool_mps_read(const struct pool *pool, enum pool_rung_id rung, int columns,
                   const char *(*name)(void *ctx, int column), void *ctx,
                   const double *value, int *replicas);

#endif
