#!/bin/sh
# cuda_result.sh - what a result of a GPU tells beside its figures, with the stand-ins for
# CUDA and for the driver's library.

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

# cuda_standin.sh: what an engine does with it
bench --nvml-interval 20 -o result.json
assert_eq "every 20 ms: code" 0 "$rc"
assert_eq "every 20 ms" 0.02 "$(jq .settings.sensors_s result.json)"
assert_fails 2 "outside 10..1000" --bench gemm --nvml-interval 5

finish
