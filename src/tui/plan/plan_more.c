/*
 * plan_more.c - see plan_more.h.
 */
#include "tui/plan/plan_more.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/mem.h"

enum { STEP_FIXES, STEP_BREAKS = PLAN_MAX_FIXES, STEP_SAMPLES = STEP_BREAKS + BREAK_AXES,
       STEP_GPUS = STEP_SAMPLES + PLAN_SAMPLES };

void plan_more_free(struct plan_more *m)
{
    outcomes_free(&m->gpus);
    free(m->plan);
    *m = (struct plan_more){0};
}

bool plan_more_fresh(const struct plan_more *m, const struct form *form)
{
    return m->begun && m->version == form->version;
}

static void begin(struct plan_more *m, struct form *form)
{
    struct outcomes gpus = m->gpus; /* its memory stays */
    struct plan *plan = m->plan ? m->plan : gp_malloc(sizeof(*plan));

    *m = (struct plan_more){
        .version = form->version, .begun = true, .gpus = gpus, .plan = plan};
    m->gpus.count = m->gpus.done = 0;
    m->done = !form->answered;
}

static void step_fix(struct plan_more *m, const struct answer *a, int i)
{
    if (i >= a->fix_count)
        return;
    plan_request(&a->fixes[i].request, &a->resolved.market, m->plan);
    m->fix[i] = outcome_of(m->plan);
}

/* Powers of two, up to a few times what it holds. */
static void step_sample(struct plan_more *m, const struct answer *a, int i)
{
    struct request q = a->plan.request;
    struct plan_sample *s = &m->sample[m->samples];

    if (!a->plan.has_memory || a->plan.speed.gap != SPEED_KNOWN || i != m->samples)
        return;
    q.rate = 0;
    q.users = exp2(i);
    plan_layout(&q, &a->plan.layout, &a->resolved.market, m->plan);
    if (m->plan->verdict == VERDICT_DOES_NOT_FIT || m->plan->speed.gap != SPEED_KNOWN)
        return; /* the samples end where it no longer fits */
    *s = (struct plan_sample){
        q.users, m->plan->speed.tokens.value, m->plan->speed.tpot.value};
    m->samples++;
}

/* The cheapest that fit, in one order with the choosers. */
static void rank(struct plan_more *m)
{
    for (int i = 0; i < m->gpus.count; i++) {
        const struct outcome *o = &m->gpus.rows[i].outcome;
        int at = m->best_count;

        if (!o->known || !verdict_holds(o->verdict) || o->per_hour <= 0)
            continue;
        while (at > 0 &&
               outcome_compare(o, &m->gpus.rows[m->best[at - 1]].outcome) < 0)
            at--;
        if (at >= PLAN_ALTERNATIVES)
            continue;
        m->best_count += m->best_count < PLAN_ALTERNATIVES;
        memmove(&m->best[at + 1], &m->best[at],
                (size_t)(m->best_count - 1 - at) * sizeof(m->best[0]));
        m->best[at] = i;
    }
}

bool plan_more_step(struct plan_more *m, struct form *form)
{
    const struct answer *a = form->answer;

    if (!plan_more_fresh(m, form))
        begin(m, form);
    if (m->done)
        return false;
    if (m->step < STEP_BREAKS) {
        step_fix(m, a, m->step++);
    } else if (m->step < STEP_SAMPLES) {
        enum break_axis axis = (enum break_axis)(m->step++ - STEP_BREAKS);

        breaks_find(&a->plan, &a->resolved.market, axis, &m->breaks[axis]);
    } else if (m->step < STEP_GPUS) {
        step_sample(m, a, m->step++ - STEP_SAMPLES);
    } else if (m->step++ == STEP_GPUS) {
        outcomes_begin(&m->gpus, form, FIELD_GPU, true);
    } else if (!outcomes_step(&m->gpus, form)) {
        rank(m);
        m->done = true;
    }
    return !m->done;
}
