/*
 * products.c - the matrix products of a model's layers, as one of tp GPUs runs them.
 *
 * A table says of each tensor of model/model.h which product it belongs to (engines fuse
 * q, k and v, and gate and up) and which side tensor parallelism cuts: the outputs
 * (ROWS) or the inputs (COLS, whose results are then summed over the GPUs). Shares are
 * layout_share()'s. Norms, embeddings, convolutions and the vision tower are no linear
 * layers of a decoding step and are not in the table.
 *
 * Llama-3.1-70B, tp 8: qkv 1280 x 8192 (8 query heads, one KV head each for k and v),
 * o 8192 x 1024, gate_up 7168 x 8192, down 8192 x 3584, lm_head 16032 x 8192.
 */
#include "plan/products.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "plan/speed/gemm.h"

#define VOCAB_PAD 64.0 /* the head's rows are padded to this before they are cut */

enum cut { ROWS, COLS };

static const struct product {
    const char *tensor, *layer;
    enum cut cut;
} products[] = {
    {"q_proj", "qkv", ROWS},
    {"k_proj", "qkv", ROWS},
    {"v_proj", "qkv", ROWS},
    {"q_proj, k_proj", "qkv", ROWS},
    {"qkv_proj", "qkv", ROWS},
    {"o_proj", "o", COLS},
    {"g_proj", "attn_gate", ROWS},
    {"q_a_proj", "q_a", ROWS},
    {"q_b_proj", "q_b", ROWS},
    {"kv_a_proj_with_mqa", "kv_a", ROWS},
    {"kv_b_proj", "kv_b", ROWS},
    {"kv_proj", "kv", ROWS},
    {"o_a_proj", "o_a", ROWS},
    {"o_b_proj", "o_b", COLS},
    {"indexer.wq_b", "index_q", ROWS},
    {"indexer.q_b_proj", "index_q", ROWS},
    {"indexer.wk", "index_k", ROWS},
    {"encoder_attn.q_proj", "cross_q", ROWS},
    {"encoder_attn.k_proj", "cross_kv", ROWS},
    {"encoder_attn.v_proj", "cross_kv", ROWS},
    {"encoder_attn.out_proj", "cross_o", COLS},
    {"in_proj", "in", ROWS},
    {"in_proj_qkvz", "in", ROWS},
    {"in_proj_ba", "in_ba", ROWS},
    {"x_proj", "x", COLS},
    {"dt_proj", "dt", ROWS},
    {"f_a_proj", "f_a", ROWS},
    {"f_b_proj", "f_b", ROWS},
    {"b_proj", "b", ROWS},
    {"output_gate", "out_gate", ROWS},
    {"out_proj", "out", COLS},
    {"gate_proj", "gate_up", ROWS},
    {"up_proj", "gate_up", ROWS},
    {"down_proj", "down", COLS},
    {"router", "router", ROWS},
    {"experts.gate_proj", "expert_gate_up", ROWS},
    {"experts.up_proj", "expert_gate_up", ROWS},
    {"experts.down_proj", "expert_down", COLS},
    {"shared_experts.gate_proj", "shared_gate_up", ROWS},
    {"shared_experts.up_proj", "shared_gate_up", ROWS},
    {"shared_experts.down_proj", "shared_down", COLS},
    {"fc1_latent_proj", "latent_in", ROWS},
    {"fc2_latent_proj", "latent_out", COLS},
};

static const struct product *product_of(const struct tensor *tensor)
{
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        if (strcmp(products[i].tensor, tensor->name) == 0)
            return tensor->role == ROLE_NORM ? NULL : &products[i];
    return NULL;
}

/* The products of one layer kind, summed over the tensors that are fused. */
struct fusing {
    struct products_layer layer[MODEL_MAX_TENSORS];
    int count;
};

static void products_fuse(struct fusing *f, const char *name, enum tensor_role role, double m,
                          double k)
{
    for (int i = 0; i < f->count; i++)
        if (strcmp(f->layer[i].name, name) == 0 && f->layer[i].k == (int64_t)k) {
            f->layer[i].m += (int64_t)m;
            return;
        }
    if (f->count == MODEL_MAX_TENSORS)
        return;
    gp_copy(f->layer[f->count].name, sizeof f->layer[0].name, name);
    f->layer[f->count].role = role;
    f->layer[f->count].m = (int64_t)m;
    f->layer[f->count++].k = (int64_t)k;
}

/* An expert is cut only by what expert parallelism leaves of tp; one is one product,
 * however many there are. */
static void take_tensor(struct fusing *f, const struct layer_kind *kind, const struct tensor *t,
                        const struct layout *layout)
{
    const struct product *p = product_of(t);
    double share, copies = t->role == ROLE_EXPERT ? 1 : t->count;

    if (!p)
        return;
    share = layout_share(kind, t->role, layout);
    if (t->role == ROLE_EXPERT)
        share = layout->ep > layout->tp ? 1 : (double)layout->ep / layout->tp;
    if (p->cut == ROWS)
        products_fuse(f, p->layer, t->role, ceil(t->rows * copies * share), t->cols);
    else
        products_fuse(f, p->layer, t->role, t->rows * copies, ceil(t->cols * share));
}

static int products_add(struct products_layer *out, int count, int max,
                        const struct products_layer *layer)
{
    for (int i = 0; i < count; i++)
        if (strcmp(out[i].name, layer->name) == 0 && out[i].m == layer->m && out[i].k == layer->k)
            return count;
    if (count < max)
        out[count++] = *layer;
    return count;
}

/* What is one matrix only is called by its own name: "up" of an MLP without a gate. */
static void rename_single(struct fusing *f, const struct layer_kind *kind)
{
    for (int i = 0; i < f->count; i++) {
        char *name = f->layer[i].name;
        char *gate_up = strstr(name, "gate_up");

        if (gate_up && !kind->gated)
            memcpy(gate_up, "up", 3);
        if (strcmp(name, "qkv") == 0 && mixer_is(kind->mixer, MIXER_IS_PROJECTED))
            memcpy(name, "q", 2);
    }
}

int products_layers(const struct model *model, const struct layout *layout,
                    struct products_layer *out, int max)
{
    struct tensor tensors[MODEL_MAX_TENSORS];
    int count = 0;

    for (int k = 0; k < model->kind_count; k++) {
        int n = model_layer_tensors(model, k, tensors);
        struct fusing f = {.count = 0};

        for (int i = 0; i < n; i++)
            take_tensor(&f, &model->kind[k], &tensors[i], layout);
        rename_single(&f, &model->kind[k]);
        for (int i = 0; i < f.count; i++) {
            if (f.layer[i].role == ROLE_EXPERT) {
                f.layer[i].experts = model->kind[k].experts;
                f.layer[i].active = model->kind[k].experts_active;
                f.layer[i].held = (model->kind[k].experts + layout->ep - 1) / layout->ep;
            }
            count = products_add(out, count, max, &f.layer[i]);
        }
    }
    if (model->vocab > 0) {
        struct products_layer head = {.name = "lm_head", .role = ROLE_HEAD, .k = model->hidden};

        head.m = (int64_t)ceil(ceil(model->vocab / VOCAB_PAD) * VOCAB_PAD / layout->tp);
        count = products_add(out, count, max, &head);
    }
    return count;
}

void products_experts(const struct products_layer *layer, double tokens, int *experts,
                      int64_t *each)
{
    double reached = moe_reached(layer->experts, layer->active, tokens);
    double here = round(reached * layer->held / layer->experts);

    *experts = (int)fmin(fmax(here, 1), layer->held);
    *each = (int64_t)fmax(round(tokens * layer->active / reached), 1);
}
