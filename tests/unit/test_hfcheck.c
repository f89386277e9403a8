/*
 * test_hfcheck.c - config.json: a known key of the wrong type or out of range is an
 * error that names it, never a guess.
 */
#include "model/read/hfconfig.h"

#include "unit.h"

static struct model parse(const char *text)
{
    struct model model;
    struct gp_err err = {0};

    if (hfconfig_parse("config.json", text, strlen(text), &model, &err) != GP_OK)
        fail_msg("%s: %s (%s)", err.where, err.text, err.hint);
    return model;
}

static struct gp_err refuse(const char *text)
{
    struct model model;
    struct gp_err err = {0};

    if (hfconfig_parse("config.json", text, strlen(text), &model, &err) == GP_OK)
        fail_msg("accepted: %.200s", text);
    assert_int_equal(err.code, GP_E_FILE);
    assert_true(err.text[0] != '\0');
    return err;
}

static void refused_with(const char *text, const char *where, const char *what)
{
    struct gp_err err = refuse(text);

    if (!strstr(err.where, where) || !strstr(err.text, what))
        fail_msg("refused with %s: %s", err.where, err.text);
}

#define TINY                                                                  \
    "\"hidden_size\":64,\"num_hidden_layers\":4,\"num_attention_heads\":4,"   \
    "\"num_key_value_heads\":2,\"intermediate_size\":128,\"vocab_size\":100," \
    "\"max_position_embeddings\":1024,\"torch_dtype\":\"bfloat16\""

#define QUANT(config) "{\"model_type\":\"llama\"," TINY ",\"quantization_config\":" config "}"

/* Every known key of the wrong type or out of range, named with its level. */
static void test_wrong_types(void **state)
{
    static const struct {
        const char *member, *where, *what;
    } cases[] = {
        {"\"text_config\":5", "text_config", "must be an object"},
        {"\"thinker_config\":[]", "thinker_config", "must be an object"},
        {"\"thinker_config\":{\"text_config\":1}", "thinker_config.text_config",
         "must be an object"},
        {"\"vision_config\":5", "vision_config", "must be an object"},
        {"\"audio_config\":\"x\"", "audio_config", "must be an object"},
        {"\"vision_config\":{\"model_type\":\"pixtral\",\"hidden_size\":\"8\"}",
         "vision_config.hidden_size", "whole number"},
        {"\"layer_types\":5", "layer_types", "must be a list of strings, not 5"},
        {"\"layer_types\":[\"full_attention\",7]", "layer_types", "entry 1 is 7"},
        {"\"head_dim\":\"16\"", "head_dim", "not \"16\""},
        {"\"head_dim\":\"\"", "head_dim", "not \"\""},
        {"\"head_dim\":16.5", "head_dim", "not 16.5"},
        {"\"head_dim\":true", "head_dim", "not true"},
        {"\"head_dim\":[16]", "head_dim", "not a list"},
        {"\"kv_channels\":\"16\"", "kv_channels", "whole number"},
        {"\"sliding_window\":-1", "sliding_window", "not -1"},
        {"\"tie_word_embeddings\":\"true\"", "tie_word_embeddings", "true or false"},
        {"\"tie_word_embeddings\":2", "tie_word_embeddings", "true or false"},
        {"\"use_sliding_window\":[]", "use_sliding_window", "true or false"},
        {"\"mlp_only_layers\":3", "mlp_only_layers", "a list of whole numbers"},
        {"\"mlp_only_layers\":[1.0]", "mlp_only_layers", "a list of whole"},
        {"\"moe_layer_freq\":\"1\"", "moe_layer_freq", "or a list of whole"},
        {"\"mlp_layer_types\":[\"spares\"]", "mlp_layer_types", "known: dense"},
        {"\"sliding_window_pattern\":\"\"", "sliding_window_pattern", "letters LG"},
        {"\"sliding_window_pattern\":0", "sliding_window_pattern", "not 0"},
        {"\"num_nextn_predict_layers\":65", "num_nextn_predict_layers", "0..64"},
        {"\"n_shared_experts\":1024", "n_shared_experts", "0..1023"},
        {"\"mamba_expand\":64", "mamba_expand", "1..63"},
        {"\"rope_scaling\":\"yarn\"", "rope_scaling", "an object"},
        {"\"rope_scaling\":{\"factor\":\"4\"}", "rope_scaling.factor", "a number"},
        {"\"rope_scaling\":{\"type\":\"yarn\",\"factor\":1e6,"
         "\"original_max_position_embeddings\":1000000}",
         "rope_scaling.factor", "extends"},
        {"\"block_configs\":[1]", "block_configs", "entry 0 is 1"},
        {"\"linear_attn_config\":{\"num_heads\":0}", "linear_attn_config.num_heads", "not 0"},
        {"\"expert_dtype\":\"fp2\"", "expert_dtype", "known: fp4 fp8"},
        {"\"dtype\":16", "dtype", "a string"},
    };
    char text[1024];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text, "{\"model_type\":\"llama\"," TINY ",%s}", cases[i].member);
        refused_with(text, cases[i].where, cases[i].what);
    }
    refused_with("{\"text_config\":{\"model_type\":\"llama\"," TINY ",\"layer_types\":{}}}",
                 "config.json: text_config.layer_types", "not an object");
    refused_with("{\"model_type\":5," TINY "}", "model_type", "must be a string");
    refused_with("{\"model_type\":\"nemotron-nas\"," TINY ",\"block_configs\":["
                 "{\"attention\":{\"n_heads_in_group\":3},\"ffn\":{\"no_op\":true}},"
                 "{},{},{}]}",
                 "block_configs", "do not divide 4 heads");
    refused_with("{\"model_type\":\"nemotron-nas\"," TINY ",\"block_configs\":["
                 "{\"attention\":{\"no_op\":true},\"ffn\":{\"ffn_mult\":-1}},"
                 "{},{},{}]}",
                 "block_configs[0].ffn.ffn_mult", "a number");
    refused_with("{\"model_type\":\"nemotron-nas\"," TINY ",\"block_configs\":["
                 "{\"attention\":{\"no_op\":true},\"ffn\":{}},{},{},{}]}",
                 "block_configs[0].ffn.ffn_mult", "missing");
    /* null is absent, and an unknown key may hold anything */
    parse("{\"model_type\":\"llama\"," TINY ",\"layer_types\":null,\"head_dim\":null,"
          "\"text_config\":null,\"vision_config\":null,\"hidden_sizes\":\"x\"}");
}

