/*
 * model_tensors.c - a layer kind to its tensors, each with its real shape.
 *
 * One function per building block, one line per tensor, named as Hugging Face names
 * it, rows = output features, cols = input features. h = hidden, nh = query heads,
 * kv = key/value heads, d = head width:
 *
 *   GQA        q nh*d x h, k and v kv*d x h, o h x nh*d (+ biases, norms, sinks)
 *   MLA        q_a ql x h, q_b nh*(nope+rope) x ql, kv_a kvl+rope x h,
 *              kv_b nh*(nope+v) x kvl, o h x nh*v
 *   DSA        wq_b ih*idim x ql, wk idim x h, weights ih x h
 *   CSA        one KV head of d that is K and V, a pool of `compress` tokens per entry,
 *              output in groups: o_a groups*ol x nh*d/groups, o_b h x groups*ol
 *   MLP        gate and up ff x h, down h x ff; experts the same, count = experts
 *   Mamba2     in 2*di+2*g*n+heads x h, conv (di+2*g*n) x kernel, out h x di
 *   DeltaNet   qkvz 2*kd+2*vd x h, ba 2*nv x h, out h x vd
 *
 * Example: DeepSeek-V3, one MLA layer: 1536*7168 + 24576*1536 + 576*7168 + 32768*512
 * + 7168*16384 + two norms of 1536 and 512 = 187,107,328 elements.
 *
 * Sources: the model code of huggingface/transformers per family; counts checked
 * against 97 published ones (tests/unit/test_model.c). KDA follows the published
 * description of Kimi Linear with a full-rank gate; Kimi K3's own list may differ in
 * small vectors.
 */
#include "model/model.h"

#include <stddef.h>

struct list {
    const struct model *model;
    const struct layer_kind *kind;
    struct tensor *out;
    int count;
};

static void list_add(struct list *l, const char *name, enum tensor_role role, double rows,
                     double cols, double count)
{
    if (rows <= 0 || cols <= 0 || count <= 0 || l->count == MODEL_MAX_TENSORS)
        return;
    l->out[l->count++] = (struct tensor){name, role, rows, cols, count};
}

/* A matrix of rows outputs and cols inputs. */
static void list_matrix(struct list *l, const char *name, enum tensor_role role, double rows,
                        double cols)
{
    list_add(l, name, role, rows, cols, 1);
}

/* Norms, biases, decays: small, kept in 16 bit or more, whole on every GPU. */
static void list_vector(struct list *l, const char *name, double length)
{
    list_add(l, name, ROLE_NORM, 1, length, 1);
}

/* ---- attention ------------------------------------------------------------------ */

static double value_dim(const struct layer_kind *k)
{
    return k->v_head_dim > 0 ? k->v_head_dim : k->head_dim;
}

static void cross_attention(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden, wide = (double)k->heads * k->head_dim;

    list_matrix(l, "encoder_attn.q_proj", ROLE_ATTN_Q, wide, h);
    list_matrix(l, "encoder_attn.k_proj", ROLE_ATTN_KV, wide, h);
    list_matrix(l, "encoder_attn.v_proj", ROLE_ATTN_KV, wide, h);
    list_matrix(l, "encoder_attn.out_proj", ROLE_ATTN_OUT, h, wide);
    if (k->q_bias)
        list_vector(l, "encoder_attn.q_proj.bias", wide);
    if (k->kv_bias)
        list_add(l, "encoder_attn.kv_proj.bias", ROLE_NORM, 1, wide, 2);
    if (k->o_bias)
        list_vector(l, "encoder_attn.out_proj.bias", h);
}

/* The indexer's head weights are a gate: kept in 16 bit where wq_b and wk are not.
 * Beside grouped heads (MiniMax M3) it has none, and two norms without bias. */
static void dsa_indexer(struct list *l)
{
    const struct layer_kind *k = l->kind;

    if (k->index_heads <= 0 || k->index_shared)
        return;
    list_matrix(l, "indexer.wq_b", ROLE_INDEXER, (double)k->index_heads * k->index_dim,
                k->q_lora > 0 ? k->q_lora : l->model->hidden);
    list_matrix(l, "indexer.wk", ROLE_INDEXER, k->index_dim, l->model->hidden);
    if (k->mixer == MIXER_MLA)
        list_matrix(l, "indexer.weights_proj", ROLE_ROUTER, k->index_heads, l->model->hidden);
    list_vector(l, "indexer.k_norm", 2.0 * k->index_dim);
}

