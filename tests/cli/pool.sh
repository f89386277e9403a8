#!/bin/sh
# pool.sh - gpuplan --pool: a mix of models over a day. The solver does a fixed amount of
# work, so the answers are the same on any machine.

. "${srcdir:-.}/tests/cli/lib.sh"

GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW
cd "$work" || exit 99

# pool NAME GPUS WORKLOADS [MORE]: a file of that name
pool() {
    cat >"$1" <<END
gpus = ( $2 );
workloads = ( $3 );
${4:-}
END
}

# holds A <=|~ B [FACTOR|TOLERANCE]: null counts as 0
holds() {
    awk -v a="$1" -v op="$2" -v b="$3" -v t="${4:-}" 'BEGIN {
        a += 0; b += 0
        if (op == "<=") ok = a <= b * (t == "" ? 1 + 1e-9 : t)
        else { d = a > b ? a - b : b - a; ok = d <= (t == "" ? 1e-6 : t) * b }
        if (ok) print "yes"; else print "no" }'
}

# joined: what was printed, on one line
joined() { printf '%s' "$out" | tr -s ' \n' '  '; }

chat='{ name = "chat"; model = "llama-3.1-8b"; precision = "fp8"; tpot_ms = 30;
        demand = { shape = "evening"; peak = 60.0; }; }'
code='{ name = "code"; model = "llama-3.3-70b"; precision = "fp8"; tpot_ms = 50;
        demand = { shape = "office"; peak = 4.0; }; }'

# ---- the ladder -------------------------------------------------------------------------

pool two.cfg '{ gpu = "h100-pcie"; buy = 64; price = 25000.0; rent = 2.0; }' "$chat, $code"
run --pool two.cfg
assert_eq "exit code" 0 "$rc"
assert_eq "nothing to warn of" "" "$err"
for rung in fixed composed shared hourly cloud; do
    assert_contains "the ladder has $rung" "
$rung " "$out"
done
assert_contains "a heat map" "GPUs by the hour, " "$out"
assert_contains "what if" "demand of all x 1.3" "$out"
assert_contains "replayed, with bands" "The busiest minute of each workload's heaviest hour" "$out"
assert_contains "who breaks first" " breaks first" "$(joined)"
assert_contains "cold starts" "While replicas start" "$out"
first=$out
run --pool two.cfg
assert_eq "the same again" "$first" "$out"
run pool two.cfg -q
assert_eq "quiet: what to make of it alone" 0 "$(printf '%s\n' "$out" | grep -c '^fixed ')"
run --pool two.cfg -f csv
assert_eq "CSV: the ladder" 6 "$(wc -l <"$work/out" | tr -d ' ')"
head -n 1 "$work/out" | tr ',' '\n' | sort | uniq -d >twice
assert_eq "CSV: no column twice" "" "$(cat twice)"
run --pool two.cfg -f csv --rung shared
assert_contains "CSV: the hours of a rung" "hour,when,workload,layout,replicas" "$out"
run --pool two.cfg -f markdown
assert_contains "Markdown" "| shared |" "$out"

