/*
 * hits.h - how often estimates of a kind have been right so far.
 *
 * Rows that others measured, estimated with constants that none of them shaped (the model,
 * the pair of model and GPU, or the GPU left out of the fit): how many, the median and the
 * 90th percentile of their error, and the share inside the printed band. By engine, kind of
 * model and phase; the families of GPUs that those rows ran on stand beside. Written by
 * `make accuracy` (tests/accuracy/speed hits), which fails where a profile is stale.
 */
#ifndef GP_CATALOG_HITS_H
#define GP_CATALOG_HITS_H

#define HITS_MAX 16 /* of an engine */

/* X(NAME, a profile's word, in a sentence) */
#define HIT_KINDS(X)                             \
    X(DENSE, "dense", "dense models")            \
    X(EXPERTS, "experts", "mixtures of experts") \
    X(MIXED, "mixed", "models with MLA or recurrent layers")

#define HIT_PHASES(X)                         \
    X(ONE, "one", "TPOT of one user")         \
    X(MANY, "many", "TPOT")                   \
    X(FULL, "full", "tokens/s when full")     \
    X(PROMPT, "prompt", "TTFT of one prompt") \
    X(FIRST, "first", "TTFT")

#define X(NAME, word, words) HIT_##NAME,
enum hit_kind { HIT_KINDS(X) HIT_KIND_COUNT };
enum hit_phase { HIT_PHASES(X) HIT_PHASE_COUNT };
#undef X

struct hit {
    int kind, phase;   /* enum hit_kind, enum hit_phase */
    char families[96]; /* of GPUs in these rows, '|' between */
    int rows;
    double median, tail; /* of |error| */
    double inside;       /* share of the rows inside their band */
};

struct hits {
    struct hit hit[HITS_MAX];
    int count;
    char source[192];
};

const char *hit_kind_word(enum hit_kind kind);    /* "experts" */
const char *hit_phase_word(enum hit_phase phase); /* "many" */

/* NULL: no measured row of this kind. */
const struct hit *hits_find(const struct hits *hits, enum hit_kind kind, enum hit_phase phase);

#endif
