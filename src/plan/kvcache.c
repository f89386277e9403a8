/*
 * kvcache.c - see kvcache.h for the equations.
 *
 * Sources: vLLM v1 kv_cache_interface (AttentionSpec, MLAAttentionSpec,
 * SlidingWindowSpec, ChunkedLocalAttentionSpec, MambaSpec) and kv_cache_utils
 * (grouping); ai-dynamo/aiconfigurator for indexer entries and recurrent states;
 * transformers modular_deepseek_v4 for CSA, vLLM 0.32 deepseek_v41 for CSA2. Checked
 * against logged vLLM 0.19 concurrency figures: Gemma-3-27B 4.46, gpt-oss-20b 155.75,
 * Llama-4-Scout 44.68 sequences of 8192 tokens.
 */
#include "plan/kvcache.h"

#include <math.h>
#include <string.h>

#include "plan/draft.h"
#include "plan/rules.h"
#include "plan/terms_list.h"

/* vLLM's layout of a quantised DSA latent: 512 FP8 + 4 FP32 scales + 64 BF16 rope. */
#define DSA_FP8_LATENT 656.0

static double ceil_div(double a, double b)
{
    return ceil(a / b);
}

/* Bytes of one cached element. Scales per row or tensor vanish beside the values; the
 * small groups of NVFP4 and the GGUF types do not. */
static double element_bytes(const struct format *kv)
{
    double bytes = kv->bits / 8;

    if (kv->group_cols > 0 && kv->group_cols <= 64)
        bytes += kv->group_bytes / kv->group_cols;
    return bytes;
}

/* Per token: uint8 with an FP32 scale per 128, whatever the cache's format: 132 B; beside
 * grouped heads (MiniMax M3, Qwen4) 16 bit. Pooled keys also have a ring for the open pool
 * (vLLM 0.33, qsa_cache.py: below 0.1 MiB a request), which is not counted. */
static double index_bytes(const struct layer_kind *k)
{
    double pool = k->index_pool > 0 ? k->index_pool : 1;

    if (k->index_heads <= 0 || k->index_shared)
        return 0;
    if (k->mixer == MIXER_FULL)
        return k->index_dim * 2 / pool;
    return (k->index_dim + 4 * ceil_div(k->index_dim, 128)) / pool;
}

static bool is_windowed(const struct layer_kind *k)
{
    return mixer_is(k->mixer, MIXER_IS_WINDOWED);
}

/* V4.1's record, which FlashMLA decodes on compute capability 10.x alone: all of it FP8
 * with a scale per 32 elements (deepseek_v41/attention.py, _use_v41_mxfp8_kv_record). */
static bool scales_by_32(const struct layer_kind *k, const struct gpu *gpu)
{
    return k->csa2 && gpu != NULL && gpu->compute_capability / 10 == 10;
}

/* One entry of CSA. In FP8 the 64 rotated elements stay in 16 bit, and 8 bytes of scales
 * follow: 584 B of head_dim 512; 528 B of V4.1's record. gpu: NULL = not known. */
static double csa_entry(const struct layer_kind *k, const struct format *kv, const struct gpu *gpu)
{
    if (kv->bits > 8)
        return k->head_dim * element_bytes(kv);
    return scales_by_32(k, gpu) ? k->head_dim + k->head_dim / 32 : k->head_dim + 64 + 8;
}

/* Bytes of a token, also of a layer that could read an earlier one's. */
static double own_bytes(const struct layer_kind *k, const struct format *kv, const struct gpu *gpu,
                        int tp)
{
    if (!(mixer_is(k->mixer, MIXER_IS_ATTENTION)))
        return 0;
    if (k->mixer == MIXER_MLA) {
        double latent = (k->kv_lora + k->rope_dim) * element_bytes(kv);

        return (k->index_heads > 0 && kv->bits <= 8 ? DSA_FP8_LATENT : latent) + index_bytes(k);
    }
    if (k->mixer == MIXER_CSA) /* one entry per `compress` tokens */
        return k->compress <= 0 || (k->csa2 && k->kv_shared)
                   ? 0
                   : (csa_entry(k, kv, gpu) + index_bytes(k)) / k->compress;
    int v_dim = k->v_head_dim > 0 ? k->v_head_dim : k->head_dim;
    return layout_kv_heads(k, tp) * (k->head_dim + v_dim) * element_bytes(kv) + index_bytes(k);
}

