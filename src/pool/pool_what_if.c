/*
 * pool_what_if.c - what happens to a solved pool if: a chassis is lost, demand grows, all
 * GPUs are of another type; see pool_run.h.
 *
 * Each is the same pool with a change, and the chosen rung solved again. The plan that is
 * there is a start: in the time that a large pool leaves, the solver may find nothing nearer.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "pool/pool_run.h"

#define WHAT_IF_PART 4   /* of the usual work, for each */
#define WHAT_IF_SHARE 10 /* ... of the time, where one is given, beside it */
#define MORE_DEMAND 1.3
#define SPIKE 2.0
#define ALIKE 0.99     /* of the memory: 79.65 GiB and 80 are */
#define OTHERS_MOST 64 /* workloads for which layouts on other GPUs are looked for unasked */

/* ---- the pool with a change ---- */

struct varied {
    struct pool pool;
    struct pool_type types[POOL_FILE_TYPES];
    struct pool_workload *workloads;
    struct pool_job *jobs;
    double *demand;
    int *plan; /* [candidate x hours + hour] replicas to begin with */
};

/* The same pool with lists of its own, and the plan that it has. */
static void vary_pool(const struct pool_run *run, struct varied *v)
{
    const struct pool *from = &run->c.pool;
    size_t n = (size_t)from->workload_count, hours = (size_t)from->hours;
    size_t cells = (size_t)from->candidate_count * hours;

    *v = (struct varied){.pool = *from};
    memcpy(v->types, from->types, sizeof(v->types[0]) * (size_t)from->type_count);
    v->workloads = gp_calloc(n + 1, sizeof(*v->workloads));
    v->demand = gp_calloc(n * hours + 1, sizeof(*v->demand));
    v->jobs = gp_calloc((size_t)from->job_count + 1, sizeof(*v->jobs));
    v->plan = gp_calloc(cells + 1, sizeof(*v->plan));
    memcpy(v->plan, run->answer.rungs[run->rung].replicas, cells * sizeof(*v->plan));
    for (int j = 0; j < from->job_count; j++)
        v->jobs[j] = from->jobs[j];
    for (size_t i = 0; i < n; i++) {
        v->workloads[i] = from->workloads[i];
        memcpy(v->demand + i * hours, from->workloads[i].demand, hours * sizeof(double));
        v->workloads[i].demand = v->demand + i * hours;
    }
    v->pool.types = v->types;
    v->pool.workloads = v->workloads;
    v->pool.jobs = v->jobs;
}

static void varied_fini(struct varied *v)
{
    free(v->workloads);
    free(v->jobs);
    free(v->demand);
    free(v->plan);
}

static void only_fleet(const struct pool_run *run, struct varied *v)
{
    for (int t = 0; t < v->pool.type_count; t++) {
        v->types[t].stock = run->answer.rungs[run->rung].gpus[t];
        v->types[t].buy = 0;
    }
}

/* What stood on these GPUs does not run; of those that are cut it is not known what did. */
static void lose_replicas(const struct pool_run *run, int first, int count, struct varied *v)
{
    const struct placement *p = &run->placement;
    int *seen = gp_calloc((size_t)p->units + 1, sizeof(*seen)); /* hour + 1 */

    for (int h = 0; h < p->hours; h++)
        for (int g = first; g < first + count; g++) {
            size_t at = (size_t)h * (size_t)p->gpus + (size_t)g;

            if (p->who[at] <= 0 || p->cut[at] >= 0 || seen[p->unit[at]] == h + 1)
                continue;
            seen[p->unit[at]] = h + 1;
            int *n = &v->plan[(p->who[at] - 1) * p->hours + h];
            *n -= *n > 0;
        }
    free(seen);
}

/* ---- solved ---- */

static struct pool_what_if *next_what_if(struct pool_run *run)
{
    struct pool_what_if *out = &run->what_ifs[run->what_if_count];

