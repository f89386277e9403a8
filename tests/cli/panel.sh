#!/usr/bin/env bash
# panel.sh - gpuplan beside deployments that are known to run (deployments.csv): the count it
# would buy and the layout it would run. A row is good where the count is the same and the layout
# the same or faster, or the count smaller without more stages (where the source does not
# say that it cannot be);
# 36 of 40 must be.
. "${srcdir:-.}/tests/cli/lib.sh"

have_json || skip "no JSON reader"
GPUPLAN_NOW=2026-11-27
export GPUPLAN_NOW

# answer OPTIONS...: sets status gpus tp pp dp tpot of the plan
answer() {
    run --plan -f json "$@"
    # once, as a start of jq takes longer than the plan
    {
        read -r status && read -r gpus && read -r tp && read -r pp && read -r tpot && read -r hour
    } < <(json verdict.status layout.gpus layout.tp layout.pp speed.tpot.value cost.per_hour.value)
}

at_most() { awk -v a="$1" -v b="$2" 'BEGIN { exit !(a <= 1.02 * b) }'; }

# cut_words GPUS TP PP DP: "16: TP 8 PP 2"
cut_words() {
    echo "$1: TP $2$([ "$3" = 1 ] || echo " PP $3")$([ "$4" = 1 ] || echo " DP $4")"
}

good=0 rows=0
while IFS='|' read -r id options gpu n ntp npp ndp least _; do
    case $id in '#'* | id | '') continue ;; esac
    rows=$((rows + 1))
    # shellcheck disable=SC2046,SC2086 # options are several words
    answer $options -g "$gpu:$n" --tp "$ntp" --pp "$npp" --replicas "$ndp" \
        $([ "$ndp" -gt 1 ] && echo "--dp $ndp --ep $n")
    ran=$status ran_tpot=$tpot ran_hour=$hour
    # shellcheck disable=SC2086
    answer $options -g "$gpu"
    word=differs
    if [ "$status" != fits ] && [ "$status" != marginal ]; then
        word=refused
    elif [ "$gpus" -lt "$n" ]; then
        word=cheaper
        [ "$pp" -le "$npp" ] || word="a pipeline"
        [ "$least" = no ] || word="too few"
    elif [ "$gpus" -eq "$n" ] || at_most "${hour:-9e9}" "${ran_hour:-0}"; then
        # of the same count, or of GPUs that the deployed ones pay for, too
        if [ "$tp" = "$ntp" ] && [ "$pp" = "$npp" ]; then
            word=same
        elif at_most "${tpot:-9e9}" "${ran_tpot:-0}"; then
            word=faster
        fi
    fi
    [ "$ran" != does-not-fit ] || word="$word, deployed: does not fit"
    case $word in same | cheaper | faster) good=$((good + 1)) ;; esac
    line=$(printf '%-26s %-18s %-13s %-13s %s' "$id" "$gpu" "$(cut_words "$n" "$ntp" "$npp" "$ndp")" \
        "$(cut_words "$gpus" "$tp" "$pp" 1)" "$word")
    echo "$line"
    grep -qxF -e "$line" "$src/man/gpuplan-model.7" || fail "gpuplan-model(7) has another row: $line"
done <"$src/tests/fixtures/deployments.csv"
echo "$good of $rows as deployed, cheaper or faster"
assert_eq "rows" 40 "$rows"
assert_eq "as deployed, cheaper or faster: 36 rows or more" yes "$([ "$good" -ge 36 ] && echo yes)"
finish
