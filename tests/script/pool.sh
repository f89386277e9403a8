#!/usr/bin/env bash
# pool.sh - the screen Pool: loaded, scrubbed, a change proposed, applied and undone.

. "${srcdir:-.}/tests/script/lib.sh"

cat >lab.cfg <<'END'
name = "lab";
gpus = ( { gpu = "h100-pcie"; stock = 8; price = 25000.0; rent = 2.0; } );
chassis = ( { name = "A"; slots = 4; }, { name = "B"; slots = 4; } );
workloads = (
    { name = "chat"; model = "llama-3.1-8b"; precision = "fp8"; tpot_ms = 30;
      demand = { shape = "evening"; peak = 20.0; }; },
    { name = "code"; model = "llama-3.3-70b"; precision = "fp8"; tpot_ms = 50;
      demand = { shape = "office"; peak = 1.0; }; }
);
END
sed 's/stock = 8/stock = 1/' lab.cfg >small.cfg

screen "no pool yet: the tab is there, and lists the examples" <<'KEYS'
:size 80 24
:dump -
5
:dump -
"lab.cfg" Enter
:wait
:dump -
KEYS
shows "4 Bench  5 Pool"
shows "Pool: models over a day"
shows "[5 Pool]"
shows "chat"

mkdir -p own/pools
cp lab.cfg own/pools/mixed-day.cfg
screen "Tab knows the examples, files and options; any blanks divide words" --profiles own <<'KEYS'
:size 120 30
":" "pool" Space Tab
:dump -
"mi" Tab
:dump -
C-u "pool" Space "lab" Tab "--se" Tab
:dump -
Space Space "3" Enter
:wait
:dump -
KEYS
shows "mixed-day "
shows ":pool mixed-day"
shows "pool lab.cfg --seed"
shows "[5 Pool]"
shows "chat"

# What is changed by hand is what the file so changed comes to: demand, a goal, a format.
# same NAME KEYS SED: the pool on the screen after KEYS costs what lab.cfg does after SED.
same() {
    sed "$3" lab.cfg >changed.cfg
    screen "$1" --pool lab.cfg --screen --rung shared <<KEYS
:size 80 24
:wait
$2
:wait
:export changed.json!
u
:dump -
KEYS
    shows "undone"
    have_json || return
    python3 - "$1" changed.json <("$gp" --pool changed.cfg --rung shared --format json) <<'PY'
import json, sys
a, b = (json.load(open(f))['ladder'] for f in sys.argv[2:])
for x, y in zip(a, b):
    assert x['cost']['value'] == y['cost']['value'], (sys.argv[1], x['name'], x['cost'], y['cost'])
PY
    assert_eq "$1: the costs of the file so changed" 0 $?
}
same "10 % more demand" "+" 's/peak = 20.0/peak = 22.0/'
same "demand typed" 'Enter "Demand" Enter C-u "30" Enter' 's/peak = 20.0/peak = 30.0/'
same "a goal" 'Down Enter "TPOT" Enter C-u "80" Enter' 's/tpot_ms = 50/tpot_ms = 80/'
same "a format" 'Enter "Weights" Enter C-u "bf16" Enter' \
    '/llama-3.1-8b/s/precision = "fp8"/precision = "bf16"/'
screen "what cannot be is refused, and nothing changes" --pool lab.cfg --screen <<'KEYS'
:size 80 24
:wait
Enter "Model" Enter C-u "nosuchmodel" Enter
:wait
:dump -
Enter "Demand" Enter C-u "0" Enter
:dump -
Esc
KEYS
shows "nosuchmodel"
shows "0 is outside of what can be"
lacks "lab.cfg*"

screen "a large screen has the hours stacked, each workload in its glyph" \
    --pool lab.cfg --screen --rung shared <<'KEYS'
:size 120 36
:wait
:dump -
KEYS
shows "GPUs  █ a chat  ▓ b code"
shows "owned ───"
shows "▲▲▲▲"
shows "shared: servers that all models use, by the hour ─┐"
shows "▓▓▓▓"
shows "Ways to own the GPUs"

screen "from the command line" --pool lab.cfg --screen --rung hourly <<'KEYS'
:size 80 24
:wait
:dump -
KEYS
shows "[5 Pool]"
shows "chat"
shows "fits"
shows "hourly"

screen "what if: GPUs that the pool does not have, and all rows within reach" \
    --pool lab.cfg --screen <<'KEYS'
