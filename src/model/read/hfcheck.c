/*
 * hfcheck.c - config.json: is every known key of its type and within its range?
 *
 * A key that means something is checked before anything is built from it: a list where
 * a number belongs would otherwise read as absent, and the model would come out as
 * another one. null is absent, keys that are not in the tables below are ignored, and
 * of a figure's several names (hfconfig.c) the one that counts is checked.
 *
 * Example: {"text_config": {"layer_types": 5}} fails with
 * "config.json: text_config.layer_types: must be a list of strings, not 5".
 */
#include "model/read/hfconfig.h"

#include <limits.h>
#include <math.h>
#include <string.h>

#include "model/read/jscan.h"

#define WIDTH_MAX 65536.0
#define SIZE_TOP 1048576.0 /* 1023 of them still are an int */

/* Of the language model; both levels of nesting. */
static const struct hf_field model_fields[] = {
    {"hidden_size", .kinds = HF_COUNT, 1, SIZE_TOP},
    {"vocab_size", .kinds = HF_COUNT, 1, INT_MAX},
    {"output_vocab_size", .kinds = HF_COUNT, 1, INT_MAX},
    {"num_hidden_layers", .kinds = HF_COUNT, 0, INT_MAX},
    {"num_attention_heads", .kinds = HF_COUNT, 0, INT_MAX},
    {"num_key_value_heads", .kinds = HF_COUNT, 0, INT_MAX},
    {"head_dim", .kinds = HF_COUNT, 0, INT_MAX},
    {"intermediate_size", .kinds = HF_COUNT | HF_COUNTS, 0, SIZE_TOP},
    {"intermediate_size_mlp", .kinds = HF_COUNT, 0, SIZE_TOP},
    {"max_position_embeddings", .kinds = HF_COUNT, 1, INT_MAX},
    {"word_embed_proj_dim", .kinds = HF_COUNT, 1, INT_MAX},
    {"tie_word_embeddings", .kinds = HF_FLAG},
    {"lm_head_bias", .kinds = HF_FLAG},
    {"num_nextn_predict_layers", .kinds = HF_COUNT, 0, 64},
    {"dtype", .kinds = HF_TEXT},
    {"_name_or_path", .kinds = HF_TEXT},
    {"architectures", .kinds = HF_TEXTS},
    {"rope_scaling", .kinds = HF_OBJECT},
    {"rope_parameters", .kinds = HF_OBJECT},
    {"partial_rotary_factor", .kinds = HF_NUMBER, 0, 1},
    {"rotary_dim", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"layer_types", .kinds = HF_TEXTS},

    /* attention */
    {"multi_query", .kinds = HF_FLAG},
    {"attention_bias", .kinds = HF_FLAG},
    {"attention_out_bias", .kinds = HF_FLAG},
    {"use_bias", .kinds = HF_FLAG},
    {"use_qk_norm", .kinds = HF_FLAG},
    {"attn_output_gate", .kinds = HF_FLAG},
    {"mla_use_output_gate", .kinds = HF_FLAG},
    {"sliding_window", .kinds = HF_COUNT, 0, INT_MAX},
    {"sliding_window_pattern", .kinds = HF_COUNT | HF_TEXT, 1, INT_MAX, .letters = "LG"},
    {"use_sliding_window", .kinds = HF_FLAG},
    {"max_window_layers", .kinds = HF_COUNT, 0, INT_MAX},
    {"attention_chunk_size", .kinds = HF_COUNT, 0, INT_MAX},
    {"no_rope_layers", .kinds = HF_COUNTS, 0, 1},
    {"full_attention_interval", .kinds = HF_COUNT, 1, INT_MAX},
    {"gqa_interval", .kinds = HF_COUNT, 1, 1024},
    {"gqa_layers", .kinds = HF_COUNTS, 0, INT_MAX},
    {"use_gqa_gate", .kinds = HF_FLAG},
    {"kda_use_full_proj", .kinds = HF_FLAG},
    {"attn_type_list", .kinds = HF_COUNTS, 0, 1},
    {"q_lora_rank", .kinds = HF_COUNT, 0, INT_MAX},
    {"kv_lora_rank", .kinds = HF_COUNT, 0, INT_MAX},
    {"qk_rope_head_dim", .kinds = HF_COUNT, 0, INT_MAX},
    {"qk_nope_head_dim", .kinds = HF_COUNT, 0, INT_MAX},
    {"v_head_dim", .kinds = HF_COUNT, 0, INT_MAX},
    {"index_n_heads", .kinds = HF_COUNT, 0, INT_MAX},
    {"index_head_dim", .kinds = HF_COUNT, 0, INT_MAX},
    {"sparse_attention_freq", .kinds = HF_COUNTS, 0, 1},
    {"indexer_types", .kinds = HF_TEXTS, .words = "full shared"},
    {"new_decoder_architecture", .kinds = HF_FLAG},
    {"num_ln_in_parallel_attn", .kinds = HF_COUNT, 1, 2},
    {"parallel_attn", .kinds = HF_FLAG},
    {"use_parallel_residual", .kinds = HF_FLAG},
    {"num_kv_shared_layers", .kinds = HF_COUNT, 0, INT_MAX},
    {"attention_k_eq_v", .kinds = HF_FLAG},
    {"global_head_dim", .kinds = HF_COUNT, 1, INT_MAX},
    {"num_global_key_value_heads", .kinds = HF_COUNT, 1, INT_MAX},
    {"per_layer_config", .kinds = HF_OBJECT},
    {"num_attention_heads_per_layer", .kinds = HF_COUNTS, 1, INT_MAX},
    {"full_attn_idxs", .kinds = HF_COUNTS, 0, INT_MAX},
    {"conv_L_cache", .kinds = HF_COUNT, 1, 1024},
    {"conv_bias", .kinds = HF_FLAG},
    {"is_decoder", .kinds = HF_FLAG},
    {"use_cla", .kinds = HF_FLAG},
    {"hybrid_layer_pattern", .kinds = HF_COUNTS, 0, 1},
    {"moe_layers_enum", .kinds = HF_TEXT, .letters = "0123456789,"},
    {"attention_other_setting", .kinds = HF_OBJECT},
    {"index_kpool", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"indexer_n_heads", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"indexer_head_dim", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"indexer_compress_ratio", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"ple_layer_ids", .kinds = HF_COUNTS, 1, 1024},
    {"ple_embed_dim", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"ngram_size", .kinds = HF_COUNT, 2, 8},
    {"heads_per_ngram", .kinds = HF_COUNT, 1, 64},
    {"ngram_vocab_size_base", .kinds = HF_COUNT, 1, 1 << 27},
    {"make_ngram_vocab_size_divisible_by", .kinds = HF_COUNT, 1, 1 << 20},
    {"kv_source_layer_ids", .kinds = HF_COUNTS, 0, 1024},
    {"index_source_layer_ids", .kinds = HF_COUNTS, 0, 1024},
    {"engram_layer_ids", .kinds = HF_COUNTS, 0, 1024},
    {"engram_num_embeddings", .kinds = HF_COUNTS, 1, 1e12},
    {"engram_max_ngram_size", .kinds = HF_COUNT, 2, 8},
    {"engram_n_heads", .kinds = HF_COUNT, 1, 1024},
    {"engram_head_dim", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"hidden_size_per_layer_input", .kinds = HF_COUNT, 0, INT_MAX},
    {"compress_ratios", .kinds = HF_COUNTS, 0, WIDTH_MAX},
    {"compress_rates", .kinds = HF_OBJECT},
    {"o_groups", .kinds = HF_COUNT, 0, INT_MAX},
    {"o_lora_rank", .kinds = HF_COUNT, 0, INT_MAX},
    {"hc_mult", .kinds = HF_COUNT, 1, 1024},
    {"num_hash_layers", .kinds = HF_COUNT, 0, INT_MAX},

    /* MLP */
    {"mlp_bias", .kinds = HF_FLAG},
    {"use_double_wide_mlp", .kinds = HF_FLAG},
    {"enable_moe_block", .kinds = HF_FLAG},
    {"mlp_layer_types", .kinds = HF_TEXTS, .words = "dense sparse moe hash_moe"},
    {"moe_layers", .kinds = HF_COUNTS, 0, INT_MAX},
    {"moe_layer_freq", .kinds = HF_COUNT | HF_COUNTS, 0, INT_MAX},
    {"mlp_only_layers", .kinds = HF_COUNTS, 0, INT_MAX},
    {"first_k_dense_replace", .kinds = HF_COUNT, 0, INT_MAX},
    {"interleave_moe_layer_step", .kinds = HF_COUNT, 1, INT_MAX},
    {"moe_layer_interval", .kinds = HF_COUNT, 1, INT_MAX},
    {"moe_layer_start_index", .kinds = HF_COUNT, 0, INT_MAX},
    {"moe_layer_end_index", .kinds = HF_COUNT, -1, INT_MAX},
    {"decoder_sparse_step", .kinds = HF_COUNT, 0, INT_MAX},
    {"num_experts", .kinds = HF_COUNT, 0, INT_MAX},
    {"num_experts_per_tok", .kinds = HF_COUNT | HF_COUNTS, 0, INT_MAX},
    {"moe_intermediate_size", .kinds = HF_COUNT | HF_COUNTS, 0, SIZE_TOP},
    {"n_shared_experts", .kinds = HF_COUNT | HF_COUNTS, 0, 1023},
    {"shared_expert_intermediate_size", .kinds = HF_COUNT, 0, INT_MAX},
    {"moe_latent_size", .kinds = HF_COUNT, 0, INT_MAX},

    /* recurrence */
    {"linear_num_key_heads", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"linear_num_value_heads", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"linear_key_head_dim", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"linear_value_head_dim", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"linear_conv_kernel_dim", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"linear_num_heads", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"linear_head_dim", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"linear_attn_config", .kinds = HF_OBJECT},
    {"mamba_expand", .kinds = HF_COUNT, 1, 63},
    {"expand", .kinds = HF_COUNT, 1, 63},
    {"mamba_num_heads", .kinds = HF_COUNT, 0, INT_MAX},
    {"mamba_n_heads", .kinds = HF_COUNT, 0, INT_MAX},
    {"mamba_head_dim", .kinds = HF_COUNT, 0, INT_MAX},
    {"mamba_d_head", .kinds = HF_COUNT | HF_TEXT, 0, INT_MAX, .words = "auto"},
    {"num_heads", .kinds = HF_COUNT, 0, INT_MAX},
    {"ssm_state_size", .kinds = HF_COUNT, 0, INT_MAX},
    {"mamba_d_state", .kinds = HF_COUNT, 0, INT_MAX},
    {"state_size", .kinds = HF_COUNT, 0, INT_MAX},
    {"n_groups", .kinds = HF_COUNT, 0, INT_MAX},
    {"mamba_n_groups", .kinds = HF_COUNT, 0, INT_MAX},
    {"conv_kernel", .kinds = HF_COUNT, 0, INT_MAX},
    {"mamba_d_conv", .kinds = HF_COUNT, 0, INT_MAX},
    {"mamba_dt_rank", .kinds = HF_COUNT | HF_TEXT, 1, INT_MAX, .words = "auto"},
    {"time_step_rank", .kinds = HF_COUNT | HF_TEXT, 1, INT_MAX, .words = "auto"},
    {"attn_layer_period", .kinds = HF_COUNT, 1, INT_MAX},
    {"attn_layer_offset", .kinds = HF_COUNT, 0, INT_MAX},
    {"expert_layer_period", .kinds = HF_COUNT, 1, INT_MAX},
    {"expert_layer_offset", .kinds = HF_COUNT, 0, INT_MAX},
    {"hybrid_override_pattern", .kinds = HF_TEXT, .letters = "M*-E"},
    {"block_configs", .kinds = HF_OBJECTS},

    /* quantisation */
    {"quantization_config", .kinds = HF_OBJECT},
    {"quantization", .kinds = HF_OBJECT},
    {"expert_dtype", .kinds = HF_TEXT, .words = "fp4 fp8"},
};

