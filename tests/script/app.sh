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
1
:dump -
KEYS
out=$(printf '%s\n' "$out" | sed -n '/^ gpuplan/p' | cut -c1-63)
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Repla
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Repla
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Repla
 gpuplan  1 Plan  2 Compare  3 Curves [4 Bench] 5 Pool  6 Repla
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Repla
END

screen "tabs where there is little room" <<'KEYS'
:size 40 12
:dump -
2
:dump -
KEYS
out=$(printf '%s\n%s\n' "$(row 1)" "$(row 13)" | cut -c1-22)
expect <<'END'
[1 Plan] 2  3  4  5  6
 1 [2 Compare] 3  4  5
END

screen "a click on a tab, some beside all of them" <<'KEYS'
:click 1 50
:dump -
:click 1 3
:dump -
:click 1 60
:dump -
KEYS
out=$(printf '%s\n' "$out" | grep '^ gpuplan' | cut -c1-63)
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Repla
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Repla
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Repla
END

# ---- help -----------------------------------------------------------------------------

names=([1]=Plan [2]=Compare [3]=Curves [4]=Bench)
for tab in 1 2 3 4; do
    screen "help of tab $tab" <<KEYS
:size 120 60
$tab
?
:dump -
KEYS
    shows "Help: ${names[tab]}"
    shows "│ ${names[tab]} "
    lacks "(null)"
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
shows "4 x H100"
shows "3 at once"

# Everything that stands alone, and a word too many: no line is taken in part.
{
    sed -n 's/^\.Ic \([a-z!-]*\) \.$/\1/p' "$src/man/gpuplan-screens.7" | sort -u |
        grep -vx 'save\|load\|export' # a file's name may be anything
    printf '%s\n' plan compare curves bench --plan gpuplan q 'q!' set frobnicate -m \
        'users 16' 'set users 16' '--users=16' 'plan -m 8B' 'gpuplan -m 8B' 'solve' \
        'bench --rel-ci 2' 'compare --users 3' 'gpuplan --table' '--why' 'profiles' \
        'Users 3' 'set gpus 4'
} >lines
checks=$((checks + 1))
[ "$(wc -l <lines)" -gt 60 ] || fail "the manual names only $(wc -l <lines) commands"
while read -r line; do
    screen "the line: $line xyzzy" -m 70B -g l40s <<KEYS
:size 120 30
":" "$line xyzzy" Enter
:dump -
KEYS
    assert_contains "kept: $line" ":$line xyzzy" "$(row 29)"
    case $(row 28) in
    *[a-z]*) checks=$((checks + 1)) ;;
    *) fail "no word why not: $line xyzzy" ;;
    esac
done <lines

screen "a whole request, with what its screen takes" -m 70B -g l40s:2 -u 9 <<'KEYS'
:size 200 30
":" "plan -m llama-3.1-8b -grtx-4090 --context=4k" Enter
c
:dump -
u c
:dump -
":" "gpuplan --bench -m 8B --rel-ci 2 -u 3 --force" Enter
:dump -
c
:dump -
":" "gpuplan -m 8B --why" Enter
:dump -
Esc ":" "plan -m llama-3.1-8b --user" Tab "4" Enter
c
:dump -
KEYS
shows "gpuplan --plan -m llama-3.1-8b -g rtx-4090 -c 4k"
lacks "-c 4k -u 9"
shows "gpuplan --plan -m 70B -g l40s:2 -u 9"
shows "[4 Bench]"
shows "--rel-ci 2 --force"
shows "--why: has no field on the screens"
shows "gpuplan --plan -m llama-3.1-8b -u 4"

# What c shows is taken back as it is: also with the profiles of the command line.
mkdir -p "my profiles"
for request in "-m 70B -g l40s:2 -u 9" "-m 8B -p int8 -c 4k --tp 2" "-m 8B"; do
    # shellcheck disable=SC2086 # its words
    screen "c of $request" --profiles "my profiles" $request <<'KEYS'
:size 200 30
c
:dump -
KEYS
    shown=$(printf '%s\n' "$out" | sed -n 's/^ \(gpuplan --plan .*\)/\1/p' | sed 's/ *$//')
    assert_contains "c shows" " --profiles 'my profiles'" "$shown"
    screen "and back" --profiles "my profiles" -m 123B -u 77 <<KEYS
:size 200 30
":"
:paste $shown
Enter
c
:dump -
KEYS
    shows " $shown"
done

screen "a mistake keeps the line and says what is meant" <<'KEYS'
":" "contxt 32k" Enter
:dump -
KEYS
shows "unknown action or option 'contxt'"
shows "did you mean context?"
shows ":contxt 32k"

screen "what is wrong with a value" <<'KEYS'
":" "users 0" Enter
:dump -
KEYS
shows "--users: 0 is outside 1..1000000 requests"

screen "Tab completes actions" <<'KEYS'
":" "save-s" Tab
:dump -
KEYS
shows ":save-settings"

screen "Tab completes options, then ids of the catalogue" <<'KEYS'
":" "kv-p" Tab "f" Tab
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
:bench
:dump -
KEYS
shows "[4 Bench]"

screen "a screen that needs a file has its tab, and lists what there is" <<'KEYS'
5
:dump -
Esc
:pool
:dump -
KEYS
shows "Pool: models over a day"
shows "[1 Plan]"

# ---- pasted text ----------------------------------------------------------------------

screen "pasted text goes to the line that is open, its end takes nothing" <<'KEYS'
":"
:paste  gpuplan --plan -m 70B \\n\t-g h100-sxm:4 -u 3\n
:dump -
Enter
:dump -
KEYS
shows ":gpuplan --plan -m 70B   -g h100-sxm:4 -u 3"
assert_contains "then Enter does" "4 x H100" "$(printf '%s\n' "$out" | tail -n 24)"

