/*
 * quantity.c - arithmetic on numbers with bands.
 *
 * Ends add to ends: the terms of a memory estimate err together (one wrong figure for
 * the engine moves several of them), so adding variances would promise too much. A
 * difference takes the far ends: 79.19 - (66.22..67.56) = 11.63..12.97.
 */
#include "core/quantity.h"

#include <stddef.h>

struct quantity quantity_of(double value, enum origin origin)
{
    return (struct quantity){value, value, value, origin, true};
}

struct quantity quantity_exact(double value)
{
    return quantity_of(value, ORIGIN_EXACT);
}

struct quantity quantity_band(double value, double low, double high, enum origin origin)
{
    /* A band holds its own value, whatever the source rounded. */
    return (struct quantity){value, low < value ? low : value,
                             high > value ? high : value, origin, true};
}

struct quantity quantity_unknown(void)
{
    return (struct quantity){0, 0, 0, ORIGIN_ASSUMED, false};
}

static enum origin weaker(enum origin a, enum origin b)
{
    return a > b ? a : b;
}

struct quantity quantity_add(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return quantity_unknown();
    return (struct quantity){a.value + b.value, a.low + b.low, a.high + b.high,
                             weaker(a.origin, b.origin), true};
}

struct quantity quantity_sub(struct quantity a, struct quantity b)
{
    if (!a.known || !b.known)
        return quantity_unknown();
    return (struct quantity){a.value - b.value, a.low - b.high, a.high - b.low,
                             weaker(a.origin, b.origin), true};
}

struct quantity quantity_scale(struct quantity a, double factor)
{
    a.value *= factor;
    a.low *= factor;
    a.high *= factor;
    return a;
}

struct quantity quantity_max0(struct quantity a)
{
    a.value = a.value > 0 ? a.value : 0;
    a.low = a.low > 0 ? a.low : 0;
    a.high = a.high > 0 ? a.high : 0;
    return a;
}

const char *origin_word(enum origin origin)
{
    static const char *const words[] = {
        [ORIGIN_EXACT] = "exact",     [ORIGIN_MEASURED] = "measured",
        [ORIGIN_SHEET] = "sheet",     [ORIGIN_MODEL] = "model",
        [ORIGIN_ASSUMED] = "assumed",
    };

    return (size_t)origin < sizeof words / sizeof words[0] ? words[origin] : "assumed";
}
