/*
 * benchlog.c - reading a result file; see benchlog.h.
 */
#include "result/benchlog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/mem.h"
#include "util/path.h"

#define TEXT_MAX 512 /* bytes of any name in it */

struct reading {
    const char *where; /* the file */
    char at[64];       /* "points[3]" */
    struct gp_err *err;
    enum gp_status status;
};

static void refuse(struct reading *r, const char *field, const char *what)
{
    char where[192];

    if (r->status)
        return;
    gp_format(where, sizeof where, "%s: %s%s%s", r->where, r->at, r->at[0] ? "." : "",
              field);
    r->status = gp_fail(r->err, GP_E_FILE, where,
                        "was it written by gpuplan --bench, and whole?", "%s", what);
}

/* "" when it is absent or null and may be. */
static const char *text(struct reading *r, const json_t *object, const char *key,
                        bool needed)
{
    const json_t *value = json_object_get(object, key);

    if (!value || json_is_null(value)) {
        if (needed)
            refuse(r, key, "is missing");
        return "";
    }
    if (!json_is_string(value))
        refuse(r, key, "is not text");
    else if (json_string_length(value) > TEXT_MAX)
        refuse(r, key, "is too long");
    else
        for (const char *c = json_string_value(value); *c; c++)
            if ((unsigned char)*c < 0x20)
                refuse(r, key, "holds control characters");
    return r->status ? "" : json_string_value(value);
}

/* 0 for null or absent; otherwise above 0 (or 0) and sane. */
static double number(struct reading *r, const json_t *object, const char *key,
                     double most)
{
    const json_t *value = json_object_get(object, key);
    double x;

    if (!value || json_is_null(value))
        return 0;
    if (!json_is_number(value)) {
        refuse(r, key, "is not a number");
        return 0;
    }
    x = json_number_value(value);
    if (!isfinite(x) || x < 0 || x > most)
        refuse(r, key, "is out of range");
    return r->status ? 0 : x;
}

static const json_t *object(struct reading *r, const json_t *from, const char *key)
{
    const json_t *value = json_object_get(from, key);

    if (!value || json_is_null(value))
        return NULL;
    if (!json_is_object(value)) {
        refuse(r, key, "is not an object");
        return NULL;
    }
    return value;
}

/* ---- one point ---- */

static void take_samples(struct reading *r, const json_t *time,
                         struct benchlog_point *p)
{
    const json_t *list = json_object_get(time, "samples");
    double n = number(r, time, "n", BENCHLOG_SAMPLES);

    p->samples = (int)n;
    if (n < 1 || n != floor(n))
        refuse(r, "time_s.n", "is not a count of samples");
    if (!list || json_is_null(list))
        return;
    if (!json_is_array(list) || json_array_size(list) != (size_t)p->samples) {
        refuse(r, "time_s.samples", "are not as many as n says");
        return;
    }
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        double x = json_number_value(json_array_get(list, i));

        if (!json_is_number(json_array_get(list, i)) || !isfinite(x) || x < 0 ||
            x > 1e6)
            refuse(r, "time_s.samples", "hold a value that is not a time");
    }
}

static void take_time(struct reading *r, const json_t *time, struct benchlog_point *p)
{
    const json_t *ci = json_object_get(time, "ci95");
    double min = number(r, time, "min", 1e6), max = number(r, time, "max", 1e6);

    take_samples(r, time, p);
    p->median = number(r, time, "median", 1e6);
    p->converged = !json_is_false(json_object_get(time, "converged"));
    p->low = p->high = p->median;
    if (p->median <= 0)
        refuse(r, "time_s.median", "is not a time");
    if ((min > 0 && min > p->median) || (max > 0 && max < p->median))
        refuse(r, "time_s.median", "is not between min and max");
    if (!ci || json_is_null(ci))
        return;
    p->low = json_number_value(json_array_get(ci, 0));
    p->high = json_number_value(json_array_get(ci, 1));
    if (json_array_size(ci) != 2 || !(p->low > 0) || !(p->low <= p->median) ||
        !(p->high >= p->median) || p->high > 1e6)
        refuse(r, "time_s.ci95", "is not an interval around the median");
}

