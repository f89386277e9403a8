/*
 * compare_plot.c - see compare_plot.h.
 */
#include "answer/compare_plot.h"

#include <math.h>

#include "base/str.h"

static bool has_goals(const struct comparison *c)
{
    return request_asks_speed(&comparison_load(c)->request);
}

/* Where a plan stands; false: nowhere. */
static bool compare_plot_place(const struct plan *plan, double *x, double *y)
{
    struct quantity hour, month, million = plan_token_price(plan);

    plan_prices(plan, &hour, &month);
    if (plan->verdict == VERDICT_DOES_NOT_FIT || !hour.known || !(hour.value > 0))
        return false;
    *x = hour.value;
    *y = request_asks_speed(&plan->request) ? (million.known ? million.value : 0)
                                            : compare_capacity(plan);
    return *y > 0;
}

static bool is_of(const struct compared *row, char mark)
{
    return row->front == (mark == '*');
}

static void add_rows(const struct comparison *c, struct plot_series *s)
{
    for (size_t i = 0; i < comparison_done(c); i++) {
        const struct compared *row = comparison_row(c, i);
        double x, y;

        if (is_of(row, s->mark) && compare_plot_place(&row->plan, &x, &y))
            plot_point(s, x, y);
    }
}

static void fit_axes(struct plot *plot)
{
    struct plot_axis *x = &plot->x, *y = &plot->y;

    x->low = y->low = INFINITY;
    x->high = y->high = 0;
    for (int i = 0; i < plot->count; i++)
        for (int k = 0; k < plot->series[i].count; k++) {
            x->low = fmin(x->low, plot->series[i].x[k] / 1.2);
            x->high = fmax(x->high, plot->series[i].x[k] * 1.2);
            y->low = fmin(y->low, plot->series[i].y[k] / 1.2);
            y->high = fmax(y->high, plot->series[i].y[k] * 1.2);
        }
}

bool compare_plot(const struct comparison *c, const struct plan *own, struct plot *plot,
                  char words[CURVE_WORDS])
{
    bool goals = has_goals(c), more = comparison_done(c) < comparison_total(c);
    struct plot_series *rest = plot_add(plot, "fits", PLOT_DIM, 'o');
    struct plot_series *front = plot_add(plot, "on the front", PLOT_OK, '*');
    struct plot_series *plan = plot_add(plot, "the plan", PLOT_HEADING, 'P');
    double x, y;

    plot->x = (struct plot_axis){.log = true, .base = 10, .title = "dollars per hour"};
    plot->y = (struct plot_axis){.log = true,
                                 .base = 10,
                                 .unit = goals ? "$/M" : "requests",
                                 .title = goals ? "dollars per million output tokens"
                                                : "requests held at once"};
    add_rows(c, rest);
    add_rows(c, front);
    if (compare_plot_place(own, &x, &y))
        plot_point(plan, x, y);
    fit_axes(plot);
    if (rest->count + front->count + plan->count == 0) {
        gp_copy(words, CURVE_WORDS, "nothing that fits has a price");
        return false;
    }
    gp_format(words, CURVE_WORDS,
              "%d of %zu rows of Compare fit and have a price, %d of them on the front: "
              "nothing is cheaper and %s%s",
              rest->count + front->count, comparison_total(c), front->count,
              goals ? "has cheaper tokens" : "holds as many", more ? " ..." : "");
    return true;
}
