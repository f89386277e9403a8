/*
 * curves.c - what the functions that fill, read and draw a curve share; see curves.h.
 */
#include "tui/curves/curves.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"
#include "base/units.h"

void curve_range(struct curves *c, double low, double high)
{
    const struct curve_view *v = &c->view[c->curve];

    plot_range(&c->plot, v->low, v->high, low, high);
}

void curve_say(struct curves *c, char mark, enum ink ink, const char *name, const char *fmt, ...)
{
    struct curve_reading *r;
    va_list args;

    if (c->readings == CURVES_READINGS)
        return;
    r = &c->reading[c->readings++];
    r->mark = mark;
    r->ink = ink;
    r->more[0] = '\0';
    gp_copy(r->name, sizeof(r->name), name);
    va_start(args, fmt);
    vsnprintf(r->value, sizeof(r->value), fmt, args);
    va_end(args);
    gp_tame(r->value);
}

void curve_more(struct curves *c, const char *fmt, ...)
{
    struct curve_reading *r = c->readings ? &c->reading[c->readings - 1] : NULL;
    va_list args;

    if (!r)
        return;
    va_start(args, fmt);
    vsnprintf(r->more, sizeof(r->more), fmt, args);
    va_end(args);
}

int curve_nearest(const struct plot *plot, const struct plot_series *s, double x)
{
    double at = plot_place(&plot->x, x), least = INFINITY;
    int best = -1;

    for (int i = 0; i < s->count; i++) {
        double far = fabs(plot_place(&plot->x, s->x[i]) - at);

        if (far < least) {
            least = far;
            best = i;
        }
    }
    return best;
}

void curve_read_series(struct curves *c, const struct form *form, double x,
                       void (*mark)(struct curves *c, const struct form *form, int series, int i))
{
    for (int i = 0; i < c->plot.count; i++) {
        const struct plot_series *s = &c->plot.series[i];
        double y = s->mark || s->shade ? NAN : plot_read(&c->plot, s, x);

        if (s->mark && s->count > 0)
            mark(c, form, i, curve_nearest(&c->plot, s, x));
        else if (isfinite(y))
            curve_say(c, s->label, plot_ink(s->role), s->name, "%s %s", UNITS_PLAIN(y, 4),
                      plot_unit(&c->plot.y));
    }
}

double curves_cursor(const struct curves *c)
{
    double x = c->view[c->curve].cursor;

    x = isfinite(x) ? x : c->start;
    return fmin(fmax(x, c->plot.x.low), c->plot.x.high);
}
