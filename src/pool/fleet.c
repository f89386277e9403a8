/*
 * fleet.c - see bound.h.
 */
#include "pool/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/lp.h"

#define MOST_PARTS 4096
#define MOST_KEPT 20000 /* workloads and hours of which covers are kept */
#define JOB_ROWS 200    /* of a program with jobs: those beyond, as in weeks, take free room */
#define ROUNDS 12
#define MOST_REST 5     /* 2^k rounds at most in which an hour that stands is left */
#define LEAST_RISE 1e-4 /* of the gap: what a plane must bring */
#define LP_STEPS 4000
#define PLANE_EFFORT 10000000 /* units on the prices of an hour */
#define FIRST_EFFORT 100000   /* units on an hour of a single fleet */
#define MORE_EFFORT 4         /* times as much when it is looked at again */
#define GROW_EFFORT 30000     /* on an hour of a fleet that is tried as too small */
#define GROW_TRIES 4          /* sizes of one type */
#define LEVEL 0.15            /* of the gap: what bound makes fleets too small */
#define TRADES 1000           /* of units, without a gain */
#define TRADE_SHARE 4         /* part of the work on them */

struct part {
    double bound;
    uint64_t effort; /* on a single fleet; 0: there are others in it */
    bool settled;    /* its largest fleets' hours are solved: no more is to be had there */
    int low[POOL_MOST_TYPES], high[POOL_MOST_TYPES];
    double floor[POOL_MOST_HOURS]; /* $ that the largest fleets of it cannot undercut */
};

struct plane { /* value(n) >= base - sum of lambda[g] room(n[g]) */
    int hour, column;
    double base;
    double lambda[POOL_MOST_TYPES];
};

struct trades {
    double total;               /* of the best plan that they begin with */
    int since;                  /* trades without a gain */
    int order[POOL_MOST_HOURS]; /* those that were too much before come first */
    uint64_t work;
};

struct master {
    struct arrays arrays;
    struct bound *b;
    const struct grid *grid;
    struct lp lp;
    struct plane *planes;
    size_t plane_count, plane_cap;
    int free_plane[POOL_MOST_HOURS];                 /* the one of GPUs that cost nothing */
    int low[POOL_MOST_TYPES], high[POOL_MOST_TYPES]; /* columns of the part's box */
    int caps[2];
    struct pack *hours; /* [hours] */
    bool keeps;         /* their covers from one look to the next */
    double gap;         /* $ between the part at hand and the best plan */
    double scale[POOL_MOST_TYPES];
    double n[POOL_MOST_TYPES], room[POOL_MOST_TYPES];
    struct fleet_search *search;
    uint64_t begun, until, random;
    struct trades trades;
    int idle[POOL_MOST_HOURS]; /* tries without a rise, one after the other */
    unsigned round;
    double level;                /* $ that a part's bound is raised to when its hours are served */
    double jobs;                 /* $ at least, whatever the fleets */
    int job_row[POOL_MOST_JOBS]; /* of its price; its hours' follow; -1: it has none */
    int free_price[POOL_MOST_HOURS][POOL_MOST_TYPES]; /* columns: what jobs pay for a GPU */
    struct part *parts;
    int count;
    short *x;       /* [way] of an hour */
    short *plan;    /* [grid_place() + way] */
    double *lambda; /* [hour x types + type] mixed of the planes */
};

bool fleet_takes(const struct grid *grid)
{
    for (int w = 0; w < grid->workloads; w++)
        if (grid->constant[w])
            return false;
    return true;
}

/* ---- rows, sets and columns: an hour is a set of planes, owning a type one of lines ---- */

static int hour_row(const struct master *m, int j, int t)
{
    return m->job_row[j] + 1 + t - m->grid->pool->jobs[j].first;
}

static bool has_hour(const struct master *m, int j, int g, int t)
{
    const struct pool_job *job = &m->grid->pool->jobs[j];

    return m->job_row[j] >= 0 && job->type == g && t >= job->first && t < job->end;
}

/* GPUs that a job takes for a GPU-hour of its work. */
static double job_ratio(const struct master *m, int j)
{
    return (double)m->grid->job_seat[j] / m->grid->pool->jobs[j].gpus;
}