    if (run->what_if_count == POOL_WHAT_IFS)
        return NULL;
    *out = (struct pool_what_if){.rung = run->rung};
    return out;
}

/* plan: one to begin with, its cells are spent; NULL: none is known. What the time did not
 * suffice for is no answer, and counted as such. */
static void solve_what_if(struct pool_run *run, const struct pool_run_options *o,
                          const struct pool *pool, int *plan, struct pool_what_if *out)
{
    struct pool_run_clock clock;
    struct pool_options options =
        pool_run_solver(o, pool_work(pool) / WHAT_IF_PART, o->seconds / WHAT_IF_SHARE, &clock);
    struct pool_answer answer;

    options.progress = NULL;
    pool_solve_rung(pool, run->rung, &options, &answer);
    if (plan)
        pool_adopt(pool, run->rung, plan, 0, &answer);
    const struct pool_rung *r = &answer.rungs[run->rung];
    out->paid = r->total - r->cost.penalty;
    out->bound = out->fleet || r->cost.penalty > 0 ? 0 : r->bound;
    out->unmet = r->unmet_share;
    out->jobs_undone = r->jobs_undone;
    out->gpus = 0;
    for (int k = 0; k < pool->type_count; k++)
        out->gpus += r->gpus[k];
    bool nothing =
        o->seconds > 0 && r->used_hours <= 0 && run->answer.rungs[run->rung].used_hours > 0;
    pool_answer_fini(&answer);
    run->what_ifs_left += nothing;
    run->what_if_count += !nothing;
}

/* ---- the changes ---- */

/* A chassis with all its GPUs; of servers, one; without chassis, as many as a server
 * holds. What is lost is still paid for. */
static void lose_box(struct pool_run *run, const struct pool_run_options *o)
{
    struct pool_what_if *out = next_what_if(run);
    int worst = -1, lost[POOL_FILE_TYPES] = {0};
    struct varied v;

    for (int b = 0; b < run->placement.box_count; b++)
        if (worst < 0 || run->placement.box[b].gpus > run->placement.box[worst].gpus)
            worst = b;
    if (!out || worst < 0)
        return;
    const struct placement_chassis *box = &run->placement.box[worst];
    bool chassis = box->chassis >= 0 && (size_t)box->chassis < run->c.file.chassis_count;
    int gone = box->chassis < 0 || chassis || box->gpus < run->c.file.server_gpus
                   ? box->gpus
                   : run->c.file.server_gpus;
    for (int g = box->first; g < box->first + gone; g++)
        lost[run->placement.type[g]]++;
    vary_pool(run, &v);
    only_fleet(run, &v);
    lose_replicas(run, box->first, gone, &v);
    for (int t = 0; t < v.pool.type_count; t++)
        v.types[t].stock -= lost[t];
    gp_format(out->name, sizeof(out->name), "lose %s%s%s%d GPUs",
              box->chassis < 0 ? "a server"
              : chassis        ? "chassis "
                               : "",
              chassis ? run->c.file.chassis[box->chassis].name : "",
              box->chassis < 0 || chassis ? " with " : "", gone);
    out->fleet = true;
    solve_what_if(run, o, &v.pool, v.plan, out);
    for (int t = 0; t < v.pool.type_count; t++)
        out->paid +=
            lost[t] *
            (run->c.types[t].buy_hour +
             (pool_composes(&run->c.pool, t, run->rung) ? run->c.types[t].premium_hour : 0)) *
            v.pool.hours;
    varied_fini(&v);
}

/* Demand of a workload (below 0: of all) times `by`. The plan's replicas grow along where there
 * are GPUs to buy. */