if have_json; then
    run --pool two.cfg -f json
    assert_eq "schema" gpuplan.pool/1 "$(json schema)"
    assert_eq "five rungs" 5 "$(json ladder.#)"
    assert_eq "money" '$/day' "$(json ladder.0.cost.unit)"
    for i in 0 1 2 3 4; do
        assert_eq "all but nothing is left unserved: $i" yes \
            "$(holds "$(json ladder.$i.unmet.value)" "<=" 0.5)"
        cost=$(json ladder.$i.cost.value) bound=$(json ladder.$i.bound.value 2>/dev/null)
        assert_eq "the bound of $i is below its cost" yes \
            "$(holds "${bound:-0}" "<=" "$cost")"
    done
    # parts of the cost add up
    sum=0
    for part in purchase running electricity starting penalty; do
        sum=$(awk -v a="$sum" -v b="$(json ladder.2.$part.value)" 'BEGIN { printf "%.9g", a + b }')
    done
    assert_eq "the cost is the sum of its parts" yes \
        "$(holds "$sum" "~" "$(json ladder.2.cost.value)")"
    assert_eq "sharing never costs more than owning apart, but for the gaps" yes \
        "$(holds "$(json ladder.2.cost.value)" "<=" "$(json ladder.0.cost.value)" 1.03)"
    assert_eq "two workloads" 2 "$(json workloads.#)"
    assert_eq "JSON: hours of each workload" 2 "$(json hours.#)"
    assert_eq "a number for each hour" "24 24 24" \
        "$(json hours.0.needs.values.#) $(json hours.0.unmet.values.#) $(json hours.0.runs.0.replicas.#)"
    assert_eq "in its unit" requests/s "$(json hours.1.needs.unit)"
    assert_eq "places and moves: a line each" "$(json places.#) $(json moves.#)" \
        "$(printf '%s\n' "$out" | grep -c '^    {"replica": ') $(printf '%s\n' "$out" |
            grep -c '^    {"hour": .*"move": ')"
    run --pool two.cfg
    shown=$(printf '%s\n' "$out" | awk '/^Moves/ { on = 1 } /^What if/ { on = 0 } on && /^ *[0-9]/' |
        wc -l | tr -d ' ')
    run --pool two.cfg -f json
    assert_eq "text has the same moves" "$(json moves.#)" "$shown"

    run --pool two.cfg -f json --rung shared
    # what is bought, by hand: $25,000 and 0.35 of it for the server, over 4 years; idle, 42 W
    # and half of its host's 275 W, and 445.5 W more at work, times 1.5
    gpus=$(json ladder.2.gpus) work_hours=0
    for i in 0 1; do
        work_hours=$(awk -v a="$work_hours" -v b="$(json workloads.$i.gpu_hours.value)" \
            'BEGIN { print a + b }')
    done
    assert_eq "to buy" yes "$(holds "$(json ladder.2.capital.value)" "~" $((gpus * 33750)))"
    assert_eq "purchase a day" yes "$(holds "$(json ladder.2.purchase.value)" "~" \
        "$(awk -v n="$gpus" 'BEGIN { print n * 33750 * 24 / (4 * 8760) }')" 1e-5)"
    kwh=$(awk -v n="$gpus" -v h="$work_hours" \
        'BEGIN { print 1.5 * (n * 24 * 0.1795 + h * 0.4455) }')
    assert_eq "energy a day" yes "$(holds "$(json ladder.2.energy.value)" "~" "$kwh" 1e-5)"
    assert_eq "its price" yes "$(holds "$(json ladder.2.electricity.value)" "~" \
        "$(awk -v e="$kwh" 'BEGIN { print e * 0.0861 }')" 1e-5)"
    lost=0
    for cause in server peaks type slices replica headroom spare start; do
        lost=$(awk -v a="$lost" -v b="$(json ladder.2.$cause.value)" 'BEGIN { print a + b }')
    done
    assert_eq "busy and stranded are all GPUs" yes "$(holds "$(awk -v l="$lost" -v n="$gpus" \
        -v u="$(json ladder.2.utilisation.value)" 'BEGIN { print l + n * u / 100 }')" \
        "~" "$gpus" 1e-4)"
    assert_eq "a server that is lost is still paid for" yes \
        "$(holds "$(json ladder.2.purchase.value)" "<=" "$(json what_ifs.0.paid.value)")"
fi

# ---- shortages --------------------------------------------------------------------------

pool short.cfg '{ gpu = "l4"; stock = 4; }' "$chat"
run --pool short.cfg --rung shared
assert_eq "too few GPUs: exit code" 1 "$rc"
assert_contains "and an answer all the same" "short" "$out"
assert_contains "whose price is no money to compare" \
    "neither sharing servers over the day nor a server for each model serves all" "$(joined)"
assert_contains "what the rest of the cost is" "the rest of its cost is what unmet demand is priced at" "$(joined)"
assert_lacks "nor a premium" "a composable fabric" "$out"
run --pool short.cfg --rung shared -f csv
assert_eq "CSV: all hours, also those that nothing serves" 24 \
    "$(printf '%s\n' "$out" | awk -F, 'NR > 1 { hour[$1] } END { for (h in hour) n++; print n + 0 }')"
pool none.cfg '{ gpu = "l4"; stock = 64; }' '{ name = "code"; model = "llama-3.3-70b";
    tpot_ms = 2; demand = { shape = "flat"; mean = 1.0; }; }'
run --pool none.cfg --rung shared
assert_eq "nothing serves it: exit code" 1 "$rc"
assert_contains "says so, and what stands in the way" \
    "nothing can be served: code: one request alone misses the TPOT goal, on l4" "$(joined)"
