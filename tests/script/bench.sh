#!/bin/bash
# bench.sh - Bench and its monitor of devices, by script. The engine is a stand-in that
# measures nothing (tests/fixtures/standin_engine.c), NVIDIA's library another
# (fake_nvml.c): what is tested is what becomes of what they say. At the end the CPU
# engine measures one small product for real.

. "${srcdir:-.}/tests/script/lib.sh"

built=${top_builddir:-$src}
case $built in /*) ;; *) built=$(dirname "$shipped_gp") ;; esac
engine=${STANDIN_ENGINE:-$built/tests/fixtures/standin_engine}
fake=$built/tests/fixtures/fake_nvml.so
[ -x "$engine" ] || skip "no $engine"
[ -f "$fake" ] || skip "no $fake"
mkdir "$work/libexec" "$work/proc" "$work/sys" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=libexec GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys
export GPUPLAN_LIBEXEC GPUPLAN_PROC GPUPLAN_SYSFS
unset GPUPLAN_STANDIN FAKE_NVML_LOG

# A processor of this test's own.
mkdir -p "$work/proc/4242"
echo trainer >"$work/proc/4242/comm"
for i in 0 1 2 3; do
    printf 'processor\t: %d\nmodel name\t: Example 9000\ncpu MHz\t\t: 2500.000\n' $i
    printf 'physical id\t: 0\ncore id\t\t: %d\n\n' $((i / 2))
done >"$work/proc/cpuinfo"
printf 'MemTotal: 67108864 kB\nMemAvailable: 50331648 kB\n' >"$work/proc/meminfo"
echo "0.50 0.40 0.30 1/200 1000" >"$work/proc/loadavg"
cache=$work/sys/devices/system/cpu/cpu0/cache/index0
mkdir -p "$cache"
echo 3 >"$cache/level"
echo 0-3 >"$cache/shared_cpu_list"
echo 32768K >"$cache/size"

# Names of files, times and the like differ from run to run.
steady() {
    out=$(printf '%s\n' "$out" | sed -e 's/│file .*/│file RESULT/' \
        -e 's/│kept  .*/│kept JOURNAL/' -e 's/elapsed .*/TIMES/' \
        -e 's/^|file .*/|file RESULT/' -e 's/^|kept  .*/|kept JOURNAL/')
}

results() {
    ls "$work/state/gpuplan/bench" 2>/dev/null
}

# ---- choosing -----------------------------------------------------------------------

screen "choosing" -m 8B -g h100-sxm <<'KEYS'
4
:wait
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay
┌─ Measure ────────────────────────────┐┌─ The plan ───────────────────────────┐
│▸ Start       50 points, 1 min 16 s   ││points  25, 2 passes on 2 devices     │
│── Tests ─────────────────────────────││time    about 1 min 16 s              │
│  [x] gemm      products of matrices  ││memory  456 MiB at once, 1.00 GiB free│
│  [x] batch     the plan's layers     ││engine  cpu: measures the CPU: engine │
│  [x] memory    read, write and copy  ││        gpuplan-bench-cuda is not     │
│  [ ] transfer  to and from the host  ││        installed here                │
│  [ ] decode    a whole decoder step  ││results ~/state/gpuplan/bench/        │
│  [ ] fit       allocates the plan    ││── Points, time, memory ──────────────│
│  [ ] allreduce sums over devices     ││gemm         8          23 s    96 MiB│
│── How ───────────────────────────────││batch       14          41 s   456 MiB│
│  Types       as the test does        ││memory       3           5 s   256 MiB│
│  Shapes      squares (gemm)          ││── Notes ─────────────────────────────│
│  Preset      quick                   ││NOT a cpu engine:                     │
│  Time limit  none                    ││libexec/gpuplan-bench-cpu calls itself│
│  Engine      auto                    ││'standin' (stand-in, measures nothing)│
│  More        options, none set       ││gemm: 4 points left out that would    │
│── Devices ───────────────────────────││take more than 5 s each here          │
│  [x] 0 stand-in 0, 1.00 GiB free    ▼││batch: 10 points left out that would …│
└──────────────────────────────────────┘└──────────────────────────────────────┘
 Start: measures with what is chosen below; what is measured is kept whatever
 happens.
 Enter:start  d:devices  o:options  p:confirm  y:why slow        ?:help  q:quit
END
assert_eq "no folder before a run" "" "$(results)"

screen "choosing, 120 columns" -m 8B -g h100-sxm <<'KEYS'
:size 120 36
4
:wait
Down Down
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan    2 Compare    3 Curves   [4 Bench]   5 Pool    6 Replay
┌─ Measure ────────────────────────────────────────────────┐┌─ The plan ───────────────────────────────────────────────┐
│  Start       50 points, 1 min 16 s                       ││points  25, 2 passes on 2 devices                         │
│── Tests ─────────────────────────────────────────────────││time    about 1 min 16 s                                  │
│  [x] gemm      products of matrices                      ││memory  456 MiB at once, 1.00 GiB free                    │
│▸ [x] batch     the plan's layers                         ││engine  cpu: measures the CPU: engine gpuplan-bench-cuda  │
│  [x] memory    read, write and copy                      ││        is not installed here                             │
│  [ ] transfer  to and from the host                      ││results ~/state/gpuplan/bench/                            │
│  [ ] decode    a whole decoder step                      ││── Points, time, memory ──────────────────────────────────│
│  [ ] fit       allocates the plan                        ││gemm         8          23 s    96 MiB                    │
│  [ ] allreduce sums over devices                         ││batch       14          41 s   456 MiB                    │
│── How ───────────────────────────────────────────────────││memory       3           5 s   256 MiB                    │
│  Types       as the test does                            ││── Notes ─────────────────────────────────────────────────│
│  Shapes      squares (gemm)                              ││NOT a cpu engine: libexec/gpuplan-bench-cpu calls itself  │
│  Preset      quick                                       ││'standin' (stand-in, measures nothing)                    │
│  Time limit  none                                        ││gemm: 4 points left out that would take more than 5 s each│
│  Engine      auto                                        ││here                                                      │
│  More        options, none set                           ││batch: 10 points left out that would take more than 5 s   │
│── Devices ───────────────────────────────────────────────││each here                                                 │
│  [x] 0 stand-in 0, 1.00 GiB free                         ││                                                          │
│  [x] 1 stand-in 1, 1.00 GiB free                         ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
│                                                          ││                                                          │
└──────────────────────────────────────────────────────────┘└──────────────────────────────────────────────────────────┘
 batch: the linear layers of the plan's model as one GPU holds them, for 1 to 8192 tokens: where weights stop being the
 limit.
 F5:start  Space:choose  d:devices  o:options  p:confirm  y:why slow                                     ?:help  q:quit
