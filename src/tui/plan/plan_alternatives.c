/*
 * plan_alternatives.c - see plan_alternatives.h.
 */
#include "tui/plan/plan_alternatives.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "plan/compare.h"

enum {
    UNIT_FIXES,
    UNIT_BREAKS = PLAN_MAX_FIXES,
    UNIT_SAMPLES = UNIT_BREAKS + BREAK_AXES,
    UNIT_GPUS = UNIT_SAMPLES + PLAN_SAMPLES
};

/* What the thread fills; what is asked is set before. */
struct plan_alternatives_job {
    struct form_copy form;
    struct plan_summary fix[PLAN_MAX_FIXES];
    struct break_point breaks[BREAK_AXES];
    struct plan_sample sample[PLAN_SAMPLES];
    struct plan_summaries gpus;
};

/* ---- units, by the thread ---- */

/* Powers of two, to the first that is more than it holds: where goals are missed the requests
 * beyond wait, and the rate is what it was. */
static void unit_sample(struct plan_alternatives_job *job, int i)
{
    const struct answer *a = &job->form.answer;
    struct request q = a->plan.request;
    struct plan plan;

    job->sample[i] = (struct plan_sample){0};
    if (!a->plan.has_memory || a->plan.speed.gap != SPEED_KNOWN ||
        (i > 0 && (job->sample[i - 1].users <= 0 || /* no longer fits */
                   job->sample[i - 1].users > compare_capacity(&a->plan))))
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
    struct plan_alternatives_job *job = ctx;
    const struct answer *a = &job->form.answer;
    struct plan plan;

    if (i < a->fix_count) {
        plan_request(&a->fixes[i].request, &a->resolved.market, &plan);
        job->fix[i] = plan_summary_of(&plan);
    } else if (i >= UNIT_BREAKS && i < UNIT_SAMPLES) {
        breaks_find(&a->plan, &a->resolved.market, (enum break_axis)(i - UNIT_BREAKS),
                    &job->breaks[i - UNIT_BREAKS]);
    } else if (i >= UNIT_SAMPLES && i < UNIT_GPUS) {
        unit_sample(job, i - UNIT_SAMPLES);
    } else if (i >= UNIT_GPUS && i - UNIT_GPUS < job->gpus.count) {
        plan_summaries_plan(&job->gpus, i - UNIT_GPUS, &job->form, planner);
    }
    return i + 1 - UNIT_GPUS < job->gpus.count;
}

static void more_free(void *ctx)
{
    struct plan_alternatives_job *job = ctx;

    plan_summaries_free(&job->gpus);
    free(job);
}

static const struct task_ops more_ops = {TASK_SCREEN, more_unit, more_free};

/* ---- what has come ---- */

/* The cheapest that fit, in one order with the choosers. */
static void more_rank(struct plan_alternatives *m)
{
    for (int i = 0; i < m->gpus.count; i++) {
        const struct plan_summary *o = &m->gpus.rows[i].summary;
        int at = m->best_count;

        if (!o->known || !verdict_holds(o->verdict) || o->per_hour <= 0)
            continue;
        while (at > 0 && plan_summary_compare(o, &m->gpus.rows[m->best[at - 1]].summary) < 0)
            at--;
        if (at >= PLAN_ALTERNATIVES)
            continue;
        m->best_count += m->best_count < PLAN_ALTERNATIVES;
        memmove(&m->best[at + 1], &m->best[at],
                (size_t)(m->best_count - 1 - at) * sizeof(m->best[0]));
        m->best[at] = i;
    }
}

/* ---- the screen's ---- */

void plan_alternatives_free(struct plan_alternatives *m)
{
    task_drop(&m->task);
    plan_summaries_free(&m->gpus);
    *m = (struct plan_alternatives){0};
}

void plan_alternatives_stop(struct plan_alternatives *m)
{
    if (m->task)
        plan_alternatives_free(m);
}

bool plan_alternatives_fresh(const struct plan_alternatives *m, const struct form *form)
{
    return m->begun && m->version == form->version;
}

static void more_begin(struct plan_alternatives *m, struct form *form, struct worker *worker)
{
    plan_alternatives_free(m);
    m->version = form->version;
    m->begun = true;
    m->done = !form->answered;
    if (m->done)
        return;
    m->job = gp_calloc(1, sizeof(*m->job));
    form_copy(form, &m->job->form);
    plan_summaries_list(&m->job->gpus, form, FIELD_GPU, true);
    m->task = task_begin(worker, &more_ops, m->job);
}

bool plan_alternatives_go_on(struct plan_alternatives *m, struct form *form, struct worker *worker)
{
    if (!plan_alternatives_fresh(m, form))
        more_begin(m, form, worker);
    if (m->done)
        return false;
    bool finished = task_finished(m->task);
    for (int done = task_done(m->task); m->taken < done; m->taken++) {
        const struct plan_alternatives_job *job = m->job;

        if (m->taken < UNIT_BREAKS)
            m->fix[m->taken] = job->fix[m->taken];
        else if (m->taken < UNIT_SAMPLES)
            m->breaks[m->taken - UNIT_BREAKS] = job->breaks[m->taken - UNIT_BREAKS];
        else if (m->taken < UNIT_GPUS && job->sample[m->taken - UNIT_SAMPLES].users > 0)
            m->sample[m->samples++] = job->sample[m->taken - UNIT_SAMPLES];
    }
    if (finished) {
        m->gpus = m->job->gpus;
        m->job->gpus = (struct plan_summaries){0};
        more_rank(m);
        m->done = true;
        task_drop(&m->task);
    }
    return !m->done;
}

