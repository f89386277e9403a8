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

/* ---- where the GPU-hours of one workload in one hour go ---- */

/* A workload's own GPUs: what works now, what works at its peak, what never does. */
static void split_own(struct account *c, int w, int t, const double *working)
{
    const struct grid *grid = c->grid;
    double *stranded = c->out->stranded;
    short x[POOL_MOST_WAYS];
    int now[POOL_MOST_TYPES], held[POOL_MOST_TYPES];
    double peak[POOL_MOST_TYPES] = {0};

    assign_get(c->a, w, t, x);
    assign_cuts(grid, w, x, now);
    assign_cuts(grid, w, &c->a->held[grid->first[w]], held);
    for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
        if (grid->ways[i].slice < 0)
            peak[grid->ways[i].type] += c->a->held[i] * grid->ways[i].gpus;
    for (int g = 0; g < grid->types; g++) {
        int own = c->a->own[w * grid->types + g];
        double most = peak[g] + held[g], spare = own > 0 ? grid->type[g].own_spare : 0;

        c->busy[g] += now[g];
        stranded[POOL_STRANDED_SLICE] += now[g];
        stranded[POOL_STRANDED_PEAKS] += most - working[g] - now[g];
        stranded[POOL_STRANDED_SPARE] += spare;
        stranded[POOL_STRANDED_SERVER] += own - most - spare;
        c->out->used_hours += own;
    }
}

/* GPUs at work, what is left of those that are cut, and what the demand asks of them; those on
 * GPUs that all share are added to working[type]. */
static void split_workload(struct account *c, int w, int t, double *working)
{
    const struct grid *grid = c->grid;
    double *stranded = c->out->stranded, need = grid->need[w * grid->hours + t];
    double mean = grid->pool->workloads[w].demand[t], now[POOL_MOST_TYPES] = {0};
    double gpus = 0, rate = 0, free_rate = 0; /* slices by their share; without goals */

    for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
        const struct way *way = &grid->ways[i];
        int x = c->a->x[i * grid->hours + t];
        double each = way->slice >= 0 ? grid->type[way->type].weight[way->slice] : way->gpus;

        gpus += x * each;
        rate += x * way->rate;
        free_rate += x * fmax(grid->pool->candidates[way->candidate].free_rate, way->rate);
        if (way->slice >= 0) {
            stranded[POOL_STRANDED_SLICE] -= x * each;
        } else {
            c->busy[way->type] += x * way->gpus;
            now[way->type] += x * way->gpus;
        }
    }
    if (gpus > 0) {
        double met = fmin(1, need / rate), useful = fmin(fmin(1, mean / rate), mean / free_rate);

        stranded[POOL_STRANDED_REPLICA] += gpus * (1 - met);
        stranded[POOL_STRANDED_HEADROOM] += gpus * (met - useful);
        c->out->utilisation += gpus * useful;
    }
    if (grid->constant[w])
        split_own(c, w, t, now);
    for (int g = 0; g < grid->types && !grid->constant[w]; g++)
        working[g] += now[g];
}

