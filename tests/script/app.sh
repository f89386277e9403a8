#!/bin/bash
# app.sh - what every screen shares: tabs, keys, help, the command line, sizes, quitting.

. "${srcdir:-.}/tests/script/lib.sh"

# row N of what was dumped
row() {
    printf '%s\n' "$out" | sed -n "$1p"
}

# ---- tabs -----------------------------------------------------------------------------

screen "tabs by their digits" <<'KEYS'
:dump -
2
:dump -
3
:dump -
4
:dump -
5
:dump -
1
:dump -
KEYS
out=$(printf '%s\n' "$out" | sed -n '/^ gpuplan/p' | cut -c1-63)
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench    5 Pool
 gpuplan  1 Plan   [2 Compare]   3 Curves    4 Bench    5 Pool
 gpuplan  1 Plan    2 Compare   [3 Curves]   4 Bench    5 Pool
 gpuplan  1 Plan    2 Compare    3 Curves   [4 Bench]   5 Pool
 gpuplan  1 Plan    2 Compare    3 Curves    4 Bench   [5 Pool]
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench    5 Pool
END

screen "tabs where there is little room" <<'KEYS'
:size 40 12
:dump -
2
:dump -
KEYS
out=$(printf '%s\n%s\n' "$(row 1)" "$(row 13)" | cut -c1-22)
expect <<'END'
[1 Plan] 2  3  4  5
 1 [2 Compare] 3  4  5
END

screen "a click on a tab, one beside all of them" <<'KEYS'
:click 1 60
:dump -
:click 1 3
:dump -
KEYS
out=$(printf '%s\n' "$out" | grep '^ gpuplan' | cut -c1-63)
expect <<'END'
 gpuplan  1 Plan    2 Compare    3 Curves    4 Bench   [5 Pool]
 gpuplan  1 Plan    2 Compare    3 Curves    4 Bench   [5 Pool]
END

# ---- help -----------------------------------------------------------------------------

for tab in 1 2 3 4 5; do
    screen "help of tab $tab" <<KEYS
:size 120 60
$tab
?
:dump -
KEYS
    shows "Help: "
    shows "Everywhere"
    shows "?, F1"
    shows "command line: actions and options"
    shows "q or Esc:close"
done

screen "a click on help in the bar, and Esc out of it" <<'KEYS'
:click 24 66
:dump -
Esc
:dump -
KEYS
shows "Help: Plan"
assert_contains "the bar is back" "?:help  q:quit" "$(row 48)"

screen "F1 is help as well" <<'KEYS'
F1
:dump -
KEYS
shows "Help: Plan"

# ---- keys that mean nothing -----------------------------------------------------------

screen "a key without a meaning says so" <<'KEYS'
z
:dump -
KEYS
assert_contains "report" "z does nothing here; ? lists the keys" "$(row 22)"

screen "the report goes with the next key" <<'KEYS'
z Down
:dump -
KEYS
lacks "does nothing here"

# ---- the command line -----------------------------------------------------------------

screen "options at the prompt are the command line's" -m 70B -g l40s <<'KEYS'
":" "users 16" Enter
:dump -
u
:dump -
KEYS
shows "16 at once"
assert_contains "undone" "1 at once" "$(printf '%s\n' "$out" | tail -n 24)"

screen "several options are one step of undo" -m 70B -g l40s <<'KEYS'
:set users 16 --context 32k
u
:dump -
KEYS
shows "8,192 tokens"
shows "1 at once"

screen "a pasted command" <<'KEYS'
:gpuplan --plan -m 70B -g h100-sxm:4 -u 3
:dump -
KEYS
shows "4 x NVIDIA H100"
shows "3 at once"

screen "a mistake keeps the line and says what is meant" <<'KEYS'
":" "contxt 32k" Enter
:dump -
KEYS
shows "there is no 'contxt'"
shows "did you mean context?"
shows ":contxt 32k"

screen "what is wrong with a value" <<'KEYS'
":" "users 0" Enter
:dump -
KEYS
shows "--users: 0 is outside 1..1e+06 requests"

screen "Tab completes actions" <<'KEYS'
":" "save-s" Tab
:dump -
KEYS
shows ":save-settings"

screen "Tab completes options, then ids of the catalogue" <<'KEYS'
":" "kv" Tab "f" Tab
:dump -
Esc ":" "gpu mi300x" Tab
:dump -
KEYS
shows ":kv-precision f"
shows ":gpu mi300x"

