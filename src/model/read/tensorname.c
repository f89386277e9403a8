/*
 * tensorname.c - the role of a tensor, from its name.
 *
 * A checkpoint names its tensors by the path of the module that owns them:
 * "model.layers.3.self_attn.q_proj.weight". The number after "layers" is the layer;
 * the first rule below whose words occur in what follows gives the role. Packed and
 * scaled variants (qweight, weight_scale_inv, _blocks, g_idx) keep their module's path,
 * so they count with the tensor they belong to. Biases, norms, convolutions
 * and decays are ROLE_NORM, as in model_tensors.c. GGUF has its own, shorter names.
 *
 * Example: "blk.3.ffn_gate_exps.weight" -> layer 3, ROLE_EXPERT.
 */
#include "model/read/tensors.h"

#include <stdlib.h>
#include <string.h>

#define FUSED (ROLE_COUNT + 1) /* query, key and value in one */

struct rule {
    const char *word; /* found anywhere in the path below the layer */
    int role;
};

/* Whole towers, wherever they stand. */
static const char *const tower_words[] = {
    "vision_tower",
    "vision_model",
    "visual.",
    "multi_modal_projector",
    "mm_projector",
    "vision_embed",
    "embed_vision",
    "vision_encoder",
    "vit.",
    "audio_tower",
    "embed_audio",
    "audio_model",
    "vision_language_adapter",
    "patch_merger",
    "image_newline",
    "vpm.",
    "resampler",
    "mlp1.",
    "audio_encoder",
    "image_projector",
};

static const char *const mtp_words[] = {"mtp.", "mtp_", "nextn.", "eagle"};

/* Inside a layer, in this order. */
static const struct rule layer_rules[] = {
    {"ngram_embedding", ROLE_NGRAM},
    {"engram.embed", ROLE_NGRAM},
    {"engram", ROLE_OTHER},
    {"bias", ROLE_NORM},
    {"norm", ROLE_NORM},
    {"ln_", ROLE_NORM},
    {"sink", ROLE_NORM},
    {"A_log", ROLE_NORM},
    {"conv1d", ROLE_NORM},
    {"mixer.D", ROLE_NORM},
    {"mamba.D", ROLE_NORM},
    {"layer_scalar", ROLE_NORM},
    {"k_scale", ROLE_NORM},
    {"v_scale", ROLE_NORM},
    {"indexer.weights_proj", ROLE_ROUTER},
    {"indexer", ROLE_INDEXER},
    {"shared_expert_gate", ROLE_ROUTER},
    {"shared_expert", ROLE_SHARED},
    {"shared_mlp", ROLE_SHARED},
    {"latent_proj", ROLE_SHARED},
    {"experts.", ROLE_EXPERT},
    {"per_layer", ROLE_MLP},
    {"router", ROLE_ROUTER},
    {"mlp.gate.", ROLE_ROUTER},
    {"block_sparse_moe.gate.", ROLE_ROUTER},
    {"block_sparse_moe.input_linear", ROLE_EXPERT},
    {"block_sparse_moe.output_linear", ROLE_EXPERT},
    {"ffn.gate.", ROLE_ROUTER},
    {"mixer.gate.", ROLE_ROUTER},
    {"moe.gate.", ROLE_ROUTER},
    {"linear_attn", ROLE_RECURRENT},
    {"mamba", ROLE_RECURRENT},
    {"in_proj", ROLE_RECURRENT},
    {"x_proj", ROLE_RECURRENT},
    {"dt_proj", ROLE_RECURRENT},
    {"kv_a_proj", ROLE_ATTN_LATENT},
    {"q_a_proj", ROLE_ATTN_LATENT},
    {"wq_a", ROLE_ATTN_LATENT},
    {"wkv_a", ROLE_ATTN_LATENT},
    {"compressor", ROLE_ATTN_LATENT},
    {"q_b_proj", ROLE_ATTN_Q},
    {"wq_b", ROLE_ATTN_Q},
    {"q_proj", ROLE_ATTN_Q},
    {"wqkv", FUSED},
    {"qkv", FUSED},
    {"query_key_value", FUSED},
    {"attn.c_attn", FUSED},
    {"W_pack", FUSED},
    {"kv_b_proj", ROLE_ATTN_KV},
    {"wkv", ROLE_ATTN_KV},
    {"k_proj", ROLE_ATTN_KV},
    {"v_proj", ROLE_ATTN_KV},
    {"kv_proj", ROLE_ATTN_KV},
    {"o_proj", ROLE_ATTN_OUT},
    {"o_a_proj", ROLE_ATTN_OUT},
    {"o_b_proj", ROLE_ATTN_OUT},
    {"attn.out_proj", ROLE_ATTN_OUT},
    {"attn.c_proj", ROLE_ATTN_OUT},
    {"attn.dense", ROLE_ATTN_OUT},
    {"attention.dense", ROLE_ATTN_OUT},
    {"wo_", ROLE_ATTN_OUT},
    {"wo.", ROLE_ATTN_OUT},
    {"attention.wq", ROLE_ATTN_Q},
    {"attention.wk", ROLE_ATTN_KV},
    {"attention.wv", ROLE_ATTN_KV},
    {"g_proj", ROLE_ATTN_Q},
    {"gate_proj", ROLE_MLP},
    {"up_proj", ROLE_MLP},
    {"down_proj", ROLE_MLP},
    {"mlp", ROLE_MLP},
    {"feed_forward", ROLE_MLP},
    {"ffn", ROLE_MLP},
    {"fc1", ROLE_MLP},
    {"fc2", ROLE_MLP},
};

