#!/bin/bash
# data.sh - gpuplan --data: the profiles of a day as one file; checked, installed for the user or
# the system as a whole, and what is older, broken or somebody else's leaves all as it was.
. "${srcdir:-.}/tests/cli/lib.sh"

tar --version 2>/dev/null | grep -q GNU || skip "make data needs GNU tar"
command -v sha256sum >/dev/null || skip "no sha256sum"
: >"$work/none" # no compiled profiles
GPUPLAN_DATA=$work/system
export GPUPLAN_DATA

# bundle DATE: $work/DATE.tar of the test catalogue, whose L4 then is called L4 of DATE.
bundle() {
    rm -rf "$work/tree"
    cp -R "$src/tests/fixtures/catalogue" "$work/tree"
    chmod -R u+w "$work/tree"
    printf 'format = %s;\ndate = "%s";\n' "${2:-1}" "$1" >"$work/tree/data.cfg"
    sed -i "s/^name = .*/name = \"L4 of $1\";/" "$work/tree/gpus/l4.cfg"
    mv "$("$src/tools/bundle.sh" "$work/tree" "$work/none" "$work/made")" "$work/$1.tar"
}

date_in_use() {
    run --data
    echo "$out"
}

date_in_use >/dev/null
assert_true "the shipped data have a day" grep -qEx '20[0-9]{2}-[01][0-9]-[0-3][0-9]' "$work/out"
newest=$(sed -n 's/.*date = "\(20[0-9-]*\)".*/\1/p' "$src"/profiles/prices/*.cfg | sort | tail -n 1)
assert_true "no price is newer: profiles/data.cfg" \
    [ "$(printf '%s\n' "$out" "$newest" | sort | tail -n 1)" = "$out" ]
bundle 2097-01-31
run --data "$work/2097-01-31.tar"
assert_eq "installed" 0 "$rc"
assert_eq "says so" "data of 2097-01-31 installed in $XDG_DATA_HOME/gpuplan/data" "$out"
assert_eq "in use" 2097-01-31 "$(date_in_use)"
run --version
assert_contains "--version names it" ", data of 2097-01-31, prices" "$out"
run --list gpus
assert_contains "planned by" "L4 of 2097-01-31" "$out"
run --plan -m llama-3.1-8b -g l4
assert_contains "an answer names it" "sources: data 2097-01-31, model" "$out"
run --plan -m llama-3.1-8b -g l4 --format json
if have_json; then assert_eq "JSON" 2097-01-31 "$(json data)"; fi
run --data "$work/2097-01-31.tar"
assert_eq "once more" "data of 2097-01-31 are in use already" "$out"

# as it would be after an upgrade of the program, or with the system's
bundle 2097-02-01
run --data --system "$work/2097-02-01.tar"
assert_eq "for the system" "data of 2097-02-01 installed in $work/system" "$out"
assert_eq "the newest is in use" 2097-02-01 "$(date_in_use)"
rm -rf "$work/system"
assert_eq "the user's again" 2097-01-31 "$(date_in_use)"

# refused, and nothing has changed
state() {
    find "$XDG_DATA_HOME/gpuplan" | LC_ALL=C sort | cksum
}
before=$(state)
refuse() {
    assert_fails "$1" "$2" --data "$3"
    assert_eq "$2: the same in use" 2097-01-31 "$(date_in_use)"
    assert_eq "$2: nothing left behind" "$before" "$(state)"
}
bundle 2096-12-31
refuse 2 "older than what is in use" "$work/2096-12-31.tar"
bundle 2098-01-01 2
refuse 3 "data of format 2 need a newer gpuplan" "$work/2098-01-01.tar"
bundle 2098-01-01
cp "$work/2098-01-01.tar" "$work/good.tar"
size=$(wc -c <"$work/good.tar")
for part in 0 511 512 4000 $((size / 2)) $((size - 20000)); do
    head -c "$part" "$work/good.tar" >"$work/cut.tar"
    refuse 3 "" "$work/cut.tar"
done
LC_ALL=C sed 's/memory_gib/memory_gip/' "$work/good.tar" >"$work/edited.tar"
refuse 3 "is not what the manifest says" "$work/edited.tar"
echo 'memory_gib = "a lot";' >>"$work/tree/gpus/l4.cfg"
mv "$("$src/tools/bundle.sh" "$work/tree" "$work/none" "$work/made")" "$work/wrong.tar"
refuse 3 "profiles/gpus/l4.cfg:" "$work/wrong.tar"
refuse 3 "not a tar archive" "$src/README.md"
refuse 3 "cannot open" "$work/nowhere.tar"

# what others pack by hand
cd "$work/made" || exit 99
mkdir -p profiles
echo x >profiles/x.cfg
ln -s /etc/passwd profiles/link
for list in profiles profiles/link profiles/x.cfg ../made/profiles/x.cfg; do
    tar --format=ustar -P -cf "$work/strange.tar" "$list"
    refuse 3 "strange.tar: " "$work/strange.tar"
done
cd - >/dev/null || exit 99

if command -v xz >/dev/null; then
    xz -k "$work/good.tar"
    head -c 9000 "$work/good.tar.xz" >"$work/cut.xz"
    refuse 3 "xz cannot unpack it" "$work/cut.xz"
    run --data "$work/good.tar.xz"
    assert_contains "packed" "data of 2098-01-01 installed" "$out"
    assert_eq "the day before stays, nothing else" "2097-01-31 2098-01-01 current" \
        "$(cd "$XDG_DATA_HOME/gpuplan/data" && echo *)"
fi
if [ "$(id -u)" -ne 0 ]; then
    mkdir -m 500 "$work/locked"
    GPUPLAN_DATA=$work/locked/data
    bundle 2099-01-01
    assert_fails 3 "cannot be written" --data --system "$work/2099-01-01.tar"
fi
assert_fails 2 "at most one file" --data a b
finish