double kvcache_layer_bytes(const struct layer_kind *k, const struct format *kv,
                           const struct gpu *gpu, int tp)
{
    return k->kv_shared ? 0 : own_bytes(k, kv, gpu, tp);
}

double kvcache_state_element(const struct request *q, const struct layer_kind *k)
{
    bool wide =
        k->mixer == MIXER_KDA || engine_names_family(q->engine->state_fp32, q->model->family);

    return wide ? 4 : 2;
}

double kvcache_state_bytes(const struct request *q, const struct layer_kind *k, int tp)
{
    if (!mixer_is(k->mixer, MIXER_IS_RECURRENT))
        return 0;
    double state = kvcache_state_element(q, k), tail = q->engine->conv_fp32 ? 4 : 2;
    double conv = k->conv_kernel > 1 ? k->conv_kernel - 1 : 0;
    if (conv > 0 && q->engine->state_drafts && q->engine->budget == BUDGET_UTILIZATION)
        conv += q->draft_tokens; /* vLLM: mamba_utils.py */
    double vd = (double)k->lin_v_heads * k->lin_v_dim;
    double kd = (double)k->lin_k_heads * k->lin_k_dim;
    double bytes = 0;
    switch (k->mixer) {
    case MIXER_MAMBA1:
        bytes = vd * k->lin_k_dim * state + vd * conv * tail;
        break;
    case MIXER_MAMBA2:
        bytes = vd * k->lin_k_dim * state + (vd + 2.0 * k->groups * k->lin_k_dim) * conv * tail;
        break;
    case MIXER_DELTANET:
    case MIXER_KDA:
        bytes = (double)k->lin_v_heads * k->lin_k_dim * k->lin_v_dim * state +
                (2 * kd + vd) * conv * tail;
        break;
    case MIXER_LIGHTNING:
        bytes = (double)k->lin_v_heads * k->lin_k_dim * k->lin_v_dim * state;
        break;
    case MIXER_CONV:
        bytes = vd * conv * tail;
        break;
    default:
        break;
    }
    return bytes / tp;
}

/* Bytes of keys and values of `tokens` tokens in one layer, exactly. */
static double layer_exact(const struct request *q, const struct layer_kind *k, double per_token,
                          double tokens)
{
    if (k->mixer == MIXER_CSA) {
        double window = fmin(tokens, k->window) * csa_entry(k, q->kv, q->gpu);
        double r = k->compress;

        return window + (r > 0 ? floor(tokens / r) * r * per_token : 0);
    }
    return (is_windowed(k) ? fmin(tokens, k->window) : tokens) * per_token;
}

/* ---- CSA as vLLM pages it (deepseek_v4/attention.py, compressor.py) ---- */

#define CSA_BLOCK 256.0 /* tokens; a window's block is a quarter of it */
#define CSA_ALIGN 576.0 /* bytes a page is rounded up to */

static double csa_page(double bytes)
{
    return ceil_div(bytes, CSA_ALIGN) * CSA_ALIGN;
}

/* Bytes of the pages of a cache that keeps `window` tokens and the batches in flight. */
static double csa_window(double window, double tokens, double batch, double block, double page)
{
    return (ceil_div(fmin(window - 1 + batch, tokens), block) + 1) * page;
}

/* CSA2 as vLLM packs it (deepseek_v41/attention.py; kv_cache_utils.py, 0.32,
 * _get_packed_kv_cache_groups): a block of the pool holds a page of every pool and index
 * that layers read. Windows have pages of 32 tokens and are put into as few groups as a
 * block has room for; each page of a group takes a block. What pools 2 tokens keeps 8 rows
 * of FP32 for a request, all layers in one block. */
