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

/* ---- an open list ---- */

#define CHOICE_COLS OUTCOME_WHOLE

struct plan_choices {
    unsigned version;        /* of the form they are of */
    int shown_count;         /* rows of the list that show their outcome */
    struct task *task;       /* NULL: no list with outcomes is open */
    struct choices_job *job; /* the task's */
};

void plan_choices_free(struct plan_choices *choices);
/* A list of this field opens: true when its choices have outcomes. What the screen knows
 * of GPUs already is taken over. */
bool plan_choices_begin(struct plan_choices *choices, struct form *form, enum field field,
                        const struct plan_more *more, struct worker *worker);
/* Writes what is known by `until` into the choices; GPUs are put in order, the best first
 * behind auto and this machine's, when all are known. */
void plan_choices_tell(struct plan_choices *choices, const struct form *form, struct choice *choice,
                       int count, double until);
/* Tells the open list what has come: 1; 0: nothing new; -1: nothing more to come. */
int plan_choices_go_on(struct plan_choices *choices, const struct form *form,
                       struct display *display);

#endif
