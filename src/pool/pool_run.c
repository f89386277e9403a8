/*
 * pool_run.c - see pool_run.h.
 */
#include "pool/pool_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "catalog/catalog.h"
#include "plan/roofline.h"

#define SETTLINGS 3 /* tries to place a plan as its hosts allow */
#define GROWTHS 8   /* times that GPUs are added for it */

/* ---- which rung ---- */

const char *pool_rung_word(enum pool_rung_id id)
{
    static char words[POOL_RUNGS][OPTION_CHOICE_MAX];

    return option_choice(OPT_RUNG, (int)id, words[id]);
}

bool pool_rung_bounded(const struct pool_rung *rung)
{
    return rung->bound > 0 && isfinite(rung->bound);
}

bool pool_run_short(const struct pool_run *run, enum pool_rung_id id)
{
    const struct pool_rung *r = &run->answer.rungs[id];

    return r->unmet_share > POOL_UNMET_LEAST || r->jobs_undone > POOL_UNDONE_LEAST;
}

/* The least money of what is owned: a rung that leaves more unmet pays for it. */
enum pool_rung_id pool_run_cheapest(const struct pool_run *run)
{
    const struct pool_rung *rungs = run->answer.rungs;
    enum pool_rung_id best = POOL_FIXED;

    for (int id = 1; id < POOL_CLOUD; id++)
        if (rungs[id].total < rungs[best].total)
            best = (enum pool_rung_id)id;
    return best;
}

static void place_rung(const struct pool_run *run, enum pool_rung_id id, struct placement *out)
{
    size_t n = run->c.file.chassis_count;
    struct chassis_size *chassis = gp_calloc(n + 1, sizeof(*chassis));

    for (size_t i = 0; i < n; i++)
        chassis[i] =
            (struct chassis_size){pool_file_held(&run->c.file.chassis[i]),
                                  run->c.file.chassis[i].hosts, run->c.file.chassis[i].per_host};
    placement_rung(&run->c.pool, &run->answer.rungs[id], chassis, (int)n, out);
    free(chassis);
}

/* More GPUs, as long as the pool has them, for replicas that found no host with room; the
 * fleet stays as it was where that does not help. */
static void grow_fleet(struct pool_run *run, enum pool_rung_id id, struct placement *placement)
{
    struct pool_rung *rung = &run->answer.rungs[id];
    int before[POOL_MOST_TYPES];

    memcpy(before, rung->gpus, sizeof(before));
    for (int i = 0; i < GROWTHS && placement->lacking > 0; i++) {
        int g = placement->lacking_type, n = placement->lacking;

        if (!pool_may_grow(&run->c.pool, id, &run->answer, g, n))
            break;
        rung->gpus[g] += n;
        placement_fini(placement);
        place_rung(run, id, placement);
    }
    if (placement->whole)
        return;
    memcpy(rung->gpus, before, sizeof(before));
    placement_fini(placement);
    place_rung(run, id, placement);
}

/* GPUs are counts to the solver. A composed rung becomes what its hosts can hold, so that
 * its money is that of a plan which can be carried out. */
static void settle_rung(struct pool_run *run, enum pool_rung_id id)
{
    struct placement placement;

    place_rung(run, id, &placement);
    for (int i = 0; i < SETTLINGS && placement.gpus > 0 && !placement.whole; i++) {
        if (i == 0)
            grow_fleet(run, id, &placement);
        pool_settle(&run->c.pool, id, placement.ran, &run->answer);
        placement_fini(&placement);
        place_rung(run, id, &placement);
    }
    placement_fini(&placement);
}

/* ---- engines that sleep ---- */

/* GPUs and hours of each replica on its host. */
struct suspended {
    int candidate, host, gpu, hours;
};

