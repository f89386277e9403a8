/* test_json.c - JSON read strictly and written the same way every time. */
#include "base/json.h"

#include <math.h>
#include <stdlib.h>

#include "unit.h"

static void expect(json_t *value, bool indent, const char *want)
{
    struct strbuf out;

    strbuf_init(&out);
    gp_json_write(value, indent, &out);
    assert_string_equal(out.text, want);
    strbuf_fini(&out);
    json_decref(value);
}

static void test_numbers(void **state)
{
    (void)state;
    expect(gp_json_number(70553706496.0), false, "70553706496");
    expect(gp_json_number(-3), false, "-3");
    expect(gp_json_number(32.9), false, "32.9");
    expect(gp_json_number(0.1 + 0.2), false, "0.3");
    expect(gp_json_number(1e300), false, "1e300");
    expect(gp_json_number(NAN), false, "null");
    expect(gp_json_number(-INFINITY), false, "null");
}

/* What is written without a tree is the same. */
static void expect_added(json_t *value, void (*add)(struct strbuf *, const void *),
                         const void *what)
{
    struct strbuf out;

    strbuf_init(&out);
    add(&out, what);
    expect(value, false, out.text);
    strbuf_fini(&out);
}

static void add_number(struct strbuf *out, const void *value)
{
    gp_json_add_number(out, *(const double *)value);
}

static void add_text(struct strbuf *out, const void *text)
{
    gp_json_add_text(out, text);
}

static void test_added_numbers(void **state)
{
    static const double edges[] = {0,
                                   -0.0,
                                   1,
                                   -7,
                                   0.1,
                                   0.5,
                                   1.0 / 3,
                                   2.0 / 3,
                                   1e-4,
                                   9.9999e-5,
                                   1e12,
                                   1e15,
                                   1e300,
                                   -1e-300,
                                   NAN,
                                   INFINITY,
                                   999999999999.5,
                                   99999999999.95,
                                   123456789012.0,
                                   0.000999999999999999,
                                   0.9999999999995,
                                   1.00000000000050,
                                   5.0000000000001,
                                   1234567.890625,
                                   9007199254740993.0};

    (void)state;
    for (size_t i = 0; i < sizeof edges / sizeof edges[0]; i++)
        expect_added(gp_json_number(edges[i]), add_number, &edges[i]);
    srand(1);
    for (int i = 0; i < 200000; i++) {
        double value = (rand() + 1.0) / (rand() + 1.0) * pow(10, rand() % 24 - 12);

        if (i % 4 == 0) /* few digits, as most numbers have */
            value = round(value * 1000) / 1000;
        expect_added(gp_json_number(value), add_number, &value);
    }
}

static void test_added_texts(void **state)
{
    static const char *const texts[] = {"",
                                        "plain",
                                        "a \"b\" \\ /",
                                        "\b\f\n\r\t\x01\x1B\x7F",
                                        "caf\xC3\xA9",
                                        "a\xFFz",
                                        "\xC2\x9B\xE2\x80\xAE",
                                        "\xF3\xA0\x81\x81",
                                        "\xC3\xA9\xC3"};

    (void)state;
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++)
        expect_added(gp_json_text(texts[i]), add_text, texts[i]);
}

static void test_text_is_always_utf8(void **state)
{
    (void)state;
    expect(gp_json_text("caf\xC3\xA9 \"x\"\n"), false, "\"caf\xC3\xA9 \\\"x\\\"\\n\"");
    expect(gp_json_text("a\xFF"
                        "b"),
           false,
           "\"a\xEF\xBF\xBD"
           "b\"");
}

/* Nothing is lost, and a terminal takes none of it for a command. */
static void test_text_is_tame(void **state)
{
    (void)state;
    expect(gp_json_text("a\xC2\x9B"
                        "b\x7F\xE2\x80\xAE"
                        "c\xC2\xA9"),
           false, "\"a\\u009bb\\u007f\\u202ec\xC2\xA9\"");
    expect(gp_json_text("\xF3\xA0\x81\x81"), false, "\"\\udb40\\udc41\"");
}

static void test_order_and_layout(void **state)
{
    json_t *object = json_pack("{s:i, s:[i], s:o}", "z", 1, "a", 2, "m", json_null());

    (void)state;
    expect(json_incref(object), false, "{\"z\": 1, \"a\": [2], \"m\": null}");
    expect(object, true, "{\n  \"z\": 1,\n  \"a\": [\n    2\n  ],\n  \"m\": null\n}\n");
}

static enum gp_status parse(const char *text, struct gp_err *err)
{
    json_t *value = NULL;
    enum gp_status status = gp_json_parse("in.json", text, strlen(text), &value, err);

    assert_true((value != NULL) == (status == GP_OK));
    json_decref(value);
    return status;
}

static void test_strict(void **state)
{
    static const char *const bad[] = {
        "", "{", "{\"a\":1,\"a\":2}", "[1] [2]", "{\"a\":NaN}", "[1,]", "\"\xFF\""};
    struct gp_err err = {0};

    (void)state;
    assert_int_equal(parse("{\"a\": [1, \"[[[\"]}", &err), GP_OK);
    assert_int_equal(parse("3", &err), GP_OK);
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++)
        assert_int_equal(parse(bad[i], &err), GP_E_FILE);
    parse("{\n  \"a\": x}", &err);
    assert_memory_equal(err.where, "in.json:2:", 10);
}

static void test_depth(void **state)
{
    struct gp_err err = {0};
    char text[2 * (JSON_DEPTH_MAX + 1) + 1];

    (void)state;
    for (int depth = JSON_DEPTH_MAX; depth <= JSON_DEPTH_MAX + 1; depth++) {
        memset(text, '[', (size_t)depth);
        memset(text + depth, ']', (size_t)depth);
        text[2 * depth] = '\0';
        assert_int_equal(parse(text, &err), depth > JSON_DEPTH_MAX ? GP_E_FILE : GP_OK);
    }
    assert_non_null(strstr(err.text, "nested deeper"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_numbers),      cmocka_unit_test(test_added_numbers),
        cmocka_unit_test(test_added_texts),  cmocka_unit_test(test_text_is_always_utf8),
        cmocka_unit_test(test_text_is_tame), cmocka_unit_test(test_order_and_layout),
        cmocka_unit_test(test_strict),       cmocka_unit_test(test_depth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
