/*
 * shared.h - gpuplan.share/1: what labs measured of their devices, small and without a name.
 *
 * Of each device: its id in the catalogue, what the driver calls it, driver, library, clock, month,
 * and what was fitted to its good points (plan/speed/calib.h): the best read, and of each kind of
 * product with three points or more the shares of arithmetic and bandwidth. No host, serial
 * number, UUID, path or hour. A lab is told apart by a hash of its own figures.
 *
 * Several labs' figures become one by the mean of their logarithms. How far another device may be
 * from it, half of a 90 % band as a logarithm:
 *
 *   w = t(v) s sqrt(1 + 1/n),  s^2 = (2 s0^2 + (n - 1) V) / v,  v = n + 1
 *
 * V: the variance between n labs, of the figures that at least two have; s0 = b / (1.645 sqrt 2),
 * b the band of one result of the kind (0.08) or of the generation (0.18), which one lab has; t:
 * Student's. Example: three H100s whose shares lie 1 % apart: 0.08 becomes 0.062, of six 0.041.
 * A figure of a lab that is 40 % off the median of three or more is an error of measuring, and the
 * lab is left out.
 *
 * The file is anyone's: its size, the number of its devices, types and ranges are checked first.
 */
#ifndef GP_MEASURE_RESULT_SHARED_H
#define GP_MEASURE_RESULT_SHARED_H

#include "catalog/catalog.h"
#include "measure/result/benchlog.h"
#include "plan/speed/calib.h"

#define SHARED_SCHEMA "gpuplan.share/1"
#define SHARED_BYTES ((size_t)1 << 20)
#define SHARED_DEVICES 256

struct shared_kernel { /* points 0: not measured */
    double compute, memory, rms;
    int points;
};

struct shared_device {
    char lab[20];
    char gpu[GPU_ID_MAX]; /* "cpu": processors, by their name */
    char name[96], month[12], program[24], driver[64], library[128];
    double clock, power; /* Hz at most, W allowed; 0 = not told */
    double read, rate;   /* bytes/s; FLOP/s of processors in FP32; 0 = not measured */
    struct shared_kernel kernel[KERNEL_COUNT];
};

struct shared {
    struct shared_device *device;
    size_t count, cap;
};

/* Reads, the share of the bandwidth for a GPU; FP32 of processors; of each kernel both shares. */
#define SHARED_FIGURES (2 + 2 * KERNEL_COUNT)

struct shared_figure {
    int labs;             /* 0 = none has it */
    double value, spread; /* standard deviation of the logarithms between labs */
};

struct shared_sum {
    int labs, left_out;
    double apart; /* w of above */
    double rms;   /* of points about their own lab's law */
    char month[12];
    struct shared_figure figure[SHARED_FIGURES];
};

/* Does the file begin like one? */
bool shared_is(const char *path);
/* Adds the file's devices; a lab's device that is there already is passed over. */
enum gp_status shared_parse(const char *where, const char *text, size_t len, struct shared *out,
                            struct gp_err *err);
enum gp_status shared_read(const char *path, struct shared *out, struct gp_err *err);
/* Adds what a result says of devices that the catalogue knows; how many those are. */
int shared_take(const struct benchlog *log, struct catalog *catalog, struct shared *out);
void shared_fini(struct shared *shared);

/* With the constants of each GPU and family that its devices come to. */
json_t *shared_json(const struct shared *shared, struct catalog *catalog);
/* Whole or not at all; GP_E_NOTHING: no device of the result can be shared. */
enum gp_status shared_write(const char *path, const struct benchlog *log, struct catalog *catalog,
                            struct gp_err *err);

/* Whose figures count for a GPU: those of its own id, else of its family; for processors those of
 * their name. */
enum calib_from shared_sums(const struct shared *shared, struct catalog *catalog,
                            const struct gpu *gpu, const char *processors, struct shared_sum *out);
/* As an estimate takes them. */
void shared_calib(const struct shared_sum *sum, enum calib_from from, const struct gpu *gpu,
                  struct calib *out);

const char *shared_figure_words(int figure, char text[64]); /* "fp8 products, bandwidth" */

#endif
