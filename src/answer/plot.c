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
#include "base/table.h"
#include "base/units.h"
#include "base/xml.h"

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
    if (plot->count == PLOT_SERIES)
        return NULL;
    struct plot_series *s = &plot->series[plot->count++];
    s->count = 0;
    s->role = role;
    s->mark = mark;
    s->label = 0;
    s->tag[0] = '\0';
    s->shade = PLOT_OPEN;
    gp_copy(s->name, sizeof(s->name), name);
    gp_sanitize(s->name);
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
    gp_sanitize(r->word);
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
    step = axis->whole ? fmax(step, 1) : step;
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
        static const char letters[] = "kMGTPE"; /* 131072 as "128k": as people write contexts */
        int k = 0;

        for (value /= 1024; value >= 1024 && fmod(value, 1024) == 0 && letters[k + 1]; k++)
            value /= 1024;
        gp_format(text, size, "%.0f%c", value, letters[k]);
        return text;
    }
    gp_format(text, size, fabs(value) < 1e6 && fabs(value) >= 1e4 ? "%.0f" : "%.4g",
              fabs(value) < 1e-300 ? 0 : value);
    return text;
}

/* The picture, in its own units. */
#define WIDE 960.0
#define HIGH 600.0
#define LEFT 80.0
#define RIGHT 36.0
#define TOP 52.0
#define BOTTOM 64.0
#define LINE 20.0   /* of the legend */
#define ROOMY 600.0 /* as wide, two entries of the legend stand in a row */

/* ---- CSV ---- */

static void csv_values(const struct plot_series *s, const char *which, const double *y,
                       struct strbuf *out)
{
    char name[80];

    gp_format(name, sizeof(name), "%s%s", s->name, which);
    for (int k = 0; k < s->count; k++) {
        table_csv_field(out, name);
        strbuf_addf(out, ",%.12g,", s->x[k]);
        if (isfinite(y[k]))
            strbuf_addf(out, "%.12g", y[k]);
        strbuf_add(out, "\n");
    }
}

void plot_csv(const struct plot *plot, struct strbuf *out)
{
    strbuf_add(out, "series,");
    table_csv_field(out, plot->x.title ? plot->x.title : "x");
    strbuf_add(out, ",");
    table_csv_field(out, plot->y.title ? plot->y.title : "y");
    strbuf_add(out, "\n");
    for (int i = 0; i < plot->count; i++) {
        const struct plot_series *s = &plot->series[i];

        if (s->shade == PLOT_PART) /* its lines are there */
            continue;
        csv_values(s, s->shade ? " low" : "", s->y, out);
        if (s->shade)
            csv_values(s, " high", s->top, out);
    }
}

/* ---- SVG ---- */

static void add_label(struct strbuf *out, double x, double y, const char *how, const char *text)
{
    strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
    xml_text(out, text);
    strbuf_add(out, "</text>\n");
}

struct picture {
    const struct plot *plot;
    struct strbuf *out;
    int id;
    double wide, bottom; /* its width; y of the lower end of the axis */
};

static double x_of(const struct picture *p, double x)
{
    return LEFT + plot_place(&p->plot->x, x) * (p->wide - LEFT - RIGHT);
}

static double y_of(const struct picture *p, double y)
{
    return p->bottom - plot_place(&p->plot->y, y) * (p->bottom - TOP);
}

/* By role: on a light ground, on a dark one. */
static const char *const colors[PLOT_ROLE_COUNT][2] = {
    [PLOT_TEXT] = {"#222222", "#eeeeee"},    [PLOT_DIM] = {"#6a6a6a", "#aaaaaa"},
    [PLOT_HEADING] = {"#000000", "#ffffff"}, [PLOT_OK] = {"#00795a", "#00b88a"},
    [PLOT_WARN] = {"#b33a00", "#ff8f55"},    [PLOT_WEIGHTS] = {"#0072b2", "#56b4e9"},
    [PLOT_KV] = {"#b35c00", "#e69f00"},      [PLOT_ACTIVATION] = {"#00795a", "#00b88a"},
    [PLOT_RUNTIME] = {"#a6507e", "#e29cc4"}, [PLOT_1] = {"#0072b2", "#56b4e9"},
    [PLOT_2] = {"#b35c00", "#e69f00"},       [PLOT_3] = {"#00795a", "#00b88a"},
    [PLOT_4] = {"#a6507e", "#e29cc4"},
};

static void add_colors(struct strbuf *out, int ground)
{
    for (int i = 0; i < PLOT_ROLE_COUNT; i++)
        strbuf_addf(out, ".c%d{stroke:%s}text.c%d,.s.c%d{fill:%s;stroke:none}.b%d{background:%s}\n",
                    i, colors[i][ground], i, i, colors[i][ground], i, colors[i][ground]);
}

