#!/bin/bash
# readme.sh - the screens in the README are what the keys named there lead to.
#
#   UPDATE=1 bash tests/script/readme.sh     writes today's screens into the README

. "${srcdir:-.}/tests/script/lib.sh"

readme=$src/README.md
[ -f "$readme" ] || skip "no README.md here"

screen "first time" <<'KEYS'
l Down
Right Right
Down
Enter "l40s" Enter
Down -
:dump screen.1
a Enter
2
:wait
:dump screen.2
KEYS

for n in 1 2; do
    awk -v n="$n" '/^```text$/ { at++; on = 1; next } /^```$/ { on = 0 }
        on && at == n' "$readme" >"shown.$n"
    sed 's/ *$//' "screen.$n" >"now.$n"
    if [ -n "${UPDATE:-}" ]; then
        awk -v n="$n" -v new="now.$n" '
            /^```text$/ { at++; print; on = at == n
                          while (on && (getline line < new) > 0) print line; next }
            /^```$/ { on = 0 }
            !on' "$readme" >readme.new && cat readme.new >"$readme"
    else
        assert_eq "screen $n of the README" "$(cat "now.$n")" "$(cat "shown.$n")"
    fi
done

finish
