#!/bin/bash
# windows.sh - what lies over a screen: lists, texts to read, the command line, questions.

. "${srcdir:-.}/tests/script/lib.sh"

# ---- lists ----------------------------------------------------------------------------

screen "a list, what words leave of it" -m 70B -g l40s <<'KEYS'
Enter
"llama 70b"
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Model ──────────────────────────────────────────────────────────── 5 of 23 ─┐
│/ llama 70b                     verdict    n      $/h TPOT ms     params      │
│▸ Llama 3.3 70B Instruct        fits       4    $4.00    50.9    70.55 B      │
│  Llama 2 70B                   fits       4    $4.00    50.4    68.98 B      │
│  Llama 3 70B                   fits       4    $4.00    50.9    70.55 B      │
│  Llama 3.1 70B                 fits       4    $4.00    50.9    70.55 B      │
│  DeepSeek-R1-Distill-Llama-7…  fits       4    $4.00    50.9    70.55 B      │
│  "llama 70b": no model 'llama 70b'                                           │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│  Llama 3.3 70B Instruct                                                      │
│  fits       4    $4.00    50.9    70.55 B            131,072  bf16           │
└──────────────────────────────────────────────────────────────────────────────┘
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back
END

screen "two rows say what does not fit beside the choices" -m 70B -g l40s <<'KEYS'
Down Enter "gptq"
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Weights ────────────────────────────────────────────────────────── 2 of 61 ─┐
│/ gptq                                  verdict    n      $/h TPOT ms     $/M │
│▸ int8-gptq  GPTQ INT8, groups of 128   fits       2    $2.00    54.0  $31.26 │
│  int4-gptq  GPTQ INT4, groups of 128   fits       1    $1.00    79.8  $23.43 │
│  "gptq" as typed                                                             │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│  int8-gptq  GPTQ INT8, groups of 128                                         │
│  fits       2    $2.00    54.0  $31.26                                       │
└──────────────────────────────────────────────────────────────────────────────┘
 Weights: fewer bits need fewer GPUs, decode faster. auto: as published.
 bytes = rows*cols*bits/8 + scales; norms, embedding often stay 16-bit
 type:find  Up/Down:move  Enter:choose  Esc:back
END

screen "a list in the least room, in ASCII" --ascii -m 70B -g l40s <<'KEYS'
:size 40 12
Enter
:dump -
"llama" Down Down
:dump -
KEYS
expect <<'END'
[1 Plan] 2  3  4  5  6
+- Model ------------------- 23 of 23 -+
|/ type words to find it, or a size su~|
|> 70B                                 |
|  8B                                  |
|  400B                                |
|  Llama 3.1 8B                       v|
| verdict    n      $/h TPOT ms     pa~|
| fits       4    $4.00    50.9  a dens|
+--------------------------------------+
 Model: its parameters set memory and ~
 type:find  Up/Down:move  Esc:back
[1 Plan] 2  3  4  5  6
+- Model -------------------- 8 of 23 -+
|/ llama                               |
|  Llama 3.1 8B                        |
|  Llama 3.3 70B Instruct              |
|> Llama 2 70B                         |
|  Llama 3 70B                        v|
| verdict    n      $/h TPOT ms     pa~|
| fits       4    $4.00    50.4    68.9|
+--------------------------------------+
 Model: its parameters set memory and ~
 type:find  Up/Down:move  Esc:back
END

