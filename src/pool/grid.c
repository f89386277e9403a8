/*
 * grid.c - see grid.h.
 */
#include "pool/grid.h"

#include <limits.h>
#include <math.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

#define SHORTAGE_FACTOR 20 /* an hour of it costs so many days of the dearest way to serve it */

int pool_seat(int gpus, int server_gpus)
{
    int seat = server_gpus;

    if (gpus >= server_gpus)
        return (gpus + server_gpus - 1) / server_gpus * server_gpus;
    for (int f = 2; f <= seat; f++) /* each part divides the one before */
        while (seat % f == 0 && seat / f >= gpus)
            seat /= f;
    return seat;
}

static bool is_composed(enum pool_rung_id id)
{
    return id == POOL_COMPOSED || id == POOL_HOURLY;
}

bool pool_composes(const struct pool *pool, int type, enum pool_rung_id id)
{
    return is_composed(id) && !pool->types[type].module;
}

double pool_start_s(const struct pool *pool, int candidate, enum pool_rung_id id)
{
    const struct pool_candidate *c = &pool->candidates[candidate];
    double load = c->load_s > 0 ? c->load_s : pool->change_s[POOL_LOAD];

    return load + pool->change_s[POOL_RESTART] +
           (pool_composes(pool, c->type, id) ? pool->change_s[POOL_RECOMPOSE] : 0);
}

static double kwh_price(const struct pool *pool)
{
    return pool->electricity * (pool->pue >= 1 ? pool->pue : 1) / 1000; /* $ per Wh */
}

/* $ of a GPU that is bought and used for an hour. */
static double whole_hour(const struct pool *pool, const struct pool_type *type)
{
    return fmax(type->buy_hour, type->stock_hour) + type->run_hour +
           type->busy_watts * kwh_price(pool);
}

double pool_penalty(const struct pool *pool, int workload)
{
    const struct pool_workload *w = &pool->workloads[workload];
    double dearest = 0; /* $ of a unit for an hour */

    if (w->penalty > 0)
        return w->penalty;
    for (int c = 0; c < pool->candidate_count; c++) {
        const struct pool_candidate *way = &pool->candidates[c];
        double rate = fmax(way->rate, way->composed_rate);

        if (way->workload == workload && rate > 0)
            dearest = fmax(dearest, way->gpus * whole_hour(pool, &pool->types[way->type]) / rate);
    }
    return SHORTAGE_FACTOR * w->priority * pool->hours * (dearest > 0 ? dearest : 1);
}

/* ---- what GPUs cost ---- */

/* What GPUs of a type cost on this rung, and how many there may be. */
static void set_type(struct grid *grid, int g)
{
    const struct pool *pool = grid->pool;
    const struct pool_type *from = &pool->types[g];
    struct grid_type *type = &grid->type[g];
    bool cloud = grid->id == POOL_CLOUD, composed = pool_composes(pool, g, grid->id);
    double wh = kwh_price(pool), premium = composed ? from->premium_hour : 0;

    type->unit = composed || cloud ? 1 : from->server_gpus;
    type->slots = composed;
    type->watts = from->busy_watts;
    slices_weights(from, type->weight);
    type->own_spare = grid->jobs_own && type->unit > 1 ? from->spare : 0;
    if (cloud) {
        type->run = from->cloud_hour;
        type->stock = type->most = from->cloud_hour > 0 ? INT_MAX / 2 : 0;
        return;
    }
    type->spare = from->spare - type->own_spare;
    type->stock = from->stock / type->unit * type->unit;
    type->most = (from->stock + from->buy) / type->unit * type->unit;
    type->own_energy = from->idle_watts * wh * grid->hours;
    type->own_stock = (from->stock_hour + premium) * grid->hours + type->own_energy;
    type->own_buy = (from->buy_hour + premium) * grid->hours + type->own_energy;
    type->run_energy = (from->busy_watts - from->idle_watts) * wh;
    type->run = from->run_hour + type->run_energy;
}

