/*
 * pool_file.c - the keys of a pool file, and demand by the hour; see pool_file.h.
 */
#include "pool/pool_file.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "base/suggest.h"
#include "catalog/trace.h"
#include "measure/result/benchlog.h"

#define COUNT(fields) (sizeof(fields) / sizeof((fields)[0]))

#define HOUR 3600.0
#define MINUTE 60.0
#define DAY_HOURS 24
#define WEEK_HOURS SHAPE_HOURS
#define BURST_USUAL 1.5 /* where nothing tells it; assumed: the calmer of two services was 1.54 */
#define RATE_MAX 1e6
#define SEEN_MOST 1e5 /* hours of a log, eleven years */

/* Seconds that are dates and not counted from a beginning: after 1990. */
#define DATED 631152000.0

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

/* A name that a key gave, as a path beside the pool file; an error when it is elsewhere. */
static bool source_file(struct profile_group group, const char *key,
                        const struct pool_source *source, char *name, size_t size)
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
                       const struct shape *shape, struct pool_file_workload *out)
{
    struct trace trace = {0};
    struct spread spread;
    double prompt, output;
    char path[GP_PATH_MAX];
    struct gp_err err = {0};

    gp_copy(path, sizeof(path), d->trace);
    if (!source_file(d->group, "trace", source, path, sizeof(path)))
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
    out->pool.burst = pool_trace_burst(&trace);
    if (trace_lengths(&trace, out->context > 0 ? out->context : trace.longest, &prompt, &output,
                      &spread)) { /* what nobody said, in whole tokens */
        out->prompt = out->prompt > 0 ? out->prompt : fmax(1, round(prompt));
        out->output = out->output > 0 ? out->output : fmax(1, round(output));
    }
    if (shape->count > 0) {
        shape_fit(shape, hours, out->rate);
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

static void from_shape(const struct demand *d, int hours, const struct shape *shape,
                       struct pool_file_workload *out)
{
    if ((d->mean > 0) == (d->peak > 0)) {
        profile_fail(d->group, "shape", "mean = or peak =, in requests/s",
                     "give one of the mean and the peak beside it");
        return;
    }
    shape_fit(shape, hours, out->rate);
    scale_values(out->rate, hours,
                 d->mean > 0 ? d->mean / pool_demand_mean(out->rate, hours)
                             : d->peak / pool_demand_peak(out->rate, hours));
    out->pool.burst = shape->burst;
    gp_format(out->demand, sizeof(out->demand), "shape %s", d->shape);
}

static void from_values(const struct demand *d, int hours, struct pool_file_workload *out)
{
    double value[POOL_FILE_HOURS];
    int n = shape_read_hours(d->group, "requests_per_s", RATE_MAX, value);

    if (n > hours) {
        profile_fail(d->group, "requests_per_s", "hours = 168 at the top",
                     "has %d values, and this pool %d hours", n, hours);
        return;
    }
    for (int h = 0; h < hours && n > 0; h++)
        out->rate[h] = value[h % n];
    gp_copy(out->demand, sizeof(out->demand), "as given");
}

/* Reads `demand` of a workload into its rate, burst and, from a trace, its lengths. */
static void read_demand(struct profile_group workload, const struct pool_source *source, int hours,
                        struct pool_file_workload *out)
{
    struct demand d = {.scale = 1};
    struct shape shape = {0};
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
    if (values && (d.shape[0] || d.trace[0]))
        profile_fail(d.group, "requests_per_s", "leave the shape or trace out",
                     "the rate is given twice");
    else if (!values && !d.shape[0] && !d.trace[0])
        profile_fail(d.group, NULL, "requests_per_s = [...], shape = or trace =", "says no rate");
    else if (!d.shape[0] && (d.mean > 0 || d.peak > 0))
        profile_fail(d.group, d.mean > 0 ? "mean" : "peak", "", "needs `shape`, which is missing");
    else if (d.trace[0] && (d.mean > 0 || d.peak > 0))
        profile_fail(d.group, d.mean > 0 ? "mean" : "peak", "scale = multiplies it",
                     "the rate is that of the trace");
    if (d.shape[0] && !profile_failed(workload.profile) && !source->catalog)
        profile_fail(d.group, "shape", "", "shapes are in a catalogue, and none is loaded");
    else if (d.shape[0] && !profile_failed(workload.profile) &&
             (catalog_file(source->catalog, "shapes", "shape", d.shape, path, sizeof(path), &err) ||
              profile_read(path, shape_read, &shape, NULL, NULL, &err)))
        fail_as(d.group, "shape", &err);
    if (profile_failed(workload.profile))
        return;
    if (d.trace[0])
        from_trace(&d, source, hours, &shape, out);
    else if (d.shape[0])
        from_shape(&d, hours, &shape, out);
    else
        from_values(&d, hours, out);
    out->pool.burst = burst > 0 ? burst : out->pool.burst > 0 ? out->pool.burst : BURST_USUAL;
}

/* ---- tables of keys ---- */

#define TOP(member) PROFILE_AT(struct pool_file, member)

static const struct profile_field top_fields[] = {
    {"name", PROFILE_TEXT, TOP(name)},
    {"note", PROFILE_TEXT, TOP(note)},
    {"source", PROFILE_TEXT, TOP(source)},
    {"hours", PROFILE_COUNT, TOP(hours), 24, POOL_FILE_HOURS},
    {"server_gpus", PROFILE_COUNT, TOP(server_gpus), 1, 64},
    {"spare", PROFILE_COUNT, TOP(spare), 0, 1024},
    {"headroom", PROFILE_NUMBER, TOP(headroom), 0, 0.9},
    {"host_memory_gb", PROFILE_NUMBER, TOP(host_memory), 1, 1e6, 1e9},
    {"power_cap_w", PROFILE_NUMBER, TOP(power_cap), 1, 1e9},
};

#define FABRIC(member) PROFILE_AT(struct pool_file_fabric, member)

static const struct profile_field fabric_fields[] = {
    {"pcie_gen", PROFILE_COUNT, FABRIC(pcie_gen), 1, 7},
    {"premium", PROFILE_NUMBER, FABRIC(premium), 0, 1e6},
};

#define MOVES(member) PROFILE_AT(struct pool_file_moves, member)

static const struct profile_field move_fields[] = {
    {"wake_s", PROFILE_NUMBER, MOVES(wake), 0, 86400},
    {"load_gb_s", PROFILE_NUMBER, MOVES(load_rate), 0.001, 10000, 1e9},
    {"restart_s", PROFILE_NUMBER, MOVES(restart), 0, 86400},
    {"recompose_s", PROFILE_NUMBER, MOVES(recompose), 0, 86400},
};

#define COSTS(member) PROFILE_AT(struct pool_file_costs, member)

static const struct profile_field cost_fields[] = {
    {"years", PROFILE_NUMBER, COSTS(years), 0.1, 50},
    {"residual", PROFILE_NUMBER, COSTS(residual), 0, 1},
    {"electricity", PROFILE_NUMBER, COSTS(electricity), 0, 10},
    {"pue", PROFILE_NUMBER, COSTS(pue), 1, 5},
    {"hosting", PROFILE_NUMBER, COSTS(hosting), 0, 100000},
    {"server_share", PROFILE_NUMBER, COSTS(share), 0, 10},
};

#define TYPE(member) PROFILE_AT(struct pool_file_type, member)

static const struct profile_word places[] = {
    {"any", POOL_PLACE_ANY},
    {"server", POOL_PLACE_SERVER},
    {"chassis", POOL_PLACE_CHASSIS},
    {NULL, 0},
};

static const struct profile_field type_fields[] = {
    {"gpu", PROFILE_TEXT, TYPE(gpu)},
    {"stock", PROFILE_COUNT, TYPE(stock), 0, 1000000},
    {"buy", PROFILE_COUNT, TYPE(buy), 0, 1000000},
    {"price", PROFILE_NUMBER, TYPE(price), 0.01, 1e8},
    {"rent", PROFILE_NUMBER, TYPE(rent), 0.001, 1e5},
    {"idle_watts", PROFILE_NUMBER, TYPE(idle), 0, 1e5},
    {"busy_watts", PROFILE_NUMBER, TYPE(busy), 1, 1e5},
    {"host_watts", PROFILE_NUMBER, TYPE(watts), 1, 1e5},
    {"mig", PROFILE_FLAG, TYPE(mig)},
    {"server_gpus", PROFILE_COUNT, TYPE(server_gpus), 1, 64},
    {"place", PROFILE_WORD, TYPE(place), .words = places},
};

#define CHASSIS(member) PROFILE_AT(struct pool_file_chassis, member)

static const struct profile_field chassis_fields[] = {
    {"name", PROFILE_TEXT, CHASSIS(name)},
    {"slots", PROFILE_COUNT, CHASSIS(slots), 1, 4096},
    {"hosts", PROFILE_COUNT, CHASSIS(hosts), 1, 4096},
    {"gpus_per_host", PROFILE_COUNT, CHASSIS(per_host), 1, 1024},
    {"watts", PROFILE_NUMBER, CHASSIS(watts), 1, 1e7},
};

#define WORK(member) PROFILE_AT(struct pool_file_workload, member)

static const struct profile_word isolations[] = {
    {"shared", POOL_SHARES},
    {"gpu", POOL_OWN_GPU},
    {"host", POOL_OWN_HOST},
    {NULL, 0},
};

const struct pool_looked_up pool_looked_up[POOL_LOOKED_UP] = {
    {"precision", "--precision"}, {"kv_precision", "--kv-precision"}, {"engine", "--engine"},
    {"context", "--context"},     {"calibration", "--calibration"},
};

static const struct profile_field workload_fields[] = {
    {"name", PROFILE_TEXT, WORK(name)},
    {"model", PROFILE_TEXT, WORK(model)},
    {"precision", PROFILE_TEXT, WORK(precision)},
    {"kv_precision", PROFILE_TEXT, WORK(kv_precision)},
    {"engine", PROFILE_TEXT, WORK(engine)},
    {"gpus", PROFILE_TEXTS, WORK(gpus)},
    {"context", PROFILE_NUMBER, WORK(context), 1, 1e9},
    {"prompt", PROFILE_NUMBER, WORK(prompt), 1, 1e9},
    {"output", PROFILE_NUMBER, WORK(output), 1, 1e9},
    {"ttft_ms", PROFILE_NUMBER, WORK(ttft), 0.1, 1e7, 1e-3},
    {"tpot_ms", PROFILE_NUMBER, WORK(tpot), 0.01, 1e6, 1e-3},
    {"ttft_p95_ms", PROFILE_NUMBER, WORK(ttft_p95), 0.1, 1e7, 1e-3},
    {"tpot_p95_ms", PROFILE_NUMBER, WORK(tpot_p95), 0.01, 1e6, 1e-3},
    {"calibration", PROFILE_TEXT, WORK(calibration)},
    {"priority", PROFILE_COUNT, WORK(pool.priority), 1, 9},
    /* as dollars for each request/s of an hour */
    {"unmet_per_1000", PROFILE_NUMBER, WORK(pool.penalty), 1e-6, 1e6, 3.6},
    {"min_replicas", PROFILE_COUNT, WORK(pool.minimum), 0, 1024},
    {"sleep", PROFILE_FLAG, WORK(pool.sleeps)},
    {"isolation", PROFILE_WORD, WORK(isolation), .words = isolations},
};

#define JOB(member) PROFILE_AT(struct pool_file_job, member)

static const struct profile_field job_fields[] = {
    {"name", PROFILE_TEXT, JOB(name)},
    {"gpu", PROFILE_TEXT, JOB(gpu)},
    {"gpu_hours", PROFILE_NUMBER, JOB(pool.gpu_hours), 0.001, 1e6},
    {"group", PROFILE_COUNT, JOB(pool.gpus), 1, 4096},
    {"most", PROFILE_COUNT, JOB(pool.most), 1, 4096},
    {"earliest", PROFILE_COUNT, JOB(pool.first), 0, POOL_FILE_HOURS - 1},
    {"deadline", PROFILE_COUNT, JOB(pool.end), 1, POOL_FILE_HOURS},
    {"unmet_per_gpu_hour", PROFILE_NUMBER, JOB(pool.penalty), 1e-6, 1e6},
};

/* ---- checks ---- */

/* Is one of the names a type of the pool, and are all of them? */
static void check_types(struct profile_group group, const char *key, const struct pool_file *file,
                        const char *list)
{
    const char *names[POOL_FILE_TYPES];
    char text[160], *rest = text, *word, hint[256];

    for (int i = 0; i < file->type_count; i++)
        names[i] = file->types[i].gpu;
    gp_copy(text, sizeof(text), list);
    while (list[0] != '\0' && (word = strsep(&rest, "|"))) {
        bool found = false;

        for (int i = 0; i < file->type_count && !found; i++)
            found = strcmp(names[i], word) == 0;
        if (found)
            continue;
        if (!suggest(word, names, (size_t)file->type_count, "*", hint, sizeof(hint)))
            gp_copy(hint, sizeof(hint), "name GPUs of the pool's own gpus list");
        profile_fail(group, key, hint, "'%s' is not a GPU of this pool", word);
        return;
    }
}

/* Names tell rows, moves and jobs apart. */
static void check_name(struct profile_group group, const char *name)
{
    if (name[0] == '\0' && !profile_has(group, "name"))
        profile_require(group, "name");
    else if (name[0] == '\0')
        profile_fail(group, "name", "give each its own", "is empty");
}

static int by_name(const void *a, const void *b)
{
    const char *const *x = a, *const *y = b;
    int order = strcmp(*x, *y);

    return order ? order : (*x > *y) - (*x < *y);
}

/* The names of a list's items, `size` bytes apart, all at once: thousands of them are compared. */
static void check_names(struct profile_group top, const char *list, const char *first, size_t size,
                        size_t n)
{
    const char **sorted = gp_calloc(n + 1, sizeof(*sorted));

    for (size_t i = 0; i < n; i++)
        sorted[i] = first + i * size;
    qsort(sorted, n, sizeof(*sorted), by_name);
    for (size_t i = 1; i < n && !profile_failed(top.profile); i++)
        if (strcmp(sorted[i], sorted[i - 1]) == 0)
            profile_fail(profile_item(top, list, (int)((size_t)(sorted[i] - first) / size)), "name",
                         "give each its own", "'%s' is also item %zu", sorted[i],
                         (size_t)(sorted[i - 1] - first) / size + 1);
    free(sorted);
}

/* ---- lists ---- */

static void read_types(struct profile_group top, const struct pool_source *source,
                       struct pool_file *file)
{
    int n = profile_length(top, "gpus", POOL_FILE_TYPES);

    profile_require(top, "gpus");
    for (int i = 0; i < n && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "gpus", i);
        struct pool_file_type *type = &file->types[i];
        const struct gpu *known;
        struct gp_err err = {0};

        profile_require(item, "gpu");
        profile_fields(item, type_fields, COUNT(type_fields), type);
        profile_where(item, "gpu", type->where, sizeof(type->where));
        if (source->catalog && !profile_failed(item.profile) &&
            catalog_gpu(source->catalog, type->gpu, &known, &err) == GP_E_USAGE)
            profile_fail(item, "gpu",
                         strchr(type->gpu, '/') ? "name the whole GPU; mig = true cuts it"
                                                : err.hint,
                         "%s", err.text);
        if (type->server_gpus == 0)
            type->server_gpus = file->server_gpus;
        if (type->stock + type->buy == 0)
            profile_fail(item, "stock", "give stock, buy or both",
                         "its stock is 0 and none may be bought");
        if (type->idle > 0 && type->busy > 0 && type->idle > type->busy)
            profile_fail(item, "idle_watts", "", "%g is above busy_watts", type->idle);
        for (int k = 0; k < i; k++)
            if (strcmp(file->types[k].gpu, type->gpu) == 0)
                profile_fail(item, "gpu", "add their numbers up", "'%s' is listed twice",
                             type->gpu);
        file->type_count = i + 1;
    }
    if (!profile_failed(top.profile) && n == 0)
        profile_fail(top, "gpus", "({gpu = \"h100-sxm\"; buy = 64;})", "there are no GPUs");
}

static void read_chassis(struct profile_group top, struct pool_file *file)
{
    int n = profile_length(top, "chassis", POOL_FILE_CHASSIS);

    if (n <= 0 || profile_failed(top.profile))
        return;
    file->chassis = gp_calloc((size_t)n, sizeof(*file->chassis));
    for (int i = 0; i < n && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "chassis", i);
        struct pool_file_chassis *c = &file->chassis[i];

        c->hosts = 1;
        profile_require(item, "slots");
        profile_fields(item, chassis_fields, COUNT(chassis_fields), c);
        if (c->per_host == 0)
            c->per_host = c->slots;
        check_name(item, c->name);
        file->chassis_count = (size_t)i + 1;
    }
    check_names(top, "chassis", file->chassis->name, sizeof(*file->chassis), file->chassis_count);
}

