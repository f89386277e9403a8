/*
 * terms_kv.c - what one request keeps: layer kind by layer kind, then in blocks.
 *
 * Layers that cache alike are one term ("KV: 52 sliding layers"). Its value is that of
 * kvcache_sequence() for a model of these layers alone, so the terms add up to the
 * KV of one request: Gemma-3-27B at 32,768 tokens: 0.41 + 2.50 = 2.91 GiB.
 */
#include <stdio.h>
#include <string.h>

#include "core/draft.h"
#include "core/terms_list.h"
#include "util/str.h"

/* Per layer; kv_t = max(1, ceil(kv/tp)), e = bits of one cached element / 8, se
 * and ce = bytes of one element of state and of the convolution's tail. */
static const struct mixer_terms {
    const char *equation, *inputs;
} mixers[MIXER_COUNT] = {
    [MIXER_FULL] = {"layers * s * kv_t*(d + dv)*e", "layers, s, kv, kv_t, d, dv, w, e"},
    [MIXER_SLIDING] = {"layers * min(s, w) * kv_t*(d + dv)*e",
                       "layers, s, kv, kv_t, d, dv, w, e"},
    [MIXER_CHUNKED] = {"layers * min(s, w) * kv_t*(d + dv)*e",
                       "layers, s, kv, kv_t, d, dv, w, e"},
    [MIXER_MLA] = {"layers * s * (kvl + rope)*e, all on every GPU",
                   "layers, s, kvl, rope, index width, e"},
    [MIXER_CSA] = {"layers * (min(s, w)*d*e + floor(s/r)*(d*e + index))",
                   "layers, s, w, d, r, index width, e"},
    [MIXER_MAMBA1] = {"layers * (di*n*se + di*(k-1)*ce)/tp",
                      "layers, di, n, g, k, tp, se, ce"},
    [MIXER_MAMBA2] = {"layers * (di*n*se + (di + 2*g*n)*(k-1)*ce)/tp",
                      "layers, di, n, g, k, tp, se, ce"},
    [MIXER_DELTANET] = {"layers * (nv*dk*dv*se + (2*nk*dk + nv*dv)*(k-1)*ce)/tp",
                        "layers, nk, dk, nv, dv, k, tp, se, ce"},
    [MIXER_KDA] = {"layers * (nv*dk*dv*se + (2*nk*dk + nv*dv)*(k-1)*ce)/tp",
                   "layers, nk, dk, nv, dv, k, tp, se, ce"},
    [MIXER_LIGHTNING] = {"layers * nv*dk*dv*se/tp", "layers, nk, dk, nv, dv, tp, se"},
    [MIXER_CONV] = {"layers * di*(k-1)*ce/tp", "layers, di, k, tp, ce"},
};

static void know_dimensions(struct terms *w, const struct layer_kind *k)
{
    const struct request *q = &w->plan->request;
    const struct {
        const char *name;
        int value;
    } dimensions[] = {
        {"kvl", k->kv_lora},
        {"rope", k->rope_dim},
        {"index width", k->index_shared ? 0 : k->index_dim},
        {"w", k->window},
        {"d", k->head_dim},
        {"r", k->compress},
        {"kv", k->kv_heads},
        {"kv_t", k->kv_heads ? layout_kv_heads(k, w->plan->layout.tp) : 0},
        {"dv", mixer_is_recurrent(k->mixer)     ? k->lin_v_dim
               : k->v_head_dim > 0 ? k->v_head_dim
                                   : k->head_dim},
        {"di", k->lin_v_heads * k->lin_v_dim},
        {"n", k->lin_k_dim},
        {"g", k->groups},
        {"k", k->conv_kernel},
        {"nk", k->lin_k_heads},
        {"dk", k->lin_k_dim},
        {"nv", k->lin_v_heads},
        {"se", (int)kvcache_state_element(q, k)},
        {"ce", q->engine->conv_fp32 ? 4 : 2},
    };
    for (size_t i = 0; i < sizeof(dimensions) / sizeof(dimensions[0]); i++)
        know_number(w, dimensions[i].name, dimensions[i].value, "exact");
}

static bool cache_alike(const struct plan *p, const struct layer_kind *a,
                        const struct layer_kind *b)
{
    int tp = p->layout.tp;
    return a->mixer == b->mixer && a->window == b->window &&
           a->kv_shared == b->kv_shared &&
           kvcache_layer_bytes(a, p->request.kv, tp) ==
               kvcache_layer_bytes(b, p->request.kv, tp) &&
           kvcache_state_bytes(&p->request, a, tp) ==
               kvcache_state_bytes(&p->request, b, tp);
}

/* The binding stage's layers that cache like kind k; 0 when an earlier kind has counted
 * them. */
static int layers_like(const struct plan *p, int k)
{
    const struct model *m = p->request.model;
    int first = layout_stage_begin(&p->request, p->layout.pp, p->memory.stage);
    int end = layout_stage_begin(&p->request, p->layout.pp, p->memory.stage + 1);
    int count = 0;
    for (int j = 0; j < k; j++)
        if (cache_alike(p, &m->kind[j], &m->kind[k]))
            return 0;
    for (int i = first; i < end; i++)
        count += cache_alike(p, &m->kind[k], &m->kind[m->layer[i]]);
    return count;
}

/* One request in a model that has only `layers` layers of kind k. */
static struct kv_sequence sequence_of(const struct plan *p, int k, int layers)
{
    struct request q = p->request;
    struct model m = *p->request.model;
    m.kind[0] = m.kind[k];
    m.kind_count = 1;
    m.layer_count = layers;
    memset(m.layer, 0, sizeof(m.layer));
    q.model = &m;
    q.draft = NULL;
    return kvcache_sequence(&q, p->layout.tp, 0, layers, q.context,
                            p->memory.max_batched_tokens);
}

