/*
 * late_plan.c - see late.h: a plan replayed, and the layout that keeps its percentiles.
 */
#include <math.h>
#include <string.h>

#include "plan/goals.h"
#include "plan/late.h"
#include "plan/plan.h"
#include "plan/replay/forecast.h"
#include "plan/search.h"

static const struct {
    enum measure measure;
    enum point point;
    enum reason reason;
} lates[LATE_COUNT] = {
#define X(NAME, measure, point, ...) \
    [LATE_##NAME] = {MEASURE_##measure, POINT_##point, REASON_##measure##_LATE},
    LATES(X)
#undef X
};

#define LATE_REASONS \
    (REASON_BIT(REASON_TTFT_LATE) | REASON_BIT(REASON_TPOT_LATE) | REASON_BIT(REASON_E2E_LATE))

/* ---- one plan ---- */

/* How much of a replay is wanted: its value; with its band; that until a goal is missed. */
enum extent { EXTENT_VALUE, EXTENT_BAND, EXTENT_SURE };

static enum forecast_gap late_replay(struct plan *p, enum extent extent, int few, int requests,
                                     double give_up)
{
    struct forecast_ask ask = {.arrivals = forecast_arrivals(&p->request),
                               .router = ROUTER_LEAST,
                               .bands = extent != EXTENT_VALUE,
                               .quick = true,
                               .served = true,
                               .until_missed = extent == EXTENT_SURE,
                               .few = few,
                               .give_up = give_up};
    struct forecast f;

    for (int i = 0, n = 0; i < LATE_COUNT && n < FORECAST_GOALS; i++)
        if (p->request.late[i] > 0)
            ask.goal[n++] =
                (struct forecast_goal){lates[i].measure, lates[i].point, p->request.late[i]};
    ask.arrivals.count = requests;
    enum forecast_gap gap = forecast_run(p, &ask, &f);

    if (gap != FORECAST_KNOWN)
        return gap;
    for (int i = 0; i < LATE_COUNT; i++)
        p->speed.percentile[i] = f.point[lates[i].measure][lates[i].point];
    p->speed.middle = p->speed.percentile[LATE_TTFT_P50].value;
    p->speed.late = p->speed.percentile[LATE_TTFT_P95].value;
    forecast_fini(&f);
    return gap;
}

/* The goals of percentiles, as the replay has them; where there is none they cannot be judged. */
static void late_judge(struct plan *p, enum forecast_gap gap)
{
    struct goal goals[SPEED_GOALS];

    if (!late_asked(&p->request))
        return;
    p->reasons &= ~LATE_REASONS;
    if (gap == FORECAST_KNOWN) {
        goals_of(&p->request, &p->speed, goals);
        for (int i = 0; i < LATE_COUNT; i++)
            p->reasons |= (uint64_t)goal_fails(&p->request, goals[SPEED_GOAL_LATE + i].state)
                          << lates[i].reason;
    } else {
        p->reasons |= REASON_BIT(REASON_NO_SPEED);
    }
    p->verdict = reasons_verdict(p->reasons);
    p->limit = reasons_limit(p->reasons);
}

/* More arrive than are served: a percentile is as large as the sample is long. */
static bool is_served(const struct plan *p)
{
    return p->request.rate > 0 && p->has_memory && p->verdict != VERDICT_DOES_NOT_FIT &&
           p->speed.gap == SPEED_KNOWN && !(p->reasons & REASON_BIT(REASON_RATE));
}

void plan_replay(struct plan *p)
{
    if (is_served(p))
        late_judge(p, late_replay(p, EXTENT_BAND, 0, FORECAST_REQUESTS, 0));
}

/* ---- the layout that keeps the goals ---- */

#define REQUESTS_FEW 500
#define REQUESTS_ALONE 100

/* How many times worse than a goal the worst of them is. */
static double worst_miss(const struct plan *p)
{
    double worst = 0;

    for (int i = 0; i < LATE_COUNT; i++)
        if (p->request.late[i] > 0 && p->speed.percentile[i].known)
            worst = fmax(worst, p->speed.percentile[i].value / p->request.late[i]);
    return worst;
}

static struct late_floor *floor_of(struct late_floors *floors, const struct layout *l)
{
    int i = 0;

    while (i < floors->count && (floors->list[i].tp != l->tp || floors->list[i].pp != l->pp ||
                                 floors->list[i].ep != l->ep))
        i++;
    if (i == floors->count)
        floors->list[floors->count++] = (struct late_floor){.tp = l->tp, .pp = l->pp, .ep = l->ep};
    return &floors->list[i];
}

/* Judges a layout; one that misses a goal `give_up` times is not replayed to its end. */
static void late_try(struct plan *p, int few, int requests, double give_up)
{
    enum extent extent = p->request.goals == GOALS_SURE ? EXTENT_SURE : EXTENT_VALUE;

    late_judge(p, late_replay(p, extent, few, requests, give_up));
}

/* Is there no other number of replicas of a cut to try? */
static bool is_counted(const struct request *q)
{
    return q->gpu_count > 0 || q->replicas > 0;
}

/* `best`: how many times another one misses the goals. What a count is raised by is read off how
 * far this one misses them. */
static void late_judge_layout(struct plan *p, double best)
{
    double least = is_counted(&p->request) ? 1 : FORECAST_FAR;

    late_try(p, REQUESTS_FEW, FORECAST_REQUESTS, best > 0 ? fmax(best, least) : 0);
}

#define RATE_IDLE 1e-3 /* requests/s: each finds the server idle */

/* Does a request alone miss them? However many replicas there are. */
static bool misses_alone(const struct plan *p, struct late_floor *floor)
{
    if (!floor->alone_known) {
        struct plan alone = *p;

        alone.request.rate = fmin(RATE_IDLE, p->request.rate);
        late_try(&alone, 0, REQUESTS_ALONE, 1);
        floor->alone_known = true;
        floor->misses_alone = alone.verdict == VERDICT_SLOW;
    }
    return floor->misses_alone;
}

/* Few more at first, a fourth more where much is missing; then half of the way that the last two
 * which missed lead, a fourth at most. None where the goal is missed with hardly a request at a
 * time. */
static void raise_floor(struct late_floors *floors, const struct plan *p)
{
    struct late_floor *floor = floor_of(floors, &p->layout);
    bool idle = p->speed.running < 0.1 * layout_decoding(&p->layout);
    bool sure = p->request.goals == GOALS_SURE;
    int had = p->layout.replicas, more = had / (sure || worst_miss(p) > FORECAST_FAR ? 4 : 16);
    double miss = worst_miss(p);

    if (floor->seen > 0 && floor->seen < had && miss > 1 && floor->miss > miss) {
        double falls = log(floor->miss / miss) / log((double)had / floor->seen);

        more = (int)fmax(more, fmin(had * (exp(log(miss) / falls) - 1) / 2, had / 4.0));
    }
    floor->seen = had;
    floor->miss = miss;
    floor->least = idle || (!is_counted(&p->request) && misses_alone(p, floor)) ? PLAN_MAX_GPUS + 1
                                                                                : had + 1 + more;
}

/* Searches on, without what misses the goals, until something keeps them. */
static void search_on_late(const struct request *q, const struct market *market, int gpus,
                           struct late_floors *floors, struct plan *out)
{
    struct request r = *q;
    struct plan next;

    r.floors = floors; /* what needs less and misses them is no runner-up: its mean says nothing */
    for (int i = 1; i < LATE_TRIES && out->verdict == VERDICT_SLOW; i++) {
        if (i == 1)
            raise_floor(floors, out);
        search_plan(&r, market, SEARCH_FEWEST_GPUS, &next);
        if (next.verdict != VERDICT_FITS || (gpus > 0 && next.layout.gpus > gpus))
            return;
        next.request.floors = NULL;
        if (next.second.by == WORSE_GOAL)
            next.second.layout.gpus = 0;
        late_judge_layout(&next, worst_miss(out));
        if (next.verdict == VERDICT_SLOW)
            raise_floor(floors, &next);
        if (next.verdict == VERDICT_FITS || worst_miss(&next) < worst_miss(out))
            *out = next;
    }
}

void plan_request_within(const struct request *q, const struct market *market, int gpus,
                         struct plan *out)
{
    struct late_floors floors = {.count = 0};

    search_plan(q, market, SEARCH_FEWEST_GPUS, out);
    if (!late_asked(q) || !is_served(out))
        return;
    late_judge_layout(out, gpus > 0 && is_counted(q)); /* how near it comes is not asked */
    if (out->second.by == WORSE_GOAL)
        out->second.layout.gpus = 0;
    if (out->verdict != VERDICT_SLOW)
        return;
    floors.seen = search_seen_new();
    search_on_late(q, market, gpus, &floors, out);
    search_seen_free(floors.seen);
}

void plan_request(const struct request *q, const struct market *market, struct plan *out)
{
    plan_request_within(q, market, 0, out);
}
