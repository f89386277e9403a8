#!/usr/bin/env bash
# answers.sh - answers to random requests are what schemas/ says, above all those without a
# layout. GPUPLAN_ANSWERS=5000 asks that many, SEED=2 others.
. "${srcdir:-.}/tests/cli/lib.sh"

validate=$(cd "${top_builddir:-.}" && pwd)/tests/schema/validate
[ -x "$validate" ] || skip "$validate is not built"
GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW

words() { "$gp" --list "$1" -q | tr '\n' ' '; }
awk -v n="${GPUPLAN_ANSWERS:-300}" -v seed="${SEED:-34}" -v models="$(words models)8B 70B 1T" \
    -v gpus="$(words gpus)" -v engines="$(words engines)" -v formats="$(words formats)" '
function one(list,    all, k) { k = split(list, all, " "); return all[1 + int(rand() * k)] }
function add(chance, key, list) { # list: values as JSON has them
    if (rand() < chance) line = line ", \"" key "\": " one(list)
}
function word(chance, key, list) {
    if (rand() < chance) line = line ", \"" key "\": \"" one(list) "\""
}
BEGIN {
    srand(seed)
    for (i = 0; i < n; i++) {
        line = "{\"model\": \"" one(models) "\""
        add(0.3, "id", "1 -2.5 \"a\" null true [1,{}] {\"deep\":[1]}")
        if (rand() < 0.85)
            line = line ", \"gpu\": \"" one(gpus) one("+ + :1 :2 :3 :4 :8 :16 :64") "\""
        sub(/\+"$/, "\"", line)
        word(0.5, "precision", formats)
        add(0.1, "used", "\"1GiB\" \"1TiB\"")
        add(0.1, "tp", "1 2 3 4 8")
        add(0.05, "pp", "1 2 4 7")
        word(0.2, "price", "spot market buy on-demand")
        add(0.1, "why", "true false")
        if (rand() < 0.2) {
            word(1, "train", "full lora qlora")
            add(0.3, "zero", "0 1 2 3")
            add(0.2, "cp", "1 2 3")
            add(0.3, "sequence", "512 8192")
            word(0.1, "offload", "optimizer parameters")
            add(0.1, "device_map", "true")
        } else {
            word(0.4, "engine", engines)
            add(0.5, "context", "1 512 4096 8192 32768 131072 1000000")
            add(0.5, "users", "1 3 64 1000 100000")
            add(0.1, "ep", "1 2 4 8")
            add(0.1, "replicas", "1 2 3")
            add(0.1, "output_tokens", "1 256 100000")
            add(0.1, "cpu_offload_gb", "1 10 1000")
            add(0.1, "kv_offload_gb", "1 1000")
            add(0.1, "headroom", "0 0.1 0.9")
            add(0.1, "max_num_seqs", "1 4096")
            add(0.1, "memory_utilization", "0.1 0.99")
            add(0.1, "budget", "0.01 5")
            add(0.1, "tpot", "1 50")
            add(0.1, "ttft", "1 5000")
            word(0.05, "lora", "1 8")
            word(0.05, "draft", "mtp llama-3.2-1b")
            word(0.1, "kv_precision", "fp8 fp16 int8")
            word(0.05, "prune", "50% 2:4")
            word(0.05, "solve", "gpus context users precision budget")
        }
        print line "}"
    }
}' >"$work/requests"
run --batch "$work/requests"
assert_eq "exit code" 0 "$rc"
assert_eq "an answer to each" "$(wc -l <"$work/requests")" "$(printf '%s\n' "$out" | wc -l)"
for schema in plan train error; do
    grep "\"gpuplan.$schema/1\"" "$work/out" >"$work/$schema.json"
    assert_true "some are of $schema" test -s "$work/$schema.json"
    checks=$((checks + 1))
    said=$("$validate" "$src/schemas/$schema-1.json" "$work/$schema.json" 2>&1) ||
        fail "random answers against schemas/$schema-1.json" \
            "$(printf '%s' "$said" | sed 's/.*json\.//' | sort | uniq -c | sort -rn | head -n 20)"
done
echo "answers: $(wc -l <"$work/plan.json") plans, $(wc -l <"$work/train.json") of training," \
    "$(wc -l <"$work/error.json") errors, $(grep -c '"memory": null' "$work/plan.json") without a layout"
assert_lacks "no negative budget" '"budget": {"value": -' "$(cat "$work/plan.json")"
assert_lacks "no ZeRO stage -1" '"zero": -' "$(cat "$work/train.json")"
[ -z "${KEEP:-}" ] || cp "$work"/*.json "$KEEP"
finish
