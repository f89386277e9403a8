/*
 * grid.h - a pool as one rung sees it: what a replica takes and brings there, what GPUs
 * cost, what each workload needs in each hour.
 *
 * A fleet of n GPUs of a type comes in units (servers, or single GPUs); the first units
 * are in stock, the rest is bought:
 *
 *   own(n) = own_stock x min(n, stock) + own_buy x max(0, n - stock)     $ over all hours
 *
 * with idle power in it; a GPU in use costs `run` per hour on top.
 *
 * A GPU may be cut into MIG slices in one of a few ways (cut[k][profile]). The fewest GPUs for
 * so many slices are a covering problem, solved depth first from the largest profile down. A
 * weight per profile with sum of cut[k][p] weight[p] <= 1 for every cut bounds it from below:
 *
 *   GPUs >= sum of weight[p] count[p]
 *
 * Example: cuts 7 x 1g, 3 x 2g + 1 x 1g, 2 x 3g: five 2g and one 3g take 3 GPUs.
 */
#ifndef GP_POOL_GRID_H
#define GP_POOL_GRID_H

#include <stdlib.h>

#include "base/mem.h"
#include "pool/pool.h"

/* Arrays that are made, copied and freed together. */
struct arrays {
    void *block[16];
    size_t size[16];
    int count;
};

static inline void *arrays_add(struct arrays *a, size_t count, size_t size)
{
    a->size[a->count] = count * size;
    return a->block[a->count++] = gp_calloc(count, size);
}

static inline void arrays_free(struct arrays *a)
{
    while (a->count > 0)
        free(a->block[--a->count]);
}

struct way { /* a candidate, on this rung */
    int candidate;
    int type, slice;
    int gpus; /* that work */
    int seat; /* that are taken; 1 of a slice is a part of one */
    double rate;
    double start; /* $ */
};

struct grid_type {
    int unit;                  /* GPUs come in so many */
    int stock;                 /* whole units of it, in GPUs */
    int most;                  /* stock and what may be bought, no more than can be of use */
    bool scarce;               /* most is a limit of the pool, not of use */
    int spare;                 /* kept free by all together */
    int own_spare;             /* by each that has servers of its own: nobody else's can help it */
    int slots;                 /* of a chassis that a GPU takes: 1, or 0 in a server */
    double own_stock, own_buy; /* $ per GPU over all hours, idle power included */
    double own_energy;         /* the idle power in them */
    double run;                /* $ per GPU-hour in use, over idle */
    double run_energy;         /* the power in it */
    double watts;              /* busy */
    double weight[POOL_MOST_SLICES]; /* share of a GPU that a slice is charged with */
};

struct grid {
    struct arrays arrays;
    const struct pool *pool;
    enum pool_rung_id id;
    int hours, types, workloads, jobs;
    struct grid_type type[POOL_MOST_TYPES];
    struct way *ways;
    int *stands;     /* [candidates] way that does what it would; -1: it cannot run here */
    int *first;      /* [workloads + 1] of the ways */
    double *need;    /* [workload x hours + hour] */
    double *penalty; /* [workload] $ per unit and hour */
    double *missing; /* [workload] $ per replica and hour under the minimum */
    bool *constant;  /* [workload] the same replicas on its own GPUs all day */
    bool sliced;     /* some way takes a slice */
    bool jobs_own;   /* jobs have GPUs of their own all day: A and B */
    double job_penalty[POOL_MOST_JOBS]; /* $ per GPU-hour */
    int job_seat[POOL_MOST_JOBS];
    int slots;    /* cap on GPUs, 0: none */
    double watts; /* cap on busy watts, 0: none */
};

void grid_init(struct grid *grid, const struct pool *pool, enum pool_rung_id id);
void grid_fini(struct grid *grid);

/* Where replicas of the ways of a workload in an hour begin, in what has them for all hours. */
static inline size_t grid_place(const struct grid *grid, int w, int t)
{
    return (size_t)grid->first[w] * (size_t)grid->hours +
           (size_t)t * (size_t)(grid->first[w + 1] - grid->first[w]);
}

/* Bytes of one count for each way of a workload. */
static inline size_t ways_size(const struct grid *grid, int w)
{
    return sizeof(short) * (size_t)(grid->first[w + 1] - grid->first[w]);
}

/* Hours and types. */
static inline size_t grid_cells(const struct grid *grid)
{
    return (size_t)grid->hours * (size_t)grid->types;
}

/* GPUs that a replica of way i takes, a slice by its weight. */
double grid_seat(const struct grid *grid, int i);

/* $ over all hours for owning what `used` GPUs at the busiest hour take: spares and
 * whole units included; *kept: how many that is. */
double grid_own(const struct grid_type *type, int used, int *kept);

/* GPUs rounded up to whole units. */
int grid_units(const struct grid_type *type, int gpus);

/* The same for one that owns them: its spares included. */
int grid_own_units(const struct grid_type *type, int gpus);

/* GPUs that may be used at a time when everything that can be owned is owned. */
int grid_room(const struct grid_type *type);

/* The room for use that comes with `used` GPUs: whole units, spares set aside. */
int grid_room_with(const struct grid_type *type, int used);

/* The fewest GPUs found for count[profile], with the profiles' weights; cuts[k] (may be NULL):
 * GPUs that are cut that way. */
int slices_gpus(const struct pool_type *type, const double weight[POOL_MOST_SLICES],
                const int count[POOL_MOST_SLICES], int cuts[POOL_MOST_CUTS]);

/* Share of a GPU that a slice of each profile is charged with. */
void slices_weights(const struct pool_type *type, double weight[POOL_MOST_SLICES]);

/* The next number below n of a sequence. */
static inline unsigned pool_random(uint64_t *state, unsigned n)
{
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((*state >> 33) % n);
}

/* Do these fleets keep to the slots and the watts? */
bool grid_allows(const struct grid *grid, const int *kept);

#endif