static const struct hf_field rope_fields[] = {
    {"rope_type", .kinds = HF_TEXT},
    {"type", .kinds = HF_TEXT},
    {"factor", .kinds = HF_NUMBER, 1e-6, 1e6},
    {"original_max_position_embeddings", .kinds = HF_COUNT, 1, INT_MAX},
    {"partial_rotary_factor", .kinds = HF_NUMBER, 0, 1},
};

static const struct hf_field kda_fields[] = {
    {"num_heads", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"head_dim", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"short_conv_kernel_size", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"kda_layers", .kinds = HF_COUNTS, 0, INT_MAX},
    {"use_full_rank_gate", .kinds = HF_FLAG},
    {"full_attn_layers", .kinds = HF_COUNTS, 0, INT_MAX},
};

static const struct hf_field rate_fields[] = {
    {"sliding_attention", .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"compressed_sparse_attention", .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"heavily_compressed_attention", .kinds = HF_COUNT, 1, WIDTH_MAX},
};

#define FIELDS(table) table, sizeof(table) / sizeof *(table)

/* ---- one value ---- */

/* Is word one of the list, which is separated by blanks? */
static bool is_among(const char *words, const char *word)
{
    size_t n;

    for (const char *at = words; *at != '\0'; at += n + (at[n] == ' ')) {
        n = strcspn(at, " ");
        if (strlen(word) == n && memcmp(at, word, n) == 0)
            return true;
    }
    return false;
}

