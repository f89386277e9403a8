#!/usr/bin/env bash
# memory.sh - when memory runs out, at whichever allocation: exit 70 and one line that
# says so, or the answer that was right. TRIES=10000 takes that many.
. "${srcdir:-.}/tests/cli/lib.sh"

shim=${top_builddir:-.}/tests/fixtures/fail_malloc.so
[ -r "$shim" ] || skip "$shim is not built"
"$gp" --version >/dev/null 2>&1 || exit 99
nm "$gp" 2>/dev/null | grep -q __asan_init && skip "AddressSanitizer has its own allocator"
LD_PRELOAD=$shim "$gp" --version >/dev/null 2>&1 || skip "no preloading here"

GPUPLAN_NOW=2026-11-21 GPUPLAN_LIBEXEC=$work/engines FAIL_IN=gpuplan
export GPUPLAN_NOW GPUPLAN_LIBEXEC FAIL_IN
mkdir "$work/engines"
cp "${top_builddir:-.}/tests/fixtures/standin_engine" "$work/engines/gpuplan-bench-cpu"

printf '%s\n' '{"model": "llama-3.1-8b", "gpu": "l4"}' '{"model": "8B", "gpu": "none"}' \
    >"$work/requests"
commands=(
    "--plan -m llama-3.1-70b -g h100-sxm"
    "--plan -m qwen3-8b -g l4 --format json"
    "--plan -m 7B -g l4 --why"
    "--compare -m 8B -g l4 -g l40s -g h100-sxm"
    "--show h100-sxm"
    "--show llama-3.1-8b --format json"
    "--list engines"
    "--table -m 8B -g l4"
    "--batch $work/requests"
    "--bench gemm --backend cpu --dry-run -o $work/none.json"
)

attempt() { # attempt COMMAND: with $FAIL_AT failing
    # shellcheck disable=SC2086 # words
    LD_PRELOAD=$shim "$gp" $1 >"$work/out" 2>"$work/err"
    rc=$?
    tried=$((tried + 1))
    [ "$rc" = 70 ] && [ "$(cat "$work/err")" = "gpuplan: out of memory" ] &&
        { ended=$((ended + 1)); return; }
    [ "$rc" = "$right_rc" ] && cmp -s "$work/out" "$work/right" &&
        cmp -s "$work/err" "$work/right_err" && return
    fail "$1, allocation $FAIL_AT${FAIL_ON:+ and all after it}: exit $rc" \
        "$(head -c 300 "$work/err")"
}

per_way=$((${TRIES:-400} / (2 * ${#commands[@]})))
tried=0 ended=0
for command in "${commands[@]}"; do
    # shellcheck disable=SC2086 # words
    FAIL_AT=0 FAIL_COUNT=$work/count LD_PRELOAD=$shim "$gp" $command \
        >"$work/right" 2>"$work/right_err"
    right_rc=$?
    assert_eq "exit code of $command" 0 "$right_rc"
    count=$(cat "$work/count")
    for on in '' 1; do
        for ((i = 0; i < per_way; i++)); do
            export FAIL_AT=$((1 + i * count / per_way))
            FAIL_ON=$on
            [ -n "$on" ] && export FAIL_ON || unset FAIL_ON
            attempt "$command"
        done
    done
    unset FAIL_ON
done
echo "$tried failures: $ended ended with exit 70, the others answered right"
assert_true "most allocations matter" test "$ended" -gt $((tried / 2))

finish
