/*
 * test_pool_any.c - tiny pools in which every feature comes up by chance (case_any) against
 * another solver's word, and what must hold of them.
 *
 * GPUPLAN_POOL_SEED and GPUPLAN_POOL_CASES go through other pools; only those of the table
 * are known to their last dollar. Under a sanitizer a fourth of the cases.
 */
#include "pool/assign.h"
#include "pool_cases.h"
#include "tests/sanitized.h"

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : usual;
}

/* ---- whole pools ---- */

/* Of the fixed, composed, shared and hourly rung and the cloud, from an integer program that
 * was written down apart from ours and solved by HiGHS 1.16 without a gap, 2026-11-26. */
static const struct least {
    int seed;
    double rung[POOL_RUNGS];
} leasts[] = {
    {1, {69.75, 48.75, 69.75, 48.75, 59.75}},
    {2, {112.67, 66.37, 112.67, 66.37, 122.125}},
    {3, {72, 92.25, 72, 83.35, 65.51666667}},
    {4, {0, 0, 0, 0, 0}},
    {5, {168.0625, 158, 169.0625, 159, 198.4}},
    {6, {6.5, 5, 6.5, 5, 5}},
    {7, {55, 55, 44.25, 44.25, 2272.621429}},
    {8, {12.25, 13.25, 11, 13.25, 21.875}},
    {9, {57, 57, 57, 57, 42}},
    {10, {2069.636364, 799.8863636, 2069.636364, 696.0113636, 33.75}},
    {11, {526.405, 526.405, 497.58, 497.58, 163.9083333}},
    {12, {194.25, 311, 194.25, 311, 346.0714286}},
    {13, {15, 20.25, 15, 20.25, 20.4}},
    {14, {49.25, 46.75, 47.25, 46.75, 93.25}},
    {15, {229.19, 485.07, 232.3766667, 485.7416667, 326.625}},
    {16, {0, 0, 0, 0, 0}},
    {17, {33.57, 37.203125, 35.595, 39.903125, 28.45833333}},
    {18, {18.375, 18.375, 14.7, 14.7, 27.5}},
    {19, {561.5, 561.5, 545.75, 545.75, 569}},
    {20, {35.335, 39.2125, 35.335, 39.2125, 62.5}},
    {21, {57.1, 66.625, 72.775, 66.625, 271.875}},
    {22, {14.5, 16.5, 14.5, 16.5, 48.5}},
    {23, {71.57, 71.57, 71.57, 71.57, 75.375}},
    {24, {225.575, 216.175, 225.575, 216.175, 444.75}},
    {25, {54, 54, 45, 45, 3726.272727}},
    {26, {6, 140.5416667, 8.25, 140.5416667, 3.75}},
    {27, {19.875, 94.625, 19.875, 94.625, 61.1875}},
    {28, {0, 0, 0, 0, 0}},
    {29, {43.2, 29.4, 43.2, 29.4, 32.70833333}},
    {30, {108, 21.5, 108, 21.5, 146.5}},
    {31, {56.19, 40.32, 56.19, 40.32, 24}},
    {32, {1137.03, 1137.03, 1137.03, 1137.03, 57.09375}},
    {33, {804.2590909, 112.89, 806.6440909, 116.4358333, 94.9875}},
    {34, {483.625, 473.625, 473.625, 473.625, 488.625}},
    {35, {669.125, 657.625, 561.8958333, 583.8020833, 642.4166667}},
    {36, {10, 77.5, 10, 77.5, 22.5}},
    {37, {58.10625, 65.79375, 53.46875, 55.8125, 146.25}},
    {38, {0, 0, 0, 0, 0}},
    {39, {54, 69.75, 49.875, 69.75, 67.5}},
    {40, {20.75, 14.390625, 20.75, 14.390625, 25}},
    {50, {14.425, 12.5125, 10.6375, 12.5125, 13.75}},
    {65, {212, 221, 212, 221, 108.91875}},
    {72, {79.25, 69.25, 71.25, 69.25, 85.25}},
    {130, {21.75, 14.75, 21.75, 14.75, 13.125}},
    {168, {93, 121.5, 93, 121.5, 113.65625}},
    {182, {28, 18, 20, 18, 46.75}},
    {199, {429, 363, 447, 363, 400.2}},
    {236, {15.5, 10.375, 15.5, 10.375, 7.5}},
    {283, {49.625, 42.875, 49.625, 42.875, 8397.8125}},
    {291, {205.89, 166.115625, 154.4758333, 159.990625, 8620.05}},
    {302, {21, 11, 10.5, 11, 61.25}},
    {342, {96.4, 222.185, 93.31, 222.185, 84}},
    {348, {12.17, 65.1575, 7.89, 65.1575, 25}},
    {372, {159.40625, 159.40625, 123.4963542, 123.4963542, 106.6666667}},
    {509, {74.375, 230.2767857, 66.15416667, 168.9267857, 51}},
    {773, {68.25, 68.25, 65.25, 65.25, 1198.392857}},
    {901, {277.525, 277.525, 277.525, 277.525, 97.875}},
    {2039, {25.75, 78.25, 21.3083333, 73.8083333, 84.7166667}},
    {2249, {80.11875, 89.45625, 93.6, 89.9375, 58.1958333}},
    {2482, {41.5875, 31.6875, 41.5875, 31.6875, 13.25}},
    {2389, {48.18125, 145.9575, 44.31625, 129.7075, 273.75}},
};

