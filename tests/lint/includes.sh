#!/bin/sh
# includes.sh - who may include whom.
#
#   util <- point <- core <- checkpoint, catalog, probe, result <- request <- output
#        <- run <- tui <- cli;  bench: util, point, itself and of probe
#        cpu_topology.h, and nvml.h, which declares the driver's library for both
#
# tui never includes cli, tui/toolkit nothing else of tui; curses only in tui/toolkit;
# libconfig only in catalog; jansson where JSON is read or written; dlfcn.h only in
# probe, bench, cli/allocate and request/pool_highs, which opens another solver. core does no I/O, asks no clock and reads no
# environment.

. "${srcdir:-.}/tests/lint/lint.sh"

folders="util point core checkpoint catalog probe result request output run tui cli"

# The folders that a folder may include.
allowed() {
    case $1 in
    util) echo util ;;
    point) echo util point ;;
    core) echo util point core ;;
    checkpoint | catalog | probe | result) echo "util point core $1" ;;
    request) echo util point core checkpoint catalog probe result request ;;
    output) echo util point core checkpoint catalog probe result request output ;;
    run) echo util point core checkpoint catalog probe result request output run ;;
    tui) echo util point core checkpoint catalog probe result request output run tui ;;
    cli) echo "$folders" ;;
    esac
}

# includes FILE: what it includes, one per line, without quotes or brackets.
includes() {
    sed -n 's/^[[:space:]]*#[[:space:]]*include[[:space:]]*["<]\([^">]*\)[">].*/\1/p' "$1"
}

# check_layer FILE LAYER INCLUDED
check_layer() {
    case $3 in
    */*) echo " $folders " | grep -q " ${3%%/*} " || return ;;
    *) return ;;
    esac
    for below in $(allowed "$2"); do
        [ "$below" = "${3%%/*}" ] && return
    done
    problem "$1: includes $3, but $2 may include only: $(allowed "$2")"
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
    for place in $only; do
        [ "$place" = "$2" ] && return
    done
    problem "$1: includes $3, which belongs in: $only"
}

for layer in $folders; do
    for file in $(find_files "src/$layer" '*.[ch]'); do
        for included in $(includes "$file"); do
            check_layer "$file" "$layer" "$included"
            check_library "$file" "$layer" "$included"
            [ "$included" = config.h ] && problem "$file: includes config.h"
        done
    done
done

for file in $(find_files src/tui/toolkit '*.[ch]'); do
    for included in $(includes "$file"); do
        case $included in
        tui/toolkit/* | util/* | output/plot.h) ;;
        */*.h) [ -f "src/$included" ] && problem "$file: the toolkit includes $included" ;;
        esac
    done
done

for file in $(find_files src/core '*.[ch]'); do
    # Comments are prose: drop what is between /* and */ before looking for calls.
    calls=$(sed -e 's@/\*.*\*/@@g' -e '/\/\*/,/\*\//d' "$file" |
        grep -nE '\b(fopen|open|printf|fprintf|puts|fputs|putchar|system|popen|time|clock|clock_gettime|gettimeofday|getenv|exit|abort)[[:space:]]*\(')
    [ -z "$calls" ] || problem "$file: core does no I/O and asks no clock: $calls"
    for included in $(includes "$file"); do
        [ "$included" = util/json.h ] && problem "$file: core includes util/json.h"
    done
done

# Words are made in output and request: core answers in codes and numbers. These write
# the names of what they make, not sentences: of GPU slices and generic models, and where
# in a model an error is.
writes_text="gpu model model_generic"
for file in $(find_files src/core '*.[ch]'); do
    name=$(basename "$file" .c)
    echo " $writes_text " | grep -q " $name " && continue
    calls=$(sed -e 's@/\*.*\*/@@g' -e '/\/\*/,/\*\//d' "$file" |
        grep -nE '\b(gp_format|strbuf_[a-z]+|v?s?n?printf|units_[a-z]+)[[:space:]]*\(')
    [ -z "$calls" ] || problem "$file: core composes no text: $calls"
done

for file in $(find_files bench '*.[ch]'); do
    for included in $(includes "$file"); do
        case $included in
        point/* | probe/cpu_topology.h | probe/nvml.h) ;;
        core/* | checkpoint/* | catalog/* | probe/* | request/* | output/* | result/* | \
            run/* | cli/* | tui/*)
            problem "$file: bench may not include $included" ;;
        esac
    done
done

finish
