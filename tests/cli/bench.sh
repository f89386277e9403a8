#!/bin/sh
# bench.sh - gpuplan --bench when things go wrong: crashing and hanging engines, signals,
# full disks, folders that cannot be written, damaged journals. The engine is a stand-in
# (tests/fixtures/standin_engine.c) that measures nothing: only what becomes of the
# results is tested here.

. "${srcdir:-.}/tests/cli/lib.sh"

engine=${STANDIN_ENGINE:-${top_builddir:-.}/tests/fixtures/standin_engine}
case $engine in /*) ;; *) engine=$PWD/$engine ;; esac
[ -x "$engine" ] || skip "no $engine"
mkdir "$work/libexec" "$work/run" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=$work/libexec
export GPUPLAN_LIBEXEC
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID GPUPLAN_STANDIN
case $gp in /*) ;; *) gp=$PWD/$gp ;; esac
build=$(cd "${top_builddir:-.}" && pwd)
cd "$work/run" || exit 99

bench() {
    run --bench memory,gemm --type fp32 --preset quick --device 0 --progress none "$@"
}

# valid FILE: --compare-results reads it, strictly.
valid() {
    "$gp" --compare-results "$1" >/dev/null 2>"$work/why" || fail "$1 is not valid" "$(cat "$work/why")"
}

# good FILE: points measured in it
good() {
    "$gp" --compare-results "$1" --format csv | awk -F, '$12 == "ok"' | wc -l | tr -d ' '
}

# a whole run: the file, no journal left, and its views
bench -o whole.json
assert_eq "a whole run" 0 "$rc"
valid whole.json
all=$(good whole.json)
[ "$all" -gt 3 ] || fail "only $all points"
[ -e whole.json.part ] && fail "the journal of a whole run is left"
assert_contains "the reason for the CPU" "measures the CPU" "$(cat whole.json)"
assert_contains "a stand-in does not pass for an engine" "NOT a cpu engine" "$out"
assert_contains "nor in the file" "NOT a cpu engine" "$(cat whole.json)"
bench -o view.csv --format csv
assert_eq "csv" 0 "$rc"
[ -s view.csv.json ] || fail "the record beside a CSV is missing"
assert_contains "csv header" "median_s" "$(head -n 1 view.csv)"
bench -o - --format json
assert_contains "json on standard output" '"schema": "gpuplan.bench/1"' "$out"

# Per cent of a sheet: a seventh of an A100's 312 TFLOP/s and an eighth of 1555 GB/s,
# PCIe 4 x16 at 31.508 GB/s. 2048^3 in 2 ms are 8.59 TFLOP/s and 12.58 GB/s.
cp "$engine" "$work/libexec/gpuplan-bench-cuda" || exit 99
GPUPLAN_STANDIN_NAME='NVIDIA A100-SXM4-40GB MIG 1g.5gb' "$gp" --bench gemm,transfer \
    --backend cuda --type bf16 --preset quick --device 0 --progress none -o sheet.json \
    >"$work/out" 2>"$work/err"
rm "$work/libexec/gpuplan-bench-cuda"
valid sheet.json
if have_json; then
    cp sheet.json "$work/out"
    assert_eq "the point" gemm/bf16/2048x2048x2048/cold "$(json points.1.id)"
    assert_eq "of the type's peak" 19.27 "$(json points.1.rate.pct_spec_peak | cut -c 1-5)"
    assert_eq "of the bandwidth" 6.473 "$(json points.1.rate.pct_spec_bw | cut -c 1-5)"
    assert_eq "no operations" null "$(json points.3.rate.pct_spec_peak)"
    assert_eq "of the link" 0.104 "$(json points.3.rate.pct_spec_bw | cut -c 1-5)"
fi

# devices of one name, of which one takes 2.1 ms for what the others do in 2
GPUPLAN_STANDIN_DEVICES=4 GPUPLAN_STANDIN_NAME=alike
export GPUPLAN_STANDIN_DEVICES GPUPLAN_STANDIN_NAME
run --bench memory --preset quick --progress none -o alike.json
assert_contains "they agree" "4 devices (alike) agree within 0.0 % in 3 points" "$out"
GPUPLAN_STANDIN=behind GPUPLAN_STANDIN_ON=2 run --bench memory --preset quick \
    --progress none -o behind.json
assert_eq "a slow device" 0 "$rc"
assert_contains "is named" "device 2 is up to 4.8 % slower than the median of 4 devices, by \
more than 3 % in 3 of 3 points" "$out"
unset GPUPLAN_STANDIN_DEVICES GPUPLAN_STANDIN_NAME
cp behind.json "$work/out"
if have_json; then
    assert_eq "in the file" 3 "$(json stragglers.#)"
    assert_eq "which" 2 "$(json stragglers.0.device)"
fi

# what is asked for by hand stands above the preset, in the plan and in the result
bench -o byhand.json --rel-ci 5 --max-time 0.1 --algos 3 \
    --workspace 0 --fill normal --check none
assert_eq "settings by hand" 0 "$rc"
for word in '"rel_ci": 0.05' '"max_time": 0.1' '"min_time": 0.1' '"preset": "quick"' \
    '"fill": "normal"' '"check": "none"' '"algos": 3' '"workspace_bytes": 0'; do
    assert_contains "settings by hand: $word" "$word" "$(cat byhand.json)"
done
assert_fails 2 "outside 0.01..100" --bench memory --rel-ci 0
assert_fails 2 "outside 1..64" --bench memory --algos 65
assert_fails 3 "absent.bin: cannot read it: No such file" --bench transfer --storage absent.bin
assert_fails 3 "is not a file, or is empty" --bench transfer --storage /
assert_fails 2 "outside 0..4 GiB" --bench memory --workspace 5GiB
assert_fails 2 "outside 0.001..3600" --bench memory --max-time 1e9

# no word of the host's name, but one hash of it everywhere
name=$(hostname)
mkdir nameless && cd nameless || exit 99
bench --anonymous --prom . -o "run-$name.json"
bench --anonymous
assert_eq "anonymous" 0 "$rc"
hash=$(sed -n 's/^ *"name": "\(host-[0-9a-f]\{16\}\)",*$/\1/p' "run-$name.json")
assert_contains "a hash of the host" "host-" "$hash"
assert_contains "the name of a file" "gpuplan-bench-$hash-" "$(echo ./*)"
assert_contains "the run's own name" "\"run_id\": \"$hash-" "$(cat "run-$name.json")"
assert_contains "Prometheus" "host=\"$hash\"" "$(cat gpuplan.prom)"
assert_eq "the name itself" "" "$(grep -lF -e "\"$name\"" -e "\"$name-" -e "run-$name" -- ./*)"
assert_contains "memory nodes" '"numa_nodes": ' "$(cat "run-$name.json")"
cd .. || exit 99

# without a test: a few points, at a glance; with tests or a preset, more
run --bench --progress none -o subset.json
assert_eq "the quick subset" 0 "$rc"
assert_contains "which it is" "note: the quick subset" "$out"
assert_contains "at a glance" "  matrix products  fp32 " "$out"
assert_contains "what else there is" "gpuplan --bench all --preset normal" "$out"
assert_contains "with short samples" '"preset": "quick"' "$(cat subset.json)"
few=$(good subset.json)
[ "$few" -lt 40 ] || fail "$few points are no quick subset"
run --bench --dry-run
unnamed=$(echo "$out" | grep -c '^[a-z]*/')
run --bench quick --dry-run
assert_eq "its name" "$unnamed" "$(echo "$out" | grep -c '^[a-z]*/')"
run --bench --preset quick --dry-run
assert_lacks "a preset by hand" "quick subset" "$out"
assert_true "has more points" test "$(echo "$out" | grep -c '^[a-z]*/')" -gt "$unnamed"
assert_fails 2 "quick stands alone" --bench gemm,quick
assert_fails 2 'unknown word "quickk" (one of gemm, batch, memory, transfer, decode, fit, allreduce, all, or quick alone)' --bench quickk

