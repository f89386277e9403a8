/*
 * plan_more.h - what the Plan screen shows beyond the answer itself and takes planning:
 * what the ways to change come to, alternatives, what breaks first, tokens/s over users.
 *
 * Planned in slices after the screen is painted (s_plan.c), from the form as it is; what
 * is not there yet is blank.
 */
#ifndef GP_TUI_PLAN_PLAN_MORE_H
#define GP_TUI_PLAN_PLAN_MORE_H

#include "core/breaks.h"
#include "tui/form.h"
#include "tui/outcome.h"

#define PLAN_ALTERNATIVES 5
#define PLAN_SAMPLES      20

struct plan_sample { /* of the plan's layout with so many users */
    double users, tokens, tpot; /* tokens/s of all, s; 0 = it does not fit */
};

struct plan_more {
    unsigned version;        /* of the form that it is of */
    bool begun, done;
    int step;
    struct outcome fix[PLAN_MAX_FIXES];
    struct break_point breaks[BREAK_AXES];
    struct plan_sample sample[PLAN_SAMPLES];
    int samples;
    struct outcomes gpus;    /* all of them, count and layout free */
    int best[PLAN_ALTERNATIVES]; /* rows of gpus */
    int best_count;
    struct plan *plan;       /* scratch; owned */
};

void plan_more_free(struct plan_more *more);
/* One step further; false: nothing is left to do. */
bool plan_more_step(struct plan_more *more, struct form *form);
/* Is it of the form as it is now? */
bool plan_more_fresh(const struct plan_more *more, const struct form *form);

#endif
