/*
 * plan.h - one request in, one answer out: verdict, layout, memory, cost, reasons, fixes.
 *
 * The verdict compares what the users' requests reserve with the KV pool that is left,
 * both per GPU of the binding stage:
 *
 *   fits           even the low end of the pool's band holds them
 *   does-not-fit   not even the high end does, or the layout or type is refused
 *   marginal       the band crosses the need; `knob` names the term that decides
 *
 * Example: Llama-3.1-70B BF16 on 2 x H100, 8192 tokens, vLLM 0.21 at utilization 0.92:
 * 72.85 - 65.74 - 2.0 - 2.1 = 3.0 GiB before CUDA graphs of 0.5..1.9 GiB; one request
 * needs 1.25 GiB: marginal, decided by the graphs.
 *
 * What nobody fixes, the search decides (search.h): the fewest GPUs to pay for that fit for
 * sure.
 * plan_fixes() proposes changes; each is a request of its own that was planned, and fits.
 */
#ifndef GP_PLAN_PLAN_H
#define GP_PLAN_PLAN_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/cost.h"
#include "plan/evaluate.h"
#include "plan/goals.h"
#include "plan/layout.h"
#include "plan/memory.h"
#include "plan/power.h"
#include "plan/reason.h"
#include "plan/request.h"
#include "plan/speed/speed.h"

#define PLAN_MAX_FIXES 12
#define PLAN_MAX_GPUS 256

/* The first key of search.h's order in which the runner-up is worse. */
enum worse_by {
    WORSE_MONEY,    /* `more` dollars per hour; infinite: no price is known */
    WORSE_PAID,     /* `more` GPUs have to be rented */
    WORSE_GPUS,     /* `more` GPUs */
    WORSE_IDLE,     /* a replica without a user */
    WORSE_MACHINES, /* not in one machine */
    WORSE_UNSURE,   /* a goal of speed is likely where the other surely meets it */
    WORSE_OPTIONS,  /* options of the engine are turned */
    WORSE_STAGES,
    WORSE_TOKENS, /* slower by the share `more`: tokens/s, at a rate those of a user */
    WORSE_REPLICAS,
    WORSE_EXPERTS, /* spread wider */
    WORSE_GOAL,    /* it needs less, and misses the goal of `limit`: it reaches `more` */
    WORSE_NOTHING, /* they are alike */
    WORSE_COUNT
};

/* The best layout that fits with another TP or PP, or with goals the one that needs less
 * and misses them by the least; and what made it lose. */
struct runner_up {
    struct layout layout; /* gpus 0 = there is none */
    double per_hour;      /* dollars; 0 = unknown */
    enum worse_by by;
    double more;
    enum limit limit;
};

/* What a plan would be with the options that the engine has by itself. */
struct default_options {
    double max_batched_tokens;
    double ttft, tpot; /* s */
};

/* What decides a marginal verdict, to turn or to measure: the part of memory whose band is
 * widest, or what no band of a part says. */
enum knob {
    KNOB_NONE,
    KNOB_GRAPHS,
    KNOB_ACTIVATION,
    KNOB_NON_TORCH,
    KNOB_USABLE,
    KNOB_WEIGHTS, /* the last that is a part's band */
    KNOB_LENGTHS, /* how long the requests are at once: from the mean to full length */
    KNOB_ENGINE,  /* what the engine adds, where only weights and KV are planned */
    KNOB_COUNT
};

struct plan {
    struct request request; /* as answered */
    struct layout layout;
    struct memory memory; /* not set when the layout is refused: has_memory */
    bool has_memory;
    enum verdict verdict;
    enum limit limit;
    uint64_t reasons;  /* bits of enum reason */
    unsigned warnings; /* bits of enum warning */
    enum knob knob;
    struct layout marginal_layout; /* fewer GPUs that would be marginal; gpus 0 = none */
    int enough;                    /* GPUs that would do, with REASON_RENTED */
    struct cost cost;
    struct speed speed;         /* of what fits, or may, or exceeds the power cap alone */
    struct speed unsplit_speed; /* where prompts are worked off apart: of the same layout when
                                * each replica does both */
    struct power power;         /* of what has a memory */
    struct runner_up second;
    struct default_options default_options; /* with REASON_TUNED */
    struct knobs turned;                    /* options of request that the search turned */
};

