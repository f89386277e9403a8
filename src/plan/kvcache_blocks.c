/*
 * kvcache_blocks.c - blocks of the KV cache: how many tokens they hold, how many a layer and a
 * state take.
 */
#include "plan/kvcache.h"

#include <math.h>

/* Blocks of one sequence in a layer of this kind. A sliding layer keeps its window and
 * the batch being computed; its first block may be partly dead, hence the +1. */
double kvcache_layer_blocks(const struct layer_kind *k, double tokens, double batch, double block)
{
    if (mixer_is(k->mixer, MIXER_IS_CHUNKED))
        return ceil(fmin(k->window + batch, tokens) / block);
    if (mixer_is(k->mixer, MIXER_IS_WINDOWED))
        return ceil(fmin(k->window - 1 + batch, tokens) / block) + 1;
    return ceil(tokens / block);
}

/* A connector that knows no groups makes vLLM keep all layers as full ones. */
bool kvcache_has_groups(const struct request *q)
{
    return q->engine->window_groups && (q->host_kv <= 0 || q->engine->kv_offload_groups);
}

/* Tokens of a block of this kind's kernels. */
double kvcache_block(const struct engine *e, const struct layer_kind *k)
{
    return mixer_is(k->mixer, MIXER_IS_PROJECTED) && e->mla_block > 0 ? e->mla_block : e->block;
}

/* vLLM takes checkpoints only where every recurrent layer can (MambaBase,
 * get_prefill_checkpoint_alignment). */
static bool all_keep_checkpoints(const struct request *q)
{
    const struct model *m = q->model;
    const struct engine *e = q->engine;
    bool recent = q->gpu->compute_capability >= 90;
    bool family = engine_lists(e->checkpoints, m->family) ||
                  (recent && engine_lists(e->checkpoints_90, m->family));

    for (int k = 0; k < m->kind_count && !family; k++) {
        const char *mixer = mixer_word(m->kind[k].mixer);

        if (mixer_is(m->kind[k].mixer, MIXER_IS_RECURRENT) &&
            !engine_lists(e->checkpoints, mixer) &&
            !(recent && engine_lists(e->checkpoints_90, mixer)))
            return false;
    }
    return model_has_mixer(m, MIXER_IS_RECURRENT);
}

double kvcache_state_blocks(const struct request *q)
{
    return q->engine->state_blocks + (all_keep_checkpoints(q) ? 1 : 0) +
           (q->engine->state_drafts && q->draft_tokens > 0
                ? q->draft_tokens + (q->engine->budget == BUDGET_STATIC) /* the last token too */
                : 0);
}

/* Layers of one type, and of the same width: vLLM then keeps them in one group, whatever
 * their number (UniformTypeKVCacheSpecs). */
bool kvcache_is_uniform(const struct kv_group *groups, int count)
{
    const struct layer_kind *a = groups[0].type->kind;

    for (int g = 0; g < count; g++) {
        const struct layer_kind *b = groups[g].type->kind;

        if (groups[g].type->state > 0 || a->mixer != b->mixer ||
            (mixer_is(a->mixer, MIXER_IS_WINDOWED) && a->window != b->window))
            return false;
    }
    return true;
}
