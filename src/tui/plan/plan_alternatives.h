/*
 * plan_alternatives.h - what the Plan screen shows beyond the answer itself and takes planning:
 * what the ways to change come to, alternatives, what breaks first, tokens/s over users; and
 * what each GPU or format in an open list would come to.
 *
 * Tasks of the worker, begun after the answer is painted, or when a list opens, from the form
 * as it is; what is not there yet is blank.
 */
#ifndef GP_TUI_PLAN_PLAN_ALTERNATIVES_H
#define GP_TUI_PLAN_PLAN_ALTERNATIVES_H

#include "plan/breaks.h"
#include "tui/form.h"
#include "tui/plan_summary.h"
#include "tui/worker.h"

#define PLAN_ALTERNATIVES 5
#define PLAN_SAMPLES 20

struct plan_sample {            /* of the plan's layout with so many users */
    double users, tokens, tpot; /* tokens/s of all, s; 0 = it does not fit */
};

struct plan_alternatives {
    unsigned version; /* of the form that it is of */
    bool begun, done;
    int taken; /* units of the task that are here */
    struct plan_summary fix[PLAN_MAX_FIXES];
    struct break_point breaks[BREAK_AXES];
    struct plan_sample sample[PLAN_SAMPLES];
    int samples;
    struct plan_summaries gpus;  /* all of them, count and layout free; when done */
    int best[PLAN_ALTERNATIVES]; /* rows of gpus; when done */
    int best_count;
    struct task *task;                 /* NULL: it does not run */
    struct plan_alternatives_job *job; /* the task's */
};

void plan_alternatives_free(struct plan_alternatives *more);
/* Begins when it is not of the form as it is, and takes what has come. True: there is
 * more to come. */
bool plan_alternatives_go_on(struct plan_alternatives *more, struct form *form,
                             struct worker *worker);
/* The user looks at something else. */
void plan_alternatives_stop(struct plan_alternatives *more);
/* Is it of the form as it is now? */
bool plan_alternatives_fresh(const struct plan_alternatives *more, const struct form *form);

/* ---- an open list ---- */

struct choice_plans {
    int cols;                /* of a summary in this list */
    unsigned version;        /* of the form they are of */
    int shown_count;         /* rows of the list that show their summary */
    struct task *task;       /* NULL: no list with summaries is open */
    struct choices_job *job; /* the task's */
};

void plan_choices_free(struct choice_plans *choices);
/* A list of this field opens: true when its choices have summaries, of `cols` columns. What
 * the screen knows of GPUs already is taken over. */
bool plan_choices_begin(struct choice_plans *choices, struct form *form, enum field field,
                        const struct plan_alternatives *more, struct worker *worker);
/* Writes what is known by `until` into the choices; GPUs are put in order, the best first
 * behind auto and this machine's, when all are known. */
void choice_plans_set_columns(struct choice_plans *choices, const struct form *form,
                              struct choice *choice, int count, double until);
/* Tells the open list what has come: 1; 0: nothing new; -1: nothing more to come. */
int plan_choices_go_on(struct choice_plans *choices, const struct form *form,
                       struct display *display);

#endif