/* ---- what workloads need and can take ---- */

static bool way_of(const struct grid *grid, int candidate, struct way *way)
{
    const struct pool *pool = grid->pool;
    const struct pool_candidate *c = &pool->candidates[candidate];
    const struct pool_type *type = &pool->types[c->type];
    double rate = pool_composes(pool, c->type, grid->id) ? c->composed_rate : c->rate;
    double hour = grid->id == POOL_CLOUD ? type->cloud_hour : whole_hour(pool, type);

    *way = (struct way){.candidate = candidate,
                        .type = c->type,
                        .slice = c->slice,
                        .gpus = c->gpus,
                        .seat = pool_seat(c->gpus, grid->type[c->type].unit),
                        .rate = rate,
                        .start = c->gpus * hour * pool_start_s(pool, candidate, grid->id) / 3600};
    return rate > 0 && way->seat <= grid->type[c->type].most;
}

/* Does as much as the other in no more of the same GPUs, and starts at no more cost. */
static bool is_as_good(const struct way *way, const struct way *other)
{
    return way->type == other->type && way->slice == other->slice && way->seat <= other->seat &&
           way->gpus <= other->gpus && way->rate >= other->rate && way->start <= other->start;
}

/* The first of the best ways that are as good as the i-th of a workload. */
static int stand_in(const struct way *all, int count, int i)
{
    int best = i;

    for (int k = 0; k < count; k++)
        if (is_as_good(&all[k], &all[best]) && (k < best || !is_as_good(&all[best], &all[k])))
            best = k;
    return best;
}

/* Ways of workload w from candidate c on; the next candidate. A way that another one is
 * as good as is left out, which then stands for its candidate. */
static int ways_from(struct grid *grid, int w, int c)
{
    struct way all[POOL_MOST_WAYS];
    int place[POOL_MOST_WAYS], count = 0, at = grid->first[w];

    for (; c < grid->pool->candidate_count && grid->pool->candidates[c].workload == w; c++) {
        grid->stands[c] = -1;
        count += way_of(grid, c, &all[count]);
    }
    for (int i = 0; i < count; i++) {
        place[i] = at;
        if (stand_in(all, count, i) == i) {
            grid->sliced |= all[i].slice >= 0;
            grid->ways[at++] = all[i];
        }
    }
    for (int i = 0; i < count; i++)
        grid->stands[all[i].candidate] = place[stand_in(all, count, i)];
    grid->first[w + 1] = at;
    return c;
}

static void workload_needs(struct grid *grid, int w)
{
    const struct pool_workload *from = &grid->pool->workloads[w];
    double burst = from->burst > 1 ? from->burst : 1, best = 0;

    for (int t = 0; t < grid->hours; t++)
        grid->need[w * grid->hours + t] = from->demand[t] * burst;
    grid->penalty[w] = pool_penalty(grid->pool, w);
    for (int i = 0; i < grid->pool->candidate_count; i++) {
        const struct pool_candidate *c = &grid->pool->candidates[i];

        if (c->workload == w) /* on any rung: a shortage costs the same on all */
            best = fmax(best, fmax(c->rate, c->composed_rate));
    }
    grid->missing[w] = grid->penalty[w] * (best > 0 ? best : 1);
    grid->constant[w] =
        grid->jobs_own || (from->alone && (grid->id == POOL_SHARED || grid->id == POOL_HOURLY));
}

