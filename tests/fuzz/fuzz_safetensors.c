/*
 * fuzz_safetensors.c - any bytes as a safetensors file (with as much data behind it as
 * its last offset asks for, so that good headers are found) and as an index file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/path.h"
#include "model/read/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static bool count_tensor(void *ctx, const struct file_tensor *tensor)
{
    double *bytes = ctx;

    if (tensor->rank < 0 || tensor->rank > 8 || !(tensor->bytes >= 0))
        abort();
    *bytes += tensor->bytes;
    return true;
}

/* The header alone: the length in front is made to fit. */
static void as_header(const uint8_t *data, size_t size)
{
    uint8_t *file = malloc(size + 8);
    double bytes = 0;
    struct gp_err err;

    for (int i = 0; i < 8; i++)
        file[i] = (uint8_t)((uint64_t)size >> (8 * i));
    if (size > 0)
        memcpy(file + 8, data, size);
    for (uint64_t extra = 0; extra <= 64; extra += 4) {
        bytes = 0;
        if (safetensors_header("f", file, size + 8, size + 8 + extra, count_tensor, &bytes, &err) ==
                GP_OK &&
            bytes != (double)extra)
            abort();
    }
    free(file);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char **shards;
    size_t count;
    double total, bytes = 0;
    struct gp_err err;

    safetensors_header("f", data, size, size, count_tensor, &bytes, &err);
    as_header(data, size);
    if (safetensors_index("i", (const char *)data, size, &shards, &count, &total, &err) == GP_OK) {
        for (size_t i = 0; i < count; i++)
            if (strchr(shards[i], '/') != NULL || shards[i][0] == '.')
                abort();
        path_list_free(shards, count);
    }
    return 0;
}
