#!/bin/sh
# man.sh - the man pages name everything the program takes, and nothing else.
#
#   gpuplan(1)          every command and option of the tables in src/ by its name, in 600 lines
#   gpuplan-*(1)        what each of them takes and means; gpuplan-screens(7) those of the screens
#   gpuplan-screens(7)  every action of the screens
#   gpuplan-profile(5)  every key and word that the readers of src/catalog and of
#                       pools read
#
# a reference within a page is to a section that it has, and mandoc finds nothing to warn of. The tables are read from the sources as they are
# written there, so a new row without its paragraph fails here.

set -u
cd "${srcdir:-.}" || exit 99
command -v mandoc >/dev/null 2>&1 || { echo "skipped: mandoc is not installed"; exit 77; }

# the pages of commands are read as one
page1=$(mktemp "${TMPDIR:-/tmp}/gpuplan.1.XXXXXX") || exit 99
trap 'rm -f "$page1"' EXIT
cat man/gpuplan*.1 man/gpuplan-screens.7 >"$page1"
page5=man/gpuplan-profile.5
problems=0

problem() {
    echo "$*"
    problems=$((problems + 1))
}

words() {
    tr -cs 'A-Za-z0-9_.%:-' '\n' | LC_ALL=C sort -u
}

# ---- what mandoc says -----------------------------------------------------------------

for page in man/*.[1-9]; do
    said=$(mandoc -Tlint -Wwarning "$page" 2>&1)
    [ -z "$said" ] || problem "$said"
    sed -n 's/^\.\(.* \)\{0,1\}Sx \(.*[^ ,.;)]\)[ ,.;)]*$/\2/p' "$page" | while read -r section; do
        grep -qxE "\.S[hs] \"?$section\"?" "$page" || echo "$page: no section $section"
    done >"$page1.sections"
    [ -s "$page1.sections" ] && problem "$(cat "$page1.sections")"
    rm -f "$page1.sections"
done

# ---- the keys of the screens: every action of src/tui/action.h by its name --------------

sed -n 's/^    X([A-Z_0-9]*, "\([a-z0-9!-]*\)", .*/\1/p' src/tui/action.h | grep . |
while read -r name; do
    grep -qE "^\.(Ic|It Ic) :?${name%!}(\\\\&!)?( \.)?$" man/gpuplan-screens.7 ||
        echo "gpuplan-screens(7): no action $name"
done >"$page1.actions"
[ -s "$page1.actions" ] && problem "$(cat "$page1.actions")"
rm -f "$page1.actions"

# ---- gpuplan(1) and the pages that it names --------------------------------------------

# The option table, a row per line without its OPTION(ID, .
table() {
    tr -s ' \n' ' ' <src/answer/option_rows.h | sed 's/OPTION( *[A-Z0-9_]*, */\
/g'
}

# "name|key" of each row.
options() {
    table | sed -nE "s/^\.name = \"([a-z0-9-]+)\",( \.key = '(.)',)? (\.type = OPTION_|FLAG|WORD\(|TOKENS|COUNTED).*/\\1|\\3/p"
}

# The choices of one option, as the table writes them: "a|b|c".
choices() {
    table | tr '|' ' ' |
        sed -nE "s/^\.name = \"$1\",.*WORD\(\"[A-Z]+\", *\"([a-z0-9 -]+)\"\).*/\\1/p"
}

listed=$(grep '^\.It Fl' "$page1" | words)
is_listed() {
    echo "$listed" | grep -qxF -e "$1"
}

# The paragraph of one option.
paragraph() {
    awk -v name="-$1" '
        /^\.It / { on = 0; for (i = 2; i <= NF; i++) if ($i == name) on = 1 }
        /^\.El/ { on = 0 }
        on' "$page1"
}

rows=$(options)
named=$(grep -E '^\.(It )?Fl' man/gpuplan.1 | words)
[ "$(wc -l <man/gpuplan.1)" -le 600 ] || problem "gpuplan(1) is longer than 600 lines"
[ "$(echo "$rows" | wc -l)" -eq "$(grep -c '^OPTION(' src/answer/option_rows.h)" ] ||
    problem "cannot read every row of src/answer/option_rows.h"
