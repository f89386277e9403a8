/*
 * search.h - which layout: all there are, the fewest GPUs to pay for first.
 *
 * Every (TP, PP, EP, replicas) that is valid is looked at:
 *
 *   TP        1 to the GPUs of one host
 *   PP        1 to max_pp; a PP that is asked for is taken as it is
 *   EP        1, and each number of GPUs the experts divide over
 *   replicas  the fewest that hold the users, and all that the GPUs paid for with them make; all
 *             that are left of a given GPU count
 *
 * Only a layout that fits for sure and meets the goals of speed counts as fitting. Of
 * those, in this order:
 *
 *   1  the fewest GPUs to pay for, as instances are rented whole; those that it takes
 *      where nobody rents them out, or they are bought. Or the least money per hour first
 *   2  no replica without a user
 *   3  one host: the GPUs of one request (layout_group) in one machine that is offered,
 *      then in one host that nobody rents out, then spread over several
 *   4  the lower price to the cent, a known one before an unknown one; where the count is given,
 *      and nothing more to be bought, after 9
 *   5  the goals of speed by the whole band, where others are likely by its middle (goals.h)
 *   6  more tokens/s, in steps of 5 %: of the load that is asked, at a rate of one user
 *   7  the engine's own options
 *   8  less PP
 *   9  the fewest GPUs that it takes
 *  10  fewer replicas, smaller EP
 *
 * So more load never needs less money: what holds it holds less of it, too, for the same.
 *
 * Cuts are looked at in tiers (cut_tier() of search.c): each group of GPUs in one host, then, where
 * nothing of those fits in two hosts, over whole hosts. Last what people do not run, pipelines in a
 * host where TP divides, 3 or 5 GPUs of it: beside what they run that has to cost a fourth less, in
 * fewer hosts or a smaller slice of one. In each tier the engine's own options are tried first,
 * then the ladder of turned ones, the mildest that fits, for what costs no more. With --goals sure
 * what people do not run costs no less than what serves the goals at the middle of the bands: no
 * count is called sure below the one that is bought.
 *
 * Where what is rented at the lowest price holds more GPUs than the best layout takes, the best of
 * all of them is taken if it is better by this order.
 *
 * Where smaller slices are rented for less a GPU, more GPUs that cost less money are taken.
 *
 * Where a layout of fewer GPUs misses its goals with the engine's own steps, and nobody
 * gave --max-batched-tokens, larger and smaller ones are tried; what the engine does by
 * itself stays where it reaches the goals with as few GPUs.
 *
 * The search leaves out only what cannot win: what a replica needs does not depend on
 * how many there are, so the fewest replicas follow from one layout of each (TP, PP, EP),
 * and a layout of more GPUs than the second best so far is not looked at; nor is one that
 * misses a goal of speed by more than another does, even with one request at a time.
 *
 * Example: Llama-3.1-70B FP8, 16 requests of 8192 tokens on H100s: TP 1 lacks room for
 * the KV cache; TP 2 holds it on 2 GPUs. In BF16 TP 2 holds it with 256 slots in place of 1024.
 *
 * Where nothing fits for sure, the answer is the best that is marginal: what starts where all
 * is as expected (evaluation_likely() one half or more), then what is surer (enum
 * memory_state), then 1, the likelihood in steps of a tenth and the rest of the order; else
 * what misses the least memory.
 */
#ifndef GP_PLAN_SEARCH_H
#define GP_PLAN_SEARCH_H

#include <stdatomic.h>

#include "plan/plan.h"
#include "plan/speed/step.h"

#define SEARCH_MAX_PP 8 /* stages: more cost latency and leave GPUs idle */

/* Who plans on a thread of his own may let another one end that: once *flag is set no further
 * layout is looked at in this thread, and what is found is of no use. NULL: nobody may. */
void search_abandon(const atomic_bool *flag);
/* Is it set? Then what this thread has just found is of no use. */
bool search_abandoned(void);

enum search_goal { SEARCH_FEWEST_GPUS, SEARCH_LEAST_MONEY };

/* The same request on another GPU, in its usual hosts, with the usual engine where none was
 * named and that runs there; gpu_count 0 = the fewest. */
struct request search_on(const struct request *request, const struct gpu *gpu, int gpu_count,
                         const struct market *market);

/* The best layout in numbers alone; what does not fit may miss more than it must. With
 * request->gpu_count a layout of that many. What was given of TP, PP, EP and replicas is
 * kept. */
void search_layout(const struct request *request, const struct market *market,
                   enum search_goal goal, struct evaluation *out);

/* What a plan answers, whatever its verdict. */
void search_layout_planned(const struct request *request, const struct market *market,
                           enum search_goal goal, struct evaluation *out);

/* search_layout() where only what fits for certain is of use: nothing else is looked for. */
void search_offer(const struct request *request, const struct market *market,
                  enum search_goal goal, struct evaluation *out);

/* ... or is marginal. */
void search_starting(const struct request *request, const struct market *market,
                     enum search_goal goal, struct evaluation *out);

/* search_offer() where what takes more dollars an hour and more GPUs than these
 * is of no use, and need not be found. */
void search_layout_within(const struct request *request, const struct market *market,
                          double per_hour, int gpus, struct evaluation *out);

/* The count to name beside a GPU so that it is planned as e, what search_layout() found for it:
 * the one asked for, else e's own; 0: none, with that count another layout is better. */
int search_named_count(const struct request *request, const struct evaluation *e,
                       const struct market *market);

/* The same as a plan, with the runner-up and what comes close. */
void search_plan(const struct request *request, const struct market *market, enum search_goal goal,
                 struct plan *out);

/* Calls cut() with every TP, PP and EP that a request leaves open, fewer stages first. */
typedef void search_cut_fn(void *ctx, int tp, int pp, int ep);
void search_cuts(const struct request *request, search_cut_fn *cut, void *ctx);

/* The layout of one of them: the replicas or GPUs that were asked for, else the fewest.
 * False when they cannot be cut so. */
bool search_cut(const struct request *request, int tp, int pp, int ep, struct layout *out);

/* Not even the mean stage's weights go into the whole memory of a GPU, `usable` at most. Shares are
 * 1/TP or more, of experts 1/max(TP, EP). */
bool search_too_heavy(const struct request *request, const struct load *load, double usable, int tp,
                      int pp, int ep);

/* Are the weights too large for so many GPUs as were asked for, whatever the layout, the load and
 * the options of the engine? */
bool search_lacks(const struct request *request, const struct load *load);

/* Pipeline stages that a search looks at when none are given. */
int search_most_stages(const struct request *request);

/* Evaluations that searches keep for those after them (struct late_floors). */
struct search_seen *search_seen_new(void);
void search_seen_free(struct search_seen *seen);

#endif
