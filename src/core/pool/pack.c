/*
 * pack.c - see pack.h.
 */
#include "core/pool/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool/lp.h"
#include "core/pool/shape.h"
#include "util/mem.h"

#define ROUNDS       60 /* of new covers in a part */
#define LP_STEPS     2000
#define MOST_PARTS   4096
#define MOST_CELLS   4000000 /* groups of all parts */
#define STRONG       8       /* groups that a part is divided by on trial */
#define STRONG_STEPS 30      /* of the program, each time */
#define FURTHER      8 /* times as far, until nothing is used that isn't allowed */
#define MOST_FAR     1e6
#define SMALL        1e-7

struct part { /* groups between these */
    double bound;
    int *low, *high;
};

struct branch {
    struct pack *pack;
    const struct grid *grid;
    struct shapes shapes;
    struct lp lp;       /* columns: those of the limits, then one for each shape */
    int slacks;         /* of the limits */
    double worst;       /* $ when nothing runs, or more than a GPU can be worth */
    double far;         /* $ on top for a shape that the part does not allow */
    struct part *parts; /* still open */
    int part_count, most_parts;
    double closed;              /* the least bound of those that are not */
    struct shape_limits limits; /* of the part at hand */
    int *low, *high;            /* the same */
    short *x;                   /* [way] being rounded */
    double *mean;               /* [way] of the part's program */
    double *group;              /* [group] likewise */
    double *less,
        *more; /* [group] of it that goes, or comes, on either side of a mean */
};

/* ---- limits ---- */

void pack_rooms(struct pack *p, const double *room)
{
    p->limit_count = p->grid->types;
    for (int g = 0; g < p->grid->types; g++) {
        p->limits[g] = (struct pack_limit){.room = room[g], .over = INFINITY};
        p->limits[g].per[g] = 1;
    }
}

static struct pack_limit *add_limit(struct pack *p, double room, double over)
{
    struct pack_limit *limit = &p->limits[p->limit_count++];

    *limit = (struct pack_limit){.room = fmax(room, 0), .over = over};
    return limit;
}

/* Each GPU costs what one in stock does, and more beyond the stock. Spares are left
 * out: they only cost more. */
void pack_fleets(struct pack *p)
{
    const struct grid *grid = p->grid;
    struct pack_limit *limit;

    p->limit_count = 0;
    for (int g = 0; g < grid->types; g++) {
        const struct grid_type *type = &grid->type[g];
        p->price[g] = type->stock > 0 ? type->own_stock : type->own_buy;
        add_limit(p, grid_room(type), INFINITY)->per[g] = 1;
        if (type->stock > 0 && type->own_buy > type->own_stock)
            add_limit(p, type->stock - type->spare, type->own_buy - type->own_stock)
                ->per[g] = 1;
    }
    if (grid->slots > 0) {
        limit = add_limit(p, grid->slots, INFINITY);
        for (int g = 0; g < grid->types; g++)
            limit->per[g] = grid->type[g].slots;
    }
    if (grid->watts > 0) {
        limit = add_limit(p, grid->watts, INFINITY);
        for (int g = 0; g < grid->types; g++)
            limit->per[g] = grid->type[g].watts;
    }
}

static double taken(const struct pack_limit *limit, const double *use, int types)
{
    double sum = 0;

    for (int g = 0; g < types; g++)
        sum += limit->per[g] * use[g];
    return sum;
}

/* $ of the limits that are passed. */
static double over_cost(const struct pack *p, const double *use)
{
    double sum = 0;

    for (int r = 0; r < p->limit_count; r++) {
        double over = taken(&p->limits[r], use, p->grid->types) - p->limits[r].room;
        sum += over > 1e-9 * (1 + p->limits[r].room) ? over * p->limits[r].over : 0;
    }
    return sum;
}

