#!/bin/sh
# check-gpu.sh - every claim that needs a GPU, measured in the order of its worth, with what
# is expected beside what is seen.
#
#   tests/gpu/check-gpu.sh [--budget SECONDS] [STEP...]   without one, all that have not ended
#   tests/gpu/check-gpu.sh [--budget SECONDS] plan        which step begins in which call
#   tests/gpu/check-gpu.sh table                          the table of what is there
#
# A step begins only when the time that it is expected to take is left of the budget (540 s);
# those that did not begin are named at the end with the command that runs them. A further call
# goes on with them, in the same folder or from its archive. The table `steps` below names all.
#
# Run from a build (make check-gpu) or from a folder that was carried here (make gpu-kit):
# libc, the driver, and a CUDA toolkit or PyTorch's packages are enough. PyTorch is compared
# with where `$PYTHON` (python3) has it. The GPU's settings stay as they are.
#
#   OUT       where results go (check-gpu-HOST-TIME); those worth keeping belong into
#             profiles/measured/
#   ARCHIVE   the same as one file, renewed after each step (OUT.tgz): what a limit on the
#             whole run leaves behind. Where the folder is not there, it is unpacked first
#   DEVICE    which GPU (0)
#   GPUPLAN   the program (beside this folder)
#
# Ends 0 when all that was measured is as expected, 1 when something is not, failed, is
# missing, or nothing was measured, and 77 without a GPU. A rehearsal ($GPUPLAN_REHEARSAL,
# of tests/gpu/rehearsal.sh) has small shapes for the stand-in, and twenty times as long: what a
# busy host takes says nothing of a GPU.

set -u
here=$(cd "$(dirname "$(readlink -f "$0")")" && pwd)
top=$(cd "$here/../.." && pwd)
build=${top_builddir:-$top}
gp=${GPUPLAN:-$build/gpuplan}
judge=${JUDGE:-$build/tests/gpu/judge}
python=${PYTHON:-python3}
device=${DEVICE:-0}
out=${ARCHIVE:+${ARCHIVE%.tgz}}
out=${OUT:-${out:-check-gpu-$(uname -n)-$(date -u +%Y%m%dT%H%M%SZ)}}
archive=${ARCHIVE:-$out.tgz}
rehearsal=${GPUPLAN_REHEARSAL:-}
budget=540 patience=1
[ -z "$rehearsal" ] || budget=10800 patience=20
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID

say() {
    printf '%s\n' "$*"
}

# ---- what is known of the device --------------------------------------------------------

# of NAME FILE: the first such value of a result, without quotes
of() {
    sed -n 's/^ *"'"$1"'": "\{0,1\}\([^",]*\)"\{0,1\},*$/\1/p' "$out/$2.json" 2>/dev/null |
        head -n 1
}

