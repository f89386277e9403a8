#!/bin/bash
# diagnose.sh - Diagnose, a page of Bench, by script: the key starts it, it goes on beside other
# screens, stops, and ends in the verdict that --bench --diagnose prints. The engine is a
# stand-in that measures nothing (tests/fixtures/standin_engine.c).

. "${srcdir:-.}/tests/script/lib.sh"

built=${top_builddir:-$src}
case $built in /*) ;; *) built=$(dirname "$shipped_gp") ;; esac
engine=${STANDIN_ENGINE:-$built/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
mkdir "$work/libexec" "$work/proc" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
freq=$work/sys/devices/system/cpu/cpu0/cpufreq
mkdir -p "$freq" || exit 99
GPUPLAN_LIBEXEC=libexec GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys
GPUPLAN_STANDIN_DEVICES=1
export GPUPLAN_LIBEXEC GPUPLAN_PROC GPUPLAN_SYSFS GPUPLAN_STANDIN_DEVICES
unset GPUPLAN_STANDIN
printf 'processor : 0\nmodel name : stand-in 0\ncore id : 0\nflags : fma\n\n' >"$work/proc/cpuinfo"
printf 'MemTotal: 67108864 kB\n' >"$work/proc/meminfo"

left() {
    find "$work/state" -name '*.part' -o -name 'bench-*.json' -o -path '*calibration/*' 2>/dev/null
}

# The verdict has the words of the command, and nothing else is left of the run.
screen "healthy" -m 8B -g h100-sxm <<'KEYS'
4
:wait
y
:wait
:dump -
:export verdict.txt
:export verdict.json
c
:dump command
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay        healthy
┌─ Diagnose ──────────────────────────────────────── why is this device slow? ─┐
│healthy: stand-in 0: nothing holds it back                                    │
│evidence:                                                                     │
│read 67.1 GB/s, products 8.59 TFLOP/s, temperature 42 C,                      │
│  processors_used_by_others 0 %, points 8, wrong 0, wrong_by_library 0        │
│no reading here of: clock, clock_max, power                                   │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
 diagnosed: healthy

 Enter:read  d:devices  e:export  p:all tests  y:again           ?:help  q:quit
END
run --bench --diagnose --progress none
assert_eq "as the command says" "$(sed '/clock\|others/d' <<<"$out")" \
    "$(sed '/clock\|others/d' verdict.txt)"
assert_contains "as JSON" '"schema": "gpuplan.diagnose/1"' "$(cat verdict.json)"
assert_contains "the command" "gpuplan --bench --diagnose" "$(cat command)"
assert_eq "no result is kept" "" "$(left)"

# While it goes on every screen says so; x ends it, with a verdict of what there is.
GPUPLAN_STANDIN=waits:1 screen "in the background" -m 8B -g h100-sxm <<'KEYS'
4
:wait
y
:until X:stop now
1
:dump plan
4
y
:dump again
X
:wait
:dump -
KEYS
assert_contains "on Plan" "gpuplan [1 Plan]" "$(head -n 1 plan)"
assert_eq "on Plan: it runs" 1 "$(head -n 1 plan | grep -c 'diagnose [0-9]* %\|warm-up [0-9]* %')"
assert_contains "a second one is refused" "it runs: x stops after the point" "$(cat again)"
shows "Diagnose"
shows "evidence:"
assert_eq "stopped: nothing is kept" "" "$(left)"

# What holds the machine back, with its cure; again with the same key.
echo powersave >"$freq/scaling_governor"
echo acpi-cpufreq >"$freq/scaling_driver"
GPUPLAN_STANDIN=wrong:1 screen "broken" -m 8B -g h100-sxm <<'KEYS'
4
:wait
y
:wait
:dump -
:size 40 12
:dump narrow
Enter
:dump read
KEYS
shows "broken: stand-in 0: 1 product has a wrong result"
shows "also: the governor powersave keeps the clocks low"
shows "cure: cpupower frequency-set -g performance"
assert_contains "narrow" "broken: stand-in 0: 1 product has a" "$(cat narrow)"
assert_contains "read whole" "cure: do not use it" "$(cat read)"

GPUPLAN_SYSFS=$work/none

# A device that cannot be measured, a machine without an engine.
GPUPLAN_STANDIN=crash:0 screen "unknown" -m 8B -g h100-sxm <<'KEYS'
4
:wait
y
:wait
:dump -
KEYS
shows "unknown: stand-in 0: nothing could be measured"
GPUPLAN_LIBEXEC=$work/none screen "no engine" -m 8B -g h100-sxm <<'KEYS'
4
:wait
y
:wait
:dump -
KEYS
shows "─ Diagnose ─"
shows "engine gpuplan-bench-cpu is not installed here"

# p goes back to all tests.
screen "back" -m 8B -g h100-sxm <<'KEYS'
4
:wait
y
:wait
p
:wait
:dump -
KEYS
shows "─ Measure ─"
finish
