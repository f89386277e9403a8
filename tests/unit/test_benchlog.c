/*
 * test_benchlog.c - result files: what is refused, what counts, comparing and merging.
 */
#include "unit.h"

#include "base/err.h"
#include "base/json.h"
#include "measure/result/benchlog.h"

/* One device, one point; what may be wrong is put into the holes. */
static const char shape[] =
    "{\"schema\": \"gpuplan.bench/1\", \"status\": \"complete\", \"host\": {\"name\": "
    "\"%s\"}, \"devices\": [{\"id\": 0, \"name\": \"X\"}], \"points\": [{\"id\": "
    "\"memory/read/64\", \"device\": 0, \"test\": \"memory\", \"variant\": \"\", "
    "\"state\": \"ok\", \"time_s\": {\"n\": 2, \"median\": %g, \"min\": %g, \"max\": "
    "%g, "
    "\"ci95\": [%g, %g], \"samples\": [%g, %g]}, \"rate\": {\"ops_per_s\": null, "
    "\"bytes_per_s\": 64e9, \"ops_per_j\": 1.5e9, \"ops_per_clock\": 2048}, \"check\": "
    "{\"ok\": %s}, \"flags\": [%s]}]}";

static const char empty_file[] =
    "{\"schema\": \"gpuplan.bench/1\", \"status\": \"complete\", \"devices\": "
    "[{\"id\": 0, \"name\": \"X\"}], \"points\": []}";

static enum gp_status make(struct benchlog *log, const char *host, double median, double half,
                           const char *check, const char *flags, struct gp_err *err)
{
    char text[1200];

    gp_format(text, sizeof text, shape, host, median, median - half, median + half, median - half,
              median + half, median - half, median + half, check, flags);
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
    assert_true(result_good(&log.point[0]));
    assert_string_equal(log.point[0].id, "memory/read/64");
    assert_string_equal(log.point[0].variant, "");
    benchlog_fini(&log);
}

/* A later version's test, type and kind are read, shown, and taken for no other. */
static void words_are_kept_as_they_are(void **state)
{
    static const char text[] =
        "{\"schema\": \"gpuplan.bench/1\", \"status\": \"complete\", \"devices\": "
        "[{\"id\": 0, \"name\": \"X\"}], \"points\": ["
        "{\"id\": \"triad/64\", \"device\": 0, \"test\": \"triad\", \"state\": "
        "\"ok\", \"params\": {\"type\": \"fp3\", \"bytes\": 64}, "
        "\"time_s\": {\"n\": 1, \"median\": 1}, \"rate\": {\"bytes_per_s\": 192}}, "
        "{\"id\": \"memory/read-cache/64\", \"device\": 0, \"test\": \"memory\", "
        "\"state\": \"skipped\", \"params\": {\"kind\": \"read\"}}, "
        "{\"id\": \"memory/swap/64\", \"device\": 0, \"test\": \"memory\", "
        "\"state\": \"ok\", \"time_s\": {\"n\": 1, \"median\": 1}}]}";
    struct benchlog log;
    struct strbuf out;

    (void)state;
    assert_int_equal(benchlog_parse("a.json", text, strlen(text), &log, NULL), GP_OK);
    assert_int_equal(log.point[0].test, TEST_COUNT);
    assert_int_equal(log.point[0].type, TYPE_COUNT);
    assert_string_equal(log.point[0].test_word, "triad");
    assert_near(log.point[0].size, 64, 0);
    assert_int_equal(log.point[0].from, 0);
    assert_int_equal(log.point[1].test, TEST_MEMORY);
    assert_int_equal(log.point[1].kind, KIND_READ);
    assert_true(log.point[1].hot);
    assert_int_equal(log.point[1].state, POINT_SKIPPED);
    assert_int_equal(log.point[2].kind, KIND_NONE);
    strbuf_init(&out);
    benchlog_print(&log, BENCHLOG_CSV, &out);
    assert_non_null(strstr(out.text, ",triad,triad/64,,fp3,"));
    strbuf_fini(&out);
    strbuf_init(&out);
    benchlog_print(&log, BENCHLOG_TEXT, &out);
    assert_non_null(strstr(out.text, "192 B/s"));
    strbuf_fini(&out);
    json_t *calibration = benchlog_calibration(&log);
    assert_int_equal(json_array_size(json_object_get(calibration, "terms")), 0);
    json_decref(calibration);
    benchlog_fini(&log);
}

