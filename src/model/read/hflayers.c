/*
 * hflayers.c - config.json: which attention or recurrence and which MLP each layer has.
 *
 * Layer by layer a struct layer_kind is filled from the keys and the architecture's
 * traits; equal ones become one kind of the model. Where the layers differ, one of
 * these says how, in this order: layer_types (a word per layer), attn_type_list,
 * full_attention_interval, a sliding pattern, use_sliding_window with
 * max_window_layers, sliding_window alone. A window as long as the context is none.
 *
 * Example: Gemma 3, sliding_window_pattern 6: layers 5, 11, 17, ... see everything,
 * the others 1024 tokens.
 */
#include "model/read/hfconfig.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* ---- attention ---- */

enum { WORD_LINEAR = MIXER_COUNT };

static const struct {
    const char *word;
    int mixer;
} layer_words[] = {
    {"full_attention", MIXER_FULL},
    {"attention", MIXER_FULL},
    {"global", MIXER_FULL},
    {"sliding_attention", MIXER_SLIDING},
    {"local", MIXER_SLIDING},
    {"chunked_attention", MIXER_CHUNKED},
    {"linear_attention", WORD_LINEAR},
    {"mamba", WORD_LINEAR},
    {"mamba2", WORD_LINEAR},
    {"lightning_attention", WORD_LINEAR},
    {"kda", WORD_LINEAR},
    {"moe", MIXER_NONE},
    {"mlp", MIXER_NONE},
    {"deepseek_sparse_attention", MIXER_FULL},
    {"indexed_attention", MIXER_FULL},
    {"conv", MIXER_CONV},
    {"minimax_m3_sparse", MIXER_FULL},
};

const char *hf_layer_word(const struct hf *hf, int i)
{
    return json_string_value(json_array_get(hf_get(hf, "layer_types"), (size_t)i));
}

/* A window that hides something; 0 when there is none. */
static int window_of(struct hf *hf)
{
    int window = hf_int(hf, "sliding_window", 0);

    if (window >= hf->model->max_context)
        return 0;
    return window;
}

static enum mixer word_mixer(struct hf *hf, const char *word)
{
    for (size_t n = 0; n < sizeof layer_words / sizeof layer_words[0]; n++) {
        int mixer = layer_words[n].mixer;

        if (strcmp(layer_words[n].word, word) != 0)
            continue;
        if (mixer == WORD_LINEAR && hf->arch->linear == MIXER_NONE)
            break;
        if (mixer == WORD_LINEAR)
            return hf->arch->linear;
        if (mixer == MIXER_SLIDING && window_of(hf) == 0)
            return MIXER_FULL;
        return (enum mixer)mixer;
    }
    hf_fail(hf, "layer_types", "", "unknown kind of layer \"%.40s\" for %s", word, hf->type);
    return MIXER_FULL;
}

/* "LLLG", or every n-th layer full. */
static bool in_pattern(struct hf *hf, int i)
{
    const char *letters = hf_text(hf, "sliding_window_pattern");
    int every;

    if (letters != NULL)
        return letters[(size_t)i % strlen(letters)] == 'L' && i < hf->model->layer_count - 1;
    every = hf_int(hf, "sliding_window_pattern", hf->arch->pattern);
    return every > 0 && (i + 1) % every != 0;
}

static enum mixer layer_chunked(struct hf *hf, int i)
{
    const json_t *rope = hf_get(hf, "no_rope_layers");
    int chunk = hf_int(hf, "attention_chunk_size", 0);
    bool local = (i + 1) % hf->arch->pattern != 0;

    if (json_array_size(rope) > (size_t)i)
        local = json_integer_value(json_array_get(rope, (size_t)i)) != 0;
    return local && chunk > 0 && chunk < hf->model->max_context ? MIXER_CHUNKED : MIXER_FULL;
}

