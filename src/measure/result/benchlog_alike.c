/*
 * benchlog_alike.c - whether two result files can be set side by side.
 *
 * The figures of two devices, two methods or two ways of measuring differ for reasons
 * that no ratio shows, so what differs is said in words before any figure. What cannot
 * be merged at all is refused: the same run twice, which would make a device its own
 * like, and two versions of the method, of which one file can name only one.
 */
#include "measure/result/benchlog.h"

#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"

void benchlog_warn(json_t *list, const char *code, const char *fmt, ...)
{
    json_t *one = json_object();
    char text[1400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    json_object_set_new(one, "code", json_string(code));
    json_object_set_new(one, "text", gp_json_text(text));
    json_array_append_new(list, one);
}

void benchlog_say(json_t *list, const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    json_array_append_new(list, gp_json_text(text));
}

const char *benchlog_line(const json_t *warning)
{
    const char *text =
        json_string_value(json_is_object(warning) ? json_object_get(warning, "text") : warning);

    return text ? text : "";
}

/* A setting as one reads it: 0.3, quick. */
static const char *shown(const json_t *value, char *text, size_t size)
{
    if (json_is_string(value))
        gp_copy(text, size, json_string_value(value));
    else if (json_is_number(value))
        gp_format(text, size, "%.6g", json_number_value(value));
    else
        gp_copy(text, size, json_is_null(value) ? "not set" : "something else");
    return text;
}

/* Absent in one of them: an older file, which says nothing. */
static void values(const json_t *a, const json_t *b, const char *key, const char *in_a,
                   const char *in_b, json_t *list)
{
    const json_t *left = json_object_get(a, key), *right = json_object_get(b, key);
    char x[128], y[128];

    if (!left || !right || json_equal(left, right))
        return;
    if (json_is_number(left) && json_is_number(right) &&
        json_number_value(left) >= json_number_value(right) &&
        json_number_value(left) <= json_number_value(right))
        return;
    benchlog_warn(list, "differs", "%s is %s in %.200s and %s in %.200s", key,
                  shown(left, x, sizeof x), in_a, shown(right, y, sizeof y), in_b);
}

static const json_t *device(const struct benchlog *log, int place)
{
    return json_array_get(json_object_get(log->json, "devices"), (size_t)place);
}

static void devices(const struct benchlog *a, const struct benchlog *b, const char *in_a,
                    const char *in_b, json_t *list)
{
    int both = a->device_count < b->device_count ? a->device_count : b->device_count;

    if (a->device_count != b->device_count)
        benchlog_warn(list, "differs", "%.200s has %d device%s, %.200s %d", in_a, a->device_count,
                      a->device_count == 1 ? "" : "s", in_b, b->device_count);
    for (int d = 0; d < both; d++)
        if (strcmp(a->device[d].name, b->device[d].name) != 0)
            benchlog_warn(list, "differs",
                          "another device: %ld is %.200s in %.200s and %.200s in %.200s",
                          a->device[d].id, a->device[d].name, in_a, b->device[d].name, in_b);
    if (both > 0)
        values(device(a, 0), device(b, 0), "backend", in_a, in_b, list);
}

static void settings(const struct benchlog *a, const struct benchlog *b, const char *in_a,
                     const char *in_b, json_t *list)
{
    static const char *const keys[] = {
        "preset",      "passes", "min_time",          "max_time",
        "rel_ci",      "warmup", "device_warmup_min", "device_warmup_max",
        "sample_time", "algos",  "workspace_bytes",   "fill",
        "lock_clocks"};
    const json_t *left = json_object_get(a->json, "settings");
    const json_t *right = json_object_get(b->json, "settings");

    values(a->json, b->json, "method_version", in_a, in_b, list);
    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++)
        values(left, right, keys[i], in_a, in_b, list);
}

json_t *benchlog_differences(const struct benchlog *a, const struct benchlog *b, const char *in_a,
                             const char *in_b)
{
    json_t *list = json_array();

    devices(a, b, in_a, in_b, list);
    settings(a, b, in_a, in_b, list);
    return list;
}

/* ---- merging ---- */

/* Of a file that was merged, the runs in it; of another, itself. */
static void add_runs(const struct benchlog *log, json_t *list)
{
    const json_t *hosts = json_object_get(log->json, "hosts"), *one;
    size_t i;

    json_array_foreach(hosts, i, one)
    {
        const json_t *id = json_object_get(one, "run_id");

        if (json_is_string(id))
            json_array_append(list, (json_t *)id);
    }
    if (json_array_size(list) == 0 && json_is_string(json_object_get(log->json, "run_id")))
        json_array_append(list, json_object_get(log->json, "run_id"));
}

enum gp_status benchlog_mergeable(const struct benchlog *logs, const char *const *names, int count,
                                  struct gp_err *err)
{
    json_t *seen = json_object(), *runs, *id; /* run -> its file's place */
    enum gp_status rc = GP_OK;
    size_t k;

    for (int i = 0; i < count && !rc; i++) {
        const json_t *method = json_object_get(logs[i].json, "method_version");

        if (i && method && !json_equal(method, json_object_get(logs[0].json, "method_version")))
            rc = gp_fail(err, GP_E_FILE, names[i], "measure both with one version of gpuplan",
                         "was measured by another method_version than %.300s", names[0]);
        runs = json_array();
        add_runs(&logs[i], runs);
        json_array_foreach(runs, k, id)
        {
            const json_t *had = json_object_get(seen, json_string_value(id));

            if (had && !rc)
                rc = gp_fail(err, GP_E_FILE, names[i], "name each run once",
                             "is the same run (run_id) as %.300s", names[json_integer_value(had)]);
            json_object_set_new(seen, json_string_value(id), json_integer(i));
        }
        json_decref(runs);
    }
    json_decref(seen);
    return rc;
}

/* Each file against the first: one line per difference, not per pair. */
json_t *benchlog_merge_warnings(const struct benchlog *logs, const char *const *names, int count)
{
    json_t *list = json_array();
    char first[300], other[300];

    for (int i = 1; i < count; i++) {
        gp_copy(first, sizeof first, names ? names[0] : logs[0].host);
        gp_copy(other, sizeof other, names ? names[i] : logs[i].host);
        if (logs[0].device_count && logs[i].device_count)
            values(device(&logs[0], 0), device(&logs[i], 0), "backend", first, other, list);
        settings(&logs[0], &logs[i], first, other, list);
    }
    return list;
}

/* The same files merged again have the same name. */
void benchlog_merged_id(const struct benchlog *logs, int count, char *text, size_t size)
{
    uint64_t h = GP_HASH;

    for (int i = 0; i < count; i++) {
        const char *id = json_string_value(json_object_get(logs[i].json, "run_id"));

        id = id ? id : logs[i].host;
        h = gp_hash(gp_hash(h, id, strlen(id)), "\n", 1);
    }
    gp_format(text, size, "merged-%016llx", (unsigned long long)h);
}
