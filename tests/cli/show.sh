#!/bin/sh
# show.sh - gpuplan --show: every class, local models, near misses.

. "${srcdir:-.}/tests/cli/lib.sh"

# ---- a model ----
run --show llama-3.1-8b
assert_eq "exit code" 0 "$rc"
assert_contains "parameters, counted" "params total: 8.03 B (8030261248)" "$out"
assert_contains "layers by kind" "mixer full, layers 32" "$out"
assert_contains "source" "source: " "$out"
run --show meta-llama/Llama-3.1-8B -f json
if have_json; then
    assert_eq "schema" gpuplan.show/1 "$(json schema)"
    assert_eq "class" model "$(json class)"
    assert_eq "an alias finds it" llama-3.1-8b "$(json id)"
    assert_eq "params_total" 8030261248 "$(json params_total)"
    assert_eq "params_active" 8030261248 "$(json params_active)"
    assert_eq "kv_bytes_per_token" 131072 "$(json kv_bytes_per_token)"
    assert_eq "layers by kind" 32 "$(json layers_by_kind.0.layers)"
    assert_eq "max_context" 131072 "$(json max_context)"
    assert_eq "native format of experts or MLP" bf16 "$(json native_formats.mlp)"
    assert_eq "checkpoint" exact "$(json checkpoint.origin)"
    assert_true "aliases" [ "$(json aliases.#)" -ge 1 ]
    run --show deepseek-v3 -f json
    assert_eq "MoE: params_total" 671026419200 "$(json params_total)"
    assert_eq "MoE: params_published" 684531386000 "$(json params_published)"
    assert_eq "MoE: two kinds of layer" 2 "$(json layers_by_kind.#)"
    assert_eq "MLA: KV of a token" 70272 "$(json kv_bytes_per_token)"
    run --show deepseek-r1 -f json
    assert_eq "a checkpoint of another format" nvfp4 "$(json quantized_checkpoints.0.format)"
    assert_contains "what it leaves alone" '"attention latent": "bf16"' "$out"
fi

# ---- the other classes: value, unit, origin, source ----
run --show h100-sxm
assert_contains "GPU: two sizes of memory" "usable: 79.19 GiB (sheet)" "$out"
assert_contains "GPU: confidence" "confidence: high" "$out"
assert_contains "GPU: slices" "profile 3g.40gb, memory 40 GB" "$out"
run --show h100-sxm/3g.40gb
assert_contains "MIG slice" "ID: h100-sxm/3g.40gb" "$out"
run --show vllm@0.19
assert_contains "engine: range" "versions: 0.17-0.19" "$out"
assert_contains "engine: band" "GiB (model, " "$out"
assert_contains "engine: evidence" "term non_torch, text " "$out"
run --show int4-awq
assert_contains "format: bits with scales" "per weight: 4.1562 bits (exact)" "$out"
frozen_catalogue
run --show aws/p5.48xlarge
assert_contains "instance: price" "on demand 55.0400 \$/h (sheet)" "$out"
assert_contains "instance: date" "date 2026-07-20" "$out"
run --show p5.48xlarge
assert_contains "instance by type" "ID: aws/p5.48xlarge" "$out"
shipped_catalogue
run --show dgx-h100
assert_contains "server" "price as of: 2023-05" "$out"

run --show hopper
assert_contains "a family of GPUs" "kernel fp8-block, compute" "$out"
run --show h100-sxm
assert_contains "and which a GPU is of" "family: hopper" "$out"
run --show vllm
assert_contains "speed of an engine" "speed kernel: " "$out"

# ---- the ids that --list has can be shown; of the large classes each fifth ----
for class in models gpus engines formats servers; do
    "$gp" --list "$class" --quiet | awk '{ id[NR] = $0 }
        END { for (i = 1; i <= NR; i += NR > 300 ? 5 : 1) print id[i] }' >"$work/ids"
    while read -r id; do
        run --show "$id" --format json
        assert_eq "--show $id" 0 "$rc"
        assert_contains "--show $id" "\"id\": \"$id\"" "$out"
    done <"$work/ids"
done

# ---- a local model ----
mkdir -p "$work/tiny"
cat >"$work/tiny/config.json" <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 64,
 "intermediate_size": 128, "num_attention_heads": 4, "num_key_value_heads": 2,
 "num_hidden_layers": 3, "vocab_size": 1000, "max_position_embeddings": 2048,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16"}
JSON
run --show "$work/tiny" -f json
assert_eq "folder: exit code" 0 "$rc"
if have_json; then
    # 2*1000*64 + 3*(2*64*64 + 2*32*64 + 3*128*64 + 2*64) + 64
    assert_eq "folder: params_total" 239040 "$(json params_total)"
    # 3 layers x 2 heads x (16 + 16) x 2 bytes
    assert_eq "folder: KV of a token" 384 "$(json kv_bytes_per_token)"
fi
run --show "$work/tiny/config.json"
assert_contains "file" "mixer full, layers 3" "$out"
echo '{' >"$work/tiny/config.json"
run --show "$work/tiny/config.json"
assert_eq "broken file: exit code" 3 "$rc"
assert_contains "broken file is named" "config.json" "$err"

# ---- near misses and usage ----
assert_fails 2 "did you mean llama-3.1-70b" --show lama-3.1-70b
assert_fails 2 "h100-sxm" --show h100sxn
assert_fails 2 "no model, GPU" --show qqqqqqqqqqqq
assert_fails 2 "has no MIG profile '9g.1gb'" --show h100-sxm/9g.1gb
assert_fails 2 "needs one ID" --show
assert_fails 2 "takes one ID" --show a b
assert_fails 2 "one item cannot be printed as a table" --show h100-sxm --format csv

# an unknown type whose tensors are at hand: exact weights, the rest assumed, said first
cp -r "${srcdir:-.}/tests/fixtures/models/hf-llama" "$work/odd"
chmod -R u+w "$work/odd"
sed 's/"llama"/"frobnicator"/' "${srcdir:-.}/tests/fixtures/models/hf-llama/config.json" \
    >"$work/odd/config.json"
run --plan -m "$work/odd" -g l4
assert_contains "said first" "unknown architecture: KV cache" "$(echo "$out" | head -n 2)"
run --show "$work/odd" -f json
if have_json; then
    odd=$(json params_total)
    assert_contains "why" "unknown architecture \"frobnicator\"" "$(json note)"
    run --show "${srcdir:-.}/tests/fixtures/models/hf-llama" -f json
    assert_eq "its elements" "$(json params_total)" "$odd"
fi
rm "$work/odd/model.safetensors"
assert_fails 3 "unknown architecture" --show "$work/odd"

finish
