#!/bin/sh
# pool_plan.sh - the plans that gpuplan --pool prints can be carried out: pools at random,
# each rung's JSON read again by tests/pool_check, which shares no code with the program.
#
# GPUPLAN_POOL_CASES sets how many (default 1), GPUPLAN_POOL_SEED begins elsewhere.

. "${srcdir:-.}/tests/cli/lib.sh"

check=$(cd "${top_builddir:-.}" && pwd)/tests/pool_check
[ -x "$check" ] || skip "$check is not built"
GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW
cd "$work" || exit 99

# pool_of SEED: a file pool.cfg, and what the checker is told of it in pool.told
pool_of() {
    awk -v seed="$1" '
    function below(n) { state = (state * 16807) % 2147483647; return state % n }
    function pick(text,   part, n) { n = split(text, part, " "); return part[below(n) + 1] }
    BEGIN {
        state = seed * 7919 + 17; for (i = 0; i < 20; i++) below(2)
        file = "pool.cfg"; told = "pool.told"; spare = below(3) == 0 ? 1 + below(3) : 0
        tight = below(3) == 0
        print "gpus = (" >file
        printf "  { gpu = \"h100-pcie\"; stock = %d; buy = %d; mig = %s; },\n", below(24),
            8 + (tight ? 8 : 80), "false" >file
        printf "  { gpu = \"l40s\"; stock = %d; buy = %d; server_gpus = %d; }\n", below(12),
            tight ? 4 : 64, pick("4 8") >file
        printf ");\nspare = %d;\n", spare >file
        per = pick("4 8 10"); hosts = 2 + below(4); slots = per * hosts - below(3)
        print "chassis = (" >file
        for (i = 0; i < 3; i++) {
            printf "%s { name = \"%s\"; slots = %d; hosts = %d; gpus_per_host = %d; }",
                i ? ",\n" : "", substr("ABC", i + 1, 1), slots, hosts, per >file
            printf "chassis=%s:%d:%d:%d ", substr("ABC", i + 1, 1), slots, hosts, per >told
        }
        print "\n);" >file
        if (below(3) == 0) {
            cap = 20000 + 1000 * below(30)
            printf "power_cap_w = %d.0;\n", cap >file
            printf "cap=%d ", cap >told
        }
        print "workloads = (" >file
        n = 3 + below(3); alone = below(n + 1); least = below(n)
        for (i = 0; i < n; i++) {
            model = pick("llama-3.2-1b llama-3.1-8b qwen2.5-14b llama-3.3-70b")
            big = model ~ /70b/
            printf "%s { name = \"w%d\"; model = \"%s\"; precision = \"fp8\"; tpot_ms = %d;",
                i ? ",\n" : "", i, model, big ? 60 : 30 + below(30) >file
            if (i == alone) {
                printf " isolation = \"host\";" >file
                printf "alone=w%d ", i >told
            } else if (below(3) == 0)
                printf " isolation = \"gpu\";" >file
            if (i == least && !tight && i != alone) {
                printf " min_replicas = 2;" >file
                if (cap == 0)
                    printf "minimum=w%d:2 ", i >told
            }
            printf "\n   demand = { shape = \"%s\"; peak = %.2f; }; }",
                pick("office evening azure-code azure-chat flat"),
                (big ? 1 : 10) * (1 + below(60) / 10) >file
        }
        print "\n);" >file
        if (below(2))
            printf "jobs = ( { name = \"tune\"; gpu = \"%s\"; gpu_hours = %d.0; group = %d; } );\n",
                pick("h100-pcie l40s"), 20 + below(60), pick("1 2 4") >file
    }' </dev/null
}

# carried_out WHAT: the checker has nothing to say
carried_out() {
    checks=$((checks + 1))
    # shellcheck disable=SC2046 # words of one file
    said=$("$check" "$work/out" $(cat pool.told)) || fail "$1" "$said" "$(cat pool.told)"
}

seed=${GPUPLAN_POOL_SEED:-1}
last_seed=$((seed + ${GPUPLAN_POOL_CASES:-1} - 1))
while [ "$seed" -le "$last_seed" ]; do
    rm -f pool.told
    pool_of "$seed"
    for rung in fixed composed shared hourly; do
        run --pool pool.cfg --rung "$rung" --format json
        [ "$rc" -le 1 ] || fail "seed $seed, $rung: exit code $rc" "$(cat pool.cfg)"
        [ "$rc" -le 1 ] && carried_out "seed $seed, $rung"
    done
    seed=$((seed + 1))
done

# the checker notices what is wrong
run --pool mixed-sizes --rung shared --format json
cp "$work/out" good.json
: >pool.told
carried_out "mixed-sizes, shared"
refused() {
    checks=$((checks + 1))
    sed "$2" good.json >changed.json
    cmp -s good.json changed.json && fail "$1: nothing changed"
    "$check" changed.json >/dev/null && fail "$1: not noticed"
}
refused "a place that ends early" '/"places"/,$ s/"until": 24/"until": 23/'
refused "two on one slot" '/"places"/,$ s/"slots": "2"/"slots": "1"/'
refused "a replica more" 's/"replicas": \[1, 1,/"replicas": [2, 1,/'
refused "a start that is missing" '/"moves"/,/"places"/ s/"move": "start"/"move": "cut"/'

finish