struct csa2 {
    double tokens, align; /* of a block; pages are rounded up to it */
    double entry, index;  /* bytes of a pooled entry and of its index key */
    double block;         /* bytes */
    double gated;         /* layers that pool more than one token */
};

static double csa2_pages(const struct csa2 *c, const struct layer_kind *k)
{
    double entries = c->tokens / k->compress;

    return ceil_div(entries * c->entry, c->align) * c->align +
           ceil_div(entries * c->index, c->align) * c->align;
}

static struct csa2 csa2_of(const struct request *q, const struct layer_kind *kind)
{
    const struct model *m = q->model;
    struct csa2 c = {.tokens = q->gpu->compute_capability / 10 == 9 ? 64 : 128,
                     .align = scales_by_32(kind, q->gpu) ? 512 : CSA_ALIGN,
                     .entry = csa_entry(kind, q->kv, q->gpu)};

    for (int i = 0; i < m->kind_count; i++) {
        const struct layer_kind *k = &m->kind[i];
        double layers = model_kind_layers(m, i);

        c.index = index_bytes(k);
        if (!k->csa2 || k->compress <= 0 || k->kv_shared)
            continue;
        c.block += layers * csa2_pages(&c, k);
        c.gated += k->compress > 1 ? layers : 0;
    }
    c.index = index_bytes(kind);
    return c;
}

static double csa2_reserved(const struct request *q, const struct layer_kind *k, double tokens,
                            double batch)
{
    struct csa2 c = csa2_of(q, k);
    double layers = q->model->layer_count, page = ceil_div(32 * c.entry, c.align) * c.align;
    double held = fmax(floor(c.block / page), 1);
    double share = c.block > 0 ? ceil_div(layers, held) * c.block / layers : page;
    double bytes = csa_window(k->window, tokens, batch, 32, share);

    if (k->compress <= 0 || k->kv_shared)
        return bytes;
    return bytes + ceil_div(tokens, c.tokens) * csa2_pages(&c, k);
}

/* The FP32 states of what pools a layer's entries: over 4 tokens twice (they overlap), over 128
 * once, over 2 tokens one block for all layers. A page of states is as large as the page of
 * entries that it shares the pool with. */
struct csa_states {
    double tokens, block; /* that are kept beside the batch; of a page, or layers that share it */
    double page;          /* bytes */
    double bytes;         /* of a request; 0: nothing is pooled */
};

static struct csa_states csa_states(const struct request *q, const struct layer_kind *k,
                                    double tokens, double batch)
{
    double quarter = CSA_BLOCK / 4, page = csa_page(quarter * csa_entry(k, q->kv, q->gpu));
    struct csa_states s = {k->compress, 8, page, 0};

    if (k->csa2 && (k->compress <= 1 || k->kv_shared))
        return s;
    if (k->csa2) {
        struct csa2 c = csa2_of(q, k);

        return (struct csa_states){0, c.gated, c.block, c.block / c.gated};
    }
    if (k->compress <= 4)
        s = (struct csa_states){2.0 * k->compress, k->compress,
                                page + csa_page(quarter * index_bytes(k)), 0};
    if (k->compress > 0)
        s.bytes = csa_window(s.tokens, tokens, batch, s.block, s.page);
    return s;
}

/* The window of each layer, its pooled entries and index, and their states. */
static double csa_reserved(const struct request *q, const struct layer_kind *k, double tokens,
                           double batch)
{
    double states = csa_states(q, k, tokens, batch).bytes;

    if (k->csa2)
        return csa2_reserved(q, k, tokens, batch) + states;
    double entry = csa_entry(k, q->kv, q->gpu), quarter = CSA_BLOCK / 4;
    double bytes = csa_window(k->window, tokens, batch, quarter, csa_page(quarter * entry));
    double blocks = ceil_div(tokens, CSA_BLOCK);
    if (k->compress <= 0)
        return bytes;
    bytes += blocks * csa_page(CSA_BLOCK / k->compress * entry) + states;
    return k->compress > 4 ? bytes : bytes + blocks * csa_page(quarter * index_bytes(k));
}

