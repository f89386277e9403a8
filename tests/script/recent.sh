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
assert_true "above the catalogue" test "$(row_of Example/Tiny)" -lt "$(row_of 'a dense model')"
assert_true "nothing was chosen: nothing is kept" test ! -e "$kept"

# What Ollama and LM Studio have pulled, by the names that they have there; what cannot be a name
# is left out.
library=$HOME/.ollama/models/manifests/registry.ollama.ai/library
studio=$HOME/.lmstudio/models/lmstudio-community/Qwen3-8B-GGUF
mkdir -p "$library/llama3.1" "$library/.hidden" "$studio"
touch "$library/llama3.1/8b" "$library/llama3.1/latest" "$library/.hidden/x" \
    "$studio/Qwen3-8B-Q4_K_M.gguf"
list "other stores"
shows "llama3.1:8b "
shows "in Ollama here"
shows "Qwen3-8B-Q4_K_M.gguf"
shows "in LM Studio here"
lacks "hidden"
assert_true "verdict and GPUs beside it" test \
    "$(grep -c 'llama3.1:8b  *fits  *1  *\$1.00' <<<"$out")" = 1
assert_true "then what is served most" test "$(row_of 'Llama 3.3 70B')" -gt "$(row_of Example/Tiny)"
rm -r "$HOME/.ollama" "$HOME/.lmstudio"

# What a pasted name is read as stands there before it is taken.
screen "a pasted name" -m llama-3.1-8b -g l40s <<'KEYS'
Enter
:paste meta-llama/Llama-3.3-70B-Instruct
:dump -
Esc
Down Down Enter
:paste 2x L40S
:dump -
KEYS
shows '"meta-llama/Llama-3.3-70B-Instruct": Llama 3.3 70B Instruct, 70.55 B, bf16'
shows '"2x L40S": 2 x L40S'

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