# Shapes and models for the memory that is there: 8,192 cubes of FP32 take 0.8 GB, an 8B
# model in BF16 16 GB and its cache 1 GB.
choose_sizes() {
    bytes=$(of memory smoke)
    gib=$((${bytes:-0} / 1073741824))
    profile=$(of profile smoke)
    [ "$profile" != null ] || profile=
    square=4096:4096:4096 squares=512:512:512 layer=1024:8:4096 long=4096:16:28672,512:64:28672
    many=16 full=8192 wait=20 pinned=64M
    small='' memory='' load='-c 8k'
    large=8192:8192:8192 model=llama-3.1-8b mixture=qwen3-30b-a3b
    [ "$gib" -ge 20 ] || model=llama-3.2-3b mixture=granite-3.1-1b-a400m
    [ "$gib" -ge 10 ] || model=llama-3.2-1b large=4096:4096:4096
    [ -n "$rehearsal" ] || return 0
    small='--max-time 0.02'
    [ -n "$profile" ] || memory='--preset normal --size 1M:4M'
    square=64:64:64 squares=64:64:64 layer=64:8:96 long=64:16:1024 large=128:128:128 model=$rehearsal
    load='-c 128 --prompt 1 --output-tokens 16'
    many=2 full=64 wait=0.5 pinned=64K mixture=${rehearsal%/*}/hf-moe
}

# ---- the steps --------------------------------------------------------------------------

# NAME, SECONDS that it takes on an H100 with its checks on the host, COMMAND; in the order of
# worth: whether it is right at all, then what a plan rests on, then what others say of it
steps() {
    cat <<END
facts              5 facts
smoke             20 bench gemm -t bf16 --shapes $square --check full
memory            20 bench memory $memory
types             55 bench gemm --check full --shapes $squares,$layer
large             45 bench gemm --shapes $large
torch-large       30 torch large gemm/[a-z0-9-]*/[0-9x]*/cold
decode-one-short  15 bench decode -m $model --tp 1 -u 1 -c 16
decode-one-full   15 bench decode -m $model --tp 1 -u 1 -c $full
transfer          25 bench transfer --size $pinned:$pinned
layers           100 bench batch -m $model --tp 1 -t bf16,fp8
confirm-fp16      45 confirm fp16
confirm-fp8       45 confirm fp8
confirm-int8      45 confirm int8
experts           60 bench batch -m $mixture --tp 1 -t bf16,fp8
zeros             15 bench gemm -t bf16 --shapes $large --fill zeros
often             15 bench gemm -t bf16 --shapes $large --nvml-interval 50
fits              15 fit_as_planned fits llama-3.2-1b llama-3.2-3b llama-3.1-8b qwen2.5-32b
exceeds           15 fit_as_planned exceeds llama-3.1-405b llama-3.1-70b qwen2.5-32b llama-3.1-8b
override          15 bench gemm -t fp32 --shapes $large
longk             60 bench gemm -t fp16,bf16,tf32,fp8 --check full --shapes $long
decode-many-short 20 bench decode -m $model --tp 1 -u $many -c 16
decode-many-full  40 bench decode -m $model --tp 1 -u $many -c $full
torch-layers      60 torch layers batch/.*/\(gate_up\|down\)/.*
torch-decode      40 torch decode-one-short,decode-one-full,decode-many-short,decode-many-full decode/.*
seldom            15 bench gemm -t bf16 --shapes $large --nvml-interval 250
often-again       15 bench gemm -t bf16 --shapes $large --nvml-interval 50
nojit             20 bench memory $memory
interrupt         35 interrupt
ncu               20 profiled ncu --target-processes all -k regex:gp_ -c 4 --clock-control none --metrics dram__bytes_read.sum,dram__bytes_write.sum,gpu__time_duration.sum,sm__warps_active.avg.pct_of_peak_sustained_active
sanitizer         40 profiled compute-sanitizer --target-processes all --error-exitcode 9
END
}

# What is set for one step alone.
environment() {
    case $1 in
    override) export NVIDIA_TF32_OVERRIDE=1 ;;
    nojit) export CUDA_DISABLE_PTX_JIT=1 ;;
    esac
}

# Each command ends 0 when it did what it should, 99 when it cannot be had here; what it
# prints, and its last line is the reason.

# bench TEST OPTION...: a result $name.json
bench() {
    # shellcheck disable=SC2086 # options are words
    # what an earlier run was killed in goes on from its journal
    if [ -s "$out/$name.json.part" ]; then
        timeout --foreground -k 10 "$limit" "$gp" --bench --resume "$out/$name.json.part" \
            --time-limit "$((limit - 10))s" --progress none && return 0
        rm -f "$out/$name.json.part"
    fi
    case " $* " in *' --preset '*) ;; *) set -- "$@" --preset quick ;; esac
    timeout --foreground -k 10 "$limit" "$gp" --bench "$@" $small --backend cuda --device "$device" \
        --time-limit "$((limit - 10))s" --progress none -o "$out/$name.json"
}

# confirm PRECISION: what a plan of the model rests on, by the profile alone, and measured
confirm() {
    [ -n "$profile" ] || { echo "the catalogue does not know this GPU"; return 99; }
    # shellcheck disable=SC2086 # options are words
    XDG_STATE_HOME=$out/state CUDA_VISIBLE_DEVICES=${CUDA_VISIBLE_DEVICES:-$device} timeout \
        --foreground -k 10 "$limit" "$gp" --confirm -m "$model" -p "$1" -g "$profile:1" --tp 1 \
        $load --calibration none $small --time-limit "$((limit - 10))s" --progress none \
        -f json -o "$out/$name.json"
}

# torch FILE,... PATTERN: the same points by PyTorch
torch() {
    points=$(for file in $(echo "$1" | tr , ' '); do
        sed -n 's#^ *"id": "\('"$2"'\)",*$#\1#p' "$out/$file.json" 2>/dev/null
    done | sort -u)
    [ -n "$points" ] || { echo "nothing was measured that PyTorch could repeat"; return 1; }
    # shellcheck disable=SC2086 # ids are words
    timeout --foreground -k 10 "$limit" "$python" "$here/torch_ref.py" "$out/$name.json" $points
}

facts() {
    uname -a
    cat /etc/os-release
    nproc
    free -g
    nvidia-smi
    nvidia-smi -q
    nvidia-smi topo -m
    ldconfig -p | grep -iE 'libcuda|cublas|nvidia-ml|nccl'
    "$gp" --list devices
    "$gp" --bench gemm --backend cuda --device "$device" --dry-run
    return 0
}

