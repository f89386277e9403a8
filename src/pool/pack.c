/*
 * pack.c - see bound.h.
 */
#include "pool/bound.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/lp.h"

/* ---- patterns: covers as columns of the program, each once, with what it takes ----
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

struct pattern {
    int workload;
    int before;            /* the last one of the workload before it; -1: none */
    double cost;           /* $ at the prices of the pack */
    size_t counts, groups; /* places in patterns.counts and .taken */
};

struct pattern_group {
    int row, type;
    double gpus; /* for one of it */
};

struct patterns {
    struct arrays arrays; /* first, group and last */
    const struct pack *pack;
    const struct grid *grid;
    int rows, ways; /* workloads, of a day and jobs; theirs */
    int *first;     /* [rows + 1] of the groups */
    int *group;     /* [way] of an hour, among those of its workload */
    struct pattern_group *groups;
    struct pattern *list;
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

struct pattern_limits { /* [all groups] */
    const int *low, *high;
};

#define COVER_WORK 12 /* units of a cover beside its nodes */
#define ROOM_NODES 400
#define ROOM_LEAVES 20

static bool is_job(const struct patterns *s, int row)
{
    return row >= s->grid->workloads;
}

static int patterns_first_way(const struct patterns *s, int row)
{
    const struct grid *grid = s->grid;

    return is_job(s, row) ? grid->first[grid->workloads] + row - grid->workloads : grid->first[row];
}

static int patterns_ways(const struct patterns *s, int row)
{
    return is_job(s, row) ? 1 : s->grid->first[row + 1] - s->grid->first[row];
}

/* ---- groups ---- */

static void patterns_init(struct patterns *s, const struct pack *pack)
{
    const struct grid *grid = pack->grid;
    bool day = pack->t == PACK_DAY;
    size_t cap = 0;

    *s = (struct patterns){
        .pack = pack, .grid = grid, .rows = grid->workloads + (day ? grid->jobs : 0)};
    s->ways = grid->first[grid->workloads] + s->rows - grid->workloads;
    s->first = arrays_add(&s->arrays, (size_t)s->rows + 1, sizeof(*s->first));
    s->group = arrays_add(&s->arrays, (size_t)s->ways + 1, sizeof(*s->group));
    s->last = arrays_add(&s->arrays, (size_t)s->rows + 1, sizeof(*s->last));
    for (int row = 0; row < s->rows; row++) {
        int at = s->first[row], count = 0, first = day ? 0 : grid->first[row];
        struct pattern_group *groups;

        s->last[row] = -1;
        s->groups = gp_grow(s->groups, &cap, (size_t)at + POOL_MOST_WAYS, sizeof(*s->groups));
        groups = &s->groups[at];
        if (is_job(s, row)) {
            int type = grid->pool->jobs[row - grid->workloads].type;

            groups[count++] = (struct pattern_group){row, type, 1};
        }
        for (int g = 0; g < grid->types && day && !is_job(s, row); g++)
            groups[count++] = (struct pattern_group){row, g, 1};
        for (int i = first; !day && i < grid->first[row + 1]; i++) { /* a type, or a slice of it */
            const struct way *way = &grid->ways[i];
            int like = first;

            while (grid->ways[like].type != way->type || grid->ways[like].slice != way->slice)
                like++;
            s->group[i] = like < i ? s->group[like] : count;
            if (like == i)
                groups[count++] = (struct pattern_group){row, way->type,
                                                         way->slice >= 0 ? grid_seat(grid, i) : 1};
        }
        s->first[row + 1] = at + count;
    }
}

static int job_units(const struct patterns *s, int row, int workers)
{
    int j = row - s->grid->workloads, type = s->grid->pool->jobs[j].type;

    return grid_own_units(&s->grid->type[type], workers * s->grid->job_seat[j]);
}

/* ---- cost ---- */

static double job_cost(const struct patterns *s, int j, int workers)
{
    const struct pool_job *job = &s->grid->pool->jobs[j];
    double done = (double)workers * job->gpus * (job->end - job->first);

    return assign_job_cost(s->grid, j, fmin(done, job->gpu_hours));
}

/* $ of serving, GPUs aside. */
static double serving_cost(const struct patterns *s, int row, const short *counts)
{
    const struct grid *grid = s->grid;
    double cost;

    if (is_job(s, row))
        return job_cost(s, row - grid->workloads, counts[0]);
    if (s->pack->t == PACK_DAY)
        return fixed_cost(grid, row, counts);
    cost = assign_serving(grid, row, s->pack->t, counts, NULL);
    for (int k = 0; k < patterns_ways(s, row); k++) {
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

static void grow_table(struct patterns *s)
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
        const struct pattern *pattern = &s->list[at];
        int row = pattern->workload;
        size_t place = hash_of(row, &s->counts[pattern->counts], patterns_ways(s, row),
                               &s->taken[pattern->groups], s->first[row + 1] - s->first[row]) &
                       (size - 1);

        while (s->table[place] >= 0)
            place = (place + 1) & (size - 1);
        s->table[place] = (int)at;
    }
}

/* The pattern of these counts, charged for `low` at least (NULL: what it takes); its place in the
 * list. */
static size_t patterns_add(struct patterns *s, int row, const short *counts,
                           const struct pattern_limits *limits)
{
    int taken[POOL_MOST_WAYS], first = s->first[row], ways = patterns_ways(s, row);
    size_t groups = (size_t)(s->first[row + 1] - first), n = (size_t)ways, place;
    struct pattern pattern = {.workload = row,
                              .before = s->last[row],
                              .counts = s->count_count,
                              .groups = s->taken_count};

    const struct grid *grid = s->grid;

    if (is_job(s, row)) {
        taken[0] = job_units(s, row, counts[0]);
    } else if (s->pack->t == PACK_DAY) {
        assign_holding(grid, row, counts, taken);
    } else {
        memset(taken, 0, sizeof(*taken) * (size_t)(s->first[row + 1] - s->first[row]));
        for (int k = 0; k < patterns_ways(s, row); k++) {
            const struct way *way = &grid->ways[grid->first[row] + k];

            taken[s->group[grid->first[row] + k]] += counts[k] * (way->slice >= 0 ? 1 : way->seat);
        }
    }
    for (size_t i = 0; i < groups && limits; i++) {
        int low = limits->low[(size_t)first + i];

        taken[i] = taken[i] > low ? taken[i] : low;
    }
    grow_table(s);
    place = hash_of(row, counts, ways, taken, (int)groups) & (s->table_size - 1);
    for (; s->table[place] >= 0; place = (place + 1) & (s->table_size - 1)) {
        const struct pattern *other = &s->list[s->table[place]];

        if (other->workload == row &&
            memcmp(&s->counts[other->counts], counts, sizeof(*counts) * n) == 0 &&
            memcmp(&s->taken[other->groups], taken, sizeof(*taken) * groups) == 0)
            return (size_t)s->table[place];
    }
    s->table[place] = (int)s->count;
    /* one more: a list of nothing is none, and a workload may have no way */
    s->counts = gp_grow(s->counts, &s->count_cap, s->count_count + n + 1, sizeof(*s->counts));
    memcpy(&s->counts[s->count_count], counts, sizeof(*counts) * n);
    s->count_count += n;
    s->taken = gp_grow(s->taken, &s->taken_cap, s->taken_count + groups + 1, sizeof(*s->taken));
    memcpy(&s->taken[s->taken_count], taken, sizeof(*taken) * groups);
    s->taken_count += groups;
    pattern.cost = serving_cost(s, row, counts);
    for (size_t i = 0; i < groups; i++) {
        const struct pattern_group *group = &s->groups[(size_t)first + i];

        pattern.cost += s->pack->price[group->type] * group->gpus * taken[i];
    }
    s->list = gp_grow(s->list, &s->cap, s->count + 1, sizeof(*s->list));
    s->last[row] = (int)s->count;
    s->list[s->count] = pattern;
    return s->count++;
}

static void patterns_use(const struct patterns *s, size_t at, double *use)
{
    const struct pattern *pattern = &s->list[at];
    int first = s->first[pattern->workload];

    for (int i = first; i < s->first[pattern->workload + 1]; i++)
        use[s->groups[i].type] +=
            s->groups[i].gpus * s->taken[pattern->groups + (size_t)(i - first)];
}

static bool patterns_allows(const struct patterns *s, size_t at,
                            const struct pattern_limits *limits)
{
    const struct pattern *pattern = &s->list[at];
    int first = s->first[pattern->workload];

    for (int i = 0; i < s->first[pattern->workload + 1] - first; i++) {
        int taken = s->taken[pattern->groups + (size_t)i];

        if (taken < limits->low[first + i] || taken > limits->high[first + i])
            return false;
    }
    return true;
}

/* ---- the cheapest ---- */

static bool has_limits(const struct patterns *s, int row, const struct pattern_limits *limits)
{
    for (int i = s->first[row]; i < s->first[row + 1] && limits; i++)
        if (limits->low[i] > 0 || limits->high[i] < POOL_MOST_GPUS)
            return true;
    return false;
}

static double cheapest_hour(struct patterns *s, int row, const double *each,
                            const struct pattern_limits *limits, const int *room, short *x)
{
    struct cover_item items[POOL_MOST_WAYS];
    double worth[POOL_MOST_WAYS];
    struct cover_request ask;
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
            const struct pattern_group *group = &s->groups[s->first[row] + i];

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

static double cheapest_job(struct patterns *s, int row, const double *each,
                           const struct pattern_limits *limits, const int *room, short *x)
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
            *x = (short)k;
        }
    }
    s->spent += (uint64_t)*x + 1;
    return best;
}

