#!/bin/sh
# import.sh - gpuplan --import-prices: a SkyPilot catalogue becomes a profile that wins;
# gpuplan --import-model: so does a checkpoint.

. "${srcdir:-.}/tests/cli/lib.sh"

mkdir -p "$work/acme"
cat >"$work/acme/vms.csv" <<'CSV'
InstanceType,AcceleratorName,AcceleratorCount,vCPUs,MemoryGiB,GpuInfo,Region,Price,SpotPrice
acme-l40s-1,L40S,1,16,128,,north,0.02,
acme-l40s-1,L40S,1,16,128,,south,0.03,
acme-h100-8,H100,8,128,1024,"{'Gpus': [{'Name': 'H100-SXM'}]}",north,9.5,4.25
acme-cpu,,,8,32,,north,0.10,
acme-odd,NoSuchCard,1,8,32,,north,0.50,
acme-free,L4,1,8,32,,north,,
CSV

run --import-prices "$work/acme/vms.csv" 2026-11-01
assert_eq "exit code" 0 "$rc"
assert_contains "what was kept" "# 2 instance types kept of 6 rows." "$out"
assert_contains "other regions" "# 1 rows are other regions" "$out"
assert_contains "no accelerator" "# 1 rows left out: no accelerator" "$out"
assert_contains "no price" "# 1 rows left out: no price" "$out"
assert_contains "unknown GPU" "NoSuchCard" "$out"
assert_contains "where to put it" "gpuplan/profiles/prices/acme.cfg" "$out"
assert_contains "provider" 'provider = "acme";' "$out"
assert_contains "date" 'date = "2026-11-01";' "$out"
assert_contains "the cheapest region" 'on_demand = 0.02;' "$out"

# --output, then the profile is read back and wins
mkdir -p "$work/mine/prices"
touch -d '2026-10-05 12:00' "$work/acme/vms.csv"
run --import-prices "$work/acme/vms.csv" --output "$work/mine/prices/acme.cfg"
assert_eq "--output prints nothing" "" "$out"
assert_contains "the file's date" "# Dated 2026-10-05 by the file" \
    "$(cat "$work/mine/prices/acme.cfg")"
assert_contains "labelled" 'date_basis = "file";' "$(cat "$work/mine/prices/acme.cfg")"
run --plan -m 8B -g l40s --profiles "$work/mine"
assert_contains "shown as the file's" "(file of 2026-10-05, " "$out"
run --list instances acme -q --profiles "$work/mine"
assert_eq "rows" "acme/acme-h100-8 acme/acme-l40s-1" "$(echo "$out" | tr '\n' ' ' |
    sed 's/ $//')"
run --show acme/acme-h100-8 --profiles "$work/mine" -f json
if have_json; then
    assert_eq "GPU" h100-sxm "$(json gpu)"
    assert_eq "price" 9.5 "$(json offers.0.on_demand.value)"
    assert_eq "spot" 4.25 "$(json offers.0.spot.value)"
    assert_eq "the user's own" true "$(json offers.0.user)"
    run --plan -m 8B -g l40s --profiles "$work/mine" -f json
    assert_eq "it wins" acme-l40s-1 "$(json cost.on_demand.instance)"
    assert_eq "its price" 0.02 "$(json cost.per_hour.value)"
fi

# a provider by name, $XDG_DATA_HOME
mkdir -p "$XDG_DATA_HOME/gpuplan/profiles/prices"
run --import-prices "$work/acme/vms.csv" bobs --output \
    "$XDG_DATA_HOME/gpuplan/profiles/prices/bobs.cfg"
run --list instances bobs -q
assert_contains "found in the data home" bobs/acme-l40s-1 "$out"

# wrong files and calls
printf 'a,b\n1,2\n' >"$work/other.csv"
assert_fails 3 "other.csv" --import-prices "$work/other.csv"
assert_fails 3 "no-such-file" --import-prices "$work/no-such-file.csv"
assert_fails 2 "takes a SkyPilot catalogue file" --import-prices
assert_fails 2 "is not a date" --import-prices "$work/acme/vms.csv" acme yesterday
assert_fails 2 "a profile has one format" --import-prices "$work/acme/vms.csv" -f json


# --import-model: a profile that reads back as the same model, with source, hash and date
config=${srcdir:-.}/tests/fixtures/models/config
mkdir -p "$work/mine/models"
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
assert_fails 2 "takes a model's folder" --import-model
assert_fails 3 "no such file" --import-model acme/none

finish