# nothing is served: one sentence with the need, no table, no ratio of nothing
big='{ name = "big"; model = "llama-3.1-405b"; demand = { shape = "evening"; peak = 20.0; }; }'
deep='{ name = "deep"; model = "deepseek-v3"; demand = { shape = "flat"; mean = 1.0; }; }'
small='{ name = "small"; model = "llama-3.1-8b"; demand = { shape = "flat"; mean = 1.0; }; }'
long='{ name = "long"; model = "llama-3.1-8b"; context = 1000000; demand = { shape = "flat"; mean = 1.0; }; }'
pool big.cfg '{ gpu = "l4"; stock = 1; }' "$big"
run --pool big.cfg
assert_eq "exit code" 1 "$rc"
assert_contains "the need" "nothing can be served: llama-3.1-405b needs at least " "$(joined)"
assert_contains "and what there is" " l4, the pool has 1" "$(joined)"
assert_eq "one sentence" 1 "$(printf '%s\n' "$out" | grep -c '^- ')"
assert_lacks "no ladder of nothing" "Ways to own" "$out"
run --pool big.cfg -q
assert_eq "quiet" 1 "$(printf '%s\n' "$out" | grep -c '^- ')"
pool both.cfg '{ gpu = "l4"; stock = 1; }' "$big, $deep"
run --pool both.cfg
assert_contains "each model" "; deepseek-v3 needs at least " "$(joined)"
pool part.cfg '{ gpu = "l4"; stock = 1; }' "$big, $small"
run --pool part.cfg
assert_contains "one of two" "big is not served: llama-3.1-405b needs at least " "$(joined)"
pool over.cfg '{ gpu = "l4"; stock = 1; }' "$long"
for gpus in '{ gpu = "l4"; stock = 1; }' '{ gpu = "l4"; stock = 1; price = 0.01; }' \
    '{ gpu = "rtx-4090"; buy = 2; }' '{ gpu = "l4"; stock = 2; }, { gpu = "h100-sxm"; stock = 1; }'; do
    for work_of in "$big" "$big, $deep" "$big, $small" "$long" "$long, $big" "$small"; do
        pool odd.cfg "$gpus" "$work_of"
        for format in text json csv markdown; do
            run --pool odd.cfg -f $format
            assert_true "$gpus $work_of: answered" [ "$rc" -le 1 ]
            assert_eq "$gpus $work_of: no number that is none" "" \
                "$(printf '%s\n' "$out" | grep -iwE '[-]?(nan|inf)' | head -n 1)"
        done
    done
done

# ---- what is misspelt, and what there is ----
pool stok.cfg '{ gpu = "l4"; stok = 8; }' "$small"
run --pool stok.cfg
assert_eq "stok.cfg: exit code" 3 "$rc"
assert_contains "stok.cfg" "did you mean stock in place of stok?" "$err"
pool peek.cfg '{ gpu = "l4"; stock = 8; }' \
    '{ name = "a"; modle = "llama-3.1-8b"; demand = { shape = "flat"; mean = 1.0; }; }'
run --pool peek.cfg
assert_eq "peek.cfg: exit code" 3 "$rc"
assert_contains "peek.cfg" "did you mean model in place of modle?" "$err"
pool night.cfg '{ gpu = "l4"; stock = 8; }' \
    '{ name = "a"; model = "llama-3.1-8b"; demand = { shape = "night"; mean = 1.0; }; }'
run --pool night.cfg
assert_eq "night.cfg: exit code" 3 "$rc"
assert_contains "night.cfg" "one of: azure-chat, azure-code, evening, flat, office" "$err"
run --list shapes -q
assert_contains "shapes are listed" evening "$out"
run --list pools -q
assert_contains "pools are listed" mixed-sizes "$out"

pool far.cfg '{ gpu = "h100-pcie"; buy = 8; }' '{ name = "far"; model = "llama-3.1-8b";
    context = 1000000; demand = { shape = "flat"; mean = 1.0; }; }, { name = "same";
    model = "llama-3.1-8b"; context = 1000000; demand = { shape = "flat"; mean = 1.0; }; },
    { name = "find"; model = "bge-m3"; demand = { shape = "flat"; mean = 1.0; }; }'
run --pool far.cfg
for name in far same; do
    assert_contains "$name has a reason" \
        "$name: its context is longer than its model's, on h100-pcie" "$(joined)"
