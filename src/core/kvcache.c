/*
 * kvcache.c - see kvcache.h for the equations.
 *
 * Sources: vLLM v1 kv_cache_interface (AttentionSpec, MLAAttentionSpec,
 * SlidingWindowSpec, ChunkedLocalAttentionSpec, MambaSpec) and kv_cache_utils
 * (grouping); ai-dynamo/aiconfigurator for indexer entries and recurrent states;
 * transformers modular_deepseek_v4 for CSA. Checked against logged vLLM 0.19
 * concurrency figures: Gemma-3-27B 4.46, gpt-oss-20b 155.75, Llama-4-Scout 44.68
 * sequences of 8192 tokens.
 */
#include "core/kvcache.h"

#include <math.h>
#include <string.h>

#include "core/draft.h"
#include "core/graph.h"

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

static bool is_attention(const struct layer_kind *k)
{
    return k->mixer >= MIXER_FULL && k->mixer <= MIXER_CSA;
}

static bool is_windowed(const struct layer_kind *k)
{
    return k->mixer == MIXER_SLIDING || k->mixer == MIXER_CHUNKED;
}

static double mla_bytes(const struct layer_kind *k, const struct format *kv)
{
    double latent = (k->kv_lora + k->rope_dim) * element_bytes(kv);
    if (k->index_heads > 0 && kv->bits <= 8)
        latent = DSA_FP8_LATENT;
    return latent + index_bytes(k);
}

/* One entry of CSA. In FP8 the 64 rotated elements stay in 16 bit, and 8 bytes of scales
 * follow: 584 B of head_dim 512. */
static double csa_entry(const struct layer_kind *k, const struct format *kv)
{
    return kv->bits > 8 ? k->head_dim * element_bytes(kv) : k->head_dim + 64 + 8;
}

/* CSA pools one entry per `compress` tokens; only the 4:1 layers carry an index. */
static double csa_pool_bytes(const struct layer_kind *k, const struct format *kv)
{
    return k->compress > 0 ? (csa_entry(k, kv) + index_bytes(k)) / k->compress : 0;
}

/* Bytes of a token, also of a layer that could read an earlier one's. */
static double own_bytes(const struct layer_kind *k, const struct format *kv, int tp)
{
    if (!is_attention(k))
        return 0;
    if (k->mixer == MIXER_MLA)
        return mla_bytes(k, kv);
    if (k->mixer == MIXER_CSA)
        return csa_pool_bytes(k, kv);
    int v_dim = k->v_head_dim > 0 ? k->v_head_dim : k->head_dim;
    return layout_kv_heads(k, tp) * (k->head_dim + v_dim) * element_bytes(kv) +
           index_bytes(k);
}

double kvcache_layer_bytes(const struct layer_kind *k, const struct format *kv, int tp)
{
    return k->kv_shared ? 0 : own_bytes(k, kv, tp);
}

double kvcache_state_element(const struct request *q, const struct layer_kind *k)
{
    bool wide = k->mixer == MIXER_KDA ||
                engine_names_family(q->engine->state_fp32, q->model->family);
    return wide ? 4 : 2;
}

