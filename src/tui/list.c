/*
 * list.c - see list.h.
 */
#include "tui/list.h"

int list_step(enum action action, int page)
{
    return action == ACT_UP          ? -1
           : action == ACT_DOWN      ? 1
           : action == ACT_PAGE_UP   ? -page
           : action == ACT_PAGE_DOWN ? page
           : action == ACT_FIRST     ? -LIST_ALL
           : action == ACT_LAST      ? LIST_ALL
                                     : 0;
}

int list_clamp(int value, int low, int high)
{
    return value < low || high < low ? low : value > high ? high : value;
}

int list_top(int at, int count, int rows)
{
    return list_clamp(at - rows / 2, 0, count - rows);
}

void list_focus(struct canvas *canvas, struct rect in, int y)
{
    canvas_ink(canvas, in, y, 0, in.cols, INK_FOCUS);
    canvas_cursor(canvas, in, y, 0);
}
