#!/bin/sh
# length.sh - no function over 72 lines, no .c file of the program over 1000, no line
# over 100 columns.
#
# Functions are measured from their opening brace in column one to the closing one, as
# the style has them. The summary (median, 95th percentile, longest; lines over the 88
# columns that the style asks for) is a report.

. "${srcdir:-.}/tests/lint/lint.sh"

FUNCTION_MAX=72
FILE_MAX=1000
COLUMNS_STYLE=88
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

long=$(echo "$lengths" | awk -v max=$FUNCTION_MAX '$1 > max')
[ -z "$long" ] || problem "functions over $FUNCTION_MAX lines:
$long"

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

echo "lines over $COLUMNS_STYLE columns: $(over $COLUMNS_STYLE | wc -l)"
wide=$(over $COLUMNS_MAX)
[ -z "$wide" ] || problem "lines over $COLUMNS_MAX columns:
$wide"

finish
