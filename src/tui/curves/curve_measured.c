/*
 * curve_measured.c - points of a result file: matrix products over the roofline of the
 * device they were measured on, and the batch sweep beside what was predicted.
 *
 * The roof is the sheet's where the file names a GPU of the catalogue. Elsewhere it is
 * the best read bandwidth that the file itself measured, and there is no arithmetic
 * roof. Points that are flagged (benchlog_good) are drawn as a series of their own and
 * said to be; those that failed are left out, and counted in words. Of several
 * algorithms for one product the fastest is shown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/roofline.h"
#include "point/point.h"
#include "result/benchlog.h"
#include "tui/curves/curves.h"
#include "util/str.h"
#include "util/units.h"

#define SETS 64

/* What is shown of a file at a time. */
struct set {
    int device;
    enum bench_type type; /* TYPE_COUNT for gemm: all of them */
    const char *model;
    double tp;
};

/* A line of it in words: how many points, how many of them flagged, how many not shown.
 */
struct counted {
    int shown, flagged, left_out;
};

static bool same_set(const struct set *a, const struct set *b)
{
    return a->device == b->device && a->type == b->type &&
           strcmp(a->model, b->model) == 0 && a->tp == b->tp;
}

static struct set set_of(const struct benchlog_point *p)
{
    struct set s = {p->device, TYPE_COUNT, "", 0};

    if (p->test == TEST_BATCH) {
        s.type = p->type;
        s.model = benchlog_param_text(p, "model");
        s.tp = benchlog_param(p, "tp");
    }
    return s;
}

static int find_sets(const struct benchlog *log, enum bench_test test, struct set *out)
{
    int count = 0;

    for (int i = 0; i < log->count && count < SETS; i++) {
        struct set s = set_of(&log->point[i]);
        int k = 0;

        if (log->point[i].test != test)
            continue;
        while (k < count && !same_set(&out[k], &s))
            k++;
        if (k == count)
            out[count++] = s;
    }
    return count;
}

/* The set to be shown; false: the file has none, and words say so. */
static bool choose_set(struct curves *c, enum bench_test test, struct set *out)
{
    struct set sets[SETS];

    c->sets = find_sets(&c->log, test, sets);
    if (c->sets == 0) {
        gp_format(c->words, sizeof c->words,
                  "this result has no points of %s (gpuplan --bench %s)",
                  bench_test_word(test), bench_test_word(test));
        return false;
    }
    c->set = ((c->set % c->sets) + c->sets) % c->sets;
    *out = sets[c->set];
    return true;
}

/* ---- the roof of a device ---- */

static bool gpu_of(struct curves *c, struct form *form, int device, struct gpu *out)
{
    char id[96];
    char *slash;
    const struct gpu *gpu;

    gp_copy(id, sizeof id, benchlog_device_text(&c->log, device, "profile"));
    slash = strchr(id, '/');
    if (slash)
        *slash++ = '\0';
    if (!id[0] || strchr(id, '.') == id ||
        catalog_gpu(planner_catalog(form->planner), id, &gpu, NULL))
        return false;
    if (slash)
        return gpu_slice_of(gpu, slash, out, NULL) == GP_OK;
    *out = *gpu;
    return true;
}

static double best_read(const struct benchlog *log, int device)
{
    double best = 0;

    for (int i = 0; i < log->count; i++) {
        const struct benchlog_point *p = &log->point[i];

        if (p->device == device && benchlog_good(p) && p->kind == KIND_READ &&
            !p->hot)
            best = fmax(best, p->bytes);
    }
    return best;
}

static void roof_line(struct curves *c, const struct gpu *gpu, double read,
                      enum bench_type type, int i, double unit)
{
    double low = c->plot.x.low, high = c->plot.x.high, rate = 0, bandwidth = read;
    struct plot_series *s;
    char name[64];

