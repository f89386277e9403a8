/*
 * method.h - how a point is measured: the same rules for every engine, as pure functions
 * and one loop over a sampler, so that unit tests can run them on a synthetic clock.
 *
 *   rotation   R = clamp(ceil(2*cache / bytes of what rotates), 2, limit) copies, so that
 *              no operand is still in the last cache when its turn comes again
 *   batch      G launches per sample, a multiple of R, so that a sample lasts >= 5 ms, and
 *              16 <= G <= 512. Fewer than 16, down to R, where 16 would last more than a
 *              tenth of max_time: ten samples of a long operation matter more than what a
 *              graph of 16 hides of its launches
 *              of sums over devices: samples of 50 ms, where max_time has room for 20 of
 *              them, and 20 launches before: a launch waits for the slowest device, and
 *              what holds that up comes seldom. Above 512 launches in several runs
 *   warm-up    device: 1 s windows of the hungriest work until rate and clock of two
 *              differ < 1 %, 3..30 s; point: >= 3 launches and >= 100 ms
 *   stop       after >= 10 samples and >= 0.3 s: when the 95 % confidence interval of the
 *              median (order statistics, ranks n/2 +- 0.98*sqrt(n)) is within rel_ci of it;
 *              or on a plateau (half-width not 10 % better over the last 32 samples); or at
 *              max_time: converged = false; at 200 samples it is as narrow as it is. Ten
 *              samples of an operation of 56 ms, two copies each, do not fit in 1 s: after
 *              max_time five are enough, when all of them are that near
 *   order      test by test with a rest between, the points of each in seeded random
 *              order, then all in reverse; passes that differ > 3 % get a third and the
 *              flag "drift"
 *   rate       from the median, never the mean or the best
 *
 * Specification: the project's benchmark method, section 6.
 */
#ifndef GP_MEASURE_POINT_METHOD_H
#define GP_MEASURE_POINT_METHOD_H

#include <jansson.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "measure/point/point.h"

/* 1: cold operands of CPU products rotated less. 2: GPU products were tuned anew in each pass,
 * first_s was a warm launch, 200 narrow samples were unconverged, and quick points were too short
 * for three readings of the sensors. 3: quick had one pass and half a second of warm-up, all tests
 * were mixed in one order, sums lasted 5 ms a sample, and launches without a graph had gaps between
 * them; outliers began at 14.8 MAD, a decoder step had the layers of a quarter of memory, and a
 * CPU's fit wrote a byte a page. 4: GPU products might add up the parts of a split k in the
 * output's type, and right results of a large k were called wrong; ten samples were asked for of
 * operations that are too long for so many; copies on a GPU were the driver's, and fp32 was what
 * fp32-pedantic is; a decoder step was of one type, whatever was planned, and attention of few
 * sequences left most of a GPU idle. */
#define METHOD_VERSION 5
#define METHOD_MAX_SAMPLES 200
#define METHOD_MAX_ALGOS 64
/* Of the memory that is free, what a point may allocate without max_memory: operands that
 * rotate a quarter; the layers of a decoder most of a device, whose every byte else would
 * be idle, and of a host somewhat over half, for others live on it. */
#define METHOD_SHARE 0.25
#define METHOD_DECODE_DEVICE 0.85
#define METHOD_DECODE_HOST 0.6
#define LOCK_BASE (-1.0) /* the clock that the device holds under any load */

enum bench_fill { FILL_UNIFORM, FILL_NORMAL, FILL_ZEROS, FILL_COUNT };
extern const char *const method_fills[FILL_COUNT];
enum bench_check { CHECK_SAMPLE, CHECK_NONE, CHECK_FULL, CHECK_COUNT };
extern const char *const method_checks[CHECK_COUNT];

/* The numbers among the settings: field of struct method_settings, what the preset normal
 * says, its name in the protocol and in files, its bounds, and the option of --bench that
 * sets it (NULL = none) in so many to one of the field. A new one is a row here: presets,
 * protocol and planner walk them. */
