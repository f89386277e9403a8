/*
 * test_compare_view.c - which rows of a comparison are shown, in which order, how wide.
 */
#include "profiles.h"

#include "tui/compare/compare_view.h"

#define TODAY 20778 /* 2026-11-21 */

struct fixture {
    struct planner *planner;
    struct comparison *comparison;
    struct compare_view view;
};

static struct fixture make(void)
{
    static const char *const gpus[] = {"l40s",   "h100-sxm",     "a100-pcie-80",
                                       "mi300x", "p100-sxm2-16", "rtx-4090"};
    struct fixture f = {0};
    struct gp_err err = {0};
    struct options options = {0};
    f.planner = planner_new(source_path("tests/fixtures/catalogue"), TODAY, NULL);
    options_text(&options, OPT_MODEL, "--model", "llama-3.1-70b", &err);
    options_text(&options, OPT_USERS, "--users", "16", &err);
    for (size_t i = 0; i < sizeof(gpus) / sizeof(gpus[0]); i++)
        options_text(&options, OPT_GPU, "--gpu", gpus[i], &err);
    assert_int_equal(comparison_begin(f.planner, &options, &f.comparison, &err), GP_OK);
    compare_view_init(&f.view);
    compare_view_begin(&f.view, f.comparison);
    return f;
}

static struct fixture make_whole(void)
{
    struct fixture f = make();
    comparison_step(f.comparison, 1000);
    compare_view_update(&f.view);
    assert_true(f.view.complete);
    return f;
}

static void drop(struct fixture *f)
{
    compare_view_fini(&f->view);
    comparison_free(f->comparison);
    planner_free(f->planner);
}

static double number(const struct compare_view *view, size_t i, const char *fact)
{
    const struct fact *f = record_find(&compare_view_row(view, i)->facts, fact);
    assert_non_null(f);
    return f->known ? f->number.value : -1;
}

static enum verdict verdict(const struct compare_view *view, size_t i)
{
    return compare_view_row(view, i)->compared->plan.verdict;
}

static bool spans(const struct compare_view *view, size_t i)
{
    return plan_spans(&compare_view_row(view, i)->compared->plan);
}

static size_t count(struct compare_view *view, const char *filter)
{
    struct gp_err err = {0};
    assert_int_equal(compare_view_filter(view, filter, &err), GP_OK);
    return view->shown_count;
}

/* Rows appear as they are planned; at the end they are those of the command, sorted. */
static void test_grows(void **state)
{
    struct fixture f = make();
    (void)state;
    compare_view_update(&f.view);
    assert_int_equal(f.view.shown_count, 0);
    comparison_step(f.comparison, 5);
    compare_view_update(&f.view);
    assert_int_equal(f.view.shown_count, 5);
    assert_false(f.view.complete);
    while (comparison_step(f.comparison, 1))
        compare_view_update(&f.view);
    compare_view_update(&f.view);
    assert_true(f.view.complete);
    assert_int_equal(f.view.shown_count, comparison_total(f.comparison));
    for (size_t i = 0; i < f.view.shown_count; i++)
        assert_ptr_equal(compare_view_row(&f.view, i)->compared, comparison_row(f.comparison, i));
    drop(&f);
}

/* Every column, both ways: what does not fit is last, what is not known behind what is.
 */
static void test_sort(void **state)
{
    struct fixture f = make_whole();
    (void)state;
    for (int c = 0; c < 2 * COLUMN_COUNT; c++) {
        const struct compare_column_row *column = &compare_columns[c / 2];
        bool down = column->descends != (c % 2 == 1);
        compare_view_sort(&f.view, (enum compare_column)(c / 2), c % 2 == 1);
        assert_int_equal(f.view.shown_count, f.view.count);
        for (size_t i = 1; i < f.view.shown_count; i++) {
            assert_true(verdict(&f.view, i - 1) <= verdict(&f.view, i));
            bool cost = c / 2 == COLUMN_HOUR || c / 2 == COLUMN_MONTH;
            if (!column->right || verdict(&f.view, i - 1) != verdict(&f.view, i))
                continue;
            if (cost && spans(&f.view, i - 1) != spans(&f.view, i)) {
                assert_true(spans(&f.view, i)); /* several machines: last */
                continue;
            }
            double a = number(&f.view, i - 1, column->fact);
            double b = number(&f.view, i, column->fact);
            if (a == -1)
                assert_true(b == -1);
            else if (b != -1)
                assert_true(down ? a >= b : a <= b);
        }
    }
    drop(&f);
}

/* Each verdict has a word of its own, which its column holds. */
static void test_verdicts(void **state)
{
    static const char *const words[] = {"fits", "slow", "marginal", "no fit"};
    struct compared compared = {0};
    struct compare_row row = {.compared = &compared};
    struct strbuf cell;
    (void)state;
    strbuf_init(&cell);
    for (int v = VERDICT_FITS; v <= VERDICT_DOES_NOT_FIT; v++) {
        compared.plan.verdict = (enum verdict)v;
        strbuf_clear(&cell);
        compare_view_cell(&row, COLUMN_VERDICT, &cell);
        assert_string_equal(cell.text, words[v]);
    }
    strbuf_fini(&cell);
}

