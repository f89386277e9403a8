#!/bin/bash
# targets.sh - the manifests of --launch for clusters are what their kinds publish
# (tests/fixtures/targets), start what the engine's own command would, and keep the two kinds of
# replicas apart. Needs a reader of YAML: Python's.
. "${srcdir:-.}/tests/cli/lib.sh"

python3 -c 'import yaml' 2>/dev/null || skip "no YAML reader: python3 with yaml"
validate=$(cd "${top_builddir:-.}" && pwd)/tests/schema/validate
[ -x "$validate" ] || skip "$validate is not built"
targets="llm-d dynamo kserve skypilot compose"

# What the manifest says of one role: replicas, GPUs of a pod, nodes, the engine's options.
cat >"$work/read.py" <<'PY'
import json, re, shlex, sys, yaml
target, role = sys.argv[1], sys.argv[2]
doc = yaml.safe_load(sys.stdin)
if target == "-":
    print(json.dumps(doc)); sys.exit()
undo = lambda words: [w.replace("$$", "$") for w in words]
own = ["--kv-transfer-config", '{"kv_connector":"NixlConnector","kv_role":"kv_both"}',
       "--is-prefill-worker", "--is-decode-worker", "--disaggregation-mode", "prefill", "decode",
       "--disaggregation-transfer-backend", "nixl"]
if target == "llm-d":
    r = doc["prefill" if role == "prefill" else "decode"]
    c = r["containers"][0]
    words, n, nodes = undo(c["command"]), r["replicas"], r["parallelism"]["workers"]
    gpus = int(c["resources"]["limits"]["nvidia.com/gpu"])
    assert (len(r["workerTemplate"]["containers"]) if nodes > 1 else 1) == 1
elif target == "dynamo":
    r = doc["spec"]["services"]["prefill" if role == "prefill" else "decode"]
    c = r["extraPodSpec"]["mainContainer"]
    words, n, nodes = undo(c["args"]), r["replicas"], r.get("multinode", {}).get("nodeCount", 1)
    gpus = int(r["resources"]["limits"]["gpu"])
elif target == "kserve":
    r = doc["spec"]["prefill"] if role == "prefill" else doc["spec"]
    c = r["template"]["containers"][0]
    args = [e["value"] for e in c["env"] if e["name"] == "VLLM_ADDITIONAL_ARGS"][0]
    words, n = shlex.split(args.replace("$$", "$")), r["replicas"]
    p = r["parallelism"]
    gpus = int(c["resources"]["limits"]["nvidia.com/gpu"])
    nodes = p.get("data", 1) // p.get("dataLocal", 1)
    assert ("worker" in r) == (nodes > 1)
elif target == "skypilot":
    n, nodes = doc["service"]["replicas"], doc.get("num_nodes", 1)
    gpus = list(doc["resources"]["accelerators"].values())[0]
    line = re.sub(r"\\\n", " ", doc["run"])
    words = shlex.split([l for l in line.split("\n") if "serve" in l or "launch" in l][0])
elif target == "compose":
    all = list(doc["services"].values())
    n, nodes, c = len(all), 1, all[0]
    gpus = len(c["deploy"]["resources"]["reservations"]["devices"][0]["device_ids"])
    words = undo(c["entrypoint"] + c["command"])
    # one server a service: its port is the only word that differs
elif target == "argv":
    words, n, gpus, nodes = doc["argv"], 0, 0, 0
place = {"--port", "--host", "--node-rank", "--nnodes", "--master-addr", "--dist-init-addr",
         "--data-parallel-size-local", "--data-parallel-start-rank", "--data-parallel-address",
         "--model", "--model-path"}
options, i = {}, 0
words = [w.rstrip(")") for w in words if w not in own]
while i < len(words):
    if words[i].startswith("--") and words[i] not in place | {"--headless"}:
        value = i + 1 < len(words) and not words[i + 1].startswith("--")
        options[words[i]] = words[i + 1] if value else True
        i += value
    elif words[i] in place:
        i += 1
    i += 1
print(json.dumps([n, gpus, nodes, sorted(options.items(), key=str)] if target != "argv"
                 else sorted(options.items(), key=str)))
PY

# said TARGET ROLE: of the manifest in $out
said() {
    printf '%s\n' "$out" | python3 "$work/read.py" "$1" "$2"
}

