#!/usr/bin/env bash
# plan.sh - gpuplan --plan: verdicts, memory, layouts, prices, solving, and bad input.
. "${srcdir:-.}/tests/cli/lib.sh"

# ---- the first line of the README ----------------------------------------------------------

run --plan -m llama-3.1-70b -p fp8 -g h100-sxm -c 8k -u 16
assert_eq "exit code" 0 "$rc"
assert_contains "verdict" "FITS on 2 x NVIDIA H100 SXM5 80GB (h100-sxm): TP 2" "$out"
assert_contains "weights part" "weights             33.88" "$out"
assert_contains "KV part" "KV needed            4.38                 exact     16 x 1,280 tokens and one of 8,192" "$out"
assert_contains "rule of thumb says its precision" "rule of thumb at fp8: 70.55 B x 8 bit" "$out"
assert_contains "cost" "on demand" "$out"
assert_contains "sources in one line" \
    "sources: data $("$gp" --data), model 2026-11, GPU confidence high, engine 2026-11" "$out"
assert_contains "where the rest is" "details with -v or --why" "$out"
assert_eq "and no more of them" "" "$(echo "$out" | grep aiconfigurator || true)"
assert_eq "nothing on stderr" "" "$err"

run --plan -m llama-3.1-70b -p fp8 -g h100-sxm -v
assert_contains "-v names each source" "    model   github ai-dynamo/aiconfigurator" "$out"

# the command's name works with and without dashes, options in each spelling
run plan --model=llama-3.1-70b -pfp8 -g h100-sxm --context 8192 --users=16 -q
assert_eq "one line" "fits: 2 x h100-sxm, TP 2, fp8, vLLM 0.33+, TPOT 22.7 ms" "${out%, \$*}"

# ---- verdicts ------------------------------------------------------------------------------

# the engine's own options come before more GPUs, a pipeline or a marginal verdict, and are said
run --plan -m llama-3.1-70b -p bf16 -g h100-sxm:2 -c 8k
assert_contains "options in the headline" \
    "FITS on 2 x NVIDIA H100 SXM5 80GB (h100-sxm): TP 2, 1 host, --max-num-seqs 256" "$out"
run --launch vllm -m llama-3.1-70b -p bf16 -g h100-sxm:2 -c 8k
assert_contains "and in the command" "--max-num-seqs 256" "$out"
run --plan -m llama-3.1-70b -p bf16 -g h100-sxm:2 -c 8k -f json
! have_json || assert_eq "and in JSON" "$(json verdict.options_turned)" "--max-num-seqs 256"
run --plan -m llama-3.1-8b -p bf16 -g l4 --enforce-eager --why
assert_contains "no graphs on demand" "CUDA graphs" "$out"
assert_fails 2 "has no such option" --plan -m llama-3.1-8b -p q4_k_m -g l4 --enforce-eager

run --plan -m llama-3.1-70b -p bf16 -g h100-sxm:2 --tp 2 -c 44k
assert_eq "marginal exits 0" 0 "$rc"
assert_contains "marginal" "MARGINAL on 2 x" "$out"
assert_contains "the knob" "what decides: memory outside the allocator" "$out"
assert_contains "a fix by precision" "--precision fp8" "$out"

# what may fit and misses a goal for sure is no success either
for words in "--plan" "--compare" "--launch vllm"; do
    # shellcheck disable=SC2086 # words
    run $words -m llama-3.1-70b -p bf16 -g h100-sxm:2 --tp 2 -c 44k --tpot 1
    assert_eq "$words: marginal, with a goal missed, exits 1" 1 "$rc"
done
run --plan -m llama-3.1-70b -p bf16 -g h100-sxm:2 --tp 2 -c 44k --tpot 1
assert_contains "it is marginal" "MARGINAL on 2 x" "$out"

run --plan -m qwen3-14b --tp 5 -g h100-sxm
assert_eq "refused exits 1" 1 "$rc"
assert_contains "KV heads" "8 KV heads" "$out"
assert_contains "vocabulary" "vocabulary of 151936" "$out"
assert_contains "valid TP" "--tp 4" "$out"

run --plan -m llama-3.1-8b -p int8 -g b300 --engine trtllm
assert_eq "B300 INT8 fits in TensorRT-LLM" 0 "$rc"
assert_contains "but warns" "warning: b300 runs int8 at only 153.5 TOPS" "$out"

run --plan -m llama-3.1-8b -g t4:2 --engine vllm@0.7 -q
assert_eq "BF16 on Turing" 1 "$rc"
assert_contains "limit" "limit type" "$out"
run --plan -m llama-3.1-8b -g t4:2 # later versions take FP16
assert_eq "BF16 on Turing falls back" 0 "$rc"
assert_contains "said" "t4 has no BF16: vLLM computes in FP16" "$out"
run --plan -m gemma-3-4b -g t4 --format json # but not for this family
assert_contains "FP32 in place of BF16" "it would load FP32" "$out"
run --plan -m gemma-3-4b -g l4 -p fp16 --format json
assert_contains "its words" "The model type 'gemma3' does not support float16" "$out"

run --plan -m llama-3.1-8b -g h100-sxm --tp 16 --engine llama.cpp
assert_contains "host size" "GPUs one host can hold" "$out"

run --plan -m llama-3.1-8b -g h100-sxm --used 30GiB
assert_eq "used memory exits 1" 1 "$rc"
assert_contains "who holds it" "only 49.19 GiB are free" "$out"
assert_contains "the way out" "--memory-utilization 0.6" "$out"
run --plan -m llama-3.1-8b -g l40s --used 46GiB
assert_contains "no share is small enough" "stop the programs that hold the rest, or take another GPU" "$out"
assert_contains "nothing is free, not less" "cuda:0 (0.00/44.42 GiB)" "$out"

run --plan -m llama-3.1-8b -g a100-80/3g.40gb -q
assert_contains "MIG slice" "fits: 1 x a100-sxm-80/3g.40gb, TP 1, bf16" "$out"
run --plan -m llama-3.1-8b -g a100-80/1g.10gb -q
assert_eq "small MIG slice" 1 "$rc"

# ---- exact numbers in JSON -------------------------------------------------------------------

if have_json; then
    run --plan -m llama-3.1-8b -g h100-sxm:1 --engine vllm@0.19 \
        --memory-utilization 0.95 --max-num-seqs 1024 --max-batched-tokens 8192 -f json
    assert_eq "schema" gpuplan.plan/1 "$(json schema)"
    assert_true "KV pool within 2 % of the logged 58.11 GiB" awk \
        -v x="$(json memory.per_gpu.kv_pool.value)" 'BEGIN{exit !(x>56.95 && x<59.27)}'
    assert_true "tokens within 2 % of the logged 476,016" awk \
        -v x="$(json memory.kv_cache_tokens.value)" 'BEGIN{exit !(x>466496 && x<485536)}'
    assert_eq "weights are exact" exact "$(json memory.per_gpu.weights.origin)"
    assert_eq "speed is an estimate" model "$(json speed.tpot.origin)"
    assert_eq "read the weights" weights "$(json speed.bound)"
    assert_eq "KV per token" 131072 "$(json memory.kv_bytes_per_token.value)"

    # the seven KV cases at 32,768 tokens
    while read -r model gib; do
        run --plan -m "$model" -g b200 --pp 1 -c 32k -p native --kv-precision bf16 -f json
        assert_eq "KV of $model" "$gib" \
            "$(json memory.kv_sequence.value >"$work/v"; awk -v t="$(json layout.tp)" \
                -v p="$(json memory.per_gpu.kv_needed.value)" -v m="$model" \
                'BEGIN{printf "%.2f", (m ~ /deepseek/) ? p : p * t}')"
    done <<'CASES'
llama-3.1-8b 4.00
llama-3.1-70b 10.00
qwen3-32b 8.00
gemma-3-27b 2.91
gpt-oss-120b 1.13
deepseek-v3 2.14
qwen3-next-80b-a3b 0.75
CASES

    run --plan -m llama-3.1-70b -p bf16 -g h100-sxm:2 --tp 2 -c 44k -f json
    assert_eq "marginal in JSON" marginal "$(json verdict.status)"
    assert_true "fixes are there" test "$(json verdict.fixes.#)" -gt 3
    run --plan -m llama-3.1-8b -g h100-sxm --why -f json
    assert_true "why has terms" test "$(json why.#)" -gt 12
fi

# stages hold those who do not wait, as the one that binds does
for request in "llama-3.1-8b -g rtx-3090:2 --tp 1 --pp 2" "llama-3.1-8b -g rtx-5000-ada-laptop:1"; do
    # shellcheck disable=SC2086 # words
    run --plan -m $request -u 1000 --ttft 500 -f json
    have_json && assert_eq "stages of $request" "$(json memory.per_gpu.kv_reserved.value)" \
        "$(json memory.stages.0.kv_reserved.value)"
done

# ---- goals of speed, and a rate ------------------------------------------------------------------

