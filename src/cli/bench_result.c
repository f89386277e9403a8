/*
 * bench_result.c - the records of a run as one gpuplan.bench/1 document.
 *
 * The last pass of a point stands for it (the engine already chose the middle one when
 * passes differ), the medians of all passes beside it. predicted is what the roofline
 * of the data sheet allows: of a GPU in the catalogue, or of the clocks and bus that
 * the driver tells. A CPU has no sheet here; its roof is the read bandwidth measured in
 * the same run, labelled so, and there is no arithmetic roof.
 */
#include "cli/bench_parts.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

#include "bench/protocol.h"
#include "core/roofline.h"
#include "util/json.h"
#include "util/mem.h"

extern char **environ;

/* ---- where it was measured ---- */

static json_t *environment(void)
{
    static const char *const names[] = {"CUBLAS", "CUDA",   "NVIDIA_TF32", "NCCL_",
                                        "OMP_",   "ONEDNN", "DNNL_",       "OPENBLAS",
                                        "GOMP_",  NULL};
    json_t *json = json_object();

    for (char **e = environ; *e; e++)
        for (int i = 0; names[i]; i++) {
            const char *equals = strchr(*e, '=');
            char name[64];

            if (!equals || strncmp(*e, names[i], strlen(names[i])) != 0)
                continue;
            gp_format(name, sizeof name, "%.*s", (int)(equals - *e), *e);
            json_object_set_new(json, name, gp_json_text(equals + 1));
        }
    return json;
}

static void cpu_name(char *text, size_t size)
{
    char line[256];
    FILE *file = fopen("/proc/cpuinfo", "re");

    gp_copy(text, size, "");
    while (file && !text[0] && fgets(line, sizeof line, file)) {
        char *colon = strchr(line, ':');

        if (strncmp(line, "model name", 10) == 0 && colon) {
            line[strcspn(line, "\n")] = '\0';
            gp_copy(text, size, colon + 2);
        }
    }
    if (file)
        fclose(file);
}

static json_t *host(const struct bench_job *job)
{
    json_t *json = json_object();
    struct utsname name;
    char cpu[128];

    cpu_name(cpu, sizeof cpu);
    json_object_set_new(json, "name", gp_json_text(job->host));
    json_object_set_new(json, "cpu", cpu[0] ? gp_json_text(cpu) : json_null());
    json_object_set_new(json, "cpus", json_integer(sysconf(_SC_NPROCESSORS_ONLN)));
    json_object_set_new(json, "kernel",
                        uname(&name) == 0 ? gp_json_text(name.release) : json_null());
    json_object_set_new(json, "env", environment());
    return json;
}

static json_t *devices(const struct bench_job *job)
{
    json_t *list = json_array();

    for (int i = 0; i < job->device_count; i++) {
        const struct bench_device_run *d = &job->device[i];
        json_t *one = json_copy((json_t *)d->json);

        json_object_del(one, "t");
        json_object_del(one, "index");
        json_object_set_new(one, "id", json_integer(d->index));
        json_object_set_new(one, "backend", json_string(job->backend));
        json_object_set_new(one, "profile",
                            d->gpu ? gp_json_text(d->gpu->id) : json_null());
        json_object_set_new(one, "state", json_string(d->failed ? "failed" : "ok"));
        json_object_set_new(one, "reason",
                            d->why[0] ? gp_json_text(d->why) : json_null());
        json_array_append_new(list, one);
    }
    return list;
}

static json_t *settings(const struct bench_job *job)
{
    static const char *const presets[] = {"quick", "normal", "thorough"};
    json_t *json = protocol_settings(&job->ask.settings, 0);
    char hash[17];

    json_object_del(json, "protocol");
    json_object_del(json, "do");
    json_object_del(json, "device");
    points_hash(&job->points, hash);
    json_object_set_new(json, "preset", json_string(presets[job->ask.preset]));
    json_object_set_new(json, "passes", json_integer(job->passes));
    json_object_set_new(json, "plan", json_string(hash));
    return json;
}

/* ---- predicted ---- */

