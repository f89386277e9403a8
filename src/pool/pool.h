/*
 * pool.h - a mix of models over a day on a stock of GPUs: what is asked and what is
 * answered. The solver behind it reads no file and knows no name: all are indices.
 *
 * Time is cut into slots of one hour, 24 or 168 of them, that come round again. Workload w needs
 * d[w,t] = demand x burst in hour t, in any unit of its own (requests/s, tokens/s). A candidate c
 * is one way to serve one workload: so many GPUs of one type, or one MIG slice, for a rate in the
 * same unit that already keeps the goals. The answer says how many replicas x[c,t] run in each
 * hour, and how many GPUs n[g] that takes:
 *
 *   sum of rate[c] x[c,t] + unmet[w,t] >= d[w,t]
 *   sum of gpus[c] x[c,t] + jobs + spare[g] <= n[g]       <= stock[g] + buy[g]
 *
 *   cost, in dollars over all hours =
 *       hours x what the n[g] cost to own                  purchase
 *     + run_hour x GPU-hours in use                        running
 *     + watts x PUE x electricity, idle and busy           energy
 *     + GPU time of starting replicas                      starting
 *     + penalty x unmet                                    penalty
 *
 * The same demand is answered five times, once for each rung of the ladder:
 *
 *   A  fixed     whole servers, each owned by one workload: the same replicas all day
 *   B  composed  the same with exactly the GPUs that it needs, composed once
 *   C  shared    whole servers that all workloads share, hour by hour
 *   D  hourly    single GPUs, composed again every hour
 *      cloud     GPUs by the hour, none owned
 *
 * Servers are whole (A, C) and a replica stays within one: in a server of 8 it takes 1, 2, 4 or 8
 * GPUs, or whole servers; pool_seat() rounds up. Composed GPUs (B, D) cost premium_hour more each
 * and run at composed_rate; modules stay in their servers there, owned by one workload (B) or
 * shared (D). A shortage is priced, so every pool has an answer.
 *
 * Worked: one type at $2 an hour, one workload that needs 3 GPUs for 12 hours and 1 for the other
 * 12, servers of 2. A and C: 4 GPUs x 24 h x $2 = $192; B and D: 3 GPUs, $144.
 */
#ifndef GP_POOL_POOL_H
#define GP_POOL_POOL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"

#define POOL_MOST_HOURS 168
#define POOL_MOST_TYPES 32
#define POOL_MOST_SLICES 8 /* MIG profiles of one GPU type */
#define POOL_MOST_CUTS 32  /* ways to cut one GPU into slices */
#define POOL_MOST_WAYS 64  /* candidates of one workload */
#define POOL_MOST_WORKLOADS 4096
#define POOL_MOST_JOBS 256
#define POOL_MOST_GPUS 1000000   /* of one type */
#define POOL_MOST_REPLICA 4096   /* GPUs of one replica */
#define POOL_MOST_REPLICAS 30000 /* of one candidate in one hour */

#define POOL_NO_SLICE (-1)

struct pool_type {
    int stock;           /* GPUs that are there */
    int buy;             /* GPUs that may be added */
    double stock_hour;   /* $ per hour of one in stock that is kept; at most buy_hour */
    double buy_hour;     /* $ per hour of one that is bought, used or not */
    double run_hour;     /* $ per hour in use, without energy */
    double cloud_hour;   /* $ per hour on demand, energy included; 0: not on offer */
    double premium_hour; /* $ per hour more, when it sits in a composable chassis */
    double busy_watts;   /* with its share of the host */
    double idle_watts;   /* at most busy_watts */
    int server_gpus;     /* GPUs of an ordinary server */
    bool module;         /* on a server's board: B and D have it in servers, as A and C */
    int spare;           /* GPUs kept free in every hour */
    int slices;          /* MIG profiles; 0: cannot be cut */
    int cuts;
    signed char cut[POOL_MOST_CUTS][POOL_MOST_SLICES]; /* slices of each profile */
};

