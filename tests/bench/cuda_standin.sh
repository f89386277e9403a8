#!/bin/sh
# cuda_standin.sh - drives the CUDA engine over its protocol, linked with the stand-in of
# tests/fixtures/fake_cuda.c: every type passes its check, and each fault is reported.
#   $STANDIN: the program (default: tests/bench/standin-bench-cuda in the build tree)

standin=${STANDIN:-${top_builddir:-.}/tests/bench/standin-bench-cuda}
test -x "$standin" || { echo "no CUDA toolkit, so no $standin: skipped"; exit 77; }
work=$(mktemp -d) || exit 1
trap 'rm -rf "$work"' EXIT
failed=0
faults=''
trap '' PIPE
STANDIN_REAL_CLOCK=1 # how long a window of counters is depends on it
FAKE_CUDA_MIB=512 # random operands take a share of it, made anew by each engine
export STANDIN_REAL_CLOCK FAKE_CUDA_MIB

not_ok() {
  echo "not ok: $*" | tee -a "$work/failures"
  failed=1
}

plan() { # points, one JSON object each
  echo '{"protocol":1,"do":"settings","device":0,"rel_ci":0.05,"max_time":0.02,"min_time":0.005,"sample_time":0.0002,"warmup":0.001,"pause_s":0,"device_warmup_min":0,"device_warmup_max":0,"seed":1,"max_memory":'"${MEMORY:-0}"'}'
  i=0
  for point in "$@"; do
    echo '{"do":"point","index":'$i',"point":'"$point"'}'
    i=$((i + 1))
  done
  echo '{"do":"run"}'
}

gemm() { # type m n k
  echo '{"test":"gemm","type":"'"$1"'","m":'"$2"',"n":'"$3"',"k":'"$4"',"cache":"cold"}'
}

# expect NAME CODE PATTERN... : the answer of the engine to $work/plan
expect() {
  name=$1 code=$2
  shift 2
  # the end of input means "stop now": the pipe stays open until the engine is done
  rm -f "$work/in" && mkfifo "$work/in"
  # shellcheck disable=SC2086,SC2090 # words of assignments
  env $faults timeout 60 "$standin" <"$work/in" >"$work/out" 2>"$work/err" &
  engine=$!
  exec 9>"$work/in"
  cat "$work/plan" >&9 2>/dev/null
  wait $engine
  got=$?
  exec 9>&-
  if [ $got -ne "$code" ]; then
    not_ok "$name: exit $got, not $code"; head -c 1500 "$work/out" "$work/err"
    failed=1
  fi
  for pattern in "$@"; do
    grep -q -e "$pattern" "$work/out" || {
      not_ok "$name: no $pattern in the answer"
      cut -c 1-600 "$work/out"; }
  done
  echo "done: $name"
}

point_ok='"state": "ok"'
check_ok='"ok": true'

types='fp32 fp32-pedantic tf32 fp16 fp16-acc16 bf16 int8 fp8'
# shellcheck disable=SC2046 # a point has no blanks
plan $(for type in $types; do gemm $type 64 5 96; done) >"$work/plan"
faults='' expect "types" 0 "$point_ok"
for type in $types; do
  case $type in
    fp32) as='"a": "fp32", "b": "fp32", "d": "fp32", "compute": "fp32"' ;;
    fp32-pedantic) as='"a": "fp32", "b": "fp32", "d": "fp32", "compute": "fp32-pedantic"' ;;
    tf32) as='"a": "fp32", "b": "fp32", "d": "fp32", "compute": "tf32"' ;;
    fp16) as='"a": "fp16", "b": "fp16", "d": "fp16", "compute": "fp32"' ;;
    fp16-acc16) as='"a": "fp16", "b": "fp16", "d": "fp16", "compute": "fp16"' ;;
    bf16) as='"a": "bf16", "b": "bf16", "d": "bf16", "compute": "fp32"' ;;
    int8) as='"a": "s8", "b": "s8", "d": "s32", "compute": "s32"' ;;
    *) as='"a": "fp8_e4m3", "b": "fp8_e4m3", "d": "bf16", "compute": "fp32"' ;;
  esac
  grep "\"id\": \"gemm/$type/.*$point_ok.*$as, \"transa\": \"T\", \"transb\": \"N\"" "$work/out" |
    grep -q "$check_ok" || not_ok "$type"
done
grep -q '"software": {"cuda_driver": 13000, "cuda_runtime": [0-9]*, "cublaslt": 130100, "files": \[{"path": "/[^}]*}\], "libraries": "CUDA' \
  "$work/out" || { not_ok "versions of the libraries"; head -1 "$work/out"; }
grep -q '"ecc": false' "$work/out" || not_ok "ECC is off"
plan "$(gemm bf16 64 5 96)" >"$work/plan"
faults=FAKE_CUDA=no-attribute expect "attributes that nobody tells" 0 "$point_ok" \
  '"ecc": null' '"bus_bits": null' '"cache": null' '"bandwidth_sheet": null'
for type in mxfp8 nvfp4; do
  plan "$(gemm $type 64 5 96)" >"$work/plan"
  faults='' expect "$type on 9.0" 0 '"state": "unsupported"' 'needs compute capability 10.0'
  faults=FAKE_CUDA_CC=100 expect "$type on 10.0" 0 "$point_ok\|CUDA 1[12].*needs 12.8"
done
# All results in the first pass, a sample in those after it: products of doubles end with the
# fourth, and each pass says what the first found. What is wrong only later is seen all the same.
plan "$(gemm bf16 80 96 96)" "$(gemm bf16 80 96 96)" "$(gemm bf16 80 96 96)" >"$work/plan"
sed -i '1s/"seed":1/&,"check":"full"/' "$work/plan"
faults=FAKE_CUDA=no-double=5 expect "later passes take a sample" 0 "$point_ok"
grep -q '"mode": "block"' "$work/out" && not_ok "all was checked again"
test "$(grep -c '"variant": "heuristic".*"mode": "full", "n": 7680, "ok": true' "$work/out")" -eq 3 ||
  not_ok "what the first pass found is not said again"
seen=0
for n in 2 3 4 5; do
  faults=FAKE_CUDA=wrong-check=$n expect "wrong from check $n on" 0 "$point_ok"
  checks=$(grep '"variant": "heuristic"' "$work/out" | sed 's/.*"check": {[^}]*"ok": \([a-z]*\).*/\1/')
  case $(echo $checks) in
  "true "*false) seen=1 ;;
  "false "*true*) not_ok "wrong once, right again" ;;
  esac
