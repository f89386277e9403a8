/*
 * form_job.c - see form_job.h.
 */
#include "tui/form_job.h"

#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "tui/worker.h"

struct form_job {
    struct form_values before; /* the form's when it began */
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
    struct options options;

    (void)i;
    job->values = job->before;
    job->err = job->solve_err = (struct gp_err){0};
    if (job->solve != FIELD_COUNT &&
        values_solve(planner, &job->values, job->solve, &job->solve_err) != GP_OK)
        return false;
    values_ask(&job->values, &options);
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
        gp_fail(&err, GP_E_USAGE, field_rows[form->job->solve].form->label, "solve again",
                "another change came first");
        form_report_solve(form, &err);
    }
    task_drop(&form->task);
    job->before = form->values;
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
