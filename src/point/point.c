/*
 * point.c - words, ids, arithmetic and JSON of one point.
 *
 * Operations count a multiply and an add as two. Bytes are the least that must cross
 * the memory interface: each operand read once, each result written once, block scales
 * included (one byte per 32 elements of MXFP8, per 16 of NVFP4).
 *   gemm m=4096 n=8 k=4096 bf16: 2*m*n*k = 268 MFLOP;
 *   2*(m*k + k*n) + 2*m*n = 33.7 MB.
 * A copy reads and writes, "both" goes two ways at once: twice `bytes`. A decoder step
 * reads all weights of its layers and head once, and each sequence's keys and values;
 * its dimensions are those of the shard that is measured.
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

static const char *const test_words[TEST_COUNT] = {
    [TEST_GEMM] = "gemm",           [TEST_BATCH] = "batch",   [TEST_MEMORY] = "memory",
    [TEST_TRANSFER] = "transfer",   [TEST_DECODE] = "decode", [TEST_FIT] = "fit",
    [TEST_ALLREDUCE] = "allreduce",
};

static const struct {
    const char *word;
    double bytes, scale; /* per element */
    double out;          /* per element of the result */
} types[TYPE_COUNT] = {
    [TYPE_FP32] = {"fp32", 4, 0, 4},
    [TYPE_FP32_PEDANTIC] = {"fp32-pedantic", 4, 0, 4},
    [TYPE_TF32] = {"tf32", 4, 0, 4},
    [TYPE_FP16] = {"fp16", 2, 0, 2},
    [TYPE_FP16ACC] = {"fp16-acc16", 2, 0, 2},
    [TYPE_BF16] = {"bf16", 2, 0, 2},
    [TYPE_INT8] = {"int8", 1, 0, 4},
    [TYPE_FP8] = {"fp8", 1, 0, 2},
    [TYPE_MXFP8] = {"mxfp8", 1, 1.0 / 32, 2},
    [TYPE_NVFP4] = {"nvfp4", 0.5, 1.0 / 16, 2},
};

enum { CACHE_WORDS = 3 };
static const char *const cache_words[CACHE_WORDS] = {
    [CACHE_COLD] = "cold",
    [CACHE_WEIGHTS_COLD] = "weights-cold",
    [CACHE_HOT] = "hot",
};

/* What may stand in `kind`, per test. */
static const struct {
    enum bench_test test;
    const char *kind;
} kinds[] = {
    {TEST_MEMORY, "read"},           {TEST_MEMORY, "write"},
    {TEST_MEMORY, "copy"},           {TEST_TRANSFER, "h2d-pinned"},
    {TEST_TRANSFER, "d2h-pinned"},   {TEST_TRANSFER, "both-pinned"},
    {TEST_TRANSFER, "h2d-pageable"}, {TEST_TRANSFER, "d2h-pageable"},
    {TEST_TRANSFER, "storage"},      {TEST_ALLREDUCE, "plain"},
    {TEST_ALLREDUCE, "graph"},       {TEST_TRANSFER, "peer"},
    {TEST_TRANSFER, "peer-both"},    {TEST_MEMORY, "copy-engine"},
    {TEST_MEMORY, "read-product"},
};
enum { KINDS = sizeof kinds / sizeof kinds[0] };

/* ---- words ---- */

const char *bench_test_word(enum bench_test test)
{
    return (unsigned)test < TEST_COUNT ? test_words[test] : "?";
}

const char *bench_type_word(enum bench_type type)
{
    return (unsigned)type < TYPE_COUNT ? types[type].word : "?";
}

const char *bench_cache_word(enum bench_cache cache)
{
    return (unsigned)cache < CACHE_WORDS ? cache_words[cache] : "?";
}

int bench_test_parse(const char *word)
{
    for (int i = 0; i < TEST_COUNT; i++)
        if (strcmp(word, test_words[i]) == 0)
            return i;
    return -1;
}

int bench_type_parse(const char *word)
{
    for (int i = 0; i < TYPE_COUNT; i++)
        if (strcmp(word, types[i].word) == 0)
            return i;
    return -1;
}

int bench_cache_parse(const char *word)
{
    for (int i = 0; i < CACHE_WORDS; i++)
        if (strcmp(word, cache_words[i]) == 0)
            return i;
    return -1;
}

double bench_type_bytes(enum bench_type type)
{
    return (unsigned)type < TYPE_COUNT ? types[type].bytes : 0;
}

/* ---- arithmetic ---- */

