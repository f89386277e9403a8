/*
 * hfarch.c - what each model_type implies beyond its config.json.
 *
 * config.json gives sizes; the modelling code decides whether there are biases, how
 * many norms a layer has, whether q and k are normalised, what a missing key means.
 * That knowledge is this table, one row per model_type, read from the modelling code
 * of huggingface/transformers (src/transformers/models/<type>, release 5.24) and, for
 * types that only ship their own code, from the model's published description. The
 * last column holds what the configuration class assumes for keys that a saved file
 * may leave out (Gemma 3's 4B file names no heads at all); cuts_head: its code rounds the
 * width of a head down where heads do not divide the hidden size.
 *
 * Architectures whose layers follow a plan of their own have a function here:
 *
 *   Nemotron-H  hybrid_override_pattern, a letter per layer: M Mamba2, * attention,
 *               - MLP, E experts; a layer is only one of them
 *   Jamba       attention where i % attn_layer_period == attn_layer_offset, Mamba1
 *               elsewhere; experts likewise
 *   Kimi Linear linear_attn_config: lists of layers counted from 1
 *   Solar Open2 layer_types, or gqa_layers counted from 0, or gqa_interval
 *   DeepSeek V4 compress_ratios: 0 window only, 4 with indexer, 128 without
 *   NAS         block_configs: heads and width per layer (Nemotron-NAS)
 *
 * Example: Nemotron-H 56B's pattern "M-M-M-M*-..." is 54 M, 10 *, 54 -.
 *
 * Example: qwen3 = Llama's layer, plus a norm of q and of k per head: 2 * 128 more
 * elements a layer.
 */
#include "model/read/hfconfig.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/suggest.h"
#include "base/texts.h"
#include "model/read/tensors.h"

/* ---- architectures with a plan of their own ---- */

/* Falcon: one norm for both halves, or one each; KV heads by architecture version. */
static void hf_layer_falcon(struct hf *hf, int i, struct layer_kind *kind)
{
    bool fresh = hf_bool(hf, "new_decoder_architecture", false);

    hf_attention(hf, i, kind, MIXER_FULL);
    if (!fresh)
        kind->kv_heads = hf_bool(hf, "multi_query", true) ? 1 : kind->heads;
    if (fresh)
        kind->norms = hf_int(hf, "num_ln_in_parallel_attn", 2);
    else
        kind->norms = hf_bool(hf, "parallel_attn", true) ? 1 : 2;
    hf_mlp(hf, i, kind);
}

/* What a type without a row may cache at most; tensor_sum() adds the elements. */
static void hf_layer_unknown(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_attention(hf, i, kind, MIXER_FULL);
    kind->gated = true;
}

static void hf_layer_stablelm(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_standard_layer(hf, i, kind);
    if (hf_bool(hf, "use_parallel_residual", false))
        kind->norms = 1;
    if (hf_bool(hf, "use_qk_norm", false))
        kind->qk_norm = QK_NORM_FULL;
}

/* Gemma 4: full layers have wider, fewer heads whose K serves as V; the last ones
 * borrow an earlier layer's KV; experts work beside the dense MLP. */
static void hf_layer_gemma4(struct hf *hf, int i, struct layer_kind *kind)
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
        hf_experts(hf, kind);
        kind->norms += 3;
        kind->extra = h + kind->experts; /* router.scale and per_expert_scale */
    }
}

static void hf_finish_positions(struct hf *hf)
{
    hf->model->positions = hf->model->max_context;
}

/* OPT keeps two more rows; its smallest sizes project the embedding. */
static void hf_finish_opt(struct hf *hf)
{
    int width = hf_int(hf, "word_embed_proj_dim", hf->model->hidden);

    hf->model->positions = hf->model->max_context + 2;
    if (width != hf->model->hidden)
        hf_fail(hf, "word_embed_proj_dim", "",
                "%d differs from hidden_size %d, which "
                "is not supported",
                width, hf->model->hidden);
}

static void hf_finish_bloom(struct hf *hf)
{
    hf->model->embed_norm = true;
}

/* Words that are read and never written have rows in the embedding alone. */
static void hf_finish_output_words(struct hf *hf)
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
static void hf_finish_encoder(struct hf *hf)
{
    hf_finish_positions(hf);
    hf->model->weights_only = !hf_bool(hf, "is_decoder", false);
    if (hf->model->weights_only)
        checkpoint_note(hf->model, "encoder: no KV cache");
}

/* Turned positions; their table is one more tensor. */
static void hf_finish_roformer(struct hf *hf)
{
    hf_finish_encoder(hf);
    hf->model->positions = 0;
}

/* The first layer's attention has no norm of its own, but the embedding has: as many. */
static void hf_finish_modernbert(struct hf *hf)
{
    hf->model->weights_only = true;
    checkpoint_note(hf->model, "encoder: no KV cache");
}

/* Positions begin behind that of padding (transformers 5.24, modeling_roberta.py,
 * create_position_ids_from_input_ids): its rows hold no token. */
static void hf_finish_roberta(struct hf *hf)
{
    int unused = hf_int(hf, "pad_token_id", 1) + 1;

    hf_finish_encoder(hf);
    if (unused >= hf->model->max_context)
        hf_fail(hf, "pad_token_id", HF_HINT, "%d leaves no position of %d", unused - 1,
                hf->model->max_context);
    else
        hf->model->max_context -= unused;
}

/* A decoder that also attends to an encoder's output; the encoder's layers are part of what
 * stands outside. Both are weights alone: no engine here batches their requests. */
static void hf_layer_cross(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_attention(hf, i, kind, MIXER_FULL);
    kind->cross = true;
    hf_mlp(hf, i, kind);
}

/* Whisper's keys have no bias. */
static void hf_layer_whisper(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_layer_cross(hf, i, kind);
    kind->kv_bias = false;
    kind->extra = 2.0 * hf->model->hidden; /* the values' biases */
}

static void hf_finish_cross(struct hf *hf)
{
    hf->model->weights_only = true;
    checkpoint_note(hf->model, "attends to an encoder's output: weights alone are planned");
}

static void hf_finish_blip(struct hf *hf)
{
    hf_finish_positions(hf);
    hf_finish_cross(hf);
}

/* Llama 3.2 Vision: every fifth layer attends to the image alone, with norms of q and k and
 * two gates; what it caches is counted like the others' keys and values. */
static void hf_layer_mllama(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_standard_layer(hf, i, kind);
    if (hf_listed(hf, "cross_attention_layers", i))
        kind->extra = 2 * kind->head_dim + 2;
}

/* ERNIE 4.5 VL: beside the experts for text as many narrower ones for images, which idle
 * where there is none. */
static void hf_layer_ernie_vl(struct hf *hf, int i, struct layer_kind *kind)
{
    const json_t *widths = hf_get(hf, "moe_intermediate_size"); /* of text, of images */
    double h = hf->model->hidden;

    hf_standard_layer(hf, i, kind);
    if (kind->experts == 0 || json_array_size(widths) != 2)
        return;
    kind->expert_ff = (int)json_integer_value(json_array_get(widths, 0));
    kind->shared_ff = hf_int(hf, "n_shared_experts", 0) * kind->expert_ff;
    kind->extra =
        kind->experts * (3 * h * (double)json_integer_value(json_array_get(widths, 1)) + h + 1);
}

/* Gemma 3n: Gemma 4's small models before it, with AltUp's copies of the stream and LAuReL. */
static void hf_layer_gemma3n(struct hf *hf, int i, struct layer_kind *kind)
{
    int borrowed = hf_int(hf, "num_kv_shared_layers", 15);

    hf_standard_layer(hf, i, kind);
    kind->kv_shared = borrowed > 0 && i >= hf->model->layer_count - borrowed;
    kind->layer_embed = hf_int(hf, "hidden_size_per_layer_input", 256);
}

static void hf_layer_mamba(struct hf *hf, int i, struct layer_kind *kind)
{
    (void)i;
    hf_recurrence(hf, kind, hf->arch->linear);
}

/* Falcon-H1 runs Mamba-2 and attention side by side: two layers of ours, of which the
 * second has the norms and the MLP. Its Mamba may go without the norm. */
