#!/bin/sh
# diagnose.sh - gpuplan --bench --diagnose, with the stand-in engine, which measures nothing:
# what is told of which machine, and the exit codes. Why a GPU is slow is tests/unit/test_diagnose.

. "${srcdir:-.}/tests/cli/lib.sh"

engine=${STANDIN_ENGINE:-${top_builddir:-.}/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
mkdir "$work/libexec" "$work/run" "$work/proc" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
freq=$work/sys/devices/system/cpu/cpu0/cpufreq
mkdir -p "$freq" || exit 99
GPUPLAN_LIBEXEC=$work/libexec GPUPLAN_NVML=/nonexistent GPUPLAN_SYSFS=$work/none
GPUPLAN_PROC=$work/proc
export GPUPLAN_LIBEXEC GPUPLAN_NVML GPUPLAN_SYSFS GPUPLAN_PROC
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID GPUPLAN_STANDIN
cd "$work/run" || exit 99

diagnose() {
    run --bench --diagnose --device 0 --progress none "$@"
}

# ---- a machine of which /sys tells nothing ----
diagnose
assert_eq "healthy: exit code" 0 "$rc"
assert_eq "healthy" "healthy: stand-in 0: nothing holds it back" "$(printf '%s\n' "$out" | head -n 1)"
assert_contains "evidence" "wrong                      0" "$out"
assert_contains "what is not known is said" "no reading here of: clock" "$out"
assert_eq "nothing is left behind" "" "$(ls)"

# ---- a governor that saves power; that of a driver whose word means another thing ----
GPUPLAN_SYSFS=$work/sys
echo powersave >"$freq/scaling_governor"
echo acpi-cpufreq >"$freq/scaling_driver"
diagnose
assert_eq "governor: exit code" 5 "$rc"
assert_contains "governor" "slow: stand-in 0: the governor powersave keeps the clocks low" "$out"
assert_contains "cure" "cure: cpupower frequency-set -g performance" "$out"
echo intel_pstate >"$freq/scaling_driver"
diagnose
assert_eq "intel_pstate: exit code" 0 "$rc"
printf '\033[2J%s\n' powersave >"$freq/scaling_governor"
diagnose --format json
assert_lacks "no escape comes through" "$(printf '\033')" "$out"

# ---- wrong results come first ----
echo powersave >"$freq/scaling_governor"
echo acpi-cpufreq >"$freq/scaling_driver"
GPUPLAN_STANDIN=wrong:1
export GPUPLAN_STANDIN
diagnose
assert_eq "broken: exit code" 5 "$rc"
assert_contains "broken" "broken: stand-in 0: 1 product has a wrong result" "$out"
assert_contains "and the other cause" "also: the governor powersave" "$out"
diagnose -q
assert_eq "quiet" broken "$out"

# ---- what the library is known to be the cause of says nothing of the device ----
GPUPLAN_SYSFS=$work/none
GPUPLAN_STANDIN=refused:1
diagnose
assert_contains "explained" "unknown: stand-in 0: 1 product has a wrong result, by the library" "$out"
assert_lacks "explained" "exchange" "$out"
GPUPLAN_STANDIN=crash:0
GPUPLAN_SYSFS=$work/none
diagnose
assert_eq "nothing measured: exit code" 6 "$rc"
assert_contains "nothing measured" "unknown: stand-in 0: nothing could be measured" "$out"
GPUPLAN_SYSFS=$work/sys
unset GPUPLAN_STANDIN

# ---- places and words ----
diagnose -o verdict.json --format json
assert_eq "into a file" 5 "$rc"
assert_contains "the file" '"schema": "gpuplan.diagnose/1"' "$(cat verdict.json)"
diagnose --format csv
assert_eq "no table" 2 "$rc"
GPUPLAN_LIBEXEC=$work/none diagnose
assert_eq "no engine: exit code" 4 "$rc"
finish