enum mixer hf_layer_mixer(struct hf *hf, int i)
{
    const char *word = hf_layer_word(hf, i);
    const json_t *types = hf_get(hf, "attn_type_list");
    int every;

    if (word != NULL)
        return word_mixer(hf, word);
    if (hf_has(hf, "hybrid_layer_pattern"))
        return json_integer_value(json_array_get(hf_get(hf, "hybrid_layer_pattern"), (size_t)i)) !=
                           0 &&
                       window_of(hf) > 0
                   ? MIXER_SLIDING
                   : MIXER_FULL;
    if (json_is_array(types))
        return json_integer_value(json_array_get(types, (size_t)i)) == 0 ? hf->arch->linear
                                                                         : MIXER_FULL;
    if (hf_has(hf, "full_attn_idxs") || hf->arch->linear == MIXER_MAMBA2)
        return hf_listed(hf, "full_attn_idxs", i) ? MIXER_FULL : hf->arch->linear;
    if (hf->arch->linear == MIXER_DELTANET ||
        (hf->arch->linear != MIXER_NONE && hf_number(hf, "full_attention_interval") > 0)) {
        every = hf_int(hf, "full_attention_interval", 4);
        return every > 0 && (i + 1) % every == 0 ? MIXER_FULL : hf->arch->linear;
    }
    if (hf_trait(hf, HF_LLAMA4))
        return layer_chunked(hf, i);
    if (window_of(hf) == 0)
        return MIXER_FULL;
    if (hf->arch->pattern > 0)
        return in_pattern(hf, i) ? MIXER_SLIDING : MIXER_FULL;
    if (hf_trait(hf, HF_SWA_KEY))
        return hf_bool(hf, "use_sliding_window", false) && i >= hf_int(hf, "max_window_layers", 0)
                   ? MIXER_SLIDING
                   : MIXER_FULL;
    return hf_trait(hf, HF_SWA) ? MIXER_SLIDING : MIXER_FULL;
}

static void layer_indexer(struct hf *hf, struct layer_kind *kind)
{
    kind->index_heads = hf_need(hf, "index_n_heads");
    kind->index_dim = hf_need(hf, "index_head_dim");
    kind->index_pool = hf_int(hf, "index_kpool", 0);
}

static void layer_latent(struct hf *hf, int i, struct layer_kind *kind)
{
    const json_t *types = hf_get(hf, "indexer_types");
    const json_t *rope = hf_get(hf, "no_rope_layers");
    const char *word = json_string_value(json_array_get(types, (size_t)i));

    kind->mixer = MIXER_MLA;
    kind->q_lora = hf_int(hf, "q_lora_rank", 0);
    kind->kv_lora = hf_need(hf, "kv_lora_rank");
    kind->rope_dim = hf_need(hf, "qk_rope_head_dim");
    kind->nope_dim = hf_need(hf, "qk_nope_head_dim");
    kind->v_head_dim = hf_need(hf, "v_head_dim");
    if (i < (int)json_array_size(rope) &&
        json_integer_value(json_array_get(rope, (size_t)i)) == 0) {
        kind->nope_dim += kind->rope_dim; /* a layer without positions */
        kind->rope_dim = 0;
    }
    kind->head_dim = kind->rope_dim + kind->nope_dim;
    kind->kv_heads = kind->heads;
    kind->out_gate = hf_trait(hf, HF_OUT_GATE);
    if (hf_trait(hf, HF_DSA)) {
        layer_indexer(hf, kind);
        kind->index_shared = word != NULL && strcmp(word, "shared") == 0;
    }
}

static bool is_type(const json_t *rope, const char *word)
{
    const char *type = json_string_value(json_object_get(rope, "rope_type"));

    if (type == NULL)
        type = json_string_value(json_object_get(rope, "type"));
    return type != NULL && strcmp(type, word) == 0;
}

/* Positions of a rotary table where they are not those of the context, else 0: `linear`
 * scaling has more in layers that see the whole context, longrope a short table beside the
 * long one. YaRN's are the context (read_context). */
