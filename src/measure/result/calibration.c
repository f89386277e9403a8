/*
 * calibration.c - what a run says about its device in a few numbers.
 *
 * Of each kind of work, the good points are fitted to one line, time = overhead + work / rate: the
 * slope is the effective rate or bandwidth, the intercept what a launch costs. By least squares of
 * the relative errors, so that small points count as much as large ones; the bands are 90 % by
 * Student's t. Worked: copies of 1, 4 and 16 MiB that take 60, 210 and 810 us give 10 us and 21
 * GB/s. Fewer than three points, or sizes that are all alike, leave the overhead unknown; the rate
 * is then the median of theirs, from the least to the largest. An overhead below zero is zero.
 *
 * Of a GPU, what an empty node of a graph and two events with nothing between them take are terms
 * without work: the median of what the points say.
 *
 * A line is too simple for products, whose rate also depends on how the shape fills the device. So
 * of each type there is the sustained peak, the best good rate of the run, and a table: the median
 * share of it that the products of each octave reach, 2^(k-1/2) to 2^(k+1/2) operations, so that a
 * square of side 2^j lies in the middle of its own. Products at the pace of memory tell nothing of
 * it and are left out: of one token, or bound by memory and at half or more of what it allows.
 * Worked: 2^31 operations in 10.7 ms, 2^34 in 45 ms are 0.2 and 0.38 TFLOP/s, so octave 31 has 0.53
 * of the peak.
 */

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "measure/result/benchlog.h"
#include "plan/roofline.h"

#define SPREAD 4.0 /* largest work over smallest, to tell overhead from rate */
#define PACE 0.5   /* of what memory allows: it sets the pace */

/* ---- a line through times, and the middle of values ---- */

struct line {
    double overhead, overhead_low, overhead_high; /* s; NAN = unknown */
    double rate, low, high;                       /* per second; high NAN = no end */
    double rms;                                   /* of the relative errors; NAN = no fit */
};

struct middle {
    double median, low, high; /* low, high: the least and the largest */
    double rms;               /* of the distances from the median, relative to it */
};

/* Student's t, 90 % two-sided. */
static double student_t(int freedom)
{
    static const double t[] = {6.314, 2.920, 2.353, 2.132, 2.015,
                               1.943, 1.895, 1.860, 1.833, 1.812};

    return freedom < 1 ? INFINITY : freedom <= 10 ? t[freedom - 1] : 1.70;
}

/* Of n > 0 values above zero, which it sorts. */
static struct middle fit_middle(double *values, int n)
{
    struct middle m;
    double squares = 0;

    m.median = gp_middle(values, n);
    m.low = values[0];
    m.high = values[n - 1];
    for (int i = 0; i < n; i++)
        squares += pow(values[i] / m.median - 1, 2);
    m.rms = sqrt(squares / n);
    return m;
}

static void median_line(const double *work, const double *time, int n, struct line *out)
{
    double *rate = gp_calloc((size_t)n, sizeof(*rate));

    for (int i = 0; i < n; i++)
        rate[i] = work[i] / time[i];
    struct middle m = fit_middle(rate, n);
    *out = (struct line){NAN, NAN, NAN, m.median, m.low, m.high, NAN};
    free(rate);
}

