/*
 * pool_demand.c - values, shapes and logs as requests/s by the hour. See pool_demand.h.
 */
#include "pool/pool_demand.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "catalog/trace.h"

#define HOUR 3600.0
#define MINUTE 60.0
#define DAY_HOURS 24
#define WEEK_HOURS 168
#define BURST_USUAL 1.5 /* where nothing tells it; assumed: the calmer of two services was 1.54 */
#define RATE_MAX 1e6
#define SEEN_MOST 1e5 /* hours of a log, eleven years */

/* Seconds that are dates and not counted from a beginning: after 1990. */
#define DATED 631152000.0

/* ---- shapes ---- */

#define SHAPE(member) PROFILE_AT(struct pool_shape, member)

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

/* 24 or 168 values at a key, not all 0. */
static int read_hours(struct profile_group group, const char *key, double high,
                      double out[POOL_FILE_HOURS])
{
    int n = profile_length(group, key, WEEK_HOURS);
    double sum = 0;

    if (profile_failed(group.profile))
        return 0;
    if (n != DAY_HOURS && n != WEEK_HOURS) {
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

void pool_shape_read(struct profile_group top, void *target)
{
    struct pool_shape *shape = target;

    profile_fields(top, shape_fields, sizeof(shape_fields) / sizeof(shape_fields[0]), shape);
    profile_require(top, "hours");
    shape->count = read_hours(top, "hours", 1e9, shape->value);
}

/* Value of the shape at an hour of the week. */
static double at_hour(const struct pool_shape *shape, int hour)
{
    int from_start = (hour - shape->start * DAY_HOURS + WEEK_HOURS) % WEEK_HOURS;

    return shape->count == WEEK_HOURS ? shape->value[from_start] : shape->value[hour % DAY_HOURS];
}

void pool_shape_fit(const struct pool_shape *shape, int hours, double out[POOL_FILE_HOURS])
{
    for (int h = 0; h < hours; h++) {
        out[h] = at_hour(shape, h);
        for (int day = 1; hours == DAY_HOURS && day < 5; day++)
            out[h] += at_hour(shape, h + day * DAY_HOURS);
    }
}

double pool_demand_peak(const double *value, int n)
{
    double peak = 0;

    for (int i = 0; i < n; i++)
        peak = fmax(peak, value[i]);
    return peak;
}

double pool_demand_mean(const double *value, int n)
{
    double sum = 0;

    for (int i = 0; i < n; i++)
        sum += value[i];
    return sum / n;
}

static void scale_values(double *value, int n, double by)
{
    for (int i = 0; i < n; i++)
        value[i] *= by;
}

/* ---- logs ---- */

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* The times in order; the caller frees them. */
static double *sorted_times(const struct trace *t)
{
    double *at = gp_calloc(t->count + 1, sizeof(*at));

    for (size_t i = 0; i < t->count; i++)
        at[i] = t->row[i].at;
    qsort(at, t->count, sizeof(*at), by_value);
    return at;
}

/* Hour of the pool of a second: Monday is the first day of a week, 1970 began on a Thursday. */
static int hour_of(double at, double first, int hours)
{
    double since = first >= DATED ? at / HOUR + 3 * DAY_HOURS : (at - first) / HOUR;

    return (int)fmod(floor(since), hours);
}

bool pool_trace_hours(const struct trace *t, int hours, double out[POOL_FILE_HOURS])
{
    double requests[WEEK_HOURS] = {0}, seconds[WEEK_HOURS] = {0};
    double day_requests[DAY_HOURS] = {0}, day_seconds[DAY_HOURS] = {0};
    double *at, first, last, next;

    if (t->seconds < (DAY_HOURS - 1) * HOUR || t->seconds > SEEN_MOST * HOUR)
        return false;
    at = sorted_times(t);
    first = at[0];
    last = at[t->count - 1];
    for (size_t i = 0; i < t->count; i++)
        requests[hour_of(at[i], first, hours)]++;
    for (double from = first; from < last; from = next) {
        double since = first >= DATED ? 0 : first;

        next = fmin(last, since + HOUR * (floor((from - since) / HOUR) + 1));
        if (next <= from)
            break;
        seconds[hour_of(from, first, hours)] += next - from;
    }
    free(at);
    for (int h = 0; h < hours; h++) {
        day_requests[h % DAY_HOURS] += requests[h];
        day_seconds[h % DAY_HOURS] += seconds[h];
    }
    for (int h = 0; h < hours; h++) { /* a few minutes of an hour say little of it */
        bool seen = seconds[h] > HOUR / 4;
        double of = seen ? seconds[h] : day_seconds[h % DAY_HOURS];
        double n = seen ? requests[h] : day_requests[h % DAY_HOURS];

        out[h] = of > HOUR / 4 ? n / of : t->rate;
    }
    return true;
}

double pool_trace_burst(const struct trace *t)
{
    size_t from = 0, most = 0, where = 0, low, high;
    double *at, hour;

    if (t->rate <= 0 || t->seconds < 2 * MINUTE)
        return 1;
    if (t->seconds < 2 * HOUR)
        return fmax(1, t->busiest / t->rate);
    at = sorted_times(t);
    for (size_t i = 0; i < t->count; i++) {
        if (floor((at[i] - at[0]) / MINUTE) > floor((at[from] - at[0]) / MINUTE))
            from = i;
        if (i - from + 1 > most) {
            most = i - from + 1;
            where = i;
        }
    }
    hour = floor((at[where] - at[0]) / HOUR);
    low = high = where;
    while (low > 0 && floor((at[low - 1] - at[0]) / HOUR) >= hour)
        low--;
    while (high < t->count && floor((at[high] - at[0]) / HOUR) <= hour)
        high++;
    free(at);
    return fmax(1, (double)most * (HOUR / MINUTE) / (double)(high - low));
}

/* ---- a workload's demand ---- */

struct demand {
    struct profile_group group;
    char shape[64], trace[192];
    double mean, peak, scale;
};

static void fail_as(struct profile_group group, const char *key, const struct gp_err *err)
{
    profile_fail(group, key, err->hint, "%s%s%s", err->where, err->where[0] ? ": " : "", err->text);
}

bool pool_source_file(struct profile_group group, const char *key, const struct pool_source *source,
                      char *name, size_t size)
{
    char path[GP_PATH_MAX];

    if (name[0] == '\0' || profile_failed(group.profile))
        return false;
    if (!source->folder || name[0] == '/' || strstr(name, "..") ||
        !gp_format(path, sizeof(path), "%s%s", source->folder, name) ||
        !gp_copy(name, size, path)) {
        profile_fail(group, key, "put the file, or a link to it, beside the pool file",
                     "'%s' is not in the folder of this file", name);
        return false;
    }
    return true;
}

static void from_trace(const struct demand *d, const struct pool_source *source, int hours,
                       const struct pool_shape *shape, struct pool_file_workload *out)
{
    struct trace trace = {0};
    struct spread spread;
    double prompt, output;
    char path[GP_PATH_MAX];
    struct gp_err err = {0};

    gp_copy(path, sizeof(path), d->trace);
    if (!pool_source_file(d->group, "trace", source, path, sizeof(path)))
        return;
    if (trace_read(path, &trace, &err)) {
        fail_as(d->group, "trace", &err);
        return;
    }
    if (trace.rate <= 0) {
        profile_fail(d->group, "trace", "give requests_per_s or a shape",
                     "has no times, so its rate is unknown");
        trace_fini(&trace);
        return;
    }
    out->burst = pool_trace_burst(&trace);
    if (trace_lengths(&trace, out->context > 0 ? out->context : trace.longest, &prompt, &output,
                      &spread)) { /* what nobody said, in whole tokens */
        out->prompt = out->prompt > 0 ? out->prompt : fmax(1, round(prompt));
        out->output = out->output > 0 ? out->output : fmax(1, round(output));
    }
    if (shape->count > 0) {
        pool_shape_fit(shape, hours, out->rate);
        scale_values(out->rate, hours, trace.rate / pool_demand_mean(out->rate, hours));
    } else if (!pool_trace_hours(&trace, hours, out->rate)) {
        for (int h = 0; h < hours; h++)
            out->rate[h] = trace.rate;
    }
    scale_values(out->rate, hours, d->scale);
    gp_format(out->demand, sizeof(out->demand), "%s, %zu requests%s%s", d->trace, trace.count,
              shape->count > 0 ? ", by the hour as " : "", shape->count > 0 ? d->shape : "");
    trace_fini(&trace);
}

static void from_shape(const struct demand *d, int hours, const struct pool_shape *shape,
                       struct pool_file_workload *out)
{
    if ((d->mean > 0) == (d->peak > 0)) {
        profile_fail(d->group, "shape", "mean = or peak =, in requests/s",
                     "give one of the mean and the peak beside it");
        return;
    }
    pool_shape_fit(shape, hours, out->rate);
    scale_values(out->rate, hours,
                 d->mean > 0 ? d->mean / pool_demand_mean(out->rate, hours)
                             : d->peak / pool_demand_peak(out->rate, hours));
    out->burst = shape->burst;
    gp_format(out->demand, sizeof(out->demand), "shape %s", d->shape);
}

static void from_values(const struct demand *d, int hours, struct pool_file_workload *out)
{
    double value[POOL_FILE_HOURS];
    int n = read_hours(d->group, "requests_per_s", RATE_MAX, value);

    if (n > hours) {
        profile_fail(d->group, "requests_per_s", "hours = 168 at the top",
                     "has %d values, and this pool %d hours", n, hours);
        return;
    }
    for (int h = 0; h < hours && n > 0; h++)
        out->rate[h] = value[h % n];
    gp_copy(out->demand, sizeof(out->demand), "as given");
}

static void check_kinds(const struct demand *d, bool values)
{
    if (values && (d->shape[0] || d->trace[0]))
        profile_fail(d->group, "requests_per_s", "leave the shape or trace out",
                     "the rate is given twice");
    else if (!values && !d->shape[0] && !d->trace[0])
        profile_fail(d->group, NULL, "requests_per_s = [...], shape = or trace =", "says no rate");
    else if (!d->shape[0] && (d->mean > 0 || d->peak > 0))
        profile_fail(d->group, d->mean > 0 ? "mean" : "peak", "",
                     "needs `shape`, which is missing");
    else if (d->trace[0] && (d->mean > 0 || d->peak > 0))
        profile_fail(d->group, d->mean > 0 ? "mean" : "peak", "scale = multiplies it",
                     "the rate is that of the trace");
}

void pool_demand_read(struct profile_group workload, const struct pool_source *source, int hours,
                      struct pool_file_workload *out)
{
    struct demand d = {.scale = 1};
    struct pool_shape shape = {0};
    char path[GP_PATH_MAX];
    struct gp_err err = {0};
    double burst = 0;

    profile_require(workload, "demand");
    d.group = profile_sub(workload, "demand");
    bool values = profile_has(d.group, "requests_per_s");
    profile_string(d.group, "shape", d.shape, sizeof(d.shape));
    profile_string(d.group, "trace", d.trace, sizeof(d.trace));
    profile_number(d.group, "mean", &d.mean, 1e-9, RATE_MAX);
    profile_number(d.group, "peak", &d.peak, 1e-9, RATE_MAX);
    profile_number(d.group, "scale", &d.scale, 1e-9, RATE_MAX);
    profile_number(d.group, "burst", &burst, 1, 100);
    if (profile_failed(workload.profile))
        return;
    check_kinds(&d, values);
    if (d.shape[0] && !profile_failed(workload.profile) && !source->catalog)
        profile_fail(d.group, "shape", "", "shapes are in a catalogue, and none is loaded");
    else if (d.shape[0] && !profile_failed(workload.profile) &&
             (catalog_file(source->catalog, "shapes", "shape", d.shape, path, sizeof(path), &err) ||
              profile_read(path, pool_shape_read, &shape, NULL, NULL, &err)))
        fail_as(d.group, "shape", &err);
    if (profile_failed(workload.profile))
        return;
    if (d.trace[0])
        from_trace(&d, source, hours, &shape, out);
    else if (d.shape[0])
        from_shape(&d, hours, &shape, out);
    else
        from_values(&d, hours, out);
    out->burst = burst > 0 ? burst : out->burst > 0 ? out->burst : BURST_USUAL;
}