/* No fleet is larger than what all that may use it would take alone. */
static void clamp_most(struct grid *grid)
{
    double use[POOL_MOST_TYPES] = {0};

    for (int w = 0; w < grid->workloads; w++) {
        double most[POOL_MOST_TYPES] = {0}, peak = 0;

        for (int t = 0; t < grid->hours; t++)
            peak = fmax(peak, grid->need[w * grid->hours + t]);
        for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
            const struct way *way = &grid->ways[i];
            double count = fmax(ceil(peak / way->rate), grid->pool->workloads[w].minimum);

            most[way->type] += fmin(count, POOL_MOST_REPLICAS) * way->seat;
        }
        for (int g = 0; g < grid->types; g++)
            use[g] +=
                ceil((most[g] + grid->type[g].own_spare) / grid->type[g].unit) * grid->type[g].unit;
    }
    for (int j = 0; j < grid->jobs; j++) {
        const struct pool_job *job = &grid->pool->jobs[j];

        use[job->type] += (double)job->most * grid->job_seat[j] + grid->type[job->type].unit +
                          grid->type[job->type].own_spare;
    }
    for (int g = 0; g < grid->types; g++) {
        struct grid_type *type = &grid->type[g];
        double most = ceil((use[g] + type->spare) / type->unit) * type->unit;

        type->scarce = most > type->most;
        if (!type->scarce)
            type->most = (int)most;
        if (type->stock > type->most)
            type->stock = type->most;
    }
}

void grid_init(struct grid *grid, const struct pool *pool, enum pool_rung_id id)
{
    size_t w = (size_t)pool->workload_count;

    *grid = (struct grid){.pool = pool,
                          .id = id,
                          .hours = pool->hours,
                          .types = pool->type_count,
                          .workloads = pool->workload_count,
                          .jobs = pool->job_count,
                          .jobs_own = id == POOL_FIXED || id == POOL_COMPOSED,
                          .slots = is_composed(id) ? pool->chassis_slots : 0,
                          .watts = id == POOL_CLOUD ? 0 : pool->watts};
    grid->ways = arrays_add(&grid->arrays, (size_t)pool->candidate_count + 1, sizeof(*grid->ways));
    grid->first = arrays_add(&grid->arrays, w + 1, sizeof(*grid->first));
    grid->need = arrays_add(&grid->arrays, w * (size_t)pool->hours, sizeof(*grid->need));
    grid->penalty = arrays_add(&grid->arrays, w, sizeof(*grid->penalty));
    grid->missing = arrays_add(&grid->arrays, w, sizeof(*grid->missing));
    grid->constant = arrays_add(&grid->arrays, w, sizeof(*grid->constant));
    for (int g = 0; g < grid->types; g++)
        set_type(grid, g);
    grid->stands =
        arrays_add(&grid->arrays, (size_t)pool->candidate_count + 1, sizeof(*grid->stands));
    for (int i = 0, c = 0; i < grid->workloads; i++)
        c = ways_from(grid, i, c);
    for (int i = 0; i < grid->workloads; i++)
        workload_needs(grid, i);
    for (int j = 0; j < grid->jobs; j++) {
        const struct pool_job *job = &pool->jobs[j];

        grid->job_seat[j] = pool_seat(job->gpus, grid->type[job->type].unit);
        grid->job_penalty[j] = job->penalty > 0 ? job->penalty
                                                : SHORTAGE_FACTOR * grid->hours *
                                                      whole_hour(pool, &pool->types[job->type]);
    }
    clamp_most(grid);
}

void grid_fini(struct grid *grid)
{
    arrays_free(&grid->arrays);
    *grid = (struct grid){0};
}

double grid_seat(const struct grid *grid, int i)
{
    const struct way *way = &grid->ways[i];

    return way->slice >= 0 ? grid->type[way->type].weight[way->slice] : way->seat;
}

double grid_own(const struct grid_type *type, int used, int *kept)
{
    int n = used <= 0 ? 0 : grid_units(type, used + type->spare);
    int bought = n > type->stock ? n - type->stock : 0;

    if (kept)
        *kept = n;
    return type->own_stock * (n - bought) + type->own_buy * bought;
}

int grid_units(const struct grid_type *type, int gpus)
{
    return (gpus + type->unit - 1) / type->unit * type->unit;
}

int grid_own_units(const struct grid_type *type, int gpus)
{
    return gpus > 0 ? grid_units(type, gpus + type->own_spare) : 0;
}

