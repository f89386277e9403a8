/*
 * point.c - the id of a point, and a point as JSON; what its test is: test.c.
 */
#include "point/point.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "util/json.h"
#include "util/str.h"

#define DIM_MAX   2147483648.0       /* 2^31 */
#define BYTES_MAX 1125899906842624.0 /* 2^50 */
#define COUNT_MAX 65536.0            /* layers, heads, shards */

double point_operations(const struct point *point)
{
    const struct test_row *row = &test_rows[point->test];

    return row->operations ? row->operations(point) : 0;
}

double point_bytes(const struct point *point)
{
    const struct test_row *row = &test_rows[point->test];

    if (row->bytes)
        return row->bytes(point);
    return point->bytes * (point->kind ? kind_rows[point->kind].ways : row->ways);
}

bool point_together(const struct point *point)
{
    return bench_test_is(point->test, TEST_NEEDS_DEVICES) ||
           bench_kind_is(point->kind, KIND_IS_PAIR);
}

/* ---- id ---- */

const char *point_kind(const struct point *point)
{
    return bench_kind_label(point->kind, point->cache == CACHE_HOT);
}

unsigned point_hash(const char *text)
{
    unsigned hash = 2166136261u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

void point_devices(uint64_t devices, char *text, size_t size)
{
    size_t used = 0;

    text[0] = '\0';
    for (int i = 0; i < POINT_DEVICES; i++) {
        int last = i;

        if (!(devices >> i & 1))
            continue;
        while (last + 1 < POINT_DEVICES && devices >> (last + 1) & 1)
            last++;
        gp_format(text + used, size - used, used ? ",%d" : "%d", i);
        used += strlen(text + used);
        if (last > i)
            gp_format(text + used, size - used, "-%d", last);
        used += strlen(text + used);
        i = last;
    }
}

void point_name(struct point *point)
{
    const struct test_row *row = &test_rows[point->test];
    char text[640];

    if (row->name)
        row->name(point, text, sizeof(text));
    else
        gp_format(text, sizeof(text), "%s/%s%s%.0f", bench_test_word(point->test),
                  point_kind(point), point->kind ? "/" : "", point->bytes);
    if (!gp_copy(point->id, sizeof(point->id), text))
        gp_format(point->id + sizeof(point->id) - 10, 10, "~%08x", point_hash(text));
}

/* ---- JSON ---- */

enum field_kind { FIELD_INT, FIELD_INT64, FIELD_DOUBLE, FIELD_TEXT };

#define AT(field) offsetof(struct point, field)

static const struct field {
    const char *name;
    enum field_kind kind;
    size_t offset, size;
    double max;
} fields[] = {
    {"m", FIELD_INT64, AT(m), 0, DIM_MAX},
    {"n", FIELD_INT64, AT(n), 0, DIM_MAX},
    {"k", FIELD_INT64, AT(k), 0, DIM_MAX},
    {"bytes", FIELD_DOUBLE, AT(bytes), 0, BYTES_MAX},
    {"from", FIELD_INT, AT(from), 0, COUNT_MAX},
    {"to", FIELD_INT, AT(to), 0, COUNT_MAX},
    {"layer", FIELD_TEXT, AT(layer), sizeof((struct point *)0)->layer, 0},
    {"model", FIELD_TEXT, AT(model), sizeof((struct point *)0)->model, 0},
    {"tp", FIELD_INT, AT(tp), 0, COUNT_MAX},
    {"layers", FIELD_INT, AT(layers), 0, COUNT_MAX},
    {"heads", FIELD_INT, AT(heads), 0, COUNT_MAX},
    {"kv_heads", FIELD_INT, AT(kv_heads), 0, COUNT_MAX},
    {"head_dim", FIELD_INT, AT(head_dim), 0, COUNT_MAX},
    {"hidden", FIELD_INT64, AT(hidden), 0, DIM_MAX},
    {"ff", FIELD_INT64, AT(ff), 0, DIM_MAX},
    {"vocab", FIELD_INT64, AT(vocab), 0, DIM_MAX},
    {"context", FIELD_DOUBLE, AT(context), 0, DIM_MAX},
    {"weights", FIELD_TEXT, AT(weights), sizeof((struct point *)0)->weights, 0},
    {"head", FIELD_TEXT, AT(head), sizeof((struct point *)0)->head, 0},
    {"kv", FIELD_TEXT, AT(kv), sizeof((struct point *)0)->kv, 0},
    {"stand_in", FIELD_TEXT, AT(stand_in), sizeof((struct point *)0)->stand_in, 0},
    {"pp", FIELD_INT, AT(pp), 0, COUNT_MAX},
    {"path", FIELD_TEXT, AT(path), sizeof((struct point *)0)->path, 0},
};
enum { FIELDS = sizeof fields / sizeof fields[0] };

/* NULL for 0 and "": what a test does not use is not written. */
static json_t *field_to_json(const struct field *field, const struct point *point)
{
    const char *at = (const char *)point + field->offset;
    double number;

    if (field->kind == FIELD_TEXT)
        return *at ? gp_json_text(at) : NULL;
    if (field->kind == FIELD_INT)
        number = *(const int *)(const void *)at;
    else if (field->kind == FIELD_INT64)
        number = (double)*(const int64_t *)(const void *)at;
    else
        number = *(const double *)(const void *)at;
    return number != 0 ? gp_json_number(number) : NULL;
}

static json_t *devices_to_json(uint64_t devices)
{
    json_t *list = json_array();

    for (int i = 0; i < POINT_DEVICES; i++)
        if (devices >> i & 1)
            json_array_append_new(list, json_integer(i));
    return list;
}

json_t *point_to_json(const struct point *point)
{
    json_t *json = json_object();

    json_object_set_new(json, "id", gp_json_text(point->id));
    json_object_set_new(json, "test", json_string(bench_test_word(point->test)));
    json_object_set_new(json, "type", json_string(bench_type_word(point->type)));
    json_object_set_new(json, "cache", json_string(bench_cache_word(point->cache)));
    if (point->kind)
        json_object_set_new(json, "kind", json_string(bench_kind_word(point->kind)));
    for (int i = 0; i < FIELDS; i++) {
        json_t *value = field_to_json(&fields[i], point);

        if (value)
            json_object_set_new(json, fields[i].name, value);
    }
    if (point->devices)
        json_object_set_new(json, "devices", devices_to_json(point->devices));
    return json;
}

struct reading {
    const json_t *json;
    const char *where;
    struct gp_err *err;
};

static enum gp_status bad(const struct reading *in, const char *field, const char *what)
{
    char where[192];

    gp_format(where, sizeof where, "%s: point.%s", in->where, field);
    return gp_fail(in->err, GP_E_FILE, where, "", "%s", what);
}

static bool clean_text(const char *text)
{
    for (; *text; text++)
        if ((unsigned char)*text < 0x20 || *text == 0x7f)
            return false;
    return true;
}

static enum gp_status read_text(const struct reading *in, const struct field *field,
                                const json_t *value, char *at)
{
    const char *text = json_string_value(value);

    if (!text)
        return bad(in, field->name, "is not a string");
    if (!clean_text(text) || !gp_copy(at, field->size, text))
        return bad(in, field->name, "is too long or holds control characters");
    return GP_OK;
}

static enum gp_status read_field(const struct reading *in, const struct field *field,
                                 struct point *out)
{
    const json_t *value = json_object_get(in->json, field->name);
    char *at = (char *)out + field->offset;
    double number;

    if (!value)
        return GP_OK;
    if (field->kind == FIELD_TEXT)
        return read_text(in, field, value, at);
    if (field->kind == FIELD_DOUBLE ? !json_is_number(value) : !json_is_integer(value))
        return bad(in, field->name, "is not a number of the right kind");
    number = json_number_value(value);
    if (!(number >= 0 && number <= field->max))
        return bad(in, field->name, "is out of range");
    if (field->kind == FIELD_INT)
        *(int *)(void *)at = (int)number;
    else if (field->kind == FIELD_INT64)
        *(int64_t *)(void *)at = (int64_t)number;
    else
        *(double *)(void *)at = number;
    return GP_OK;
}

/* Each once, 0..63; the order says nothing. */
static enum gp_status read_devices(const struct reading *in, uint64_t *out)
{
    const json_t *list = json_object_get(in->json, "devices"), *one;
    size_t i;

    if (!list)
        return GP_OK;
    if (!json_is_array(list) || json_array_size(list) > POINT_DEVICES)
        return bad(in, "devices", "is not a list, or too long");
    json_array_foreach((json_t *)list, i, one)
    {
        json_int_t index = json_is_integer(one) ? json_integer_value(one) : -1;

        if (index < 0 || index >= POINT_DEVICES || *out >> index & 1)
            return bad(in, "devices", "is not of different indices from 0 to 63");
        *out |= (uint64_t)1 << index;
    }
    return GP_OK;
}

static enum gp_status read_word(const struct reading *in, const char *field,
                                int (*parse)(const char *), const char *fallback,
                                int *out)
{
    const json_t *value = json_object_get(in->json, field);
    const char *word = value ? json_string_value(value) : fallback;

    *out = word ? parse(word) : -1;
    return *out < 0 ? bad(in, field, "is missing or unknown") : GP_OK;
}

static enum gp_status read_kind(const struct reading *in, struct point *out)
{
    const json_t *value = json_object_get(in->json, "kind");
    const char *word = json_string_value(value);
    int kind = word ? bench_kind_parse(out->test, word) : -1;

    if (!value && !bench_test_has_kinds(out->test))
        return GP_OK;
    if (kind < 0)
        return bad(in, "kind", "does not belong to this test");
    out->kind = (enum bench_kind)kind;
    return GP_OK;
}

/* Everything the test needs is there, so that no engine has to ask again. */
static enum gp_status check_complete(const struct reading *in, const struct point *p)
{
    const struct test_row *row = &test_rows[p->test];
    const char *field, *why = row->refuse ? row->refuse(p, &field) : NULL;

    if (bench_test_is(p->test, TEST_IS_SIZED) && p->bytes < 1)
        return bad(in, "bytes", "must be at least 1");
    return why ? bad(in, field, why) : GP_OK;
}

enum gp_status point_from_json(const json_t *json, const char *where, struct point *out,
                               struct gp_err *err)
{
    struct reading in = {json, where, err};
    struct point made = {.tp = 1};
    const char *id;
    enum gp_status status;
    int word;

    if (!json_is_object(json))
        return gp_fail(err, GP_E_FILE, where, "", "point is not an object");
    if ((status = read_word(&in, "test", bench_test_parse, NULL, &word)) != GP_OK)
        return status;
    made.test = (enum bench_test)word;
    if ((status = read_word(&in, "type", bench_type_parse, "fp32", &word)) != GP_OK)
        return status;
    made.type = (enum bench_type)word;
    if ((status = read_word(&in, "cache", bench_cache_parse, "cold", &word)) != GP_OK)
        return status;
    made.cache = (enum bench_cache)word;
    for (int i = 0; i < FIELDS; i++)
        if ((status = read_field(&in, &fields[i], &made)) != GP_OK)
            return status;
    if ((status = read_kind(&in, &made)) != GP_OK)
        return status;
    if ((status = read_devices(&in, &made.devices)) != GP_OK)
        return status;
    if ((status = check_complete(&in, &made)) != GP_OK)
        return status;
    point_name(&made);
    id = json_string_value(json_object_get(json, "id"));
    if (id && strcmp(id, made.id) != 0)
        return bad(&in, "id", "is not the id of this point");
    *out = made;
    return GP_OK;
}
