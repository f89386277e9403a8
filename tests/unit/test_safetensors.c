/*
 * test_safetensors.c - headers and index files: what is accepted, and every way one
 * can be wrong.
 */
#include "model/read/checkpoint.h"

#include "base/mem.h"
#include "base/path.h"
#include "base/str.h"
#include "hostile.h"

struct seen {
    int count;
    double bytes, elements;
    char last[64], type[16];
};

static bool see(void *ctx, const struct file_tensor *tensor)
{
    struct seen *seen = ctx;
    double elements = 1;

    for (int d = 0; d < tensor->rank; d++)
        elements *= tensor->dims[d];
    seen->count++;
    seen->bytes += tensor->bytes;
    seen->elements += elements;
    gp_copy(seen->last, sizeof seen->last, tensor->name);
    gp_copy(seen->type, sizeof seen->type, tensor->type);
    return true;
}

/* A file of this JSON and `data` bytes; only the head exists. */
static enum gp_status check(const char *json, uint64_t data, struct seen *seen, struct gp_err *err)
{
    size_t n = strlen(json);
    uint8_t *head = malloc(n + 8);
    enum gp_status rc;

    for (int i = 0; i < 8; i++)
        head[i] = (uint8_t)((uint64_t)n >> (8 * i));
    memcpy(head + 8, json, n);
    memset(seen, 0, sizeof *seen);
    memset(err, 0, sizeof *err);
    rc = safetensors_header("t.safetensors", head, n + 8, n + 8 + data, see, seen, err);
    free(head);
    return rc;
}

static void accept(const char *json, uint64_t data, int count, double elements)
{
    struct seen seen;
    struct gp_err err;

    if (check(json, data, &seen, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
    assert_int_equal(seen.count, count);
    assert_near(seen.elements, elements, 0);
    assert_near(seen.bytes, (double)data, 0);
}

static void refused(const char *json, uint64_t data, const char *what)
{
    struct seen seen;
    struct gp_err err;

    if (check(json, data, &seen, &err) == GP_OK)
        fail_msg("accepted: %.200s", json);
    assert_int_equal(err.code, GP_E_FILE);
    if (strstr(err.text, what) == NULL)
        fail_msg("refused with: %s", err.text);
    assert_int_equal(seen.count, 0);
}

#define A "\"a\":{\"dtype\":\"F16\",\"shape\":[2,3],\"data_offsets\":[0,12]}"
#define B "\"b\":{\"dtype\":\"F32\",\"shape\":[5],\"data_offsets\":[12,32]}"

static void test_accepted(void **state)
{
    (void)state;
    accept("{" A "}", 12, 1, 6);
    accept("{" B "," A "}   ", 32, 2, 11);
    accept("{\"__metadata__\":{\"format\":\"pt\",\"x\":\"\\u00e4\"}," A "}", 12, 1, 6);
    accept("{}", 0, 0, 0);
    /* no dimensions, no elements, and types of less than a byte */
    accept("{\"s\":{\"dtype\":\"BF16\",\"shape\":[],\"data_offsets\":[0,2]}}", 2, 1, 1);
    accept("{\"z\":{\"dtype\":\"I64\",\"shape\":[0,7],\"data_offsets\":[0,0]}," A "}", 12, 2, 6);
    accept("{\"q\":{\"dtype\":\"F4\",\"shape\":[6],\"data_offsets\":[0,3]}}", 3, 1, 6);
    accept("{\"\\u00fc\\\"\":{\"dtype\":\"F8_E8M0\",\"shape\":[3],"
           "\"data_offsets\":[0,3]}}",
           3, 1, 3);
}

static void test_fields(void **state)
{
    (void)state;
    refused("{\"a\":{\"dtype\":\"F17\",\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "unknown dtype");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,6]}}", 6, "do not match");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[4,0]}}", 4, "end before");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[-2],\"data_offsets\":[0,4]}}", 4,
            "other than sizes");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[2.0],\"data_offsets\":[0,4]}}", 4,
            "other than sizes");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":2,\"data_offsets\":[0,4]}}", 4, "not a list");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[1,1,1,1,1,1,1,1,2],"
            "\"data_offsets\":[0,4]}}",
            4, "at most 8");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0]}}", 4, "pair");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[2],\"data_offsets\":[0,4],\"x\":1}}", 4,
            "must hold exactly");
    refused("{\"a\":{\"shape\":[2],\"data_offsets\":[0,4]}}", 4, "must hold exactly");
    refused("{\"a\":[1,2]}", 4, "must hold exactly");
    refused("{\"q\":{\"dtype\":\"F4\",\"shape\":[3],\"data_offsets\":[0,2]}}", 2, "whole bytes");
    refused("{\"a\":{\"dtype\":\"F16\",\"shape\":[4294967296,4294967296],"
            "\"data_offsets\":[0,0]}}",
            0, "64 bits");
    refused("{\"a\":{\"dtype\":\"F64\",\"shape\":[576460752303423488],"
            "\"data_offsets\":[0,0]}}",
            0, "64 bits");
    refused("{\"a\":{\"dtype\":\"U8\",\"shape\":[99999999999999999999],"
            "\"data_offsets\":[0,0]}}",
            0, "not valid JSON");
    refused("{\"__metadata__\":{\"a\":1}}", 0, "not a string");
    refused("{\"__metadata__\":{\"a\":\"b\" x \"c\"}}", 0, "not a string");
    refused("{\"__metadata__\":{\"a\":\"b\\\"}}", 0, "a string that is cut off");
    refused("{\"__metadata__\":[]}", 0, "no '{'");
}

