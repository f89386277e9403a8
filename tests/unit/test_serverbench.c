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
    assert_near(b.point[0].rate, 1.6, 0);
    assert_false(b.point[0].at_once);
    /* all at once: who waits for the first token does not decode */
    parsed("{\"request_rate\": \"inf\", \"median_tpot_ms\": 24, " RUN "}", &b);
    assert_true(b.point[0].at_once);
    assert_near(b.point[0].users, 64 * 2.475 / 40, 1e-9);
    assert_near(b.point[0].middle_tpot, 0.024, 1e-12);
    assert_near(b.point[0].requests, 64, 0);
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

/* Made up: 8 users, prompts of 1000, answers of 100 tokens, TTFT 0.3 s, TPOT 20 ms, in the words
 * of each tool; ' stands for a quote. */
static void test_forms(void **state)
{
    static const char *const rows[] = {
        "{'benchmarks': [{'metrics': {'request_concurrency': {'successful': {'mean': 8}},"
        "'prompt_token_count': {'successful': {'mean': 1000}},"
        "'output_token_count': {'successful': {'mean': 100}},"
        "'time_to_first_token_ms': {'successful': {'mean': 300}},"
        "'inter_token_latency_ms': {'successful': {'mean': 20}},"
        "'time_per_output_token_ms': {'successful': {'mean': 22.8}}}}]}",
        "{'request_throughput': {'unit': 'requests/sec', 'avg': 4},"
        "'request_latency': {'unit': 'ms', 'avg': 2000},"
        "'time_to_first_token': {'unit': 'ms', 'avg': 300},"
        "'inter_token_latency': {'unit': 'ms', 'avg': 20},"
        "'input_sequence_length': {'unit': 'tokens', 'avg': 1000},"
        "'output_sequence_length': {'unit': 'tokens', 'avg': 100}}",
        "{'load_summary': {'count': 40}, 'successes': {'count': 40, 'latency': {"
        "'request_latency': {'mean': 2}, 'time_to_first_token': {'mean': 0.3},"
        "'time_per_output_token': {'mean': 0.02}}, 'throughput': {'requests_per_sec': 4},"
        "'prompt_len': {'mean': 1000}, 'output_len': {'mean': 100}}}",
        "{'version': '0.2', 'results': {'request_performance': {'aggregate': {'requests': {"
        "'input_length': {'mean': 1000}, 'output_length': {'mean': 100}}, 'latency': {"
        "'time_to_first_token': {'mean': 300}, 'request_latency': {'mean': 2000},"
        "'time_per_output_token': {'units': 'ms/token', 'mean': 20}},"
        "'throughput': {'request_rate': {'mean': 4}}}}}}",
        "{'version': '0.1', 'metrics': {'requests': {"
        "'input_length': {'mean': 1000}, 'output_length': {'mean': 100}}, 'latency': {"
        "'time_to_first_token': {'mean': 0.3}, 'request_latency': {'mean': 2},"
        "'time_per_output_token': {'units': 's/token', 'mean': 0.02}},"
        "'throughput': {'requests_per_sec': 4}}}",
        "[{'isl': 1000, 'osl': 100, 'conc': 8, 'mean_ttft': 0.3, 'mean_tpot': 0.02}]",
        "{'isl': 1000, 'osl': 100, 'conc': 8, 'metrics': {'mean_ttft': 0.3, 'mean_tpot': 0.02}}",
    };
    struct serverbench b;
    char text[1024];

    (void)state;
    for (size_t i = 0; i < sizeof(rows) / sizeof(rows[0]); i++) {
        assert_true(gp_copy(text, sizeof(text), rows[i]));
        for (char *c = text; *c; c++)
            *c = *c == '\'' ? '"' : *c;
        parsed(text, &b);
        assert_int_equal(b.count, 1);
        assert_near(b.point[0].users, 8, 1e-9);
        assert_near(b.point[0].prompt, 1000, 0);
        assert_near(b.point[0].output, 100, 0);
        assert_near(b.point[0].tpot, 0.02, 1e-12);
        assert_near(b.point[0].ttft, 0.3, 1e-12);
    }
}

static void test_llama_table(void **state)
{
    struct serverbench b;

    (void)state;
    parsed(
        "| model | size | params | backend | ngl | test | t/s |\n"
        "| ----- | ---: | -----: | ------- | --: | ---: | --: |\n"
        "| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | pp512 | 2048.00 \u00b1 9.1 |\n"
        "| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | tg128 @ d4096 | 50.00 |\n"
        "| llama 8B Q4_K - Medium | 4.58 GiB | 8.03 B | CUDA | 99 | pp512+tg128 | 90.00 |\n\n"
        "build: 40fa67d01 (5000)\n",
        &b);
    assert_int_equal(b.count, 2);
    assert_near(b.point[0].ttft, 0.25, 1e-12);
    assert_near(b.point[1].prompt, 4096, 0);
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
        {"| model |\n", "b.json", "no measured point"},
        {"| a | tg128 | 0.0 |\n", "line 1", "avg_ts"},
        {"{\"isl\": 0, \"osl\": 1, \"conc\": 8, \"mean_tpot\": 0.02}", "b.json", "isl"},
        {"{\"isl\": 5, \"osl\": 1, \"mean_tpot\": 0.02}", "b.json", "conc"},
        {"{\"isl\": 5, \"osl\": 1, \"conc\": 1e9, \"mean_tpot\": 0.02}", "b.json", "conc"},
        {"{\"isl\": 5, \"osl\": 1, \"conc\": 8, \"mean_tpot\": -1}", "b.json", "mean_tpot"},
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
        cmocka_unit_test(test_server),  cmocka_unit_test(test_llama_bench),
        cmocka_unit_test(test_forms),   cmocka_unit_test(test_llama_table),
        cmocka_unit_test(test_refused), cmocka_unit_test(test_too_many),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
