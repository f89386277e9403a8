/*
 * bench_rank.h - one of several processes that srun or mpirun started, and rank 0's merge.
 */
#ifndef GP_CLI_BENCH_RANK_H
#define GP_CLI_BENCH_RANK_H

#include "base/err.h"
#include "cli/bench_progress.h"

struct json_t;

struct bench_rank {
    int rank, ranks; /* ranks 0 or 1: alone */
    int local_rank;
    char job[96]; /* of all of them; "" = not told */
    double began; /* s, monotonic */
};

void bench_rank_find(struct bench_rank *self);
/* Rank 0: waits for the files of the others beside `base`, says which are missing, and writes
 * `base`. *merged is that result, to be freed. */
enum gp_status bench_rank_merge(const struct bench_rank *self, const char *base,
                                struct bench_progress *progress, int *missing,
                                struct json_t **merged, struct gp_err *err);

#endif