static double cheapest_day(struct patterns *s, int row, const double *each,
                           const struct pattern_limits *limits, const int *room, short *x)
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
    memcpy(x, fixed.held, ways_size(grid, row));
    return fixed.lower;
}

static double patterns_cheapest(struct patterns *s, int row, const double *lambda,
                                const struct pattern_limits *limits, const int *room, short *x)
{
    double each[POOL_MOST_TYPES];

    for (int g = 0; g < s->grid->types; g++)
        each[g] = lambda[g] + s->pack->price[g];
    if (is_job(s, row))
        return cheapest_job(s, row, each, limits, room, x);
    return s->pack->t == PACK_DAY ? cheapest_day(s, row, each, limits, room, x)
                                  : cheapest_hour(s, row, each, limits, room, x);
}

/* ---- the program and its parts ---- */

#define ROUNDS 60 /* of new covers in a part */
#define LP_STEPS 2000
#define MOST_PARTS 4096
#define MOST_PATTERNS 2000 /* and more with many workloads; then it begins anew */
#define PATTERNS_EACH 20
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
    struct arrays arrays;
    struct pack *pack;
    const struct grid *grid;
    struct patterns patterns;
    struct lp lp; /* columns: those of the limits, then one for each pattern */
    int slack[PACK_MOST_LIMITS], slacks; /* of the limits; how many with what is over */
    int *nothing;                        /* [row] column */
    double worst;                        /* $ when nothing runs, or more than a GPU can be worth */
    double far;                          /* $ on top for a pattern that the part does not allow */
    struct part all, *parts;             /* still open */
    int part_count, most_parts;
    double closed;                /* the least bound of those that are not */
    struct pattern_limits limits; /* of the part at hand */
    int *low, *high;              /* the same */
    uint64_t spent;               /* before this solve */
    unsigned looks;               /* at parts */
    short *x;                     /* [way] being rounded */
    double *mean;                 /* [way] of the part's program */
    double *group;                /* [group] likewise */
    double *less, *more;          /* [group] of it that goes, or comes, on either side of a mean */
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

