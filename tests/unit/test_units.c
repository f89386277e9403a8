/* test_units.c - numbers to text with a unit, and back. */
#include "base/units.h"

#include "unit.h"

typedef char *writer(char *text, size_t size, double value);
typedef enum gp_status parser(const char *text, const char *where, double *value,
                              struct gp_err *err);

static void test_writes(void **state)
{
    static const struct {
        writer *write;
        double value;
        const char *text;
    } cases[] = {
        {units_gib, 85525004288.0, "79.65 GiB"},
        {units_gib, 0, "0.00 GiB"},
        {units_gib, -GP_GIB, "-1.00 GiB"},
        {units_memory, 0.4892578125 * GP_GIB, "0.489 GiB"},
        {units_memory, 2637824, "2.52 MiB"},
        {units_memory, -2 * GP_GIB, "-2.000 GiB"},
        {units_memory, 0, "0.000 GiB"},
        {units_memory, NAN, "?"},
        {units_gib, INFINITY, "?"},
        {units_bytes, 0, "0 B"},
        {units_bytes, 1000, "1000 B"},
        {units_bytes, 163840, "160 KiB"},
        {units_bytes, 2.5 * GP_GIB, "2.5 GiB"},
        {units_bytes, GP_GIB - 1, "1 GiB"},
        {units_bytes, 1.5 * 1024 * GP_GIB, "1.5 TiB"},
        {units_bytes, 31.46 * GP_MIB, "31.5 MiB"},
        {units_tokens, 476016, "476,016"},
        {units_tokens, 999, "999"},
        {units_tokens, 1048576, "1,048,576"},
        {units_tokens, 0, "0"},
        {units_tokens, NAN, "?"},
        {units_params, 70553706496.0, "70.55 B"},
        {units_params, 1.04e12, "1.04 T"},
        {units_params, 22.7e6, "22.70 M"},
        {units_params, 12345, "12,345"},
        {units_money, 2.99, "$2.99"},
        {units_money, 12480, "$12,480"},
        {units_money, 999.994, "$999.99"},
        {units_money, 999.996, "$1,000"},
        {units_money, 0, "$0.00"},
        {units_money, 0.0021, "$0.0021"},
        {units_money, -5, "-$5.00"},
        {units_bandwidth, 3.35e12, "3.35 TB/s"},
        {units_bandwidth, 900e9, "900 GB/s"},
        {units_bandwidth, 31.5e9, "31.5 GB/s"},
        {units_bandwidth, 2039e9, "2.04 TB/s"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[40];

        assert_ptr_equal(cases[i].write(text, sizeof text, cases[i].value), text);
        assert_string_equal(text, cases[i].text);
    }
}

static void test_plain(void **state)
{
    (void)state;
    assert_string_equal(UNITS_PLAIN(1048576, 6), "1048576");
    assert_string_equal(UNITS_PLAIN(15554123.4, 6), "15554123");
    assert_string_equal(UNITS_PLAIN(999999.7, 6), "1000000");
    assert_string_equal(UNITS_PLAIN(1234, 3), "1234");
    assert_string_equal(UNITS_PLAIN(-2e6, 6), "-2000000");
    assert_string_equal(UNITS_PLAIN(0.25, 6), "0.25");
    assert_string_equal(UNITS_PLAIN(0, 6), "0");
    assert_string_equal(UNITS_PLAIN(1e18, 6), "1e+18");
    assert_string_equal(UNITS_PLAIN(NAN, 6), "nan");
}

static void test_seconds(void **state)
{
    char text[32];

    (void)state;
    assert_string_equal(units_seconds(text, sizeof text, 594.9e-6, 4), "594.9 us");
    assert_string_equal(units_seconds(text, sizeof text, 1e-3, 3), "1 ms");
    assert_string_equal(units_seconds(text, sizeof text, 0.00478, 3), "4.78 ms");
    assert_string_equal(units_seconds(text, sizeof text, 74.2, 3), "74.2 s");
}

static void test_writes_into_small_buffers(void **state)
{
    static writer *const writers[] = {units_gib,    units_bytes, units_tokens,
                                      units_params, units_money, units_bandwidth};
    char text[4];

    (void)state;
    for (size_t i = 0; i < sizeof writers / sizeof writers[0]; i++) {
        writers[i](text, sizeof text, 123456789012.0);
        assert_true(strlen(text) < sizeof text);
    }
}

static void test_parses(void **state)
{
    static const struct {
        parser *parse;
        const char *text;
        double value;
    } cases[] = {
        {units_parse_bytes, "2GiB", 2 * GP_GIB},
        {units_parse_bytes, "512 MiB", 512 * GP_MIB},
        {units_parse_bytes, "80GB", 80e9},
        {units_parse_bytes, "1.5G", 1.5 * GP_GIB},
        {units_parse_bytes, "1.5g", 1.5 * GP_GIB},
        {units_parse_bytes, "100B", 100},
        {units_parse_bytes, "0", 0},
        {units_parse_tokens, "8192", 8192},
        {units_parse_tokens, "8k", 8192},
        {units_parse_tokens, "128K", 131072},
        {units_parse_tokens, "1M", 1048576},
        {units_parse_tokens, "1.5k", 1536},
        {units_parse_params, "70B", 70e9},
        {units_parse_params, "0.5b", 5e8},
        {units_parse_params, "405e9", 405e9},
        {units_parse_params, "1.1T", 1.1e12},
        {units_parse_params, "22M", 22e6},
        {units_parse_number, "0.95", 0.95},
        {units_parse_number, "-3", -3},
        {units_parse_number, "1e-3", 1e-3},
        {units_parse_number, ".5", 0.5},
        {units_parse_share, "0.9", 0.9},
        {units_parse_share, "90%", 0.9},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gp_err err = {0};
        double value = -1;

        if (cases[i].parse(cases[i].text, "--x", &value, &err) != GP_OK)
            fail_msg("'%s' refused: %s", cases[i].text, err.text);
        assert_near(value, cases[i].value, 1e-9 * fabs(cases[i].value));
    }
}

static void test_times(void **state)
{
    static const struct {
        const char *text, *unit;
        double value;
    } cases[] = {{"500", "ms", 500}, {"500ms", "ms", 500}, {"1.5s", "ms", 1500},
                 {"30", "s", 30},    {"500 ms", "s", 0.5}, {"2min", "s", 120}};
    struct gp_err err = {0};
    double value;

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        assert_int_equal(units_parse_time(cases[i].text, "--x", cases[i].unit, &value, &err),
                         GP_OK);
        assert_near(value, cases[i].value, 1e-9 * cases[i].value);
    }
    assert_int_equal(units_parse_time("2h", "--x", "ms", &value, &err), GP_E_USAGE);
    assert_non_null(strstr(err.hint, "500ms"));
}