done
test $seen -eq 1 || not_ok "no pass was wrong after one that was right"
# Scales of FP32: by rows of any n, by blocks of n in fours; k and m that are no whole blocks.
for type in fp8-row fp8-block; do
  plan "$(gemm $type 208 5 336)" >"$work/plan"
  faults='' expect "$type on 9.0" 0 "$point_ok\|CUDA 1[12].*needs 12.9"
  grep -q '"n_padded": 8' "$work/out"
  case $?$type in
  0fp8-block | 1fp8-row) ;;
  *) grep -q 'needs 12.9' "$work/out" || not_ok "$type: n" ;;
  esac
  faults='FAKE_CUDA_LT=120804' expect "$type, an older library" 0 '"state": "unsupported"' \
    'needs cuBLASLt 12.9.0\|CUDA 1[12].*needs 12.9'
  for cc in 89 100 120; do
    faults=FAKE_CUDA_CC=$cc expect "$type on $cc" 0 '"state": "unsupported"' \
      'needs compute capability 9.0\|on compute capability 9.x alone\|CUDA 1[12].*needs 12.9'
  done
  plan "$(gemm $type 208 132 656)" >"$work/plan"
  sed -i '1s/"seed":1/&,"check":"full"/' "$work/plan"
  faults='' expect "check of all, $type" 0 \
    '"mode": "full", "n": 27456, "ok": true\|CUDA 1[12].*needs 12.9'
  faults=FAKE_CUDA=wrong-at=20000 expect "one is wrong, $type" 0 \
    '"mode": "full", "n": 27456, "ok": false\|CUDA 1[12].*needs 12.9'
  # rows and blocks of another layout than the documented one are wrong, not slow
  faults=FAKE_CUDA=scales expect "scales of another layout, $type" 0 \
    '"ok": false\|CUDA 1[12].*needs 12.9'
done
# What the library refuses, the engine does not ask for: every type, on every generation.
for cc in 75 80 89 90 100 110 120; do
  plan "$(gemm fp32 68 5 96)" "$(gemm tf32 68 5 96)" "$(gemm fp16 68 5 96)" \
    "$(gemm fp16-acc16 68 5 96)" "$(gemm bf16 68 5 96)" "$(gemm int8 68 5 36)" \
    "$(gemm fp8 64 5 96)" "$(gemm fp8-row 64 5 96)" "$(gemm fp8-block 64 5 96)" \
    "$(gemm mxfp8 64 5 96)" "$(gemm nvfp4 64 5 96)" >"$work/plan"
  faults=FAKE_CUDA_CC=$cc expect "all types on $cc" 0 "$point_ok"
  grep '"state": "' "$work/out" | grep -v "$point_ok" |
    grep -qv 'needs compute capability\|9.x alone\|CUDA 1[12].*needs 12.[89]' && {
      not_ok "refused on $cc"; cut -c 1-300 "$work/out"; }
  grep -q '"valid": false' "$work/out" && not_ok "wrong on $cc"
done
# The warm-up's product is made anew after `fit`: what is said of points is their own.
plan '{"test":"fit","bytes":4096}' "$(gemm int8 64 5 96)" >"$work/plan"
sed -i '1s/"pause_s":0,"device_warmup_min":0,"device_warmup_max":0/"pause_s":2.2,"device_warmup_min":0.05,"device_warmup_max":0.1/' "$work/plan"
faults='' expect "after a long rest" 0 '"flags": \[.*"padded"' '"n padded to 8".*"tile"\|n padded to 8.*"tile"'
grep '"id": "fit' "$work/out" | grep -q '"tile"' && { not_ok "fit has a tile"; }
plan "$(gemm int8 64 5 96)" >"$work/plan"
faults='' expect "int8 padding" 0 '"n": 5,' '"n_padded": 8' 'n padded to 8' '"flags": \[.*"padded"'
plan "$(gemm bf16 64 8 96)" "$(gemm fp16 64 8 96)" >"$work/plan"
faults=FAKE_CUDA=no-driver expect "no driver" 4 'no NVIDIA driver is loaded'
faults=FAKE_CUDA=old-driver expect "old driver" 4 'too old: it supports CUDA 11.4'
faults=FAKE_CUDA=no-device expect "no device" 4 'shows no GPU'
faults="FAKE_CUDA=no-device CUDA_VISIBLE_DEVICES=7" expect "none visible" 4 \
  'CUDA_VISIBLE_DEVICES=7'
faults=FAKE_CUDA=stub expect "stub" 4 'stub'
faults=FAKE_CUDA=no-uvm expect "nvidia-uvm not loaded" 4 'no usable GPU.*(CUDA error 999)' \
  'nvidia-uvm'
grep -q 'Xid\|bus' "$work/out" && { not_ok "a GPU fell off the bus"; }
faults=FAKE_CUDA=no-permission expect "no /dev/nvidia" 4 \
  'no usable GPU: the operating system refused.*304' '/dev/nvidia'
faults=FAKE_CUDA=busy expect "busy" 4 'busy'
faults=FAKE_CUDA_CC=61 expect "GPU too old" 4 'compute capability 6.1'
faults=FAKE_CUDA=oom=3 expect "out of memory" 0 '"state": "oom"' 'GiB of device memory'
faults=FAKE_CUDA=refuse expect "not supported" 0 '"state": "unsupported"' 'no algorithm'
faults=FAKE_CUDA=invalid expect "a query that is invalid" 0 '"state": "error"' \
  'AlgoGetHeuristic: .*invalid value'
faults=FAKE_CUDA=first-algo expect "#0 does not run" 0 "$point_ok" "$check_ok" \
  '"variant": "heuristic".*"name": "#1 of 2, .*the first that runs'
grep -q '"error"\|"tuned"' "$work/out" && { not_ok "#0 was tried again"; }
faults=FAKE_CUDA=no-algo expect "none runs" 0 '"state": "unsupported"' \
  'none of the 2 algorithms'
faults=FAKE_CUDA=wrong expect "wrong result" 0 '"ok": false' 'd\[0,0\]'
faults=FAKE_CUDA=no-capture expect "no graphs" 0 "$point_ok" 'no_graph'
# A fault that stays: said once, the points that are left are not tried, exit 4.
faults=FAKE_CUDA=launch=60 expect "kernel failed" 4 '"state": "error"' 'device lost' \
  '"t": "error", "code": "device".*no longer answers.*719' '"status": "failed"'
faults=FAKE_CUDA=ecc=60 expect "ECC" 4 'uncorrectable ECC error' '"status": "failed"'
plan "$(gemm fp16 64 8 96)" "$(gemm bf16 64 8 96)" "$(gemm bf16 64 16 96)" \
  "$(gemm bf16 64 32 96)" >"$work/plan"
for n in 1 10 100 1000 2500; do
  faults=FAKE_CUDA=launch=$n expect "kernel failed, product $n" 4 'no longer answers' \
    '"status": "failed"'
  lost=$(grep -c '"state": "error"' "$work/out")
  test "$lost" -le 1 || { not_ok "$lost points tried on a lost device"; }
done
plan "$(gemm bf16 64 8 96)" >"$work/plan"
faults=FAKE_CUDA=zeros expect "operands of zeros" 0 '"zeros": 1,' '"valid": false' \
  'operands are zero' '"wrong"'
# The device's clock is made up, the host's is not: a busy machine is slow at times.
for try in 1 2 3; do
  faults='' expect "operands" 0 '"zeros": 0,' '"valid": true' '"latency_s": {"n": 31'
  grep -q launch_bound "$work/out" || break
