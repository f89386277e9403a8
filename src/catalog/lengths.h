/*
 * lengths.h - how the lengths of a load's requests differ, and what follows from it.
 *
 *   held  = E[(P + O/2) * O] / E[O] = E[P] + cov(P, O)/E[O] + E[O]*(1 + co^2)/2
 *
 * is what a request in flight holds in the mean: a long answer is met more often, so that
 * each counts by its output. P and O are prompt and output, cp and co their standard
 * deviations over their means. Of requests alike it is P + O/2.
 *
 * Given as a mean and a standard deviation, lengths are taken as lognormal: they are never
 * below 0, and longer than twice the mean more often than a normal distribution says.
 *
 * Example: prompts of 1,024 and answers of 256 tokens, both +- 100 %: 1024 + 256 = 1280
 * tokens are held, not 1152; 95 of 100 prompts are shorter than 2,848 tokens.
 */
#ifndef GP_CATALOG_LENGTHS_H
#define GP_CATALOG_LENGTHS_H

#include <limits.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* All over the means, 0: the requests are alike. */
struct spread {
    double prompt, output; /* standard deviations */
    double both;           /* covariance of prompt and output */
    double middle, late;   /* prompts that 50, 95 of 100 are no longer than; 0 = 1 */
    double end;            /* prompt and answer together, likewise of 95; 0 = 1 */
    double beyond;         /* share of the requests longer than the context, not served */
};

#define PRIORITY_UNTOLD INT_MIN

/* A log of requests (catalog/trace.h reads it). */
struct trace_row {
    double at;             /* s; NAN without times */
    double prompt, output; /* tokens, 1 at least */
    double most;           /* tokens that it may make; 0 = output */
    double ttft, latency;  /* s, as a benchmark measured them; 0 = not told */
    uint64_t session;      /* a hash of its name; 0 = of none */
    int priority;          /* as the engine is told; PRIORITY_UNTOLD: it is not */
    double think;          /* s from the answer before in its session; 0 = it comes at its time */
};

struct trace {
    struct trace_row *row;
    size_t count, cap;
    size_t failed;        /* rows without prompt or answer */
    double longest;       /* tokens of the longest request */
    double seconds;       /* from the first to the last; 0 = not told */
    double rate, busiest; /* requests/s: mean, busiest minute; 0 = not told */
    uint64_t *hash;       /* of the prompts' leading groups of tokens, one row after another */
    size_t hashes, hash_cap;
    uint32_t *hash_at; /* count + 1 places in it; NULL: it tells none */
    size_t at_cap;
    int hash_tokens; /* of a group */
    double users;    /* of a benchmark: at most in flight; 0 = any number */
    double asked;    /* of one: requests/s that it sent, where it tells no times; 0 = not told */
    bool measured;   /* rows have TTFT */
    bool sessions;   /* some are of one */
    bool priorities; /* some have one */
};

/* Means and spread of the requests that a context holds; false when it holds none. */
bool trace_lengths(const struct trace *trace, double context, double *prompt, double *output,
                   struct spread *spread);

/* Of means and standard deviations in tokens, under a context. */
struct spread spread_of(double prompt, double prompt_sd, double output, double output_sd,
                        double context);

/* Tokens that 95 of 100 requests do not exceed at their end. */
double spread_end(const struct spread *spread, double prompt, double output);

/* Tokens that a request in flight holds in the mean. */
double spread_held(const struct spread *spread, double prompt, double output);

/* The equation of that, as terms name it. */
const char *spread_words(const struct spread *spread);

/* E[P^2] / E[P]^2. */
double spread_square(const struct spread *spread);

#endif