double kvcache_state_bytes(const struct request *q, const struct layer_kind *k, int tp)
{
    if (!mixer_is_recurrent(k->mixer))
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
        bytes = vd * k->lin_k_dim * state +
                (vd + 2.0 * k->groups * k->lin_k_dim) * conv * tail;
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
static double layer_exact(const struct layer_kind *k, const struct format *kv,
                          double per_token, double tokens)
{
    if (k->mixer == MIXER_CSA) {
        double window = fmin(tokens, k->window) * csa_entry(k, kv);
        double r = k->compress;
        return window + (r > 0 ? floor(tokens / r) * r * per_token : 0);
    }
    return (is_windowed(k) ? fmin(tokens, k->window) : tokens) * per_token;
}

/* Blocks of one sequence in a layer of this kind. A sliding layer keeps its window and
 * the batch being computed; its first block may be partly dead, hence the +1. */
static double layer_blocks(const struct layer_kind *k, double tokens, double batch,
                           double block)
{
    if (k->mixer == MIXER_SLIDING)
        return ceil_div(fmin(k->window - 1 + batch, tokens), block) + 1;
    if (k->mixer == MIXER_CHUNKED)
        return ceil_div(fmin(k->window + batch, tokens), block);
    return ceil_div(tokens, block);
}

/* ---- types of layers ---- */

static bool same_type(const struct kv_type *t, const struct layer_kind *k, double bytes,
                      double state)
{
    int window = is_windowed(k) ? k->window : 0;
    int other = is_windowed(t->kind) ? t->kind->window : 0;
    bool same_mixer = t->kind->mixer == k->mixer;
    return same_mixer && window == other && t->bytes == bytes && t->state == state;
}

/* ---- CSA as vLLM pages it (deepseek_v4/attention.py, compressor.py) ---- */

#define CSA_BLOCK  256.0 /* tokens; a window's block is a quarter of it */
#define CSA_ALIGN  576.0 /* bytes a page is rounded up to */

static double csa_page(double bytes)
{
    return ceil_div(bytes, CSA_ALIGN) * CSA_ALIGN;
}

/* Bytes of the pages of a cache that keeps `window` tokens and the batches in flight. */
static double csa_window(double window, double tokens, double batch, double block,
                         double page)
{
    return (ceil_div(fmin(window - 1 + batch, tokens), block) + 1) * page;
}

/* The window of each layer, its pooled entries and index, and the FP32 states of what
 * pools them: over 4 tokens twice (they overlap), over 128 once. A page of states is as
 * large as the page of entries that it shares the pool with. */
static double csa_reserved(const struct layer_kind *k, const struct format *kv,
                           double tokens, double batch)
{
    double quarter = CSA_BLOCK / 4, page = csa_page(quarter * csa_entry(k, kv));
    double bytes = csa_window(k->window, tokens, batch, quarter, page);
    double blocks = ceil_div(tokens, CSA_BLOCK);
    if (k->compress <= 0)
        return bytes;
    bytes += blocks * csa_page(CSA_BLOCK / k->compress * csa_entry(k, kv));
    if (k->compress > 4)
        return bytes + csa_window(k->compress, tokens, batch, 8, page);
    double index = csa_page(quarter * index_bytes(k));
    return bytes + blocks * index +
           csa_window(2.0 * k->compress, tokens, batch, k->compress, page + index);
}

/* A connector that knows no groups makes vLLM keep all layers as full ones. */
static bool has_groups(const struct request *q)
{
    return q->engine->window_groups && (q->host_kv <= 0 || q->engine->kv_offload_groups);
}

/* Tokens of a block of this kind's kernels. */
static double block_of(const struct engine *e, const struct layer_kind *k)
{
    return k->mixer == MIXER_MLA && e->mla_block > 0 ? e->mla_block : e->block;
}

/* Every layer's blocks for itself. */
static double layer_reserved(const struct request *q, const struct kv_type *t,
                             double tokens, double batch)
{
    double block = block_of(q->engine, t->kind);
    if (t->kind->mixer == MIXER_CSA)
        return has_groups(q)
                   ? csa_reserved(t->kind, q->kv, tokens, batch)
                   : layer_exact(t->kind, q->kv, t->bytes, ceil_div(tokens, block) * block);
    if (has_groups(q))
        return layer_blocks(t->kind, tokens, batch, block) * block * t->bytes;
    return ceil_div(tokens, block) * block * t->bytes;
}

static int find_type(const struct kv_cut *cut, const struct layer_kind *kind,
                     double bytes, double state, bool draft)
{
    int t = 0;
    while (t < cut->count && (cut->type[t].draft != draft ||
                              !same_type(&cut->type[t], kind, bytes, state)))
        t++;
    return t;
}

/* Some engines keep the cache of a layer that reads an earlier one's, unused. */
static double stored_bytes(const struct request *q, const struct layer_kind *kind, int tp)
{
    return q->engine->shared_kv_kept ? own_bytes(kind, q->kv, tp)
                                     : kvcache_layer_bytes(kind, q->kv, tp);
}

double kvcache_slots(const struct request *q, double users)
{
    return q->max_num_seqs > 0 ? q->max_num_seqs : fmax(users, q->engine->slots_least);
}

/* The types of q's model; those of a draft of its own are apart from the model's. */
static void cut_kinds(const struct request *q, int tp, bool draft, struct kv_cut *out,
                      int *of_kind)
{
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];
        double bytes = stored_bytes(q, kind, tp);
        double state = kvcache_state_bytes(q, kind, tp);
        int t = find_type(out, kind, bytes, state, draft);
        of_kind[k] = -1;
        if (bytes == 0 && state == 0 && kind->mixer != MIXER_CSA)
            continue;
        of_kind[k] = t;
        if (t < out->count)
            continue;
        struct kv_type *type = &out->type[out->count++];
        *type = (struct kv_type){
            .kind = kind, .bytes = bytes, .state = state, .draft = draft};
        type->exact = layer_exact(kind, q->kv, bytes, out->tokens);
        type->reserved = layer_reserved(q, type, out->tokens, out->batch);
    }
}