static bool has_kind(const struct point *point, const char *kind)
{
    return strcmp(point->kind, kind) == 0;
}

/* Elements of all linear weights of one decoder layer: q, k, v, o, gate, up, down. */
static double layer_weights(const struct point *p)
{
    double hidden = (double)p->hidden, q = (double)p->heads * p->head_dim;
    double kv = (double)p->kv_heads * p->head_dim;

    return hidden * (2 * q + 2 * kv + 3.0 * (double)p->ff);
}

static double decode_operations(const struct point *p)
{
    double head = (double)p->hidden * (double)p->vocab;
    double scores = 2.0 * p->heads * p->head_dim * p->context; /* q*k and p*v */

    return 2.0 * (double)p->n * (p->layers * (layer_weights(p) + scores) + head);
}

/* Of what no engine multiplies, the bytes of the type that stands in the point. */
void point_decode_bytes(const struct point *p, double *linear, double *attention)
{
    struct decode_types t = {p->type, p->type, TYPE_BF16};
    char why[160];

    if (!point_decode_types(p, &t, why, sizeof why))
        t = (struct decode_types){p->type, p->type, TYPE_BF16};
    *linear = p->layers * layer_weights(p) *
                  (types[t.linear].bytes + types[t.linear].scale) +
              (double)p->hidden * (double)p->vocab *
                  (types[t.head].bytes + types[t.head].scale);
    *attention = 2.0 * p->layers * (double)p->n * p->context * p->kv_heads *
                 (double)p->head_dim * types[t.kv].bytes;
}

static double decode_bytes(const struct point *p)
{
    double linear, attention;

    point_decode_bytes(p, &linear, &attention);
    return linear + attention;
}

double point_operations(const struct point *point)
{
    switch (point->test) {
    case TEST_GEMM:
    case TEST_BATCH:
        return 2.0 * (double)point->m * (double)point->n * (double)point->k;
    case TEST_DECODE:
        return decode_operations(point);
    default:
        return 0;
    }
}

static double gemm_bytes(const struct point *p)
{
    double m = (double)p->m, n = (double)p->n, k = (double)p->k;

    return (m * k + k * n) * (types[p->type].bytes + types[p->type].scale) +
           m * n * types[p->type].out;
}

double point_bytes(const struct point *point)
{
    switch (point->test) {
    case TEST_GEMM:
    case TEST_BATCH:
        return gemm_bytes(point);
    case TEST_DECODE:
        return decode_bytes(point);
    case TEST_MEMORY:
        return point->bytes *
               (has_kind(point, "copy") || has_kind(point, "copy-engine") ? 2 : 1);
    case TEST_TRANSFER:
        return point->bytes *
               (has_kind(point, "both-pinned") || has_kind(point, "peer-both") ? 2 : 1);
    default:
        return point->bytes;
    }
}

bool point_together(const struct point *point)
{
    return point->test == TEST_ALLREDUCE ||
           (point->test == TEST_TRANSFER &&
            (has_kind(point, "peer") || has_kind(point, "peer-both")));
}

/* ---- id ---- */

const char *point_kind(const struct point *point)
{
    static const char *const cached[][2] = {
        {"read", "read-cache"},
        {"write", "write-cache"},
        {"copy", "copy-cache"},
        {"copy-engine", "copy-engine-cache"},
        {"read-product", "read-product-cache"},
    };

    if (point->test == TEST_MEMORY && point->cache == CACHE_HOT)
        for (size_t i = 0; i < sizeof cached / sizeof cached[0]; i++)
            if (has_kind(point, cached[i][0]))
                return cached[i][1];
    return point->kind;
}

/* FNV-1a: tells long names and paths apart where the id has no room for them. */
static unsigned hash_of(const char *text)
{
    unsigned hash = 2166136261u;

    for (; *text; text++)
        hash = (hash ^ (unsigned char)*text) * 16777619u;
    return hash;
}

static void name_layer(const struct point *p, char *text, size_t size)
{
    const char *type = bench_type_word(p->type), *cache = bench_cache_word(p->cache);

    if (p->test == TEST_GEMM)
        gp_format(text, size, "gemm/%s/%lldx%lldx%lld/%s", type, (long long)p->m,
                  (long long)p->n, (long long)p->k, cache);
    else
        gp_format(text, size, "batch/%s/%s/tp%d/%s/%lldx%lldx%lld/%s",
                  p->model[0] ? p->model : "-", p->layer[0] ? p->layer : "-",
                  p->tp > 0 ? p->tp : 1, type, (long long)p->m, (long long)p->n,
                  (long long)p->k, cache);
}