done
grep -q launch_bound "$work/out" && not_ok "launch_bound, $try times"
# Zeros that were asked for are flagged, and not wrong; normal ones are neither.
for type in bf16 int8 fp8 fp32; do
  plan "$(gemm $type 64 8 96)" >"$work/plan"
  sed -i '1s/"seed":1/&,"fill":"zeros"/' "$work/plan"
  faults='' expect "$type of zeros, on purpose" 0 '"zeros": 1,' '"valid": true' \
    '"flags": \["zeros"'
  grep -q '"wrong"' "$work/out" && { not_ok "wrong"; }
  sed -i '1s/"fill":"zeros"/"fill":"normal"/' "$work/plan"
  faults='' expect "$type, normal" 0 '"zeros": 0[.,]' '"valid": true'
  grep -q '"flags": \["zeros"' "$work/out" && { not_ok "no zeros"; }
done
# All results, or none. Element 7434 of 80 x 96 is none of the 64 x 64 that the host
# computes, and lies in the last of four panels where there is little memory.
for size in 64:8:full:512 64:64:full:4096 80:96:full:7680; do
  m=${size%%:*} rest=${size#*:}
  n=${rest%%:*} rest=${rest#*:}
  plan "$(gemm bf16 "$m" "$n" 96)" >"$work/plan"
  sed -i '1s/"seed":1/&,"check":"full"/' "$work/plan"
  faults='' expect "check of $m x $n" 0 \
    '"check": {"mode": "'"${rest%:*}"'", "n": '"${rest#*:}"', "ok": true, "tol": 1'
  faults=FAKE_CUDA=wrong expect "wrong, of $m x $n" 0 '"ok": false' '"wrong"'
done
faults=FAKE_CUDA=wrong-at=7434 expect "one is wrong" 0 \
  '"mode": "full", "n": 7680, "ok": false' '"why": "d\[74,92\] is ' '"wrong"'
for type in fp32 tf32 fp16 int8 fp8 mxfp8 nvfp4; do
  plan "$(gemm $type 80 96 96)" >"$work/plan"
  sed -i '1s/"seed":1/&,"check":"full"/' "$work/plan"
  faults=FAKE_CUDA_CC=100 expect "check of all, $type" 0 \
    '"mode": "full", "n": 7680, "ok": true\|CUDA 1[12].*needs 12.8'
  faults="FAKE_CUDA_CC=100 FAKE_CUDA=ats" expect "host memory read late, $type" 0 \
    '"mode": "full", "n": 7680, "ok": true\|CUDA 1[12].*needs 12.8'
  faults="FAKE_CUDA_CC=100 FAKE_CUDA=wrong-at=7434" expect "one is wrong, $type" 0 \
    '"mode": "full", "n": 7680, "ok": false\|CUDA 1[12].*needs 12.8'
done
plan "$(gemm bf16 80 96 96 | sed s/cold/hot/)" >"$work/plan"
sed -i '1s/"seed":1/&,"check":"full"/; 1s/"max_memory":0/"max_memory":250000/' "$work/plan"
faults=FAKE_CUDA=wrong-at=7434 expect "one is wrong, in panels" 0 \
  '"mode": "full", "n": 7680, "ok": false' '"why": "d\[74,92\] is '
faults='' expect "a check in panels" 0 '"mode": "full", "n": 7680, "ok": true'
sed -i 's/"max_memory":250000/"max_memory":70000/' "$work/plan"
faults='' expect "no room for doubles" 0 '"mode": "block", "n": 4096, "ok": true' \
  '"why": "no memory for products of doubles"' '"valid": true'
sed -i 's/"max_memory":70000/"max_memory":0/' "$work/plan"
faults=FAKE_CUDA=no-double expect "no products of doubles" 0 \
  '"mode": "block", "n": 4096, "ok": true'
faults=FAKE_CUDA=wrong-double expect "a reference that is wrong" 0 \
  '"mode": "block", "n": 4096, "ok": true' '"why": "cuBLASLt.s product of doubles is wrong'
sed -i '1s/"check":"full"/"check":"none"/' "$work/plan"
faults=FAKE_CUDA=wrong expect "no check" 0 "$point_ok" '"check": null' '"valid": true'
plan "$(gemm bf16 64 8 96)" >"$work/plan"
# Parts of a split k are added in the type of the sums, as is asked for; in the output's
# place where a framework allows it, which is judged by that, and flagged.
variant() { grep '"variant": "'"$1"'"' "$work/out"; }
faults='' expect "no other for a framework" 0 "$check_ok" '"reduction": "compute"'
variant framework && not_ok "the same algorithm twice"
faults=FAKE_CUDA=allowed expect "how parts are added" 0 "$check_ok"
variant heuristic | grep -q '"flags": .*reduced_precision' && not_ok "reduced without need"
variant heuristic | grep -q '"reduction": "compute"' || not_ok "not asked for"
variant framework | grep -q '"reduction": "inplace".*"valid": true.*"reduced_precision"' ||
  not_ok "what a framework gets"
faults=FAKE_CUDA=framework expect "less workspace, another algorithm" 0 '"variant": "framework-1M"'
variant framework-1M | grep -q '"name": "#0 of 2.*"first_s": null.*"valid": true' ||
  not_ok "another algorithm"
variant framework && not_ok "of 32 MiB on compute capability 9.0"
faults="FAKE_CUDA=framework FAKE_CUDA_CC=89" expect "8.1 MiB elsewhere" 0 \
  '"variant": "framework"' '"variant": "framework-1M"'
# FP8 with fewer than 16 columns also padded, as engines do it; 16 are as they are.
plan "$(gemm fp8 64 1 96)" "$(gemm fp8 64 16 96)" >"$work/plan"
faults='' expect "fp8, padded too" 0 "$check_ok"
variant padded | grep -q '64x1x96.*n padded to 16.*"n_padded": 16.*"valid": true.*"padded"' ||
  not_ok "fp8 is not padded"
variant heuristic | grep 64x1x96 | grep -q '"padded"' && not_ok "the other is padded"
test "$(variant padded | wc -l)" = 1 || not_ok "16 columns padded to 16"
variant padded | grep -q '"n_padded": 1, .*"check": {"mode": "sample", "n": 16,' ||
  not_ok "columns of padding checked"
plan "$(gemm bf16 64 8 4096)" "$(gemm int8 64 8 4096)" >"$work/plan"
faults=FAKE_CUDA=in-place expect "parts added in place" 0 '"reduction": "inplace"' \
  '"id": "gemm/bf16.*"flags": \[.*"reduced_precision"'
grep -q '"wrong"' "$work/out" && not_ok "right, though reduced"
grep '"id": "gemm/int8' "$work/out" | grep -q reduced_precision && not_ok "exact, and reduced"
plan "$(gemm bf16 64 8 96)" >"$work/plan"
# Two algorithms alike while clocks fall: timed one after the other, the first would win.
faults=FAKE_CUDA=drift expect "clocks that fall" 0 '"name": "#0 of 2'
grep -q '"variant": "tuned"' "$work/out" && { not_ok "tuned by drift"; }
# Two passes of a point are of one choice, though the fastest is another by then.
# Tuning has a fifth of max_time, by the host's clock: enough also on a busy host.
plan "$(gemm bf16 64 8 96)" "$(gemm bf16 64 8 96)" >"$work/plan"
sed -i '1s/"max_time":0.02/"max_time":5/' "$work/plan"
faults=FAKE_CUDA=fickle expect "one choice for both passes" 0 '"variant": "tuned"'
test "$(grep -c '"of": 3, "tried": 3,' "$work/out")" = 4 || {
  not_ok "not all of 3 were tried"; grep -o '"of": [^i]*' "$work/out"; }
tuned=$(grep '"variant": "tuned"' "$work/out" | grep -o '"name": "#[0-9] of 3' | sort | uniq -c)
test "$(echo "$tuned" | awk '{ print $1 }')" = 2 || {
  not_ok "the passes are of $tuned"; }
# The first launch is timed where it is cold; that of a tuned variant never is.
grep '"variant": "heuristic"' "$work/out" | grep -q '"first_s": null' && {
  not_ok "no first launch"; }
grep '"variant": "tuned"' "$work/out" | grep -q '"first_s": [0-9]' && {
  not_ok "a first launch that was none"; }
# What the library tells of its choice; fewer algorithms, or none with a workspace.
plan "$(gemm bf16 64 8 96)" >"$work/plan"
faults=FAKE_CUDA=workspace expect "an algorithm in fields" 0 "$check_ok" \
  '"algo": {"name": "#0 of 2.*"rank": 0, "of": 2, "tried": [12], "id": 66, "tile": "128x64", "stages": "64xauto", "split_k": 4, "reduction": "compute", "swizzle": 1, "custom": 3, "inner": "mma16816", "cluster": "2x1x1", "workspace_bytes": 0, "waves": 0.5}' \
  '"name": "#0 of 2, id 66 tile 128x64 stages 64xauto split-k 4"'
faults=FAKE_CUDA=no-cluster expect "what the library does not tell" 0 "$check_ok" \
  '"custom": 3, "inner": null, "cluster": null, "workspace_bytes"'
sed -i '1s/"seed":1/&,"workspace_bytes":0/' "$work/plan"
faults=FAKE_CUDA=workspace expect "no workspace" 0 "$check_ok" '"rank": 0, "of": 1'
plan "$(gemm bf16 64 8 96)" >"$work/plan"
sed -i '1s/"seed":1/&,"algos":1/' "$work/plan"
faults='' expect "one algorithm" 0 "$check_ok" '"rank": 0, "of": 1'
sed -i '1s/"algos":1/"algos":65/' "$work/plan"
faults='' expect "too many algorithms" 2 'algos: is [0-9]*, outside'
plan "$(gemm bf16 64 8 96)" >"$work/plan"
faults=FAKE_CUDA=slow-host expect "slow host" 0 "$point_ok" '"launch_bound"' \
  '"of": 2, "tried": 1,' \
  '"launch": "stream"'
# Behind the gate of a host function the device does not wait for the host: 50 us each.
faults=FAKE_CUDA=gated-host expect "slow host, gated" 0 "$point_ok" "$check_ok" \
  '"launch": "gated"' '"no_graph"'
grep -q launch_bound "$work/out" && not_ok "launch_bound behind a gate"
median() { sed -n 's/.*"time_s": {[^}]*"median": \([0-9.e-]*\).*/\1/p' "$work/out"; }
median | awk '{ n++; bad = !($1 < 10e-6) } END { exit n < 1 || bad }' || {
  not_ok "a gated sample of $(median) s"; }
# A queue that is too short: the gate opens by itself, and there is none any more.
faults="FAKE_CUDA=no-capture FAKE_CUDA_QUEUE=20" expect "a short queue" 0 "$point_ok" \
  "$check_ok" '"launch": "stream"'
faults=FAKE_CUDA=no-capture expect "a queue that is long enough" 0 "$point_ok" \
  '"launch": "gated"'
plan '{"test":"transfer","kind":"both-pinned","bytes":100000}' >"$work/plan"
faults=FAKE_CUDA=no-capture expect "copies behind a gate" 0 "$point_ok" "$check_ok" \
  '"launch": "gated"'
faults='' expect "copies in a graph" 0 "$point_ok" "$check_ok" '"launch": "graph"'
plan "$(gemm fp32 16 1 16)" >"$work/plan"
faults='' expect "as short as an empty node" 0 "$point_ok" '"launch_bound"'
faults=NVIDIA_TF32_OVERRIDE=1 expect "fp32 that is tf32" 0 '"emulated"' \
  '"env": {.*"NVIDIA_TF32_OVERRIDE": "1"'
# A variable that changes a product flags it, and no other type; set to nothing it does not.
for set in NVIDIA_TF32_OVERRIDE=0:tf32:bf16 CUBLAS_EMULATION_STRATEGY=eager:fp32:bf16 \
  CUBLASLT_HEURISTICS_LUT_FILE=/tmp/lut:bf16:- CUDA_FORCE_PTX_JIT=1:bf16:- \
  CUBLASLT_HEURISTICS_LUT_FILE=:-:bf16 CUDA_FORCE_PTX_JIT=0:-:bf16 NVIDIA_TF32_OVERRIDE=1:-:tf32 \
  CUBLASLT_LOG_LEVEL=0:-:bf16; do
  variable=${set%%:*} types=${set#*:}
  for type in "${types%:*}" "${types#*:}"; do
    test "$type" = - && continue
    plan "$(gemm "$type" 16 4 16)" >"$work/plan"
    faults=$variable expect "$variable, $type" 0 "$point_ok" "\"env\": {.*\"${variable%%=*}\""
    grep -q '"environment"' "$work/out"
    case $?$type in
    0"${types%:*}" | 1"${types#*:}") ;;
    *) not_ok "$variable: the flag of $type" ;;
    esac
  done
done
# No memory for the flush: no latency, a reason, and the point is as good as ever.
plan "$(gemm bf16 64 5 96)" >"$work/plan"
for n in $(seq 4 14); do
  faults=FAKE_CUDA=oom=$n expect "no memory, $n" 0
  grep -q '"state": "ok".*"latency_s": null' "$work/out" && break
done
grep -q '"latency_null": "the last cache is not flushed: needs .*"latency_s": null' "$work/out" ||
  not_ok "a latency of a warm cache"
grep -q '"reason": "needs' "$work/out" && not_ok "what was out of memory is still said"
# Another process on the device, as the driver's library tells.
fake=${top_builddir:-.}/tests/fixtures/fake_nvml.so
if test -f "$fake"; then
  mkdir "$work/nvml"
  ln -s "$(cd "$(dirname "$fake")" && pwd)/fake_nvml.so" "$work/nvml/libnvidia-ml.so.1"
  plan "$(gemm bf16 64 8 96)" >"$work/plan"
  faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=3" expect "used by others" 4 \
    'busy: 2 other processes compute on it already' '--force'
  # Nobody is seen, but kernels run; the driver's average of what was is waited out.
  used="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=0"
  faults="$used FAKE_NVML_BUSY=98" expect "kernels of others" 4 \
    'busy: kernels run on it already, 98 % of the time'
  faults="$used FAKE_NVML_BUSY=5" expect "5 % busy" 0 "$point_ok"
  faults="$used FAKE_NVML_BUSY=98:3" expect "busy until a moment ago" 0 "$point_ok"
  faults="$used FAKE_NVML_BUSY=98 FAKE_NVML=other" expect "nobody tells how busy" 0 "$point_ok"
  sed -i '1s/"seed"/"force":true,"seed"/' "$work/plan"
  faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=3" expect "shared" 0 \
    "$point_ok" '"shared"' '"code": "busy", "text": "2 other processes compute on it already"'
  faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=1" expect "alone" 0 "$point_ok"
  grep -q 'processes\? compute' "$work/out" && { not_ok "busy alone"; }
  grep -q '"shared"' "$work/out" && { not_ok "shared with nobody"; }
  # copies that take the host's own time, until the sensors have been read three times
  plan '{"test":"transfer","kind":"h2d-pageable","bytes":1000000}' >"$work/plan"
  sed -i 's/"max_time":.*"warmup"/"max_time":1,"min_time":0.5,"sample_time":0.005,"warmup"/' \
    "$work/plan"
  faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=1" expect "what NVML tells" 0 \
    '"power_limit_w": 450' '"power_limit_default_w": 400' '"persistence": true' \
    '"pcie_gen_max": 4' '"pcie_width_max": 16' '"pstate": {"mean": 2,' \
    '"pcie_gen": {"mean": 5,' '"pcie_width": {"mean": 16,' '"gpu_busy_pct": {"mean": 0' \
    '"power_kind": "average"' '"energy_j": [1-9]'
  # counters: nothing of samples that are too close, and null of a window that is too short
  said='"sm_active_pct": {"mean": 2, "min": null, "max": null}, "tensor_active_pct": {"mean": 5,'
  faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_GPM=1" expect "counters" 0 "$point_ok" "$said"
  grep -q ': 4711[,}]\|busy_pct' "$work/out" && not_ok "nonsense of counters"
  sed -i '1s/"seed"/"sensors_s":0.01,&/' "$work/plan"
  faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_GPM=slow" expect "counters, late" 0 "$point_ok"
  grep -q ': 4711[,}]' "$work/out" && not_ok "nonsense of counters that are taken late"
  sed -i '1s/"sensors_s":0.01,//' "$work/plan"
  # some 30 ms, for the counters want 100, by a slow clock: what a busy machine holds up is short
  sed 's/"max_time":1,"min_time":0.5,"sample_time":0.005/"max_time":0.03,"min_time":0.015,"sample_time":0.0002/
    1s/"seed"/"sensors_s":0.002,&/; s/1000000/20000/' "$work/plan" >"$work/short"
  cp "$work/plan" "$work/long" && cp "$work/short" "$work/plan"
  slow='STANDIN_REAL_CLOCK= FAST_CLOCK=0.1'
  for try in 1 2 3; do
    faults="$slow LD_LIBRARY_PATH=$work/nvml FAKE_NVML_GPM=1" expect "counters, too short" 0 "$point_ok"
    grep -q ': 4711[,}]' "$work/out" && not_ok "nonsense of counters, in a short window"
    grep -q '"sm_active_pct": null, "tensor_active_pct": null' "$work/out" && break
  done
  grep -q '"sm_active_pct": null' "$work/out" || not_ok "no null of a short window, $try times"
  cp "$work/long" "$work/plan"
  # as many readings as the interval gives in that time; fewer than three say nothing
  for every in 0.01 0.1 1; do
    sed -i 's/"sensors_s":[0-9.]*,//; 1s/"seed"/"sensors_s":'$every',&/' "$work/plan"
    faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=1" expect "every $every s" 0 \
      "$point_ok"
    n=$(sed -n 's/.*"sensors": {"samples": \([0-9]*\),.*/\1/p' "$work/out")
    case $every in
      0.01) often=${n:-0} ;;
      0.1) test "$often" -gt $((3 * ${n:-0})) -a "${n:-0}" -ge 3 || {
        not_ok "${n:-0} readings every 0.1 s, $often every 0.01 s"; } ;;
      *) grep -q '"sensors": null.*"no_sensors"' "$work/out" || { not_ok "a reading each s"; } ;;
    esac
  done
  sed -i 's/"sensors_s":[0-9.]*,//' "$work/plan"
  faults="LD_LIBRARY_PATH=$work/nvml FAKE_NVML=other" expect "what NVML does not tell" 0 \
    '"sensors_of_whole_gpu"'
  grep -q 'power_limit_default_w\|persistence\|pstate\|busy_pct' "$work/out" && {
    not_ok "what is not supported was told"; }
  # NVML that is late, never answers, or fails: what is measured goes on, in time, and says so.
  slow="LD_LIBRARY_PATH=$work/nvml FAKE_NVML_PROCESSES=1 FAKE_NVML_GPM=1 GPUPLAN_DRIVER_WAIT=0.4"
  plan "$(gemm bf16 64 8 96)" >"$work/plan"
  faults="$slow FAKE_NVML_LATE=nvmlInit:50" expect "NVML that does not open" 0 "$point_ok" \
    "$check_ok" '"sensors": "NVML has not answered for 0.4 s: no sensors"'
  faults="$slow FAKE_NVML_LATE=:0.02" expect "NVML that is late" 0 "$point_ok" "$check_ok"
  grep -q 'sensors_null' "$work/out" && not_ok "late is not silent"
  for call in Temperature:50 ClockInfo:50@2 TotalEnergy:50 TotalEnergy:50@2 RunningProcesses:50 \
    RunningProcesses:50@3 GpmSampleGet:50 GpmSampleGet:50@3 GpmMetricsGet:50 PowerUsage:50@3 \
    MemoryInfo:50 :50@2; do
    began=$(date +%s)
    faults="$slow FAKE_NVML_LATE=$call" expect "NVML stuck in $call" 0 "$point_ok" "$check_ok" \
      '"status": "complete"'
    test $(($(date +%s) - began)) -le 12 || not_ok "$call: the bench stood still"
  done
  faults="$slow FAKE_NVML_LATE=TotalEnergy:50" expect "silent NVML is named" 0 \
    '"sensors_null": "NVML has not answered for 0.4 s"'
  faults="$slow FAKE_NVML_LATE=nvmlShutdown:50" expect "NVML that does not close" 0 "$point_ok"
  for code in 3 15 999; do
    for call in nvmlInit:$code nvmlDevice:$code nvmlGpm:$code :$code@2; do
      faults="$slow FAKE_NVML_FAIL=$call" expect "$call fails" 0 \
        "$point_ok" "$check_ok"
    done
  done
