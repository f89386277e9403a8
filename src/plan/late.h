/*
 * late.h - percentiles of a plan's requests, and the layout that keeps them.
 *
 * A plan at a rate is replayed (replay/forecast.h): 2,000 Poisson arrivals, the same that
 * gpuplan --replay draws, as estimated and with each factor of its band at both ends.
 *
 *   value      the replay as estimated
 *   low, high  what these do, and the order statistics beside the percentile's, in quadrature
 *
 * Goals of percentiles are not in the closed form that a search asks of each layout. So the
 * search's best layout is replayed; where it misses, the search goes on without layouts of that
 * cut in so few replicas (struct late_floors), until one keeps them: the first in the order of
 * search.h. A mean that exceeds a percentile's goal LATE_SLACK times is not replayed.
 *
 * Example: Llama-3.1-70B FP8 on H100s, 8 requests/s, TTFT p99 within 400 ms: 2 GPUs serve the rate,
 * 4 keep the goal.
 */
#ifndef GP_PLAN_LATE_H
#define GP_PLAN_LATE_H

#include <stdbool.h>

/* X(NAME, measure, point, key, label) */
#define LATES(X)                                      \
    X(TTFT_P50, TTFT, P50, "ttft_p50", "TTFT p50")    \
    X(TTFT_P95, TTFT, P95, "ttft_p95", "TTFT p95")    \
    X(TTFT_P99, TTFT, P99, "ttft_p99", "TTFT p99")    \
    X(TPOT_P50, TPOT, P50, "tpot_p50", "TPOT p50")    \
    X(TPOT_P95, TPOT, P95, "tpot_p95", "TPOT p95")    \
    X(TPOT_P99, TPOT, P99, "tpot_p99", "TPOT p99")    \
    X(E2E_P50, E2E, P50, "e2e_p50", "end to end p50") \
    X(E2E_P95, E2E, P95, "e2e_p95", "end to end p95") \
    X(E2E_P99, E2E, P99, "e2e_p99", "end to end p99")

#define X(NAME, ...) LATE_##NAME,
enum late { LATES(X) LATE_COUNT };
#undef X

#define LATE_POINTS 3 /* of a measure */
#define LATE_SLACK 1.3
#define LATE_TRIES 24 /* layouts that are replayed for one answer */

struct search_seen;

/* Cuts that miss the goals with fewer replicas than these. */
struct late_floors {
    struct search_seen *seen; /* evaluations of searches that differ in these alone */
    int count;
    struct late_floor {
        int tp, pp, ep, least;
        int seen;                       /* replicas that missed them, the last, */
        double miss;                    /* ... so many times */
        bool alone_known, misses_alone; /* so does a request that is alone */
    } list[LATE_TRIES];
};

struct request;
struct layout;
struct plan;

const char *late_key(enum late late);   /* "ttft_p99" */
const char *late_label(enum late late); /* "TTFT p99" */

/* Is a percentile a goal? */
bool late_asked(const struct request *request);
/* Replicas of a cut with fewer of which they are known to be missed; 0: of none. */
int late_least(const struct request *request, const struct layout *layout);
/* How many times worse than they must be these replicas are known to be; 1 at most: not known. */
double late_miss(const struct request *request, const struct layout *layout);
/* The most that the mean of it may be for a goal to be in reach, s; 0: any. */
double late_mean_ttft(const struct request *request);
double late_mean_tpot(const struct request *request);

/* Fills the percentiles of a plan at a rate with their bands, and judges the goals by them. */
void plan_replay(struct plan *plan);

#endif
