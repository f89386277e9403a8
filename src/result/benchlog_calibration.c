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
#include "result/benchlog_get.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "result/fit.h"
#include "util/json.h"
#include "util/mem.h"

#define SMALL 65536.0
#define LARGE 4194304.0
#define PACE  0.5 /* of what memory allows: it sets the pace */

struct term {         /* one kind of work on one device */
    const char *kind; /* "rate", "bandwidth", "link", "allreduce", "launch" */
    char of[48];      /* "gemm", "weights", "read", "h2d-pinned", "plain/small" */
    const char *type; /* "bf16", or "" */
};

/* ---- which points belong together ---- */

/* "memory/read/64" -> "read" */
static void second_word(const char *id, char *text, size_t size)
{
    const char *from = strchr(id, '/');

    from = from ? from + 1 : "";
    gp_format(text, size, "%.*s", (int)strcspn(from, "/"), from);
}

/* "transfer/peer/0-1/64" -> "peer/0-1": every pair has a link of its own. */
static void name_pair(const char *id, const char *kind, char *text, size_t size)
{
    const char *from = strstr(id, kind);
    size_t word = strlen(kind) + 1;

    if (from && from[word - 1] == '/')
        gp_format(text, size, "%.*s", (int)(word + strcspn(from + word, "/")), from);
}

/* Not what was tuned, nor what else stands beside the heuristic's choice. */
static bool usable(const struct benchlog_point *p)
{
    return benchlog_good(p) && benchlog_main_variant(p->variant);
}

/* The term of a point; false when it tells nothing about one. */
static bool term_of(const struct benchlog_point *p, struct term *term)
{
    double bytes = benchlog_param(p, "bytes");
    char kind[24];

    memset(term, 0, sizeof *term);
    term->type = "";
    second_word(p->id, kind, sizeof kind);
    if (!usable(p))
        return false;
    gp_copy(term->of, sizeof term->of, kind);
    if (strcmp(p->test, "gemm") == 0) {
        gp_copy(term->of, sizeof term->of, "gemm");
        term->kind = "rate";
        term->type = p->type;
    } else if (strcmp(p->test, "batch") == 0 && benchlog_param(p, "n") == 1) {
        gp_copy(term->of, sizeof term->of, "weights");
        term->kind = "bandwidth";
        term->type = p->type;
    } else if (strcmp(p->test, "memory") == 0) {
        term->kind = "bandwidth";
    } else if (strcmp(p->test, "transfer") == 0) {
        term->kind = "link";
        if (strncmp(kind, "peer", 4) == 0)
            name_pair(p->id, kind, term->of, sizeof term->of);
    } else if (strcmp(p->test, "allreduce") == 0) {
        term->kind = "allreduce";
        term->type = p->type;
        gp_format(term->of, sizeof term->of, "%s/%s", benchlog_param_text(p, "kind"),
                  bytes <= SMALL   ? "small"
                  : bytes >= LARGE ? "large"
                                   : "medium");
    }
    return term->kind;
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
        order = strcmp(a->term.kind, b->term.kind);
    if (!order)
        order = strcmp(a->term.of, b->term.of);
    return order ? order : strcmp(a->term.type, b->term.type);
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

/* What make() says of each group of like points, in the order of their first; NULL is
 * nothing. A file may hold those of a thousand devices: sorted, not searched. */
static void each_group(const struct benchlog *log,
                       bool (*label)(const struct benchlog_point *, struct term *),
                       json_t *(*make)(const struct benchlog *, const struct member *,
                                       int),
                       json_t *list)
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
    for (int i = 0; i < groups; i++) {
        json_t *one = make(log, group[i].member, group[i].n);

        if (one)
            json_array_append_new(list, one);
    }
    free(group);
    free(member);
}