/* What $1 for each GPU of type g in hour t does to the jobs that could have it. */
static int job_entries(const struct master *m, int t, int g, double price, struct lp_entry *entries)
{
    int n = 0;

    for (int j = 0; j < m->grid->jobs; j++)
        if (has_hour(m, j, g, t))
            entries[n++] =
                (struct lp_entry){hour_row(m, j, t), -price * job_ratio(m, j) / m->scale[g]};
    return n;
}

static void add_plane(struct master *m, int t, double base, const double *lambda)
{
    struct lp_entry entries[POOL_MOST_TYPES + POOL_MOST_JOBS];
    int n = m->grid->types;
    struct plane *plane;

    m->planes = gp_grow(m->planes, &m->plane_cap, m->plane_count + 1, sizeof(*m->planes));
    plane = &m->planes[m->plane_count++];
    plane->hour = t;
    plane->base = base;
    memcpy(plane->lambda, lambda, sizeof(*lambda) * (size_t)m->grid->types);
    for (int g = 0; g < m->grid->types; g++)
        entries[g] = (struct lp_entry){g, lambda[g] / m->scale[g]};
    for (int g = 0; g < m->grid->types; g++)
        n += job_entries(m, t, g, lambda[g], entries + n);
    plane->column = lp_add(&m->lp, base, t, entries, n);
}

/* ---- jobs: work y[t] in the hours, in the room that serving leaves ----
 *
 *   min sum of y[t] run + undone penalty    with  sum of y + undone = work
 *
 * and y[t] taken from the room of hour t. In the program they are prices: pi of the work,
 * at most the penalty; mu of the most workers; and for each hour
 * pi - mu - ratio (lambda[t] + free[t]) <= run. */

/* In the program's rows: pi of a job's work, then a row for each of its hours. */
static void add_job(struct master *m, int j, int *basis)
{
    const struct grid *grid = m->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    double run = grid->type[job->type].run, scale = m->scale[job->type];
    struct lp_entry price[POOL_MOST_HOURS + 1];
    int n = 0, row = m->job_row[j];

    basis[row] = lp_add(&m->lp, 0, LP_FREE, &(struct lp_entry){row, 1}, 1);
    m->lp.right[row] = grid->job_penalty[j] / scale;
    price[n++] = (struct lp_entry){row, 1 / scale};
    for (int t = job->first; t < job->end; t++) {
        int at = hour_row(m, j, t);

        basis[at] = lp_add(&m->lp, 0, LP_FREE, &(struct lp_entry){at, 1}, 1);
        m->lp.right[at] = run / scale;
        lp_add(&m->lp, -(double)job->most * job->gpus, LP_FREE, &(struct lp_entry){at, -1 / scale},
               1);
        price[n++] = (struct lp_entry){at, 1 / scale};
    }
    lp_add(&m->lp, job->gpu_hours, LP_FREE, price, n);
}

/* $ for a GPU of an hour beside what serving pays for it. */
static double free_price(const struct master *m, int t, int g)
{
    return m->free_price[t][g] >= 0 ? lp_level(&m->lp, m->free_price[t][g]) : 0;
}

