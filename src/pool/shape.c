/*
 * shape.c - see shape.h.
 */
#include "pool/shape.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/fixed.h"

#define COVER_WORK 12 /* units of a cover beside its nodes */
#define ROOM_NODES 400
#define ROOM_LEAVES 20

static bool is_job(const struct shapes *s, int row)
{
    return row >= s->grid->workloads;
}

int shapes_first_way(const struct shapes *s, int row)
{
    const struct grid *grid = s->grid;

    return is_job(s, row) ? grid->first[grid->workloads] + row - grid->workloads : grid->first[row];
}

int shapes_ways(const struct shapes *s, int row)
{
    return is_job(s, row) ? 1 : s->grid->first[row + 1] - s->grid->first[row];
}

/* ---- groups ---- */

static bool is_same_group(const struct way *a, const struct way *b)
{
    return a->type == b->type && a->slice == b->slice;
}

/* Groups of an hour: a type, or a slice of it. */
static int hour_groups(struct shapes *s, int row, struct shape_group *groups)
{
    int first = s->grid->first[row], count = 0;

    for (int i = first; i < s->grid->first[row + 1]; i++) {
        const struct way *way = &s->grid->ways[i];
        int like = first;

        while (!is_same_group(&s->grid->ways[like], way))
            like++;
        s->group[i] = like < i ? s->group[like] : count;
        if (like == i)
            groups[count++] = (struct shape_group){
                row, way->type, way->slice >= 0 ? s->grid->type[way->type].weight[way->slice] : 1};
    }
    return count;
}

static int day_groups(const struct shapes *s, int row, struct shape_group *groups)
{
    if (is_job(s, row)) {
        *groups = (struct shape_group){row, s->grid->pool->jobs[row - s->grid->workloads].type, 1};
        return 1;
    }
    for (int g = 0; g < s->grid->types; g++)
        groups[g] = (struct shape_group){row, g, 1};
    return s->grid->types;
}

void shapes_init(struct shapes *s, const struct pack *pack)
{
    const struct grid *grid = pack->grid;
    bool day = pack->t == PACK_DAY;
    size_t cap = 0;

    *s = (struct shapes){
        .pack = pack, .grid = grid, .rows = grid->workloads + (day ? grid->jobs : 0)};
    s->ways = grid->first[grid->workloads] + s->rows - grid->workloads;
    s->first = gp_calloc((size_t)s->rows + 1, sizeof(*s->first));
    s->group = gp_calloc((size_t)s->ways + 1, sizeof(*s->group));
    s->last = gp_calloc((size_t)s->rows + 1, sizeof(*s->last));
    for (int row = 0; row < s->rows; row++) {
        int at = s->first[row];

        s->last[row] = -1;
        s->groups = gp_grow(s->groups, &cap, (size_t)at + POOL_MOST_WAYS, sizeof(*s->groups));
        s->first[row + 1] =
            at + (day ? day_groups(s, row, &s->groups[at]) : hour_groups(s, row, &s->groups[at]));
    }
}

void shapes_fini(struct shapes *s)
{
    free(s->first);
    free(s->group);
    free(s->groups);
    free(s->last);
    free(s->list);
    free(s->counts);
    free(s->taken);
    free(s->table);
    *s = (struct shapes){0};
}

static int job_units(const struct shapes *s, int row, int workers)
{
    int j = row - s->grid->workloads, type = s->grid->pool->jobs[j].type;

    return grid_own_units(&s->grid->type[type], workers * s->grid->job_seat[j]);
}

static void take_groups(const struct shapes *s, int row, const short *counts, int *taken)
{
    const struct grid *grid = s->grid;

    if (is_job(s, row)) {
        taken[0] = job_units(s, row, counts[0]);
    } else if (s->pack->t == PACK_DAY) {
        assign_holding(grid, row, counts, taken);
    } else {
        memset(taken, 0, sizeof(*taken) * (size_t)(s->first[row + 1] - s->first[row]));
        for (int k = 0; k < shapes_ways(s, row); k++) {
            const struct way *way = &grid->ways[grid->first[row] + k];

            taken[s->group[grid->first[row] + k]] += counts[k] * (way->slice >= 0 ? 1 : way->seat);
        }
    }
}

/* ---- cost ---- */

static double job_cost(const struct shapes *s, int j, int workers)
{
    const struct pool_job *job = &s->grid->pool->jobs[j];
    double done = (double)workers * job->gpus * (job->end - job->first);

    return assign_job_cost(s->grid, j, fmin(done, job->gpu_hours));
}

