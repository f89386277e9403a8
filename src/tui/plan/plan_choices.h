/*
 * plan_choices.h - what each GPU or format in an open list would come to, planned in
 * slices while the list is open, from the form as it is.
 */
#ifndef GP_TUI_PLAN_PLAN_CHOICES_H
#define GP_TUI_PLAN_PLAN_CHOICES_H

#include "tui/form.h"
#include "tui/outcome.h"
#include "tui/plan/plan_more.h"

#define CHOICE_COLS OUTCOME_WHOLE

struct plan_choices {
    bool open;        /* a list is, with outcomes */
    unsigned version; /* of the form they are of */
    int told;         /* rows of outcomes that the list has been told */
    struct outcomes outcomes;
};

void plan_choices_free(struct plan_choices *choices);
/* A list of this field opens: true when its choices have outcomes. */
bool plan_choices_begin(struct plan_choices *choices, struct form *form, enum field field);
/* Writes what is known by `end` into the choices; GPUs are put in order, the best first
 * behind auto and this machine's, when all are known. */
void plan_choices_tell(struct plan_choices *choices, struct form *form,
                       const struct plan_more *more, struct choice *choice, int count,
                       double end);
/* Goes on until `end` (clock_now()); false: nothing is left to do. */
bool plan_choices_step(struct plan_choices *choices, struct form *form,
                       struct display *display, double end);

#endif
