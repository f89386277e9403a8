/*
 * pack.c - see pack.h.
 */
#include "core/pool/pack.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool/lp.h"
#include "util/mem.h"

#define ROUNDS     60 /* of new covers in a part */
#define LP_STEPS   2000
#define COVER_WORK 12 /* units of a cover beside its nodes */
#define DEPTH      60
#define SMALL      1e-7

struct shape { /* a cover of one workload */
    int workload;
    double cost;
    size_t first; /* of its counts */
};

struct branch {
    struct pack *pack;
    const struct grid *grid;
    struct shape *shapes;
    size_t shape_count, shape_cap;
    short *counts;
    size_t count_count, count_cap;
    short *least, *most; /* [way] of the part */
    short *x;            /* [way] being rounded */
    double *mean;        /* [way] of the part's program */
    double over;         /* $ of a GPU that is not there */
    uint64_t spent;
};

/* The program of one part. */
struct program {
    struct lp lp;
    int *shape; /* [column] */
    size_t shape_cap;
};

static int ways_of(const struct grid *grid, int w)
{
    return grid->first[w + 1] - grid->first[w];
}

/* ---- covers ---- */

static size_t add_shape(struct branch *b, int w, const int *x)
{
    const struct grid *grid = b->grid;
    int ways = ways_of(grid, w);
    short counts[POOL_MOST_WAYS] = {0};
    struct shape shape = {.workload = w, .first = b->count_count};

    for (int k = 0; k < ways; k++)
        counts[k] = (short)x[k];
    shape.cost = assign_serving(grid, w, b->pack->t, counts, NULL);
    for (int k = 0; k < ways; k++) {
        const struct way *way = &grid->ways[grid->first[w] + k];
        if (way->slice >= 0)
            shape.cost +=
                x[k] * grid_seat(grid, grid->first[w] + k) * grid->type[way->type].run;
    }
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
    const struct shape *s = &b->shapes[at];
    const struct grid *grid = b->grid;

    for (int k = 0; k < ways_of(grid, s->workload); k++) {
        int i = grid->first[s->workload] + k;
        use[grid->ways[i].type] += b->counts[s->first + (size_t)k] * grid_seat(grid, i);
    }
}

static bool shape_allowed(const struct branch *b, size_t at)
{
    const struct shape *s = &b->shapes[at];
    int first = b->grid->first[s->workload];

    for (int k = 0; k < ways_of(b->grid, s->workload); k++) {
        short x = b->counts[s->first + (size_t)k];
        if (x < b->least[first + k] || x > b->most[first + k])
            return false;
    }
    return true;
}

/* The cheapest cover at prices lambda within the part; its cost with them. */
static double price_cover(struct branch *b, int w, const double *lambda,
                          struct cover *cover)
{
    struct cover_item items[POOL_MOST_WAYS];
    struct cover_ask ask;
    const struct grid *grid = b->grid;

    assign_ask(grid, w, b->pack->t, lambda, items, &ask);
    for (int k = 0; k < ask.count; k++) {
        items[k].least = b->least[grid->first[w] + k];
        items[k].most = b->most[grid->first[w] + k];
    }
    cover_solve(&ask, cover);
    b->spent += (uint64_t)cover->nodes + COVER_WORK;
    return cover->lower;
}

/* ---- the program ---- */

static int add_column(struct branch *b, struct program *p, size_t shape)
{
    struct lp_entry entries[POOL_MOST_TYPES + 1];
    double use[POOL_MOST_TYPES] = {0};
    int column;

    shape_use(b, shape, use);
    entries[0] = (struct lp_entry){b->shapes[shape].workload, 1};
    for (int g = 0; g < b->grid->types; g++)
        entries[g + 1] = (struct lp_entry){b->grid->workloads + g, use[g]};
    column = lp_add(&p->lp, -b->shapes[shape].cost, entries, b->grid->types + 1);
    p->shape = gp_grow(p->shape, &p->shape_cap, (size_t)column + 1, sizeof(*p->shape));
    p->shape[column] = (int)shape;
    return column;
}

static int add_slack(struct branch *b, struct program *p, int g, double sign)
{
    struct lp_entry entry = {b->grid->workloads + g, sign};
    int column = lp_add(&p->lp, sign < 0 ? -b->over : 0, &entry, 1);

    p->shape = gp_grow(p->shape, &p->shape_cap, (size_t)column + 1, sizeof(*p->shape));
    p->shape[column] = -1;
    return column;
}