static double mean_of(struct reading *r, const json_t *sensors, const char *key,
                      const char *part)
{
    const json_t *value = json_object_get(sensors, key);

    if (json_is_object(value))
        return number(r, value, part, 1e9);
    return number(r, sensors, key, 1e9);
}

static void take_figures(struct reading *r, const json_t *json,
                         struct benchlog_point *p)
{
    const json_t *rate = object(r, json, "rate"), *sensors = object(r, json, "sensors");
    const json_t *check = object(r, json, "check");
    const json_t *predicted = object(r, json, "predicted");

    p->ops = number(r, rate, "ops_per_s", 1e24);
    p->bytes = number(r, rate, "bytes_per_s", 1e24);
    p->per_joule = number(r, rate, "ops_per_j", 1e24);
    p->per_clock = number(r, rate, "ops_per_clock", 1e24);
    p->clock = mean_of(r, sensors, "sm_clock_mhz", "mean");
    p->power = mean_of(r, sensors, "power_w", "mean");
    p->temp = mean_of(r, sensors, "temp_c", "max");
    p->predicted = number(r, predicted, "time_s", 1e6);
    p->ratio = number(r, predicted, "ratio", 1e9);
    p->bound_word = text(r, predicted, "bound", false);
    p->bound = roof_bound_parse(p->bound_word);
    p->check_done = json_is_boolean(json_object_get(check, "ok"));
    p->check_ok = json_is_true(json_object_get(check, "ok"));
}

bool benchlog_main_variant(const char *variant)
{
    return !variant[0] || strcmp(variant, "heuristic") == 0;
}

static void take_flags(struct reading *r, const json_t *json, struct benchlog_point *p)
{
    p->flags = json_object_get(json, "flags");
    if (!p->flags || json_is_null(p->flags)) {
        p->flags = NULL;
        return;
    }
    if (!json_is_array(p->flags) || json_array_size(p->flags) > 64) {
        refuse(r, "flags", "is not a list of words");
        return;
    }
    for (size_t i = 0; i < json_array_size(p->flags); i++) {
        const char *flag = json_string_value(json_array_get(p->flags, i));

        if (!flag || !flag[0] || strlen(flag) > 64)
            refuse(r, "flags", "is not a list of words");
        else if (line_flag_disturbs(flag))
            p->disturbed = true;
    }
}

static int device_place(const struct benchlog *log, const json_t *id)
{
    for (int i = 0; i < log->device_count; i++)
        if (json_is_integer(id) && log->device[i].id == (long)json_integer_value(id))
            return i;
    return -1;
}

/* The kind that a point of a test with kinds is of: by its parameters, or its id,
 * "memory/read-cache/64". */
static void take_kind(const json_t *params, struct benchlog_point *p)
{
    const char *kind = json_string_value(json_object_get(params, "kind"));
    const char *from = strchr(p->id, '/');
    size_t len = from ? strcspn(from + 1, "/") : 0;
    char word[32];
    char *hot;
    int found;

    gp_format(word, sizeof(word), "%.*s", (int)(len < 31 ? len : 31), from ? from + 1 : "");
    hot = strstr(word, "-cache");
    p->hot = hot && !hot[6];
    if (p->hot)
        *hot = '\0';
    found = bench_kind_parse(p->test, kind ? kind : word);
    p->kind = found < 0 ? KIND_NONE : (enum bench_kind)found;
}

static int device_number(const json_t *params, const char *key)
{
    const json_t *value = json_object_get(params, key);
    json_int_t number = json_is_integer(value) ? json_integer_value(value) : 0;

    return number >= 0 && number < BENCHLOG_DEVICES ? (int)number : 0;
}

