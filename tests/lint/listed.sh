#!/bin/sh
# listed.sh - every source and test is in its files.mk, and every name there exists.
#
# What is not listed is not built, not run and not in the release.

. "${srcdir:-.}/tests/lint/lint.sh"

# listed FILE.mk: the words in it, one per line.
listed() {
    sed 's/#.*//' "$1" | tr -s ' \t=\\$()' '\n' | LC_ALL=C sort -u
}

# check_listed FILE.mk NAME...
check_listed() {
    mk=$1
    shift
    words=" $(listed "$mk" | tr '\n' ' ')"
    for name in "$@"; do
        case $words in
        *" $name "* | *" $name.c "*) ;;
        *) problem "$name is not in $mk" ;;
        esac
    done
}

# shellcheck disable=SC2046 # names without blanks, one per word
check_listed src/files.mk $(find_files src '*.[ch]')
# shellcheck disable=SC2046
check_listed tests/files.mk $(find_files tests/unit '*.h'; find_files tests/fuzz '*.[ch]'
    find_files tests/lint '*.sh'; find_files tests/cli '*.sh'
    find_files tests/accuracy '*.sh'; find_files tests/accuracy '*.h'
    { find_files tests/unit 'test_*.c'; find_files tests/accuracy '*.c'; } |
        sed 's/\.c$//')
# shellcheck disable=SC2046
check_listed man/files.mk $(find_files man '*.[1-9]')

for mk in src/files.mk tests/files.mk man/files.mk; do
    for name in $(listed "$mk" | grep -E '^(src|tests|man)/.*\.([ch]|sh|[1-9])$'); do
        [ -f "$name" ] || problem "$mk names $name, which does not exist"
    done
done

finish
