#!/bin/sh
# rehearsal.sh - check-gpu from end to end on the stand-in: that its stages run, that its
# table says what is there, and that it sees what is wrong. Of figures it says nothing.

. "${srcdir:-.}/tests/cli/lib.sh"

build=$(cd "${top_builddir:-.}" && pwd)
engine=$build/tests/bench/standin-bench-cuda
judge=$build/tests/gpu/judge
check=$src/tests/gpu/check-gpu.sh
[ -x "$engine" ] && [ -x "$judge" ] || skip "no CUDA headers, so no $engine"
mkdir "$work/libexec" "$work/driver" "$work/run" || exit 99
ln -s "$engine" "$work/libexec/gpuplan-bench-cuda"
ln -s "$build/tests/fixtures/fake_nvml.so" "$work/driver/libnvidia-ml.so.1"
GPUPLAN=$gp JUDGE=$judge GPUPLAN_LIBEXEC=$work/libexec LD_LIBRARY_PATH=$work/driver
GPUPLAN_REHEARSAL=$src/tests/fixtures/models/hf-llama FAKE_NVML_PROCESSES=1
PYTHON=$work/python OUT=$work/run
export GPUPLAN JUDGE GPUPLAN_LIBEXEC LD_LIBRARY_PATH GPUPLAN_REHEARSAL FAKE_NVML_PROCESSES
export PYTHON OUT
unset FAKE_CUDA FAKE_NVML FAKE_NVML_BUSY DEVICE
this_host # check-gpu looks for a real GPU, and finds the stand-in

# In PyTorch's place: the times that the stand-in itself makes up, $SLOWER times.
cat >"$work/python" <<'STUB'
#!/bin/sh
shift
[ $# -gt 0 ] || { echo "a stub"; exit; }
out=$1
shift
printf '%s\n' "$@" | awk -F / -v slower="${SLOWER:-1}" '
    BEGIN { printf "{\"points\": [" }
    { split($(NF - 1), n, "x")
      time = slower * (2e-6 + 2 * n[1] * n[2] * n[3] / 1e14)
      printf("%s{\"id\": \"%s\", ", (NR > 1) ? "," : "", $0)
      if (/^decode/)
          printf("\"state\": \"unsupported\", \"reason\": \"a stub\"}")
      else
          printf("\"time_s\": {\"median\": %.12g}}", time) }
    END { print "]}" }' >"$out"
STUB
chmod +x "$work/python"

# row TEXT: the last word of that row of the table, and what was seen
row() {
    grep -e "$1" "$work/table" | head -n 1 | awk '{ print $NF }'
}

# The stages wait more than they work: all at the same time, into one folder.
for stage in 1 2 3 4; do
    {
        sh "$check" $stage >"$work/stage-$stage" 2>&1
        echo $? >"$work/code-$stage"
    } &
done
FAKE_CUDA=wrong OUT=$work/wrong sh "$check" 1 >"$work/wrong-1" 2>&1
wrong=$?
wait

for stage in 1 2 3; do
    err=$(cat "$work/stage-$stage")
    assert_eq "stage $stage: all as expected, or not on a stand-in" 0 "$(cat "$work/code-$stage")"
    assert_contains "stage $stage is no measurement" "REHEARSAL: this GPU is a stand-in" "$err"
    assert_lacks "stage $stage" "    exit " "$err"
done
sh "$check" table >"$work/table" 2>&1
err=$(cat "$work/table")
for text in "every type is right" "products of doubles" "launched as graphs" "sums over long k" \
    "error over tolerance" "memory is read" "large products are right" "fp32 pedantic" \
    "16-bit sums, over fp16" "PyTorch over gpuplan, time, fp16 " "layers are right" \
    "PyTorch over gpuplan, time, bf16 layers" "decoder steps are right" "transfers are right" \
    "readings every 250 ms" "makes tf32 is flagged" "zeros are flagged" "zeros over random" "SIGTERM" \
    "a partial result" "engines left behind"; do
    assert_eq "row: $text" ok "$(row "$text")"
done
assert_eq "PyTorch's rate beside it" 4 "$(grep 'bf16, its rate' "$work/table" |
    sed 's/.*any  //' | awk '{ print NF }')"
# no sheet, no catalogue: nothing is said of a stand-in's rates
for text in "device memory, read" "^2   bf16 " "gate and up for one token, bf16" \
    "an 8B model" "predicted over measured"; do
    assert_eq "row: $text" here "$(row "$text")"
done
# its copies are faster than any link: what is outside its range is seen
assert_eq "row: pinned" LOOK "$(row "pinned, host to device")"
assert_eq "stage 4 has something to look at" 1 "$(cat "$work/code-4")"
assert_lacks "the table" MISSING "$err"

# what is wrong is seen
# shellcheck disable=SC2046 # ids are words
SLOWER=2 "$work/python" . "$work/run/torch-2.json" \
    $(grep -o 'gemm/[^"]*' "$work/run/torch-2.json")
sh "$check" table >"$work/table" 2>&1
assert_eq "PyTorch twice as slow: code" 1 $?
assert_eq "PyTorch twice as slow" LOOK "$(row "PyTorch over gpuplan, time, fp16 ")"
assert_eq "wrong results: code" 1 "$wrong"
cp "$work/wrong-1" "$work/table"
assert_eq "wrong results" LOOK "$(row "every type is right")"
rm "$work/run/types.json"
echo '{"points": []}' >"$work/run/longk.json"
sh "$check" table >"$work/table" 2>&1
assert_eq "a table with holes" 1 $?
assert_eq "a result without its points" MISSING "$(row "sums over long k")"

# no GPU: said, and skipped
FAKE_CUDA=no-device sh "$check" >"$work/none" 2>&1
assert_eq "no GPU: code" 77 $?
assert_contains "no GPU" "skipped: no GPU that can be measured: " "$(cat "$work/none")"
sh "$check" 5 >"$work/none" 2>&1
assert_eq "no such stage: code" 2 $?

finish
