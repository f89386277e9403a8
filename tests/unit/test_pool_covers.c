/*
 * test_pool_covers.c - the small problems that the bounds of pools are made of, each
 * against all choices that there are.
 *
 * GPUPLAN_POOL_CASES sets how many (default 300), GPUPLAN_POOL_SEED begins elsewhere.
 */
#include "pool/assign.h"
#include "pool/bound.h"
#include "pool/lp.h"
#include "pool_cases.h"

#include <limits.h>

static const int four[] = {4, 4, 4, 4}; /* of each way */

static uint64_t setting(const char *name, uint64_t usual)
{
    const char *text = getenv(name);

    return text ? strtoull(text, NULL, 10) : usual;
}

/* The next of all counts 0..most[i]; false: that was the last. */
static bool next(int *x, const int *most, int n)
{
    for (int i = 0; i < n; i++) {
        if (++x[i] <= most[i])
            return true;
        x[i] = 0;
    }
    return false;
}

/* ---- a cover with seats that are paid for ---- */

struct cover_case {
    struct cover_item items[4];
    int room[3], paid[3];
    double worth[3];
    struct cover_request ask;
};

static void cover_case(struct cover_case *c, struct pool_case *random)
{
    *c = (struct cover_case){0};
    for (int k = 0; k < 3; k++) {
        c->room[k] = (int)case_below(random, 9);
        c->paid[k] = (int)case_below(random, (unsigned)c->room[k] + 1);
        c->worth[k] = 0.25 * case_below(random, 12);
    }
    for (int i = 0; i < 4; i++) {
        struct cover_item *item = &c->items[i];
        item->group = (int)case_below(random, 3);
        item->seat = 1 + (int)case_below(random, 4);
        item->rate = 1 + case_below(random, 8);
        item->price = 0.125 * case_below(random, 8) + item->seat * c->worth[item->group];
    }
    c->ask = (struct cover_request){.items = c->items,
                                    .count = 4,
                                    .need = case_below(random, 12), /* four of any do */
                                    .penalty = 1 + case_below(random, 3),
                                    .missing = case_below(random, 6),
                                    .minimum = (int)case_below(random, 3),
                                    .room = c->room,
                                    .groups = 3};
    if (case_below(random, 4)) {
        c->ask.paid = c->paid;
        c->ask.worth = c->worth;
    }
}

static double cover_price(const struct cover_case *c, const int *x)
{
    double cost = 0, left = c->ask.need;
    int seats[3] = {0}, lacking = c->ask.minimum;

    for (int i = 0; i < 4; i++) {
        cost += x[i] * c->items[i].price;
        left -= x[i] * c->items[i].rate;
        lacking -= x[i];
        seats[c->items[i].group] += x[i] * c->items[i].seat;
    }
    for (int k = 0; k < 3; k++) {
        if (seats[k] > c->room[k])
            return INFINITY;
        if (c->ask.paid && seats[k] < c->paid[k])
            cost += (c->paid[k] - seats[k]) * c->worth[k];
    }
    return cost + fmax(0, left) * c->ask.penalty + (lacking > 0 ? lacking : 0) * c->ask.missing;
}

static void test_cover_against_all(void **state)
{
    uint64_t cases = 10 * setting("GPUPLAN_POOL_CASES", 300);
    struct pool_case random = {.state = setting("GPUPLAN_POOL_SEED", 1)};

    (void)state;
    for (uint64_t i = 0; i < cases; i++) {
        struct cover_case c;
        struct cover cover;
        double least = INFINITY;
        int x[4] = {0}, found[4];
        cover_case(&c, &random);
        do
            least = fmin(least, cover_price(&c, x));
        while (next(x, four, 4));
        cover_solve(&c.ask, &cover);
        for (int k = 0; k < 4; k++)
            found[k] = cover.x[k];
        if (cover.cost > least + 1e-9 || cover.lower > least + 1e-9 ||
            cover.lower < cover.cost - 1e-9 || fabs(cover_price(&c, found) - cover.cost) > 1e-9)
            fail_msg("case %d: %.6f, lower %.6f, its counts cost %.6f, the least is %.6f", (int)i,
                     cover.cost, cover.lower, cover_price(&c, found), least);
    }
}

/* ---- pools of two types, one of them cut into slices, and two workloads ---- */

