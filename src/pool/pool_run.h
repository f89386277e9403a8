/*
 * pool_run.h - a pool solved: the ladder, which rung is the cheapest, where its replicas
 * run, and what happens to it if.
 *
 * What-ifs of a fleet keep the GPUs of that rung and buy none: what they cannot serve is
 * unmet. The others are bought for: they say what it would then cost.
 */
#ifndef GP_POOL_POOL_RUN_H
#define GP_POOL_POOL_RUN_H

#include "answer/planner.h"
#include "pool/grid.h"
#include "pool/pool_case.h"

/* ---- placement.c: which GPU serves what in each hour: the counts of a rung put into servers or
 * chassis.
 *
 * GPUs are interchangeable to the solver; here they get a place. A replica stays within one host (a
 * server, or one of a chassis with the GPUs that are plugged to it), or takes whole ones. Workloads
 * that share no host, and all of A, have theirs from the beginning. What ran in the hour before and
 * still does keeps its GPUs; what starts goes where the least room is left over, side by side where
 * it can; where no host has room left, all are packed anew, the largest first, and what has other
 * GPUs then moves. Hour 0 follows the last hour.
 *
 * Where a replica finds no host with room, smaller ones of its workload take its place as
 * far as they can: ran[] says what then runs. Engines that sleep in host memory wake on the
 * GPUs that they had at another hour of the day.
 *
 *   moves[t] = replicas of t that were not on the same GPUs in t - 1
 *
 * Example: a server of 4 holds a, a, b, free; b wants 2 more: a of another server is not
 * touched, the free GPU and one of a new server cannot hold it, so b goes to the new one.
 */

#define PLACEMENT_MOST 20000000 /* GPUs x hours that are placed */

enum { PLACEMENT_FREE = 0 };

struct placement_chassis {
    int type;        /* of its GPUs; -1 = of several, by placement.type */
    int first, gpus; /* its GPUs are first .. first + gpus - 1 */
    int listed;      /* place in the caller's list; -1 = a server, which is its host */
    int first_host, hosts, per_host; /* GPUs that one holds */
};

/* Chassis that the caller has; servers need none. */
struct chassis_size {
    int slots, hosts, per_host;
};

struct placement {
    struct arrays arrays; /* the following */
    int hours, gpus, chassis_count;
    struct placement_chassis *chassis; /* servers, too */
    int *type;                         /* [gpu] */
    int *chassis_of;                   /* [gpu] */
    int *who;         /* [hour x gpus + gpu] candidate + 1; -(job + 1); PLACEMENT_FREE */
    int *unit;        /* likewise, which replica: its own number */
    int *host;        /* likewise, of its chassis: 1 and up; 0 = free */
    signed char *cut; /* likewise, the way it is cut; -1 = it is whole */
    bool *stays;      /* likewise: as it was in the hour before */
    int *moves;       /* [hour] */
    int units;        /* numbers of replicas: below this */
    bool whole;       /* false: too large, or some replica found no chassis that holds it */
    int unplaced;     /* replica-hours that found none, or smaller ones instead */
    int *ran;         /* [candidate x hours + hour] replicas that have a place */
    int lacking, lacking_type; /* GPUs of the largest that found none, and their type */
};

/* chassis: of B and D; NULL or none: a single one of any size. */
void placement_rung(const struct pool *pool, const struct pool_rung *rung,
                    const struct chassis_size *chassis, int chassis_count, struct placement *out);
void placement_fini(struct placement *placement);

/* Place of an hour and GPU in who, unit, ... */
static inline size_t placement_cell(const struct placement *placement, int hour, int gpu)
{
    return (size_t)hour * (size_t)placement->gpus + (size_t)gpu;
}

/* Was this GPU's replica on it at another hour, too? It may have slept until now. */
bool placement_returns(const struct placement *placement, int hour, int gpu);

/* Did this GPU's replica start, or move here, in that hour? */
bool placement_starts(const struct placement *placement, int hour, int gpu);