struct count {
    int plans, missed, open;
    double worst; /* over the least */
};

static void check_rung(const struct pool_rung *r, const struct least *known, struct count *count)
{
    double least = known->rung[r->id], slack = 1e-6 * (1 + least);

    if (r->bound > least + slack || r->total < least - slack)
        fail_msg("seed %d rung %c: %.6f, bound %.6f, the least is %.6f", known->seed,
                 "ABCD$"[r->id], r -> total, r -> bound, least);
    count->plans++;
    count->missed += r->total > least + slack;
    count->open += r->gap > 0.01;
    count->worst = fmax(count->worst, least > 0 ? r->total / least - 1 : 0);
}

static void test_any_against_program(void **state)
{
    struct count count[POOL_RUNGS] = {{0}};

    (void)state;
    for (size_t i = 0; i < sizeof(leasts) / sizeof(*leasts); i++) {
        struct pool_options options = {.seed = (uint64_t)leasts[i].seed};
        struct pool_case c;
        struct pool_answer answer;
        struct gp_err err;
        case_any(&c, (uint64_t)leasts[i].seed);
        assert_int_equal(pool_check(&c.pool, &err), GP_OK);
        pool_solve(&c.pool, &options, &answer);
        for (int id = 0; id < POOL_RUNGS; id++)
            check_rung(&answer.rungs[id], &leasts[i], &count[id]);
        pool_answer_fini(&answer);
        case_fini(&c);
    }
    for (int id = 0; id < POOL_RUNGS; id++) {
        print_message("%c: of %d plans %d not the least, by %.1f %% at most, %d with a gap "
                      "of 1 %%\n",
                      "ABCD$"[id], count[id].plans, count[id].missed, 100 * count[id].worst,
                      count[id].open);
        assert_true(count[id].worst < (id < POOL_SHARED ? 0.05 : 0.06));
        assert_true(count[id].missed <= count[id].plans / 20);
    }
}

/* ---- what must hold for any two pools ---- */

static struct pool_answer solve_any(const struct pool_case *c)
{
    struct pool_options options = {.seed = 1};
    struct pool_answer answer;

    pool_solve(&c->pool, &options, &answer);
    return answer;
}

/* Every plan of `less` is one of `more`, or is dearer there: no bound of `more` lies above
 * a plan of `less`, and where nothing is open, no plan either. */
