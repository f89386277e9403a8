/*
 * compare_parts.h - what a comparison is made of, for its two files alone.
 */
#ifndef GP_OUTPUT_COMPARE_PARTS_H
#define GP_OUTPUT_COMPARE_PARTS_H

#include "output/compare_run.h"

struct target {
    const struct gpu *gpu;
    int count, host;
    bool assumed;
};

struct comparison {
    struct planner *planner; /* borrowed */
    struct resolved
        resolved[OPTIONS_MAX_MANY]; /* one per precision; the GPU is the first */
    int resolved_count;
    struct target *targets;
    size_t target_count, target_cap;
    struct compared **rows; /* row_count of comparison_total() are planned */
    size_t row_count;
    enum compare_order order;
};

const char *compare_order_word(enum compare_order order); /* as --sort takes it */

#endif
