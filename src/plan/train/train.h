/*
 * train.h - the memory of fine-tuning a model, part by part, on one GPU.
 *
 * Nothing here knows an inference engine: the parts follow from the model's tensors
 * (model.h), a recipe (bytes per parameter) and how data-parallel ranks share them:
 *
 *   full    weights 2 + gradients 4 + master 4 + AdamW moments 8 = 18 B per parameter
 *           (with ZeRO the gradients are 16 bit: 2 + 2 + 4 + 8 = 16)
 *   lora    weights 2 B per parameter, frozen; adapters r*(in + out) per matrix at
 *           4 + 4 + 8 = 16 B each
 *   qlora   the same over NF4 linears: 4.127 bits with double quantisation, 4.5 without
 *   modules_to_save   a whole copy of embedding or head at 2 + 2 + 4 (16-bit) to 16 B
 *   GPTQ, AWQ, INT8   lora over linears of that format (format.h)
 *
 *   ZeRO over N ranks   stage 1 cuts master and moments by N, stage 2 the gradients
 *                       too, stage 3 (FSDP full shard) the weights too
 *
 *   offload    master, moments and gradients (ZeRO-1 and higher), also the weights
 *              (ZeRO-3) are in host memory: 16 or 18 B per parameter / N and rank
 *   step in the backward pass   gradients of one tensor at a time instead of all
 *   one micro-batch a step      gradients come as activations go: none at the start of the
 *                               backward pass (struct trainer: single), all where steps accumulate
 *
 *   context parallel   a rank has sequence / cp tokens, and for a while the keys and
 *                      values of others; ZeRO cuts by cp too
 *   sequence parallel  norms and inputs are cut by TP like the rest
 *   device_map         layers in series: as PP with one micro-batch, without NCCL,
 *                      cut as evenly as Accelerate does, to 1.25 layers
 *
 *   activations = micro_batch * sequence * sum over layers of what autograd keeps
 *                 (train_saved; for a plain transformer of h wide layers, 16 bit, MLP
 *                 of 4h and dropout that is 34*h bytes, the published figure)
 *                 full recompute: 2*h per layer and one live layer
 *   logits      = micro_batch * sequence * vocab * 14 of an eager 16-bit loss; 8 of one
 *                 by chunks; one chunk of a fused one (enum train_loss)
 *   peak        = the larger of the backward pass (activations + the larger of logits
 *                 and a recomputed layer) and the optimizer's own temporaries
 *   total       = weights + gradients + master + optimizer + adapters + peak + buffers
 *                 + fragmentation + context
 *
 * Example: Llama-3.1-8B, 8,030,261,248 parameters, full, AdamW mixed, one GPU:
 * 18 B * 8.03e9 = 134.6 GiB before any activation: no single 80 GB GPU. With ZeRO-3 on
 * 8 GPUs it is 16 B * 8.03e9 / 8 = 15.0 GiB on each.
 *
 * Bands: the framework is taken to be eager PyTorch unless fused_kernels is set; the
 * measured runs of tests/accuracy/train.c lie inside.
 *
 * What a run prints is one of two figures, and neither is `total`:
 *
 *   allocated = states + peak + buffers   what was live (torch.cuda.max_memory_allocated)
 *   reserved  = allocated + reserve       with the blocks that the allocator rounds up
 *                                         and keeps (max_memory_reserved)
 *
 * nvidia-smi shows reserved + context. The allocator gives its free blocks back before it
 * fails, so that only what fragmentation keeps from use counts in `total`, which decides
 * the verdict.
 *
 * Sources: Korthikanti et al. 2022 (34*h); Megatron-LM theoretical_memory_usage.py
 * (18 B, 6 + 12/N); EleutherAI/cookbook (ZeRO, buckets); stas00/ml-engineering
 * (context, NCCL); pytorch/pytorch DistributedDataParallel and torch.optim
 * documentation; bitsandbytes MatMul4Bit (keeps its input); DeepSpeed PipelineEngine
 * (no ZeRO-2 and 3).
 */
#ifndef GP_PLAN_TRAIN_TRAIN_H
#define GP_PLAN_TRAIN_TRAIN_H