fi
# The node of the GPU, and threads bound near it before pinned memory is touched.
pci="$work/sys/bus/pci/devices/0000:fe:00.0"
mkdir -p "$pci"
cpu=$(taskset -cp $$ 2>/dev/null | sed -n 's/.*: *\([0-9]*\).*/\1/p')
echo 3 >"$pci/numa_node"
echo "${cpu:-0}" >"$pci/local_cpulist"
plan '{"test":"transfer","kind":"h2d-pinned","bytes":4096}' >"$work/plan"
faults="GPUPLAN_SYSFS=$work/sys FAKE_CUDA=near" expect "near the GPU" 0 "$point_ok" \
  '"numa_node": 3'
grep -q "pinned memory on 1 CPU, ${cpu:-0}\$" "$work/err" || {
  not_ok "pinned memory away from the GPU"; cat "$work/err"; }
echo -1 >"$pci/numa_node"
echo nonsense >"$pci/local_cpulist"
faults="GPUPLAN_SYSFS=$work/sys" expect "nobody knows where" 0 "$point_ok"
grep -q numa_node "$work/out" && { not_ok "node -1"; }
# shellcheck disable=SC2089,SC2090 # JSON, not words
m='"cache":"cold"'
# shellcheck disable=SC2090
plan '{"test":"memory","kind":"write","bytes":262144,'$m'}' \
  '{"test":"memory","kind":"copy-engine","bytes":262144,'$m'}' >"$work/plan"
