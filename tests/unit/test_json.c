/* test_json.c - JSON read strictly and written the same way every time. */
#include "util/json.h"

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
    expect(gp_json_text("a\xC2\x9B" "b\x7F\xE2\x80\xAE" "c\xC2\xA9"), false,
           "\"a\\u009bb\\u007f\\u202ec\xC2\xA9\"");
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
        cmocka_unit_test(test_numbers),
        cmocka_unit_test(test_text_is_always_utf8),
        cmocka_unit_test(test_text_is_tame),
        cmocka_unit_test(test_order_and_layout),
        cmocka_unit_test(test_strict),
        cmocka_unit_test(test_depth),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
