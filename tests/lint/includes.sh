#!/bin/sh
# includes.sh - who may include whom.
#
#   util <- point <- core <- checkpoint, catalog, probe, result <- request <- output
#        <- run <- tui <- cli;  bench: util, point, itself and of probe
#        cpu_topology.h, and nvml.h, which declares the driver's library for both
#
# tui never includes cli, tui/toolkit nothing else of tui; curses only in tui/toolkit;
# libconfig only in catalog; jansson where JSON is read or written; dlfcn.h only in
# probe, bench, cli/allocate and request/pool_highs, which opens another solver. core does
# no I/O, asks no clock and reads no environment.

. "${srcdir:-.}/tests/lint/lint.sh"

folders="util point core checkpoint catalog probe result request output run tui cli"

# allowed FOLDER: into $allowed, the folders that it may include.
allowed() {
    case $1 in
    util) allowed=util ;;
    point) allowed="util point" ;;
    core) allowed="util point core" ;;
    checkpoint | catalog | probe | result) allowed="util point core $1" ;;
    request) allowed="util point core checkpoint catalog probe result request" ;;
    output) allowed="util point core checkpoint catalog probe result request output" ;;
    run) allowed="util point core checkpoint catalog probe result request output run" ;;
    tui) allowed="util point core checkpoint catalog probe result request output run tui" ;;
    cli) allowed=$folders ;;
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
    case " $allowed " in
    *" ${3%%/*} "*) ;;
    *) problem "$1: includes $3, but $2 may include only: $allowed" ;;
    esac
}

# check_library FILE LAYER INCLUDED
check_library() {
    case $3 in
    curses.h | ncurses.h | ncursesw/* | ncurses/*) only="tui" ;;
    libconfig.h) only="catalog" ;;
    jansson.h) only="point checkpoint request output result run" ;;
    dlfcn.h) only="probe" ;;
    *) return ;;
    esac
    case $1 in
    src/util/json.[ch]) [ "$3" = jansson.h ] && return ;;
    src/cli/allocate.c | src/request/pool_highs.c) [ "$3" = dlfcn.h ] && return ;;
    esac
    case " $only " in
    *" $2 "*) ;;
    *) problem "$1: includes $3, which belongs in: $only" ;;
    esac
}

# check_toolkit FILE INCLUDED
check_toolkit() {
    case $2 in
    tui/toolkit/* | util/* | output/plot.h) ;;
    */*.h) [ ! -f "src/$2" ] || problem "$1: the toolkit includes $2" ;;
    esac
}

# check_bench FILE INCLUDED
check_bench() {
    case $2 in
    point/* | probe/cpu_topology.h | probe/nvml.h) ;;
    core/* | checkpoint/* | catalog/* | probe/* | request/* | output/* | result/* | run/* | \
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
    layer=${file#src/}
    layer=${layer%%/*}
    case " $folders " in
    *" $layer "*) ;;
    *) continue ;;
    esac
    check_layer "$file" "$layer" "$included"
    check_library "$file" "$layer" "$included"
    [ "$included" != config.h ] || problem "$file: includes config.h"
    [ "$layer $included" != "core util/json.h" ] || problem "$file: core includes util/json.h"
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

core=$(find_files src/core '*.[ch]')
# shellcheck disable=SC2086 # names without blanks, one per word
found=$(calls 'fopen|open|printf|fprintf|puts|fputs|putchar|system|popen|time|clock|clock_gettime|gettimeofday|getenv|exit|abort' $core)
[ -z "$found" ] || problem "core does no I/O and asks no clock:
$found"

# Words are made in output and request: core answers in codes and numbers. These write
# the names of what they make, not sentences: of GPU slices and generic models, and where
# in a model an error is.
core=$(echo "$core" | grep -vE '/(gpu|model|model_generic)\.c$')
# shellcheck disable=SC2086
found=$(calls 'gp_format|strbuf_[a-z]+|v?s?n?printf|units_[a-z]+' $core)
[ -z "$found" ] || problem "core composes no text:
$found"

finish
