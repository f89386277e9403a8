/*
 * replay.h - the engine's own scheduler replayed over requests that arrive.
 *
 * A replay takes requests with their arrivals, the rules by which an engine packs its steps
 * (enum scheduler; scheduler_*.c) and the time of a step, and leaves for each request when its
 * first and its last token came. Nothing is drawn at random in it: arrivals and lengths are drawn
 * before, so that the same numbers give the same replay on any machine.
 *
 *   decide(k)  when step k is packed: the end of step k - 1, or its start where the engine
 *              packs a step while one runs (overlap)
 *   start(k) = max(decide(k), end(k - 1)),  end(k) = start(k) + step time
 *
 * What arrives or ends by decide(k) counts in step k. Requests that decode are counted, not
 * walked over: k steps in which nothing else happens take
 *
 *   T(k) = k*a + b*k*(k - 1)/2      a of the first, b more for each further token of context
 *
 * at once, up to the next end, the step that lacks a KV block, or an arrival, which cuts the
 * stretch where the engine would have looked at its queue. A million requests of 1,000 tokens
 * take a second.
 *
 * Example: one slot, prompts of 1 s, answers of one token, Poisson arrivals at 0.5/s: the mean
 * wait is that of M/D/1, 0.5 s.
 */
#ifndef GP_PLAN_REPLAY_REPLAY_H
#define GP_PLAN_REPLAY_REPLAY_H

#include <stdbool.h>
#include <stdint.h>

#include "catalog/engine.h"
#include "catalog/lengths.h"

/* A request as a turn of a session: it comes `think` after the answer before it, at its own time
 * of arrival at the earliest. */
struct replay_turn {
    int session, next; /* next: the turn behind it; -1: none */
    int history;       /* leading tokens of its prompt that the turn before held; -1: it is the
                        * first, which arrives by itself */
    float think;       /* s */
};

/* Which requests come, in order of arrival (first turns alone, where there are turns). */
struct replay_load {
    int count;
    const double *arrival;      /* s; NULL: a closed loop of `users` */
    const int *prompt, *output; /* tokens, 1 at least */
    const int *most;            /* tokens that a request may make (max_tokens); NULL = output */
    const uint64_t *hash;       /* of a prompt's leading groups of tokens; NULL: none alike */
    const uint32_t *hash_at;    /* count + 1 places in it */
    int hash_tokens;            /* tokens of a group, a multiple of the block */
    double cached;              /* share of each prompt that is cached before; without hashes */
    const int *priority;        /* as the engine is told, or PRIORITY_UNTOLD; NULL: none is */
    int warm;                   /* so many were answered before the first comes: what the pool keeps
                                 * of their prompts is found */
    const struct replay_turn *turn; /* NULL: there are no sessions */
    double counts_from;             /* s: what comes before is replayed, but not counted */
    int users; /* at most so many in flight (of a closed loop: sessions); 0 = as they arrive */
};

/* One engine of one version on one replica. */
struct replay_rules {
    enum scheduler scheduler;
    bool overlap;        /* packs a step while one runs */
    bool whole_prompt;   /* lets a request in where the blocks of all its prompt are free */
    bool caches;         /* keeps prompts' blocks for later requests */
    bool slot_keeps;     /* a slot keeps what its last request held, and no other (llama.cpp) */
    bool in_turn;        /* freed blocks without a hash are not taken before others */
    bool chunks;         /* may cut a prompt (TensorRT-LLM) */
    int budget;          /* tokens of a step: prompts and decodes; SGLang: of a chunk */
    int input;           /* SGLang: tokens of prompts in a step */
    bool late;           /* SGLang: an end is seen by the step after the next, and prefixes of those
                          * that wait are not kept (to 0.5.20) */
    bool bare;           /* SGLang: a request is let in without a page in hand (0.5.5), and cached
                          * blocks go for all that a step takes (0.5.15) */
    int decode_tokens;   /* of the budget for one that decodes: 1 + drafted */
    int threshold;       /* most tokens of one prompt in a step; 0 = the budget */
    bool lone;           /* ... but of one that is alone (vLLM by 0.33) */
    int slots;           /* requests at once */
    int block;           /* tokens */
    int64_t blocks;      /* of the KV pool */
    int64_t host_blocks; /* that host memory keeps of prompts; 0 = none */
    double host_token;   /* s of a token's way back */
    int context;         /* most tokens of a request */
    enum priority_rule priority; /* requests wait and give way by theirs, where the load has some */
    bool high_first;             /* ... and the higher value is the more urgent (SGLang) */
    double ratio, ratio_least, ratio_step; /* SGLang: share of what may yet be made that counts */
};