static void wrong_and_disturbed_points_do_not_count(void **state)
{
    struct benchlog log;

    (void)state;
    assert_int_equal(make(&log, "h", 0.1, 0.001, "false", "", NULL), GP_OK);
    assert_false(result_good(&log.point[0]));
    benchlog_fini(&log);
    assert_int_equal(make(&log, "h", 0.1, 0.001, "true", "\"throttled\"", NULL), GP_OK);
    assert_false(result_good(&log.point[0]));
    benchlog_fini(&log);
    assert_int_equal(make(&log, "h", 0.1, 0.001, "true", "\"emulated\"", NULL), GP_OK);
    assert_true(result_good(&log.point[0]));
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
        {"\"flags\": []", "\"flags\": [\"drift\", \"\"]", "flags"},
        {"\"id\": 0", "\"id\": \"0\"", "id"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        char text[1200], changed[1300], *at;
        struct benchlog log;
        struct gp_err err = {0};

        gp_format(text, sizeof text, shape, "h", 0.1, 0.099, 0.101, 0.099, 0.101, 0.099, 0.101,
                  "true", "");
        at = strstr(text, cases[i].from);
        assert_non_null(at);
        gp_format(changed, sizeof changed, "%.*s%s%s", (int)(at - text), text, cases[i].to,
                  at + strlen(cases[i].from));
        assert_int_equal(benchlog_parse("a.json", changed, strlen(changed), &log, &err), GP_E_FILE);
        if (!strstr(err.where, cases[i].named))
            fail_msg("%s: '%s' does not name %s", cases[i].to, err.where, cases[i].named);
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

static bool printed(const struct benchlog_changes *c, const char *part)
{
    struct strbuf out;
    bool there;

    strbuf_init(&out);
    benchlog_confirmed_print(c, "here", &out);
    there = strstr(out.text, part) != NULL;
    if (!there)
        print_message("%s", out.text);
    strbuf_fini(&out);
    return there;
}

/* A good point of the reference that is not good here proves nothing. */
static void what_is_not_good_does_not_confirm(void **state)
{
    struct benchlog good, contended, wrong, empty;
    struct benchlog_changes c;
    char why[96];

    (void)state;
    make(&good, "h", 100e-6, 1e-6, "true", "", NULL);
    make(&contended, "h", 500e-6, 1e-6, "true", "\"emulated\", \"page-cache\", \"contended\"",
         NULL);
    make(&wrong, "h", 100e-6, 1e-6, "false", "", NULL);
    assert_int_equal(benchlog_parse("e", empty_file, strlen(empty_file), &empty, NULL), GP_OK);

    benchlog_compare(&good, &good, 0.05, &c);
    assert_true(benchlog_confirmed(&c) && printed(&c, "1 of 1 confirmed\n"));
    benchlog_changes_fini(&c);
    benchlog_compare(&good, &contended, 0.05, &c);
    assert_false(benchlog_confirmed(&c));
    assert_true(printed(&c, "0 of 1 confirmed, 1 flagged here (contended)\n"));
    benchlog_change_why(&c.change[0], why, sizeof why);
    assert_string_equal(why, "contended");
    benchlog_changes_fini(&c);
    benchlog_compare(&good, &wrong, 0.05, &c);
    assert_false(benchlog_confirmed(&c));
    assert_true(printed(&c, "1 wrong here"));
    benchlog_changes_fini(&c);
    benchlog_compare(&good, &empty, 0.05, &c);
    assert_false(benchlog_confirmed(&c));
    assert_true(printed(&c, "0 of 1 confirmed, 1 not measured here (missing)"));
    assert_int_equal(c.missing_count, 1);
    benchlog_changes_fini(&c);
    benchlog_compare(&contended, &good, 0.05, &c); /* what it flags, it does not ask */
    assert_int_equal(c.reference, 0);
    assert_false(benchlog_confirmed(&c));
    benchlog_changes_fini(&c);
    benchlog_fini(&good);
    benchlog_fini(&contended);
    benchlog_fini(&wrong);
    benchlog_fini(&empty);
}

/* "tuned", "framework" and "padded" are in a file where they are other algorithms: a file
 * without them lacks nothing, but for those of points that it lacks altogether. */
static void a_variant_may_be_missing(void **state)
{
    static const char *const others[] = {"framework", "padded", "tuned"};
    struct benchlog one, more, empty;
    struct benchlog_changes c;

    (void)state;
    make(&one, "h", 100e-6, 1e-6, "true", "", NULL);
    make(&more, "h", 100e-6, 1e-6, "true", "", NULL);
    assert_int_equal(benchlog_parse("e", empty_file, strlen(empty_file), &empty, NULL), GP_OK);
    one.point[0].variant = "heuristic";
    for (int i = 0; i < 3; i++) {
        more.point[0].variant = others[i];
        benchlog_compare(&more, &one, 0.05, &c);
        assert_int_equal(c.only_a, 1);
        assert_int_equal(c.missing_count, 0);
        benchlog_changes_fini(&c);
        benchlog_compare(&more, &empty, 0.05, &c);
        assert_int_equal(c.missing_count, 1);
        benchlog_changes_fini(&c);
        benchlog_compare(&one, &more, 0.05, &c); /* the heuristic's is always there */
        assert_int_equal(c.missing_count, 1);
        assert_false(benchlog_confirmed(&c));
        benchlog_changes_fini(&c);
    }
    benchlog_fini(&one);
    benchlog_fini(&more);
    benchlog_fini(&empty);
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
    json = benchlog_merge(logs, NULL, 4);
    list = json_object_get(json, "stragglers");
    assert_int_equal(json_array_size(list), 0); /* 101/104 is 2.9 % under */
    json_decref(json);
    benchlog_fini(&logs[1]);
    make(&logs[1], "b", 105e-6, 1e-6, "true", "", NULL);
    json = benchlog_merge(logs, NULL, 4);
    list = json_object_get(json, "stragglers");
    assert_int_equal(json_array_size(list), 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(list, 0), "host")), "b");
    assert_int_equal(benchlog_from_json("merged", json, &all, NULL), GP_OK);
    assert_int_equal(all.device_count, 4);
    assert_string_equal(all.device[all.point[3].device].host, "d");
    benchlog_fini(&all);
    json_decref(json);
    for (int i = 0; i < 4; i++)
        benchlog_fini(&logs[i]);
}