static void read_workload(struct profile_group item, const struct pool_source *source,
                          struct pool_file *file, struct pool_file_workload *work)
{
    work->pool.priority = 5;
    profile_require(item, "name");
    profile_require(item, "model");
    profile_fields(item, workload_fields, COUNT(workload_fields), work);
    check_name(item, work->name);
    profile_where(item, "model", work->where, sizeof(work->where));
    for (int i = 0; i < POOL_LOOKED_UP; i++)
        profile_where(item, pool_looked_up[i].key, work->at[i], sizeof(work->at[i]));
    work->open = strcmp(work->precision, "open") == 0;
    if (work->open)
        work->precision[0] = '\0';
    source_file(item, "calibration", source, work->calibration, sizeof(work->calibration));
    check_types(item, "gpus", file, work->gpus);
    read_demand(item, source, file->hours, work);
    if (work->context > 0 && work->prompt + work->output > work->context)
        profile_fail(item, "context", "raise context",
                     "%.0f tokens do not hold %.0f of prompt and output", work->context,
                     work->prompt + work->output);
}

static void read_workloads(struct profile_group top, const struct pool_source *source,
                           struct pool_file *file)
{
    int n = profile_length(top, "workloads", POOL_FILE_WORKLOADS);

    profile_require(top, "workloads");
    if (n == 0 && !profile_failed(top.profile))
        profile_fail(top, "workloads", "", "there are none");
    if (profile_failed(top.profile))
        return;
    file->workloads = gp_calloc((size_t)n, sizeof(*file->workloads));
    for (int i = 0; i < n && !profile_failed(top.profile); i++) {
        read_workload(profile_item(top, "workloads", i), source, file, &file->workloads[i]);
        file->workload_count = (size_t)i + 1;
    }
    check_names(top, "workloads", file->workloads->name, sizeof(*file->workloads),
                file->workload_count);
}