/* ---- the whole ---- */

#define POOL_WHAT_IFS 24
#define POOL_OTHERS POOL_WHAT_IFS /* GPUs outside the pool that are asked about */

struct pool_what_if {
    char name[96];
    enum pool_rung_id rung;
    bool fleet;         /* of the GPUs there are; else new ones are bought */
    bool another;       /* all GPUs are of one type, */
    double each_hour;   /* ... $ for each hour that one is owned, or rented, */
    char price_of[64];  /* ... and that price's date or source */
    int gpus;           /* that work then */
    double paid;        /* $ over all hours, for lost GPUs too, without the price of what
                            is unmet */
    double bound;       /* of the whole cost; 0 = of a fleet, which mostly lacks GPUs */
    double unmet;       /* share of all demand */
    double jobs_undone; /* GPU-hours */
};

/* ---- pool_replay.c: what the requests of a workload meet, by the engine's scheduler replayed
 *
 * Of the chosen rung, in the hour in which what runs has most to do: the replicas of the layout
 * that serves most of it, behind one router, at their share of the busiest minute (mean x burst)
 * for as long as 2,000 requests take.
 *
 *   holds = requests/s up to which the goals are kept, as --replay takes them / that rate
 *
 * The hours that have more to do than that miss them. Replicas start as an hour begins and serve
 * start_s later: of the hours in which some do, that with most to do for those that ran before is
 * replayed with these alone.
 */

#define POOL_REPLAYS 32 /* workloads that are replayed */

enum { POOL_P50, POOL_P95, POOL_P99, POOL_POINTS };

struct pool_percentiles { /* s; not known: no speed, no scheduler, or nothing runs */
    struct quantity ttft[POOL_POINTS], tpot[POOL_POINTS];
};

struct pool_replay {
    int workload, candidate;
    int hour, replicas; /* of the candidate */
    double rate;        /* requests/s that these take */
    struct pool_percentiles at;
    double holds;                     /* times the rate; 0: not known, or no goal */
    int first_missed, hours_missed;   /* hours that have more to do */
    char missed[96];                  /* the goal that is missed in this hour; "" */
    int start_hour, started, before;  /* started 0: none ever does */
    double start_s;                   /* the longest of them */
    struct pool_percentiles starting; /* of those before, until then */
    char unknown[160];                /* why nothing is known; "" */
};

struct pool_run {
    const char *data_date; /* of the catalogue */
    struct pool_case c;
    struct pool_answer answer;
    enum pool_rung_id rung;     /* whose hours are shown */
    struct placement placement; /* of it */
    bool *asleep;               /* [replica] it sleeps while others have its GPUs */
    double suspended;           /* bytes of weights that sleep on one host, at most */
    struct pool_what_if what_ifs[POOL_WHAT_IFS];
    int what_if_count;
    struct pool_replay *replays;           /* owned; by workload */
    int replay_count, replayed;            /* replayed: workloads, those without any, too */
    int what_ifs_left;                     /* that the time did not suffice for */
    struct pool_case *others[POOL_OTHERS]; /* owned: the pool with another GPU alone;
                                              NULL or without candidates: not asked */
    int other_count, others_asked;         /* of them by the options; the others of itself */
    bool halted;                           /* by stop(), before that time or work was spent */
};

/* Options of a run, as the command line gives them. name: file or id. */
struct pool_run_options {
    const char *name;
    uint64_t seed;
    double seconds;          /* for all rungs; 0: pool_work() each */
    int rung;                /* enum pool_rung_id; POOL_RUNGS: the cheapest that is owned */
    const char *const *gpus; /* what if all GPUs were of this type */
    int gpu_count;
    bool no_what_ifs;   /* they are not asked */
    pool_stop_fn *stop; /* NULL: never */
    void *stop_ctx;
    pool_progress_fn *progress;
    void *progress_ctx;
};

/* Too large for a stack. */
struct pool_run *pool_run_new(void);
void pool_run_delete(struct pool_run *run);