# launched TARGET ARGUMENT...: a manifest as published; "" where the target says why not
launched() {
    run --launch "$@"
    if [ "$rc" -ne 0 ]; then
        assert_contains "$*: refused with what to do" "(" "$err"
        assert_eq "$*: as it should be" 2 "$rc"
        return 1
    fi
    assert_lacks "$*: no tag is left" "{{" "$out"
    said - . >"$work/manifest.json"
    checks=$((checks + 1))
    problems=$("$validate" "$src/tests/fixtures/targets/$1.json" "$work/manifest.json" 2>&1) ||
        fail "$* against what is published" "$(printf '%s' "$problems" | head -n 5)"
}

# plan WANTED ARGUMENT...: "replicas, GPUs of a pod, nodes" of each target, and the options of the
# engine's own command, from which the same memory is planned
plan() {
    wanted=$1
    shift
    run --launch vllm "$@" --format json
    options=$(said argv .)
    for target in $targets; do
        launched "$target" "$@" || continue
        got=$(said "$target" decode)
        assert_eq "$target $*" "[$wanted, $options]" "$got"
        taken="$taken $target"
    done
}

taken=
plan "1, 2, 1" -m llama-3.1-70b -p fp8 -g h100-sxm:2
plan "1, 1, 1" -m llama-3.1-8b -g h100-sxm --kv-precision fp8 -c 32k
plan "4, 2, 1" -m qwen2.5-32b -g l40s:8 --tp 2 --replicas 4
plan "1, 8, 1" -m mixtral-8x22b -g h100-sxm:8 --tp 8 --ep 8
plan "1, 8, 2" -m deepseek-v3 -g h100-sxm:16 --tp 8 --pp 2
plan "1, 8, 2" -m deepseek-v3 -g h200-sxm:16 --tp 1 --dp 16 --ep 16
plan "1, 4, 1" -m llama-3.1-70b -g a100-sxm-80:4 --max-num-seqs 64
plan "1, 1, 1" -m gemma-3-27b -p int4-awq -g l40s:1 -u 8
for target in $targets; do
    assert_true "$target takes six of eight at least" \
        [ "$(printf '%s\n' $taken | grep -cx "$target")" -ge 6 ]
done

# prefill and decode apart: each with its own TP and count, told so
for target in llm-d dynamo kserve; do
    launched "$target" -m llama-3.1-70b -p fp8 -g h100-sxm --disaggregate 3xTP2:1xTP4
    assert_eq "$target: prefill" "[3, 2, 1" "$(said "$target" prefill | cut -d , -f 1-3)"
    assert_eq "$target: decode" "[1, 4, 1" "$(said "$target" decode | cut -d , -f 1-3)"
    assert_contains "$target: TP of prefill" '["--tensor-parallel-size", "2"]' \
        "$(said "$target" prefill)"
    assert_contains "$target: TP of decode" '["--tensor-parallel-size", "4"]' \
        "$(said "$target" decode)"
done
launched llm-d -m llama-3.1-8b -g h100-sxm --disaggregate 1:2
assert_contains "the sidecar's port and vLLM's" "targetPort: 8200" "$out"
assert_contains "decode listens there" '    - "--port"
    - "8200"' "$out"
launched dynamo --engine sglang -m llama-3.1-8b -g h100-sxm --disaggregate 1:2
assert_contains "SGLang's own words" '- "prefill"' "$out"
for target in k8s compose skypilot slurm docker vllm; do
    assert_fails 2 "(--launch dynamo, kserve, llm-d)" --launch $target -m llama-3.1-8b \
        -g h100-sxm --disaggregate 1:2
done

# what does not belong into a cluster is refused with where it belongs
mkdir "$work/model"
cp "$src/tests/fixtures/models/config/qwen3-8b.json" "$work/model/config.json"
for target in llm-d dynamo kserve skypilot; do
    assert_fails 2 "a folder of this machine is not" --launch $target -m "$work/model" -g l40s
done
assert_fails 2 "(--engine vllm or sglang, or --launch k8s)" --launch dynamo --engine llama.cpp \
    -m llama-3.1-8b -p q4_k_m -g l40s
assert_fails 2 "starts vLLM, not SGLang" --launch kserve --engine sglang -m llama-3.1-8b -g l40s
assert_fails 2 "spans hosts" --launch kserve -m deepseek-v3 -g h100-sxm:16 --tp 8 --pp 2
assert_fails 2 "SkyPilot has no name for quadro-rtx-8000" --launch skypilot -m llama-3.1-8b \
    -p q4_k_m -g quadro-rtx-8000 --engine llama.cpp

# names in a template are those of the catalogue
for id in $(sed -n '/{{<gpu_names}}/,/{{\/gpu_names}}/s/^\([a-z0-9-]*\) .*/\1/p' \
    "$src/profiles/launch/skypilot.tmpl"); do
    assert_true "skypilot names $id" [ -f "$src/profiles/gpus/$id.cfg" ]
done
finish