speed="-m llama-3.1-70b -p fp8 -g h100-sxm"
# shellcheck disable=SC2086 # words
run --plan $speed:2 -u 64 --tpot 20
assert_contains "what may fit misses it too" "misses the goal of 20 ms" "$out"
# shellcheck disable=SC2086 # words
run --plan $speed:2 -u 16 --tpot 18
assert_eq "a goal that is missed" 1 "$rc"
assert_contains "and which" "misses the goal of 18 ms" "$out"
assert_contains "what would reach it" "what would reach the goals" "$out"
# how it stands to its band, what the other odds cost, and what misses it by little
run --plan -m llama-3.1-8b -g rtx-6000-ada:1 --rate 5 --ttft-p99 1000
assert_contains "a percentile whose band ends where the rate is not served" "..overload)" "$out"
run --plan -m llama-3.1-8b --ttft 200 --tpot 20 -u 32 -g l4
assert_contains "the counts in the headline" "goals    likely met; 4 % short: 20 GPUs" "$out"
assert_contains "each goal with its band" "TTFT likely within 200 ms (70.6" "$out"
assert_contains "a band that no count fits into" "surely reached by no count" "$out"
run --plan -m llama-3.1-8b --ttft 200 --tpot 20 -u 32 -g l4:20
assert_contains "a miss inside the band" "FITS, LIKELY TOO SLOW" "$out"
assert_contains "and what would do" "likely reached with 24 GPUs" "$out"
run --plan -m llama-3.1-8b --ttft 20 -u 32 -g l4:20
assert_contains "a miss outside the band" "FITS, TOO SLOW" "$out"
run --plan -m llama-3.1-8b --tpot 20 -u 32 -g l4 --goals sure
assert_contains "sure of it" "goals    met by the whole band; likely: 16 GPUs" "$out"
run --plan -m llama-3.1-8b --tpot 20 -u 32 -g l4 -q
assert_contains "in one line" "\$7.04/h, goals likely" "$out"
run --plan -m llama-3.1-8b --tpot 20 -u 32 -g l4:16 --goals sure
assert_eq "16 GPUs are not sure" 1 "$rc"
assert_contains "and why" "TPOT 19.4 ms does not surely meet the goal of 20 ms" "$out"
# shellcheck disable=SC2086
run --plan $speed -u 16 --tpot 15 -q
assert_eq "more GPUs reach it" 0 "$rc"
if have_json; then
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 --tpot 5 -f json
    assert_eq "slow" slow "$(json verdict.status)"
    assert_eq "by TPOT" tpot "$(json verdict.limit)"
    assert_eq "the goal" 5 "$(json request.tpot)"
    # shellcheck disable=SC2086
    run --plan $speed --rate 20 -f json
    assert_eq "what arrives is served" 20 "$(json speed.requests_per_s.value)"
    assert_true "Little's law: in flight = rate * (TTFT + 255 TPOT), within 1 %" awk \
        -v n="$(json speed.running)" -v f="$(json speed.ttft.value)" \
        -v t="$(json speed.tpot.value)" 'BEGIN{r = n / 20 / (f + 255*t); exit !(r>0.99 && r<1.01)}'
    assert_true "memory is for their peak" test "$(json request.users)" -gt 20
    run --plan -m llama-3.1-8b -g b300:1 -c 1280 --rate 5000 -f json
    assert_eq "more than can be served" rate "$(json verdict.limit)"
fi
if have_json; then
    run --plan -m deepseek-r1 -g b200:8 -u 64 --dp 8 -f json
    assert_eq "copies of the attention" 8 "$(json layout.dp)"
    assert_eq "experts over all of them" 8 "$(json layout.ep)"
    run --plan -m deepseek-r1 -g h200-sxm --dp 16 -u 256 -f json
    assert_eq "16 GPUs that share experts, in few machines" 2 "$(json layout.hosts)"
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 --prompt 4000 -f json
    whole=$(json speed.ttft_idle.value)
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 --prompt 4000 --prefix-hit 0.75 -f json
    assert_true "a cached prefix is not computed" awk -v a="$(json speed.ttft_idle.value)" \
        -v b="$whole" 'BEGIN{exit !(a < 0.5*b)}'
fi

# ---- watts and utilisation -----------------------------------------------------------------------

# shellcheck disable=SC2086
run --plan $speed:2 -u 16 --power-cap 5000
assert_eq "under the cap" 0 "$rc"
assert_contains "what the cap holds" "the cap of 5.00 kW holds 3 GPUs" "$out"
assert_contains "how much is used" "utilisation" "$out"
# shellcheck disable=SC2086
run --plan $speed:2 -u 16 --power-cap 2000
assert_eq "above the cap" 1 "$rc"
assert_contains "the worst case" "2 GPUs with hosts would draw up to 2.55 kW; the cap of 2.00 kW holds" "$out"
if have_json; then
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 -f json
    assert_contains "what narrows the band" "three runs of the server's benchmark" "$(json speed.narrower)"
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 --power-cap 2000 -f json
    assert_eq "the limit" power "$(json verdict.limit)"
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 --price buy --power-cap 5000 -f json
    assert_eq "the cap in the answer" 3 "$(json power.capped_gpus)"
    assert_true "electricity of the load, not of the most" awk -v load="$(json power.electricity_per_month.value)" \
        -v most="$(json power.most)" 'BEGIN{exit !(load < most/1000*1.5*0.0861*730)}'
fi

# ---- stalls ---------------------------------------------------------------------------------------

# shellcheck disable=SC2086
run --plan $speed:2 -u 16
assert_contains "what prompts do to answers" "between two tokens, when the step also computes a prompt: 6.2 % of steps, so this is the p99; band assumed" "$out"
assert_contains "what narrows the band" "widest: engine's build and host unknown" "$out"
assert_contains "a line more drops none" "checked by     TPOT, dense models on vLLM" "$out"
# shellcheck disable=SC2086
run --plan $speed:2 -u 1
assert_lacks "nobody else's prompts" "stall  " "$out"
# shellcheck disable=SC2086
run --plan $speed:2 --prompt 60000 -c 100k -u 2
assert_contains "one unit in a line" " on an idle engine" "$out"
# shellcheck disable=SC2086
run --plan $speed:4 -c 8k -u 16 --disaggregate 1xTP2:1xTP2
assert_lacks "prompts elsewhere stall no answer" "stall  " "$out"
if have_json; then
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 -f json
    assert_true "longer than TPOT" awk -v a="$(json speed.stall.value)" -v b="$(json speed.tpot.value)" \
        -v from="$(json speed.stall.origin)" 'BEGIN{exit !(a > 2*b && from == "assumed")}'
    stall=$(json speed.stall.value)
    # shellcheck disable=SC2086
    run --plan $speed:2 -u 16 --max-batched-tokens 256 -f json
    assert_true "smaller chunks stall for less, more often" awk -v a="$(json speed.stall.value)" -v b="$stall" \
        -v share="$(json speed.stall_share)" 'BEGIN{exit !(a < 0.8*b && share > 0.2)}'
fi

run --plan -m bge-m3 -g l4
assert_lacks "an encoder answers nothing" "answers of" "$out"
assert_contains "and why there is no speed" "no estimate: at most 167 prompts/s by the sheet" "$out"

# ---- prompts worked off apart, and what saturates ------------------------------------------------

# shellcheck disable=SC2086
run --plan $speed:8 --tp 2 -u 64 --disaggregate auto --tpot 20
assert_contains "replicas of two kinds" "TP 2 x 4 replicas (2 prefill, 2 decode)" "$out"
assert_contains "and each doing both" "where each replica does both: that misses the goals" "$out"
if have_json; then
    # shellcheck disable=SC2086
    run --plan $speed:8 --tp 2 --rate 8 --disaggregate 2:2 -f json
    assert_eq "as asked: prefill" 2 "$(json layout.prefill)"
    assert_eq "as asked: decode" 2 "$(json layout.decode)"
    assert_true "KV moves" awk -v t="$(json speed.transfer)" 'BEGIN{exit !(t > 0.002 && t < 0.1)}'
    # shellcheck disable=SC2086
    run --plan $speed:8 --tp 2 -c 4k --rate 20 --disaggregate 1:3 -f json
    assert_eq "one is too few for the prompts" slow "$(json verdict.status)"
    assert_eq "by their work" prefill "$(json speed.saturates)"
fi
# shellcheck disable=SC2086
run --plan $speed -u 64 --disaggregate 2xTP2:1xTP4
assert_contains "a TP for each side" "on 8 x h100-sxm: 2 x TP 2 for prefill, 1 x TP 4 for decode, 1 host" "$out"
assert_contains "whose memory is shown" "memory of a GPU, decode" "$out"
# shellcheck disable=SC2086
run --plan $speed -u 64 --disaggregate 2xtp2:2xTP2 -q
alike=$out
# shellcheck disable=SC2086
run --plan $speed -u 64 --tp 2 --disaggregate 2:2 -q
assert_eq "the same TP twice is one TP" "$alike" "$out"
# shellcheck disable=SC2086
run --plan $speed -c 8k --pp 1 --disaggregate 2xTP1:1xTP4
assert_contains "weights on the GPUs for prompts, with fewer slots" "--max-num-seqs" "$out"
# shellcheck disable=SC2086
run --plan $speed --disaggregate 2xTP3:1xTP4
assert_contains "a TP that cannot be" "TP=3 does not divide 64 attention heads" "$out"
# shellcheck disable=SC2086
assert_fails 2 "is not two numbers of replicas" --plan $speed --disaggregate 2xTP:1
# shellcheck disable=SC2086
assert_fails 2 "have to be told how they find each other" --launch vllm $speed --disaggregate 2xTP2:1xTP4
if have_json; then
    # shellcheck disable=SC2086
    run --plan $speed -c 8k -u 64 --disaggregate auto --tpot 15 -f json
    assert_eq "both sides' TP are tried" "2 4 8" "$(json layout.prefill_tp) $(json layout.tp) $(json layout.gpus)"
    solo=$(json speed.ttft_idle.value)
    # shellcheck disable=SC2086
    run --plan $speed -c 8k -u 64 --disaggregate 1xTP4:1xTP4 -f json
    assert_true "a prompt takes longer on fewer GPUs" awk -v a="$solo" -v b="$(json speed.ttft_idle.value)" \
        'BEGIN{exit !(a > 1.2*b)}'
    # shellcheck disable=SC2086
    run --plan $speed:6 -c 8k -u 64 --disaggregate 1xTP2:1xTP4 -f json
    assert_eq "as many GPUs as both sides have" 6 "$(json layout.gpus)"
