/*
 * fixed.c - see assign.h.
 */
#include "pool/assign.h"

#include <math.h>
#include <string.h>

#define STEPS_PER_LEAF 50

struct block {     /* a unit of GPUs with the best filling; or a replica of single GPUs */
    int type, way; /* way: of the workload, or -1 for a server to be filled */
    int gpus;
    double price; /* at the low price */
    double rate;
    int most;
};

struct search {
    const struct grid *grid;
    int w, ways;
    const struct way *way; /* of the workload */
    const struct fixed_market *market;
    struct fixed *out;
    struct block blocks[POOL_MOST_WAYS + POOL_MOST_TYPES];
    double rest_rate[POOL_MOST_WAYS + POOL_MOST_TYPES + 1]; /* $ per rate of blocks i.. */
    int block_count;
    int free[POOL_MOST_TYPES];     /* GPUs of chosen servers not yet filled */
    double dense[POOL_MOST_TYPES]; /* the best rate per GPU in a server */
    short held[POOL_MOST_WAYS];
    double peak;               /* the largest need */
    int like[POOL_MOST_HOURS]; /* the first hour with the same need */
    double unlimited;          /* running cost of all hours but the busiest */
    double least;              /* $ of GPUs that are paid for whatever is held */
    int leaves, steps;
    double open;
    double gpus; /* of the best */
};

/* ---- serving what is held ---- */

/* Cuts of GPUs are priced whole, and chosen by their weights: *lower is what no choice
 * undercuts. */
static double serve_cost(const struct grid *grid, int w, int t, const short *held, short *x,
                         double *lower)
{
    struct cover_item items[POOL_MOST_WAYS];
    struct cover cover;
    int room[POOL_MOST_WAYS], way_of[POOL_MOST_WAYS], n = 0;
    int count = grid->first[w + 1] - grid->first[w];
    struct cover_request ask = {.items = items,
                                .need = grid->need[w * grid->hours + t],
                                .penalty = grid->penalty[w],
                                .missing = grid->missing[w],
                                .minimum = grid->pool->workloads[w].minimum,
                                .room = room,
                                .nodes = 400};

    for (int i = 0; i < count; i++) {
        const struct way *way = &grid->ways[grid->first[w] + i];
        double share = way->slice >= 0 ? grid->type[way->type].weight[way->slice] : 0;

        x[i] = 0;
        if (held[i] == 0)
            continue;
        way_of[n] = i;
        room[n] = held[i];
        items[n] = (struct cover_item){.price = (way->slice >= 0 ? share : way->gpus) *
                                                grid->type[way->type].run,
                                       .rate = way->rate,
                                       .seat = 1,
                                       .group = n};
        n++;
    }
    ask.count = ask.groups = n;
    cover_solve(&ask, &cover);
    for (int i = 0; i < n; i++)
        x[way_of[i]] = cover.x[i];
    *lower = cover.lower;
    return assign_serving(grid, w, t, x, NULL);
}

/* The first hour that needs as much as this one. */
static int like_hour(const struct grid *grid, int w, int t)
{
    const double *need = &grid->need[w * grid->hours];
    int first = 0;

    while (need[first] != need[t])
        first++;
    return first;
}

double fixed_cost(const struct grid *grid, int w, const short *held)
{
    double each[POOL_MOST_HOURS], cost = 0, lower;
    short x[POOL_MOST_WAYS];

    for (int t = 0; t < grid->hours; t++) {
        int first = like_hour(grid, w, t);

        each[t] = first < t ? each[first] : serve_cost(grid, w, t, held, x, &lower);
        cost += each[t];
    }
    return cost;
}

void fixed_serve(const struct grid *grid, int w, int t, const short *held, short *x)
{
    double lower;

    serve_cost(grid, w, t, held, x, &lower);
}

/* ---- the price of a choice ---- */

static int with_first(const struct fixed_price *price, int gpus)
{
    return gpus > 0 ? gpus + price->first : 0;
}

static double own_price(const struct fixed_price *price, int gpus)
{
    int all = with_first(price, gpus), low = all < price->low_left ? all : price->low_left;

    return gpus > price->room ? INFINITY : low * price->low + (all - low) * price->high;
}

