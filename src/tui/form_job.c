/*
 * form_job.c - see form_job.h.
 */
#include "tui/form_job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "base/clock.h"
#include "base/mem.h"
#include "base/str.h"
#include "base/thread.h"
#include "plan/search.h"

static void job_plan(struct form_job *job)
{
    struct options options;

    values_ask(&job->planned, &options);
    job->err = (struct gp_err){0};
    job->answered = planner_answer(job->planner, &options, job->answer, &job->err) == GP_OK &&
                    planner_betters(job->planner, job->answer, &job->err) == GP_OK;
}

static void *job_work(void *ctx)
{
    struct form_job *job = ctx;

    search_abandon(&job->abandon);
    if (job->solve == FIELD_COUNT ||
        values_solve(job->planner, &job->planned, job->solve, &job->solve_err) == GP_OK)
        job_plan(job);
    search_abandon(NULL); /* it may be the thread of the keys */
    atomic_store(&job->done, true);
    return NULL;
}

/* Without a thread the key waits: better than no answer. */
static void job_start(const struct form *form, struct form_job *job, enum field solve)
{
    if (!job->planner)
        job->planner =
            planner_twin(form->planner, form->values.profiles[0] ? form->values.profiles : NULL);
    if (job->anew)
        planner_measured_anew(job->planner);
    job->again = job->anew = false;
    job->values = job->planned = form->values;
    job->solve = solve;
    job->solve_err = (struct gp_err){0};
    atomic_store(&job->done, false);
    atomic_store(&job->abandon, false);
    job->on = thread_begin(&job->thread, job_work, job);
    if (!job->on)
        job_work(job);
}

static void job_abandon(struct form_job *job)
{
    job->again = true;
    atomic_store(&job->abandon, true);
}

static void job_join(struct form_job *job)
{
    if (job->on)
        pthread_join(job->thread, NULL);
    job->on = false;
}

static void take_answer(struct form *form, struct form_job *job)
{
    struct answer *before = form->answer;

    form_take(form, &job->planned);
    form->answer = job->answer;
    job->answer = before;
    form->answered = job->answered;
    form->err = job->err;
}

bool form_poll(struct form *form)
{
    struct form_job *job = form->job;
    bool same;

    if (!form->planning || !atomic_load(&job->done))
        return false;
    job_join(job);
    same = !job->again && memcmp(&job->values, &form->values, sizeof(job->values)) == 0;
    if (job->solve != FIELD_COUNT) {
        form->solved.done = true;
        form->solved.err = job->solve_err;
        if (!same)
            gp_fail(&form->solved.err, GP_E_USAGE, field_rows[job->solve].form->label,
                    "solve again", "another change came first");
    }
    if (!same) {
        job_start(form, job, FIELD_COUNT);
        return false;
    }
    if (!job->solve_err.code)
        take_answer(form, job);
    form->planning = false;
    form_answered(form);
    return true;
}

void form_job_begin(struct form *form, enum field solve)
{
    static const struct timespec pause = {.tv_nsec = 300000};
    double end = clock_now() + FORM_JOB_WAIT;

    if (form->planning)
        job_abandon(form->job);
    else
        job_start(form, form->job, solve);
    form->planning = true;
    while (!form_poll(form) && clock_now() < end)
        nanosleep(&pause, NULL);
    if (form->planning)
        form_show(form);
}

void form_job_again(struct form *form)
{
    form->job->anew = true;
    form_job_begin(form, FIELD_COUNT);
}

void form_background(struct form *form)
{
    form->job = gp_calloc(1, sizeof(*form->job));
    form->job->answer = gp_calloc(1, sizeof(*form->job->answer));
}

void form_job_free(struct form_job *job)
{
    if (!job)
        return;
    job_abandon(job);
    job_join(job);
    planner_free(job->planner);
    free(job->answer);
    free(job);
}