# an engine that says what it multiplies gets nothing else to do, and one that says
# nothing at all is refused before anything is measured, in one line
GPUPLAN_STANDIN_TYPES='["fp32", "int8"]' run --bench gemm --dry-run
assert_contains "a type that it has" gemm/int8/256 "$out"
assert_lacks "a type that it has not" gemm/fp16/ "$out"
for tests in '' quick gemm,memory decode all; do
    # shellcheck disable=SC2086 # no word at all for the first
    GPUPLAN_STANDIN_TYPES='[]' assert_fails 4 "apt-get install libdnnl-dev" --bench $tests \
        -o nothing.json
done
assert_true "nothing is left of it" test ! -e nothing.json -a ! -e nothing.json.part
GPUPLAN_STANDIN_TYPES='[]' run --bench memory --preset quick --progress none -o some.json
assert_eq "memory needs no library" 0 "$rc"
assert_lacks "and none is asked for" libdnnl "$out$err"

# --dry-run measures nothing
bench --dry-run -o dry.json
assert_eq "dry run" 0 "$rc"
assert_contains "dry run's sum" "points" "$out"
[ -e dry.json ] && fail "a dry run wrote a result"

# usage
run --bench nonsense
assert_eq "unknown test" 2 "$rc"
run --bench memory --device 7
assert_eq "no such device" 4 "$rc"
run --bench memory --backend cuda
assert_eq "no such engine" 4 "$rc"
run --bench nonsense
assert_contains "the words there are" "allreduce, all" "$err"
for test in gemm memory gemm,transfer; do
    assert_fails 2 "ends before it begins" --bench $test --size 1G:1K --device 0
