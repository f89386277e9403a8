/*
 * draft.h - what speculative decoding loads beside a model: a second, smaller one, or
 * the multi-token-prediction (MTP) layers of its own checkpoint.
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
 */
#ifndef GP_PLAN_DRAFT_H
#define GP_PLAN_DRAFT_H

#include "plan/request.h"

/* The MTP layers of a model as a model without words. Returns how many; 0 = none. */
int draft_mtp(const struct model *model, struct model *out);

/* The draft as a request of its own: its weights in its precision, its KV in the format
 * the engine keeps it in. request.draft must not be NULL. */
struct request draft_request(const struct request *request);

/* The format of the draft's KV: the model's, but 16 bit in llama.cpp. */
const struct format *draft_kv(const struct request *request);

#endif
