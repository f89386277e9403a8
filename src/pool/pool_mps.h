/*
 * pool_mps.h - one rung of a pool as an integer program in free MPS, for any solver.
 *
 * The very problem that pool/pool.h states, with none of the solver's shortcuts:
 *
 *   X<i>.<t>      replicas of way i that run in hour t
 *   H<i>          of them held all day, on GPUs of one's own
 *   S<i>.<t>      that start
 *   N<g> B<g>     units of type g from stock, bought;  Z<g>: 1 when it is kept, for its spares
 *   O<w>.<g>      units that are w's own;              E<w>.<g>: 1 when it has any, likewise
 *   Y<g>.<k>.<t>  GPUs cut the k-th way
 *   U M           unmet, replicas that miss
 *   V W P G Q     of a job: workers, held, its own units, 1 when it has any, undone GPU-hours
 *
 * Its optimum is the least cost of the rung; its rows and columns stand in a fixed
 * order, so the same pool gives the same text.
 */
#ifndef GP_POOL_POOL_MPS_H
#define GP_POOL_POOL_MPS_H

#include "base/str.h"
#include "pool/pool.h"

void pool_mps(const struct pool *pool, enum pool_rung_id rung, struct strbuf *out);

#endif
