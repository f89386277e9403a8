#!/bin/sh
# bench_faults.sh - Ctrl-C at every stage of gpuplan --bench, and places that cannot be
# written: nothing that was measured is lost, the file is valid, the code is right, and
# --resume goes on. With the stand-in engine, which measures nothing, and once with the
# engine of this CPU.

. "${srcdir:-.}/tests/cli/lib.sh"

engine=${STANDIN_ENGINE:-${top_builddir:-.}/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
real=${top_builddir:-.}/gpuplan-bench-cpu
case $engine in /*) ;; *) engine=$PWD/$engine ;; esac
case $real in /*) ;; *) real=$PWD/$real ;; esac
mkdir "$work/libexec" "$work/run" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=$work/libexec
export GPUPLAN_LIBEXEC
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID GPUPLAN_STANDIN
cd "$work/run" || exit 99

# A shell without job control starts background jobs with SIGINT ignored: undone here,
# so that it is SIGINT indeed. Without perl or env --default-signal, SIGTERM stands in.
if env --default-signal=INT true 2>/dev/null; then
    default="env --default-signal=INT" signal=INT want=130
else
    default='' signal=TERM want=143
    echo "note: no env --default-signal: SIGTERM instead of SIGINT"
fi

# start HOW ARGUMENT...: in the background, $pid
start() {
    how=$1
    shift
    last="GPUPLAN_STANDIN=$how gpuplan --bench $*"
    GPUPLAN_STANDIN=$how $default "$gp" --bench "$@" --type fp32 --device 0 \
        --progress json >"$work/out" 2>"$work/err" &
    pid=$!
}

# wait_for WHAT COMMAND...: a minute at most
wait_for() {
    what=$1 n=0
    shift
    until "$@" 2>/dev/null; do
        n=$((n + 1))
        [ $n -lt 3000 ] || { fail "$what did not happen"; return; }
        sleep 0.02
    done
}

stop() { # [WORD that is awaited before the second one]
    kill -$signal $pid
    if [ -n "${1:-}" ]; then
        wait_for "a word on the first signal" grep -q "$1" "$work/err"
        kill -$signal $pid
    fi
    wait $pid
    rc=$?
    err=$(cat "$work/err")
}

valid() {
    "$gp" --compare-results "$1" >/dev/null 2>"$work/why" || fail "$1 is not valid" "$(cat "$work/why")"
}

good() {
    "$gp" --compare-results "$1" --format csv | awk -F, '$12 == "ok"' | wc -l | tr -d ' '
}

# resumed FILE: --resume measures what is missing, and only that
resumed() {
    GPUPLAN_STANDIN='' "$gp" --bench memory,gemm --type fp32 --preset thorough --device 0 \
        --progress none -o "$1" --resume "$1.part" >"$work/out" 2>"$work/err"
    assert_eq "$1: resumed" 0 $?
    valid "$1"
    assert_contains "$1: whole" '"status": "complete"' "$(cat "$1")"
    [ -e "$1.part" ] && fail "$1: the journal of a whole run is left"
    assert_eq "$1: points" "$all" "$(good "$1")"
}

"$gp" --bench memory,gemm --type fp32 --preset thorough --device 0 --progress none \
    -o all.json >/dev/null 2>&1
all=$(good all.json)
[ "$all" -gt 3 ] || fail "only $all points"

# ---- Ctrl-C at every stage --------------------------------------------------------------

children() { grep -qs "^PPid:[[:space:]]*$pid\$" /proc/[0-9]*/status; }

start hang memory,gemm --preset thorough -o list.json
wait_for "the engine's start" children
stop
assert_eq "while devices are listed" $want "$rc"
assert_contains "says so" "stopped before anything was measured" "$err"
[ -e list.json ] || [ -e list.json.part ] && fail "a file without a result"

start warm:60 memory,gemm --preset thorough -o warm.json
wait_for "the journal" test -s warm.json.part
stop
assert_eq "during warm-up" $want "$rc"
valid warm.json
assert_contains "status" '"status": "interrupted"' "$(cat warm.json)"
resumed warm.json

start waits:1 memory,gemm --preset thorough -o point.json
wait_for "a point" grep -q '"state"' point.json.part
stop
assert_eq "between points" $want "$rc"
valid point.json
kept=$(good point.json)
[ "$kept" -ge 1 ] || fail "what was measured is lost"
resumed point.json

start stubborn:1 memory,gemm --preset thorough -o now.json
wait_for "a point" grep -q '"state"' now.json.part
stop "again: immediately"
assert_eq "twice: at once" $want "$rc"
assert_contains "says so" "stops immediately" "$err"
valid now.json
resumed now.json

# while the result goes to a reader that is slow (more than a pipe holds): it arrives whole
mkfifo pipe || exit 99
GPUPLAN_STANDIN='' $default "$gp" --bench memory,gemm,batch --type fp32,bf16,int8 \
    --preset thorough --device 0 --progress none -o - --format json \
    >pipe 2>"$work/err" &
pid=$!
exec 3<pipe
read -r first <&3
kill -$signal $pid
sleep 0.2
{ echo "$first" && cat; } <&3 >written.json
exec 3<&-
wait $pid
assert_eq "while writing" $want $?
[ "$(wc -c <written.json)" -gt 70000 ] || fail "too short to tell"
valid written.json
assert_contains "the result is whole" '"status": "complete"' "$(cat written.json)"