END

screen "choosing, 40 columns" -m 8B -g h100-sxm <<'KEYS'
:size 40 12
4
:wait
Down Down Down Down Down Down Down Down
:dump -
Tab
:dump -
KEYS
expect <<'END'
 1  2  3 [4 Bench] 5  6
┌─ Measure ────────────────────────────┐
│  [ ] fit       allocates the plan   ▲│
│  [ ] allreduce sums over devices     │
│── How ───────────────────────────────│
│▸ Types       as the test does        │
│  Shapes      squares (gemm)          │
│  Preset      quick                   │
│  Time limit  none                   ▼│
└──────────────────────────────────────┘
 Types: which number formats. …
 Enter:change            ?:help  q:quit
 1  2  3 [4 Bench] 5  6
┌─ The plan ─────────── Enter: points ─┐
│points  25, 2 passes on 2 devices     │
│time    about 1 min 16 s              │
│memory  456 MiB at once, 1.00 GiB free│
│engine  cpu: measures the CPU: engine │
│        gpuplan-bench-cuda is not     │
│        installed here                │
│results ~/state/gpuplan/bench/        │
└──────────────────────────────────────┘
 The plan: what a start would do. …
 Enter:read  F5:start    ?:help  q:quit
END

screen "choosing, ASCII" -m 8B -g h100-sxm --ascii <<'KEYS'
4
:wait
G Space
:wait
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay
+- Measure ----------------------------++- The plan ---------------------------+
|-- Tests ----------------------------^||points  25, 2 passes on 1 device      |
|  [x] gemm      products of matrices  ||time    about 1 min 16 s              |
|  [x] batch     the plan's layers     ||memory  456 MiB at once, 1.00 GiB free|
|  [x] memory    read, write and copy  ||engine  cpu: measures the CPU: engine |
|  [ ] transfer  to and from the host  ||        gpuplan-bench-cuda is not     |
|  [ ] decode    a whole decoder step  ||        installed here                |
|  [ ] fit       allocates the plan    ||results ~/state/gpuplan/bench/        |
|  [ ] allreduce sums over devices     ||-- Points, time, memory --------------|
|-- How -------------------------------||gemm         8          23 s    96 MiB|
|  Types       as the test does        ||batch       14          41 s   456 MiB|
|  Shapes      squares (gemm)          ||memory       3           5 s   256 MiB|
|  Preset      quick                   ||-- Notes -----------------------------|
|  Time limit  none                    ||NOT a cpu engine:                     |
|  Engine      auto                    ||libexec/gpuplan-bench-cpu calls itself|
|  More        options, none set       ||'standin' (stand-in, measures nothing)|
|-- Devices ---------------------------||gemm: 4 points left out that would    |
|  [x] 0 stand-in 0, 1.00 GiB free     ||take more than 5 s each here          |
|> [ ] 1 stand-in 1, 1.00 GiB free     ||batch: 10 points left out that would ~|
+--------------------------------------++--------------------------------------+
 Devices are measured at the same time, as they are used. d shows what they do
 now.
 F5:start  Space:choose  d:devices  o:options  p:confirm         ?:help  q:quit
END

screen "no test, no device" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Space Down Space Down Space
:wait
g Enter
:dump -
KEYS
shows "no test is chosen"
shows "cannot start yet"
lacks "about 0"

screen "types and preset by keys" -m 8B -g h100-sxm <<'KEYS'
4
:size 120 36
:wait
Down Down Down Down Down Down Down Down
Right
Down Down Right Down Right
:wait
:dump -
c
:dump -
KEYS
shows "Types       bf16"
shows "Preset      normal"
shows "Time limit  1m"
shows "2 passes"
shows "--bench gemm,batch,memory -m 8B -g h100-sxm --type bf16 --time-limit 1m"

GPUPLAN_STANDIN=nodevice screen "no device" -m 8B -g h100-sxm <<'KEYS'
4
:wait
:dump -
KEYS
shows "cannot start yet"
shows "r looks again"
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay
┌─ Measure ────────────────────────────┐┌─ The plan ───────────────────────────┐
│▸ Start       cannot start yet        ││gpuplan-bench-cpu: no device: the     │
│── Tests ─────────────────────────────││stand-in was told to have none        │
│  [x] gemm      products of matrices  ││tell it otherwise                     │
│  [x] batch     the plan's layers     ││                                      │
│  [x] memory    read, write and copy  ││r looks again                         │
│  [ ] transfer  to and from the host  ││                                      │
│  [ ] decode    a whole decoder step  ││                                      │
│  [ ] fit       allocates the plan    ││                                      │
│  [ ] allreduce sums over devices     ││                                      │
│── How ───────────────────────────────││                                      │
│  Types       as the test does        ││                                      │
│  Shapes      squares (gemm)          ││                                      │
│  Preset      quick                   ││                                      │
│  Time limit  none                    ││                                      │
│  Engine      auto                    ││                                      │
│  More        options, none set       ││                                      │
│                                      ││                                      │
│                                      ││                                      │
└──────────────────────────────────────┘└──────────────────────────────────────┘
 Start: measures with what is chosen below; what is measured is kept whatever
 happens.
 Enter:start  d:devices  o:options  p:confirm  y:why slow        ?:help  q:quit
