/*
 * engine.h - what an inference engine of one version range adds to a GPU's memory.
 *
 * Overheads are additive terms, per engine and version, each with its evidence; never a
 * percentage. Engines budget in four ways (enum budget):
 *
 *   UTILIZATION  vLLM: KV = utilization*usable - weights - activation - non_torch
 *                [- graphs, since 0.21]
 *   FREE         TensorRT-LLM: KV = fraction * (usable - everything else)
 *   STATIC       SGLang: weights + KV = fraction * (usable - non_torch), what is free
 *                before the load; the rest must hold activation and graphs
 *   ASKED        llama.cpp: KV is what is asked for; all parts must fit in usable
 *
 * Activation (per GPU), the larger of two moments, as a profiling run sees them:
 *   sampling = seqs*V*(logit_copies*4 + act bytes) + c*h*act bytes + base
 *   forward  = c*(2h + 3*ff/t)*act bytes + forward_base
 *   + moe_workspace * c*topk*(max(2*mff/t, h) + max(mff/t, h))*act bytes
 * c = max_num_batched_tokens, seqs = max_num_seqs. From 0.22 on vLLM has two model
 * runners, each with its own sampler and its own way to charge graphs: `second` says
 * which models run on the second one.
 * Example, vLLM 0.19, Llama-3.1-8B: 1024*128256*(3*4+2) + 8192*4096*2 + 0.12 GiB
 *   = 1.71 + 0.06 + 0.12 = 1.89 GiB; logged: 1.89.
 *
 * SGLang's fraction follows from the memory of the GPU (rules_sglang.c), llama.cpp has one
 * compute buffer for the graph of c = n_ubatch tokens (rules_llamacpp.c).
 */
#ifndef GP_CATALOG_ENGINE_H
#define GP_CATALOG_ENGINE_H

#include <stdbool.h>

#include "base/quantity.h"
#include "model/format.h"

/* X(NAME, a profile's word) */
#define BUDGETS(X)                \
    X(UTILIZATION, "utilization") \
    X(FREE, "free")               \
    X(STATIC, "static")           \
    X(ASKED, "asked")

#define X(NAME, word) BUDGET_##NAME,
enum budget { BUDGETS(X) };
#undef X

/* Whose logits are there at the sampling peak. X(NAME, a profile's word) */
#define LOGIT_ROWS(X)                                                          \
    X(SLOTS, "slots")     /* of every slot: max_num_seqs */                    \
    X(USERS, "users")     /* nothing is profiled: of the requests in flight */ \
    X(PROMPTS, "prompts") /* of the prompts that fill one profiled step */

#define X(NAME, word) ROWS_##NAME,
enum logit_rows { LOGIT_ROWS(X) };
#undef X

/* How steps are packed of those that run and wait (plan/replay/). X(NAME, a profile's word) */
#define SCHEDULERS(X)     \
    X(NONE, "none")       \
    X(VLLM, "vllm")       \
    X(SGLANG, "sglang")   \
    X(TRTLLM, "no-evict") \
    X(LLAMACPP, "slots")

#define X(NAME, word) SCHEDULER_##NAME,
enum scheduler { SCHEDULERS(X) SCHEDULER_COUNT };
#undef X

/* Who gives way under --scheduling-policy priority. vLLM, when blocks run out: the least urgent,
 * whose tokens of the step are used up and the next behind it passed over; or others have its
 * tokens; or, besides, one that gives way to others does not end the step. SGLang, when slots run
 * out: all that are less urgent by far; or the fewest of them. X(NAME, a profile's word) */
#define PRIORITY_RULES(X)            \
    X(NONE, "none") /* fcfs alone */ \
    X(KEEPS_BUDGET, "keeps-budget")  \
    X(GIVES_BACK, "gives-back")      \
    X(GOES_ON, "goes-on")            \
    X(ALL, "all")                    \
    X(FEWEST, "fewest")

#define X(NAME, word) PRIORITY_##NAME,
enum priority_rule { PRIORITY_RULES(X) };
#undef X

/* Defaults of GPUs with less memory than `below`, as the driver's tool prints it. */
#define ENGINE_TIERS 8
struct engine_tier {
    double below;  /* bytes; 0 = whatever is larger */
    int tokens;    /* max_num_batched_tokens */
    int graphs[2]; /* the largest graph batch at tp < 4, and from 4 on */
    int context;   /* tokens of a request that asks for none */
};

