/*
 * benchlog_calibration.c - what a run says about its device in a few numbers.
 *
 * Of each kind of work, the good points are fitted to one line, time = overhead + work
 * / rate (fit.h): the slope is the effective rate or bandwidth, the intercept what a
 * launch costs.
 *
 * Of a GPU, what an empty node of a graph and two events with nothing between them take
 * are terms without work: the median of what the points say.
 *
 * A line is too simple for products, whose rate also depends on how the shape fills the
 * device. So of each type there is the sustained peak, the best good rate of the run,
 * and a table: the median share of it that the products of each octave reach, 2^(k-1/2)
 * to 2^(k+1/2) operations, so that a square of side 2^j lies in the middle of its own.
 * Products at the pace of memory tell nothing of it and are left out: of one token, or
 * bound by memory and at half or more of what it allows. Worked: 2^31 operations
 * in 10.7 ms, 2^34 in 45 ms are 0.2 and 0.38 TFLOP/s, so octave 31 has 0.53 of the
 * peak.
 */
#include "measure/result/benchlog.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/json.h"
#include "base/mem.h"
#include "measure/point/point.h"
#include "measure/result/calibration.h"
#include "measure/result/fit.h"

#define PACE 0.5 /* of what memory allows: it sets the pace */

struct term { /* one kind of work on one device */
    enum cal_term kind;
    char of[48];
    enum bench_type type; /* TYPE_COUNT = of none */
};

/* ---- which points belong together ---- */

/* Not what was tuned, nor what else stands beside the heuristic's choice. */
static bool usable(const struct benchlog_point *p)
{
    return benchlog_good(p) && benchlog_main_variant(p->variant);
}

/* The term of a point; false when it tells nothing about one. */
static bool term_of(const struct benchlog_point *p, struct term *term)
{
    const struct test_row *row = p->test < TEST_COUNT ? &test_rows[p->test] : NULL;
    const struct point point = {.test = p->test,
                                .kind = p->kind,
                                .type = p->type,
                                .cache = p->hot ? CACHE_HOT : CACHE_COLD,
                                .n = (int64_t)fmin(p->n, 1e9),
                                .bytes = p->size,
                                .from = p->from,
                                .to = p->to};

    if (!usable(p) || !row || row->term == CAL_NONE)
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
    const struct benchlog_point *point;
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
    const struct benchlog_point *a = ((const struct group *)left)->member->point;
    const struct benchlog_point *b = ((const struct group *)right)->member->point;

    return (a > b) - (a < b);
}

/* Lets make() add what each group of like points says, in the order of their first. A file
 * may hold those of a thousand devices: sorted, not searched. */
static void each_group(const struct benchlog *log,
                       bool (*label)(const struct benchlog_point *, struct term *),
                       void (*make)(const struct benchlog *, const struct member *, int,
                                    struct calibration *),
                       struct calibration *out)
{
    struct member *member = gp_calloc((size_t)log->count + 1, sizeof *member);
    struct group *group = gp_calloc((size_t)log->count + 1, sizeof *group);
    int n = 0, groups = 0;

    for (int i = 0; i < log->count; i++)
        if (label(&log->point[i], &member[n].term))
            member[n++].point = &log->point[i];
    qsort(member, (size_t)n, sizeof *member, by_place);
    for (int i = 0; i < n; i++) {
        if (i == 0 || by_term(&member[i - 1], &member[i]) != 0)
            group[groups++].member = &member[i];
        group[groups - 1].n++;
    }
    qsort(group, (size_t)groups, sizeof *group, by_first);
    for (int i = 0; i < groups; i++)
        make(log, group[i].member, group[i].n, out);
    free(group);
    free(member);
}

/* Operations or bytes of one run of the point; 0 = unknown. */
static double work_of(const struct term *term, const struct benchlog_point *p)
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

static double per_cent(const struct benchlog_point *p, const char *key)
{
    return json_number_value(json_object_get(json_object_get(p->json, "rate"), key));
}

/* A rate in per cent of the sheet's, which the point tells by its own. */
static double of_sheet(double rate, double own, double pct)
{
    return own > 0 && pct > 0 ? rate / own * pct : NAN;
}

static struct quantity measured(double value, double low, double high)
{
    if (!isfinite(value))
        return quantity_unknown();
    return quantity_band(value, fmin(low, value), isfinite(high) ? fmax(value, high) : INFINITY,
                         ORIGIN_MEASURED);
}

