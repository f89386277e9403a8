#!/bin/sh
# private.sh - the repository speaks only of itself: no path of anybody's machine.

. "${srcdir:-.}/tests/lint/lint.sh"

files=$(find . -type f ! -path './.git/*' ! -path './autom4te.cache/*' \
    ! -path './build-aux/*' ! -path '*/.deps/*' ! -path './tests/fuzz/corpus/*' \
    \( -name '*.[ch]' -o -name '*.cfg' -o -name '*.md' -o -name '*.mk' -o -name '*.m4' \
    -o -name '*.ac' -o -name '*.am' -o -name '*.sh' -o -name '*.[1-9]' -o -name '*.py' \
    -o -path './.ci/*' -o -name bootstrap -o -name NEWS -o -name CONTRIBUTING -o -name SECURITY -o -name LICENSE \) \
    ! -name aclocal.m4)

# shellcheck disable=SC2086 # names without blanks, one per word
found=$(grep -nE '(^|[^A-Za-z0-9_.$}])/(work|root|home|Users|mnt)/[A-Za-z0-9_]' $files)
[ -z "$found" ] || problem "paths of one machine:
$found"

finish
