/*
 * plot_svg.c - a plot as CSV and as a picture.
 *
 * CSV has one row per point, exact: series,x,y. The picture is one SVG file that needs
 * nothing else: on a white ground, or on a dark one where the viewer asks for it
 * (viewers that do not know the question show the white one). Colours after Okabe and
 * Ito; lines end in their letter and points are their digit, so that it can be printed
 * without colour.
 */
#include "output/plot.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/table.h"

/* The picture, in its own units. */
#define WIDE   960.0
#define HIGH   600.0
#define LEFT   80.0
#define RIGHT  36.0
#define TOP    52.0
#define BOTTOM 64.0
#define LINE   20.0 /* of the legend */
#define COLORS 8

/* ---- CSV ---- */

void plot_csv(const struct plot *plot, struct strbuf *out)
{
    strbuf_add(out, "series,");
    table_csv_field(out, plot->x.title ? plot->x.title : "x");
    strbuf_add(out, ",");
    table_csv_field(out, plot->y.title ? plot->y.title : "y");
    strbuf_add(out, "\n");
    for (int i = 0; i < plot->count; i++) {
        const struct plot_series *s = &plot->series[i];

        for (int k = 0; k < s->count; k++) {
            table_csv_field(out, s->name);
            strbuf_addf(out, ",%.12g,", s->x[k]);
            if (isfinite(s->y[k]))
                strbuf_addf(out, "%.12g", s->y[k]);
            strbuf_add(out, "\n");
        }
    }
}

/* ---- SVG ---- */

/* Text that XML takes: what is no character of it becomes '?'. */
static void add_text(struct strbuf *out, const char *text)
{
    bool utf8 = gp_is_utf8(text);

    for (const unsigned char *c = (const unsigned char *)text; *c; c++) {
        if (*c == '&')
            strbuf_add(out, "&amp;");
        else if (*c == '<')
            strbuf_add(out, "&lt;");
        else if (*c == '>')
            strbuf_add(out, "&gt;");
        else if (*c < 0x20 || *c == 0x7f || (*c >= 0x80 && !utf8))
            strbuf_add(out, "?");
        else
            strbuf_addn(out, (const char *)c, 1);
    }
}

static void add_label(struct strbuf *out, double x, double y, const char *how,
                      const char *text)
{
    strbuf_addf(out, "<text x=\"%.1f\" y=\"%.1f\" %s>", x, y, how);
    add_text(out, text);
    strbuf_add(out, "</text>\n");
}

struct page {
    const struct plot *plot;
    struct strbuf *out;
    double bottom; /* y of the lower end of the axis */
};

static double x_of(const struct page *p, double x)
{
    return LEFT + plot_place(&p->plot->x, x) * (WIDE - LEFT - RIGHT);
}

static double y_of(const struct page *p, double y)
{
    return p->bottom - plot_place(&p->plot->y, y) * (p->bottom - TOP);
}

static void add_style(struct strbuf *out)
{
    static const char *const light[COLORS] = {"#0072b2", "#b35c00", "#00795a",
                                              "#a6507e", "#222222", "#c04000",
                                              "#5b5bb0", "#777777"};
    static const char *const dark[COLORS] = {"#56b4e9", "#e69f00", "#00b88a",
                                             "#e29cc4", "#eeeeee", "#ff7f45",
                                             "#a9a9f0", "#aaaaaa"};

    strbuf_add(out, "<style>text{font:13px sans-serif;fill:#222}.p{fill:#fff}"
                    ".g{stroke:#ddd}.f{stroke:#555;fill:none}"
                    ".l{fill:none;stroke-width:2}.m{font-weight:bold}\n");
    for (int i = 0; i < COLORS; i++)
        strbuf_addf(out, ".c%d{stroke:%s}text.c%d{fill:%s;stroke:none}\n", i, light[i],
                    i, light[i]);
    strbuf_add(out, "@media (prefers-color-scheme:dark){text{fill:#eee}.p{fill:#1a1a1a}"
                    ".g{stroke:#444}.f{stroke:#aaa}\n");
    for (int i = 0; i < COLORS; i++)
        strbuf_addf(out, ".c%d{stroke:%s}text.c%d{fill:%s;stroke:none}\n", i, dark[i],
                    i, dark[i]);
    strbuf_add(out, "}</style>\n");
}

