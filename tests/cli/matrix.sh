#!/bin/bash
# matrix.sh - what an engine runs on which GPUs, and into which shards it cuts (`support` of its
# profile, ep_all): refused with the engine's reason and the cure, on both sides of every border;
# what a link and a version make of its memory.
# And what --plan calls a fit, --launch prints: random requests.
. "${srcdir:-.}/tests/cli/lib.sh"

# a Qwen2 of 72B in groups of 128: 29568 is 231 groups, 29696, as publishers pad it, 232
checkpoint() {
    mkdir -p "$work/$1"
    cat > "$work/$1/config.json" <<EOF
{"architectures": ["Qwen2ForCausalLM"], "model_type": "qwen2", "hidden_size": 8192,
 "intermediate_size": $2, "num_hidden_layers": 80, "num_attention_heads": 64,
 "num_key_value_heads": 8, "vocab_size": 152064, "max_position_embeddings": 32768,
 "torch_dtype": "float16", "tie_word_embeddings": false,
 "quantization_config": {"quant_method": "$3", "bits": ${5:-4}, "group_size": $4, "desc_act": false,
  "version": "gemm", "zero_point": true${6:-}}}
EOF
}
checkpoint odd 29568 awq 128
checkpoint odd-gptq 29568 gptq 128
checkpoint odd-32 29568 gptq 32
checkpoint padded 29696 awq 128
checkpoint exl3 29696 exl3 128
checkpoint qqq 29696 qqq 128
checkpoint hqq 29696 hqq 128
checkpoint modelopt 29696 modelopt 128 8 ', "quant_algo": "FP8"'
checkpoint w4afp8 29696 compressed-tensors 128 4 ', "config_groups": {"g": {"targets": ["Linear"],
 "weights": {"num_bits": 4, "group_size": 128}, "input_activations": {"type": "float"}}}'
checkpoint gptq-3 29696 gptq 128 3
checkpoint int5 29696 compressed-tensors 128 4 \
    ', "config_groups": {"g": {"targets": ["Linear"], "weights": {"num_bits": 5, "group_size": 128}}}'

