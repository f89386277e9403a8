#!/bin/bash
# mouse.sh - clicks and the wheel as terminals report them: SGR where the terminal's entry says
# so, else in single bytes.

. "${srcdir:-.}/tests/tui/lib.sh"

# byte NUMBER: 32 more, as a byte.
byte() {
    # shellcheck disable=SC2059 # the number is the format
    printf "\\$(printf %o $((32 + $1)))"
}

# mouse BUTTON COLUMN ROW: pressed there, and let go; 64 and 65 are the wheel's.
mouse() {
    case $kind in
    sgr) type "$(printf '\033[<%d;%d;%dM\033[<%d;%d;%dm' "$1" "$2" "$3" "$1" "$2" "$3")" ;;
    *) type "$(printf '\033[M')$(byte "$1")$(byte "$2")$(byte "$3")$(
        printf '\033[M')$(byte 3)$(byte "$2")$(byte "$3")" ;;
    esac
}

for term in xterm-256color screen-256color; do
    case $(infocmp -1 "$term" 2>/dev/null) in
    *'kmous=\E[<'*) kind=sgr ;;
    *kmous=*) kind=bytes ;;
    *) continue ;;
    esac
    open 80 24 "$term"
    start -m 70B -g l40s
    mouse 0 10 5
    see "▸GPU"
    mouse 0 10 5 # the row in focus: as Enter
    see "type words to find it"
    keys Escape
    gone "type words to find it"
    mouse 0 22 1 # a tab
    see "294 rows"
    mouse 65 10 10
    see "▸  l4"
    mouse 0 10 6
    see "▸* rtx-a6000 "
    mouse 0 25 24 # "s:sort" of the bar
    see "sort \$/M"
    keys Q
    ends
done
finish