static void read_jobs(struct profile_group top, struct pool_file *file)
{
    int n = profile_length(top, "jobs", POOL_FILE_JOBS);

    for (int i = 0; i < n && !profile_failed(top.profile); i++) {
        struct profile_group item = profile_item(top, "jobs", i);
        struct pool_file_job *job = &file->jobs[i];

        *job = (struct pool_file_job){.pool = {.gpus = 1, .end = file->hours}};
        profile_require(item, "gpu");
        profile_require(item, "gpu_hours");
        profile_fields(item, job_fields, COUNT(job_fields), job);
        check_name(item, job->name);
        check_types(item, "gpu", file, job->gpu);
        if (job->pool.end > file->hours || job->pool.first >= job->pool.end)
            profile_fail(item, "deadline", "earliest < deadline <= hours",
                         "hours %d to %d are outside this pool's %d", job->pool.first,
                         job->pool.end, file->hours);
        file->job_count = i + 1;
    }
    check_names(top, "jobs", file->jobs[0].name, sizeof(file->jobs[0]), (size_t)file->job_count);
}

/* ---- files ---- */

/* What nobody said; assumed, all of it (gpuplan-profile(5) says so). */
static const struct pool_file defaults = {
    .hours = 24,
    .server_gpus = 8,
    .moves = {.wake = 0.4, .load_rate = 2e9, .restart = 60, .recompose = 180},
    .costs = {-1, -1, -1, -1, -1, -1},
};

