#!/bin/sh
# clock_lock.sh - --lock-clocks gives the clocks back, whatever ends the run: the stand-ins
# for CUDA and for the driver's library, which writes down what it is told.

. "${srcdir:-.}/tests/cli/lib.sh"

build=$(cd "${top_builddir:-.}" && pwd)
engine=${STANDIN:-$build/tests/bench/standin-bench-cuda}
fake=$build/tests/fixtures/fake_nvml.so
[ -x "$engine" ] || skip "no CUDA toolkit, so no $engine"
mkdir "$work/libexec" "$work/nvml" "$work/run" || exit 99
ln -s "$engine" "$work/libexec/gpuplan-bench-cuda"
ln -s "$fake" "$work/nvml/libnvidia-ml.so.1"
GPUPLAN_LIBEXEC=$work/libexec LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=1
FAKE_NVML_CLOCKS=$work/clocks
export GPUPLAN_LIBEXEC LD_LIBRARY_PATH FAKE_NVML_PROCESSES FAKE_NVML_CLOCKS
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID FAKE_NVML FAKE_CUDA
trap '' PIPE
cd "$work/run" || exit 99

# wait_for WHAT COMMAND...: a minute at most
wait_for() {
    what=$1 n=0
    shift
    until "$@" >/dev/null 2>&1; do
        n=$((n + 1))
        [ $n -lt 3000 ] || { fail "$what did not happen" "$(cat "$work/clocks" 2>&1)"; return; }
        sleep 0.02
    done
}

clocks() { # what the driver was told, on one line
    tr '\n' ' ' <"$work/clocks"
}

# start CLOCK: an engine as the leader of a group, which holds its clocks and waits for
# the word "go" until somebody ends it; $pid
start() {
    rm -f "$work/clocks" "$work/in" "$work/pid" "$work/lines"
    mkfifo "$work/in"
    # shellcheck disable=SC2016 # for the inner shell
    setsid sh -c 'echo $$ >"$2"; exec "$1"' sh "$engine" "$work/pid" \
        <"$work/in" >"$work/lines" 2>&1 &
    job=$!
    exec 9>"$work/in"
    cat >&9 <<LINES
{"protocol":1,"do":"settings","device":0,"lock_clocks":$1,"device_warmup_min":0,"device_warmup_max":0}
{"do":"point","index":0,"point":{"test":"gemm","type":"bf16","m":64,"n":8,"k":96,"cache":"cold"}}
{"do":"run","wait":true}
LINES
    wait_for "an engine that is ready" grep -q '"ready"' "$work/lines"
    pid=$(cat "$work/pid")
}

# ended WHAT CLOCKS: nobody holds anything any more. The input is ours until then, so
# that it is not its end that ends the engine.
ended() {
    wait_for "$1: clocks restored" grep -q reset "$work/clocks"
    exec 9>&-
    wait "$job" 2>/dev/null
    assert_eq "$1" "$2" "$(clocks)"
}

# told to end
start 1410
assert_eq "held while it works" "locked 1410..1410 " "$(clocks)"
assert_contains "and said" '"sm_clock_locked": 1410' "$(cat "$work/lines")"
echo '{"do":"go"}' >&9
ended "a run that ends by itself" "locked 1410..1410 reset "
assert_contains "with its result" '"status": "complete"' "$(cat "$work/lines")"
start '"base"'
assert_contains "the base clock" '"sm_clock_locked": "base"' "$(cat "$work/lines")"
exec 9>&-
ended "the end of its input" "locked ffffff01..ffffff01 reset "
start 1410
kill -TERM "$pid"
ended SIGTERM "locked 1410..1410 reset "

# killed: alone, and with everybody in its group
start 1410
kill -KILL "$pid"
ended "SIGKILL" "locked 1410..1410 reset "
start 1410
kill -TERM -"$pid"
ended "SIGTERM to the group" "locked 1410..1410 reset "
start 1410
kill -KILL -"$pid"
ended "SIGKILL to the group" "locked 1410..1410 reset "

