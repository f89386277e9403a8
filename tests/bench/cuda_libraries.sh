#!/bin/sh
# cuda_libraries.sh - where the CUDA engine finds its libraries: folders as toolkits and
# Python packages have them, with copies of the stand-in in place of NVIDIA's.

. "${srcdir:-.}/tests/cli/lib.sh"

build=$(cd "${top_builddir:-.}" && pwd)
engine=$build/gpuplan-bench-cuda
fake=$build/tests/fixtures/cuda/libcudart.so.13
[ -x "$engine" ] && [ -f "$fake" ] || skip "no CUDA headers, so no $engine"
unset LD_LIBRARY_PATH CUDA_HOME CUDA_PATH VIRTUAL_ENV CONDA_PREFIX GPUPLAN_CUDA FAKE_CUDA
HOME=$work/home
export HOME

# put FOLDER NAME...: libraries of these names.
put() {
    folder=$work/$1
    shift
    mkdir -p "$folder"
    for name; do cp "$fake" "$folder/$name"; done
}

# finds WHAT LT-FOLDER/NAME [RUNTIME-FOLDER/NAME] -- VARIABLE=VALUE...
finds() {
    what=$1 lt=$2 runtime=${3#--}
    shift 2
    [ "$1" = -- ] || shift
    shift
    last="env $*"
    said=$(env "$@" "$engine" --version 2>&1)
    assert_contains "$what: cuBLASLt" "cuBLASLt 13.1.0 from $work/$lt)" "$said"
    [ -z "$runtime" ] || assert_contains "$what: runtime" "from $work/$runtime," "$said"
}

# no library of CUDA's is needed for the program to start
for program in "$engine" "$gp"; do
    command -v readelf >/dev/null 2>&1 || break
    assert_eq "needed by ${program##*/}" "" \
        "$(readelf -d "$program" | grep -E 'libcu(da|blas)|libnv|rpath|runpath')"
done

p13=lib/python3.12/site-packages/nvidia/cu13/lib
p12=lib/python3.11/site-packages/nvidia
put toolkit/lib64 libcudart.so.13 libcublasLt.so.13
put targets/targets/x86_64-linux/lib libcudart.so.12 libcublasLt.so.12
put venv13/$p13 libcudart.so.13 libcublasLt.so.13
put venv12/$p12/cublas/lib libcublasLt.so.12
put venv12/$p12/cuda_runtime/lib libcudart.so.12
put venv11/$p12/cublas/lib libcublasLt.so.11
put venv11/$p12/cuda_runtime/lib libcudart.so.11.0
put flat libcudart.so.13 libcublasLt.so.13
put 'odd {*} [name]/lib' libcudart.so.13 libcublasLt.so.13
for name in toolkit/lib64:toolkit targets/targets/x86_64-linux/lib:targets \
    venv13/$p13:venv13 flat:flat 'odd {*} [name]/lib:odd {*} [name]'; do
    major=13
    case $name in targets*) major=12 ;; esac
    finds "GPUPLAN_CUDA=${name#*:}" "${name%:*}/libcublasLt.so.$major" \
        "${name%:*}/libcudart.so.$major" -- "GPUPLAN_CUDA=$work/${name#*:}"
done
finds "a wheel of CUDA 12" venv12/$p12/cublas/lib/libcublasLt.so.12 \
    venv12/$p12/cuda_runtime/lib/libcudart.so.12 -- "GPUPLAN_CUDA=$work/venv12"
finds "the packages' own folder" venv12/$p12/cublas/lib/libcublasLt.so.12 -- \
    "GPUPLAN_CUDA=$work/venv12/lib/python3.11/site-packages"
finds "NVIDIA's in it" venv12/$p12/cublas/lib/libcublasLt.so.12 -- "GPUPLAN_CUDA=$work/venv12/$p12"
finds "a wheel of CUDA 11" venv11/$p12/cublas/lib/libcublasLt.so.11 \
    venv11/$p12/cuda_runtime/lib/libcudart.so.11.0 -- "GPUPLAN_CUDA=$work/venv11"

