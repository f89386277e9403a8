/*
 * isolated.c - see bound.h.
 */
#include "pool/bound.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define MOST_RANGES 32
#define MOST_BYTES (64 << 20) /* of their plans */

struct split { /* the isolated workloads, or the others with the jobs, as a pool */
    struct pool pool;
    struct pool_type types[POOL_MOST_TYPES];
    struct pool_workload *workloads;
    struct pool_candidate *candidates;
    struct pool_job *jobs;
    int *origin; /* [candidate] in the whole pool */
};

static void part_init(struct split *part, const struct grid *grid, bool constant)
{
    static const double nothing[POOL_MOST_HOURS];
    const struct pool *pool = grid->pool;
    size_t ways = (size_t)pool->candidate_count + 1;

    *part = (struct split){.pool = *pool};
    part->workloads = gp_calloc((size_t)grid->workloads + 1, sizeof(*part->workloads));
    part->candidates = gp_calloc(ways, sizeof(*part->candidates));
    part->jobs = gp_calloc((size_t)grid->jobs + 1, sizeof(*part->jobs));
    part->origin = gp_calloc(ways, sizeof(*part->origin));
    part->pool.types = part->types;
    part->pool.workloads = part->workloads;
    part->pool.candidates = part->candidates;
    part->pool.jobs = part->jobs;
    part->pool.workload_count = part->pool.candidate_count = part->pool.job_count = 0;
    for (int g = 0; g < grid->types; g++)
        part->types[g] = pool->types[g];
    for (int w = 0, c = 0; w < grid->workloads; w++) {
        bool taken = grid->constant[w] == constant;
        struct pool_workload *own = &part->workloads[part->pool.workload_count];

        for (; c < pool->candidate_count && pool->candidates[c].workload == w; c++) {
            int n = part->pool.candidate_count;

            if (!taken)
                continue;
            part->origin[n] = c;
            part->candidates[n] = pool->candidates[c];
            part->candidates[n].workload = part->pool.workload_count;
            part->pool.candidate_count++;
        }
        if (!taken)
            continue;
        *own = pool->workloads[w];
        own->penalty = grid->penalty[w];
        own->alone = false;
        part->pool.workload_count++;
    }
    if (constant || grid->jobs == 0)
        return;
    /* a pool has a workload: one that asks for nothing, where jobs are all there is */
    if (part->pool.workload_count == 0)
        part->workloads[part->pool.workload_count++] =
            (struct pool_workload){.demand = nothing, .burst = 1, .penalty = 1, .priority = 1};
    for (int j = 0; j < grid->jobs; j++) {
        part->jobs[j] = pool->jobs[j];
        part->jobs[j].penalty = grid->job_penalty[j];
    }
    part->pool.job_count = grid->jobs;
}

/* ---- ranges: what the isolated may hold ---- */

struct range {
    double alone, others;                            /* bounds of the two parts */
    int low[POOL_MOST_TYPES], high[POOL_MOST_TYPES]; /* GPUs that the isolated hold */
    int held[POOL_MOST_TYPES], shared[POOL_MOST_TYPES];
    int *replicas; /* [candidate x hours + hour] of the whole */
};

struct tree {
    struct bound *b;
    const struct grid *grid;
    struct isolated_search *search;
    double least;                         /* a bound of all plans */
    size_t plan_size;                     /* bytes of a range's replicas */
    struct range ranges[MOST_RANGES + 1]; /* still open */
    int count;
};

static double range_bound(const struct range *range)
{
    return range->alone + range->others;
}

static int stock_left(const struct grid_type *type, int taken)
{
    return taken < type->stock ? type->stock - taken : 0;
}

/* The part's bound and plan with the GPUs that the range leaves it, the first of them in stock, at
 * these prices of all or (NULL) its own; false: stop. The isolated keep no spares. */
static bool solve_part(struct tree *tree, struct range *range, bool isolated, const double *price)
{
    int hours = tree->grid->hours, *gpus = isolated ? range->held : range->shared;
    double *bound = isolated ? &range->alone : &range->others;
    struct pool_rung rung = {.bound = 0};
    struct split part;
    bool go_on;

    part_init(&part, tree->grid, isolated);
    for (int g = 0; g < tree->grid->types; g++) {
        const struct grid_type *type = &tree->grid->type[g];
        struct pool_type *own = &part.types[g];
        int most = isolated ? range->high[g] : type->most - range->low[g];
        int stock = isolated ? type->stock : stock_left(type, range->low[g]);

        own->stock = price ? 0 : stock < most ? stock : most;
        own->buy = most - own->stock;
        own->spare = isolated ? 0 : own->spare;
        if (price)
            own->stock_hour = own->buy_hour =
                own->stock_hour + (price[g] - type->own_stock) / hours;
    }
    go_on = part.pool.workload_count == 0 ||
            tree->search->solve(tree->search->ctx, &part.pool, isolated, &rung);
    *bound = fmax(*bound, rung.bound);
    memcpy(gpus, rung.gpus, sizeof(rung.gpus));
    for (int c = 0; c < part.pool.candidate_count; c++)
        memcpy(&range->replicas[part.origin[c] * hours], &rung.replicas[c * hours],
               sizeof(int) * (size_t)hours);
    account_fini(&rung);
    free(part.workloads);
    free(part.candidates);
    free(part.jobs);
    free(part.origin);
    return go_on;
}

/* Keeps a range, unless it cannot hold a better plan. */
static void keep_range(struct tree *tree, struct range *range)
{
    tree->search->upper = tree->search->take(tree->search->ctx, range->replicas);
    if (range_bound(range) < tree->search->upper * (1 - 1e-9))
        tree->ranges[tree->count++] = *range;
    else
        free(range->replicas);
}

