#!/bin/sh
# readme.sh - what the README and the manual show is what the program does.
#
# In its ```console blocks a line "$ COMMAND" is followed by what it prints; "..." as the
# last line stands for the rest. Each command is run and compared line by line. Blanks
# do not count, nor the age of a price in days. The examples of the manual are treated
# alike; the profiles of the README and of gpuplan-profile(5) are planned with.
#
#   UPDATE=1 sh tests/cli/readme.sh     writes what is printed now into both

. "${srcdir:-.}/tests/cli/lib.sh"

readme=$src/README.md
[ -f "$readme" ] || skip "no README.md here"

unset COLUMNS # 80, as where there is no terminal
cd "$work" || exit 99
ln -s "$gp" gpuplan
PATH=$work:$PATH
mkdir -p my-model
cat >my-model/config.json <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
 "intermediate_size": 14336, "num_hidden_layers": 32, "num_attention_heads": 32,
 "num_key_value_heads": 8, "vocab_size": 128256, "max_position_embeddings": 131072,
 "tie_word_embeddings": false, "torch_dtype": "bfloat16"}
JSON

# the two commands of its build section, which .ci/run types on a bare machine
assert_eq "commands that build" 2 "$(grep -c '^    \./bootstrap && ' "$readme")"

same() {
    sed -E 's/[0-9]+ days old/N days old/g; s/[[:space:]]+/ /g; s/ $//'
}

# ---- blocks: NAME.cmd and NAME.out of each --------------------------------------------

awk -v dir="$work" '
    /^```console$/ { n++; on = 1; next }
    /^```$/ { on = 0 }
    !on { next }
    /^\$ / { print substr($0, 3) >(dir "/" n ".cmd"); printf "" >(dir "/" n ".out"); next }
    { print >(dir "/" n ".out") }' "$readme"

n=1
while [ -f "$n.cmd" ]; do
    command=$(cat "$n.cmd")
    last="README: $command"
    sh -c "$command" >"$n.all" 2>"$n.err"
    rc=$?
    err=$(cat "$n.err")
    assert_eq "a command per block" 1 "$(wc -l <"$n.cmd" | tr -d ' ')"
    assert_true "exit code of $command" [ "$rc" -le 1 ]
    assert_eq "standard error of $command" "" "$err"
    cp "$n.all" "$n.now"
    if [ "$(tail -n 1 "$n.out")" = ... ]; then
        stop=$(tail -n 2 "$n.out" | head -n 1)
        lines=$(grep -nxF -e "$stop" "$n.all" | head -n 1 | cut -d: -f1)
        [ -n "$lines" ] || lines=$(($(wc -l <"$n.out") - 1))
        { head -n "$lines" "$n.all" && echo ...; } >"$n.now"
    fi
    [ -n "${UPDATE:-}" ] || assert_eq "what $command prints" \
        "$(same <"$n.out")" "$(same <"$n.now")"
    n=$((n + 1))
done
assert_true "the README shows commands" [ "$n" -gt 6 ]

if [ -n "${UPDATE:-}" ]; then
    awk -v dir="$work" '
        /^```console$/ { n++; on = 1 }
        on && /^\$ / {
            print
            file = dir "/" n ".now"
            while ((getline line <file) > 0) { sub(/ +$/, "", line); print line }
            next
        }
        /^```$/ { on = 0 }
        !on || /^```console$/' "$readme" >README.new && cat README.new >"$readme"
    echo "README.md is written anew"
fi

# ---- the examples of the manual --------------------------------------------------------

for page in "$src"/man/gpuplan*.[17]; do
    name=$(basename "$page")
    case $name in
    gpuplan-model.7 | gpuplan-bench.1) continue ;; # excerpts; what a machine measured
    esac
    awk -v file="$name" '
        /^\.Bd -literal/ { first = 1; next }
        /^\.Ed/ { on = 0 }
        { sub(/^\\&/, ""); gsub(/\\e/, "\\") }
        first && /^\$ / { n++; on = 1; print substr($0, 3) >(file "_" n ".cmd") }
        on && !first { print >(file "_" n ".out") }
        { first = 0 }' "$page"
    n=1
    while [ -f "${name}_$n.cmd" ]; do
        command=$(cat "${name}_$n.cmd")
        last="$name: $command"
        err=
        sh -c "$command" >"${name}_$n.now" 2>&1
        [ -n "${UPDATE:-}" ] || assert_eq "what $command prints" \
            "$(same <"${name}_$n.out")" "$(same <"${name}_$n.now")"
        n=$((n + 1))
    done
    [ -z "${UPDATE:-}" ] || [ "$n" -eq 1 ] || {
        awk -v name="$name" '
            /^\.Bd -literal/ { first = 1; print; next }
            /^\.Ed/ { on = 0 }
            first && /^\$ / {
                print
                on = 1
                file = name "_" ++n ".now"
                while ((getline line <file) > 0) {
                    sub(/ +$/, "", line)
                    gsub(/\\/, "\\e", line)
                    sub(/^[.\047]/, "\\\\\\&&", line)
                    print line
                }
            }
            !on
            { first = 0 }' "$page" >man.new && cat man.new >"$page"
        echo "$name is written anew"
    }
done
assert_true "the manual shows commands" [ "$(find . -name 'gpuplan*.cmd' | wc -l)" -gt 12 ]

# ---- the profiles they show -----------------------------------------------------------

# The indented block behind the line that names the file.
profile() {
    mkdir -p "own/$(dirname "$1")"
    awk -v name="$1" '
        index($0, "`" name "`") { on = 1; next }
        on && /^    / { print substr($0, 5); shown = 1; next }
        on && shown && NF { exit }' "$readme" >"own/$1"
    assert_true "the README shows $1" [ -s "own/$1" ]
}

profile gpus/x900.cfg
run --plan -m llama-3.1-8b -g x900:2 --profiles own -f json
assert_eq "that profile: exit code" 0 "$rc"
assert_eq "that profile: warnings" "" "$err"

# Those of the manual, in their order there.
set -- gpus/x900 models/example-9b engines/vllm formats prices/our-contract
mkdir -p manual/gpus manual/models manual/engines manual/prices
awk -v names="$*" '
    BEGIN { split(names, name) }
    /^\.Bd -literal/ { file = "manual/" name[++n] ".cfg"; next }
    /^\.Ed/ { file = "" }
    file && n <= 5 { print >file }' "$src/man/gpuplan-profile.5"
run --plan -m Example-9B-Instruct -p int4-g64 -g x900 --engine vllm@0.40 --profiles manual \
    -f json
assert_eq "the manual's profiles: exit code" 0 "$rc"
assert_eq "the manual's profiles: warnings" "" "$err"
run --plan -m example-9b -g h100-sxm:8 --engine vllm@0.35 --profiles manual -f json
assert_eq "the manual's prices: exit code" 0 "$rc"
if have_json; then
    assert_eq "the manual's closed range" "vllm@0.33-0.39" "$(json request.engine)"
    assert_eq "the manual's price" 15.2 "$(json cost.per_hour.value)"
fi

# ---- options named in the text; those of engines stand alone in what --launch prints -----

help=$("$gp" --help all)
for option in $(grep -v '^    --' "$readme" | grep -oE -e '--[a-z][a-z-]+' | LC_ALL=C sort -u); do
    assert_contains "an option of the README" "$option" "$help"
done

finish
