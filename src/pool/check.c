/*
 * check.c - pool_check(): what the solver relies on.
 */
#include "pool/pool.h"

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
