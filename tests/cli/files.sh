#!/usr/bin/env bash
# files.sh - what the system refuses is said and never taken for an answer; --output writes
# to whatever a shell can name; a signal leaves no file behind.
. "${srcdir:-.}/tests/cli/lib.sh"

GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW
plan=(--plan -m llama-3.1-8b -g l4)
run "${plan[@]}" -q
want=$out

# ---- --output -------------------------------------------------------------------------

echo first >"$work/app"
"$gp" "${plan[@]}" -q -o /dev/stdout >>"$work/app"
assert_eq "-o /dev/stdout behind what is there" "first
$want" "$(cat "$work/app")"
assert_eq "-o /dev/stdout into a pipe" "$want" "$("$gp" "${plan[@]}" -q -o /dev/stdout | cat)"
ln -s /dev/stdout "$work/link"
assert_eq "a link to it" "$want" "$("$gp" "${plan[@]}" -q -o "$work/link" | cat)"
for name in /dev/fd/7 /proc/self/fd/7; do
    echo first >"$work/seven"
    "$gp" "${plan[@]}" -q -o "$name" 7>>"$work/seven"
    assert_eq "-o $name" "first
$want" "$(cat "$work/seven")"
done
"$gp" "${plan[@]}" -q -o >(cat >"$work/process")
for _ in 1 2 3 4 5 6 7 8 9; do [ -s "$work/process" ] || sleep 0.1; done
assert_eq "-o >(cat)" "$want" "$(cat "$work/process")"
mkfifo "$work/fifo"
cat "$work/fifo" >"$work/through" &
"$gp" "${plan[@]}" -q -o "$work/fifo"
wait $!
assert_eq "-o FIFO" "$want" "$(cat "$work/through")"
assert_true "a FIFO stays one" test -p "$work/fifo"
assert_fails 3 "cannot write" "${plan[@]}" -o /dev/fd/77

# --bench: the journal lies elsewhere, and goes when all is written
engine=$(cd "${top_builddir:-.}" && pwd)/tests/fixtures/standin_engine
if [ -x "$engine" ]; then
    mkdir "$work/bench" "$work/engines"
    cp "$engine" "$work/engines/gpuplan-bench-cpu"
    for name in /dev/stdout /dev/fd/3; do
        (cd "$work/bench" && GPUPLAN_LIBEXEC=$work/engines "$gp" --bench gemm --backend cpu \
            --preset quick --progress none --format json -o "$name" 3>&1 |
            cat) >"$work/result" 2>"$work/err"
        assert_contains "--bench -o $name" '"gpuplan.bench/' "$(cat "$work/result")"
        assert_eq "nothing lies beside it" "" "$(ls "$work/bench")"
        assert_true "nor in its folder" test ! -e "$name.part"
    done
fi

# ---- calls that fail --------------------------------------------------------------------

shim=$(cd "${top_builddir:-.}" && pwd)/tests/fixtures/fail_call.so
[ -r "$shim" ] && LD_PRELOAD=$shim "$gp" --version >/dev/null 2>&1 || finish
nm "$gp" 2>/dev/null | grep -q __asan_init && finish # it wants to be loaded first

# failing CALL NAME ERRNO AT ARGUMENT...: $out, $err and $rc of a run in which the call fails
failing() {
    local call=$1 name=$2 with=$3 at=$4
    shift 4
    out=$(LD_PRELOAD=$shim FAIL_CALL=$call FAIL_NAME=$name FAIL_WITH=$with FAIL_AT=$at FAIL_ON=1 \
        "$gp" "$@" 2>"$work/err")
    rc=$?
    err=$(cat "$work/err")
}

# of any folder, at its first entry and within: no other answer
"$gp" "${plan[@]}" --format json >"$work/saved.json"
for at in 1 4; do
    failing readdir /prices 5 "$at" "${plan[@]}"
    assert_eq "prices that cannot be listed" 3 "$rc"
    assert_contains "prices that cannot be listed" "cannot list: Input/output error" "$err"
    failing readdir /prices 5 "$at" --check-plan "$work/saved.json"
    assert_eq "--check-plan of them" 3 "$rc"
    failing readdir /gpus 5 "$at" --list gpus
    assert_eq "GPUs that cannot be listed" 3 "$rc"
done
failing open /l40s.cfg 5 1 --report "$work/page.html" -m llama-3.1-8b -g l4
assert_contains "a page without alternatives" "l40s.cfg: cannot open" "$err"
mkdir "$work/model"
cat >"$work/model/config.json" <<'JSON'
{"architectures": ["LlamaForCausalLM"], "model_type": "llama", "hidden_size": 4096,
 "num_hidden_layers": 32, "num_attention_heads": 32, "num_key_value_heads": 8,
 "intermediate_size": 14336, "vocab_size": 128256, "max_position_embeddings": 8192,
 "torch_dtype": "bfloat16"}
JSON
reads=0
while [ "$reads" -lt 9 ]; do # whichever read of it fails
    reads=$((reads + 1))
    failing open /config.json 5 "$reads" --import-model "$work/model" 2026-01-01
    [ "$rc" -eq 0 ] && break
    assert_eq "read $reads of config.json" 3 "$rc"
done
assert_contains "no read of it failed" ", sha256 " "$out"

# what a rename cannot replace is written in place, and that is said
for refusal in "rename 16" "rename 13" "mkstemp 13" "mkstemp 30"; do
    echo "old, and longer than the answer: $(seq 1 60)" >"$work/kept"
    chmod 640 "$work/kept"
    failing "${refusal% *}" "" "${refusal#* }" 1 "${plan[@]}" -q -o "$work/kept"
    assert_eq "$refusal" 0 "$rc"
    assert_contains "$refusal" "kept: written in place" "$err"
    assert_eq "$refusal" "$want" "$(cat "$work/kept")"
    rm "$work/kept"
done
failing mkstemp "" 13 1 "${plan[@]}" -q -o "$work/fresh"
assert_eq "no file to write in place" 3 "$rc"
failing rename "" 5 1 "${plan[@]}" -q -o "$work/fresh"
assert_eq "any other error" 3 "$rc"
failing fsync "" 28 1 "${plan[@]}" -q -o "$work/fresh"
assert_eq "a full disk" 3 "$rc"

# a signal while it is written: the file is whole or untouched, and nothing lies beside it
mkdir "$work/signal"
for number in 1 2 3 15; do
    LD_PRELOAD=$shim FAIL_CALL=fsync FAIL_SIGNAL=$number \
        "$gp" "${plan[@]}" -q -o "$work/signal/file" 2>/dev/null
    assert_eq "it ends by signal $number" $((128 + number)) "$?"
    assert_eq "nothing beside the file" file "$(ls "$work/signal")"
    assert_eq "the file is whole" "$want" "$(cat "$work/signal/file")"
done

finish
