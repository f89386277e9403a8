#!/bin/bash
# plain.sh - plain mode: questions and sentences, no escape codes, the numbers of --plan.

. "${srcdir:-.}/tests/script/lib.sh"

# plain ANSWERS [OPTION]...: what is answered, line by line.
plain() {
    last="plain $1"
    printf '%b' "$1" >"$work/answers"
    shift
    "$gp" --plain "$@" <"$work/answers" >"$work/out" 2>"$work/err"
    rc=$?
    out=$(cat "$work/out")
    err=$(cat "$work/err")
}

# ---- what turns it on -----------------------------------------------------------------

first_line() {
    printf '%s\n' "$1" | head -n 1
}

plain 'q\n'
assert_contains "first line" "gpuplan plain mode (from --plain)" "$(first_line "$out")"
assert_eq "exit code after quit" 0 "$rc"
assert_contains "the variable" "(from GPUPLAN_PLAIN)" "$(echo q | GPUPLAN_PLAIN=1 "$gp")"
mkdir -p config/gpuplan
echo 'plain = true;' >config/gpuplan/gpuplan.cfg
assert_contains "the setting" "(from gpuplan.cfg)" "$(echo q | "$gp")"
plain 'q\n'
assert_contains "an option wins" "(from --plain)" "$out"
assert_contains "0 turns the setting off" "--plain" \
    "$(GPUPLAN_PLAIN=0 "$gp" 2>&1 </dev/null)"
assert_lacks "0 turns the setting off" "plain mode" \
    "$(GPUPLAN_PLAIN=0 "$gp" 2>&1 </dev/null)"
echo 'plane = true;' >config/gpuplan/gpuplan.cfg
plain 'q\n'
shows "gpuplan.cfg:1: plane: unknown key"
rm -r config

# ---- the first-time path --------------------------------------------------------------

plain '70B\nint8\nl40s\n1\n\n\n'
assert_eq "exit code of what does not fit, at the end of the input" 1 "$rc"
expect <<'END'
gpuplan plain mode (from --plain). Answer with a number or with words, Enter keeps the default, ? explains, back goes back, quit ends.
Model: 23 to choose from; words find them, ? names them.
Model [8B (assumed)]: 70B
Model: 70B (assumed).
Weights: 61 to choose from; words find them, ? names them.
Weights [auto: bf16]: int8
Weights: int8.
GPU: 24 to choose from; words find them, ? names them.
GPU [auto: rtx-a6000]: l40s
GPU: l40s.
GPUs [auto: 2]: 1
GPUs: 1.
Context [8,192 tokens]:
Users [1 at once]:

Result: does not fit.
DOES NOT FIT on 1 x NVIDIA L40S (l40s): TP 1, 1 host
price, $1.00/h, $730.00 a month
limit, the weights take 67.71 GiB per GPU, 40.87 GiB may be used
cure, weights in int4-awq, $1.00/h; llama.cpp, weights in q4_k_m, $1.00/h

generic 70B (70.55 B parameters, a dense shape assumed), int8 weights, bf16 KV cache
1 user of 1,280 tokens, up to 8,192, vLLM 0.33+
the weights take 67.71 GiB per GPU, 40.87 GiB may be used
vLLM would stop: torch.OutOfMemoryError: CUDA out of memory. (while the weights are loaded)

memory of one GPU, GiB, band, origin
physical, 44.99, sheet
usable, 44.42, sheet
budget, 40.87, sheet, 0.92 of it, by vLLM
weights, 67.71, assumed, 0.03 GiB of it added by the engine at load
KV needed, 2.50, assumed, 1 x 8,192 tokens
activation, 0.58, 0.53..1.10, model, max-num-seqs 256, batched tokens 2048
non-torch, 0.38, 0.27..0.69, model
CUDA graphs, 0.45, 0.10..1.85, model, 0.58 GiB charged to the budget
short, 27.19, 26.68..29.43, assumed
no room for KV in the budget: 28.38 GiB short
rule of thumb at int8: 70.55 B x 8 bit / 8 x 1.25 = 88.2 GB in all; counted weights: 67.68 GiB

cost
on demand, $1.00/h, $730.00/month, 1 x crusoe l40s (per GPU), 1 GPU (2026-08-19, 94 days old)
price per GPU of a shared host; note: sold in host-sized slices
spot, $0.50/h, $365.00/month, 1 x crusoe l40s (per GPU), 1 GPU (2026-08-19, 94 days old)
price per GPU of a shared host; note: sold in host-sized slices
buy, $0.41/h, $298.46/month, 1 x l40s and hosts for $11,475 (2023 launch, assumed), 0.6 kW
break-even, after 12491 hours of renting (17.1 months); from 36 % of the hours in use buying is cheaper

