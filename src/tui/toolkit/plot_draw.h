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

#endif