static double limit_use(const struct pack_limit *limit, const double *use, int types)
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
        double over = limit_use(&p->limits[r], use, p->grid->types) - p->limits[r].room;

        sum += over > 1e-9 * (1 + p->limits[r].room) ? over * p->limits[r].over : 0;
    }
    return sum;
}

/* ---- the program ---- */

/* What a pattern brings in the part at hand. */
static void set_gain(struct branch *b, size_t at)
{
    struct lp_column *column = &b->lp.columns[(size_t)b->slacks + at];

    column->closed = !patterns_allows(&b->patterns, at, &b->limits);
    column->gain = -b->patterns.list[at].cost - (column->closed ? b->far : 0);
}

/* Columns for the patterns that have none. */
static void add_columns(struct branch *b)
{
    struct lp_entry entries[PACK_MOST_LIMITS];
    const struct pack *pack = b->pack;

    for (size_t at = b->lp.column_count - (size_t)b->slacks; at < b->patterns.count; at++) {
        double use[POOL_MOST_TYPES] = {0};

        patterns_use(&b->patterns, at, use);
        for (int r = 0; r < pack->limit_count; r++)
            entries[r] = (struct lp_entry){r, limit_use(&pack->limits[r], use, b->grid->types)};
        lp_add(&b->lp, 0, b->patterns.list[at].workload, entries, pack->limit_count);
        set_gain(b, at);
    }
}