#include <stdbool.h>
#include <stddef.h>

#include "base/quantity.h"
#include "plan/plan.h"
#include "plan/request.h"
#include "plan/terms.h"

#define TRAIN_MAX_FIXES 12
#define TRAIN_ZERO_CHOOSE (-1)

/* What eager frameworks keep over the count of train_saved.c; fitted, see there. */
#define TRAIN_COPIES 1.25

enum train_method { TRAIN_NONE, TRAIN_FULL, TRAIN_LORA, TRAIN_QLORA, TRAIN_COUNT };

enum recompute {
    RECOMPUTE_NONE,
    RECOMPUTE_SELECTIVE, /* attention scores only (Megatron): saves where no flash attention is */
    RECOMPUTE_OPS,       /* all but attention and every second product (PyTorch, per operator) */
    RECOMPUTE_FULL,      /* a layer's input is kept, the rest computed again */
    RECOMPUTE_AUTO,      /* the least of these that fits */
    RECOMPUTE_COUNT
};

enum train_optimizer {
    OPTIMIZER_ADAMW,      /* 16-bit weights, FP32 master, moments and gradients: 18 B */
    OPTIMIZER_ADAMW_BF16, /* everything 16 bit: 8 B */
    OPTIMIZER_ADAMW_8BIT, /* as adamw, moments of 1 byte each: 12 B */
    OPTIMIZER_SGD,        /* as adamw, one FP32 momentum: 14 B */
    OPTIMIZER_COUNT
};

enum train_loss {
    LOSS_EAGER,   /* 16-bit logits 2, FP32 copy 4, log-softmax 4, gradient 4 */
    LOSS_CHUNKED, /* cut, but each chunk kept: 16-bit logits, log-softmax, gradients */
    LOSS_FUSED,   /* head and loss as one kernel: a chunk, and the head's input */
    LOSS_COUNT
};

/* What is in host memory, where the optimizer then runs (ZeRO-Offload, cpu_offload). */
enum train_offload {
    OFFLOAD_NONE,
    OFFLOAD_OPTIMIZER,  /* master, moments and gradients: ZeRO-1 and higher */
    OFFLOAD_PARAMETERS, /* the weights too: ZeRO-3 */
    OFFLOAD_COUNT
};

enum lora_targets {
    LORA_LINEAR /* every linear matrix */,
    LORA_QV /* query and value */,
    LORA_ATTENTION /* all of attention, none of MLP and experts */
};

/* What is trained whole beside adapters (PEFT: modules_to_save), each a bit. */
enum train_modules { MODULES_NONE, MODULES_EMBED, MODULES_HEAD, MODULES_BOTH };

/* How the frozen matrices under LoRA are stored; QLoRA's are NF4. */
enum train_base {
    BASE_16_BIT,
    BASE_NF4,  /* bitsandbytes MatMul4Bit */
    BASE_INT8, /* bitsandbytes LLM.int8 */
    BASE_AWQ,  /* AutoAWQ WQLinearMMFunction */
    BASE_GPTQ, /* GPTQModel: Triton kernel, or matrices dequantised under autograd */
    BASE_COUNT
};

/* A trainer's own defaults, of a range of its versions (trainer.c); what is asked for besides
 * goes before them. */
struct trainer {
    const char *word, *from, *until; /* "trl", "0.12"; "" = open */
    enum train_loss loss;
    bool fused;
    enum recompute recompute;
    double logit[3]; /* bytes per logit, low to high; 0 = as the loss has */
    double reserve;  /* of what comes and goes, in free blocks, at most */
    const char *source;
    bool single; /* a step is of one micro-batch, and frees its gradients before the next */
};
/* "trl", "trl@0.9": NULL: there is none. */
const struct trainer *trainer_find(const char *text);
void trainer_words(char *text, size_t size); /* "trl, transformers, ..." */

