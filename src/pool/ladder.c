/*
 * ladder.c - how a pool is solved, on one page.
 *
 * pool_solve() answers the rungs of pool.h one after the other, solve_rung() one of them. For a
 * rung the pool is turned into a grid (grid.h): ways instead of candidates, seats instead of GPUs,
 * whole units of fleets with their prices. A plan on it is a struct assign (assign.h): replicas of
 * each way in each hour, and the GPUs that they take. r->best is the cheapest plan so far,
 * r->trial the one that is worked on; keep_better() prices the trial, and nothing else is ever
 * believed. Beside the plan stands r->bound.best: no plan costs less. A rung is done when both
 * meet, or when its work or time is spent; what is between them is the gap that people see.
 *
 *   the smallest problem   the cheapest way to serve one workload in one hour is a cover
 *                          (cover.c), to own GPUs for a day a choice of units (fixed.c). All else
 *                          is made of thousands of these.
 *   a bound by prices      raise_bound(): a GPU of type g in hour t has a price lambda[t,g] in
 *                          place of a limit, so that workloads and hours fall apart. bound_step()
 *                          raises what all covers cost then; its covers are first plans, too.
 *   a search               improve_plan(): from the best plan, a move at a time (improve.c), with
 *                          the lambda saying which GPUs others want.
 *   a bound by whole units prices do not see that fleets are whole servers. divide_bound() takes
 *                          fleets in intervals (bound_divide()), or plans them hour by hour:
 *                          fleet_raise() keeps planes, what an hour costs at least with fleets n
 *                          (columns of a linear program: lp.h), and pack.c serves an hour within
 *                          given fleets: a program over patterns, columns that its prices ask for.
 *   GPUs of one's own      A and B, search_own(): what each workload holds all day is chosen in
 *                          turn (hold_all()), and for all at once as one program
 *                          (hold_together(): pack.c of a day). With isolated workloads C and D are
 *                          two pools at one price (raise_isolated(): isolated.c).
 *
 * search_hourly() takes turns for C, D and the cloud: bound 22 %, search 18 %, bound 45 %,
 * search 10 %, polish 5 % of the work.
 *
 * Worked, rung C of pool.h's example: servers of 2 at $96 a day, 3 GPUs for 12 hours and 1 for the
 * others. The first plan serves nothing and pays for that. Prices: 1 server is needed in every
 * hour and the second GPU-hours of half the day, and they settle where one unit more or less of a
 * server costs nothing: lambda of the busy hours sums to $48 a GPU, 3 GPUs x $48 = $144 is the
 * bound. The covers at these prices take 3 GPUs in the busy hours, so the plan owns 2 servers:
 * $192, gap 25 %. No move makes it cheaper. divide_bound() then asks for 1 server at most: 1 GPU
 * is lacking at 20 days of its price an hour, far more than $192; and for 2 at least: $192. The
 * bound is $192, and the rung is done.
 */
#include "pool/pool.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "pool/assign.h"
#include "pool/bound.h"

/* What one rung is worked on with. */
struct rung {
    const struct pool *pool;
    const struct pool_options *options;
    struct pool_answer *answer;
    struct grid grid;
    struct bound bound;
    struct assign best, trial;
    double total;  /* of best */
    uint64_t work; /* left */
    uint64_t random;
    double until;           /* share of the time at which this part ends */
    double started;         /* and at which it began */
    double begun, end;      /* shares of the time between which the rung works */
    bool stalled;           /* prices alone raise the bound no more */
    uint64_t isolated_work; /* left to the pools of isolated workloads and of the others */
};

#define STALL_STEPS 100     /* the bound is left alone when so many steps */
#define STALL_RISE 0.005    /* close less of the gap than this */
#define ISOLATED_SHARE 3    /* of what is left goes to a part of a pool */
#define SHAKES 400          /* tries of A and B where GPUs are scarce */
#define MOST_CELLS 30000    /* workloads and hours of a program that comes first */
#define QUICK 20            /* part of the choices that are priced at first */
#define LOOK_EACH 250       /* units for a workload and hour, when fleets are looked at */
#define ISOLATED_TRIES 200  /* of isolated workloads that choose anew, or more */
#define ISOLATED_WORK 20000 /* units of the search after one, at most */
#define SHAKEN 3            /* of those that choose anew in one, at most */
#define WORK_EACH 40000     /* units for a workload and hour, when none are given */
#define WORK_LEAST 1000000  /* and no less: small pools have as many traps */
#define WORK_MOST 60000000