/* Where an engine's kernel of experts is another than elsewhere. */
#define SPEED_CASES 8
struct speed_case {
    char family[32]; /* of GPUs (speed/family.h); "" = any */
    int kernel;      /* enum kernel */
    double experts;  /* s per layer with experts */
    double rows;     /* each expert's tokens are padded to as many; 0 = they are not */
    int below_tp;    /* ... with a TP below this; 0 = any */
    double launch;   /* factor on the family's time per kernel, of which alone the case is; 0: no */
};

/* What a step costs beside the GPU's work, and how prompts and decodes share it
 * (speed/step.h, speed/serve.h). kernel and layer 0: no estimate of speed. */
struct engine_speed {
    char seen[16];            /* newest version whose served speed was measured; "" = any */
    double kernel;            /* s per kernel of a decode step */
    double layer;             /* s per layer; llama.cpp, whose graph is not counted */
    double host;              /* s per step */
    double request;           /* s per request and step */
    double sampler;           /* passes over the FP32 logits */
    double verify;            /* s per step that checks drafted tokens */
    double verify_work;       /* share of its products' time that it takes more */
    double draft;             /* s per pass of what drafts them, beside its own step */
    double experts;           /* s per layer with experts */
    double allreduce;         /* factor on the latency of an all-reduce */
    double kv;                /* factor on the family's reads of the cache; 0 = 1 */
    double mla_splits;        /* blocks at most that share a sequence in MLA's decode, on GPUs
                               * without a kernel for it (family.h); 0 = all there are */
    double mla_span;          /* tokens of each at least; the blocks are a power of 2 */
    bool prefill_alone;       /* prompts run in steps of their own */
    double prefill_kernel;    /* s per kernel of a step with prompts, to launch it */
    double captured;          /* tokens of the largest step with prompts that is a graph */
    char uncaptured_100[48];  /* families of which none is, on compute capability 10.x */
    double prefill_layer;     /* s per layer and chunk of a prompt; llama.cpp, MLX */
    double prefill_attention; /* factor on the family's attention of prompts; 0 = 1 */
    double prefill_overlap;   /* share of the pipeline's stages that chunks of one prompt fill */
    double score_bytes;       /* written and read per score of a prompt; 0: flash attention */
    bool unpacks;             /* prompts of quantized weights read 16-bit copies of them */
    double host_tokens;       /* of a step, from which on what is in host memory is copied to the
                               * GPU; below, the host computes it; 0 = always read by the GPU */
    double host_copy;         /* share of PCIe that such reads and copies reach; 0 = 1 */
    double host_hop;          /* s from GPU to host or back, in a step */
    double prefill_compute;   /* share of a product's arithmetic in mixed steps */
    double interference;      /* phi: share of a prompt's cost that decodes wait for */
    double ttft_base;         /* s */
    double ttft_solo, ttft_decode, ttft_queue; /* kappa, eta, beta */
    int case_count;
    struct speed_case at[SPEED_CASES];
    char evidence[512];
};

/* How often estimates of a kind have been right so far: rows that others measured, estimated
 * with constants that none of them shaped (the model, the pair of model and GPU, or the GPU
 * left out of the fit): how many, the median and the 90th percentile of their error, and the
 * share inside the printed band. By engine, kind of model and phase; the families of GPUs that
 * those rows ran on stand beside. Written by `make accuracy` (tests/accuracy/speed hits), which
 * fails where a profile is stale. */
#define HITS_MAX 16 /* of an engine */

/* X(NAME, a profile's word, in a sentence) */
#define HIT_KINDS(X)                             \
    X(DENSE, "dense", "dense models")            \
    X(EXPERTS, "experts", "mixtures of experts") \
    X(MIXED, "mixed", "models with MLA or recurrent layers")

#define HIT_PHASES(X)                         \
    X(ONE, "one", "TPOT of one user")         \
    X(MANY, "many", "TPOT")                   \
    X(FULL, "full", "tokens/s when full")     \
    X(PROMPT, "prompt", "TTFT of one prompt") \
    X(FIRST, "first", "TTFT")

#define X(NAME, word, words) HIT_##NAME,
enum hit_kind { HIT_KINDS(X) HIT_KIND_COUNT };
enum hit_phase { HIT_PHASES(X) HIT_PHASE_COUNT };
#undef X

