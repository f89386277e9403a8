/*
 * checkpoint.h - local models: a Hugging Face folder, a config.json, safetensors, GGUF.
 *
 * All of these files are untrusted. Every length is checked against the bytes left
 * before anything is allocated, nesting and counts are capped, names in an index file
 * never lead outside its folder, and a file that contradicts itself is refused with
 * file, offset or field, what is wrong and what to do. Only headers are read: a 400 GB
 * checkpoint takes milliseconds.
 *
 * When tensors are there, model->bytes holds their exact bytes by layer kind and role.
 */
#ifndef GP_MODEL_READ_CHECKPOINT_H
#define GP_MODEL_READ_CHECKPOINT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "model/model.h"

/* True when `text` looks like a path to a model rather than a catalogue id: it holds a
 * '/', or names an existing file or folder. */
bool checkpoint_is_path(const char *text);

/* A folder, config.json, *.safetensors, *.safetensors.index.json or *.gguf. */
enum gp_status checkpoint_read(const char *path, struct model *out, struct gp_err *err);

/* The parsers themselves, on bytes in memory (what the fuzz targets call).
 * `where` is the file's name for messages. */

/* hfconfig.c: config.json text -> architecture. */
enum gp_status hfconfig_parse(const char *where, const char *text, size_t len, struct model *out,
                              struct gp_err *err);

/* One tensor as a checkpoint lists it. */
struct file_tensor {
    const char *name; /* borrowed for the length of the call */
    int rank;
    double dims[8];
    double bytes;
    char type[16]; /* "BF16", "F8_E4M3", "Q4_K", ... */
};

/* Called once per tensor; false stops the reader with GP_E_FILE. */
typedef bool (*file_tensor_fn)(void *ctx, const struct file_tensor *tensor);

/* safetensors.c: the header. head holds the file's first len bytes: the 8-byte length
 * and the JSON after it. file_size is the size of the whole file, which the offsets
 * must cover exactly. fn sees each tensor after all checks. */
enum gp_status safetensors_header(const char *where, const uint8_t *head, size_t len,
                                  uint64_t file_size, file_tensor_fn fn, void *ctx,
                                  struct gp_err *err);
/* Its first 8 bytes: the length of the JSON, checked against the file. */
enum gp_status safetensors_length(const char *where, const uint8_t first[8], uint64_t file_size,
                                  uint64_t *length, struct gp_err *err);
/* model.safetensors.index.json: the shard names, checked to stay in the folder. */
enum gp_status safetensors_index(const char *where, const char *text, size_t len, char ***shards,
                                 size_t *count, double *total_size, struct gp_err *err);

/* Metadata and tensor list of one GGUF v2/v3 file, read through `read`
 * (offset, length -> bytes, false past the end) so that only what is needed is read.
 * Of a part of a split file (*split_count > 1) only the numbers and tensors are told;
 * checkpoint_read() reads whole sets. */
struct gguf_input {
    bool (*read)(void *ctx, uint64_t offset, void *dst, size_t len);
    void *ctx;
    uint64_t size; /* of the whole file */
};
enum gp_status gguf_parse(const char *where, const struct gguf_input *input, struct model *out,
                          int *split_no, int *split_count, file_tensor_fn fn, void *ctx,
                          struct gp_err *err);

#endif