END

# ---- options without a row ------------------------------------------------------------

screen "options, 40 columns" -m 8B -g h100-sxm <<'KEYS'
:size 40 12
4
:wait
o Down Down Right
:dump -
Down Down Enter "200" Enter
:dump -
KEYS
expect <<'END'
 1  2  3 [4 Bench] 5  6
┌─ More options of the measurement ────┐
│  cache          the test's own      ▲│
│▸ fill           normal, not uniform  │
│  check          sample              ▼│
│── fill ──────────────────────────────│
│uniform, normal, zeros: contents of   │
│the operands; zeros: not comparable   │
│                                      │
└──────────────────────────────────────┘
 Start: measures with what is chosen …
 Enter:change  Del:default  Esc:back
 1  2  3 [4 Bench] 5  6
┌─ More options of the measurement ────┐
│  check          sample              ▲│
│▸ rel-ci         1 %                  │
│  max-time       the preset's        ▼│
│── rel-ci ────────────────────────────│
│0.01 to 100 %: end a point when its   │
│median is known to within this        │
│                                      │
 --rel-ci: 200 is outside 0.01..100 % …
 rel-ci: 200
 Enter:do it  Up:earlier  Esc:back
END

screen "options by keys" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space
G k k Enter
Down Right
Down Right Right
Down Enter Down Enter
Down Enter "200" Enter
:dump high
C-u "2" Enter
Down Enter "0.5" Enter
:dump window
Up Del
Esc
:wait
:dump -
c
:dump -
KEYS
assert_contains "out of range, in place" "--rel-ci: 200 is outside 0.01..100 %" "$(cat high)"
for row in "cache          cold          the test's own" \
    "fill           zeros         uniform" "check          none          sample" \
    "rel-ci         2             1 %" "max-time       0.5           the preset's"; do
    assert_contains "a value beside its default" "$row" "$(cat window)"
done
assert_contains "what is in focus" "0.001 to 3600 s: longest time of one point" "$(cat window)"
shows "More        4 set: cache cold, fil"
command=$(printf '%s\n' "$out" | sed -n 's/^│ \([^│]*[^ │]\) *│$/\1/p' | tr '\n' ' ')
assert_contains "the command has them" \
    "--bench gemm,memory --cache cold --fill zeros --check none --preset quick --max-time 0.5" \
    "$command"
assert_lacks "a default is no option" "rel-ci" "$command"

screen "options by words" -m 8B -g h100-sxm <<'KEYS'
4
:size 120 36
:wait
:rel-ci 2 --force seed=7
:wait
:dump -
:set force off seed auto
:device 1
:preset normal --size 128MiB
:wait
:dump -
:device 2
:dump -
:size-limit 3
:dump -
:rel-ci
:dump -
:--size 12
:dump -
:lock-clock 3
:dump -
1
:rel-ci 3
:dump -
KEYS
shows "3 set: rel-ci 2, seed 7, force"
shows "2 set: size 128MiB, rel-ci 2"
shows "2 passes on 1 device"
shows "[ ] 0 stand-in 0"
shows "no device 2 here"
shows "rel-ci: needs a value (as in: rel-ci 2)"
shows "'12' has no unit"
shows "did you mean lock-clocks?"
shows "rel-ci: is for the screen Bench"

# ---- running ------------------------------------------------------------------------

GPUPLAN_STANDIN=stall:2 screen "running" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space g Enter
:until 9 %
:until 0 stand-in 0               -     -  40
:until 1 stand-in 1               -     -  40
:dump -
KEYS
steady
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay      bench 9 %
┌─ Devices ────────────────────────────────────────────────────────────────────┐
│device                  load     W   C   MHz    GiB throttle                  │
│0 stand-in 0               -     -  40     -      - -                         │
│1 stand-in 1               -     -  40     -      - -                         │
└──────────────────────────────────────────────────────────────────────────────┘
┌─ Points ─────── device 0, Tab: next ─┐┌─ This point ─────────────────────────┐
│state   point           measured ratio││gemm/fp16/512x512x512/cold            │
│── gemm (m x n x k) ──────────────────││warm-up, no sample yet                │
│ok      512^3 fp32   134 GFLOP/s 168 %││before   512^3 fp32: 134 GFLOP/s      │
│running 512^3 fp16                    ││                                      │
│waiting 512^3 bf16                    ││power -  clock -  temp 40 C  memory - │
│waiting 512^3 int8                    ││of 1.0 GiB  load -                    │
│waiting 2048^3 fp32                   ││                                      │
└──────────────────────────────────────┘└──────────────────────────────────────┘
┌─ Run ────────────────────────────────────────────────────────────────────────┐
│███···································· 9 %                                   │
│TIMES
│kept JOURNAL
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
 gemm/fp16/512x512x512/cold: running; takes under 1 s and 3 MiB
 ratio: the measured speed in percent of the predicted one
 x:stop  X:stop now  d:devices  e:export                         ?:help  q:quit
END

