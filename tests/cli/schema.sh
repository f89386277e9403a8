#!/usr/bin/env bash
# schema.sh - what every command prints as JSON is what schemas/ says: no key is missing,
# none is unknown, each has a description. KEEP=DIR keeps the files that were checked.
. "${srcdir:-.}/tests/cli/lib.sh"

build=$(cd "${top_builddir:-.}" && pwd)
validate=$build/tests/schema/validate
[ -x "$validate" ] || skip "$validate is not built"
engine=$build/tests/fixtures/standin_engine
mkdir "$work/engines" "$work/json" || exit 99
GPUPLAN_LIBEXEC=$work/engines GPUPLAN_NOW=2026-11-21
export GPUPLAN_LIBEXEC GPUPLAN_NOW
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID GPUPLAN_STANDIN
cd "$work/json" || exit 99

# json_of SCHEMA ARGUMENT...: one answer more to check against it
json_of() {
    schema=$1
    shift
    run "$@" --format json
    [ "$rc" -le 1 ] || fail "exit code $rc of $*" "$err"
    printf '%s\n' "$out" >>"$schema.json"
}

# valid SCHEMA: all that was collected for it
valid() {
    checks=$((checks + 1))
    said=$("$validate" "$src/schemas/$1-1.json" "$1.json" 2>&1) ||
        fail "$1 against schemas/$1-1.json" "$(printf '%s' "$said" | head -n 20)"
}

# refused SCHEMA SED: the test notices a change of the answer
refused() {
    checks=$((checks + 1))
    sed "$2" "$1.json" >changed
    cmp -s "$1.json" changed && fail "nothing changed by $2"
    "$validate" "$src/schemas/$1-1.json" changed >/dev/null 2>&1 &&
        fail "$1 changed by $2 is still valid"
}

