#!/bin/sh
# printers.sh - one way out: standard output and standard error only by util/say, so that
# its sanitizer is passed; a terminal's cells only by tui/canvas.

. "${srcdir:-.}/tests/lint/lint.sh"

for file in $(find_files src '*.c'); do
    case $file in
    src/util/say.c) continue ;;
    # files, a pipe, and words of their own in a handler
    src/util/mem.c | src/util/path.c | src/run/journal.c | src/tui/toolkit/signals.c | \
        src/tui/toolkit/term.c) ways='[^_a-z]write\(' ;;
    *) ways= ;;
    esac
    found=$(grep -nE '(^|[^_a-z.>])(printf|v?fprintf|vprintf|dprintf|f?puts|f?putc|putchar|fwrite|write|perror)\(' \
        "$file" | grep -vE "${ways:-^$}")
    [ -z "$found" ] || problem "$file: prints by itself, not by util/say.h:
$found"
done

finish