/* GPUs of each type that may still be taken beside use[g]. */
static void room_beside(const struct pack *p, const double *use, int *room)
{
    for (int g = 0; g < p->grid->types; g++) {
        double most = POOL_MOST_GPUS;
        for (int r = 0; r < p->limit_count; r++) {
            const struct pack_limit *limit = &p->limits[r];
            if (isinf(limit->over) && limit->per[g] > 0)
                most = fmin(most, (limit->room - taken(limit, use, p->grid->types)) /
                                      limit->per[g]);
        }
        room[g] = most > 0 ? (int)(most + 1e-9) : 0;
    }
}

/* ---- the program ---- */

/* What a shape brings in the part at hand. */
static double gain_of(const struct branch *b, size_t at)
{
    return -b->shapes.list[at].cost -
           (shapes_allows(&b->shapes, at, &b->limits) ? 0 : b->far);
}

/* Columns for the shapes that have none. */
static void add_columns(struct branch *b)
{
    struct lp_entry entries[PACK_MOST_LIMITS];
    const struct pack *pack = b->pack;

    for (size_t at = b->lp.column_count - (size_t)b->slacks; at < b->shapes.count;
         at++) {
        const struct shape *shape = &b->shapes.list[at];
        for (int r = 0; r < pack->limit_count; r++)
            entries[r] = (struct lp_entry){
                r, taken(&pack->limits[r], shape->use, b->grid->types)};
        lp_add(&b->lp, gain_of(b, at), shape->workload, entries, pack->limit_count);
    }
}

static void set_gains(struct branch *b)
{
    for (size_t at = 0; at < b->shapes.count; at++)
        b->lp.columns[(size_t)b->slacks + at].gain = gain_of(b, at);
}

/* Likewise, when the limits of one workload have changed. */
static void set_gains_of(struct branch *b, int row)
{
    for (int at = b->shapes.last[row]; at >= 0; at = b->shapes.list[at].before)
        b->lp.columns[b->slacks + at].gain = gain_of(b, (size_t)at);
}

/* The shape of the i-th column that may be above 0, which is *level; NULL: it is a
 * limit's. */
static const struct shape *basic_shape(const struct branch *b, int i, double *level)
{
    int column = lp_basic(&b->lp, i);

    *level = lp_level(&b->lp, column);
    return column < b->slacks ? NULL : &b->shapes.list[column - b->slacks];
}

static int basic_count(const struct branch *b)
{
    return b->lp.rows + b->lp.sets;
}

/* Room that is left, and what is over. */
static void add_slacks(struct branch *b, int *basis)
{
    for (int r = 0; r < b->pack->limit_count; r++) {
        double over = b->pack->limits[r].over;
        basis[r] = lp_add(&b->lp, 0, LP_FREE, &(struct lp_entry){r, 1}, 1);
        if (!isinf(over))
            lp_add(&b->lp, -over, LP_FREE, &(struct lp_entry){r, -1}, 1);
        b->lp.right[r] = b->pack->limits[r].room;
    }
    b->slacks = (int)b->lp.column_count;
}

/* Begins with nothing of everything. */
static bool program_init(struct branch *b)
{
    int basis[PACK_MOST_LIMITS], nothing[POOL_MOST_WAYS] = {0};
    int *key = gp_calloc((size_t)b->shapes.rows + 1, sizeof(*key));
    bool ok;

    lp_init(&b->lp, b->pack->limit_count, b->shapes.rows);
    add_slacks(b, basis);
    b->worst = 1;
    for (int g = 0; g < b->grid->types; g++)
        b->worst += b->grid->type[g].own_buy + b->grid->type[g].run;
    for (int w = 0; w < b->shapes.rows; w++) {
        size_t at = shapes_add(&b->shapes, w, nothing, NULL);
        b->worst += b->shapes.list[at].cost;
        key[w] = b->slacks + (int)at;
    }
    add_columns(b);
    ok = lp_begin(&b->lp, basis, key);
    free(key);
    return ok;
}