static void small_case(struct pool_case *c, uint64_t seed, bool sliced)
{
    static const signed char cuts[2][2] = {{3, 0}, {1, 1}};

    case_init(c, seed, 2, 2, 2, 3);
    for (int g = 0; g < 2; g++)
        c->types[g] = (struct pool_type){.buy = 20,
                                         .buy_hour = 1 + case_below(c, 4),
                                         .run_hour = 0.125 * case_below(c, 4),
                                         .server_gpus = 2};
    memcpy(c->types[1].cut[0], cuts[0], sizeof(cuts[0]));
    memcpy(c->types[1].cut[1], cuts[1], sizeof(cuts[1]));
    c->types[1].slices = c->types[1].cuts = sliced ? 2 : 0;
    for (int w = 0; w < 2; w++) {
        double rate = 6 + case_below(c, 8);
        c->workloads[w].penalty = 1 + case_below(c, 5);
        c->workloads[w].minimum = (int)case_below(c, 2);
        for (int i = 0; i < 3; i++) {
            int gpus = 1 + (int)case_below(c, 2);
            struct pool_candidate *way = case_way(c, w, i > 0, gpus, gpus * rate);
            if (i == 2 && sliced) {
                way->gpus = 1;
                way->slice = (int)case_below(c, 2);
                way->rate = way->composed_rate = rate / (3 - way->slice);
            }
        }
        for (int t = 0; t < 2; t++)
            c->demand[w * 2 + t] = case_below(c, 40);
    }
}

/* $ of holding x beside `least` GPUs that are paid for; INFINITY: there is no room. */
static double held_price(const struct grid *grid, int w, const struct fixed_market *market,
                         const int *x)
{
    short held[POOL_MOST_WAYS] = {0};
    int own[POOL_MOST_TYPES];
    double cost;

    for (int i = 0; i < 3; i++)
        held[i] = (short)x[i];
    assign_holding(grid, w, held, own);
    cost = fixed_cost(grid, w, held);
    for (int g = 0; g < grid->types; g++) {
        if (own[g] > market->type[g].room)
            return INFINITY;
        cost += market->type[g].low * fmax(own[g], market->type[g].least);
    }
    return cost;
}

static void test_held_against_all(void **state)
{
    uint64_t seed = setting("GPUPLAN_POOL_SEED", 1), cases = setting("GPUPLAN_POOL_CASES", 300);
    int missed = 0;

    (void)state;
    for (uint64_t i = seed; i < seed + cases; i++) {
        struct pool_case c;
        struct grid grid;
        struct fixed_market market = {.gpus = INT_MAX, .watts = INFINITY};
        struct fixed fixed;
        int x[3] = {0};
        double least = INFINITY;
        small_case(&c, i, false);
        grid_init(&grid, &c.pool, i % 2 ? POOL_FIXED : POOL_COMPOSED);
        for (int g = 0; g < 2; g++) {
            struct fixed_price *type = &market.type[g];
            type->low = type->high = 0.5 * case_below(&c, 12);
            type->room = grid_units(&grid.type[g], (int)case_below(&c, 9));
            type->least = (int)case_below(&c, (unsigned)type->room + 1);
        }
        do
            least = fmin(least, held_price(&grid, 0, &market, x));
        while (next(x, four, 3));
        fixed_solve(&grid, 0, &market, 100000, &fixed);
        if (fixed.lower > least + 1e-9 || fixed.cost < fixed.lower - 1e-9)
            fail_msg("seed %d: %.6f, lower %.6f, the least is %.6f", (int)i, fixed.cost,
                     fixed.lower, least);
        missed += fixed.cost > least + 1e-9; /* by another filling of a server */
        grid_fini(&grid);
        case_fini(&c);
    }
    print_message("%d of %d not the least\n", missed, (int)cases);
    assert_true(missed <= (int)cases / 20);
}

/* ---- an hour of both workloads ---- */

/* $ of serving hour 0 with x, slices by weight; INFINITY: there is no room. */
static double hour_price(const struct grid *grid, const double *room, const int *x)
{
    double use[POOL_MOST_TYPES] = {0}, cost = 0;

    for (int w = 0; w < 2; w++) {
        short counts[POOL_MOST_WAYS] = {0};
        for (int i = grid->first[w]; i < grid->first[w + 1]; i++) {
            const struct way *way = &grid->ways[i];
            counts[i - grid->first[w]] = (short)x[i];
            use[way->type] += x[i] * grid_seat(grid, i);
            if (way->slice >= 0)
                cost += x[i] * grid_seat(grid, i) * grid->type[way->type].run;
        }
        cost += assign_serving(grid, w, 0, counts, NULL);
    }
    for (int g = 0; g < grid->types; g++)
        if (use[g] > room[g] + 1e-9)
            return INFINITY;
    return cost;
}

