#!/bin/bash
# habits.sh - what people type out of habit: formats behind -o, pipes of the shell, one dash, names
# without -m; and errors name what was typed.

. "${srcdir:-.}/tests/cli/lib.sh"

plan=(--plan -m llama-3.1-8b -g l4)

# ---- -o json is a format, said; no file appears ----
cd "$work" || exit 99
for format in json csv markdown; do
    run "${plan[@]}" -f "$format"
    wanted=$out
    run "${plan[@]}" -o "$format"
    assert_eq "-o $format" "$wanted" "$out"
    assert_contains "said" "taken as --format $format" "$err"
    assert_true "no file $format" [ ! -e "$format" ]
done
assert_fails 2 "did you mean -f json" "${plan[@]}" -o yaml
run "${plan[@]}" -o ./json -q
assert_true "a file of that name" [ -s json ]

# ---- <(...) and - are read wherever a file is ----
"$gp" "${plan[@]}" -f json >plan.json
cp "$src/profiles/pools/mixed-sizes.cfg" pool.cfg
cp "$src/tests/fixtures/models/hf-llama/config.json" .
printf 'timestamp,prompt_tokens,output_tokens\n' >trace.csv
run --check-plan plan.json
wanted=$out
run --check-plan <(cat plan.json)
assert_eq "--check-plan <(...)" "$wanted" "$out"
"$gp" --check-plan - <plan.json >out
assert_eq "--check-plan -" "$wanted" "$(cat out)"
run --pool pool.cfg
wanted=$out
run --pool <(cat pool.cfg)
assert_eq "--pool <(...)" "$wanted" "$out"
"$gp" --pool - <pool.cfg >out
assert_eq "--pool -" "$wanted" "$(cat out)"
for command in "--attach" "--check-log" "--compare-results" "${plan[*]} --trace" \
    "${plan[*]} --calibration"; do
    # shellcheck disable=SC2086 # words
    run $command <(echo nothing)
    assert_lacks "$command reads a pipe" "not a regular file" "$err"
done
mkfifo nobody
assert_fails 3 "not a regular file" --check-plan nobody

# ---- one dash, as engines take it; a name without -m ----
run "${plan[@]}" --tp 2 -q
wanted=$out
for one in "-tp 2" "-tp=2" "--tp=2"; do
    # shellcheck disable=SC2086
    run "${plan[@]}" $one -q
    assert_eq "$one" "$wanted" "$out"
done
run --plan -model llama-3.1-8b -gpu l4 -q
assert_eq "-model, -gpu" 0 "$rc"
run --plan -m llama-3.1-8b -gl4 -pfp8 -u16 -q
assert_eq "values that are joined" 0 "$rc"
assert_fails 2 "gpuplan --plan -m llama-3.1-8b" llama-3.1-8b
assert_fails 2 "(-m llama-3.1-8b)" --plan llama-3.1-8b
assert_fails 2 "did you mean --rate N?" "${plan[@]}" --qps 4

# ---- errors name what was typed, whatever was left out ----
while read -r typed; do
    # shellcheck disable=SC2086
    run $typed
    assert_eq "exit code of $typed" 2 "$rc"
    for name in $(printf '%s\n' "${err%%(*}" | grep -oE -e '--[a-z][a-z-]+'); do
        case " $typed " in
        *" $name"*) checks=$((checks + 1)) ;;
        *) fail "$typed: nobody typed $name" "$err" ;;
        esac
    done
done <<'END'
-m llama-3.1-8b -g l4 -q
--solve users -m llama-3.1-8b
--plan -m llama-3.1-8b --prompt 9000 --context 8k
--plan -m llama-3.1-8b --output-tokens 9000 --context 8k
--plan -m llama-3.1-8b --prompt 200k
--plan -m llama-3.1-8b --tp 0
--compare -m llama-3.1-8b --strict
llama-3.1-8b
END

# ---- scripts: --batch --strict, errors in JSON, exit codes ----
printf '{"model": "8B", "gpu": "l4"}\n{"model": "nothing"}\n' >two
run --batch two
assert_eq "--batch" 0 "$rc"
run --batch two --strict
assert_eq "--batch --strict" 3 "$rc"
assert_eq "all lines are answered" 2 "$(wc -l <"$work/out")"
head -n 1 two >one
run --batch one --strict
assert_eq "--batch --strict of good lines" 0 "$rc"
run --plan -m nonsense -f json
assert_eq "exit code" 2 "$rc"
assert_contains "words on standard error" "no model 'nonsense'" "$err"
if have_json; then
    assert_eq "and JSON" gpuplan.error/1 "$(json schema)"
    run --plan --wibble 3 --format=json
    assert_eq "before the format is read" gpuplan.error/1 "$(json schema)"
fi

finish
