/*
 * request.h - one question to the planner, with every name already looked up.
 *
 * A value struct; the pointers are borrowed from the catalogue (or from whoever read a
 * local model) and are never changed. 0 means "choose for me" where the comment says so.
 * Copying a request and changing one field is how fixes, solving and comparing work.
 */
#ifndef GP_PLAN_REQUEST_H
#define GP_PLAN_REQUEST_H

#include <stdbool.h>

#include "catalog/engine.h"
#include "catalog/gpu.h"
#include "catalog/lengths.h"
#include "model/format.h"
#include "model/model.h"
#include "plan/late.h"

/* Which format each role of a model's tensors is stored in. */
struct precision {
    char id[FORMAT_ID_MAX];                   /* "fp8", or "native" */
    const struct format *weight;              /* the format asked for */
    const struct format *by_role[ROLE_COUNT]; /* after the format's own exceptions */
    const struct format *base;                /* activations and kept roles: 16-bit */
    const struct format *kv;                  /* the KV cache, where no format is named */
    bool native;                              /* as published: exact bytes apply */
    bool named;                               /* by a name alone; its bytes times low..high */
    double named_low, named_high;
};

/* Of a model in a format, and of what drafts for it where that is to be in it too. */
struct precisions {
    struct precision model, draft; /* draft: read where the request has one */
    const struct model *release;   /* as it is published in that format; NULL: the request's */
};

enum prune { PRUNE_NONE, PRUNE_2_4, PRUNE_UNSTRUCTURED };

/* What measured points say of the law (speed/anchor.h): factors on parts of a step. */
enum correct {
    CORRECT_FIXED,   /* launches, host, per request */
    CORRECT_WORK,    /* products, experts, all-reduces, reads of the cache */
    CORRECT_PROMPTS, /* of prompts, beside CORRECT_WORK */
    CORRECT_COUNT
};

struct correction {
    int points; /* 0: nothing is corrected, and the factors are not read */
    double by[CORRECT_COUNT];
    double first;              /* on TTFT */
    int tp, pp, replicas;      /* what was measured */
    const struct model *model; /* and of what: nothing else is corrected */
    const struct gpu *gpu;
    const struct engine *engine;
    const struct format *weight;
};

/* What a server's start-up log says of its memory (logged.h), beside the plan of the same
 * request. */
enum logged_term {
    LOGGED_WEIGHTS,
    LOGGED_ACTIVATION,
    LOGGED_NON_TORCH,
    LOGGED_GRAPHS,
    LOGGED_CHARGED, /* the engine's own estimate of the graphs */
    LOGGED_TERMS
};

struct logged {
    int count; /* figures; 0: nothing was logged, and nothing below holds */
    bool known[LOGGED_TERMS];
    double by[LOGGED_TERMS]; /* ln(logged / planned) */
    bool pool_known;
    double pool;               /* bytes that the logged pool exceeds what the other terms,
                                  * as logged, leave of the budget */
    int tp, pp, ep;            /* what was logged */
    double seqs, tokens;       /* max_num_seqs, max_batched_tokens */
    const struct model *model; /* and of what: nothing else is corrected */
    const struct gpu *gpu;
    const struct engine *engine;
    const struct format *weight;
    const struct model *draft;
    int lora_slots;
};

/* Options of the engine that a search may turn; 0 and false leave one as it is. */
struct knobs {
    double seqs, tokens, utilization;
    bool eager;
};

/* What is bought: what the described requests need and one of full context, or all users
 * at full context. */
enum reserve { RESERVE_LOAD, RESERVE_FULL };

/* What drafts tokens for speculative decoding (draft.h). */
enum draft_kind {
    DRAFT_NONE,
    DRAFT_MODEL,
    DRAFT_MTP,
    DRAFT_EAGLE3,
    DRAFT_DFLASH,
    DRAFT_NGRAM,
    DRAFT_KIND_COUNT
};

#define DRAFT_LISTED_MAX 16