screen "an action by its name" <<'KEYS'
:show-command
:dump -
KEYS
shows "gpuplan --plan -m 8B"

screen "an action of another screen" <<'KEYS'
:sort
:dump -
KEYS
shows "sort: is not for the screen Plan"

screen "a screen by its name" <<'KEYS'
:pool
:dump -
KEYS
shows "[5 Pool]"

# ---- files ----------------------------------------------------------------------------

screen "save, change, load" -m 70B -g l40s <<'KEYS'
:save plan.json
:users 9
:load plan.json
:dump -
KEYS
shows "loaded from plan.json"
shows "1 at once"
"$gp" --batch plan.json >"$work/answer" 2>&1
assert_contains "--batch reads what was saved" '"model"' "$(cat "$work/answer")"

echo mine >there.txt
screen "export asks before it replaces" -m 70B -g l40s <<'KEYS'
e "there.txt" Enter
:dump -
"!" Enter
:dump -
KEYS
shows "end the name with ! to replace it"
shows "written to there.txt"
assert_contains "exported" "l40s" "$(tr '[:upper:]' '[:lower:]' <there.txt)"

screen "export names the suffixes it knows" <<'KEYS'
":" "export plan.doc" Enter
:dump -
KEYS
shows "the suffix says what is written"

# ---- sizes ----------------------------------------------------------------------------

screen "too small: three lines of at most 20 columns" <<'KEYS'
:size 30 8
:dump -
:size 20 3
:dump -
:size 1 1
:dump -
:size 80 24
:dump -
KEYS
assert_eq "first line" "30x8 is too small." "$(row 1)"
assert_eq "second line" "gpuplan needs 40x12." "$(row 2)"
assert_eq "third line" "Resize, or q: quit." "$(row 3)"
shows "[1 Plan]"

# Every size, every tab: no crash, and where there is room the way out is shown.
{
    for tab in 1 2 3 4 5; do
        echo "$tab"
        for size in '40 12' '41 13' '72 20' '79 24' '80 23' '80 24' '119 36' '120 36' \
            '200 60' '400 100'; do
            printf ':size %s\n:dump -\n' "$size"
        done
    done
} >sizes
screen "all sizes" <sizes
assert_eq "key bars" 50 "$(printf '%s\n' "$out" | grep -c '?:help  q:quit$')"

screen "ASCII only" --ascii <<'KEYS'
:dump -
2
:dump -
?
:dump -
KEYS
assert_eq "bytes above 127" "" "$(printf '%s' "$out" | LC_ALL=C tr -d '\000-\177')"

LC_ALL=C screen "a locale without UTF-8" <<'KEYS'
:dump -
KEYS
assert_eq "bytes above 127" "" "$(printf '%s' "$out" | LC_ALL=C tr -d '\000-\177')"

# ---- colors ---------------------------------------------------------------------------

screen "the theme goes round" <<'KEYS'
T
:dump -
T
:dump -
KEYS
shows "colors: light"
shows "colors: mono"

# ---- quitting -------------------------------------------------------------------------

screen "who only looked is not asked" <<'KEYS'
:users 4
q
:dump -
KEYS
assert_eq "nothing after q" "" "$out"

screen "changes to a plan that has a file" <<'KEYS'
:save mine.json
:users 4
q
:dump -
n
:dump -
q y
:dump -
KEYS
shows "changes that are not in mine.json. Quit?"
assert_eq "dumps before the end" 48 "$(printf '%s\n' "$out" | wc -l)"

screen "Q never asks" <<'KEYS'
:save mine.json
:users 4
Q
:dump -
KEYS
assert_eq "nothing after Q" "" "$out"

# ---- what is wrong with a start -------------------------------------------------------

printf 'Down\nFoo\n' >wrong
GPUPLAN_SCRIPT=wrong run
assert_eq "exit code of a wrong script" 2 "$rc"
assert_contains "where" "wrong:2: there is no key 'Foo'" "$err"
run
case $err in
*"built without terminal screens"*) ;;
*) assert_fails 2 "is not a terminal" -m 70B ;;
esac
assert_fails 2 "--plain asks line by line"
echo ':dump -' >right
GPUPLAN_SCRIPT=right assert_fails 2 "no-such-model" -m no-such-model
GPUPLAN_NOW=yesterday assert_fails 2 "is no date" --plan -m 8B
assert_fails 2 "is not one of the choices" --color blue

finish