/* What was measured, in this version's words as far as it has them. */
static void take_work(struct reading *r, const json_t *json, struct benchlog_point *p)
{
    const json_t *params = object(r, json, "params");
    int test, type;

    p->test_word = text(r, json, "test", true);
    p->type_word = text(r, params, "type", false);
    test = bench_test_parse(p->test_word);
    type = bench_type_parse(p->type_word);
    p->test = test < 0 ? TEST_COUNT : (enum bench_test)test;
    p->type = type < 0 ? TYPE_COUNT : (enum bench_type)type;
    take_kind(params, p);
    p->m = benchlog_param(p, "m");
    p->n = benchlog_param(p, "n");
    p->k = benchlog_param(p, "k");
    p->size = benchlog_param(p, "bytes");
    p->from = device_number(params, "from");
    p->to = device_number(params, "to");
}

static void take_point(struct reading *r, const struct benchlog *log,
                       const json_t *json, struct benchlog_point *p)
{
    const json_t *time = object(r, json, "time_s");
    int state;

    p->json = json;
    p->id = text(r, json, "id", true);
    p->variant = text(r, json, "variant", false);
    take_work(r, json, p);
    state = line_word(point_state_words, POINT_STATES, text(r, json, "state", true));
    p->state = state < 0 ? POINT_ERROR : (enum point_state)state;
    p->reason = text(r, json, "reason", false);
    p->device = device_place(log, json_object_get(json, "device"));
    if (p->device < 0)
        refuse(r, "device", "is not a device of the file");
    if (state < 0)
        refuse(r, "state", "is not ok, unsupported, oom, error or skipped");
    if (p->state == POINT_OK && !time)
        refuse(r, "time_s", "is missing");
    if (time)
        take_time(r, time, p);
    take_figures(r, json, p);
    take_flags(r, json, p);
}

/* ---- the file ---- */

static void take_devices(struct reading *r, struct benchlog *log)
{
    const json_t *list = json_object_get(log->json, "devices");

    if (!json_is_array(list) || json_array_size(list) > BENCHLOG_DEVICES) {
        refuse(r, "devices", "is not a list of at most 1024");
        return;
    }
    log->device = gp_calloc(json_array_size(list) + 1, sizeof *log->device);
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        const json_t *json = json_array_get(list, i), *id = json_object_get(json, "id");
        struct benchlog_device *d = &log->device[i];

        gp_format(r->at, sizeof r->at, "devices[%zu]", i);
        if (!json_is_integer(id) || json_integer_value(id) < 0 ||
            json_integer_value(id) > 1000000 || device_place(log, id) >= 0)
            refuse(r, "id", "is a number used before");
        d->id = (long)json_integer_value(id);
        d->name = text(r, json, "name", true);
        d->host = text(r, json, "host", false);
        if (!d->host[0])
            d->host = log->host;
        log->device_count = (int)i + 1;
    }
    r->at[0] = '\0';
}

static void take_points(struct reading *r, struct benchlog *log)
{
    const json_t *list = json_object_get(log->json, "points");

    if (!json_is_array(list) || json_array_size(list) > BENCHLOG_POINTS) {
        refuse(r, "points", "is not a list of at most 100000");
        return;
    }
    log->point = gp_calloc(json_array_size(list) + 1, sizeof *log->point);
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        gp_format(r->at, sizeof r->at, "points[%zu]", i);
        if (!json_is_object(json_array_get(list, i)))
            refuse(r, "", "is not an object");
        else
            take_point(r, log, json_array_get(list, i), &log->point[i]);
        log->count = (int)i + 1;
    }
    r->at[0] = '\0';
}

enum gp_status benchlog_from_json(const char *where, json_t *json, struct benchlog *out,
                                  struct gp_err *err)
{
    struct reading r = {.where = where, .err = err};
    const json_t *host;

