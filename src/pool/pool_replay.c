/*
 * pool_replay.c - see pool_run.h.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/replay_run.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/search.h"
#include "pool/pool_run.h"

/* ---- goals of percentiles ---- */

double pool_rate_within(const struct plan *plan)
{
    struct forecast_ask ask = {
        .goal = {{MEASURE_TTFT, POINT_P95, plan->request.late[LATE_TTFT_P95]},
                 {MEASURE_TPOT, POINT_P95, plan->request.late[LATE_TPOT_P95]}},
        .arrivals = forecast_arrivals(&plan->request)};
    struct quantity kept = {0};

    return forecast_solve_rate(plan, &ask, &kept) == FORECAST_KNOWN ? kept.value : 0;
}

/* ---- what runs ---- */

/* Replicas of a candidate that run in an hour, used or not; new ones aside, which did not run
 * before it. */
static int replicas_running(const struct pool_run *run, int candidate, int hour, bool no_new)
{
    const struct pool *pool = &run->c.pool;
    const int *n = &run->answer.rungs[run->rung].replicas[candidate * pool->hours];
    bool all_day = run->rung == POOL_FIXED || run->rung == POOL_COMPOSED ||
                   pool->workloads[pool->candidates[candidate].workload].alone;
    int before = n[(hour > 0 ? hour : pool->hours) - 1], most = 0;

    for (int h = 0; h < pool->hours; h++)
        most = n[h] > most ? n[h] : most;
    return all_day ? most : no_new && before < n[hour] ? before : n[hour];
}

/* Candidates first..end-1 of a workload. */
struct served {
    int workload, first, end;
};

/* Requests/s that they serve in an hour; *most: of them the one that serves most. */
static double served_rate(const struct pool_run *run, const struct served *s, int hour, bool no_new,
                          int *most)
{
    double sum = 0, best = 0;

    for (int i = s->first; i < s->end; i++) {
        double rate = replicas_running(run, i, hour, no_new) * pool_replica_rate(run, i);

        if (rate > best)
            *most = i;
        best = fmax(best, rate);
        sum += rate;
    }
    return sum;
}

/* Requests/s of the busiest minute of an hour. */
static double need_of(const struct pool_run *run, int workload, int hour)
{
    const struct pool_workload *w = &run->c.pool.workloads[workload];

    return w->demand[hour] * w->burst;
}

static double load_of(const struct pool_run *run, const struct served *s, int hour, bool no_new)
{
    int most;
    double serves = served_rate(run, s, hour, no_new, &most);

    return serves > 0 ? need_of(run, s->workload, hour) / serves : 0;
}

/* The hour in which what runs has most to do, of equals that with most requests. started: of those
 * in which some start. -1: there is none. */
static int heaviest_hour(const struct pool_run *run, const struct served *s, bool started)
{
    double most = 0;
    int best = -1;

    for (int h = 0; h < run->c.pool.hours; h++) {
        double load = load_of(run, s, h, started);
        int most_of = 0;
        bool starts = served_rate(run, s, h, false, &most_of) >
                      served_rate(run, s, h, true, &most_of) * (1 + 1e-9);

        if (load <= 0 || (started && !starts))
            continue;
        if (best < 0 || load > most * (1 + 1e-9) ||
            (load > most * (1 - 1e-9) &&
             need_of(run, s->workload, h) > need_of(run, s->workload, best))) {
            best = h;
            most = load;
        }
    }
    return best;
}

/* ---- a replay ---- */

struct replayed {
    struct replay_run run;
    struct gpu gpu; /* that it is of */
};

/* n replicas of a candidate at so many requests/s; seconds > 0: for so long. As they are placed on
 * the rung: on a fabric the GPU has no links of its own. */