void kvcache_cut(const struct request *q, int tp, double users, double tokens,
                 double batch, struct kv_cut *out)
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

double kvcache_state_blocks(const struct request *q)
{
    return q->engine->state_blocks + (q->engine->state_drafts ? q->draft_tokens : 0);
}

/* ---- vLLM's groups of equal layers ---- */

struct group {
    const struct kv_type *type;
    double layers;
};

/* Layers per group: the fewest of any type, unless the counts are nearly equal, when
 * padding the smaller type costs less than more groups. */
static double group_size(const struct group *groups, int count, double slack)
{
    double least = groups[0].layers, most = groups[0].layers;
    for (int g = 1; g < count; g++) {
        least = fmin(least, groups[g].layers);
        most = fmax(most, groups[g].layers);
    }
    return most < least * slack ? most : least;
}

/* All pages are one size: that of the largest type; a recurrent state takes one. */
static double page_size(const struct group *groups, int count, const struct engine *e)
{
    double page = 0;
    for (int g = 0; g < count; g++)
        page = fmax(page, groups[g].type->bytes * block_of(e, groups[g].type->kind));
    for (int g = 0; g < count; g++)
        if (groups[g].type->state > page)
            for (int a = 0; a < count; a++)
                if (groups[a].type->bytes > 0) {
                    double unit = block_of(e, groups[a].type->kind) * groups[a].type->bytes;
                    page = ceil_div(groups[g].type->state, unit) * unit;
                }
    for (int g = 0; g < count && page == 0; g++)
        page = fmax(page, groups[g].type->state);
    return page;
}

/* Types with smaller pages get more tokens per block. */
static void reserve_groups(struct kv_sequence *s, const struct kv_cut *cut,
                           const struct group *groups, int count,
                           const struct request *q)
{
    const struct engine *e = q->engine;
    double page = page_size(groups, count, e);
    double size = group_size(groups, count, e->group_slack), blocks = 0;
    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;
        double block = block_of(e, t->kind);
        double span = t->bytes > 0 ? floor(page / (t->bytes * block)) * block : block;
        blocks += ceil_div(groups[g].layers, size) *
                  (t->state > 0 ? kvcache_state_blocks(q)
                                : layer_blocks(t->kind, cut->tokens, cut->batch,
                                               fmax(span, block)));
    }
    s->block = size * page;
    s->reserved = blocks * s->block;
}

/* Layers of one type, and of the same width: vLLM then keeps them in one group, whatever
 * their number (UniformTypeKVCacheSpecs). */
static bool is_uniform(const struct group *groups, int count)
{
    const struct layer_kind *a = groups[0].type->kind;
    for (int g = 0; g < count; g++) {
        const struct layer_kind *b = groups[g].type->kind;
        if (groups[g].type->state > 0 || a->mixer != b->mixer ||
            (is_windowed(a) && a->window != b->window))
            return false;
    }
    return true;
}

static int collect_groups(const struct request *q, const struct kv_cut *cut,
                          const int *layers, bool draft, struct group out[KV_TYPES])
{
    double of_type[KV_TYPES];
    int count = 0;
    for (int t = 0; t < cut->count; t++)
        of_type[t] = 0;
    for (int k = 0; k < q->model->kind_count; k++)
        if (cut->of_kind[k] >= 0)
            of_type[cut->of_kind[k]] += layers[k];
    for (int k = 0; draft && k < q->draft->kind_count; k++)
        if (cut->of_draft[k] >= 0)
            of_type[cut->of_draft[k]] += model_kind_layers(q->draft, k);
    for (int t = 0; t < cut->count; t++)
        if (of_type[t] > 0)
            out[count++] = (struct group){&cut->type[t], of_type[t]};
    return count;
}

/* ---- SGLang's pools ---- */

