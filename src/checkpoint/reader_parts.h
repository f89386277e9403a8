/*
 * reader_parts.h - what the readers of local models share among themselves.
 *
 * checkpoint.h is what the rest of the program sees. Here are the seams between its
 * files: the table of tensor names, the collector of bytes, the two halves of the GGUF
 * reader (bytes to metadata, metadata to model) and those of the config.json reader.
 */
#ifndef GP_CHECKPOINT_READER_PARTS_H
#define GP_CHECKPOINT_READER_PARTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "checkpoint/checkpoint.h"
#include "core/model.h"
#include "util/err.h"
#include "util/path.h"
#include "util/str.h"

/* safetensors.c: the first 8 bytes -> length of the JSON, checked against the file. */
enum gp_status safetensors_length(const char *where, const uint8_t first[8],
                                  uint64_t file_size, uint64_t *length,
                                  struct gp_err *err);

/* ---- tensorname.c: what a tensor is for, from its name ---- */

struct tensor_place {
    int layer;             /* -1: outside the layers */
    enum tensor_role role;
    bool mtp;              /* of a multi-token-prediction layer: not loaded */
    bool fused_qkv;        /* query, key and value in one: split by heads */
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
    size_t name;           /* offset in tensor_list.names */
    double bytes;
    char type[16];
};

struct tensor_list {
    struct strbuf names;   /* each with its terminator */
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

/* ---- gguf.c and ggufmodel.c ---- */

struct gguf_kv {
    size_t key;            /* offset in gguf_meta.text */
    uint32_t type;         /* GGUF value type; of the items for an array */
    bool array, numeric;
    uint64_t count;        /* items of an array */
    double number;         /* a single number or bool */
    size_t string;         /* offset of a short string in text, else SIZE_MAX */
    size_t first;          /* index of an array's items in numbers, else SIZE_MAX */
};

struct gguf_meta {
    const char *where;
    struct strbuf text;    /* keys and short strings, each with its terminator */
    struct gguf_kv *kv;
    size_t count, cap;
    double *numbers;       /* items of short number arrays */
    size_t number_count, number_cap;
    int split_no, split_count;
};

void gguf_meta_init(struct gguf_meta *meta, const char *where);
void gguf_meta_fini(struct gguf_meta *meta);

/* Metadata and tensors of one file, checked; fn sees each tensor after all checks. */
enum gp_status gguf_scan(struct gguf_meta *meta, const struct gguf_input *input,
                         file_tensor_fn fn, void *ctx, struct gp_err *err);

/* Look-ups by key; false or NULL when it is missing or of another type. */
const struct gguf_kv *gguf_find(const struct gguf_meta *meta, const char *key);
bool gguf_number(const struct gguf_meta *meta, const char *key, double *value);
const char *gguf_string(const struct gguf_meta *meta, const char *key);

/* The dimensions of one layer as its tensors give them; 0 = absent. */
struct gguf_layer {
    int q_rows, k_rows, v_rows, qkv_rows;
    int q_bias, qkv_bias, o_bias, sinks;
    int q_norm, k_norm;               /* elements */
    int q_lora, kv_a_rows, index_q_rows, index_k_rows;
    int ff, up_rows, ff_gate, up_bias, down_bias;
    int expert_ff, experts, expert_gate, expert_bias;
    int router_bias, shared_ff, shared_gate, latent;
    int conv_kernel, conv_rows, ssm_in, ssm_out, ssm_a, ssm_state, ssm_dt_rank,
        ssm_norm;
    int ssm_ba;
    int norms, norm_biases, tensors;
    double elements;
};

struct gguf_facts {
    struct gguf_layer layer[MODEL_MAX_LAYERS];
    int hidden, vocab;                /* from token_embd */
    int head, final_norm, final_norm_bias, embed_norm, positions, layer_embed;
    double elements;                  /* of all tensors */
};

/* Called per tensor, over all parts. */
bool gguf_facts_add(struct gguf_facts *facts, const struct file_tensor *tensor);

/* The shape; its bytes are tensor_sum's business. */
enum gp_status gguf_model(const struct gguf_meta *meta, const struct gguf_facts *facts,
                          struct model *out, struct gp_err *err);

/* Adds "; text" to the model's note. */
void reader_note(struct model *model, const char *fmt, ...)
    __attribute__((format(printf, 2, 3)));

/* ---- reader_file.c: files of a folder that is not trusted ---- */

struct reader_file {
    int fd;
    uint64_t size;
    char path[GP_PATH_MAX];
};

/* Opens `name` in `dir`, following links only as far as the folder (or the blobs of
 * the same Hugging Face cache entry); dir NULL: name is the user's own path. Only
 * regular files. *found is false, and the result GP_OK, when there is none. */
enum gp_status reader_file_open(const char *dir, const char *name,
                                struct reader_file *file, bool *found,
                                struct gp_err *err);
void reader_close(struct reader_file *file);
bool reader_read(const struct reader_file *file, uint64_t offset, void *dst,
                 size_t len);
/* All of it, terminated, at most `limit` bytes; the caller frees. */
enum gp_status reader_slurp(const struct reader_file *file, size_t limit, char **text,
                            struct gp_err *err);

/* ---- reader_gguf.c ---- */

/* A GGUF file or the whole set it is a part of. dir NULL: path is the user's own. */
enum gp_status reader_gguf(const char *dir, const char *name, struct model *out,
                           struct gp_err *err);

#endif
