#!/bin/sh
# import_prices.sh - tools/import_prices.py: a SkyPilot catalogue becomes a profile that wins; what
# is kept, what is refused, and where it says so.

. "${srcdir:-.}/tests/cli/lib.sh"

command -v python3 >/dev/null 2>&1 || skip "no python3"

# import ARGUMENT...: one run of the script, as run.
import() {
    PYTHONDONTWRITEBYTECODE=1 python3 "$src/tools/import_prices.py" "$@" \
        >"$work/out" 2>"$work/err" </dev/null
    rc=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
    last="import_prices.py $*"
}

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

import "$work/acme/vms.csv" 2026-11-01
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

# the profile is read back and wins
mkdir -p "$work/mine/prices"
touch -d '2026-10-05 12:00' "$work/acme/vms.csv"
import "$work/acme/vms.csv"
cp "$work/out" "$work/mine/prices/acme.cfg"
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
import "$work/acme/vms.csv" bobs
cp "$work/out" "$XDG_DATA_HOME/gpuplan/profiles/prices/bobs.cfg"
run --list instances bobs -q
assert_contains "found in the data home" bobs/acme-l40s-1 "$out"

# every form factor of the fixture, told or assumed
fixture=$src/tests/fixtures/vms.csv
import "$fixture" north-cloud 2026-11-21
assert_contains "counts" "# 7 instance types kept of 13 rows." "$out"
assert_contains "two rows are no GPU of the catalogue" "#   among them: TPU-v5e, A10" "$out"
assert_contains "the cheapest of three" 'type = "box-1"; gpu = "l4"; count = 1; vcpus = 8; '\
'ram_gib = 64; on_demand = 0.8; spot = 0.3; region = "south"; note = "cheapest of 3 offers";' "$out"
assert_contains "a spot price alone" 'ram_gib = 128; spot = 2.447;' "$out"
assert_contains "PCIe by GpuInfo" 'type = "big-8"; gpu = "h100-pcie";' "$out"
assert_contains "40 GB" 'type = "old-4"; gpu = "a100-sxm-40";' "$out"
assert_contains "80 GB" 'type = "new-4"; gpu = "a100-sxm-80";' "$out"
assert_eq "three are assumed" 3 "$(grep -c 'assumed = true' "$work/out")"
cp "$work/out" "$work/mine/prices/north-cloud.cfg"
run --list instances north-cloud -q --profiles "$work/mine"
assert_eq "all are read back" 7 "$(printf '%s\n' "$out" | wc -l)"
import "$fixture"
assert_contains "its folder's name" 'provider = "fixtures";' "$out"
import "$fixture" vast
assert_contains "peers' offers" 'kind = "marketplace";' "$out"

# refused TEXT WHERE-AND-WHY: a file of that text, with the header for @.
refused() {
    printf '%b' "$1" | sed 's/^@/InstanceType,AcceleratorName,AcceleratorCount,Price/' >x.csv
    import x.csv
    assert_eq "$1: exit code" 3 "$rc"
    assert_eq "$1: nothing is written" "" "$out"
    assert_contains "$1" "x.csv$2" "$err"
}
cd "$work" || exit 99
refused '' ':1: InstanceType: is not in the header'
refused 'InstanceType,AcceleratorName,Price\n' ':1: AcceleratorCount: is not in the header'
refused '@\na,L4,1,1\nb,L4,1\n' ':3: has 3 fields, but the header has 4'
refused '@\na,L4,1,1,9\n' ':2: has 5 fields, but the header has 4'
for price in cheap -1 nan 0x10 1_0; do
    refused "@\na,L4,1,$price\n" ":2: Price: '$price' is not a number"
done
refused '@\na,L4,1,1e400\n' ":2: Price: '1e400' is too large"
refused '@\na,L4,9999,1\n' ":2: AcceleratorCount: '9999' is too large"
refused '@\n,L4,1,1\n' ":2: InstanceType: '' is empty"
refused '@\n"a\nb",L4,1,1\n' ':2: InstanceType: '
refused '@\na,"L4\n",1,1\nb,L4,1,x\n' ":4: Price: 'x' is not a number"
refused '@\n"a,L4,1,1\n' ':2: '
refused '@\n"a"b,L4,1,1\n' ':2: '
refused '@\na,TPU,1,1\n' ': holds no GPU instance with a price'
refused '@\na,L4,1,1\0000\n' ':1: holds a NUL byte'
refused "@\n$(printf '%064d' 0),L4,1,1\n" ':2: InstanceType: '
refused '@\na\342\200\256,L4,1,1\n' ':2: InstanceType: '

# line ends, order of columns, byte order mark, no end of line at the end
for text in '@\na,L4,1,0.5\n' '@\na,L4,1,0.5' '@\r\na,L4,1,0.5\r\n\r\n' \
    '\357\273\277Price,AcceleratorCount,Extra,AcceleratorName,InstanceType\n0.5,1.0,"x,\ny",l4,a\n'; do
    printf '%b' "$text" |
        sed 's/^@/InstanceType,AcceleratorName,AcceleratorCount,Price/' >x.csv
    import x.csv p
    assert_contains "$text" '{ type = "a"; gpu = "l4"; count = 1; on_demand = 0.5; }' "$out"
done

# quotes and backslashes of a name do not break out of the text they stand in
printf '%s\n' 'InstanceType,AcceleratorName,AcceleratorCount,Price' \
    '"a""; on_demand = 9; \",L4,1,1' >x.csv
import x.csv 'p"q'
assert_contains "the name" 'type = "a\"; on_demand = 9; \\"; gpu' "$out"
assert_contains "the provider" 'provider = "pq";' "$out"
cp "$work/out" "$work/mine/prices/pq.cfg"
run --list instances pq -q --profiles "$work/mine"
assert_eq "reads back" 0 "$rc"

# wrong files and calls
import no-such-file.csv
assert_eq "no file: exit code" 3 "$rc"
assert_contains "no file" "no-such-file" "$err"
import
assert_eq "no argument: exit code" 2 "$rc"
assert_contains "no argument" "takes a SkyPilot catalogue file" "$err"
import "$fixture" acme yesterday
assert_eq "no date: exit code" 2 "$rc"
assert_contains "no date" "yesterday is not a date" "$err"
finish