static void master_init(struct master *m, struct bound *b)
{
    const struct grid *grid = b->grid;
    int basis[POOL_MOST_TYPES + JOB_ROWS], key[POOL_MOST_HOURS + POOL_MOST_TYPES];
    int rows = grid->types, ways = grid->first[grid->workloads] + 1;
    struct lp_entry entries[POOL_MOST_TYPES + POOL_MOST_JOBS];
    double none[POOL_MOST_TYPES] = {0};

    m->b = b;
    m->grid = grid;
    for (int j = 0; j < grid->jobs; j++) {
        int n = grid->pool->jobs[j].end - grid->pool->jobs[j].first + 1;
        bool fits = rows + n <= JOB_ROWS && grid->id != POOL_CLOUD; /* has room for all */

        m->job_row[j] = fits ? rows : -1;
        rows += fits ? n : 0;
    }
    lp_init(&m->lp, rows, grid->hours + grid->types);
    for (int g = 0; g < grid->types; g++)
        m->scale[g] = fmax(grid->type[g].own_buy, 1e-3);
    m->hours = arrays_add(&m->arrays, (size_t)grid->hours, sizeof(*m->hours));
    m->keeps = grid->workloads * grid->hours <= MOST_KEPT;
    for (int t = 0; t < grid->hours; t++) {
        m->hours[t] = (struct pack){.grid = grid, .t = t};
        add_plane(m, t, 0, none); /* serving costs no less */
        m->free_plane[t] = (int)m->plane_count - 1;
        key[t] = m->planes[m->plane_count - 1].column;
    }
    for (int g = 0; g < grid->types; g++) { /* owning: two lines, the first of those in stock */
        const struct grid_type *type = &grid->type[g];
        struct lp_entry stock = {g, -type->own_stock / m->scale[g]};
        struct lp_entry buy = {g, -type->own_buy / m->scale[g]};
        int set = grid->hours + g, lines[2];

        lines[0] = lp_add(&m->lp, 0, set, &stock, 1);
        lines[1] = lp_add(&m->lp, (type->own_stock - type->own_buy) * type->stock, set, &buy, 1);
        key[set] = lines[type->stock == 0];
        m->low[g] = lp_add(&m->lp, 0, LP_FREE, &(struct lp_entry){g, 1}, 1);
        m->high[g] = lp_add(&m->lp, 0, LP_FREE, &(struct lp_entry){g, -1}, 1);
        basis[g] = m->low[g];
    }
    for (int k = 0; k < 2; k++) {
        double cap = k ? grid->watts : grid->slots;

        for (int g = 0; g < grid->types; g++)
            entries[g] = (struct lp_entry){g, -(k ? grid->type[g].watts : grid->type[g].slots) /
                                                  m->scale[g]};
        m->caps[k] = cap > 0 ? lp_add(&m->lp, -cap, LP_FREE, entries, grid->types) : -1;
    }
    for (int t = 0; t < grid->hours; t++)
        for (int g = 0; g < grid->types; g++) {
            int n = job_entries(m, t, g, 1, entries + 1);

            entries[0] = (struct lp_entry){g, 1 / m->scale[g]};
            m->free_price[t][g] = n > 0 ? lp_add(&m->lp, 0, LP_FREE, entries, n + 1) : -1;
        }
    for (int j = 0; j < grid->jobs; j++) {
        const struct pool_job *job = &grid->pool->jobs[j];

        m->jobs += job->gpu_hours * fmin(grid->type[job->type].run, grid->job_penalty[j]);
        if (m->job_row[j] >= 0)
            add_job(m, j, basis);
    }
    lp_begin(&m->lp, basis, key);
    m->lambda = arrays_add(&m->arrays, grid_cells(grid), sizeof(*m->lambda));
    m->x = arrays_add(&m->arrays, (size_t)ways, sizeof(*m->x));
    m->plan = arrays_add(&m->arrays, (size_t)ways * (size_t)grid->hours, sizeof(*m->plan));
    m->parts = arrays_add(&m->arrays, MOST_PARTS, sizeof(*m->parts));
}

/* ---- a part ---- */

/* What the weights of the planes prove for this part. */
static double prove_bound(struct master *m, const struct part *part, double *lambda)
{
    const struct grid *grid = m->grid;
    double weight[POOL_MOST_HOURS] = {0}, sums[POOL_MOST_TYPES] = {0}, value = 0;

    for (size_t i = 0; i < m->plane_count; i++)
        weight[m->planes[i].hour] += lp_level(&m->lp, m->planes[i].column);
    memset(lambda, 0, sizeof(*lambda) * (size_t)(grid->hours * grid->types));
    for (size_t i = 0; i < m->plane_count; i++) {
        const struct plane *plane = &m->planes[i];
        double share = lp_level(&m->lp, plane->column) / weight[plane->hour];
        bool free = m->free_plane[plane->hour] == (int)i;

        value += share * (free ? fmax(plane->base, part->floor[plane->hour]) : plane->base);
        for (int g = 0; g < grid->types && share > 0; g++) {
            lambda[plane->hour * grid->types + g] += share * plane->lambda[g];
            sums[g] += share * plane->lambda[g];
        }
    }
    for (int t = 0; t < grid->hours; t++)
        for (int g = 0; g < grid->types; g++) {
            lambda[t * grid->types + g] += free_price(m, t, g);
            sums[g] += free_price(m, t, g);
        }
    for (int j = 0; j < grid->jobs; j++)
        value += bound_job(grid, j, lambda, NULL);
    double caps[2] = {0};
    for (int k = 0; k < 2; k++)
        caps[k] = m->caps[k] >= 0 ? lp_level(&m->lp, m->caps[k]) : 0;
    for (int g = 0; g < grid->types; g++)
        value += bound_fleet(&grid->type[g], part->low[g], part->high[g],
                             caps[0] * grid->type[g].slots + caps[1] * grid->type[g].watts, sums[g],
                             NULL);
    return value - caps[0] * grid->slots - caps[1] * grid->watts;
}