static bool says(const json_t *list, const char *part);

/* Four devices: 100, 101, 102 and 107 us on one point, so a spread of 7 / 101.5 = 6.9 %
 * and the last 1 - 101.5 / 107 = 5.1 % slower; alike on the other. And two that are
 * 2 % apart, or 5 %, of which the faster is the measure: 1 - 100 / 105 = 4.8 %. */
static void the_summary_names_the_slow_device(void **state)
{
    static const double times[] = {100e-6, 101e-6, 102e-6, 107e-6};
    struct benchlog logs[4], all;
    json_t *json;

    (void)state;
    for (int i = 0; i < 4; i++) {
        char host[2] = {(char)('a' + i), 0};
        json_t *points, *second;

        make(&logs[i], host, times[i], 0.5e-6, "true", "", NULL);
        points = json_object_get(logs[i].json, "points");
        second = json_deep_copy(json_array_get(points, 0));
        json_object_set_new(second, "id", json_string("memory/write/64"));
        json_object_set_new(second, "time_s",
                            json_pack("{s:i, s:f}", "n", 1, "median", 1e-3 + i * 1e-6));
        json_array_append_new(points, second);
        second = json_deep_copy(second); /* once, so never at the same rate */
        json_object_set_new(second, "test", json_string("fit"));
        json_object_set_new(second, "id", json_string("fit/x/64"));
        json_object_set_new(second, "time_s", json_pack("{s:i, s:f}", "n", 1, "median", 1.0 + i));
        json_array_append_new(points, second);
        json = json_incref(logs[i].json);
        benchlog_fini(&logs[i]);
        assert_int_equal(benchlog_from_json("x", json, &logs[i], NULL), GP_OK);
        json_decref(json);
    }
    json = benchlog_merge(logs, NULL, 4);
    assert_int_equal(json_array_size(json_object_get(json, "stragglers")), 1);
    assert_true(says(json_object_get(json, "summary"),
                     "device 3 of d is up to 5.1 % slower than the median of 4 devices, "
                     "by more than 3 % in 1 of 2 points"));
    assert_false(says(json_object_get(json, "summary"), "agree"));
    json_decref(json);
    json = benchlog_merge(logs, NULL, 3); /* 2 / 101 */
    assert_true(
        says(json_object_get(json, "summary"), "3 devices (X) agree within 2.0 % in 2 points"));
    json_decref(json);
    benchlog_fini(&logs[2]);
    make(&logs[2], "c", 105e-6, 1e-6, "true", "", NULL);
    all = logs[1];
    logs[1] = logs[2];
    json = benchlog_merge(logs, NULL, 2);
    assert_true(says(json_object_get(json, "summary"),
                     "device 1 of c is up to 4.8 % slower than the faster of 2 devices, "
                     "by more than 3 % in 1 of 1 points"));
    json_decref(json);
    logs[1] = all;
    json = benchlog_merge(logs, NULL, 1); /* nobody to agree with */
    assert_false(says(json_object_get(json, "summary"), "devices"));
    json_decref(json);
    for (int i = 0; i < 4; i++)
        benchlog_fini(&logs[i]);
}

static const char *term_run(const json_t *json, int term)
{
    const json_t *terms = json_object_get(json_object_get(json, "calibration"), "terms");

    return json_string_value(json_object_get(json_array_get(terms, (size_t)term), "run_id"));
}

static void merge_refuses_what_is_one_run(void **state)
{
    static const char *const names[] = {"a", "b"};
    struct benchlog logs[2], merged[2];
    struct gp_err err = {0};
    json_t *json, *again;

    (void)state;
    for (int i = 0; i < 2; i++) {
        make(&logs[i], i ? "b" : "a", 100e-6, 1e-6, "true", "", NULL);
        json_object_set_new(logs[i].json, "run_id", json_string(i ? "second" : "first"));
        json_object_set_new(logs[i].json, "method_version", json_integer(3));
    }
    assert_int_equal(benchlog_mergeable(logs, names, 2, &err), GP_OK);
    json = benchlog_merge(logs, names, 2);
    for (int i = 0; i < 2; i++) /* each term of its own run, not of the merged one */
        assert_string_equal(term_run(json, i), i ? "second" : "first");
    assert_true(json_array_size(json_object_get(json, "summary")) > 0);
    assert_int_equal(benchlog_from_json("m", json, &merged[0], NULL), GP_OK);
    merged[1] = logs[1];
    again = benchlog_merge(merged, names, 1); /* and so of what was merged before */
    assert_string_equal(term_run(again, 1), "second");
    json_decref(again);
    assert_int_equal(benchlog_mergeable(merged, names, 2, &err), GP_E_FILE);
    assert_non_null(strstr(err.text, "same run"));
    assert_string_not_equal(json_string_value(json_object_get(json, "run_id")), "first");
    json_object_set_new(logs[1].json, "method_version", json_integer(4));
    assert_int_equal(benchlog_mergeable(logs, names, 2, &err), GP_E_FILE);
    benchlog_fini(&merged[0]);
    json_decref(json);
    benchlog_fini(&logs[0]);
    benchlog_fini(&logs[1]);
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
    assert_non_null(strstr(out.text, "flags,ops_per_j,ops_per_clock,groups\n"));
    assert_non_null(strstr(out.text, ",1.5e+09,2048,\n"));
    strbuf_clear(&out);
    benchlog_print(&log, BENCHLOG_MARKDOWN, &out);
    assert_non_null(strstr(out.text, "64.0 GB/s"));
    strbuf_clear(&out);
    benchlog_prometheus(&log, &out);
    assert_non_null(strstr(out.text, "host=\"quo\\\"te\""));
    assert_non_null(strstr(out.text, "gpuplan_bench_seconds{"));
    assert_non_null(strstr(out.text, ",uuid=\""));
    assert_non_null(strstr(out.text, ",test=\""));
    assert_non_null(strstr(out.text, ",type=\""));
    assert_non_null(strstr(out.text, ",point=\""));
    strbuf_fini(&out);
    benchlog_fini(&log);
}

