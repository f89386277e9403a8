/* test_logged.c - a server's log: what it replaces, what it moves, what it leaves alone. */
#include "plan/logged_fit.h"

#include "base/units.h"
#include "plan/memory.h"
#include "plan/plan.h"
#include "shipped.h"

static struct request request_of(const char *model, const char *engine)
{
    return (struct request){.model = profile_model(catalog, model),
                            .precision = profile_precision(catalog, "bf16"),
                            .kv = profile_format(catalog, "bf16"),
                            .gpu = profile_gpu(catalog, "h100-sxm"),
                            .engine = profile_engine(catalog, engine),
                            .context = 8192,
                            .prompt = 1024,
                            .output = 256,
                            .users = 4,
                            .host_gpus = 8};
}

static struct layout tp(int n)
{
    return (struct layout){.gpus = n, .tp = n, .pp = 1, .ep = 1, .replicas = 1, .hosts = 1};
}

static struct memory plan(const struct request *q, int gpus)
{
    struct load load = load_sum(q);
    struct layout l = tp(gpus);
    struct memory m;
    memory_estimate(q, &load, &l, &m);
    return m;
}

/* A server whose terms are `times` those of the estimate and whose pool is what they leave,
 * and `more` bytes. */
static struct logged_figures server(const struct request *q, int gpus, double times, double more)
{
    struct memory m = plan(q, gpus);
    struct logged_figures f = {.pool = m.kv_pool.value + more};
    for (int t = 0; t < LOGGED_TERMS; t++) {
        double value = memory_term(&m, (enum logged_term)t).value;
        f.term[t] = t == LOGGED_WEIGHTS ? value : times * value;
        if (t != LOGGED_WEIGHTS && t != LOGGED_GRAPHS)
            f.pool -= (times - 1) * value;
    }
    return f;
}

static void fit(struct request *q, int gpus, const struct logged_figures *f)
{
    struct layout l = tp(gpus);
    double planned;
    assert_int_equal(logged_fit(q, &l, f, &q->logged, &planned), LOGGED_FINE);
}

#define NEAR(a, b) assert_true(fabs((a) / (b)-1) < 1e-9)

/* The same start again: every figure as it was logged, measured, in a narrow band, whatever
 * the users and their tokens. */
static void test_same(void **state)
{
    struct request q = request_of("llama-3.1-8b", "vllm@0.19");
    struct logged_figures f = server(&q, 1, 1.15, 0.3 * GP_GIB);

    (void)state;
    fit(&q, 1, &f);
    q.context = 32768;
    q.users = 2;
    struct memory m = plan(&q, 1), without;
    for (int t = 0; t < LOGGED_TERMS; t++) {
        struct quantity term = memory_term(&m, (enum logged_term)t);
        if (!q.logged.known[t])
            continue;
        NEAR(term.value, f.term[t]);
        assert_int_equal(term.origin, ORIGIN_MEASURED);
        assert_true(term.high - term.low <= 0.0201 * GP_GIB);
    }
    NEAR(m.kv_pool.value, f.pool);
    assert_int_equal(m.kv_pool.origin, ORIGIN_MEASURED);
    q.logged.count = 0;
    without = plan(&q, 1);
    assert_true(m.kv_pool.high - m.kv_pool.low < without.kv_pool.high - without.kv_pool.low);
}

/* Another share of memory moves the pool by as much as the budget. */
static void test_share(void **state)
{
    struct request q = request_of("llama-3.1-8b", "vllm@0.19");
    struct logged_figures f = server(&q, 1, 0.9, -0.2 * GP_GIB);

    (void)state;
    fit(&q, 1, &f);
    struct memory m = plan(&q, 1);
    q.utilization = 0.6;
    struct memory less = plan(&q, 1);
    NEAR(m.kv_pool.value - less.kv_pool.value, m.budget.value - less.budget.value);
}

/* Another layout: what is counted stays, graphs move by a share, the band with them, and the
 * pool is no longer measured. */
