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
    {"n_shared_experts", .kinds = HF_COUNT | HF_COUNTS, 0, 1023},
    {"moe_layer_freq num_experts_per_tok", .kinds = HF_COUNT | HF_COUNTS, 0, INT_MAX},
    {"intermediate_size moe_intermediate_size", .kinds = HF_COUNT | HF_COUNTS, 0, SIZE_TOP},
    {"mamba_d_head", .kinds = HF_COUNT | HF_TEXT, 0, INT_MAX, .words = "auto"},
    {"sliding_window_pattern", .kinds = HF_COUNT | HF_TEXT, 1, INT_MAX, .letters = "LG"},
    {"mamba_dt_rank time_step_rank", .kinds = HF_COUNT | HF_TEXT, 1, INT_MAX, .words = "auto"},
    {"moe_layer_end_index", .kinds = HF_COUNT, -1, INT_MAX},
    {"num_nextn_predict_layers", .kinds = HF_COUNT, 0, 64},
    {"num_hidden_layers num_attention_heads num_key_value_heads head_dim sliding_window "
     "max_window_layers attention_chunk_size q_lora_rank kv_lora_rank qk_rope_head_dim "
     "qk_nope_head_dim v_head_dim index_n_heads index_head_dim num_kv_shared_layers "
     "hidden_size_per_layer_input o_groups o_lora_rank num_hash_layers first_k_dense_replace "
     "moe_layer_start_index decoder_sparse_step num_experts shared_expert_intermediate_size "
     "moe_latent_size mamba_num_heads mamba_n_heads mamba_head_dim num_heads ssm_state_size "
     "mamba_d_state state_size n_groups mamba_n_groups conv_kernel mamba_d_conv attn_layer_offset "
     "expert_layer_offset",
     .kinds = HF_COUNT, 0, INT_MAX},
    {"intermediate_size_mlp", .kinds = HF_COUNT, 0, SIZE_TOP},
    {"rotary_dim linear_num_key_heads linear_num_value_heads linear_key_head_dim "
     "linear_value_head_dim linear_conv_kernel_dim linear_num_heads linear_head_dim",
     .kinds = HF_COUNT, 0, WIDTH_MAX},
    {"make_ngram_vocab_size_divisible_by", .kinds = HF_COUNT, 1, 1 << 20},
    {"ngram_vocab_size_base", .kinds = HF_COUNT, 1, 1 << 27},
    {"gqa_interval conv_L_cache engram_n_heads hc_mult", .kinds = HF_COUNT, 1, 1024},
    {"num_ln_in_parallel_attn", .kinds = HF_COUNT, 1, 2},
    {"mamba_expand expand", .kinds = HF_COUNT, 1, 63},
    {"heads_per_ngram", .kinds = HF_COUNT, 1, 64},
    {"vocab_size output_vocab_size max_position_embeddings word_embed_proj_dim "
     "full_attention_interval global_head_dim num_global_key_value_heads interleave_moe_layer_step "
     "moe_layer_interval attn_layer_period expert_layer_period",
     .kinds = HF_COUNT, 1, INT_MAX},
    {"hidden_size", .kinds = HF_COUNT, 1, SIZE_TOP},
    {"index_kpool indexer_n_heads indexer_head_dim indexer_compress_ratio ple_embed_dim "
     "engram_head_dim",
     .kinds = HF_COUNT, 1, WIDTH_MAX},
    {"ngram_size engram_max_ngram_size", .kinds = HF_COUNT, 2, 8},
    {"no_rope_layers attn_type_list sparse_attention_freq hybrid_layer_pattern", .kinds = HF_COUNTS,
     0, 1},
    {"kv_source_layer_ids index_source_layer_ids engram_layer_ids", .kinds = HF_COUNTS, 0, 1024},
    {"gqa_layers full_attn_idxs moe_layers mlp_only_layers", .kinds = HF_COUNTS, 0, INT_MAX},
    {"compress_ratios", .kinds = HF_COUNTS, 0, WIDTH_MAX},
    {"ple_layer_ids", .kinds = HF_COUNTS, 1, 1024},
    {"engram_num_embeddings", .kinds = HF_COUNTS, 1, 1e12},
    {"num_attention_heads_per_layer", .kinds = HF_COUNTS, 1, INT_MAX},
    {"tie_word_embeddings lm_head_bias multi_query attention_bias attention_out_bias use_bias "
     "use_qk_norm attn_output_gate mla_use_output_gate use_sliding_window use_gqa_gate "
     "kda_use_full_proj new_decoder_architecture parallel_attn use_parallel_residual "
     "attention_k_eq_v conv_bias is_decoder use_cla mlp_bias use_double_wide_mlp enable_moe_block",
     .kinds = HF_FLAG},
    {"partial_rotary_factor", .kinds = HF_NUMBER, 0, 1},
    {"rope_scaling rope_parameters per_layer_config attention_other_setting compress_rates "
     "linear_attn_config quantization_config quantization",
     .kinds = HF_OBJECT},
    {"block_configs", .kinds = HF_OBJECTS},
    {"dtype _name_or_path", .kinds = HF_TEXT},
    {"moe_layers_enum", .kinds = HF_TEXT, .letters = "0123456789,"},
    {"hybrid_override_pattern", .kinds = HF_TEXT, .letters = "M*-E"},
    {"expert_dtype", .kinds = HF_TEXT, .words = "fp4 fp8"},
    {"architectures layer_types", .kinds = HF_TEXTS},
    {"mlp_layer_types", .kinds = HF_TEXTS, .words = "dense sparse moe hash_moe"},
    {"indexer_types", .kinds = HF_TEXTS, .words = "full shared"},
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

static bool text_fits(const struct hf_field *field, const json_t *value)
{
    const char *text = json_string_value(value);

    if (text == NULL || (field->words != NULL && !gp_has_word(field->words, " ", text)))
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
    for (size_t i = 0; i < count; i++) {
        const char *keys = fields[i].keys;
        char key[64];

        while (hf->rc == GP_OK && hf_next_word(&keys, key)) {
            const json_t *value = hf_present(object, key);

            if (value != NULL)
                check_value(hf, &fields[i], path, key, value);
        }
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
        const char *keys = model_fields[i].keys;
        char key[64];

        while (hf_next_word(&keys, key)) {
            struct hf_found found = hf_find(hf, key);

            if (found.value != NULL)
                check_value(hf, &model_fields[i], found.path, found.name, found.value);
        }
    }
    check_sub(hf, "rope_scaling", FIELDS(rope_fields));
    check_sub(hf, "rope_parameters", FIELDS(rope_fields));
    check_sub(hf, "linear_attn_config", FIELDS(kda_fields));
    check_sub(hf, "compress_rates", FIELDS(rate_fields));
}
