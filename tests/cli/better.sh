#!/usr/bin/env bash
# better.sh - what would be better where a plan fits: each proposal is asked as its own
# command, and must reach what it claims.
. "${srcdir:-.}/tests/cli/lib.sh"

# close A B: two numbers, alike to a thousandth.
close() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a > 0 && b > 0 && a / b < 1.001 && b / a < 1.001) }'
}

# less A B FACTOR: A is at most FACTOR * B.
less() {
    awk -v a="$1" -v b="$2" -v f="$3" 'BEGIN { exit !(a <= b * f * 1.0001) }'
}

run --plan -m llama-3.1-8b -g l40s
assert_contains "a heading" "what would be better (each one was planned)" "$out"
assert_contains "one that is cheaper" "    cheaper       weights in " "$out"
assert_contains "with its price" " per million (-" "$out"
assert_contains "and its command" "gpuplan --plan -m llama-3.1-8b -g l40s --precision " "$out"
# bits are given up for money: at one price 8 of them before 4
run --plan -m glm-5 -g b300
assert_contains "of what saves as much the most bits" "cheaper: weights in fp8, \$27.96/h" "$out"
run --plan -m glm-5 -g b300 --precision int4-awq -q
assert_contains "fewer cost as much" "\$27.96/h" "$out"

# a GPU that saves more than it is slower
run --plan -m llama-3.1-70b -p fp8 -g h100-sxm -c 8k -u 16
assert_contains "the H200" "    cheaper       1 x NVIDIA H200 SXM 141GB: $" "$out"

# of one's own cards, which nobody rents out, fewer are no cheaper
run --plan -m qwen2.5-7b -g rtx-2080-ti:8
assert_contains "they fit" "FITS on 8 x" "$out"
assert_lacks "none is to be left out" "cheaper" "$out"
# GPUs that nobody needs
run --plan -m llama-3.1-8b -g h100-sxm:2 --provider aws
assert_contains "an idle replica" "warning: replicas without a request: 1 of 2" "$out"
assert_contains "one GPU" "    cheaper       as many as needed: 1 GPU in all: $" "$out"
assert_contains "and its command" "--provider aws --gpu h100-sxm:1" "$out"

# the same where the engine keeps experts in host memory
run --plan -m mistral-large-3-675b-instruct-2512 -p q4_k_m -g l40s:2 --engine llama.cpp -c 65536 \
    -u 1 --pp 1
assert_contains "weights on the host" "stay in host memory" "$out"
assert_contains "and one GPU" "    cheaper       as many as needed: 1 GPU in all: $" "$out"
for engine in llama.cpp ollama; do
    run --plan -m qwen3-30b-a3b -p q4_k_m -g rtx-3060-12g:1 --engine $engine
    assert_contains "$engine: experts on the host" "stay in host memory" "$out"
    assert_contains "$engine: a second card before another GPU" \
        "  better   faster: 2 x GeForce RTX 3060" "$out"
done

# what does not fit is told what would fit, as ever
run --plan -m llama-3.1-70b -g l40s:2 -u 16
assert_lacks "not for what does not fit" "would be better" "$out"

have_json || finish
for request in "-m llama-3.1-8b -g l40s" "-m llama-3.1-70b -p fp8 -g h100-sxm -c 8k -u 16" \
    "-m llama-3.1-8b -g h100-sxm:2 --provider aws" \
    "-m qwen3-32b -g a100-sxm-80 --rate 2" "-m llama-3.1-70b -g h100-sxm:4 -u 16 --tpot 40"; do
    # shellcheck disable=SC2086
    run --plan $request --format json
    cp "$work/out" "$work/asked"
    tpot=$(json speed.tpot.value) million=$(json cost.per_million_output_tokens.value)
    hour=$(json cost.per_hour.value)
    count=$(json verdict.fixes.#)
    assert_true "$request: something better" test "$count" -gt 0
    for ((i = 0; i < count; i++)); do
        cp "$work/asked" "$work/out"
        better=$(json "verdict.fixes.$i.better")
        claims=("$(json "verdict.fixes.$i.tpot")"
            "$(json "verdict.fixes.$i.per_million_output_tokens")"
            "$(json "verdict.fixes.$i.per_hour")" "$(json "verdict.fixes.$i.gpus")")
        command=$(json "verdict.fixes.$i.command")
        [ -n "$better" ] || continue
        # shellcheck disable=SC2086
        run ${command#gpuplan } --format json
        assert_eq "$command: fits" fits "$(json verdict.status)"
        assert_true "$command: TPOT" close "$(json speed.tpot.value)" "${claims[0]}"
        assert_true "$command: per million" \
            close "$(json cost.per_million_output_tokens.value)" "${claims[1]}"
        assert_true "$command: per hour" close "$(json cost.per_hour.value)" "${claims[2]}"
        assert_eq "$command: GPUs" "${claims[3]}" "$(json layout.gpus)"
        case $better in
        cheaper)
            assert_true "$command: cheaper" less "${claims[1]}" "$million" 0.9
            if [[ $request != *--tpot* ]]; then # no goal: no longer than what it saves
                factor=$(awk -v a="$million" -v b="${claims[1]}" \
                    'BEGIN { f = a / b; print (f < 1.25 ? 1.25 : f > 2 ? 2 : f) }')
                assert_true "$command: TPOT" less "${claims[0]}" "$tpot" "$factor"
            fi
            assert_true "$command: no dearer by the hour" less "${claims[2]}" "$hour" 1 ;;
        fuller)
            assert_true "$command: fuller" less "${claims[1]}" "$million" 0.9
            assert_true "$command: on the same GPUs" close "${claims[2]}" "$hour" ;;
        faster)
            assert_true "$command: faster" less "${claims[0]}" "$tpot" 0.85
            assert_true "$command: not at any price" less "${claims[2]}" "$hour" 2.5 ;;
        *) fail "a known word" "got: $better" ;;
        esac
    done
done
finish