/* One chunk of a prompt in a step. */
struct replay_chunk {
    int seq, request, tokens, before;
};

/* A step as it was packed, for who wants to see it (struct replay_watch). */
struct replay_step {
    int replica;
    int64_t number;
    double start, end;
    int decodes, prompt_tokens;
    double context; /* tokens that the decoding ones hold, all together */
    const struct replay_chunk *chunk;
    int chunks;
    const int *preempted; /* requests */
    int preemptions;
};

/* Sees each step; steps are then taken one by one. NULL: nobody does. */
typedef void replay_step_fn(void *ctx, const struct replay_step *step);

/* Times of a step. pair: of d that decode and hold c tokens in all, s, and what each further
 * token adds; holds up to *until tokens. */
struct replay_clock {
    void *ctx;
    double (*decode)(void *ctx, int decodes, double context, double *slope, double *until);
    double (*mixed)(void *ctx, int decodes, double context, const struct replay_chunk *chunk,
                    int chunks, bool alone);
    double wake;  /* s from an arrival at an idle engine to its first step */
    double scale; /* factors on every step, and on what prompts add to it */
};

/* How a request goes to a replica. */
enum router { ROUTER_ROUND, ROUTER_LEAST, ROUTER_PREFIX, ROUTER_SESSION };

/* What of a request is told; s, NAN where it was refused. */
struct replay_outcome {
    float queue, ttft, e2e; /* from its arrival: first packed, first and last token; */
    float loads;            /* ... as if what host memory keeps were here at once: so long later */
    uint16_t preemptions, replica;
    int32_t cached;
};

#define REPLAY_GAPS 3072    /* bins of gaps between tokens, 0.8 % wide at most, 15 us to 256 s */
#define REPLAY_TIMELINE 500 /* spans of the timeline */

struct replay_span {
    double running, waiting, occupancy; /* means over the span */
    double prompt_tokens, output_tokens;
    int preemptions;
};

struct replay_result {
    struct replay_outcome *outcome; /* of each request; owned */
    double *arrival;                /* s; NAN: it never came; owned */
    int count;
    int64_t gap[REPLAY_GAPS]; /* tokens by the time since the one before */
    int64_t steps, preemptions, recomputed, prompt_tokens, cached_tokens, output_tokens;
    int64_t history_tokens; /* of those cached: of what the turn before had left */
    int64_t host_tokens;    /* of those cached: of host memory */
    int completed, refused;
    int restarted;               /* requests that a lost replica had */
    double first, last;          /* s: first arrival, last token */
    double busy;                 /* s in steps, all replicas */
    double running, waiting, kv; /* integrals over time: requests, requests, blocks */
    double occupancy_time[101];  /* s by percent of the KV pool, all replicas */
    int running_most, waiting_most;
    double occupancy_most;                /* 0..1 */
    double blocked_slots, blocked_blocks; /* s in which requests wait for a slot, for blocks */
    struct replay_span *span; /* REPLAY_TIMELINE of span_seconds each; owned; NULL: not asked */
    double span_seconds;
};

struct replay {
    const struct replay_load *load;
    const struct replay_rules *rules;
    const struct replay_clock *clock;
    int replicas;
    enum router router;
    int prefills; /* of the replicas, the first: they work prompts off and hand them to the others,
                   * which only decode; 0 = all do both */
    const struct replay_rules *prefill_rules; /* theirs */
    const struct replay_clock *prefill_clock;
    double handoff, handoff_token; /* s of a prompt's way over its replica's link, and per token */
    double lose_at;      /* s: the last of them is lost, and its requests begin again; 0 = never */
    double add_at;       /* s: one more serves from then on; 0 = none */
    double span_seconds; /* of a span of the timeline; 0 = none is kept */
    replay_step_fn *watch;
    void *watch_ctx;
    bool (*stop)(void); /* true: the result is of no use any more; NULL: it is waited for */
    bool (*enough)(void *ctx, int request); /* told of each that is answered; true: of the rest none
                                             * is of use; NULL: all are */
    void *enough_ctx;
};

void replay_run(const struct replay *replay, struct replay_result *out);
void replay_result_fini(struct replay_result *result);

/* The middle of a bin of gaps, s. */
double replay_gap_seconds(int bin);

#endif
