/*
 * account.c - see assign.h.
 */
#include "pool/assign.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

struct account {
    const struct grid *grid;
    struct assign *a;
    struct pool_rung *out;
    double busy[POOL_MOST_TYPES]; /* GPU-hours that draw busy power */
};

/* ---- the plan itself ---- */

static void copy_replicas(struct account *c)
{
    const struct grid *grid = c->grid;
    int hours = grid->hours;

    c->out->replicas = gp_calloc((size_t)grid->pool->candidate_count * (size_t)hours + 1,
                                 sizeof(*c->out->replicas));
    for (int i = 0; i < grid->first[grid->workloads]; i++)
        for (int t = 0; t < hours; t++)
            c->out->replicas[grid->ways[i].candidate * hours + t] = c->a->x[i * hours + t];
}

static void copy_use(struct account *c)
{
    const struct grid *grid = c->grid;
    size_t cells = (size_t)grid->hours * (size_t)grid->types;

    c->out->use = gp_calloc(cells, sizeof(*c->out->use));
    c->out->workers =
        gp_calloc((size_t)grid->jobs * (size_t)grid->hours + 1, sizeof(*c->out->workers));
    memcpy(c->out->use, c->a->use, cells * sizeof(*c->out->use));
    memcpy(c->out->workers, c->a->workers,
           (size_t)grid->jobs * (size_t)grid->hours * sizeof(*c->out->workers));
    for (int j = 0; j < grid->jobs && !grid->jobs_own; j++)
        for (int t = 0; t < grid->hours; t++)
            c->out->use[t * grid->types + grid->pool->jobs[j].type] +=
                c->a->workers[j * grid->hours + t] * grid->job_seat[j];
}

static void copy_gpus(struct account *c)
{
    const struct grid *grid = c->grid;

    for (int g = 0; g < grid->types; g++) {
        int *kept = &c->out->gpus[g];

        if (grid->id != POOL_CLOUD) {
            grid_own(&grid->type[g], c->a->room[g], kept);
            continue;
        }
        for (int t = 0; t < grid->hours; t++)
            if (c->out->use[t * grid->types + g] > *kept)
                *kept = c->out->use[t * grid->types + g];
    }
}

/* ---- where the GPU-hours of one workload in one hour go ---- */

struct served {
    double gpus; /* that work, slices by their share */
    double rate, free_rate;
};

static struct served serve(const struct grid *grid, const struct assign *a, int w, int t)
{
    struct served s = {0};

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        const struct pool_candidate *from = &grid->pool->candidates[way->candidate];
        int x = a->x[i * grid->hours + t];

        s.gpus += x * (way->slice >= 0 ? grid->type[way->type].weight[way->slice] : way->gpus);
        s.rate += x * way->rate;
        s.free_rate += x * fmax(from->free_rate, way->rate);
    }
    return s;
}

static void split_served(struct account *c, int w, int t)
{
    const struct grid *grid = c->grid;
    struct served s = serve(grid, c->a, w, t);
    double need = grid->need[w * grid->hours + t];
    double mean = grid->pool->workloads[w].demand[t];
    double met, served, useful;

    if (s.gpus <= 0)
        return;
    met = fmin(1, need / s.rate);
    served = fmin(1, mean / s.rate);
    useful = fmin(served, mean / s.free_rate);
    c->out->stranded[POOL_STRANDED_REPLICA] += s.gpus * (1 - met);
    c->out->stranded[POOL_STRANDED_HEADROOM] += s.gpus * (met - useful);
    c->out->utilisation += s.gpus * useful;
}

/* GPUs at work, and what is left of those that are cut. */
static void split_working(struct account *c, int w, int t, double *working)
{
    const struct grid *grid = c->grid;

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        int x = c->a->x[i * grid->hours + t];

        if (way->slice < 0) {
            c->busy[way->type] += x * way->gpus;
            working[way->type] += x * way->gpus;
        } else {
            c->out->stranded[POOL_STRANDED_SLICE] -= x * grid->type[way->type].weight[way->slice];
        }
    }
}

