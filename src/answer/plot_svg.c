/*
 * plot_svg.c - a plot as CSV and as a picture.
 *
 * CSV has one row per point, exact: series,x,y. The picture is one SVG file that needs
 * nothing else: on a white ground, or on a dark one where the viewer asks for it
 * (viewers that do not know the question show the white one). Colours after Okabe and
 * Ito; lines end in their letter and points are their digit, so that it can be printed
 * without colour.
 */
#include "answer/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/table.h"
#include "base/xml.h"

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
        strbuf_addf(out,
                    ".c%d{stroke:%s}text.c%d,.s.c%d{fill:%s;stroke:none}"
                    ".b%d{background:%s}\n",
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
                "<rect class=\"f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\"/>\n",
                LEFT, TOP, p->wide - LEFT - RIGHT, p->bottom - TOP);
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
                "<line class=\"l r c%d\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
                "y2=\"%.1f\"/>\n",
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
