#!/usr/bin/env bash
# plan.sh - the Plan screen: form, choosers, answer, suggestions, solving, pin, files.
. "${srcdir:-.}/tests/script/lib.sh"

# only ROWS: these rows of what was dumped ("2,6").
only() {
    out=$(printf '%s\n' "$out" | sed -n "$1p")
}

# ---- sizes and characters ----------------------------------------------------------

screen "first screen" <<'KEYS'
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 57 ─┐
│▸Model       8B, assumed shape   ▾││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│ Weights     bf16 as published   ▾││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ GPU         cheapest: l4        ▾││17.47 of 20.30 GiB budget                 │
│ GPUs        auto: 1              ││████████████████████████████▓▓▒░░·········│
│── Load ──────────────────────────││  physical          22.49 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            20.30 GiB  sheet      │
│ Output      256 tokens           ││█ weights           14.99 GiB  assumed    │
│ Users       1 at once            ││▓ KV needed          1.00 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.52 GiB  0.47..1.05 │
│ TPOT goal   none                 ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.73 GiB  2.50..5.24 │
│ TP          auto: 1              ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Speed ─────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

screen "first screen in ASCII" --ascii <<'KEYS'
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
+- Model and GPU -- field 1 of 37 -++- 1 x NVIDIA L4 ------------- 1-18 of 57 -+
|>Model       8B, assumed shape   v||FITS  1 GPU  $0.44/h  $7.29/M tokens out  |
| Weights     bf16 as published   v||TPOT 58.2 ms  TTFT 425 ms  17 tok/s       |
| GPU         cheapest: l4        v||17.47 of 20.30 GiB budget                 |
| GPUs        auto: 1              ||############################==:--.........|
|-- Load --------------------------||  physical          22.49 GiB  sheet      |
| Context     8,192 tokens         ||  usable            22.07 GiB  sheet      |
| Prompt      1,024 tokens         ||  budget            20.30 GiB  sheet      |
| Output      256 tokens           ||# weights           14.99 GiB  assumed    |
| Users       1 at once            ||= KV needed          1.00 GiB  assumed    |
| TTFT goal   none                 ||: activation         0.52 GiB  0.47..1.05 |
| TPOT goal   none                 ||- non-torch          0.38 GiB  0.27..0.69 |
| KV cache    auto: bf16          v||- CUDA graphs        0.45 GiB  0.10..1.85 |
|-- Layout ------------------------||. free               4.73 GiB  2.50..5.24 |
| TP          auto: 1              ||KV pool 3.84 GiB: 31,440 tokens, 3.8      |
| PP          auto: 1              ||  requests of 8,192 tokens                |
| EP          auto: 1              ||GPUs 1: TP 1, 1 host                      |
| Replicas    auto: 1              ||runner-up 2: TP 2 (1 GPU more)            |
| Max PP      auto: 8              ||-- Speed ---------------------------------|
+----------------------------------++------------------------------------------+
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

