/*
 * pool_case.c - see pool_case.h.
 */
#include "pool/pool_case.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "plan/power.h"
#include "plan/roofline.h"

#define HOURS_PER_YEAR 8760.0
#define RARE_FACTOR 2 /* times the cost of a server, and the priority */

/* ---- MIG ---- */

struct cutting {
    const struct gpu *gpu;
    const int *slice;
    int slices, cuts;
    signed char (*cut)[POOL_MOST_SLICES];
    signed char now[POOL_MOST_SLICES];
};

/* A part in 56ths of a GPU: sevenths of compute, eighths of memory; 0 = not told. */
static int compute_part(const struct gpu_slice *s)
{
    return s->compute_of > 0 ? 56 * s->compute / s->compute_of : 0;
}

static int memory_part(const struct gpu_slice *s)
{
    return s->memory_of > 0 ? 56 * s->memory_part / s->memory_of : 0;
}

static bool has_room(const struct cutting *c, int i, int compute, int memory)
{
    const struct gpu_slice *s = &c->gpu->slice[c->slice[i]];

    return c->now[i] < (s->max_count > 0 ? s->max_count : 7) && compute + compute_part(s) <= 56 &&
           memory + memory_part(s) <= 56;
}

static void cut_from(struct cutting *c, int i, int compute, int memory)
{
    if (i == c->slices) {
        for (int k = 0; k < c->slices; k++)
            if (has_room(c, k, compute, memory))
                return;
        if (c->cuts < POOL_MOST_CUTS)
            memcpy(c->cut[c->cuts++], c->now, sizeof(c->now));
        return;
    }
    const struct gpu_slice *s = &c->gpu->slice[c->slice[i]];
    int was = c->now[i];

    while (has_room(c, i, compute, memory)) {
        c->now[i]++;
        compute += compute_part(s);
        memory += memory_part(s);
    }
    for (; c->now[i] >= was; c->now[i]--) { /* the largest first */
        cut_from(c, i + 1, compute, memory);
        compute -= compute_part(s);
        memory -= memory_part(s);
    }
    c->now[i] = (signed char)was;
}

int pool_cuts(const struct gpu *gpu, const int *slice, int slices,
              signed char cut[POOL_MOST_CUTS][POOL_MOST_SLICES])
{
    struct cutting c = {.gpu = gpu, .slice = slice, .slices = slices, .cut = cut};

    for (int i = 0; i < slices; i++) /* nobody's sizes: it cannot be known what fits */
        if (compute_part(&gpu->slice[slice[i]]) == 0 || memory_part(&gpu->slice[slice[i]]) == 0)
            return 0;
    if (slices > 0)
        cut_from(&c, 0, 0, 0);
    return c.cuts;
}

/* ---- types ---- */

static double given_or(double given, double fallback)
{
    return given >= 0 ? given : fallback;
}

static enum gp_status price_of(const struct pool_file_type *from, const struct gpu *gpu,
                               double *price, enum origin *origin, char *of, size_t size,
                               struct gp_err *err)
{
    *origin = ORIGIN_SHEET;
    if (from->price > 0) {
        *price = from->price;
        gp_copy(of, size, "the pool file");
    } else if (gpu->street_price.value > 0) {
        *price = gpu->street_price.value;
        gp_format(of, size, "street %s", gpu->street_as_of);
    } else if (gpu->launch_price.value > 0) {
        *price = gpu->launch_price.value;
        gp_format(of, size, "at launch %d", gpu->release_year);
    } else {
        return gp_fail(err, GP_E_FILE, from->where[0] ? from->where : from->gpu,
                       "give price = beside it, in dollars", "no price to buy %s at is known",
                       from->gpu);
    }
    return GP_OK;
}

/* Of an instance that is sold whole, its GPUs share the price. */
double pool_rent(const char *gpu, const struct market *market, const struct instance **of)
{
    double least = 0;

    for (size_t i = 0; i < market->instance_count; i++) {
        const struct instance *row = &market->instances[i];
        double each = row->on_demand / (row->gpu_count > 0 ? row->gpu_count : 1);

        if (row->kind != PRICE_LIST || row->on_demand <= 0 || row->assumed ||
            strcmp(row->gpu, gpu) != 0 || !market_takes(market, row) ||
            (least > 0 && each >= least))
            continue;
        least = each;
        if (of)
            *of = row;
    }
    return least;
}

static void add_watts(const struct pool_file_type *from, const struct gpu *gpu,
                      const struct market *market, enum origin *origin, char *of, size_t size,
                      struct pool_type *out)
{
    bool assumed = from->watts <= 0;
    double limit = gpu->power.value > 0 ? gpu->power.value : 0;
    double host = from->watts > 0 ? from->watts : cost_host_watts(gpu, market, &assumed);
    double busy = from->busy > 0 ? from->busy : limit;
    double idle = from->idle > 0 ? from->idle : POWER_IDLE * busy;