/* ---- an open list ---- */

struct choices_job {
    struct form_copy form;
    struct plan_summaries summaries;
};

static bool choices_unit(void *ctx, int i, struct planner *planner)
{
    struct choices_job *job = ctx;

    if (i < job->summaries.count)
        plan_summaries_plan(&job->summaries, i, &job->form, planner);
    return i + 1 < job->summaries.count;
}

static void choices_free(void *ctx)
{
    struct choices_job *job = ctx;

    plan_summaries_free(&job->summaries);
    free(job);
}

static const struct task_ops choices_ops = {TASK_LIST, choices_unit, choices_free};

void plan_choices_free(struct choice_plans *c)
{
    task_drop(&c->task);
    *c = (struct choice_plans){0};
}

bool plan_choices_begin(struct choice_plans *c, struct form *form, enum field field,
                        const struct plan_alternatives *more, struct worker *worker)
{
    plan_choices_free(c);
    if (!form->answered || (field != FIELD_GPU && field != FIELD_PRECISION && field != FIELD_MODEL))
        return false;
    c->cols = field == FIELD_MODEL ? PLAN_SUMMARY_SHORT : PLAN_SUMMARY_WHOLE;
    c->version = form->version;
    c->job = gp_calloc(1, sizeof(*c->job));
    form_copy(form, &c->job->form);
    plan_summaries_list(&c->job->summaries, form, field, false);
    bool known = field == FIELD_GPU && !form_lays_out(form) &&
                 plan_alternatives_fresh(more, form) && more->done;
    for (int i = 0; known && i < c->job->summaries.count; i++) {
        struct plan_summary_row *row = &c->job->summaries.rows[i];
        int at = plan_summaries_find(&more->gpus, row->id);

        if (at >= 0)
            row->summary = more->gpus.rows[at].summary;
    }
    c->task = task_begin(worker, &choices_ops, c->job);
    return true;
}

struct order {
    struct choice choice;
    struct plan_summary summary;
    bool now; /* what the form has: seen beside the best ones */
    int at;
};

static int by_outcome(const void *left, const void *right)
{
    const struct order *a = left, *b = right;
    int order = (int)b->now - (int)a->now;

    if (!order)
        order = plan_summary_compare(&a->summary, &b->summary);
    return order ? order : a->at - b->at;
}

/* Behind the first rows, which are no GPU of the catalogue. */
static void sort_choices(const struct plan_summaries *summaries, const char *now,
                         struct choice *choice, int count)
{
    int first = 0, n;
    struct order *all;

    while (first < count && (!choice[first].id[0] || strcmp(choice[first].id, "local") == 0))
        first++;
    n = count - first;
    all = gp_calloc((size_t)n + 1, sizeof(*all));
    for (int i = 0; i < n; i++) {
        int at = plan_summaries_find(summaries, choice[first + i].id);

        all[i] = (struct order){.choice = choice[first + i],
                                .summary =
                                    at < 0 ? (struct plan_summary){0} : summaries->rows[at].summary,
                                .now = strcmp(choice[first + i].id, now) == 0,
                                .at = i};
    }
    qsort(all, (size_t)n, sizeof(*all), by_outcome);
    for (int i = 0; i < n; i++)
        choice[first + i] = all[i].choice;
    free(all);
}

void choice_plans_set_columns(struct choice_plans *c, const struct form *form,
                              struct choice *choice, int count, double until)
{
    const struct plan_summaries *o = &c->job->summaries;
    char text[PLAN_SUMMARY_TEXT];

    task_wait(c->task, until);
    bool all = task_finished(c->task);
    c->shown_count = task_done(c->task);
    for (int i = 0; i < count; i++) {
        int at = plan_summaries_find(o, choice[i].id);
        char more[sizeof(choice[i].more)];

        gp_copy(more, sizeof(more), choice[i].more);
        gp_format(choice[i].more, sizeof(choice[i].more), "%-*s  %s", c->cols,
                  at < 0                 ? ""
                  : at >= c->shown_count ? PLAN_SUMMARY_SOON
                                         : plan_summary_text(&o->rows[at].summary, c->cols, text),
                  more);
    }
    if (all && o->field == FIELD_GPU)
        sort_choices(o, form->values.value[FIELD_GPU], choice, count);
}

int plan_choices_go_on(struct choice_plans *c, const struct form *form, struct display *display)
{
    const struct plan_summary_row *rows;
    char text[PLAN_SUMMARY_TEXT];
    int done, before = c->shown_count;

    if (!c->task)
        return -1;
    if (!display->top || c->version != form->version ||
        (task_finished(c->task) && c->shown_count == task_done(c->task))) {
        plan_choices_free(c);
        return -1;
    }
    rows = c->job->summaries.rows;
    for (done = task_done(c->task); c->shown_count < done; c->shown_count++)
        chooser_set_columns(display, rows[c->shown_count].id,
                            plan_summary_text(&rows[c->shown_count].summary, c->cols, text),
                            c->cols);
    return c->shown_count > before;
}
