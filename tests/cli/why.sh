#!/bin/sh
# why.sh - --why names each rule of the engine's sources with its versions and its file.
. "${srcdir:-.}/tests/cli/lib.sh"

# rule TERM WORDS ARGS... : the term's lines in the answer hold the words.
rule() {
    term=$1 words=$2
    shift 2
    run --plan "$@" --why
    lines=$(printf '%s\n' "$out" | grep -F -A3 -- "  $term")
    assert_contains "$term of $*" "$words" "$lines"
}

# caches of compressed attention, of the index of sparse attention
rule "KV: 21 csa layers" "vLLM 0.33+ of 2026-11: mla/indexer.py: 132 bytes of uint8 index a token" \
    -m deepseek-v4-flash -g b200:4
rule "KV: 21 csa layers" "FP32 compressor states over window - 1" -m deepseek-v4-flash -g b200:4
# 21 x 2,049 pages of 46,080 bytes and 20 x 1,025 of 37,440, by hand from the shapes
rule "states: 21 csa compressor layers" "= 1.847 GiB" -m deepseek-v4-flash -g h200-sxm:8
rule "states: 20 csa compressor layers" "= 0.715 GiB" -m deepseek-v4-flash -g h200-sxm:8
rule "states: 20 csa compressor layers" "models/deepseek_v4: FP32" -m deepseek-v4-flash -g h200-sxm:8
rule "KV: 61 mla + index layers" "mla/indexer.py: 132 bytes" -m deepseek-v3.2 -g h200-sxm:8
# rotary tables
rule "weights: rope table" "tables 2 (exact)" -m gemma-3-27b -g h100-sxm:1
rule "weights: rope table" "rows a position 4 (engine)" \
    -m qwen3.5-27b -g h100-sxm:2 --engine vllm@0.31
rule "weights: rope table" "vLLM 0.33+ of 2026-11: rotary_embedding/mrope.py, 0.32" \
    -m qwen3.5-27b -g h100-sxm:2
rule "weights: rope table" "value 4 B (engine)" -m gpt-oss-20b -g h100-sxm:1
# MXFP4 experts
rule "weights: of which padding" "fused_moe/oracle/mxfp4.py, 0.33.0:837" -m gpt-oss-20b -g h100-sxm:1
rule "weights: of which padding" "quantization/mxfp4.py, 0.11.0:187" \
    -m gpt-oss-20b -g h100-sxm:1 --engine vllm@0.11
# recurrent state, and the blocks that slots need to start
rule "state: 48 deltanet layers" "qwen_gdn_linear_attn.py:741" -m qwen3.5-27b -g h100-sxm:2
rule "blocks of state" "vLLM 0.33+ of 2026-11: mamba_mixer2.py, 0.33.0:1117" \
    -m qwen3.5-27b -g h100-sxm:2
rule "blocks of state" "config/compilation.py, 0.20.2:1436" \
    -m qwen3.5-27b -g h100-sxm:2 --engine vllm@0.25
rule "blocks of state" "config/model.py, 0.26.0:1896" -m qwen3.5-27b -g h100-sxm:2 --engine vllm@0.27
# vision, layers that stay unquantized, block-scaled FP8
rule "activation: vision tokens" "transformers 5.23" -m gemma-3-27b -g h100-sxm:1
rule "activation: vision items" "gpu/mm/encoder_runner.py:111" -m gemma-3-27b -g h100-sxm:1
rule "activation: vision pixels" "0.19.1:5721-5796" -m gemma-3-27b -g h100-sxm:1 --engine vllm@0.19
rule "activation: encoder cache" "0.11.0:3336-3402" -m gemma-3-27b -g h100-sxm:1 --engine vllm@0.11
rule "activation: encoder cache" "deepstack 3 (exact)" -m qwen3-vl-8b -g h100-sxm:1
rule "activation: vision tower" "d 1,024 (exact)" -m qwen3.5-4b -g rtx-4090:1
run --plan -m gemma-3-27b -g h100-sxm:1 --language-model-only --why
assert_eq "no tower is run" 0 "$(printf '%s\n' "$out" | grep -c 'activation: vision')"
rule "weights: attention q" "bits 16 (bf16)" -m gpt-oss-20b -g h100-sxm:1
run --plan -m qwen3-235b-a22b -p fp8-block -g h100-sxm:8 --tp 8 --ep 1 --engine vllm@0.28 --why
assert_contains "blocks of FP8" "= 192 is not divisible by weight quantization block_n = 128" "$out"
# the sampler's path
rule "activation: sampling" "model_runner.py, 0.33" -m llama-3.1-8b -g h100-sxm:1
rule "activation: sampling" "topk_topp_sampler.py, 0.21" -m llama-3.1-8b -g h100-sxm:1 --engine vllm@0.21
rule "activation: sampling" "gpu/sample/sampler.py, 0.26" -m llama-3.1-8b -g h100-sxm:1 --engine vllm@0.26
# what a server keeps in host memory unasked
rule "host memory: prompt cache" "common.h:634: cache_ram_mib 8192" -m llama-3.1-8b -p q4_k_m -g rtx-4090
rule "host memory: prompt cache" "= 8.000 GiB (0.000..8.000), model" -m llama-3.1-8b -p q4_k_m -g rtx-4090
run --plan -m llama-3.1-8b -g rtx-4090 --why
assert_lacks "vLLM keeps none" "prompt cache" "$out"
# stages, what is outside the allocator, graphs charged and captured
rule "layers of the binding stage" "vLLM's partition" -m llama-3.1-70b -g h100-sxm:3 --tp 1 --pp 3
rule "non-torch" "vLLM 0.33+ of 2026-11: one GPU: quoted lines" -m llama-3.1-8b -g h100-sxm:1
rule "CUDA graphs, charged" "with a charge to the budget before the KV pool" -m llama-3.1-8b -g h100-sxm:1
rule "CUDA graphs, charged" "with no charge to the budget" \
    -m llama-3.1-8b -g h100-sxm:1 --engine vllm@0.27