fi
# shellcheck disable=SC2086
run --plan $speed:8 --rate 80
assert_contains "what saturates" "can be served; the limit: " "$out"
assert_fails 2 "llama.cpp b9500+ has no such mode" --plan -m llama-3.1-8b -g l4 --engine llama.cpp --disaggregate 1:1
# shellcheck disable=SC2086
assert_fails 2 "'1:0' is not two numbers of replicas" --plan $speed --disaggregate 1:0

# ---- lengths that differ -------------------------------------------------------------------------

printf '%s\n' TIMESTAMP,ContextTokens,GeneratedTokens '2023-11-16 18:00:00.5,1000,100' \
    '2023-11-16 18:00:30.5,2000,200' '2023-11-16 18:02:00.5,9000,600' >"$work/trace.csv"
# shellcheck disable=SC2086
run --plan $speed:2 --trace "$work/trace.csv"
assert_contains "where the lengths are from" "trace.csv: 3 requests, 0.025/s on average, 0.0333 in the busiest minute" "$out"
assert_contains "the context of the longest" "x 9,600 tokens" "$out"
assert_contains "the lengths" "prompts of 4,000 +- 3,559 and answers of 300 +- 216 tokens" "$out"
# shellcheck disable=SC2086
run --plan $speed:2 --trace "$work/trace.csv" -c 4k -u 4
assert_contains "what is too long is said" "33.3 % of the requests are longer than the context of 4,096 tokens" "$out"
echo '2023-11-16 18:03:00.5,9000,many' >>"$work/trace.csv"
# shellcheck disable=SC2086
assert_fails 3 "trace.csv:5: GeneratedTokens: 'many' is not a number of tokens" --plan $speed --trace "$work/trace.csv"
# shellcheck disable=SC2086
assert_fails 2 "the lengths are those of --trace" --plan $speed --trace "$work/trace.csv" --prompt 100
# shellcheck disable=SC2086
assert_fails 2 "more than 3 times the mean" --plan $speed --prompt 100 --prompt-stddev 400
if have_json; then
    # shellcheck disable=SC2086
    run --plan $speed:2 --rate 2 -f json
    alike=$(json speed.ttft_p95)
    # shellcheck disable=SC2086
    run --plan $speed:2 --rate 2 --prompt-stddev 1000 -f json
    assert_eq "the spread as given" 1000 "$(json request.prompt_stddev)"
    assert_true "more spread, later first tokens" awk -v a="$alike" -v b="$(json speed.ttft_p95)" \
        'BEGIN{exit !(b > 1.2*a)}'
fi
# shellcheck disable=SC2086
run --plan $speed -u 64 --api-price 0.6:2.4
assert_contains "an API beside the rent" "this plan is cheaper from" "$out"
if have_json; then
    # shellcheck disable=SC2086
    run --plan $speed --rate 2 --api-price 1:4 -f json
    assert_eq "2 requests/s of 1024 and 256 tokens, an hour" 14.7456 "$(json cost.api.per_hour.value)"
fi
run --plan -m deepseek-r1 -g h200-sxm:8 --draft mtp
assert_contains "drafts without an acceptance" "say how many are accepted" "$out"
if have_json; then
    run --plan -m deepseek-r1 -g h200-sxm:8 -f json
    plain=$(json speed.tpot.value)
    # llama.cpp logged 167 of 259 accepted, 3 drafted: a mean length of 2.92
    run --plan -m llama-3.1-8b -g h100-sxm --draft llama-3.2-1b --speculative-tokens 3 \
        --acceptance 0.645 --why
    assert_contains "tokens of a step" "1 + k * a" "$out"
    assert_contains "as logged" "2.9" "$(grep -A3 'tokens per step' "$work/out")"
    run --plan -m deepseek-r1 -g h200-sxm:8 --draft mtp --acceptance 0.85 -f json
    assert_true "one drafted token of which most are accepted" awk -v a="$(json speed.tpot.value)" \
        -v b="$plain" 'BEGIN{exit !(a < 0.8*b && a > b/1.85)}'
fi

run --plan -m llama-3.1-70b -p q4_k_m --engine ollama -g rtx-4090 -c 8k
assert_contains "Ollama spreads layers" "TP 1 x PP 2" "$out"
run --plan -m llama-3.1-70b -p q4_k_m --engine ollama -g rtx-4090 -c 8k --tp 2
assert_contains "and cuts none" "Ollama spreads whole layers over GPUs: --tp 1" "$out"

# A benchmark of the server corrects the speed of what it measured, and of nothing else.
printf '%s\n' '{"request_rate": "inf", "max_concurrency": 16, "completed": 64, "duration": 60,
"total_input_tokens": 65536, "total_output_tokens": 16384, "mean_ttft_ms": 300,
"mean_tpot_ms": 40}' >"$work/server.json"
run --plan -m llama-3.1-70b -p fp8 -g h100-sxm:2 -u 16 --calibration "$work/server.json"
assert_contains "what was corrected" "1 point, taken as of TP 2 x PP 1: launches x" "$out"
assert_contains "the band then" "corrected by one point of the server (/1.30..x1.45)" "$out"
if have_json; then
    run --plan -m llama-3.1-70b -p fp8 -g h100-sxm:2 -u 16 --calibration "$work/server.json" -f json
    assert_true "TPOT is nearer to what was measured" awk -v t="$(json speed.tpot.value)" \
        'BEGIN{exit !(t > 0.030 && t < 0.041)}'
fi
both="-m llama-3.1-70b -p fp8 -p bf16 -g h100-sxm -g h200-sxm -u 16 -f csv"
# shellcheck disable=SC2086
run --compare $both
printf '%s\n' "$out" >"$work/estimated"
# shellcheck disable=SC2086
run --compare $both --calibration "$work/server.json"
assert_eq "one of four rows was measured" "h100-sxm,fp8" "$(printf '%s\n' "$out" |
    diff "$work/estimated" - | sed -n 's/^> [a-z]*,\([^,]*,[^,]*\),.*/\1/p')"
run --plan -m llama-3.1-70b -p fp8 -g h200-sxm -u 16 --calibration none
assert_lacks "nothing measured" "of the estimate" "$out"
echo '{"mean_tpot_ms": 40}' >"$work/server.json"
assert_fails 3 "server.json: completed: is missing" --plan -m llama-3.1-70b -p fp8 -g h100-sxm --calibration "$work/server.json"
assert_fails 2 "no GPU is named" --plan -m llama-3.1-70b -p fp8 --calibration "$work/server.json"
assert_fails 2 "no GPU is named" --compare -m llama-3.1-70b -g all --calibration "$work/server.json"
assert_fails 2 "a name in ',' is empty" --plan -m llama-3.1-70b -p fp8 -g h100-sxm --calibration ,
echo '# no JSON' >"$work/server.json"
assert_fails 3 "a result of vllm bench serve" --plan -m llama-3.1-70b -p fp8 -g h100-sxm --calibration "$work/server.json"
rm "$work/server.json" && mkfifo "$work/server.json"
assert_fails 3 "not a regular file" --plan -m llama-3.1-70b -p fp8 -g h100-sxm --calibration "$work/server.json"

assert_fails 2 "no draft model is given" --plan -m llama-3.1-8b -g l4 --acceptance 0.7
assert_fails 2 "no draft model is given" --plan -m llama-3.1-8b -g l4 --acceptance-length 2
# each way of telling what is accepted: 1 + 3 * 0.6 = 1 + 0.8 + 0.6 + 0.4 = 2.8
for told in "--acceptance 0.6" "--acceptance 0.8,0.6,0.4" "--acceptance-length 2.8"; do
    # shellcheck disable=SC2086
    run --plan -m llama-3.1-8b -g h100-sxm --draft eagle3 $told
    assert_contains "$told" "3 tokens a step by the EAGLE-3 head yield 2.8" "$out"
done
# what is no such figure
while IFS='|' read -r says told; do
    # shellcheck disable=SC2086
    assert_fails 2 "$says" --plan -m llama-3.1-8b -g h100-sxm --draft eagle3 $told
done <<'END'
0 is no share above 0 and up to 1|--acceptance 0
1.2 is no share above 0 and up to 1|--acceptance 1.2
-0.5 is no share above 0 and up to 1|--acceptance 0.8,-0.5
many is no share above 0 and up to 1|--acceptance many
is no share above 0 and up to 1|--acceptance 0.8,
position 3 has 0.7, more than the 0.6 before it|--acceptance 0.8,0.6,0.7
more positions than the 2 tokens that are drafted|--speculative-tokens 2 --acceptance 0.8,0.6,0.4
5 is more than the 4 that 3 drafted tokens can yield|--acceptance-length 5
0.9 is outside 1..65|--acceptance-length 0.9
3.5 tokens a step are not the 2.8 of --acceptance 0.6|--acceptance 0.6 --acceptance-length 3.5
END
# what each kind loads, and what an engine does not have
while read -r kind gib; do
    have_json || break
    run --plan -m llama-3.1-8b -g h100-sxm --draft "$kind" --acceptance-length 2 -f json
    assert_eq "weights of $kind" "$gib" "$(json memory.per_gpu.weights_draft.value | cut -c1-4)"