# exit code | words that must be there, ',' between | request
while IFS='|' read -r code words request; do
    [ -z "$code" ] && continue
    # shellcheck disable=SC2086
    run --plan ${request//%/$work}
    assert_eq "$request" "$code" "$rc"
    while [ -n "$words" ]; do
        assert_contains "$request" "${words%%;*}" "$(tr -s ' \n' ' ' < "$work/out")"
        case $words in *';'*) words=${words#*;} ;; *) words= ;; esac
    done
done <<'E2'
0|int4-awq as published: MLPs padded to 29,696|-m qwen2.5-72b -p int4-awq -g a100-sxm-80:8 --tp 8
0|int8-gptq as published|-m qwen2.5-72b -p int8-gptq -g a100-sxm-80:4 --tp 4 --language-model-only
0|int4-awq as published|-m Qwen/Qwen2-72B-Instruct-AWQ -g a100-sxm-80:2 --tp 2
1|int4 has groups of 128|-m qwen2.5-72b -p int4 -g a100-sxm-80:2 --tp 2
0|(72.71 B parameters)|-m qwen2.5-72b -p fp8 -g h100-sxm:2 --tp 2
1|vLLM does not run on RDNA2 (gfx1032) GPUs;cure llama.cpp|-m llama-3.2-1b -g rx-6600 --engine vllm
1|vLLM does not run on GCN5.1 (gfx906) GPUs|-m llama-3.2-1b -g radeon-vii --engine vllm
0|llama.cpp b9500+|-m llama-3.2-1b -g rx-6600
0|vLLM 0.33+|-m llama-3.1-8b -g rx-7900-xtx
1|exceed the 131,072|-m qwen3-30b-a3b -g h100-sxm -c 256k
0|2 users x 65,536|-m unsloth/Qwen3-Coder-30B-A3B-Instruct-GGUF -g rtx-4090 -c 64k -u 2
0|FITS|-m Qwen/Qwen3-4B-Instruct-2507-FP8 -g l4:2 -c 200k
0|FITS|-m Qwen3-235B-A22B-Thinking-2507 -g h200-sxm:8 -c 128k
1|exceed the 32,768|-m mistral-small:24b -g h100-sxm -c 64k
0|FITS|-m mistralai/Devstral-Small-2507 -g h100-sxm -c 64k
0|vLLM 0.33+|-m llama-3.1-8b -g mi210
0|planned for llama.cpp, as vLLM does not run on Pascal GPUs|-m llama-3.2-1b -g gtx-1080
1|llama.cpp;weights in q8_0|-m llama-3.1-8b -g p100-pcie-16 -p fp8
1|vLLM (0.33+) runs on compute capability 7.5 or higher|-m llama-3.1-8b -g p100-pcie-16 -p fp8 --engine vllm
1|runs on compute capability 7.5 or higher, v100-sxm2-32 has 7.0;llama.cpp runs there, and vLLM up to 0.19;only supports sm75|-m llama-3.1-8b -g v100-sxm2-32:1 --engine sglang
1|7.5 or higher|-m qwen3-8b -g p100-pcie-16:2 --engine sglang
0|published builds have kernels for compute capability 8.0 or higher|-m qwen3-0.6b -g t4:1 --engine sglang
0||-m llama-3.1-8b -g l40s:1 --engine sglang
0||-m llama-3.1-8b -g v100-sxm2-32:1 --engine vllm@0.19
1|7.5 or higher, v100-sxm2-32 has 7.0: 7.0 (V100): vllm@0.19, or llama.cpp;no kernel image|-m llama-3.1-8b -g v100-sxm2-32:1 --engine vllm
1|7.5 or higher;no kernel image|-m qwen3-0.6b -g p100-pcie-16:1 --engine vllm
1|7.0 to 9.0;a newer version|-m qwen3-0.6b -g b200:1 --engine vllm@0.8
0||-m qwen3-0.6b -g b200:1 --engine vllm@0.9
0||-m qwen3-0.6b -g p100-pcie-16:1 --engine llama.cpp -p q8_0
1|8.0 or higher|-m qwen3-0.6b -g t4:1 --engine tensorrt-llm
1|7.5 to 9.0, rtx-5080 has 12.0: -p fp8;Int8 not supported on SM120|-m llama-3.1-8b -p int8 -g rtx-5080:1 --engine vllm@0.28
1|7.5 to 9.0|-m llama-3.1-8b -p int8 -g b200:1 --engine vllm@0.28
1|7.5 to 9.0|-m llama-3.1-8b -p int8 -g dgx-spark:1 --engine vllm@0.31
1|7.5 to 9.0|-m llama-3.1-8b -p int8 -g b200:1 --engine sglang
1|7.5 to 9.0;Minimum capability: 75|-m llama-3.1-8b -p int8 -g v100-sxm2-32:1 --engine vllm@0.28
0||-m llama-3.1-8b -p int8 -g h100-sxm:1 --engine vllm@0.28
0||-m llama-3.1-8b -p int8 -g t4:2 --tp 2 -c 2048 --engine vllm@0.28
0||-m llama-3.1-8b -p int8-gptq -g b200:1 --engine vllm@0.28
1|8.0 or higher, quadro-rtx-8000 has 7.5: --kv-precision fp16;8.9|-m qwen3-8b -p int4-awq -g quadro-rtx-8000:1 --engine vllm@0.24 --kv-precision fp8
1|8.9 or higher;fp8e4nv|-m qwen3-8b -p int4-awq -g rtx-3090:1 --engine vllm@0.11 --kv-precision fp8_e4m3
1|fp8-e5m2 KV cache on compute capability 8.0|-m qwen2.5-7b -p int4-awq -g t4:1 --engine vllm@0.24 --kv-precision fp8_e5m2
0||-m qwen3-8b -p int4-awq -g rtx-3090:1 --engine vllm@0.10 --kv-precision fp8
0||-m qwen3-8b -p int4-awq -g rtx-3090:1 --engine vllm@0.24 --kv-precision fp8
0||-m qwen3-8b -g a100-sxm-80:1 --kv-precision fp8_e5m2
0||-m qwen3-8b -g l4:1 -c 4096 --kv-precision fp8 --engine vllm@0.24
0||-m qwen3-8b -g h100-sxm:1 --kv-precision fp8_e4m3
0||-m qwen3-8b -g h100-sxm:1 --kv-precision fp8_e5m2
0||-m qwen3-8b -g h100-sxm:1 --kv-precision auto
1|has no int8 KV cache|-m qwen3-8b -g h100-sxm:1 --kv-precision int8
1|10.0 to 10.3|-m qwen3-8b -g h100-sxm:1 --kv-precision nvfp4
1|8.9 or higher|-m llama-3.1-8b -g a100-sxm-80:1 --kv-precision fp8 --engine tensorrt-llm
1|does not run fp8-e5m2 weights|-m qwen3-8b -p fp8_e5m2 -g h100-sxm:1
1|sparse attention on compute capability 9.0 or higher|-m deepseek-v3.2 -g a100-sxm-80:16 --engine vllm@0.29
1|9.0 to 10.3|-m deepseek-v3.2 -g rtx-pro-6000-server:8 --engine vllm@0.15
1|9.0 to 10.3|-m deepseek-v3.2 -g rtx-pro-6000-server:8 --engine sglang@0.5.9
1|TP=4 cuts the MLP to a width of 7392;groups of 128;divisible by group_size = 128|-m %/odd -g a100-sxm-80:4 --tp 4 --engine vllm@0.10
1|7392|-m %/odd-gptq -g a100-sxm-80:4 --tp 4 --engine sglang
0||-m %/odd-32 -g a100-sxm-80:4 --tp 4 --engine vllm@0.10
0||-m %/padded -g a100-sxm-80:8 --tp 8 --engine vllm@0.10
0|PP 4|-m %/odd -g a100-sxm-80:4 --engine vllm@0.10
1|gate of the linear attention to 8 rows, fp8-block has blocks of 128;block_n = 128|-m qwen3.5-397b-a17b -p fp8-block -g h20-96:8 --tp 8 --engine sglang@0.5.8 --memory-utilization 0.9
1|shared expert to a width of 64;TP 4|-m qwen3.5-35b-a3b -p fp8-block -g h100-sxm:8 --tp 8 --ep 8 --engine vllm@0.29
1|shared expert to a width of 64|-m qwen3.5-35b-a3b -p fp8-block -g h100-sxm:8 --tp 8 --engine sglang
0||-m qwen3.5-35b-a3b -p fp8-block -g h100-sxm:4 --tp 4 --engine vllm@0.29
1|TP=32 does not divide 16 recurrent heads|-m qwen3.5-397b-a17b -p fp8 -g h100-sxm:32 --tp 32
0||-m qwen3.5-397b-a17b -p fp8 -g h100-sxm:16 --tp 16
1|TP=16 does not divide the 8 groups of the recurrent state;num_groups must equal 1|-m nemotron-3-nano-30b-a3b -g h100-sxm:16 --tp 16
0||-m granite-4.0-h-small -g h100-sxm:8 --tp 8
0||-m qwen3-30b-a3b -p int4-gptq -g rtx-3090:8 --tp 8 --ep 1 --engine vllm
1|experts to a width of 96|-m qwen3-30b-a3b -p int4-gptq -g rtx-3090:8 --tp 8 --ep 1 --engine vllm@0.8
1|experts to a width of 96|-m qwen3-30b-a3b -p int4 -g rtx-3090:8 --tp 8 --ep 1 --engine vllm
1|experts to a width of 96|-m qwen3-30b-a3b -p int4-gptq -g rtx-3090:8 --tp 8 --ep 1 --engine sglang
1|spreads experts over all GPUs of a group, here 8, or none|-m minimax-m2 -g h100-sxm:8 --tp 8 --ep 2 --engine vllm@0.28
1|experts to a width of 192|-m minimax-m2 -g h100-sxm:8 --tp 8 --ep 1 --engine vllm@0.28
0|EP 8|-m minimax-m2 -g h100-sxm:8 --engine vllm@0.28
1|vLLM (0.33+) loads no exl3 checkpoints;Unknown quantization method: exl3|-m %/exl3 -g h100-sxm:2 --engine vllm
1|SGLang (0.5.23+) loads no exl3 checkpoints|-m %/exl3 -g h100-sxm:2 --engine sglang
0|FITS|-m %/exl3 -p int4-gptq -g h100-sxm:2 --tp 2 --engine vllm
1|loads no awq checkpoints;Unsupported quantization_config|-m %/padded -g h100-sxm:2 --engine tensorrt-llm
1|loads no qqq checkpoints|-m %/qqq -g h100-sxm:2 --engine vllm@0.28
0||-m %/qqq -g h100-sxm:2 --engine vllm@0.9
0|vLLM 0.27;planned for vLLM, as a newer one loads no nf4 weights|-m llama-3.1-8b -p nf4 -g rtx-4090 -c 4k
1|does not run nf4 weights|-m llama-3.1-8b -p nf4 -g rtx-4090 -c 4k --engine vllm@0.28
0|vLLM 0.14;as a newer one loads no hqq checkpoints|-m %/hqq -g h100-sxm:2
1|vLLM (0.15) loads no hqq checkpoints;Unknown quantization method: hqq|-m %/hqq -g h100-sxm:2 --engine vllm@0.15
1|loads no gptq-3bit checkpoints;Unsupported quantization config|-m %/gptq-3 -g h100-sxm:2 --engine vllm
0||-m %/gptq-3 -g h100-sxm:2 --engine vllm@0.21
1|SGLang (0.5.23+) loads no gptq-3bit|-m %/gptq-3 -g h100-sxm:2 --engine sglang
1|loads no compressed-tensors-int5;No compressed-tensors compatible scheme|-m %/int5 -g h100-sxm:2 --engine vllm@0.24
0||-m %/int5 -g h100-sxm:2 --engine vllm@0.25
1|loads no modelopt checkpoints on compute capability 8.0;Current capability: 80|-m %/modelopt -g a100-sxm-80:2 --engine vllm@0.24
0||-m %/modelopt -g a100-sxm-80:2 --engine vllm@0.27
1|loads no modelopt checkpoints on compute capability 8.0|-m %/modelopt -g a100-sxm-80:2 --engine sglang
0||-m %/modelopt -g l40s:4 --engine vllm@0.24
1|loads no compressed-tensors-w4afp8 checkpoints on compute capability 10.0|-m %/w4afp8 -g b200:1 --engine vllm
0||-m %/w4afp8 -g h100-sxm:2 --engine vllm
1|fp8 weights on compute capability 8.0 or higher|-m llama-3.1-8b -p fp8 -g t4:2 --engine vllm@0.13
0||-m llama-3.1-8b -p fp8 -g t4:2 --tp 2 -c 2048 --engine vllm@0.14
1|nvfp4 weights on compute capability 10.0|-m llama-3.1-8b -p nvfp4 -g h100-sxm:1 --engine sglang@0.5.9
0|non-torch 0.77|-m qwen3-8b -g rtx-4090:2 --tp 2 --engine vllm@0.20
0|non-torch 1.02|-m qwen3-8b -g rtx-3090:2 --tp 2 --engine vllm@0.20
0|non-torch 0.77|-m qwen3-8b -g rtx-3090:4 --tp 4 --engine vllm@0.20
0|non-torch 2.13|-m qwen3-8b -g h100-sxm:2 --tp 2 --engine vllm@0.20
0|non-torch 0.27 0.15..0.70|-m llama-3.1-8b -g l40s:2 --tp 2 --engine vllm@0.6
0|0.17 GiB charged to the budget|-m qwen3-8b -g rtx-4090:2 --tp 2 --engine vllm@0.20 --max-num-seqs 2
0|FITS;no CUDA graphs|-m qwen3-30b-a3b -g a10:4 --tp 4 --engine vllm@0.8.5 -c 1024 --max-num-seqs 1
0|FITS|-m qwen3-30b-a3b -g a10:4 --tp 4 --engine vllm@0.8.5 -c 1024 --max-num-seqs 1 --enforce-eager
1|KV pool 48.73 GiB|-m qwen3-coder-480b-a35b -p fp8-block -g h20-141:8 --tp 1 --dp 8 --ep 8 --engine vllm@0.10.1 -c 262144 --memory-utilization 0.90
E2

RANDOM=35
pick() {
    shift $((RANDOM % $#))
    picked=$1
}

fits=0
for ((i = 0; i < ${TRIES:-60}; i++)); do
    pick vllm vllm@0.15 vllm@0.28 sglang sglang@0.5.9 tensorrt-llm llama.cpp ollama
    engine=$picked
    pick llama-3.1-8b qwen3-30b-a3b minimax-m2 gpt-oss-20b gpt-oss-120b deepseek-v3.2 gemma-3-4b \
        qwen3.5-35b-a3b glm-4.5-air
    model=$picked
    pick h100-sxm:8 h100-sxm:4 h100-sxm b200:8 b200:1 a100-sxm-80:8 l40s:4 rtx-4090:2 rtx-5090
    gpu=$picked
    pick '' '-p fp8' '-p fp8-block' '-p int4-awq' '-p nvfp4' '-p int8' '-p q4_k_m'
    precision=$picked
    pick '' '' '--kv-precision fp8' '--kv-precision nvfp4' '--kv-precision fp8_e5m2' \
        '--kv-precision q8_0' '--kv-precision int8'
    kv=$picked
    pick '' '' '-u 64' '--ep 4' '--tp 2' '--tp 2 --dp 2' '--dp 4'
    # shellcheck disable=SC2206
    request=(-m "$model" -g "$gpu" --engine "$engine" $precision $kv $picked)
    run --plan "${request[@]}" -q
    [ "$rc" -eq 0 ] || continue
    fits=$((fits + 1))
    run --launch "${engine%@*}" "${request[@]}"
    assert_eq "launch of ${request[*]}: $(head -c 200 "$work/err")" 0 "$rc"
done
assert_true "some of them fit ($fits)" test "$fits" -gt $((${TRIES:-60} / 10))

finish
