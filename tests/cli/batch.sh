#!/usr/bin/env bash
# batch.sh - gpuplan --batch: order, errors that do not stop the run, pipes, big input.
. "${srcdir:-.}/tests/cli/lib.sh"

cat >"$work/in" <<'JSONL'
{"id": "a", "model": "llama-3.1-8b", "gpu": "h100-sxm", "context": "8k"}
not json
{"id": 7, "model": "llama-3.1-8b", "gpuu": "h100-sxm"}

{"model": "no-such-model"}
[1, 2]
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "users": 1.5}
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "users": "many"}
{"model": "llama-3.1-8b", "model": "llama-3.1-70b"}
{"id": {"deep": [1]}, "model": "qwen3-14b", "gpu": "h100-sxm", "tp": 5}
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "max_num_seqs": null, "output": 99}
{"id": "t", "model": "llama-3.1-8b", "gpu": "h100-sxm:16", "train": "full", "zero": 3, "fused": true}
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "zero": 3}
{"model": "llama-3.1-8b", "gpu": "all", "train": "lora"}
{"model": "llama-3.1-8b", "gpu": "l4", "train": "dpo"}
{"model": "llama-3.1-8b", "gpu": "l4", "train": "lora", "optimizer": "rprop"}
{"model": "llama-3.1-8b", "gpu": "l4", "train": "lora", "context": 4096}
JSONL
run --batch "$work/in"
assert_eq "exit code" 0 "$rc"
assert_eq "one answer per line" 16 "$(printf '%s\n' "$out" | wc -l | tr -d ' ')"

line() {
    printf '%s\n' "$out" | sed -n "$1p" >"$work/out.line"
    cp "$work/out.line" "$work/out"
}
all=$out
if have_json; then
    check() { # check LINE PATH WANTED
        out=$all
        line "$1"
        assert_eq "line $1: $2" "$3" "$(json "$2")"
    }
    check 1 schema gpuplan.plan/1
    check 1 id a
    check 1 verdict.status fits
    check 2 schema gpuplan.error/1
    check 2 code file
    check 3 where "$work/in:3: gpuu"
    check 3 hint "did you mean gpu or gpu-layers?"
    check 3 id 7
    check 4 code usage
    check 5 text "is not a JSON object"
    check 6 text "1.5 is not a whole number"
    check 7 where "$work/in:8: users"
    check 8 schema gpuplan.error/1
    check 9 verdict.status does-not-fit
    check 9 verdict.limit layout
    check 10 request.output 99
    check 11 schema gpuplan.train/1
    check 11 id t
    check 11 layout.hosts 2
    check 11 request.loss fused
    check 12 text "is for --train only"
    check 12 where "$work/in:13: zero"
    check 13 where "$work/in:14: gpu"
    check 14 hint "full|lora|qlora"
    check 16 where "$work/in:17: context"
    check 15 where "$work/in:16: optimizer"
fi

# every answer of a long run is there, in order, and the same as alone
awk 'BEGIN{for(i=0;i<3000;i++) printf "{\"id\":%d,\"model\":\"%s\",\"gpu\":\"h100-sxm:%d\"}\n",
     i, i % 2 ? "llama-3.1-8b" : "qwen2.5-7b", 1 + i % 2}' >"$work/many"
"$gp" --batch "$work/many" >"$work/answers"
assert_eq "3000 answers" 3000 "$(wc -l <"$work/answers" | tr -d ' ')"
assert_eq "in order" "$(seq 0 2999)" "$(sed 's/.*"id": \([0-9]*\)}$/\1/' "$work/answers")"
sed -n 1501p "$work/many" | "$gp" --batch - >"$work/one"
assert_eq "the same as alone" "$(sed -n 1501p "$work/answers")" "$(cat "$work/one")"

# a program at the other end of a pipe gets its answer before it asks again
mkfifo "$work/ask" "$work/reply"
"$gp" --batch - <"$work/ask" >"$work/reply" &
exec 3>"$work/ask" 4<"$work/reply"
echo '{"id": 1, "model": "llama-3.1-8b", "gpu": "l4"}' >&3
read -r -t 20 first <&4 || first=
assert_contains "an answer at once" '"id": 1' "$first"
exec 3>&- 4<&-
wait

