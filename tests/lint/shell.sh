#!/bin/sh
# shell.sh - the shell scripts pass shellcheck (without its remarks on names that a
# sourced file sets for others, and on patterns kept in a variable).

. "${srcdir:-.}/tests/lint/lint.sh"

[ -z "${GPUPLAN_REHEARSED:-}" ] || skip "the same scripts passed in this run of CI already"
command -v shellcheck >/dev/null 2>&1 || skip "shellcheck is not installed"

scripts=$(for script in bootstrap .ci/run .ci/fresh.sh $(find_files tests '*.sh'); do
    [ ! -f "$script" ] || echo "$script"
done)
# shellcheck disable=SC2086 # names without blanks, one per word
shellcheck -x -s bash -S warning -e SC1090,SC1091,SC2034,SC2125 $scripts ||
    problem "shellcheck has remarks"

finish