/* Hour t as a program, in room[g] GPUs. */
static struct pack *hour_in(struct master *m, int t, const double *room, uint64_t work)
{
    struct pack *pack = &m->hours[t];

    pack->work = work;
    pack_rooms(pack, room);
    return pack;
}

static void leave_hour(struct master *m, struct pack *pack, uint64_t work)
{
    m->b->work += work - pack->work;
    if (!m->keeps)
        pack_fini(pack);
}

/* A higher plane of hour t where the program stands; false: none is found. */
static bool raise_hour(struct master *m, int t, double *lambda)
{
    const struct grid *grid = m->grid;
    double known = m->lp.worth[t], room[POOL_MOST_TYPES], base, value;
    struct pack *pack;

    for (int g = 0; g < grid->types; g++) {
        double jobs = 0; /* GPUs that they take where the program stands */

        for (int j = 0; j < grid->jobs; j++)
            if (has_hour(m, j, g, t))
                jobs += m->lp.price[hour_row(m, j, t)] / m->scale[g] * job_ratio(m, j);
        room[g] = fmax(0, m->room[g] - jobs);
    }
    pack = hour_in(m, t, room, PLANE_EFFORT);
    value = pack_prices(pack, lambda, &base);
    leave_hour(m, pack, PLANE_EFFORT);
    if (value <= known + LEAST_RISE * m->gap) {
        m->idle[t]++;
        return false;
    }
    m->idle[t] = 0;
    add_plane(m, t, base, lambda);
    return true;
}

/* Solves the program for a part; false when that fails. */
static bool solve_part(struct master *m, struct part *part, double *lambda)
{
    bool ok;

    const struct grid *grid = m->grid;

    for (int g = 0; g < grid->types; g++) {
        m->lp.columns[m->low[g]].gain = part->low[g] * m->scale[g];
        m->lp.columns[m->high[g]].gain = -part->high[g] * m->scale[g];
    }
    for (size_t i = 0; i < m->plane_count; i++) {
        double gain = m->planes[i].base;

        for (int g = 0; g < grid->types; g++)
            gain += part->low[g] > 0 ? m->planes[i].lambda[g] * grid->type[g].spare : 0;
        m->lp.columns[m->planes[i].column].gain = gain;
    }
    for (int t = 0; t < grid->hours; t++) {
        double *gain = &m->lp.columns[m->planes[m->free_plane[t]].column].gain;

        *gain = fmax(*gain, part->floor[t]);
    }
    for (int t = 0; t < grid->hours; t++)
        for (int g = 0; g < grid->types; g++)
            if (m->free_price[t][g] >= 0)
                m->lp.columns[m->free_price[t][g]].gain =
                    part->low[g] > 0 ? grid->type[g].spare : 0;
    m->lp.work = 0;
    ok = lp_solve(&m->lp, LP_STEPS);
    m->b->work += m->lp.work + 1;
    if (!ok)
        return false;
    part->bound = fmax(part->bound, prove_bound(m, part, lambda));
    m->gap = m->search->upper - part->bound;
    for (int g = 0; g < m->grid->types; g++) {
        m->n[g] = m->lp.price[g] / m->scale[g];
        m->room[g] = m->n[g] - (part->low[g] > 0 ? m->grid->type[g].spare : 0);
    }
    return true;
}

static bool is_done(const struct master *m, const struct part *part)
{
    return part->bound >= m->search->upper * (1 - 1e-9) || m->b->work > m->until ||
           m->search->stop(m->search->ctx);
}

