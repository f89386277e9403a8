/*
 * pool_run.c - see pool_run.h.
 */
#include "request/pool_run.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/roofline.h"
#include "util/clock.h"
#include "util/mem.h"
#include "util/str.h"

#define WHAT_IF_PART  4  /* of the usual work, for each */
#define WHAT_IF_SHARE 10 /* ... of the time, where one is given, beside it */
#define UNMET_LEAST  5e-4 /* share of all demand: what the table prints as 0.0 % */
#define MORE_DEMAND  1.3
#define SPIKE        2.0
#define HIGHS_SHARE  0.4  /* of the time, when there is one */
#define HIGHS_LEAST  0.5  /* s */
#define HIGHS_GAP    1e-6 /* from which on it is asked */
#define SETTLINGS    3    /* tries to place a plan as its hosts allow */
#define GROWTHS      8    /* times that GPUs are added for it */

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

/* The least money of what is owned: a rung that leaves more unmet pays for it. */
static enum pool_rung_id cheapest(const struct pool_answer *answer)
{
    enum pool_rung_id best = POOL_FIXED;

    for (int id = 1; id < POOL_CLOUD; id++)
        if (answer->rungs[id].total < answer->rungs[best].total)
            best = (enum pool_rung_id)id;
    return best;
}

enum pool_rung_id pool_run_cheapest(const struct pool_run *run)
{
    return cheapest(&run->answer);
}

static void seat_rung(const struct pool_run *run, enum pool_rung_id id, struct seating *out)
{
    size_t n = run->c.file.chassis_count;
    struct seating_chassis *chassis = gp_calloc(n + 1, sizeof(*chassis));

    for (size_t i = 0; i < n; i++)
        chassis[i] = (struct seating_chassis){pool_file_held(&run->c.file.chassis[i]),
                                              run->c.file.chassis[i].hosts,
                                              run->c.file.chassis[i].per_host};
    seating_rung(&run->c.pool, &run->answer.rungs[id], chassis, (int)n, out);
    free(chassis);
}

/* More GPUs, as long as the pool has them, for replicas that found no host with room; the
 * fleet stays as it was where that does not help. */
static void grow_fleet(struct pool_run *run, enum pool_rung_id id, struct seating *seating)
{
    struct pool_rung *rung = &run->answer.rungs[id];
    int before[POOL_MOST_TYPES];

    memcpy(before, rung->gpus, sizeof(before));
    for (int i = 0; i < GROWTHS && seating->lacking > 0; i++) {
        int g = seating->lacking_type, n = seating->lacking;
        if (!pool_may_grow(&run->c.pool, id, &run->answer, g, n))
            break;
        rung->gpus[g] += n;
        seating_fini(seating);
        seat_rung(run, id, seating);
    }
    if (seating->whole)
        return;
    memcpy(rung->gpus, before, sizeof(before));
    seating_fini(seating);
    seat_rung(run, id, seating);
}

/* GPUs are counts to the solver. A composed rung becomes what its hosts can hold, so that
 * its money is that of a plan which can be carried out. */
static void settle_rung(struct pool_run *run, enum pool_rung_id id)
{
    struct seating seating;

    seat_rung(run, id, &seating);
    for (int i = 0; i < SETTLINGS && seating.gpus > 0 && !seating.whole; i++) {
        if (i == 0)
            grow_fleet(run, id, &seating);
        pool_settle(&run->c.pool, id, seating.ran, &run->answer);
        seating_fini(&seating);
        seat_rung(run, id, &seating);
    }
    seating_fini(&seating);
}

/* ---- engines that sleep ---- */

/* GPUs and hours of each replica on its host. */
struct sleeper {
    int candidate, host, gpu, hours;
};