static void hf_layer_falcon_h1(struct hf *hf, int i, struct layer_kind *kind)
{
    if (i % 2 == 1) {
        hf_attention(hf, i, kind, MIXER_FULL);
        hf_mlp(hf, i, kind);
        return;
    }
    kind->norms = 0;
    hf_recurrence(hf, kind, MIXER_MAMBA2);
    if (hf_has(hf, "mamba_d_ssm") && kind->lin_v_heads > 0)
        kind->lin_v_dim = hf_int(hf, "mamba_d_ssm", 0) / kind->lin_v_heads;
    kind->unnormed = !hf_bool(hf, "mamba_rms_norm", false);
}

/* LongCat-Flash: two attentions and two dense MLPs in a layer, and experts beside the
 * first. An expert that returns its input has no weights, but a row of the router. */
static void hf_layer_longcat(struct hf *hf, int i, struct layer_kind *kind)
{
    double nothing = hf_int(hf, "zero_expert_num", 0);

    hf_attention(hf, i, kind, MIXER_FULL);
    kind->gated = true;
    kind->ff = hf_need(hf, "intermediate_size");
    if (i % 2 == 1)
        return;
    kind->experts = hf_need(hf, "n_routed_experts");
    kind->experts_active = hf_need(hf, "num_experts_per_tok");
    kind->expert_ff = hf_need(hf, "moe_intermediate_size");
    kind->router_bias = true;
    kind->extra += nothing * (hf->model->hidden + 1);
}

/* Jamba's Mamba also normalises dt, B and C. */
static void hf_layer_jamba(struct hf *hf, int i, struct layer_kind *kind)
{
    int period = hf_need(hf, "attn_layer_period");
    int moe_period = hf_need(hf, "expert_layer_period");
    int ff = hf_need(hf, "intermediate_size");

    if (period > 0 && i % period == hf_need(hf, "attn_layer_offset")) {
        hf_attention(hf, i, kind, MIXER_FULL);
    } else {
        hf_recurrence(hf, kind, MIXER_MAMBA1);
        kind->extra = kind->dt_rank + 2 * kind->lin_k_dim;
    }
    kind->gated = true;
    kind->experts = hf_int(hf, "num_experts", 0);
    if (kind->experts > 1 && moe_period > 0 &&
        i % moe_period == hf_need(hf, "expert_layer_offset")) {
        kind->experts_active = hf_need(hf, "num_experts_per_tok");
        kind->expert_ff = ff;
    } else {
        kind->experts = 0;
        kind->ff = ff;
    }
}

static char nemotron_letter(struct hf *hf, int i)
{
    const char *pattern = hf_text(hf, "hybrid_override_pattern");
    const char *word = hf_layer_word(hf, i);
    char letter = '\0';

    if (pattern != NULL)
        letter = (size_t)i < strlen(pattern) ? pattern[i] : '\0';
    else if (word != NULL)
        letter = strcmp(word, "moe") == 0                ? 'E'
                 : strcmp(word, "mlp") == 0              ? '-'
                 : strstr(word, "attention") == NULL     ? 'M'
                 : strcmp(word, "linear_attention") == 0 ? 'M'
                                                         : '*';
    if (letter == '\0' || strchr("M*-E", letter) == NULL)
        hf_fail(hf, "hybrid_override_pattern", "", "has no M, *, - or E for layer %d", i);
    return letter;
}

static void hf_layer_nemotron_h(struct hf *hf, int i, struct layer_kind *kind)
{
    char letter = nemotron_letter(hf, i);

    kind->gated = false;
    if (letter == 'M') {
        hf_recurrence(hf, kind, MIXER_MAMBA2);
    } else if (letter == '*') {
        hf_attention(hf, i, kind, MIXER_FULL);
    } else if (letter == '-') {
        kind->ff = hf_need(hf, "intermediate_size");
        kind->mlp_bias = hf_bool(hf, "mlp_bias", false);
    } else {
        kind->experts = hf_need(hf, "num_experts");
        kind->experts_active = hf_need(hf, "num_experts_per_tok");
        kind->expert_ff = hf_need(hf, "moe_intermediate_size");
        kind->shared_ff = hf_int(hf, "shared_expert_intermediate_size", 0);
        kind->latent = hf_int(hf, "moe_latent_size", 0);
    }
}

/* Granite 4: Mamba2 or attention, then experts (if any) beside a shared MLP. */
static void hf_layer_granite_hybrid(struct hf *hf, int i, struct layer_kind *kind)
{
    enum mixer mixer = hf_layer_mixer(hf, i);

    if (mixer == MIXER_MAMBA2)
        hf_recurrence(hf, kind, mixer);
    else
        hf_attention(hf, i, kind, mixer);
    kind->gated = true;
    kind->shared_ff = hf_need(hf, "shared_expert_intermediate_size");
    kind->experts = hf_int(hf, "num_experts", 0);
    if (kind->experts > 0) {
        kind->experts_active = hf_need(hf, "num_experts_per_tok");
        kind->expert_ff = hf_need(hf, "intermediate_size");
    }
}

static void hf_layer_minimax(struct hf *hf, int i, struct layer_kind *kind)
{
    enum mixer mixer = hf_layer_mixer(hf, i);

    if (!hf_has(hf, "layer_types") && !hf_has(hf, "attn_type_list"))
        hf_fail(hf, "attn_type_list", "", "is missing: it says which layers are linear");
    if (mixer == MIXER_LIGHTNING)
        hf_recurrence(hf, kind, mixer);
    else
        hf_attention(hf, i, kind, mixer);
    hf_mlp(hf, i, kind);
}

static void hf_layer_kimi_linear(struct hf *hf, int i, struct layer_kind *kind)
{
    const json_t *own = hf_get(hf, "linear_attn_config");
    const json_t *layers = json_object_get(own, "kda_layers"); /* counted from 1 */
    bool linear = hf_layer_word(hf, i) != NULL && hf_layer_mixer(hf, i) == MIXER_KDA;

    for (size_t n = 0; hf_layer_word(hf, i) == NULL && n < json_array_size(layers); n++)
        linear |= json_integer_value(json_array_get(layers, n)) == i + 1;
    if (own == NULL && hf_layer_word(hf, i) == NULL)
        hf_fail(hf, "linear_attn_config", "", "is missing: it says which layers are linear");
    if (linear)
        hf_recurrence(hf, kind, MIXER_KDA);
    else
        hf_attention(hf, i, kind, MIXER_FULL);
    /* Kimi K3's language model: kimi_linear with gates of full rank */
    if (linear && json_is_true(json_object_get(own, "use_full_rank_gate")))
        kind->gate_rank = 0;
    if (!linear && hf_bool(hf, "mla_use_output_gate", false))
        kind->out_gate = true;
    hf_mlp(hf, i, kind);
}

/* Solar Open2: attention in the layers that gqa_layers lists, counted from 0, or in the
 * first of each gqa_interval + 1. */
static void hf_layer_solar2(struct hf *hf, int i, struct layer_kind *kind)
{
    bool attends = hf_layer_word(hf, i) != NULL ? hf_layer_mixer(hf, i) == MIXER_FULL
                   : json_is_array(hf_get(hf, "gqa_layers"))
                       ? hf_listed(hf, "gqa_layers", i)
                       : i % (hf_need(hf, "gqa_interval") + 1) == 0;

    if (attends) {
        hf_attention(hf, i, kind, MIXER_FULL);
        kind->out_gate = hf_bool(hf, "use_gqa_gate", true);
    } else {
        hf_recurrence(hf, kind, MIXER_KDA);
        if (hf_bool(hf, "kda_use_full_proj", false))
            kind->gate_rank = 0;
    }
    hf_mlp(hf, i, kind);
}

/* MiMo V2: sliding layers have twice the KV heads where the file does not say. */
static void hf_layer_mimo(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_standard_layer(hf, i, kind);
    if (kind->mixer == MIXER_SLIDING && !hf_has(hf, "swa_num_key_value_heads"))
        kind->kv_heads *= 2;
}

static bool is_prime(int n)
{
    for (int d = 2; d <= n / d; d++)
        if (n % d == 0)
            return false;
    return n > 1;
}

