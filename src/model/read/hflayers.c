/*
 * hflayers.c - config.json: which attention and which MLP each layer has.
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

#include "model/read/tensors.h"

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
    hf_fail(hf, "layer_types", "", "unknown kind of layer \"%.40s\" for %s", word, hf->arch->type);
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

static enum mixer chunked(struct hf *hf, int i)
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
        return chunked(hf, i);
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

static int kv_heads_of(struct hf *hf, int heads)
{
    if (hf_has(hf, "num_key_value_heads"))
        return hf_int(hf, "num_key_value_heads", heads);
    return hf_bool(hf, "multi_query", false) ? 1 : hf_int(hf, "num_key_value_heads", heads);
}

static void attention_biases(struct hf *hf, struct layer_kind *kind)
{
    bool key = hf_bool(hf, "attention_bias", false);
    bool every = hf_trait(hf, HF_USE_BIAS) && hf_bool(hf, "use_bias", false);

    kind->q_bias = every || hf_trait(hf, HF_QKV_BIAS) || (key && hf_trait(hf, HF_BIAS_KEY));
    kind->kv_bias = kind->q_bias;
    kind->o_bias = every || hf_trait(hf, HF_O_BIAS) || (key && hf_trait(hf, HF_BIAS_KEY_O)) ||
                   hf_bool(hf, "attention_out_bias", false);
}

static void indexer(struct hf *hf, struct layer_kind *kind)
{
    kind->index_heads = hf_need(hf, "index_n_heads");
    kind->index_dim = hf_need(hf, "index_head_dim");
    kind->index_pool = hf_int(hf, "index_kpool", 0);
}

static void latent(struct hf *hf, int i, struct layer_kind *kind)
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
        indexer(hf, kind);
        kind->index_shared = word != NULL && strcmp(word, "shared") == 0;
    }
}

static int head_dim_of(struct hf *hf, int heads)
{
    int dim = hf_int(hf, "head_dim", 0);

    if (dim > 0 || heads <= 0)
        return dim;
    if (hf->model->hidden % heads != 0)
        hf_fail(hf, "head_dim", "",
                "is missing, and hidden_size %d is not a multiple "
                "of %d heads",
                hf->model->hidden, heads);
    return hf->model->hidden / heads;
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

/* Part of a head that turns, and the positions of its table. */
static void rotary(struct hf *hf, struct layer_kind *kind)
{
    const json_t *share = json_object_get(hf_get(hf, "rope_parameters"), "partial_rotary_factor");
    double part = share ? json_number_value(share) : hf_number(hf, "partial_rotary_factor");
    double rows = rotary_rows(hf, kind);

    kind->rotary = hf_int(hf, "rotary_dim", 0);
    if (part > 0 && part < 1)
        kind->rotary = (int)(kind->head_dim * part);
    if (rows > 0 && rows <= 1 << 30)
        kind->rope_rows = (int)rows;
}

static void grouped(struct hf *hf, int i, struct layer_kind *kind)
{
    const char *word = hf_layer_word(hf, i);
    const json_t *sparse = hf_get(hf, "sparse_attention_freq");
    bool normed = !hf_trait(hf, HF_QK_KEY) || hf_bool(hf, "use_qk_norm", false);

    kind->kv_heads = kv_heads_of(hf, kind->heads);
    kind->head_dim = head_dim_of(hf, kind->heads);
    kind->v_head_dim = hf_int(hf, "v_head_dim", kind->head_dim);
    rotary(hf, kind);
    attention_biases(hf, kind);
    if (normed && hf_trait(hf, HF_QK_HEAD))
        kind->qk_norm = QK_NORM_HEAD;
    if (normed && hf_trait(hf, HF_QK_FULL))
        kind->qk_norm = QK_NORM_FULL;
    kind->sinks = hf_trait(hf, kind->mixer == MIXER_SLIDING ? HF_SINKS | HF_SWA_SINKS : HF_SINKS);
    kind->out_gate = hf_trait(hf, HF_OUT_GATE) && hf_bool(hf, "attn_output_gate", true);
    if ((word != NULL && strcmp(word, "minimax_m3_sparse") == 0) ||
        json_integer_value(json_array_get(sparse, (size_t)i)) != 0)
        indexer(hf, kind);
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
        latent(hf, i, kind);
    else
        grouped(hf, i, kind);
}

/* ---- MLP ---- */

