#!/bin/sh
# check_log.sh - gpuplan --check-log: start-up logs against the plan. The logs are built from
# format strings of the engines' sources with figures that runs logged (tests/fixtures/logs,
# whose first lines say which), and one of a run of llama-server.

. "${srcdir:-.}/tests/cli/lib.sh"
cd "$work" || exit 99
logs=$src/tests/fixtures/logs
GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW

# ---- engine, version, status, ranks; terms compared and in their band ----
while read -r log status engine version ranks lines options; do
    # shellcheck disable=SC2086 # words
    run --check-log "$logs/$log.txt" $options
    assert_eq "first line of $log" \
        "$status: $engine${version:+ }$(echo "$version" | sed 's/^-$//'), $lines lines, $ranks" \
        "$(printf '%s\n' "$out" | sed -n '1s/ ranks*$//p' | sed 's/ ,/,/')"
done <<'END'
vllm-0.6.6 started vllm 0.6.6.post1 1 12 -g rtx-3090
vllm-0.11.0 started vllm 0.11.0 1 10 -g h100-sxm
vllm-0.16.0 started vllm 0.16.0 1 12 -g h100-sxm
vllm-0.19.0-tp2-color started vllm 0.19.0 2 17 -g h100-sxm
tensorrt-llm-1.3.0rc10 started tensorrt-llm 1.3.0rc10 2 12 -m deepseek-r1 -p nvfp4 -g b200
llama.cpp-cuda started llama.cpp b9632 1 21 -c 8k
vllm-0.8.5-stopped failed vllm 0.8.5 2 6 -m qwen2.5-14b -g rtx-4090
END

# terms NAME LOGGED: the row of a term and the figure that the log has
logged() {
    assert_eq "$1 as logged" "$2" "$(printf '%s\n' "$out" | awk -v t="$1" '$1 == t {print $3}')"
}

run --check-log "$logs/vllm-0.16.0.txt" -g h100-sxm
assert_eq "exit code" 0 "$rc"
logged weights 27.52
logged activation 5.64
logged non_torch 0.13
logged kv_pool 41.94
logged kv_cache_tokens 274848
logged max_concurrency 33.55
assert_contains "all in their band" "7 of 7 in their band" "$out"
assert_contains "what was planned" "qwen3-14b on 1 x h100-sxm, TP 1, vllm 0.16" "$out"

run --check-log "$logs/vllm-0.19.0-tp2-color.txt" -g h100-sxm
assert_contains "colors and ranks" "llama-3.1-8b on 2 x h100-sxm, TP 2" "$out"
logged weights 7.51
logged graphs_real 0.76
assert_contains "all in their band" "8 of 8 in their band" "$out"

run --check-log "$logs/sglang-0.5.23.txt" -g dgx-spark-gb10 --engine sglang@0.5.23
logged kv_pool 79.94
logged graphs_real 1.91
assert_lacks "the version was given" "does not state the engine's version" "$out"

run --check-log "$logs/sglang-0.5.9.txt" -m deepseek-r1 -g b200
logged weights 102.10
logged kv_cache_tokens 1467200
assert_contains "layout of the log" "on 4 x b200, TP 4, EP 4" "$out"
assert_contains "no version" "does not state the engine's version" "$out"

run --check-log "$logs/tensorrt-llm-1.3.0rc10.txt" -m deepseek-r1 -p nvfp4 -g b200
logged all_but_kv 104.32 # without the 2.14 GiB that profiling alone takes
logged activation 0.59
logged non_torch_graphs 9.83
run --check-log "$logs/tensorrt-llm-1.3.0rc10.txt" -m deepseek-r1 -p nvfp4 -g b200 --strict
assert_eq "strict" 0 "$rc"
run --check-log "$logs/tensorrt-llm-1.3.0rc10.txt" -m deepseek-r1 -p nvfp4 -g b200 -c 4096 \
    --memory-utilization 0.5 --strict
assert_eq "strict, another pool" 5 "$rc"

# what was repacked beside the mapped file counts once, and twice where nothing is mapped
log=$logs/llama.cpp-cpu-repack-own-run.txt
run --check-log "$log" -m llama-3.2-1b -g cpu
logged weights 0.346
sed 's/CPU_Mapped/       CPU/' "$log" >unmapped.log
run --check-log unmapped.log -m llama-3.2-1b -g cpu
logged weights 0.572

run --check-log "$logs/llama.cpp-cuda.txt"
assert_contains "the log names the GPU" "gemma-4-12b on 1 x rtx-4090" "$out"
logged kv_reserved 0.813
logged weights 6.240

