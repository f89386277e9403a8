#!/bin/sh
# calibration.sh - results of --bench that correct a plan: whose they are, what is not used.
# The results are made up here, and say so in the name of their host.

. "${srcdir:-.}/tests/cli/lib.sh"

GPUPLAN_PROC=$work/proc GPUPLAN_SYSFS=$work/sys GPUPLAN_NVML=$work/none
export GPUPLAN_PROC GPUPLAN_SYSFS GPUPLAN_NVML
mkdir -p "$work/proc" "$work/sys/module/nvidia"
kept=$XDG_STATE_HOME/gpuplan/calibration
mkdir -p "$kept"

# result PROFILE UUID DRIVER GBPS FLAG SLOW [FLOPS BANDWIDTH]: a run of one GPU that reads at GBPS, and whose BF16
# products take SLOW times what 0.8 of FLOPS and 0.88 of BANDWIDTH would (989 TFLOPS, 3.35 TB/s)
result() {
    awk -v profile="$1" -v uuid="$2" -v driver="$3" -v gbps="$4" -v flag="$5" -v slow="$6" \
        -v flops="${7:-989.4e12}" -v bandwidth="${8:-3.35e12}" '
    function point(id, test, params, seconds, rate) {
        printf "%s{\"id\": \"%s\", \"state\": \"ok\", \"reason\": null, \"variant\": \"%s\", " \
            "\"device\": 0, \"test\": \"%s\", \"params\": {\"id\": \"%s\", \"test\": \"%s\", %s}, " \
            "\"time_s\": {\"n\": 10, \"median\": %.9g, \"min\": %.9g, \"max\": %.9g, " \
            "\"ci95\": [%.9g, %.9g], \"converged\": true}, \"rate\": {\"ops_per_s\": %s}, " \
            "\"check\": {\"ok\": true}, \"flags\": [%s]}", comma, id,
            test == "memory" ? "" : "heuristic", test, id, test, params, seconds, seconds * 0.99,
            seconds * 1.01, seconds * 0.995, seconds * 1.005, rate, flag ? "\"" flag "\"" : ""
        comma = ", "
    }
    BEGIN {
        printf "{\"schema\": \"gpuplan.bench/1\", \"status\": \"complete\", " \
            "\"run_id\": \"made-up\", \"started\": \"2026-11-20T08:00:00Z\", " \
            "\"host\": {\"name\": \"made-up\"}, \"software\": {\"driver\": \"%s\"}, " \
            "\"devices\": [{\"id\": 0, \"name\": \"Made up\", \"uuid\": \"%s\", " \
            "\"profile\": \"%s\", \"kind\": \"gpu\"}], \"points\": [", driver, uuid, profile
        bytes = 4294967296
        point("memory/read/" bytes, "memory", "\"type\": \"fp32\", \"kind\": \"read\", \"bytes\": " \
              bytes, bytes / gbps / 1e9, "null, \"bytes_per_s\": " gbps * 1e9)
        for (n = 1; n <= 4096; n *= 8)
            for (m = 4096; m <= 28672; m *= 7) {
                k = 4096
                a = 2 * m * n * k / (0.8 * flops)
                b = (2 * m * k + 2 * n * (m + k)) / (0.88 * bandwidth)
                t = slow * (a ^ 2.5 + b ^ 2.5) ^ (1 / 2.5)
                point("batch/bf16/" m "x" n "x" k, "batch", "\"type\": \"bf16\", " \
                      "\"cache\": \"weights-cold\", \"m\": " m ", \"n\": " n ", \"k\": " k, t,
                      2 * m * n * k / t)
            }
        print "]}"
    }'
}

# less A B: is A < B?
less() {
    awk -v a="$1" -v b="$2" 'BEGIN { exit !(a < b) }'
}

plan() {
    run --plan -m llama-3.1-8b -p bf16 -g h100-sxm -c 4096 "$@"
}

# line NAME: its line of the answer
line() {
    printf '%s\n' "$out" | grep "^    $1 " || :
}

tpot() {
    json speed.tpot.value
}