int grid_room(const struct grid_type *type)
{
    int room = type->most - type->spare;

    return room > 0 ? room : 0;
}

int grid_room_with(const struct grid_type *type, int used)
{
    int kept;

    grid_own(type, used, &kept);
    return kept > type->spare ? kept - type->spare : 0;
}

bool grid_allows(const struct grid *grid, const int *kept)
{
    double watts = 0;
    long count = 0;

    for (int g = 0; g < grid->types; g++) {
        count += (long)kept[g] * grid->type[g].slots;
        watts += kept[g] * grid->type[g].watts;
    }
    return (grid->slots == 0 || count <= grid->slots) &&
           (grid->watts <= 0 || watts <= grid->watts * (1 + 1e-12));
}

/* ---- MIG slices on whole GPUs ---- */

#define NODES 60 /* tries for one set of slices: hundreds of thousands of sets are asked for */

static double cut_weight(const struct pool_type *type, int k, const double *weight)
{
    double sum = 0;

    for (int p = 0; p < type->slices; p++)
        sum += type->cut[k][p] * weight[p];
    return sum;
}

void slices_weights(const struct pool_type *type, double weight[POOL_MOST_SLICES])
{
    for (int p = 0; p < type->slices; p++) {
        int most = 0;

        for (int k = 0; k < type->cuts; k++)
            most = type->cut[k][p] > most ? type->cut[k][p] : most;
        weight[p] = most > 0 ? 1.0 / most : 0;
    }
    for (int k = 0; k < type->cuts; k++) { /* scaled down where a cut weighs too much */
        double sum = cut_weight(type, k, weight);

        for (int p = 0; p < type->slices && sum > 1; p++)
            if (type->cut[k][p] > 0)
                weight[p] /= sum;
    }
    for (int p = 0; p < type->slices; p++) { /* and up where there is room */
        double room = INFINITY;

        for (int k = 0; k < type->cuts; k++)
            if (type->cut[k][p] > 0)
                room = fmin(room, (1 - cut_weight(type, k, weight)) / type->cut[k][p]);
        weight[p] = fmax(0, (isinf(room) ? 0 : weight[p] + room) * (1 - 1e-12));
    }
}

struct slicing {
    const struct pool_type *type;
    const double *weight;
    int left[POOL_MOST_SLICES];
    int taken[POOL_MOST_CUTS], best[POOL_MOST_CUTS];
    int gpus, fewest, nodes;
};

static double cut_use(const struct slicing *s, int k)
{
    double sum = 0;

    for (int p = 0; p < s->type->slices; p++) {
        int used = s->type->cut[k][p] < s->left[p] ? s->type->cut[k][p] : s->left[p];

        sum += used > 0 ? used * s->weight[p] : 0;
    }
    return sum;
}

static void slices_descend(struct slicing *s)
{
    const struct pool_type *type = s->type;
    bool tried[POOL_MOST_CUTS] = {0};
    double least = 0; /* GPUs that the rest takes */
    int p = -1;       /* the profile that is hardest to place */

    for (int q = 0; q < type->slices; q++) {
        if (s->left[q] > 0 && (p < 0 || s->weight[q] > s->weight[p]))
            p = q;
        least += s->left[q] > 0 ? s->left[q] * s->weight[q] : 0;
    }
    if (p < 0) {
        if (s->gpus < s->fewest) {
            s->fewest = s->gpus;
            memcpy(s->best, s->taken, sizeof(s->best));
        }
        return;
    }
    if (s->gpus + (int)ceil(least - 1e-9) >= s->fewest)
        return;
    for (int round = 0; round < type->cuts; round++) { /* the fullest cut first */
        int pick = -1;

        for (int k = 0; k < type->cuts; k++)
            if (!tried[k] && type->cut[k][p] > 0 &&
                (pick < 0 || cut_use(s, k) > cut_use(s, pick) + 1e-12))
                pick = k;
        if (pick < 0 || (s->nodes-- <= 0 && s->fewest < POOL_MOST_GPUS))
            return;
        tried[pick] = true;
        for (int q = 0; q < type->slices; q++)
            s->left[q] -= type->cut[pick][q];
        s->taken[pick]++;
        s->gpus++;
        slices_descend(s);
        s->gpus--;
        s->taken[pick]--;
        for (int q = 0; q < type->slices; q++)
            s->left[q] += type->cut[pick][q];
    }
}

