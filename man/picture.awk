# picture.awk - a terminal's screen, as `tmux capture-pane -e -p` prints it, as an SVG.
#
#   LC_ALL=C awk -v columns=80 -v light=0 -f picture.awk screen >screen.svg
#
# Works on bytes (LC_ALL=C): a character is a byte that does not continue another. Each run
# of one look is a text of its own, set to the width of its cells, so that boxes close
# whatever the font is. Foreground of 256 colours, bold, dim, underlined and reverse: what
# gpuplan uses.

BEGIN {
    cell = 8.4; high = 18; left = 10; top = 8
    ground = light ? "#ffffff" : "#16181d"
    ink = light ? "#222222" : "#d8d8d8"
    split("000000 cd3131 0b8a4b b58900 2472c8 a626a4 0a84a0 cccccc " \
          "666666 f14c4c 23d18b f5f543 3b8eea d670d6 29b8db ffffff", base, " ")
    look_reset()
    rows = 0
}

function look_reset() { color = -1; bold = dim = under = reverse = 0 }

# "#rrggbb" of one of the 256.
function hex(n,    c, r, g, b) {
    if (n < 0) return ink
    if (n < 16) return "#" base[n + 1]
    if (n >= 232) { c = 8 + 10 * (n - 232); return sprintf("#%02x%02x%02x", c, c, c) }
    n -= 16
    r = int(n / 36); g = int(n / 6) % 6; b = n % 6
    return sprintf("#%02x%02x%02x", r ? 55 + 40 * r : 0, g ? 55 + 40 * g : 0,
                   b ? 55 + 40 * b : 0)
}

function sgr(codes,    n, i, c) {
    if (codes == "") codes = "0"
    n = split(codes, c, ";")
    for (i = 1; i <= n; i++) {
        if (c[i] == 0) look_reset()
        else if (c[i] == 1) bold = 1
        else if (c[i] == 2) dim = 1
        else if (c[i] == 4) under = 1
        else if (c[i] == 7) reverse = 1
        else if (c[i] == 22) bold = dim = 0
        else if (c[i] == 24) under = 0
        else if (c[i] == 27) reverse = 0
        else if (c[i] == 39) color = -1
        else if (c[i] == 38 && c[i + 1] == 5) { color = c[i + 2]; i += 2 }
        else if (c[i] >= 30 && c[i] <= 37) color = c[i] - 30
        else if (c[i] >= 90 && c[i] <= 97) color = c[i] - 82
    }
}

function width(text,    copy) {
    copy = text
    return length(text) - gsub(/[\200-\277]/, "", copy)
}

function add(text, column,    w, x, y, style) {
    w = width(text)
    x = left + column * cell
    y = top + rows * high
    if (reverse)
        out = out sprintf("<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%d\" " \
                          "fill=\"%s\"/>\n", x, y, w * cell, high, hex(color))
    if (text ~ /^ *$/)
        return w
    style = sprintf(" fill=\"%s\"", reverse ? ground : hex(color))
    if (bold) style = style " font-weight=\"bold\""
    if (dim) style = style " opacity=\".7\""
    if (under) style = style " text-decoration=\"underline\""
    gsub(/&/, "\\&amp;", text)
    gsub(/</, "\\&lt;", text)
    gsub(/>/, "\\&gt;", text)
    gsub(/ /, "\302\240", text) # viewers join blanks
    out = out sprintf("<text x=\"%.1f\" y=\"%.1f\" textLength=\"%.1f\"%s>%s</text>\n", x,
                      y + 13.5, w * cell, style, text)
    return w
}

{
    line = $0
    column = 0
    while (match(line, /\033\[[0-9;]*m/)) {
        if (RSTART > 1) column += add(substr(line, 1, RSTART - 1), column)
        sgr(substr(line, RSTART + 2, RLENGTH - 3))
        line = substr(line, RSTART + RLENGTH)
    }
    if (line != "") add(line, column)
    rows++
}

END {
    w = 2 * left + columns * cell
    h = 2 * top + rows * high
    printf "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" " \
           "viewBox=\"0 0 %.1f %.1f\">\n", w, h, w, h
    printf "<rect width=\"100%%\" height=\"100%%\" rx=\"6\" fill=\"%s\"/>\n", ground
    print "<g xml:space=\"preserve\" font-family=\"DejaVu Sans Mono,Menlo,Consolas,monospace\" font-size=\"14\">"
    printf "%s</g>\n</svg>\n", out
}
