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

struct list_table list_table(const struct list_column *columns, int count, int cols)
{
    struct list_table t = {.columns = columns, .count = count};
    int left = cols, x = 0;

    for (int c = 0; c < count; c++) {
        t.cols[c] = cols >= columns[c].least ? columns[c].cols : 0;
        left -= t.cols[c] ? t.cols[c] + 1 : 0;
    }
    for (int c = 0; c < count; c++) {
        if (columns[c].cols == 0)
            t.cols[c] = left;
        t.x[c] = x;
        x += t.cols[c] ? t.cols[c] + 1 : 0;
    }
    return t;
}

void list_titles(struct canvas *canvas, struct rect in, const struct list_table *t)
{
    for (int c = 0; c < t->count; c++)
        list_cell(canvas, in, 0, t, c, INK_DIM, t->columns[c].title);
}

void list_cell(struct canvas *canvas, struct rect in, int y, const struct list_table *t, int column,
               enum ink ink, const char *text)
{
    list_text(canvas, in, y, t->x[column], t->cols[column], t->columns[column].right, ink, text);
}

void list_text(struct canvas *canvas, struct rect in, int y, int x, int cols, bool right,
               enum ink ink, const char *text)
{
    int free = cols - gp_width(text);

    canvas_fit(canvas, in, y, right && free > 0 ? x + free : x, cols, ink, text);
}
