/*
 * reason.h - what a verdict rests on, as codes.
 *
 * Each reason has the verdict it forces and the limit it names; an answer's verdict is
 * the worst of its reasons', its limit that of the first. The order is that in which
 * they are said. A set of them is a word of bits: the words are made of the plan where
 * it is shown (src/output).
 *
 * Example: BF16 weights on a V100 that are also too large: bits REASON_BF16 and
 * REASON_WEIGHTS; does-not-fit, limit "type".
 */
#ifndef GP_PLAN_REASON_H
#define GP_PLAN_REASON_H

#include <stdint.h>

#include "plan/load.h"
#include "plan/request.h"

enum verdict {
    VERDICT_FITS,
    VERDICT_SLOW, /* it fits, and misses a goal of speed, or the budget */
    VERDICT_MARGINAL,
    VERDICT_DOES_NOT_FIT
};

enum limit { /* what stands in the way, or would first */
             LIMIT_NONE,
             LIMIT_WEIGHTS,  /* the weights alone exceed the budget */
             LIMIT_OVERHEAD, /* weights and overheads leave no room for KV */
             LIMIT_KV,       /* the KV pool is too small for the users and context */
             LIMIT_LAYOUT,   /* the layout is not valid */
             LIMIT_TYPE,     /* the engine refuses the type on this GPU */
             LIMIT_SEQS,     /* more users than max_num_seqs */
             LIMIT_USED,     /* something else holds the memory */
             LIMIT_CONTEXT,  /* more than the model's maximum */
             LIMIT_STATES,   /* more slots than blocks of recurrent state */
             LIMIT_TTFT,     /* a goal of speed is missed */
             LIMIT_TPOT,
             LIMIT_E2E,
             LIMIT_RATE,       /* more requests arrive than can be served */
             LIMIT_THROUGHPUT, /* fewer tokens/s than the goal */
             LIMIT_BUDGET,     /* more dollars per hour */
             LIMIT_POWER,      /* more watts than the cap */
             LIMIT_COUNT
};

enum reason {
    REASON_LAYOUT,        /* the layout is not valid (layout_refusals) */
    REASON_BF16,          /* the engine refuses BF16 on this GPU */
    REASON_FP16,          /* the engine does not run this model in FP16 */
    REASON_FP32,          /* nor is there BF16 here: it would load FP32 */
    REASON_VENDOR,        /* the engine does not run on this vendor's GPUs */
    REASON_GPU,           /* nor on a GPU this old, or this new */
    REASON_QUANTIZED,     /* nor these weights on one */
    REASON_SPARSE,        /* nor sparse attention (DSA, CSA) */
    REASON_KV_GPU,        /* nor such a KV cache */
    REASON_FORMAT,        /* nor these weights on any: FP64, INT8 in MLX */
    REASON_METHOD,        /* nor a checkpoint of such a quantiser: exl3 in vLLM */
    REASON_FAMILY,        /* nor models of this family yet */
    REASON_DROPPED,       /* nor models of this family any more */
    REASON_KV_FORMAT,     /* the engine has no such KV cache */
    REASON_KV_BLOCK,      /* its blocks do not divide the width of a head */
    REASON_OFFLOAD,       /* several groups of KV, and weights in host memory */
    REASON_DRAFT,         /* the draft has another vocabulary */
    REASON_CONTEXT,       /* more tokens than the model was made for */
    REASON_SEQS,          /* more users per replica than slots */
    REASON_SLOTS,         /* more slots than the engine was built for */
    REASON_TOKENS,        /* fewer tokens in a step than slots */
    REASON_PROMPT,        /* ... than an encoder's longest prompt */
    REASON_USED,          /* the budget exceeds what something else leaves */
    REASON_WEIGHTS,       /* the weights exceed the budget */
    REASON_OVERHEAD,      /* weights and overheads leave no pool */
    REASON_KV,            /* the users' requests exceed the pool */
    REASON_PREFILL_LACKS, /* replicas for prompts alone do not hold weights and prompts */
    REASON_HELD,          /* the pool of states holds fewer requests than users */
    REASON_STATES,        /* fewer blocks of state than slots: the engine exits */
    REASON_CROSSES,       /* the pool's band crosses what they need */
    REASON_SPREADS,       /* the pool holds them only while they are spread */
    REASON_OVERRUNS,      /* what lies outside the budget may not fit */
    REASON_PREFILL_TIGHT, /* ... may not */
    REASON_STATES_TIGHT,  /* perhaps fewer */
    REASON_DECIDES,       /* the knob that decides the two above */
    REASON_REST_LACKS,    /* what the fraction leaves cannot hold the overheads */
    REASON_REST_TIGHT,    /* ... may not hold them */
    REASON_GPU_COUNT,     /* no layout of this many GPUs is valid */
    REASON_MEMORY_ONLY,   /* of this GPU only the memory is known */
    REASON_POWER,         /* GPUs and hosts draw more than the cap */
    REASON_NO_POWER,      /* a cap is given, and what the GPU draws is not known */
    REASON_NEARLY,        /* fewer GPUs would be marginal */
    REASON_RENTED,        /* fewer would do: all that are rented are used */
    REASON_TTFT,          /* misses the goal */
    REASON_TPOT,
    REASON_TTFT_LATE, /* percentiles (late.h) miss theirs */
    REASON_TPOT_LATE,
    REASON_E2E_LATE,
    REASON_RATE,       /* more requests arrive than can be served */
    REASON_THROUGHPUT, /* fewer tokens/s than the goal */
    REASON_NO_SPEED,   /* a goal is given, and there is no estimate */
    REASON_BUDGET,     /* more dollars per hour than the goal */
    REASON_NO_PRICE,   /* a budget is given, and no price is known */
    REASON_TUNED,      /* an option of the engine was turned to reach the goals */
    REASON_TURNED,     /* options of the engine were turned so that it fits */
    REASON_COUNT
};

