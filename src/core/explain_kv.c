/*
 * explain_kv.c - what one request keeps: layer kind by layer kind, then in blocks.
 *
 * Layers that cache alike are one term ("KV: 52 sliding layers"). Its value is that of
 * kvcache_sequence() for a model of these layers alone, so the terms add up to the
 * KV of one request: Gemma-3-27B at 32,768 tokens: 0.41 + 2.50 = 2.91 GiB.
 */
#include "core/explain_parts.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "util/str.h"
#include "util/units.h"

/* Per layer; kv_t = max(1, ceil(kv/tp)), e = bytes of one cached element. */
static const char *const kv_equations[MIXER_COUNT] = {
    [MIXER_FULL] = "layers * s * kv_t*(d + dv)*e",
    [MIXER_SLIDING] = "layers * min(s, w) * kv_t*(d + dv)*e",
    [MIXER_CHUNKED] = "layers * min(s, w) * kv_t*(d + dv)*e",
    [MIXER_MLA] = "layers * s * (kvl + rope)*e, all on every GPU",
    [MIXER_CSA] = "layers * (min(s, w)*d*e + floor(s/r)*(d*e + index))",
    [MIXER_MAMBA1] = "layers * (di*n*4 + di*(k-1)*2)/tp",
    [MIXER_MAMBA2] = "layers * (di*n*4 + (di + 2*g*n)*(k-1)*2)/tp",
    [MIXER_DELTANET] = "layers * (nv*dk*dv*4 + (2*nk*dk + nv*dv)*(k-1)*2)/tp",
    [MIXER_KDA] = "layers * (nv*dk*dv*4 + (2*nk*dk + nv*dv)*(k-1)*2)/tp",
    [MIXER_LIGHTNING] = "layers * nv*dk*dv*4/tp",
};

struct dimension {
    const char *name;
    int value;
};

static void dimensions(struct term_why *t, const struct dimension *d, int count)
{
    for (int i = 0; i < count; i++)
        if (d[i].value > 0)
            why_in_count(t, d[i].name, d[i].value, "exact");
}

static void attention_inputs(struct term_why *t, const struct layer_kind *k, int tp)
{
    int own_index = k->index_shared ? 0 : k->index_dim;
    const struct dimension latent[] = {
        {"kvl", k->kv_lora}, {"rope", k->rope_dim}, {"index width", own_index}};
    const struct dimension pooled[] = {{"w", k->window},
                                       {"d", k->head_dim},
                                       {"r", k->compress},
                                       {"index width", k->index_dim}};
    const struct dimension heads[] = {{"kv", k->kv_heads},
                                      {"kv_t", layout_kv_heads(k, tp)},
                                      {"d", k->head_dim},
                                      {"dv", k->v_head_dim > 0 ? k->v_head_dim
                                                               : k->head_dim},
                                      {"w", k->window}};
    if (k->mixer == MIXER_MLA)
        dimensions(t, latent, 3);
    else if (k->mixer == MIXER_CSA)
        dimensions(t, pooled, 4);
    else
        dimensions(t, heads, 5);
}

static void state_inputs(struct term_why *t, const struct layer_kind *k, int tp)
{
    bool mamba = k->mixer == MIXER_MAMBA1 || k->mixer == MIXER_MAMBA2;
    const struct dimension scan[] = {{"di", k->lin_v_heads * k->lin_v_dim},
                                     {"n", k->lin_k_dim},
                                     {"g", k->groups},
                                     {"k", k->conv_kernel},
                                     {"tp", tp}};
    const struct dimension delta[] = {{"nk", k->lin_k_heads},
                                      {"dk", k->lin_k_dim},
                                      {"nv", k->lin_v_heads},
                                      {"dv", k->lin_v_dim},
                                      {"k", k->conv_kernel},
                                      {"tp", tp}};
    dimensions(t, mamba ? scan : delta, mamba ? 5 : 6);
}

static bool recurrent(const struct layer_kind *k)
{
    return k->mixer >= MIXER_MAMBA1 && k->mixer <= MIXER_LIGHTNING;
}

static bool alike(const struct why *why, const struct layer_kind *a,
                  const struct layer_kind *b)
{
    const struct plan *p = why->plan;
    int tp = p->layout.tp;
    return a->mixer == b->mixer && a->window == b->window &&
           a->kv_shared == b->kv_shared &&
           kvcache_layer_bytes(a, p->request.kv, tp) ==
               kvcache_layer_bytes(b, p->request.kv, tp) &&
           kvcache_state_bytes(a, tp) == kvcache_state_bytes(b, tp);
}

/* The binding stage's layers of the kinds that cache like kind k. */
static int layers_like(const struct why *why, int k)
{
    const struct plan *p = why->plan;
    const struct model *m = p->request.model;
    int first = layout_stage_first(m, p->layout.pp, p->memory.stage);
    int end = layout_stage_first(m, p->layout.pp, p->memory.stage + 1), count = 0;
    for (int i = first; i < end; i++)
        count += alike(why, &m->kind[k], &m->kind[m->layer[i]]);
    return count;
}