# what the user names comes before what the system has, in this order
finds LD_LIBRARY_PATH flat/libcublasLt.so.13 -- "LD_LIBRARY_PATH=/nowhere:$work/flat" \
    "CUDA_HOME=$work/toolkit"
finds CUDA_HOME toolkit/lib64/libcublasLt.so.13 -- "CUDA_HOME=$work/toolkit" \
    "VIRTUAL_ENV=$work/venv13"
finds CUDA_PATH toolkit/lib64/libcublasLt.so.13 -- "CUDA_PATH=$work/toolkit"
finds VIRTUAL_ENV venv13/$p13/libcublasLt.so.13 -- "VIRTUAL_ENV=$work/venv13" \
    "CONDA_PREFIX=$work/toolkit"
finds CONDA_PREFIX toolkit/lib64/libcublasLt.so.13 -- "CONDA_PREFIX=$work/toolkit"
finds "GPUPLAN_CUDA before all" toolkit/lib64/libcublasLt.so.13 -- \
    "GPUPLAN_CUDA=$work/toolkit" "LD_LIBRARY_PATH=$work/flat"

# versions that go together: one of 12 beside 13 alone is none
put half/lib64 libcublasLt.so.12 libcudart.so.13
put half/lib libcublasLt.so.13
finds "the pair of one version" half/lib/libcublasLt.so.13 half/lib64/libcudart.so.13 -- \
    "GPUPLAN_CUDA=$work/half"
put both/lib libcudart.so.12 libcublasLt.so.12 libcudart.so.13 libcublasLt.so.13
finds "the newer of two" both/lib/libcublasLt.so.13 -- "GPUPLAN_CUDA=$work/both"
mkdir "$work/driver"
ln -s "$build/tests/fixtures/fake_driver.so" "$work/driver/libcuda.so.1"
finds "what the driver can run" both/lib/libcublasLt.so.12 both/lib/libcudart.so.12 -- \
    "GPUPLAN_CUDA=$work/both" "LD_LIBRARY_PATH=$work/driver" FAKE_DRIVER=12040
finds "rather than none" toolkit/lib64/libcublasLt.so.13 -- "GPUPLAN_CUDA=$work/toolkit" \
    "LD_LIBRARY_PATH=$work/driver" FAKE_DRIVER=12040
# one that cannot be opened is passed by
put broken/a libcudart.so.13
put broken/b libcublasLt.so.13
echo "not a library" >"$work/broken/a/libcublasLt.so.13"
finds "a broken one" broken/b/libcublasLt.so.13 -- "LD_LIBRARY_PATH=$work/broken/a:$work/broken/b"

# without: one line, exit 4
mkdir "$work/empty" "$work/old"
refuses() { # WHAT TEXT VARIABLE=VALUE...
    what=$1 text=$2
    shift 2
    last="env $*"
    said=$(env "$@" "$engine" --devices)
    assert_eq "$what: code" 4 $?
    assert_contains "$what" "$text" "$said"
    assert_contains "$what: what to do" GPUPLAN_CUDA=DIR "$said"
}
refuses "an empty folder" "no CUDA libraries: GPUPLAN_CUDA=$work/empty has no libcublasLt.so.13" \
    "GPUPLAN_CUDA=$work/empty"
put alone/lib libcublasLt.so.12
refuses "half of a pair" "no CUDA libraries: $work/alone/lib/libcublasLt.so.12 is here, but no \
libcudart.so.12" "GPUPLAN_CUDA=$work/alone"
put old/lib libcudart.so.13
cp "$build/tests/fixtures/fake_driver.so" "$work/old/lib/libcublasLt.so.13"
refuses "another library of that name" "have no cublasLtCreate" "GPUPLAN_CUDA=$work/old"
mkdir "$work/libexec"
ln -s "$engine" "$work/libexec/gpuplan-bench-cuda"
GPUPLAN_LIBEXEC=$work/libexec GPUPLAN_CUDA=$work/empty
export GPUPLAN_LIBEXEC GPUPLAN_CUDA
assert_fails 4 "no CUDA libraries" --bench gemm --backend cuda
assert_eq "in one line" 1 "$(printf '%s\n' "$err" | wc -l)"

finish
