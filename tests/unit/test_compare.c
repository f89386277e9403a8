/*
 * test_compare.c - order and front of compared plans.
 */
#include "unit.h"

#include "base/str.h"
#include "plan/compare.h"

#define ROWS 6

struct fixture {
    struct gpu gpu[ROWS];
    struct compared item[ROWS];
    struct compared *rows[ROWS];
};

static void row(struct fixture *f, int i, const char *id, enum verdict verdict, double per_hour,
                double held, int gpus)
{
    struct plan *p = &f->item[i].plan;
    gp_copy(f->gpu[i].id, sizeof(f->gpu[i].id), id);
    f->gpu[i].physical = quantity_exact((double)(i + 1));
    p->request.gpu = &f->gpu[i];
    p->verdict = verdict;
    p->has_memory = true;
    p->cost.per_hour = per_hour;
    p->layout.replicas = 1;
    p->layout.gpus = gpus;
    p->memory.max_concurrency = p->memory.holds_load = quantity_exact(held);
    f->rows[i] = &f->item[i];
}

static struct fixture *make(void)
{
    struct fixture *f = calloc(1, sizeof(*f));
    assert_non_null(f);
    row(f, 0, "none", VERDICT_DOES_NOT_FIT, 1, 90, 1);
    row(f, 1, "dear", VERDICT_FITS, 4, 60, 4);
    row(f, 2, "poor", VERDICT_FITS, 3, 20, 2); /* dearer than `cheap`, holds less */
    row(f, 3, "cheap", VERDICT_FITS, 2, 30, 3);
    row(f, 4, "unpriced", VERDICT_FITS, 0, 80, 1);
    row(f, 5, "maybe", VERDICT_MARGINAL, 0.5, 70, 1);
    return f;
}

static void assert_order(const struct fixture *f, const char *wanted)
{
    char got[200] = "";
    for (int i = 0; i < ROWS; i++) {
        size_t n = strlen(got);
        gp_format(got + n, sizeof(got) - n, "%s%s", i ? " " : "", f->rows[i]->plan.request.gpu->id);
    }
    assert_string_equal(got, wanted);
}

static void test_front(void **state)
{
    struct fixture *f = make();
    (void)state;
    compare_front(f->rows, ROWS);
    assert_false(f->item[0].front); /* does not fit */
    assert_true(f->item[1].front);
    assert_false(f->item[2].front); /* beaten in both */
    assert_true(f->item[3].front);
    assert_false(f->item[4].front); /* no price */
    assert_false(f->item[5].front); /* may not fit */
    free(f);
}

static void test_front_keeps_equals(void **state)
{
    struct fixture *f = make();
    (void)state;
    row(f, 2, "same", VERDICT_FITS, 2, 30, 3);
    compare_front(f->rows, ROWS);
    assert_true(f->item[2].front);
    assert_true(f->item[3].front);
    free(f);
}

/* Against the definition, on many small sets with ties. */
static void test_front_is_what_it_says(void **state)
{
    unsigned seed = 1;
    (void)state;
    for (int round = 0; round < 500; round++) {
        struct fixture *f = make();
        for (int i = 0; i < ROWS; i++) {
            seed = seed * 1103515245u + 12345u;
            row(f, i, "gpu", VERDICT_FITS, 1 + (seed >> 16) % 4, (seed >> 20) % 4, 1);
        }
        compare_front(f->rows, ROWS);
        for (int i = 0; i < ROWS; i++) {
            bool beaten = false;
            for (int k = 0; k < ROWS; k++) {
                const struct plan *a = &f->item[k].plan, *b = &f->item[i].plan;
                double more = compare_capacity(a) - compare_capacity(b);
                double less = b->cost.per_hour - a->cost.per_hour;
                beaten |= more >= 0 && less >= 0 && (more > 0 || less > 0);
            }
            assert_int_equal(f->item[i].front, !beaten);
        }
        free(f);
    }
}

static void test_order(void **state)
{
    struct fixture *f = make();
    (void)state;
    compare_sort(f->rows, ROWS, COMPARE_COST);
    assert_order(f, "cheap poor dear unpriced maybe none");
    compare_sort(f->rows, ROWS, COMPARE_GPUS);
    assert_order(f, "unpriced poor cheap dear maybe none");
    compare_sort(f->rows, ROWS, COMPARE_MEMORY); /* 5, 3x2, 4x3, 2x4 */
    assert_order(f, "unpriced poor dear cheap maybe none");
    compare_sort(f->rows, ROWS, COMPARE_NAME);
    assert_order(f, "cheap dear maybe none poor unpriced");
    free(f);
}

static void test_capacity(void **state)
{
    struct fixture *f = make();
    struct plan *p = &f->item[1].plan;
    (void)state;
    p->layout.replicas = 3;
    assert_near(compare_capacity(p), 180, 0);
    p->has_memory = false;
    assert_near(compare_capacity(p), 0, 0);
    free(f);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_front),
        cmocka_unit_test(test_front_keeps_equals),
        cmocka_unit_test(test_front_is_what_it_says),
        cmocka_unit_test(test_order),
        cmocka_unit_test(test_capacity),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
