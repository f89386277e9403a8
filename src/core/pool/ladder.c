/*
 * ladder.c - see pool.h: the rungs, one after the other.
 */
#include "core/pool/pool.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/pool/account.h"
#include "core/pool/assign.h"
#include "core/pool/fixed.h"
#include "util/mem.h"

/* ---- a first plan: everything at the price of a flat day ---- */

static void start_constant(struct assign *a, int w)
{
    const struct grid *grid = a->grid;
    struct fixed_price price[POOL_MOST_TYPES];
    struct fixed fixed;
    short x[POOL_MOST_WAYS];

    for (int g = 0; g < grid->types; g++) {
        const struct grid_type *type = &grid->type[g];
        int used = assign_peak(a, g), low = type->stock - type->spare - used;
        price[g] = (struct fixed_price){.low = type->own_stock,
                                        .high = type->own_buy,
                                        .low_left = low > 0 ? low : 0,
                                        .room = grid_room(type) - used};
    }
    fixed_solve(grid, w, price, 2000, &fixed);
    assign_own(a, w, fixed.held);
    for (int t = 0; t < grid->hours; t++) {
        fixed_serve(grid, w, t, fixed.held, x);
        assign_set(a, w, t, x);
    }
}

static void start_hourly(struct assign *a, int w, int t)
{
    const struct grid *grid = a->grid;
    double guide[POOL_MOST_TYPES];
    int room[POOL_MOST_TYPES];
    short x[POOL_MOST_WAYS];
    struct cover cover;

    for (int g = 0; g < grid->types; g++) {
        guide[g] = grid->type[g].own_buy / grid->hours;
        room[g] = grid_room(&grid->type[g]) - a->use[t * grid->types + g];
    }
    assign_cover(grid, w, t, guide, room, 0, &cover);
    for (int i = 0; i < grid->first[w + 1] - grid->first[w]; i++)
        x[i] = (short)cover.x[i];
    assign_set(a, w, t, x);
}

static void start(struct assign *a)
{
    const struct grid *grid = a->grid;

    for (int w = 0; w < grid->workloads; w++) {
        if (grid->constant[w])
            start_constant(a, w);
        for (int t = 0; t < grid->hours && !grid->constant[w]; t++)
            start_hourly(a, w, t);
    }
    assign_fit(a);
}

/* ---- the rungs ---- */

static void answer_init(const struct pool *pool, struct pool_answer *out)
{
    *out = (struct pool_answer){.hours = pool->hours,
                                .type_count = pool->type_count,
                                .candidate_count = pool->candidate_count,
                                .workload_count = pool->workload_count,
                                .job_count = pool->job_count};
}

static void solve_rung(const struct pool *pool, enum pool_rung_id id,
                       const struct pool_options *options, struct pool_answer *out)
{
    struct grid grid;
    struct assign a;
    struct pool_rung *rung = &out->rungs[id];

    (void)options;
    grid_init(&grid, pool, id);
    assign_init(&a, &grid);
    start(&a);
    account_rung(&a, rung);
    rung->gap = rung->total > 0 ? (rung->total - rung->bound) / rung->total : 0;
    assign_fini(&a);
    grid_fini(&grid);
}

void pool_solve_rung(const struct pool *pool, enum pool_rung_id id,
                     const struct pool_options *options, struct pool_answer *out)
{
    answer_init(pool, out);
    solve_rung(pool, id, options, out);
}

void pool_solve(const struct pool *pool, const struct pool_options *options,
                struct pool_answer *out)
{
    answer_init(pool, out);
    for (int id = 0; id < POOL_RUNGS; id++)
        solve_rung(pool, (enum pool_rung_id)id, options, out);
    out->coincidence = account_coincidence(pool);
    out->break_even_hour =
        account_break_even(pool, &out->rungs[POOL_SHARED], &out->rungs[POOL_HOURLY]);
}

void pool_answer_fini(struct pool_answer *answer)
{
    for (int id = 0; id < POOL_RUNGS; id++) {
        free(answer->rungs[id].use);
        free(answer->rungs[id].replicas);
        free(answer->rungs[id].workers);
        free(answer->rungs[id].unmet);
    }
    *answer = (struct pool_answer){0};
}
