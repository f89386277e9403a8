#!/usr/bin/env bash
# walk.sh - every number on the Plan screen is one that --plan --format json prints.
#
# A walk over the form that is random but the same each time: at each state the screen
# is dumped with the command it names (key c); that command is run, and each number of
# the answer and of the form is compared with its JSON, rounded as it is shown.
. "${srcdir:-.}/tests/script/lib.sh"

states=48
fields=28
models=(llama-3.1-8b llama-3.1-70b qwen3-30b-a3b mixtral-8x7b gpt-oss-120b deepseek-v3
    gemma-3-27b qwen3-next-80b-a3b 8B 123B qwen3-14b llama-4-scout-17b-16e)
gpus=(h100-sxm l40s:1 l40s:4 a100-sxm-80/3g.40gb rtx-4090:2 mi300x b200:2 h200-sxm:8
    gb200 l4:8 apple-m3-ultra t4:4)
precisions=(fp8 int8 int4-awq bf16 nvfp4 q4_k_m native mxfp4)

RANDOM=4242

# any BEFORE WORD...: BEFORE and one of the words. No subshell: it would have a RANDOM of
# its own.
any() {
    local before=$1
    shift
    shift $((RANDOM % $#))
    printf '%s%s\n' "$before" "$1"
}

# The keys of state number $1: each field is stepped, most of them twice, and lists are
# gone through in leaps in between.
keys() {
    local focus=$(($1 % fields)) i
    [ $(($1 % 9)) -ne 0 ] || echo "r r"
    case $(($1 % 3)) in
    0) any ":model " "${models[@]}" ;;
    1) any ":gpu " "${gpus[@]}" ;;
    *) any ":precision " "${precisions[@]}" ;;
    esac
    [ $(($1 % 5)) -ne 2 ] || echo ":users $((RANDOM % 60 + 1))"
    [ $(($1 % 7)) -ne 3 ] || echo ":context $((RANDOM % 60 + 1))k"
    [ $(($1 % 27)) -ne 26 ] || echo ":prompt 200k" # more than any context here
    [ $(($1 % 8)) -ne 5 ] || echo ":used $((RANDOM % 9))GiB"
    echo g
    for ((i = 0; i < focus; i++)); do
        echo Down
    done
    any "" Right Left + -
    [ $((RANDOM % 3)) -ne 0 ] || echo Right
    echo c
    echo ":dump $work/screen.$1"
    echo Esc # the window of a long command
}

# The command on the screen: in the row that explains, or, being long, in a window.
command_of() {
    awk '/^[| ]+gpuplan --plan / { take = 1 }
        take { sub(/^\|? */, ""); sub(/ *\|?$/, "") }
        take && /^(\+|Enter:|Up\/Down:|$)/ { exit }
        take { printf "%s ", $0 }' "$1"
}

