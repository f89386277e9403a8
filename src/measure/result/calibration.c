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
#include "measure/point/field.h"
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

static int by_value(const void *a, const void *b)
{
    double x = *(const double *)a, y = *(const double *)b;

    return (x > y) - (x < y);
}

/* Of n > 0 values above zero, which it sorts. */
static struct middle fit_middle(double *values, int n)
{
    struct middle m;
    double squares = 0;

    qsort(values, (size_t)n, sizeof(*values), by_value);
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
static void each_group(const struct benchlog *log,
                       bool (*label)(const struct point_result *, struct term *),
                       void (*make)(const struct benchlog *, const struct member *, int,
                                    struct calibration *),
                       struct calibration *out)
{
    struct member *member = gp_calloc((size_t)log->count + 1, sizeof(*member));
    struct group *group = gp_calloc((size_t)log->count + 1, sizeof(*group));
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
        make(log, group[i].member, group[i].n, out);
    free(group);
    free(member);
}

/* Operations or bytes of one run of the point; 0 = unknown. */
static double work_of(const struct term *term, const struct point_result *p)
{
    return p->median * (term->kind == CAL_RATE ? p->ops : p->bytes);
}

/* ---- terms ---- */

/* Of a merged file, the run that the device was measured in. */
static void run_of(const struct benchlog *log, int device, char run[CALIBRATION_RUN])
{
    const char *own = json_string_value(json_object_get(log->json, "run_id"));
    const char *text = benchlog_device_text(log, device, "run_id");

    gp_copy(run, CALIBRATION_RUN, text[0] ? text : own ? own : "");
}

/* A rate in per cent of the sheet's, which the point tells by its own. */
static double of_sheet(double rate, double own, double pct)
{
    return own > 0 && pct > 0 ? rate / own * pct : NAN;
}

static struct quantity measured_band(double value, double low, double high)
{
    if (!isfinite(value))
        return quantity_unknown();
    return quantity_band(value, fmin(low, value), isfinite(high) ? fmax(value, high) : INFINITY,
                         ORIGIN_MEASURED);
}

static void add_term(const struct benchlog *log, const struct point_result *p,
                     const struct term *term, const struct line *line, int n,
                     struct calibration *out)
{
    struct calibration_term *t = calibration_add_term(out);

    t->device = log->device[p->device].id;
    run_of(log, p->device, t->run);
    t->kind = term->kind;
    gp_copy(t->of, sizeof(t->of), term->of);
    t->type = term->type;
    t->rate = measured_band(line->rate, line->low, line->high);
    t->overhead = measured_band(line->overhead, line->overhead_low, line->overhead_high);
    if (term->kind != CAL_RATE)
        t->sheet_pct = of_sheet(line->rate, p->bytes, p->sheet_bytes);
    t->n = n;
    t->rms = line->rms;
}

static void make_term(const struct benchlog *log, const struct member *member, int count,
                      struct calibration *out)
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
        fit_line(work, time, n, &line);
        if (n == 1) { /* the interval of its median */
            line.low = work[0] / last->high;
            line.high = work[0] / last->low;
        }
        add_term(log, last, term, &line, n, out);
    }
    free(work);
    free(time);
}

/* What nothing at all takes. */
static void add_floors(const struct benchlog *log, int device, struct calibration *out)
{
    static const struct {
        const char *param, *of;
    } floors[] = {{"node_floor_s", "node"}, {"event_floor_s", "events"}};
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
        struct calibration_term *t = calibration_add_term(out);
        t->device = log->device[device].id;
        run_of(log, device, t->run);
        t->kind = CAL_LAUNCH;
        gp_copy(t->of, sizeof(t->of), floors[k].of);
        t->overhead = measured_band(middle.median, middle.low, middle.high);
        t->n = n;
        t->rms = middle.rms;
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

static struct calibration_octave octave_of(const struct product *product, int n, double peak)
{
    double *share = gp_calloc((size_t)n, sizeof(*share));

    for (int i = 0; i < n; i++)
        share[i] = product[i].rate / peak;
    struct middle middle = fit_middle(share, n);
    free(share);
    return (struct calibration_octave){product[0].octave, middle.median, n, middle.rms};
}

static void add_octaves(struct product *product, int n, struct calibration_product *out)
{
    qsort(product, (size_t)n, sizeof(*product), by_octave);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && product[end].octave == product[i].octave; end++)
            ;
        if (out->octave_count < CALIBRATION_OCTAVES)
            out->octave[out->octave_count++] = octave_of(product + i, end - i, out->peak);
    }
}

