/*
 * enginelog.h - what an engine's start-up log says: engine, version, options, figures.
 *
 *   bytes of a log --enginelog_parse()--> engine, version, pairs (options), terms (figures),
 *                                         started, failed or cut off
 *
 * The lines are known by a table of patterns, a row for each line that an engine's versions
 * print; the rows name the source that they were read in. "{weights GiB}" is a figure,
 * "{=--max-model-len}" an option, "{@}" the device that it is of, "{*}" anything:
 *
 *   "Model loading took {weights GiB} GiB"
 *   Model loading took 14.9889 GiB memory and 2.34 seconds  ->  weights 14.9889 GiB
 *
 * Several ranks write into one log: each figure is kept by rank (what the line's prefix
 * says: "TP1", "rank=1", "[RANK 1]"; of llama.cpp the device), and of ranks that differ the
 * one that binds is told: the largest part, the smallest pool. Of several starts in one log
 * the last counts. Colors and carriage returns are taken out first.
 *
 * Logs are anybody's: sizes are checked first, nothing in them is a pointer or a format.
 */
#ifndef GP_LOGS_READ_ENGINELOG_H
#define GP_LOGS_READ_ENGINELOG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"

#define ENGINELOG_BYTES ((size_t)64 << 20)
#define ENGINELOG_PAIRS 256
#define ENGINELOG_RANKS 64
#define ENGINELOG_DEVICES 32

/* X(NAME, a pattern's word, which rank binds) */
#define ENGINELOG_TERMS(X)                                                             \
    X(USABLE, "usable", LEAST)                                                         \
    X(WEIGHTS, "weights", MOST)                                                        \
    X(ACTIVATION, "activation", MOST)                                                  \
    X(PEAK, "peak", MOST) /* activation and the estimate of the graphs */              \
    X(NON_TORCH, "non_torch", MOST)                                                    \
    X(CONSUMED, "consumed", MOST)   /* weights and non-torch together */               \
    X(TOTAL, "total", MOST)         /* weights, activation and non-torch together */   \
    X(TEMPORARY, "temporary", MOST) /* a pool for profiling alone, freed afterwards */ \
    X(ESTIMATE, "estimate", MOST)   /* graphs, as they are taken from the budget */    \
    X(GRAPHS, "graphs", MOST)                                                          \
    X(KV, "kv", LEAST)         /* the pool; states of recurrent layers in it */        \
    X(BLOCKS, "blocks", LEAST) /* blocks of the pool */                                \
    X(TOKENS, "tokens", LEAST) /* that it holds */                                     \
    X(CONCURRENCY, "concurrency", LEAST)                                               \
    X(HOST, "host", MOST)  /* weights in host memory */                                \
    X(LEFT, "left", LEAST) /* free when all is allocated */

enum enginelog_term {
#define X(NAME, word, binds) ENGINELOG_##NAME,
    ENGINELOG_TERMS(X)
#undef X
        ENGINELOG_TERM_COUNT
};

struct enginelog_figure {
    int ranks;               /* that told it; 0: nobody did */
    double value, low, high; /* bytes, or a count: that binds, least and most of the ranks */
    long line;               /* the last that told it */
    struct {
        int rank;
        double value;
    } of[ENGINELOG_RANKS];
};

struct enginelog_pair {
    char name[64]; /* an option's, or as the engine calls it in its configuration */
    char value[320];
    bool chosen; /* told because it is not the default */
};

struct enginelog {
    char engine[24];  /* id of the catalogue */
    char version[32]; /* "0.11.2", "b4567"; "" = not told */
    struct enginelog_pair pair[ENGINELOG_PAIRS];
    int pairs;
    bool pairs_lost; /* there were more */
    struct enginelog_figure figure[ENGINELOG_TERM_COUNT];
    char device[ENGINELOG_DEVICES][48]; /* llama.cpp: "CUDA0"; others: none */
    int devices;
    char gpu[96];      /* name of the GPU as the driver prints it; "" = not told */
    int ranks;         /* that speak, at least 1 */
    long lines;        /* of the log */
    long known;        /* of them, lines of the table */
    int starts;        /* how often it began; the last one is told */
    bool mixed;        /* two models are told of one start: lines of two servers */
    int odd;           /* figures that are no sizes: below 0, or beyond any memory */
    char others[64];   /* other engines whose lines are in it, ", " between */
    bool started;      /* the server was ready */
    bool estimated;    /* no server's: what llama-fit-params expects */
    long failed_line;  /* where it stopped; 0: it did not */
    char failure[512]; /* that line, without its prefix */
    long last_line;    /* of the table */
    char last[160];    /* and what it said */
};

/* GP_E_FILE: no line of a known engine's is in it. where: the file's name. */
enum gp_status enginelog_parse(const char *where, const char *text, size_t len,
                               struct enginelog *out, struct gp_err *err);

/* The last value told of an option; NULL: none. */
const char *enginelog_option(const struct enginelog *log, const char *name);

/* Is this device host memory? */
bool enginelog_is_host(const char *device);

#endif
