/*
 * forecast.h - percentiles of a plan's requests by replay, each with its band.
 *
 * Value: the replay with the plan's own step times; of fewer than FORECAST_REQUESTS that are drawn
 * the middle of ten seeds. Two parts of the band, whose logarithms add in quadrature:
 *
 *   law      31 replays of the same requests, common factors drawn: on every step (the plan's band
 *            of TPOT), on what prompts add, on the server's front end, on the KV pool. Low and
 *            high are the 2nd and 30th.
 *   sample   few arrivals that are drawn: 9 other seeds, 1.64 of their standard deviation; else
 *            order statistics n*p +- 1.64*sqrt(n*p*(1 - p)) of an effective n
 *
 * Of more than FORECAST_SAMPLE requests that are drawn the first ones are replayed with other
 * factors, and the sample is the requests' own. Of a log or a day of FORECAST_FEW and more three
 * replays stand for the 31: all factors low, 1, high.
 *
 * What a client sees is later than the engine's queue: by the front end, and by what a prompt
 * takes more or less than its step (speed.h: ttft_base, ttft_solo). Of n requests that come at one
 * moment each waits until the front end has read all, SERVE_READ for each.
 */
#ifndef GP_PLAN_REPLAY_FORECAST_H
#define GP_PLAN_REPLAY_FORECAST_H

#include "base/quantity.h"
#include "plan/plan.h"
#include "plan/replay/arrivals.h"

#define FORECAST_DRAWS 31
#define FORECAST_SEEDS 9
#define FORECAST_SAMPLE 5000
#define FORECAST_QUICK 1000
#define FORECAST_FAR 1.5
#define FORECAST_FEW 50000

/* X(NAME, key, label) */
#define MEASURES(X)                     \
    X(TTFT, "ttft", "TTFT")             \
    X(TPOT, "tpot", "TPOT")             \
    X(ITL, "itl", "gap between tokens") \
    X(E2E, "e2e", "end to end")         \
    X(QUEUE, "queue", "queue")
/* X(NAME, key, share; 0: the mean) */
#define POINTS(X)       \
    X(P50, "p50", 0.50) \
    X(P90, "p90", 0.90) \
    X(P95, "p95", 0.95) \
    X(P99, "p99", 0.99) \
    X(MEAN, "mean", 0)

#define X(NAME, ...) MEASURE_##NAME,
enum measure { MEASURES(X) MEASURE_COUNT };
#undef X
#define X(NAME, ...) POINT_##NAME,
enum point { POINTS(X) POINT_COUNT };
#undef X

/* What bounds more of it. X(NAME, word, in a sentence) */
#define REPLAY_LIMITS(X)                                       \
    X(NONE, "none", "no request waits long")                   \
    X(KV, "kv", "KV blocks: requests wait until others end")   \
    X(SLOTS, "slots", "slots: requests wait until others end") \
    X(BUDGET, "budget", "tokens of a step: prompts wait for each other")
#define X(NAME, ...) REPLAY_LIMIT_##NAME,
enum replay_limit { REPLAY_LIMITS(X) REPLAY_LIMIT_COUNT };
#undef X

/* The most that a percentile may be. */
struct forecast_goal {
    enum measure measure;
    enum point point;
    double most; /* s; 0 = none */
};
#define FORECAST_GOALS 8

struct forecast_ask {
    struct forecast_goal goal[FORECAST_GOALS];
    struct arrivals_ask arrivals;
    enum router router;
    double lose_at, add_at; /* s from when requests count: replay.h */
    bool bands;             /* draws and seeds, too */
    bool quick;             /* ... each factor alone at both ends of its band over FORECAST_QUICK
                         * requests, half as many below half of what is served, and the value's
                         * own order statistics */
    bool until_missed;      /* ... the high ends alone, and no more once one misses a goal */
    int few;                /* so many are replayed first: they tell enough where the value misses a
                         * goal FORECAST_FAR times, or keeps all as far (until_missed: and where its
                         * high end misses one, or keeps all); 0 = none */
    double give_up;     /* times a goal: what misses it by more is not replayed to its end; 0 = it
                         * is */
    bool served;        /* the rate is known to be: nobody asks whether a queue grows later */
    bool timeline;      /* keeps the result's */
    bool (*stop)(void); /* as of a replay */
};

/* Rates of one replay. */
struct forecast_rates {
    double point[MEASURE_COUNT][POINT_COUNT]; /* s */
    double tokens, requests, goodput;         /* per second */
};

struct forecast {
    struct quantity point[MEASURE_COUNT][POINT_COUNT]; /* s */
    struct quantity tokens, requests, goodput;         /* output tokens/s, requests/s of all, and of
                                                        * those within the goals */
    int runs, seeds;
    int hours; /* of the arrivals, where they take two at least or differ by the hour; else 0 */
    int replicas;
    int prefills; /* of them: these only work prompts off */
    bool saturated;
    int overloads; /* of the runs with other factors: so many are */
    enum replay_limit limit;
    double seconds;     /* first arrival to last token */
    double rate;        /* requests/s that arrive; 0 = a closed loop */
    double utilization; /* share of the time in steps */
    int asked;          /* requests that count */
    int sessions;       /* of them, in how many sessions; 0: requests alone */
    double history;     /* tokens that their turns shared with the turns before */
    double running, waiting, occupancy, occupancy_late; /* means; 99th percentile */
    struct replay_result result;                        /* of the value */
    struct arrivals arrivals;
    float *delay; /* s that the client sees besides, of each request; owned */
};

/* Arrivals at a request's rate, or of its users, as they are drawn where nobody says more. */
#define FORECAST_REQUESTS 2000
#define FORECAST_SEED 24301
struct arrivals_ask forecast_arrivals(const struct request *request);

/* False: the engine's scheduler is not known, or the plan has no speed; *gap says which. */
enum forecast_gap { FORECAST_KNOWN, FORECAST_NO_SCHEDULER, FORECAST_NO_SPEED };
enum forecast_gap forecast_run(const struct plan *plan, const struct forecast_ask *ask,
                               struct forecast *out);
/* Requests/s up to which all goals are kept and, without any, the server keeps up; low and high: by
 * step times of 11 draws, with ask->bands. Value 0: not even a lone request keeps them. */
enum forecast_gap forecast_solve_rate(const struct plan *plan, const struct forecast_ask *ask,
                                      struct quantity *rate);
void forecast_fini(struct forecast *forecast);

/* The same rules and times for who replays by himself: what one replica of a plan is. */
struct replay_rules forecast_rules(const struct plan *plan, const struct load *load);

const char *measure_key(enum measure measure);
const char *point_key(enum point point);
const char *replay_limit_word(enum replay_limit limit);
const char *replay_limit_words(enum replay_limit limit);

/* s of request i as its client sees them; NAN: not served. */
struct forecast_seen {
    double queue, ttft, tpot, e2e;
};
struct forecast_seen forecast_seen(const struct forecast *forecast, int request);

/* The value below which a share of n values lies, between the two nearest (numpy's); reorders.
 * *from: so many of the least are in front already, 0 at first; a larger share is then cheap. */
double forecast_percentile(float *values, int n, double share, int *from);

#endif
