/*
 * step.h - the time of one iteration of an engine: every layer once, over some tokens.
 *
 *   t(T) = sum of products + experts + communication                 (step_work)
 *   decode = t(B) + reads of the cache + fixed + head + per request  (step_decode)
 *   fixed  = kernels * time per kernel + host
 *
 * The products are those of the model's own tensors (model.h), fused as engines fuse them
 * (query, key and value; gate and up), cut as the layout cuts them. Kernels of a decode
 * step are counted by what the layers are: 9 of an attention layer with its MLP, 12 of a
 * recurrent one, MLA 5 more, a sparse indexer 21, experts 4, shared experts 2, each
 * quantized class of weights 2 (attention, MLP, experts, shared experts), a norm of query
 * and key 1, over all heads 2. The counts are relative; the engine's time per kernel
 * scales them (engine.h).
 *
 * Speculative decoding: an iteration drafts k tokens, checks k + 1 of each request in one
 * pass, and yields L of them (draft.h):
 *
 *   iteration = decode(B*(k + 1) tokens) + passes * (draft's decode + draft)
 *               + verify + verify_work * (products + experts + head)
 *   TPOT      = iteration / L
 *
 * passes is k where each token is drafted by one of its own, 1 of DFlash's block, 0 of
 * n-grams; `draft`, `verify` and `verify_work` are the engine's, per pass and per iteration.
 * In the pass that checks, products and experts see all k + 1 tokens of each request, so that
 * a mixture reads more of its experts; the cache is read once, MLA computes on it k + 1 times,
 * and a recurrent layer writes its state after each token. Times are per token that an
 * iteration yields.
 *
 * Example: Llama-3.1-70B FP8, 4 H100 of vLLM, 16 users of 1,000 tokens: products 6.0 ms,
 * cache 0.5, all-reduces 1.3, kernels 4.0.
 */
#ifndef GP_PLAN_SPEED_STEP_H
#define GP_PLAN_SPEED_STEP_H

#include <stdbool.h>

#include "plan/layout.h"
#include "plan/load.h"
#include "plan/request.h"
#include "plan/speed/attention.h"
#include "plan/speed/comm.h"
#include "plan/speed/gemm.h"
#include "plan/speed/host.h"

#define STEP_PRODUCTS 64

/* One product of a kind of layer, before it is cut. */
struct step_product {
    enum tensor_role role;
    int kind;                          /* of layer */
    double rows_tp, rows_kv, rows_all; /* outputs: cut by TP, by KV heads, not at all */
    double cols;
    bool cut_cols; /* the inputs are cut by TP, not the outputs */
    double bytes;  /* per weight */
    double times;  /* layers */
};

/* Why there is no estimate. */
enum speed_gap {
    SPEED_KNOWN,
    SPEED_NO_FAMILY, /* of this GPU only the memory is known */
    SPEED_NO_RATE,   /* bandwidth or arithmetic of this type is unknown */
    SPEED_NO_ENGINE, /* no constants of this engine */
    SPEED_NO_TOKENS, /* a model that does not decode */
    SPEED_NO_LAYOUT, /* the layout is refused, or does not fit */
    SPEED_NO_LINK,   /* what GPUs are linked by is unknown */
    SPEED_ON_HOST,   /* weights in host memory: its bandwidth is unknown */
    SPEED_GAPS
};

/* What is summed once per request, whatever the layout. */
struct step_load {
    enum speed_gap gap;
    const struct request *request; /* borrowed */
    struct step_product product[STEP_PRODUCTS];
    int products;
    double expert_bytes[MODEL_MAX_KINDS]; /* per weight */
    double index[MODEL_MAX_KINDS];        /* bytes of index key per token and layer */
    double layers_of[MODEL_MAX_KINDS];
    double kernels;                /* of a decode step */
    double reduces, small_reduces; /* all-reduces of a step under TP */
    double moe_layers;
    bool alike; /* figures of another kernel stand in */
    bool mixed; /* MLA or recurrent layers: fitted on few rows */
    bool weight_only_experts;
    bool unmeasured; /* experts, or a kernel that no measurement of the device covers */
    struct host_load host;
};

/* Products, experts and communication of one iteration, s, by its tokens: an estimate asks
 * for the same ones again and again, and they are kept until others take their place. */