/* The GPUs that all share, of which working[type] work. */
static void split_shared(struct account *c, int t, const double *working)
{
    const struct grid *grid = c->grid;

    for (int g = 0; g < grid->types; g++) {
        int at = t * grid->types + g, seats = c->a->use[at] - c->a->cut[at];

        for (int w = 0; w < grid->workloads; w++)
            seats -= c->a->own[w * grid->types + g];
        for (int j = 0; j < grid->jobs && grid->jobs_own; j++)
            if (grid->pool->jobs[j].type == g)
                seats -= grid_own_units(&grid->type[g], c->a->job_held[j] * grid->job_seat[j]);
        c->busy[g] += c->a->cut[at];
        c->out->stranded[POOL_STRANDED_SLICE] += c->a->cut[at];
        c->out->stranded[POOL_STRANDED_SERVER] += seats - working[g];
        c->out->used_hours += seats + c->a->cut[at];
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

static int most_used(const struct account *c, int g)
{
    int most = 0;

    for (int t = 0; t < c->grid->hours; t++)
        if (c->out->use[t * c->grid->types + g] > most)
            most = c->out->use[t * c->grid->types + g];
    return most;
}

static void split_fleet(struct account *c, int g)
{
    const struct grid *grid = c->grid;
    const struct grid_type *type = &grid->type[g];
    const struct pool_type *from = &grid->pool->types[g];
    struct pool_rung *out = c->out;
    int kept = out->gpus[g], peak = most_used(c, g), spare = kept > 0 ? type->spare : 0;
    int idle = from->stock > kept ? from->stock - kept : 0;
    double idle_cost = kept * type->own_energy, pue = fmax(grid->pool->pue, 1);

    if (grid->id == POOL_CLOUD) {
        out->cost.running += c->busy[g] * type->run;
        out->kwh += c->busy[g] * from->busy_watts * pue / 1000;
        out->owned_hours += c->busy[g];
        return;
    }
    for (int t = 0; t < grid->hours; t++) {
        out->stranded[POOL_STRANDED_PEAKS] += peak - out->use[t * grid->types + g];
        out->stranded[POOL_STRANDED_SERVER] += kept - spare - peak;
        out->stranded[POOL_STRANDED_SPARE] += spare;
        out->stranded[POOL_STRANDED_TYPE] += idle;
        out->owned_hours += kept + idle;
    }
    out->cost.purchase += grid_own(type, c->a->room[g], NULL) - idle_cost;
    out->cost.running += c->busy[g] * (type->run - type->run_energy);
    out->cost.energy += idle_cost + c->busy[g] * type->run_energy;
    out->kwh += (kept * from->idle_watts * grid->hours +
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

void account_rung(struct assign *a, struct pool_rung *out)
{
    struct account c = {.grid = a->grid, .a = a, .out = out};
    const struct grid *grid = a->grid;
    int hours = grid->hours;
    size_t cells = (size_t)hours * (size_t)grid->types, workers = (size_t)(grid->jobs * hours);
    double *stranded = out->stranded;

    *out = (struct pool_rung){.id = grid->id};
    out->total = assign_total(a);
    out->replicas =
        gp_calloc((size_t)(grid->pool->candidate_count * hours) + 1, sizeof(*out->replicas));
    out->use = gp_calloc(cells, sizeof(*out->use));
    out->workers = gp_calloc(workers + 1, sizeof(*out->workers));
    for (int i = 0; i < grid->first[grid->workloads]; i++)
        for (int t = 0; t < hours; t++)
            out->replicas[grid->ways[i].candidate * hours + t] = a->x[i * hours + t];
    memcpy(out->use, a->use, cells * sizeof(*out->use));
    memcpy(out->workers, a->workers, workers * sizeof(*out->workers));
    for (int j = 0; j < grid->jobs && !grid->jobs_own; j++)
        for (int t = 0; t < hours; t++)
            out->use[t * grid->types + grid->pool->jobs[j].type] +=
                a->workers[j * hours + t] * grid->job_seat[j];
    for (int g = 0; g < grid->types; g++) {
        if (grid->id == POOL_CLOUD)
            out->gpus[g] = most_used(&c, g);
        else
            grid_own(&grid->type[g], a->room[g], &out->gpus[g]);
    }
    for (int t = 0; t < hours; t++) {
        double working[POOL_MOST_TYPES] = {0};

        for (int w = 0; w < grid->workloads; w++)
            split_workload(&c, w, t, working);
        split_shared(&c, t, working);
    }
    for (int j = 0; j < grid->jobs; j++)
        split_job(&c, j);
    for (int w = 0; w < grid->workloads; w++)
        count_starts(&c, w);
    count_unmet(&c);
    for (int g = 0; g < grid->types; g++)
        split_fleet(&c, g);
    /* the hours in which replicas start are hours that peaks leave idle */
    if (stranded[POOL_STRANDED_START] > stranded[POOL_STRANDED_PEAKS])
        stranded[POOL_STRANDED_START] = fmax(0, stranded[POOL_STRANDED_PEAKS]);
    stranded[POOL_STRANDED_PEAKS] -= stranded[POOL_STRANDED_START];
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
