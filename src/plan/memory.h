/*
 * memory.h - the memory of one GPU, part by part, and what is left for the KV cache.
 *
 * Per GPU, in physical bytes, of the pipeline stage that binds (the one whose KV pool
 * holds the fewest requests):
 *
 *   vLLM          budget  = utilization * usable
 *                 kv_pool = budget - weights - activation - non_torch [- graphs_charged]
 *   TensorRT-LLM  kv_pool = fraction * (usable - weights - activation - non_torch - graphs)
 *   SGLang        kv_pool = fraction * (usable - non_torch) - weights - vision_kept
 *   llama.cpp     kv_pool = usable - weights - activation - non_torch - graphs
 *
 *   kv_cache_tokens = whole blocks of kv_pool * block
 *   max_concurrency = kv_pool / what one request of `context` tokens is given
 *
 * Example: Llama-3.1-8B BF16 on an H100 (usable 79.19 GiB), vLLM 0.19, utilization 0.95:
 *   75.23 - 14.99 - 1.89 - 0.25 = 58.10 GiB = 475,900 tokens; logged 58.11, 476,016.
 */
#ifndef GP_PLAN_MEMORY_H
#define GP_PLAN_MEMORY_H

#include "base/quantity.h"
#include "plan/kvcache.h"
#include "plan/layout.h"
#include "plan/logged.h"
#include "plan/request.h"
#include "plan/weights.h"

/* What the users' requests need, against the bands of the pool and of what lies outside of
 * it. The verdict is that of the worst stage. The context is the most that one request may
 * hold; engines that hand out KV in blocks, as tokens come, start if one such fits:
 *
 *   need = min(users * given(end) + given(context), users * given(context))
 *
 * end: prompt + output, of 95 in 100 requests where they differ. Under --reserve full, and of
 * engines that set whole slots aside, it is the second term. Such an engine runs more
 * requests than that, too: while they are spread each holds prompt + output/2 tokens, and
 * some are preempted when they are not.
 *
 * Example: 16 requests of 1,280 tokens of Llama-3.1-8B, each up to 8,192: 16 * 0.156 + 1 GiB
 * = 3.5 GiB, where all at full context are 16 GiB. */
enum memory_state {
    MEMORY_HOLDS,    /* also at the low end */
    MEMORY_OVERRUNS, /* the pool holds them; what lies outside the budget may not fit */
    MEMORY_CROSSES,  /* the pool's band crosses the need */
    MEMORY_SPREADS,  /* it holds them while they are spread, not all at their end */
    MEMORY_DOUBTS,   /* its band crosses what they need while they are spread */
    MEMORY_LACKS     /* not even the high end holds them */
};

struct memory {
    int stage;                       /* the stage these figures are of */
    enum memory_state room;          /* does it hold the users' requests? */
    struct quantity physical;        /* bytes, as the driver's tool prints */
    struct quantity usable;          /* bytes a program can have */
    struct quantity budget;          /* bytes the engine lets itself take */
    struct quantity weights;         /* bytes, with what the engine adds at load */
    struct weights split;            /* the same by role, without the two that follow */
    struct quantity draft;           /* of them, of the draft */
    struct quantity lora;            /* of them, of the adapters' slots */
    struct quantity activation;      /* bytes at the peak */
    struct quantity non_torch;       /* bytes: context, libraries, communication */
    struct quantity context;         /* bytes held before the budget is counted, outside of it */
    struct quantity graphs;          /* bytes of CUDA graphs, as the card holds them */
    struct quantity graphs_charged;  /* bytes the engine takes from the budget for them */
    struct quantity kv_pool;         /* bytes left for the KV cache, may be negative */
    struct quantity kv_needed;       /* bytes the users' tokens hold at their end, exactly */
    struct quantity state;           /* bytes of their recurrent state, exactly */
    struct quantity kv_reserved;     /* bytes the engine sets aside for them: the need */
    struct quantity kv_full;         /* the same of all of them at `context` tokens */
    struct quantity kv_mean;         /* the same of prompt + output/2 tokens */
    struct quantity host;            /* bytes of weights in host memory: of this GPU, or
                                    * of the replica where layers and experts stay */
    struct quantity host_kv;         /* bytes of the users' KV there, of the replica; or what
                                    * the engine keeps there besides (request.h) */
    struct quantity tables;          /* bytes of n-gram tables there, of the replica */
    struct quantity free;            /* usable - used - all parts - kv_reserved */
    struct kv_sequence sequence;     /* one request of `context` tokens */
    struct kv_sequence described;    /* one at its end, of memory_end_tokens() */
    bool one_full;                   /* the need is of all at their end and one of `context`,
                                    * else of all at `context` */
    double kv_bytes_per_token;       /* bytes, whole model, not sharded */
    struct quantity state_blocks;    /* binding.states */
    struct quantity kv_cache_tokens; /* tokens the pool holds */
    struct quantity max_concurrency; /* requests of `context` tokens it holds */
    struct quantity holds_load;      /* described requests that it holds, where it holds one
                                      * of those */
    double rule_of_thumb;            /* bytes: params * bits/8 * 1.25, all GPUs together */
    double file_bytes;               /* bytes of one whole checkpoint */
    double users;                    /* per replica */
    double max_num_seqs, max_batched_tokens; /* as used */
    double fraction;                         /* utilization or fraction as used */
};