/* MHA, GQA and MQA; the window changes what is cached, not what is stored. */
static void list_gqa(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden;
    double q_rows = (double)k->heads * k->head_dim;
    double k_rows = (double)k->kv_heads * k->head_dim;
    double v_rows = k->k_is_v ? 0 : k->kv_heads * value_dim(k);

    list_matrix(l, "q_proj", ROLE_ATTN_Q, q_rows * (k->out_gate ? 2 : 1), h);
    list_matrix(l, "k_proj", ROLE_ATTN_KV, k_rows, h);
    list_matrix(l, "v_proj", ROLE_ATTN_KV, v_rows, h);
    list_matrix(l, "o_proj", ROLE_ATTN_OUT, h, k->heads * value_dim(k));
    if (k->q_bias)
        list_vector(l, "q_proj.bias", q_rows * (k->out_gate ? 2 : 1));
    if (k->kv_bias) {
        list_vector(l, "k_proj.bias", k_rows);
        list_vector(l, "v_proj.bias", v_rows);
    }
    if (k->o_bias)
        list_vector(l, "o_proj.bias", h);
    if (k->qk_norm != QK_NORM_NONE) {
        list_vector(l, "q_norm", k->qk_norm == QK_NORM_HEAD ? k->head_dim : q_rows);
        list_vector(l, "k_norm", k->qk_norm == QK_NORM_HEAD ? k->head_dim : k_rows);
    }
    if (k->sinks)
        list_vector(l, "sinks", k->heads);
    if (k->cross)
        cross_attention(l);
    dsa_indexer(l);
}

static void list_mla(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden;
    double q_rows = (double)k->heads * (k->nope_dim + k->rope_dim);
    double v_rows = (double)k->heads * k->v_head_dim;

    if (k->q_lora > 0) {
        list_matrix(l, "q_a_proj", ROLE_ATTN_LATENT, k->q_lora, h);
        list_vector(l, "q_a_layernorm", k->q_lora);
        list_matrix(l, "q_b_proj", ROLE_ATTN_Q, q_rows, k->q_lora);
    } else {
        list_matrix(l, "q_proj", ROLE_ATTN_Q, q_rows, h);
    }
    list_matrix(l, "kv_a_proj_with_mqa", ROLE_ATTN_LATENT, k->kv_lora + k->rope_dim, h);
    list_vector(l, "kv_a_layernorm", k->kv_lora);
    list_matrix(l, "kv_b_proj", ROLE_ATTN_KV, k->heads * (k->nope_dim + (double)k->v_head_dim),
                k->kv_lora);
    list_matrix(l, "o_proj", ROLE_ATTN_OUT, h, v_rows);
    if (k->out_gate)
        list_matrix(l, "g_proj", ROLE_ATTN_Q, v_rows, h);
    dsa_indexer(l);
}

/* Pools `compress` tokens into one entry of width d; the 4:1 pools overlap and so
 * project to twice the width. The projections stay in 16 bit when the rest is FP8. */
static void csa_pool(struct list *l, const char *const names[4], double d, double wide)
{
    double h = l->model->hidden;

    list_matrix(l, names[0], ROLE_OTHER, wide * d, h);
    list_matrix(l, names[1], ROLE_OTHER, wide * d, h);
    list_add(l, names[2], ROLE_NORM, l->kind->compress, wide * d, 1);
    list_vector(l, names[3], d);
}

static void csa_compressor(struct list *l)
{
    static const char *const pool[4] = {"compressor.kv_proj", "compressor.gate_proj",
                                        "compressor.position_bias", "compressor.kv_norm"};
    static const char *const index[4] = {"indexer.kv_proj", "indexer.gate_proj",
                                         "indexer.position_bias", "indexer.kv_norm"};
    const struct layer_kind *k = l->kind;
    double wide = k->index_heads > 0 ? 2 : 1;

    if (k->compress <= 0)
        return;
    csa_pool(l, pool, k->head_dim, wide);
    if (k->index_heads <= 0)
        return;
    csa_pool(l, index, k->index_dim, wide);
    list_matrix(l, "indexer.q_b_proj", ROLE_INDEXER, (double)k->index_heads * k->index_dim,
                k->q_lora);
    list_matrix(l, "indexer.weights_proj", ROLE_ROUTER, k->index_heads, l->model->hidden);
}

/* CSA2: the layer whose pool others read makes the entries, from `compress` tokens with a
 * gate or from one without, and the index keys from them. */
