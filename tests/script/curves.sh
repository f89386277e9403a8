#!/bin/bash
# curves.sh - the Curves screen: latency, throughput, cost, memory, roofline, measured
# points; cursor, series, zoom, files; every number that of gpuplan --plan.

. "${srcdir:-.}/tests/script/lib.sh"

load=(-m llama-3.1-70b -p fp8 -g h100-sxm:2 -c 8k -u 16)

# answer PATH FORMAT: a number of $work/plan.json
answer() {
    cp "$work/plan.json" "$work/out"
    # shellcheck disable=SC2059 # the format is the caller's
    printf "$2" "$(json "$1")"
}

# A result as another machine would send it: round figures, made for this test.
# point ID TEST TYPE M N K LAYER MEDIAN PREDICTED FLAGS
point() {
    local ops bytes
    ops=$(awk -v m="$4" -v n="$5" -v k="$6" -v t="$8" 'BEGIN { printf "%.6g", 2*m*n*k/t }')
    bytes=$(awk -v m="$4" -v n="$5" -v k="$6" -v t="$8" \
        'BEGIN { printf "%.6g", 2*(m*k+n*k+m*n)/t }')
    cat <<END
{"id": "$1", "test": "$2", "state": "ok", "device": 0, "variant": "",
 "params": {"type": "$3", "m": $4, "n": $5, "k": $6, "layer": "$7",
            "model": "llama-3.1-8b", "tp": 1},
 "time_s": {"n": 9, "median": $8, "min": $8, "max": $8, "ci95": [$8, $8]},
 "rate": {"ops_per_s": $ops, "bytes_per_s": $bytes},
 "predicted": {"time_s": $9, "ratio": $(awk -v p="$9" -v t="$8" 'BEGIN { print p/t }'),
               "bound": "memory"},
 "check": {"ok": true}, "flags": [${10:-}]}
END
}

