/*
 * solve.h - the largest (or smallest) value of one field with which a plan still fits.
 *
 *   gpus       fewest GPUs (what a plan without a count answers anyway)
 *   context    most tokens per request, in whole blocks
 *   users      most requests in flight
 *   precision  the highest precision of those offered that fits
 *   budget     the least money per hour over the GPUs offered and all layouts on them
 *
 * Memory grows with tokens and users without exception, so context and users are found
 * by bisection on the verdict `fits`; beside it up to what the plan is likely to fit, the
 * middle of its bands deciding, and up to what its goals of speed are sure (goals.h).
 *
 * Example: Llama-3.1-70B in BF16 on 2 x H100 with vLLM's own slots fits for certain at no
 * context, and likely up to some 13,000 tokens.
 */
#ifndef GP_PLAN_SOLVE_H
#define GP_PLAN_SOLVE_H

#include "plan/plan.h"

enum solve { SOLVE_NONE, SOLVE_GPUS, SOLVE_CONTEXT, SOLVE_USERS, SOLVE_PRECISION, SOLVE_BUDGET };

struct solution {
    bool found;    /* the plan's value fits for certain */
    double likely; /* tokens or users up to which it likely fits, where that is more, or GPUs
                    * where none are certain; 0 = none */
    bool likely_precision; /* the same of the precision that was planned */
    double sure; /* tokens or users up to which the goals are sure, where that is less */
    bool goals;  /* there are goals that are not sure at the plan's value */
};

/* Solves `field` and answers with the plan at the solution; where nothing fits for certain, at
 * what is likely, else as asked. offers hold what precision and budget choose from;
 * offers->lower is read from highest to lowest, starting above the request's own. */
struct solution solve_request(const struct request *request, enum solve field,
                              const struct choices *offers, const struct market *market,
                              struct plan *out);

/* False for the tokens and users of a model that keeps no KV: any number fits, and the
 * plan is the one as asked. */
bool solve_has_limit(const struct request *request, enum solve field);

/* Which of the GPUs offered, when nobody named one: that of which the fewest are needed;
 * the cheapest of those that do it in one machine, with the fewest of each; or the least
 * money, whatever the layout. False when nothing fits (at a known price, for the last
 * two). */
enum solve_gpu { SOLVE_GPU_FEWEST, SOLVE_GPU_CHEAPEST, SOLVE_GPU_LEAST_MONEY };
bool solve_gpu(const struct request *request, enum solve_gpu by, const struct choices *offers,
               const struct market *market, struct plan *out);

/* The most tokens of context / users that fit with this very layout; 0 = none. */
double solve_context(const struct request *request, const struct layout *layout);
double solve_users(const struct request *request, const struct layout *layout);

#endif
