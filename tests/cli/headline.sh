#!/bin/sh
# headline.sh - the decision is in the first five lines, and no line is wider than the terminal.
#
# Requests by chance, most of them what a hurried person types: verdict and GPUs, price, speed
# (or why not), limit, what would be better. Also of the commands that name a plan.

. "${srcdir:-.}/tests/cli/lib.sh"

# pick WORD...: one of them, by a generator whose numbers are the same in each run.
seed=35
pick() {
    seed=$(((seed * 1103515245 + 12345) % 2147483648))
    shift $((seed / 65536 % $#))
    picked=$1
}

# wide COLS: the lines of $work/out with more characters than that; a word alone cannot be wrapped.
wide() {
    awk -v cols="$1" 'length($0) > cols && NF > 1' "$work/out"
}

n=0
while [ "$n" -lt 150 ]; do
    set -- --plan
    pick llama-3.1-8b llama-3.1-70b qwen3-32b deepseek-r1 gpt-oss-120b kimi-k2 gemma-3-27b 70B \
        qwen3-coder-480b-a35b mixtral-8x7b whisper-large-v3 bert-base
    set -- "$@" -m "$picked"
    pick '' '' '' -p:fp8 -p:bf16 -p:int4-awq -p:q4_k_m
    [ -z "$picked" ] || set -- "$@" "${picked%:*}" "${picked#*:}"
    pick '' h100-sxm l4 rtx-4090:1 rtx-pro-6000-server b200:8 mi300x h100-sxm:3 apple-m4-max t4:2
    [ -z "$picked" ] || set -- "$@" -g "$picked"
    pick '' '' '-u 64' '-u 1000' '--rate 5' '-u 16 --ttft 500 --tpot 20' '-u 300 --tp 2'
    # shellcheck disable=SC2086 # words
    set -- "$@" $picked
    pick '' '' '-c 32k' '-c 128k' '--solve users' '--solve context' '--price buy' '--price spot'
    # shellcheck disable=SC2086
    set -- "$@" $picked
    pick 80 80 80 100 132
    COLUMNS=$picked
    run "$@"
    n=$((n + 1))
    [ "$rc" -le 1 ] || continue # refused: test_request's
    assert_eq "lines over $COLUMNS columns" "" "$(wide "$COLUMNS")"
    head=$(printf '%s\n' "$out" | sed '/^$/,$d')
    assert_true "at most five lines" [ "$(printf '%s\n' "$head" | wc -l)" -le 5 ]
    assert_true "80 columns" [ "$(printf '%s\n' "$head" | wc -L)" -le 80 ]
    assert_contains "a verdict" " on " "$(printf '%s\n' "$head" | head -n 1)"
    case $out in
    *"memory of "*)
        assert_contains "a price" "
  price " "$head"
        ;;
    *) assert_contains "why it is refused" "
  limit " "$head" ;;
    esac
    case $head in
    FITS*tokens/s* | FITS*'no estimate'* | *'DOES NOT'*limit* | MARGINAL*limit* | SLOW*limit*) ;;
    FITS*weights* | FITS*limit*) ;;
    *) fail "a decision" "$head" ;;
    esac
done
COLUMNS=80

# a command to paste stays one
run --plan -m llama-3.1-70b -g rtx-4090:1 -p bf16 --prompt 1000 --output-tokens 200 -c 8192
command=$(printf '%s\n' "$out" | sed -n '/^ *gpuplan .*\\$/,/[^\\]$/p' | sed -n '1,/[^\\]$/p')
assert_contains "it is wrapped" '\' "$command"
assert_true "and can be pasted" sh -c "gpuplan() { '$gp' \"\$@\" -q; [ \$? -le 1 ]; }
$command" >/dev/null

# ---- help: about 25 options under headings, and where the rest is ----
for page in --help 'help all' 'help plan' '--plan --help' 'help bench'; do
    # shellcheck disable=SC2086 # words
    run $page
    assert_eq "$page on 80 columns" "" "$(wide 80)"
done
run --help
few=$(grep -cE '^ +(-., )?--[a-z-]+ [A-Z]|^ +-., --' "$work/out")
assert_true "$few options" [ "$few" -ge 20 ] && assert_true "$few options" [ "$few" -le 32 ]
assert_contains "headings" "
Load:" "$out"
assert_contains "the rest" "gpuplan help all" "$out"
assert_lacks "what few need" "--power-cap" "$out"
run help all
assert_contains "all" "--power-cap" "$out"

finish
