/*
 * bound.c - see bound.h.
 */
#include "pool/bound.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MEAN_SHARE 0.1 /* of a step in the mean of violations */
#define COVER_WORK 12  /* units of a cover beside its nodes */

/* ---- the first prices: owning a GPU is paid for in the busy hours ---- */

static void start_prices(struct bound *b)
{
    const struct grid *grid = b->grid;
    double load[POOL_MOST_HOURS] = {0}, sum = 0;

    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours; t++)
            load[t] += grid->need[w * grid->hours + t] * grid->penalty[w];
    for (int t = 0; t < grid->hours; t++)
        sum += pow(load[t], 4);
    for (int t = 0; t < grid->hours; t++)
        for (int g = 0; g < grid->types; g++)
            b->trial[t * grid->types + g] =
                grid->type[g].own_buy * (sum > 0 ? pow(load[t], 4) / sum : 1.0 / grid->hours);
}

void bound_init(struct bound *b, const struct grid *grid, int leaves)
{
    size_t ways = (size_t)grid->first[grid->workloads] + 1;

    *b = (struct bound){.grid = grid, .best = -INFINITY, .step = 1, .leaves = leaves};
    b->lambda = arrays_add(&b->arrays, grid_cells(grid), sizeof(*b->lambda));
    b->trial = arrays_add(&b->arrays, grid_cells(grid), sizeof(*b->trial));
    b->use = arrays_add(&b->arrays, grid_cells(grid), sizeof(*b->use));
    b->mean_use = arrays_add(&b->arrays, grid_cells(grid), sizeof(*b->mean_use));
    b->x = arrays_add(&b->arrays, ways * (size_t)grid->hours, sizeof(*b->x));
    b->held = arrays_add(&b->arrays, ways, sizeof(*b->held));
    b->job_held = arrays_add(&b->arrays, (size_t)grid->jobs + 1, sizeof(*b->job_held));
    for (int g = 0; g < grid->types; g++)
        b->high[g] = grid->type[g].most;
    start_prices(b);
}

void bound_fini(struct bound *b)
{
    arrays_free(&b->arrays);
    *b = (struct bound){0};
}

/* ---- the parts of L ---- */

static double cover_hour(struct bound *b, int w, int t, const double *lambda, double *use,
                         struct cover *cover)
{
    const struct grid *grid = b->grid;

    assign_cover(grid, w, t, lambda, NULL, NULL, 0, cover);
    b->work += (uint64_t)cover->nodes + COVER_WORK;
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        use[grid->ways[i].type] += cover->x[i - grid->first[w]] * grid_seat(grid, i);
    return cover->lower;
}

double bound_cover(struct bound *b, int w, int t, const double *lambda, double *use)
{
    struct cover cover;

    return cover_hour(b, w, t, lambda, use, &cover);
}

static double constant_part(struct bound *b, int w, const struct fixed_market *market)
{
    const struct grid *grid = b->grid;
    struct fixed fixed;
    int own[POOL_MOST_TYPES];

    fixed_solve(grid, w, market, b->leaves, &fixed);
    b->work += (uint64_t)fixed.nodes;
    assign_holding(grid, w, fixed.held, own);
    memcpy(&b->held[grid->first[w]], fixed.held, ways_size(grid, w));
    for (int t = 0; t < grid->hours; t++) {
        for (int g = 0; g < grid->types; g++)
            b->use[t * grid->types + g] += own[g];
        fixed_serve(grid, w, t, fixed.held, &b->x[grid_place(grid, w, t)]);
    }
    return fixed.lower;
}

/* Workers go to the cheapest hours, in parts. */
double bound_job(const struct grid *grid, int j, const double *lambda, double *use)
{
    const struct pool_job *job = &grid->pool->jobs[j];
    double left = job->gpu_hours, cost = 0;
    bool taken[POOL_MOST_HOURS] = {false};

    while (left > 0) {
        int best = -1;
        double price, done;

        for (int t = job->first; t < job->end; t++)
            if (!taken[t] && (best < 0 || lambda[t * grid->types + job->type] <
                                              lambda[best * grid->types + job->type]))
                best = t;
        if (best < 0)
            break;
        price = grid->type[job->type].run +
                lambda[best * grid->types + job->type] * grid->job_seat[j] / job->gpus;
        if (price >= grid->job_penalty[j])
            break;
        done = fmin(left, (double)job->most * job->gpus);
        if (use)
            use[best * grid->types + job->type] += done * grid->job_seat[j] / job->gpus;
        cost += done * price;
        left -= done;
        taken[best] = true;
    }
    return cost + left * grid->job_penalty[j];
}