GPUPLAN_STANDIN=stall:2 screen "running, 40 columns" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space g Enter
:until 9 %
:until 0 stand-in 0               -     -  40
:size 40 12
:dump -
Tab
:dump -
Tab Tab Tab
:dump -
KEYS
steady
expect <<'END'
 1  2  3 [4 Bench] 5  6       bench 9 %
┌─ Points ─────── device 0, Tab: next ─┐
│state   point           measured ratio│
│── gemm (m x n x k) ──────────────────│
│ok      512^3 fp32   134 GFLOP/s 168 %│
│running 512^3 fp16                    │
│waiting 512^3 bf16                    │
│waiting 512^3 int8                    │
│waiting 2048^3 fp32                   │
└──────────────────────────────────────┘
 gemm/fp16/512x512x512/cold: running; …
 x:stop  X:stop now      ?:help  q:quit
 1  2  3 [4 Bench] 5  6       bench 9 %
┌─ 0 stand-in 0 ───────────────────────┐
│gemm/fp16/512x512x512/cold            │
│power    -                            │
│clock    -                            │
│temp     40 C                         │
│                                     ▄│
│memory   - of 1.0 GiB                 │
│load     -                            │
└──────────────────────────────────────┘
 gemm/fp16/512x512x512/cold: running; …
 x:stop  X:stop now      ?:help  q:quit
 1  2  3 [4 Bench] 5  6       bench 9 %
┌─ Run ────────────────────────────────┐
│█·················· 9 %               │
│TIMES
│kept JOURNAL
│                                      │
│                                      │
│                                      │
│                                      │
└──────────────────────────────────────┘
 gemm/fp16/512x512x512/cold: running; …
 x:stop  X:stop now      ?:help  q:quit
END

GPUPLAN_STANDIN=stall:2 screen "asks before it quits" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Enter
:until running
q
:dump -
KEYS
shows "a measurement runs"
[ "$(results | grep -c 'json.part$')" -ge 1 ] || fail "the journal is not kept"

GPUPLAN_STANDIN=waits:2 screen "stops after the point" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Enter
:until running
x
:wait
:dump -
KEYS
shows "Interrupted: what was measured is kept."
shows "F5 continues"
shows "skipped"

# A limit that ends it is no interruption.
GPUPLAN_STANDIN=waits:2 screen "time limit" -m 8B -g h100-sxm <<'KEYS'
4
:time-limit 2s
F5
:wait
:dump -
KEYS
shows "The time limit of 2 s is reached: "
shows "time limit"
lacks "Interrupted"

# the command for it is one that works; F5 does the same here
GPUPLAN_STANDIN=waits:2 GPUPLAN_STANDIN_GO=$work/half.json screen "goes on" -m 8B -g h100-sxm <<'KEYS'
:size 200 36
4
:wait
Enter
:until running
x
:wait
c
:dump -
w "half.json" Enter
:dump -
w "half.json" Enter
:dump -
Esc F5
:wait
:dump -
KEYS
shows "saved as half.json"
shows "half.json: already exists"
shows "Complete: every point was measured."
go_on=$(printf '%s\n' "$out" | sed -n 's/^ *\(gpuplan --bench .* --resume [^ ]*\).*/\1/p')
contains_word() { case " $1 " in *" $2 "*) ;; *) fail "no $2 in: $1" ;; esac; }
contains_word "$go_on" --resume
contains_word "$go_on" "-m"

# it is in no file: said until it is, and q asks
rm -rf "$HOME/state"
(
    until results | grep -q 'json.part$'; do sleep 0.05; done
    rm -rf "$HOME/state"
    : >removed
) &
GPUPLAN_STANDIN=waits:1 GPUPLAN_STANDIN_GO=$work/removed screen "not written" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space Down Space g Enter
:wait
:dump -
q
:dump -
n
w "rescued.json" Enter
:dump -
q
KEYS
wait
shows "NOT WRITTEN: the result is in no file"
shows "cannot write"
shows "the result is in no file yet (w saves it)"
shows "file  rescued.json"
[ -s rescued.json ] || fail "not rescued"

GPUPLAN_STANDIN=stall:2 screen "stops now" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space g Enter
:until 9 %
X
:wait
:dump -
KEYS
shows "Interrupted"
shows "ok "

GPUPLAN_STANDIN=crash:2 screen "engines that crash" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space g Enter
:wait
:dump -
KEYS
steady
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay         failed
┌─ Result ──────────────────────────────────────────────────────────── failed ─┐
│Failed: a device was lost; what was measured is kept.                         │
│devices 0, 1 lost: ended by signal 11 (SIGSEGV) while it measured             │
│gemm/fp16/512x512x512/cold                                                    │
│file RESULT
│next: F5 continues, c the command for it, 3 Curves, r new run                 │
│4 points good, 0 flagged, 0 wrong, 18 without a figure                        │
└──────────────────────────────────────────────────────────────────────────────┘
┌─ Points ─────────────────────────────────────────────── device 0, Tab: next ─┐
│state   point                           measured       time    predicted ratio│
│── gemm (m x n x k) ──────────────────────────────────────────────────────────│
│ok      512^3 fp32                   134 GFLOP/s       2 ms 79.9 GFLOP/s 168 %│
│skipped 512^3 fp16                                                            │
│skipped 512^3 bf16                                                            │
│skipped 512^3 int8                                                            │
│skipped 2048^3 fp32                                                           │
│skipped 2048^3 fp16                                                           │
│skipped 2048^3 bf16                                                           │
│ok      2048^3 int8                   8.59 TOP/s       2 ms   80.0 GOP/s  107x│
└──────────────────────────────────────────────────────────────────────────────┘
 Failed: a device was lost; what was measured is kept.

 Enter:read  F5:go on  d:devices  e:export  r:again  w:save      ?:help  q:quit
