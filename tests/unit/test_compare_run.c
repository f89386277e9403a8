/*
 * test_compare_run.c - a comparison in steps is the comparison in one go.
 */
#include "profiles.h"

#include "answer/compare_run.h"
#include "base/str.h"

#define TODAY 20778 /* 2026-11-21 */

static struct planner *make_planner(void)
{
    return planner_new(source_path("profiles"), TODAY, NULL);
}

static void ask_for(struct options *options, const char *model, const char *users)
{
    struct gp_err err = {0};
    memset(options, 0, sizeof(*options));
    assert_int_equal(options_text(options, OPT_MODEL, "--model", model, &err), GP_OK);
    assert_int_equal(options_text(options, OPT_USERS, "--users", users, &err), GP_OK);
}

static void add(struct options *options, enum option_id id, const char *text)
{
    struct gp_err err = {0};
    assert_int_equal(options_text(options, id, "option", text, &err), GP_OK);
}

static void whole(struct planner *planner, const struct options *options, struct strbuf *out)
{
    struct record doc;
    struct gp_err err = {0};
    bool fits;
    record_init(&doc);
    assert_int_equal(report_compare(planner, options, &doc, &fits, &err), GP_OK);
    record_json(&doc, out);
    record_fini(&doc);
}

static void stepped(struct planner *planner, const struct options *options, size_t rows,
                    struct strbuf *out)
{
    struct comparison *c = NULL;
    struct record doc;
    struct gp_err err = {0};
    size_t done = 0;
    assert_int_equal(comparison_begin(planner, options, &c, &err), GP_OK);
    assert_int_equal(comparison_done(c), 0);
    while (comparison_step(c, rows)) {
        assert_int_equal(comparison_done(c), done + rows);
        done += rows;
    }
    assert_int_equal(comparison_done(c), comparison_total(c));
    assert_false(comparison_step(c, rows)); /* nothing is planned twice */
    assert_int_equal(comparison_done(c), comparison_total(c));
    size_t total = comparison_total(c);
    const struct compared **all = calloc(total, sizeof(*all));
    assert_non_null(all);
    for (size_t i = 0; i < total; i++)
        all[i] = comparison_row(c, i);
    record_init(&doc);
    comparison_record(c, all, total, 0, NULL, "", &doc);
    record_json(&doc, out);
    record_fini(&doc);
    free(all);
    comparison_free(c);
}

static void assert_same(const struct options *options)
{
    static const size_t steps[] = {1, 7, 1000};
    struct planner *planner = make_planner();
    struct strbuf once, often;
    strbuf_init(&once);
    strbuf_init(&often);
    whole(planner, options, &once);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        strbuf_clear(&often);
        stepped(planner, options, steps[i], &often);
        assert_string_equal(once.text, often.text);
    }
    assert_non_null(strstr(once.text, "\"front\": true"));
    strbuf_fini(&once);
    strbuf_fini(&often);
    planner_free(planner);
}

static void test_all_gpus(void **state)
{
    struct options options;
    (void)state;
    ask_for(&options, "llama-3.1-70b", "16");
    assert_same(&options);
}

static void test_some(void **state)
{
    struct options options;
    (void)state;
    ask_for(&options, "qwen3-30b-a3b", "4");
    add(&options, OPT_GPU, "l40s");
    add(&options, OPT_GPU, "h100-sxm:2");
    add(&options, OPT_GPU, "a100-sxm-80/3g.40gb");
    add(&options, OPT_PRECISION, "bf16");
    add(&options, OPT_PRECISION, "native"); /* the same */
    add(&options, OPT_PRECISION, "q4_k_m"); /* another engine */
    add(&options, OPT_SORT, "gpus");
    assert_same(&options);
}

/* Two precisions that are one, a count of its own, rows in the order of planning. */
static void test_rows(void **state)
{
    struct planner *planner = make_planner();
    struct comparison *c = NULL;
    struct gp_err err = {0};
    struct options options;
    (void)state;
    ask_for(&options, "llama-3.1-8b", "1");
    add(&options, OPT_GPU, "l40s");
    add(&options, OPT_GPU, "h100-sxm:2");
    add(&options, OPT_PRECISION, "native");
    add(&options, OPT_PRECISION, "bf16");
    assert_int_equal(comparison_begin(planner, &options, &c, &err), GP_OK);
    assert_int_equal(comparison_total(c), 2);
    assert_true(comparison_step(c, 1));
    assert_string_equal(comparison_row(c, 0)->plan.request.gpu->id, "l40s");
    assert_false(comparison_row(c, 0)->front); /* not known before the end */
    assert_false(comparison_step(c, 1));
    assert_int_equal(comparison_load(c)->request.users, 1);
    comparison_free(c);
    planner_free(planner);
}

