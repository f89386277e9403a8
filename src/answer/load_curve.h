/*
 * load_curve.h - a plan against its users: how fast, how much, at what cost.
 *
 *   LOAD_SPEED  TPOT and TTFT of the plan's own layout, with their bands
 *   LOAD_COST   dollars per million output tokens of that layout: 1e6 $/h / (3600 tokens/s)
 *   LOAD_TOKENS output tokens per second of all users, likewise
 *
 * Every point is a plan of its own: nothing is interpolated.
 * What takes long is done in steps, for those who must answer keys meanwhile:
 *
 *   load_curve_begin(LOAD_SPEED, &answer, NAN, NAN, &curve);
 *   while (load_curve_step(&curve, 1))
 *       ... look at the clock, go on later
 *   load_curve_plot(&curve, &plot, words);
 *
 * Example: Llama-3.1-70B FP8 on 2 x H100, vLLM: TPOT 19 ms for one user, 31 ms for 27; the
 * KV pool is full at 27 users, beyond them requests would wait.
 */
#ifndef GP_ANSWER_LOAD_CURVE_H
#define GP_ANSWER_LOAD_CURVE_H

#include <stdbool.h>

#include "answer/memory_curve.h"
#include "answer/planner.h"
#include "answer/plot.h"

enum load_kind { LOAD_SPEED, LOAD_COST, LOAD_TOKENS, LOAD_KIND_COUNT };

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
    enum load_kind kind;
    struct request request; /* users to be set */
    struct layout layout;   /* of the plan */
    struct market market;
    double own;              /* users of the plan */
    double low, high;        /* users */
    struct sweep_end end;    /* of the plan's layout */
    double tpot_to, ttft_to; /* users up to which a goal is reached; 0 = not asked, or
                             * none of those looked at misses it */
    int count, done;
    double x[LOAD_POINTS];                /* users, ascending */
    struct load_point point[LOAD_POINTS]; /* (done) */
};

/* low, high: users to look at; NAN: all that make sense. The answer's plan has a memory. */
void load_curve_begin(enum load_kind kind, const struct answer *answer, double low, double high,
                      struct load_curve *out);
/* Plans at most `points` more. True while there is more to do. */
bool load_curve_step(struct load_curve *curve, int points);

/* The same in two halves: point i, planned by any thread, and the next point put into its
 * place by whoever reads the curve. */
void load_curve_point(const struct load_curve *curve, int i, struct load_point *out);
bool load_curve_take(struct load_curve *curve, const struct load_point *point);

/* Axes, series and rules of what is planned so far; the words say where it breaks. False:
 * there is nothing to draw, and words say why. */
bool load_curve_plot(const struct load_curve *curve, struct plot *plot, char words[CURVE_WORDS]);

/* The point nearest to so many users; NULL: none is planned. */
const struct load_point *load_curve_at(const struct load_curve *curve, double users);

#endif
