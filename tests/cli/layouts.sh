#!/bin/sh
# layouts.sh - the layouts that people run, on GPUs that can be bought: what was planned wrongly
# once, and what answers it. Each row holds with any price and load rule that keeps its sense.

. "${srcdir:-.}/tests/cli/lib.sh"

# row WANTED ARGUMENT...: the first line of the plan, and that --launch takes what fits.
row() {
    wanted=$1
    shift
    run --plan "$@"
    first=$(printf '%s\n' "$out" | head -n 1)
    # shellcheck disable=SC2254 # a pattern
    case $first in
    $wanted) ;;
    *) fail "$*: $wanted" "$first" ;;
    esac
    case $first in
    FITS*)
        run --launch vllm "$@"
        assert_eq "--launch $*" 0 "$rc"
        ;;
    esac
}

# ---- options of the engine before a pipeline, TP before PP, 8 where 8 are paid ----
row 'FITS on 2 x *: TP 2, 1 host, --max-num-seqs 256' -m llama-3.1-70b -g h100-sxm:2
assert_contains "the option" "--max-num-seqs 256" "$out"
row 'FITS on 2 x *: TP 2, 1 host*' -m llama-3.1-70b -p fp8 -g l40
row 'FITS on 4 x *: TP 4, 1 host*' -m qwen3-32b -p awq -g 2080ti:4
row 'FITS on 8 x *: TP 8, 1 host*' -m kimi-k2 -g mi300x
row 'FITS on [48] x *: TP [48], 1 host*' -m glm-4.6 -g mi300x
row 'FITS on 8 x *1 host*' -m deepseek-r1 -u 64 -c 16k -g mi300x
row 'FITS on 8 x *: TP 8, 1 host*' -m qwen3-coder-480b-a35b -g mi300x
row 'FITS on 16 x *: TP 8 x PP 2, 2 hosts*' -m deepseek-r1 -p fp8-block -g h100-sxm
row 'FITS on * x *replicas, *' -m llama-3.1-8b -u 1000 -g l4
assert_lacks "an 8B model in no pipeline" "pipeline-parallel" "$out"
# ---- all of what is rented; what people do not run, where it is one host in place of two ----
row 'FITS on 4 x *: TP 4, 1 host*' -m llama-3.1-70b -p bf16 -g a100-sxm-80
row 'FITS on 8 x *1 host*' -m kimi-k2 -g h200-sxm -u 32 -c 64k
row 'FITS on 48 x *6 hosts*' -m kimi-k2 -p int4 -g a100-sxm-40 --rate 30.5
row 'FITS on 46 x *TP 2 x 23 *' -m llama-3.1-8b -g l4 --rate 20 --prompt 4000 --output-tokens 200
# of more in flight it serves fewer: what the pool admits decides, not the slots
row 'FITS on 4 x *' -m phi-3.5-moe -p fp16 --kv-precision fp8 -g rtx-pro-6000-server:4 --rate 30.2
assert_lacks "what fits is served" "likely not" "$out"
run --plan -m kimi-k2
assert_contains "what nobody sells is not offered: a host of 8" "FITS on 8 x" "$out"

# ---- what is rented: one machine where an engine needs one, the cheapest split, all of a budget ----
run --plan -m olmo-hybrid-7b -p native -g v100-pcie-32:8 --engine ollama -c 4096
assert_contains "Ollama on one machine" "TP 1 x PP 8, 1 host" "$out"
run --plan -m olmo-2-0425-1b -p int4-awq -g b300 --engine vllm -c 512 -u 1 --replicas 10 --disaggregate auto
assert_contains "the cheapest split" "TP 1 x 10 replicas" "$out"
row 'FITS on 6 x *: TP 2 x 3 replicas*' -m eurollm-9b-instruct-2512 -p native -g l4 --engine vllm -c 16384 --rate 6.2 --ttft 800 --budget 2.64
run --plan -m ernie-4.5-21b-a3b -p native -g h100-sxm --engine llama.cpp -c 8192 --rate 60.198
assert_contains "no more GPUs than are paid for" "TP 1 x 7 replicas" "$out"
run --launch mlx -m gemma-3-27b -p int4-awq -g apple-m3-max --tp 2
assert_eq "MLX cuts tensors" 0 "$rc"
assert_lacks "... with no option" "--pipeline" "$out"
run --plan -m gpt-oss-120b -g mi300x
assert_contains "how many would do" "1 GPU would do: what has to be rented holds more" "$out"

