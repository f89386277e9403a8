/*
 * hfarch.c - what each model_type implies beyond its config.json.
 *
 * config.json gives sizes; the modelling code decides whether there are biases, how
 * many norms a layer has, whether q and k are normalised, what a missing key means.
 * That knowledge is this table, one row per model_type, read from the modelling code
 * of huggingface/transformers (src/transformers/models/<type>, release 5.24) and, for
 * types that only ship their own code, from the model's published description. The
 * last column holds what the configuration class assumes for keys that a saved file
 * may leave out (Gemma 3's 4B file names no heads at all).
 *
 * Example: qwen3 = Llama's layer, plus a norm of q and of k per head: 2 * 128 more
 * elements a layer.
 */
#include "model/read/hfconfig.h"

#include <stdio.h>
#include <string.h>

#include "base/suggest.h"

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
#define ENCODER_DECODER \
    "an encoder with a decoder: what an engine keeps of the encoder is not known here"
#define CROSS "layers with attention to another input: what they cache of it is not known here"
#define STATE "the layout of its recurrent state is not known here"
#define TWICE "a layer holds two mixers or shares one: its cache is not known here"
#define DRAFTER "its layers read the KV cache of another model"
#define LAYOUT "the layout of its KV cache is not known here"
#define LOOPS "layers that run several times: what each pass caches is not known here"
#define SHAPE "its tensors follow rules that are not known here"
#define DSA_GLM_DEFAULTS "index_n_heads=32 index_head_dim=128"
#define DSA_V32_DEFAULTS "index_n_heads=64 index_head_dim=128"

