/*
 * plan_choices.c - see plan_choices.h.
 */
#include "tui/plan/plan_choices.h"

#include <stdlib.h>
#include <string.h>

#include "util/clock.h"
#include "util/str.h"

void plan_choices_free(struct plan_choices *c)
{
    outcomes_free(&c->outcomes);
    *c = (struct plan_choices){0};
}

bool plan_choices_begin(struct plan_choices *c, struct form *form, enum field field)
{
    bool same = c->version == form->version && c->outcomes.field == field &&
                c->outcomes.count > 0;

    c->open = form->answered && (field == FIELD_GPU || field == FIELD_PRECISION);
    c->version = form->version;
    if (c->open && !same)
        outcomes_begin(&c->outcomes, form, field, false);
    return c->open;
}

/* What the alternatives know already. */
static void take_known(struct outcomes *o, const struct outcomes *known)
{
    for (int i = 0; i < o->count; i++) {
        const struct outcome *found = outcomes_find(known, o->rows[i].id);

        if (found && found->known)
            o->rows[i].outcome = *found;
    }
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
static void sort_choices(const struct plan_choices *c, const char *now,
                         struct choice *choice, int count)
{
    int first = 0, n;
    struct order *all;

    while (first < count &&
           (!choice[first].id[0] || strcmp(choice[first].id, "local") == 0))
        first++;
    n = count - first;
    all = calloc((size_t)n + 1, sizeof(*all));
    for (int i = 0; all && i < n; i++) {
        const struct outcome *o = outcomes_find(&c->outcomes, choice[first + i].id);

        all[i] = (struct order){.choice = choice[first + i],
                                .outcome = o ? *o : (struct outcome){0},
                                .now = strcmp(choice[first + i].id, now) == 0,
                                .at = i};
    }
    if (all)
        qsort(all, (size_t)n, sizeof(*all), by_outcome);
    for (int i = 0; all && i < n; i++)
        choice[first + i] = all[i].choice;
    free(all);
}

void plan_choices_tell(struct plan_choices *c, struct form *form,
                       const struct plan_more *more, struct choice *choice, int count,
                       double end)
{
    struct outcomes *o = &c->outcomes;
    bool all;

    if (o->field == FIELD_GPU && o->done == 0 && !form_lays_out(form) &&
        plan_more_fresh(more, form) && more->done)
        take_known(o, &more->gpus);
    while (outcomes_step(o, form) && clock_now() < end)
        ;
    all = o->done >= o->count;
    for (int i = 0; i < count; i++) {
        const struct outcome *found = outcomes_find(o, choice[i].id);
        char text[OUTCOME_TEXT], said[sizeof(choice[i].more)];

        gp_copy(said, sizeof(said), choice[i].more);
        gp_format(choice[i].more, sizeof(choice[i].more), "%-*s  %s", CHOICE_COLS,
                  outcome_text(found, CHOICE_COLS, text), said);
    }
    if (all && o->field == FIELD_GPU)
        sort_choices(c, form->values.value[FIELD_GPU], choice, count);
}

bool plan_choices_step(struct plan_choices *c, struct form *form, struct display *display,
                       double end)
{
    struct outcomes *o = &c->outcomes;
    char text[OUTCOME_TEXT];

    c->open = c->open && display->top && c->version == form->version;
    if (!c->open || c->told >= o->count)
        return false;
    while (outcomes_step(o, form) && clock_now() < end)
        ;
    for (; c->told < o->done; c->told++)
        chooser_tell(display, o->rows[c->told].id,
                     outcome_text(&o->rows[c->told].outcome, CHOICE_COLS, text));
    return true;
}