# ---- graphs are given up where it would not start, not for more users ----
run --plan -m llama-3.1-8b -g l40s:1 -c 8k --solve users
assert_lacks "more users keep the graphs" "no CUDA graphs" "$out"

# ---- hosts as they are ----
row 'FITS on 2 x *: TP 2, 2 hosts*' -m llama-3.3-70b -g dgx-spark-gb10:2 --tp 2 --engine vllm
run --plan -m llama-3.3-70b -g dgx-spark-gb10:2 --tp 2 --engine vllm
assert_contains "with a warning" "TP over hosts" "$out"
row 'FITS on 2 x *: TP 2, 2 hosts*' -m llama-3.3-70b -g dgx-spark-gb10:2 --engine vllm # the maker's playbook
run --plan -m qwen3-235b-a22b -p q4_k_m -g dgx-spark-gb10:2 --engine llama.cpp
assert_contains "llama.cpp cuts no tensor over hosts" "PP 2, 2 hosts" "$out"
row 'FITS on 16 x *: TP 16, 2 hosts*' -m deepseek-r1 -g h100-sxm:16 --tp 16
if have_json; then # the band says by how much a network may be slower: by its share of a step
    run --plan -m llama-3.1-8b -g h100-sxm:8 --tp 8 -f json
    one=$(json speed.tpot.value) near=$(json speed.tpot.high)
    run --plan -m llama-3.1-8b -g h100-sxm:16 --tp 16 -f json
    two=$(json speed.tpot.value) far=$(json speed.tpot.high)
    assert_true "small all-reduces wait for two hosts: $one, $two" \
        awk -v a="$one" -v b="$two" 'BEGIN { exit !(b > 1.2 * a) }'
    assert_true "and nobody knows how long: $near, $far" \
        awk -v a="$one" -v h="$near" -v b="$two" -v f="$far" 'BEGIN { exit !(f / b > 1.5 * h / a) }'
fi
row 'FITS on 8 x *: TP 8*, 2 hosts*' -m kimi-k3 -g gb300:8 --tp 8
run --plan -m kimi-k3 -g gb300:8 --tp 8
assert_lacks "a rack is one host to TP" "TP over hosts" "$out"

# ---- a refusal is said once; cures in the order in which one tries them ----
run --plan -m qwen3.8-flash-next -p fp8-block -g l40s:8 --tp 8 --ep 1 --engine vllm@0.28
assert_eq "said once" 1 "$(printf '%s\n' "$out" | grep -o 'experts to a width of 80' | sort -u | wc -l)"
cure() { # the first command after "what would fit"
    run --plan "$@"
    printf '%s\n' "$out" | sed -n '/^what would fit/,$p' | sed -n '3,5p' | tr -d '\\\n'
}
assert_contains "AWQ on a V100: llama.cpp" "--engine llama.cpp --precision q4_k_m" \
    "$(cure -m qwen3-32b -p awq -g v100-sxm2-32:2)"
assert_contains "FP8 KV on a T4: a 16-bit KV cache" "--kv-precision" \
    "$(cure -m llama-3.1-8b -g t4 --kv-precision fp8)"
run --plan -m llama-3.1-70b -p int8 -g b200
assert_contains "where INT8 is missing FP8 comes before INT4" "--precision fp8" \
    "$(printf '%s\n' "$out" | grep -e '-g b200 --precision' | head -n 1)"
# told how many layers, neither moves any by itself
assert_contains "Ollama at 32k: a shorter context" "--context" \
    "$(cure -m qwen3-32b -p q4_k_m --engine ollama -g rtx-4090:1 --gpu-layers 99)"
