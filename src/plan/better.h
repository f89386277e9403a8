/*
 * better.h - what would be better where a plan fits.
 *
 * Proposals are requests with one thing changed, planned like any other; only those that
 * fit are offered, with what they cost and reach. A proposal is one of
 *
 *   cheaper  at least 10 % fewer dollars per million output tokens, with a TPOT that is at
 *            most a quarter longer, or by no larger a factor than the dollars are fewer and at
 *            most doubled, or within its goal
 *   fuller   the same on the same GPUs with more users; TPOT at most doubled, or within
 *            its goal
 *   faster   a TPOT at least 15 % shorter, for at most 2.5 times the dollars per hour
 *
 * Where the engine itself put layers on the host, a shorter context and a KV cache of fewer bits
 * come first, of those that leave a TPOT at least 15 % shorter at no more money.
 *
 * Looked at: lower precisions, the GPUs of `choices`, twice the TP, more users, and fewer
 * GPUs where their number was given. Of each of them the best is kept; of precisions that save
 * as much an hour the one of most bits.
 *
 * Example: Llama-3.1-70B FP8, 16 users on 2 x H100, $2.89 per million: 64 users on the
 * same GPUs pay about a third of it.
 */
#ifndef GP_PLAN_BETTER_H
#define GP_PLAN_BETTER_H

#include "plan/plan.h"

/* Appends to out[*count], of PLAN_MAX_FIXES: the cheaper ones first, then the fuller, then
 * the faster; nothing for a plan that does not fit or whose speed is unknown. */
void plan_betters(const struct plan *plan, const struct choices *choices,
                  const struct market *market, struct fix out[PLAN_MAX_FIXES], int *count);

/* Dollars per million output tokens with a fix; 0 = unknown. */
double better_per_million(const struct fix *fix);

const char *better_word(enum better better); /* "cheaper", ...; "" for none */

#endif
