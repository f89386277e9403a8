/*
 * breaks.h - what breaks first when a load grows and its layout does not.
 *
 * One thing of the load is raised, all else stays, and every step is plan_layout() of the
 * request, so nothing is interpolated. A plan that fits holds while it fits; one that
 * misses a goal already holds while its memory does. `at` is the most that holds, found
 * by doubling and bisection over whole users and tokens, a rate to 1 %.
 *
 * Example: Llama-3.1-70B int8 on 2 x L40S, 1 user of 8,192 tokens: at is 2 users, and the
 * third finds no room in the KV pool.
 */
#ifndef GP_PLAN_BREAKS_H
#define GP_PLAN_BREAKS_H

#include "plan/plan.h"

enum break_axis {
    BREAK_USERS /* or the rate, where one is asked */,
    BREAK_CONTEXT,
    BREAK_PROMPT,
    BREAK_AXES
};

struct break_point {
    bool known;       /* false: it has broken already, or the axis has no meaning */
    bool ends;        /* nothing broke up to the end of the axis, which is `at` */
    double from, at;  /* users, requests/s or tokens: now, and the most that holds */
    enum limit limit; /* what stands in the way beyond that */
};

void breaks_find(const struct plan *plan, const struct market *market, enum break_axis axis,
                 struct break_point *out);

#endif
