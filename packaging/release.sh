#!/bin/sh
# release.sh VERSION SRCDIR DIR URL - fills in the recipes in DIR, writes what the static planner
# is made of (gpuplan-VERSION.spdx.json, SPDX 2.3) and the SHA-256 of every artefact.
set -eu
version=$1 src=$2 dir=$3 url=$4
sum=$(sha256sum "$dir/gpuplan-$version.tar.gz" | cut -d ' ' -f 1)
for recipe in "$src"/packaging/*/*.in; do
    name=${recipe##*/packaging/}
    sed -e "s|@VERSION@|$version|g; s|@URL@|$url|g; s|@SHA256@|$sum|g" "$recipe" \
        >"$dir/$(echo "${name%.in}" | tr / -)"
done

# part NAME VERSION LICENCE: a package of the SBOM
part() {
    printf '%s{"SPDXID": "SPDXRef-%s", "name": "%s", "versionInfo": "%s",\n' "$comma" "$1" "$1" "$2"
    printf '     "downloadLocation": "NOASSERTION", "licenseConcluded": "%s"}' "$3"
    comma=',
    '
}
comma=
{
    printf '{"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",\n'
    printf ' "name": "gpuplan-%s", "documentNamespace": "%s/gpuplan-%s",\n' "$version" "$url" "$version"
    printf ' "creationInfo": {"created": "%s", "creators": ["Tool: gpuplan make release"]},\n' \
        "$(date -u +%Y-%m-%dT%H:%M:%SZ)"
    printf ' "packages": [\n    '
    part gpuplan "$version" MIT
    part libconfig "$(pkg-config --modversion libconfig)" LGPL-2.1-or-later
    part jansson "$(pkg-config --modversion jansson)" MIT
    part ncurses "$(pkg-config --modversion ncursesw)" X11-distribute-modifications-variant
    part glibc "$(getconf GNU_LIBC_VERSION | cut -d ' ' -f 2)" LGPL-2.1-or-later
    printf '],\n "relationships": [\n    '
    comma=
    for name in libconfig jansson ncurses glibc; do
        printf '%s{"spdxElementId": "SPDXRef-gpuplan", "relationshipType": "STATIC_LINK",\n' "$comma"
        printf '     "relatedSpdxElement": "SPDXRef-%s"}' "$name"
        comma=',
    '
    done
    printf ']}\n'
} >"$dir/gpuplan-$version.spdx.json"
cd "$dir"
rm -f SHA256SUMS
find . -type f ! -name SHA256SUMS | sed 's|^\./||' | LC_ALL=C sort | xargs sha256sum >SHA256SUMS
cat SHA256SUMS
