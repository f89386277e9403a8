#!/bin/bash
# readme.sh - the screens shown in the README and in gpuplan-screens(7) are the program's.
#
#   UPDATE=1 bash tests/script/readme.sh     writes today's screens into both

. "${srcdir:-.}/tests/script/lib.sh"
shipped_catalogue

readme=$src/README.md
[ -f "$readme" ] || skip "no README.md here"

screen "README" -m llama-3.1-70b -p fp8 -g h100-sxm -c 8k -u 16 <<'KEYS'
:dump screen.1
KEYS
screen "gpuplan-screens(7)" -m llama-3.1-70b -p fp8 -g h100-sxm -c 8k -u 16 --ascii <<'KEYS'
2
:wait
:dump screen.2
KEYS

# same FILE BEGIN END SCREEN: between the lines BEGIN and END of the file.
same() {
    sed 's/ *$//' "$4" >now
    awk -v begin="$2" -v end="$3" '
        $0 == end { on = 0 }
        on
        $0 == begin && !seen { on = seen = 1 }' "$1" >shown
    if [ -n "${UPDATE:-}" ]; then
        awk -v begin="$2" -v end="$3" '
            $0 == end { on = 0 }
            !on
            $0 == begin && !seen { on = seen = 1
                                   while ((getline line <"now") > 0) print line }
            ' "$1" >updated && cat updated >"$1"
    else
        assert_eq "the screen in $1" "$(cat now)" "$(cat shown)"
    fi
}

same "$readme" '```text' '```' screen.1
same "$src/man/gpuplan-screens.7" '.Bd -literal -compact' .Ed screen.2

# names of the model and of the GPU, and what they were read as, a line each
screen "names that people have" -m Qwen/Qwen3-32B-AWQ -g H100 <<'KEYS'
:wait
:dump -
2
:wait
:dump -
KEYS
shows "qwen3-32b with int4-awq"
shows "H100: h100-sxm; there is also"
shows "Qwen3-32B-AWQ: qwen3-32b, 1 user"

finish
