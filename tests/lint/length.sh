#!/bin/sh
# length.sh - no .c file of the program over 2000 lines, no line over 100 columns.
#
# Functions are measured from their opening brace in column one to the closing one, as
# the style has them. Their summary (median, 95th percentile, longest) is a report: a
# function is as long as its one thought.

. "${srcdir:-.}/tests/lint/lint.sh"

FILE_MAX=2000
COLUMNS_MAX=100

files=$(find_files src '*.[ch]'; find_files bench '*.[ch]'; find_files tests '*.[ch]')
[ -n "$files" ] || skip "no sources here"

# shellcheck disable=SC2086 # names without blanks, one per word
lengths=$(awk '
    FNR == 1 { start = 0 }
    /^[A-Za-z_].*\(/ { name = $0; sub(/\(.*/, "", name); sub(/.*[ *]/, "", name) }
    /^{/ { start = FNR }
    /^}/ && start && $0 == "}" { print FNR - start + 1, FILENAME ":" start ":", name; start = 0 }
' $files | sort -n)

count=$(echo "$lengths" | wc -l)
echo "functions: $count" \
    "median $(echo "$lengths" | sed -n "$(((count + 1) / 2))p" | cut -d' ' -f1)" \
    "p95 $(echo "$lengths" | sed -n "$(((count * 95 + 99) / 100))p" | cut -d' ' -f1)" \
    "longest $(echo "$lengths" | tail -n 1)"

for file in $files; do
    case $file in
    src/*.c | bench/*.c)
        lines=$(wc -l <"$file")
        [ "$lines" -le $FILE_MAX ] || problem "$file: $lines lines, over $FILE_MAX" ;;
    esac
done

# over COLUMNS: where lines are longer.
over() {
    # shellcheck disable=SC2086
    LC_ALL=C.UTF-8 awk -v max="$1" 'length($0) > max { print FILENAME ":" FNR }' $files
}

wide=$(over $COLUMNS_MAX)
[ -z "$wide" ] || problem "lines over $COLUMNS_MAX columns:
$wide"

finish