static double rotary_rows(const struct hf *hf, const struct layer_kind *kind)
{
    const json_t *rope = hf_get(hf, "rope_scaling");
    double factor, original, context = hf->model->max_context;

    if (rope == NULL)
        rope = hf_get(hf, "rope_parameters");
    if (json_object_get(rope, "full_attention")) /* by kind of layer, since transformers 5 */
        rope = json_object_get(rope, "full_attention");
    factor = json_number_value(json_object_get(rope, "factor"));
    original = json_number_value(json_object_get(rope, "original_max_position_embeddings"));
    if (original <= 0)
        original = hf_number(hf, "original_max_position_embeddings");
    if (is_type(rope, "linear") && kind->mixer == MIXER_FULL && factor > 1)
        return context * factor;
    if (is_type(rope, "longrope") && original > 0)
        return context + original;
    return 0;
}

static void layer_grouped(struct hf *hf, int i, struct layer_kind *kind)
{
    const char *word = hf_layer_word(hf, i);
    const json_t *sparse = hf_get(hf, "sparse_attention_freq");
    bool normed = !hf_trait(hf, HF_QK_KEY) || hf_bool(hf, "use_qk_norm", false);

    kind->kv_heads = hf_int(hf, "num_key_value_heads", kind->heads);
    if (!hf_has(hf, "num_key_value_heads") && hf_bool(hf, "multi_query", false))
        kind->kv_heads = 1;
    kind->head_dim = hf_int(hf, "head_dim", 0);
    if (kind->head_dim <= 0 && kind->heads > 0) {
        if (hf->model->hidden % kind->heads != 0 &&
            hf_assumed(hf->arch->defaults, "cuts_head") == 0)
            hf_fail(hf, "head_dim", "",
                    "is missing, and hidden_size %d is not a multiple of %d heads",
                    hf->model->hidden, kind->heads);
        kind->head_dim = hf->model->hidden / kind->heads;
    }
    kind->v_head_dim = hf_int(hf, "v_head_dim", kind->head_dim);
    /* part of a head that turns, and the positions of its table */
    const json_t *share = json_object_get(hf_get(hf, "rope_parameters"), "partial_rotary_factor");
    double part = share ? json_number_value(share) : hf_number(hf, "partial_rotary_factor");
    double rows = rotary_rows(hf, kind);

    kind->rotary = hf_int(hf, "rotary_dim", 0);
    if (part > 0 && part < 1)
        kind->rotary = (int)(kind->head_dim * part);
    if (rows > 0 && rows <= 1 << 30)
        kind->rope_rows = (int)rows;
    bool key = hf_bool(hf, "attention_bias", false);
    bool every = hf_trait(hf, HF_USE_BIAS) && hf_bool(hf, "use_bias", false);

    kind->q_bias = every || hf_trait(hf, HF_QKV_BIAS) || (key && hf_trait(hf, HF_BIAS_KEY));
    kind->kv_bias = kind->q_bias;
    kind->o_bias = every || hf_trait(hf, HF_O_BIAS) || (key && hf_trait(hf, HF_BIAS_KEY_O)) ||
                   hf_bool(hf, "attention_out_bias", false);
    if (normed && hf_trait(hf, HF_QK_HEAD))
        kind->qk_norm = QK_NORM_HEAD;
    if (normed && hf_trait(hf, HF_QK_FULL))
        kind->qk_norm = QK_NORM_FULL;
    kind->sinks = hf_trait(hf, kind->mixer == MIXER_SLIDING ? HF_SINKS | HF_SWA_SINKS : HF_SINKS);
    kind->out_gate = hf_trait(hf, HF_OUT_GATE) && hf_bool(hf, "attn_output_gate", true);
    if ((word != NULL && strcmp(word, "minimax_m3_sparse") == 0) ||
        json_integer_value(json_array_get(sparse, (size_t)i)) != 0)
        layer_indexer(hf, kind);
    if (kind->mixer == MIXER_SLIDING)
        kind->window = hf_need(hf, "sliding_window");
    if (kind->mixer == MIXER_CHUNKED)
        kind->window = hf_need(hf, "attention_chunk_size");
}

