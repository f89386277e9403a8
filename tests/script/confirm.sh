#!/bin/bash
# confirm.sh - Confirm, the second page of Bench, by script: the terms before, the run, and the
# plan that turns from model to measured. The engine is a stand-in that measures nothing
# (tests/fixtures/standin_engine.c): only what becomes of its figures is tested.

. "${srcdir:-.}/tests/script/lib.sh"

built=${top_builddir:-$src}
case $built in /*) ;; *) built=$(dirname "$shipped_gp") ;; esac
engine=${STANDIN_ENGINE:-$built/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
mkdir "$work/libexec" "$work/proc" "$work/sys" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=libexec GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys
GPUPLAN_STANDIN_DEVICES=1
export GPUPLAN_LIBEXEC GPUPLAN_PROC GPUPLAN_SYSFS GPUPLAN_STANDIN_DEVICES
unset GPUPLAN_STANDIN
printf 'processor : 0\nmodel name : stand-in 0\ncore id : 0\nflags : fma\n\n' >"$work/proc/cpuinfo"
printf 'processor : 1\ncore id : 1\n' >>"$work/proc/cpuinfo"
printf 'MemTotal: 67108864 kB\n' >"$work/proc/meminfo"

# The plan is one of this machine: the page comes first.
screen "predicted" -m llama-3.2-1b -g cpu -c 2048 <<'KEYS'
4
:wait
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay
┌─ Confirm ───────────────────────────────────────── llama-3.2-1b bf16 on cpu ─┐
│term                    predicted    low..high measured    error  band        │
│fp32 qkv n=512       80.0 GFLOP/s  30.0..213.3        -        -              │
│fp32 o n=512         80.0 GFLOP/s  30.0..213.3        -        -              │
│fp32 gate_up n=512   80.0 GFLOP/s  30.0..213.3        -        -              │
│fp32 down n=512      80.0 GFLOP/s  30.0..213.3        -        -              │
│memory read             24.0 GB/s    9.0..64.0        -        -              │
│memory (fit)             2.42 GiB   2.42..2.42        -        -              │
│TPOT planned: 123 ms (46..334), model                                         │
│F5 measures these, two minutes at most; p all of Bench                        │
│                                                                              │
│┌─ Points ───────────────────────────────────────────────────────────────────┐│
││state   point                         measured       time    predicted ratio││
││── batch (layer, tokens) ───────────────────────────────────────────────────││
││waiting qkv 512 fp32                                                        ││
││waiting o 512 fp32                                                          ││
││waiting gate_up 512 fp32                                                    ││
││waiting down 512 fp32                                                       ││
│└────────────────────────────────────────────────────────────────────────────┘│
└──────────────────────────────────────────────────────────────────────────────┘
 Confirm: only what the plan rests on is measured, and the plan takes it.
 ~ scattered and counts less; ignored: other programs disturbed it.
 Enter:start  d:devices  o:options  p:all tests  y:why slow      ?:help  q:quit
END

screen "measured" -m llama-3.2-1b -g cpu -c 2048 <<'KEYS'
4
:wait
F5
:wait
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay       complete
┌─ Confirm ───────────────────────────────────────── llama-3.2-1b bf16 on cpu ─┐
│term                    predicted    low..high measured    error  band        │
│fp32 qkv n=512       80.0 GFLOP/s  30.0..213.3   3221.2  +3927 %  outside     │
│fp32 o n=512         80.0 GFLOP/s  30.0..213.3   2147.5  +2585 %  outside     │
│fp32 gate_up n=512   80.0 GFLOP/s  30.0..213.3  17179.9 +21379 %  outside     │
│fp32 down n=512      80.0 GFLOP/s  30.0..213.3   8589.9 +10639 %  outside     │
│memory read             24.0 GB/s    9.0..64.0     67.1   +180 %  outside     │
│memory (fit)             2.42 GiB   2.42..2.42     2.42     +0 %  in band     │
│TPOT planned: 123 ms (46..334), model                                         │
│TPOT calibrated: 53.5 ms (33.3..87.6), measured                               │
│cpu reads memory 180 % faster than assumed                                    │
│TPOT 53.5 ms, not 123; the band is 0.5 times as wide as before                │
│the planned 2.42 GiB were allocated and held what was written                 │
│llama.cpp has kernels of its own: measure them with its benchmark (llama-bench│
│-m MODEL.gguf -p 1024 -n 256 -o json >FILE), and plan with --calibration FILE │
│kept for later plans: w saves it under a name too, D drops it, r again, p all │
│of Bench                                                                      │
└──────────────────────────────────────────────────────────────────────────────┘


 Complete: every point was measured.

 Enter:read  d:devices  e:export  r:again  w:save  p:all tests   ?:help  q:quit
END

# What was measured is kept, and the plan is of it from the start; D drops it.
screen "the plan is measured" -m llama-3.2-1b -g cpu -c 2048 <<'KEYS'
:dump -
KEYS
assert_contains "measured" "Speed: measured" "$out"
screen "dropped" -m llama-3.2-1b -g cpu -c 2048 <<'KEYS'
4
:wait
D n
1
:dump -
4
:wait
D y
1
:dump -
KEYS
assert_contains "D asks first" "Speed: measured" "$out"
assert_contains "a model again" "Speed: model" "$out"
assert_eq "no file is left" "" "$(ls "$work/state/gpuplan/calibration")"

# At once: the same screen turns
screen "turns" -m llama-3.2-1b -g cpu -c 2048 <<'KEYS'
4
:wait
F5
:wait
1
:dump -
KEYS
assert_contains "turns" "Speed: measured" "$out"
rm -r "$work/state"

# Stopped half-way, F5 goes on in the same journal: no second result.
GPUPLAN_STANDIN=waits:1 GPUPLAN_STANDIN_GO=$work/stopped \
    screen "goes on" -m llama-3.2-1b -g cpu -c 2048 <<'KEYS'
4
:wait
F5
:until x:stop
x
:wait
:dump stopped
F5
:wait
:dump -
KEYS
assert_contains "stopped" "F5:go on" "$(cat stopped)"
assert_contains "why terms are missing" "not measured: stopped, or out of time" "$(cat stopped)"
lacks "not measured"
assert_eq "one result" 1 "$(find "$work/state/gpuplan/bench" -name '*.json' | wc -l)"
rm -r "$work/state"

# Another device than the planned one: all tests first, p says why, and one key plans and confirms
# what is here.
screen "not here" -m llama-3.2-1b -g h100-sxm <<'KEYS'
4
:wait
:dump first
p
:wait
:dump -
F5
:wait
:dump confirmed
u
:dump undone
KEYS
assert_contains "all tests first" "[4 Bench]" "$(cat first)"
assert_contains "measure" "─ Measure ─" "$(cat first)"
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay
┌─ Confirm ──────────────────────────────────── llama-3.2-1b bf16 on h100-sxm ─┐
│This host has no h100-sxm, it has stand-in 0. Enter plans llama-3.2-1b on     │
│that, and confirms it: about two minutes, x stops, u takes the plan back. p   │
│measures without a plan.                                                      │
│                                                                              │
│── What the plan says, not measured ──────────────────────────────────────────│
│TTFT                      19.6 ms (9.8..53.9 ms), model                       │
│TPOT                      1.91 ms (1.51..2.73 ms), model                      │
│output tokens per second  505/s (354..639), model                             │
│bound by                  launches and the engine's own time                  │
│                                                                              │
│┌─ Points ───────────────────────────────────────────────────────────────────┐│
││state   point                         measured       time    predicted ratio││
││── batch (layer, tokens) ───────────────────────────────────────────────────││
││waiting qkv 1 fp32                                                          ││
││waiting qkv 512 fp32                                                        ││
││waiting o 1 fp32                                                            ││
││waiting o 512 fp32                                                          ││
│└────────────────────────────────────────────────────────────────────────────┘│
└──────────────────────────────────────────────────────────────────────────────┘
 Confirm: only what the plan rests on is measured, and the plan takes it.
 ~ scattered and counts less; ignored: other programs disturbed it.
 Enter:start  d:devices  o:options  p:all tests  y:why slow      ?:help  q:quit
END
assert_contains "planned on what is here" "llama-3.2-1b bf16 on cpu" "$(cat confirmed)"
assert_contains "and confirmed" "TPOT calibrated" "$(cat confirmed)"
assert_contains "one step of undo" "undone: GPU cpu -> h100-sxm" "$(cat undone)"
rm -r "$work/state"

# While it runs: the same table, the point that runs in it, how far it is, and the plan with what is
# measured already: what the end comes to, when the last term corrects nothing. What was measured
# before counts when it goes on.
GPUPLAN_STANDIN=waits:5 GPUPLAN_STANDIN_GO=$work/go \
    screen "runs" -m llama-3.2-1b -g cpu -c 2048 <<'KEYS'
:size 120 30
4
:wait
F5
:until 1 to go
:dump -
x
:wait
:dump ended
KEYS
shows "├"
shows "low..high measured"
shows "elapsed"
shows "TPOT if it ended now: 53.5 ms (33.3..87.6) "
assert_contains "the same at the end" "TPOT calibrated: 53.5 ms (33.3..87.6)" "$(cat ended)"
finish