/* Where the time of each rung ends. */
static const double time_shares[POOL_RUNGS] = {0.14, 0.22, 0.5, 0.97, 1};

/* Share of the time that is gone. */
static double time_gone(const struct rung *r)
{
    return r->options->share ? r->options->share(r->options->share_ctx) : 0;
}

/* By the caller, or the time of this part is up. */
static bool is_stopped(struct rung *r)
{
    const struct pool_options *o = r->options;
    double share = time_gone(r);

    if ((o->stop && o->stop(o->stop_ctx)) || share >= 1)
        r->answer->stopped = true;
    return r->answer->stopped || (o->share && share >= r->until);
}

/* How much of the part's time is gone: for the heat of the search. */
static double part_of_time(void *ctx)
{
    struct rung *r = ctx;
    const struct pool_options *o = r->options;

    if (is_stopped(r))
        return 1;
    return o->share ? (time_gone(r) - r->started) / (r->until - r->started) : 0;
}

static void report_progress(struct rung *r)
{
    if (r->options->progress)
        r->options->progress(r->options->progress_ctx, r->grid.id, r->total,
                             fmin(r->bound.best, r->total));
}

static void spend_work(struct rung *r, uint64_t work)
{
    r->answer->work += work;
    r->work -= work < r->work ? work : r->work;
}

static struct improve improve_with(struct rung *r, uint64_t work)
{
    return (struct improve){.random = r->options->seed * 2862933555777941757u + r->work,
                            .work = work,
                            .lambda = r->bound.lambda,
                            .part = part_of_time,
                            .ctx = r};
}

/* Brings the trial within what there is, where that can be. */
static void fit_trial(struct rung *r)
{
    assign_fit(&r->trial);
    if (!assign_allowed(&r->trial) && !r->grid.jobs_own) {
        struct improve how = improve_with(r, r->work / 16 + 1000);

        improve_shed(&r->trial, &how);
        spend_work(r, r->work / 16 + 1000 - how.work);
        assign_fit(&r->trial);
    }
}

/* Keeps the cheaper of best and trial. */
static void keep_better(struct rung *r)
{
    double total;

    fit_trial(r);
    total = assign_total(&r->trial);
    if (total >= r->total || !assign_allowed(&r->trial))
        return;
    r->total = total;
    assign_copy(&r->best, &r->trial);
}

/* ---- A and B: GPUs of one's own ---- */

/* What is left for one more, each GPU dearer by more[g] than it is. */
static void marginal_market(const struct assign *a, const double *more, struct fixed_market *out)
{
    const struct grid *grid = a->grid;

    out->gpus = grid->slots > 0 ? grid->slots : INT_MAX;
    out->watts = grid->watts > 0 ? grid->watts : INFINITY;
    for (int g = 0; g < grid->types; g++) {
        const struct grid_type *type = &grid->type[g];
        int used = assign_peak(a, g), kept;

        grid_own(type, used, &kept);
        out->type[g] = (struct fixed_price){.low = type->own_stock + more[g],
                                            .high = type->own_buy + more[g],
                                            .low_left = kept < type->stock ? type->stock - kept : 0,
                                            .room = grid_room(type) - used,
                                            .first = kept > 0 ? 0 : grid_units(type, type->spare)};
        out->gpus -= grid->slots > 0 ? kept * type->slots : 0;
        out->watts -= kept * type->watts;
    }
}

/* A workload holds these, and serves each hour with them. */
static void hold_replicas(struct assign *a, int w, const short *held)
{
    short x[POOL_MOST_WAYS];

    assign_own(a, w, held);
    for (int t = 0; t < a->grid->hours; t++) {
        fixed_serve(a->grid, w, t, held, x);
        assign_set(a, w, t, x);
    }
}

/* Gives one workload the replicas that cost least beside what the others hold. */
static void hold_anew(struct rung *r, struct assign *a, int w, const double *more)
{
    static const short none[POOL_MOST_WAYS];
    const struct grid *grid = a->grid;
    struct fixed_market market;
    struct fixed fixed;

    assign_own(a, w, none);
    marginal_market(a, more, &market);
    fixed_solve(grid, w, &market, is_stopped(r) ? 1 : r->bound.leaves, &fixed);
    spend_work(r, (uint64_t)fixed.nodes);
    hold_replicas(a, w, fixed.held);
}