/* Processors and memory beside the GPUs, which compute what is not on these (speed/host.h). */
struct host {
    struct quantity bandwidth;   /* bytes/s; unknown: not needed */
    double cores;                /* that compute */
    const struct family *family; /* borrowed: of processors */
    bool unified;                /* it is the GPU's own memory */
    bool told, told_cores;       /* the user named its memory, and its cores */
};
/* Which goals of speed are bought: what the middle of an estimate reaches, or its whole band. */
enum goals_bought { GOALS_LIKELY, GOALS_SURE };

/* Whose turn it is among those that wait: the first that came; by priority as the engine takes its
 * values; likewise, the lower one first. */
enum policy { POLICY_FCFS, POLICY_PRIORITY, POLICY_LOW_FIRST };

enum price_want { WANT_ON_DEMAND, WANT_SPOT, WANT_MARKET, WANT_BUY };

struct request {
    const char *data_date; /* of the catalogue it was resolved with; NULL or "": not known */
    const struct model *model;
    const struct model *unpadded; /* of which it is a release with wider MLPs; NULL: of none */
    bool text_only;               /* without its vision tower, as asked */
    struct precision precision;
    const struct format *kv; /* format of the KV cache */
    bool kv_auto;            /* nobody named it: the precision's, whichever that is */
    const struct gpu *gpu;
    const struct engine *engine;
    long engine_asked;                 /* its version, as asked; 0 = the newest of the range */
    const struct engine *usual_engine; /* the one of GPUs it runs on; NULL: one was named */
    double context;                    /* tokens a request may hold, prompt and output */
    enum reserve reserve;              /* tokens that are bought for the users */
    bool context_auto;                 /* nobody named it: the engine's default for the GPUs */
    double prompt, output;             /* tokens of a typical request */
    bool prompt_auto, output_auto;     /* nobody said */
    struct spread spread;              /* of them */
    double users;                      /* requests in flight at once */
    double rate;                       /* requests that arrive per second; 0: users are given */
    double prefix_hit;                 /* share of a prompt that is in the prefix cache, 0..1 */
    double ttft, tpot;                 /* goals, s; 0 = none */
    double late[LATE_COUNT];           /* goals at a rate, s; 0 = none */
    const struct late_floors *floors;  /* what a search has seen miss these; NULL = nothing */
    double throughput;                 /* goal, output tokens/s of all users; 0 = none */
    double budget;                     /* goal, dollars per hour; 0 = none */
    enum goals_bought goals;           /* of speed */
    int gpu_count;                     /* GPUs to use; 0 = the fewest that fit */
    int tp, pp, ep, replicas;          /* 0 = choose */
    int dp;                            /* replicas that share their experts; 0 = choose */
    bool split;                        /* some replicas only work prompts off, the others decode */
    int prefill, decode;               /* how many of each; 0 = choose */
    int prefill_tp;                    /* TP of those; 0 = tp, or chosen where both are */
    int max_pp;                        /* stages that may be chosen; 0 = SEARCH_MAX_PP */
    int host_gpus;                     /* GPUs one host can hold; TP stays inside a host */
    bool host_assumed;                 /* nobody's figure */
    double max_num_seqs;               /* 0 = the engine's default for this GPU */
    double max_batched_tokens;         /* 0 = likewise */
    double utilization;                /* 0 = the engine's default fraction */
    bool eager;                        /* without CUDA graphs */
    enum policy policy;                /* of those that wait */
    bool options_fixed;                /* of a server that runs: none is turned */
    double headroom;                   /* share of the budget to leave free, 0..0.9 */
    double used;                       /* bytes per GPU that something else already holds */
    int host_layers;                   /* first layers that stay in host memory with their KV;
                                 * layer_count + 1: the output matrix too */
    int host_experts;                  /* layers from the first whose routed experts do */
    double host_bytes;                 /* of each GPU's weights that stay there */
    double host_kv;                    /* bytes of KV that the engine keeps there besides: of a
                                 * replica, or of each GPU (engine.h) */
    bool kv_on_host;                   /* all KV is there */
    bool host_told;                    /* how many layers or experts are there; none is moved */
    bool host_placed;                  /* layers and experts as the engine places them (place.h) */
    int unplaced_tp, unplaced_pp;      /* then tp and pp as they were asked */
    struct host host;
    enum draft_kind draft_kind;       /* what drafts tokens (draft.h) */
    const struct model *draft;        /* its weights; NULL: it has none */
    struct precision draft_precision; /* of them; MTP layers have the request's */
    int draft_tokens;                 /* drafted per step, by whatever; 0 = none */
    double accept_length;             /* tokens that a step yields; 0 = not told */
    int accept_listed;                /* positions whose share is told, each of all steps */
    double accept_at[DRAFT_LISTED_MAX];
    int lora_slots, lora_rank; /* adapters at once; 0 = none */
    enum prune prune;
    double prune_share; /* 0..1 of the weights that are zero, unstructured */
    struct correction correction;
    struct logged logged;
    enum price_want price;
    double api_in, api_out; /* dollars per million tokens of an API; 0 = not asked */
    double power_cap;       /* W that all GPUs and their hosts may draw; 0 = none */
    double host_watts;      /* of one GPU's share of its host, at most */
    bool watts_assumed;     /* nobody's figure */
};

