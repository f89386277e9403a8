#!/bin/bash
# version.sh - --version: the version alone on its first line, then licence, catalogue
# and engines; an engine that says nothing or too much costs neither time nor sense.
. "${srcdir:-.}/tests/cli/lib.sh"

run --version
assert_eq "exit code" 0 "$rc"
assert_true "name and version stand alone" grep -Eqx 'gpuplan [0-9.]+' "$work/out"
assert_eq "on the first line" 1 "$(grep -nEx 'gpuplan [0-9.]+' "$work/out" | cut -d : -f 1)"
assert_contains "licence" "License MIT" "$out"
assert_true "catalogue" grep -Eq '/profiles, data of 20[0-9-]{8}, prices up to 20' "$work/out"
assert_eq "nothing on standard error" "" "$err"
first=$(head -n 1 "$work/out")
whole=$out

for also in -V version; do
    run $also
    assert_eq "$also is the same" "$whole" "$out"
done
for short in "--version -q" "-V --quiet" "--plan -q --version"; do
    # shellcheck disable=SC2086 # words
    run $short
    assert_eq "$short" "$first" "$out"
done

mkdir "$work/engines"
GPUPLAN_LIBEXEC=$work/engines
export GPUPLAN_LIBEXEC
run --version
assert_contains "no engine" "cpu  engine  not installed" "$out"
assert_contains "nor this" "cuda engine  not installed" "$out"

cat >"$work/engines/gpuplan-bench-cpu" <<'END'
#!/bin/sh
[ "$*" = --version ] && echo "gpuplan-bench-cpu 9.9 (a library 1.2)"
END
cat >"$work/engines/gpuplan-bench-cuda" <<'END'
#!/bin/sh
: >"$0.asked"
sleep 100
END
chmod +x "$work"/engines/*
SECONDS=0
run --version
assert_eq "exit code" 0 "$rc"
assert_contains "an engine" "cpu  engine  $work/engines/gpuplan-bench-cpu 9.9 (a library 1.2)" \
    "$out"
assert_contains "one that hangs" "gpuplan-bench-cuda does not answer" "$out"
assert_true "is not waited for" [ "$SECONDS" -lt 30 ]
assert_true "asked" [ -e "$work/engines/gpuplan-bench-cuda.asked" ]
rm -f "$work/engines/gpuplan-bench-cuda.asked"
run --version -q
assert_true "nor asked when nobody wants to know" [ ! -e "$work/engines/gpuplan-bench-cuda.asked" ]

printf '#!/bin/sh\nexec yes\n' >"$work/engines/gpuplan-bench-cuda"
printf '#!/bin/sh\nexec head -c 100000 /dev/zero\n' >"$work/engines/gpuplan-bench-cpu"
run --version
assert_eq "exit code" 0 "$rc"
assert_contains "one that babbles" "gpuplan-bench-cuda does not answer" "$out"
assert_contains "another" "gpuplan-bench-cpu does not answer" "$out"

GPUPLAN_PROFILES=$work/none
export GPUPLAN_PROFILES
run --version
assert_eq "without profiles: exit code" 0 "$rc"
assert_contains "without profiles" "GPUPLAN_PROFILES: $work/none is not a folder" "$out"
finish