/* $ of serving, GPUs aside. */
static double serving_cost(const struct shapes *s, int row, const short *counts)
{
    const struct grid *grid = s->grid;
    double cost;

    if (is_job(s, row))
        return job_cost(s, row - grid->workloads, counts[0]);
    if (s->pack->t == PACK_DAY)
        return fixed_cost(grid, row, counts);
    cost = assign_serving(grid, row, s->pack->t, counts, NULL);
    for (int k = 0; k < shapes_ways(s, row); k++) {
        const struct way *way = &grid->ways[grid->first[row] + k];

        if (way->slice >= 0)
            cost += counts[k] * grid_seat(grid, grid->first[row] + k) * grid->type[way->type].run;
    }
    return cost;
}

/* ---- the list ---- */

static uint64_t hash_of(int row, const short *counts, int ways, const int *taken, int groups)
{
    uint64_t h = 14695981039346656037u + (uint64_t)row;

    for (int k = 0; k < ways; k++)
        h = (h ^ (uint64_t)counts[k]) * 1099511628211u;
    for (int i = 0; i < groups; i++)
        h = (h ^ (uint64_t)taken[i]) * 1099511628211u;
    return h ^ h >> 29;
}

static bool is_shape(const struct shapes *s, size_t at, int row, const short *counts,
                     const int *taken)
{
    const struct shape *shape = &s->list[at];
    size_t groups = (size_t)(s->first[row + 1] - s->first[row]);

    return shape->workload == row &&
           memcmp(&s->counts[shape->counts], counts,
                  sizeof(*counts) * (size_t)shapes_ways(s, row)) == 0 &&
           memcmp(&s->taken[shape->groups], taken, sizeof(*taken) * groups) == 0;
}

static uint64_t hash_at(const struct shapes *s, size_t at)
{
    const struct shape *shape = &s->list[at];
    int row = shape->workload;

    return hash_of(row, &s->counts[shape->counts], shapes_ways(s, row), &s->taken[shape->groups],
                   s->first[row + 1] - s->first[row]);
}

static void grow_table(struct shapes *s)
{
    size_t size = s->table_size ? 2 * s->table_size : 1024;

    if (2 * s->count < s->table_size)
        return;
    free(s->table);
    s->table = gp_malloc(size * sizeof(*s->table));
    s->table_size = size;
    for (size_t i = 0; i < size; i++)
        s->table[i] = -1;
    for (size_t at = 0; at < s->count; at++) {
        size_t place = hash_at(s, at) & (size - 1);

        while (s->table[place] >= 0)
            place = (place + 1) & (size - 1);
        s->table[place] = (int)at;
    }
}

static size_t append(struct shapes *s, int row, const short *counts, const int *taken)
{
    int ways = shapes_ways(s, row), groups = s->first[row + 1] - s->first[row];
    struct shape shape = {.workload = row, .counts = s->count_count, .groups = s->taken_count};

    /* one more: a list of nothing is none, and a workload may have no way */
    s->counts =
        gp_grow(s->counts, &s->count_cap, s->count_count + (size_t)ways + 1, sizeof(*s->counts));
    memcpy(&s->counts[s->count_count], counts, sizeof(*counts) * (size_t)ways);
    s->count_count += (size_t)ways;
    s->taken =
        gp_grow(s->taken, &s->taken_cap, s->taken_count + (size_t)groups + 1, sizeof(*s->taken));
    memcpy(&s->taken[s->taken_count], taken, sizeof(*taken) * (size_t)groups);
    s->taken_count += (size_t)groups;
    shape.cost = serving_cost(s, row, counts);
    for (int i = 0; i < groups; i++) {
        const struct shape_group *group = &s->groups[s->first[row] + i];

        shape.cost += s->pack->price[group->type] * group->gpus * taken[i];
    }
    s->list = gp_grow(s->list, &s->cap, s->count + 1, sizeof(*s->list));
    shape.before = s->last[row];
    s->last[row] = (int)s->count;
    s->list[s->count] = shape;
    return s->count++;
}

size_t shapes_add(struct shapes *s, int row, const int *x, const struct shape_limits *limits)
{
    short counts[POOL_MOST_WAYS] = {0};
    int taken[POOL_MOST_WAYS], first = s->first[row], groups = s->first[row + 1] - first;
    size_t place;

    for (int k = 0; k < shapes_ways(s, row); k++)
        counts[k] = (short)x[k];
    take_groups(s, row, counts, taken);
    for (int i = 0; i < groups && limits; i++)
        taken[i] = taken[i] > limits->low[first + i] ? taken[i] : limits->low[first + i];
    grow_table(s);
    place = hash_of(row, counts, shapes_ways(s, row), taken, groups) & (s->table_size - 1);
    while (s->table[place] >= 0) {
        if (is_shape(s, (size_t)s->table[place], row, counts, taken))
            return (size_t)s->table[place];
        place = (place + 1) & (s->table_size - 1);
    }
    s->table[place] = (int)s->count;
    return append(s, row, counts, taken);
}