screen "120x36" -m llama-3.1-70b -p fp8 -g h100-sxm -u 16 <<'KEYS'
:size 120 36
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─── 1-30 of 55 ─┐┌─ Suggestions and sources ──────────┐
│▸Model       llama-3.1-70b       ▾││FITS  2 GPUs  $6.98/h  $2.89/M tokens out   ││It fits; no warnings.               │
│ Weights     fp8                 ▾││TPOT 23.0 ms  TTFT 252 ms  670 tok/s        ││── What would be better ────────────│
│ GPU         h100-sxm            ▾││59.04 of 72.85 GiB budget                   ││1. --gpu h100-sxm:2 --users 25      │
│ GPUs        auto: 2              ││███████████████████▓▓▓▓▓▓▓▓▓▓▓▒░░···········││   fuller: more users at once: 25:  │
│── Load ──────────────────────────││  physical          79.65 GiB  sheet        ││   $2.16 per million (-25 %), TPOT  │
│ Context     8,192 tokens         ││  usable            79.19 GiB  sheet        ││   26.8 ms (+17 %), $6.98/h         │
│ Prompt      1,024 tokens         ││  budget            72.85 GiB  sheet        ││2. --tp 4                           │
│ Output      256 tokens           ││█ weights           33.88 GiB  exact        ││   faster: TP 4: 4 GPUs in all:     │
│ Users       16 at once           ││▓ KV needed         20.00 GiB  exact        ││   $3.82 per million (+32 %), TPOT  │
│ TTFT goal   none                 ││▒ activation         1.95 GiB  1.90..2.48   ││   15.2 ms (-34 %), $13.96/h        │
│ TPOT goal   none                 ││░ non-torch          2.63 GiB  2.40..2.85   ││a: apply one                        │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85   ││── Sources ─────────────────────────│
│── Layout ────────────────────────││· free              20.28 GiB  18.13..20.91 ││model: github                       │
│ TP          auto: 2              ││KV pool 33.81 GiB: 221,584 tokens, 27.0     ││  ai-dynamo/aiconfigurator@095f58a5 │
│ PP          auto: 1              ││  requests of 8,192 tokens                  ││  aic-core/src/aiconfigurator_core/m│
│ EP          auto: 1              ││GPUs 2: TP 2, 1 host                        ││  odel_configs/meta-llama--Meta-Llam│
│ Replicas    auto: 1              ││runner-up 2: TP 1 x PP 2 (more pipeline     ││  a-3.1-70B_config.json (vendored HF│
│ Max PP      auto: 8              ││  stages)                                   ││  config.json)                      │
│── Engine ────────────────────────││── Speed ───────────────────────────────────││gpu: confidence high:               │
│ Engine      auto: vLLM 0.33+    ▾││TPOT           23.0 ms  17.6..32.8 ms       ││  NVIDIA/open-gpu-kernel-modules@df1│
│ Slots       auto: 1,024 reques…  ││TTFT            252 ms  72..1259 ms         ││  c9a3 g_nv_name_released.h (names, │
│ Batch       auto: 8,192 tokens   ││output tokens    670/s  470..873            ││  PCI ids); public script citing    │
│ Utilization auto: 0.92 share     ││$ per million    $2.89  2.22..4.13          ││  NVIDIA datasheets (text excerpt); │
│ Headroom    0.00 share           ││utilisation       39 %  of 6.75 requests/s  ││  Lightning-AI/pytorch-lightning@7f0│
│ Used        0 GiB                ││energy          3.22 J  1.68..4.74 J        ││  c343                              │
│ GPU layers  auto: 81             ││a step: products 12.1 ms, KV cache 1.1,     ││  fabric/utilities/throughput.py    │
│ CPU experts 0 layers             ││  all-reduces 0.9, launches 4.0, prompts 4.9││  (cites NVIDIA datasheets);        │
│ Offload     0 GiB                ││bound by: memory bandwidth: reading the     ││  ai-dynamo/aiconfigurator@095f58a  │
│ KV offload  0 GiB                ││  weights                                   ││  systems/*.yaml; public nvidia-smi │
│ KV on host  off                 ▾││band: dense model (/1.21..x1.21), engine's  ││  outputs;                          │
└──────────────────────────────────┘└────────────────────────────────────────────┘└────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin  w:save  r:reset                           ?:help  q:quit
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
expect <<'END'
[1 Plan] 2  3  4
┌───── FITS  2 GPUs  $6.98/h  $2.89/M ─┐
│▸Model       llama-3.1-70b           ▾│
│ Weights     fp8                     ▾│
│ GPU         h100-sxm                ▾│
│ GPUs        auto: 2                  │
│── Load ──────────────────────────────│
│ Context     8,192 tokens             │
│ Prompt      1,024 tokens             │
└──────────────────────────────────────┘
 Model: catalogue id, size such as 70B…
 Enter:edit  a:apply     ?:help  q:quit
[1 Plan] 2  3  4
┌─ 2 x NVIDIA H100 SXM5 80GB ──────────┐
│FITS  2 GPUs  $6.98/h  $2.89/M        │
│TPOT 23.0 ms  TTFT 252 ms  670 tok/s  │
│59.04 of 72.85 GiB budget             │
│███████████████▓▓▓▓▓▓▓▓▓▓▒░░··········│
│  physical          79.65 GiB  sheet  │
│  usable            79.19 GiB  sheet  │
│  budget            72.85 GiB  sheet  │
└──────────────────────────────────────┘
 Memory of one GPU; exact: counted, sh…
 Enter:edit  a:apply     ?:help  q:quit
[1 Plan] 2  3  4
┌─ 2 x NVIDIA H100 SXM5 80GB ──────────┐
│59.04 of 72.85 GiB budget             │
│███████████████▓▓▓▓▓▓▓▓▓▓▒░░··········│
│  physical          79.65 GiB  sheet  │
│  usable            79.19 GiB  sheet  │
│  budget            72.85 GiB  sheet  │
│█ weights           33.88 GiB  exact  │
│▓ KV needed         20.00 GiB  exact  │
└──────────────────────────────────────┘
 Memory of one GPU; exact: counted, sh…
 Enter:edit  a:apply     ?:help  q:quit
[1 Plan] 2  3  4
┌─ Suggestions and sources ────────────┐
│It fits; no warnings.                 │
│── What would be better ──────────────│
│1. --gpu h100-sxm:2 --users 25        │
│   fuller: more users at once: 25:    │
│   $2.16 per million (-25 %), TPOT    │
│   26.8 ms (+17 %), $6.98/h           │
│2. --tp 4                             │
└──────────────────────────────────────┘
 Each suggestion was planned like any …
 Enter:edit  a:apply     ?:help  q:quit
END

# ---- verdicts ----------------------------------------------------------------------

screen "does not fit" -m 70B -p int8 -g l40s:1 <<'KEYS'
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 39 ─┐
│▸Model       70B, assumed shape  ▾││DOES NOT FIT  71.74 of 40.87 GiB budget   │
│ Weights     int8                ▾││the weights take 67.71 GiB per GPU, 40.87 │
│ GPU         l40s                ▾││  GiB may be used                         │
│ GPUs        1                    ││a: 6 ways out, such as --gpu rtx-a6000:2  │
│── Load ──────────────────────────││████████████████│█████▓▒░░ lacks 30.88 GiB│
│ Context     8,192 tokens         ││  physical          44.99 GiB  sheet      │
│ Prompt      1,024 tokens         ││  usable            44.42 GiB  sheet      │
│ Output      256 tokens           ││  budget            40.87 GiB  sheet      │
│ Users       1 at once            ││█ weights           67.71 GiB  assumed    │
│ TTFT goal   none                 ││▓ KV needed          2.50 GiB  assumed    │
│ TPOT goal   none                 ││▒ activation         0.58 GiB  0.53..1.10 │
│ KV cache    auto: bf16          ▾││░ non-torch          0.38 GiB  0.27..0.69 │
│── Layout ────────────────────────││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ TP          auto: 1              ││· free             -27.19 GiB  assumed    │
│ PP          auto: 1              ││no room for KV: 28.38 GiB short           │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││── Cost ──────────────────────────────────│
│ Max PP      auto: 8              ││on demand  $1.00/h, $730.00/month         │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

screen "marginal" -m llama-3.1-70b -p bf16 -g h100-sxm:2 --tp 2 <<'KEYS'
Tab
:dump -
KEYS
only 2,22
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─ 1-18 of 68 ─┐
│ Model       llama-3.1-70b       ▾││MARGINAL  2 GPUs  $6.98/h  $54.74/M       │
│ Weights     bf16 as published   ▾││TPOT 27.5 ms  TTFT 217 ms  35 tok/s       │
│ GPU         h100-sxm            ▾││72.16 of 72.85 GiB budget                 │
│ GPUs        2                    ││the users need 1.25 GiB of KV, the pool is│
│── Load ──────────────────────────││  -0.22..2.71 GiB                         │
│ Context     8,192 tokens         ││what decides: CUDA graphs (0.10..2.00     │
│ Prompt      1,024 tokens         ││  GiB): raise --memory-utilization, or run│
│ Output      256 tokens           ││  without graphs                          │
│ Users       1 at once            ││a: 12 ways out, such as --gpu rtx-a6000:4 │
│ TTFT goal   none                 ││  --tp auto                               │
│ TPOT goal   none                 ││██████████████████████████████████▓▒░░····│
│ KV cache    auto: bf16          ▾││  physical          79.65 GiB  sheet      │
│── Layout ────────────────────────││  usable            79.19 GiB  sheet      │
│ TP          2                    ││  budget            72.85 GiB  sheet      │
│ PP          auto: 1              ││█ weights           65.74 GiB  exact      │
│ EP          auto: 1              ││▓ KV needed          1.25 GiB  exact      │
│ Replicas    auto: 1              ││▒ activation         1.95 GiB  1.90..2.48 │
│ Max PP      auto: 8              ││░ non-torch          2.63 GiB  2.40..2.85 │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Memory of one GPU; exact: counted, sheet: a vendor's figure, model: estimated.
END

screen "refused layout" -m qwen3-14b --tp 5 -g h100-sxm <<'KEYS'
:dump -
KEYS
only 2,12
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 5 x NVIDIA H100 SXM5 80GB ──────────────┐
│▸Model       qwen3-14b           ▾││DOES NOT FIT                              │
│ Weights     bf16 as published   ▾││TP=5 neither divides nor is a multiple of │
│ GPU         h100-sxm            ▾││  8 KV heads; TP=5 does not divide the MLP│
│ GPUs        auto: 5              ││  width 17408; TP=5 does not divide the   │
│── Load ──────────────────────────││  vocabulary of 151936                    │
│ Context     8,192 tokens         ││a: 6 ways out, such as --gpu rtx-a6000:1  │
│ Prompt      1,024 tokens         ││  --tp auto                               │
│ Output      256 tokens           ││GPUs 5: TP 5, 1 host                      │
│ Users       1 at once            ││vLLM would stop: AssertionError: 8 is not │
│ TTFT goal   none                 ││  divisible by 5                          │
END

screen "no answer" -m 8B -c 4k <<'KEYS'
:prompt 8k
:dump -
KEYS
only 2,12
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ no answer ──────────────────────────────┐
│▸Model       8B                  ▾││NO ANSWER                                 │
│ Weights     auto                ▾││--context: prompt and output of 8193      │
│ GPU         auto                ▾││  tokens exceed the context of 4096       │
│ GPUs        auto                 ││(raise --context)                         │
│── Load ──────────────────────────││u: undo the last change                   │
│ Context     4,096 tokens         ││                                          │
│ Prompt      8,192 tokens         ││                                          │
│ Output      auto                 ││                                          │
│ Users       auto                 ││                                          │
│ TTFT goal   auto                 ││                                          │
END

screen "weights only" -m vit-l-16 -g l4 <<'KEYS'
:dump -
KEYS
only 2,12
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 32 ─┐
│▸Model       vit-l-16            ▾││FITS  1 GPU  $0.44/h                      │
│ Weights     fp32 as published   ▾││1.13 of 22.07 GiB budget                  │
│ GPU         l4                  ▾││██········································│
│ GPUs        auto: 1              ││  physical          22.49 GiB  sheet      │
│── Load ──────────────────────────││  usable            22.07 GiB  sheet      │
│ Context     8,192 tokens         ││  budget            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││█ weights            1.13 GiB  exact      │
│ Output      256 tokens           ││· free              20.94 GiB  sheet      │
│ Users       1 at once            ││GPUs 1: TP 1, 1 host                      │
│ TTFT goal   none                 ││runner-up 2: TP 2 (1 GPU more)            │
END

screen "a mixture of experts over two stages" -m qwen3-30b-a3b -g a10g --tp 1 --pp 4 --used 1GiB <<'KEYS'
:dump -
KEYS
only 2,20
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 4 x NVIDIA A10G (AWS) ───── 1-18 of 47 ─┐
│▸Model       qwen3-30b-a3b       ▾││FITS  4 GPUs  $5.67/h  $27.63/M tokens out│
│ Weights     bf16 as published   ▾││TPOT 16.0 ms  TTFT 419 ms  57 tok/s       │
│ GPU         a10g                ▾││16.26 of 20.30 GiB budget                 │
│ GPUs        auto: 4              ││███████████████████████████▓▒░░·········──│
│── Load ──────────────────────────││  physical          22.49 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            20.30 GiB  sheet      │
│ Output      256 tokens           ││█ weights           14.52 GiB  exact      │
│ Users       1 at once            ││▓ KV needed          0.19 GiB  exact      │
│ TTFT goal   none                 ││▒ activation         0.75 GiB  0.70..1.28 │
│ TPOT goal   none                 ││░ non-torch          0.22 GiB  0.15..0.50 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││  held by others     1.00 GiB  assumed    │
│ TP          1                    ││· free               4.94 GiB  2.74..5.41 │
│ PP          4                    ││stage 4 of 4, the one that binds          │
│ EP          auto: 1              ││KV pool 4.23 GiB: 184,944 tokens, 22.6    │
│ Replicas    auto: 1              ││  requests of 8,192 tokens                │
│ Max PP      auto: 8              ││GPUs 4: TP 1 x PP 4, 1 host               │
END

# ---- choosing ----------------------------------------------------------------------

screen "models: typing filters, a size is a choice" <<'KEYS'
Enter "70b"
:dump -
Enter
:dump -
KEYS
only 1,26
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model ─────────────────────────────────────────────────────────── 7 of 191 ─┐
│/ 70b                                                                         │
│▸ 70B                                   a dense model of about this size, sh… │
│  Generic 70B (hypothetical seed)       70.55 B, 131,072 tokens, bf16         │
│  Llama 2 70B                           68.98 B, 4,096 tokens, fp16           │
│  Llama 3 70B                           70.55 B, 8,192 tokens, bf16           │
│  Llama 3.1 70B                         70.55 B, 131,072 tokens, bf16         │
│  Llama 3.3 70B Instruct                70.55 B, 131,072 tokens, bf16         │
│  DeepSeek-R1-Distill-Llama-70B         70.55 B, 131,072 tokens, bf16         │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│                                                                              │
│  70B                                                                         │
│  a dense model of about this size, shape assumed                             │
└──────────────────────────────────────────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 4 x NVIDIA RTX A6000 ────── 1-18 of 56 ─┐
END

screen "precisions say what each takes" -m llama-3.1-70b -g h100-sxm:2 <<'KEYS'
:size 120 24
Down Enter
:dump -
KEYS
only 1,16
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Mode┌─ Weights ─────────────────────────────────────────────────────────────────────────────────── 52 of 52 ─┐f 46 ─┐
│ Model│/ type words to find it, or another format, as --list formats has it                                    │      │
│▸Weigh│▸ as published: bf16                                  65.74 GiB per GPU: fits on 2 x h100-sxm           │      │
│ GPU  │  fp8        FP8 E4M3, one scale per output channel   33.88 GiB per GPU: fits on 2 x h100-sxm           │      │
│ GPUs │  int8       INT8 W8A8, one scale per output channel  33.87 GiB per GPU: fits on 2 x h100-sxm           │      │
│── Loa│  int4-awq   AWQ INT4, groups of 128                  18.55 GiB per GPU: fits on 2 x h100-sxm           │······│
│ Conte│  nvfp4      NVFP4 (E2M1, E4M3 per 16)                19.92 GiB per GPU: fits on 2 x h100-sxm           │      │
│ Promp│  q4_k_m     GGUF Q4_K_M                              19.52 GiB per GPU: fits on 2 x h100-sxm           │      │
│ Outpu│  q8_0       GGUF Q8_0                                34.39 GiB per GPU: fits on 2 x h100-sxm           │      │
│ Users│  fp16       FP16                                     65.74 GiB per GPU: fits on 2 x h100-sxm           │engin…│
│ TTFT │  fp32       FP32                                     131.48 GiB per GPU: does not fit on 2 x h100-sxm  │      │
│ TPOT │  f16        GGUF F16                                 65.74 GiB per GPU: fits on 2 x h100-sxm           │, bat…│
│ KV ca│  fp8-block  FP8 E4M3, 128 x 128 blocks               33.87 GiB per GPU: fits on 2 x h100-sxm           │      │
│── Lay│  fp8-tensor FP8 E4M3, one scale per tensor           33.87 GiB per GPU: fits on 2 x h100-sxm           │to th…│
│ TP   │  int8-bnb   INT8 bitsandbytes LLM.int8               33.88 GiB per GPU: fits on 2 x h100-sxm           │      │
END

screen "KV formats of vLLM and of llama.cpp" -m 8B -g l4 <<'KEYS'
Down Down Enter
:dump -
Esc
:precision q4_k_m
Enter
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ GPU ───────────────────────────────────────────────────────────── 99 of 99 ─┐
│/ type words to find it, or id/slice:count, such as a100-sxm-80/3g.40gb:2     │
│  NVIDIA GH200 144GB HBM3e              142.27 GiB usable, 4.9 TB/s, 2024    ▲│
│  NVIDIA GH200 96GB HBM3                94.43 GiB usable, 4 TB/s, 2023        │
│  NVIDIA H100 NVL 94GB                  92.46 GiB usable, 3.94 TB/s, 2023     │
│  NVIDIA H100 PCIe 80GB                 79.19 GiB usable, 2.04 TB/s, 2022     │
│  NVIDIA H100 SXM5 80GB                 79.19 GiB usable, 3.35 TB/s, 2022     │
│  NVIDIA H20 141GB (H20-3e)             138.72 GiB usable, 4 TB/s, 2025       │
│  NVIDIA H20 96GB                       94.43 GiB usable, 4 TB/s, 2023        │
│  NVIDIA H200 NVL 141GB                 138.72 GiB usable, 4.8 TB/s, 2024     │
│  NVIDIA H200 SXM 141GB                 138.72 GiB usable, 4.8 TB/s, 2024     │
│  NVIDIA H800 PCIe 80GB                 78.69 GiB usable, 2.04 TB/s, 2023     │
│  NVIDIA H800 SXM5 80GB                 78.69 GiB usable, 3.35 TB/s, 2023     │
│  NVIDIA Jetson AGX Orin 64GB           63.23 GiB usable, 205 GB/s, 2022      │
│  NVIDIA Jetson AGX Thor (T5000)        126.46 GiB usable, 273 GB/s, 2025     │
│  NVIDIA L20                            44.45 GiB usable, 864 GB/s, 2023      │
│▸ NVIDIA L4                             22.07 GiB usable, 300 GB/s, 2023     ▼│
│                                                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
 GPU: by id, or a MIG slice. auto: this machine's, else the cheapest fit.
 usable = physical less what the driver keeps (H100: 79.19 of 79.65)
 type:find  Up/Down:move  Enter:choose  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ GPU ───────────────────────────────────────────────────────────── 99 of 99 ─┐
│/ type words to find it, or id/slice:count, such as a100-sxm-80/3g.40gb:2     │
│  NVIDIA GH200 144GB HBM3e              142.27 GiB usable, 4.9 TB/s, 2024    ▲│
│  NVIDIA GH200 96GB HBM3                94.43 GiB usable, 4 TB/s, 2023        │
│  NVIDIA H100 NVL 94GB                  92.46 GiB usable, 3.94 TB/s, 2023     │
│  NVIDIA H100 PCIe 80GB                 79.19 GiB usable, 2.04 TB/s, 2022     │
│  NVIDIA H100 SXM5 80GB                 79.19 GiB usable, 3.35 TB/s, 2022     │
│  NVIDIA H20 141GB (H20-3e)             138.72 GiB usable, 4 TB/s, 2025       │
│  NVIDIA H20 96GB                       94.43 GiB usable, 4 TB/s, 2023        │
│  NVIDIA H200 NVL 141GB                 138.72 GiB usable, 4.8 TB/s, 2024     │
│  NVIDIA H200 SXM 141GB                 138.72 GiB usable, 4.8 TB/s, 2024     │
│  NVIDIA H800 PCIe 80GB                 78.69 GiB usable, 2.04 TB/s, 2023     │
│  NVIDIA H800 SXM5 80GB                 78.69 GiB usable, 3.35 TB/s, 2023     │
│  NVIDIA Jetson AGX Orin 64GB           63.23 GiB usable, 205 GB/s, 2022      │
│  NVIDIA Jetson AGX Thor (T5000)        126.46 GiB usable, 273 GB/s, 2025     │
│  NVIDIA L20                            44.45 GiB usable, 864 GB/s, 2023      │
│▸ NVIDIA L4                             22.07 GiB usable, 300 GB/s, 2023     ▼│
│                                                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
 GPU: by id, or a MIG slice. auto: this machine's, else the cheapest fit.
 usable = physical less what the driver keeps (H100: 79.19 of 79.65)
 type:find  Up/Down:move  Enter:choose  Esc:back
END

screen "GPUs: a MIG slice" -m 8B -g a100-sxm-80 <<'KEYS'
:size 120 24
:find
"gpu" Enter Enter "3g"
:dump -
Enter
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ GPU ───────────────────────────────────────────────────────────────────────────────────────────────────── 1 of 106 ─┐
│/ 3g                                                                                                                  │
│▸ NVIDIA A100 SXM4 80GB, MIG 3g.40gb                             39.18 GiB usable, 1.02 TB/s, 2020                    │
│  "3g" as typed                                                                                                       │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
│                                                                                                                      │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 GPU: by id, or a MIG slice. auto: this machine's, else the cheapest fit.
 usable = physical less what the driver keeps (H100: 79.19 of 79.65)
 type:find  Up/Down:move  Enter:choose  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ──────────── field 3 of 37 ─┐┌─ 1 x NVIDIA A100 SXM4 80GB (MIG 3g.40gb) ───────────────── 1-18 of 43 ─┐
│ Model       8B, assumed shape             ▾││FITS  1 GPU  $1.29/h  $7.31/M tokens out                                │
│ Weights     bf16 as published             ▾││TPOT 19.5 ms  TTFT 251 ms  49 tok/s                                     │
│▸GPU         a100-sxm-80/3g.40gb           ▾││17.49 of 36.04 GiB budget                                               │
│ GPUs        auto: 1                        ││████████████████████████████▓▓▒░░·······································│
│── Load ────────────────────────────────────││  physical          40.00 GiB  model                                    │
│ Context     8,192 tokens                   ││  usable            39.18 GiB  38.78..39.58 model                       │
│ Prompt      1,024 tokens                   ││  budget            36.04 GiB  35.68..36.41 model  0.92 of it, by vLLM  │
│ Output      256 tokens                     ││█ weights           14.99 GiB  assumed  0.03 GiB of it added by the eng…│
│ Users       1 at once                      ││▓ KV needed          1.00 GiB  assumed  1 x 8,192 tokens                │
│ TTFT goal   none                           ││▒ activation         0.55 GiB  0.50..1.07 model  max-num-seqs 256, batc…│
│ TPOT goal   none                           ││░ non-torch          0.38 GiB  0.27..0.69 model                         │
│ KV cache    auto: bf16                    ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 model  0.58 GiB charged to th…│
│── Layout ──────────────────────────────────││· free              21.82 GiB  19.19..22.72 assumed                     │
│ TP          auto: 1                        ││KV pool 19.55 GiB: 160,176 tokens, 19.6 requests of 8,192 tokens        │
│ PP          auto: 1                        ││GPUs 1: TP 1, 1 host                                                    │
│ EP          auto: 1                        ││── Speed ───────────────────────────────────────────────────────────────│
│ Replicas    auto: 1                        ││TPOT           19.5 ms  13.4..30.3 ms   51 tokens/s for a user          │
│ Max PP      auto: 8                        ││TTFT            251 ms  72..1255 ms     251 ms on an idle engine        │
└────────────────────────────────────────────┘└────────────────────────────────────────────────────────────────────────┘
 GPU: by id, or a MIG slice. auto: this machine's, else the cheapest fit.
 usable = physical less what the driver keeps (H100: 79.19 of 79.65)
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin  w:save  r:reset                           ?:help  q:quit
END

screen "engines and prices" -m 8B -g l4 <<'KEYS'
/ "engine" Enter Enter
:dump -
Esc Down Enter
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─┌─ Engine ────────────────────────────────────────────────────── 26 of 26 ─┐─┐
│ │/ type words to find it, or a version, such as vllm@0.19                  │ │
│ │▸ auto                       the newest vLLM; llama.cpp for GGUF          │ │
│─│  llama.cpp up to b3218      budgets by asked, 1.00 by default            │ │
│ │  llama.cpp b3219+           budgets by asked, 1.00 by default            │·│
│ │  MLX all versions           budgets by asked, 1.00 by default            │ │
│ │  Ollama all versions        budgets by asked, 1.00 by default            │ │
│ │  SGLang up to 0.5.14        budgets by static, 0.88 by default           │ │
│ │  SGLang 0.5.15-0.5.22       budgets by static, 0.88 by default           │ │
│─│  SGLang 0.5.23+             budgets by static, 0.88 by default           │ │
│▸│  TensorRT-LLM all versions  budgets by free, 0.90 by default             │ │
│ │  vLLM up to 0.7             budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.8-0.11              budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.12-0.15             budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.16                  budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.17-0.19             budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.20-0.21             budgets by utilization, 0.92 by default      │ │
│ │  vLLM 0.22                  budgets by utilization, 0.92 by default      │ │
│ │  vLLM 0.23                  budgets by utilization, 0.92 by default     ▼│─│
└─└──────────────────────────────────────────────────────────────────────────┘─┘
 Engine: its versions differ in overheads and how they budget.
 vLLM: KV pool = utilization*usable - weights - activation - ...
 type:find  Up/Down:move  Enter:choose  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Load ────────── field 18 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 55 ─┐
│ KV cache    auto: bf16          ▾││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│── Layout ────────────────────────││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ TP          auto: 1              ││17.47 of 20.30 GiB budget                 │
│ PP          auto: 1              ││████████████████████████████▓▓▒░░·········│
│ EP          auto: 1              ││  physical          22.49 GiB  sheet      │
│ Replicas    auto: 1              ││  usable            22.07 GiB  sheet      │
│ Max PP      auto: 8              ││  budget            20.30 GiB  sheet      │
│── Engine ────────────────────────││█ weights           14.99 GiB  assumed    │
│ Engine      auto: vLLM 0.33+    ▾││▓ KV needed          1.00 GiB  assumed    │
│▸Slots       auto: 256 requests   ││▒ activation         0.52 GiB  0.47..1.05 │
│ Batch       auto: 2,048 tokens   ││░ non-torch          0.38 GiB  0.27..0.69 │
│ Utilization auto: 0.92 share     ││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ Headroom    0.00 share           ││· free               4.73 GiB  2.50..5.24 │
│ Used        0 GiB                ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ GPU layers  auto: 33             ││  requests of 8,192 tokens                │
│ CPU experts 0 layers             ││GPUs 1: TP 1, 1 host                      │
│ Offload     0 GiB                ││runner-up 2: TP 2 (1 GPU more)            │
│ KV offload  0 GiB                ││── Speed ─────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 requests; empty: the engine's, for this GPU
 Slots:
 Enter:do it  Up:earlier  Esc:back
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
Down Down Down Enter
:dump -
"32k" Enter
:dump -
KEYS
only 1,44
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 4 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 55 ─┐
│ Model       8B, assumed shape   ▾││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│ Weights     bf16 as published   ▾││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ GPU         l4                  ▾││17.47 of 20.30 GiB budget                 │
│▸GPUs        auto: 1              ││████████████████████████████▓▓▒░░·········│
│── Load ──────────────────────────││  physical          22.49 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            20.30 GiB  sheet      │
│ Output      256 tokens           ││█ weights           14.99 GiB  assumed    │
│ Users       1 at once            ││▓ KV needed          1.00 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.52 GiB  0.47..1.05 │
│ TPOT goal   none                 ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.73 GiB  2.50..5.24 │
│ TP          auto: 1              ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Speed ─────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 a count; empty: auto
 GPUs:
 Enter:do it  Up:earlier  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 4 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 55 ─┐
│ Model       8B, assumed shape   ▾││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│ Weights     bf16 as published   ▾││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ GPU         l4                  ▾││17.47 of 20.30 GiB budget                 │
│▸GPUs        auto: 1              ││████████████████████████████▓▓▒░░·········│
│── Load ──────────────────────────││  physical          22.49 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            20.30 GiB  sheet      │
│ Output      256 tokens           ││█ weights           14.99 GiB  assumed    │
│ Users       1 at once            ││▓ KV needed          1.00 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.52 GiB  0.47..1.05 │
│ TPOT goal   none                 ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.73 GiB  2.50..5.24 │
│ TP          auto: 1              ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Speed ─────────────────────────────────│
END

screen "a wrong number keeps the prompt" -m 8B -g l4 <<'KEYS'
Down Down Down Enter "lots" Enter
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────┘└──────────────────────────────────────────┘
 GPUs: 'lots' is not a number
 GPUs: lots
 Enter:do it  Up:earlier  Esc:back
END

screen "steps, and auto below one" -m llama-3.1-8b -g l4 <<'KEYS'
Down Down Down + + Left
Down Down Down Right Right -
Down Down + + - - -
:dump -
KEYS
only 2,13
expect <<'END'
┌─ Model and GPU ── field 9 of 37 ─┐┌─ 2 x NVIDIA L4 ───────────── 1-18 of 58 ─┐
│ Model       llama-3.1-8b        ▾││FITS, TOO SLOW  2 GPUs  $0.88/h  $7.56/M  │
│ Weights     bf16 as published   ▾││TPOT 30.5 ms  TTFT 264 ms  32 tok/s       │
│ GPU         l4                  ▾││11.37 of 20.30 GiB budget                 │
│ GPUs        2                    ││TTFT 264 ms misses the goal of 200 ms     │
│── Load ──────────────────────────││a: 6 ways out, such as --gpu              │
│ Context     8,192 tokens         ││  rtx-6000-ada:1                          │
│ Prompt      1,024 tokens         ││██████████████▓▒░░░░░·····················│
│ Output      512 tokens           ││  physical          22.49 GiB  sheet      │
│ Users       1 at once            ││  usable            22.07 GiB  sheet      │
│▸TTFT goal   200 ms               ││  budget            20.30 GiB  sheet      │
│ TPOT goal   none                 ││█ weights            7.51 GiB  exact      │
END

screen "the model's most is the end" -m llama-3.1-8b -g h100-sxm -c 131072 <<'KEYS'
Down Down Down +
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────┘└──────────────────────────────────────────┘
 GPUs: how many in all. auto: the fewest that fit.
 GPUs = TP * PP * replicas
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

# ---- solving, undo, reset ----------------------------------------------------------

screen "the most users that fit" -m llama-3.1-70b -p fp8 -g h100-sxm:2 <<'KEYS'
/ "users" Enter s
:dump -
KEYS
only 2,23
expect <<'END'
┌─ Model and GPU ── field 8 of 37 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─ 1-18 of 56 ─┐
│ Model       llama-3.1-70b       ▾││FITS  2 GPUs  $6.98/h  $2.88/M tokens out │
│ Weights     fp8                 ▾││TPOT 36.8 ms  TTFT 509 ms  673 tok/s      │
│ GPU         h100-sxm            ▾││69.48 of 72.85 GiB budget                 │
│ GPUs        2                    ││2 GPUs would be marginal: TP 2            │
│── Load ──────────────────────────││█████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒░░·····│
│ Context     8,192 tokens         ││  physical          79.65 GiB  sheet      │
│ Prompt      1,024 tokens         ││  usable            79.19 GiB  sheet      │
│ Output      256 tokens           ││  budget            72.85 GiB  sheet      │
│▸Users       26 at once           ││█ weights           33.88 GiB  exact      │
│ TTFT goal   none                 ││▓ KV needed         32.50 GiB  exact      │
│ TPOT goal   none                 ││▒ activation         1.95 GiB  1.90..2.48 │
│ KV cache    auto: bf16          ▾││░ non-torch          0.57 GiB  0.50..0.85 │
│── Layout ────────────────────────││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ TP          auto: 1              ││· free               9.84 GiB  7.63..10.31│
│ PP          auto: 2              ││stage 2 of 2, the one that binds          │
│ EP          auto: 1              ││KV pool 35.87 GiB: 235,088 tokens, 28.7   │
│ Replicas    auto: 1              ││  requests of 8,192 tokens                │
│ Max PP      auto: 8              ││GPUs 2: TP 1 x PP 2, 1 host               │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Users: 26 at once is the best that fits
END

screen "what cannot be solved for" -m 8B <<'KEYS'
/ "pruning" Enter s
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Pruning: cannot be solved for (GPU, GPUs, Context, Users and Weights can)

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
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
Users       4 at once
Users       8 at once
Users       1 at once
nothing to undo
END

screen "reset of a field, then of all" -m 70B -g l4 -u 9 <<'KEYS'
/ "users" Enter r
:dump -
r
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 8 of 37 ─┐┌─ 10 x NVIDIA L4 ──────────── 1-18 of 63 ─┐
│ Model       70B, assumed shape  ▾││FITS  10 GPUs  $7.04/h  $532.94/M         │
│ Weights     bf16 as published   ▾││TPOT 265 ms  TTFT 2.12 s  4 tok/s         │
│ GPU         l4                  ▾││17.38 of 20.30 GiB budget                 │
│ GPUs        auto: 10             ││8 GPUs would be marginal: TP 8            │
│── Load ──────────────────────────││██████████████████████████▓▒░░░░░·········│
│ Context     8,192 tokens         ││  physical          22.49 GiB  sheet      │
│ Prompt      1,024 tokens         ││  usable            22.07 GiB  sheet      │
│ Output      256 tokens           ││  budget            20.30 GiB  sheet      │
│▸Users       1 at once            ││█ weights           13.76 GiB  assumed    │
│ TTFT goal   none                 ││▓ KV needed          0.25 GiB  assumed    │
│ TPOT goal   none                 ││▒ activation         0.54 GiB  0.49..1.06 │
│ KV cache    auto: bf16          ▾││░ non-torch          2.26 GiB  2.03..2.48 │
│── Layout ────────────────────────││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ TP          auto: 2              ││· free               4.82 GiB  2.67..5.45 │
│ PP          auto: 5              ││stage 5 of 5, the one that binds          │
│ EP          auto: 1              ││KV pool 3.17 GiB: 103,904 tokens, 12.7    │
│ Replicas    auto: 1              ││  requests of 8,192 tokens                │
│ Max PP      auto: 8              ││GPUs 10: TP 2 x PP 5, 2 hosts             │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Users: reset to its default; r again resets every field

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 8 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 57 ─┐
│ Model       8B, assumed shape   ▾││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│ Weights     bf16 as published   ▾││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ GPU         cheapest: l4        ▾││17.47 of 20.30 GiB budget                 │
│ GPUs        auto: 1              ││████████████████████████████▓▓▒░░·········│
│── Load ──────────────────────────││  physical          22.49 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            20.30 GiB  sheet      │
│ Output      256 tokens           ││█ weights           14.99 GiB  assumed    │
│▸Users       1 at once            ││▓ KV needed          1.00 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.52 GiB  0.47..1.05 │
│ TPOT goal   none                 ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.73 GiB  2.50..5.24 │
│ TP          auto: 1              ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Speed ─────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 all fields reset to their defaults; u undoes it

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

# ---- suggestions, pin, why ---------------------------------------------------------

screen "suggestions are listed" -m 70B -p int8 -g l40s:1 <<'KEYS'
a
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 39 ─┐
│▸Model       70B, assumed shape  ▾││DOES NOT FIT  71.74 of 40.87 GiB budget   │
│ Weights     int8                ▾││the weights take 67.71 GiB per GPU, 40.87 │
│ GPU         l40s                ▾││  GiB may be used                         │
┌─ What would fit ──────────────────────────────────────────────────── 6 of 6 ─┐
│/ type words to find it                                                       │
│▸ 1. --gpu rtx-a6000:2                  2 x NVIDIA RTX A6000, 1.00 $/h        │
│  2. --engine llama.cpp --precision q…  llama.cpp, weights in GGUF Q4_K_M, 1… │
│  3. --gpu rtx-6000-ada:2               2 x NVIDIA RTX 6000 Ada Generation, … │
│  4. --gpu rtx-pro-6000-server:1        1 x NVIDIA RTX PRO 6000 Blackwell Se… │
│  5. --gpu l40s:2                       as many as needed: 2 GPUs in all, 2.… │
│  6. --cpu-offload-gb 34                34.00 GiB of each GPU's weights in h… │
│                                                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
│ PP          auto: 1              ││no room for KV: 28.38 GiB short           │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││── Cost ──────────────────────────────────│
│ Max PP      auto: 8              ││on demand  $1.00/h, $730.00/month         │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 type:find  Up/Down:move  Enter:choose  Esc:back
END

screen "the second is taken" -m 70B -p int8 -g l40s:1 <<'KEYS'
a Down Enter
:dump -
KEYS
only 2,23
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 57 ─┐
│▸Model       70B, assumed shape  ▾││FITS  1 GPU  $1.00/h  $19.00/M tokens out │
│ Weights     q4_k_m              ▾││TPOT 62.2 ms  TTFT 1.64 s  15 tok/s       │
│ GPU         l40s                ▾││41.92 of 44.42 GiB budget                 │
│ GPUs        1                    ││███████████████████████████████████▓▓▒░░··│
│── Load ──────────────────────────││  physical          44.99 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            44.42 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            44.42 GiB  sheet      │
│ Output      256 tokens           ││█ weights           39.04 GiB  model      │
│ Users       1 at once            ││▓ KV needed          2.50 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.20 GiB  0.17..0.30 │
│ TPOT goal   none                 ││░ non-torch          0.15 GiB  0.10..0.60 │
│ KV cache    auto: fp16          ▾││░ CUDA graphs        0.02 GiB  0.00..0.10 │
│── Layout ────────────────────────││· free               2.50 GiB  1.68..2.80 │
│ TP          auto: 1              ││KV pool 5.00 GiB: 16,384 tokens, 2.0      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││── Speed ─────────────────────────────────│
│ Max PP      auto: 8              ││TPOT           62.2 ms  44.0..94.7 ms     │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 applied: --engine llama.cpp --precision q4_k_m (u undoes it)
END

screen "nothing to apply" -m 8B -g l4 <<'KEYS'
a
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 type:find  Up/Down:move  Enter:choose  Esc:back
END

screen "side panel in place of the answer" -m 70B -p int8 -g l40s:1 <<'KEYS'
Tab Tab
:dump -
KEYS
only 2,23
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ Suggestions and sources ─── 1-18 of 53 ─┐
│ Model       70B, assumed shape  ▾││the weights take 67.71 GiB per GPU, 40.87 │
│ Weights     int8                ▾││  GiB may be used                         │
│ GPU         l40s                ▾││vLLM would stop: torch.OutOfMemoryError:  │
│ GPUs        1                    ││  CUDA out of memory. (while the weights  │
│── Load ──────────────────────────││  are loaded)                             │
│ Context     8,192 tokens         ││── What would fit ────────────────────────│
│ Prompt      1,024 tokens         ││1. --gpu rtx-a6000:2                      │
│ Output      256 tokens           ││   2 x NVIDIA RTX A6000, +35.99 GiB per   │
│ Users       1 at once            ││   GPU, same cost                         │
│ TTFT goal   none                 ││2. --engine llama.cpp --precision q4_k_m  │
│ TPOT goal   none                 ││   llama.cpp, weights in GGUF Q4_K_M,     │
│ KV cache    auto: bf16          ▾││   +33.38 GiB per GPU, same cost          │
│── Layout ────────────────────────││3. --gpu rtx-6000-ada:2                   │
│ TP          auto: 1              ││   2 x NVIDIA RTX 6000 Ada Generation,    │
│ PP          auto: 1              ││   +35.96 GiB per GPU, +0.65 $/h          │
│ EP          auto: 1              ││4. --gpu rtx-pro-6000-server:1            │
│ Replicas    auto: 1              ││   1 x NVIDIA RTX PRO 6000 Blackwell      │
│ Max PP      auto: 8              ││   Server Edition, +44.24 GiB per GPU,    │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Each suggestion was planned like any request: a takes one.
 Gain is room per GPU; cost is against this plan
END

screen "against the pinned plan" -m llama-3.1-70b -p bf16 -g h100-sxm:4 <<'KEYS'
:size 120 36
p
:precision fp8
:gpu h100-sxm:2
:dump -
KEYS
only 2,20
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─── 1-30 of 56 ─┐┌─ Suggestions and sources ──────────┐
│▸Model       llama-3.1-70b       ▾││FITS  2 GPUs  $6.98/h  $33.54/M tokens out  ││It fits; no warnings.               │
│ Weights     fp8                 ▾││TPOT 16.8 ms  TTFT 157 ms  58 tok/s         ││── What would be better ────────────│
│ GPU         h100-sxm            ▾││40.29 of 72.85 GiB budget                   ││1. --gpu h200-sxm:1                 │
│ GPUs        2                    ││███████████████████▓▒░░·····················││   cheaper: 1 x NVIDIA H200 SXM     │
│── Load ──────────────────────────││  physical          79.65 GiB  sheet        ││   141GB: $20.38 per million (-39   │
│ Context     8,192 tokens         ││  usable            79.19 GiB  sheet        ││   %), TPOT 20.8 ms (+24 %), $3.39/h│
│ Prompt      1,024 tokens         ││  budget            72.85 GiB  sheet        ││2. --precision int4-awq             │
│ Output      256 tokens           ││█ weights           33.88 GiB  exact        ││   cheaper: weights in AWQ INT4,    │
│ Users       1 at once            ││▓ KV needed          1.25 GiB  exact        ││   groups of 128: $27.18 per million│
│ TTFT goal   none                 ││▒ activation         1.95 GiB  1.90..2.48   ││   (-19 %), TPOT 12.5 ms (-25 %),   │
│ TPOT goal   none                 ││░ non-torch          2.63 GiB  2.40..2.85   ││   $6.98/h                          │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85   ││3. --users 25                       │
│── Layout ────────────────────────││· free              39.03 GiB  36.88..39.66 ││   fuller: more users at once: 25:  │
│ TP          auto: 2              ││KV pool 33.81 GiB: 221,584 tokens, 27.0     ││   $2.16 per million (-94 %), TPOT  │
│ PP          auto: 1              ││  requests of 8,192 tokens                  ││   26.8 ms (+60 %), $6.98/h         │
│ EP          auto: 1              ││GPUs 2: TP 2, 1 host                        ││4. --gpu h100-sxm:4 --tp 4          │
│ Replicas    auto: 1              ││runner-up 2: TP 1 x PP 2 (more pipeline     ││   faster: TP 4: 4 GPUs in all:     │
│ Max PP      auto: 8              ││  stages)                                   ││   $43.51 per million (+30 %), TPOT │
END

screen "the same where there is little room" -m llama-3.1-70b -p bf16 -g h100-sxm:4 <<'KEYS'
p
:precision fp8
:gpu h100-sxm:2
:dump -
KEYS
only 2,6
expect <<'END'
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─ 1-18 of 68 ─┐
│▸Model       llama-3.1-70b       ▾││FITS  2 GPUs  $6.98/h  $33.54/M tokens out│
│ Weights     fp8                 ▾││TPOT 16.8 ms  TTFT 157 ms  58 tok/s       │
│ GPU         h100-sxm            ▾││40.29 of 72.85 GiB budget                 │
│ GPUs        2                    ││against the pin: GPUs 4 -> 2, $13.96/h -> │
END

screen "why: what the field goes into comes first" -m llama-3.1-8b -g h100-sxm <<'KEYS'
/ "users" Enter y
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Why: Users first ───────────────────────────────────────────── 1-18 of 539 ─┐
│   max concurrency (concurrency) = 54.6426 requests (52.3867..55.2832), model │
│       floor(pool / block bytes) * block bytes / given                        │
│       with pool 54.644 GiB, 52.389 GiB to 55.284 GiB (model), block bytes 2  │
│       MiB (exact), given 1 GiB (exact)                                       │
│       from vLLM 0.33+ of 2026-11: 16 tokens, the CUDA default of the block   │
│       size; jgchn/llm-d-planner@56dc5b76ca53 accuracy/results (raw logs);    │
│       llm-d-incubation/llm-d-planner@e50305af90f0                            │
│       docs/empirical-vllm-memory-results.md                                  │
│   users' KV (KV needed) = 1 GiB, exact                                       │
│       users * keys and values of one                                         │
│       with users per replica 1 (request), keys and values 1 GiB (exact)      │
│       from llama-3.1-8b of 2026-11: github ai-dynamo/aiconfigurator@095f58a5 │
│       aic-core/src/aiconfigurator_core/model_configs/meta-llama--Meta-Llama- │
│       3.1-8B_config.json (vendored HF config.json)                           │
│   users' need (need) = 1 GiB, exact                                          │
│       users * reserved by the engine for one                                 │
│       with users per replica 1 (request), given 1 GiB (exact)                │
│       from vLLM 0.33+ of 2026-11: 16 tokens, the CUDA default of the block   │
└──────────────────────────────────────────────────────────────────────────────┘
 Users: requests in flight at once, shared by the replicas.
 KV needed = users of one replica * KV of one request
 Up/Down:scroll  /:find  n:next  q or Esc:close
END

# ---- files and commands ------------------------------------------------------------

screen "the command" -m 70B -p int8 -g l40s:1 -c 32k -u 4 <<'KEYS'
c
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────┘└──────────────────────────────────────────┘
 gpuplan --plan -m 70B -p int8 -g l40s:1 -c 32k -u 4

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
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
only 1,96
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                  plan.json
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 60 ─┐
│▸Model       70B, assumed shape  ▾││FITS  4 GPUs  $4.00/h  $59.37/M tokens out│
│ Weights     bf16 as published   ▾││TPOT 50.9 ms  TTFT 706 ms  19 tok/s       │
│ GPU         l40s                ▾││36.93 of 40.87 GiB budget                 │
│ GPUs        4                    ││██████████████████████████████▓▒░░░·······│
│── Load ──────────────────────────││  physical          44.99 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            44.42 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            40.87 GiB  sheet      │
│ Output      256 tokens           ││█ weights           32.89 GiB  assumed    │
│ Users       1 at once            ││▓ KV needed          0.62 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.58 GiB  0.53..1.10 │
│ TPOT goal   none                 ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               7.62 GiB  5.48..8.25 │
│ TP          auto: 4              ││KV pool 4.57 GiB: 59,840 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 saved to plan.json; gpuplan --batch plan.json prints its answer

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                 plan.json*
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 61 ─┐
│▸Model       70B, assumed shape  ▾││FITS  4 GPUs  $4.00/h  $30.97/M tokens out│
│ Weights     bf16 as published   ▾││TPOT 53.1 ms  TTFT 740 ms  36 tok/s       │
│ GPU         l40s                ▾││37.55 of 40.87 GiB budget                 │
│ GPUs        4                    ││██████████████████████████████▓▒░░░·······│
│── Load ──────────────────────────││  physical          44.99 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            44.42 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            40.87 GiB  sheet      │
│ Output      256 tokens           ││█ weights           32.89 GiB  assumed    │
│ Users       2 at once            ││▓ KV needed          1.25 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.58 GiB  0.53..1.10 │
│ TPOT goal   none                 ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               7.00 GiB  4.85..7.63 │
│ TP          auto: 4              ││KV pool 4.57 GiB: 59,840 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 set: users 2

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                 plan.json*
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 61 ─┐
│▸Model       70B, assumed shape  ▾││FITS  4 GPUs  $4.00/h  $30.97/M tokens out│
│ Weights     bf16 as published   ▾││TPOT 53.1 ms  TTFT 740 ms  36 tok/s       │
│ GPU         l40s                ▾││37.55 of 40.87 GiB budget                 │
│ GPUs        4                    ││██████████████████████████████▓▒░░░·······│
│── Load ──────────────────────────││  physical          44.99 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            44.42 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            40.87 GiB  sheet      │
│ Output      256 tokens           ││█ weights           32.89 GiB  assumed    │
│ Users       2 at once            ││▓ KV needed          1.25 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.58 GiB  0.53..1.10 │
│ TPOT goal   none                 ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               7.00 GiB  4.85..7.63 │
│ TP          auto: 4              ││KV pool 4.57 GiB: 59,840 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 one line of --batch
 Save as: plan.json
 Enter:do it  Tab:complete  Up:earlier  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                  plan.json
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 61 ─┐
│▸Model       70B, assumed shape  ▾││FITS  4 GPUs  $4.00/h  $30.97/M tokens out│
│ Weights     bf16 as published   ▾││TPOT 53.1 ms  TTFT 740 ms  36 tok/s       │
│ GPU         l40s                ▾││37.55 of 40.87 GiB budget                 │
│ GPUs        4                    ││██████████████████████████████▓▒░░░·······│
│── Load ──────────────────────────││  physical          44.99 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            44.42 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            40.87 GiB  sheet      │
│ Output      256 tokens           ││█ weights           32.89 GiB  assumed    │
│ Users       2 at once            ││▓ KV needed          1.25 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.58 GiB  0.53..1.10 │
│ TPOT goal   none                 ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               7.00 GiB  4.85..7.63 │
│ TP          auto: 4              ││KV pool 4.57 GiB: 59,840 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 saved to plan.json; gpuplan --batch plan.json prints its answer

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

assert_eq "one line of --batch" '{"model": "70B", "gpu": "l40s:4", "users": 2}' "$(cat plan.json)"
run --batch plan.json
assert_contains "--batch answers it" '"gpus": 4' "$out"

screen "loaded" <<'KEYS'
o "plan.json" Enter
:dump -
KEYS
only 1,12
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                  plan.json
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 61 ─┐
│▸Model       70B, assumed shape  ▾││FITS  4 GPUs  $4.00/h  $30.97/M tokens out│
│ Weights     bf16 as published   ▾││TPOT 53.1 ms  TTFT 740 ms  36 tok/s       │
│ GPU         l40s                ▾││37.55 of 40.87 GiB budget                 │
│ GPUs        4                    ││██████████████████████████████▓▒░░░·······│
│── Load ──────────────────────────││  physical          44.99 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            44.42 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            40.87 GiB  sheet      │
│ Output      256 tokens           ││█ weights           32.89 GiB  assumed    │
│ Users       2 at once            ││▓ KV needed          1.25 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.58 GiB  0.53..1.10 │
END

printf '{"model": "8B", "gpus": 2}\n' >bad.json

screen "an unknown key is named" <<'KEYS'
o "bad.json" Enter
:dump -
KEYS
only 21,24
expect <<'END'
└──────────────────────────────────┘└──────────────────────────────────────────┘
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
for suffix in md html; do # pages: a quit waits for what was asked for
    run --report "own.$suffix" -m 70B -g l40s:4
    assert_eq "$suffix is --report's page" "" "$(diff "own.$suffix" "a.$suffix")"
done

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
only 1,30
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model ─────────────────────────────────────────────────────────── 3 of 194 ─┐
│/ ./                                                                          │
│▸ ./models/broken                       a model in this folder                │
│  ./models/deep/tiny.gguf               a model in this folder                │
│  ./models/tiny                         a model in this folder                │
│  "./" as typed                                                               │
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
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 type:find  Up/Down:move  Enter:choose  Tab:path  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x Tesla V100 SXM2 16GB ── 1-18 of 55 ─┐
│▸Model       tiny.gguf           ▾││FITS  1 GPU  $0.14/h  $0.0072/M tokens out│
│ Weights     ggml-q8_0 as publi… ▾││TPOT 0.10 ms  TTFT 5.46 ms  5301 tok/s    │
│ GPU         cheapest: v100-sxm… ▾││0.17 of 15.81 GiB budget                  │
│ GPUs        auto: 1              ││█▓▒░░·····································│
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
only 2,24
expect <<'END'
┌─ Layout ──────── field 19 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 57 ─┐
│── Layout ────────────────────────││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│ TP          auto: 1              ││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ PP          auto: 1              ││17.47 of 20.30 GiB budget                 │
│ EP          auto: 1              ││████████████████████████████▓▓▒░░·········│
│ Replicas    auto: 1              ││  physical          22.49 GiB  sheet      │
│ Max PP      auto: 8              ││  usable            22.07 GiB  sheet      │
│── Engine ────────────────────────││  budget            20.30 GiB  sheet      │
│ Engine      auto: vLLM 0.33+    ▾││█ weights           14.99 GiB  assumed    │
│ Slots       auto: 256 requests   ││▓ KV needed          1.00 GiB  assumed    │
│▸Batch       auto: 2,048 tokens   ││▒ activation         0.52 GiB  0.47..1.05 │
│ Utilization auto: 0.92 share     ││░ non-torch          0.38 GiB  0.27..0.69 │
│ Headroom    0.00 share           ││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ Used        0 GiB                ││· free               4.73 GiB  2.50..5.24 │
│ GPU layers  auto: 33             ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ CPU experts 0 layers             ││  requests of 8,192 tokens                │
│ Offload     0 GiB                ││GPUs 1: TP 1, 1 host                      │
│ KV offload  0 GiB                ││runner-up 2: TP 2 (1 GPU more)            │
│ KV on host  off                 ▾││── Speed ─────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Batch: tokens of one step (--max-batched-tokens).
 forward = batch*(2*h + 3*ff/TP)*a + forward base
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

screen "a click sets the focus, another opens" <<'KEYS'
:click 7 5
:dump -
:click 7 5
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 57 ─┐
│▸Model       8B, assumed shape   ▾││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│ Weights     bf16 as published   ▾││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ GPU         cheapest: l4        ▾││17.47 of 20.30 GiB budget                 │
│ GPUs        auto: 1              ││████████████████████████████▓▓▒░░·········│
│── Load ──────────────────────────││  physical          22.49 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            20.30 GiB  sheet      │
│ Output      256 tokens           ││█ weights           14.99 GiB  assumed    │
│ Users       1 at once            ││▓ KV needed          1.00 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.52 GiB  0.47..1.05 │
│ TPOT goal   none                 ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.73 GiB  2.50..5.24 │
│ TP          auto: 1              ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Speed ─────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 37 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 57 ─┐
│▸Model       8B, assumed shape   ▾││FITS  1 GPU  $0.44/h  $7.29/M tokens out  │
│ Weights     bf16 as published   ▾││TPOT 58.2 ms  TTFT 425 ms  17 tok/s       │
│ GPU         cheapest: l4        ▾││17.47 of 20.30 GiB budget                 │
│ GPUs        auto: 1              ││████████████████████████████▓▓▒░░·········│
│── Load ──────────────────────────││  physical          22.49 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            22.07 GiB  sheet      │
│ Prompt      1,024 tokens         ││  budget            20.30 GiB  sheet      │
│ Output      256 tokens           ││█ weights           14.99 GiB  assumed    │
│ Users       1 at once            ││▓ KV needed          1.00 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.52 GiB  0.47..1.05 │
│ TPOT goal   none                 ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.73 GiB  2.50..5.24 │
│ TP          auto: 1              ││KV pool 3.84 GiB: 31,440 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Speed ─────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
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
only 2,46
expect <<'END'
┌─ Model and GPU ── field 4 of 37 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 39 ─┐
│ Model       70B, assumed shape  ▾││DOES NOT FIT  71.74 of 40.87 GiB budget   │
│ Weights     int8                ▾││the weights take 67.71 GiB per GPU, 40.87 │
│ GPU         l40s                ▾││  GiB may be used                         │
│▸GPUs        1                    ││a: 6 ways out, such as --gpu rtx-a6000:2  │
│── Load ──────────────────────────││████████████████│█████▓▒░░ lacks 30.88 GiB│
│ Context     8,192 tokens         ││  physical          44.99 GiB  sheet      │
│ Prompt      1,024 tokens         ││  usable            44.42 GiB  sheet      │
│ Output      256 tokens           ││  budget            40.87 GiB  sheet      │
│ Users       1 at once            ││█ weights           67.71 GiB  assumed    │
│ TTFT goal   none                 ││▓ KV needed          2.50 GiB  assumed    │
│ TPOT goal   none                 ││▒ activation         0.58 GiB  0.53..1.10 │
│ KV cache    auto: bf16          ▾││░ non-torch          0.38 GiB  0.27..0.69 │
│── Layout ────────────────────────││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ TP          auto: 1              ││· free             -27.19 GiB  assumed    │
│ PP          auto: 1              ││no room for KV: 28.38 GiB short           │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││── Cost ──────────────────────────────────│
│ Max PP      auto: 8              ││on demand  $1.00/h, $730.00/month         │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 GPUs: how many in all. auto: the fewest that fit.
 GPUs = TP * PP * replicas
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 4 of 37 ─┐┌─ 2 x NVIDIA RTX A6000 ────── 1-18 of 53 ─┐
│ Model       70B, assumed shape  ▾││FITS  2 GPUs  $1.00/h  $16.80/M tokens out│
│ Weights     int8                ▾││TPOT 57.8 ms  TTFT 758 ms  17 tok/s       │
│ GPU         rtx-a6000           ▾││38.51 of 43.62 GiB budget                 │
│▸GPUs        2                    ││█████████████████████████████▓▒░░░········│
│── Load ──────────────────────────││  physical          47.99 GiB  sheet      │
│ Context     8,192 tokens         ││  usable            47.41 GiB  model      │
│ Prompt      1,024 tokens         ││  budget            43.62 GiB  model      │
│ Output      256 tokens           ││█ weights           33.87 GiB  assumed    │
│ Users       1 at once            ││▓ KV needed          1.25 GiB  assumed    │
│ TTFT goal   none                 ││▒ activation         0.55 GiB  0.50..1.07 │
│ TPOT goal   none                 ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               9.04 GiB  6.51..10.15│
│ TP          auto: 2              ││KV pool 6.36 GiB: 41,696 tokens, 5.1      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 2: TP 2, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 1 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 applied: --gpu rtx-a6000:2 (u undoes it)
END

assert_eq "keys of the first time" 16 \
    "$(sed '/^:/d; s/"[^"]*"//g' "$work/keys" | wc -w | tr -d ' ')"

finish