/* Outside the layers. */
static const struct rule global_rules[] = {
    {"embed_tokens_per_layer", ROLE_LAYER_EMBED},
    {"norm", ROLE_NORM},
    {"ln_f", ROLE_NORM},
    {"per_layer", ROLE_MLP},
    {"lm_head.bias", ROLE_NORM},
    {"lm_head", ROLE_HEAD},
    {"embed_out", ROLE_HEAD},
    {"output_layer", ROLE_HEAD},
    {"embed", ROLE_EMBED},
    {"wte", ROLE_EMBED},
    {"wpe", ROLE_EMBED},
};

static const struct rule gguf_rules[] = {
    {".bias", ROLE_NORM},
    {"norm", ROLE_NORM},
    {"sinks", ROLE_NORM},
    {"exp_probs_b", ROLE_NORM},
    {"ssm_conv1d", ROLE_NORM},
    {"ssm_alpha", ROLE_RECURRENT},
    {"ssm_a", ROLE_NORM},
    {"ssm_dt", ROLE_RECURRENT},
    {"ssm_d", ROLE_NORM},
    {"ssm_", ROLE_RECURRENT},
    {"indexer.proj", ROLE_ROUTER},
    {"indexer", ROLE_INDEXER},
    {"ffn_gate_inp", ROLE_ROUTER},
    {"shexp", ROLE_SHARED},
    {"ffn_latent", ROLE_SHARED},
    {"exps", ROLE_EXPERT},
    {"attn_gate", ROLE_RECURRENT},
    {"attn_q_a", ROLE_ATTN_LATENT},
    {"attn_kv_a", ROLE_ATTN_LATENT},
    {"attn_qkv", FUSED},
    {"attn_q", ROLE_ATTN_Q},
    {"attn_k", ROLE_ATTN_KV},
    {"attn_v", ROLE_ATTN_KV},
    {"attn_output", ROLE_ATTN_OUT},
    {"attn_out", ROLE_ATTN_OUT},
    {"ffn_", ROLE_MLP},
    {"inp_gate", ROLE_MLP},
    {"proj.", ROLE_MLP},
};

static const struct rule gguf_globals[] = {
    {"per_layer_token_embd", ROLE_LAYER_EMBED},
    {"norm", ROLE_NORM},
    {"per_layer_model_proj", ROLE_MLP},
    {"token_embd", ROLE_EMBED},
    {"position_embd", ROLE_EMBED},
    {"token_types", ROLE_EMBED},
    {"output.bias", ROLE_NORM},
    {"output.", ROLE_HEAD},
};

