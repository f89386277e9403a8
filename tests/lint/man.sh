#!/bin/sh
# man.sh - the man pages pass mandoc's own lint, warnings included.

. "${srcdir:-.}/tests/lint/lint.sh"

command -v mandoc >/dev/null 2>&1 || skip "mandoc is not installed"
pages=$(find_files man '*.[1-9]')
[ -n "$pages" ] || skip "no man pages here"

for page in $pages; do
    # Cross references to our own pages are only found once installed.
    said=$(mandoc -Tlint -Wwarning "$page" 2>&1 | grep -v 'referenced manual not found')
    [ -z "$said" ] || problem "$said"
done

finish
