#!/bin/sh
# newcomers.sh - what people ask first, in the keystrokes of somebody in a hurry.
#
# Each row: the exit status, how the answer begins, the command. The decision is in the first
# five lines, on 80 columns; an error is one line that says what to type.

. "${srcdir:-.}/tests/cli/lib.sh"
COLUMNS=80

rows='
0|FITS on 1 x NVIDIA H100 * TP 1,|plan -m llama-3.1-8b -g h100 -u 64 -c 128k
0|FITS on 2 x NVIDIA H100 * TP 2, * --max-num-seqs 256|--plan -m llama-3.1-70b -g h100:2
1|DOES NOT FIT on 1 x NVIDIA H100 *|--plan -m llama-3.1-70b -g h100:1
0|FITS on 4 x NVIDIA L4 *|--plan -m llama-3.1-8b --rate 5 -g l4
0|FITS on 8 x * TP 8, 1 host|--plan -m kimi-k2
0|FITS on 8 x * TP 8, 1 host|--plan -m qwen3-coder-480b
0|FITS on 1 x GeForce RTX 4090 *|--plan -m Qwen/Qwen3-32B-AWQ -g 4090
0|FITS on 2 x GeForce RTX 3090 *|--plan -m llama-3.3-70b -p awq -g 2x3090
0|FITS on 2 x GeForce RTX 3090 *|--plan -m llama-3.3-70b -p awq -g dual-3090
0|FITS on 4 x * A6000 *|--plan -m llama-3.3-70b -g "Quad RTX A6000"
2|*no GPU ?h100 foo?*|--plan -m llama-3.1-8b -g "octo h100 foo"
0|FITS on 1 x NVIDIA H100 *|--plan -m gpt-oss-120b -g h100
0|FITS on 1 x GeForce RTX 4090 *|--plan -m qwen3-32b -p q4_k_m --engine ollama -g 4090:1
0|FITS on 1 x NVIDIA L40S *|--plan -m llama3.1:8b -g "NVIDIA L40S"
0|FITS on 8 x NVIDIA H200 * EP 8, 1 host|--plan -m deepseek-ai/DeepSeek-R1-0528 -g 8xH200 -u 64
0|FITS on 1 x NVIDIA H100 *|--plan -m https://huggingface.co/Qwen/Qwen3-32B -g h100
1|DOES NOT FIT on 2 x NVIDIA L40S *|--plan -m llama-3.1-70b -g 2xL40S
0|FITS on 2 x NVIDIA L40S * TP 2, 1 host*|--plan -m llama-3.1-70b -p fp8 -g 2xL40S
0|FITS on 2 x NVIDIA L4 * TP 2,|--plan -m llama-3.1-8b -g l4 -tp 2
0|FITS on 1 x NVIDIA L4 *|--plan -m llama-3.1-8b -g l4 --solve users
0|FITS on 1 x NVIDIA RTX A6000 * --max-num-seqs 64|--plan -m 8b -c 128k -u 64
0|MARGINAL on 2 x GeForce RTX 4090 *|--plan -m 70b -p int4 -g 2x4090 -u 4 -c 16k
0|FITS on 1 x *m4-max:64gb*|--plan -m llama-3.3-70b -p q4_k_m -g "m4 max 64gb:1"
0|FITS on 2 x NVIDIA H100 SXM5 80GB *|--plan -m llama-3.3-70b -g "nvidia h100:2"
1|FITS, TOO SLOW on 1 x *|--plan -m llama-3.3-70b -p fp8 -u 100 --budget 5 --tpot 30
1|DOES NOT FIT on 1 x NVIDIA RTX A6000 *|--plan -m llama-3.1-8b -c 1M
1|FITS, OVER BUDGET on 1 x *|--plan -m llama-3.1-8b --rate 5 --budget 0.2
1|DOES NOT FIT on 1 x NVIDIA A100 *|--plan -m llama-3.2-90b-vision -g a100
0|FITS on 1 x NVIDIA H200 *|--plan -m qwen2.5-7b-instruct-1m -c 900k -g h200
0|FITS on * TP 4 x 2 replicas (1 prefill, 1 decode)*|--plan -m llama-3.1-70b -p fp8 -g h100 -u 64 --prompt 4k --disaggregate 1:1
0|FITS on 4 x NVIDIA A100 *|--plan -m qwen2.5-72b -p gptq -g a100 --rate 2 --ttft 1s --tpot 50ms
2|* --disaggregate: needs a value: *|--plan -m deepseek-v3 -g h200 --disaggregate -u 256
2|*: *2xh100:4* has two counts *|--plan -m llama-3.1-8b -g 2xh100:4
0|FITS on 2 x GPU of 24GB@1008GB/s * TP 2, 1 host|--plan -m llama-3.1-8b -g 2x24GB@1008GB/s
2|* --compare -g h100 -g a100)|--compare -m 70b -g h100,a100
0|FITS on 1 x NVIDIA L4 *|--plan -m llama-3.1-8b -g l4 --memory-utilization 90% --prefix-hit 50%
2|* qwen3-30b-a3b, *|--plan -m 30b-a3b -g rtx-4090
0|0 gpus: no row *|--list gpus mac
0|UP TO * on 1 x NVIDIA L4 *|--replay -m 8b -g l4 --solve rate --ttft-p99 2000
0|FITS on 16 x NVIDIA L4 *|--plan -m llama-3.1-8b -g l4 -u 1000
0|fits: 1 x l4, TP 1, bf16, vLLM * TPOT *, $*|--plan -m llama-3.1-8b -g l4 -q
0|cheapest *x *|--compare -m llama-3.1-70b -p fp8 -u 32 --ttft 500 --tpot 40 -q
0|# Llama 3.1 8B, bf16 weights, on 1 x l4: TP 1; vLLM *|--launch docker -m llama-3.1-8b -g l4
2|* (-m llama-3.1-8b)|--plan llama-3.1-8b
2|* gpuplan --plan -m llama-3.1-8b)|llama-3.1-8b
2|* --rate N*|--plan -m llama-3.1-8b -g l4 --qps 5
2|* (did you mean fp8-e4m3?)|--plan -m llama-3.1-8b -g l4 --kv-precision fp8_e4m4
2|* 24GB@1008GB/s)|--plan -m llama-3.1-8b -g 24GB@
2|* (curl -s http://localhost:8000/metrics *|--attach http://localhost:8000/metrics
'
printf '%s' "$rows" | grep . >"$work/rows"
while IFS='|' read -r want begins command; do
    eval "run $command"
    assert_eq "$command: exit status" "$want" "$rc"
    first=$(printf '%s\n' "$out$err" | head -n 1)
    # shellcheck disable=SC2254 # a pattern
    case $first in
    $begins*) ;;
    *) fail "$command" "begins: $first" ;;
    esac
    case $command in
    *plan\ *-q | *--compare* | *--launch*) continue ;;
    *plan\ -*) ;;
    *) continue ;;
    esac
    [ "$rc" -le 1 ] || continue
    head=$(printf '%s\n' "$out" | sed '/^$/,$d')
    assert_true "$command: five lines" [ "$(printf '%s\n' "$head" | wc -l)" -le 5 ]
    assert_true "$command: 80 columns" [ "$(printf '%s\n' "$out" | wc -L)" -le 80 ]
    assert_contains "$command: price" "  price " "$head"
    case $head in
    *"
  limit "* | *"
  goals "* | *"
  options "*"
  solved "*) ;;
    *) fail "$command: what limits it" "$head" ;;
    esac
    case $first in
    FITS*) assert_contains "$command: speed" " tokens/s a user (TPOT " "$head" ;;
    *) assert_contains "$command: a cure" "  cure " "$head" ;;
    esac