static int find_role(const struct rule *rules, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (strstr(path, rules[i].word) != NULL)
            return rules[i].role;
    return ROLE_OTHER;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FIND(rules, path) find_role(rules, COUNT(rules), path)

static bool holds_any(const char *const *words, size_t count, const char *name)
{
    for (size_t i = 0; i < count; i++) {
        const char *at = strstr(name, words[i]);

        if (at != NULL && (at == name || at[-1] == '.'))
            return true;
    }
    return false;
}

/* "...<word>N.rest": the number and where the rest begins; -1 without one. */
static int layer_numbered(const char *name, const char *word, const char **rest)
{
    const char *at = name;
    size_t len = strlen(word);

    while ((at = strstr(at, word)) != NULL) {
        char *end;
        long value;

        if ((at == name || at[-1] == '.') && at[len] >= '0' && at[len] <= '9') {
            value = strtol(at + len, &end, 10);
            if (*end == '.' && value >= 0 && value < 1000000) {
                *rest = end;
                return (int)value;
            }
        }
        at += len;
    }
    return -1;
}

static int layer_of(const char *name, const char **rest)
{
    static const char *const words[] = {"layers.", "h.", "blocks.", "blk.", "layer."};

    for (size_t i = 0; i < COUNT(words); i++) {
        int layer = layer_numbered(name, words[i], rest);

        if (layer >= 0)
            return layer;
    }
    return -1;
}

/* Of two layers of ours that a checkpoint numbers as one, the first has the recurrence
 * (Falcon-H1) or the experts (LongCat-Flash), the second what has no number. */
static int layer_part(const char *rest)
{
    static const char *const first[] = {"mamba.", "mlp.experts.", "mlp.router.", ".0."};

    return holds_any(first, COUNT(first), rest) ? 0 : 1;
}

static struct tensor_place finish_place(const struct model *model, struct tensor_place place,
                                        int role)
{
    place.fused_qkv = role == FUSED;
    place.role = role == FUSED ? ROLE_ATTN_Q : (enum tensor_role)role;
    if (place.layer >= model->layer_count)
        place.mtp = true;
    return place;
}

/* A layer of a hybrid calls its recurrence and its attention alike ("self_attn",
 * "mixer"): the kind of the layer says which it is. */
static int recurrent_role(const struct model *model, int layer, const char *rest, int role)
{
    bool recurrence = layer >= 0 && layer < model->layer_count &&
                      mixer_is(model->kind[model->layer[layer]].mixer, MIXER_IS_RECURRENT);
    bool own = strstr(rest, "attn") != NULL || strstr(rest, "mixer") != NULL ||
               strstr(rest, "mamba") != NULL || strstr(rest, "ssm_") != NULL;

    return recurrence && own && role != ROLE_NORM ? ROLE_RECURRENT : role;
}

bool tensorname_is_aside(const char *name)
{
    return holds_any(tower_words, COUNT(tower_words), name) ||
           holds_any(mtp_words, COUNT(mtp_words), name);
}

struct tensor_place tensorname_hf(const struct model *model, const char *name)
{
    struct tensor_place place = {.layer = -1, .role = ROLE_OTHER};
    const char *rest = name;
    int role;

    if (holds_any(tower_words, COUNT(tower_words), name)) {
        place.role = ROLE_VISION;
        return place;
    }
    place.layer = layer_of(name, &rest);
    if (place.layer < 0) {
        role = FIND(global_rules, name);
        if (role == ROLE_OTHER &&
            (strncmp(name, "output.", 7) == 0 || strncmp(name, "head.", 5) == 0))
            role = ROLE_HEAD;
    } else {
        role = FIND(layer_rules, rest);
        if (model->layer_parts == 2)
            place.layer = 2 * place.layer + layer_part(rest);
        role = recurrent_role(model, place.layer, rest, role);
    }
    place.mtp = holds_any(mtp_words, COUNT(mtp_words), name);
    return finish_place(model, place, role);
}

struct tensor_place tensorname_gguf(const struct model *model, const char *name)
{
    struct tensor_place place = {.layer = -1, .role = ROLE_OTHER};
    const char *rest = name;
    int role;

    place.layer = layer_of(name, &rest);
    role = place.layer < 0 ? FIND(gguf_globals, name) : FIND(gguf_rules, rest);
    role = recurrent_role(model, place.layer, rest, role);
    place.mtp = place.layer >= 0 && strstr(rest, "nextn") != NULL;
    return finish_place(model, place, role);
}