/* GPUs that one link joins: of a host, or of a rack of them (NVL72). */
static inline int request_domain(const struct request *q)
{
    return q->gpu->link_domain > q->host_gpus ? q->gpu->link_domain : q->host_gpus;
}

/* GPUs that a TP group is looked for in: a domain, or hosts that are sold to be joined (two DGX
 * Sparks), where the engine cuts tensors over hosts. */
static inline int request_tp_domain(const struct request *q)
{
    int domain = request_domain(q), joined = q->engine && !q->engine->gguf ? q->gpu->joined : 0;

    return joined > domain ? joined : domain;
}

/* The correction is of this request's model, format, GPU and engine. */
static inline bool request_corrected(const struct request *q)
{
    const struct correction *c = &q->correction;

    return c->points > 0 && c->model == q->model && c->gpu == q->gpu && c->engine == q->engine &&
           c->weight == q->precision.weight;
}

/* The weights in another precision, the KV cache with them unless its format was named. */
void request_take_precision(struct request *request, const struct precisions *precision);

/* Turns options of the engine. */
void request_turn(struct request *request, const struct knobs *knobs);
static inline bool knobs_any(const struct knobs *k)
{
    return k->seqs > 0 || k->tokens > 0 || k->utilization > 0 || k->eager;
}

#define SPREAD_MOST 3.0 /* standard deviations over the mean: more is no bell at all */

/* Another context, and what nobody said of the prompt and the output with it: 1024 and 256
 * tokens, of a small context three quarters and the rest; of a trace those of its requests
 * that it holds (NULL: there is none). False: they exceed it, or are too uneven for it. */
bool request_take_context(struct request *request, double context, const struct trace *trace);

/* Tokens of a request where nobody says: by the memory of all GPUs, where the engine goes by
 * that (Ollama), and no more than the model takes. */
double request_usual_context(const struct request *request);

/* Tokens that are paid for of each output token: a prompt that is answered with a vector or a score
 * counts as one, and its own tokens are what is paid for. */
static inline double request_priced(const struct request *request)
{
    return request->model->pooling ? request->prompt / request->output : 1;
}

/* Goals of speed, a rate that is to be served among them. */
static inline bool request_has_goals(const struct request *request)
{
    return request->ttft > 0 || request->tpot > 0 || request->throughput > 0 || request->rate > 0;
}

/* Those, or prompts apart: judging a layout takes its speed. */
static inline bool request_asks_speed(const struct request *request)
{
    return request_has_goals(request) || request->split;
}

#endif
