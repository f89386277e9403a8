/*
 * form_job.h - the answer of a form, planned by a thread of its own.
 *
 * Under a rate or goals a plan may take a second, and a key is to be painted within
 * 16 ms. So on a terminal a changed form begins a job and waits FORM_JOB_WAIT for it,
 * which is enough for most. What takes longer leaves the answer before where it stands,
 * with form->planning set, until form_poll() has taken the new one. A form that has
 * changed since is planned again; answers in between are not shown.
 *
 * form_solve() is such a job too: the thread finds the value, then plans the form with it.
 * When the form has changed meanwhile, the value is not put in.
 *
 * The thread has its own planner and its own copy of the form: nothing is shared. What is no
 * longer asked for is abandoned (search.h), so that the next plan, or the end, need not wait.
 */
#ifndef GP_TUI_FORM_JOB_H
#define GP_TUI_FORM_JOB_H

#include <pthread.h>
#include <stdatomic.h>

#include "tui/form.h"

#define FORM_JOB_WAIT 0.006 /* s */

struct form_job {
    struct planner *planner;    /* owned, the thread's; NULL until the first job */
    struct form_values values;  /* the form's when it began */
    enum field solve;           /* its best value is found first; FIELD_COUNT: none */
    struct gp_err solve_err;    /* why there is none */
    struct form_values planned; /* values, with the one found */
    struct answer *answer;      /* owned; to these */
    bool answered;
    struct gp_err err;
    pthread_t thread;
    bool on;
    atomic_bool done, abandon;
    bool again; /* the job that runs is of no use: another begins after it */
    bool anew;  /* what was measured is looked for again first */
};

/* Begins to plan form->values, or sees to it that they are planned next. solve: see the
 * struct; then nothing else may be being planned. */
void form_job_begin(struct form *form, enum field solve);
/* The same form once more, with what is measured by now. */
void form_job_again(struct form *form);
void form_job_free(struct form_job *job);

#endif
