#!/bin/sh
# mpi.sh - make check-cluster: several ranks on this machine, with the stand-in engine,
# which measures nothing: under Open MPI's mpirun, under Slurm's srun where a Slurm is
# running, and in any case with the variables that srun sets. Each rank must write a file
# of its own and rank 0 must merge them all, and name a rank that is missing.

. "${srcdir:-.}/tests/cli/lib.sh"

engine=${STANDIN_ENGINE:-${top_builddir:-.}/tests/fixtures/standin_engine}
[ -x "$engine" ] || skip "no $engine"
mkdir "$work/libexec" "$work/run" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=$work/libexec
OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1
export GPUPLAN_LIBEXEC OMPI_ALLOW_RUN_AS_ROOT OMPI_ALLOW_RUN_AS_ROOT_CONFIRM
cd "$work/run" || exit 99
ranks=4

# merged FILE: all ranks are in it
merged() {
    assert_eq "$1: a file per rank" $ranks \
        "$(find . -name "${1%.json}.rank*.json" | wc -l | tr -d ' ')"
    "$gp" --compare-results "$1" --format json >merged.json || fail "$1 is not valid"
    assert_eq "$1: devices merged" $ranks "$(grep -c '"uuid"' merged.json)"
}

# ---- the variables of srun, one process after another --------------------------------

slurm() { # RANK ARGUMENT...
    rank=$1
    shift
    SLURM_PROCID=$rank SLURM_STEP_NUM_TASKS=$ranks SLURM_LOCALID=$rank SLURM_JOB_ID=17 \
        SLURM_STEP_ID=0 "$gp" --bench memory --preset quick --backend cpu \
        --progress none "$@" >slurm.out 2>&1
}

for rank in 3 2 1 0; do
    slurm $rank -o slurm.json
    assert_eq "SLURM_PROCID=$rank" 0 $?
done
merged slurm.json
assert_contains "the job's id" '"17.0"' "$(cat slurm.rank0.*.json)"
SLURM_PROCID=0 SLURM_NTASKS=3 "$gp" --bench memory --preset quick --backend cpu \
    --progress none -o alone.json >alone.out 2>&1
assert_eq "a single task" 0 $?
assert_eq "is no rank" 0 "$(find . -name 'alone.rank*' | wc -l | tr -d ' ')"

# ---- mpirun --------------------------------------------------------------------------

if command -v mpirun >/dev/null; then
    mpirun --oversubscribe -np $ranks "$gp" --bench memory --preset quick --backend cpu \
        --progress none -o run.json >mpi.out 2>&1
    assert_eq "mpirun" 0 $?
    merged run.json

    # rank 2 finds no engine: the others go on, and it is named
    cat >one.sh <<'S'
[ "$OMPI_COMM_WORLD_RANK" = 2 ] && exit 0
exec "$@"
S
    GPUPLAN_RANK_WAIT=3 mpirun --oversubscribe -np $ranks sh one.sh "$gp" --bench memory \
        --preset quick --backend cpu --progress none -o short.json >mpi.out 2>&1
    assert_contains "the missing rank" "rank 2 of $ranks wrote no result" "$(cat mpi.out)"
    assert_contains "in the file" missing_ranks "$(cat short.json)"
else
    echo "note: no mpirun here: not tried"
fi

# ---- srun ----------------------------------------------------------------------------

if command -v srun >/dev/null && timeout 10 srun -n 1 true 2>/dev/null; then
    srun --overcommit -n $ranks "$gp" --bench memory --preset quick --backend cpu \
        --progress none -o srun.json >srun.out 2>&1
    assert_eq "srun" 0 $?
    merged srun.json
else
    echo "note: no srun with a running Slurm here: not tried"
fi

finish
