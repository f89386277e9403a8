/*
 * benchlog_calibration.c - what a run says about its device in a few numbers.
 *
 * Of each kind of work, the good points are fitted to one line,
 *
 *   time = overhead + work / rate
 *
 * by least squares of the relative errors, so that small points count as much as large
 * ones: the slope is the effective rate or bandwidth, the intercept what a launch
 * costs. The bands are 90 % by Student's t. Worked: copies of 1, 4 and 16 MiB that take
 * 60, 210 and 810 us give 10 us and 21 GB/s. Fewer than three points, or sizes that are
 * all alike, leave the overhead unknown; the rate is then the median of theirs, from
 * the least to the largest. An overhead below zero is zero.
 */
#include "data/benchlog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "util/json.h"
#include "util/mem.h"

#define SPREAD 4.0 /* largest work over smallest, to tell overhead from rate */
#define SMALL  65536.0
#define LARGE  4194304.0

struct term {         /* one kind of work on one device */
    const char *kind; /* "rate", "bandwidth", "link", "allreduce" */
    char of[48];      /* "gemm", "weights", "read", "h2d-pinned", "plain/small" */
    const char *type; /* "bf16", or "" */
};

struct line {
    double overhead, overhead_low, overhead_high; /* s; NAN = unknown */
    double rate, low, high;                       /* per second; high NAN = no end */
    double rms; /* of the relative errors; NAN = no fit */
};

/* ---- which points belong together ---- */

static double param(const struct benchlog_point *p, const char *key)
{
    return json_number_value(json_object_get(json_object_get(p->json, "params"), key));
}

/* "memory/read/64" -> "read" */
static void second_word(const char *id, char *text, size_t size)
{
    const char *from = strchr(id, '/');

    from = from ? from + 1 : "";
    gp_format(text, size, "%.*s", (int)strcspn(from, "/"), from);
}

/* "transfer/peer/0-1/64" -> "peer/0-1": every pair has a link of its own. */
static void name_pair(const char *id, char *text, size_t size)
{
    const char *from = strstr(id, "peer/");

    if (from)
        gp_format(text, size, "%.*s", (int)(5 + strcspn(from + 5, "/")), from);
}

/* The term of a point; false when it tells nothing about one. */
static bool term_of(const struct benchlog_point *p, struct term *term)
{
    double bytes = param(p, "bytes");
    char kind[24];

    memset(term, 0, sizeof *term);
    term->type = "";
    second_word(p->id, kind, sizeof kind);
    if (!benchlog_good(p) || strcmp(p->variant, "tuned") == 0)
        return false;
    gp_copy(term->of, sizeof term->of, kind);
    if (strcmp(p->test, "gemm") == 0) {
        gp_copy(term->of, sizeof term->of, "gemm");
        term->kind = "rate";
        term->type = p->type;
    } else if (strcmp(p->test, "batch") == 0 && param(p, "n") == 1) {
        gp_copy(term->of, sizeof term->of, "weights");
        term->kind = "bandwidth";
        term->type = p->type;
    } else if (strcmp(p->test, "memory") == 0) {
        term->kind = "bandwidth";
    } else if (strcmp(p->test, "transfer") == 0) {
        term->kind = "link";
        if (strcmp(kind, "peer") == 0)
            name_pair(p->id, term->of, sizeof term->of);
    } else if (strcmp(p->test, "allreduce") == 0) {
        term->kind = "allreduce";
        gp_format(term->of, sizeof term->of, "%s/%s", kind,
                  bytes <= SMALL   ? "small"
                  : bytes >= LARGE ? "large"
                                   : "medium");
    }
    return term->kind;
}

static bool same_term(const struct term *a, const struct term *b)
{
    return strcmp(a->kind, b->kind) == 0 && strcmp(a->of, b->of) == 0 &&
           strcmp(a->type, b->type) == 0;
}

/* Operations or bytes of one run of the point; 0 = unknown. */
static double work_of(const struct term *term, const struct benchlog_point *p)
{
    return p->median * (strcmp(term->kind, "rate") == 0 ? p->ops : p->bytes);
}

/* ---- the line through them ---- */

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