/* Which replicas sleep while others have their GPUs, as far as the hosts' memory goes. */
static void suspend_replicas(struct pool_run *run)
{
    const struct pool *pool = &run->c.pool;
    const struct placement *p = &run->placement;
    size_t hosts = 1;
    double most = run->c.file.host_memory, *held; /* [host] bytes */
    struct suspended *list = gp_calloc((size_t)p->units + 1, sizeof(*list));

    free(run->asleep);
    run->asleep = gp_calloc((size_t)p->units + 1, sizeof(*run->asleep));
    run->suspended = 0;
    for (int g = 0; g < p->gpus; g++)
        for (int h = 0; h < p->hours; h++) {
            size_t at = placement_cell(p, h, g);
            struct suspended *one = &list[p->unit[at]];

            if (p->who[at] <= 0 || p->cut[at] >= 0 || (one->hours > 0 && one->gpu != g))
                continue;
            if (one->hours++ == 0)
                *one = (struct suspended){p->who[at] - 1,
                                          p->chassis[p->chassis_of[g]].first_host + p->host[at] - 1,
                                          g, 1};
        }
    if (p->chassis_count > 0)
        hosts += (size_t)(p->chassis[p->chassis_count - 1].first_host +
                          p->chassis[p->chassis_count - 1].hosts);
    held = gp_calloc(hosts, sizeof(*held));
    for (int u = 1; u < p->units; u++) {
        const struct pool_candidate *c = &pool->candidates[list[u].candidate];
        double bytes = run->c.replicas.row[run->c.replica_of[list[u].candidate]].weights;

        if (list[u].hours == 0 || list[u].hours == p->hours || run->rung == POOL_CLOUD ||
            !pool->workloads[c->workload].sleeps || pool_composes(pool, c->type, run->rung) ||
            (most > 0 && held[list[u].host] + bytes > most))
            continue;
        run->asleep[u] = true;
        held[list[u].host] += bytes;
        run->suspended = fmax(run->suspended, held[list[u].host]);
    }
    free(held);
    free(list);
}

bool pool_run_wakes(const struct pool_run *run, int hour, int gpu)
{
    const struct placement *p = &run->placement;

    return run->asleep[p->unit[(size_t)hour * (size_t)p->gpus + (size_t)gpu]] &&
           placement_returns(p, hour, gpu);
}

double pool_run_wake_s(const struct pool_run *run, int candidate)
{
    const struct pool_replica *r = &run->c.replicas.row[run->c.replica_of[candidate]];
    const struct gpu *gpu = &run->c.replicas.type[r->type];
    double bus = roofline_pcie(gpu->pcie_gen, gpu->pcie_lanes) * r->gpus;

    return run->c.file.moves.wake + (bus > 0 ? r->weights / bus : 0);
}

void pool_run_choose(struct pool_run *run, int rung)
{
    run->rung = rung < 0 || rung >= POOL_RUNGS ? pool_run_cheapest(run) : (enum pool_rung_id)rung;
    run->replay_count = run->replayed = 0; /* of the rung */
    placement_fini(&run->placement);
    place_rung(run, run->rung, &run->placement);
    suspend_replicas(run);
}

/* ---- the solver ---- */

/* Time that runs for a solver; lives as long as the options that refer to it. */
struct pool_run_clock {
    double begun, seconds;
};

static double share_of_time(void *ctx)
{
    const struct pool_run_clock *clock = ctx;

    return (clock_now() - clock->begun) / clock->seconds;
}

/* work: units, 0 for pool_work(); seconds: 0 = no limit, work alone decides. */
static struct pool_options solver_options(const struct pool_run_options *o, uint64_t work,
                                          double seconds, struct pool_run_clock *clock)
{
    struct pool_options options = {.seed = o->seed,
                                   .work = work,
                                   .stop = o->stop,
                                   .stop_ctx = o->stop_ctx,
                                   .progress = o->progress,
                                   .progress_ctx = o->progress_ctx};

    *clock = (struct pool_run_clock){clock_now(), seconds};
    if (seconds > 0) {
        options.share = share_of_time;
        options.share_ctx = clock;
    }
    return options;
}

void pool_run_solve(struct pool_run *run, const struct pool_run_options *o)
{
    struct pool_run_clock clock;
    struct pool_options options = solver_options(o, 0, o->seconds, &clock);

    pool_solve(&run->c.pool, &options, &run->answer);
    settle_rung(run, POOL_COMPOSED);
    settle_rung(run, POOL_HOURLY);
    pool_run_choose(run, o->rung);
    run->halted = o->stop && o->stop(o->stop_ctx);
}

