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
    int experts, active; /* of routed experts: E, k and what one GPU holds of E; else 0 */
    int held;
};

/* The linear layers of a model as one GPU of that layout holds them, each shape once.
 * Returns how many (at most max). */
int products_layers(const struct model *model, const struct layout *layout,
                    struct products_layer *out, int max);

/* The experts of such a layer that so many tokens of a step reach on one GPU, and the tokens
 * of each, as if they were even: A/E of those held (gemm.h), T*k/A. Qwen3-30B-A3B, E 128, k 8:
 * 1 token 8 experts of 1, 64 tokens 123 of 4; spread over 8 GPUs (EP 8) 1 of 1 and 15 of 4. */
void products_experts(const struct products_layer *layer, double tokens, int *experts,
                      int64_t *each);

#endif