for row in $rows; do
    name=${row%%|*}
    key=${row#*|}
    key=${key%|}
    is_listed "-$name" || problem "gpuplan(1): no paragraph on --$name"
    echo "$named" | grep -qxF -e "-$name" || problem "gpuplan(1) does not name --$name"
    [ -z "$key" ] || grep -q "^\\.It Fl $key .*Fl -$name" "$page1" ||
        problem "gpuplan(1): --$name is also -$key"
    for choice in $(choices "$name"); do
        paragraph "$name" | words | grep -qxF -e "$choice" ||
            problem "gpuplan(1): --$name takes $choice"
    done
done

commands=$(sed -n 's/^ *\.name = "\([a-z-]*\)",$/\1/p' src/cli/cmd_*.c)
[ -n "$commands" ] || problem "cannot read src/cli/cmd_*.c"
for name in $commands; do
    is_listed "-$name" || problem "gpuplan(1): no paragraph on the command --$name"
done

for name in $(sed -n 's/^\.It Fl/& /p' "$page1" | tr ' ' '\n' | sed -n 's/^-\([a-z]\)/\1/p'); do
    echo "$rows" | grep -q "^$name|" || echo "$commands" | grep -qxF -e "$name" ||
        grep -q "\"--$name\"" src/cli/main.c ||
        problem "gpuplan(1): there is no --$name"
done

# ---- gpuplan-profile(5) ---------------------------------------------------------------

key_sources='src/catalog/engine.c src/catalog/family.c src/catalog/gpu.c src/catalog/*_file.c src/pool/pool_file.c'

# Keys are the first text in a getter's call or stand in a table of the reader.
keys() {
    # shellcheck disable=SC2086 # a pattern
    text=$(cat $key_sources | tr -s ' \n' ' ')
    printf '%s\n' "$text" | sed -E 's/(profile|read)_[a-z_]+\( */\
&/g' | sed -nE 's/^(profile|read)_[a-z_]+\( *[a-z.>-]+, *"([^"]+)".*/\2/p'
    printf '%s\n' "$text" | grep -oE 'FLAG\([a-z0-9_]+' | sed 's/.*(//' | grep -vx name
    printf '%s\n' "$text" | grep -oE '(FITTED|RATE|BITS|BYTES)\("[a-z0-9_]+"' | cut -d'"' -f2
    printf '%s\n' "$text" | grep -oE '\.in = "[a-z0-9_]+"' | cut -d'"' -f2
    sed -n '/layer_fields\[LAYER_FIELDS\] = {/,/^};/p' src/model/model.c |
        grep -oE '(COUNT|COUNT_AS|FLAG)\([a-z0-9_]+|\{"[a-z0-9_]+' | sed 's/.*[("]//'
    grep -oE 'X\([A-Z0-9]+, "[a-z0-9]+", [A-Z0]' src/model/model.h | cut -d'"' -f2
    printf '%s\n' "$text" | grep -oE '\{ *"[a-z0-9_-]+", [&A-Z0-9]' | cut -d'"' -f2
    grep -oE '\[TERM_[A-Z_]+\] = "[a-z_]+"' src/catalog/engine.c | cut -d'"' -f2
    grep -oE '\[MATH_[A-Z0-9]+\] = "[a-z0-9]+"' src/model/format.c | cut -d'"' -f2
    printf '%s\n' "$text" | grep -oE 'const not_held\[\] = \{[^}]*' | grep -oE '"[^"]+"' |
        tr -d '"'
}

known=$(keys | LC_ALL=C sort -u)
[ "$(echo "$known" | wc -l)" -ge 150 ] || problem "cannot read $key_sources"
said=$(grep -E '^\.(It Va|It Cm|Va|Cm) ' "$page5" | words)
for key in $known; do
    echo "$said" | grep -qxF -e "$key" || problem "$page5: no word on $key"
done
for key in $(grep '^\.It Va' "$page5" | sed 's/^\.It Va//' | words); do
    echo "$known" | grep -qxF -e "$key" || problem "$page5: nothing reads $key"
done

[ "$problems" -eq 0 ] || { echo "$problems problems"; exit 1; }