/* GPUs of each type that a workload's own slices take, of x replicas. */
static void own_cuts(const struct grid *grid, int w, const short *x, int *cuts)
{
    int count[POOL_MOST_TYPES][POOL_MOST_SLICES] = {{0}};

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice >= 0)
            count[grid->ways[i].type][grid->ways[i].slice] += x[i - grid->first[w]];
    for (int g = 0; g < grid->types; g++)
        cuts[g] = slices_gpus(&grid->pool->types[g], grid->type[g].weight, count[g], NULL);
}

/* A workload's own GPUs: what works now, what works at its peak, what never does. */
static void split_own(struct account *c, int w, int t, const double *working)
{
    const struct grid *grid = c->grid;
    short x[POOL_MOST_WAYS];
    int now[POOL_MOST_TYPES], held[POOL_MOST_TYPES];
    double peak[POOL_MOST_TYPES] = {0};

    assign_get(c->a, w, t, x);
    own_cuts(grid, w, x, now);
    own_cuts(grid, w, &c->a->held[grid->first[w]], held);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice < 0)
            peak[grid->ways[i].type] += c->a->held[i] * grid->ways[i].gpus;
    for (int g = 0; g < grid->types; g++) {
        double most = peak[g] + held[g];

        c->busy[g] += now[g];
        c->out->stranded[POOL_STRANDED_SLICE] += now[g];
        c->out->stranded[POOL_STRANDED_PEAKS] += most - working[g] - now[g];
        double spare = c->a->own[w * grid->types + g] > 0 ? grid->type[g].own_spare : 0;
        c->out->stranded[POOL_STRANDED_SPARE] += spare;
        c->out->stranded[POOL_STRANDED_SERVER] += c->a->own[w * grid->types + g] - most - spare;
        c->out->used_hours += c->a->own[w * grid->types + g];
    }
}

/* ---- jobs ---- */

static void split_job(struct account *c, int j)
{
    const struct grid *grid = c->grid;
    const struct pool_job *job = &grid->pool->jobs[j];
    double done = assign_job_done(c->a, j), useful = fmin(done, job->gpu_hours);
    double seats = done / job->gpus * grid->job_seat[j];
    double owned =
        (double)grid_own_units(&grid->type[job->type], c->a->job_held[j] * grid->job_seat[j]) *
        grid->hours;
    double spare = owned > 0 ? (double)grid->type[job->type].own_spare * grid->hours : 0;

    c->busy[job->type] += useful;
    c->out->utilisation += useful;
    c->out->jobs_undone += job->gpu_hours - useful;
    if (grid->id != POOL_CLOUD) /* it ends there when the job does */
        c->out->stranded[POOL_STRANDED_REPLICA] += done - useful;
    c->out->stranded[POOL_STRANDED_SERVER] += seats - done;
    c->out->stranded[POOL_STRANDED_SPARE] += spare;
    if (grid->jobs_own)
        c->out->stranded[POOL_STRANDED_PEAKS] += owned - seats - spare;
    c->out->used_hours += grid->jobs_own ? owned : seats;
    if (job->gpu_hours - useful > 1e-9)
        c->out->cost.penalty += (job->gpu_hours - useful) * grid->job_penalty[j];
}

/* ---- fleets ---- */

