/*
 * plan_choices.h - what each GPU or format in an open list would come to, planned by the
 * worker while the list is open, from the form as it is.
 */
#ifndef GP_TUI_PLAN_PLAN_CHOICES_H
#define GP_TUI_PLAN_PLAN_CHOICES_H

#include "tui/form.h"
#include "tui/outcome.h"
#include "tui/plan/plan_more.h"

#define CHOICE_COLS OUTCOME_WHOLE

struct plan_choices {
    unsigned version;        /* of the form they are of */
    int told;                /* rows that the list has been told */
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