    if (gpu) {
        struct roof roof = roof_of_type(gpu, type);

        rate = roof.rate.known ? roof.rate.value : 0;
        bandwidth = roof.bandwidth.known ? roof.bandwidth.value : 0;
    }
    if (rate <= 0 && bandwidth <= 0)
        return;
    gp_format(name, sizeof name, "%s %s", bench_type_word(type),
              gpu ? "sheet" : "read bandwidth");
    s = plot_add(&c->plot, name, INK_DIM, 0);
    if (!s)
        return;
    s->label = (char)('a' + i);
    rate = rate > 0 ? rate : INFINITY;
    bandwidth = bandwidth > 0 ? bandwidth : INFINITY;
    plot_point(s, low, fmin(rate, low * bandwidth) / unit);
    if (rate / bandwidth > low && rate / bandwidth < high)
        plot_point(s, rate / bandwidth, rate / unit);
    plot_point(s, high, fmin(rate, high * bandwidth) / unit);
}

/* ---- matrix products ---- */

static bool shown(const struct benchlog_point *p, const struct set *set,
                  enum bench_test test)
{
    struct set own = set_of(p);

    return p->test == test && same_set(&own, set) && p->state == POINT_OK &&
           (!p->check_done || p->check_ok) && p->ops > 0;
}

/* Flagged, and no other algorithm for the same product was measured undisturbed. */
static bool only_flagged(const struct benchlog *log, const struct benchlog_point *p)
{
    for (int i = 0; i < log->count; i++)
        if (log->point[i].device == p->device && benchlog_good(&log->point[i]) &&
            strcmp(log->point[i].id, p->id) == 0)
            return false;
    return !benchlog_good(p);
}

/* Puts a point in, or in the place of a slower one of the same id. */
static void point_put(struct curves *c, int series, int at, double x, double y)
{
    struct plot_series *s = &c->plot.series[series];

    for (int i = 0; i < s->count; i++) {
        if (strcmp(c->log.point[c->source[series][i]].id, c->log.point[at].id) != 0)
            continue;
        if (y > s->y[i]) {
            s->y[i] = y;
            c->source[series][i] = at;
        }
        return;
    }
    if (s->count == PLOT_POINTS)
        return;
    c->source[series][s->count] = at;
    plot_point(s, x, y);
}

/* A series without a point is none. */
static void drop_empty(struct curves *c, int series)
{
    if (c->plot.series[series].count == 0)
        c->plot.count = series;
}

static struct counted count_points(const struct curves *c, const struct set *set,
                                   enum bench_test test)
{
    struct counted n = {0, 0, 0};

    for (int i = 0; i < c->log.count; i++) {
        struct set own = set_of(&c->log.point[i]);

        if (c->log.point[i].test != test || !same_set(&own, set))
            continue;
        if (!shown(&c->log.point[i], set, test)) {
            n.left_out++;
            continue;
        }
        n.shown++;
        n.flagged += !benchlog_good(&c->log.point[i]);
    }
    return n;
}

struct extent {
    double x_low, x_high, y_low, y_high;
};

/* A parameter, or, without its name, the arithmetic intensity. */
static double x_of(const struct benchlog_point *p, const char *name)
{
    return name ? benchlog_param(p, name) : p->bytes > 0 ? p->ops / p->bytes : 0;
}

static struct extent extent_of(const struct curves *c, const struct set *set,
                               enum bench_test test, const char *x_name)
{
    struct extent e = {INFINITY, 0, INFINITY, 0};

    for (int i = 0; i < c->log.count; i++) {
        const struct benchlog_point *p = &c->log.point[i];
        double x = x_of(p, x_name);

        if (!shown(p, set, test) || x <= 0)
            continue;
        e.x_low = fmin(e.x_low, x);
        e.x_high = fmax(e.x_high, x);
        e.y_low = fmin(e.y_low, p->ops);
        e.y_high = fmax(e.y_high, p->ops);
    }
    return e;
}

static const char *rate_unit(double *unit, double most)
{
    *unit = most < 1e12 ? 1e9 : 1e12;
    return most < 1e12 ? "GFLOP/s" : "TFLOP/s";
}