static void add_axes(struct page *p)
{
    const struct plot *plot = p->plot;
    double at[PLOT_TICKS];
    char text[64];
    int count = plot_ticks(&plot->y, 8, at);

    for (int i = 0; i < count; i++) {
        double y = y_of(p, at[i]);

        strbuf_addf(p->out,
                    "<line class=\"g\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
                    "y2=\"%.1f\"/>\n",
                    LEFT, WIDE - RIGHT, y, y);
        add_label(p->out, LEFT - 8, y + 4, "text-anchor=\"end\"",
                  plot_tick_text(&plot->y, at[i], text, sizeof text));
    }
    count = plot_ticks(&plot->x, 10, at);
    for (int i = 0; i < count; i++) {
        double x = x_of(p, at[i]);

        strbuf_addf(p->out,
                    "<line class=\"g\" x1=\"%.1f\" x2=\"%.1f\" y1=\"%.1f\" "
                    "y2=\"%.1f\"/>\n",
                    x, x, TOP, p->bottom);
        add_label(p->out, x, p->bottom + 18, "text-anchor=\"middle\"",
                  plot_tick_text(&plot->x, at[i], text, sizeof text));
    }
    strbuf_addf(p->out,
                "<rect class=\"f\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\"/>\n",
                LEFT, TOP, WIDE - LEFT - RIGHT, p->bottom - TOP);
    add_label(p->out, LEFT, TOP - 28, "class=\"m\"", plot->title);
    add_label(p->out, LEFT - 8, TOP - 8, "text-anchor=\"end\"", plot_unit(&plot->y));
    add_label(p->out, (LEFT + WIDE - RIGHT) / 2, p->bottom + 40,
              "text-anchor=\"middle\"", plot->x.title ? plot->x.title : "");
}

static bool inside(const struct plot *plot, double x, double y)
{
    double px = plot_place(&plot->x, x), py = plot_place(&plot->y, y);

    return px >= -1e-9 && px <= 1 + 1e-9 && py >= -1e-9 && py <= 1 + 1e-9;
}

/* Far outside is as good as outside: no viewer likes 1e300. */
static double bounded(double v)
{
    return fmin(fmax(v, -1e5), 1e5);
}

static void add_line(struct page *p, const struct plot_series *s, int color)
{
    bool open = false;
    double x = NAN, y = NAN;

    strbuf_addf(p->out, "<path class=\"l c%d\" clip-path=\"url(#in)\" d=\"", color);
    for (int i = 0; i < s->count; i++) {
        double px = x_of(p, s->x[i]), py = y_of(p, s->y[i]);

        if (!isfinite(px) || !isfinite(py)) {
            open = false;
            continue;
        }
        strbuf_addf(p->out, "%s%.1f %.1f", open ? "L" : "M", bounded(px), bounded(py));
        open = true;
        if (inside(p->plot, s->x[i], s->y[i])) {
            x = px;
            y = py;
        }
    }
    strbuf_add(p->out, "\"/>\n");
    if (s->label && isfinite(x)) {
        char text[2] = {s->label, '\0'}, how[32];

        snprintf(how, sizeof how, "class=\"m c%d\"", color);
        add_label(p->out, x + 5, y - 4, how, text);
    }
}

static void add_points(struct page *p, const struct plot_series *s, int color)
{
    char text[2] = {s->mark, '\0'}, how[64];

    snprintf(how, sizeof how, "class=\"m c%d\" text-anchor=\"middle\"", color);
    for (int i = 0; i < s->count; i++)
        if (inside(p->plot, s->x[i], s->y[i]))
            add_label(p->out, x_of(p, s->x[i]), y_of(p, s->y[i]) + 4, how, text);
}

/* Two entries a row below the axis. */
static void add_legend(struct page *p)
{
    int shown = 0;

    for (int i = 0; i < p->plot->count; i++) {
        const struct plot_series *s = &p->plot->series[i];
        double x = LEFT + shown % 2 * (WIDE - LEFT - RIGHT) / 2;
        double y = p->bottom + BOTTOM + shown / 2 * LINE;
        char text[2] = {s->mark ? s->mark : s->label ? s->label : '-', '\0'}, how[32];

        if (s->count == 0)
            continue;
        snprintf(how, sizeof how, "class=\"m c%d\"", i % COLORS);
        add_label(p->out, x, y, how, text);
        add_label(p->out, x + 18, y, "", s->name);
        shown++;
    }
}

void plot_svg(const struct plot *plot, struct strbuf *out)
{
    double legend = (plot->count + 1) / 2 * LINE, high = HIGH + legend;
    struct page page = {plot, out, HIGH - BOTTOM};

    strbuf_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" "
                "height=\"%.0f\" viewBox=\"0 0 %.0f %.0f\">\n<title>",
                WIDE, high, WIDE, high);
    add_text(out, plot->title);
    strbuf_add(out, "</title>\n");
    add_style(out);
    strbuf_addf(out,
                "<clipPath id=\"in\"><rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" "
                "height=\"%.1f\"/></clipPath>\n"
                "<rect class=\"p\" width=\"%.0f\" height=\"%.0f\"/>\n",
                LEFT, TOP, WIDE - LEFT - RIGHT, page.bottom - TOP, WIDE, high);
    add_axes(&page);
    for (int i = 0; i < plot->count; i++)
        if (!plot->series[i].mark)
            add_line(&page, &plot->series[i], i % COLORS);
    for (int i = 0; i < plot->count; i++)
        if (plot->series[i].mark)
            add_points(&page, &plot->series[i], i % COLORS);
    add_legend(&page);
    strbuf_add(out, "</svg>\n");
}
