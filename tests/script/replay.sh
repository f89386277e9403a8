#!/bin/bash
# replay.sh - the Replay screen: the plan's requests over time, its rate found or given, changed by
# keys, taken into the plan; what it exports is what gpuplan --replay prints.

. "${srcdir:-.}/tests/script/lib.sh"

load=(-m 8B -g l40s -c 4k)

screen "a rate is offered, and said" "${load[@]}" <<'KEYS'
t
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare  3 Curves  4 Bench  5 Pool [6 Replay]
 KEEPS UP with 3.5 requests/s  generic 8B bf16, 1 x l40s TP 1
┌─ r running, w waiting ──── requests ─┐┌─ KV cache ────────────────── % full ─┐
│  │             │                 ⣀   ││100│            │                     │
│  │      ⡀ ⢀⣰⢣  │ ⢠⡄           ⣄ ⢸⠻⡀  ││   │            │                     │
│50│⢀⡀⣸⣀⣰⢸⢹⣤⡏⠉⠸⣤⡀⣤⣾⡇⡷⣶⣇⣄⣴⣠⠶⢶⡀⡸⢷⣴⠛⢦⡏ ⢷⡀ ││ 50│         ⢀⡀ │                ⢀⣀   │
│  │⢸⢳⡇⠛⠇⠁⠈⠉⠁   ⠹⠙   ⠟⠘⠉⠘⠙  ⠳⠇⠘⠃ ⠈⠃  ⠹⡀││   │⢀⡀⡴⣤⣤⡼⢣⢤⠞⠋⠳⢤⣤⣴⡶⠻⢶⡴⣤⡤⣤⡴⠶⢄⢰⠶⡤⠟⢶⡞⠈⠣⣄ │
│ 0│⠘⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠖⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒wr││  0│⠘⠉⠁⠈⠁       ⠉   ⠈      ⠈⠉       ⠈⠃│
│  └───────────────────────────────────││   └──────────────────────────────────│
│   0          200         400         ││    0          200         400        │
└─ seconds since the first request ────┘└─ seconds since the first request ────┘
┌─ Percentiles by vLLM 0.33+ ───────────────────────────────── 2,000 requests ─┐
│                  p50         p90         p95         p99  p99 low..high      │
│ TTFT ms          159         300         351         449  172..overload      │
│ TPOT ms         39.8        49.3        53.2        56.3  28.7..356          │
│ gap ms          29.7         101         105         183  54.8..572          │
│ E2E s           10.3        12.8        13.8        14.6  7.45..341          │
│ limit: tokens of a step                                                      │
│ served 3.62 requests/s, 13,048 for $1; 928 tok/s; $1.00/h, $0.30/M tokens    │
│ preemptions 0; prompts cached 0 %; refused 0                                 │
└──────────────────────────────────────────────────────────────────────────────┘
 210 s: running 35.0, waiting 0.7, KV 20 %, TTFT p99 510 ms
 the plan has no rate: this is 60 % of the 5.79 requests/s that it can serve
 Enter:change  +:rate  ]:replicas  t:goals  o:arrivals  m:most   ?:help  q:quit
END

screen "a given rate, with a goal" "${load[@]}" --rate 2 --ttft 400 <<'KEYS'
6
:dump -
:size 120 36
:dump wide
:size 200 60
:dump all
:size 40 12
:dump small
Tab Tab Tab Tab
:dump table
KEYS
shows "KEEPS UP with 2 requests/s, goals kept"
shows "goal TTFT p95 400 ms: kept"
for word in "running, w waiting" "KV cache" "TTFT: 5 p50" "    low " "at the cursor" "preemptions 0"; do
    assert_contains "120x36" "$word" "$(cat wide)"
done
for word in "tokens: i prompts" "% of requests by their TTFT"; do
    assert_contains "200x60" "$word" "$(cat all)"
done
assert_contains "40x12" "running, w waiting" "$(cat small)"
assert_contains "40x12, Tab" "Percentiles by vLLM" "$(cat table)"