#define METHOD_NUMBERS(X)                                                      \
    /* half-width of the confidence interval over the median */                \
    X(rel_ci, 0.01, "rel_ci", 0.0001, 1, "rel-ci", 100)                        \
    /* s per point (quick 0.3, thorough 3), and before it may stop */          \
    X(max_time, 1, "max_time", 0.001, 3600, "max-time", 1)                     \
    X(min_time, 0.3, "min_time", 0, 3600, NULL, 1)                             \
    /* s that one sample lasts at the least */                                 \
    X(sample_time, 0.005, "sample_time", 0.000001, 10, NULL, 1)                \
    X(warmup, 0.1, "warmup", 0, 60, NULL, 1) /* s per point */                 \
    /* s of the device; quick 3 and 10 */                                      \
    X(device_warmup_min, 3, "device_warmup_min", 0, 600, NULL, 1)              \
    X(device_warmup_max, 30, "device_warmup_max", 0, 600, NULL, 1)             \
    /* bytes an engine may allocate; 0 = the shares above */                   \
    X(max_memory, 0, "max_memory", 0, 1125899906842624.0, "max-memory", 1)     \
    /* heuristics a GPU's library is asked for */                              \
    X(algos, 16, "algos", 1, METHOD_MAX_ALGOS, "algos", 1)                     \
    /* bytes its products may use beside their operands */                     \
    X(workspace, 33554432, "workspace_bytes", 0, 4294967296.0, "workspace", 1) \
    /* s of rest between two tests, so that none heats the next */             \
    X(pause, 1, "pause_s", 0, 60, NULL, 1)                                     \
    /* s between two readings of the sensors */                                \
    X(sensors, 0.05, "sensors_s", 0.001, 60, "nvml-interval", 1000)            \
    /* s that each product is repeated and compared for; 0 = it is measured */ \
    X(soak, 0, "soak_s", 0, 1000000, "soak", 1.0 / 60)

struct method_settings {
#define X(field, ...) double field;
    METHOD_NUMBERS(X)
#undef X
    uint64_t seed;          /* 0x5eed */
    double lock_clock;      /* MHz to hold a GPU's SM clock at; LOCK_BASE, 0 = as it is */
    bool force;             /* measure a GPU that others use */
    enum bench_fill fill;   /* of the operands of products */
    enum bench_check check; /* how many results are computed again */
    /* not asked for; method_of_sums sets them */
    int warmup_launches; /* before the first sample, at the least */
    int sample_runs;     /* that may make up one sample, of 512 launches at most; 0 = 1 */
};

enum {
#define X(field, ...) METHOD_AT_##field,
    METHOD_NUMBERS(X)
#undef X
        METHOD_NUMBER_COUNT
};
struct method_number {
    const char *name;
    size_t offset;
    double low, high;
    const char *option;
    double scale;
};
extern const struct method_number method_numbers[METHOD_NUMBER_COUNT];
double *method_number(struct method_settings *settings, int i);

enum preset { PRESET_QUICK, PRESET_NORMAL, PRESET_THOROUGH, PRESET_COUNT };
extern const char *const method_presets[PRESET_COUNT];
struct method_settings method_preset(enum preset preset);
/* The same for sums over devices: longer samples after more launches. */
struct method_settings method_of_sums(const struct method_settings *settings);

/* ---- statistics of samples (seconds per operation) ---- */

struct stats {
    int n;
    double median, mean, stdev, min, max, p05, p95, q1, q3, mad; /* s */
    double ci95_low, ci95_high;                                  /* of the median, s */
    int outliers; /* |modified z| > 14.8: kept, counted */
    double first_over_median;
    double trend_pct_per_s; /* slope of the samples over time, % of the median */
    bool converged;
};

/* samples in the order taken; times[i] = when sample i ended, s since the first began. */
struct stats method_stats(const double *samples, const double *times, int n);
/* As time_s of a result (result.c); samples NULL: without them. */
json_t *stats_to_json(const struct stats *stats, const double *samples);

/* ---- decisions ---- */

/* Copies so that 2*cache_bytes are walked before one returns; *cold false when limit (by
 * memory) made that impossible. At least 1. */
int method_rotation(double cache_bytes, double copy_bytes, double max_bytes, bool *cold);

/* Launches per sample: a multiple of rotation, 1..512, for sample_time at `each` s; 16 at
 * the least where those last no more than `longest` s. */
int method_launches(double each, double sample_time, double longest, int rotation);

enum stop_reason { STOP_NOT, STOP_CONVERGED, STOP_PLATEAU, STOP_SAMPLES, STOP_TIME };
enum stop_reason method_stop(const struct method_settings *settings, const double *samples, int n,
                             double elapsed);