faults='' expect "memory" 0 "$point_ok" "$check_ok"
grep -q '"name": "cudaMemcpyAsync"' "$work/out" || not_ok "no copy by the driver"
# one copy, again and again: the cache's figure, under an id of its own
plan '{"test":"memory","kind":"copy-engine","bytes":262144,"cache":"hot"}' >"$work/plan"
faults='' expect "memory, hot" 0 "$point_ok" "$check_ok" '"rotation": 1' \
  '"id": "memory/copy-engine-cache/262144"'
grep -q 'not-cold' "$work/out" && { not_ok "hot is flagged as not cold"; }
# A matrix for one token reads memory where no kernel does.
# shellcheck disable=SC2090
plan '{"test":"memory","kind":"read-product","bytes":262144,'$m'}' \
  '{"test":"memory","kind":"read-product","bytes":100000,'$m'}' >"$work/plan"
faults='' expect "memory, by a product" 0 "$point_ok" "$check_ok" \
  '"id": "memory/read-product/262144"' '"a": "fp16".*"variant": "heuristic"\|"a": "fp16"' \
  '"unsupported", "reason": "a matrix of 4096 rows has no 100000 bytes"'
faults=FAKE_CUDA=wrong expect "memory, by a wrong product" 0 '"valid": false'
for kind in h2d-pinned d2h-pinned both-pinned h2d-pageable d2h-pageable storage; do
  plan '{"test":"transfer","kind":"'$kind'","bytes":1000000}' >"$work/plan"
  faults='' expect "transfer $kind" 0 "$point_ok" "$check_ok"
