#!/bin/sh
# list.sh - gpuplan --list: classes, filters, notations.

. "${srcdir:-.}/tests/cli/lib.sh"

# ---- every class has rows, in every notation ----
for class in models gpus engines instances formats servers families shapes pools; do
    run --list "$class"
    assert_eq "$class: exit code" 0 "$rc"
    assert_contains "$class: header" "ID" "$(head -n 1 "$work/out")"
    run --list "$class" --quiet
    ids=$(wc -l <"$work/out" | tr -d ' ')
    assert_true "$class: has ids" [ "$ids" -ge 3 ]
    assert_eq "$class: ids once" "" "$(sort "$work/out" | uniq -d)"
    first=$(head -n 1 "$work/out")
    run --list "$class" --format csv
    assert_contains "$class: CSV header" "id," "$(head -n 1 "$work/out")"
    assert_true "$class: CSV rows" [ "$(wc -l <"$work/out")" -gt "$ids" ]
    run --list "$class" --format markdown
    assert_contains "$class: Markdown rule" "| --- |" "$(sed -n 2p "$work/out")"
    run --list "$class" --format json
    if have_json; then
        assert_eq "$class: schema" gpuplan.list/1 "$(json schema)"
        assert_eq "$class: class" "$class" "$(json class)"
        assert_eq "$class: first id" "$first" "$(json items.0.id)"
        assert_true "$class: items" [ "$(json items.#)" -ge "$ids" ]
    fi
done

# ---- the columns carry units, the numbers their origin ----
run --list gpus
assert_contains "unit in the header" "memory GiB" "$(head -n 1 "$work/out")"
assert_contains "derived figures are marked" "~" "$out"
run list gpus l40s -f json
if have_json; then
    assert_eq "one row" 1 "$(json items.#)"
    assert_eq "usable" 44.42 "$(json items.0.usable.value)"
    assert_eq "usable is a sheet figure" sheet "$(json items.0.usable.origin)"
    assert_eq "usable has a unit" GiB "$(json items.0.usable.unit)"
fi
run list gpus h100-sxm -f csv
assert_contains "CSV has bands" ",usable,usable_low,usable_high,usable_origin," \
    "$(head -n 1 "$work/out")"
assert_contains "CSV row" "h100-sxm,NVIDIA H100 SXM5 80GB,Hopper,79.65," "$out"

# ---- filters: any word, case ignored, all of them ----
run --list gpus HOPPER -q
assert_contains "by architecture" h200-sxm "$out"
assert_lacks "by architecture, others" a100 "$out"
run --list gpus hopper sxm5 -q
assert_contains "two filters" h100-sxm "$out"
assert_lacks "two filters, others" h100-pcie "$out"
run --list instances aws h100-sxm -q
assert_contains "by provider and GPU" aws/p5.48xlarge "$out"
assert_lacks "by provider" azure "$out"
run --list gpus no-such-thing
assert_eq "nothing found: exit code" 0 "$rc"
assert_contains "nothing found" "0 gpus" "$out"
run --list gpus no-such-thing -f json
if have_json; then
    assert_eq "nothing found: an empty list" 0 "$(json items.#)"
fi

# ---- usage ----
assert_fails 2 "did you mean gpus?" --list gpu5
assert_fails 2 "classes: models, gpus" --list
assert_fails 2 "classes: models, gpus" --list qqqqqqqq
assert_fails 2 "--list does not take this option" --list gpus --context 8k

# ---- --output writes the same, whole ----
run --list formats
cp "$work/out" "$work/expected"
run --list formats --output "$work/formats.txt"
assert_eq "nothing on standard output" "" "$out"
assert_true "the file has it" cmp -s "$work/expected" "$work/formats.txt"

# ---- a profile of the user's is there at once ----
mkdir -p "$work/mine/gpus"
sed 's/^name = .*/name = "My Card";/' "$src/profiles/gpus/h100-sxm.cfg" \
    >"$work/mine/gpus/my-card.cfg"
run --list gpus "my card" -q --profiles "$work/mine"
assert_eq "own profile" my-card "$out"

finish
