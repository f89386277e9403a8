#!/bin/bash
# sizes.sh - what is left, free or missing is said without a minus: random requests, most
# of which do not fit. Only --why, which shows differences as they are, may have one.
. "${srcdir:-.}/tests/cli/lib.sh"

RANDOM=12
pick() {
    shift $((RANDOM % $#))
    picked=$1
}

minus='(^|[^0-9a-z.])-[0-9][0-9.,]*( \.\.| |$)*(GiB|MiB|KiB|GB|MB|B|tokens|requests)?( |[,.;:)]|$)'
short=0
for ((i = 0; i < ${TRIES:-80}; i++)); do
    pick vllm sglang tensorrt-llm llama.cpp
    engine=$picked
    pick llama-3.1-8b qwen3-0.6b flux.1-dev bge-m3 qwen3-30b-a3b gpt-oss-20b gemma-3-4b
    model=$picked
    pick t4 a2 rtx-3080-10g rtx-3070 a10 rtx-4090 v100-pcie-16 h100-sxm
    gpu=$picked
    pick 0.05 0.3 0.9 0.99
    share=$picked
    pick 0 0.1 0.5 0.9
    room=$picked
    pick 1 40 300
    run --plan -m "$model" -g "$gpu:1" --engine "$engine" -u "$picked" \
        --memory-utilization "$share" --headroom "$room"
    case $rc in
    0 | 1) ;;
    *) fail "an answer" "exit $rc" ;;
    esac
    case $out in *short* | *'too little'* | *'may exceed'*) short=$((short + 1)) ;; esac
    # flags, cheaper fixes and an engine's own words are no sizes of ours
    said=$(grep -v -e 'would stop:' -e 'gpuplan --' -e ' \$/h ' -e '([-+][0-9]* %)' "$work/out" | grep -E -- "$minus")
    assert_eq "sizes below zero" '' "$said"
done
assert_true "requests that lack memory are among them ($short)" \
    test "$short" -gt $((${TRIES:-80} / 10))

finish
