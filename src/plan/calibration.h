/*
 * calibration.h - what a benchmark says of its devices, in the numbers an estimator takes.
 *
 *   time = overhead + work / rate        work: operations (CAL_RATE) or bytes
 *
 * One term for each kind of work on each device, with 90 % bands; products besides have a
 * sustained peak and the share of it that each octave of size reaches, because a line is too
 * simple for them. benchlog.h makes it from a run, measure/result/benchlog.h writes and
 * reads it as the "calibration" of a result file. Nothing is predicted here.
 *
 * Worked: copies of 1, 4 and 16 MiB in 60, 210 and 810 us are a term of 10 us and 21 GB/s;
 * one of 8 MiB then takes 10 us + 400 us.
 */
#ifndef GP_PLAN_CALIBRATION_H
#define GP_PLAN_CALIBRATION_H

#include "base/quantity.h"
#include "measure/point/test.h"

#define CALIBRATION_RUN 192
#define CALIBRATION_OCTAVES 128

struct calibration_term {
    long device;               /* its id in the result file */
    char run[CALIBRATION_RUN]; /* the run that measured it; "" = the file does not say */
    enum cal_term kind;
    char of[48];              /* "gemm", "weights", "read", "h2d-pinned", "plain/small" */
    enum bench_type type;     /* TYPE_COUNT = of none */
    struct quantity rate;     /* per second; unknown of CAL_LAUNCH; high may be INFINITY */
    struct quantity overhead; /* s; unknown where the sizes are alike */
    double sheet_pct;         /* rate in per cent of the data sheet's; NAN = none */
    int n;                    /* points it comes from */
    double rms;               /* of their relative errors; NAN = no line was fitted */
};

struct calibration_octave { /* products of 2^(log2_ops-1/2) .. 2^(log2_ops+1/2) operations */
    int log2_ops;
    double efficiency; /* median share of the peak */
    int n;
    double rms;
};

struct calibration_product {
    long device;
    char run[CALIBRATION_RUN];
    enum bench_type type;
    double peak; /* operations/s, sustained */
    double sheet_pct;
    int n, octave_count;
    struct calibration_octave octave[CALIBRATION_OCTAVES];
};

struct calibration {
    char run[CALIBRATION_RUN];
    struct calibration_term *term;
    struct calibration_product *product;
    int terms, term_cap, products, product_cap;
};

/* Room for one more, zeroed but for what is unknown. */
struct calibration_term *calibration_add_term(struct calibration *calibration);
struct calibration_product *calibration_add_product(struct calibration *calibration);
void calibration_fini(struct calibration *calibration);

#endif