END

# ---- others use the devices; warm-up; throttling -----------------------------------------

GPUPLAN_STANDIN=taken screen "busy: refused, then all the same" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space g Enter
:wait
:dump -
c
:dump command
o Enter F5
:wait
:dump after
KEYS
steady
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay         failed
┌─ Result ──────────────────────────────────────────────────────────── failed ─┐
│Nothing was measured: other processes use the device.                         │
│devices 0, 1 not measured: busy: others use it                                │
│next: o, Enter, F5 measures all the same (force); or wait, then F5; or r and  │
│leave it out                                                                  │
│file RESULT
│0 points good, 0 flagged, 0 wrong, 22 without a figure                        │
└──────────────────────────────────────────────────────────────────────────────┘
┌─ Points ─────────────────────────────────────────────── device 0, Tab: next ─┐
│state   point                           measured       time    predicted ratio│
│── gemm (m x n x k) ──────────────────────────────────────────────────────────│
│skipped 512^3 fp32                                                            │
│skipped 512^3 fp16                                                            │
│skipped 512^3 bf16                                                            │
│skipped 512^3 int8                                                            │
│skipped 2048^3 fp32                                                           │
│skipped 2048^3 fp16                                                           │
│skipped 2048^3 bf16                                                           │
│skipped 2048^3 int8                                                           │
└──────────────────────────────────────────────────────────────────────────────┘
 Nothing was measured: other processes use the device.

 Enter:read  F5:try again  d:devices  o:options  e:export        ?:help  q:quit
END
assert_lacks "nothing to go on with" "--resume" "$(cat command)"
assert_contains "forced" "Complete: every point was measured." "$(cat after)"

GPUPLAN_STANDIN=taken screen "busy, 40 columns" -m 8B -g h100-sxm <<'KEYS'
4
:size 40 12
:wait
Down Down Space g Enter
:wait
:dump -
KEYS
steady
expect <<'END'
 1  2  3 [4 Bench] 5  6          failed
┌─ Result ──────────────────── failed ─┐
│Nothing was measured: other processes │
│use the device.                       │
│devices 0, 1 not measured: busy:      │
│others use it                         │
│next: o, Enter, F5 measures all the   │
│same (force); or wait, then F5; or r  │
│and leave it out                     …│
└──────────────────────────────────────┘
 Nothing was measured: other …
 Enter:read  d:devices   ?:help  q:quit
END

GPUPLAN_STANDIN=taken GPUPLAN_STANDIN_ON=1 GPUPLAN_STANDIN_GO=$work/live \
    screen "one is busy" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space g Enter
:until device 1: busy
:dump live
:wait
:dump -
KEYS
assert_contains "meanwhile" "not measured" "$(cat live)"
assert_contains "a whole note" "device 1: busy: others use it (wait, or --force)" "$(cat live)"
shows "Partly measured: other processes use a device; the rest is kept."
shows "device 1 not measured: busy: others use it"

GPUPLAN_STANDIN=warm:60 GPUPLAN_STANDIN_GO=$work/warming \
    screen "warm-up" -m 8B -g h100-sxm <<'KEYS'
4
:size 120 36
:wait
Down Down Space g Enter
:until the devices warm up
:dump -
:dump warming
:wait
:dump after
KEYS
shows "warm-up 0 %"
shows "│the devices warm up"
shows "elapsed 0:00   warm-up"
lacks "no point runs"
assert_contains "warm" "Complete" "$(cat after)"

# The class of the last reading, in words. The stand-in passes for the CUDA engine here.
cat >"$work/libexec/gpuplan-bench-cuda" <<END
#!/bin/sh
"$engine" "\$@" | sed -u "s/\"temp_c\":41.5/&,\"throttle_bits\":\$THROTTLE/"
END
chmod +x "$work/libexec/gpuplan-bench-cuda"
for bits in "0 none" "4 power cap" "64 thermal: too hot" "128 hardware brake"; do
    THROTTLE=${bits%% *} GPUPLAN_STANDIN=waits:1 screen "throttled, $bits" -m 8B <<KEYS
4
:size 120 36
:wait
Down Down Space g Enter
:until ${bits#* }
:dump -
X
:wait
KEYS
    shows "${bits#* } "
done
rm "$work/libexec/gpuplan-bench-cuda"

# ---- done ---------------------------------------------------------------------------

screen "done" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Space Down Space g Enter
:wait
:dump -
KEYS
steady
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay       complete
┌─ Result ────────────────────────────────────────────────────────── complete ─┐
│Complete: every point was measured.                                           │
│file RESULT
│next: 3 shows it in Curves, w saves under a name, r new run                   │
│device 0: memory reads at 67.1 GB/s; no sheet to compare it with              │
│device 1: memory reads at 67.1 GB/s; no sheet to compare it with              │
│6 points good, 0 flagged, 0 wrong, 0 without a figure                         │
└──────────────────────────────────────────────────────────────────────────────┘
┌─ Points ─────────────────────────────────────────────── device 0, Tab: next ─┐
│state   point                           measured       time    predicted ratio│
│── memory ────────────────────────────────────────────────────────────────────│
│ok      read 128 MiB                   67.1 GB/s       2 ms    24.0 GB/s 280 %│
│ok      write 128 MiB                  67.1 GB/s       2 ms            -     -│
│ok      copy 128 MiB                    134 GB/s       2 ms            -     -│
└──────────────────────────────────────────────────────────────────────────────┘





 Complete: every point was measured.

 Enter:read  d:devices  e:export  r:again  w:save  p:confirm     ?:help  q:quit
END

# The first line says no more than the figures do.
for how in good barren drifts error:0 error:2 wrong:0 error:5; do
    GPUPLAN_STANDIN=$how screen "what came of $how" -m 8B -g h100-sxm <<'KEYS'
:size 120 36
4
:wait
Down Space Down Space g Enter
:wait
:dump -
KEYS
    counts=$(printf '%s\n' "$out" | grep -o '[0-9]* points\? good, .* without a figure')
    case $counts in
    "6 points good, 0 flagged, 0 wrong, 0 without"*)
        shows "Complete: every point was measured."
        ;;
    "0 points good, 0 flagged, 0 wrong, 6 without"*)
        shows "Nothing was measured: nothing grows here"
        shows " 0 of 6 good "
        lacks "omplete"
        ;;
    "0 points good, "*)
        shows "No good figure: "
        shows " 0 of 6 good "
        lacks "omplete"
        ;;
    *)
        shows "Complete: ${counts%% *} of 6 points have a good figure."
        shows " ${counts%% *} of 6 good "
        lacks "every point"
        ;;
    esac