static void find_sleepers(const struct seating *p, struct sleeper *list)
{
    for (int g = 0; g < p->gpus; g++)
        for (int h = 0; h < p->hours; h++) {
            size_t at = (size_t)h * (size_t)p->gpus + (size_t)g;
            struct sleeper *one = &list[p->unit[at]];
            if (p->who[at] <= 0 || p->cut[at] >= 0 || (one->hours > 0 && one->gpu != g))
                continue;
            if (one->hours++ == 0)
                *one = (struct sleeper){p->who[at] - 1,
                                        p->box[p->box_of[g]].first_host + p->host[at] - 1, g,
                                        1};
        }
}

static int host_count(const struct seating *p)
{
    const struct seating_box *last = p->box + p->box_count - 1;

    return p->box_count > 0 ? last->first_host + last->hosts : 0;
}

/* Which replicas sleep while others have their GPUs, as far as the hosts' memory goes. */
static void put_to_sleep(struct pool_run *run)
{
    const struct pool *pool = &run->c.pool;
    const struct seating *p = &run->seating;
    double most = run->c.file.host_memory, *held;
    struct sleeper *list = gp_calloc((size_t)p->units + 1, sizeof(*list));

    free(run->asleep);
    run->asleep = gp_calloc((size_t)p->units + 1, sizeof(*run->asleep));
    run->sleepers = 0;
    find_sleepers(p, list);
    held = gp_calloc((size_t)host_count(p) + 1, sizeof(*held));
    for (int u = 1; u < p->units; u++) {
        const struct pool_candidate *c = &pool->candidates[list[u].candidate];
        double bytes = run->c.replicas.row[run->c.replica_of[list[u].candidate]].weights;
        if (list[u].hours == 0 || list[u].hours == p->hours || run->rung == POOL_CLOUD ||
            !pool->workloads[c->workload].sleeps || pool_composes(pool, c->type, run->rung) ||
            (most > 0 && held[list[u].host] + bytes > most))
            continue;
        run->asleep[u] = true;
        held[list[u].host] += bytes;
        run->sleepers = fmax(run->sleepers, held[list[u].host]);
    }
    free(held);
    free(list);
}

bool pool_run_wakes(const struct pool_run *run, int hour, int gpu)
{
    const struct seating *p = &run->seating;

    return run->asleep[p->unit[(size_t)hour * (size_t)p->gpus + (size_t)gpu]] &&
           seating_returns(p, hour, gpu);
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
    run->rung = rung < 0 || rung >= POOL_RUNGS ? cheapest(&run->answer)
                                               : (enum pool_rung_id)rung;
    seating_fini(&run->seating);
    seat_rung(run, run->rung, &run->seating);
    put_to_sleep(run);
}

/* ---- the solver ---- */

bool pool_highs_answered(const struct pool_highs *h)
{
    return h->version[0] != '\0' && (h->bound > 0 || h->trouble[0] != '\0');
}

struct timed {
    const struct pool_run_options *options;
    double begun; /* clock_now() */
    double seconds;
};

static double share_of_time(void *ctx)
{
    const struct timed *t = ctx;

    return (clock_now() - t->begun) / t->seconds;
}

static struct pool_options solver_options(const struct pool_run_options *o, uint64_t work)
{
    return (struct pool_options){.seed = o->seed,
                                 .work = work,
                                 .stop = o->stop,
                                 .stop_ctx = o->stop_ctx,
                                 .progress = o->progress,
                                 .progress_ctx = o->progress_ctx};
}

/* The chosen rung by HiGHS, with what is left of the time. */
static void ask_highs(struct pool_run *run, const struct pool_run_options *o, double left)
{
    const struct pool_rung *r = &run->answer.rungs[run->rung];
    double total = r->total, bound = r->bound;

    if (run->rung == POOL_CLOUD || left < HIGHS_LEAST ||
        run->answer.rungs[run->rung].gap < HIGHS_GAP)
        return;
    pool_highs_solve(&run->c.pool, run->rung, left, &run->answer, &run->highs);
    run->highs.plan = r->total < total;
    run->highs.raised = r->bound > bound;
    if (!run->highs.taken)
        return;
    if (run->rung == POOL_COMPOSED || run->rung == POOL_HOURLY)
        settle_rung(run, run->rung);
    pool_run_choose(run, o->rung);
}

