/*
 * benchlog.c - reading a result file; see benchlog.h.
 */
#include "measure/result/benchlog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "measure/point/field.h"
#include "measure/result/calibration.h"

#define TIME_MAX 1e6  /* s */
#define RATE_MAX 1e24 /* per second */

/* ---- the fields ---- */

#define TEXT(name, member, properties) \
    FIELD_AT(struct benchlog_point, name, member, .type = FIELD_STRING, .is = (properties))
#define NUMBER(name, member, most) FIELD_NUMBER_AT(struct benchlog_point, name, member, most)
/* A mean or an extreme, which older files have without the object around it. */
#define SENSOR(name, member)                                                         \
    FIELD_AT(struct benchlog_point, name, member, .type = FIELD_NUMBER, .high = 1e9, \
             .is = FIELD_FLAT)

static const struct field point_fields[] = {
    TEXT("id", id, FIELD_NEEDED),
    TEXT("variant", variant, 0),
    TEXT("test", test_word, FIELD_NEEDED),
    FIELD_WORD_AT(struct benchlog_point, "test", test, bench_test_words, TEST_COUNT, FIELD_LATER),
    TEXT("params.type", type_word, 0),
    FIELD_WORD_AT(struct benchlog_point, "params.type", type, bench_type_words, TYPE_COUNT,
                  FIELD_LATER),
    FIELD_WORD_AT(struct benchlog_point, "state", state, point_state_words, POINT_STATES,
                  FIELD_NEEDED),
    TEXT("reason", reason, 0),
    NUMBER("rate.ops_per_s", ops, RATE_MAX),
    NUMBER("rate.bytes_per_s", bytes, RATE_MAX),
    NUMBER("rate.ops_per_j", per_joule, RATE_MAX),
    NUMBER("rate.ops_per_clock", per_clock, RATE_MAX),
    SENSOR("sensors.sm_clock_mhz.mean", clock),
    SENSOR("sensors.power_w.mean", power),
    SENSOR("sensors.temp_c.max", temp),
    NUMBER("predicted.time_s", predicted, TIME_MAX),
    NUMBER("predicted.ratio", ratio, 1e9),
    TEXT("predicted.bound", bound_word, 0),
    FIELD_AT(struct benchlog_point, "check", json, .type = FIELD_OBJECT),
};

static const struct field time_fields[] = {
    FIELD_AT(struct benchlog_point, "n", samples, .type = FIELD_INT, .is = FIELD_NEEDED, .low = 1,
             .high = BENCHLOG_SAMPLES),
    FIELD_AT(struct benchlog_point, "median", median, .type = FIELD_NUMBER, .is = FIELD_NEEDED,
             .high = TIME_MAX),
    NUMBER("min", min, TIME_MAX),
    NUMBER("max", max, TIME_MAX),
};

static const struct field device_fields[] = {
    FIELD_AT(struct benchlog_device, "id", id, .type = FIELD_LONG, .is = FIELD_NEEDED,
             .high = 1000000),
    FIELD_AT(struct benchlog_device, "name", name, .type = FIELD_STRING, .is = FIELD_NEEDED),
    FIELD_AT(struct benchlog_device, "host", host, .type = FIELD_STRING),
};

static const struct field file_fields[] = {
    FIELD_AT(struct benchlog, "status", status, .type = FIELD_STRING, .is = FIELD_NEEDED),
    FIELD_AT(struct benchlog, "started", started, .type = FIELD_STRING),
    FIELD_AT(struct benchlog, "host.name", host, .type = FIELD_STRING),
};

/* ---- one point ---- */

static void take_samples(struct reading *r, const json_t *list, int n)
{
    const json_t *one;
    size_t i;

    if (!list || json_is_null(list))
        return;
    if (!json_is_array(list) || json_array_size(list) != (size_t)n)
        reading_refuse(r, "time_s.samples", "are not as many as n says");
    json_array_foreach((json_t *)list, i, one)
    {
        double x = json_number_value(one);

        if (!json_is_number(one) || !(x >= 0 && x <= TIME_MAX))
            reading_refuse(r, "time_s.samples", "hold a value that is not a time");
    }
}

