/* test_protocol.c - settings, device lines, and the job an engine is given. */
#include "bench/watch.h"
#include "measure/point/protocol.h"

#include <unistd.h>

#include "base/json.h"
#include "bench/job.h"
#include "unit.h"

static void test_send(void **state)
{
    char text[64] = "";
    FILE *out = tmpfile();

    (void)state;
    assert_true(output_send(out, json_pack("{s:s}", "t", "a\nb")));
    rewind(out);
    assert_non_null(fgets(text, sizeof text, out));
    assert_string_equal(text, "{\"t\": \"a\\nb\"}\n"); /* one line whatever is in it */
    fclose(out);
    out = fopen("/dev/full", "w");
    if (out) {
        assert_false(output_send(out, json_pack("{s:s}", "t", "x")));
        fclose(out);
    }
}

static void test_settings_round_trip(void **state)
{
    struct method_settings in = method_preset(PRESET_QUICK), back;
    json_t *json;
    int device = -1;

    (void)state;
    in.seed = 0xfedcba9876543210u;
    in.max_memory = 12345678;
    in.fill = FILL_ZEROS;
    in.check = CHECK_NONE;
    in.algos = 64;
    in.workspace = 0;
    json = protocol_settings(&in, 3);
    assert_int_equal(protocol_read_settings(json, "t", &back, &device, NULL), GP_OK);
    assert_int_equal(device, 3);
    assert_true(back.seed == in.seed);
    assert_near(back.max_time, 0.3, 0);
    assert_near(back.min_time, 0.3, 0);
    assert_near(back.device_warmup_min, 3, 0);
    assert_near(back.max_memory, 12345678, 0);
    assert_int_equal(back.fill, FILL_ZEROS);
    assert_int_equal(back.check, CHECK_NONE);
    assert_near(back.algos, 64, 0);
    assert_near(back.workspace, 0, 0);
    json_decref(json);
}

