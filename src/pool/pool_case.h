/*
 * pool_case.h - a pool file made ready to be solved (pool/pool.h).
 *
 * What a GPU costs for each hour it is owned, used or not:
 *
 *   buy_hour = price * (1 + host share) * (1 - residual) / (years * 8760)
 *            + kW at most * hosting * 12 / 8760
 *
 * price: the pool's, else the street price of the catalogue, else that at launch; the rest
 * of profiles/prices/ownership.cfg. One in stock costs the same: it could serve elsewhere.
 * On a fabric it costs premium * (1 - residual) / (years * 8760) more. In the cloud: the
 * pool's rent, else the least per GPU of the list prices of the catalogue.
 *
 * Watts, with the GPU's share of its host (cost_host_watts): busy, at its limit where the
 * pool does not say; idle, 0.12 of it and half of the host's.
 *
 * Example: an H100 SXM at $27,500 over 4 years with hosts of 0.35 of its price: $1.06.
 * ---- the layouts that serve a workload within its goals ----
 *
 * One replica of each (TP, PP, EP) on each type of GPU and on each MIG slice of those that
 * may be cut, in a server (the GPUs' own links) and on the fabric of a chassis (PCIe, as
 * many GPUs as one of its hosts can hold). Its throughput is the most requests/s, to 1 %,
 * at which --plan --rate says that it fits for sure and meets TTFT and TPOT, calibrated
 * where the workload names measurements; with goals of percentiles no more than keeps them when
 * it is replayed alone. What serves no request so is left out, and what
 * others serve as well with no more GPUs: a layout of 8 GPUs that is slower than two of 4.
 */
#ifndef GP_POOL_POOL_CASE_H
#define GP_POOL_POOL_CASE_H

#include "answer/planner.h"
#include "plan/cost.h"
#include "plan/layout.h"
#include "plan/reason.h"
#include "pool/pool.h"
#include "pool/pool_file.h"

#define POOL_WHOLE (-1)

struct pool_replica {
    int workload, type; /* places in the file's lists */
    int slice;          /* of the type's GPU; POOL_WHOLE */
    int gpus;           /* of one replica */
    char precision[FORMAT_ID_MAX];
    struct layout server, fabric; /* how they are used; gpus 0 = cannot run there */
    double rate, fabric_rate;     /* requests/s at most within the goals; 0 likewise */
    double free_rate;             /* without goals, in a server, else on a fabric */
    double watts;                 /* of each GPU at its rate */
    double weights;               /* bytes to load */
};

/* A workload that nothing serves, and what stands in the way where it comes nearest. */
struct pool_refusal {
    int workload, type; /* of the file; the first type it may use */
    enum limit limit;   /* LIMIT_NONE: it has no speed that is known */
};

struct pool_replicas {
    struct pool_replica *row; /* by workload, type, slice, GPUs */
    size_t count, cap;
    struct pool_refusal *refused;
    size_t refused_count, refused_cap;
    struct gpu type[POOL_FILE_TYPES];    /* as the catalogue has them, corrected by what is kept */
    char measured[POOL_FILE_TYPES][240]; /* what that is, in words; "" = nothing */
    struct market market;                /* of the catalogue; borrowed lists */
};

/* GPUs are looked up; then the workloads, one at a time and in order, so that a screen can
 * go on in slices. An error names the workload. After one, pool_replicas_fini(). */
enum gp_status pool_replicas_begin(struct planner *planner, const struct pool_file *file,
                                   struct pool_replicas *out, struct gp_err *err);
enum gp_status pool_replicas_find(struct planner *planner, const struct pool_file *file,
                                  size_t workload, struct pool_replicas *out, struct gp_err *err);
/* Requests/s up to which a plan of one replica keeps its goals of percentiles, by replays; 0 where
 * its scheduler is not known. */
double pool_rate_within(const struct plan *plan);
/* NULL: it is served, or was not looked for. */
const struct pool_refusal *pool_refusal_of(const struct pool_replicas *replicas, int workload);
/* The same of workload `to` of another list, or of this one. */
void pool_replicas_fini(struct pool_replicas *replicas);

/* Where a figure of a type is from. */
enum pool_figure { POOL_FIGURE_PRICE, POOL_FIGURE_RENT, POOL_FIGURE_WATTS, POOL_FIGURES };

struct pool_case {
    struct pool_file file;
    struct pool_replicas replicas;
    size_t done;      /* workloads whose candidates are known */
    struct pool pool; /* its lists are the following */
    struct pool_type types[POOL_FILE_TYPES];
    double capital[POOL_FILE_TYPES]; /* $ to buy one GPU, with its share of a server */
    enum origin watts_origin[POOL_FILE_TYPES];
    char figure_of[POOL_FILE_TYPES][POOL_FIGURES][64]; /* date or source, in words */
    int slice_of[POOL_FILE_TYPES][POOL_MOST_SLICES];   /* of the GPU, by slice of the pool */
    struct pool_workload *workloads;
    struct pool_candidate *candidates;
    int *replica_of; /* [candidate] row of replicas */
    struct pool_job *jobs;
};

enum gp_status pool_case_read(struct planner *planner, const char *name, profile_warn_fn warn,
                              void *ctx, struct pool_case *out, struct gp_err *err);
/* Finds the candidates of one more workload; *more: there are others. */
enum gp_status pool_case_step(struct planner *planner, struct pool_case *c, bool *more,
                              struct gp_err *err);
/* Takes those of the next workload from a case whose file is the same for it; false: it was
 * the last. */
bool pool_case_copy(const struct pool_case *from, struct pool_case *c);
/* All of them known: fills c->pool and checks it. */
enum gp_status pool_case_build(struct pool_case *c, struct gp_err *err);
/* The three after each other. On failure *out is empty. */
enum gp_status pool_case_load(struct planner *planner, const char *name, profile_warn_fn warn,
                              void *ctx, struct pool_case *out, struct gp_err *err);
void pool_case_fini(struct pool_case *c);

/* The options of --plan that a workload stands for on a type; texts are the file's. */
enum gp_status pool_case_options(const struct pool_case *c, int workload, int type,
                                 struct options *o, struct gp_err *err);
/* A GPU on the fabric of a chassis, without links of its own; and the most of one host. */
struct gpu pool_on_fabric(const struct pool_file *file, const struct gpu *gpu);
int pool_host_gpus(const struct pool_file *file, int type, bool fabric);
/* Of one on the heap; NULL: nothing. */
void pool_case_free(struct pool_case *c);

/* $ per hour of one in the cloud, by list prices, and of which offer (NULL: not asked); 0: it is
 * not on offer. */
double pool_rent(const char *gpu, const struct market *market, const struct instance **of);

#endif