static void test_refuses(void **state)
{
    static const struct {
        parser *parse;
        const char *text, *says;
    } cases[] = {
        {units_parse_bytes, "", "not a size"},
        {units_parse_bytes, "80", "no unit"},
        {units_parse_bytes, "2 Gigs", "not a size"},
        {units_parse_bytes, "-2GiB", "outside"},
        {units_parse_bytes, "9e99GiB", "outside"},
        {units_parse_bytes, "infGiB", "not a size"},
        {units_parse_tokens, "0", "outside"},
        {units_parse_tokens, "-8k", "outside"},
        {units_parse_tokens, "0.5", "outside"},
        {units_parse_tokens, "1.3", "whole"},
        {units_parse_tokens, "8q", "not a token count"},
        {units_parse_tokens, "8k8", "not a token count"},
        {units_parse_tokens, "1e300", "outside"},
        {units_parse_params, "70", "outside"},
        {units_parse_params, "B", "not a parameter count"},
        {units_parse_params, "70Bx", "not a parameter count"},
        {units_parse_number, "nan", "not a number"},
        {units_parse_number, "0x10", "not a number"},
        {units_parse_number, " 1", "not a number"},
        {units_parse_number, "1 ", "not a number"},
        {units_parse_number, "1e999", "not a number"},
        {units_parse_number, ".", "not a number"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        struct gp_err err = {0};
        double value = -1;

        if (cases[i].parse(cases[i].text, "--x", &value, &err) != GP_E_USAGE)
            fail_msg("'%s' taken as %g", cases[i].text, value);
        assert_near(value, -1, 0);
        assert_string_equal(err.where, "--x");
        if (!strstr(err.text, cases[i].says))
            fail_msg("'%s': \"%s\" lacks \"%s\"", cases[i].text, err.text, cases[i].says);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_writes),  cmocka_unit_test(test_plain),
        cmocka_unit_test(test_seconds), cmocka_unit_test(test_writes_into_small_buffers),
        cmocka_unit_test(test_parses),  cmocka_unit_test(test_times),
        cmocka_unit_test(test_refuses),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