done

# Why a result is wrong stands beside it, also without a flag.
for how in "wrong:0=d\[0,0\] is 5" "refused:0=not called"; do
    GPUPLAN_STANDIN=${how%%=*} screen "the reason of ${how%%=*}" -m 8B -g h100-sxm <<'KEYS'
:size 120 36
4
:wait
Down Space Down Space g Enter
:wait
:dump -
KEYS
    assert_true "$last: beside its point" grep -q "^│wrong .* ${how#*=}" <<<"$out"
done

screen "done, 120 columns, saved, the second device" -m 8B -g h100-sxm <<'KEYS'
:size 120 36
4
:wait
Down Space Down Space g Enter
:wait
w "kept.json" Enter
Tab Down
:dump -
KEYS
steady
expect <<'END'
 gpuplan  1 Plan    2 Compare    3 Curves   [4 Bench]   5 Pool    6 Replay                                     complete
┌─ Result ────────────────────────────────────────────────────────────────────────────────────────────────── complete ─┐
│Complete: every point was measured.                                                                                   │
│file RESULT
│also  kept.json                                                                                                       │
│next: 3 shows it in Curves, w saves under a name, r new run                                                           │
│device 0: memory reads at 67.1 GB/s; no sheet to compare it with                                                      │
│device 1: memory reads at 67.1 GB/s; no sheet to compare it with                                                      │
│6 points good, 0 flagged, 0 wrong, 0 without a figure                                                                 │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
┌─ Points ─────────────────────────────────────────────────────────────────────────────────────── device 1, Tab: next ─┐
│state   point                      measured       time    predicted ratio bar  | predicted  flags                     │
│── memory ────────────────────────────────────────────────────────────────────────────────────────────────────────────│
│ok      read 128 MiB              67.1 GB/s       2 ms    24.0 GB/s 280 % ██████████│█████                            │
│ok      write 128 MiB             67.1 GB/s       2 ms            -     -                                             │
│ok      copy 128 MiB               134 GB/s       2 ms            -     -                                             │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
















 memory/write/134217728: 67.1 GB/s in 2 ms (1.999 ms..2.001 ms, 3 samples)

 Enter:read  d:devices  e:export  r:again  w:save  p:confirm  y:why slow                                 ?:help  q:quit
END
run --compare-results kept.json
assert_eq "what was saved is a result" 0 "$rc"

screen "done, 40 columns" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Space Down Space g Enter
:wait
:size 40 12
Tab
:dump -
KEYS
steady
expect <<'END'
 1  2  3 [4 Bench] 5  6        complete
┌─ Result ────────────────── complete ─┐
│Complete: every point was measured.   │
│file RESULT
│next: 3 shows it in Curves, w saves   │
│under a name, r new run               │
│device 0: memory reads at 67.1 GB/s;  │
│no sheet to compare it with           │
│device 1: memory reads at 67.1 GB/s; …│
└──────────────────────────────────────┘
 memory/read/134217728: 67.1 GB/s in …
 Enter:read  d:devices   ?:help  q:quit
END

screen "another run, one device" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Space Down Space g Enter
:wait
r
:wait
G Space
:wait
:dump -
KEYS
shows "3, 2 passes on 1 device"
shows "[ ] 1 stand-in 1"

screen "shown in Curves" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Enter
:wait
3
:dump -
KEYS
shows "last run of Bench"

# A folder that cannot be made: said, nothing lost, the program goes on.
: >"$work/state-file"
XDG_STATE_HOME=$work/state-file screen "no folder" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Enter
:wait
:dump -
KEYS
shows "[4 Bench]"
lacks "measuring"

# ---- devices ------------------------------------------------------------------------

screen "the processor alone" -m 8B -g h100-sxm <<'KEYS'
4
:wait
d
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay         0 GPUs
┌─ Devices ──────────────────────────────────────────────── now, every second ─┐
│id  device                              used GiB  busy   power  temp     clock│
│cpu Example 9000                       16.0/64.0     -       -     -  2500 MHz│
└──────────────────────────────────────────────────────────────────────────────┘
┌─ Example 9000 ───────────────────────────────────────────────────────────────┐
│cores    2, 4 processors in 1 socket      clock    2500 MHz                   │
│caches   level 2 -, level 3 32 MiB                                           █│
│memory   48.00 free of 64.00 GiB                                             █│
│load     0.50 runnable, mean of a minute                                     █│
│no GPU: no NVIDIA driver library                                             █│
│(/nonexistent: cannot open shared object                                     █│
│file: No such file or directory); the     temp     -                          │
│PCI bus cannot be read                    busy     -                          │
│                                          memory   16.0 of 64.0 GiB           │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                             ▃│
│                                                                             █│
└──────────────────────────────────────────────────────────────────────────────┘
 Driver readings, once a second; "-": not reported. used = total less free,
 with the driver's share. d or Esc goes back.
 d:back  e:export                                                ?:help  q:quit
