/*
 * evaluate.h - one layout of one load, judged: numbers and codes, no words.
 *
 * What a search asks of thousands of layouts and shows of one: does it fit, what stands
 * in the way, how much is missing, how many hosts, at what price. Nothing is allocated
 * and no text made; a million layouts a second with memory and cost (tests/speed.sh).
 *
 *   verdict = the worst of the reasons' (reason.h), limit = the first one's
 *   margin  = pool - what the users' requests reserve, of the stage that binds
 *
 * Example: Llama-3.1-70B BF16 on 2 x H100, 8192 tokens, vLLM 0.21 at utilization 0.92:
 * REASON_CROSSES and REASON_DECIDES, marginal, limit "kv-cache"; pool 1.2..2.5 GiB of
 * which one request needs 1.25.
 */
#ifndef GP_PLAN_EVALUATE_H
#define GP_PLAN_EVALUATE_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/cost.h"
#include "plan/layout.h"
#include "plan/load.h"
#include "plan/memory.h"
#include "plan/reason.h"
#include "plan/request.h"
#include "plan/speed/speed.h"

struct evaluation {
    struct layout layout; /* gpus and hosts filled in */
    bool valid;           /* false: the layout is refused, no figure below holds */
    uint64_t reasons;     /* bits of enum reason */
    enum verdict verdict;
    enum limit limit;
    struct binding binding; /* memory of the stage that binds */
    double margin;          /* bytes by which room exceeds need; negative: missing */
    double users;           /* in flight: the request's, or what its rate leads to */
    bool queues;            /* more arrive than are served: users is what the pool holds */
    double miss;            /* of the goals, the largest estimate / goal; 0 = none: of what
                             * fits or is marginal */
    int sure;               /* 1: it meets the goals by the whole band; 0 = not asked, -1: it
                             * does not */
    double ttft, tpot;      /* s; 0 = not asked, or unknown */
    double tokens;          /* output tokens/s, likewise */
    double chunk;           /* max_batched_tokens that a search turned to; 0 = as asked */
    struct knobs turned;    /* options that a search turned so that it fits */
    double served;          /* requests/s at most, where prompts are worked off apart */
    struct price price;     /* zeros without prices */
};

/* How likely a layout that is marginal starts and holds its users while they are spread, 0..1:
 * the least share of a band that suffices, halves of it below and above its value. */
double evaluation_likely(const struct load *load, const struct evaluation *e);

/* The request with the options that a search turned. */
struct request evaluation_request(const struct request *request, const struct evaluation *e);

/* The tokens/s of what fits, where no goal asked for its speed; 0 = unknown. */
double evaluate_tokens(const struct request *request, const struct load *load,
                       const struct layout *layout);

/* May prompts be worked off in another TP than answers, whichever is best? */
bool evaluate_sides(const struct request *request, const struct layout *layout);

/* load: load_sum(request); prices: prices_init(request), NULL = not asked. */
void evaluate(const struct request *request, const struct load *load, const struct prices *prices,
              const struct layout *layout, struct evaluation *out);

/* Users that run at once: where a goal of TTFT says how long the others may wait, no more
 * than there are slots; else all. */
double evaluate_held(const struct request *request, const struct load *load,
                     const struct layout *layout);

/* A budget that this price exceeds, or that cannot be judged. */
uint64_t reasons_of_budget(const struct request *request, double per_hour);

/* Are GPUs that work on one request in several machines, rented or owned? */
bool evaluation_spans(const struct request *request, const struct evaluation *e);

#endif