static const json_t *rate_of(const json_t *point, const char *key)
{
    return json_object_get(json_object_get(point, "rate"), key);
}

/* The best read bandwidth of a device in this run, beyond its cache; 0 = none. */
static double read_bandwidth(const struct bench_job *job,
                             const struct bench_device_run *d)
{
    double cache = json_number_value(json_object_get(d->json, "cache")), best = 0;
    const json_t *record;
    size_t i;

    json_array_foreach(job->records, i, record)
    {
        const json_t *p = json_object_get(record, "point");
        const char *id = json_string_value(json_object_get(p, "id"));
        double bytes =
            json_number_value(json_object_get(json_object_get(p, "params"), "bytes"));
        double rate = json_number_value(rate_of(p, "bytes_per_s"));

        if (json_integer_value(json_object_get(record, "device")) == d->index && id &&
            strncmp(id, "memory/read/", 12) == 0 && bytes > 2 * cache)
            best = fmax(best, rate);
    }
    return best;
}

static struct roof roof_of(const struct bench_job *job,
                           const struct bench_device_run *d, enum bench_type type)
{
    static const enum format_math math[TYPE_COUNT] = {
        [TYPE_FP32] = MATH_FP32,    [TYPE_TF32] = MATH_TF32, [TYPE_FP16] = MATH_FP16,
        [TYPE_FP16ACC] = MATH_FP16, [TYPE_BF16] = MATH_BF16, [TYPE_INT8] = MATH_INT8,
        [TYPE_FP8] = MATH_FP8,      [TYPE_MXFP8] = MATH_FP8, [TYPE_NVFP4] = MATH_FP4};
    struct roof roof = {quantity_unknown(), quantity_unknown()};
    double sheet = json_number_value(json_object_get(d->json, "bandwidth_sheet"));
    double read;

    if (d->gpu)
        return roof_of_gpu(d->gpu, math[type], type == TYPE_FP16ACC);
    if (sheet > 0)
        roof.bandwidth = quantity_of(sheet, ORIGIN_SHEET);
    else if ((read = read_bandwidth(job, d)) > 0)
        roof.bandwidth = quantity_of(read, ORIGIN_MEASURED);
    return roof;
}

static const struct point *point_of(const struct bench_job *job, const char *id)
{
    for (int i = 0; id && i < job->points.count; i++)
        if (strcmp(job->points.point[i].id, id) == 0)
            return &job->points.point[i];
    return NULL;
}

static struct roofline predict(const struct bench_job *job,
                               const struct bench_device_run *d, const struct point *p)
{
    struct roofline none = {quantity_unknown(), ROOF_NONE};
    struct roof roof = roof_of(job, d, p->type);

    switch (p->test) {
    case TEST_GEMM:
    case TEST_BATCH:
    case TEST_DECODE:
        if (p->cache == CACHE_HOT && p->test != TEST_DECODE)
            roof.bandwidth = quantity_unknown();
        return roofline_work(&roof, point_operations(p), point_bytes(p));
    case TEST_MEMORY: /* against itself it would always hold */
        if (roof.bandwidth.known && roof.bandwidth.origin == ORIGIN_MEASURED)
            return none;
        return roofline_work(&roof, 0, point_bytes(p));
    case TEST_TRANSFER:
        return d->gpu && strcmp(p->kind, "storage") != 0
                   ? roofline_link(d->gpu, p->bytes)
                   : none;
    default:
        return none;
    }
}

static json_t *predicted(const struct bench_job *job, const struct bench_device_run *d,
                         const json_t *json)
{
    const struct point *p =
        point_of(job, json_string_value(json_object_get(json, "id")));
    double median =
        json_number_value(json_object_get(json_object_get(json, "time_s"), "median"));
    struct roofline line;
    json_t *out;

    if (!p)
        return json_null();
    line = predict(job, d, p);
    if (!line.time.known)
        return json_null();
    out = json_object();
    json_object_set_new(out, "time_s", gp_json_number(line.time.value));
    json_object_set_new(out, "bound", json_string(roof_bound_word(line.bound)));
    json_object_set_new(out, "origin", json_string(origin_word(line.time.origin)));
    json_object_set_new(out, "ratio",
                        median > 0 ? gp_json_number(line.time.value / median)
                                   : json_null());
    return out;
}

