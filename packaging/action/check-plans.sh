#!/bin/bash
# check-plans.sh - what action.yml runs: gpuplan --check-plan on each of $PLANS, a row of Markdown
# each in $GITHUB_STEP_SUMMARY. Exit 1 when one no longer holds or cannot be read, 2 without any.
set -u
program=${GPUPLAN:-gpuplan} summary=${GITHUB_STEP_SUMMARY:-/dev/stdout}
shopt -s nullglob
# shellcheck disable=SC2206 # a pattern
plans=(${PLANS:-plans/*.json})
[ ${#plans[@]} -gt 0 ] || { echo "no saved plan matches ${PLANS:-plans/*.json}" >&2; exit 2; }
words=([0]=holds [1]="no longer holds")
status=0
{
    echo "### gpuplan, data of $("$program" --data)"
    echo
    echo "| plan | result |"
    echo "|---|---|"
} >>"$summary"
for plan in "${plans[@]}"; do
    said=$("$program" --check-plan "$plan" --tolerance "${TOLERANCE:-1}" 2>&1)
    code=$?
    [ "$code" -eq 0 ] || status=1
    # a bar or tag in a name or message would be another cell
    row=$(printf '%s: %s' "${words[$code]:-cannot be checked}" "$said" | tr '\n' ' ' |
        sed 's/|/\\|/g; s/</\&lt;/g; s/  */ /g' | cut -c 1-400)
    printf '| %s | %s |\n' "$(printf '%s' "$plan" | sed 's/|/\\|/g; s/</\&lt;/g')" "$row" \
        >>"$summary"
    printf '%s: %s\n%s\n' "$plan" "${words[$code]:-cannot be checked}" "$said"
done
exit $status