/* Every layer's blocks for itself. */
static double layer_reserved(const struct request *q, const struct kv_type *t, double tokens,
                             double batch)
{
    double block = kvcache_block(q->engine, t->kind);

    if (t->kind->mixer == MIXER_CSA)
        return kvcache_has_groups(q)
                   ? csa_reserved(q, t->kind, tokens, batch)
                   : layer_exact(q, t->kind, t->bytes, ceil_div(tokens, block) * block);
    if (kvcache_has_groups(q))
        return kvcache_layer_blocks(t->kind, tokens, batch, block) * block * t->bytes;
    return ceil_div(tokens, block) * block * t->bytes;
}

double kvcache_slots(const struct request *q, double users)
{
    return q->max_num_seqs > 0 ? q->max_num_seqs : fmax(users, q->engine->slots_least);
}

/* The types of q's model; those of a draft of its own are apart from the model's. */
static void cut_kinds(const struct request *q, int tp, bool draft, struct kv_cut *out, int *of_kind)
{
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];
        /* some engines keep the cache of a layer that reads an earlier one's, unused */
        double bytes = q->engine->shared_kv_kept ? own_bytes(kind, q->kv, q->gpu, tp)
                                                 : kvcache_layer_bytes(kind, q->kv, q->gpu, tp);
        double state = kvcache_state_bytes(q, kind, tp);
        int t = 0;

        for (; t < out->count; t++) {
            const struct kv_type *a = &out->type[t];

            if (a->draft == draft && a->kind->mixer == kind->mixer && a->bytes == bytes &&
                a->state == state && (!is_windowed(kind) || a->kind->window == kind->window))
                break;
        }
        of_kind[k] = -1;
        if (bytes == 0 && state == 0 && kind->mixer != MIXER_CSA)
            continue;
        of_kind[k] = t;
        if (t < out->count)
            continue;
        struct kv_type *type = &out->type[out->count++];
        *type = (struct kv_type){.kind = kind, .bytes = bytes, .state = state, .draft = draft};
        type->exact = layer_exact(q, kind, bytes, out->tokens);
        type->reserved = layer_reserved(q, type, out->tokens, out->batch);
    }
}

bool kvcache_holds_batch(const struct request *q)
{
    bool any = q->draft || q->engine->budget == BUDGET_ASKED;

    return any || model_has_mixer(q->model, MIXER_IS_WINDOWED) ||
           model_has_mixer(q->model, MIXER_IS_POOLED);
}

void kvcache_cut(const struct request *q, int tp, double users, double tokens, double batch,
                 struct kv_cut *out)
{
    out->count = 0;
    out->slots = kvcache_slots(q, users);
    out->cells = users * tokens;
    out->tokens = tokens;
    out->batch = batch * q->engine->batches;
    cut_kinds(q, tp, false, out, out->of_kind);
    if (!q->draft)
        return;
    struct request d = draft_request(q);
    cut_kinds(&d, tp, q->engine->draft_cells, out, out->of_draft);
}

/* ---- one sequence ---- */

struct kv_sequence kvcache_stage(const struct request *q, const struct kv_cut *cut,
                                 const int *layers, bool draft)
{
    struct kv_sequence s = {0};
    struct kv_group groups[KV_TYPES];
    const struct engine *e = q->engine;
    const struct engine_rules *rules = engine_rules(e->budget);
    double of_type[KV_TYPES];
    int count = 0;

    for (int t = 0; t < cut->count; t++)
        of_type[t] = 0;
    for (int k = 0; k < q->model->kind_count; k++)
        if (cut->of_kind[k] >= 0)
            of_type[cut->of_kind[k]] += layers[k];
    for (int k = 0; draft && q->draft && k < q->draft->kind_count; k++)
        if (cut->of_draft[k] >= 0)
            of_type[cut->of_draft[k]] += model_kind_layers(q->draft, k);
    for (int t = 0; t < cut->count; t++)
        if (of_type[t] > 0)
            groups[count++] = (struct kv_group){&cut->type[t], of_type[t]};
    bool uniform = count > 0 && kvcache_is_uniform(groups, count);
    bool csa = false;

    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;

        csa = csa || t->kind->mixer == MIXER_CSA;
        s.exact += groups[g].layers * t->exact;
        s.state += groups[g].layers * t->state;
        s.reserved +=
            groups[g].layers *
            (t->state > 0 ? t->reserved + t->state * kvcache_state_blocks(q) : t->reserved);
        s.block += groups[g].layers * t->bytes * kvcache_block(e, t->kind);
    }
    if (uniform && !is_windowed(groups[0].type->kind) && !csa)
        s.per_token = s.exact / cut->tokens;
    if (s.block == 0)
        s.block = s.state; /* a pool of states alone */
    if (count > 0 && !csa && rules->reserve)
        rules->reserve(&s, cut, groups, count, q);
    return s;
}