plan
assert_eq "nothing is kept: no word on it" "" "$(line calibrated)$(line 'not used')"
result h100-sxm GPU-1 580.82 2680 "" 1.4 >"$work/slow.json"

# named
plan --calibration "$work/slow.json"
assert_eq "named" 0 "$rc"
assert_contains "whose" "measured on a device of this kind 2026-11-20 (Made up)" "$(line calibrated)"
assert_contains "how well it reads" "2.68 TB/s, 80 % of its sheet" "$(line calibrated)"
assert_contains "how many products" "10 products" "$(line calibrated)"
assert_contains "band" "device measured" "$(line band)"
plan --calibration none
assert_eq "none" "" "$(line calibrated)"

# in a report: each product is a point, all of them at one height (1/1.4 of the law's rate)
run --report "$work/slow.html" -m llama-3.1-8b -p bf16 -g h100-sxm --calibration "$work/slow.json"
marks=$(sed -n '/<title>Rate of products/,/<.figure>/s/.* y="\([0-9]*\).*class="m c[0-9]*" text-anchor="middle">1<.*/\1/p' \
    "$work/slow.html")
assert_eq "ten products" 10 "$(echo "$marks" | wc -l)"
assert_true "1.4 times as slow, each" test \
    "$(($(echo "$marks" | sort -n | tail -n 1) - $(echo "$marks" | sort -n | head -n 1)))" -le 3

# measured links: all-reduces of large messages at half the law's rate, made up too
# reduce SECONDS BYTES: one of 4 GPUs
reduce() {
    sed "s|\\]}\$|, {\"id\": \"allreduce/bf16/plain/0-3/$2\", \"state\": \"ok\", \"reason\": null, \
\"variant\": \"\", \"device\": 0, \"test\": \"allreduce\", \"params\": {\"test\": \"allreduce\", \
\"type\": \"bf16\", \"kind\": \"plain\", \"bytes\": $2, \"gpus\": 4}, \"time_s\": {\"n\": 10, \
\"median\": $1, \"min\": $1, \"max\": $1, \"ci95\": [$1, $1], \"converged\": true}, \
\"rate\": {\"ops_per_s\": null}, \"check\": {\"ok\": true}, \"flags\": []}]}|"
}
four() {
    run --plan -m llama-3.1-70b -p fp8 -g h100-sxm:4 --tp 4 -u 64 -c 8192 --prompt 4096 "$@" --format json
}
result h100-sxm GPU-1 580.82 3015 "" 1 >"$work/links.json"
if have_json; then
    four --calibration "$work/links.json"
    quick=$(json speed.ttft.value)
    reduce 0.004 268435456 <"$work/links.json" >"$work/slow-links.json"
    four --calibration "$work/slow-links.json"
    less "$quick" "$(json speed.ttft.value)" ||
        fail "slow all-reduces do not slow prompts on 4 GPUs: $quick, $(json speed.ttft.value)"
    assert_contains "links are said" "1 all-reduce" "$(json request.calibrated)"
    slow=$(json speed.ttft.value)
    reduce 0.004 65536 <"$work/links.json" >"$work/small.json" # its launches, not the link
    four --calibration "$work/small.json"
    assert_eq "a small message corrects nothing" "$quick" "$(json speed.ttft.value)"
    reduce 4 268435456 <"$work/links.json" >"$work/odd.json" # within a factor of 4
    four --calibration "$work/odd.json"
    less "$(json speed.ttft.value)" "$(awk -v a="$slow" 'BEGIN { print 10 * a }')" ||
        fail "nonsense is not bounded: $(json speed.ttft.value)"
fi