static void test_hour_against_all(void **state)
{
    uint64_t seed = setting("GPUPLAN_POOL_SEED", 1);
    uint64_t cases = setting("GPUPLAN_POOL_CASES", 300) / 3;

    (void)state;
    for (uint64_t i = seed; i < seed + cases; i++) {
        struct pool_case c;
        struct grid grid;
        short held[POOL_MOST_WAYS] = {0};
        int x[6] = {0}, most[6];
        double least = INFINITY, room[2];
        struct pack pack = {
            .t = 0, .goal = INFINITY, .work = 10000000, .x = held, .bound = -INFINITY};
        small_case(&c, i, i % 2);
        grid_init(&grid, &c.pool, POOL_HOURLY);
        for (int g = 0; g < 2; g++)
            room[g] = case_below(&c, 4);
        for (int k = 0; k < 6; k++)
            most[k] = (int)(3 / grid_seat(&grid, k) + 1e-9); /* of three GPUs */
        do
            least = fmin(least, hour_price(&grid, room, x));
        while (next(x, most, 6));
        pack.grid = &grid;
        pack_rooms(&pack, room);
        pack_solve(&pack);
        pack_fini(&pack);
        if (pack.bound > least + 1e-6 || pack.cost < pack.bound - 1e-6 ||
            pack.bound < pack.cost - 1e-6 || pack.cost < least - 1e-6)
            fail_msg("seed %d: %.6f, bound %.6f, the least is %.6f", (int)i, pack.cost, pack.bound,
                     least);
        grid_fini(&grid);
        case_fini(&c);
    }
}

/* ---- linear programs: what proves that they are solved ---- */

#define ROWS 5
#define SETS 12

static double entry_of(const struct lp *lp, int column, int row)
{
    const struct lp_column *c = &lp->columns[column];
    double sum = 0;

    for (int i = 0; i < c->count; i++)
        if (lp->entries[c->first + (size_t)i].row == row)
            sum += lp->entries[c->first + (size_t)i].value;
    return sum;
}

/* x >= 0 keeps to rows and sets, no column gains at the prices, and both sides are
 * worth the same. */
static void assert_solved(const struct lp *lp, uint64_t seed)
{
    double rows[ROWS] = {0}, sets[SETS] = {0}, value = 0, priced = 0;

    for (int j = 0; j < (int)lp->column_count; j++) {
        const struct lp_column *c = &lp->columns[j];
        double x = lp_level(lp, j), gain = c->gain;
        value += x * c->gain;
        for (int r = 0; r < ROWS; r++) {
            rows[r] += x * entry_of(lp, j, r);
            gain -= lp->price[r] * entry_of(lp, j, r);
        }
        if (c->set != LP_FREE) {
            sets[c->set] += x;
            gain -= lp->worth[c->set];
        }
        if (x < 0 || gain > 1e-6)
            fail_msg("seed %d: column %d at %g would gain %g", (int)seed, j, x, gain);
    }
    for (int r = 0; r < ROWS; r++) {
        priced += lp->right[r] * lp->price[r];
        assert_true(fabs(rows[r] - lp->right[r]) < 1e-6);
    }
    for (int s = 0; s < SETS; s++) {
        priced += lp->worth[s];
        assert_true(fabs(sets[s] - 1) < 1e-6);
    }
    if (fabs(value - priced) > 1e-6 || fabs(value - lp_value(lp)) > 1e-6)
        fail_msg("seed %d: %.9f, %.9f by its prices", (int)seed, value, priced);
}

static void add_random(struct lp *lp, struct pool_case *random, int set)
{
    struct lp_entry entries[ROWS];

    for (int r = 0; r < ROWS; r++) /* many ties */
        entries[r] = (struct lp_entry){r, 0.5 * case_below(random, 4) * case_below(random, 2)};
    lp_add(lp, 0.25 * case_below(random, 40) - (set == LP_FREE ? 10 : 0), set, entries, ROWS);
}

static void test_programs(void **state)
{
    uint64_t seed = setting("GPUPLAN_POOL_SEED", 1), cases = setting("GPUPLAN_POOL_CASES", 300);

    (void)state;
    for (uint64_t i = seed; i < seed + cases; i++) {
        struct pool_case random = {.state = i};
        struct lp lp;
        int basis[ROWS], key[SETS];
        lp_init(&lp, ROWS, SETS);
        for (int r = 0; r < ROWS; r++) {
            lp.right[r] = case_below(&random, 8);
            basis[r] = lp_add(&lp, 0, LP_FREE, &(struct lp_entry){r, 1}, 1);
        }
        for (int s = 0; s < SETS; s++)
            key[s] = lp_add(&lp, 0, s, NULL, 0);
        assert_true(lp_begin(&lp, basis, key));
        for (int k = 0; k < 8; k++) { /* more columns, other gains, and on from there */
            for (int n = 0; n < 10; n++)
                add_random(&lp, &random, (int)case_below(&random, SETS + 1) - 1);
            for (int n = 0; n < 5; n++)
                lp.columns[case_below(&random, (unsigned)lp.column_count)].gain =
                    -0.25 * case_below(&random, 40);
            assert_true(lp_solve(&lp, 10000));
            assert_solved(&lp, i);
        }
        lp_fini(&lp);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cover_against_all),
        cmocka_unit_test(test_held_against_all),
        cmocka_unit_test(test_hour_against_all),
        cmocka_unit_test(test_programs),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
