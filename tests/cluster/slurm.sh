#!/bin/sh
# slurm.sh - make check-cluster: several ranks under a real Slurm, with the stand-in
# engine, which measures nothing, and once with the CPU engine, where there is one.
#
# The test brings up a Slurm of its own: one machine that poses as the nodes n1, n2 and
# n3, with its own key, sockets, ports and folders below $work, without root where the
# test is run without. It is skipped where Slurm or MUNGE is missing or does not start.
#
# What is looked for: who is a rank and who is not, a file per rank, what rank 0 merges
# and names when a rank is slow, killed or cancelled, and that a cancelled job goes on.

# shellcheck disable=SC2317 # functions that soon and a trap call
. "${srcdir:-.}/tests/cli/lib.sh"

engine=${STANDIN_ENGINE:-${top_builddir:-.}/tests/fixtures/standin_engine}
cpu_engine=${top_builddir:-.}/gpuplan-bench-cpu
PATH=$PATH:/usr/sbin:/sbin
for name in munged slurmctld slurmd srun sbatch scancel squeue scontrol; do
    command -v $name >/dev/null || skip "no $name here"
done
have_json || skip "neither jq nor python3: the results cannot be re-read"
[ -x "$engine" ] || skip "no $engine"
[ ${#work} -le 60 ] || skip "$work is too long a name for the sockets"
for name in $(env | sed -n 's/^\(\(SLURM\|SLURMD\|SRUN\|SBATCH\|SALLOC\|SCANCEL\|SQUEUE\|PMI\|PMIX\|OMPI\|MPI\|GPUPLAN\)_[A-Za-z0-9_]*\)=.*/\1/p'); do
    unset "$name"
done
mkdir "$work/libexec" "$work/real" "$work/run" "$work/slurm" || exit 99
cp "$engine" "$work/libexec/gpuplan-bench-cpu" || exit 99
[ ! -x "$cpu_engine" ] || cp "$cpu_engine" "$work/real/gpuplan-bench-cpu" || exit 99
GPUPLAN_LIBEXEC=$work/libexec
export GPUPLAN_LIBEXEC
ranks=3

# ---- a Slurm of our own ---------------------------------------------------------------

slurm=$work/slurm
SLURM_CONF=$slurm/slurm.conf
export SLURM_CONF
munged='' daemons=''

# soon SECONDS COMMAND...: until it succeeds
soon() {
    until=$(($(date +%s) + $1))
    shift
    while ! "$@"; do
        [ "$(date +%s)" -lt $until ] || return 1
        sleep 0.2
    done
}

no_jobs() {
    [ -z "$(timeout 5 squeue -h 2>/dev/null)" ]
}

ended() {
    for pid in $daemons; do
        ! kill -0 "$pid" 2>/dev/null || return 1
    done
}

halt() {
    # shellcheck disable=SC2086 # a list
    [ -z "$daemons" ] || kill $daemons 2>/dev/null
    # shellcheck disable=SC2086
    soon 5 ended || kill -KILL $daemons 2>/dev/null
    daemons=''
}

all_up() {
    for pid in $daemons; do
        kill -0 "$pid" 2>/dev/null || return 1
    done
    [ -n "$daemons" ]
}

bring_down() {
    if all_up; then
        timeout 10 scancel --state=PENDING,RUNNING --user="$(id -un)" 2>/dev/null
        soon 8 no_jobs
    fi
    halt
    daemons=$munged
    halt
    rm -rf "$work"
}
trap bring_down EXIT

# why FILE: the last thing in it that is an error
why() {
    grep -i -E 'error|fatal' "$1" 2>/dev/null | tail -n 1 | cut -c 1-160
}

write_conf() { # PORT
    host=$(uname -n)
    host=${host%%.*}
    user=$(id -un)
    cat >"$SLURM_CONF" <<C
ClusterName=gpuplan
SlurmctldHost=$host(127.0.0.1)
SlurmctldPort=$1
SlurmUser=$user
SlurmdUser=$user
AuthType=auth/munge
AuthInfo=socket=$slurm/munge.socket
MpiDefault=none
ProctrackType=proctrack/linuxproc
SelectType=select/cons_tres
SelectTypeParameters=CR_CPU
SlurmdParameters=config_overrides
ReturnToService=2
KillWait=5
StateSaveLocation=$slurm/state
SlurmdSpoolDir=$slurm/spool.%n
SlurmctldPidFile=$slurm/slurmctld.pid
SlurmdPidFile=$slurm/slurmd.%n.pid
SlurmctldLogFile=$slurm/slurmctld.log
SlurmdLogFile=$slurm/slurmd.%n.log
NodeName=n[1-3] NodeHostname=$host NodeAddr=127.0.0.1 Port=[$(($1 + 1))-$(($1 + 3))] CPUs=4
PartitionName=all Nodes=n[1-3] Default=YES MaxTime=5 State=UP OverSubscribe=FORCE:4
C
}

start_munge() {
    (umask 077 && dd if=/dev/urandom of="$slurm/key" bs=128 count=1 2>/dev/null)
    munged --foreground --force --socket="$slurm/munge.socket" --key-file="$slurm/key" \
        --log-file="$slurm/munge.log" --pid-file="$slurm/munge.pid" \
        --seed-file="$slurm/munge.seed" >"$slurm/munge.out" 2>&1 &
    munged=$!
    soon 5 test -S "$slurm/munge.socket" ||
        skip "munged does not start: $(why "$slurm/munge.out")"
}

all_idle() {
    all_up || return 0 # seen below
    [ "$(timeout 2 sinfo -h -N -t idle -o %N 2>/dev/null | wc -l)" -eq 3 ]
}

start_slurm() { # PORT
    write_conf "$1"
    rm -rf "$slurm/state" "$slurm"/spool.* "$slurm"/slurm*.log
    mkdir "$slurm/state"
    slurmctld -D >"$slurm/slurmctld.out" 2>&1 &
    daemons="$!"
    for n in n1 n2 n3; do
        mkdir "$slurm/spool.$n"
        slurmd -D -N $n >"$slurm/slurmd.$n.out" 2>&1 &
        daemons="$daemons $!"
    done
    soon 15 all_idle && all_up
}

start_munge
port=$((20000 + $$ % 2500 * 4))
start_slurm $port || {
    halt
    start_slurm $((port > 25000 ? port - 4000 : port + 4000)) # somebody had the ports
} || {
    reason=$(why "$slurm/slurmctld.log")
    skip "Slurm does not start: ${reason:-$(why "$slurm/slurmd.n1.log")}"
}
timeout 20 srun -N3 -n3 true >"$work/err" 2>&1 ||
    skip "Slurm runs nothing: $(head -n 1 "$work/err")"

# ---- what is asked --------------------------------------------------------------------

cd "$work/run" || exit 99
cat >bench.sh <<S
exec "$gp" --bench "\$@" --backend cpu --progress none
S

# step ARGUMENT...: srun's, on all nodes
step() {
    last="srun $*"
    timeout 40 srun -N3 -n$ranks "$@" >srun.out 2>"$work/err"
    rc=$?
    heard
}

# What is said of the stand-in is true, and said by every rank.
heard() {
    err=$(grep -v "NOT a cpu engine" "$work/err")
}

# field FILE PATH: a value of a result
field() {
    cp "$1" "$work/out" 2>/dev/null || {
        echo "no $1"
        return
    }
    json "$2"
}

# ranks_of STEM: its files
ranks_of() {
    find . -name "$1.rank*.json" | wc -l | tr -d ' '
}

# merged FILE STATUS: a file per rank, and all of them in FILE
merged() {
    assert_eq "$1: a file per rank" $ranks "$(ranks_of "${1%.json}")"
    for rank in 0 1 2; do
        for file in "${1%.json}.rank$rank".*.json; do
            assert_eq "$file: its rank" $rank "$(field "$file" launch.rank)"
            assert_eq "$file: status" "$2" "$(field "$file" status)"
        done
    done
    assert_eq "$1: devices merged" $ranks "$(field "$1" devices.#)"
    assert_eq "$1: ranks missing" 0 "$(field "$1" missing_ranks.#)"
    assert_eq "$1: status" "$2" "$(field "$1" status)"
    assert_true "$1 is valid" "$gp" --compare-results "$1" --format json >/dev/null
}

# in_background NAME ARGUMENT...: the same as step; it is $step
in_background() {
    job_name=$1
    shift
    last="srun $*"
    srun -J "$job_name" -N3 -n$ranks "$@" >srun.out 2>"$work/err" &
    step=$!
}

# at_work STEM: each rank has its journal, with a point or more
at_work() {
    for rank in 0 1 2; do
        [ "$(cat "$1.rank$rank".*.json.part 2>/dev/null | wc -l)" -gt 2 ] || return 1
    done
}

all_open() {
    [ "$(find . -name "$1.rank*.json.part" | wc -l)" -eq "$ranks" ]
}

await() {
    wait $step
    rc=$?
    heard
}

# ---- three nodes ----------------------------------------------------------------------

step sh bench.sh memory --preset quick -o run.json
assert_eq "srun" 0 "$rc"
merged run.json complete
assert_eq "stragglers among equals" 0 "$(field run.json stragglers.#)"
for file in run.rank*.json; do
    assert_eq "$file: its device" STANDIN-0 "$(field "$file" devices.0.uuid)"
done

# ranks of one node have a device each, also when ranks do not count node by node
device_of() { # RANK
    for file in "local.rank$1".*.json; do
        field "$file" devices.0.uuid
    done
}
for mpi in none pmi2; do
    timeout 20 srun --mpi=$mpi -N1 -n1 true 2>/dev/null || continue
    rm -f local.*
    timeout 40 srun --mpi=$mpi -N2 -n4 --ntasks-per-node=2 --distribution=cyclic \
        sh bench.sh memory --preset quick -o local.json >srun.out 2>"$work/err"
    assert_eq "--mpi=$mpi: devices" "STANDIN-0 STANDIN-0 STANDIN-1 STANDIN-1" \
        "$(device_of 0) $(device_of 1) $(device_of 2) $(device_of 3)"
done

# two jobs that are told no name, at the same time
timeout 40 srun -N3 -n3 sh bench.sh memory --preset quick >srun.1 2>&1 &
step=$!
step sh bench.sh memory --preset quick
assert_eq "two jobs" 0 "$rc"
wait $step
assert_eq "two jobs" 0 $?
assert_eq "names of their own" 8 \
    "$(find . -name 'gpuplan-bench-*.json' | wc -l | tr -d ' ')"

# a view is of all ranks, not of the one that was last
step sh bench.sh memory --preset quick -f csv -o view.csv
assert_eq "lines of the view" 10 "$(wc -l <view.csv | tr -d ' ')"

# ---- who is no rank -------------------------------------------------------------------

# a batch script has the number of tasks of the job, but it is no task
cat >job.sh <<S
#!/bin/sh
GPUPLAN_RANK_WAIT=1 sh bench.sh memory --preset quick -o batch.json
S
timeout 40 sbatch -W -N3 -n3 -o batch.out job.sh >/dev/null 2>"$work/err"
assert_eq "a batch script" 0 $?
assert_eq "is no rank" 0 "$(ranks_of batch)"
assert_eq "has all devices" 2 "$(field batch.json devices.#)"

timeout 40 srun -N1 -n1 sh bench.sh memory --preset quick -o alone.json >srun.out 2>&1
assert_eq "a single task" 0 $?
assert_eq "is no rank" 0 "$(ranks_of alone)"

# ---- a slow rank ----------------------------------------------------------------------

mkdir "$work/slow"
cat >"$work/slow/gpuplan-bench-cpu" <<S
#!/bin/sh
# 5 % slower in every time and rate: figures that contradict each other are refused
"$work/libexec/gpuplan-bench-cpu" "\$@" | sed -u -e 's/0\.001999/0.00209895/g' \\
    -e 's/0\.002001/0.00210105/g' -e 's/0\.002,/0.0021,/g' \\
    -e 's/"bytes_per_s":67108864000/"bytes_per_s":63913203809.52381/' \\
    -e 's/"bytes_per_s":134217728000/"bytes_per_s":127826407619.04762/'
S
chmod +x "$work/slow/gpuplan-bench-cpu"
cat >slow.sh <<S
[ \$SLURM_PROCID != 1 ] || export GPUPLAN_LIBEXEC=$work/slow
. ./bench.sh
S
step sh slow.sh memory --preset quick -o slow.json
merged slow.json complete
assert_eq "stragglers" 3 "$(field slow.json stragglers.#)"
assert_eq "which one" 1 "$(field slow.json stragglers.0.device)"
assert_contains "it is said" "straggler: " "$err$(cat srun.out)"

# ---- a rank that is killed ------------------------------------------------------------

# Lasts long enough to be met at work, not longer: 138 points of 50 ms.
GPUPLAN_STANDIN=slow GPUPLAN_RANK_WAIT=3
export GPUPLAN_STANDIN GPUPLAN_RANK_WAIT
cat >pid.sh <<'S'
echo $$ >pid.$SLURM_PROCID
. ./bench.sh
S
in_background killed sh pid.sh gemm,batch --preset quick -o killed.json
soon 10 at_work killed || fail "ranks do not begin"
kill -KILL "$(cat pid.2)"
await
assert_eq "srun says so" 137 "$rc"
assert_eq "the others go on" 2 "$(ranks_of killed)"
assert_eq "and are merged" 2 "$(field killed.json devices.#)"
assert_eq "status" failed "$(field killed.json status)"
assert_eq "ranks missing" 1 "$(field killed.json missing_ranks.#)"
assert_eq "which one" 2 "$(field killed.json missing_ranks.0)"
assert_contains "it is said" "rank 2 of 3 wrote no result" "$err"

# ---- a job that is cancelled, and goes on ---------------------------------------------

unset GPUPLAN_RANK_WAIT
for stem in c1 c2 c3; do
    in_background $stem sh bench.sh gemm,batch --preset quick -o $stem.json
    soon 10 at_work $stem || fail "ranks do not begin"
    timeout 5 scancel -n $stem
    await
    assert_eq "$stem: scancel" 143 "$rc"
    merged $stem.json interrupted
    assert_lacks "$stem: no rank is missed" "wrote no result" "$err"
done

unset GPUPLAN_STANDIN
cat >resume.sh <<'S'
set -- "$@" --resume "$(echo c3.rank$SLURM_PROCID.*.json.part)"
. ./bench.sh
S
step sh resume.sh gemm,batch --preset quick
assert_eq "--resume" 0 "$rc"
merged c3.json complete

# Files of a job that was queued again are its own, but of another life.
cat >again.sh <<'S'
GPUPLAN_STANDIN_NAME=first sh bench.sh memory --preset quick -o again.json
SLURM_RESTART_COUNT=1 GPUPLAN_STANDIN_NAME=second
export SLURM_RESTART_COUNT GPUPLAN_STANDIN_NAME
[ $SLURM_PROCID = 0 ] || sleep 2
. ./bench.sh
S
step sh again.sh memory --preset quick -o again.json
for n in 0 1 2; do
    assert_eq "again: device $n" second "$(field again.json devices.$n.name)"
done

# ---- a time limit ---------------------------------------------------------------------

# Slurm tells every process of a step, engines too, and at a time limit twice. A limit
# of Slurm's is a minute at least, so this is what happens then.
if [ -x "$work/real/gpuplan-bench-cpu" ]; then
    GPUPLAN_LIBEXEC=$work/real OMP_NUM_THREADS=1
    export OMP_NUM_THREADS
    in_background limit sh bench.sh gemm -t bf16 --max-memory 200M \
        --shapes 512:512:512,4096:4096:4096 --preset thorough -o limit.json
    soon 15 all_open limit || fail "ranks do not begin"
    sleep 3
    job=$(timeout 5 squeue -h -n limit -o %i)
    timeout 5 scancel -s TERM "$job.0" 2>/dev/null &
    timeout 5 scancel -s TERM "$job.0" 2>/dev/null
    await
    assert_eq "a time limit" 143 "$rc"
    merged limit.json interrupted
    assert_lacks "no engine is lost" "ended with exit code" "$err"
else
    echo "note: no $cpu_engine: its end at a time limit not tried"
fi

finish
