#!/bin/sh
# report.sh - gpuplan --report: a page about a plan, whole and harmless.

. "${srcdir:-.}/tests/cli/lib.sh"
cd "$work" || exit 99
GPUPLAN_NOW=2026-11-21
export GPUPLAN_NOW

load="-m llama-3.1-8b -g l4 -u 4"

# ---- it says what --plan says ----
# shellcheck disable=SC2086 # words
run --plan $load --format csv
tpot=$(printf '%s\n' "$out" | sed -n 's/^TPOT,\([0-9.]*\),.*/\1/p')
assert_true "--plan has a TPOT" [ -n "$tpot" ]
# shellcheck disable=SC2086 # words
run --report page.html $load
assert_eq "exit code" 0 "$rc"
assert_eq "it prints nothing" "" "$out"
page=$(cat page.html)
for part in 'Llama 3.1 8B' 'FITS' 'Alternatives' 'Curves' 'Measured against predicted' \
    'Sources and dates' 'Memory of one GPU' '2026-11-21' "$tpot" 'Output tokens per second' 'Roofline' \
    'Matrix products, by tokens at once'; do
    assert_contains "it has $part" "$part" "$page"
done
# ---- the decision first: verdict, then the figures with their labels ----
hero=$(sed -n '/class="answer/,/class="key"/p' page.html | sed 's/<[^>]*>/ /g')
for part in FITS ' on 1 x NVIDIA L4' 'GPU' 'cost' '/h' 'per million output tokens' 'TPOT' \
    'TTFT' 'memory budget' 'to spare' 'requests held' 'weights'; do
    assert_contains "seen first: $part" "$part" "$hero"
done
assert_contains "alternatives have their layout" ">TP<" "$page"
assert_contains "the plan's own row stands out" '<tr class="own">' "$page"
assert_eq "nine curves" 9 "$(grep -c '</figure>' page.html)"
for part in '<script' 'http-equiv' '<link' '<img' '@import' 'url(http' 'src='; do
    assert_lacks "the page needs nothing else: $part" "$part" "$page"
done
if command -v xmllint >/dev/null 2>&1; then
    awk '/<svg/ { n++ } n == 1; /<\/svg>/ { if (n) exit }' page.html >picture.svg
    assert_true "a picture is XML" xmllint --noout picture.svg
fi

# ---- goals, break points, a plan that does not fit ----
run --report slow.html -m llama-3.1-8b -g l4:1 -u 1 --tpot 62 --ttft 2000
assert_contains "the goal's end in words" 'TPOT goal likely to' "$(cat slow.html)"
run --report no.html -m llama-3.1-70b -g l4:1
assert_eq "exit code of no fit" 1 "$rc"
assert_contains "no fit is said first" 'DOES NOT FIT' "$(cat no.html)"
assert_contains "with the ways out" 'Ways to change it' "$(cat no.html)"

# ---- of training ----
run --report train.html --train qlora -m llama-3.1-8b -g rtx-4090
assert_eq "exit code of training" 0 "$rc"
assert_contains "training is named" 'Fine-tuning Llama 3.1 8B' "$(cat train.html)"
assert_contains "its parts" 'adapters' "$(cat train.html)"

# ---- of a pool ----
run --report pool.html mixed-sizes
assert_eq "exit code of a pool" 0 "$rc"
assert_contains "its ladder" 'Ways to own' "$(cat pool.html)"
assert_contains "its what-ifs" 'What if' "$(cat pool.html)"
assert_contains "a picture" "<svg" "$(cat pool.html)"
assert_contains "its hours" 'GPUs in use by the hour' "$(cat pool.html)"
assert_contains "its command" 'gpuplan --pool mixed-sizes' "$(cat pool.html)"

run --report week.html azure-week
assert_contains "hours of a week have their day" "Wed " "$(cat week.html)"
cat >short.cfg <<'END'
gpus = ( { gpu = "l4"; stock = 1; } );
workloads = ( { name = "chat"; model = "llama-3.1-8b"; precision = "fp8"; tpot_ms = 30;
    demand = { shape = "evening"; peak = 60.0; }; } );