static int lowest_range(const struct tree *tree)
{
    int lowest = 0;

    for (int i = 1; i < tree->count; i++)
        if (range_bound(&tree->ranges[i]) < range_bound(&tree->ranges[lowest]))
            lowest = i;
    return lowest;
}

static double own_of(const struct grid_type *type, int stock, int gpus)
{
    int low = gpus < stock ? gpus : stock;

    return low * type->own_stock + (gpus - low) * type->own_buy;
}

/* The type of which most is left out by both parts, each as if it had the type alone, and which
 * may be divided by; -1: none. */
static int pick_type(const struct tree *tree, const struct range *range)
{
    double most = 0;
    int best = -1;

    for (int g = 0; g < tree->grid->types; g++) {
        const struct grid_type *type = &tree->grid->type[g];
        int held = range->held[g], shared = range->shared[g], over = held + shared - type->most;
        double worth = own_of(type, type->stock, held + shared) - own_of(type, type->stock, held) -
                       own_of(type, stock_left(type, range->low[g]), shared) +
                       (over > 0 ? over * fmax(type->own_buy, 1e-6) : 0);

        if (worth > most && range->low[g] < held) {
            most = worth;
            best = g;
        }
    }
    return best;
}

/* At most what the others leave of type g for the isolated; or more, and less for the others. */
static bool divide_range(struct tree *tree, int index, int g)
{
    const struct grid_type *type = &tree->grid->type[g];
    struct range first = tree->ranges[index], second = first;
    bool over = first.held[g] + first.shared[g] > type->most;
    int left = over ? type->most - first.shared[g] : stock_left(type, first.shared[g]);
    bool go_on;

    tree->ranges[index] = tree->ranges[--tree->count];
    second.replicas = gp_malloc(tree->plan_size);
    memcpy(second.replicas, first.replicas, tree->plan_size);
    left = left < first.held[g] ? left : first.held[g] - type->unit;
    first.high[g] = left > first.low[g] ? left : first.low[g];
    second.low[g] = first.high[g] + type->unit;
    go_on = solve_part(tree, &first, true, NULL) && solve_part(tree, &second, false, NULL);
    keep_range(tree, &first);
    keep_range(tree, &second);
    return go_on;
}

/* ---- prices ---- */

/* $ for a GPU of each type: between those of one in stock and one that is bought, by what
 * the best plan owns or a GPU is worth in the bound; with the slot and the watts that it
 * takes. What the fleets add to the parts' bounds; *plain: those are the true prices. */
static double set_prices(const struct tree *tree, double *price, bool *plain)
{
    const struct grid *grid = tree->grid;
    const struct bound *b = tree->b;
    double sum = -b->cap[0] * grid->slots - b->cap[1] * grid->watts;

    *plain = sum == 0;
    for (int g = 0; g < grid->types; g++) {
        struct grid_type type = grid->type[g];
        double more = b->cap[0] * type.slots + b->cap[1] * type.watts, worth = 0;
        int kept;

        for (int t = 0; t < grid->hours; t++)
            worth += b->lambda[t * grid->types + g];
        grid_own(&type, assign_peak(tree->search->plan, g), &kept);
        worth = kept < type.stock ? 0 : kept > type.stock ? INFINITY : worth;
        price[g] = fmin(fmax(worth, type.own_stock + more), type.own_buy + more);
        if (type.stock == 0)
            price[g] = type.own_buy + more;
        *plain &= type.stock == 0 || type.own_stock == type.own_buy;
        type.spare = 0; /* are with the others */
        sum += bound_fleet(&type, 0, type.most, more, price[g], NULL);
    }
    return sum;
}

/* All plans, with the parts at one price for each type: a bound, and a plan. False: stop. */
static bool raise_priced(struct tree *tree, const struct range *all, bool *plain)
{
    struct range range = *all;
    double price[POOL_MOST_TYPES], fleets = set_prices(tree, price, plain);
    bool go_on;

    if (*plain)
        return true;
    go_on = solve_part(tree, &range, true, price) && solve_part(tree, &range, false, price);
    tree->least = fmax(tree->least, fleets + range.alone + range.others);
    tree->search->upper = tree->search->take(tree->search->ctx, range.replicas);
    return go_on;
}

bool isolated_takes(const struct grid *grid)
{
    bool isolated = false;

    for (int w = 0; w < grid->workloads; w++)
        isolated = isolated || grid->constant[w];
    return !grid->jobs_own && isolated;
}

void isolated_raise(struct bound *b, struct isolated_search *search)
{
    const struct grid *grid = b->grid;
    struct tree tree = {.b = b, .grid = grid, .search = search, .least = b->best};
    struct range all = {.alone = 0};
    bool go_on, plain;
    int g;

    tree.plan_size = ((size_t)grid->pool->candidate_count * (size_t)grid->hours + 1) * sizeof(int);
    all.replicas = gp_calloc(1, tree.plan_size);
    for (g = 0; g < grid->types; g++)
        all.high[g] = grid->type[g].most;
    go_on = raise_priced(&tree, &all, &plain) && solve_part(&tree, &all, true, NULL) &&
            solve_part(&tree, &all, false, NULL);
    keep_range(&tree, &all);
    while (go_on && tree.count > 0 && tree.count < MOST_RANGES &&
           (size_t)tree.count * tree.plan_size < MOST_BYTES &&
           (g = pick_type(&tree, &tree.ranges[lowest_range(&tree)])) >= 0)
        go_on = divide_range(&tree, lowest_range(&tree), g);
    b->best = fmax(tree.least,
                   tree.count > 0 ? range_bound(&tree.ranges[lowest_range(&tree)]) : search->upper);
    for (int i = 0; i < tree.count; i++)
        free(tree.ranges[i].replicas);
}