done <"$work/rows"

# ---- what would be better: of GPUs that nobody rents out first the same ones ----
run --plan -m llama-3.1-8b -g rtx-3060
assert_contains "another format on one card" "weights in int4-awq, 1 GPU" "$out"
assert_lacks "no machine of another kind" "H100" "$out"
run --plan -m llama-3.1-405b -p nvfp4 -g dgx-spark
assert_contains "TP where a pipeline spans hosts" "faster: TP 2: 4 GPUs in all" "$out"
run --plan -m qwen3-32b -p awq -g rtx-3090:3
assert_contains "two of three by TP before a pipeline of three" "TP 2: 2 GPUs in all" "$out"
run --plan -m 70b -p int4 -g 2x4090 -u 4 -c 16k
assert_contains "a limit that is not cut" "the pool is 3.00..4.11 GiB
  cure " "$out"
run --plan -m llama-3.1-8b --rate 5 --budget 0.2
assert_lacks "no count keeps a budget that its price exceeds" "likely meet" "$(printf '%s\n' "$out" | head -n 5)"
run --plan -m 8b -g l4 --solve users
open=$(printf '%s\n' "$out" | grep '^  solved')
run --plan -m 8b -g l4:1 --solve users
assert_contains "an open count is the one that it takes" "$open" "$out"
run --plan -m llama-3.3-70b -p q4_k_m -g apple-m4-max:64gb
assert_contains "a Mac of 64 GB" "FITS on 1 x " "$out"

# ---- the load rule: the commands of gpuplan-model(7), with the lines that it shows ----
sed -n '/^\.Ss What is bought/,/^\.Sh/p' "${srcdir:-.}/man/gpuplan-model.7" |
    sed -n '/^\$ gpuplan/,/^\.Ed/p' | grep -v '^\.' >"$work/manual"
assert_true "the manual has the commands" [ "$(grep -c '^\$ ' "$work/manual")" -ge 2 ]
while IFS= read -r line; do
    case $line in
    '$ gpuplan '*) eval "run ${line#'$ gpuplan '}" ;;
    *) assert_contains "gpuplan-model(7): $line" "$line" "$out" ;;
    esac
done <"$work/manual"

finish