static void more_demand(struct pool_run *run, const struct pool_run_options *o, int workload,
                        double by, bool fleet)
{
    struct pool_what_if *out = next_what_if(run);
    int hours = run->c.pool.hours;
    struct varied v;

    if (!out)
        return;
    vary_pool(run, &v);
    if (fleet)
        only_fleet(run, &v);
    for (int w = 0; w < v.pool.workload_count; w++)
        for (int h = 0; h < hours && (workload < 0 || w == workload); h++)
            v.demand[w * hours + h] *= by;
    for (int i = 0; i < v.pool.candidate_count && !fleet; i++)
        for (int h = 0; h < hours; h++)
            if (workload < 0 || v.pool.candidates[i].workload == workload)
                v.plan[i * hours + h] = (int)ceil(v.plan[i * hours + h] * by);
    gp_format(out->name, sizeof(out->name), "demand of %s x %.1f",
              workload < 0 ? "all" : run->c.file.workloads[workload].name, by);
    out->fleet = fleet;
    solve_what_if(run, o, &v.pool, v.plan, out);
    varied_fini(&v);
}

/* The workload that takes most GPU-hours. */
static int largest_workload(const struct pool_run *run)
{
    int best = 0;
    double most = -1;

    for (int w = 0; w < run->c.pool.workload_count; w++) {
        double n = 0;

        for (int h = 0; h < run->c.pool.hours; h++)
            n += pool_run_taken(run, run->rung, w, h);
        if (n > most) {
            most = n;
            best = w;
        }
    }
    return best;
}

/* All GPUs are of that type of a case, at its price. */
static void name_another(const struct pool_case *c, int type, struct pool_what_if *out)
{
    bool cloud = out->rung == POOL_CLOUD;

    gp_format(out->name, sizeof(out->name), "all GPUs %s", c->file.types[type].gpu);
    gp_copy(out->price_of, sizeof(out->price_of),
            c->figure_of[type][cloud ? POOL_FIGURE_RENT : POOL_FIGURE_PRICE]);
    out->each_hour = cloud ? c->types[type].cloud_hour : c->types[type].buy_hour;
    out->another = true;
}

/* GPUs of one of the types that the pool has, alone. */
static void one_type(struct pool_run *run, const struct pool_run_options *o, int type)
{
    struct pool_what_if *out = next_what_if(run);
    struct varied v;
    int all = 0;

    if (!out)
        return;
    vary_pool(run, &v);
    for (int t = 0; t < v.pool.type_count; t++)
        all += POOL_OTHER_TIMES * (v.types[t].stock + v.types[t].buy);
    for (int t = 0; t < v.pool.type_count; t++) {
        v.types[t].stock = 0;
        v.types[t].buy = t != type ? 0 : all < POOL_MOST_GPUS ? all : POOL_MOST_GPUS;
        v.types[t].spare = t == type ? v.types[t].spare : 0;
    }
    for (int j = 0; j < v.pool.job_count; j++)
        v.jobs[j].type = type;
    name_another(&run->c, type, out);
    solve_what_if(run, o, &v.pool, NULL, out);
    varied_fini(&v);
}

/* ---- GPUs that the pool does not list ---- */

/* The same file with that GPU alone. */
static enum gp_status add_other(struct planner *planner, struct pool_run *run, const char *gpu,
                                struct gp_err *err)
{
    struct pool_case *c;
    enum gp_status rc;

    if (run->other_count == POOL_OTHERS)
        return GP_OK;
    c = gp_calloc(1, sizeof(*c));
    rc = pool_file_other_gpu(&run->c.file, gpu, &c->file, err);
    if (!rc)
        rc = pool_replicas_begin(planner, &c->file, &c->replicas, err);
    if (!rc) {
        run->others[run->other_count++] = c;
        return GP_OK;
    }
    pool_case_free(c);
    return rc;
}

/* Dollars per byte/s of memory; INFINITY where the GPU is no choice beside those of the pool:
 * listed, another vendor's, less memory than the smallest, unknown prices, or none in clouds. */