# llama-fit-params --fit-print on: MiB of model, context and compute of each device, and the host
printf 'CUDA0 4403 1024 560 \nHost 281 0 24 \n' >fit.txt
run --check-log fit.txt -m llama-3.1-8b -p q4_k_m -g rtx-4090 -c 8192
assert_contains "no start" "estimated: llama.cpp, 2 lines" "$out"
logged weights 4.300
logged kv_reserved 1.000
logged activation 0.547
logged host 0.274
assert_lacks "nothing is missing" "before the server was ready" "$out"
{ echo 'build: 7410 (0828676e0)'; cat fit.txt; } >fit.log
run --check-log fit.log -m llama-3.1-8b -p q4_k_m -g rtx-4090 -c 8192
logged weights 4.300
run --plan -m llama-3.1-8b -p q4_k_m -g rtx-4090 -c 8192 --calibration fit.txt
assert_contains "it corrects nothing" "it is an estimate, of no server" "$out"

# options that are given win
run --check-log "$logs/vllm-0.16.0.txt" -g h100-sxm -c 4096 --memory-utilization 0.9
assert_contains "outside of the band" " no" "$out"

# ---- starts that failed ----
run --check-log "$logs/vllm-0.8.5-stopped.txt" -m qwen2.5-14b -g rtx-4090
assert_eq "failed: exit code" 1 "$rc"
assert_contains "where" "stopped at line 6: ValueError: To serve at least one request" "$out"
assert_contains "cure" "cure: one request of full length does not fit: a shorter context" "$out"
assert_contains "the plan says so too" "does-not-fit" "$out"
assert_contains "what would start" "planned to start:" "$out"
run --check-log "$logs/vllm-0.27.1-stopped.txt" -g rtx-4090
assert_contains "cure of the blocks" "cure: lower the slots to the blocks of state" "$out"
if have_json; then
    while read -r engine check message; do
        case $engine in
        vllm) first="vLLM API server version 0.27.0" ;;
        sglang) first="server_args=ServerArgs(model_path='google/gemma-3-27b-it')" ;;
        *) first="TensorRT-LLM version: 1.2.0" ;;
        esac
        [ "$engine" = llama.cpp ] && first="common: build: 9000 (abc)"
        printf '%s\n%s\n' "$first" "$message" >stopped.log
        run --check-log stopped.log -m llama-3.1-8b -g l4 --format json
        assert_eq "check of: $message" "$check" "$(json failure.check)"
    done <<'END'
vllm cache-blocks ValueError: No available memory for the cache blocks. Try increasing `gpu_memory_utilization` when initializing the engine.
vllm free-memory ValueError: Free memory on device (45.89/79.19 GiB) on startup is less than desired GPU memory utilization (0.9, 71.27 GiB). Decrease
vllm heads ValueError: Total number of attention heads (40) must be divisible by tensor parallel size (3).
vllm max-model-len ValueError: User-specified max_model_len (9000) is greater than the derived max_model_len (max_position_embeddings=4096)
vllm load torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB
vllm graphs RuntimeError: CUDA out of memory occurred when warming up sampler with 256 dummy requests. Please try lowering
sglang cache-blocks RuntimeError: Not enough memory. Please try to increase --mem-fraction-static.
sglang cache-blocks RuntimeError: Loaded weights leave no GPU memory for the KV cache under --mem-fraction-static=0.3. Raise
sglang graphs Exception: Capture cuda graph failed: CUDA out of memory. Tried
tensorrt-llm cache-blocks AssertionError: Impossible to fit in any sequence in kvCache
llama.cpp load llama_model_load: error loading model: unable to allocate CUDA0 buffer (of 9000.00 MiB)
llama.cpp kv-cache llama_init_from_model: failed to initialize the context: failed to allocate buffer for kv cache
llama.cpp warm-up CUDA error: out of memory
llama.cpp slots n_seq_max must be <= 256
END
fi

# ---- ends of lines of another system, ranks that speak in turn, a line without an end ----
for log in vllm-0.16.0 sglang-0.5.23 tensorrt-llm-1.3.0rc10 llama.cpp-cuda; do
    run --check-log "$logs/$log.txt" -m llama-3.1-8b -g h100-sxm
    plain=$out
    sed 's/$/\r/' "$logs/$log.txt" >crlf.log
    run --check-log crlf.log -m llama-3.1-8b -g h100-sxm
    assert_eq "CRLF: $log" "$plain" "$out"
    { head -c 300000 /dev/zero | tr '\0' x; echo; cat "$logs/$log.txt"; } >long.log
    run --check-log long.log -m llama-3.1-8b -g h100-sxm
    assert_eq "a line of 300 kB: $log" "$(printf '%s\n' "$plain" | tail -n +2)" \
        "$(printf '%s\n' "$out" | tail -n +2)"
done
run --check-log "$logs/vllm-0.19.0-tp2-color.txt" -g h100-sxm
plain=$out
awk '/TP1/ {late[n++] = $0; next} {print} END {for (i = 0; i < n; i++) print late[i]}' \
    "$logs/vllm-0.19.0-tp2-color.txt" >turns.log
run --check-log turns.log -g h100-sxm
assert_eq "the second rank speaks later" "$plain" "$out"
yes 'INFO 11-25 22:50:43 something else' | head -c 68000000 | cat "$logs/vllm-0.16.0.txt" - >huge.log
run --check-log huge.log -g h100-sxm
assert_eq "too large: exit code" 3 "$rc"
assert_contains "what to do" "head -n 20000 huge.log | gpuplan --check-log -" "$err"
rm huge.log

