#!/usr/bin/env bash
# hostile.sh - command lines, profiles, model folders and requests that mean no good: one
# line that says what is wrong, exit 2 or 3, and no file changed.
. "${srcdir:-.}/tests/cli/lib.sh"

esc=$(printf '\033')
plan=(--plan -m llama-3.1-8b -g h100-sxm)

# ---- the command line -------------------------------------------------------------------

run --plan -m "x${esc}[31m" -g h100-sxm
assert_eq "exit code" 2 "$rc"
assert_lacks "no escape sequence in a message" "$esc" "$err"
assert_fails 2 "no model 'a?b'" --plan -m "$(printf 'a\nb')" -g h100-sxm
assert_fails 2 "is given twice" "${plan[@]}" -o 5 -o 6
assert_fails 2 "is given twice" "${plan[@]}" --output-tokens 5 -o 6
assert_fails 2 "is given twice" "${plan[@]}" -o 5 --output-tokens 6
assert_fails 2 "unknown command" --help nonsense
assert_fails 2 "is outside 0.001..10" "${plan[@]}" --price buy --electricity 0
assert_fails 2 "is for --train only" "${plan[@]}" --zero 1
assert_fails 2 "is not one GPU" --plan -m llama-3.1-8b -g all
for count in ' 1' +1 0 -1 1e3 0x2 99999999999999999999 1:2; do
    assert_fails 2 "--gpu: " --plan -m llama-3.1-8b -g "h100-sxm:$count"
done
for share in 0x10 nan inf -5 100 1e999 '%' '50%%'; do
    assert_fails 2 "is not a kind of pruning" "${plan[@]}" --prune "$share"
done
assert_fails 2 "--model: 1000000 B is outside" --plan -m 1000T -g h100-sxm
run --list gpus -V
assert_contains "-V after a command" "gpuplan " "$out"
assert_lacks "and nothing else" h100 "$out"

# ---- output that cannot be written ------------------------------------------------------

echo kept >"$work/file"
assert_fails 2 "no model" --plan -m no-such-model -g h100-sxm -o "$work/file"
assert_eq "a failure keeps the file" kept "$(cat "$work/file")"
assert_fails 3 "cannot write" "${plan[@]}" -o "$work"
assert_fails 3 "cannot write" "${plan[@]}" -o "$work/none/file"
ln -s "$work/loop" "$work/loop"
assert_fails 3 "too many links" "${plan[@]}" -o "$work/loop"
ln -s file "$work/link"
run "${plan[@]}" -o "$work/link"
assert_true "a link stays one" test -L "$work/link"
assert_contains "and its target is written" "Llama 3.1 8B" "$(cat "$work/file")"
if [ -c /dev/full ]; then
    for command in --help --version "--list gpus" "--batch $work/request"; do
        echo '{"model": "llama-3.1-8b", "gpu": "l4"}' >"$work/request"
        # shellcheck disable=SC2086 # words
        "$gp" $command >/dev/full 2>"$work/err"
        assert_eq "$command > /dev/full" 3 "$?"
        err=$(cat "$work/err")
        assert_contains "$command > /dev/full" "standard output" "$err"
    done
fi

# ---- profiles ---------------------------------------------------------------------------

GPUPLAN_PROFILES=$work/none
export GPUPLAN_PROFILES
assert_fails 2 "GPUPLAN_PROFILES: $work/none is not a folder" "${plan[@]}"
unset GPUPLAN_PROFILES
assert_fails 2 "--profiles: $work/none is not a folder" "${plan[@]}" --profiles "$work/none"

cfg=$work/p/gpus/h100-sxm.cfg
fresh() {
    rm -rf "$work/p"
    mkdir -p "$work/p/gpus"
}
refused() { # refused PART: the profile at $cfg stops the plan with PART
    assert_fails 3 "h100-sxm.cfg$1" "${plan[@]}" --profiles "$work/p"
}
# KIND: what lies where a profile should
fresh && mkfifo "$cfg" && refused ": not a regular file"
fresh && mkdir "$cfg" && refused ": not a regular file"
fresh && ln -s /dev/zero "$cfg" && refused ": not a regular file"
fresh && ln -s "$cfg" "$cfg" && refused ": cannot open"
fresh && ln -s "$work/none" "$cfg" && refused ": cannot open"
rm -rf "$work/p" && mkdir "$work/p" && : >"$work/p/gpus" && refused ": cannot open"
for name in formats.cfg prices/ownership.cfg; do
    fresh && mkdir -p "$work/p/$name"
    assert_fails 3 "$name: not a regular file" "${plan[@]}" --profiles "$work/p"
done

