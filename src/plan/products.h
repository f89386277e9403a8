/*
 * products.h - the matrix products of a model's layers, as one of tp GPUs runs them.
 *
 * Example: Llama-3.1-70B, tp 8: qkv 1280 x 8192, gate_up 7168 x 8192.
 */
#ifndef GP_PLAN_PRODUCTS_H
#define GP_PLAN_PRODUCTS_H

#include <stdint.h>

#include "model/model.h"
#include "plan/layout.h"

/* m outputs, k inputs. */
struct products_layer {
    char name[24];
    enum tensor_role role; /* of its weights; of fused ones, the first's */
    int64_t m, k;
};

/* The linear layers of a model as one GPU of that layout holds them, each shape once.
 * Returns how many (at most max). */
int products_layers(const struct model *model, const struct layout *layout,
                    struct products_layer *out, int max);

#endif