:size 80 24
:wait
i
:wait
:dump -
G
:dump -
KEYS
shows "j/k"
shows "all GPUs b200"

sed 's/^name/hours = 168; name/' lab.cfg >week.cfg
screen "a day of a week has its name, and a wide screen all of them" --pool week.cfg --screen <<'KEYS'
:size 80 24
:wait
:dump -
:size 200 50
:dump -
KEYS
shows "verdict Mon   6     12    18     GPUs now"
shows "verdict Mon         Tue         Wed         Thu         Fri         Sat         Sun          GPUs now"

screen "by name, hours, rungs and panels" <<'KEYS'
:size 80 24
:pool lab.cfg --rung shared
:wait
l
h
v
Tab
:dump -
KEYS
shows "A "
shows "hourly"

screen "what is short, and its cheapest change" --pool small.cfg --screen <<'KEYS'
:size 100 30
:wait
p
:wait
:dump -
a
:wait
:dump -
u
:dump -
KEYS
shows "short"
shows "a applies it"
shows "chat: TPOT 45 ms" # no goal that the file does not have
shows "a: apply"
shows "paid \$/day"
lacks "TTFT 0 ms"
shows "small.cfg*"
shows "undone"

screen "what if, of the rung that is shown" --pool lab.cfg --screen --rung hourly <<'KEYS'
:size 80 24
:wait
i
:wait
:dump -
v
:wait
:dump -
i
:dump -
KEYS
shows "What if"
shows "lose chassis A with 4 GPUs"
shows "demand of all x 1.3"
shows "as planned"
shows "GPUs: a letter each"
shows "to buy"
shows "bound \$/day"

screen "who breaks first, in the words of --pool; of each rung anew" --pool lab.cfg --screen \
    --rung hourly <<'KEYS'
:size 160 40
:wait
i
:wait
:dump -
v
:wait
:dump next
KEYS
for rung in hourly cloud; do
    [ "$rung" = hourly ] || out=$(cat next)
    said=$(grep -o '[a-z]* breaks first[^│]*' <<<"$out" | head -1 | sed 's/ *$//')
    assert_contains "$rung: a sentence of --pool" "${said:-no sentence}" \
        "$("$gp" --pool lab.cfg --rung "$rung" | tr -s '\n ' ' ')"
    shows "starts slowest: a replica of "
done

awk 'BEGIN {
    print "hours = 168; gpus = ( { gpu = \"h100-pcie\"; buy = 2000; }, { gpu = \"l40s\"; buy = 200; } );"
    print "workloads = ("
    for (i = 0; i < 150; i++)
        printf "%s{ name = \"w%d\"; model = \"llama-3.1-8b\"; demand = " \
            "{ shape = \"%s\"; peak = %.1f; }; }\n", i ? "," : "", i,
            i % 2 ? "office" : "evening", 1 + i % 7
    print ");"
}' >many.cfg

screen "stopped: the plans so far are kept" --pool many.cfg --screen --solve-seconds 100 <<'KEYS'
:size 80 24
:until solving:
:dump -
x
:wait
:dump -
i
x
:wait
:dump -
KEYS
shows "solving: "
shows "x:stop"
shows "x stops, and keeps the plans found so far"
shows "stopped: the best plans so far"
shows " of 150 " # what there is no room for is counted
shows "/5"
shows "[5 Pool]"

screen "another file while one is solved; and the end" \
    --pool many.cfg --screen --solve-seconds 100 <<'KEYS'
:size 80 24
:until solving:
:pool lab.cfg
:wait
:dump -
:pool many.cfg --solve-seconds 100
:until solving:
KEYS
shows "lab.cfg"
shows "solved; v: the next way"
lacks "many.cfg"

screen "exported as a page" --pool lab.cfg --screen <<'KEYS'
:size 80 24
:wait
e "page.html" Enter
:dump -
KEYS
shows "page.html"
assert_contains "a page" "<html" "$(cat page.html 2>/dev/null)"
assert_contains "with the decision" "least to own: " "$(cat page.html 2>/dev/null)"

screen "a file that is none" <<'KEYS'
:size 80 24
:pool nothing.cfg
:dump -
KEYS
shows "no pool 'nothing.cfg'"

screen "one column" --pool lab.cfg --screen <<'KEYS'
:size 50 14
:wait
Tab
Tab
:dump -
KEYS
shows "Ways to own the GPUs"

finish