struct train {
    const struct trainer *trainer; /* borrowed; NULL: none is named */
    enum train_method method;
    enum train_optimizer optimizer;
    enum recompute recompute;
    enum train_loss loss;
    enum lora_targets targets;   /* which matrices get adapters */
    enum train_modules modules;  /* trained as copies; lora and qlora */
    enum train_base base;        /* of lora; qlora: BASE_NF4 */
    const struct format *format; /* borrowed; NULL: the base is of 16 bits or NF4 */
    int lora_rank;               /* r; lora and qlora */
    int zero_stage;              /* 0..3, or TRAIN_ZERO_CHOOSE: the lowest that fits */
    double sequence;             /* tokens of one sequence */
    double micro_batch;          /* sequences per GPU and pass */
    bool single_quant;           /* NF4 scales not quantised again: 4.5 bits, not 4.127 */
    bool eager_attention;        /* scores are stored: no flash or memory-efficient kernel */
    bool fused_kernels;          /* fused norms, SwiGLU, GQA attention (Megatron, Liger):
                                * one 16-bit copy of what is kept */
    bool whole_gradients;        /* FSDP that accumulates under no_sync(), or whose units
                                * mix frozen and trained parameters: each rank holds
                                * 16-bit gradients of all those units' parameters */
    enum train_offload offload;
    bool step_in_backward;  /* each gradient is applied and freed at once */
    int gpus;               /* in all; 0 = the fewest that fit, up to PLAN_MAX_GPUS */
    int tp, pp, cp;         /* 0 = 1; cp: ranks that share each sequence */
    bool sequence_parallel; /* what TP leaves whole is cut by it too (Megatron) */
    bool device_map;        /* one process: layers in series over its GPUs, one at work at a
                      * time; pp is the number of GPUs */
};

enum train_limit {
    TRAIN_LIMIT_NONE,
    TRAIN_LIMIT_LAYOUT,  /* refused; see reasons */
    TRAIN_LIMIT_WEIGHTS, /* the weights alone exceed the GPU */
    TRAIN_LIMIT_STATES,  /* weights, gradients and optimizer do */
    TRAIN_LIMIT_ACTIVATIONS,
    TRAIN_LIMIT_LOGITS, /* it would fit but for the logits */
    TRAIN_LIMIT_USED,   /* somebody else holds the memory */
    TRAIN_LIMIT_COUNT
};

enum train_moment { MOMENT_BACKWARD, MOMENT_STEP };

/* Why a run is refused or does not fit, each a bit; in the order they are told. */
enum train_reason {
    TRAIN_REASON_METHOD,
    TRAIN_REASON_TOKENS, /* the model is not trained by tokens */
    TRAIN_REASON_SEQUENCE,
    TRAIN_REASON_MICRO_BATCH,
    TRAIN_REASON_ZERO,
    TRAIN_REASON_LORA_RANK,
    TRAIN_REASON_DEGREES,
    TRAIN_REASON_POSITIONS,
    TRAIN_REASON_TOO_MANY, /* TP x PP exceeds PLAN_MAX_GPUS */
    TRAIN_REASON_MULTIPLE, /* the GPUs are no multiple of TP x PP */
    TRAIN_REASON_LAYOUT,   /* layout_refusals() of train_request() */
    TRAIN_REASON_ZERO_PP,
    TRAIN_REASON_OFFLOAD,
    TRAIN_REASON_STEP,
    TRAIN_REASON_CP,
    TRAIN_REASON_SEQUENCE_PARALLEL,
    TRAIN_REASON_MAP,
    TRAIN_REASON_MAP_HOST,
    TRAIN_REASON_ADAPTERS,
    TRAIN_REASON_NEEDS, /* more than the GPU has */
    TRAIN_REASON_NO_COUNT,
    TRAIN_REASON_COUNT
};

enum train_warning {
    TRAIN_WARNING_NF4_STORED,
    TRAIN_WARNING_ADAPTER_UNITS,
    TRAIN_WARNING_NO_SYNC,
    TRAIN_WARNING_SELECTIVE,
    TRAIN_WARNING_CONTEXT,
    TRAIN_WARNING_BF16,
    TRAIN_WARNING_HOST,
    TRAIN_WARNING_EAGER, /* nobody said that a flash kernel runs, and it would not fit without */
    TRAIN_WARNING_COUNT
};

