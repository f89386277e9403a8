#!/bin/sh
# rehearsal.sh - check-gpu on the stand-in, from end to end: a session that is killed in every
# step and loses nothing; a GPU by name, whose sheet is known; and faults, of which each is
# seen. Of figures it says nothing.

. "${srcdir:-.}/tests/cli/lib.sh"

build=$(cd "${top_builddir:-.}" && pwd)
engine=$build/tests/bench/standin-bench-cuda
judge=$build/tests/gpu/judge
check=$src/tests/gpu/check-gpu.sh
[ -z "${GPUPLAN_REHEARSED:-}" ] || skip "rehearsed in this run of CI already"
[ -x "$engine" ] && [ -x "$judge" ] || skip "no CUDA headers, so no $engine"
mkdir "$work/libexec" "$work/driver" || exit 99
ln -s "$engine" "$work/libexec/gpuplan-bench-cuda"
ln -s "$build/tests/fixtures/fake_nvml.so" "$work/driver/libnvidia-ml.so.1"
ln -s "$build/tests/fixtures/fake_driver.so" "$work/driver/libcuda.so.1"
mkdir -p "$work/models/hf-llama" && ln -s "$src/tests/fixtures/models/hf-moe" "$work/models" || exit 99
sed 's/"intermediate_size": 24/"intermediate_size": 48/' \
    "$src/tests/fixtures/models/hf-llama/config.json" >"$work/models/hf-llama/config.json" # FP8 too
GPUPLAN=$gp JUDGE=$judge GPUPLAN_LIBEXEC=$work/libexec LD_LIBRARY_PATH=$work/driver
GPUPLAN_REHEARSAL=$work/models/hf-llama FAKE_NVML_PROCESSES=1
PYTHON=$work/python OUT=$work/run
export GPUPLAN JUDGE GPUPLAN_LIBEXEC LD_LIBRARY_PATH GPUPLAN_REHEARSAL FAKE_NVML_PROCESSES
export PYTHON OUT
unset FAKE_CUDA FAKE_CUDA_GPU FAKE_NVML FAKE_NVML_BUSY DEVICE ARCHIVE
this_host # check-gpu looks for a real GPU, and finds the stand-in

# In PyTorch's place: the times that are in the results, $SLOWER times.
cat >"$work/python" <<'STUB'
#!/bin/sh
shift
out=$1
shift
cat "$(dirname "$out")"/large.json "$(dirname "$out")"/layers.json 2>/dev/null |
    awk -v points="$*" -v slower="${SLOWER:-1}" '
    BEGIN { count = split(points, wanted, " ") }
    /^ *"id": "[a-z]*\// { gsub(/[",]/, "", $2); id = $2 }
    /^ *"median": / && !(id in time) { gsub(/,/, "", $2); time[id] = slower * $2 }
    END {
        printf "{\"points\": ["
        for (i = 1; i <= count; i++) {
            printf("%s{\"id\": \"%s\", ", (i > 1) ? "," : "", wanted[i])
            if (wanted[i] in time)
                printf("\"time_s\": {\"median\": %.12g}}", time[wanted[i]])
            else
                printf("\"state\": \"unsupported\", \"reason\": \"a stub\"}")
        }
        print "]}" }' >"$out"
STUB
chmod +x "$work/python"

# row TEXT: the last word of that row of the table
row() {
    grep -e "$1" "$work/table" | head -n 1 | awk '{ print $NF }'
}

# ---- faults ------------------------------------------------------------------------------

# fault WHAT ASSIGNMENTS STEP...: the session of these steps does not end well, and says what
# was wrong; in the background, two at a time
faults=0
fault() {
    what=$1 set=$2
    shift 2
    faults=$((faults + 1))
    {
        out=$work/fault-$faults
        # shellcheck disable=SC2086 # assignments are words
        env $set OUT="$out" sh "$check" "$@" >"$out.said" 2>&1
        echo "$? $what" >"$out.code"
    } &
    [ $((faults % 2)) -ne 0 ] || wait
}