/* ---- calibration and summary ---- */

struct made {
    const char *id, *test, *type, *flags;
    double n, time, ops, bytes;
};

static void write_points(const struct made *made, int count, struct benchlog *log)
{
    static char text[8000];
    struct gp_err err = {0};
    size_t len;

    gp_format(text, sizeof text,
              "{\"schema\": \"gpuplan.bench/1\", \"status\": \"complete\", \"run_id\": "
              "\"r\", \"devices\": [{\"id\": 3, \"name\": \"X\"}], \"points\": [");
    for (int i = 0; i < count; i++) {
        len = strlen(text);
        gp_format(text + len, sizeof text - len,
                  "%s{\"id\": \"%s\", \"device\": 3, \"test\": \"%s\", \"variant\": "
                  "\"\", \"state\": \"ok\", \"params\": {\"type\": \"%s\", \"m\": 64, "
                  "\"k\": 64, \"n\": %g}, \"time_s\": {\"n\": 9, \"median\": %.9g, "
                  "\"ci95\": [%.9g, %.9g]}, \"rate\": {\"ops_per_s\": %.9g, "
                  "\"bytes_per_s\": %.9g}, \"flags\": [%s]}",
                  i ? ", " : "", made[i].id, made[i].test, made[i].type, made[i].n, made[i].time,
                  made[i].time * 0.98, made[i].time * 1.02, made[i].ops, made[i].bytes,
                  made[i].flags);
    }
    len = strlen(text);
    gp_format(text + len, sizeof text - len, "]}");
    if (benchlog_parse("made", text, strlen(text), log, &err))
        fail_msg("%s: %s", err.where, err.text);
}

static double value(const json_t *term, const char *key, const char *part)
{
    return json_number_value(json_object_get(json_object_get(term, key), part));
}

static void set_param(struct benchlog *log, int point, const char *key, double x)
{
    json_object_set_new(json_object_get((json_t *)log->point[point].json, "params"), key,
                        json_real(x));
}

static void sizes_tell_overhead_from_rate(void **state)
{
    const double mib = 1048576;
    const struct made made[] = {
        {"memory/read/1", "memory", "", "", 0, 60e-6, 0, 1 * mib / 60e-6},
        {"memory/read/4", "memory", "", "", 0, 210e-6, 0, 4 * mib / 210e-6},
        {"memory/read/16", "memory", "", "", 0, 810e-6, 0, 16 * mib / 810e-6},
        {"memory/read/64", "memory", "", "\"drift\"", 0, 9e-3, 0, 64 * mib / 9e-3},
        {"gemm/bf16/a", "gemm", "bf16", "", 8, 1e-3, 2e12, 0},
    };
    struct benchlog log;
    json_t *json, *terms, *read, *rate;

    (void)state;
    write_points(made, 5, &log);
    json = benchlog_calibration(&log);
    terms = json_object_get(json, "terms");
    assert_int_equal(json_array_size(terms), 2);
    read = json_array_get(terms, 0);
    assert_int_equal(json_integer_value(json_object_get(read, "device")), 3);
    assert_string_equal(json_string_value(json_object_get(read, "kind")), "bandwidth");
    assert_int_equal(json_integer_value(json_object_get(read, "n")), 3);
    assert_near(value(read, "overhead_s", "value"), 10e-6, 1e-9);
    assert_near(value(read, "bytes_per_s", "value"), mib / 50e-6, 1e5);
    assert_true(value(read, "bytes_per_s", "low") <= value(read, "bytes_per_s", "value"));

    rate = json_array_get(terms, 1); /* one point: its own interval, no overhead */
    assert_true(json_is_null(json_object_get(rate, "overhead_s")));
    assert_near(value(rate, "ops_per_s", "value"), 2e12, 1);
    assert_near(value(rate, "ops_per_s", "low"), 2e12 / 1.02, 1e6);

    assert_int_equal(json_array_size(json_object_get(json, "excluded")), 1);
    json_decref(json);
    benchlog_fini(&log);
}