static bool text_fits(const struct hf_field *field, const json_t *value)
{
    const char *text = json_string_value(value);

    if (text == NULL || (field->words != NULL && !is_among(field->words, text)))
        return false;
    return field->letters == NULL ||
           (text[0] != '\0' && text[strspn(text, field->letters)] == '\0');
}

static bool number_fits(const struct hf_field *field, unsigned kind, const json_t *value)
{
    double number = json_number_value(value);

    if (!json_is_number(value) || (kind != HF_NUMBER && floor(number) != number))
        return false;
    if (kind == HF_GROUP && number == 0)
        return false;
    return number >= field->low && number <= field->high;
}

/* Lists are read with json_integer_value, so 1.0 is none of their integers. */
static bool item_fits(const struct hf_field *field, unsigned kind, const json_t *item)
{
    if (kind == HF_TEXTS)
        return text_fits(field, item);
    if (kind == HF_OBJECTS)
        return json_is_object(item);
    return json_is_integer(item) && number_fits(field, HF_COUNT, item);
}

static bool kind_fits(const struct hf_field *field, unsigned kind, const json_t *value)
{
    switch (kind) {
    case HF_COUNT:
    case HF_GROUP:
    case HF_NUMBER:
        return number_fits(field, kind, value);
    case HF_FLAG: /* Python's 0 and 1 are flags too */
        return json_is_boolean(value) ||
               (json_is_integer(value) && json_integer_value(value) >= 0 &&
                json_integer_value(value) <= 1);
    case HF_TEXT:
        return text_fits(field, value);
    case HF_OBJECT:
        return json_is_object(value);
    default:
        for (size_t i = 0; i < json_array_size(value); i++)
            if (!item_fits(field, kind, json_array_get(value, i)))
                return false;
        return json_is_array(value) &&
               (field->items == 0 || json_array_size(value) == (size_t)field->items);
    }
}

