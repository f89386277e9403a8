/*
 * fuzz_scrape.c - any bytes as a metrics page, and as two of one server; what is accepted
 * must be finite, its buckets rise, its means and quantiles be numbers or none.
 */
#include <math.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "logs/read/scrape.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void must_hold(const struct scrape *s)
{
    for (int i = 0; i < SCRAPE_VALUE_COUNT; i++)
        if (!isfinite(s->value[i]) || s->value[i] < 0)
            abort();
    for (int i = 0; i < SCRAPE_OF_COUNT; i++) {
        const struct scrape_histogram *h = &s->histogram[i];
        if (h->buckets > SCRAPE_BUCKETS || isinf(scrape_mean(h)) || isinf(scrape_quantile(h, 0.5)))
            abort();
        for (int b = 1; b < h->buckets; b++)
            if (h->le[b] <= h->le[b - 1] || h->count[b] < h->count[b - 1])
                abort();
    }
    if (!gp_lines_are_clean(s->model, strlen(s->model)))
        abort();
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    const uint8_t *cut = size > 0 ? memchr(data, 0, size) : NULL;
    size_t first = cut ? (size_t)(cut - data) : size;
    struct scrape a, b, between;
    struct gp_err err;

    if (scrape_parse("fuzz", (const char *)data, first, &a, &err) != GP_OK)
        return 0;
    must_hold(&a);
    if (cut && scrape_parse("fuzz", (const char *)cut + 1, size - first - 1, &b, &err) == GP_OK &&
        scrape_between("fuzz", &a, &b, 1, &between, &err) == GP_OK)
        must_hold(&between);
    return 0;
}
