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

screen "no pool: no tab, and a word" <<'KEYS'
:size 80 24
5
:dump -
KEYS
lacks "5 Pool"
shows "nothing is loaded for Pool"

screen "from the command line" --pool lab.cfg --screen --rung hourly <<'KEYS'
:size 80 24
:wait
:dump -
KEYS
shows "[5 Pool]"
shows "chat"
shows "fits"
shows "hourly"

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
shows "Ladder"

finish
