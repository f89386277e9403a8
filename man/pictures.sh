#!/usr/bin/env bash
# pictures.sh - make pictures: gpuplan on real terminals (tmux), drawn into man/pictures.
#
#   GPUPLAN=./gpuplan STANDIN_ENGINE=tests/fixtures/standin_engine bash man/pictures.sh FOLDER
#
# ONLY=bench draws those whose names begin so. The day, the user's settings and the devices
# (none) are fixed, and only what is computed
# from the catalogue is shown, so that the same tree draws the same pictures.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
to=$(mkdir -p "$1" && cd "$1" && pwd)
gp=${GPUPLAN:-./gpuplan}
case $gp in
/*) ;;
*) gp=$PWD/$gp ;;
esac
engine=${STANDIN_ENGINE:-tests/fixtures/standin_engine}
[ -x "$engine" ] || { echo "pictures.sh: no $engine" >&2; exit 1; }
command -v tmux >/dev/null || { echo "pictures.sh: tmux is not installed" >&2; exit 1; }
work=$(mktemp -d "${TMPDIR:-/tmp}/gpuplan-pictures.XXXXXX")
socket=gpuplan-pictures-$$

tm() {
    LC_ALL=C.UTF-8 tmux -L "$socket" "$@"
}
trap 'tm kill-server 2>/dev/null || :; rm -rf "$work"' EXIT

# settled: the screen as it is when it does not change any more.
settled() {
    local before='' now='' same=0
    for ((i = 0; i < 300 && same < 5; i++)); do
        sleep 0.1
        now=$(tm capture-pane -e -p)
        if [ "$now" = "$before" ] && [ -n "${now//[[:space:]]/}" ] &&
            [[ $now != *"solving: "* ]] && [[ $now != *"replaying ..."* ]]; then
            same=$((same + 1))
        else
            same=0
        fi
        before=$now
    done
    tm capture-pane -e -p -N
}

# shot NAME COLUMNS ROWS LIGHT KEYS OPTION...: KEYS as tmux names them, blanks between.
shot() {
    local name=$1 columns=$2 rows=$3 light=$4 keys=$5 command
    shift 5
    case $name in "${ONLY:-}"*) ;; *) return ;; esac
    command="cd $work && env -i PATH='$PATH' HOME='$work' LC_ALL=C.UTF-8 TERM=tmux-256color \
GPUPLAN_NOW=2026-11-21 GPUPLAN_NVML=/nonexistent ${extra:-} '$gp' $*"
    socket=gpuplan-pictures-$$-$name # the server of the picture before may still be leaving
    tm -f /dev/null new-session -d -x "$columns" -y "$rows" "$command"
    tm set-option -g status off
    settled >/dev/null
    for key in $keys; do
        tm send-keys "$key"
        settled >/dev/null
    done
    settled >"$work/screen"
    tm kill-server
    grep -q gpuplan "$work/screen" || grep -q Plan "$work/screen" || {
        echo "pictures.sh: $name: no screen came" >&2
        cat "$work/screen" >&2
        exit 1
    }
    LC_ALL=C awk -v columns="$columns" -v light="$light" -f "$here/picture.awk" \
        "$work/screen" >"$work/$name.svg"
    mv "$work/$name.svg" "$to/$name.svg"
    echo "$to/$name.svg"
}

# A processor that the tests' engine stands for: what Bench shows before a start. Nothing is
# measured.
mkdir "$work/proc" "$work/libexec"
cp "$engine" "$work/libexec/gpuplan-bench-cpu"
for ((i = 0; i < 16; i++)); do
    printf 'processor : %d\nmodel name : Example processor\nphysical id : 0\ncore id : %d\n' \
        "$i" "$i"
    printf 'cpu MHz : 3000.000\nflags : fma avx2\n\n'
done >"$work/proc/cpuinfo"
printf 'MemTotal: 134217728 kB\nMemAvailable: 125829120 kB\n' >"$work/proc/meminfo"
echo '0.10 0.10 0.10 1/200 1000' >"$work/proc/loadavg"
machine="GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/none GPUPLAN_LIBEXEC=libexec \
GPUPLAN_STANDIN_NAME='Example processor' GPUPLAN_STANDIN_DEVICES=1"

load="-m llama-3.1-70b -p int8 -g l40s -u 4 --tpot 40 --ttft 1000"
dark="--color dark --no-mouse"
light="--color light --no-mouse"

# four NAME KEYS OPTION...: in dark, light, mono and ASCII, of 80x24
four() {
    local name=$1-80x24 keys=$2
    shift 2
    extra=$machine
    shot "$name" 80 24 0 "$keys" "$*" "$dark"
    shot "$name-light" 80 24 1 "$keys" "$*" "$light"
    shot "$name-ascii" 80 24 0 "$keys" "$*" --ascii "$dark"
    extra="$machine NO_COLOR=1"
    shot "$name-mono" 80 24 0 "$keys" "$*" --no-mouse
    extra=$machine
}

four plan "" "$load"
four compare 2 "$load"
four curves-speed 3 "$load"
four curves-latency "3 t" "$load"
four curves-memory "3 m" "$load"
four curves-roofline "3 r" "$load"
four bench 4 "$load"
four confirm 4 -m llama-3.2-1b -g cpu -c 2048
four pool ":pool Space mixed-sizes Enter"
shot plan-120x36 120 36 0 "" "$load $dark"
shot plan-200x60 200 60 0 "" "$load $dark"
shot plan-40x12 40 12 0 "" "$load $dark"
shot compare-120x36 120 36 0 "2" "$load $dark"
shot curves-speed-120x36 120 36 0 "3" "$load $dark"
shot curves-200x60 200 60 0 "3" "$load $dark"
four sizes "2 m" "$load"
four replay t "$load"
shot replay-120x36 120 36 0 t "$load $dark"
shot replay-200x60 200 60 0 t "$load $dark"
shot bench-120x36 120 36 0 "4" "$load $dark"
shot pool-120x36 120 36 0 ":pool Space mixed-sizes Enter" "$dark"
