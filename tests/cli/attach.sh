#!/bin/sh
# attach.sh - gpuplan --attach: a server's metrics page against the plan. The pages have the
# names that the engines' sources have and made-up values; one pair is of a run of llama-server
# (tests/fixtures/metrics, whose first lines say which).

. "${srcdir:-.}/tests/cli/lib.sh"
cd "$work" || exit 99
pages=$src/tests/fixtures/metrics
GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW

seen() {
    assert_eq "$1 as seen" "$2" "$(printf '%s\n' "$out" | awk -v t="$1" '$1 == t {print $3}')"
}

# ---- one page: since the start ----
run --attach "$pages/vllm-0.33-idle-pool.txt" -g h100-sxm
assert_eq "exit code" 0 "$rc"
assert_contains "what binds" "load: nothing binds: the KV pool is mostly empty" "$out"
assert_contains "what is wasted" "wasted: 97 % of the KV pool" "$out"
assert_contains "planned as it is served" \
    "llama-3.1-8b on 1 x h100-sxm, TP 1, vllm; 6 users of 1000 + 250 tokens" "$out"
seen running 6.0
seen kv_usage 3.0
seen kv_cache_tokens 432000
seen ttft 40.0
seen ttft_p50 250.0
seen ttft_p95 1000.0
seen tpot 7.00
seen prefix_hit 10.0
assert_contains "of the start" "since the server started" "$out"

# ---- two pages: rates, and what was between them ----
run --attach "$pages/vllm-0.33-first.txt" "$pages/vllm-0.33-full.txt" --interval 60 -g h100-sxm
assert_contains "what binds" "kv-preempts:" "$out"
assert_contains "the engine's option, and its value" \
    "flag: --max-num-seqs $((300 * 100 / 97))" "$out" # the lengths alone make $((432000 / 1125))
seen preempted 6.67
seen output_tokens_per_s 2500.0
seen requests_per_s 10.000
seen ttft 1900.0
assert_lacks "no note of one page" "since the server started" "$out"
run --attach "$pages/vllm-0.33-full.txt" "$pages/vllm-0.33-first.txt" --interval 60 -g h100-sxm
assert_eq "the wrong way round: exit code" 3 "$rc"
assert_contains "counters went back" "counts less than the page before" "$err"
run --attach "$pages/vllm-0.33-first.txt" "$pages/sglang-0.5.23.txt" --interval 60 -g h100-sxm
assert_contains "two engines" "is of another engine" "$err"
cp "$pages/vllm-0.33-first.txt" a.txt
cp "$pages/vllm-0.33-full.txt" b.txt
touch -d '2026-11-21 10:00:00' a.txt
touch -d '2026-11-21 10:02:00' b.txt
run --attach a.txt b.txt -g h100-sxm
seen requests_per_s 5.000
touch -d '2026-11-21 09:00:00' b.txt
run --attach a.txt b.txt -g h100-sxm
assert_eq "time unknown: exit code" 2 "$rc"

# ---- other engines, other rules ----
run --attach "$pages/sglang-0.5.23.txt" -g h100-sxm
assert_contains "SGLang: the pool is full" "kv-pool:" "$out"
assert_contains "its own option" "flag: --kv-cache-dtype fp8" "$out"
seen kv_cache_tokens 60000
run --attach "$pages/tensorrt-llm.txt" -g b200:8 --tp 8
assert_contains "TensorRT-LLM" "deepseek-r1 on 8 x b200, TP 8, tensorrt-llm; 12 users" "$out"
seen tpot 15.00
run --attach "$pages/llama.cpp-own-run-first.txt" "$pages/llama.cpp-own-run-second.txt" \
    --interval 60 -m llama-3.2-1b -p fp16 -g l4
