/*
 * load.c - see load.h.
 */
#include "plan/load.h"
#include "plan/rules.h"

#include <math.h>
#include <string.h>

#include "model/gguf.h"
#include "plan/draft.h"
#include "plan/kvcache.h"
#include "plan/memory.h"
#include "plan/reason.h"

#define PRUNABLE                                                                     \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_MLP | \
     1u << ROLE_EXPERT | 1u << ROLE_SHARED)

/* A mix without rules: the output matrix, and a tied embedding, in its output type, the
 * embedding in its own, and everything else in a blend. */
static double mix_bytes(const struct request *q, const struct tensor *t, double core)
{
    const struct format *f = q->precision.weight;

    bool output = t->role == ROLE_HEAD || (t->role == ROLE_EMBED && q->model->tied);
    double bits = output ? f->output_bits : t->role == ROLE_EMBED ? f->embed_bits : core;

    if (t->rows > 1 && f->block > 0 && fmod(t->cols, f->block) != 0 && f->fallback_bits > bits)
        bits = f->fallback_bits;
    return t->rows * t->cols * bits / 8;
}

/* k: the kind of layer that it is in; < 0: in none. */
static double tensor_bytes(const struct request *q, int k, const struct tensor *t, double core)
{
    const struct format *f = q->precision.by_role[t->role];

    if (q->precision.weight->mix && t->role == ROLE_VISION)
        return 0; /* GGUF: a file of its own (mmproj) */
    double bytes = f->typed ? gguf_bytes(q->model, f, k, t)
                   : f->mix ? mix_bytes(q, t, core)
                            : format_bytes(f, t->rows, t->cols);
    /* 2:4 keeps bits/2 per weight and 1 bit of index: 16 -> 9, 8 -> 5, 4 -> 3 */
    bool pruned = q->prune == PRUNE_2_4 && (PRUNABLE >> t->role & 1) && f->bits > 0;
    return t->count * bytes * (pruned ? (f->bits / 2 + 1) / f->bits : 1);
}

static void add_tensors(const struct request *q, int k, const struct tensor *t, int count,
                        double core, double *role)
{
    for (int i = 0; i < count; i++)
        role[t[i].role] += tensor_bytes(q, k, &t[i], core);
}

static void sum_tensors(const struct request *q, struct load *load)
{
    struct tensor t[MODEL_MAX_TENSORS];
    const struct format *f = q->precision.weight;
    double core = f->mix ? format_core_bits(f, load->params) : 0;

    for (int k = 0; k < q->model->kind_count; k++)
        add_tensors(q, k, t, model_layer_tensors(q->model, k, t), core, load->layer[k]);
    add_tensors(q, -1, t, model_global_tensors(q->model, t), core, load->global);
}

/* ---- by how they are cut ---- */

enum place load_place(const struct model *m, enum tensor_role role)
{
    switch (role) {
    case ROLE_EMBED:
        return m->tied ? PLACE_EITHER : PLACE_FIRST;
    case ROLE_HEAD:
    case ROLE_NORM:
        return PLACE_LAST;
    default:
        return PLACE_FIRST;
    }
}

enum share_rule load_outside_rule(const struct request *q, enum tensor_role role)
{
    bool whole =
        role == ROLE_EMBED && engine_names_family(q->engine->embed_whole, q->model->family);

    return whole ? SHARE_ALL : layout_share_rule(NULL, role);
}

static void sum_cuts(const struct request *q, struct load *load)
{
    const struct model *m = q->model;

    for (int r = 0; r < ROLE_COUNT; r++) {
        enum tensor_role role = (enum tensor_role)r;

        for (int k = 0; k < m->kind_count; k++)
            load->cut[k][layout_share_rule(&m->kind[k], role)] += load->layer[k][r];
        load->outside[load_place(m, role)][load_outside_rule(q, role)] += load->global[r];
    }
}

/* ---- what the engine adds ---- */

struct rope {
    int width, head, rows; /* width 0: no positions */
};