fault "results are wrong" FAKE_CUDA=wrong smoke types
fault "one element of a result is wrong" FAKE_CUDA=wrong-at=5 smoke
fault "the values of the decoder are wrong" FAKE_CUDA=wrong-values smoke decode-one-short
fault "every query answers INVALID_VALUE" FAKE_CUDA=invalid smoke types
fault "every query is refused" FAKE_CUDA=refuse smoke types
fault "no algorithm runs" FAKE_CUDA=no-algo smoke types
fault "the context is lost in the middle" FAKE_CUDA=launch=60 smoke types
fault "the context is lost late" FAKE_CUDA=launch=900 smoke layers
fault "an ECC error" FAKE_CUDA=ecc=60 smoke types
fault "no memory from the third on" FAKE_CUDA=oom=3 smoke types
fault "no capture" FAKE_CUDA=no-capture smoke types
fault "parts of k are added in D" FAKE_CUDA=in-place smoke longk
fault "operands arrive as zeros" FAKE_CUDA=zeros smoke types
fault "the GPU is busy" FAKE_CUDA=busy smoke types
fault "a slow GPU" "FAKE_CUDA_GPU=h100 FAKE_CUDA=slow" smoke large
fault "less memory than planned" "FAKE_CUDA_GPU=h100 FAKE_CUDA=oom=2" smoke fits
fault "memory that does not hold what is written" "FAKE_CUDA_GPU=h100 FAKE_CUDA=half-set" \
    smoke fits
fault "PyTorch twice as fast" "SLOWER=0.5" smoke large torch-large
fault "PyTorch breaks" "PYTHON=false" smoke large torch-large
fault "nothing but what nobody asked for" "FAKE_CUDA=refuse" sanitizer
fault "no time for anything" "FAKE_CUDA=" --budget 4 smoke

# ---- GPUs by name, meanwhile ------------------------------------------------------------

# named GPU ASSIGNMENT STEP...: a session that ends well
named() {
    gpu=$1 set=$2
    shift 2
    env "$set" OUT="$work/$gpu" sh "$check" "$@" >"$work/$gpu.said" 2>&1
    echo $? >"$work/$gpu.code"
}
{
    named h100 FAKE_CUDA_GPU=h100 smoke memory types large torch-large decode-one-short \
        decode-one-full transfer layers confirm-fp16 confirm-fp8 confirm-int8 fits exceeds zeros \
        often override longk
    for gpu in b200 rtx-4090; do
        named $gpu FAKE_CUDA_GPU=$gpu smoke types
    done
    named first FAKE_CUDA=first-algo smoke types # an algorithm that does not run
} &

# ---- a session that is killed in every step, and goes on -----------------------------------

kept=0 kills=0
# without those that interpret kernels over 256 MiB: the GPU by name has them
steps="facts smoke types large torch-large decode-one-short decode-one-full transfer \
layers confirm-fp16 confirm-fp8 confirm-int8 experts zeros often fits exceeds override longk decode-many-short decode-many-full torch-layers \
torch-decode seldom often-again interrupt ncu sanitizer"
left=$steps
while [ -n "$left" ] && [ $kills -lt 60 ]; do
    # shellcheck disable=SC2086 # steps are words
    setsid sh "$check" $left >"$work/said" 2>&1 &
    session=$!
    first=${left%% *}
    while ! grep -q "^  $first: " "$work/said" && kill -0 $session 2>/dev/null; do
        sleep 0.05
    done
    sleep 0.2
    kill -KILL -- -$session 2>/dev/null
    wait $session 2>/dev/null
    kills=$((kills + 1))
    # what was said to be done is in the archive, whole
    rm -rf "$work/back"
    mkdir "$work/back"
    tar -C "$work/back" -xzf "$OUT.tgz" || fail "the archive after $kills kills" "broken"
    for step in $(sed -n 's/^  \([a-z0-9-]*\): .*/\1/p' "$work/said"); do
        [ -e "$work/back/run/$step.log" ] && grep -q "\"step/$step\"" "$work/back/run/facts.json" ||
            fail "step $step" "is not in the archive"
        kept=$((kept + 1))
        left=$(for one in $left; do [ "$one" = "$step" ] || printf '%s ' "$one"; done)
    done
    left=${left% }
