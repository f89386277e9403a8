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
#include "plan/roofline.h"

#define UNMET_LEAST 5e-4 /* share of all demand: what the table prints as 0.0 % */
#define UNDONE_LEAST 0.5 /* GPU-hours of jobs: likewise */
#define HIGHS_SHARE 0.4  /* of the time, when there is one */
#define HIGHS_LEAST 0.5  /* s */
#define HIGHS_GAP 1e-6   /* from which on it is asked */
#define SETTLINGS 3      /* tries to place a plan as its hosts allow */
#define GROWTHS 8        /* times that GPUs are added for it */

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
    run->sleepers = 0;
    for (int g = 0; g < p->gpus; g++)
        for (int h = 0; h < p->hours; h++) {
            size_t at = placement_cell(p, h, g);
            struct suspended *one = &list[p->unit[at]];

            if (p->who[at] <= 0 || p->cut[at] >= 0 || (one->hours > 0 && one->gpu != g))
                continue;
            if (one->hours++ == 0)
                *one = (struct suspended){p->who[at] - 1,
                                          p->box[p->box_of[g]].first_host + p->host[at] - 1, g, 1};
        }
    if (p->box_count > 0)
        hosts += (size_t)(p->box[p->box_count - 1].first_host + p->box[p->box_count - 1].hosts);
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
        run->sleepers = fmax(run->sleepers, held[list[u].host]);
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
    placement_fini(&run->placement);
    place_rung(run, run->rung, &run->placement);
    suspend_replicas(run);
}

/* ---- the solver ---- */

bool pool_highs_answered(const struct pool_highs *h)
{
    return h->version[0] != '\0' && (h->bound > 0 || h->trouble[0] != '\0');
}

static double share_of_time(void *ctx)
{
    const struct pool_run_clock *clock = ctx;

    return (clock_now() - clock->begun) / clock->seconds;
}

struct pool_options pool_run_solver(const struct pool_run_options *o, uint64_t work, double seconds,
                                    struct pool_run_clock *clock)
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
    bool highs = o->seconds > 0 && pool_highs_find(&run->highs);
    struct pool_run_clock clock;
    struct pool_options options =
        pool_run_solver(o, 0, o->seconds * (highs ? 1 - HIGHS_SHARE : 1), &clock);

    run->seconds = o->seconds;
    pool_solve(&run->c.pool, &options, &run->answer);
    settle_rung(run, POOL_COMPOSED);
    settle_rung(run, POOL_HOURLY);
    pool_run_choose(run, o->rung);
    run->halted = o->stop && o->stop(o->stop_ctx);
    if (highs && !run->halted)
        ask_highs(run, o, clock.begun + o->seconds - clock_now());
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

/* ---- all ---- */

enum gp_status pool_run(struct planner *planner, const struct pool_run_options *options,
                        profile_warn_fn warn, void *ctx, struct pool_run *out, struct gp_err *err)
{
    memset(out, 0, sizeof(*out));
    enum gp_status rc = pool_case_load(planner, options->name, warn, ctx, &out->c, err);

    return rc ? rc : pool_run_answer(planner, options, warn, ctx, out, err);
}

enum gp_status pool_run_answer(struct planner *planner, const struct pool_run_options *options,
                               profile_warn_fn warn, void *ctx, struct pool_run *out,
                               struct gp_err *err)
{
    const struct pool_highs *h = &out->highs;
    enum gp_status rc;
    bool more = true;

    pool_run_solve(out, options);
    if (pool_highs_answered(h)) {
        struct strbuf line;

        strbuf_init(&line);
        strbuf_addf(&line, "HiGHS %s on %s: bound $%.0f/day%s%s; %s", h->version,
                    pool_rung_word(h->rung), h->bound / (out->c.pool.hours / 24.0),
                    h->trouble[0] ? ", " : "", h->trouble,
                    h->taken ? "it was better" : "it was not better");
        warn(ctx, line.text);
        strbuf_fini(&line);
    }
    if (options->no_what_ifs || out->halted)
        return GP_OK;
    rc = pool_run_others_begin(planner, out, options, err);
    while (!rc && more)
        rc = pool_run_others_step(planner, out, &more, err);
    if (!rc)
        pool_run_what_ifs(out, options);
    if (rc)
        pool_run_fini(out);
    return rc;
}

bool pool_run_short(const struct pool_run *run)
{
    const struct pool_rung *r = &run->answer.rungs[run->rung];

    return r->unmet_share > UNMET_LEAST || r->jobs_undone > UNDONE_LEAST;
}

void pool_run_fini(struct pool_run *run)
{
    pool_answer_fini(&run->answer);
    placement_fini(&run->placement);
    free(run->asleep);
    pool_run_others_fini(run);
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
