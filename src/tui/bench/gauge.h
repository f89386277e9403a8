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

/* X(id, label, unit, decimals, full): in the order in which they are shown. full: the
 * upper end of its minute where it has no limit of its own; 0: the most there was. */
#define GAUGES(X)                            \
    X(POWER, "power", "W", 0, 0)             \
    X(CLOCK, "clock", "MHz", 0, 0)           \
    X(TEMP, "temp", "C", 0, 100)             \
    X(BUSY, "busy", "% of the time", 0, 100) \
    X(MEMORY, "memory", "GiB", 1, 0)         \
    X(LOAD, "load", "runnable", 2, 0)        \
    X(TENSOR, "tensor", "% active", 0, 100)  \
    X(DRAM, "DRAM", "% active", 0, 100)

#define X(id, ...) GAUGE_##id,
enum gauge { GAUGES(X) GAUGE_COUNT };
#undef X

struct gauges { /* of one device, each in its unit; NAN = not told */
    double now[GAUGE_COUNT], limit[GAUGE_COUNT];
    struct spark minute[GAUGE_COUNT];
    char throttle[24]; /* why the clock is held down; "" = not told */
};

void gauges_init(struct gauges *gauges); /* nothing told */
/* What is told now is that of a second: it goes into the minutes. */
void gauges_second(struct gauges *gauges);

/* Why the clock is held down, in words; "-" = not told. */
const char *gauges_throttle(const struct gauges *gauges, enum ink *ink);

/* Those of the set (bit per enum gauge; GAUGE_COUNT: the throttle) into rows y.. of the
 * rectangle. */
#define GAUGE_BIT(id) (1u << GAUGE_##id)
void gauges_draw(struct canvas *canvas, struct rect in, int y, const struct gauges *gauges,
                 unsigned set);

#endif