static struct rope rope_of(const struct model *m, const struct layer_kind *k)
{
    struct rope r = {.rows = k->rope_rows > 0 ? k->rope_rows : m->max_context};

    if (mixer_is(k->mixer, MIXER_IS_LATENT))
        r.width = r.head = k->rope_dim;
    else if (mixer_is(k->mixer, MIXER_IS_GROUPED))
        r.width = k->rotary > 0 ? k->rotary : k->head_dim, r.head = k->head_dim;
    return r;
}

/* cos and sin of every position, a table for each distinct rotary embedding; a DSA indexer
 * turns otherwise and has one more. */
static void add_ropes(const struct request *q, struct load *load)
{
    const struct model *m = q->model;
    const struct engine *e = q->engine;
    double value = engine_names_family(e->rope_fp32, m->family) ? 4 : q->precision.base->bits / 8;
    double turns = engine_names_family(e->rope_4x, m->family) ? 4 : 1;
    bool indexed = false;

    for (int k = 0; k < m->kind_count && m->positions == 0; k++) {
        struct rope r = rope_of(m, &m->kind[k]);
        bool index = mixer_is(m->kind[k].mixer, MIXER_IS_PROJECTED) && m->kind[k].index_heads > 0 &&
                     !indexed;
        bool seen = r.width == 0; /* or a kind before has the same table */

        for (int i = 0; i < k; i++) {
            struct rope other = rope_of(m, &m->kind[i]);

            seen |= other.width == r.width && other.head == r.head && other.rows == r.rows;
        }
        int tables = !seen + index;
        indexed = indexed || index;
        load->rope_tables += tables;
        load->rope_table += tables * turns * r.rows * r.width * value;
    }
}

/* NVFP4 scales of a role's matrices, where they stay in a second layout. */
static double second_scales(const struct request *q, int k, int role)
{
    const struct format *f = q->precision.by_role[role];
    bool blackwell = q->gpu->compute_capability / 10 == 10;
    bool expert = role == ROLE_EXPERT;
    struct tensor t[MODEL_MAX_TENSORS];
    double bytes = 0;

    if (strcmp(f->id, "nvfp4") != 0 || (expert && !blackwell) ||
        !engine_lists(q->engine->nvfp4_scales_twice, expert ? "experts" : "linear"))
        return 0;
    int count = model_layer_tensors(q->model, k, t);
    for (int i = 0; i < count; i++)
        if (t[i].role == (enum tensor_role)role && t[i].rows > 1)
            bytes += t[i].count * t[i].rows * t[i].cols / f->group_cols * f->group_bytes;
    return bytes;
}

/* Publishers of GGUF files give recurrent matrices better types than llama.cpp does, two
 * bits at most in those seen: ssm_out in Q4_K beside IQ2_XXS. */
static double recipe_bytes(const struct request *q, int k)
{
    struct tensor t[MODEL_MAX_TENSORS];
    double bytes = 0;

    if (!q->precision.weight->typed || q->precision.weight->bits >= 8)
        return 0;
    int count = model_layer_tensors(q->model, k, t);
    for (int i = 0; i < count; i++)
        if (t[i].role == ROLE_RECURRENT)
            bytes += t[i].count * t[i].rows * t[i].cols * 2 / 8;
    return bytes;
}

/* What is only looked up. llama.cpp keeps an untied input embedding and the embeddings of
 * layers in host memory (a tied one is there too, and once more for the head); vLLM the
 * n-gram tables of the families it knows. */
static void keep_on_host(const struct request *q, struct load *load)
{
    const struct engine *e = q->engine;
    const struct model *m = q->model;

    if (q->gpu->host)
        return;
    if (e->embedding_on_host || engine_lists(e->ngram_on_host, m->family)) {
        load->tables = load->global[ROLE_NGRAM];
        load->global[ROLE_NGRAM] = 0;
        for (int k = 0; k < m->kind_count; k++) { /* those of a checkpoint */
            load->tables += model_kind_layers(m, k) * load->layer[k][ROLE_NGRAM];
            load->layer[k][ROLE_NGRAM] = 0;
        }
    }
    if (!e->embedding_on_host)
        return;
    if (!m->tied) {
        load->on_host += load->global[ROLE_EMBED];
        load->global[ROLE_EMBED] = 0;
    }
    load->on_host += load->global[ROLE_LAYER_EMBED];
    load->global[ROLE_LAYER_EMBED] = 0;
}