static void split_fleet(struct account *c, int g)
{
    const struct grid *grid = c->grid;
    const struct grid_type *type = &grid->type[g];
    int kept = c->out->gpus[g], peak = 0, spare = kept > 0 ? type->spare : 0;
    int idle = grid->pool->types[g].stock - kept;

    for (int t = 0; t < grid->hours; t++)
        if (c->out->use[t * grid->types + g] > peak)
            peak = c->out->use[t * grid->types + g];
    for (int t = 0; t < grid->hours && grid->id != POOL_CLOUD; t++) {
        c->out->stranded[POOL_STRANDED_PEAKS] += peak - c->out->use[t * grid->types + g];
        c->out->stranded[POOL_STRANDED_SERVER] += kept - spare - peak;
        c->out->stranded[POOL_STRANDED_SPARE] += spare;
        c->out->stranded[POOL_STRANDED_TYPE] += idle > 0 ? idle : 0;
        c->out->owned_hours += kept + (idle > 0 ? idle : 0);
    }
}

static void price_fleet(struct account *c, int g)
{
    const struct grid *grid = c->grid;
    const struct grid_type *type = &grid->type[g];
    const struct pool_type *from = &grid->pool->types[g];
    int kept = c->out->gpus[g];
    double idle = kept * type->own_energy, pue = fmax(grid->pool->pue, 1);
    struct pool_cost *cost = &c->out->cost;

    if (grid->id == POOL_CLOUD) {
        cost->running += c->busy[g] * type->run;
        c->out->kwh += c->busy[g] * from->busy_watts * pue / 1000;
        c->out->owned_hours += c->busy[g];
        return;
    }
    cost->purchase += grid_own(type, c->a->room[g], NULL) - idle;
    cost->running += c->busy[g] * (type->run - type->run_energy);
    cost->energy += idle + c->busy[g] * type->run_energy;
    c->out->kwh += (kept * from->idle_watts * grid->hours +
                    c->busy[g] * (from->busy_watts - from->idle_watts)) *
                   pue / 1000;
}

/* ---- shortages and starts ---- */

static double unit_cost(const struct pool *pool, int w)
{
    double best = INFINITY;

    for (int i = 0; i < pool->candidate_count; i++) {
        const struct pool_candidate *c = &pool->candidates[i];
        double rate = fmax(c->rate, c->composed_rate);

        if (c->workload == w && rate > 0)
            best = fmin(best, c->gpus * fmax(pool->types[c->type].buy_hour, 1e-3) / rate);
    }
    return isinf(best) ? 1 : best;
}

static void count_unmet(struct account *c)
{
    const struct grid *grid = c->grid;
    double missed = 0, asked = 0;
    short x[POOL_MOST_WAYS];

    c->out->unmet =
        gp_calloc((size_t)grid->workloads * (size_t)grid->hours, sizeof(*c->out->unmet));
    for (int w = 0; w < grid->workloads; w++) {
        double worth = unit_cost(grid->pool, w);

        for (int t = 0; t < grid->hours; t++) {
            double *unmet = &c->out->unmet[w * grid->hours + t];
            int lacking = grid->pool->workloads[w].minimum;

            assign_get(c->a, w, t, x);
            assign_serving(grid, w, t, x, unmet);
            for (int i = 0; i < grid->first[w + 1] - grid->first[w]; i++)
                lacking -= x[i];
            c->out->cost.penalty +=
                *unmet * grid->penalty[w] + (lacking > 0 ? lacking * grid->missing[w] : 0);
            missed += *unmet * worth;
            asked += grid->need[w * grid->hours + t] * worth;
        }
    }
    c->out->unmet_share = asked > 0 ? missed / asked : 0;
}

static void count_starts(struct account *c, int w)
{
    const struct grid *grid = c->grid;

    if (grid->constant[w])
        return;
    c->out->cost.starting += assign_starts(c->a, w);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        const short *x = &c->a->x[i * grid->hours];
        double seconds = pool_start_s(grid->pool, way->candidate, grid->id);

        for (int t = 0; t < grid->hours; t++) {
            int more = x[t] - x[t ? t - 1 : grid->hours - 1];

            if (more <= 0)
                continue;
            c->out->starts += more;
            c->out->stranded[POOL_STRANDED_START] += more * way->gpus * seconds / 3600;
        }
    }
}

