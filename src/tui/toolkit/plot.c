/*
 * plot.c - see plot.h. A plot in a rectangle, from the left and from below:
 *
 *      64 | /////         ticks of y, the axis, the curves
 *         +---------
 *          1    4         ticks of x
 *        title of x       when there are rows for it
 *     1 decode  a roof    legend, as many rows as the plot allows
 *
 * Rows go to the curves first: below 8 rows the title, below 4 the ticks are left out.
 * Lines are drawn into cells by plot_raster.c; then come their letters, then points.
 * Several points in one cell show as '*'.
 */
#include "tui/toolkit/plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "tui/toolkit/plot_parts.h"
#include "util/mem.h"
#include "util/str.h"

#define TICK_ROWS 3  /* rows that a tick of y has at the least */
#define TICK_COLS 10 /* columns that one of x has */
#define SEVERAL   '*'

void plot_init(struct plot *plot)
{
    memset(plot, 0, sizeof *plot);
    plot->series = gp_calloc(PLOT_SERIES, sizeof *plot->series);
}

void plot_fini(struct plot *plot)
{
    free(plot->series);
    plot->series = NULL;
    plot->count = 0;
}

struct plot_series *plot_add(struct plot *plot, const char *name, enum ink ink,
                             char mark)
{
    struct plot_series *s;

    if (plot->count == PLOT_SERIES)
        return NULL;
    s = &plot->series[plot->count++];
    s->count = 0;
    s->ink = ink;
    s->mark = mark;
    s->label = 0;
    gp_copy(s->name, sizeof s->name, name);
    gp_tame(s->name);
    return s;
}

void plot_point(struct plot_series *s, double x, double y)
{
    if (!s || s->count == PLOT_POINTS)
        return;
    s->x[s->count] = x;
    s->y[s->count++] = y;
}

/* ---- reading ---- */

static double between(const struct plot_axis *axis, double a, double b, double part)
{
    if (axis->log && a > 0 && b > 0)
        return a * pow(b / a, part);
    return a + (b - a) * part;
}

/* Straight lines on the axes as drawn: a roof of slope 1 is read exactly. */
double plot_read(const struct plot *plot, const struct plot_series *s, double x)
{
    for (int i = 0; i < s->count; i++) {
        double low, high;

        if (s->x[i] == x)
            return s->y[i];
        if (i == 0 || !(s->x[i - 1] < x && x < s->x[i]))
            continue;
        low = plot_place(&plot->x, s->x[i - 1]);
        high = plot_place(&plot->x, s->x[i]);
        return between(&plot->y, s->y[i - 1], s->y[i],
                       (plot_place(&plot->x, x) - low) / (high - low));
    }
    return NAN;
}

/* The value at a place, 0..1. */
static double value_at(const struct plot_axis *axis, double place)
{
    if (axis->log && axis->low > 0)
        return axis->low * pow(axis->high / axis->low, place);
    return axis->low + (axis->high - axis->low) * place;
}

double plot_move(const struct plot *plot, int width, double x, int columns)
{
    double place = plot_place(&plot->x, x);

    if (!isfinite(place) || width < 2)
        return x;
    place += (double)columns / (width - 1);
    if (place <= 0)
        return plot->x.low;
    return place >= 1 ? plot->x.high : value_at(&plot->x, place);
}

/* ---- where things stand ---- */

static int max(int a, int b)
{
    return a > b ? a : b;
}

static int min(int a, int b)
{
    return a < b ? a : b;
}

static int tick_width(const struct plot_axis *axis, int rows)
{
    double at[PLOT_TICKS];
    char text[32];
    int wide = 0, count = plot_ticks(axis, rows / TICK_ROWS + 1, at);

    for (int i = 0; i < count; i++)
        wide = max(wide, gp_width(plot_tick_text(axis, at[i], text, sizeof text)));
    return wide;
}

/* What a series is called in the legend. */
static int legend_text(const struct canvas *canvas, const struct plot_series *s,
                       char *text, size_t size)
{
    char mark[2] = {s->mark ? s->mark : s->label, '\0'};

    gp_format(text, size, "%s %s",
              mark[0]  ? mark
              : canvas ? theme_glyph(canvas->charset, GLYPH_HORIZONTAL)
                       : "-",
              s->name);
    return gp_width(text);
}

