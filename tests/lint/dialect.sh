#!/bin/sh
# dialect.sh - one way of writing where C leaves several.
#
#   * a static function's name says its object: points_check, not check
#   * a status is called rc
#   * a blank line follows the declarations that a block begins with
#
# Declarations are told by their first word: C's types, struct, enum and union, names that
# end in _t, and the few others below.

. "${srcdir:-.}/tests/lint/lint.sh"

files=$(find_files src '*.[ch]'; find_files bench '*.[ch]')
[ -n "$files" ] || skip "no sources here"

# shellcheck disable=SC2086 # names without blanks, one per word
found=$(awk '
    function report(what) { print FILENAME ":" FNR ": " what }
    function ends() { return /;$/ || /; *\/\*.*\*\/$/ }
    # Does the line begin a declaration?
    function declares(line, word) {
        sub(/^ */, "", line)
        sub(/^(static |const |volatile |register )*/, "", line)
        word = line
        sub(/[^A-Za-z0-9_].*/, "", word)
        return line ~ /^[A-Za-z0-9_]+( [*A-Za-z({]|\(\*)/ &&
               (word ~ /_t$/ || index(" struct enum union unsigned signed char short int long " \
                "float double bool void FILE DIR va_list Dl_info vector ", " " word " ") > 0)
    }
    FNR == 1 { begin = declared = inside = 0 }

    /^static [a-z].*[ *][a-z0-9]+\([^()]*$/ || /^static [a-z].*[ *][a-z0-9]+\(.*\)$/ {
        name = $0
        sub(/\(.*/, "", name)
        sub(/.*[ *]/, "", name)
        if (name !~ /_/ && name != "") report("a static function of one word: " name)
    }
    /enum gp_status status( =|,|;$|\))/ { report("a status that is not called rc") }

    # begin: nothing but declarations so far in this block; inside: one of them goes on
    inside { inside = !ends() || (members && !/^ *}/); next }
    begin && declares($0) { declared = 1; inside = !ends(); members = /{$/ && !/= {$/; next }
    begin && !/^ *(\/\*|\*)/ {
        if (declared && !/^$/ && !/^#/ && !/^ *}/) report("no blank line after declarations")
        begin = declared = 0
    }
    /{$/ && !/= {$/ && !/switch \(/ && (/^{$/ || /^ .*[)e] {$/ || /do {$/) { begin = 1 }
' $files)
[ -z "$found" ] || problem "$found"

finish
