#!/bin/sh
# host.sh - no test depends on the machine that runs it: a golden recorded here must be
# what another machine prints.
#
#   * A script that starts the program takes tests/cli/lib.sh, which shows it the
#     processors of tests/fixtures/host and no GPU. Those below need no such host.
#   * Only this_host() of lib.sh gives the real machine back, and only to tests that
#     measure on it.
#   * No test names the processor of the machine that runs this, or a processor's brand,
#     as a golden does that was recorded without the fixture.

. "${srcdir:-.}/tests/lint/lint.sh"

# Scripts without lib.sh, and why.
without=' tests/bench/cpu_smoke.sh tests/bench/cuda_standin.sh tests/bench/pitfalls.sh
 tests/bench/toolkits.sh tests/cli/devices.sh tests/cli/instructions.sh tests/cli/man.sh '
# cpu_smoke, pitfalls: the engine itself, which measures here; cuda_standin, toolkits: the
# engine on a stand-in; devices: brings a host of its own; instructions: counts them on
# named GPUs; man: starts nothing.

# Tests that measure on the real machine, or look for its GPU.
real=' tests/cli/confirm.sh tests/gpu/rehearsal.sh tests/script/bench.sh '

scripts=$(find_files tests '*.sh' |
    grep -E '^tests/(bench|cli|cluster|script|tui|gpu/rehearsal)' | grep -v '/lib\.sh$')
for script in $scripts; do
    case $without in
    *"$script"*) continue ;;
    esac
    grep -q '/lib\.sh"' "$script" ||
        problem "$script: does not take tests/cli/lib.sh, so it sees this machine"
    grep -nE 'unset .*GPUPLAN_(PROC|SYSFS|NVML)' "$script" /dev/null &&
        problem "$script: say this_host, or test_host for the fixture again"
    case $real in
    *"$script"*) continue ;;
    esac
    ! grep -q '^[^#]*this_host' "$script" ||
        problem "$script: measures on this machine: name it in tests/lint/host.sh"
done

name=$(sed -n 's/^model name[^:]*: *//p' /proc/cpuinfo 2>/dev/null | head -n 1)
goldens=$(find_files tests '*.sh' '*.c' '*.h' | grep -vE '^tests/(fixtures/|lint/host)')
# shellcheck disable=SC2086 # names without blanks, one per word
found=$(
    [ -z "$name" ] || grep -nF -e "$name" $goldens
    grep -nE 'Xeon|EPYC|Ryzen [0-9T]|Opteron|Intel\(R\)|Neoverse|Graviton' $goldens
)
[ -z "$found" ] || problem "a processor of somebody's machine is named:
$found"

finish