# while rank 0 waits for the others
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0
export OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK
start good memory,gemm --preset quick -o ranks.json
wait_for "rank 0's file" sh -c 'ls ranks.rank0.*.json >/dev/null'
stop
unset OMPI_COMM_WORLD_RANK OMPI_COMM_WORLD_SIZE OMPI_COMM_WORLD_LOCAL_RANK
assert_eq "while waiting for ranks" $want "$rc"
valid ranks.json
assert_contains "what is missing" missing_ranks "$(cat ranks.json)"

# the engine of this CPU: warm-up and points are real. A product: its size does not
# depend on the CPU's last cache, as that of memory's does.
if [ -x "$real" ]; then
    cp "$real" "$work/libexec/gpuplan-bench-cpu"
    start '' gemm --preset quick --shapes 512:512:512 -o cpu.json
    wait_for "the journal" test -s cpu.json.part
    sleep 0.3
    stop
    assert_eq "the CPU's engine" $want "$rc"
    valid cpu.json
    "$gp" --bench gemm --type fp32 --preset quick --device 0 --progress none \
        --shapes 512:512:512 -o cpu.json --resume cpu.json.part >"$work/out" 2>"$work/err"
    assert_eq "the CPU's engine, resumed" 0 $?
    cp "$engine" "$work/libexec/gpuplan-bench-cpu"
fi

# ---- an engine that is lost -------------------------------------------------------------

bench() {
    run --bench memory,gemm --type fp32 --preset thorough --device 0 --progress none "$@"
}

for how in leaves:2 stall:2 short; do
    rm -f lost.json lost.json.part
    GPUPLAN_ENGINE_TIMEOUT=3 GPUPLAN_STANDIN=$how bench -o lost.json
    assert_eq "$how: code" 4 "$rc"
    valid lost.json
    assert_contains "$how: status" '"status": "failed"' "$(cat lost.json)"
    resumed lost.json
done
GPUPLAN_STANDIN=error:1 run --bench memory --preset quick --device 0 --progress none \
    -o error.json
assert_eq "a point in error" 4 "$rc"
valid error.json

# one figure that no reader of the file would take: its point is an error, no more
for how in ci:1 power:1 reason:1 contrary:1 rate:1; do
    rm -f odd.json odd.json.part
    GPUPLAN_STANDIN=$how run --bench memory --preset quick --device 0 --progress none \
        -o odd.json
    assert_eq "$how: code" 4 "$rc"
    valid odd.json
    assert_eq "$how: the others count" "$(good error.json)" "$(good odd.json)"
done

# ---- places that cannot be written ------------------------------------------------------

# a limit on the size of files, as a full disk is: points before it are safe
limited() (
    ulimit -f 4 # blocks of 512 bytes, or of 1024
    exec "$gp" --bench memory,gemm --type fp32 --preset thorough --device 0 \
        --progress none -o big.json
)
limited >"$work/out" 2>"$work/err"
assert_eq "no room: code" 3 $?
err=$(cat "$work/err")
assert_contains "no room: said" "cannot write" "$err"
[ -e big.json ] && valid big.json
[ "$(grep -c '"state"' big.json.part)" -ge 1 ] || fail "no room: nothing was kept"
resumed big.json

# a full device
mkdir full && cd full || exit 99
"$gp" --bench memory --preset quick --device 0 --progress none -o - --format json \
    >/dev/full 2>"$work/err"
assert_eq "a full standard output" 3 $?
for part in *.part; do
    [ -s "$part" ] && kept_part=yes
done
cd ..
[ "${kept_part:-}" = yes ] || fail "the only copy of the result, the journal, is gone"

# a folder that is read-only, as somebody who is not root
mkdir ro && chmod 555 ro && chmod 755 "$work" "$work/libexec" "$work/run"
if [ "$(id -u)" -ne 0 ]; then
    bench -o ro/run.json
    assert_eq "read-only folder" 3 "$rc"
elif setpriv --reuid=65534 --clear-groups test -x "$gp" 2>/dev/null; then
    setpriv --reuid=65534 --clear-groups "$gp" --bench memory --preset quick --device 0 \
        --progress none -o ro/run.json >"$work/out" 2>"$work/err"
    assert_eq "read-only folder" 3 $?
    assert_contains "says which" "ro/run.json.part" "$(cat "$work/err")"
else
    echo "note: root and no setpriv, or nobody may not run $gp: read-only folder not tried"
fi

# ---- damaged journals -------------------------------------------------------------------

GPUPLAN_STANDIN=killed:4 bench -o torn.json
cp torn.json.part whole.part
for damage in 's/^{"device".*/#&/;2!b;' '3s/"median": *[0-9.]*/"median": -1/' '$s/.....$//' \
    '3s/"ci95": *\[[^]]*\]/"ci95": [0.5, 0.6]/' '2s/}}*$/}}}}}}/'; do
    cp whole.part torn.json.part
    sed -i "$damage" torn.json.part
    resumed torn.json
done
head -c 20 whole.part >torn.json.part
GPUPLAN_STANDIN='' bench -o torn.json --resume torn.json.part
case $rc in
0) resumed_ok=1 ;;
3) resumed_ok=1 ;;
*) resumed_ok=0 ;;
esac
assert_eq "half a header: gone on with, or refused" 1 $resumed_ok
sed '1s/"plan": *"[^"]*"/"plan": "0"/' whole.part >torn.json.part
cp torn.json.part before.part
bench -o torn.json --resume torn.json.part
assert_eq "the journal of another plan" 3 "$rc"
assert_true "and untouched" cmp -s before.part torn.json.part

finish
