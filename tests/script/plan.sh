#!/usr/bin/env bash
# plan.sh - the Plan screen: form, choosers, answer, suggestions, solving, pin, files.
. "${srcdir:-.}/tests/script/lib.sh"

# ---- sizes and characters ----------------------------------------------------------

screen "first screen" <<'KEYS'
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L4, TP 1 ─────── 1-14 of 21, Tab ─┐
│▸Model      8B (assumed)   ▾││FITS         1 GPU    $0.44/h    $7.25/M tok    │
│ Weights    auto: bf16     ▾││memory 86 % of budget, 2.84 GiB to spare        │
│ GPU        auto: l4       ▾││██████████████████████████████▓▓▒░░······│ 20.30│
│ GPUs       auto: 1         ││█ weights 15.0 ▓ KV 1.0 ▒ act 0.5 ░ run 1.0     │
│── Load ────────────────────││── Speed: model ─── low..high ────── goal ──────│
│ Context    8,192 tokens    ││TTFT        340 ms  164..935         none       │
│ Prompt     1,024 tokens    ││TPOT       58.3 ms  42.1..88.6       none       │
│ Output     256 tokens      ││output  16.8 tok/s  11.1..23.3       none       │
│ Users      1 at once       ││holds   24 requests of 1,280; limit: KV pool    │
│ Rate       none            ││bound   memory bandwidth (4: measure it)        │
│ Reserve    load           ▾││── Cost ────────────────────────────────────────│
│── Goals ───────────────────││on demand $0.44/h $321/mo jarvislabs, by 2026-11│
│ TTFT goal  none            ││buy       $0.11/h  break-even 10.9 months       │
│ TPOT goal  none            ││── Changes (a) ──── gain       n TPOT ms     $/M│
│ Throughput none            ││1 int4-awq          cheaper    1    20.9   $2.72│
│+Layout     auto: TP 1      ││2 users 3           fuller     1    61.0   $2.54│
│+Engine     auto: vLLM 0.33+││3 tp 2              faster     2    30.5   $7.62│
│+Cost       on-demand       ││                                                │
└────────────────────────────┘└────────────────────────────────────────────────┘
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  t:replay  p:pin    ?:help  q:quit
END

screen "first screen in ASCII" --ascii <<'KEYS'
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
+- Ask ----------------------++- Answer: 1 x L4, TP 1 ------- 1-14 of 21, Tab -+
|>Model      8B (assumed)   v||FITS         1 GPU    $0.44/h    $7.25/M tok    |
| Weights    auto: bf16     v||memory 86 % of budget, 2.84 GiB to spare        |
| GPU        auto: l4       v||##############################==:--......| 20.30|
| GPUs       auto: 1         ||# weights 15.0 = KV 1.0 : act 0.5 - run 1.0     |
|-- Load --------------------||-- Speed: model --- low..high ------ goal ------|
| Context    8,192 tokens    ||TTFT        340 ms  164..935         none       |
| Prompt     1,024 tokens    ||TPOT       58.3 ms  42.1..88.6       none       |
| Output     256 tokens      ||output  16.8 tok/s  11.1..23.3       none       |
| Users      1 at once       ||holds   24 requests of 1,280; limit: KV pool    |
| Rate       none            ||bound   memory bandwidth (4: measure it)        |
| Reserve    load           v||-- Cost ----------------------------------------|
|-- Goals -------------------||on demand $0.44/h $321/mo jarvislabs, by 2026-11|
| TTFT goal  none            ||buy       $0.11/h  break-even 10.9 months       |
| TPOT goal  none            ||-- Changes (a) ---- gain       n TPOT ms     $/M|
| Throughput none            ||1 int4-awq          cheaper    1    20.9   $2.72|
|+Layout     auto: TP 1      ||2 users 3           fuller     1    61.0   $2.54|
|+Engine     auto: vLLM 0.33+||3 tp 2              faster     2    30.5   $7.62|
|+Cost       on-demand       ||                                                |
+----------------------------++------------------------------------------------+
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  t:replay  p:pin    ?:help  q:quit
END

screen "120x36" -m llama-3.1-70b -p fp8 -g h100-sxm -u 16 <<'KEYS'
:size 120 36
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench    5 Pool    6 Replay
┌─ Ask ────────────────────────┐┌─ Answer: 2 x H100 SXM5 80GB, TP 2 ─────────────┐┌─ Alternatives, cheapest first ─────┐
│▸Model      llama-3.1-70b    ▾││FITS         2 GPUs   $6.98/h    $2.84/M tok    ││GPU             n    $/h TPOT    $/M│
│ Weights    fp8              ▾││memory 60 % of budget, 29.44 GiB to spare       ││rtx-a6000       2  $1.00  122  $2.24│
│ GPU        h100-sxm         ▾││███████████████████▓▓▒░░·················│ 72.85││rtx-6000-ada    2  $1.65 73.3  $2.19│
│ GPUs       auto: 2           ││█ weights 33.9 ▓ KV 4.4 ▒ act 2.0 ░ run 3.2     ││rtx-pro-6000-…  1  $1.69 74.3  $2.24│
│── Load ──────────────────────││── Speed: model ─── low..high ────── goal ──────││a40             2  $1.80  182  $6.13│
│ Context    8,192 tokens      ││TTFT        219 ms  78..1051         none       ││l40             2  $2.00  126  $4.62│
│ Prompt     1,024 tokens      ││TPOT       22.7 ms  17.9..32.4       none       ││── First to break, this layout ─────│
│ Output     256 tokens        ││output   682 tok/s  478..864         none       ││+140 users: 156 marginal     KV pool│
│ Users      16 at once        ││holds   173 requests of 1,280; limit: KV pool   ││none up to 131,072 context tokens   │
│ Rate       none              ││bound   memory bandwidth (4: measure it)        ││none up to 7,936 prompt tokens      │
│ Reserve    load             ▾││── Cost ────────────────────────────────────────││── Output tok/s over users (3) ─────│
│── Goals ─────────────────────││on demand $6.98/h $5,095/mo jarvislabs, by 26-11││    │                 │             │
│ TTFT goal  none              ││buy       $2.40/h  break-even 15.2 months       ││    │                 │           ⣰⠋│
│ TPOT goal  none              ││── Changes (a) ──── gain       n TPOT ms     $/M││    │                 │         ⣠⠞⠁ │
│ Throughput none              ││1 h200-sxm:1        cheaper    1    30.0   $1.83││1500│                 │       ⢀⠜⠁   │
│+Layout     auto: TP 2        ││2 users 68          fuller     2    44.1   $1.31││    │                 │      ⣠⠏     │
│+Engine     auto: vLLM 0.33+  ││3 tp 4              faster     4    15.2   $3.82││    │                 │     ⡴⠃      │
│+Cost       on-demand         ││── Why ─────────────────────────────────────────││    │                 │   ⢀⡞⠁       │
│                              ││GPUs 2: TP 2, 1 host                            ││1000│                 │  ⣰⠋         │
│                              ││runner-up 4: TP 4 (2 GPUs more)                 ││    │                 │⢀⡼⠁          │
│                              ││KV pool 33.81 GiB: 221,584 tokens, 27.0 requests││    │                 ⣠⠞            │
│                              ││  of 8,192 tokens                               ││    │               ⢀⡼⠁             │
│                              ││y: every equation, input and source             ││ 500│             ⢀⡴⠋ │             │
│                              ││                                                ││    │           ⣀⠔⠋   │             │
│                              ││                                                ││    │       ⢀⣀⠔⠊      │             │
│                              ││                                                ││    │⢀⣀⣀⠤⠤⠒⠊⠁         │             │
│                              ││                                                ││   0│                 │             │
│ here: Test Processor, 16.00  ││                                                ││    └───────────────────────────────│
│ GiB, no GPU                  ││                                                ││     1        4      16       64    │
│                              ││                                                ││     users at once                  │
└──────────────────────────────┘└────────────────────────────────────────────────┘└────────────────────────────────────┘
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  t:replay  e:export  p:pin  w:save  r:reset                 ?:help  q:quit
END