# The screen as lines "name number": what stands in the form and the answer.
shown() {
    sed 's/^|//; s/||/\t/g; s/|$//' "$1" | awk -F '\t' '
        function put(name, text) { gsub(/[$,]|\/[hM]$/, "", text); print name, text }
        function after(line, word,  at) {
            at = index(line, word); return substr(line, at + length(word)) }
        { form = $1; sub(/^[> ]/, "", form); answer = $2 }
        form ~ /^(Context|Prompt|Output|Users|GPUs|TP|PP|EP|Replicas|Slots|Batch|Utilization|Headroom) / {
            name = form; sub(/ .*/, "", name)
            value = substr(form, 12); sub(/(auto|by rate): /, "", value); sub(/^ */, "", value)
            if (name == "GPUs" && form !~ /auto:/) name = "count"
            split(value, v, " ")
            if (v[1] != "auto") put("form." name, v[1]) }
        answer ~ /^(FITS|OVER|MARGINAL|NO FIT)/ {
            print "verdict", answer ~ /^(FITS, SLOW|OVER)/ ? "slow" : answer ~ /^FITS/ ? "fits" : answer ~ /^M/ ? "marginal" : "does-not-fit"
            n = split(answer, v, " ")
            for (i = 1; i <= n; i++) {
                if (v[i] ~ /^GPUs?$/) put("gpus", v[i - 1])
                if (v[i] ~ /^\$.*\/h$/) put("hour", v[i])
                if (v[i] ~ /^\$.*\/M$/) put("million", v[i])
                if (v[i] == "short") put("lacks", v[i + 1]) } }
        answer ~ /^memory .* of budget/ { split(answer, v, " "); put("share", v[2])
            put(answer ~ / short/ ? "lacks" : "spare", v[6]) }
        answer ~ /^#.*\| *[0-9.]+ *$/ || answer ~ /\| [0-9]+\.[0-9][0-9] *$/ {
            n = split(answer, v, " "); put("budget", v[n]) }
        answer ~ /^# ?weights / {
            n = split(answer, v, " ")
            for (i = 1; i < n; i++) {
                if (v[i] == "weights") put("weights", v[i + 1])
                if (v[i] == "KV") put("reserved", v[i + 1])
                if (v[i] == "act") put("activation", v[i + 1]) } }
        answer ~ /^(TTFT|TPOT) / { split(answer, v, " "); put(v[1] "_" v[3], v[2]) }
        answer ~ /^output .* tok\/s/ { split(answer, v, " "); put("tokens", v[2]) }
        answer ~ /^holds / { split(answer, v, " "); sub(/;/, "", v[5]); put("held", v[2]); put("end", v[5]) }
        answer ~ /^KV pool / {
            n = split(answer, v, " ")
            put("pool", v[3]); put("pool_tokens", v[5]); put("concurrency", v[7])
            if (v[10] != "") put("context", v[10]) }
        answer ~ /^GPUs [0-9]+: TP/ { split(answer, v, /[ :,]+/); put("gpus", v[2]); put("tp", v[4])
            if (answer ~ /hosts?/) { h = answer; sub(/ hosts?.*/, "", h); sub(/.* /, "", h); put("hosts", h) } }
        answer ~ /^(on demand|spot|market) +\$/ {
            name = answer; sub(/ *\$.*/, "", name); gsub(/ /, "_", name)
            split(after(answer, "$"), v, /\/h +\$|\/mo/)
            put(name ".hour", v[1]); put(name ".month", v[2]) }
        answer ~ /^buy +\$/ { split(after(answer, "$"), v, "/h"); put("buy.hour", v[1]) }'
}