rule "KV pool" "config/cache.py: utilization 0.92 from 0.20.2" -m llama-3.1-8b -g h100-sxm:1

# ---- values as the rest shows them: thousandths of GiB, separators, no seventh digit --------

frozen_catalogue
for case in "llama-3.1-70b -g l40s:4 -p int8" "llama-3.2-1b -g h100-sxm" \
    "llama-3.1-8b --train full -g h100-sxm:8" "deepseek-v3 -g h200-sxm:8"; do
    # shellcheck disable=SC2086
    run --plan -m $case --why
    values=$(printf '%s\n' "$out" | sed -n '/^why$/,$p' | grep -E '^  [^ ].* = [0-9$-]')
    assert_true "terms of $case" test "$(printf '%s\n' "$values" | wc -l)" -gt 12
    shown=$(printf '%s\n' "$values" | sed -E 's/([^0-9])0\.0+/\10./g') # zeros in front count not
    assert_eq "digits of $case" "" "$(printf '%s\n' "$shown" |
        grep -E '(= |\$|\.\.)[0-9]{4}|0\.[0-9]{5}|[1-9]\.[0-9]{4}')"
done
rule "weights: embedding" "= 0.489 GiB, exact" -m llama-3.1-70b -g l40s:4 -p int8
rule "weights: norm" "= 2.52 MiB, exact" -m llama-3.1-70b -g l40s:4 -p int8
rule "parameters (params)" "= 70,553,706,496 parameters" -m llama-3.1-70b -g l40s:4 -p int8
rule "CUDA graphs (graphs)" "= 0.450 GiB (0.100..1.850), model" -m llama-3.1-70b -g l40s:4 -p int8
rule "rent per month" '= $2,920/month, sheet' -m llama-3.1-70b -g l40s:4 -p int8
shipped_catalogue

# ---- a kernel of experts that works on empty room: that version, GPU and format alone -----

run --plan -m qwen3-235b-a22b -p native -g h200-sxm:4 --engine vllm@0.12 --tp 4 --why
bf16=$out
run --plan -m qwen3-235b-a22b -p fp8-block -g h200-sxm:4 --engine vllm@0.12 --tp 4 --why
assert_contains "vLLM 0.12 on Hopper pads" "room 2,048 (engine profile)" "$out"
assert_lacks "not 16-bit experts" ", room " "$bf16"
for other in "h200-sxm:4 --engine vllm --tp 4" "b200:4 --engine vllm@0.12 --tp 4" \
    "h200-sxm:8 --engine vllm@0.12 --tp 8"; do
    # shellcheck disable=SC2086
    run --plan -m qwen3-235b-a22b -p fp8-block -g $other --why
    assert_lacks "not $other" ", room " "$out"
done

# ---- whose all-reduce it is -------------------------------------------------------------

for case in "h100-sxm:2 --tp 2=the engine's own kernels" "l40s:4 --tp 4=NCCL" \
    "mi300x:16 --tp 8 --pp 2=the engine's own kernels" "radeon-ai-pro-r9700:4 --tp 4=RCCL"; do
    # shellcheck disable=SC2086
    run --plan -m llama-3.1-70b -p fp8 -g ${case%%=*} --why
    assert_contains "all-reduce of ${case%%=*}" ", by ${case#*=}, " "$out"
    have_json || continue
    # shellcheck disable=SC2086
    run --plan -m llama-3.1-70b -p fp8 -g ${case%%=*} --format json
    [ "$(json verdict.status)" = does-not-fit ] ||
        assert_eq "in JSON of ${case%%=*}" "${case#*=}" "$(json speed.all_reduce.library)"
done
run --plan -m llama-3.1-8b -g h100-sxm:1 --format json
if have_json; then
    assert_lacks "none of one GPU" '"all_reduce"' "$out"
    assert_contains "where its watts are from" "220 runs" "$(json sources.power)"
    assert_contains "and its host's" "DGX H100" "$(json sources.host_power)"
fi

finish
