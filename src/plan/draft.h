/*
 * draft.h - what speculative decoding loads beside a model, and how many tokens it yields.
 *
 * A second, smaller model drafts by itself. The others read hidden states of the model and
 * share its embedding: the multi-token-prediction (MTP) layers of its own checkpoint; an
 * EAGLE-3 head; DFlash's layers, which draft a block in one pass. N-grams are looked up in the
 * text so far and have no weights.
 *
 *   eagle3 = layer + (nh + 2*kv)*d*h + 3*h*h + 4*h + 32,000*h
 *   dflash = 5 * layer + 5*h*h + 2*h
 *
 * with the layer a Llama's of the model's own attention and width; MLA counts as so many heads
 * of 128. Where a model has no dense MLP it is 4*h wide: nobody's figure.
 *
 * A step that drafts k tokens yields
 *
 *   L(k) = 1 + p_1 + ... + p_k
 *
 * of them, p_i the share of steps that accept the token at position i. Engines print p_i,
 * L, or accepted over drafted (L - 1) / k. For another k than that of the figures p_i = a^i,
 * the one a that gives the L told; behind a list, each falls as its last two did.
 *
 * An MTP layer is one more layer of a kind that the model has, with a projection of two
 * hidden states into one and three norms. It shares embedding and output matrix with the
 * model, so that the copies which some checkpoints hold of them are not kept:
 *
 *   mtp = n * (layer + 2*h*h + 3*h [+ 1 or 2 copies of V*h])
 *
 * Qwen3.8-Flash-Next's has the head of its hyper-connections too, Hunyuan 4's has no
 * hyper-connections.
 *
 * Example: DeepSeek-V3: 11,507,286,272 + 2*7168*7168 + 3*7168 = 11.61e9 elements; with
 * the two matrices of 129,280 x 7168 that are shared, the 13,463,426,304 it states.
 * Llama-3.1-8B's EAGLE-3 head: 218.1e6 + 25.2e6 + 50.3e6 + 131.1e6 = 424.7e6. L = 2.9 of 3:
 * a = 0.788, so that 5 would yield 3.59 (SpecForge measured 3.52).
 */
#ifndef GP_PLAN_DRAFT_H
#define GP_PLAN_DRAFT_H

#include "model/read/drafthead.h"
#include "plan/request.h"

struct draft_facts {
    const char *word;    /* of the option */
    const char *also;    /* another word for it */
    const char *name;    /* in sentences */
    const char *formula; /* of its weights */
    bool shares;         /* the model's embedding; MTP and DFlash its output matrix too */
    bool at_once;        /* one pass drafts all tokens of a step */
    int tokens;          /* drafted in a step where the engine has no default; 0: one per layer */
};
extern const struct draft_facts draft_facts[DRAFT_KIND_COUNT];

/* The kind that --draft names, and what stands behind its colon: "eagle3:FOLDER"; a model where
 * the word is of no kind. */
enum draft_kind draft_kind_of(const char *text, const char **checkpoint);

/* The MTP layers of a model as a model without words. Returns how many; 0 = none. */
int draft_mtp(const struct model *model, struct model *out);

/* An EAGLE-3 head or DFlash's layers for a model, as its config says; what that does not say
 * (0) is as such ones usually are. */
void draft_shape(const struct model *model, enum draft_kind kind, const struct draft_head *told,
                 struct model *out);

/* Words of an EAGLE-3 head, whose output matrix is its own; of others 0. */
double draft_words(const struct model *draft);

/* Tokens that a step yields where it drafts so many; 0 = nobody told. */
double draft_length(const struct request *request, int tokens);

/* The format of its weights. */
const struct precision *draft_precision(const struct request *request);

/* The draft as a request of its own: its weights in its precision, its KV in the format
 * the engine keeps it in. request.draft must not be NULL. */
struct request draft_request(const struct request *request);

/* The format of the draft's KV: the model's, but 16 bit in llama.cpp. */
const struct format *draft_kv(const struct request *request);

#endif
