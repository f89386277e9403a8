/* fit.c - see fit.h. */
#include "measure/result/fit.h"

#include <math.h>
#include <stdbool.h>
#include <stdlib.h>

#include "base/mem.h"

#define SPREAD 4.0 /* largest work over smallest, to tell overhead from rate */

/* Student's t, 90 % two-sided. */
static double student(int freedom)
{
    static const double t[] = {6.314, 2.920, 2.353, 2.132, 2.015,
                               1.943, 1.895, 1.860, 1.833, 1.812};

    return freedom < 1 ? INFINITY : freedom <= 10 ? t[freedom - 1] : 1.70;
}

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

struct middle fit_middle(double *values, int n)
{
    struct middle m;
    double squares = 0;

    qsort(values, (size_t)n, sizeof *values, by_value);
    m.low = values[0];
    m.high = values[n - 1];
    m.median = n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
    for (int i = 0; i < n; i++)
        squares += pow(values[i] / m.median - 1, 2);
    m.rms = sqrt(squares / n);
    return m;
}

static void median_line(const double *work, const double *time, int n, struct line *out)
{
    double *rate = gp_calloc((size_t)n, sizeof *rate);
    struct middle middle;

    for (int i = 0; i < n; i++)
        rate[i] = work[i] / time[i];
    middle = fit_middle(rate, n);
    *out = (struct line){
        .overhead = NAN,
        .overhead_low = NAN,
        .overhead_high = NAN,
        .rate = middle.median,
        .low = middle.low,
        .high = middle.high,
        .rms = NAN,
    };
    free(rate);
}

/* Sums of the relative least squares: 1 = a/t + b w/t. */
struct sums {
    double aa, ab, bb, a, b;
};

static struct sums add_up(const double *work, const double *time, int n)
{
    struct sums s = {0};

    for (int i = 0; i < n; i++) {
        double x = 1 / time[i], y = work[i] / time[i];

        s.aa += x * x;
        s.ab += x * y;
        s.bb += y * y;
        s.a += x;
        s.b += y;
    }
    return s;
}

static bool least_squares(const double *work, const double *time, int n, struct line *out)
{
    struct sums s = add_up(work, time, n);
    double det = s.aa * s.bb - s.ab * s.ab;
    double a = (s.a * s.bb - s.b * s.ab) / det, b = (s.b * s.aa - s.a * s.ab) / det;
    bool through_zero = !(a > 0);
    double squares = 0, spread, da, db;

    if (!(det > 1e-12 * s.aa * s.bb))
        return false;
    if (through_zero) {
        a = 0;
        b = s.b / s.bb;
    }
    if (!(b > 0))
        return false;
    for (int i = 0; i < n; i++)
        squares += pow(1 - (a + b * work[i]) / time[i], 2);
    spread = sqrt(squares / (n - 2 + through_zero)) * student(n - 2 + through_zero);
    da = through_zero ? 0 : spread * sqrt(s.bb / det);
    db = spread * (through_zero ? 1 / sqrt(s.bb) : sqrt(s.aa / det));
    *out = (struct line){
        .overhead = a,
        .overhead_low = fmax(0, a - da),
        .overhead_high = a + da,
        .rate = 1 / b,
        .low = 1 / (b + db),
        .high = b > db ? 1 / (b - db) : NAN,
        .rms = sqrt(squares / n),
    };
    return true;
}

void fit_line(const double *work, const double *time, int n, struct line *out)
{
    double least = INFINITY, most = 0;

    for (int i = 0; i < n; i++) {
        least = fmin(least, work[i]);
        most = fmax(most, work[i]);
    }
    if (n < 3 || most < SPREAD * least || !least_squares(work, time, n, out))
        median_line(work, time, n, out);
}
