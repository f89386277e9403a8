#!/usr/bin/env bash
# glance.sh - what a newcomer asks is answered by the screen, at every size and in every
# scheme; the first time from start to a measurement is counted in bench.sh.
. "${srcdir:-.}/tests/script/lib.sh"

XDG_DATA_HOME=$work/data
export XDG_DATA_HOME
ask=(-m 70B -p int8 -g l40s)

# answered QUESTION PATTERN: the screen has a line like this.
answered() {
    checks=$((checks + 1))
    printf '%s\n' "$out" | grep -qE -- "$2" && return
    fail "$last: no answer to: $1" "wanted: $2" "$out"
}

# ---- a newcomer's questions ---------------------------------------------------------

screen "a plan that fits" "${ask[@]}" --tpot 60 <<'KEYS'
:wait
:dump -
KEYS
answered "does it fit?" 'FITS  '
answered "how many GPUs?" 'FITS +2 GPUs'
answered "of which kind?" 'Answer: 2 x L40S'
answered "what does an hour cost?" 'FITS.*\$[0-9.]+/h'
answered "what do a million tokens cost?" 'FITS.*\$[0-9.]+/M'
answered "what a month?" '\$[0-9,.]+/mo'
answered "whose price, of when?" 'on demand.*[a-z]+, (by )?20[0-9]{2}-'
answered "would buying be cheaper?" 'buy +\$[0-9.]+/h +break-even'
answered "how full is it?" 'memory [0-9]+ % of budget'
answered "what is to spare?" '[0-9.]+ GiB to spare'
answered "what takes the memory?" 'weights [0-9.]+.*KV [0-9.]+.*act [0-9.]+.*run [0-9.]+'
answered "how fast is it?" 'TPOT +[0-9.]+ ms +[0-9.]+\.\.[0-9.]+'
answered "when comes the first word?" 'TTFT +[0-9.]+ m?s'
answered "how much in all?" 'output +[0-9.]+ tok/s'
answered "is my goal met?" 'TPOT .* 60 +likely'
answered "what limits it?" 'bound +memory bandwidth'
answered "how many users does it hold?" 'holds +[0-9.]+ requests'
answered "what runs out first?" 'limit: KV pool'
answered "is it measured?" '\(4: measure it\)'
answered "is it an estimate?" 'Speed: model'
answered "what would be better?" 'Changes \(a\)'
answered "where is help?" '\?:help'
answered "how do I get out?" 'q:quit'

screen "a plan that does not fit" -m 70B -p int8 -g l40s:1 <<'KEYS'
:wait
:dump -
KEYS
answered "does it fit?" 'NO FIT'
answered "what is short?" 'NO FIT +short [0-9.]+ GiB on each L40S'
answered "what would fit, at what cost, how fast?" \
    '1 [a-z0-9-]+.* fits +[0-9]+ +\$[0-9.]+ +[0-9.]+'
answered "why does it not fit?" 'the weights take'

# What answers with a vector has no tokens of answers: prompts are timed and paid for.
mkdir -p "$XDG_DATA_HOME/gpuplan/profiles/models"
cp "$src/profiles/models/qwen3-embedding-8b.cfg" "$XDG_DATA_HOME/gpuplan/profiles/models/"
screen "an embedding model" -m Qwen/Qwen3-Embedding-8B -g l4 --rate 20 <<'KEYS'
:size 120 36
:wait
:dump -
2
:wait
:dump compare
:size 40 12
1
:wait
:dump small
KEYS
answered "what do prompts cost?" 'FITS.*\$[0-9.]+/M tok'
answered "how long does one take?" 'time p9[59] +[0-9.]+ m?s'
answered "how many are served?" 'prompts +[0-9.]+/s'
answered "and at most?" 'at most +[0-9.]+/s'
answered "how does it grow?" 'Prompts/s over users'
lacks " tok/s"
lacks "│TPOT "
assert_eq "$last: no TPOT in changes" "" "$(grep -E '^.*(cheaper|faster) +[0-9]+ +[0-9.]+ ' <<<"$out")"
assert_eq "$last: nor in Compare" "" "$(grep -E '(met|likely|fits) +[0-9.]+(±| )' compare)"
assert_contains "$last: at 40 columns" "a prompt in " "$(cat small)"
rm -r "$XDG_DATA_HOME/gpuplan"

screen "a goal that is missed" -m 70B -p int8 -g l40s:2 --tpot 20 <<'KEYS'
:wait
:dump -
KEYS
answered "does it fit?" 'FITS, SLOW +2 GPUs'
answered "which goal is missed?" 'TPOT .* 20 +missed'

screen "what else is there" "${ask[@]}" --tpot 60 <<'KEYS'
:size 120 36
:wait
:dump -
KEYS
answered "what are the alternatives?" 'Alternatives'
answered "at what cost and speed?" '[a-z0-9-]+ +[0-9]+ +\$[0-9.]+ +[0-9.]+ +\$[0-9.]+'
answered "how many more users break it?" '\+[0-9,]+ users?[:,] .*(KV pool|goal)'
answered "how does it grow?" 'over users'