void plot_svg_style(struct strbuf *out)
{
    strbuf_add(out, "svg text{font:13px sans-serif;fill:#222}.p{fill:#fff}"
                    ".g{stroke:#ddd}.f{stroke:#555;fill:none}"
                    ".l{fill:none;stroke-width:2}.r{stroke-dasharray:6 4}"
                    ".s{fill-opacity:.16}.t{fill-opacity:.45}svg .m{font-weight:bold}"
                    "svg text.h{paint-order:stroke;stroke:#fff;stroke-width:4px}\n");
    add_colors(out, 0);
    strbuf_add(out, "@media screen and (prefers-color-scheme:dark){svg text{fill:#eee}"
                    ".p{fill:#1a1a1a}.g{stroke:#444}.f{stroke:#aaa}"
                    "svg text.h{stroke:#1a1a1a}\n");
    add_colors(out, 1);
    strbuf_add(out, "}\n");
}

/* A line of the grid and its tick. */
static void add_tick(struct picture *p, bool upright, double at, const char *text)
{
    double x = upright ? at : LEFT, y = upright ? p->bottom : at;

    strbuf_addf(p->out, "<line class=\"g\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n", x,
                upright ? at : p->wide - RIGHT, upright ? TOP : at, y);
    add_label(p->out, upright ? x : x - 8, upright ? y + 18 : y + 4,
              upright ? "text-anchor=\"middle\"" : "text-anchor=\"end\"", text);
}

static void add_axes(struct picture *p)
{
    const struct plot *plot = p->plot;
    double at[PLOT_TICKS];
    char text[64];
    int count = plot_ticks(&plot->y, 8, at);

    for (int i = 0; i < count; i++)
        add_tick(p, false, y_of(p, at[i]), plot_tick_text(&plot->y, at[i], text, sizeof(text)));
    count = plot_ticks(&plot->x, p->wide < ROOMY ? 7 : 10, at);
    for (int i = 0; i < count; i++)
        add_tick(p, true, x_of(p, at[i]), plot_tick_text(&plot->x, at[i], text, sizeof(text)));
    strbuf_addf(p->out,
                "<rect class=\"f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>\n", LEFT,
                TOP, p->wide - LEFT - RIGHT, p->bottom - TOP);
    add_label(p->out, LEFT, TOP - 28, "class=\"m\"", plot->title);
    add_label(p->out, LEFT - 8, TOP - 8, "text-anchor=\"end\"", plot_unit(&plot->y));
    add_label(p->out, (LEFT + p->wide - RIGHT) / 2, p->bottom + 40, "text-anchor=\"middle\"",
              plot->x.title ? plot->x.title : "");
}

static bool is_inside(const struct plot *plot, double x, double y)
{
    double px = plot_place(&plot->x, x), py = plot_place(&plot->y, y);

    return px >= -1e-9 && px <= 1 + 1e-9 && py >= -1e-9 && py <= 1 + 1e-9;
}

/* Far outside is as good as outside: no viewer likes 1e300. */
static double in_bounds(double v)
{
    return fmin(fmax(v, -1e5), 1e5);
}

static void add_line(struct picture *p, const struct plot_series *s)
{
    bool open = false;
    double x = NAN, y = NAN;

    strbuf_addf(p->out, "<path class=\"l c%d\" clip-path=\"url(#in%d)\" d=\"", s->role, p->id);
    for (int i = 0; i < s->count; i++) {
        double px = x_of(p, s->x[i]), py = y_of(p, s->y[i]);

        if (!isfinite(px) || !isfinite(py)) {
            open = false;
            continue;
        }
        strbuf_addf(p->out, "%s%.1f %.1f", open ? "L" : "M", in_bounds(px), in_bounds(py));
        open = true;
        if (is_inside(p->plot, s->x[i], s->y[i])) {
            x = px;
            y = py;
        }
    }
    strbuf_add(p->out, "\"/>\n");
    if (s->label && isfinite(x)) {
        char text[2] = {s->label, '\0'}, how[32];

        snprintf(how, sizeof(how), "class=\"m c%d\"", s->role);
        add_label(p->out, x + 5, y - 4, how, text);
    }
}

/* From `from` on: how many points in a row have a place. */
static int shade_run(const struct picture *p, const struct plot_series *s, int from)
{
    int i = from;

    while (i < s->count && isfinite(x_of(p, s->x[i])) && isfinite(y_of(p, s->y[i])) &&
           isfinite(y_of(p, s->top[i])))
        i++;
    return i - from;
}

static void add_shade(struct picture *p, const struct plot_series *s)
{
    strbuf_addf(p->out, "<path class=\"s%s c%d\" clip-path=\"url(#in%d)\" d=\"",
                s->shade == PLOT_PART ? " t" : "", s->role, p->id);
    for (int i = 0, run; i < s->count; i += run + 1) {
        run = shade_run(p, s, i);
        for (int k = 0; k < run; k++)
            strbuf_addf(p->out, "%s%.1f %.1f", k ? "L" : "M", in_bounds(x_of(p, s->x[i + k])),
                        in_bounds(y_of(p, s->top[i + k])));
        for (int k = run - 1; k >= 0; k--)
            strbuf_addf(p->out, "L%.1f %.1f", in_bounds(x_of(p, s->x[i + k])),
                        in_bounds(y_of(p, s->y[i + k])));
        if (run > 0)
            strbuf_add(p->out, "Z");
    }
    strbuf_add(p->out, "\"/>\n");
}

