/*
 * test_compare_run.c - a comparison in steps is the comparison in one go.
 */
#include "profiles.h"

#include "data/compare_run.h"
#include "data/sheet_plan.h"
#include "util/str.h"

#define TODAY 20778 /* 2026-11-21 */

static struct planner *make_planner(void)
{
    return planner_new(source_path("profiles"), TODAY, NULL);
}

static void ask_for(struct ask *ask, const char *model, const char *users)
{
    struct gp_err err = {0};
    memset(ask, 0, sizeof(*ask));
    assert_int_equal(ask_text(ask, OPT_MODEL, "--model", model, &err), GP_OK);
    assert_int_equal(ask_text(ask, OPT_USERS, "--users", users, &err), GP_OK);
}

static void add(struct ask *ask, enum option_id id, const char *text)
{
    struct gp_err err = {0};
    assert_int_equal(ask_text(ask, id, "option", text, &err), GP_OK);
}

static void whole(struct planner *planner, const struct ask *ask, struct strbuf *out)
{
    struct sheet doc;
    struct gp_err err = {0};
    bool fits;
    sheet_init(&doc);
    assert_int_equal(report_compare(planner, ask, &doc, &fits, &err), GP_OK);
    sheet_json(&doc, out);
    sheet_fini(&doc);
}

static void stepped(struct planner *planner, const struct ask *ask, size_t rows,
                    struct strbuf *out)
{
    struct comparison *c = NULL;
    struct sheet doc;
    struct gp_err err = {0};
    size_t done = 0;
    assert_int_equal(comparison_begin(planner, ask, &c, &err), GP_OK);
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
    sheet_init(&doc);
    comparison_sheet(c, all, total, NULL, "", &doc);
    sheet_json(&doc, out);
    sheet_fini(&doc);
    free(all);
    comparison_free(c);
}

static void assert_same(const struct ask *ask)
{
    static const size_t steps[] = {1, 7, 1000};
    struct planner *planner = make_planner();
    struct strbuf once, often;
    strbuf_init(&once);
    strbuf_init(&often);
    whole(planner, ask, &once);
    for (size_t i = 0; i < sizeof(steps) / sizeof(steps[0]); i++) {
        strbuf_clear(&often);
        stepped(planner, ask, steps[i], &often);
        assert_string_equal(once.text, often.text);
    }
    assert_non_null(strstr(once.text, "\"front\": true"));
    strbuf_fini(&once);
    strbuf_fini(&often);
    planner_free(planner);
}

static void test_all_gpus(void **state)
{
    struct ask ask;
    (void)state;
    ask_for(&ask, "llama-3.1-70b", "16");
    assert_same(&ask);
}

static void test_some(void **state)
{
    struct ask ask;
    (void)state;
    ask_for(&ask, "qwen3-30b-a3b", "4");
    add(&ask, OPT_GPU, "l40s");
    add(&ask, OPT_GPU, "h100-sxm:2");
    add(&ask, OPT_GPU, "a100-sxm-80/3g.40gb");
    add(&ask, OPT_PRECISION, "bf16");
    add(&ask, OPT_PRECISION, "native"); /* the same */
    add(&ask, OPT_PRECISION, "q4_k_m"); /* another engine */
    add(&ask, OPT_SORT, "gpus");
    assert_same(&ask);
}

/* Two precisions that are one, a count of its own, rows in the order of planning. */
static void test_rows(void **state)
{
    struct planner *planner = make_planner();
    struct comparison *c = NULL;
    struct gp_err err = {0};
    struct ask ask;
    (void)state;
    ask_for(&ask, "llama-3.1-8b", "1");
    add(&ask, OPT_GPU, "l40s");
    add(&ask, OPT_GPU, "h100-sxm:2");
    add(&ask, OPT_PRECISION, "native");
    add(&ask, OPT_PRECISION, "bf16");
    assert_int_equal(comparison_begin(planner, &ask, &c, &err), GP_OK);
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
static void take(struct ask *ask, const char *text, char *words, size_t size)
{
    char *rest;
    gp_copy(words, size, text);
    for (char *name = strtok_r(words, " ", &rest); name;
         name = strtok_r(NULL, " ", &rest))
        add(ask, (enum option_id)option_find(name + 2), strtok_r(NULL, " ", &rest));
}

/* A row taken into a plan is that plan. */
static void assert_is_plan(struct planner *planner, struct ask ask,
                           const struct comparison *c, const struct compared *row)
{
    struct resolved r;
    struct gp_err err = {0};
    struct strbuf options;
    struct plan plan;
    char words[200];
    const struct plan *want = &row->plan;
    strbuf_init(&options);
    comparison_options(c, row, &options);
    take(&ask, options.text, words, sizeof(words));
    assert_int_equal(planner_resolve(planner, &ask, NULL, NULL, NULL, &r, &err), GP_OK);
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
    strbuf_fini(&options);
}

static void test_rows_are_plans(void **state)
{
    static const char *const models[] = {"llama-3.1-70b", "deepseek-v3",
                                         "qwen2.5-0.5b"};
    struct planner *planner = make_planner();
    (void)state;
    for (size_t m = 0; m < sizeof(models) / sizeof(models[0]); m++) {
        struct comparison *c = NULL;
        struct gp_err err = {0};
        struct ask ask;
        ask_for(&ask, models[m], "48");
        assert_int_equal(comparison_begin(planner, &ask, &c, &err), GP_OK);
        comparison_step(c, comparison_total(c));
        for (size_t i = 0; i < comparison_done(c); i++)
            assert_is_plan(planner, ask, c, comparison_row(c, i));
        comparison_free(c);
    }
    planner_free(planner);
}

static void test_errors(void **state)
{
    struct planner *planner = make_planner();
    struct comparison *c = NULL;
    struct gp_err err = {0};
    struct ask ask = {0};
    (void)state;
    assert_int_equal(comparison_begin(planner, &ask, &c, &err), GP_E_USAGE);
    assert_string_equal(err.where, "--model");
    ask_for(&ask, "llama-3.1-8b", "1");
    add(&ask, OPT_PRECISION, "fp9");
    assert_int_equal(comparison_begin(planner, &ask, &c, &err), GP_E_USAGE);
    assert_null(c);
    comparison_free(c);
    planner_free(planner);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_all_gpus), cmocka_unit_test(test_some),
        cmocka_unit_test(test_rows),     cmocka_unit_test(test_rows_are_plans),
        cmocka_unit_test(test_errors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