/* What a GPU of a type costs beside its own price: slots and watts. */
static double cap_price(const struct bound *b, int g)
{
    return (b->grid->slots > 0 ? b->trial_cap[0] * b->grid->type[g].slots : 0) +
           (b->grid->watts > 0 ? b->trial_cap[1] * b->grid->type[g].watts : 0);
}

double bound_fleet(const struct grid_type *type, int low, int high, double more, double sum,
                   int *kept)
{
    int stock = type->stock < low ? low : type->stock > high ? high : type->stock;
    int sizes[] = {low, stock, high};
    double best = INFINITY;

    for (int i = 0; i < 3; i++) {
        int n = sizes[i], bought = n > type->stock ? n - type->stock : 0;
        double cost = n <= 0 ? 0
                             : type->own_stock * (n - bought) + type->own_buy * bought + more * n -
                                   sum * (n - type->spare);

        if (cost >= best)
            continue;
        best = cost;
        if (kept)
            *kept = n;
    }
    return best;
}

/* Is there an end to buying? Then its GPUs may be worth more than they cost. */
static bool is_limited(const struct bound *b, int g)
{
    return b->grid->type[g].scarce || b->high[g] < b->grid->type[g].most;
}

/* The best fleet of a type at these prices. Where the prices just pay for it, any size
 * is best, and the mean use steers the step. */
static double fleet_part(struct bound *b, int g)
{
    const struct grid_type *type = &b->grid->type[g];
    double more = cap_price(b, g), sum = 0, used = 0, best;
    int low = b->low[g], high = b->high[g], kept = 0;
    int stock = type->stock < low ? low : type->stock > high ? high : type->stock;

    for (int t = 0; t < b->grid->hours; t++) {
        sum += b->trial[t * b->grid->types + g];
        used += b->use[t * b->grid->types + g];
    }
    best = bound_fleet(type, low, high, more, sum, &kept);
    b->fleet[g] = kept > type->spare ? kept - type->spare : 0;
    if (!is_limited(b, g) && sum >= (type->own_buy + more) * (1 - 1e-9))
        b->fleet[g] = fmax(used / b->grid->hours, stock - type->spare);
    return best;
}

/* L at lambda as it stands in b->trial; the covers of it are in b->x. */
static double evaluate_bound(struct bound *b)
{
    const struct grid *grid = b->grid;
    struct fixed_market market = {.gpus = INT_MAX, .watts = INFINITY};
    double sum = 0;

    memset(b->use, 0, grid_cells(grid) * sizeof(*b->use));
    for (int g = 0; g < grid->types; g++) {
        double all_day = 0;

        for (int t = 0; t < grid->hours; t++)
            all_day += b->trial[t * grid->types + g];
        market.type[g] = (struct fixed_price){
            .low = all_day, .high = all_day, .room = grid_room(&grid->type[g])};
    }
    for (int w = 0; w < grid->workloads; w++) {
        double hourly = 0;

        for (int t = 0; t < grid->hours && !grid->constant[w]; t++) {
            int at = t * grid->types;
            struct cover cover;

            hourly += cover_hour(b, w, t, &b->trial[at], &b->use[at], &cover);
            memcpy(&b->x[grid_place(grid, w, t)], cover.x, ways_size(grid, w));
        }
        sum += grid->constant[w] ? constant_part(b, w, &market) : hourly;
    }
    for (int j = 0; j < grid->jobs; j++) {
        int g = grid->pool->jobs[j].type, own;
        double cost;

        if (!grid->jobs_own) {
            sum += bound_job(grid, j, b->trial, b->use);
            continue;
        }
        b->job_held[j] = fixed_job(grid, j, &market, &cost);
        own = grid_own_units(&grid->type[g], b->job_held[j] * grid->job_seat[j]);
        for (int t = 0; t < grid->hours; t++)
            b->use[t * grid->types + g] += own;
        sum += cost;
    }
    for (int g = 0; g < grid->types; g++)
        sum += fleet_part(b, g);
    return sum - (grid->slots > 0 ? b->trial_cap[0] * grid->slots : 0) -
           (grid->watts > 0 ? b->trial_cap[1] * grid->watts : 0);
}

/* ---- steps ---- */

static int compare_down(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x < y) - (x > y);
}

/* The nearest prices >= 0 that sum to at most `sum` (projection on a simplex). */
static void project_prices(struct bound *b, int g, double most)
{
    int types = b->grid->types, hours = b->grid->hours;
    double sorted[POOL_MOST_HOURS], sum = 0, shift = 0;

    for (int t = 0; t < hours; t++) {
        double *v = &b->trial[t * types + g];

        *v = fmax(*v, 0);
        sorted[t] = *v;
        sum += *v;
    }
    if (sum <= most)
        return;
    qsort(sorted, (size_t)hours, sizeof(*sorted), compare_down);
    sum = 0;
    for (int k = 0; k < hours; k++) {
        sum += sorted[k];
        if (sorted[k] > (sum - most) / (k + 1))
            shift = (sum - most) / (k + 1);
    }
    for (int t = 0; t < hours; t++)
        b->trial[t * types + g] = fmax(0, b->trial[t * types + g] - shift);
}