done
assert_contains "a model without tokens" "find: no speed of such a model is known" \
    "$(joined)"
# three requests an hour are not left out because a GPU is dearer than their shortage
pool rare.cfg '{ gpu = "h100-pcie"; buy = 16; }' '{ name = "rare"; model = "llama-3.1-8b";
    demand = { shape = "flat"; mean = 0.0008; }; }'
run --pool rare.cfg
assert_eq "a model that is seldom asked for is served" 0 "$rc"
pool undone.cfg '{ gpu = "h100-pcie"; buy = 16; }' "$chat" \
    'jobs = ( { name = "tune"; gpu = "h100-pcie"; gpu_hours = 90000; } );'
run --pool undone.cfg
assert_eq "a job that is not done: exit code" 1 "$rc"
assert_contains "and how much of it" "GPU-hours a day of jobs undone" "$(joined)"
assert_lacks "no demand is unmet" "0.0 % of the demand is unmet" "$(joined | sed 's/Ways to own.*//; s/sharing servers.*//')"
pool spare.cfg '{ gpu = "h100-pcie"; stock = 8; }' "$chat" 'spare = 2;'
if have_json; then
    run --pool spare.cfg -f json
    assert_eq "spares of a small stock leave the others in use" yes \
        "$(holds "$(json ladder.2.unmet.value)" "<=" 50)"
fi

# a server of one's own has its own spares; it needs no second server for them
pool one.cfg '{ gpu = "h100-pcie"; stock = 8; }' "$(echo "$chat" | sed 's/60/20/')" 'spare = 1;'
run --pool one.cfg --rung fixed -f csv
assert_eq "one server with a spare serves" 0 "$rc"

# Modules stay in servers where others are composed, and jobs that change their GPU are done.
pool module.cfg '{ gpu = "h100-sxm"; buy = 8; }, { gpu = "l40s"; buy = 8; server_gpus = 4; }' \
    "$code" 'jobs = ( { name = "tune"; gpu = "l40s"; gpu_hours = 20; } );'
run --pool module.cfg
assert_contains "modules" "h100-sxm sits on its server's board, so no fabric composes it" "$(joined)"
assert_contains "what a job is left with" "undone GPU-h" "$out"
if have_json; then
    run --pool module.cfg -f json
    assert_eq "a module of the pool serves composed ones, too" yes \
        "$(holds "$(json ladder.3.unmet.value)" "<=" "$(json ladder.2.unmet.value)")"
    for i in 0 1 2 3 4 5; do
        case $(json "what_ifs.$i.if") in
        "all GPUs h100-sxm") assert_eq "jobs go along" 0 "$(json "what_ifs.$i.jobs_undone.value")" ;;
        esac
    done
fi

# Engines that sleep wake where they were, as far as the memory of their host goes.
pool sleep.cfg '{ gpu = "h100-pcie"; buy = 16; }' \
    "$(printf '%s' "$chat, $code" | sed 's/{ name/{ sleep = true; name/g')" 'moves = { wake_s = 0.5; };'
run --pool sleep.cfg --rung shared
assert_contains "sleepers wake" " wake " "$out"
assert_contains "and need memory" "of host memory on one server" "$out"
{ echo 'host_memory_gb = 1.0;'; cat sleep.cfg; } >awake.cfg
run --pool awake.cfg --rung shared
case $out in *" wake "*) fail "no memory, and engines sleep" "$out" ;; esac

# ---- mistakes ---------------------------------------------------------------------------

run --pool
assert_eq "no file: usage" 2 "$rc"
run --pool mixed-size
assert_eq "no such pool" 2 "$rc"
assert_contains "the nearest" "mixed-sizes" "$err"
assert_contains "and where to begin" "pools/mixed-sizes.cfg: gpuplan-profile(5), Pools" "$err"
printf 'gpus = (\n  { gpu = "h100-pcie"; stok = 8; buy = 1; } );\nworkloads = ( %s );\n' \
    "$chat" >typo.cfg
run --pool typo.cfg
assert_contains "an unknown key and its line" \
    "typo.cfg:2: gpus[0].stok: unknown key, did you mean stock?" "$err"
printf 'gpus = (\n  { gpu = "h100-pcie"; stock = -8; } );\nworkloads = ( %s );\n' "$chat" \
    >bad.cfg