done <<'END'
eagle3 0.79
dflash 2.18
llama-3.2-1b 2.31
ngram 0
END
assert_fails 2 "an EAGLE-3 head is not planned for vLLM 0.11 (it has --draft mtp, ngram)" \
    --plan -m llama-3.1-8b -g h100-sxm --engine vllm@0.11 --draft eagle3
assert_fails 2 "DFlash's layers are not planned for vLLM 0.17-0.19 (it has --draft MODEL, mtp, eagle3, ngram)" \
    --plan -m llama-3.1-8b -g h100-sxm --engine vllm@0.18 --draft dflash
assert_fails 2 "an EAGLE-3 head is not planned for TensorRT-LLM" \
    --plan -m llama-3.1-8b -g h100-sxm --engine tensorrt-llm --draft eagle3
assert_fails 2 "n-grams have no checkpoint of their own, such as 'x'" \
    --plan -m llama-3.1-8b -g h100-sxm --draft ngram:x
# a head by its config.json: a fourth of the usual one's MLP
mkdir "$work/head"
echo '{"architectures": ["LlamaForCausalLMEagle3"], "hidden_size": 4096, "num_hidden_layers": 1,
  "num_attention_heads": 32, "num_key_value_heads": 8, "intermediate_size": 3584,
  "draft_vocab_size": 16000}' >"$work/head/config.json"
run --plan -m llama-3.1-8b -g h100-sxm --draft "eagle3:$work/head" --acceptance 0.6
assert_contains "a head that is here" "0.42 GiB the EAGLE-3 head" "$(tr -s ' \n' ' ' <"$work/out")"
echo '{"hidden_size": 4096}' >"$work/head/config.json"
assert_fails 3 "is no EAGLE-3 head and no DFlash draft" \
    --plan -m llama-3.1-8b -g h100-sxm --draft "eagle3:$work/head"
assert_fails 3 "$work/nohead" --plan -m llama-3.1-8b -g h100-sxm --draft "dflash:$work/nohead"
# drafting pays for few users and not for many, and says which number of tokens is best
if have_json; then
    run --plan -m llama-3.1-70b -p fp8 -g h100-sxm:4 -u 8 --draft eagle3 --acceptance 0.6 -f json
    assert_true "pays with few" awk -v p="$(json speed.drafts.pays_to_users)" \
        -v a="$(json speed.drafts.tpot)" -v b="$(json speed.drafts.tpot_without)" \
        'BEGIN{exit !(a < b && p > 8 && p < 1024)}'
    pays=$(json speed.drafts.pays_to_users)
    run --plan -m llama-3.1-70b -p fp8 -g h100-sxm:4 -u $((pays + 64)) --max-num-seqs 1024 \
        --prompt 200 --draft eagle3 --acceptance 0.6 -f json
    best=$(json speed.drafts.best_tokens)
    run --plan -m llama-3.1-70b -p fp8 -g h100-sxm:4 --draft eagle3 --acceptance 0.6 -f json
    assert_true "fewer tokens are best for many users" test "$best" -lt "$(json speed.drafts.best_tokens)"
fi
# shellcheck disable=SC2086
assert_fails 2 "is not two prices" --plan $speed --api-price 3
# shellcheck disable=SC2086
assert_fails 2 "3 is outside 0.01..1 (" --plan $speed --memory-utilization 3
assert_fails 2 "no experts that copies could share" --plan -m llama-3.1-8b -g b200:8 --dp 8
for option in "--rate 5" "--prompt-stddev 5" "--trace x.csv" "--disaggregate auto" "--tpot 20" "--ttft 200" "--prefix-hit 0.5" "--dp 2" "--api-price 1:2" "--power-cap 9000" "--acceptance 0.5"; do
    # shellcheck disable=SC2086
    assert_fails 2 "is for inference, not for --train" --plan -m llama-3.1-8b -g l4 --train lora $option
done
assert_fails 2 "follow from --rate" --plan -m llama-3.1-8b -g l4 --rate 2 --solve users
# shellcheck disable=SC2086
assert_fails 2 "both say how many requests" --plan $speed --rate 1 -u 3
# shellcheck disable=SC2086
assert_fails 2 "outside 0.01..1000000 ms" --plan $speed --tpot 0

# ---- a local checkpoint ------------------------------------------------------------------------

run --plan -m "$src/tests/fixtures/models/hf-llama" -g l4 -q
assert_eq "a Hugging Face folder" 0 "$rc"
mkdir "$work/checkpoint"
cp "$src"/tests/fixtures/models/hf-llama/* "$work/checkpoint"
sed -i 's/"intermediate_size": *24/"intermediate_size": 48/' "$work/checkpoint/config.json"
assert_fails 3 "but config.json implies" --plan -m "$work/checkpoint" -g l4

# ---- numbers: no 1.04858e+06 --------------------------------------------------------------------

for request in "-m llama-3.1-8b -g b300:8 -u 1000000 -c 16" "-m deepseek-v3 -g b300:8 -c 128k" \
    "-m llama-4-scout -g b300:8 -c 10M" "-m jamba-1.5-mini -g h200:8 -u 4000 -c 256k"; do
    # shellcheck disable=SC2086 # words
    run --plan $request --why
    assert_eq "an exponent in --why of $request" "" "$(grep -E '[0-9]e\+?0?[1-9]' <<<"$out")"
done
assert_fails 2 "2000000 is outside 1..1000000 requests" --plan -m 8B -g l4 -u 2000000

# ---- solving -----------------------------------------------------------------------------------

run --plan -m llama-3.1-8b -g rtx-4090:1 --solve context -f json
if have_json; then
    context=$(json request.context)
    run --plan -m llama-3.1-8b -g rtx-4090:1 -c "$context" -q
    assert_eq "the solved context fits" 0 "$rc"
    run --plan -m llama-3.1-8b -g rtx-4090:1 -c "$((context + 16))" -q
    assert_lacks "one block more does not" "fits: " "x${out/#fits/x}"
    run --plan -m llama-3.1-8b -g rtx-4090:1 --solve users -f json
    users=$(json request.users)
    run --plan -m llama-3.1-8b -g rtx-4090:1 -u "$((users + 1))" -q
    assert_lacks "one user more does not" "fits:" "$out"
fi
for field in context users; do
    run --plan -m bert-large -g l4 --solve $field
    assert_contains "$field of a model without KV" "$field: no limit, it keeps no KV" "$out"
done
# up to what it is certain, and up to what likely: the middle of the bands says
for request in "-m llama-3.1-8b -g rtx-4090:1" "-m llama-3.1-8b -g l4:1 -c 32k -p fp8" \
    "-m gemma-3-27b -p q4_k_m -g rtx-4090:1 --engine llama.cpp"; do
    # shellcheck disable=SC2086 # words
    run --plan $request --solve users -f json
    if have_json; then
        certain=$(json request.users) likely=$(json solve.likely)
        assert_true "$request: $likely users are more" [ "$likely" -gt "$certain" ]
        # shellcheck disable=SC2086
        run --plan $request -u "$likely" -q
        assert_contains "$request with $likely users" "marginal" "$out"
    fi
done
run --plan -m qwen3-32b -p int4-awq -g rtx-4090:1 --engine sglang --memory-utilization 0.8 \
    --solve context
assert_contains "certain at none" "MARGINAL" "$out"
assert_contains "likely all the same" "context: certain at none, likely up to " "$out"
run --plan -m llama-3.1-8b -g h100-sxm:1 --tpot 20 --solve users -q
assert_contains "goals" "users within the goals, surely up to" "$out"
# what is solved for can be asked for
for request in "-m 1B -g b300:8 -c 1 --engine llama.cpp" "-m 1B -g b300:8 -c 1" \
    "-m llama-3.1-8b -g l4:1"; do
    # shellcheck disable=SC2086 # words
    run --plan $request --solve users -f json
    if have_json; then
        # shellcheck disable=SC2086
        run --plan $request -u "$(json request.users)" -q
        assert_contains "$request with as many users" "fits" "$out"
    fi
done
run --plan -m llama-3.1-70b -g l40s:1 --solve precision
assert_contains "precision solved" "int4-awq" "$out"
run --plan -m lfm2-1.2b -g rtx-3050-laptop-4g:1 -u 8 -c 4096 --solve precision
assert_contains "precision solved, likely" "certain at none, likely in fp8" "$out"
run --plan -m llama-3.1-8b --solve budget -q
assert_eq "budget solved" 0 "$rc"

# ---- prices -------------------------------------------------------------------------------------

run --plan -m llama-3.1-8b -g h100-sxm
on_demand=$out
run --plan -m llama-3.1-8b -g h100-sxm --price market
assert_contains "marketplace only when asked" "marketplace" "$out"
assert_lacks "marketplace never wins silently" "marketplace" "$on_demand"
assert_lacks "no auction row by default" "mithril" "$on_demand"
run --plan -m llama-3.1-8b -g h100-sxm --price buy
assert_contains "buying" "buy " "$out"

mkdir -p "$work/profiles/prices"
cat >"$work/profiles/prices/ours.cfg" <<'CFG'
provider = "ours";
source = "our contract";
instances = (
    { type = "rack-7"; gpu = "h100-sxm"; count = 8; vcpus = 96; ram_gib = 1024.0;
      on_demand = 99.0; date = "2020-01-01"; }
);
CFG
run --plan -m llama-3.1-8b -g h100-sxm --profiles "$work/profiles"
assert_contains "the user's price wins" "ours rack-7" "$out"
assert_contains "an old price is warned of" "check it" "$out"
# a dearer machine that holds them all, whichever GPU was looked at first
cat >"$work/profiles/prices/ours.cfg" <<'CFG'
provider = "lab";
source = "our contract";
instances = (
    { type = "one"; gpu = "rtx-6000-ada"; count = 1; on_demand = 0.3; },
    { type = "eight"; gpu = "a100-sxm-80"; count = 8; on_demand = 9.0; }
);
CFG
run --plan -m mixtral-8x7b -g rtx-3060:3 -u 4 -c 8k --provider lab --profiles "$work/profiles"
assert_contains "as many, in one machine" "3 x NVIDIA A100 SXM4 80GB" "$out"

# ---- output ----------------------------------------------------------------------------------------

run --plan -m llama-3.1-8b -g h100-sxm -f json --output "$work/plan.json"
assert_eq "nothing printed" "" "$out"
assert_true "file is written" test -s "$work/plan.json"
run --plan -m llama-3.1-8b -g h100-sxm --output 512 -f json
if have_json; then
    assert_eq "--output N is tokens" 512 "$(json request.output)"
fi
run --plan -m llama-3.1-8b -g h100-sxm -f csv
assert_contains "CSV head" "part,value,low,high,unit,origin,note" "$out"
assert_contains "CSV verdict" "verdict,fits,,,,," "$out"
assert_contains "CSV count" "GPUs,1,1,1,,exact,\"TP 1, 1 host\"" "$out"
assert_contains "CSV memory" "physical,79.6500,79.6500,79.6500,GiB,sheet," "$out"
rows=$(echo "$out" | sed -n 's/^cost per hour,[0-9.]*,[0-9.]*,[0-9.]*,\$\/h,sheet,.*/cost/p')
assert_eq "CSV cost" cost "$rows"
run --plan -m llama-3.1-8b -g h100-sxm -f markdown
assert_contains "Markdown head" "| part" "$out"