/* 1 = a/t + b w/t, by sums of the relative least squares. */
static bool least_squares(const double *work, const double *time, int n, struct line *out)
{
    struct {
        double aa, ab, bb, a, b;
    } s = {0};
    double a, b, squares = 0;

    for (int i = 0; i < n; i++) {
        double x = 1 / time[i], y = work[i] / time[i];

        s.aa += x * x;
        s.ab += x * y;
        s.bb += y * y;
        s.a += x;
        s.b += y;
    }
    double det = s.aa * s.bb - s.ab * s.ab;
    a = (s.a * s.bb - s.b * s.ab) / det;
    b = (s.b * s.aa - s.a * s.ab) / det;
    bool through_zero = !(a > 0);
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
    double spread = sqrt(squares / (n - 2 + through_zero)) * student_t(n - 2 + through_zero);
    double da = through_zero ? 0 : spread * sqrt(s.bb / det);
    double db = spread * (through_zero ? 1 / sqrt(s.bb) : sqrt(s.aa / det));
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

/* n > 0 points of work (operations or bytes) and time (s), each above zero. */
static void fit_line(const double *work, const double *time, int n, struct line *out)
{
    double least = INFINITY, most = 0;

    for (int i = 0; i < n; i++) {
        least = fmin(least, work[i]);
        most = fmax(most, work[i]);
    }
    if (n < 3 || most < SPREAD * least || !least_squares(work, time, n, out))
        median_line(work, time, n, out);
}

struct term { /* one kind of work on one device */
    enum cal_term kind;
    char of[48];
    enum bench_type type; /* TYPE_COUNT = of none */
};

/* ---- which points belong together ---- */

/* The term of a point; false when it tells nothing about one. */
static bool term_of(const struct point_result *p, struct term *term)
{
    const struct test_row *row = p->test < TEST_COUNT ? &test_rows[p->test] : NULL;
    const struct point point = {.test = p->test,
                                .kind = p->kind,
                                .type = p->type,
                                .cache = p->hot ? CACHE_HOT : CACHE_COLD,
                                .n = (int64_t)fmin(p->n, 1e9),
                                .groups = (int)fmin(p->groups, 1e9),
                                .bytes = p->size,
                                .from = p->from,
                                .to = p->to};

    if (!result_usable(p) || !row || row->term == CAL_NONE)
        return false;
    if (p->kind == KIND_NONE && bench_test_has_kinds(p->test))
        return false; /* of a later version */
    *term = (struct term){.kind = row->term, .type = TYPE_COUNT};
    if (row->typed && (term->type = p->type) == TYPE_COUNT)
        return false;
    if (row->term_of)
        return row->term_of(&point, term->of, sizeof(term->of));
    return gp_copy(term->of, sizeof(term->of),
                   row->of   ? row->of
                   : p->kind ? point_kind(&point)
                             : p->test_word);
}

/* A point of one device among its like. */
struct member {
    const struct point_result *point;
    struct term term;
};

static int by_term(const struct member *a, const struct member *b)
{
    int order = a->point->device - b->point->device;

    if (!order)
        order = (int)a->term.kind - (int)b->term.kind;
    if (!order)
        order = strcmp(a->term.of, b->term.of);
    return order ? order : (int)a->term.type - (int)b->term.type;
}

static int by_place(const void *left, const void *right)
{
    const struct member *a = left, *b = right;
    int order = by_term(a, b);

    return order ? order : (a->point > b->point) - (a->point < b->point);
}

struct group {
    const struct member *member;
    int n;
};

static int by_first(const void *left, const void *right)
{
    const struct point_result *a = ((const struct group *)left)->member->point;
    const struct point_result *b = ((const struct group *)right)->member->point;

    return (a > b) - (a < b);
}

/* Lets make() add what each group of like points says, in the order of their first. A file may hold
 * those of a thousand devices: sorted, not searched. */
static json_t *each_group(const struct benchlog *log,
                          bool (*label)(const struct point_result *, struct term *),
                          void (*make)(const struct benchlog *, const struct member *, int,
                                       json_t *))
{
    struct member *member = gp_calloc((size_t)log->count + 1, sizeof(*member));
    struct group *group = gp_calloc((size_t)log->count + 1, sizeof(*group));
    json_t *list = json_array();
    int n = 0, groups = 0;

    for (int i = 0; i < log->count; i++)
        if (label(&log->point[i], &member[n].term))
            member[n++].point = &log->point[i];
    qsort(member, (size_t)n, sizeof(*member), by_place);
    for (int i = 0; i < n; i++) {
        if (i == 0 || by_term(&member[i - 1], &member[i]) != 0)
            group[groups++].member = &member[i];
        group[groups - 1].n++;
    }
    qsort(group, (size_t)groups, sizeof(*group), by_first);
    for (int i = 0; i < groups; i++)
        make(log, group[i].member, group[i].n, list);
    free(group);
    free(member);
    return list;
}

/* Operations or bytes of one run of the point; 0 = unknown. */
static double work_of(const struct term *term, const struct point_result *p)
{
    return p->median * (term->kind == CAL_RATE ? p->ops : p->bytes);
}

/* ---- terms ---- */

/* Of a merged file, the run that the device was measured in. */
static json_t *run_of(const struct benchlog *log, int device)
{
    const char *text = benchlog_device_text(log, device, "run_id");

    return gp_json_text_or_null(text[0] ? text : gp_json_text_at(log->json, "run_id"));
}

/* A rate in per cent of the sheet's, which the point tells by its own; null: it does not. */
static json_t *of_sheet(double rate, double own, double pct)
{
    return gp_json_number(own > 0 && pct > 0 ? rate / own * pct : NAN);
}

/* high NAN: it has no end. */
static json_t *band_json(double value, double low, double high)
{
    if (!isfinite(value))
        return json_null();
    return json_pack("{s:o, s:o, s:o}", "value", gp_json_number(value), "low",
                     gp_json_number(fmin(low, value)), "high",
                     gp_json_number(isnan(high) ? NAN : fmax(high, value)));
}

static json_t *term_json(const struct benchlog *log, int device, const struct term *term)
{
    const char *type = term->type < TYPE_COUNT ? bench_type_word(term->type) : NULL;

    return json_pack("{s:I, s:o, s:s, s:o, s:o}", "device", (json_int_t)log->device[device].id,
                     "run_id", run_of(log, device), "kind", cal_term_words[term->kind], "of",
                     gp_json_text_or_null(term->of), "type", gp_json_text_or_null(type));
}

/* From how many points, and how far these are off it; NAN: unknown. */
static void add_fit(json_t *json, int n, double rms)
{
    json_object_set_new(json, "n", json_integer(n));
    json_object_set_new(json, "rms_pct", gp_json_number(100 * rms));
}

static void make_term(const struct benchlog *log, const struct member *member, int count,
                      json_t *list)
{
    double *work = gp_calloc((size_t)count, sizeof(*work));
    double *time = gp_calloc((size_t)count, sizeof(*time));
    const struct point_result *last = NULL;
    const struct term *term = &member->term;
    struct line line;
    int n = 0;

    for (int i = 0; i < count; i++) {
        const struct point_result *p = member[i].point;

        if (!(work_of(term, p) > 0))
            continue;
        last = p;
        work[n] = work_of(term, p);
        time[n++] = p->median;
    }
    if (n) {
        json_t *json = term_json(log, last->device, term);

        fit_line(work, time, n, &line);
        if (n == 1) { /* the interval of its median */
            line.low = work[0] / last->high;
            line.high = work[0] / last->low;
        }
        json_object_set_new(json, term->kind == CAL_RATE ? "ops_per_s" : "bytes_per_s",
                            band_json(line.rate, line.low, line.high));
        if (term->kind != CAL_RATE)
            json_object_set_new(json, "pct_spec_bw",
                                of_sheet(line.rate, last->bytes, last->sheet_bytes));
        json_object_set_new(json, "overhead_s",
                            band_json(line.overhead, line.overhead_low, line.overhead_high));
        add_fit(json, n, line.rms);
        json_array_append_new(list, json);
    }
    free(work);
    free(time);
}

/* What nothing at all takes. */
static void add_floors(const struct benchlog *log, int device, json_t *list)
{
    static const struct {
        const char *param;
        struct term term;
    } floors[] = {{"node_floor_s", {CAL_LAUNCH, "node", TYPE_COUNT}},
                  {"event_floor_s", {CAL_LAUNCH, "events", TYPE_COUNT}}};
    double *values = gp_calloc((size_t)log->count + 1, sizeof(*values));

    for (size_t k = 0; k < sizeof(floors) / sizeof(floors[0]); k++) {
        int n = 0;

        for (int i = 0; i < log->count; i++) {
            const struct point_result *p = &log->point[i];

            if (p->device == device && result_good(p) && result_param(p, floors[k].param) > 0)
                values[n++] = result_param(p, floors[k].param);
        }
        if (!n)
            continue;
        struct middle middle = fit_middle(values, n);
        json_t *json = term_json(log, device, &floors[k].term);
        json_object_set_new(json, "overhead_s", band_json(middle.median, middle.low, middle.high));
        add_fit(json, n, middle.rms);
        json_array_append_new(list, json);
    }
    free(values);
}

/* ---- products: the peak, and how much of it each size reaches ---- */

struct product {
    int octave; /* of its operations */
    double rate;
};

static bool is_product(const struct point_result *p, struct term *term)
{
    if (!result_usable(p) || !bench_test_is(p->test, TEST_IS_PRODUCT) || p->type == TYPE_COUNT ||
        !(p->ops * p->median >= 1) || p->n == 1 || p->groups > 1 ||
        (roof_bound_parse(p->bound) == ROOF_MEMORY && p->ratio >= PACE))
        return false;
    *term = (struct term){.kind = CAL_RATE, .type = p->type};
    return true;
}

static int by_octave(const void *a, const void *b)
{
    const struct product *x = a, *y = b;

    return (x->octave > y->octave) - (x->octave < y->octave);
}

static json_t *octave_json(const struct product *product, int n, double peak)
{
    double *share = gp_calloc((size_t)n, sizeof(*share));

    for (int i = 0; i < n; i++)
        share[i] = product[i].rate / peak;
    struct middle middle = fit_middle(share, n);
    json_t *json = json_pack("{s:i, s:o}", "log2_ops", product[0].octave, "efficiency",
                             gp_json_number(middle.median));
    add_fit(json, n, middle.rms);
    free(share);
    return json;
}

static void make_products(const struct benchlog *log, const struct member *member, int n,
                          json_t *list)
{
    struct product *product = gp_calloc((size_t)n, sizeof(*product));
    const struct point_result *best = member->point;
    json_t *octaves = json_array();

    for (int i = 0; i < n; i++) {
        const struct point_result *p = member[i].point;

        product[i] = (struct product){(int)round(log2(p->ops * p->median)), p->ops};
        best = p->ops > best->ops ? p : best;
    }
    qsort(product, (size_t)n, sizeof(*product), by_octave);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && product[end].octave == product[i].octave; end++)
            ;
        json_array_append_new(octaves, octave_json(product + i, end - i, best->ops));
    }
    json_array_append_new(list,
                          json_pack("{s:I, s:o, s:s, s:o, s:o, s:i, s:o}", "device",
                                    (json_int_t)log->device[best->device].id, "run_id",
                                    run_of(log, best->device), "type", bench_type_word(best->type),
                                    "peak_ops_per_s", gp_json_number(best->ops), "pct_spec_peak",
                                    of_sheet(best->ops, best->ops, best->sheet_ops), "n", n,
                                    "efficiency", octaves));
    free(product);
}

/* ---- all of it ---- */

/* Measured, but not used: the file says which and why. */
static json_t *excluded_points(const struct benchlog *log)
{
    json_t *list = json_array();

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (p->state != POINT_OK || result_good(p))
            continue;
        json_t *one = json_pack("{s:I, s:o, s:o}", "device", (json_int_t)log->device[p->device].id,
                                "id", gp_json_text(p->id), "variant", gp_json_text(p->variant));
        json_object_set(one, "flags", (json_t *)p->flags);
        json_array_append_new(list, one);
    }
    return list;
}

json_t *benchlog_calibration(const struct benchlog *log)
{
    const char *run = gp_json_text_at(log->json, "run_id");
    json_t *json = json_object(), *terms = each_group(log, term_of, make_term);

    for (int d = 0; d < log->device_count; d++)
        add_floors(log, d, terms);
    if (run[0])
        json_object_set_new(json, "run_id", gp_json_text(run));
    json_object_set_new(json, "equation", json_string("time_s = overhead_s + work / rate"));
    json_object_set_new(json, "terms", terms);
    json_object_set_new(json, "products", each_group(log, is_product, make_products));
    json_object_set_new(json, "excluded", excluded_points(log));
    return json;
}