/* ---- points ---- */

static bool same_work(const json_t *a, const json_t *b)
{
    const json_t *pa = json_object_get(a, "point"), *pb = json_object_get(b, "point");
    const char *va = json_string_value(json_object_get(pa, "variant"));
    const char *vb = json_string_value(json_object_get(pb, "variant"));

    return json_integer_value(json_object_get(a, "device")) ==
               json_integer_value(json_object_get(b, "device")) &&
           strcmp(json_string_value(json_object_get(pa, "id")),
                  json_string_value(json_object_get(pb, "id"))) == 0 &&
           strcmp(va ? va : "", vb ? vb : "") == 0;
}

static bool is_ok(const json_t *record)
{
    const char *state =
        json_string_value(json_object_get(json_object_get(record, "point"), "state"));

    return state && strcmp(state, "ok") == 0;
}

static void add_flag(json_t *point, const char *flag)
{
    json_t *flags = json_object_get(point, "flags"), *had;
    size_t i;

    if (!json_is_array(flags)) {
        json_object_set_new(point, "flags", json_array());
        flags = json_object_get(point, "flags");
    }
    json_array_foreach(flags, i,
                       had) if (strcmp(json_string_value(had), flag) == 0) return;
    json_array_append_new(flags, json_string(flag));
}

/* Passes that an engine could not compare, because the run was resumed in between. */
static void compare_passes(const struct bench_job *job, const json_t *record,
                           json_t *point)
{
    const json_t *other;
    json_t *medians = json_array();
    size_t i;

    json_array_foreach(job->records, i, other)
    {
        const json_t *time = json_object_get(json_object_get(other, "point"), "time_s");

        if (same_work(other, record) && is_ok(other))
            json_array_append(medians, json_object_get(time, "median"));
    }
    if (json_array_size(medians) > json_array_size(json_object_get(point, "passes"))) {
        json_object_set(point, "passes", medians);
        if (json_array_size(medians) > 1 &&
            method_drift(json_number_value(json_array_get(medians, 0)),
                         json_number_value(json_array_get(medians, 1))))
            add_flag(point, "drift");
    }
    json_decref(medians);
}

static const struct bench_device_run *device_of(const struct bench_job *job, int index)
{
    for (int i = 0; i < job->device_count; i++)
        if (job->device[i].index == index)
            return &job->device[i];
    return NULL;
}

static void add_point(const struct bench_job *job, const json_t *record, json_t *list)
{
    int index = (int)json_integer_value(json_object_get(record, "device"));
    const struct bench_device_run *d = device_of(job, index);
    json_t *point;

    if (!d)
        return;
    point = json_deep_copy(json_object_get(record, "point"));
    json_object_del(point, "t");
    json_object_del(point, "index");
    json_object_set_new(point, "device", json_integer(index));
    compare_passes(job, record, point);
    json_object_set_new(point, "predicted", predicted(job, d, point));
    json_array_append_new(list, point);
}

/* The last good record of each work, else its last. */
static json_t *points(const struct bench_job *job)
{
    size_t n = json_array_size(job->records);
    json_t *list = json_array();

    for (size_t i = 0; i < n; i++) {
        const json_t *best = json_array_get(job->records, i), *other;
        bool first = true;

        for (size_t j = 0; j < i && first; j++)
            first = !same_work(best, json_array_get(job->records, j));
        for (size_t j = i + 1; j < n && first; j++) {
            other = json_array_get(job->records, j);
            if (same_work(best, other) && (is_ok(other) || !is_ok(best)))
                best = other;
        }
        if (first)
            add_point(job, best, list);
    }
    return list;
}

