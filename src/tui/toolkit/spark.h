/*
 * spark.h - the last minute of a figure as a row of little bars.
 *
 * One sample per second and column, the newest at the right. A bar is one of eight
 * heights between two fixed ends (0 and the power limit, say), so that two panels can
 * be compared and nothing jumps when a sample comes or goes. A second in which nothing
 * was told stays blank: unknown is not zero.
 *
 *     value 350 of 0..700: (350 - 0) / 700 x 7 = 3.5, rounded 4: the fifth height
 */
#ifndef GP_TUI_TOOLKIT_SPARK_H
#define GP_TUI_TOOLKIT_SPARK_H

#include "tui/toolkit/canvas.h"

#define SPARK_SECONDS 60

struct spark {
    int count;                   /* of samples kept, at most SPARK_SECONDS */
    int next;                    /* place of the next one */
    double value[SPARK_SECONDS]; /* a ring; NAN = not told */
};

void spark_add(struct spark *spark, double value);
/* The sample of `ago` seconds back, 0 = the newest; NAN when there is none. */
double spark_value(const struct spark *spark, int ago);
/* The largest sample that is told; NAN when none is. */
double spark_most(const struct spark *spark);
/* Height 0..7 of a value between the ends; -1 = nothing to draw. */
int spark_height(double value, double low, double high);
/* The newest `cols` samples at (y, x), the newest in the last column. */
void spark_draw(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
                const struct spark *spark, double low, double high);

#endif
