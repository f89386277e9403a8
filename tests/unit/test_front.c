/*
 * test_front.c - the fronts of speed and price, on random requests over the catalogue.
 *
 * GPUPLAN_FRONT_SEED begins elsewhere.
 */
#include "profiles.h"

#include "answer/planner.h"
#include "base/str.h"
#include "plan/front.h"
#include "plan/plan.h"
#include "plan/search.h"

#define TODAY 20778 /* 2026-11-21 */

static struct planner *planner;
static const struct gpu *const *gpus;
static const struct model *const *model_list;
static size_t gpu_count, model_count;
static uint64_t random_state = 1;

static unsigned random_below(unsigned n)
{
    random_state = random_state * 6364136223846793005u + 1442695040888963407u;
    return (unsigned)((random_state >> 33) % n);
}

static bool random_request(struct resolved *out)
{
    static const char *const precisions[] = {"native", "fp8", "int4-awq"};
    static const char *const engines[] = {"vllm", "sglang", "tensorrt-llm", "llama.cpp"};
    struct options options = {0};
    struct gp_err err = {0};
    options_text(&options, OPT_ENGINE, "", engines[random_below(4)], &err);
    options_number(&options, OPT_CONTEXT, "", 512u << random_below(6), &err);
    if (random_below(3) == 0)
        options_number(&options, OPT_TPOT, "", 5u << random_below(5), &err);
    if (random_below(3) == 0)
        options_number(&options, OPT_TTFT, "", 100u << random_below(5), &err);
    if (random_below(4) == 0)
        options_number(&options, OPT_BUDGET, "", 1u << random_below(7), &err);
    return planner_resolve(planner, &options, model_list[random_below((unsigned)model_count)]->id,
                           precisions[random_below(3)], gpus[random_below((unsigned)gpu_count)]->id,
                           out, &err) == GP_OK;
}

/* A point as --plan would answer it. */
static struct plan planned(const struct resolved *r, const struct layout *l, double users)
{
    struct request q = r->request;
    struct plan p;
    q.users = users;
    plan_layout(&q, l, &r->market, &p);
    return p;
}

static void check_rows(const struct resolved *r, const struct front *f)
{
    for (size_t i = 0; i < f->count; i++) {
        const struct front_point *a = &f->points[i];
        struct plan p = planned(r, &a->layout, a->users);
        if (p.verdict != VERDICT_FITS)
            fail_msg("%s on %s: a point of the front is %s", r->request.model->id,
                     r->request.gpu->id, verdict_word(p.verdict));
        assert_near(p.speed.tpot.value, a->tpot, 1e-9 * a->tpot);
        assert_near(p.speed.ttft.value, a->ttft, 1e-9 * a->ttft);
        assert_near(p.speed.tokens.value, a->tokens, 1e-9 * a->tokens);
        assert_near(p.speed.tpot.high, a->tpot * a->high, 1e-9 * a->tpot);
        assert_near(p.cost.per_hour, a->per_hour, 1e-9);
        for (size_t k = 0; k < f->count; k++) {
            const struct front_point *b = &f->points[k];
            bool faster = front_of_user(b) >= front_of_user(a) && k != i;
            if (a->best_gpu && faster)
                assert_true(front_of_gpu(b) <= front_of_gpu(a));
            if (a->best_money && faster)
                assert_true(front_million(b) >= front_million(a));
        }
    }
}

/* No layout and number of users that fits and reaches the goals is better. */
struct rival {
    const struct resolved *resolved;
    const struct front *front;
};

static void check_rival(const struct front *f, const struct plan *p)
{
    double user = 1 / p->speed.tpot.value;
    double gpu = p->speed.tokens.value / p->layout.gpus;
    struct quantity million = plan_token_price(p);
    bool as_much = false, as_cheap = !million.known;
    for (size_t i = 0; i < f->count; i++) {
        const struct front_point *a = &f->points[i];
        bool fast = front_of_user(a) >= user * (1 - 1e-9);
        as_much |= fast && front_of_gpu(a) >= gpu * (1 - 1e-9);
        as_cheap |= fast && front_million(a) <= million.value * (1 + 1e-9);
    }
    if (!as_much || !as_cheap)
        fail_msg("%s %s on %d x %s, TP %d, PP %d, EP %d, %.0f users is off the front",
                 p->request.model->id, p->request.precision.id, p->layout.gpus, p->request.gpu->id,
                 p->layout.tp, p->layout.pp, p->layout.ep, p->request.users);
}

static void try_rival(void *ctx, int tp, int pp, int ep)
{
    static const double users[] = {1, 3, 16, 19};
    const struct rival *r = ctx;
    struct layout l;
    if (!search_cut(&r->resolved->request, tp, pp, ep, &l))
        return;
    for (size_t i = 0; i < sizeof(users) / sizeof(users[0]); i++) {
        double groups = l.replicas * (double)(tp * pp) / layout_group(&l);
        struct plan p = planned(r->resolved, &l, users[i] * groups);
        if (p.verdict == VERDICT_FITS && p.speed.gap == SPEED_KNOWN && !plan_spans(&p))
            check_rival(r->front, &p);
    }
}

static void test_random_requests(void **state)
{
    const char *seed = getenv("GPUPLAN_FRONT_SEED");
    size_t points = 0;
    (void)state;
    random_state = seed ? strtoull(seed, NULL, 10) : 1;
    for (int i = 0; i < 60; i++) {
        struct resolved r;
        struct front f = {0};
        if (!random_request(&r))
            continue;
        front_add(&f, &r.request, &r.market);
        check_rows(&r, &f);
        struct rival rival = {&r, &f};
        search_cuts(&r.request, try_rival, &rival);
        points += f.count;
        front_fini(&f);
    }
    printf("%zu points on fronts\n", points);
    assert_true(points > 100);
}

static int setup(void **state)
{
    struct gp_err err = {0};
    (void)state;
    planner = planner_new(source_path("profiles"), TODAY, NULL);
    struct catalog *catalog = planner_catalog(planner);
    assert_int_equal(catalog_gpus(catalog, &gpus, &gpu_count, &err), GP_OK);
    assert_int_equal(catalog_models(catalog, &model_list, &model_count, &err), GP_OK);
    return 0;
}

static int teardown(void **state)
{
    (void)state;
    planner_free(planner);
    return 0;
}

int main(void)
{
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random_requests)};
    return cmocka_run_group_tests(tests, setup, teardown);
}
