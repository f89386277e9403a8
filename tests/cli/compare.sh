#!/bin/sh
# compare.sh - gpuplan --compare: rows, order, front, agreement with --plan.

. "${srcdir:-.}/tests/cli/lib.sh"

load="-m llama-3.1-70b -c 8k -u 16"
gpus=$(find "$src/profiles/gpus" -name "*.cfg" ! -name "*.set.cfg" | wc -l) # those of sets are named

# shellcheck disable=SC2086 # words
run --compare $load
assert_eq "exit code" 0 "$rc"
assert_contains "the load" "16 users of 1,280 tokens, each up to 8,192" "$(head -n 1 "$work/out")"
assert_contains "the cheapest first" "cheapest " "$(sed -n 2p "$work/out")"
assert_contains "then the fastest" "fastest " "$(sed -n 3p "$work/out")"
assert_contains "then the best value" "best value " "$(sed -n 4p "$work/out")"
assert_contains "units" "weights GiB" "$(sed -n 6p "$work/out")"
assert_eq "20 rows" 20 "$(sed -n '7,/^$/p' "$work/out" | grep -c .)"
assert_contains "of all" "20 of $((gpus * 3)) rows" "$out"
assert_contains "the legend names the front" "Front of \$/h against requests" "$out"

# the best are the best of all rows, whatever is shown
best=$(sed -n 2,4p "$work/out")
# shellcheck disable=SC2086
run --compare $load --top 3 --sort name
assert_eq "3 rows" 3 "$(sed -n '7,/^$/p' "$work/out" | grep -c .)"
assert_eq "the same best" "$best" "$(sed -n 2,4p "$work/out")"
# shellcheck disable=SC2086
run --compare $load -q
assert_eq "-q: these alone" "$best" "$out"
# columns for 80; a price where there is no list price
for cols in 80 100 132 200; do
    # shellcheck disable=SC2086
    out=$(COLUMNS=$cols "$gp" --compare $load --top 300)
    last="--compare on $cols columns"
    assert_true "no wider" [ "$(printf '%s\n' "$out" | wc -L)" -le "$cols" ]
done
assert_contains "a marketplace's price" m "$(printf '%s\n' "$out" | grep -E '^.. rtx-4090 .* [0-9.]+m ')"

# shellcheck disable=SC2086
run --compare $load --format csv
assert_eq "all GPUs x own, fp8 and int4-awq" $((gpus * 3 + 1)) "$(wc -l <"$work/out")"
# shellcheck disable=SC2086
run --compare $load --format markdown --top 300
assert_contains "Markdown" "| h100-sxm |" "$out"

