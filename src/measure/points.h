/*
 * points.h - which points a run measures, in which order, and what they will take.
 *
 * A question (tests, types, model, device) becomes a list of points (measure/point/point.h):
 *
 *   gemm       square products of 256..8192, or the shapes given
 *   batch      the model's own linear layers as one of tp GPUs holds them (q, k and v
 *              as one product, gate and up likewise), n = 1, 2, 4 .. 8192 tokens
 *   memory     read, write, copy of 4 x the last cache .. 4 GiB, source and target of a
 *              copy together at most a quarter of the memory; of a GPU the largest also
 *              copied by the driver and read by a product; and a read that stays in
 *              that cache, 16 MiB or half of it (on a CPU not with quick)
 *   transfer   4 KiB .. 256 MiB x 4 pinned and pageable, 4 bytes pinned, and a file from
 *              storage; between each two of several GPUs, both ways, 64 MiB (thorough
 *              also 4 KiB and 1 MiB)
 *   decode     one decoder step of the model for the request's users and context, in the
 *              formats of its weights, head and KV cache
 *   fit        the bytes per GPU that memory_estimate() plans
 *   allreduce  1 KiB .. 256 MiB x 2 (quick x 64), and what a layer of the model sums for
 *              1, 8, 64 and 512 tokens (tokens x hidden x 2 bytes); only with several
 *              devices
 *
 * The quick subset (`subset`) is a first look with the points of the quick preset: one size of
 * product in every type, the model's first layer, memory, and of transfer the pinned copies of 64
 * MiB and a file given by hand.
 *
 * Whether a device knows a type is the engine's to say: before the plan as `products`, or of a type
 * asked for by name, later, as "unsupported". A CPU's memory is the host's: of transfer it has
 * storage alone. What would take out of proportion long is left out, and a note says so.
 *
 * A soak (settings.soak) repeats each of its products for so long: 4096 x 4096 x 32768 on a GPU, or
 * the shapes given.
 *
 * Estimates are for --dry-run and the ETA only. Seconds of one point are
 *   set-up (bytes / fill rate) + warm-up + max(max_time, 13 launches), per variant
 * with the rates the caller knows or the round figures in points.c; bytes are the
 * operands times the copies that rotate. Example: gate_up of Llama-3.1-8B in BF16,
 * 28672 x 4096, weights cold with a 50 MiB cache: 2 copies of 224 MiB.
 */
#ifndef GP_MEASURE_POINTS_H
#define GP_MEASURE_POINTS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/err.h"
#include "measure/point/method.h"
#include "measure/point/point.h"
#include "plan/layout.h"
#include "plan/products.h"
#include "plan/request.h"

#define POINTS_MAX 20000  /* of one run */
#define POINTS_SHAPES 256 /* given by hand */
#define POINTS_PASSES 2
#define POINTS_NOTES 12
#define POINTS_DEVICES POINT_DEVICES

struct point_shape {
    int64_t m, n, k;
};

struct points_options {
    unsigned tests;    /* bit per enum bench_test */
    unsigned types;    /* bit per enum bench_type; 0 = choose by test */
    unsigned products; /* those that the engine multiplies; 0 = it does not say */
    bool subset;       /* the quick subset */
    enum preset preset;
    struct method_settings settings;  /* max_time, warmup, max_memory, seed */
    const struct point_shape *shapes; /* for gemm instead of squares */
    int shape_count;
    int cache;                     /* enum bench_cache for gemm and batch; -1 = the test's
                                  * own: gemm cold, batch weights-cold */
    const struct request *request; /* model, context, users; NULL: no batch, decode, fit */
    const struct layout *layout;   /* of that plan; NULL = tp below, one of the rest */
    int tp;                        /* 0 = the layout's, or 1 */
    int devices;                   /* that work together (allreduce, transfer peer) */
    int device[POINTS_DEVICES];    /* their indices */
    bool cpu;                      /* slower guesses, fewer types */
    double memory;                 /* bytes of the device in all: what is free would change
                                  * the plan from run to run; 0 = unknown */
    double cache_bytes;            /* last cache; 0 = unknown, 64 MiB taken */
    double bandwidth;              /* bytes/s expected; 0 = a guess, for the time only */
    double rate[TYPE_COUNT];       /* operations/s expected; 0 = likewise */
    const char *storage;           /* file for the storage transfer; NULL = a temporary */
    double storage_bytes;          /* its size: no more is read */
};

struct points {
    struct point *point;
    double *seconds; /* s one measurement of it takes, about */
    double *bytes;   /* it will allocate, about */
    int count, cap;
    double total_seconds, most_bytes;
    char note[POINTS_NOTES][160]; /* what was left out and why, assumptions */
    int note_count;
};

enum gp_status points_plan(const struct points_options *options, struct points *out,
                           struct gp_err *err);
void points_fini(struct points *points);

/* The order of all passes: test by test, the points of each in seeded random order, and
 * then all of it in reverse. POINTS_PASSES * count indices, to be freed. */
int *points_order(uint64_t seed, const struct points *points);

/* Hash of the ids, as 16 hex digits: the same work, in a journal's fingerprint. */
void points_hash(const struct points *points, char text[17]);

/* Passes that are measured of that order; a soak is one. */
int points_passes(const struct method_settings *settings);

/* The estimates of one point, one pass. */
double points_seconds(const struct points_options *options, const struct point *point);
double points_memory(const struct points_options *options, const struct point *point);
/* Of all: every pass, the device's warm-up, and the rests between tests. */
double points_time(const struct points_options *options, const struct points *points);

/* "gemm,memory" or "all", of so many words; "4096x8x4096,1024:1:1024".
 * GP_E_USAGE names what is wrong and the words there are. */
enum gp_status points_parse_words(const char *text, const char *where, const char *const *words,
                                  int count, unsigned *bits, struct gp_err *err);
enum gp_status points_parse_shapes(const char *text, const char *where, struct point_shape *out,
                                   int max, int *count, struct gp_err *err);

#endif
