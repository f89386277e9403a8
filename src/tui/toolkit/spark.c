/*
 * spark.c - see spark.h.
 */
#include "tui/toolkit/spark.h"

#include <math.h>

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

void spark_draw(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
                const struct spark *spark, double low, double high)
{
    for (int ago = 0; ago < cols && ago < spark->count; ago++) {
        int height = spark_height(spark_value(spark, ago), low, high);

        if (height >= 0)
            canvas_glyph(canvas, in, y, x + cols - 1 - ago, ink,
                         (enum glyph)(GLYPH_SPARK1 + height));
    }
}