int slices_gpus(const struct pool_type *type, const double weight[POOL_MOST_SLICES],
                const int count[POOL_MOST_SLICES], int cuts[POOL_MOST_CUTS])
{
    struct slicing s = {.type = type, .weight = weight, .fewest = POOL_MOST_GPUS, .nodes = NODES};
    bool any = false;

    if (cuts)
        memset(cuts, 0, sizeof(int) * POOL_MOST_CUTS);
    for (int p = 0; p < type->slices; p++) {
        s.left[p] = count[p];
        any = any || count[p] > 0;
    }
    if (!any)
        return 0;
    slices_descend(&s);
    if (cuts)
        memcpy(cuts, s.best, sizeof(s.best));
    return s.fewest;
}

/* ---- what the solver relies on ---- */

struct range {
    const char *name;
    double value, low, high;
};

static enum gp_status check_ranges(const char *where, int index, const struct range *ranges,
                                   int count, struct gp_err *err)
{
    for (int i = 0; i < count; i++)
        if (!(ranges[i].value >= ranges[i].low && ranges[i].value <= ranges[i].high))
            return gp_fail(err, GP_E_USAGE, where, "", "%d: %s %g is outside %g..%g", index,
                           ranges[i].name, ranges[i].value, ranges[i].low, ranges[i].high);
    return GP_OK;
}

#define MOST 1e9 /* dollars, watts, units of demand */
#define CHECK(where, index, ...)                                    \
    check_ranges(where, index, (const struct range[]){__VA_ARGS__}, \
                 (int)(sizeof((const struct range[]){__VA_ARGS__}) / sizeof(struct range)), err)

static enum gp_status check_cuts(const struct pool_type *type, int g, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    for (int p = 0; p < type->slices && rc == GP_OK; p++) {
        int most = 0;

        for (int k = 0; k < type->cuts; k++) {
            rc = CHECK("type", g, {"slices of a cut", type->cut[k][p], 0, 64});
            if (rc != GP_OK)
                return rc;
            most = type->cut[k][p] > most ? type->cut[k][p] : most;
        }
        rc = CHECK("type", g, {"slices of a profile on one GPU", most, 1, 64});
    }
    return rc;
}

static enum gp_status check_type(const struct pool_type *type, int g, struct gp_err *err)
{
    enum gp_status rc = CHECK(
        "type", g, {"stock", type->stock, 0, POOL_MOST_GPUS}, {"buy", type->buy, 0, POOL_MOST_GPUS},
        {"stock_hour", type->stock_hour, 0, MOST}, {"buy_hour", type->buy_hour, 0, MOST},
        {"run_hour", type->run_hour, 0, MOST}, {"cloud_hour", type->cloud_hour, 0, MOST},
        {"premium_hour", type->premium_hour, 0, MOST},
        {"busy_watts", type->busy_watts, type->idle_watts, MOST},
        {"idle_watts", type->idle_watts, 0, MOST},
        {"server_gpus", type->server_gpus, 1, POOL_MOST_REPLICA},
        {"spare", type->spare, 0, POOL_MOST_GPUS}, {"slices", type->slices, 0, POOL_MOST_SLICES},
        {"cuts", type->cuts, type->slices > 0, POOL_MOST_CUTS});

    if (rc == GP_OK && type->buy > 0)
        rc = CHECK("type", g, {"stock_hour above buy_hour:", type->stock_hour, 0, type->buy_hour});
    return rc != GP_OK ? rc : check_cuts(type, g, err);
}