/* A term of each pair and way, and one of both ways at once. */
static void every_pair_has_its_link(void **state)
{
    const struct made made[] = {
        {"transfer/peer/0-1/64", "transfer", "", "", 0, 1e-3, 0, 64e9},
        {"transfer/peer/1-0/64", "transfer", "", "", 0, 1e-3, 0, 64e9},
        {"transfer/peer-both/0-1/64", "transfer", "", "", 0, 1e-3, 0, 120e9},
        {"transfer/peer-both/0-1/9", "transfer", "", "", 0, 1e-4, 0, 110e9},
    };
    static const char *const of[] = {"peer/0-1", "peer/1-0", "peer-both/0-1"};
    struct benchlog log;
    json_t *json, *terms;

    (void)state;
    write_points(made, 4, &log);
    log.point[0].to = log.point[1].from = log.point[2].to = log.point[3].to = 1;
    json = benchlog_calibration(&log);
    terms = json_object_get(json, "terms");
    assert_int_equal(json_array_size(terms), 3);
    for (size_t i = 0; i < 3; i++) {
        const json_t *term = json_array_get(terms, i);

        assert_string_equal(json_string_value(json_object_get(term, "kind")), "link");
        assert_string_equal(json_string_value(json_object_get(term, "of")), of[i]);
    }
    json_decref(json);
    benchlog_fini(&log);
}

static void noise_widens_the_band(void **state)
{
    const struct made made[] = {
        {"gemm/fp32/a", "gemm", "fp32", "", 1, 1.1e-3, 1e9 / 1.1e-3, 0},
        {"gemm/fp32/b", "gemm", "fp32", "", 1, 3.8e-3, 4e9 / 3.8e-3, 0},
        {"gemm/fp32/c", "gemm", "fp32", "", 1, 17e-3, 16e9 / 17e-3, 0},
        {"gemm/fp32/d", "gemm", "fp32", "", 1, 60e-3, 64e9 / 60e-3, 0},
    };
    struct benchlog log;
    json_t *json, *term;

    (void)state;
    write_points(made, 4, &log);
    json = benchlog_calibration(&log);
    term = json_array_get(json_object_get(json, "terms"), 0);
    assert_true(value(term, "ops_per_s", "low") < 1e12 && value(term, "ops_per_s", "high") > 1e12);
    assert_true(json_number_value(json_object_get(term, "rms_pct")) > 1);
    assert_true(value(term, "overhead_s", "low") >= 0);
    json_decref(json);
    benchlog_fini(&log);
}

/* A kind of work or a type has a term of its own, of the file's run; a launch has no rate. */
static void terms_name_what_they_are_of(void **state)
{
    const double mib = 1048576;
    const struct made made[] = {
        {"memory/read/1", "memory", "", "", 0, 60e-6, 0, 1 * mib / 60e-6},
        {"memory/read/4", "memory", "", "", 0, 210e-6, 0, 4 * mib / 210e-6},
        {"memory/read/16", "memory", "", "", 0, 810e-6, 0, 16 * mib / 810e-6},
        {"gemm/bf16/a", "gemm", "bf16", "", 8, 1e-3, 2e12, 0},
        {"batch/x", "batch", "fp8", "", 1, 1e-3, 2e9, 3e9},
    };
    struct benchlog log;

    (void)state;
    write_points(made, 5, &log);
    set_param(&log, 0, "node_floor_s", 1e-6);
    json_t *json = benchlog_calibration(&log), *terms = json_object_get(json, "terms");
    const json_t *product = json_array_get(json_object_get(json, "products"), 0);
    assert_string_equal(gp_json_text_at(json, "run_id"), "r");
    assert_int_equal(json_array_size(terms), 4);
    assert_string_equal(gp_json_text_at(json_array_get(terms, 0), "kind"), "bandwidth");
    assert_string_equal(gp_json_text_at(json_array_get(terms, 0), "of"), "read");
    assert_near(gp_json_number_at(json_array_get(terms, 0), "overhead_s"), 10e-6, 1e-9);
    assert_true(json_is_null(json_object_get(json_array_get(terms, 1), "overhead_s")));
    assert_string_equal(gp_json_text_at(json_array_get(terms, 2), "type"), "fp8");
    assert_string_equal(gp_json_text_at(json_array_get(terms, 3), "kind"), "launch");
    assert_null(json_object_get(json_array_get(terms, 3), "bytes_per_s"));
    assert_near(gp_json_number_at(product, "peak_ops_per_s"), 2e12, 0);
    assert_int_equal(
        gp_json_number_at(json_array_get(json_object_get(product, "efficiency"), 0), "log2_ops"),
        31);
    json_decref(json);
    benchlog_fini(&log);
}

static void products_are(const json_t *octave, int log2_ops, double efficiency, int n,
                         double rms_pct)
{
    assert_int_equal(json_integer_value(json_object_get(octave, "log2_ops")), log2_ops);
    assert_near(json_number_value(json_object_get(octave, "efficiency")), efficiency, 1e-4);
    assert_int_equal(json_integer_value(json_object_get(octave, "n")), n);
    assert_near(json_number_value(json_object_get(octave, "rms_pct")), rms_pct, 1e-2);
}

/* By python: operations 2**28, 1.3 * 2**28, 2**34, 1.2 * 2**34 and 2**37 at 20, 30,
 * 300, 290 and 400 GFLOP/s are of the octaves 28, 28, 34, 34 and 37 (log2 1.3 = 0.379,
 * log2 1.2 = 0.263), and of the peak 400: median(0.05, 0.075) = 0.0625, each 20 % off;
 * median(0.75, 0.725) = 0.7375, each 1.69 % off; 1. The layers for one token and for
 * two, at 80 % of what memory allows, are left out; that for four, at 30 %, is not:
 * 2**31.58 is octave 32. The tuned and the flagged are faster, and do not count. */
