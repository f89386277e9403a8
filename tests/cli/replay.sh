#!/bin/sh
# replay.sh - gpuplan --replay: arrivals, traces, what is written, and what is refused.

. "${srcdir:-.}/tests/cli/lib.sh"
cd "$work" || exit 99
frozen_catalogue
model="-m llama-3.1-8b -g h100-sxm"

# The value at a path of the JSON answer.
value() {
    json "$1.value"
}

# ---- the decision is in the first five lines, the same each time ----
# shellcheck disable=SC2086 # words
{
    run --replay $model --rate 4 --requests 300
    assert_eq "exit code" 0 "$rc"
    first=$out
    head5=$(printf '%s\n' "$out" | head -n 5)
    assert_contains "it keeps up" "KEEPS UP with" "$head5"
    assert_contains "p99 and its band" "p99" "$head5"
    assert_contains "what limits" "  limit    no request waits long" "$head5"
    assert_contains "price" "per million tokens" "$head5"
    run --replay $model --rate 4 --requests 300
    assert_eq "the same again" "$first" "$out"
    # a server that keeps up serves what arrives, however short the replay
    assert_eq "constant arrivals, served" "20.0" \
        "$("$gp" --replay $model --rate 20 --arrivals constant --requests 200 |
            sed -n 's/^ *price .*, \([0-9.]*\) requests.s$/\1/p' | awk '{ printf "%.1f", int($1 + 0.5) }')"
    run --replay $model --rate 4 --requests 300 --seed 2 -q
    assert_eq "in a word" "keeps up" "$out"
    run --replay $model:1 --rate 500 --requests 4000 -q
    assert_eq "too many" overloaded "$out"
    run --replay $model --rate 4 --requests 300 -f csv
    assert_contains "as rows" "ttft.p99," "$out"
    assert_contains "of shares, too" "utilisation,0." "$out"
    run --replay $model --rate 4 --requests 300 --ttft 1
    assert_eq "exit code of a goal that is missed" 1 "$rc"
    assert_contains "said so" "goal 1 ms at p95: missed" "$out"
    assert_contains "none is within it" "goals    0 requests/s keep all of them (0 to 0), 0 for \$1" "$out"
    # an overloaded server keeps no goal: the low end tells where one of the replays is
    run --replay -m llama-3.1-70b -p fp8 -g h100-sxm:2 --rate 4 --ttft 2s --tpot 50ms
    assert_contains "one is overloaded" "overloaded in" "$out"
    assert_contains "goodput" "requests/s keep all of them (0 to " "$out"
    run --replay -m llama-3.1-70b -g l4:1
    assert_eq "exit code of what does not fit" 1 "$rc"
    assert_contains "no fit" "nothing was replayed" "$out"
}

# ---- the rate that keeps goals ----
# shellcheck disable=SC2086 # words
{
    run --replay $model:1 --requests 300 --solve rate --ttft-p99 500 -q
    rate=$out
    assert_eq "a rate" yes "$(awk -v r="$rate" 'BEGIN { print (r > 1) ? "yes" : "no" }')"
    run --replay $model:1 --requests 300 --solve rate --ttft-p99 500 --tpot-p99 12 -q
    assert_eq "another goal leaves less" yes \
        "$(awk -v a="$rate" -v b="$out" 'BEGIN { print b < a ? "yes" : "no" }')"
    run --replay $model:1 --requests 300 --solve rate --ttft-p99 500
    assert_contains "said first" "UP TO $rate requests/s (" "$(printf '%s\n' "$out" | head -n 1)"
    assert_contains "it is kept there" "at p99: kept" "$out"
    run --replay $model:1 --requests 300 --solve rate --ttft-p99 1
    assert_eq "exit code where not even one keeps it" 1 "$rc"
    assert_fails 2 "there is none" --replay $model --solve rate
    assert_fails 2 "not for users" --replay $model --solve users --ttft 100
    assert_fails 2 "given and asked for" --replay $model --rate 1 --solve rate --ttft 100
    assert_fails 2 "follows from a replay" --plan $model --solve rate
}