done
grep -q page-cache "$work/out" && { not_ok "past the page cache, and flagged"; }
# a file that cannot be read past the page cache
btf=/sys/kernel/btf/vmlinux
if test -r $btf; then
  plan '{"test":"transfer","kind":"storage","bytes":100000,"path":"'$btf'"}' >"$work/plan"
  faults='' expect "storage through the page cache" 0 "$point_ok" '"flags": \[.*"page-cache"' \
    'page cache emptied'
fi
plan '{"test":"transfer","kind":"h2d-pinned","bytes":4}' \
  '{"test":"transfer","kind":"d2h-pinned","bytes":4}' >"$work/plan"
faults='' expect "transfer of 4 bytes" 0 "$point_ok" "$check_ok" '"first_s": [0-9]'
test "$(grep -c '"alone_s": [0-9]' "$work/out")" = 2 || {
  not_ok "no copy by itself"; }
plan '{"test":"transfer","kind":"h2d-pinned","bytes":1000000}' >"$work/plan"
faults=FAKE_CUDA=zeros expect "transfer that arrives as zeros" 0 '"valid": false' \
  'the data that arrived differs from the data sent'
grep -q alone_s "$work/out" && { not_ok "a long copy by itself"; }
plan '{"test":"transfer","kind":"peer","from":0,"to":1,"bytes":1000000}' \
  '{"test":"transfer","kind":"peer","from":1,"to":0,"bytes":1000000}' >"$work/plan"
faults=FAKE_CUDA_DEVICES=2 expect "peers" 0 "$check_ok" '"from": 1,.*"to": 0' \
  '"id": "transfer/peer/0-1/1000000", "state": "ok"' \
  '"id": "transfer/peer/1-0/1000000", "state": "ok"'
plan '{"test":"transfer","kind":"peer-both","from":0,"to":1,"bytes":1000000}' >"$work/both"
cp "$work/plan" "$work/one" && cp "$work/both" "$work/plan"
faults=FAKE_CUDA_DEVICES=2 expect "peers both ways" 0 "$check_ok" '"n": 2, "ok": true' \
  '"id": "transfer/peer-both/0-1/1000000", "state": "ok"' '"launch": "gated"' \
  '"peers": \[null, true\]'
# 2 x 1 us and 2 MB: as many bytes as both ways have, in the time of both
sed -n 's/.*"bytes_per_s": \([0-9.e+]*\).*"time_s": [^}]*"median": \([0-9.e-]*\).*/\1 \2/p' "$work/out" |
  awk '{ n++; bad = $1 * $2 < 1999000 || $1 * $2 > 2001000 || $2 < 3.9e-6 }
    END { exit n < 1 || bad }' || { not_ok "the bytes of both ways"; }
faults="FAKE_CUDA_DEVICES=2 FAKE_CUDA=one-way" expect "both ways, where one is" 0 \
  '"state": "unsupported", "reason": "GPU 1 cannot reach the memory of GPU 0"' \
  '"peers": \[null, true\]'
faults="FAKE_CUDA_DEVICES=2 FAKE_CUDA=lost-back" expect "both ways, nothing comes back" 0 \
  '"valid": false' 'the data that arrived differs from the data sent'
faults='' expect "both ways, alone" 0 '"unsupported"' 'of 1 that are visible' \
  '"peers": \[null\]'
cp "$work/one" "$work/plan"
faults="FAKE_CUDA_DEVICES=2 FAKE_CUDA=one-way" expect "a peer one way" 0 "$check_ok" \
  '"id": "transfer/peer/0-1/1000000", "state": "ok"' '"access_back": false' \
  '"id": "transfer/peer/1-0/1000000", "state": "unsupported", "reason": "GPU 1 cannot reach'
faults="FAKE_CUDA_DEVICES=2 FAKE_CUDA=lost-peer" expect "a peer that gets nothing" 0 \
  '"valid": false' 'the data that arrived differs from the data sent'
faults="FAKE_CUDA_DEVICES=2 FAKE_CUDA=no-peer" expect "no peers" 0 '"unsupported"'
faults='' expect "a peer that is not there" 0 '"unsupported"' 'of 1 that are visible'
grep -q "$point_ok" "$work/out" && { not_ok "peers of one GPU"; }
# all at once: each GPU's own copy, the bytes of both in the time of both
plan '{"test":"transfer","kind":"h2d-all","devices":[0,1],"bytes":1000000}' \
  '{"test":"transfer","kind":"d2h-all","devices":[0,1],"bytes":1000000}' >"$work/plan"
faults=FAKE_CUDA_DEVICES=2 expect "all at once" 0 '"n": 2, "ok": true' '"gpus": 2' \
  '"id": "transfer/h2d-all/0-1/1000000", "state": "ok"' \
  '"id": "transfer/d2h-all/0-1/1000000", "state": "ok"' 'GPUs at once'
faults="FAKE_CUDA_DEVICES=2 FAKE_CUDA=zeros" expect "all at once, one gets nothing" 0 \
  '"valid": false' 'the data that arrived differs from the data sent'
