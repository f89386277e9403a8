/*
 * memory_curve.h - the plan's memory against context and against users, as a plot.
 *
 * Parts are stacked: each lies between two lines, the last line is everything. Where it
 * crosses the limit, requests no longer fit. Every point is a plan of its own
 * (plan/sweep.h). Example: Llama-3.1-70B in FP8 on 2 x H100, vLLM: weights to 33.9 GiB,
 * everything to 58.8 GiB at 16 users of 8,192 tokens, limit 72.9 GiB, fits to 27 users.
 */
#ifndef GP_ANSWER_MEMORY_CURVE_H
#define GP_ANSWER_MEMORY_CURVE_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/plot.h"
#include "plan/sweep.h"

#define MEMORY_SAMPLES 160
#define MEMORY_STACK 4
#define CURVE_WORDS 240 /* what a curve says in a sentence */

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

#endif
