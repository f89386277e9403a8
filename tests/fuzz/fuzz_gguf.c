/*
 * fuzz_gguf.c - any bytes as a GGUF file.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/read/checkpoint.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

struct bytes {
    const uint8_t *data;
    size_t size;
};

static bool read_bytes(void *ctx, uint64_t offset, void *dst, size_t len)
{
    const struct bytes *bytes = ctx;

    if (offset > bytes->size || len > bytes->size - offset)
        return false;
    memcpy(dst, bytes->data + offset, len);
    return true;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct bytes bytes = {data, size};
    struct gguf_input input = {.read = read_bytes, .ctx = &bytes, .size = size};
    struct model *model = malloc(sizeof *model);
    struct gp_err err;
    int no, count;

    if (gguf_parse("f", &input, model, &no, &count, NULL, NULL, &err) == GP_OK && count <= 1 &&
        model_check(model, &err) != GP_OK)
        abort(); /* what a reader hands out is a model */
    free(model);
    return 0;
}
