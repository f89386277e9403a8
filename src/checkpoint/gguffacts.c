/*
 * gguffacts.c - the facts of a model that a GGUF file's tensors and keys give.
 *
 * Metadata says how many heads there are; the tensors say the rest without any table
 * of architectures: a bias is there or it is not, ffn_down's row length is the width of
 * the MLP, the third dimension of ffn_down_exps is the number of experts. One table
 * maps tensor names to the figures they carry (GGUF lists the row length first).
 *
 * Example: blk.0.ffn_down_exps.weight of 768 x 2048 x 128: 128 experts, 768 wide.
 */
#include "checkpoint/reader_parts.h"

#include <limits.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

/* ---- look-ups by key ---- */

void gguf_meta_init(struct gguf_meta *meta, const char *where)
{
    memset(meta, 0, sizeof *meta);
    meta->where = where;
    meta->split_count = 1;
    strbuf_init(&meta->text);
}

void gguf_meta_fini(struct gguf_meta *meta)
{
    strbuf_fini(&meta->text);
    free(meta->kv);
    free(meta->numbers);
}

const struct gguf_kv *gguf_find(const struct gguf_meta *meta, const char *key)
{
    for (size_t i = 0; i < meta->count; i++)
        if (strcmp(meta->text.text + meta->kv[i].key, key) == 0)
            return &meta->kv[i];
    return NULL;
}

bool gguf_number(const struct gguf_meta *meta, const char *key, double *value)
{
    const struct gguf_kv *kv = gguf_find(meta, key);

    if (kv == NULL || kv->array || !kv->numeric)
        return false;
    *value = kv->number;
    return true;
}

const char *gguf_string(const struct gguf_meta *meta, const char *key)
{
    const struct gguf_kv *kv = gguf_find(meta, key);

    return kv == NULL || kv->string == SIZE_MAX ? NULL
                                                : meta->text.text + kv->string;
}

/* ---- tensors ---- */

enum { IS_THERE = -1, ELEMENTS = -2 };

struct fact {
    const char *name;
    size_t offset;
    int dim; /* 0 = row length, 1 = rows, 2 = copies, or one of the above */
};

#define LAYER(field) offsetof(struct gguf_layer, field)
#define WHOLE(field) offsetof(struct gguf_facts, field)

static const struct fact layer_facts[] = {
    {"attn_q.weight", LAYER(q_rows), 1},
    {"attn_k.weight", LAYER(k_rows), 1},
    {"attn_v.weight", LAYER(v_rows), 1},
    {"attn_qkv.weight", LAYER(qkv_rows), 1},
    {"attn_q.bias", LAYER(q_bias), 0},
    {"attn_qkv.bias", LAYER(qkv_bias), 0},
    {"attn_output.bias", LAYER(o_bias), 0},
    {"attn_sinks.weight", LAYER(sinks), 0},
    {"attn_sinks", LAYER(sinks), 0},
    {"attn_q_norm.weight", LAYER(q_norm), ELEMENTS},
    {"attn_k_norm.weight", LAYER(k_norm), ELEMENTS},
    {"attn_q_a.weight", LAYER(q_lora), 1},
    {"attn_kv_a_mqa.weight", LAYER(kv_a_rows), 1},
    {"indexer.attn_q_b.weight", LAYER(index_q_rows), 1},
    {"indexer.attn_k.weight", LAYER(index_k_rows), 1},
    {"ffn_down.weight", LAYER(ff), 0},
    {"ffn_up.weight", LAYER(up_rows), 1},
    {"ffn_gate.weight", LAYER(ff_gate), IS_THERE},
    {"ffn_up.bias", LAYER(up_bias), IS_THERE},
    {"ffn_down.bias", LAYER(down_bias), IS_THERE},
    {"ffn_down_exps.weight", LAYER(expert_ff), 0},
    {"ffn_down_exps.weight", LAYER(experts), 2},
    {"ffn_gate_exps.weight", LAYER(expert_gate), IS_THERE},
    {"ffn_gate_up_exps.weight", LAYER(expert_gate), IS_THERE},
    {"ffn_down_exps.bias", LAYER(expert_bias), IS_THERE},
    {"ffn_gate_inp.bias", LAYER(router_bias), IS_THERE},
    {"exp_probs_b.bias", LAYER(router_bias), IS_THERE},
    {"exp_probs_b", LAYER(router_bias), IS_THERE},
    {"ffn_down_shexp.weight", LAYER(shared_ff), 0},
    {"ffn_gate_inp_shexp.weight", LAYER(shared_gate), IS_THERE},
    {"ffn_latent_down.weight", LAYER(latent), 1},
    {"ssm_conv1d.weight", LAYER(conv_kernel), 0},
    {"ssm_conv1d.weight", LAYER(conv_rows), 1},
    {"ssm_in.weight", LAYER(ssm_in), 1},
    {"ssm_out.weight", LAYER(ssm_out), 0},
    {"ssm_a", LAYER(ssm_a), ELEMENTS},
    {"ssm_a", LAYER(ssm_state), 0},
    {"ssm_dt.weight", LAYER(ssm_dt_rank), 0},
    {"ssm_norm.weight", LAYER(ssm_norm), ELEMENTS},
    {"ssm_ba.weight", LAYER(ssm_ba), 1},
};

