/*
 * plot.h - what a plot is made of: axes and series, whatever shows them; as CSV and SVG.
 *
 * Axes are linear or logarithmic; ticks stand at round values (1, 2, 5 x 10^n, or powers
 * of two) with their unit. A series is a line, points, or what lies between two lines: the
 * band of an estimate, or a part of a sum. A point is a digit or a letter, so that it
 * survives ASCII and print. Rules are straight lines with a word: goals, break points. A
 * screen draws it by tui/toolkit/plot_draw.h.
 */
#ifndef GP_ANSWER_PLOT_H
#define GP_ANSWER_PLOT_H

#include <stdbool.h>

#include "base/str.h"

#define CURVE_WORDS 240 /* what a curve says in a sentence */
#define PLOT_SERIES 17  /* eight types or layers, their roofs, and flagged points */
#define PLOT_POINTS 512
#define PLOT_RULES 6

/* What a series stands for; screens and pictures colour by it. */
enum plot_role {
    PLOT_TEXT,
    PLOT_DIM,
    PLOT_HEADING,
    PLOT_OK,
    PLOT_WARN,
    PLOT_WEIGHTS, /* the parts of memory */
    PLOT_KV,
    PLOT_ACTIVATION,
    PLOT_RUNTIME,
    PLOT_1, /* series that stand for nothing else */
    PLOT_2,
    PLOT_3,
    PLOT_4,
    PLOT_ROLE_COUNT
};

enum plot_shade {
    PLOT_OPEN, /* a line, or points */
    PLOT_BAND, /* y..top is where the value may be */
    PLOT_PART  /* y..top is a part of a sum */
};

struct plot_axis {
    double low, high;
    bool log;          /* then low > 0 */
    int base;          /* of log ticks: 2 or 10 */
    const char *title; /* "arithmetic intensity, FLOP per byte" */
    const char *unit;  /* "GiB" */
    bool bytes;        /* ticks in 1024s */
    bool whole;        /* counts: no tick between two of them */
    int hours;         /* of a day (24) or a week from Monday on (168); 0: no hours */
};

struct plot_series {
    char name[64];
    enum plot_role role;
    char mark;    /* of points; 0: a line */
    char label;   /* of a line: a letter where it ends; 0: none */
    char tag[16]; /* of points: a word under the first of them; "" = none */
    int count;
    double x[PLOT_POINTS], y[PLOT_POINTS]; /* x ascending when it is a line; NAN breaks it */
    enum plot_shade shade;
    double top[PLOT_POINTS]; /* of what is shaded */
};

struct plot_rule {
    bool upright; /* at a value of x, else of y */
    double at;
    enum plot_role role;
    char word[40];
};

struct plot {
    char title[120];
    struct plot_axis x, y;
    struct plot_series *series; /* (count); owned */
    int count;
    struct plot_rule rule[PLOT_RULES];
    int rules;
    int legend; /* rows below the axis that may say which line is which */
};

void plot_init(struct plot *plot);
void plot_fini(struct plot *plot);
/* Neither series nor rules; axes as they were. */
void plot_clear(struct plot *plot);
struct plot_series *plot_add(struct plot *plot, const char *name, enum plot_role role, char mark);
void plot_point(struct plot_series *series, double x, double y);
/* What is shaded from low to high. */
struct plot_series *plot_add_shade(struct plot *plot, const char *name, enum plot_role role,
                                   enum plot_shade shade);
void plot_span(struct plot_series *series, double x, double low, double high);
/* A rule; one outside of the axes is not kept. Axes are set before. */
void plot_rule(struct plot *plot, bool upright, double at, enum plot_role role, const char *fmt,
               ...) __attribute__((format(printf, 5, 6)));
/* The i-th of the roles that stand for nothing else. */
enum plot_role plot_role(int i);
/* A line's value at x, between its points; NAN outside. */
double plot_read(const struct plot *plot, const struct plot_series *series, double x);
/* x of the column that is `columns` away from that of x. */
double plot_move(const struct plot *plot, int width, double x, int columns);

/* The ends of x: what is looked at, low..high (NAN: all), within least..most. */
void plot_range(struct plot *plot, double low, double high, double least, double most);

/* 0 at the low end, 1 at the high end of the axis; NAN for what has no place on it. */
double plot_place(const struct plot_axis *axis, double value);

/* At most `most` round values on an axis, and how one is written there. */
#define PLOT_TICKS 32
int plot_ticks(const struct plot_axis *axis, int most, double at[PLOT_TICKS]);
char *plot_tick_text(const struct plot_axis *axis, double value, char *text, size_t size);
const char *plot_unit(const struct plot_axis *axis); /* that of the ticks: "GiB" */

/* The plot as CSV (series,x,y) and as a picture (plot_svg.c). */
void plot_csv(const struct plot *plot, struct strbuf *out);
void plot_svg(const struct plot *plot, struct strbuf *out);
/* A picture within a page, wide x high in its own units, whose classes are those of
 * plot_svg_style(), said once for all of them; id: of this one. */
void plot_svg_style(struct strbuf *out);
void plot_svg_part(const struct plot *plot, int id, double wide, double high, struct strbuf *out);

#endif
