/*
 * place.h - which layers an engine leaves in host memory by itself.
 *
 * What exceeds the GPUs that are asked for does not fail in every engine. llama.cpp fills the
 * GPUs from the last layer on, the output first, until a margin is left of each; of a mixture
 * of experts it first places everything but the routed experts, and then as many layers'
 * experts as go beside (common/fit.cpp). Ollama does the former with any model. Both need the
 * options unset that say how many layers go where.
 *
 * Example: Qwen3-30B-A3B Q4_K_M on 12 GB, 4,096 tokens: everything but the experts takes
 * 1.4 GiB, so that those of 21 of 48 layers stay in host memory.
 */
#ifndef GP_PLAN_PLACE_H
#define GP_PLAN_PLACE_H

#include "plan/plan.h"

/* Plans a request anew, as its engine places it, where *plan, its plan, does not fit for want
 * of memory on so many GPUs. */
void place_request(const struct request *request, const struct market *market, struct plan *plan);

#endif