done
run --bench all --type fp32 --preset quick --device 0 --dry-run -o dry.json
assert_contains "dry run: what all leaves out" "note: fit left out" "$out"
assert_contains "dry run: that, too" "note: allreduce left out" "$out"
# a GPU that is not here, from its profile
run --bench fit -m llama-3.1-70b -p bf16 --tp 1 --dry-run -g h100-sxm:1 -o dry.json
assert_eq "a GPU that is not here: code" 0 $rc
assert_contains "a GPU that is not here" "fit/llama-3.1-70b/146402807808" "$out"
assert_contains "it is said" "as its profile says: no device was asked" "$out"
run --bench gemm --dry-run -g h100-sxm:2
assert_contains "two of them" "on 2 devices" "$out"
run --bench gemm --dry-run -g mi300x
assert_eq "a GPU that no engine measures: code" 2 $rc
for gpu in nosuch allgpu h100-sxm:0 h100-sxm:x h100-sxm:-1 h100-sxm: h100-sxm:65 h100-sxm/9g.1gb \
    ''; do
    assert_fails 2 "" --bench gemm --dry-run -g "$gpu"
done
assert_fails 2 "one kind of GPU" --bench gemm --dry-run -g h100-sxm -g l4
run --bench memory --preset normal --device 0 --size 8M:16M --dry-run -o dry.json
assert_contains "dry run: what --size leaves out" "left out" "$out"
run --bench memory --time-limit soon
assert_eq "no time" 2 "$rc"

# the engine dies in the third point: two are kept, the rest is named, then resumed
for how in killed:2 crash:2 exit:2 babble:2 nan:2; do
    rm -f died.json died.json.part
    GPUPLAN_STANDIN=$how bench -o died.json
    assert_eq "$how: code" 4 "$rc"
    valid died.json
    assert_contains "$how: status" '"status": "failed"' "$(cat died.json)"
    assert_eq "$how: points kept" 2 "$(good died.json)"
    [ -s died.json.part ] || fail "$how: the journal is gone"
done
GPUPLAN_STANDIN='' bench -o died.json --resume died.json.part
assert_eq "resumed: code" 0 "$rc"
assert_eq "resumed: points" "$all" "$(good died.json)"
[ -e died.json.part ] && fail "the journal of a resumed, whole run is left"

# the journal alone is enough, with a model and a text of several words in it, too
GPUPLAN_STANDIN=killed:2 bench -o alone.json
GPUPLAN_STANDIN='' run --bench --resume alone.json.part --progress none
assert_eq "resumed by its journal alone: code" 0 "$rc"
assert_eq "resumed by its journal alone: points" "$all" "$(good alone.json)"
[ -e alone.json.part ] && fail "the journal of a resumed, whole run is left"
GPUPLAN_STANDIN=killed:1 run --bench batch,memory -m llama-3.2-1b -p bf16 -c 2k --users 4 \
    --preset quick --type bf16 --size 1MiB:64MiB --seed 7 --progress none -o model.json
assert_eq "with a model: code" 4 "$rc"
GPUPLAN_STANDIN='' run --bench --resume model.json.part --progress none
assert_eq "with a model, resumed: code" 0 "$rc"
assert_contains "with a model, resumed" '"status": "complete"' "$(cat model.json)"
GPUPLAN_STANDIN=killed:1 bench -o other.json
assert_fails 3 "belongs to another run" --bench --seed 3 --resume other.json.part -q \
    --progress none
sed -i '1 s/"preset": "[a-z]*"/"preset": "no\\u001bne"/' other.json.part
assert_fails 2 "other.json.part: preset" --bench --resume other.json.part
rm other.json.part

# an engine without a device
GPUPLAN_STANDIN=nodevice bench -o none.json
assert_eq "no device" 4 "$rc"