/* "0-3,6" */
static void name_devices(uint64_t devices, char *text, size_t size)
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

static void name_decode(const struct point *p, char *text, size_t size)
{
    gp_format(text, size,
              "decode/%s/tp%d/w-%s/h-%s/kv-%s/b%lld/ctx%.0f/%dx%dx%dx%d/%lldx%lldx%lld",
              p->model[0] ? p->model : "-", p->tp > 0 ? p->tp : 1, point_weights(p),
              point_head(p), point_kv(p), (long long)p->n, p->context, p->layers,
              p->heads, p->kv_heads, p->head_dim, (long long)p->hidden,
              (long long)p->ff, (long long)p->vocab);
}

void point_name(struct point *point)
{
    char text[640], devices[256];

    switch (point->test) {
    case TEST_GEMM:
    case TEST_BATCH:
        name_layer(point, text, sizeof text);
        break;
    case TEST_DECODE:
        name_decode(point, text, sizeof text);
        break;
    case TEST_FIT:
        gp_format(text, sizeof text, "fit/%s/%.0f",
                  point->model[0] ? point->model : "-", point->bytes);
        break;
    case TEST_ALLREDUCE:
        name_devices(point->devices, devices, sizeof devices);
        gp_format(text, sizeof text, "allreduce/%s/%s/%s/%.0f",
                  bench_type_word(point->type), point->kind, devices, point->bytes);
        break;
    default:
        if (point_together(point)) {
            gp_format(text, sizeof text, "transfer/%s/%d-%d/%.0f", point->kind,
                      point->from, point->to, point->bytes);
            break;
        }
        gp_format(text, sizeof text, "%s/%s/%.0f", bench_test_word(point->test),
                  point_kind(point), point->bytes);
        if (point->path[0]) /* another file may lie on another disk */
            gp_format(text + strlen(text), sizeof text - strlen(text), "/%08x",
                      hash_of(point->path));
    }
    if (!gp_copy(point->id, sizeof point->id, text))
        gp_format(point->id + sizeof point->id - 10, 10, "~%08x", hash_of(text));
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
    {"kind", FIELD_TEXT, AT(kind), sizeof((struct point *)0)->kind, 0},
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
        return bad(in, field->name, "is no text");
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
        return bad(in, field->name, "is no number of the right kind");
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
        return bad(in, "devices", "is no list, or too long");
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
    return *out < 0 ? bad(in, field, "is missing or no word that is known") : GP_OK;
}

static bool kind_known(const struct point *point)
{
    for (int i = 0; i < KINDS; i++)
        if (kinds[i].test == point->test && has_kind(point, kinds[i].kind))
            return true;
    return false;
}

/* Everything the test needs is there, so that no engine has to ask again. */
static enum gp_status complete(const struct reading *in, const struct point *p)
{
    bool product = p->test == TEST_GEMM || p->test == TEST_BATCH;
    bool sized = !product && p->test != TEST_DECODE;
    bool kinded = sized && p->test != TEST_FIT;

    if (product && (p->m < 1 || p->n < 1 || p->k < 1))
        return bad(in, p->m < 1 ? "m" : p->n < 1 ? "n" : "k", "must be at least 1");
    if (sized && p->bytes < 1)
        return bad(in, "bytes", "must be at least 1");
    if (kinded && !kind_known(p))
        return bad(in, "kind", "is none of this test's");
    if (p->test == TEST_ALLREDUCE && !(p->devices & (p->devices - 1)))
        return bad(in, "devices", "must be two or more");
    if (p->test == TEST_DECODE &&
        (p->n < 1 || p->layers < 1 || p->heads < 1 || p->kv_heads < 1 ||
         p->head_dim < 1 || p->hidden < 1 || p->ff < 1 || p->vocab < 1))
        return bad(in, "decode",
                   "misses a dimension (n, layers, heads, kv_heads, "
                   "head_dim, hidden, ff, vocab)");
    return GP_OK;
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
        return gp_fail(err, GP_E_FILE, where, "", "point is no object");
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
    if ((status = read_devices(&in, &made.devices)) != GP_OK)
        return status;
    if ((status = complete(&in, &made)) != GP_OK)
        return status;
    point_name(&made);
    id = json_string_value(json_object_get(json, "id"));
    if (id && strcmp(id, made.id) != 0)
        return bad(&in, "id", "is not the id of this point");
    *out = made;
    return GP_OK;
}