static bool word_at(const json_t *list, int i, const char *word)
{
    const char *text = json_string_value(json_array_get(list, (size_t)i));

    return text != NULL && strcmp(text, word) == 0;
}

static bool in_range(struct hf *hf, int i)
{
    const json_t *last = hf_get(hf, "moe_layer_end_index"); /* -1: to the end */
    int end = last == NULL ? -1 : (int)json_number_value(last);

    return i >= hf_int(hf, "moe_layer_start_index", 0) && (end < 0 || i <= end);
}

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

    if (hf_int(hf, "num_experts", 0) == 0)
        return false;
    if (json_is_array(types))
        return !word_at(types, i, "dense");
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
        return in_range(hf, i) && every_nth(i, hf_int(hf, "moe_layer_interval", 1));
    return every_nth(i, hf_int(hf, "decoder_sparse_step", 1));
}

static void experts(struct hf *hf, struct layer_kind *kind)
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

static int dense_width(struct hf *hf)
{
    if (hf_trait(hf, HF_LLAMA4))
        return hf_need(hf, "intermediate_size_mlp");
    if (hf_trait(hf, HF_FF_4H))
        return hf_int(hf, "intermediate_size", 4 * hf->model->hidden);
    if (hf->arch->width != NULL)
        return (int)fmin(hf_sum(hf, hf->arch->width), INT_MAX);
    return hf_need(hf, "intermediate_size");
}