/* More planes until the part's bound stands or meets the upper one. */
static void raise_part(struct master *m, struct part *part)
{
    const struct grid *grid = m->grid;

    for (int round = 0; round < ROUNDS; round++, m->round++) {
        double before = part->bound;
        int raised = 0;

        if (!solve_part(m, part, m->lambda) || is_done(m, part) ||
            (round > 2 && part->bound - before < 1e-3 * m->gap))
            break;
        for (int t = 0; t < grid->hours && !is_done(m, part); t++) {
            unsigned rest = 1u << (m->idle[t] < MOST_REST ? m->idle[t] : MOST_REST);

            if ((m->round + (unsigned)t) % rest == 0)
                raised += raise_hour(m, t, &m->lambda[t * grid->types]);
        }
        if (raised == 0)
            break;
    }
}

/* ---- a single fleet ---- */

/* The hours, those whose GPUs are dearest first. */
static void order_hours(const struct master *m, int *order)
{
    double price[POOL_MOST_HOURS];

    for (int t = 0; t < m->grid->hours; t++) {
        int at = t;
        double sum = 0;

        for (int g = 0; g < m->grid->types; g++)
            sum += m->lambda[t * m->grid->types + g] * m->room[g];
        for (; at > 0 && price[at - 1] < sum; at--) {
            price[at] = price[at - 1];
            order[at] = order[at - 1];
        }
        price[at] = sum;
        order[at] = t;
    }
}

/* What the planes know of hour t with the whole room. */
static double known_of(const struct master *m, int t)
{
    double best = 0;

    for (size_t i = 0; i < m->plane_count; i++) {
        const struct plane *plane = &m->planes[i];
        double value = plane->base;

        for (int g = 0; g < m->grid->types; g++)
            value -= plane->lambda[g] * m->room[g];
        best = plane->hour == t ? fmax(best, value) : best;
    }
    return best;
}

/* Serves hour t of a part with its largest fleets; *bound follows what is proved. False:
 * the part seems to hold no better plan. */
static bool pack_one(struct master *m, struct part *part, int t, uint64_t work, double *bound,
                     double *cost)
{
    const struct grid *grid = m->grid;
    double known = fmax(known_of(m, t), part->floor[t]);
    struct pack *pack = hour_in(m, t, m->room, work);

    pack->goal = known + m->search->upper - *bound;
    pack->bound = known;
    pack->x = m->x;
    for (int w = 0; w < grid->workloads; w++)
        memcpy(&m->x[grid->first[w]], &m->search->x[grid_place(grid, w, t)], ways_size(grid, w));
    pack_solve(pack);
    part->floor[t] = pack->bound;
    *bound += pack->bound - known;
    *cost += pack->cost;
    part->settled = part->settled && pack->cost - pack->bound <= 1e-9 * (1 + pack->cost);
    for (int w = 0; w < grid->workloads; w++)
        memcpy(&m->plan[grid_place(grid, w, t)], &m->x[grid->first[w]], ways_size(grid, w));
    leave_hour(m, pack, work);
    return *bound < m->level * (1 - 1e-9);
}

/* Do the floors of a part prove less than what is wanted of it? */
static bool stays_low(struct master *m, struct part *part)
{
    solve_part(m, part, m->lambda);
    return part->bound < m->level * (1 - 1e-9);
}

static void set_room(struct master *m, const int *kept)
{
    for (int g = 0; g < m->grid->types; g++) {
        int spare = m->grid->type[g].spare;

        m->room[g] = kept[g] > spare ? kept[g] - spare : 0;
    }
}

/* The hours of a part are served one by one with its largest fleets, which raises its floors and
 * bound, and may give a plan. The hour that brings the bound to m->level; -1: none. */