/* What --bench transfer measured wins over what is assumed: bytes/s from storage to a device, the
 * slowest of those in a result file. */
static void read_measured(struct profile_group moves, const struct pool_source *source,
                          double *rate)
{
    char path[GP_PATH_MAX] = "";
    struct benchlog log = {0};
    struct gp_err err = {0};
    json_t *calibration, *term;
    double slowest = 0;
    size_t i;

    profile_string(moves, "measured", path, sizeof(path));
    if (!source_file(moves, "measured", source, path, sizeof(path)))
        return;
    enum gp_status rc = benchlog_read(path, &log, &err);
    calibration = rc ? NULL : benchlog_calibration(&log);
    json_array_foreach(json_object_get(calibration, "terms"), i, term)
    {
        double now = gp_json_number_at(term, "bytes_per_s");

        if (strcmp(gp_json_text_at(term, "kind"), cal_term_words[CAL_LINK]) == 0 &&
            strncmp(gp_json_text_at(term, "of"), "storage", 7) == 0 && now > 0)
            slowest = slowest > 0 && slowest < now ? slowest : now;
    }
    if (!rc && slowest <= 0)
        rc = gp_fail(&err, GP_E_FILE, path, "gpuplan --bench transfer --storage FILE",
                     "holds no transfer from storage");
    if (rc)
        profile_fail(moves, "measured", err.hint, "%s: %s", err.where, err.text);
    else
        *rate = slowest;
    json_decref(calibration);
    benchlog_fini(&log);
}