# kept, and of this machine
cp "$work/slow.json" "$kept/h100-sxm@GPU-1.json"
mkdir -p "$work/proc/driver/nvidia/gpus/0000:01:00.0"
echo "GPU UUID: 	 GPU-1" >"$work/proc/driver/nvidia/gpus/0000:01:00.0/information"
echo 580.82 >"$work/sys/module/nvidia/version"
plan --why
assert_contains "own device" "measured here 2026-11-20 (made-up)" "$(line calibrated)"
assert_contains "every number says which" "measured here 2026-11-20; " "$out"
if have_json; then
    plan --calibration none --format json
    law=$(tpot)
    assert_eq "estimated" model "$(json speed.tpot.origin)"
    plan --format json
    assert_eq "turns from model to measured" measured "$(json speed.tpot.origin)"
    less "$law" "$(tpot)" || fail "slow products do not slow the plan: $law, $(tpot)"
    assert_contains "said" "measured here" "$(json request.calibrated)"

    # another GPU of the generation, by the same shares
    run --plan -m llama-3.1-8b -p bf16 -g h200-sxm -c 4096 --calibration none --format json
    law=$(tpot)
    run --plan -m llama-3.1-8b -p bf16 -g h200-sxm -c 4096 --format json
    assert_contains "of its generation" "another GPU of this generation" "$(json request.calibrated)"
    assert_eq "still a model" model "$(json speed.tpot.origin)"
    less "$law" "$(tpot)" || fail "the generation's shares do not slow the plan"
    # of another generation nothing
    run --plan -m llama-3.1-8b -p bf16 -g l40s -c 4096 --format json
    assert_eq "another generation" None "$(json request.calibrated | sed 's/^null$/None/;s/^$/None/')"

    # a saved plan with a calibration can be asked again
    plan --output "$work/saved.json" --format json
    run --check-plan "$work/saved.json"
    assert_eq "asked again" 0 "$rc"
fi

# the driver moved
echo 590.11 >"$work/sys/module/nvidia/version"
plan
assert_contains "moved" "with 580.82 is not used: here is 590.11 now" "$(line 'not used')"
assert_eq "not used" "" "$(line calibrated)"
echo 580.82 >"$work/sys/module/nvidia/version"

# a library moved: the file that was measured with is another one now, or gone
library=$work/libcublasLt.so.13
echo library >"$library"
touch -d '2026-11-01 00:00:00 UTC' "$library"
sed "s|\"software\": {|&\"files\": [{\"path\": \"$library\", \"bytes\": 8, \"changed\": $(date -u -d '2026-11-01 00:00:00 UTC' +%s)}], |" \
    "$kept/h100-sxm@GPU-1.json" >"$work/of_library.json"
cp "$work/of_library.json" "$kept/h100-sxm@GPU-1.json"
plan
assert_contains "the same library" "measured here" "$(line calibrated)"
echo another >>"$library"
plan
assert_contains "another size" "libcublasLt.so.13 is another file now, or gone" "$(line 'not used')"
assert_eq "another size: not used" "" "$(line calibrated)"
rm "$library"
plan
assert_contains "gone" "libcublasLt.so.13 is another file now, or gone" "$(line 'not used')"

# disturbed, and merely scattered
result h100-sxm GPU-1 580.82 2680 contended 1.4 >"$kept/h100-sxm@GPU-1.json"
plan
assert_contains "disturbed" "were disturbed: measure again" "$(line 'not used')"
result h100-sxm GPU-1 580.82 2680 unconverged 1.4 >"$kept/h100-sxm@GPU-1.json"
plan
assert_contains "scattered" "11 scattered, 0 disturbed" "$(line calibrated)"

# what cannot be read is named; what the user named is an error
echo '{"schema": "gpuplan.bench/1", "status": 3}' >"$kept/h100-sxm@GPU-1.json"
plan
assert_eq "a broken kept file stops no plan" 0 "$rc"
assert_contains "but is named" "h100-sxm@GPU-1.json" "$(line 'not used')"
assert_fails 3 "status" --plan -m llama-3.1-8b -p bf16 -g h100-sxm \
    --calibration "$kept/h100-sxm@GPU-1.json"
rm "$kept/h100-sxm@GPU-1.json"
plan --calibration "$work/none.json"
assert_eq "a file that is not there" 3 "$rc"
result l40s GPU-2 580.82 800 "" 1 >"$work/other.json"
plan --calibration "$work/other.json"
assert_contains "of another kind" "no good point of h100-sxm" "$(line 'not used')"

# ---- a server's benchmark: each run beside its prediction ---------------------------------

run --plan -m llama-3.1-8b -g l40s:1 -v \
    --calibration "$src/tests/fuzz/corpus/serverbench/guidellm.json"
