/*
 * test_pool.c - the ladder of a pool: worked examples, and what must hold on random
 * ones.
 *
 * GPUPLAN_POOL_CASES sets how many (default 4), GPUPLAN_POOL_WORK the units a rung may take,
 * GPUPLAN_POOL_SEED begins elsewhere. How near to its bound a plan comes is a matter of the work;
 * under a sanitizer, where that takes minutes, it is a tenth, and what it reaches is not judged.
 */
#include "pool_cases.h"
#include "tests/sanitized.h"

#define WORK_SHARE (SANITIZED ? 10 : 1)

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : usual;
}

static struct pool_answer solve(const struct pool *pool, uint64_t work)
{
    struct pool_options options = {.seed = 1, .work = work};
    struct pool_answer answer;
    struct gp_err err;

    assert_int_equal(pool_check(pool, &err), GP_OK);
    pool_solve(pool, &options, &answer);
    return answer;
}

/* The example at the head of pool.h. */
static void test_worked_example(void **state)
{
    static const double dollars[] = {192, 144, 192, 144};
    struct pool_case c;
    struct pool_answer answer;

    (void)state;
    case_init(&c, 1, 1, 1, 24, 1);
    c.types[0] = (struct pool_type){.buy = 100, .buy_hour = 2, .server_gpus = 2};
    case_way(&c, 0, 0, 1, 10);
    for (int t = 0; t < 24; t++)
        c.demand[t] = t < 12 ? 30 : 10;
    answer = solve(&c.pool, 0);
    for (int id = POOL_FIXED; id <= POOL_HOURLY; id++)
        assert_true(fabs(answer.rungs[id].total - dollars[id]) < 1e-9);
    pool_answer_fini(&answer);
    case_fini(&c);
}

static void check_sums(const struct pool *pool, const struct pool_rung *r)
{
    const struct pool_cost *cost = &r->cost;
    double sum = cost->purchase + cost->running + cost->energy + cost->starting + cost->penalty;
    double hours = r->utilisation * r->owned_hours;

    for (int i = 0; i < POOL_CAUSES; i++) {
        assert_true(r->stranded[i] >= -1e-6);
        hours += r->stranded[i];
    }
    if (fabs(sum - r->total) > 1e-6 * (1 + r->total))
        fail_msg("rung %d: parts %g, total %g", r->id, sum, r->total);
    if (fabs(hours - r->owned_hours) > 1e-6 * (1 + r->owned_hours))
        fail_msg("rung %d: %g GPU-hours owned, %g accounted for", r->id, r->owned_hours, hours);
    for (int t = 0; t < pool->hours; t++)
        for (int g = 0; g < pool->type_count; g++)
            assert_true(r->use[t * pool->type_count + g] <= r->gpus[g]);
    assert_true(r->bound <= r->total * (1 + 1e-9) + 1e-9);
}

static void test_random_mixes(void **state)
{
    uint64_t seed = setting("GPUPLAN_POOL_SEED", 1);
    uint64_t cases = setting("GPUPLAN_POOL_CASES", 4);

    (void)state;
    for (uint64_t i = seed; i < seed + cases; i++) {
        struct pool_case c;
        struct pool_answer answer;
        case_mix(&c, i, 6, 1);
        answer = solve(&c.pool, setting("GPUPLAN_POOL_WORK", 200000));
        for (int id = 0; id < POOL_RUNGS; id++) {
            const struct pool_rung *r = &answer.rungs[id];
            check_sums(&c.pool, r);
            if (getenv("GPUPLAN_POOL_WORK"))
                print_message("%c cost %.1f bound %.1f gap %.2f %% util %.2f\n", "ABCD$"[id],
                              r -> total, r -> bound, 100 * r -> gap, r -> utilisation);
        }
        pool_answer_fini(&answer);
        case_fini(&c);
    }
}

static struct pool_rung_sum {
    double total, bound;
} sums(const struct pool *pool, enum pool_rung_id id, uint64_t work)
{
    struct pool_options options = {.seed = 1, .work = work};
    struct pool_answer answer;
    struct pool_rung_sum sum;

    pool_solve_rung(pool, id, &options, &answer);
    check_sums(pool, &answer.rungs[id]);
    sum = (struct pool_rung_sum){answer.rungs[id].total, answer.rungs[id].bound};
    pool_answer_fini(&answer);
    return sum;
}

/* Thirty models on six types, two seconds of work: within 3 % of its own bound. */
static void test_thirty_models(void **state)
{
    (void)state;
    for (int i = 0; i < 2; i++) {
        static const enum pool_rung_id rung[] = {POOL_SHARED, POOL_HOURLY};
        struct pool_case c;
        struct pool_rung_sum sum;
        case_mix(&c, 1, 30, 1);
        sum = sums(&c.pool, rung[i], 30000000 / WORK_SHARE);
        if (!SANITIZED && sum.total > sum.bound * 1.03)
            fail_msg("case %d: cost %.1f, bound %.1f", i, sum.total, sum.bound);
        case_fini(&c);
    }
}

