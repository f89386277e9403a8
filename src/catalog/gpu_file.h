/*
 * gpu_file.h - profiles/gpus/<id>.cfg into a struct gpu.
 *
 * Files give GiB, GB/s, TFLOPS and watts; the struct holds bytes, bytes/s, FLOP/s.
 * A rate of 0 means that the hardware has no such mode, an absent one that it is
 * unknown; the two are never confused.
 */
#ifndef GP_CATALOG_GPU_FILE_H
#define GP_CATALOG_GPU_FILE_H

#include "catalog/gpu.h"
#include "catalog/profile.h"

struct gpu_item {
    struct gpu gpu;    /* first: its id is the item's */
    char aliases[160]; /* '|' separated */
};

/* Into a struct gpu_item: a profile_read_fn. */
void gpu_file_read(struct profile_group top, void *item);

#endif
