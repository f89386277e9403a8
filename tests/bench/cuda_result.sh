#!/bin/sh
# cuda_result.sh - what a result of a GPU tells beside its figures, with the stand-ins for
# CUDA and for the driver's library: all that the method's specification wants recorded.

. "${srcdir:-.}/tests/cli/lib.sh"

build=$(cd "${top_builddir:-.}" && pwd)
engine=${STANDIN:-$build/tests/bench/standin-bench-cuda}
[ -x "$engine" ] || skip "no CUDA toolkit, so no $engine"
command -v jq >/dev/null 2>&1 || skip "no jq"
mkdir "$work/libexec" "$work/nvml" "$work/run" || exit 99
ln -s "$engine" "$work/libexec/gpuplan-bench-cuda"
ln -s "$build/tests/fixtures/fake_nvml.so" "$work/nvml/libnvidia-ml.so.1"
GPUPLAN_LIBEXEC=$work/libexec LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=1
export GPUPLAN_LIBEXEC LD_LIBRARY_PATH FAKE_NVML_PROCESSES
unset OMPI_COMM_WORLD_RANK PMI_RANK SLURM_PROCID FAKE_NVML FAKE_CUDA FAKE_NVML_BUSY
cd "$work/run" || exit 99

bench() {
    run --bench gemm --shapes 64:64:64 --type bf16 --preset quick --progress none \
        --check none --max-time 0.05 "$@"
}

assert_fails 2 "outside 10..1000" --bench gemm --nvml-interval 5

# What a reader must know to believe the figures, or to get them again: each is there, with
# a value where the stand-ins tell one. What may be null is so where nobody tells.
mkdir -p "$work/sys/bus/pci/devices/0000:fe:00.0"
echo 1 >"$work/sys/bus/pci/devices/0000:fe:00.0/numa_node"
GPUPLAN_SYSFS=$work/sys CUBLAS_WORKSPACE_CONFIG=:4096:8 bench --nvml-interval 20 -o full.json
assert_eq "a result" 0 "$rc"
# cuda_standin.sh: what an engine does with it
assert_eq "every 20 ms" 0.02 "$(jq .settings.sensors_s full.json)"
while read -r path; do
    assert_eq "$path" true "$(jq "$path | . != null and . != \"\"" full.json)"
done <<'PATHS'
.devices[0].name
.devices[0].uuid
.devices[0].pci
.devices[0].cc
.devices[0].units
.devices[0].cache
.devices[0].memory
.devices[0].free
.devices[0].more.bus_bits
.devices[0].more.mem_clock_max_mhz
.devices[0].more.sm_clock_max_mhz
.devices[0].more.ecc
.devices[0].more.mig
.devices[0].more.persistence
.devices[0].more.power_limit_w
.devices[0].more.power_limit_default_w
.devices[0].more.pcie_gen_max
.devices[0].more.pcie_width_max
.devices[0].more.numa_node
.devices[0].more.driver
.devices[0].more.cuda_driver
.devices[0].more.cuda_runtime
.devices[0].more.cublaslt
.devices[0].more.env.CUBLAS_WORKSPACE_CONFIG
.host.env.CUBLAS_WORKSPACE_CONFIG
.host.name
.host.kernel
.host.cpus
.host.cpus_allowed
.software.libraries
.software.cuda_driver
.software.cuda_runtime
.software.cublaslt
.tool.argv[0]
.tool.seed
PATHS
assert_eq "no limit, or so many processors" true \
    "$(jq '.host | has("quota_cpus") and .quota_cpus != 0' full.json)"
assert_eq "clocks that the runtime does not tell" "null null" \
    "$(jq -r '.devices[0].more | "\(.mem_clock_khz) \(.sm_clock_khz)"' full.json)"

# The sum is over the chosen two of four, and its bus rate is that of two: a plan of two
# others is another plan.
ln -s "$build/tests/fixtures/fake_driver.so" "$work/nvml/libnccl.so.2"
sums() {
    run --bench allreduce --type bf16 --preset quick --progress none --check none \
        --max-time 0.02 --size 1K:64K "$@"
}
for two in 0,1 2,3; do
    FAKE_CUDA_DEVICES=4 sums --device $two -o sum.json
    assert_eq "a sum over $two: code" 0 "$rc"
    assert_eq "a sum over $two" "[2] [[$two]] [true]" "$(jq -rc '
        ([.points[].params.gpus] | unique | tojson) + " " +
        ([.points[].params.devices] | unique | tojson) + " " +
        ([.points[].rate | .bus_bytes_per_s == .bytes_per_s] | unique | tojson)' sum.json)"
    jq -r .settings.plan sum.json >>plans
    jq -r '.points[0].id' sum.json >>ids
done
assert_eq "ids of sums" "allreduce/bf16/plain/0-1/1024 allreduce/bf16/plain/2-3/1024" \
    "$(paste -sd ' ' ids)"
assert_eq "plans of other devices" 2 "$(sort -u plans | wc -l)"

# Without --gpu a model is planned on the devices that are measured: one H100 does not hold 70B.
FAKE_CUDA_GPU=h100
export FAKE_CUDA_GPU
fit() {
    run --bench fit -m llama-3.1-70b -p bf16 -c 8k --preset quick --progress none "$@"
}
fit --tp 1 -o left.json
note=$err
fit --tp 1 -g h100-sxm:1 -o named.json
assert_eq "fit without --gpu" "oom $(jq -r '.points[0].id' named.json)" \
    "$(jq -r '.points[0] | .state + " " + .id' left.json)"
assert_lacks "no note" "planned on" "$note"
fit --tp 4 -o share.json
assert_eq "the share of one" ok "$(jq -r '.points[0].state' share.json)"
unset FAKE_CUDA_GPU
fit --tp 1 --dry-run
assert_contains "an unknown GPU" "not on what is measured, stand-in GPU: -g chooses" "$out$err"
fit --tp 1 --dry-run -g h100-sxm:1
assert_lacks "named" "planned on" "$out$err"

# every field has its word in the manual
jq -r 'del(.host.env, .devices[].more.env) | [paths | .[] | strings] | unique[]' \
    full.json >keys
[ "$(wc -l <keys)" -gt 100 ] || fail "cannot read the keys" "$(cat keys)"
grep -E '^\.(It |Pq )?Va ' "$src/man/gpuplan-bench.1" | tr -cs 'A-Za-z0-9_-' '\n' >said
while read -r key; do
    checks=$((checks + 1))
    grep -qxF -e "$key" said || fail "gpuplan-bench(1): no word on the field $key"
done <keys

# What a GPU's result holds is what the schema says, of every test.
validate=$build/tests/schema/validate
if [ -x "$validate" ]; then
    run --bench gemm,memory,transfer,batch,decode -m llama-3.2-1b --tp 1 -u 2 -c 256 --max-memory 64M \
        --preset quick --time-limit 20s --progress none -o all.json
    for file in full.json sum.json left.json share.json all.json; do
        assert_eq "$file against the schema" "" \
            "$("$validate" "$src/schemas/bench-1.json" $file 2>&1 | head -n 5)"
    done
fi
finish
