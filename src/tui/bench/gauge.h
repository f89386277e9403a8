/*
 * gauge.h - what a device tells of itself, as lines of label, value and last minute.
 *
 * As much as there is room for, always in the same order: with two rows per gauge the
 * minute stands below the value, with one beside it, and with less the values share
 * rows. What nobody told is "-", never 0.
 */
#ifndef GP_TUI_BENCH_GAUGE_H
#define GP_TUI_BENCH_GAUGE_H

#include "tui/toolkit/canvas.h"
#include "tui/toolkit/spark.h"

#define GAUGES 8

struct gauge {
    const char *label;         /* "power" */
    char text[64];             /* "664 of 700 W" */
    const struct spark *spark; /* NULL: none is kept */
    double high;  /* the upper end of its minute; NAN: the most there was */
    enum ink ink; /* of the value */
};

/* The next of them; text by fmt. */
struct gauge *gauge_add(struct gauge *list, int *count, const char *label,
                        const struct spark *spark, double high);
/* "664 of 700 W", "664 W", "-": a value and its limit (NAN: none) in one unit. */
void gauge_of(struct gauge *gauge, double value, double limit, int decimals,
              const char *unit);

/* Into rows y.. of the rectangle; the rows used. */
int gauge_draw(struct canvas *canvas, struct rect in, int y, const struct gauge *list,
               int count);

#endif
