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
    const char *words; /* any of them is found in the path below the layer */
    int role;
};

/* Whole towers, wherever they stand. */
static const char tower_words[] =
    "vision_tower vision_model visual. multi_modal_projector mm_projector vision_embed "
    "embed_vision vision_encoder vit. audio_tower embed_audio audio_model vision_language_adapter "
    "patch_merger image_newline vpm. resampler mlp1. audio_encoder image_projector";

static const char mtp_words[] = "mtp. mtp_ nextn. eagle";

/* Inside a layer, in this order. */
static const struct rule layer_rules[] = {
    {"ngram_embedding engram.embed", ROLE_NGRAM},
    {"engram", ROLE_OTHER},
    {"bias norm ln_ sink A_log conv1d mixer.D mamba.D layer_scalar k_scale v_scale", ROLE_NORM},
    {"indexer.weights_proj", ROLE_ROUTER},
    {"indexer", ROLE_INDEXER},
    {"shared_expert_gate", ROLE_ROUTER},
    {"shared_expert shared_mlp latent_proj", ROLE_SHARED},
    {"experts.", ROLE_EXPERT},
    {"per_layer", ROLE_MLP},
    {"router mlp.gate. block_sparse_moe.gate.", ROLE_ROUTER},
    {"block_sparse_moe.input_linear block_sparse_moe.output_linear", ROLE_EXPERT},
    {"ffn.gate. mixer.gate. moe.gate.", ROLE_ROUTER},
    {"linear_attn mamba in_proj x_proj dt_proj", ROLE_RECURRENT},
    {"kv_a_proj q_a_proj wq_a wkv_a compressor", ROLE_ATTN_LATENT},
    {"q_b_proj wq_b q_proj", ROLE_ATTN_Q},
    {"wqkv qkv query_key_value attn.c_attn W_pack", FUSED},
    {"kv_b_proj wkv k_proj v_proj kv_proj", ROLE_ATTN_KV},
    {"o_proj o_a_proj o_b_proj attn.out_proj attn.c_proj attn.dense attention.dense wo_ wo.",
     ROLE_ATTN_OUT},
    {"attention.wq", ROLE_ATTN_Q},
    {"attention.wk attention.wv", ROLE_ATTN_KV},
    {"g_proj", ROLE_ATTN_Q},
    {"gate_proj up_proj down_proj mlp feed_forward ffn fc1 fc2", ROLE_MLP},
};

/* Outside the layers. */
static const struct rule global_rules[] = {
    {"embed_tokens_per_layer", ROLE_LAYER_EMBED},
    {"norm ln_f", ROLE_NORM},
    {"per_layer", ROLE_MLP},
    {"lm_head.bias", ROLE_NORM},
    {"lm_head embed_out output_layer", ROLE_HEAD},
    {"embed wte wpe", ROLE_EMBED},
};

static const struct rule gguf_rules[] = {
    {".bias norm sinks exp_probs_b ssm_conv1d", ROLE_NORM},
    {"ssm_alpha", ROLE_RECURRENT},
    {"ssm_a", ROLE_NORM},
    {"ssm_dt", ROLE_RECURRENT},
    {"ssm_d", ROLE_NORM},
    {"ssm_", ROLE_RECURRENT},
    {"indexer.proj", ROLE_ROUTER},
    {"indexer", ROLE_INDEXER},
    {"ffn_gate_inp", ROLE_ROUTER},
    {"shexp ffn_latent", ROLE_SHARED},
    {"exps", ROLE_EXPERT},
    {"attn_gate", ROLE_RECURRENT},
    {"attn_q_a attn_kv_a", ROLE_ATTN_LATENT},
    {"attn_qkv", FUSED},
    {"attn_q", ROLE_ATTN_Q},
    {"attn_k attn_v", ROLE_ATTN_KV},
    {"attn_output attn_out", ROLE_ATTN_OUT},
    {"ffn_ inp_gate proj.", ROLE_MLP},
};

static const struct rule gguf_globals[] = {
    {"per_layer_token_embd", ROLE_LAYER_EMBED},
    {"norm", ROLE_NORM},
    {"per_layer_model_proj", ROLE_MLP},
    {"token_embd position_embd token_types", ROLE_EMBED},
    {"output.bias", ROLE_NORM},
    {"output.", ROLE_HEAD},
};

/* Is one of the words of the list in the path? starts: only where a part of it begins. */
static bool path_holds(const char *path, const char *words, bool starts)
{
    size_t n;

    for (; *words != '\0'; words += n + (words[n] == ' ')) {
        n = strcspn(words, " ");
        const char *at = memmem(path, strlen(path), words, n);

        if (at != NULL && (!starts || at == path || at[-1] == '.'))
            return true;
    }
    return false;
}

static int find_role(const struct rule *rules, size_t count, const char *path)
{
    for (size_t i = 0; i < count; i++)
        if (path_holds(path, rules[i].words, false))
            return rules[i].role;
    return ROLE_OTHER;
}

#define COUNT(array) (sizeof(array) / sizeof *(array))
#define FIND(rules, path) find_role(rules, COUNT(rules), path)

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
    static const char first[] = "mamba. mlp.experts. mlp.router. .0.";

    return path_holds(rest, first, true) ? 0 : 1;
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
    return path_holds(name, tower_words, true) || path_holds(name, mtp_words, true);
}

struct tensor_place tensorname_hf(const struct model *model, const char *name)
{
    struct tensor_place place = {.layer = -1, .role = ROLE_OTHER};
    const char *rest = name;
    int role;

    if (path_holds(name, tower_words, true)) {
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
    place.mtp = path_holds(name, mtp_words, true);
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