static double owned_cost(const struct search *s, int *gpus)
{
    int own[POOL_MOST_TYPES];
    double cost = 0, watts = 0;
    int slots = 0;

    assign_holding(s->grid, s->w, s->held, own);
    *gpus = 0;
    for (int g = 0; g < s->grid->types; g++) {
        int all;

        own[g] = own[g] > s->market->type[g].least ? own[g] : s->market->type[g].least;
        all = with_first(&s->market->type[g], own[g]);
        cost += own[g] > 0 ? own_price(&s->market->type[g], own[g]) : 0;
        *gpus += own[g];
        slots += all * s->grid->type[g].slots;
        watts += all * s->grid->type[g].watts;
    }
    return slots > s->market->gpus || watts > s->market->watts ? INFINITY : cost;
}

/* With what the hours cost in it; what they cost at least stays open when the search
 * may not know the best. */
static double served_cost(struct search *s, double cost, double limit)
{
    double each[POOL_MOST_HOURS], lower[POOL_MOST_HOURS], least = cost;
    short x[POOL_MOST_WAYS];

    for (int t = 0; t < s->grid->hours && least <= limit; t++) {
        int first = s->like[t];

        each[t] = first < t ? each[first] : serve_cost(s->grid, s->w, t, s->held, x, &lower[t]);
        lower[t] = lower[first];
        cost += each[t];
        least += lower[t];
    }
    if (least < cost * (1 - 1e-12))
        s->open = fmin(s->open, least);
    return cost;
}

static void take_leaf(struct search *s)
{
    int gpus;
    double cost = owned_cost(s, &gpus), tie = isinf(s->out->cost) ? 0 : 1e-9 * fabs(s->out->cost);

    if (cost + s->unlimited > s->out->cost + tie)
        return;
    s->leaves--;
    cost = served_cost(s, cost, s->out->cost + tie);
    if (cost > s->out->cost + tie || (cost > s->out->cost - tie && gpus >= s->gpus))
        return;
    s->out->cost = cost;
    s->gpus = gpus;
    memcpy(s->out->held, s->held, sizeof(s->out->held));
}

static bool is_spent(struct search *s, double bound)
{
    if (s->leaves > 0 && s->steps-- > 0)
        return false;
    s->open = fmin(s->open, bound);
    return true;
}

/* ---- filling servers ---- */

static int fits_way(const struct search *s, int i)
{
    const struct way *way = &s->way[i];
    const struct grid_type *type = &s->grid->type[way->type];

    if (way->seat > type->unit)
        return 0; /* has its block */
    return way->slice < 0 ? s->free[way->type] / way->seat
                          : (int)fmin(s->free[way->type] / fmax(type->weight[way->slice], 1e-6),
                                      POOL_MOST_REPLICAS);
}

/* `spent`: the servers' price; ways from i on may still stand in them. */
static void fill_servers(struct search *s, int i, double spent)
{
    double capacity = 0, short_of, bound;
    int most, enough;

    for (int k = 0; k < s->ways; k++)
        capacity += s->held[k] * s->way[k].rate;
    for (int g = 0; g < s->grid->types; g++)
        capacity += s->free[g] * s->dense[g];
    short_of = s->peak - capacity;
    bound = fmax(spent, s->least) + s->unlimited +
            (short_of > 0 ? short_of * s->grid->penalty[s->w] : 0);
    if (bound >= s->out->cost || is_spent(s, bound))
        return;
    while (i < s->ways && fits_way(s, i) == 0)
        i++; /* too few of it, if some are held: the leaf sees that */
    if (i == s->ways) {
        take_leaf(s);
        return;
    }
    most = fits_way(s, i);
    enough = (int)fmin(ceil(s->peak / s->way[i].rate), POOL_MOST_REPLICAS);
    if (enough < s->grid->pool->workloads[s->w].minimum)
        enough = s->grid->pool->workloads[s->w].minimum;
    if (most > enough)
        most = enough;
    for (int x = most; x >= 0; x--) {
        const struct way *way = &s->way[i];
        double share = way->slice >= 0 ? s->grid->type[way->type].weight[way->slice] : 1;
        int taken = way->slice >= 0 ? (int)floor(x * share + 1e-9) : x * way->seat;

        s->held[i] = (short)x;
        s->free[way->type] -= taken;
        fill_servers(s, i + 1, spent);
        s->free[way->type] += taken;
        s->held[i] = 0;
    }
}

