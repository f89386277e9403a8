/*
 * rect.h - a rectangle of cells: where something is drawn and what clips it.
 */
#ifndef GP_TUI_TOOLKIT_RECT_H
#define GP_TUI_TOOLKIT_RECT_H

#include <stdbool.h>

struct rect {
    int y, x;       /* of the upper left cell, from 0 */
    int rows, cols; /* 0 or less: nothing */
};

static inline int int_max(int a, int b)
{
    return a > b ? a : b;
}

static inline int int_min(int a, int b)
{
    return a < b ? a : b;
}

static inline bool rect_empty(struct rect r)
{
    return r.rows <= 0 || r.cols <= 0;
}

/* What is left inside a box drawn on the rectangle's edge. */
static inline struct rect rect_inside(struct rect r)
{
    return (struct rect){r.y + 1, r.x + 1, r.rows - 2, r.cols - 2};
}

#endif