END
run --report short.html short.cfg
assert_eq "exit code of a pool that is short" 1 "$rc"
assert_contains "which it says" 'class="answer bad' "$(cat short.html)"

# ---- what a server measured ----
cat >bench.json <<'END'
{"max_concurrency": 4, "request_rate": "inf", "completed": 64, "duration": 120.0,
 "total_input_tokens": 65536, "total_output_tokens": 16384,
 "mean_tpot_ms": 70.0, "mean_ttft_ms": 600.0}
END
run --report measured.html -m llama-3.1-8b -g l4 -u 4 --calibration bench.json
assert_eq "exit code with measurements" 0 "$rc"
measured=$(cat measured.html)
assert_contains "the row of the file" 'TPOT 4.0 1024 256 70.00 ' \
    "$(sed 's/<\/td>/ /g; s/<[^>]*>//g' measured.html)"
assert_contains "its error" 'Median error' "$measured"
for what in TPOT TTFT; do
    assert_contains "$what as a plot" "$what, measured and predicted, against users" "$measured"
done
assert_contains "how many lie in the band" '1 of 1 point within the predicted band' "$measured"
assert_lacks "a page without measurements has none of them" 'measured and predicted' "$page"

# ---- names from outside are never markup ----
mkdir -p own/models
evil='<script>alert(1)</script>&amp;|`x`'
printf 'name = "%s";\n' "$evil" >own/models/llama-3.1-8b.cfg
run --report evil.html -m llama-3.1-8b -g l4 --profiles own
assert_eq "exit code with a hostile name" 0 "$rc"
assert_lacks "no element of it" '<script' "$(cat evil.html)"
assert_contains "but its text" 'alert(1)' "$(cat evil.html)"
assert_contains "entities" '&lt;script&gt;alert(1)&lt;/script&gt;&amp;amp;' "$(cat evil.html)"

# ---- whole or not at all; words for what cannot be ----
run --report none/page.html -m llama-3.1-8b -g l4
assert_eq "a folder that is not there" 3 "$rc"
for suffix in pdf md svg; do
    run --report "page.$suffix" -m llama-3.1-8b -g l4
    assert_eq "a suffix that is none: $suffix" 2 "$rc"
    assert_contains "names the one that is" 'ends in .html' "$err"
done
run --report -m llama-3.1-8b
assert_eq "no file" 2 "$rc"
run --report page.html -m llama-3.1-8b -o other.html
assert_eq "two files" 2 "$rc"

# ---- in a browser, where there is one ----
browser=$(command -v chromium || command -v chromium-browser || true)
if [ -z "$browser" ]; then
    echo "not looked at in a browser: no chromium here"
else
    dom=$(timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
        --user-data-dir="$work/browser" --window-size=390,2000 \
        --dump-dom "file://$work/page.html" 2>/dev/null)
    if [ -z "$dom" ]; then
        echo "not looked at in a browser: it does not start here"
    else
        assert_contains "a browser reads the page" '<figure>' "$dom"
        assert_contains "to its end" 'The same answer' "$dom"
        # nothing is wider than the window: a copy with a script says by how much
        for wide in 390 1280; do
            sed 's,</body>,<script>document.title = "over:" + \
(document.documentElement.scrollWidth - document.documentElement.clientWidth)\
</script></body>,' page.html >wide.html
            dom=$(timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
                --user-data-dir="$work/browser" --window-size=$wide,2000 \
                --dump-dom "file://$work/wide.html" 2>/dev/null)
            over=$(printf '%s\n' "$dom" | sed -n 's/.*<title>over:\([0-9]*\).*/\1/p')
            assert_eq "pixels over the edge of a window of $wide" 0 "$over"
        done
        timeout 60 "$browser" --headless --no-sandbox --disable-gpu \
            --user-data-dir="$work/browser" --print-to-pdf="$work/page.pdf" \
            "file://$work/page.html" 2>/dev/null
        assert_eq "it prints" '%PDF' "$(head -c 4 page.pdf)"
    fi
fi
finish
