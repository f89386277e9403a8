#!/bin/sh
# table.sh - gpuplan --table: the rule of thumb beside the exact figures.

. "${srcdir:-.}/tests/cli/lib.sh"

run --table
assert_eq "exit code" 0 "$rc"
assert_eq "three tables" 3 "$(grep -c '^model ' "$work/out")"
assert_eq "three sizes, five precisions, three tables" 45 \
    "$(grep -cE '^(8B|70B|400B) ' "$work/out")"
# 70e9 x 16/8 x 1.25 = 175 GB; the checkpoint is 131.42 GiB
row=$(grep -m 1 -E '^70B +fp16' "$work/out")
assert_contains "rule of thumb, GB" "?175.0" "$row"
assert_contains "its precision beside it" "fp16, 16 bits" "$row"
assert_contains "exact" " 131.42 " "$row"
assert_contains "the exact one's precision" "fp16, 16.00 bits" "$row"
assert_contains "scales are counted" "int4-awq, 4.51 bits" \
    "$(grep -m 1 -E '^70B +int4-awq' "$work/out")"

# The ranges that people quote are those from FP32 to FP64, but for "8B at FP16 = 20".
while read -r size precision gb; do
    assert_contains "$size at $precision" " ?$gb " \
        "$(grep -m 1 -E "^$size +$precision " "$work/out")"
done <<'ROWS'
8B fp16 20.0
8B fp32 40.0
8B fp64 80.0
70B fp32 350.0
70B fp64 700.0
400B fp16 1000.0
400B fp32 2000.0
400B fp64 4000.0
ROWS
run --plan -m 8B -p fp64 -g h100-sxm
assert_contains "no engine runs FP64" "vLLM does not run fp64 weights" "$out"

# Which weights an engine runs; what it does not run, one of the fixes stores otherwise.
while read -r engine gpu refused runs; do
    for format in $(echo "$refused" | tr , " "); do
        run --plan -m 8B -p "$format" -g "$gpu" --engine "$engine"
        assert_eq "$engine and $format" 1 "$rc"
        assert_contains "$engine says why" "does not run $format weights" "$out"
        assert_contains "$engine: another format for $format" \
            "-g $gpu --engine $engine --precision" "$out"
    done
    for format in $(echo "$runs" | tr , " "); do
        run --plan -m 8B -p "$format" -g "$gpu" --engine "$engine" -q
        assert_eq "$engine and $format" 0 "$rc"
    done
done <<'ROWS'
mlx apple-m3-max int8,fp8,nf4,q4_k_m bf16,int4-awq,mlx-4bit
llama.cpp rtx-5090 int8,fp8,nf4,int4-awq,int8-bnb,mxfp6,mlx-4bit bf16,f16,q4_k_m,mxfp4,nvfp4
ollama rtx-5090 fp8,int4-gptq q8_0,bf16
tensorrt-llm rtx-5090 q4_k_m,nf4,int8-bnb,mlx-8bit int8,fp8,int4-awq,nvfp4
vllm rtx-5090 mlx-4bit,nf4,int8-bnb q4_k_m,mxfp4
vllm@0.27 rtx-5090 mlx-4bit int8-bnb,nf4
sglang rtx-5090 mlx-4bit fp8,q4_k_m
ROWS

run --table -f csv
assert_eq "CSV: one row each" 16 "$(wc -l <"$work/out" | tr -d ' ')"
run --table -f markdown
assert_eq "Markdown: three tables" 3 "$(grep -c '^| model |' "$work/out")"

if have_json; then
    run --table -m 8B -p fp16 -p int8 -g l40s -c 4k -u 4 -f json
    assert_eq "schema" gpuplan.table/1 "$(json schema)"
    assert_eq "GPU" l40s "$(json request.gpu)"
    assert_eq "users" 4 "$(json request.users)"
    assert_eq "rows" 2 "$(json rows.#)"
    assert_eq "params" 8030261248 "$(json rows.0.params)"
    assert_eq "rule of thumb in GB" 20 "$(json rows.0.rule_of_thumb_decimal.value)"
    assert_eq "of the size by name" 8000000000 "$(json rows.0.rule_params)"
    assert_eq "the rule is nobody's figure" assumed "$(json rows.0.rule_of_thumb.origin)"
    assert_eq "the checkpoint is counted" exact "$(json rows.0.checkpoint.origin)"
    gpus=$(json rows.1.gpus) hour=$(json rows.1.per_hour.value)
    run --plan -m 8B -p int8 -g l40s -c 4k -u 4 -f json
    assert_eq "GPUs as --plan" "$(json layout.gpus)" "$gpus"
    assert_eq "cost as --plan" "$(json cost.per_hour.value)" "$hour"
    run --table -m qwen3-8b -m llama-3.1-70b -p bf16 -f json
    assert_eq "models by id" llama-3.1-70b "$(json rows.1.model)"
    assert_eq "their shape is known" exact "$(json rows.1.shape)"
fi

# more users take more memory
run --table -m 8B -p fp16 -f csv
one=$(sed -n 2p "$work/out")
run --table -m 8B -p fp16 -u 32 -f csv
assert_true "the load counts" [ "$one" != "$(sed -n 2p "$work/out")" ]

assert_fails 2 "use --compare for several" --table -g h100-sxm -g l4
assert_fails 2 "did you mean" --table -p int4-agw
assert_fails 2 "--table takes no arguments" --table 8B

finish
