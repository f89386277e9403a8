/*
 * plot_draw.h - a plot in a rectangle of cells: braille, half blocks or ASCII.
 *
 * Lines are drawn first, then points. A cursor at x reads each series there.
 */
#ifndef GP_TUI_TOOLKIT_PLOT_DRAW_H
#define GP_TUI_TOOLKIT_PLOT_DRAW_H

#include "answer/plot.h"
#include "tui/toolkit/canvas.h"

/* How a series of that role looks. */
enum ink plot_ink(enum plot_role role);
/* cursor: x where a vertical line stands; NAN = none. */
void plot_draw(struct canvas *canvas, struct rect in, const struct plot *plot, double cursor);
/* The cells that plot_draw() gives to the curves themselves, on the canvas. */
struct rect plot_area(struct rect in, const struct plot *plot);
/* Row and column of a value within that area; false: outside. */
bool plot_cell(const struct plot *plot, struct rect area, double x, double y, int *row, int *col);

/* The last minute of a figure as a row of little bars: one sample per second and column. A bar is
 * one of eight heights a row between two fixed ends (0 and the power limit, say), so that two
 * panels can be compared and nothing jumps when a sample comes or goes. A second in which nothing
 * was told stays blank: unknown is not zero.
 *
 *     value 350 of 0..700: (350 - 0) / 700 x 7 = 3.5, rounded 4: the fifth height */
#define SPARK_SECONDS 60

struct spark {
    int count;                   /* of samples kept, at most SPARK_SECONDS */
    int next;                    /* place of the next one */
    double value[SPARK_SECONDS]; /* a ring; NAN = not told */
};

void spark_add(struct spark *spark, double value);
/* The sample of `ago` seconds back, 0 = the newest; NAN when there is none. */
double spark_value(const struct spark *spark, int ago);
/* The largest sample that is told; NAN when none is. */
double spark_most(const struct spark *spark);
/* Height 0..7 of a value between the ends; -1 = nothing to draw. */
int spark_height(double value, double low, double high);
/* The newest samples into all of the rectangle, the newest in its last column; with several rows a
 * bar goes through them. */
void spark_draw(struct canvas *canvas, struct rect in, enum ink ink, const struct spark *spark,
                double low, double high);

#endif