static void read_top(struct profile_group top, const struct pool_source *source,
                     struct pool_file *file)
{
    *file = defaults;
    profile_fields(top, top_fields, COUNT(top_fields), file);
    if (file->hours != 24 && file->hours != POOL_FILE_HOURS)
        profile_fail(top, "hours", "24 or 168", "%d is neither a day nor a week", file->hours);
    profile_fields(profile_sub(top, "fabric"), fabric_fields, COUNT(fabric_fields), &file->fabric);
    profile_fields(profile_sub(top, "moves"), move_fields, COUNT(move_fields), &file->moves);
    profile_fields(profile_sub(top, "costs"), cost_fields, COUNT(cost_fields), &file->costs);
    read_measured(profile_sub(top, "moves"), source, &file->moves.load_rate);
    read_types(top, source, file);
    read_chassis(top, file);
    read_workloads(top, source, file);
    read_jobs(top, file);
}

static enum gp_status read_open(struct profile *profile, const struct pool_source *source,
                                profile_warn_fn warn, void *ctx, struct pool_file *out,
                                struct gp_err *err)
{
    read_top(profile_top(profile), source, out);
    enum gp_status rc = profile_finish(profile, warn, ctx, err);

    profile_free(profile);
    if (rc)
        pool_file_fini(out);
    return rc;
}

