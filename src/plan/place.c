/*
 * place.c - see place.h.
 */
#include "plan/place.h"

#include "plan/search.h"

struct placing {
    struct request request;
    const struct market *market;
};

/* With the engine's margin where all is as expected, and for sure without it. */
static bool place_fits(struct placing *p, int *count, int value)
{
    struct request *r = &p->request;
    double used = r->used;
    struct evaluation e;

    *count = value;
    search_layout(r, p->market, SEARCH_FEWEST_GPUS, &e);
    if (!e.valid || !verdict_holds(e.verdict))
        return false;
    r->used += r->engine->places_margin;
    search_layout(r, p->market, SEARCH_FEWEST_GPUS, &e);
    r->used = used;
    return e.valid && e.margin >= 0;
}

/* The fewest with which it fits; false where not even `most` are enough. */
static bool place_fewest(struct placing *p, int *count, int most)
{
    int low = 0;

    if (most < 1 || !place_fits(p, count, most)) /* a stage more than layers */
        return false;
    while (most - low > 1) {
        int middle = low + (most - low) / 2;

        *(place_fits(p, count, middle) ? &most : &low) = middle;
    }
    *count = most;
    return true;
}

void place_request(const struct request *q, const struct market *market, struct plan *plan)
{
    bool told = q->host_told || q->kv_on_host || q->tp > 1;
    bool memory = plan->limit == LIMIT_WEIGHTS || plan->limit == LIMIT_OVERHEAD ||
                  plan->limit == LIMIT_KV || plan->limit == LIMIT_USED;
    struct placing p = {*q, market};
    struct request *r = &p.request;
    int layers = q->model->layer_count;
    struct plan placed;

    if (plan->verdict != VERDICT_DOES_NOT_FIT || !memory || told || !q->engine->places[0] ||
        q->gpu_count <= 0 || q->gpu->host || gpu_shares_memory(q->gpu) ||
        q->model->weights_only)
        return;
    /* whole layers, one GPU after the other */
    r->tp = 1;
    if (r->pp <= 0)
        r->pp = r->replicas > 0 ? q->gpu_count / r->replicas : q->gpu_count;
    r->host_placed = true;
    r->unplaced_tp = q->tp;
    r->unplaced_pp = q->pp;
    bool experts = engine_lists(q->engine->places, "experts") && model_experts(q->model) > 0;
    bool found = experts && place_fewest(&p, &r->host_experts, layers);
    if (!found)
        found = place_fewest(&p, &r->host_layers, r->pp > 1 ? layers - r->pp : layers + 1);
    if (!found)
        return;
    plan_request(r, market, &placed);
    if (verdict_holds(placed.verdict))
        *plan = placed;
}
