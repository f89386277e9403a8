/*
 * gguf.h - the GGUF reader from inside: bytes to metadata (gguf.c), metadata and tensors
 * to a model (ggufmodel.c).
 */
#ifndef GP_MODEL_READ_GGUF_H
#define GP_MODEL_READ_GGUF_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"
#include "model/read/checkpoint.h"

struct gguf_kv {
    size_t key;    /* offset in gguf_meta.text */
    uint32_t type; /* GGUF value type; of the items for an array */
    bool array, numeric;
    uint64_t count; /* items of an array */
    double number;  /* a single number or bool */
    size_t string;  /* offset of a short string in text, else SIZE_MAX */
    size_t first;   /* index of an array's items in numbers, else SIZE_MAX */
};

struct gguf_meta {
    const char *where;
    struct strbuf text; /* keys and short strings, each with its terminator */
    struct gguf_kv *kv;
    size_t count, cap;
    double *numbers; /* items of short number arrays */
    size_t number_count, number_cap;
    int split_no, split_count;
};

void gguf_meta_init(struct gguf_meta *meta, const char *where);
void gguf_meta_fini(struct gguf_meta *meta);

/* Metadata and tensors of one file, checked; fn sees each tensor after all checks. */
enum gp_status gguf_scan(struct gguf_meta *meta, const struct gguf_input *input, file_tensor_fn fn,
                         void *ctx, struct gp_err *err);

/* Look-ups by key; false or NULL when it is missing or of another type. */
const struct gguf_kv *gguf_find(const struct gguf_meta *meta, const char *key);
bool gguf_number(const struct gguf_meta *meta, const char *key, double *value);
const char *gguf_string(const struct gguf_meta *meta, const char *key);

/* The dimensions of one layer as its tensors give them; 0 = absent. */
struct gguf_layer {
    int q_rows, k_rows, v_rows, qkv_rows;
    int q_bias, qkv_bias, o_bias, sinks;
    int q_norm; /* elements */
    int q_lora, kv_a_rows, index_q_rows, index_k_rows;
    int ff, up_rows, ff_gate, down_bias;
    int expert_ff, experts, expert_gate, expert_bias;
    int router_bias, shared_ff, shared_gate, latent;
    int conv_kernel;
    int norms, norm_biases, tensors;
    double elements;
};

struct gguf_facts {
    struct gguf_layer layer[MODEL_MAX_LAYERS];
    int hidden, vocab; /* from token_embd */
    int head, final_norm, final_norm_bias, embed_norm, positions;
    double elements; /* of all tensors */
};

/* Called per tensor, over all parts. */
bool gguf_facts_add(struct gguf_facts *facts, const struct file_tensor *tensor);

/* The shape; its bytes are tensor_sum's business. */
enum gp_status gguf_model(const struct gguf_meta *meta, const struct gguf_facts *facts,
                          struct model *out, struct gp_err *err);

#endif