enum gp_status pool_file_parse(struct catalog *catalog, const char *folder, const char *name,
                               const char *text, size_t len, profile_warn_fn warn, void *ctx,
                               struct pool_file *out, struct gp_err *err)
{
    struct pool_source source = {catalog, folder};
    struct profile *profile;
    enum gp_status rc = profile_parse(name, text, len, &profile, err);

    memset(out, 0, sizeof(*out));
    return rc ? rc : read_open(profile, &source, warn, ctx, out, err);
}

enum gp_status pool_file_read(struct catalog *catalog, const char *path, profile_warn_fn warn,
                              void *ctx, struct pool_file *out, struct gp_err *err)
{
    char folder[GP_PATH_MAX];
    struct pool_source source = {catalog, folder};
    struct profile *profile;
    enum gp_status rc = profile_open(path, NULL, &profile, err);

    memset(out, 0, sizeof(*out));
    if (rc)
        return rc;
    gp_format(folder, sizeof(folder), "%.*s", (int)(path_name(path) - path), path);
    return read_open(profile, &source, warn, ctx, out, err);
}

enum gp_status pool_file_other_gpu(const struct pool_file *file, const char *gpu,
                                   struct pool_file *out, struct gp_err *err)
{
    size_t works = file->workload_count, boxes = file->chassis_count;

