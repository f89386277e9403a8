/*
 * point.c - the id of a point, and a point as JSON; what its test is: test.c.
 */
#include "measure/point/point.h"

#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "base/json.h"
#include "base/str.h"
#include "measure/point/field.h"

#define DIM_MAX 2147483648.0         /* 2^31 */
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

int64_t point_tokens(const struct point *point)
{
    return point->tokens > 0 ? point->tokens : point->n;
}

bool point_together(const struct point *point)
{
    return bench_test_is(point->test, TEST_NEEDS_DEVICES) ||
           bench_kind_is(point->kind, KIND_IS_PAIR) || bench_kind_is(point->kind, KIND_IS_ALL);
}

bool point_in_turn(const struct point *point)
{
    return test_rows[point->test].bound == BOUND_LINK && !point_together(point);
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
    text[0] = '\0';
    for (int i = 0; i < POINT_DEVICES; i++) {
        int last = i;

        if (!(devices >> i & 1))
            continue;
        while (last + 1 < POINT_DEVICES && devices >> (last + 1) & 1)
            last++;
        gp_append(text, size, ",", "%d", i);
        if (last > i)
            gp_append(text, size, "-", "%d", last);
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

/* ---- in which types a decoder step is measured, and what it leaves out ----
 *
 * A step is planned with a weight format, that of the head, and that of the KV cache. An engine
 * measures those or says that it has no such product: INT4 weights that are multiplied in BF16 are
 * a quarter of the bytes of BF16 weights, so that a step of these says nothing of one of those. */

const char *point_weights(const struct point *point)
{
    return point->weights[0] ? point->weights : bench_type_word(point->type);
}

const char *point_head(const struct point *point)
{
    return point->head[0] ? point->head : point_weights(point);
}

const char *point_kv(const struct point *point)
{
    return point->kv[0] ? point->kv : type_rows[point->type].activation;
}

bool point_decode_types(const struct point *point, struct decode_types *out, char *why, size_t size)
{
    const struct {
        const char *what, *format;
        enum bench_type *type;
    } all[] = {{"weights", point_weights(point), &out->linear},
               {"a head", point_head(point), &out->head},
               {"a KV cache", point_kv(point), &out->kv}};

    for (size_t i = 0; i < sizeof all / sizeof all[0]; i++) {
        *all[i].type = bench_type_of_format(all[i].format);
        if (*all[i].type == TYPE_COUNT) {
            gp_format(
                why, size,
                "no library here multiplies %s of %s, and nothing else is measured in its place",
                all[i].what, all[i].format);
            return false;
        }
    }
    if (out->linear == point->type)
        return true;
    gp_format(why, size, "weights of %s are not multiplied as %s", point_weights(point),
              bench_type_word(point->type));
    return false;
}

/* The parts of a real step that are not run, and what the engine adds, "" = nothing. */
static void point_omitted(const struct point *point, const char *more, char *text, size_t size)
{
    bool narrow = bench_type_bytes(point->type) < 2 || strstr(point_kv(point), "8");
    const struct {
        bool left_out;
        const char *word;
    } parts[] = {
        {true, "embedding"},
        {true, "norm"},
        {true, "rope"},
        {narrow, "quantisation and scales of activations"},
        {true, "append to KV cache"},
        {true, "softmax"},
        {more[0] != '\0', more},
        {true, "activation function"},
        {true, "residual sums"},
        {strstr(point->stand_in, "experts") != NULL, "expert routing"},
        {point->tp > 1, "all-reduce"},
        {point->pp > 1, "transfers between pipeline stages"},
        {true, "sampling"},
        {true, "work of the host"},
    };

    text[0] = '\0';
    for (size_t i = 0; i < sizeof parts / sizeof parts[0]; i++)
        if (parts[i].left_out)
            gp_append(text, size, ", ", "%s", parts[i].word);
}

json_t *point_decode_params(const struct point *p, int real, const char *attention,
                            const char *omitted)
{
    double linear, cache;
    char text[256];

    point_omitted(p, omitted, text, sizeof(text));
    point_decode_bytes(p, &linear, &cache);
    json_t *json = json_pack("{si si ss ss}", "layers_real", real, "extrapolated_layers",
                             p->layers - real, "omitted", text, "attention", attention);
    json_object_set_new(json, "step_bytes", gp_json_number(point_bytes(p)));
    json_object_set_new(json, "linear_bytes", gp_json_number(linear));
    json_object_set_new(json, "attention_bytes", gp_json_number(cache));
    return json;
}

/* ---- JSON ---- */

#define TEXT(field) FIELD_TEXT_AT(struct point, #field, field)
#define NUMBER(field, most) FIELD_NUMBER_AT(struct point, #field, field, most)
#define COUNT(field) FIELD_AT(struct point, #field, field, .type = FIELD_INT, .high = COUNT_MAX)
#define DIM(field) FIELD_AT(struct point, #field, field, .type = FIELD_INT64, .high = DIM_MAX)

static const struct field words[] = {
    FIELD_WORD_AT(struct point, "test", test, bench_test_words, TEST_COUNT, FIELD_NEEDED),
    FIELD_WORD_AT(struct point, "type", type, bench_type_words, TYPE_COUNT, 0),
    FIELD_WORD_AT(struct point, "cache", cache, bench_cache_words, CACHE_COUNT, 0),
};

static const struct field fields[] = {
    DIM(m),
    DIM(n),
    DIM(k),
    COUNT(groups),
    DIM(tokens),
    NUMBER(bytes, BYTES_MAX),
    COUNT(from),
    COUNT(to),
    TEXT(layer),
    TEXT(model),
    COUNT(tp),
    COUNT(layers),
    COUNT(heads),
    COUNT(kv_heads),
    COUNT(head_dim),
    DIM(hidden),
    DIM(ff),
    DIM(vocab),
    NUMBER(context, DIM_MAX),
    TEXT(weights),
    TEXT(head),
    TEXT(kv),
    TEXT(stand_in),
    COUNT(pp),
    TEXT(path),
};

json_t *point_to_json(const struct point *point)
{
    json_t *json = json_object(), *devices = json_array();

    json_object_set_new(json, "id", gp_json_text(point->id));
    fields_write(FIELDS(words), point, false, json);
    if (point->kind)
        json_object_set_new(json, "kind", json_string(bench_kind_word(point->kind)));
    fields_write(FIELDS(fields), point, true, json);
    for (int i = 0; i < POINT_DEVICES; i++)
        if (point->devices >> i & 1)
            json_array_append_new(devices, json_integer(i));
    if (point->devices)
        json_object_set(json, "devices", devices);
    json_decref(devices);
    return json;
}

/* Each once, 0..63; the order says nothing. */
static void read_devices(struct reading *r, const json_t *list, uint64_t *out)
{
    const json_t *one;
    size_t i;

    if (list && (!json_is_array(list) || json_array_size(list) > POINT_DEVICES))
        reading_refuse(r, "devices", "is not a list, or too long");
    json_array_foreach((json_t *)list, i, one)
    {
        json_int_t index = json_is_integer(one) ? json_integer_value(one) : -1;

        if (r->status)
            return;
        if (index < 0 || index >= POINT_DEVICES || *out >> index & 1)
            reading_refuse(r, "devices", "is not of different indices from 0 to 63");
        else
            *out |= (uint64_t)1 << index;
    }
}

static void read_kind(struct reading *r, const json_t *value, struct point *out)
{
    const char *word = json_string_value(value);
    int kind = word ? bench_kind_parse(out->test, word) : -1;

    if (!value && !bench_test_has_kinds(out->test))
        return;
    if (kind < 0)
        reading_refuse(r, "kind", "does not belong to this test");
    else
        out->kind = (enum bench_kind)kind;
}

/* Everything the test needs is there, so that no engine has to ask again. */
static void check_complete(struct reading *r, const json_t *json, struct point *p)
{
    const struct test_row *row = &test_rows[p->test];
    const char *field, *why = row->refuse ? row->refuse(p, &field) : NULL;
    const char *id = json_string_value(json_object_get(json, "id"));

    if (bench_test_is(p->test, TEST_IS_SIZED) && p->bytes < 1)
        reading_refuse(r, "bytes", "must be at least 1");
    if (why)
        reading_refuse(r, field, "%s", why);
    point_name(p);
    if (id && strcmp(id, p->id) != 0)
        reading_refuse(r, "id", "is not the id of this point");
}

enum gp_status point_from_json(const json_t *json, const char *where, struct point *out,
                               struct gp_err *err)
{
    struct reading r = {.where = where, .at = "point", .err = err};
    struct point made = {.tp = 1};

    if (!json_is_object(json))
        reading_refuse(&r, "", "is not an object");
    if (!fields_read(&r, FIELDS(words), json, &made) ||
        !fields_read(&r, FIELDS(fields), json, &made))
        return r.status;
    read_kind(&r, json_object_get(json, "kind"), &made);
    read_devices(&r, json_object_get(json, "devices"), &made.devices);
    if (!r.status)
        check_complete(&r, json, &made);
    if (!r.status)
        *out = made;
    return r.status;
}