/* The fields of a request that a fix changes, in the order its options are given. */
enum change {
    CHANGE_GPU, /* gpu and gpu_count */
    CHANGE_ENGINE,
    CHANGE_PRECISION,
    CHANGE_KV,
    CHANGE_TP,
    CHANGE_PP,
    CHANGE_EP,
    CHANGE_REPLICAS,
    CHANGE_DP, /* attention copies that share experts */
    CHANGE_MAX_PP,
    CHANGE_USERS,
    CHANGE_CONTEXT,
    CHANGE_UTILIZATION,
    CHANGE_TOKENS,      /* max_batched_tokens */
    CHANGE_SEQS,        /* max_num_seqs */
    CHANGE_EAGER,       /* no CUDA graphs */
    CHANGE_GPU_LAYERS,  /* host_layers */
    CHANGE_CPU_MOE,     /* host_experts */
    CHANGE_CPU_OFFLOAD, /* host_bytes */
    CHANGE_NO_KV,       /* kv_on_host */
    CHANGE_DRAFT,       /* draft and its tokens: none */
    CHANGE_LORA,        /* lora_slots */
    CHANGE_COUNT
};

enum fix_kind {
    FIX_USERS,
    FIX_CONTEXT,
    FIX_KNOBS,       /* one or two of the engine's own options */
    FIX_SLOTS,       /* a slot for every user */
    FIX_STATES,      /* no more slots than blocks of recurrent state */
    FIX_FEWER_SLOTS, /* and so fewer GPUs */
    FIX_SHARE,       /* a smaller share, more for activation and graphs */
    FIX_UNUSED,      /* take only what is free */
    FIX_KV,
    FIX_PRECISION,
    FIX_ONE_GPU, /* and a lower precision */
    FIX_GGUF,    /* an engine that reads GGUF, and one of its formats */
    FIX_ENGINE,
    FIX_SAME_COUNT, /* another layout of as many GPUs */
    FIX_OPEN,       /* as many GPUs as it takes */
    FIX_SMALLER_TP,
    FIX_LARGER_TP,
    FIX_PIPELINE, /* more stages than max_pp */
    FIX_REPAIRED, /* several options that contradict model or engine, put right */
    FIX_GPU,
    FIX_HOST_LAYERS,  /* layers in host memory */
    FIX_HOST_EXPERTS, /* experts there */
    FIX_HOST_BYTES,   /* a part of the weights there */
    FIX_HOST_KV,      /* all KV there */
    FIX_DRAFT,        /* no draft */
    FIX_LORA,         /* fewer adapters at once */
    FIX_AT_ONCE,      /* fewer users run at once, the others wait: TPOT falls */
    FIX_MORE_USERS,   /* more of them: tokens/s rise */
    FIX_STEPS,        /* another number of tokens in a step */
    FIX_KIND_COUNT
};

/* What a fix of a plan that fits is better in (better.h). */
enum better { BETTER_NONE, BETTER_CHEAPER, BETTER_FULLER, BETTER_FASTER, BETTER_COUNT };

struct fix {
    enum fix_kind kind;
    enum better better;
    unsigned changes;       /* bits of enum change */
    struct request request; /* with these changes */
    enum verdict verdict;   /* FITS, or MARGINAL when nothing better was found */
    double gain;            /* bytes per GPU by which room less need improves */
    double ttft, tpot;      /* s; 0 = not asked */
    double tokens;          /* output tokens/s; 0 = not asked */
    int gpus;               /* GPUs in all */
    double per_hour;        /* dollars; 0 = unknown */
    double cost_delta;      /* dollars per hour against the plan; 0 when unknown */
    bool cost_known;
    bool spans; /* GPUs of one request are in several machines */
    int rank;   /* how much it changes what was asked: lower is less */
};