/* The part whose band decides a marginal verdict. */
enum train_knob {
    TRAIN_KNOB_ACTIVATIONS,
    TRAIN_KNOB_LOGITS,
    TRAIN_KNOB_BUFFERS,
    TRAIN_KNOB_GRADIENTS,
    TRAIN_KNOB_WEIGHTS,
    TRAIN_KNOB_STEP,
    TRAIN_KNOB_COUNT
};

/* What autograd keeps for the backward pass. */
struct train_saved {
    struct quantity layers;   /* bytes, all layers of the stage, in-flight micro-batches */
    struct quantity live;     /* bytes of the layer that is computed again; 0 = none */
    struct quantity logits;   /* bytes of logits and their gradient; 0 off the last stage */
    struct quantity exchange; /* bytes of keys and values of other ranks (cp) */
    double per_token;         /* bytes per token of all layers together, nothing
                              * recomputed, middle of the band */
};

/* How a base is trained on. */
struct base_rule {
    bool quantised;
    bool keeps_inputs;   /* its matrix product keeps its input, though frozen */
    bool keeps_matrices; /* may keep its matrices in 16 bit until the backward pass */
    bool rest_fp32;      /* PEFT's preparation may turn the rest into FP32 */
};
struct base_rule train_base_rule(const struct train *train);

struct train_memory {
    struct train train;            /* as answered: gpus, zero_stage, tp and pp are set */
    bool searched;                 /* gpus was 0: the count is the fewest found */
    bool recompute_chosen;         /* recompute was RECOMPUTE_AUTO */
    int data_parallel;             /* gpus / (tp*pp*cp) */
    int shards;                    /* N = gpus / (tp*pp): ranks that ZeRO cuts by */
    int stage;                     /* pipeline stage these figures are of */
    double params;                 /* parameters of the whole model */
    double trainable;              /* of them, or of the adapters, trained; whole model */
    double local;                  /* parameters of this rank's TP and PP share */
    struct quantity usable;        /* bytes a program can have on this GPU */
    struct quantity weights;       /* bytes of the model, trained or frozen */
    struct quantity adapters;      /* bytes of LoRA matrices */
    struct quantity modules;       /* bytes of trained copies of embedding and head */
    struct quantity gradients;     /* bytes */
    struct quantity master;        /* bytes of the FP32 copy of trained 16-bit weights */
    struct quantity optimizer;     /* bytes of moments */
    struct quantity states;        /* bytes: the six above */
    struct quantity activations;   /* bytes kept for the backward pass */
    struct quantity logits;        /* bytes of logits and their gradient */
    struct quantity live;          /* bytes of a recomputed layer */
    struct quantity step;          /* bytes of the optimizer step's temporaries */
    struct quantity peak;          /* bytes: max(activations + max(logits, live), step) */
    struct quantity buffers;       /* bytes: DDP or ZeRO buckets, gathered parameters,
                                  * one dequantised matrix (qlora) */
    struct quantity exchange;      /* bytes of them: keys and values of other ranks */
    struct quantity fragmentation; /* bytes the allocator cannot use */
    struct quantity context;       /* bytes of CUDA context, cuBLAS and NCCL */
    struct quantity host;          /* bytes that all ranks of a host have offloaded */
    struct quantity total;         /* bytes of all parts */
    struct quantity allocated;     /* bytes live at the peak: states, peak, buffers */
    struct quantity reserve;       /* bytes that the allocator keeps besides */
    struct quantity reserved;      /* bytes: allocated + reserve, at most the GPU's */
    struct quantity free;          /* bytes: usable - used - total, may be negative */
    enum train_moment moment;      /* which moment `peak` is */
    enum verdict verdict;
    enum train_limit limit;
    enum train_knob knob;       /* of a marginal verdict */
    double eager;               /* bytes it takes where attention scores are stored */
    double host_ram;            /* bytes of the rented machine where that is less
                                    * than `host` (planner_train.c) */
    unsigned reasons, warnings; /* bits of enum train_reason, train_warning */
};

/* What a fix changes, from what changes least of what was asked to what changes most:
 * recomputing costs time only, a smaller batch or state changes the arithmetic, another
 * method the result. */