void hf_attention(struct hf *hf, int i, struct layer_kind *kind, enum mixer mixer)
{
    kind->mixer = mixer;
    kind->heads = hf_need(hf, "num_attention_heads");
    if (hf_trait(hf, HF_MLA) && mixer == MIXER_FULL)
        layer_latent(hf, i, kind);
    else
        layer_grouped(hf, i, kind);
}

/* ---- MLP ---- */

static bool every_nth(int i, int step)
{
    return step > 0 && (i + 1) % step == 0;
}

/* "3,4,5" */
static bool text_lists(const char *text, int i)
{
    char *end;

    for (; *text != '\0'; text = end + (*end == ',')) {
        if (strtol(text, &end, 10) == i && end > text)
            return true;
        if (end == text)
            break;
    }
    return false;
}

/* Which layers are mixtures of experts. */
static bool is_moe(struct hf *hf, int i)
{
    const json_t *types = hf_get(hf, "mlp_layer_types");
    const json_t *freq = hf_get(hf, "moe_layer_freq");
    const json_t *last = hf_get(hf, "moe_layer_end_index"); /* -1: to the end */
    const char *word = json_string_value(json_array_get(types, (size_t)i));
    int end = last == NULL ? -1 : (int)json_number_value(last);

    if (hf_int(hf, "num_experts", 0) == 0)
        return false;
    if (json_is_array(types))
        return !word || strcmp(word, "dense") != 0;
    if (hf_has(hf, "moe_layers_enum"))
        return text_lists(hf_text(hf, "moe_layers_enum"), i);
    if (json_is_array(hf_get(hf, "moe_layers")))
        return hf_listed(hf, "moe_layers", i);
    if (json_is_array(freq))
        return json_integer_value(json_array_get(freq, (size_t)i)) != 0;
    if (hf_listed(hf, "mlp_only_layers", i) || i < hf_int(hf, "first_k_dense_replace", 0))
        return false;
    if (freq != NULL && hf_int(hf, "moe_layer_freq", 1) > 1)
        return i % hf_int(hf, "moe_layer_freq", 1) == 0;
    if (hf_trait(hf, HF_LLAMA4))
        return every_nth(i, hf_int(hf, "interleave_moe_layer_step", 1));
    if (hf_has(hf, "moe_layer_interval") || hf_has(hf, "moe_layer_start_index"))
        return i >= hf_int(hf, "moe_layer_start_index", 0) && (end < 0 || i <= end) &&
               every_nth(i, hf_int(hf, "moe_layer_interval", 1));
    return every_nth(i, hf_int(hf, "decoder_sparse_step", 1));
}

void hf_experts(struct hf *hf, struct layer_kind *kind)
{
    int shared = hf_int(hf, "n_shared_experts", 0);

    kind->experts = hf_need(hf, "num_experts");
    kind->experts_active = hf_need(hf, "num_experts_per_tok");
    if (hf_has(hf, "moe_intermediate_size") || !(hf_trait(hf, HF_MOE_FF | HF_LLAMA4)))
        kind->expert_ff = hf_need(hf, "moe_intermediate_size");
    else
        kind->expert_ff = hf_need(hf, "intermediate_size");
    kind->shared_ff = hf_int(hf, "shared_expert_intermediate_size", 0);
    if (kind->shared_ff == 0 && shared > 0)
        kind->shared_ff = shared * kind->expert_ff;
    if (hf_trait(hf, HF_LLAMA4))
        kind->shared_ff = kind->expert_ff;
    kind->shared_gate = kind->shared_ff > 0 && hf_trait(hf, HF_SHARED_GATE);
    kind->router_bias = hf_trait(hf, HF_ROUTER_BIAS);
    kind->expert_bias = hf_trait(hf, HF_EXPERT_BIAS);
    kind->latent = hf_int(hf, "moe_latent_size", 0);
}