enum gp_status pool_run(struct planner *planner, const struct pool_run_options *options,
                        profile_warn_fn warn, void *ctx, struct pool_run *out, struct gp_err *err);
/* What follows pool_case_load() into out->c: solved, and asked what if unless it was stopped.
 * On failure *out is empty. */
enum gp_status pool_run_answer(struct planner *planner, const struct pool_run_options *options,
                               struct pool_run *out, struct gp_err *err);
#define POOL_UNMET_LEAST 5e-4 /* share of all demand: what a table prints as 0.0 % */
#define POOL_UNDONE_LEAST 0.5 /* GPU-hours of jobs: likewise */
/* Does a rung leave demand unmet or jobs undone, as much as a table shows? Its cost holds their
 * price then, and compares nothing. */
bool pool_run_short(const struct pool_run *run, enum pool_rung_id id);

/* The parts of it, for a screen: solves a case that is built; what-ifs; another rung. */
void pool_run_solve(struct pool_run *run, const struct pool_run_options *options);
void pool_run_what_ifs(struct pool_run *run, const struct pool_run_options *options);
void pool_run_choose(struct pool_run *run, int rung);

/* The next workload's, of the first POOL_REPLAYS; false: none is left. And the one whose goals
 * break first when demand grows, NULL: none is known. */
bool pool_run_replay_step(struct planner *planner, struct pool_run *run);
const struct pool_replay *pool_run_first_to_break(const struct pool_run *run);

/* The GPUs outside the pool that the what-ifs ask about: those of the options, else the card
 * and the module of its vendor that cost least per byte/s of memory, of those with prices, with
 * as much memory as the pool's smallest. Then the layouts on them, one more workload each step;
 * *more: there are others. */
enum gp_status pool_run_others_begin(struct planner *planner, struct pool_run *run,
                                     const struct pool_run_options *options, struct gp_err *err);
enum gp_status pool_run_others_step(struct planner *planner, struct pool_run *run, bool *more,
                                    struct gp_err *err);

/* GPUs of a rung, all types. */
int pool_run_gpus(const struct pool_run *run, enum pool_rung_id rung);

/* How a candidate is used on the chosen rung, on the fabric of a chassis or in a server; and
 * requests/s of one replica of it there. */
const struct layout *pool_layout(const struct pool_run *run, int candidate);
double pool_replica_rate(const struct pool_run *run, int candidate);

/* Was the replica on this GPU asleep until that hour; seconds until one serves that was. */
bool pool_run_wakes(const struct pool_run *run, int hour, int gpu);
double pool_run_wake_s(const struct pool_run *run, int candidate);

/* The rung that costs least of those that own their GPUs. */
enum pool_rung_id pool_run_cheapest(const struct pool_run *run);

/* The words of --rung: "fixed", "composed", "shared", "hourly", "cloud". */
const char *pool_rung_word(enum pool_rung_id id);

/* Is a bound known that says something? */
bool pool_rung_bounded(const struct pool_rung *rung);

/* The hour in which the chosen rung uses most GPUs. */
int pool_run_busiest(const struct pool_run *run);

/* GPUs that a workload takes in an hour of a rung, MIG slices as their share of memory. */
double pool_run_taken(const struct pool_run *run, enum pool_rung_id rung, int workload, int hour);

/* Why a rung's bound is so far below its cost, in words; "" when the gap is under 1 %. */
void pool_run_gap(const struct pool_run *run, enum pool_rung_id id, char *text, size_t size);

/* Why a workload has no layout, in words; "" when it has one. */
void pool_run_refusal(const struct pool_run *run, int workload, char *text, size_t size);

/* Throughput that a PCIe fabric takes from the best layout of each workload in a server
 * of the same GPUs: 0..1, its mean over what can be compared, and the most; false: none. */
bool pool_run_penalty(const struct pool_run *run, int workload, double *share, int *gpus);

#endif
