#!/bin/bash
# sizes.sh - real terminals: sizes, characters, colors; every tab, choosers, help.

. "${srcdir:-.}/tests/tui/lib.sh"

# ---- sizes ----------------------------------------------------------------------------

open 80 24 xterm-256color
start -m 70B -g l40s
for size in 120x36 40x12 200x60 80x24; do
    tm resize-window -x "${size%x*}" -y "${size#*x}"
    until_true eval 'shot | sed -n "${size#*x}p" | grep -q "?:help  q:quit"' ||
        fail "no key bar at $size" "$(shot)"
    checks=$((checks + 1))
    for tab in 2 3 4 1; do
        keys "$tab"
        see "[$tab "
        see "?:help  q:quit"
    done
done
tm resize-window -x 30 -y 8
see "30x8 is too small."
see "Resize, or q: quit."
tm resize-window -x 80 -y 24
see "70B"

# A storm of sizes: the last one is the one that counts.
for i in 1 2 3 4 5 6 7 8; do
    tm resize-window -x $((40 + i * 13)) -y $((10 + i * 4))
    tm resize-window -x $((160 - i * 11)) -y $((60 - i * 5))
done
tm resize-window -x 96 -y 30
until_true eval 'shot | sed -n 30p | grep -q "?:help  q:quit"' ||
    fail "after a storm of sizes" "$(shot)"
tm resize-window -x 80 -y 24

# ---- windows and what is typed --------------------------------------------------------

keys '?'
see "Help: Plan"
keys Escape
gone "Help: Plan"
keys Enter
see "Enter"
type "70b 3.1"
see "1 of "
see "Llama 3.1 70B"
keys Enter
gone "as typed"
see "llama-3.1-70b"
keys ':'
type "users 12"
keys Enter
see "12 at once"
keys u
see "1 at once"
keys F1
see "Help: Plan"
keys q
gone "Help: Plan"
keys q
see "The plan is not saved."
keys q
ends
see "ready>"

# ---- characters and colors ------------------------------------------------------------

# scheme TERM LOCALE OPTIONS: opens, starts, and leaves what it sent in $out.
look() {
    open 80 24 "$1" "$2"
    shift 2
    start -m 70B -g l40s "$@"
    out=$(shot -e)
}

look xterm-256color C.UTF-8
assert_contains "256 colors: orange" '38;5;214m' "$out"
assert_contains "UTF-8" '█' "$out"
keys T
see "colors: light"
keys q
look xterm C.UTF-8
assert_contains "8 colors: yellow" '[33m' "$out"
assert_lacks "no 256 colors" '38;5' "$out"
look vt100 C.UTF-8
assert_eq "vt100: no color" "" "$(printf '%s' "$out" | grep '\[3[0-8][;m]')"
look xterm-256color C
assert_contains "ASCII" '+- Ask' "$(shot)"
assert_eq "bytes above 127" "" "$(shot | LC_ALL=C tr -d '\000-\177')"
look xterm-256color C.UTF-8 --ascii
assert_eq "bytes above 127" "" "$(shot | LC_ALL=C tr -d '\000-\177')"
look xterm-256color C.UTF-8 --color never
assert_lacks "no color asked for" '38;5' "$out"
NO_COLOR=1
export NO_COLOR
look xterm-256color C.UTF-8
assert_lacks "NO_COLOR" '38;5' "$out"
look xterm-256color C.UTF-8 --color always
assert_contains "--color always" '38;5' "$out"
unset NO_COLOR
look linux C.UTF-8
keys 3
see "[3 Curves]"
assert_eq "braille on a console" "" "$(shot | LC_ALL=C grep -P '\xe2[\xa0-\xa3]')"

finish
