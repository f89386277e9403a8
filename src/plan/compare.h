/*
 * compare.h - many plans of one load side by side: their order, and the best of them.
 *
 * The front is that of cost per hour against the requests the GPUs hold (all replicas
 * together), among the plans that fit, have a price and keep the GPUs of one request in
 * one machine: a plan is on it when no other is at least as good in both and better in
 * one. A marginal plan is not on it: it may turn out not to fit at all; nor is a
 * pipeline over several machines, whose slowdown is not estimated.
 *
 * With goals of speed it is that of cost per hour against dollars per million output
 * tokens, among the plans that reach them: the first is the cheapest that does.
 *
 * Example: $2/h for 30 requests, $3/h for 20 and $4/h for 60: the second is off.
 */
#ifndef GP_PLAN_COMPARE_H
#define GP_PLAN_COMPARE_H

#include <stdbool.h>
#include <stddef.h>

#include "plan/plan.h"

struct compared {
    struct plan plan;
    bool front;
};

enum compare_order {
    COMPARE_COST,
    COMPARE_GPUS,
    COMPARE_MEMORY,
    COMPARE_NAME,
    COMPARE_MILLION, /* dollars per million output tokens */
    COMPARE_TPOT,
    COMPARE_TTFT,
    COMPARE_TOKENS /* per second, the most first */
};

/* plan_capacity(); 0 when there is no layout. */
double compare_capacity(const struct plan *plan);

void compare_front(struct compared *const *rows, size_t count);

/* What fits first, then marginal; within them by `order`: what is in one machine before
 * what spans several, then known cost before unknown; fewest GPUs; least physical memory
 * of all GPUs together; or (alone) by name. */
void compare_sort(struct compared **rows, size_t count, enum compare_order order);

#endif