/* ---- choosing units ---- */

static void choose_units(struct search *s, int b, double spent, double left)
{
    const struct block *block;
    int enough, own_spare;
    double bound = fmax(spent + (left > 0 ? left * s->rest_rate[b] : 0), s->least) + s->unlimited;

    if (bound >= s->out->cost || is_spent(s, bound))
        return;
    if (b == s->block_count) {
        fill_servers(s, 0, spent);
        return;
    }
    block = &s->blocks[b];
    own_spare = s->grid->type[block->type].own_spare;
    enough = left > 0 ? (int)fmin(ceil(left / block->rate * (1 - 1e-12)), block->most) : 0;
    for (int k = 0; k <= block->most; k++) { /* what is just enough first, more at last */
        int x = k <= enough ? enough - k : k;

        if (block->way >= 0)
            s->held[block->way] = (short)x;
        else /* GPUs of x servers that may be filled */
            s->free[block->type] = own_spare < x * block->gpus ? x * block->gpus - own_spare : 0;
        choose_units(s, b + 1, spent + x * block->price, left - x * block->rate);
    }
}

/* ---- blocks ---- */

/* Replicas of one way that may be of use. */
static double useful_count(const struct search *s, int i)
{
    return fmax(ceil(s->peak / s->way[i].rate * (1 - 1e-12)),
                s->grid->pool->workloads[s->w].minimum);
}

/* Servers that hold those of all ways: the hours may each want another one. */
static double useful_servers(const struct search *s, int g)
{
    const struct grid_type *type = &s->grid->type[g];
    double gpus = type->own_spare, slices[POOL_MOST_SLICES] = {0};

    for (int i = 0; i < s->ways; i++)
        if (s->way[i].type == g && s->way[i].slice >= 0)
            slices[s->way[i].slice] += useful_count(s, i);
        else if (s->way[i].type == g && s->way[i].seat <= type->unit)
            gpus += useful_count(s, i) * s->way[i].seat;
    for (int p = 0; p < s->grid->pool->types[g].slices; p++) {
        int most = 1;

        for (int k = 0; k < s->grid->pool->types[g].cuts; k++)
            most =
                s->grid->pool->types[g].cut[k][p] > most ? s->grid->pool->types[g].cut[k][p] : most;
        gpus += ceil(slices[p] / most);
    }
    return ceil(gpus / type->unit);
}

static void add_block(struct search *s, int g, int way, int gpus, double share, double rate)
{
    struct block *b = &s->blocks[s->block_count];
    double most = way >= 0 ? useful_count(s, way) : useful_servers(s, g);
    double room = floor(s->market->type[g].room / (gpus * share) + 1e-9);
    double low = s->market->type[g].low_left > 0 ? s->market->type[g].low : s->market->type[g].high;

    most = fmin(fmin(most, room), POOL_MOST_REPLICAS);
    if (most < 1)
        return;
    *b = (struct block){.type = g,
                        .way = way,
                        .gpus = gpus,
                        .price = gpus * share * low,
                        .rate = rate,
                        .most = (int)most};
    s->block_count++;
}

