#!/usr/bin/env bash
# How fast gpuplan is here: prints figures, judges nothing. Run from the build folder.
#
#   tests/speed.sh [GPUPLAN]
#
# --plan is a whole process, median of 21 runs; --batch is 40,000 requests through one
# process; --compare is all GPUs at three precisions, median of 11 runs; evaluate is one
# layout judged with memory and cost (`make speed` builds the program that counts them).
# Where valgrind is installed, the instructions of one --plan as well: they do not depend
# on the load.
set -eu
gp=${1:-${GPUPLAN:-./gpuplan}}
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

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

requests() {
    awk 'BEGIN {
        split("llama-3.1-8b qwen2.5-7b llama-3.1-70b qwen3-30b-a3b gemma-3-27b", m, " ")
        for (i = 0; i < 40000; i++)
            printf "{\"id\":%d,\"model\":\"%s\",\"gpu\":\"h100-sxm:%d\",\"context\":%d," \
                   "\"users\":%d,\"precision\":\"%s\"}\n", i, m[i % 5 + 1], 2 ^ (i % 3), \
                   2048 * (i % 4 + 1), i % 8 + 1, i % 2 ? "fp8" : "int4-awq"
    }'
}

echo "$(nproc) processors, $(sed -n 's/^model name[^:]*: //p' /proc/cpuinfo | head -n 1)"
echo "--plan, whole process:        $(median 21 "$gp" --plan -m llama-3.1-70b -p fp8 \
    -g h100-sxm -c 8k -u 16) ms"
if command -v valgrind >/dev/null 2>&1; then
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$gp" --plan \
        -m llama-3.1-70b -g h100-sxm 2>"$work/callgrind" >/dev/null || :
    echo "--plan, instructions:         $(awk '/Collected/ {printf "%.1f M", $4 / 1e6}' \
        "$work/callgrind")"
fi
echo "--plan, no GPU named:         $(median 21 "$gp" --plan -m llama-3.1-70b -p fp8) ms"
echo "--compare -g all, 3 formats:  $(median 11 "$gp" --compare -m llama-3.1-70b -g all) ms"
requests >"$work/requests"
start=$(now)
"$gp" --batch "$work/requests" >"$work/answers"
took=$(($(now) - start))
test "$(wc -l <"$work/answers")" -eq 40000
echo "--batch, 40,000 requests:     $((40000 * 1000000000 / took)) plans/s"
if [ -x tests/speed_evaluate ]; then
    echo "evaluate:                     $(tests/speed_evaluate)"
fi