static enum gp_status replay_replicas(struct planner *planner, const struct pool_run *run,
                                      int candidate, int n, double rate, double seconds,
                                      struct replayed *out, struct gp_err *err)
{
    const struct pool_case *c = &run->c;
    const struct pool_candidate *one = &c->pool.candidates[candidate];
    const struct pool_replica *r = &c->replicas.row[c->replica_of[candidate]];
    const struct layout *l = pool_layout(run, candidate);
    const char *id = c->file.types[one->type].gpu;
    bool fabric = l == &r->fabric && one->slice == POOL_NO_SLICE;
    const struct {
        enum option_id id;
        double value;
    } numbers[] = {{OPT_TP, l->tp},
                   {OPT_PP, l->pp},
                   {OPT_EP, l->ep > 1 ? l->ep : 0},
                   {OPT_RATE, rate},
                   {OPT_DURATION, seconds},
                   {OPT_REPLICAS, n * (l->replicas > 1 ? l->replicas : 1)}};
    struct options o = {.gpu_count = 1, .precisions = {r->precision}, .precision_count = 1};
    char gpu[GPU_ID_MAX + 40];
    enum gp_status rc = pool_case_options(c, one->workload, one->type, &o, err);

    memset(out, 0, sizeof(*out));
    gp_format(gpu, sizeof(gpu), "%s%s%s", id, r->slice == POOL_WHOLE ? "" : "/",
              r->slice == POOL_WHOLE ? "" : c->replicas.type[one->type].slice[r->slice].profile);
    o.gpus[0] = gpu;
    for (size_t i = 0; !rc && i < sizeof(numbers) / sizeof(numbers[0]); i++)
        if (numbers[i].value > 0)
            rc = options_number(&o, numbers[i].id, option_rows[numbers[i].id].name,
                                numbers[i].value, err);
    if (!rc)
        rc = replay_run_read(planner, &o, &out->run, err);
    if (rc)
        return rc;
    struct request *q = &out->run.answer.resolved.request;

    out->gpu = fabric ? pool_on_fabric(&c->file, q->gpu) : *q->gpu;
    if (q->correction.gpu == q->gpu)
        q->correction.gpu = &out->gpu;
    q->gpu = &out->gpu;
    if (one->slice == POOL_NO_SLICE)
        q->host_gpus = pool_host_gpus(&c->file, one->type, fabric);
    planner_plan(planner, &out->run.answer.resolved, &out->run.answer.plan);
    out->run.ask.quick = true;
    return replay_run_forecast(planner, &out->run, err);
}

static void take_points(const struct replay_run *from, struct pool_percentiles *out)
{
    static const enum point points[POOL_POINTS] = {POINT_P50, POINT_P95, POINT_P99};

    for (int i = 0; i < POOL_POINTS; i++) {
        out->ttft[i] = from->forecast.point[MEASURE_TTFT][points[i]];
        out->tpot[i] = from->forecast.point[MEASURE_TPOT][points[i]];
    }
}

/* The first goal that is missed there, in words; "" when all are kept. */
static void missed_words(const struct replay_run *run, char *text, size_t size)
{
    char is[32], most[32];

    text[0] = '\0';
    for (int i = 0; i < FORECAST_GOALS && !text[0]; i++) {
        const struct forecast_goal *g = &run->ask.goal[i];
        const struct quantity *at = &run->forecast.point[g->measure][g->point];

        if (g->most > 0 && at->known && at->value > g->most)
            gp_format(text, size, "%s %s of %s misses its goal of %s",
                      g->measure == MEASURE_TTFT ? "TTFT" : "TPOT", point_key(g->point),
                      units_seconds(is, sizeof(is), at->value, 3),
                      units_seconds(most, sizeof(most), g->most, 2));
    }
    if (!text[0] && run->forecast.saturated)
        gp_copy(text, size, "more requests come than its replicas serve");
}

/* ---- a workload ---- */

/* While replicas start, those that ran before serve alone. */
static enum gp_status replay_start(struct planner *planner, const struct pool_run *run,
                                   const struct served *s, struct pool_replay *out,
                                   struct gp_err *err)
{
    int hour = heaviest_hour(run, s, true), one = s->first;
    struct replayed replay;