static const struct fact whole_facts[] = {
    {"token_embd.weight", WHOLE(hidden), 0},
    {"token_embd.weight", WHOLE(vocab), 1},
    {"output.weight", WHOLE(head), IS_THERE},
    {"output_norm.weight", WHOLE(final_norm), IS_THERE},
    {"output_norm.bias", WHOLE(final_norm_bias), IS_THERE},
    {"token_embd_norm.weight", WHOLE(embed_norm), IS_THERE},
    {"position_embd.weight", WHOLE(positions), 1},
    {"per_layer_token_embd.weight", WHOLE(layer_embed), 0},
};

/* Norms over the hidden width. */
static const char *const norm_names[] = {
    "attn_norm", "attn_norm_2", "attn_output_norm", "post_attention_norm", "ffn_norm",
    "post_ffw_norm", "pre_ffw_norm_2", "post_ffw_norm_1", "post_ffw_norm_2",
    "layer_output_norm", "ffn_norm_exps",
};

static int clip(double value)
{
    return value >= 0 && value <= INT_MAX ? (int)value : INT_MAX;
}

static double elements_of(const struct file_tensor *tensor)
{
    double elements = 1;

    for (int d = 0; d < tensor->rank; d++)
        elements *= tensor->dims[d];
    return elements;
}

static int value_of(const struct file_tensor *tensor, int dim)
{
    if (dim == IS_THERE)
        return 1;
    if (dim == ELEMENTS)
        return clip(elements_of(tensor));
    return dim < tensor->rank ? clip(tensor->dims[dim]) : 1;
}

static void note_facts(const struct fact *table, size_t count, void *base,
                       const char *name, const struct file_tensor *tensor)
{
    for (size_t i = 0; i < count; i++) {
        if (strcmp(table[i].name, name) == 0) {
            int value = value_of(tensor, table[i].dim);

            memcpy((char *)base + table[i].offset, &value, sizeof value);
        }
    }
}

static void note_norm(struct gguf_layer *layer, const char *name)
{
    size_t len = strcspn(name, ".");

    for (size_t i = 0; i < sizeof norm_names / sizeof norm_names[0]; i++) {
        if (strlen(norm_names[i]) != len || strncmp(norm_names[i], name, len) != 0)
            continue;
        if (strcmp(name + len, ".weight") == 0)
            layer->norms++;
        else if (strcmp(name + len, ".bias") == 0)
            layer->norm_biases++;
    }
}

bool gguf_facts_add(struct gguf_facts *facts, const struct file_tensor *tensor)
{
    struct gguf_layer *layer;
    char *rest;
    long number;

    facts->elements += elements_of(tensor);
    if (strncmp(tensor->name, "blk.", 4) != 0 || tensor->name[4] < '0' ||
        tensor->name[4] > '9') {
        note_facts(whole_facts, sizeof whole_facts / sizeof whole_facts[0], facts,
                   tensor->name, tensor);
        return true;
    }
    number = strtol(tensor->name + 4, &rest, 10);
    if (number < 0 || number >= MODEL_MAX_LAYERS || *rest != '.')
        return false;
    layer = &facts->layer[number];
    layer->tensors++;
    layer->elements += elements_of(tensor);
    note_facts(layer_facts, sizeof layer_facts / sizeof layer_facts[0], layer, rest + 1,
               tensor);
    note_norm(layer, rest + 1);
    return true;
}
