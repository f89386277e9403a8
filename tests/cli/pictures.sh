#!/bin/sh
# pictures.sh - man/picture.awk: a terminal's screen becomes an SVG, cell by cell.

. "${srcdir:-.}/tests/cli/lib.sh"

picture() {
    printf '%b' "$1" | LC_ALL=C awk -v columns=20 -v light="${2:-0}" -f "$src/man/picture.awk"
}

out=$(picture '\033[7m tab \033[0mplain\n\033[38;5;117m\342\226\210\342\226\210\033[39m<&>\n')
assert_contains "as wide as its columns" 'width="188"' "$out"
assert_contains "a reversed run has a ground" '<rect x="10.0" y="8.0" width="42.0"' "$out"
assert_contains "what follows it stands behind" '<text x="52.0"' "$out"
assert_contains "a color of 256" 'fill="#87d7ff">' "$out"
assert_contains "a character of three bytes is one cell" 'textLength="16.8"' "$out"
assert_contains "markup is text" '&lt;&amp;&gt;</text>' "$out"
assert_contains "light" 'fill="#ffffff"' "$(picture 'x\n' 1)"
if command -v xmllint >/dev/null 2>&1; then
    printf '%s\n' "$out" >"$work/picture.svg"
    assert_true "it is XML" xmllint --noout "$work/picture.svg"
fi

# Every picture that the README shows is there.
for name in $(sed -n 's/.*](\(man\/pictures\/[a-z0-9-]*\.svg\)).*/\1/p' "$src/README.md"); do
    assert_true "$name is there" [ -s "$src/$name" ]
done
finish
