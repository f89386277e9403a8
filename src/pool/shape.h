/*
 * shape.h - covers as columns of pack.h's program: each once, with what it takes.
 *
 * What a workload takes of one type (whole GPUs, or slices of one profile; of a day
 * what it owns in whole units) is a group. Covers of a workload with the same groups
 * take the same place, so that only the cheapest of them counts: parts are told apart
 * by groups.
 *
 *   low <= group <= high
 *
 * A cover that takes less than `low` is charged for it, as idle GPUs.
 */
#ifndef GP_POOL_SHAPE_H
#define GP_POOL_SHAPE_H

#include "pool/pack.h"

struct shape {
    int workload;
    int before;            /* the last one of the workload before it; -1: none */
    double cost;           /* $ at the prices of the pack */
    size_t counts, groups; /* places in shapes.counts and .taken */
};

struct shape_group {
    int row, type;
    double gpus; /* for one of it */
};

struct shapes {
    const struct pack *pack;
    const struct grid *grid;
    int rows, ways; /* workloads, of a day and jobs; theirs */
    int *first;     /* [rows + 1] of the groups */
    int *group;     /* [way] of an hour, among those of its workload */
    struct shape_group *groups;
    struct shape *list;
    size_t count, cap;
    int *last;     /* [rows] the newest of each; -1: none */
    short *counts; /* of the ways */
    size_t count_count, count_cap;
    int *taken; /* of the groups */
    size_t taken_count, taken_cap;
    int *table; /* hash of list, -1: free */
    size_t table_size;
    uint64_t spent;
};

struct shape_limits { /* [all groups] */
    const int *low, *high;
};

void shapes_init(struct shapes *s, const struct pack *pack);
void shapes_fini(struct shapes *s);

int shapes_first_way(const struct shapes *s, int row);
int shapes_ways(const struct shapes *s, int row);

/* The shape of counts x, charged for `low` at least (NULL: what it takes); its place in
 * the list. */
size_t shapes_add(struct shapes *s, int row, const int *x, const struct shape_limits *limits);

/* Adds the GPUs that it takes to use[types]. */
void shapes_use(const struct shapes *s, size_t at, double *use);

bool shapes_allows(const struct shapes *s, size_t at, const struct shape_limits *limits);

/* The cheapest counts at lambda[g] $ for a GPU, beside its price, within the limits or
 * in room[g] GPUs (NULL: no such). Its cost with the GPUs, or less. */
double shapes_cheapest(struct shapes *s, int row, const double *lambda,
                       const struct shape_limits *limits, const int *room, int *x);

#endif