static void test_other_layout(void **state)
{
    struct request q = request_of("llama-3.1-8b", "vllm@0.19");
    struct memory plain = plan(&q, 2);
    struct logged_figures f = server(&q, 1, 1.2, 0.3 * GP_GIB);

    (void)state;
    fit(&q, 1, &f);
    struct memory m = plan(&q, 2);
    NEAR(m.weights.value, plain.weights.value);
    NEAR(m.activation.value, plain.activation.value);
    NEAR(m.graphs.value, plain.graphs.value * pow(1.2, 0.4));
    NEAR(m.graphs.high, plain.graphs.high * pow(1.2, 0.4));
    NEAR(m.kv_pool.value, plain.kv_pool.value);
    assert_int_equal(m.kv_pool.origin, plain.kv_pool.origin);
}

/* Other limits: the pool's rest stays with the layout. */
static void test_other_limits(void **state)
{
    struct request q = request_of("llama-3.1-8b", "vllm@0.19");
    struct logged_figures f = server(&q, 1, 1, 0.3 * GP_GIB);

    (void)state;
    fit(&q, 1, &f);
    q.max_num_seqs = 256;
    struct memory m = plan(&q, 1);
    q.logged.count = 0;
    struct memory plain = plan(&q, 1);
    NEAR(m.kv_pool.value, plain.kv_pool.value + 0.3 * GP_GIB);
    assert_int_not_equal(m.activation.origin, ORIGIN_MEASURED);
}

/* Nothing of another model, format, GPU or engine. */
static void test_others(void **state)
{
    struct request q = request_of("llama-3.1-8b", "vllm@0.19"), other;
    struct logged_figures f = server(&q, 1, 1.3, 0.3 * GP_GIB);

    (void)state;
    fit(&q, 1, &f);
    const struct request others[] = {
        request_of("qwen2.5-7b", "vllm@0.19"),
        request_of("llama-3.1-8b", "vllm"),
        (other = q, other.gpu = profile_gpu(catalog, "h200-sxm"), other),
        (other = q, other.precision = profile_precision(catalog, "fp8"), other),
        (other = q, other.lora_slots = 4, other.lora_rank = 16, other),
    };
    for (size_t i = 0; i < sizeof(others) / sizeof(others[0]); i++) {
        struct request with = others[i], without = others[i];
        with.logged = q.logged;
        without.logged.count = 0;
        assert_false(logged_of(&with));
        struct memory a = plan(&with, 1), b = plan(&without, 1);
        NEAR(a.kv_pool.value, b.kv_pool.value);
        NEAR(a.kv_pool.low, b.kv_pool.low);
        NEAR(a.graphs.value, b.graphs.value);
    }
}

/* Logs that cannot be of this request. */
static void test_doubts(void **state)
{
    struct request q = request_of("llama-3.1-8b", "vllm@0.19");
    struct logged_figures f = server(&q, 1, 1, 0), none = {.pool = NAN};
    struct layout l = tp(1);
    double planned;

    (void)state;
    for (int t = 0; t < LOGGED_TERMS; t++)
        none.term[t] = NAN;
    assert_int_equal(logged_fit(&q, &l, &none, &q.logged, &planned), LOGGED_NOTHING);
    assert_int_equal(q.logged.count, 0);
    f.term[LOGGED_WEIGHTS] /= 2;
    assert_int_equal(logged_fit(&q, &l, &f, &q.logged, &planned), LOGGED_WEIGHTS_OFF);
    f.term[LOGGED_WEIGHTS] *= 2;
    f.pool -= 20 * GP_GIB;
    assert_int_equal(logged_fit(&q, &l, &f, &q.logged, &planned), LOGGED_POOL_OFF);
    assert_int_equal(q.logged.count, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_same),         cmocka_unit_test(test_share),
        cmocka_unit_test(test_other_layout), cmocka_unit_test(test_other_limits),
        cmocka_unit_test(test_others),       cmocka_unit_test(test_doubts),
    };
    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
