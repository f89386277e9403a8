#!/bin/bash
# burst.sh - keys that come faster than they are taken all arrive, in their order.
#
# A burst is lines of ":dump NAME": each key that is lost leaves one of the names
# unwritten, or another one written. The last line is made so long that the burst has
# just as many keys as it should.

. "${srcdir:-.}/tests/tui/lib.sh"

# burst KEYS: that many keys at once.
burst() {
    local keys=$1 left=$1 name n=0
    rm -rf got && mkdir got
    : >"$work/burst"
    : >"$work/wanted"
    while [ "$left" -gt 0 ]; do
        name=$(printf '%04d' "$n")
        [ "$left" -lt 60 ] && # ":dump got/" and Enter are 11 keys
            name=$(printf '%0*d' "$((left - 11))" "$n")
        printf ':dump got/%s\r' "$name" >>"$work/burst"
        echo "$name" >>"$work/wanted"
        left=$((left - 11 - ${#name}))
        n=$((n + 1))
    done
    checks=$((checks + 1))
    [ "$(wc -c <"$work/burst")" -eq "$keys" ] || fail "the burst is not of $keys keys"
    last="a burst of $keys keys"
    tm load-buffer "$work/burst"
    tm paste-buffer -r
    until_true test -e "got/$name" || fail "the end of it did not come" "$(shot)"
    LC_ALL=C sort -o "$work/wanted" "$work/wanted"
    LC_ALL=C ls got >"$work/seen"
    diff "$work/wanted" "$work/seen" >"$work/lost" || fail "keys are lost" "$(cat "$work/lost")"
}

open 80 24 xterm-256color
start -m 70B -g l40s
for keys in 12 99 100 101 102 199 200 201 202 303 1000 4095 4097 5000; do
    burst "$keys"
done
for ((i = 0; i < 6; i++)); do
    burst "$((12 + RANDOM % 4989))"
done

# a plan that takes longer than a key: the burst is taken, the last value is answered
type ":rate 2"
keys Enter
type ":ttft 1000"
keys Enter
type ":tpot 20"
keys Enter
type "g/rate"
keys Enter
type "++++++++++"
gone "planning..."
see "by rate:"
checks=$((checks + 1))

# keys that need the answer wait for it, and those behind them for their turn
type "----y"
see "Why: Rate first"
keys Escape
gone "Why: Rate first"
type "g/gpu"
keys Enter
type "s:theme"
see ":theme"
keys Escape
gone "▸GPU        l40s" # the one that fits best, found before or after the prompt
type ":plan -m llama-3.1-70b --rate 2 --tpot 20"
keys Enter
type "2j"
see "fit and meet goals"
keys Q
ends

finish