/* Operations or bytes of one run of the point; 0 = unknown. */
static double work_of(const struct term *term, const struct benchlog_point *p)
{
    return p->median * (strcmp(term->kind, "rate") == 0 ? p->ops : p->bytes);
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

/* Of a merged file, the run that the device was measured in. */
static json_t *run_of(const struct benchlog *log, int device)
{
    const json_t *list = json_object_get(log->json, "devices");
    const json_t *run = json_object_get(json_array_get(list, (size_t)device), "run_id");

    if (!run)
        run = json_object_get(log->json, "run_id");
    return json_is_string(run) ? json_incref((json_t *)run) : json_null();
}

/* What every entry begins with. */
static json_t *entry_of(const struct benchlog *log, int device)
{
    json_t *json = json_object();

    json_object_set_new(json, "device", json_integer(log->device[device].id));
    json_object_set_new(json, "run_id", run_of(log, device));
    return json;
}

static double per_cent(const struct benchlog_point *p, const char *key)
{
    return json_number_value(json_object_get(json_object_get(p->json, "rate"), key));
}

/* A rate in per cent of the sheet's, which point p tells by its own; or null. */
static json_t *of_sheet(double rate, double own, double pct)
{
    return own > 0 && pct > 0 ? gp_json_number(rate / own * pct) : json_null();
}

static json_t *term_json(const struct benchlog *log, const struct benchlog_point *p,
                         const struct term *term, const struct line *line, int n)
{
    bool rate = strcmp(term->kind, "rate") == 0;
    json_t *json = entry_of(log, p->device);

    json_object_set_new(json, "kind", json_string(term->kind));
    json_object_set_new(json, "of", gp_json_text(term->of));
    json_object_set_new(json, "type",
                        *term->type ? gp_json_text(term->type) : json_null());
    json_object_set_new(json, rate ? "ops_per_s" : "bytes_per_s",
                        band(line->rate, line->low, line->high));
    if (!rate)
        json_object_set_new(json, "pct_spec_bw",
                            of_sheet(line->rate, p->bytes, per_cent(p, "pct_spec_bw")));
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

static json_t *make_term(const struct benchlog *log, const struct member *member,
                         int count)
{
    double *work = gp_calloc((size_t)count, sizeof *work);
    double *time = gp_calloc((size_t)count, sizeof *time);
    const struct benchlog_point *last = NULL;
    const struct term *term = &member->term;
    struct line line;
    json_t *json = NULL;
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
        json = term_json(log, last, term, &line, n);
    }
    free(work);
    free(time);
    return json;
}

/* ---- what nothing at all takes ---- */

static json_t *floor_json(const struct benchlog *log, int device, const char *of,
                          struct middle middle, int n)
{
    json_t *json = entry_of(log, device);

    json_object_set_new(json, "kind", json_string("launch"));
    json_object_set_new(json, "of", json_string(of));
    json_object_set_new(json, "type", json_null());
    json_object_set_new(json, "overhead_s",
                        band(middle.median, middle.low, middle.high));
    json_object_set_new(json, "n", json_integer(n));
    json_object_set_new(json, "rms_pct", gp_json_number(100 * middle.rms));
    return json;
}

static void add_floors(const struct benchlog *log, int device, json_t *terms)
{
    static const struct {
        const char *param, *of;
    } floors[] = {{"node_floor_s", "node"}, {"event_floor_s", "events"}};
    double *values = gp_calloc((size_t)log->count + 1, sizeof *values);

    for (size_t k = 0; k < sizeof floors / sizeof floors[0]; k++) {
        int n = 0;

        for (int i = 0; i < log->count; i++) {
            const struct benchlog_point *p = &log->point[i];

            if (p->device == device && benchlog_good(p) &&
                benchlog_param(p, floors[k].param) > 0)
                values[n++] = benchlog_param(p, floors[k].param);
        }
        if (n)
            json_array_append_new(
                terms, floor_json(log, device, floors[k].of, fit_middle(values, n), n));
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
    if (!usable(p) || !(p->ops > 0) ||
        (strcmp(p->test, "gemm") != 0 && strcmp(p->test, "batch") != 0) ||
        benchlog_param(p, "n") == 1 ||
        (strcmp(p->bound, "memory") == 0 && p->ratio >= PACE))
        return false;
    *term = (struct term){.kind = "rate", .type = p->type};
    return true;
}

static int by_octave(const void *a, const void *b)
{
    const struct product *x = a, *y = b;

    return (x->octave > y->octave) - (x->octave < y->octave);
}

static json_t *octave_json(const struct product *product, int n, double peak)
{
    double *share = gp_calloc((size_t)n, sizeof *share);
    struct middle middle;
    json_t *json = json_object();

    for (int i = 0; i < n; i++)
        share[i] = product[i].rate / peak;
    middle = fit_middle(share, n);
    free(share);
    json_object_set_new(json, "log2_ops", json_integer(product[0].octave));
    json_object_set_new(json, "efficiency", gp_json_number(middle.median));
    json_object_set_new(json, "n", json_integer(n));
    json_object_set_new(json, "rms_pct", gp_json_number(100 * middle.rms));
    return json;
}

static json_t *octaves(struct product *product, int n, double peak)
{
    json_t *list = json_array();

    qsort(product, (size_t)n, sizeof *product, by_octave);
    for (int i = 0, end; i < n; i = end) {
        for (end = i + 1; end < n && product[end].octave == product[i].octave; end++)
            ;
        json_array_append_new(list, octave_json(product + i, end - i, peak));
    }
    return list;
}

static json_t *make_products(const struct benchlog *log, const struct member *member,
                             int n)
{
    struct product *product = gp_calloc((size_t)n, sizeof *product);
    const struct benchlog_point *best = member->point;
    json_t *json = entry_of(log, best->device);

    for (int i = 0; i < n; i++) {
        const struct benchlog_point *p = member[i].point;

        product[i] = (struct product){(int)round(log2(p->ops * p->median)), p->ops};
        best = p->ops > best->ops ? p : best;
    }
    json_object_set_new(json, "type", gp_json_text(best->type));
    json_object_set_new(json, "peak_ops_per_s", gp_json_number(best->ops));
    json_object_set_new(
        json, "pct_spec_peak",
        of_sheet(best->ops, best->ops, per_cent(best, "pct_spec_peak")));
    json_object_set_new(json, "n", json_integer(n));
    json_object_set_new(json, "efficiency", octaves(product, n, best->ops));
    free(product);
    return json;
}

/* ---- all of it ---- */

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
    json_t *json = json_object(), *terms = json_array(), *products = json_array();

    each_group(log, term_of, make_term, terms);
    each_group(log, is_product, make_products, products);
    for (int d = 0; d < log->device_count; d++)
        add_floors(log, d, terms);
    json_object_set(json, "run_id", json_object_get(log->json, "run_id"));
    json_object_set_new(json, "equation",
                        json_string("time_s = overhead_s + work / rate"));
    json_object_set_new(json, "terms", terms);
    json_object_set_new(json, "products", products);
    json_object_set_new(json, "excluded", excluded(log));
    return json;
}