run --pool bad.cfg
assert_eq "bad figures: exit code" 3 "$rc"
assert_contains "file, line, field and range" \
    "bad.cfg:2: gpus[0].stock: -8 is outside 0..1000000" "$err"
pool model.cfg '{ gpu = "h100-pcie"; stock = 8; }' '{ name = "x"; model = "llama-3.1-9x";
    demand = { shape = "flat"; mean = 1.0; }; }'
run --pool model.cfg
assert_contains "an unknown model names its line" \
    "model.cfg:2: workloads[0].model: workload x" "$err"
pool prec.cfg '{ gpu = "h100-pcie"; stock = 8; }' '{ name = "x"; model = "llama-3.1-8b";
    engine = "vlm"; demand = { shape = "flat"; mean = 1.0; }; }'
run --pool prec.cfg
assert_contains "so does another key that is looked up, by its own line" \
    "prec.cfg:3: workloads[0].engine: workload x: no engine 'vlm' (did you mean vllm?)" "$err"
pool noname.cfg '{ gpu = "h100-pcie"; stock = 8; }' '{ name = ""; model = "llama-3.1-8b";
    demand = { shape = "flat"; mean = 1.0; }; }'
run --pool noname.cfg
assert_contains "a name that is empty" "noname.cfg:2: workloads[0].name: is empty" "$err"
assert_eq "and is an error of the file" 3 "$rc"
pool gpu.cfg '{ gpu = "nope-9000"; stock = 8; }' "$chat"
run --pool gpu.cfg
assert_contains "so is an unknown GPU" "gpu.cfg:1: gpus[0].gpu: no GPU 'nope-9000'" "$err"
pool blame.cfg '{ gpu = "h100-pcei"; stock = 8; }' "$chat" \
    'jobs = ( { name = "tune"; gpu = "h100-pcie"; gpu_hours = 2; } );'
run --pool blame.cfg
assert_contains "and not what rightly refers to it" \
    "blame.cfg:1: gpus[0].gpu: no GPU 'h100-pcei' (did you mean h100-pcie?)" "$err"
sed -e 's/pcei/pcie/' -e 's/{ name = "chat";/& gpus = ["h100-pice"];/' blame.cfg >blame2.cfg
run --pool blame2.cfg
assert_contains "a name that the pool does not have" "blame2.cfg:2: workloads[0].gpus: \
'h100-pice' is not a GPU of this pool (did you mean h100-pcie?)" "$err"
run --pool two.cfg --at 24
assert_contains "an hour of another day" "hours 0 to 23" "$err"

pool price.cfg '{ gpu = "h200-nvl"; stock = 8; }' "$chat"
run --pool price.cfg
assert_contains "a GPU without a price names its line" \
    "price.cfg:1: gpus[0].gpu: no price to buy h200-nvl at is known" "$err"

# ---- replayed ---------------------------------------------------------------------------

# What is planned for the mean breaks in 95 of 100 requests, what is planned for those does not.
hot='{ gpu = "h100-pcie"; buy = 64; price = 25000.0; }'
pool mean.cfg "$hot" "$(printf '%s' "$code" | sed 's/50;/60;/')"
pool late.cfg "$hot" "$(printf '%s' "$code" | sed 's/tpot_ms = 50;/tpot_p95_ms = 60; ttft_p95_ms = 2000;/')"
if have_json; then
    run --pool mean.cfg --rung shared -f json
    mean=$(json ladder.2.cost.value) held=$(json replays.0.holds.value)
    run --pool late.cfg --rung shared -f json
    assert_eq "goals of percentiles: they cost as much at least" yes \
        "$(holds "$mean" '<=' "$(json ladder.2.cost.value)")"
    assert_eq "... and are kept where the mean's are not" "yes no" \
        "$(holds 0.99 '<=' "$(json replays.0.holds.value)" 1) $(holds 1 '<=' "$held")"
    assert_eq "a band around each percentile" "yes yes" \
        "$(holds "$(json replays.0.ttft_p95.low)" '<=' "$(json replays.0.ttft_p95.value)") \
$(holds "$(json replays.0.ttft_p95.value)" '<=' "$(json replays.0.ttft_p95.high)")"
    assert_eq "replicas start cold, and those before are slower" yes \
        "$(holds "$(json replays.0.tpot_p95.value)" '<=' "$(json replays.0.starting_tpot_p95.value)")"
fi

# ---- measured ---------------------------------------------------------------------------

