# shellcheck shell=bash
# lib.sh - scripted screens (src/tui/script.c) as tests; sourced, never run.
#
#   . "${srcdir:-.}/tests/script/lib.sh"
#   screen "undo" -m 70B -g l40s <<'KEYS'      # runs the script; $out is what it dumped
#   :users 16
#   u
#   :dump -
#   KEYS
#   expect <<'END'                             # the whole of it (only 2,6: these rows) ...
#   ...
#   END
#   shows "1 at once"                          # ... or a part; lacks: not in it
#   finish
#
# UPDATE=1 rewrites the here-documents of expect in the test itself: look at the
# difference before you keep it. Blanks at the ends of lines do not count.
#
# The day, the locale, the machine (test_host), the catalogue (tests/fixtures/catalogue) and
# the user's settings are fixed; the current folder is $work.

. "${srcdir:-.}/tests/cli/lib.sh"

test_file=$(cd "$(dirname "$0")" && pwd)/$(basename "$0")
GPUPLAN_NOW=2026-11-21 LC_ALL=C.UTF-8 TERM=xterm-256color
HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
export GPUPLAN_NOW LC_ALL TERM HOME XDG_CONFIG_HOME XDG_STATE_HOME
unset GPUPLAN_PLAIN COLORFGBG NO_COLOR LINES
trap 'rewrite; rm -rf "$work"' EXIT

frozen_catalogue
cd "$work" || exit 99

# screen NAME [OPTION]... <SCRIPT
screen() {
    last="screen $1"
    shift
    cat >"$work/keys"
    GPUPLAN_SCRIPT=$work/keys "$gp" "$@" >"$work/out" 2>"$work/err" </dev/null
    rc=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
    [ "$rc" -eq 0 ] || fail "exit code $rc of $last"
}

# only ROWS...: these rows of what was dumped ("2,6 22"); a second dump goes on counting.
only() {
    out=$(printf '%s\n' "$out" | sed -n "$(printf '%sp;' "$@")")
}

changed=()

# expect <TEXT: what the last screen dumped, all of it.
expect() {
    local wanted line=${BASH_LINENO[0]}
    wanted=$(sed 's/ *$//')
    checks=$((checks + 1))
    out=$(printf '%s\n' "$out" | sed 's/ *$//')
    [ "$wanted" = "$out" ] && return
    if [ -n "${UPDATE:-}" ]; then
        printf '%s\n' "$out" >"$work/new.$line"
        changed+=("$line")
        return
    fi
    failures=$((failures + 1))
    echo "FAILED: line $line, $last: < wanted, > got"
    diff <(printf '%s\n' "$wanted") <(printf '%s\n' "$out")
    [ -z "$err" ] || printf '    stderr: %s\n' "$err"
}

shows() {
    assert_contains "$last, line ${BASH_LINENO[0]}" "$1" "$out"
}

lacks() {
    assert_lacks "$last, line ${BASH_LINENO[0]}" "$1" "$out"
}

# The new here-documents into the test, from the last to the first.
rewrite() {
    local i
    [ "${#changed[@]}" -gt 0 ] || return 0
    cp "$test_file" "$work/test" || return 1
    for ((i = ${#changed[@]} - 1; i >= 0; i--)); do
        awk -v at="${changed[i]}" -v new="$work/new.${changed[i]}" '
            NR == at { print; while ((getline text < new) > 0) print text; old = 1; next }
            old && $0 == "END" { old = 0 }
            !old' "$work/test" >"$work/test.next" && mv "$work/test.next" "$work/test"
    done
    cat "$work/test" >"$test_file.new" && chmod --reference="$test_file" "$test_file.new" &&
        mv "$test_file.new" "$test_file"
    echo "rewritten: ${#changed[@]} in $test_file"
}

# A pool of one workload.
lab_pool() {
    cat <<'END'
name = "lab";
gpus = ( { gpu = "h100-pcie"; stock = 2; price = 25000.0; rent = 2.0; } );
chassis = ( { name = "A"; slots = 4; } );
workloads = ( { name = "chat"; model = "llama-3.1-8b"; precision = "fp8"; tpot_ms = 30;
                demand = { shape = "evening"; peak = 20.0; }; } );
END
}