/* What plan_fixes() may choose from besides the request's own values. */
struct choices {
    const struct gpu *const *gpus; /* borrowed; may be NULL */
    size_t gpu_count;
    /* Those that nobody offers, where `gpus` has none of them: read when they are asked for, as
     * they are most. Returns all; NULL: `gpus` is all there is. */
    const struct gpu *const *(*all_gpus)(void *ctx, size_t *count);
    void *all_ctx;
    const struct format *kv;    /* a lower one of the KV cache; NULL = do not */
    struct precisions lower[5]; /* lower ones of this model, best first */
    int lower_count;
    const struct engine *engines[4]; /* other engines */
    int engine_count;
    struct precisions gguf[5]; /* formats of those that read GGUF, best first */
    int gguf_count;
    const struct trace *trace; /* what the lengths are of; NULL = of no trace */
};

void plan_request(const struct request *request, const struct market *market, struct plan *out);
/* Goals of percentiles are looked for on so many GPUs at most; 0 = any. */
void plan_request_within(const struct request *request, const struct market *market, int gpus,
                         struct plan *out);

/* The layout given, no search. */
void plan_layout(const struct request *request, const struct layout *layout,
                 const struct market *market, struct plan *out);

/* The same of a request whose load is summed, load_sum(request), and what its GPU costs,
 * prices_init(). */
void plan_fill(const struct request *request, const struct load *load, const struct layout *layout,
               const struct prices *prices, struct plan *out);

/* What the price class that was asked for costs; unknown where nothing is offered. */
void plan_prices(const struct plan *plan, struct quantity *per_hour, struct quantity *per_month);

/* The spellings of its verdict; of what is slow it says by what: over a budget, by the whole band
 * of an estimate, likely by its middle, or perhaps by an end of it. */
const struct verdict_words *plan_verdict_words(const struct plan *plan);

/* How its goals of speed stand, the worst of them; not asked where no speed is known. */
enum goal_state plan_goals(const struct plan *plan);
/* A cell of a table: "fits", and with goals of speed what they are: "met", "likely"; "slow". */
const char *plan_verdict_cell(const struct plan *plan);

/* Dollars per million of what comes at a rate, of a price per hour: ends against ends. */
struct quantity plan_per_million(struct quantity hour, struct quantity rate);
/* Dollars per million output tokens at this load, of prompts' where they are answered with a
 * vector or a score; unknown without price or speed. */
struct quantity plan_token_price(const struct plan *plan);
/* What a user waits for: the next token; where no token follows the prompt, that itself. */
struct quantity plan_pace(const struct plan *plan);

/* Are GPUs that work on one request in several machines, rented or owned? */
bool plan_spans(const struct plan *plan);

/* Replicas that have no request; 0 where a rate says how many are in flight. */
int plan_idle(const struct plan *plan);

/* The memory of one pipeline stage. load: load_sum() of the plan's request. */
void plan_stage(const struct plan *plan, const struct load *load, int stage, struct memory *out);

/* Takes back what a plan found, options of the engine and the users of a rate: the request as it
 * was asked. */
void plan_untuned(const struct plan *plan, struct request *request);

/* Whole requests that all replicas hold, where one holds so many (memory.h). */
struct quantity plan_holds(const struct plan *plan, const struct quantity *of_replica);
/* Those that count: described ones, of full context where all are bought at it. */
struct quantity plan_capacity(const struct plan *plan);

/* Leaves open what a request gives of its layout. Returns the fields: bits of enum
 * change. */
unsigned plan_free_layout(struct request *request);
/* The bit of the context where a fix has to name it: another engine's or other GPUs' usual
 * one would be taken in its place. */
unsigned plan_keep_context(const struct request *asked, const struct request *fixed);

/* Fixes for a plan that does not fit or is marginal, best first; for one that fits, the
 * deeper pipeline and the fewer slots that need fewer GPUs. Returns how many. */
int plan_fixes(const struct plan *plan, const struct choices *choices, const struct market *market,
               struct fix out[PLAN_MAX_FIXES]);

/* Bytes of the part that a knob names. */
struct quantity plan_knob_part(const struct memory *memory, enum knob knob);

/* Room less need of the binding stage, bytes (negative: missing). */
double plan_margin(const struct plan *plan);

#endif
