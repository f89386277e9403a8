/* calibration.c - see calibration.h. */
#include "plan/calibration.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"

static void *add_row(void **rows, int *count, int *cap, size_t size)
{
    if (*count == *cap) {
        *cap = *cap ? 2 * *cap : 16;
        *rows = gp_realloc(*rows, (size_t)*cap * size);
    }
    return (char *)*rows + size * (size_t)(*count)++;
}

struct calibration_term *calibration_add_term(struct calibration *c)
{
    void *rows = c->term;
    struct calibration_term *term = add_row(&rows, &c->terms, &c->term_cap, sizeof(*term));

    c->term = rows;
    *term = (struct calibration_term){.type = TYPE_COUNT,
                                      .rate = quantity_unknown(),
                                      .overhead = quantity_unknown(),
                                      .sheet_pct = NAN,
                                      .rms = NAN};
    return term;
}

struct calibration_product *calibration_add_product(struct calibration *c)
{
    void *rows = c->product;
    struct calibration_product *product =
        add_row(&rows, &c->products, &c->product_cap, sizeof(*product));

    c->product = rows;
    memset(product, 0, sizeof(*product));
    product->type = TYPE_COUNT;
    product->sheet_pct = NAN;
    return product;
}

void calibration_fini(struct calibration *c)
{
    free(c->term);
    free(c->product);
    memset(c, 0, sizeof(*c));
}
