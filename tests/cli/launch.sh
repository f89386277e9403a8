#!/bin/sh
# launch.sh - gpuplan --launch: commands that a shell takes, targets, what is refused.

. "${srcdir:-.}/tests/cli/lib.sh"

# ---- each engine ----
run --launch vllm -m llama-3.1-8b -g h100-sxm -c 8k -u 4
assert_eq "exit code" 0 "$rc"
assert_contains "the release that chats" "vllm serve meta-llama/Llama-3.1-8B-Instruct " "$out"
while read -r typed served; do # of releases of one shape the one that was typed
    run --launch vllm -m "$typed" -g h100-sxm -p native
    assert_contains "what $typed serves" "vllm serve $served " "$out"
done <<'END'
qwen3-coder:30b Qwen/Qwen3-Coder-30B-A3B-Instruct
Qwen3-30B-A3B-Thinking-2507 Qwen/Qwen3-30B-A3B-Thinking-2507
qwen3-30b-a3b Qwen/Qwen3-30B-A3B
devstral:24b mistralai/Devstral-Small-2505
deepseek-v3.1 deepseek-ai/DeepSeek-V3.1
END
assert_contains "context" "--max-model-len 8192" "$out"
assert_contains "share" "--gpu-memory-utilization 0.92" "$out"
run --launch vllm -m llama-3.1-8b -g h100-sxm --headroom 0.1
assert_contains "headroom is part of the share" "--gpu-memory-utilization 0.828" "$out"
run --launch sglang -m llama-3.1-8b -g h100-sxm -p fp8
assert_contains "SGLang" "--mem-fraction-static 0." "$out"
assert_contains "quantized as it is loaded" "--quantization fp8" "$out"
run --launch sglang -m llama-3.1-8b -g h100-sxm --scheduling-policy low-first
assert_contains "by priority" "--enable-priority-scheduling" "$out"
assert_contains "the lower first" "--schedule-low-priority-values-first" "$out"
run --launch vllm -m llama-3.1-8b -g h100-sxm --scheduling-policy priority
assert_contains "vLLM, too" "--scheduling-policy priority" "$out"
run --launch trtllm -m llama-3.1-8b -g h100-sxm --kv-precision fp8
assert_contains "the alias" "trtllm-serve meta-llama/Llama-3.1-8B-Instruct" "$out"
assert_contains "its file" "free_gpu_memory_fraction: 0.9" "$out"
assert_contains "the cache's type" "dtype: fp8" "$out"
run --launch llama.cpp -m llama-3.1-8b -p q4_k_m -g rtx-4090 -c 4096 -u 8
assert_contains "llama.cpp: the cache of all slots" "-c 32768" "$out"
assert_contains "slots" "-np 8" "$out"
assert_contains "nothing is changed behind the plan" "-fit off" "$out"
assert_contains "a placeholder, said so" "# ./llama-3.1-8b-q4_k_m.gguf stands for" "$out"
run --launch llama.cpp -m llama-3.1-8b -p q4_k_m -g rtx-4090 -c 4096
assert_contains "more slots than users share the cache" "-kvu" "$out"
run --launch ollama -m llama-3.1-8b -p q4_k_m -g rtx-4090 -c 4096 -u 2
assert_contains "Ollama's file" "PARAMETER num_ctx 4096" "$out"
assert_contains "its variables" "OLLAMA_NUM_PARALLEL=2" "$out"

# ---- drafts: what each engine calls each kind; k tokens a step ----
while IFS='|' read -r engine draft says; do
    model="-m qwen3.5-27b -g h200-sxm"
    [ "$engine" = llama.cpp ] && model="$model -p q4_k_m"
    # shellcheck disable=SC2086
    run --launch "$engine" $model --draft "$draft" --speculative-tokens 4
    assert_contains "$engine: $draft" "$says" "$(tr -s ' \\\n' ' ' <"$work/out")"