/* All ways to own, one after the other as a user has them: within 5 % of their bounds. */
static void check_family(enum case_family family, uint64_t seed)
{
    struct pool_case c;
    struct pool_answer answer;

    case_family(&c, family, seed, 30, 1);
    c.pool.change_s[POOL_RESTART] = family % 2 ? 120 : 0;
    answer = solve(&c.pool, 60000000 / WORK_SHARE);
    for (int id = POOL_FIXED; id <= POOL_HOURLY; id++) {
        const struct pool_rung *r = &answer.rungs[id];
        if (getenv("GPUPLAN_POOL_CASES"))
            print_message("family %d seed %d %c: %.2f %%\n", family, (int)seed, "ABCD"[id],
                          100 * r -> gap);
        check_sums(&c.pool, r);
        if (!SANITIZED && r->gap > 0.05)
            fail_msg("family %d, seed %d, rung %c: cost %.1f, bound %.1f", family, (int)seed,
                     "ABCD"[id], r -> total, r -> bound);
    }
    pool_answer_fini(&answer);
    case_fini(&c);
}

/* Families of mixes (pool_cases.h), with the hours coupled by starts in half of them, after
 * the work of about ten seconds in all. GPUPLAN_POOL_SEED and GPUPLAN_POOL_CASES try other
 * seeds. */
static void test_families(void **state)
{
    uint64_t seed = setting("GPUPLAN_POOL_SEED", 7);
    uint64_t end = seed + setting("GPUPLAN_POOL_CASES", 1);

    (void)state;
    for (; seed < end; seed++)
        for (int family = 0; family < CASE_FAMILIES; family++)
            check_family((enum case_family)family, seed);
}

/* Bounds of the two pools are proofs: each must lie under the plans of any pool that
 * asks more or has less. */
static void test_more_and_less(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= setting("GPUPLAN_POOL_CASES", 4); seed++) {
        struct pool_case c;
        struct pool_rung_sum one, two, stocked;
        enum pool_rung_id id = seed % 2 ? POOL_HOURLY : POOL_SHARED;
        case_mix(&c, seed, 4, 1);
        one = sums(&c.pool, id, 100000);
        for (int g = 0; g < 6; g++)
            c.types[g].stock = 8;
        stocked = sums(&c.pool, id, 100000);
        for (int g = 0; g < 6; g++)
            c.types[g].stock = 0;
        for (int i = 0; i < 4 * 24; i++)
            c.demand[i] *= 2;
        two = sums(&c.pool, id, 100000);
        if (two.bound < one.bound * 0.999 || stocked.bound > one.bound * 1.001)
            fail_msg("seed %d: bound %g, %g of twice the demand, %g with stock", (int)seed,
                     one.bound, two.bound, stocked.bound);
        if (one.bound > two.total || stocked.bound > one.total)
            fail_msg("seed %d: a bound above a dearer pool's plan", (int)seed);
        case_fini(&c);
    }
}

/* D may do all that C does, when it costs nothing to compose. */
static void test_composing_free(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= setting("GPUPLAN_POOL_CASES", 4); seed++) {
        struct pool_case c;
        struct pool_answer answer;
        case_mix(&c, seed, 5, 1);
        answer = solve(&c.pool, 50000);
        assert_true(answer.rungs[POOL_HOURLY].total <=
                    answer.rungs[POOL_SHARED].total * (1 + 1e-9));
        assert_true(answer.rungs[POOL_COMPOSED].total <=
                    answer.rungs[POOL_FIXED].total * (1 + 1e-9));
        pool_answer_fini(&answer);
        case_fini(&c);
    }
}

/* Slices, jobs, spares, minimum replicas, workloads alone, caps, starts: all at once.
 */
static void mixed_case(struct pool_case *c, uint64_t seed)
{
    static const signed char cuts[3][3] = {{7, 0, 0}, {1, 3, 0}, {0, 0, 2}};

    case_mix(c, seed, 6, 1);
    for (int k = 0; k < 3; k++)
        memcpy(c->types[1].cut[k], cuts[k], sizeof(cuts[k]));
    c->types[1].slices = c->types[1].cuts = 3;
    for (int g = 0; g < 6; g++) {
        c->types[g].stock = (int)case_below(c, 24);
        c->types[g].buy = (int)case_below(c, 60);
        c->types[g].spare = g % 3 == 0;
        c->types[g].premium_hour = 0.2;
    }
    for (int i = 0; i < c->pool.candidate_count; i++) {
        struct pool_candidate *way = &c->candidates[i];
        way->load_s = 30;
        way->composed_rate = way->rate * (way->gpus > 1 ? 0.9 : 1);
        way->free_rate = way->rate * 1.3;
        if (way->type == 1 && way->gpus == 1 && case_below(c, 2))
            way->slice = (int)case_below(c, 3);
    }
    c->pool.electricity = 0.15;
    c->pool.pue = 1.3;
    c->pool.chassis_slots = 40 + (int)case_below(c, 60);
    c->pool.watts = seed % 2 ? 40000 : 0;
    c->pool.change_s[POOL_RESTART] = 60;
    c->pool.change_s[POOL_RECOMPOSE] = 120;
    c->workloads[0].minimum = 2;
    c->workloads[1].alone = true;
    c->workloads[2].burst = 1.5;
    c->pool.job_count = 2;
    c->jobs[0] =
        (struct pool_job){.type = 1, .gpus = 8, .most = 2, .gpu_hours = 64, .first = 0, .end = 24};
    c->jobs[1] = (struct pool_job){
        .type = 2, .gpus = 3, .most = 4, .gpu_hours = 30.5, .first = 6, .end = 12};
}