/* The hours in which replicas start are hours that peaks leave idle. */
static void settle_starts(struct pool_rung *out)
{
    double *start = &out->stranded[POOL_STRANDED_START];

    if (*start > out->stranded[POOL_STRANDED_PEAKS])
        *start = fmax(0, out->stranded[POOL_STRANDED_PEAKS]);
    out->stranded[POOL_STRANDED_PEAKS] -= *start;
}

static void split_hour(struct account *c, int t)
{
    const struct grid *grid = c->grid;
    double total[POOL_MOST_TYPES] = {0};

    for (int w = 0; w < grid->workloads; w++) {
        double working[POOL_MOST_TYPES] = {0};

        split_working(c, w, t, working);
        split_served(c, w, t);
        if (grid->constant[w])
            split_own(c, w, t, working);
        for (int g = 0; g < grid->types && !grid->constant[w]; g++)
            total[g] += working[g];
    }
    for (int g = 0; g < grid->types; g++) { /* of those that all share */
        int at = t * grid->types + g, seats = c->a->use[at] - c->a->cut[at];

        for (int w = 0; w < grid->workloads; w++)
            seats -= c->a->own[w * grid->types + g];
        for (int j = 0; j < grid->jobs && grid->jobs_own; j++)
            if (grid->pool->jobs[j].type == g)
                seats -= grid_own_units(&grid->type[g], c->a->job_held[j] * grid->job_seat[j]);
        c->busy[g] += c->a->cut[at];
        c->out->stranded[POOL_STRANDED_SLICE] += c->a->cut[at];
        c->out->stranded[POOL_STRANDED_SERVER] += seats - total[g];
        c->out->used_hours += seats + c->a->cut[at];
    }
}

void account_rung(struct assign *a, struct pool_rung *out)
{
    struct account c = {.grid = a->grid, .a = a, .out = out};
    const struct grid *grid = a->grid;

    *out = (struct pool_rung){.id = grid->id};
    out->total = assign_total(a);
    copy_replicas(&c);
    copy_use(&c);
    copy_gpus(&c);
    for (int t = 0; t < grid->hours; t++)
        split_hour(&c, t);
    for (int j = 0; j < grid->jobs; j++)
        split_job(&c, j);
    for (int w = 0; w < grid->workloads; w++)
        count_starts(&c, w);
    count_unmet(&c);
    for (int g = 0; g < grid->types; g++) {
        split_fleet(&c, g);
        price_fleet(&c, g);
    }
    settle_starts(out);
    out->utilisation = out->owned_hours > 0 ? out->utilisation / out->owned_hours : 0;
}

double account_coincidence(const struct pool *pool)
{
    double sum[POOL_MOST_HOURS] = {0}, peaks = 0, peak = 0;

    for (int w = 0; w < pool->workload_count; w++) {
        double worth = unit_cost(pool, w), most = 0;

        for (int t = 0; t < pool->hours; t++) {
            double need = worth * pool->workloads[w].demand[t];

            sum[t] += need;
            most = fmax(most, need);
        }
        peaks += most;
    }
    for (int t = 0; t < pool->hours; t++)
        peak = fmax(peak, sum[t]);
    return peaks > 0 ? peak / peaks : 1;
}

double pool_break_even(const struct pool *pool, const struct pool_rung *shared,
                       const struct pool_rung *hourly)
{
    double premium = 0, gpus = 0;

    for (int g = 0; g < pool->type_count; g++) {
        premium += hourly->gpus[g] * pool->types[g].premium_hour * pool->hours;
        gpus += pool_composes(pool, g, POOL_HOURLY) ? hourly->gpus[g] : 0;
    }
    return gpus > 0 ? (shared->total - (hourly->total - premium)) / (gpus * pool->hours) : 0;
}

void account_fini(struct pool_rung *rung)
{
    free(rung->use);
    free(rung->replicas);
    free(rung->workers);
    free(rung->unmet);
}
