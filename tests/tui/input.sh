#!/bin/bash
# input.sh - the sequences of tests/script/input.sh as bytes of a terminal, whatever its TERM
# says: no key but those that are named.

list=$(cd "$(dirname "$0")/../script" && pwd)/input.sh
. "${srcdir:-.}/tests/tui/lib.sh"

eval "$(sed -n '/^other_sequences() {/,/^}/p; /^alt_keys() {/,/^}/p' "$list")"
for TERM in xterm-256color linux vt100 screen tmux-256color; do
    open 80 24 "$TERM"
    start -m 70B -g l40s
    keys 4
    see "[4 Bench]"
    while IFS= read -r line; do
        printf '%b' "$line"
    done < <(alt_keys; other_sequences) >bytes
    tm load-buffer bytes
    tm paste-buffer -r
    sleep 0.6 # the last is one that is cut
    keys z
    see "z does nothing here"
    see "[4 Bench]"
    keys 1
    see "[1 Plan]"
    # both ends, in the form of tmux (and of PuTTY), which no description of these has
    keys End
    see "+Cost"
    keys Home
    see "▸Model"
    keys Q
    ends
done
finish