static void hold_job_anew(struct assign *a, int j, const double *more)
{
    struct fixed_market market;
    double cost;

    assign_own_job(a, j, 0);
    marginal_market(a, more, &market);
    assign_own_job(a, j, fixed_job(a->grid, j, &market, &cost));
}

/* Is the price of a GPU the same whoever else has some? */
static bool is_separable(const struct grid *grid)
{
    for (int g = 0; g < grid->types; g++)
        if (grid->type[g].scarce || grid->type[g].stock > 0)
            return false;
    return grid->slots == 0 && grid->watts <= 0;
}

/* One after the other at what is left, until nobody gains; first at what the bound asks for a GPU
 * above its price: it is scarce. */
static void hold_all(struct rung *r)
{
    const struct grid *grid = &r->grid;
    double scarcity[POOL_MOST_TYPES], none[POOL_MOST_TYPES] = {0};
    int rounds = is_separable(grid) ? 1 : 5;

    for (int g = 0; g < grid->types; g++) {
        double sum = -grid->type[g].own_buy;

        for (int t = 0; t < grid->hours; t++)
            sum += r->bound.lambda[t * grid->types + g];
        scarcity[g] = fmax(0, sum);
    }
    for (int round = 0; round < rounds && (round == 0 || !is_stopped(r)); round++) {
        const double *more = round == 0 ? scarcity : none;
        double before = r->total;

        for (int w = 0; w < grid->workloads; w++)
            if (grid->constant[w] && (r->work > 0 || round == 0))
                hold_anew(r, &r->trial, w, more);
        for (int j = 0; j < grid->jobs && grid->jobs_own; j++)
            hold_job_anew(&r->trial, j, more);
        keep_better(r);
        if (round > 1 && r->total >= before * (1 - 1e-12))
            break;
    }
}

/* Is there still something between the plan and the bound, and time for it? */
static bool is_open(struct rung *r)
{
    return r->total - r->bound.best > 1e-9 * r->total && !is_stopped(r);
}

static unsigned random_below(struct rung *r, unsigned n)
{
    return pool_random(&r->random, n);
}

/* One that has GPUs of its own, a workload or (after them) a job; -1: there is none. */
static int random_owner(struct rung *r)
{
    int n = r->grid.workloads + (r->grid.jobs_own ? r->grid.jobs : 0);
    int at = (int)random_below(r, (unsigned)n);

    for (int k = 0; k < n; k++, at = (at + 1) % n)
        if (at >= r->grid.workloads || r->grid.constant[at])
            return at;
    return -1;
}

/* $ more for a GPU: nothing, some of its price, or what a shortage may make it worth. */
static void random_prices(struct rung *r, double *more)
{
    for (int g = 0; g < r->grid.types; g++)
        more[g] = random_below(r, 2) * random_below(r, 200) / 100.0 * (1u << random_below(r, 6)) *
                  r->grid.type[g].own_buy;
}

/* From the best plan these hold nothing, and choose anew one after the other, the first `priced` of
 * them at prices that are off by chance. */
static void choose_again(struct rung *r, const int *owners, int count, int priced)
{
    static const short nothing[POOL_MOST_WAYS];

    assign_copy(&r->trial, &r->best);
    for (int k = 0; k < count; k++)
        if (owners[k] < r->grid.workloads)
            assign_own(&r->trial, owners[k], nothing);
        else
            assign_own_job(&r->trial, owners[k] - r->grid.workloads, 0);
    for (int k = 0; k < count; k++) {
        double more[POOL_MOST_TYPES] = {0};

        if (k < priced)
            random_prices(r, more);
        if (owners[k] < r->grid.workloads)
            hold_anew(r, &r->trial, owners[k], more);
        else
            hold_job_anew(&r->trial, owners[k] - r->grid.workloads, more);
    }
}

/* ---- the bound, and plans on its way ---- */