written() { # written TEXT PART: TEXT as a profile is refused with PART and stays as it is
    fresh
    printf '%b' "$1" >"$cfg"
    cp "$cfg" "$work/before"
    refused "$2"
    assert_true "the file is not changed" cmp -s "$cfg" "$work/before"
}
written 'memory_gib = "x";' ':1: memory_gib: is a string'
written '\n\nmemory_gib = 1e999;' ':3: memory_gib: is not a finite number'
written 'memory_gib = nan;' ':1: syntax error'
written 'memory_gib = 99999999999;' ':1: 99999999999 does not fit'
written 'name = "\\x1b[31m";' ':1: name: holds a control character'
written 'name = "\0377\0376";' ':1: name: is not UTF-8'
written '@include "/etc/passwd"\n' ':1: @include is not supported'
written 'a = 1;\0000b = 2;' ': holds a NUL byte'
fresh && { printf 'a = ' && head -c 100000 /dev/zero | tr '\0' '{'; } >"$cfg"
refused ":1: { is nested too deeply"

# what only the rest of the catalogue can tell
mkdir "$work/p/engines" && rm "$cfg"
printf 'a = 1;\nweight_formats = "scalar|fp8|mxpf4";\n' >"$work/p/engines/vllm.cfg"
assert_fails 3 "vllm.cfg:2: weight_formats: 'mxpf4' is no format" "${plan[@]}" \
    --profiles "$work/p"

# an id in capitals is found as it is listed
fresh && sed 's/NVIDIA H100/Mine/' "$src/profiles/gpus/h100-sxm.cfg" >"$work/p/gpus/MyGPU.cfg"
run --plan -m llama-3.1-8b -g MyGPU --profiles "$work/p"
assert_eq "a profile in capitals" 0 "$rc"
# a name that is no id is told, and tamed
fresh && : >"$work/p/gpus/a${esc}b.cfg"
run --list gpus --profiles "$work/p"
assert_contains "a name that is no id" "a?b.cfg: skipped" "$err"

# ---- a local model's folder -------------------------------------------------------------

folder=$work/models/m${esc}[31m
mkdir -p "$folder"
cat >"$folder/config.json" <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
 "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
 "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
 "torch_dtype": "bfloat16"}
JSON
run --plan -m "$folder" -g h100-sxm -v
assert_eq "a folder with an odd name" 0 "$rc"
assert_lacks "no escape sequence in an answer" "$esc" "$out"
rm "$folder/config.json" && mkfifo "$folder/config.json"
assert_fails 3 "not a regular file" --plan -m "$folder" -g h100-sxm

# ---- Markdown, whatever has a name ----------------------------------------------------------

script='m<script>alert(1)'
mkdir -p "$work/$script" "$work/markdown/prices"
cp "$src/tests/fixtures/models/llama-8b-tiny/config.json" "$work/$script/" 2>/dev/null ||
    cat >"$work/$script/config.json" <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
 "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
 "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
 "torch_dtype": "bfloat16"}
JSON
sed 's/region = "/&<script>/' "$src/profiles/prices/aws.cfg" >"$work/markdown/prices/aws.cfg"
for what in "--table -m $work/$script -g l4" "--compare -m $work/$script -g l4" \
    "--list instances --profiles $work/markdown"; do
    # shellcheck disable=SC2086 # words
    run $what --format markdown
    assert_eq "$what" 0 "$rc"
    assert_lacks "$what" "<script>" "$out"
done
assert_contains "and it is seen" "&lt;script>" "$out"

# ---- a clock that is wrong ------------------------------------------------------------------

for now in 2020-01-01 1999-12-31; do
    GPUPLAN_NOW=$now run "${plan[@]}" --why
    assert_contains "prices in $now" "dated ahead of this clock" "$out"
    assert_lacks "prices in $now" "0 days old" "$out"
    GPUPLAN_NOW=$now run "${plan[@]}" --format json
    assert_lacks "their age" '"age_days": 0' "$out"
done

# ---- requests ---------------------------------------------------------------------------

ask() { # ask KEYS PART: the request is refused at its key with PART
    printf '{"model": "8B", "gpu": "h100-sxm", %s}\n' "$1" >"$work/line"
    run --batch "$work/line"
    assert_eq "exit code of $1" 0 "$rc"
    assert_contains "answer to $1" '"gpuplan.error/1"' "$out"
    assert_contains "answer to $1" "$2" "$out"
}
ask '"output": "x.json"' "line:1: output"
ask '"profiles": "/"' "line:1: profiles"
ask '"format": "csv"' "is not part of a request"
ask '"help": true' "is not part of a request"
ask '"zero": 1' "is for --train only"
ask '"max_num_seqs": 1, "max-num-seqs": 2' "is given twice"
ask '"output": 1, "output_tokens": 2' "is given twice"
ask '"output_tokens": 1, "output": 2' "is given twice"
ask '"context": 1e308' "is outside"
ask '"tp": [1]' "must be text, a number or null"

# any number of sizes is asked for in little memory
awk 'BEGIN{for(i=0;i<20000;i++) printf "{\"model\":\"%d.%03dB\",\"gpu\":\"l4\"}\n",
     1 + i / 1000, i % 1000}' >"$work/sizes"
(ulimit -v 262144 2>/dev/null && "$gp" --batch "$work/sizes") >"$work/answers" 2>"$work/err"
# a sanitizer's shadow alone is larger than the limit
grep -q Sanitizer "$work/err" ||
    assert_eq "20000 sizes" 20000 "$(wc -l <"$work/answers" | tr -d ' ')"

finish