/* Rows of the n-gram tables of PLE layer number `layer`: each head has a prime of its
 * own, the next ones from ngram_vocab_size_base on. */
static double ngram_rows(struct hf *hf, int layer, int heads)
{
    int prime = hf_need(hf, "ngram_vocab_size_base") - 1;
    double unit = hf_need(hf, "make_ngram_vocab_size_divisible_by"), rows = 0;

    for (int head = 0; head < (layer + 1) * heads; head++) {
        do
            prime++;
        while (!is_prime(prime));
        rows += head >= layer * heads ? prime : 0;
    }
    return unit > 0 ? ceil(rows / unit) * unit : 0;
}

/* Qwen4-Exp: attention with an index of pooled keys, streams that are mixed by a low
 * rank, and in a few layers embeddings of hashed n-grams, which may lie in host memory. */
static void hf_layer_qwen4(struct hf *hf, int i, struct layer_kind *kind)
{
    const json_t *ids = hf_get(hf, "ple_layer_ids");
    double h = hf->model->hidden, wide = hf_need(hf, "hc_count") * h;
    double embed = hf_int(hf, "ple_embed_dim", hf->model->hidden);
    int heads = (hf_need(hf, "ngram_size") - 1) * hf_need(hf, "heads_per_ngram");
    int layer = 0;

    hf_standard_layer(hf, i, kind);
    if (kind->mixer == MIXER_FULL && hf_has(hf, "indexer_n_heads")) {
        kind->index_heads = hf_need(hf, "indexer_n_heads");
        kind->index_dim = hf_need(hf, "indexer_head_dim");
        kind->index_pool = hf_need(hf, "indexer_compress_ratio");
    }
    if (!hf_listed(hf, "ple_layer_ids", i + 1) || hf->rc != GP_OK)
        return;
    while (json_integer_value(json_array_get(ids, (size_t)layer)) != i + 1)
        layer++;
    if (layer >= 4 || heads > 128)
        hf_fail(hf, "ple_layer_ids", "", "more than 4 layers or 128 heads");
    kind->extra = embed * (wide + h) + 3 * wide + wide * hf_need(hf, "ple_conv_kernel_size");
    if (hf->rc == GP_OK && heads > 0)
        hf_extra(hf, "n-gram embedding", ROLE_NGRAM,
                 ngram_rows(hf, layer, heads) * floor(embed / heads));
}

/* Tokens per pooled entry of layer i. */
static int compress_ratio(struct hf *hf, int i)
{
    const json_t *ratios = hf_get(hf, "compress_ratios");
    const char *word = hf_layer_word(hf, i);
    const json_t *rates = hf_get(hf, "compress_rates");

    if (json_is_array(ratios)) {
        json_int_t ratio = json_integer_value(json_array_get(ratios, (size_t)i));

        if (json_array_size(ratios) <= (size_t)i || ratio < 0 || ratio > 65536)
            hf_fail(hf, "compress_ratios", "", "has no ratio for layer %d", i);
        return (int)ratio;
    }
    if (word == NULL)
        hf_fail(hf, "compress_ratios", "", "missing");
    if (word == NULL || strcmp(word, "sliding_attention") == 0)
        return 0;
    return hf_sub_int(hf, rates, word, strcmp(word, "compressed_sparse_attention") == 0 ? 4 : 128);
}

static void hf_layer_v4(struct hf *hf, int i, struct layer_kind *kind)
{
    const char *mlp = json_string_value(json_array_get(hf_get(hf, "mlp_layer_types"), (size_t)i));

    kind->mixer = MIXER_CSA;
    kind->heads = hf_need(hf, "num_attention_heads");
    kind->kv_heads = hf_int(hf, "num_key_value_heads", 1);
    kind->head_dim = kind->v_head_dim = hf_need(hf, "head_dim");
    kind->k_is_v = true;
    kind->window = hf_need(hf, "sliding_window");
    kind->q_lora = hf_need(hf, "q_lora_rank");
    kind->rope_dim = hf_int(hf, "qk_rope_head_dim", 64);
    kind->o_groups = hf_need(hf, "o_groups");
    kind->o_lora = hf_need(hf, "o_lora_rank");
    kind->streams = hf_int(hf, "hc_mult", 4);
    kind->sinks = true;
    kind->compress = compress_ratio(hf, i);
    if (kind->compress > 0 && kind->compress <= 8) {
        kind->index_heads = hf_need(hf, "index_n_heads");
        kind->index_dim = hf_need(hf, "index_head_dim");
    }
    hf_mlp(hf, i, kind);
    kind->router_bias =
        i >= hf_int(hf, "num_hash_layers", 0) && (mlp == NULL || strcmp(mlp, "hash_moe") != 0);
}

/* V4.1: compress_ratios names the pool that a layer reads; only the layers of
 * kv_source_layer_ids make one, only those of index_source_layer_ids choose from it. The
 * tables of n-grams (Engram) of a few layers are outside the layers here. */
static void hf_layer_v41(struct hf *hf, int i, struct layer_kind *kind)
{
    hf_layer_v4(hf, i, kind);
    kind->csa2 = true;
    if (kind->compress > 2)
        hf_fail(hf, "compress_ratios", HF_HINT, "%d for layer %d, not 0, 1 or 2", kind->compress,
                i);
    kind->kv_shared = kind->compress > 0 && !hf_listed(hf, "kv_source_layer_ids", i);
    if (!hf_listed(hf, "index_source_layer_ids", i))
        kind->index_heads = kind->index_dim = 0;
    if (json_object_get(hf->root, "vision_config") != NULL)
        kind->extra = kind->experts; /* a second router bias, for tokens of images */
}

static void hf_finish_v41(struct hf *hf)
{
    double layers = json_array_size(hf_get(hf, "engram_layer_ids"));
    double h = hf->model->hidden, streams = hf_int(hf, "hc_mult", 4);
    const json_t *counts = hf_get(hf, "engram_num_embeddings");
    double rows = 0; /* of the n-grams' tables of all layers, as the file counts them */
    const struct model *m = hf->model;
    int first = 0;

    if (json_array_size(counts) != layers)
        hf_fail(hf, "engram_num_embeddings", HF_HINT,
                "must have a number for each of engram_layer_ids");
    for (size_t i = 0; i < json_array_size(counts); i++)
        rows += json_number_value(json_array_get(counts, i));
    /* the first layer that reads a pool must make it */
    while (first < m->layer_count && m->kind[m->layer[first]].compress <= 0)
        first++;
    if (first < m->layer_count && m->kind[m->layer[first]].kv_shared)
        hf_fail(hf, "kv_source_layer_ids", HF_HINT,
                "layer %d reads a pool that no layer before it makes", first);
    if (layers <= 0 || hf->rc != GP_OK)
        return;
    double dim = hf_need(hf, "engram_head_dim");
    double columns = (hf_need(hf, "engram_max_ngram_size") - 1.0) * hf_need(hf, "engram_n_heads");
    hf_extra(hf, "n-gram embedding", ROLE_NGRAM, rows * dim);
    hf_extra(hf, "n-gram projection", ROLE_MLP,
             layers * h * (columns * dim * (streams + 1) + 2 * streams));
}

/* The streams are mixed once more before the head. */
static void hf_finish_v4(struct hf *hf)
{
    double s = hf_int(hf, "hc_mult", 4);

    hf_extra(hf, "hyper_connection.head", ROLE_OTHER, s * s * hf->model->hidden + s + 1);
}

/* ---- Nemotron-NAS ---- */

/* 2/3 of ffn_mult * hidden, rounded up to 256, as the model's own code has it. */
static int nas_width(const json_t *ffn, int hidden)
{
    double mult = json_number_value(json_object_get(ffn, "ffn_mult"));
    int width = (int)(2 * mult * hidden / 3); /* at most 64 and 2^20 */

    return (width + 255) / 256 * 256;
}