static void set_gains(struct branch *b)
{
    for (size_t at = 0; at < b->patterns.count; at++)
        set_gain(b, at);
}

/* Likewise, when the limits of one workload have changed. */
static void set_gains_of(struct branch *b, int row)
{
    for (int at = b->patterns.last[row]; at >= 0; at = b->patterns.list[at].before)
        set_gain(b, (size_t)at);
}

/* The pattern of the i-th column that may be above 0, which is *level; NULL: it is a limit's. */
static const struct pattern *basic_pattern(const struct branch *b, int i, double *level)
{
    int column = lp_basic(&b->lp, i);

    *level = lp_level(&b->lp, column);
    return column < b->slacks ? NULL : &b->patterns.list[column - b->slacks];
}

static int basic_count(const struct branch *b)
{
    return b->lp.rows + b->lp.sets;
}

static void program_init(struct branch *b)
{
    short x[POOL_MOST_WAYS] = {0};

    lp_init(&b->lp, b->pack->limit_count, b->patterns.rows);
    for (int r = 0; r < b->pack->limit_count; r++) { /* room that is left, and what is over */
        double over = b->pack->limits[r].over;

        b->slack[r] = lp_add(&b->lp, 0, LP_FREE, &(struct lp_entry){r, 1}, 1);
        if (!isinf(over))
            lp_add(&b->lp, -over, LP_FREE, &(struct lp_entry){r, -1}, 1);
    }
    b->slacks = (int)b->lp.column_count;
    b->nothing = arrays_add(&b->arrays, (size_t)b->patterns.rows + 1, sizeof(*b->nothing));
    b->worst = 1;
    for (int g = 0; g < b->grid->types; g++)
        b->worst += b->grid->type[g].own_buy + b->grid->type[g].run;
    for (int w = 0; w < b->patterns.rows; w++) {
        size_t at = patterns_add(&b->patterns, w, x, NULL);

        b->worst += b->patterns.list[at].cost;
        b->nothing[w] = b->slacks + (int)at;
    }
    add_columns(b);
}

/* Prices of the limits, each within what it may be, and of a GPU of each type. */
static void limit_prices(const struct branch *b, double *limit, double *lambda)
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
    size_t before = b->patterns.count;

    *sum = *room = 0;
    limit_prices(b, limit, lambda);
    for (int w = 0; w < b->patterns.rows; w++) {
        short x[POOL_MOST_WAYS];
        double cost = patterns_cheapest(&b->patterns, w, lambda, &b->limits, NULL, x);
        double known = -b->lp.worth[w];

        *sum += cost;
        if (cost < known - SMALL * (1 + fabs(known)))
            patterns_add(&b->patterns, w, x, &b->limits);
    }
    add_columns(b);
    for (int r = 0; r < b->pack->limit_count; r++)
        *room += limit[r] * b->pack->limits[r].room;
    return b->patterns.count > before;
}

/* ---- a plan from it ---- */

/* The mean cover of a workload where that is whole: a cover costs no more than the mean
 * of those around it. Else the one with the largest part; *whole says which. */