static void check_order(const struct pool_answer *more, const struct pool_answer *less, int seed,
                        const char *what)
{
    for (int id = 0; id < POOL_RUNGS; id++) {
        const struct pool_rung *a = &more->rungs[id], *b = &less->rungs[id];
        double slack = 1e-6 * (1 + b->total);
        if (a->bound > b->total + slack || (a->gap < 1e-9 && a->total > b->total + slack))
            fail_msg("seed %d, rung %c: cost %.6f, bound %.6f; %s cost %.6f, bound %.6f", seed,
                     "ABCD$"[id], b -> total, b -> bound, what, a -> total, a -> bound);
    }
}

static void compose_free(struct pool_case *c)
{
    c->pool.chassis_slots = 0;
    memset(c->pool.change_s, 0, sizeof(c->pool.change_s));
    for (int g = 0; g < c->pool.type_count; g++)
        c->types[g].premium_hour = 0;
    for (int i = 0; i < c->pool.candidate_count; i++)
        c->candidates[i].composed_rate = c->candidates[i].rate;
}

static void check_composing(const struct pool_answer *answer, int seed)
{
    for (int id = POOL_COMPOSED; id <= POOL_HOURLY; id += 2)
        if (answer->rungs[id].total > answer->rungs[id - 1].total * (1 + 1e-9))
            fail_msg("seed %d: %c costs %.6f, %c costs %.6f", seed, "ABCD"[id],
                     answer -> rungs[id].total, "ABCD"[id - 1], answer -> rungs[id - 1].total);
}

static void test_any_pairs(void **state)
{
    uint64_t seed = setting("GPUPLAN_POOL_SEED", 1);
    uint64_t end = seed + setting("GPUPLAN_POOL_CASES", SANITIZED ? 5 : 20);

    (void)state;
    for (; seed < end; seed++) {
        struct pool_case c;
        struct pool_answer one, again, other;
        case_any(&c, seed);
        one = solve_any(&c);
        again = solve_any(&c);
        for (int id = 0; id < POOL_RUNGS; id++)
            assert_true(one.rungs[id].total == again.rungs[id].total &&
                        one.rungs[id].bound == again.rungs[id].bound);
        pool_answer_fini(&again);
        for (int g = 0; g < c.pool.type_count; g++)
            c.types[g].stock += c.types[g].server_gpus;
        other = solve_any(&c);
        check_order(&other, &one, (int)seed, "more stock");
        pool_answer_fini(&other);
        for (int g = 0; g < c.pool.type_count; g++)
            c.types[g].stock -= c.types[g].server_gpus;
        for (int i = 0; i < c.pool.workload_count * c.pool.hours; i++)
            c.demand[i] *= 2;
        other = solve_any(&c);
        check_order(&one, &other, (int)seed, "twice the demand, and once:");
        pool_answer_fini(&other);
        pool_answer_fini(&one);
        compose_free(&c);
        one = solve_any(&c);
        check_composing(&one, (int)seed);
        pool_answer_fini(&one);
        case_fini(&c);
    }
}

/* ---- moves of the search ---- */

static double no_time(void *ctx)
{
    (void)ctx;
    return 0;
}

/* The sums that the moves kept are those of the same plan made anew, and it fits; $ of it,
 * no more than before. */
