/*
 * plot.c - the series of a plot, places and round values on its axes.
 *
 *   place = (f(value) - f(low)) / (f(high) - f(low)),  f = log for log axes
 *
 * Ticks of a linear axis are a step of 1, 2 or 5 x 10^n apart (of GiB, MiB .. where the
 * axis counts bytes), those of a log axis powers of its base, as far apart as there is
 * room for; with room to spare a decade also has 2 and 5. Example: 0..79 GiB with room
 * for six: 0, 20, 40, 60 GiB; 1..4096 with room for seven: 1, 4, 16 .. 4096.
 */
#include "answer/plot.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "base/units.h"

/* ---- series ---- */

void plot_init(struct plot *plot)
{
    memset(plot, 0, sizeof(*plot));
    plot->series = gp_calloc(PLOT_SERIES, sizeof(*plot->series));
}

void plot_fini(struct plot *plot)
{
    free(plot->series);
    plot->series = NULL;
    plot->count = 0;
}

void plot_clear(struct plot *plot)
{
    plot->count = plot->rules = 0;
}

enum plot_role plot_role(int i)
{
    return (enum plot_role)(PLOT_1 + i % (PLOT_ROLE_COUNT - PLOT_1));
}

struct plot_series *plot_add(struct plot *plot, const char *name, enum plot_role role, char mark)
{
    struct plot_series *s;

    if (plot->count == PLOT_SERIES)
        return NULL;
    s = &plot->series[plot->count++];
    s->count = 0;
    s->role = role;
    s->mark = mark;
    s->label = 0;
    s->shade = PLOT_OPEN;
    gp_copy(s->name, sizeof(s->name), name);
    gp_tame(s->name);
    return s;
}

void plot_point(struct plot_series *s, double x, double y)
{
    if (!s || s->count == PLOT_POINTS)
        return;
    s->x[s->count] = x;
    s->y[s->count++] = y;
}

struct plot_series *plot_add_shade(struct plot *plot, const char *name, enum plot_role role,
                                   enum plot_shade shade)
{
    struct plot_series *s = plot_add(plot, name, role, 0);

    if (s)
        s->shade = shade;
    return s;
}

void plot_span(struct plot_series *s, double x, double low, double high)
{
    if (!s || s->count == PLOT_POINTS)
        return;
    s->top[s->count] = high;
    plot_point(s, x, low);
}

void plot_rule(struct plot *plot, bool upright, double at, enum plot_role role, const char *fmt,
               ...)
{
    struct plot_rule *r = &plot->rule[plot->rules];
    double place = plot_place(upright ? &plot->x : &plot->y, at);
    va_list args;

    if (plot->rules == PLOT_RULES || !(place >= 0 && place <= 1))
        return;
    plot->rules++;
    r->upright = upright;
    r->at = at;
    r->role = role;
    va_start(args, fmt);
    vsnprintf(r->word, sizeof(r->word), fmt, args);
    va_end(args);
    gp_tame(r->word);
}

/* ---- reading ---- */

/* Straight lines on the axes as drawn: a roof of slope 1 is read exactly. */
double plot_read(const struct plot *plot, const struct plot_series *s, double x)
{
    for (int i = 0; i < s->count; i++) {
        double a, b, low, part;

        if (s->x[i] == x)
            return s->y[i];
        if (i == 0 || !(s->x[i - 1] < x && x < s->x[i]))
            continue;
        a = s->y[i - 1];
        b = s->y[i];
        low = plot_place(&plot->x, s->x[i - 1]);
        part = (plot_place(&plot->x, x) - low) / (plot_place(&plot->x, s->x[i]) - low);
        return plot->y.log && a > 0 && b > 0 ? a * pow(b / a, part) : a + (b - a) * part;
    }
    return NAN;
}

double plot_move(const struct plot *plot, int width, double x, int columns)
{
    const struct plot_axis *axis = &plot->x;
    double place = plot_place(axis, x);

    if (!isfinite(place) || width < 2)
        return x;
    place += (double)columns / (width - 1);
    if (place <= 0 || place >= 1)
        return place <= 0 ? axis->low : axis->high;
    if (axis->log && axis->low > 0)
        return axis->low * pow(axis->high / axis->low, place);
    return axis->low + (axis->high - axis->low) * place;
}

void plot_range(struct plot *plot, double low, double high, double least, double most)
{
    plot->x.low = isfinite(low) ? fmax(low, least) : least;
    plot->x.high = isfinite(high) ? fmin(high, most) : most;
    if (!(plot->x.high > plot->x.low)) {
        plot->x.low = least;
        plot->x.high = most;
    }
}

/* ---- axes ---- */

#define MOST 1e300 /* beyond, differences would overflow */

/* An axis whose ends make sense, whatever was asked for. */
static void span_of(const struct plot_axis *axis, double *low, double *high)
{
    double l = isfinite(axis->low) ? fmin(fmax(axis->low, -MOST), MOST) : 0;
    double h = isfinite(axis->high) ? fmin(fmax(axis->high, -MOST), MOST) : l;

    if (axis->log && h <= 0)
        h = 1;
    if (axis->log && l <= 0)
        l = h / 1000;
    if (axis->log && !(h > l))
        h = 2 * l;
    if (!(h > l))
        h = l + fmax(1, fabs(l) * 1e-6);
    *low = l;
    *high = h;
}

