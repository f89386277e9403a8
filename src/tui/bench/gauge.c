/*
 * gauge.c - see gauge.h.
 */
#include "tui/bench/gauge.h"

#include <math.h>
#include <string.h>

#define LABEL 9  /* columns of a label */
#define VALUE 22 /* of a value, where its minute stands beside it */
#define LEAST 10 /* of a minute that still says something */

struct gauge *gauge_add(struct gauge *list, int *count, const char *label,
                        const struct spark *spark, double high)
{
    struct gauge *gauge = &list[*count < GAUGES ? (*count)++ : GAUGES - 1];

    *gauge = (struct gauge){
        .label = label, .text = "-", .spark = spark, .high = high, .ink = INK_TEXT};
    return gauge;
}

void gauge_of(struct gauge *gauge, double value, double limit, int decimals,
              const char *unit)
{
    if (!isfinite(value) && !isfinite(limit))
        return;
    if (!isfinite(value))
        gp_format(gauge->text, sizeof gauge->text, "- of %.*f %s", decimals, limit,
                  unit);
    else if (isfinite(limit) && limit > 0)
        gp_format(gauge->text, sizeof gauge->text, "%.*f of %.*f %s", decimals, value,
                  decimals, limit, unit);
    else
        gp_format(gauge->text, sizeof gauge->text, "%.*f %s", decimals, value, unit);
}

static double top_of(const struct gauge *gauge)
{
    return isfinite(gauge->high) && gauge->high > 0 ? gauge->high
                                                    : spark_most(gauge->spark);
}

static void draw_minute(struct canvas *canvas, struct rect in, int y, int x,
                        const struct gauge *gauge)
{
    int cols = in.cols - x;

    if (gauge->spark && cols >= LEAST)
        spark_draw(canvas, in, y, x, cols < SPARK_SECONDS ? cols : SPARK_SECONDS,
                   INK_SERIES1, gauge->spark, 0, top_of(gauge));
}

static void draw_value(struct canvas *canvas, struct rect in, int y, int cols,
                       const struct gauge *gauge)
{
    canvas_fit(canvas, in, y, 0, LABEL, INK_DIM, gauge->label);
    canvas_fit(canvas, in, y, LABEL, cols, gauge->ink, gauge->text);
}

/* Not even a row for each: "power 664 W  clock 1935 MHz  ..." */
static int draw_packed(struct canvas *canvas, struct rect in, int y,
                       const struct gauge *list, int count)
{
    char text[GAUGES * 96] = "";
    size_t len = 0;

    for (int i = 0; i < count; i++) {
        gp_format(text + len, sizeof text - len, "%s%s %s", len ? "  " : "",
                  list[i].label, list[i].text);
        len = strlen(text);
    }
    return canvas_wrap(canvas, in, y, INK_TEXT, text);
}

int gauge_draw(struct canvas *canvas, struct rect in, int y, const struct gauge *list,
               int count)
{
    int room = in.rows - y, from = y, minutes = 0;

    for (int i = 0; i < count; i++)
        minutes += list[i].spark && list[i].spark->count > 0;
    if (room < count)
        return draw_packed(canvas, in, y, list, count);
    for (int i = 0; i < count; i++, y++) {
        bool minute = list[i].spark && list[i].spark->count > 0;

        if (room >= count + minutes) {
            draw_value(canvas, in, y, in.cols - LABEL, &list[i]);
            if (minute)
                draw_minute(canvas, in, ++y, 0, &list[i]);
            continue;
        }
        minute = minute && in.cols >= LABEL + VALUE + LEAST;
        draw_value(canvas, in, y, minute ? VALUE : in.cols - LABEL, &list[i]);
        if (minute)
            draw_minute(canvas, in, y, LABEL + VALUE, &list[i]);
    }
    return y - from;
}