struct hit {
    int kind, phase;   /* enum hit_kind, enum hit_phase */
    char families[96]; /* of GPUs in these rows, '|' between */
    int rows;
    double median, tail; /* of |error| */
    double inside;       /* share of the rows inside their band */
};

struct hits {
    struct hit hit[HITS_MAX];
    int count;
    char source[192];
};

const char *hit_kind_word(enum hit_kind kind);    /* "experts" */
const char *hit_phase_word(enum hit_phase phase); /* "many" */

/* NULL: no measured row of this kind. */
const struct hit *hits_find(const struct hits *hits, enum hit_kind kind, enum hit_phase phase);

enum engine_term {
    TERM_BUDGET,
    TERM_DEFAULTS,
    TERM_LOGITS,
    TERM_FORWARD,
    TERM_MOE,
    TERM_VISION,
    TERM_NON_TORCH,
    TERM_GRAPHS,
    TERM_BLOCK,
    TERM_OFFLOAD,
    TERM_DRAFT,
    TERM_LORA,
    TERM_KV_OFFLOAD,
    TERM_PROMPT_CACHE,
    TERM_TABLES,
    TERM_ROPE,
    TERM_STATE,
    TERM_SPARSE,
    TERM_PADDING,
    TERM_LOADED,
    TERM_COUNT
};

/* What an engine runs on which GPUs, and into which shards it cuts. The first row of a kind
 * that names a thing holds for it; what no row names runs on every GPU.
 *
 *   { kind = "weights"; of = "int8"; from = 75; until = 90; cure = "-p fp8"; source = ...; }
 *
 * X(NAME, a profile's word) */
#define SUPPORT_KINDS(X)                                                                   \
    X(ENGINE, "engine")       /* the engine itself */                                      \
    X(WHEELS, "wheels")       /* its published builds: a warning outside */                \
    X(WEIGHTS, "weights")     /* of: formats, or their families; "*": of under 16 bit */   \
    X(KV, "kv")               /* likewise */                                               \
    X(ATTENTION, "attention") /* of: "sparse" */                                           \
    X(DTYPE, "dtype")         /* of: "bf16" */                                             \
    X(DROPPED, "dropped")     /* of: families of models that it no longer runs */          \
    X(SHARDS, "shards")       /* of: formats whose blocks or groups no shard of TP cuts */ \
    X(METHOD, "method")       /* of: a checkpoint's quant_method that is loaded; no other */

#define X(NAME, word) SUPPORT_##NAME,
enum support_kind { SUPPORT_KINDS(X) SUPPORT_KIND_COUNT };
#undef X

#define ENGINE_VERSION_TEXT 64 /* longer ones are refused */

#define SUPPORT_MAX 80

struct support {
    int kind;        /* enum support_kind */
    char of[160];    /* '|' between */
    int from, until; /* compute capability, 75 for 7.5, both inclusive; 0 = open */
    unsigned roles;  /* of shards: bit per enum tensor_role */
    int least;       /* of shards: a block may be cut down to such a divisor; 0 = not */
    bool gates;      /* of shards: the gates of linear attention, a row per head, too */
    bool merged;     /* of shards: matrices that are loaded as one (q, k and v; gate and up) may
                      * be cut: their scales are then spread by rows */
    char cure[64];   /* what to do instead */
    char since[16];  /* versions, both inclusive; "" = open */
    char last[16];
    long since_number, last_number; /* engine_version() of them */
    char source[192];               /* with its date */
};

struct gpu; /* catalog/gpu.h */