screen "pasted text in a list, in place of what was offered" -m 70B -g l40s <<'KEYS'
Enter
:paste llama-3.1-8b\n
:dump -
Esc
:size 80 60
g Down Down Down Down Enter
:paste 16k
:dump -
Enter
:dump -
KEYS
shows "/ llama-3.1-8b"
shows "Context: 16k"
shows "16,384 tokens"

# No pasted character is ever a key: but for the line that says so, nothing changes.
for tab in 1 2 3 4; do
    screen "pasted on tab $tab" -m 70B -g l40s <<KEYS
$tab
:wait
:dump before
:paste 2q\ny\nQ:q!\nTu+-a s
:dump after
?
:dump before.help
:paste q\n2Q
:dump after.help
KEYS
    for what in "" .help; do
        assert_eq "tab $tab$what" "$(sed '22,23d' before$what)" "$(sed '22,23d' after$what)"
        assert_contains "tab $tab$what" "paste needs an input line" \
            "$(cat after$what)"
    done
done

screen "too much of it" <<KEYS
":" "users 4"
:paste $(printf '%01100d' 0)
:dump -
KEYS
shows "too long for this line: ignored"
shows ":users 4"

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

screen "export offers a name that is free" -m 70B -g l40s <<'KEYS'
e Enter
e Enter
e "own.md" Enter
:dump -
KEYS
shows "written to own.md"
assert_true "two plans" test -s plan.txt -a -s plan-2.txt

screen "export names the suffixes it knows" <<'KEYS'
":" "export plan.doc" Enter
:dump -
KEYS
shows "the suffix sets the format"

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
    for tab in 1 2 3 4; do
        echo "$tab"
        for size in '40 12' '41 13' '72 20' '79 24' '80 23' '80 24' '119 36' '120 36' \
            '200 60' '400 100'; do
            printf ':size %s\n:dump -\n' "$size"
        done
    done
} >sizes
screen "all sizes" <sizes
assert_eq "key bars" 40 "$(printf '%s\n' "$out" | grep -c '?:help  q:quit$')"

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

# Who would lose nothing is not asked: "no dump" is the end.
asked() {
    screen "$1" -m 70B -g l40s
    shows "w:save  q:quit anyway  Esc:stay"
}
not_asked() {
    screen "$1" -m 70B -g l40s
    assert_eq "$last: nothing after q" "" "$out"
}
not_asked "who only looked" <<'KEYS'
2 3 4 1 Down ? Esc y Esc
q
:dump -
KEYS
not_asked "an edit that was taken back" <<'KEYS'
:users 4
u
q
:dump -
KEYS
not_asked "the same value typed" <<'KEYS'
:users 4
:users ""
q
:dump -
KEYS
not_asked "a saved plan" <<'KEYS'
:users 4
:save mine.json
:users 5
u
q
:dump -
KEYS
not_asked "a loaded plan" <<'KEYS'
:users 7
:load mine.json
q
:dump -
KEYS
asked "a plan without a file" <<'KEYS'
l
q
:dump -
KEYS
shows "The plan is not saved."
asked "on any screen, by any way to quit" <<'KEYS'
:users 4
2
:quit
:dump -
KEYS
asked "a plan with a file" <<'KEYS'
:load mine.json
:users 6
F10
:dump -
KEYS
shows "The changes are not in mine.json."
asked "a saved plan, undone" <<'KEYS'
:users 4
:save mine2.json
u
q
:dump -
KEYS

screen "it can be stayed, left, or saved" -m 70B -g l40s <<'KEYS'
:users 4
q Esc
:dump stayed
q x
:dump still
w
:dump saving
Esc
:dump back
q w "kept.json" Enter
:dump never
KEYS
assert_contains "Esc stays" "?:help  q:quit" "$(cat stayed)"
assert_contains "another key does nothing" "q:quit anyway" "$(cat still)"
assert_contains "w asks for the name" "Save as: plan.json" "$(cat saving)"
assert_contains "Esc there stays as well" "?:help  q:quit" "$(cat back)"
assert_contains "saved" '"users": 4' "$(cat kept.json)"
assert_eq "and then it ends" "" "$(cat never 2>/dev/null)"

screen "no room to ask" -m 70B -g l40s <<'KEYS'
:size 20 3
q
:dump -
KEYS
assert_eq "nothing to lose" "" "$out"
screen "no room to ask, and something to lose" -m 70B -g l40s <<'KEYS'
:users 4
:size 20 3
:dump -
q
:dump -
Down
:dump -
q Q
:dump -
KEYS
assert_eq "it is not lost" "Resize, or q: quit.
Not saved! Q: quit.
Resize, or q: quit." "$(printf '%s\n' "$out" | grep quit)"

screen "left" -m 70B -g l40s <<'KEYS'
:users 4
q q
:dump -
KEYS
assert_eq "nothing after q q" "" "$out"

screen "w that saves and stays, after one that would have quit" -m 70B -g l40s <<'KEYS'
:users 4
q w Esc
w "kept.json" Enter y
:dump -
KEYS
shows "saved to kept.json"

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
assert_contains "where" "wrong:2: unknown key 'Foo'" "$err"
run
case $err in
*"built without terminal screens"*) ;;
*) assert_fails 2 "is not a terminal" -m 70B ;;
esac
assert_fails 2 "--plain asks line by line"
echo ':dump -' >right
GPUPLAN_SCRIPT=right assert_fails 2 "no-such-model" -m no-such-model
GPUPLAN_NOW=yesterday assert_fails 2 "is not a date" --plan -m 8B
assert_fails 2 "is not one of the choices" --color blue

finish
