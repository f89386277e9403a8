# lint.sh - what the lint tests share; sourced, never run.
#
# find_files FOLDER PATTERN...: the project's own files below a folder, by name, without
# what a build leaves there. Paths are relative to the top source directory, which is
# where a lint runs.

set -u
cd "${srcdir:-.}" || exit 99

problems=0

problem() {
    echo "$*"
    problems=$((problems + 1))
}

skip() {
    echo "skipped: $*"
    exit 77
}

find_files() {
    folder=$1
    shift
    [ -d "$folder" ] || return 0
    for pattern in "$@"; do
        find "$folder" -name "$pattern" -type f ! -path '*/.deps/*'
    done | LC_ALL=C sort
}

finish() {
    if [ "$problems" -gt 0 ]; then
        echo "$problems problems"
        exit 1
    fi
    exit 0
}