struct engine {
    char id[24];      /* "vllm" */
    char name[32];    /* "vLLM" */
    char range[32];   /* "0.17-0.19", as printed */
    long from, until; /* engine_version(), inclusive; 0 and LONG_MAX: open */
    enum budget budget;
    enum priority_rule priority;
    enum scheduler scheduler; /* NONE: its steps cannot be replayed */
    bool overlap;             /* a step is packed while one runs */
    bool whole_prompt;        /* lets a request in where all its prompt's blocks are free */
    bool in_turn;             /* freed blocks without a hash are not reused before others */
    bool late_ends;           /* an end is seen a step late, by a step that decodes */
    bool no_page_spare;       /* a request is let in without a page in hand */
    double fraction;          /* default utilization / free fraction / static fraction */
    int block;                /* tokens per KV block */
    int mla_block;            /* the same of MLA's kernels; 0 = block */
    bool window_groups;       /* windows free memory (hybrid KV manager); else all full */
    double group_slack;       /* groups take the larger count of layers when it is less
                             * than this times the smaller (kvcache.h) */
    double window_share;      /* tokens of the windows' own pool per token of the full one;
                             * 0 = no such pool */
    bool shared_kv_kept;      /* layers that read another's KV have a cache all the same */
    bool window_slots;        /* windows are set aside for all slots and one step */
    double state_share;       /* bytes of the states' own pool per byte of KV; 0 = none */
    int batches;              /* batches of prompt that a window holds besides itself */
    int state_blocks;         /* blocks of recurrent state a request holds per layer */
    char checkpoints[64];     /* mixers or families whose requests hold one more: prefill
                             * stores the state at a block's end in it */
    char checkpoints_90[64];  /* the same on NVIDIA GPUs from compute capability 9.0 on */
    char state_fp32[64];      /* families whose recurrent state is FP32, else 16 bit; "all" */
    bool whole_slots;         /* each slot's whole context is set aside when it starts */
    bool no_evict;            /* lets a request in when its last token's room is free too */
    bool conv_fp32;           /* the convolutions' tails too */
    bool state_exit;          /* does not start when max_num_seqs exceeds the state blocks */
    int slots_least;          /* slots where one per user is the default: not fewer */
    int slots_most;           /* slots it was built for; 0 = no such limit */
    char slots_option[32];    /* the engine's own option for more */
    char disaggregation[32];  /* the engine's own option for prompts worked off apart; "" =
                              * it does not */
    int tier_count;
    struct engine_tier tier[ENGINE_TIERS]; /* by memory, in place of what follows */
    int seqs_small, seqs_large;            /* default max_num_seqs: below / from large_bytes;
                                     * 0 = one per user */
    int tokens_small, tokens_large;        /* default max_num_batched_tokens, likewise; 0 =
                                     * a whole prompt, max(2048, context) */
    double large_bytes;                    /* physical bytes from which the large defaults hold */
    char large_except[32]; /* prefixes of GPU ids that keep the small ones ("a100|a800") */
    int tokens_huge;       /* default max_num_batched_tokens from huge_bytes; 0 = large */
    double huge_bytes;
    bool defaults_clip;      /* no more default tokens than slots hold, nor slots than tokens */
    double logit_copies;     /* FP32 copies of the logits in the sampler */
    double logit_copies_low; /* in one that may be installed in its place; 0 = there is none */
    enum logit_rows logit_rows;
    struct quantity loaded;         /* times the counted weights, as its log shows them; unknown
                                   * = as counted */
    struct quantity compute_graph;  /* factor on the buffer of llama.cpp's graph, in place
                                    * of both moments; unknown = none */
    bool flash_attention;           /* in that graph */
    bool masks_fp16;                /* whose masks are FP16 from the start, its DeltaNet fused */
    char kv_copies[32];             /* vendors of GPUs for which FP16 copies of a quantized cache
                                    * are reserved in it */
    bool embedding_on_host;         /* an untied input embedding, layers' and n-gram tables
                                    * stay there */
    char ngram_on_host[64];         /* families whose n-gram tables it pins there */
    struct quantity base;           /* bytes, sampling moment */
    struct quantity forward_base;   /* bytes, forward moment */
    double moe_workspace;           /* factor, see above */
    bool gathers_tokens;            /* replicas that share experts gather all their tokens */
    bool sampler_buffer;            /* and a row of FP32 logits per multiprocessor, where the
                                   * sampler keeps three copies and more (Triton's top-k) */
    char vision_run[40];            /* what is kept of a tower's pass (activation.h):
                                   * "outputs|pixels|padded"; "" = `vision` in place of it */
    char vision_masks[48];          /* families whose tower has a mask of patches^2 */
    struct quantity vision;         /* bytes more with a vision tower of no known shape */
    struct quantity non_torch_1;    /* bytes at tp*pp = 1: context, cuBLAS */
    struct quantity non_torch_tp;   /* bytes at tp > 1: + NCCL, all-reduce buffers; over a link
                                   * as wide as NVSwitch's */
    struct quantity non_torch_pcie; /* the same over PCIe; unknown = as above */
    struct quantity non_torch_pp;   /* bytes at tp = 1, pp > 1 */
    struct quantity non_torch_moe;  /* bytes at tp > 1 with experts; unknown = as above */
    struct quantity context;        /* bytes the process holds before its budget is counted */
    struct quantity context_tp;     /* the same at tp > 1, NCCL's with it; unknown = as above */
    struct quantity context_pcie;   /* and over PCIe */
    double vision_kept;             /* bytes taken from the KV pool for a vision tower */
    struct quantity graphs;         /* bytes of CUDA graphs that the card holds */
    double graphs_layer;            /* bytes for each layer of a stage, besides `graphs` */
    double graphs_layer_tp;         /* and such that TP cuts */
    struct quantity graphs_pcie;    /* bytes more on three GPUs and more without a link of their
                                   * own, whose all-reduces are NCCL's; unknown = none */
    bool graphs_by_slots;           /* as many as max_num_seqs asks for (memory.h) */
    struct quantity graphs_moe;     /* the same of mixtures of experts; unknown = as above */
    struct quantity graphs_charged; /* estimated before the KV pool is sized */
    bool graphs_in_budget;          /* and taken from the budget (vLLM >= 0.20) */
    char second[112];               /* models of the second runner: "all", "dense", families with
                              * '|' between; "" = it has none */
    bool second_16bit;              /* only their weights of 16 bit */
    double second_copies;           /* its logit_copies */
    double second_kept;             /* bytes it keeps per slot and word of the vocabulary */
    bool second_graphs;             /* its graphs_in_budget */
    bool second_draft;              /* takes draft models */
    bool second_offload;            /* leaves bytes of weights in host memory, as `offload` says */
    bool rope_table;                /* keeps a cos/sin table of each distinct rotary embedding */
    char rope_fp32[112];            /* families whose table is FP32; "all" */
    char rope_4x[112];              /* families with four rows a position (MRoPE) */
    char embed_whole[112];          /* families whose embedding every GPU of TP holds whole */
    char towers_whole[112];         /* likewise their towers; "indivisible": where TP does not
                                    * divide the heads of the tower */
    char mla_copies[24];            /* which of MLA's up projections it keeps once more, cut
                                   * per head: "keys|values"; "" = none */
    char nvfp4_scales_twice[24];    /* whose scales it keeps in two layouts: "linear", and
                                   * "experts" on compute capability 10.x; "" = none */
    int pad_hidden, pad_width;      /* MXFP4 experts are padded to these multiples; 0 */
    bool ep_all;                    /* spreads experts over all GPUs of a group, or none */
    bool tp_or_pp;                  /* cuts tensors or layers, not both */
    bool dp_whole;                  /* copies the attention or cuts it, not both */
    char offload[32];               /* what can stay in host memory: "layers|experts" by
                                   * number, "bytes" of weights; "" = nothing */
    char places[16];                /* what it leaves there by itself where it has to: "layers"
                                   * or "experts" before those; "" = it does not start */
    double places_margin;           /* bytes of each GPU that it then leaves free */
    bool offload_kept;              /* bytes of quantized weights stay there when they are
                                   * packed anew after loading */
    bool offload_groups;            /* and go with several groups of KV (kvcache.h) */
    char kv_offload[16];            /* KV in host memory: "replica" or "gpu": so many bytes of
                                   * either, beside the pool; "all" of it; "" = none */
    bool kv_offload_groups;         /* bytes of it leave the groups as they are; else every
                                   * layer caches as a full one */
    double prompt_cache_gib;        /* host memory at most for states of earlier prompts, without
                                   * being asked; 0 = none */
    char draft[48];                 /* what drafts tokens: "model|mtp|eagle3"; "" = nothing */
    int draft_tokens;               /* drafted per step by default; 0: one per MTP layer */
    int draft_slots;                /* slots by default when tokens are drafted; 0: as ever */
    bool yarn;                      /* takes YaRN as an option */
    bool draft_vocab;               /* refuses a draft of another vocabulary size */
    bool draft_cells;               /* sizes the pool as if its layers were the model's */
    bool state_drafts;              /* a block of recurrent state more per token drafted */
    bool lora;                      /* sets room aside for adapters (weights.h) */
    char lora_ranks[64];            /* the largest ranks it takes, '|' between; "" = any */
    bool lora_experts;              /* of routed experts too */
    bool lora_chosen;               /* of the modules it is told, not of every linear one */
    bool lora_fp32;                 /* in FP32, or 16 bit, as the adapter's file */
    bool language_only;             /* can leave out a vision tower */
    bool layers_only;               /* spreads layers over GPUs, does not cut them: no TP */
    bool experts_whole;             /* does not spread experts: no EP; nor does one of GGUF */
    bool one_host;                  /* a replica stays on one host */
    bool gguf;                      /* reads GGUF formats, and keeps KV in them */
    char vendors[48];               /* '|' separated vendors it runs on; "" = all */
    char families[1280];            /* of models, behind the first version that loads them:
                                     * "0.8.4 qwen3 qwen3_moe|0.10.1 gpt_oss" */
    char chips[128];                /* and of AMD's architectures: "gfx942|..."; "" = all */
    bool bf16_falls_back;           /* takes FP16 where the GPU has no BF16, does not refuse */
    char fp16_refused[64];          /* '|' separated families that it does not run in FP16 */
    char weight_formats[128];       /* '|' separated formats, or families of such, that it
                                   * runs; "" = all */
    char kv_formats[64];            /* of under 16 bit that its KV cache takes, GGUF's apart */
    int support_count;
    struct support support[SUPPORT_MAX]; /* ... and on which GPUs, in which shards */
    char evidence[TERM_COUNT][160];      /* why each term is what it is; enum engine_term */
    struct engine_speed speed;
    struct hits hits; /* of estimates of speed, all versions */
    char checked[16]; /* newest version whose sources or logs were read; "" */
    char source[256];
    char date[16];
};

