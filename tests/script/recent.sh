#!/bin/bash
# recent.sh - the models chosen in earlier runs, and those that are here, on top of their list.

. "${srcdir:-.}/tests/script/lib.sh"

kept=$work/state/gpuplan/recent-models

# What stands in the list of models, from its top; the first row is what the form has.
list() {
    screen "$1" -m llama-3.1-8b -g l40s <<'KEYS'
:size 100 40
Enter
:dump -
Esc
KEYS
}

row_of() {
    grep -n "$1" <<<"$out" | head -n 1 | cut -d: -f1
}

# A folder with a model in it, and the hub's cache, come before the catalogue.
unset HF_HUB_CACHE HF_HOME
snapshot=$HOME/.cache/huggingface/hub/models--Example--Tiny
mkdir -p "$snapshot/refs" "$snapshot/snapshots/0123" my-model || exit 99
printf 0123 >"$snapshot/refs/main"
echo '{}' >"$snapshot/snapshots/0123/config.json"
echo '{}' >my-model/config.json
list "first"
shows "./my-model"
shows "Example/Tiny"
assert_true "above the catalogue" test "$(row_of Example/Tiny)" -lt "$(row_of 'about this size')"
assert_true "nothing was chosen: nothing is kept" test ! -e "$kept"

# Two are chosen; the next run has the last one first.
screen "chosen" -m llama-3.1-8b -g l40s <<'KEYS'
:model mistral-7b-v0.3
:model gemma-2-9b
:model nosuchmodel
KEYS
assert_eq "kept, the last first" "gemma-2-9b
mistral-7b-v0.3" "$(cat "$kept")"
list "next run"
gemma=$(row_of 'Gemma-2-9b') mistral=$(row_of 'Mistral 7B') folder=$(row_of my-model)
assert_true "the last first" test "$gemma" -lt "$mistral"
assert_true "before those that are here" test "$mistral" -lt "$folder"

# A file that is not ours does no harm, and is mended by the next choice.
{ printf 'gemma-2-9b\n\033[2Jboo\n'; head -c 3000 /dev/zero | tr '\0' x; printf '\n\377\n../../etc\n'; } >"$kept"
list "hostile"
lacks "boo"
lacks "xxxx"
screen "mended" -m llama-3.1-8b -g l40s <<'KEYS'
:model 70B
KEYS
assert_eq "no more than is understood" "70B
gemma-2-9b
../../etc" "$(cat "$kept")"
head -c 100000 /dev/zero | tr '\0' '\n' >"$kept"
list "too large"
shows "Llama 3.1 8B"
lacks "chosen before"
finish