    *origin = from->busy > 0 && from->idle > 0 && !assumed ? ORIGIN_SHEET : ORIGIN_ASSUMED;
    gp_format(of, size, "GPU %.0f W busy%s, %.0f W idle%s; its host %.0f W at most%s", busy,
              from->busy > 0 ? "" : " (its limit)", idle, from->idle > 0 ? "" : " (assumed)", host,
              assumed ? " (assumed)" : "");
    out->busy_watts = busy + host;
    out->idle_watts = fmin(idle, busy) + POWER_HOST * host;
}

/* Where may it be plugged in? */
static bool goes_in(const struct pool_file_type *from, const struct gpu *gpu, bool fabric)
{
    if (from->place == POOL_PLACE_BY_FORM)
        return !fabric || strncmp(gpu->form_factor, "PCIe", 4) == 0;
    return from->place == POOL_PLACE_ANY || (from->place == POOL_PLACE_CHASSIS) == fabric;
}

static enum gp_status add_type(struct pool_case *c, int t, struct gp_err *err)
{
    const struct pool_file *file = &c->file;
    const struct pool_file_type *from = &file->types[t];
    const struct market *market = &c->replicas.market;
    const struct ownership *own = market->ownership;
    const struct gpu *gpu = &c->replicas.type[t];
    struct pool_type *out = &c->types[t];
    double price = 0, years = given_or(file->costs.years, own->years);
    double kept = (1 - given_or(file->costs.residual, own->residual)) / (years * HOURS_PER_YEAR);
    const struct instance *offer = NULL;
    char(*of)[64] = c->figure_of[t];
    enum gp_status rc =
        price_of(from, gpu, &price, &c->figure[t][POOL_FIGURE_PRICE], of[0], sizeof(of[0]), err);

    if (rc)
        return rc;
    *out = (struct pool_type){.stock = from->stock,
                              .buy = from->buy,
                              .server_gpus = from->server_gpus,
                              .spare = file->spare};
    add_watts(from, gpu, market, &c->figure[t][POOL_FIGURE_WATTS], of[POOL_FIGURE_WATTS],
              sizeof(of[0]), out);
    c->capital[t] = price * (1 + given_or(file->costs.share, own->server_share));
    out->buy_hour = c->capital[t] * kept + out->busy_watts / 1000 *
                                               given_or(file->costs.hosting, own->hosting) * 12 /
                                               HOURS_PER_YEAR;
    out->stock_hour = out->buy_hour;
    out->module = goes_in(from, gpu, false) && !goes_in(from, gpu, true);
    out->premium_hour = out->module ? 0 : file->fabric.premium * kept;
    out->cloud_hour = from->rent > 0 ? from->rent : pool_rent(from->gpu, market, &offer);
    c->figure[t][POOL_FIGURE_RENT] = ORIGIN_SHEET;
    if (offer)
        gp_format(of[POOL_FIGURE_RENT], sizeof(of[0]), "%s %s, %s%s", offer->provider, offer->type,
                  offer->basis == DATE_READ ? "by " : "", offer->date);
    else
        gp_copy(of[POOL_FIGURE_RENT], sizeof(of[0]),
                from->rent > 0 ? "the pool file" : "not on offer");
    for (int i = 0; from->mig && i < gpu->slice_count; i++)
        if (out->slices < POOL_MOST_SLICES && pool_slice_used(&gpu->slice[i]))
            c->slice_of[t][out->slices++] = i;
    out->cuts = pool_cuts(gpu, c->slice_of[t], out->slices, out->cut);
    if (out->cuts == 0)
        out->slices = 0;
    return GP_OK;
}

/* ---- workloads and candidates ---- */

static void add_workloads(struct pool_case *c)
{
    const struct pool_file *file = &c->file;

    c->workloads = gp_calloc(file->workload_count, sizeof(*c->workloads));
    for (size_t i = 0; i < file->workload_count; i++) {
        const struct pool_file_workload *from = &file->workloads[i];

        c->workloads[i] = (struct pool_workload){
            .demand = from->rate,
            .burst = from->burst,
            .penalty = from->unmet * 3.6, /* dollars for each request/s of an hour */
            .priority = from->priority,
            .minimum = from->min_replicas,
            .sleeps = from->sleep,
            .alone = from->isolation == POOL_OWN_HOST,
        };
    }
}

/* From storage into each host, and on over each GPU's own bus. False: it is of no use to this
 * pool. */
