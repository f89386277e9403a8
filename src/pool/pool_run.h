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
#include "pool/placement.h"
#include "pool/pool.h"
#include "pool/pool_case.h"
#include "pool/pool_highs.h"

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

struct pool_run {
    struct pool_case c;
    struct pool_answer answer;
    enum pool_rung_id rung;     /* whose hours are shown */
    struct placement placement; /* of it */
    bool *asleep;               /* [replica] it sleeps while others have its GPUs */
    double sleepers;            /* bytes of weights that sleep on one host, at most */
    struct pool_what_if what_ifs[POOL_WHAT_IFS];
    int what_if_count;
    int what_ifs_left;                     /* that the time did not suffice for */
    struct pool_case *others[POOL_OTHERS]; /* owned: the pool with another GPU alone;
                                              NULL or without candidates: not asked */
    int other_count, others_asked;         /* of them by the options; the others of itself */
    double seconds;                        /* of --solve-seconds; 0: a fixed amount of work */
    bool halted;                           /* by stop(), before that time or work was spent */
    struct pool_highs highs;               /* what another solver said of the chosen rung */
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
                               profile_warn_fn warn, void *ctx, struct pool_run *out,
                               struct gp_err *err);
/* Does the chosen rung leave demand unmet or jobs undone, as much as a table shows? */
bool pool_run_short(const struct pool_run *run);

/* The parts of it, for a screen: solves a case that is built; what-ifs; another rung. */
void pool_run_solve(struct pool_run *run, const struct pool_run_options *options);
void pool_run_what_ifs(struct pool_run *run, const struct pool_run_options *options);
void pool_run_choose(struct pool_run *run, int rung);
void pool_run_fini(struct pool_run *run);

/* The GPUs outside the pool that the what-ifs ask about: those of the options, else the card
 * and the module of its vendor that cost least per byte/s of memory, of those with prices, with
 * as much memory as the pool's smallest. Then the layouts on them, one more workload each step;
 * *more: there are others. */
enum gp_status pool_run_others_begin(struct planner *planner, struct pool_run *run,
                                     const struct pool_run_options *options, struct gp_err *err);
enum gp_status pool_run_others_step(struct planner *planner, struct pool_run *run, bool *more,
                                    struct gp_err *err);
void pool_run_others_fini(struct pool_run *run);

/* Time that runs for a solver; lives as long as the options that refer to it. */
struct pool_run_clock {
    double begun, seconds;
};
/* work: units, 0 for pool_work(); seconds: 0 = no limit, work alone decides. */
struct pool_options pool_run_solver(const struct pool_run_options *options, uint64_t work,
                                    double seconds, struct pool_run_clock *clock);

/* Did HiGHS say something? */
bool pool_highs_answered(const struct pool_highs *highs);

/* GPUs of a rung, all types. */
int pool_run_gpus(const struct pool_run *run, enum pool_rung_id rung);

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
