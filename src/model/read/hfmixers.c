/*
 * hfmixers.c - config.json: recurrences, DeepSeek V4's compressed attention, and the
 * architectures whose layers follow their own plan.
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
 */
#include "model/read/hfconfig.h"

#include <math.h>
#include <string.h>

static void deltanet(struct hf *hf, struct layer_kind *kind)
{
    kind->lin_k_heads = hf_need(hf, "linear_num_key_heads");
    kind->lin_v_heads = hf_need(hf, "linear_num_value_heads");
    kind->lin_k_dim = hf_need(hf, "linear_key_head_dim");
    kind->lin_v_dim = hf_need(hf, "linear_value_head_dim");
    kind->conv_kernel = hf_need(hf, "linear_conv_kernel_dim");
}

static void lightning(struct hf *hf, struct layer_kind *kind)
{
    int heads = hf_need(hf, "num_attention_heads");
    int dim = hf_int(hf, "head_dim", heads > 0 ? hf->model->hidden / heads : 0);

    kind->lin_k_heads = kind->lin_v_heads = heads;
    kind->lin_k_dim = kind->lin_v_dim = dim;
}

static void kda(struct hf *hf, struct layer_kind *kind)
{
    const json_t *own = hf_get(hf, "linear_attn_config");
    int heads = hf_sub_int(hf, own, "num_heads", hf_int(hf, "linear_num_heads", 0));
    int dim = hf_sub_int(hf, own, "head_dim", hf_int(hf, "linear_head_dim", 0));

    kind->lin_k_heads = kind->lin_v_heads = heads;
    kind->lin_k_dim = kind->lin_v_dim = dim;
    kind->conv_kernel =
        hf_sub_int(hf, own, "short_conv_kernel_size", hf_int(hf, "linear_conv_kernel_dim", 4));
    kind->gate_rank = hf_trait(hf, HF_LOW_GATE) ? dim : 0;
}

/* Nemotron-H's keys, Granite's, or Mamba2's own. */
static void mamba2(struct hf *hf, struct layer_kind *kind)
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
static int dt_rank(struct hf *hf)
{
    const char *key = hf_has(hf, "mamba_dt_rank") ? "mamba_dt_rank" : "time_step_rank";

    if (!hf_has(hf, key) || hf_text(hf, key) != NULL)
        return (hf->model->hidden + 15) / 16;
    return hf_int(hf, key, 0);
}

static void mamba1(struct hf *hf, struct layer_kind *kind)
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
    kind->dt_rank = dt_rank(hf);
}

static void short_conv(struct hf *hf, struct layer_kind *kind)
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
        [MIXER_MAMBA1] = mamba1, [MIXER_MAMBA2] = mamba2,       [MIXER_DELTANET] = deltanet,
        [MIXER_KDA] = kda,       [MIXER_LIGHTNING] = lightning, [MIXER_CONV] = short_conv,
    };

    kind->mixer = mixer;
    if (fill[mixer] != NULL)
        fill[mixer](hf, kind);
}

/* ---- architectures with a plan of their own ---- */

void hf_layer_mamba(struct hf *hf, int i, struct layer_kind *kind)
{
    (void)i;
    hf_recurrence(hf, kind, hf->arch->linear);
}

/* Falcon-H1 runs Mamba-2 and attention side by side: two layers of ours, of which the
 * second has the norms and the MLP. Its Mamba may go without the norm. */
void hf_layer_falcon_h1(struct hf *hf, int i, struct layer_kind *kind)
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
void hf_layer_longcat(struct hf *hf, int i, struct layer_kind *kind)
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
void hf_layer_jamba(struct hf *hf, int i, struct layer_kind *kind)
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

void hf_layer_nemotron_h(struct hf *hf, int i, struct layer_kind *kind)
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
void hf_layer_granite_hybrid(struct hf *hf, int i, struct layer_kind *kind)
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

void hf_layer_minimax(struct hf *hf, int i, struct layer_kind *kind)
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

/* Is layer i, counted from 1, in the list? */
static bool in_own_list(const json_t *list, int i)
{
    const json_t *item;
    size_t n;

    json_array_foreach(list, n, item)
    {
        if (json_integer_value(item) == i + 1)
            return true;
    }
    return false;
}

void hf_layer_kimi_linear(struct hf *hf, int i, struct layer_kind *kind)
{
    const json_t *own = hf_get(hf, "linear_attn_config");
    bool linear;

    if (hf_layer_word(hf, i) != NULL)
        linear = hf_layer_mixer(hf, i) == MIXER_KDA;
    else
        linear = in_own_list(json_object_get(own, "kda_layers"), i);
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
static bool solar2_attends(struct hf *hf, int i)
{
    if (hf_layer_word(hf, i) != NULL)
        return hf_layer_mixer(hf, i) == MIXER_FULL;
    if (json_is_array(hf_get(hf, "gqa_layers")))
        return hf_listed(hf, "gqa_layers", i);
    return i % (hf_need(hf, "gqa_interval") + 1) == 0;
}

void hf_layer_solar2(struct hf *hf, int i, struct layer_kind *kind)
{
    if (solar2_attends(hf, i)) {
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
void hf_layer_mimo(struct hf *hf, int i, struct layer_kind *kind)
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
void hf_layer_qwen4(struct hf *hf, int i, struct layer_kind *kind)
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

void hf_layer_v4(struct hf *hf, int i, struct layer_kind *kind)
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
void hf_layer_v41(struct hf *hf, int i, struct layer_kind *kind)
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

/* The first layer that reads a pool must make it. */
static void check_sources(struct hf *hf)
{
    const struct model *m = hf->model;

    for (int i = 0; i < m->layer_count; i++) {
        const struct layer_kind *k = &m->kind[m->layer[i]];

        if (k->compress <= 0)
            continue;
        if (k->kv_shared)
            hf_fail(hf, "kv_source_layer_ids", HF_HINT,
                    "layer %d reads a pool that no layer before it makes", i);
        return;
    }
}

/* Rows of the n-grams' tables of all layers, as the file counts them. */
static double engram_rows(struct hf *hf)
{
    const json_t *rows = hf_get(hf, "engram_num_embeddings"), *item;
    double sum = 0;
    size_t i;

    if (json_array_size(rows) != json_array_size(hf_get(hf, "engram_layer_ids")))
        hf_fail(hf, "engram_num_embeddings", HF_HINT,
                "must have a number for each of "
                "engram_layer_ids");
    json_array_foreach(rows, i, item) sum += json_number_value(item);
    return sum;
}

void hf_finish_v41(struct hf *hf)
{
    double layers = json_array_size(hf_get(hf, "engram_layer_ids"));
    double h = hf->model->hidden, streams = hf_int(hf, "hc_mult", 4);
    double rows = engram_rows(hf);

    check_sources(hf);
    if (layers <= 0 || hf->rc != GP_OK)
        return;
    double dim = hf_need(hf, "engram_head_dim");
    double columns = (hf_need(hf, "engram_max_ngram_size") - 1.0) * hf_need(hf, "engram_n_heads");
    hf_extra(hf, "n-gram embedding", ROLE_NGRAM, rows * dim);
    hf_extra(hf, "n-gram projection", ROLE_MLP,
             layers * h * (columns * dim * (streams + 1) + 2 * streams));
}

/* The streams are mixed once more before the head. */
void hf_finish_v4(struct hf *hf)
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

void hf_layer_nas(struct hf *hf, int i, struct layer_kind *kind)
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
