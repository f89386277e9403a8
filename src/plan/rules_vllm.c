/*
 * rules_vllm.c - vLLM: two model runners, each with its own sampler, and a KV cache in groups of
 * equal layers.
 */
#include "plan/rules.h"

#include <math.h>
#include <string.h>

/* ---- runners ---- */

/* Does the model run on the second runner? */
static bool on_second_runner(const struct request *q)
{
    const struct engine *e = q->engine;
    const struct model *m = q->model;

    if (e->second_16bit && q->precision.weight->bits < 16)
        return false;
    if (q->draft_kind == DRAFT_MODEL && !e->second_draft)
        return false;
    return engine_names_family(e->second, m->family) ||
           (engine_lists(e->second, "dense") && model_experts(m) == 0 &&
            !model_has_mixer(m, MIXER_IS_RECURRENT));
}

/* The second runner has a sampler of its own and its own way to charge graphs. */
static void vllm_load(const struct request *q, struct load *load)
{
    const struct engine *e = q->engine;

    load->second = on_second_runner(q);
    if (load->second) {
        load->logit_copies = load->logit_copies_low = e->second_copies;
        load->graphs_in_budget = e->second_graphs;
        load->host_bytes = e->second_offload ? q->host_bytes : 0;
        load->kept = e->second_kept * load->max_num_seqs * q->model->vocab;
    } else if (e->logit_copies_low > 0 && strcmp(q->gpu->vendor, "nvidia") == 0) {
        load->logit_copies_low = e->logit_copies_low;
    }
}

/* ---- beside the budget ---- */

/* Of that peak, beside the blocks: of starts of 0.19 at a utilization of 0.95 one that had 0.56 of
 * it died, one that had 0.36 ran. */
#define AGAIN 0.75

/* What the utilization leaves holds the context and the graphs beyond those charged. Where none are
 * charged, the pool is sized first and all slots are sampled once more behind the graphs:
 * beside blocks of the profiling run where the allocator cannot give them back. */
static struct quantity vllm_spare(const struct stages *s, int head)
{
    const struct quantity *g = &s->graphs, *charged = &s->graphs_charged;
    const struct quantity *peak = &s->activation[head];
    double share = fmin(s->fraction * (1 - s->request->headroom), 1);
    struct quantity rest = quantity_scale(s->load->usable, 1 - share);
    struct quantity more =
        quantity_band(fmax(g->value - charged->value, 0), fmax(g->low - charged->low, 0),
                      fmax(g->high - charged->high, 0), ORIGIN_MODEL);

    more = quantity_add(more, s->context);
    if (charged->high <= 0)
        more = quantity_add(more, quantity_band(AGAIN * peak->value, 0, peak->high, ORIGIN_MODEL));
    return quantity_sub(rest, more);
}

/* A graph is captured over all slots at once, and each takes a block of state. */
static struct quantity vllm_states(const struct stages *s, const struct kv_sequence *one,
                                   const struct quantity *pool)
{
    if (!s->request->engine->state_exit || one->state <= 0 || one->block <= 0)
        return quantity_unknown();
    return quantity_band(floor(fmax(pool->value, 0) / one->block),
                         floor(fmax(pool->low, 0) / one->block),
                         floor(fmax(pool->high, 0) / one->block), ORIGIN_MODEL);
}

/* ---- groups of equal layers ---- */

/* All pages are one size: that of the largest type; a recurrent state takes one. */
static double vllm_page_size(const struct kv_group *groups, int count, const struct engine *e)
{
    double page = 0;

    for (int g = 0; g < count; g++)
        page = fmax(page, groups[g].type->bytes * kvcache_block(e, groups[g].type->kind));
    for (int g = 0; g < count; g++)
        if (groups[g].type->state > page)
            for (int a = 0; a < count; a++)
                if (groups[a].type->bytes > 0) {
                    double unit = kvcache_block(e, groups[a].type->kind) * groups[a].type->bytes;

                    page = ceil(groups[g].type->state / unit) * unit;
                }
    for (int g = 0; g < count && page == 0; g++)
        page = fmax(page, groups[g].type->state);
    return page;
}

/* Types with smaller pages get more tokens per block. */
static void vllm_reserve(struct kv_sequence *s, const struct kv_cut *cut,
                         const struct kv_group *groups, int count, const struct request *q)
{
    if (count < 2 || kvcache_is_uniform(groups, count) || !kvcache_has_groups(q))
        return;
    const struct engine *e = q->engine;
    double page = vllm_page_size(groups, count, e), blocks = 0;
    double least = groups[0].layers, most = groups[0].layers;

    for (int g = 1; g < count; g++) {
        least = fmin(least, groups[g].layers);
        most = fmax(most, groups[g].layers);
    }
    /* layers per group: the fewest of any type, unless the counts are nearly equal, when padding
     * the smaller type costs less than more groups */
    double size = most < least * e->group_slack ? most : least;

    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;
        double block = kvcache_block(e, t->kind);
        double span = t->bytes > 0 ? floor(page / (t->bytes * block)) * block : block;

        blocks += ceil(groups[g].layers / size) *
                  (t->state > 0
                       ? kvcache_state_blocks(q)
                       : kvcache_layer_blocks(t->kind, cut->tokens, cut->batch, fmax(span, block)));
    }
    s->block = size * page;
    s->reserved = blocks * s->block;
}

const struct engine_rules vllm_rules = {
    .load = vllm_load,
    .spare = vllm_spare,
    .states = vllm_states,
    .reserve = vllm_reserve,
};