/* What the engine keeps of these layers is a rule of its own; else the shape is all. */
static struct term_source source_of_kind(const struct request *q, const struct layer_kind *k)
{
    const struct engine *e = q->engine;
    enum engine_term term = mixer_is_recurrent(k->mixer) ? TERM_STATE : TERM_SPARSE;
    bool rule = term == TERM_STATE || k->mixer == MIXER_CSA || k->index_heads > 0;
    return rule && e->evidence[term][0] ? source_engine(e, term) : source_model(q->model);
}

static void add_kind(struct terms *w, int k, int layers)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    const struct layer_kind *kind = &q->model->kind[k];
    struct kv_sequence s = sequence_of(p, k, layers);
    bool dsa = kind->mixer == MIXER_MLA && kind->index_heads > 0 && !kind->index_shared;
    bool state = mixer_is_recurrent(kind->mixer);
    char name[48];
    int known = w->known_count;
    gp_format(name, sizeof(name), "%s: %d %s layer%s", state ? "state" : "KV", layers,
              dsa ? "mla + index" : mixer_word(kind->mixer), layers > 1 ? "s" : "");
    know_number(w, "layers", layers, "exact");
    know_unit(w, "e", q->kv->bits, "bits", q->kv->id);
    know_dimensions(w, kind);
    term_add(w, name,
             kind->kv_shared ? "0: reads the KV of an earlier layer"
             : dsa ? "layers * s * ((kvl + rope)*e + index key), all on every GPU"
                   : mixers[kind->mixer].equation,
             quantity_exact(state ? s.state : s.exact), "GiB", source_of_kind(q, kind),
             mixers[kind->mixer].inputs);
    terms_forget(w, known);
}

/* The draft's, where the last stage binds: what one request has more with it. */
static void add_draft(struct terms *w)
{
    const struct plan *p = w->plan;
    struct request plain = p->request;
    int first = layout_stage_begin(&plain, p->layout.pp, p->memory.stage);
    int end = layout_stage_begin(&plain, p->layout.pp, p->memory.stage + 1);
    if (!plain.draft || end < plain.model->layer_count)
        return;
    plain.draft = NULL;
    struct kv_sequence s = kvcache_sequence(&plain, p->layout.tp, first, end, plain.context,
                                            p->memory.max_batched_tokens);
    know_number(w, "layers of the draft", p->request.draft->layer_count, "exact");
    know_word(w, "KV of the draft", draft_kv(&p->request)->id);
    term_add(w, p->request.draft_mtp ? "KV: MTP layers" : "KV: draft",
             "the same of its layers, in the same pool",
             quantity_exact(p->memory.sequence.exact - s.exact), "GiB",
             source_engine(plain.engine, TERM_DRAFT),
             "layers of the draft, KV of the draft, s, tp");
}

/* Each kind's layers times its bytes. */
static void add_per_token(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct model *m = p->request.model;
    term_add(w, "KV per token", "sum over layers without a window, whole model",
             quantity_exact(p->memory.kv_bytes_per_token), "B",
             source_model(p->request.model), "");
    for (int k = 0; k < m->kind_count; k++) {
        enum mixer mixer = m->kind[k].mixer;
        bool window = mixer == MIXER_SLIDING || mixer == MIXER_CHUNKED;
        double bytes = kvcache_layer_bytes(&m->kind[k], p->request.kv, 1);
        if (bytes <= 0)
            continue;
        know_unit(w, mixer_word(mixer), bytes,
                  window ? "B a layer within the window" : "B a layer", "exact");
        term_takes_last(w, model_kind_layers(m, k));
    }
}

void terms_kv(struct terms *w)
{
    const struct plan *p = w->plan;
    const struct engine *e = p->request.engine;
    const struct kv_sequence *s = &p->memory.sequence;
    if (s->reserved + s->fixed <= 0)
        return;
    add_per_token(w);
    for (int k = 0; k < p->request.model->kind_count; k++) {
        int layers = layers_like(p, k);
        if (layers > 0 && p->request.model->kind[k].mixer != MIXER_NONE)
            add_kind(w, k, layers);
    }
    add_draft(w);
    term_add(w, "KV of one request", "sum over this GPU's layers, + state",
             quantity_exact(s->exact + s->state), "GiB", source_model(p->request.model),
             "s, keys and values, state");
    know_number(w, "drafted tokens", p->request.draft_tokens, "request");
    know_number(w, "blocks", s->block > 0 ? s->reserved / s->block : 0, "exact");
    term_add(w, "one request is given",
             s->per_token > 0 ? "ceil(s/block)*block * KV per token on this GPU"
             : e->budget == BUDGET_STATIC
                 ? "max(s cells of the pool, min(s, w)/window share of them, its slots of "
                   "state), the states' share beside"
             : s->fixed > 0 ? "full layers: ceil(s/block)*block; what all slots share beside"
             : e->window_groups
                 ? "blocks*block bytes; full layer ceil(s/block), sliding "
                   "ceil(min(w-1+c, s)/block)+1, chunked ceil(min(w+c, s)/block), "
                   "state 1 to 3, and one per token drafted"
                 : "every layer as a full one: ceil(s/block)*block, + state",
             quantity_exact(s->reserved), "GiB", source_engine(e, TERM_BLOCK),
             "s, block, c, block bytes, blocks, drafted tokens");
    know_number(w, "slots", kvcache_slots(&p->request, p->memory.users), "engine");
    if (s->fixed > 0)
        term_add(w, "all slots share",
                 "windows: pad256(min(w*slots + c, all cells)); states: slots * state",
                 quantity_exact(s->fixed), "GiB", source_engine(e, TERM_BLOCK),
                 "slots, c, w, state");
}