assert_contains "guidellm corrects" "1 point" "$(line measured)"
assert_contains "measured against predicted" "TPOT    8.0    1000     100        20.00" \
    "$(printf '%s\n' "$out" | sed -n '/^measured against predicted/,/^Measured/p')"
run --plan -m llama-3.1-8b -p q4_k_m -g rtx-4090:1 --engine llama.cpp -v \
    --calibration "$src/tests/fuzz/corpus/serverbench/llama-bench.md"
assert_contains "llama-bench's table" "TTFT" "$(printf '%s\n' "$out" | sed -n '/^measured ag/,$p')"

# ---- what labs share: three of an L40S, made up, 2 % apart --------------------------------

lab() { # NAME SLOW
    result l40s "GPU-secret-$1" 580.82 "$(awk -v s="$2" 'BEGIN { print 790 / s }')" "" "$2" \
        362.05e12 864e9 | sed "s/\"name\": \"made-up\"/\"name\": \"host-$1\"/" >"$work/$1.result"
    run --merge "$work/$1.result" -o "$work/$1.share"
    assert_eq "a result is shared" 0 "$rc"
}
lab a 1.00
lab b 1.02
lab c 0.98
lab d 1.03
assert_true "it is small" test "$(wc -c <"$work/a.share")" -lt 4096
for word in host- secret made-up GPU- "$work" 08:00; do
    grep -q -e "$word" "$work/a.share" && fail "a share says $word"
done
run --merge "$work/a.share" "$work/b.share" "$work/c.share" "$work/a.share"
assert_contains "once each" "4 files, 3 devices" "$out"
assert_contains "the GPU's constants" "gpu l40s, by 3 labs" "$out"
assert_contains "the family's" "family ada-lovelace, by 3 labs" "$out"
assert_contains "their spread" "spread 2.0 % of 3" "$out"
run --merge "$work/a.share" "$work/b.share" "$work/c.share" -o "$work/labs.json"
l40s() {
    run --plan -m llama-3.1-8b -p bf16 -g l40s -c 4096 "$@" --format json
}
# how wide the band of TPOT is, with the files of --calibration
width() {
    l40s --calibration "$@"
    awk -v a="$(json speed.tpot.low)" -v b="$(json speed.tpot.high)" 'BEGIN { print b / a }'
}
if have_json; then
    before=$(width none) one=$(width "$work/a.share") three=$(width "$work/labs.json")
    less "$three" "$one" || fail "three labs narrow nothing: $one, $three"
    less "$one" "$before" || fail "one lab narrows nothing: $before, $one"
    assert_contains "the band says so" "on a device of this kind, 3 labs, 2026-11" \
        "$(json request.calibrated)"
    assert_contains "and of whom" "GPU by 3 results of other labs, 2026-11" "$(json speed.band)"
    assert_eq "merged, or each" "$three" "$(width "$work/a.share,$work/b.share,$work/c.share")"
    l40s --calibration "$work/labs.json"
    low=$(json speed.tpot.low) high=$(json speed.tpot.high)
    l40s --calibration "$work/d.result"
    less "$low" "$(json speed.tpot.value)" && less "$(json speed.tpot.value)" "$high" ||
        fail "a fourth lab's own estimate is outside of the band of three"
    for outside in "-p awq" "-m qwen3-30b-a3b" "-p q4_k_m --engine llama.cpp"; do
        # no kernel of these is in a share: the band is the one without
        # shellcheck disable=SC2086
        assert_eq "$outside: as wide as without" "$(width none $outside)" \
            "$(width "$work/labs.json" $outside)"
    done
fi
echo "{}" >"$work/none.share"
assert_fails 3 "schema" --merge "$work/none.share" "$work/d.share"
echo '{"schema": "gpuplan.share/1", "devices": [{"lab": "a", "gpu": "l40s"}]}' >"$work/empty.share"
assert_fails 3 "nothing was measured" --merge "$work/empty.share"
assert_fails 3 "nothing was measured" --plan -m llama-3.1-8b -g l40s --calibration "$work/empty.share"
finish
