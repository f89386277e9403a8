#!/bin/bash
# compare.sh - the Compare screen: rows, order, filter, marks, columns, detail; every
# number equal to that of gpuplan --compare.

. "${srcdir:-.}/tests/script/lib.sh"

load=(-m llama-3.1-70b -c 8k -u 16)

# ---- sizes ----------------------------------------------------------------------------

screen "80 x 24" "${load[@]}" <<'KEYS'
2
:wait
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay        66 rows
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 66 ─┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter -  * best for its cost       │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│ * rtx-a6000         int4-awq   2  fits        118.1±75   1.00    2.21     111│
│   rtx-a6000         fp8        2  fits        121.8±77   1.00    2.24      33│
│   a100-sxm-80       int4-awq   1  fits         75.4±42   1.29    1.80      87│
│   a100-pcie-80      int4-awq   1  fits         76.5±42   1.35    1.91      87│
│   rtx-6000-ada      int4-awq   2  fits         74.6±45   1.65    2.29     110│
│   rtx-6000-ada      fp8        2  fits         73.3±45   1.65    2.19      33│
│ * …pro-6000-server  int4-awq   1  fits         79.3±44   1.69    2.50     119│
│   …pro-6000-server  fp8        1  fits         74.3±41   1.69    2.24      40│
│   l4                int4-awq   4  fits        121.0±74   1.76    3.96      78│
│   a40               int4-awq   2  fits        123.9±78   1.80    4.17      97│
│   a40               fp8        2  fits       182.3±115   1.80    6.13      36│
└──────────────────────────────────────────────────────────────────────────────┘
┌─ rtx-a6000 x 4, bf16 (as published): fits ────────────────── 1-2 of 18, Tab ─┐
│█████████████████████████████████████████████████████▓▓▓▓▒░░░░░········│ 43.62│
│█ weights 32.9 ▓ KV 2.2 ▒ act 0.5 ░ run 2.8 · spare 5.2                       │
└──────────────────────────────────────────────────────────────────────────────┘
 rtx-a6000 x 4, bf16 (as published): fits, = the plan
 ~ estimated, ? assumed, - unknown; TPOT with its band's wider side
 Enter:open  a:apply  s:sort  /:filter  m:sizes  y:why  w:save   ?:help  q:quit
END

screen "120 x 36" "${load[@]}" <<'KEYS'
:size 120 36
2
:wait
:dump -
KEYS
only 1,12 29,36
expect <<'END'
 gpuplan  1 Plan   [2 Compare]   3 Curves    4 Bench    5 Pool    6 Replay                                      66 rows
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───────────────────────────────────────────── 1-24 of 66 ─┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter -  * best for its cost                                               │
│   GPU            format     n  verdict     ~TPOT ms  ~tok/s    $/h    ~$/M  ~users  layout      weights GiB  bound by│
│=  rtx-a6000      bf16       4  fits        100.9±72     151   2.00    3.68      75  TP4               32.89  weights │
│ * rtx-a6000      int4-awq   2  fits        118.1±75     126   1.00    2.21     111  TP2               18.55  prefill │
│   rtx-a6000      fp8        2  fits        121.8±77     124   1.00    2.24      33  TP2               33.88  weights │
│   a100-sxm-80    int4-awq   1  fits         75.4±42     199   1.29    1.80      87  TP1               37.07  prefill │
│   a100-pcie-80   int4-awq   1  fits         76.5±42     197   1.35    1.91      87  TP1               37.07  prefill │
│   rtx-6000-ada   int4-awq   2  fits         74.6±45     200   1.65    2.29     110  TP2               18.55  prefill │
│   rtx-6000-ada   fp8        2  fits         73.3±45     209   1.65    2.19      33  TP2               33.88  weights │
│ * …-6000-server  int4-awq   1  fits         79.3±44     188   1.69    2.50     119  TP1               37.07  prefill │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
┌─ rtx-a6000 x 4, bf16 (as published): fits ────────────────────────────────────────────────────────── 1-2 of 15, Tab ─┐
│████████████████████████████████████████████████████████████████████████████████████▓▓▓▓▓▓▒░░░░░░░·············│ 43.62│
│█ weights 32.9 ▓ KV 2.2 ▒ act 0.5 ░ run 2.8 · spare 5.2                                                               │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 rtx-a6000 x 4, bf16 (as published): fits, = the plan
 ~ estimated, ? assumed, - unknown; TPOT with its band's wider side
 Enter:open  a:apply  s:sort  /:filter  m:sizes  y:why  Space:mark  e:export  p:precisions  w:save       ?:help  q:quit
