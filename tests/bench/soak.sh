#!/bin/sh
# soak.sh - --bench --soak: products under load on all GPUs (the stand-in) and on the CPU. A planted
# wrong result is counted, its GPU is named, and a soak that is stopped keeps what it counted.

. "${srcdir:-.}/tests/cli/lib.sh"

build=$(cd "${top_builddir:-.}" && pwd)
engine=${STANDIN:-$build/tests/bench/standin-bench-cuda}
command -v jq >/dev/null 2>&1 || skip "no jq"
mkdir "$work/libexec" "$work/nvml" "$work/run" || exit 99
ln -s "$build/gpuplan-bench-cpu" "$work/libexec/gpuplan-bench-cpu"
GPUPLAN_LIBEXEC=$work/libexec
export GPUPLAN_LIBEXEC
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID FAKE_NVML FAKE_CUDA FAKE_NVML_BUSY
cd "$work/run" || exit 99

soak() {
    run --bench --soak 0.02 --shapes 32:32:32 --progress none "$@"
}

# seen FILE CONDITION OPTION...: the stand-in soaks by a clock that is fast, and where a busy machine
# let it do too little in that time, by slower ones
seen() {
    file=$1 condition=$2
    shift 2
    for FAST_CLOCK in 24 4 1 0.2; do
        export FAST_CLOCK
        rm -f "$file"
        soak -o "$file" "$@"
        ! jq -e "$condition" "$file" >/dev/null || break
    done
    unset FAST_CLOCK
}

assert_fails 2 "outside" --bench --soak 0
assert_fails 2 "leave out the test" --bench memory --soak 1

soak --backend cpu -o cpu.json
if ! grep -q "oneDNN" "$work/err"; then
    assert_eq "a CPU" 0 "$rc"
    assert_eq "counted" true "$(jq '.devices[0].soak | .compared > 0 and .compared < .products and
        .wrong == 0 and .exit_code == 0 and .seconds >= 1.2' cpu.json)"
fi

[ -x "$engine" ] || skip "no CUDA toolkit, so no $engine"
ln -s "$engine" "$work/libexec/gpuplan-bench-cuda"
ln -s "$build/tests/fixtures/fake_nvml.so" "$work/nvml/libnvidia-ml.so.1"
LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=1 FAKE_CUDA_DEVICES=2
export LD_LIBRARY_PATH FAKE_NVML_PROCESSES FAKE_CUDA_DEVICES

seen good.json '[.points[].soak | .compared > 0 and (.readings | length >= 3)] | all'
assert_eq "two GPUs" 0 "$rc"
assert_eq "each with all that the line says" "[true,true]" "$(jq -c '[.devices[].soak |
    .products >= .compared and .compared > 0 and .wrong == 0 and .sm_clock_min_mhz > 0 and
    .sm_clock_mean_mhz > 0 and .temp_max_c > 0 and .power_mean_w > 0 and .throttled >= 0 and
    .exit_code == 0]' good.json)"
assert_eq "the sensors over time" true "$(jq '[.points[].soak.readings | length >= 3 and
    .[-1].t_s > .[0].t_s and .[0].temp_c > 0] | all' good.json)"
assert_eq "all of it under one type and one pass" "[2,1,\"bf16\"]" "$(jq -c \
    '[(.points | length), .settings.passes, .points[0].params.type]' good.json)"
assert_eq "a line each" 2 "$(grep -c '^soak of device [01], stand-in GPU: 0.0 min, ' "$work/out")"

FAKE_CUDA=wrong-after=400
export FAKE_CUDA
seen wrong.json '.devices[1].soak.wrong > 0 and .devices[0].soak.compared > 0' --prom .
unset FAKE_CUDA
assert_eq "a wrong result" 5 "$rc"
assert_eq "counted, of the GPU that made it" "[0,5]" "$(jq -c '[.devices[].soak.exit_code]' wrong.json)"
assert_eq "and of no other" "[false,true]" "$(jq -c '[.devices[].soak.wrong > 0]' wrong.json)"
assert_eq "flagged" '["wrong"]' "$(jq -c '[.points[] | select(.device == 1) | .flags[] |
    select(. == "wrong")]' wrong.json)"
assert_eq "named at once" true "$(jq '[.warnings[] | select(.code == "wrong") | .text |
    startswith("device 1: product ")] | length == 1 and all' wrong.json)"

# As metrics: of each GPU, numbers and units as in the file.
assert_eq "a series per GPU" "2 2 2" "$(for name in wrong seconds clock_min_hertz; do
    grep -c "^gpuplan_soak_$name{.*device=\"[01]\".*} [0-9]" gpuplan.prom; done | xargs)"
assert_eq "the one that was wrong" "0 $(jq '.devices[1].soak.wrong' wrong.json)" \
    "$(sed -n 's/^gpuplan_soak_wrong{.*} //p' gpuplan.prom | xargs)"
assert_eq "hertz" "$(jq '.devices[].soak.sm_clock_min_mhz * 1e6' wrong.json | xargs)" \
    "$(sed -n 's/^gpuplan_soak_clock_min_hertz{.*} //p' gpuplan.prom |
        awk '{ printf "%.0f ", $1 }' | xargs)"
validate=$build/tests/schema/validate
if [ -x "$validate" ]; then
    for file in good wrong; do
        assert_eq "$file.json against the schema" "" \
            "$("$validate" "$src/schemas/bench-1.json" $file.json 2>&1 | head -n 5)"
    done
    sed 's/"first_wrong_s"/"wrong_s"/' wrong.json >changed.json
    "$validate" "$src/schemas/bench-1.json" changed.json >/dev/null 2>&1
    assert_eq "another key is noticed" 1 "$(($? != 0))"
fi

# Stopped: what was counted is in the file, no journal is left. A busy machine counts late.
for after in 0.5 2 8 30; do
    rm -f stopped.json
    "$gp" --bench --soak 60 --shapes 32:32:32 --progress none -o stopped.json >"$work/out" 2>&1 &
    pid=$!
    while [ ! -e stopped.json.part ] && kill -0 "$pid" 2>/dev/null; do
        sleep 0.1
    done
    sleep $after
    kill -TERM "$pid"
    wait "$pid"
    rc=$?
    ! jq -e '[.devices[].soak.compared > 0] | all' stopped.json >/dev/null 2>&1 || break
done
assert_eq "stopped by SIGTERM" 143 "$rc"
assert_eq "and counted" "[true,true]" "$(jq -c '[.devices[].soak | .compared > 0 and
    .seconds < 3600]' stopped.json)"
assert_eq "nothing to resume" "" "$(ls ./*.part 2>/dev/null)"
finish