assert_contains "llama.cpp: layers in host memory" "--gpu-layers" \
    "$(cure -m llama-3.1-70b -p q4_k_m -g rtx-4090:1 --gpu-layers 99)"
# layers that the engine put on the host by itself come back first, each way planned
for host in '4090:1 --engine ollama|context' '4090:1 --engine ollama -u 4|context' \
    '4090:1 -c 32k|context' 'l4:1 -c 16k|kv-precision'; do
    run --plan -m qwen3-32b -p q4_k_m -g ${host%|*}
    assert_contains "${host%|*}" "--${host#*|}" \
        "$(printf '%s\n' "$out" | sed -n '/^what would be better/,$p' | sed -n '3,4p')"
done
# more GPUs than layers: none can go to the host, and no layer before the first is read
run --plan -m llama-3.2-1b -p q8_0 -g gtx-1050-ti:64 --engine ollama -u 4000
assert_eq "a pipeline longer than the layers" 1 "$rc"
assert_contains "... fits nowhere" "DOES NOT FIT" "$out"

# ---- embedding models answer a prompt with a vector: no tokens are bought ----
run --plan -m Qwen/Qwen3-Embedding-8B -g l4 --rate 20
assert_contains "the GPUs of its prompts" "FITS on 6 x" "$out"
assert_contains "prompts/s" "  speed    20 prompts/s, a prompt in" "$out"
assert_contains "the price of their tokens" " per million prompt tokens" "$out"
for format in text markdown csv; do
    run --plan -m Qwen/Qwen3-Embedding-8B -g l4 -f "$format"
    for word in TPOT TTFT "output token" "answers of" "tokens/s for a user"; do
        assert_lacks "$format: no $word" "$word" "$(printf '%s\n' "$out" | grep -v '^    checked by')"
    done
done
if have_json; then
    # nothing in JSON is of output tokens, and dollars per million are of prompts' tokens
    for command in "--plan -g l4 -u 32" "--compare -g l4 -g l40s -u 32"; do
        # shellcheck disable=SC2086
        run $command -m qwen3-embedding-8b --format json
        assert_contains "$command: an answer of prompts" "per_million_prompt_tokens" "$out"
        assert_lacks "$command: no output tokens" "output_token" "$out"
    done
    run --plan -m qwen3-embedding-8b -g l4 -u 32 --format json
    assert_true "dollars per million prompt tokens" awk \
        -v dollars="$(json cost.per_million_prompt_tokens.value)" -v hour="$(json cost.per_hour.value)" \
        -v rate="$(json speed.prompts_per_s.value)" -v prompt="$(json request.prompt)" \
        'BEGIN { x = hour / 3600 / (rate * prompt) * 1e6; exit !(x > 0 && dollars / x - 1 < 1e-6 && 1 - dollars / x < 1e-6) }'
    assert_eq "the change's are the same" null "$(json verdict.fixes.0.tpot)"
    run --plan -m llama-3.1-8b -g l4 -u 32 --format json
    assert_lacks "and others' has none of prompts" "per_million_prompt_tokens" "$out"
fi
run --plan -m Qwen/Qwen3-Embedding-8B -g l4 -q
assert_contains "-q" "a prompt in 3" "$out"
run --compare -m Qwen/Qwen3-Embedding-8B -g l4 -g l40s
assert_contains "--compare" "prompt ms" "$out"
assert_lacks "... has no TPOT" "TPOT" "$out"
# encoders: what the data sheet allows, as none was measured
run --plan -m bge-m3 -g l4
assert_contains "a bound" "no estimate: at most 167 prompts/s by the sheet; none was measured" "$out"
assert_contains "... of such prompts" "speed, prompts of 1,024 tokens" "$out"
run --plan -m whisper-large-v3 -g l4
assert_contains "not of what is not served" "no estimate: this model does not decode tokens" "$out"
# more GPUs in slices that cost half as much for each
run --plan -m kimi-k2 -p int4-awq --engine vllm -g b300 -c 1024 -u 9 --tpot 8 --throughput 160
assert_contains "small slices for less money" '$167.76/h' "$out"
# capacity that falls between the slots and what the pool admits
run --plan -m nemotron-4-340b -p native --engine tensorrt-llm -g b200 -c 2048 --rate 25.4
assert_contains "at a rate that it serves" "goals: likely at least 25.4 requests/s" "$out"
# a smaller share for what lies beside, and more replicas for the users that it then lacks
run --plan -m ling-lite-1.5 -p native --kv-precision bf16 -g rtx-2080-ti --engine vllm@0.19 \
    --rate 3.8 --tpot 128 --max-batched-tokens 8192 --cpu-offload-gb 1 --kv-offload-gb 5
