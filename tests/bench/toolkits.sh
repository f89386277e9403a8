#!/bin/sh
# toolkits.sh - builds the CUDA engine with the headers of several CUDA toolkits and, where
# they have libraries, opens them with it. For developers; not run by make check.
#
#   tests/bench/toolkits.sh DIR...
#
# Each DIR holds one toolkit: cuda_runtime_api.h and cublasLt.h somewhere below it, and
# perhaps libcudart.so* and libcublasLt.so*. Ends 1 when one of them fails.

top=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0

# numbers INCLUDES: of the enumerators that the engine uses. They must be the same in all
# versions: the library that is opened need not be of the headers' version.
numbers() {
  cat "$top"/bench/cuda_*.c "$top"/bench/engine_cuda.c | grep -ohE \
    '\<(CUBLAS(LT)?_[A-Z0-9_]+|CUDA_R_[A-Z0-9]+|cuda(DevAttr|Error|Memcpy|Stream|Event|Host)[A-Z][A-Za-z0-9]+)\>' |
    sort -u >"$work/words"
  # shellcheck disable=SC2086
  printf '#include <cuda_runtime_api.h>\n#include <cublasLt.h>\n' |
    ${CC:-cc} $1 -E - | grep -oE '^ *[A-Za-z0-9_]+ *=' | tr -d ' =' | sort -u |
    comm -12 - "$work/words" >"$work/used"
  { printf '#include <cuda_runtime_api.h>\n#include <cublasLt.h>\n#include <stdio.h>\n'
    echo 'int main(void) {'
    sed 's/.*/printf("& %d\\n", (int)&);/' "$work/used"
    echo '}'; } >"$work/numbers.c"
  # shellcheck disable=SC2086
  ${CC:-cc} $1 -o "$work/print" "$work/numbers.c" && "$work/print"
}

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
  result=compiles
  for source in "$top"/bench/cuda_*.c "$top"/bench/engine_cuda.c \
                "$top"/tests/fixtures/fake_cuda.c "$top"/tests/fixtures/fake_cublaslt.c; do
    test -f "$source" || continue
    object=$work/$(basename "$source" .c).o
    # shellcheck disable=SC2086
    ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -Wall -Wextra -Wshadow -Wstrict-prototypes \
      -Werror -O1 -I"$top" -I"$top/src" $includes -c "$source" -o "$object" ||
      result=FAIL
  done
  if [ "$result" = compiles ]; then
    if make -s -C "$top" -f bench/plain.mk BUILD="$work/build" TO="$work/bin" \
        INCLUDES="$includes" gpuplan-bench-cuda
    then result="compiles, links"
    else result=FAIL; fi
  fi
  cublaslt=$(below "$dir" 'libcublasLt.so.*')
  if [ "$result" = "compiles, links" ] && [ -n "$cublaslt" ]; then
    said=$(GPUPLAN_CUDA=$dir "$work/bin/gpuplan-bench-cuda" --version)
    case $said in
    *"from $dir"*"cuBLASLt "*"from $dir"*) result="$result, opens: ${said#* (}" ;;
    *) echo "$said"; result=FAIL ;;
    esac
  fi
  numbers "$includes" >"$work/these"
  cat "$work/these" >>"$work/all"
  twice=$(sort -u "$work/all" | cut -d ' ' -f 1 | uniq -d)
  if [ -n "$twice" ] || [ "$(wc -l <"$work/these")" -lt 40 ]; then
    echo "numbers that differ from another version's: ${twice:-too few are known}"
    result=FAIL
  fi
  # the names of algorithms against those of this header
  # shellcheck disable=SC2086
  echo '#include <cublasLt.h>' | ${CC:-cc} $includes -E - |
    sed -n -f "$top/tests/unit/cublaslt_names.sed" >"$work/cublaslt_names.h"
  # shellcheck disable=SC2086
  { ${CC:-cc} -std=gnu11 -D_GNU_SOURCE -I"$work" -I"$top" -I"$top/src" \
      $includes -o "$work/names" "$top/tests/unit/test_cuda_algo.c" \
      "$top/bench/cuda_algo.c" "$top/src/base/str.c" "$top/src/base/mem.c" -lcmocka &&
    "$work/names" >"$work/log" 2>&1 || { cat "$work/log"; false; }; } || result=FAIL
  test "$result" = FAIL && failed=1
  echo "$result: CUDA $version in $dir"
done
exit $failed