static bool make_candidate(const struct pool_case *c, const struct pool_replica *r,
                           struct pool_candidate *out)
{
    const struct pool_file_type *type = &c->file.types[r->type];
    const struct gpu *gpu = &c->replicas.type[r->type];
    double keep = 1 - c->file.headroom, load = r->weights / c->file.moves.load_rate;
    double bus = roofline_pcie(gpu->pcie_gen, gpu->pcie_lanes) * r->gpus;
    int slice = 0;

    while (slice < c->types[r->type].slices && c->slice_of[r->type][slice] != r->slice)
        slice++;
    *out = (struct pool_candidate){
        .workload = r->workload,
        .type = r->type,
        .slice = r->slice == POOL_WHOLE ? POOL_NO_SLICE : slice,
        .gpus = r->gpus,
        .rate = goes_in(type, gpu, false) ? r->rate * keep : 0,
        .composed_rate = goes_in(type, gpu, true) ? r->fabric_rate * keep : 0,
        .free_rate = r->free_rate,
        .load_s = fmax(load, bus > 0 ? r->weights / bus : 0),
    };
    return out->slice < c->types[r->type].slices && (out->rate > 0 || out->composed_rate > 0);
}

struct ranked {
    double worth; /* requests/s per GPU-hour's money */
    size_t row;
};

static int by_worth(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->worth < y->worth) - (x->worth > y->worth);
}

static int by_row(const void *a, const void *b)
{
    const struct ranked *x = a, *y = b;

    return (x->row > y->row) - (x->row < y->row);
}

/* The rows [from, to) of a workload; the dearest are left out where there are too many. */
static void add_candidates(struct pool_case *c, size_t from, size_t to)
{
    struct ranked *list = gp_calloc(to - from + 1, sizeof(*list));
    struct pool_candidate one;
    size_t n = 0;

    for (size_t i = from; i < to; i++) {
        const struct pool_replica *r = &c->replicas.row[i];

        if (make_candidate(c, r, &one))
            list[n++] = (struct ranked){
                fmax(one.rate, one.composed_rate) / (r->gpus * c->types[r->type].buy_hour), i};
    }
    if (n > POOL_MOST_WAYS) {
        qsort(list, n, sizeof(*list), by_worth);
        n = POOL_MOST_WAYS;
        qsort(list, n, sizeof(*list), by_row);
    }
    for (size_t i = 0; i < n; i++) {
        make_candidate(c, &c->replicas.row[list[i].row], &c->candidates[c->pool.candidate_count]);
        c->replica_of[c->pool.candidate_count++] = (int)list[i].row;
    }
    free(list);
}

/* What is seldom asked for is served, too, unless the file prices it: leaving all of it out
 * costs more than a server of its own, or as many as the candidate takes, over all hours. */
static void price_rare(struct pool_case *c)
{
    const struct pool *pool = &c->pool;

    for (int i = 0, w = 0; w < pool->workload_count; w++) {
        struct pool_workload *work = &c->workloads[w];
        double need = 0, least = INFINITY;

        for (int h = 0; h < pool->hours; h++)
            need += work->demand[h] * work->burst;
        for (; i < pool->candidate_count && c->candidates[i].workload == w; i++) {
            const struct pool_type *t = &c->types[c->candidates[i].type];
            int servers = (c->candidates[i].gpus + t->server_gpus - 1) / t->server_gpus;
            double energy = t->busy_watts / 1000 * pool->pue * pool->electricity;

            least = fmin(least, servers * t->server_gpus *
                                    (t->buy_hour + t->premium_hour + energy) * pool->hours);
        }
        double floor = RARE_FACTOR * work->priority * least / need;
        if (work->penalty <= 0 && isfinite(floor) && floor > pool_penalty(pool, w))
            work->penalty = floor;
    }
}

static void add_jobs(struct pool_case *c)
{
    const struct pool_file *file = &c->file;

    c->jobs = gp_calloc((size_t)file->job_count + 1, sizeof(*c->jobs));
    for (int i = 0; i < file->job_count; i++) {
        const struct pool_file_job *from = &file->jobs[i];
        int type = 0;

        while (strcmp(file->types[type].gpu, from->gpu) != 0)
            type++;
        int there = (file->types[type].stock + file->types[type].buy) / from->group;
        there = there > POOL_MOST_REPLICA ? POOL_MOST_REPLICA : there;
        c->jobs[i] = (struct pool_job){
            .type = type,
            .gpus = from->group,
            .most = from->most > 0 ? from->most
                    : there > 1    ? there
                                   : 1,
            .gpu_hours = from->gpu_hours,
            .first = from->earliest,
            .end = from->deadline,
            .penalty = from->unmet,
        };
    }
}

/* ---- a case ---- */

