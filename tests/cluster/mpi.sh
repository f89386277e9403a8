#!/bin/sh
# mpi.sh - make check-cluster: several ranks under Open MPI's mpirun on this machine,
# with the stand-in engine, which measures nothing. Each rank must write a file of its
# own and rank 0 must merge them all, and name a rank that is missing.

. "${srcdir:-.}/tests/cli/lib.sh"

command -v mpirun >/dev/null || skip "no mpirun here"
engine=${STANDIN_ENGINE:-${top_builddir:-.}/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
mkdir "$work/libexec" "$work/run" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=$work/libexec
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export GPUPLAN_LIBEXEC OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
cd "$work/run" || exit 99
ranks=4

mpirun --oversubscribe -np $ranks "$gp" --bench memory --preset quick --backend cpu \
    --progress none -o run.json >mpi.out 2>&1
assert_eq "mpirun" 0 $?
assert_eq "a file per rank" $ranks "$(find . -name 'run.rank*.json' | wc -l | tr -d ' ')"
"$gp" --merge run.json --format json >merged.json || fail "the merged file is not valid"
assert_eq "devices merged" $ranks "$(grep -c '"uuid"' merged.json)"

# rank 2 finds no engine: the others go on, and it is named
cat >one.sh <<'S'
[ "$OMPI_COMM_WORLD_RANK" = 2 ] && exit 0
exec "$@"
S
GPUPLAN_RANK_WAIT=3 mpirun --oversubscribe -np $ranks sh one.sh "$gp" --bench memory \
    --preset quick --backend cpu --progress none -o short.json >mpi.out 2>&1
assert_contains "the missing rank" "rank 2 of $ranks left no result" "$(cat mpi.out)"
assert_contains "in the file" missing_ranks "$(cat short.json)"

finish
