/*
 * curves.h - what a plan does against one of its figures, as plots: memory, speed, cost and
 * throughput, the roofline, and what was measured beside what was predicted.
 */
#ifndef GP_ANSWER_CURVES_H
#define GP_ANSWER_CURVES_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/planner.h"
#include "answer/plot.h"
#include "base/err.h"
#include "base/table.h"
#include "logs/read/serverbench.h"
#include "plan/plan.h"
#include "plan/products.h"
#include "plan/roofline.h"
#include "plan/sweep.h"

/* The plan's memory against context and against users, as a plot.
 *
 * Parts are stacked: each lies between two lines, the last line is everything. Where it
 * crosses the limit, requests no longer fit. Every point is a plan of its own
 * (plan/sweep.h). Example: Llama-3.1-70B in FP8 on 2 x H100, vLLM: weights to 33.9 GiB,
 * everything to 58.8 GiB at 16 users of 8,192 tokens, limit 72.9 GiB, fits to 27 users.
 */

#define MEMORY_SAMPLES 160
#define MEMORY_STACK 4

/* What is stacked, from below. */
struct memory_stack {
    const char *name;
    char label;
    enum plot_role role;
    size_t offset; /* of its quantity in struct sweep_point */
};
extern const struct memory_stack memory_stack[MEMORY_STACK];
const struct quantity *memory_part(const struct sweep_point *point, int k);

struct memory_curve {
    enum sweep of;
    int samples;
    struct sweep_point sample[MEMORY_SAMPLES]; /* x ascending */
    struct sweep_end end;
};

/* Fills the curve, the plot's axes, series and rules, and the words. low, high: of x;
 * NAN: all of it. False: words say why there is none. */
bool memory_curve(struct memory_curve *curve, const struct plan *plan, enum sweep of, double low,
                  double high, struct plot *plot, char words[CURVE_WORDS]);

/* "8,192 tokens", "1 user" */
char *memory_count(enum sweep of, double x, char *text, size_t size);

/* A plan against its users: how much, how fast, at what cost, of its own layout.
 *
 *   LOAD_TOKENS output tokens per second of all users, and its knee
 *   LOAD_TPOT, LOAD_TTFT  times, with their bands
 *   LOAD_COST   dollars per million output tokens: 1e6 $/h / (3600 tokens/s)
 *
 * Every point is a plan of its own: nothing is interpolated, and one curve has all four. The
 * knee is the fewest users with 90 % of the most tokens/s that the layout reaches; where it
 * still grows as room ends there is none.
 * What takes long is done in steps, for those who must answer keys meanwhile:
 *
 *   load_curve_begin(&answer, NAN, NAN, &curve);
 *   while (load_curve_step(&curve, 1))
 *       ... look at the clock, go on later
 *   load_curve_plot(&curve, LOAD_TPOT, &plot, words);
 *
 * Example: Llama-3.1-70B FP8 on 2 x H100, vLLM: TPOT 19 ms for one user, 31 ms for 27; the
 * KV pool is full at 27 users, beyond them requests would wait.
 */

enum load_kind { LOAD_TOKENS, LOAD_TPOT, LOAD_TTFT, LOAD_COST, LOAD_KIND_COUNT };

#define LOAD_POINTS 80

struct load_point {
    double users;
    enum verdict verdict;
    enum limit limit;
    int gpus;                          /* 0 = no layout serves them */
    struct quantity tpot, ttft;        /* s; unknown of what does not fit */
    struct quantity tokens;            /* output tokens/s, all users */
    struct quantity per_hour, million; /* dollars */
};

struct load_curve {
    struct request request; /* users to be set */
    struct layout layout;   /* of the plan */
    struct market market;
    double own;                   /* users of the plan */
    double low, high;             /* users */
    struct sweep_end end;         /* of the plan's layout */
    double tpot_to, ttft_to;      /* users up to which a goal is likely reached; 0 = not asked, or
                             * none of those looked at misses it */
    double tpot_sure, ttft_sure;  /* the same by the whole band */
    double most, knee, knee_pace; /* tokens/s; users and s with 90 % of them, 0 = it still grows */
    int count, done;
    double x[LOAD_POINTS];                /* users, ascending */
    struct load_point point[LOAD_POINTS]; /* (done) */
};

/* low, high: users to look at; NAN: all that there can be. The answer's plan has a memory. */
void load_curve_begin(const struct answer *answer, double low, double high, struct load_curve *out);
/* Plans at most `points` more. True while there is more to do. */
bool load_curve_step(struct load_curve *curve, int points);

/* The same in two halves: point i, planned by any thread, and the next point put into its
 * place by whoever reads the curve. */
void load_curve_point(const struct load_curve *curve, int i, struct load_point *out);
bool load_curve_take(struct load_curve *curve, const struct load_point *point);

/* Axes, series and rules of what is planned so far; the words say where it breaks. False:
 * there is nothing to draw, and words say why. */
bool load_curve_plot(const struct load_curve *curve, enum load_kind kind, struct plot *plot,
                     char words[CURVE_WORDS]);

/* The point nearest to so many users; NULL: none is planned. */
const struct load_point *load_curve_at(const struct load_curve *curve, double users);

/* The roofline of the plan's GPU, and the plan's matrix products on it, as a
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

/* What was measured beside what was predicted before: a table of the files
 * of --calibration, error = predicted / measured - 1, and points over the predicted curve.
 *
 *   times     of a server's own benchmark: TPOT or TTFT against users; predicted without these
 *             points, with its band, and corrected by them; of requests of one length
 *   products  of --bench: rate / predicted rate against the tokens at once; the band around 1
 *             is what the law leaves open where nothing is measured (speed_doubt_law)
 */

struct measured_row {
    const char *what; /* "TPOT", "TTFT" */
    double users, prompt, output;
    double measured, predicted, corrected; /* s */
    double low, high;                      /* of what is predicted */
};

struct measured_rows {
    int count;
    struct measured_row row[2 * ANCHORS_MAX];
    char words[200]; /* the files, and the median error before and after */
};

/* None when the answer is not corrected by a file. */
enum gp_status measured_rows_read(const struct answer *answer, struct measured_rows *out,
                                  struct gp_err *err);
/* The same load in the answer's layout, without the measured points or corrected by them. */
struct measured_times {
    struct quantity tpot, ttft; /* s; unknown: no estimate */
};

/* The table wants table_fini(). */
void measured_rows_table(const struct measured_rows *rows, struct table *table);

/* what: "TPOT" or "TTFT". False: nothing to draw. */
bool measured_plot_times(const struct answer *answer, const struct measured_rows *rows,
                         const char *what, struct plot *plot, char words[CURVE_WORDS]);
/* sheet: the answer's GPU as it is in the catalogue; NULL: as measured (of processors, whose
 * bandwidth and rate are measured). False: no product of it was measured. */
bool measured_plot_products(const struct answer *answer, const struct gpu *sheet, struct plot *plot,
                            char words[CURVE_WORDS]);

#endif
