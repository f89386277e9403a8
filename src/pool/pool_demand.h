/*
 * pool_demand.h - the demand of a workload over the hours of a pool file.
 */
#ifndef GP_POOL_POOL_DEMAND_H
#define GP_POOL_POOL_DEMAND_H

#include "catalog/profile.h"
#include "pool/pool_file.h"

struct pool_source {
    struct catalog *catalog; /* of shapes; NULL: there are none */
    const char *folder;      /* of traces, ends in '/' or is ""; NULL: there are none */
};

/* A name that a key gave, as a path beside the pool file; an error when it is elsewhere. */
bool pool_source_file(struct profile_group group, const char *key, const struct pool_source *source,
                      char *name, size_t size);

/* Reads `demand` of a workload into its rate, burst and, from a trace, its lengths. */
void pool_demand_read(struct profile_group workload, const struct pool_source *source, int hours,
                      struct pool_file_workload *out);

/* The largest and the mean of n hours' rates, requests/s. */
double pool_demand_peak(const double *value, int n);
double pool_demand_mean(const double *value, int n);

/* A curve over a day or a week. */
struct pool_shape {
    char name[80], note[320], source[256], date[12];
    int count;    /* 24 or 168 */
    int start;    /* weekday of the first value, 0 = Monday */
    double burst; /* busiest minute over its hour; 0 = not told */
    double value[POOL_FILE_HOURS];
};

/* Adds what a shape file says to a zeroed one (a profile_read_fn). */
void pool_shape_read(struct profile_group top, void *shape);

/* The curve over the hours of a pool that begins on Monday at midnight: a week as a day is
 * the mean of its Monday to Friday, a day as a week is repeated. */
void pool_shape_fit(const struct pool_shape *shape, int hours, double out[POOL_FILE_HOURS]);

struct trace;

/* Requests/s by the hour of a log of a day or more, whose first day's midnight, or first
 * second where it tells no dates, is hour 0; false: it is shorter. */
bool pool_trace_hours(const struct trace *trace, int hours, double out[POOL_FILE_HOURS]);

/* The busiest minute over the mean of its hour; of less than an hour over the mean. */
double pool_trace_burst(const struct trace *trace);

#endif