assert_contains "a share and replicas" "FITS on 40 x" "$out"
# a fix at a rate is asked as its command is, not with the users of the plan that does not fit
if have_json; then
    run --plan -m command-r-35b -p q4_k_m -g rtx-4060-ti-16g --used 10GiB --engine vllm \
        --rate 2.3 --dp 1 --format json
    assert_eq "the fix" 64 "$(json verdict.fixes.0.gpus)"
fi
# what the GPU takes over from the host is faster for more at once
run --plan -m gemma-3n-e4b -p q4_k_m -g h100-pcie --engine llama.cpp -c 8192 --rate 12.5 \
    --ttft 800 --tpot 64 --throughput 80 --gpu-layers 13 --draft llama-3.2-1b
assert_contains "more at once, fewer GPUs" "FITS on 4 x" "$out"
run --plan -m lfm2.5-8b-a1b -p native --rate 1.5 --draft qwen3-0.6b
assert_contains "no GPU that the engine does not run on" "without the draft" "$out"
# nobody joins two laptops, or Jetsons, whose memory is the host's
run --plan -m phi4 -g rtx-4060-laptop
assert_contains "a laptop has one" "FITS on 1 x" "$out"
assert_lacks "... and no second one" "2 x GeForce RTX 4060 Laptop" "$out"
run --plan -m gemma-3-4b -g jetson-orin-nano-8
assert_contains "so has a Jetson" "DOES NOT FIT on 1 x" "$out"
assert_lacks "... that keeps nothing beside it" "host memory" "$out"
run --plan -m gpt-oss-120b -p q4_k_m -g rtx-3090:3
assert_lacks "experts that are published in MXFP4 stay so in GGUF" "host memory: the weights" "$out"

# apart, users whose answers end later ask later: fewer replicas that decode leave more time to
# the prompts, in 13 GPUs where 24 were taken
awk 'BEGIN {
    print "TIMESTAMP,ContextTokens,GeneratedTokens"
    for (i = 1; i <= 100; i++)
        print i "," (i % 10 == 1 ? "29000,1000" : i % 3 ? "300,200" : "4000,200")
}' >"$work/lengths.csv"
run --plan -m afm-4.5b -g b300 -p fp8 --engine sglang -c 32768 --trace "$work/lengths.csv" \
    -u 108 --ttft 50 --disaggregate auto
assert_contains "prompts in time" "FITS on 13 x" "$out"
# the prompts' replicas take less than the price allows, in a TP of their own
if have_json; then
    run --plan -m qwen3-vl-8b -p int4-awq -g a10:1 -c 1024 -u 238 --tpot 16 --price buy \
        --disaggregate auto --format json
    cost=$(json verdict.fixes.1.per_hour)
    run --plan -m qwen3-vl-8b -p int4-awq -g rtx-4000-ada -c 1024 -u 238 --tpot 16 --price buy \
        --disaggregate auto --format json
    assert_eq "a fix costs what its command says" "$(json cost.per_hour.value)" "$cost"
fi
# copies of the attention share their experts over all their GPUs
assert_fails 2 '--ep 4, or leave it out; whole copies are --replicas' \
    --plan -m qwen3-30b-a3b -g l40s:4 --dp 2 --tp 2 --ep 2 --engine vllm

finish