END

screen "40 x 12: the table" "${load[@]}" <<'KEYS'
:size 40 12
2
:wait
:dump -
KEYS
expect <<'END'
 1 [2 Compare] 3  4  5  6       66 rows
 62 of 66 fit and meet goals  sort $/h ▲
   GPU               format     n    $/h
=  rtx-a6000         bf16       4   2.00
 * rtx-a6000         int4-awq   2   1.00
   rtx-a6000         fp8        2   1.00
   a100-sxm-80       int4-awq   1   1.29
   a100-pcie-80      int4-awq   1   1.35
   rtx-6000-ada      int4-awq   2   1.65
   rtx-6000-ada      fp8        2   1.65
 rtx-a6000 x 4, bf16 (as published): …
 Enter:open  a:apply     ?:help  q:quit
END

screen "40 x 12: the row in focus at length, by Tab" "${load[@]}" <<'KEYS'
:size 40 12
2
:wait
Tab
:dump -
PgDn
:dump -
KEYS
expect <<'END'
 1 [2 Compare] 3  4  5  6       66 rows
████████████████████████▓▓▒░░····│ 43.62
█weights 32.9 ▓KV 2.2 ▒act 0.5 ░run 2.8
TP 4, 1 host: holds ~75 requests of
1,280 tokens, 16 asked for
on demand $2.00/h, $1,460/month: 1 x
hyperstack n3-RTX-A6000x4, 4 GPUs (by
2026-11); its source gives this price no
date: check it
TPOT 101 ms (62..173 ms), TTFT 1.40 s
 rtx-a6000 x 4, bf16 (as published): …
 Enter:use in plan       ?:help  q:quit
 1 [2 Compare] 3  4  5  6       66 rows
█weights 32.9 ▓KV 2.2 ▒act 0.5 ░run 2.8
TP 4, 1 host: holds ~75 requests of
1,280 tokens, 16 asked for
on demand $2.00/h, $1,460/month: 1 x
hyperstack n3-RTX-A6000x4, 4 GPUs (by
2026-11); its source gives this price no
date: check it
TPOT 101 ms (62..173 ms), TTFT 1.40 s
(0.50..6.70 s),   all at once 5.59 s
 rtx-a6000 x 4, bf16 (as published): …
 Enter:use in plan       ?:help  q:quit
END

screen "ASCII" --ascii "${load[@]}" <<'KEYS'
2
:wait
Down
:dump -
KEYS
only 1,9 17,21
expect <<'END'
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay        66 rows
+- llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ----- 1-12 of 66 -+
| 62 of 66 fit and meet goals  sort $/h ^  filter -  * best for its cost       |
|   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users|
|=  rtx-a6000         bf16       4  fits       100.9+-72   2.00    3.68      75|
|>* rtx-a6000         int4-awq   2  fits       118.1+-75   1.00    2.21     111|
|   rtx-a6000         fp8        2  fits       121.8+-77   1.00    2.24      33|
|   a100-sxm-80       int4-awq   1  fits        75.4+-42   1.29    1.80      87|
|   a100-pcie-80      int4-awq   1  fits        76.5+-42   1.35    1.91      87|
+------------------------------------------------------------------------------+
+- rtx-a6000 x 2, int4-awq: fits ----------------------------- 1-2 of 20, Tab -+
|##############################=======:-----............................| 43.62|
|# weights 18.6 = KV 4.4 : act 0.5 - run 2.8 . spare 17.3                      |
+------------------------------------------------------------------------------+
END

