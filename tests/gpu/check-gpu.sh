#!/bin/sh
# check-gpu.sh - every claim that needs a GPU, in four stages of less than ten minutes each,
# with what is expected beside what is seen.
#
#   tests/gpu/check-gpu.sh [STAGE...]       all of 1 2 3 4 without one; `table`: only that
#
#   1  types      is every type right, all results checked by products of doubles; sums over
#                 long k; memory that is read, written and copied
#   2  products   a large product of each type, beside PyTorch's
#   3  layers     those of a model at several batch sizes, and its decoder steps, measured
#                 beside predicted and PyTorch's
#   4  conduct    transfers, operands of zeros, readings of the sensors, memory that fits and
#                 that does not, SIGTERM
#
# Run from a build (make check-gpu) or from a folder that was carried here (make gpu-kit):
# libc, the driver, and a CUDA toolkit or PyTorch's packages are enough. PyTorch is compared
# with where `$PYTHON` (python3) has it. The GPU's settings stay as they are.
#
#   OUT       where results go (check-gpu-HOST-TIME); those worth keeping belong into
#             profiles/measured/
#   DEVICE    which GPU (0)
#   GPUPLAN   the program (beside this folder)
#
# Ends 0 when all is as expected, 1 when something is not, 77 without a GPU. A rehearsal
# ($GPUPLAN_REHEARSAL, of tests/gpu/rehearsal.sh) has small shapes for the stand-in.

set -u
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${top_builddir:-$top}
gp=${GPUPLAN:-$build/gpuplan}
judge=${JUDGE:-$build/tests/gpu/judge}
python=${PYTHON:-python3}
device=${DEVICE:-0}
out=${OUT:-check-gpu-$(uname -n)-$(date -u +%Y%m%dT%H%M%SZ)}
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID

rehearsal=${GPUPLAN_REHEARSAL:-}
if [ -n "$rehearsal" ]; then
    small='--max-time 0.02'
    squares=64:64:64 layer=64:8:96 long=64:16:1024 large=128:128:128 model=$rehearsal
    many=2 full=64 wait=1 pinned=64K memory='--preset normal --size 1M:4M'
else
    small=
    squares=512:512:512 layer=1024:8:4096 large=8192:8192:8192 model=llama-3.1-8b
    long=4096:1:28672,4096:16:28672,4096:64:28672,1024:1024:28672
    many=16 full=8192 wait=20 pinned=64M memory='--preset quick'
fi

say() {
    printf '%s\n' "$*"
}

# bench NAME TEST OPTION...: a result NAME.json; at most four minutes. What it prints is
# kept, its exit code too: a figure that is missing is for the table to say.
bench() {
    name=$1
    shift
    say "  $name: gpuplan --bench $*"
    case " $* " in *' --preset '*) ;; *) set -- "$@" --preset quick ;; esac
    # shellcheck disable=SC2086 # options are words
    timeout -k 20 260 "$gp" --bench "$@" $small --backend cuda --device "$device" \
        --time-limit 240s --progress none -o "$out/$name.json" >"$out/$name.log" 2>&1
    rc=$?
    [ $rc -eq 0 ] || say "    exit $rc: $(tail -n 1 "$out/$name.log")"
}

# torch STAGE ID...: the same points by PyTorch, at most three minutes.
torch() {
    stage=$1
    shift
    [ -n "$have_torch" ] || return 0
    say "  torch-$stage: $# points by PyTorch"
    timeout -k 20 180 "$python" "$here/torch_ref.py" "$out/torch-$stage.json" "$@" \
        >"$out/torch-$stage.log" 2>&1 || say "    $(tail -n 1 "$out/torch-$stage.log")"
}

# ids FILE PATTERN: those points of a result that were measured, once each.
ids() {
    sed -n 's#^ *"id": "\('"$2"'\)",*$#\1#p' "$out/$1.json" 2>/dev/null | sort -u
}

# fact ID VALUE: what this script saw itself. no_fact ID REASON
facts=
fact() {
    add_fact "$1" "\"state\": \"ok\", \"value\": $2"
}

no_fact() {
    add_fact "$1" "\"state\": \"unsupported\", \"reason\": \"$2\""
}

add_fact() {
    facts="$facts${facts:+,
 }{\"id\": \"$1\", $2}"
    printf '{"points": [%s]}\n' "$facts" >"$out/facts.json"
}

# ---- the stages -------------------------------------------------------------------------

stage_1() {
    bench types gemm --check full --shapes "$squares,$layer"
    bench longk gemm -t fp16,bf16,tf32,fp8 --check full --shapes "$long"
    # shellcheck disable=SC2086
    bench memory memory $memory
    [ -z "$rehearsal" ] || return 0 # the stand-in runs no kernel of that size
    bench sizes memory --preset normal --size 512M:512M
    (export CUDA_DISABLE_PTX_JIT=1
     bench nojit memory --preset normal --size 512M:512M)
}

stage_2() {
    bench large gemm --shapes "$large"
    # shellcheck disable=SC2046 # ids are words
    torch 2 $(ids large 'gemm/[a-z0-9-]*/[0-9x]*/cold')
}

