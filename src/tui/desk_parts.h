/*
 * desk_parts.h - what the files of the desk share; nobody else includes it.
 *
 *   desk.c          changes, undo, pin, fixes, solving
 *   desk_form.c     the form as an ask, as options, as a command
 *   desk_file.c     saved plans
 *   desk_shown.c    what stands in the form
 *   desk_choices.c  what can be chosen
 */
#ifndef GP_TUI_DESK_PARTS_H
#define GP_TUI_DESK_PARTS_H

#include "tui/desk.h"

#define MODEL_DEFAULT "8B"

/* The form as an ask. option[FORM_VALUE] is filled with GPU and GPUs together; it and
 * the form must outlive the ask. */
void form_ask(const struct form *form, char option[FORM_VALUE], struct ask *ask);
/* The opposite; what is not given is "". */
enum gp_status form_of_ask(const struct ask *ask, struct form *form,
                           struct gp_err *err);
/* Checks a value by itself, as text and by looking it up, and puts it in. answer: the
 * plan before, NULL = none; it says which GPU a count is of when nobody named one. */
enum gp_status form_put(struct planner *planner, struct form *form, enum field field,
                        const char *text, const struct answer *answer,
                        struct gp_err *err);
/* Pairs "option value" into the form, each checked likewise. */
enum gp_status form_options(struct planner *planner, struct form *form,
                            const char *options, const struct answer *answer,
                            struct gp_err *err);

/* Plans the form; the desk's answer, terms and texts follow it. */
void desk_replan(struct desk *desk);
/* Makes a changed form the desk's: one step of undo. */
void desk_commit(struct desk *desk, const struct form *form);
void desk_show(struct desk *desk);

/* The number that counts for a field: given, or the default that the plan took; < 0
 * when there is none. */
double desk_number(const struct desk *desk, enum field field);

/* Ids only, or also what is said about each (plans every precision). */
struct choice *choices_make(struct desk *desk, enum field field, bool details,
                            int *count);

#endif