sizes=("80 24" "80 23" "79 40" "70 18" "100 50" "120 36" "200 60" "40 12")
screen "every size" "${load[@]}" --rate 9 --ttft 200 --tp 1 --pp 1 --replicas 1 <<KEYS
6
:ttft-p99 100
$(for size in "${sizes[@]}"; do printf ':size %s\n:dump %s\n' "$size" "${size// /x}"; done)
KEYS
for size in "${sizes[@]}"; do
    assert_contains "$size" "OVERLOADED by 9 requests/s" "$(cat "${size// /x}")"
    assert_true "no wider than $size" [ "$(wc -L <"${size// /x}")" -le "${size% *}" ]
    assert_eq "rows of $size" "${size#* }" "$(wc -l <"${size// /x}")"
done

# Whatever --replay takes of arrivals and goals has its row; files that it writes have e, and a
# server's page is read in the shell.
names=$("$gp" --replay --help | sed -n '/^Replay/,/^[A-Z].*:$/s/^ *--\([a-z0-9-]*\).*/\1/p' |
    grep -v -x -e like -e scale -e timeline -e requests-out)
assert_contains "options" "ttft-p99" "$names"
screen "all of --replay's options" -m 8B -g apple-m3-ultra <<KEYS
6
$(printf ':%s\n:dump -\n' $names)
KEYS
lacks "has no field"

# What is written is what the command shown prints.
screen "export, and its command" "${load[@]}" <<'KEYS'
t + ] s
:ttft-p99 900
:size 200 60
:export r.json
:export r.txt
:export r.csv
c
:dump -
KEYS
command=$(printf '%s\n' "$out" | sed -n 's/^ gpuplan --replay/--replay/p')
assert_contains "its command" "--replicas 2" "$command"
assert_contains "its command" "--seed 24302" "$command"
# shellcheck disable=SC2086 # its words
"$gp" $command --format json --timeline line.csv >"$work/whole.json"
assert_true "json" cmp r.json "$work/whole.json"
assert_true "csv" cmp r.csv line.csv
# shellcheck disable=SC2086
"$gp" $command >"$work/whole.txt"
assert_true "txt" diff <(tr -s ' \n' ' ' <r.txt) <(tr -s ' \n' ' ' <"$work/whole.txt")

# Keys: each run anew; more requests are no fewer that wait; two replicas halve a replica's load.
screen "too much, and its cure" "${load[@]}" --rate 3 --ttft 500 <<'KEYS'
6
+ + + + + + + + +
:dump -
] ]
:dump after
KEYS
shows "OVERLOADED by 7.0"
shows "GOALS MISSED"
shows "goal TTFT p95 500 ms: missed"
shows "GPUs, TP 1 x"
shows "waiting "
assert_contains "three replicas" "KEEPS UP with 7.0" "$(cat after)"
assert_contains "three replicas" "3 x l40s" "$(cat after)"

screen "the most that keeps the goals, into the plan" "${load[@]}" --ttft 500 <<'KEYS'
t m
:dump -
a
:dump plan
u
:dump undone
KEYS
shows "goals kept"
shows "requests/s: the most that keep the goals"
most=$(printf '%s\n' "$out" | sed -n 's/^ KEEPS UP with \([0-9.]*\) .*/\1/p')
assert_contains "in the plan" "taken into the plan: --rate $most" "$(cat plan)"
assert_contains "undone" "undone: Rate" "$(sed -n '22,23p' undone)"

screen "arrivals" "${load[@]}" -u 4 <<'KEYS'
t + o "burst" Enter
:dump -
+ o "closed" Enter
:dump -
+
:dump -
o "gamma:x" Enter
:dump -
r
:dump -
KEYS
shows "KEEPS UP with 2,000 requests at once"
shows "KEEPS UP with 4 requests in flight"
shows "these arrivals have no rate"
shows "--arrivals"
shows "rate, replicas, arrivals and goals of the plan"

printf 'TIMESTAMP,ContextTokens,GeneratedTokens\n0,100,20\n1,200,30\n2.5,50,10\n' >log.csv
screen "a trace" "${load[@]}" <<'KEYS'
t o "log.csv" Enter
:dump -
:arrivals nonsense
:dump -
KEYS
shows "log.csv"
shows "3 requests"

# Of a day or week its first day, where nothing says more.
screen "a day" "${load[@]}" --rate 0.2 <<'KEYS'
6 o "evening" Enter
:dump -
c
:dump asks
KEYS
shows "─ hour ─"
shows "12:00"
assert_contains "its command" "--arrivals evening --duration 86400" "$(tr '\n' ' ' <asks | tr -s ' │')"

screen "cursor" "${load[@]}" --rate 2 <<'KEYS'
6 Home
:dump -
End
:dump -
:click 6 20
:dump -
KEYS
shows " 0.0 s: running"
assert_eq "three places" 3 "$(printf '%s\n' "$out" | grep -c '^ [0-9.]* s: running' )"

screen "what cannot be replayed" -m 8B -g apple-m3-ultra <<'KEYS'
t
:dump -
:model 405b
:gpu l4:1
:dump -
KEYS
shows "nothing can be replayed"
shows "does-not-fit"

screen "the plan changes: its rate again" "${load[@]}" --rate 2 <<'KEYS'
6 + ]
:rate 1
:dump -
KEYS
shows "KEEPS UP with 1 requests/s"
shows "1 x l40s"

screen "ASCII" "${load[@]}" --rate 2 --ascii <<'KEYS'
6
:dump plain
KEYS
assert_true "plain ASCII" sh -c '! LC_ALL=C grep -q "[^ -~]" plain'
finish