/* Prices of the limits, each within what it may be, and of a GPU of each type. */
static void prices(const struct branch *b, double *limit, double *lambda)
{
    memset(lambda, 0, sizeof(*lambda) * (size_t)b->grid->types);
    for (int r = 0; r < b->pack->limit_count; r++) {
        limit[r] = fmin(fmax(0, b->lp.price[r]), b->pack->limits[r].over);
        for (int g = 0; g < b->grid->types; g++)
            lambda[g] += limit[r] * b->pack->limits[r].per[g];
    }
}

/* Adds the covers that the prices ask for; *bound: the value of the part there. */
static bool price_all(struct branch *b, double *bound)
{
    double limit[PACK_MOST_LIMITS], lambda[POOL_MOST_TYPES], sum = 0;
    bool more = false;

    prices(b, limit, lambda);
    for (int w = 0; w < b->shapes.rows; w++) {
        int x[POOL_MOST_WAYS];
        double cost = shapes_cheapest(&b->shapes, w, lambda, &b->limits, NULL, x);
        double known = -b->lp.worth[w];
        sum += cost;
        if (cost < known - SMALL * (1 + fabs(known))) {
            shapes_add(&b->shapes, w, x, &b->limits);
            more = true;
        }
    }
    add_columns(b);
    for (int r = 0; r < b->pack->limit_count; r++)
        sum -= limit[r] * b->pack->limits[r].room;
    *bound = fmax(*bound, sum);
    return more;
}

/* ---- a plan from it ---- */

static void set_mean(struct branch *b)
{
    const struct shapes *s = &b->shapes;

    memset(b->mean, 0, sizeof(*b->mean) * (size_t)s->ways);
    memset(b->group, 0, sizeof(*b->group) * (size_t)s->first[s->rows]);
    for (int i = 0; i < basic_count(b); i++) {
        double level;
        const struct shape *shape = basic_shape(b, i, &level);
        int row = shape ? shape->workload : 0;
        if (!shape || level <= 0)
            continue;
        for (int k = 0; k < shapes_ways(s, row); k++)
            b->mean[shapes_first_way(s, row) + k] +=
                level * s->counts[shape->counts + (size_t)k];
        for (int k = s->first[row]; k < s->first[row + 1]; k++)
            b->group[k] +=
                level * s->taken[shape->groups + (size_t)(k - s->first[row])];
    }
}

static bool is_whole(double x)
{
    return fabs(x - round(x)) < 1e-6;
}

/* The mean cover of a workload where that is whole: a cover costs no more than the mean
 * of those around it. Else the one with the largest part; *whole says which. */
static size_t likely_shape(struct branch *b, int w, bool *whole)
{
    int x[POOL_MOST_WAYS], best = -1;
    double most = -1;

    *whole = true;
    for (int k = 0; k < shapes_ways(&b->shapes, w); k++) {
        double mean = b->mean[shapes_first_way(&b->shapes, w) + k];
        x[k] = (int)round(mean);
        *whole = *whole && is_whole(mean);
    }
    if (*whole)
        return shapes_add(&b->shapes, w, x, NULL);
    for (int i = 0; i < basic_count(b); i++) {
        double level;
        const struct shape *shape = basic_shape(b, i, &level);
        if (!shape || shape->workload != w || level <= most)
            continue;
        most = level;
        best = lp_basic(&b->lp, i) - b->slacks;
    }
    return (size_t)best;
}

static void add_use(const struct branch *b, size_t shape, double *use)
{
    for (int g = 0; g < b->grid->types; g++)
        use[g] += b->shapes.list[shape].use[g];
}

