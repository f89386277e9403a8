#!/bin/sh
# cpu.sh - --gpu cpu: the processors of a machine that fixtures describe, so that nothing of
# the one that runs this counts.

. "${srcdir:-.}/tests/cli/lib.sh"

GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys
GPUPLAN_NVML=$work/none
export GPUPLAN_PROC GPUPLAN_SYSFS GPUPLAN_NVML
mkdir -p "$work/proc" "$work/sys/devices/system/cpu"

# machine CPUS FLAGS KIB: one socket of cores without a second thread
machine() {
    i=0
    while [ "$i" -lt "$1" ]; do
        printf 'processor : %d\nmodel name : Made Up 9000\nphysical id : 0\ncore id : %d\n' \
            "$i" "$i"
        [ -z "$2" ] || printf 'flags : fpu %s hypervisor\n' "$2"
        printf '\n'
        i=$((i + 1))
    done >"$work/proc/cpuinfo"
    printf 'MemTotal: %d kB\nMemAvailable: %d kB\n' "$3" "$3" >"$work/proc/meminfo"
}

plan() {
    run --plan -m llama-3.2-1b -g cpu -c 2048 --prompt 128 --output-tokens 32 "$@"
}

machine 8 "sse2 fma avx avx2 avx512f" 67108864
plan --why
assert_eq "fits" 0 "$rc"
assert_contains "name" "Made Up 9000, 8 cores (cpu)" "$out"
assert_contains "engine" "llama.cpp" "$out"
assert_contains "what the server keeps beside it" \
    "warning: llama.cpp keeps earlier prompts in up to 8.00 GiB of the same memory" "$out"
assert_contains "why the band is wide" "memory bandwidth (/2.50..x2.50)" "$out"
assert_contains "TPOT" "TPOT" "$out"
assert_contains "embeddings count: no host beside it" "2.30" "$out"
if have_json; then
    plan --format json
    assert_eq "gpu" cpu "$(json layout.gpu)"
    assert_eq "memory read here" measured "$(json memory.per_gpu.physical.origin)"
    assert_eq "no graphs" 0 "$(json memory.per_gpu.graphs.value)"
    assert_eq "not usable to the last byte" assumed "$(json memory.per_gpu.usable.origin)"
    wide=$(json speed.tpot.value)
    prompt=$(json speed.ttft.value)

    machine 8 "sse2" 67108864
    plan --format json
    [ "$(printf '%s\n' "$prompt" "$(json speed.ttft.value)" | sort -g | head -1)" = "$prompt" ] ||
        fail "narrow vectors do not make prompts slower"
    machine 2 "sse2 fma avx avx2 avx512f" 67108864
    plan --format json
    [ "$(printf '%s\n' "$wide" "$(json speed.tpot.value)" | sort -g | head -1)" = "$wide" ] ||
        fail "fewer cores do not make tokens slower"
    run --plan -m llama-3.2-1b -g local --format json
    assert_eq "local is the CPU where there is no GPU" cpu "$(json layout.gpu)"
    run --plan -m llama-3.2-1b --format json
    assert_lacks "but nobody asked for it" '"gpu": "cpu"' "$out"
fi

# two kinds of core: the fast ones count
machine 8 "sse2 fma avx avx2" 67108864
mkdir -p "$work/sys/devices/cpu_atom"
echo 2-7 >"$work/sys/devices/cpu_atom/cpus"
plan
assert_contains "hybrid" "2 cores (and 6 slower)" "$out"
rm "$work/sys/devices/cpu_atom/cpus"
for i in 0 1 2 3 4 5 6 7; do
    mkdir -p "$work/sys/devices/system/cpu/cpu$i"
    echo $((i < 4 ? 446 : 1024)) >"$work/sys/devices/system/cpu/cpu$i/cpu_capacity"
done
plan
assert_contains "hybrid by capacity" "4 cores (and 4 slower)" "$out"
rm -r "$work/sys/devices/system"

# a machine that tells of its memory alone, and one that tells nothing
: >"$work/proc/cpuinfo"
plan
assert_eq "without any topology" 0 "$rc"
assert_contains "one core" "CPU, 1 core (cpu)" "$out"
machine 4 "" 1048576
plan
assert_eq "too little memory" 1 "$rc"
: >"$work/proc/meminfo"
plan
assert_eq "no memory to plan for" 4 "$rc"
assert_contains "said so" "cannot read how much memory" "$err"

machine 4 "" 67108864
assert_fails 2 "one device" --plan -m llama-3.2-1b -g cpu:2
run --plan -m llama-3.2-1b -g cpu --engine vllm
assert_eq "vLLM has no processors among its devices" 1 "$rc"
finish
