/*
 * compare_detail.h - the row in focus of Compare at length: its memory as a bar,
 * layout, what it holds and costs, why not, who says so.
 */
#ifndef GP_TUI_COMPARE_COMPARE_DETAIL_H
#define GP_TUI_COMPARE_COMPARE_DETAIL_H

#include "tui/compare/compare_view.h"
#include "tui/toolkit/canvas.h"

/* Into the rectangle, from line `top` on. */
void compare_detail_draw(struct canvas *canvas, struct rect in,
                         const struct compare_row *row, int top);
/* Its lines when they are so many columns wide. */
int compare_detail_lines(const struct compare_row *row, int cols);

/* "l40s x 4, fp8: fits" */
void compare_detail_title(const struct compare_row *row, struct strbuf *out);

#endif