if have_json; then
    # shellcheck disable=SC2086
    run --compare $load --format json
    assert_eq "schema" gpuplan.compare/1 "$(json schema)"
    assert_eq "rows" $((gpus * 3)) "$(json rows.#)"
    assert_eq "the cheapest that fits is first" fits "$(json rows.0.verdict)"
    assert_eq "and on the front" true "$(json rows.0.front)"

    # the same figures as --plan
    run --compare $load -g h100-sxm -p fp8 -f json
    assert_eq "one row" 1 "$(json rows.#)"
    weights=$(json rows.0.weights.value) pool=$(json rows.0.kv_pool.value)
    tp=$(json rows.0.tp) hour=$(json rows.0.per_hour.value)
    tokens=$(json rows.0.output_tokens_per_s.value)
    million=$(json rows.0.per_million_output_tokens.value)
    tpot=$(json rows.0.tpot.value)
    # shellcheck disable=SC2086
    run --plan $load -g h100-sxm -p fp8 -f json
    assert_eq "weights as --plan" "$(json memory.per_gpu.weights.value)" "$weights"
    assert_eq "pool as --plan" "$(json memory.per_gpu.kv_pool.value)" "$pool"
    assert_eq "TP as --plan" "$(json layout.tp)" "$tp"
    assert_eq "cost as --plan" "$(json cost.per_hour.value)" "$hour"
    assert_eq "tokens/s as --plan" "$(json speed.output_tokens_per_s.value)" "$tokens"
    assert_eq "\$/M as --plan" "$(json cost.per_million_output_tokens.value)" "$million"
    assert_eq "TPOT in ms, --plan's in s" "$(json speed.tpot.value)" \
        "$(awk "BEGIN { printf \"%.12g\", $tpot / 1000 }")"

    # counts, slices and precisions as given
    # shellcheck disable=SC2086
    run --compare $load -g h100-sxm:8 -g a100-sxm-80:4 -p fp16 -p int8 -f json
    assert_eq "2 GPUs x 2 precisions" 4 "$(json rows.#)"
    assert_contains "given counts" 8 "$(json rows.0.gpus) $(json rows.1.gpus) \
$(json rows.2.gpus) $(json rows.3.gpus)"

    # with goals of speed the front is that of the price of a token; orders by speed
    # shellcheck disable=SC2086
    run --compare -m llama-3.1-8b --tpot 20 -u 32 -p bf16 -g h100-sxm -g a100-sxm-80 -f json
    assert_eq "the whole band reaches the goal" met "$(json rows.0.goals)"
    assert_eq "the middle does" likely "$(json rows.1.goals)"
    run --compare -m llama-3.1-8b --tpot 20 -u 32 -p bf16 -g h100-sxm -g a100-sxm-80
    assert_contains "said to people in place of fits" "bf16       likely" "$out"
    # shellcheck disable=SC2086 # words
    run --compare $load -p fp8 --tpot 40 --sort million -f json
    assert_contains "front of the goals" "per_million_output_tokens" "$(json front)"
    assert_eq "the cheapest token is on it" true "$(json rows.0.front)"
    for order in tpot ttft tokens; do
        # shellcheck disable=SC2086
        run --compare $load -p fp8 -g h100-sxm -g l40s --sort "$order" -f json
        assert_eq "sorted by $order" "$order" "$(json request.sort)"
    done

    # a model published in fp8 has no second fp8 row
    run --compare -m deepseek-v3 -g h200-sxm -f json
    assert_eq "own precision only once" 2 "$(json rows.#)"
fi

# ---- order: by cost, what fits first and unknown cost last ----
# shellcheck disable=SC2086
run --compare $load --format csv
if command -v python3 >/dev/null 2>&1; then
    python3 - "$work/out" <<'PY'
import csv, sys
rows = list(csv.DictReader(open(sys.argv[1])))
rank = {'fits': 0, 'marginal': 1, 'does-not-fit': 2}
key = lambda r: (rank[r['verdict']], r['spans_machines'] == 'yes',
                 float(r['per_hour'] or 'inf'))
assert rows == sorted(rows, key=key), 'order'
fit = [(float(r['per_hour']), float(r['holds']), r) for r in rows
       if r['verdict'] == 'fits' and r['per_hour'] and r['spans_machines'] == 'no']
for cost, held, r in fit:
    beaten = any(c <= cost and h >= held and (c < cost or h > held) for c, h, _ in fit)
    assert (r['front'] == 'yes') != beaten, r
assert sum(r['front'] == 'yes' for r in rows) > 1
assert not any(r['front'] == 'yes' for r in rows
               if r['verdict'] != 'fits' or r['spans_machines'] == 'yes')
PY
    assert_eq "order and front, recomputed" 0 $?
fi
# shellcheck disable=SC2086
run --compare $load --sort name -f csv -q
cut -d, -f2 "$work/out" | sed 1d >"$work/names"
assert_true "by name" sort -c "$work/names"
# shellcheck disable=SC2086
run --compare $load -g h100-sxm -g l4 --sort gpus -p fp8 -f csv
assert_contains "by GPUs" "h100-sxm" "$(sed -n 2p "$work/out")"