checks=$((checks + 1))
said=$("$validate" --schema "$src"/schemas/*.json) || fail "the schemas" "$said"

# ---- plans ------------------------------------------------------------------------------

plan() { json_of plan --plan "$@"; }
plan -m llama-3.1-70b -g h100-sxm
plan -m llama-3.1-70b -g l4:1
plan -m llama-3.1-8b
plan -m deepseek-v3 -p fp8 -c 32k -u 64
plan -m mixtral-8x7b -g l40s -p int4-awq --price spot
plan -m 70B -p q4_k_m -g rtx-4090 --price market
plan -m qwen3-next-80b-a3b -g b200 --price buy -u 8
plan -m llama-3.1-8b -g h100-sxm/1g.10gb
plan -m gemma-3-27b -g h100-sxm:2 --tp 2 --pp 1 --replicas 1
plan -m qwen3-30b-a3b -g h100-sxm:2 --tp 2 --ep 2
plan -m llama-3.1-8b -g l4 --prune 50 --used 2GiB --headroom 0.1 --kv-precision fp8
plan -m llama-3.1-8b -g l40s --prune 2:4 --engine sglang --max-num-seqs 4
plan -m llama-3.1-8b -g l40s --engine llama.cpp -p q8_0
plan -m gpt-oss-20b -g rtx-4090:1 --engine llama.cpp -p q4_k_m --n-cpu-moe 3 --gpu-layers 9
plan -m llama-3.1-8b -g l4 --cpu-offload-gb 2.5 --why
plan -m qwen3-next-80b-a3b -g h100-sxm:4 --draft mtp --lora 2 --kv-offload-gb 32 --why
plan -m llama-3.1-8b -p q4_k_m -g rtx-4090 --draft llama-3.2-1b --no-kv-offload
plan -m gemma-3-27b -g h100-sxm --language-model-only --why
plan -m jamba-1.5-mini -g h100-sxm
plan -m llama-3.1-405b -g h100-sxm --engine tensorrt-llm -v
plan -m llama-3.1-8b -g l4 --why
for field in gpus context users precision budget; do
    plan -m llama-3.1-8b -g l4 --solve "$field"
done
json_of train --plan -m llama-3.1-8b --train full -g h100-sxm
json_of train --plan -m llama-3.1-8b --train lora -g l4
json_of train --plan -m llama-3.1-70b --train qlora -g l4:1 --zero 2 --fused
json_of train --plan -m llama-3.1-70b --train full -g l4:1 --price buy --why
json_of train --plan -m llama-3.1-70b --train full -g h100-sxm:16 --tp 3
json_of train --plan -m llama-3.1-8b --train lora -g l4 --device-map
json_of train --plan -m llama-3.1-8b --train full -g h100-sxm:8 --tp 2 --cp 2 --sequence-parallel
json_of train --plan -m llama-3.1-8b --train full -g h100-sxm:1 --offload parameters --why
json_of compare --compare -m llama-3.1-70b -g all
json_of compare --compare -m llama-3.1-8b -g h100-sxm --rate 2 --ttft-p99 300
json_of compare --compare -m llama-3.1-8b -p fp8 -p int4-awq -g l4 -g h100-sxm --price buy
json_of compare --compare -m llama-3.1-405b -g l4 --price spot --sort name
cat >day.cfg <<'END'
gpus = ( { gpu = "h100-pcie"; stock = 8; buy = 24; price = 25000.0; mig = true; } );
workloads = (
    { name = "a"; model = "llama-3.1-8b"; tpot_ms = 30;
      demand = { shape = "office"; peak = 9.0; }; },
    { name = "b"; model = "llama-3.3-70b"; tpot_ms = 2;
      demand = { shape = "flat"; mean = 1.0; }; }
);
jobs = ( { name = "j"; gpu = "h100-pcie"; gpu_hours = 40; } );
END
json_of pool --pool day.cfg
json_of pool --pool day.cfg --rung hourly
json_of compose --pool day.cfg --rung hourly --export compose
json_of plan --plan -m llama-3.1-70b -p fp8 -g h100-sxm:4 -u 64 --tpot 25 --ttft 4000 --budget 9
json_of plan --plan -m llama-3.1-8b -g h100-sxm --rate 2 --ttft-p99 300 --tpot-p95 20
json_of plan --plan -m llama-3.1-70b -p fp8 -g h100-sxm:4 -u 32 --throughput 2000
json_of table --table
json_of table --table -m llama-3.1-8b -m 70B -p fp16 -p int4-awq -g l40s

# ---- commands ---------------------------------------------------------------------------

json_of launch --launch vllm -m llama-3.1-8b -g l40s:4 --replicas 4 --lora 2
json_of launch --launch ollama -m llama-3.1-8b -p q8_0 -g rtx-4090 -c 8k
json_of launch --launch trtllm -m llama-3.1-8b -g h100-sxm --kv-precision fp8
json_of launch --launch k8s --engine sglang -m deepseek-v3 -g h100-sxm:16 --tp 8 --pp 2
json_of launch --launch vllm -m llama-3.1-70b -g l4:1
valid launch
refused launch '1,/"argv"/s/"argv"/"words"/'
refused launch 's/"OLLAMA_HOST"/"OLLAMA_PORT"/'

json_of replay --replay -m llama-3.1-8b -g h100-sxm --rate 2 --requests 50
json_of replay --replay -m llama-3.1-8b -g h100-sxm:2 --replicas 2 -u 4 --requests 50 --engine sglang
json_of replay --replay -m llama-3.1-70b -g l4:1
json_of replay --replay -m llama-3.1-8b -g h100-sxm --rate 2 --arrivals flat --duration 7300 \
    --ttft-p99 20
valid replay
refused replay '1,/"saturated"/s/"saturated"/"full"/'

run --plan -m llama-3.1-8b -g h100-sxm --format json -o saved.json
json_of check-plan --check-plan saved.json
sed 's/"context": 8192/"context": 4096/; s/vllm@0.33+/vllm@0.32+/' saved.json >older.json
json_of check-plan --check-plan older.json
sed 's/"llama-3.1-8b"/"llama-3.1-70b"/' saved.json >other.json
json_of check-plan --check-plan other.json
run --plan -m llama-3.1-8b -g l40s --train lora --format json -o saved.json
json_of check-plan --check-plan saved.json
valid check-plan
refused check-plan '1,/"status"/s/"same"/"well"/'

for log in vllm-0.6.6 vllm-0.19.0-tp2-color vllm-0.8.5-stopped sglang-0.5.23 llama.cpp-cuda; do
    json_of check-log --check-log "$src/tests/fixtures/logs/$log.txt" -g rtx-3090
done
json_of check-log --check-log "$src/tests/fixtures/logs/tensorrt-llm-1.3.0rc10.txt" -m deepseek-r1 -g b200
valid check-log
refused check-log '1,/"status"/s/"started"/"began"/'

pages=$src/tests/fixtures/metrics
json_of attach --attach "$pages/vllm-0.33-first.txt" -g h100-sxm
json_of attach --attach "$pages/vllm-0.33-first.txt" "$pages/vllm-0.33-full.txt" --interval 60 -g l4
json_of attach --attach "$pages/sglang-0.5.23.txt" -g h100-sxm
valid attach
refused attach '1,/"binds"/s/"nothing"/"something"/'

mkdir "$work/proc"
printf 'processor : 0\nmodel name : stand-in 0\n' >"$work/proc/cpuinfo"
printf 'MemTotal: 67108864 kB\n' >"$work/proc/meminfo"
cp "$engine" "$work/engines/gpuplan-bench-cpu"
export GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys
json_of confirm --confirm -m llama-3.2-1b -g cpu -c 2048 -q
valid confirm
refused confirm '1,/"used"/s/"counts"/"helps"/'
json_of diagnose --bench --diagnose --device 0 --progress none
valid diagnose
refused diagnose '1,/"status"/s/"healthy"/"fine"/'
test_host

cat >requests <<'END'
{"model": "llama-3.1-8b", "gpu": "l4", "id": 5}
{"model": "llama-3.1-8b", "gpu": "l4", "id": "five"}
{"model": "llama-3.1-8b", "gpu": "l4"}
{"model": "llama-3.1-8b", "gpu": "h100-smx", "id": 6}
{"model": "llama-3.1-8b", "gpu": "h100-smx"}
{"model": "llama-3.1-8b", "gpus": 3, "id": null}
{"model": "llama-3.1-8b", "gpu": "l4:2", "train": "qlora", "sequence": "4k", "id": "t"}
{"model": "llama-3.1-70b", "gpu": "l4:2", "train": "full", "zero": 3, "why": true}
[]
{
END
run --batch requests
printf '%s\n' "$out" | grep 'gpuplan.plan/1' >>plan.json
printf '%s\n' "$out" | grep 'gpuplan.error/1' >>error.json
printf '%s\n' "$out" | grep 'gpuplan.train/1' >>train.json
assert_eq "lines of --batch" 10 "$(printf '%s\n' "$out" | wc -l | tr -d ' ')"
assert_eq "errors of --batch" 5 "$(wc -l <error.json | tr -d ' ')"
cat >>requests <<'END'
{"model": "llama-3.1-70b", "gpu": "l40s:4", "rate": 1, "tpot": 30, "ttft_p95": 500, "id": 7}
{"model": "bge-m3", "gpu": "l4"}
{"model": "deepseek-v3", "gpu": "h200-sxm", "price": "buy"}
END
run --batch -q requests
printf '%s\n' "$out" | grep 'gpuplan.row/1' >row.json
assert_eq "rows of --batch -q" 6 "$(wc -l <row.json | tr -d ' ')"
refused row 's/"verdict": *"[a-z-]*"/"verdict": "maybe"/'
for schema in row plan train compare pool compose table error; do
    valid "$schema"
done
refused plan '1,/"users"/s/"users"/"userz"/'
refused plan '1,/"tp": *[0-9]/s/"tp": *[0-9]*/"tp": "2"/'
refused plan 's/"status": *"[a-z-]*"/"status": "maybe"/'
refused plan 's/"schema": *"gpuplan.plan/&s/'
refused error '$s/}$/, "more": 1}/'

# ---- the catalogue ----------------------------------------------------------------------

for class in models gpus engines instances formats servers families shapes pools devices; do
    run --list "$class" --format json
    printf '%s\n' "$out" >>list.json
    [ "$class" = devices ] && continue
    case $class in # where many items are alike, some of them
    instances) nth=20 ;;
    models | formats) nth=3 ;;
    gpus) # 500 starts: under a sanitizer, which sees the same code, a fourth of them
        nth=1
        ! nm "$gp" 2>/dev/null | grep -q __asan_init || nth=4 ;;
    *) nth=1 ;;
    esac
    for id in $("$gp" --list "$class" -q | awk -v n="$nth" 'NR % n == 0'); do
        "$gp" --show "$id" --format json >>show.json || fail "--show $id"
    done