static void csa2_pool(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden;

    if (k->compress <= 0)
        return;
    if (!k->kv_shared) {
        list_matrix(l, "compressor.kv_proj", ROLE_OTHER, k->head_dim, h);
        if (k->compress > 1)
            list_matrix(l, "compressor.gate_proj", ROLE_OTHER, k->head_dim, h);
        list_vector(l, "compressor.kv_norm", k->head_dim);
    }
    if (k->index_heads <= 0)
        return;
    if (!k->kv_shared) {
        list_matrix(l, "indexer.k_proj", ROLE_OTHER, k->index_dim, k->head_dim);
        list_vector(l, "indexer.k_norm", k->index_dim);
    }
    list_matrix(l, "indexer.q_b_proj", ROLE_INDEXER, (double)k->index_heads * k->index_dim,
                k->q_lora);
    list_matrix(l, "indexer.weights_proj", ROLE_ROUTER, k->index_heads, h);
}

static void list_csa(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden, q_rows = (double)k->heads * k->head_dim;
    double low = (double)k->o_groups * k->o_lora;

    list_matrix(l, "q_a_proj", ROLE_ATTN_LATENT, k->q_lora, h);
    list_vector(l, "q_norm", k->q_lora);
    list_matrix(l, "q_b_proj", ROLE_ATTN_Q, q_rows, k->q_lora);
    list_matrix(l, "kv_proj", ROLE_ATTN_KV, k->head_dim, h);
    list_vector(l, "kv_norm", k->head_dim);
    list_matrix(l, "o_a_proj", ROLE_ATTN_OUT, low, q_rows / k->o_groups);
    list_matrix(l, "o_b_proj", ROLE_ATTN_OUT, h, low);
    if (k->sinks)
        list_vector(l, "sinks", k->heads);
    if (k->csa2)
        csa2_pool(l);
    else
        csa_compressor(l);
}

/* ---- recurrence ----------------------------------------------------------------- */

static void list_mamba1(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden, n = k->lin_k_dim, r = k->dt_rank;
    double di = (double)k->lin_v_heads * k->lin_v_dim;

    list_matrix(l, "in_proj", ROLE_RECURRENT, 2 * di, h);
    list_add(l, "conv1d", ROLE_NORM, di, k->conv_kernel, 1);
    list_vector(l, "conv1d.bias", di);
    list_matrix(l, "x_proj", ROLE_RECURRENT, r + 2 * n, di);
    list_matrix(l, "dt_proj", ROLE_RECURRENT, di, r);
    list_vector(l, "dt_proj.bias", di);
    list_add(l, "A_log", ROLE_NORM, di, n, 1);
    list_vector(l, "D", di);
    list_matrix(l, "out_proj", ROLE_RECURRENT, h, di);
}

static void list_mamba2(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden, di = (double)k->lin_v_heads * k->lin_v_dim;
    double mixed = di + 2.0 * k->groups * k->lin_k_dim;

    list_matrix(l, "in_proj", ROLE_RECURRENT, di + mixed + k->lin_v_heads, h);
    list_add(l, "conv1d", ROLE_NORM, mixed, k->conv_kernel, 1);
    list_vector(l, "conv1d.bias", mixed);
    list_add(l, "A_log, D, dt_bias", ROLE_NORM, 1, k->lin_v_heads, 3);
    if (!k->unnormed)
        list_vector(l, "norm", di);
    list_matrix(l, "out_proj", ROLE_RECURRENT, h, di);
}

static void list_deltanet(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden;
    double kd = (double)k->lin_k_heads * k->lin_k_dim;
    double vd = (double)k->lin_v_heads * k->lin_v_dim;

    list_matrix(l, "in_proj_qkvz", ROLE_RECURRENT, 2 * kd + 2 * vd, h);
    list_matrix(l, "in_proj_ba", ROLE_RECURRENT, 2.0 * k->lin_v_heads, h);
    list_add(l, "conv1d", ROLE_NORM, 2 * kd + vd, k->conv_kernel, 1);
    list_add(l, "A_log, dt_bias", ROLE_NORM, 1, k->lin_v_heads, 2);
    list_vector(l, "norm", k->lin_v_dim);
    list_matrix(l, "out_proj", ROLE_RECURRENT, h, vd);
}

