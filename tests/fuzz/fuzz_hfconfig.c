/*
 * fuzz_hfconfig.c - any bytes as config.json. A zero byte parts it from a
 * hf_quant_config.json.
 */
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "model/read/hfconfig.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = size > 0 ? memchr(data, '\0', size) : NULL;
    size_t len = cut == NULL ? size : (size_t)(cut - data);
    const char *side = cut == NULL ? NULL : (const char *)cut + 1;
    size_t side_len = cut == NULL ? 0 : size - len - 1;
    struct model *model = malloc(sizeof *model);
    struct gp_err err;

    for (int headers = 0; headers <= 1; headers++)
        if (hfconfig_parse_pair("config.json", (const char *)data, len, "side.json", side, side_len,
                                headers, model, &err) == GP_OK &&
            model_check(model, &err) != GP_OK)
            abort(); /* what a reader hands out is a model */
    free(model);
    return 0;
}
