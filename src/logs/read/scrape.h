/*
 * scrape.h - a metrics page of a running engine, in Prometheus' text format.
 *
 *   "vllm:num_requests_running{engine="0",model_name="m"} 12.0"  ->  running 12
 *
 * A table says what each engine calls a value; the series of several ranks or engines are
 * added, of shares the largest counts. Histograms are cumulative buckets; a quantile lies
 * where its bucket is, linear within it.
 *
 * Pages count from the start of the server. Two of them make rates: scrape_between().
 * Pages are anybody's: sizes are checked first, and what is no number is passed over.
 */
#ifndef GP_LOGS_READ_SCRAPE_H
#define GP_LOGS_READ_SCRAPE_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define SCRAPE_BYTES ((size_t)16 << 20)
#define SCRAPE_BUCKETS 64

enum scrape_value {
    SCRAPE_RUNNING,     /* requests, now */
    SCRAPE_WAITING,     /* likewise */
    SCRAPE_USAGE,       /* share of the KV pool, now */
    SCRAPE_POOL,        /* tokens that the pool holds */
    SCRAPE_OUTPUT_RATE, /* tokens/s, as the engine itself says */
    SCRAPE_HIT_RATE,    /* share of prompts in the prefix cache, likewise */
    SCRAPE_PREEMPTIONS, /* from here on counters */
    SCRAPE_REQUESTS,    /* answered */
    SCRAPE_PROMPT_TOKENS,
    SCRAPE_OUTPUT_TOKENS,
    SCRAPE_PROMPT_SECONDS,
    SCRAPE_OUTPUT_SECONDS,
    SCRAPE_QUERIES, /* tokens looked up in the prefix cache */
    SCRAPE_HITS,
    SCRAPE_VALUE_COUNT
};
#define SCRAPE_COUNTERS SCRAPE_PREEMPTIONS /* the first of them */

enum scrape_of {
    SCRAPE_TTFT,   /* s */
    SCRAPE_TPOT,   /* s */
    SCRAPE_QUEUE,  /* s */
    SCRAPE_PROMPT, /* tokens of a request */
    SCRAPE_OUTPUT,
    SCRAPE_OF_COUNT
};

struct scrape_histogram {
    int buckets;
    double le[SCRAPE_BUCKETS];    /* upper ends, rising; the last may be infinite */
    double count[SCRAPE_BUCKETS]; /* of what is at most that */
    double sum, n;
};

struct scrape {
    char engine[24]; /* id of the catalogue */
    char model[160]; /* "" = not told */
    bool given[SCRAPE_VALUE_COUNT];
    double value[SCRAPE_VALUE_COUNT];
    struct scrape_histogram histogram[SCRAPE_OF_COUNT];
    double seconds; /* between two pages; 0 = one, since the server's start */
    bool twice;     /* a series stands twice in a page: two pages in one file */
    bool models;    /* it is of several models: two servers' pages in one file */
    bool cut;       /* a page ends within a line: no server writes that */
};

/* GP_E_FILE: no metric of a known engine's is in it. */
enum gp_status scrape_parse(const char *where, const char *text, size_t len, struct scrape *out,
                            struct gp_err *err);

/* What was counted between two pages, `seconds` apart: values of now, differences of what
 * counts. GP_E_FILE: of two engines, or the counters went back (it was started again). */
enum gp_status scrape_between(const char *where, const struct scrape *first,
                              const struct scrape *second, double seconds, struct scrape *out,
                              struct gp_err *err);

/* NAN when it has no samples. */
double scrape_mean(const struct scrape_histogram *histogram);
/* Each bucket in its middle; 0: the page has none. */
double scrape_deviation(const struct scrape_histogram *histogram);
double scrape_quantile(const struct scrape_histogram *histogram, double q);

#endif