struct pool_workload {
    const double *demand; /* [hours], mean of the hour */
    double burst;         /* need over mean, at least 1 */
    double penalty;       /* $ per unit unmet for an hour; 0: follows from priority */
    int priority;         /* 1 or more; 2 is worth twice the shortage of 1 */
    int minimum;          /* replicas that run in every hour */
    bool sleeps;          /* its engines wait in host memory while others have their GPUs */
    bool alone;           /* shares no GPU over the day: C serves it as A, D as B */
};

struct pool_candidate {
    int workload;
    int type;
    int slice;            /* profile of the type, or POOL_NO_SLICE */
    int gpus;             /* of one replica; 1 with a slice */
    double rate;          /* in a server or the cloud; 0: cannot run there */
    double composed_rate; /* on the fabric of a chassis; 0: cannot run there */
    double free_rate;     /* without goals; 0: as rate. Only for the account */
    double load_s;        /* weights to GPU memory */
};

/* Work that may fill valleys: workers of `gpus` GPUs, each worth that many GPU-hours in
 * an hour, in hours first..end-1. */
struct pool_job {
    int type;
    int gpus;         /* of one worker */
    int most;         /* workers at a time */
    double gpu_hours; /* work in all */
    int first, end;   /* end: the deadline; first < end <= hours */
    double penalty;   /* $ per GPU-hour not done; 0: as a workload of priority 1 */
};

/* What a start is made of. */
enum pool_change {
    POOL_WAKE,      /* weights are in host memory */
    POOL_LOAD,      /* weights from disk: used where a candidate has no load_s */
    POOL_RESTART,   /* the engine's own start, after the load */
    POOL_RECOMPOSE, /* GPUs move between hosts: D only */
    POOL_CHANGES
};

struct pool {
    int hours;
    int type_count, workload_count, candidate_count, job_count;
    const struct pool_type *types;
    const struct pool_workload *workloads;
    const struct pool_candidate *candidates; /* in the order of their workloads */
    const struct pool_job *jobs;
    double electricity;            /* $ per kWh */
    double pue;                    /* power of the site over that of the hosts, >= 1 */
    double watts;                  /* cap on the busy watts of all GPUs; 0: none */
    int chassis_slots;             /* cap on the GPUs of B and D together; 0: none */
    double change_s[POOL_CHANGES]; /* seconds */
};

enum pool_rung_id { POOL_FIXED, POOL_COMPOSED, POOL_SHARED, POOL_HOURLY, POOL_CLOUD, POOL_RUNGS };

/* Why a GPU-hour that is paid for serves nothing. */
enum pool_cause {
    POOL_STRANDED_SERVER,   /* servers are whole, and a replica stays within one */
    POOL_STRANDED_PEAKS,    /* needed at another hour */
    POOL_STRANDED_TYPE,     /* in stock, and of no use to this mix at any hour */
    POOL_STRANDED_SLICE,    /* left over of a GPU that is cut */
    POOL_STRANDED_REPLICA,  /* a whole replica serves more than is asked */
    POOL_STRANDED_HEADROOM, /* kept back for bursts and for the goals of latency */
    POOL_STRANDED_SPARE,
    POOL_STRANDED_START, /* replicas that start */
    POOL_CAUSES
};

struct pool_cost { /* $ over all hours */
    double purchase, running, energy, starting, penalty;
};

struct pool_rung {
    enum pool_rung_id id;
    int gpus[POOL_MOST_TYPES]; /* owned; cloud: most at a time */
    int *use;                  /* [hour x type_count + type] GPUs taken, jobs included */
    int *replicas;             /* [candidate x hours + hour] that run */
    int *workers;              /* [job x hours + hour] */
    double *unmet;             /* [workload x hours + hour] in the workload's unit */
    struct pool_cost cost;
    double total;                 /* sum of cost */
    double bound;                 /* no plan of this rung costs less */
    double gap;                   /* (total - bound) / total */
    double kwh;                   /* PUE included */
    double owned_hours;           /* GPU-hours */
    double used_hours;            /* GPU-hours taken by replicas and workers */
    double utilisation;           /* GPU-hours that serve the mean demand or jobs, over
                                     owned_hours */
    double unmet_share;           /* of all demand, each workload by its share: 0..1 */
    double jobs_undone;           /* GPU-hours */
    double stranded[POOL_CAUSES]; /* GPU-hours */
    int starts;                   /* replicas that start over all hours */
};