static const struct hf_arch archs[] = {
    /* Llama and those that share its layer */
    {"llama", "llama", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"mistral", "mistral", 2, .traits = HF_SWA},
    {"ministral", "mistral", 2, .traits = HF_SWA},
    {"ministral3", "mistral", 2, .traits = HF_SWA},
    {"mixtral", "mixtral", 2, .traits = HF_SWA | HF_MOE_FF},
    {"smollm3", "smollm3", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_SWA_KEY | HF_TIED},
    {"seed_oss", "seed_oss", 2, .traits = HF_BIAS_KEY | HF_MLP_KEY, .defaults = "attention_bias=1"},
    {"internlm2", "internlm2", 2, .traits = 0},
    {"internlm3", "internlm3", 2, .traits = HF_USE_BIAS},
    {"baichuan", "baichuan", 2, .traits = 0},
    {"chatglm", "chatglm", 2, .traits = HF_BIAS_KEY},
    {"granite", "granite", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"granitemoe", "granite", 2, .traits = BIAS_KEYS | HF_MOE_FF},
    {"granitemoehybrid", "granite", 2, .linear = MIXER_MAMBA2, .traits = BIAS_KEYS,
     .defaults = "mamba_n_groups=1 mamba_d_conv=4 mamba_expand=2 mamba_d_state=256",
     .layer = hf_layer_granite_hybrid},
    {"ernie4_5", "ernie4_5", 2, .traits = HF_USE_BIAS | HF_TIED},
    {"ernie4_5_moe", "ernie4_5", 2, .traits = HF_USE_BIAS | HF_TIED | HF_ROUTER_BIAS,
     .defaults = "moe_layer_start_index=1 moe_layer_interval=1"},
    {"paddleocr_vl_text", "ernie4_5", 2, .traits = HF_USE_BIAS | HF_TIED},
    {"granite_docling_text", "granite", 2, .traits = BIAS_KEYS | HF_MLP_KEY | HF_TIED},
    {"cosmos3_edge_text", "cosmos3", 2, .traits = HF_UNGATED | BIAS_KEYS},
    {"emu3_text_model", "emu3", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"chameleon", "chameleon", 2, .traits = BIAS_KEYS | HF_MLP_KEY, .each = "2*d*(heads + kv)"},
    {"molmo2_text", "molmo2", 2, .traits = HF_QK_HEAD | HF_BIAS_KEY,
     .once = "additional_vocab_size*h"},
    {"granite4_vision_text", "granite", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"deepseek_ocr2_text", "deepseek_ocr2", 2, .traits = BIAS_KEYS | HF_MLP_KEY},
    {"cohere_compass_text", "cohere2", 1, .pattern = 4, .traits = HF_TIED | BIAS_KEYS,
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
    {"granitemoeshared", "granite", 2, .traits = BIAS_KEYS | HF_MOE_FF},
    {"exaone_moe", "exaone_moe", 2, .pattern = 4, .traits = HF_QK_HEAD | HF_ROUTER_BIAS,
     .defaults = "first_k_dense_replace=1"},
    {"hunyuan_v1_dense", "hunyuan", 2, .traits = HF_QK_HEAD | BIAS_KEYS},
    {"hunyuan_vl_text", "hunyuan", 2, .traits = HF_QK_HEAD | BIAS_KEYS},
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
    {"step3p5", "step", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_ROUTER_BIAS,
     .defaults = "gating=1 first_k_dense_replace=3",
     .each = "h*heads*(d + (1-d)*(gating + gating^per-head))"},
    {"step3p7", "step", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_ROUTER_BIAS,
     .defaults = "gating=1 first_k_dense_replace=3",
     .each = "h*heads*(d + (1-d)*(gating + gating^per-head))"},
    {"mimo", "mimo", 2, .traits = HF_QKV_BIAS | HF_SWA_KEY},
    {"mimo_v2_flash", "mimo", 2, .traits = HF_BIAS_KEY | HF_ROUTER_BIAS | HF_SWA_SINKS,
     .layer = hf_layer_mimo},
    {"mimo_v2", "mimo", 2, .traits = HF_BIAS_KEY | HF_ROUTER_BIAS | HF_SWA_SINKS,
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
    {"bert", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_encoder},
    {"roberta", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_roberta},
    {"camembert", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_roberta},
    {"xlm-roberta", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_roberta},
    {"data2vec-text", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_roberta},
    {"ernie", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_encoder},
    {"megatron-bert", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_encoder},
    {"xlm-roberta-xl", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS, .once = BERT_ENDS,
     .finish = hf_finish_roberta},
    {"big_bird", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS,
     .once = BERT_ENDS " + lm*(h*h + h)", .finish = hf_finish_encoder},
    {"roberta-prelayernorm", "bert", 2, .traits = BERT, .defaults = BERT_DEFAULTS,
     .once = BERT_ENDS " + 2*h", .finish = hf_finish_roberta},
    {"bert-generation", "bert", 2, .traits = BERT, .once = "2*h + V", .finish = hf_finish_encoder},
    {"modernbert-decoder", "modernbert", 1, .pattern = 3,
     .traits = HF_TIED | BIAS_KEYS | HF_MLP_KEY, .each = "h*(0 < i)", .once = "h + h*h + h + V"},

    /* Qwen */
    {"qwen2", "qwen2", 2, .traits = HF_QKV_BIAS | HF_SWA_KEY},
    {"qwen2_moe", "qwen2_moe", 2, .traits = HF_BIAS_KEY | HF_SWA_KEY | QWEN_MOE,
     .defaults = "attention_bias=1 decoder_sparse_step=1"},
    {"qwen2_vl", "qwen2", 2, .traits = HF_QKV_BIAS | HF_SWA_KEY},
    {"qwen2_5_vl", "qwen2", 2, .traits = HF_QKV_BIAS | HF_SWA_KEY},
    {"qwen2_5_omni_text", "qwen2", 2, .traits = HF_QKV_BIAS | HF_SWA_KEY},
    {"qwen3", "qwen3", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_SWA_KEY,
     .defaults = "head_dim=128"},
    {"qwen3_moe", "qwen3_moe", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_SWA_KEY,
     .defaults = "decoder_sparse_step=1"},
    {"qwen3_vl", "qwen3_vl", 2, .traits = HF_QK_HEAD | BIAS_KEYS, .defaults = "head_dim=128"},
    {"qwen3_vl_moe", "qwen3_vl", 2, .traits = HF_QK_HEAD | BIAS_KEYS,
     .defaults = "decoder_sparse_step=1"},
    {"qwen3_omni_moe_text", "qwen3_moe", 2, .traits = HF_QK_HEAD | BIAS_KEYS | HF_SWA_KEY,
     .defaults = "decoder_sparse_step=1"},
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
    {"gemma4", "gemma4", 4, .pattern = 6, .traits = GEMMA | HF_QK_HEAD | BIAS_KEYS,
     .defaults = GEMMA4_DEFAULTS, .layer = hf_layer_gemma4},
    {"gemma4_unified_text", "gemma4", 4, .pattern = 6, .traits = GEMMA | HF_QK_HEAD | BIAS_KEYS,
     .defaults = "global_head_dim=512", .each = "1", .layer = hf_layer_gemma4},

    /* Llama 4, Phi, GLM, OLMo, gpt-oss, Cohere */
    {"llama4", "llama4", 2, .pattern = 4, .traits = HF_LLAMA4 | BIAS_KEYS,
     .defaults = LLAMA4_DEFAULTS},
    {"phi", "phi", 1, .traits = BIASED | HF_UNGATED | HF_HEAD_BIAS,
     .defaults = "max_position_embeddings=2048"},
    {"phi3", "phi3", 2, .traits = HF_SWA},
    {"phimoe", "phimoe", 2, .traits = BIAS_KEYS | HF_NORM_BIAS | HF_MOE_FF | HF_SWA | HF_HEAD_BIAS,
     .defaults = "lm_head_bias=0"},
    {"glm", "glm", 2, .traits = HF_BIAS_KEY, .defaults = "head_dim=128"},
    {"glm4", "glm4", 4, .traits = HF_BIAS_KEY, .defaults = "head_dim=128"},
    {"glm4v_text", "glm4v", 4, .traits = HF_BIAS_KEY, .defaults = "attention_bias=1"},
    {"glm_ocr_text", "glm_ocr", 4, .traits = HF_BIAS_KEY},
    {"glm4v_moe_text", "glm4v_moe", 2,
     .traits = HF_BIAS_KEY | HF_QK_HEAD | HF_QK_KEY | HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "attention_bias=1 "
                 "first_k_dense_replace=1"},
    {"glm4_moe", "glm4_moe", 2,
     .traits = HF_BIAS_KEY | HF_QK_HEAD | HF_QK_KEY | HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "first_k_dense_replace=1"},
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
    {"cohere2", "cohere2", 1, .pattern = 4, .traits = HF_TIED | BIAS_KEYS,
     .defaults = "sliding_window=4096"},
    {"stablelm", "stablelm", 2, .traits = HF_BIAS_KEY | HF_NORM_BIAS, .layer = hf_layer_stablelm},

    {"cohere2_moe", "cohere2", 1, .pattern = 4, .traits = HF_TIED | BIAS_KEYS | HF_MOE_FF,
     .width = "prefix_dense_intermediate_size + "
              "(prefix_dense_intermediate_size = 0)*intermediate_size"},
    {"flex_olmo", "olmo2", 2, .traits = BIAS_KEYS | HF_QK_FULL | HF_MOE_FF},
    {"vaultgemma", "gemma2", 2, .pattern = 2, .traits = GEMMA | BIAS_KEYS},
    {"nanochat", "nanochat", 0, .traits = BIAS_KEYS | HF_NO_NORM | HF_UNGATED},
    {"phi4_multimodal", "phi3", 2, .traits = HF_SWA},

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
    {"falcon", "falcon", 1, .traits = FALCON, .defaults = "max_position_embeddings=2048",
     .layer = hf_layer_falcon},
    {"RefinedWebModel", "falcon", 1, .traits = FALCON, .defaults = "max_position_embeddings=2048",
     .layer = hf_layer_falcon},
    {"RefinedWeb", "falcon", 1, .traits = FALCON, .defaults = "max_position_embeddings=2048",
     .layer = hf_layer_falcon},
    {"gpt2", "gpt2", 2, .traits = BIASED | HF_UNGATED | HF_TIED, .finish = hf_finish_positions},
    {"gpt-sw3", "gpt2", 2, .traits = BIASED | HF_UNGATED | HF_TIED,
     .finish = hf_finish_positions}, /* GPT-2's classes: tokenizer of its own */
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
    {"deepseek_v2", "deepseek_v2", 2, .traits = DEEPSEEK, .defaults = "first_k_dense_replace=0"},
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
    {"deepseek_v4", "deepseek_v4", 2, .traits = HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "hc_mult=4 index_n_heads=64 index_head_dim=128", .layer = hf_layer_v4,
     .finish = hf_finish_v4},
    {"deepseek_v41", "deepseek_v41", 2, .traits = HF_ROUTER_BIAS,
     .defaults = "hc_mult=4 index_n_heads=32 index_head_dim=128", .layer = hf_layer_v41,
     .finish = hf_finish_v41},
    {"deepseek_v41_text", "deepseek_v41", 2, .traits = HF_ROUTER_BIAS,
     .defaults = "hc_mult=4 index_n_heads=32 index_head_dim=128", .layer = hf_layer_v41,
     .finish = hf_finish_v41},
    {"deepseek_ref", "deepseek_v4", 2, /* sgl-project's FP8 copies of V4 */
     .traits = HF_ROUTER_BIAS | HF_MTP_COPY,
     .defaults = "hc_mult=4 index_n_heads=64 index_head_dim=128", .layer = hf_layer_v4,
     .finish = hf_finish_v4},

    /* recurrence */
    {"kimi_linear", "kimi_linear", 2, .linear = MIXER_KDA,
     .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_LOW_GATE, .layer = hf_layer_kimi_linear},
    {"kimi_k3", "kimi_k3", 2, .linear = MIXER_KDA, .traits = DEEPSEEK | HF_OUT_GATE,
     .layer = hf_layer_kimi_linear},
    {"solar_open2", "solar_open2", 2, .linear = MIXER_KDA,
     .traits = HF_BIAS_KEY | HF_QK_HEAD | HF_QK_KEY | HF_ROUTER_BIAS | HF_LOW_GATE,
     .defaults = "gqa_interval=3", .layer = hf_layer_solar2},
    {"minimax", "minimax", 2, .linear = MIXER_LIGHTNING, .traits = HF_MOE_FF,
     .layer = hf_layer_minimax},
    {"minimax_m1", "minimax", 2, .linear = MIXER_LIGHTNING, .traits = HF_MOE_FF,
     .layer = hf_layer_minimax},
    {"minimax_text_01", "minimax", 2, .linear = MIXER_LIGHTNING, .traits = HF_MOE_FF,
     .layer = hf_layer_minimax},
    {"minimax_m2", "minimax_m2", 2, .traits = HF_QK_FULL | HF_MOE_FF | HF_ROUTER_BIAS,
     .defaults = "use_qk_norm=1"},
    {"nemotron_h", "nemotron_h", 1, .linear = MIXER_MAMBA2, .traits = HF_UNGATED,
     .defaults = "conv_kernel=4 n_groups=8", .layer = hf_layer_nemotron_h},
    {"nemotron_h_puzzle", "nemotron_h", 1, .linear = MIXER_MAMBA2, .traits = HF_UNGATED,
     .defaults = "conv_kernel=4 n_groups=8", .layer = hf_layer_nemotron_h},
    {"jamba", "jamba", 2, .linear = MIXER_MAMBA1, .traits = HF_MOE_FF,
     .defaults = "attn_layer_period=8 attn_layer_offset=4 expert_layer_period=2  "
                 "expert_layer_offset=1 mamba_d_state=16 mamba_d_conv=4 mamba_expand=2",
     .layer = hf_layer_jamba},
    {"mamba", "mamba", 1, .linear = MIXER_MAMBA1, .traits = HF_TIED,
     .defaults = "state_size=16 expand=2 conv_kernel=4 max_position_embeddings=1048576",
     .layer = hf_layer_mamba},
    {"falcon_mamba", "mamba", 1, .linear = MIXER_MAMBA1, .traits = HF_TIED,
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
    {"bailing_hybrid", "bailing", 2, .linear = MIXER_KDA, .traits = DEEPSEEK | HF_ROUTER_BIAS,
     .defaults = "first_k_dense_replace=2 layer_group_size=6",
     .each = "heads*h + keys*h - key*h - key*keys"},
    {"glm5_next_text", "glm5_next", 2, .linear = MIXER_KDA,
     .traits = DEEPSEEK | HF_ROUTER_BIAS | HF_DSA | HF_LOW_GATE | HF_STREAMS,
     .defaults = "index_n_heads=32 index_head_dim=128 index_kpool=16 hc_mult=4 "
                 "first_k_dense_replace=3 full_attention_interval=4 linear_conv_kernel_dim=4 "
                 "qk_rope_head_dim=0",
     .each = "indexer*index_head_dim*(index_kpool + h)"},
    {"minimax_m3", "minimax_m3", 2, .traits = HF_QK_HEAD | HF_MOE_FF | HF_ROUTER_BIAS,
     .width = "dense_intermediate_size"},
    {"minimax_m3_vl", "minimax_m3", 2, .traits = HF_QK_HEAD | HF_MOE_FF | HF_ROUTER_BIAS,
     .width = "dense_intermediate_size"},
    /* refused, with what is missing */
    {"bart", .refuse = ENCODER_DECODER},
    {"bigbird_pegasus", .refuse = ENCODER_DECODER},
    {"blenderbot", .refuse = ENCODER_DECODER},
    {"blenderbot-small", .refuse = ENCODER_DECODER},
    {"florence2", .refuse = ENCODER_DECODER},
    {"marian", .refuse = ENCODER_DECODER},
    {"mbart", .refuse = ENCODER_DECODER},
    {"mvp", .refuse = ENCODER_DECODER},
    {"pegasus", .refuse = ENCODER_DECODER},
    {"pix2struct", .refuse = ENCODER_DECODER},
    {"plbart", .refuse = ENCODER_DECODER},
    {"pp_formulanet", .refuse = ENCODER_DECODER},
    {"prophetnet", .refuse = ENCODER_DECODER},
    {"t5gemma2", .refuse = ENCODER_DECODER},
    {"trocr", .refuse = ENCODER_DECODER},
    {"udop", .refuse = ENCODER_DECODER},
    {"vision-encoder-decoder", .refuse = ENCODER_DECODER},
    {"whisper", .refuse = ENCODER_DECODER},
    {"musicgen", .refuse = CROSS},
    {"musicgen_melody", .refuse = CROSS},
    {"moshi", .refuse = CROSS},
    {"blip", .refuse = CROSS},
    {"git", .refuse = CROSS},
    {"kosmos-2", .refuse = CROSS},
    {"kosmos-2.5", .refuse = CROSS},
    {"idefics", .refuse = CROSS},
    {"mllama", .refuse = CROSS},
    {"evolla", .refuse = CROSS},
    {"rwkv", .refuse = STATE},
    {"xlstm", .refuse = STATE},
    {"recurrent_gemma", .refuse = STATE},
    {"reformer", .refuse = STATE},
    {"zaya", .refuse = STATE},
    {"zamba", .refuse = TWICE},
    {"zamba2", .refuse = TWICE},
    {"hrm_text", .refuse = TWICE},
    {"jetmoe", .refuse = TWICE},
    {"gemma4_assistant", .refuse = DRAFTER},
    {"gemma4_unified_assistant", .refuse = DRAFTER},
    {"axk2", .refuse = LAYOUT},
    {"dots3_note", .refuse = LAYOUT},
    {"inkling_text", .refuse = LAYOUT},
    {"inkling_mm_model", .refuse = LAYOUT},
    {"inkling2", .refuse = LAYOUT},
    {"muse_spark", .refuse = LAYOUT},
    {"unlimited_ocr", .refuse = LAYOUT},
    {"diffusion_gemma", .refuse = LAYOUT},
    {"dory", .refuse = LOOPS},
    {"inkling2_loop_text", .refuse = LOOPS},
    {"blt", .refuse = SHAPE},
    {"cpmant", .refuse = SHAPE},
    {"doge", .refuse = SHAPE},
    {"electra", .refuse = SHAPE},
    {"rembert", .refuse = SHAPE},
    {"roc_bert", .refuse = SHAPE},
    {"roformer", .refuse = SHAPE},
    {"xlm", .refuse = SHAPE},
    {"xlnet", .refuse = SHAPE},
    {"xmod", .refuse = SHAPE},
    {"pi0", .refuse = SHAPE},
    {"gemma3n", .refuse = SHAPE},
    {"ernie4_5_vl_moe", .refuse = SHAPE},

    {"nemotron-nas", "nemotron_nas", 2, .traits = 0, .layer = hf_layer_nas},
};

#define ARCHS (sizeof archs / sizeof archs[0])

static const struct hf_arch *find_exactly(const char *type)
{
    for (size_t i = 0; i < ARCHS; i++)
        if (strcmp(archs[i].type, type) == 0)
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
    static const struct hf_arch row = {"an unknown type", "unknown", 2, .layer = hf_layer_unknown};

    return &row;
}

const char *hfarch_nearest(const char *type)
{
    const char *names[ARCHS];

    for (size_t i = 0; i < ARCHS; i++)
        names[i] = archs[i].type;
    return suggest_name(type, names, ARCHS);
}
