#!/bin/sh
# devices.sh - the GPU in this machine: --list devices, --gpu local, and the default of
# --gpu, with a stand-in for NVIDIA's library (tests/fixtures/fake_nvml.c).

set -u
fake=${top_builddir:-.}/tests/fixtures/fake_nvml.so
[ -x "${GPUPLAN:=./gpuplan}" ] || exit 99
[ -f "$fake" ] || { echo "no $fake: make check builds it"; exit 99; }

work=$(mktemp -d) || exit 99
trap 'rm -rf "$work"' EXIT
GPUPLAN_SYSFS=$work
export GPUPLAN_SYSFS
failed=0

# expect STATUS TEXT ARGUMENT...: gpuplan exits so and says so, on either stream.
expect() {
    status=$1
    text=$2
    shift 2
    said=$("$GPUPLAN" "$@" 2>&1)
    got=$?
    case $said in
    *"$text"*) [ "$got" -eq "$status" ] && return ;;
    esac
    echo "gpuplan $*: exit $got, not $status; or '$text' is not in: $said"
    failed=$((failed + 1))
}

plan() {
    status=$1
    text=$2
    shift 2
    expect "$status" "$text" --plan -m llama-3.1-8b -p fp8 "$@"
}

# nothing here
GPUPLAN_NVML=$work/none
export GPUPLAN_NVML
expect 0 "no device: no NVIDIA driver library" --list devices
expect 0 '"items": []' --list devices --format json
mkdir "$work/proc"
printf 'MemTotal: 67108864 kB\n' >"$work/proc/meminfo"
GPUPLAN_PROC=$work/proc expect 0 '"gpu": "cpu"' --plan -m llama-3.1-8b -p q8_0 --gpu local \
    --format json
plan 0 '"gpu_from": "cheapest-that-fits"' --format json

# a driver
GPUPLAN_NVML=$fake
FAKE_NVML=two
export FAKE_NVML
expect 0 "h100-sxm  yes" --list devices
expect 0 "1 devices" --list devices 4090
expect 0 '"driver": "570.86.15"' --list devices --format json
expect 0 "rtx-4090" --list devices -q
plan 0 '"gpu": "h100-sxm"' --gpu local --format json
plan 0 "2 x h100-sxm" --gpu local:2 -q
plan 0 '"gpu_from": "this-machine"' --format json

FAKE_NVML=mig
expect 0 "a100-sxm-40/1g.5gb" --list devices
plan 0 "1 x a100-sxm-40/3g.20gb" -q
FAKE_NVML=mig-empty
plan 4 "no instance of it can be seen" --gpu local

FAKE_NVML=other
expect 0 "not in the catalogue" --list devices
plan 4 "it has 'NVIDIA GeForce GTX 1099' (8.00 GiB)" --gpu local
plan 0 '"gpu_from": "cheapest-that-fits"' --format json

FAKE_NVML=mismatch
expect 4 "(NVML error 18)" --list devices
plan 4 "(NVML error 18)" --gpu local
plan 0 '"gpu_from": "cheapest-that-fits"' --format json

# a driver that is late is waited for; one that does not answer is said to, and left alone
began=$(date +%s)
FAKE_NVML=two
GPUPLAN_DRIVER_WAIT=0.4
export GPUPLAN_DRIVER_WAIT FAKE_NVML_LATE FAKE_NVML_FAIL
FAKE_NVML_LATE=nvmlInit:0.1
expect 0 "h100-sxm  yes" --list devices
for call in nvmlInit:30 GetCount:30 HandleByIndex:30@2 GetName:30 MemoryInfo:30 Temperature:30 \
    NvLinkState:30@5 RunningProcesses:30; do
    FAKE_NVML_LATE=$call
    expect 4 "the NVIDIA driver does not answer (waited 0.4 s)" --list devices
    plan 4 "does not answer (waited 0.4 s)" --gpu local
    plan 0 '"gpu_from": "cheapest-that-fits"' --format json
done
[ $(($(date +%s) - began)) -le 25 ] || { echo "stood still for a driver"; failed=1; }
FAKE_NVML_LATE=
# what fails, with any code, costs its figure or its device, never the list
for code in 3 4 15 999; do
    for call in PowerUsage Temperature ClockInfo ComputeRunning NvLink PcieLink ThrottleReasons UUID; do
        FAKE_NVML_FAIL=$call:$code
        expect 0 "h100-sxm  yes" --list devices
    done
    FAKE_NVML_FAIL=HandleByIndex:$code@2
    expect 0 "rtx-4090  yes" --list devices
done
FAKE_NVML_FAIL=

# drivers are asked once, and only when somebody wants to know
FAKE_NVML=two
FAKE_NVML_LOG=$work/log
export FAKE_NVML_LOG
plan 0 "h100-sxm" --gpu h100-sxm -q
expect 0 "h100-sxm" --list gpus -q
[ ! -e "$work/log" ] || { echo "asked the driver without need"; failed=1; }
printf '{"model": "llama-3.1-8b"}\n%.0s' 1 2 3 >"$work/batch"
echo '{"model": "llama-3.1-8b", "gpu": "local"}' >>"$work/batch"
expect 0 '"this-machine"' --batch "$work/batch"
asked=$(wc -c <"$work/log")
[ "$asked" -eq 1 ] || { echo "asked the driver $asked times, not once"; failed=1; }

[ "$failed" -eq 0 ]
