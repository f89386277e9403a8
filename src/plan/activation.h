/*
 * activation.h - what a GPU holds at the peak of one step, beside weights and KV.
 *
 * A reading of logged vLLM runs: the profiling run peaks either in the sampler (logits of
 * max_num_seqs requests in the compute type and a number of FP32 copies of them, with the
 * hidden states of the batch still alive) or inside the widest layer (engine.h has both
 * equations). MoE kernels keep their workspace through both. TP cuts the layer but not
 * the logits: every rank gathers them.
 */
#ifndef GP_PLAN_ACTIVATION_H
#define GP_PLAN_ACTIVATION_H

#include <stdbool.h>

#include "base/quantity.h"
#include "plan/layout.h"
#include "plan/load.h"
#include "plan/request.h"
#include "plan/vision.h"

struct terms;

/* Bytes of each moment, of a stage that has the head or not. */
struct activation {
    struct quantity sampling, forward, moe, peak;
    struct vision tower;    /* its pass may be the peak */
    struct quantity vision; /* what is kept of it through both moments */
    struct quantity host;   /* a copy of a tensor that is in host memory */
};

struct activation activation_estimate(const struct request *request, const struct load *load,
                                      const struct layout *layout, bool has_head);

/* Appends the terms of --why (terms_list.h). */
void activation_terms(struct terms *terms, const struct load *load);

#endif