void hf_mlp(struct hf *hf, int i, struct layer_kind *kind)
{
    kind->gated = !hf_trait(hf, HF_UNGATED);
    if (is_moe(hf, i)) {
        hf_experts(hf, kind);
        return;
    }
    kind->ff = hf_trait(hf, HF_LLAMA4)   ? hf_need(hf, "intermediate_size_mlp")
               : hf_trait(hf, HF_FF_4H)  ? hf_int(hf, "intermediate_size", 4 * hf->model->hidden)
               : hf->arch->width != NULL ? (int)fmin(hf_sum(hf, hf->arch->width), INT_MAX)
                                         : hf_need(hf, "intermediate_size");
    kind->mlp_bias = hf_trait(hf, HF_MLP_BIAS) ||
                     (hf_trait(hf, HF_USE_BIAS) && hf_bool(hf, "use_bias", false)) ||
                     (hf_trait(hf, HF_MLP_KEY) && hf_bool(hf, "mlp_bias", false));
}

/* ---- recurrences ---- */

static void hf_deltanet(struct hf *hf, struct layer_kind *kind)
{
    kind->lin_k_heads = hf_need(hf, "linear_num_key_heads");
    kind->lin_v_heads = hf_need(hf, "linear_num_value_heads");
    kind->lin_k_dim = hf_need(hf, "linear_key_head_dim");
    kind->lin_v_dim = hf_need(hf, "linear_value_head_dim");
    kind->conv_kernel = hf_need(hf, "linear_conv_kernel_dim");
}

static void hf_lightning(struct hf *hf, struct layer_kind *kind)
{
    int heads = hf_need(hf, "num_attention_heads");
    int dim = hf_int(hf, "head_dim", heads > 0 ? hf->model->hidden / heads : 0);

    kind->lin_k_heads = kind->lin_v_heads = heads;
    kind->lin_k_dim = kind->lin_v_dim = dim;
}

static void hf_kda(struct hf *hf, struct layer_kind *kind)
{
    const json_t *own = hf_get(hf, "linear_attn_config");
    int heads = hf_sub_int(hf, own, "num_heads", hf_int(hf, "linear_num_heads", 0));
    int dim = hf_sub_int(hf, own, "head_dim", hf_int(hf, "linear_head_dim", 0));

    if (own == NULL && heads == 0) /* Ling 3.0: those of its attention */
        heads = hf_int(hf, "num_attention_heads", 0), dim = hf_int(hf, "head_dim", 0);

    kind->lin_k_heads = kind->lin_v_heads = heads;
    kind->lin_k_dim = kind->lin_v_dim = dim;
    kind->conv_kernel =
        hf_sub_int(hf, own, "short_conv_kernel_size", hf_int(hf, "linear_conv_kernel_dim", 4));
    kind->gate_rank = hf_trait(hf, HF_LOW_GATE) ? dim : 0;
}

/* Nemotron-H's keys, Granite's, or Mamba2's own. */
static void hf_mamba2(struct hf *hf, struct layer_kind *kind)
{
    int expand = hf_int(hf, "mamba_expand", hf_int(hf, "expand", 2));
    int inner = expand > 0 && expand < 64 ? expand * hf->model->hidden : 0;

    kind->lin_v_heads = hf_int(hf, "mamba_num_heads", hf_int(hf, "mamba_n_heads", 0));
    kind->lin_v_dim = hf_int(hf, "mamba_head_dim", hf_int(hf, "mamba_d_head", 0));
    if (kind->lin_v_heads == 0) {
        kind->lin_v_heads = hf_int(hf, "num_heads", 0);
        kind->lin_v_dim = hf_int(hf, "head_dim", 0);
    }
    if (kind->lin_v_dim == 0 && kind->lin_v_heads > 0)
        kind->lin_v_dim = inner / kind->lin_v_heads;
    kind->lin_k_dim =
        hf_int(hf, "ssm_state_size", hf_int(hf, "mamba_d_state", hf_int(hf, "state_size", 0)));
    kind->groups = hf_int(hf, "n_groups", hf_int(hf, "mamba_n_groups", 0));
    kind->conv_kernel = hf_int(hf, "conv_kernel", hf_int(hf, "mamba_d_conv", 0));
}

