/*
 * pack.c - see pack.h.
 */
#include "core/pool/pack.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool/fixed.h"
#include "core/pool/lp.h"
#include "util/mem.h"

#define ROUNDS     60 /* of new covers in a part */
#define LP_STEPS   2000
#define COVER_WORK 12 /* units of a cover beside its nodes */
#define MOST_PARTS 1000
#define SMALL      1e-7

struct shape { /* a cover of one workload */
    int workload;
    double cost;
    size_t first; /* of its counts */
};

struct part { /* counts of the ways between these */
    double bound;
    short *least, *most;
};

struct branch {
    struct pack *pack;
    const struct grid *grid;
    int rows, ways; /* workloads and jobs; theirs */
    struct shape *shapes;
    size_t shape_count, shape_cap;
    short *counts;
    size_t count_count, count_cap;
    struct part *parts; /* still open */
    int part_count;
    const short *least, *most; /* [way] of the part at hand */
    short *x;                  /* [way] being rounded */
    double *mean;              /* [way] of the part's program */
    double over;               /* $ of what there is no more of */
    uint64_t spent;
};

/* The program of one part. */
struct program {
    struct lp lp;
    int *shape; /* [column] */
    size_t shape_cap;
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

/* Each GPU costs what one in stock does, and more beyond the stock. Spares are left out:
 * they only cost more. */
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
            add_limit(p, type->stock - type->spare, type->own_buy - type->own_stock)->per[g] = 1;
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

/* ---- covers ---- */

static bool is_job(const struct branch *b, int w)
{
    return w >= b->grid->workloads;
}

static int first_of(const struct branch *b, int w)
{
    const struct grid *grid = b->grid;

    return is_job(b, w) ? grid->first[grid->workloads] + w - grid->workloads : grid->first[w];
}

static int ways_of(const struct branch *b, int w)
{
    return is_job(b, w) ? 1 : b->grid->first[w + 1] - b->grid->first[w];
}

static double job_cost(const struct branch *b, int j, int workers)
{
    const struct pool_job *job = &b->grid->pool->jobs[j];
    double done = (double)workers * job->gpus * (job->end - job->first);

    return assign_job_cost(b->grid, j, fmin(done, job->gpu_hours));
}

static void count_use(const struct branch *b, int w, const short *counts, double *use)
{
    const struct grid *grid = b->grid;
    int own[POOL_MOST_TYPES] = {0};

    if (is_job(b, w)) {
        int j = w - grid->workloads, type = grid->pool->jobs[j].type;
        own[type] = grid_own_units(&grid->type[type], counts[0] * grid->job_seat[j]);
    } else if (b->pack->t == PACK_DAY) {
        assign_holding(grid, w, counts, own);
    } else {
        for (int k = 0; k < ways_of(b, w); k++) {
            int i = grid->first[w] + k;
            use[grid->ways[i].type] += counts[k] * grid_seat(grid, i);
        }
    }
    for (int g = 0; g < grid->types; g++)
        use[g] += own[g];
}

static double count_cost(const struct branch *b, int w, const short *counts)
{
    const struct grid *grid = b->grid;
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    if (is_job(b, w)) {
        cost = job_cost(b, w - grid->workloads, counts[0]);
    } else if (b->pack->t == PACK_DAY) {
        cost = fixed_cost(grid, w, counts);
    } else {
        cost = assign_serving(grid, w, b->pack->t, counts, NULL);
        for (int k = 0; k < ways_of(b, w); k++) {
            const struct way *way = &grid->ways[grid->first[w] + k];
            if (way->slice >= 0)
                cost += counts[k] * grid_seat(grid, grid->first[w] + k) *
                        grid->type[way->type].run;
        }
    }
    count_use(b, w, counts, use);
    for (int g = 0; g < grid->types; g++)
        cost += b->pack->price[g] * use[g];
    return cost;
}

static size_t add_shape(struct branch *b, int w, const int *x)
{
    int ways = ways_of(b, w);
    short counts[POOL_MOST_WAYS] = {0};
    struct shape shape = {.workload = w, .first = b->count_count};

    for (int k = 0; k < ways; k++)
        counts[k] = (short)x[k];
    shape.cost = count_cost(b, w, counts);
    b->counts = gp_grow(b->counts, &b->count_cap, b->count_count + (size_t)ways,
                        sizeof(*b->counts));
    memcpy(&b->counts[b->count_count], counts, sizeof(*counts) * (size_t)ways);
    b->count_count += (size_t)ways;
    b->shapes =
        gp_grow(b->shapes, &b->shape_cap, b->shape_count + 1, sizeof(*b->shapes));
    b->shapes[b->shape_count] = shape;
    return b->shape_count++;
}

static void shape_use(const struct branch *b, size_t at, double *use)
{
    count_use(b, b->shapes[at].workload, &b->counts[b->shapes[at].first], use);
}

static bool shape_allowed(const struct branch *b, size_t at)
{
    const struct shape *s = &b->shapes[at];
    int first = first_of(b, s->workload);

    for (int k = 0; k < ways_of(b, s->workload); k++) {
        short x = b->counts[s->first + (size_t)k];
        if (x < b->least[first + k] || x > b->most[first + k])
            return false;
    }
    return true;
}

/* ---- the cheapest cover at prices each[g] of a GPU, within the part and room[g] ---- */

static double cheapest_hour(struct branch *b, int w, const double *each, const int *room,
                            int *x)
{
    struct cover_item items[POOL_MOST_WAYS];
    struct cover_ask ask;
    struct cover cover;
    int first = b->grid->first[w];

    assign_ask(b->grid, w, b->pack->t, each, items, &ask);
    for (int k = 0; k < ask.count && !room; k++) {
        items[k].least = b->least[first + k];
        items[k].most = b->most[first + k];
    }
    ask.room = room;
    ask.nodes = room ? 400 : 0;
    cover_solve(&ask, &cover);
    b->spent += (uint64_t)cover.nodes + COVER_WORK;
    memcpy(x, cover.x, sizeof(*x) * (size_t)ask.count);
    return cover.lower;
}

static double cheapest_job(struct branch *b, int w, const double *each, const int *room,
                           int *x)
{
    const struct grid *grid = b->grid;
    int j = w - grid->workloads, type = grid->pool->jobs[j].type, way = first_of(b, w);
    double best = INFINITY;

    *x = 0;
    for (int k = room ? 0 : b->least[way]; k <= grid->pool->jobs[j].most; k++) {
        int gpus = grid_own_units(&grid->type[type], k * grid->job_seat[j]);
        double cost = gpus * each[type] + job_cost(b, j, k);
        if ((room ? gpus > room[type] : k > b->most[way]) && k > 0)
            break;
        if (cost < best) {
            best = cost;
            *x = k;
        }
    }
    b->spent += (uint64_t)*x + 1;
    return best;
}

static double cheapest_day(struct branch *b, int w, const double *each, const int *room,
                           int *x)
{
    const struct grid *grid = b->grid;
    int first = grid->first[w];
    struct fixed_market market = {.gpus = INT_MAX, .watts = INFINITY};
    struct fixed fixed;

    for (int g = 0; g < grid->types; g++)
        market.type[g] = (struct fixed_price){
            .low = each[g],
            .high = each[g],
            .room = room ? room[g] : grid_room(&grid->type[g])};
    fixed_solve(grid, w, &market, room ? NULL : &b->least[first],
                room ? NULL : &b->most[first], room ? 20 : b->pack->leaves, &fixed);
    b->spent += (uint64_t)fixed.nodes;
    for (int k = 0; k < ways_of(b, w); k++)
        x[k] = fixed.held[k];
    return fixed.lower;
}

/* room: NULL: any, but within the part. Its cost with the GPUs, or less. */
static double cheapest(struct branch *b, int w, const double *lambda, const int *room, int *x)
{
    double each[POOL_MOST_TYPES];

    for (int g = 0; g < b->grid->types; g++)
        each[g] = lambda[g] + b->pack->price[g];
    if (is_job(b, w))
        return cheapest_job(b, w, each, room, x);
    return b->pack->t == PACK_DAY ? cheapest_day(b, w, each, room, x)
                                  : cheapest_hour(b, w, each, room, x);
}

/* ---- the program ---- */

static int add_column(struct branch *b, struct program *p, size_t shape)
{
    struct lp_entry entries[PACK_MOST_LIMITS + 1];
    const struct pack *pack = b->pack;
    double use[POOL_MOST_TYPES] = {0};
    int column;

    shape_use(b, shape, use);
    entries[0] = (struct lp_entry){b->shapes[shape].workload, 1};
    for (int r = 0; r < pack->limit_count; r++)
        entries[r + 1] =
            (struct lp_entry){b->rows + r, taken(&pack->limits[r], use, b->grid->types)};
    column = lp_add(&p->lp, -b->shapes[shape].cost, entries, pack->limit_count + 1);
    p->shape = gp_grow(p->shape, &p->shape_cap, (size_t)column + 1, sizeof(*p->shape));
    p->shape[column] = (int)shape;
    return column;
}

static double over_price(const struct branch *b, int r)
{
    double over = b->pack->limits[r].over;

    return isinf(over) ? b->over : over;
}

static int add_slack(struct branch *b, struct program *p, int r, double sign)
{
    struct lp_entry entry = {b->rows + r, sign};
    int column = lp_add(&p->lp, sign < 0 ? -over_price(b, r) : 0, &entry, 1);

    p->shape = gp_grow(p->shape, &p->shape_cap, (size_t)column + 1, sizeof(*p->shape));
    p->shape[column] = -1;
    return column;
}

/* Begins with as little of everything as the part allows. */
static bool program_init(struct branch *b, struct program *p)
{
    const struct pack *pack = b->pack;
    int rows = b->rows + pack->limit_count, x[POOL_MOST_WAYS];
    int *basis = gp_calloc((size_t)rows, sizeof(*basis));
    double use[POOL_MOST_TYPES] = {0};
    bool ok;

    *p = (struct program){0};
    lp_init(&p->lp, rows);
    for (int w = 0; w < b->rows; w++) {
        size_t shape;
        for (int k = 0; k < ways_of(b, w); k++)
            x[k] = b->least[first_of(b, w) + k];
        shape = add_shape(b, w, x);
        shape_use(b, shape, use);
        basis[w] = add_column(b, p, shape);
        p->lp.right[w] = 1;
    }
    for (int r = 0; r < pack->limit_count; r++) {
        int row = b->rows + r, slack = add_slack(b, p, r, 1), over = add_slack(b, p, r, -1);
        double room = pack->limits[r].room;
        p->lp.right[row] = room;
        basis[row] = taken(&pack->limits[r], use, b->grid->types) > room ? over : slack;
    }
    for (size_t s = 0; s + (size_t)b->rows < b->shape_count; s++)
        if (shape_allowed(b, s))
            add_column(b, p, s);
    ok = lp_begin(&p->lp, basis);
    free(basis);
    return ok;
}

static void program_fini(struct program *p)
{
    lp_fini(&p->lp);
    free(p->shape);
}

/* Prices of the limits, each within what it may be, and of a GPU of each type. */
static void prices(const struct branch *b, const struct program *p, double *limit,
                   double *lambda)
{
    memset(lambda, 0, sizeof(*lambda) * (size_t)b->grid->types);
    for (int r = 0; r < b->pack->limit_count; r++) {
        limit[r] = fmin(fmax(0, p->lp.price[b->rows + r]), b->pack->limits[r].over);
        for (int g = 0; g < b->grid->types; g++)
            lambda[g] += limit[r] * b->pack->limits[r].per[g];
    }
}

/* Adds the covers that the prices ask for; *bound: the value of the part there. */
static bool price_all(struct branch *b, struct program *p, double *bound)
{
    double limit[PACK_MOST_LIMITS], lambda[POOL_MOST_TYPES], sum = 0;
    bool more = false;

    prices(b, p, limit, lambda);
    for (int w = 0; w < b->rows; w++) {
        int x[POOL_MOST_WAYS];
        double cost = cheapest(b, w, lambda, NULL, x);
        sum += cost;
        if (cost < -p->lp.price[w] - SMALL * (1 + fabs(p->lp.price[w]))) {
            add_column(b, p, add_shape(b, w, x));
            more = true;
        }
    }
    for (int r = 0; r < b->pack->limit_count; r++)
        sum -= limit[r] * b->pack->limits[r].room;
    *bound = fmax(*bound, sum);
    return more;
}

/* ---- a plan from it ---- */

static void set_mean(struct branch *b, const struct program *p)
{
    memset(b->mean, 0, sizeof(*b->mean) * (size_t)b->ways);
    for (size_t j = 0; j < p->lp.column_count; j++) {
        double level = lp_level(&p->lp, (int)j);
        if (p->shape[j] < 0 || level <= 0)
            continue;
        const struct shape *s = &b->shapes[p->shape[j]];
        for (int k = 0; k < ways_of(b, s->workload); k++)
            b->mean[first_of(b, s->workload) + k] +=
                level * b->counts[s->first + (size_t)k];
    }
}

static bool is_whole(double x)
{
    return fabs(x - round(x)) < 1e-6;
}

/* The mean cover of a workload where that is whole: a cover costs no more than the mean
 * of those around it. Else the one with the largest part; *whole says which. */
static size_t likely_shape(struct branch *b, const struct program *p, int w,
                           bool *whole)
{
    int x[POOL_MOST_WAYS], best = -1;
    double most = -1;

    *whole = true;
    for (int k = 0; k < ways_of(b, w); k++) {
        x[k] = (int)round(b->mean[first_of(b, w) + k]);
        *whole = *whole && is_whole(b->mean[first_of(b, w) + k]);
    }
    if (*whole)
        return add_shape(b, w, x);
    for (size_t j = 0; j < p->lp.column_count; j++) {
        double level = lp_level(&p->lp, (int)j);
        if (p->shape[j] < 0 || b->shapes[p->shape[j]].workload != w || level <= most)
            continue;
        most = level;
        best = p->shape[j];
    }
    return (size_t)best;
}

/* Adds a cover of w to the plan, if need be another one within what is left. */
static double place_shape(struct branch *b, int w, size_t shape, const double *lambda,
                          double *use)
{
    double with[POOL_MOST_TYPES];

    memcpy(with, use, sizeof(with));
    shape_use(b, shape, with);
    if (isinf(over_cost(b->pack, with))) {
        int room[POOL_MOST_TYPES], x[POOL_MOST_WAYS];
        room_beside(b->pack, use, room);
        cheapest(b, w, lambda, room, x);
        shape = add_shape(b, w, x);
        memcpy(with, use, sizeof(with));
        shape_use(b, shape, with);
    }
    memcpy(use, with, sizeof(with));
    memcpy(&b->x[first_of(b, w)], &b->counts[b->shapes[shape].first],
           sizeof(*b->x) * (size_t)ways_of(b, w));
    return b->shapes[shape].cost;
}

/* Takes what is whole as it is, and serves the others in what room is left. */
static void round_plan(struct branch *b, struct program *p, const double *lambda)
{
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int pass = 0; pass < 2; pass++)
        for (int w = 0; w < b->rows; w++) {
            bool whole;
            size_t shape = likely_shape(b, p, w, &whole);
            if (whole == (pass == 0))
                cost += place_shape(b, w, shape, lambda, use);
        }
    cost += over_cost(b->pack, use);
    if (cost >= b->pack->cost)
        return;
    b->pack->cost = cost;
    memcpy(b->pack->x, b->x, sizeof(*b->x) * (size_t)b->ways);
}