void pool_run_solve(struct pool_run *run, const struct pool_run_options *o)
{
    struct timed t = {.options = o, .begun = clock_now(), .seconds = o->seconds};
    struct pool_options options = solver_options(o, 0);
    bool highs = o->seconds > 0 && pool_highs_find(&run->highs);

    run->seconds = o->seconds;
    if (highs)
        t.seconds *= 1 - HIGHS_SHARE;
    if (o->seconds > 0) {
        options.share = share_of_time;
        options.share_ctx = &t;
    }
    pool_solve(&run->c.pool, &options, &run->answer);
    settle_rung(run, POOL_COMPOSED);
    settle_rung(run, POOL_HOURLY);
    pool_run_choose(run, o->rung);
    run->halted = o->stop && o->stop(o->stop_ctx);
    if (highs && !run->halted)
        ask_highs(run, o, t.begun + o->seconds - clock_now());
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

/* ---- what a workload takes ---- */

static double gpus_of(const struct pool_case *c, int candidate)
{
    const struct pool_candidate *one = &c->pool.candidates[candidate];
    const struct gpu *gpu = &c->replicas.type[one->type];

    if (one->slice == POOL_NO_SLICE)
        return one->gpus;
    const struct gpu_slice *s = &gpu->slice[c->slice_of[one->type][one->slice]];
    return s->memory_of > 0 ? (double)s->memory_part / s->memory_of : 1;
}

/* The first candidate of a workload or, where it has none, of those after it. */
static int first_candidate(const struct pool *pool, int workload)
{
    int low = 0, high = pool->candidate_count;

    while (low < high) {
        int mid = low + (high - low) / 2;
        if (pool->candidates[mid].workload < workload)
            low = mid + 1;
        else
            high = mid;
    }
    return low;
}

double pool_run_taken(const struct pool_run *run, enum pool_rung_id rung, int workload,
                      int hour)
{
    const struct pool *pool = &run->c.pool;
    const int *replicas = run->answer.rungs[rung].replicas;
    double n = 0;

    for (int i = first_candidate(pool, workload);
         i < pool->candidate_count && pool->candidates[i].workload == workload; i++)
        n += gpus_of(&run->c, i) * replicas[i * pool->hours + hour];
    return n;
}

/* ---- why a gap stays ---- */

#define GAP_LEAST 0.01 /* that is worth a word */

static int largest_worker(const struct pool *pool)
{
    int most = 0;

    for (int j = 0; j < pool->job_count; j++)
        most = pool->jobs[j].gpus > most ? pool->jobs[j].gpus : most;
    return most;
}

/* GPUs of the largest replica that runs, and of the fleet of its type. */
static int largest_replica(const struct pool *pool, const struct pool_rung *r, int *fleet)
{
    int most = 0;

    for (int i = 0; i < pool->candidate_count; i++)
        for (int t = 0; t < pool->hours; t++)
            if (r->replicas[i * pool->hours + t] > 0 && pool->candidates[i].gpus > most) {
                most = pool->candidates[i].gpus;
                *fleet = r->gpus[pool->candidates[i].type];
            }
    return most;
}

void pool_run_gap(const struct pool_run *run, enum pool_rung_id id, char *text, size_t size)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_rung *r = &run->answer.rungs[id];
    int worker = largest_worker(pool), fleet = 0, replica;

    text[0] = '\0';
    if (!pool_rung_bounded(r) || r->gap < GAP_LEAST)
        return;
    replica = largest_replica(pool, r, &fleet);
    if (r->cost.starting > (r->total - r->bound) / 2)
        gp_copy(text, size, "replicas that start are in the cost, not in the bound");
    else if (id != POOL_CLOUD && worker > 1)
        gp_format(text, size, "the bound splits a job's workers of %d GPUs", worker);
    else if (replica > 1 && replica * 4 >= fleet)
        gp_format(text, size, "the bound mixes replicas of %d GPUs in parts, of %d there are",
                  replica, fleet);
    else
        gp_copy(text, size, "the search ended first; --solve-seconds gives it longer");
}

