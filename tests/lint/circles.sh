#!/bin/sh
# circles.sh - the call graph of the built objects: which file needs which.
#
# A file needs another when its object has an undefined symbol, function or table, that
# the other's defines. Files that need each other in a circle (a strongly connected
# component) can be read, tested and replaced only together. So no circle may span two
# folders, and none may have more than three files within one.

. "${srcdir:-.}/tests/lint/lint.sh"

FILES_MAX=3

command -v nm >/dev/null || skip "no nm here"
build=${top_builddir:-.}
# A source that is gone may have left its object behind.
sources=$PWD
objects=$(cd "$build" && find src bench -name '*.o' ! -path '*/.libs/*' |
    while read -r object; do
        source=$sources/${object%.o}.c
        [ -f "$source" ] || [ -f "${source%/*}/${source##*-}" ] && echo "$object"
    done)
[ "$(echo "$objects" | wc -l)" -gt 100 ] || skip "not built here"

# "FILE NEEDED" for each pair, from lines "OBJECT: SYMBOL TYPE ..."; a program's own
# object is src/x/program-file.o.
pairs=$(cd "$build" && echo "$objects" | xargs nm -A -P -g 2>/dev/null | awk '
    {
        file = $1
        sub(/\.o(\[.*\])?:$/, ".c", file)
        sub(/\/[a-z_]*-/, "/", file)
    }
    $3 == "U" { wants[file, ++wanted[file]] = $2; files[file]; next }
    { homes[$2] = homes[$2] " " file }
    END {
        for (file in files)
            for (i = 1; i <= wanted[file]; i++) {
                n = split(homes[wants[file, i]], home, " ")
                for (j = 1; j <= n; j++)
                    if (home[j] != file && !seen[file, home[j]]++)
                        print file, home[j]
            }
    }' | LC_ALL=C sort)
[ -n "$pairs" ] || skip "nm shows no symbols"
echo "files: $(echo "$objects" | wc -l), pairs: $(echo "$pairs" | wc -l)"

# Tarjan's strongly connected components; those of more than one file, one per line.
circles=$(echo "$pairs" | awk '
    function visit(v, i, w, n, circle) {
        order[v] = low[v] = ++count
        stack[++depth] = v
        on[v] = 1
        for (i = 1; i <= degree[v]; i++) {
            w = edge[v, i]
            if (!(w in order)) {
                visit(w)
                if (low[w] < low[v])
                    low[v] = low[w]
            } else if (on[w] && order[w] < low[v])
                low[v] = order[w]
        }
        if (low[v] < order[v])
            return
        do {
            w = stack[depth--]
            on[w] = 0
            circle = w " " circle
            n++
        } while (w != v)
        if (n > 1)
            print circle
    }
    { edge[$1, ++degree[$1]] = $2; nodes[++total] = $1 }
    END { for (k = 1; k <= total; k++) if (!(nodes[k] in order)) visit(nodes[k]) }')

# What makes the circle: those of its pairs, for whoever has to take it apart.
pairs_of() {
    echo "$pairs" | awk -v circle=" $1 " '
        index(circle, " " $1 " ") && index(circle, " " $2 " ") { print "    " $1 " -> " $2 }'
}

while read -r circle; do
    [ -n "$circle" ] || continue
    files=$(echo "$circle" | wc -w)
    folders=$(echo "$circle" | tr ' ' '\n' | sed 's,/[^/]*$,,' | LC_ALL=C sort -u | wc -l)
    if [ "$folders" -gt 1 ]; then
        problem "a circle of $files files across $folders folders: $circle
$(pairs_of "$circle")"
    elif [ "$files" -gt $FILES_MAX ]; then
        problem "a circle of $files files, over $FILES_MAX: $circle
$(pairs_of "$circle")"
    fi
done <<END
$circles
END

finish