/* Prices, until they rise no more, and plans on their way. */
static void raise_bound(struct rung *r, uint64_t work)
{
    uint64_t until = r->work > work ? r->work - work : 0;
    double seen = -INFINITY; /* the bound a while ago */
    int most = is_separable(&r->grid) && r->grid.jobs_own ? 1 : 2000;

    for (int i = 0; i < most && r->work > until; i++) {
        uint64_t before = r->bound.work;

        bound_step(&r->bound, r->total);
        spend_work(r, r->bound.work - before);
        if (i < 20 || i % 8 == 0) {
            bound_plan(&r->bound, &r->trial);
            keep_better(r);
            report_progress(r);
        }
        if (!is_open(r))
            break;
        if (i % STALL_STEPS == STALL_STEPS - 1) {
            r->stalled = r->bound.best - seen < STALL_RISE * (r->total - r->bound.best);
            if (r->stalled)
                break;
            seen = r->bound.best;
        }
    }
}

static bool stop_dividing(void *ctx)
{
    return is_stopped(ctx);
}

static double take_plan(void *ctx, const short *plan)
{
    struct rung *r = ctx;
    const struct grid *grid = &r->grid;

    for (int w = 0; w < grid->workloads; w++)
        for (int t = 0; t < grid->hours; t++)
            assign_set(&r->trial, w, t, &plan[grid_place(grid, w, t)]);
    keep_better(r);
    report_progress(r);
    return r->total;
}

/* The bound by whole fleets, and the plans that are found on the way. */
static void divide_bound(struct rung *r, uint64_t work)
{
    uint64_t look = (uint64_t)(r->grid.workloads * r->grid.hours) * LOOK_EACH;
    uint64_t before = r->bound.work;
    struct fleet_search search = {.upper = r->total,
                                  .x = r->best.x,
                                  .work = work,
                                  .stop = stop_dividing,
                                  .take = take_plan,
                                  .ctx = r};

    if (!is_open(r))
        return;
    if (fleet_takes(&r->grid) && work >= look)
        fleet_raise(&r->bound, &search);
    else
        bound_divide(&r->bound, r->total, work, stop_dividing, r);
    spend_work(r, r->bound.work - before);
    report_progress(r);
}

/* The same, prices first where many workloads and hours leave them still rising. */
static void raise_further(struct rung *r, uint64_t work)
{
    double until = r->until;

    if (!r->stalled && r->options->share) {
        r->until = (time_gone(r) + until) / 2;
        raise_bound(r, work / 2);
        r->until = until;
    }
    divide_bound(r, work);
}

/* A and B: what all hold, as one program. */
static void hold_as_one(struct rung *r, uint64_t work, bool spared)
{
    const struct grid *grid = &r->grid;
    int ways = grid->first[grid->workloads];
    struct pack pack = {.grid = grid,
                        .t = PACK_DAY,
                        .goal = r->total,
                        .work = work,
                        .leaves = r->bound.leaves,
                        .stop = stop_dividing,
                        .ctx = r,
                        .bound = r->bound.best};

    if (!is_open(r))
        return;
    pack.x = gp_calloc((size_t)(ways + grid->jobs) + 1, sizeof(*pack.x));
    memcpy(pack.x, r->best.held, sizeof(*pack.x) * (size_t)ways);
    for (int j = 0; j < grid->jobs; j++)
        pack.x[ways + j] = (short)r->best.job_held[j];
    pack_fleets(&pack, spared);
    pack_solve(&pack);
    spend_work(r, work - pack.work);
    if (!spared)
        r->bound.best = fmax(r->bound.best, pack.bound);
    for (int w = 0; w < grid->workloads; w++)
        hold_replicas(&r->trial, w, &pack.x[grid->first[w]]);
    for (int j = 0; j < grid->jobs; j++)
        assign_own_job(&r->trial, j, pack.x[ways + j]);
    keep_better(r);
    free(pack.x);
    pack_fini(&pack);
    report_progress(r);
}

/* The program leaves spares out: where they do not fit beside its plan, once more with
 * room for them. */
static void hold_together(struct rung *r, uint64_t work)
{
    bool spares = false;

    for (int g = 0; g < r->grid.types; g++)
        spares = spares || r->grid.type[g].spare > 0;
    hold_as_one(r, work, false);
    if (spares && (r->grid.slots > 0 || r->grid.watts > 0))
        hold_as_one(r, work / 2, true);
}