/* ---- what to say ---- */

/* "a whole number of 1..64 or a text of the letters LG" */
static void value_describe(const struct hf_field *field, struct strbuf *out)
{
    static const struct {
        unsigned kind;
        const char *words;
    } kinds[] = {
        {HF_COUNT, "a whole number"},
        {HF_GROUP, "-1 (a whole row) or a whole number from 1"},
        {HF_NUMBER, "a number"},
        {HF_FLAG, "true or false"},
        {HF_TEXT, "a string"},
        {HF_OBJECT, "an object"},
        {HF_TEXTS, "a list of strings"},
        {HF_COUNTS, "a list of whole numbers"},
        {HF_OBJECTS, "a list of objects"},
    };

    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++) {
        if ((field->kinds & kinds[i].kind) == 0)
            continue;
        strbuf_addf(out, "%s%s", out->len > 0 ? " or " : "", kinds[i].words);
        if (kinds[i].kind == HF_GROUP)
            strbuf_addf(out, "..%.0f", field->high);
        if (kinds[i].kind & (HF_COUNT | HF_COUNTS))
            strbuf_addf(out, " of %.0f..%.0f", field->low, field->high);
        if (kinds[i].kind == HF_NUMBER)
            strbuf_addf(out, " of %g..%g", field->low, field->high);
        if (kinds[i].kind & (HF_TEXT | HF_TEXTS) && field->words != NULL)
            strbuf_addf(out, " (known: %s)", field->words);
        if (kinds[i].kind == HF_TEXT && field->letters != NULL)
            strbuf_addf(out, " of the letters %s", field->letters);
    }
    if (field->items > 0)
        strbuf_addf(out, ", %d of them", field->items);
}

