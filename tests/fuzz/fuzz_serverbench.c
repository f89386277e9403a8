/*
 * fuzz_serverbench.c - any bytes as results of a server's benchmark; each point that is
 * accepted must be a load that can be estimated.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "logs/read/serverbench.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    struct serverbench bench = {.count = 0};
    struct gp_err err;
    char *text = malloc(size + 1);

    if (!text)
        return 0;
    if (size > 0)
        memcpy(text, data, size);
    serverbench_parse("fuzz.json", text, size, &bench, &err);
    for (int i = 0; i < bench.count; i++) {
        const struct anchor *a = &bench.point[i];
        if (!(a->users >= 1 && a->prompt > 0 && a->output > 0 && a->tpot >= 0 && a->ttft >= 0 &&
              a->tpot + a->ttft > 0 && isfinite(a->users + a->prompt)))
            abort();
    }
    free(text);
    return 0;
}