/* A permutation of 0..n-1 from the seed (Fisher-Yates on splitmix64). */
void method_order(uint64_t seed, int n, int *order);

/* Do two passes' medians differ by more than 3 %? */
bool method_drift(double first, double second);

/* ---- the loop ---- */

/* What is measured. now() in seconds, monotonic. run(launches) does the work of that many
 * operations and gives the seconds they took on the device; false = it failed. */
struct sampler {
    void *ctx;
    double (*now)(void *ctx);
    bool (*run)(void *ctx, int launches, double *seconds);
    bool (*stop)(void *ctx);    /* somebody asked to stop; may be NULL */
    void (*window)(void *ctx);  /* warm-up is over, samples begin; may be NULL */
    double (*clock)(void *ctx); /* mean since the last call, 0 = unknown; may be NULL */
};

struct measured {
    struct stats stats;
    int launches; /* per run */
    int runs;     /* per sample: 1, of sums over devices more */
    double first; /* s of the very first launch, cold and not counted */
    enum stop_reason reason;
    bool interrupted, failed;
    double samples[METHOD_MAX_SAMPLES], times[METHOD_MAX_SAMPLES];
};

/* Device warm-up: run(1) in windows of min(device_warmup_min/3, 1 s) until two in turn
 * differ < 1 % in rate and in mean clock (where there is one), at least device_warmup_min
 * and at most device_warmup_max seconds. */
struct warmed {
    double seconds, rate; /* rate: runs/s in the last window */
    double clock;         /* MHz in the last window that knew it; 0 = none did */
    bool steady, interrupted, failed;
};
void method_warmup(const struct method_settings *settings, const struct sampler *sampler,
                   struct warmed *out);

void method_measure(const struct method_settings *settings, const struct sampler *sampler,
                    int rotation, struct measured *out);

/* ---- correctness ---- */

enum { CHECK_ROWS = 16, CHECK_COLUMNS = 16 };
#define CHECK_FULL_MOST 67108864.0 /* multiply-adds of a full check on one processor */

struct check {
    bool done, ok;
    const char *mode; /* "full", "rows", "block"; NULL = a sample */
    int64_t n;
    double max_err;    /* largest |d - ref| / allowance; > 1 fails */
    double zeros;      /* share of zeros among the operands looked at */
    char why[120];     /* also why fewer than asked for were looked at */
    const char *cause; /* of a failure that says nothing of the device: "library", "operands" */
};

/* Operands of zeros draw less power and may not even be in memory: more than a quarter of
 * them (NVFP4 has one in eight) is no measurement. Fails the check, saying so, unless
 * zeros were asked for: then the point is flagged. */
void method_no_zeros(struct check *check, enum bench_fill fill, double zeros, double looked_at);

/* How a result came to be: what it may be away by depends on it. */
enum reduction { REDUCTION_COMPUTE, REDUCTION_OUTPUT, REDUCTION_IN_PLACE };
struct summing {
    enum bench_type type;
    double k;                 /* products in the sum */
    int split;                /* parts that k was cut into; 0 and 1 = none */
    enum reduction reduction; /* type in which those are added: that of the sums, of the
                               * output, or that in the output's own place */
};

/* Is d a right result, where the sum in double is ref and that of |a_i b_i| is s? *ratio:
 * its distance in units of what is allowed. INT8 must be equal. */
bool method_within(const struct summing *how, double d, double ref, double s, double *ratio);
/* One result more of a check: is it right? The first that is not is noted as `why`. */
bool check_within(struct check *check, const struct summing *how, double d, double ref, double s);
void check_wrong(struct check *check, int64_t i, int64_t j, double d, double ref);

/* ---- throttling (NVML clocks event reasons) ---- */

enum throttle {
    THROTTLE_NONE,
    THROTTLE_POWER_CAP,
    THROTTLE_THERMAL,
    THROTTLE_HW,
    THROTTLE_UNKNOWN
};
/* bits of n readings, one each `every` s; thermal or hw counts only in > 2 % of them and
 * for > 0.1 s. */
enum throttle method_throttle(const uint64_t *bits, int n, double every);
enum throttle method_throttle_now(uint64_t bits); /* of one reading */
const char *throttle_word(enum throttle throttle);

#endif
