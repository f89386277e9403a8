/*
 * quantity.h - a number that knows where it comes from and how sure it is.
 *
 * Every figure gpuplan shows is one of these. `low` and `high` hold the band in which
 * the true value is expected nine times out of ten; for exact numbers all three are
 * equal. Sums add the ends of the bands, which is what a verdict has to survive: the
 * terms of a memory estimate err together (one wrong figure for the engine moves several
 * of them), so adding variances would promise too much. A sum takes the weakest origin
 * of its terms.
 *
 * Example: 0.51..1.85 GiB of CUDA graphs (model) + 65.71 GiB of weights (exact)
 *          = 66.75 GiB, 66.22..67.56, origin model.
 */
#ifndef GP_BASE_QUANTITY_H
#define GP_BASE_QUANTITY_H

#include <stdbool.h>

enum origin {
    ORIGIN_EXACT,    /* counted from an architecture or a file */
    ORIGIN_MEASURED, /* measured here, dated */
    ORIGIN_SHEET,    /* a vendor's or catalogue's figure, dated */
    ORIGIN_MODEL,    /* estimated, with a band */
    ORIGIN_ASSUMED   /* nobody's figure: shown as such */
};

struct quantity {
    double value, low, high; /* in the unit the field's comment says */
    enum origin origin;
    bool known; /* false: nothing is known, the numbers mean nothing (JSON null) */
};

/* Inline, because a search adds up millions of them (evaluate.h). */

static inline struct quantity quantity_of(double value, enum origin origin)
{
    return (struct quantity){value, value, value, origin, true};
}

static inline struct quantity quantity_exact(double value)
{
    return quantity_of(value, ORIGIN_EXACT);
}

/* A band holds its own value, whatever the source rounded. */
static inline struct quantity quantity_band(double value, double low, double high,
                                            enum origin origin)
{
    return (struct quantity){value, low < value ? low : value, high > value ? high : value, origin,
                             true};
}

static inline struct quantity quantity_unknown(void)
{
    return (struct quantity){0, 0, 0, ORIGIN_ASSUMED, false};
}

static inline enum origin origin_weaker(enum origin a, enum origin b)
{
    return a > b ? a : b;
}

static inline struct quantity quantity_add(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return quantity_unknown();
    return (struct quantity){a.value + b.value, a.low + b.low, a.high + b.high,
                             origin_weaker(a.origin, b.origin), true};
}

/* a - b takes the far ends: 79.19 - (66.22..67.56) = 11.63..12.97. */
static inline struct quantity quantity_sub(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return quantity_unknown();
    return (struct quantity){a.value - b.value, a.low - b.high, a.high - b.low,
                             origin_weaker(a.origin, b.origin), true};
}

/* factor >= 0 */
static inline struct quantity quantity_scale(struct quantity a, double factor)
{
    a.value *= factor;
    a.low *= factor;
    a.high *= factor;
    return a;
}

/* Negative ends become 0. */
static inline struct quantity quantity_max0(struct quantity a)
{
    a.value = a.value > 0 ? a.value : 0;
    a.low = a.low > 0 ? a.low : 0;
    a.high = a.high > 0 ? a.high : 0;
    return a;
}

static inline struct quantity quantity_max(struct quantity a, struct quantity b)
{
    return (struct quantity){a.value > b.value ? a.value : b.value, a.low > b.low ? a.low : b.low,
                             a.high > b.high ? a.high : b.high, origin_weaker(a.origin, b.origin),
                             a.known && b.known};
}

const char *origin_word(enum origin origin); /* "exact", "sheet", ... */

#endif
