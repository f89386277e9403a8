/*
 * drafthead.h - config.json of an EAGLE-3 head or of DFlash's layers: checkpoints that are no
 * model by themselves.
 *
 * Known are those of LlamaForCausalLMEagle3 and its likes, of DFlashDraftModel, and of
 * "speculators", which hold the layer's shape in `transformer_layer_config`.
 */
#ifndef GP_MODEL_READ_DRAFTHEAD_H
#define GP_MODEL_READ_DRAFTHEAD_H

#include "base/err.h"

struct draft_head { /* 0: not said */
    int layers, hidden, heads, kv_heads, head_dim, ff;
    int words; /* of its own output matrix */
    int reads; /* layers of the model whose states it reads */
};

/* A folder, or its config.json. */
enum gp_status drafthead_read(const char *path, struct draft_head *out, struct gp_err *err);

#endif
