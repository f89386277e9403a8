/* test_serverbench.c - results of engines' own benchmarks: each form, and what is refused. */
#include "logs/read/serverbench.h"

#include <string.h>

#include "base/str.h"
#include "unit.h"

static enum gp_status parse(const char *text, struct serverbench *out, struct gp_err *err)
{
    char copy[4096];
    memset(out, 0, sizeof(*out));
    memset(err, 0, sizeof(*err));
    assert_true(gp_copy(copy, sizeof(copy), text));
    return serverbench_parse("b.json", copy, strlen(copy), out, err);
}

static void parsed(const char *text, struct serverbench *out)
{
    struct gp_err err;
    if (parse(text, out, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
}

#define RUN                                                                             \
    "\"completed\": 64, \"total_input_tokens\": 64000, \"total_output_tokens\": 6400, " \
    "\"mean_ttft_ms\": 300, \"mean_tpot_ms\": 25, \"duration\": 40"

static void test_server(void **state)
{
    struct serverbench b;

    (void)state;
    parsed("{\"request_rate\": \"inf\", \"max_concurrency\": 16, \"itls\": [[NaN]], " RUN "}", &b);
    assert_int_equal(b.count, 1);
    assert_near(b.point[0].users, 16, 0);
    assert_near(b.point[0].prompt, 1000, 0);
    assert_near(b.point[0].output, 100, 0);
    assert_near(b.point[0].tpot, 0.025, 1e-12);
    assert_near(b.point[0].ttft, 0.3, 1e-12);
    parsed("{\n  \"max_concurrency\": 128,\n  " RUN "\n}\n", &b);
    assert_near(b.point[0].users, 64, 0); /* no more than there were requests */
    /* at a rate: 64 * (0.3 + 99 * 0.025) s in 40 s */
    parsed("{\"request_rate\": 1.6, \"max_concurrency\": null, " RUN "}", &b);
    assert_near(b.point[0].users, 64 * 2.775 / 40, 1e-9);
    /* SGLang's lines, with Python's Infinity, its own latency, and a text that is none */
    parsed("{\"request_rate\": Infinity, \"max_concurrency\": 4, " RUN "}\n\n"
           "{\"note\": \"Infinity\\\" NaN\", \"request_rate\": 2.0, "
           "\"mean_e2e_latency_ms\": 5000, " RUN "}\n",
           &b);
    assert_int_equal(b.count, 2);
    assert_near(b.point[0].users, 4, 0);
    assert_near(b.point[1].users, 8, 1e-9);
}

static void test_llama_bench(void **state)
{
    struct serverbench b;

    (void)state;
    parsed("[{\"n_prompt\": 512, \"n_gen\": 0, \"avg_ts\": 2048},\n"
           " {\"n_prompt\": 0, \"n_gen\": 128, \"n_depth\": 4096, \"avg_ts\": 50},\n"
           " {\"n_prompt\": 512, \"n_gen\": 128, \"avg_ts\": 90}]\n",
           &b);
    assert_int_equal(b.count, 2);
    assert_near(b.point[0].ttft, 0.25, 1e-12);
    assert_near(b.point[0].tpot, 0, 0);
    assert_near(b.point[1].prompt, 4096, 0);
    assert_near(b.point[1].output, 128, 0);
    assert_near(b.point[1].tpot, 0.02, 1e-12);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *where, *says;
    } bad[] = {
        {"", "b.json", "no measured point"},
        {"[]", "b.json", "no measured point"},
        {"{}", "b.json", "mean_tpot_ms"},
        {"[3]", "b.json", "mean_tpot_ms"},
        {"{\"mean_tpot_ms\": \"fast\"}", "b.json", "completed"},
        {"{\"max_concurrency\": 4, " RUN "", "b.json", "}"},
        {"{\"mean_tpot_ms\": 20, \"completed\": 0, \"total_input_tokens\": 1, "
         "\"total_output_tokens\": 1}",
         "b.json", "no request"},
        {"{\"mean_tpot_ms\": 20, \"completed\": 4, \"total_input_tokens\": 1, "
         "\"total_output_tokens\": 1}",
         "b.json", "users are not known"},
        {"{\"mean_tpot_ms\": -20, \"completed\": 4, \"total_input_tokens\": 1, "
         "\"total_output_tokens\": 1}",
         "b.json", "mean_tpot_ms"},
        {"[{\"n_gen\": 128, \"avg_ts\": 0}]", "b.json", "avg_ts"},
        {"{\"max_concurrency\": 4, " RUN "}\n{\"x\": 1}\n", "line 2", "mean_tpot_ms"},
    };
    struct serverbench b;
    struct gp_err err;

    (void)state;
    for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        enum gp_status status = parse(bad[i].text, &b, &err);
        if (status != GP_E_FILE || !strstr(err.where, bad[i].where) ||
            (!strstr(err.text, bad[i].says) && !strstr(err.where, bad[i].says)))
            fail_msg("%s: %d, %s: %s", bad[i].text, status, err.where, err.text);
    }
}

static void test_too_many(void **state)
{
    static char text[(ANCHORS_MAX + 1) * 40];
    struct serverbench b = {.count = 0};
    struct gp_err err;

    (void)state;
    for (int i = 0; i <= ANCHORS_MAX; i++)
        strcat(text, "{\"n_gen\": 8, \"avg_ts\": 50}\n");
    assert_int_equal(serverbench_parse("b", text, strlen(text), &b, &err), GP_E_FILE);
    assert_int_equal(b.count, ANCHORS_MAX);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server),
        cmocka_unit_test(test_llama_bench),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
