/*
 * load.h - what is summed once for a model at a precision, whatever the layout.
 *
 * A search judges hundreds of layouts of one request; the tensors of the model, their
 * bytes and the sums over them are the same in all. A layout's weights are then
 *
 *   sum over kinds and roles of layers * bytes of one layer * share of one GPU
 *
 * Example: Llama-3.1-8B BF16: 32 layers of one kind, 436 MB each; 13.96 GB of them, and
 * 2.10 GB of embedding and head: 16.06 GB.
 */
#ifndef GP_CORE_LOAD_H
#define GP_CORE_LOAD_H

#include <stdbool.h>

#include "core/request.h"

struct load {
    double layer[MODEL_MAX_KINDS][ROLE_COUNT]; /* bytes of one layer of each kind */
    double global[ROLE_COUNT];                 /* bytes outside the layers */
    double params;                             /* of the whole model */
    double file_bytes;                         /* one copy of the checkpoint */
    double expert_bytes;                       /* of it, the routed experts */
    double kv_bytes_per_token;                 /* whole model; 0 = keeps none, no format */
    bool has_vision;
};

struct load load_sum(const struct request *request);

#endif