static void rate_axis(struct curves *c, double low, double high, double unit,
                      const char *name)
{
    c->plot.y = (struct plot_axis){.low = curve_floor2(low / unit),
                                   .high = curve_ceil2(high * 1.1 / unit),
                                   .log = true,
                                   .base = 2,
                                   .unit = name,
                                   .title = name};
}

static void say_set(struct curves *c, const struct set *set, enum bench_test test,
                    const char *roof)
{
    const struct benchlog_device *d = &c->log.device[set->device];
    struct counted n = count_points(c, set, test);
    char which[48] = "", flagged[48] = "", left[48] = "";

    if (c->sets > 1)
        gp_format(which, sizeof which, "; %d of %d, j and k: next", c->set + 1,
                  c->sets);
    if (n.left_out > 0)
        gp_format(left, sizeof left, ", %d without a figure left out", n.left_out);
    if (n.flagged > 0)
        gp_format(flagged, sizeof flagged, ", %d of them flagged (!)", n.flagged);
    gp_format(c->words, sizeof c->words,
              "%s, measured %.10s on %s: %d point%s%s%s; %s%s", d->name, c->log.started,
              d->host, n.shown, n.shown == 1 ? "" : "s", flagged, left, roof, which);
}

/* What was measured on a disturbed machine: worth a look, not to be relied on. */
static void flagged_points(struct curves *c, const struct set *set, enum bench_test test,
                           const char *x_name, double unit)
{
    int series = c->plot.count;

    if (count_points(c, set, test).flagged == 0 ||
        !plot_add(&c->plot, "flagged", INK_WARN, '!'))
        return;
    for (int i = 0; i < c->log.count; i++) {
        const struct benchlog_point *p = &c->log.point[i];
        double x = x_of(p, x_name);

        if (shown(p, set, test) && x > 0 && only_flagged(&c->log, p))
            point_put(c, series, i, x, p->ops / unit);
    }
    drop_empty(c, series);
}

/* Types in the order of the file. */
static int types_of(const struct curves *c, const struct set *set, enum bench_type *out)
{
    int count = 0;

    for (int i = 0; i < c->log.count && count < PLOT_SERIES / 2; i++) {
        int k = 0;

        if (!shown(&c->log.point[i], set, TEST_GEMM))
            continue;
        while (k < count && out[k] != c->log.point[i].type)
            k++;
        if (k == count && c->log.point[i].type < TYPE_COUNT)
            out[count++] = c->log.point[i].type;
    }
    return count;
}

static void gemm_points(struct curves *c, const struct set *set, enum bench_type type,
                        int i, double unit)
{
    int series = c->plot.count;
    char name[64];

    gp_format(name, sizeof name, "%s measured", bench_type_word(type));
    if (!plot_add(&c->plot, name, curve_ink(i), (char)('1' + i)))
        return;
    for (int k = 0; k < c->log.count; k++) {
        const struct benchlog_point *p = &c->log.point[k];

        if (shown(p, set, TEST_GEMM) && p->type == type && p->bytes > 0 &&
            benchlog_good(p))
            point_put(c, series, k, p->ops / p->bytes, p->ops / unit);
    }
    drop_empty(c, series);
}

/* As high as the roofs of the types that were measured. */
static double highest(const struct gpu *gpu, const enum bench_type *types, int count,
                      double most)
{
    for (int i = 0; i < count && gpu; i++) {
        struct quantity rate = roof_of_type(gpu, types[i]).rate;

        if (rate.known)
            most = fmax(most, rate.value);
    }
    return most;
}