/* Adds a cover of w to the plan, if need be another one within what is left. */
static double place_shape(struct branch *b, int w, size_t at, const double *lambda,
                          double *use)
{
    double with[POOL_MOST_TYPES];
    const struct shape *shape;

    memcpy(with, use, sizeof(with));
    add_use(b, at, with);
    if (isinf(over_cost(b->pack, with))) {
        int room[POOL_MOST_TYPES], x[POOL_MOST_WAYS];
        room_beside(b->pack, use, room);
        shapes_cheapest(&b->shapes, w, lambda, NULL, room, x);
        at = shapes_add(&b->shapes, w, x, NULL);
        memcpy(with, use, sizeof(with));
        add_use(b, at, with);
    }
    memcpy(use, with, sizeof(with));
    shape = &b->shapes.list[at];
    memcpy(&b->x[shapes_first_way(&b->shapes, w)], &b->shapes.counts[shape->counts],
           sizeof(*b->x) * (size_t)shapes_ways(&b->shapes, w));
    return shape->cost;
}

/* Takes what is whole as it is, and serves the others in what room is left. */
static void round_plan(struct branch *b, const double *lambda)
{
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int w = 0; w < b->shapes.rows; w++) {
            bool whole;
            size_t shape = likely_shape(b, w, &whole);
            if (whole == (pass == 0))
                cost += place_shape(b, w, shape, lambda, use);
        }
    add_columns(b);
    cost += over_cost(b->pack, use);
    if (cost >= b->pack->cost)
        return;
    b->pack->cost = cost;
    memcpy(b->pack->x, b->x, sizeof(*b->x) * (size_t)b->shapes.ways);
}

/* ---- parts ---- */

/* What goes, when a group is at most its mean, and comes, when it is one more. */
static void set_changes(struct branch *b)
{
    const struct shapes *s = &b->shapes;

    memset(b->less, 0, sizeof(*b->less) * (size_t)s->first[s->rows]);
    memset(b->more, 0, sizeof(*b->more) * (size_t)s->first[s->rows]);
    for (int i = 0; i < basic_count(b); i++) {
        double level;
        const struct shape *shape = basic_shape(b, i, &level);
        int row = shape ? shape->workload : 0;
        for (int k = s->first[row]; shape && level > 0 && k < s->first[row + 1]; k++) {
            double middle = floor(b->group[k] + 1e-9);
            int n = s->taken[shape->groups + (size_t)(k - s->first[row])];
            b->less[k] += level * fmax(0, n - middle);
            b->more[k] += level * fmax(0, middle + 1 - n);
        }
    }
}

static double goal_of(const struct branch *b)
{
    return fmin(b->pack->cost, b->pack->goal) * (1 - 1e-12);
}

static uint64_t spent(const struct branch *b)
{
    return b->shapes.spent + b->lp.work;
}

static bool is_over(const struct branch *b)
{
    const struct pack *pack = b->pack;

    return spent(b) >= pack->work || (pack->stop && pack->stop(pack->ctx));
}

/* The groups of which a bound on either side changes most, in dollars; how many. */
static int likely_groups(struct branch *b, const double *lambda, int *best)
{
    double worth[STRONG];
    int count = 0;

    set_changes(b);
    for (int k = 0; k < b->shapes.first[b->shapes.rows]; k++) {
        const struct shape_group *group = &b->shapes.groups[k];
        double off = fmin(b->less[k], b->more[k]);
        double value = off * group->gpus *
                       (lambda[group->type] + b->pack->price[group->type] + 1e-3);
        int at = count < STRONG ? count : STRONG - 1;
        int middle = (int)floor(b->group[k] + 1e-9);
        if (middle < b->limits.low[k] || middle >= b->limits.high[k])
            continue;
        if (off <= 1e-6 || (count == STRONG && value <= worth[at]))
            continue;
        for (; at > 0 && worth[at - 1] < value; at--) {
            worth[at] = worth[at - 1];
            best[at] = best[at - 1];
        }
        worth[at] = value;
        best[at] = k;
        count += count < STRONG;
    }
    return count;
}

