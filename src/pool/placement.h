/*
 * placement.h - which GPU serves what in each hour: the counts of a rung put into servers or
 * chassis.
 *
 * GPUs are interchangeable to the solver; here they get a place. A replica stays within one host (a
 * server, or one of a chassis with the GPUs that are plugged to it), or takes whole ones. Workloads
 * that share no host, and all of A, have theirs from the beginning. What ran in the hour before and
 * still does keeps its GPUs; what starts goes where the least room is left over, side by side where
 * it can; where no host has room left, all are packed anew, the largest first, and what has other
 * GPUs then moves. Hour 0 follows the last hour.
 *
 * Where a replica finds no host with room, smaller ones of its workload take its place as
 * far as they can: ran[] says what then runs. Engines that sleep in host memory wake on the
 * GPUs that they had at another hour of the day.
 *
 *   moves[t] = replicas of t that were not on the same GPUs in t - 1
 *
 * Example: a server of 4 holds a, a, b, free; b wants 2 more: a of another server is not
 * touched, the free GPU and one of a new server cannot hold it, so b goes to the new one.
 */
#ifndef GP_POOL_PLACEMENT_H
#define GP_POOL_PLACEMENT_H

#include "pool/pool.h"

#define PLACEMENT_MOST 20000000 /* GPUs x hours that are placed */

enum { PLACEMENT_FREE = 0 };

struct placement_chassis {
    int type;        /* of its GPUs; -1 = of several, by placement.type */
    int first, gpus; /* its GPUs are first .. first + gpus - 1 */
    int chassis;     /* place in the caller's list; -1 = a server, which is its host */
    int first_host, hosts, per_host; /* GPUs that one holds */
};

/* Chassis that the caller has; servers need none. */
struct chassis_size {
    int slots, hosts, per_host;
};

struct placement {
    int hours, gpus, box_count;
    struct placement_chassis *box;
    int *type;                 /* [gpu] */
    int *box_of;               /* [gpu] */
    int *who;                  /* [hour x gpus + gpu] candidate + 1; -(job + 1); PLACEMENT_FREE */
    int *unit;                 /* likewise, which replica: its own number */
    int *host;                 /* likewise, of its box: 1 and up; 0 = free */
    signed char *cut;          /* likewise, the way it is cut; -1 = it is whole */
    bool *stays;               /* likewise: as it was in the hour before */
    int *moves;                /* [hour] */
    int units;                 /* numbers of replicas: below this */
    bool whole;                /* false: too large, or some replica found no box that holds it */
    int unplaced;              /* replica-hours that found none, or smaller ones instead */
    int *ran;                  /* [candidate x hours + hour] replicas that have a place */
    int lacking, lacking_type; /* GPUs of the largest that found none, and their type */
};

/* chassis: of B and D; NULL or none: a single one of any size. */
void placement_rung(const struct pool *pool, const struct pool_rung *rung,
                    const struct chassis_size *chassis, int chassis_count, struct placement *out);
void placement_fini(struct placement *placement);

/* Place of an hour and GPU in who, unit, ... */
static inline size_t placement_cell(const struct placement *placement, int hour, int gpu)
{
    return (size_t)hour * (size_t)placement->gpus + (size_t)gpu;
}

/* Was this GPU's replica on it at another hour, too? It may have slept until now. */
bool placement_returns(const struct placement *placement, int hour, int gpu);

/* Did this GPU's replica start, or move here, in that hour? */
bool placement_starts(const struct placement *placement, int hour, int gpu);

#endif
