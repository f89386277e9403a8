/*
 * form_solve.c - the best value of a field that still fits, as --solve finds it.
 */
#include "tui/form_values.h"

#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

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

/* Puts the solution in; the cheapest GPU takes as many as it needs. */
static enum gp_status values_take(struct planner *planner, struct form_values *values,
                                  enum field field, const struct answer *found, struct gp_err *err)
{
    char text[FORM_VALUE];

    if (field == FIELD_GPU)
        values->value[FIELD_GPUS][0] = '\0';
    solved_text(field, &found->plan, text);
    return values_put(planner, values, field, text, found, err);
}

enum gp_status values_solve(struct planner *planner, const char *profiles,
                            struct form_values *values, enum field field, struct gp_err *err)
{
    const struct field_row *row = &field_rows[field];
    char word[OPTION_CHOICE_MAX], gpu[FORM_VALUE];
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
    if (!rc)
        rc = values_take(planner, values, field, found, err);
    free(found);
    return rc;
}