# ---- percentiles of a plan at a rate, and as goals ----
# shellcheck disable=SC2086 # words
if have_json; then
    run --replay $model:1 --rate 4 --format json
    for measure in ttft tpot itl e2e; do
        ends=$(for end in low high; do
            for p in p50 p90 p95 p99; do json "$measure.$p.$end"; done; done)
        assert_eq "ends of $measure rise with the percentile" "$ends" \
            "$(echo "$ends" | head -4 | sort -g)
$(echo "$ends" | tail -4 | sort -g)"
    done
    points=$(echo "$(value ttft.p95) $(value tpot.p50) $(value e2e.p99)" |
        awk '{ printf "%.4g %.4g %.4g", $1, $2, $3 * 1000 }')
    run --plan $model:1 --rate 4 --format json
    assert_eq "the plan's are the replay's" "$points" \
        "$(for k in ttft_p95 tpot_p50 e2e_p99; do value speed.percentiles.$k; done |
            awk '{ printf "%s%.4g", (NR > 1 ? " " : ""), $1 * 1000 }')"
    run --plan $model:1 -u 4 --format json
    assert_eq "none without a rate" null "$(json speed.percentiles)"
    for goal in ttft-p95:60 ttft-p99:40 tpot-p95:9 tpot-p99:8 e2e-p95:2400 e2e-p99:1900; do
        key=$(echo "${goal%:*}" | tr - _)
        run --plan $model --rate 30 --"${goal%:*}" "${goal#*:}" --format json
        assert_eq "kept, or said to be missed: $goal" yes \
            "$(awk -v v="$(value "speed.percentiles.$key")" -v goal="${goal#*:}" -v rc="$rc" \
                'BEGIN { print (v * 1000 <= goal * 1.0001) == (rc == 0) ? "yes" : "no" }')"
        gpus=$(json layout.gpus)
        run --plan $model --rate 30 --"${goal%:*}" $((${goal#*:} * 4)) --format json
        assert_eq "a looser goal needs no more: $goal" yes \
            "$([ "$(json layout.gpus)" -le "$gpus" ] && echo yes)"
    done
    run --compare -m llama-3.1-8b -g h100-sxm -g l4 --rate 8 --ttft-p99 400 --format json
    assert_contains "in a comparison" ttft_p99 "$out"
    assert_fails 2 "needs a rate" --plan $model -u 4 --ttft-p99 100
    run --plan -m llama-3.1-8b -g apple-m3-ultra --engine mlx --rate 1 --ttft-p99 900 --format json
    assert_eq "not where the scheduler is not known" marginal "$(json verdict.status)"
fi

# ---- figures that follow from each other ----
if have_json; then
    # shellcheck disable=SC2086 # words
    for kind in poisson constant gamma:0.7 burst closed; do
        load="--rate 4"
        [ "$kind" = closed ] || [ "$kind" = burst ] && load="-u 4"
        run --replay $model $load --arrivals $kind --requests 200 --format json
        assert_eq "exit code of $kind" 0 "$rc"
        assert_eq "all are answered: $kind" 200 "$(json completed)"
        assert_eq "in order: $kind" yes "$(awk -v a="$(value ttft.p50)" -v b="$(value ttft.p99)" \
            -v l="$(json ttft.p99.low)" -v h="$(json ttft.p99.high)" \
            'BEGIN { print a <= b && l <= b && b <= h ? "yes" : "no" }')"
    done
fi

# ---- limits: an idle server, more load, twice the GPUs ----
# as_loaded RATE OPTION...: p99 of TTFT and its band's width, of 1,000 requests
as_loaded() {
    run --replay -m llama-3.1-8b -g h100-sxm --rate "$@" --requests 1000 --format json
    echo "$(value ttft.p99) $(json ttft.p99.high)" \
        "$(awk -v l="$(json ttft.p99.low)" -v h="$(json ttft.p99.high)" 'BEGIN { print h / l }')"
}

if have_json; then
    for engine in vllm sglang tensorrt-llm llama.cpp; do
        idle="-m llama-3.1-8b -g h100-sxm:1 --engine $engine --rate 0.001"
        # shellcheck disable=SC2086 # words
        run --replay $idle --lengths fixed --requests 20 --format json
        seen=$(value ttft.p99)
        # shellcheck disable=SC2086 # words
        run --plan $idle --format json
        assert_eq "an idle server's TTFT is the plan's: $engine" yes "$(awk -v a="$seen" \
            -v b="$(value speed.ttft_idle)" \
            'BEGIN { r = a / b / 1000; print (r > 0.999 && r < 1.001) ? "yes" : a " " b }')"
    done
    before="0 0 0"
    for rate in 1 4 7; do
        now=$(as_loaded "$rate" --replicas 1)
        assert_eq "a band is no narrower with more load: $rate" yes \
            "$(echo "$before $now" | awk '{ print ($6 >= $3 && $4 >= $1) ? "yes" : $0 }')"
        before=$now
        assert_eq "twice the GPUs are not slower: $rate" yes \
            "$(echo "$now $(as_loaded "$rate" --replicas 2)" | awk '{ print ($4 <= $2) ? "yes" : $0 }')"
    done
fi

# ---- prompts that come again: while the pool holds them ----
if have_json; then
    set -- --replay -m llama-3.1-8b --engine vllm@0.8.5 --rate 4 --requests 200 --prompt 206 \
        --prompt-stddev 206 --output-tokens 199 --distinct-prompts 200 --format json
    run "$@" -g h100-pcie:1
    hits=$(json hit_rate)
    ttft=$(value ttft.p99)
    assert_eq "an 80 GB card has them all" yes \
        "$(awk -v h="$hits" 'BEGIN { print (h > 0.9) ? "yes" : h }')"
    run "$@" -g rtx-4090:1
    assert_eq "a 24 GB card none" yes \
        "$(awk -v h="$(json hit_rate)" 'BEGIN { print (h < 0.1) ? "yes" : h }')"
    run --replay -m llama-3.1-8b --engine vllm@0.8.5 --rate 4 --requests 200 --prompt 206 \
        --prompt-stddev 206 --output-tokens 199 --format json -g h100-pcie:1
    assert_eq "sooner than new ones" yes \
        "$(awk -v a="$ttft" -v b="$(value ttft.p99)" 'BEGIN { print (a < b) ? "yes" : a " " b }')"
fi

# ---- traces, and files beside the answer ----
cat >trace.csv <<'END'
TIMESTAMP,ContextTokens,GeneratedTokens
2023-11-16 18:17:03.97,1000,10
2023-11-16 18:17:04.03,2000,20
2023-11-16 18:17:09.03,500,1
END
cat >trace.jsonl <<'END'
{"timestamp": 0, "input_length": 1100, "output_length": 5, "hash_ids": [1, 2]}
{"timestamp": 2000, "input_length": 1100, "output_length": 5, "hash_ids": [1, 2, 3]}
{"timestamp": 4000, "input_length": 1100, "output_length": 5, "hash_ids": [1, 9]}
END
# shellcheck disable=SC2086 # words
{
    run --replay trace.csv $model --requests-out requests.csv --timeline time.csv
    assert_eq "exit code of a trace" 0 "$rc"
    assert_contains "its requests" "3 requests in" "$out"
    assert_eq "a line each" 4 "$(wc -l <requests.csv | tr -d ' ')"
    assert_contains "its columns" "id,arrival_s,queue_s,ttft_s,tpot_s,e2e_s" "$(cat requests.csv)"
    assert_contains "an answer of one token has no TPOT" ",,0." "$(tail -n 1 requests.csv)"
    assert_eq "spans of time" 501 "$(wc -l <time.csv | tr -d ' ')"
    run --replay trace.jsonl $model
    assert_contains "what they share is cached" "47 % of the prompts' tokens cached" "$out"
    run --replay trace.jsonl --trace trace.csv $model
    assert_eq "exit code of two traces" 2 "$rc"
}

# ---- sessions: drawn, and of a trace ----
cat >chat.jsonl <<'END'
{"arrival": 0, "prompt": 800, "output": 64, "session": "a"}
{"arrival": 0.5, "prompt": 400, "output": 32, "session": 7}
{"arrival": 1, "prompt": 1000, "output": 64, "session": "a"}
{"arrival": 1, "prompt": 500, "output": 32, "session": 7, "think": 60}
{"arrival": 90, "prompt": 1000, "output": 64, "session": "a"}
END
cat >chat.csv <<'END'
TIMESTAMP,ContextTokens,GeneratedTokens,session
2023-11-16 18:17:03,800,64,a
2023-11-16 18:17:20,1000,64,a
2023-11-16 18:17:30,1000,64,
END
# shellcheck disable=SC2086 # words
{
    run --replay chat.jsonl $model:1 --requests-out chat.out
    assert_contains "counted" "2 sessions; of their history 98 % found" "$out"
    # 863 and 431 tokens in blocks of 16; of the third, too short for its answer, the prompt
    assert_eq "what each found" "0 0 848 416 992" "$(awk -F, 'NR > 1 { printf "%s%s", s, $8; s = " " }' chat.out)"
    assert_eq "a minute after the answer" 60 "$(awk -F, 'NR == 5 { print int($2) }' chat.out)"
    run --replay chat.csv $model:1
    assert_contains "a column of CSV" "of their history 98 % found" "$out"
    chat="--rate 6 --turns 4 --prompt 500 --output-tokens 150 --requests 400"
    run --replay $model:2 --replicas 2 $chat --router session
    assert_contains "each turn finds what was" "4 turns, the next 30 s after the answer; of their history 9" "$out"
    assert_contains "as many as were asked for" "KEEPS UP with 6 requests/s" "$out"
    # what the pool has no room for comes back from host memory
    small="-m llama-3.1-8b -g rtx-4090:1 --rate 1.5 --turns 4 --prompt 900 --output-tokens 150 --requests 300 --think-time 60"
    for engine in vllm sglang; do
        run --replay $small --engine $engine
        assert_lacks "nothing without it: $engine" "in host memory" "$out"
        run --replay $small --engine $engine --kv-offload-gb 200
        assert_contains "kept there: $engine" "% in host memory)" "$out"
        assert_contains "all of it: $engine" "of their history 100 %" "$(echo $out)"
    done
    run --replay $model:1 -u 8 --turns 4 --prompt 500 --output-tokens 150 --requests 100
    assert_contains "of users" "the next at once after the answer" "$out"
    if have_json; then
        for engine in vllm sglang tensorrt-llm llama.cpp; do
            for router in session least-load; do
                run --replay $model:2 --replicas 2 $chat --router $router --engine $engine --format json
                [ $router = session ] && kept=$(json sessions.found)
            done
            assert_eq "where it was, more is found: $engine" yes \
                "$(awk -v a="$kept" -v b="$(json sessions.found)" -v h="$(json sessions.history)" \
                    'BEGIN { print (a > b && a <= h) ? "yes" : "no" }')"
        done
    fi
    assert_fails 2 "have no turn to think about" --replay $model --rate 4 --think-time 3
    assert_fails 2 "a trace has sessions of its own" --replay chat.csv $model --turns 3
    assert_fails 2 "is replayed" --replay $model --rate 4 --turns 3 --prefix-hit 0.5
    echo '{"arrival": 0, "prompt": 8, "output": 6, "session": [1]}' >bad.jsonl
    assert_fails 3 "bad.jsonl:1: session is neither" --replay bad.jsonl $model
    echo '{"arrival": 0, "prompt": 8, "output": 6, "think": 5}' >bad.jsonl
    assert_fails 3 "bad.jsonl:1: think is not seconds" --replay bad.jsonl $model
}

# ---- a replica is lost, another one starts ----
# shellcheck disable=SC2086 # words
{
    fleet="-m llama-3.1-8b -g h100-sxm:3 --replicas 3 --prompt 2000 --output-tokens 300"
    run --replay $fleet --rate 20 --lose-replica-at 20
    assert_contains "what began again" "  lost     1 of 3 replicas after 20 s: " "$out"
    assert_contains "before and after" "without it TTFT" "$out"
    run --replay $fleet --rate 30 --lose-replica-at 30 -q
    assert_eq "the others cannot keep up" overloaded "$out"
    run --replay $model:1 --replicas 1 --rate 4 --requests 200 --lose-replica-at 20 --add-replica-at 20 --cold-start 10
    assert_contains "one in its place" "  added    1 serves after 30 s, started 10 s before" "$out"
    if have_json; then
        for loss in "--seed 24301" "--lose-replica-at 30"; do
            run --replay $fleet --rate 20 $loss --format json
            echo "$(value ttft.p99) $(value e2e.p99)"
        done >losses
        assert_eq "not for the better" yes "$(awk 'NR == 2 { print ($1 > t && $2 > e) ? "yes" : "no" }
            { t = $1; e = $2 }' losses)"
    fi
    assert_fails 2 "the replica goes after 9000 s" --replay $fleet --rate 20 --lose-replica-at 9000
    assert_fails 2 "the replica serves after 9050 s" \
        --replay $fleet --rate 20 --add-replica-at 9000 --cold-start 50
    assert_fails 2 "nothing would be served without it" --replay $model:1 --rate 4 --lose-replica-at 9
    assert_fails 2 "no replica is started" --replay $model --rate 4 --cold-start 9
    assert_fails 2 "replicas that stay" --replay $model --solve rate --ttft-p99 200 --lose-replica-at 9
}

# ---- prompts worked off apart ----
# shellcheck disable=SC2086 # words
{
    apart="-m llama-3.1-8b -g h100-sxm:2 --prompt 2000 --output-tokens 200"
    run --replay $apart --rate 4 --requests 300 --disaggregate 1:1
    assert_contains "both kinds" "(1 prefill, 1 decode)" "$out"
    if have_json; then
        # an idle server's TTFT is the plan's: within a step
        run --replay $apart --rate 0.1 --requests 50 --disaggregate 1:1 --format json
        seen=$(value ttft.p50)
        run --plan $apart --rate 0.1 --disaggregate 1:1 --format json
        assert_eq "alone it takes what the plan says" yes \
            "$(awk -v a="$seen" -v b="$(value speed.ttft)" -v t="$(value speed.tpot)" \
                'BEGIN { d = a - b * 1000; print (d * d < t * t * 1e6) ? "yes" : "no" }')"
    fi
    assert_fails 2 "nothing would be served without it" --replay $apart --rate 4 \
        --disaggregate 1:1 --lose-replica-at 9
}

# ---- a day whose rate differs by the hour ----
{
    echo 'name = "day"; hours = [ 1, 2, 3,'
    for _ in $(seq 20); do printf ' 2,'; done
    echo ' 2 ];'
} >day.cfg
if have_json; then
    # shellcheck disable=SC2086 # words
    run --replay $model:1 --rate 2 --arrivals ./day.cfg --duration 10800 --tpot-p99 8.1 --format json
    assert_eq "exit code of a day" 0 "$((rc & ~1))"
    assert_eq "an hour each" 3 "$(json hours.#)"
    assert_eq "as many as its share" yes \
        "$(json hours.0.requests hours.1.requests hours.2.requests | tr '\n' ' ' |
            awk '{ a = 3600 * 48 / 48
                   ok = ($1 - a) ^ 2 < 16 * a && ($2 - 2 * a) ^ 2 < 32 * a && ($3 - 3 * a) ^ 2 < 48 * a
                   print ok ? "yes" : "no" }')"
    assert_eq "more is slower" yes "$(json hours.0.tpot_p99 hours.2.tpot_p99 | tr '\n' ' ' |
        awk '{ print $1 < $2 ? "yes" : "no" }')"
    assert_eq "and cured at the busiest hour's rate" "$(json hours.2.requests)" \
        "$(json cure.rate | awk '{ printf "%.0f", $1 * 3600 }')"
    # shellcheck disable=SC2086 # words
    run --replay $model:1 --rate 2 --arrivals ./day.cfg --duration 10800 --tpot-p99 8.1
    assert_contains "said by its name" ", first 02:00" "$out"
    assert_contains "what cures it" "  cure     " "$out"
fi

# ---- results of benchmarks: the same requests in each form are the same truth ----
# shellcheck disable=SC2086 # words
run --replay $model:1 --rate 6 --requests 200 --requests-out own.csv

# FORM: the requests of own.csv as that benchmark writes them
bench_of() {
    awk -F, -v form="$1" 'BEGIN { n = 0 }
    NR > 1 {
        at[n] = $2; ttft[n] = $4; e2e[n] = $6; p[n] = $7; o[n] = $9; n++
    }
    function list(name, v, i) {
        printf "\"%s\": [", name
        for (i = 0; i < n; i++) printf "%s%s", i ? ", " : "", v[i]
        printf "]"
    }
    END {
        if (form == "vllm" || form == "sglang") {
            printf "{\"request_rate\": %s, \"max_concurrency\": null, \"mean_ttft_ms\": NaN, ",
                form == "vllm" ? 6 : "6.0"
            list("input_lens", p); printf ", "; list("output_lens", o); printf ", "
            list("ttfts", ttft); printf ", "
            if (form == "vllm") { list("start_times", at); printf ", " }
            printf "\"itls\": ["
            for (i = 0; i < n; i++) printf "%s[%.9f]", i ? ", " : "", e2e[i] - ttft[i]
            print "]}"
        } else if (form == "guidellm") {
            printf "{\"benchmarks\": [{\"requests\": {\"successful\": [\n"
            for (i = n - 1; i >= 0; i--)
                printf "{\"start_time\": %.6f, \"time_to_first_token_ms\": %.6f, " \
                    "\"request_latency\": %.6f, \"prompt_tokens\": %d, \"output_tokens\": %d}%s\n",
                    1e9 + at[i], 1e3 * ttft[i], e2e[i], p[i], o[i], i ? "," : ""
            print "]}}]}"
        } else if (form == "aiperf") {
            for (i = 0; i < n; i++)
                printf "{\"metadata\": {\"request_start_ns\": %.0f}, \"metrics\": {" \
                    "\"time_to_first_token\": {\"value\": %.6f, \"unit\": \"ms\"}, " \
                    "\"request_latency\": {\"value\": %.6f}, \"input_sequence_length\": " \
                    "{\"value\": %d}, \"output_sequence_length\": {\"value\": %d}}}\n",
                    1e9 * at[i], 1e3 * ttft[i], 1e3 * e2e[i], p[i], o[i]
        } else {
            print "["
            for (i = 0; i < n; i++)
                printf "{\"start_time\": %.6f, \"end_time\": %.6f, \"info\": {\"input_tokens\": %d, " \
                    "\"output_tokens\": %d, \"output_token_times\": [%.6f]}}%s\n",
                    at[i], at[i] + e2e[i], p[i], o[i], at[i] + ttft[i], i < n - 1 ? "," : ""
            print "]"
        }
    }' own.csv
}

if have_json; then
    for form in vllm sglang guidellm aiperf inference-perf; do
        bench_of $form >bench.json
        # shellcheck disable=SC2086 # words
        run --replay bench.json $model:1 --format json
        assert_eq "exit code of $form" 0 "$rc"
        assert_eq "all of its requests: $form" 200 "$(json measured.requests)"
        [ $form = sglang ] && continue # tells no times: arrivals are drawn anew
        assert_eq "its truth is the replay: $form" yes "$(
            for k in ttft_p50:ttft.p50:1000 ttft_p99:ttft.p99:1000 e2e_p95:e2e.p95:1; do
                p=${k#*:}
                echo "$(json measured.${k%%:*}) $(value ${p%:*}) ${p#*:}"
            done | awk '{ d = $1 * $3 / $2 - 1; if (d * d > 1e-6) bad = 1 }
                END { print bad ? "no" : "yes" }')"
    done
    bench_of vllm | sed 's/"request_rate": 6, "max_concurrency": null/"request_rate": "inf", "max_concurrency": 8/' >bench.json
    # shellcheck disable=SC2086 # words
    run --replay bench.json $model:1
    assert_contains "a closed loop asks again" "KEEPS UP with 8 requests in flight" "$out"
    assert_contains "beside what was measured" "  measured TTFT p50" "$out"
fi
echo '{"mean_ttft_ms": 40, "completed": 5}' >bench.json
# shellcheck disable=SC2086 # words
assert_fails 3 "has no requests one by one" --replay bench.json $model:1

# ---- the load of a running server, and twice that ----
cat >metrics.txt <<'END'
vllm:num_requests_running{model_name="llama-3.1-8b"} 12.0
vllm:num_requests_waiting{model_name="llama-3.1-8b"} 0.0
vllm:request_prompt_tokens_sum{model_name="llama-3.1-8b"} 80000
vllm:request_prompt_tokens_count{model_name="llama-3.1-8b"} 100
vllm:request_generation_tokens_sum{model_name="llama-3.1-8b"} 20000
vllm:request_generation_tokens_count{model_name="llama-3.1-8b"} 100
END
run --replay --like metrics.txt -g h100-sxm:1 --requests 200
assert_contains "as many as were in flight" "KEEPS UP with 12 requests in flight" "$out"
once=$out
run --replay $model:1 -u 12 --engine vllm --prompt 800 --output-tokens 200 --pp 1 --replicas 1 --ep 1 \
    --requests 200
assert_eq "the same as said in options" "$once" "$out"
run --replay --like metrics.txt -g h100-sxm:1 --requests 200 --scale 2
assert_contains "twice the users" "KEEPS UP with 24 requests in flight" "$out"
# a page's histograms say how lengths differ: the requests do not run in step
{
    cat metrics.txt
    for of in prompt generation; do
        for b in 100:10 200:50 500:80 1000:95 2000:100; do
            echo "vllm:request_${of}_tokens_bucket{le=\"${b%:*}\",model_name=\"llama-3.1-8b\"} ${b#*:}"
        done
    done
} >spread.txt
if have_json; then
    run --replay --like spread.txt -g h100-sxm:1 --requests 200 --format json
    assert_eq "p99 above the middle" yes \
        "$(awk -v a="$(value e2e.p50)" -v b="$(value e2e.p99)" 'BEGIN { print (b > 1.5 * a) ? "yes" : a " " b }')"
fi
assert_fails 2 "no load to scale" --replay -m llama-3.1-8b -g h100-sxm --scale 2
# a trace keeps its own times: 90 requests in 30 s, then one a second for 120 s
awk 'BEGIN { print "Timestamp,Request tokens,Response tokens"
    for (i = 0; i < 90; i++) print i / 3 ",100,5"
    for (i = 0; i < 120; i++) print 30 + i ",100,5" }' >uneven.csv
if have_json; then
    # shellcheck disable=SC2086 # words
    run --replay uneven.csv $model:1 --format json
    assert_eq "as long as it was" 149 "$(json duration.value | sed 's/\..*//')"
    # shellcheck disable=SC2086 # words
    run --replay uneven.csv $model:1 --scale 2 --format json
    assert_eq "twice as fast" 74 "$(json duration.value | sed 's/\..*//')"
fi

# ---- a server that is as the law says is corrected by nothing, not by the queue of a burst or of
# ---- more than it serves
own() { # figures of the last answer as a benchmark writes them; its rate, 0: all at once
    printf '{"completed": 1000, "total_input_tokens": 1024000, "total_output_tokens": 256000, '
    printf '"request_rate": %s, "duration": %s, ' "$1" "$(value duration)"
    printf '"mean_ttft_ms": %s, "median_ttft_ms": %s, ' "$(value ttft.mean)" "$(value ttft.p50)"
    printf '"mean_tpot_ms": %s, "median_tpot_ms": %s}\n' "$(value tpot.mean)" "$(value tpot.p50)"
}
# shellcheck disable=SC2086 # words
if have_json; then
    run --replay $model:1 --arrivals burst --requests 1000 --format json
    own 0 >burst.json
    for rate in 1 4 200; do
        run --replay $model:1 --rate $rate --requests 1000 --format json
        own $rate
    done >rates.json
    run --replay $model:1 --rate 2 --requests 1000 --format json
    first=$(value ttft.p50) each=$(value tpot.p50)
    for points in burst.json rates.json; do
        run --replay $model:1 --rate 2 --requests 1000 --calibration $points --format json
        for pair in "$first:$(value ttft.p50)" "$each:$(value tpot.p50)"; do
            assert_eq "as without $points: $pair" yes \
                "$(awk -v a="${pair%:*}" -v b="${pair#*:}" 'BEGIN {
                    print (b < 1.05 * a && b > a / 1.05) ? "yes" : "no" }')"
        done
    done
fi

# ---- refused, with what to do ----
printf '{"timestamp": 0, "input_length": 1.5, "output_length": 5}\n' >bad.jsonl
# shellcheck disable=SC2086 # words
{
    assert_fails 3 "bad.jsonl:1: input_length is not a number of tokens" --replay bad.jsonl $model
    printf '{"timestamp": 0, "output_length": 5}\n' >bad.jsonl
    assert_fails 3 "input_length is missing" --replay bad.jsonl $model
    assert_fails 2 "'sometimes' is no kind of arrivals" --replay $model --rate 4 --arrivals sometimes
    assert_fails 2 "10 million of a replay" --replay $model --rate 400 --arrivals ./day.cfg
    assert_fails 2 "need a rate" --replay $model -u 4 --arrivals office
    assert_fails 2 "outside 0.01..10000" --replay $model --rate 4 --arrivals gamma:0
    assert_fails 2 "poisson arrivals need a rate" --replay $model -u 4 --arrivals poisson
    assert_fails 2 "a closed loop has users" --replay $model --rate 4 --arrivals closed
    {
        printf '{"arrival": 0, "prompt": 900, "output": 200, "priority": 20}\n'
        printf '{"arrival": 0.1, "prompt": 900, "output": 200}\n'
    } >urgent.jsonl
    run --replay urgent.jsonl -m llama-3.1-8b -g l40s:1 --scheduling-policy priority
    assert_eq "by priority" 0 "$rc"
    assert_contains "each has its own percentiles" "TTFT of priority" "$out"
    run --replay urgent.jsonl -m llama-3.1-8b -g l40s:1 --engine sglang \
        --scheduling-policy low-first --format json
    assert_contains "of JSON" '"policy": "low-first"' "$out"
    assert_contains "none is told" '"priority": null' "$out"
    assert_fails 2 "no request goes before others in llama.cpp" --replay urgent.jsonl \
        -m llama-3.1-8b -p q4_k_m -g l40s:1 --scheduling-policy priority
    assert_fails 2 "no request goes before others in vLLM 0.8" --replay urgent.jsonl \
        -m llama-3.1-8b -g l40s:1 --engine vllm@0.8.5 --scheduling-policy priority
    assert_fails 2 "a trace has arrivals of its own" --replay trace.csv $model --arrivals burst
    assert_fails 2 "the scheduler of MLX" --replay -m llama-3.1-8b --engine mlx -g apple-m3-ultra:1 --rate 1
}

finish
