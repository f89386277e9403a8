/* test_trace.c - logs of requests: both forms, what is refused with its line, lengths. */
#include "catalog/trace.h"

#include <math.h>

#include "base/str.h"
#include "plan/request.h"
#include "unit.h"

static enum gp_status parse(const char *text, struct trace *t, struct gp_err *err)
{
    memset(err, 0, sizeof(*err));
    return trace_parse("t.csv", text, strlen(text), t, err);
}

static void parsed(const char *text, struct trace *t)
{
    struct gp_err err;
    if (parse(text, t, &err) != GP_OK)
        fail_msg("%s: %s", err.where, err.text);
}

static void test_azure(void **state)
{
    struct trace t;
    struct spread s;
    double prompt, output;

    (void)state;
    parsed("TIMESTAMP,ContextTokens,GeneratedTokens\n"
           "2023-11-16 18:17:03.5,100,10\n"
           "2023-11-16 18:17:04.5,300,30\r\n"
           "2023-11-16T18:19:03.5,200,20",
           &t);
    assert_int_equal(t.count, 3);
    assert_near(t.seconds, 120, 1e-6);
    assert_near(t.rate, 3 / 120.0, 1e-9);
    assert_near(t.busiest, 2 / 60.0, 1e-9);
    assert_near(t.longest, 330, 0);
    assert_true(trace_lengths(&t, 1000, &prompt, &output, &s));
    assert_near(prompt, 200, 1e-9);
    assert_near(output, 20, 1e-9);
    assert_near(s.prompt, sqrt(2 / 3.0) / 2, 1e-9);
    assert_near(s.both, 14000 / 3.0 / 4000 - 1, 1e-9); /* they go together */
    assert_near(s.middle, 1, 1e-9);
    assert_near(s.beyond, 0, 0);
    /* E[(P + O/2) * O] / E[O]: each counts by its output */
    assert_near(spread_held(&s, prompt, output), (105 * 10 + 210 * 20 + 315 * 30) / 60.0, 1e-9);
    assert_true(trace_lengths(&t, 220, &prompt, &output, &s));
    assert_near(prompt, 150, 1e-9);
    assert_near(s.beyond, 1 / 3.0, 1e-9);
    assert_false(trace_lengths(&t, 109, &prompt, &output, &s));
    trace_fini(&t);
}

/* Columns in any order, more of them, failed requests, zones, no times at all. */
static void test_forms(void **state)
{
    struct trace t;

    (void)state;
    parsed("Model,Session ID,Response tokens,Request tokens,Timestamp,Log Type\n"
           "GPT-4,7,5,40,0,API log\n"
           "GPT-4,7,0,40,3,API log\n"
           "\"GPT-4\",8,15,60,45.5,\"Conversation, log\"\n",
           &t);
    assert_int_equal(t.count, 2);
    assert_int_equal(t.failed, 1);
    assert_near(t.seconds, 45.5, 1e-9);
    assert_near(t.busiest, t.rate, 1e-12); /* shorter than a minute */
    trace_fini(&t);
    parsed("timestamp,contexttokens,generatedtokens\n"
           "2024-05-10 23:59:59+00:00,1,1\n2024-05-11 02:00:00.25+02:00,1,1\n",
           &t);
    assert_near(t.seconds, 1.25, 1e-6);
    trace_fini(&t);
    parsed("ContextTokens,GeneratedTokens\n5,6\n", &t);
    assert_near(t.rate, 0, 0);
    assert_near(t.busiest, 0, 0);
    trace_fini(&t);
    parsed("TIMESTAMP,ContextTokens,GeneratedTokens\n9,5,6\n9,5,6\n", &t);
    assert_near(t.rate, 0, 0); /* at one moment: no rate */
    assert_false(t.priorities);
    trace_fini(&t);
    parsed("ContextTokens,GeneratedTokens,Priority\n5,6,-3\n5,6,\n", &t);
    assert_true(t.priorities);
    assert_int_equal(t.row[0].priority, -3);
    assert_int_equal(t.row[1].priority, PRIORITY_UNTOLD);
    trace_fini(&t);
    parsed("{\"prompt\": 5, \"output\": 6}\n{\"prompt\": 5, \"output\": 6, \"priority\": 7}\n", &t);
    assert_int_equal(t.row[0].priority, PRIORITY_UNTOLD);
    assert_int_equal(t.row[1].priority, 7);
    trace_fini(&t);
}