# ---- logs that are cut, foreign, hostile or none ----
head -n 7 "$logs/vllm-0.16.0.txt" >cut.log
run --check-log cut.log -g h100-sxm
assert_contains "cut off" "unfinished: vllm 0.16.0, 7 lines" "$out"
assert_contains "where" "its last known line is 7: Model loading took 27.52 GiB" "$out"
logged weights 27.52
tail -n 4 "$logs/vllm-0.16.0.txt" >tail.log
run --check-log tail.log -m qwen3-14b -g h100-sxm
assert_contains "without its options" "the log does not hold the engine's options" "$out"
run --check-log tail.log -g h100-sxm
assert_eq "no model: exit code" 2 "$rc"
assert_contains "no model" "the log names no model; give --model" "$out"
cat "$logs/vllm-0.16.0.txt" "$logs/vllm-0.16.0.txt" >twice.log
run --check-log twice.log -g h100-sxm
assert_contains "two starts" "the log has 2 starts" "$out"
assert_contains "counted once" "7 of 7 in their band" "$out"
cat "$logs/vllm-0.16.0.txt" "$logs/sglang-0.5.9.txt" >both.log
run --check-log both.log -g h100-sxm
assert_contains "two engines" "lines of other engines are in it" "$out"
run --check-log - -g h100-sxm
assert_eq "empty: exit code" 3 "$rc"
assert_contains "empty" "is empty" "$err"
"$gp" --check-log - -g h100-sxm -q <"$logs/vllm-0.16.0.txt" >piped
assert_eq "piped" started "$(cat piped)"
cp "$src/NEWS" news.log
run --check-log news.log
assert_eq "foreign: exit code" 3 "$rc"
assert_contains "foreign" "none of its lines is known" "$err"
head -c 20000 "$gp" >binary.log
run --check-log binary.log
assert_eq "binary: exit code" 3 "$rc"
printf 'vLLM API server version \033]0;x\007%%s%%n\nModel loading took 99999999999999999999 GiB\n' >odd.log
run --check-log odd.log -m llama-3.1-8b -g l4
assert_lacks "no escape comes through" "$(printf '\033')" "$out"
run --check-log
assert_eq "no file named" 2 "$rc"
run --check-log cut.log --format csv
assert_eq "no table" 2 "$rc"

# ---- a run of vLLM on processors, which is not planned ----
run --check-log "$logs/vllm-0.32.0-cpu-own-run.txt" -m llama-3.2-1b -g l4
assert_contains "own run of vLLM" "started: vllm 0.32.0" "$out"
logged kv_cache_tokens 131072
assert_contains "another device" "the log is of a server on processors" "$out"
run --check-log "$logs/vllm-0.32.0-cpu-own-run.txt" -m llama-3.2-1b
assert_contains "is not taken for a GPU's" "vLLM is not planned on processors" "$out$err"

# ---- a run of llama-server on processors ----
run --check-log "$logs/llama.cpp-cpu-own-run.txt" -m llama-3.2-1b -p fp16 -g cpu
assert_contains "own run" "started: llama.cpp" "$out"
if [ "$rc" = 0 ]; then
    logged kv_reserved 0.125
    logged activation 0.064
else
    assert_contains "no CPU can be read here" "not planned" "$out"
fi
# ---- two servers in one file, figures that no memory has, another packing ----
paste -d '\n' "$logs/vllm-0.16.0.txt" "$logs/vllm-0.11.0.txt" >two.log
run --check-log two.log -g h100-sxm
assert_contains "two servers" "the lines of two servers are mixed in it" "$out"
run --plan -m qwen3-14b -g h100-sxm --engine vllm@0.16 --calibration two.log
assert_contains "no calibration" "two.log: the lines of two servers are mixed in it" "$out"
cat "$logs/vllm-0.16.0.txt" "$logs/vllm-0.11.0.txt" >starts.log
run --check-log starts.log -g h100-sxm
assert_lacks "one after the other are starts" "two servers" "$out"
sed 's/41\.94 GiB/99999999999999999999999999 GiB/; s/274,848/-5/' "$logs/vllm-0.16.0.txt" >odd.log
run --check-log odd.log -g h100-sxm
assert_contains "no such size" "2 figures are left out: no size can be that" "$out"
assert_lacks "and it is not compared" "kv_pool" "$out"
sed "s/tensor_parallel_size': 2/tensor_parallel_size': 1000000/; \
    s/tensor_parallel_size=2/tensor_parallel_size=1000000/" "$logs/vllm-0.19.0-tp2-color.txt" >wide.log
run --check-log wide.log -g h100-sxm
assert_contains "which option cannot be" "not planned: --tp: 1000000 is outside" "$out"
gzip -c "$logs/vllm-0.16.0.txt" >packed.log
assert_fails 3 "is compressed" --check-log packed.log
finish