    if (hour < 0)
        return GP_OK;
    double serves = served_rate(run, s, hour, true, &one);
    for (int i = s->first; i < s->end; i++)
        if (replicas_running(run, i, hour, false) > replicas_running(run, i, hour, true)) {
            out->started +=
                replicas_running(run, i, hour, false) - replicas_running(run, i, hour, true);
            out->start_s = fmax(out->start_s, pool_start_s(&run->c.pool, i, run->rung));
        }
    out->start_hour = hour;
    out->before = replicas_running(run, one, hour, true);
    enum gp_status rc = replay_replicas(planner, run, one, out->before,
                                        need_of(run, s->workload, hour) * out->before *
                                            pool_replica_rate(run, one) / serves,
                                        out->start_s, &replay, err);
    if (!rc && replay.run.done)
        take_points(&replay.run, &out->starting);
    replay_run_fini(&replay.run);
    return rc;
}

static enum gp_status replay_workload(struct planner *planner, const struct pool_run *run,
                                      const struct served *s, struct pool_replay *out,
                                      struct gp_err *err)
{
    int hour = heaviest_hour(run, s, false), one = s->first;
    struct quantity kept = {0};
    struct replayed replay;
    bool goals = false;

    *out = (struct pool_replay){.workload = s->workload, .hour = hour};
    if (hour < 0)
        return GP_OK;
    double serves = served_rate(run, s, hour, false, &one);
    out->candidate = one;
    out->replicas = replicas_running(run, one, hour, false);
    out->rate =
        need_of(run, s->workload, hour) * out->replicas * pool_replica_rate(run, one) / serves;
    enum gp_status rc =
        replay_replicas(planner, run, one, out->replicas, out->rate, 0, &replay, err);
    if (!rc && replay.run.done) {
        take_points(&replay.run, &out->at);
        missed_words(&replay.run, out->missed, sizeof(out->missed));
        replay.run.ask.bands = false;
        for (int i = 0; i < FORECAST_GOALS; i++)
            goals |= replay.run.ask.goal[i].most > 0;
        if (goals &&
            forecast_solve_rate(&replay.run.answer.plan, &replay.run.ask, &kept) == FORECAST_KNOWN)
            out->holds = kept.value / out->rate;
    }
    replay_run_fini(&replay.run);
    /* Hours that have more to do for what runs than it holds. */
    double most = out->holds * load_of(run, s, hour, false);

    for (int h = run->c.pool.hours - 1; h >= 0 && out->holds > 0; h--)
        if (load_of(run, s, h, false) > most * (1 + 1e-9)) {
            out->first_missed = h;
            out->hours_missed++;
        }
    return rc ? rc : replay_start(planner, run, s, out, err);
}

bool pool_run_replay_step(struct planner *planner, struct pool_run *run)
{
    const struct pool *pool = &run->c.pool;
    struct served s = {.workload = run->replayed};
    struct gp_err err = {0};

    if (s.workload >= pool->workload_count || run->replay_count >= POOL_REPLAYS)
        return false;
    if (!run->replays)
        run->replays = gp_calloc((size_t)pool->workload_count + 1, sizeof(*run->replays));
    struct pool_replay *out = &run->replays[run->replay_count];
    while (s.first < pool->candidate_count && pool->candidates[s.first].workload != s.workload)
        s.first++;
    for (s.end = s.first;
         s.end < pool->candidate_count && pool->candidates[s.end].workload == s.workload;)
        s.end++;
    if (replay_workload(planner, run, &s, out, &err))
        gp_format(out->unknown, sizeof(out->unknown), "%s", err.text);
    if (search_abandoned())
        return true; /* this one again */
    run->replay_count += out->hour >= 0;
    run->replayed++;
    return true;
}

const struct pool_replay *pool_run_first_to_break(const struct pool_run *run)
{
    const struct pool_replay *first = NULL;

    for (int i = 0; i < run->replay_count; i++) {
        const struct pool_replay *r = &run->replays[i];

        if (r->at.ttft[0].known && r->holds > 0 && (!first || r->holds < first->holds))
            first = r;
    }
    return first;
}