/* ---- sums ---- */

int pool_run_gpus(const struct pool_run *run, enum pool_rung_id rung)
{
    int n = 0;

    for (int t = 0; t < run->c.pool.type_count; t++)
        n += run->answer.rungs[rung].gpus[t];
    return n;
}

int pool_run_busiest(const struct pool_run *run)
{
    const struct pool *pool = &run->c.pool;
    int best = 0, most = -1;

    for (int h = 0; h < pool->hours; h++) {
        int used = 0;

        for (int t = 0; t < pool->type_count; t++)
            used += run->answer.rungs[run->rung].use[h * pool->type_count + t];
        if (used > most) {
            most = used;
            best = h;
        }
    }
    return best;
}

const struct layout *pool_layout(const struct pool_run *run, int candidate)
{
    const struct pool_replica *r = &run->c.replicas.row[run->c.replica_of[candidate]];
    int type = run->c.pool.candidates[candidate].type;
    bool fabric = pool_composes(&run->c.pool, type, run->rung);

    return (fabric ? r->fabric_rate > 0 : r->rate <= 0) ? &r->fabric : &r->server;
}

double pool_replica_rate(const struct pool_run *run, int candidate)
{
    const struct pool_candidate *one = &run->c.pool.candidates[candidate];

    return pool_composes(&run->c.pool, one->type, run->rung) ? one->composed_rate : one->rate;
}

/* ---- what a workload takes ---- */

double pool_run_taken(const struct pool_run *run, enum pool_rung_id rung, int workload, int hour)
{
    const struct pool_case *c = &run->c;
    const struct pool *pool = &c->pool;
    const int *replicas = run->answer.rungs[rung].replicas;
    int low = 0, high = pool->candidate_count;
    double sum = 0;

    while (low < high) { /* the first candidate of the workload */
        int mid = low + (high - low) / 2;

        if (pool->candidates[mid].workload < workload)
            low = mid + 1;
        else
            high = mid;
    }
    for (int i = low; i < pool->candidate_count && pool->candidates[i].workload == workload; i++) {
        const struct pool_candidate *one = &pool->candidates[i];
        double gpus = one->gpus;

        if (one->slice != POOL_NO_SLICE) {
            const struct gpu_slice *s =
                &c->replicas.type[one->type].slice[c->slice_of[one->type][one->slice]];

            gpus = s->memory_of > 0 ? (double)s->memory_part / s->memory_of : 1;
        }
        sum += gpus * replicas[i * pool->hours + hour];
    }
    return sum;
}

/* ---- why a gap stays ---- */

#define GAP_LEAST 0.01 /* that is worth a word */

void pool_run_gap(const struct pool_run *run, enum pool_rung_id id, char *text, size_t size)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_rung *r = &run->answer.rungs[id];
    int worker = 0, replica = 0, fleet = 0; /* the largest, and the GPUs of its type */

    text[0] = '\0';
    if (!pool_rung_bounded(r) || r->gap < GAP_LEAST)
        return;
    for (int j = 0; j < pool->job_count; j++)
        worker = pool->jobs[j].gpus > worker ? pool->jobs[j].gpus : worker;
    for (int i = 0; i < pool->candidate_count; i++)
        for (int t = 0; t < pool->hours; t++)
            if (r->replicas[i * pool->hours + t] > 0 && pool->candidates[i].gpus > replica) {
                replica = pool->candidates[i].gpus;
                fleet = r->gpus[pool->candidates[i].type];
            }
    if (r->cost.starting > (r->total - r->bound) / 2)
        gp_copy(text, size, "replicas that start are in the cost, not in the bound");
    else if (id != POOL_CLOUD && worker > 1)
        gp_format(text, size, "the bound splits a job's workers of %d GPUs", worker);
    else if (replica > 1 && replica * 4 >= fleet)
        gp_format(text, size, "the bound mixes replicas of %d GPUs in parts, of %d there are",
                  replica, fleet);
    else
        gp_copy(text, size,
                run->halted ? "the search was stopped"
                            : "the search ended first; --solve-seconds gives it longer");
}