# ---- training ----------------------------------------------------------------------------------------

run --plan -m llama-3.1-8b --train qlora -g rtx-4090 --sequence 1024
assert_eq "QLoRA exit" 0 "$rc"
assert_contains "QLoRA" "qlora of rank 16" "$out"
run --plan -m llama-3.1-8b --train qlora -g rtx-4090 --sequence 1024 -f csv
assert_contains "training as CSV" "part,value,low,high,unit,origin,note
verdict,fits,,,,,
GPU,rtx-4090,,,,,GeForce RTX 4090
GPUs,1,1,1,,exact,\"data parallel 1, ZeRO 0, 1 host\"
usable,23." "$out"
assert_contains "its cost" "
cost per hour," "$out"
lora=(--plan -m llama-3.1-8b --train lora -g l40s:1)
run "${lora[@]}" -p int4-awq --lora-targets qv --modules-to-save both --attention eager --why
assert_contains "choices" "tokens per GPU, base int4-awq, adapters on query and value,\
 embedding and head trained, eager attention" "$out"
assert_contains "trained copies" "trained copies      3.91   1.96   3.91  model" "$out"
run "${lora[@]}" -p int4-gptq --format json
assert_contains "base" '"base": "int4-gptq"' "$out"
assert_fails 2 "--precision: int4-awq is not planned as the weights of --train full" \
    --plan -m llama-3.1-8b --train full -g l40s:1 -p int4-awq
assert_fails 2 "QLoRA's base is nf4 or nf4-dq" --plan -m llama-3.1-8b --train qlora -g l4 -p fp8
assert_fails 2 "nf4: --train qlora" "${lora[@]}" -p nf4
assert_fails 2 "--context: is for inference, not for --train (--sequence TOKENS)" \
    "${lora[@]}" -c 8k
assert_fails 2 "--users: is for inference, not for --train (--micro-batch N)" \
    "${lora[@]}" -u 4
assert_fails 2 "--solve: is for inference" "${lora[@]}" --solve gpus
for option in "--lora-rank 8" "--lora-targets qv" "--modules-to-save head"; do
    assert_fails 2 "is for --train lora and qlora" \
        --plan -m llama-3.1-8b --train full -g l40s:1 $option
done
run --plan -m llama-3.1-8b --train full -g l40s:1
assert_contains "offload is a fix" "--offload optimizer --zero " "$out"
run --plan -m llama-3.1-8b --train full -g l40s:1 --offload parameters --why
assert_contains "of one host" "offloaded           134.62  134.62  201.93  model" "$out"
assert_contains "its term" "host memory (host) = 134.618" "$out"
run --plan -m llama-3.1-8b --train full -g l4:1 --offload parameters
assert_contains "too little of it" "the cheapest machine has " "$out"
run --plan -m llama-3.1-8b --train full -g h100-sxm:1 --step-in-backward -f csv
assert_contains "step in backward" "gradients,1.9570,1.9570,3.9141,GiB" "$out"
assert_fails 2 "is for --train full" "${lora[@]}" --step-in-backward
run --plan -m llama-3.1-8b --train full -g h100-sxm:8 --sequence 64k --cp 4 --why
assert_contains "context parallel" "data parallel 2, ZeRO stage 2, CP 4, 1 host" "$out"
assert_contains "its term" "keys and values of other ranks (exchange) = " "$out"
run --plan -m llama-3.1-8b --train full -g h100-sxm:8 --tp 8 --sequence-parallel
assert_contains "sequence parallel" "tokens per GPU, sequence parallel" "$out"
run --plan -m llama-3.1-70b --train qlora -g rtx-4090 --device-map
assert_contains "device_map" "tokens per GPU, layers in series" "$out"
assert_fails 2 "--device-map: is one process: it takes no --tp" \
    --plan -m llama-3.1-8b --train full -g l4:4 --device-map --tp 2
run --plan -m llama-3.1-70b --train full -g h100-sxm:16 --why
assert_contains "whole hosts" "ZeRO stage 3, 2 hosts" "$out"
assert_contains "cost" "
cost
    on demand" "$out"
assert_contains "why of the cost" "tp 8 (GPUs of one host)" "$out"
run --plan -m llama-3.1-70b --train full -g h100-sxm:8 -q
assert_eq "70B full does not fit" 1 "$rc"

run --plan -m llama-3.1-8b --train full --micro-batch 2 --sequence 8192 --trainer torchtitan --zero 3 \
    -g h200-sxm:128
assert_contains "per operator" "recompute ops" "$out"
assert_eq "it fits" 0 "$rc"
assert_contains "whose" "tokens per GPU, torchtitan" "$out"
assert_fails 2 "unknown trainer 'foo' (trl, transformers, llama-factory" \
    --plan -m llama-3.1-8b --train lora -g h100-sxm --trainer foo
small=(--plan -m llama-3.2-3b --train full --optimizer adamw-bf16 --micro-batch 4 --sequence 768
    --recompute none -g h100-sxm:1)
run "${small[@]}" --trainer transformers
assert_contains "gradients come as activations go" "gradients           0.00   0.00   5.98" "$out"
run "${small[@]}" --trainer torchtune --loss eager
assert_contains "where steps add up, they are there" "gradients           5.98   5.98   5.98" "$out"
assert_fails 2 "Float8 training (torchao, Transformer Engine) is not planned" "${small[@]}" -p fp8
run --plan -m qwen3-30b-a3b --train lora --lora-targets attention -g h200-sxm:1
assert_contains "attention alone" "adapters on attention alone" "$out"

# ---- bad input ------------------------------------------------------------------------------------------

run --plan -m gpt-oss-120b -g rtx-4090:1 -p q4_k_m --n-cpu-moe 30
assert_contains "host memory" "host memory         47.28" "$out"
assert_contains "it is slow" "stay in host memory and are computed there" "$out"
assert_contains "how slow" "bound by       host memory" "$out"
assert_contains "what narrows it" "--host-memory, as ddr5-5600x2" "$out"
tpot() { sed -n 's/.*TPOT *\([0-9.]*\) ms.*/\1/p' <<<"$out" | sed -n 2p; }
slow=$(tpot)
run --plan -m gpt-oss-120b -g rtx-4090:1 -p q4_k_m --n-cpu-moe 30 --host-memory 12xddr5-6400 --host-threads 32
assert_eq "wider memory is faster" 1 "$(awk -v a="$(tpot)" -v b="$slow" 'BEGIN{print(a>0 && a<b/2)}')"
for bad in foo ddr9x ddr5 ddr5-5600x 12xddr5-4800x2 0GB/s; do
    assert_fails 2 "--host-memory: '$bad' is no memory" \
        --plan -m llama-3.1-8b -g l4 -p q4_k_m --host-memory "$bad"
done
assert_fails 2 "--host-memory: no GPU is named" --plan -m llama-3.1-8b --host-memory 60GB/s
assert_fails 2 "--host-memory: the processors' own memory" \
    --plan -m llama-3.1-8b -g cpu --host-memory 60GB/s
assert_fails 2 "--host-memory: is of no use to MLX" \
    --plan -m llama-3.1-8b -g apple-m4-max --host-memory 60GB/s
# unlike GPUs: what each holds, as one name or two options
run --plan -m qwen3-32b -c 8k -p q4_k_m -g rtx-5090:1+rtx-5070-ti:1
assert_contains "the larger" "rtx-5090: 44 layers" "$out"
assert_contains "the smaller" "rtx-5070-ti: 20 layers" "$out"
one=$out
run --plan -m qwen3-32b -c 8k -p q4_k_m -g rtx-5090 -g rtx-5070-ti
assert_eq "two options" "$one" "$out"
run --launch llama.cpp -m qwen3-32b -c 8k -p q4_k_m -g rtx-5090 -g rtx-5070-ti
assert_contains "as it is split" "-ts 44,21" "$out"
assert_fails 2 "unlike GPUs are one pipeline of 2 stages" \
    --plan -m qwen3-32b -p q4_k_m -g rtx-5090+rtx-5070-ti --tp 2