static void make_blocks(struct search *s)
{
    for (int i = 0; i < s->ways; i++) {
        const struct way *way = &s->way[i];
        const struct grid_type *type = &s->grid->type[way->type];

        if (type->unit == 1 || way->seat > type->unit)
            add_block(s, way->type, i, way->seat, way->slice >= 0 ? type->weight[way->slice] : 1,
                      way->rate);
    }
    for (int g = 0; g < s->grid->types; g++) {
        int unit = s->grid->type[g].unit;

        /* The best rate per GPU in a server of a type: of whole GPUs, or of one that is cut. */
        const struct pool_type *type = &s->grid->pool->types[g];

        s->dense[g] = 0;
        for (int i = 0; i < s->ways; i++)
            if (s->way[i].type == g && s->way[i].slice < 0 &&
                s->way[i].seat <= s->grid->type[g].unit)
                s->dense[g] = fmax(s->dense[g], s->way[i].rate / s->way[i].seat);
        for (int k = 0; k < type->cuts && s->grid->sliced; k++) {
            double sum = 0;

            for (int p = 0; p < type->slices; p++) {
                double best = 0;

                for (int i = 0; i < s->ways; i++)
                    if (s->way[i].type == g && s->way[i].slice == p)
                        best = fmax(best, s->way[i].rate);
                sum += best * type->cut[k][p];
            }
            s->dense[g] = fmax(s->dense[g], sum);
        }
        if (unit > 1 && s->dense[g] > 0)
            add_block(s, g, -1, unit, 1, unit * s->dense[g]);
        if (unit == 1)
            s->dense[g] = 0;
    }
    for (int i = 1; i < s->block_count; i++)
        for (int at = i; at > 0; at--) {
            struct block *a = &s->blocks[at - 1], *b = &s->blocks[at], swap = *a;

            if (a->price * b->rate <= b->price * a->rate)
                break;
            *a = *b;
            *b = swap;
        }
    s->rest_rate[s->block_count] = s->grid->penalty[s->w];
    for (int i = s->block_count - 1; i >= 0; i--)
        s->rest_rate[i] = fmin(s->blocks[i].price / s->blocks[i].rate, s->rest_rate[i + 1]);
}

static double unlimited_running(struct search *s)
{
    const struct grid *grid = s->grid;
    double none[POOL_MOST_TYPES] = {0}, each[POOL_MOST_HOURS], sum = 0, peak_cost = 0;
    struct cover cover;

    for (int t = 0; t < grid->hours; t++) {
        double need = grid->need[s->w * grid->hours + t];

        if (s->like[t] == t)
            assign_cover(grid, s->w, t, none, NULL, NULL, 0, &cover);
        each[t] = s->like[t] == t ? cover.lower : each[s->like[t]];
        sum += each[t];
        if (need >= s->peak) {
            s->peak = need;
            peak_cost = each[t];
        }
    }
    return fmax(0, sum - peak_cost);
}

void fixed_solve(const struct grid *grid, int w, const struct fixed_market *market, int leaves,
                 struct fixed *out)
{
    struct search s = {.grid = grid,
                       .w = w,
                       .ways = grid->first[w + 1] - grid->first[w],
                       .way = &grid->ways[grid->first[w]],
                       .market = market,
                       .out = out,
                       .leaves = leaves,
                       .steps = leaves * STEPS_PER_LEAF,
                       .open = INFINITY};

    memset(out, 0, sizeof(*out));
    for (int t = 0; t < grid->hours; t++)
        s.like[t] = like_hour(grid, w, t);
    s.unlimited = unlimited_running(&s);
    for (int g = 0; g < grid->types; g++)
        if (market->type[g].least > 0)
            s.least += own_price(&market->type[g], market->type[g].least);
    out->cost = served_cost(&s, s.least, INFINITY); /* nothing held: all unmet */
    make_blocks(&s);
    choose_units(&s, 0, 0, s.peak);
    out->lower = fmin(out->cost, s.open);
    out->nodes = (leaves - s.leaves) * grid->hours + leaves * STEPS_PER_LEAF - s.steps;
}

int fixed_job(const struct grid *grid, int j, const struct fixed_market *market, double *cost)
{
    const struct pool_job *job = &grid->pool->jobs[j];
    int best = 0;

    *cost = INFINITY;
    for (int k = 0; k <= job->most; k++) {
        int gpus = grid_own_units(&grid->type[job->type], k * grid->job_seat[j]);
        int all = with_first(&market->type[job->type], gpus);
        bool possible = all * grid->type[job->type].slots <= market->gpus &&
                        all * grid->type[job->type].watts <= market->watts;
        double done = fmin(job->gpu_hours, (double)k * job->gpus * (job->end - job->first));
        double now = (k > 0 ? own_price(&market->type[job->type], gpus) : 0) +
                     assign_job_cost(grid, j, done);

        if (possible && now < *cost * (1 - 1e-12)) {
            *cost = now;
            best = k;
        }
        if (done >= job->gpu_hours)
            break;
    }
    return best;
}
