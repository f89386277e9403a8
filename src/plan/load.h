/*
 * load.h - what is summed once for a request, whatever the layout.
 *
 * A search judges hundreds of layouts of one request; the tensors of the model, their
 * bytes and the sums over them, the engine's limits and budget and what the engine
 * refuses are the same in all. A layout's weights are then
 *
 *   sum over kinds of layers * sum over share rules of bytes of one layer * share
 *
 * Example: Llama-3.1-8B BF16: 32 layers of one kind, 436 MB each; 13.96 GB of them, and
 * 2.10 GB of embedding and head: 16.06 GB.
 */
#ifndef GP_PLAN_LOAD_H
#define GP_PLAN_LOAD_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/layout.h"
#include "plan/request.h"

/* Where the tensors outside the layers stand: a tied embedding on the first stage and
 * on the last, once where they are one. */
enum place { PLACE_FIRST, PLACE_LAST, PLACE_EITHER, PLACE_COUNT };

struct step_load; /* speed/step.h */

struct load {
    double layer[MODEL_MAX_KINDS][ROLE_COUNT];  /* bytes of one layer of each kind */
    double global[ROLE_COUNT];                  /* bytes outside the layers */
    double cut[MODEL_MAX_KINDS][SHARE_COUNT];   /* `layer` by how it is cut */
    double outside[PLACE_COUNT][SHARE_COUNT];   /* `global` by where and how */
    double added[MODEL_MAX_KINDS][SHARE_COUNT]; /* bytes the engine adds to a layer */
    double on_host;                             /* bytes of embeddings that stay in host memory */
    double tables;                              /* bytes of n-gram tables there */
    double rope_table;                          /* bytes it adds once per GPU */
    int rope_tables;                            /* so many tables of cos and sin */
    double fused[2];                            /* an upper bound of the largest parameter of a
                                       * layer, as fused: cut by tp, and as experts */
    double host_bytes;                          /* of each GPU's weights that the runner leaves in
                                       * host memory */
    double draft[MODEL_MAX_KINDS][SHARE_COUNT]; /* bytes of the draft by its kinds; what
                                       * is outside its layers with the first */
    double draft_each;                          /* bytes of its rope table */
    double draft_wide;                          /* times as large it is in 16 bit; 1 = as counted */
    double host_copy;                           /* bytes of the largest tensor in host memory */
    double recipe[MODEL_MAX_KINDS];             /* bytes that a publisher's own choice of types may
                                       * add to a layer of a GGUF mix */
    bool pads_experts;                          /* MXFP4 experts are padded for the kernels */
    double params;                              /* of the whole model */
    double vision_params;                       /* of them, the vision tower's */
    double file_bytes;                          /* one copy of the checkpoint */
    double expert_bytes;                        /* of it, the routed experts */
    double kv_bytes_per_token;                  /* whole model; 0 = keeps none, no format */
    bool has_vision;
    double mlp_width;                        /* of the widest dense or shared MLP */
    double max_num_seqs, max_batched_tokens; /* as used */
    double fraction;                         /* utilization or fraction as used */
    double logit_copies;                     /* engine.h: of the runner this model has */
    double logit_copies_low; /* of the sampler that may be installed; the same = of none */
    double kept;             /* bytes that runner keeps beside the weights */
    bool second;             /* it is the second one */
    bool graphs_in_budget;
    struct quantity usable;          /* bytes of one GPU that a program can have */
    struct quantity budget;          /* bytes the engine lets itself take */
    const struct step_load *step;    /* borrowed; NULL: summed where a goal is judged */
    struct stages_kept *kept_stages; /* borrowed; NULL: no layout's are kept */
    struct serve_cut *cut_step;      /* borrowed, of that step; NULL: no layout's is kept */
    bool fits_only;                  /* what misses a goal of speed need not be worked out */
    bool cut_valid;                  /* whoever asks has seen that its layouts are valid */
    uint64_t unturned;               /* bits of enum reason (reason.h) whatever its options ... */
    uint64_t reasons;                /* ... all of them, of every layout */
};

struct load load_sum(const struct request *request);

/* The same after the engine's options of the request were turned. */
void load_turn(const struct request *request, struct load *load);

/* The sums over the model's tensors alone: needs neither engine nor GPU. */
struct load load_checkpoint(const struct request *request);

/* Does a role of layer i stay in host memory by layers? */
bool load_on_host(const struct request *request, int i, int role);
/* How many layers, the first ones, have such a role. */
int load_host_layers(const struct request *request);

/* How the tensors of a role that are outside the layers are cut. */
enum share_rule load_outside_rule(const struct request *request, enum tensor_role role);

/* The place of the tensors of a role that are outside the layers. */
enum place load_place(const struct model *model, enum tensor_role role);

#endif
