/*
 * test_sweep.c - a sweep's points are plans, and its end is where plans stop fitting.
 */
#include "sample.h"

#include "plan/sweep.h"

struct fixture {
    struct sample sample;
    struct request *request;
    struct layout layout;
};

static struct fixture llama_on_two(void)
{
    static struct fixture f;

    f.request = sample_request(&f.sample, sample_llama_70b());
    f.request->precision = sample_precision(&sample_fp8);
    f.request->users = 16;
    f.layout = sample_layout(2, 1, 1, 1);
    return f;
}

/* What --plan answers when the layout is given. */
static struct plan plan_of(const struct request *request, const struct layout *layout)
{
    static const struct market none;
    struct request r = *request;
    struct plan plan;

    r.gpu_count = layout->gpus;
    r.tp = layout->tp;
    r.pp = layout->pp;
    r.replicas = layout->replicas;
    plan_request(&r, &none, &plan);
    return plan;
}

static void same(const struct sweep_point *p, const struct plan *plan)
{
    const struct memory *m = &plan->memory;

    assert_int_equal(p->verdict, plan->verdict);
    assert_int_equal(p->limit, plan->limit);
    assert_near(p->weights.value, m->weights.value, 0);
    assert_near(p->activation.value, m->activation.value, 0);
    assert_near(p->runtime.value, m->non_torch.value + m->graphs_charged.value, 0);
    assert_near(p->kv.value, m->kv_reserved.value, 0);
    assert_near(p->pool.value, m->kv_pool.value, 0);
    assert_near(p->free.value, m->free.value, 0);
    assert_near(m->usable.value - sweep_taken(p),
                m->free.value + m->graphs.value - m->graphs_charged.value, 1);
    assert_near(sweep_limit(p), m->budget.value, 1);
    assert_near(sweep_limit(p) - sweep_taken(p), m->kv_pool.value - m->kv_reserved.value, 1);
}

static void points_are_plans(void **state)
{
    struct fixture f = llama_on_two();
    enum sweep all[] = {SWEEP_CONTEXT, SWEEP_USERS};

    (void)state;
    for (int k = 0; k < 2; k++)
        for (double x = 16; x < 5000; x *= 3) {
            struct request r = *f.request;
            struct sweep_point p;
            struct plan plan;

            *(all[k] == SWEEP_CONTEXT ? &r.context : &r.users) = x;
            sweep_at(f.request, &f.layout, all[k], x, &p);
            plan = plan_of(&r, &f.layout);
            same(&p, &plan);
        }
}

static void the_plans_own_point_is_the_plan(void **state)
{
    struct fixture f = llama_on_two();
    struct plan plan = plan_of(f.request, &f.layout);
    struct sweep_point p;

    (void)state;
    sweep_at(f.request, &f.layout, SWEEP_CONTEXT, f.request->context, &p);
    same(&p, &plan);
    sweep_at(f.request, &f.layout, SWEEP_USERS, f.request->users, &p);
    same(&p, &plan);
}

static void kv_grows_and_nothing_shrinks(void **state)
{
    struct fixture f = llama_on_two();
    double x[200], before = 0;
    int count = sweep_values(f.request, SWEEP_CONTEXT, 256, 131072, x, 200);

    (void)state;
    assert_true(count > 100);
    for (int i = 0; i < count; i++) {
        struct sweep_point p;

        sweep_at(f.request, &f.layout, SWEEP_CONTEXT, x[i], &p);
        assert_true(p.known);
        assert_true(sweep_taken(&p) > before);
        before = sweep_taken(&p);
    }
}

static void values_are_whole_ascending_and_between(void **state)
{
    struct fixture f = llama_on_two();
    double x[64];
    int count = sweep_values(f.request, SWEEP_CONTEXT, 256, 8192, x, 64);

    (void)state;
    assert_near(x[0], 256, 0);
    assert_near(x[count - 1], 8192, 0);
    for (int i = 0; i < count; i++) {
        assert_near(fmod(x[i], 16), 0, 0);
        assert_true(i == 0 || x[i] > x[i - 1]);
    }
    count = sweep_values(f.request, SWEEP_USERS, 1, 4, x, 64);
    assert_int_equal(count, 4);
    count = sweep_insert(x, count, 64, 3);
    assert_int_equal(count, 4);
    count = sweep_insert(x, count, 64, 9);
    count = sweep_insert(x, count, 64, 0.5);
    assert_int_equal(count, 6);
    assert_near(x[0], 0.5, 0);
    assert_near(x[5], 9, 0);
    assert_int_equal(sweep_insert(x, count, 6, 7), 6);
    assert_int_equal(sweep_values(f.request, SWEEP_USERS, 5, 4, x, 64), 0);
}

static void the_end_is_where_plans_stop_fitting(void **state)
{
    struct fixture f = llama_on_two();
    struct sweep_end end = sweep_end(f.request, &f.layout, SWEEP_USERS);
    struct sweep_point p;

    (void)state;
    assert_true(end.fits >= 16 && end.marginal >= end.fits);
    sweep_at(f.request, &f.layout, SWEEP_USERS, end.fits, &p);
    assert_int_equal(p.verdict, VERDICT_FITS);
    sweep_at(f.request, &f.layout, SWEEP_USERS, end.fits + 1, &p);
    assert_int_not_equal(p.verdict, VERDICT_FITS);
    sweep_at(f.request, &f.layout, SWEEP_USERS, end.marginal + 1, &p);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(end.after, p.limit);
    assert_int_equal(end.after, LIMIT_KV);
}

/* 70B in 16 bit on one GPU: not one user. */
static void nothing_fits(void **state)
{
    struct sample s;
    struct request *r = sample_request(&s, sample_llama_70b());
    struct layout one = sample_layout(1, 1, 1, 1);
    struct sweep_end end = sweep_end(r, &one, SWEEP_CONTEXT);

    (void)state;
    assert_near(end.fits, 0, 0);
    assert_near(end.marginal, 0, 0);
    assert_int_equal(end.after, LIMIT_WEIGHTS);
}

/* A layout that is none: points say so instead of showing zeros. */
static void a_refused_layout_has_no_points(void **state)
{
    struct fixture f = llama_on_two();
    struct layout five = sample_layout(5, 1, 1, 1);
    struct sweep_point p;

    (void)state;
    sweep_at(f.request, &five, SWEEP_USERS, 1, &p);
    assert_false(p.known);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(p.limit, LIMIT_LAYOUT);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(points_are_plans),
        cmocka_unit_test(the_plans_own_point_is_the_plan),
        cmocka_unit_test(kv_grows_and_nothing_shrinks),
        cmocka_unit_test(values_are_whole_ascending_and_between),
        cmocka_unit_test(the_end_is_where_plans_stop_fitting),
        cmocka_unit_test(nothing_fits),
        cmocka_unit_test(a_refused_layout_has_no_points),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
