/*
 * attention.c - see attention.h.
 */
#include "plan/speed/attention.h"

#include <math.h>

#include "catalog/family.h"
#include "plan/kvcache.h"

struct attention attention_of(const struct request *q, const struct layer_kind *k, double index,
                              int tp, double layers)
{
    struct attention a = {.times = layers};
    bool projected = mixer_is(k->mixer, MIXER_IS_PROJECTED);
    bool pooled = mixer_is(k->mixer, MIXER_IS_POOLED);

    if (mixer_is(k->mixer, MIXER_IS_RECURRENT)) {
        a.state = 2 * kvcache_state_bytes(q, k, tp);
        return a;
    }
    if (mixer_is(k->mixer, MIXER_IS_NOTHING))
        return a;
    double heads = (double)k->heads / tp;
    a.bytes = kvcache_layer_bytes(k, q->kv, q->gpu, tp) - index;
    a.index = index;
    a.reach = mixer_is(k->mixer, MIXER_IS_WINDOWED) ? k->window
              : k->index_heads > 0 && !pooled       ? SPARSE_TOKENS
                                                    : 0;
    a.heads = heads;
    a.scores = 2 * heads *
               (projected ? k->nope_dim + k->rope_dim + k->v_head_dim
                          : k->head_dim + (k->v_head_dim > 0 ? k->v_head_dim : k->head_dim));
    a.indexing = (double)k->index_heads * k->index_dim;
    if (k->kv_heads > 0 && !projected && !pooled)
        a.split = q->gpu->family->kv_split / fmax((double)k->kv_heads / tp, 1);
    if (projected)
        a.mla = 2 * heads * (2 * k->kv_lora + k->rope_dim);
    return a;
}

static double read_tokens(const struct attention *a, double s)
{
    return a->reach > 0 && s > a->reach ? a->reach : s;
}

double attention_decode(const struct attention *a, double s, double *flops)
{
    double tokens = read_tokens(a, s);

    *flops = a->times * a->mla * tokens;
    return a->times * (a->bytes * tokens + a->index * s + a->state);
}

double attention_prefill(const struct attention *a, double q, double c)
{
    double middle = c + q / 2;

    return a->times * q * (a->scores * read_tokens(a, middle) + a->indexing * middle);
}

double attention_scores(const struct attention *a, double q, double c)
{
    return a->times * a->heads * q * read_tokens(a, c + q / 2);
}
