#!/bin/sh
# toolkits.sh - compiles and, where there are libraries, links the CUDA engine against
# several CUDA toolkits. For developers; not run by make check.
#
#   tests/bench/toolkits.sh DIR...
#
# Each DIR holds one toolkit: cuda_runtime_api.h and cublasLt.h somewhere below it, and
# perhaps libcudart.so* and libcublasLt.so*. Ends 1 when one of them fails.

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# The first file of that name below $1.
below() {
  find -L "$1" -name "$2" 2>/dev/null | sort | head -n 1
}

for dir in "$@"; do
  runtime=$(below "$dir" cuda_runtime_api.h)
  lt=$(below "$dir" cublasLt.h)
  crt=$(below "$dir" host_defines.h)
  if [ -z "$runtime" ] || [ -z "$lt" ]; then
    echo "FAIL $dir: no cuda_runtime_api.h or no cublasLt.h"
    failed=1
    continue
  fi
  includes="-isystem $(dirname "$runtime") -isystem $(dirname "$lt")"
  test -n "$crt" && includes="$includes -isystem $(dirname "$(dirname "$crt")")"
  version=$(sed -n 's/^#define CUDART_VERSION *(*\([0-9]*\).*/\1/p' "$runtime")
  objects=
  result=compiles
  for source in "$top"/bench/cuda_*.c "$top"/bench/engine_cuda.c \
                "$top"/bench/clock_lock.c "$top"/bench/sensors_nvml.c \
                "$top"/tests/fixtures/fake_cuda.c; do
    test -f "$source" || continue
    object=$work/$(basename "$source" .c).o
    # shellcheck disable=SC2086
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes \
      -Werror -O1 -I"$top" -I"$top/src" $includes -c "$source" -o "$object" ||
      result=FAIL
    case $object in */fake_cuda.o) ;; *) objects="$objects $object" ;; esac
  done
  cudart=$(below "$dir" 'libcudart.so.*')
  cublaslt=$(below "$dir" 'libcublasLt.so.*')
  if [ "$result" = compiles ] && [ -n "$cudart" ] && [ -n "$cublaslt" ]; then
    # shellcheck disable=SC2086
    make -s -C "$top" -f bench/bench.mk print-common >"$work/common"
    common=$(for file in $(cat "$work/common"); do echo "$top/$file"; done)
    # shellcheck disable=SC2086
    if ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -DGP_VERSION='"0"' -I"$top" -I"$top/src" \
        -o "$work/engine" $objects "$top/bench/bench_main.c" $common \
        "$cublaslt" "$cudart" -Wl,--allow-shlib-undefined -ljansson -lm -ldl -lpthread
    then result="compiles, links"
    else result=FAIL; fi
  fi
  # the names of algorithms against those of this header
  # shellcheck disable=SC2086
  echo '#include <cublasLt.h>' | ${CC:-cc} $includes -E - |
    sed -n -f "$top/tests/unit/cublaslt_names.sed" >"$work/cublaslt_names.h"
  # shellcheck disable=SC2086
  { ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I"$work" -I"$top" -I"$top/src" \
      $includes -o "$work/names" "$top/tests/unit/test_cuda_algo.c" \
      "$top/bench/cuda_algo.c" "$top/src/util/str.c" "$top/src/util/mem.c" -lcmocka &&
    "$work/names" >"$work/log" 2>&1 || { cat "$work/log"; false; }; } || result=FAIL
  test "$result" = FAIL && failed=1
  echo "$result: CUDA $version in $dir"
done
exit $failed
