#!/bin/bash
# tasks.sh - what people came for, in few keys: each reaches its answer, and the keys are counted.

. "${srcdir:-.}/tests/script/lib.sh"

cat >lab.cfg <<'END'
name = "lab";
gpus = ( { gpu = "h100-pcie"; stock = 8; price = 25000.0; rent = 2.0; } );
workloads = (
    { name = "chat"; model = "llama-3.1-8b"; precision = "fp8"; tpot_ms = 30;
      demand = { shape = "evening"; peak = 20.0; }; }
);
END

# keys_of SCRIPT: how many keys it presses; a text in quotes is a key each character.
keys_of() {
    local quoted plain
    quoted=$(grep -o '"[^"]*"' <<<"$1" | tr -d '"\n')
    plain=$(sed 's/"[^"]*"//g' <<<"$1")
    echo $((${#quoted} + $(wc -w <<<"$plain")))
}

# task NAME MOST KEYS OPTION...: the screen afterwards in $out.
task() {
    local name=$1 most=$2 keys=$3
    shift 3
    screen "$name" "$@" <<KEYS
:size 120 36
:wait
$keys
:wait
:dump -
KEYS
    assert_true "$name: $(keys_of "$keys") keys, at most $most" [ "$(keys_of "$keys")" -le "$most" ]
}

task "does a 70B in int4 fit on two 24 GB cards, and with which context?" 9 'Down Down Down Down s' \
    -m 70B -p int4-awq -g a10g:2
shows "2 GPUs"
task "what serves 32 users of 16k tokens at 30 ms a token?" 20 '' \
    -m deepseek-v3 -u 32 -c 16k --tpot 30
shows "TPOT"
shows "Alternatives, cheapest first"
task "from which batch on is an L40S saturated?" 4 3 -m 8B -g l40s
shows "users: 90 % of the most"
task "three GPUs side by side, and exported" 12 '2 Down Space Space Space v e "c.md" Enter' \
    -m llama-3.1-70b -u 16
shows "Side by side"
assert_eq "of the marked rows alone, under their titles" 5 "$(grep -c '^|' c.md)"
task "8B, 70B, 400B in FP16: memory, GPUs, dollars" 6 '2 m' -g l40s
for size in 8B 70B 400B; do
    shows " $size "
done
shows "24 x 3"
task "another demand of a pool, and its hours" 6 '+ + l' --pool lab.cfg --screen
shows "[5 Pool]"
shows "lab.cfg*"
screen "undo" -m 8B -g l40s <<'KEYS'
:users 16
u
:dump -
KEYS
shows "Users      1 at once"
finish
