/*
 * frame.c - see frame.h.
 */
#include "tui/toolkit/frame.h"

struct frame frame_of(int rows, int cols)
{
    struct frame f = {0};
    int explain = rows < 20 ? 1 : cols < 80 && rows >= 30 ? 3 : 2;

    f.size = cols >= 120 && rows >= 36                          ? SIZE_THREE
             : cols >= 70 && rows >= 18                         ? SIZE_TWO
             : cols >= FRAME_MIN_COLS && rows >= FRAME_MIN_ROWS ? SIZE_ONE
                                                                : SIZE_TOO_SMALL;
    if (f.size == SIZE_TOO_SMALL) {
        f.body = (struct rect){0, 0, int_max(rows - 1, 0), cols};
        f.bar = (struct rect){int_max(rows - 1, 0), 0, int_min(rows, 1), cols};
        return f;
    }
    f.tabs = (struct rect){0, 0, 1, cols};
    f.body = (struct rect){1, 0, rows - 2 - explain, cols};
    f.explain = (struct rect){rows - 1 - explain, 0, explain, cols};
    f.bar = (struct rect){rows - 1, 0, 1, cols};
    return f;
}

void frame_columns(struct rect body, const int *weights, int count, int least, struct rect *out)
{
    int shown = int_max(int_min(count, body.cols / int_max(least, 1)), count > 0 ? 1 : 0);
    int total = 0, left = body.cols, x = body.x;

    for (int i = 0; i < count; i++)
        out[i] = (struct rect){0};
    for (int i = 0; i < shown; i++)
        total += weights[i];
    for (int i = 0; i < shown; i++) {
        int after = (shown - 1 - i) * least; /* what the others need at least */
        int wide = total > 0 ? left * weights[i] / total : left;

        wide = i == shown - 1 ? left : int_min(int_max(wide, least), left - after);
        out[i] = (struct rect){body.y, x, body.rows, wide};
        x += wide;
        left -= wide;
        total -= weights[i];
    }
}

void frame_rows(struct rect body, const int *rows, int count, struct rect *out)
{
    int fixed = 0, shares = 0, y = body.y, left;

    for (int i = 0; i < count; i++) {
        fixed += rows[i];
        shares += rows[i] == 0;
    }
    left = int_max(body.rows - fixed, 0);
    for (int i = 0; i < count; i++) {
        int high = rows[i];

        if (high == 0) {
            high = left / shares;
            left -= high;
            shares--;
        }
        high = int_max(int_min(high, body.y + body.rows - y), 0);
        out[i] = (struct rect){y, body.x, high, high ? body.cols : 0};
        y += high;
    }
}

#define LEAST_MARGIN 4 /* columns beside a window: fewer are slivers of what it covers */

struct rect frame_middle(struct rect body, int rows, int cols)
{
    rows = int_min(rows, body.rows);
    cols = body.cols - cols < 2 * LEAST_MARGIN ? body.cols : cols;
    return (struct rect){body.y + (body.rows - rows) / 2, body.x + (body.cols - cols) / 2, rows,
                         cols};
}

/* One column: the panel in focus has it all. */
static void panel_only(struct rect body, int focus, int count, struct rect *out)
{
    for (int i = 0; i < count; i++)
        out[i] = (struct rect){0};
    out[int_min(int_max(focus, 0), count - 1)] = body;
}

/* Columns of the form: a label and a value; what is left over is for the answer. */
static int form_cols(int cols)
{
    return cols < 80 ? 28 : cols < 120 ? 30 : cols < 160 ? 32 : 40;
}

/* The answer is seldom wider than 64, and the side panel takes the rest. */
static int answer_cols(int cols, enum size_class size)
{
    int rest = cols - form_cols(cols);

    return size == SIZE_TWO ? rest : int_min(rest - 36, cols < 160 ? 50 : 64);
}

void frame_plan(struct rect body, enum size_class size, int focus, struct rect out[PLAN_PANELS])
{
    const int least_rows = 54, upper_rows = 34;
    int form = form_cols(body.cols), answer = answer_cols(body.cols, size), high;

    for (int i = 0; i < PLAN_PANELS; i++)
        out[i] = (struct rect){0};
    if (size <= SIZE_ONE) {
        high = int_min(FRAME_STRIP, body.rows);
        out[PLAN_STRIP] = (struct rect){body.y, body.x, high, body.cols};
        focus = focus == PLAN_ANSWER ? PLAN_ANSWER : PLAN_FORM;
        out[focus] = (struct rect){body.y + high, body.x, body.rows - high, body.cols};
        return;
    }
    high =
        size == SIZE_THREE && body.cols >= 200 && body.rows >= least_rows ? upper_rows : body.rows;
    out[PLAN_FORM] = (struct rect){body.y, body.x, high, form};
    out[PLAN_ANSWER] = (struct rect){body.y, body.x + form, high, answer};
    if (size == SIZE_THREE)
        out[PLAN_SIDE] =
            (struct rect){body.y, body.x + form + answer, high, body.cols - form - answer};
    if (high < body.rows)
        out[PLAN_ROWS] = (struct rect){body.y + high, body.x, body.rows - high, body.cols};
}

void frame_stack(struct rect body, enum size_class size, int focus, int below, struct rect out[2])
{
    if (size <= SIZE_ONE)
        panel_only(body, focus, 2, out);
    else
        frame_rows(body, (const int[]){0, below}, 2, out);
}

/* One column: the points, the words, a panel for each device. Else a row for each device
 * on top, then the points and what runs now side by side, then the words. */
void frame_bench(struct rect body, enum size_class size, int focus, int devices,
                 struct rect out[BENCH_PANELS])
{
    const int even[2] = {1, 1}, most = int_max(body.rows * 2 / 5, 4);
    struct rect part[3], column[2];
    int rows[3] = {0, 0, 6};

    for (int i = 0; i < BENCH_PANELS; i++)
        out[i] = (struct rect){0};
    devices = int_min(int_max(devices, 1), BENCH_PANELS - BENCH_LIVE);
    if (size <= SIZE_ONE) { /* nothing is alone in BENCH_NOW */
        panel_only(body, focus, BENCH_LIVE + devices, out);
        return;
    }
    rows[0] = int_min(devices + 3, most);
    frame_rows(body, rows, 3, part);
    frame_columns(part[1], even, 2, 35, column);
    out[BENCH_LIVE] = part[0];
    out[BENCH_POINTS] = column[0];
    out[BENCH_NOW] = column[1];
    out[BENCH_WORDS] = part[2];
}