screen "all columns" "${load[@]}" <<'KEYS'
:size 160 30
2
:wait
f "l40s" Enter
:dump -
KEYS
only 2,8
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────────────────────────────────────────────────────────────────────────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter l40s  * best for its cost                                                                                    │
│   GPU                  format     n  verdict     ~TPOT ms  ~tok/s    $/h    ~$/M  ~users  layout      memory GiB  weights GiB  KV pool GiB  $/month  bound by│
│=  rtx-a6000            bf16       4  fits        100.9±72     151   2.00    3.68      75  TP4              47.99        32.89        ~7.35     1460  weights │
│▸  l40s                 int4-awq   2  fits         77.8±47     193   2.00    2.89      96  TP2              44.99        18.55       ~18.90     1460  prefill │
│   l40s                 fp8        2  fits        111.3±58     139   2.00    4.00      36  TP1 PP2          44.99        33.88        ~7.11     1460  weights │
│   l40s                 bf16       4  fits         83.8±51     183   4.00    6.08      46  TP4              44.99        32.89        ~4.57     2920  weights │
END

# ---- order ----------------------------------------------------------------------------

screen "by the next column, and the other way round" "${load[@]}" <<'KEYS'
2
:wait
s
:dump -
S
:dump -
s s
:dump -
KEYS
only 2,6 26,30 50,54
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 66 ─┐
│ 62 of 66 fit and meet goals  sort $/M ▲  filter -  * best for its cost       │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│   b200              fp8        1  fits        19.8±8.5   4.89    1.74     234│
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 66 ─┐
│ 62 of 66 fit and meet goals  sort $/M ▼  filter -  * best for its cost       │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│   a10g              fp8        8  fits       195.4±123  11.34   43.27      52│
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 66 ─┐
│ 62 of 66 fit and meet goals  sort layout ▲  filter -  * best for its cost    │
│   GPU           format     n  verdict     ~TPOT ms    $/h    ~$/M  layout    │
│=  rtx-a6000     bf16       4  fits        100.9±72   2.00    3.68  TP4       │
│   a100-sxm-80   int4-awq   1  fits         75.4±42   1.29    1.80  TP1       │
END

screen "what does not fit is last, with its limit" "${load[@]}" <<'KEYS'
2
:wait
f "p100" Enter
G
:dump -
KEYS
only 2,21
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter p100  * best for its cost    │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│   p100-sxm2-16      fp8        1  no fit: type of the weights, short 90.5 GiB│
│   p100-sxm2-16      int4-awq   1  no fit: type of the weights, short 59.9 GiB│
│▸  p100-sxm2-16      bf16       8  no fit: weights, short 6.1 GiB             │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
┌─ p100-sxm2-16 x 8, bf16 (as published): no fit ───────────── 1-2 of 14, Tab ─┐
│███████████████████████████████████████████████████│█▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒░  15.81│
│█ weights 16.2 ▓ KV 5.0 ▒ act 0.5 ░ run 0.3                                   │
└──────────────────────────────────────────────────────────────────────────────┘
END

screen "F6 sorts, F4 filters" "${load[@]}" <<'KEYS'
2
:wait
F6 F6 F6 F6 F6
F4 "gpus=1 !nvidia fits" Enter
:dump -
KEYS
only 2,13
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 62 of 66 fit and meet goals  sort weights ▲  filter gpus=1 !nvidia fits      │
│   GPU               format     n  verdict    $/h    ~$/M  ~users  weights GiB│
│=  rtx-a6000         bf16       4  fits      2.00    3.68      75        32.89│
│▸  apple-m3-ultra    int4-awq   1  fits         -       -     886        37.04│
│   apple-m3-ultra    bf16       1  fits         -       -     644       131.42│
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
END

# ---- filter ---------------------------------------------------------------------------

screen "words and numbers" "${load[@]}" <<'KEYS'
2
:wait
/ "mem>=40 $<10 nvidia !pcie" Enter
:dump -
Esc
:dump -
KEYS
only 1,8 25,28
expect <<'END'
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay       31 of 66
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 31 ─┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter mem>=40 $<10 nvidia !pcie    │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│▸* rtx-a6000         int4-awq   2  fits        118.1±75   1.00    2.21     111│
│   rtx-a6000         fp8        2  fits        121.8±77   1.00    2.24      33│
│   a100-sxm-80       int4-awq   1  fits         75.4±42   1.29    1.80      87│
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay        66 rows
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 66 ─┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter -  * best for its cost       │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
END