faults='' expect "all at once, alone" 0 '"unsupported", "reason": "needs GPU 1; 1 of them visible'
plan '{"test":"fit","bytes":1500000000}' '{"test":"fit","bytes":9000000000}' >"$work/plan"
faults=FAKE_CUDA_MIB=4096 expect "fit" 0 '"state": "oom"' 'of 8.38 GiB could be allocated'
sum() { # kind devices
  echo '{"test":"allreduce","kind":"'"$1"'","type":"bf16","bytes":4096,"devices":'"$2"'}'
}
plan "$(sum plain '[0,1]')" >"$work/plan"
faults='' expect "allreduce" 0 '"state": "unsupported"' 'needs GPU 1; 1 of them'
plan "$(sum plain '[1,2]')" >"$work/plan"
faults=FAKE_CUDA_DEVICES=3 expect "a sum of others" 0 '"state": "unsupported"' \
  'GPU 0 does not take part'
# The driver and NCCL of fake_driver.c.
fake=${top_builddir:-.}/tests/fixtures/fake_driver.so
if test -f "$fake"; then
  mkdir "$work/driver"
  for name in libcuda.so.1 libnccl.so.2; do
    ln -s "$(cd "$(dirname "$fake")" && pwd)/fake_driver.so" "$work/driver/$name"
  done
  # Our kernels, their PTX run by the stand-in: 65536 words of 16 bytes and 37 more, twice
  # four for each of 8192 threads; 3 that are fewer than threads; and by a driver that
  # compiles nothing.
  for kind in read copy; do
    # shellcheck disable=SC2090
    plan '{"test":"memory","kind":"'$kind'","bytes":1049168,'$m'}' \
      '{"test":"memory","kind":"'$kind'","bytes":48,'$m'}' \
      '{"test":"memory","kind":"'$kind'","bytes":66128,"cache":"hot"}' >"$work/plan"
    faults="LD_LIBRARY_PATH=$work/driver" expect "memory, $kind by a kernel" 0 "$point_ok" \
      "$check_ok" '4 in flight a thread' '"launch": "graph"'
    test "$(grep -c "$check_ok" "$work/out")" = 3 || not_ok "$kind: not 3 are right"
    faults="LD_LIBRARY_PATH=$work/driver FAKE_PTX=218" expect "memory, $kind, no compiler" 0 \
      "\"unsupported\", \"reason\": \"the driver does not compile gp_$kind (error 218)"
  done
  # 64 turns of a block on 4 SMs: as many blocks as are resident, each with as many turns
  # shellcheck disable=SC2090
  plan '{"test":"memory","kind":"read","bytes":1048576,'$m'}' \
    '{"test":"memory","kind":"copy","bytes":1048576,'$m'}' >"$work/plan"
  for resident in 4:16 6:22 8:32 -1:32 16:64 32:64; do
    faults="LD_LIBRARY_PATH=$work/driver FAKE_RESIDENT=${resident%:*}" expect \
      "${resident%:*} blocks an SM" 0 "$point_ok" "$check_ok"
    test "$(grep -c "\"blocks\": ${resident#*:}[,}]" "$work/out")" = 2 ||
      not_ok "not ${resident#*:} blocks"
  done
  # shellcheck disable=SC2090
  plan '{"test":"memory","kind":"read","bytes":262144,'$m'}' \
    '{"test":"memory","kind":"write","bytes":262144,'$m'}' >"$work/plan"
  faults="LD_LIBRARY_PATH=$work/driver FAKE_LAUNCH=701" expect "a launch that is refused" 0 \
    'read kernel: .*CUDA error 701' "$point_ok"
  grep -q 'device lost' "$work/out" && { not_ok "lost by a refusal"; }
  faults="LD_LIBRARY_PATH=$work/driver FAKE_LAUNCH=719" expect "a launch that is the end" 4 \
    'device lost: read kernel: .*CUDA error 719'
  for kind in plain graph; do
    plan "$(sum $kind '[0,1]')" >"$work/plan"
    faults="LD_LIBRARY_PATH=$work/driver FAKE_CUDA_DEVICES=2" expect "allreduce, $kind" 0 \
      "$point_ok" "$check_ok" 'NCCL, 2 GPUs' '"first_s": null' '"gpus": 2' \
      '"nccl": 22703'
    # those that were chosen of four, and no other
    plan "$(sum $kind '[3,2]')" >"$work/plan"
    sed -i '1s/"device":0/"device":3/' "$work/plan"
    faults="LD_LIBRARY_PATH=$work/driver FAKE_CUDA_DEVICES=4 FAKE_NCCL=say" expect \
      "allreduce of two of four, $kind" 0 "$point_ok" "$check_ok" '"gpus": 2' \
      '"devices": \[2, 3\]' "\"id\": \"allreduce/bf16/$kind/2-3/4096\""
    grep -o 'device .*' "$work/err" | tr '\n' ' ' | grep -qx 'device 2 device 3 ' || {
      not_ok "devices that sum"; cat "$work/err"; }
  done
fi
plan '{"test":"decode","type":"bf16","n":2,"layers":3,"heads":4,"kv_heads":2,"head_dim":16,"hidden":64,"ff":96,"vocab":128,"context":20}' >"$work/plan"
faults='' expect "decode" 0 "$point_ok" "$check_ok" 'synthetic: 3 layers on weights and cache of 3' \
  '"extrapolated_layers": 0' '"first_s": null' '"step_launches": 19,' \
  '"id": "decode/-/tp1/w-bf16/h-bf16/kv-bf16/b2/ctx20/' '"attention": "whole KV"' \
  '"omitted": "embedding, norm, rope, append to KV cache, softmax, activation function, residual sums, sampling, work of the host"' \
  '"step_bytes": [1-9]'
# 7 products, 16 rows and both columns of each, of the two batches the first and the last
grep -q '"check": {"mode": "sample", "n": 288, "ok": true' "$work/out" || {
  not_ok "results checked in a step"; grep -o '"check": {[^}]*' "$work/out"; }
sed -i '1s/"seed"/"fill":"zeros","seed"/' "$work/plan"
faults='' expect "decode, of zeros" 0 '"zeros": 1,'
sed -i '1s/"fill":"zeros",//' "$work/plan"
faults=FAKE_CUDA=wrong-values expect "decode, wrong P*V" 0 '"valid": false' 'd\[0,0\]'
faults='' expect "decode, once more" 0 "$point_ok" "$check_ok"
# 19 products of 2 us and little more each, in a graph or not
sed -n 's/.*"eager_s": \([0-9.e-]*\).*/\1/p' "$work/out" |
  awk '{ n++; bad = !($1 > 38e-6 && $1 < 60e-6) } END { exit n != 1 || bad }' || {
  not_ok "the step without a graph"; grep -o '"eager_s[^,]*' "$work/out"; }
grep -q '"extrapolated"' "$work/out" && { not_ok "extrapolated"; }
# The parts add up to the step: 13 linear products and 6 of attention, 2 us each.
sed -n 's/.*"linear_s": \([0-9.e-]*\), "attention_s": \([0-9.e-]*\).*"median": \([0-9.e-]*\), "mean.*/\1 \2 \3/p' \
  "$work/out" | awk '{ n++; sum = ($1 + $2) / $3; bad = sum < 0.98 || sum > 1.02 || $1 < 2 * $2 }
  END { exit n != 1 || bad }' || not_ok "parts of a step"
faults=FAKE_CUDA=first-algo expect "decode, #0 does not run" 0 "$point_ok" "$check_ok" \
  '#0 does not run for 7'
