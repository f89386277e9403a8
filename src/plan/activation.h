/*
 * activation.h - what a GPU holds at the peak of one step, beside weights and KV.
 *
 * A reading of logged vLLM runs: the profiling run peaks either in the sampler (logits of
 * max_num_seqs requests in the compute type and a number of FP32 copies of them, with the
 * hidden states of the batch still alive) or inside the widest layer (engine.h has both
 * equations). MoE kernels keep their workspace through both. TP cuts the layer but not
 * the logits: every rank gathers them.
 *
 * The vision tower:
 *
 * vLLM runs the tower once, on as many of the largest items as its encoder budget admits,
 * and keeps what comes out (the encoder cache) while the language model runs after it; its
 * first model runner keeps the pixels, too. Per GPU, with a = bytes of a 16-bit value:
 *
 *   item    T tokens made of P patches; of a video as many groups of frames as the
 *           context s takes, `groups` at most
 *   items = max(1, min(max(c, T) / T, seqs * max(1, s / T)))         whole divisions
 *   kept  = items * T * h*(1 + deepstack) * a  [+ items * P * pixels * a]
 *   pass  = items * P * (pixels + max(2*d + 8*d/t, 2*d + 2*f/t)) * a
 *
 * A layer of the tower holds its input and the norm of it, and then query, key and value,
 * query and key side by side and turned, and the output of attention, or both sides of the
 * MLP's activation; of an MLP of three matrices 5*d + 3*f/t. Up to 0.28 Pixtral's attention
 * has a mask of all patches by all patches besides.
 *
 * Example, vLLM 0.19, Gemma-3-27B, c = 8192: 32 images of 4096 patches and 256 tokens,
 *   kept = 32*256*5376*2 + 32*4096*588*2 = 88 + 154 MB, pass = 3.2 GB;
 *   the sampler with what is kept: 4.00 GiB, logged 3.99.
 */
#ifndef GP_PLAN_ACTIVATION_H
#define GP_PLAN_ACTIVATION_H

#include <stdbool.h>

#include "base/quantity.h"
#include "plan/layout.h"
#include "plan/load.h"
#include "plan/request.h"

struct terms;

struct vision {
    double items;                    /* 0: no tower is run, or nobody states its shape */
    double tokens, patches;          /* of one item */
    struct quantity outputs, pixels; /* bytes kept while the language model runs */
    struct quantity pass;            /* bytes at the tower's own peak */
};

struct vision vision_estimate(const struct request *request, const struct load *load, int tp);

/* Appends the terms of --why (terms_list.h). */
void vision_terms(struct terms *terms, const struct vision *vision);

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
