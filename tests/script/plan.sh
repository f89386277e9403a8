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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 34 ─┐
│▸Model       8B, assumed shape   ▾││FITS  17.51 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││████████████████████████████▓▓▒░░·········│
│ GPU         cheapest: l4        ▾││  physical          22.49 GiB  sheet      │
│ GPUs        auto: 1              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           14.99 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.00 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.57 GiB  0.44..1.09 │
│ Users       1 at once            ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.69 GiB  2.45..5.27 │
│ TP          auto: 1              ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Cost ──────────────────────────────────│
│── Engine ────────────────────────││on demand  $0.44/h, $321.20/month         │
│ Engine      auto: vLLM 0.33+    ▾││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
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
+- Model and GPU -- field 1 of 35 -++- 1 x NVIDIA L4 ------------- 1-18 of 34 -+
|>Model       8B, assumed shape   v||FITS  17.51 of 20.30 GiB budget           |
| Weights     bf16 as published   v||############################==:--.........|
| GPU         cheapest: l4        v||  physical          22.49 GiB  sheet      |
| GPUs        auto: 1              ||  usable            22.07 GiB  sheet      |
|-- Load --------------------------||  budget            20.30 GiB  sheet      |
| Context     8,192 tokens         ||# weights           14.99 GiB  assumed    |
| Prompt      1,024 tokens         ||= KV needed          1.00 GiB  assumed    |
| Output      256 tokens           ||: activation         0.57 GiB  0.44..1.09 |
| Users       1 at once            ||- non-torch          0.38 GiB  0.27..0.69 |
| KV cache    auto: bf16          v||- CUDA graphs        0.45 GiB  0.10..1.85 |
|-- Layout ------------------------||. free               4.69 GiB  2.45..5.27 |
| TP          auto: 1              ||KV pool 3.79 GiB: 31,040 tokens, 3.8      |
| PP          auto: 1              ||  requests of 8,192 tokens                |
| EP          auto: 1              ||GPUs 1: TP 1, 1 host                      |
| Replicas    auto: 1              ||runner-up 2: TP 2 (1 GPU more)            |
| Max PP      auto: 8              ||-- Cost ----------------------------------|
|-- Engine ------------------------||on demand  $0.44/h, $321.20/month         |
| Engine      auto: vLLM 0.33+    v||  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by|
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─── 1-30 of 36 ─┐┌─ Suggestions and sources ──────────┐
│▸Model       llama-3.1-70b       ▾││FITS  59.06 of 72.85 GiB budget             ││It fits; no warnings.               │
│ Weights     fp8                 ▾││███████████████████▓▓▓▓▓▓▓▓▓▓▓▒░░···········││── Sources ─────────────────────────│
│ GPU         h100-sxm            ▾││  physical          79.65 GiB  sheet        ││model: github                       │
│ GPUs        auto: 2              ││  usable            79.19 GiB  sheet        ││  ai-dynamo/aiconfigurator@095f58a5 │
│── Load ──────────────────────────││  budget            72.85 GiB  sheet        ││  aic-core/src/aiconfigurator_core/m│
│ Context     8,192 tokens         ││█ weights           33.88 GiB  exact        ││  odel_configs/meta-llama--Meta-Llam│
│ Prompt      1,024 tokens         ││▓ KV needed         20.00 GiB  exact        ││  a-3.1-70B_config.json (vendored HF│
│ Output      256 tokens           ││▒ activation         1.96 GiB  1.84..2.49   ││  config.json)                      │
│ Users       16 at once           ││░ non-torch          2.63 GiB  2.40..2.85   ││gpu: confidence high:               │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85   ││  NVIDIA/open-gpu-kernel-modules@df1│
│── Layout ────────────────────────││· free              20.26 GiB  18.12..20.97 ││  c9a3 g_nv_name_released.h (names, │
│ TP          auto: 2              ││KV pool 33.80 GiB: 221,504 tokens, 27.0     ││  PCI ids); public script citing    │
│ PP          auto: 1              ││  requests of 8,192 tokens                  ││  NVIDIA datasheets (text excerpt); │
│ EP          auto: 1              ││GPUs 2: TP 2, 1 host                        ││  Lightning-AI/pytorch-lightning@7f0│
│ Replicas    auto: 1              ││runner-up 2: TP 1 x PP 2 (more pipeline     ││  c343                              │
│ Max PP      auto: 8              ││  stages)                                   ││  fabric/utilities/throughput.py    │
│── Engine ────────────────────────││── Cost ────────────────────────────────────││  (cites NVIDIA datasheets);        │
│ Engine      auto: vLLM 0.33+    ▾││on demand  $6.98/h, $5,095/month            ││  ai-dynamo/aiconfigurator@095f58a  │
│ Slots       auto: 1,024 reques…  ││  1 x jarvislabs 2x_H100_48V_400G, 2 GPUs   ││  systems/*.yaml; public nvidia-smi │
│ Batch       auto: 8,192 tokens   ││  (by 2026-11)                              ││  outputs;                          │
│ Utilization auto: 0.92 share     ││  assumed: form factor not stated in        ││  docs.nvidia.com/datacenter/tesla/m│
│ Headroom    0.00 share           ││    catalogue; SXM assumed                  ││  ig-user-guide; launch price: HF   │
│ Used        0 GiB                ││spot       $3.20/h, $2,336/month            ││  msrp (rounded estimate)           │
│ GPU layers  auto: 81             ││  2 x crusoe h100-sxm (per GPU), 2 GPUs     ││engine:                             │
│ CPU experts 0 layers             ││  (2026-08-19, 94 days old)                 ││  jgchn/llm-d-planner@56dc5b76ca53  │
│ Offload     0 GiB                ││  price per GPU of a shared host; note: sold││  accuracy/results (raw logs);      │
│ KV offload  0 GiB                ││    in host-sized slices                    ││  llm-d-incubation/llm-d-planner@e50│
│ KV on host  off                 ▾││buy        $2.35/h, $1,718/month            ││  305af90f0                         │
│ Draft       none                ▾││  2 x h100-sxm and hosts for $74,250        ││  docs/empirical-vllm-memory-results│
│ Drafted     auto: 0 tokens       ││  (2026-05, assumed), 1.8 kW                ││  .md (2026-11)                     │
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
┌─ Model and GPU ─────────────── FITS ─┐
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
│FITS  59.06 of 72.85 GiB budget       │
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
┌─ 2 x NVIDIA H100 SXM5 80GB ──────────┐
│  physical          79.65 GiB  sheet  │
│  usable            79.19 GiB  sheet  │
│  budget            72.85 GiB  sheet  │
│█ weights           33.88 GiB  exact  │
│▓ KV needed         20.00 GiB  exact  │
│▒ activation         1.96 GiB  model  │
│░ non-torch          2.63 GiB  model  │
└──────────────────────────────────────┘
 Memory of one GPU; exact: counted, sh…
 Enter:edit  a:apply     ?:help  q:quit
[1 Plan] 2  3  4
┌─ Suggestions and sources ────────────┐
│It fits; no warnings.                 │
│── Sources ───────────────────────────│
│model: github                         │
│  ai-dynamo/aiconfigurator@095f58a5   │
│  aic-core/src/aiconfigurator_core/mod│
│  el_configs/meta-llama--Meta-Llama-3.│
│  1-70B_config.json (vendored HF      │
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 39 ─┐
│▸Model       70B, assumed shape  ▾││DOES NOT FIT  71.75 of 40.87 GiB budget   │
│ Weights     int8                ▾││the weights take 67.71 GiB per GPU, 40.87 │
│ GPU         l40s                ▾││  GiB may be used                         │
│ GPUs        1                    ││a: 6 ways out, such as --gpu rtx-a6000:2  │
│── Load ──────────────────────────││████████████████│█████▓▒░░ lacks 30.88 GiB│
│ Context     8,192 tokens         ││  physical          44.99 GiB  sheet      │
│ Prompt      1,024 tokens         ││  usable            44.42 GiB  sheet      │
│ Output      256 tokens           ││  budget            40.87 GiB  sheet      │
│ Users       1 at once            ││█ weights           67.71 GiB  assumed    │
│ KV cache    auto: bf16          ▾││▓ KV needed          2.50 GiB  assumed    │
│── Layout ────────────────────────││▒ activation         0.58 GiB  0.46..1.11 │
│ TP          auto: 1              ││░ non-torch          0.38 GiB  0.27..0.69 │
│ PP          auto: 1              ││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ EP          auto: 1              ││· free             -27.20 GiB  assumed    │
│ Replicas    auto: 1              ││no room for KV: 28.38 GiB short           │
│ Max PP      auto: 8              ││GPUs 1: TP 1, 1 host                      │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $1.00/h, $730.00/month         │
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─ 1-18 of 48 ─┐
│ Model       llama-3.1-70b       ▾││MARGINAL  72.17 of 72.85 GiB budget       │
│ Weights     bf16 as published   ▾││the users need 1.25 GiB of KV, the pool is│
│ GPU         h100-sxm            ▾││  -0.23..2.77 GiB                         │
│ GPUs        2                    ││what decides: CUDA graphs (0.10..2.00     │
│── Load ──────────────────────────││  GiB): raise --memory-utilization, or run│
│ Context     8,192 tokens         ││  without graphs                          │
│ Prompt      1,024 tokens         ││a: 12 ways out, such as --gpu rtx-a6000:4 │
│ Output      256 tokens           ││  --tp auto                               │
│ Users       1 at once            ││██████████████████████████████████▓▒░░····│
│ KV cache    auto: bf16          ▾││  physical          79.65 GiB  sheet      │
│── Layout ────────────────────────││  usable            79.19 GiB  sheet      │
│ TP          2                    ││  budget            72.85 GiB  sheet      │
│ PP          auto: 1              ││█ weights           65.74 GiB  exact      │
│ EP          auto: 1              ││▓ KV needed          1.25 GiB  exact      │
│ Replicas    auto: 1              ││▒ activation         1.96 GiB  1.84..2.49 │
│ Max PP      auto: 8              ││░ non-torch          2.63 GiB  2.40..2.85 │
│── Engine ────────────────────────││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ Engine      auto: vLLM 0.33+    ▾││· free               7.15 GiB  5.01..7.86 │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Memory of one GPU; exact: counted, sheet: a vendor's figure, model: estimated.
END

screen "refused layout" -m qwen3-14b --tp 5 -g h100-sxm <<'KEYS'
:dump -
KEYS
only 2,12
expect <<'END'
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 5 x NVIDIA H100 SXM5 80GB ──────────────┐
│▸Model       qwen3-14b           ▾││DOES NOT FIT                              │
│ Weights     bf16 as published   ▾││TP=5 neither divides nor is a multiple of │
│ GPU         h100-sxm            ▾││  8 KV heads; TP=5 does not divide the MLP│
│ GPUs        auto: 5              ││  width 17408; TP=5 does not divide the   │
│── Load ──────────────────────────││  vocabulary of 151936                    │
│ Context     8,192 tokens         ││a: 6 ways out, such as --gpu rtx-a6000:1  │
│ Prompt      1,024 tokens         ││  --tp auto                               │
│ Output      256 tokens           ││GPUs 5: TP 5, 1 host                      │
│ Users       1 at once            ││vLLM would stop: AssertionError: 8 is not │
│ KV cache    auto: bf16          ▾││  divisible by 5                          │
END

screen "no answer" -m 8B -c 4k <<'KEYS'
:prompt 8k
:dump -
KEYS
only 2,12
expect <<'END'
┌─ Model and GPU ── field 1 of 35 ─┐┌─ no answer ──────────────────────────────┐
│▸Model       8B                  ▾││NO ANSWER                                 │
│ Weights     auto                ▾││--context: prompt and output of 8193      │
│ GPU         auto                ▾││  tokens exceed the context of 4096       │
│ GPUs        auto                 ││(raise --context)                         │
│── Load ──────────────────────────││u: undo the last change                   │
│ Context     4,096 tokens         ││                                          │
│ Prompt      8,192 tokens         ││                                          │
│ Output      auto                 ││                                          │
│ Users       auto                 ││                                          │
│ KV cache    auto                ▾││                                          │
END

screen "weights only" -m vit-l-16 -g l4 <<'KEYS'
:dump -
KEYS
only 2,12
expect <<'END'
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 29 ─┐
│▸Model       vit-l-16            ▾││FITS  1.13 of 22.07 GiB budget            │
│ Weights     fp32 as published   ▾││██········································│
│ GPU         l4                  ▾││  physical          22.49 GiB  sheet      │
│ GPUs        auto: 1              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            22.07 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights            1.13 GiB  exact      │
│ Prompt      1,024 tokens         ││· free              20.94 GiB  sheet      │
│ Output      256 tokens           ││GPUs 1: TP 1, 1 host                      │
│ Users       1 at once            ││runner-up 2: TP 2 (1 GPU more)            │
│ KV cache    auto: fp32          ▾││warning: only the weights are counted:    │
END

screen "a mixture of experts over two stages" -m qwen3-30b-a3b -g a10g --tp 1 --pp 4 --used 1GiB <<'KEYS'
:dump -
KEYS
only 2,20
expect <<'END'
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 4 x NVIDIA A10G (AWS) ───── 1-18 of 26 ─┐
│▸Model       qwen3-30b-a3b       ▾││FITS  16.26 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││███████████████████████████▓▒░░·········──│
│ GPU         a10g                ▾││  physical          22.49 GiB  sheet      │
│ GPUs        auto: 4              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           14.52 GiB  exact      │
│ Prompt      1,024 tokens         ││▓ KV needed          0.19 GiB  exact      │
│ Output      256 tokens           ││▒ activation         0.75 GiB  0.63..1.28 │
│ Users       1 at once            ││░ non-torch          0.22 GiB  0.15..0.50 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││  held by others     1.00 GiB  assumed    │
│ TP          1                    ││· free               4.94 GiB  2.74..5.49 │
│ PP          4                    ││stage 4 of 4, the one that binds          │
│ EP          auto: 1              ││KV pool 4.23 GiB: 184,928 tokens, 22.6    │
│ Replicas    auto: 1              ││  requests of 8,192 tokens                │
│ Max PP      auto: 8              ││GPUs 4: TP 1 x PP 4, 1 host               │
│── Engine ────────────────────────││warning: the profile of a10g has low      │
│ Engine      auto: vLLM 0.33+    ▾││  confidence                              │
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 4 x NVIDIA RTX A6000 ────── 1-18 of 32 ─┐
END

screen "precisions say what each takes" -m llama-3.1-70b -g h100-sxm:2 <<'KEYS'
:size 120 24
Down Enter
:dump -
KEYS
only 1,16
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Mode┌─ Weights ─────────────────────────────────────────────────────────────────────────────────── 52 of 52 ─┐f 29 ─┐
│ Model│/ type words to find it, or another format, as --list formats has it                                    │      │
│▸Weigh│▸ as published: bf16                                  65.74 GiB per GPU: fits on 2 x h100-sxm           │      │
│ GPU  │  fp8        FP8 E4M3, one scale per output channel   33.88 GiB per GPU: fits on 2 x h100-sxm           │······│
│ GPUs │  int8       INT8 W8A8, one scale per output channel  33.87 GiB per GPU: fits on 2 x h100-sxm           │      │
│── Loa│  int4-awq   AWQ INT4, groups of 128                  18.55 GiB per GPU: fits on 2 x h100-sxm           │      │
│ Conte│  nvfp4      NVFP4 (E2M1, E4M3 per 16)                19.92 GiB per GPU: fits on 2 x h100-sxm           │      │
│ Promp│  q4_k_m     GGUF Q4_K_M                              19.53 GiB per GPU: fits on 2 x h100-sxm           │engin…│
│ Outpu│  q8_0       GGUF Q8_0                                34.39 GiB per GPU: fits on 2 x h100-sxm           │      │
│ Users│  fp16       FP16                                     65.74 GiB per GPU: fits on 2 x h100-sxm           │, bat…│
│ KV ca│  fp32       FP32                                     131.48 GiB per GPU: does not fit on 2 x h100-sxm  │      │
│── Lay│  f16        GGUF F16                                 65.74 GiB per GPU: fits on 2 x h100-sxm           │to th…│
│ TP   │  fp8-block  FP8 E4M3, 128 x 128 blocks               33.87 GiB per GPU: fits on 2 x h100-sxm           │      │
│ PP   │  fp8-tensor FP8 E4M3, one scale per tensor           33.87 GiB per GPU: fits on 2 x h100-sxm           │      │
│ EP   │  int8-bnb   INT8 bitsandbytes LLM.int8               33.88 GiB per GPU: fits on 2 x h100-sxm           │      │
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
┌─ Model and GPU ──────────── field 3 of 35 ─┐┌─ 1 x NVIDIA A100 SXM4 80GB (MIG 3g.40gb) ───────────────── 1-18 of 27 ─┐
│ Model       8B, assumed shape             ▾││FITS  17.51 of 36.04 GiB budget                                         │
│ Weights     bf16 as published             ▾││████████████████████████████▓▓▒░░·······································│
│▸GPU         a100-sxm-80/3g.40gb           ▾││  physical          40.00 GiB  model                                    │
│ GPUs        auto: 1                        ││  usable            39.18 GiB  38.78..39.58 model                       │
│── Load ────────────────────────────────────││  budget            36.04 GiB  35.68..36.41 model  0.92 of it, by vLLM  │
│ Context     8,192 tokens                   ││█ weights           14.99 GiB  assumed  0.03 GiB of it added by the eng…│
│ Prompt      1,024 tokens                   ││▓ KV needed          1.00 GiB  assumed  1 x 8,192 tokens                │
│ Output      256 tokens                     ││▒ activation         0.57 GiB  0.44..1.09 model  max-num-seqs 256, batc…│
│ Users       1 at once                      ││░ non-torch          0.38 GiB  0.27..0.69 model                         │
│ KV cache    auto: bf16                    ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 model  0.58 GiB charged to th…│
│── Layout ──────────────────────────────────││· free              21.80 GiB  19.16..22.78 assumed                     │
│ TP          auto: 1                        ││KV pool 19.53 GiB: 160,000 tokens, 19.5 requests of 8,192 tokens        │
│ PP          auto: 1                        ││GPUs 1: TP 1, 1 host                                                    │
│ EP          auto: 1                        ││── Cost ────────────────────────────────────────────────────────────────│
│ Replicas    auto: 1                        ││on demand  $1.29/h, $941.70/month                                       │
│ Max PP      auto: 8                        ││  1 x verda 1A100.22V, 1 GPU (by 2026-11)                               │
│── Engine ──────────────────────────────────││  assumed: form factor not stated in catalogue; SXM assumed             │
│ Engine      auto: vLLM 0.33+              ▾││spot       $0.45/h, $329.60/month                                       │
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
┌─┌─ Engine ────────────────────────────────────────────────────── 24 of 24 ─┐─┐
│ │/ type words to find it, or a version, such as vllm@0.19                  │ │
│ │▸ auto                       the newest vLLM; llama.cpp for GGUF          │·│
│─│  llama.cpp all versions     budgets by asked, 1.00 by default            │ │
│ │  MLX all versions           budgets by asked, 1.00 by default            │ │
│ │  Ollama all versions        budgets by asked, 1.00 by default            │ │
│ │  SGLang up to 0.5.14        budgets by static, 0.88 by default           │ │
│ │  SGLang 0.5.15-0.5.22       budgets by static, 0.88 by default           │ │
│ │  SGLang 0.5.23+             budgets by static, 0.88 by default           │ │
│─│  TensorRT-LLM all versions  budgets by free, 0.90 by default             │ │
│▸│  vLLM up to 0.7             budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.8-0.11              budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.12-0.15             budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.16                  budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.17-0.19             budgets by utilization, 0.90 by default      │ │
│ │  vLLM 0.20-0.21             budgets by utilization, 0.92 by default      │ │
│ │  vLLM 0.22                  budgets by utilization, 0.92 by default      │─│
│ │  vLLM 0.23                  budgets by utilization, 0.92 by default      │ │
│ │  vLLM 0.24                  budgets by utilization, 0.92 by default     ▼│y│
└─└──────────────────────────────────────────────────────────────────────────┘─┘
 Engine: its versions differ in overheads and how they budget.
 vLLM: KV pool = utilization*usable - weights - activation - ...
 type:find  Up/Down:move  Enter:choose  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Load ────────── field 16 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 32 ─┐
│ KV cache    auto: bf16          ▾││FITS  17.51 of 20.30 GiB budget           │
│── Layout ────────────────────────││████████████████████████████▓▓▒░░·········│
│ TP          auto: 1              ││  physical          22.49 GiB  sheet      │
│ PP          auto: 1              ││  usable            22.07 GiB  sheet      │
│ EP          auto: 1              ││  budget            20.30 GiB  sheet      │
│ Replicas    auto: 1              ││█ weights           14.99 GiB  assumed    │
│ Max PP      auto: 8              ││▓ KV needed          1.00 GiB  assumed    │
│── Engine ────────────────────────││▒ activation         0.57 GiB  0.44..1.09 │
│ Engine      auto: vLLM 0.33+    ▾││░ non-torch          0.38 GiB  0.27..0.69 │
│▸Slots       auto: 256 requests   ││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ Batch       auto: 2,048 tokens   ││· free               4.69 GiB  2.45..5.27 │
│ Utilization auto: 0.92 share     ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ Headroom    0.00 share           ││  requests of 8,192 tokens                │
│ Used        0 GiB                ││GPUs 1: TP 1, 1 host                      │
│ GPU layers  auto: 33             ││runner-up 2: TP 2 (1 GPU more)            │
│ CPU experts 0 layers             ││── Cost ──────────────────────────────────│
│ Offload     0 GiB                ││on demand  $0.44/h, $321.20/month         │
│ KV offload  0 GiB                ││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
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
┌─ Model and GPU ── field 4 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 32 ─┐
│ Model       8B, assumed shape   ▾││FITS  17.51 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││████████████████████████████▓▓▒░░·········│
│ GPU         l4                  ▾││  physical          22.49 GiB  sheet      │
│▸GPUs        auto: 1              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           14.99 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.00 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.57 GiB  0.44..1.09 │
│ Users       1 at once            ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.69 GiB  2.45..5.27 │
│ TP          auto: 1              ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Cost ──────────────────────────────────│
│── Engine ────────────────────────││on demand  $0.44/h, $321.20/month         │
│ Engine      auto: vLLM 0.33+    ▾││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 a count; empty: auto
 GPUs:
 Enter:do it  Up:earlier  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 4 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 32 ─┐
│ Model       8B, assumed shape   ▾││FITS  17.51 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││████████████████████████████▓▓▒░░·········│
│ GPU         l4                  ▾││  physical          22.49 GiB  sheet      │
│▸GPUs        auto: 1              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           14.99 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.00 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.57 GiB  0.44..1.09 │
│ Users       1 at once            ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.69 GiB  2.45..5.27 │
│ TP          auto: 1              ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Cost ──────────────────────────────────│
│── Engine ────────────────────────││on demand  $0.44/h, $321.20/month         │
│ Engine      auto: vLLM 0.33+    ▾││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
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
┌─ Model and GPU ── field 9 of 35 ─┐┌─ 2 x NVIDIA L4 ───────────── 1-18 of 33 ─┐
│ Model       llama-3.1-8b        ▾││FITS  11.92 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││██████████████▓▓▒░░░░░····················│
│ GPU         l4                  ▾││  physical          22.49 GiB  sheet      │
│ GPUs        2                    ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights            7.51 GiB  exact      │
│ Prompt      1,024 tokens         ││▓ KV needed          1.00 GiB  exact      │
│ Output      512 tokens           ││▒ activation         0.57 GiB  0.44..1.09 │
│ Users       1 at once            ││░ non-torch          2.26 GiB  2.03..2.48 │
│▸KV cache    fp32                ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free              10.28 GiB  8.14..10.99│
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
┌─ Model and GPU ── field 8 of 35 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─ 1-18 of 37 ─┐
│ Model       llama-3.1-70b       ▾││FITS  69.49 of 72.85 GiB budget           │
│ Weights     fp8                 ▾││2 GPUs would be marginal: TP 2            │
│ GPU         h100-sxm            ▾││█████████████████▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▒░░·····│
│ GPUs        2                    ││  physical          79.65 GiB  sheet      │
│── Load ──────────────────────────││  usable            79.19 GiB  sheet      │
│ Context     8,192 tokens         ││  budget            72.85 GiB  sheet      │
│ Prompt      1,024 tokens         ││█ weights           33.88 GiB  exact      │
│ Output      256 tokens           ││▓ KV needed         32.50 GiB  exact      │
│▸Users       26 at once           ││▒ activation         1.96 GiB  1.84..2.49 │
│ KV cache    auto: bf16          ▾││░ non-torch          0.57 GiB  0.50..0.85 │
│── Layout ────────────────────────││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ TP          auto: 1              ││· free               9.83 GiB  7.62..10.37│
│ PP          auto: 2              ││stage 2 of 2, the one that binds          │
│ EP          auto: 1              ││KV pool 35.86 GiB: 235,008 tokens, 28.7   │
│ Replicas    auto: 1              ││  requests of 8,192 tokens                │
│ Max PP      auto: 8              ││GPUs 2: TP 1 x PP 2, 1 host               │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $6.98/h, $5,095/month          │
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
┌─ Model and GPU ── field 8 of 35 ─┐┌─ 10 x NVIDIA L4 ──────────── 1-18 of 38 ─┐
│ Model       70B, assumed shape  ▾││FITS  17.43 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││8 GPUs would be marginal: TP 8            │
│ GPU         l4                  ▾││██████████████████████████▓▒░░░░░·········│
│ GPUs        auto: 10             ││  physical          22.49 GiB  sheet      │
│── Load ──────────────────────────││  usable            22.07 GiB  sheet      │
│ Context     8,192 tokens         ││  budget            20.30 GiB  sheet      │
│ Prompt      1,024 tokens         ││█ weights           13.76 GiB  assumed    │
│ Output      256 tokens           ││▓ KV needed          0.25 GiB  assumed    │
│▸Users       1 at once            ││▒ activation         0.58 GiB  0.46..1.11 │
│ KV cache    auto: bf16          ▾││░ non-torch          2.26 GiB  2.03..2.48 │
│── Layout ────────────────────────││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ TP          auto: 2              ││· free               4.77 GiB  2.62..5.47 │
│ PP          auto: 5              ││stage 5 of 5, the one that binds          │
│ EP          auto: 1              ││KV pool 3.12 GiB: 102,352 tokens, 12.5    │
│ Replicas    auto: 1              ││  requests of 8,192 tokens                │
│ Max PP      auto: 8              ││GPUs 10: TP 2 x PP 5, 5 hosts             │
│── Engine ────────────────────────││runner-up 12: TP 4 x PP 3 (2 GPUs more)   │
│ Engine      auto: vLLM 0.33+    ▾││── Cost ──────────────────────────────────│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Users: reset to its default; r again resets every field

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 8 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 34 ─┐
│ Model       8B, assumed shape   ▾││FITS  17.51 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││████████████████████████████▓▓▒░░·········│
│ GPU         cheapest: l4        ▾││  physical          22.49 GiB  sheet      │
│ GPUs        auto: 1              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           14.99 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.00 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.57 GiB  0.44..1.09 │
│▸Users       1 at once            ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.69 GiB  2.45..5.27 │
│ TP          auto: 1              ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Cost ──────────────────────────────────│
│── Engine ────────────────────────││on demand  $0.44/h, $321.20/month         │
│ Engine      auto: vLLM 0.33+    ▾││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 39 ─┐
│▸Model       70B, assumed shape  ▾││DOES NOT FIT  71.75 of 40.87 GiB budget   │
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
│ Replicas    auto: 1              ││no room for KV: 28.38 GiB short           │
│ Max PP      auto: 8              ││GPUs 1: TP 1, 1 host                      │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $1.00/h, $730.00/month         │
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 34 ─┐
│▸Model       70B, assumed shape  ▾││FITS  41.92 of 44.42 GiB budget           │
│ Weights     q4_k_m              ▾││███████████████████████████████████▓▓▒░░··│
│ GPU         l40s                ▾││  physical          44.99 GiB  sheet      │
│ GPUs        1                    ││  usable            44.42 GiB  sheet      │
│── Load ──────────────────────────││  budget            44.42 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           39.05 GiB  model      │
│ Prompt      1,024 tokens         ││▓ KV needed          2.50 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.20 GiB  0.17..0.30 │
│ Users       1 at once            ││░ non-torch          0.15 GiB  0.10..0.60 │
│ KV cache    auto: fp16          ▾││░ CUDA graphs        0.02 GiB  0.00..0.10 │
│── Layout ────────────────────────││· free               2.50 GiB  1.67..2.79 │
│ TP          auto: 1              ││KV pool 5.00 GiB: 16,128 tokens, 2.0      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││── Cost ──────────────────────────────────│
│ Max PP      auto: 8              ││on demand  $1.00/h, $730.00/month         │
│── Engine ────────────────────────││  1 x crusoe l40s (per GPU), 1 GPU        │
│ Engine      llama.cpp all vers… ▾││  (2026-08-19, 94 days old)               │
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
 nothing to apply

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
END

screen "side panel in place of the answer" -m 70B -p int8 -g l40s:1 <<'KEYS'
Tab Tab
:dump -
KEYS
only 2,23
expect <<'END'
┌─ Model and GPU ── field 1 of 35 ─┐┌─ Suggestions and sources ─── 1-18 of 53 ─┐
│ Model       70B, assumed shape  ▾││the weights take 67.71 GiB per GPU, 40.87 │
│ Weights     int8                ▾││  GiB may be used                         │
│ GPU         l40s                ▾││vLLM would stop: torch.OutOfMemoryError:  │
│ GPUs        1                    ││  CUDA out of memory. (while the weights  │
│── Load ──────────────────────────││  are loaded)                             │
│ Context     8,192 tokens         ││── What would fit ────────────────────────│
│ Prompt      1,024 tokens         ││1. --gpu rtx-a6000:2                      │
│ Output      256 tokens           ││   2 x NVIDIA RTX A6000, +35.96 GiB per   │
│ Users       1 at once            ││   GPU, same cost                         │
│ KV cache    auto: bf16          ▾││2. --engine llama.cpp --precision q4_k_m  │
│── Layout ────────────────────────││   llama.cpp, weights in GGUF Q4_K_M,     │
│ TP          auto: 1              ││   +33.38 GiB per GPU, same cost          │
│ PP          auto: 1              ││3. --gpu rtx-6000-ada:2                   │
│ EP          auto: 1              ││   2 x NVIDIA RTX 6000 Ada Generation,    │
│ Replicas    auto: 1              ││   +35.96 GiB per GPU, +0.65 $/h          │
│ Max PP      auto: 8              ││4. --gpu rtx-pro-6000-server:1            │
│── Engine ────────────────────────││   1 x NVIDIA RTX PRO 6000 Blackwell      │
│ Engine      auto: vLLM 0.33+    ▾││   Server Edition, +44.26 GiB per GPU,    │
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─── 1-30 of 36 ─┐┌─ Suggestions and sources ──────────┐
│▸Model       llama-3.1-70b       ▾││FITS  40.31 of 72.85 GiB budget             ││It fits; no warnings.               │
│ Weights     fp8                 ▾││███████████████████▓▒░░·····················││── Against the pinned plan ─────────│
│ GPU         h100-sxm            ▾││  physical          79.65 GiB  sheet        ││Weights bf16 -> fp8                 │
│ GPUs        2                    ││  usable            79.19 GiB  sheet        ││GPUs 4 -> 2                         │
│── Load ──────────────────────────││  budget            72.85 GiB  sheet        ││GPUs 4 -> 2                         │
│ Context     8,192 tokens         ││█ weights           33.88 GiB  exact        ││$13.96/h -> $6.98/h (-6.98 $/h)     │
│ Prompt      1,024 tokens         ││▓ KV needed          1.25 GiB  exact        ││weights +0.99 GiB                   │
│ Output      256 tokens           ││▒ activation         1.96 GiB  1.84..2.49   ││KV and state +0.62 GiB              │
│ Users       1 at once            ││░ non-torch          2.63 GiB  2.40..2.85   ││free -1.62 GiB                      │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85   ││── Sources ─────────────────────────│
│── Layout ────────────────────────││· free              39.01 GiB  36.87..39.72 ││model: github                       │
│ TP          auto: 2              ││KV pool 33.80 GiB: 221,504 tokens, 27.0     ││  ai-dynamo/aiconfigurator@095f58a5 │
│ PP          auto: 1              ││  requests of 8,192 tokens                  ││  aic-core/src/aiconfigurator_core/m│
│ EP          auto: 1              ││GPUs 2: TP 2, 1 host                        ││  odel_configs/meta-llama--Meta-Llam│
│ Replicas    auto: 1              ││runner-up 2: TP 1 x PP 2 (more pipeline     ││  a-3.1-70B_config.json (vendored HF│
│ Max PP      auto: 8              ││  stages)                                   ││  config.json)                      │
│── Engine ────────────────────────││── Cost ────────────────────────────────────││gpu: confidence high:               │
│ Engine      auto: vLLM 0.33+    ▾││on demand  $6.98/h, $5,095/month            ││  NVIDIA/open-gpu-kernel-modules@df1│
END

screen "the same where there is little room" -m llama-3.1-70b -p bf16 -g h100-sxm:4 <<'KEYS'
p
:precision fp8
:gpu h100-sxm:2
:dump -
KEYS
only 2,6
expect <<'END'
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 2 x NVIDIA H100 SXM5 80GB ─ 1-18 of 48 ─┐
│▸Model       llama-3.1-70b       ▾││FITS  40.31 of 72.85 GiB budget           │
│ Weights     fp8                 ▾││against the pin: GPUs 4 -> 2, $13.96/h -> │
│ GPU         h100-sxm            ▾││  $6.98/h (-6.98 $/h), weights +0.99 GiB, │
│ GPUs        2                    ││  KV and state +0.62 GiB, free -1.62 GiB  │
END

screen "why: what the field goes into comes first" -m llama-3.1-8b -g h100-sxm <<'KEYS'
/ "users" Enter y
:dump -
KEYS
expect <<'END'
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Why: Users first ───────────────────────────────────────────── 1-18 of 290 ─┐
│   max concurrency = 54.6309 requests (52.375..55.3457), model                │
│       floor(KV pool / block bytes) * block bytes / KV of one request         │
│       with KV pool 54.632 GiB, 52.377 GiB to 55.347 GiB (model), block bytes │
│       2 MiB (exact), one request is given 1 GiB (exact)                      │
│       from vLLM 0.33+ of 2026-11: 16 tokens, the CUDA default of the block   │
│       size; jgchn/llm-d-planner@56dc5b76ca53 accuracy/results (raw logs);    │
│       llm-d-incubation/llm-d-planner@e50305af90f0                            │
│       docs/empirical-vllm-memory-results.md                                  │
│   users' KV = 1 GiB, exact                                                   │
│       users * keys and values of one                                         │
│       with users per replica 1 (request), keys and values 1 GiB (exact)      │
│       from llama-3.1-8b of 2026-11: github ai-dynamo/aiconfigurator@095f58a5 │
│       aic-core/src/aiconfigurator_core/model_configs/meta-llama--Meta-Llama- │
│       3.1-8B_config.json (vendored HF config.json)                           │
│   users' need = 1 GiB, exact                                                 │
│       users * reserved by the engine for one                                 │
│       with users per replica 1 (request), one request is given 1 GiB (exact) │
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 36 ─┐
│▸Model       70B, assumed shape  ▾││FITS  36.93 of 40.87 GiB budget           │
│ Weights     bf16 as published   ▾││██████████████████████████████▓▒░░░·······│
│ GPU         l40s                ▾││  physical          44.99 GiB  sheet      │
│ GPUs        4                    ││  usable            44.42 GiB  sheet      │
│── Load ──────────────────────────││  budget            40.87 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           32.89 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          0.62 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.58 GiB  0.46..1.11 │
│ Users       1 at once            ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               7.62 GiB  5.47..8.32 │
│ TP          auto: 4              ││KV pool 4.56 GiB: 59,744 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $4.00/h, $2,920/month          │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 saved to plan.json; gpuplan --batch plan.json prints its answer

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                 plan.json*
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 36 ─┐
│▸Model       70B, assumed shape  ▾││FITS  37.56 of 40.87 GiB budget           │
│ Weights     bf16 as published   ▾││██████████████████████████████▓▒░░░·······│
│ GPU         l40s                ▾││  physical          44.99 GiB  sheet      │
│ GPUs        4                    ││  usable            44.42 GiB  sheet      │
│── Load ──────────────────────────││  budget            40.87 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           32.89 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.25 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.58 GiB  0.46..1.11 │
│ Users       2 at once            ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               6.99 GiB  4.85..7.70 │
│ TP          auto: 4              ││KV pool 4.56 GiB: 59,744 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $4.00/h, $2,920/month          │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 set: users 2

 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                 plan.json*
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 36 ─┐
│▸Model       70B, assumed shape  ▾││FITS  37.56 of 40.87 GiB budget           │
│ Weights     bf16 as published   ▾││██████████████████████████████▓▒░░░·······│
│ GPU         l40s                ▾││  physical          44.99 GiB  sheet      │
│ GPUs        4                    ││  usable            44.42 GiB  sheet      │
│── Load ──────────────────────────││  budget            40.87 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           32.89 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.25 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.58 GiB  0.46..1.11 │
│ Users       2 at once            ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               6.99 GiB  4.85..7.70 │
│ TP          auto: 4              ││KV pool 4.56 GiB: 59,744 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $4.00/h, $2,920/month          │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 one line of --batch
 Save as: plan.json
 Enter:do it  Tab:complete  Up:earlier  Esc:back
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench                  plan.json
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 36 ─┐
│▸Model       70B, assumed shape  ▾││FITS  37.56 of 40.87 GiB budget           │
│ Weights     bf16 as published   ▾││██████████████████████████████▓▒░░░·······│
│ GPU         l40s                ▾││  physical          44.99 GiB  sheet      │
│ GPUs        4                    ││  usable            44.42 GiB  sheet      │
│── Load ──────────────────────────││  budget            40.87 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           32.89 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.25 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.58 GiB  0.46..1.11 │
│ Users       2 at once            ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               6.99 GiB  4.85..7.70 │
│ TP          auto: 4              ││KV pool 4.56 GiB: 59,744 tokens, 7.3      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 4: TP 4, 1 host                      │
│ Replicas    auto: 1              ││runner-up 4: TP 2 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $4.00/h, $2,920/month          │
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 4 x NVIDIA L40S ─────────── 1-18 of 36 ─┐
│▸Model       70B, assumed shape  ▾││FITS  37.56 of 40.87 GiB budget           │
│ Weights     bf16 as published   ▾││██████████████████████████████▓▒░░░·······│
│ GPU         l40s                ▾││  physical          44.99 GiB  sheet      │
│ GPUs        4                    ││  usable            44.42 GiB  sheet      │
│── Load ──────────────────────────││  budget            40.87 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           32.89 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.25 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.58 GiB  0.46..1.11 │
│ Users       2 at once            ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
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
KEYS
run --plan -m 70B -g l40s:4
assert_eq "txt is what --plan prints" "$out" "$(cat a.txt)"
run --plan -m 70B -g l40s:4 --format json
assert_eq "json likewise" "$out" "$(cat a.json)"
run --plan -m 70B -g l40s:4 --format csv
assert_eq "csv likewise" "$out" "$(cat a.csv)"
run --plan -m 70B -g l40s:4 --format markdown
assert_eq "md likewise" "$out" "$(cat a.md)"

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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x Tesla V100 SXM2 16GB ── 1-18 of 34 ─┐
│▸Model       tiny.gguf           ▾││FITS  0.17 of 15.81 GiB budget            │
│ Weights     ggml-q8_0 as publi… ▾││█▓▒░░·····································│
│ GPU         cheapest: v100-sxm… ▾││  physical          16.00 GiB  assumed    │
│ GPUs        auto: 1              ││  usable            15.81 GiB  model      │
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
┌─ Layout ──────── field 17 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 34 ─┐
│── Layout ────────────────────────││FITS  17.51 of 20.30 GiB budget           │
│ TP          auto: 1              ││████████████████████████████▓▓▒░░·········│
│ PP          auto: 1              ││  physical          22.49 GiB  sheet      │
│ EP          auto: 1              ││  usable            22.07 GiB  sheet      │
│ Replicas    auto: 1              ││  budget            20.30 GiB  sheet      │
│ Max PP      auto: 8              ││█ weights           14.99 GiB  assumed    │
│── Engine ────────────────────────││▓ KV needed          1.00 GiB  assumed    │
│ Engine      auto: vLLM 0.33+    ▾││▒ activation         0.57 GiB  0.44..1.09 │
│ Slots       auto: 256 requests   ││░ non-torch          0.38 GiB  0.27..0.69 │
│▸Batch       auto: 2,048 tokens   ││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ Utilization auto: 0.92 share     ││· free               4.69 GiB  2.45..5.27 │
│ Headroom    0.00 share           ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ Used        0 GiB                ││  requests of 8,192 tokens                │
│ GPU layers  auto: 33             ││GPUs 1: TP 1, 1 host                      │
│ CPU experts 0 layers             ││runner-up 2: TP 2 (1 GPU more)            │
│ Offload     0 GiB                ││── Cost ──────────────────────────────────│
│ KV offload  0 GiB                ││on demand  $0.44/h, $321.20/month         │
│ KV on host  off                 ▾││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
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
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 34 ─┐
│▸Model       8B, assumed shape   ▾││FITS  17.51 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││████████████████████████████▓▓▒░░·········│
│ GPU         cheapest: l4        ▾││  physical          22.49 GiB  sheet      │
│ GPUs        auto: 1              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           14.99 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.00 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.57 GiB  0.44..1.09 │
│ Users       1 at once            ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.69 GiB  2.45..5.27 │
│ TP          auto: 1              ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Cost ──────────────────────────────────│
│── Engine ────────────────────────││on demand  $0.44/h, $321.20/month         │
│ Engine      auto: vLLM 0.33+    ▾││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
└──────────────────────────────────┘└──────────────────────────────────────────┘
 Model: catalogue id, size such as 70B, or path of a local model.
 parameters = sum of rows*cols over all its tensors
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 1 of 35 ─┐┌─ 1 x NVIDIA L4 ───────────── 1-18 of 34 ─┐
│▸Model       8B, assumed shape   ▾││FITS  17.51 of 20.30 GiB budget           │
│ Weights     bf16 as published   ▾││████████████████████████████▓▓▒░░·········│
│ GPU         cheapest: l4        ▾││  physical          22.49 GiB  sheet      │
│ GPUs        auto: 1              ││  usable            22.07 GiB  sheet      │
│── Load ──────────────────────────││  budget            20.30 GiB  sheet      │
│ Context     8,192 tokens         ││█ weights           14.99 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.00 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.57 GiB  0.44..1.09 │
│ Users       1 at once            ││░ non-torch          0.38 GiB  0.27..0.69 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               4.69 GiB  2.45..5.27 │
│ TP          auto: 1              ││KV pool 3.79 GiB: 31,040 tokens, 3.8      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 1: TP 1, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 2 (1 GPU more)            │
│ Max PP      auto: 8              ││── Cost ──────────────────────────────────│
│── Engine ────────────────────────││on demand  $0.44/h, $321.20/month         │
│ Engine      auto: vLLM 0.33+    ▾││  1 x jarvislabs 1x_L4_28V_124G, 1 GPU (by│
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
┌─ Model and GPU ── field 4 of 35 ─┐┌─ 1 x NVIDIA L40S ─────────── 1-18 of 39 ─┐
│ Model       70B, assumed shape  ▾││DOES NOT FIT  71.75 of 40.87 GiB budget   │
│ Weights     int8                ▾││the weights take 67.71 GiB per GPU, 40.87 │
│ GPU         l40s                ▾││  GiB may be used                         │
│▸GPUs        1                    ││a: 6 ways out, such as --gpu rtx-a6000:2  │
│── Load ──────────────────────────││████████████████│█████▓▒░░ lacks 30.88 GiB│
│ Context     8,192 tokens         ││  physical          44.99 GiB  sheet      │
│ Prompt      1,024 tokens         ││  usable            44.42 GiB  sheet      │
│ Output      256 tokens           ││  budget            40.87 GiB  sheet      │
│ Users       1 at once            ││█ weights           67.71 GiB  assumed    │
│ KV cache    auto: bf16          ▾││▓ KV needed          2.50 GiB  assumed    │
│── Layout ────────────────────────││▒ activation         0.58 GiB  0.46..1.11 │
│ TP          auto: 1              ││░ non-torch          0.38 GiB  0.27..0.69 │
│ PP          auto: 1              ││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│ EP          auto: 1              ││· free             -27.20 GiB  assumed    │
│ Replicas    auto: 1              ││no room for KV: 28.38 GiB short           │
│ Max PP      auto: 8              ││GPUs 1: TP 1, 1 host                      │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $1.00/h, $730.00/month         │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 GPUs: how many in all. auto: the fewest that fit.
 GPUs = TP * PP * replicas
 Enter:edit  a:apply  s:solve  /:find  y:why  e:export  p:pin    ?:help  q:quit
 gpuplan [1 Plan]   2 Compare    3 Curves    4 Bench
┌─ Model and GPU ── field 4 of 35 ─┐┌─ 2 x NVIDIA RTX A6000 ────── 1-18 of 30 ─┐
│ Model       70B, assumed shape  ▾││FITS  38.54 of 43.62 GiB budget           │
│ Weights     int8                ▾││█████████████████████████████▓▒░░░········│
│ GPU         rtx-a6000           ▾││  physical          47.99 GiB  sheet      │
│▸GPUs        2                    ││  usable            47.41 GiB  model      │
│── Load ──────────────────────────││  budget            43.62 GiB  model      │
│ Context     8,192 tokens         ││█ weights           33.87 GiB  assumed    │
│ Prompt      1,024 tokens         ││▓ KV needed          1.25 GiB  assumed    │
│ Output      256 tokens           ││▒ activation         0.58 GiB  0.46..1.11 │
│ Users       1 at once            ││░ non-torch          2.26 GiB  2.03..2.48 │
│ KV cache    auto: bf16          ▾││░ CUDA graphs        0.45 GiB  0.10..1.85 │
│── Layout ────────────────────────││· free               9.00 GiB  6.47..10.19│
│ TP          auto: 2              ││KV pool 6.33 GiB: 41,472 tokens, 5.1      │
│ PP          auto: 1              ││  requests of 8,192 tokens                │
│ EP          auto: 1              ││GPUs 2: TP 2, 1 host                      │
│ Replicas    auto: 1              ││runner-up 2: TP 1 x PP 2 (more pipeline   │
│ Max PP      auto: 8              ││  stages)                                 │
│── Engine ────────────────────────││── Cost ──────────────────────────────────│
│ Engine      auto: vLLM 0.33+    ▾││on demand  $1.00/h, $730.00/month         │
└──────────────────────────────────┘└──────────────────────────────────────────┘
 applied: --gpu rtx-a6000:2 (u undoes it)
END

assert_eq "keys of the first time" 16 \
    "$(sed '/^:/d; s/"[^"]*"//g' "$work/keys" | wc -w | tr -d ' ')"

finish