void pool_run_refusal(const struct pool_run *run, int workload, char *text, size_t size)
{
    const struct pool *pool = &run->c.pool;
    const struct pool_replicas *replicas = &run->c.replicas;
    bool somewhere = false;

    text[0] = '\0';
    for (int i = 0; i < pool->candidate_count; i++)
        if (pool->candidates[i].workload == workload)
            return;
    for (size_t i = 0; i < replicas->count; i++)
        somewhere = somewhere || replicas->row[i].workload == workload;
    gp_copy(text, size,
            somewhere ? "its layouts cannot be placed where this pool has GPUs"
                      : "no layout of these GPUs serves it within its goals");
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

/* ---- what if ---- */

struct varied {
    struct pool pool;
    struct pool_type types[POOL_FILE_TYPES];
    struct pool_workload *workloads;
    struct pool_job *jobs;
    double *demand;
};

/* The same pool with lists of its own. */
static void vary(const struct pool *from, struct varied *v)
{
    size_t n = (size_t)from->workload_count, hours = (size_t)from->hours;

    *v = (struct varied){.pool = *from};
    memcpy(v->types, from->types, sizeof(v->types[0]) * (size_t)from->type_count);
    v->workloads = gp_calloc(n + 1, sizeof(*v->workloads));
    v->demand = gp_calloc(n * hours + 1, sizeof(*v->demand));
    v->jobs = gp_calloc((size_t)from->job_count + 1, sizeof(*v->jobs));
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
}

static void only_fleet(const struct pool_run *run, struct varied *v)
{
    for (int t = 0; t < v->pool.type_count; t++) {
        v->types[t].stock = run->answer.rungs[run->rung].gpus[t];
        v->types[t].buy = 0;
    }
}

static void scale_demand(struct varied *v, int workload, double by)
{
    int hours = v->pool.hours;

    for (int w = 0; w < v->pool.workload_count; w++)
        for (int h = 0; h < hours && (workload < 0 || w == workload); h++)
            v->demand[w * hours + h] *= by;
}

static void solve_what_if(struct pool_run *run, const struct pool_run_options *o,
                          const struct pool *pool, enum pool_rung_id rung,
                          struct pool_what_if *out)
{
    struct pool_options options = solver_options(o, pool_work(pool) / WHAT_IF_PART);
    struct timed t = {o, clock_now(), o->seconds / WHAT_IF_SHARE};
    struct pool_answer answer;

    options.progress = NULL;
    if (o->seconds > 0) {
        options.share = share_of_time;
        options.share_ctx = &t;
    }
    pool_solve_rung(pool, rung, &options, &answer);
    const struct pool_rung *r = &answer.rungs[rung];
    out->rung = rung;
    out->paid = r->total - r->cost.penalty;
    out->bound = out->fleet || r->cost.penalty > 0 ? 0 : r->bound;
    out->unmet = r->unmet_share;
    out->jobs_undone = r->jobs_undone;
    out->gpus = 0;
    for (int k = 0; k < pool->type_count; k++)
        out->gpus += r->gpus[k];
    pool_answer_fini(&answer);
    run->what_if_count += out == &run->what_ifs[run->what_if_count];
}

static struct pool_what_if *next_what_if(struct pool_run *run)
{
    return run->what_if_count < POOL_WHAT_IFS ? &run->what_ifs[run->what_if_count] : NULL;
}

/* $ for each hour that a GPU of the chosen rung is owned. */
static double owned_hour(const struct pool_run *run, int type)
{
    const struct pool_type *t = &run->c.types[type];

    return t->buy_hour + (pool_composes(&run->c.pool, type, run->rung) ? t->premium_hour : 0);
}

/* A chassis with all its GPUs; of servers, one; without chassis, as many as a server
 * holds. What is lost is still paid for. */
static void lose_box(struct pool_run *run, const struct pool_run_options *o)
{
    struct pool_what_if *out = next_what_if(run);
    int worst = -1, lost[POOL_FILE_TYPES] = {0};
    struct varied v;

    for (int b = 0; b < run->seating.box_count; b++)
        if (worst < 0 || run->seating.box[b].gpus > run->seating.box[worst].gpus)
            worst = b;
    if (!out || worst < 0)
        return;
    const struct seating_box *box = &run->seating.box[worst];
    bool chassis = box->chassis >= 0 && (size_t)box->chassis < run->c.file.chassis_count;
    int gone = box->chassis < 0 || chassis || box->gpus < run->c.file.server_gpus
                   ? box->gpus
                   : run->c.file.server_gpus;
    for (int g = box->first; g < box->first + gone; g++)
        lost[run->seating.type[g]]++;
    vary(&run->c.pool, &v);
    only_fleet(run, &v);
    for (int t = 0; t < v.pool.type_count; t++)
        v.types[t].stock -= lost[t];
    gp_format(out->name, sizeof(out->name), "lose %s%s%s%d GPUs",
              box->chassis < 0 ? "a server" : chassis ? "chassis " : "",
              chassis ? run->c.file.chassis[box->chassis].name : "",
              box->chassis < 0 || chassis ? " with " : "", gone);
    out->fleet = true;
    solve_what_if(run, o, &v.pool, run->rung, out);
    for (int t = 0; t < v.pool.type_count; t++)
        out->paid += lost[t] * owned_hour(run, t) * v.pool.hours;
    varied_fini(&v);
}

static void more_demand(struct pool_run *run, const struct pool_run_options *o, int workload,
                        double by, bool fleet)
{
    struct pool_what_if *out = next_what_if(run);
    struct varied v;

    if (!out)
        return;
    vary(&run->c.pool, &v);
    if (fleet)
        only_fleet(run, &v);
    scale_demand(&v, workload, by);
    gp_format(out->name, sizeof(out->name), "demand of %s x %.1f",
              workload < 0 ? "all" : run->c.file.workloads[workload].name, by);
    out->fleet = fleet;
    solve_what_if(run, o, &v.pool, run->rung, out);
    varied_fini(&v);
}

/* The workload that takes most GPU-hours. */
static int largest(const struct pool_run *run)
{
    int best = 0;
    double most = -1;

    for (int w = 0; w < run->c.pool.workload_count && w < 64; w++) {
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

/* GPUs of one of the pool's types alone, as many as there may be of all. */
static void one_type(struct pool_run *run, const struct pool_run_options *o, int type)
{
    struct pool_what_if *out = next_what_if(run);
    struct varied v;
    int all = 0;

    if (!out)
        return;
    vary(&run->c.pool, &v);
    for (int t = 0; t < v.pool.type_count; t++)
        all += v.types[t].stock + v.types[t].buy;
    for (int t = 0; t < v.pool.type_count; t++) {
        v.types[t].stock = 0;
        v.types[t].buy = t == type ? all : 0;
        v.types[t].spare = t == type ? v.types[t].spare : 0;
    }
    for (int j = 0; j < v.pool.job_count; j++)
        v.jobs[j].type = type;
    gp_format(out->name, sizeof(out->name), "all GPUs %s", run->c.file.types[type].gpu);
    out->fleet = false;
    solve_what_if(run, o, &v.pool, run->rung, out);
    varied_fini(&v);
}

/* A GPU that the pool does not list: the same file with that one alone. */
static enum gp_status other_gpu(struct planner *planner, struct pool_run *run,
                                const struct pool_run_options *o, const char *gpu,
                                struct gp_err *err)
{
    struct pool_what_if *out = next_what_if(run);
    struct pool_case *c = gp_calloc(1, sizeof(*c));
    bool more = true;
    enum gp_status rc = out ? pool_file_other_gpu(&run->c.file, gpu, &c->file, err) : GP_OK;

    if (!rc && out)
        rc = pool_replicas_begin(planner, &c->file, &c->replicas, err);
    while (!rc && out && more)
        rc = pool_case_step(planner, c, &more, err);
    if (!rc && out)
        rc = pool_case_build(c, err);
    if (!rc && out) {
        gp_format(out->name, sizeof(out->name), "all GPUs %s", gpu);
        out->fleet = false;
        solve_what_if(run, o, &c->pool, run->rung, out);
    }
    pool_case_fini(c);
    free(c);
    return rc;
}

enum gp_status pool_run_what_ifs(struct planner *planner, struct pool_run *run,
                                 const struct pool_run_options *o, struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    run->what_if_count = 0;
    if (run->rung != POOL_CLOUD) {
        lose_box(run, o);
        more_demand(run, o, -1, MORE_DEMAND, true);
        more_demand(run, o, largest(run), SPIKE, true);
    }
    more_demand(run, o, -1, MORE_DEMAND, false);
    for (int t = 0; run->c.pool.type_count > 1 && t < run->c.pool.type_count; t++)
        one_type(run, o, t);
    for (int i = 0; i < o->gpu_count && !rc; i++)
        rc = other_gpu(planner, run, o, o->gpus[i], err);
    return rc;
}

/* ---- all ---- */

static void tell_highs(const struct pool_run *run, profile_warn_fn warn, void *ctx)
{
    const struct pool_highs *h = &run->highs;
    double days = run->c.pool.hours / 24.0;
    char line[256];

    if (!pool_highs_answered(h))
        return;
    gp_format(line, sizeof(line), "HiGHS %s on %s: bound $%.0f/day%s%s; %s", h->version,
              pool_rung_word(h->rung), h->bound / days, h->trouble[0] ? ", " : "",
              h->trouble, h->taken ? "it was better" : "it was not better");
    warn(ctx, line);
}

enum gp_status pool_run(struct planner *planner, const struct pool_run_options *options,
                        profile_warn_fn warn, void *ctx, struct pool_run *out,
                        struct gp_err *err)
{
    memset(out, 0, sizeof(*out));
    enum gp_status rc = pool_case_load(planner, options->name, warn, ctx, &out->c, err);

    return rc ? rc : pool_run_answer(planner, options, warn, ctx, out, err);
}

enum gp_status pool_run_answer(struct planner *planner, const struct pool_run_options *options,
                               profile_warn_fn warn, void *ctx, struct pool_run *out,
                               struct gp_err *err)
{
    enum gp_status rc = GP_OK;

    pool_run_solve(out, options);
    tell_highs(out, warn, ctx);
    if (!options->no_what_ifs && !out->halted)
        rc = pool_run_what_ifs(planner, out, options, err);
    if (rc)
        pool_run_fini(out);
    return rc;
}

bool pool_run_short(const struct pool_run *run)
{
    return run->answer.rungs[run->rung].unmet_share > UNMET_LEAST;
}

void pool_run_fini(struct pool_run *run)
{
    pool_answer_fini(&run->answer);
    seating_fini(&run->seating);
    free(run->asleep);
    pool_case_fini(&run->c);
    memset(run, 0, sizeof(*run));
}

struct pool_run *pool_run_new(void)
{
    return gp_calloc(1, sizeof(struct pool_run));
}

void pool_run_delete(struct pool_run *run)
{
    if (run)
        pool_run_fini(run);
    free(run);
}
