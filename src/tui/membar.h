/*
 * membar.h - the memory of one GPU as one bar and a legend: Plan, Compare and Bench.
 *
 * A glyph per part, so that it reads without colour. Parts less than a cell wide but
 * more than nothing get one cell; what is more than usable runs over the end, said in
 * words ("over by 27.3 GiB").
 */
#ifndef GP_TUI_MEMBAR_H
#define GP_TUI_MEMBAR_H

#include "output/parts.h"
#include "tui/toolkit/canvas.h"

/* The bar over the whole width of row y of `in`. */
void membar_draw(struct canvas *canvas, struct rect in, int y, const struct plan *plan);
/* One row per part from y on: glyph, name, GiB, band or origin, note as far as it fits.
 * Returns the rows used. */
int membar_legend(struct canvas *canvas, struct rect in, int y,
                  const struct plan *plan);
/* Glyph and ink of a part. */
enum glyph membar_glyph(enum part_role role);
enum ink membar_ink(enum part_role role);

#endif
