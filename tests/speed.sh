#!/usr/bin/env bash
# How fast gpuplan is here. Run from the build folder.
#
#   tests/speed.sh [GPUPLAN]          times and rates beside what is needed; they depend
#                                     on the load and are not judged
#   tests/speed.sh --count [GPUPLAN]  instructions alone, which do not: exit 1 above a
#                                     limit, 77 where nothing can count them
#
# --plan is a whole process, median of 21 runs; --batch is 40,000 requests through one
# process; --compare is all GPUs at three precisions, median of 11 runs; evaluate is one
# layout judged with memory and cost, speed_estimate how fast one is (`make speed` builds
# the program that counts both).
# Instructions are counted by perf where it can, else by valgrind.
set -eu
plan_limit=15000 # thousand instructions of one --plan, a whole process; 9,960 with the profiles compiled
log_limit=90000  # of one more MB of a log that is no start
batch_limit=600  # of one more plan of --batch; 499 with records in one piece
unfit_limit=1200 # likewise on L4s, where many do not fit, with their fixes; 998
row_limit=450    # of one more row of --batch -q on L4s; 302

only_count=0
if [ "${1:-}" = --count ]; then
    only_count=1
    shift
fi
gp=${1:-${GPUPLAN:-./gpuplan}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export XDG_STATE_HOME="$work" # where what was measured here is kept: it is read, too

now() { date +%s%N; }

median() { # median N COMMAND... -> milliseconds
    local n=$1 i start
    shift
    for ((i = 0; i < n; i++)); do
        start=$(now)
        "$@" >/dev/null
        echo $(($(now) - start))
    done | sort -n | awk '{v[NR] = $1} END {printf "%.1f", v[int((NR + 1) / 2)] / 1e6}'
}

requests() { # requests N [GPU]
    awk -v n="$1" -v gpu="${2:-h100-sxm}" 'BEGIN {
        split("llama-3.1-8b qwen2.5-7b llama-3.1-70b qwen3-30b-a3b gemma-3-27b", m, " ")
        for (i = 0; i < n; i++)
            printf "{\"id\":%d,\"model\":\"%s\",\"gpu\":\"%s:%d\",\"context\":%d," \
                   "\"users\":%d,\"precision\":\"%s\"}\n", i, m[i % 5 + 1], gpu, 2 ^ (i % 3), \
                   2048 * (i % 4 + 1), i % 8 + 1, i % 2 ? "fp8" : "int4-awq"
    }'
}

count() { # count COMMAND... -> thousand instructions; nothing where none can count
    local found=''
    if command -v perf >/dev/null 2>&1; then
        perf stat -x, -e instructions:u -o "$work/perf" -- "$@" >/dev/null 2>&1 || :
        found=$(awk -F, '/^[0-9]+,/ {printf "%.0f", $1 / 1e3}' "$work/perf")
    fi
    if [ -z "$found" ] && command -v valgrind >/dev/null 2>&1; then
        valgrind --tool=cachegrind --cache-sim=no --cachegrind-out-file=/dev/null \
            --log-file="$work/log" "$@" >/dev/null 2>&1 || :
        found=$(awk '/I *refs/ {gsub(",", ""); printf "%.0f", $NF / 1e3}' "$work/log")
    fi
    echo "$found"
}

# What one more plan takes: each thread of --batch reads the catalogue, and 320 lines
# start them all. The requests repeat after 120.
count_batch() { # count_batch GPU [-q]
    local few many gpu=$1
    shift
    requests 320 "$gpu" >"$work/few"
    requests 440 "$gpu" >"$work/many"
    few=$(count "$gp" --batch "$@" "$work/few")
    many=$(count "$gp" --batch "$@" "$work/many")
    echo $(((many - few) / 120))
}

# What one more MB of a running server's log takes --check-log.
count_log() {
    local few many
    printf '%s\n' 'INFO 04-21 08:11:40 [gpu_model_runner.py:4566] Model loading took 7.51 GiB' \
        >"$work/head"
    yes '(APIServer pid=1) INFO:     127.0.0.1:4711 - "POST /v1/completions HTTP/1.1" 200 OK' |
        head -c 1200000 >"$work/lines"
    { cat "$work/head"; head -c 200000 "$work/lines"; } >"$work/few"
    cat "$work/head" "$work/lines" >"$work/many"
    few=$(count "$gp" --check-log "$work/few" -m llama-3.1-8b -g h100-sxm)
    many=$(count "$gp" --check-log "$work/many" -m llama-3.1-8b -g h100-sxm)
    echo $((many - few))
}

failed=0
judge() { # judge WHAT LIMIT COUNTED
    echo "$1 $3 thousand instructions, at most $2"
    [ "$3" -le "$2" ] || failed=1
}

judge_counts() {
    local plan
    if grep -q __asan_init "$gp" || ! grep -Eq '^CFLAGS = .*-O[2s3]' Makefile; then
        echo "instructions: not counted, the program is not built with -O2 alone"
        return 77
    fi
    plan=$(count "$gp" --plan -m llama-3.1-70b -g h100-sxm)
    if [ -z "$plan" ]; then
        echo "instructions: not counted, neither perf nor valgrind can"
        return 77
    fi
    judge "--plan, whole process:       " "$plan_limit" "$plan"
    judge "--batch, one more plan:      " "$batch_limit" "$(count_batch h100-sxm)"
    judge "--batch, one more on L4s:    " "$unfit_limit" "$(count_batch l4)"
    judge "--batch -q, likewise:        " "$row_limit" "$(count_batch l4 -q)"
    judge "--check-log, one more MB:    " "$log_limit" "$(count_log)"
    return "$failed"
}

rc=0
if [ "$only_count" = 1 ]; then
    judge_counts || rc=$?
    exit "$rc"
fi

echo "$(nproc) processors, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo "--plan, whole process:        $(median 21 "$gp" --plan -m llama-3.1-70b -p fp8 \
    -g h100-sxm -c 8k -u 16) ms, needed: 10"
echo "--plan, no GPU named:         $(median 21 "$gp" --plan -m llama-3.1-70b -p fp8) ms"
echo "--compare -g all, 3 formats:  $(median 11 "$gp" --compare -m llama-3.1-70b -g all) ms"
batch() { # batch WHAT NEEDED GPU [-q]
    local start took what=$1 needed=$2
    requests 40000 "$3" >"$work/requests"
    shift 3
    start=$(now)
    "$gp" --batch "$@" "$work/requests" >"$work/answers"
    took=$(($(now) - start))
    test "$(wc -l <"$work/answers")" -eq 40000
    echo "$what $((40000 * 1000000000 / took)) a second, needed: $needed"
}
batch "--batch, 40,000 requests:    " 15000 h100-sxm
batch "--batch -q, as many on L4s:  " 15000 l4 -q
if [ -x tests/speed_evaluate ]; then
    tests/speed_evaluate
fi
judge_counts || rc=$?
[ "$rc" -ne 1 ]
