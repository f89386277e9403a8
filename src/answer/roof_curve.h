/*
 * roof_curve.h - the roofline of the plan's GPU, and the plan's matrix products on it, as a
 * plot; the same products against the tokens at once.
 *
 *   attainable = min(rate, intensity * bandwidth),  intensity = operations / bytes
 *   ridge = rate / bandwidth: the intensity at which the two are equal
 *
 * The products are those of one layer of each kind as one GPU holds them
 * (plan/products.h), for one token, for the users' tokens at once, for 64, and for a whole
 * prompt. A product of m x k weights with n tokens does 2mnk operations and moves
 *
 *   weights as stored + n*k activations in the type of the arithmetic + m*n results
 *
 * Weight-only formats are read in their few bits and computed in 16. An expert gets its
 * share of the tokens, n * active / experts, but at least one. Attention over the KV
 * cache is none of these products. The roof is a bound; a mark is what the law of speed
 * (plan/speed/gemm.h) predicts, which lies below it: one that does not is said to.
 *
 * Example: H100 SXM in FP8, 1979 TFLOP/s over 3.35 TB/s: ridge 591 FLOP per byte; one
 * token does 2 FLOP per byte of weights.
 */
#ifndef GP_ANSWER_ROOF_CURVE_H
#define GP_ANSWER_ROOF_CURVE_H

#include <stdbool.h>

#include "answer/memory_curve.h"
#include "answer/plot.h"
#include "plan/plan.h"
#include "plan/products.h"
#include "plan/roofline.h"

struct roof_curve {
    double start;              /* intensity of the ridge, or a middle one */
    double batch[PLOT_SERIES]; /* of a series of marks: tokens */
};

/* Fills the curve, the plot's axes, title and series, and the words. low, high: of the
 * intensity; NAN: all of it. False: words say why there is none. */
bool roof_curve(struct roof_curve *curve, const struct plan *plan, double low, double high,
                struct plot *plot, char words[CURVE_WORDS]);

/* Each product as a line over 1..8192 tokens at once; low, high: of those. False: there is
 * no estimate. */
bool roof_curve_by_batch(const struct plan *plan, double low, double high, struct plot *plot);

/* Tokens that one expert sees of n; n for other products. */
double roof_curve_tokens(const struct model *model, const struct products_layer *layer, double n);

/* ---- for other plots of rates ---- */
/* A power of two at or below / at or above a value. */
double roof_curve_floor2(double value);
double roof_curve_ceil2(double value);
/* The axis of y for low..high operations/s; whole: of whole numbers. Returns the unit it is
 * in, by the largest rate. */
double roof_curve_rates(struct plot *plot, double low, double high, double most, bool whole);
/* A line: min(rate, intensity x bandwidth); what is unknown does not bound it. */
void roof_curve_line(struct plot *plot, const char *name, enum plot_role role, char label,
                     struct roof roof, double unit);

#endif