/* $ of the program when a group is within these. */
static double value_within(struct branch *b, int k, int low, int high)
{
    int was_low = b->low[k], was_high = b->high[k];
    double value;

    b->low[k] = low;
    b->high[k] = high;
    set_gains_of(b, b->shapes.groups[k].row);
    lp_solve(&b->lp, STRONG_STEPS);
    value = -lp_value(&b->lp);
    b->low[k] = was_low;
    b->high[k] = was_high;
    set_gains_of(b, b->shapes.groups[k].row);
    return value;
}

/* The group that raises the program most on both sides. */
static int pick_group(struct branch *b, double bound, const double *lambda)
{
    int groups[STRONG], count = likely_groups(b, lambda, groups), best = -1;
    double most = -1;

    for (int i = 0; i < count && count > 1; i++) {
        int k = groups[i], middle = (int)floor(b->group[k] + 1e-9);
        double less = value_within(b, k, b->limits.low[k], middle) - bound;
        double more = value_within(b, k, middle + 1, b->limits.high[k]) - bound;
        double goal = goal_of(b) - bound;
        double score =
            fmax(fmin(less, goal), 1e-6 * goal) * fmax(fmin(more, goal), 1e-6 * goal);
        if (score > most) {
            most = score;
            best = k;
        }
    }
    return count > 1 ? best : count == 1 ? groups[0] : -1;
}

/* A part that its own shapes cannot serve: the others cost still more. */
static bool go_further(struct branch *b)
{
    bool allowed = true;

    for (int i = 0; i < basic_count(b) && allowed; i++) {
        double level;
        const struct shape *shape = basic_shape(b, i, &level);
        allowed =
            !shape || level < SMALL ||
            shapes_allows(&b->shapes, (size_t)(shape - b->shapes.list), &b->limits);
    }
    if (allowed || b->far >= MOST_FAR * b->worst)
        return false;
    b->far *= FURTHER;
    set_gains(b);
    return true;
}

/* Solves the program of the part at hand: its bound rises, a plan may be found. The
 * group to divide it by; -1: none. */
static int raise_part(struct branch *b, double *bound)
{
    double limit[PACK_MOST_LIMITS], lambda[POOL_MOST_TYPES];

    b->far = b->worst;
    set_gains(b);
    for (int i = 0; i < ROUNDS && !is_over(b); i++) {
        bool ok = lp_solve(&b->lp, LP_STEPS);
        if ((!price_all(b, bound) && !go_further(b)) || !ok || *bound >= goal_of(b))
            break;
    }
    if (*bound >= goal_of(b))
        return -1;
    prices(b, limit, lambda);
    set_mean(b);
    round_plan(b, lambda);
    return pick_group(b, *bound, lambda);
}

static void part_free(struct part *part)
{
    free(part->low);
    free(part->high);
}

/* A copy of a part with other limits of one group, or of none. */
static void add_part(struct branch *b, const struct part *from, int group, int low,
                     int high)
{
    struct part *part = &b->parts[b->part_count++];
    size_t size = sizeof(*part->low) * ((size_t)b->shapes.first[b->shapes.rows] + 1);

    *part = (struct part){from->bound, gp_malloc(size), gp_malloc(size)};
    memcpy(part->low, from->low, size);
    memcpy(part->high, from->high, size);
    if (group >= 0) {
        part->low[group] = low;
        part->high[group] = high;
    }
}

/* The last of those with the lowest bound. */
static int lowest_part(const struct branch *b)
{
    int lowest = b->part_count - 1;

    for (int i = lowest - 1; i >= 0; i--)
        if (b->parts[i].bound < b->parts[lowest].bound)
            lowest = i;
    return lowest;
}