/* The words of text as options; they stay in `words`. */
static void take(struct options *options, const char *text, char *words, size_t size)
{
    char *rest;
    gp_copy(words, size, text);
    for (char *name = strtok_r(words, " ", &rest); name; name = strtok_r(NULL, " ", &rest))
        add(options, (enum option_id)option_find(name + 2), strtok_r(NULL, " ", &rest));
}

/* A row taken into a plan is that plan. */
static void assert_is_plan(struct planner *planner, struct options options,
                           const struct comparison *c, const struct compared *row)
{
    struct resolved r;
    struct gp_err err = {0};
    struct strbuf given;
    struct plan plan;
    char words[200];
    const struct plan *want = &row->plan;
    strbuf_init(&given);
    comparison_options(c, row, &given);
    take(&options, given.text, words, sizeof(words));
    assert_int_equal(planner_resolve(planner, &options, NULL, NULL, NULL, &r, &err), GP_OK);
    planner_plan(planner, &r, &plan);
    assert_int_equal(plan.verdict, want->verdict);
    assert_int_equal(plan.limit, want->limit);
    assert_int_equal(plan.layout.gpus, want->layout.gpus);
    assert_int_equal(plan.layout.tp, want->layout.tp);
    assert_int_equal(plan.layout.pp, want->layout.pp);
    assert_int_equal(plan.layout.replicas, want->layout.replicas);
    assert_int_equal(plan.has_memory, want->has_memory);
    assert_near(plan.memory.kv_pool.value, want->memory.kv_pool.value, 0);
    assert_near(plan.cost.per_hour, want->cost.per_hour, 0);
    strbuf_fini(&given);
}

static void test_rows_are_plans(void **state)
{
    static const char *const models[] = {"llama-3.1-70b", "deepseek-v3", "qwen2.5-0.5b"};
    struct planner *planner = make_planner();
    (void)state;
    for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
        struct comparison *c = NULL;
        struct gp_err err = {0};
        struct options options;
        ask_for(&options, models[m], "48");
        assert_int_equal(comparison_begin(planner, &options, &c, &err), GP_OK);
        comparison_step(c, comparison_total(c));
        for (size_t i = 0; i < comparison_done(c); i++)
            assert_is_plan(planner, options, c, comparison_row(c, i));
        comparison_free(c);
    }
    planner_free(planner);
}

static void test_errors(void **state)
{
    struct planner *planner = make_planner();
    struct comparison *c = NULL;
    struct gp_err err = {0};
    struct options options = {0};
    (void)state;
    assert_int_equal(comparison_begin(planner, &options, &c, &err), GP_E_USAGE);
    assert_string_equal(err.where, "--model");
    ask_for(&options, "llama-3.1-8b", "1");
    add(&options, OPT_PRECISION, "fp9");
    assert_int_equal(comparison_begin(planner, &options, &c, &err), GP_E_USAGE);
    assert_null(c);
    comparison_free(c);
    planner_free(planner);
}

static size_t rows_of_all(struct planner *planner, const char *precision)
{
    struct comparison *c = NULL;
    struct gp_err err = {0};
    struct options options;
    size_t n;
    ask_for(&options, "llama-3.1-8b", "1");
    if (precision)
        add(&options, OPT_PRECISION, precision);
    assert_int_equal(comparison_begin_all(planner, &options, &c, &err), GP_OK);
    n = comparison_total(c);
    comparison_free(c);
    return n;
}

/* All GPUs and formats: the format that is asked for is one of them, once. */
static void test_all_with_own(void **state)
{
    struct planner *planner = make_planner();
    size_t usual = rows_of_all(planner, NULL);
    (void)state;
    assert_int_equal(rows_of_all(planner, "fp8"), usual);
    assert_int_equal(rows_of_all(planner, "int8"), usual / 3 * 4);
    planner_free(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_gpus), cmocka_unit_test(test_some),
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_rows_are_plans),
        cmocka_unit_test(test_errors),   cmocka_unit_test(test_all_with_own),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