/* Of a single point: the interval of its median. */
static void own_band(const struct benchlog_point *p, double work, struct line *line)
{
    line->low = work / p->high;
    line->high = work / p->low;
}

static void add_term(const struct benchlog *log, const struct benchlog_point *p,
                     const struct term *term, const struct line *line, int n,
                     struct calibration *out)
{
    struct calibration_term *t = calibration_add_term(out);

    t->device = log->device[p->device].id;
    run_of(log, p->device, t->run);
    t->kind = term->kind;
    gp_copy(t->of, sizeof(t->of), term->of);
    t->type = term->type;
    t->rate = measured(line->rate, line->low, line->high);
    t->overhead = measured(line->overhead, line->overhead_low, line->overhead_high);
    if (term->kind != CAL_RATE)
        t->sheet_pct = of_sheet(line->rate, p->bytes, per_cent(p, "pct_spec_bw"));
    t->n = n;
    t->rms = line->rms;
}

static void make_term(const struct benchlog *log, const struct member *member, int count,
                      struct calibration *out)
{
    double *work = gp_calloc((size_t)count, sizeof *work);
    double *time = gp_calloc((size_t)count, sizeof *time);
    const struct benchlog_point *last = NULL;
    const struct term *term = &member->term;
    struct line line;
    int n = 0;

    for (int i = 0; i < count; i++) {
        const struct benchlog_point *p = member[i].point;

        if (!(work_of(term, p) > 0))
            continue;
        last = p;
        work[n] = work_of(term, p);
        time[n++] = p->median;
    }
    if (n) {
        fit_line(work, time, n, &line);
        if (n == 1)
            own_band(last, work[0], &line);
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
    double *values = gp_calloc((size_t)log->count + 1, sizeof *values);

    for (size_t k = 0; k < sizeof floors / sizeof floors[0]; k++) {
        struct calibration_term *t;
        struct middle middle;
        int n = 0;

        for (int i = 0; i < log->count; i++) {
            const struct benchlog_point *p = &log->point[i];

            if (p->device == device && benchlog_good(p) && benchlog_param(p, floors[k].param) > 0)
                values[n++] = benchlog_param(p, floors[k].param);
        }
        if (!n)
            continue;
        middle = fit_middle(values, n);
        t = calibration_add_term(out);
        t->device = log->device[device].id;
        run_of(log, device, t->run);
        t->kind = CAL_LAUNCH;
        gp_copy(t->of, sizeof(t->of), floors[k].of);
        t->overhead = measured(middle.median, middle.low, middle.high);
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

static bool is_product(const struct benchlog_point *p, struct term *term)
{
    if (!usable(p) || !bench_test_is(p->test, TEST_IS_PRODUCT) || p->type == TYPE_COUNT ||
        !(p->ops * p->median >= 1) || p->n == 1 || (p->bound == ROOF_MEMORY && p->ratio >= PACE))
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
    double *share = gp_calloc((size_t)n, sizeof *share);
    struct middle middle;

    for (int i = 0; i < n; i++)
        share[i] = product[i].rate / peak;
    middle = fit_middle(share, n);
    free(share);
    return (struct calibration_octave){product[0].octave, middle.median, n, middle.rms};
}

static void add_octaves(struct product *product, int n, struct calibration_product *out)
{
    qsort(product, (size_t)n, sizeof *product, by_octave);
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
    struct product *product = gp_calloc((size_t)n, sizeof *product);
    struct calibration_product *made = calibration_add_product(out);
    const struct benchlog_point *best = member->point;

    for (int i = 0; i < n; i++) {
        const struct benchlog_point *p = member[i].point;

        product[i] = (struct product){(int)round(log2(p->ops * p->median)), p->ops};
        best = p->ops > best->ops ? p : best;
    }
    made->device = log->device[best->device].id;
    run_of(log, best->device, made->run);
    made->type = best->type;
    made->peak = best->ops;
    made->sheet_pct = of_sheet(best->ops, best->ops, per_cent(best, "pct_spec_peak"));
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
static json_t *excluded(const struct benchlog *log)
{
    json_t *list = json_array();

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];
        json_t *one;

        if (p->state != POINT_OK || benchlog_good(p))
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
    struct calibration calibration;
    json_t *json;

    benchlog_calibrate(log, &calibration);
    json = calibration_to_json(&calibration);
    calibration_fini(&calibration);
    json_object_set_new(json, "excluded", excluded(log));
    return json;
}