void hf_mlp(struct hf *hf, int i, struct layer_kind *kind)
{
    kind->gated = !hf_trait(hf, HF_UNGATED);
    if (is_moe(hf, i)) {
        experts(hf, kind);
        return;
    }
    kind->ff = dense_width(hf);
    kind->mlp_bias = hf_trait(hf, HF_MLP_BIAS) ||
                     (hf_trait(hf, HF_USE_BIAS) && hf_bool(hf, "use_bias", false)) ||
                     (hf_trait(hf, HF_MLP_KEY) && hf_bool(hf, "mlp_bias", false));
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

/* Falcon: one norm for both halves, or one each; KV heads by architecture version. */
void hf_layer_falcon(struct hf *hf, int i, struct layer_kind *kind)
{
    bool fresh = hf_bool(hf, "new_decoder_architecture", false);

    kind->mixer = MIXER_FULL;
    kind->heads = hf_need(hf, "num_attention_heads");
    grouped(hf, i, kind);
    if (!fresh)
        kind->kv_heads = hf_bool(hf, "multi_query", true) ? 1 : kind->heads;
    if (fresh)
        kind->norms = hf_int(hf, "num_ln_in_parallel_attn", 2);
    else
        kind->norms = hf_bool(hf, "parallel_attn", true) ? 1 : 2;
    hf_mlp(hf, i, kind);
}

/* What a type without a row may cache at most; tensor_sum() adds the elements. */
void hf_layer_unknown(struct hf *hf, int i, struct layer_kind *kind)
{
    kind->mixer = MIXER_FULL;
    kind->heads = hf_need(hf, "num_attention_heads");
    grouped(hf, i, kind);
    kind->gated = true;
}

void hf_layer_stablelm(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_standard_layer(hf, i, kind);
    if (hf_bool(hf, "use_parallel_residual", false))
        kind->norms = 1;
    if (hf_bool(hf, "use_qk_norm", false))
        kind->qk_norm = QK_NORM_FULL;
}

/* Gemma 4: full layers have wider, fewer heads whose K serves as V; the last ones
 * borrow an earlier layer's KV; experts work beside the dense MLP. */
void hf_layer_gemma4(struct hf *hf, int i, struct layer_kind *kind)
{
    int borrowed = hf_int(hf, "num_kv_shared_layers", 0);
    bool same = hf_bool(hf, "attention_k_eq_v", false);
    int h = hf->model->hidden;

    hf_attention(hf, i, kind, hf_layer_mixer(hf, i));
    if (kind->mixer == MIXER_FULL) {
        kind->head_dim = hf_sub_int(hf, hf->own, "head_dim", hf_int(hf, "global_head_dim", 512));
        kind->v_head_dim = kind->head_dim;
        kind->k_is_v = same;
        if (same)
            kind->kv_heads = hf_int(hf, "num_global_key_value_heads", kind->kv_heads);
        kind->kv_heads = hf_sub_int(hf, hf->own, "num_key_value_heads", kind->kv_heads);
    }
    kind->kv_shared = borrowed > 0 && i >= hf->model->layer_count - borrowed;
    kind->gated = true;
    kind->ff = hf_need(hf, "intermediate_size");
    if (kind->kv_shared && hf_bool(hf, "use_double_wide_mlp", false))
        kind->ff *= 2;
    kind->layer_embed = hf_int(hf, "hidden_size_per_layer_input", 0);
    if (hf_bool(hf, "enable_moe_block", false)) {
        experts(hf, kind);
        kind->norms += 3;
        kind->extra = h + kind->experts; /* router.scale and per_expert_scale */
    }
}

void hf_finish_positions(struct hf *hf)
{
    hf->model->positions = hf->model->max_context;
}

/* OPT keeps two more rows; its smallest sizes project the embedding. */
void hf_finish_opt(struct hf *hf)
{
    int width = hf_int(hf, "word_embed_proj_dim", hf->model->hidden);

    hf->model->positions = hf->model->max_context + 2;
    if (width != hf->model->hidden)
        hf_fail(hf, "word_embed_proj_dim", "",
                "%d differs from hidden_size %d, which "
                "is not supported",
                width, hf->model->hidden);
}

void hf_finish_bloom(struct hf *hf)
{
    hf->model->embed_norm = true;
}

/* Words that are read and never written have rows in the embedding alone. */
void hf_finish_output_words(struct hf *hf)
{
    int words = hf_int(hf, "output_vocab_size", 0), more = hf->model->vocab - words;

    if (words <= 0 || hf->model->tied)
        return;
    if (more < 0)
        hf_fail(hf, "output_vocab_size", HF_HINT, "%d exceeds vocab_size %d", words,
                hf->model->vocab);
    hf_extra(hf, "words read only", ROLE_EMBED, (double)more * hf->model->hidden);
    hf->model->vocab = words;
}

/* Without a decoder nothing is cached. */
void hf_finish_encoder(struct hf *hf)
{
    hf_finish_positions(hf);
    hf->model->weights_only = !hf_bool(hf, "is_decoder", false);
    if (hf->model->weights_only)
        reader_note(hf->model, "encoder: no KV cache");
}

/* Positions begin behind that of padding (transformers 5.24, modeling_roberta.py,
 * create_position_ids_from_input_ids): its rows hold no token. */
void hf_finish_roberta(struct hf *hf)
{
    int unused = hf_int(hf, "pad_token_id", 1) + 1;

    hf_finish_encoder(hf);
    if (unused >= hf->model->max_context)
        hf_fail(hf, "pad_token_id", HF_HINT, "%d leaves no position of %d", unused - 1,
                hf->model->max_context);
    else
        hf->model->max_context -= unused;
}

static int count_layers(struct hf *hf)
{
    const char *pattern = hf_text(hf, "hybrid_override_pattern");
    const json_t *blocks = hf_get(hf, "block_configs");

    if (hf_has(hf, "num_hidden_layers"))
        return hf_int(hf, "num_hidden_layers", 0);
    if (pattern != NULL)
        return (int)strlen(pattern);
    if (json_is_array(hf_get(hf, "layer_types")))
        return (int)json_array_size(hf_get(hf, "layer_types"));
    if (json_is_array(blocks))
        return (int)json_array_size(blocks);
    return hf_need(hf, "num_hidden_layers");
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

/* A list with an entry per layer must have one for each. */
static void check_lists(struct hf *hf, int layers)
{
    static const char *const keys[] = {"layer_types",   "attn_type_list", "mlp_layer_types",
                                       "block_configs", "moe_layer_freq", "indexer_types"};

    for (size_t i = 0; i < sizeof keys / sizeof keys[0]; i++) {
        const json_t *list = hf_get(hf, keys[i]);

        if (json_is_array(list) && json_array_size(list) < (size_t)layers)
            hf_fail(hf, keys[i], "", "has %zu entries for %d layers", json_array_size(list),
                    layers);
    }
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
    int layers = count_layers(hf);

    if (hf->rc == GP_OK && (layers < 1 || layers > MODEL_MAX_LAYERS / parts))
        hf_fail(hf, "num_hidden_layers", "", "%d is outside 1..%d", layers,
                MODEL_MAX_LAYERS / parts);
    check_lists(hf, layers);
    layers *= parts;
    hf->model->layer_parts = parts;
    if (hf_bool(hf, "use_cla", false))
        hf_fail(hf, "use_cla", "describe the model in a profile: gpuplan-profile(5)",
                "layers that share keys and values are not supported for %s", hf->arch->type);
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