enum train_fix_kind {
    TRAIN_FIX_FUSED,
    TRAIN_FIX_RECOMPUTE,
    TRAIN_FIX_ZERO,
    TRAIN_FIX_OFFLOAD,
    TRAIN_FIX_BATCH,
    TRAIN_FIX_BOTH, /* recompute, and micro-batch 1 */
    TRAIN_FIX_GPUS,
    TRAIN_FIX_OPTIMIZER,
    TRAIN_FIX_SEQUENCE,
    TRAIN_FIX_LORA,
    TRAIN_FIX_LORA_BOTH,
    TRAIN_FIX_QLORA,
    TRAIN_FIX_QLORA_BOTH,
    TRAIN_FIX_KIND_COUNT
};

struct train_fix {
    enum train_fix_kind kind;
    enum verdict verdict;
    struct train train; /* the whole setting that was planned */
    double gain;        /* bytes per GPU by which `free` grows */
    int gpus;           /* in all */
    int ranks;          /* data parallel of the run that it fixes */
    double host;        /* bytes of one host's memory */
    double per_hour;    /* dollars, whole machines; 0 = unknown (planner_train.c) */
};

/* Defaults: adamw, eager loss, flash attention, 2048 tokens, micro-batch 1, rank 16 on
 * every linear matrix; recompute, ZeRO stage and GPU count to be chosen. */
struct train train_defaults(enum train_method method);

/* Answers one question; request gives model, gpu, used, host_gpus. Searches when gpus
 * is 0, zero_stage is TRAIN_ZERO_CHOOSE or recompute RECOMPUTE_AUTO. */
void train_estimate(const struct request *request, const struct train *train,
                    struct train_memory *out);

struct quantity train_knob_part(const struct train_memory *memory);

/* Changes that were planned and fit (or at least are marginal), best first. */
int train_fixes(const struct request *request, const struct train_memory *memory,
                struct train_fix out[TRAIN_MAX_FIXES]);

/* Every term with its equation, inputs and source. priced: layout and
 * cost of train_cost(); NULL: memory alone. */
int terms_of_train(const struct request *request, const struct train_memory *memory,
                   const struct plan *priced, struct term out[TERMS_MAX]);

/* Activations of one pipeline stage (train_saved.c). */
struct train_saved train_saved(const struct request *request, const struct train *train, int stage);

/* The parts of one stage: everything from `stage` on but verdict, limit and notes.
 * memory->train, data_parallel and usable must be set (train_plan.c does). */
void train_stage(const struct request *request, int stage, struct train_memory *memory);

/* What a run costs (train_cost.c); layout: as it is priced, groups of GPUs of one host
 * as TP of so many replicas, on layout->hosts machines. */
void train_cost(const struct request *request, const struct train *train,
                const struct market *market, struct layout *layout, struct cost *out);

/* Parameters of the adapters of the whole model; 0 when nothing can be adapted. */
double train_adapters(const struct request *request, const struct train *train);

/* The lowest ZeRO stage that cuts all that is offloaded. */
int train_lowest_stage(const struct train *train);

struct layout train_layout(const struct train *train);
/* The request whose layout that is: its count is what TP, PP and replicas make it. */
struct request train_request(const struct request *request);

/* Bytes per parameter of one recipe. */
struct recipe {
    const char *word;                       /* "adamw" */
    double weight, gradient, master, state; /* bytes per trained parameter */
    double shard_gradient;                  /* the same for gradients under ZeRO */
};
const struct recipe *train_recipe(enum train_optimizer optimizer);

const char *train_method_word(enum train_method method);    /* "full", "qlora" */
const char *train_recompute_word(enum recompute recompute); /* "none", "full" */
const char *train_optimizer_word(enum train_optimizer optimizer);
const char *train_loss_word(enum train_loss loss);          /* "eager", "fused" */
const char *train_offload_word(enum train_offload offload); /* "optimizer" */
const char *train_base_word(const struct train *train);     /* "16-bit", "int4-awq" */
const char *train_limit_word(enum train_limit limit);       /* "optimizer-states" */
/* The opposite, for the command line; -1 when there is no such word. */
int train_recompute_parse(const char *word);
int train_optimizer_parse(const char *word);
int train_loss_parse(const char *word);

#endif