/* ---- parts ---- */

static int type_of(const struct branch *b, int way)
{
    int ways = b->grid->first[b->grid->workloads];

    return way < ways ? b->grid->ways[way].type : b->grid->pool->jobs[way - ways].type;
}

static double seat_of(const struct branch *b, int way)
{
    int ways = b->grid->first[b->grid->workloads];

    return way < ways ? grid_seat(b->grid, way) : b->grid->job_seat[way - ways];
}

/* The way whose mean count is furthest from whole, in dollars. */
static int pick_way(const struct branch *b, const double *lambda)
{
    double most = 0;
    int best = -1;

    for (int i = 0; i < b->ways; i++) {
        double off = b->mean[i] - floor(b->mean[i]);
        int g = type_of(b, i);
        double worth = fmin(off, 1 - off) * seat_of(b, i) *
                       (lambda[g] + b->pack->price[g] + 1e-3);
        if (!is_whole(b->mean[i]) && worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

static double goal_of(const struct branch *b)
{
    return fmin(b->pack->cost, b->pack->goal) * (1 - 1e-12);
}

static bool is_over(const struct branch *b)
{
    const struct pack *pack = b->pack;

    return b->spent >= pack->work || (pack->stop && pack->stop(pack->ctx));
}

/* Solves the program of the part at hand: its bound rises, a plan may be found. The way
 * to divide it by; -1: none. */
static int raise_part(struct branch *b, double *bound)
{
    double limit[PACK_MOST_LIMITS], lambda[POOL_MOST_TYPES];
    struct program p;
    int way = -1;

    if (!program_init(b, &p)) {
        program_fini(&p);
        return -1;
    }
    for (int i = 0; i < ROUNDS && !is_over(b); i++) {
        bool ok = lp_solve(&p.lp, LP_STEPS);
        b->spent += p.lp.work;
        p.lp.work = 0;
        if (!price_all(b, &p, bound) || !ok || *bound >= goal_of(b))
            break;
    }
    if (*bound < goal_of(b)) {
        prices(b, &p, limit, lambda);
        set_mean(b, &p);
        round_plan(b, &p, lambda);
        way = pick_way(b, lambda);
    }
    program_fini(&p);
    return way;
}

static void part_free(struct part *part)
{
    free(part->least);
    free(part->most);
}

/* A copy of a part with another least or most of one way, or of none. */
static void add_part(struct branch *b, const struct part *from, int way, int least, int most)
{
    struct part *part = &b->parts[b->part_count++];
    size_t size = sizeof(*part->least) * ((size_t)b->ways + 1);

    *part = (struct part){from->bound, gp_malloc(size), gp_malloc(size)};
    memcpy(part->least, from->least, size);
    memcpy(part->most, from->most, size);
    if (way >= 0) {
        part->least[way] = (short)least;
        part->most[way] = (short)most;
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

/* Divides the lowest part; false: it can't be, and stays. */
static bool divide_lowest(struct branch *b)
{
    int index = lowest_part(b), way, middle;
    struct part part = b->parts[index];

    b->least = part.least;
    b->most = part.most;
    way = raise_part(b, &part.bound);
    b->parts[index].bound = part.bound;
    if (part.bound >= goal_of(b)) {
        b->parts[index] = b->parts[--b->part_count];
        part_free(&part);
        return true;
    }
    if (way < 0)
        return false;
    b->parts[index] = b->parts[--b->part_count];
    middle = (int)floor(b->mean[way]);
    add_part(b, &part, way, part.least[way], middle);
    add_part(b, &part, way, middle + 1, part.most[way]);
    part_free(&part);
    return true;
}

/* The price of the plan that is given, when it fits. */
static double given_cost(struct branch *b)
{
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int w = 0; w < b->rows; w++) {
        int x[POOL_MOST_WAYS];
        size_t shape;
        for (int k = 0; k < ways_of(b, w); k++)
            x[k] = b->pack->x[first_of(b, w) + k];
        shape = add_shape(b, w, x);
        shape_use(b, shape, use);
        cost += b->shapes[shape].cost;
    }
    return cost + over_cost(b->pack, use);
}

/* More than a GPU can be worth: all that is short when nothing runs. */
static double far_over(const struct branch *b)
{
    const struct grid *grid = b->grid;
    double sum = 1;

    for (int g = 0; g < grid->types; g++)
        sum += grid->type[g].own_buy + grid->type[g].run;
    for (int w = 0; w < b->rows; w++) {
        short nothing[POOL_MOST_WAYS] = {0};
        sum += count_cost(b, w, nothing);
    }
    return sum;
}

static double lowest_bound(const struct branch *b)
{
    double bound = fmin(b->pack->cost, b->pack->goal);

    for (int i = 0; i < b->part_count; i++)
        bound = fmin(bound, b->parts[i].bound);
    return bound;
}

void pack_solve(struct pack *pack)
{
    const struct grid *grid = pack->grid;
    struct branch b = {.pack = pack, .grid = grid, .rows = grid->workloads};
    struct part all = {.bound = pack->bound};

    b.rows += pack->t == PACK_DAY ? grid->jobs : 0;
    b.ways = grid->first[grid->workloads] + b.rows - grid->workloads;
    b.parts = gp_calloc(MOST_PARTS, sizeof(*b.parts));
    b.mean = gp_calloc((size_t)b.ways + 1, sizeof(*b.mean));
    b.x = gp_calloc((size_t)b.ways + 1, sizeof(*b.x));
    all.least = gp_calloc((size_t)b.ways + 1, sizeof(*all.least));
    all.most = gp_calloc((size_t)b.ways + 1, sizeof(*all.most));
    for (int i = 0; i < b.ways; i++)
        all.most[i] = POOL_MOST_REPLICAS;
    b.over = far_over(&b);
    pack->cost = given_cost(&b);
    add_part(&b, &all, -1, 0, 0);
    part_free(&all);
    while (b.part_count > 0 && b.part_count < MOST_PARTS - 1 && !is_over(&b) &&
           lowest_bound(&b) < goal_of(&b) && divide_lowest(&b))
        continue;
    pack->bound = fmax(pack->bound, lowest_bound(&b)); /* parts dearer than it were left */
    pack->bound = fmin(pack->bound, pack->cost);
    while (b.part_count > 0)
        part_free(&b.parts[--b.part_count]);
    free(b.parts);
    free(b.mean);
    free(b.x);
    free(b.shapes);
    free(b.counts);
    pack->work -= b.spent < pack->work ? b.spent : pack->work;
}
