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
 */
#ifndef GP_POOL_POOL_CASE_H
#define GP_POOL_POOL_CASE_H

#include "pool/pool.h"
#include "pool/pool_candidates.h"
#include "pool/pool_file.h"

/* Where a figure of a type is from. */
enum pool_figure { POOL_FIGURE_PRICE, POOL_FIGURE_RENT, POOL_FIGURE_WATTS, POOL_FIGURES };

struct pool_case {
    struct pool_file file;
    struct pool_replicas replicas;
    size_t done;      /* workloads whose candidates are known */
    struct pool pool; /* its lists are the following */
    struct pool_type types[POOL_FILE_TYPES];
    double capital[POOL_FILE_TYPES]; /* $ to buy one GPU, with its share of a server */
    enum origin figure[POOL_FILE_TYPES][POOL_FIGURES];
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
/* Of one on the heap; NULL: nothing. */
void pool_case_free(struct pool_case *c);

/* $ per hour of one in the cloud, by list prices, and of which offer (NULL: not asked); 0: it is
 * not on offer. */
double pool_rent(const char *gpu, const struct market *market, const struct instance **of);

/* Ways to cut one GPU into `slices`, none of which has room for one more: the parts of
 * compute and memory add up to a GPU at most. Returns how many, POOL_MOST_CUTS at most. */
int pool_cuts(const struct gpu *gpu, const int *slice, int slices,
              signed char cut[POOL_MOST_CUTS][POOL_MOST_SLICES]);

#endif