# A server's benchmark corrects the GPU that it is of, here slower than the law, no other.
printf '%s\n' '{"request_rate": "inf", "max_concurrency": 16, "completed": 64, "duration": 60,
"total_input_tokens": 65536, "total_output_tokens": 16384, "mean_ttft_ms": 900,
"mean_tpot_ms": 40}' >server.json
kinds='{ gpu = "h100-pcie"; buy = 128; }, { gpu = "l40s"; buy = 128; }'
pool law.cfg "$kinds" "$chat"
pool measured.cfg "$kinds" "$(printf '%s' "$chat" | sed 's/{ name/{ calibration = "server.json"; name/')"
if have_json; then
    run --pool law.cfg -f json
    law=$(json candidates.0.server_rate.value) other=$(json candidates.1.server_rate.value)
    run --pool measured.cfg -f json
    assert_eq "measured: exit code" 0 "$rc"
    assert_eq "what was measured is slower" yes \
        "$(holds "$(json candidates.0.server_rate.value)" "<=" "$law" 0.5)"
    assert_eq "on the fabric, too" yes \
        "$(holds "$(json candidates.0.fabric_rate.value)" "<=" "$law" 0.5)"
    assert_eq "and nothing else" "$other" "$(json candidates.1.server_rate.value)"
fi
rm server.json
run --pool measured.cfg
assert_contains "one that is not there" "server.json: cannot open" "$err"

# ---- a trace ----------------------------------------------------------------------------

awk 'BEGIN { print "TIMESTAMP,ContextTokens,GeneratedTokens"
    for (i = 0; i < 1800; i++)
        printf "2023-11-16 18:%02d:%02d.0,%d,%d\n", i / 60, i % 60, 1000 + i % 7, 100 + i % 11 }' >log.csv
pool trace.cfg '{ gpu = "h100-pcie"; buy = 8; }' '{ name = "t"; model = "llama-3.1-8b";
    demand = { trace = "log.csv"; scale = 3.0; }; }'
run --pool trace.cfg -f json
if have_json; then
    assert_eq "rate of a log x scale" yes "$(holds "$(json workloads.0.mean.value)" "~" 3 1e-3)"
    assert_eq "even arrivals: no burst" 1 "$(json workloads.0.burst.value | cut -c1)"
fi

# ---- a gap says why it stays ------------------------------------------------------------

cat >gap.cfg <<'END'
name = "gap";
gpus = ( { gpu = "h100-sxm"; stock = 24; buy = 8; }, { gpu = "l40s"; stock = 16; } );
workloads = (
    { name = "advisor"; model = "llama-3.1-405b"; precision = "fp8"; prompt = 2048;
      tpot_ms = 100; isolation = "host"; min_replicas = 1;
      demand = { shape = "office"; peak = 1.5; }; },
    { name = "fraud"; model = "llama-3.1-8b"; precision = "fp8"; context = 4096; output = 64;
      tpot_ms = 30; isolation = "host"; min_replicas = 2;
      demand = { shape = "flat"; peak = 30.0; }; },
    { name = "chat"; model = "llama-3.3-70b"; precision = "fp8"; tpot_ms = 50;
      demand = { shape = "evening"; peak = 10.0; }; },
    { name = "mail"; model = "llama-3.1-8b"; precision = "fp8"; context = 4096; output = 128;
      tpot_ms = 50; demand = { shape = "office"; peak = 40.0; }; }
);
END
run --pool gap.cfg --format json
assert_lacks "isolated workloads leave no gap" '"gap_cause": "' "$out"

sed 's/isolation = "host"; //; s/^workloads/moves = { restart_s = 3000; };\n&/' gap.cfg >starts.cfg
run --pool starts.cfg
assert_contains "text says why" "% cheaper: replicas that start are in the cost" \
    "$(joined)"
run --pool starts.cfg --format json
assert_contains "JSON too" '"gap_cause": "replicas that start are in the cost' "$out"

# ---- a real mix: many layouts for each model, GPUs that sell out, electricity -------------