what would fit (each one was planned)
same cost, weights in int4-awq, +32.91 GiB per GPU
gpuplan --plan -m 70B -g l40s:1 --precision int4-awq
same cost, llama.cpp, weights in q4_k_m, +33.38 GiB per GPU
gpuplan --plan -m 70B -g l40s:1 --engine llama.cpp --precision q4_k_m
same cost, 34.00 GiB of each GPU's weights in host memory: much slower, +34.00 GiB per GPU
gpuplan --plan -m 70B -p int8 -g l40s:1 --cpu-offload-gb 34
same cost, 2 x NVIDIA RTX A6000, +35.99 GiB per GPU
gpuplan --plan -m 70B -p int8 --gpu rtx-a6000:2
+0.29 $/h, 1 x NVIDIA A100 SXM4 80GB, +34.47 GiB per GPU
gpuplan --plan -m 70B -p int8 --gpu a100-sxm-80:1
+0.35 $/h, 1 x NVIDIA A100 PCIe 80GB, +34.47 GiB per GPU
gpuplan --plan -m 70B -p int8 --gpu a100-pcie-80:1
+1.00 $/h, as many as needed: 2 GPUs in all, +33.21 GiB per GPU
gpuplan --plan -m 70B -p int8 --gpu l40s:2

sources: data 2026-11-27, model undated, GPU confidence high, engine 2026-11 up to 0.33.0, price 2026-08-19; details with -v or --why
The command that prints the same: gpuplan --plan -m 70B -p int8 -g l40s:1
Next:
1. take --precision int4-awq
2. take --engine llama.cpp --precision q4_k_m
3. take --cpu-offload-gb 34
4. take --gpu rtx-a6000:2
5. take --gpu a100-sxm-80:1
6. take --gpu a100-pcie-80:1
7. take --gpu l40s:2
8. why: every number's equation, inputs and source; why weights: only those of weights
9. compare: the same load on all GPUs, cheapest first
10. measure this machine
11. ask again, with your answers as defaults
12. quit
Next [12]:
END

plain '70B\nint8\nl40s\n1\n\n\n1\nquit\n'
assert_eq "exit code after quit" 0 "$rc"
shows "Taken: "
shows "Result: fits."
shows "TPOT, "
lacks $'\033'

plain ''
assert_eq "exit code when nothing is answered" 0 "$rc"
shows "Result: fits."

# ---- lists ----------------------------------------------------------------------------

plain '?\n9\nback\nllama 70b\n3\n?\n\nh100\n2\nq\n' -m 8B
expect <<'END'
gpuplan plain mode (from --plain). Answer with a number or with words, Enter keeps the default, ? explains, back goes back, quit ends.
Model: 23 to choose from; words find them, ? names them.
Model [8B (assumed)]: ?
Model: its parameters set memory and speed. An id, 70B, or a path.
parameters = sum of rows*cols over all its tensors
Besides the list: a size such as 70B, or a path.
1. 8B: a dense model of this size
2. 70B: a dense model of this size
3. 400B: a dense model of this size
4. Llama 3.1 8B: 8.03 B, 131,072 tokens, bf16
5. Gemma-3-27b: 27.43 B, 131,072 tokens, bf16
6. Qwen3-30B-A3B: 30.53 B, 3.35 B active, 40,960 tokens, bf16
7. Llama 3.3 70B Instruct: 70.55 B, 131,072 tokens, bf16
8. gpt-oss-120b: 116.83 B, 5.71 B active, 131,072 tokens, mxfp4 experts; attn, router, embed, lm_head bf16
9. 15 more
Model [8B (assumed)]: 9
1. DeepSeek-V3 / V3-0324 / V3.1: 671.03 B, 37.55 B active, 163,840 tokens, fp8 e4m3 128x128 block
2. Gemma-2-9b: 9.24 B, 8,192 tokens, bf16
3. Generic 8B (hypothetical seed): 8.03 B, 131,072 tokens, bf16
4. Generic 70B (hypothetical seed): 70.55 B, 131,072 tokens, bf16
5. Llama 2 70B: 68.98 B, 4,096 tokens, fp16
6. Llama 3 70B: 70.55 B, 8,192 tokens, bf16
7. Llama 3.1 70B: 70.55 B, 131,072 tokens, bf16
8. Llama 3.2 1B: 1.24 B, 131,072 tokens, bf16
9. 7 more
Model [8B (assumed)]: back
Model: 23 to choose from; words find them, ? names them.
Model [8B (assumed)]: llama 70b
5 match.
1. Llama 3.3 70B Instruct: 70.55 B, 131,072 tokens, bf16
2. Llama 2 70B: 68.98 B, 4,096 tokens, fp16
3. Llama 3 70B: 70.55 B, 8,192 tokens, bf16
4. Llama 3.1 70B: 70.55 B, 131,072 tokens, bf16
5. DeepSeek-R1-Distill-Llama-70B: 70.55 B, 131,072 tokens, bf16
Model [8B (assumed)]: 3
Model: llama-3-70b.
Weights: 61 to choose from; words find them, ? names them.
Weights [auto: bf16]: ?
Weights: fewer bits need fewer GPUs, decode faster. auto: as published.
bytes = rows*cols*bits/8 + scales; norms, embedding often stay 16-bit
Besides the list: another format, as --list formats has it.
1. as published: bf16: 32.86 GiB per GPU: fits on 4 x rtx-a6000
2. fp8        FP8 E4M3, one scale per output channel: 33.85 GiB per GPU: fits on 2 x rtx-a6000
3. int8       INT8 W8A8, one scale per output channel: 33.84 GiB per GPU: fits on 2 x rtx-a6000
4. int4-awq   AWQ INT4, groups of 128: 37.04 GiB per GPU: fits on 1 x rtx-a6000
5. nvfp4      NVFP4 (E2M1, E4M3 per 16): 39.78 GiB per GPU: fits on 1 x rtx-a6000
6. q4_k_m     GGUF Q4_K_M: 39.04 GiB per GPU: fits on 1 x rtx-a6000
7. q8_0       GGUF Q8_0: 34.39 GiB per GPU: fits on 2 x rtx-a6000
8. fp16       FP16: 32.86 GiB per GPU: fits on 4 x rtx-a6000
9. 53 more
Weights [auto: bf16]:
GPU: 24 to choose from; words find them, ? names them.
GPU [auto: rtx-a6000]: h100
3 match.
1. H100 NVL 94GB: 92.46 GiB usable, 3.94 TB/s, 2023
2. H100 PCIe 80GB: 79.19 GiB usable, 2.04 TB/s, 2022
3. H100 SXM5 80GB: 79.19 GiB usable, 3.35 TB/s, 2022
GPU [auto: rtx-a6000]: 2
GPU: h100-pcie.
GPUs [auto: 2]: q
END

