# shellcheck shell=bash
# lib.sh - gpuplan on a real terminal, tmux's; sourced, never run.
#
#   . "${srcdir:-.}/tests/tui/lib.sh"
#   open 80 24 xterm-256color      # a terminal with a shell in it
#   start -m 70B                   # gpuplan in that shell
#   see "Model"                 # waits until it is there, or fails
#   keys Down Enter                # tmux's names of keys;  type "text"
#   finish
#
# Every terminal has a tmux server of its own. Nothing sleeps for luck: see, gone and
# until_true look again every 20 ms, for a minute at most.

. "${srcdir:-.}/tests/cli/lib.sh"

command -v tmux >/dev/null 2>&1 || skip "tmux is not installed"
case $("$gp" </dev/null 2>&1) in
*"built without terminal screens"*) skip "this gpuplan has no terminal screens" ;;
esac
[ -r /proc/self/stat ] || skip "there is no /proc"

GPUPLAN_NOW=2026-11-21
HOME=$work XDG_CONFIG_HOME=$work/config XDG_STATE_HOME=$work/state
export GPUPLAN_NOW HOME XDG_CONFIG_HOME XDG_STATE_HOME
unset GPUPLAN_PLAIN GPUPLAN_SCRIPT COLORFGBG NO_COLOR LINES TMUX
sockets=() socket=''
trap 'close_all; rm -rf "$work"' EXIT
cd "$work" || exit 99

# What is not seen now will not be later: the first failure ends the test.
fail() {
    echo "FAILED: $1"
    shift
    printf '    %s\n' "$@" "after: ${last:-}"
    exit 1
}

tm() {
    LC_ALL=C.UTF-8 tmux -L "$socket" "$@" 2>>"$work/tmux.log"
}

close_all() {
    for socket in "${sockets[@]}"; do
        tm kill-server
    done
}

# open COLUMNS ROWS TERM [LOCALE]: a terminal with a shell, and its prompt.
open() {
    socket=gpuplan-$$-${#sockets[@]}
    sockets+=("$socket")
    printf '%s\n' "PS1='ready> ' LC_ALL=${4:-C.UTF-8} TERM=$3" \
        "export LC_ALL TERM; unset TMUX TMUX_PANE HISTFILE COLUMNS" >"$work/rc"
    tm -f /dev/null new-session -d -x "$1" -y "$2" "bash --noprofile --rcfile '$work/rc'" ||
        skip "tmux does not start here"
    see "ready>"
}

# start [OPTION]...: gpuplan; its process is $pid.
start() {
    last="gpuplan $*"
    rm -f "$work/pid"
    type "clear; sh -c 'echo \$\$ >$work/pid; exec $gp $*'"
    keys Enter
    until_true test -s "$work/pid" || fail "does not start: $*"
    pid=$(cat "$work/pid")
    see "?:help  q:quit"
}

keys() {
    tm send-keys "$@"
}

type() {
    tm send-keys -l -- "$1"
}

# shellcheck disable=SC2120 # -e is for tests of color
shot() {
    tm capture-pane -p "$@"
}

# until_true COMMAND...: a minute at most.
until_true() {
    local end=$((SECONDS + 60))
    until "$@"; do
        [ "$SECONDS" -lt "$end" ] || return 1
        sleep 0.02
    done
}

has() {
    shot | grep -qF -e "$1"
}

has_not() {
    ! has "$1"
}

see() {
    checks=$((checks + 1))
    until_true has "$1" || fail "not seen, line ${BASH_LINENO[0]}: $1" "$(shot)"
}

gone() {
    checks=$((checks + 1))
    until_true has_not "$1" || fail "still there, line ${BASH_LINENO[0]}: $1" "$(shot)"
}

# Gone, or ended and not yet asked for by its shell, which may take it for stopped.
is_dead() {
    ! kill -0 "$pid" 2>/dev/null || grep -q '^State:.*zombie' "/proc/$pid/status" 2>/dev/null
}

ends() {
    checks=$((checks + 1))
    until_true is_dead || fail "still runs, line ${BASH_LINENO[0]}"
}

# modes FILE: the line's modes, all but its size, asked in the shell.
modes() {
    rm -f "$work/$1"
    type "stty -a | sed 's/rows.*columns [0-9]*;//' >$work/$1.tmp; mv $work/$1.tmp $work/$1"
    keys Enter
    until_true test -s "$work/$1" || fail "no answer from stty, line ${BASH_LINENO[0]}"
}

same_modes() {
    checks=$((checks + 1))
    cmp -s "$work/$1" "$work/$2" ||
        fail "the terminal's modes changed" "$(diff "$work/$1" "$work/$2")"
}
