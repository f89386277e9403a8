/*
 * plot_draw.c - see plot_draw.h. A plot in a rectangle, from the left and from below:
 *
 *      64 | /////         ticks of y, the axis, the curves
 *         +---------
 *          1    4         ticks of x
 *        title of x       when there are rows for it
 *     1 decode  a roof    legend, as many rows as the plot allows
 *
 * Rows go to the curves first: below 8 rows the title, below 4 the ticks are left out.
 * A part of a sum is drawn first, in the glyph that it has in the memory bar; then rules with
 * their words, the edges of bands as dots, lines into cells, their letters, and points.
 * Several points in one cell show as '*'.
 *
 * A line is a function of x: for each column of dots it covers the rows that it passes
 * there. Where it is flatter than one dot per column that is one dot, so lines stay
 * thin; where it is steeper, a vertical run. Braille has its dots numbered by column,
 * with the fourth row added later:
 *
 *   1 4     0x01 0x08
 *   2 5     0x02 0x10
 *   3 6     0x04 0x20
 *   7 8     0x40 0x80
 */
#include "tui/toolkit/plot_draw.h"

#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"

#define TICK_ROWS 3  /* rows that a tick of y has at the least */
#define TICK_COLS 10 /* columns that one of x has */
#define SEVERAL '*'

enum ink plot_ink(enum plot_role role)
{
    static const enum ink inks[PLOT_ROLE_COUNT] = {
        [PLOT_TEXT] = INK_TEXT,       [PLOT_DIM] = INK_DIM,
        [PLOT_HEADING] = INK_HEADING, [PLOT_OK] = INK_OK,
        [PLOT_WARN] = INK_WARN,       [PLOT_WEIGHTS] = INK_WEIGHTS,
        [PLOT_KV] = INK_KV,           [PLOT_ACTIVATION] = INK_ACTIVATION,
        [PLOT_RUNTIME] = INK_RUNTIME, [PLOT_1] = INK_SERIES1,
        [PLOT_2] = INK_SERIES2,       [PLOT_3] = INK_SERIES3,
        [PLOT_4] = INK_SERIES4,
    };

    return inks[role];
}

/* ---- lines into cells ---- */

#define FLAT 0.08 /* rows per column below which a line is '-' in ASCII */
#define STEEP 2.0 /* above which it is '|' */
#define EDGE 3    /* columns of dots from one of a band's edge to the next */

/* A cell holds 2 x 4 dots of braille, two half blocks, or one character; lines are drawn into
 * dots, cells are shown as one character each. */
struct pen {
    int rows, cols;
    enum charset charset;
    int wide, high; /* dots of a cell */
    struct pen_cell {
        uint8_t bits; /* dots, or the character in ASCII; 0: nothing */
        uint8_t ink;
    } * cells; /* (rows, cols); owned */
    uint8_t ink;
    bool edge;    /* of a band: every third dot, so that it is quieter than a line */
    double slope; /* dots down per dot right; INFINITY: straight down */
    int row, col; /* of the last cell drawn; -1: none */
};