void curve_fill_gemm(struct curves *c, struct form *form)
{
    enum bench_type types[PLOT_SERIES];
    const char *unit_text;
    struct set set;
    struct gpu gpu;
    struct extent e;
    double unit, read, most;
    bool sheet;
    int count;

    if (!choose_set(c, TEST_GEMM, &set))
        return;
    sheet = gpu_of(c, form, set.device, &gpu);
    read = sheet ? 0 : best_read(&c->log, set.device);
    e = extent_of(c, &set, TEST_GEMM, NULL);
    say_set(c, &set, TEST_GEMM,
            sheet      ? "roof: the sheet"
            : read > 0 ? "roof: the read bandwidth measured with it"
                       : "no roof known");
    if (!(e.x_high > 0))
        return;
    count = types_of(c, &set, types);
    most = highest(sheet ? &gpu : NULL, types, count, e.y_high);
    unit_text = rate_unit(&unit, most);
    c->plot.x = (struct plot_axis){
        .log = true, .base = 2, .title = "intensity, FLOP per byte of memory (log2)"};
    curve_range(c, curve_floor2(e.x_low), curve_ceil2(e.x_high * 1.01));
    rate_axis(c, e.y_low / 2, most, unit, unit_text);
    for (int i = 0; i < count; i++)
        roof_line(c, sheet ? &gpu : NULL, read, types[i], i, unit);
    for (int i = 0; i < count; i++)
        gemm_points(c, &set, types[i], i, unit);
    flagged_points(c, &set, TEST_GEMM, NULL, unit);
    c->start = e.x_high;
}

/* ---- batch sweep ---- */

static int layers_of(const struct curves *c, const struct set *set, const char **out)
{
    int count = 0;

    for (int i = 0; i < c->log.count && count < PLOT_SERIES / 2; i++) {
        const char *layer;
        int k = 0;

        if (!shown(&c->log.point[i], set, TEST_BATCH))
            continue;
        layer = benchlog_param_text(&c->log.point[i], "layer");
        while (k < count && strcmp(out[k], layer) != 0)
            k++;
        if (k == count)
            out[count++] = layer;
    }
    return count;
}

static int by_x(const void *a, const void *b)
{
    const double *p = a, *q = b;

    return (p[0] > q[0]) - (p[0] < q[0]);
}

static bool of_layer(const struct benchlog_point *p, const struct set *set,
                     const char *layer)
{
    return shown(p, set, TEST_BATCH) && benchlog_param(p, "n") > 0 &&
           strcmp(benchlog_param_text(p, "layer"), layer) == 0;
}

/* What the file's own prediction makes of the rate, over the points that are shown. */
static void predicted_line(struct curves *c, const struct set *set, const char *layer,
                           int i, double unit)
{
    double pair[PLOT_POINTS][2];
    struct plot_series *s;
    char name[64];
    int count = 0;

    for (int k = 0; k < c->log.count && count < PLOT_POINTS; k++) {
        const struct benchlog_point *p = &c->log.point[k];
        double x = benchlog_param(p, "n");
        bool again = false;

        for (int j = 0; j < count; j++)
            again = again || pair[j][0] == x; /* another algorithm */
        if (!of_layer(p, set, layer) || again || p->predicted <= 0 || p->median <= 0)
            continue;
        pair[count][0] = x;
        pair[count++][1] = p->ops * p->median / p->predicted / unit;
    }
    qsort(pair, (size_t)count, sizeof pair[0], by_x);
    gp_format(name, sizeof name, "%s predicted", layer);
    s = count > 0 ? plot_add(&c->plot, name, curve_ink(i), 0) : NULL;
    if (!s)
        return;
    s->label = (char)('a' + i);
    for (int k = 0; k < count; k++)
        plot_point(s, pair[k][0], pair[k][1]);
}

static void batch_points(struct curves *c, const struct set *set, const char *layer,
                         int i, double unit)
{
    int series = c->plot.count;
    char name[64];

    gp_format(name, sizeof name, "%s measured", layer);
    if (!plot_add(&c->plot, name, curve_ink(i), (char)('1' + i)))
        return;
    for (int k = 0; k < c->log.count; k++) {
        const struct benchlog_point *p = &c->log.point[k];

        if (of_layer(p, set, layer) && benchlog_good(p))
            point_put(c, series, k, benchlog_param(p, "n"), p->ops / unit);
    }
    drop_empty(c, series);
    predicted_line(c, set, layer, i, unit);
}