    *out = *file;
    out->workloads = gp_calloc(works + 1, sizeof(*out->workloads));
    memcpy(out->workloads, file->workloads, works * sizeof(*out->workloads));
    out->chassis = gp_calloc(boxes + 1, sizeof(*out->chassis));
    if (boxes > 0)
        memcpy(out->chassis, file->chassis, boxes * sizeof(*out->chassis));
    out->type_count = 1;
    out->types[0] = (struct pool_file_type){.server_gpus = file->server_gpus};
    for (int t = 0; t < file->type_count; t++)
        out->types[0].buy += POOL_OTHER_TIMES * (file->types[t].stock + file->types[t].buy);
    if (out->types[0].buy > POOL_MOST_GPUS)
        out->types[0].buy = POOL_MOST_GPUS;
    for (size_t i = 0; i < works; i++) { /* measured on another GPU */
        out->workloads[i].gpus[0] = '\0';
        out->workloads[i].calibration[0] = '\0';
    }
    for (int i = 0; i < out->job_count; i++)
        gp_copy(out->jobs[i].gpu, sizeof(out->jobs[i].gpu), gpu);
    return gp_copy(out->types[0].gpu, sizeof(out->types[0].gpu), gpu)
               ? GP_OK
               : gp_fail(err, GP_E_USAGE, "--gpu", "", "no GPU has so long an id");
}

int pool_file_held(const struct pool_file_chassis *chassis)
{
    int held = chassis->hosts * chassis->per_host;

    return held < chassis->slots ? held : chassis->slots;
}

void pool_file_fini(struct pool_file *file)
{
    free(file->workloads);
    free(file->chassis);
    memset(file, 0, sizeof(*file));
}

enum gp_status pool_file_find(struct catalog *catalog, const char *name, char *path, size_t size,
                              struct gp_err *err)
{
    char first[GP_PATH_MAX], near[sizeof(err->hint)];
    enum gp_status rc;

    if (strchr(name, '/') || strcmp(name, "-") == 0 || path_is_there(name))
        return gp_copy(path, size, name)
                   ? GP_OK
                   : gp_fail(err, GP_E_USAGE, "--pool", "", "the name is too long");
    rc = catalog_file(catalog, "pools", "pool", name, path, size, err);
    /* a pool that does not exist is one that is not written yet: where to begin */
    if (rc && err &&
        !catalog_file(catalog, "pools", "pool", "mixed-sizes", first, sizeof(first), NULL)) {
        gp_copy(near, sizeof(near), err->hint);
        gp_format(err->hint, sizeof(err->hint),
                  "%s; a new one begins as a copy of %s: gpuplan-profile(5), Pools", near, first);
    }
    return rc;
}