/* Puts the legend into rows of `cols` columns (NULL: only counts them). */
static int legend(struct canvas *canvas, struct rect in, int cols,
                  const struct plot *plot)
{
    int row = 0, col = 0;

    for (int i = 0; i < plot->count && cols > 0; i++) {
        char text[96];
        int wide = legend_text(canvas, &plot->series[i], text, sizeof text);

        if (plot->series[i].count == 0)
            continue;
        if (col > 0 && col + wide > cols) {
            row++;
            col = 0;
        }
        if (canvas)
            canvas_fit(canvas, in, row, col, cols - col, plot->series[i].ink, text);
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
        s.legend = min(min(plot->legend, legend(NULL, in, in.cols, plot)), left - 5);
    s.area.rows = left - s.legend;
    if (s.ticks) {
        int wide = min(tick_width(&plot->y, s.area.rows) + 1, in.cols / 2);

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

bool plot_cell(const struct plot *plot, struct rect area, double x, double y, int *row,
               int *col)
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

        plot_tick_text(&plot->y, at[i], text, sizeof text);
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
        int wide = gp_width(plot_tick_text(&plot->x, at[i], text, sizeof text));
        int col = cell_of(plot_place(&plot->x, at[i]), s->area.cols);
        int from = min(max(left + col - wide / 2, 0), in.cols - wide);

        if (col < 0 || from <= end + 1)
            continue;
        canvas_text(canvas, in, row + 1, from, INK_TEXT, text);
        end = from + wide - 1;
    }
}

/* ---- curves ---- */

static void draw_cursor(struct canvas *canvas, struct rect area,
                        const struct plot *plot, double cursor)
{
    int col = cell_of(plot_place(&plot->x, cursor), area.cols);

    for (int row = 0; row < area.rows && col >= 0; row++)
        canvas_glyph(canvas, area, row, col, INK_DIM, GLYPH_VERTICAL);
}

/* A line's letter, on its last cell or, when another's stands there, before it. */
static void draw_label(struct canvas *canvas, struct rect area,
                       const struct plot_series *s, int row, int col, char *taken)
{
    while (col > 0 && taken[row * area.cols + col])
        col--;
    taken[row * area.cols + col] = 1;
    canvas_char(canvas, area, row, col, s->ink, (uint32_t)(unsigned char)s->label);
}

static void draw_lines(struct canvas *canvas, struct rect area, const struct plot *plot)
{
    struct raster raster;
    int row[PLOT_SERIES], col[PLOT_SERIES];
    bool seen[PLOT_SERIES];
    char *taken = gp_calloc((size_t)area.rows * (size_t)area.cols, 1);

    raster_init(&raster, area.rows, area.cols, canvas->charset);
    for (int i = 0; i < plot->count; i++)
        seen[i] = !plot->series[i].mark &&
                  raster_line(&raster, plot, &plot->series[i], &row[i], &col[i]);
    for (int y = 0; y < area.rows; y++)
        for (int x = 0; x < area.cols; x++)
            if (raster_char(&raster, y, x))
                canvas_char(canvas, area, y, x, raster.cells[y * area.cols + x].ink,
                            raster_char(&raster, y, x));
    for (int i = 0; i < plot->count; i++)
        if (seen[i] && plot->series[i].label)
            draw_label(canvas, area, &plot->series[i], row[i], col[i], taken);
    raster_fini(&raster);
    free(taken);
}

/* taken: the mark that stands in a cell, 0 = none. */
static void draw_points(struct canvas *canvas, struct rect area,
                        const struct plot_series *s, const struct plot *plot,
                        char *taken)
{
    for (int i = 0; i < s->count; i++) {
        int row, col;
        char *there, mark = s->mark;

        if (!plot_cell(plot, area, s->x[i], s->y[i], &row, &col))
            continue;
        there = &taken[row * area.cols + col];
        if (*there && *there != mark)
            mark = SEVERAL;
        *there = mark;
        canvas_char(canvas, area, row, col, s->ink, (uint32_t)(unsigned char)mark);
    }
}

void plot_draw(struct canvas *canvas, struct rect in, const struct plot *plot,
               double cursor)
{
    struct shape shape = shape_of(in, plot);
    struct rect below = in;
    char *taken;

    if (rect_empty(shape.area))
        return;
    if (shape.ticks) {
        draw_y(canvas, in, &shape, plot);
        draw_x(canvas, in, &shape, plot);
    }
    if (shape.title)
        canvas_fit(canvas, in, shape.area.rows + 2, shape.area.x - in.x,
                   shape.area.cols, INK_DIM, plot->x.title);
    below.y += in.rows - shape.legend;
    below.rows = shape.legend;
    if (shape.legend > 0)
        legend(canvas, below, in.cols, plot);
    draw_cursor(canvas, shape.area, plot, cursor);
    draw_lines(canvas, shape.area, plot);
    taken = gp_calloc((size_t)shape.area.rows * (size_t)shape.area.cols, 1);
    for (int i = 0; i < plot->count; i++)
        if (plot->series[i].mark)
            draw_points(canvas, shape.area, &plot->series[i], plot, taken);
    free(taken);
}