/* The predictions may lie above what was measured. */
static double most_predicted(const struct curves *c, const struct set *set, double most)
{
    for (int i = 0; i < c->log.count; i++) {
        const struct benchlog_point *p = &c->log.point[i];

        if (shown(p, set, TEST_BATCH) && p->predicted > 0)
            most = fmax(most, p->ops * p->median / p->predicted);
    }
    return most;
}

void curve_fill_batch(struct curves *c, struct form *form)
{
    const char *layers[PLOT_SERIES], *unit_text;
    struct set set;
    struct extent e;
    char what[120];
    double unit, most;
    int count;

    (void)form;
    if (!choose_set(c, TEST_BATCH, &set))
        return;
    gp_format(what, sizeof what, "%s %s%s, TP %.0f", set.model, bench_type_word(set.type),
              set.model[0] ? "" : " layers", set.tp);
    say_set(c, &set, TEST_BATCH, what);
    e = extent_of(c, &set, TEST_BATCH, "n");
    if (!(e.x_high > 0))
        return;
    most = most_predicted(c, &set, e.y_high);
    unit_text = rate_unit(&unit, most);
    c->plot.x = (struct plot_axis){
        .log = true, .base = 2, .title = "batch: tokens at once (log2)"};
    curve_range(c, e.x_low, fmax(e.x_high, 2 * e.x_low));
    rate_axis(c, e.y_low, most, unit, unit_text);
    count = layers_of(c, &set, layers);
    for (int i = 0; i < count; i++)
        batch_points(c, &set, layers[i], i, unit);
    flagged_points(c, &set, TEST_BATCH, "n", unit);
    c->start = e.x_low;
}

/* ---- reading ---- */

/* "down: contended" */
static char *flagged_name(const struct benchlog_point *p, char *text, size_t size)
{
    const char *layer = benchlog_param_text(p, "layer"), *word = "flagged";
    const json_t *flag;
    size_t i;

    json_array_foreach(p->flags, i,
                       flag) if (line_flag_disturbs(json_string_value(flag))) word =
        json_string_value(flag);
    gp_format(text, size, "%s: %s", layer[0] ? layer : p->type_word, word);
    return text;
}

static void say_point(struct curves *c, int series, const char *unit, double x)
{
    const struct plot_series *s = &c->plot.series[series];
    int i = curve_nearest(&c->plot, s, x);
    const struct benchlog_point *p;
    char name[64];

    if (i < 0)
        return;
    p = &c->log.point[c->source[series][i]];
    if (s->mark == '!')
        curve_say(c, s->mark, s->ink, flagged_name(p, name, sizeof name), "%s %s",
                  UNITS_PLAIN(s->y[i], 4), unit);
    else if (p->ratio > 0)
        curve_say(c, s->mark, s->ink, s->name, "%s %s, %.0f %%",
                  UNITS_PLAIN(s->y[i], 4), unit, 100 * p->ratio);
    else
        curve_say(c, s->mark, s->ink, s->name, "%s %s", UNITS_PLAIN(s->y[i], 4), unit);
    curve_more(c, "%.0fx%.0fx%.0f", benchlog_param(p, "m"), benchlog_param(p, "n"),
               benchlog_param(p, "k"));
}

void curve_read_measured(struct curves *c, const struct form *form, double x)
{
    const char *unit = plot_unit(&c->plot.y);
    char tokens[32];

    (void)form;
    if (c->curve == CURVE_BATCH)
        gp_format(c->at, sizeof c->at, "%s token%s; %% of what was predicted",
                  units_tokens(tokens, sizeof tokens, x), x == 1 ? "" : "s");
    else
        gp_format(c->at, sizeof c->at, "%s FLOP/B; %% of what was predicted",
                  UNITS_PLAIN(x, 4));
    for (int i = 0; i < c->plot.count; i++) {
        const struct plot_series *s = &c->plot.series[i];
        double y = s->mark ? NAN : plot_read(&c->plot, s, x);

        if (s->mark)
            say_point(c, i, unit, x);
        else if (isfinite(y))
            curve_say(c, s->label, s->ink, s->name, "%s %s", UNITS_PLAIN(y, 4), unit);
    }
}