assert_fails 2 "do not serve one model together" --plan -m qwen3-32b -g rtx-5090+rx-7900-xtx
assert_fails 2 "no GPU 'foo'" --plan -m qwen3-32b -g rtx-5090+foo
assert_fails 2 "is not planned on unlike GPUs" --plan -m qwen3-32b -g l4+l40s --engine sglang
# what llama.cpp and Ollama move by themselves, but not where they are told
run --plan -m qwen3-30b-a3b -g rtx-4070:1 -p q4_k_m -c 4k
assert_eq "fits as it is placed" 0 "$rc"
assert_contains "what is moved" "layers, moved by llama.cpp" "$(tr -s '\n ' ' ' <<<"$out")"
run --plan -m llama-3.1-70b -g rtx-4090:1 -p q4_k_m -c 4k --engine ollama --format json
assert_contains "as fits" '"status": "fits"' "$out"
assert_contains "some layers" '"gpu_layers": ' "$out"
run --plan -m qwen3-30b-a3b -g rtx-4070:1 -p q4_k_m -c 4k --gpu-layers 99 -q
assert_eq "all are to be on GPUs" 1 "$rc"
run --plan -m llama-3.1-8b -g l4:1 --cpu-offload-gb 6 --format json
assert_contains "asked for" '"cpu_offload_gb": 6' "$out"
run --plan -m llama-3.1-8b -g rtx-4090:1 -p q4_k_m --gpu-layers 0 --format json
assert_contains "no layers" '"gpu_layers": 0' "$out"
assert_fails 2 "--gpu-layers: is not planned for vLLM (it has --cpu-offload-gb)" \
    --plan -m llama-3.1-8b -g l4 --engine vllm --gpu-layers 20
assert_fails 2 "(it has --gpu-layers or --n-cpu-moe)" \
    --plan -m llama-3.1-8b -g l4 -p q4_k_m --cpu-offload-gb 2
assert_fails 2 "has no routed experts" --plan -m llama-3.1-8b -g l4 -p q4_k_m --n-cpu-moe 2
assert_fails 2 "planned with all weights on the GPUs" \
    --plan -m llama-3.1-8b -g l4 --train lora --cpu-offload-gb 2
assert_fails 2 "did you mean --gpu-layers N?" --plan -m llama-3.1-8b -g l4 --n-gpu-layers 2
run --plan -m deepseek-v3 -g h200-sxm:8 --draft mtp --why
assert_contains "MTP layers" "1.55 GiB MTP layers" "$out"
assert_contains "their term" "weights: MTP (draft) = 1.55" "$out"
assert_contains "their KV" "KV: MTP layers" "$out"
run --plan -m llama-3.1-70b -g h100-sxm:4 --draft llama-3.2-1b --speculative-tokens 5 --format json
assert_contains "the draft" '"draft": "llama-3.2-1b"' "$out"
assert_contains "its tokens" '"speculative_tokens": 5' "$out"
run --plan -m llama-3.1-8b -g h100-sxm --lora 4:64 --format json
assert_contains "slots" '"lora_slots": 4' "$out"
assert_contains "rank" '"lora_rank": 64' "$out"
run --plan -m llama-3.1-8b -g l4 --kv-offload-gb 24
assert_contains "beside the parts" "KV in host memory   24.00" "$out"
assert_contains "what it is for" "those in flight need the pool all the same" "$out"
run --plan -m llama-3.1-8b -g l4 --engine sglang --kv-offload-gb 24
assert_contains "in 10^9 bytes" "KV in host memory   22.35" "$out"
run --plan -m llama-3.1-8b -p q4_k_m -g rtx-4090:1 --no-kv-offload -c 32k
assert_contains "all of it" "KV in host memory    4.00" "$out"
run --plan -m llama-3.1-8b -g l4 --draft none --lora none --format json
assert_contains "none" '"draft": null' "$out"
assert_fails 2 "has no multi-token-prediction layers" --plan -m llama-3.1-8b -g l4 --draft mtp
assert_fails 2 "a draft model is not planned for SGLang 0.5.9-0.5.14" \
    --plan -m llama-3.1-8b -g l4 --engine sglang@0.5.9 --draft llama-3.2-1b
assert_fails 2 "a draft model is not planned for vLLM 0.11 (it has --draft mtp, ngram)" \
    --plan -m llama-3.1-8b -g l4 --engine vllm@0.11 --draft llama-3.2-1b
run --plan -m qwen3-32b -g h100-sxm:2 --draft 1B
assert_contains "a size has the model's words" "FITS" "$out"
assert_fails 2 "writes no text" --plan -m llama-3.1-8b -g l4 --draft vit-l-16
assert_fails 2 "writes no text" --plan -m vit-l-16 -g l4 --draft llama-3.2-1b
assert_fails 2 "--draft: no model 'nosuch'" --plan -m llama-3.1-8b -g l4 --draft nosuch
assert_fails 2 "is not planned for vLLM 0.11" \
    --plan -m llama-3.1-8b -g l4 --engine vllm@0.11 --kv-offload-gb 4
assert_fails 2 "(it has --kv-offload-gb)" --plan -m llama-3.1-8b -g l4 --engine vllm --no-kv-offload
assert_fails 2 "(it has --no-kv-offload)" \
    --plan -m llama-3.1-8b -g l4 -p q4_k_m --kv-offload-gb 4
assert_fails 2 "is not a number of adapters" --plan -m llama-3.1-8b -g l4 --lora 4:x
assert_fails 2 "does not take a LoRA rank of 12" --plan -m llama-3.1-8b -g l4 --lora 4:12
assert_fails 2 "--lora: is not planned for TensorRT-LLM" \
    --plan -m llama-3.1-8b -g l4 --lora 4 --engine tensorrt-llm
assert_fails 2 "--lora: is for inference, not for --train (--lora-rank R)" \
    --plan -m llama-3.1-8b -g l4 --train lora --lora 2
assert_fails 2 "did you mean --speculative-tokens N?" \
    --plan -m llama-3.1-8b -g l4 --num-speculative-tokens 2
run --plan -m llama-3.1-70b -g h100-sxm --tp 1 --pp 3 --format json
assert_eq "each stage" 3 "$(printf '%s' "$out" | grep -c '"first_layer": ')"
assert_contains "the last has the head" '"first_layer": 55,' "$out"
run --plan -m qwen2.5-0.5b -g h100-sxm/1g.10gb
assert_contains "a slice's defaults" "whole GPU's 1024 slots and 8192 tokens a step" "$out"
run --plan -m gemma-3-27b -g h100-sxm:1 --language-model-only --format json
assert_contains "the tower is not loaded" '"language_model_only": true' "$out"
assert_eq "no weights of it" 0 "$(printf '%s' "$out" | grep -c '"vision": ')"
assert_fails 2 "is not planned for vLLM 0.16 (vllm@0.17 and newer have it)" \
    --plan -m gemma-3-27b -g h100-sxm:1 --language-model-only --engine vllm@0.16
assert_fails 2 "no model given" --plan
assert_fails 2 "did you mean llama-3.1-8b" --plan -m lama3.1-8b
assert_fails 2 "did you mean h100" --plan -m llama-3.1-8b -g h100-smx
assert_fails 2 "did you mean --context?" --plan -m llama-3.1-8b --contxt 3
assert_fails 2 "did you mean --context TOKENS?" --plan -m llama-3.1-8b --ctx 8k
assert_fails 2 "did you mean --tp N?" --plan -m llama-3.1-8b --tensor-parallel=2
assert_fails 2 "did you mean --gpu GPU[/SLICE][:COUNT]?" --plan -m llama-3.1-8b --gpus 8
assert_fails 2 "did you mean --context TOKENS?" --max-model-len 8k
assert_fails 2 "did you mean --plan?" --pln -m llama-3.1-8b
assert_fails 2 "did you mean llama-3.3-70b, llama-3.1-70b" --plan -m llama-70b
assert_fails 2 "did you mean llama-3.1-70b" --plan -m meta-llama/Llama-3.1-70B-Instrct
assert_fails 2 "did you mean h200-sxm:8?" --plan -m llama-3.1-8b -g 8xH200-sxn
assert_fails 2 "did you mean h100-sxm:2" --plan -m llama-3.1-8b -g h100-smx:2

# Names that people have are taken, and the answer says as what (tests/unit/test_names has more).
understood() {
    run --plan -m "$1" -g "$2"
    assert_contains "$1 on $2" "$3" "$out"
}
understood Qwen/Qwen3-32B-AWQ h100-sxm 'qwen3-32b with int4-awq (from the name; config.json'
understood llama3.3:70b-instruct-q4_K_M h100-sxm 'llama-3.3-70b with q4_k_m'
understood https://huggingface.co/Qwen/Qwen3-32B/tree/main h100-sxm ': qwen3-32b'
understood llama-3.1-8b 8xH200 'FITS on 8 x NVIDIA H200 SXM'
understood llama-3.1-8b H100 'H100: h100-sxm; there is also h100-nvl, h100-pcie'
for gpu in h100 a100 v100 4090 3080 mi300; do # each of the others is named once
    run --plan -m llama-3.1-8b -g "$gpu" -f json
    twice=$(json request.gpu_read | tr -s ', ' '\n' | sort | uniq -d)
    assert_eq "the namesakes of $gpu" "" "$twice"
