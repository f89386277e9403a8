#!/bin/sh
# config.sh - every object depends on config.h: when what configure found changes, or a
# flag does, nothing old is linked. And sources take nothing of it that bench/plain.mk, which
# has none, does not give: the names that autoconf makes by itself.

. "${srcdir:-.}/tests/lint/lint.sh"

for file in $(find_files src '*.[ch]'; find_files bench '*.[ch]'); do
    found=$(awk '
        { gsub(/"([^"\\]|\\.)*"/, ""); gsub(/\/\*.*\*\//, ""); sub(/\/\*.*/, "") }
        /^ *\*/ || /^OPTION\(VERSION,/ { next }
        /(^|[^A-Za-z0-9_])(VERSION|PACKAGE|PACKAGE_[A-Z]+)([^A-Za-z0-9_]|$)/ { print FNR }
        ' "$file")
    [ -z "$found" ] || problem "$file:$found: a name of autoconf's; GP_VERSION is in both builds"
done

cd "${top_builddir:-.}" || exit 99
[ -f config.h ] || skip "no config.h: not built by automake"
count=0
for rule in $(sed -n 's/^include \(.*\)\$(DEPDIR)\/\(.*\.Po\) .*/\1.deps\/\2/p' Makefile); do
    grep -q '^# dummy' "$rule" && continue # not compiled
    count=$((count + 1))
    grep -q '[ /]config\.h\( \|$\)' "$rule" ||
        problem "$rule: its object knows no config.h (older than that? make clean)"
done
[ "$count" -gt 0 ] || skip "no dependencies are kept"
echo "objects: $count"

finish
