/*
 * form_job.c - see form_job.h; and the best value of a field that still fits, as --solve
 * finds it.
 */
#include "tui/form_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tui/worker.h"

/* ---- solving ---- */

static void solved_text(enum field field, const struct plan *plan, char text[FORM_VALUE])
{
    const struct request *q = &plan->request;

    switch (field) {
    case FIELD_GPUS:
        gp_format(text, FORM_VALUE, "%d", plan->layout.gpus);
        break;
    case FIELD_CONTEXT:
        gp_format(text, FORM_VALUE, "%.0f", q->context);
        break;
    case FIELD_USERS:
        gp_format(text, FORM_VALUE, "%.0f", q->users);
        break;
    case FIELD_PRECISION:
        gp_copy(text, FORM_VALUE, q->precision.native ? "" : q->precision.id);
        break;
    default:
        gp_copy(text, FORM_VALUE, q->gpu->id);
    }
}

enum gp_status values_solve(struct planner *planner, const char *profiles,
                            struct form_values *values, enum field field, struct gp_err *err)
{
    const struct field_row *row = &field_rows[field];
    char word[OPTION_CHOICE_MAX], gpu[FORM_VALUE], text[FORM_VALUE];
    struct answer *found = gp_calloc(1, sizeof(*found));
    struct options options;
    enum gp_status rc;

    values_gpu(values, gpu);
    values_ask(values, gpu, profiles, &options);
    options_text(&options, OPT_SOLVE, "", option_choice(OPT_SOLVE, (int)row->solve - 1, word),
                 NULL);
    rc = planner_answer(planner, &options, found, err);
    if (!rc && !found->solved)
        rc = gp_fail(err, GP_E_USAGE, row->label, "a: suggestions",
                     "no value of this field makes the plan fit");
    if (!rc && !solve_has_limit(&found->plan.request, row->solve))
        rc = gp_fail(err, GP_E_USAGE, row->label, "", "no limit: this model keeps no KV");
    if (!rc) {
        if (field == FIELD_GPU) /* the cheapest takes as many as it needs */
            values->value[FIELD_GPUS][0] = '\0';
        solved_text(field, &found->plan, text);
        rc = values_put(planner, values, field, text, found, err);
    }
    free(found);
    return rc;
}

/* ---- the task ---- */

struct form_job {
    struct form_values before; /* the form's when it began */
    char profiles[GP_PATH_MAX];
    enum field solve;
    /* what the unit leaves */
    struct form_values values; /* the form's, with the value found */
    struct gp_err solve_err;   /* why there is none */
    struct answer *answer;     /* owned; to these */
    bool answered;
    struct gp_err err;
};

static bool job_unit(void *ctx, int i, struct planner *planner)
{
    struct form_job *job = ctx;
    char gpu[FORM_VALUE];
    struct options options;

    (void)i;
    job->values = job->before;
    job->err = job->solve_err = (struct gp_err){0};
    if (job->solve != FIELD_COUNT &&
        values_solve(planner, job->profiles, &job->values, job->solve, &job->solve_err) != GP_OK)
        return false;
    values_gpu(&job->values, gpu);
    values_ask(&job->values, gpu, job->profiles, &options);
    job->answered = planner_answer(planner, &options, job->answer, &job->err) == GP_OK &&
                    planner_betters(planner, job->answer, &job->err) == GP_OK;
    return false;
}

static void job_free(void *ctx)
{
    struct form_job *job = ctx;

    free(job->answer);
    free(job);
}

static const struct task_ops job_ops = {TASK_ANSWER, job_unit, job_free};

static void form_report_solve(struct form *form, const struct gp_err *err)
{
    form->solved.done = true;
    form->solved.err = *err;
}

bool form_poll(struct form *form)
{
    struct form_job *job = form->job;
    struct answer *before = form->answer;

    if (!form->planning || !task_finished(form->task))
        return false;
    if (job->solve != FIELD_COUNT)
        form_report_solve(form, &job->solve_err);
    if (!job->solve_err.code) {
        form_take(form, &job->values);
        form->answer = job->answer;
        job->answer = before;
        form->answered = job->answered;
        form->err = job->err;
    }
    task_drop(&form->task);
    form->job = NULL;
    form->planning = false;
    form_answered(form);
    return true;
}

void form_job_begin(struct form *form, enum field solve)
{
    struct form_job *job = gp_calloc(1, sizeof(*job));
    struct gp_err err;

    if (form->planning && form->job->solve != FIELD_COUNT) {
        gp_fail(&err, GP_E_USAGE, field_rows[form->job->solve].label, "solve again",
                "another change came first");
        form_report_solve(form, &err);
    }
    task_drop(&form->task);
    job->before = form->values;
    memcpy(job->profiles, form->profiles, sizeof(job->profiles));
    job->solve = solve;
    job->answer = gp_calloc(1, sizeof(*job->answer));
    form->job = job;
    form->task = task_begin(form->worker, &job_ops, job);
    form->planning = true;
    task_wait(form->task, clock_now() + FORM_JOB_WAIT);
    if (!form_poll(form))
        form_show(form);
}

void form_background(struct form *form, struct worker *worker)
{
    form->worker = worker;
}
