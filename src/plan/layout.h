/*
 * layout.h - how a model is cut over GPUs, which cuts are valid, and who holds what.
 *
 *   TP  every linear layer is cut over tp GPUs of one host or one rack whose GPUs a link
 *       joins; over several whole hosts where it is asked for. Heads, KV heads (or their
 *       multiple), MLP width and the padded vocabulary must divide evenly. KV heads are
 *       replicated when tp exceeds them; MLA latents are on every rank.
 *   PP  layers are cut into pp stages; the remainder goes to the stages before the last
 *       (as vLLM does). The first holds the embedding, the last the head; a tied
 *       embedding is on both.
 *   EP  the routed experts are spread over ep GPUs: where ep exceeds tp, over those of
 *       ep / gcd(tp, ep) replicas, which then form one group.
 *   replicas  whole copies that share the users.
 *
 * Example: Qwen3-14B has 40 heads, 8 KV heads and 151,936 words: TP=5 divides the heads
 * but neither the KV heads nor the vocabulary, so it is refused.
 */
#ifndef GP_PLAN_LAYOUT_H
#define GP_PLAN_LAYOUT_H

#include <stdbool.h>
#include <stddef.h>

#include "model/model.h"
#include "plan/request.h"

struct layout {
    int tp, pp, ep, replicas;
    int gpus;       /* of all replicas: layout_gpus() */
    int hosts;      /* machines: those of the price, else the fewest of host_gpus each */
    int prefill;    /* of the replicas: they work prompts off, the others decode; 0 = all do
                  * both */
    int prefill_tp; /* TP of those, where it is another; 0 = tp */
};

/* How the tensors of a role are cut over the GPUs of a stage. */
enum share_rule {
    SHARE_ALL,    /* every GPU holds all of them */
    SHARE_TP,     /* 1 / tp */
    SHARE_KV,     /* at least one KV head */
    SHARE_EXPERT, /* 1 / max(tp, ep) */
    SHARE_TOWER,  /* 1 / tp, or all of it: weights_shares() */
    SHARE_COUNT
};

/* kind NULL: a tensor outside the layers. */
enum share_rule layout_share_rule(const struct layer_kind *kind, enum tensor_role role);

/* The shares of one GPU, by rule (0 < share <= 1). */
void layout_shares(const struct layer_kind *kind, const struct layout *layout,
                   double out[SHARE_COUNT]);

/* Share of a tensor of this role that one GPU holds. */
double layout_share(const struct layer_kind *kind, enum tensor_role role,
                    const struct layout *layout);

/* KV heads one GPU holds of this kind: max(1, kv/tp), rounded up. */
int layout_kv_heads(const struct layer_kind *kind, int tp);

/* First layer of stage s (0 <= s <= pp); stage s holds [first(s), first(s+1)). */
int layout_stage_first(const struct model *model, int pp, int stage);

/* The same of the layers on GPUs: those that the request leaves in host memory
 * (host_layers) are on no stage. */
int layout_stage_begin(const struct request *request, int pp, int stage);
int layout_gpu_layers(const struct request *request);

/* GPUs that exchange activations in every step: a replica's, or those of all replicas
 * that share their experts. */
int layout_group(const struct layout *layout);

/* The larger of both sides' where prompts are worked off in a TP of their own. */
int layout_widest(const struct layout *layout);

/* Replicas that decode, and hold the users' KV. */
static inline int layout_decoding(const struct layout *layout)
{
    return layout->replicas - layout->prefill;
}

/* Replicas of such a group: the attention's data parallel degree. */
int layout_ways(const struct layout *layout);

/* The replicas that only work prompts off, as a layout of their own; without their TP and
 * number where all do both. */
struct layout layout_prefill(const struct layout *layout);

/* GPUs of all replicas. */
int layout_gpus(const struct layout *layout);

/* The fewest hosts that layout needs when one holds host_gpus. A group stays on one host
 * where one can hold it, else each replica, else each TP group. */
int layout_hosts(const struct layout *layout, int host_gpus);

/* Why a layout is not valid; a and b are what its sentence names. */
enum refusal_code {
    REFUSED_HEADS,
    REFUSED_KV_HEADS,
    REFUSED_MLP,
    REFUSED_EXPERT,
    REFUSED_RECURRENT,
    REFUSED_STATE_GROUPS,
    REFUSED_VOCABULARY,
    REFUSED_MLP_BLOCK,
    REFUSED_EXPERT_BLOCK,
    REFUSED_SHARED_BLOCK,
    REFUSED_HEADS_BLOCK,
    REFUSED_STATE_BLOCK,
    REFUSED_GATE_BLOCK,
    REFUSED_OUTPUT,
    REFUSED_STAGES,
    REFUSED_SHARED_POOL,
    REFUSED_TP_ENGINE,
    REFUSED_TP_PP,
    REFUSED_DP_TP,
    REFUSED_DRAFT,
    REFUSED_EP_ENGINE,
    REFUSED_EP_DENSE,
    REFUSED_EP_EXPERTS,
    REFUSED_EP_GPUS,
    REFUSED_EP_TP,
    REFUSED_EP_ALL,
    REFUSED_SPLIT,
    REFUSED_MIG,
    REFUSED_HOST,
    REFUSED_HOST_ASSUMED,
    REFUSED_ONE_HOST,
    REFUSED_COUNT
};

struct refusal {
    enum refusal_code code;
    int a, b;
};

/* Each reason the layout is not valid, the first `most` in out; returns how many there
 * are. */
int layout_refusals(const struct request *request, const struct layout *layout, struct refusal *out,
                    int most);
bool layout_valid(const struct request *request, const struct layout *layout);

#endif
