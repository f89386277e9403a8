#!/bin/sh
# man.sh - the man pages pass mandoc's own lint, warnings included, and groff's macros
# without a warning, on paper and on a terminal of 78 columns.

. "${srcdir:-.}/tests/lint/lint.sh"

pages=$(find_files man '*.[1-9]')
[ -n "$pages" ] || skip "no man pages here"
tools=0

if command -v mandoc >/dev/null 2>&1; then
    tools=$((tools + 1))
    for page in $pages; do
        # Cross references to our own pages are only found once installed.
        said=$(mandoc -Tlint -Wwarning "$page" 2>&1 |
            grep -v 'referenced manual not found')
        [ -z "$said" ] || problem "$said"
    done
else
    echo "note: no mandoc here: its lint is not run"
fi

# groff_pages DEVICE OPTION...: -ww is every warning; some systems lack some devices.
groff_pages() {
    device=$1
    shift
    if ! echo .Nm | groff -mdoc "-T$device" >/dev/null 2>&1; then
        echo "note: no groff -T$device here: the pages are not formatted with it"
        return
    fi
    tools=$((tools + 1))
    for page in $pages; do
        said=$(groff -mandoc -ww -z "-T$device" "$@" "$page" 2>&1)
        [ -z "$said" ] || problem "groff -T$device: $said"
    done
}

groff_pages utf8 -rLL=78n
groff_pages ps
[ "$tools" -gt 0 ] || skip "neither mandoc nor groff is installed"

finish