static void products_reach_a_share_of_the_peak(void **state)
{
    const double g = 1e9, two28 = 268435456.0, two34 = 64 * two28, two37 = 8 * two34;
    const struct made made[] = {
        {"gemm/a", "gemm", "bf16", "", 64, two28 / (20 * g), 20 * g, 0},
        {"gemm/b", "gemm", "bf16", "", 64, 1.3 * two28 / (30 * g), 30 * g, 0},
        {"gemm/c", "gemm", "bf16", "", 64, two34 / (300 * g), 300 * g, 0},
        {"batch/d", "batch", "bf16", "", 64, 1.2 * two34 / (290 * g), 290 * g, 0},
        {"gemm/e", "gemm", "bf16", "", 64, two37 / (400 * g), 400 * g, 0},
        {"gemm/f", "gemm", "bf16", "\"drift\"", 64, two37 / (500 * g), 500 * g, 0},
        {"batch/x/1", "batch", "bf16", "", 1, two28 / (390 * g), 390 * g, 0},
        {"batch/x/2", "batch", "bf16", "", 2, two28 / (390 * g), 390 * g, 0},
        {"batch/x/4", "batch", "bf16", "", 4, 12 * two28 / (100 * g), 100 * g, 0},
        {"gemm/t", "gemm", "bf16", "", 64, two37 / (450 * g), 450 * g, 0},
        {"gemm/int8", "gemm", "int8", "", 64, 1e-3, 700 * g, 0},
    };
    struct benchlog log;
    json_t *json, *list, *one, *octaves;

    (void)state;
    write_points(made, 11, &log);
    log.point[7].bound = log.point[8].bound = "memory";
    log.point[7].ratio = 0.8;
    log.point[8].ratio = 0.3;
    log.point[9].variant = "tuned";
    log.point[4].sheet_ops = 62.5;
    json = benchlog_calibration(&log);
    list = json_object_get(json, "products");
    assert_int_equal(json_array_size(list), 2);
    one = json_array_get(list, 0);
    assert_string_equal(json_string_value(json_object_get(one, "type")), "bf16");
    assert_string_equal(json_string_value(json_object_get(one, "run_id")), "r");
    assert_int_equal(json_integer_value(json_object_get(one, "device")), 3);
    assert_int_equal(json_integer_value(json_object_get(one, "n")), 6);
    assert_near(json_number_value(json_object_get(one, "peak_ops_per_s")), 400 * g, 1);
    assert_near(json_number_value(json_object_get(one, "pct_spec_peak")), 62.5, 1e-9);
    octaves = json_object_get(one, "efficiency");
    assert_int_equal(json_array_size(octaves), 4);
    products_are(json_array_get(octaves, 0), 28, 0.0625, 2, 20);
    products_are(json_array_get(octaves, 1), 32, 0.25, 1, 0);
    products_are(json_array_get(octaves, 2), 34, 0.7375, 2, 1.6949);
    products_are(json_array_get(octaves, 3), 37, 1, 1, 0);
    one = json_array_get(list, 1);
    assert_string_equal(json_string_value(json_object_get(one, "type")), "int8");
    assert_true(json_is_null(json_object_get(one, "pct_spec_peak")));
    json_decref(json);
    benchlog_fini(&log);
}

/* Three reads at 40 GB/s beyond 10 us; the one of 64 MB says that its 39.75 GB/s are
 * 79.5 % of the sheet, 50 GB/s, so that 40 are 80 %. */
static void a_bandwidth_is_told_of_the_sheet(void **state)
{
    const struct made made[] = {
        {"memory/read/4e6", "memory", "", "", 0, 110e-6, 0, 4e6 / 110e-6},
        {"memory/read/16e6", "memory", "", "", 0, 410e-6, 0, 16e6 / 410e-6},
        {"memory/read/64e6", "memory", "", "", 0, 1610e-6, 0, 64e6 / 1610e-6},
        {"memory/write/64e6", "memory", "", "", 0, 2e-3, 0, 32e9},
    };
    struct benchlog log;
    json_t *json, *read, *write;

    (void)state;
    write_points(made, 4, &log);
    log.point[2].sheet_bytes = 100 * 64e6 / 1610e-6 / 50e9;
    json = benchlog_calibration(&log);
    read = json_array_get(json_object_get(json, "terms"), 0);
    write = json_array_get(json_object_get(json, "terms"), 1);
    assert_near(value(read, "bytes_per_s", "value"), 40e9, 1e5);
    assert_near(json_number_value(json_object_get(read, "pct_spec_bw")), 80, 1e-3);
    assert_true(json_is_null(json_object_get(write, "pct_spec_bw")));
    json_decref(json);
    benchlog_fini(&log);
}

static bool says(const json_t *list, const char *part)
{
    const json_t *text;
    size_t i;

    json_array_foreach(list, i, text)
    {
        if (strstr(json_string_value(text), part))
            return true;
    }
    return false;
}