done <<'END'
vllm|mtp|{"method": "mtp", "num_speculative_tokens": 4}
vllm|qwen3.5-0.8b|{"method": "draft_model", "model": "Qwen/Qwen3.5-0.8B", "num_speculative_tokens": 4}
vllm|eagle3:org/head|{"method": "eagle3", "model": "org/head", "num_speculative_tokens": 4}
vllm|dflash:org/head|{"method": "dflash", "model": "org/head", "num_speculative_tokens": 4}
vllm|ngram|{"method": "ngram", "num_speculative_tokens": 4}
vllm|eagle3|eagle3-HEAD stands for a checkpoint of the draft
sglang|mtp|--speculative-algorithm NEXTN --speculative-num-steps 4 --speculative-eagle-topk 1 --speculative-num-draft-tokens 5
sglang|qwen3.5-0.8b|--speculative-algorithm STANDALONE --speculative-draft-model-path Qwen/Qwen3.5-0.8B --speculative-num-steps 4
sglang|eagle3:org/head|--speculative-algorithm EAGLE3 --speculative-draft-model-path org/head --speculative-num-steps 4
sglang|dflash:org/head|--speculative-algorithm DFLASH --speculative-draft-model-path org/head --speculative-num-draft-tokens 5
sglang|ngram|--speculative-algorithm NGRAM --speculative-num-draft-tokens 5 --speculative-ngram-max-bfs-breadth 1
llama.cpp|mtp|--spec-type draft-mtp --spec-draft-n-max 4
llama.cpp|qwen3.5-0.8b|--spec-type draft-simple --spec-draft-n-max 4
llama.cpp|eagle3:head.gguf|-md head.gguf --spec-type draft-eagle3 --spec-draft-n-max 4
llama.cpp|dflash:org/head|-md org/head --spec-type draft-dflash --spec-draft-n-max 4
llama.cpp|ngram|--spec-type ngram-simple --spec-ngram-simple-size-m 4
END

# ---- processors: no GPU is asked for, and no layer goes to one that is there ----
GPUPLAN_PROC=$work/proc
export GPUPLAN_PROC
mkdir "$work/proc"
printf 'processor : 0\nmodel name : two cores\nflags : fma\n' >"$work/proc/cpuinfo"
printf 'MemTotal: 67108864 kB\n' >"$work/proc/meminfo"
run --launch llama.cpp -m llama-3.2-1b -g cpu -c 4096
assert_contains "no layer on a GPU" "-ngl 0" "$out"
run --launch k8s -m llama-3.2-1b -g cpu -c 4096
assert_contains "the image of processors" "llama.cpp:server\"" "$out"
assert_lacks "no GPU" "nvidia.com" "$out"
run --launch slurm -m llama-3.2-1b -g cpu -c 4096
assert_lacks "no GPU of Slurm's" "gres" "$out"
assert_eq "layers that a command leaves to the host change nothing" \
    "$("$gp" --plan -m llama-3.2-1b -g cpu -c 4096 --format json | grep '"weights"')" \
    "$("$gp" --plan -m llama-3.2-1b -g cpu -c 4096 --gpu-layers 0 --format json | grep '"weights"')"
test_host
run --launch k8s -m llama-3.1-8b -g mi300x
assert_contains "whose image it is" "the image is for NVIDIA GPUs" "$out"

# ---- replicas, hosts ----
run --launch vllm -m llama-3.1-8b -g l40s:2 --replicas 2
assert_contains "the first" "CUDA_VISIBLE_DEVICES=0 vllm" "$out"
assert_contains "the second has a port of its own" "--port 8001 &" "$out"
run --launch vllm -m deepseek-v3 -g h200-sxm:16 --tp 1 --ep 16
assert_contains "copies over hosts" "--data-parallel-size-local 8" "$out"
run --launch sglang@0.5.9 -m deepseek-v3 -g h200-sxm:8 --tp 1 --ep 8
assert_contains "attention DP before 0.5.23" "--enable-dp-attention" "$out"
run --launch vllm@0.11 -m llama-3.1-405b -g h100-sxm:16 --tp 8 --pp 2
assert_contains "before --nnodes" "--distributed-executor-backend ray" "$out"
run --launch trtllm -m llama-3.1-405b -g h100-sxm:16 --tp 8 --pp 2
assert_contains "MPI" "mpirun -n 16" "$out"

# ---- targets ----
run --launch k8s -m llama-3.1-8b -g h100-sxm/3g.40gb
assert_contains "a slice" "nvidia.com/mig-3g.40gb: 1" "$out"
run --launch k8s -m deepseek-v3 -g h100-sxm:16 --tp 8 --pp 2
assert_contains "several hosts" "kind: LeaderWorkerSet" "$out"
run --launch slurm -m deepseek-v3 -g h100-sxm:16 --tp 8 --pp 2
assert_contains "nodes" "#SBATCH --nodes=2" "$out"
printf '%s\n' "$out" >"$work/job.sh"
assert_true "bash takes it" bash -n "$work/job.sh"
run --launch triton -m llama-3.1-8b -g l40s
assert_contains "the engine's own names" '"max_model_len": 8192' "$out"