done
assert_eq "every step ended, and was kept" 28 "$kept"
assert_eq "nothing is left" "" "$left"

# ---- its table -------------------------------------------------------------------------------

sh "$check" table >"$work/table" 2>&1
assert_eq "a good GPU: code" 0 $?
err=$(cat "$work/table")
assert_contains "no measurement" "REHEARSAL: this GPU is a stand-in" "$err"
for text in "fp8 is measured" "fp8-row is measured" "fp8-block is measured" "every type is right" "products of doubles" "launched as graphs" \
    "sums over long k" "error over tolerance" "large products are right" \
    "none slowed by heat" "fp32 pedantic" "16-bit sums, over fp16" \
    "PyTorch over gpuplan, time, fp16 " "layers are right" \
    "PyTorch over gpuplan, time, bf16 layers" "experts are right" "experts in one launch" "decoder steps are right" "transfers are right" \
    "pinned, host to device" "pinned, both ways" "readings every 250 ms" "makes tf32 is flagged" \
    "zeros are flagged" "zeros over random" "SIGTERM" "every step ended"; do
    assert_eq "row: $text" ok "$(row "$text")"
done
assert_eq "PyTorch's rate beside it" 4 "$(grep 'bf16, its rate' "$work/table" |
    sed 's/.*any  //' | awk '{ print NF }')"
# no sheet, no catalogue: nothing is said of a stand-in's rates
for text in "^bf16  " "gate and up for one token, bf16" \
    "largest model that fits" "predicted over measured"; do
    assert_eq "row: $text" here "$(row "$text")"
done
assert_lacks "rows of another compute capability" "nvfp4" "$err"
assert_lacks "the table" MISSING "$err"

# what is wrong in a file is seen
table_of() { # table_of WHAT ROW WORD: of the files as they are
    sh "$check" table >"$work/table" 2>&1
    assert_eq "$1: code" 1 $?
    assert_eq "$1" "$3" "$(row "$2")"
    cp "$work/back/run/$4.json" "$OUT/$4.json"
}
cp -R "$OUT/." "$work/back/run"
# one flag in place of those that are there, or of none: on a busy machine points are long enough
# for sensors
tr '\n' ' ' <"$work/back/run/large.json" | sed 's/"flags": *\[[^]]*\]/"flags": ["throttled"]/g' \
    >"$OUT/large.json"
table_of "slowed by heat" "none slowed by heat" LOOK large
sed '0,/"ok": true/s//"ok": false/' "$work/back/run/layers.json" >"$OUT/layers.json"
table_of "one wrong of many" "layers are right" LOOK layers
awk '/"points": /{on = 1} on && !done && sub(/"state": "ok"/, "\"state\": \"error\"") {done = 1} 1' \
    "$work/back/run/types.json" >"$OUT/types.json"
table_of "one failed of many" "every type is right" LOOK types
awk '/"id": "gemm.fp8-block/ {on = 1} on && !done && sub(/"state": "ok"/, "\"state\": \"unsupported\"") {done = 1} 1' \
    "$work/back/run/types.json" >"$OUT/types.json"