static size_t likely_pattern(struct branch *b, int w, bool *whole)
{
    short x[POOL_MOST_WAYS];
    double most = -1;
    int best = -1;

    *whole = true;
    for (int k = 0; k < patterns_ways(&b->patterns, w); k++) {
        double mean = b->mean[patterns_first_way(&b->patterns, w) + k];

        x[k] = (short)round(mean);
        *whole = *whole && fabs(mean - round(mean)) < 1e-6;
    }
    if (*whole)
        return patterns_add(&b->patterns, w, x, NULL);
    for (int i = 0; i < basic_count(b); i++) {
        double level;
        const struct pattern *pattern = basic_pattern(b, i, &level);

        if (!pattern || pattern->workload != w || level <= most)
            continue;
        most = level;
        best = lp_basic(&b->lp, i) - b->slacks;
    }
    return (size_t)best;
}

/* Adds a cover of w to the plan, if need be another one within what is left. */
static double place_pattern(struct branch *b, int w, size_t at, const double *lambda, double *use)
{
    double with[POOL_MOST_TYPES];
    const struct pattern *pattern;

    memcpy(with, use, sizeof(with));
    patterns_use(&b->patterns, at, with);
    if (isinf(over_cost(b->pack, with))) {
        int room[POOL_MOST_TYPES];
        short x[POOL_MOST_WAYS];

        /* GPUs of each type that may still be taken beside use[g]. */
        for (int g = 0; g < b->pack->grid->types; g++) {
            double most = POOL_MOST_GPUS;

            for (int r = 0; r < b->pack->limit_count; r++) {
                const struct pack_limit *limit = &b->pack->limits[r];

                if (isinf(limit->over) && limit->per[g] > 0)
                    most = fmin(most, (limit->room - limit_use(limit, use, b->pack->grid->types)) /
                                          limit->per[g]);
            }
            room[g] = most > 0 ? (int)(most + 1e-9) : 0;
        }
        patterns_cheapest(&b->patterns, w, lambda, NULL, room, x);
        at = patterns_add(&b->patterns, w, x, NULL);
        memcpy(with, use, sizeof(with));
        patterns_use(&b->patterns, at, with);
    }
    memcpy(use, with, sizeof(with));
    pattern = &b->patterns.list[at];
    memcpy(&b->x[patterns_first_way(&b->patterns, w)], &b->patterns.counts[pattern->counts],
           sizeof(*b->x) * (size_t)patterns_ways(&b->patterns, w));
    return pattern->cost;
}

/* Takes what is whole as it is, and serves the others in what room is left. */
static void round_plan(struct branch *b, const double *lambda)
{
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int w = 0; w < b->patterns.rows; w++) {
            bool whole;
            size_t pattern = likely_pattern(b, w, &whole);

            if (whole == (pass == 0))
                cost += place_pattern(b, w, pattern, lambda, use);
        }
    add_columns(b);
    cost += over_cost(b->pack, use);
    if (cost >= b->pack->cost)
        return;
    b->pack->cost = cost;
    memcpy(b->pack->x, b->x, sizeof(*b->x) * (size_t)b->patterns.ways);
}

/* ---- parts ---- */

static double goal_of(const struct branch *b)
{
    return fmin(b->pack->cost, b->pack->goal) * (1 - 1e-12);
}

static uint64_t work_spent(const struct branch *b)
{
    return b->patterns.spent + b->lp.work - b->spent;
}

static bool is_over(const struct branch *b)
{
    const struct pack *pack = b->pack;

    return work_spent(b) >= pack->work || (pack->stop && pack->stop(pack->ctx));
}