struct kv_sequence kvcache_sequence(const struct request *q, int tp, int first, int end,
                                    double tokens, double batch)
{
    struct kv_cut cut;
    int layers[MODEL_MAX_KINDS];

    kvcache_cut(q, tp, ceil(q->users / fmax(q->replicas, 1)), tokens, batch, &cut);
    model_count_kinds(q->model, first, end, layers);
    return kvcache_stage(q, &cut, layers, end == q->model->layer_count);
}

double kvcache_bytes_per_token(const struct model *model, const struct format *kv,
                               const struct gpu *gpu)
{
    double bytes = 0;

    for (int k = 0; k < model->kind_count; k++)
        if (!is_windowed(&model->kind[k]))
            bytes += model_kind_layers(model, k) * kvcache_layer_bytes(&model->kind[k], kv, gpu, 1);
    return bytes;
}

/* ---- terms ---- */

/* What one request keeps, layer kind by layer kind, then in blocks. Layers that cache
 * alike are one term ("KV: 52 sliding layers"). Its value is that of kvcache_sequence()
 * for a model of these layers alone, so the terms add up to the KV of one request:
 * Gemma-3-27B at 32,768 tokens: 0.41 + 2.50 = 2.91 GiB. */

/* Per layer; kv_t = max(1, ceil(kv/tp)), e = bits of one cached element / 8, se
 * and ce = bytes of one element of state and of the convolution's tail. */
static const struct mixer_terms {
    const char *equation, *inputs;
} mixers[MIXER_COUNT] = {
    [MIXER_FULL] = {"layers * s * kv_t*(d + dv)*e", "layers, s, kv, kv_t, d, dv, w, e"},
    [MIXER_SLIDING] = {"layers * min(s, w) * kv_t*(d + dv)*e", "layers, s, kv, kv_t, d, dv, w, e"},
    [MIXER_CHUNKED] = {"layers * min(s, w) * kv_t*(d + dv)*e", "layers, s, kv, kv_t, d, dv, w, e"},
    [MIXER_MLA] = {"layers * s * (kvl + rope)*e, all on every GPU",
                   "layers, s, kvl, rope, index width, e"},
    [MIXER_CSA] = {"layers * (min(s, w)*d*e + floor(s/r)*(d*e + index))",
                   "layers, s, w, d, r, index width, e"},
    [MIXER_MAMBA1] = {"layers * (di*n*se + di*(k-1)*ce)/tp", "layers, di, n, g, k, tp, se, ce"},
    [MIXER_MAMBA2] = {"layers * (di*n*se + (di + 2*g*n)*(k-1)*ce)/tp",
                      "layers, di, n, g, k, tp, se, ce"},
    [MIXER_DELTANET] = {"layers * (nv*dk*dv*se + (2*nk*dk + nv*dv)*(k-1)*ce)/tp",
                        "layers, nk, dk, nv, dv, k, tp, se, ce"},
    [MIXER_KDA] = {"layers * (nv*dk*dv*se + (2*nk*dk + nv*dv)*(k-1)*ce)/tp",
                   "layers, nk, dk, nv, dv, k, tp, se, ce"},
    [MIXER_LIGHTNING] = {"layers * nv*dk*dv*se/tp", "layers, nk, dk, nv, dv, tp, se"},
    [MIXER_CONV] = {"layers * di*(k-1)*ce/tp", "layers, di, k, tp, ce"},
};