# fit_as_planned WORD MODEL...: does the device agree with what is planned for it? The last
# model that surely fits, or the last that surely does not.
fit_as_planned() {
    wanted=$1 chosen=
    shift
    [ -n "$profile" ] || { echo "the catalogue does not know this GPU"; return 99; }
    for one in "$@"; do
        "$gp" --plan -m "$one" -p bf16 -g "$profile:1" --tp 1 -c 8k -q >"$out/$name.plan" 2>&1
        case $wanted$?$(grep -ci marginal "$out/$name.plan") in
        fits00 | exceeds10) chosen=$one ;;
        esac
    done
    [ -n "$chosen" ] || { echo "no model here surely $wanted"; return 99; }
    bench fit -m "$chosen" -p bf16 -g "$profile:1" --tp 1 -c 8k
    rc=$? # 5: it was allocated, and does not hold what is written
    state=$(sed -n 's/^ *"state": "\([a-z]*\)",*$/\1/p' "$out/$name.json" | tail -n 1)
    echo "planned: $chosen $wanted; seen: ${state:-nothing}"
    case $wanted/$state in
    fits/ok) return $rc ;;
    exceeds/oom) return 0 ;;
    esac
    return 1
}

# What runs still of what was started with this mark in its environment.
left_of() {
    for process in /proc/[0-9]*; do
        { tr '\0' '\n' <"$process/environ"; } 2>/dev/null | grep -qx "GPUPLAN_CHECK=$1" &&
            cat "$process/comm" 2>/dev/null
    done
}

interrupt() {
    rm -f "$out/interrupted.json" "$out/interrupted.json.part" # of a call that was itself ended here
    # shellcheck disable=SC2086
    # the stand-in at its real speed: by its fast clock all would be over too soon
    GPUPLAN_CHECK=$$ STANDIN_REAL_CLOCK=1 "$gp" --bench gemm -t bf16,fp16 \
        --shapes "$squares,$large" $small --backend cuda --device "$device" \
        --preset thorough --progress none -o "$out/interrupted.json" 2>&1 &
    pid=$!
    # its journal exists when devices are opened, however long a busy host takes
    while [ ! -s "$out/interrupted.json.part" ] && kill -0 $pid 2>/dev/null; do
        sleep 0.1
    done
    sleep "$wait"
    kill -TERM $pid
    wait $pid
    rc=$?
    for _ in $(seq $((5 * patience))); do
        left=$(left_of $$ | wc -l)
        [ "$left" -gt 0 ] || break
        sleep 1
    done
    echo "exit $rc of 143, status $(of status interrupted), $left engines left"
    [ "$rc" -eq 143 ] && [ "$(of status interrupted)" = interrupted ] && [ "$left" -eq 0 ]
}

# profiled TOOL OPTION...: our two kernels under one of the toolkit's tools
profiled() {
    command -v "$1" >/dev/null || { echo "no $1 here"; return 99; }
    timeout --foreground -k 10 "$limit" "$@" "$gp" --bench memory --preset quick --backend cuda --device "$device" \
        --progress none -o "$out/$name.json"
}

# ---- the run ----------------------------------------------------------------------------

# What this script saw itself, for the table: facts.json is made anew after each step.
note() {
    reason=$(printf %s "$4" | tr '\\"\t' "/' " | tr -d '\000-\037' | cut -c 1-200)
    grep -v "\"step/$1\"" "$out/facts.list" >"$out/facts.new" 2>/dev/null
    printf '{"id": "step/%s", "state": "%s", "value": %s, "reason": "%s"}\n' "$1" "$2" "$3" \
        "$reason" >>"$out/facts.new"
    mv "$out/facts.new" "$out/facts.list"
    { printf '{"points": ['; paste -sd , "$out/facts.list"; printf ']}\n'; } >"$out/facts.json.new"
    mv "$out/facts.json.new" "$out/facts.json"
}

# Why a command failed: an error, else a point that has none, else what it said last.
reason_of() {
    { grep -h '^gpuplan: ' "$1" || grep -hE '(error|oom|skipped): |WRONG' "$1" ||
        grep -v '^result: ' "$1"; } | grep . | tail -n 1 | tr -s ' '
}

keep() {
    tar -C "$(dirname "$out")" -czf "$archive.new" "$(basename "$out")" 2>/dev/null
    mv "$archive.new" "$archive"
}