screen "a list with room on both sides" -m 70B -g l40s <<'KEYS'
:size 120 36
Down Down Enter
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench    5 Pool    6 Replay
┌─ Ask ────────────────────────┐┌─ Answer: 4 x L40S, TP 4 ───────────────────────┐┌─ Alternatives, cheapest first ─────┐
│ Model      70B (assumed)    ▾││FITS         4 GPUs   $4.00/h    $58.82/M tok   ││GPU             n    $/h TPOT    $/M│
┌─ GPU ───────────────────────────────────────────────────────────────────────────────────────────────────── 24 of 24 ─┐
│/ type words to find it, or id/slice:co… verdict    n      $/h TPOT ms     $/M                                        │
│  auto: here, else the cheapest          fits       4    $2.00    57.5  $33.40                                        │
│  here: Test Processor, 2 cores          no fit   weights                       15.04 GiB usable, 24 GB/s             │
│▸ L40S                                   fits       4    $4.00    50.9  $58.82  44.42 GiB usable, 864 GB/s, 2023      │
│  RTX A6000                              fits       4    $2.00    57.5  $33.40  47.41 GiB usable, 768 GB/s, 2020      │
│  A100 PCIe 80GB                         fits       2    $2.70    47.3  $36.54  79.15 GiB usable, 1.94 TB/s, 2021     │
│  RTX PRO 6000 Blackwell Server Edition  fits       2    $3.38    53.9  $51.82  94.44 GiB usable, 1.6 TB/s, 2025      │
│  L4                                     fits       8    $3.52    96.4  $97.17  22.07 GiB usable, 300 GB/s, 2023      │
│  A40                                    fits       4    $3.60    62.8  $65.54  44.45 GiB usable, 696 GB/s, 2020      │
│  H100 PCIe 80GB                         fits       2    $3.80    42.9  $46.03  79.19 GiB usable, 2.04 TB/s, 2022     │
│  L40                                    fits       4    $4.00    50.9  $59.59  44.45 GiB usable, 864 GB/s, 2022      │
│  B200 SXM                               fits       1    $4.89    24.5  $33.96  178.35 GiB usable, 7.7 TB/s, 2024     │
│  A100 SXM4 80GB                         fits       4    $5.16    24.6  $36.38  79.15 GiB usable, 2.04 TB/s, 2020     │
│  H200 SXM 141GB                         fits       2    $6.78    20.3  $39.24  138.72 GiB usable, 4.8 TB/s, 2024     │
│  H100 SXM5 80GB                         fits       2    $6.98    27.5  $54.42  79.19 GiB usable, 3.35 TB/s, 2022     │
│  H100 NVL 94GB                          fits       2   $13.96    23.9  $95.32  92.46 GiB usable, 3.94 TB/s, 2023     │
│  Tesla T4                               fits      16   $15.65    77.1 $357.54  14.56 GiB usable, 320 GB/s, 2018      │
│  A100 SXM4 40GB                         fits       8   $15.92    17.7  $80.90  39.50 GiB usable, 1.55 TB/s, 2020     │
│  A10G (AWS)                             fits       8   $16.29    64.2 $305.77  22.07 GiB usable, 600 GB/s, 2021      │
│  Instinct MI300X                        fits       8   $27.60    15.8 $123.09  189.70 GiB usable, 5.3 TB/s, 2023     │
│  GB200 (per GPU)                        fits       4   $64.00     9.3 $169.99  182.81 GiB usable, 8 TB/s, 2024       │
│  M3 Ultra                               fits       1        -     237       -  384.00 GiB usable, 819 GB/s, 2025     │
│  RTX 6000 Ada Generation                fits       4        -    46.4       -  47.41 GiB usable, 960 GB/s, 2022      │
│  GeForce RTX 4090                       fits       8        -    27.3       -  23.70 GiB usable, 1.01 TB/s, 2022     │
│  Tesla P100 SXM2 16GB                   no fit   weights                       15.81 GiB usable, 732 GB/s, 2016      │
│                                                                                                                      │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
│                              ││                                                ││    users at once                   │
└──────────────────────────────┘└────────────────────────────────────────────────┘└────────────────────────────────────┘
 GPU: memory sets how many, bandwidth TPOT. auto: here, else cheapest fit.
 usable = physical less what the driver keeps (H100: 79.19 of 79.65)
 type:find  Up/Down:move  Enter:choose  Esc:back
END

screen "what matches nothing can be handed back" -m 70B -g l40s <<'KEYS'
:size 80 24
Enter "14.5B"
:dump -
Enter
:dump -
KEYS
shows '"14.5B": generic 14.5B, 14.53 B, bf16'
shows "14.5B (assumed)"

screen "what is refused is said" -m 70B -g l40s <<'KEYS'
Enter "no such model" Enter
:dump -
C-u "14.5B" Enter
:dump -
KEYS
shows "no model 'no such model'"
shows "\"no such model\": no model 'no such model'" # and can be mended
shows "14.5B (assumed)"

screen "a short list" -m 70B -g l40s <<'KEYS'
:set price spot
:price
/ "price" Enter Enter
:dump -
KEYS
shows "on-demand"
shows "list prices of instances that may be taken away"
shows "▸ spot"
shows "4 of 4"

screen "several can be marked" -m 70B -g l40s <<'KEYS'
2
:wait
p
:dump -
KEYS
shows "[x]"
shows "[ ]"
shows "marked"
shows "Space:mark"

