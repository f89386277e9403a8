/*
 * plan_more.h - what the Plan screen shows beyond the answer itself and takes planning:
 * what the ways to change come to, alternatives, what breaks first, tokens/s over users.
 *
 * A task of the worker, begun after the answer is painted, from the form as it is; what is
 * not there yet is blank.
 */
#ifndef GP_TUI_PLAN_PLAN_MORE_H
#define GP_TUI_PLAN_PLAN_MORE_H

#include "plan/breaks.h"
#include "tui/form.h"
#include "tui/outcome.h"
#include "tui/worker.h"

#define PLAN_ALTERNATIVES 5
#define PLAN_SAMPLES 20

struct plan_sample {            /* of the plan's layout with so many users */
    double users, tokens, tpot; /* tokens/s of all, s; 0 = it does not fit */
};

struct plan_more {
    unsigned version; /* of the form that it is of */
    bool begun, done;
    int taken; /* units of the task that are here */
    struct outcome fix[PLAN_MAX_FIXES];
    struct break_point breaks[BREAK_AXES];
    struct plan_sample sample[PLAN_SAMPLES];
    int samples;
    struct outcomes gpus;        /* all of them, count and layout free; when done */
    int best[PLAN_ALTERNATIVES]; /* rows of gpus; when done */
    int best_count;
    struct task *task;         /* NULL: it does not run */
    struct plan_more_job *job; /* the task's */
};

void plan_more_free(struct plan_more *more);
/* Begins when it is not of the form as it is, and takes what has come. True: there is
 * more to come. */
bool plan_more_go_on(struct plan_more *more, struct form *form, struct worker *worker);
/* The user looks at something else. */
void plan_more_stop(struct plan_more *more);
/* Is it of the form as it is now? */
bool plan_more_fresh(const struct plan_more *more, const struct form *form);

#endif