# ---- engines: said once where all rows have one, else by each row ----
run --compare -m llama-3.1-8b -g l4 -g a10
assert_contains "one engine, in the heading" "up to 8,192, vLLM " "$(sed -n 1p "$work/out")"
assert_lacks "and no column" " engine " "$out"
run --compare -m llama-3.1-8b -g apple-m2-max
assert_contains "that of the GPU" "up to 8,192, MLX " "$(sed -n 1p "$work/out")"
run --compare -m llama-3.1-8b -g l4 -g apple-m2-max -p bf16
assert_contains "several" "up to 8,192, engine by row, " "$(sed -n 1p "$work/out")"
assert_contains "a row on vLLM" "vLLM" "$(grep ' l4 ' "$work/out")"
assert_contains "a row on MLX" "MLX" "$(grep ' apple-m2-max ' "$work/out")"
run --compare -m llama-3.1-8b -g l4 -g apple-m2-max -p bf16 --format json
assert_contains "JSON" '"engine": null' "$out"

# ---- prices: market rows only when asked for ----
# shellcheck disable=SC2086
run --compare $load -g rtx-4090 -p int4-awq -f csv
assert_lacks "marketplace does not win" "vast/" "$out"
# shellcheck disable=SC2086
run --compare $load -g rtx-4090 -p int4-awq -f csv --price market
assert_contains "marketplace when asked" "vast/" "$out"

# ---- nothing fits; usage ----
run --compare -m llama-3.1-405b -g t4:1 -p fp8
assert_eq "nothing fits: exit code" 1 "$rc"
assert_contains "nothing fits" "does-not-fit" "$out"
assert_fails 2 "no model given" --compare
assert_fails 2 "use --table for several" --compare -m 8B -m 70B
assert_fails 2 "did you mean" --compare -m 8B -g h100-smx
assert_fails 2 "--compare takes no arguments" --compare llama-3.1-8b

# a row is a line of 80 columns, whatever is asked of it
for goals in "--ttft-p95 500" "--ttft-p95 500 --tpot-p99 60 --e2e-p99 30000"; do
    # shellcheck disable=SC2086
    COLUMNS=80 run --compare -m llama-3.3-70b -p fp8 --rate 6 $goals -g rtx-pro-6000-server -g h200-sxm
    assert_eq "rows with $goals" 2 "$(grep -cE '(rtx-|h200).* [0-9]+\.[0-9]{2}$' "$work/out")"
done

# a miss is marked in every width, that of a percentile as well
for goal in ttft ttft-p99; do
    COLUMNS=80 run --compare -m llama-3.1-8b --rate 5 --$goal 300 -g l4:2 -g h100-sxm:1 -p bf16
    assert_contains "--$goal: met" "bf16       met" "$out"
    assert_contains "--$goal: missed" "bf16       slow" "$out"
done
# more arrive than are served: that is slow, and does not lack memory
run --plan -m llama-3.1-8b --rate 5 -g l4:2
assert_contains "an overload" "TOO SLOW on 2 x" "$out"
assert_contains "... is served in part" "5 requests/s arrive, about 3" "$out"

# what names were read as is said once, the model's first; ids say nothing
run --compare -m Qwen/Qwen3-32B-AWQ -g 2x4090 -g H100
assert_contains "names are read" "Qwen/Qwen3-32B-AWQ: qwen3-32b with int4-awq (from the name" "$out"
assert_contains "a GPU's, too" "H100: h100-sxm; there is also" "$out"
run --compare -m Qwen/Qwen3-32B-AWQ -p fp8 -g h100-sxm -f json
assert_contains "the option over the name" "but --precision says otherwise" "$(json request.read)"
run --compare -m qwen3-32b -g h100-sxm -f json
assert_eq "an id is what it is" null "$(json request.read)"

# what is published in 4 bits is not converted to as many or more
run --compare -m gpt-oss-120b -g h100 -g a100
assert_lacks "formats of no use" "int4-awq" "$out"
assert_contains "its own" "mxfp4" "$out"

finish