static void list_kda(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden;
    double kd = (double)k->lin_k_heads * k->lin_k_dim;
    double vd = (double)k->lin_v_heads * k->lin_v_dim;

    list_add(l, "q_proj, k_proj", ROLE_RECURRENT, kd, h, 2);
    list_matrix(l, "v_proj", ROLE_RECURRENT, vd, h);
    if (k->gate_rank > 0) {
        list_matrix(l, "g_a_proj", ROLE_RECURRENT, k->gate_rank, h);
        list_matrix(l, "g_b_proj", ROLE_RECURRENT, vd, k->gate_rank);
    } else {
        list_matrix(l, "g_proj", ROLE_RECURRENT, vd, h);
    }
    list_matrix(l, "f_a_proj", ROLE_RECURRENT, k->lin_k_dim, h);
    list_matrix(l, "f_b_proj", ROLE_RECURRENT, kd, k->lin_k_dim);
    list_matrix(l, "b_proj", ROLE_RECURRENT, k->lin_v_heads, h);
    list_add(l, "conv1d", ROLE_NORM, 2 * kd + vd, k->conv_kernel, 1);
    list_vector(l, "A_log", k->lin_v_heads);
    list_vector(l, "dt_bias", kd);
    list_vector(l, "o_norm", k->lin_v_dim);
    list_matrix(l, "o_proj", ROLE_RECURRENT, h, vd);
}

static void list_lightning(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden;
    double kd = (double)k->lin_k_heads * k->lin_k_dim;
    double vd = (double)k->lin_v_heads * k->lin_v_dim;

    list_matrix(l, "qkv_proj", ROLE_RECURRENT, 2 * kd + vd, h);
    list_matrix(l, "output_gate", ROLE_RECURRENT, vd, h);
    list_vector(l, "norm", vd);
    list_matrix(l, "out_proj", ROLE_RECURRENT, h, vd);
}

static void short_conv(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden, di = (double)k->lin_v_heads * k->lin_v_dim;

    list_matrix(l, "in_proj", ROLE_RECURRENT, 3 * di, h);
    list_add(l, "conv", ROLE_NORM, di, k->conv_kernel, 1);
    list_matrix(l, "out_proj", ROLE_RECURRENT, h, di);
    if (k->o_bias)
        list_vector(l, "conv biases", 4 * di + h);
}

/* ---- MLP ------------------------------------------------------------------------ */

static void dense_mlp(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden, ff = k->ff;

    if (k->gated)
        list_matrix(l, "gate_proj", ROLE_MLP, ff, h);
    list_matrix(l, "up_proj", ROLE_MLP, ff, h);
    list_matrix(l, "down_proj", ROLE_MLP, h, ff);
    if (ff > 0 && k->mlp_bias) {
        list_add(l, "up_proj.bias", ROLE_NORM, 1, ff, k->gated ? 2 : 1);
        list_vector(l, "down_proj.bias", h);
    }
}

/* Biases of experts stay in 16 bit when the experts do not (gpt-oss). */
static void list_experts(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double n = k->experts, ff = k->expert_ff;
    double width = k->latent > 0 ? k->latent : l->model->hidden;

    list_matrix(l, "router", ROLE_ROUTER, n, l->model->hidden);
    if (k->router_bias)
        list_vector(l, "router.bias", n);
    if (k->gated)
        list_add(l, "experts.gate_proj", ROLE_EXPERT, ff, width, n);
    list_add(l, "experts.up_proj", ROLE_EXPERT, ff, width, n);
    list_add(l, "experts.down_proj", ROLE_EXPERT, width, ff, n);
    if (k->expert_bias) {
        list_add(l, "experts.up_proj.bias", ROLE_NORM, 1, (k->gated ? 2 : 1) * ff, n);
        list_add(l, "experts.down_proj.bias", ROLE_NORM, 1, width, n);
    }
}

static void shared_experts(struct list *l)
{
    const struct layer_kind *k = l->kind;
    double h = l->model->hidden;

    if (k->gated)
        list_matrix(l, "shared_experts.gate_proj", ROLE_SHARED, k->shared_ff, h);
    list_matrix(l, "shared_experts.up_proj", ROLE_SHARED, k->shared_ff, h);
    list_matrix(l, "shared_experts.down_proj", ROLE_SHARED, h, k->shared_ff);
    if (k->shared_gate)
        list_matrix(l, "shared_expert_gate", ROLE_ROUTER, 1, h);
    list_matrix(l, "fc1_latent_proj", ROLE_SHARED, k->latent, h);
    list_matrix(l, "fc2_latent_proj", ROLE_SHARED, h, k->latent);
}

