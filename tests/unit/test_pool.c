/*
 * test_pool.c - the ladder of a pool: worked examples, and what must hold on random
 * ones.
 *
 * GPUPLAN_POOL_CASES sets how many (default 4), GPUPLAN_POOL_WORK the units a rung may
 * take, GPUPLAN_POOL_SEED begins elsewhere.
 */
#include "pool_cases.h"

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
    double sum =
        cost->purchase + cost->running + cost->energy + cost->starting + cost->penalty;
    double hours = r->utilisation * r->owned_hours;

    for (int i = 0; i < POOL_CAUSES; i++) {
        assert_true(r->stranded[i] >= -1e-6);
        hours += r->stranded[i];
    }
    if (fabs(sum - r->total) > 1e-6 * (1 + r->total))
        fail_msg("rung %d: parts %g, total %g", r->id, sum, r->total);
    if (fabs(hours - r->owned_hours) > 1e-6 * (1 + r->owned_hours))
        fail_msg("rung %d: %g GPU-hours owned, %g accounted for", r->id, r->owned_hours,
                 hours);
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
                print_message("%c cost %.1f bound %.1f gap %.2f %% util %.2f\n",
                              "ABCD$"[id], r -> total, r -> bound, 100 * r -> gap,
                              r -> utilisation);
        }
        pool_answer_fini(&answer);
        case_fini(&c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_worked_example),
        cmocka_unit_test(test_random_mixes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
