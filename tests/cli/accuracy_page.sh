#!/usr/bin/env bash
# accuracy_page.sh - the page of `make accuracy`: errors, coverage, another planner beside.
. "${srcdir:-.}/tests/cli/lib.sh"

command -v python3 >/dev/null || skip "no python3"
cat >"$work/rows.csv" <<'END'
"a.csv","served, left out",vllm,0.9,l4,fp8,1,10,11,9,12,20,other
"a.csv","served, left out",vllm,0.9,l4,fp8,8,10,12,9,13,10,other
"a.csv","served, left out",vllm,0.9,l40s,,200,10,10,10,10,15,other
"b <b>","KV pool",sglang,1,h100,bf16,,4,3,2,3.5,,
"b <b>","KV pool",sglang,1,h100,bf16,,4,4,3,5,,
"b <b>","KV pool",sglang,1,h100,bf16,,4,5,3,6,,
END
out=$(python3 "${srcdir:-.}/tools/accuracy_page.py" 9.9 "$work/rows.csv")
assert_contains "its version" "<h1>How true gpuplan 9.9 is" "$out"
assert_contains "a set" "<td>a.csv: served, left out<td>3<td>10.0 %<td>20.0 %<td>+10.0 %" "$out"
assert_contains "in band" "<td>100 %" "$out"
assert_contains "too few in band" 'class="bad">67 %' "$out"
assert_contains "escaped" "b &lt;b&gt;: KV pool" "$out"
assert_contains "the peer" "<td>other<td>3<td>50.0 %<td>100.0 %" "$out"
assert_contains "by version" "<td>vllm 0.9<td>3" "$out"
finish