/* dt_rank "auto" is hidden/16, rounded up. */
static int hf_dt_rank(struct hf *hf)
{
    const char *key = hf_has(hf, "mamba_dt_rank") ? "mamba_dt_rank" : "time_step_rank";

    if (!hf_has(hf, key) || hf_text(hf, key) != NULL)
        return (hf->model->hidden + 15) / 16;
    return hf_int(hf, key, 0);
}

static void hf_mamba1(struct hf *hf, struct layer_kind *kind)
{
    int expand = hf_int(hf, "mamba_expand", hf_int(hf, "expand", 2));
    int inner;

    if (expand < 1 || expand > 64) {
        hf_fail(hf, "mamba_expand", "", "%d is outside 1..64", expand);
        return;
    }
    inner = expand * hf->model->hidden;
    kind->lin_v_dim = inner % 64 == 0 ? 64 : 1; /* only their product matters */
    kind->lin_v_heads = inner / kind->lin_v_dim;
    kind->lin_k_dim = hf_int(hf, "mamba_d_state", hf_int(hf, "state_size", 16));
    kind->conv_kernel = hf_int(hf, "mamba_d_conv", hf_int(hf, "conv_kernel", 4));
    kind->dt_rank = hf_dt_rank(hf);
}

static void hf_short_conv(struct hf *hf, struct layer_kind *kind)
{
    int h = hf->model->hidden;

    kind->lin_v_dim = h % 64 == 0 ? 64 : 1; /* only their product matters */
    kind->lin_v_heads = h / kind->lin_v_dim;
    kind->conv_kernel = hf_need(hf, "conv_L_cache");
    kind->o_bias = hf_bool(hf, "conv_bias", false);
}

void hf_recurrence(struct hf *hf, struct layer_kind *kind, enum mixer mixer)
{
    static void (*const fill[MIXER_COUNT])(struct hf *, struct layer_kind *) = {
        [MIXER_MAMBA1] = hf_mamba1,       [MIXER_MAMBA2] = hf_mamba2,
        [MIXER_DELTANET] = hf_deltanet,   [MIXER_KDA] = hf_kda,
        [MIXER_LIGHTNING] = hf_lightning, [MIXER_CONV] = hf_short_conv,
    };

    kind->mixer = mixer;
    if (fill[mixer] != NULL)
        fill[mixer](hf, kind);
}

/* ---- layers ---- */

void hf_standard_layer(struct hf *hf, int i, struct layer_kind *kind)
{
    enum mixer mixer = hf_layer_mixer(hf, i);

    if (mixer_is(mixer, MIXER_IS_RECURRENT))
        hf_recurrence(hf, kind, mixer);
    else
        hf_attention(hf, i, kind, mixer);
    if (hf_trait(hf, HF_STREAMS))
        kind->streams = hf_need(hf, "hc_mult");
    hf_mlp(hf, i, kind);
}

static void add_layer(struct hf *hf, int i, const struct layer_kind *kind)
{
    struct model *model = hf->model;
    int k = 0;

    while (k < model->kind_count && memcmp(&model->kind[k], kind, sizeof *kind) != 0)
        k++;
    if (k == MODEL_MAX_KINDS) {
        hf_fail(hf, "layer_types", "", "holds more than %d kinds of layers", MODEL_MAX_KINDS);
        return;
    }
    if (k == model->kind_count)
        model->kind[model->kind_count++] = *kind;
    model->layer[i] = (uint8_t)k;
}