static void test_layout(void **state)
{
    (void)state;
    refused("{" A ",\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[8,12]}}", 12,
            "overlaps");
    refused("{" A ",\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[16,20]}}", 20, "hole");
    refused("{\"b\":{\"dtype\":\"U8\",\"shape\":[4],\"data_offsets\":[1,5]}}", 5, "hole");
    refused("{" A "}", 13, "12 bytes, but the file holds 13");
    refused("{" A "}", 11, "12 bytes, but the file holds 11");
    refused("{" A "," A "}", 12, "listed twice");
    refused("{" A ",\"\\u0061\":{\"dtype\":\"U8\",\"shape\":[4],"
            "\"data_offsets\":[12,16]}}",
            16, "listed twice");
    refused("{\"__metadata__\":{},\"__metadata__\":{}}", 0, "listed twice");
}

static void test_syntax(void **state)
{
    static const char *const texts[] = {
        "{" A,
        "{" A ",}",
        "{" A " " B "}",
        "{\"a\"}",
        "{\"a\":}",
        "{\"a\" 1}",
        "{a:1}",
        "{" A "}x",
        "{" A "}}",
        "{\"a",
        "{\"a\":\"x}",
        "{\"a\\",
        "{,}",
        "{1:2}",
        "{\"a\":{\"dtype\":\"F16\",\"dtype\":\"F16\",\"shape\":[0],"
        "\"data_offsets\":[0,0]}}",
        "{\"a\":{\"dtype\":\"F16\",\"shape\":[[[0]]],\"data_offsets\":[0,0]}}",
        "{\"a\":[[[[[[[[[[0]]]]]]]]]]}",
        "{\"a\":]}",
        "{\"a\\u0000\":1}",
    };

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
        refused(texts[i], 12, "");
    refused(" {}", 0, "does not begin with '{'");
    refused("[]", 0, "does not begin with '{'");
}

static void test_lengths(void **state)
{
    static const struct {
        uint8_t first[8];
        uint64_t size;
        const char *what;
    } cases[] = {
        {{1}, 100, "too short for a JSON object"},
        {{0}, 100, "too short for a JSON object"},
        {{0, 0, 0, 6}, 1u << 30, "the format allows"},
        {{255, 255, 255, 255, 255, 255, 255, 255}, 1u << 30, "the format allows"},
        {{100}, 107, "whole file has 107"},
        {{100}, 7, "whole file has 7"},
    };
    uint64_t length;
    struct gp_err err;
    const uint8_t fits[8] = {100};

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_int_equal(safetensors_length("t", cases[i].first, cases[i].size, &length, &err),
                         GP_E_FILE);
        if (strstr(err.text, cases[i].what) == NULL)
            fail_msg("%zu: %s", i, err.text);
    }
    assert_int_equal(safetensors_length("t", fits, 108, &length, &err), GP_OK);
    assert_int_equal(length, 100);
}

/* Every shorter head of a real file, with the size it would then have, and with the
 * size it should have. */
static void test_truncated(void **state)
{
    static const char name[] = "hf-moe/model-00002-of-00002.safetensors";
    size_t len;
    char *file = fixture_text(name, &len);
    struct seen seen = {0};
    struct gp_err err;

    (void)state;
    assert_int_equal(safetensors_header(name, (uint8_t *)file, len, len, see, &seen, &err), GP_OK);
    assert_true(seen.count > 10);
    for (size_t i = 0; i < len; i++) {
        uint8_t *copy = malloc(i + 1);

        memcpy(copy, file, i);
        if (safetensors_header(name, copy, i, i, NULL, NULL, &err) == GP_OK)
            fail_msg("accepted after %zu of %zu bytes", i, len);
        free(copy);
    }
    free(file);
}

/* ---- the index ------------------------------------------------------------------- */

static void index_refused(const char *text, const char *what)
{
    char **shards = NULL;
    size_t count = 0;
    double total;
    struct gp_err err = {0};

    if (safetensors_index("i.json", text, strlen(text), &shards, &count, &total, &err) == GP_OK)
        fail_msg("accepted: %.200s", text);
    assert_null(shards);
    if (strstr(err.text, what) == NULL)
        fail_msg("refused with: %s", err.text);
}