/* ---- the rest of a layer -------------------------------------------------------- */

int model_layer_tensors(const struct model *model, int k, struct tensor out[MODEL_MAX_TENSORS])
{
    static void (*const mixers[MIXER_COUNT])(struct list *) = {
        [MIXER_FULL] = list_gqa,      [MIXER_SLIDING] = list_gqa,
        [MIXER_CHUNKED] = list_gqa,   [MIXER_MLA] = list_mla,
        [MIXER_CSA] = list_csa,       [MIXER_MAMBA1] = list_mamba1,
        [MIXER_MAMBA2] = list_mamba2, [MIXER_DELTANET] = list_deltanet,
        [MIXER_KDA] = list_kda,       [MIXER_LIGHTNING] = list_lightning,
        [MIXER_CONV] = short_conv,
    };
    const struct layer_kind *kind = &model->kind[k];
    struct list l = {model, kind, out, 0};

    if (mixers[kind->mixer])
        mixers[kind->mixer](&l);
    dense_mlp(&l);
    if (kind->experts > 0)
        list_experts(&l);
    shared_experts(&l);
    if (kind->layer_embed > 0) { /* Gemma E2B, E4B: gate in, project out, norm */
        list_matrix(&l, "per_layer_input_gate", ROLE_MLP, kind->layer_embed, model->hidden);
        list_matrix(&l, "per_layer_projection", ROLE_MLP, model->hidden, kind->layer_embed);
        list_vector(&l, "post_per_layer_input_norm", model->hidden);
    }
    if (kind->streams > 0) {
        /* hyper-connections before attention and before the MLP: s streams are mixed by
         * (2+s)*s weights computed from all of them */
        double s = kind->streams, mix = (2 + s) * s;

        list_add(&l, "hyper_connection.fn", ROLE_OTHER, mix, s * model->hidden, 2);
        list_add(&l, "hyper_connection.base", ROLE_NORM, 1, mix, 2);
        list_add(&l, "hyper_connection.scale", ROLE_NORM, 1, 3, 2);
    }
    list_add(&l, "layernorm", ROLE_NORM, 1, model->hidden, kind->norms);
    if (kind->norm_bias)
        list_add(&l, "layernorm.bias", ROLE_NORM, 1, model->hidden, kind->norms);
    list_add(&l, "other", ROLE_OTHER, 1, kind->extra, 1);
    return l.count;
}

/* ---- outside the layers --------------------------------------------------------- */

int model_global_tensors(const struct model *model, struct tensor out[MODEL_MAX_TENSORS])
{
    struct list l = {model, NULL, out, 0};
    double h = model->hidden, wide = 0, one = 0;

    for (int k = 0; k < model->kind_count; k++) {
        if (model->kind[k].layer_embed <= 0)
            continue;
        if (model->kind[k].layer_embed > one)
            one = model->kind[k].layer_embed;
        wide += (double)model_kind_layers(model, k) * model->kind[k].layer_embed;
    }
    list_matrix(&l, "embed_tokens", ROLE_EMBED, model->vocab, h);
    list_matrix(&l, "embed_positions", ROLE_EMBED, model->positions, h);
    if (model->embed_norm)
        list_add(&l, "embed_layernorm", ROLE_NORM, 1, h, 2);
    list_matrix(&l, "embed_tokens_per_layer", ROLE_LAYER_EMBED, model->vocab, wide);
    list_matrix(&l, "per_layer_model_projection", ROLE_MLP, wide, h);
    list_vector(&l, "per_layer_projection_norm", one);
    if (!model->tied)
        list_matrix(&l, "lm_head", ROLE_HEAD, model->vocab, h);
    if (model->final_norm)
        list_vector(&l, "norm", h);
    if (model->final_norm_bias)
        list_vector(&l, "norm.bias", h);
    for (int i = 0; i < model->extra_count; i++)
        list_add(&l, model->extra[i].name, model->extra[i].role, 1, model->extra[i].elements, 1);
    return l.count;
}

const struct layer_kind *model_kind_of_role(const struct model *m, enum tensor_role role)
{
    struct tensor t[MODEL_MAX_TENSORS];

    for (int k = 0; k < m->kind_count; k++)
        for (int i = model_layer_tensors(m, k, t); i-- > 0;)
            if (t[i].role == role)
                return &m->kind[k];
    return NULL;
}
