/*
 * benchlog.c - reading a result file, and what it says at a glance; see benchlog.h.
 */
#include "measure/result/benchlog.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "base/path.h"
#include "measure/point/field.h"

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

static int device_place(const struct benchlog *log, const json_t *id)
{
    for (int i = 0; i < log->device_count; i++)
        if (json_is_integer(id) && log->device[i].id == (long)json_integer_value(id))
            return i;
    return -1;
}

static void read_devices(struct reading *r, struct benchlog *log)
{
    const json_t *list = json_object_get(log->json, "devices");

    if (!json_is_array(list) || json_array_size(list) > RESULT_DEVICES) {
        reading_refuse(r, "devices", "is not a list of at most %d", RESULT_DEVICES);
        return;
    }
    log->device = gp_calloc(json_array_size(list) + 1, sizeof(*log->device));
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        const json_t *json = json_array_get(list, i);
        struct benchlog_device *d = &log->device[i];

        gp_format(r->at, sizeof(r->at), "devices[%zu]", i);
        if (device_place(log, json_object_get(json, "id")) >= 0)
            reading_refuse(r, "id", "is a number used before");
        fields_read(r, FIELDS(device_fields), json, d);
        if (!d->host || !d->host[0])
            d->host = log->host;
        log->device_count = (int)i + 1;
    }
    r->at[0] = '\0';
}

static void read_points(struct reading *r, struct benchlog *log)
{
    const json_t *list = json_object_get(log->json, "points");

    if (!json_is_array(list) || json_array_size(list) > BENCHLOG_POINTS) {
        reading_refuse(r, "points", "is not a list of at most %d", BENCHLOG_POINTS);
        return;
    }
    log->point = gp_calloc(json_array_size(list) + 1, sizeof(*log->point));
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        const json_t *json = json_array_get(list, i);
        struct point_result *p = &log->point[i];

        gp_format(r->at, sizeof(r->at), "points[%zu]", i);
        if (!json_is_object(json))
            reading_refuse(r, "", "is not an object");
        else if (result_read(r, json, RESULT_FILE, p) &&
                 (p->device = device_place(log, json_object_get(json, "device"))) < 0)
            reading_refuse(r, "device", "is not a device of the file");
        log->count = (int)i + 1;
    }
}

enum gp_status benchlog_from_json(const char *where, json_t *json, struct benchlog *out,
                                  struct gp_err *err)
{
    struct reading r = {.where = where, .hint = BENCHLOG_HINT, .err = err};
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
        read_devices(&r, out);
    if (!r.status)
        read_points(&r, out);
    if (r.status)
        benchlog_fini(out);
    return r.status;
}

enum gp_status benchlog_parse(const char *where, const char *bytes, size_t len,
                              struct benchlog *out, struct gp_err *err)
{
    json_t *json;
    enum gp_status rc = gp_json_parse(where, bytes, len, &json, err);

    memset(out, 0, sizeof(*out));
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

    memset(out, 0, sizeof(*out));
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
    memset(log, 0, sizeof(*log));
}

bool benchlog_share(const struct benchlog *log, struct benchlog *out)
{
    return log && log->json && benchlog_from_json("the result", log->json, out, NULL) == GP_OK;
}

enum gp_status benchlog_write(const char *path, const json_t *json, struct gp_err *err)
{
    struct strbuf out;

    strbuf_init(&out);
    gp_json_write(json, true, &out);
    enum gp_status rc = path_write(path, out.text, out.len, err);
    strbuf_fini(&out);
    return rc;
}

struct benchlog_tally benchlog_tally(const struct benchlog *log)
{
    struct benchlog_tally t = {0};

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (p->state != POINT_OK)
            t.without++;
        else if (result_wrong(p))
            t.wrong++;
        else if (p->disturbed)
            t.flagged++;
        else
            t.good++;
    }
    return t;
}

const char *benchlog_device_text(const struct benchlog *log, int place, const char *key)
{
    const json_t *list = json_object_get(log->json, "devices");
    const json_t *device = place < 0 ? NULL : json_array_get(list, (size_t)place);
    const char *text = json_string_value(json_object_get(device, key));

    return text ? text : "";
}

/* ---- lists of texts ---- */

void benchlog_warn(json_t *list, const char *code, const char *fmt, ...)
{
    json_t *one = json_object();
    char text[1400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    json_object_set_new(one, "code", json_string(code));
    json_object_set_new(one, "text", gp_json_text(text));
    json_array_append_new(list, one);
}

void benchlog_text(json_t *list, const char *fmt, ...)
{
    char text[400];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    json_array_append_new(list, gp_json_text(text));
}

const char *benchlog_line(const json_t *warning)
{
    const char *text =
        json_string_value(json_is_object(warning) ? json_object_get(warning, "text") : warning);

    return text ? text : "";
}
