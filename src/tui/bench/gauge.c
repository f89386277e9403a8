/*
 * gauge.c - see gauge.h.
 */
#include "tui/bench/gauge.h"

#include <math.h>
#include <string.h>

#define LABEL 9  /* columns of a label */
#define VALUE 22 /* of a value, where its minute stands beside it */
#define LEAST 10 /* of a minute that still says something */

static const struct {
    const char *label, *unit;
    int decimals;
    double full;
} rows[GAUGE_COUNT] = {
#define X(id, ...) {__VA_ARGS__},
    GAUGES(X)
#undef X
};

/* The classes that are not said as they are told. Running into the power limit is what
 * a GPU does under load; heat and a brake are not. */
static const struct {
    const char *told, *said;
    enum ink ink;
} throttles[] = {
    {"power_cap", "power cap", INK_TEXT},
    {"thermal", "thermal: too hot", INK_WARN},
    {"hw", "hardware brake", INK_WARN},
    {"hardware", "hardware brake", INK_WARN},
};

struct line {
    const char *label;
    char text[64];
    enum ink ink;
    const struct spark *minute; /* NULL: none is kept */
    double high;                /* the upper end of it */
};

void gauges_init(struct gauges *g)
{
    memset(g, 0, sizeof(*g));
    for (int i = 0; i < GAUGE_COUNT; i++)
        g->now[i] = g->limit[i] = NAN;
}

void gauges_second(struct gauges *g)
{
    for (int i = 0; i < GAUGE_COUNT; i++)
        spark_add(&g->minute[i], g->now[i]);
}

/* "664 of 700 W", "664 W", "- of 700 W", "-" */
static struct line value_line(const struct gauges *g, int i)
{
    double now = g->now[i], limit = g->limit[i];
    bool limited = isfinite(limit) && limit > 0;
    struct line line = {.label = rows[i].label,
                        .text = "-",
                        .ink = INK_TEXT,
                        .minute = &g->minute[i],
                        .high = limited            ? limit
                                : rows[i].full > 0 ? rows[i].full
                                                   : spark_most(&g->minute[i])};
    char value[32] = "-", of[40] = "";

    if (isfinite(now))
        gp_format(value, sizeof(value), "%.*f", rows[i].decimals, now);
    if (limited)
        gp_format(of, sizeof(of), " of %.*f", rows[i].decimals, limit);
    if (isfinite(now) || limited)
        gp_format(line.text, sizeof(line.text), "%s%s %s", value, of, rows[i].unit);
    return line;
}

const char *gauges_throttle(const struct gauges *g, enum ink *ink)
{
    *ink = INK_TEXT;
    for (size_t i = 0; i < sizeof(throttles) / sizeof(throttles[0]); i++)
        if (strcmp(g->throttle, throttles[i].told) == 0) {
            *ink = throttles[i].ink;
            return throttles[i].said;
        }
    return g->throttle[0] ? g->throttle : "-";
}

static struct line throttle_line(const struct gauges *g)
{
    struct line line = {.label = "throttle"};

    gp_copy(line.text, sizeof(line.text), gauges_throttle(g, &line.ink));
    return line;
}

static void draw_minute(struct canvas *canvas, struct rect in, int y, int x,
                        const struct line *line)
{
    int cols = in.cols - x;

    if (cols >= LEAST)
        spark_draw(canvas, in, y, x, cols < SPARK_SECONDS ? cols : SPARK_SECONDS, INK_SERIES1,
                   line->minute, 0, line->high);
}

void gauges_draw(struct canvas *canvas, struct rect in, int y, const struct gauges *g, unsigned set)
{
    struct line list[GAUGE_COUNT + 1];
    int room = in.rows - y, count = 0, minutes = 0;
    bool beside = in.cols >= LABEL + VALUE + LEAST, below;

    for (int i = 0; i <= GAUGE_COUNT; i++)
        if (set >> i & 1)
            list[count++] = i < GAUGE_COUNT ? value_line(g, i) : throttle_line(g);
    for (int i = 0; i < count; i++)
        minutes += list[i].minute && list[i].minute->count > 0;
    below = room >= count + minutes;
    if (room < count) {
        struct strbuf text;

        strbuf_init(&text);
        for (int i = 0; i < count; i++)
            strbuf_addf(&text, "%s%s %s", i ? "  " : "", list[i].label, list[i].text);
        canvas_wrap(canvas, in, y, INK_TEXT, text.text);
        strbuf_fini(&text);
    }
    for (int i = 0; i < count && room >= count; i++, y++) {
        bool minute = list[i].minute && list[i].minute->count > 0;

        canvas_fit(canvas, in, y, 0, LABEL, INK_DIM, list[i].label);
        canvas_fit(canvas, in, y, LABEL, minute && beside && !below ? VALUE : in.cols - LABEL,
                   list[i].ink, list[i].text);
        if (minute && below)
            draw_minute(canvas, in, ++y, 0, &list[i]);
        else if (minute && beside)
            draw_minute(canvas, in, y, LABEL + VALUE, &list[i]);
    }
}