/* A cell of the pool is a token of every full layer and window_share of one in the
 * windows' pool, so that a request of fewer tokens than a window counts for more cells.
 * Where there are states, they have a pool of their own, state_share as large; a request
 * takes the larger share that it needs of the two. */
static void reserve_cells(struct kv_sequence *s, const struct kv_cut *cut,
                          const struct group *groups, int count, const struct request *q)
{
    const struct engine *e = q->engine;
    double full = 0, windows = 0, tokens = cut->tokens, most = 0, pools = 1;
    double own = 0, drafts = 0;
    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;
        bool window = is_windowed(t->kind);
        if (t->bytes > 0)
            *(t->draft ? &drafts : &own) += groups[g].layers;
        if (t->draft)
            continue;
        *(window ? &windows : &full) += groups[g].layers * t->bytes;
        if (window)
            most = fmax(most, fmin(t->kind->window, cut->tokens) + e->block);
    }
    double share = full > 0 && e->window_share > 0 ? e->window_share : 1;
    if (full > 0 && windows > 0)
        tokens = fmax(tokens, most / share);
    double cell = full + share * windows;
    if (own > 0) /* pool_configurator.py: a draft's layer is taken for one of the model's */
        cell *= 1 + drafts / own;
    s->reserved = ceil_div(tokens, e->block) * e->block * cell;
    if (s->state > 0 && e->state_share > 0) {
        pools = 1 + e->state_share;
        s->reserved = fmax(s->reserved * pools,
                           kvcache_state_blocks(q) * s->state * pools / e->state_share);
    }
    s->cell = cell * pools;
    s->block = cell > 0 ? s->cell * e->block : s->state;
}

/* ---- llama.cpp's caches ---- */

/* -c cells are asked for, whoever uses them; windows and states for every slot. */
static void reserve_slots(struct kv_sequence *s, const struct kv_cut *cut,
                          const struct group *groups, int count, const struct request *q)
{
    const struct engine *e = q->engine;
    double rows = q->draft_mtp ? 1 + q->draft_tokens : 1; /* llama-memory-recurrent.cpp */
    s->reserved = 0;
    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;
        if (is_windowed(t->kind))
            s->fixed += groups[g].layers * t->bytes *
                        graph_window_cells(t->kind->window, cut->slots, cut->batch,
                                           cut->cells);
        else
            s->reserved += groups[g].layers * ceil_div(cut->tokens, e->block) * e->block *
                           t->bytes;
        s->fixed += groups[g].layers * t->state * cut->slots * rows;
    }
}

/* ---- one sequence ---- */

struct kv_sequence kvcache_stage(const struct request *q, const struct kv_cut *cut,
                                 const int *layers, bool draft)
{
    struct kv_sequence s = {0};
    struct group groups[KV_TYPES];
    const struct engine *e = q->engine;
    int count = collect_groups(q, cut, layers, draft && q->draft, groups);
    bool uniform = count > 0 && is_uniform(groups, count);
    bool csa = false;
    for (int g = 0; g < count; g++) {
        const struct kv_type *t = groups[g].type;
        csa = csa || t->kind->mixer == MIXER_CSA;
        s.exact += groups[g].layers * t->exact;
        s.state += groups[g].layers * t->state;
        s.reserved += groups[g].layers * (t->reserved + t->state * kvcache_state_blocks(q));
        s.block += groups[g].layers * t->bytes * block_of(e, t->kind);
    }
    if (uniform && !is_windowed(groups[0].type->kind) && !csa)
        s.per_token = s.exact / cut->tokens;
    if (s.block == 0)
        s.block = s.state; /* a pool of states alone */
    if (count > 1 && !uniform && !csa && has_groups(q) && e->budget == BUDGET_UTILIZATION)
        reserve_groups(&s, cut, groups, count, q);
    if (count > 0 && !csa && e->budget == BUDGET_STATIC)
        reserve_cells(&s, cut, groups, count, q);
    if (count > 0 && !csa && e->window_slots)
        reserve_slots(&s, cut, groups, count, q);
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

double kvcache_bytes_per_token(const struct model *model, const struct format *kv)
{
    double bytes = 0;
    for (int k = 0; k < model->kind_count; k++)
        if (!is_windowed(&model->kind[k]))
            bytes += model_kind_layers(model, k) *
                     kvcache_layer_bytes(&model->kind[k], kv, 1);
    return bytes;
}