static void make_products(const struct benchlog *log, const struct member *member, int n,
                          struct calibration *out)
{
    struct product *product = gp_calloc((size_t)n, sizeof(*product));
    struct calibration_product *made = calibration_add_product(out);
    const struct point_result *best = member->point;

    for (int i = 0; i < n; i++) {
        const struct point_result *p = member[i].point;

        product[i] = (struct product){(int)round(log2(p->ops * p->median)), p->ops};
        best = p->ops > best->ops ? p : best;
    }
    made->device = log->device[best->device].id;
    run_of(log, best->device, made->run);
    made->type = best->type;
    made->peak = best->ops;
    made->sheet_pct = of_sheet(best->ops, best->ops, best->sheet_ops);
    made->n = n;
    add_octaves(product, n, made);
    free(product);
}

/* ---- all of it ---- */

void benchlog_calibrate(const struct benchlog *log, struct calibration *out)
{
    const char *run = json_string_value(json_object_get(log->json, "run_id"));

    memset(out, 0, sizeof(*out));
    gp_copy(out->run, sizeof(out->run), run ? run : "");
    each_group(log, term_of, make_term, out);
    each_group(log, is_product, make_products, out);
    for (int d = 0; d < log->device_count; d++)
        add_floors(log, d, out);
}

/* Measured, but not used: the file says which and why. */
static json_t *excluded_points(const struct benchlog *log)
{
    json_t *list = json_array();

    for (int i = 0; i < log->count; i++) {
        const struct point_result *p = &log->point[i];

        if (p->state != POINT_OK || result_good(p))
            continue;
        json_t *one = json_object();
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
    struct calibration calibration;

    benchlog_calibrate(log, &calibration);
    json_t *json = calibration_to_json(&calibration);
    calibration_fini(&calibration);
    json_object_set_new(json, "excluded", excluded_points(log));
    return json;
}

/* ---- as JSON ---- */

#define ENTRIES_MAX 100000
#define DEVICE_MAX 1000000

#define DEVICE(s) \
    FIELD_AT(s, "device", device, .type = FIELD_LONG, .is = FIELD_NEEDED, .high = DEVICE_MAX)
#define POINTS(s) \
    FIELD_AT(s, "n", n, .type = FIELD_INT, .is = FIELD_NEEDED, .low = 1, .high = ENTRIES_MAX)
#define TYPE(s) FIELD_WORD_AT(s, "type", type, bench_type_words, TYPE_COUNT, FIELD_LATER)
#define RMS(s) FIELD_AT(s, "rms_pct", rms, .type = FIELD_NUMBER, .high = INFINITY, .unit = 100)

/* What is fitted to odd samples may be large, not negative. */
static const struct field band_fields[] = {
    FIELD_NUMBER_AT(struct quantity, "value", value, INFINITY),
    FIELD_NUMBER_AT(struct quantity, "low", low, INFINITY),
    FIELD_NUMBER_AT(struct quantity, "high", high, INFINITY),
};

static const struct field term_fields[] = {
    DEVICE(struct calibration_term),
    FIELD_TEXT_AT(struct calibration_term, "run_id", run),
    FIELD_WORD_AT(struct calibration_term, "kind", kind, cal_term_words, CAL_COUNT, FIELD_LATER),
    FIELD_TEXT_AT(struct calibration_term, "of", of),
    TYPE(struct calibration_term),
};
static const struct field sheet_fields[] = {
    /* of a term with a rate of bytes */
    FIELD_NUMBER_AT(struct calibration_term, "pct_spec_bw", sheet_pct, INFINITY),
};
static const struct field fit_fields[] = {
    POINTS(struct calibration_term),
    RMS(struct calibration_term),
};

static const struct field octave_fields[] = {
    FIELD_AT(struct calibration_octave, "log2_ops", log2_ops, .type = FIELD_INT, .is = FIELD_NEEDED,
             .high = 1000),
    FIELD_NUMBER_AT(struct calibration_octave, "efficiency", efficiency, 1),
    POINTS(struct calibration_octave),
    RMS(struct calibration_octave),
};

static const struct field product_fields[] = {
    DEVICE(struct calibration_product),
    FIELD_TEXT_AT(struct calibration_product, "run_id", run),
    TYPE(struct calibration_product),
    FIELD_NUMBER_AT(struct calibration_product, "peak_ops_per_s", peak, INFINITY),
    FIELD_NUMBER_AT(struct calibration_product, "pct_spec_peak", sheet_pct, INFINITY),
    POINTS(struct calibration_product),
};

static const struct field run_field[] = {
    FIELD_TEXT_AT(struct calibration, "run_id", run),
};

/* Its name in the file. */
static const char *rate_name(enum cal_term kind)
{
    return kind == CAL_RATE ? "ops_per_s" : "bytes_per_s";
}

static json_t *band_to_json(struct quantity q)
{
    json_t *json = q.known ? json_object() : json_null();

    if (q.known)
        fields_write(FIELDS(band_fields), &q, false, json);
    return json;
}

static json_t *term_to_json(const struct calibration_term *t)
{
    json_t *json = json_object();

    fields_write(FIELDS(term_fields), t, false, json);
    if (t->kind != CAL_LAUNCH)
        json_object_set_new(json, rate_name(t->kind), band_to_json(t->rate));
    if (t->kind != CAL_LAUNCH && t->kind != CAL_RATE)
        fields_write(FIELDS(sheet_fields), t, false, json);
    json_object_set_new(json, "overhead_s", band_to_json(t->overhead));
    fields_write(FIELDS(fit_fields), t, false, json);
    return json;
}

static json_t *product_to_json(const struct calibration_product *p)
{
    json_t *json = json_object(), *list = json_array();

    fields_write(FIELDS(product_fields), p, false, json);
    for (int i = 0; i < p->octave_count; i++) {
        json_t *one = json_object();

        fields_write(FIELDS(octave_fields), &p->octave[i], false, one);
        json_array_append_new(list, one);
    }
    json_object_set_new(json, "efficiency", list);
    return json;
}

json_t *calibration_to_json(const struct calibration *c)
{
    json_t *json = json_object(), *terms = json_array(), *products = json_array();

    for (int i = 0; i < c->terms; i++)
        json_array_append_new(terms, term_to_json(&c->term[i]));
    for (int i = 0; i < c->products; i++)
        json_array_append_new(products, product_to_json(&c->product[i]));
    if (c->run[0])
        json_object_set_new(json, "run_id", gp_json_text(c->run));
    json_object_set_new(json, "equation", json_string("time_s = overhead_s + work / rate"));
    json_object_set_new(json, "terms", terms);
    json_object_set_new(json, "products", products);
    return json;
}

static struct quantity read_band(struct reading *r, const json_t *json, const char *key)
{
    const json_t *band = json_object_get(json, key);
    struct quantity q = {
        .value = NAN, .low = 0, .high = INFINITY, .origin = ORIGIN_MEASURED, .known = true};

    if (!band || json_is_null(band))
        return quantity_unknown();
    if (!json_is_object(band))
        reading_refuse(r, key, "is not an object");
    fields_read(r, FIELDS(band_fields), band, &q);
    if (!(q.low <= q.value && q.value <= q.high))
        reading_refuse(r, key, "is not a band around its value");
    return q;
}

/* A type of a later version, not none. */
static bool is_later_type(const json_t *json, enum bench_type type)
{
    return type == TYPE_COUNT && json_is_string(json_object_get(json, "type"));
}

static void read_term(struct reading *r, const json_t *json, struct calibration *out)
{
    struct calibration_term t = {
        .kind = CAL_COUNT, .type = TYPE_COUNT, .sheet_pct = NAN, .rms = NAN};

    fields_read(r, FIELDS(term_fields), json, &t);
    fields_read(r, FIELDS(sheet_fields), json, &t);
    fields_read(r, FIELDS(fit_fields), json, &t);
    t.rate = read_band(r, json, rate_name(t.kind));
    t.overhead = read_band(r, json, "overhead_s");
    if (r->status || t.kind == CAL_NONE || t.kind == CAL_COUNT || is_later_type(json, t.type))
        return;
    if (!(t.kind == CAL_LAUNCH ? t.overhead.known : t.rate.known && t.rate.value > 0))
        reading_refuse(r, "", "has no figure");
    else
        *calibration_add_term(out) = t;
}

static void read_octaves(struct reading *r, const json_t *list, struct calibration_product *p)
{
    const json_t *json;
    size_t i;

    if (!json_is_array(list) || json_array_size(list) > CALIBRATION_OCTAVES) {
        reading_refuse(r, "efficiency", "is not a list, or too long");
        return;
    }
    json_array_foreach((json_t *)list, i, json)
    {
        struct calibration_octave *octave = &p->octave[p->octave_count++];

        octave->efficiency = octave->rms = NAN;
        fields_read(r, FIELDS(octave_fields), json, octave);
        if (isnan(octave->efficiency))
            reading_refuse(r, "efficiency", "is not a share of the peak");
    }
}

static void read_product(struct reading *r, const json_t *json, struct calibration *out)
{
    struct calibration_product p = {.type = TYPE_COUNT, .sheet_pct = NAN};

    fields_read(r, FIELDS(product_fields), json, &p);
    read_octaves(r, json_object_get(json, "efficiency"), &p);
    if (r->status || is_later_type(json, p.type))
        return;
    if (p.type == TYPE_COUNT || !(p.peak > 0))
        reading_refuse(r, p.type == TYPE_COUNT ? "type" : "peak_ops_per_s", "is missing");
    else
        *calibration_add_product(out) = p;
}

static void read_list(struct reading *r, const json_t *json, const char *key,
                      void (*read)(struct reading *, const json_t *, struct calibration *),
                      struct calibration *out)
{
    const json_t *list = json_object_get(json, key);

    gp_copy(r->at, sizeof(r->at), "calibration");
    if (!json_is_array(list) || json_array_size(list) > ENTRIES_MAX)
        reading_refuse(r, key, "is not a list, or too long");
    for (size_t i = 0; i < json_array_size(list) && !r->status; i++) {
        gp_format(r->at, sizeof(r->at), "calibration.%s[%zu]", key, i);
        if (json_is_object(json_array_get(list, i)))
            read(r, json_array_get(list, i), out);
        else
            reading_refuse(r, "", "is not an object");
    }
}

enum gp_status calibration_from_json(const char *where, const json_t *json, struct calibration *out,
                                     struct gp_err *err)
{
    struct reading r = {.where = where, .at = "calibration", .hint = BENCHLOG_HINT, .err = err};

    memset(out, 0, sizeof(*out));
    if (!json_is_object(json)) {
        reading_refuse(&r, "", "is not an object");
        return r.status;
    }
    fields_read(&r, FIELDS(run_field), json, out);
    read_list(&r, json, "terms", read_term, out);
    if (!r.status)
        read_list(&r, json, "products", read_product, out);
    if (r.status)
        calibration_fini(out);
    return r.status;
}
