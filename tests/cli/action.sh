#!/bin/bash
# action.sh - the CI action checks every saved plan, says each in a table of Markdown and fails
# when one no longer holds.
. "${srcdir:-.}/tests/cli/lib.sh"

script=$src/packaging/action/check-plans.sh
[ -f "$script" ] || skip "no packaging/ here"
GPUPLAN=$gp GITHUB_STEP_SUMMARY=$work/summary PLANS="$work/plans/*.json"
export GPUPLAN GITHUB_STEP_SUMMARY PLANS
mkdir "$work/plans"
check() {
    : >"$work/summary"
    bash "$script" >"$work/out" 2>"$work/err"
    rc=$? out=$(cat "$work/summary") err=$(cat "$work/err")
}

check
assert_eq "no plan" 2 "$rc"
assert_contains "no plan: says so" "no saved plan matches" "$err"
run --plan -m llama-3.1-8b -g l4 --format json -o "$work/plans/a.json"
run --plan -m llama-3.1-8b -g l4 -u 4 --format json -o "$work/plans/b <c>|d.json"
check
assert_eq "all hold" 0 "$rc"
assert_contains "a row each" "/plans/a.json | holds: " "$out"
assert_contains "no cell of a name's own" "/plans/b &lt;c>\\|d.json | holds: " "$out"
sed 's/"users": 4/"users": 4000/; s/"gpu_count": null/"gpu_count": 1/' \
    "$work/plans/b <c>|d.json" >"$work/plans/more.json"
echo '{}' >"$work/plans/none.json"
check
assert_eq "one does not" 1 "$rc"
assert_contains "and one is no plan" "/plans/none.json | cannot be checked: " "$out"
assert_contains "the others are checked, too" "/plans/a.json | holds: " "$out"
finish
