/*
 * quantity.c - see quantity.h.
 */
#include "base/quantity.h"

#include <stddef.h>

const char *origin_word(enum origin origin)
{
    static const char *const words[] = {
        [ORIGIN_EXACT] = "exact", [ORIGIN_MEASURED] = "measured", [ORIGIN_SHEET] = "sheet",
        [ORIGIN_MODEL] = "model", [ORIGIN_ASSUMED] = "assumed",
    };

    return (size_t)origin < sizeof words / sizeof words[0] ? words[origin] : "assumed";
}