static void test_filter(void **state)
{
    struct fixture f = make_whole();
    struct gp_err err = {0};
    size_t all = f.view.count;
    (void)state;
    assert_int_equal(count(&f.view, "h100"), 3);
    assert_int_equal(count(&f.view, "H100 FP8"), 1);
    assert_int_equal(count(&f.view, "fp8 h100"), 1);
    assert_int_equal(count(&f.view, "!nvidia"), 3);
    assert_int_equal(count(&f.view, "nvidia") + count(&f.view, "amd"), all);
    assert_int_equal(count(&f.view, "  "), all);
    assert_int_equal(count(&f.view, "mem>=40") + count(&f.view, "mem<40"), all);
    assert_int_equal(count(&f.view, "gpus=1 tp=1 pp=1"), count(&f.view, "gpus=1"));
    assert_true(count(&f.view, "$<10 fits") > 0);
    for (size_t i = 0; i < f.view.shown_count; i++) {
        assert_int_equal(verdict(&f.view, i), VERDICT_FITS);
        assert_true(number(&f.view, i, "per_hour") < 10);
    }
    assert_true(count(&f.view, "front") > 0);
    assert_true(count(&f.view, "fits") < all); /* "does-not-fit" is not "fits" */
    assert_int_equal(count(&f.view, "no-such-thing"), 0);
    assert_int_equal(compare_view_filter(&f.view, "mem>=much", &err), GP_E_USAGE);
    assert_int_equal(compare_view_filter(&f.view, "speed>1", &err), GP_E_USAGE);
    assert_non_null(strstr(err.hint, "weights"));
    assert_int_equal(compare_view_filter(&f.view, "mem>=", &err), GP_E_USAGE);
    assert_string_equal(f.view.filter, "no-such-thing"); /* nothing changed */
    drop(&f);
}

/* A filter never takes longer words than it has room for. */
static void test_long_filter(void **state)
{
    struct fixture f = make_whole();
    struct gp_err err = {0};
    char text[400];
    (void)state;
    memset(text, 'x', sizeof(text));
    text[sizeof(text) - 1] = '\0';
    assert_int_equal(compare_view_filter(&f.view, text, &err), GP_E_USAGE);
    text[100] = '\0';
    assert_int_equal(compare_view_filter(&f.view, text, &err), GP_E_USAGE);
    text[60] = '\0';
    assert_int_equal(compare_view_filter(&f.view, text, &err), GP_OK);
    drop(&f);
}

static void test_marks(void **state)
{
    struct fixture f = make_whole();
    char last[COMPARE_KEY], first[COMPARE_KEY];
    (void)state;
    size_t end = f.view.shown_count - 1;
    gp_copy(first, sizeof(first), compare_view_row(&f.view, 0)->key);
    gp_copy(last, sizeof(last), compare_view_row(&f.view, end)->key);
    compare_view_mark(&f.view, last);
    assert_string_equal(compare_view_row(&f.view, 0)->key, last);
    assert_int_equal(compare_view_find(&f.view, first), 1);
    assert_int_equal(count(&f.view, "marked"), 1);
    assert_int_equal(compare_view_find(&f.view, first), f.view.shown_count);
    count(&f.view, "");
    compare_view_begin(&f.view, f.comparison); /* marks outlive the rows */
    compare_view_update(&f.view);
    assert_string_equal(compare_view_row(&f.view, 0)->key, last);
    compare_view_mark(&f.view, last);
    assert_string_equal(compare_view_row(&f.view, end)->key, last);
    drop(&f);
}

/* GPU, verdict, count and price stay however narrow; what sorts stays before the rest.
 */
static void test_columns(void **state)
{
    struct fixture f = make_whole();
    enum compare_column out[COLUMN_COUNT];
    int gpu, before = 0;
    (void)state;
    for (int cols = 20; cols < 200; cols++) {
        int n = compare_view_columns(&f.view, cols, out, &gpu), used = 0, always = 0;
        for (int i = 0; i < n; i++) {
            used += (i ? 2 : 0) + (out[i] == COLUMN_GPU ? gpu : f.view.width[out[i]]);
            always += compare_columns[out[i]].rank == 0;
            assert_true(i == 0 || out[i - 1] < out[i]);
        }
        assert_int_equal(always, 4);
        assert_true(cols < 37 || used <= cols);
        assert_true(n >= before);
        before = n;
    }
    assert_int_equal(before, COLUMN_COUNT);
    compare_view_sort(&f.view, COLUMN_MONTH, false);
    int n = compare_view_columns(&f.view, 70, out, &gpu);
    bool month = false;
    for (int i = 0; i < n; i++)
        month |= out[i] == COLUMN_MONTH;
    assert_true(month);
    drop(&f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_grows),    cmocka_unit_test(test_sort),
        cmocka_unit_test(test_filter),   cmocka_unit_test(test_long_filter),
        cmocka_unit_test(test_marks),    cmocka_unit_test(test_columns),
        cmocka_unit_test(test_verdicts),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
