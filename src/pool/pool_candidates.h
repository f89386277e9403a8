/*
 * pool_candidates.h - the layouts that serve a workload of a pool within its goals.
 *
 * One replica of each (TP, PP, EP) on each type of GPU and on each MIG slice of those that
 * may be cut, in a server (the GPUs' own links) and on the fabric of a chassis (PCIe, as
 * many GPUs as one of its hosts can hold). Its throughput is the most requests/s, to 1 %,
 * at which --plan --rate says that it fits for sure and meets TTFT and TPOT, calibrated
 * where the workload names measurements. What serves no request so is left out, and what
 * others serve as well with no more GPUs: a layout of 8 GPUs that is slower than two of 4.
 */
#ifndef GP_POOL_POOL_CANDIDATES_H
#define GP_POOL_POOL_CANDIDATES_H

#include "answer/planner.h"
#include "plan/cost.h"
#include "plan/layout.h"
#include "plan/reason.h"
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
/* Is this MIG profile one that workloads are given? Not the whole GPU, none with extras. */
bool pool_slice_used(const struct gpu_slice *slice);
/* NULL: it is served, or was not looked for. */
const struct pool_refusal *pool_refusal_of(const struct pool_replicas *replicas, int workload);
/* The same of workload `to` of another list, or of this one. */
void pool_refusal_copy(const struct pool_replicas *from, int workload, int to,
                       struct pool_replicas *out);
void pool_replicas_fini(struct pool_replicas *replicas);

#endif