# ---- base models ----
run --launch vllm -m gemma-3-27b -g h100-sxm:2
assert_contains "the release that chats" "google/gemma-3-27b-it" "$out"
assert_lacks "no word of it" "base model" "$out"
run --launch vllm -m meta-llama/Llama-3.1-8B -g h100-sxm
assert_contains "as it was asked for" "vllm serve meta-llama/Llama-3.1-8B " "$out"
assert_contains "said so" "# meta-llama/Llama-3.1-8B is a base model, not trained to chat; \
for chat: -m meta-llama/Llama-3.1-8B-Instruct" "$out"
run --launch vllm -m starcoder2-7b -g h100-sxm
assert_contains "there is no other" "is a base model: it completes text" "$out"
for f in "$src"/profiles/models/*.cfg; do # no base model is served by its short id unawares
    id=${f##*/} id=${id%.cfg}
    awk '/^aliases|^base/ {k = $1} k {line = line $0} /\];/ && k {print k, line; k = line = ""}' "$f" \
        >"$work/names"
    grep '^base' "$work/names" | grep -o '"[^"]*"' >"$work/base" || continue
    grep '^aliases' "$work/names" | grep -o '"[^"]*/[^"]*"' >"$work/aliases"
    assert_eq "$id: base models are aliases" "" "$(grep -vxF -f "$work/aliases" "$work/base")"
done

# ---- containers and manifests: valid YAML, no token in it ----
yaml() { # FILTER: what python's parser makes of $out, as JSON, through jq
    printf '%s\n' "$out" | python3 -c 'import json, sys, yaml
print(json.dumps(list(yaml.safe_load_all(sys.stdin))))' | jq -r "$1"
}
python3 -c 'import yaml' 2>/dev/null && command -v jq >/dev/null && read_yaml=1
mkdir "$work/manifests" || exit 99
HF_TOKEN=hf_secret
export HF_TOKEN
for target in k8s compose docker slurm triton; do
    for engine in vllm sglang tensorrt-llm llama.cpp ollama; do
        for gpu in h100-sxm l40s:2 mi300x h100-sxm/3g.40gb; do
            run --launch $target --engine $engine -m llama-3.1-8b -g $gpu
            [ "$rc" -eq 0 ] || continue # what is not supported is comments
            assert_lacks "$target $engine $gpu: no token" hf_secret "$out"
            assert_lacks "$target $engine $gpu: no tag is left" "{{" "$out"
            case $target in
            k8s | compose)
                cp "$work/out" "$work/manifests/$target-$engine-$(printf %s "$gpu" | tr -c 'a-z0-9-' _)" ;;
            *) assert_true "$target $engine $gpu: bash takes it" bash -n "$work/out" ;;
            esac
        done
    done