{
    cat <<END
{"schema": "gpuplan.bench/1", "status": "complete", "started": "2026-11-20T10:00:00Z",
 "host": {"name": "testhost"},
 "devices": [{"id": 0, "name": "NVIDIA H100 80GB HBM3", "profile": "h100-sxm"}],
 "points": [
END
    for n in 1024 4096 8192; do
        point "gemm/bf16/${n}x${n}x${n}/cold" gemm bf16 $n $n $n "" \
            "$(awk -v n=$n 'BEGIN { print 2*n^3/6.0e14 }')" \
            "$(awk -v n=$n 'BEGIN { print 2*n^3/9.8e14 }')"
        echo ,
    done
    point "gemm/bf16/512x512x512/cold" gemm bf16 512 512 512 "" 1e-6 1e-6 '"throttled"'
    for n in 1 8 64 512; do
        echo ,
        point "batch/llama-3.1-8b/qkv/tp1/bf16/6144x${n}x4096/weights-cold" batch bf16 \
            6144 $n 4096 qkv "$(awk -v n=$n 'BEGIN { print 2e-5+n*6e-8 }')" \
            "$(awk -v n=$n 'BEGIN { print 1.5e-5+n*5e-8 }')"
        echo ,
        point "batch/llama-3.1-8b/down/tp1/bf16/4096x${n}x14336/weights-cold" batch bf16 \
            4096 $n 14336 down "$(awk -v n=$n 'BEGIN { print 4.5e-5+n*1.4e-7 }')" \
            "$(awk -v n=$n 'BEGIN { print 3.5e-5+n*1.2e-7 }')"
    done
    echo "]}"
} >"$work/h100.json"
echo '{"schema": "gpuplan.bench/1", "status": "complete"' >"$work/torn.json"
echo '{"schema": "something else"}' >"$work/other.json"

# ---- latency, throughput, cost ---------------------------------------------------------

goals=(--tpot 30 --ttft 1000)

# ms PATH FORMAT: seconds of $work/plan.json in milliseconds
ms() {
    answer "$1" %.9f | awk -v f="$2" '{ printf f, $1 * 1e3 }'
}

# The first: throughput, its knee named, and that of the command with so many users.
screen "throughput against users, with goals" "${load[@]}" "${goals[@]}" <<'KEYS'
3
:wait
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ [p] Output tok/s  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 ───────────── tok/s ─┐
│    │      │                               :104 users: 90 % of the most⡀⢀ ⡀⢀ ⡀│
│    │      │                       155 users: marginal beyond ⠁⠈ ⠁⠈ ⠁⠈        │
│2000│      │                     ⢀ ⡀⢀ ⠄⠠ ⠄⠐:⠂⠐ ⠂⠈ ⠁⠈          :               │
│    │      │           ⡀⢀ ⠄⠐ ⠂⠈ ⠁        ⣀⣀⣀⣀⣀⣀⣀⣀⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒│
│    │      │     ⡀⠠ ⠂⠈  ⢀⣀⣀⡠⠤⠤⠤⠒⠒⠒⠒⠊⠉⠉⠉⠉⠉  :                  :               │
│    │      │⢀ ⠄⠘⢀⣀⡠⠤⠒⠒⠉⠉⠁     ⢀ ⡀⢀ ⡀⢀ ⠄⠠ ⠄⠠:⠄⠠ ⠄⠐ ⠂⠐ ⠄⠠ ⠄⠠ ⠄⠠ ⠄⠠ ⠄⠠ ⠄⠠ ⠄⠠ ⠄⠠ ⠄│
│1000│      ⠄⣨⠤⠒⠊⠁⡀⢀ ⠄⠠ ⠂⠐ ⠁⠈ ⠁⠈            :                  :               │
│    │   ⣄⡬⠒P⠠ ⠂⠈                           :                  :               │
│    │ ⣰⠖⠇⠈ │                               :                  :               │
│   0│⠈⠈    │                               :                  :               │
│    └─────────────────────────────────────────────────────────────────────────│
│                      50                 100               150                │
└─ users: requests in flight ──────────────────────────────────────────────────┘
┌─ 16 users: fits ─────────────────────────────────────────────────────────────┐
│   output       682 tok/s  478..864       $/M tok      $2.84  2.24..4.05      │
│   TPOT         22.68 ms  17.91..32.36    $ an hour    $6.98                  │
│   TTFT         218.9 ms  78.19..1051     GPUs         2                      │
│   90 % of most 104 users                                                     │
└──────────────────────────────────────────────────────────────────────────────┘
 90 % of the most, 1,848 tok/s, from 104 users on, at TPOT 59.6 ms; 2 x
 h100-sxm fit 155 users, marginal to 196; then the KV pool is full …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END
knee=$(printf '%s\n' "$out" | sed -n 's/.* 90 % of the most, .* from \([0-9]*\) users on.*/\1/p')
most=$(printf '%s\n' "$out" | sed -n 's/.* 90 % of the most, \(.*\) tok.s, .*/\1/p' | tr -d ,)
shows ":$knee users: 90 % of the most"
if have_json; then
    for users in $((knee - 1)) "$knee"; do
        "$gp" --plan "${load[@]/16/$users}" --tp 2 --pp 1 --replicas 1 --format json \
            >"$work/plan.json"
        answer speed.output_tokens_per_s.value '%.3f\n'
    done >tokens
    assert_eq "the knee has 90 % of the most, one user fewer has less" "0 1" \
        "$(awk -v most="$most" '{ has[NR] = $1 >= 0.9 * most } END { print has[1], has[2] }' tokens)"
fi

screen "TPOT and TTFT beside each other, with goals" "${load[@]}" "${goals[@]}" <<'KEYS'
3 t
:wait
:dump -
t
:dump -
KEYS
only 1,24 47,48
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ ▸[t] TPOT ───────────────────── ms ─┐┌─ [t] TTFT ────────────────────── ms ─┐
│   │155 users: marginal beyond:      ⡀││    │155 users: marginal beyond       │
│150│   │                      : ⢀ ⠆⠈  ││    │  │            ⡀⠐        :       │
│   │   │                    ⡀⠠:⠁      ││3000│  │          ⠠           :       │
│100│   │                  ⠸   :      ⣀││    │  │       ⢀ ⠁            :       │
│   │   │              ⠄⠐ ⠁    ⣀⣠⠤⠖⠒⠉⠉ ││2000│  │      ⠆               :       │
│   │   │        ⡀⠠ ⠂⠈  ⣀⣀⠤⠔⠒⠋⠉⠁ ⢀ ⡀⠠ ⠄││    │  │   ⡄⠈                 :     ⢀⡏│
│ 50│ TPOT goal 30 ms⠒⠊⡉⠠ ⠆⠠ ⠂⠐:⠁      ││    │ TTFT goal 1000 ms       ⢀⣀⣀⣀⠤⠤⠼ │
│   │-⢀-⠄⠐⣀⣡⢤⠔⡒⠫⠉⠅⠐-⠁⠈ - - - - : - - - ││1000│-⠰- - - - - - ⢀⣀⣀⡤⠤⠤⠒⠒⠒⠉⠉⠉- - - -│
│   │⠠⠶⠒P⠙ ⠁⠈                  :       ││    │  P⣀⣀⣠⠤⠤⠴⠒⠒⠚⠉⢉⠁⡀⢀ ⡀⢀ ⡄⠠ ⠄⠠ ⠄⠠ ⠂⠐ │
│  0│   │                      :       ││   0│⠈⠙⠉⠂⠐ ⠁⠈ ⠁⠈ ⠁            :       │
│   └──────────────────────────────────││    └─────────────────────────────────│
│           50       100     150       ││            50      100     150       │
└─ users: requests in flight ──────────┘└─ users: requests in flight ──────────┘
┌─ 16 users: fits ────────────────────── Llama 3.1 70B fp8, 2 x h100-sxm TP 2 ─┐
│   output       682 tok/s  478..864       $/M tok      $2.84  2.24..4.05      │
│   TPOT         22.68 ms  17.91..32.36    $ an hour    $6.98                  │
│   TTFT         218.9 ms  78.19..1051     GPUs         2                      │
│   90 % of most 104 users                                                     │
└──────────────────────────────────────────────────────────────────────────────┘
 TPOT goal likely to 34 users, surely to 11; 2 x h100-sxm fit 155 users,
 marginal to 196; then the KV pool is full …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
 marginal to 196; then the KV pool is full …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END
"$gp" --plan "${load[@]}" "${goals[@]}" --format json >"$work/plan.json"
if have_json; then
    shows "TPOT         $(ms speed.tpot.value %.4g) ms"
    shows "TTFT         $(ms speed.ttft.value %.4g) ms"
    shows "output       $(answer speed.output_tokens_per_s.value %.0f) tok/s"
fi

screen "the command of a point of it" "${load[@]}" "${goals[@]}" <<'KEYS'
3 Right c
:dump -
KEYS
users=$(printf '%s\n' "$out" | sed -n 's/.* -u \([0-9]*\) .*/\1/p')
shows "--tp 2 --pp 1 --ep 1 --replicas 1"
if have_json; then
    "$gp" --plan "${load[@]/16/$users}" "${goals[@]}" --tp 2 --pp 1 --replicas 1 \
        --format json >"$work/plan.json"
    screen "the point is that command's answer" "${load[@]}" "${goals[@]}" <<'KEYS'
3 Right
:dump -
KEYS
    shows "$users users: fits"
    shows "TPOT         $(ms speed.tpot.value %.4g) ms"
    screen "cost at it" "${load[@]}" "${goals[@]}" <<'KEYS'
3 $ Right
:dump -
KEYS
    shows "\$/M tok      \$$(answer cost.per_million_output_tokens.value %.2f)"
fi

# A model that answers a prompt with a vector has prompts, and neither output tokens nor TPOT.
shipped_catalogue
for keys in "3" "3 t" "3 t t" "3 Tab Tab" '3 $' "3 p :explain"; do
    screen "a pooling model: $keys" -m qwen3-embedding-8b -g l4 -u 32 <<KEYS
${keys// :/
:}
:dump -
KEYS
    for word in TPOT TTFT "tok/s" "output"; do
        lacks "$word"
    done
done
screen "what its curves say" -m qwen3-embedding-8b -g l4 -u 32 <<'KEYS'
3
:dump -
t
:dump -
KEYS
shows "prompts/s"
shows "a prompt"
rm -rf "$work/program"
frozen_catalogue

# No range is wider than what there is, whatever is pressed.
screen "zoom out ends where the curve does" -m 8B -g l40s <<'KEYS'
3
:dump -
- - - + - - - -
:dump -
m - - -
r - - -
KEYS
assert_eq "$last" "$(printf '%s\n' "$out" | sed -n 13p)" \
    "$(printf '%s\n' "$out" | sed -n '37p')"

# Four from 160 columns on, all from 190 on; one cursor; Enter: one alone.
screen "several at once" "${load[@]}" <<'KEYS'
:size 160 45
3
:wait
:dump four
:size 200 60
:dump all
r Enter
:dump alone
KEYS
for word in "▸[p] Output tok/s" "[t] TPOT" "[\$] \$/M tokens" "[m] Memory of one GPU"; do
    assert_contains "four at once" "$word" "$(cat four)"
done
assert_contains "all at once" "[r] Roofline" "$(cat all)"
assert_contains "all at once" "[t] TTFT" "$(cat all)"
assert_lacks "one alone" "[t] TTFT" "$(cat alone)"

screen "goals and break points in words" "${load[@]}" "${goals[@]}" <<'KEYS'
3 t
:size 120 36
:wait
:dump -
KEYS
shows "TPOT goal 30 ms"
shows "155 users: marginal beyond"
shows "TPOT goal likely to 3"

screen "throughput, ASCII" "${load[@]}" --ascii <<'KEYS'
3 p
:wait
:dump -
KEYS
shows "[p] Output tok/s"
if have_json; then
    "$gp" --plan "${load[@]}" --format json >"$work/plan.json"
    shows "output       $(answer speed.output_tokens_per_s.value %.0f) tok/s"
fi

# Times that a server's benchmark measured are marks, where its requests were as long.
printf '%s\n' '{"request_rate": "inf", "max_concurrency": 16, "completed": 64, "duration": 60,
"total_input_tokens": 65536, "total_output_tokens": 16384, "mean_ttft_ms": 300,
"mean_tpot_ms": 40}' >"$work/server.json"
screen "measured times" "${load[@]}" --calibration "$work/server.json" <<'KEYS'
:size 120 40
3 t
:wait
:dump -
t
:dump -
KEYS
shows "x TPOT measured 40 ms  at 16 users"
shows "x TTFT measured 300 ms  at 16 users"
screen "of other lengths none" "${load[@]}" --calibration "$work/server.json" <<'KEYS'
:size 120 40
:output 512
3
:wait
:dump -
KEYS
lacks "TPOT measured"

screen "a letter for each, again for its second" "${load[@]}" <<'KEYS'
3 $
:dump -
m
:dump -
m
:dump -
r
:dump -
p
:dump -
t
:dump -
KEYS
assert_eq "which is shown" "[\$] [m]context [m]users [r] [p] ▸[t] " \
    "$(printf '%s\n' "$out" | sed -n 's/^┌─ \(▸*\[.\]\).*GPU against \([a-z]*\).*/\1\2/p; t
        s/^┌─ \(▸*\[.\]\).*/\1/p' | tr '\n' ' ')"

# No mark of the roofline lies above its roof unless words say so.
for request in "-m llama-3.1-70b -p fp8 -g h100-sxm" "-m 8B -g l4 -p int8 -u 64" \
    "-m mixtral-8x7b -g a100-sxm-80 -p int4-awq" "-m 70B -g mi300x"; do
    rm -f roof.csv
    # shellcheck disable=SC2086 # its words
    screen "under the roof: $request" $request <<'KEYS'
3 r
:dump -
:export roof.csv
KEYS
    above=$(awk -F, 'FNR == NR { if ($1 ~ / roof$/ && $3 > most) most = $3; next }
        $1 ~ /^(decode|prefill)/ && $3 > 1.001 * most { n++ } END { print n + 0 }' \
        roof.csv roof.csv)
    [ "$above" -eq 0 ] || shows "above the sheet's roof"
done

# ---- roofline -------------------------------------------------------------------------

screen "roofline" "${load[@]}" <<'KEYS'
3 r
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ [r] Roofline  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 ─────────────── TFLOP/s ─┐
│4096│                                                   :ridge: batch 323     │
│    │                                               ⣀⣀⠤⠔⠒⠒⠒⠒⠒⠒⠒4⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒a│
│ 512│                                        ⢀⣀⠤⠤⠒⠊⠉⠉⠉⠉⠉⠉⠉⠉4⠉⠉⠉⠉prefill⠉⠉⠉⠉⠉⠉b│
│    │                                 ⢀⣀⡠⠤⠒⠊3⠁          :                     │
│    │                           ⣀2⠤⠒⠒⠉3      b=64       :                     │
│  64│                    ⣀⣀2⠔⠒⠉⠉  b=16                  :                     │
│    │             ⢀⣀⠤⠔⠒⠊⠉                               :                     │
│   8│      ⢀⣀⠤⠤⠒⠊⠉⠁                                     :                     │
│    │⢀⡠⠤⠒⠒⠉1                                            :                     │
│    │1      b=1                                         :                     │
│    └─────────────────────────────────────────────────────────────────────────│
│     1          4         16         64         256       1024       4096     │
└─ intensity, FLOP per byte of memory (log2) ──────────────────────────────────┘
┌─ 590.7 FLOP/B: the ridge ────────────────────────────────────────────────────┐
│ a fp8 roof     1979 TFLOP/s            3 decode b=64  down 359.7 TFLOP/s     │
│ b bf16 roof    989.4 TFLOP/s           4 prefill 1,024 lm_head 774.3 TFLOP/s │
│ 1 decode b=1   down 5.872 TFLOP/s                                            │
│ 2 decode b=16  down 93.35 TFLOP/s                                            │
└──────────────────────────────────────────────────────────────────────────────┘
 ridge 591 FLOP/B; decode at 16 users is memory bound, prefill of 1,024 tokens
 arithmetic bound …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "roofline, ASCII" "${load[@]}" --ascii <<'KEYS'
3 r
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
+- [r] Roofline  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 --------------- TFLOP/s -+
|4096|                                                   :ridge: batch 323     |
|    |                                               ////-------4-------------a|
| 512|                                        /////---------4----prefill------b|
|    |                                  /////3           :                     |
|    |                           /2////3      b=64       :                     |
|  64|                    //2////  b=16                  :                     |
|    |             ///////                               :                     |
|   8|       //////                                      :                     |
|    |//////1                                            :                     |
|    |1      b=1                                         :                     |
|    +-------------------------------------------------------------------------|
|     1          4         16         64         256       1024       4096     |
+- intensity, FLOP per byte of memory (log2) ----------------------------------+
+- 590.7 FLOP/B: the ridge ----------------------------------------------------+
| a fp8 roof     1979 TFLOP/s            3 decode b=64  down 359.7 TFLOP/s     |
| b bf16 roof    989.4 TFLOP/s           4 prefill 1,024 lm_head 774.3 TFLOP/s |
| 1 decode b=1   down 5.872 TFLOP/s                                            |
| 2 decode b=16  down 93.35 TFLOP/s                                            |
+------------------------------------------------------------------------------+
 ridge 591 FLOP/B; decode at 16 users is memory bound, prefill of 1,024 tokens
 arithmetic bound ~
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "roofline, three columns" "${load[@]}" <<'KEYS'
:size 120 36
3 r
:dump -
KEYS
only 1,8 26,36
expect <<'END'
 gpuplan  1 Plan    2 Compare   [3 Curves]   4 Bench    5 Pool    6 Replay
┌─ [r] Roofline  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 ─────────────────────────────────────────────────────── TFLOP/s ─┐
│4096│                                                                               :ridge: batch 323                 │
│    │                                                                               :                                 │
│    │                                                                             ⢀⡠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤a│
│    │                                                                         ⣀⠤⠔⠊⠁ :          4 4                    │
│1024│                                                                    ⢀⡠⠤⠒⠛⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒prefill⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒b│
│    │                                                                ⣀⠤⠔⠊⠁          :     4                           │
│     1                4               16                64               256             1024             4096        │
└─ intensity, FLOP per byte of memory (log2) ──────────────────────────────────────────────────────────────────────────┘
┌─ 590.7 FLOP/B: the ridge ────────────────────────────────────────────────────────────────────────────────────────────┐
│ a fp8 roof     1979 TFLOP/s                                3 decode b=64  down 359.7 TFLOP/s                         │
│ b bf16 roof    989.4 TFLOP/s                               4 prefill 1,024 lm_head 774.3 TFLOP/s                     │
│ 1 decode b=1   down 5.872 TFLOP/s  8192x1x14336, 2 FLOP/B                                                            │
│ 2 decode b=16  down 93.35 TFLOP/s                                                                                    │
└──────────────────────────────────────────────────────────────────────────────────────────────────────────────────────┘
 ridge 591 FLOP/B; decode at 16 users is memory bound, prefill of 1,024 tokens arithmetic bound
 Roof = min(rate, intensity x bandwidth) of the sheet; marks are predicted, or measured (o).
 p:throughput  t:latency  $:cost  m:memory  r:roofline  o:open result  e:export  Enter:alone  +:zoom     ?:help  q:quit
END

screen "along the roof, left of the ridge" "${load[@]}" <<'KEYS'
3 r
PgUp PgUp Left
:dump -
KEYS
only 3 16,21
expect <<'END'
│4096│                              │                    :ridge: batch 323     │
┌─ 42.66 FLOP/B: memory bound ─────────────────────────────────────────────────┐
│ a fp8 roof     142.9 TFLOP/s           3 decode b=64  lm_head 183.4 TFLOP/s  │
│ b bf16 roof    142.9 TFLOP/s           4 prefill 1,024 lm_head 774.3 TFLOP/s │
│ 1 decode b=1   down 5.872 TFLOP/s                                            │
│ 2 decode b=16  down 93.35 TFLOP/s                                            │
└──────────────────────────────────────────────────────────────────────────────┘
END

screen "a mark's series: from product to product" "${load[@]}" <<'KEYS'
3 r
Space Space Space Right
:dump -
KEYS
only 3 16,21
expect <<'END'
│4096│                            │                      :ridge: batch 323     │
┌─ 31.66 FLOP/B: memory bound ─────────────────────────────────────────────────┐
│ a fp8 roof     106.1 TFLOP/s           3 decode b=64  lm_head 183.4 TFLOP/s  │
│ b bf16 roof    106.1 TFLOP/s           4 prefill 1,024 lm_head 774.3 TFLOP/s │
│ 1 decode b=1   down 5.872 TFLOP/s                                            │
│ 2 decode b=16  o 92.77 TFLOP/s                                               │
└──────────────────────────────────────────────────────────────────────────────┘
END

screen "a GPU without the type computes in 16 bit" -m 8B -p fp8 -g a100-sxm-80:1 <<'KEYS'
3 r
:dump -
KEYS
only 2 16,23
expect <<'END'
┌─ [r] Roofline  generic 8B fp8, 1 x a100-sxm-80 TP 1 ─────────────── TFLOP/s ─┐
┌─ 153 FLOP/B: the ridge ──────────────────────────────────────────────────────┐
│ a bf16 roof    312 TFLOP/s                                                   │
│ 1 decode b=1   down 3.12 TFLOP/s                                             │
│ 2 decode b=64  gate_up 148.5 TFLOP/s                                         │
│ 3 prefill 1,024 lm_head 249.6 TFLOP/s                                        │
└──────────────────────────────────────────────────────────────────────────────┘
 ridge 153 FLOP/B; decode at 1 user is memory bound, prefill of 1,024 tokens
 arithmetic bound …
END

screen "experts see their share of the tokens" -m mixtral-8x7b -g h100-sxm:2 -u 64 <<'KEYS'
3 r
:dump -
KEYS
only 2 16,23
expect <<'END'
┌─ [r] Roofline  Mixtral 8x7B v0.1 bf16, 2 x h100-sxm TP 2 ────────── TFLOP/s ─┐
┌─ 295.3 FLOP/B: the ridge ────────────────────────────────────────────────────┐
│ a bf16 roof    989.4 TFLOP/s                                                 │
│ 1 decode b=1   lm_head 2.92 TFLOP/s                                          │
│ 2 decode b=64  lm_head 181.5 TFLOP/s                                         │
│ 3 prefill 1,024 expert_gate_up 557.3…                                        │
└──────────────────────────────────────────────────────────────────────────────┘
 ridge 295 FLOP/B; decode at 64 users is memory bound, prefill of 1,024 tokens
 memory bound in 3 of 6 products …
END

# ---- memory ---------------------------------------------------------------------------

screen "memory against context" "${load[@]}" <<'KEYS'
3 m
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ [m] Memory of one GPU against context  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 ┐
│  │⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀fits to 131,072 tokens⣀u│
│  │⠠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤l│
│  │                                         │                               ⣀d│
│  │                                         │                      ⢀⣀⣀⡤⠤⠔⠒⠊⠉⠁:│
│50│                 ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀P⣀⣀⣀⡠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠔⠒⠒⠒⠒⠚⠉⠉⠉⠉▓▓▓▓▓▓▓▓▓:│
│  │⢸⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣿⣷⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶cba│
│  │█████████████████████████████████████████│████████████████████████████████:│
│  │█████████████████████████████████████████│████████████████████████████████:│
│  │█████████████████████████████████████████│████████████████████████████████:│
│ 0│█████████████████████████████████████████│████████████████████████████████:│
│  └───────────────────────────────────────────────────────────────────────────│
│  256            1024             4096             16k              64k       │
└─ tokens of a request (log2) ─────────────────────────────────────────────────┘
┌─ 8,192 tokens: fits ─────────────────────────────────────────────────────────┐
│ a weights      33.88 GiB               l limit        72.85 GiB              │
│ b + activation 35.83 GiB  +1.95 GiB    u usable       79.19 GiB  35.90 free  │
│ c + runtime    39.04 GiB  +3.21 GiB    P the plan     43.42 GiB              │
│ d + KV cache   43.42 GiB  +4.38 GiB    : fits to      131,072 tokens         │
└── e: all ────────────────────────────────────────────────────────────────────┘
 fits to 131,072 tokens; then the model's maximum. The plan's 8,192 tokens:
 fits …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

# The plan's own point is the plan.
shows "8,192 tokens: fits"
if have_json; then
    "$gp" --plan "${load[@]}" --format json >"$work/plan.json"
    shows "a weights      $(answer memory.per_gpu.weights.value %.2f) GiB"
    shows " +$(answer memory.per_gpu.activation.value %.2f) GiB"
    shows " $(answer memory.per_gpu.free.value %.2f) free"
fi

# legend FILE: the lines and marks of a plot as text, one in a line: "l limit".
legend() {
    awk '/(\(log2\)|in flight)$/ { on = 1; next } on && !/^[A-Za-z] [a-zA-Z+]/ { exit }
        on { gsub(/   +/, "\n"); print }' "$1"
}

# What is said at the cursor is of the lines that are drawn, by their names and figures.
for request in "-m 70B -g l40s" "-m llama-3.1-70b -p fp8 -g h100-sxm:2 -u 16 --used 2GiB" \
    "-m deepseek-v3 -g l40s:8" "-m gpt-oss-120b -g h200-sxm -u 200" \
    "-m 8B -g l4 --engine llama.cpp" "-m qwen3-next-80b-a3b -g mi300x:2"; do
    for keys in "m" "m l l l l l" "m + + h" "m m" "m m End" "m m + h h h"; do
        rm -f shown.txt shown.csv
        # shellcheck disable=SC2086 # its words
        screen "the legend of $request, $keys" $request <<KEYS
3 $keys
:export shown.txt
:export shown.csv
KEYS
        legend shown.txt >legend
        sed -n 's/^\([A-Za-z]\) \(.*[^ ]\)  *\([0-9][0-9,.]*\) \(GiB\|token\|user\).*/\1 \2/p' \
            shown.txt | sed 's/  .*//' | sort >readings
        checks=$((checks + 1))
        [ "$(wc -l <legend)" -ge 6 ] || fail "the legend has $(wc -l <legend) lines"
        assert_eq "$last" "$(sort legend)" "$(cat readings)"
        # its figure is the line's, at the x that the cursor reads
        awk -F, -v at="$(sed -n 's/^\([0-9,]*\) \(token\|user\).*:.*/\1/p' shown.txt | tr -d ,)" '
            $2 == at && $1 != "the plan" && $1 != "fits to" {
                printf "%s %.2f\n", $1, $3 / 1073741824 }' shown.csv |
            sed "s/^'//" >lines.csv # no program takes it for a formula
        checks=$((checks + 1))
        [ "$(wc -l <lines.csv)" -eq 6 ] || fail "$last: not all lines at the cursor"
        while read -r line; do
            assert_contains "$last" "${line% *} " "$(grep " ${line##* } GiB" shown.txt)"
        done <lines.csv
    done
done

screen "memory against context, ASCII" "${load[@]}" --ascii <<'KEYS'
3 m
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
+- [m] Memory of one GPU against context  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 +
|  |---------------------------------------------------fits to 131,072 tokens-u|
|  |--------------------------------------------------------------------------l|
|  |                                         |                               /d|
|  |                                         |                      //////////:|
|50|                 ------------------------P-----------------------=========:|
|  |------------------------------------------------------------------------cba|
|  |#########################################|################################:|
|  |#########################################|################################:|
|  |#########################################|################################:|
| 0|#########################################|################################:|
|  +---------------------------------------------------------------------------|
|  256            1024             4096             16k              64k       |
+- tokens of a request (log2) -------------------------------------------------+
+- 8,192 tokens: fits ---------------------------------------------------------+
| a weights      33.88 GiB               l limit        72.85 GiB              |
| b + activation 35.83 GiB  +1.95 GiB    u usable       79.19 GiB  35.90 free  |
| c + runtime    39.04 GiB  +3.21 GiB    P the plan     43.42 GiB              |
| d + KV cache   43.42 GiB  +4.38 GiB    : fits to      131,072 tokens         |
+-- e: all --------------------------------------------------------------------+
 fits to 131,072 tokens; then the model's maximum. The plan's 8,192 tokens:
 fits ~
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "zoomed in where it stops fitting" "${load[@]}" <<'KEYS'
3 m PgDn + +
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay zoomed in; Es…
┌─ [m] Memory of one GPU against context  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 ┐
│  │⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀u│
│  │⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤l│
│  │                                                   │                       │
│  │                                                   │                       │
│50│⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀P⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣠⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠒⠒⠒⠒⠒⠒d│
│  │⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶⣶cba│
│  │███████████████████████████████████████████████████│██████████████████████ │
│  │███████████████████████████████████████████████████│██████████████████████ │
│  │███████████████████████████████████████████████████│██████████████████████ │
│ 0│███████████████████████████████████████████████████│██████████████████████ │
│  └───────────────────────────────────────────────────────────────────────────│
│              8k                               16k                            │
└─ tokens of a request (log2) ─────────────────────────────────────────────────┘
┌─ 18,480 tokens: fits ────────────────────────────────────────────────────────┐
│ a weights      33.88 GiB               l limit        72.85 GiB              │
│ b + activation 35.83 GiB  +1.95 GiB    u usable       79.19 GiB  34.33 free  │
│ c + runtime    39.04 GiB  +3.21 GiB    P the plan     43.42 GiB              │
│ d + KV cache   44.99 GiB  +5.94 GiB    : fits to      131,072 tokens         │
└── e: all ────────────────────────────────────────────────────────────────────┘
 fits to 131,072 tokens; then the model's maximum. The plan's 8,192 tokens:
 fits …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "Esc: all of it again" "${load[@]}" <<'KEYS'
3 m + + Esc
:dump -
KEYS
shows "│  256 "
lacks "zoomed"

screen "memory against users" "${load[@]}" <<'KEYS'
3 m m End
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ [m] Memory of one GPU against users  Llama 3.1 70B fp8, 2 x h100-sxm TP 2 ──┐
│  │                                               :fits to 155 users        ⢀d│
│  │⢀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣠⣤⣤⣤⣔⣒⣒⣒⣋⣉⣉⣉⣁u│
│  │⠐⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⢒⣒⣒⣒⡲⠶⠶⠶⠖⠒⠒⠒⠚⠛⠛⠛⠓⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒⠒l│
│  │                         ⢀⣀⣀⣀⡠⠤⠤⠤⠔⠒⠒⠒⠊⠉⠉⠉⠁▓▓▓▓▓:▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓││
│50│         ⢀⣀⣀⣀⡠⠤⠤⠤⠔⠒⠒⠒⠊⠉⠉⠉⠁▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓:▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓▓││
│  │⠠⠴⠶⠶⠶P⠭⠭⠭⠥⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤⠤c│
│  │⠈⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉ba│
│  │███████████████████████████████████████████████:██████████████████████████││
│  │███████████████████████████████████████████████:██████████████████████████││
│ 0│███████████████████████████████████████████████:██████████████████████████││
│  └───────────────────────────────────────────────────────────────────────────│
│                 50             100            150            200             │
└─ users: requests in flight ──────────────────────────────────────────────────┘
┌─ 245 users: no fit, kv-cache ────────────────────────────────────────────────┐
│ a weights      33.88 GiB               l limit        72.85 GiB              │
│ b + activation 35.83 GiB  +1.95 GiB    u usable       79.19 GiB  8.82 short  │
│ c + runtime    39.04 GiB  +3.21 GiB    P the plan     43.42 GiB              │
│ d + KV cache   88.14 GiB  +49.10 GiB   : fits to      155 users              │
└── e: all ────────────────────────────────────────────────────────────────────┘
 fits to 155 users at once, marginal to 196 users; then the KV pool is full.
 The plan's 16 users: fits …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "it follows the plan" "${load[@]}" <<'KEYS'
3 m m
:users 24
:dump -
KEYS
shows "24 users: fits"

screen "what cannot fit" -m llama-3.1-70b -p bf16 -g l4:1 <<'KEYS'
3 m
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ [m] Memory of one GPU against context  Llama 3.1 70B bf16, 1 x l4 TP 1 ─────┐
│150│                                         │                 ⢀⣀⣀⣀⠤⠤⠤⠒⠒⠉d▓▓▓▓│
│   │⢠⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤P⣤⣤⣤⣶⣶⣶⣶⣶⣶⣶⣶⣶⣮⣭⣭⣭⣭⣥⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤⣤cba│
│   │█████████████████████████████████████████│████████████████████████████████│
│100│█████████████████████████████████████████│████████████████████████████████│
│   │█████████████████████████████████████████│████████████████████████████████│
│   │█████████████████████████████████████████│████████████████████████████████│
│ 50│█████████████████████████████████████████│████████████████████████████████│
│   │█████████████████████████████████████████│████████████████████████████████│
│   │⠘⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛ul│
│  0│█████████████████████████████████████████│████████████████████████████████│
│   └──────────────────────────────────────────────────────────────────────────│
│   256            1024            4096              16k             64k       │
└─ tokens of a request (log2) ─────────────────────────────────────────────────┘
┌─ 8,192 tokens: no fit, weights ──────────────────────────────────────────────┐
│ a weights      131.45 GiB              l limit        20.30 GiB              │
│ b + activation 131.98 GiB  +0.54 GiB   u usable       22.07 GiB              │
│ c + runtime    132.94 GiB  +0.96 GiB   P the plan     135.44 GiB             │
│ d + KV cache   135.44 GiB  +2.50 GiB     KV pool      none                   │
└── e: all ────────────────────────────────────────────────────────────────────┘
 nothing fits for certain; then the weights do not fit. The plan's 8,192
 tokens: no fit …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "a narrow screen: the plot alone" "${load[@]}" <<'KEYS'
:size 40 12
3 m m
:dump -
KEYS
expect <<'END'
 1  2 [3 Curves] 4  5  6
┌─ [m] Memory of one GPU against user… ┐
│  │  │fits to 155 users :       ⢀⣀⣀⣀⡠d│
│  │⠘⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⣛⣛⣛⣛⠿⠿⠿⠿⠟⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛⠛ul│
│50│⢠⣤P⣤⣴⣒⣒⣒⣚⣉⣉⣉⣉⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀cb│
│  │⠈⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉⠉a│
│ 0│██│██████████████████:█████████████│
│  └───────────────────────────────────│
│                100           200     │
└─ users: requests in flight ──────────┘
 fits to 155 users at once, marginal …
 p:throughput  $:cost    ?:help  q:quit
END

screen "and the readings by Tab" "${load[@]}" <<'KEYS'
:size 40 12
3 m m Tab
:dump -
KEYS
expect <<'END'
 1  2 [3 Curves] 4  5  6
┌─ 16 users: fits ─────────────────────┐
│ a weights      33.88 GiB             │
│ b + activation 35.83 GiB  +1.95 GiB  │
│ c + runtime    39.04 GiB  +3.21 GiB  │
│ d + KV cache   43.42 GiB  +4.38 GiB  │
│ l limit        72.85 GiB             │
│ u usable       79.19 GiB  35.90 free │
│ P the plan     43.42 GiB             │
└── j k: more ─────────────────────────┘
 fits to 155 users at once, marginal …
 p:throughput  $:cost    ?:help  q:quit
END

# ---- measured -------------------------------------------------------------------------

screen "results are offered, others are not" "${load[@]}" <<'KEYS'
3 o
:dump -
KEYS
shows "h100.json"
lacks "other.json"

screen "matrix products over the sheet" "${load[@]}" <<'KEYS'
3 o "h100" Enter
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ [r] Roofline, measured  h100.json ──────────────────────────────── TFLOP/s ─┐
│    │                                                                │        │
│    │                                                                │        │
│1024│                 ⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀⣀a│
│    │          ⢀⣀⠤⠤⠒⠊⠉                                               │        │
│    │    ⣀⣀⠤⠔⠒⠉⠁         1                            1              1        │
│    │⠠⠒⠊⠉                                                            │        │
│    │                                                                │        │
│ 256│      !                                                         │        │
│    │                                                                │        │
│    │                                                                │        │
│    └─────────────────────────────────────────────────────────────────────────│
│    128           256            512          1024           2048         4096│
└─ intensity, FLOP per byte of memory (log2) ──────────────────────────────────┘
┌─ 2731 FLOP/B; % of what was predicted ───────────────────────────────────────┐
│ a bf16 sheet   989.4 TFLOP/s                                                 │
│ 1 bf16 measured 600 TFLOP/s, 61 %                                            │
│ ! bf16: throttled 268.4 TFLOP/s                                              │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
 NVIDIA H100 80GB HBM3, measured 2026-11-20 on testhost: 4 points, 1 of them
 flagged (!); gemm; roof: the sheet; 1 of 2, j and k: next …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "the layers of a model" "${load[@]}" <<'KEYS'
3 o "h100" Enter j
:dump -
KEYS
expect <<'END'
 gpuplan  1 Plan  2 Compare [3 Curves] 4 Bench  5 Pool  6 Replay
┌─ [r] Roofline, measured  h100.json ──────────────────────────────── TFLOP/s ─┐
│   │                                                                       │  │
│   │                                                              ⣀⣀⠤⠤⠔⠒⠒⠒⠒⠒⠒a│
│512│                                                     ⣀⣀⡠⠤⠔⠒⠒⠉⠉         *  │
│   │                                            ⣀⣀⡠⠤⠔⠒⠒*⠉                  │  │
│ 64│                                   ⣀⣀⡠⠤⠔⠒⠒⠉⠉                           │  │
│   │                          ⢀⣀⡠*⠤⠒⠒⠉⠉                                    │  │
│   │                 ⢀⣀⡠⠤⠤⠒⠒⠉⠉⠁                                            │  │
│  8│        ⢀⣀⡠⠤⠤⠒⠒⠉⠉⠁                                                     │  │
│   │⢀⣀⠤⠤⠒⠒⠉*⠁                                                              │  │
│  1│                                                                       │  │
│   └──────────────────────────────────────────────────────────────────────────│
│           1              4             16            64             256      │
└─ intensity, FLOP per byte of memory (log2) ──────────────────────────────────┘
┌─ 441.1 FLOP/B; % of what was predicted ──────────────────────────────────────┐
│ a bf16 sheet   989.4 TFLOP/s                                                 │
│ 1 qkv measured 508.1 TFLOP/s, 80 %                                           │
│ 2 down measured 515.3 TFLOP/s, 83 %                                          │
│                                                                              │
└──────────────────────────────────────────────────────────────────────────────┘
 NVIDIA H100 80GB HBM3, measured 2026-11-20 on testhost: 8 points; llama-3.1-8b
 bf16, TP 1; roof: the sheet; 2 of 2, j and k: next …
 p:throughput  t:latency  $:cost  m:memory  r:roofline  +:zoom   ?:help  q:quit
END

screen "a file that is cut off" "${load[@]}" <<'KEYS'
3 o "torn.json" Enter
:dump -
KEYS
shows "torn.json"
shows "[p] Output tok/s"

# ---- export ---------------------------------------------------------------------------

screen "export" "${load[@]}" <<'KEYS'
3 m
:export curve.csv
:export curve.svg
:export curve.txt
KEYS
assert_contains "csv: what it is" "series,tokens of a request (log2)" \
    "$(head -1 "$work/curve.csv" 2>/dev/null)"
if have_json; then
    assert_eq "csv: the plan's weights" "$(answer memory.per_gpu.weights.value %.9f)" \
        "$(awk -F, '$1 == "weights" && $2 == 8192 { printf "%.9f", $3 / 1073741824 }' \
            "$work/curve.csv")"
fi
assert_contains "txt: reading" "8,192 tokens: fits" "$(cat "$work/curve.txt" 2>/dev/null)"
if command -v xmllint >/dev/null; then
    xmllint --noout "$work/curve.svg" || fail "the SVG is not well-formed"
elif command -v python3 >/dev/null; then
    python3 -c 'import sys, xml.dom.minidom as d; d.parse(sys.argv[1])' "$work/curve.svg" ||
        fail "the SVG is not well-formed"
fi

screen "the command of the point" "${load[@]}" <<'KEYS'
3 m Right c
:dump -
KEYS
shows "-c 8640 -u 16 --tp 2"
if have_json; then
    "$gp" --plan "${load[@]/8k/8640}" --tp 2 --pp 1 --replicas 1 --format json \
        >"$work/plan.json"
    screen "its reading is that command's answer" "${load[@]}" <<'KEYS'
3 m Right
:dump -
KEYS
    shows "8,640 tokens: fits"
    shows " $(answer memory.per_gpu.free.value %.2f) free"
    shows " +$(answer memory.per_gpu.kv_needed.value %.2f) GiB"
fi

screen "the command of a result" "${load[@]}" <<'KEYS'
3 o "h100" Enter c
:dump -
KEYS
shows "gpuplan --compare-results h100.json --format csv"

screen "in blocks, in ASCII, in braille" -m 8B -g l4 <<'KEYS'
3 r
B
:dump blocks
B
:dump ascii
B
:dump -
:save-settings
KEYS
assert_contains "blocks" "▄▄▄█▀▀▀" "$(cat blocks)"
assert_lacks "no braille" "⣀" "$(cat blocks)"
assert_contains "said" "drawn in: blocks" "$(cat blocks)"
assert_true "plain ASCII" sh -c '! LC_ALL=C grep -q "[^ -~]" ascii'
shows "⣀⡠⠤"
assert_contains "kept" 'charset = "braille"' "$(cat "$work"/state/gpuplan/state.cfg)"

finish