/* A read of the cache, ten times as fast: a term of its own, nothing in the summary. */
static void the_cache_is_not_memory(void **state)
{
    const struct made made[] = {
        {"memory/read/268435456", "memory", "", "", 0, 5e-3, 0, 50e9},
        {"memory/read-cache/16777216", "memory", "", "", 0, 30e-6, 0, 500e9},
    };
    struct benchlog log;
    json_t *json, *terms, *list;

    (void)state;
    write_points(made, 2, &log);
    json = benchlog_calibration(&log);
    terms = json_object_get(json, "terms");
    assert_int_equal(json_array_size(terms), 2);
    assert_near(value(json_array_get(terms, 0), "bytes_per_s", "value"), 50e9, 1);
    assert_string_equal(json_string_value(json_object_get(json_array_get(terms, 1), "of")),
                        "read-cache");
    json_decref(json);
    list = benchlog_summary(&log);
    assert_true(says(list, "memory reads at 50.0 GB/s"));
    assert_false(says(list, "500"));
    json_decref(list);
    benchlog_fini(&log);
}

/* Three points say 1.0, 1.2 and 1.1 us: the middle is 1.1, rms of -1/11, 1/11 and 0 is
 * 7.42 %; the flagged one says nothing, and no CPU does. */
static void an_empty_launch_is_a_term(void **state)
{
    const struct made made[] = {
        {"memory/read/1", "memory", "", "", 0, 60e-6, 0, 1e9},
        {"memory/write/1", "memory", "", "", 0, 60e-6, 0, 1e9},
        {"memory/copy/1", "memory", "", "", 0, 60e-6, 0, 1e9},
        {"memory/copy/2", "memory", "", "\"drift\"", 0, 60e-6, 0, 1e9},
    };
    const double node[] = {1e-6, 1.2e-6, 1.1e-6, 9e-6};
    struct benchlog log;
    json_t *json, *terms, *term;

    (void)state;
    write_points(made, 4, &log);
    json = benchlog_calibration(&log);
    assert_int_equal(json_array_size(json_object_get(json, "terms")), 3);
    json_decref(json);
    for (int i = 0; i < 4; i++)
        set_param(&log, i, "node_floor_s", node[i]);
    set_param(&log, 0, "event_floor_s", 2e-6);
    json = benchlog_calibration(&log);
    terms = json_object_get(json, "terms");
    assert_int_equal(json_array_size(terms), 5);
    term = json_array_get(terms, 3);
    assert_string_equal(json_string_value(json_object_get(term, "kind")), "launch");
    assert_string_equal(json_string_value(json_object_get(term, "of")), "node");
    assert_near(value(term, "overhead_s", "value"), 1.1e-6, 1e-12);
    assert_near(value(term, "overhead_s", "low"), 1e-6, 1e-12);
    assert_near(value(term, "overhead_s", "high"), 1.2e-6, 1e-12);
    assert_int_equal(json_integer_value(json_object_get(term, "n")), 3);
    assert_near(json_number_value(json_object_get(term, "rms_pct")), 7.4227, 1e-3);
    term = json_array_get(terms, 4);
    assert_string_equal(json_string_value(json_object_get(term, "of")), "events");
    assert_int_equal(json_integer_value(json_object_get(term, "n")), 1);
    json_decref(json);
    benchlog_fini(&log);
}

/* 1, 8 and 64 KiB in 10 us + S / 5 GB/s, 4, 16 and 64 MiB in 30 us + S / 40 GB/s: two
 * lines, each with its own alpha (overhead) and beta (1 over the rate); FP32 apart. */
static void an_allreduce_has_two_segments(void **state)
{
    static const double sizes[] = {1024, 8192, 65536, 4194304, 16777216, 67108864};
    struct made made[7];
    struct benchlog log;
    json_t *json, *terms;

    (void)state;
    for (int i = 0; i < 7; i++) {
        double bytes = sizes[i % 6];
        double time = i % 6 < 3 ? 10e-6 + bytes / 5e9 : 30e-6 + bytes / 40e9;

        made[i] = (struct made){"allreduce/bf16/plain/1",
                                "allreduce",
                                i < 6 ? "bf16" : "fp32",
                                "",
                                0,
                                time,
                                0,
                                bytes / time};
    }
    write_points(made, 7, &log);
    for (int i = 0; i < 7; i++) {
        log.point[i].size = sizes[i % 6];
        log.point[i].kind = KIND_PLAIN;
    }
    json = benchlog_calibration(&log);
    terms = json_object_get(json, "terms");
    assert_int_equal(json_array_size(terms), 3);
    for (int i = 0; i < 2; i++) {
        json_t *term = json_array_get(terms, (size_t)i);

        assert_string_equal(json_string_value(json_object_get(term, "kind")), "allreduce");
        assert_string_equal(json_string_value(json_object_get(term, "type")), "bf16");
        assert_int_equal(json_integer_value(json_object_get(term, "n")), 3);
        assert_near(value(term, "overhead_s", "value"), i ? 30e-6 : 10e-6, 1e-9);
        assert_near(value(term, "bytes_per_s", "value"), i ? 40e9 : 5e9, 1e5);
    }
    assert_string_equal(json_string_value(json_object_get(json_array_get(terms, 1), "of")),
                        "plain/large");
    json_decref(json);
    benchlog_fini(&log);
}