table_of "a type that must be here" "fp8-block is measured" LOOK types
sed 's/"cublaslt": [0-9]*/"cublaslt": 120800/' "$OUT/types.json" >"$work/older"
cp "$work/older" "$OUT/types.json" && cp "$OUT/smoke.json" "$work/smoke"
sed 's/"cublaslt": [0-9]*/"cublaslt": 120800/' "$work/smoke" >"$OUT/smoke.json"
sh "$check" table >"$work/table" 2>&1
assert_lacks "a row of a newer library" "fp8-block is measured" "$(cat "$work/table")"
cp "$work/smoke" "$OUT/smoke.json" && cp "$work/back/run/types.json" "$OUT/types.json"
rm "$OUT/types.json"
table_of "a file is missing" "every type is right" MISSING types
head -c 3000 "$work/back/run/types.json" >"$OUT/types.json"
table_of "a file is cut" "every type is right" MISSING types
echo '{"points": []}' >"$OUT/longk.json"
table_of "a result without its points" "sums over long k" MISSING longk
sed 's/"median": [0-9.e-]*/"median": null/' "$work/back/run/seldom.json" >"$OUT/seldom.json"
table_of "a figure is missing" "readings every 250" LOOK seldom
rm "$OUT"/*.json
sh "$check" table >"$work/table" 2>&1
assert_eq "nothing was run: code" 1 $?

# ---- faults, as they ended -------------------------------------------------------------------

wait
for code in "$work"/fault-*.code; do
    read -r rc what <"$code"
    case $rc in 1) ;; *) fail "$what" "ended $rc: $(cat "${code%.code}.said")" ;; esac
done
assert_contains "the reason is printed" "invalid value (status 7)" "$(cat "$work/fault-4.said")"
assert_contains "a plan that does not fit" "fits; seen: oom" "$(cat "$work/fault-16/fits.log")"
assert_contains "the step to repeat is named" "runs what is left: smoke" \
    "$(cat "$work/fault-21.said")"

# ---- the GPUs by name, as they ended ---------------------------------------------------------

for gpu in h100 b200 rtx-4090 first; do
    err=$(grep -A 3 -E ' (LOOK|MISSING)$' "$work/$gpu.said")
    assert_eq "$gpu: code" 0 "$(cat "$work/$gpu.code")"
done
cp "$work/h100.said" "$work/table"
for text in "device memory, read  " "copied by a kernel" "copy engine over" "^fp8  " "^bf16  " "gate and up for one token, bf16" "largest model that fits" \
    "smallest that exceeds" "one user, short: predicted" "an 8B model in fp16" "\.\.\. in fp8 " \
    "\.\.\. in int8 " "takes the time of tf32"; do
    assert_eq "an H100, row: $text" ok "$(row "$text")"
done

# ---- a plan of calls, and a call that goes on from the archive -----------------------------------

gone=$work/gone
ARCHIVE=$gone.tgz && export ARCHIVE
OUT='' sh "$check" --budget 540 plan >"$work/calls"
assert_eq "what fits into the first call begins with what is worth most" \
    "facts smoke memory types large" "$(awk '/call 1,/ { print $1 }' "$work/calls" | head -n 5 |
        tr '\n' ' ' | sed 's/ $//')"
assert_eq "and is within the budget" yes "$(awk '/call 1,/ { all += $2 }
    END { print (all > 400 && all <= 540) ? "yes" : all }' "$work/calls")"
assert_contains "calls" " in 2 calls of 540 s" "$(tail -n 1 "$work/calls")"
OUT=$gone sh "$check" facts smoke >"$work/said" 2>&1
rm -r "$gone"
OUT='' sh "$check" --budget 540 plan >"$work/calls"
assert_eq "the archive says what has ended" 2 "$(grep -c "has ended" "$work/calls")"
rm -r "$gone"
OUT='' sh "$check" --budget 3 >"$work/said" 2>&1 # for no step
assert_contains "a second call goes on" "runs what is left: memory types large" "$(cat "$work/said")"
assert_eq "with what the first one found" yes "$([ -s "$gone/smoke.json" ] && echo yes)"
unset ARCHIVE

# no GPU: said, and skipped
FAKE_CUDA=no-device sh "$check" >"$work/none" 2>&1
assert_eq "no GPU: code" 77 $?
assert_contains "no GPU" "skipped: no GPU that can be measured: " "$(cat "$work/none")"
sh "$check" five >"$work/none" 2>&1
assert_eq "no such step: code" 2 $?
sh "$check" --budget soon >"$work/none" 2>&1
assert_eq "no such budget: code" 2 $?

finish
