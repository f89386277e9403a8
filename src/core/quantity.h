/*
 * quantity.h - a number that knows where it comes from and how sure it is.
 *
 * Every figure gpuplan shows is one of these. `low` and `high` hold the band in which
 * the true value is expected nine times out of ten; for exact numbers all three are
 * equal. Sums add the ends of the bands (the worst of all terms at once), which is
 * what a verdict has to survive, and take the weakest origin of their terms.
 *
 * Example: 0.51..1.85 GiB of CUDA graphs (model) + 65.71 GiB of weights (exact)
 *          = 66.75 GiB, 66.22..67.56, origin model.
 */
#ifndef GP_CORE_QUANTITY_H
#define GP_CORE_QUANTITY_H

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

struct quantity quantity_exact(double value);
struct quantity quantity_of(double value, enum origin origin);
struct quantity quantity_band(double value, double low, double high, enum origin origin);
struct quantity quantity_unknown(void);

struct quantity quantity_add(struct quantity a, struct quantity b);
struct quantity quantity_sub(struct quantity a, struct quantity b); /* a - b, bands apart */
struct quantity quantity_scale(struct quantity a, double factor);   /* factor >= 0 */
struct quantity quantity_max0(struct quantity a); /* negative ends become 0 */

const char *origin_word(enum origin origin); /* "exact", "sheet", ... */

#endif