static void take_time(struct reading *r, const json_t *time, struct benchlog_point *p)
{
    const json_t *ci = json_object_get(time, "ci95");

    fields_read(r, FIELDS(time_fields), time, p);
    take_samples(r, json_object_get(time, "samples"), p->samples);
    p->converged = !json_is_false(json_object_get(time, "converged"));
    p->low = p->high = p->median;
    if (p->median <= 0)
        reading_refuse(r, "time_s.median", "is not a time");
    if ((p->min > 0 && p->min > p->median) || (p->max > 0 && p->max < p->median))
        reading_refuse(r, "time_s.median", "is not between min and max");
    if (!ci || json_is_null(ci))
        return;
    p->low = json_number_value(json_array_get(ci, 0));
    p->high = json_number_value(json_array_get(ci, 1));
    if (json_array_size(ci) != 2 || !(p->low > 0) || !(p->low <= p->median) ||
        !(p->high >= p->median) || p->high > TIME_MAX)
        reading_refuse(r, "time_s.ci95", "is not an interval around the median");
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
        reading_refuse(r, "flags", "is not a list of words");
        return;
    }
    for (size_t i = 0; i < json_array_size(p->flags); i++) {
        const char *flag = json_string_value(json_array_get(p->flags, i));

        if (!flag || !flag[0] || strlen(flag) > 64)
            reading_refuse(r, "flags", "is not a list of words");
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

static void take_point(struct reading *r, const struct benchlog *log, const json_t *json,
                       struct benchlog_point *p)
{
    const json_t *params = json_object_get(json, "params");
    const json_t *ok = json_object_get(json_object_get(json, "check"), "ok");
    const json_t *time = json_object_get(json, "time_s");

    *p = (struct benchlog_point){.json = json,
                                 .variant = "",
                                 .type_word = "",
                                 .reason = "",
                                 .bound_word = "",
                                 .type = TYPE_COUNT};
    if (!fields_read(r, FIELDS(point_fields), json, p))
        return;
    take_kind(params, p);
    p->m = benchlog_param(p, "m");
    p->n = benchlog_param(p, "n");
    p->k = benchlog_param(p, "k");
    p->size = benchlog_param(p, "bytes");
    p->from = device_number(params, "from");
    p->to = device_number(params, "to");
    p->bound = roof_bound_parse(p->bound_word);
    p->check_done = json_is_boolean(ok);
    p->check_ok = json_is_true(ok);
    p->device = device_place(log, json_object_get(json, "device"));
    if (p->device < 0)
        reading_refuse(r, "device", "is not a device of the file");
    if (json_is_object(time))
        take_time(r, time, p);
    else if (time && !json_is_null(time))
        reading_refuse(r, "time_s", "is not an object");
    else if (p->state == POINT_OK)
        reading_refuse(r, "time_s", "is missing");
    take_flags(r, json, p);
}

/* ---- the file ---- */

static void take_devices(struct reading *r, struct benchlog *log)
{
    const json_t *list = json_object_get(log->json, "devices");

    if (!json_is_array(list) || json_array_size(list) > BENCHLOG_DEVICES) {
        reading_refuse(r, "devices", "is not a list of at most 1024");
        return;
    }
    log->device = gp_calloc(json_array_size(list) + 1, sizeof *log->device);
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        const json_t *json = json_array_get(list, i), *id = json_object_get(json, "id");
        struct benchlog_device *d = &log->device[i];

        gp_format(r->at, sizeof r->at, "devices[%zu]", i);
        d->host = log->host;
        if (device_place(log, id) >= 0)
            reading_refuse(r, "id", "is a number used before");
        fields_read(r, FIELDS(device_fields), json, d);
        if (d->host && !d->host[0])
            d->host = log->host;
        log->device_count = (int)i + 1;
    }
    r->at[0] = '\0';
}

static void take_points(struct reading *r, struct benchlog *log)
{
    const json_t *list = json_object_get(log->json, "points");

    if (!json_is_array(list) || json_array_size(list) > BENCHLOG_POINTS) {
        reading_refuse(r, "points", "is not a list of at most 100000");
        return;
    }
    log->point = gp_calloc(json_array_size(list) + 1, sizeof *log->point);
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        gp_format(r->at, sizeof r->at, "points[%zu]", i);
        if (!json_is_object(json_array_get(list, i)))
            reading_refuse(r, "", "is not an object");
        else
            take_point(r, log, json_array_get(list, i), &log->point[i]);
        log->count = (int)i + 1;
    }
    r->at[0] = '\0';
}

enum gp_status benchlog_from_json(const char *where, json_t *json, struct benchlog *out,
                                  struct gp_err *err)
{
    struct reading r = {.where = where, .hint = RESULT_HINT, .err = err};
    const char *schema = json_string_value(json_object_get(json, "schema"));

    *out = (struct benchlog){.host = "", .status = "", .started = ""};
    if (!json_is_object(json)) {
        reading_refuse(&r, "the file", "is not a JSON object");
        return r.status;
    }
    out->json = json_incref(json);
    if (!schema || strcmp(schema, BENCHLOG_SCHEMA) != 0)
        reading_refuse(&r, "schema", "is not " BENCHLOG_SCHEMA);
    fields_read(&r, FIELDS(file_fields), json, out);
    if (line_word(run_status_words, RUN_STATUSES, out->status) < 0)
        reading_refuse(&r, "status", "is not complete, interrupted or failed");
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
    enum gp_status rc = gp_json_parse(where, bytes, len, &json, err);

    memset(out, 0, sizeof *out);
    if (!rc)
        rc = benchlog_from_json(where, json, out, err);
    json_decref(json);
    return rc;
}

enum gp_status benchlog_read(const char *path, struct benchlog *out, struct gp_err *err)
{
    char *bytes = NULL;
    size_t len;
    enum gp_status rc = path_read(path, BENCHLOG_BYTES, &bytes, &len, err);

    memset(out, 0, sizeof *out);
    if (!rc)
        rc = benchlog_parse(path, bytes, len, out, err);
    free(bytes);
    return rc;
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
    enum gp_status rc;

    strbuf_init(&out);
    gp_json_write(json, true, &out);
    rc = path_write(path, out.text, out.len, err);
    strbuf_fini(&out);
    return rc;
}

bool benchlog_wrong(const struct benchlog_point *p)
{
    return p->check_done && !p->check_ok;
}

bool benchlog_good(const struct benchlog_point *p)
{
    return p->state == POINT_OK && !benchlog_wrong(p) && !p->disturbed;
}

bool benchlog_flagged(const struct benchlog_point *p, const char *flag)
{
    const json_t *one;
    size_t i;

    json_array_foreach((json_t *)p->flags, i, one)
    {
        if (strcmp(json_string_value(one), flag) == 0)
            return true;
    }
    return false;
}

struct benchlog_tally benchlog_tally(const struct benchlog *log)
{
    struct benchlog_tally t = {0};

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (p->state != POINT_OK)
            t.without++;
        else if (benchlog_wrong(p))
            t.wrong++;
        else if (!benchlog_good(p))
            t.flagged++;
        else
            t.good++;
    }
    return t;
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
    return log && log->json && benchlog_from_json("the result", log->json, out, NULL) == GP_OK;
}