void pool_run_refusal(const struct pool_run *run, int workload, char *text, size_t size)
{
    static const char *const words[LIMIT_COUNT] = {
        [LIMIT_NONE] = "no speed of such a model is known",
        [LIMIT_WEIGHTS] = "its weights do not fit",
        [LIMIT_OVERHEAD] = "its weights leave no room",
        [LIMIT_KV] = "one request's KV cache does not fit",
        [LIMIT_TYPE] = "its precision does not run there",
        [LIMIT_CONTEXT] = "its context is longer than its model's",
        [LIMIT_TTFT] = "one request alone misses the TTFT goal",
        [LIMIT_TPOT] = "one request alone misses the TPOT goal",
    };
    const struct pool *pool = &run->c.pool;
    const struct pool_replicas *replicas = &run->c.replicas;
    const struct pool_refusal *r = pool_refusal_of(replicas, workload);
    bool somewhere = false;

    text[0] = '\0';
    for (int i = 0; i < pool->candidate_count; i++)
        if (pool->candidates[i].workload == workload)
            return;
    for (size_t i = 0; i < replicas->count; i++)
        somewhere = somewhere || replicas->row[i].workload == workload;
    if (somewhere)
        gp_copy(text, size, "its layouts cannot be placed where this pool has GPUs");
    else if (r && words[r->limit])
        gp_format(text, size, "%s, on %s", words[r->limit], run->c.file.types[r->type].gpu);
    else
        gp_copy(text, size, "no layout of these GPUs serves it within its goals");
}

bool pool_run_penalty(const struct pool_run *run, int workload, double *share, int *gpus)
{
    const struct pool_replicas *replicas = &run->c.replicas;
    bool any = false;

    *share = 0;
    *gpus = 0;
    for (size_t i = 0; i < replicas->count; i++) {
        const struct pool_replica *r = &replicas->row[i];

        if (r->workload != workload || r->gpus < 2 || r->rate <= 0 || r->fabric_rate <= 0)
            continue;
        double lost = 1 - r->fabric_rate / r->rate;
        if (any && lost <= *share)
            continue;
        any = true;
        *share = fmax(0, lost);
        *gpus = r->gpus;
    }
    return any;
}

/* ---- what if: a chassis is lost, demand grows, all GPUs are of another type
 *
 * Each is the same pool with a change, and the chosen rung solved again. The plan that is
 * there is a start: in the time that a large pool leaves, the solver may find nothing nearer.
 */

#define WHAT_IF_PART 4   /* of the usual work, for each */
#define WHAT_IF_SHARE 10 /* ... of the time, where one is given, beside it */
#define MORE_DEMAND 1.3
#define SPIKE 2.0
#define ALIKE 0.99     /* of the memory: 79.65 GiB and 80 are */
#define OTHERS_MOST 64 /* workloads for which layouts on other GPUs are looked for unasked */

/* ---- the pool with a change ---- */

struct varied {
    struct pool_what_if *out; /* the next one */
    struct pool pool;
    struct pool_type types[POOL_FILE_TYPES];
    struct pool_workload *workloads;
    struct pool_job *jobs;
    double *demand;
    int *plan; /* [candidate x hours + hour] replicas to begin with; NULL: none are known */
};

static struct pool_what_if *next_what_if(struct pool_run *run)
{
    struct pool_what_if *out = &run->what_ifs[run->what_if_count];

    if (run->what_if_count == POOL_WHAT_IFS)
        return NULL;
    *out = (struct pool_what_if){.rung = run->rung};
    return out;
}

/* The same pool with lists of its own, and the plan that it has; false: there are what-ifs
 * enough. */
static bool vary_pool(struct pool_run *run, struct varied *v)
{
    const struct pool *from = &run->c.pool;
    size_t n = (size_t)from->workload_count, hours = (size_t)from->hours;
    size_t cells = (size_t)from->candidate_count * hours;

    *v = (struct varied){.pool = *from, .out = next_what_if(run)};
    if (!v->out)
        return false;
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
    return true;
}

