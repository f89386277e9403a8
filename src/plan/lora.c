/*
 * lora.c - see lora.h. vLLM: lora/layers/base_linear.py, column_parallel_linear.py and
 * fused_moe.py create_lora_weights(); SGLang: lora/mem_pool.py get_lora_A_shape(),
 * get_lora_B_shape(); llama.cpp: src/llama-adapter.cpp.
 */
#include "plan/lora.h"

#include <math.h>
#include <string.h>

#define ATTENTION \
    (1u << ROLE_ATTN_Q | 1u << ROLE_ATTN_KV | 1u << ROLE_ATTN_OUT | 1u << ROLE_ATTN_LATENT)
#define LINEAR                                                                                    \
    (ATTENTION | 1u << ROLE_ROUTER | 1u << ROLE_INDEXER | 1u << ROLE_RECURRENT | 1u << ROLE_MLP | \
     1u << ROLE_EXPERT | 1u << ROLE_SHARED)

/* Is it cut by its inputs? */
static bool by_inputs(const struct tensor *t)
{
    return t->role == ROLE_ATTN_OUT || strstr(t->name, "down_proj") ||
           strstr(t->name, "out_proj") ||
           (t->role == ROLE_RECURRENT && strcmp(t->name, "o_proj") == 0);
}

/* Elements per rank of one slot on one GPU. */
static double tensor_elements(const struct request *q, const struct layer_kind *k,
                              const struct tensor *t, const struct layout *l)
{
    double cut = layout_share(k, t->role, l), whole = 1;

    if (!(LINEAR >> t->role & 1) || (t->role == ROLE_EXPERT && !q->engine->lora_experts))
        return 0;
    if (t->role == ROLE_EXPERT) /* fewer experts, each cut or whole */
        whole = 1.0 / (l->ep > 0 ? l->ep : 1);
    double in = t->cols * (by_inputs(t) ? cut : whole);
    double out = t->rows * (by_inputs(t) ? whole : cut);
    return t->count * (in + out);
}

struct elements {
    double all, attention, experts;
};

static struct elements layer_elements(const struct request *q, int kind, const struct layout *l)
{
    struct tensor t[MODEL_MAX_TENSORS];
    struct elements sum = {0, 0, 0};
    int count = model_layer_tensors(q->model, kind, t);

    for (int i = 0; i < count; i++) {
        double one = tensor_elements(q, &q->model->kind[kind], &t[i], l);

        sum.all += one;
        sum.attention += ATTENTION >> t[i].role & 1 ? one : 0;
        sum.experts += t[i].role == ROLE_EXPERT ? one : 0;
    }
    return sum;
}

/* vLLM sizes those of MXFP4 experts as its kernels pad the experts: to 256 at most. */
static double lora_padding(const struct request *q, const struct layer_kind *k,
                           const struct layout *l)
{
    bool mxfp4 = strcmp(q->precision.by_role[ROLE_EXPERT]->id, "mxfp4") == 0;
    double cut = l->ep > l->tp ? 1 : (double)l->tp / l->ep;
    double width = k->expert_ff / cut, hidden = q->model->hidden;

    if (!mxfp4 || q->engine->pad_hidden <= 0 || width <= 0)
        return 0;
    return fmax(ceil(width / 256) * 256 / width, ceil(hidden / 256) * 256 / hidden) - 1;
}

struct quantity lora_bytes(const struct request *q, const struct layout *l, int first, int end)
{
    const struct model *m = q->model;
    struct elements sum = {0, 0, 0};
    double padded = 0;
    int layers[MODEL_MAX_KINDS];
    double element = q->engine->lora_fp32 ? 4 : q->precision.base->bits / 8;
    double bytes = (double)q->lora_slots * q->lora_rank * element;

    if (q->lora_slots <= 0)
        return quantity_exact(0);
    model_count_kinds(m, first, end, layers);
    for (int k = 0; k < m->kind_count; k++) {
        struct elements one = layer_elements(q, k, l);

        sum.all += layers[k] * one.all;
        sum.attention += layers[k] * one.attention;
        padded += layers[k] * one.experts * lora_padding(q, &m->kind[k], l);
    }
    /* embedding and head, of the stage that has them */
    double words = (first == 0) + (end == m->layer_count);
    double high = sum.all + padded + words * ((double)m->vocab + m->hidden);
    double low = q->engine->lora_chosen ? sum.attention : sum.all;
    return quantity_band(bytes * sum.all, bytes * low * (q->engine->lora_fp32 ? 0.5 : 1),
                         bytes * high, ORIGIN_MODEL);
}
