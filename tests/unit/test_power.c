/* test_power.c - watts, energy and utilisation: the worked numbers of power.h and usage.h,
 * and what holds of any request. */
#include "plan/power.h"

#include "plan/plan.h"
#include "plan/search.h"
#include "plan/usage.h"
#include "shipped.h"
#include "sample.h"

#define TRIALS 120

static unsigned seed = 7;

static int draw(int most)
{
    seed = seed * 1664525u + 1013904223u;
    return (int)((seed >> 8) % (unsigned)most);
}

static struct request request_on(const char *model, const char *precision, const char *gpu)
{
    return (struct request){.model = profile_model(catalog, model),
                            .precision = profile_precision(catalog, precision),
                            .kv = profile_format(catalog, "bf16"),
                            .gpu = profile_gpu(catalog, gpu),
                            .engine = profile_engine(catalog, "vllm"),
                            .context = 8192,
                            .prompt = 1024,
                            .output = 256,
                            .users = 16,
                            .host_gpus = 8,
                            .host_watts = 300};
}

static struct plan planned(const struct request *q, int gpus)
{
    static const struct market none = {.hours = 0};
    struct layout l = {.tp = gpus, .pp = 1, .ep = 1, .replicas = 1};
    struct plan p;
    plan_layout(q, &l, &none, &p);
    return p;
}

/* ---- worked numbers ---- */

static void test_shares(void **state)
{
    (void)state;
    assert_near(power_share(0, 0), 0.28, 1e-12);
    assert_near(power_share(0.63, 0.03), 0.28 + 0.72 * 0.63 + 1.4 * 0.03, 1e-12);
    assert_near(power_share(0.9, 0.9), 1, 0);
}

static void test_example(void **state)
{
    struct request q = request_on("llama-3.1-70b", "fp8", "h100-sxm");
    q.host_watts = 575;
    struct plan p = planned(&q, 2);
    const struct power *w = &p.power;

    (void)state;
    assert_true(w->known && w->loaded);
    assert_near(w->sheet, 2 * (700 + 575), 0);
    assert_near(w->memory, 0.63, 0.05);
    assert_near(w->compute, 0.03, 0.01);
    assert_near(w->decode.value, 545, 30);
    assert_near(w->total.value, 2 * (w->gpu.value + w->host.value), 1e-9);
    assert_near(w->joules.value, w->total.value / p.speed.tokens.value, 1e-9);
    assert_near(w->per_watt.value * w->joules.value, 1, 1e-9);
    assert_near(w->energy.value, w->total.value * 730 * 3600, 1);
    assert_false(w->electricity.known);
}

static void test_unknown(void **state)
{
    struct request q = request_on("llama-3.1-8b", "fp8", "h100-sxm");
    struct gpu gpu = *q.gpu;
    struct plan p;

    (void)state;
    gpu.power = quantity_unknown();
    q.gpu = &gpu;
    p = planned(&q, 1);
    assert_false(p.power.known);
    assert_int_equal(p.verdict, VERDICT_FITS);
    q.power_cap = 1000; /* a cap that cannot be checked is no yes */
    p = planned(&q, 1);
    assert_int_equal(p.verdict, VERDICT_MARGINAL);
    assert_true(p.reasons >> REASON_NO_POWER & 1);
}

static void test_cap(void **state)
{
    static const struct market none = {.hours = 0};
    struct request q = request_on("llama-3.1-70b", "fp8", "h100-sxm");
    struct plan p;

    (void)state;
    q.power_cap = 2000;
    p = planned(&q, 2);
    assert_int_equal(p.verdict, VERDICT_FITS); /* 2 x (700 + 300) is what it holds */
    assert_int_equal(p.power.capped_gpus, 2);
    q.power_cap = 1999;
    p = planned(&q, 2);
    assert_int_equal(p.verdict, VERDICT_DOES_NOT_FIT);
    assert_int_equal(p.limit, LIMIT_POWER);
    assert_int_equal(p.speed.gap, SPEED_KNOWN); /* it is told all the same */
    /* what only exceeds the cap is shown, not what lacks memory */
    q.options_fixed = true; /* else one GPU holds it */
    plan_request(&q, &none, &p);
    assert_int_equal(p.limit, LIMIT_POWER);
    assert_int_equal(p.layout.gpus, 2);
    q.power_cap = 900; /* nor does a weaker reason hide one of memory */
    p = planned(&q, 1);
    assert_int_not_equal(p.limit, LIMIT_POWER);
}