# "a.b.c value" of each leaf of indented JSON.
flat() {
    awk '
        { depth = match($0, /[^ ]/) / 2 - 0.5; line = $0; sub(/^ */, "", line); sub(/,$/, "", line) }
        line ~ /^"/ {
            key = line; sub(/^"/, "", key)
            if (index(key, "\": ") == 0) next
            value = substr(key, index(key, "\": ") + 3)
            key = substr(key, 1, index(key, "\": ") - 1)
            path[depth] = key
            if (value ~ /^[{[]$/) next
            full = path[1]
            for (i = 2; i <= depth; i++) full = full "." path[i]
            gsub(/"/, "", value); print full, value }'
}

# compare SHOWN JSON: every shown number against the JSON, rounded to its own digits.
# Prints "N compared" and a line per difference.
compare() {
    awk '
        BEGIN {
            split("budget weights activation", same, " ")
            for (i in same) from[same[i]] = "memory.per_gpu." same[i] ".value"
            from["reserved"] = "memory.per_gpu.kv_reserved.value"
            from["pool"] = "memory.per_gpu.kv_pool.value"
            from["pool_tokens"] = "memory.kv_cache_tokens.value"
            from["concurrency"] = "memory.max_concurrency.value"
            from["context"] = from["form.Context"] = "request.context"
            from["form.Prompt"] = "request.prompt"; from["form.Output"] = "request.output"
            from["form.Users"] = "request.users"
            from["gpus"] = from["form.GPUs"] = "layout.gpus"
            from["tp"] = from["form.TP"] = "layout.tp"; from["form.PP"] = "layout.pp"
            from["form.EP"] = "layout.ep"; from["form.Replicas"] = "layout.replicas"
            from["form.count"] = "request.gpu_count"
            from["hosts"] = "layout.hosts"
            from["form.Slots"] = "request.max_num_seqs"
            from["form.Batch"] = "request.max_batched_tokens"
            from["form.Utilization"] = "request.memory_utilization"
            from["form.Headroom"] = "request.headroom"
            split("on_demand spot market", rents, " ")
            for (i in rents) {
                from[rents[i] ".hour"] = "cost." rents[i] ".per_hour"
                from[rents[i] ".month"] = "cost." rents[i] ".per_month" }
            from["gpus"] = "layout.gpus"
            from["hour"] = "cost.per_hour.value"
            from["million"] = "cost.per_million_output_tokens.value"
            from["tokens"] = "speed.output_tokens_per_s.value"
            from["buy.hour"] = "cost.buy.per_hour.value"
            from["buy.month"] = "cost.buy.per_month.value"
        }
        NR == FNR { json[$1] = $2; next }
        # as typed: no layout, so nothing that it would come to
        json["memory"] == "null" && $1 ~ /form.(Slots|Batch|Utilization)/ { next }
        $1 == "verdict" { wanted = json["verdict.status"] }
        $1 == "share" || $1 == "spare" || $1 == "lacks" { gpu = "memory.per_gpu."
            if ((gpu "kv_pool.value") in json)
                lacks = json[gpu "kv_reserved.value"] - json[gpu "kv_pool.value"] + json[gpu "kv_pool_short.value"]
            else # only the weights are counted
                lacks = json[gpu "weights.value"] - json[gpu "budget.value"]
            free = json[gpu "usable.value"] - json["request.used.value"] - json[gpu "budget.value"]
            if (json["verdict.limit"] == "used" && -free > lacks)
                lacks = -free
            wanted = $1 == "lacks" ? lacks : $1 == "spare" ? -lacks : \
                (json[gpu "budget.value"] + lacks) / json[gpu "budget.value"] * 100 }
        # of all users at full length these are what is held
        $1 == "held" { wanted = json["memory.holds." json["request.reserve"] ".value"] }
        $1 == "end" { wanted = json[json["request.reserve"] == "full" ? "request.context" : "memory.holds.tokens"] }
        $1 ~ /^(TPOT|TTFT)_/ { name = $1; sub(/_.*/, "", name)
            wanted = json["speed." tolower(name) ".value"] * ($1 ~ /_ms$/ ? 1000 : 1) }
        $1 in from { wanted = from[$1] in json ? json[from[$1]] : "missing" }
        { n++
          dot = index($2, "."); digits = dot ? length($2) - dot : 0
          numeric = $1 != "verdict" && wanted != "missing" && wanted != "null"
          # half of the last digit shown; a hair more, for JSON has 12 digits
          away = numeric ? wanted - $2 : 0
          if (numeric ? away * away > (0.5000001 / 10 ^ digits) ^ 2 : wanted != $2) print $1 ": screen " $2 ", JSON " wanted }
        END { print n " compared" }' "$2" "$1"
}

# ---- walk -----------------------------------------------------------------------------

echo ":size 200 60" >"$work/walk"
for ((state = 1; state <= states; state++)); do
    keys $state
done >>"$work/walk"
screen "walk" --ascii <"$work/walk"
assert_eq "the script ran" 0 "$rc"

numbers=0 answered=0 unanswered=0 refused=0
for ((state = 1; state <= states; state++)); do
    file=$work/screen.$state
    command=$(command_of "$file")
    eval "set -- ${command#gpuplan }"
    "$gp" "$@" --format json >"$work/json" 2>"$work/err" </dev/null
    rc=$?
    if grep -q 'NO ANSWER' "$file"; then
        unanswered=$((unanswered + 1))
        assert_true "state $state has no answer: $command" [ "$rc" -ge 2 ]
        continue
    fi
    assert_true "state $state is answered: $command" [ "$rc" -le 1 ]
    answered=$((answered + 1))
    flat <"$work/json" >"$work/flat"
    shown "$file" >"$work/shown"
    compare "$work/shown" "$work/flat" >"$work/compared"
    n=$(sed -n 's/ compared$//p' "$work/compared")
    numbers=$((numbers + n))
    assert_eq "state $state: $command" "$n compared" "$(cat "$work/compared")"
    if grep -q '^memory null' "$work/flat"; then
        refused=$((refused + 1))
    else
        assert_true "state $state shows enough: $n" [ "$n" -ge 18 ]
    fi
done
echo "$numbers numbers of $answered answers; $unanswered states without one," \
    "$refused layouts refused"
assert_true "most states have an answer" [ $answered -ge 36 ]
assert_true "some have none" [ $unanswered -ge 1 ]
assert_true "most answers have memory" [ $refused -le 18 ]
assert_true "many numbers" [ $numbers -ge 900 ]

finish