static void sum_added(const struct request *q, struct load *load)
{
    const struct format *expert = q->precision.by_role[ROLE_EXPERT];
    bool keys = engine_lists(q->engine->mla_copies, "keys");
    bool values = engine_lists(q->engine->mla_copies, "values");

    load->pads_experts = q->engine->pad_hidden > 0 && strcmp(expert->id, "mxfp4") == 0;
    if (q->engine->rope_table)
        add_ropes(q, load);
    for (int k = 0; k < q->model->kind_count; k++) {
        const struct layer_kind *kind = &q->model->kind[k];

        /* kv_b of MLA once more, cut per head, for decoding */
        if (mixer_is(kind->mixer, MIXER_IS_PROJECTED)) {
            double copied = (keys ? kind->nope_dim : 0) + (values ? kind->v_head_dim : 0);

            load->added[k][SHARE_TP] =
                kind->kv_lora * kind->heads * copied * q->precision.base->bits / 8;
        }
        load->recipe[k] = recipe_bytes(q, k);
        for (int r = 0; r < ROLE_COUNT; r++)
            load->added[k][layout_share_rule(kind, (enum tensor_role)r)] += second_scales(q, k, r);
    }
}

/* ---- what stays in host memory ---- */

bool load_on_host(const struct request *q, int i, int role)
{
    return i < q->host_layers || (i < q->host_experts && role == ROLE_EXPERT);
}

int load_host_layers(const struct request *q)
{
    int most = q->host_layers > q->host_experts ? q->host_layers : q->host_experts;

    return most < q->model->layer_count ? most : q->model->layer_count;
}

/* ---- the draft ---- */

/* Nobody says in what the MTP layers of a quantized checkpoint are: perhaps in 16 bit;
 * GGUF's are quantized like the others. */
static double draft_wide(const struct request *d, const struct request *q)
{
    struct request wide = *d;
    double bytes = load_checkpoint(d).file_bytes;
    bool sure = q->draft_kind != DRAFT_MTP || q->precision.native || d->precision.weight->mix ||
                d->precision.weight->bits >= 16;

    if (sure || bytes <= 0)
        return 1;
    for (int r = 0; r < ROLE_COUNT; r++)
        wide.precision.by_role[r] = d->precision.base;
    wide.precision.weight = d->precision.base;
    return load_checkpoint(&wide).file_bytes / bytes;
}

static void sum_draft(const struct request *q, struct load *load)
{
    if (!q->draft)
        return;
    struct request d = draft_request(q);
    struct load one = load_checkpoint(&d);
    keep_on_host(&d, &one);
    sum_cuts(&d, &one);
    sum_added(&d, &one);
    for (int k = 0; k < d.model->kind_count; k++) {
        double layers = model_kind_layers(d.model, k);

        for (int s = 0; s < SHARE_COUNT; s++)
            load->draft[k][s] = layers * (one.cut[k][s] + one.added[k][s]);
    }
    for (int p = 0; p < PLACE_COUNT; p++)
        for (int s = 0; s < SHARE_COUNT; s++)
            load->draft[0][s] += one.outside[p][s];
    load->draft_each = one.rope_table;
    load->draft_wide = draft_wide(&d, q);
}

/* ---- all of it ---- */

/* The weights as published, by kind and role. */
struct load load_checkpoint(const struct request *q)
{
    const struct model *m = q->model;
    struct load load = {0};
    double params[ROLE_COUNT];
    int layers[MODEL_MAX_KINDS];

