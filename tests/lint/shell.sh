#!/bin/sh
# shell.sh - the shell scripts pass shellcheck (without its remarks on names that a
# sourced file sets for others, and on patterns kept in a variable).

. "${srcdir:-.}/tests/lint/lint.sh"

command -v shellcheck >/dev/null 2>&1 || skip "shellcheck is not installed"

for script in bootstrap .ci/run .ci/fresh.sh $(find_files tests '*.sh'); do
    [ -f "$script" ] || continue
    shellcheck -x -s bash -S warning -e SC1090,SC1091,SC2034,SC2125 "$script" ||
        problems=$((problems + 1))
done

finish
