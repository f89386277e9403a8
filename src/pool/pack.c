/*
 * pack.c - see pack.h.
 */
#include "pool/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/lp.h"
#include "pool/shape.h"

#define ROUNDS 60 /* of new covers in a part */
#define LP_STEPS 2000
#define MOST_PARTS 4096
#define MOST_SHAPES 2000 /* and more with many workloads; then it begins anew */
#define SHAPES_EACH 20
#define MOST_CELLS 4000000 /* groups of all parts */
#define STRONG 8           /* groups that a part is divided by on trial */
#define STRONG_STEPS 40    /* of the program, each time */
#define ROUND_EACH 4       /* looks at a part */
#define FURTHER 8          /* times as far, until nothing is used that isn't allowed */
#define MOST_FAR 1e6
#define SMALL 1e-7

struct part { /* groups between these */
    double bound;
    int *low, *high;
};

struct branch {
    struct pack *pack;
    const struct grid *grid;
    struct shapes shapes;
    struct lp lp;                        /* columns: those of the limits, then one for each shape */
    int slack[PACK_MOST_LIMITS], slacks; /* of the limits; how many with what is over */
    int *nothing;                        /* [row] column */
    double worst;                        /* $ when nothing runs, or more than a GPU can be worth */
    double far;                          /* $ on top for a shape that the part does not allow */
    struct part all, *parts;             /* still open */
    int part_count, most_parts;
    double closed;              /* the least bound of those that are not */
    struct shape_limits limits; /* of the part at hand */
    int *low, *high;            /* the same */
    uint64_t spent;             /* before this solve */
    unsigned looks;             /* at parts */
    short *x;                   /* [way] being rounded */
    double *mean;               /* [way] of the part's program */
    double *group;              /* [group] likewise */
    double *less, *more;        /* [group] of it that goes, or comes, on either side of a mean */
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
void pack_fleets(struct pack *p, bool spared)
{
    const struct grid *grid = p->grid;
    double slots = grid->slots, watts = grid->watts;
    struct pack_limit *limit;

    for (int g = 0; g < grid->types && spared; g++) {
        slots -= grid->type[g].spare * grid->type[g].slots;
        watts -= grid->type[g].spare * grid->type[g].watts;
    }
    p->limit_count = 0;
    for (int g = 0; g < grid->types; g++) {
        const struct grid_type *type = &grid->type[g];

        p->price[g] = type->stock > 0 ? type->own_stock : type->own_buy;
        add_limit(p, grid_room(type), INFINITY)->per[g] = 1;
        if (type->stock > 0 && type->own_buy > type->own_stock)
            add_limit(p, type->stock - type->spare, type->own_buy - type->own_stock)->per[g] = 1;
    }
    if (grid->slots > 0) {
        limit = add_limit(p, slots, INFINITY);
        for (int g = 0; g < grid->types; g++)
            limit->per[g] = grid->type[g].slots;
    }
    if (grid->watts > 0) {
        limit = add_limit(p, watts, INFINITY);
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
                most =
                    fmin(most, (limit->room - taken(limit, use, p->grid->types)) / limit->per[g]);
        }
        room[g] = most > 0 ? (int)(most + 1e-9) : 0;
    }
}

/* ---- the program ---- */

/* What a shape brings in the part at hand. */
static void set_gain(struct branch *b, size_t at)
{
    struct lp_column *column = &b->lp.columns[(size_t)b->slacks + at];

    column->closed = !shapes_allows(&b->shapes, at, &b->limits);
    column->gain = -b->shapes.list[at].cost - (column->closed ? b->far : 0);
}

/* Columns for the shapes that have none. */
static void add_columns(struct branch *b)
{
    struct lp_entry entries[PACK_MOST_LIMITS];
    const struct pack *pack = b->pack;

    for (size_t at = b->lp.column_count - (size_t)b->slacks; at < b->shapes.count; at++) {
        double use[POOL_MOST_TYPES] = {0};

        shapes_use(&b->shapes, at, use);
        for (int r = 0; r < pack->limit_count; r++)
            entries[r] = (struct lp_entry){r, taken(&pack->limits[r], use, b->grid->types)};
        lp_add(&b->lp, 0, b->shapes.list[at].workload, entries, pack->limit_count);
        set_gain(b, at);
    }
}

static void set_gains(struct branch *b)
{
    for (size_t at = 0; at < b->shapes.count; at++)
        set_gain(b, at);
}