done
[ -z "${read_yaml:-}" ] || assert_eq "YAML, each at least a document" "" "$(
    python3 - "$work"/manifests/* 2>&1 <<'PY'
import sys, yaml
for name in sys.argv[1:]:
    if not list(yaml.safe_load_all(open(name))):
        print(name)
PY
)"
run --launch docker -m llama-3.1-8b -g h100-sxm
assert_contains "its GPU" "--gpus '\"device=0\"'" "$out"
assert_contains "cache and token" "-v ~/.cache/huggingface:/root/.cache/huggingface -e HF_TOKEN" "$out"
assert_contains "the image's own entry is not relied on" "--entrypoint vllm vllm/vllm-openai:v" "$out"
run --launch docker -m llama-3.1-8b -g l40s:4 --replicas 2
assert_contains "the second" "--gpus '\"device=2,3\"' --ipc=host" "$out"
assert_contains "on a port of its own" "-p 8001:8000" "$out"
run --launch docker --engine sglang -m llama-3.1-8b -g h100-sxm
assert_contains "reached from outside" "--host 0.0.0.0" "$out"
run --launch docker --engine ollama -m llama-3.1-8b -p q4_k_m -g rtx-4090
assert_contains "likewise" "-e OLLAMA_HOST=0.0.0.0" "$out"
assert_contains "its file" "-v \"\$PWD\":/models -w /models" "$out"
run --launch docker --engine llama.cpp -m llama-3.1-8b -p q4_k_m -g rtx-4090
assert_contains "where the image has it" "--entrypoint /app/llama-server" "$out"
run --launch docker -m llama-3.1-8b -g mi300x --engine vllm
assert_contains "AMD's devices" "--device /dev/kfd --device /dev/dri" "$out"
run --launch docker -m deepseek-v3 -g h100-sxm:16 --tp 8 --pp 2
assert_contains "one host" "a container runs on one (--launch k8s, slurm, or" "$err"
run --launch k8s -m llama-3.1-70b -g h100-sxm:4 --tp 4
assert_contains "the token's secret" "name: hf-token" "$out"
assert_contains "how it is made" 'kubectl create secret generic hf-token' "$out"
assert_contains "the GPU's label" 'values: ["NVIDIA-H100-80GB-HBM3"]' "$out"
assert_contains "a volume" "mountPath: /root/.cache/huggingface" "$out"
if [ -n "${read_yaml:-}" ]; then
    assert_eq "kinds" "PersistentVolumeClaim Deployment Service" "$(yaml '[.[].kind] | join(" ")')"
    pod='.[1].spec.template.spec'
    assert_eq "no traffic before it serves" "/health /health" "$(yaml "$pod.containers[0] |
        [.startupProbe.httpGet.path, .readinessProbe.httpGet.path] | join(\" \")")"
    assert_true "132 GiB are loaded before it is given up" test \
        "$(yaml "$pod.containers[0].startupProbe | .failureThreshold * .periodSeconds")" -ge 1800
    assert_eq "from a secret alone" token "$(yaml "$pod.containers[0].env[0].valueFrom.secretKeyRef.key")"
    run --launch k8s -m deepseek-v3 -g h100-sxm:16 --tp 8 --pp 2
    assert_eq "hosts share a volume" ReadWriteMany "$(yaml '.[0].spec.accessModes[0]')"
    assert_eq "its parts" "true false" "$(yaml '.[1].spec.leaderWorkerTemplate |
        [.leaderTemplate, .workerTemplate] | map(.spec.containers[0] | has("startupProbe")) |
        join(" ")')"
    run --launch compose -m llama-3.1-8b -g l40s:2 --replicas 2
    assert_eq "a service each" '["0"] ["1"]' "$(yaml '[.[0].services[].deploy.resources.reservations.devices[0].device_ids | tojson] | join(" ")')"
fi
run --launch docker -m llama-3.1-8b -g h100-sxm --format json
assert_eq "its file" docker.sh "$(json files.0.name)"

# ---- a target of one's own ----
mkdir -p "$XDG_DATA_HOME/gpuplan/profiles/launch"
printf '%s\n' '{{<file}}' mine.txt '{{/file}}' '{{#servers}}' '{{container}} {{nobody}}{{entry}}' '{{/servers}}' \
    >"$XDG_DATA_HOME/gpuplan/profiles/launch/mine.tmpl"
run --launch mine -m llama-3.1-8b -g l40s:2 --replicas 2
assert_eq "is one more" "llama-3-1-8b-instruct-0 vllm
llama-3-1-8b-instruct-1 vllm" "$out"
run --launch nothing -m llama-3.1-8b
assert_contains "is listed" "llm-d, mine, skypilot" "$err"
for bad in '{{#servers}}' '{{x|nope}}' '{{>nope}}' '{{/servers}}' '{{#a}}{{/b}}' '{{' '{{<a}}{{>a}}{{/a}}{{>a}}'; do
    printf 'one\n%s\n' "$bad" >"$XDG_DATA_HOME/gpuplan/profiles/launch/mine.tmpl"
    run --launch mine -m llama-3.1-8b -g l40s
    assert_eq "$bad: exit code" 3 "$rc"
    assert_contains "$bad: where" "mine.tmpl:2: " "$err"
done
rm -r "$XDG_DATA_HOME/gpuplan"

# ---- a shell takes what is printed, whatever the model is called ----
mkdir "$work/it's \$(here)"
cat >"$work/it's \$(here)/config.json" <<'END'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 256,
 "num_hidden_layers": 2, "num_attention_heads": 4, "num_key_value_heads": 2,
 "intermediate_size": 512, "vocab_size": 1000, "max_position_embeddings": 4096,
 "torch_dtype": "bfloat16"}
END
run --launch vllm -m "$work/it's \$(here)" -g l4
vllm() { printf '%s\n' "$2"; }
assert_eq "a name with quotes" "$work/it's \$(here)" "$(eval "$out")"

# ---- names that are more than names; tests/unit/test_launch_names has the many ----
name=$(printf 'm\nEND\ntouch PWNED\n#')
mkdir "$work/$name"
cp "$work/it's \$(here)/config.json" "$work/$name/"
run --launch ollama -m "$work/$name" -g l4
assert_eq "no line of a Modelfile" 2 "$rc"
assert_contains "what to do" "ln -s PATH model" "$err"
run --launch vllm -m "$work/$name" -g l4
assert_contains "a word of bash" "vllm serve \$'$work/m\\012END\\012touch PWNED\\012#' " "$out"
run --launch vllm --engine "$(printf 'vllm@0.33.7+x\ntouch PWNED')" -m llama-3.1-8b -g h100-sxm
assert_eq "a version of two lines" 2 "$rc"
assert_contains "says so" "is not a version (write it as in vllm@0.19)" "$err"
run --launch k8s --engine vllm@0.33.0+cu130 -m llama-3.1-8b -g h100-sxm
assert_contains "an image's tag has no +" 'vllm-openai:v0.33.0-cu130"' "$out"
long=$work/$(printf '%0250d/%0100d' 1 1)
mkdir -p "$long"
cp "$work/it's \$(here)/config.json" "$long/"
run --launch vllm -m "$long" -g l4
assert_eq "too long a path" 2 "$rc"
assert_contains "is no checkpoint that is to be made" "bytes is too long for a command" "$err"
run --plan -m "$work/$name" -g l4 --headroom 0.99
command=$(printf '%s\n' "$out" | sed -n 's/.*\(gpuplan --plan.*\)/\1/p' | head -n 1)
[ -z "$command" ] || assert_true "a fix's command is run again" bash -c "gpuplan() { [ \"\$3\" = \"\$0\" ]; }
$command" "$work/$name"
# ---- refused ----
run --launch vllm -m llama-3.1-70b -g l4:1
assert_eq "does not fit" 1 "$rc"
assert_contains "why" "# does not fit: the weights" "$out"
assert_lacks "no command" "vllm serve" "$out"
run --launch vllm -m llama-3.1-70b -g l4:1 --format json
assert_contains "JSON as well" '"argv": []' "$out"
run --launch nothing -m llama-3.1-8b
assert_eq "exit code" 2 "$rc"
assert_contains "what there is" "an engine: llama.cpp, mlx, ollama, sglang, tensorrt-llm, vllm; or \
compose, docker, dynamo, k8s, kserve, llm-d, skypilot, slurm, triton" "$err"
run --launch mlx -m llama-3.1-8b -p mlx-4bit -g apple-m4-max
assert_contains "MLX" "--decode-concurrency 32" "$out"
run --launch llama.cpp -m llama-3.1-405b -p q4_k_m -g rtx-4090:16
assert_contains "llama.cpp over hosts" "--rpc HOST1:50052" "$out"
assert_contains "the other hosts' servers" "rpc-server -H 0.0.0.0 -p 50052" "$out"
run --launch compose --engine llama.cpp -m llama-3.1-405b -p q4_k_m -g rtx-4090:16
assert_contains "no manifest joins them" "joins hosts by servers of their own" "$err"
run --launch vllm --engine sglang -m llama-3.1-8b
assert_contains "two engines" "--launch vllm does not start SGLang" "$err"
run --launch vllm@0.12 -m llama-3.1-8b -g h100-sxm --kv-offload-gb 8
assert_contains "not in that version" "vLLM 0.12 has no option for kv_offload" "$err"
run --launch triton --engine llama.cpp -m llama-3.1-8b -p q8_0 -g l40s
assert_contains "no backend" "Triton has no backend for llama.cpp (--engine tensorrt-llm or vllm)" "$err"
run --launch vllm -m llama-3.1-8b --format csv
assert_contains "no table" "a command cannot be printed as a table" "$err"
# a model published in FP32 has the cache that llama.cpp makes by itself
run --launch ollama -m gpt2-124m -p native -g l4 --engine ollama -c 512
assert_contains "no FP32 cache in Ollama" "OLLAMA_KV_CACHE_TYPE=f16" "$out"

finish
