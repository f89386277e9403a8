/*
 * curve_roofline.c - the roofline of the plan's GPU, and its products by batch while nothing is
 * measured: what stands at the cursor. The curves themselves are answer/roof_curve.c.
 */
#include "base/str.h"
#include "base/units.h"
#include "tui/curves/curves.h"

#define LAYERS 24 /* products of a model at most */

void curve_fill_roofline(struct curves *c, struct form *form)
{
    const struct curve_view *v = &c->view[c->curve];

    if (!roof_curve(&c->roof, &form->answer->plan, v->low, v->high, &c->plot, c->words))
        return;
    c->start = c->roof.start;
    gp_copy(c->title, sizeof(c->title), c->plot.title);
}

void curve_fill_predicted(struct curves *c, struct form *form)
{
    const struct curve_view *v = &c->view[c->curve];
    bool some = roof_curve_by_batch(&form->answer->plan, v->low, v->high, &c->plot);

    gp_copy(c->words, sizeof(c->words),
            some ? "predicted, not measured: 4 measures this machine, o "
                   "opens a result file"
                 : "nothing measured yet: o opens a result file, 4 measures this "
                   "machine");
    c->start = 1;
}

/* ---- reading ---- */

/* A mark is a product, in the order of the plan's layers. */
static void say_product(struct curves *c, const struct form *form, int series, int i)
{
    const struct plot_series *s = &c->plot.series[series];
    const struct plan *plan = &form->answer->plan;
    const struct model *model = plan->request.model;
    struct products_layer layer[LAYERS];

    products_layers(model, &plan->layout, layer, LAYERS);
    curve_say(c, s->mark, plot_ink(s->role), s->name, "%s %s %s", layer[i].name,
              UNITS_PLAIN(s->y[i], 4), plot_unit(&c->plot.y));
    curve_more(c, "%.0fx%.0fx%.0f, %s FLOP/B", (double)layer[i].m,
               roof_curve_tokens(model, &layer[i], c->roof.batch[series]), (double)layer[i].k,
               UNITS_PLAIN(s->x[i], 3));
}

void curve_read_roofline(struct curves *c, const struct form *form, double x)
{
    gp_format(c->at, sizeof(c->at), "%s FLOP/B: %s", UNITS_PLAIN(x, 4),
              x == c->start  ? "the ridge"
              : x < c->start ? "memory bound"
                             : "arithmetic bound");
    curve_read_series(c, form, x, say_product);
}