/* Likewise, when the limits of one workload have changed. */
static void set_gains_of(struct branch *b, int row)
{
    for (int at = b->shapes.last[row]; at >= 0; at = b->shapes.list[at].before)
        set_gain(b, (size_t)at);
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
static void add_slacks(struct branch *b)
{
    for (int r = 0; r < b->pack->limit_count; r++) {
        double over = b->pack->limits[r].over;

        b->slack[r] = lp_add(&b->lp, 0, LP_FREE, &(struct lp_entry){r, 1}, 1);
        if (!isinf(over))
            lp_add(&b->lp, -over, LP_FREE, &(struct lp_entry){r, -1}, 1);
    }
    b->slacks = (int)b->lp.column_count;
}

static void program_init(struct branch *b)
{
    int x[POOL_MOST_WAYS] = {0};

    lp_init(&b->lp, b->pack->limit_count, b->shapes.rows);
    add_slacks(b);
    b->nothing = gp_calloc((size_t)b->shapes.rows + 1, sizeof(*b->nothing));
    b->worst = 1;
    for (int g = 0; g < b->grid->types; g++)
        b->worst += b->grid->type[g].own_buy + b->grid->type[g].run;
    for (int w = 0; w < b->shapes.rows; w++) {
        size_t at = shapes_add(&b->shapes, w, x, NULL);

        b->worst += b->shapes.list[at].cost;
        b->nothing[w] = b->slacks + (int)at;
    }
    add_columns(b);
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

/* Adds the covers that the prices ask for; true: some are new. *sum: the covers' least
 * cost at lambda, *room: what the limits are worth there. */
static bool price_all(struct branch *b, double *lambda, double *sum, double *room)
{
    double limit[PACK_MOST_LIMITS];
    size_t before = b->shapes.count;

    *sum = *room = 0;
    prices(b, limit, lambda);
    for (int w = 0; w < b->shapes.rows; w++) {
        int x[POOL_MOST_WAYS];
        double cost = shapes_cheapest(&b->shapes, w, lambda, &b->limits, NULL, x);
        double known = -b->lp.worth[w];

        *sum += cost;
        if (cost < known - SMALL * (1 + fabs(known)))
            shapes_add(&b->shapes, w, x, &b->limits);
    }
    add_columns(b);
    for (int r = 0; r < b->pack->limit_count; r++)
        *room += limit[r] * b->pack->limits[r].room;
    return b->shapes.count > before;
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
            b->mean[shapes_first_way(s, row) + k] += level * s->counts[shape->counts + (size_t)k];
        for (int k = s->first[row]; k < s->first[row + 1]; k++)
            b->group[k] += level * s->taken[shape->groups + (size_t)(k - s->first[row])];
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

/* Adds a cover of w to the plan, if need be another one within what is left. */
static double place_shape(struct branch *b, int w, size_t at, const double *lambda, double *use)
{
    double with[POOL_MOST_TYPES];
    const struct shape *shape;

    memcpy(with, use, sizeof(with));
    shapes_use(&b->shapes, at, with);
    if (isinf(over_cost(b->pack, with))) {
        int room[POOL_MOST_TYPES], x[POOL_MOST_WAYS];

        room_beside(b->pack, use, room);
        shapes_cheapest(&b->shapes, w, lambda, NULL, room, x);
        at = shapes_add(&b->shapes, w, x, NULL);
        memcpy(with, use, sizeof(with));
        shapes_use(&b->shapes, at, with);
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
    return b->shapes.spent + b->lp.work - b->spent;
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
        double value =
            off * group->gpus * (lambda[group->type] + b->pack->price[group->type] + 1e-3);
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
        double score = fmax(fmin(less, goal), 1e-6 * goal) * fmax(fmin(more, goal), 1e-6 * goal);

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

        allowed = !shape || level < SMALL ||
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
    bool round;
    int group;

    b->far = b->worst;
    set_gains(b);
    for (int i = 0; i < ROUNDS && !is_over(b); i++) {
        double sum, room;
        bool ok = lp_solve(&b->lp, LP_STEPS), more = price_all(b, lambda, &sum, &room);

        *bound = fmax(*bound, sum - room);
        if ((!more && !go_further(b)) || !ok || *bound >= goal_of(b))
            break;
    }
    if (*bound >= goal_of(b))
        return -1;
    prices(b, limit, lambda);
    set_mean(b);
    round = b->looks++ % ROUND_EACH == 0;
    if (round)
        round_plan(b, lambda);
    group = pick_group(b, *bound, lambda);
    if (group < 0 && !round) /* nothing is split */
        round_plan(b, lambda);
    return group;
}

static void part_free(struct part *part)
{
    free(part->low);
    free(part->high);
}

/* A copy of a part with other limits of one group, or of none. */
static void add_part(struct branch *b, const struct part *from, int group, int low, int high)
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
        shapes_use(&b->shapes, shape, use);
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

/* ---- from solve to solve ---- */

static struct branch *branch_new(struct pack *pack)
{
    struct branch *b = gp_calloc(1, sizeof(*b));
    size_t groups, ways;

    b->pack = pack;
    b->grid = pack->grid;
    shapes_init(&b->shapes, pack);
    groups = (size_t)b->shapes.first[b->shapes.rows] + 1;
    ways = (size_t)b->shapes.ways + 1;
    b->most_parts = MOST_CELLS / groups < MOST_PARTS ? (int)(MOST_CELLS / groups) : MOST_PARTS;
    b->parts = gp_calloc(MOST_PARTS, sizeof(*b->parts));
    b->mean = gp_calloc(ways, sizeof(*b->mean));
    b->x = gp_calloc(ways, sizeof(*b->x));
    b->group = gp_calloc(groups, sizeof(*b->group));
    b->less = gp_calloc(groups, sizeof(*b->less));
    b->more = gp_calloc(groups, sizeof(*b->more));
    b->all.low = gp_calloc(groups, sizeof(*b->all.low));
    b->all.high = gp_calloc(groups, sizeof(*b->all.high));
    for (size_t k = 0; k < groups; k++)
        b->all.high[k] = POOL_MOST_GPUS;
    b->limits = (struct shape_limits){b->all.low, b->all.high};
    program_init(b);
    return b;
}

static void close_parts(struct branch *b)
{
    while (b->part_count > 0)
        part_free(&b->parts[--b->part_count]);
}

void pack_fini(struct pack *pack)
{
    struct branch *b = pack->branch;

    if (!b)
        return;
    close_parts(b);
    part_free(&b->all);
    free(b->nothing);
    free(b->parts);
    free(b->mean);
    free(b->x);
    free(b->group);
    free(b->less);
    free(b->more);
    shapes_fini(&b->shapes);
    lp_fini(&b->lp);
    free(b);
    pack->branch = NULL;
}

/* One part, of all plans, and nothing of everything where the program begins. */
static struct branch *begin(struct pack *pack)
{
    struct branch *b = pack->branch;

    if (b && b->shapes.count > (size_t)(MOST_SHAPES + SHAPES_EACH * b->shapes.rows))
        pack_fini(pack);
    b = pack->branch = pack->branch ? pack->branch : branch_new(pack);
    close_parts(b);
    b->closed = INFINITY;
    b->all.bound = pack->bound;
    b->limits = (struct shape_limits){b->all.low, b->all.high};
    b->far = b->worst;
    b->spent = b->shapes.spent + b->lp.work;
    for (int r = 0; r < pack->limit_count; r++)
        b->lp.right[r] = pack->limits[r].room;
    set_gains(b);
    lp_begin(&b->lp, b->slack, b->nothing);
    return b;
}

static void end(struct branch *b)
{
    struct pack *pack = b->pack;

    pack->work -= spent(b) < pack->work ? spent(b) : pack->work;
}

void pack_solve(struct pack *pack)
{
    struct branch *b = begin(pack);

    add_part(b, &b->all, -1, 0, 0);
    pack->cost = given_cost(b);
    while (is_open(b))
        divide_lowest(b);
    /* parts dearer than it were left */
    pack->bound = fmax(pack->bound, fmin(lowest_bound(b), b->closed));
    pack->bound = fmin(pack->bound, pack->cost);
    close_parts(b); /* of many hours that are kept they would add up */
    end(b);
}

double pack_prices(struct pack *pack, double *lambda, double *value)
{
    struct branch *b = begin(pack);
    double best = -INFINITY, trial[POOL_MOST_TYPES];
    bool more = true;

    for (int i = 0; i < ROUNDS && more && !is_over(b); i++) {
        double sum, room;

        more = lp_solve(&b->lp, LP_STEPS);
        more = price_all(b, trial, &sum, &room) && more;
        if (sum - room <= best)
            continue;
        best = sum - room;
        *value = sum;
        memcpy(lambda, trial, sizeof(*lambda) * (size_t)b->grid->types);
    }
    end(b);
    return best;
}