static void improve_plan(struct rung *r, uint64_t work, bool polish)
{
    struct improve how = improve_with(r, work);

    if (work == 0 || !is_open(r))
        return;
    assign_copy(&r->trial, &r->best);
    (polish ? improve_polish : improve_run)(&r->trial, &how);
    spend_work(r, work - how.work);
    keep_better(r);
    report_progress(r);
}

/* C and D: an isolated workload or two choose again at prices that are off by chance, and
 * the search goes on from there for a while. */
static void improve_isolated(struct rung *r, uint64_t work)
{
    uint64_t until = r->work > work ? r->work - work : 0, each = work / ISOLATED_TRIES + 1;

    each = each < ISOLATED_WORK ? each : ISOLATED_WORK;
    while (r->work > until && is_open(r)) {
        int owners[2] = {random_owner(r), random_owner(r)}, count = 1 + (int)random_below(r, 2);
        uint64_t before = r->work;

        choose_again(r, owners, count, count);
        fit_trial(r);
        if (assign_allowed(&r->trial)) {
            struct improve how = improve_with(r, each);

            improve_run(&r->trial, &how);
            spend_work(r, each - how.work);
        }
        keep_better(r);
        report_progress(r);
        if (r->work == before)
            spend_work(r, 1);
    }
}

/* The plan of a rung, candidate by candidate, into the trial: what ran at once of each way,
 * held all day, or hour by hour. */
static void load_plan(struct rung *r, const int *replicas)
{
    const struct grid *grid = &r->grid;
    const struct pool *pool = grid->pool;

    for (int w = 0, c = 0, end; w < grid->workloads; w++, c = end) {
        short held[POOL_MOST_WAYS] = {0};

        for (end = c; end < pool->candidate_count && pool->candidates[end].workload <= w;)
            end++;
        for (int t = 0; t < grid->hours; t++) {
            short x[POOL_MOST_WAYS] = {0};

            for (int i = c; i < end; i++)
                if (grid->stands[i] >= 0)
                    x[grid->stands[i] - grid->first[w]] += (short)replicas[i * grid->hours + t];
            for (int k = 0; k < grid->first[w + 1] - grid->first[w]; k++)
                held[k] = x[k] > held[k] ? x[k] : held[k];
            if (!grid->constant[w])
                assign_set(&r->trial, w, t, x);
        }
        if (grid->constant[w])
            hold_replicas(&r->trial, w, held);
    }
}

/* The plan of another rung or solver as a start for this one. */
static void start_from(struct rung *r, const int *replicas)
{
    if (!replicas)
        return;
    assign_copy(&r->trial, &r->best);
    load_plan(r, replicas);
    keep_better(r);
}

static void start_from_all(struct rung *r)
{
    for (int id = 0; id < (int)r->grid.id && r->grid.id != POOL_CLOUD; id++)
        start_from(r, r->answer->rungs[id].replicas);
}

/* ---- the rungs ---- */

static void answer_init(const struct pool *pool, struct pool_answer *out)
{
    *out = (struct pool_answer){.hours = pool->hours,
                                .type_count = pool->type_count,
                                .candidate_count = pool->candidate_count,
                                .workload_count = pool->workload_count,
                                .job_count = pool->job_count};
}

/* The time up to this share of the rung's. */
static void set_part(struct rung *r, double share)
{
    r->started = time_gone(r);
    r->until = r->begun + share * (r->end - r->begun);
}

uint64_t pool_work(const struct pool *pool)
{
    uint64_t work = (uint64_t)pool->workload_count * (uint64_t)pool->hours * WORK_EACH;

    return work < WORK_LEAST ? WORK_LEAST : work < WORK_MOST ? work : WORK_MOST;
}

/* ---- C and D with isolated workloads ---- */

static void solve_rung(const struct pool *pool, enum pool_rung_id id, double end,
                       const struct pool_options *options, struct pool_answer *out);

