#!/bin/bash
# explain.sh - what is said of each field, curve and row of Bench is read whole at every size:
# in the rows below the screen, or, where these end in an ellipsis, at the head of the help.

. "${srcdir:-.}/tests/script/lib.sh"

# Everything that is explained in turn: as it stands below the screen, then as ? says it.
{
    echo '/ "layout" Esc' # a window that is open explains nothing of the form
    for fold in tp engine price; do
        printf '/ "%s" Enter\n' "$fold"
    done
    look=$(printf '%s\n' ':dump -' '?' ':dump -' Esc)
    echo g
    for ((i = 0; i < 48; i++)); do
        printf '%s\nj\n' "$look"
    done
    printf 'Tab\n%s\n2\n:wait\n%s\nj\n%s\n3\nEnter\n:wait\n' "$look" "$look" "$look"
    for curve in p t \$ m m r; do
        printf '%s\n:wait\n%s\n' "$curve" "$look"
    done
    printf '4\n:wait\n'
    for ((i = 0; i < 14; i++)); do
        printf '%s\nj\n' "$look"
    done
} >"$work/walk"

# texts COLUMNS ROWS BELOW: of each pair of dumps a line "below<tab>help", words apart by one blank.
# Help stands in up to three columns of 46 cells at least: what is explained is in the first.
texts() {
    local n=$((($1 - 4) / 46))
    n=$((n < 1 ? 1 : n > 3 ? 3 : n))
    awk -v rows="$2" -v below="$3" -v wide=$((($1 - 4 + 3) / n - 3)) '
    function add(text, more) {
        gsub(/^ +| +$/, "", more)
        return text (text != "" && more != "" ? " " : "") more
    }
    {
        row = (NR - 1) % rows + 1
        help = int((NR - 1) / rows) % 2
        if (row == 1) { text = ""; over = 0 }
    }
    !help && row >= rows - below && row < rows { text = add(text, $0) }
    help && /Help: / { inside = 1; next }
    help && inside && /└/ { inside = 0 }
    help && inside && !over {
        line = $0
        sub(/^[^│]*│/, "", line)
        sub(/│[^│]*$/, "", line)
        line = substr(line, 2, wide)
        if (line ~ /^ *$/) over = 1
        text = add(text, line)
    }
    row == rows && !help { said = text }
    row == rows && help { gsub(/  +/, " ", said); gsub(/  +/, " ", text); print said "\t" text }'
}

look_at() {
    local size="$1 $2"
    { echo ":size $size"; cat "$work/walk"; } >"$work/script"
    screen "all that is explained, $size" -m llama-3.1-70b -p int8 -g l40s <"$work/script"
    texts "$@" <<<"$out" >"$work/texts"
}

look_at 200 60 2
cut -f1 "$work/texts" >"$work/whole"
assert_true "there is something to read" [ "$(sort -u "$work/whole" | wc -l)" -gt 60 ]
assert_eq "at 200 x 60 nothing ends in an ellipsis" "" "$(grep '…$' "$work/whole")"

while read -r cols rows below short; do
    look_at "$cols" "$rows" "$below"
    assert_eq "$last: as many as at 200 x 60" "$(wc -l <"$work/whole")" "$(wc -l <"$work/texts")"
    assert_eq "$last: whole, or whole words and an ellipsis, and then whole in the help" "" "$(
        paste "$work/whole" "$work/texts" | awk -F'\t' -v short="$short" '
        { is_curve = $1 ~ /fits to .* marginal|of the most|ridge / } # what is read of it has two rows
        $2 ~ /…$/ {
            begun = $2
            sub(/ ?…$/, "", begun)
            if (!(short || is_curve) || index($1 " ", begun " ") != 1 || $3 != $1)
                print
            next
        }
        $2 != $1 || $3 != $1')"
done <<END
80 24 2 0
80 23 2 0
79 40 3 0
120 36 2 0
70 18 1 1
40 12 1 1
END

finish