enum gp_status pool_case_read(struct planner *planner, const char *name, profile_warn_fn warn,
                              void *ctx, struct pool_case *out, struct gp_err *err)
{
    struct catalog *catalog = planner_catalog(planner);
    char path[GP_PATH_MAX];
    enum gp_status rc;

    memset(out, 0, sizeof(*out));
    rc = pool_file_find(catalog, name, path, sizeof(path), err);
    if (!rc)
        rc = pool_file_read(catalog, path, warn, ctx, &out->file, err);
    if (!rc)
        rc = pool_replicas_begin(planner, &out->file, &out->replicas, err);
    for (int t = 0; t < out->file.type_count && !rc; t++) { /* before layouts are looked for */
        enum origin origin;
        double price;
        char of[64];

        rc = price_of(&out->file.types[t], &out->replicas.type[t], &price, &origin, of, sizeof(of),
                      err);
    }
    if (rc)
        pool_case_fini(out);
    return rc;
}

enum gp_status pool_case_step(struct planner *planner, struct pool_case *c, bool *more,
                              struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    if (c->done < c->file.workload_count)
        rc = pool_replicas_find(planner, &c->file, c->done, &c->replicas, err);
    c->done += rc == GP_OK;
    *more = rc == GP_OK && c->done < c->file.workload_count;
    return rc;
}

bool pool_case_copy(const struct pool_case *from, struct pool_case *c)
{
    const struct pool_replicas *known = &from->replicas;
    struct pool_replicas *out = &c->replicas;

    out->market = known->market;
    pool_refusal_copy(known, (int)c->done, (int)c->done, out);
    for (size_t i = 0; i < known->count; i++) {
        if (known->row[i].workload != (int)c->done)
            continue;
        out->row = gp_grow(out->row, &out->cap, out->count + 1, sizeof(*out->row));
        out->row[out->count++] = known->row[i];
    }
    return ++c->done < c->file.workload_count;
}

enum gp_status pool_case_build(struct pool_case *c, struct gp_err *err)
{
    const struct pool_file *file = &c->file;
    const struct pool_replicas *replicas = &c->replicas;
    const struct ownership *own = replicas->market.ownership;
    enum gp_status rc = GP_OK;
    bool capped = file->chassis_count > 0;
    double watts = 0;

    c->pool = (struct pool){
        .hours = file->hours,
        .type_count = file->type_count,
        .workload_count = (int)file->workload_count,
        .job_count = file->job_count,
        .electricity = given_or(file->costs.electricity, own->electricity),
        .pue = given_or(file->costs.pue, own->pue),
        .change_s = {[POOL_WAKE] = file->moves.wake,
                     [POOL_RESTART] = file->moves.restart,
                     [POOL_RECOMPOSE] = file->moves.recompose},
    };
    for (int t = 0; t < file->type_count && !rc; t++)
        rc = add_type(c, t, err);
    if (rc)
        return rc;
    for (size_t i = 0; i < file->chassis_count; i++) { /* what their hosts can hold together */
        c->pool.chassis_slots += pool_file_held(&file->chassis[i]);
        watts += file->chassis[i].watts;
        capped = capped && file->chassis[i].watts > 0;
    }
    c->pool.watts = file->power_cap > 0 ? file->power_cap : capped ? watts : 0;
    add_workloads(c);
    c->candidates = gp_calloc(replicas->count + 1, sizeof(*c->candidates));
    c->replica_of = gp_calloc(replicas->count + 1, sizeof(*c->replica_of));
    for (size_t from = 0, to; from < replicas->count; from = to) {
        for (to = from + 1;
             to < replicas->count && replicas->row[to].workload == replicas->row[from].workload;)
            to++;
        add_candidates(c, from, to);
    }
    add_jobs(c);
    c->pool.types = c->types;
    c->pool.workloads = c->workloads;
    c->pool.candidates = c->candidates;
    c->pool.jobs = c->jobs;
    price_rare(c);
    return pool_check(&c->pool, err);
}

enum gp_status pool_case_load(struct planner *planner, const char *name, profile_warn_fn warn,
                              void *ctx, struct pool_case *out, struct gp_err *err)
{
    bool more = true;
    enum gp_status rc = pool_case_read(planner, name, warn, ctx, out, err);

    if (rc)
        return rc;
    while (!rc && more)
        rc = pool_case_step(planner, out, &more, err);
    if (!rc)
        rc = pool_case_build(out, err);
    if (rc)
        pool_case_fini(out);
    return rc;
}

void pool_case_fini(struct pool_case *c)
{
    pool_file_fini(&c->file);
    pool_replicas_fini(&c->replicas);
    free(c->workloads);
    free(c->candidates);
    free(c->replica_of);
    free(c->jobs);
    memset(c, 0, sizeof(*c));
}

void pool_case_free(struct pool_case *c)
{
    if (c)
        pool_case_fini(c);
    free(c);
}