#define REASON_BIT(reason) ((uint64_t)1 << (reason))

enum warning {
    WARNING_FP16,         /* no BF16 here: activations run in FP16 */
    WARNING_WHEELS,       /* the engine's published builds have no kernels for this GPU */
    WARNING_VENDOR,       /* whether the engine runs on this vendor's GPUs is unknown */
    WARNING_WEIGHTS_ONLY, /* only the weights are counted */
    WARNING_VISION,       /* GGUF keeps the vision tower in a file of its own */
    WARNING_GGUF,         /* a GGUF format in an engine that does not run it well */
    WARNING_UNPACKED,     /* no arithmetic of this type: unpacked to 16 bit */
    WARNING_SLOW_TYPE,    /* arithmetic of this type is slower than FP16 */
    WARNING_ZEROS,        /* unstructured pruning saves no memory */
    WARNING_SPARSE,       /* no sparse tensor cores */
    WARNING_ENGINE,       /* none was named, and the usual one does not run on these GPUs */
    WARNING_SLOTS,        /* more users than the engine has slots unless told */
    WARNING_SLICE,        /* the engine may take the whole GPU's defaults for a slice */
    WARNING_HOST_BYTES,   /* weights are read over the host link in each step */
    WARNING_HOST_LAYERS,  /* layers or experts are computed on the host */
    WARNING_HOST_IGNORED, /* the model's runner leaves nothing in host memory */
    WARNING_HOST_LOST,    /* quantized weights come back from host memory */
    WARNING_KV_HOST,      /* KV kept in host memory holds no request in flight */
    WARNING_KV_FLAT,      /* it makes every layer cache as a full one */
    WARNING_PROMPT_CACHE, /* earlier prompts are kept in this device's own memory */
    WARNING_YARN,         /* the context is longer than the model was trained for */
    WARNING_KV_ON_HOST,   /* all KV is there: attention is computed there */
    WARNING_DRAFT_WORDS,  /* the draft has another vocabulary, which is taken */
    WARNING_MTP_SHAPE,    /* the shape of the MTP layers is a guess */
    WARNING_SAMPLER,      /* another sampler, where installed, keeps fewer logits */
    WARNING_IDLE,         /* more replicas than requests in flight */
    WARNING_LENGTHS,      /* some requests are longer than the context */
    WARNING_TP_HOSTS,     /* a TP group is in several hosts */
    WARNING_CONFIDENCE,   /* the GPU's figures are of low confidence */
    WARNING_BANDWIDTH,    /* of what its speed rests on only the bandwidth is known */
    WARNING_NOTE,         /* what a checkpoint's reader had to say */
    WARNING_COUNT
};

/* Those that hold whatever the layout, as bits; the first whatever the engine's options, too.
 * load: as far as load_sum() is. */
uint64_t reasons_unturned(const struct request *request);
uint64_t reasons_of_request(const struct request *request, const struct load *load);
unsigned warnings_of_request(const struct request *request, const struct load *load);

/* The row of the engine's support for which the request is refused; NULL: it is not. */
const struct support *reason_support(const struct request *request, enum reason reason);

/* Does the engine load the request's weights: their format, and a checkpoint of its quantiser? */
bool reason_loads(const struct request *request, const struct engine *engine);

enum verdict reasons_verdict(uint64_t reasons);
enum limit reasons_limit(uint64_t reasons);

/* Does the plan hold what was asked, its goals too? A marginal one may miss a goal. The
 * commands exit with 1 where it does not. */
bool reasons_pass(uint64_t reasons);

/* Does it hold the load for sure, whatever its speed? */
static inline bool verdict_holds(enum verdict verdict)
{
    return verdict == VERDICT_FITS || verdict == VERDICT_SLOW;
}

/* The one home of a verdict's spellings. */
struct verdict_words {
    const char *file;     /* "does-not-fit": JSON, CSV, --quiet */
    const char *brief;    /* "no fit": cells of tables, pictures */
    const char *head;     /* "NO FIT": head of a panel, which may have 40 columns */
    const char *shout;    /* "DOES NOT FIT": answer of --plan and of a page */
    const char *sentence; /* "does not fit" */
};
extern const struct verdict_words verdict_words[]; /* by verdict */
/* Of what is slow, where it is not simply too slow: plan_verdict_words() of plan.h. */
enum slow_by { SLOW_BUDGET, SLOW_LIKELY, SLOW_UNSURE };
extern const struct verdict_words slow_words[];

/* ... and of a limit's. */
struct limit_words {
    const char *file; /* "kv-cache" */
    const char *noun; /* "KV pool": what is in the way */
    const char *end;  /* "the KV pool is full": why no more is held */
};
extern const struct limit_words limit_words[LIMIT_COUNT];

static inline const char *verdict_word(enum verdict verdict)
{
    return verdict_words[verdict].file;
}

static inline const char *limit_word(enum limit limit)
{
    return limit_words[limit].file;
}

#endif