/* Begins with as little of everything as the part allows. */
static bool program_init(struct branch *b, struct program *p)
{
    const struct grid *grid = b->grid;
    int rows = grid->workloads + grid->types, x[POOL_MOST_WAYS];
    int *basis = gp_calloc((size_t)rows, sizeof(*basis));
    double use[POOL_MOST_TYPES] = {0};
    bool ok;

    *p = (struct program){0};
    lp_init(&p->lp, rows);
    for (int w = 0; w < grid->workloads; w++) {
        size_t shape;
        for (int k = 0; k < ways_of(grid, w); k++)
            x[k] = b->least[grid->first[w] + k];
        shape = add_shape(b, w, x);
        shape_use(b, shape, use);
        basis[w] = add_column(b, p, shape);
        p->lp.right[w] = 1;
    }
    for (int g = 0; g < grid->types; g++) {
        int row = grid->workloads + g, slack = add_slack(b, p, g, 1);
        int over = add_slack(b, p, g, -1);
        p->lp.right[row] = b->pack->room[g];
        basis[row] = use[g] > b->pack->room[g] ? over : slack;
    }
    for (size_t s = 0; s + (size_t)grid->workloads < b->shape_count; s++)
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

static void prices(const struct branch *b, const struct program *p, double *lambda)
{
    for (int g = 0; g < b->grid->types; g++)
        lambda[g] = fmax(0, p->lp.price[b->grid->workloads + g]);
}

/* Adds the covers that the prices ask for; *bound: the value of the hour there. */
static bool price_all(struct branch *b, struct program *p, double *bound)
{
    const struct grid *grid = b->grid;
    double lambda[POOL_MOST_TYPES], sum = 0;
    bool more = false;

    prices(b, p, lambda);
    for (int w = 0; w < grid->workloads; w++) {
        struct cover cover;
        double cost = price_cover(b, w, lambda, &cover);
        sum += cost;
        if (cost < -p->lp.price[w] - SMALL * (1 + fabs(p->lp.price[w]))) {
            add_column(b, p, add_shape(b, w, cover.x));
            more = true;
        }
    }
    for (int g = 0; g < grid->types; g++)
        sum -= lambda[g] * b->pack->room[g];
    *bound = fmax(*bound, sum);
    return more;
}

/* ---- a plan from it ---- */

static void set_mean(struct branch *b, const struct program *p)
{
    const struct grid *grid = b->grid;

    memset(b->mean, 0, sizeof(*b->mean) * (size_t)grid->first[grid->workloads]);
    for (size_t j = 0; j < p->lp.column_count; j++) {
        double level = lp_level(&p->lp, (int)j);
        if (p->shape[j] < 0 || level <= 0)
            continue;
        const struct shape *s = &b->shapes[p->shape[j]];
        for (int k = 0; k < ways_of(grid, s->workload); k++)
            b->mean[grid->first[s->workload] + k] +=
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
    const struct grid *grid = b->grid;
    int x[POOL_MOST_WAYS], best = -1;
    double most = -1;

    *whole = true;
    for (int k = 0; k < ways_of(grid, w); k++) {
        x[k] = (int)round(b->mean[grid->first[w] + k]);
        *whole = *whole && is_whole(b->mean[grid->first[w] + k]);
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
                          double *left)
{
    const struct grid *grid = b->grid;
    double use[POOL_MOST_TYPES] = {0};
    bool fits = true;

    shape_use(b, shape, use);
    for (int g = 0; g < grid->types; g++)
        fits = fits && use[g] <= left[g] + 1e-9;
    if (!fits) {
        int room[POOL_MOST_TYPES];
        struct cover cover;
        for (int g = 0; g < grid->types; g++)
            room[g] = left[g] > 0 ? (int)(left[g] + 1e-9) : 0;
        assign_cover(grid, w, b->pack->t, lambda, room, 400, &cover);
        b->spent += (uint64_t)cover.nodes + COVER_WORK;
        shape = add_shape(b, w, cover.x);
        memset(use, 0, sizeof(use));
        shape_use(b, shape, use);
    }
    for (int g = 0; g < grid->types; g++)
        left[g] -= use[g];
    memcpy(&b->x[grid->first[w]], &b->counts[b->shapes[shape].first],
           sizeof(*b->x) * (size_t)ways_of(grid, w));
    return b->shapes[shape].cost;
}

/* Takes what is whole as it is, and serves the others in what room is left. */
static void round_plan(struct branch *b, struct program *p, const double *lambda)
{
    const struct grid *grid = b->grid;
    double left[POOL_MOST_TYPES], cost = 0;

    memcpy(left, b->pack->room, sizeof(left));
    for (int pass = 0; pass < 2; pass++)
        for (int w = 0; w < grid->workloads; w++) {
            bool whole;
            size_t shape = likely_shape(b, p, w, &whole);
            if (whole == (pass == 0))
                cost += place_shape(b, w, shape, lambda, left);
        }
    if (cost >= b->pack->cost)
        return;
    b->pack->cost = cost;
    memcpy(b->pack->x, b->x, sizeof(*b->x) * (size_t)grid->first[grid->workloads]);
}

/* ---- parts ---- */

/* The way whose mean count is furthest from whole, in dollars. */
static int pick_way(const struct branch *b, const double *lambda)
{
    const struct grid *grid = b->grid;
    double most = 0;
    int best = -1;

    for (int i = 0; i < grid->first[grid->workloads]; i++) {
        double off = b->mean[i] - floor(b->mean[i]);
        double worth = fmin(off, 1 - off) * grid_seat(grid, i) *
                       (lambda[grid->ways[i].type] + 1e-3);
        if (!is_whole(b->mean[i]) && worth > most) {
            most = worth;
            best = i;
        }
    }
    return best;
}

static double part(struct branch *b, double known, int depth);

static double divide(struct branch *b, int way, double mean, double known, int depth)
{
    short least = b->least[way], most = b->most[way];
    bool up = mean - floor(mean) >= 0.5;
    double bound[2];

    for (int k = 0; k < 2; k++) {
        if ((k == 0) == up)
            b->least[way] = (short)(floor(mean) + 1);
        else
            b->most[way] = (short)floor(mean);
        bound[k] = part(b, known, depth + 1);
        b->least[way] = least;
        b->most[way] = most;
    }
    return fmin(bound[0], bound[1]);
}

/* What no plan of the part undercuts, or what is good enough. */
static double part(struct branch *b, double known, int depth)
{
    struct pack *pack = b->pack;
    double goal = fmin(pack->cost, pack->limit), lambda[POOL_MOST_TYPES];
    struct program p;
    int way = -1;

    if (known >= goal || depth > DEPTH || b->spent >= pack->work)
        return known;
    if (!program_init(b, &p)) {
        program_fini(&p);
        return known;
    }
    for (int i = 0; i < ROUNDS; i++) {
        bool ok = lp_solve(&p.lp, LP_STEPS);
        b->spent += p.lp.work;
        p.lp.work = 0;
        if (!price_all(b, &p, &known) || !ok || known >= goal * (1 - 1e-12))
            break;
    }
    if (known < goal * (1 - 1e-12)) {
        prices(b, &p, lambda);
        set_mean(b, &p);
        round_plan(b, &p, lambda);
        way = pick_way(b, lambda);
    }
    program_fini(&p);
    if (known >= fmin(pack->cost, pack->limit) * (1 - 1e-12) || way < 0)
        return known;
    return divide(b, way, b->mean[way], known, depth);
}

/* The price of the plan that is given, when it fits. */
static double given_cost(struct branch *b)
{
    const struct grid *grid = b->grid;
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int w = 0; w < grid->workloads; w++) {
        int x[POOL_MOST_WAYS];
        size_t shape;
        for (int k = 0; k < ways_of(grid, w); k++)
            x[k] = b->pack->x[grid->first[w] + k];
        shape = add_shape(b, w, x);
        shape_use(b, shape, use);
        cost += b->shapes[shape].cost;
    }
    for (int g = 0; g < grid->types; g++)
        if (use[g] > b->pack->room[g] + 1e-9)
            return INFINITY;
    return cost;
}

void pack_hour(struct pack *pack)
{
    const struct grid *grid = pack->grid;
    size_t ways = (size_t)grid->first[grid->workloads];
    struct branch b = {.pack = pack, .grid = grid};

    b.least = gp_calloc(ways + 1, sizeof(*b.least));
    b.most = gp_calloc(ways + 1, sizeof(*b.most));
    b.mean = gp_calloc(ways + 1, sizeof(*b.mean));
    b.x = gp_calloc(ways + 1, sizeof(*b.x));
    for (size_t i = 0; i < ways; i++)
        b.most[i] = POOL_MOST_REPLICAS;
    for (int g = 0; g < grid->types; g++)
        b.over += 100 * (grid->type[g].own_buy + grid->type[g].run + 1e-3);
    pack->cost = given_cost(&b);
    pack->bound = part(&b, pack->bound, 0);
    pack->bound = fmin(pack->bound, pack->cost); /* parts dearer than it were left */
    free(b.least);
    free(b.most);
    free(b.mean);
    free(b.x);
    free(b.shapes);
    free(b.counts);
    pack->work -= b.spent < pack->work ? b.spent : pack->work;
}