stage_3() {
    bench layers batch -m "$model" --tp 1 -t bf16,fp8
    bench decode-one-short decode -m "$model" --tp 1 -u 1 -c 16
    bench decode-one-full decode -m "$model" --tp 1 -u 1 -c $full
    bench decode-many-short decode -m "$model" --tp 1 -u $many -c 16
    bench decode-many-full decode -m "$model" --tp 1 -u $many -c $full
    # shellcheck disable=SC2046
    torch 3 $(ids layers 'batch/.*/\(gate_up\|down\)/.*') \
        $(for step in one-short one-full many-short many-full; do
            ids "decode-$step" 'decode/.*'; done)
}

# fits NAME MODEL: does the device agree with what is planned?
fits() {
    plan=0
    "$gp" --plan -m "$2" -p bf16 -g "$profile:1" --tp 1 -c 8k -q >"$out/$1.plan" 2>&1 || plan=$?
    bench "$1" fit -m "$2" -p bf16 --tp 1 -c 8k
    state=$(sed -n 's/^ *"state": "\([a-z]*\)",*$/\1/p' "$out/$1.json" | tail -n 1)
    case $plan$state in
    0ok | 1oom | 1unsupported) fact "$1" 1 ;;
    0* | 1*) fact "$1" 0 ;;
    esac
}

# What runs still of what was started with this mark in its environment.
left_of() {
    for process in /proc/[0-9]*; do
        tr '\0' '\n' <"$process/environ" 2>/dev/null | grep -qx "GPUPLAN_CHECK=$1" &&
            cat "$process/comm" 2>/dev/null
    done
}

interrupt() {
    say "  interrupted: gpuplan --bench gemm, SIGTERM $wait s after its journal begins"
    # shellcheck disable=SC2086
    # the stand-in at its real speed: by its fast clock all would be over too soon
    GPUPLAN_CHECK=$$ STANDIN_REAL_CLOCK=1 "$gp" --bench gemm -t bf16,fp16 --shapes "$squares,$large" $small --backend cuda \
        --device "$device" --preset thorough --progress none -o "$out/interrupted.json" \
        >"$out/interrupted.log" 2>&1 &
    pid=$!
    # its journal exists when devices are opened, however long a busy host takes
    for _ in $(seq 300); do
        [ ! -s "$out/interrupted.json.part" ] || break
        sleep 0.2
    done
    sleep "$wait"
    kill -TERM $pid
    wait $pid
    fact interrupted/exit $?
    status=$(sed -n 's/^  "status": "\([a-z]*\)",*$/\1/p' "$out/interrupted.json")
    fact interrupted/kept "$([ "$status" = interrupted ] && echo 1 || echo 0)"
    for _ in 1 2 3 4 5; do
        sleep 1
        [ -n "$(left_of $$)" ] || break
    done
    fact interrupted/left "$(left_of $$ | wc -l)"
}

stage_4() {
    bench transfer transfer --size $pinned:$pinned
    bench often gemm -t bf16 --shapes "$large" --nvml-interval 50
    bench seldom gemm -t bf16 --shapes "$large" --nvml-interval 250
    bench zeros gemm -t bf16 --shapes "$large" --fill zeros
    (export NVIDIA_TF32_OVERRIDE=1
     bench override gemm -t fp32 --shapes "$squares")
    profile=$(sed -n 's/^ *"profile": "\([^"]*\)",*$/\1/p' "$out/often.json" | head -n 1)
    if [ -n "$profile" ]; then
        fits fit-8b llama-3.1-8b
        fits fit-70b llama-3.1-70b
    else
        no_fact fit-8b "the catalogue does not know this GPU"
        no_fact fit-70b "the catalogue does not know this GPU"
    fi
    interrupt
}

# ---- the run ----------------------------------------------------------------------------

chosen=${*:-1 2 3 4}
for stage in $chosen; do
    case $stage in
    [1-4] | table) ;;
    *) say "check-gpu.sh: $stage: no such stage (1, 2, 3, 4 or table)" >&2; exit 2 ;;
    esac
done
mkdir -p "$out" || exit 2
if [ "$chosen" = table ]; then
    "$judge" "$here/expected.txt" "$out"
    exit
fi
say "GPUs:" >"$out/devices.log"
if ! "$gp" --bench gemm --backend cuda --device "$device" --dry-run >>"$out/devices.log" 2>&1; then
    say "skipped: no GPU that can be measured: $(tail -n 1 "$out/devices.log")"
    exit 77
fi
# not by a file: stages may run side by side into one folder
have_torch=$("$python" "$here/torch_ref.py" 2>/dev/null) || have_torch=
sed -n 's/^device /device /p' "$out/devices.log"
say "PyTorch: ${have_torch:-none here, so nothing is compared with it}"
say "results: $out"
started=$(date +%s)
for stage in $chosen; do
    begun=$(date +%s)
    say "stage $stage"
    "stage_$stage"
    say "stage $stage took $(($(date +%s) - begun)) s"
done
say "$(($(date +%s) - started)) s in all"
if grep -q '"name": "stand-in GPU"' "$out"/*.json; then
    say "REHEARSAL: this GPU is a stand-in, and no figure below is a measurement"
fi
# shellcheck disable=SC2086 # stages are words
table=$out/table-$(printf %s $chosen).txt
# shellcheck disable=SC2086
"$judge" "$here/expected.txt" "$out" $chosen | tee "$table"
grep -qE ' (LOOK|MISSING)$' "$table"
rc=$?
say "results to keep go to profiles/measured/: $out"
[ $rc -ne 0 ]
