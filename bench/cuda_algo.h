/*
 * cuda_algo.h - what cuBLASLt's numbers of an algorithm stand for.
 *
 * The same in every library since 11.8 and newer ones only add some, so a result can
 * say "128x64" instead of 18. Nothing here asks the library.
 */
#ifndef GP_BENCH_CUDA_ALGO_H
#define GP_BENCH_CUDA_ALGO_H

#include <stddef.h>

enum algo_part {
    ALGO_TILE,      /* of D by one block, rows x columns: 18 is "128x64" */
    ALGO_STAGES,    /* k x buffers: 10 is "32x4", 33 "16xauto" */
    ALGO_REDUCTION, /* of a split k: 0 "none", 1 "inplace", 2 "compute", 4 "output" */
    ALGO_INNER,     /* the instruction: 4 is "mma16816" */
    ALGO_CLUSTER,   /* blocks that share memory: 3 is "2x1x1", 0 "auto" */
    ALGO_PARTS
};

/* "undefined" where the library leaves it to itself; "#700" of one that is newer than
 * this table. 16 bytes hold each. */
void cuda_algo_word(enum algo_part part, int id, char *text, size_t size);

#endif
