#!/usr/bin/env bash
# bytes.sh - whatever profiles, model folders, result files, requests, names of files and
# command lines hold: nothing of it commands a terminal. Each text that can be read is
# replaced in turn by hostile bytes, and all that is printed is looked through.
. "${srcdir:-.}/tests/cli/lib.sh"

LC_ALL=C.UTF-8 GPUPLAN_LIBEXEC=$work/engines
export LC_ALL GPUPLAN_LIBEXEC
engine=$(cd "${top_builddir:-.}" && pwd)/tests/fixtures/standin_engine
mkdir "$work/engines" "$work/here"
cd "$work/here" || exit 99 # --output of any name is a file here
printf 'a\302\233b' | LC_ALL=C grep -qP '\xc2[\x80-\x9f]' || skip "grep has no -P"
command -v iconv >/dev/null || skip "iconv is not installed"

# ESC, CSI of one character, a right-to-left override, a line separator
esc=$(printf '\033') c1=$(printf '\302\233') rlo=$(printf '\342\200\256')
ls=$(printf '\342\200\250')
wild="w${c1}31m${rlo}x${ls}y"      # UTF-8
bytes="w${esc}[31m$(printf '\233\377')$wild" # not
bad='[\x00-\x08\x0b-\x1f\x7f]|\xc2[\x80-\x9f]|\xe2\x80[\x8e\x8f\xa8-\xae]'
bad="$bad|\\xe2\\x81[\\xa6-\\xa9]|\\xd8\\x9c"

# looked FILE WHAT: nothing in FILE moves a cursor or turns text, and it is UTF-8.
looked() {
    checks=$((checks + 1))
    if LC_ALL=C grep -qaP "$bad" "$1" || ! iconv -f UTF-8 -t UTF-8 "$1" >/dev/null 2>&1; then
        fail "$2" "$(LC_ALL=C grep -aP "$bad" "$1" | head -n 2 | cat -v)"
    fi
}

seen=0 # of the printed lines, those with what is left of the hostile text
try() { # try ARGUMENT...: a call, whatever comes of it but a crash
    "$gp" "$@" >"$work/out" 2>"$work/err" </dev/null
    rc=$?
    last="gpuplan $(printf '%s ' "$@" | cat -v)"
    [ "$rc" -lt 70 ] || fail "exit $rc" "$(cat -v "$work/err")"
    cat "$work/out" "$work/err" >"$work/both"
    looked "$work/both" "printed"
    grep -qE 'w\?|w\\u009b' "$work/both" && seen=$((seen + 1))
}

# text_lines FILE PATTERN: the numbers of its lines that have a text.
text_lines() {
    grep -nE "$2" "$1" | cut -d: -f1
}

# ---- command lines ----------------------------------------------------------------------

plan=(-m llama-3.1-8b -g l4)
for option in $("$gp" --help all | grep -oE -- '--[a-z][a-z-]+' | sort -u); do
    try --plan "${plan[@]}" "$option=$wild"
    try --bench gemm --dry-run "$option=$bytes"
done
for text in "$bytes" "$wild"; do
    for command in --show --list --batch --bench --help --plan \
        --completion --compare-results "--$text" "$text"; do
        try "$command" "$text" "$text"
    done
    try --list models "$text" --format markdown
    GPUPLAN_NOW=$text try --plan "${plan[@]}"
    GPUPLAN_PROFILES=$work/$text try --plan "${plan[@]}"
done

# ---- requests ---------------------------------------------------------------------------

json=$(printf '%s' "$wild" | sed 's/x/\\u001b\\u202e/')
for key in id model gpu engine precision context price; do
    printf '{"model": "8B", "gpu": "l4", "%s": "%s"}\n' "$key" "$json" >"$work/line"
    try --batch "$work/line"
done
printf '{"%s": 1}\n{"model": "%s\n' "$json" "$bytes" >"$work/line"
try --batch "$work/line"

