/*
 * plain_compare.c - the same load on all GPUs, in sentences: what fits, cheapest first.
 */
#include "tui/plain/plain_lines.h"

#include "answer/compare_run.h"
#include "base/units.h"

#define SAID 12 /* more than one wants to hear */

static bool fits(const struct compared *row)
{
    return row->plan.verdict == VERDICT_FITS;
}

static void say_row(const struct compared *row, int number)
{
    const struct plan *p = &row->plan;
    char hour[32], cost[48] = "no price known";

    if (p->cost.per_hour > 0)
        gp_format(cost, sizeof(cost), "%s per hour",
                  units_money(hour, sizeof(hour), p->cost.per_hour));
    plain_say("%d. %d x %s, %s weights: %s%s.", number, p->layout.gpus, p->request.gpu->id,
              p->request.precision.id, cost,
              row->front ? ", nothing cheaper holds more requests" : "");
}

void plain_compare(const struct plain *plain)
{
    struct comparison *c = NULL;
    struct gp_err err = {.code = GP_OK};
    struct options options;
    size_t total, fitting = 0;

    form_ask(plain->form, &options);
    options.gpu_count = 0; /* all of them */
    options.precision_count = 0;
    if (comparison_begin(plain->form->planner, &options, &c, &err) != GP_OK) {
        plain_say_err(&err);
        return;
    }
    total = comparison_total(c);
    while (comparison_step(c, total))
        ;
    for (size_t i = 0; i < total; i++)
        fitting += fits(comparison_row(c, i));
    plain_say("Compared: %zu of %zu GPUs and precisions fit%s.", fitting, total,
              fitting > SAID ? "; the cheapest" : "");
    for (size_t i = 0, said = 0; i < total && said < SAID; i++)
        if (fits(comparison_row(c, i)))
            say_row(comparison_row(c, i), (int)++said);
    comparison_free(c);
}
