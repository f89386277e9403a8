#!/bin/sh
# mixers.sh - a new kind of attention touches at most eight source files: those that name a
# kind. All others ask for its traits (model.h).

. "${srcdir:-.}/tests/lint/lint.sh"

kinds=$(sed -n 's/^ *X(\([A-Z0-9]*\), "[a-z0-9]*", .*/\1/p' src/model/model.h | paste -sd '|')
[ -n "$kinds" ] || problem "no rows of MIXERS in src/model/model.h"

# shellcheck disable=SC2046 # names without blanks, one per word
files=$(grep -lE "\<MIXER_($kinds)\>" $(find_files src '*.[ch]') $(find_files bench '*.[ch]'))
count=$(printf '%s\n' src/model/model.h "$files" | grep -c .)
[ "$count" -le 8 ] || problem "$count files name a kind of mixer:
$files"

finish