screen "it filters while it is typed; Esc takes it back, Enter keeps it" "${load[@]}" <<'KEYS'
2
:wait
Down Down
:dump before
/ "l40s"
:dump typing
Space "mem>"
:dump unfinished
Esc
:dump back
/
:paste l40s fp8
:dump pasted
Enter
:dump kept
KEYS
assert_contains "typing" "filter l40s  " "$(cat typing)"
assert_contains "its keys" "type:filter  Enter:keep  Up:earlier  Esc:as before" "$(cat typing)"
assert_contains "what is not whole changes nothing" "filter l40s  " "$(cat unfinished)"
assert_eq "back, with the row in focus" "$(cat before)" "$(cat back)"
assert_contains "pasted" "filter l40s fp8 " "$(cat pasted)"
assert_contains "kept" "filter l40s fp8 " "$(cat kept)"

screen "a filter that cannot be" "${load[@]}" <<'KEYS'
2
:wait
f "mem>=much" Enter
:dump -
Esc
f "speed>3" Enter
:dump -
KEYS
only 2,4 22,24 26,28 46,48
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 66 ─┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter -  * best for its cost       │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
 filter: 'much' is not a number (as in mem>=40, $<10)
 Only rows with: mem>=much
 type:filter  Enter:keep  Up:earlier  Esc:as before
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ───── 1-12 of 66 ─┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter -  * best for its cost       │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
 filter: unknown column 'speed' (mem gpus tp pp rep weights pool kv requests $…
 Only rows with: speed>3
 type:filter  Enter:keep  Up:earlier  Esc:as before
END

screen "nothing is left" "${load[@]}" <<'KEYS'
2
:wait
f "no-such-gpu" Enter
:dump -
KEYS
only 1,8
expect <<'END'
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay        1 of 66
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter no-such-gpu                  │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│                                                                              │
│                                                                              │
│                                                                              │
END

# ---- marks, precisions ----------------------------------------------------------------

screen "marked rows come first" "${load[@]}" <<'KEYS'
2
:wait
f "h100" Enter
Down Space Space g
:dump -
KEYS
only 2,9
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter h100  * best for its cost    │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│+  h100-sxm          int4-awq   1  fits         55.1±24   2.29    2.35      83│
│+  h100-pcie         fp8        2  fits         32.5±14   3.80    2.21     173│
│   h100-pcie         int4-awq   1  fits         75.2±32   1.90    2.66      83│
│   h100-pcie         bf16       2  fits         52.4±22   3.80    3.55      32│
END

screen "only marked rows" "${load[@]}" <<'KEYS'
2
:wait
f "h100-sxm" Enter
Space Space
f C-u "marked" Enter
:dump -
KEYS
only 2,6
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter marked  * best for its cost  │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│▸  h100-sxm          int4-awq   1  fits         55.1±24   2.29    2.35      83│
END

screen "other precisions" "${load[@]}" <<'KEYS'
2
:wait
p
:dump -
"q4_k_m" Space Enter
:wait
f "h100-sxm" Enter
:dump -
KEYS
shows "3 marked"
shows "[x] native  as published"
only 25,30
expect <<'END'
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay        5 of 88
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 84 of 88 fit and meet goals  sort $/h ▲  filter h100-sxm  * best for its cost│
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│▸  h100-sxm          int4-awq   1  fits         55.1±24   2.29    2.35      83│
END

screen "the plan's own precision is among them" "${load[@]}" -p int8 <<'KEYS'
2
:wait
f "l40s" Enter
:dump -
KEYS
only 3,8
expect <<'END'
│ 79 of 88 fit and meet goals  sort $/h ▲  filter l40s  * best for its cost    │
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         int8       2  fits         92.2±58   1.00    1.67      33│
│▸  l40s              int4-awq   2  fits         77.8±47   2.00    2.89      96│
│   l40s              fp8        2  fits        111.3±58   2.00    4.00      36│
│   l40s              int8       2  fits        112.5±59   2.00    4.04      36│
END

# ---- detail ---------------------------------------------------------------------------

screen "why not" "${load[@]}" <<'KEYS'
2
:wait
f "t4 !int4 bf16" Enter
:dump -
KEYS
only 14,23
expect <<'END'
│                                                                              │
│                                                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
┌─ t4 x 16, bf16 (as published): fits ──────────────────────── 1-2 of 22, Tab ─┐
│██████████████████████████████████████████▓▓▓▒░░░░░░░░░░░░░░···········│ 13.83│
│█ weights 8.2 ▓ KV 0.5 ▒ act 0.2 ░ run 2.7 · spare 2.1                        │
└──────────────────────────────────────────────────────────────────────────────┘
 t4 x 16, bf16 (as published): fits
 ~ estimated, ? assumed, - unknown; TPOT with its band's wider side
END

screen "the terms of a row" "${load[@]}" <<'KEYS'
2
:wait
y
:dump -
KEYS
only 1,9
expect <<'END'
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay        66 rows
┌─ rtx-a6000 x 4, bf16 (as published): fits ───────────────────── 1-18 of 565 ─┐
│                                                                              │
│ why                                                                          │
│   GPUs (gpus) = 4 GPUs, exact                                                │
│       tp * pp * replicas                                                     │
│       with tp 4 (chosen), pp 1 (chosen), replicas 1 (chosen), GPUs per host  │
│       8 (sheet)                                                              │
│       from gpuplan-model(7): layout rules of vLLM and Megatron-LM            │
END

screen "what owning costs" "${load[@]}" --price buy <<'KEYS'
2
:wait
f "h100-sxm fp8" Enter
Tab G
:dump -
KEYS
only 2,21
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter h100-sxm fp8                 │
│   GPU                format     n  verdict     ~TPOT ms   ~$/h   ~$/M  ~users│
│=  mi300x             bf16       1  fits         63.3±57   0.81   0.92      98│
│▸  h100-sxm           fp8        2  fits        22.7±9.7   2.40   0.98     173│
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
┌─ h100-sxm x 2, fp8: fits ───────────────────────────────── 15-22 of 22, Tab ─┐
│ai-dynamo/aiconfigurator@095f58a systems/*.yaml; public nvidia-smi outputs;   │
│docs.nvidia.com/datacenter/tesla/mig-user-guide; launch price: HF msrp        │
│(rounded estimate)                                                            │
│engine: jgchn/llm-d-planner@56dc5b76ca53 accuracy/results (raw logs);         │
│llm-d-incubation/llm-d-planner@e50305af90f0                                   │
│docs/empirical-vllm-memory-results.md (2026-11)                               │
│price: data-gate.ch 2026-05-25 / aiinframap mid-2026 (25-30k; used SXM 22-25k │
│runlocalai Q1 2026)                                                           │
└──────────────────────────────────────────────────────────────────────────────┘
END

# ---- the plan and back ----------------------------------------------------------------

screen "a change of the load plans anew" "${load[@]}" <<'KEYS'
2
:wait
f "h100-sxm" Enter
:dump -
:users 200
:wait
:dump -
KEYS
only 2,7 26,31
expect <<'END'
┌─ llama-3.1-70b, 16 users of 1,280 tokens, each up to 8,192 ──────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter h100-sxm  * best for its cost│
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│▸  h100-sxm          int4-awq   1  fits         55.1±24   2.29    2.35      83│
│   h100-sxm          fp8        2  fits        22.7±9.7   6.98    2.84     173│
┌─ llama-3.1-70b, 200 users of 1,280 tokens, each up to 8,192 ─────────────────┐
│ 62 of 66 fit and meet goals  sort $/h ▲  filter h100-sxm  * best for its cost│
│   GPU               format     n  verdict     ~TPOT ms    $/h    ~$/M  ~users│
│=* rtx-a6000         bf16       8  fits           590.2   4.00    3.45     486│
│▸  h100-sxm          int4-awq   3  fits       187.8±104   6.87    1.89     249│
│   h100-sxm          bf16       4  fits         82.8±46  13.96    1.68     356│
END

screen "Enter takes the row into the plan, u gives it back" "${load[@]}" -g l4 \
    --tp 8 <<'KEYS'
2
:wait
f "h100-sxm fp8" Enter
Enter Enter
:save taken.json
u
:save before.json
KEYS
assert_contains "GPU and count" '"gpu": "h100-sxm:2"' "$(cat "$work/taken.json")"
assert_contains "precision" '"precision": "fp8"' "$(cat "$work/taken.json")"
assert_lacks "a layout of before" '"tp"' "$(cat "$work/taken.json")"
assert_contains "undone in one step" '"gpu": "l4"' "$(cat "$work/before.json")"
assert_contains "and its layout" '"tp": ' "$(cat "$work/before.json")"

# ---- a click --------------------------------------------------------------------------

screen "a click goes to a row" "${load[@]}" <<'KEYS'
2
:wait
:click 7 10
:dump -
KEYS
only 5,8
expect <<'END'
│=  rtx-a6000         bf16       4  fits        100.9±72   2.00    3.68      75│
│ * rtx-a6000         int4-awq   2  fits        118.1±75   1.00    2.21     111│
│▸  rtx-a6000         fp8        2  fits        121.8±77   1.00    2.24      33│
│   a100-sxm-80       int4-awq   1  fits         75.4±42   1.29    1.80      87│
END

# ---- numbers --------------------------------------------------------------------------

screen "exports" "${load[@]}" <<'KEYS'
:size 200 400
2
:wait
:export all.json
:export all.csv
:export all.txt
:export all.md
:dump -
f "h100- fits" Enter
:export some.csv
KEYS
cp "$work/out" "$work/screen"
for as in json:json csv:csv txt:text md:markdown; do
    run --compare "${load[@]}" --top 1000 --format "${as#*:}"
    assert_true "all.${as%:*} is what --compare prints" \
        cmp -s "$work/out" "$work/all.${as%:*}"
done
assert_eq "an export has the rows shown, in their order" \
    "$(grep ',h100-' "$work/all.csv" | grep ',fits,')" "$(sed 1d "$work/some.csv")"

# Every cell of every row on the screen against the JSON of the command.
if command -v python3 >/dev/null 2>&1; then
    run --compare "${load[@]}" --format json
    python3 - "$work/screen" "$work/out" <<'PY'
import json, re, sys
lines = open(sys.argv[1], encoding='utf-8').read().split('\n')
rows = json.load(open(sys.argv[2]))['rows']
head = next(l for l in lines if 'KV pool GiB' in l)
start = lines.index(head) + 1
shown = []
for line in lines[start:]:
    if line.startswith('└'):
        break
    shown.append(line.strip('│').rstrip())
mark = {'model': '~', 'assumed': '?'}
def cell(q, digits):
    return '-' if q is None else \
        mark.get(q['origin'], '') + '%.*f' % (digits, q['value'] - half)
def banded(q): # and the wider side of its band
    text = cell(q, 1)
    if q is None or q['high'] >= 1000:
        return text
    side = max(q['value'] - q['low'], q['high'] - q['value'])
    return text + ('' if side == 0 else '±%.*f' % (side < 10, side))
word = {'fits': 'fits', 'slow': 'slow', 'marginal': 'marginal', 'does-not-fit': 'no fit'}
half = 0
# the plan's own row is the first on the screen, wherever it is in the list
own = shown.pop(0).lstrip('▸ +=*').split()
assert own, lines
at = [i for i, r in enumerate(rows) if [r['gpu'], r['precision']] == own[:2]]
assert len(at) == 1, own
del rows[at[0]]
for r, s in zip(rows, shown):
    layout = '-' if r['tp'] is None else 'TP%d' % r['tp']
    if r['pp'] and r['pp'] > 1:
        layout += ' PP%d' % r['pp']
    if r['replicas'] and r['replicas'] > 1:
        layout += ' x%d' % r['replicas']
    if r['ep'] and r['ep'] > 1:
        layout += ' EP%d' % r['ep']
    # JSON rounds to 15 digits: what is x.5 there may be a hair less on the screen
    half = 1e-9 if (r['per_month'] or {}).get('value', 0) % 1 == 0.5 and \
        '%.0f' % r['per_month']['value'] not in s else 0
    want = [('', r['gpu']), ('', r['precision']),
            ('n', '-' if r['gpus'] is None else str(r['gpus'])),
            ('', word[r['verdict']]), ('TPOT ms', banded(r['tpot'])),
            ('tok/s', cell(r['output_tokens_per_s'], 0)),
            ('', cell(r['per_hour'], 2)),
            ('$/M', cell(r['per_million_output_tokens'], 2)),
            ('users', cell(r['holds'], 0)), ('', layout),
            ('', cell(r['memory'], 2)), ('', cell(r['weights'], 2)),
            ('', cell(r['kv_pool'], 2)), ('', cell(r['per_month'], 0))]
    # the title has the mark of a column of estimates
    want = [w[1:] if '~' + t in head and t and w[0] == '~' else w for t, w in want]
    star = s.lstrip('▸ +=').startswith('*')
    got = re.split('[█▓▒░·]', s)[0].lstrip('▸ +=*').split() # up to the bar
    if ' bound by' in head: # what limits it; of what is sure what its time goes into
        want.append(r['limit'] if r['limit'] != 'none' else got[-1])
        assert r['verdict'] == 'does-not-fit' or want[-1] in (
            'weights', 'compute', 'experts', 'kv-cache', 'link', 'launch', 'prefill', 'draft',
            'host-memory', r['limit']), s
    if r['verdict'] == 'does-not-fit': # a sentence in place of figures
        assert 'no fit: ' in s, s
        want, got = want[:2], got[:2]
    assert got == ' '.join(want).split(), (got, want)
    assert star == r['front'], r
print('%d rows on the screen are those of the JSON' % len(rows))
PY
    assert_eq "the screen's numbers are the command's" 0 $?
fi

# The command that the screen names prints the rows of the screen.
screen "the command" "${load[@]}" --kv-precision fp8 <<'KEYS'
2
:wait
s s s s s s s s s s s
:export shown.csv
:show-command
:dump -
KEYS
command=$(printf '%s\n' "$out" | tr -d '│\n' | tr -s ' ' |
    grep -o 'gpuplan --compare [^└]*')
out=$command
shows "-c 8k -u 16"
shows "--kv-precision fp8"
shows "-p native -p fp8 -p int4-awq --sort gpus"
# shellcheck disable=SC2086 # words
run ${command#gpuplan } --format csv
assert_true "the command prints the rows shown" cmp -s "$work/out" "$work/shown.csv"

# ---- side by side -------------------------------------------------------------------------

screen "marked rows as columns, exported" "${load[@]}" <<'KEYS'
2
:wait
Down Space Space Down Space
:export marked.csv
v
:dump -
Right Enter
:dump used
KEYS
only 1,24
expect <<'END'
 gpuplan  1 Plan [2 Compare] 3 Curves  4 Bench  5 Pool  6 Replay        66 rows
┌─ Side by side ───────────────────────────────────────────────────────────────┐
│             rtx-a6000 x 2        rtx-a6000 x 2        a100-pcie-80 x 1       │
│             int4-awq             fp8                  int4-awq               │
│ memory      ████▓▒░·····│ 43.62  ████████▓▒░·│ 43.62  █████▓▒░····│ 72.82    │
│ verdict     fits                 fits                 fits                   │
│ layout      TP2                  TP2                  TP1                    │
│ $/h         1.00 *               1.00 *               1.35                   │
│ $/month     730 *                730 *                986                    │
│ $/M tok     ~2.21                ~2.24                ~1.91 *                │
│ TPOT ms     ~118.1±75            ~121.8±77            ~76.5±42 *             │
│ TTFT ms     ~2503                ~1993                ~1315 *                │
│ tok/s       ~126                 ~124                 ~197 *                 │
│ J/token     ?7.42                ?8.33                ?2.66 *                │
│ users held  ~111 *               ~33                  ~87                    │
│ weights GiB 18.55                33.88                37.07                  │
│ KV pool GiB ~21.68               ~6.60                ~34.23 *               │
│ memory GiB  47.99                47.99                80.00                  │
│ bound by    prefill              weights              prefill                │
│ offer       1 x hyperstack/n3…   1 x hyperstack/n3…   1 x hyperstack/n3…     │
└──────────────────────────────────────────────────────────────────────────────┘
 Left and Right choose a column, Enter takes it into the plan.
 ~ estimated, ? assumed, - unknown; TPOT with its band's wider side
 Enter:use in plan  e:export  v:table                            ?:help  q:quit
END
assert_eq "three rows are exported, with their titles" 4 "$(wc -l <marked.csv)"
if have_json; then
    printf '%s\n' "$out" >"$work/out"
    python3 - "$work/out" <<'PY'
import sys
rows = [l[1:].strip() for l in open(sys.argv[1]) if l.startswith('│')]
for name, low in (('$/h', True), ('TPOT ms', True), ('tok/s', False), ('users held', False)):
    cells = [r[len(name):].split() for r in rows if r.startswith(name)][0]
    cells = [c for c in cells if c != '│']
    values = [float(c.strip('~?').split('±')[0].replace(',', '')) for c in cells if c != '*']
    best = [i for i, c in enumerate(cells) if c == '*']
    starred = {i - k - 1 for k, i in enumerate(best)}
    want = min(values) if low else max(values)
    assert starred == {i for i, v in enumerate(values) if v == want}, (name, cells)
PY
    assert_eq "the star is at the best of each row" 0 $?
fi
assert_contains "Enter takes the column in focus" "taken into the plan: --gpu" "$(cat used)"

screen "without marks: the plan and the row in focus" "${load[@]}" <<'KEYS'
2
:wait
Down Down v
:dump -
v
:dump back
KEYS
assert_eq "two columns" 2 "$(printf '%s\n' "$out" | sed -n 3p | grep -o ' x [0-9]' | wc -l)"
assert_contains "v: the table again" "sort \$/h" "$(cat back)"

# ---- sizes by formats ---------------------------------------------------------------------

# From the first screen two keys to 8B, 70B and 400B in FP16: in all, of each GPU, how many, $/h.
screen "sizes" -g l40s -c 8k <<'KEYS'
2 m
:wait
:dump -
KEYS
shows "[2 Compare]"
"$gp" --table -m 8B -m 70B -m 400B -p fp16 -g l40s -c 8k --format json >"$work/table.json"
if have_json; then
    printf '%s\n' "$out" >"$work/out"
    python3 - "$work/table.json" "$work/out" <<'PY'
import json, sys
rows = json.load(open(sys.argv[1]))['rows']
lines = [' '.join(l.split()) for l in open(sys.argv[2])]
for r in rows:
    at = [i for i, l in enumerate(lines) if (' %s ' % r['model']) in l and '$' in l][0]
    n = r['gpus']
    assert ' %s %.1f $%.2f ' % (r['model'], r['load_all']['value'], r['per_hour']['value']) \
        in lines[at], lines[at]
    assert ' %d x %.1f ' % (n, r['load']['value']) in lines[at + 1], lines[at + 1]
PY
    assert_eq "in all, of each GPU and $/h are those of --table" 0 $?
fi

screen "a cell into the plan, and what it prints" -g l40s <<'KEYS'
2 m Down Down Down Right
:wait
:export sizes.csv
c
:dump -
Esc
Enter
:dump -
KEYS
shows "gpuplan --table -m 8B"
shows "70B fp8 on 2 x l40s: fits"
shows "rule of thumb: size x 8/8 x 1.25 = 88 GB: 2 GPUs of 48 GB"
shows "--model 70B --precision fp8 --gpu l40s"
run --table -m 70B -p fp8 -g l40s --format csv
assert_contains "its export is --table's" "$(tail -1 "$work/out")" "$(cat "$work/sizes.csv")"

screen "what no GPU of a kind holds, and another GPU" -m llama-3.1-70b -g l4 <<'KEYS'
2 m o
"mi300x" Enter
:wait
:dump -
KEYS
shows "Sizes by format on mi300x"
shows "▸ llama-3.1-"

finish
