/*
 * plan_choices.c - see plan_choices.h.
 */
#include "tui/plan/plan_choices.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

struct choices_job {
    struct form_copy form;
    struct outcomes outcomes;
};

static bool choices_unit(void *ctx, int i, struct planner *planner)
{
    struct choices_job *job = ctx;

    if (i < job->outcomes.count)
        outcomes_plan(&job->outcomes, i, &job->form, planner);
    return i + 1 < job->outcomes.count;
}

static void choices_free(void *ctx)
{
    struct choices_job *job = ctx;

    outcomes_free(&job->outcomes);
    free(job);
}

static const struct task_ops choices_ops = {TASK_LIST, choices_unit, choices_free};

void plan_choices_free(struct plan_choices *c)
{
    task_drop(&c->task);
    *c = (struct plan_choices){0};
}

/* What the alternatives know already. */
static void take_known(struct outcomes *o, const struct outcomes *known)
{
    for (int i = 0; i < o->count; i++) {
        int at = outcomes_find(known, o->rows[i].id);

        if (at >= 0)
            o->rows[i].outcome = known->rows[at].outcome;
    }
}

bool plan_choices_begin(struct plan_choices *c, struct form *form, enum field field,
                        const struct plan_more *more, struct worker *worker)
{
    plan_choices_free(c);
    if (!form->answered || (field != FIELD_GPU && field != FIELD_PRECISION))
        return false;
    c->version = form->version;
    c->job = gp_calloc(1, sizeof(*c->job));
    form_copy(form, &c->job->form);
    outcomes_list(&c->job->outcomes, form, field, false);
    if (field == FIELD_GPU && !form_lays_out(form) && plan_more_fresh(more, form) && more->done)
        take_known(&c->job->outcomes, &more->gpus);
    c->task = task_begin(worker, &choices_ops, c->job);
    return true;
}

struct order {
    struct choice choice;
    struct outcome outcome;
    bool now; /* what the form has: seen beside the best ones */
    int at;
};

static int by_outcome(const void *left, const void *right)
{
    const struct order *a = left, *b = right;
    int order = (int)b->now - (int)a->now;

    if (!order)
        order = outcome_compare(&a->outcome, &b->outcome);
    return order ? order : a->at - b->at;
}

/* Behind the first rows, which are no GPU of the catalogue. */
static void sort_choices(const struct outcomes *outcomes, const char *now, struct choice *choice,
                         int count)
{
    int first = 0, n;
    struct order *all;

    while (first < count && (!choice[first].id[0] || strcmp(choice[first].id, "local") == 0))
        first++;
    n = count - first;
    all = calloc((size_t)n + 1, sizeof(*all));
    for (int i = 0; all && i < n; i++) {
        int at = outcomes_find(outcomes, choice[first + i].id);

        all[i] =
            (struct order){.choice = choice[first + i],
                           .outcome = at < 0 ? (struct outcome){0} : outcomes->rows[at].outcome,
                           .now = strcmp(choice[first + i].id, now) == 0,
                           .at = i};
    }
    if (all)
        qsort(all, (size_t)n, sizeof(*all), by_outcome);
    for (int i = 0; all && i < n; i++)
        choice[first + i] = all[i].choice;
    free(all);
}

static void tell_choice(struct choice *c, const char *columns)
{
    char said[sizeof(c->more)];

    gp_copy(said, sizeof(said), c->more);
    gp_format(c->more, sizeof(c->more), "%-*s  %s", CHOICE_COLS, columns, said);
}

void plan_choices_tell(struct plan_choices *c, const struct form *form, struct choice *choice,
                       int count, double until)
{
    const struct outcomes *o = &c->job->outcomes;
    char text[OUTCOME_TEXT];
    bool all;

    task_wait(c->task, until);
    all = task_finished(c->task);
    c->told = task_done(c->task);
    for (int i = 0; i < count; i++) {
        int at = outcomes_find(o, choice[i].id);

        tell_choice(&choice[i], at < 0 ? ""
                                : at >= c->told
                                    ? OUTCOME_SOON
                                    : outcome_text(&o->rows[at].outcome, CHOICE_COLS, text));
    }
    if (all && o->field == FIELD_GPU)
        sort_choices(o, form->values.value[FIELD_GPU], choice, count);
}

int plan_choices_go_on(struct plan_choices *c, const struct form *form, struct display *display)
{
    const struct outcome_row *rows;
    char text[OUTCOME_TEXT];
    int done, before = c->told;

    if (!c->task)
        return -1;
    if (!display->top || c->version != form->version ||
        (task_finished(c->task) && c->told == task_done(c->task))) {
        plan_choices_free(c);
        return -1;
    }
    rows = c->job->outcomes.rows;
    for (done = task_done(c->task); c->told < done; c->told++)
        chooser_tell(display, rows[c->told].id,
                     outcome_text(&rows[c->told].outcome, CHOICE_COLS, text));
    return c->told > before;
}
