#!/bin/sh
# check_plan.sh - gpuplan --check-plan: a saved plan asked again.

. "${srcdir:-.}/tests/cli/lib.sh"
cd "$work" || exit 99
GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW

save() {
    run --plan --format json -o plan.json "$@"
    [ -s plan.json ] || fail "no plan of $*" "$err"
}

# ---- the same request is the same plan, whatever was asked ----
n=0
while read -r options; do
    n=$((n + 1))
    # shellcheck disable=SC2086 # words
    save $options
    run --check-plan plan.json
    assert_eq "exit code of $options" 0 "$rc"
    assert_eq "nothing changed: $options" same "$(printf '%s\n' "$out" | head -n 1)"
    assert_eq "no term changed: $options" 2 "$(printf '%s\n' "$out" | wc -l | tr -d ' ')"
done <<'END'
-m llama-3.1-8b -g h100-sxm -u 4
-m deepseek-v3 -g h200-sxm:16 --tp 1 --ep 16
-m llama-3.1-8b -p q4_k_m -g rtx-4090 -u 3
-m llama-3.1-8b -p q4_k_m -g rtx-4090:4 --replicas 4 -u 30
-m gemma-3-27b -g h100-sxm -p fp8 --lora 2:16 --prune 50 --used 2GiB --headroom 0.1
-m gemma-3-27b -g h100-sxm:2 --language-model-only --prune 2:4
-m llama-3.1-70b -g l4:2
-m llama-3.1-8b -g l40s --rate 2 --ttft 4000 --engine vllm@0.18
-m qwen3-next-80b-a3b -g h100-sxm:4 --draft mtp --kv-offload-gb 32
-m llama-3.1-8b -g h100-sxm --engine sglang -u 64 --kv-precision fp8 --prefix-hit 0.5
-m gpt-oss-20b -g rtx-4090:1 --engine llama.cpp -p q4_k_m --n-cpu-moe 3 --gpu-layers 9
-m gpt-oss-20b -g rtx-4070:1 -p q4_k_m --host-memory ddr4-3200x4 --host-threads 12
-m qwen3-30b-a3b -g rtx-4070:1 -p q4_k_m -c 4k
-m qwen3-32b -g rtx-5090:1+rtx-5070-ti:1 -p q4_k_m
-m llama-3.1-8b -g h100-sxm --train lora --trainer trl@0.9 --lora-targets attention
-m llama-3.1-8b -g h200-sxm:16 --train full --trainer axolotl --recompute ops
-m llama-3.1-8b -g l4 --cpu-offload-gb 2.5 --price spot --provider aws
-m 70B -g h100-sxm
-m deepseek-v3 -g h200-sxm:16 --tp 1 --dp 16 --ep 16
-m llama-3.1-8b -g h100-sxm --disaggregate 1:1 -u 4
-m llama-3.1-70b -p fp8 -g h100-sxm:6 --disaggregate 2xTP1:1xTP4 -u 8
-m llama-3.1-70b -p fp8 -g h100-sxm --disaggregate auto --tpot 20 -u 64
-m llama-3.1-8b -g h100-sxm --price buy --electricity 0.4 --hours 200
-m llama-3.1-8b -g h100-sxm/1g.10gb -p fp8 -c 2048
-m llama-3.1-8b -g h100-sxm --prompt-stddev 500 --output-stddev 100 --budget 5
-m llama-3.1-8b -g h100-sxm -u 8 --draft llama-3.2-1b --speculative-tokens 4 --acceptance 0.6
-m llama-3.1-8b -g h100-sxm --draft eagle3 --acceptance 0.8,0.6,0.4
-m llama-3.1-8b -g h100-sxm -u 4 --draft dflash:org/head --acceptance-length 6.3
-m llama-3.1-8b -g h100-sxm --draft ngram --speculative-tokens 4 --acceptance 0.3
-m llama-3.1-8b -g h100-sxm --power-cap 3000 --solve users --throughput 300
-m llama-3.1-70b -g h100-sxm:8 --pp 2 --tp 4 --max-pp 4 --prefix-hit 0.3
-m bge-m3 -g l4
-m llama-3.1-8b -g l4 -u 32 --tpot 20 --goals sure
-m llama-3.1-8b -g h100-sxm --api-price 0.6:2.4
-m llama-3.1-8b -g h100-sxm:8 --train full
-m llama-3.1-8b -g h100-sxm:8 --train full --zero 0 --recompute none --optimizer adamw-8bit
-m llama-3.1-8b -g h100-sxm:8 --train full --zero 3 --offload parameters --step-in-backward
-m llama-3.1-8b -g h100-sxm:8 --train full --tp 2 --pp 2 --cp 2 --sequence-parallel
-m llama-3.1-8b -g l40s --train lora --lora-rank 64 --lora-targets qv --modules-to-save both
-m llama-3.1-8b -g l40s --train lora -p int4-awq --attention eager --sequence 4k
-m llama-3.1-8b -g l40s --train lora --fused --used 2GiB --micro-batch 4 --price spot
-m llama-3.1-8b -g l40s --train lora --fused --loss chunked --prune layers:4
-m llama-3.1-70b -g rtx-4090:4 --train qlora --device-map
-m llama-3.1-8b -g rtx-4090 --train qlora -p nf4 --price buy --electricity 0.4 --hours 200
-m llama-3.1-70b -g l4 --train full --tp 3
-m gemma-3-27b -g h100-sxm --train qlora --language-model-only
-m 8B -g h100-sxm --train lora
END
assert_true "all were asked" [ "$n" -eq 47 ]