static void test_refused(void **state)
{
    static const struct {
        const char *text, *where, *what;
    } cases[] = {
        {"", "t.csv:1", "is not a trace"},
        {"a,b,c\n1,2,3\n", "t.csv:1", "is not a trace"},
        {"TIMESTAMP,ContextTokens\n1,2\n", "t.csv:1", "is not a trace"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n", "t.csv", "holds no request"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,0,5\n", "t.csv", "holds no request"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,2\n", "t.csv:2", "fields"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,2,3\n1,2,x\n", "t.csv:3",
         "GeneratedTokens: 'x' is not a number of tokens"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,-2,3\n", "t.csv:2", "'-2'"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,2.5,3\n", "t.csv:2", "'2.5'"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,1e10,3\n", "t.csv:2", "'1e10'"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,nan,3\n", "t.csv:2", "'nan'"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\nnoon,2,3\n", "t.csv:2", "'noon'"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n-1,2,3\n", "t.csv:2", "'-1'"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-02-30 10:00:00,2,3\n", "t.csv:2",
         "is not a date and time"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-02-20 24:00:00,2,3\n", "t.csv:2",
         "is not a date and time"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n2023-02-20 10:00:inf,2,3\n", "t.csv:2",
         "is not a date and time"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens,priority\n1,2,3,\n1,2,3,high\n", "t.csv:3",
         "priority: 'high' is not a whole number"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens,priority\n1,2,3,1e10\n", "t.csv:2", "'1e10'"},
        {"{\"prompt\": 1, \"output\": 1, \"priority\": 0.5}\n", "t.csv:1",
         "priority is not a whole number"},
        {"{\"prompt\": 1, \"output\": 1, \"priority\": \"high\"}\n", "t.csv:1",
         "priority is not a whole number"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,\"2,3\n", "t.csv:2", "never closed"},
        {"TIMESTAMP,ContextTokens,GeneratedTokens\n1,\"2\"3,4\n", "t.csv:2",
         "text follows a closing quote"},
    };

    (void)state;
    for (size_t i = 0; i < sizeof(cases) / sizeof(cases[0]); i++) {
        struct trace t;
        struct gp_err err;
        assert_int_equal(parse(cases[i].text, &t, &err), GP_E_FILE);
        assert_string_equal(err.where, cases[i].where);
        if (!strstr(err.text, cases[i].what))
            fail_msg("'%s' is not in '%s'", cases[i].what, err.text);
        assert_null(t.row);
    }
}

/* ---- means and standard deviations ---- */

static void test_spread(void **state)
{
    struct spread s = spread_of(1024, 1024, 256, 256, 8192), none;

    (void)state;
    assert_near(s.prompt, 1, 1e-12);
    assert_near(s.late * 1024, 2848, 0.5); /* the example of lengths.h */
    assert_near(spread_held(&s, 1024, 256), 1280, 1e-9);
    assert_near(spread_square(&s), 2, 1e-12);
    assert_true(s.beyond > 0.001 && s.beyond < 0.02);
    none = spread_of(1024, 0, 256, 0, 8192);
    assert_near(none.prompt + none.output + none.both + none.beyond, 0, 0);
    assert_near(none.late, 1, 0);
    assert_near(none.middle, 1, 0);
    assert_near(spread_held(&none, 1024, 256), 1152, 0);
    for (int i = 0; i < 300; i++) { /* more spread, longer 95th percentile */
        struct spread less = spread_of(1000, i * 10, 100, 0, 1e9);
        struct spread more = spread_of(1000, i * 10 + 10, 100, 0, 1e9);
        assert_true(more.late >= less.late && more.middle < less.middle);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_azure),
        cmocka_unit_test(test_forms),
        cmocka_unit_test(test_refused),
        cmocka_unit_test(test_spread),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