screen "40x12: one panel" -m llama-3.1-70b -p fp8 -g h100-sxm -u 16 <<'KEYS'
:size 40 12
:dump -
Tab
:dump -
Down Down
:dump -
Tab
:dump -
KEYS
only 1,24 29,34 41,42
expect <<'END'
[1 Plan] 2  3  4  5  6
FITS        2 GPUs   $6.98/h  $2.84/M
memory 60 % of budget, 29.4 GiB to spare
TPOT 22.7 ms TTFT 219 ms 682/s model
┌─ Ask ──────────────────── 1-4 of 18 ─┐
│▸Model      llama-3.1-70b            ▾│
│ Weights    fp8                      ▾│
│ GPU        h100-sxm                 ▾│
│ GPUs       auto: 2                   │
└──────────────────────────────────────┘
 Model: its parameters set memory and …
 Enter:edit  a:apply     ?:help  q:quit
[1 Plan] 2  3  4  5  6
FITS        2 GPUs   $6.98/h  $2.84/M
memory 60 % of budget, 29.4 GiB to spare
TPOT 22.7 ms TTFT 219 ms 682/s model
┌─ Answer: 2 x H100 SXM5 80GB, TP 2 ───┐
│── Speed: model ─── low..high ────────│
│TTFT        219 ms  78..1051          │
│TPOT       22.7 ms  17.9..32.4        │
│output   682 tok/s  478..864          │
└──────────────────────────────────────┘
 Answer: all memory is of the …
 Enter:why  a:apply      ?:help  q:quit
┌─ Answer: 2 x H100 SXM5 80GB, TP 2 ───┐
│TPOT       22.7 ms  17.9..32.4        │
│output   682 tok/s  478..864          │
│holds   173 requests; limit: KV pool  │
│bound   memory bandwidth              │
└──────────────────────────────────────┘
┌─ Ask ──────────────────── 1-4 of 18 ─┐
│▸Model      llama-3.1-70b            ▾│
END

# ---- verdicts ----------------------------------------------------------------------

screen "does not fit" -m 70B -p int8 -g l40s:1 <<'KEYS'
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L40S, TP 1 ───── 1-14 of 20, Tab ─┐
│▸Model      70B (assumed)  ▾││NO FIT   short 30.88 GiB on each L40S           │
│ Weights    int8           ▾││memory 176 % of budget, 30.88 GiB short         │
│ GPU        l40s           ▾││███████████████████████│██████████████▓▒░  40.87│
│ GPUs       1               ││█ weights 67.7 ▓ KV 2.5 ▒ act 0.6 ░ run 1.0     │
│── Load ────────────────────││── Ways out (a) ── verdict    n      $/h TPOT ms│
│ Context    8,192 tokens    ││1 int4-awq         fits       1    $1.00    79.8│
│ Prompt     1,024 tokens    ││2 llama.cpp, q4_k… fits       1    $1.00    62.2│
│ Output     256 tokens      ││3 …u-offload-gb 34 fits       1    $1.00    1546│
│ Users      1 at once       ││4 rtx-a6000:2      fits       2    $1.00    57.8│
│ Rate       none            ││5 a100-sxm-80:1    fits       1    $1.29    40.5│
│ Reserve    load           ▾││6 a100-pcie-80:1   fits       1    $1.35    42.5│
│── Goals ───────────────────││7 l40s:2           fits       2    $2.00    52.1│
│ TTFT goal  none            ││── Why ─────────────────────────────────────────│
│ TPOT goal  none            ││the weights take 67.71 GiB per GPU, 40.87 GiB   │
│ Throughput none            ││  may be used                                   │
│+Layout     auto: TP 1      ││start-up: vLLM would stop:                      │
│+Engine     auto: vLLM 0.33+││  torch.OutOfMemoryError: CUDA out of memory.   │
│+Cost       on-demand       ││  (while the weights are loaded)                │
└────────────────────────────┘└────────────────────────────────────────────────┘
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  t:replay  p:pin    ?:help  q:quit
END