done
understood llama-3.1-8b 'NVIDIA GeForce RTX 4090' ': rtx-4090'
understood llama-3.1-8b '2x a100 80gb' '2 x NVIDIA A100 SXM4 80GB'
understood llama-3.1-8b 'H100 (x2)' '2 x NVIDIA H100 SXM5'
understood llama-3.1-8b '4 A100s' '4 x NVIDIA A100 SXM4 80GB'
understood llama-3.1-70b '2x DGX H100' '16 x NVIDIA H100 SXM5'
understood llama-3.1-8b 10de:2684 '10de:2684: rtx-4090; there is also rtx-4090-48g'
assert_fails 2 "XTX]' (a chip of several cards, name one: rx-7900-xt rx-7900-xtx)" --plan \
    -m llama-3.1-8b -g '03:00.0 VGA: Navi 31 rev 3 [Radeon RX 7900 XT/7900 XTX]'
assert_fails 2 "is a vGPU of 24 GB" --plan -m llama-3.1-8b -g 'NVIDIA L40S-24Q'
assert_fails 2 "its memory and bandwidth: 24GB@1008GB/s" --plan -m llama-3.1-8b -g 'Cerebras WSE-3'
understood llama-3.1-8b apple-m4-max:36gb 'Apple M4 Max (40-core GPU), 36gb'
understood llama-3.2-1b 24GB 'GPU of 24GB'
run --plan -m llama-3.2-1b -g 24GB@1008GB/s:2
assert_contains "a GPU of two figures" "2 x GPU of 24GB@1008GB/s" "$out"
assert_contains "its speed by one of them" "estimated from its bandwidth" "$out"
# each key that a profile gains narrows the band of its speed, and no set of them has none
mkdir -p "$work/bare/gpus"
bare='name = "X"; memory_gib = 79.6; bandwidth_gb_s = 3350; source = "sheet";'
band=1000
for more in '' 'tflops = { bf16 = 989; };' 'architecture = "Hopper";'; do
    bare="$bare $more"
    printf '%s\n' "$bare" >"$work/bare/gpus/x.cfg"
    run --plan -m llama-3.1-8b -u 8 -g x:1 --profiles "$work/bare" -f json
    command -v jq >/dev/null || break
    now=$(printf %s "$out" | jq '.speed.tpot | .high / .low')
    assert_true "narrower by: $more" \
        jq -ne "$now < $band and (${now} > 1)"
    band=$now
done
printf '%s\n' 'name = "X"; memory_gib = 79.6; bandwidth_gb_s = 3350; source = "sheet";' \
    'architecture = "Hopper";' >"$work/bare/gpus/x.cfg"
run --plan -m llama-3.1-8b -g x:2 --tp 2 --profiles "$work/bare"
assert_contains "arithmetic alone is assumed" "bandwidth: tflops" "$out"
run --plan -m Qwen/Qwen3-32B-AWQ -p fp8 -g h100-sxm
assert_contains "--precision over the name" "with int4-awq, but --precision says otherwise" "$out"
assert_fails 2 "Or ollama pull llama3.1:9000b, then -m the file" --plan -m llama3.1:9000b
run --plan -m hf.co/unsloth/gpt-oss-20b-GGUF:F17 # not of Ollama's library
assert_lacks "no library's name of a repository's file" "ollama pull" "$err"
assert_fails 2 "no model 'acme/none-7b' in the catalogue (hf download acme/none-7b config.json" \
    --plan -m acme/none-7b
assert_fails 2 "is a drafter" --plan -m RedHatAI/Qwen3-8B-speculator.eagle3
assert_fails 2 "did you mean devstral-2-123b" --plan -m devstral-3
assert_fails 3 "no such file" --plan -m ./acme/none
assert_fails 2 "--context: 0 is outside" --plan -m llama-3.1-8b -c 0
assert_fails 2 "needs a value" --plan -m
assert_fails 2 "--plan: a command is the first argument" -m 70B --plan
assert_fails 2 "--show: a command is the first argument" -v --show h100-sxm
assert_fails 2 "is given twice" --plan -m llama-3.1-8b -c 8k -c 4k
assert_fails 2 "is not one of the choices" --plan -m llama-3.1-8b --price free
assert_fails 2 "is not a count" --plan -m llama-3.1-8b -g h100-sxm:0
assert_fails 2 "has no MIG profile" --plan -m llama-3.1-8b -g h100-sxm/9g.1gb
assert_fails 2 "is not a version" --plan -m llama-3.1-8b --engine vllm@nightly
assert_fails 2 "not a kind of pruning" --plan -m llama-3.1-8b --prune 120
assert_fails 2 "does not fit the 32 layers" --plan -m llama-3.1-8b --prune layers:32
assert_fails 2 "not a kind of pruning" --plan -m llama-3.1-8b --prune width:100%

# Structured pruning: 8 of 32 layers of 218,112,000 elements, or 25 % of the MLP's.
for prune in "layers:8 11.73865" "width:25% 12.36377"; do
    run --plan -m llama-3.1-8b -g l40s --prune "${prune% *}" -f json
    if have_json; then
        assert_contains "${prune% *}" "${prune#* }" "$(json memory.per_gpu.weights.value)"
        assert_eq "as asked" "${prune% *}" "$(json request.prune)"
    fi
done
assert_fails 2 "no format 'fp9'" --plan -m llama-3.1-8b -p fp9
# vLLM has no kernels for most quantized weights on Volta
run --plan -m llama-3.1-8b -p fp8 -g v100-sxm2-32:2 --engine vllm@0.19
assert_eq "fp8 on Volta" 1 "$rc"
assert_contains "and why" "vLLM (0.17-0.19) runs fp8 weights on compute capability 7.5 or higher" "$out"
for p in "int4-gptq --engine vllm@0.19" "nf4 --engine vllm@0.19" q4_k_m fp16; do
    # shellcheck disable=SC2086
    run --plan -m llama-3.1-8b -p $p -g v100-sxm2-32:2 -q
    assert_contains "$p on Volta" "fits:" "$out"
done
# nor MXFP4 on Turing, where SGLang has no FP8 either
for e in vllm:gpt-oss-20b:mxfp4 sglang:gpt-oss-20b:mxfp4 sglang:llama-3.1-8b:fp8; do
    IFS=: read -r engine model p <<<"$e"
    run --plan -m "$model" -p "$p" -g t4:8 --engine "$engine"
    assert_eq "$e on Turing" 1 "$rc"
    assert_contains "$e: and why" "compute capability 8.0 or higher, t4 has 7.5" "$out"
    assert_contains "$e: quoted" "Minimum capability: 80. Current capability: 75." "$out"
    run --plan -m "$model" -p "$p" -g l4:8 --engine "$engine" -q
    assert_contains "$e on Ada" "fits" "$out"
done
# nor sparse attention on GPUs older than Hopper; the same model without an index runs there
run --plan -m deepseek-v3.2 -g a100-sxm-80:16
assert_eq "DSA on Ampere" 1 "$rc"
assert_contains "and why" "sparse attention on compute capability 9.0 or higher" "$out"
assert_contains "in vLLM's words" "No valid attention backend found for cuda" "$out"
for m in deepseek-v3.2:h200-sxm deepseek-v3.2:rtx-pro-6000-ws deepseek-v3:a100-sxm-80; do
    run --plan -m "${m%:*}" -g "${m#*:}" -q
    assert_contains "$m" "fits" "$out"
done
run --plan -m llama-3.1-8b -p fp8 -g t4:2 -q
assert_contains "fp8 on Turing" "fits" "$out"

# only the weights are counted: users and the engine ask for nothing
run --plan -m bert-large -g l40s:1 -u 9999 --format json
if have_json; then
    assert_eq "weights only" fits "$(json verdict.status)"
    assert_eq "weights only: KV" 0 "$(json memory.per_gpu.kv_reserved.value)"
    assert_eq "weights only: pool" null "$(json memory.per_gpu.kv_pool)"
fi

# a text encoder's start is checked: its layout, and its weights as they load
run --plan -m bert-large -g l40s:3 --tp 3 --engine vllm --format json
if have_json; then
    assert_eq "an encoder's heads" heads "$(json verdict.startup.check)"
fi
run --plan -m bge-reranker-large -g l4:1 --used 20GiB --engine vllm --format json
if have_json; then
    assert_eq "an encoder's share" free-memory "$(json verdict.startup.check)"
fi
run --plan -m bge-reranker-large -g l4:1 --used 20GiB --memory-utilization 0.05 \
    --engine vllm --format json
if have_json; then
    assert_eq "an encoder's weights" load "$(json verdict.startup.check)"
fi
run --plan -m bge-m3 -g l4:1 --max-batched-tokens 4096 --engine vllm --format json
if have_json; then
    assert_eq "an encoder's prompt" whole-prompt "$(json verdict.startup.check)"
    assert_eq "its KV cache" null "$(json memory.per_gpu.kv_pool)"
    assert_contains "its activation" 0. "$(json memory.per_gpu.activation.value)"
fi

# a marginal verdict names what to change, without a band of a part too
run --plan -m glm-5 -p nvfp4 -g gb200:16 --tp 4 --ep 4 -c 131072 -u 1000 --reserve full --format json
if have_json; then
    assert_eq "spread requests" marginal "$(json verdict.status)"
    assert_contains "their knob" "how long the requests are at once" "$(json verdict.knob)"
fi
run --plan -m ministral-3-14b -g tpu-7x --format json
have_json && assert_contains "memory only: knob" "its log" "$(json verdict.knob)"

# weights that overrun the budget leave a pool of 0, and say by how much
run --plan -m llama-3.1-70b -g l40s:1 --format json
if have_json; then
    assert_eq "no pool" 0 "$(json memory.per_gpu.kv_pool.value)"
    assert_true "short" awk -v x="$(json memory.per_gpu.kv_pool_short.value)" \
        'BEGIN{exit !(x > 80)}'