screen "Esc leaves all as it was" -m 70B -g l40s <<'KEYS'
Enter "qwen" Down Esc
:dump -
KEYS
shows "70B"
lacks "Qwen"

# ---- texts ----------------------------------------------------------------------------

screen "help scrolls and is searched" -m 70B -g l40s <<'KEYS'
?
PgDn
:dump -
g / "suggestion" Enter
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Help: Plan ─────────────────────────────────────────────────── 19-36 of 62 ─┐
│   w               save the plan's fields (--batch reads them)                │
│   o               open a saved plan                                          │
│                                                                              │
│ Everywhere                                                                   │
│   ?, F1           this help                                                  │
│   q, F10          close, then quit                                           │
│   1, M-1          Plan: one request, one answer                              │
│   2, M-2          Compare: GPUs x precisions                                 │
│   3, M-3          Curves: speed, cost, memory                                │
│   4, M-4          Bench: measure this machine                                │
│   5, M-5          Pool: a mix of models over a day; lists the examples       │
│   6, M-6          Replay: the plan's requests over time                      │
│   Up, k           up                                                         │
│   Down, j         down                                                       │
│   Left, h         previous value, left                                       │
│   Right, l        next value, right                                          │
│   PgUp            a page up                                                  │
│   PgDn            a page down                                                │
└──────────────────────────────────────────────────────────────────────────────┘
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 Up/Down:scroll  /:find  n:next  i:index  q or Esc:close
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Help: Plan ──────────────────────────────────────────────────── 1-18 of 62 ─┐
│ Model: its parameters set memory and speed. An id, 70B, or a path.           │
│ parameters = sum of rows*cols over all its tensors                           │
│                                                                              │
│ Plan                                                                         │
│   Enter           change the field, or choose from a list; on Pool: what a   │
│                   workload asks                                              │
│   +, =            number: a step up; on Pool: 10 % more demand               │
│   -               number: a step down; on Pool: 10 % less demand             │
│   /, F3           find a field by its name                                   │
│   a               apply a change; on Compare: take this row into the plan;   │
│                   on Replay: the rate                                        │
│   s               the best value of this field that still fits               │
│   y               every number's equation, inputs and source                 │
│   p               keep this plan to see the difference to it                 │
│   r               the field's default; again: of all; on Replay: as the plan │
│                   is                                                         │
│   t               the plan's requests through the engine's scheduler, on     │
│                   Replay                                                     │
└─ not found: suggestion ──────────────────────────────────────────────────────┘
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 Up/Down:scroll  /:find  n:next  i:index  q or Esc:close
END

screen "help in the least room" --ascii -m 70B -g l40s <<'KEYS'
:size 40 12
?
:dump -
/ "no such word" Enter
:dump -
KEYS
expect <<'END'
[1 Plan] 2  3  4  5  6
+- Help: Plan ------------ 1-7 of 115 -+
| Model: its parameters set memory and |
| speed. An id, 70B, or a path.        |
| parameters = sum of rows*cols over   |
| all its tensors                      |
|                                      |
| Plan                                 |
|   Enter           change the field,  |
+--------------------------------------+
 Model: its parameters set memory and ~
 Up/Down:scroll  /:find  q or Esc:close
[1 Plan] 2  3  4  5  6
+- Help: Plan ------------ 1-7 of 115 -+
| Model: its parameters set memory and |
| speed. An id, 70B, or a path.        |
| parameters = sum of rows*cols over   |
| all its tensors                      |
|                                      |
| Plan                                 |
|   Enter           change the field,  |
+- not found: no such word ------------+
 Model: its parameters set memory and ~
 Up/Down:scroll  /:find  q or Esc:close
END

screen "every number's equation, found by / and n" -m 70B -g l40s <<'KEYS'
y g / "kv pool" Enter n
:dump -
KEYS
shows "KV pool"
shows "▸"
shows " of "

screen "q closes a text, not the program" -m 70B -g l40s <<'KEYS'
y q
:dump -
KEYS
shows "[1 Plan]"
lacks "KV per token"

# ---- the command line -----------------------------------------------------------------

screen "Tab shows what it could become" -m 70B -g l40s <<'KEYS'
Up : "save" Tab
:dump -
KEYS
out=$(printf '%s\n' "$out" | tail -n 3)
expect <<'END'
 save-settings save
 :save
 Enter:do it  Tab:complete  Up:earlier  Esc:back