static int serve_largest(struct master *m, struct part *part, uint64_t effort)
{
    const struct grid *grid = m->grid;
    double cost = m->jobs, bound;
    int order[POOL_MOST_HOURS], at = 0;
    bool go_on = true;

    if (!solve_part(m, part, m->lambda) || is_done(m, part))
        return -1;
    set_room(m, part->high);
    for (int g = 0; g < grid->types; g++)
        cost += bound_fleet(&grid->type[g], part->high[g], part->high[g], 0, 0, NULL);
    order_hours(m, order);
    bound = part->bound;
    part->settled = true;
    while (at < grid->hours && go_on && !is_done(m, part))
        go_on = pack_one(m, part, order[at++], effort, &bound, &cost);
    part->settled = part->settled && at == grid->hours;
    if (go_on && at == grid->hours && cost < m->search->upper)
        m->search->upper = fmin(m->search->upper, m->search->take(m->search->ctx, m->plan));
    return stays_low(m, part) || at == 0 ? -1 : order[at - 1];
}

static void keep_part(struct master *m, const struct part *part)
{
    if (part->bound < m->search->upper * (1 - 1e-9))
        m->parts[m->count++] = *part;
}

/* The type to divide by at n: furthest from whole, in dollars. */
static int pick_type(const struct master *m, const struct part *part, int *at)
{
    double most = 1e-6;
    int best = -1;

    for (int g = 0; g < m->grid->types; g++) {
        const struct grid_type *type = &m->grid->type[g];
        double units = m->n[g] / type->unit, off = units - floor(units + 1e-6);
        double worth = fmin(off, 1 - off) * type->unit * fmax(type->own_buy, 1e-6);

        if (part->low[g] < part->high[g] && off > 1e-6 && worth > most) {
            most = worth;
            best = g;
            *at = (int)floor(units + 1e-6);
        }
    }
    return best;
}

/* The part with the lowest bound, of single fleets or of the others; -1: none. */
static int lowest_part(const struct master *m, bool single)
{
    int lowest = -1;

    for (int i = 0; i < m->count; i++)
        if ((m->parts[i].effort > 0) == single && m->parts[i].bound < m->search->upper &&
            (lowest < 0 || m->parts[i].bound < m->parts[lowest].bound))
            lowest = i;
    return lowest;
}

static void divide_at(struct master *m, const struct part *part, int g, int low, int high)
{
    struct part half = *part;

    half.low[g] = low;
    half.high[g] = high;
    if (low > high || !grid_allows(m->grid, half.low))
        return; /* there are no fleets in it */
    raise_part(m, &half);
    keep_part(m, &half);
}

/* ---- fleets that are too small ---- */

/* What fleets n cannot serve, no smaller ones can. So where the part below n has a much higher
 * bound, n grows as far as that stays so. */
static void grow_small(struct master *m, const struct part *part, struct part *below, int t)
{
    for (int g = m->grid->types - 1; g >= 0; g--) {
        int unit = m->grid->type[g].unit, more = (part->high[g] - below->high[g]) / unit;

        for (int i = 0; i < GROW_TRIES && more > 0 && m->b->work < m->until; i++) {
            struct part larger = *part;

            memcpy(larger.high, below->high, sizeof(larger.high));
            larger.high[g] += more * unit;
            if (solve_part(m, &larger, m->lambda)) {
                double cost = 0, bound = larger.bound;

                set_room(m, larger.high);
                pack_one(m, &larger, t, GROW_EFFORT, &bound, &cost);
                if (!stays_low(m, &larger)) {
                    *below = larger;
                    break;
                }
            }
            more /= i == 0 && more > 8 ? 8 : 2;
        }
    }
}

/* Serves the hours with the whole fleets next to where the program of a part stands; true: they
 * are too small, and what is not below them is divided by the type that has more. */
static bool divide_small(struct master *m, struct part *part, const int *kept)
{
    struct part below = *part;
    int hour;
    bool small;

    memcpy(below.high, kept, sizeof(below.high));
    m->level = part->bound + LEVEL * (m->search->upper - part->bound);
    hour = serve_largest(m, &below, FIRST_EFFORT);
    small = hour >= 0 && !is_done(m, part);
    if (below.bound >= m->search->upper * (1 - 1e-9))
        m->level = m->search->upper; /* it is closed, and what it grows to shall be */
    if (small) {
        grow_small(m, part, &below, hour);
        for (int g = 0; g < m->grid->types; g++) {
            if (below.high[g] < part->high[g])
                divide_at(m, part, g, below.high[g] + m->grid->type[g].unit, part->high[g]);
            part->high[g] = below.high[g];
        }
        keep_part(m, &below);
    }
    m->level = m->search->upper;
    return small;
}

