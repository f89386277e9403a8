/*
 * shape.h - how demand goes over a day or a week: the files of profiles/shapes.
 *
 * Example: azure-chat, 168 hours from a Sunday on, busiest minute 1.54 of its hour.
 */
#ifndef GP_CATALOG_SHAPE_H
#define GP_CATALOG_SHAPE_H

#include "catalog/profile.h"

#define SHAPE_HOURS 168

struct shape {
    char name[80], note[320], source[256], date[12];
    int count;    /* 24 or 168 */
    int start;    /* weekday of the first value, 0 = Monday */
    double burst; /* busiest minute over its hour; 0 = not told */
    double value[SHAPE_HOURS];
};

/* Adds what a shape file says to a zeroed one (a profile_read_fn). */
void shape_read(struct profile_group top, void *shape);

/* The curve over the hours of a week or day that begins on Monday at midnight: a week as a day is
 * the mean of its Monday to Friday, a day as a week is repeated. */
void shape_fit(const struct shape *shape, int hours, double out[SHAPE_HOURS]);

/* 24 or 168 values at a key, not all 0; how many, 0 after an error. */
int shape_read_hours(struct profile_group group, const char *key, double high,
                     double out[SHAPE_HOURS]);

#endif