/* The workloads that are isolated, or the others, as a pool of their own. */
static bool solve_part(void *ctx, const struct pool *pool, bool isolated, struct pool_rung *rung)
{
    static const enum pool_rung_id whole[POOL_RUNGS] = {
        [POOL_SHARED] = POOL_FIXED, [POOL_HOURLY] = POOL_COMPOSED};
    struct rung *r = ctx;
    enum pool_rung_id id = isolated ? whole[r->grid.id] : r->grid.id;
    struct pool_options options = *r->options;
    double now = options.share ? options.share(options.share_ctx) : 0;
    uint64_t share = isolated || !is_separable(&r->grid) ? ISOLATED_SHARE : 1;
    struct pool_answer answer;

    options.work = options.share && !options.work ? 0 : r->isolated_work / share + 1;
    options.progress = NULL;
    answer_init(pool, &answer);
    solve_rung(pool, id, now + (r->until - now) / (double)share, &options, &answer);
    *rung = answer.rungs[id];
    r->answer->stopped |= answer.stopped;
    spend_work(r, answer.work);
    r->isolated_work -= answer.work < r->isolated_work ? answer.work : r->isolated_work;
    return r->isolated_work > 0 && !is_stopped(r);
}

static double take_replicas(void *ctx, int *replicas)
{
    struct rung *r = ctx;

    start_from(r, replicas);
    report_progress(r);
    return r->total;
}

static void raise_isolated(struct rung *r, uint64_t work)
{
    struct isolated_search search = {
        .plan = &r->best, .upper = r->total, .solve = solve_part, .take = take_replicas, .ctx = r};

    if (!is_open(r))
        return;
    r->isolated_work = work;
    isolated_raise(&r->bound, &search);
    report_progress(r);
}

/* A and B: where GPUs are scarce, prices and choices in turn seldom meet, and one program
 * for all comes first, unless a look at all hours takes long. */
static void search_own(struct rung *r)
{
    int leaves = r->bound.leaves;

    if (!is_separable(&r->grid) && r->grid.workloads * r->grid.hours <= MOST_CELLS) {
        set_part(r, 0.4);
        r->bound.leaves = leaves / QUICK + 1;
        hold_together(r, r->work / 4);
        set_part(r, 0.7);
        r->bound.leaves = leaves;
        hold_together(r, r->work / 2);
        set_part(r, 1);
        if (r->total - r->bound.best <= 1e-9 * r->total)
            return;
    }
    raise_bound(r, r->work / 2);
    hold_all(r);
    start_from_all(r);
    hold_together(r, r->work / 2);
    /* Two or three choose again. */
    for (int i = 0; i < SHAKES && is_open(r) && !is_separable(&r->grid); i++) {
        int owners[SHAKEN], count = 2 + (int)random_below(r, SHAKEN - 1);

        for (int k = 0; k < count; k++)
            owners[k] = random_owner(r);
        if (owners[0] < 0 || r->work == 0 || is_stopped(r))
            break;
        choose_again(r, owners, count, 1);
        keep_better(r);
    }
    divide_bound(r, r->work);
}

/* Hourly rungs: bound and search in turns. */
static void search_hourly(struct rung *r)
{
    uint64_t all = r->work;
    bool isolated = isolated_takes(&r->grid);
    /* parts that have nothing in common need no prices of the whole */
    int first = isolated && is_separable(&r->grid) ? 8 : 22;
    int second = first == 8 ? 14 : 40, third = isolated && r->grid.jobs > 0 ? 70 : 85;

    set_part(r, first / 100.0);
    raise_bound(r, all / 100 * (uint64_t)first);
    set_part(r, second / 100.0);
    improve_plan(r, all / 100 * (uint64_t)(second - first), false);
    set_part(r, third / 100.0);
    (isolated ? raise_isolated : raise_further)(r, all / 100 * (uint64_t)(third - second));
    set_part(r, 0.85);
    if (third < 85)
        improve_isolated(r, all / 100 * (uint64_t)(85 - third));
    set_part(r, 0.95);
    improve_plan(r, all / 100 * 10, false);
    set_part(r, 1);
    improve_plan(r, all / 100 * 5, true);
}

static void rung_init(struct rung *r, const struct pool *pool, enum pool_rung_id id, int leaves,
                      const struct pool_options *options, struct pool_answer *answer)
{
    *r = (struct rung){.pool = pool,
                       .options = options,
                       .answer = answer,
                       .total = INFINITY,
                       .random = options->seed,
                       .until = 1};
    grid_init(&r->grid, pool, id);
    assign_init(&r->best, &r->grid);
    assign_init(&r->trial, &r->grid);
    bound_init(&r->bound, &r->grid, leaves);
}

static void rung_fini(struct rung *r)
{
    bound_fini(&r->bound);
    assign_fini(&r->trial);
    assign_fini(&r->best);
    grid_fini(&r->grid);
}

