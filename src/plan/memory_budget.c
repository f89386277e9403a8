/*
 * memory_budget.c - what an engine lets itself take of a GPU, by its way to budget (engine.h).
 */
#include "plan/memory.h"

#include <math.h>

double memory_graph_batch(const struct request *q, const struct layout *l)
{
    const struct engine_tier *tier = engine_tier(q->engine, q->gpu->physical.value);
    double batch = tier ? tier->graphs[l->tp >= 4] : 0;

    if (q->eager)
        return 0;
    return q->max_num_seqs > 0 ? fmin(batch, q->max_num_seqs) : batch;
}

/* ---- budgets ---- */

enum budget memory_budget(const struct request *q)
{
    return q->model->weights_only ? BUDGET_ASKED : q->engine->budget;
}

struct quantity memory_budget_bytes(const struct request *q, struct quantity usable,
                                    double fraction)
{
    struct quantity used = quantity_of(q->used, ORIGIN_ASSUMED);
    struct quantity room = q->used > 0 ? quantity_sub(usable, used) : usable;
    double keep = 1 - q->headroom;

    switch (memory_budget(q)) {
    case BUDGET_UTILIZATION:
        return quantity_scale(usable, fraction * keep);
    case BUDGET_STATIC:
        return quantity_scale(room, fraction * keep);
    case BUDGET_FREE:
    case BUDGET_ASKED:
        break;
    }
    return quantity_scale(room, keep);
}