fi

# which rents count
plan="--plan -m llama-3.1-8b -g h100-sxm:2"
# shellcheck disable=SC2086 # the words of $plan
{
    run $plan --tp 2 --provider AWS
    assert_contains "the provider" "1 x aws p5.48xlarge, 8 GPUs (2026-07-20, " "$out"
    assert_contains "what is paid for" "6 of 8 GPUs are not used" "$out"
    run --plan -m llama-3.1-8b -g l40s:2 --dated
    assert_contains "a date of its own" "(2026-08-19, " "$out"
    assert_contains "per GPU" "price per GPU of a shared host" "$out"
    run $plan --provider hyperstack
    assert_contains "read by then" "(by 2026-11)" "$out"
    assert_contains "and doubted" "gives this price no date: check it" "$out"
    run $plan --provider hyperstack --dated
    assert_contains "none is left" "with that provider, region or date" "$out"
    assert_lacks "nothing to break even with" "break-even" "$out"
    run $plan --provider gcp,azure --region US-Central --format json
    if have_json; then
        assert_eq "of two" gcp "$(json cost.on_demand.provider)"
        assert_eq "the request says so" gcp,azure "$(json request.provider)"
        assert_eq "and where" US-Central "$(json request.region)"
        assert_eq "and how dated" false "$(json request.dated)"
    fi
    assert_fails 2 "'foo' is not a provider of the catalogue (aws, azure," \
        $plan --provider aws,foo
    assert_fails 2 "no instance of aws is in a region with 'eu'" \
        $plan --provider aws --region eu
    assert_fails 2 "takes no value" $plan --dated=yes
}

# accelerators whose memory alone is known
run --plan -m llama-3.1-8b -g tpu-v6e
assert_eq "marginal at best" 0 "$rc"
assert_contains "and why" "MARGINAL on 1 x Google TPU v6e" "$out"
assert_contains "no speed" "only the memory of tpu-v6e is planned" "$out"
assert_contains "no price" "tpu-v6e is not priced" "$out"
run --plan -m llama-3.1-8b -g trainium2 --engine sglang --price buy
assert_eq "not on this engine" 1 "$rc"
assert_contains "the engine says so" "SGLang does not run on AWS accelerators" "$out"
assert_lacks "one reason is enough" "only the memory is planned" "$out"
run --plan -m llama-3.1-8b -g ascend-910b --engine tensorrt-llm
assert_contains "TensorRT-LLM" "TensorRT-LLM does not run on Huawei accelerators" "$out"

# where spot costs more than on demand, it says so
mkdir -p "$work/dear/prices"
cat >"$work/dear/prices/dear.cfg" <<'CFG'
provider = "dear";
instances = ( { type = "one"; gpu = "l4"; count = 1; on_demand = 1.0; spot = 1.5; } );
CFG
run --plan -m 8B -g l4 --profiles "$work/dear"
assert_contains "dear spot" "dearer than on demand" "$out"

assert_fails 2 "does not take this option" --plan -m llama-3.1-8b --sort cost
assert_fails 2 "unknown command" --plam -m llama-3.1-8b
assert_fails 3 "not a model file" --plan -m /etc/passwd
assert_fails 3 "/nonexistent/model" --plan -m /nonexistent/model
assert_fails 2 "not a terminal"
mkdir "$work/readonly"
assert_fails 3 "$work/no/such" --plan -m llama-3.1-8b -g h100-sxm -o "$work/no/such/file"

# ---- which sampler: it may decide, and only where it may be installed -----------------------

sampler="warning: planned with vLLM's own sampler; FlashInfer's (installed,"
run --plan -m gpt-oss-120b -g h100-sxm:1 --engine vllm@0.10.2 -c 4096 -u 96
assert_contains "gpt-oss-120b on an H100 may fit" "MARGINAL on 1 x NVIDIA H100" "$out"
assert_contains "by the sampler" "$sampler" "$out"
run --plan -m gpt-oss-120b -g h100-sxm -u 64 --engine vllm@0.10.2 --why
assert_contains "--why has its copies" "FlashInfer's where installed 3" "$out"
run --plan -m gpt-oss-120b -g h100-sxm -u 64 --engine vllm@0.13 --why
assert_lacks "and not in the version after" "where installed 3" "$out"
mkdir -p "$work/more/engines"
sed 's/logit_copies_low = 3;/logit_copies_low = 12;/' "$src/profiles/engines/vllm.cfg" \
    >"$work/more/engines/vllm.cfg"
run --plan -m 8B --engine vllm@0.10.2 --profiles "$work/more"
assert_contains "more copies at the low end than at the value" \
    "ranges[1].logit_copies_low: is more than logit_copies" "$err"
for case in "gpt-oss-120b -g h100-sxm:2 --engine vllm@0.10.2" "gpt-oss-120b -g h100-sxm:1" \
    "llama-3.1-70b -g mi300x:1 --engine vllm@0.10.2 -u 64"; do
    # shellcheck disable=SC2086
    run --plan -m $case
    assert_lacks "not $case" "own sampler" "$out"
done

# ---- a context beyond the trained one, by YaRN where the model's makers name it ---------------

run --plan -m qwen3-32b -g h100-sxm:2 -c 128k -u 4
assert_eq "it fits" 0 "$rc"
assert_contains "said how" "a context beyond 40,960 tokens needs YaRN, factor 4," "$out"
run --launch vllm -m qwen3-32b -g h100-sxm:2 -c 64k
assert_contains "the least factor" "--hf-overrides '{\"rope_parameters\": {\"rope_type\": \"yarn\", \"factor\": 2.0," "$out"
run --launch sglang -m qwen3-32b -g h100-sxm:2 -c 128k --engine sglang
assert_contains "SGLang's own check is off" "SGLANG_ALLOW_OVERWRITE_LONGER_CONTEXT_LEN=1" "$out"
run --launch llama.cpp -m qwen3-32b -g h100-sxm:2 -c 128k --engine llama.cpp
assert_contains "llama.cpp" "--rope-scaling yarn" "$out"
for case in "qwen3-32b -c 128k --engine ollama" "qwen3-0.6b -c 64k"; do
    # shellcheck disable=SC2086
    run --plan -g h100-sxm -m $case
    assert_contains "none for $case" "the 40,960 the model was made for" "$out"
done
# vLLM refuses more than the 32768 of an Instruct's config.json: github modelscope/ms-swift#3907.
for case in "Qwen/Qwen2.5-7B-Instruct -c 128k" "qwen2.5-32b -c 48k" "Qwen/QwQ-32B -c 128k"; do
    # shellcheck disable=SC2086
    run --launch vllm -g h100-sxm:4 -m $case
    assert_contains "a launch of $case" '"rope_type": "yarn"' "$out"
done
run --plan -m Qwen/Qwen2.5-Math-7B-Instruct -g h100-sxm -c 8k
assert_contains "none said of Math" "the 4,096 the model was made for" "$out"
for case in "qwen3-32b -c 40960" "qwen3-30b-a3b-instruct-2507 -c 128k" "moonshotai/Kimi-Dev-72B -c 128k"; do
    # shellcheck disable=SC2086
    run --plan -g h200-sxm -m $case
    assert_lacks "not needed by $case" "YaRN" "$out"
done

# in one answer each format has its own release: int4-awq's MLPs are padded, so that TP 4 cuts them
run --compare -m qwen2.5-72b -p fp16 -p int4-awq -g rtx-3090 --engine sglang -c 64k -u 1 --dp 1 -f csv
assert_contains "a release of each format" ",int4-awq,no,bf16,SGLang 0.5.23+,fits,4,4,1," "$out"
run --plan -m qwen3-32b -g h100-sxm -c 256k
assert_contains "beyond YaRN, too" "exceed the 131,072 the model was made for" "$out"
assert_contains "all of it first, on as many as that takes" \
    "cure     a shorter context: 131,072 tokens, \$6.98/h" "$out"

# ---- a release that came before the model -----------------------------------------------------

while read -r model engine words; do
    run --plan -m "$model" -g h200-sxm --engine "$engine"
    assert_contains "$model with $engine" "$words" "$out"
done <<'END'
gpt-oss-120b vllm@0.9.2 gpt_oss models need vLLM 0.10.1 or newer
gpt-oss-120b vllm@v0.10.0 cure     with vLLM 0.33+
qwen3.5-27b sglang@0.5.3 qwen3_5 models need SGLang 0.5.9 or newer
gpt-oss-120b vllm@0.10.1 FITS on
gpt-oss-120b vllm@0.10 FITS on
qwen3-8b vllm@0.7.2 FITS on
qwen3-30b-a3b vllm@0.8.3 qwen3_moe models need vLLM 0.8.4 or newer
END
mkdir -p "$work/families/engines"
for row in "x.y gpt_oss" "0.10.1" "gpt_oss"; do
    sed "s/\"0.10.1 gpt_oss glm4v_moe\"/\"$row\"/" "$src/profiles/engines/vllm.cfg" \
        >"$work/families/engines/vllm.cfg"
    run --plan -m 8B --profiles "$work/families"
    assert_contains "no row: $row" "families: \"$row\" is not a version and families" "$err"
done
families=$(sed -n 's/.*family = "\([^"]*\)".*/\1/p' "$src"/profiles/models/*.cfg)
for family in $(sed -n '/^families = \[/,/^\]/s/^ *"[0-9.]* \([^"]*\)".*/\1/p' "$src"/profiles/engines/*.cfg); do
    assert_eq "models of $family" "$family" "$(printf '%s\n' "$families" | grep -x -m 1 "$family")"
done

finish
