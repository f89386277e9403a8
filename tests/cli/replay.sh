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
    run --replay $model --rate 4 --requests 300 --ttft 1
    assert_eq "exit code of a goal that is missed" 1 "$rc"
    assert_contains "said so" "goal 1 ms at p95: missed" "$out"
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
    assert_fails 2 "a trace has arrivals of its own" --replay trace.csv $model --arrivals burst
    assert_fails 2 "the scheduler of MLX" --replay -m llama-3.1-8b --engine mlx -g apple-m3-ultra:1 --rate 1
}

finish