static void add_points(struct picture *p, const struct plot_series *s)
{
    char text[2] = {s->mark, '\0'}, how[64];

    snprintf(how, sizeof(how), "class=\"m c%d\" text-anchor=\"middle\"", s->role);
    for (int i = 0; i < s->count; i++)
        if (is_inside(p->plot, s->x[i], s->y[i]))
            add_label(p->out, x_of(p, s->x[i]), y_of(p, s->y[i]) + 4, how, text);
}

/* A dashed line; its word on the side where there is room. */
static void add_rule(struct picture *p, const struct plot_rule *r, int i)
{
    double x = r->upright ? x_of(p, r->at) : LEFT, y = r->upright ? TOP : y_of(p, r->at);
    bool left = r->upright && x > (LEFT + p->wide - RIGHT) / 2;
    char how[64];

    strbuf_addf(p->out,
                "<line class=\"l r c%d\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" y2=\"%.1f\"/>\n",
                r->role, x, r->upright ? x : p->wide - RIGHT, y, r->upright ? p->bottom : y);
    snprintf(how, sizeof(how), "class=\"c%d h\"%s", r->role, left ? " text-anchor=\"end\"" : "");
    add_label(p->out, left ? x - 5 : x + 5, r->upright ? TOP + 16 * (i + 1) : y - 5, how, r->word);
}

/* In rows below the axis. What is shaded belongs to its line. */
static int add_legend(struct picture *p, bool draw)
{
    int shown = 0, each = p->wide < ROOMY ? 1 : 2;

    for (int i = 0; i < p->plot->count; i++) {
        const struct plot_series *s = &p->plot->series[i];
        double x = LEFT + shown % each * (p->wide - LEFT - RIGHT) / each;
        double y = p->bottom + BOTTOM + shown / each * LINE;
        char text[2] = {s->mark ? s->mark : s->label ? s->label : '-', '\0'}, how[32];

        if (s->count == 0 || s->shade)
            continue;
        snprintf(how, sizeof(how), "class=\"m c%d\"", s->role);
        if (draw) {
            add_label(p->out, x, y, how, text);
            add_label(p->out, x + 18, y, "", s->name);
        }
        shown++;
    }
    return (shown + each - 1) / each;
}

static void add_curves(struct picture *p)
{
    const struct plot *plot = p->plot;

    for (int i = 0; i < plot->count; i++)
        if (plot->series[i].shade)
            add_shade(p, &plot->series[i]);
    for (int i = 0, upright = 0; i < plot->rules; i++) {
        add_rule(p, &plot->rule[i], upright);
        upright += plot->rule[i].upright;
    }
    for (int i = 0; i < plot->count; i++)
        if (!plot->series[i].mark && !plot->series[i].shade)
            add_line(p, &plot->series[i]);
    for (int i = 0; i < plot->count; i++)
        if (plot->series[i].mark)
            add_points(p, &plot->series[i]);
}

/* size: of the picture where it stands alone, "" in a page. */
static void add_picture(const struct plot *plot, int id, double wide, double high, bool alone,
                        struct strbuf *out)
{
    struct picture page = {plot, out, id, wide, high - BOTTOM};

    high += add_legend(&page, false) * LINE;
    strbuf_add(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\"");
    if (alone)
        strbuf_addf(out, " width=\"%.0f\" height=\"%.0f\"", wide, high);
    strbuf_addf(out, " viewBox=\"0 0 %.0f %.0f\">\n<title>", wide, high);
    xml_text(out, plot->title);
    strbuf_add(out, "</title>\n");
    if (alone) {
        strbuf_add(out, "<style>");
        plot_svg_style(out);
        strbuf_add(out, "</style>\n");
    }
    strbuf_addf(out,
                "<clipPath id=\"in%d\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\"/></clipPath>\n"
                "<rect class=\"p\" width=\"%.0f\" height=\"%.0f\"/>\n",
                id, LEFT, TOP, wide - LEFT - RIGHT, page.bottom - TOP, wide, high);
    add_axes(&page);
    add_curves(&page);
    add_legend(&page, true);
    strbuf_add(out, "</svg>\n");
}

void plot_svg_part(const struct plot *plot, int id, double wide, double high, struct strbuf *out)
{
    add_picture(plot, id, wide, high, false, out);
}

void plot_svg(const struct plot *plot, struct strbuf *out)
{
    add_picture(plot, 0, WIDE, HIGH, true, out);
}