/* What the file says of layer i alone: per_layer_config["5"], or "05" where there are
 * more than ten layers. */
static const json_t *own_config(struct hf *hf, int i)
{
    static const struct hf_field fields[] = {
        {"head_dim", .kinds = HF_COUNT, 1, INT_MAX},
        {"num_attention_heads", .kinds = HF_COUNT, 1, INT_MAX},
        {"num_key_value_heads", .kinds = HF_COUNT, 1, INT_MAX},
    };
    const json_t *layers = hf_get(hf, "per_layer_config");
    const json_t *own = NULL;
    char index[16], path[64];

    for (int width = 1; own == NULL && width <= 3; width++) {
        snprintf(index, sizeof index, "%0*d", width, i);
        own = hf_present(layers, index);
    }
    snprintf(path, sizeof path, "per_layer_config.%d", i);
    if (own != NULL && !json_is_object(own))
        hf_fail(hf, path, HF_HINT, "must be an object");
    hf_check(hf, path, own, fields, sizeof fields / sizeof *fields);
    return own;
}

void hflayers_build(struct hf *hf)
{
    int parts = hf->arch->parts > 0 ? hf->arch->parts : 1;
    static const char *const lists[] = {"layer_types",   "attn_type_list", "mlp_layer_types",
                                        "block_configs", "moe_layer_freq", "indexer_types"};
    const char *pattern = hf_text(hf, "hybrid_override_pattern");
    const json_t *types = hf_get(hf, "layer_types"), *blocks = hf_get(hf, "block_configs");
    int layers = hf_has(hf, "num_hidden_layers") ? hf_int(hf, "num_hidden_layers", 0)
                 : pattern != NULL               ? (int)strlen(pattern)
                 : json_is_array(types)          ? (int)json_array_size(types)
                 : json_is_array(blocks)         ? (int)json_array_size(blocks)
                                                 : hf_need(hf, "num_hidden_layers");

    if (hf->rc == GP_OK && (layers < 1 || layers > MODEL_MAX_LAYERS / parts))
        hf_fail(hf, "num_hidden_layers", "", "%d is outside 1..%d", layers,
                MODEL_MAX_LAYERS / parts);
    for (size_t i = 0; i < sizeof lists / sizeof lists[0]; i++) { /* an entry for each layer */
        const json_t *list = hf_get(hf, lists[i]);

        if (json_is_array(list) && json_array_size(list) < (size_t)layers)
            hf_fail(hf, lists[i], "", "has %zu entries for %d layers", json_array_size(list),
                    layers);
    }
    layers *= parts;
    hf->model->layer_parts = parts;
    if (hf_bool(hf, "use_cla", false))
        hf_fail(hf, "use_cla", "describe the model in a profile: gpuplan-profile(5)",
                "layers that share keys and values are not supported for %s", hf->type);
    hf->model->layer_count = hf->rc == GP_OK ? layers : 0;
    for (int i = 0; i < layers && hf->rc == GP_OK; i++) {
        struct layer_kind kind;

        memset(&kind, 0, sizeof kind);
        kind.norms = hf->arch->norms;
        kind.norm_bias = hf_trait(hf, HF_NORM_BIAS);
        hf->layer = i;
        hf->own = own_config(hf, i);
        hf->kind = &kind;
        if (hf->arch->layer != NULL)
            hf->arch->layer(hf, i, &kind);
        else
            hf_standard_layer(hf, i, &kind);
        kind.extra += hf_sum(hf, hf->arch->each);
        hf->own = NULL;
        hf->kind = NULL;
        add_layer(hf, i, &kind);
    }
    hf_extra(hf, "outside the layers", ROLE_OTHER, hf_sum(hf, hf->arch->once));
}
