/*
 * curve_front.c - all GPUs and formats as points, and the front among them: what stands at
 * the cursor. The points themselves are answer/compare_plot.c.
 */
#include "answer/compare_plot.h"
#include "base/units.h"
#include "tui/curves/curves.h"

bool curve_begin_front(struct curves *c, struct form *form, struct worker *worker)
{
    struct comparison *run;
    struct options options;
    struct gp_err err = {0};

    form_ask(form, &options);
    if (comparison_begin_all(form->planner, &options, &run, &err)) {
        gp_copy(c->words, sizeof(c->words), err.text);
        return false;
    }
    rows_task_begin(&c->rows, worker, run);
    return true;
}

enum curve_take curve_take_front(struct curves *c)
{
    return !rows_task_take(&c->rows) ? CURVE_SAME : c->rows.complete ? CURVE_LAST : CURVE_MORE;
}

void curve_fill_front(struct curves *c, struct form *form)
{
    double y;

    if (!c->rows.run || !compare_plot(c->rows.run, &form->answer->plan, &c->plot, c->words))
        plot_clear(&c->plot);
    else if (!compare_plot_place(&form->answer->plan, &c->start, &y))
        c->start = c->plot.x.low;
}

static void say_plan(struct curves *c, const struct plot_series *s, const struct plan *p)
{
    char name[64];
    struct quantity million = plan_token_price(p);

    gp_format(name, sizeof(name), "%s %s", p->request.gpu->id, p->request.precision.id);
    curve_say(c, s->mark, plot_ink(s->role), name, "%d GPU%s", p->layout.gpus,
              p->layout.gpus == 1 ? "" : "s");
    if (p->speed.gap == SPEED_KNOWN && million.known)
        curve_more(c, "TPOT %.1f ms, $%.2f/M", p->speed.tpot.value * 1e3, million.value);
}

/* The nearest of each series. */
void curve_read_front(struct curves *c, const struct form *form, double x)
{
    gp_format(c->at, sizeof(c->at), "about $%s an hour", UNITS_PLAIN(x, 3));
    for (int i = c->plot.count - 1; i >= 0; i--) {
        const struct plot_series *s = &c->plot.series[i];
        int near = curve_nearest(&c->plot, s, x), row;

        if (near < 0)
            continue;
        row = s->mark == 'P' ? -1 : compare_plot_row(c->rows.run, s->mark, near);
        say_plan(c, s,
                 row < 0 ? &form->answer->plan : &comparison_row(c->rows.run, (size_t)row)->plan);
    }
}