static void test_usage(void **state)
{
    struct market market = sample_aws_market();
    struct request q = request_on("llama-3.1-70b", "fp8", "h100-sxm");
    struct layout l = {.tp = 2, .pp = 1, .ep = 1, .replicas = 1};
    struct plan p;
    struct usage u;

    (void)state;
    q.api_in = 0.6;
    q.api_out = 2.4;
    plan_layout(&q, &l, &market, &p);
    usage_of(&p, &u);
    double hour = p.cost.per_hour;
    assert_near(u.share.value, p.speed.requests.value / p.speed.full.value, 1e-12);
    assert_near(u.idle.value, hour * 730 * (1 - u.share.value), 1e-6);
    assert_near(u.full.value, plan_token_price(&p).value * u.share.value, 1e-9);
    assert_near(u.all.value, plan_token_price(&p).value * 256 / 1280, 1e-9);
    /* at the even rate the API asks for what the plan costs */
    assert_near(u.even.value * 3600 * (1024 * 0.6 + 256 * 2.4) / 1e6, hour, 1e-9);
    /* at the share of hours from which owning is cheaper, both cost the same */
    const struct buy *b = &p.cost.buy;
    double rent = cost_weighed(&p.cost)->per_hour * u.owned;
    double fixed = b->per_month.value / 730 - b->running.value;
    assert_near(rent, fixed + b->running.value * u.owned, 1e-9 * rent);
}

/* ---- what holds of any request ---- */

static struct request random_request(int *gpus)
{
    static const char *const models[] = {"llama-3.1-8b", "qwen3-30b-a3b", "gemma-3-27b",
                                         "qwen2.5-7b",   "mixtral-8x7b",  "gpt-oss-20b"};
    static const char *const precisions[] = {"bf16", "fp8", "int4-awq"};
    static const char *const cards[] = {"h100-sxm", "h200-sxm", "a100-sxm-80", "b200", "l40s"};
    struct request q = request_on(models[draw(6)], precisions[draw(3)], cards[draw(5)]);
    q.users = 1 + draw(200);
    q.prompt = 16 + draw(4096);
    q.output = 1 + draw(1024);
    *gpus = 1 << draw(4);
    return q;
}

static void test_any_load(void **state)
{
    int seen = 0;
    (void)state;
    for (int i = 0; i < TRIALS; i++) {
        int gpus;
        struct request q = random_request(&gpus);
        if (i % 3 == 0)
            q.rate = pow(10, -2 + draw(3000) / 1000.0);
        struct plan p = planned(&q, gpus);
        const struct power *w = &p.power;
        struct usage u;
        if (!w->loaded)
            continue;
        seen++;
        usage_of(&p, &u);
        assert_true(w->gpu.value >= w->idle.value * (1 - 1e-9));
        assert_true(w->gpu.value <= w->limit * (1 + 1e-9));
        assert_true(w->total.value <= w->sheet * (1 + 1e-9));
        assert_true(w->total.low <= w->total.value && w->total.value <= w->total.high);
        assert_true(w->prompts >= 0 && w->prompts <= w->busy && w->busy <= 1);
        assert_true(u.share.value > 0 && u.share.value <= 1);
        assert_true(p.speed.full.value >= p.speed.requests.value * (1 - 1e-9));
    }
    assert_true(seen > TRIALS / 3);
}

/* More users use no less of it, and a token takes no more energy: where every step with
 * prompts is a captured graph. One that just grew beyond the graphs is launched kernel by
 * kernel, which is a jump. Where prompts are all the work, larger steps of them gain nothing
 * and reach a few experts more. */
static void test_more_users(void **state)
{
    struct engine captured = *profile_engine(catalog, "vllm");
    int seen = 0;
    (void)state;
    captured.speed.prefill_kernel = 0;
    for (int i = 0; i < TRIALS; i++) {
        int gpus;
        struct request q = random_request(&gpus);
        struct usage few, more;
        q.engine = &captured;
        q.max_num_seqs = 256;
        struct plan a = planned(&q, gpus);
        q.users = ceil(q.users * 1.5);
        struct plan b = planned(&q, gpus);
        if (!a.power.loaded || !b.power.loaded)
            continue;
        seen++;
        usage_of(&a, &few);
        usage_of(&b, &more);
        if (more.share.value < few.share.value * (1 - 1e-3) ||
            b.power.joules.value > a.power.joules.value * (1 + 5e-3))
            fail_msg("%s on %d x %s, %.0f users of %.0f + %.0f: %.4f -> %.4f, %g -> %g J",
                     q.model->id, gpus, q.gpu->id, q.users, q.prompt, q.output, few.share.value,
                     more.share.value, a.power.joules.value, b.power.joules.value);
    }
    assert_true(seen > TRIALS / 3);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_shares),     cmocka_unit_test(test_example),
        cmocka_unit_test(test_unknown),    cmocka_unit_test(test_cap),
        cmocka_unit_test(test_usage),      cmocka_unit_test(test_any_load),
        cmocka_unit_test(test_more_users),
    };

    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
