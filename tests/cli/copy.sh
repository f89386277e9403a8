#!/bin/sh
# copy.sh - a plain copy of the profiles, laid over them, changes no answer: an overlay's
# ranges pass on what they say as those of one file do.

. "${srcdir:-.}/tests/cli/lib.sh"

cp -R "$src/profiles" "$work/copy"
chmod -R u+w "$work/copy"

# What may differ: offered commands name the folder, its prices are the user's own.
shared() {
    printf '%s\n' "$out" |
        sed "s,\( --profiles $work/copy\| (your price file)\),,g"
}

# same ARGUMENT...: the same answer with --profiles and by the environment
same() {
    run "$@"
    wanted=$out wanted_rc=$rc
    assert_true "an answer of $*" [ -n "$wanted" ]
    run "$@" --profiles "$work/copy"
    assert_eq "$*: exit code with a copy" "$wanted_rc" "$rc"
    assert_eq "$*: with a copy" "$wanted" "$(shared)"
    GPUPLAN_PROFILES=$work/copy
    export GPUPLAN_PROFILES
    run "$@"
    unset GPUPLAN_PROFILES
    assert_eq "$*: GPUPLAN_PROFILES" "$wanted" "$(shared)"
}

# ---- every range of every engine ----
run --list engines --format csv
ranges=$(printf '%s\n' "$out" | sed -n '2,$s/,.*//p')
assert_true "ranges" [ "$(printf '%s\n' "$ranges" | wc -l)" -ge 20 ]
for range in $ranges; do
    same --show "$range"
done
same --show vllm@0.19 --format json
same --list gpus --format json
same --list models --format json

# ---- plans: text, JSON, and many by a batch ----
same --plan -m llama-3.1-8b -g h100-sxm -u 8 --why
same --plan -m qwen3-30b-a3b -g l40s --engine vllm@0.19 --format json
same --plan -m llama-3.1-8b -g rtx-4090 --engine llama.cpp --format json
same --compare -m llama-3.1-8b -u 4 -g h100-sxm -g l4
same --launch vllm -m llama-3.1-70b -g h100-sxm:4
for model in llama-3.1-70b deepseek-v3 gpt-oss-20b nemotron-h-56b mixtral-8x7b \
    granite-4.0-h-small; do
    for range in $ranges; do
        echo "{\"model\": \"$model\", \"engine\": \"$range\", \"users\": 16}"
    done
done >"$work/requests"
same --batch "$work/requests"

# ---- one key at the top holds for every range; one of a range for it and those after ----
mkdir -p "$work/own/engines"
cat >"$work/own/engines/vllm.cfg" <<'END'
fraction = 0.7;
ranges = ( { from = "0.22"; block = 32; } );
END
for range in "0.19 0.700 16" "0.22 0.700 32" "0.33 0.700 32"; do
    # shellcheck disable=SC2086 # three words
    set -- $range
    run --show "vllm@$1" --profiles "$work/own"
    assert_contains "$1: the top" "fraction: $2 " "$out"
    assert_contains "$1: the range" "block: $3 tokens" "$out"
done

# ---- out of order ----
cat >"$work/own/engines/vllm.cfg" <<'END'
ranges = ( { from = "0.33"; block = 32; },
           { from = "0.22"; block = 16; } );
END
run --show vllm --profiles "$work/own"
assert_eq "out of order: exit code" 3 "$rc"
assert_contains "out of order" \
    "vllm.cfg:2: ranges[1].from: is lower than in the range before it" "$err"

finish