/* An object of one block, whose fields are checked. */
static const json_t *nas_part(struct hf *hf, int i, const json_t *block, const char *key)
{
    static const struct hf_field fields[] = {
        {"no_op", .kinds = HF_FLAG},
        {"replace_with_linear", .kinds = HF_FLAG},
        {"n_heads_in_group", .kinds = HF_COUNT, 1, 65536},
        {"ffn_mult", .kinds = HF_NUMBER, 1e-3, 64},
    };
    const json_t *part = hf_present(block, key);
    char path[64];

    snprintf(path, sizeof path, "block_configs[%d].%s", i, key);
    if (part != NULL && !json_is_object(part))
        hf_fail(hf, path, HF_HINT, "must be an object");
    hf_check(hf, path, part, fields, sizeof fields / sizeof *fields);
    return part;
}

static bool nas_flag(const json_t *part, const char *key)
{
    const json_t *value = json_object_get(part, key);

    return json_is_true(value) || json_integer_value(value) != 0;
}

/* Is the part computed as such? Then it needs its size. */
static bool nas_whole(struct hf *hf, int i, const json_t *part, const char *name, const char *size)
{
    char path[64];

    if (nas_flag(part, "no_op") || nas_flag(part, "replace_with_linear"))
        return false;
    snprintf(path, sizeof path, "block_configs[%d].%s.%s", i, name, size);
    if (hf_present(part, size) == NULL)
        hf_fail(hf, path, HF_HINT, "is missing, and the block is neither no_op nor linear");
    return true;
}

static void hf_layer_nas(struct hf *hf, int i, struct layer_kind *kind)
{
    const json_t *block = json_array_get(hf_get(hf, "block_configs"), (size_t)i);
    const json_t *attention = nas_part(hf, i, block, "attention");
    const json_t *ffn = nas_part(hf, i, block, "ffn");
    int group = hf_sub_int(hf, attention, "n_heads_in_group", 0);

    if (block == NULL) {
        hf_fail(hf, "block_configs", "", "has no entry for layer %d", i);
        return;
    }
    kind->gated = true;
    kind->norms = 0;
    if (nas_whole(hf, i, attention, "attention", "n_heads_in_group") && group > 0) {
        hf_attention(hf, i, kind, MIXER_FULL);
        if (kind->heads % group != 0)
            hf_fail(hf, "block_configs", HF_HINT,
                    "layer %d: groups of %d do not divide "
                    "%d heads",
                    i, group, kind->heads);
        kind->kv_heads = kind->heads / group;
        kind->norms++;
    }
    if (nas_whole(hf, i, ffn, "ffn", "ffn_mult"))
        kind->ff = nas_width(ffn, hf->model->hidden);
    if (!nas_flag(ffn, "no_op"))
        kind->norms++;
    if (nas_flag(attention, "replace_with_linear") || nas_flag(ffn, "replace_with_linear"))
        kind->extra = (double)hf->model->hidden * hf->model->hidden;
}

/* ---- the table ---- */

#define QWEN_MOE (HF_SHARED_GATE)
#define GEMMA (HF_TIED)
#define BIASED (HF_QKV_BIAS | HF_O_BIAS | HF_MLP_BIAS | HF_NORM_BIAS | HF_FF_4H)
#define FALCON (HF_USE_BIAS | HF_FF_4H | HF_UNGATED | HF_NORM_BIAS | HF_TIED)
#define BIAS_KEYS (HF_BIAS_KEY | HF_BIAS_KEY_O)
#define DEEPSEEK (HF_MLA)
#define GEMMA3_DEFAULTS                                                               \
    "vocab_size=262208 hidden_size=2304 intermediate_size=9216 num_hidden_layers=26 " \
    "num_attention_heads=8 num_key_value_heads=4 head_dim=256 sliding_window=4096 "   \
    "max_position_embeddings=131072"
#define GEMMA4_DEFAULTS                                                               \
    "vocab_size=262144 hidden_size=2304 intermediate_size=9216 num_hidden_layers=30 " \
    "num_attention_heads=8 num_key_value_heads=4 head_dim=256 sliding_window=512 "    \
    "max_position_embeddings=131072 hidden_size_per_layer_input=256 "                 \
    "global_head_dim=512"
#define LLAMA4_DEFAULTS                                                        \
    "vocab_size=202048 hidden_size=5120 intermediate_size=8192 "               \
    "intermediate_size_mlp=16384 num_hidden_layers=48 num_attention_heads=40 " \
    "num_key_value_heads=8 head_dim=128 max_position_embeddings=131072 "       \
    "num_experts_per_tok=1 num_experts=16 interleave_moe_layer_step=1 "        \
    "attention_chunk_size=8192"
#define QWEN_NEXT_DEFAULTS                                                         \
    "head_dim=256 linear_conv_kernel_dim=4 linear_key_head_dim=128 "               \
    "linear_value_head_dim=128 linear_num_key_heads=16 linear_num_value_heads=32 " \
    "full_attention_interval=4"
#define QWEN4_DEFAULTS                                                                  \
    QWEN_NEXT_DEFAULTS                                                                  \
    " hc_count=4 hc_lowrank=320 ple_conv_kernel_size=4 ngram_size=3 heads_per_ngram=8 " \
    "ngram_vocab_size_base=20000000 make_ngram_vocab_size_divisible_by=128"
#define BERT (BIASED | HF_UNGATED | HF_TIED | HF_NO_NORM)
#define BERT_DEFAULTS "type_vocab_size=2"
#define BERT_ENDS \
    "h*type_vocab_size + 2*h + lm*(h*h + 3*h + V) + pooler*(h*h + h) + classes*(h + 1)"
/* An encoder's layers beside the decoder's. */
#define ENCODER_LAYERS "encoder_layers*(4*h*h + 9*h + 2*h*encoder_ffn_dim + encoder_ffn_dim)"
#define SEQ2SEQ                                                                    \
    .traits = BIASED | HF_UNGATED | HF_TIED | HF_NO_NORM, .layer = hf_layer_cross, \
    .finish = hf_finish_cross
#define POSITIONS(more) " + 2*h*(max_position_embeddings + " more ")"
#define DSA_GLM_DEFAULTS "index_n_heads=32 index_head_dim=128"
#define DSA_V32_DEFAULTS "index_n_heads=64 index_head_dim=128"