/* The groups of which a bound on either side changes most, in dollars; how many. */
static int likely_groups(struct branch *b, const double *lambda, int *best)
{
    const struct patterns *s = &b->patterns;
    size_t size = sizeof(*b->less) * (size_t)s->first[s->rows];
    double worth[STRONG];
    int count = 0;

    memset(b->less, 0, size);
    memset(b->more, 0, size);
    for (int i = 0; i < basic_count(b); i++) {
        double level;
        const struct pattern *pattern = basic_pattern(b, i, &level);
        int row = pattern ? pattern->workload : 0;

        for (int k = s->first[row]; pattern && level > 0 && k < s->first[row + 1]; k++) {
            double middle = floor(b->group[k] + 1e-9);
            int n = s->taken[pattern->groups + (size_t)(k - s->first[row])];

            /* what goes, when the group is at most its mean, and comes, when it is one more */
            b->less[k] += level * fmax(0, n - middle);
            b->more[k] += level * fmax(0, middle + 1 - n);
        }
    }
    for (int k = 0; k < s->first[s->rows]; k++) {
        const struct pattern_group *group = &s->groups[k];
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
    set_gains_of(b, b->patterns.groups[k].row);
    lp_solve(&b->lp, STRONG_STEPS);
    value = -lp_value(&b->lp);
    b->low[k] = was_low;
    b->high[k] = was_high;
    set_gains_of(b, b->patterns.groups[k].row);
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

/* A part that its own patterns cannot serve: the others cost still more. */
static bool go_further(struct branch *b)
{
    bool allowed = true;

    for (int i = 0; i < basic_count(b) && allowed; i++) {
        double level;
        const struct pattern *pattern = basic_pattern(b, i, &level);

        allowed = !pattern || level < SMALL ||
                  patterns_allows(&b->patterns, (size_t)(pattern - b->patterns.list), &b->limits);
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
    limit_prices(b, limit, lambda);
    const struct patterns *s = &b->patterns;

    memset(b->mean, 0, sizeof(*b->mean) * (size_t)s->ways);
    memset(b->group, 0, sizeof(*b->group) * (size_t)s->first[s->rows]);
    for (int i = 0; i < basic_count(b); i++) {
        double level;
        const struct pattern *pattern = basic_pattern(b, i, &level);
        int row = pattern ? pattern->workload : 0;

        if (!pattern || level <= 0)
            continue;
        for (int k = 0; k < patterns_ways(s, row); k++)
            b->mean[patterns_first_way(s, row) + k] +=
                level * s->counts[pattern->counts + (size_t)k];
        for (int k = s->first[row]; k < s->first[row + 1]; k++)
            b->group[k] += level * s->taken[pattern->groups + (size_t)(k - s->first[row])];
    }
    round = b->looks++ % ROUND_EACH == 0;
    if (round)
        round_plan(b, lambda);
    group = pick_group(b, *bound, lambda);
    if (group < 0 && !round) /* nothing is split */
        round_plan(b, lambda);
    return group;
}

/* A copy of a part with other limits of one group, or of none. */
static void add_part(struct branch *b, const struct part *from, int group, int low, int high)
{
    struct part *part = &b->parts[b->part_count++];
    size_t groups = (size_t)b->patterns.first[b->patterns.rows] + 1;

    part->bound = from->bound;
    part->low = gp_malloc(2 * groups * sizeof(*part->low));
    part->high = part->low + groups;
    memcpy(part->low, from->low, groups * sizeof(*part->low));
    memcpy(part->high, from->high, groups * sizeof(*part->high));
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

    b->limits = (struct pattern_limits){part.low, part.high};
    b->low = part.low;
    b->high = part.high;
    group = raise_part(b, &part.bound);
    b->parts[index] = b->parts[--b->part_count];
    if (part.bound >= goal_of(b) || group < 0) {
        b->closed = fmin(b->closed, part.bound);
    } else {
        middle = (int)floor(b->group[group] + 1e-9);
        add_part(b, &part, group, part.low[group], middle);
        add_part(b, &part, group, middle + 1, part.high[group]);
    }
    free(part.low);
}

/* ---- from solve to solve ---- */

static struct branch *branch_new(struct pack *pack)
{
    struct branch *b = gp_calloc(1, sizeof(*b));
    size_t groups, ways;

    b->pack = pack;
    b->grid = pack->grid;
    patterns_init(&b->patterns, pack);
    groups = (size_t)b->patterns.first[b->patterns.rows] + 1;
    ways = (size_t)b->patterns.ways + 1;
    b->most_parts = MOST_CELLS / groups < MOST_PARTS ? (int)(MOST_CELLS / groups) : MOST_PARTS;
    b->parts = arrays_add(&b->arrays, MOST_PARTS, sizeof(*b->parts));
    b->mean = arrays_add(&b->arrays, ways, sizeof(*b->mean));
    b->x = arrays_add(&b->arrays, ways, sizeof(*b->x));
    b->group = arrays_add(&b->arrays, groups, sizeof(*b->group));
    b->less = arrays_add(&b->arrays, groups, sizeof(*b->less));
    b->more = arrays_add(&b->arrays, groups, sizeof(*b->more));
    b->all.low = arrays_add(&b->arrays, 2 * groups, sizeof(*b->all.low));
    b->all.high = b->all.low + groups;
    for (size_t k = 0; k < groups; k++)
        b->all.high[k] = POOL_MOST_GPUS;
    b->limits = (struct pattern_limits){b->all.low, b->all.high};
    program_init(b);
    return b;
}

static void close_parts(struct branch *b)
{
    while (b->part_count > 0)
        free(b->parts[--b->part_count].low);
}

void pack_fini(struct pack *pack)
{
    struct branch *b = pack->branch;

    if (!b)
        return;
    close_parts(b);
    arrays_free(&b->arrays);
    arrays_free(&b->patterns.arrays);
    free(b->patterns.groups);
    free(b->patterns.list);
    free(b->patterns.counts);
    free(b->patterns.taken);
    free(b->patterns.table);
    b->patterns = (struct patterns){0};
    lp_fini(&b->lp);
    free(b);
    pack->branch = NULL;
}

/* A program with one part, all plans, that begins where nothing runs. */
static struct branch *pack_begin(struct pack *pack)
{
    struct branch *b = pack->branch;

    if (b && b->patterns.count > (size_t)(MOST_PATTERNS + PATTERNS_EACH * b->patterns.rows))
        pack_fini(pack);
    b = pack->branch = pack->branch ? pack->branch : branch_new(pack);
    close_parts(b);
    b->closed = INFINITY;
    b->all.bound = pack->bound;
    b->limits = (struct pattern_limits){b->all.low, b->all.high};
    b->far = b->worst;
    b->spent = b->patterns.spent + b->lp.work;
    for (int r = 0; r < pack->limit_count; r++)
        b->lp.right[r] = pack->limits[r].room;
    set_gains(b);
    lp_begin(&b->lp, b->slack, b->nothing);
    return b;
}

static void spend_work(struct pack *pack)
{
    uint64_t spent = work_spent(pack->branch);

    pack->work -= spent < pack->work ? spent : pack->work;
}

void pack_solve(struct pack *pack)
{
    struct branch *b = pack_begin(pack);
    double lowest;

    add_part(b, &b->all, -1, 0, 0);
    /* The price of the plan that is given, when it fits. */
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int w = 0; w < b->patterns.rows; w++) {
        size_t pattern =
            patterns_add(&b->patterns, w, &b->pack->x[patterns_first_way(&b->patterns, w)], NULL);

        patterns_use(&b->patterns, pattern, use);
        cost += b->patterns.list[pattern].cost;
    }
    add_columns(b);
    pack->cost = cost + over_cost(b->pack, use);
    while (b->part_count > 0 && b->part_count < b->most_parts - 1 && !is_over(b) &&
           b->parts[lowest_part(b)].bound < goal_of(b))
        divide_lowest(b);
    /* parts dearer than the goal were left */
    lowest = fmin(fmin(pack->cost, pack->goal), b->closed);
    for (int i = 0; i < b->part_count; i++)
        lowest = fmin(lowest, b->parts[i].bound);
    pack->bound = fmin(fmax(pack->bound, lowest), pack->cost);
    close_parts(b); /* of many hours that are kept they would add up */
    spend_work(pack);
}

double pack_prices(struct pack *pack, double *lambda, double *value)
{
    struct branch *b = pack_begin(pack);
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
    spend_work(pack);
    return best;
}