END

GPUPLAN_NVML=$fake FAKE_NVML=two screen "two GPUs" -m 8B -g h100-sxm <<'KEYS'
4
:wait
d Down
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay         2 GPUs
┌─ Devices ──────────────────────────────────────────────── now, every second ─┐
│id  device                              used GiB  busy   power  temp     clock│
│0   NVIDIA GeForce RTX 4090             1.0/24.0   0 %    22 W  34 C   210 MHz│
│1   NVIDIA H100 80GB HBM3               3.0/79.6  98 %   664 W  66 C  1935 MHz│
│cpu Example 9000                       16.0/64.0     -       -     -  2500 MHz│
└──────────────────────────────────────────────────────────────────────────────┘
┌─ NVIDIA H100 80GB HBM3 ──────────────────────────────────────────────────────┐
│profile  h100-sxm                         power    664 of 700 W               │
│driver   570.86.15 (from nvml)                                               █│
│memory   76.65 free, 3.00 used of 79.65   clock    1935 of 1980 MHz           │
│         GiB                                                                 █│
│PCIe     gen 5 x16 of gen 5 x16           temp     66 C                       │
│NVLink   17 of 18 links active                                               ▆│
│MIG      off                              busy     98 % of the time           │
│bus      0000:3b:00.0                                                        █│
│programs 2 compute                        memory   3.0 of 79.6 GiB            │
│      4242   2.00 GiB  trainer                                               ▁│
│      4243          -  ?                  throttle power cap                  │
└──────────────────────────────────────────────────────────────────────────────┘

 Driver readings, once a second; "-": not reported. used = total less free,
 with the driver's share. d or Esc goes back.
 d:back  e:export                                                ?:help  q:quit
END

GPUPLAN_NVML=$fake FAKE_NVML=two screen "two GPUs, 120 columns" -m 8B -g h100-sxm <<'KEYS'
:size 120 36
4
:wait
d
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan    2 Compare    3 Curves   [4 Bench]   5 Pool    6 Replay                                       2 GPUs
┌─ Devices ──────────────────────────────────────────────────────────────────────────────────────── now, every second ─┐
│id  device                                             profile                  used GiB  busy   power  temp     clock│
│0   NVIDIA GeForce RTX 4090                            rtx-4090                 1.0/24.0   0 %    22 W  34 C   210 MHz│
│1   NVIDIA H100 80GB HBM3                              h100-sxm                 3.0/79.6  98 %   664 W  66 C  1935 MHz│
│cpu Example 9000                                       -                       16.0/64.0     -       -     -  2500 MHz│
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
┌─ NVIDIA GeForce RTX 4090 ────────────────────────────────────────────────────────────────────────────────────────────┐
│profile  rtx-4090                                               power    22 of 450 W                                  │
│driver   570.86.15 (from nvml)                                                                                        │
│memory   22.99 free, 1.00 used of 23.99 GiB                                                                           │
│PCIe     gen 1 x16 of gen 4 x16                                                                                      ▂│
│NVLink   none                                                   clock    210 of 1980 MHz                              │
│MIG      none                                                                                                         │
│bus      0000:af:00.0                                                                                                 │
│programs none                                                                                                        ▃│
│                                                                temp     34 C                                         │
│── What a plan takes of it ───────────────────────────────────                                                        │
│memory   1008 GB/s, sheet                                                                                            ▁│
│fp32     82.6 TFLOP/s      ██                                                                                        █│
│tf32     82.6 TFLOP/s      ██                                   busy     0 % of the time                              │
│fp16     165.2 TFLOP/s     ████                                                                                       │
│bf16     165.2 TFLOP/s     ████                                                                                       │
│fp8      330.3 TFLOP/s     █████████                                                                                 ▁│
│int8     660.6 TOP/s       ██████████████████                   memory   1.0 of 24.0 GiB                              │
│int4     1321 TOP/s        ███████████████████████████████████                                                        │
│fp4      none                                                                                                         │
│                                                                                                                     ▂│
│                                                                throttle idle                                         │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘



 Driver readings, once a second; "-": not reported. used = total less free, with the driver's share. d or Esc goes
 back.
 d:back  e:export                                                                                        ?:help  q:quit
END

GPUPLAN_NVML=$fake FAKE_NVML=two screen "two GPUs, 40 columns" -m 8B -g h100-sxm <<'KEYS'
:size 40 12
4
:wait
d Down
:dump -
KEYS
expect <<'END'
 1  2  3 [4 Bench] 5  6          2 GPUs
┌─ Devices ──────── now, every second ─┐
│id  device                    used GiB│
│1   NVIDIA H100 80GB HB…      3.0/79.6│
└──────────────────────────────────────┘
┌─ NVIDIA H100 80GB HBM3 ──────────────┐
│profile  h100-sxm                     │
│driver   570.86.15 (from nvml)        │
│memory   76.65 free, 3.00 used of …   │
└──────────────────────────────────────┘
 Driver readings, once a second; "-": …
 d:back  e:export        ?:help  q:quit
END

