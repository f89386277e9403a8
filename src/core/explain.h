/*
 * explain.h - every term of a plan with its equation, its inputs and their origins.
 *
 * What --why prints. The terms are computed by the same functions as the plan; this
 * file only says how. gpuplan-model(7) explains the same equations at length.
 */
#ifndef GP_CORE_EXPLAIN_H
#define GP_CORE_EXPLAIN_H

#include "core/plan.h"

#define EXPLAIN_MAX 64

struct term_why {
    char name[48];        /* "weights", "KV per token", "activation: sampling" */
    char equation[200];   /* "utilization * usable", in the field's symbols */
    char inputs[600];     /* "utilization 0.92 (engine default), usable ..." */
    struct quantity value;
    const char *unit;     /* "GiB", "tokens", "$/h": value is already in it */
    char source[480];     /* profile or reference of the equation and its constants */
};

/* Fills out[] and returns how many terms. A plan whose layout was refused has few. */
int explain_plan(const struct plan *plan, struct term_why out[EXPLAIN_MAX]);

#endif
