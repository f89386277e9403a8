/*
 * test_benchlog.c - result files: what is refused, what counts, comparing and merging.
 */
#include "unit.h"

#include "data/benchlog.h"
#include "util/err.h"

/* One device, one point; what may be wrong is put into the holes. */
static const char shape[] =
    "{\"schema\": \"gpuplan.bench/1\", \"status\": \"complete\", \"host\": {\"name\": "
    "\"%s\"}, \"devices\": [{\"id\": 0, \"name\": \"X\"}], \"points\": [{\"id\": "
    "\"memory/read/64\", \"device\": 0, \"test\": \"memory\", \"variant\": \"\", "
    "\"state\": \"ok\", \"time_s\": {\"n\": 2, \"median\": %g, \"min\": %g, \"max\": "
    "%g, "
    "\"ci95\": [%g, %g], \"samples\": [%g, %g]}, \"rate\": {\"ops_per_s\": null, "
    "\"bytes_per_s\": 64e9}, \"check\": {\"ok\": %s}, \"flags\": [%s]}]}";

static enum gp_status make(struct benchlog *log, const char *host, double median,
                           double half, const char *check, const char *flags,
                           struct gp_err *err)
{
    char text[1200];

    gp_format(text, sizeof text, shape, host, median, median - half, median + half,
              median - half, median + half, median - half, median + half, check, flags);
    return benchlog_parse("a.json", text, strlen(text), log, err);
}

static void a_point_is_read(void **state)
{
    struct benchlog log;

    (void)state;
    assert_int_equal(make(&log, "h", 0.1, 0.001, "true", "", NULL), GP_OK);
    assert_int_equal(log.count, 1);
    assert_string_equal(log.device[0].host, "h");
    assert_near(log.point[0].median, 0.1, 0);
    assert_near(log.point[0].bytes, 64e9, 0);
    assert_true(benchlog_good(&log.point[0]));
    assert_non_null(benchlog_find(&log, 0, "memory/read/64", ""));
    assert_null(benchlog_find(&log, 0, "memory/read/65", ""));
    benchlog_fini(&log);
}

static void wrong_and_disturbed_points_do_not_count(void **state)
{
    struct benchlog log;

    (void)state;
    assert_int_equal(make(&log, "h", 0.1, 0.001, "false", "", NULL), GP_OK);
    assert_false(benchlog_good(&log.point[0]));
    benchlog_fini(&log);
    assert_int_equal(make(&log, "h", 0.1, 0.001, "true", "\"throttled\"", NULL), GP_OK);
    assert_false(benchlog_good(&log.point[0]));
    benchlog_fini(&log);
    assert_int_equal(make(&log, "h", 0.1, 0.001, "true", "\"emulated\"", NULL), GP_OK);
    assert_true(benchlog_good(&log.point[0]));
    benchlog_fini(&log);
}

static void contradictions_are_refused_by_name(void **state)
{
    static const struct {
        const char *from, *to, *named;
    } cases[] = {
        {"gpuplan.bench/1", "gpuplan.bench/2", "schema"},
        {"complete", "finished", "status"},
        {"\"n\": 2", "\"n\": 3", "time_s.samples"},
        {"\"n\": 2", "\"n\": 1e9", "n"},
        {"\"median\": 0.1", "\"median\": 9.1", "time_s.median"},
        {"\"median\": 0.1", "\"median\": -1", "median"},
        {"\"median\": 0.1", "\"median\": \"1\"", "median"},
        {"\"device\": 0", "\"device\": 1", "device"},
        {"\"state\": \"ok\"", "\"state\": \"OK\"", "state"},
        {"64e9", "-1", "bytes_per_s"},
        {"\"flags\": []", "\"flags\": [1]", "flags"},
        {"\"id\": 0", "\"id\": \"0\"", "id"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1200], changed[1300], *at;
        struct benchlog log;
        struct gp_err err = {0};

        gp_format(text, sizeof text, shape, "h", 0.1, 0.099, 0.101, 0.099, 0.101, 0.099,
                  0.101, "true", "");
        at = strstr(text, cases[i].from);
        assert_non_null(at);
        gp_format(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text,
                  cases[i].to, at + strlen(cases[i].from));
        assert_int_equal(benchlog_parse("a.json", changed, strlen(changed), &log, &err),
                         GP_E_FILE);
        if (!strstr(err.where, cases[i].named))
            fail_msg("%s: '%s' does not name %s", cases[i].to, err.where,
                     cases[i].named);
    }
}

