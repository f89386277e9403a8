#!/bin/bash
# bench.sh - a measurement on a real terminal: stopped, suspended, killed, left. The
# engine is a stand-in that measures nothing (tests/fixtures/standin_engine.c).

. "${srcdir:-.}/tests/tui/lib.sh"

built=${top_builddir:-$src}
case $built in /*) ;; *) built=$(dirname "$gp") ;; esac
engine=${STANDIN_ENGINE:-$built/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
mkdir "$work/libexec" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
# Its third point lasts until it is told to stop, or until `go` is there.
GPUPLAN_LIBEXEC=$work/libexec GPUPLAN_STANDIN=waits:2 GPUPLAN_STANDIN_GO=$work/go
export GPUPLAN_LIBEXEC GPUPLAN_STANDIN GPUPLAN_STANDIN_GO

engines() {
    local exe n=0
    for exe in /proc/[0-9]*/exe; do
        [ "$(readlink "$exe" 2>/dev/null)" = "$work/libexec/gpuplan-bench-cpu" ] &&
            n=$((n + 1))
    done
    echo "$n"
}
engines_are() { [ "$(engines)" -eq "$1" ]; }
some_engine() { [ "$(engines)" -gt 0 ]; }
journals() { find "$work/state" -name '*.part' | wc -l; }

open 80 24 xterm-256color
modes before
start -m 8B -g h100-sxm
keys 4
see "Enter:start"

# ---- the first Ctrl-C stops the run, in every run -------------------------------------

for run in 1 2; do
    see "points  25"
    keys Enter
    see " to go"
    see "x:stop  X:stop now"
    keys C-c
    see "interrupted"
    see "F5 continues"
    [ -d "/proc/$pid" ] || fail "Ctrl-C in run $run ended it"
    keys r
done
see "points  25"

# ---- put aside and taken up again, another size ---------------------------------------

keys Enter
see " to go"
keys C-z
see "engines go on measuring"
see "Stopped"
tm resize-window -x 120 -y 36
: >"$work/go"
type fg
keys Enter
see "Complete: every point was measured."
rm "$work/go"

# ---- an engine is killed: the others go on, what was measured is kept ------------------

keys r
see "points  25"
keys Enter
see "points: "
see "ok "
for exe in /proc/[0-9]*/exe; do
    if [ "$(readlink "$exe" 2>/dev/null)" = "$work/libexec/gpuplan-bench-cpu" ]; then
        exe=${exe%/exe}
        kill -9 "${exe#/proc/}" && break
    fi
done
: >"$work/go"
see "Failed: a device was lost"
see "signal 9"
see "points good"
rm "$work/go"

# ---- a mouse ---------------------------------------------------------------------------

keys 1
see "[1 Plan]"
type $'\033[<0;20;1M\033[<0;20;1m' # on the tab Compare
see "[2 Compare]"

# ---- the terminal goes away while it measures ------------------------------------------

keys 4
see "Failed: a device was lost"
keys r
see "points  25"
keys Enter
see " to go"
until_true some_engine || fail "no engine works"
before=$(journals)
keys q
see "a measurement runs"
keys n
tm kill-server
until_true eval '! [ -d "/proc/$pid" ]' || fail "gpuplan outlived its terminal"
until_true engines_are 0 || fail "$(engines) engines outlived gpuplan"
assert_eq "its journal is there" "$before" "$(journals)"

# ---- others use the devices, in the least room -----------------------------------------

GPUPLAN_STANDIN=taken
open 40 12 xterm-256color
start -m 8B -g h100-sxm
keys 4
see "Enter:start"
see "50 points"
keys Enter
see "Nothing was measured"
see "next: o, Enter, F5"
keys o
see "force          off"
keys Enter
see "force          on, not off"
keys Escape
see "next: F5 measures all"
keys F5
see "Complete: every point was measured."

finish