/* 100 GFLOP/s over 50 GB/s are 2 operations per byte; batch 4 takes longer than one. */
static void without_a_sheet_the_run_is_the_roof(void **state)
{
    const struct made made[] = {
        {"memory/read/16", "memory", "", "", 0, 1e-3, 0, 50e9},
        {"gemm/fp32/a", "gemm", "fp32", "", 64, 1e-3, 100e9, 1e9},
        {"batch/x/1", "batch", "fp32", "", 1, 1e-3, 24e9, 48e9},
        {"batch/x/2", "batch", "fp32", "", 2, 1.05e-3, 48e9, 46e9},
        {"batch/x/4", "batch", "fp32", "", 4, 1.5e-3, 64e9, 32e9},
    };
    struct benchlog log;
    json_t *list;

    (void)state;
    write_points(made, 5, &log);
    list = benchlog_summary(&log);
    assert_true(says(list, "no sheet to compare it with"));
    assert_true(says(list, "2 operations per byte read"));
    assert_true(says(list, "96 % of the read bandwidth: memory limits it"));
    assert_true(says(list, "memory limits a 64 x 64 layer up to a batch of 2; at 4 "
                           "arithmetic counts"));
    json_decref(list);
    benchlog_fini(&log);
}

/* The sheet's 60 GB/s and 120 GFLOP/s: 50 and 100 are 83 % of each, and products that a
 * layer reaches count as well; the ridge is said as without a sheet. A slice's figures
 * are estimated. A layer at 12 GB/s of 50 is not limited by memory. */
static void with_a_sheet_it_is_said_whether_it_holds(void **state)
{
    const struct made made[] = {
        {"memory/read/16", "memory", "", "", 0, 1e-3, 0, 50e9},
        {"gemm/bf16/a", "gemm", "bf16", "", 64, 1e-3, 90e9, 1e9},
        {"batch/x/1", "batch", "bf16", "", 1, 1e-3, 6e9, 12e9},
        {"batch/x/8", "batch", "bf16", "", 8, 1.05e-3, 46e9, 12e9},
        {"batch/x/64", "batch", "bf16", "", 64, 3e-3, 100e9, 4e9},
    };
    static const double ratio[] = {50.0 / 60, 90.0 / 120, 0.2, 0.2, 100.0 / 120};
    struct benchlog log;
    json_t *list;

    (void)state;
    write_points(made, 5, &log);
    for (int i = 0; i < 5; i++) {
        log.point[i].ratio = ratio[i];
        log.point[i].bound = i == 1 || i == 4 ? "arithmetic" : "memory";
        log.point[i].origin = i ? "sheet" : "model";
    }
    list = benchlog_summary(&log);
    assert_true(says(list, "memory: 50.0 GB/s, 83 % of what is estimated from"));
    assert_true(says(list, "bf16: 100 GFLOP/s, 83 % of the sheet: the sheet's figure is "
                           "not reached"));
    assert_true(says(list, "2 operations per byte read"));
    assert_true(says(list, "takes no longer up to a batch of 8, but its weights come at "
                           "24 % of the bandwidth: not memory limits it; at 64 "
                           "arithmetic counts"));
    assert_false(says(list, "no sheet"));
    json_decref(list);
    benchlog_fini(&log);
}

/* Where no product has more than one token, nothing says what arithmetic could do; and
 * the read that the cache helps (16 bytes of 64) is not memory's. */
static void one_token_is_no_roof_of_arithmetic(void **state)
{
    const struct made made[] = {
        {"memory/read/16", "memory", "", "", 0, 1e-3, 0, 50e9},
        {"batch/x/1", "batch", "fp32", "", 1, 1e-3, 24e9, 48e9},
    };
    struct benchlog log;
    json_t *list, *device;

    (void)state;
    write_points(made, 2, &log);
    list = benchlog_summary(&log);
    assert_true(says(list, "memory reads at 50.0 GB/s"));
    assert_false(says(list, "operations per byte read"));
    json_decref(list);
    device = json_array_get(json_object_get(log.json, "devices"), 0);
    json_object_set_new(device, "cache", json_integer(64));
    log.point[0].size = 16;
    list = benchlog_summary(&log);
    assert_false(says(list, "memory reads at"));
    json_decref(list);
    benchlog_fini(&log);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_point_is_read),
        cmocka_unit_test(wrong_and_disturbed_points_do_not_count),
        cmocka_unit_test(contradictions_are_refused_by_name),
        cmocka_unit_test(compare_needs_the_whole_band),
        cmocka_unit_test(what_is_not_good_does_not_confirm),
        cmocka_unit_test(a_variant_may_be_missing),
        cmocka_unit_test(merge_names_the_straggler),
        cmocka_unit_test(the_summary_names_the_slow_device),
        cmocka_unit_test(merge_refuses_what_is_one_run),
        cmocka_unit_test(views_hold_the_figures),
        cmocka_unit_test(sizes_tell_overhead_from_rate),
        cmocka_unit_test(every_pair_has_its_link),
        cmocka_unit_test(terms_name_what_they_are_of),
        cmocka_unit_test(words_are_kept_as_they_are),
        cmocka_unit_test(noise_widens_the_band),
        cmocka_unit_test(products_reach_a_share_of_the_peak),
        cmocka_unit_test(a_bandwidth_is_told_of_the_sheet),
        cmocka_unit_test(the_cache_is_not_memory),
        cmocka_unit_test(an_empty_launch_is_a_term),
        cmocka_unit_test(an_allreduce_has_two_segments),
        cmocka_unit_test(without_a_sheet_the_run_is_the_roof),
        cmocka_unit_test(with_a_sheet_it_is_said_whether_it_holds),
        cmocka_unit_test(one_token_is_no_roof_of_arithmetic),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
