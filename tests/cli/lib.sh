# lib.sh - what the command-line tests share; sourced, never run.
#
#   . "${srcdir:-.}/tests/cli/lib.sh"
#   run --list gpus                     # $out, $err and $rc of one call
#   assert_eq "exit code" 0 "$rc"
#   assert_contains "a row" h100-sxm "$out"
#   if have_json; then assert_eq "id" a10 "$(json items.0.id)"; fi
#   finish
#
# Every assertion that fails is printed; finish exits 1 when one did. The user's own
# profiles, terminal and clock settings are kept out, and so is the machine: the program
# sees the processors of tests/fixtures/host and no GPU, until a test says this_host.
# $work is a folder of this test's own, removed at the end.

set -u
gp=${GPUPLAN:-./gpuplan}
case $gp in
/*) ;;
*) gp=$PWD/$gp ;;
esac
# shellcheck disable=SC2034 # for the tests
src=$(cd "${srcdir:-.}" && pwd)
TZ=UTC LC_ALL=C NO_COLOR=1
COLUMNS=0 # lines as they are, so that a sentence can be looked for
export TZ LC_ALL NO_COLOR COLUMNS
unset GPUPLAN_PROFILES

# test_host: two cores, 16 GiB, no GPU. this_host: the machine that runs the test, for
# what is measured on it. tests/lint/host.sh checks that no test does without.
test_host() {
    GPUPLAN_PROC=$src/tests/fixtures/host/proc GPUPLAN_SYSFS=$src/tests/fixtures/host/sys
    GPUPLAN_NVML=/nonexistent
    export GPUPLAN_PROC GPUPLAN_SYSFS GPUPLAN_NVML
}

this_host() {
    unset GPUPLAN_PROC GPUPLAN_SYSFS GPUPLAN_NVML
}

# frozen_catalogue: from now on the program reads tests/fixtures/catalogue, where no price
# and no constant changes. It takes the profiles beside it, so it and the engines beside it
# are linked into a folder with that one (a symbolic link would lead back to the build).
# shipped_catalogue: profiles/ again.
frozen_catalogue() {
    mkdir "$work/program" || exit 99
    for file in "$shipped_gp" "${shipped_gp%/*}"/gpuplan-bench-*; do
        [ -f "$file" ] || continue
        ln "$file" "$work/program/" 2>/dev/null || cp "$file" "$work/program/" || exit 99
    done
    ln -s "$src/tests/fixtures/catalogue" "$work/program/profiles"
    gp=$work/program/${shipped_gp##*/}
}

shipped_catalogue() {
    gp=$shipped_gp
}

test_host
shipped_gp=$gp
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuplan-test.XXXXXX") || exit 99
XDG_DATA_HOME=$work/data-home XDG_STATE_HOME=$work/state-home
GPUPLAN_DATA=$work/system-data
export XDG_DATA_HOME XDG_STATE_HOME GPUPLAN_DATA
trap 'rm -rf "$work"' EXIT
trap 'exit 130' INT TERM

checks=0 failures=0 out='' err='' rc=0

skip() {
    echo "skipped: $*"
    exit 77
}

# run ARGUMENT...: one call of the program.
run() {
    "$gp" "$@" >"$work/out" 2>"$work/err" </dev/null
    rc=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
    last="gpuplan $*"
}

fail() {
    failures=$((failures + 1))
    echo "FAILED: $1"
    shift
    printf '    %s\n' "$@" "after: ${last:-}" "stderr: $err"
}

# assert_eq WHAT WANTED GOT
assert_eq() {
    [ "$3" != "no JSON" ] || have_json || return 0
    checks=$((checks + 1))
    [ "$2" = "$3" ] || fail "$1" "wanted: $2" "got:    $3"
}

# assert_contains WHAT PART TEXT / assert_lacks WHAT PART TEXT
assert_contains() {
    [ "$3" != "no JSON" ] || have_json || return 0
    checks=$((checks + 1))
    case $3 in
    *"$2"*) ;;
    *) fail "$1" "wanted in it: $2" "got: $(printf '%s' "$3" | head -n 5)" ;;
    esac
}

assert_lacks() {
    checks=$((checks + 1))
    case $3 in
    *"$2"*) fail "$1" "not wanted in it: $2" ;;
    esac
}

# assert_true WHAT COMMAND...
assert_true() {
    what=$1
    shift
    checks=$((checks + 1))
    "$@" || fail "$what" "not true: $*"
}

# assert_fails CODE PART ARGUMENT...: the call exits CODE, says PART, prints nothing.
assert_fails() {
    code=$1 part=$2
    shift 2
    run "$@"
    assert_eq "exit code of $*" "$code" "$rc"
    assert_contains "message of $*" "$part" "$err"
    assert_eq "standard output of $*" "" "$out"
    assert_eq "lines of message of $*" 1 "$(wc -l <"$work/err" | tr -d ' ')"
}

# ---- JSON, re-read by a parser that is not ours -----------------------------------------

have_json() {
    command -v jq >/dev/null 2>&1 || command -v python3 >/dev/null 2>&1 || {
        [ -n "${json_told:-}" ] || echo "note: neither jq nor python3: JSON not re-read"
        json_told=1
        return 1
    }
}

# json PATH...: the values in $work/out at paths like items.0.id, one a line; a last "#"
# gives a length. Prints "no JSON" when the output is none.
json() {
    if command -v jq >/dev/null 2>&1; then
        jq -r --arg p "$*" '. as $all | ($p | split(" "))[] |
            reduce split(".")[] as $k ($all;
                if $k == "#" then length
                elif type == "array" then .[$k | tonumber]
                else .[$k] end)' "$work/out" 2>/dev/null || echo "no JSON"
    else
        python3 - "$work/out" "$@" <<'PY' 2>/dev/null || echo "no JSON"
import json, sys
all = json.load(open(sys.argv[1]))
for path in sys.argv[2:]:
    v = all
    for k in path.split('.'):
        v = len(v) if k == '#' else v[int(k)] if isinstance(v, list) else v.get(k)
    print(v if isinstance(v, str) else json.dumps(v))
PY
    fi
}

finish() {
    echo "$checks checks, $failures failed"
    [ "$checks" -gt 0 ] || exit 99
    [ "$failures" -eq 0 ]
    exit
}
