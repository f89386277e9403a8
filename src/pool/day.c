/*
 * day.c - see day.h.
 */
#include "pool/day.h"

#include <math.h>
#include <string.h>

#include "base/mem.h"

#define DAY_COVERS 24 /* that its hours may choose from */

struct day {
    int w, ways, hours, count;
    short x[DAY_COVERS][POOL_MOST_WAYS];
    int now[POOL_MOST_HOURS];                 /* what the hours have */
    double cost[POOL_MOST_HOURS][DAY_COVERS]; /* $ more than that; INFINITY: no room */
    double change[DAY_COVERS][DAY_COVERS];    /* $ of the starts from one to the next */
    signed char from[POOL_MOST_HOURS][DAY_COVERS];
};

struct day *day_new(void)
{
    return gp_calloc(1, sizeof(struct day));
}

/* Its place in the list; -1: there is none left. */
static int day_cover(struct day *d, const short *x)
{
    size_t size = sizeof(*x) * (size_t)d->ways;

    for (int k = 0; k < d->count; k++)
        if (memcmp(d->x[k], x, size) == 0)
            return k;
    if (d->count == DAY_COVERS)
        return -1;
    memcpy(d->x[d->count], x, size);
    return d->count++;
}

/* The cheapest cover of an hour at prices that are off by chance. */
static void day_chance(struct climb *c, struct day *d, int t)
{
    double guide[POOL_MOST_TYPES], more[POOL_MOST_WAYS];
    struct cover cover;
    short x[POOL_MOST_WAYS];

    for (int g = 0; g < c->grid->types; g++)
        guide[g] = climb_share(c) * c->grid->type[g].own_buy / c->grid->hours;
    climb_noise(c, d->w, more);
    assign_cover(c->grid, d->w, t, guide, more, NULL, 100, &cover);
    c->spent += (uint64_t)cover.nodes + COVER_WORK;
    for (int i = 0; i < d->ways; i++)
        x[i] = (short)cover.x[i];
    day_cover(d, x);
}

/* The covers of all hours, those that hold two hours one after the other, and some by
 * chance; false: the day has too many. */
static bool day_list(struct climb *c, struct day *d)
{
    short x[POOL_MOST_WAYS];

    for (int t = 0; t < d->hours; t++) {
        assign_get(c->a, d->w, t, x);
        d->now[t] = day_cover(d, x);
        if (d->now[t] < 0)
            return false;
    }
    for (int t = 0; t < d->hours; t++) {
        const short *a = d->x[d->now[t]], *b = d->x[d->now[(t + 1) % d->hours]];

        for (int i = 0; i < d->ways; i++)
            x[i] = a[i] > b[i] ? a[i] : b[i];
        day_cover(d, x);
    }
    for (int t = 0; t < d->hours && d->count < DAY_COVERS; t++)
        day_chance(c, d, t);
    return true;
}

static void day_prices(struct climb *c, struct day *d)
{
    const struct way *way = &c->grid->ways[c->grid->first[d->w]];

    for (int t = 0; t < d->hours; t++)
        for (int k = 0; k < d->count; k++) {
            size_t mark = c->logged;

            d->cost[t][k] = k == d->now[t] ? 0 : climb_set(c, d->w, t, d->x[k]);
            if (k != d->now[t] && climb_worst(c, t) >= 0)
                d->cost[t][k] = INFINITY;
            climb_undo(c, mark);
        }
    for (int a = 0; a < d->count; a++)
        for (int b = 0; b < d->count; b++) {
            d->change[a][b] = 0;
            for (int i = 0; i < d->ways; i++)
                if (d->x[b][i] > d->x[a][i])
                    d->change[a][b] += (d->x[b][i] - d->x[a][i]) * way[i].start;
        }
}

/* The cheapest way through the hours that begins and ends with what hour `first` has
 * (dynamic programming); into now[]. */
static void day_walk(struct day *d, int first)
{
    double best[DAY_COVERS], next[DAY_COVERS];
    int t = first, k = d->now[first];

    for (int i = 0; i < d->count; i++)
        best[i] = i == k ? 0 : INFINITY;
    for (int n = 1; n <= d->hours; n++) {
        t = (first + n) % d->hours;
        for (int b = 0; b < d->count; b++) {
            next[b] = INFINITY;
            for (int a = 0; a < d->count; a++)
                if (best[a] + d->change[a][b] < next[b]) {
                    next[b] = best[a] + d->change[a][b];
                    d->from[t][b] = (signed char)a;
                }
            next[b] += n < d->hours ? d->cost[t][b] : 0;
        }
        memcpy(best, next, sizeof(best));
    }
    for (int n = d->hours; n > 0; n--) {
        k = d->from[t][k];
        t = (t + d->hours - 1) % d->hours;
        d->now[t] = k;
    }
}

/* The best day of a workload that its covers allow, in place of the one it has; $ of
 * serving that this changes, its starts aside. */
double day_replan(struct climb *c, int w)
{
    struct day *d = c->day;
    double cost = 0;

    d->w = w;
    d->hours = c->grid->hours;
    d->ways = c->grid->first[w + 1] - c->grid->first[w];
    d->count = 0;
    if (c->grid->constant[w] || !day_list(c, d))
        return 0;
    day_prices(c, d);
    day_walk(d, 0);
    day_walk(d, d->hours / 2);
    c->spent += (uint64_t)(d->hours * d->count * (COVER_WORK + d->count / 4));
    for (int t = 0; t < d->hours; t++)
        cost += climb_set(c, w, t, d->x[d->now[t]]);
    return cost;
}

double day_move(struct climb *c, double slack)
{
    double cost;

    c->logged = 0;
    cost = day_replan(c, (int)climb_below(c, (unsigned)c->grid->workloads));
    return climb_settle(c, cost + climb_rest(c, false), slack);
}
