/*
 * gguf.h - the type that llama.cpp gives each tensor of a GGUF file mix.
 *
 * A mix (Q4_K_M) has a base type. Some tensors take another, by rules of the mix in
 * formats.cfg; of those that name the part and hold, the first decides:
 *
 *   Q4_K_M   v       more   q6_k      the value projection of every third layer and of the
 *            down    more   q6_k      first and last eighth, and the MLP's down likewise
 *
 * What is no matrix, the router and the convolutions are F32; embedding and output have
 * types of their own. A tensor whose rows are no multiple of the type's block takes the
 * type's neighbour with smaller blocks, else F16.
 *
 * Where a recurrence has one matrix for q, k and v (DeltaNet), it counts as `v`; so does
 * that of the families that store attention so. With the layers of a kind at different
 * places, a tensor's bytes are their mean over the kind.
 *
 * Example: Llama-3.1-8B in Q4_K_M, down_proj of 14336 x 4096 in 32 layers: `more` holds
 * in 16 of them, (4.5 + 6.5625) / 2 = 5.53125 bits in the mean.
 *
 * Source: ggml-org/llama.cpp 0c1e57098, src/llama-quant.cpp:287 (what stays as it is), :390
 * (neighbours), :446 (rules). Files made before 2026 differ where q, k and v are fused;
 * publishers have recipes of their own, for recurrent layers above all. Falcon's
 * exceptions are left out.
 */
#ifndef GP_MODEL_GGUF_H
#define GP_MODEL_GGUF_H

#include "model/format.h"
#include "model/model.h"

/* Bytes of one tensor of a layer of kind k in the mean over the kind; k < 0: outside the
 * layers. The mix has rules (format.h). */
double gguf_bytes(const struct model *model, const struct format *mix, int k,
                  const struct tensor *tensor);

/* The words of a rule: bits of enum gguf_part; enum gguf_when. */
enum gguf_part {
    PART_Q = 1,
    PART_K = 2,
    PART_V = 4,
    PART_OUT = 8,
    PART_GATE = 16,
    PART_UP = 32,
    PART_DOWN = 64,
    PART_EXPERT = 128
};

enum gguf_when {
    WHEN_ALL,
    WHEN_MORE, /* the first and the last eighth, and every third between */
    WHEN_FIRST_2,
    WHEN_FIRST_4,
    WHEN_FIRST_8TH,
    WHEN_FIRST_16TH,
    WHEN_MIDDLE,    /* all but the first and the last eighth */
    WHEN_GQA_4,     /* four or more query heads share a KV head */
    WHEN_SHARED,    /* or there are four or more experts */
    WHEN_EXPERTS_8, /* exactly */
    WHEN_70B        /* Llama or Qwen2 of 80 layers, by its shape */
};

#endif
