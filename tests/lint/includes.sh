#!/bin/sh
# includes.sh - who may include whom.
#
#   base <- measure/point <- model <- catalog <- plan <- logs/read, measure/result
#        <- answer <- logs, pool, measure <- tui <- cli
#   probe: base and what a GPU is (catalog/gpu.h, what plans are asked with)
#   bench: base, measure/point, itself and of probe cpu_topology.h, and nvml.h, which
#   declares the driver's library for both
#
# A subfolder that is named here is a layer of its own: what an engine and a planner both
# know of a point, what is read from files, comes before the answer that needs it.
#
# tui never includes cli, tui/toolkit nothing else of tui; curses only in tui/toolkit;
# libconfig only in catalog; jansson where JSON is read or written; dlfcn.h only in
# probe, bench and cli/allocate. plan does no I/O, asks no clock and reads no environment.

. "${srcdir:-.}/tests/lint/lint.sh"

folders="base model catalog plan probe answer logs pool measure tui cli lib"
below="base measure/point model catalog plan probe logs/read measure/result"

# layer FILE-OR-HEADER (without src/): into $layer.
layer() {
    case $1 in
    measure/point/*) layer=measure/point ;;
    measure/result/*) layer=measure/result ;;
    logs/read/*) layer=logs/read ;;
    *) layer=${1%%/*} ;;
    esac
}

# allowed LAYER: into $allowed, the layers that it may include.
allowed() {
    case $1 in
    base) allowed=base ;;
    measure/point) allowed="base measure/point" ;;
    model) allowed="base measure/point model" ;;
    catalog) allowed="base measure/point model catalog" ;;
    plan) allowed="base measure/point model catalog plan" ;;
    probe) allowed="base measure/point model catalog probe" ;;
    logs/read | measure/result) allowed="base measure/point model catalog plan $1" ;;
    answer) allowed="$below answer" ;;
    logs | pool | measure) allowed="$below answer $1" ;;
    tui) allowed="$below answer logs pool measure tui" ;;
    lib) allowed="$below answer logs measure lib" ;;
    cli) allowed="$below answer logs pool measure tui cli" ;;
    esac
}

# check_layer FILE LAYER INCLUDED
check_layer() {
    case $3 in
    */*) ;;
    *) return ;;
    esac
    case " $folders " in
    *" ${3%%/*} "*) ;;
    *) return ;;
    esac
    allowed "$2"
    layer "$3"
    case " $allowed " in
    *" $layer "*) ;;
    *) problem "$1: includes $3, but $2 may include only: $allowed" ;;
    esac
}

# check_library FILE LAYER INCLUDED
check_library() {
    case $3 in
    curses.h | ncurses.h | ncursesw/* | ncurses/*) only="tui" ;;
    libconfig.h) only="catalog" ;;
    jansson.h)
        only="measure/point model logs/read measure/result answer logs pool measure lib" ;;
    dlfcn.h) only="probe" ;;
    *) return ;;
    esac
    case $1 in
    src/base/json.[ch]) [ "$3" = jansson.h ] && return ;;
    src/cli/allocate.c) [ "$3" = dlfcn.h ] && return ;;
    esac
    case " $only " in
    *" $2 "*) ;;
    *) problem "$1: includes $3, which belongs in: $only" ;;
    esac
}

# check_toolkit FILE INCLUDED
check_toolkit() {
    case $2 in
    tui/toolkit/* | base/* | answer/plot.h) ;;
    */*.h) [ ! -f "src/$2" ] || problem "$1: the toolkit includes $2" ;;
    esac
}

# check_bench FILE INCLUDED
check_bench() {
    case $2 in
    measure/point/* | probe/cpu_topology.h | probe/nvml.h) ;;
    model/* | catalog/* | plan/* | probe/* | answer/* | logs/* | pool/* | measure/* | \
        cli/* | tui/*)
        problem "$1: bench may not include $2" ;;
    esac
}

# One pass: "FILE INCLUDED" for each include, without quotes or brackets.
# shellcheck disable=SC2046 # names without blanks, one per word
pairs=$(awk '/^[ \t]*#[ \t]*include[ \t]*["<]/ {
        sub(/^[^"<]*["<]/, ""); sub(/[">].*/, ""); print FILENAME, $0
    }' $(find_files src '*.[ch]'; find_files bench '*.[ch]'))
[ -n "$pairs" ] || problem "no includes are found"
while read -r file included; do
    case $file in
    bench/*)
        check_bench "$file" "$included"
        continue ;;
    src/tui/toolkit/*) check_toolkit "$file" "$included" ;;
    esac
    name=${file#src/}
    case " $folders " in
    *" ${name%%/*} "*) ;;
    *) continue ;;
    esac
    layer "$name"
    home=$layer
    check_layer "$file" "$home" "$included"
    check_library "$file" "$home" "$included"
    [ "$included" != config.h ] || problem "$file: includes config.h"
    [ "$layer $included" != "core base/json.h" ] || problem "$file: core includes base/json.h"
done <<END
$pairs
END

# calls NAMES FILE...: where one of NAMES is called. Comments are prose: what is between /*
# and */ is dropped first.
calls() {
    names=$1
    shift
    awk -v names="(^|[^A-Za-z0-9_])($names)[ \t]*\\\\(" '
        FNR == 1 { prose = 0 }
        { gsub(/\/\*([^*]|\*+[^*\/])*\*+\//, "") }
        prose { if (!/\*\//) next; sub(/.*\*\//, ""); prose = 0 }
        /\/\*/ { sub(/\/\*.*/, ""); prose = 1 }
        $0 ~ names { print FILENAME ":" FNR ": " $0 }' "$@"
}

plan=$(find_files src/plan '*.[ch]')
# shellcheck disable=SC2086 # names without blanks, one per word
found=$(calls 'fopen|open|printf|fprintf|puts|fputs|putchar|system|popen|time|clock|clock_gettime|gettimeofday|getenv|exit|abort' $plan)
[ -z "$found" ] || problem "plan does no I/O and asks no clock:
$found"

# Words are made in answer: plan answers in codes and numbers.
# shellcheck disable=SC2086
found=$(calls 'gp_format|strbuf_[a-z]+|v?s?n?printf|units_[a-z]+' $plan)
[ -z "$found" ] || problem "plan composes no text:
$found"

finish