const char *engine_term_word(enum engine_term term); /* "non_torch", a profile's key */
/* Does it start without CUDA graphs where it is told? */
static inline bool engine_has_eager(const struct engine *engine)
{
    return engine->graphs.known &&
           (engine->budget == BUDGET_UTILIZATION || engine->budget == BUDGET_STATIC);
}

const char *engine_budget_word(enum budget budget); /* "utilization", "free", ... */

/* Bytes of the unit in which the engine's option for KV in host memory counts: SGLang's
 * of each GPU are 10^9, the others' 2^30. */
double engine_kv_unit(const struct engine *engine);

/* Does the engine run weights of this format, on a GPU new enough? */
bool engine_runs_format(const struct engine *engine, const struct format *weight);

/* The row that names a format (or "sparse", "bf16"; "" for the engine itself), of shards that
 * has this enum tensor_role, else 0; NULL: none does. */
const struct support *engine_support(const struct engine *engine, enum support_kind kind,
                                     const char *id, const char *family, int role);

/* The same when it leaves a GPU of this compute capability out; 0: not NVIDIA's, none does. */
const struct support *engine_excludes(const struct engine *engine, enum support_kind kind,
                                      const char *id, const char *family, int cc);

/* Does it load checkpoints of this quant_method ("awq") on this compute capability, 0 for any? Of
 * one with rows of methods, no other. */
bool engine_loads_method(const struct engine *engine, const char *method, int cc);

/* The first version that loads such models, in *text as it is written; 0: every one, as far as is
 * known. */
long engine_first_of(const struct engine *engine, const char *family,
                     char text[ENGINE_VERSION_TEXT]);

/* Is `word` in a list with '|' between its words? */
bool engine_lists(const char *list, const char *word);

/* Does the engine run on GPUs of this vendor ("apple")? */
bool engine_runs_on(const struct engine *engine, const struct gpu *gpu);

/* Is a family in such a list, or is the list "all"? */
bool engine_names_family(const char *list, const char *family);

/* "0.19", "0.5.23", "1.0", "b6123" (a build) to (major*10000 + minor)*10000 + patch,
 * `patch` where the text has none; -1 when it is no version: what it takes holds no character
 * that a shell, YAML or a comment would read as its own. */
#define ENGINE_LAST_PATCH 9999
long engine_version(const char *text, long patch);
/* A range that begins after the newest version whose speed was measured. */
bool engine_unmeasured(const struct engine *engine);

/* The tier of a GPU; NULL where the engine has none. */
const struct engine_tier *engine_tier(const struct engine *engine, double physical);

#endif