static void test_quant_wrong(void **state)
{
    static const struct {
        const char *config, *where, *what;
    } cases[] = {
        {"5", "quantization_config", "must be an object, not 5"},
        {"[1]", "quantization_config", "must be an object, not a list"},
        {"{\"quant_method\":5}", ".quant_method", "must be a string"},
        {"{\"quant_method\":\"gptq\"}", ".bits", "missing"},
        {"{\"quant_method\":\"gptq\",\"bits\":-4}", ".bits", "1..32, not -4"},
        {"{\"quant_method\":\"gptq\",\"bits\":\"4\"}", ".bits", "not \"4\""},
        {"{\"quant_method\":\"gptq\",\"bits\":4,\"group_size\":0}", ".group_size", "must be -1"},
        {"{\"quant_method\":\"awq\",\"group_size\":-2147483648}", ".group_size", "must be -1"},
        {"{\"quant_method\":\"awq\",\"group_size\":12.5}", ".group_size", "12.5"},
        {"{\"quant_method\":\"awq\",\"lm_head\":\"yes\"}", ".lm_head", "true or"},
        {"{\"quant_method\":\"fp8\",\"weight_block_size\":[0,0]}", ".weight_block_size",
         "1..65536, 2 of them, but entry 0 is 0"},
        {"{\"quant_method\":\"fp8\",\"weight_block_size\":[128]}", ".weight_block_size",
         "2 of them"},
        {"{\"quant_method\":\"fp8\",\"weight_block_size\":128}", ".weight_block_size", "a list"},
        {"{\"quant_method\":\"fp8\",\"modules_to_not_convert\":\"lm_head\"}",
         ".modules_to_not_convert", "a list of strings"},
        {"{\"quant_method\":\"fp8\",\"modules_to_not_convert\":[\"a\",null]}",
         ".modules_to_not_convert", "entry 1 is null"},
        {"{\"quant_method\":\"bitsandbytes\",\"load_in_4bit\":\"true\"}", ".load_in_4bit",
         "true or false"},
        {"{\"quant_method\":\"compressed-tensors\",\"config_groups\":[]}", ".config_groups",
         "an object"},
        {"{\"quant_method\":\"compressed-tensors\",\"config_groups\":{\"g\":1}}",
         ".config_groups.g", "an object"},
        {"{\"quant_method\":\"compressed-tensors\",\"config_groups\":{\"g\":{}}}",
         ".config_groups.g", "no weights"},
        {"{\"quant_method\":\"compressed-tensors\",\"config_groups\":{\"g\":"
         "{\"weights\":{\"num_bits\":\"4\"}}}}",
         ".g.weights.num_bits", "whole"},
        {"{\"quant_method\":\"compressed-tensors\",\"config_groups\":{\"g\":"
         "{\"weights\":{\"num_bits\":8,\"type\":\"complex\"}}}}",
         ".g.weights.type", "int float"},
        {"{\"quant_method\":\"modelopt\",\"quant_algo\":\"FP8\","
         "\"kv_cache_quant_algo\":\"FP3\"}",
         ".kv_cache_quant_algo", "FP3"},
        {"{\"quant_method\":\"modelopt\",\"quant_algo\":\"FP8\","
         "\"kv_cache_scheme\":{\"num_bits\":3}}",
         ".kv_cache_scheme.num_bits", "3"},
        {"{\"quant_method\":\"modelopt\",\"quant_algo\":\"MIXED_PRECISION\","
         "\"quantized_layers\":{\"a\":{\"quant_algo\":\"X\"}}}",
         "quantized_layers.a", "\"X\""},
    };
    char text[1024];

    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        snprintf(text, sizeof text,
                 "{\"model_type\":\"llama\"," TINY ",\"quantization_config\":%s}", cases[i].config);
        refused_with(text, cases[i].where, cases[i].what);
    }
    refused_with("{\"model_type\":\"llama\"," TINY ",\"quantization\":{\"bits\":4}}",
                 "quantization.group_size", "whole number");
    /* an AWQ file may leave both out; null is absent */
    assert_string_equal(parse(QUANT("{\"quant_method\":\"awq\",\"bits\":null,"
                                    "\"modules_to_not_convert\":null}"))
                            .native[ROLE_MLP],
                        "int4-awq");
    assert_string_equal(parse(QUANT("null")).native[ROLE_MLP], "bf16");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_wrong_types),
        cmocka_unit_test(test_quant_wrong),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
