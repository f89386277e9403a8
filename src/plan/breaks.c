/*
 * breaks.c - see breaks.h.
 */
#include "plan/breaks.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"
#include "plan/search.h"

#define MOST_USERS 65536.0
#define RATE_CLOSE 1.01 /* a rate is known to 1 % */

struct search {
    const struct plan *plan;
    const struct market *market;
    enum break_axis axis;
    struct plan *tried; /* scratch, and what the last one tried gave */
};

static bool by_rate(const struct search *s)
{
    return s->axis == BREAK_USERS && s->plan->request.rate > 0;
}

static double now_of(const struct search *s)
{
    const struct request *q = &s->plan->request;

    return s->axis == BREAK_CONTEXT  ? q->context
           : s->axis == BREAK_PROMPT ? q->prompt
           : q->rate > 0             ? q->rate
                                     : q->users;
}

/* What the axis goes up to. */
static double end_of(const struct search *s)
{
    const struct request *q = &s->plan->request;

    return s->axis == BREAK_CONTEXT  ? q->model->max_context
           : s->axis == BREAK_PROMPT ? q->context - q->output
           : q->rate > 0             ? q->rate * MOST_USERS
                                     : MOST_USERS;
}

static bool breaks_holds(const struct search *s, double x)
{
    struct request q = s->plan->request;
    enum verdict now = s->plan->verdict;

    if (search_abandoned()) /* the answer is of no use: it comes soon */
        return false;
    if (s->axis == BREAK_CONTEXT)
        q.context = x;
    else if (s->axis == BREAK_PROMPT)
        q.prompt = x;
    else if (q.rate > 0)
        q.rate = x;
    else
        q.users = x;
    plan_layout(&q, &s->plan->layout, s->market, s->tried);
    return now == VERDICT_FITS ? s->tried->verdict == VERDICT_FITS
                               : verdict_holds(s->tried->verdict);
}

/* low holds and high does not: the most that holds. */
static double breaks_bisect(const struct search *s, double low, double high)
{
    while (by_rate(s) ? high > low * RATE_CLOSE : high - low > 1) {
        double middle = by_rate(s) ? sqrt(low * high) : floor((low + high) / 2);

        if (breaks_holds(s, middle))
            low = middle;
        else
            high = middle;
    }
    return low;
}

static bool breaks_asks(const struct plan *plan, enum break_axis axis)
{
    if (!plan->has_memory || !verdict_holds(plan->verdict) || plan->request.model->weights_only)
        return false;
    return axis != BREAK_PROMPT || plan->speed.gap == SPEED_KNOWN;
}

void breaks_find(const struct plan *plan, const struct market *market, enum break_axis axis,
                 struct break_point *out)
{
    struct search s = {.plan = plan, .market = market, .axis = axis};
    double end = end_of(&s), low = now_of(&s), high;

    *out = (struct break_point){.from = low, .at = low};
    if (!breaks_asks(plan, axis) || end < low)
        return;
    s.tried = gp_calloc(1, sizeof(*s.tried));
    out->known = true;
    for (high = low; high < end && breaks_holds(&s, high);) {
        low = high;
        high = fmin(high * 2, end);
    }
    out->ends = high >= end && breaks_holds(&s, end);
    out->at = out->ends ? end : low < high ? breaks_bisect(&s, low, high) : low;
    if (!out->ends) {
        breaks_holds(&s, by_rate(&s) ? out->at * RATE_CLOSE : out->at + 1);
        out->limit = s.tried->limit;
    }
    free(s.tried);
}