/* Divides the lowest part of several fleets: by one of them, or into the whole fleets that its
 * program points at and everything else. */
static void divide_part(struct master *m, int index)
{
    struct part part = m->parts[index];
    int at = 0, g, kept[POOL_MOST_TYPES] = {0};

    m->parts[index] = m->parts[--m->count];
    raise_part(m, &part);
    if (is_done(m, &part)) {
        keep_part(m, &part);
        return;
    }
    g = pick_type(m, &part, &at);
    for (int h = 0; h < m->grid->types; h++) {
        int unit = m->grid->type[h].unit, n = (int)ceil(m->n[h] / unit - 1e-6) * unit;

        kept[h] = n < part.low[h] ? part.low[h] : n > part.high[h] ? part.high[h] : n;
    }
    if (divide_small(m, &part, kept))
        return;
    if (g >= 0) {
        int unit = m->grid->type[g].unit;

        divide_at(m, &part, g, part.low[g], at * unit);
        divide_at(m, &part, g, (at + 1) * unit, part.high[g]);
        return;
    }
    for (int h = 0; h < m->grid->types; h++) {
        int unit = m->grid->type[h].unit;

        divide_at(m, &part, h, part.low[h], kept[h] - unit);
        divide_at(m, &part, h, kept[h] + unit, part.high[h]);
        part.low[h] = part.high[h] = kept[h];
    }
    if (!grid_allows(m->grid, kept))
        return;
    raise_part(m, &part);
    serve_largest(m, &part, FIRST_EFFORT);
    part.effort = FIRST_EFFORT * MORE_EFFORT;
    keep_part(m, &part);
}

/* ---- other fleets for the best plan ---- */

/* The fleets of the best plan; jobs aside. */
static void best_fleets(const struct master *m, int *n)
{
    const struct grid *grid = m->grid;

    memset(n, 0, sizeof(*n) * (size_t)grid->types);
    for (int t = 0; t < grid->hours; t++) {
        double use[POOL_MOST_TYPES] = {0};

        for (int w = 0; w < grid->workloads; w++)
            for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
                use[grid->ways[i].type] +=
                    m->search->x[grid_place(grid, w, t) + (size_t)(i - grid->first[w])] *
                    grid_seat(grid, i);
        for (int g = 0; g < grid->types; g++) {
            const struct grid_type *type = &grid->type[g];
            int most = (int)ceil(use[g] - 1e-9);
            int kept = most > 0 ? grid_units(type, most + type->spare) : 0;

            n[g] = kept > n[g] ? kept : n[g];
        }
    }
}

static unsigned random_below(struct master *m, unsigned n)
{
    return pool_random(&m->random, n);
}

static double own_all(const struct master *m, const int *n)
{
    double sum = 0;

    for (int g = 0; g < m->grid->types; g++)
        sum += bound_fleet(&m->grid->type[g], n[g], n[g], 0, 0, NULL);
    return sum;
}

/* Fleets that cost a little less than those: units of one or two types for some of others, as
 * long as n costs less than `limit`, most of them or all. */
static bool trade_units(struct master *m, int *n, double limit)
{
    const struct grid *grid = m->grid;
    unsigned types = (unsigned)grid->types;

    for (unsigned k = 1 + random_below(m, 2); k > 0; k--) {
        int g = (int)random_below(m, types), unit = grid->type[g].unit;
        int less = 1 + (int)random_below(m, 1u << random_below(m, 5));

        n[g] = n[g] > less * unit ? n[g] - less * unit : 0;
    }
    for (unsigned k = random_below(m, 3); k > 0; k--) {
        int h = (int)random_below(m, types);
        const struct grid_type *type = &grid->type[h];
        double each = type->own_buy * type->unit, left = limit - own_all(m, n);
        int more = (int)fmin(each > 0 ? left / each : 1e6, (type->most - n[h]) / type->unit);

        if (more <= 0)
            continue;
        if (random_below(m, 2))
            more -= (int)random_below(m, (unsigned)more);
        n[h] += type->unit * more;
    }
    return own_all(m, n) < limit && grid_allows(grid, n);
}