static void only_fleet(const struct pool_run *run, struct varied *v)
{
    for (int t = 0; t < v->pool.type_count; t++) {
        v->types[t].stock = run->answer.rungs[run->rung].gpus[t];
        v->types[t].buy = 0;
    }
}

/* plan: one to begin with, its cells are spent; NULL: none is known. What the time did not
 * suffice for is no answer, and counted as such. */
static void solve_what_if(struct pool_run *run, const struct pool_run_options *o,
                          const struct pool *pool, int *plan, struct pool_what_if *out)
{
    struct pool_run_clock clock;
    struct pool_options options =
        solver_options(o, pool_work(pool) / WHAT_IF_PART, o->seconds / WHAT_IF_SHARE, &clock);
    struct pool_answer answer;

    options.progress = NULL;
    pool_solve_rung(pool, run->rung, &options, &answer);
    if (plan)
        pool_adopt(pool, run->rung, plan, &answer);
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

static void solve_varied(struct pool_run *run, const struct pool_run_options *o, struct varied *v)
{
    solve_what_if(run, o, &v->pool, v->plan, v->out);
    free(v->workloads);
    free(v->jobs);
    free(v->demand);
    free(v->plan);
}

/* ---- the changes ---- */

/* A chassis with all its GPUs; of servers, one; without chassis, as many as a server
 * holds. What is lost is still paid for. */
static void lose_chassis(struct pool_run *run, const struct pool_run_options *o)
{
    int worst = -1, lost[POOL_FILE_TYPES] = {0};
    struct varied v;

    for (int b = 0; b < run->placement.chassis_count; b++)
        if (worst < 0 || run->placement.chassis[b].gpus > run->placement.chassis[worst].gpus)
            worst = b;
    if (worst < 0 || !vary_pool(run, &v))
        return;
    const struct placement_chassis *lost_one = &run->placement.chassis[worst];
    bool chassis = lost_one->listed >= 0 && (size_t)lost_one->listed < run->c.file.chassis_count;
    int gone = lost_one->listed < 0 || chassis || lost_one->gpus < run->c.file.server_gpus
                   ? lost_one->gpus
                   : run->c.file.server_gpus;
    for (int g = lost_one->first; g < lost_one->first + gone; g++)
        lost[run->placement.type[g]]++;
    only_fleet(run, &v);
    /* What stood on these GPUs does not run; of those that are cut it is not known what did. */
    const struct placement *p = &run->placement;
    int *seen = gp_calloc((size_t)p->units + 1, sizeof(*seen)); /* hour + 1 */

    for (int h = 0; h < p->hours; h++)
        for (int g = lost_one->first; g < lost_one->first + gone; g++) {
            size_t at = (size_t)h * (size_t)p->gpus + (size_t)g;

            if (p->who[at] <= 0 || p->cut[at] >= 0 || seen[p->unit[at]] == h + 1)
                continue;
            seen[p->unit[at]] = h + 1;
            int *n = &v.plan[(p->who[at] - 1) * p->hours + h];
            *n -= *n > 0;
        }
    free(seen);
    for (int t = 0; t < v.pool.type_count; t++)
        v.types[t].stock -= lost[t];
    gp_format(v.out->name, sizeof(v.out->name), "lose %s%s%s%d GPUs",
              lost_one->listed < 0 ? "a server"
              : chassis            ? "chassis "
                                   : "",
              chassis ? run->c.file.chassis[lost_one->listed].name : "",
              lost_one->listed < 0 || chassis ? " with " : "", gone);
    v.out->fleet = true;
    solve_varied(run, o, &v);
    for (int t = 0; t < v.pool.type_count; t++)
        v.out->paid +=
            lost[t] *
            (run->c.types[t].buy_hour +
             (pool_composes(&run->c.pool, t, run->rung) ? run->c.types[t].premium_hour : 0)) *
            v.pool.hours;
}

/* Demand of a workload (below 0: of all) times `by`. The plan's replicas grow along where there
 * are GPUs to buy. */
static void more_demand(struct pool_run *run, const struct pool_run_options *o, int workload,
                        double by, bool fleet)
{
    int hours = run->c.pool.hours;
    struct varied v;

    if (!vary_pool(run, &v))
        return;
    if (fleet)
        only_fleet(run, &v);
    for (int w = 0; w < v.pool.workload_count; w++)
        for (int h = 0; h < hours && (workload < 0 || w == workload); h++)
            v.demand[w * hours + h] *= by;
    for (int i = 0; i < v.pool.candidate_count && !fleet; i++)
        for (int h = 0; h < hours; h++)
            if (workload < 0 || v.pool.candidates[i].workload == workload)
                v.plan[i * hours + h] = (int)ceil(v.plan[i * hours + h] * by);
    gp_format(v.out->name, sizeof(v.out->name), "demand of %s x %.1f",
              workload < 0 ? "all" : run->c.file.workloads[workload].name, by);
    v.out->fleet = fleet;
    solve_varied(run, o, &v);
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
    struct varied v;
    int all = 0;

    if (!vary_pool(run, &v))
        return;
    for (int t = 0; t < v.pool.type_count; t++)
        all += POOL_OTHER_TIMES * (v.types[t].stock + v.types[t].buy);
    for (int t = 0; t < v.pool.type_count; t++) {
        v.types[t].stock = 0;
        v.types[t].buy = t != type ? 0 : all < POOL_MOST_GPUS ? all : POOL_MOST_GPUS;
        v.types[t].spare = t == type ? v.types[t].spare : 0;
    }
    for (int j = 0; j < v.pool.job_count; j++)
        v.jobs[j].type = type;
    name_another(&run->c, type, v.out);
    free(v.plan);
    v.plan = NULL;
    solve_varied(run, o, &v);
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
        catalog_gpus_offered(planner_catalog(planner), &list, &n, &err))
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

static void others_fini(struct pool_run *run)
{
    for (int i = 0; i < run->other_count; i++)
        pool_case_free(run->others[i]);
    run->other_count = 0;
}

enum gp_status pool_run_others_begin(struct planner *planner, struct pool_run *run,
                                     const struct pool_run_options *o, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    others_fini(run);
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

/* ---- all ---- */

void pool_run_what_ifs(struct pool_run *run, const struct pool_run_options *o)
{
    run->what_if_count = run->what_ifs_left = 0;
    if (run->rung != POOL_CLOUD) {
        lose_chassis(run, o);
        more_demand(run, o, -1, MORE_DEMAND, true);
        /* The workload that takes most GPU-hours. */
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
        more_demand(run, o, best, SPIKE, true);
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

/* ---- all ---- */

enum gp_status pool_run(struct planner *planner, const struct pool_run_options *options,
                        profile_warn_fn warn, void *ctx, struct pool_run *out, struct gp_err *err)
{
    memset(out, 0, sizeof(*out));
    enum gp_status rc = pool_case_load(planner, options->name, warn, ctx, &out->c, err);

    return rc ? rc : pool_run_answer(planner, options, out, err);
}

static void run_fini(struct pool_run *run)
{
    pool_answer_fini(&run->answer);
    placement_fini(&run->placement);
    free(run->asleep);
    free(run->replays);
    others_fini(run);
    pool_case_fini(&run->c);
    memset(run, 0, sizeof(*run));
}

enum gp_status pool_run_answer(struct planner *planner, const struct pool_run_options *options,
                               struct pool_run *out, struct gp_err *err)
{
    enum gp_status rc;
    bool more = true;

    out->data_date = catalog_data_date(planner_catalog(planner));
    pool_run_solve(out, options);
    if (options->no_what_ifs || out->halted)
        return GP_OK;
    while (pool_run_replay_step(planner, out))
        ;
    rc = pool_run_others_begin(planner, out, options, err);
    while (!rc && more)
        rc = pool_run_others_step(planner, out, &more, err);
    if (!rc)
        pool_run_what_ifs(out, options);
    if (rc)
        run_fini(out);
    return rc;
}

struct pool_run *pool_run_new(void)
{
    return gp_calloc(1, sizeof(struct pool_run));
}

void pool_run_delete(struct pool_run *run)
{
    if (run)
        run_fini(run);
    free(run);
}