static const struct hf_arch archs[] = {
    /* Llama and those that share its layer */
    {"llama", "llama", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"mistral ministral ministral3", "mistral", 2, .traits = HF_SWA},
    {"mixtral", "mixtral", 2, .traits = HF_SWA | HF_MOE_FF},
    {"mllama", "mllama", 2, .once = "8*h", .layer = hf_layer_mllama},
    {"minicpm", "minicpm", 2, .traits = BIAS_KEYS | HF_TIED},
    {"deepseek", "deepseek", 2, .traits = BIAS_KEYS, .defaults = "first_k_dense_replace=0"},
    {"doge", "doge", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_QK_HEAD,
     .each = "kv + kv*d*kv + 2*h"},
    {"smollm3", "smollm3", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_SWA_KEY | HF_TIED},
    {"seed_oss", "seed_oss", 2, .traits = HF_BIAS_KEY | HF_MLP_KEY, .defaults = "attention_bias=1"},
    {"internlm2", "internlm2", 2, .traits = 0},
    {"internlm3", "internlm3", 2, .traits = HF_USE_BIAS},
    {"baichuan", "baichuan", 2, .traits = 0},
    {"chatglm", "chatglm", 2, .traits = HF_BIAS_KEY},
    {"granite granite4_vision_text", "granite", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"granitemoe granitemoeshared", "granite", 2, .traits = BIAS_KEYS | HF_MOE_FF},
    {"granitemoehybrid", "granite", 2, .linear = MIXER_MAMBA2, .traits = BIAS_KEYS,
     .defaults = "mamba_n_groups=1 mamba_d_conv=4 mamba_expand=2 mamba_d_state=256",
     .layer = hf_layer_granite_hybrid},
    {"ernie4_5 paddleocr_vl_text", "ernie4_5", 2, .traits = HF_USE_BIAS | HF_TIED},
    {"ernie4_5_moe", "ernie4_5", 2, .traits = HF_USE_BIAS | HF_TIED | HF_ROUTER_BIAS,
     .defaults = "moe_layer_start_index=1 moe_layer_interval=1"},
    {"ernie4_5_vl_moe_text", "ernie4_5", 2, .traits = HF_USE_BIAS | HF_TIED | HF_ROUTER_BIAS,
     .layer = hf_layer_ernie_vl},
    {"granite_docling_text", "granite", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_TIED},
    {"cosmos3_edge_text", "cosmos3", 2, .traits = HF_UNGATED | BIAS_KEYS},
    {"emu3_text_model", "emu3", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"chameleon", "chameleon", 2, .traits = BIAS_KEYS | HF_MLP_KEY, .each = "2*d*(heads + kv)"},
    {"molmo2_text", "molmo2", 2, .traits = HF_QK_HEAD | HF_BIAS_KEY,
     .once = "additional_vocab_size*h"},
    {"deepseek_ocr2_text", "deepseek_ocr2", 2, .traits = BIAS_KEYS | HF_MLP_KEY,
     .defaults = "num_experts_per_tok=6"},
    {"cohere_compass_text cohere2", "cohere2", 1, .pattern = 4, .traits = HF_TIED | BIAS_KEYS,
     .defaults = "sliding_window=4096"},
    {"dbrx", "dbrx", 2, .traits = HF_MOE_FF},
    {"exaone4", "exaone4", 2, .pattern = 4, .traits = HF_QK_HEAD},
    {"exaone", "exaone", 2, .traits = BIAS_KEYS | HF_MLP_KEY},

    {"arcee", "arcee", 2, .traits = HF_UNGATED | BIAS_KEYS | HF_MLP_KEY},
    {"aria_text", "aria", 2, .traits = BIAS_KEYS | HF_MOE_FF},
    {"apertus", "apertus", 2, .traits = HF_UNGATED | HF_QK_HEAD | BIAS_KEYS,
     .each = "4"}, /* the activation's own scalars */
    {"apertus1p5_text", "apertus", 2, .traits = HF_UNGATED | HF_QK_HEAD | BIAS_KEYS, .each = "4",
     .finish = hf_finish_output_words},
    {"bitnet", "bitnet", 2, .traits = BIAS_KEYS, .each = "h + ff"},
    {"cwm", "cwm", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"diffllama", "diffllama", 2, .traits = BIAS_KEYS, .each = "4*d"},
    {"helium", "helium", 2, .traits = HF_BIAS_KEY | HF_MLP_KEY},
    {"hyperclovax", "hyperclovax", 2, .traits = BIAS_KEYS | HF_MLP_KEY,
     .defaults = "use_post_norm=1", .each = "2*h*use_post_norm"},
    {"iquestcoder", "iquestcoder", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"granite_swa", "granite", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_SINKS | HF_TIED},
    {"granitemoe_swa", "granite", 2, .traits = BIAS_KEYS | HF_MOE_FF | HF_SINKS},
    {"exaone_moe", "exaone_moe", 2, .pattern = 4, .traits = HF_QK_HEAD | HF_ROUTER_BIAS,
     .defaults = "first_k_dense_replace=1"},
    {"hunyuan_v1_dense hunyuan_vl_text", "hunyuan", 2, .traits = HF_QK_HEAD | BIAS_KEYS},
    {"hunyuan_v1_moe", "hunyuan", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_MOE_FF,
     .defaults = "n_shared_experts=1"},
    {"hy_v3", "hunyuan", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_MLP_KEY | HF_ROUTER_BIAS,
     .defaults = "first_k_dense_replace=1"},
    {"solar_open", "solar", 2, .traits = HF_BIAS_KEY | HF_ROUTER_BIAS},
    {"dots1", "dots1", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_ROUTER_BIAS},
    {"mellum", "mellum", 2, .traits = HF_QK_HEAD | BIAS_KEYS},
    {"flint", "flint", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_SINKS},
    {"kolibri1", "kolibri", 4, .pattern = 5, .traits = HF_QK_HEAD | HF_ROUTER_BIAS},
    {"laguna", "laguna", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_ROUTER_BIAS,
     .defaults = "gating=1 first_k_dense_replace=1",
     .each = "h*heads*(d + (1-d)*(gating + gating^per-head))"},
    {"step3p5 step3p7", "step", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_ROUTER_BIAS,
     .defaults = "gating=1 first_k_dense_replace=3",
     .each = "h*heads*(d + (1-d)*(gating + gating^per-head))"},
    {"mimo", "mimo", 2, .traits = HF_QKV_BIAS | HF_SWA_KEY},
    {"mimo_v2_flash mimo_v2", "mimo", 2, .traits = HF_BIAS_KEY | HF_ROUTER_BIAS | HF_SWA_SINKS,
     .layer = hf_layer_mimo},
    {"afmoe", "afmoe", 4, .traits = HF_QK_HEAD | HF_OUT_GATE | BIAS_KEYS | HF_ROUTER_BIAS},
    {"beam", "beam", 4, .pattern = 6,
     .traits = HF_QK_HEAD | HF_OUT_GATE | BIAS_KEYS | HF_ROUTER_BIAS, .each = "heads"},
    {"muse_glimmer_text", "muse", 4, .traits = HF_OUT_GATE},

    /* short convolutions */
    {"lfm2", "lfm2", 2, .linear = MIXER_CONV, .traits = HF_QK_HEAD | HF_TIED,
     .defaults = "conv_L_cache=3 block_auto_adjust_ff_dim=1 block_multiple_of=256 "
                 "block_ffn_dim_multiplier=1",
     .width = "intermediate_size*(block_auto_adjust_ff_dim = 0) + "
              "block_auto_adjust_ff_dim*((2*intermediate_size/3*block_ffn_dim_multiplier/1 "
              "+ block_multiple_of - 1)/block_multiple_of*block_multiple_of)"},
    {"lfm2_moe", "lfm2", 2, .linear = MIXER_CONV, .traits = HF_QK_HEAD | HF_TIED | HF_ROUTER_BIAS,
     .defaults = "conv_L_cache=3 first_k_dense_replace=2"},
    {"lfm3", "lfm3", 2, .linear = MIXER_CONV, .traits = HF_QK_HEAD | HF_TIED | BIAS_KEYS,
     .defaults = "conv_L_cache=7 use_sandwich_norm=1 use_attention_gate=1",
     .each = "2*h*use_sandwich_norm + use_attention_gate*heads*h"},

    /* encoders: text models, rankers, and decoders when the file says so */
    {"bert ernie megatron-bert", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS,
     .once = BERT_ENDS, .finish = hf_finish_encoder},
    {"roberta camembert xlm-roberta data2vec-text xlm-roberta-xl", "bert", 2, .traits = BERT,
     .defaults = BERT_DEFAULTS, .once = BERT_ENDS, .finish = hf_finish_roberta},
    {"big_bird", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS,
     .once = BERT_ENDS " + lm*(h*h + h)", .finish = hf_finish_encoder},
    {"roberta-prelayernorm", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS,
     .once = BERT_ENDS " + 2*h", .finish = hf_finish_roberta},
    {"bert-generation", "bert", 2, .traits = BERT, .once = "2*h + V", .finish = hf_finish_encoder},
    {"modernbert-decoder", "modernbert", 1, .pattern = 3,
     .traits = HF_TIED | BIAS_KEYS | HF_MLP_KEY, .each = "h*(0 < i)", .once = "h + h*h + h + V"},

    {"modernbert", "modernbert", 2, .pattern = 3, .traits = HF_TIED | BIAS_KEYS | HF_MLP_KEY,
     .defaults = "sliding_window=128", .once = "lm*(h*h + h + V)", .finish = hf_finish_modernbert},
    {"roformer", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS,
     .once = BERT_ENDS " + max_position_embeddings*h/num_attention_heads",
     .finish = hf_finish_roformer},
    {"roc_bert", "bert", 2, .traits = BERT,
     .defaults = BERT_DEFAULTS " pronunciation_vocab_size=910 pronunciation_embed_dim=768 "
                               "shape_vocab_size=24858 shape_embed_dim=512",
     .once = BERT_ENDS " + pronunciation_vocab_size*pronunciation_embed_dim + "
                       "shape_vocab_size*shape_embed_dim + "
                       "(h + pronunciation_embed_dim + shape_embed_dim)*h + h",
     .finish = hf_finish_encoder},
    {"xmod", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS " adapter_reduction_factor=2",
     .each = "languages*(2*h*(h/adapter_reduction_factor) + h/adapter_reduction_factor + h)",
     .once = BERT_ENDS, .finish = hf_finish_encoder},
    {"git", "git", 2, .traits = (BERT & ~HF_TIED) | HF_HEAD_BIAS, .once = "2*h",
     .finish = hf_finish_positions},
    {"blip_text_model", "bert", 3, .traits = BERT, .once = "2*h + h*h + 3*h + V",
     .layer = hf_layer_cross, .finish = hf_finish_blip},
    {"kosmos_2_text_model", "kosmos", 2, .traits = BIASED | HF_UNGATED | HF_TIED,
     .each = "2*h + 2*ff"},
    {"kosmos_2_5_text_model", "kosmos", 2, .traits = BIASED | HF_UNGATED | HF_TIED, .each = "2*ff",
     .once = "2*h"},

    /* an encoder and a decoder; pegasus and marian keep tables of sines */
    {"bart mvp plbart", "bart", 3, SEQ2SEQ, .once = ENCODER_LAYERS POSITIONS("2") " + 4*h"},
    {"mbart", "bart", 3, SEQ2SEQ, .once = ENCODER_LAYERS POSITIONS("2") " + 8*h"},
    {"blenderbot-small blenderbot pegasus", "bart", 3, SEQ2SEQ,
     .once = ENCODER_LAYERS POSITIONS("0") " + 4*h"},
    {"marian", "bart", 3, SEQ2SEQ, .once = ENCODER_LAYERS POSITIONS("0")},
    {"bigbird_pegasus", "bart", 3,
     .traits = HF_MLP_BIAS | HF_NORM_BIAS | HF_FF_4H | HF_UNGATED | HF_TIED | HF_NO_NORM,
     .once = "encoder_layers*(4*h*h + 5*h + 2*h*encoder_ffn_dim + encoder_ffn_dim)" POSITIONS(
         "0") " + 4*h",
     .layer = hf_layer_cross, .finish = hf_finish_cross},
    {"trocr", "bart", 3, SEQ2SEQ, .once = "h*(max_position_embeddings + 2) + 2*h"},
    {"whisper", "whisper", 3, .traits = BIASED | HF_UNGATED | HF_TIED,
     .defaults = "max_source_positions=1500 num_mel_bins=80",
     .once = "encoder_layers*(4*h*h + 8*h + 2*h*encoder_ffn_dim + encoder_ffn_dim) + "
             "3*num_mel_bins*h + h + 3*h*h + h + max_source_positions*h + 2*h + "
             "max_position_embeddings*h",
     .layer = hf_layer_whisper, .finish = hf_finish_cross},

    /* Qwen */
    {"qwen2 qwen2_vl qwen2_5_vl qwen2_5_omni_text", "qwen2", 2, .traits = HF_QKV_BIAS | HF_SWA_KEY},
    {"qwen2_moe", "qwen2_moe", 2, .traits = HF_BIAS_KEY | HF_SWA_KEY | QWEN_MOE,
     .defaults = "attention_bias=1 decoder_sparse_step=1"},
    {"qwen3", "qwen3", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_SWA_KEY,
     .defaults = "head_dim=128"},
    {"qwen3_moe", "qwen3_moe", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_SWA_KEY,
     .defaults = "decoder_sparse_step=1"},
    {"qwen3_vl", "qwen3_vl", 2, .traits = HF_QK_HEAD | BIAS_KEYS, .defaults = "head_dim=128"},
    {"qwen3_vl_moe", "qwen3_vl", 2, .traits = HF_QK_HEAD | BIAS_KEYS,
     .defaults = "decoder_sparse_step=1"},
    {"qwen3_omni_moe_text", "qwen3_moe", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_SWA_KEY,
     .defaults = "decoder_sparse_step=1 cuts_head=1"},
    {"qwen3_next", "qwen3_next", 2, .linear = MIXER_DELTANET,
     .traits = HF_QK_HEAD | HF_OUT_GATE | HF_BIAS_KEY | QWEN_MOE,
     .defaults = QWEN_NEXT_DEFAULTS " decoder_sparse_step=1"},
    {"qwen3_5", "qwen3_5", 2, .linear = MIXER_DELTANET,
     .traits = HF_QK_HEAD | HF_OUT_GATE | HF_BIAS_KEY, .defaults = QWEN_NEXT_DEFAULTS},
    {"qwen3_5_moe", "qwen3_5_moe", 2, .linear = MIXER_DELTANET,
     .traits = HF_QK_HEAD | HF_OUT_GATE | HF_BIAS_KEY | QWEN_MOE, .defaults = QWEN_NEXT_DEFAULTS},
    {"lara_mini", "lara", 2, .linear = MIXER_DELTANET, .traits = HF_QK_HEAD | BIAS_KEYS | HF_TIED,
     .defaults = "head_dim=128 sliding_window=512 linear_conv_kernel_dim=4 "
                 "linear_key_head_dim=128 linear_value_head_dim=128 linear_num_key_heads=8 "
                 "linear_num_value_heads=16"},

    {"qwen4_exp_text", "qwen4_exp", 0, .linear = MIXER_DELTANET,
     .traits = HF_QK_HEAD | HF_OUT_GATE | HF_BIAS_KEY | QWEN_MOE | HF_NO_NORM,
     .defaults = QWEN4_DEFAULTS, .each = "2*hc_count*h*(1 + 2*hc_lowrank + hc_count)",
     .once = "hc_count*h*(1 + 2*hc_lowrank)", .layer = hf_layer_qwen4},

    /* Gemma */
    {"gemma", "gemma", 2, .traits = GEMMA | BIAS_KEYS, .defaults = "head_dim=256"},
    {"gemma2", "gemma2", 4, .pattern = 2, .traits = GEMMA | BIAS_KEYS,
     .defaults = "head_dim=256 sliding_window=4096"},
    {"gemma3", "gemma3", 4, .pattern = 6, .traits = GEMMA | HF_QK_HEAD | BIAS_KEYS,
     .defaults = GEMMA3_DEFAULTS},
    {"gemma3n", "gemma3n", 4, .pattern = 5, .traits = GEMMA | HF_QK_HEAD | BIAS_KEYS,
     .defaults = "head_dim=256 altup_num_inputs=4 laurel_rank=64 vocab_size_per_layer_input=262144 "
                 "hidden_size_per_layer_input=256",
     .each = "2*laurel_rank*h + h + altup_num_inputs*(altup_num_inputs + altup_num_inputs*"
             "altup_num_inputs + h) + 2*h",
     .once = "2*(altup_num_inputs - 1)*h*h - "
             "(V - vocab_size_per_layer_input)*L*hidden_size_per_layer_input",
     .layer = hf_layer_gemma3n},
    {"gemma4", "gemma4", 4, .pattern = 6, .traits = GEMMA | HF_QK_HEAD | BIAS_KEYS,
     .defaults = GEMMA4_DEFAULTS, .layer = hf_layer_gemma4},
    {"gemma4_unified_text", "gemma4", 4, .pattern = 6, .traits = GEMMA | HF_QK_HEAD | BIAS_KEYS,
     .defaults = "global_head_dim=512", .each = "1", .layer = hf_layer_gemma4},

    /* Llama 4, Phi, GLM, OLMo, gpt-oss, Cohere */
    {"llama4", "llama4", 2, .pattern = 4, .traits = HF_LLAMA4 | BIAS_KEYS,
     .defaults = LLAMA4_DEFAULTS},
    {"phi", "phi", 1, .traits = BIASED | HF_UNGATED | HF_HEAD_BIAS,
     .defaults = "max_position_embeddings=2048"},
    {"phi3 phi4_multimodal", "phi3", 2, .traits = HF_SWA},
    {"phimoe", "phimoe", 2, .traits = BIAS_KEYS | HF_NORM_BIAS | HF_MOE_FF | HF_SWA | HF_HEAD_BIAS,
     .defaults = "lm_head_bias=0"},
    {"glm", "glm", 2, .traits = HF_BIAS_KEY, .defaults = "head_dim=128"},
    {"glm4", "glm4", 4, .traits = HF_BIAS_KEY, .defaults = "head_dim=128"},
    {"glm4v_text", "glm4v", 4, .traits = HF_BIAS_KEY, .defaults = "attention_bias=1"},
    {"glm_ocr_text", "glm_ocr", 4, .traits = HF_BIAS_KEY},
    {"glm4v_moe_text", "glm4v_moe", 2,
     .traits = HF_BIAS_KEY | HF_QK_HEAD | HF_QK_KEY | HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "attention_bias=1 "
                 "first_k_dense_replace=1 cuts_head=1"},
    {"glm4_moe", "glm4_moe", 2,
     .traits = HF_BIAS_KEY | HF_QK_HEAD | HF_QK_KEY | HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "first_k_dense_replace=1 cuts_head=1"},
    {"sarvam_moe", "sarvam", 2, .traits = HF_BIAS_KEY | HF_QK_HEAD | HF_QK_KEY | HF_ROUTER_BIAS,
     .defaults = "head_dim=64 first_k_dense_replace=1 use_qk_norm=1"},
    {"olmo", "olmo", 0, .traits = BIAS_KEYS | HF_NO_NORM},
    {"olmo2", "olmo2", 2, .traits = BIAS_KEYS | HF_QK_FULL},
    {"olmo3", "olmo3", 2, .pattern = 4, .traits = BIAS_KEYS | HF_QK_FULL,
     .defaults = "sliding_window=4096"},
    {"olmoe", "olmoe", 2, .traits = BIAS_KEYS | HF_QK_FULL | HF_MOE_FF},
    {"gpt_oss", "gpt_oss", 2, .pattern = 2,
     .traits = BIAS_KEYS | HF_SINKS | HF_MOE_FF | HF_EXPERT_BIAS | HF_ROUTER_BIAS,
     .defaults = "attention_bias=1 head_dim=64 sliding_window=128"},
    {"cohere", "cohere", 1, .traits = HF_TIED | BIAS_KEYS | HF_QK_FULL | HF_QK_KEY},
    {"stablelm", "stablelm", 2, .traits = HF_BIAS_KEY | HF_NORM_BIAS, .layer = hf_layer_stablelm},

    {"cohere2_moe", "cohere2", 1, .pattern = 4, .traits = HF_TIED | BIAS_KEYS | HF_MOE_FF,
     .width = "prefix_dense_intermediate_size + "
              "(prefix_dense_intermediate_size = 0)*intermediate_size"},
    {"flex_olmo", "olmo2", 2, .traits = BIAS_KEYS | HF_QK_FULL | HF_MOE_FF},
    {"vaultgemma", "gemma2", 2, .pattern = 2, .traits = GEMMA | BIAS_KEYS},
    {"nanochat", "nanochat", 0, .traits = BIAS_KEYS | HF_NO_NORM | HF_UNGATED},

    /* LayerNorm and biases: the older ones */
    {"biogpt", "biogpt", 2, .traits = BIASED | HF_UNGATED | HF_TIED, .finish = hf_finish_opt},
    {"codegen", "codegen", 1,
     .traits = HF_MLP_BIAS | HF_NORM_BIAS | HF_FF_4H | HF_UNGATED | HF_HEAD_BIAS},
    {"gptj", "gptj", 1,
     .traits = HF_MLP_BIAS | HF_NORM_BIAS | HF_FF_4H | HF_UNGATED | HF_HEAD_BIAS},
    {"ctrl", "ctrl", 2, .traits = BIASED | HF_UNGATED | HF_TIED | HF_HEAD_BIAS},
    {"gpt_neo", "gpt_neo", 2,
     .traits = HF_O_BIAS | HF_MLP_BIAS | HF_NORM_BIAS | HF_FF_4H | HF_UNGATED | HF_TIED,
     .finish = hf_finish_positions},
    {"gpt_neox_japanese", "gpt_neox", 2, .traits = HF_NORM_BIAS | HF_UNGATED | HF_TIED,
     .defaults = "intermediate_multiple_size=4", .width = "h*intermediate_multiple_size",
     .each = "h*(i = L-1)"},
    {"jais2", "jais2", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_NORM_BIAS | HF_UNGATED,
     .defaults = "attention_bias=1 mlp_bias=1"},
    {"mpt", "mpt", 2, .traits = HF_UNGATED | HF_TIED, .defaults = "expansion_ratio=4",
     .width = "h*expansion_ratio/1"},
    {"openai-gpt", "gpt", 2, .traits = BIASED | HF_UNGATED | HF_TIED | HF_NO_NORM,
     .finish = hf_finish_positions},
    {"persimmon", "persimmon", 2, .traits = BIASED | HF_UNGATED | HF_QK_HEAD | HF_QK_KEY,
     .defaults = "use_qk_norm=1", .each = "2*d*use_qk_norm"},
    {"xglm", "xglm", 2, .traits = BIASED | HF_UNGATED | HF_TIED},
    {"falcon RefinedWebModel RefinedWeb", "falcon", 1, .traits = FALCON,
     .defaults = "max_position_embeddings=2048", .layer = hf_layer_falcon},
    {"gpt2 gpt-sw3", "gpt2", 2, .traits = BIASED | HF_UNGATED | HF_TIED,
     .finish = hf_finish_positions},
    {"gpt_bigcode", "gpt_bigcode", 2, .traits = BIASED | HF_UNGATED | HF_TIED,
     .defaults = "multi_query=1", .finish = hf_finish_positions},
    {"gpt_neox", "gpt_neox", 2, .traits = BIAS_KEYS | HF_MLP_BIAS | HF_NORM_BIAS | HF_UNGATED,
     .defaults = "attention_bias=1"},
    {"opt", "opt", 2, .traits = BIASED | HF_UNGATED | HF_TIED, .finish = hf_finish_opt},
    {"bloom", "bloom", 2, .traits = BIASED | HF_UNGATED | HF_TIED,
     .defaults = "max_position_embeddings=2048", .finish = hf_finish_bloom},
    {"starcoder2", "starcoder2", 2,
     .traits = HF_USE_BIAS | HF_NORM_BIAS | HF_UNGATED | HF_TIED | HF_SWA,
     .defaults = "use_bias=1"},
    {"nemotron", "nemotron", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_UNGATED | HF_NORM_BIAS},

    /* latent attention */
    {"deepseek_v2", "deepseek_v2", 2, .traits = DEEPSEEK,
     .defaults = "first_k_dense_replace=0 num_experts_per_tok=6"},
    {"deepseek_v3", "deepseek_v3", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "first_k_dense_replace=3"},
    {"deepseek_v32", "deepseek_v32", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_MTP_COPY | HF_DSA,
     .defaults = DSA_V32_DEFAULTS " first_k_dense_replace=3"},
    {"kimi_k2", "kimi_k2", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS},
    {"kimi_vl", "kimi_vl", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS},
    {"kimi_k25", "kimi_k25", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS},
    {"glm_moe_dsa", "glm_moe_dsa", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_DSA,
     .defaults = DSA_GLM_DEFAULTS " first_k_dense_replace=3"},
    {"glm4_moe_lite", "glm4_moe_lite", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "first_k_dense_replace=1"},
    {"axk1", "axk1", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS, .defaults = "first_k_dense_replace=1",
     .each = "h*moe"},
    {"sarvam_mla", "sarvam", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS,
     .defaults = "first_k_dense_replace=1"},
    {"longcat_flash", "longcat", 2, .parts = 2, .traits = DEEPSEEK | HF_ROUTER_BIAS,
     .layer = hf_layer_longcat},
    {"minicpm3", "minicpm3", 2, .traits = DEEPSEEK | HF_TIED},
    {"mistral4", "mistral4", 2, .traits = DEEPSEEK},
    {"youtu", "youtu", 2, .traits = DEEPSEEK | HF_TIED},
    {"hy_v4", "hunyuan", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_DSA | HF_OUT_GATE,
     .defaults = "index_n_heads=16 index_head_dim=128 first_k_dense_replace=1 hc_mult=4",
     .each = "heads + 2*(2*hc_mult*hc_mult*h + 2*hc_mult + 2)",
     .once = "hc_mult*hc_mult*h + hc_mult + 1"},
    {"hy_v4_vl_text", "hunyuan", 2, .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_DSA | HF_OUT_GATE,
     .defaults = "index_n_heads=32 index_head_dim=128 first_k_dense_replace=1 "
                 "hc_mult=4",
     .each = "heads + 2*(2*hc_mult*hc_mult*h + 2*hc_mult + 2)",
     .once = "hc_mult*hc_mult*h + hc_mult + 1"},
    {"mistral_large4_text", "mistral4", 2, .traits = DEEPSEEK | HF_DSA,
     .defaults = "index_n_heads=32 index_head_dim=128 first_k_dense_replace=1",
     .each = "2*heads + indexer*(2*h + 2*index_n_heads)", .once = "qk_rope_head_dim/2"},
    {"deepseek_v4 deepseek_ref", "deepseek_v4", 2, .traits = HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "hc_mult=4 index_n_heads=64 index_head_dim=128", .layer = hf_layer_v4,
     .finish = hf_finish_v4},
    {"deepseek_v41 deepseek_v41_text", "deepseek_v41", 2, .traits = HF_ROUTER_BIAS,
     .defaults = "hc_mult=4 index_n_heads=32 index_head_dim=128", .layer = hf_layer_v41,
     .finish = hf_finish_v41},

    /* recurrence */
    {"kimi_linear", "kimi_linear", 2, .linear = MIXER_KDA,
     .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_LOW_GATE, .layer = hf_layer_kimi_linear},
    {"kimi_k3", "kimi_k3", 2, .linear = MIXER_KDA, .traits = DEEPSEEK | HF_OUT_GATE,
     .layer = hf_layer_kimi_linear},
    {"solar_open2", "solar_open2", 2, .linear = MIXER_KDA,
     .traits = HF_BIAS_KEY | HF_QK_HEAD | HF_QK_KEY | HF_ROUTER_BIAS | HF_LOW_GATE,
     .defaults = "gqa_interval=3", .layer = hf_layer_solar2},
    {"minimax minimax_m1 minimax_text_01", "minimax", 2, .linear = MIXER_LIGHTNING,
     .traits = HF_MOE_FF, .layer = hf_layer_minimax},
    {"minimax_m2", "minimax_m2", 2, .traits = HF_QK_FULL | HF_MOE_FF | HF_ROUTER_BIAS,
     .defaults = "use_qk_norm=1"},
    {"nemotron_h nemotron_h_puzzle", "nemotron_h", 1, .linear = MIXER_MAMBA2, .traits = HF_UNGATED,
     .defaults = "conv_kernel=4 n_groups=8", .layer = hf_layer_nemotron_h},
    {"jamba", "jamba", 2, .linear = MIXER_MAMBA1, .traits = HF_MOE_FF,
     .defaults = "attn_layer_period=8 attn_layer_offset=4 expert_layer_period=2  "
                 "expert_layer_offset=1 mamba_d_state=16 mamba_d_conv=4 mamba_expand=2",
     .layer = hf_layer_jamba},
    {"mamba falcon_mamba", "mamba", 1, .linear = MIXER_MAMBA1, .traits = HF_TIED,
     .defaults = "state_size=16 expand=2 conv_kernel=4 max_position_embeddings=1048576",
     .layer = hf_layer_mamba},
    {"mamba2", "mamba2", 1, .linear = MIXER_MAMBA2, .traits = 0,
     .defaults = "state_size=128 expand=2 conv_kernel=4 n_groups=8 num_heads=128 "
                 "head_dim=64  max_position_embeddings=1048576",
     .layer = hf_layer_mamba},
    {"falcon_h1", "falcon_h1", 2, .linear = MIXER_MAMBA2, .parts = 2,
     .traits = BIAS_KEYS | HF_MLP_KEY, .defaults = "mamba_d_conv=4", .layer = hf_layer_falcon_h1},
    {"bamba", "bamba", 2, .linear = MIXER_MAMBA2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"olmo_hybrid", "olmo2", 2, .linear = MIXER_DELTANET, .traits = BIAS_KEYS | HF_QK_FULL},
    {"bailing_moe", "bailing", 2, .traits = HF_USE_BIAS | HF_QK_HEAD | HF_QK_KEY,
     .each = "moe*num_experts*moe_router_enable_expert_bias"},
    {"bailing_hybrid", "bailing", 2, .linear = MIXER_KDA, .traits = DEEPSEEK | HF_ROUTER_BIAS,
     .defaults = "first_k_dense_replace=2 layer_group_size=6",
     .each = "heads*h + keys*h - key*h - key*keys"},
    {"glm5_next_text", "glm5_next", 2, .linear = MIXER_KDA,
     .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_DSA | HF_LOW_GATE | HF_STREAMS,
     .defaults = "index_n_heads=32 index_head_dim=128 index_kpool=16 hc_mult=4 "
                 "first_k_dense_replace=3 full_attention_interval=4 linear_conv_kernel_dim=4 "
                 "qk_rope_head_dim=0",
     .each = "indexer*index_head_dim*(index_kpool + h)"},
    {"minimax_m3 minimax_m3_vl", "minimax_m3", 2, .traits = HF_QK_HEAD | HF_MOE_FF | HF_ROUTER_BIAS,
     .width = "dense_intermediate_size"},
    {"nemotron-nas", "nemotron_nas", 2, .traits = 0, .layer = hf_layer_nas},

    /* types that cannot be planned, by the fact that is missing */
    {"pix2struct pp_formulanet prophetnet t5gemma2 udop vision-encoder-decoder",
     .refuse = "an encoder with a decoder: what an engine keeps of the encoder is not known here"},
    {"musicgen musicgen_melody moshi idefics evolla",
     .refuse = "layers with attention to another input: what they cache of it is not known here"},
    {"rwkv xlstm recurrent_gemma reformer zaya",
     .refuse = "the layout of its recurrent state is not known here"},
    {"zamba zamba2 hrm_text jetmoe",
     .refuse = "a layer holds two mixers or shares one: its cache is not known here"},
    {"gemma4_assistant gemma4_unified_assistant",
     .refuse = "its layers read the KV cache of another model"},
    {"axk2 dots3_note inkling_text inkling_mm_model inkling2 muse_spark unlimited_ocr "
     "diffusion_gemma",
     .refuse = "the layout of its KV cache is not known here"},
    {"dory inkling2_loop_text",
     .refuse = "layers that run several times: what each pass caches is not known here"},
    {"blt cpmant electra rembert xlm xlnet pi0",
     .refuse = "its tensors follow rules that are not known here"},
};