#define STEP_KEPT_BITS 6
#define STEP_KEPT (1 << STEP_KEPT_BITS)
struct step_work {
    double tokens, compute; /* tokens < 0: none */
    double linear, experts, communication, host;
};
struct step_kept {
    struct step_work at[STEP_KEPT];
};

struct step {
    enum speed_gap gap;
    const struct step_load *load; /* borrowed */
    struct step_kept *kept;       /* borrowed; NULL: nothing is kept */
    struct serve_kept *served;    /* likewise: what loads come to (serve.h) */
    double norm;
    struct gemm gemm[STEP_PRODUCTS];
    int gemms;
    struct moe moe[MODEL_MAX_KINDS];
    int moes;
    struct attention attention[MODEL_MAX_KINDS];
    int attentions;
    /* of them in host memory, as a share; set where anything is */
    double gemm_there[STEP_PRODUCTS], moe_there[MODEL_MAX_KINDS], attention_there[MODEL_MAX_KINDS];
    double host_share, host_fixed; /* host_time(), host_fixed() */
    struct gemm head;
    struct comm tp, group;      /* over a TP group; over those that share the experts */
    double hidden, ways;        /* attention DP */
    int pp, hops_hosts;         /* stages; of the hops between them, those to another host */
    double fixed, per_request;  /* s */
    const struct step *prompts; /* borrowed: of the replicas that work prompts off, where
                                 * their TP is another; NULL = this one */
    struct step *draft;         /* borrowed; NULL = nothing that takes time drafts tokens */
    double drafted, accepted;   /* tokens drafted in an iteration; that it yields */
    double passes;              /* of the draft in one */
    double kv, mla, prefill;    /* bytes/s, FLOP/s, FLOP/s that the kernels reach */
    double bandwidth;
    double slow[CORRECT_COUNT]; /* what measured points make of the law; 1 each */
    double first;               /* likewise, of TTFT */
};

/* Seconds that the longest chain of MLA's decode takes at so many cached tokens, whatever the
 * memory would allow; 0 where kernels use the whole GPU. */
double step_chain(const struct step *step, double tokens);

/* Seconds by part of a decode step, for the bound and the answer. */
struct step_parts {
    double linear, experts, attention, communication, host, fixed, head, draft;
};

void step_load_sum(const struct request *request, const struct load *load, struct step_load *out);
void step_cut(const struct step_load *load, const struct layout *layout, struct step *out);

/* What drafts tokens for a request with an acceptance, on the same layout; what works
 * prompts off in another TP; and what each of the three has worked out. */
struct step_others {
    struct request request;
    struct step_load load;
    struct step draft, prompts;
    struct step_kept kept, kept_draft, kept_prompts;
};

/* Attaches them, kept in `own`, to a request's step; those alone that there are. The step
 * is not to be changed any more. */
void step_attach(struct step *step, const struct layout *layout, struct step_others *own);

/* Another number of drafted tokens, of a step with a draft attached; 0: none is drafted. */
void step_drafts(struct step *step, int tokens);

/* Rows, columns and bytes per weight of product i as the layout cuts it. */
struct step_shape {
    double rows, cols, bytes;
};
struct step_shape step_shape(const struct step_load *load, int i, const struct layout *layout);

/* Requests of one step: stages work on a batch each, so that a token waits for all of
 * them in turn. */
double step_batch(const struct step *step, double users);

/* Products, experts and communication of one iteration over `tokens` tokens of all ranks
 * together; compute: factor on the arithmetic's time. */
double step_work(const struct step *step, double tokens, double compute);

/* A decode step of `users` requests (of all ranks) whose caches hold `tokens` each. */
double step_decode(const struct step *step, double users, double tokens);
/* s of a step of so many tokens in which GPUs wait for the network between hosts. */
double step_network(const struct step *step, double tokens);
/* The same, and step_work() of the iteration's tokens, which is a part of that. */
double step_decode_work(const struct step *step, double users, double tokens, double *work);
void step_decode_parts(const struct step *step, double users, double tokens,
                       struct step_parts *out);

/* Attention over q new tokens of one prompt behind c cached ones. */
double step_prefill_attention(const struct step *step, double q, double c);

/* s that the law (gemm.h) gives one product of rows x cols weights with so many tokens,
 * without its launch; bytes: of a weight with its scales. 0 = not known. */
double step_product_time(const struct request *request, const struct format *format, double rows,
                         double cols, double bytes, double tokens);

#endif