static void median_line(const double *work, const double *time, int n, struct line *out)
{
    double *rate = gp_calloc((size_t)n, sizeof *rate);

    for (int i = 0; i < n; i++)
        rate[i] = work[i] / time[i];
    qsort(rate, (size_t)n, sizeof *rate, by_value);
    *out = (struct line){
        .overhead = NAN,
        .overhead_low = NAN,
        .overhead_high = NAN,
        .rate = n % 2 ? rate[n / 2] : (rate[n / 2 - 1] + rate[n / 2]) / 2,
        .low = rate[0],
        .high = rate[n - 1],
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

static bool fit_line(const double *work, const double *time, int n, struct line *out)
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

static void line_of(const double *work, const double *time, int n, struct line *out)
{
    double least = INFINITY, most = 0;

    for (int i = 0; i < n; i++) {
        least = fmin(least, work[i]);
        most = fmax(most, work[i]);
    }
    if (n < 3 || most < SPREAD * least || !fit_line(work, time, n, out))
        median_line(work, time, n, out);
}

/* ---- as JSON ---- */

static json_t *band(double value, double low, double high)
{
    json_t *json = json_object();

    if (!isfinite(value)) {
        json_decref(json);
        return json_null();
    }
    json_object_set_new(json, "value", gp_json_number(value));
    json_object_set_new(json, "low", gp_json_number(low));
    json_object_set_new(json, "high", gp_json_number(high));
    return json;
}

static json_t *term_json(long device, const struct term *term, const struct line *line,
                         int n)
{
    bool rate = strcmp(term->kind, "rate") == 0;
    json_t *json = json_object();

    json_object_set_new(json, "device", json_integer(device));
    json_object_set_new(json, "kind", json_string(term->kind));
    json_object_set_new(json, "of", gp_json_text(term->of));
    json_object_set_new(json, "type",
                        *term->type ? gp_json_text(term->type) : json_null());
    json_object_set_new(json, rate ? "ops_per_s" : "bytes_per_s",
                        band(line->rate, line->low, line->high));
    json_object_set_new(json, "overhead_s",
                        band(line->overhead, line->overhead_low, line->overhead_high));
    json_object_set_new(json, "n", json_integer(n));
    json_object_set_new(json, "rms_pct", gp_json_number(100 * line->rms));
    return json;
}

/* Of a single point: the interval of its median. */
static void own_band(const struct benchlog_point *p, double work, struct line *line)
{
    line->low = work / p->high;
    line->high = work / p->low;
}

static json_t *make_term(const struct benchlog *log, int first, const struct term *term)
{
    double *work = gp_calloc((size_t)log->count, sizeof *work);
    double *time = gp_calloc((size_t)log->count, sizeof *time);
    int device = log->point[first].device, n = 0, only = first;
    struct line line;
    struct term other;
    json_t *json = NULL;

    for (int i = first; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (p->device != device || !term_of(p, &other) || !same_term(term, &other) ||
            !(work_of(term, p) > 0))
            continue;
        only = i;
        work[n] = work_of(term, p);
        time[n++] = p->median;
    }
    if (n) {
        line_of(work, time, n, &line);
        if (n == 1)
            own_band(&log->point[only], work[0], &line);
        json = term_json(log->device[device].id, term, &line, n);
    }
    free(work);
    free(time);
    return json;
}

static bool is_first(const struct benchlog *log, int i, const struct term *term)
{
    struct term other;

    for (int k = 0; k < i; k++)
        if (log->point[k].device == log->point[i].device &&
            term_of(&log->point[k], &other) && same_term(term, &other))
            return false;
    return true;
}

/* Measured, but not used: the file says which and why. */
static json_t *excluded(const struct benchlog *log)
{
    json_t *list = json_array();

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];
        json_t *one;

        if (strcmp(p->state, "ok") != 0 || benchlog_good(p))
            continue;
        one = json_object();
        json_object_set_new(one, "device", json_integer(log->device[p->device].id));
        json_object_set_new(one, "id", gp_json_text(p->id));
        json_object_set_new(one, "variant", gp_json_text(p->variant));
        json_object_set(one, "flags", (json_t *)p->flags);
        json_array_append_new(list, one);
    }
    return list;
}

json_t *benchlog_calibration(const struct benchlog *log)
{
    json_t *json = json_object(), *terms = json_array();
    struct term term;

    for (int i = 0; i < log->count; i++)
        if (term_of(&log->point[i], &term) && is_first(log, i, &term)) {
            json_t *one = make_term(log, i, &term);

            if (one)
                json_array_append_new(terms, one);
        }
    json_object_set(json, "run_id", json_object_get(log->json, "run_id"));
    json_object_set_new(json, "equation",
                        json_string("time_s = overhead_s + work / rate"));
    json_object_set_new(json, "terms", terms);
    json_object_set_new(json, "excluded", excluded(log));
    return json;
}