double plot_place(const struct plot_axis *axis, double value)
{
    double low, high;

    span_of(axis, &low, &high);
    if (!isfinite(value) || (axis->log && value <= 0))
        return NAN;
    value = fmin(fmax(value, -MOST), MOST);
    if (axis->log)
        return log(value / low) / log(high / low);
    return (value - low) / (high - low);
}

/* ---- bytes ---- */

static const struct {
    const char *name;
    double bytes;
} sizes[] = {{"TiB", 1024 * GP_GIB}, {"GiB", GP_GIB}, {"MiB", GP_MIB}, {"KiB", GP_KIB}, {"B", 1}};

/* The unit in which the high end is at least 2. */
static int size_of(const struct plot_axis *axis)
{
    int i = 0;

    while (i < 4 && !(axis->high >= 2 * sizes[i].bytes))
        i++;
    return i;
}

static double unit_of(const struct plot_axis *axis)
{
    return axis->bytes ? sizes[size_of(axis)].bytes : 1;
}

const char *plot_unit(const struct plot_axis *axis)
{
    if (axis->bytes)
        return sizes[size_of(axis)].name;
    return axis->unit ? axis->unit : "";
}

/* ---- ticks ---- */

/* The least step of 1, 2, 5 x 10^n with at most `most` of them. */
static int linear_ticks(const struct plot_axis *axis, int most, double *at)
{
    double low, high, raw, ten, lead, step;
    int count = 0;

    span_of(axis, &low, &high);
    raw = (high - low) / unit_of(axis) / fmax(most, 1);
    ten = pow(10, floor(log10(raw)));
    lead = raw / ten;
    step = ten * (lead <= 1 ? 1 : lead <= 2 ? 2 : lead <= 5 ? 5 : 10) * unit_of(axis);
    if (!(step > 0) || !isfinite(step))
        return 0;
    for (double k = ceil(low / step - 1e-9); count < PLOT_TICKS; k++) {
        if (k * step > high + step * 1e-9)
            break;
        at[count++] = k * step;
    }
    return count;
}

/* Whole parts of days. */
static int hour_ticks(const struct plot_axis *axis, int most, double *at)
{
    static const int steps[] = {1, 2, 3, 6, 12, 24, 48};
    int k = 0, count = 0;

    while (k < 6 && (axis->high - axis->low) / steps[k] > most)
        k++;
    for (double h = ceil(axis->low / steps[k]) * steps[k]; h <= axis->high && count < PLOT_TICKS;
         h += steps[k])
        at[count++] = h;
    return count;
}

/* 1, 2 and 5 of each decade. */
static int fine_ticks(double low, double high, double first, double last, double *at)
{
    static const double lead[] = {1, 2, 5};
    int count = 0;

    for (double e = first - 1; e <= last + 1; e++)
        for (int i = 0; i < 3 && count < PLOT_TICKS; i++) {
            double value = lead[i] * pow(10, e);

            if (value >= low * (1 - 1e-9) && value <= high * (1 + 1e-9))
                at[count++] = value;
        }
    return count;
}

static int log_ticks(const struct plot_axis *axis, int most, double *at)
{
    double low, high, base = axis->base == 2 ? 2 : 10, first, last, stride;
    int count = 0;

    span_of(axis, &low, &high);
    first = ceil(log(low) / log(base) - 1e-9);
    last = floor(log(high) / log(base) + 1e-9);
    if (base == 10 && (last - first + 1) * 3 <= most)
        return fine_ticks(low, high, first, last, at);
    stride = fmax(ceil((last - first + 1) / fmax(most, 1)), 1);
    for (double e = first; e <= last && count < PLOT_TICKS; e++)
        if (fmod(fabs(e), stride) == 0)
            at[count++] = pow(base, e);
    return count;
}

int plot_ticks(const struct plot_axis *axis, int most, double at[PLOT_TICKS])
{
    most = most < 1 ? 1 : most > PLOT_TICKS - 2 ? PLOT_TICKS - 2 : most;
    return axis->hours > 0 ? hour_ticks(axis, most, at)
           : axis->log     ? log_ticks(axis, most, at)
                           : linear_ticks(axis, most, at);
}

char *plot_tick_text(const struct plot_axis *axis, double value, char *text, size_t size)
{
    if (axis->hours > 0)
        return units_hour(text, size, axis->hours, (int)value);
    value /= unit_of(axis);
    if (axis->log && axis->base == 2 && value >= 8192 && fmod(value, 1024) == 0) {
        bool mebi = fmod(value, GP_MIB) == 0; /* 131072 as "128k": as people write contexts */

        gp_format(text, size, mebi ? "%.0fM" : "%.0fk", value / (mebi ? GP_MIB : 1024));
        return text;
    }
    gp_format(text, size, fabs(value) < 1e6 && fabs(value) >= 1e4 ? "%.0f" : "%.4g",
              fabs(value) < 1e-300 ? 0 : value);
    return text;
}