static void test_everything(void **state)
{
    (void)state;
    for (uint64_t seed = 1; seed <= setting("GPUPLAN_POOL_CASES", 4); seed++) {
        struct pool_case c;
        struct pool_answer one, two;
        mixed_case(&c, seed);
        one = solve(&c.pool, 60000);
        two = solve(&c.pool, 60000);
        for (int id = 0; id < POOL_RUNGS; id++) {
            check_sums(&c.pool, &one.rungs[id]);
            assert_true(one.rungs[id].total == two.rungs[id].total);
            assert_true(one.rungs[id].bound == two.rungs[id].bound);
        }
        pool_answer_fini(&one);
        pool_answer_fini(&two);
        case_fini(&c);
    }
}

/* Isolated workloads, all or half of them, and a job that fills what is free: within 12 % of
 * their bounds. */
static void test_isolated_and_jobs(void **state)
{
    (void)state;
    for (int isolated = 3; isolated <= 6; isolated += 3) {
        struct pool_case c;
        struct pool_rung_sum sum;
        case_mix(&c, 3, 6, 1);
        for (int w = 0; w < isolated; w++)
            c.workloads[w].alone = true;
        c.pool.job_count = 1;
        c.jobs[0] = (struct pool_job){
            .type = 1, .gpus = 2, .most = 2, .gpu_hours = 16, .first = 6, .end = 18};
        sum = sums(&c.pool, POOL_SHARED, 2000000);
        if (sum.total > sum.bound * 1.12)
            fail_msg("%d isolated: cost %.1f, bound %.1f", isolated, sum.total, sum.bound);
        case_fini(&c);
    }
}

/* A plan of nothing is not taken, one that is cheaper is; the bound stays. */
static void test_adopt(void **state)
{
    struct pool_case c;
    struct pool_answer poor, good;
    struct pool_options options = {.seed = 1, .work = 2000};
    struct pool_rung *r = &poor.rungs[POOL_SHARED];
    int *nothing;

    (void)state;
    case_mix(&c, 1, 6, 1);
    pool_solve_rung(&c.pool, POOL_SHARED, &options, &poor);
    options.work = 3000000;
    pool_solve_rung(&c.pool, POOL_SHARED, &options, &good);
    nothing = gp_calloc((size_t)c.pool.candidate_count * 24, sizeof(*nothing));
    double total = r->total, bound = r->bound;
    pool_adopt(&c.pool, POOL_SHARED, nothing, &poor);
    assert_true(r->total == total && r->bound == bound);
    assert_true(good.rungs[POOL_SHARED].total < total);
    pool_adopt(&c.pool, POOL_SHARED, good.rungs[POOL_SHARED].replicas, &poor);
    assert_true(fabs(r->total - good.rungs[POOL_SHARED].total) < 1e-6 * r->total);
    assert_true(r->bound == bound);
    check_sums(&c.pool, r);
    free(nothing);
    pool_answer_fini(&poor);
    pool_answer_fini(&good);
    case_fini(&c);
}

/* A thousand workloads, thousands of GPUs, and hardly any time. */
static bool stop_at_once(void *ctx)
{
    return ++*(int *)ctx > 3;
}

static void test_thousand(void **state)
{
    struct pool_case c;
    struct pool_answer answer;
    int asked = 0;
    struct pool_options options = {
        .seed = 1, .work = 400000, .stop = stop_at_once, .stop_ctx = &asked};

    (void)state;
    case_mix(&c, 1, 1000, 3);
    pool_solve_rung(&c.pool, POOL_HOURLY, &options, &answer);
    assert_true(answer.stopped);
    assert_true(answer.rungs[POOL_HOURLY].bound > 0);
    check_sums(&c.pool, &answer.rungs[POOL_HOURLY]);
    pool_answer_fini(&answer);
    case_fini(&c);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example), cmocka_unit_test(test_random_mixes),
        cmocka_unit_test(test_thirty_models),  cmocka_unit_test(test_families),
        cmocka_unit_test(test_adopt),          cmocka_unit_test(test_isolated_and_jobs),
        cmocka_unit_test(test_more_and_less),  cmocka_unit_test(test_composing_free),
        cmocka_unit_test(test_everything),     cmocka_unit_test(test_thousand),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