static double scale_of(const struct grid *grid, int g)
{
    const struct grid_type *type = &grid->type[g];

    return fmax(fmax(type->own_buy, type->own_stock), 1e-3 + type->run * grid->hours);
}

/* Along the mean of the violations: use over fleet. */
static void move_prices(struct bound *b, double upper)
{
    const struct grid *grid = b->grid;
    double norm = 1e-12, size;

    for (int g = 0; g < grid->types; g++)
        for (int t = 0; t < grid->hours; t++)
            norm +=
                pow(scale_of(grid, g) * (b->mean_use[t * grid->types + g] - b->mean_fleet[g]), 2);
    size = b->step * fmax(upper - b->best, 1e-6 * fabs(upper)) / norm;
    /* The prices of slots and watts follow how far they are over their caps by the mean fleet, each
     * in the scale of its price. */
    for (int k = 0; k < 2; k++) {
        double cap = k ? grid->watts : grid->slots, sum = 0, scale = 0;

        for (int g = 0; g < grid->types; g++) {
            double weight = k ? grid->type[g].watts : grid->type[g].slots;

            sum += b->mean_fleet[g] * weight;
            scale = fmax(scale, weight > 0 ? scale_of(grid, g) / weight : 0);
        }
        if (cap > 0)
            b->trial_cap[k] = fmax(0, b->cap[k] + size * scale * scale * (sum - cap));
    }
    for (int g = 0; g < grid->types; g++) {
        double scale = scale_of(grid, g);

        for (int t = 0; t < grid->hours; t++) {
            int at = t * grid->types + g;

            b->trial[at] =
                b->lambda[at] + size * scale * scale * (b->mean_use[at] - b->mean_fleet[g]);
        }
        project_prices(b, g, is_limited(b, g) ? INFINITY : grid->type[g].own_buy + cap_price(b, g));
    }
}

void bound_step(struct bound *b, double upper)
{
    const struct grid *grid = b->grid;
    bool first = isinf(b->best);
    double value, share = first ? 1 : MEAN_SHARE;

    if (!first)
        move_prices(b, upper);
    value = evaluate_bound(b);
    for (size_t i = 0; i < grid_cells(grid); i++)
        b->mean_use[i] += share * (b->use[i] - b->mean_use[i]);
    for (int g = 0; g < grid->types; g++)
        b->mean_fleet[g] += share * (b->fleet[g] - b->mean_fleet[g]);
    if (value > b->best) {
        b->step = fmin(b->step * 1.1, 2);
        b->fails = 0;
        b->best = value;
        memcpy(b->lambda, b->trial, grid_cells(grid) * sizeof(*b->lambda));
        memcpy(b->cap, b->trial_cap, sizeof(b->cap));
    } else if (++b->fails >= 10) {
        b->fails = 0;
        b->step *= 0.7;
    }
}

void bound_plan(const struct bound *b, struct assign *a)
{
    const struct grid *grid = b->grid;

    for (int w = 0; w < grid->workloads; w++) {
        if (grid->constant[w])
            assign_own(a, w, &b->held[grid->first[w]]);
        for (int t = 0; t < grid->hours; t++)
            assign_set(a, w, t, &b->x[grid_place(grid, w, t)]);
    }
    for (int j = 0; j < grid->jobs && grid->jobs_own; j++)
        assign_own_job(a, j, b->job_held[j]);
}

/* ---- a higher bound where whole units count: fleets in intervals ---- */

#define MOST_PARTS 256
#define STEPS 60 /* of the prices of a part */

struct fleet_part {
    double bound;
    int low[POOL_MOST_TYPES], high[POOL_MOST_TYPES];
    double units[POOL_MOST_TYPES]; /* in the mean of its steps */
    double cap[2];
    double *lambda;
};

struct branch {
    struct bound *b;
    double upper;
    bool (*stop)(void *ctx);
    void *ctx;
    struct fleet_part parts[MOST_PARTS]; /* still open */
    int count;
};

static size_t price_bytes(const struct bound *b)
{
    return (size_t)b->grid->hours * (size_t)b->grid->types * sizeof(*b->lambda);
}