    memset(out, 0, sizeof *out);
    if (!json_is_object(json)) {
        refuse(&r, "the file", "is not a JSON object");
        return r.status;
    }
    out->json = json_incref(json);
    if (strcmp(text(&r, json, "schema", true), BENCHLOG_SCHEMA) != 0)
        refuse(&r, "schema", "is not " BENCHLOG_SCHEMA);
    out->status = text(&r, json, "status", true);
    if (line_word(run_status_words, RUN_STATUSES, out->status) < 0)
        refuse(&r, "status", "is not complete, interrupted or failed");
    out->started = text(&r, json, "started", false);
    host = object(&r, json, "host");
    out->host = text(&r, host, "name", false);
    if (!r.status)
        take_devices(&r, out);
    if (!r.status)
        take_points(&r, out);
    if (r.status)
        benchlog_fini(out);
    return r.status;
}

enum gp_status benchlog_parse(const char *where, const char *bytes, size_t len,
                              struct benchlog *out, struct gp_err *err)
{
    json_t *json;
    enum gp_status status = gp_json_parse(where, bytes, len, &json, err);

    memset(out, 0, sizeof *out);
    if (!status)
        status = benchlog_from_json(where, json, out, err);
    json_decref(json);
    return status;
}

enum gp_status benchlog_read(const char *path, struct benchlog *out, struct gp_err *err)
{
    char *bytes = NULL;
    size_t len;
    enum gp_status status = path_read(path, BENCHLOG_BYTES, &bytes, &len, err);

    memset(out, 0, sizeof *out);
    if (!status)
        status = benchlog_parse(path, bytes, len, out, err);
    free(bytes);
    return status;
}

void benchlog_fini(struct benchlog *log)
{
    free(log->device);
    free(log->point);
    json_decref(log->json);
    memset(log, 0, sizeof *log);
}

enum gp_status benchlog_write(const char *path, const json_t *json, struct gp_err *err)
{
    struct strbuf out;
    enum gp_status status;

    strbuf_init(&out);
    gp_json_write(json, true, &out);
    status = path_write(path, out.text, out.len, err);
    strbuf_fini(&out);
    return status;
}

bool benchlog_good(const struct benchlog_point *p)
{
    return p->state == POINT_OK && (!p->check_done || p->check_ok) &&
           !p->disturbed;
}

struct benchlog_tally benchlog_tally(const struct benchlog *log)
{
    struct benchlog_tally t = {0};

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (p->state != POINT_OK)
            t.without++;
        else if (p->check_done && !p->check_ok)
            t.wrong++;
        else if (!benchlog_good(p))
            t.flagged++;
        else
            t.good++;
    }
    return t;
}

const struct benchlog_point *benchlog_find(const struct benchlog *log, int device,
                                           const char *id, const char *variant)
{
    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (p->device == device && strcmp(p->id, id) == 0 &&
            strcmp(p->variant, variant) == 0)
            return p;
    }
    return NULL;
}

/* ---- what else a file says ---- */

static const json_t *param_of(const struct benchlog_point *point, const char *key)
{
    return json_object_get(json_object_get(point->json, "params"), key);
}

static const char *text_or_none(const json_t *json)
{
    return json_is_string(json) ? json_string_value(json) : "";
}

double benchlog_param(const struct benchlog_point *point, const char *key)
{
    double value = json_number_value(param_of(point, key));

    return isfinite(value) && value > 0 ? value : 0;
}

const char *benchlog_param_text(const struct benchlog_point *point, const char *key)
{
    return text_or_none(param_of(point, key));
}

const char *benchlog_device_text(const struct benchlog *log, int place, const char *key)
{
    const json_t *list = json_object_get(log->json, "devices");

    if (place < 0)
        return "";
    return text_or_none(json_object_get(json_array_get(list, (size_t)place), key));
}

bool benchlog_share(const struct benchlog *log, struct benchlog *out)
{
    return log && log->json &&
           benchlog_from_json("the result", log->json, out, NULL) == GP_OK;
}
