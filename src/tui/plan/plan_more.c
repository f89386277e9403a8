/*
 * plan_more.c - see plan_more.h.
 */
#include "tui/plan/plan_more.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

enum {
    UNIT_FIXES,
    UNIT_BREAKS = PLAN_MAX_FIXES,
    UNIT_SAMPLES = UNIT_BREAKS + BREAK_AXES,
    UNIT_GPUS = UNIT_SAMPLES + PLAN_SAMPLES
};

/* What the thread fills; what is asked is set before. */
struct plan_more_job {
    struct form_copy form;
    struct outcome fix[PLAN_MAX_FIXES];
    struct break_point breaks[BREAK_AXES];
    struct plan_sample sample[PLAN_SAMPLES];
    struct outcomes gpus;
};

/* ---- units, by the thread ---- */

static void unit_fix(struct plan_more_job *job, int i)
{
    const struct answer *a = &job->form.answer;
    struct plan plan;

    if (i >= a->fix_count)
        return;
    plan_request(&a->fixes[i].request, &a->resolved.market, &plan);
    job->fix[i] = outcome_of(&plan);
}

/* Powers of two, up to a few times what it holds. */
static void unit_sample(struct plan_more_job *job, int i)
{
    const struct answer *a = &job->form.answer;
    struct request q = a->plan.request;
    struct plan plan;

    job->sample[i] = (struct plan_sample){0};
    if (!a->plan.has_memory || a->plan.speed.gap != SPEED_KNOWN ||
        (i > 0 && job->sample[i - 1].users <= 0)) /* no longer fits */
        return;
    q.rate = 0;
    q.users = exp2(i);
    plan_layout(&q, &a->plan.layout, &a->resolved.market, &plan);
    if (plan.verdict != VERDICT_DOES_NOT_FIT && plan.speed.gap == SPEED_KNOWN)
        job->sample[i] =
            (struct plan_sample){q.users, plan.speed.tokens.value, plan.speed.tpot.value};
}

static bool more_unit(void *ctx, int i, struct planner *planner)
{
    struct plan_more_job *job = ctx;
    const struct answer *a = &job->form.answer;

    if (i < UNIT_BREAKS)
        unit_fix(job, i);
    else if (i < UNIT_SAMPLES)
        breaks_find(&a->plan, &a->resolved.market, (enum break_axis)(i - UNIT_BREAKS),
                    &job->breaks[i - UNIT_BREAKS]);
    else if (i < UNIT_GPUS)
        unit_sample(job, i - UNIT_SAMPLES);
    else if (i - UNIT_GPUS < job->gpus.count)
        outcomes_plan(&job->gpus, i - UNIT_GPUS, &job->form, planner);
    return i + 1 - UNIT_GPUS < job->gpus.count;
}

static void more_free(void *ctx)
{
    struct plan_more_job *job = ctx;

    outcomes_free(&job->gpus);
    free(job);
}

static const struct task_ops more_ops = {TASK_SCREEN, more_unit, more_free};

/* ---- what has come ---- */

static void take_unit(struct plan_more *m, int i)
{
    const struct plan_more_job *job = m->job;

    if (i < UNIT_BREAKS)
        m->fix[i] = job->fix[i];
    else if (i < UNIT_SAMPLES)
        m->breaks[i - UNIT_BREAKS] = job->breaks[i - UNIT_BREAKS];
    else if (i < UNIT_GPUS && job->sample[i - UNIT_SAMPLES].users > 0)
        m->sample[m->samples++] = job->sample[i - UNIT_SAMPLES];
}

/* The cheapest that fit, in one order with the choosers. */
static void more_rank(struct plan_more *m)
{
    for (int i = 0; i < m->gpus.count; i++) {
        const struct outcome *o = &m->gpus.rows[i].outcome;
        int at = m->best_count;

        if (!o->known || !verdict_holds(o->verdict) || o->per_hour <= 0)
            continue;
        while (at > 0 && outcome_compare(o, &m->gpus.rows[m->best[at - 1]].outcome) < 0)
            at--;
        if (at >= PLAN_ALTERNATIVES)
            continue;
        m->best_count += m->best_count < PLAN_ALTERNATIVES;
        memmove(&m->best[at + 1], &m->best[at],
                (size_t)(m->best_count - 1 - at) * sizeof(m->best[0]));
        m->best[at] = i;
    }
}

/* The rows are the screen's from now on. */
static void take_gpus(struct plan_more *m)
{
    m->gpus = m->job->gpus;
    m->job->gpus = (struct outcomes){0};
    more_rank(m);
    m->done = true;
    task_drop(&m->task);
}

/* ---- the screen's ---- */

void plan_more_free(struct plan_more *m)
{
    task_drop(&m->task);
    outcomes_free(&m->gpus);
    *m = (struct plan_more){0};
}

void plan_more_stop(struct plan_more *m)
{
    if (m->task)
        plan_more_free(m);
}

bool plan_more_fresh(const struct plan_more *m, const struct form *form)
{
    return m->begun && m->version == form->version;
}

static void more_begin(struct plan_more *m, struct form *form, struct worker *worker)
{
    plan_more_free(m);
    m->version = form->version;
    m->begun = true;
    m->done = !form->answered;
    if (m->done)
        return;
    m->job = gp_calloc(1, sizeof(*m->job));
    form_copy(form, &m->job->form);
    outcomes_list(&m->job->gpus, form, FIELD_GPU, true);
    m->task = task_begin(worker, &more_ops, m->job);
}

bool plan_more_go_on(struct plan_more *m, struct form *form, struct worker *worker)
{
    bool finished;

    if (!plan_more_fresh(m, form))
        more_begin(m, form, worker);
    if (m->done)
        return false;
    finished = task_finished(m->task);
    for (int done = task_done(m->task); m->taken < done; m->taken++)
        take_unit(m, m->taken);
    if (finished)
        take_gpus(m);
    return !m->done;
}
