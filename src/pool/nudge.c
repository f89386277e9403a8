/*
 * nudge.c - see nudge.h.
 */
#include "pool/nudge.h"

#include <math.h>
#include <string.h>

static bool has_job(const struct climb *c, int g)
{
    for (int j = 0; j < c->grid->jobs; j++)
        if (c->grid->pool->jobs[j].type == g)
            return true;
    return false;
}

/* ---- a workload on one way all day, and fleets that fit ---- */

/* The move with the room that it takes is kept, or all of it taken back; `before`: $ of the
 * fleets. */
static double settle(struct climb *c, double cost, double before, double slack)
{
    double all =
        assign_allowed(c->a) ? cost + climb_own(c) - before + climb_rest(c, false) : INFINITY;

    all = climb_settle(c, all, slack);
    if (isinf(all))
        memcpy(c->a->room, c->room, sizeof(c->room));
    return all;
}

/* Replicas of one way alone, as each hour needs them or as the busiest does. */
static double serve_by(struct climb *c, int w, int i, bool steady)
{
    const struct grid *grid = c->grid;
    const struct way *way = &grid->ways[grid->first[w] + i];
    double cost = 0, peak = 0;

    for (int t = 0; t < grid->hours; t++)
        peak = fmax(peak, grid->need[w * grid->hours + t]);
    for (int t = 0; t < grid->hours; t++) {
        double need = steady ? peak : grid->need[w * grid->hours + t];
        double n = fmax(ceil(need / way->rate * (1 - 1e-9)), grid->pool->workloads[w].minimum);
        short x[POOL_MOST_WAYS] = {0};

        x[i] = (short)fmin(n, POOL_MOST_REPLICAS);
        cost += climb_set(c, w, t, x);
    }
    return cost;
}

double nudge_home(struct climb *c, double slack)
{
    const struct grid *grid = c->grid;
    int w = (int)climb_below(c, (unsigned)grid->workloads);
    int ways = grid->first[w + 1] - grid->first[w];
    double before = climb_own(c), cost;

    if (ways == 0 || grid->constant[w])
        return INFINITY;
    memcpy(c->room, c->a->room, sizeof(c->room));
    c->logged = 0;
    c->spent += (uint64_t)grid->hours * 2;
    cost = serve_by(c, w, (int)climb_below(c, (unsigned)ways), climb_below(c, 2));
    for (int g = 0; g < grid->types; g++) {
        int room = grid_room_with(&grid->type[g], assign_peak(c->a, g));

        c->a->room[g] = has_job(c, g) && room < c->room[g] ? c->room[g] : room;
    }
    return settle(c, cost, before, slack);
}

/* ---- a few replicas more or fewer, at true prices ---- */

#define NUDGED 3 /* ways at a time */

/* Replicas of way i that the need of an hour asks for beside the others. */
static int fill_of(const struct climb *c, int w, int t, int i, const short *x)
{
    const struct grid *grid = c->grid;
    double left = grid->need[w * grid->hours + t];
    int lacking = grid->pool->workloads[w].minimum, n;

    for (int k = 0; k < grid->first[w + 1] - grid->first[w]; k++) {
        left -= k == i ? 0 : x[k] * grid->ways[grid->first[w] + k].rate;
        lacking -= k == i ? 0 : x[k];
    }
    left = ceil(left / grid->ways[grid->first[w] + i].rate * (1 - 1e-9));
    n = left > 0 ? (int)fmin(left, POOL_MOST_REPLICAS) : 0;
    return n > lacking ? n : lacking > 0 ? lacking : 0;
}

/* So many replicas more of way i of a workload, or what is lacking, in `length` hours from
 * `first` on. */
static double add_replicas(struct climb *c, int w, int i, int more, bool fill, int first,
                           int length)
{
    double cost = 0;

    for (int k = 0, t = first; k < length; k++, t = (t + 1) % c->grid->hours) {
        short x[POOL_MOST_WAYS];
        int n;

        assign_get(c->a, w, t, x);
        n = fill ? fill_of(c, w, t, i, x) : x[i] + more;
        n = n < 0 ? 0 : n > POOL_MOST_REPLICAS ? POOL_MOST_REPLICAS : n;
        if (x[i] == n)
            continue;
        x[i] = (short)n;
        cost += climb_set(c, w, t, x);
    }
    return cost;
}

/* Room as the plan needs it; for jobs as much as before, or a unit or two more. */
static void follow_use(struct climb *c)
{
    for (int g = 0; g < c->grid->types && c->grid->id != POOL_CLOUD; g++) {
        const struct grid_type *type = &c->grid->type[g];
        int room = grid_room_with(type, assign_peak(c->a, g)), kept = c->room[g];

        if (has_job(c, g) && climb_below(c, 2)) {
            if (climb_below(c, 2))
                kept = grid_room_with(type, kept + 1 + (int)climb_below(c, 2) * type->unit);
            room = kept > room ? kept : room;
        }
        c->a->room[g] = room;
    }
}

double nudge_some(struct climb *c, double slack)
{
    const struct grid *grid = c->grid;
    int hours = grid->hours, first = (int)climb_below(c, (unsigned)hours);
    int length = climb_below(c, 2) ? 1 : 1 + (int)climb_below(c, (unsigned)hours);
    int w = (int)climb_below(c, (unsigned)grid->workloads);
    double before = climb_own(c), cost = 0;

    memcpy(c->room, c->a->room, sizeof(c->room));
    c->logged = 0;
    c->spent += (uint64_t)length * 4;
    for (int k = 1 + (int)climb_below(c, NUDGED); k > 0; k--) {
        int ways = grid->first[w + 1] - grid->first[w];
        int more = 1 + (int)climb_below(c, 1u << climb_below(c, 3));
        bool fill = climb_below(c, 3) == 0;

        if (ways > 0 && grid->constant[w])
            cost += climb_hold(c, w, (int)climb_below(c, (unsigned)ways),
                               climb_below(c, 2) ? more : -more);
        else if (ways > 0)
            cost += add_replicas(c, w, (int)climb_below(c, (unsigned)ways),
                                 climb_below(c, 2) ? more : -more, fill, first, length);
        if (climb_below(c, 2))
            w = (int)climb_below(c, (unsigned)grid->workloads);
    }
    follow_use(c);
    return settle(c, cost, before, slack);
}
