/*
 * frame.h - where everything stands: rectangles from sizes, nothing else.
 *
 * A pure function of the terminal's size, tested over all of them: panels lie inside
 * the screen, do not overlap, are not empty, and the key bar always has its row.
 *
 *   >= 120 x 36   three columns        >= 70 x 18   two columns
 *   >= 40 x 12    one column: the panel in focus, others by Tab, tabs are digits
 *   below         a message whose first lines fit 20 columns, and q
 *
 * From the top: 1 row of tabs, the body, 2 rows that explain what is in focus (1 below
 * 20 rows, 3 of a narrow one of 30 rows and more), 1 row of keys.
 */
#ifndef GP_TUI_TOOLKIT_FRAME_H
#define GP_TUI_TOOLKIT_FRAME_H

#include "tui/toolkit/canvas.h"

#define FRAME_MIN_COLS 40
#define FRAME_MIN_ROWS 12

enum size_class { SIZE_TOO_SMALL, SIZE_ONE, SIZE_TWO, SIZE_THREE };

struct frame {
    enum size_class size;
    struct rect tabs, body, explain, bar;
};
struct frame frame_of(int rows, int cols);

/* Panels side by side over the whole body, widths by weight (all > 0), each at least
 * `least` columns; those for which there is no room are empty, the last first. */
void frame_columns(struct rect body, const int *weights, int count, int least, struct rect *out);
/* Likewise one above the other; rows[i] > 0 is a fixed height, 0 shares what is left. */
void frame_rows(struct rect body, const int *rows, int count, struct rect *out);
/* A window of at most rows x cols in the middle. */
struct rect frame_middle(struct rect body, int rows, int cols);

/* Panels of the screens that have several: an empty rectangle is not shown. `focus` is
 * the one shown when there is one column. */
/* Plan: the form and the answer beside it; from 120 x 36 the side panel; from 200 x 60
 * rows of Compare below all three. With one column a strip of the answer stands above
 * the panel in focus, whatever it is. */
enum { PLAN_FORM, PLAN_ANSWER, PLAN_SIDE, PLAN_ROWS, PLAN_STRIP, PLAN_PANELS };
#define FRAME_STRIP 3 /* rows of the strip */
void frame_plan(struct rect body, enum size_class size, int focus, struct rect out[PLAN_PANELS]);
enum { COMPARE_TABLE, COMPARE_DETAIL, COMPARE_PANELS, COMPARE_ROWS = 4 };
enum { CURVES_PLOT, CURVES_READING, CURVES_PANELS, CURVES_ROWS = 6 };
/* One above another that has `below` rows. */
void frame_stack(struct rect body, enum size_class size, int focus, int below, struct rect out[2]);
/* Points, then one live panel per device shown (at most devices, at most 16; those that
 * do not fit are left out, never all), then the words at the bottom. */
enum { BENCH_POINTS, BENCH_WORDS, BENCH_NOW, BENCH_LIVE, BENCH_PANELS = BENCH_LIVE + 16 };
void frame_bench(struct rect body, enum size_class size, int focus, int devices,
                 struct rect out[BENCH_PANELS]);

#endif