/* The part as b stands; what cannot hold a better plan is not kept. */
static void branch_add(struct branch *tree, double least)
{
    struct bound *b = tree->b;
    const struct grid *grid = b->grid;
    struct fleet_part *part = &tree->parts[tree->count];

    part->bound = fmax(b->best, least);
    if (part->bound >= tree->upper * (1 - 1e-9))
        return;
    memcpy(part->low, b->low, sizeof(part->low));
    memcpy(part->high, b->high, sizeof(part->high));
    memcpy(part->cap, b->cap, sizeof(part->cap));
    for (int g = 0; g < grid->types; g++) {
        double peak = 0;

        for (int t = 0; t < grid->hours; t++)
            peak = fmax(peak, b->mean_use[t * grid->types + g]);
        part->units[g] = peak > 0 ? (peak + grid->type[g].spare) / grid->type[g].unit : 0;
    }
    part->lambda = gp_malloc(price_bytes(b));
    memcpy(part->lambda, b->lambda, price_bytes(b));
    tree->count++;
}

static int branch_lowest(const struct branch *tree)
{
    int lowest = 0;

    for (int i = 1; i < tree->count; i++)
        if (tree->parts[i].bound < tree->parts[lowest].bound)
            lowest = i;
    return lowest;
}

/* The type to divide by; -1 when every interval is a single size. */
static int branch_pick_type(const struct branch *tree, const struct fleet_part *part, int *at)
{
    const struct grid *grid = tree->b->grid;
    double most = -1;
    int best = -1;

    for (int g = 0; g < grid->types; g++) {
        const struct grid_type *type = &grid->type[g];
        int low = part->low[g] / type->unit, high = part->high[g] / type->unit;
        int k = (int)fmin(fmax(floor(part->units[g] + 1e-6), low), high - 1);
        double off = part->units[g] - floor(part->units[g] + 1e-6);
        double worth = fmin(off, 1 - off) * type->unit * fmax(type->own_buy, 1e-6);

        if (low < high && worth > most) {
            most = worth;
            best = g;
            *at = k;
        }
    }
    return best;
}

static void branch_raise_part(struct branch *tree, const struct fleet_part *from, int g, int low,
                              int high)
{
    struct bound *b = tree->b;

    memcpy(b->low, from->low, sizeof(b->low));
    memcpy(b->high, from->high, sizeof(b->high));
    memcpy(b->cap, from->cap, sizeof(b->cap));
    memcpy(b->trial_cap, from->cap, sizeof(b->trial_cap));
    memcpy(b->trial, from->lambda, price_bytes(b));
    b->low[g] = low;
    b->high[g] = high;
    b->best = -INFINITY;
    b->step = 1;
    b->fails = 0;
    for (int i = 0; i < STEPS && b->best < tree->upper * (1 - 1e-9); i++) {
        bound_step(b, tree->upper);
        if (tree->stop(tree->ctx))
            break;
    }
    branch_add(tree, from->bound);
}

void bound_divide(struct bound *b, double upper, uint64_t work, bool (*stop)(void *ctx), void *ctx)
{
    struct branch *tree = gp_calloc(1, sizeof(*tree));
    struct fleet_part all;
    uint64_t until = b->work + work;
    double best = b->best;
    int at = 0;

    tree->b = b;
    tree->upper = upper;
    tree->stop = stop;
    tree->ctx = ctx;
    branch_add(tree, b->best);
    if (tree->count == 0) {
        free(tree);
        return;
    }
    all = tree->parts[0];
    all.lambda = gp_malloc(price_bytes(b));
    memcpy(all.lambda, b->lambda, price_bytes(b));
    while (tree->count > 0 && tree->count < MOST_PARTS - 1 && b->work < until && !stop(ctx)) {
        int index = branch_lowest(tree);

        struct fleet_part part = tree->parts[index];
        int g = branch_pick_type(tree, &part, &at), unit;

        best = fmax(best, part.bound);
        if (g < 0)
            break;
        tree->parts[index] = tree->parts[--tree->count];
        unit = b->grid->type[g].unit;
        branch_raise_part(tree, &part, g, part.low[g], at * unit);
        branch_raise_part(tree, &part, g, (at + 1) * unit, part.high[g]);
        free(part.lambda);
    }
    b->best = fmax(best, tree->count > 0 ? tree->parts[branch_lowest(tree)].bound : upper);
    memcpy(b->lambda, all.lambda, price_bytes(b));
    memcpy(b->low, all.low, sizeof(b->low));
    memcpy(b->high, all.high, sizeof(b->high));
    memcpy(b->cap, all.cap, sizeof(b->cap));
    for (int i = 0; i < tree->count; i++)
        free(tree->parts[i].lambda);
    free(all.lambda);
    free(tree);
}
