/*
 * plot_parts.h - a plot from inside: lines turned into cells (plot_raster.c).
 *
 * A cell holds 2 x 4 dots of braille, two half blocks, or one character; a line is
 * drawn into dots, cells are shown as one character each.
 */
#ifndef GP_TUI_TOOLKIT_PLOT_PARTS_H
#define GP_TUI_TOOLKIT_PLOT_PARTS_H

#include <stdint.h>

#include "tui/toolkit/plot.h"

struct raster {
    int rows, cols;
    enum charset charset;
    struct raster_cell {
        uint8_t bits; /* dots, or the character in ASCII; 0: nothing */
        uint8_t ink;
    } *cells; /* (rows, cols); owned */
};

void raster_init(struct raster *raster, int rows, int cols, enum charset charset);
void raster_fini(struct raster *raster);
/* Draws a line; row and column of its last cell that can be seen, false: none. */
bool raster_line(struct raster *raster, const struct plot *plot,
                 const struct plot_series *series, int *row, int *col);
/* The character of a cell; 0: nothing there. */
uint32_t raster_char(const struct raster *raster, int row, int col);

#endif