plain 'no such model\n8B\nno such format\nq\n'
shows "no such model"
shows "no such format"
shows "Model: 8B (assumed)."

plain '\n\n\nmany\n0.5\n\nlots\n-3\nq\n'
shows "'many' is not a number"
shows "'lots' is not a token count"
lacks "Result"

# ---- after the answer -----------------------------------------------------------------

plain '\n\n\n\n\n\nwhy\n77\n?\nagain\nq\n' -m 8B -g l40s
shows "utilization * usable * (1 - headroom)"
shows "77 is not a number from 1 to "
assert_eq "questions asked again" 2 "$(printf '%s\n' "$out" | grep -c '^Model \[')"
plain '\n\n\n\n\n\nwhy kv pool\nwhy mlp\nwhy nonsense\nq\n' -m 8B -g l40s
shows "weights: mlp (W_i) ="
shows "budget - weights - activation - non_torch"
shows "No number has nonsense in its name;"
lacks "utilization * usable * (1 - headroom)"

plain '\n\n\n\n\n\ncompare\nq\n' -m 8B -g l40s
shows "GPUs and precisions fit; the cheapest"
first=$(printf '%s\n' "$out" | sed -n 's/^1\. \([0-9]*\) x \([^,]*\), \([^ ]*\) weights: .*/\2 \3 \1/p')
run --compare -m 8B -g all --sort cost -f csv
assert_eq "the first is that of --compare" "$first" \
    "$(printf '%s\n' "$out" | awk -F, 'NR == 1 { for (i = 1; i <= NF; i++) at[$i] = i }
        $at["verdict"] == "fits" && !n++ { print $at["gpu"], $at["precision"], $at["gpus"] }')"

# ---- odd input ------------------------------------------------------------------------

plain '\033[2J\033]0;x\007\nq\n'
lacks $'\033'
lacks $'\007'
plain "$(printf 'x%.0s' {1..5000})\nq\n"
assert_eq "a line without end" 0 "$rc"
plain '8B\r\n\r\nl40s\r\nq\r\n'
shows "GPU: l40s."
printf '8B\nfp8\nl4' >"$work/answers"
out=$("$gp" --plain <"$work/answers")
shows "GPU: l4."
shows "Result: "

# ---- the numbers are those of --plan ----------------------------------------------------

# same_numbers OPTION...: each figure of memory, and the money.
same_numbers() {
    local name at value
    plain '\n\n\n\n\n\nq\n' "$@"
    said=$out
    run --plan "$@" --format json
    for name in weights activation non-torch free; do
        at=$(printf '%s' "$name" | tr 'A-Z -' 'a-z__')
        value=$(json "memory.per_gpu.$at.value")
        assert_contains "$name of $*" \
            "$name, $(LC_ALL=C awk -v v="$value" 'BEGIN { printf "%.2f", v }')" "$said"
    done
    value=$(LC_ALL=C awk -v v="$(json cost.per_hour.value)" 'BEGIN { printf "$%.2f", v }')
    assert_contains "cost of $*" "on demand, $value/h" "$said"
    assert_contains "pool of $*" " $(json memory.kv_cache_tokens.value) tokens" \
        "$(printf '%s' "$said" | tr -d ,)"
}
if have_json; then
    same_numbers -m 8B -g l40s
    same_numbers -m 70B -p fp8 -g h100-sxm:2 -u 16 -c 16k
    same_numbers -m deepseek-v3 -g h200-sxm:8
    same_numbers -m qwen3-30b-a3b -p int4-awq -g l4 -u 2
fi

finish