static bool cache_alike(const struct plan *p, const struct layer_kind *a,
                        const struct layer_kind *b)
{
    int tp = p->layout.tp;

    return a->mixer == b->mixer && a->window == b->window && a->kv_shared == b->kv_shared &&
           kvcache_layer_bytes(a, p->request.kv, p->request.gpu, tp) ==
               kvcache_layer_bytes(b, p->request.kv, p->request.gpu, tp) &&
           kvcache_state_bytes(&p->request, a, tp) == kvcache_state_bytes(&p->request, b, tp);
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

/* What vLLM keeps beside the entries that compressed attention pools: most of what a short
 * request is given. */
static void add_csa_states(struct terms *w, const struct layer_kind *k, int layers)
{
    const struct request *q = &w->plan->request;
    double batch = w->plan->memory.max_batched_tokens * q->engine->batches;
    struct csa_states s = csa_states(q, k, q->context, batch);

    if (k->mixer != MIXER_CSA || !kvcache_has_groups(q) || s.bytes <= 0)
        return;
    input_number(w, "c", batch, NULL);
    input_number(w, "kept", s.tokens, "exact");
    input_number(w, k->csa2 ? "layers that pool" : "page tokens", s.block, "exact");
    input_exact(w, "page", s.page);
    term_add(w, "states", "C_i",
             k->csa2 ? "layers * page / layers that pool"
                     : "layers * (ceil(min(kept - 1 + c, s)/page tokens) + 1) * page, in FP32",
             quantity_exact(layers * s.bytes), "GiB", source_engine(q->engine, TERM_SPARSE),
             k->csa2 ? "layers, r, layers that pool, page"
                     : "layers, s, r, c, kept, page tokens, page");
    term_is_part(w, "csa compressor", layers);
}

static void add_kind(struct terms *w, int k, int layers)
{
    const struct plan *p = w->plan;
    const struct request *q = &p->request;
    const struct layer_kind *kind = &q->model->kind[k];
    const struct engine *e = q->engine;
    bool dsa = kind->mixer == MIXER_MLA && kind->index_heads > 0 && !kind->index_shared;
    bool state = mixer_is(kind->mixer, MIXER_IS_RECURRENT);
    int known = w->known_count;
    const struct {
        const char *name;
        int value;
    } dimensions[] = {
        {"kvl", kind->kv_lora},
        {"rope", kind->rope_dim},
        {"index width", kind->index_shared ? 0 : kind->index_dim},
        {"w", kind->window},
        {"d", kind->head_dim},
        {"r", kind->compress},
        {"kv", kind->kv_heads},
        {"kv_t", kind->kv_heads ? layout_kv_heads(kind, p->layout.tp) : 0},
        {"dv", state                  ? kind->lin_v_dim
               : kind->v_head_dim > 0 ? kind->v_head_dim
                                      : kind->head_dim},
        {"di", kind->lin_v_heads * kind->lin_v_dim},
        {"n", kind->lin_k_dim},
        {"g", kind->groups},
        {"k", kind->conv_kernel},
        {"nk", kind->lin_k_heads},
        {"dk", kind->lin_k_dim},
        {"nv", kind->lin_v_heads},
        {"se", (int)kvcache_state_element(q, kind)},
        {"ce", e->conv_fp32 ? 4 : 2},
    };
    /* one request in a model that has only `layers` layers of kind k */
    struct request one = *q;
    struct model m = *q->model;

    m.kind[0] = m.kind[k];
    m.kind_count = 1;
    m.layer_count = layers;
    memset(m.layer, 0, sizeof(m.layer));
    one.model = &m;
    one.draft = NULL;
    struct kv_sequence s =
        kvcache_sequence(&one, p->layout.tp, 0, layers, one.context, p->memory.max_batched_tokens);
    /* what the engine keeps of these layers is a rule of its own; else the shape is all */
    enum engine_term term = state ? TERM_STATE : TERM_SPARSE;
    bool rule = state || kind->mixer == MIXER_CSA || kind->index_heads > 0;

    input_number(w, "layers", layers, "exact");
    input_unit(w, "e", q->kv->bits, "bits", q->kv->id);
    for (size_t i = 0; i < sizeof(dimensions) / sizeof(dimensions[0]); i++)
        input_number(w, dimensions[i].name, dimensions[i].value, "exact");
    term_add(w, state ? "state" : "KV", state ? "S_i" : "KV_i",
             kind->csa2 && kind->kv_shared
                 ? "layers * min(s, w)*entry: the rest is an earlier layer's"
             : kind->kv_shared ? "0: reads the KV of an earlier layer"
             : dsa             ? "layers * s * ((kvl + rope)*e + index key), all on every GPU"
                               : mixers[kind->mixer].equation,
             quantity_exact(state ? s.state : s.exact), "GiB",
             rule && e->evidence[term][0] ? source_engine(e, term) : source_model(q->model),
             mixers[kind->mixer].inputs);
    term_is_part(w, dsa ? "mla + index" : mixer_word(kind->mixer), layers);
    add_csa_states(w, kind, layers);
    inputs_truncate(w, known);
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
    input_number(w, "layers of the draft", p->request.draft->layer_count, "exact");
    input_word(w, "KV of the draft", draft_kv(&p->request)->id);
    term_add(w, p->request.draft_kind == DRAFT_MTP ? "KV: MTP layers" : "KV: draft", "KV_i",
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
    bool any = false;

    for (int k = 0; k < m->kind_count && !any; k++)
        any = kvcache_layer_bytes(&m->kind[k], p->request.kv, p->request.gpu, 1) > 0;
    term_add(w, "KV per token", "KV/token", "sum over layers without a window, whole model",
             quantity_exact(p->memory.kv_bytes_per_token), "B", source_model(p->request.model),
             any ? "" : "no layer that caches tokens");
    for (int k = 0; k < m->kind_count; k++) {
        enum mixer mixer = m->kind[k].mixer;
        bool window = mixer_is(mixer, MIXER_IS_WINDOWED);
        double bytes = kvcache_layer_bytes(&m->kind[k], p->request.kv, p->request.gpu, 1);

        if (bytes <= 0)
            continue;
        input_unit(w, mixer_word(mixer), bytes,
                   window ? "B a layer within the window" : "B a layer", "exact");
        term_takes_last(w, model_kind_layers(m, k));
    }
}

void kvcache_terms(struct terms *w)
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
    term_add(w, "KV of one request", "KV", "sum of KV_i + sum of S_i",
             quantity_exact(s->exact + s->state), "GiB", source_model(p->request.model),
             "s, keys and values, state");
    input_number(w, "drafted tokens", p->request.draft_tokens, "request");
    input_number(w, "blocks", s->block > 0 ? s->reserved / s->block : 0, "exact");
    term_add(w, "one request is given", "given",
             s->per_token > 0 ? "ceil(s/block)*block * KV per token on this GPU"
             : e->budget == BUDGET_STATIC
                 ? "max(s cells of the pool, min(s, w)/window share of them, its slots of "
                   "state), the states' share beside"
             : s->fixed > 0     ? "full layers: ceil(s/block)*block; what all slots share beside"
             : e->window_groups ? "blocks*block bytes; full layer ceil(s/block), sliding "
                                  "ceil(min(w-1+c, s)/block)+1, chunked ceil(min(w+c, s)/block), "
                                  "state 1 to 3, and one per token drafted"
                                : "every layer as a full one: ceil(s/block)*block, + state",
             quantity_exact(s->reserved), "GiB", source_engine(e, TERM_BLOCK),
             "s, block, c, block bytes, blocks, drafted tokens");
    input_number(w, "slots", kvcache_slots(&p->request, p->memory.users), "engine");
    if (s->fixed > 0)
        term_add(w, "all slots share", "shared",
                 "windows: pad256(min(w*slots + c, all cells)); states: slots * state",
                 quantity_exact(s->fixed), "GiB", source_engine(e, TERM_BLOCK),
                 "slots, c, w, state");
}
