/*
 * arrivals.h - requests that come: when, and how long they are; drawn, or of a log.
 *
 *   poisson    gaps -ln(u) / rate                      constant   gaps 1 / rate
 *   gamma:K    gaps of shape K, CV^2 = 1/K (0.7: burstier than Poisson)
 *   burst      all at once                             closed     N users, each asks when answered
 *
 * A rate that differs by the hour stretches the gaps of a steady one: more come when it is high.
 *
 * Turns make sessions: `turns` requests, whose prompts hold the answers and prompts before; the
 * first of each comes at rate / turns, the others a time to think after the answer, exponential.
 * At a rate what counts are the requests from when as many sessions end as begin.
 *
 * Lengths are lognormal (or gamma, normal, uniform) by mean and standard deviation, whole tokens,
 * 1 at least; of gamma more are short: answers of ShareGPT are.
 * Gaps, prompts and answers have a stream of numbers each, so that another rate leaves the lengths
 * as they were.
 * Logarithms and roots are worked out here: libraries differ in the last bit.
 *
 * Example: seed 1, 2 requests/s: the gaps are those of seed 1 at 1 request/s, halved.
 */
#ifndef GP_PLAN_REPLAY_ARRIVALS_H
#define GP_PLAN_REPLAY_ARRIVALS_H

#include <stdint.h>

#include "catalog/lengths.h"
#include "plan/replay/replay.h"

/* X(NAME, word) */
#define ARRIVALS(X)         \
    X(POISSON, "poisson")   \
    X(CONSTANT, "constant") \
    X(GAMMA, "gamma")       \
    X(BURST, "burst")       \
    X(CLOSED, "closed")     \
    X(TRACE, "trace")

#define X(NAME, word) ARRIVALS_##NAME,
enum arrivals_kind { ARRIVALS(X) ARRIVALS_COUNT };
#undef X

/* X(NAME, word): how lengths spread around their means */
#define LENGTHS(X)            \
    X(LOGNORMAL, "lognormal") \
    X(NORMAL, "normal")       \
    X(GAMMA, "gamma")         \
    X(UNIFORM, "uniform")     \
    X(FIXED, "fixed")

#define X(NAME, word) LENGTHS_##NAME,
enum lengths_kind { LENGTHS(X) LENGTHS_COUNT };
#undef X

struct arrivals_ask {
    enum arrivals_kind kind;
    double shape;   /* of gamma */
    double rate;    /* requests/s; of a trace: scaled to it; 0 = its own */
    int users;      /* of a closed loop; else at most so many in flight; 0 = any */
    int count;      /* requests; of a trace at most; 0 = all */
    double seconds; /* no arrival behind; 0 = any */
    uint64_t seed;
    enum lengths_kind lengths;
    double prompt, output; /* tokens, means */
    double prompt_sd, output_sd;
    double most;          /* tokens that each may make; 0 = as many as it does */
    int prefix;           /* leading tokens that all prompts share; 0 = none; they stand before the
                           * prompt of a session's first turn */
    int turns;            /* of a session; 0 = requests alone. `prompt` is what each turn adds */
    double think;         /* s from an answer to the next turn, mean */
    double answer;        /* s of an answer, as far as known: when a turn is due */
    int distinct;         /* prompts that differ: they come in turn, and came once before; 0 = all
                           * are new */
    double cached;        /* share of each prompt that is in the cache */
    int block;            /* tokens of a block, for the prefix */
    const double *hourly; /* rates of `hours` hours, over and over, as shares of `rate`; borrowed */
    int hours;            /* 0: the rate is the same all the time */
    const struct trace *trace; /* borrowed */
};

/* A load of its own arrays. */
struct arrivals {
    struct replay_load load;
    double *arrival; /* owned, and so on */
    int *lengths;
    uint64_t *hash;
    uint32_t *hash_at;
    struct replay_turn *turn;
    int *priority;
};

void arrivals_make(const struct arrivals_ask *ask, struct arrivals *out);
void arrivals_fini(struct arrivals *arrivals);

const char *arrivals_word(enum arrivals_kind kind);

/* ---- numbers ---- */

struct stream {
    uint64_t state;
};

struct stream stream_of(uint64_t seed, uint64_t which);
double stream_uniform(struct stream *stream); /* in (0, 1) */
double stream_normal(struct stream *stream);
/* The value that a standard normal exceeds with probability 1 - p. */
double normal_at(double p);

#endif
