/*
 * shape_file.c - see shape.h.
 */
#include "catalog/shape.h"

#define DAY_HOURS 24

#define SHAPE(member) PROFILE_AT(struct shape, member)

static const struct profile_word weekdays[] = {
    {"monday", 0}, {"tuesday", 1},  {"wednesday", 2}, {"thursday", 3},
    {"friday", 4}, {"saturday", 5}, {"sunday", 6},    {NULL, 0},
};

static const struct profile_field shape_fields[] = {
    {"name", PROFILE_TEXT, SHAPE(name)},
    {"note", PROFILE_TEXT, SHAPE(note)},
    {"source", PROFILE_TEXT, SHAPE(source)},
    {"date", PROFILE_DATE, SHAPE(date)},
    {"start", PROFILE_WORD, SHAPE(start), .words = weekdays},
    {"burst", PROFILE_NUMBER, SHAPE(burst), 1, 100},
};

int shape_read_hours(struct profile_group group, const char *key, double high,
                     double out[SHAPE_HOURS])
{
    int n = profile_length(group, key, SHAPE_HOURS);
    double sum = 0;

    if (profile_failed(group.profile))
        return 0;
    if (n != DAY_HOURS && n != SHAPE_HOURS) {
        profile_fail(group, key, "one for each hour of a day or a week",
                     "has %d values, not 24 or 168", n);
        return 0;
    }
    for (int i = 0; i < n; i++) {
        profile_number_at(group, key, i, &out[i], 0, high);
        sum += out[i];
    }
    if (!profile_failed(group.profile) && sum <= 0)
        profile_fail(group, key, "", "all of them are 0");
    return profile_failed(group.profile) ? 0 : n;
}

void shape_read(struct profile_group top, void *target)
{
    struct shape *shape = target;

    profile_fields(top, shape_fields, sizeof(shape_fields) / sizeof(shape_fields[0]), shape);
    profile_require(top, "hours");
    shape->count = shape_read_hours(top, "hours", 1e9, shape->value);
}

/* Value of the shape at an hour of the week. */
static double at_hour(const struct shape *shape, int hour)
{
    int from_start = (hour - shape->start * DAY_HOURS + SHAPE_HOURS) % SHAPE_HOURS;

    return shape->count == SHAPE_HOURS ? shape->value[from_start] : shape->value[hour % DAY_HOURS];
}

void shape_fit(const struct shape *shape, int hours, double out[SHAPE_HOURS])
{
    for (int h = 0; h < hours; h++) {
        out[h] = at_hour(shape, h);
        for (int day = 1; hours == DAY_HOURS && day < 5; day++)
            out[h] += at_hour(shape, h + day * DAY_HOURS);
    }
}