static void pen_dot(struct pen *pen, int x, int y)
{
    static const uint8_t braille[4][2] = {{0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

    if (pen->edge && x % EDGE != 0)
        return;
    pen->row = y / pen->high;
    pen->col = x / pen->wide;
    struct pen_cell *cell = &pen->cells[pen->row * pen->cols + pen->col];
    if (pen->charset == CHARSET_ASCII)
        cell->bits = pen->edge                  ? '.'
                     : fabs(pen->slope) < FLAT  ? '-'
                     : fabs(pen->slope) > STEEP ? '|'
                     : pen->slope < 0           ? '/'
                                                : '\\';
    else if (pen->charset == CHARSET_BLOCK)
        cell->bits = (uint8_t)(cell->bits | 1 << (y % 2));
    else
        cell->bits |= braille[y % 4][x % 2];
    cell->ink = pen->ink;
}

/* The rows between y0 and y1 in one column of dots. */
static void pen_run(struct pen *pen, int x, double y0, double y1)
{
    int most = pen->rows * pen->high - 1;
    double low = round(fmin(y0, y1)), high = round(fmax(y0, y1));

    if (fabs(y1 - y0) <= 1)
        low = high = round((y0 + y1) / 2);
    if (high < 0 || low > most)
        return;
    low = fmax(low, 0);
    high = fmin(high, most);
    for (int i = 0; i <= (int)(high - low); i++)
        pen_dot(pen, x, y1 < y0 ? (int)high - i : (int)low + i);
}

/* From (x0, y0) to (x1, y1) in dots, x0 <= x1, all finite. */
static void pen_segment(struct pen *pen, double x0, double y0, double x1, double y1)
{
    int most = pen->cols * pen->wide - 1;
    double first = fmax(round(x0), 0), last = fmin(round(x1), most);

    pen->slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : INFINITY;
    for (double x = first; x <= last; x++) {
        double from = fmax(x - 0.5, x0), to = fmin(x + 0.5, x1);

        if (x1 > x0)
            pen_run(pen, (int)x, y0 + pen->slope * (from - x0), y0 + pen->slope * (to - x0));
        else
            pen_run(pen, (int)x, y0, y1);
    }
}

/* A position 0..1 in dots: the middle of the first and the last cell are its ends. */
static double to_dots(double place, int cells, int grain)
{
    return place * (cells - 1) * grain + (grain - 1) / 2.0;
}

/* values: those of the series, or its top. */
static void pen_line(struct pen *pen, const struct plot *plot, const struct plot_series *s,
                     const double *values)
{
    double x0 = NAN, y0 = NAN;

    pen->edge = s->shade;
    pen->ink = (uint8_t)(pen->edge ? INK_DIM : plot_ink(s->role));
    pen->row = pen->col = -1;
    for (int i = 0; i < s->count; i++) {
        double x = to_dots(plot_place(&plot->x, s->x[i]), pen->cols, pen->wide);
        double y = to_dots(1 - plot_place(&plot->y, values[i]), pen->rows, pen->high);
        bool alone = i + 1 == s->count || !isfinite(values[i + 1]);

        if (!isfinite(x) || !isfinite(y))
            x = y = NAN;
        else if (isfinite(x0))
            pen_segment(pen, fmin(x0, x), x0 <= x ? y0 : y, fmax(x0, x), x0 <= x ? y : y0);
        else if (alone)
            pen_segment(pen, x, y, x, y);
        x0 = x;
        y0 = y;
    }
}

/* 0: nothing stands in the cell. */
static uint32_t pen_char(const struct pen *pen, const struct pen_cell *cell)
{
    static const uint32_t blocks[] = {0, 0x2580, 0x2584, 0x2588};

    if (!cell->bits || pen->charset == CHARSET_ASCII)
        return cell->bits;
    return pen->charset == CHARSET_BLOCK ? blocks[cell->bits & 3] : 0x2800u + cell->bits;
}

/* ---- where things stand ---- */

static int tick_width(const struct plot_axis *axis, int rows)
{
    double at[PLOT_TICKS];
    char text[32];
    int wide = 0, count = plot_ticks(axis, rows / TICK_ROWS + 1, at);

    for (int i = 0; i < count; i++)
        wide = int_max(wide, gp_width(plot_tick_text(axis, at[i], text, sizeof(text))));
    return wide;
}

/* Puts the legend into rows of `cols` columns (NULL: only counts them). */
static int legend_draw(struct canvas *canvas, struct rect in, int cols, const struct plot *plot)
{
    int row = 0, col = 0;

    for (int i = 0; i < plot->count && cols > 0; i++) {
        const struct plot_series *s = &plot->series[i];
        char text[96], mark[2] = {s->mark ? s->mark : s->label, '\0'};

        gp_format(text, sizeof(text), "%s %s",
                  mark[0]  ? mark
                  : canvas ? theme_glyph(canvas->charset, GLYPH_HORIZONTAL)
                           : "-",
                  s->name);
        int wide = gp_width(text);
        if (plot->series[i].count == 0 || plot->series[i].shade)
            continue;
        if (col > 0 && col + wide > cols) {
            row++;
            col = 0;
        }
        if (canvas)
            canvas_fit(canvas, in, row, col, cols - col, plot_ink(plot->series[i].role), text);
        col += wide + 3;
    }
    return row + 1;
}

struct shape {
    struct rect area;
    bool ticks, title;
    int legend; /* rows */
};

static struct shape shape_of(struct rect in, const struct plot *plot)
{
    struct shape s = {.area = in};
    int left = in.rows;

    if (rect_empty(in))
        return s;
    s.ticks = in.rows >= 4 && in.cols >= 16;
    left -= 2 * s.ticks;
    s.title = s.ticks && plot->x.title && plot->x.title[0] && in.rows >= 8;
    left -= s.title;
    if (s.ticks && plot->legend > 0 && left > 5)
        s.legend = int_min(int_min(plot->legend, legend_draw(NULL, in, in.cols, plot)), left - 5);
    s.area.rows = left - s.legend;
    if (s.ticks) {
        int wide = int_min(tick_width(&plot->y, s.area.rows) + 1, in.cols / 2);

        s.area.x += wide;
        s.area.cols -= wide;
    }
    return s;
}

struct rect plot_area(struct rect in, const struct plot *plot)
{
    return shape_of(in, plot).area;
}

/* Cell of a place 0..1 among `cells`; -1: outside. */
static int cell_of(double place, int cells)
{
    double at = round(place * (cells - 1));

    return isfinite(at) && at >= 0 && at < cells ? (int)at : -1;
}

bool plot_cell(const struct plot *plot, struct rect area, double x, double y, int *row, int *col)
{
    double py = plot_place(&plot->y, y);

    *row = cell_of(1 - py, area.rows);
    *col = cell_of(plot_place(&plot->x, x), area.cols);
    return *row >= 0 && *col >= 0;
}

/* ---- axes ---- */

static void draw_y(struct canvas *canvas, struct rect in, const struct shape *s,
                   const struct plot *plot)
{
    double at[PLOT_TICKS];
    char text[32];
    int wide = s->area.x - in.x, last = s->area.rows;
    int count = plot_ticks(&plot->y, s->area.rows / TICK_ROWS + 1, at);

    for (int row = 0; row < s->area.rows; row++)
        canvas_glyph(canvas, in, row, wide - 1, INK_FRAME, GLYPH_VERTICAL);
    for (int i = 0; i < count; i++) {
        int row = cell_of(1 - plot_place(&plot->y, at[i]), s->area.rows);

        plot_tick_text(&plot->y, at[i], text, sizeof(text));
        if (row < 0 || row == last || gp_width(text) > wide - 1)
            continue;
        canvas_text(canvas, in, row, wide - 1 - gp_width(text), INK_TEXT, text);
        last = row;
    }
}

static void draw_x(struct canvas *canvas, struct rect in, const struct shape *s,
                   const struct plot *plot)
{
    double at[PLOT_TICKS];
    char text[32];
    int left = s->area.x - in.x, row = s->area.rows, end = -2;
    int count = plot_ticks(&plot->x, s->area.cols / TICK_COLS + 1, at);

    canvas_glyph(canvas, in, row, left - 1, INK_FRAME, GLYPH_LOWER_LEFT);
    canvas_run(canvas, in, row, left, s->area.cols, INK_FRAME, GLYPH_HORIZONTAL);
    for (int i = 0; i < count; i++) {
        int wide = gp_width(plot_tick_text(&plot->x, at[i], text, sizeof(text)));
        int col = cell_of(plot_place(&plot->x, at[i]), s->area.cols);
        int from = int_min(int_max(left + col - wide / 2, 0), in.cols - wide);

        if (col < 0 || from <= end + 1)
            continue;
        canvas_text(canvas, in, row + 1, from, INK_TEXT, text);
        end = from + wide - 1;
    }
}

/* ---- curves ---- */

static void draw_lines(struct canvas *canvas, struct rect area, const struct plot *plot)
{
    static const int wide[] = {[CHARSET_ASCII] = 1, [CHARSET_BLOCK] = 1, [CHARSET_BRAILLE] = 2};
    static const int high[] = {[CHARSET_ASCII] = 1, [CHARSET_BLOCK] = 2, [CHARSET_BRAILLE] = 4};
    struct pen pen = {.rows = area.rows,
                      .cols = area.cols,
                      .charset = canvas->charset,
                      .wide = wide[canvas->charset],
                      .high = high[canvas->charset]};
    int row[PLOT_SERIES], col[PLOT_SERIES];
    size_t cells = (size_t)area.rows * (size_t)area.cols;
    char *taken = gp_calloc(cells, 1);

    pen.cells = gp_calloc(cells, sizeof(*pen.cells));
    for (int i = 0; i < plot->count; i++)
        if (plot->series[i].shade == PLOT_BAND) {
            pen_line(&pen, plot, &plot->series[i], plot->series[i].y);
            pen_line(&pen, plot, &plot->series[i], plot->series[i].top);
        }
    for (int i = 0; i < plot->count; i++) {
        row[i] = -1;
        if (plot->series[i].mark || plot->series[i].shade)
            continue;
        pen_line(&pen, plot, &plot->series[i], plot->series[i].y);
        row[i] = pen.row;
        col[i] = pen.col;
    }
    for (size_t i = 0; i < cells; i++)
        if (pen.cells[i].bits)
            canvas_char(canvas, area, (int)i / area.cols, (int)i % area.cols, pen.cells[i].ink,
                        pen_char(&pen, &pen.cells[i]));
    for (int i = 0; i < plot->count; i++) {
        const struct plot_series *s = &plot->series[i];

        if (row[i] < 0 || !s->label)
            continue;
        while (col[i] > 0 && taken[row[i] * area.cols + col[i]])
            col[i]--; /* on the last cell, or before another's letter */
        taken[row[i] * area.cols + col[i]] = 1;
        canvas_char(canvas, area, row[i], col[i], plot_ink(s->role),
                    (uint32_t)(unsigned char)s->label);
    }
    free(pen.cells);
    free(taken);
}

/* taken: the mark that stands in a cell, 0 = none. Of points side by side the first stands for
 * all, so that they read as no number; their word is under it. */
static void draw_points(struct canvas *canvas, struct rect area, const struct plot_series *s,
                        const struct plot *plot, char *taken)
{
    bool said = !s->tag[0];

    for (int i = 0; i < s->count; i++) {
        int row, col, wide = gp_width(s->tag);
        char *there, mark = s->mark;

        if (!plot_cell(plot, area, s->x[i], s->y[i], &row, &col))
            continue;
        there = &taken[row * area.cols + col];
        if (s->tag[0] &&
            ((col > 0 && there[-1] == mark) || (col + 1 < area.cols && there[1] == mark)))
            continue;
        if (!said && row + 1 < area.rows && col + 1 + wide <= area.cols)
            canvas_text(canvas, area, row + 1, col + 1, INK_DIM, s->tag);
        said = true;
        if (*there && *there != mark && mark != 'P') /* the plan itself is never hidden */
            mark = SEVERAL;
        *there = mark;
        canvas_char(canvas, area, row, col, plot_ink(s->role), (uint32_t)(unsigned char)mark);
    }
}

/* ---- what is shaded, and rules ---- */

/* The place of y at x on a line that goes through the series' points; NAN: none. */
static double shade_place(const struct plot *plot, const struct plot_series *s, const double *y,
                          double at)
{
    for (int i = 0; i < s->count; i++) {
        double high = plot_place(&plot->x, s->x[i]), here = plot_place(&plot->y, y[i]);
        double low = i ? plot_place(&plot->x, s->x[i - 1]) : high;
        double before = i ? plot_place(&plot->y, y[i - 1]) : here;

        if (fabs(high - at) < 1e-9)
            return here;
        if (low < at && at < high)
            return before + (here - before) * (at - low) / (high - low);
    }
    return NAN;
}

static void draw_shade(struct canvas *canvas, struct rect area, const struct plot *plot,
                       const struct plot_series *s)
{
    static const enum glyph parts[PLOT_ROLE_COUNT] = {
        [PLOT_WEIGHTS] = GLYPH_BAR_WEIGHTS,
        [PLOT_KV] = GLYPH_BAR_KV,
        [PLOT_ACTIVATION] = GLYPH_BAR_ACTIVATION,
        [PLOT_RUNTIME] = GLYPH_BAR_RUNTIME,
    };
    enum glyph glyph = parts[s->role] ? parts[s->role] : GLYPH_EMPTY;
    int most = area.rows - 1;

    for (int col = 0; col < area.cols; col++) {
        double at = area.cols > 1 ? (double)col / (area.cols - 1) : 0;
        double low = shade_place(plot, s, s->y, at), high = shade_place(plot, s, s->top, at);

        if (!isfinite(low) || !isfinite(high) || high < 0 || low > 1)
            continue;
        int from = (int)round((1 - fmin(high, 1)) * most);
        int to = (int)round((1 - fmax(low, 0)) * most);
        for (int row = from; row <= to; row++)
            canvas_glyph(canvas, area, row, col, plot_ink(s->role), glyph);
    }
}

/* Row or column of a rule; -1: outside. */
static int rule_cell(struct rect area, const struct plot *plot, const struct plot_rule *r)
{
    return r->upright ? cell_of(plot_place(&plot->x, r->at), area.cols)
                      : cell_of(1 - plot_place(&plot->y, r->at), area.rows);
}

/* Over everything else: beside an upright rule in row i, above a flat one. */
static void draw_word(struct canvas *canvas, struct rect area, const struct plot *plot,
                      const struct plot_rule *r, int i)
{
    int wide = gp_width(r->word), at = rule_cell(area, plot, r);

    if (at < 0 || wide + 2 > area.cols)
        return;
    if (r->upright)
        canvas_text(canvas, area, int_min(i, area.rows - 1),
                    at + 1 + wide <= area.cols ? at + 1 : int_max(at - wide - 1, 0),
                    plot_ink(r->role), r->word);
    else
        canvas_text(canvas, area, at > 0 ? at - 1 : at + 1, 1, plot_ink(r->role), r->word);
}

void plot_draw(struct canvas *canvas, struct rect in, const struct plot *plot, double cursor)
{
    struct shape shape = shape_of(in, plot);
    struct rect below = in;

    if (rect_empty(shape.area))
        return;
    if (shape.ticks) {
        draw_y(canvas, in, &shape, plot);
        draw_x(canvas, in, &shape, plot);
    }
    if (shape.title)
        canvas_fit(canvas, in, shape.area.rows + 2, shape.area.x - in.x, shape.area.cols, INK_DIM,
                   plot->x.title);
    below.y += in.rows - shape.legend;
    below.rows = shape.legend;
    if (shape.legend > 0)
        legend_draw(canvas, below, in.cols, plot);
    for (int i = 0; i < plot->count; i++)
        if (plot->series[i].shade == PLOT_PART)
            draw_shade(canvas, shape.area, plot, &plot->series[i]);
    int col = cell_of(plot_place(&plot->x, cursor), shape.area.cols);
    for (int row = 0; row < shape.area.rows && col >= 0; row++)
        canvas_glyph(canvas, shape.area, row, col, INK_DIM, GLYPH_VERTICAL);
    for (int i = 0; i < plot->rules; i++) {
        const struct plot_rule *r = &plot->rule[i];
        int at = rule_cell(shape.area, plot, r);

        for (int k = 0; k < (r->upright ? shape.area.rows : shape.area.cols) && at >= 0; k++)
            if (r->upright || k % 2 == 0)
                canvas_char(canvas, shape.area, r->upright ? k : at, r->upright ? at : k,
                            plot_ink(r->role), r->upright ? ':' : '-');
    }
    draw_lines(canvas, shape.area, plot);
    char *taken = gp_calloc((size_t)shape.area.rows * (size_t)shape.area.cols, 1);
    for (int i = 0; i < plot->count; i++)
        if (plot->series[i].mark)
            draw_points(canvas, shape.area, &plot->series[i], plot, taken);
    for (int i = 0, upright = 0; i < plot->rules; i++) {
        draw_word(canvas, shape.area, plot, &plot->rule[i], upright);
        upright += plot->rule[i].upright;
    }
    free(taken);
}

/* ---- the last minute of a figure ---- */

#define HEIGHTS 8

void spark_add(struct spark *spark, double value)
{
    spark->value[spark->next] = value;
    spark->next = (spark->next + 1) % SPARK_SECONDS;
    if (spark->count < SPARK_SECONDS)
        spark->count++;
}

double spark_value(const struct spark *spark, int ago)
{
    if (ago < 0 || ago >= spark->count)
        return NAN;
    return spark->value[(spark->next - 1 - ago + 2 * SPARK_SECONDS) % SPARK_SECONDS];
}

double spark_most(const struct spark *spark)
{
    double most = NAN;

    for (int ago = 0; ago < spark->count; ago++)
        most = fmax(most, spark_value(spark, ago)); /* fmax leaves NANs out */
    return most;
}

int spark_height(double value, double low, double high)
{
    double part = (value - low) / (high - low);

    if (!isfinite(value) || !(high > low))
        return -1;
    return (int)lround(fmin(fmax(part, 0), 1) * (HEIGHTS - 1));
}

void spark_draw(struct canvas *canvas, struct rect in, enum ink ink, const struct spark *spark,
                double low, double high)
{
    for (int ago = 0; ago < in.cols && ago < spark->count; ago++) {
        double value = spark_value(spark, ago), each = (high - low) / in.rows;

        for (int row = 0; row < in.rows; row++) { /* from the lowest; it alone shows that it is 0 */
            double from = low + row * each;
            int height = spark_height(value, from, from + each);

            if (height >= 0 && (row == 0 || value > from))
                canvas_glyph(canvas, in, in.rows - 1 - row, in.cols - 1 - ago, ink,
                             (enum glyph)(GLYPH_SPARK1 + height));
        }
    }
}