GPUPLAN_NVML=$fake FAKE_NVML=mig screen "MIG instances" -m 8B -g h100-sxm <<'KEYS'
4
:wait
d Down
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Replay      2 devices
┌─ Devices ──────────────────────────────────────────────── now, every second ─┐
│id  device                              used GiB  busy   power  temp     clock│
│0   MIG 1g.5gb of NVIDIA A100-SXM…       0.0/4.8     -       -     -         -│
│0   MIG 3g.20gb of NVIDIA A100-SX…      0.0/19.5     -       -     -         -│
│cpu Example 9000                       16.0/64.0     -       -     -  2500 MHz│
└──────────────────────────────────────────────────────────────────────────────┘
┌─ NVIDIA A100-SXM4-40GB MIG 3g.20gb ──────────────────────────────────────────┐
│profile  a100-sxm-40/3g.20gb              power    -                          │
│driver   570.86.15 (from nvml)            clock    -                          │
│memory   19.48 free, 0.02 used of 19.50   temp     -                          │
│         GiB                              busy     -                          │
│PCIe     gen 1 x16 of gen 4 x16           memory   0.0 of 19.5 GiB            │
│NVLink   -                                                                    │
│MIG      3g.20gb, 2 seen on GPU 0                                             │
│bus      0000:07:00.0                                                         │
│programs none                                                                 │
│                                                                              │
│                                                                             ▁│
│                                          throttle -                          │
└──────────────────────────────────────────────────────────────────────────────┘
 Driver readings, once a second; "-": not reported. used = total less free,
 with the driver's share. d or Esc goes back.
 d:back  e:export                                                ?:help  q:quit
END

GPUPLAN_NVML=$fake FAKE_NVML=lost screen "a lost GPU" -m 8B -g h100-sxm <<'KEYS'
4
:wait
d Down
:dump -
d
:dump -
KEYS
shows "the GPU is lost"
shows "Measure"

GPUPLAN_NVML=$fake FAKE_NVML=mismatch screen "a broken driver" -m 8B -g h100-sxm <<'KEYS'
4
:wait
d
:dump -
KEYS
shows "different versions"

# ---- sixteen devices, one of them lost -------------------------------------------------

GPUPLAN_STANDIN_DEVICES=16 GPUPLAN_STANDIN_ON=5 GPUPLAN_STANDIN=killed:1
GPUPLAN_STANDIN_GO=$work/never
export GPUPLAN_STANDIN_DEVICES GPUPLAN_STANDIN_ON GPUPLAN_STANDIN GPUPLAN_STANDIN_GO
screen "sixteen devices" -m 8B -g h100-sxm <<'KEYS'
:size 200 60
4
:wait
Enter
:until lost:
:dump live
x
:wait
:dump -
KEYS
out="$(cat live)
$out"
for i in 0 4 6 15; do
    shows "│$i stand-in $i "
done
shows "│5 stand-in 5 "
shows " lost: "
shows "device 5 lost: ended by signal 9"
shows "Failed: a device was lost; what was measured is kept."
assert_eq "devices in sight" 16 "$(grep -o '│[0-9]* stand-in [0-9]* ' live | wc -l | tr -d ' ')"
screen "sixteen devices where there is little room" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space g Enter
:until running
:dump -
Tab Tab Tab
:dump -
X
:wait
KEYS
shows "0 stand-in 0"
shows "   bench "
shows "device 3, Tab: next"
unset GPUPLAN_STANDIN_DEVICES GPUPLAN_STANDIN_ON GPUPLAN_STANDIN GPUPLAN_STANDIN_GO

# ---- plain mode -------------------------------------------------------------------------

plain() {
    last="plain mode"
    printf '%b' "\n\n\n\n\n\nmeasure\n$1\nquit\n" >"$work/answers"
    out=$("$gp" --plain -m 8B -g h100-sxm <"$work/answers" 2>&1)
}
GPUPLAN_STANDIN=taken
export GPUPLAN_STANDIN
plain '1'
shows "device 0: busy: others use it (wait, or --force)"
shows "Nothing was measured: other processes use the device."
shows "devices 0, 1 not measured: busy: others use it"
GPUPLAN_STANDIN=
plain 'perhaps\n1'
shows "Complete: every point was measured."
shows "The result is in "
unset GPUPLAN_STANDIN

# ---- the first time, to its end -------------------------------------------------------

unset FAKE_NVML
screen "first time" <<'KEYS'
l Down
Right Right
Down
Enter "l40s" Enter
Down -
:dump -
a Enter
M-2
:wait
:dump -
4
:wait
Enter
:wait
:dump -
q
KEYS
shows "NO FIT"
shows "the weights take"
assert_true "Compare begins with the plan, which fits now" \
    grep -qE '^│=.* int4-awq +[0-9]+ +fits' "$work/out"
shows "Complete: every point was measured."
shows "predicted ratio"
keys=$(grep -v '^:' "$work/keys" | sed 's/"\([^"]*\)"/\1/; s/l40s/l 4 0 s/' | wc -w)
[ "$keys" -lt 20 ] || fail "the first time takes $keys keys"
checks=$((checks + 1))

# ---- for real -----------------------------------------------------------------------

if "$built/gpuplan-bench-cpu" --devices 2>/dev/null | grep -q '"fp32"'; then
    this_host
    GPUPLAN_LIBEXEC=$built
    screen "the CPU engine" -m 8B -g h100-sxm <<'KEYS'
4
:wait
Down Down Space Down Space
Down Down Down Down Down Right Right Right Right Right
Down Enter "64x64x64" Enter
:wait
g Enter
:wait
:dump -
3
:dump -
KEYS
    # a busy machine may flag the point: it is measured all the same
    assert_true "the run came to its end" grep -qE \
        "Complete: every point was measured|No good figure: 1 flagged, 0 wrong" "$work/out"
    shows "64^3 fp32"
    shows "FLOP/s"
    if grep -q "Complete: every point was measured" "$work/out"; then
        shows "9 Measured matrix products"
        shows "last run of Bench"
        shows ": 1 point"
    fi
else
    echo "note: no engine of this CPU that multiplies: the screens are not tried with it"
fi

finish
