/*
 * form_parts.h - what the files of the form share; nobody else includes it.
 *
 *   form.c          changes, undo, pin, fixes, solving
 *   form_values.c     the form as an ask, as options, as a command
 *   form_file.c     saved plans
 *   form_shown.c    what stands in the form
 *   form_choices.c  what can be chosen
 */
#ifndef GP_TUI_FORM_PARTS_H
#define GP_TUI_FORM_PARTS_H

#include "tui/form.h"

#define MODEL_DEFAULT "8B"

/* The form as an ask. option[FORM_VALUE] is filled with GPU and GPUs together; it and
 * the form must outlive the ask. */
void values_ask(const struct form_values *values, char option[FORM_VALUE],
                struct options *options);
/* The opposite; what is not given is "". */
enum gp_status values_of_options(const struct options *options,
                                 struct form_values *values, struct gp_err *err);
/* Checks a value by itself, as text and by looking it up, and puts it in. answer: the
 * plan before, NULL = none; it says which GPU a count is of when nobody named one. */
enum gp_status values_put(struct planner *planner, struct form_values *values,
                          enum field field, const char *text,
                          const struct answer *answer, struct gp_err *err);
/* Pairs "option value" into the form, each checked likewise. */
enum gp_status values_options(struct planner *planner, struct form_values *values,
                              const char *given, const struct answer *answer,
                              struct gp_err *err);

/* Plans the form; the form's answer, terms and texts follow it. */
void form_replan(struct form *form);
/* Makes a changed form the form's: one step of undo. */
void form_commit(struct form *form, const struct form_values *values);
void form_show(struct form *form);

/* The number that counts for a field: given, or the default that the plan took; < 0
 * when there is none. */
double form_number(const struct form *form, enum field field);

/* Ids only, or also what is said about each (plans every precision). */
struct choice *choices_make(struct form *form, enum field field, bool details,
                            int *count);

#endif
