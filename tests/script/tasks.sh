#!/bin/bash
# tasks.sh - what people came for, in few keys: each reaches its answer, and the keys are counted.

. "${srcdir:-.}/tests/script/lib.sh"

cat >lab.cfg <<'END'
name = "lab";
gpus = ( { gpu = "h100-pcie"; stock = 8; price = 25000.0; rent = 2.0; } );
workloads = (
    { name = "chat"; model = "llama-3.1-8b"; precision = "fp8"; tpot_ms = 30;
      demand = { shape = "evening"; peak = 20.0; }; }
);
END

# keys_of SCRIPT: how many keys it presses; a text in quotes is a key each character.
keys_of() {
    local quoted plain
    quoted=$(grep -o '"[^"]*"' <<<"$1" | tr -d '"\n')
    plain=$(sed 's/"[^"]*"//g' <<<"$1")
    echo $((${#quoted} + $(wc -w <<<"$plain")))
}

# task NAME MOST KEYS OPTION...: the screen afterwards in $out.
task() {
    local name=$1 most=$2 keys=$3
    shift 3
    screen "$name" "$@" <<KEYS
:size 120 36
:wait
$keys
:wait
:dump -
KEYS
    assert_true "$name: $(keys_of "$keys") keys, at most $most" [ "$(keys_of "$keys")" -le "$most" ]
}

task "does a 70B in int4 fit on two 24 GB cards, and with which context?" 9 'Down Down Down Down s' \
    -m 70B -p int4-awq -g a10g:2
shows "2 GPUs"
task "what serves 32 users of 16k tokens at 30 ms a token?" 20 '' \
    -m deepseek-v3 -u 32 -c 16k --tpot 30
shows "TPOT"
shows "Alternatives, cheapest first"
task "from which batch on is an L40S saturated?" 4 3 -m 8B -g l40s
shows "users: 90 % of the most"
task "three GPUs side by side, and exported" 12 '2 Down Space Space Space v e "c.md" Enter' \
    -m llama-3.1-70b -u 16
shows "Side by side"
assert_eq "of the marked rows alone, under their titles" 5 "$(grep -c '^|' c.md)"
task "8B, 70B, 400B in FP16: memory, GPUs, dollars" 6 '2 m' -g l40s
for size in 8B 70B 400B; do
    shows " $size "
done
shows "24 x 3"
task "another demand of a pool, and its hours" 6 '+ + l' --pool lab.cfg --screen
shows "[5 Pool]"
shows "lab.cfg*"
task "where a number comes from" 3 'Tab y Enter' -m 8B -g l40s
shows "TPOT = "
shows "step + prompts"
# of what was typed before, one key takes it back
undo=u
assert_true "undo: 1 key" [ "$(keys_of "$undo")" -le 1 ]
screen "undo" -m 8B -g l40s <<KEYS
:users 16
$undo
:dump -
KEYS
shows "Users      1 at once"
shows "undone: Users 16 -> default (U redoes)"

# A GEMM alone, measured, stopped, gone on with: on a stand-in that waits in the fourth point.
built=${top_builddir:-$src}
case $built in /*) ;; *) built=$(dirname "$shipped_gp") ;; esac
engine=${STANDIN_ENGINE:-$built/tests/fixtures/standin_engine}
if [ -x "$engine" ]; then
    mkdir "$work/libexec" "$work/proc" "$work/sys" || exit 99
    cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
    printf 'processor : 0\nmodel name : stand-in 0\ncore id : 0\nflags : fma\n\n' \
        >"$work/proc/cpuinfo"
    printf 'MemTotal: 67108864 kB\n' >"$work/proc/meminfo"
    export GPUPLAN_LIBEXEC=libexec GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys \
        GPUPLAN_STANDIN_DEVICES=1 GPUPLAN_STANDIN_GO=$work/stopped GPUPLAN_STANDIN=waits:3
    start='4 Down Down Space Down Space F5' resume=F5
    assert_true "GEMM alone: 8 keys at most" [ "$(keys_of "$start")" -le 8 ]
    assert_true "resumed: 1 key" [ "$(keys_of "$resume")" -le 1 ]
    screen "measure GEMM, stop, resume: predicted and measured" -m 8B -g l40s <<KEYS
:size 120 36
$start
:until 5 to go
:dump runs
x
:wait
:dump stopped
$resume
:wait
:dump -
KEYS
    assert_contains "it runs" "waiting 512^3 fp32" "$(cat runs)"
    assert_contains "F5 goes on" "F5:go on" "$(cat stopped)"
    shows "complete"
    shows "134 GFLOP/s"
    shows "| predicted"
fi
finish