static void test_index(void **state)
{
    size_t len, count;
    char *text = fixture_text("hf-moe/model.safetensors.index.json", &len);
    char **shards;
    double total;
    struct gp_err err;

    (void)state;
    assert_int_equal(safetensors_index("i", text, len, &shards, &count, &total, &err), GP_OK);
    assert_int_equal(count, 2);
    assert_string_equal(shards[1], "model-00002-of-00002.safetensors");
    assert_near(total, 9824, 0);
    path_list_free(shards, count);
    while (text[len - 1] != '}')
        len--;
    for (size_t i = 0; i < len; i++)
        assert_int_equal(safetensors_index("i", text, i, &shards, &count, &total, &err), GP_E_FILE);
    free(text);
}

static void test_index_wrong(void **state)
{
    static const char *const outside[] = {
        "../a.safetensors",
        "/etc/a.safetensors",
        "x/../a.safetensors",
        "x/a.safetensors",
        "..",
        ".",
        "",
        "a\\\\b.safetensors",
        ".hidden.safetensors",
        "a.bin",
        "a.safetensors\\u0000",
        "\\u002e\\u002e/a.safetensors",
    };
    char text[256];

    (void)state;
    for (size_t i = 0; i < sizeof outside / sizeof *outside; i++) {
        snprintf(text, sizeof text, "{\"weight_map\":{\"a\":\"%s\"}}", outside[i]);
        index_refused(text, "weight_map");
    }
    index_refused("{}", "weight_map is missing or empty");
    index_refused("{\"weight_map\":{}}", "weight_map is missing or empty");
    index_refused("{\"weight_map\":[]}", "no '{'");
    index_refused("{\"weight_map\":{\"a\":1}}", "not a string");
    index_refused("{\"metadata\":5,\"weight_map\":{\"a\":\"x.safetensors\"}}",
                  "total_size must be a number");
    index_refused("{\"metadata\":{\"total_size\":\"9\"},\"weight_map\":{\"a\":"
                  "\"x.safetensors\"}}",
                  "total_size must be a number");
    index_refused("{\"metadata\":{\"total_size\":-9},\"weight_map\":{\"a\":"
                  "\"x.safetensors\"}}",
                  "total_size must be a number");
    index_refused("{\"metadata\":{},\"metadata\":{},\"weight_map\":{\"a\":"
                  "\"x.safetensors\"}}",
                  "metadata is listed twice");
    index_refused("{\"weight_map\":{\"a\":\"x.safetensors\" \"y.safetensors\"}}", "not a string");
    index_refused("{\"weight_map\":{\"a\nb\":\"x.safetensors\"}}", "not a string");
    index_refused("{\"weight_map\":{\"a\":\"x.safetensors\",\"a\":\"y.safetensors\"}}",
                  "listed twice");
    index_refused("{\"weight_map\":{\"a\":\"x.safetensors\"},\"weight_map\":"
                  "{\"a\":\"x.safetensors\"}}",
                  "twice");
}

/* ---- memory ---------------------------------------------------------------------- */

/* 3 MB of tensors without elements: 60,000 of them, checked in five times that. */
static bool many_tensors(void)
{
    struct strbuf text;
    uint8_t *head;
    struct gp_err err = {0};
    enum gp_status rc;

    strbuf_init(&text);
    strbuf_add(&text, "{");
    for (int i = 0; i < 60000; i++)
        strbuf_addf(&text,
                    "%s\"%d\":{\"dtype\":\"U8\",\"shape\":[0],"
                    "\"data_offsets\":[0,0]}",
                    i > 0 ? "," : "", i);
    strbuf_add(&text, "}");
    head = malloc(text.len + 8);
    for (int i = 0; i < 8; i++)
        head[i] = (uint8_t)((uint64_t)text.len >> (8 * i));
    memcpy(head + 8, text.text, text.len);
    rc = safetensors_header("m", head, text.len + 8, text.len + 8, NULL, NULL, &err);
    return rc == GP_OK;
}

/* One member of 3 MB: a tensor with a million dimensions. */
static bool long_shape(void)
{
    struct strbuf text;
    struct seen seen;
    struct gp_err err = {0};

    strbuf_init(&text);
    strbuf_add(&text, "{\"a\":{\"dtype\":\"U8\",\"shape\":[1");
    for (int i = 0; i < 1000000; i++)
        strbuf_add(&text, ",1");
    strbuf_add(&text, "],\"data_offsets\":[0,1]}}");
    return check(text.text, 1, &seen, &err) == GP_E_FILE &&
           strstr(err.text, "longer than 4096") != NULL;
}

static void test_memory(void **state)
{
    (void)state;
    run_limited(many_tensors, 40);
    run_limited(long_shape, 40);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_accepted), cmocka_unit_test(test_fields),
        cmocka_unit_test(test_layout),   cmocka_unit_test(test_syntax),
        cmocka_unit_test(test_lengths),  cmocka_unit_test(test_truncated),
        cmocka_unit_test(test_index),    cmocka_unit_test(test_index_wrong),
        cmocka_unit_test(test_memory),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
