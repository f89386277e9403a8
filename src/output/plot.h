/*
 * plot.h - what a plot is made of: axes and series, whatever shows them; as CSV and SVG.
 *
 * Axes are linear or logarithmic; ticks stand at round values (1, 2, 5 x 10^n, or powers
 * of two) with their unit. A series is a line or points; a point is a digit or a letter,
 * so that it survives ASCII and print. A screen draws it by tui/toolkit/plot_draw.h.
 */
#ifndef GP_OUTPUT_PLOT_H
#define GP_OUTPUT_PLOT_H

#include <stdbool.h>

#include "util/str.h"

#define PLOT_SERIES 17 /* eight types or layers, their roofs, and flagged points */
#define PLOT_POINTS 512

struct plot_axis {
    double low, high;
    bool log;           /* then low > 0 */
    int base;           /* of log ticks: 2 or 10 */
    const char *title;  /* "arithmetic intensity, FLOP per byte" */
    const char *unit;   /* "GiB" */
    bool bytes;         /* ticks in 1024s */
};

struct plot_series {
    char name[64];
    int ink;            /* on a screen: one of enum ink (theme.h) */
    char mark;          /* of points; 0: a line */
    char label;         /* of a line: a letter where it ends; 0: none */
    int count;
    double x[PLOT_POINTS], y[PLOT_POINTS]; /* x ascending when it is a line; NAN breaks it */
};

struct plot {
    char title[120];
    struct plot_axis x, y;
    struct plot_series *series; /* (count); owned */
    int count;
    int legend; /* rows below the axis that may say which line is which */
};

void plot_init(struct plot *plot);
void plot_fini(struct plot *plot);
struct plot_series *plot_add(struct plot *plot, const char *name, int ink, char mark);
void plot_point(struct plot_series *series, double x, double y);
/* A line's value at x, between its points; NAN outside. */
double plot_read(const struct plot *plot, const struct plot_series *series, double x);
/* x of the column that is `columns` away from that of x. */
double plot_move(const struct plot *plot, int width, double x, int columns);

/* 0 at the low end, 1 at the high end of the axis; NAN for what has no place on it. */
double plot_place(const struct plot_axis *axis, double value);

/* At most `most` round values on an axis, and how one is written there. */
#define PLOT_TICKS 32
int plot_ticks(const struct plot_axis *axis, int most, double at[PLOT_TICKS]);
char *plot_tick_text(const struct plot_axis *axis, double value, char *text,
                     size_t size);
const char *plot_unit(const struct plot_axis *axis); /* that of the ticks: "GiB" */

/* The plot as CSV (series,x,y) and as a picture (plot_svg.c). */
void plot_csv(const struct plot *plot, struct strbuf *out);
void plot_svg(const struct plot *plot, struct strbuf *out);

#endif
