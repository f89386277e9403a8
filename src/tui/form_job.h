/*
 * form_job.h - the answer of a form, planned by the worker (worker.h) while keys are answered.
 *
 * Under a rate or goals a plan may take a second, and a key is to be painted within
 * 16 ms. So on a terminal a changed form begins a task of the first rank and waits
 * FORM_JOB_WAIT for it, which is enough for most. What takes longer leaves the answer before
 * where it stands, with form->planning set, until form_poll() has taken the new one. A form
 * that changes meanwhile drops its task and begins another.
 *
 * form_solve() is such a task too: the thread finds the value, then plans the form with it.
 * When the form changes meanwhile, the value is not put in.
 */
#ifndef GP_TUI_FORM_JOB_H
#define GP_TUI_FORM_JOB_H

#include "tui/form.h"

#define FORM_JOB_WAIT 0.006 /* s */

/* Begins to plan form->values. solve: the field whose best value is found first; FIELD_COUNT:
 * none. */
void form_job_begin(struct form *form, enum field solve);

#endif