static bool seen_before(const struct why *why, int k)
{
    const struct model *m = why->plan->request.model;
    for (int j = 0; j < k; j++)
        if (alike(why, &m->kind[j], &m->kind[k]))
            return true;
    return false;
}

/* One request in a model that has only `layers` layers of kind k. */
static struct kv_sequence only(const struct plan *p, int k, int layers)
{
    struct request q = p->request;
    struct model m = *p->request.model;
    m.kind[0] = m.kind[k];
    m.kind_count = 1;
    m.layer_count = layers;
    memset(m.layer, 0, sizeof(m.layer));
    q.model = &m;
    return kvcache_sequence(&q, p->layout.tp, 0, layers, q.context,
                            p->memory.max_batched_tokens);
}

static void kind_term(struct why *why, int k, int layers)
{
    const struct plan *p = why->plan;
    const struct request *q = &p->request;
    const struct layer_kind *kind = &q->model->kind[k];
    struct kv_sequence s = only(p, k, layers);
    bool dsa = kind->mixer == MIXER_MLA && kind->index_heads > 0 && !kind->index_shared;
    bool state = recurrent(kind);
    char name[48];
    gp_format(name, sizeof(name), "%s: %d %s layer%s", state ? "state" : "KV", layers,
              dsa ? "mla + index" : mixer_word(kind->mixer), layers > 1 ? "s" : "");
    struct term_why *t = why_add(
        why, name,
        kind->kv_shared ? "0: reads the KV of an earlier layer"
        : dsa           ? "layers * s * ((kvl + rope)*e + index key), all on every GPU"
                        : kv_equations[kind->mixer]);
    why_in_count(t, "layers", layers, "exact");
    if (state) {
        state_inputs(t, kind, p->layout.tp);
    } else {
        why_in_count(t, "s", q->context, "request");
        attention_inputs(t, kind, p->layout.tp);
        why_in(t, "e %.4g bits (%s)", q->kv->bits, q->kv->id);
    }
    why_gib(t, quantity_exact(state ? s.state : s.exact));
    why_model(why, t);
}

static void per_token_term(struct why *why)
{
    const struct plan *p = why->plan;
    const struct model *m = p->request.model;
    struct term_why *t = why_add(why, "KV per token",
                                 "sum over layers without a window, whole model");
    for (int k = 0; k < m->kind_count; k++) {
        const struct layer_kind *kind = &m->kind[k];
        double bytes = kvcache_layer_bytes(kind, p->request.kv, 1);
        int layers = model_kind_layers(m, k);
        if (bytes > 0)
            why_in(t, "%d %s layer%s of %s B%s (exact)", layers,
                   mixer_word(kind->mixer), layers > 1 ? "s" : "", UNITS_PLAIN(bytes, 6),
                   kind->mixer == MIXER_SLIDING || kind->mixer == MIXER_CHUNKED
                       ? " within the window"
                       : "");
    }
    why_value(t, quantity_exact(p->memory.kv_bytes_per_token), 1, "B");
    why_model(why, t);
}

static const char *reserved_equation(const struct plan *p)
{
    if (p->memory.sequence.per_token > 0)
        return "ceil(s/block)*block * KV per token on this GPU";
    if (p->request.engine->window_groups)
        return "blocks*block bytes; full layer ceil(s/block), sliding "
               "ceil(min(w-1+c, s)/block)+1, chunked ceil(min(w+c, s)/block), state 1";
    return "every layer as a full one: ceil(s/block)*block, + state";
}

static void request_terms(struct why *why)
{
    const struct plan *p = why->plan;
    const struct kv_sequence *s = &p->memory.sequence;
    char text[32];
    struct term_why *t = why_add(why, "KV of one request",
                                 "sum over this GPU's layers, + state");
    why_in_count(t, "s", p->request.context, "request");
    why_in_exact(t, "keys and values", s->exact);
    if (s->state > 0)
        why_in_exact(t, "state", s->state);
    why_gib(t, quantity_exact(s->exact + s->state));
    why_model(why, t);
    t = why_add(why, "one request is given", reserved_equation(p));
    why_in_count(t, "block", p->request.engine->block, "engine");
    why_in_count(t, "c", p->memory.max_batched_tokens,
                 p->request.max_batched_tokens > 0 ? "request" : "engine default");
    if (s->block > 0)
        why_in(t, "one block of the pool %s, %s of them (exact)",
               units_bytes(text, sizeof(text), s->block),
               UNITS_PLAIN(s->reserved / s->block, 6));
    why_gib(t, quantity_exact(s->reserved));
    why_engine(why, t, TERM_BLOCK);
}

void explain_kv(struct why *why)
{
    const struct plan *p = why->plan;
    const struct model *m = p->request.model;
    if (p->memory.sequence.reserved <= 0)
        return;
    per_token_term(why);
    for (int k = 0; k < m->kind_count; k++) {
        int layers = seen_before(why, k) ? 0 : layers_like(why, k);
        if (layers > 0 && m->kind[k].mixer != MIXER_NONE)
            kind_term(why, k, layers);
    }
    request_terms(why);
}
