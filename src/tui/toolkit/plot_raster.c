/*
 * plot_raster.c - lines into cells; see plot_parts.h.
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
#include "tui/toolkit/plot_parts.h"

#include <math.h>
#include <stdlib.h>

#include "util/mem.h"

#define FLAT  0.08 /* rows per column below which a line is '-' in ASCII */
#define STEEP 2.0  /* above which it is '|' */

static const uint8_t braille[4][2] = {
    {0x01, 0x08}, {0x02, 0x10}, {0x04, 0x20}, {0x40, 0x80}};

static const struct grain {
    int x, y; /* dots of a cell */
} grains[] = {
    [CHARSET_ASCII] = {1, 1}, [CHARSET_BLOCK] = {1, 2}, [CHARSET_BRAILLE] = {2, 4}};

void raster_init(struct raster *r, int rows, int cols, enum charset charset)
{
    r->rows = rows > 0 ? rows : 0;
    r->cols = cols > 0 ? cols : 0;
    r->charset = charset;
    r->cells = gp_calloc((size_t)r->rows * (size_t)r->cols + 1, sizeof *r->cells);
}

void raster_fini(struct raster *r)
{
    free(r->cells);
}

/* A position 0..1 in dots: the middle of the first and the last cell are its ends. */
static double to_dots(double place, int cells, int grain)
{
    return place * (cells - 1) * grain + (grain - 1) / 2.0;
}

struct pen {
    struct raster *raster;
    const struct grain *grain;
    uint8_t ink;
    double slope; /* dots down per dot right; INFINITY: straight down */
    int row, col; /* of the last cell drawn; -1: none */
};

static uint8_t stroke(double slope)
{
    if (fabs(slope) < FLAT)
        return '-';
    if (fabs(slope) > STEEP)
        return '|';
    return slope < 0 ? '/' : '\\';
}

static void dot(struct pen *pen, int x, int y)
{
    struct raster *r = pen->raster;
    int row = y / pen->grain->y, col = x / pen->grain->x;
    struct raster_cell *cell = &r->cells[row * r->cols + col];

    if (r->charset == CHARSET_ASCII)
        cell->bits = stroke(pen->slope);
    else if (r->charset == CHARSET_BLOCK)
        cell->bits = (uint8_t)(cell->bits | 1 << (y % 2));
    else
        cell->bits |= braille[y % 4][x % 2];
    cell->ink = pen->ink;
    pen->row = row;
    pen->col = col;
}

/* The rows between y0 and y1 in one column of dots. */
static void run(struct pen *pen, int x, double y0, double y1)
{
    int most = pen->raster->rows * pen->grain->y - 1;
    double low = round(fmin(y0, y1)), high = round(fmax(y0, y1));

    if (fabs(y1 - y0) <= 1)
        low = high = round((y0 + y1) / 2);
    if (high < 0 || low > most)
        return;
    low = fmax(low, 0);
    high = fmin(high, most);
    if (y1 < y0)
        for (int y = (int)high; y >= (int)low; y--)
            dot(pen, x, y);
    else
        for (int y = (int)low; y <= (int)high; y++)
            dot(pen, x, y);
}

/* From (x0, y0) to (x1, y1) in dots, x0 <= x1, all finite. */
static void segment(struct pen *pen, double x0, double y0, double x1, double y1)
{
    int most = pen->raster->cols * pen->grain->x - 1;
    double first = fmax(round(x0), 0), last = fmin(round(x1), most);

    pen->slope = x1 > x0 ? (y1 - y0) / (x1 - x0) : INFINITY;
    for (double x = first; x <= last; x++) {
        double from = fmax(x - 0.5, x0), to = fmin(x + 0.5, x1);

        if (x1 > x0)
            run(pen, (int)x, y0 + pen->slope * (from - x0),
                y0 + pen->slope * (to - x0));
        else
            run(pen, (int)x, y0, y1);
    }
}

bool raster_line(struct raster *r, const struct plot *plot, const struct plot_series *s,
                 int *row, int *col)
{
    struct pen pen = {r, &grains[r->charset], (uint8_t)s->ink, 0, -1, -1};
    double x0 = NAN, y0 = NAN;

    for (int i = 0; i < s->count && r->rows > 0 && r->cols > 0; i++) {
        double x = to_dots(plot_place(&plot->x, s->x[i]), r->cols, pen.grain->x);
        double y = to_dots(1 - plot_place(&plot->y, s->y[i]), r->rows, pen.grain->y);
        bool alone = i + 1 == s->count || !isfinite(s->y[i + 1]);

        if (isfinite(x) && isfinite(y)) {
            if (isfinite(x0))
                segment(&pen, fmin(x0, x), x0 <= x ? y0 : y, fmax(x0, x),
                        x0 <= x ? y : y0);
            else if (alone)
                segment(&pen, x, y, x, y);
        } else {
            x = y = NAN;
        }
        x0 = x;
        y0 = y;
    }
    *row = pen.row;
    *col = pen.col;
    return pen.row >= 0;
}

uint32_t raster_char(const struct raster *r, int row, int col)
{
    static const uint32_t blocks[] = {0, 0x2580, 0x2584, 0x2588};
    uint8_t bits = r->cells[row * r->cols + col].bits;

    if (!bits || r->charset == CHARSET_ASCII)
        return bits;
    return r->charset == CHARSET_BLOCK ? blocks[bits & 3] : 0x2800u + bits;
}
