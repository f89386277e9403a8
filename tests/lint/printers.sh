#!/bin/sh
# printers.sh - one way out: standard output and standard error only by util/say, so that
# its sanitizer is passed; a terminal's cells only by tui/canvas.

. "${srcdir:-.}/tests/lint/lint.sh"

# These write(): files, a pipe, and words of their own in a handler.
writers=' src/base/exit.c src/base/path.c src/catalog/bundle.c src/measure/journal.c src/tui/toolkit/signals.c
 src/tui/toolkit/term.c '

# shellcheck disable=SC2046 # names without blanks, one per word
found=$(grep -nE '(^|[^_a-z.>])(printf|v?fprintf|vprintf|dprintf|f?puts|f?putc|putchar|fwrite|write|perror)\(' \
    /dev/null $(find_files src '*.c' | grep -vx src/base/say.c) |
    while IFS= read -r line; do
        case $writers in
        *" ${line%%:*} "* | *" ${line%%:*}
"*) echo "$line" | grep -vE '[^_a-z]write\(' ;;
        *) echo "$line" ;;
        esac
    done)
[ -z "$found" ] || problem "prints by itself, not by base/say.h:
$found"

finish