/* The figures a verdict needs, of the stage that binds. */
struct binding {
    int stage;
    struct quantity budget;            /* bytes, as in struct memory */
    struct quantity spare;             /* bytes: what the fraction leaves, less what it
                                         * has to hold: SGLang's activation and graphs,
                                         * vLLM's graphs behind the pool; else unknown */
    struct quantity weights, overhead; /* bytes; overhead: activation, non-torch, graphs */
    struct quantity pool, free;        /* bytes: kv_pool and free above */
    double reserved;                   /* bytes set aside for the users: the need */
    double each;                       /* bytes set aside for one request at full length */
    double described;                  /* ... at its end; 0: each counts at full length */
    double least;                      /* bytes the pool has to hold all the same, where it
                                         * does not surely hold `reserved` */
    struct quantity states;            /* blocks of the pool, where each slot needs one to
                                         * start (engine.h: state_exit); with a pool of
                                         * states, requests it holds; else unknown */
    enum memory_state state;
};

/* Who shares out the memory: the engine; nobody where only the weights are counted. */
enum budget memory_budget(const struct request *request);

/* Bytes the engine lets itself take of what is usable. */
struct quantity memory_budget_bytes(const struct request *request, struct quantity usable,
                                    double fraction);

void memory_binding(const struct request *request, const struct load *load,
                    const struct layout *layout, struct binding *out);

/* All figures of the stage that binds. load: load_sum(request). */
void memory_estimate(const struct request *request, const struct load *load,
                     const struct layout *layout, struct memory *out);

/* The same for one stage, whether it binds or not. */
void memory_stage(const struct request *request, const struct load *load,
                  const struct layout *layout, int stage, struct memory *out);

/* The engine's limits for this request: the request's own, else the GPU's default. */
double memory_max_num_seqs(const struct request *request);
double memory_max_batched_tokens(const struct request *request);

/* vLLM takes its defaults by the memory of the GPU with the index it is given, as the
 * driver prints it: of a MIG slice that a container shows by an index, the whole GPU's. */
bool memory_may_take_whole(const struct request *request);

/* The share that the engine takes on a layout: the request's, else its default, which
 * SGLang computes. */
double memory_fraction(const struct request *request, const struct load *load,
                       const struct layout *layout);
/* The largest batch that runs as one CUDA graph; 0 = unknown. Larger ones run without. */
double memory_graph_batch(const struct request *request, const struct layout *layout);

/* Requests that a pool of so many bytes surely holds by the need above. */
double memory_requests_held(const struct binding *binding, double pool);

/* Tokens of a described request at its end; the context, where each slot takes all of it. */
double memory_described_tokens(const struct request *request);
/* Tokens that count of each request: the same, or the context, where all are bought at it. */
double memory_end_tokens(const struct request *request);

/* Tokens that are held for a request in the mean of its life: its prompt and half its
 * output, or all of it where the engine never takes room back. */
double memory_mean_tokens(const struct request *request);

/* The rule of thumb: params * bits/8 * 1.25 bytes. */
double memory_rule_of_thumb(double params, double bits);

/* The part that a log tells, and how it follows from the request's. */
struct quantity memory_term(const struct memory *memory, enum logged_term term);
enum logged_how memory_logged(const struct request *request, const struct layout *layout,
                              const struct memory *memory, enum logged_term term);

struct terms;

/* Appends the terms of --why (terms_list.h). */
void memory_terms(struct terms *terms);

#endif