static enum gp_status check_workload(const struct pool *pool, int w, struct gp_err *err)
{
    const struct pool_workload *from = &pool->workloads[w];
    enum gp_status rc = CHECK(
        "workload", w, {"burst", from->burst, 1, 1000}, {"penalty", from->penalty, 0, MOST},
        {"priority", from->priority, 1, 1000}, {"minimum", from->minimum, 0, POOL_MOST_REPLICA});

    for (int t = 0; t < pool->hours && rc == GP_OK; t++)
        rc = CHECK("workload", w, {"demand", from->demand[t], 0, MOST});
    return rc;
}

static enum gp_status check_candidate(const struct pool *pool, int i, int *ways, struct gp_err *err)
{
    const struct pool_candidate *c = &pool->candidates[i];
    int before = i > 0 ? pool->candidates[i - 1].workload : 0;
    enum gp_status rc =
        CHECK("candidate", i, {"workload", c->workload, before, pool->workload_count - 1},
              {"type", c->type, 0, pool->type_count - 1},
              {"gpus", c->gpus, 1, c->slice >= 0 ? 1 : POOL_MOST_REPLICA},
              {"rate", c->rate, 0, MOST}, {"composed_rate", c->composed_rate, 0, MOST},
              {"free_rate", c->free_rate, 0, MOST}, {"load_s", c->load_s, 0, MOST});

    *ways = i > 0 && c->workload == before ? *ways + 1 : 1;
    if (rc == GP_OK)
        rc = CHECK("candidate", i,
                   {"slice", c->slice, POOL_NO_SLICE, pool->types[c->type].slices - 1},
                   {"candidates of its workload", *ways, 1, POOL_MOST_WAYS});
    return rc;
}

static enum gp_status check_job(const struct pool *pool, int j, struct gp_err *err)
{
    const struct pool_job *job = &pool->jobs[j];

    return CHECK(
        "job", j, {"type", job->type, 0, pool->type_count - 1},
        {"gpus", job->gpus, 1, POOL_MOST_REPLICA}, {"most", job->most, 1, POOL_MOST_REPLICA},
        {"gpu_hours", job->gpu_hours, 0, 1e6}, {"first", job->first, 0, pool->hours - 1},
        {"end", job->end, job->first + 1, pool->hours}, {"penalty", job->penalty, 0, MOST});
}

enum gp_status pool_check(const struct pool *pool, struct gp_err *err)
{
    int ways = 0;
    enum gp_status rc = CHECK(
        "pool", 0, {"hours", pool->hours, 1, POOL_MOST_HOURS},
        {"GPU types", pool->type_count, 1, POOL_MOST_TYPES},
        {"workloads", pool->workload_count, 1, POOL_MOST_WORKLOADS},
        {"candidates", pool->candidate_count, 0, POOL_MOST_WORKLOADS * POOL_MOST_WAYS},
        {"jobs", pool->job_count, 0, POOL_MOST_JOBS}, {"electricity", pool->electricity, 0, 1000},
        {"pue", pool->pue, 1, 10}, {"watts", pool->watts, 0, 1e12},
        {"chassis_slots", pool->chassis_slots, 0, POOL_MOST_GPUS});

    for (int i = 0; i < POOL_CHANGES && rc == GP_OK; i++)
        rc = CHECK("change", i, {"seconds", pool->change_s[i], 0, 1e6});
    for (int g = 0; g < pool->type_count && rc == GP_OK; g++)
        rc = check_type(&pool->types[g], g, err);
    for (int w = 0; w < pool->workload_count && rc == GP_OK; w++)
        rc = check_workload(pool, w, err);
    for (int i = 0; i < pool->candidate_count && rc == GP_OK; i++)
        rc = check_candidate(pool, i, &ways, err);
    for (int j = 0; j < pool->job_count && rc == GP_OK; j++)
        rc = check_job(pool, j, err);
    return rc;
}
