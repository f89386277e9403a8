/*
 * kvcache.h - what one sequence keeps in memory, exactly, and what an engine sets aside.
 *
 * Exact bytes of one sequence of s tokens, summed over the layers (before TP):
 *
 *   MHA, GQA, MQA   s * kv*(d + dv)*e
 *   sliding         min(s, w) * kv*(d + dv)*e      chunked: the same
 *   MLA             s * (kvl + rope)*e             one latent, no factor 2
 *   DSA             + s * index key                (uint8: idim + 4 per 128)
 *   CSA (V4)        min(s, w)*entry + floor(s/r)*(entry [+ index key])   (fp8: 584 B)
 *   CSA2 (V4.1)     the same, floor(s/r) in the layers that others read (fp8: 584 or 528 B)
 *   recurrent       a constant state, whatever s
 *
 * Example: Gemma-3-27B at 32,768 tokens, BF16: 10 full layers * 32768 * 16*256*2 B
 *   + 52 sliding layers * 1024 * 8192 B = 2.50 + 0.41 = 2.91 GiB.
 *
 * An engine pages this into blocks (16 tokens) and keeps a window's worth plus one batch
 * of prompt for sliding layers. vLLM's hybrid manager also groups layers of one type so
 * that all groups are equally large, padding the last; one block of the pool then serves
 * group_size layers. A recurrent layer takes engine.h's state_blocks of them per
 * request. Gemma-3-27B: 10 full + 52 sliding -> 7 groups of 10 (8 layers of
 * padding), 8192 tokens = 512 + 6*513 blocks of 1.25 MiB = 4.38 GiB.
 */
#ifndef GP_PLAN_KVCACHE_H
#define GP_PLAN_KVCACHE_H

#include "catalog/engine.h"
#include "model/format.h"
#include "model/model.h"
#include "plan/layout.h"
#include "plan/request.h"

/* Bytes that one token adds per layer of this kind on one GPU of a TP group of tp
 * (0 for recurrent kinds and kinds that share another layer's KV). For CSA: the growth
 * rate past the window. gpu: NULL = not known; it decides CSA2's record. */
double kvcache_layer_bytes(const struct layer_kind *kind, const struct format *kv,
                           const struct gpu *gpu, int tp);

/* Bytes of recurrent state per sequence and layer on one GPU: the state in FP32 or in 16
 * bit, as the engine keeps that of this model's family, and the convolution's tail. */
double kvcache_state_bytes(const struct request *request, const struct layer_kind *kind, int tp);

/* Bytes of one element of that state. Kimi's delta attention is FP32 everywhere. */
double kvcache_state_element(const struct request *request, const struct layer_kind *kind);

struct kv_sequence {
    double exact;     /* bytes of keys and values of one sequence */
    double state;     /* bytes of recurrent state of one sequence */
    double reserved;  /* bytes the engine sets aside for both, blocks and groups */
    double block;     /* bytes of one block of the pool; of a state where it holds no other */
    double per_token; /* bytes per token when every layer is full; 0 = mixed kinds */
    double cell;      /* bytes of the pool per token the engine counts; 0 = per_token */
    double fixed;     /* bytes set aside once for all slots, whatever the users hold */
};

/* What a sequence of `tokens` tokens keeps in one layer on one GPU, of each kind of
 * layer that caches anything; kinds that cache alike are one type. */
struct kv_type {
    const struct layer_kind *kind; /* a member, for its window */
    double bytes;                  /* per token; 0 for a recurrent type */
    double state;                  /* of recurrent state */
    double exact;                  /* of keys and values */
    double reserved;               /* in blocks, without groups (kvcache.h) */
    bool draft;                    /* the draft's, in the model's pool */
};

#define KV_TYPES (2 * MODEL_MAX_KINDS)

struct kv_cut {
    struct kv_type type[KV_TYPES];
    int of_kind[MODEL_MAX_KINDS];  /* the type of a kind; -1 = caches nothing */
    int of_draft[MODEL_MAX_KINDS]; /* likewise of the draft's */
    int count;
    double tokens, batch;
    double slots, cells; /* of a replica: slots, and tokens of all its users */
};

/* Does what a request is given depend on the tokens of a step, as a window keeps them beside it? */
bool kvcache_holds_batch(const struct request *request);

/* For a TP group of tp; batch is max_num_batched_tokens, of which engine.h's `batches` are
 * in flight. */
void kvcache_cut(const struct request *request, int tp, double users, double tokens, double batch,
                 struct kv_cut *out);

/* Slots that a replica with so many users is started with: the engine's least, or one
 * for each. */
double kvcache_slots(const struct request *request, double users);

/* Blocks of recurrent state that a request holds per layer, those of its drafts too. */
double kvcache_state_blocks(const struct request *request);

/* One sequence on one GPU that holds layers[k] of each kind, and the draft's or not. */
struct kv_sequence kvcache_stage(const struct request *request, const struct kv_cut *cut,
                                 const int *layers, bool draft);

/* Both in one: layers [first, end) of the model. */
struct kv_sequence kvcache_sequence(const struct request *request, int tp, int first, int end,
                                    double tokens, double batch);

/* Bytes per token over the whole model, not sharded, once every window is full: the
 * figure model cards quote. */
double kvcache_bytes_per_token(const struct model *model, const struct format *kv,
                               const struct gpu *gpu);

struct terms;

/* Appends the terms of --why (terms_list.h). */
void kvcache_terms(struct terms *terms);

/* ---- for the rules of engines ---- */

/* Layers of one type in a stage. */
struct kv_group {
    const struct kv_type *type;
    double layers;
};

/* Layers of one type, and of the same width? */
bool kvcache_is_uniform(const struct kv_group *groups, int count);
/* Does the engine keep windows and other layers in groups that free memory? */
bool kvcache_has_groups(const struct request *request);
/* Tokens of a block of this kind of layer. */
double kvcache_block(const struct engine *engine, const struct layer_kind *kind);
/* Blocks that a layer takes for `tokens`. */
double kvcache_layer_blocks(const struct layer_kind *kind, double tokens, double batch,
                            double block);

#endif
