#!/bin/sh
# confirm.sh - gpuplan --confirm: what is measured for a plan, what counts of it, and the plan
# after. With the stand-in engine (tests/fixtures/standin_engine.c), which measures nothing:
# only what becomes of its figures is tested; and once with the engine of this CPU.

. "${srcdir:-.}/tests/cli/lib.sh"

engine=${STANDIN_ENGINE:-${top_builddir:-.}/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
real=${top_builddir:-.}/gpuplan-bench-cpu
case $real in /*) ;; *) real=$PWD/$real ;; esac
mkdir "$work/libexec" "$work/proc" "$work/sys" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=$work/libexec GPUPLAN_NVML=$work/none
GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys
export GPUPLAN_LIBEXEC GPUPLAN_NVML GPUPLAN_PROC GPUPLAN_SYSFS
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID GPUPLAN_STANDIN
printf 'processor : 0\nmodel name : stand-in 0\nflags : fma\n' >"$work/proc/cpuinfo"
printf 'MemTotal: 67108864 kB\n' >"$work/proc/meminfo"
cd "$work" || exit 99

confirm() {
    run --confirm -m llama-3.2-1b -g cpu -c 2048 --prompt 128 --output-tokens 32 -q "$@"
}

# row NAME: its line of the table
row() {
    printf '%s\n' "$out" | grep "^$1" || :
}

run --plan -m llama-3.2-1b -g cpu -c 2048 --prompt 128 --output-tokens 32
assert_contains "assumed before" "memory bandwidth (/2.50" "$out"

run --confirm -m llama-3.2-1b -g cpu -c 2048 --prompt 128 --output-tokens 32 --tpot 100
assert_eq "confirmed" 0 "$rc"
assert_contains "read" "GB/s" "$(row 'memory read')"
assert_contains "read counts" "counts" "$(row 'memory read')"
assert_contains "how fast it computes" "counts" "$(row 'fp32 gate_up n=64')"
assert_lacks "no decoder step of other kernels" "decode step" "$out"
assert_contains "what measures those" "llama-bench -m MODEL.gguf -p 128 -n 32 -o json >FILE" "$out"
assert_contains "memory" "2.42 GiB" "$(row 'memory (fit)')"
assert_contains "before" "model" "$(row before)"
assert_contains "after" "measured" "$(row after)"
assert_contains "in words" "now within the goal of 100 ms" "$out"
assert_contains "memory in words" "were allocated and held" "$out"
run --plan -m llama-3.2-1b -g cpu -c 2048 --prompt 128 --output-tokens 32
assert_contains "kept for the next plan" "calibrated     measured here" "$out"
[ -n "$(ls "$XDG_STATE_HOME/gpuplan/bench")" ] || fail "no result is kept"
confirm --tpot 0.01
assert_eq "a goal that is missed" 1 "$rc"
if have_json; then
    confirm --format json
    assert_eq "schema" gpuplan.confirm/1 "$(json schema)"
    assert_eq "turned to measured" measured "$(json after.tpot.origin)"
fi

# an engine without a library that multiplies measures the rest
rm -r "$XDG_STATE_HOME"
GPUPLAN_STANDIN_TYPES='[]'
export GPUPLAN_STANDIN_TYPES
run --confirm -m llama-3.2-1b -g cpu -c 2048 --prompt 128 --output-tokens 32
unset GPUPLAN_STANDIN_TYPES
assert_eq "without products" 0 "$rc"
assert_contains "said" "its arithmetic is not measured" "$err"
assert_lacks "no product" "gate_up" "$out"

# disturbed points are not used; one that fails is said
rm -r "$XDG_STATE_HOME"
GPUPLAN_STANDIN=barren
export GPUPLAN_STANDIN
confirm
assert_eq "every point fails" 4 "$rc"
assert_contains "said" "the plan is unchanged" "$out"
GPUPLAN_STANDIN=wrong:0
run --confirm -m llama-3.2-1b -g cpu -c 2048
assert_eq "a wrong result" 5 "$rc"
assert_contains "is not used" "ignored" "$out"
unset GPUPLAN_STANDIN

# another device than the planned one
assert_fails 4 "has no h100-sxm: it cannot confirm that plan" \
    --confirm -m llama-3.2-1b -g h100-sxm
run --confirm -m llama-3.2-1b -g h100-sxm
assert_contains "what is here" "-g local" "$err"
assert_fails 2 "cannot be printed as a table" --confirm -m llama-3.2-1b -g cpu --format csv

# the processors of this machine: a model of a few thousand weights, as busy as it may be
this_host
if [ -x "$real" ]; then
    cp "$real" "$work/libexec/gpuplan-bench-cpu"
    run --confirm -m "$src/tests/fixtures/models/hf-llama" -g cpu -c 64 --prompt 32 \
        --output-tokens 16 --max-memory 64MiB --max-time 0.02 --time-limit 20 --format json
    case $rc in
    0 | 1 | 6) ;;
    *) fail "a real run: exit $rc" ;;
    esac
    if have_json && [ -n "$out" ]; then
        assert_eq "real run" gpuplan.confirm/1 "$(json schema)"
        assert_contains "read" "memory read" "$out"
    fi
fi
finish
