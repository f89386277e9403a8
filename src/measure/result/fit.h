/*
 * fit.h - a line through times, and the middle of values: what calibration is made of.
 *
 *   time = overhead + work / rate
 *
 * by least squares of the relative errors, so that small points count as much as large
 * ones. The bands are 90 % by Student's t. Worked: copies of 1, 4 and 16 MiB that take
 * 60, 210 and 810 us give 10 us and 21 GB/s. Fewer than three points, or sizes that are
 * all alike, leave the overhead unknown; the rate is then the median of theirs, from
 * the least to the largest. An overhead below zero is zero.
 */
#ifndef GP_MEASURE_RESULT_FIT_H
#define GP_MEASURE_RESULT_FIT_H

struct line {
    double overhead, overhead_low, overhead_high; /* s; NAN = unknown */
    double rate, low, high;                       /* per second; high NAN = no end */
    double rms;                                   /* of the relative errors; NAN = no fit */
};

struct middle {
    double median, low, high; /* low, high: the least and the largest */
    double rms;               /* of the distances from the median, relative to it */
};

/* n > 0 points of work (operations or bytes) and time (s), each above zero. */
void fit_line(const double *work, const double *time, int n, struct line *out);
/* Of n > 0 values above zero, which it sorts. */
struct middle fit_middle(double *values, int n);

#endif