done
valid list
valid show
refused show 's/"class": *"gpu"/"class": "cpu"/'
refused show '1,/"vocab"/s/"vocab"/"words"/'

# ---- results ----------------------------------------------------------------------------

if [ -x "$engine" ]; then
    cp "$engine" "$work/engines/gpuplan-bench-cpu"
    cp "$engine" "$work/engines/gpuplan-bench-cuda"
    for backend in cpu cuda; do
        for n in 1 2; do
            run --bench all --backend "$backend" --preset quick --progress none \
                -m llama-3.1-8b -o "$backend$n.json"
            [ -s "$backend$n.json" ] || fail "no result of $backend" "$err"
        done
    done
    # A device that the catalogue knows has predictions; others are broken.
    GPUPLAN_STANDIN_NAME='NVIDIA A100-SXM4-40GB' run --bench gemm,transfer --backend cuda \
        --type bf16 --preset quick --device 0 --progress none -o a100.json
    run --bench memory --backend cpu --preset quick --progress none -o shared.json --share cpu.share
    json_of share --merge cpu.share "$src/tests/fuzz/corpus/benchlog/share.json"
    valid share
    refused share '1,/"lab"/s/"lab"/"host"/'
    for how in crash:2 error:2 wrong:2 drifts barren; do
        GPUPLAN_STANDIN=$how run --bench gemm --backend cpu --preset quick \
            --progress none -o "bad-${how%:*}.json"
    done
    GPUPLAN_STANDIN=behind GPUPLAN_STANDIN_ON=2 GPUPLAN_STANDIN_DEVICES=3 run \
        --bench memory --backend cpu --preset quick --progress none -o bad-behind.json
    cat cpu?.json cuda?.json a100.json bad-*.json >bench.json
    run --compare-results cpu1.json cpu2.json bad-behind.json --format json
    [ -s "$work/out" ] && cat "$work/out" >>bench.json
    json_of bench-compare --compare-results cpu1.json cpu2.json
    json_of bench-compare --compare-results cpu1.json bad-wrong.json
    json_of bench-compare --compare-results cuda1.json a100.json
    valid bench
    valid bench-compare
    refused bench '1,/"elapsed_s"/s/"elapsed_s"/"elapsed"/'
else
    echo "note: $engine is not built: results are not checked"
fi
[ -z "${KEEP:-}" ] || cp ./*.json "$KEEP"
finish
