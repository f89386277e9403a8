#!/bin/bash
# ends.sh - however it ends or stops, the terminal is as it was, and nothing is left.

. "${srcdir:-.}/tests/tui/lib.sh"

# AddressSanitizer would make another end of the crash that is wanted here.
ASAN_OPTIONS=${ASAN_OPTIONS:+$ASAN_OPTIONS:}handle_segv=0
export ASAN_OPTIONS

# The shell's prompt, and none of the screen (it was the terminal's other one).
is_back() {
    see "ready>"
    gone "?:help  q:quit"
}

cpu_ticks() {
    awk '{print $14 + $15}' "/proc/$pid/stat"
}

open 80 24 xterm-256color
modes before

# ---- quit, stop and go on -------------------------------------------------------------

start -m 70B -g l40s
keys C-z
see "Stopped"
see "ready>"
modes stopped
same_modes before stopped
tm resize-window -x 100 -y 30
type fg
keys Enter
see "[1 Plan]"
until_true eval 'shot | sed -n 30p | grep -q "?:help  q:quit"' ||
    fail "the size changed while it was stopped" "$(shot)"
kill -STOP "$pid" # nobody asked it
see "Stopped"
type fg
keys Enter
gone "Stopped"
keys 2
see "[2 Compare]"
tm resize-window -x 80 -y 24
until_true eval 'shot | sed -n 24p | grep -q "?:help  q:quit"' || # stty tells its width, too
    fail "the size changed while it runs" "$(shot)"
keys q
ends
is_back
modes after
same_modes before after

# ---- idle -----------------------------------------------------------------------------

start -m 70B -g l40s
keys 2
see "[2 Compare]"
keys 1
see "[1 Plan]"
busy() {
    local from
    from=$(cpu_ticks)
    sleep 0.25
    [ "$(($(cpu_ticks) - from))" -eq 0 ]
}
until_true busy || fail "never idle"
for _ in 1 2 3 4 5; do # a busy machine charges it for a tick too many now and then
    from=$(cpu_ticks)
    sleep 2
    ticks=$(($(cpu_ticks) - from))
    [ "$ticks" -le 2 ] && break
done
checks=$((checks + 1))
[ "$ticks" -le 2 ] || fail "idle for 2 s took $ticks ticks of 10 ms: more than 1 %"

# ---- signals (tests/tui/signals.c tries all of them) ----------------------------------

# signal NAME CODE [WORD]
signal() {
    kill -s "$1" "$pid"
    ends
    is_back
    [ -z "${3:-}" ] || see "$3"
    type 'echo code $?'
    keys Enter
    see "code $2"
    modes after
    same_modes before after
}
signal TERM 143
start
signal INT 130
start
keys C-c
ends
is_back
start # a plan that is not saved: q asks, Ctrl-C and SIGTERM do not
keys l q
see "The plan is not saved."
see "w:save  q:quit anyway  Esc:stay"
keys Escape
see "?:help  q:quit"
keys C-c
ends
is_back
start
keys l q
see "The plan is not saved."
signal TERM 143
start
keys 'C-\'
ends
is_back
modes after
same_modes before after
start
keys C-z
see "Stopped"
type 'kill %+' # asked to end in the background
keys Enter
ends
is_back
modes after
same_modes before after
start
signal SEGV 139 "internal error (signal 11)"
start
signal ABRT 134 "internal error (signal 6)"

# ---- the terminal goes away -----------------------------------------------------------

start -m 70B
keys 2
see "[2 Compare]"
tm kill-server
ends

# ---- no terminal that could be used ---------------------------------------------------

open 80 24 dumb
type "$gp; echo code \$?"
keys Enter
see "cannot move its cursor"
see "--plain"
see "code 2"
type "clear; TERM=nonsense $gp; echo code \$?"
keys Enter
see "unknown terminal type"
see "code 2"
type "clear; TERM=vt100 $gp | cat; echo code \$?"
keys Enter
see "standard output is not a terminal"

finish