struct pool_answer {
    struct pool_rung rungs[POOL_RUNGS];
    int hours, type_count, candidate_count, workload_count, job_count;
    double coincidence;     /* peak of the sum over sum of the peaks, in GPU cost: 0..1 */
    double break_even_hour; /* $ per GPU-hour of premium at which D costs what C does;
                               negative: it does not pay at all */
    uint64_t work;          /* units that were spent */
    bool stopped;           /* by stop() or share(), before the work was done */
};

/* Told now and then; must be quick. */
typedef void pool_progress_fn(void *ctx, enum pool_rung_id rung, double total, double bound);
typedef bool pool_stop_fn(void *ctx);

/* Share of the time limit that is gone: 0 at first, 1 or more ends. The rungs divide it. */
typedef double pool_share_fn(void *ctx);

struct pool_options {
    uint64_t seed;
    uint64_t work;      /* units a rung may take, 15 million a second or so; 0: pool_work() */
    pool_stop_fn *stop; /* true: end with what there is; NULL: never */
    void *stop_ctx;
    pool_share_fn *share; /* NULL: work alone decides, and the answer repeats */
    void *share_ctx;
    pool_progress_fn *progress; /* NULL: none */
    void *progress_ctx;
};

/* Sizes, ranges and indices: where = "workload", "type", ..., its index in the text. */
enum gp_status pool_check(const struct pool *pool, struct gp_err *err);

/* All rungs of a pool that passed pool_check(). The same pool, seed and work give the
 * same answer, unless stop() or share() ends it. */
void pool_solve(const struct pool *pool, const struct pool_options *options,
                struct pool_answer *out);
void pool_answer_fini(struct pool_answer *answer);

/* One rung alone; the rest of the answer stays empty. */
void pool_solve_rung(const struct pool *pool, enum pool_rung_id id,
                     const struct pool_options *options, struct pool_answer *out);

/* Another plan of a rung, replicas[candidate x hours + hour], priced as any other and taken where
 * it is allowed and cheaper. */
void pool_adopt(const struct pool *pool, enum pool_rung_id id, int *replicas,
                struct pool_answer *answer);

/* The plan of a rung as it could be placed: replicas[candidate x hours + hour] on the GPUs
 * that it has; what is lacking then is unmet, and priced. */
void pool_settle(const struct pool *pool, enum pool_rung_id id, int *replicas,
                 struct pool_answer *answer);

/* May a rung of an answer have n more GPUs of a type? */
bool pool_may_grow(const struct pool *pool, enum pool_rung_id id, const struct pool_answer *answer,
                   int type, int n);

/* $ per GPU-hour of premium at which the plan of D costs what that of another rung does. */
double pool_break_even(const struct pool *pool, const struct pool_rung *other,
                       const struct pool_rung *hourly);

/* Units of work that a rung of this pool is given when nobody says: by its size. */
uint64_t pool_work(const struct pool *pool);

/* What a replica of `gpus` takes of servers of `server_gpus`, so that whatever runs
 * side by side always packs: 3 of 8 -> 4, 8 of 8 -> 8, 9 of 8 -> 16. */
int pool_seat(int gpus, int server_gpus);

/* $ per unit and hour unmet that a workload is priced at. */
double pool_penalty(const struct pool *pool, int workload);

/* Are GPUs of this type composed on that rung? */
bool pool_composes(const struct pool *pool, int type, enum pool_rung_id rung);

/* Seconds from nothing to serving for a replica of this candidate on that rung. */
double pool_start_s(const struct pool *pool, int candidate, enum pool_rung_id rung);

#endif
