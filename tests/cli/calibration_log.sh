#!/bin/sh
# calibration_log.sh - a server's start-up log as --calibration: what it measures, what it
# scales, what is not used and why. The logs are those of check_log.sh.

. "${srcdir:-.}/tests/cli/lib.sh"
cd "$work" || exit 99
logs=$src/tests/fixtures/logs
GPUPLAN_NOW=2026-11-21 XDG_STATE_HOME=$work/state
export GPUPLAN_NOW XDG_STATE_HOME

# plan LOG OPTION...
plan() {
    log=$1
    shift
    run --plan "$@" --calibration "$log"
}
row() {
    printf '%s\n' "$out" | grep -E "^ *[#=:.|-]* *$1 " | head -n 1 | tr -s ' '
}
line() {
    printf '%s\n' "$out" | sed -n "s/^    $1 //p"
}

tp2=$logs/vllm-0.19.0-tp2-color.txt
small="-m llama-3.1-8b -g h100-sxm --engine vllm@0.19 --memory-utilization 0.95"

# ---- the layout of the log, other users and lengths: as logged ----
# shellcheck disable=SC2086 # words
plan "$tp2" $small --tp 2 -c 32k -u 3
assert_contains "weights" "weights 7.51 7.50..7.52 measured" "$(row weights)"
assert_contains "activation" "activation 1.89 1.88..1.90 measured" "$(row activation)"
assert_contains "non-torch" "non-torch 2.07 2.06..2.08 measured" "$(row non-torch)"
assert_contains "graphs" "CUDA graphs 0.76 0.75..0.77 measured" "$(row 'CUDA graphs')"
assert_contains "pool" "KV pool 63.76 GiB (63.60..63.92)" "$out"
assert_eq "in words" "vllm-0.19.0-tp2-color.txt (vLLM 0.19.0, TP 2): measured: weights, activation, \
non-torch, CUDA graphs, KV pool" "$(line logged)"

# shellcheck disable=SC2086
plan "$tp2" $small --tp 2 --why
assert_contains "why" "logged / estimated: CUDA graphs = 0.9989 x, measured" "$out"
assert_contains "why" "the logged figure stands for the estimate" "$out"

# shellcheck disable=SC2086
plan "$tp2" $small --tp 2 --format json
if have_json; then
    assert_eq "JSON: the pool is measured" measured "$(json memory.per_gpu.kv_pool.origin)"
    assert_contains "JSON: the log" "vllm-0.19.0-tp2-color.txt" "$(json request.logged)"
    assert_eq "JSON: the file" "$tp2" "$(json request.calibration)"
    printf '%s\n' "$out" >saved.json
    run --check-plan saved.json
    assert_eq "a saved plan with a log" 0 "$rc"
fi

# ---- other limits, another layout ----
# shellcheck disable=SC2086
plan "$tp2" $small --tp 2 --max-num-seqs 256
assert_contains "other limits" "measured: weights, non-torch; scaled by it: activation, CUDA graphs" \
    "$(line logged)"
# shellcheck disable=SC2086
plan "$tp2" $small --tp 1
assert_contains "another layout" "TP 2): scaled by it: CUDA graphs" "$(line logged)"
assert_contains "what is counted stays" "weights 14.99 exact" "$(row weights)"

# ---- not used, and why; the plan is as without it ----
while IFS='|' read -r name why options; do
    # shellcheck disable=SC2086
    run --plan $options
    without=$(printf '%s\n' "$out" | sed -n '/^memory of/,/^speed/p')
    # shellcheck disable=SC2086
    plan "$logs/$name.txt" $options
    assert_eq "exit code with $name" 0 "$rc"
    assert_contains "$name is not used" "$name.txt: $why" "$(line 'not used')"
    assert_eq "the plan without $name" "$without" \
        "$(printf '%s\n' "$out" | sed -n '/^memory of/,/^speed/p' | grep -v '^    not used')"
done <<'END'
vllm-0.16.0|it is of qwen3-14b, the plan of llama-3.1-8b|-m llama-3.1-8b -g h100-sxm --engine vllm@0.16
vllm-0.19.0-tp2-color|it is of bf16 weights, the plan of fp8|-m llama-3.1-8b -p fp8 -g h100-sxm --engine vllm@0.19
vllm-0.19.0-tp2-color|it is of vLLM 0.19.0, the plan of 0.33+: give --engine vllm@0.19.0|-m llama-3.1-8b -g h100-sxm
vllm-0.19.0-tp2-color|it is of vLLM, the plan of SGLang: give --engine vllm|-m llama-3.1-8b -g h100-sxm --engine sglang
vllm-0.8.5-stopped|its start failed at line 6|-m qwen2.5-14b -g h100-sxm --engine vllm@0.8.5
END

# half of the weights that were planned: not this model, whatever it is called
sed 's/took 7\.51 GiB/took 3.76 GiB/; s/weights memory: 7\.51/weights memory: 3.76/' "$tp2" >half.log
# shellcheck disable=SC2086
plan half.log $small --tp 2
assert_contains "weights that cannot be" "3.76 GiB of weights where 7.51 GiB are planned" \
    "$(line 'not used')"
# other processes on the GPU
sed 's/cache memory: 63\.76/cache memory: 23.76/' "$tp2" >shared.log
# shellcheck disable=SC2086
plan shared.log $small --tp 2
assert_contains "a pool that cannot be" "KV pool of 23.76 GiB where 63.76 GiB are planned" \
    "$(line 'not used')"
# a model that the catalogue does not know by that name is the planned one
sed 's,meta-llama/Llama-3.1-8B-Instruct,/models/ours,g' "$tp2" >ours.log
# shellcheck disable=SC2086
plan ours.log $small --tp 2
assert_contains "a model of its own name" "measured: weights" "$(line logged)"

# ---- with others: the first log that is of the plan; a benchmark beside it ----
# shellcheck disable=SC2086
plan "$logs/vllm-0.16.0.txt,$tp2" $small --tp 2
assert_contains "the second is of the plan" "vllm-0.19.0-tp2-color.txt" "$(line logged)"
assert_eq "and the first is not told" "" "$(line 'not used')"
echo '{"max_concurrency": 4, "request_rate": "inf", "completed": 40, "duration": 50, "mean_tpot_ms": 5,
 "mean_ttft_ms": 60, "total_input_tokens": 40960, "total_output_tokens": 10240}' >bench.json
# shellcheck disable=SC2086
plan "$tp2,bench.json" $small --tp 2
assert_contains "the log beside a benchmark" "measured: weights" "$(line logged)"
assert_contains "the benchmark beside a log" "1 point, taken as of TP 2 x PP 1" "$out"

# ---- files that are none ----
echo "hello" >hello.txt
: >empty.txt
assert_fails 3 "none of its lines is known" --plan -m llama-3.1-8b -g h100-sxm --calibration hello.txt
assert_fails 3 "empty.txt" --plan -m llama-3.1-8b -g h100-sxm --calibration empty.txt
assert_fails 3 "none.log" --plan -m llama-3.1-8b -g h100-sxm --calibration none.log
finish