/* Can fleets n serve the hours for less than the best plan costs? Then that is it. The hour that
 * was too much comes first next time. */
static bool is_cheaper(struct master *m, const int *n, int *order)
{
    const struct grid *grid = m->grid;
    double cost = m->jobs + own_all(m, n), rest = 0, before = m->search->upper;
    struct part single = {.effort = 0};

    set_room(m, n);
    for (int t = 0; t < grid->hours; t++)
        rest += single.floor[t] = known_of(m, t);
    for (int at = 0; at < grid->hours; at++) {
        int hour = order[at];
        double bound = cost + rest, known = single.floor[hour];

        if (bound < before)
            pack_one(m, &single, hour, GROW_EFFORT, &bound, &cost);
        rest -= known;
        if (cost + rest >= before * (1 - 1e-9)) {
            memmove(order + 1, order, sizeof(*order) * (size_t)at);
            order[0] = hour;
            return false;
        }
    }
    m->search->upper = fmin(before, m->search->take(m->search->ctx, m->plan));
    return m->search->upper < before;
}

/* Trades units of the best fleets; some of these are tried whenever parts were divided. */
static void trade_fleets(struct master *m)
{
    struct trades *d = &m->trades;
    int n[POOL_MOST_TYPES], other[POOL_MOST_TYPES];
    uint64_t before = m->b->work;

    best_fleets(m, n);
    if (d->total != m->search->upper) {
        d->total = m->search->upper;
        d->since = 0;
        set_room(m, n);
        order_hours(m, d->order);
    }
    while (d->since < TRADES &&
           (d->work + m->b->work - before) * TRADE_SHARE < m->b->work - m->begun) {
        memcpy(other, n, sizeof(other));
        d->since++;
        m->b->work++;
        if (trade_units(m, other, own_all(m, n)) && is_cheaper(m, other, d->order))
            break;
    }
    d->work += m->b->work - before;
}

/* One more part is divided, or the hours of a single fleet are served again; false: that was
 * all. */
static bool go_on(struct master *m)
{
    int other = lowest_part(m, false), single = lowest_part(m, true);
    struct part part;

    /* where the lowest bound is that of a fleet whose hours are solved, it cannot rise: what a
     * plan costs beside is starts */
    if (single >= 0 && m->parts[single].settled &&
        (other < 0 || m->parts[other].bound >= m->parts[single].bound))
        return false;
    if (m->count >= MOST_PARTS - 2 * POOL_MOST_TYPES || m->b->work >= m->until ||
        m->search->stop(m->search->ctx))
        return false;
    m->level = m->search->upper;
    trade_fleets(m);
    other = lowest_part(m, false);
    single = lowest_part(m, true);
    if (other >= 0) {
        divide_part(m, other);
    } else if (single >= 0) {
        part = m->parts[single];
        m->parts[single] = m->parts[--m->count];
        serve_largest(m, &part, part.effort);
        part.effort *= MORE_EFFORT;
        keep_part(m, &part);
    }
    return other >= 0 || single >= 0;
}

void fleet_raise(struct bound *b, struct fleet_search *search)
{
    struct master m = {.search = search, .begun = b->work, .until = b->work + search->work};
    struct part all = {.bound = b->best};
    double lowest;

    master_init(&m, b);
    for (int g = 0; g < m.grid->types; g++)
        all.high[g] = m.grid->type[g].most;
    for (int t = 0; t < m.grid->hours && !is_done(&m, &all); t++) {
        const double *lambda = &b->lambda[t * m.grid->types];
        double use[POOL_MOST_TYPES] = {0}, base = 0;

        for (int w = 0; w < m.grid->workloads; w++)
            base += bound_cover(b, w, t, lambda, use);
        add_plane(&m, t, base, lambda);
    }
    raise_part(&m, &all);
    keep_part(&m, &all);
    while (go_on(&m))
        continue;
    lowest = search->upper;
    for (int i = 0; i < m.count; i++)
        lowest = fmin(lowest, m.parts[i].bound);
    b->best = fmax(b->best, lowest);
    lp_fini(&m.lp);
    for (int t = 0; t < m.grid->hours; t++)
        pack_fini(&m.hours[t]);
    arrays_free(&m.arrays);
    free(m.planes);
}