# -q: a row each, of the same plan
cat >"$work/rows" <<'JSONL'
{"id": 1, "model": "llama-3.1-8b", "gpu": "l4"}
{"id": 2, "model": "llama-3.1-70b", "gpu": "l4:2"}
{"id": 3, "model": "llama-3.1-70b", "gpu": "h100-sxm", "users": 64, "tpot": 30}
{"id": 4, "model": "qwen3-30b-a3b", "gpu": "rtx-4090:1", "users": 8}
{"id": 5, "model": "llama-3.1-8b", "solve": "budget"}
{"id": 6, "model": "bge-m3", "gpu": "l4", "rate": 10}
{"id": 7, "model": "no-such-model"}
{"id": 8, "model": "llama-3.1-8b", "gpu": "l4", "train": "lora"}
{"id": 9, "model": "llama-3.1-8b", "gpu": "l4", "zero": 3}
JSONL
run --batch "$work/rows"
plans=$out
run --batch -q "$work/rows"
rows=$out
assert_eq "verdicts of rows" \
    "$(printf '%s\n' "$plans" | sed -n 's/.*"verdict": {"status": "\([a-z-]*\)", "limit": "\([a-z-]*\)".*/\1 \2/p')" \
    "$(printf '%s\n' "$rows" |
        sed -n 's/.*"verdict": "\([a-z-]*\)".*"limit": "\([a-z-]*\)".*/\1 \2/p
                s/.*"verdict": {"status": "\([a-z-]*\)", "limit": "\([a-z-]*\)".*/\1 \2/p')"
assert_eq "their layouts" \
    "$(printf '%s\n' "$plans" | grep plan/1 |
        sed 's/.*"layout": {"gpu": "[^"]*", \("gpus": [0-9]*, "tp": [0-9]*, "pp": [0-9]*\).*/\1/')" \
    "$(printf '%s\n' "$rows" | grep row/1 | grep -oE '"gpus": [0-9]+, "tp": [0-9]+, "pp": [0-9]+')"
assert_eq "and what is no plan" "$(printf '%s\n' "$plans" | tail -n 3)" \
    "$(printf '%s\n' "$rows" | tail -n 3)"
assert_contains "a row has the id" '"id": 6}' "$rows"

# lines without an end, empty input, a line that is too long, control characters
run --batch /dev/null
assert_eq "empty input" "0:" "$rc:$out"
printf '{"model": "llama-3.1-8b", "gpu": "l4"}' >"$work/no-newline"
run --batch "$work/no-newline"
assert_contains "last line without an end" gpuplan.plan/1 "$out"
{ head -c 3000000 /dev/zero | tr '\0' x; printf '\n{"model":"llama-3.1-8b","gpu":"l4"}\n'; } \
    >"$work/long"
run --batch "$work/long"
assert_contains "a line too long" "is longer than" "$out"
assert_contains "and the next is answered" gpuplan.plan/1 "$out"
assert_eq "two lines" 2 "$(printf '%s\n' "$out" | wc -l | tr -d ' ')"
printf '{"model": "\\u0000\\u001b[31m"}\n' >"$work/control"
run --batch "$work/control"
assert_contains "control characters" gpuplan.error/1 "$out"

cat >"$work/tiers" <<'JSONL'
{"model": "deepseek-v3", "gpu": "h200-sxm:8", "draft": "mtp", "speculative_tokens": 2}
{"model": "llama-3.1-8b", "gpu": "l4", "lora": "4:32", "kv_offload_gb": 16}
{"model": "llama-3.1-8b", "gpu": "rtx-4090", "precision": "q4_k_m", "no_kv_offload": true}
{"model": "llama-3.1-8b", "gpu": "l4", "draft": "mtp"}
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "draft": "eagle3", "acceptance": 0.6}
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "draft": "eagle3", "acceptance": [0.8, 0.6]}
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "draft": "eagle3", "acceptance": [0.8, "x"]}
{"model": "llama-3.1-8b", "gpu": "h100-sxm", "draft": "eagle3", "acceptance": []}
JSONL
run --batch "$work/tiers"
all=$out
if have_json; then
    check 1 request.draft mtp
    check 1 request.speculative_tokens 2
    check 2 request.lora_slots 4
    check 2 request.lora_rank 32
    check 2 request.kv_offload_gb 16
    check 3 request.no_kv_offload true
    check 4 where "$work/tiers:4: draft"
    check 5 request.acceptance_length 2.8
    check 6 request.acceptance_length 2.4
    check 7 where "$work/tiers:7: acceptance"
    check 8 where "$work/tiers:8: acceptance"
fi

# More sizes than are kept from one request to the next; the last requests name the oldest again
# and one more, which must not take its place. Twice: two workers may share them.
for _ in 1 2; do
    awk 'BEGIN {
        print "{\"model\": \"8B\", \"gpu\": \"h100-sxm:1\"}"
        for (i = 0; i < 253; i++)
            printf "{\"model\": \"%.2fB\", \"gpu\": \"h100-sxm:1\"}\n", 2 + i / 100
        for (i = 0; i < 3; i++)
            printf "{\"model\": \"8B\", \"gpu\": \"h100-sxm:1\", \"draft\": \"0.7%dB\"}\n", i
    }'
done >"$work/sizes"
run --batch "$work/sizes"
assert_eq "more sizes than are kept" "0 514" "$rc $(printf '%s\n' "$out" | grep -c '"weights"')"

run --batch "$work/in"
all=$out
run --batch "$work/in" -o "$work/result"
assert_eq "to a file" "$all" "$(cat "$work/result")"
assert_fails 3 "cannot be read" --batch /nonexistent
assert_fails 3 "cannot be read" --batch "$work"
assert_fails 2 "takes one file" --batch a b

finish