static double worth_a_look(const struct pool_run *run, const struct gpu *gpu, const char *form)
{
    double price = gpu->street_price.value > 0 ? gpu->street_price.value : gpu->launch_price.value;
    double memory = INFINITY;
    bool listed = false;

    for (int t = 0; t < run->c.file.type_count; t++) {
        memory = fmin(memory, run->c.replicas.type[t].physical.value);
        listed = listed || strcmp(run->c.file.types[t].gpu, gpu->id) == 0;
    }
    for (int i = 0; i < run->other_count; i++)
        listed = listed || strcmp(run->others[i]->file.types[0].gpu, gpu->id) == 0;
    if (listed || strcmp(gpu->vendor, run->c.replicas.type[0].vendor) != 0 || price <= 0 ||
        gpu->bandwidth.value <= 0 || gpu->physical.value < memory * ALIKE ||
        strncmp(gpu->form_factor, form, strlen(form)) != 0 ||
        pool_rent(gpu->id, &run->c.replicas.market, NULL) <= 0)
        return INFINITY;
    return price / gpu->bandwidth.value;
}

/* A card and a module of 8 to a server, each the least dollars per byte/s: what decides most
 * costs of serving. */
static void pick_others(struct planner *planner, struct pool_run *run)
{
    static const char *const forms[] = {"PCIe", "SXM", "OAM"};
    const struct gpu *const *list;
    struct gp_err err;
    size_t n;

    if (run->c.file.workload_count > OTHERS_MOST ||
        catalog_gpus(planner_catalog(planner), &list, &n, &err))
        return;
    for (size_t f = 0; f < sizeof(forms) / sizeof(forms[0]); f++) {
        const struct gpu *best = NULL;
        double least = INFINITY;

        for (size_t i = 0; i < n; i++) {
            double worth = worth_a_look(run, list[i], forms[f]);

            if (worth < least) {
                least = worth;
                best = list[i];
            }
        }
        if (best) /* one that cannot be planned is no choice */
            add_other(planner, run, best->id, &err);
    }
}

enum gp_status pool_run_others_begin(struct planner *planner, struct pool_run *run,
                                     const struct pool_run_options *o, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    pool_run_others_fini(run);
    for (int i = 0; i < o->gpu_count && !rc; i++)
        rc = add_other(planner, run, o->gpus[i], err);
    run->others_asked = run->other_count;
    if (o->gpu_count == 0)
        pick_others(planner, run);
    return rc;
}

enum gp_status pool_run_others_step(struct planner *planner, struct pool_run *run, bool *more,
                                    struct gp_err *err)
{
    enum gp_status rc = GP_OK;
    int i = 0;

    while (i < run->other_count && run->others[i]->pool.candidates)
        i++;
    *more = i < run->other_count;
    if (!*more)
        return GP_OK;
    struct pool_case *c = run->others[i];
    bool left = true;
    rc = pool_case_step(planner, c, &left, err);
    if (!rc && !left)
        rc = pool_case_build(c, err);
    if (rc == GP_OK || i < run->others_asked)
        return rc;
    pool_case_free(c); /* one that cannot be planned on is left out, unless it was asked for */
    run->others[i] = run->others[--run->other_count];
    return GP_OK;
}

void pool_run_others_fini(struct pool_run *run)
{
    for (int i = 0; i < run->other_count; i++)
        pool_case_free(run->others[i]);
    run->other_count = 0;
}

/* ---- all ---- */

void pool_run_what_ifs(struct pool_run *run, const struct pool_run_options *o)
{
    run->what_if_count = run->what_ifs_left = 0;
    if (run->rung != POOL_CLOUD) {
        lose_box(run, o);
        more_demand(run, o, -1, MORE_DEMAND, true);
        more_demand(run, o, largest_workload(run), SPIKE, true);
    }
    more_demand(run, o, -1, MORE_DEMAND, false);
    for (int t = 0; run->c.pool.type_count > 1 && t < run->c.pool.type_count; t++)
        one_type(run, o, t);
    for (int i = 0; i < run->other_count; i++) {
        const struct pool_case *c = run->others[i];
        struct pool_what_if *out = next_what_if(run);

        if (!out || !c->pool.candidates)
            continue;
        name_another(c, 0, out);
        solve_what_if(run, o, &c->pool, NULL, out);
    }
}
