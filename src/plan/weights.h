/*
 * weights.h - bytes of weights per layer kind and role on one GPU.
 *
 * A sum over the tensors of model.h: format_bytes(format of the role, rows, cols) times
 * the GPU's share (layout.h). Formats keep some roles in 16 bit (embedding, head, norms,
 * router; a published checkpoint may keep more). 2:4 sparse linears store half the
 * values and a 2-bit index each: bits/2 + 1 per original weight. Unstructured zeros save
 * nothing in dense storage. When a local checkpoint is used as it is, its tensors' own
 * bytes replace the sum.
 *
 * What an engine adds to the checkpoint at load time is counted beside it:
 *   rope table     max_context * rotary dim * 2 bytes (vLLM keeps cos and sin; 2.5 GiB
 *                  for a 10M-token Llama-4-Scout, as its logs show), 4 in SGLang
 *   absorbed MLA   kv_b once more, cut per head, for decoding; TensorRT-LLM: the keys'
 *                  part of it
 *   NVFP4 scales   in a second layout (SGLang up to 0.5.14)
 *
 * What stays in host memory is left out: whole layers and the experts of layers
 * (llama.cpp), or bytes of each GPU's layers (vLLM). Example: gpt-oss-120b's experts in
 * MXFP4 take 128*3*2880*2880*4.25/8 bytes = 1.576 GiB a layer; those of 30 of its 36
 * layers in host memory leave 47.3 GiB more.
 */
#ifndef GP_PLAN_WEIGHTS_H
#define GP_PLAN_WEIGHTS_H

#include "plan/layout.h"
#include "plan/load.h"
#include "plan/request.h"

struct weights {
    double role[ROLE_COUNT]; /* bytes on one GPU */
    double loaded;           /* bytes the engine adds at load time */
    double total;            /* all of them */
};

struct lora_elements { /* of one slot, per rank */
    double all, attention, experts;
};

/* What one GPU of a layout holds, layer by layer and place by place; load:
 * load_sum(request). What the request leaves in host memory is among it: experts of a
 * layer on the GPU, and `held`; whole layers are not. */
struct weights_cut {
    double layer[MODEL_MAX_KINDS];                       /* bytes of one layer of each kind */
    double less[MODEL_MAX_KINDS], more[MODEL_MAX_KINDS]; /* how far a layer may differ, by
                                                          * the kernel that runs */
    double outside[PLACE_COUNT];                         /* bytes outside the layers */
    double each;                                         /* bytes on every GPU: the rope table */
    double expert[MODEL_MAX_KINDS];                      /* bytes of `layer` in routed experts */
    double held;                                /* bytes of the layers to leave in host memory */
    double fused;                               /* bytes; no parameter of a layer is larger */
    struct lora_elements lora[MODEL_MAX_KINDS]; /* where the request has adapters */
};
void weights_cut(const struct request *request, const struct load *load,
                 const struct layout *layout, struct weights_cut *out);

/* Bytes of a kind's layers, summed over the layers of a stage. */
double weights_stage_sum(const double of_kind[MODEL_MAX_KINDS], int kinds, const int *layers);

/* Bytes of a stage with layers[k] of each kind. */
double weights_total(const struct weights_cut *cut, int kinds, const int *layers, bool first,
                     bool last);

/* Those bytes with their band: exact where counted and loaded as counted; what an engine
 * pads, keeps besides or a publisher may choose widens it. */
struct quantity weights_sure(const struct request *request, const struct load *load,
                             const struct weights_cut *cut, const int *layers, double bytes);

/* Bytes of that stage, layers [first, end) of the model, that stay in host memory: an
 * engine that is given bytes (vLLM) moves parameters there until it has at least as
 * many, so that there may be `fused` more. */
struct quantity weights_held(const struct request *request, const struct weights_cut *cut,
                             int first, int end);

/* Bytes of a whole replica that stay in host memory by layers, and those of its users'
 * KV. */
double weights_on_host(const struct request *request, const struct load *load);
double weights_host_kv(const struct request *request, const struct load *load, double users);

/* Bytes of the draft on one GPU of a stage, of which it is wholly on the last; llama.cpp
 * spreads it like the model. */
struct quantity weights_draft(const struct request *request, const struct load *load,
                              const struct layout *layout, int stage);

/* The same by role, of one GPU of stage `stage`; load: load_sum(request). */
struct weights weights_stage(const struct request *request, const struct load *load,
                             const struct layout *layout, int stage);

/* Bytes of the whole checkpoint, one copy, nothing the engine adds. */
double weights_file_bytes(const struct request *request);
/* ... with their band, where a config.json alone tells of them. */
struct quantity weights_files(const struct request *request);

/* ---- adapters ----
 *
 * Engines that serve adapters set the room aside when they start, for so many slots of
 * the largest rank r, whatever is loaded later. Of a matrix of rows x cols on t GPUs:
 *
 *   cut by its outputs (q, k, v, gate, up)   A: r*cols whole,   B: rows/t * r
 *   cut by its inputs (o, down)              A: r * cols/t,     B: rows*r whole
 *   on every GPU (latents, router)           both whole
 *   routed experts                           the same of each expert that is here
 *
 *   bytes = slots * sum over layers * element
 *
 * vLLM takes them beside every linear layer in the type it computes in; embedding and
 * head, (h + V)*r each, only where the model's class names them, and MXFP4 experts as wide
 * as they are padded: the band's high end.
 * SGLang takes the modules it is told and llama.cpp what the adapter's file has: the low
 * end is attention alone.
 *
 * Example: Llama-3.1-8B, rank 16: q and o 16*8192 each, k and v 16*5120 each, gate, up and
 * down 16*18432 each = 1,310,720 elements a layer: 80 MiB a slot in BF16.
 * Bytes on one GPU that holds layers [first, end). */
struct quantity lora_bytes(const struct request *request, const struct weights_cut *cut,
                           const struct layout *layout, int first, int end);

struct terms;

/* Appends the terms of --why (terms_list.h). */
void weights_terms(struct terms *terms);

#endif