# signals: one stops after the point, two at once; both leave a valid file
# Started under nohup or by a shell without job control, a child ignores HUP or INT.
listening=
env --default-signal=HUP,INT true 2>/dev/null && listening="env --default-signal=HUP,INT"
for signal in INT:130 HUP:129 TERM:143; do
    want=${signal#*:}
    signal=${signal%:*}
    [ -n "$listening" ] || [ $signal = TERM ] || continue
    rm -f stop.json stop.json.part
    GPUPLAN_STANDIN=waits:1 $listening "$gp" --bench memory,gemm --type fp32 --preset thorough \
        --device 0 --progress none -o stop.json >/dev/null 2>&1 &
    pid=$!
    n=0
    while ! grep -q '"state"' stop.json.part 2>/dev/null && [ $n -lt 1200 ]; do
        sleep 0.05
        n=$((n + 1))
    done
    if [ $signal = TERM ]; then # nobody else may have its journal meanwhile
        assert_fails 3 "another run is writing this journal" --bench memory -o stop.json
        assert_fails 3 "another run is writing this journal" --bench --resume stop.json.part
    fi
    kill -$signal $pid
    wait $pid
    got=$?
    assert_eq "SIG$signal: code" $want $got
    valid stop.json
    assert_contains "SIG$signal: status" '"status": "interrupted"' "$(cat stop.json)"
    [ "$(good stop.json)" -ge 1 ] || fail "SIG$signal: what was measured is lost"
    [ -s stop.json.part ] || fail "SIG$signal: the journal is gone"
done

# an existing journal is not overwritten; a damaged one loses only its damage
rm -f torn.json torn.json.part
GPUPLAN_STANDIN=killed:3 bench -o torn.json
bench -o torn.json
assert_eq "a journal in the way" 3 "$rc"
printf '{"device": 0, "pass": 0, "poi' >>torn.json.part
bench -o torn.json --resume torn.json.part
assert_eq "torn tail" 0 "$rc"
assert_eq "torn tail: points" "$all" "$(good torn.json)"
rm -f torn.json torn.json.part
GPUPLAN_STANDIN=killed:3 bench -o torn.json
sed -i '2s/.*/#### not JSON ####/' torn.json.part
bench -o torn.json --resume torn.json.part
assert_eq "damaged line" 0 "$rc"
assert_eq "damaged line: points" "$all" "$(good torn.json)"
GPUPLAN_STANDIN=killed:3 bench -o other.json
run --bench memory --preset quick --device 0 --resume other.json.part
assert_eq "another run's journal" 3 "$rc"
echo "no journal" >bad.part
bench -o bad.json --resume bad.part
assert_eq "no journal at all" 3 "$rc"
assert_eq "and untouched" "no journal" "$(cat bad.part)"

assert_fails 3 "absent.part: cannot open" --bench memory --resume absent.part -o absent.json
[ -e absent.part ] || [ -e absent.json ] && fail "a file of a run that was refused"
run --bench all --type fp32 --preset quick --device 0 --progress none -o allof.json
assert_contains "what all left out is in the result" "fit left out" "$(cat allof.json)"

# a warm-up of half a minute and a limit below it: nothing measured, and said
GPUPLAN_STANDIN=warm:60 bench -o limit.json --time-limit 0.2s
assert_eq "a limit within the warm-up" 6 "$rc"
assert_contains "said before" "warming the device up alone takes" "$err"
assert_contains "said after" "passed during the warm-up" "$err"
assert_contains "and in the file" "passed during the warm-up" "$(cat limit.json)"
for limit in 0.1 0.5 3 20; do # on a busy machine the first may pass before any point
    rm -f limit.json limit.json.part
    GPUPLAN_STANDIN=waits:0 bench -o limit.json --time-limit ${limit}s
    [ "$rc" -eq 6 ] || break
done
assert_eq "a limit after a point" 0 "$rc"
assert_contains "after this point" "stops after this point" "$err"

# others use the device: said, kept, and measured all the same, also under --strict
GPUPLAN_STANDIN=busy bench -o busy.json --strict
assert_eq "a busy device" 0 "$rc"
assert_contains "said" "device 0 is busy: others" "$err"
assert_contains "kept" "device 0 is busy: others" "$(cat busy.json)"
assert_lacks "nothing for the terminal" "$(printf '\033')" "$err"
assert_lacks "a device that is not" "is busy" "$(cat whole.json)"

# a device that is refused because others use it: the way out is named, and is open
GPUPLAN_STANDIN=taken bench -o taken.json
assert_eq "a device in use" 4 "$rc"
assert_contains "refused" "busy: others use it (wait, or --force)" "$err"
assert_lacks "nothing to go on with" "--resume" "$err$out"
assert_true "no journal of nothing" test ! -e taken.json.part
GPUPLAN_STANDIN=taken bench -o taken.json --force
assert_eq "although others use it" 0 "$rc"

# what several devices do together: each is looked at before, and none that failed joins
together() {
    rm -f together.json together.json.part
    run --bench "$1" --backend cpu --preset quick --size 1KiB:64KiB --progress none \
        -o together.json
}
GPUPLAN_STANDIN=taken together allreduce
assert_eq "sums over devices in use" 4 "$rc"
assert_contains "refused, too" "busy: others use it" "$err"
GPUPLAN_STANDIN=taken GPUPLAN_STANDIN_ON=1 together memory,allreduce
assert_contains "one of two in use" "a device that takes part failed" "$out"
GPUPLAN_STANDIN='' together allreduce
assert_eq "sums over devices" 0 "$rc"
assert_contains "good ones" "0 flagged, 0 wrong, 0 without a figure" "$out"

# the processors that a run may use are the host's that count
if command -v taskset >/dev/null 2>&1; then
    first=$(taskset -cp $$ | sed -n 's/.*: *\([0-9]*\).*/\1/p')
    taskset -c "$first" "$gp" --bench memory --preset quick --device 0 --progress none \
        -o one.json >/dev/null 2>&1
    assert_contains "one processor allowed" '"cpus_allowed": 1,' "$(cat one.json)"
fi

# --prom is looked at before anything is measured
bench -o prom.json --prom nowhere
assert_eq "no folder for --prom" 3 "$rc"
[ -e prom.json ] || [ -e prom.json.part ] && fail "--prom was found out after measuring"

# an engine that is slow to list its devices: it does when that was said, or in a minute
printf '#!/bin/sh\nn=0\nuntil grep -q "for its devices" "%s" || [ $n -ge 600 ]; do
    sleep 0.1; n=$((n + 1))\ndone\nexec "%s" "$@"\n' "$work/err" "$engine" >"$work/slow"
mv "$work/libexec/gpuplan-bench-cpu" "$work/fast"
install -m 755 "$work/slow" "$work/libexec/gpuplan-bench-cpu"
bench --dry-run
assert_contains "a slow list" "asks gpuplan-bench-cpu for its devices" "$err"
mv "$work/fast" "$work/libexec/gpuplan-bench-cpu"
bench --dry-run
assert_lacks "a fast list" "for its devices" "$err"

# a folder that cannot be written: said before anything is measured
bench -o "$work/missing/run.json"
assert_eq "no such folder" 3 "$rc"
if [ "$(id -u)" -ne 0 ]; then
    mkdir ro && chmod 555 ro
    bench -o ro/run.json
    assert_eq "read-only folder" 3 "$rc"
fi
# standard output is full: the file is there nevertheless
"$gp" --bench memory --preset quick --device 0 --progress none -o full.json \
    >/dev/full 2>/dev/null
assert_eq "full standard output" 3 $?
valid full.json

# a full disk, where a small one can be mounted
if mkdir small && mount -t tmpfs -o size=4k tmpfs small 2>/dev/null; then
    bench -o small/run.json
    assert_eq "full disk: code" 3 "$rc"
    assert_contains "full disk: said" "cannot write" "$err"
    cp small/run.json.part kept.part
    umount small
    bench -o kept.json --resume kept.part
    assert_eq "full disk: resumed" 0 "$rc"
    assert_eq "full disk: points" "$all" "$(good kept.json)"
fi

# --expect, --compare-results, --prom
bench -o again.json --expect whole.json --prom .
assert_eq "as fast as the reference" 0 "$rc"
assert_contains "Prometheus" gpuplan_bench_seconds "$(cat gpuplan.prom)"
assert_eq "Prometheus: good" "$all" "$(grep -c '^gpuplan_bench_good{.*} 1$' gpuplan.prom)"
assert_lacks "Prometheus: one series per point" 'good="' "$(cat gpuplan.prom)"
sed 's/"median": 0.002/"median": 0.001/; s/"min": 0.00[0-9]*/"min": 0.0009/' \
    whole.json >fast.json
awk '/"ci95"/ { print; getline; print "          0.001,"; getline; print "          0.001"; next } { print }' \
    fast.json >faster.json
if "$gp" --compare-results faster.json >/dev/null 2>&1; then
    bench -o slow.json --expect faster.json
    assert_eq "slower than the reference" 5 "$rc"
    assert_contains "says so" "slower" "$out"
    run --compare-results faster.json whole.json --strict
    assert_eq "regression under --strict" 5 "$rc"
    run --compare-results faster.json whole.json
    assert_eq "regression" 0 "$rc"
    assert_contains "marked" SLOWER "$out"
else
    fail "the reference made for this test is not valid"
fi
run --compare-results whole.json whole.json --strict
assert_eq "against itself" 0 "$rc"
echo '{"schema": "gpuplan.bench/1"}' >short.json
run --compare-results whole.json short.json
assert_eq "a damaged file" 3 "$rc"

# a point that is good in the reference and not good here is not confirmed
engine_says() { # SED-SCRIPT: the stand-in, its words changed
    printf '#!/bin/sh\n"%s" "$@" | sed -u '"'%s'"'\n' "$work/standin" "$1" \
        >"$work/libexec/gpuplan-bench-cpu"
}
cp "$work/libexec/gpuplan-bench-cpu" "$work/standin" || exit 99
engine_says 's/"flags":\[\]/"flags":["contended"]/'
bench -o flagged.json --expect whole.json
assert_eq "all is flagged here" 5 "$rc"
assert_contains "in words" "0 of $all confirmed, $all flagged here (contended)" "$out"
assert_contains "and why" "contended: other programs ran" "$(cat flagged.json)"
# without a sheet the roofs are those of the run itself (test_predict.c: which)
assert_contains "a measured roof" '"origin": "measured"' "$(cat whole.json)"
assert_lacks "flagged figures are no roof" '"origin": "measured"' "$(cat flagged.json)"
bench -o - --format json --expect whole.json
assert_eq "as JSON" 5 "$rc"
assert_contains "the verdict is not lost" "$all flagged here" "$err"
"$gp" --bench memory,gemm --type fp32 --preset quick --device 0 --progress json -o - \
    --format json --expect whole.json >"$work/out" 2>"$work/err"
assert_eq "progress stays JSON" "" "$(grep -v '^{.*}$' "$work/err")"
assert_contains "with the verdict" "$all flagged here" "$(cat "$work/err")"
# every reading in the progress, a number or null, and each explained
engine_says 's/"power_w":null/"power_w":250.5,"gpu_busy_pct":40,"dram_active_pct":12.5,"memory_used":1e9,"throttle_bits":4/'
run --bench memory --type fp32 --preset quick --device 0 --progress json -o - --format json
grep '"progress"' "$work/err" | tail -n 1 >last
for word in '"temp_c": 41.5' '"power_w": 250.5' '"busy_pct": 40' '"dram_active_pct": 12.5' \
    '"memory_used": 1000000000' '"tensor_active_pct": null' '"load1": null' \
    '"power_limit_w": null' '"throttle": "power_cap"' '"device": 0' '"ops_per_s": null'; do
    assert_contains "progress: $word" "$word" "$(cat last)"
done
assert_eq "progress: text is of four fields" "id rate t throttle " \
    "$(grep -o '"[a-z_0-9]*": "' last | cut -d '"' -f 2 | sort | tr '\n' ' ')"
sed -n '/^\.Ss Progress/,/^\.Ss A busy/p' "$src/man/gpuplan-bench.1" |
    tr -cs 'a-z0-9_' '\n' >said
for key in $(grep -o '"[a-z_0-9]*": ' last | cut -d '"' -f 2); do
    checks=$((checks + 1))
    grep -qxF -e "$key" said || fail "gpuplan-bench(1): no word on $key of the progress"
done
engine_says 's/"state":"ok"/"state":"unsupported"/'
bench -o without.json --expect whole.json
assert_eq "nothing is supported here: nothing was measured" 6 "$rc"
assert_contains "in words" "0 of $all confirmed, $all not measured here (unsupported)" "$out"
cp "$work/standin" "$work/libexec/gpuplan-bench-cpu"
run --bench memory --type fp32 --preset quick --device 0 --progress none -o few.json \
    --expect whole.json
assert_eq "points are missing here" 5 "$rc"
assert_contains "which" "not confirmed: gemm/fp32/" "$out"
run --compare-results whole.json flagged.json
assert_eq "without --strict" 0 "$rc"
assert_contains "in words" "0 of $all confirmed, $all flagged in B (contended)" "$out"
run --compare-results whole.json flagged.json --strict
assert_eq "with --strict" 5 "$rc"
run --compare-results flagged.json whole.json --format json
assert_contains "no reference" '"verdict": "no reference"' "$out"

# what is compared must be alike, or it is said first
sed 's/"name": "stand-in 0"/"name": "another"/; s/"method_version": [0-9]*/"method_version": 99/
    s/"min_time": [0-9.]*/"min_time": 77/; s/"run_id": "/&x/' whole.json >unlike.json
run --compare-results whole.json unlike.json
assert_eq "unlike files" 0 "$rc"
first=$(printf '%s\n' "$out" | head -n 3)
assert_contains "the device" "warning: another device: 0 is stand-in 0 in A and another in B" \
    "$first"
assert_contains "the method" "in A and 99 in B" "$first"
assert_contains "the settings" "warning: min_time is" "$first"
run --compare-results whole.json unlike.json --format csv
assert_lacks "no warning in a CSV" "warning" "$out"
assert_contains "but beside it" "warning: another device" "$err"
run --compare-results whole.json whole.json
assert_lacks "like files" "warning" "$out"
bench -o expect.json --expect unlike.json
assert_contains "--expect says so, too" "warning: another device" "$out"
assert_fails 3 "is the same run" --compare-results whole.json flagged.json whole.json
assert_fails 3 "method_version" --compare-results whole.json flagged.json unlike.json
assert_fails 3 "flagged.json: has no good point of a device" --merge whole.json flagged.json

# three files or one: all devices in one document; with -o it is the record, a view when asked for
sed 's/"run_id": "/&3-/' whole.json >third.json
run --compare-results whole.json flagged.json third.json -o merged.json
assert_eq "three into a file" 0 "$rc"
valid merged.json
for key in run_id calibration summary warnings; do
    assert_contains "together: $key" "\"$key\":" "$(cat merged.json)"
done
assert_eq "together: points of all" "$((all + all + all))" \
    "$("$gp" --compare-results merged.json --format csv | awk -F, '$12 == "ok"' | wc -l | tr -d ' ')"
sed 's/"run_id": "/&4-/' whole.json >fourth.json
assert_fails 3 "is the same run" --compare-results merged.json fourth.json whole.json
run --compare-results whole.json -o merged.csv --format csv
assert_contains "one file: CSV" "median_s" "$(head -n 1 merged.csv)"
run --compare-results whole.json flagged.json third.json
assert_contains "together: words" "0 wrong, 0 without a figure" "$out"
# What is news comes first; rows that are as everywhere are one line, all of them with -v.
assert_contains "together: alike" "rows are as everywhere: -v prints them" "$out"
few=$(printf '%s\n' "$out" | grep -c '^ *[0-9]* *[a-z]*/')
run --compare-results whole.json flagged.json third.json -v
assert_true "-v prints all rows" [ "$few" -lt "$(printf '%s\n' "$out" | grep -c '^ *[0-9]* *[a-z]*/')" ]
run --compare-results whole.json flagged.json third.json -f prometheus
assert_eq "together: Prometheus" "$((all + all + all))" \
    "$(printf '%s\n' "$out" | grep -c '^gpuplan_bench_seconds{host=".*",device="[0-9]*",.*uuid="')"
assert_contains "Prometheus: types" "# TYPE gpuplan_bench_good gauge" "$out"
assert_fails 2 "prometheus is for measurements" --list gpus -f prometheus
assert_fails 2 "two files" --compare-results whole.json third.json -f prometheus
sed '0,/"name": "[^"]*"/s//"name": "node7"/' flagged.json >node7.json
run --compare-results whole.json node7.json third.json
assert_contains "together: hosts" "node7: device 1" "$out"
assert_contains "together: hosts" ": device 0, 2" "$out"
run --compare-results whole.json unlike.json -o changes.json
assert_eq "compare into a file" 0 "$rc"
assert_contains "compare: JSON" '"schema": "gpuplan.bench-compare/1"' "$(cat changes.json)"
cp changes.json "$work/out"
have_json && assert_contains "compare: warnings" "another device" "$(json warnings.0)"
run --compare-results whole.json whole.json -o changes.txt --format text
assert_contains "compare: the news first" "points in both" "$(head -1 changes.txt)"
run --compare-results whole.json flagged.json -q
assert_lacks "compare -q: no rows" "verdict" "$out"
assert_contains "compare: what exit code" "with --strict it is 5" "$out"
run --compare-results whole.json whole.json -f csv
assert_eq "CSV: numbers stand alone" "" "$(printf '%s\n' "$out" | grep -E '[0-9] [kMGT]?(FLOP|OP|B)/s' || true)"

# ranks, without a launcher: each measures its own device, rank 0 merges
rm -f ranks*
OMPI_COMM_WORLD_RANK=1 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=1 \
    bench -o ranks.json
assert_eq "rank 1" 0 "$rc"
OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_LOCAL_RANK=0 \
    bench -o ranks.json
assert_eq "rank 0" 0 "$rc"
valid ranks.json
assert_eq "points of both" $((2 * all)) "$(good ranks.json)"
rm -f ranks*
GPUPLAN_RANK_WAIT=0 OMPI_COMM_WORLD_RANK=0 OMPI_COMM_WORLD_SIZE=2 bench -o ranks.json
assert_eq "a missing rank" 4 "$rc"
assert_contains "is named" "rank 1 of 2 wrote no result" "$err"

# a wrong result is said with its reason: in the table, in CSV, and what it means below
GPUPLAN_STANDIN=wrong:1 run --bench memory,gemm --type fp32 --preset quick --device 0 \
    --progress none -o wrong.json
assert_eq "wrong: exit code" 5 "$rc"
assert_contains "why" "WRONG: d[0,0] is 5" "$out"
run --compare-results wrong.json --format csv
assert_contains "why, in CSV" ",\"d[0,0] is 5\"," "$out"

# every field of a result of this CPU has its word in the manual
real=$build/gpuplan-bench-cpu
if "$real" --devices 2>/dev/null | grep -q '"product_types": \["' &&
    command -v jq >/dev/null 2>&1; then
    cp "$real" "$work/libexec/gpuplan-bench-cpu"
    run --bench all -m llama-3.2-1b -c 512 --type fp32 --preset quick --shapes 64:64:64 \
        --size 0:64MiB --max-memory 256MiB --time-limit 20s --progress none -o cpu.json
    [ -s cpu.json ] || fail "no result of this CPU"
    # names of variables and of libraries' own are no fields
    jq -r 'del(.host.env, .devices[].more.env) | [paths | .[] | strings] | unique[]' \
        cpu.json >keys
    [ "$(wc -l <keys)" -gt 100 ] || fail "cannot read the keys" "$(cat keys)"
    grep -E '^\.(It |Pq )?Va ' "$src/man/gpuplan-bench.1" | tr -cs 'A-Za-z0-9_-' '\n' >said
    for key in $(cat keys); do
        checks=$((checks + 1))
        grep -qxF -e "$key" said || fail "gpuplan-bench(1): no word on the field $key"
    done
    # a library that may not use VNNI: operands of seven bits, which are right
    for isa in AVX2 AVX512_CORE; do
        ONEDNN_MAX_CPU_ISA=$isa run --bench gemm --type int8 --shapes 256:16:1024 --force \
            --preset quick --max-time 0.1 --progress none -o int8.json
        case $(jq -r '.points[0].params.b' int8.json) in
        u7) assert_contains "$isa: said" "saturates: 7-bit operands" "$out" ;;
        u8 | s8 | null) ;; # not this library, or not x86
        *) fail "$isa: $out$err" ;;
        esac
        case $rc in
        0 | 6) ;;
        *) fail "$isa: exit $rc" "$out" ;;
        esac
        assert_lacks "$isa: right" wrong "$(jq -c '.points[].flags' int8.json)"
    done
    # whatever disturbed it: one peak of its type, and no size reaches more
    jq '.points[].flags = []' cpu.json >calm.json
    run --compare-results calm.json -o calm.merged.json
    assert_eq "what this CPU's products reach" \
        "$(jq '[.points[] | select(.rate.ops_per_s and .params.n > 1
            and (.test == "gemm" or .test == "batch"))] | length > 0' calm.json)" \
        "$(jq '.calibration.products | length == 1 and all(.[].efficiency[];
            .efficiency > 0 and .efficiency <= 1)' calm.merged.json)"
    # the file that transfer reads: all of it, by its whole path
    head -c 3145728 "$real" >weights.bin
    [ "$(wc -c <weights.bin)" -lt 3145728 ] && dd if=/dev/zero bs=1048576 count=3 2>/dev/null \
        >weights.bin
    run --bench transfer --storage weights.bin --size 3MiB --preset quick --force \
        --progress none -o file.json
    assert_eq "a file by hand" "ok $PWD/weights.bin 3145728" \
        "$(jq -r '.points[] | "\(.state) \(.params.path) \(.params.bytes)"' file.json)"
    cp "$work/standin" "$work/libexec/gpuplan-bench-cpu"
else
    echo "note: no engine of this CPU that multiplies, or no jq: its fields are not looked up"
fi

finish