screen "marginal" -m llama-3.1-70b -p bf16 -g h100-sxm:2 --tp 2 <<'KEYS'
Tab
:dump -
KEYS
only 2,6 11,14 18,20
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 2 x H100 SXM5 80GB, TP 2 ─────────────┐
│ Model      llama-3.1-70b  ▾││FITS         2 GPUs   $6.98/h    $54.42/M tok   │
│ Weights    bf16           ▾││memory 97 % of budget, 1.98 GiB to spare        │
│ GPU        h100-sxm       ▾││████████████████████████████████████▓▒░░·│ 72.85│
│ GPUs       2               ││█ weights 65.7 ▓ KV 1.2 ▒ act 1.0 ░ run 2.8     │
│ Users      1 at once       ││holds   16 requests of 1,280; limit: KV pool    │
│ Rate       none            ││bound   memory bandwidth (4: measure it)        │
│ Reserve    load           ▾││── Cost ────────────────────────────────────────│
│── Goals ───────────────────││on demand $6.98/h $5,095/mo jarvislabs, by 26-11│
│+Layout     TP 2            ││2 h200-sxm:2        cheaper    2    20.3  $39.24│
│+Engine     auto: vLLM 0.33+││3 h100-sxm:4, tp 4  faster     4    15.7  $62.29│
│+Cost       on-demand       ││                                                │
END

screen "refused layout" -m qwen3-14b --tp 5 -g h100-sxm <<'KEYS'
:dump -
KEYS
only 2,3 7,12
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: H100 SXM5 80GB ───── 1-14 of 15, Tab ─┐
│▸Model      qwen3-14b      ▾││NO FIT   layout                                 │
│── Load ────────────────────││── Ways out (a) ── verdict    n      $/h TPOT ms│
│ Context    8,192 tokens    ││1 --tp auto        fits       1    $2.29    11.5│
│ Prompt     1,024 tokens    ││2 tp 4             fits       4   $13.96     4.7│
│ Output     256 tokens      ││3 rtx-a6000:1      fits       1    $0.50    43.7│
│ Users      1 at once       ││4 rtx-6000-ada:1   fits       1    $0.83    34.8│
│ Rate       none            ││5 l4:2             fits       2    $0.88    55.3│
END

screen "no answer" -m 8B -c 4k <<'KEYS'
:prompt 8k
:dump -
KEYS
only 2,3 7,10
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer ───────────────────────────────────────┐
│▸Model      8B             ▾││NO ANSWER                                       │
│── Load ────────────────────││--prompt: 8192 tokens and at least one of output│
│ Context    4,096 tokens    ││  exceed the context of 4096                    │
│ Prompt     8,192 tokens    ││(raise --context)                               │
│ Output     auto            ││u: undo the last change                         │
END

screen "weights only" -m vit-l-16 -g l4 <<'KEYS'
:dump -
KEYS
only 2,6 7,10
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L4, TP 1 ─────────────────────────┐
│▸Model      vit-l-16       ▾││FITS         1 GPU    $0.44/h                   │
│ Weights    auto: fp32     ▾││memory 5 % of budget, 20.94 GiB to spare        │
│ GPU        l4             ▾││██·······································│ 22.07│
│ GPUs       auto: 1         ││█ weights 1.1 · spare 20.9                      │
│── Load ────────────────────││── Speed: unknown ──────────────────────────────│
│ Context    8,192 tokens    ││this model does not decode tokens               │
│ Prompt     1,024 tokens    ││── Cost ────────────────────────────────────────│
│ Output     256 tokens      ││on demand $0.44/h $321/mo jarvislabs, by 2026-11│
END

screen "a mixture of experts over two stages" -m qwen3-30b-a3b -g a10g --tp 1 --pp 4 --used 1GiB <<'KEYS'
:dump -
KEYS
only 2,20
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 4 x A10G (AWS), TP 1 x PP 4 ──────────┐
│▸Model      qwen3-30b-a3b  ▾││FITS         4 GPUs   $5.67/h    $26.93/M tok   │
│ Weights    auto: bf16     ▾││memory 80 % of budget, 4.05 GiB to spare        │
│ GPU        a10g           ▾││████████████████████████████▓▒▒░░········│ 20.30│
│ GPUs       auto: 4         ││█ weights 14.5 ▓ KV 0.2 ▒ act 0.8 ░ run 0.8     │
│── Load ────────────────────││── Speed: model ─── low..high ────── goal ──────│
│ Context    8,192 tokens    ││TTFT        321 ms  137..883         none       │
│ Prompt     1,024 tokens    ││TPOT       15.9 ms  10.2..26.2       none       │
│ Output     256 tokens      ││output  58.5 tok/s  35.5..91.3       none       │
│ Users      1 at once       ││holds   144 requests of 1,280; limit: KV pool   │
│ Rate       none            ││bound   the routed experts (4: measure it)      │
│ Reserve    load           ▾││── Cost ────────────────────────────────────────│
│── Goals ───────────────────││on demand $5.67/h $4,141/mo aws, 2026-07-20     │
│ TTFT goal  none            ││── Changes (a) ──── gain       n TPOT ms     $/M│
│ TPOT goal  none            ││1 …ro-6000-server:1 cheaper    1     7.4   $3.60│
│ Throughput none            ││2 int4-awq          cheaper    4     8.9  $16.33│
│+Layout     TP 1 x PP 4     ││3 users 8           fuller     4    24.6   $5.20│
│+Engine     vLLM 0.33+      ││── Why ─────────────────────────────────────────│
│+Cost       on-demand       ││warning: the profile of a10g has low confidence │
END

# ---- choosing ----------------------------------------------------------------------