step() {
    name=$1 expected=$2 limit=$((($2 * 2 + 30) * patience))
    shift 2
    used=$(($(date +%s) - started))
    if [ $((used + expected)) -gt "$budget" ]; then
        note "$name" skipped null "no time left of $budget s"
        late="$late $name"
        keep
        say "  $name: takes about $expected s, and $used of $budget s are used"
        return 0
    fi
    begun=$(date +%s)
    rm -f "$out/$name.json" # that of an earlier call
    (environment "$name"; "$@") >"$out/$name.log" 2>&1 </dev/null &
    run=$!
    wait "$run"
    rc=$?
    run=''
    why=$(reason_of "$out/$name.log")
    case $rc in
    0) note "$name" ok 0 "" ;;
    99) note "$name" unsupported null "$why" ;;
    *) note "$name" ok $rc "$why" ;;
    esac
    took=$(($(date +%s) - begun))
    keep # what is said to be done is in the archive, whenever this is killed
    say "  $name: $took s$([ $rc -eq 0 ] || echo ", exit $rc: $why")"
}

# The step's shell and what it runs, which ends its own children.
end_step() {
    [ -n "$run" ] || return 0
    # shellcheck disable=SC2046 # pids are words
    kill -TERM $(cat "/proc/$run/task/$run/children" 2>/dev/null) "$run" 2>/dev/null
    wait "$run" 2>/dev/null
}

# The steps that have ended, as they should or not.
ended() {
    sed -n 's#.*"step/\([a-z0-9-]*\)", "state": "\(ok\|unsupported\)".*#\1#p' "$out/facts.list" \
        2>/dev/null
}

# NAME, its seconds, and in which call it begins.
plan() {
    steps | awk -v budget="$budget" -v ended=" $(ended | tr '\n' ' ')" '
        index(ended, " " $1 " ") { printf "%-18s %4d s  has ended\n", $1, $2; next }
        $2 > budget { printf "%-18s %4d s  takes more than %d s\n", $1, $2, budget; next }
        {
            for (call = 1; used[call] + $2 > budget; call++);
            printf "%-18s %4d s  call %d, after %d s\n", $1, $2, call, used[call]
            used[call] += $2
            all += $2
            most = call > most ? call : most
        }
        END { printf "%d s in %d calls of %d s\n", all, most, budget }'
}

table() {
    if grep -qs '"path": ".*/fixtures/cuda/' "$out"/*.json; then
        say "REHEARSAL: this GPU is a stand-in, and no figure below is a measurement"
    fi
    "$judge" "$here/expected.txt" "$out"
}

if [ "${1:-}" = --budget ]; then
    budget=${2:-}
    case $budget in '' | *[!0-9]*) say "check-gpu.sh: --budget SECONDS" >&2; exit 2 ;; esac
    shift 2
fi
if [ ! -d "$out" ] && [ -s "$archive" ]; then
    mkdir -p "$out" && tar -C "$out" --strip-components=1 -xzf "$archive" || exit 2
fi
choose_sizes
case $* in
table | plan)
    $1
    exit
    ;;
esac
for one in "$@"; do
    steps | grep -q "^$one " || {
        say "check-gpu.sh: $one: no such step; there are: $(steps | awk '{printf "%s ", $1}')" >&2
        exit 2
    }
done
mkdir -p "$out" || exit 2
if ! "$gp" --bench gemm --backend cuda --device "$device" --dry-run >"$out/devices.log" 2>&1; then
    say "skipped: no GPU that can be measured: $(tail -n 1 "$out/devices.log")"
    exit 77
fi
sed -n 's/^device /device /p' "$out/devices.log"
say "results: $out, and all of them in $archive"
if command -v nvidia-smi >/dev/null; then # a witness that is not ours, each second
    nvidia-smi --query-gpu=timestamp,clocks.sm,clocks.mem,power.draw,temperature.gpu,utilization.gpu \
        --format=csv -l 1 >"$out/smi.csv" 2>/dev/null &
    witness=$!
fi
started=$(date +%s)
late='' run=''
trap 'end_step; kill ${witness:-} 2>/dev/null; keep; exit 143' INT TERM HUP
# shellcheck disable=SC2046 # names are words
[ $# -gt 0 ] || set -- $(steps | awk -v ended=" $(ended | tr '\n' ' ')" \
    '!index(ended, " " $1 " ") { print $1 }')
for one in "$@"; do
    # planned anew: what the first steps found decides the sizes of the rest
    choose_sizes
    line=$(steps | grep "^$one ")
    # shellcheck disable=SC2086 # a line of the plan is words
    set -f && step $line && set +f
done
kill ${witness:-} 2>/dev/null
say "$(($(date +%s) - started)) s in all"
table >"$out/table.txt"
rc=$?
keep
cat "$out/table.txt"
[ -z "$late" ] || say "not begun: OUT=$out $0 runs what is left:$late"
say "results to keep go to profiles/measured/: $out"
exit $rc
