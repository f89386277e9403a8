/*
 * side_by_side.h - rows of Compare as columns: each figure in a row, the best of it marked, and
 * the memory of one GPU as a bar.
 *
 *             l40s x 3     h200-sxm x 1  h100-sxm x 2
 *   $/h       3.00 *       3.39          6.98
 *   TPOT ms   105.7+-55    30.0+-13      22.7+-9.7 *
 *
 * Pure: it reads the facts of the rows, as the table does.
 */
#ifndef GP_TUI_COMPARE_SIDE_BY_SIDE_H
#define GP_TUI_COMPARE_SIDE_BY_SIDE_H

#include "tui/compare/compare_view.h"
#include "tui/toolkit/canvas.h"

#define SIDES_MOST 8

/* The rows that are marked, in their order, at most SIDES_MOST; none or one is: the plan's, it,
 * and that in focus. Returns how many. */
int sides_rows(const struct compare_view *view, const struct compare_row *focus,
               const struct compare_row *out[SIDES_MOST]);
/* How many columns are seen in so many cells. */
int sides_seen(int count, int cols);
/* more: what else is told of a row, where there is room below its figures and their bars. */
void sides_draw(struct canvas *canvas, struct rect in, const struct compare_row *const *rows,
                int count, int focus,
                void (*more)(struct page *page, const struct compare_row *row));

#endif