static void compare_needs_the_whole_band(void **state)
{
    struct benchlog a, slow, noisy, wrong;
    struct benchlog_changes c;

    (void)state;
    make(&a, "h", 100e-6, 1e-6, "true", "", NULL);
    make(&slow, "h", 110e-6, 1e-6, "true", "", NULL);
    make(&noisy, "h", 110e-6, 20e-6, "true", "", NULL);
    make(&wrong, "h", 110e-6, 1e-6, "false", "", NULL);
    benchlog_compare(&a, &slow, 0.05, &c);
    assert_int_equal(c.slower, 1);
    assert_near(c.change[0].ratio, 100.0 / 110, 1e-9);
    assert_near(c.change[0].low, 99.0 / 111, 1e-9);
    assert_near(c.change[0].high, 101.0 / 109, 1e-9);
    benchlog_changes_fini(&c);
    benchlog_compare(&a, &slow, 0.08, &c);
    assert_int_equal(c.slower, 0);
    benchlog_changes_fini(&c);
    benchlog_compare(&slow, &a, 0.05, &c);
    assert_int_equal(c.faster, 1);
    benchlog_changes_fini(&c);
    benchlog_compare(&a, &noisy, 0.05, &c);
    assert_int_equal(c.slower, 0);
    benchlog_changes_fini(&c);
    benchlog_compare(&a, &wrong, 0.05, &c);
    assert_int_equal(c.slower, 0);
    assert_int_equal(c.unusable, 1);
    benchlog_changes_fini(&c);
    benchlog_fini(&a);
    benchlog_fini(&slow);
    benchlog_fini(&noisy);
    benchlog_fini(&wrong);
}

static void merge_names_the_straggler(void **state)
{
    struct benchlog logs[4], all;
    const json_t *list;
    json_t *json;

    (void)state;
    make(&logs[0], "a", 100e-6, 1e-6, "true", "", NULL);
    make(&logs[1], "b", 104e-6, 1e-6, "true", "", NULL);
    make(&logs[2], "c", 101e-6, 1e-6, "true", "", NULL);
    make(&logs[3], "d", 500e-6, 1e-6, "true", "\"throttled\"", NULL);
    json = benchlog_merge(logs, 4);
    list = json_object_get(json, "stragglers");
    assert_int_equal(json_array_size(list), 0); /* 101/104 is 2.9 % under */
    json_decref(json);
    benchlog_fini(&logs[1]);
    make(&logs[1], "b", 105e-6, 1e-6, "true", "", NULL);
    json = benchlog_merge(logs, 4);
    list = json_object_get(json, "stragglers");
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(
        json_string_value(json_object_get(json_array_get(list, 0), "host")), "b");
    assert_int_equal(benchlog_from_json("merged", json, &all, NULL), GP_OK);
    assert_int_equal(all.device_count, 4);
    assert_string_equal(all.device[all.point[3].device].host, "d");
    benchlog_fini(&all);
    json_decref(json);
    for (int i = 0; i < 4; i++)
        benchlog_fini(&logs[i]);
}

static void views_hold_the_figures(void **state)
{
    struct benchlog log;
    struct strbuf out;

    (void)state;
    make(&log, "quo\\\"te", 0.1, 0.001, "true", "", NULL);
    strbuf_init(&out);
    benchlog_print(&log, BENCHLOG_CSV, &out);
    assert_non_null(strstr(out.text, "6.4e+10"));
    strbuf_clear(&out);
    benchlog_print(&log, BENCHLOG_MARKDOWN, &out);
    assert_non_null(strstr(out.text, "64.0 GB/s"));
    strbuf_clear(&out);
    benchlog_prometheus(&log, &out);
    assert_non_null(strstr(out.text, "host=\"quo\\\"te\""));
    assert_non_null(strstr(out.text, "gpuplan_bench_seconds{"));
    strbuf_fini(&out);
    benchlog_fini(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_read),
        cmocka_unit_test(wrong_and_disturbed_points_do_not_count),
        cmocka_unit_test(contradictions_are_refused_by_name),
        cmocka_unit_test(compare_needs_the_whole_band),
        cmocka_unit_test(merge_names_the_straggler),
        cmocka_unit_test(views_hold_the_figures),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
