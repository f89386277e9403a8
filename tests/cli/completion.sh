#!/bin/bash
# completion.sh - the completion scripts, each in its own shell.

. "${srcdir:-.}/tests/cli/lib.sh"

mkdir "$work/bin"
ln -s "$gp" "$work/bin/gpuplan"
PATH=$work/bin:$PATH

run --completion bash
assert_eq "bash: exit code" 0 "$rc"
cp "$work/out" "$work/gpuplan.bash"
# shellcheck source=/dev/null
. "$work/gpuplan.bash"
assert_contains "registered" "_gpuplan gpuplan" "$(complete -p gpuplan)"

# complete_line TEXT: the replies at its end, one line.
complete_line() {
    COMP_LINE=$1
    COMP_POINT=${#COMP_LINE}
    read -ra COMP_WORDS <<<"$COMP_LINE"
    case $COMP_LINE in
    *' ') COMP_WORDS+=('') ;;
    esac
    COMP_CWORD=$((${#COMP_WORDS[@]} - 1))
    COMPREPLY=()
    last="completing '$1'"
    _gpuplan gpuplan "${COMP_WORDS[COMP_CWORD]}" "${COMP_WORDS[COMP_CWORD - 1]}"
    echo "${COMPREPLY[*]}"
}

assert_eq "commands" "--plan" "$(complete_line 'gpuplan --pl')"
assert_contains "all commands" "--import-model" "$(complete_line 'gpuplan ')"
assert_eq "options of the command" "--kv-precision" "$(complete_line 'gpuplan --plan --kv-p')"
assert_eq "only its options" "" "$(complete_line 'gpuplan --list --kv-p')"
assert_eq "without dashes" "--kv-precision" "$(complete_line 'gpuplan plan --kv-p')"
assert_eq "choices" "json" "$(complete_line 'gpuplan --plan --format j')"
assert_eq "choices, short" "json" "$(complete_line 'gpuplan --plan -f j')"
assert_eq "choices after =" "spot" "$(complete_line 'gpuplan --plan --price=s')"
assert_eq "models" "llama-3.1-70b" "$(complete_line 'gpuplan --plan -m llama-3.1-7')"
assert_eq "GPUs" "l40s" "$(complete_line 'gpuplan --plan -m 8B -g l40s')"
assert_eq "all GPUs" "all" "$(complete_line 'gpuplan --compare -m 8B -g al')"
assert_eq "formats" "int4-awq" "$(complete_line 'gpuplan --plan -p int4-a')"
assert_eq "after @" "0.17" "$(complete_line 'gpuplan --plan --engine vllm@0.17')"
assert_eq "classes" "formats families" "$(complete_line 'gpuplan --list f')"
assert_eq "tests" "memory" "$(complete_line 'gpuplan --bench m')"
assert_eq "or an option" "--preset" "$(complete_line 'gpuplan --bench --pres')"
assert_eq "ids of all classes" "dgx-h100" "$(complete_line 'gpuplan --show dgx-h1')"
assert_eq "shells" "zsh" "$(complete_line 'gpuplan --completion z')"
assert_eq "numbers complete to nothing" "" "$(complete_line 'gpuplan --plan -c ')"

# every option of the table is offered: --help all lists the same table
run --help all
printf '%s\n' "$out" | sed -n 's/^ .*[ ,]--\([a-z-]*\)[ ].*/--\1/p' | sort -u >"$work/options"
for command in $(printf '%s\n' "$out" | sed -n 's/^  \(--[a-z-]*\) .*/\1/p'); do
    "$gp" --complete "$command" -- | cut -f 1
done >"$work/offered"
"$gp" --complete -- | cut -f 1 >>"$work/offered"
assert_true "the options are read" [ "$(wc -l <"$work/options")" -gt 100 ]
while read -r option; do
    checks=$((checks + 1))
    grep -qx -- "$option" "$work/offered" || fail "not offered: $option"
done <"$work/options"
assert_eq "glued to the letter" "-fjson" "$("$gp" --complete --plan -fj | cut -f 1)"
assert_contains "what it is" "format of the KV cache" "$("$gp" --complete --plan --kv-p)"
assert_eq "where files stand" ":files" "$("$gp" --complete --plan -o '')"

run --completion zsh
assert_eq "zsh: exit code" 0 "$rc"
assert_eq "zsh: first line" "#compdef gpuplan" "$(head -n 1 "$work/out")"
cp "$work/out" "$work/_gpuplan"
# in_zsh TEXT...: each line after TAB at its end, one a line, from an interactive zsh.
in_zsh() {
    timeout 60 zsh -f -c '
        zmodload zsh/zpty
        zpty shell "zsh -f -i"
        zpty -w shell "PS1= fpath=($1 \$fpath); autoload -U compinit; compinit -u -D"
        zpty -w shell "tab() { zle complete-word; print -r -- \"<\$BUFFER>\"
            zle kill-buffer }; zle -N tab; bindkey \"^I\" tab; print ready\".\""
        zpty -r shell line "*ready.*"
        for text in "${@:2}"; do
            zpty -w -n shell "$text"$'\''\t'\''
            zpty -r shell line "*<*>*"
            print -r -- "${${line##*<}%%>*}"
        done
        zpty -d shell' zsh "$work" "$@"
}

if command -v zsh >/dev/null 2>&1; then
    # before TAB|after it, with a blank where no other word begins so (written as _)
    while IFS= read -r line; do
        texts+=("${line%%|*}")
        expected=${line#*|}
        completed+=("${expected/%_/ }")
    done <<'END'
gpuplan --pl|gpuplan --plan_
gpuplan --plan --kv-p|gpuplan --plan --kv-precision=
gpuplan --list --kv-p|gpuplan --list --kv-p
gpuplan plan --kv-p|gpuplan plan --kv-precision=
gpuplan --plan --format j|gpuplan --plan --format json_
gpuplan --plan -f j|gpuplan --plan -f json_
gpuplan --plan --price=s|gpuplan --plan --price=spot_
gpuplan --plan -m llama-3.1-7|gpuplan --plan -m llama-3.1-70b_
gpuplan --plan -m 8B -g h100-s|gpuplan --plan -m 8B -g h100-sxm_
gpuplan --compare -m 8B -g al|gpuplan --compare -m 8B -g all_
gpuplan --plan -p int4-a|gpuplan --plan -p int4-awq_
gpuplan --list fo|gpuplan --list formats_
gpuplan --bench m|gpuplan --bench memory_
gpuplan --bench --pres|gpuplan --bench --preset=
gpuplan --show dgx-h1|gpuplan --show dgx-h100_
gpuplan --completion z|gpuplan --completion zsh_
gpuplan --plan -c |gpuplan --plan -c_
END
    last="completing in zsh"
    mapfile -t replies < <(in_zsh "${texts[@]}")
    for i in "${!texts[@]}"; do
        assert_eq "zsh: '${texts[i]}'" "${completed[i]}" "${replies[i]}"
    done
else
    echo "note: no zsh here: its script is not run"
fi

run --completion fish
assert_eq "fish: exit code" 0 "$rc"
cp "$work/out" "$work/gpuplan.fish"

# in_fish TEXT: the replies at its end, sorted, without descriptions, one line.
in_fish() {
    last="completing '$1' in fish"
    HOME=$work fish --no-config -c 'source $argv[1]; complete -C $argv[2]' \
        "$work/gpuplan.fish" "$1" 2>&1 | cut -f 1 | LC_ALL=C sort | paste -sd ' ' -
}

if command -v fish >/dev/null 2>&1; then
    assert_eq "fish: commands" "--plan" "$(in_fish 'gpuplan --pl')"
    assert_contains "fish: all commands" "--import-model" "$(in_fish 'gpuplan --')"
    assert_eq "fish: options of the command" "--kv-precision" \
        "$(in_fish 'gpuplan --plan --kv-p')"
    assert_eq "fish: only its options" "" "$(in_fish 'gpuplan --list --kv-p')"
    assert_eq "fish: without dashes" "--kv-precision" "$(in_fish 'gpuplan plan --kv-p')"
    assert_eq "fish: choices" "json" "$(in_fish 'gpuplan --plan --format j')"
    assert_eq "fish: choices, short" "json" "$(in_fish 'gpuplan --plan -f j')"
    assert_eq "fish: choices after =" "--price=spot" "$(in_fish 'gpuplan --plan --price=s')"
    assert_eq "fish: models" "llama-3.1-70b" "$(in_fish 'gpuplan --plan -m llama-3.1-7')"
    assert_eq "fish: GPUs" "l40s" "$(in_fish 'gpuplan --plan -m 8B -g l40s')"
    assert_eq "fish: all GPUs" "all" "$(in_fish 'gpuplan --compare -m 8B -g al')"
    assert_eq "fish: formats" "int4-awq" "$(in_fish 'gpuplan --plan -p int4-a')"
    assert_eq "fish: classes" "families formats" "$(in_fish 'gpuplan --list f')"
    assert_eq "fish: tests" "memory" "$(in_fish 'gpuplan --bench m')"
    assert_eq "fish: ids of all classes" "dgx-h100" "$(in_fish 'gpuplan --show dgx-h1')"
    assert_eq "fish: shells" "zsh" "$(in_fish 'gpuplan --completion z')"
    assert_eq "fish: numbers complete to nothing" "" "$(in_fish 'gpuplan --plan -c ')"
else
    echo "note: no fish here: its script is not run"
fi

assert_fails 2 "no completion for 'tcsh' (bash, zsh or fish)" --completion tcsh

finish
