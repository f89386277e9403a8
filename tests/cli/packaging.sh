#!/bin/bash
# packaging.sh - recipes for other systems name what configure needs, and are whole once filled in.
. "${srcdir:-.}/tests/cli/lib.sh"

[ -d "$src/packaging" ] || skip "no packaging/ here"
version=$(sed -n 's/^AC_INIT(\[gpuplan\], \[\(.*\)\])/\1/p' "$src/configure.ac")
needed=$(sed -n 's/.*PKG_CHECK_MODULES(\[[A-Z]*\], \[\([a-z]*\).*/\1/p' "$src/configure.ac" |
    grep -vx cmocka)
assert_eq "configure needs" "libconfig jansson ncursesw" "$(echo "$needed" | tr "\n" " " | sed "s/ $//")"
for recipe in "$src"/packaging/*/*.in; do
    name=${recipe##*/packaging/}
    for library in libconfig jansson ncurses; do
        assert_true "$name needs $library" grep -q "$library" "$recipe"
    done
    sed -e "s|@VERSION@|$version|g; s|@URL@|https://example.org/gpuplan|g" \
        -e "s|@SHA256@|$(printf %064d 0)|g" "$recipe" >"$work/filled"
    assert_lacks "$name: all places are filled" "@" "$(sed 's/"@"//g' "$work/filled")"
    assert_true "$name: licence" grep -qi "\bmit\b" "$work/filled"
    assert_contains "$name: tries a plan" "--plan" "$(tr -d '\n' <"$work/filled" | tr -d '", ')"
    case $name in
    *PKGBUILD.in) assert_true "$name is a script" bash -n "$work/filled" ;;
    *.rb.in) ! command -v ruby >/dev/null || assert_true "$name is Ruby" ruby -c "$work/filled" ;;
    esac
done

# The wheel, where there is a Python: what its list says of a file is so.
if command -v python3 >/dev/null; then
    printf 'program' >"$work/program"
    echo 'x = 1' >"$work/__init__.py"
    wheel=$(python3 "$src/packaging/wheel.py" "$version" x86_64 "$src/LICENSE" "$work" \
        "$work/program" "$work/__init__.py")
    assert_true "the wheel is as its RECORD says" python3 - "$wheel" <<'PY'
import base64, csv, hashlib, io, sys, zipfile
wheel = zipfile.ZipFile(sys.argv[1])
record = [n for n in wheel.namelist() if n.endswith("/RECORD")][0]
rows = list(csv.reader(io.StringIO(wheel.read(record).decode())))
assert sorted(r[0] for r in rows) == sorted(wheel.namelist())
for name, digest, size in rows:
    if name != record:
        data = wheel.read(name)
        sum = base64.urlsafe_b64encode(hashlib.sha256(data).digest()).decode().rstrip("=")
        assert digest == "sha256=" + sum and int(size) == len(data), name
PY
fi
finish
