#!/bin/sh
# import.sh - gpuplan --import-model: a checkpoint becomes a profile that wins.

. "${srcdir:-.}/tests/cli/lib.sh"

assert_fails 2 "python3 tools/import_prices.py FILE" --import-prices vms.csv

# a profile that reads back as the same model, with source, hash and date
mkdir -p "$work/mine/models"
config=${srcdir:-.}/tests/fixtures/models/config
for file in "$config"/*.json; do
    id=mine-$(basename "$file" .json)
    run --import-model "$file" 2026-11-21 --output "$work/mine/models/$id.cfg"
    assert_eq "$id: exit code" 0 "$rc"
    run --show "$file" -f json
    if have_json; then
        params=$(json params_total params_active params_mtp)
        run --show "$id" --profiles "$work/mine" -f json
        assert_eq "$id" "$params" "$(json params_total params_active params_mtp)"
    fi
done
profile=$(cat "$work/mine/models/mine-qwen3-8b.cfg")
assert_contains "date" 'gathered = "2026-11-21";' "$profile"
assert_contains "source" "qwen3-8b.json, sha256 " "$profile"

# the hub's local cache
hub=$work/hub/models--acme--tiny
mkdir -p "$hub/refs" "$hub/snapshots/0123abc"
echo 0123abc >"$hub/refs/main"
cp "$config/qwen3-8b.json" "$hub/snapshots/0123abc/config.json"
HF_HUB_CACHE=$work/hub
export HF_HUB_CACHE
run --import-model acme/tiny 2026-11-21
assert_contains "the revision" "acme/tiny of the hub's cache, revision 0123abc" "$out"
run --list models acme/tiny -q
assert_eq "listed" acme/tiny "$out"
run --plan -m acme/tiny -g l40s -c 4k
assert_eq "planned by its name" 0 "$rc"
run --show acme/tiny
assert_contains "shown" "acme/tiny" "$out"
echo ../../../etc >"$hub/refs/main"
run --list models acme/tiny -q
assert_eq "a revision stays in its folder" "" "$out"
assert_fails 2 "is not a date" --import-model "$config/qwen3-8b.json" soon
assert_fails 2 "needs a model's folder" --import-model
assert_fails 3 "no such file" --import-model acme/none

finish
