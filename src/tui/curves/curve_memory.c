/*
 * curve_memory.c - the plan's memory against context and against users: what stands at the
 * cursor. The curve itself is answer/memory_curve.c.
 */
#include <math.h>

#include "base/str.h"
#include "base/units.h"
#include "tui/curves/curves.h"

void curve_fill_memory(struct curves *c, struct form *form)
{
    enum sweep of = c->curve == CURVE_CONTEXT ? SWEEP_CONTEXT : SWEEP_USERS;
    const struct plan *plan = &form->answer->plan;
    const struct curve_view *v = &c->view[c->curve];

    if (memory_curve(&c->memory, plan, of, v->low, v->high, &c->plot, c->words))
        c->start = of == SWEEP_CONTEXT ? plan->request.context : plan->request.users;
}

/* ---- reading ---- */

/* Lines and marks by the names and figures that they have in the plot, and beside them
 * what each adds, what is free, how far it may go. */
static void say_series(struct curves *c, const struct sweep_point *p)
{
    char text[48];

    for (int i = 0; i < c->plot.count; i++) {
        const struct plot_series *s = &c->plot.series[i];
        char sign = s->label ? s->label : s->mark;

        if (s->count == 0 || s->shade)
            continue;
        curve_say(c, sign, plot_ink(s->role), s->name, "%.2f GiB",
                  (s->mark ? s->y[0] : plot_read(&c->plot, s, p->x)) / GP_GIB);
        if (sign > 'a' && sign < 'a' + MEMORY_STACK)
            curve_more(c, "+%.2f GiB", memory_part(p, sign - 'a')->value / GP_GIB);
        else if (s->label == 'u')
            curve_more(c, "%.2f %s", fabs(p->free.value) / GP_GIB,
                       p->free.value < 0 ? "short" : "free");
    }
    if (!(c->memory.end.fits > 0))
        return;
    curve_say(c, ':', INK_OK, "fits to", "%s",
              memory_count(c->memory.of, c->memory.end.fits, text, sizeof(text)));
    if (c->memory.end.marginal > c->memory.end.fits)
        curve_more(c, "marginal to %.0f", c->memory.end.marginal);
}

/* A part that is a distance of two lines, with its band. */
static void say_part(struct curves *c, const char *name, const struct quantity *q)
{
    curve_say(c, 0, INK_TEXT, name, "%.2f GiB", q->value / GP_GIB);
    if (q->high - q->low > 0.01 * GP_GIB)
        curve_more(c, "%.2f..%.2f", q->low / GP_GIB, q->high / GP_GIB);
}

void curve_read_memory(struct curves *c, const struct form *form, double x)
{
    const struct sweep_point *p = NULL;
    char text[48];

    (void)form;
    for (int i = 0; i < c->memory.samples; i++)
        if (!p || fabs(c->memory.sample[i].x - x) < fabs(p->x - x))
            p = &c->memory.sample[i];
    if (!p || !p->known)
        return;
    gp_format(c->at, sizeof(c->at), "%s: %s%s%s",
              memory_count(c->memory.of, p->x, text, sizeof(text)), verdict_words[p->verdict].brief,
              p->limit != LIMIT_NONE ? ", " : "",
              p->limit != LIMIT_NONE ? limit_word(p->limit) : "");
    say_series(c, p);
    if (p->pool.value > 0)
        curve_say(c, 0, INK_TEXT, "KV pool", "%.2f GiB", p->pool.value / GP_GIB);
    else
        curve_say(c, 0, INK_TEXT, "KV pool", "none");
    if (p->requests > 0 && p->requests < 1e9)
        curve_more(c, "%.1f requests", p->requests);
    for (int k = 1; k < MEMORY_STACK; k++)
        say_part(c, memory_stack[k].name + 2, memory_part(p, k));
    say_part(c, "free", &p->free);
    if (p->used > 0)
        curve_say(c, 0, INK_TEXT, "used by others", "%.2f GiB", p->used / GP_GIB);
}