screen "models: typing filters, a size is a choice" <<'KEYS'
Enter "70b"
:dump -
Enter
:dump -
KEYS
only 1,11 22,26
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Model ──────────────────────────────────────────────────────────── 7 of 23 ─┐
│/ 70b                           verdict    n      $/h TPOT ms     params      │
│▸ 70B                           fits       8    $3.52    96.4  a dense model  │
│  Llama 3.3 70B Instruct        fits       8    $3.52    96.4    70.55 B      │
│  Generic 70B (hypothetical s…  fits       8    $3.52    96.4    70.55 B      │
│  Llama 2 70B                   fits       8    $3.52    95.6    68.98 B      │
│  Llama 3 70B                   fits       8    $3.52    96.4    70.55 B      │
│  Llama 3.1 70B                 fits       8    $3.52    96.4    70.55 B      │
│  DeepSeek-R1-Distill-Llama-7…  fits       8    $3.52    96.4    70.55 B      │
│                                                                              │
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay           70B*
┌─ Ask ──────────────────────┐┌─ Answer: 4 x RTX A6000, TP 4 ──────────────────┐
END

screen "precisions say what each takes" -m llama-3.1-70b -g h100-sxm:2 <<'KEYS'
:size 120 24
Down Enter
:dump -
KEYS
only 1,16
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench    5 Pool    6 Replay
┌─ Ask ────┌─ Weights ────────────────────────────────────────────────────────────────────────── 61 of 61 ─┐f 18, Tab ─┐
│ Model    │/ type words to find it, or another format, as --lis… verdict    n      $/h TPOT ms     $/M    │           │
│▸Weights  │▸ as published: bf16                                  fits       2    $6.98    27.5  $54.42    │           │
│ GPU      │  fp8        FP8 E4M3, one scale per output channel   fits       2    $6.98    16.8  $33.30    │░░··│ 72.85│
│ GPUs     │  int8       INT8 W8A8, one scale per output channel  fits       2    $6.98    16.7  $33.27    │           │
│── Load ──│  int4-awq   AWQ INT4, groups of 128                  fits       2    $6.98    12.9  $27.20    │───────────│
│ Context  │  nvfp4      NVFP4 (E2M1, E4M3 per 16)                fits       2    $6.98    13.6  $28.61    │           │
│ Prompt   │  q4_k_m     GGUF Q4_K_M                              fits       2    $6.98    18.9  $40.82    │           │
│ Output   │  q8_0       GGUF Q8_0                                fits       2    $6.98    27.2  $56.85    │           │
│ Users    │  fp16       FP16                                     fits       2    $6.98    27.5  $54.42    │           │
│ Rate     │  fp32       FP32                                     no fit   weights                         │           │
│ Reserve  │  f16        GGUF F16                                 fits       2    $6.98    27.5  $54.42    │───────────│
│── Goals ─│  fp8-block  FP8 E4M3, 128 x 128 blocks               fits       2    $6.98    17.2  $34.14    │           │
│ TTFT goal│  fp8-e5m2   FP8 E5M2, KV cache only                  no fit   type of the weights             │           │
│ TPOT goal│  fp8-tensor FP8 E4M3, one scale per tensor           fits       2    $6.98    16.7  $33.29    │ ms     $/M│
END

screen "KV formats of vLLM and of llama.cpp" -m 8B -g l4 <<'KEYS'
/ "kv-prec" Enter
Enter
:dump -
Esc
:precision q4_k_m
Enter
:dump -
KEYS
only 5,14 22,23 28,38
expect <<'END'
┌─ KV cache ────────────────────────────────────────────────────────── 7 of 7 ─┐
│/ type words to find it, or another format, as --list formats has it          │
│▸ auto                                  what the checkpoint asks for, else t… │
│  bf16       BF16                       16 bits per element                   │
│  fp8        FP8 E4M3, one scale per …  8 bits per element                    │
│  int8       INT8 W8A8, one scale per…  8 bits per element                    │
│  nvfp4      NVFP4 (E2M1, E4M3 per 16)  4 bits per element                    │
│  fp16       FP16                       16 bits per element                   │
│  fp32       FP32                       32 bits per element                   │
│                                                                              │
 KV cache: 8-bit keys and values hold twice the users of 16-bit ones.
 KV per token = sum over attention layers of kv*(d + dv)*e bytes
┌─ KV cache ──────────────────────────────────────────────────────── 10 of 10 ─┐
│/ type words to find it, or another format, as --list formats has it          │
│▸ auto                    what the checkpoint asks for, else the activations… │
│  bf16       BF16         16 bits per element                                 │
│  q8_0       GGUF Q8_0    8.5 bits per element                                │
│  fp16       FP16         16 bits per element                                 │
│  fp32       FP32         32 bits per element                                 │
│  q5_1       GGUF Q5_1    6 bits per element                                  │
│  q5_0       GGUF Q5_0    5.5 bits per element                                │
│  q4_1       GGUF Q4_1    5 bits per element                                  │
│  iq4_nl     GGUF IQ4_NL  4.5 bits per element                                │
END

screen "GPUs: a MIG slice" -m 8B -g a100-sxm-80 <<'KEYS'
:size 120 24
:find
"gpu" Enter Enter "3g"
:dump -
Enter
:dump -
KEYS
only 2,6 24,32
expect <<'END'
┌─ GPU ────────────────────────────────────────────────────────────────────────────────────────────────────── 1 of 31 ─┐
│/ 3g                                     verdict    n      $/h TPOT ms     $/M                                        │
│▸ A100 SXM4 80GB, MIG 3g.40gb            fits       1    $1.29    19.5   $7.22  39.18 GiB usable, 1.02 TB/s, 2020     │
│  "3g": GPU of 3g                                                                                                     │
│                                                                                                                      │
 type:find  Up/Down:move  Enter:choose  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench    5 Pool    6 Replay                                          8B*
┌─ Ask ────────────────────────┐┌─ Answer: 1 x A100 SXM4 80GB (MIG 3g.40gb), TP 1 ─────────────────── 1-14 of 17, Tab ─┐
│ Model      8B (assumed)     ▾││FITS         1 GPU    $1.29/h    $7.22/M tokens out                                   │
│ Weights    auto: bf16       ▾││memory 49 % of budget, 18.55 GiB to spare                                             │
│▸GPU        a100-sxm-80/3g.4…▾││█████████████████████████████████▓▓▒░░·········································│ 36.04│
│ GPUs       auto: 1           ││█ weights 15.0 ▓ KV 1.0 ▒ act 0.5 ░ run 1.0 · spare 18.6                              │
│── Load ──────────────────────││── Speed: model ─── low..high ────── goal ────────────────────────────────────────────│
│ Context    8,192 tokens      ││TTFT        193 ms  90..531          none                                             │
END

screen "engines and prices" -m 8B -g l4 <<'KEYS'
/ "engine" Enter Enter
:dump -
Esc / "price" Enter Enter
:dump -
KEYS
only 2,12 22 30,36
expect <<'END'
┌─ Engine ────────────────────────────────────────────────────────── 29 of 29 ─┐
│/ type words to find it, or a version, such as vllm@0.19                      │
│▸ auto                       the newest vLLM; llama.cpp for GGUF              │
│  llama.cpp up to b3218      budgets by asked, 1.00 by default                │
│  llama.cpp b3219+           budgets by asked, 1.00 by default                │
│  MLX all versions           budgets by asked, 1.00 by default                │
│  Ollama all versions        budgets by asked, 1.00 by default                │
│  SGLang up to 0.5.14        budgets by static, 0.88 by default               │
│  SGLang 0.5.15-0.5.22       budgets by static, 0.88 by default               │
│  SGLang 0.5.23+             budgets by static, 0.88 by default               │
│  TensorRT-LLM all versions  budgets by free, 0.90 by default                 │
 Engine: its version sets overheads, how it budgets, and its speed.
│ KV on host off            ▾││█ weights 15.0 ▓ KV 1.0 ▒ act 0.5 ░ run 1.0     │
│ Draft      none           ▾││── Speed: model ─── low..high ────── goal ──────│
┌─ Price ───────────────────────────────────────────────────────────── 4 of 4 ─┐
│/ type words to find it                                                       │
│▸ on-demand  list prices of clouds                                            │
│  spot       list prices of instances that may be taken away                  │
│  market     marketplaces and auctions                                        │
END

screen "a wrong name is refused and says what is near" <<'KEYS'
Enter "llama-3.1-7b" Enter
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────────────────────────────────────────────────┘
 --model: no model 'llama-3.1-7b' (did you mean llama-3.1-8b or llama-3.1-70b?)

 type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back
END

# ---- numbers -----------------------------------------------------------------------

screen "typed: 32k" -m 8B -g l4 <<'KEYS'
/ "context" Enter Enter
:dump -
"32k" Enter
:dump -
KEYS
only 22,24 27 32
expect <<'END'
 tokens, such as 8192 or 32k; empty: 8192, or the model's maximum if less
 Context:
 Enter:do it  Up:earlier  Esc:back
│ Model      8B (assumed)   ▾││FITS         1 GPU    $0.44/h    $8.40/M tok    │
│▸Context    32,768 tokens   ││TTFT        363 ms  175..999         none       │
END

screen "a wrong number keeps the prompt" -m 8B -g l4 <<'KEYS'
Down Down Down Enter "lots" Enter
:dump -
KEYS
only 21,24
expect <<'END'
└────────────────────────────┘└────────────────────────────────────────────────┘
 GPUs: 'lots' is not a number
 GPUs: lots
 Enter:do it  Up:earlier  Esc:back
END

screen "steps, and auto below one" -m llama-3.1-8b -g l4 <<'KEYS'
Down Down Down + + Left
/ "output" Enter Right Right -
/ "users" Enter + + -
:dump -
/ "gpus" Enter - -
:dump -
KEYS
only 6 10,11 30
expect <<'END'
│ GPUs       2               ││█ weights 7.5 ▓ KV 0.7 ▒ act 0.5 ░ run 2.8      │
│ Output     512 tokens      ││output  63.4 tok/s  39.4..96.3       none       │
│▸Users      2 at once       ││holds   100 requests of 1,536; limit: KV pool   │
│▸GPUs       auto: 1         ││█ weights 15.0 ▓ KV 1.4 ▒ act 0.5 ░ run 1.0     │
END

screen "the model's most is the end" -m llama-3.1-8b -g h100-sxm -c 131072 <<'KEYS'
/ "context" Enter +
:dump -
KEYS
only 8 22,23
expect <<'END'
│▸Context    131,072 tokens  ││TTFT       45.3 ms  22.6..124.6      none       │
 Context: 131072 is the most
END

# ---- solving, undo, reset ----------------------------------------------------------

screen "the most users that fit" -m llama-3.1-70b -p fp8 -g h100-sxm:2 <<'KEYS'
/ "users" Enter s
:dump -
KEYS
only 2,6 11 22
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 2 x H100 SXM5 80GB, TP 1 x PP 2 ──────┐
│ Model      llama-3.1-70b  ▾││FITS         2 GPUs   $6.98/h    $1.03/M tok    │
│ Weights    fp8            ▾││memory 97 % of budget, 2.23 GiB to spare        │
│ GPU        h100-sxm       ▾││██████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒░·│ 75.23│
│ GPUs       2               ││█ weights 33.9 ▓ KV 37.8 ▒ act 0.6 ░ run 0.8    │
│▸Users      187 at once     ││holds   204 requests of 1,280; limit: KV pool   │
 Users: 187 at once is the best that fits
END

screen "what cannot be solved for" -m 8B <<'KEYS'
/ "pruning" Enter s
:dump -
KEYS
only 21,24
expect <<'END'
└────────────────────────────┘└────────────────────────────────────────────────┘
 Pruning: cannot be solved for (GPU, GPUs, Context, Users and Weights can)

 Enter:edit  a:apply  s:solve  /:find  y:why  t:replay  p:pin    ?:help  q:quit
END

screen "undo and redo" -m 8B -g l4 <<'KEYS'
:users 4
:users 8
u
:dump -
U
:dump -
u u u
:dump -
KEYS
out=$(printf '%s\n' "$out" | grep -o 'Users .* at once\|nothing to undo')
expect <<'END'
Users      4 at once
Users      8 at once
Users      1 at once
nothing to undo
END

screen "reset of a field, then of all" -m 70B -g l4 -u 9 <<'KEYS'
/ "users" Enter r
:dump -
r
:dump -
KEYS
only 1,3 11 22 25,28 35 46
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay           70B*
┌─ Ask ──────────────────────┐┌─ Answer: 8 x L4, TP 8 ─────── 1-14 of 23, Tab ─┐
│ Model      70B (assumed)  ▾││FITS         8 GPUs   $3.52/h    $97.17/M tok   │
│▸Users      1 at once       ││holds   44 requests of 1,280; limit: KV pool    │
 Users: reset to its default; r again resets every field
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay            8B*
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L4, TP 1 ─────── 1-14 of 21, Tab ─┐
│ Model      8B (assumed)   ▾││FITS         1 GPU    $0.44/h    $7.25/M tok    │
│ Weights    auto: bf16     ▾││memory 86 % of budget, 2.84 GiB to spare        │
│▸Users      1 at once       ││holds   24 requests of 1,280; limit: KV pool    │
 all fields reset to their defaults; u undoes it
END

# ---- suggestions, pin, why ---------------------------------------------------------

screen "suggestions are listed" -m 70B -p int8 -g l40s:1 <<'KEYS'
a
:dump -
KEYS
only 2,3 7,15 22,24
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L40S, TP 1 ───── 1-14 of 20, Tab ─┐
│▸Model      70B (assumed)  ▾││NO FIT   short 30.88 GiB on each L40S           │
┌─ Ways out ────────────────────────────────────────────────────────── 7 of 7 ─┐
│/ type words to find it verdict    n      $/h TPOT ms     $/M                 │
│▸ 1. int4-awq           fits       1    $1.00    79.8  $23.42                 │
│  2. llama.cpp, q4_k_m  fits       1    $1.00    62.2  $19.00                 │
│  3. cpu-offload-gb 34  fits       1    $1.00    1546 $432.23                 │
│  4. rtx-a6000:2        fits       2    $1.00    57.8  $16.62                 │
│  5. a100-sxm-80:1      fits       1    $1.29    40.5  $14.97                 │
│  6. a100-pcie-80:1     fits       1    $1.35    42.5  $16.41                 │
│  7. l40s:2             fits       2    $2.00    52.1  $29.84                 │
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
 type:find  Up/Down:move  Enter:choose  Esc:back
END

screen "the second is taken" -m 70B -p int8 -g l40s:1 <<'KEYS'
a Down Enter
:dump -
KEYS
only 2,6 17,18 22
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L40S, TP 1 ───── 1-14 of 16, Tab ─┐
│▸Model      70B (assumed)  ▾││FITS         1 GPU    $1.00/h    $19.00/M tok   │
│ Weights    q4_k_m         ▾││memory 94 % of budget, 2.50 GiB to spare        │
│ GPU        l40s           ▾││███████████████████████████████████▓▓▒░··│ 44.42│
│ GPUs       1               ││█ weights 39.0 ▓ KV 2.5 ▒ act 0.2 ░ run 0.2     │
│ Throughput none            ││1 l40s:2, tp 2      faster     2    36.2  $22.23│
│+Layout     auto: TP 1      ││── Why ─────────────────────────────────────────│
 applied: --engine llama.cpp --precision q4_k_m (u undoes it)
END

screen "the list of changes" -m 8B -g l4 <<'KEYS'
a
:dump -
KEYS
only 7,13
expect <<'END'
│── Load ────────────────────││── Speed: model ─── low..high ────── goal ──────│
┌─ Changes ─────────────────────────────────────────────────────────── 3 of 3 ─┐
│/ type words … verdict    n      $/h TPOT ms     $/M                          │
│▸ 1. int4-awq  cheaper    1    $0.44    20.9   $2.72                          │
│  2. users 3   fuller     1    $0.44    61.0   $2.54                          │
│  3. tp 2      faster     2    $0.88    30.5   $7.62                          │
│                                                                              │
END

screen "the form again by a second Tab" -m 70B -p int8 -g l40s:1 <<'KEYS'
Tab Tab
:dump -
KEYS
only 2,3 22,23
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L40S, TP 1 ───── 1-14 of 20, Tab ─┐
│▸Model      70B (assumed)  ▾││NO FIT   short 30.88 GiB on each L40S           │
 Model: its parameters set memory and speed. An id, 70B, or a path.
 parameters = sum of rows*cols over all its tensors
END

screen "against the pinned plan" -m llama-3.1-70b -p bf16 -g h100-sxm:4 <<'KEYS'
:size 120 36
p
:precision fp8
:gpu h100-sxm:2
:dump -
KEYS
only 2,3 16,20
expect <<'END'
┌─ Ask ────────────────────────┐┌─ Answer: 2 x H100 SXM5 80GB, TP 2 ─────────────┐┌─ Alternatives, cheapest first ─────┐
│▸Model      llama-3.1-70b    ▾││FITS         2 GPUs   $6.98/h    $33.30/M tok   ││GPU             n    $/h TPOT    $/M│
│ TPOT goal  none              ││── Against the pin ─────────────────────────────││    │                           ⣠⠞⠁ │
│ Throughput none              ││                   pinned          now    change││1500│                         ⢀⠜⠁   │
│+Layout     auto: TP 2        ││Weights              bf16          fp8          ││    │                        ⣠⠏     │
│+Engine     auto: vLLM 0.33+  ││GPUs                    4            2        -2││    │                       ⡴⠃      │
│+Cost       on-demand         ││$/h                $13.96        $6.98      x0.5││    │                     ⢀⡞⠁       │
END

screen "the same where there is little room" -m llama-3.1-70b -p bf16 -g h100-sxm:4 <<'KEYS'
p
:precision fp8
:gpu h100-sxm:2
:dump -
KEYS
only 2,5
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 2 x H100 SXM5 80GB, TP 2 ─────────────┐
│▸Model      llama-3.1-70b  ▾││FITS         2 GPUs   $6.98/h    $33.30/M tok   │
│ Weights    fp8            ▾││memory 55 % of budget, 32.56 GiB to spare       │
│ GPU        h100-sxm       ▾││███████████████████▓▒░░··················│ 72.85│
END

screen "why: what the field goes into comes first" -m llama-3.1-8b -g h100-sxm <<'KEYS'
/ "users" Enter y
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay
┌─ Why: Users first ───────────────────────────────────────────── 1-18 of 557 ─┐
│   users' KV (KV needed) = 1.000 GiB, exact                                   │
│       users * keys and values of one                                         │
│       with users per replica 1 (request), keys and values 1 GiB (exact)      │
│       from llama-3.1-8b of 2026-11: github ai-dynamo/aiconfigurator@095f58a5 │
│       aic-core/src/aiconfigurator_core/model_configs/meta-llama--Meta-Llama- │
│       3.1-8B_config.json (vendored HF config.json)                           │
│   users' need (need) = 1.000 GiB, exact                                      │
│       users * given                                                          │
│       with users per replica 1 (request), given 1 GiB (exact)                │
│       from vLLM 0.33+ of 2026-11: 16 tokens, the CUDA default of the block   │
│       size; jgchn/llm-d-planner@56dc5b76ca53 accuracy/results (raw logs);    │
│       llm-d-incubation/llm-d-planner@e50305af90f0                            │
│       docs/empirical-vllm-memory-results.md                                  │
│   users' mean need (mean need) = 0.141 GiB, model                            │
│       users * reserved for mean tokens                                       │
│       with users per replica 1 (request), mean tokens 1,152 (request)        │
│       from vLLM 0.33+ of 2026-11: 16 tokens, the CUDA default of the block   │
│       size; jgchn/llm-d-planner@56dc5b76ca53 accuracy/results (raw logs);    │
└──────────────────────────────────────────────────────────────────────────────┘
 Users: requests in flight; more: more KV, longer TPOT, fewer $ a token.
 KV needed = users of one replica * KV of one request
 Up/Down:scroll  /:find  n:next  i:index  q or Esc:close
END

# ---- files and commands ------------------------------------------------------------

screen "the command" -m 70B -p int8 -g l40s:1 -c 32k -u 4 <<'KEYS'
c
:dump -
KEYS
only 21,24
expect <<'END'
└────────────────────────────┘└────────────────────────────────────────────────┘
 gpuplan --plan -m 70B -p int8 -g l40s:1 -c 32k -u 4

 Enter:edit  a:apply  s:solve  /:find  y:why  t:replay  p:pin    ?:help  q:quit
END

screen "saved, changed, and a name that is taken" -m 70B -g l40s:4 <<'KEYS'
w Enter
:dump -
:users 2
:dump -
w
:dump -
Enter
:dump -
KEYS
only 1 22 25 35 46 49 70,73 94
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay      plan.json
 saved to plan.json; gpuplan --batch plan.json prints its answer
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay     plan.json*
│ Users      2 at once       ││holds   46 requests of 1,280; limit: KV pool    │
 set: users 2
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay     plan.json*
 a file; gpuplan --batch reads it, o opens it
 Save as: plan.json
 Enter:do it  Tab:complete  Up:earlier  Esc:back
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay      plan.json
 saved to plan.json; gpuplan --batch plan.json prints its answer
END

assert_eq "one line of --batch" '{"model": "70B", "gpu": "l40s:4", "users": 2}' "$(cat plan.json)"
run --batch plan.json
assert_contains "--batch answers it" '"gpus": 4' "$out"

screen "loaded" <<'KEYS'
o "plan.json" Enter
:dump -
KEYS
only 1,3 11
expect <<'END'
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay      plan.json
┌─ Ask ──────────────────────┐┌─ Answer: 4 x L40S, TP 4 ───── 1-14 of 19, Tab ─┐
│▸Model      70B (assumed)  ▾││FITS         4 GPUs   $4.00/h    $30.66/M tok   │
│ Users      2 at once       ││holds   46 requests of 1,280; limit: KV pool    │
END

printf '{"model": "8B", "gpus": 2}\n' >bad.json

screen "an unknown key is named" <<'KEYS'
o "bad.json" Enter
:dump -
KEYS
only 21,24
expect <<'END'
└────────────────────────────┘└────────────────────────────────────────────────┘
 bad.json:1: gpus: unknown option 'gpus' (did you mean gpu?)
 Open: bad.json
 Enter:do it  Tab:complete  Up:earlier  Esc:back
END

screen "exports" -m 70B -g l40s:4 <<'KEYS'
:export a.txt
:export a.json
:export a.csv
:export a.md
:export a.html
KEYS
run --plan -m 70B -g l40s:4
assert_eq "txt is what --plan prints" "$out" "$(cat a.txt)"
run --plan -m 70B -g l40s:4 --format json
assert_eq "json likewise" "$out" "$(cat a.json)"
run --plan -m 70B -g l40s:4 --format csv
assert_eq "csv likewise" "$out" "$(cat a.csv)"
run --plan -m 70B -g l40s:4 --format markdown
assert_eq "md likewise" "$out" "$(cat a.md)"
run --report own.html -m 70B -g l40s:4 # a page: a quit waits for what was asked for
assert_eq "html is --report's page" "" "$(diff own.html a.html)"

# ---- local models, find, mouse -----------------------------------------------------

mkdir -p models/deep/er
cp -r "$src/tests/fixtures/models/hf-llama" models/tiny
cp "$src/tests/fixtures/models/gguf/llama-q8_0.gguf" models/deep/tiny.gguf
printf '{"hidden_size": "many"}' >models/deep/er/config.json
mkdir models/broken && echo '{' >models/broken/config.json

screen "local models come first" <<'KEYS'
Enter "./"
:dump -
C-u "tiny" Enter
:dump -
KEYS
only 2,8 24,28
expect <<'END'
┌─ Model ──────────────────────────────────────────────────────────── 3 of 26 ─┐
│/ ./                            verdict    n      $/h TPOT ms     params      │
│▸ ./models/broken                                              in this folder │
│  ./models/deep/tiny.gguf       fits       1    $0.44     0.1  in this folder │
│  ./models/tiny                 fits       1    $0.44     0.6  in this folder │
│  "./" as typed                                                               │
│                                                                              │
 type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back
 gpuplan [1 Plan] 2 Compare  3 Curves  4 Bench  5 Pool  6 Replay     tiny.gguf*
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L4, TP 1 ─────── 1-14 of 19, Tab ─┐
│▸Model      tiny.gguf      ▾││FITS         1 GPU    $0.44/h    $0.0231/M tok  │
│ Weights    auto: ggml-q8_0▾││memory 1 % of budget, 21.90 GiB to spare        │
END

mkdir -p models/tiny-one models/tiny-two
screen "a path is completed" -m 8B -g l4 <<'KEYS'
Enter "mod" Tab "tiny-o" Tab
:dump -
C-u "models/t" Tab
:dump -
KEYS
shows "/ models/tiny-one/"
shows "models/tiny/ models/tiny-one/ models/tiny-two/"

screen "one that cannot be read is refused with the reader's words" <<'KEYS'
Enter "broken" Enter
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────────────────────────────────────────────────┘
 ./models/broken/config.json: line 2: string or '}' expected near end of file
 (the file is damaged or is not a config.json)
 type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back
END

screen "a field is found by its option" <<'KEYS'
/ "batched" Enter
:dump -
KEYS
only 2 7,12 22,23
expect <<'END'
┌─ Ask ──────── 12-29 of 35 ─┐┌─ Answer: 1 x L4, TP 1 ─────── 1-14 of 21, Tab ─┐
│+Layout     auto: TP 1      ││── Speed: model ─── low..high ────── goal ──────│
│-Engine     auto: vLLM 0.33+││TTFT        340 ms  164..935         none       │
│ Engine     auto: vLLM 0.3…▾││TPOT       58.3 ms  42.1..88.6       none       │
│ KV cache   auto: bf16     ▾││output  16.8 tok/s  11.1..23.3       none       │
│ Slots      auto: 256 reque…││holds   24 requests of 1,280; limit: KV pool    │
│▸Batch      auto: 2,048 tok…││bound   memory bandwidth (4: measure it)        │
 Batch: tokens of one step; more: more memory, mostly a shorter TTFT.
 forward = batch*(2*h + 3*ff/TP)*a + forward base
END

screen "a click sets the focus, another opens" <<'KEYS'
:click 8 5
:dump -
:click 8 5
:dump -
KEYS
only 3 8 22 46,48
expect <<'END'
│ Model      8B (assumed)   ▾││FITS         1 GPU    $0.44/h    $7.25/M tok    │
│▸Context    8,192 tokens    ││TTFT        340 ms  164..935         none       │
 Context: the most tokens of a request; KV memory grows with it.
 tokens, such as 8192 or 32k; empty: 8192, or the model's maximum if less
 Context:
 Enter:do it  Up:earlier  Esc:back
END

# ---- the first time ----------------------------------------------------------------

# Start, choose 70B, int8 and one L40S, see that it does not fit and why, take a
# suggestion, compare, go to measuring, quit: under 20 keys beside the words typed.
# (bench.sh goes the same way and measures.)

screen "first time" <<'KEYS'
Enter "70B" Enter
Down Enter "int8" Enter
/ "gpu" Enter
Enter "l40s" Enter
Down -
:dump -
a Enter
:dump -
2 4 q
KEYS
only 2,8 14 22 26,30 46
expect <<'END'
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L40S, TP 1 ───── 1-14 of 20, Tab ─┐
│ Model      70B (assumed)  ▾││NO FIT   short 30.88 GiB on each L40S           │
│ Weights    int8           ▾││memory 176 % of budget, 30.88 GiB short         │
│ GPU        l40s           ▾││███████████████████████│██████████████▓▒░  40.87│
│▸GPUs       1               ││█ weights 67.7 ▓ KV 2.5 ▒ act 0.6 ░ run 1.0     │
│── Load ────────────────────││── Ways out (a) ── verdict    n      $/h TPOT ms│
│ Context    8,192 tokens    ││1 int4-awq         fits       1    $1.00    79.8│
│── Goals ───────────────────││7 l40s:2           fits       2    $2.00    52.1│
 GPUs: more hold more, are faster, cost more. auto: the fewest that fit.
┌─ Ask ──────────────────────┐┌─ Answer: 1 x L40S, TP 1 ───── 1-14 of 22, Tab ─┐
│ Model      70B (assumed)  ▾││FITS         1 GPU    $1.00/h    $23.42/M tok   │
│ Weights    int4-awq       ▾││memory 95 % of budget, 2.03 GiB to spare        │
│ GPU        l40s           ▾││███████████████████████████████████▓▓▒░··│ 42.20│
│▸GPUs       1               ││█ weights 37.1 ▓ KV 2.5 ▒ act 0.3 ░ run 0.3     │
 applied: --precision int4-awq (u undoes it)
END

assert_eq "keys of the first time" 16 \
    "$(sed '/^:/d; s/"[^"]*"//g' "$work/keys" | wc -w | tr -d ' ')"

# ---- a server's log: the memory is measured, and the answer says by what ----------------

screen "a server's log" -m llama-3.1-8b -g h100-sxm --engine vllm@0.19 --tp 2 \
    --calibration "$src/tests/fixtures/logs/vllm-0.19.0-tp2-color.txt" <<'KEYS'
:size 120 60
:dump -
KEYS
shows "to spare; measured"
shows "logged: vllm-0.19.0-tp2-color.txt (vLLM 0.19.0,"
shows "TP 2): measured: weights, activation,"

# A heading stands over something: none is the last row of a panel, at any size.
{
    for size in '60 20' '70 18' '80 24' '84 25' '100 30' '120 36' '160 45' '200 60'; do
        printf ':size %s\n:dump -\nTab\n' "$size"
        for ((i = 0; i < 6; i++)); do
            printf 'Down\n:dump -\n'
        done
        echo Tab
    done
} >"$work/sizes"
screen "no heading of nothing" -m llama-3.1-70b -g h100-sxm -p fp8 -u 16 <"$work/sizes"
assert_eq "no heading of nothing" "" "$(awk '
    /└/ && last ~ /│── [A-Z]/ { print last }
    { last = $0 }' <<<"$out")"

finish