workloads=
while read -r model prompt output shape peak; do
    workloads="$workloads${workloads:+,}
    { name = \"$model\"; model = \"$model\"; precision = \"open\"; prompt = $prompt;
      output = $output; ttft_ms = 2000; tpot_ms = 60;
      demand = { shape = \"$shape\"; peak = $peak; }; }"
done <<'END'
llama-3.1-8b 512 512 flat 5.25
llama-3.3-70b 2048 256 flat 3.3
qwen2.5-32b 512 256 azure-code 17.25
qwen2.5-7b 512 512 azure-chat 16.95
qwen2.5-14b 2048 256 azure-chat 19.65
qwen2.5-72b 512 128 evening 26.25
mistral-7b-v0.3 2048 256 office 20.7
gemma-2-9b 512 128 flat 2.7
gemma-2-27b 512 256 azure-chat 18.45
mixtral-8x7b 1024 512 azure-chat 12.75
llama-3.2-3b 2048 256 evening 26.55
llama-3.2-1b 512 128 evening 15.6
END
pool twelve.cfg '{ gpu = "h200-nvl"; buy = 24; price = 32000.0; }, { gpu = "h100-pcie"; buy = 24; },
    { gpu = "a100-pcie-80"; buy = 24; }, { gpu = "l40s"; buy = 48; }, { gpu = "l4"; buy = 48; }' \
    "$workloads"
run --pool twelve.cfg -f json
assert_eq "twelve models: an answer" 0 "$rc"
if have_json; then
    gaps=$(json ladder.0.gap.value ladder.1.gap.value ladder.2.gap.value ladder.3.gap.value)
    for gap in $gaps; do
        assert_true "no gap over 1.5 %" awk -v gap="$gap" 'BEGIN { exit !(gap <= 1.5) }'
    done
fi

# ---- exports ----------------------------------------------------------------------------

pool mig.cfg '{ gpu = "h100-sxm"; stock = 8; mig = true; }' '{ name = "Small One";
    model = "llama-3.2-1b"; demand = { shape = "flat"; mean = 1.0; }; }'
run --pool mig.cfg --rung shared --export mig-parted
assert_contains "mig-parted: its version" "version: v1" "$out"
assert_contains "a GPU that is cut" "mig-enabled: true" "$out"
assert_contains "into slices by their names" '"1g.10gb": ' "$out"
run --pool mig.cfg --rung shared --export dra
assert_contains "DRA: the class of slices" "deviceClassName: mig.nvidia.com" "$out"
assert_contains "a name that Kubernetes takes" "name: small-one-" "$out"
sed 's/"h100-sxm"/"a100-sxm-40"/; s/stock = 8;/stock = 8; price = 9000.0;/' mig.cfg >a100.cfg
run --pool a100.cfg --rung shared --export slurm
assert_contains "Slurm drops what follows the first - of a GPU that is cut" \
    "gpu:nvidia_a100_" "$out"
run --pool mig.cfg --rung shared --export slurm
assert_contains "a slice as NVML names it" "--gres=gpu:nvidia_h100_80gb_hbm3_1g.10gb:1" "$out"

# What is cut and what is not, all of the file: mig-parted refuses keys it does not know.
pool cut.cfg '{ gpu = "h100-sxm"; stock = 8; mig = true; }' "{ name = \"Small One\";
    model = \"llama-3.2-1b\"; demand = { shape = \"flat\"; mean = 1.0; }; }, $code"
run --pool cut.cfg --rung shared --export mig-parted
form=$(printf '%s\n' "$out" | sed -e '/^#/d' -e 's/[0-9][0-9]*/N/g' -e 's/N\(, N\)*\]/N]/' | sort -u)
assert_eq "mig-parted: its form" '        "Ng.Ngb": N
      mig-devices:
      mig-devices: {}
      mig-enabled: false
      mig-enabled: true
    - devices: [N]
  server-N-N:
mig-configs:
version: vN' "$form"
run --pool two.cfg --rung shared --export mps
assert_contains "MPS: rows" "ROWS" "$out"
assert_contains "MPS: its end" "ENDATA" "$out"
run --pool two.cfg --rung shared --export slurm
assert_contains "Slurm" "#SBATCH --gres=gpu:nvidia_h100_pcie:" "$out"
run --pool two.cfg --rung hourly --export compose --at 20
assert_contains "compose" '"schema": "gpuplan.compose/1"' "$out"
assert_contains "its hour" '"hour": 20' "$out"
run --pool two.cfg --rung cloud --export compose
assert_eq "a cloud has no chassis" 2 "$rc"

# ---- time, another GPU ------------------------------------------------------------------

run --pool two.cfg --solve-seconds 0.2
assert_eq "by the clock" 0 "$rc"

run --pool two.cfg -g l40s
assert_contains "another GPU" "all GPUs l40s" "$out"
assert_eq "of no other than asked" 1 "$(printf '%s\n' "$out" | grep -c '^all GPUs ')"
sed 's/peak = 60.0/peak = 120.0/; s/peak = 4.0/peak = 8.0/' two.cfg >twice.cfg
run --pool twice.cfg # none is named: a card and a module that cost least per byte/s
printf '%s\n' "$out" | sed -n 's/^all GPUs \([^ ]*\) .*/\1/p' >others
assert_eq "a card and a module are asked of" 2 "$(wc -l <others | tr -d ' ')"
assert_lacks "which the pool does not have" h100-pcie "$(cat others)"
said=$(joined | sed -n 's/.*- all GPUs \([^ ]*\) would be cheaper: .*/\1/p')
assert_eq "one that is cheaper is in the conclusion" "$said" "$(grep -x "$said" others)"
assert_eq "with what it costs, of which date" 1 \
    "$(joined | grep -cE ' of them at \$[0-9.]+/h owned \(.*20[0-9]{2}.*\), ')"
run --pool twice.cfg --rung cloud
assert_contains "in the cloud by what it rents for" "/h rented (" "$(joined)"
pool most.cfg '{ gpu = "h100-pcie"; buy = 600000; }, { gpu = "l40s"; buy = 600000; }' "$chat"
run --pool most.cfg -g a100-pcie-80
assert_eq "of a pool that may be larger than any of one type" 0 "$rc"

# ---- many workloads ---------------------------------------------------------------------

{
    echo 'gpus = ( { gpu = "h100-pcie"; buy = 2000; }, { gpu = "l40s"; buy = 200; } );'
    echo 'workloads = ('
    awk 'BEGIN { for (i = 0; i < 200; i++)
        printf "%s{ name = \"w%d\"; model = \"llama-3.1-8b\"; demand = { shape = \"%s\"; peak = %.1f; }; }\n",
            i ? "," : "", i, i % 2 ? "office" : "evening", 1 + i % 7 }'
    echo ');'
} >many.cfg
run --pool many.cfg --solve-seconds 1
assert_contains "many workloads end with an answer" "sharing servers over the day" "$out"