static double check_state(struct assign *a, int seed, double before, const char *what)
{
    const struct grid *grid = a->grid;
    size_t cells = (size_t)grid->hours * (size_t)grid->types;
    struct assign anew;
    double total;

    assign_init(&anew, grid);
    for (int w = 0; w < grid->workloads; w++) {
        if (grid->constant[w])
            assign_own(&anew, w, &a->held[grid->first[w]]);
        for (int t = 0; t < grid->hours; t++) {
            const short *x = assign_at(a, w, t);

            assign_set(&anew, w, t, x);
            for (int i = grid->first[w]; i < grid->first[w + 1]; i++)
                if (x[i - grid->first[w]] < 0 ||
                    (grid->constant[w] && x[i - grid->first[w]] > a->held[i]))
                    fail_msg("seed %d, %s: %d replicas", seed, what, x[i - grid->first[w]]);
        }
    }
    memcpy(anew.room, a->room, sizeof(anew.room));
    if (memcmp(a->use, anew.use, cells * sizeof(*a->use)) != 0 ||
        memcmp(a->cut, anew.cut, cells * sizeof(*a->cut)) != 0)
        fail_msg("seed %d, %s: GPUs in use are not those of the plan", seed, what);
    for (int g = 0; g < grid->types; g++)
        if (assign_peak(a, g) > a->room[g])
            fail_msg("seed %d, %s: %d GPUs in use, of %d", seed, what, assign_peak(a, g),
                     a->room[g]);
    if (!assign_allowed(a))
        fail_msg("seed %d, %s: more than there is", seed, what);
    total = assign_total(a);
    if (fabs(total - assign_total(&anew)) > 1e-9 * (1 + total) ||
        total > before + 1e-9 * (1 + total))
        fail_msg("seed %d, %s: $%.9g, $%.9g anew, $%.9g before", seed, what, total,
                 assign_total(&anew), before);
    assign_fini(&anew);
    return total;
}

/* Covers by chance, and GPUs of their own for the isolated: a plan to begin with. */
static void random_plan(struct pool_case *c, struct assign *a)
{
    const struct grid *grid = a->grid;

    for (int w = 0; w < grid->workloads; w++) {
        short held[POOL_MOST_WAYS], x[POOL_MOST_WAYS];
        int ways = grid->first[w + 1] - grid->first[w];
        for (int i = 0; i < ways; i++)
            held[i] = (short)case_below(c, 4);
        if (grid->constant[w])
            assign_own(a, w, held);
        for (int t = 0; t < grid->hours; t++) {
            for (int i = 0; i < ways; i++)
                x[i] = (short)case_below(c, (unsigned)held[i] + 1);
            assign_set(a, w, t, x);
        }
    }
    assign_fit(a);
}

/* Every search ends after other moves: what one leaves, the next one begins with. */
static void move_on(struct assign *a, int seed, const double *lambda)
{
    double before = check_state(a, seed, INFINITY, "shed");

    for (uint64_t work = 1; work < 3000; work = work * 3 / 2 + 1) {
        struct improve how = {
            .random = (uint64_t)seed + work, .work = work, .lambda = lambda, .part = no_time};
        improve_run(a, &how);
        before = check_state(a, seed, before, "run");
        how.work = work;
        improve_polish(a, &how);
        before = check_state(a, seed, before, "polish");
    }
}

static void test_moves(void **state)
{
    uint64_t seed = setting("GPUPLAN_POOL_SEED", 1);
    uint64_t end = seed + setting("GPUPLAN_POOL_CASES", SANITIZED ? 15 : 60);
    int moved = 0;

    (void)state;
    for (; seed < end; seed++) {
        enum pool_rung_id id = seed % 2 ? POOL_HOURLY : POOL_SHARED;
        double lambda[4 * 3]; /* of case_any()'s hours and types */
        struct pool_case c;
        struct grid grid;
        struct assign a;
        struct improve how = {.random = seed, .work = 100000, .lambda = lambda, .part = no_time};
        case_any(&c, seed);
        for (int i = 0; i < 12; i++)
            lambda[i] = case_pick(&c, 0.7, 4 * case_share(&c));
        grid_init(&grid, &c.pool, id);
        assign_init(&a, &grid);
        random_plan(&c, &a);
        improve_shed(&a, &how);
        assign_fit(&a);
        if (assign_allowed(&a)) { /* those of their own are not taken away */
            move_on(&a, (int)seed, lambda);
            moved++;
        }
        assign_fini(&a);
        grid_fini(&grid);
        case_fini(&c);
    }
    assert_true(moved > 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_against_program),
        cmocka_unit_test(test_any_pairs),
        cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
