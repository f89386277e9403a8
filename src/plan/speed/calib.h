/*
 * calib.h - a device's own measurements in place of what its data sheet and generation say.
 *
 *   bandwidth  of processors, what a stream of reads reached. Of a GPU the sheet's stays, but no
 *              kernel reads faster than a stream does: shares of memory above r = read / BW
 *              come down to it, and the others as far (r over the family's best share)
 *   shares     ec and em of each kind of kernel that was measured, the least of
 *                sum w L(ln(measured / law) / 0.05) + (ln ec / ec0)^2 / 0.35^2 + ... em
 *              L Huber's loss, so that one odd point moves little, ec in 0.05..1.05, em in
 *              0.05..1.05; three points or more
 *   near       what is left of each point, ln(measured / law), holds at its own shape and
 *              number of tokens, and fades with the distance d in octaves of rows, columns and
 *              tokens: factor exp(sum v r / (sum v + 0.15)), v = w exp(-d^2); at d = 0, all of it;
 *              octaves of bytes per weight count into d, too, for one kernel may have several
 *              formats
 *
 *   links      all-reduces of 4 MiB and more, by the number of GPUs: the law's share of the link
 *              (and its root) by the median of ln(measured / law), within a factor of 4; copies
 *              between two GPUs: the rate of a hop. The latency of small messages stays: one
 *              process with a library measures its own launches there, and engines have kernels
 *              of their own
 *
 * What an empty launch takes is taken off each point before; a step counts launches itself.
 *
 * A point that scattered has w = 0.25. What was measured on another device of the kind, or
 * another GPU of the generation, is taken likewise, as shares of its own data sheet, with a
 * wider band; the points of another kind are not kept near. The band is in place of the
 * generation's, and no wider unless the points lie far off the law, where all products of a step
 * are of kernels that were measured; other kernels and experts have the generation's.
 *
 * Example: an H100 whose read of 3.02 TB/s is 0.90 of its sheet, and whose BF16 products of one
 * token take 6 % longer than the law: em 0.83 instead of 0.88, a TPOT at one user 5 % longer.
 */
#ifndef GP_PLAN_SPEED_CALIB_H
#define GP_PLAN_SPEED_CALIB_H

#include "catalog/family.h"
#include "catalog/gpu.h"
#include "plan/speed/gemm.h"

#define CALIB_POINTS 256
#define CALIB_OCTAVES GEMM_OCTAVES /* of tokens: 1 .. 8192 */

/* Whose measurements: X(NAME, words) */
#define CALIB_FROMS(X)                           \
    X(NONE, "not measured")                      \
    X(OWN, "measured here")                      \
    X(KIND, "measured on a device of this kind") \
    X(FAMILY, "measured on another GPU of this generation")

#define X(NAME, words) CALIB_##NAME,
enum calib_from { CALIB_FROMS(X) CALIB_FROM_COUNT };
#undef X

struct calib_point {
    enum kernel kernel;
    double rows, cols, tokens;
    double bytes;    /* per weight */
    double time;     /* s */
    double weight;   /* 1, less where it scattered */
    double residual; /* ln(measured / law), of calib_fit */
};

struct calib_reduce { /* an all-reduce */
    int gpus;
    double bytes, time;
};

#define CALIB_REDUCES 64
#define CALIB_REDUCE_LEAST (4.0 * (1 << 20)) /* bytes */

struct calib {
    enum calib_from from;
    char date[16]; /* 2026-11-23 */
    char host[72], device[96];
    struct quantity read;           /* bytes/s of its memory; unknown */
    struct quantity rate;           /* FLOP/s of the best FP32 product; of processors */
    double node;                    /* s that an empty launch of a graph takes; 0 = unknown */
    int points, scattered, ignored; /* used; of them scattered; disturbed and not used */
    struct calib_reduce reduce[CALIB_REDUCES];
    int reduces;
    double peer;      /* bytes/s of a copy between two GPUs; 0 = not measured */
    double rms;       /* of the residuals about the fitted law; NAN = no law */
    unsigned kernels; /* bits of those that shares were fitted for */
    /* of several labs (measure/result/shared.h): the shares that they fitted, without points */
    int labs;     /* 0 = one result */
    double apart; /* how far another device may be: half a 90 % band, a logarithm */
    struct product_share shared[KERNEL_COUNT]; /* 0 = not measured */
    struct calib_point point[CALIB_POINTS];
};

/* sheet: of the device that was measured, with its family; gpu: the one to correct, of the
 * same kind or generation. *family becomes its own family's, corrected, and borrows *c; the
 * caller points out->family at it. Residuals are left in *c. */
void calib_fit(struct calib *c, const struct gpu *sheet, const struct gpu *gpu, struct gpu *out,
               struct family *family);

/* Seconds of a product by the law alone, without a launch. */
double calib_law(const struct gpu *gpu, const struct family *family,
                 const struct calib_point *point);

/* Factors on the time of a product at 1, 2, 4 .. 8192 tokens; bytes per weight. */
void calib_near(const struct calib *c, enum kernel kernel, double rows, double cols, double bytes,
                float factor[CALIB_OCTAVES]);

/* Were shares fitted for the kernel? */
bool calib_covers(const struct calib *c, enum kernel kernel);

/* The band that is left of what the device makes of its sheet: x and /. */
double calib_doubt(const struct calib *c, const struct gpu *gpu);

const char *calib_from_words(enum calib_from from); /* "measured here" */

#endif