plan '{"test":"decode","type":"bf16","n":2,"tp":2,"layers":3,"heads":4,"kv_heads":2,"head_dim":16,"hidden":64,"ff":96,"vocab":128,"context":20}' >"$work/plan"
faults='' expect "decode, a share" 0 "$point_ok" 'residual sums, all-reduce, sampling'
# One user of one KV head: 2000 tokens in 7 parts for 4 multiprocessors, each 288 and a
# third product per layer adds up. What that product sums is wrong where the parts are.
decode() { # more fields
  echo '{"test":"decode","n":1,"layers":3,"heads":4,"kv_heads":1,"head_dim":16,"hidden":64,"ff":96,"vocab":128,"context":2000,'"$1"'}'
}
plan "$(decode '"type":"bf16"')" >"$work/plan"
faults='' expect "decode, split KV" 0 "$point_ok" "$check_ok" '"step_launches": 22,' \
  '"attention": "KV in 7 parts of 288 tokens"' '"padded"'
# 8 products, 16 rows and the columns of each: 5 x 1, of batches the first and the last, 4, 4, 1 of 64
grep -q '"check": {"mode": "sample", "n": 352, "ok": true' "$work/out" || {
  not_ok "results checked in a step with parts"; grep -o '"check": {[^}]*' "$work/out"; }
faults=FAKE_CUDA=wrong-values expect "decode, split KV, wrong" 0 '"valid": false'
# Experts: a strided batch where the library has one, else one after another, and of both the
# first and the last are looked at, or all.
experts() { # type more-fields
  echo '{"test":"batch","type":"'"$1"'","groups":5,"tokens":16,"m":208,"n":3,"k":336,"layer":"expert_down","model":"moe","cache":"weights-cold"'"$2"'}'
}
both='"check": {"mode": "sample", "n": 96, "ok":' # 16 rows x 3 columns of two experts
each() { # after-the-type: a pattern for each of the types
  for type in bf16 tf32 int8 fp8; do
    printf '"id": "batch/moe/expert_down/tp1/%s/5x208x3x336/weights-cold".*%s\n' $type "$1"
  done
}
# all_types NAME FAULTS PATTERN
all_types() {
  plan "$(experts bf16)" "$(experts tf32)" "$(experts int8)" "$(experts fp8)" >"$work/plan"
  each "$3" >"$work/patterns"
  faults=$2 expect "$1" 0 '"groups": 5' '"tokens": 16'
  while read -r pattern; do
    grep -q -e "$pattern" "$work/out" || not_ok "$1: no $pattern"
  done <"$work/patterns"
}
all_types "experts" '' "\"experts_as\": \"strided-batch\".*$both true"
all_types "experts without a batch" FAKE_CUDA=no-batch "\"experts_as\": \"loop\".*$both true"
all_types "the last expert is wrong" FAKE_CUDA=wrong-expert '"check": {[^}]*"ok": false'
# The mode with shapes and addresses on the device: of libraries and GPUs that have it.
plan "$(experts bf16)" "$(experts fp16)" "$(experts fp8)" >"$work/plan"
faults=FAKE_CUDA_LT=131000 expect "experts, grouped" 0 '"experts_as": "strided-batch"' \
  'bf16/5x.*"variant": "grouped".*"check": {"mode": "sample", "n": 96, "ok": true' \
  'fp16/5x.*"variant": "grouped"' 'fp8/5x.*"variant": "grouped"'
faults='FAKE_CUDA_LT=131000 FAKE_CUDA=wrong-expert' expect "grouped, the last is wrong" 0 \
  '"variant": "grouped".*"check": {[^}]*"ok": false'
for other in FAKE_CUDA_LT=130100 'FAKE_CUDA_LT=131000 FAKE_CUDA_CC=120'; do
  faults=$other expect "experts, no groups: $other" 0 "$point_ok" '"strided-batch"'
  grep -q '"variant": "grouped"' "$work/out" && not_ok "grouped, $other"
done
plan "$(experts fp8-row)" "$(experts bf16)" >"$work/plan"
sed -i '1s/"seed":1/&,"check":"full"/' "$work/plan"
faults='' expect "experts, all results" 0 '"mode": "full", "n": 3120, "ok": true' \
  'fp8-row/5x208.*"experts_as": "loop"\|CUDA 1[12].*needs 12.9'
# What is planned, or nothing.
plan "$(decode '"type":"bf16","weights":"int4-awq"')" "$(decode '"type":"bf16","kv":"int4"')" \
  "$(decode '"type":"fp8","weights":"fp8-block"')" "$(decode '"type":"bf16","kv":"int8"')" \
  "$(decode '"type":"bf16","weights":"fp8"')" >"$work/plan"
faults='' expect "decode of what there is not" 0 \
  '"id": "decode/-/tp1/w-int4-awq/h-int4-awq/kv-bf16/.*"reason": "no library here multiplies weights of int4-awq, and nothing else' \
  'multiplies a KV cache of int4' 'weights of fp8-block' 'no attention over a KV cache of int8' \
  'weights of fp8 are not multiplied as bf16'
grep -q "$point_ok" "$work/out" && not_ok "something else in its place"
plan "$(decode '"type":"fp16"')" "$(decode '"type":"fp16","kv":"bf16"')" >"$work/plan"
faults=FAKE_CUDA_CC=75 expect "decode before BF16" 0 "$point_ok" \
  '"unsupported", "reason": "bf16 needs compute capability 8.0'
plan "$(decode '"type":"fp8","weights":"fp8-tensor","head":"bf16","kv":"fp8"')" >"$work/plan"
faults='' expect "decode, FP8 with an FP8 cache" 0 "$point_ok" "$check_ok" \
  'w-fp8-tensor/h-bf16/kv-fp8' 'quantisation and scales of activations'
plan '{"test":"decode","type":"bf16","n":2,"layers":60,"heads":4,"kv_heads":2,"head_dim":16,"hidden":64,"ff":96,"vocab":128,"context":20}' >"$work/plan"
# 16 MB a layer: a quarter of the 4 GiB that are free would hold 66 of the 80
plan '{"test":"decode","type":"bf16","n":2,"layers":80,"heads":4,"kv_heads":2,"head_dim":16,"hidden":1024,"ff":2560,"vocab":128,"context":20}' >"$work/plan"
faults=FAKE_CUDA_MIB=4096 expect "decode, beyond a quarter" 0 "$point_ok" '"layers_real": 80,'
grep -q '"extrapolated"' "$work/out" && { not_ok "extrapolated without need"; }
plan '{"test":"decode","type":"bf16","n":2,"layers":60,"heads":4,"kv_heads":2,"head_dim":16,"hidden":64,"ff":96,"vocab":128,"context":20}' >"$work/plan"
sed -i 's/"max_memory":[0-9]*/"max_memory":200000/' "$work/plan"
faults='' expect "decode, too few layers" 0 '"state": "oom"' 'at least 4 are needed'
sed -i 's/"max_memory":[0-9]*/"max_memory":1000000/' "$work/plan" # room for some layers
faults='' expect "decode, some layers" 0 "$point_ok" '"extrapolated"' '"extrapolated_layers": [1-9]'
test $failed -eq 0 || sort "$work/failures" # once more, where it is seen
exit $failed
