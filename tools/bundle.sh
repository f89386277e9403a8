#!/bin/sh
# bundle.sh PROFILES COMPILED DIR - writes DIR/gpuplan-data-DATE.tar, where there is an xz also
# packed with its checksum, and prints the tar's name: the profiles of a source tree as `gpuplan --data` installs them.
#
#   MANIFEST               the SHA-256 of every other file, as sha256sum -c reads it
#   profiles/...           what is planned by; profiles/data.cfg has the format and the date
#   profiles.compiled      the same parsed, for programs of this processor's order of bytes
#
# The same profiles give the same bytes, whoever packs them and when.
set -eu
profiles=$1 compiled=$2 to=$3
date=$(sed -n 's/^date *= *"\(.*\)";.*/\1/p' "$profiles/data.cfg")
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuplan-data.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM
LC_ALL=C
export LC_ALL

(cd "$profiles" && find . -name '*.cfg' -o -name '*.tmpl') | sort | sed 's|^\./||' |
    while IFS= read -r file; do
        mkdir -p "$work/profiles/$(dirname "$file")"
        cp "$profiles/$file" "$work/profiles/$file"
    done
cp "$compiled" "$work/profiles.compiled"
cd "$work"
find profiles profiles.compiled -type f | sort | xargs sha256sum >MANIFEST
find MANIFEST profiles profiles.compiled -type f | sort >.names
chmod -R u=rwX,go=rX .
tar --format=ustar --owner=0 --group=0 --numeric-owner --mtime="$date 00:00Z" \
    --no-recursion -T .names -cf ".tar"
cd - >/dev/null
mkdir -p "$to"
name=$to/gpuplan-data-$date.tar
mv "$work/.tar" "$name"
if command -v xz >/dev/null; then
    xz -9 -T1 -k -f "$name"
    (cd "$to" && sha256sum "gpuplan-data-$date.tar.xz" >"gpuplan-data-$date.tar.xz.sha256")
fi
echo "$name"