/* What was planned and has no record: named, so that nobody looks for it in vain. */
static void add_skipped(const struct bench_job *job, json_t *list)
{
    for (int d = 0; d < job->device_count; d++)
        for (int i = 0; i < job->points.count; i++) {
            const struct point *p = &job->points.point[i];
            const json_t *had;
            bool found = p->test == TEST_ALLREDUCE && d > 0;
            json_t *one;
            size_t k;

            json_array_foreach(list, k, had) found =
                found ||
                (json_integer_value(json_object_get(had, "device")) ==
                     job->device[d].index &&
                 strcmp(json_string_value(json_object_get(had, "id")), p->id) == 0);
            if (found)
                continue;
            one = json_object();
            json_object_set_new(one, "id", gp_json_text(p->id));
            json_object_set_new(one, "device", json_integer(job->device[d].index));
            json_object_set_new(one, "test", json_string(bench_test_word(p->test)));
            json_object_set_new(one, "variant", json_string(""));
            json_object_set_new(one, "state", json_string("skipped"));
            json_object_set_new(one, "reason",
                                json_string(job->device[d].failed ? "the engine failed"
                                            : job->limit_hit      ? "time limit"
                                            : job->disk           ? "disk full"
                                                                  : "interrupted"));
            json_object_set_new(one, "params", point_to_json(p));
            json_array_append_new(list, one);
        }
}

/* ---- the document ---- */

static json_t *warnings(const struct bench_job *job)
{
    json_t *list = json_array();

    for (int i = 0; i < job->warning_count; i++)
        json_array_append_new(list, gp_json_text(job->warning[i]));
    for (int i = 0; i < job->points.note_count; i++)
        json_array_append_new(list, gp_json_text(job->points.note[i]));
    if (job->chosen[0])
        json_array_append_new(list, gp_json_text(job->chosen));
    return list;
}

static void name_tests(json_t *list)
{
    json_t *point;
    size_t i;

    json_array_foreach(list, i, point)
    {
        const char *id = json_string_value(json_object_get(point, "id"));
        char test[24];

        gp_format(test, sizeof test, "%.*s", (int)strcspn(id, "/"), id);
        json_object_set_new(point, "test", gp_json_text(test));
    }
}

static json_t *launch(const struct bench_job *job)
{
    json_t *json = json_object();

    json_object_set_new(json, "job", gp_json_text(job->job_id));
    json_object_set_new(json, "rank", json_integer(job->rank));
    json_object_set_new(json, "ranks", json_integer(job->ranks));
    return json;
}

json_t *bench_result(struct bench_job *job, const char *status)
{
    json_t *json = json_object(), *tool = json_object(), *list = points(job);
    struct benchlog log;
    char stamp[32], id[160];

    add_skipped(job, list);
    name_tests(list);
    strftime(stamp, sizeof stamp, "%Y-%m-%dT%H:%M:%SZ", gmtime(&job->began));
    gp_format(id, sizeof id, "%s-%s-%ld", job->host, stamp, (long)getpid());
    json_object_set_new(json, "schema", json_string(BENCHLOG_SCHEMA));
    json_object_set_new(json, "method_version", json_integer(METHOD_VERSION));
    json_object_set_new(json, "status", json_string(status));
    json_object_set_new(json, "run_id", gp_json_text(id));
    json_object_set_new(json, "started", gp_json_text(stamp));
    json_object_set_new(json, "elapsed_s", gp_json_number(bench_now() - job->clock));
    json_object_set_new(tool, "version", json_string(GP_VERSION));
    json_object_set_new(tool, "seed", json_integer((json_int_t)job->ask.settings.seed));
    json_object_set_new(json, "tool", tool);
    json_object_set_new(json, "host", host(job));
    if (job->ranks > 1)
        json_object_set_new(json, "launch", launch(job));
    json_object_set(json, "software", json_object_get(job->hello, "software"));
    json_object_set_new(json, "engine", json_copy(job->hello));
    json_object_del(json_object_get(json, "engine"), "t");
    json_object_set_new(json, "devices", devices(job));
    json_object_set_new(json, "settings", settings(job));
    json_object_set_new(json, "points", list);
    json_object_set_new(json, "warnings", warnings(job));
    if (benchlog_from_json("result", json, &log, NULL) == GP_OK) {
        json_object_set_new(json, "summary", bench_summary(&log));
        benchlog_fini(&log);
    }
    return json;
}
