#!/bin/bash
# paste.sh - what is pasted on a real terminal: text, and never a key; and no mark of it
# is asked for after the end, whatever that is.

. "${srcdir:-.}/tests/tui/lib.sh"

# paste TEXT: with marks around it, where they are asked for.
paste() {
    printf "$1" >"$work/pasted"
    tm load-buffer "$work/pasted"
    tm paste-buffer -p
}

open 80 24 xterm-256color
start -m 70B -g l40s
paste '2q\nQ:quit!\nxyzzy'
see "paste needs an input line"
see "[1 Plan]"
has "xyzzy" && fail "it was typed"
keys :
see "Enter:do it"
paste 'users 16\n'
see ":users 16"
keys Enter
see "16 at once"

# Longer than what is read at once, and in pieces of a line's length.
keys 2
see "[2 Compare]"
for size in 1000 1023 1024 5000 40000; do
    keys :
    see "Enter:do it"
    paste "$(printf '%0*d' "$size" 7 | tr 0 x)\n"
    if [ "$size" -lt 1024 ]; then
        see "xxxxxx7"
    else
        see "this line: ignored"
    fi
    keys Escape
    gone "Enter:do it"
    see "[2 Compare]"
done

# Bytes that are no text, one of them the last.
keys :
see "Enter:do it"
paste 'gr\303\266\303\237e \377\303'
see ":größe ?"
keys Escape
gone "Enter:do it"

# No key that the terminal knows is taken for a mark, behind which keys were text.
for mark in S C M C-S M-C; do
    for key in Up Down Left Right Home End PPage NPage DC IC F1 F5 F12; do
        keys "$mark-$key"
    done
    keys Escape 2
    see "[2 Compare]"
    keys z
    see "z does nothing here"
    keys Down
    gone "z does nothing here"
done

# The shell takes the marks away while it has the terminal.
keys C-z
see "Stopped"
type fg
keys Enter
see "[2 Compare]"
paste '1q\nQ'
see "paste needs an input line"
see "[2 Compare]"

# ---- afterwards -----------------------------------------------------------------------

# What comes next in the same line of the shell sees what this program left behind.
# after NAME COMMAND...: ends it so.
after() {
    local name=$1
    shift
    last="the end by $name"
    "$@"
    see "next program"
    rm -f "$work/bytes"
    paste 'plain\n'
    keys C-d
    until_true test -s "$work/bytes" || fail "the next program reads nothing" "$(shot)"
    assert_eq "what it reads after $name" "plain" "$(cat -v "$work/bytes")"
}

# run_then: gpuplan, and then a program that knows nothing of marks.
run_then() {
    rm -f "$work/pid"
    type "clear; sh -c 'sh -c \"echo \\\$\\\$ >$work/pid; exec $gp -m 70B\"; echo next program; cat >$work/bytes.tmp; mv $work/bytes.tmp $work/bytes'"
    keys Enter
    until_true test -s "$work/pid" || fail "does not start"
    pid=$(cat "$work/pid")
    see "?:help  q:quit"
}

ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0
export ASAN_OPTIONS
keys Q
ends
open 80 24 xterm-256color
for how in TERM INT HUP SEGV ABRT; do
    run_then
    after "SIG$how" kill -s "$how" "$pid"
done
run_then
after "q" keys q

finish