END

screen "a refused line stays, with the reason above it" -m 70B -g l40s <<'KEYS'
Up : "context many" Enter
:dump -
KEYS
out=$(printf '%s\n' "$out" | tail -n 3)
expect <<'END'
 --context: 'many' is not a token count (write a count such as 8192, 8k or 128…
 :context many
 Enter:do it  Tab:complete  Up:earlier  Esc:back
END

screen "Up brings back what was typed" -m 70B -g l40s <<'KEYS'
Up : "users 3" Enter : "users 5" Enter : Up Up
:dump -
Enter
:dump -
KEYS
shows ":users 3"
shows "3 at once"

screen "a long line scrolls" --ascii -m 70B -g l40s <<'KEYS'
:size 40 12
Up : "model meta-llama/Llama-3.1-70B-Instruct-of-some-folder" Home Right Right
:dump -
End
:dump -
KEYS
out=$(printf '%s\n' "$out" | grep '^ :')
expect <<'END'
 :model meta-llama/Llama-3.1-70B-Instru~
 :~lama-3.1-70B-Instruct-of-some-folder
END

# ---- questions ------------------------------------------------------------------------

screen "a question before work is lost" -m 70B -g l40s <<'KEYS'
:save plan.json
:users 3
q
:dump -
:size 40 12
:dump -
Esc
:size 80 24
w "other.json" Enter w "plan.json" Enter
:dump -
KEYS
only 9,13 24 27,32 36 44,51
expect <<'END'
│ Prompt┌─ Question ───────────────────────────────────────────────────┐       │
│ Output│ The changes are not in plan.json.                            │       │
│ Users │                                                              │ool    │
│ Rate  │ w:save  q:quit anyway  Esc:stay                              │       │
│ Reserv└──────────────────────────────────────────────────────────────┘───────│
 w:save  q:quit anyway  Esc:stay
┌─ Question ───────────────────────────┐
│ The changes are not in plan.json.    │
│                                      │
│                                      │
│ w:save  q:quit anyway  Esc:stay      │
└──────────────────────────────────────┘
 w:save  q:quit anyway  Esc:stay
│ Context    8,192 tokens    ││TTFT        630 ms  225..3023        none       │
│ Prompt┌─ Question ───────────────────────────────────────────────────┐       │
│ Output│ plan.json exists. Replace it?                                │       │
│ Users │                                                              │ool    │
│ Rate  │ y:yes  n or Esc:no                                           │       │
│ Reserv└──────────────────────────────────────────────────────────────┘───────│
│── Goals ───────────────────││on demand $4.00/h $2,920/mo crusoe, 2026-08-19  │
│ TTFT goal  none            ││buy       $1.59/h  break-even 16.9 months       │
END

# The way out of a window is in sight at every width.
screen "the way out" -m 70B -g l40s <<'KEYS'
:size 40 12
?
:dump help
Esc
Enter
:dump list
Esc
:
:dump line
Esc
:users 3
q
:dump quit
Esc
4
:wait
o
:dump options
Esc
KEYS
for what in help list line quit options; do
    case $(tail -n 1 $what) in
    *"Esc:close" | *"Esc:back" | *"Esc:stay") checks=$((checks + 1)) ;;
    *) fail "no way out of $what: $(tail -n 1 $what)" ;;
    esac
done

# ---- what is remembered ---------------------------------------------------------------

screen "save-settings writes the state file" --ascii <<'KEYS'
4
:save-settings
:dump -
KEYS
shows "state.cfg"
assert_contains "what it holds" 'screen = "bench"' "$(cat state/gpuplan/state.cfg)"
assert_contains "what it holds" 'charset = "ascii"' "$(cat state/gpuplan/state.cfg)"

screen "and the next start shows it" <<'KEYS'
:dump -
KEYS
shows "[4 Bench]"
lacks "│"

mkdir -p config/gpuplan
echo 'theme = "drak";' >config/gpuplan/gpuplan.cfg
before=$(cat config/gpuplan/gpuplan.cfg)
screen "a bad setting is the first line, and no more" <<'KEYS'
:dump -
KEYS
shows "gpuplan.cfg:1: theme"
screen "settings made by hand are never written" <<'KEYS'
:save-settings
KEYS
assert_eq "gpuplan.cfg" "$before" "$(cat config/gpuplan/gpuplan.cfg)"
rm -r config state

finish
