#!/bin/sh
# checkpoints.sh - quantised and incomplete checkpoints as people have them on disk.

. "${srcdir:-.}/tests/cli/lib.sh"

llama='"model_type":"llama","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,
"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":128256,
"max_position_embeddings":131072,"torch_dtype":"bfloat16"'

# config FOLDER MORE: an 8B Llama with more keys
config() {
    mkdir -p "$work/$1"
    echo "{$llama$2}" >"$work/$1/config.json"
}

# checkpoint NAME GIB MORE: what its files hold, within half a percent, and never exact
checkpoint() {
    config "$1" "$3"
    run --show "$work/$1" -f json
    assert_eq "$1: exit code" 0 "$rc"
    have_json || return 0
    assert_eq "$1: origin" model "$(json checkpoint.origin)"
    assert_eq "$1: $2 GiB" near "$(json checkpoint.value |
        awk -v want="$2" '{ print ($1 > want * 0.995 && $1 < want * 1.005) ? "near" : $1 }')"
    assert_eq "$1: its band holds it" 1 "$(json checkpoint.low checkpoint.high |
        awk -v want="$2" '{ v[NR] = $1 } NF == 2 { v[2] = $2 } END { print (v[1] < want && want < v[2]) }')"
}

q=',"quantization_config":'
checkpoint plain 14.96 ''
checkpoint auto-round 5.34 "$q{\"quant_method\":\"auto-round\",\"bits\":4,\"group_size\":128,
\"sym\":true,\"packing_format\":\"auto_round:auto_gptq\"}"
checkpoint hqq 5.61 "$q{\"quant_method\":\"hqq\",\"quant_config\":{\"weight_quant_params\":
{\"nbits\":4,\"group_size\":64}},\"skip_modules\":[\"lm_head\"]}"
checkpoint mlx 6.08 ',"quantization":{"bits":6,"group_size":64}'
checkpoint exl3 4.60 "$q{\"quant_method\":\"exl3\",\"bits\":4.0,\"head_bits\":6}"
layers=$(seq 0 15 | sed 's/.*/"model.layers.&.mlp.down_proj"/' | paste -sd,)
nvfp4='"quant_method":"compressed-tensors","config_groups":{"g":{"targets":["Linear"],
"weights":{"num_bits":4,"type":"float","group_size":16}}}'
checkpoint half-of-down 6.87 "$q{$nvfp4,\"ignore\":[\"lm_head\",$layers]}"
checkpoint all-of-down 8.12 "$q{$nvfp4,\"ignore\":[\"lm_head\",\"re:.*down_proj\"]}"
# one of matrices that other models load as one
checkpoint v-alone 5.793 "$q{$nvfp4,\"ignore\":[\"lm_head\",\"re:.*v_proj$\"]}"
checkpoint up-alone 8.129 "$q{$nvfp4,\"ignore\":[\"lm_head\",\"re:.*up_proj$\"]}"
# what a quantiser's own keys mean: blocks of AutoRound's FP8, an expression that begins anywhere,
# ten values of 3 bit in a word, a row as null, 5 bit in a byte, a module of MLX without a mode,
# a layer's tree of ModelOpt, scales that are powers of two, an embedding that is converted
checkpoint ar-fp8 8.459 "$q{\"quant_method\":\"auto-round\",\"bits\":8,\"group_size\":[128,128],
\"data_type\":\"fp\",\"packing_format\":\"auto_round:fp8\"}"
checkpoint ar-search 6.221 "$q{\"quant_method\":\"auto-round\",\"bits\":4,\"group_size\":128,
\"extra_config\":{\"mlp[.]down.*\":{\"bits\":8}}}"
hqq='"quant_method":"hqq","skip_modules":["lm_head"],"quant_config":{"weight_quant_params":'
checkpoint hqq-3 4.964 "$q{$hqq{\"nbits\":3,\"group_size\":64}}}"
checkpoint hqq-5 8.864 "$q{$hqq{\"nbits\":5,\"group_size\":64}}}"
checkpoint hqq-row 8.463 "$q{$hqq{\"nbits\":8,\"group_size\":null}}}"
checkpoint mlx-module 4.233 ',"quantization":{"group_size":32,"bits":4,"mode":"mxfp4",
"model.embed_tokens":{"group_size":64,"bits":8}}'
checkpoint tree 5.906 "$q{\"quant_method\":\"modelopt\",\"quant_algo\":\"NVFP4\",
\"ignore\":[\"lm_head\",\"model.layers.1*\"]}"
fp8='"quant_method":"fp8","modules_to_not_convert":["lm_head"],"weight_block_size":'
checkpoint ue8m0 8.661 "${q}{${fp8}[1,32],\"scale_fmt\":\"ue8m0\"}"
checkpoint converted 7.970 "${q}{${fp8}[128,128],\"modules_to_convert\":[\"model.embed_tokens\"]}"
checkpoint ten-and-more 8.642 "$q{\"quant_method\":\"awq\",\"bits\":4,\"group_size\":128,
\"modules_to_not_convert\":[\"layers.1\"]}"
plain=$llama
llama='"model_type":"mixtral","hidden_size":4096,"num_hidden_layers":32,"num_attention_heads":32,
"num_key_value_heads":8,"intermediate_size":14336,"vocab_size":32000,"num_local_experts":8,
"num_experts_per_tok":2,"max_position_embeddings":32768,"torch_dtype":"bfloat16"'
checkpoint router-alone 22.79 "$q{\"quant_method\":\"compressed-tensors\",\"config_groups\":{\"g\":
{\"targets\":[\"Linear\"],\"weights\":{\"num_bits\":4,\"type\":\"int\",\"group_size\":128}}},
\"ignore\":[\"lm_head\",\"re:.*gate\"]}"
llama=$plain

# a method that nobody here knows: planned in a format that is named
config next "$q{\"quant_method\":\"q-next\"}"
assert_fails 3 'the shape is whole: -p FORMAT plans it' --plan -m "$work/next" -g h100-sxm:1
run --plan -m "$work/next" -p int4 -g h100-sxm:1 -q
assert_eq "an unknown method with -p" 0 "$rc"
assert_contains "an unknown method with -p" "fits: 1 x h100-sxm, TP 1, int4" "$out"

# a clone without its large files, shards that are not there
pointer='version https://git-lfs.github.com/spec/v1\noid sha256:aa\nsize 16060522496\n'
config pointer ''
printf "$pointer" >"$work/pointer/model.safetensors"
run --plan -m "$work/pointer" -g h100-sxm:1
assert_contains "LFS" "model.safetensors: a pointer of Git LFS, not the file itself" "$out"
mkdir "$work/gguf"
printf "$pointer" >"$work/gguf/m.gguf"
assert_fails 3 'git lfs pull' --show "$work/gguf/m.gguf"
# what Ollama keeps under another name is read for what it is, and nothing else so named
printf 'GGUF\003\000\000\000' >"$work/gguf/sha256-0a1b"
assert_fails 3 'the file is cut off or damaged' --show "$work/gguf/sha256-0a1b"
printf 'GGML\003\000\000\000' >"$work/gguf/sha256-0a1c"
assert_fails 3 'not a model file' --show "$work/gguf/sha256-0a1c"
config shards ''
echo '{"metadata":{"total_size":1},"weight_map":{"a":"model-00001-of-00001.safetensors"}}' \
    >"$work/shards/model.safetensors.index.json"
assert_fails 3 'is missing' --show "$work/shards"
run --show "$work/shards/config.json"
assert_contains "config.json by name" "counted by config.json alone" "$out"

# adapters, and Mistral's own form
mkdir "$work/adapter"
echo '{"base_model_name_or_path":"meta-llama/Llama-3.1-8B","r":32}' \
    >"$work/adapter/adapter_config.json"
assert_fails 3 'an adapter, not a model (plan its base: -m meta-llama/Llama-3.1-8B --lora 1:32)' \
    --plan -m "$work/adapter" -g h100-sxm:1
echo '{"model":"mlx-community/Qwen3-8B-4bit","lora_parameters":{"rank":8,"scale":20.0}}' \
    >"$work/adapter/adapter_config.json"
assert_fails 3 'plan its base: -m mlx-community/Qwen3-8B-4bit --lora 1:8' --show "$work/adapter"
mkdir "$work/mistral"
echo '{"dim":5120,"n_layers":40,"head_dim":128,"hidden_dim":32768,"n_heads":32,"n_kv_heads":8,
"vocab_size":131072,"max_seq_len":131072,"quantization":{"qformat_weight":"fp8_e4m3"}}' \
    >"$work/mistral/params.json"
run --show "$work/mistral"
assert_contains "params.json" "params total: 23.57 B (23572403200)" "$out"
assert_contains "params.json" "native: fp8 e4m3, a scale per tensor" "$out"

# towers: counted by their sizes, or named with what they may have
config tower ',"vision_config":{"model_type":"a_vision","hidden_size":1152,
"num_hidden_layers":27,"intermediate_size":4304,"patch_size":14}'
run --plan -m "$work/tower" -g h100-sxm:1
assert_contains "a tower of sizes" "the vision tower is counted as plain layers" "$out"
config sizeless ',"audio_config":{"model_type":"an_audio"}'
run --plan -m "$work/sizeless" -g h100-sxm:1 -f json
assert_contains "a tower without" "the audio tower is not counted: up to 5.22 B parameters" "$out"
finish