# ---- profiles ---------------------------------------------------------------------------

# each_profile FOLDER FILE ARGUMENT...: the profile with each of its texts in turn
each_profile() {
    local folder=$1 file=$2 line
    shift 2
    for line in $(text_lines "$src/profiles/$folder/$file" '= *"'); do
        rm -rf "$work/p" && mkdir -p "$work/p/$folder"
        sed "$line s/\"[^\"]*\"/\"$wild\"/" "$src/profiles/$folder/$file" \
            >"$work/p/$folder/$file"
        try "$@" --profiles "$work/p"
    done
}
each_profile gpus l4.cfg --show l4
each_profile models llama-3.1-8b.cfg --show llama-3.1-8b
each_profile . formats.cfg --list formats
rm -rf "$work/p" && mkdir -p "$work/p/gpus"
printf 'name = "%s"' "$bytes" >"$work/p/gpus/l4.cfg"
: >"$work/p/gpus/$bytes.cfg"
try --list gpus --profiles "$work/p"
try --show l4 --profiles "$work/p"

# ---- a local model, in a folder with such a name ----------------------------------------

folder=$work/models/$bytes
mkdir -p "$folder"
cat >"$work/config.json" <<'JSON'
{"architectures": ["LlamaForCausalLM"],
 "model_type": "llama",
 "_name_or_path": "someone/some",
 "hidden_size": 4096, "num_hidden_layers": 32, "num_attention_heads": 32,
 "num_key_value_heads": 8, "intermediate_size": 14336, "vocab_size": 128256,
 "max_position_embeddings": 8192,
 "torch_dtype": "bfloat16",
 "quantization_config": {
 "quant_method": "fp8"},
 "rope_scaling": {
 "rope_type": "llama3"}}
JSON
for line in 0 $(text_lines "$work/config.json" '": ?\[?"'); do
    sed "${line/#0/1} s/\\(: \\[*\\)\"[^\"]*\"/\\1\"$json\"/" "$work/config.json" \
        >"$folder/config.json"
    [ "$line" = 0 ] && cp "$work/config.json" "$folder/config.json"
    for format in text json csv markdown; do
        try --plan -m "$folder" -g h100-sxm -v --format "$format"
    done
    try --plan -m "$folder" -g h100-sxm --why
    try --compare -m "$folder" -g h100-sxm
    try --plan -m "$folder" -g h100-sxm -o "$work/file"
    looked "$work/file" "a file"
    printf '%s\n' "$folder" l4 | GPUPLAN_PLAIN=1 "$gp" -m "$folder" >"$work/out" 2>"$work/err"
    looked "$work/out" "plain mode"
    GPUPLAN_SCRIPT='dump - compare dump -' "$gp" -m "$folder" >"$work/out" 2>"$work/err"
    looked "$work/out" "a screen"
done

# ---- result files and journals ----------------------------------------------------------

if [ -x "$engine" ]; then
    cp "$engine" "$work/engines/gpuplan-bench-cpu"
    "$gp" --bench memory --preset quick --device 0 -q \
        --progress none -o "$work/a.json" >"$work/out" 2>&1
    for line in $(text_lines "$work/a.json" '": "' | awk 'NR <= 40 || NR % 40 == 0'); do
        sed "$line s/\": \"[^\"]*\"/\": \"$json\"/" "$work/a.json" >"$work/b.json"
        for format in text csv markdown json; do
            try --compare-results "$work/b.json" --format "$format"
            try --compare-results "$work/a.json" "$work/b.json" --format "$format"
        done
    done
    printf '{"schema": "gpuplan.journal/2", "fingerprint": {"plan": "%s"}}\n' "$json" \
        >"$work/run.part"
    try --bench memory --preset quick --device 0 \
        --resume "$work/run.part"
fi

echo "$seen outputs held what was left of the hostile text"
assert_true "the hostile text gets as far as the printers" test "$seen" -gt 100

finish