static void refuse_field(struct hf *hf, const struct hf_field *field, const char *path,
                         const char *name, const json_t *value)
{
    char key[160], shown[40], but[40] = "not";
    static const char *const types[] = {[JSON_OBJECT] = "an object",
                                        [JSON_ARRAY] = "a list",
                                        [JSON_TRUE] = "true",
                                        [JSON_FALSE] = "false",
                                        [JSON_NULL] = "null"};
    struct strbuf wanted;

    snprintf(key, sizeof key, "%s%s%s", path, path[0] != '\0' ? "." : "", name);
    strbuf_init(&wanted);
    value_describe(field, &wanted);
    for (size_t i = 0; field->kinds >= HF_TEXTS && i < json_array_size(value); i++) {
        unsigned kind = field->kinds & (HF_TEXTS | HF_COUNTS | HF_OBJECTS);

        if (item_fits(field, kind, json_array_get(value, i)))
            continue;
        snprintf(but, sizeof but, "but entry %zu is", i);
        value = json_array_get(value, i);
        break;
    }
    if (json_is_number(value))
        hf_fail(hf, key, HF_HINT, "must be %s, %s %.12g", wanted.text, but,
                json_number_value(value));
    else if (json_is_string(value))
        hf_fail(
            hf, key, HF_HINT, "must be %s, %s \"%s\"", wanted.text, but,
            safe_text(shown, sizeof shown, json_string_value(value), json_string_length(value)));
    else
        hf_fail(hf, key, HF_HINT, "must be %s, %s %s", wanted.text, but, types[json_typeof(value)]);
    strbuf_fini(&wanted);
}

/* ---- objects ---- */

static void check_value(struct hf *hf, const struct hf_field *field, const char *path,
                        const char *name, const json_t *value)
{
    for (unsigned kind = 1; kind <= field->kinds; kind <<= 1)
        if ((field->kinds & kind) != 0 && kind_fits(field, kind, value))
            return;
    refuse_field(hf, field, path, name, value);
}

void hf_check(struct hf *hf, const char *path, const json_t *object, const struct hf_field *fields,
              size_t count)
{
    for (size_t i = 0; i < count && hf->rc == GP_OK; i++) {
        const json_t *value = hf_present(object, fields[i].key);

        if (value != NULL)
            check_value(hf, &fields[i], path, fields[i].key, value);
    }
}

/* A sub-object that hangs on one key of the model. */
static void check_sub(struct hf *hf, const char *key, const struct hf_field *fields, size_t count)
{
    struct hf_found found = hf_find(hf, key);
    char path[96];

    if (found.value == NULL)
        return;
    snprintf(path, sizeof path, "%s%s%s", found.path, found.path[0] != '\0' ? "." : "", found.name);
    hf_check(hf, path, found.value, fields, count);
}

void hf_check_model(struct hf *hf)
{
    for (size_t i = 0; i < sizeof model_fields / sizeof *model_fields; i++) {
        struct hf_found found = hf_find(hf, model_fields[i].key);

        if (found.value != NULL)
            check_value(hf, &model_fields[i], found.path, found.name, found.value);
    }
    check_sub(hf, "rope_scaling", FIELDS(rope_fields));
    check_sub(hf, "rope_parameters", FIELDS(rope_fields));
    check_sub(hf, "linear_attn_config", FIELDS(kda_fields));
    check_sub(hf, "compress_rates", FIELDS(rate_fields));
}
