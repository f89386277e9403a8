/*
 * tensors.h - a checkpoint's tensors: what each is for, from its name, and what they come
 * to, by layer kind and role.
 *
 * Example: model.layers.0.mlp.down_proj.weight of 4096 x 14336 BF16 is 117,440,512 bytes
 * of ROLE_MLP in layer 0.
 */
#ifndef GP_MODEL_READ_TENSORS_H
#define GP_MODEL_READ_TENSORS_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "model/model.h"
#include "model/read/checkpoint.h"

/* ---- tensorname.c: what a tensor is for, from its name ---- */

struct tensor_place {
    int layer; /* -1: outside the layers */
    enum tensor_role role;
    bool mtp;       /* of a multi-token-prediction layer: not loaded */
    bool fused_qkv; /* query, key and value in one: split by heads */
};

/* Hugging Face names and their packed, scaled and fused variants. */
struct tensor_place tensorname_hf(const struct model *model, const char *name);
/* Of a vision or audio tower, or of a prediction layer: beside the language model. */
bool tensorname_is_aside(const char *name);
/* GGUF names (blk.N.attn_q.weight). */
struct tensor_place tensorname_gguf(const struct model *model, const char *name);

/* ---- tensorsum.c: a checkpoint's tensors, and their bytes by layer kind and role ----
 */

struct listed_tensor {
    size_t name; /* offset in tensor_list.names */
    double bytes;
    char type[16];
};

struct tensor_list {
    struct strbuf names; /* each with its terminator */
    struct listed_tensor *items;
    size_t count, cap;
};

void tensor_list_init(struct tensor_list *list);
void tensor_list_fini(struct tensor_list *list);
bool tensor_list_add(void *list, const struct file_tensor *tensor); /* file_tensor_fn */

/* Fills model->bytes and the formats found. Refuses a tensor in two files, a missing
 * layer and a missing embedding. Sorts the list. */
enum gp_status tensor_sum(struct tensor_list *list, struct model *model, bool gguf,
                          const char *where, struct gp_err *err);

/* Adds "; text" to the model's note. */
void checkpoint_note(struct model *model, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

#endif
