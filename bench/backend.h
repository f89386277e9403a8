/*
 * backend.h - what an engine program must be able to do; bench_main.c does the rest.
 *
 * One process drives one device. bench_main() reads the plan from standard input, calls
 * open(), and for every point prepare() - measure with method.c - check() - release().
 * It writes protocol lines (protocol.h) to standard output and nothing else there.
 * A backend never exits, never prints, and gives back what it allocated in release().
 */
#ifndef GP_BENCH_BACKEND_H
#define GP_BENCH_BACKEND_H

#include "base/err.h"
#include "measure/point/line.h"
#include "measure/point/method.h"
#include "measure/point/point.h"

struct bench_device {
    int index;
    char name[96], uuid[64], pci[24]; /* "" where there is none */
    char kind[16];                    /* "gpu", "cpu" */
    int cc;                           /* 90; 0 for a CPU */
    int units;                        /* SMs or cores used */
    double memory;                    /* bytes in all */
    double free;                      /* bytes free when opened */
    double cache;                     /* bytes of the last-level cache that must be walked twice */
    double bandwidth_sheet;           /* bytes/s from clocks and bus width; 0 = unknown */
    json_t *more;                     /* software versions, clocks, limits: goes into the result */
};

enum { VARIANTS = 6 }; /* of one point, at the most */

/* Products under full load, each of some compared bit for bit with the first of the same operands:
 * an algorithm that is the same gives the same. */
struct soak {
    int64_t products, compared, wrong;
    double seconds; /* of the device, for all products */
};

struct prepared {
    int rotation;                  /* copies of what rotates */
    int multiple;                  /* the launches of a sample are a multiple of it; 0 = of
                             * rotation. 1: the next sample goes on where this one ends */
    bool cold;                     /* false: memory allowed too few of them */
    double bytes;                  /* allocated */
    char algorithm[96];            /* what the library chose; "" = it does not say */
    char other[VARIANTS][96];      /* the same of a later variant; "" = as variant 0 */
    json_t *algo[VARIANTS];        /* the same as fields, as params; NULL = no more is known */
    double first;                  /* s of the first launch, where prepare() did it: samples come
                             * too late to be cold then. 0: they do not. < 0: unknown */
    int variants;                  /* the last one's number and 1 */
    const char *variant[VARIANTS]; /* "heuristic", "tuned", ...; "" for one. NULL is left
                                    * out: a number means the same in each pass */
    json_t *params;                /* more for the result's params; NULL; the engine's, until
                             * release() */
};

struct backend {
    const char *name;    /* "cuda", "cpu" */
    const char *version; /* of the libraries, as one line */
    /* May be NULL. And one by one, a new object: {"onednn": "2.6.3"}. */
    json_t *(*software)(void);

    /* Lists devices without opening any; count 0 with a reason in err is no crash. */
    enum gp_status (*devices)(struct bench_device *out, int max, int *count, struct gp_err *err);
    enum gp_status (*open)(int index, const struct method_settings *settings, void **ctx,
                           struct bench_device *device, struct gp_err *err);
    void (*close)(void *ctx);

    /* Work that heats the device, for the warm-up: seconds it took. */
    bool (*warm)(void *ctx, double *seconds);

    /* Allocates and fills the operands. UNSUPPORTED and OOM say why in `why`. */
    enum point_state (*prepare)(void *ctx, const struct point *point, struct prepared *out,
                                char *why, size_t size);
    /* `launches` operations of variant v, operands rotating; device seconds of all. */
    bool (*run)(void *ctx, int variant, int launches, double *seconds);
    /* The very call that was timed, against a double reference on sampled outputs. */
    void (*check)(void *ctx, int variant, struct check *out);
    void (*release)(void *ctx); /* after every prepare(), also one that failed */

    /* Sensors now; NULL object when there are none. Called from another thread. */
    json_t *(*sensors)(void *ctx);

    /* May be NULL. What only grows ("energy_j"), read when samples begin and when they
     * have been taken, also while sensors() runs: their difference is the window's. */
    json_t *(*counters)(void *ctx);

    /* May be NULL. What the device itself has averaged since samples began, by the name that
     * it has among the sensors, in place of what their readings come to: a new object of
     * {"mean": 87.5, "min": null, "max": null} or null. */
    json_t *(*means)(void *ctx);

    /* May be NULL. Appends words that only the engine can know, after the runs of a
     * variant: "launch_bound", "emulated", "contended", "shared". */
    void (*flags)(void *ctx, int variant, json_t *flags);
    /* May be NULL. Samples begin (true) and have been taken (false): time to look whether
     * somebody else uses the device. A false may come without a true before it. */
    void (*window)(void *ctx, bool begin);
    /* May be NULL. Before anything is measured: what somebody else does with the device,
     * in words; "" when nobody does. May take a second. */
    void (*busy)(void *ctx, char *text, size_t size);
    /* May be NULL. What the settings ask of a device that is to be measured (a clock),
     * once busy() has found it free. */
    enum gp_status (*hold)(void *ctx, struct bench_device *device, struct gp_err *err);
    /* May be NULL. One operation by itself: nothing queued before it, caches flushed. */
    bool (*latency)(void *ctx, int variant, double *seconds);
    /* May be NULL. Some more products of a point under full load, counted; less than a second. */
    bool (*soak)(void *ctx, int variant, struct soak *out);
    /* May be NULL. No further call can succeed: the run ends here. */
    bool (*lost)(void *ctx);
    /* May be NULL. Why the last run() or warm() failed; "" when it does not know. */
    const char *(*reason)(void *ctx);
};

json_t *output_device(const struct bench_device *device); /* its line */

/* Adds the file that the code or data at `in` was loaded from to software.files: its path,
 * size and change time. A plan looks whether it is still that file (calibrate.h). */
void output_library(json_t *software, const void *in);

int bench_main(const struct backend *backend, int argc, char **argv);

#endif