assert_contains "llama.cpp" "llama.cpp" "$out"
a=$(awk '$1 ~ /^llamacpp:prompt_tokens_total/ {t = $2} $1 ~ /^llamacpp:prompt_seconds_total/ {s = $2}
         END {print t, s}' "$pages/llama.cpp-own-run-first.txt")
b=$(awk '$1 ~ /^llamacpp:prompt_tokens_total/ {t = $2} $1 ~ /^llamacpp:prompt_seconds_total/ {s = $2}
         END {print t, s}' "$pages/llama.cpp-own-run-second.txt")
seen prompt_tokens_per_s "$(echo "$a $b" | awk '{printf "%.1f", ($3 - $1) / ($4 - $2)}')"
sed 's/waiting{\(.*\)} .*/waiting{\1} 8/; s/running{\(.*\)} .*/running{\1} 64/' \
    "$pages/vllm-0.33-idle-pool.txt" >slots.txt
run --attach slots.txt -g h100-sxm --max-num-seqs 64
assert_contains "slots" "slots: every slot is taken while the KV pool has room" "$out"
sed 's/^\(vllm:inter_token.*_sum{.*}\) .*/\1 9e9/; s/^\(vllm:request_time_per.*_sum{.*}\) .*/\1 900/' \
    "$pages/vllm-0.33-idle-pool.txt" >slow.txt
run --attach slow.txt -g h100-sxm
assert_contains "slower than planned" "decode: output tokens take longer than planned" "$out"
assert_contains "where to look" "--bench --diagnose" "$out"

# ---- an overloaded server: what runs is planned, advice is bounded by what is seen ----
page() { # MODEL RUNNING WAITING USAGE, no histogram of lengths: 10,000,000 / 5,000 tokens
    label="{engine=\"0\",model_name=\"$1\"}"
    printf 'vllm:%s %s\n' "num_requests_running$label" "$2" "num_requests_waiting$label" "$3" \
        "kv_cache_usage_perc$label" "$4" "num_preemptions_total$label" 230 \
        'cache_config_info{block_size="16",num_gpu_blocks="19378"}' 1 \
        "prompt_tokens_total$label" 10000000 "generation_tokens_total$label" 2500000 \
        "request_success_total$label" 5000 "inter_token_latency_seconds_sum$label" 11374.4 \
        "inter_token_latency_seconds_count$label" 398400
}
page Qwen/Qwen3-32B 48 12 0.97 >over.txt
for gpus in "h100-sxm --tp 2" "h100-sxm:2" "h100-sxm:2 --tp 2 --pp 1 --replicas 1"; do
    # shellcheck disable=SC2086 # a GPU and options
    run --attach over.txt -g $gpus
    assert_contains "$gpus: one replica, no pipeline, lengths by the totals" \
        "qwen3-32b on 2 x h100-sxm, TP 2, vllm; 60 users of 2000 + 500 tokens" "$out"
    assert_contains "$gpus: no more than the pool is seen to hold" "flag: --max-num-seqs 49" "$out"
done
run --attach over.txt -g h100-sxm --tp 2 --pp 2
assert_contains "as it is told" "4 x h100-sxm, TP 2 x PP 2" "$out"
run --attach over.txt -g h100-sxm --tp 2 --replicas 2
assert_contains "as it is told" "4 x h100-sxm, TP 2 x 2 replicas" "$out"
page Qwen/Qwen3-32B 150 500 0.97 >over.txt
run --attach over.txt -g h100-sxm:2
assert_contains "too many at once" "650 users of 2000 + 500 tokens: does-not-fit" "$out"
assert_contains "are compared all the same" "650 requests at once are more than the pool holds" "$out"
predicted() {
    printf '%s\n' "$out" | awk -v t="$1" '$1 == t {sub("~", "", $(NF - 4)); print int($(NF - 4))}'
}
assert_true "a speed" test "$(predicted tpot)" -gt 0
assert_eq "all of them run or wait" 650 "$(($(predicted running) + $(predicted waiting)))"
run --attach over.txt -g h100-sxm:2 --format json
assert_eq "users" "650 does-not-fit" "$(json users verdict | tr '\n' ' ' | sed 's/ $//')"
page Qwen/Qwen3-32B 48 0 0.5 | sed '/tokens_total/d' >over.txt
run --attach over.txt -g h100-sxm:2
assert_contains "no lengths at all" "the page does not tell how long requests are: 1024 + 256" "$out"
page meta-llama/Llama-3.1-405B 48 0 0.5 >over.txt
run --attach over.txt -g l4
assert_contains "it runs, so the plan differs" "by the plan this server could not start" "$out"
page Qwen/Qwen3-32B 4 0 0.5 | sed '/prompt_tokens/s/ [0-9]*$/ 60000000/' >over.txt
run --attach over.txt -g h100-sxm:2
assert_contains "longer than the default context" "4 users of 12000 + 500 tokens" "$out"
for url in http://localhost:8000 localhost:8000/metrics https://a.b/metrics; do
    run --attach "$url" -g l4
    assert_eq "$url" 2 "$rc"
    assert_contains "$url" "curl -s $url" "$err"
    assert_contains "$url" "/metrics | gpuplan --attach -" "$err"
done

# ---- pages that were cut off, or have other ends of lines ----
for n in 400 900 1500; do
    head -c $n "$pages/vllm-0.33-full.txt" >cut.txt
    run --attach cut.txt -g h100-sxm
    assert_eq "cut at $n" 0 "$rc"
    assert_contains "cut at $n: said so" "a page ends within a line" "$out"
done
run --attach "$pages/vllm-0.33-full.txt" -g h100-sxm
assert_lacks "whole" "ends within a line" "$out"
plain=$out
sed 's/$/\r/' "$pages/vllm-0.33-full.txt" >crlf.txt
run --attach crlf.txt -g h100-sxm
assert_eq "CRLF" "$plain" "$out"

# ---- piped, without a plan, and pages that are none ----
"$gp" --attach - -g h100-sxm -q <"$pages/vllm-0.33-idle-pool.txt" >piped
assert_eq "piped" load "$(cat piped)"
run --attach "$pages/llama.cpp-own-run-first.txt" -g l4
assert_eq "no model: exit code" 2 "$rc"
assert_contains "no model" "the page names no model; give --model" "$out"
cp "$src/NEWS" news.txt
run --attach news.txt
assert_eq "foreign: exit code" 3 "$rc"
assert_contains "foreign" "no metric of vLLM, SGLang, TensorRT-LLM or llama.cpp" "$err"
printf 'vllm:num_requests_running{model_name="\033[2J%%n"} 1e17\n' >odd.txt
run --attach odd.txt -m llama-3.1-8b -g l4
assert_lacks "no escape comes through" "$(printf '\033')" "$out$err"
run --attach
assert_eq "no page named" 2 "$rc"
# ---- two pages, or two servers, in one file ----
page=$src/tests/fixtures/metrics/vllm-0.33-first.txt
cat "$page" "$page" >"$work/twice.txt"
run --attach "$work/twice.txt" -m llama-3.1-8b -g h100-sxm
assert_contains "two pages in one file" "a series stands twice in a page" "$out"
sed 's/model_name="[^"]*"/model_name="another"/' "$page" | cat "$page" - >"$work/models.txt"
run --attach "$work/models.txt" -m llama-3.1-8b -g h100-sxm
assert_contains "two servers in one file" "a page is of several models" "$out"
for fixture in "$src"/tests/fixtures/metrics/*.txt; do
    run --attach "$fixture" -m llama-3.1-8b -g h100-sxm
    assert_lacks "one page: $fixture" "stands twice" "$out"
    assert_lacks "one server: $fixture" "several models" "$out"
done
finish
