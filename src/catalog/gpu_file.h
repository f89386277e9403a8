/*
 * gpu_file.h - profiles/gpus/<id>.cfg into a struct gpu.
 *
 * Files give GiB, GB/s, TFLOPS and watts; the struct holds bytes, bytes/s, FLOP/s.
 * A rate of 0 means that the hardware has no such mode, an absent one that it is
 * unknown; the two are never confused.
 */
#ifndef GP_CATALOG_GPU_FILE_H
#define GP_CATALOG_GPU_FILE_H

#include <stddef.h>

#include "catalog/profile.h"
#include "core/gpu.h"
#include "util/err.h"

/* Adds what the file says to *gpu (id set, otherwise zeroed or from an earlier file).
 * aliases: '|' separated, kept when the file has none. */
enum gp_status gpu_file_read(const char *path, struct gpu *gpu, char *aliases,
                             size_t aliases_size, profile_warn_fn warn, void *ctx,
                             struct gp_err *err);

/* After the last file: what a plan cannot do without must be there. */
enum gp_status gpu_file_check(const char *path, const struct gpu *gpu,
                              struct gp_err *err);

#endif