void shapes_use(const struct shapes *s, size_t at, double *use)
{
    const struct shape *shape = &s->list[at];
    int first = s->first[shape->workload];

    for (int i = first; i < s->first[shape->workload + 1]; i++)
        use[s->groups[i].type] += s->groups[i].gpus * s->taken[shape->groups + (size_t)(i - first)];
}

bool shapes_allows(const struct shapes *s, size_t at, const struct shape_limits *limits)
{
    const struct shape *shape = &s->list[at];
    int first = s->first[shape->workload];

    for (int i = 0; i < s->first[shape->workload + 1] - first; i++) {
        int taken = s->taken[shape->groups + (size_t)i];

        if (taken < limits->low[first + i] || taken > limits->high[first + i])
            return false;
    }
    return true;
}

/* ---- the cheapest ---- */

static bool has_limits(const struct shapes *s, int row, const struct shape_limits *limits)
{
    for (int i = s->first[row]; i < s->first[row + 1] && limits; i++)
        if (limits->low[i] > 0 || limits->high[i] < POOL_MOST_GPUS)
            return true;
    return false;
}

static double cheapest_hour(struct shapes *s, int row, const double *each,
                            const struct shape_limits *limits, const int *room, int *x)
{
    struct cover_item items[POOL_MOST_WAYS];
    double worth[POOL_MOST_WAYS];
    struct cover_ask ask;
    struct cover cover;
    int first = s->grid->first[row];

    assign_ask(s->grid, row, s->pack->t, each, items, &ask);
    ask.room = room;
    ask.nodes = room ? ROOM_NODES : 0;
    if (has_limits(s, row, limits)) {
        ask.groups = s->first[row + 1] - s->first[row];
        ask.room = &limits->high[s->first[row]];
        ask.paid = &limits->low[s->first[row]];
        ask.worth = worth;
        for (int i = 0; i < ask.groups; i++) {
            const struct shape_group *group = &s->groups[s->first[row] + i];

            worth[i] = each[group->type] * group->gpus;
        }
        for (int k = 0; k < ask.count; k++) {
            items[k].group = s->group[first + k];
            items[k].seat = items[k].seat > 0 ? items[k].seat : 1;
        }
    }
    cover_solve(&ask, &cover);
    s->spent += (uint64_t)cover.nodes + COVER_WORK;
    memcpy(x, cover.x, sizeof(*x) * (size_t)ask.count);
    return cover.lower;
}

static double cheapest_job(struct shapes *s, int row, const double *each,
                           const struct shape_limits *limits, const int *room, int *x)
{
    int j = row - s->grid->workloads, type = s->grid->pool->jobs[j].type;
    int most = room ? room[type] : limits->high[s->first[row]];
    int least = room ? 0 : limits->low[s->first[row]];
    double best = INFINITY;

    *x = 0;
    for (int k = 0; k <= s->grid->pool->jobs[j].most; k++) {
        int gpus = job_units(s, row, k);
        double cost = (gpus > least ? gpus : least) * each[type] + job_cost(s, j, k);

        if (gpus > most && k > 0)
            break;
        if (cost < best) {
            best = cost;
            *x = k;
        }
    }
    s->spent += (uint64_t)*x + 1;
    return best;
}

static double cheapest_day(struct shapes *s, int row, const double *each,
                           const struct shape_limits *limits, const int *room, int *x)
{
    const struct grid *grid = s->grid;
    struct fixed_market market = {.gpus = INT_MAX, .watts = INFINITY};
    struct fixed fixed;

    for (int g = 0; g < grid->types; g++) {
        int most = room ? room[g] : limits->high[s->first[row] + g];
        int all = grid_room(&grid->type[g]);

        market.type[g] = (struct fixed_price){.low = each[g],
                                              .high = each[g],
                                              .least = room ? 0 : limits->low[s->first[row] + g],
                                              .room = room || most < all ? most : all};
    }
    fixed_solve(grid, row, &market, room ? ROOM_LEAVES : s->pack->leaves, &fixed);
    s->spent += (uint64_t)fixed.nodes;
    for (int k = 0; k < shapes_ways(s, row); k++)
        x[k] = fixed.held[k];
    return fixed.lower;
}

double shapes_cheapest(struct shapes *s, int row, const double *lambda,
                       const struct shape_limits *limits, const int *room, int *x)
{
    double each[POOL_MOST_TYPES];

    for (int g = 0; g < s->grid->types; g++)
        each[g] = lambda[g] + s->pack->price[g];
    if (is_job(s, row))
        return cheapest_job(s, row, each, limits, room, x);
    return s->pack->t == PACK_DAY ? cheapest_day(s, row, each, limits, room, x)
                                  : cheapest_hour(s, row, each, limits, room, x);
}
