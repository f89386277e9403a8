#!/bin/sh
# engines.sh - no code asks which engine it has by its name: what an engine does otherwise
# is a key of its profile or a row of a table, so that adding one is a profile plus rows.

. "${srcdir:-.}/tests/lint/lint.sh"

ids=$(for file in profiles/engines/*.cfg; do basename "$file" .cfg; done | paste -sd '|')
[ -n "$ids" ] || problem "no profiles/engines"

# shellcheck disable=SC2046 # names without blanks, one per word
found=$(grep -nE "str(n|case|ncase)?(cmp|str)\([^;]*\"($ids)\"" $(find_files src '*.[ch]'))
[ -z "$found" ] || problem "an engine is told by its id:
$found"

finish
