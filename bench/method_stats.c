/*
 * method_stats.c - what is said of a series of samples, and when there are enough.
 *
 * Quantiles interpolate linearly between order statistics (numpy's default): of 1 2 3 4, q1 = 1.75,
 * median 2.5. The confidence interval of the median takes order statistics, free of any assumption
 * about the shape: ranks n/2 - 0.98*sqrt(n) and 1 + n/2 + 0.98*sqrt(n), rounded; n = 20 gives the
 * 6th and the 15th, which cover 95.9 %, and n = 5 the first and the last, which cover 93.8 %.
 * Outliers are counted and kept: a sample is one when its modified z, 0.6745 of its distance from
 * the median in median absolute deviations, is more than 14.8 (as many standard deviations of a
 * normal).
 */
#include "measure/point/method.h"

#include <math.h>
#include <stdlib.h>

#include "base/mem.h"

#define OUTLIER 14.8
#define NORMAL_MAD 0.6745 /* median absolute deviation of a standard normal */
#define MAD_FLOOR 0.001   /* of the median: identical ticks of a coarse clock */
#define STOP_LEAST 10     /* samples before the interval is believed */
#define TIME_LEAST 5      /* samples before max_time ends it */
#define TIME_EXCESS 15    /* times max_time: not even those */
#define PLATEAU 32        /* samples in which the interval should shrink by ... */
#define SHRINK 0.9

static double *sorted_copy(const double *samples, int n)
{
    double *sorted = gp_malloc((size_t)(n > 0 ? n : 1) * sizeof *sorted);

    for (int i = 0; i < n; i++)
        sorted[i] = samples[i];
    qsort(sorted, (size_t)n, sizeof *sorted, gp_by_value);
    return sorted;
}

static double stats_quantile(const double *sorted, int n, double q)
{
    double at = q * (n - 1);
    int low = (int)at;

    if (low >= n - 1)
        return sorted[n - 1];
    return sorted[low] + (at - low) * (sorted[low + 1] - sorted[low]);
}

static void stats_interval(const double *sorted, int n, double *low, double *high)
{
    double half = 0.98 * sqrt(n);
    int from = (int)lround(n / 2.0 - half), to = (int)lround(1 + n / 2.0 + half);

    *low = sorted[(from < 1 ? 1 : from) - 1];
    *high = sorted[(to > n ? n : to) - 1];
}

static double median_deviation(const double *samples, int n, double median)
{
    double *away = gp_malloc((size_t)n * sizeof *away);

    for (int i = 0; i < n; i++)
        away[i] = fabs(samples[i] - median);
    qsort(away, (size_t)n, sizeof *away, gp_by_value);
    double mad = stats_quantile(away, n, 0.5);
    free(away);
    return mad;
}

static void stats_moments(const double *samples, int n, struct stats *out)
{
    double sum = 0, squares = 0;

    for (int i = 0; i < n; i++)
        sum += samples[i];
    out->mean = sum / n;
    for (int i = 0; i < n; i++)
        squares += (samples[i] - out->mean) * (samples[i] - out->mean);
    out->stdev = n > 1 ? sqrt(squares / (n - 1)) : 0;
}

/* Least squares over time: % of the median per second. */
static double stats_trend(const double *samples, const double *times, int n, double median)
{
    double mean_t = 0, mean_x = 0, tt = 0, tx = 0;

    for (int i = 0; i < n; i++) {
        mean_t += times[i] / n;
        mean_x += samples[i] / n;
    }
    for (int i = 0; i < n; i++) {
        tt += (times[i] - mean_t) * (times[i] - mean_t);
        tx += (times[i] - mean_t) * (samples[i] - mean_x);
    }
    return tt > 0 && median > 0 ? 100 * tx / tt / median : 0;
}

struct stats method_stats(const double *samples, const double *times, int n)
{
    struct stats out = {.n = n > 0 ? n : 0};

    if (n <= 0)
        return out;
    double *sorted = sorted_copy(samples, n);
    out.median = stats_quantile(sorted, n, 0.5);
    out.min = sorted[0];
    out.max = sorted[n - 1];
    out.p05 = stats_quantile(sorted, n, 0.05);
    out.q1 = stats_quantile(sorted, n, 0.25);
    out.q3 = stats_quantile(sorted, n, 0.75);
    out.p95 = stats_quantile(sorted, n, 0.95);
    stats_interval(sorted, n, &out.ci95_low, &out.ci95_high);
    free(sorted);
    stats_moments(samples, n, &out);
    out.mad = median_deviation(samples, n, out.median);
    for (int i = 0; i < n; i++)
        out.outliers += NORMAL_MAD * fabs(samples[i] - out.median) >
                        OUTLIER * fmax(out.mad, MAD_FLOOR * out.median);
    out.first_over_median = out.median > 0 ? samples[0] / out.median : 0;
    out.trend_pct_per_s = times ? stats_trend(samples, times, n, out.median) : 0;
    return out;
}

/* Half the interval's width over the median of the first n samples. */
static double relative_width(const double *samples, int n)
{
    double *sorted = sorted_copy(samples, n), low, high;

    stats_interval(sorted, n, &low, &high);
    double median = stats_quantile(sorted, n, 0.5);
    free(sorted);
    return median > 0 ? (high - low) / 2 / median : INFINITY;
}

enum stop_reason method_stop(const struct method_settings *settings, const double *samples, int n,
                             double elapsed)
{
    double width;

    if (n >= STOP_LEAST && elapsed >= settings->min_time) {
        width = relative_width(samples, n);
        if (width <= settings->rel_ci)
            return STOP_CONVERGED;
        if (n >= STOP_LEAST + PLATEAU && width > SHRINK * relative_width(samples, n - PLATEAU))
            return STOP_PLATEAU;
    }
    /* 200 samples of the shortest operations end before min_time: narrow is narrow */
    if (n >= METHOD_MAX_SAMPLES)
        return relative_width(samples, n) <= settings->rel_ci ? STOP_CONVERGED : STOP_SAMPLES;
    if (elapsed >= settings->max_time && n >= TIME_LEAST)
        return relative_width(samples, n) <= settings->rel_ci ? STOP_CONVERGED : STOP_TIME;
    return n > 0 && elapsed >= TIME_EXCESS * settings->max_time ? STOP_TIME : STOP_NOT;
}