static void set_bound(struct pool_rung *rung, double bound)
{
    rung->bound = fmin(bound, rung->total);
    rung->gap = rung->total > 0 ? (rung->total - rung->bound) / rung->total : 0;
}

/* The time, as a share, ends at `end` for it. */
static void solve_rung(const struct pool *pool, enum pool_rung_id id, double end,
                       const struct pool_options *options, struct pool_answer *out)
{
    uint64_t work = options->work ? options->work : pool_work(pool);
    double leaves = (double)work / (4.0 * pool->workload_count * pool->hours);
    struct rung r;

    rung_init(&r, pool, id, leaves < 20 ? 20 : leaves > 10000 ? 10000 : (int)leaves, options, out);
    r.begun = time_gone(&r);
    r.until = r.end = end;
    r.work = options->share && !options->work ? UINT64_MAX / 2 : work;
    keep_better(&r); /* nothing at all: everything unmet */
    if (r.grid.jobs_own) {
        search_own(&r);
    } else {
        bound_step(&r.bound, r.total);
        hold_all(&r);
        start_from_all(&r);
        search_hourly(&r);
    }
    account_rung(&r.best, &out->rungs[id]);
    set_bound(&out->rungs[id], fmax(r.bound.best, 0));
    rung_fini(&r);
}

void pool_solve_rung(const struct pool *pool, enum pool_rung_id id,
                     const struct pool_options *options, struct pool_answer *out)
{
    answer_init(pool, out);
    solve_rung(pool, id, time_shares[id], options, out);
}

/* ---- another's plan of a rung ---- */

/* The rung of the answer becomes this plan; its bound stays. */
static void replace_plan(struct assign *a, struct pool_rung *rung)
{
    double bound = rung->bound;

    account_fini(rung);
    account_rung(a, rung);
    set_bound(rung, bound);
}

static const struct pool_options no_options = {.work = 1};

void pool_adopt(const struct pool *pool, enum pool_rung_id id, int *replicas,
                struct pool_answer *answer)
{
    struct pool_rung *rung = &answer->rungs[id];
    struct rung r;

    rung_init(&r, pool, id, 1, &no_options, answer);
    start_from(&r, replicas);
    if (r.total < rung->total * (1 - 1e-9))
        replace_plan(&r.best, rung);
    rung_fini(&r);
}

static void set_break_even(const struct pool *pool, struct pool_answer *answer)
{
    if (answer->rungs[POOL_SHARED].use && answer->rungs[POOL_HOURLY].use)
        answer->break_even_hour =
            pool_break_even(pool, &answer->rungs[POOL_SHARED], &answer->rungs[POOL_HOURLY]);
}

void pool_settle(const struct pool *pool, enum pool_rung_id id, int *replicas,
                 struct pool_answer *answer)
{
    struct pool_rung *rung = &answer->rungs[id];
    struct rung r;

    rung_init(&r, pool, id, 1, &no_options, answer);
    load_plan(&r, replicas);
    for (int g = 0; g < r.grid.types; g++)
        r.trial.room[g] = rung->gpus[g] > 0 ? rung->gpus[g] - r.grid.type[g].spare : 0;
    replace_plan(&r.trial, rung);
    rung_fini(&r);
    set_break_even(pool, answer);
}

bool pool_may_grow(const struct pool *pool, enum pool_rung_id id, const struct pool_answer *answer,
                   int type, int n)
{
    int kept[POOL_MOST_TYPES];
    struct grid grid;
    bool may;

    memcpy(kept, answer->rungs[id].gpus, sizeof(kept));
    kept[type] += n;
    grid_init(&grid, pool, id);
    may = kept[type] <= pool->types[type].stock + pool->types[type].buy && grid_allows(&grid, kept);
    grid_fini(&grid);
    return may;
}

void pool_solve(const struct pool *pool, const struct pool_options *options,
                struct pool_answer *out)
{
    answer_init(pool, out);
    for (int id = 0; id < POOL_RUNGS; id++)
        solve_rung(pool, (enum pool_rung_id)id, time_shares[id], options, out);
    out->coincidence = account_coincidence(pool);
    set_break_even(pool, out);
}

void pool_answer_fini(struct pool_answer *answer)
{
    for (int id = 0; id < POOL_RUNGS; id++)
        account_fini(&answer->rungs[id]);
    *answer = (struct pool_answer){0};
}