static const struct hf_arch *find_exactly(const char *type)
{
    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++)
        if (gp_has_word(archs[i].types, " ", type))
            return &archs[i];
    return NULL;
}

/* "x_text" is the language model of "x": a row for one stands for both. */
const struct hf_arch *hfarch_find(const char *type)
{
    const struct hf_arch *arch = find_exactly(type);
    size_t len = strlen(type);
    char other[64];

    if (arch != NULL || len > 48)
        return arch;
    if (len > 5 && strcmp(type + len - 5, "_text") == 0)
        snprintf(other, sizeof other, "%.*s", (int)(len - 5), type);
    else
        snprintf(other, sizeof other, "%s_text", type);
    return find_exactly(other);
}

const struct hf_arch *hfarch_stand_in(void)
{
    static const struct hf_arch row = {"", "unknown", 2, .layer = hf_layer_unknown};

    return &row;
}

bool hfarch_nearest(const char *type, char *near, size_t size)
{
    struct texts words = {0};
    const char *names[512], *found;
    size_t count = 0;

    for (size_t i = 0; i < sizeof archs / sizeof *archs; i++) {
        char *rest, *list = archs[i].refuse ? NULL : gp_strdup(archs[i].types);

        for (char *name = list ? strtok_r(list, " ", &rest) : NULL;
             name && count < sizeof names / sizeof *names; name = strtok_r(NULL, " ", &rest))
            names[count++] = texts_add(&words, name);
        free(list);
    }
    found = suggest_name(type, names, count);
    gp_copy(near, size, found ? found : "");
    texts_fini(&words);
    return near[0] != '\0';
}