# signals to the holder itself; SIGKILL alone would leave the clocks locked
start 1410
holder=$(pgrep -f "hold-clocks .* 1410" -P "$pid" 2>/dev/null)
if [ -n "$holder" ]; then
    kill -TERM "$holder"
    kill -INT "$holder"
    kill -HUP "$holder"
    sleep 0.1
    assert_eq "the holder stays" "locked 1410..1410 " "$(clocks)"
    assert_eq "and has a session of its own" "$holder" "$(ps -o sid= -p "$holder" | tr -d ' ')"
else
    echo "note: no pgrep, or it sees nothing: the holder itself is not signalled"
fi
kill -KILL "$pid"
ended "after signals to the holder" "locked 1410..1410 reset "

# the whole program
bench() {
    rm -f "$work/clocks"
    run --bench gemm --shapes 64:64:64 --type bf16 --preset quick --progress none \
        --check none --max-time 0.05 "$@"
}
bench --lock-clocks 1410 -o locked.json
assert_eq "a run" 0 "$rc"
assert_eq "restored when it is done" "locked 1410..1410 reset " "$(clocks)"
assert_contains "settings" '"lock_clocks": 1410' "$(cat locked.json)"
assert_contains "of the device" '"sm_clock_locked": 1410' "$(cat locked.json)"
bench -o free.json
assert_eq "without it" 0 "$rc"
assert_true "nothing is locked" test ! -e "$work/clocks"
assert_contains "settings" '"lock_clocks": null' "$(cat free.json)"
assert_lacks "of the device" sm_clock_locked "$(cat free.json)"

rm -f "$work/clocks"
"$gp" --bench gemm --type bf16 --preset thorough --progress none --lock-clocks base \
    -o killed.json >/dev/null 2>&1 &
pid=$!
wait_for "a lock" grep -q locked "$work/clocks"
kill -KILL $pid
wait $pid 2>/dev/null
wait_for "gpuplan killed: clocks restored" grep -q reset "$work/clocks"
assert_eq "gpuplan killed" "locked ffffff01..ffffff01 reset " "$(clocks)"

# what cannot be locked is not measured
for case in "no-permission:1410:needs root" "other:1410:its driver does not do that" \
    "none:5000:this GPU has no such clock"; do
    clock=${case#*:} why=${case##*:}
    clock=${clock%%:*}
    FAKE_NVML=${case%%:*} bench --lock-clocks "$clock" -o refused.json
    assert_eq "$why: code" 4 "$rc"
    assert_contains "$why" "its clock cannot be locked" "$err"
    assert_contains "$why" "$why" "$err"
    assert_contains "$why: what to do" "leave --lock-clocks out" "$err"
    assert_true "$why: nothing is locked" test ! -e "$work/clocks"
done
# a GPU that others use is not measured: its clock is theirs
: >"$work/clocks"
FAKE_NVML_PROCESSES=3 bench --lock-clocks 1410 -o refused.json
assert_eq "of a GPU in use" 4 "$rc"
assert_eq "its clock is left alone" "" "$(cat "$work/clocks")"
LD_LIBRARY_PATH='' bench --lock-clocks 1410 -o refused.json
assert_eq "no NVML: code" 4 "$rc"
assert_contains "no NVML" "no libnvidia-ml.so.1" "$err"

# words, before anything is started; a CPU
for clock in fast 1410MHz 1e3; do
    assert_fails 2 "'$clock' is neither base nor MHz" --bench gemm --lock-clocks "$clock"
done
assert_fails 2 "outside 100..10000" --bench gemm --lock-clocks 99
assert_fails 2 "outside 100..10000" --bench gemm --lock-clocks 99999999999999999999
if [ -x "$build/gpuplan-bench-cpu" ]; then
    ln -s "$build/gpuplan-bench-cpu" "$work/libexec"
    assert_fails 2 "--lock-clocks: needs a GPU" --bench gemm --backend cpu --lock-clocks base
    FAKE_CUDA=no-device assert_fails 2 "measures the CPU: " --bench gemm --lock-clocks base
fi

finish