/* Divides the lowest part, or closes it. */
static void divide_lowest(struct branch *b)
{
    int index = lowest_part(b), group, middle;
    struct part part = b->parts[index];

    b->limits = (struct shape_limits){part.low, part.high};
    b->low = part.low;
    b->high = part.high;
    group = raise_part(b, &part.bound);
    b->parts[index] = b->parts[--b->part_count];
    if (part.bound >= goal_of(b) || group < 0) {
        b->closed = fmin(b->closed, part.bound);
        part_free(&part);
        return;
    }
    middle = (int)floor(b->group[group] + 1e-9);
    add_part(b, &part, group, part.low[group], middle);
    add_part(b, &part, group, middle + 1, part.high[group]);
    part_free(&part);
}

/* The price of the plan that is given, when it fits. */
static double given_cost(struct branch *b)
{
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int w = 0; w < b->shapes.rows; w++) {
        int x[POOL_MOST_WAYS];
        size_t shape;
        for (int k = 0; k < shapes_ways(&b->shapes, w); k++)
            x[k] = b->pack->x[shapes_first_way(&b->shapes, w) + k];
        shape = shapes_add(&b->shapes, w, x, NULL);
        add_use(b, shape, use);
        cost += b->shapes.list[shape].cost;
    }
    add_columns(b);
    return cost + over_cost(b->pack, use);
}

static double lowest_bound(const struct branch *b)
{
    double bound = fmin(b->pack->cost, b->pack->goal);

    for (int i = 0; i < b->part_count; i++)
        bound = fmin(bound, b->parts[i].bound);
    return bound;
}

/* May some part hold a better plan? */
static bool is_open(const struct branch *b)
{
    return b->part_count > 0 && b->part_count < b->most_parts - 1 && !is_over(b) &&
           b->parts[lowest_part(b)].bound < goal_of(b);
}

/* One part, of all plans, that begins with the one that is given. */
static bool branch_init(struct branch *b, struct pack *pack)
{
    struct part all = {.bound = pack->bound};
    size_t groups, ways;
    bool ok;

    *b = (struct branch){.pack = pack, .grid = pack->grid, .closed = INFINITY};
    shapes_init(&b->shapes, pack);
    groups = (size_t)b->shapes.first[b->shapes.rows] + 1;
    ways = (size_t)b->shapes.ways + 1;
    b->most_parts =
        MOST_CELLS / groups < MOST_PARTS ? (int)(MOST_CELLS / groups) : MOST_PARTS;
    b->parts = gp_calloc(MOST_PARTS, sizeof(*b->parts));
    b->mean = gp_calloc(ways, sizeof(*b->mean));
    b->x = gp_calloc(ways, sizeof(*b->x));
    b->group = gp_calloc(groups, sizeof(*b->group));
    b->less = gp_calloc(groups, sizeof(*b->less));
    b->more = gp_calloc(groups, sizeof(*b->more));
    all.low = gp_calloc(groups, sizeof(*all.low));
    all.high = gp_calloc(groups, sizeof(*all.high));
    for (size_t k = 0; k < groups; k++)
        all.high[k] = POOL_MOST_GPUS;
    add_part(b, &all, -1, 0, 0);
    part_free(&all);
    b->limits = (struct shape_limits){b->parts[0].low, b->parts[0].high};
    ok = program_init(b);
    pack->cost = given_cost(b);
    return ok;
}

static void branch_fini(struct branch *b)
{
    while (b->part_count > 0)
        part_free(&b->parts[--b->part_count]);
    free(b->parts);
    free(b->mean);
    free(b->x);
    free(b->group);
    free(b->less);
    free(b->more);
    shapes_fini(&b->shapes);
    lp_fini(&b->lp);
}

void pack_solve(struct pack *pack)
{
    struct branch b;
    bool begun = branch_init(&b, pack);

    while (begun && is_open(&b))
        divide_lowest(&b);
    /* parts dearer than it were left */
    pack->bound = fmax(pack->bound, fmin(lowest_bound(&b), b.closed));
    pack->bound = fmin(pack->bound, pack->cost);
    pack->work -= spent(&b) < pack->work ? spent(&b) : pack->work;
    branch_fini(&b);
}
