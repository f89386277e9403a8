/*
 * form_job.c - see form_job.h.
 */
#include "tui/form_job.h"

#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "util/clock.h"
#include "util/mem.h"
#include "util/str.h"

static void *job_work(void *ctx)
{
    struct form_job *job = ctx;

    job->answered =
        planner_answer(job->planner, &job->options, job->answer, &job->err) == GP_OK &&
        planner_betters(job->planner, job->answer, &job->err) == GP_OK;
    atomic_store(&job->done, true);
    return NULL;
}

/* Without a thread the key waits: better than no answer. */
static void job_start(const struct form *form, struct form_job *job)
{
    if (!job->planner)
        job->planner =
            planner_twin(form->planner, form->profiles[0] ? form->profiles : NULL);
    job->values = form->values;
    memcpy(job->gpu_option, form->gpu_option, sizeof(job->gpu_option));
    values_ask(&job->values, job->gpu_option, form->profiles, &job->options);
    job->err = (struct gp_err){0};
    atomic_store(&job->done, false);
    job->on = pthread_create(&job->thread, NULL, job_work, job) == 0;
    if (!job->on)
        job_work(job);
}

static void job_join(struct form_job *job)
{
    if (job->on)
        pthread_join(job->thread, NULL);
    job->on = false;
}

bool form_poll(struct form *form)
{
    struct form_job *job = form->job;
    struct answer *before = form->answer;

    if (!form->planning || !atomic_load(&job->done))
        return false;
    job_join(job);
    if (memcmp(&job->values, &form->values, sizeof(job->values)) != 0) {
        job_start(form, job);
        return false;
    }
    form->answer = job->answer;
    job->answer = before;
    form->answered = job->answered;
    form->err = job->err;
    form->planning = false;
    form_answered(form);
    return true;
}

void form_settle(struct form *form)
{
    while (form->planning) {
        job_join(form->job);
        form_poll(form);
    }
}

void form_job_begin(struct form *form)
{
    static const struct timespec pause = {.tv_nsec = 300000};
    double end = clock_now() + FORM_JOB_WAIT;

    if (!form->planning)
        job_start(form, form->job);
    form->planning = true;
    while (!form_poll(form) && clock_now() < end)
        nanosleep(&pause, NULL);
    if (form->planning)
        form_show(form);
}

void form_job_drop(struct form *form)
{
    if (!form->job)
        return;
    job_join(form->job);
    form->planning = false;
    if (form->job->planner)
        planner_measured_anew(form->job->planner);
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
    job_join(job);
    planner_free(job->planner);
    free(job->answer);
    free(job);
}
