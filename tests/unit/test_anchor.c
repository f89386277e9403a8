/* test_anchor.c - measured points of a server: what is found again, what is left alone. */
#include "plan/speed/anchor.h"

#include "plan/plan.h"
#include "plan/speed/serve.h"
#include "shipped.h"

static struct request request_of(const char *model, const char *precision)
{
    return (struct request){.model = profile_model(catalog, model),
                            .precision = profile_precision(catalog, precision),
                            .kv = profile_format(catalog, "bf16"),
                            .gpu = profile_gpu(catalog, "h100-sxm"),
                            .engine = profile_engine(catalog, "vllm"),
                            .context = 8192,
                            .prompt = 1024,
                            .output = 256,
                            .users = 16,
                            .host_gpus = 8};
}

static struct layout tp(int n)
{
    return (struct layout){.gpus = n, .tp = n, .pp = 1, .ep = 1, .replicas = 1, .hosts = 1};
}

/* TPOT and TTFT of `users` on a layout, as the request's correction has them. */
static struct anchor measured(const struct request *q, int gpus, double users)
{
    struct load load = load_sum(q);
    struct layout l = tp(gpus);
    struct step_load sums;
    struct step step;
    struct serve s;
    struct serve_load sl = {.users = users,
                            .admitted = 1e9,
                            .prompt = q->prompt,
                            .output = q->output,
                            .chunk = load.max_batched_tokens};
    step_load_sum(q, &load, &sums);
    step_cut(&sums, &l, &step);
    serve_estimate(&step, &sl, &s);
    return (struct anchor){.layout = l,
                           .users = users,
                           .prompt = q->prompt,
                           .output = q->output,
                           .tpot = s.tpot,
                           .ttft = s.ttft};
}

static double tpot(struct request q, const struct correction *c, int gpus, double users)
{
    q.correction = *c;
    return measured(&q, gpus, users).tpot;
}

/* A server whose fixed time and work are other than the law's. */
static struct request server(struct request q, double fixed, double work)
{
    q.correction = (struct correction){
        .points = 1,
        .by = {[CORRECT_FIXED] = fixed, [CORRECT_WORK] = work, [CORRECT_PROMPTS] = 1},
        .first = 1,
        .model = q.model,
        .gpu = q.gpu,
        .engine = q.engine,
        .weight = q.precision.weight};
    return q;
}

static double miss(const struct request *q, const struct request *truth,
                   const struct anchor *points, int count, int gpus, double users)
{
    struct correction c;
    assert_true(anchor_fit(q, points, count, &c));
    return fabs(log(tpot(*q, &c, gpus, users) / measured(truth, gpus, users).tpot));
}

/* More points come nearer, of the same layout and of another one. */
static void test_nearer(void **state)
{
    struct request q = request_of("llama-3.1-70b", "fp8");

    (void)state;
    for (double fixed = 0.7; fixed < 1.5; fixed *= 1.4)
        for (double work = 0.8; work < 1.4; work *= 1.25) {
            struct request truth = server(q, fixed, work);
            struct anchor points[] = {measured(&truth, 4, 1), measured(&truth, 4, 64),
                                      measured(&truth, 4, 8)};
            double law = fabs(log(measured(&q, 4, 24).tpot / measured(&truth, 4, 24).tpot));
            double one = miss(&q, &truth, points + 2, 1, 4, 24);
            double three = miss(&q, &truth, points, 3, 4, 24);
            assert_true(one <= 0.8 * law + 0.02);
            assert_true(three <= 0.05);
            assert_true(miss(&q, &truth, points, 3, 8, 24) <= 0.08);
        }
}

/* What the law says already changes nothing. */
static void test_law(void **state)
{
    struct request q = request_of("qwen3-235b-a22b", "fp8-block");
    struct anchor point = measured(&q, 8, 16);
    struct correction c;

    (void)state;
    assert_true(anchor_fit(&q, &point, 1, &c));
    for (int i = 0; i < CORRECT_COUNT; i++)
        assert_near(c.by[i], 1, 1e-6);
    assert_near(c.first, 1, 1e-6);
}

/* One of three that contradicts the others does not carry the answer away. */
static void test_apart(void **state)
{
    struct request q = request_of("llama-3.1-70b", "fp8"), truth = server(q, 1.1, 1.1);
    struct anchor points[] = {measured(&truth, 4, 1), measured(&truth, 4, 8),
                              measured(&truth, 4, 64)};

    (void)state;
    for (int i = 0; i < 3; i++) {
        double kept = points[i].tpot;
        points[i].tpot *= 2.2;
        assert_true(miss(&q, &truth, points, 3, 4, 16) < 0.12);
        points[i].tpot = kept;
    }
}

/* A time to a first token that is a queue's says nothing of prompts: of requests that came all at
 * once, or of one rate of three, which was not served. */
static void test_queue(void **state)
{
    struct request q = request_of("llama-3.1-70b", "fp8");
    struct correction c;

    (void)state;
    for (int i = 0; i < 3; i++) {
        struct anchor points[] = {measured(&q, 4, 1), measured(&q, 4, 8), measured(&q, 4, 64)};

        points[i].ttft *= 100;
        assert_true(anchor_fit(&q, points, 3, &c));
        assert_near(c.first, 1, 0.02);
        points[i].at_once = true;
        assert_true(anchor_fit(&q, &points[i], 1, &c));
        assert_near(c.first, 1, 1e-6);
    }
}

/* Another GPU, model, format or engine is not what was measured. */
static void test_others(void **state)
{
    struct request q = request_of("llama-3.1-8b", "bf16"), truth = server(q, 1.3, 1.3);
    struct anchor point = measured(&truth, 1, 8);

    (void)state;
    assert_true(anchor_fit(&q, &point, 1, &q.correction));
    assert_true(request_corrected(&q));
    struct request other[] = {q, q, q, q};
    other[0].gpu = profile_gpu(catalog, "h200-sxm");
    other[1].model = profile_model(catalog, "qwen3-8b");
    other[2].precision = profile_precision(catalog, "fp8");
    other[3].engine = profile_engine(catalog, "sglang");
    for (int i = 0; i < 4; i++) {
        struct request plain = other[i];
        plain.correction = (struct correction){0};
        assert_false(request_corrected(&other[i]));
        assert_near(measured(&other[i], 1, 8).tpot, measured(&plain, 1, 8).tpot, 0);
    }
    point.tpot = 0; /* nothing was measured that a step could be held to */
    assert_false(anchor_fit(&q, &point, 1, &q.correction));
    assert_false(request_corrected(&q));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_nearer), cmocka_unit_test(test_law),    cmocka_unit_test(test_apart),
        cmocka_unit_test(test_queue),  cmocka_unit_test(test_others),
    };
    return cmocka_run_group_tests(tests, catalog_setup, catalog_teardown);
}