# A signal ends the search, and what it has found is printed.
"$gp" --pool many.cfg --solve-seconds 100 >"$work/out" 2>"$work/err" </dev/null &
asked=$!
n=0 # it is the program, and no more the shell, that catches the signal: bit 15
until tr '\n' ' ' <"/proc/$asked/status" 2>/dev/null |
    grep -q '^Name:.gpuplan .*SigCgt:[^ ]*[4-7c-f]... ' || [ $n -ge 1200 ]; do
    sleep 0.05
    n=$((n + 1))
done
kill -TERM "$asked"
wait "$asked"
rc=$? out=$(cat "$work/out") err=$(cat "$work/err")
assert_eq "stopped: exit code" 143 "$rc"
assert_contains "a plan all the same" "least to own: " "$out"
assert_contains "and a word on it" "stopped before the search had ended" "$out"
assert_lacks "no what-ifs" "What if." "$out"

# The manual's examples are what the program answers today.
for pool in mixed-sizes azure-week azure-week-jobs; do
    case $pool in *-jobs) row='^%s .* %s +%s +%s$\n' ;; *) row='^%s +%s +%s +%s( |$)\n' ;; esac
    run --pool "$pool"
    printf '%s\n' "$out" | tr -d '~,' | awk -v row="$row" '
        /^name .*bound/ { on = 1; next } on && NF == 0 { exit } on { printf row, $1, $2, $3, $5 }' >ladder
    assert_eq "$pool: ways of the ladder" 5 "$(wc -l <ladder | tr -d ' ')"
    while read -r row; do
        assert_eq "gpuplan-model(7), $pool: $row" 1 \
            "$(grep -cE "$row" "$src/man/gpuplan-model.7")"
    done <ladder
done

# So is the README's.
run --pool mixed-sizes
sed -n '/^\$ .*--pool mixed-sizes/,/^```/p' "$src/README.md" | sed '1d;$d' >readme
assert_eq "rows of README" yes "$([ "$(wc -l <readme)" -gt 5 ] && echo yes)"
while read -r row; do
    assert_contains "README: $row" "$row" "$out"
done <readme

finish