    model_params_roles(m, params);
    for (int r = 0; r < ROLE_COUNT; r++)
        load.params += params[r];
    load.vision_params = params[ROLE_VISION];
    model_count_kinds(m, 0, m->layer_count, layers);
    /* a checkpoint's own bytes hold for it as it was published, a kind's spread over its layers */
    if (q->precision.native && m->bytes.known && q->prune == PRUNE_NONE) {
        for (int r = 0; r < ROLE_COUNT; r++) {
            for (int k = 0; k < m->kind_count; k++)
                load.layer[k][r] = layers[k] > 0 ? m->bytes.by_role[k][r] / layers[k] : 0;
            load.global[r] = m->bytes.by_role[m->kind_count][r];
        }
    } else {
        sum_tensors(q, &load);
    }
    for (int r = 0; r < ROLE_COUNT; r++) {
        double bytes = load.global[r];

        for (int k = 0; k < m->kind_count; k++)
            bytes += load.layer[k][r] * layers[k];
        load.file_bytes += bytes;
        load.expert_bytes += r == ROLE_EXPERT ? bytes : 0;
    }
    for (int k = 0; k < m->kind_count; k++)
        load.mlp_width = fmax(load.mlp_width, fmax(m->kind[k].ff, m->kind[k].shared_ff));
    if (!m->weights_only && q->kv)
        load.kv_bytes_per_token = kvcache_bytes_per_token(m, q->kv, q->gpu);
    load.has_vision = load.vision_params > 0 && !q->precision.weight->mix;
    return load;
}

void load_turn(const struct request *q, struct load *load)
{
    const struct engine *e = q->engine;

    load->max_num_seqs = memory_max_num_seqs(q);
    load->max_batched_tokens = memory_max_batched_tokens(q);
    load->logit_copies = load->logit_copies_low = e->logit_copies;
    load->graphs_in_budget = e->graphs_in_budget;
    load->host_bytes = q->host_bytes;
    if (engine_rules(e->budget)->load)
        engine_rules(e->budget)->load(q, load);
    load->fraction = q->utilization > 0 ? q->utilization : e->fraction;
    load->usable = gpu_usable(q->gpu);
    load->budget = memory_budget_bytes(q, load->usable, load->fraction);
    load->reasons = reasons_of_request(q, load);
}

struct load load_sum(const struct request *q)
{
    struct load load = load_checkpoint(q);

    keep_on_host(q, &load);
    sum_cuts(q, &load);
    /* vLLM's parameters: query, key and value are one, gate and up too. */
    for (int k = 0; k < q->model->kind_count; k++) {
        const double *bytes = load.layer[k];
        double attention = bytes[ROLE_ATTN_Q] + bytes[ROLE_ATTN_KV];
        double half = q->model->kind[k].gated ? 2.0 / 3 : 0.5; /* up, or gate and up */
        double dense = fmax(bytes[ROLE_MLP], bytes[ROLE_SHARED]) * half;

        dense = fmax(fmax(dense, attention), bytes[ROLE_RECURRENT]);
        load.fused[0] = fmax(load.fused[0], dense);
        load.fused[1] = fmax(load.fused[1], bytes[ROLE_EXPERT] * half);
    }
    /* llama.cpp copies the tensors of a prompt's step to the GPU, one after the other. */
    const struct model *m = q->model;
    double most = q->host_layers > m->layer_count ? load.global[ROLE_HEAD] : 0;

    for (int i = 0; i < load_host_layers(q); i++)
        for (int r = 0; r < ROLE_COUNT; r++) {
            int k = m->layer[i];
            bool mlp = r == ROLE_MLP || r == ROLE_EXPERT || r == ROLE_SHARED; /* of alike ones */

            if (load_on_host(q, i, r))
                most = fmax(most, load.layer[k][r] * (mlp ? 1.0 / (m->kind[k].gated ? 3 : 2) : 1));
        }
    load.host_copy = most;
    sum_added(q, &load);
    sum_draft(q, &load);
    load.unturned = reasons_unturned(q);
    load_turn(q, &load);
    return load;
}
