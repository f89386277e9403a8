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

void breaks_find(const struct plan *plan, const struct market *market, enum break_axis axis,
                 struct break_point *out)
{
    struct search s = {.plan = plan, .market = market, .axis = axis};
    const struct request *q = &plan->request;
    bool asks = plan->has_memory && verdict_holds(plan->verdict) && !q->model->weights_only &&
                (axis != BREAK_PROMPT || plan->speed.gap == SPEED_KNOWN);
    double low, high, end; /* from now to what the axis goes up to */

    if (axis == BREAK_CONTEXT)
        low = q->context, end = q->model->max_context;
    else if (axis == BREAK_PROMPT)
        low = q->prompt, end = q->context - q->output;
    else if (q->rate > 0)
        low = q->rate, end = q->rate * MOST_USERS;
    else
        low = q->users, end = MOST_USERS;
    *out = (struct break_point){.from = low, .at = low};
    if (!asks || end < low)
        return;
    s.tried = gp_calloc(1, sizeof(*s.tried));
    out->known = true;
    for (high = low; high < end && breaks_holds(&s, high);) {
        low = high;
        high = fmin(high * 2, end);
    }
    out->ends = high >= end && breaks_holds(&s, end);
    /* low holds and high does not: the most that holds */
    while (!out->ends && (by_rate(&s) ? high > low * RATE_CLOSE : high - low > 1)) {
        double middle = by_rate(&s) ? sqrt(low * high) : floor((low + high) / 2);

        *(breaks_holds(&s, middle) ? &low : &high) = middle;
    }
    out->at = out->ends ? end : low;
    if (!out->ends) {
        breaks_holds(&s, by_rate(&s) ? out->at * RATE_CLOSE : out->at + 1);
        out->limit = s.tried->limit;
    }
    free(s.tried);
}