# With a goal of TTFT the requests beyond what is held wait, and no verdict ends the axis.
shipped_catalogue
frozen=$work/program/${gp##*/}
screen "a goal does not stretch the plot" -m 70B -p int8 -g l40s:4 -u 4 --ttft 1000 <<'KEYS'
:size 200 60
:wait
:dump -
KEYS
answered "how does it grow?" 'over users'
lacks "256k"
gp=$frozen

screen "which GPU" -m 70B -p int8 -g l4 <<'KEYS'
/ "gpu" Enter
Enter
:wait
:dump -
Esc
:gpu auto
g Down Enter
:wait
:dump -
KEYS
answered "what would the cheapest be?" 'auto.* fits +[0-9]+ +\$[0-9.]+ +[0-9.]+ +\$[0-9.]+'
answered "what each GPU?" 'RTX A6000 .* fits +2 +\$[0-9.]+'
answered "and each format?" 'int8 .* fits +[0-9]+ +\$'

screen "all of them" "${ask[@]}" <<'KEYS'
2
:wait
:dump -
KEYS
answered "where is my plan?" '^│= +l40s +int8 +2 +fits'
answered "how many are there?" '[0-9]+ of [0-9]+ fit and meet goals'
answered "what does the star say?" '\* best for its cost'

screen "over time" "${ask[@]}" --rate 0.3 --ttft 2000 <<'KEYS'
6
:wait
:dump -
KEYS
answered "does it keep up?" 'KEEPS UP with 0.3 requests/s'
answered "are my goals kept?" ', goals kept'
answered "of which model, on what?" 'int8, [0-9]+ x l40s'
answered "the slowest of a hundred?" 'TTFT ms +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+ +[0-9.]+\.\.'
answered "for sure?" 'goal TTFT p95 2 s: kept'
answered "what limits?" 'limit: '
answered "what for a dollar?" 'for \$1;'
answered "how do I ask for more?" '\+:rate'

# ---- sizes --------------------------------------------------------------------------

for size in "80 24" "80 23" "79 40" "70 18" "120 36" "200 60" "40 12"; do
    for how in "" --ascii "--color light" "--color never"; do
        # shellcheck disable=SC2086 # words
        screen "$size $how" "${ask[@]}" $how <<KEYS
:size $size
:wait
:dump -
2
:wait
:dump $work/compare.out
KEYS
        answered "the verdict" 'FITS +2 GPUs'
        answered "the cost" '\$2\.00/h +\$[0-9.]+/M'
        answered "memory" 'memory 94 % of budget'
        answered "speed" 'TPOT +52\.1 ms'
        answered "the way out" '\?:help  q:quit$'
        wide=$(printf '%s\n' "$out" | wc -L)
        assert_true "$last: no wider than ${size% *}" [ "$wide" -le "${size% *}" ]
        assert_eq "$last: rows" "${size#* }" "$(printf '%s\n' "$out" | wc -l)"
        out=$(cat "$work/compare.out")
        answered "the plan among the others" '= +l40s +int8 +2'
    done
done

# More room, more to see: what a size adds.
for size in "70 18:Ask:Alternatives" "119 35:Ask:Alternatives" "120 36:Alternatives:─ Compare" \
    "199 60:Alternatives:─ Compare" "200 60:─ Compare:x"; do
    has=${size#*:}
    screen "what $size adds" "${ask[@]}" <<KEYS
:size ${size%%:*}
:wait
:dump -
KEYS
    shows "${has%:*}"
    [ "${has#*:}" = x ] || lacks "${has#*:}"
done

# What does not fit says so in the same two words on every screen; a row is never cut within a
# word of the sentence below it, and no folded field loses what it says.
for size in "80 24" "79 40" "70 18" "40 12"; do
    screen "no fit, $size" -m llama-3.1-70b -p bf16 -g l40s:1 <<KEYS
:size $size
:wait
:dump -
2
:wait
:dump -
3
:wait
:dump -
m
:wait
:dump -
x
:wait
:dump -
KEYS
    shows "NO FIT"
    lacks "does-not-fit"
    assert_eq "$last: no folded field is cut" "" "$(grep '^│+.*…│' <<<"$out")"
    assert_eq "$last: no sentence is cut in a word" "" "$(grep '^ .*[^ ]…$' <<<"$out")"
done

# On Bench what can be chosen is readable, in two columns or in one; Tab shows the other.
for size in "80 24" "70 18" "40 12"; do
    screen "Bench, $size" -m llama-3.1-70b -p int8 -g l40s <<KEYS
:size $size
4
:wait
:dump -
Tab
:dump other
KEYS
    shows "Measure"
    assert_contains "$last: the plan of it" "The plan" "$(cat other)"
    assert_eq "$last: no test is cut" "" "$(grep '\[[x ]\] [a-z].*…' <<<"$out")"
done

finish