# ---- every option of a plan is kept in what is saved, under its own name or another ----
# odds are kept where there is a goal, and a policy that is not the usual one
save -m llama-3.1-8b -g h100-sxm --tpot 50 --scheduling-policy priority
cp plan.json kept.json
save -m llama-3.1-8b -g h100-sxm --train lora
cat plan.json >>kept.json
run --help plan
printf '%s\n' "$out" | sed -n 's/^ [ -].*[ ,]--\([a-z-]*\)[ ].*/\1/p' >names
assert_true "the options are read" [ "$(wc -l <names)" -gt 60 ]
while read -r name; do
    case $name in
    output-tokens | lora | train | disaggregate) continue ;; # output, lora_slots, method, layout
    solve) continue ;; # what was found is in the layout
    profiles | format | why | quiet | verbose | help | version) continue ;; # how it is answered
    esac
    checks=$((checks + 1))
    grep -q "^ *\"$(printf '%s' "$name" | tr - _)\":" kept.json || fail "not saved: --$name"
done <names


# ---- the fit breaks: a new range of the engine takes more ----
save -m llama-3.1-8b -p fp8 -g l4:1 -c 64k -u 2
mkdir -p own/engines
cat >own/engines/vllm.cfg <<'END'
ranges = (
    { from = "0.33"; until = "0.39"; },
    { from = "0.40"; non_torch_1_gib = 9.0; }
);
END
run --check-plan plan.json --profiles own
assert_eq "exit code" 1 "$rc"
assert_contains "fit" "broke: fit" "$out"
assert_contains "term by term" "non_torch" "$out"
assert_contains "why" "engine range: vllm@0.40+, was vllm@0.33+" "$out"
run --check-plan plan.json --profiles own -q
assert_eq "quiet" broke "$out"

# ---- the budget: a dearer price, within the tolerance or not ----
save -m llama-3.1-8b -g h100-sxm -u 4
# cheaper SHARE: the plan as it was saved at this share of today's price
cheaper() {
    awk -v share="$1" '/"cost": {/ { cost = 1 } /"per_month"/ { cost = 0 }
        cost && /"value": / { sub(/[0-9.]+/, $2 * share) } 1' plan.json >cheap.json
}
cheaper 0.9
run --check-plan cheap.json
assert_eq "dearer: exit code" 1 "$rc"
assert_contains "dearer" "broke: budget" "$out"
run --check-plan cheap.json --tolerance 15
assert_eq "within the tolerance" 0 "$rc"

# ---- the model's configuration changed: more layers than were planned ----
mkdir model
config() {
    echo "{\"model_type\": \"llama\", \"hidden_size\": 4096, \"intermediate_size\": 14336,
        \"num_hidden_layers\": $1, \"num_attention_heads\": 32, \"num_key_value_heads\": 8,
        \"vocab_size\": 128256, \"max_position_embeddings\": 8192, \"torch_dtype\": \"bfloat16\"}" \
        >model/config.json
}
config 32
save -m model -g l4:1 -c 4k
run --check-plan plan.json
assert_eq "the same configuration" 0 "$rc"
config 64
run --check-plan plan.json
assert_eq "twice the layers: exit code" 1 "$rc"
assert_contains "twice the layers" "broke: fit" "$out"
assert_contains "by term" "weights" "$out"

config 32
save -m model -g l4:1 --train lora
run --check-plan plan.json
assert_eq "training, the same configuration" 0 "$rc"
config 64
run --check-plan plan.json
assert_eq "training, twice the layers: exit code" 1 "$rc"
assert_contains "training" "broke: fit" "$out"
assert_contains "what it is" "model on 1 x l4, --train lora: does-not-fit, was fits" "$out"
for term in weights adapters gradients optimizer activations free; do
    assert_contains "training, by term" "$term " "$out"
done
config 32
cheaper 0.25
run --check-plan cheap.json
assert_eq "training, dearer: exit code" 1 "$rc"
assert_contains "training, dearer" "broke: budget" "$out"
sed 's/"method": "lora"/"method": "lorax"/' plan.json >other.json
run --check-plan other.json
assert_eq "training, no such method: exit code" 3 "$rc"
assert_contains "training, where" "other.json: request.train" "$err"

# ---- a goal that was met is missed ----
save -m llama-3.1-8b -g h100-sxm -u 4 --tpot 50
sed 's/"tpot": 50,/"tpot": 1,/' plan.json >goal.json
run --check-plan goal.json
assert_eq "goal: exit code" 1 "$rc"
assert_contains "goal" "broke: goal" "$out"

# ---- better ----
save -m llama-3.1-70b -g l4:2
sed 's/"value": 2,/"value": 2,/; s/"model": "llama-3.1-70b"/"model": "llama-3.1-8b"/' \
    plan.json >better.json
run --check-plan better.json
assert_eq "better" better "$(printf '%s\n' "$out" | head -n 1)"

# ---- files that are none ----
run --check-plan nowhere.json
assert_eq "no file: exit code" 3 "$rc"
echo '{"schema": "gpuplan.compare/1"}' >other.json
run --check-plan other.json
assert_eq "another answer: exit code" 3 "$rc"
assert_contains "what it is" "is a gpuplan.compare/1, which does not hold all options" "$err"
assert_contains "what to do" "gpuplan --plan --format json -o FILE" "$err"
echo '[1, 2]' >other.json
run --check-plan other.json
assert_contains "no answer at all" "is not a saved plan" "$err"
echo '{"schema": "gpuplan.plan/1", "request": {"model": 7}}' >other.json
run --check-plan other.json
assert_contains "a torn one" "has no request with a model and a GPU" "$err"
sed 's/"context": [0-9]*/"context": -5/' plan.json >other.json
run --check-plan other.json
assert_eq "out of range: exit code" 3 "$rc"
assert_contains "where" "other.json: request.context" "$err"
run --check-plan
assert_eq "no file named" 2 "$rc"
finish