static void test_settings_refused(void **state)
{
    static const struct {
        const char *text, *field;
    } bad[] = {
        {"{\"do\":\"point\"}", "do"},
        {"{\"do\":\"settings\"}", "protocol"},
        {"{\"do\":\"settings\",\"protocol\":2}", "protocol"},
        {"{\"do\":\"settings\",\"protocol\":1,\"device\":-1}", "device"},
        {"{\"do\":\"settings\",\"protocol\":1,\"device\":\"0\"}", "device"},
        {"{\"do\":\"settings\",\"protocol\":1,\"rel_ci\":0}", "rel_ci"},
        {"{\"do\":\"settings\",\"protocol\":1,\"max_time\":1e9}", "max_time"},
        {"{\"do\":\"settings\",\"protocol\":1,\"max_time\":\"1\"}", "max_time"},
        {"{\"do\":\"settings\",\"protocol\":1,\"max_time\":0.2}", "min_time"},
        {"{\"do\":\"settings\",\"protocol\":1,\"device_warmup_min\":31}", "device_warmup_min"},
        {"{\"do\":\"settings\",\"protocol\":1,\"seed\":1.5}", "seed"},
        {"{\"do\":\"settings\",\"protocol\":1,\"algos\":0}", "algos"},
        {"{\"do\":\"settings\",\"protocol\":1,\"fill\":\"sand\"}", "fill"},
        {"{\"do\":\"settings\",\"protocol\":1,\"fill\":1}", "fill"},
        {"{\"do\":\"settings\",\"protocol\":1,\"check\":\"\"}", "check"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        json_t *json = json_loads(bad[i].text, 0, NULL);
        struct method_settings out;
        struct gp_err err;
        int device;

        if (protocol_read_settings(json, "plan:1", &out, &device, &err) != GP_E_FILE)
            fail_msg("%s was taken", bad[i].text);
        if (!strstr(err.where, bad[i].field))
            fail_msg("%s: %s: %s", bad[i].text, err.where, err.text);
        json_decref(json);
    }
}

static void test_device(void **state)
{
    struct bench_device d = {
        .index = 1, .name = "caf\xE9", .kind = "gpu", .cc = 90, .units = 132, .memory = 8.5e10};
    json_t *json = output_device(&d);

    (void)state;
    assert_string_equal(json_string_value(json_object_get(json, "t")), "device");
    assert_string_equal(json_string_value(json_object_get(json, "name")), "caf\xEF\xBF\xBD");
    assert_near(json_number_value(json_object_get(json, "memory")), 8.5e10, 0);
    assert_true(json_is_null(json_object_get(json, "bandwidth_sheet"))); /* not 0 */
    assert_true(json_is_null(json_object_get(json, "uuid")));            /* nor "" */
    assert_true(json_is_null(json_object_get(json, "pci")));
    json_decref(json);
}

/* ---- job ---- */

#define SETTINGS "{\"protocol\":1,\"do\":\"settings\",\"sensors_s\":0.2}"
#define POINT                                                                     \
    "{\"do\":\"point\",\"index\":7,\"point\":{\"test\":\"gemm\",\"m\":1,\"n\":2," \
    "\"k\":3}}"
#define RUN "{\"do\":\"run\"}"

static enum gp_status give(struct job *job, const char *line, struct gp_err *err)
{
    return job_line(job, line, strlen(line), err);
}

static void test_orders(void **state)
{
    struct job o;

    (void)state;
    job_init(&o);
    assert_int_equal(give(&o, SETTINGS, NULL), GP_OK);
    assert_int_equal(give(&o, "", NULL), GP_OK);
    assert_int_equal(give(&o, "{\"do\":\"dance\"}", NULL), GP_OK); /* of a later one */
    assert_int_equal(give(&o, POINT, NULL), GP_OK);
    assert_int_equal(give(&o, POINT, NULL), GP_OK); /* a second pass */
    assert_int_equal(give(&o, RUN, NULL), GP_OK);
    assert_true(o.run && !o.stop);
    assert_int_equal(o.count, 2);
    assert_int_equal(o.points[1].index, 7);
    assert_int_equal(o.points[1].point.k, 3);
    assert_near(o.settings.sensors, 0.2, 0);
    /* nothing that comes later may end a measurement, but a stop */
    assert_int_equal(give(&o, "{{{", NULL), GP_OK);
    assert_int_equal(give(&o, POINT, NULL), GP_OK);
    assert_int_equal(o.count, 2);
    assert_false(o.stop);
    assert_int_equal(give(&o, "{\"do\":\"stop\"}", NULL), GP_OK);
    assert_true(o.stop);
    job_fini(&o);
}

static void test_orders_refused(void **state)
{
    static const char *const first[] = {
        POINT,
        RUN,
        "[]",
        "1",
        "{\"do\":1}",
        "{",
        "{\"do\":\"run\",\"do\":\"run\"}",
        "{\"protocol\":1,\"do\":\"settings\",\"progress_s\":0}",
    };
    static const char *const then[] = {
        SETTINGS,
        "{\"do\":\"point\"}",
        "{\"do\":\"point\",\"index\":-1,\"point\":{}}",
        "{\"do\":\"point\",\"index\":999999999,\"point\":{}}",
        "{\"do\":\"point\",\"index\":0.5,\"point\":{}}",
        "{\"do\":\"point\",\"index\":0,\"point\":[]}",
    };
    struct job o;
    struct gp_err err;
    char deep[300];

    (void)state;
    for (size_t i = 0; i < sizeof first / sizeof first[0]; i++) {
        job_init(&o);
        if (give(&o, first[i], &err) != GP_E_FILE || !strstr(err.where, "plan:1"))
            fail_msg("first: %s", first[i]);
        job_fini(&o);
    }
    for (size_t i = 0; i < sizeof then / sizeof then[0]; i++) {
        job_init(&o);
        assert_int_equal(give(&o, SETTINGS, &err), GP_OK);
        if (give(&o, then[i], &err) != GP_E_FILE || !strstr(err.where, "plan:2"))
            fail_msg("then: %s", then[i]);
        job_fini(&o);
    }
    memset(deep, '[', sizeof deep);
    job_init(&o);
    assert_int_equal(job_line(&o, deep, sizeof deep, &err), GP_E_FILE);
    job_fini(&o);
}

static void test_reader(void **state)
{
    struct line_reader reader;
    const char *line;
    size_t len;
    int fds[2];

    (void)state;
    assert_int_equal(pipe(fds), 0);
    assert_int_equal(write(fds[1], "one\n\ntwo\nrest", 13), 13);
    close(fds[1]);
    line_reader_init(&reader, fds[0]);
    line = line_reader_next(&reader, &len);
    assert_true(len == 3 && memcmp(line, "one", 3) == 0);
    line = line_reader_next(&reader, &len);
    assert_true(line && len == 0);
    line = line_reader_next(&reader, &len);
    assert_true(len == 3 && memcmp(line, "two", 3) == 0);
    assert_null(line_reader_next(&reader, &len)); /* a torn line is none */
    assert_true(reader.eof && !reader.too_long);
    line_reader_fini(&reader);
    close(fds[0]);
}

/* Babble without end takes a bounded amount of memory. */
static void test_reader_bounds(void **state)
{
    struct line_reader reader;
    FILE *file = tmpfile();
    size_t len;

    (void)state;
    for (int i = 0; i < PROTOCOL_LINE / 64 * 3; i++)
        fprintf(file, "%064d", i);
    fflush(file);
    rewind(file);
    line_reader_init(&reader, fileno(file));
    assert_null(line_reader_next(&reader, &len));
    assert_true(reader.too_long);
    assert_true(reader.cap <= 4 * PROTOCOL_LINE);
    line_reader_fini(&reader);
    fclose(file);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_send),
        cmocka_unit_test(test_settings_round_trip),
        cmocka_unit_test(test_settings_refused),
        cmocka_unit_test(test_device),
        cmocka_unit_test(test_orders),
        cmocka_unit_test(test_orders_refused),
        cmocka_unit_test(test_reader),
        cmocka_unit_test(test_reader_bounds),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
