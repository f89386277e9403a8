/*
 * curve_measured.c - points of a result file: matrix products over the roofline of the
 * device they were measured on, and the batch sweep beside what was predicted.
 *
 * The roof is the sheet's where the file names a GPU of the catalogue. Elsewhere it is
 * the best read bandwidth that the file itself measured, and there is no arithmetic
 * roof. Points that are flagged (result_good) are drawn as a series of their own and
 * said to be; those that failed are left out, and counted in words. Of several
 * algorithms for one product the fastest is shown.
 */
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "measure/point/point.h"
#include "measure/result/benchlog.h"
#include "plan/roofline.h"
#include "tui/curves/curves.h"

#define SETS 64

/* What is shown of a file at a time. */
struct set {
    enum bench_test test;
    int device;
    enum bench_type type; /* TYPE_COUNT for gemm: all of them */
    const char *model;
    double tp;
};

/* What its points come to. */
struct summary {
    int shown, flagged, left_out;        /* flagged: of those shown */
    double x_low, x_high, y_low, y_high; /* of those shown; x_high 0: none has an x */
    double predicted;                    /* the highest rate that was */
};

static bool same_set(const struct set *a, const struct set *b)
{
    return a->test == b->test && a->device == b->device && a->type == b->type &&
           strcmp(a->model, b->model) == 0 && a->tp == b->tp;
}

static struct set set_of(const struct point_result *p)
{
    struct set s = {p->test, p->device, TYPE_COUNT, "", 0};

    if (bench_test_is(p->test, TEST_IS_LAYER)) {
        s.type = p->type;
        s.model = result_param_text(p, "model");
        s.tp = result_param(p, "tp");
    }
    return s;
}

static bool in_set(const struct point_result *p, const struct set *set)
{
    struct set own = set_of(p);

    return same_set(&own, set);
}

static int find_sets(const struct benchlog *log, enum bench_test test, struct set *out)
{
    int count = 0;

    for (int i = 0; i < log->count && count < SETS; i++) {
        int k = 0;

        while (k < count && !in_set(&log->point[i], &out[k]))
            k++;
        if (k == count && log->point[i].test == test)
            out[count++] = set_of(&log->point[i]);
    }
    return count;
}

/* The set to be shown; false: the file has none, and words say so. */
static bool choose_set(struct curves *c, enum bench_test test, struct set *out)
{
    struct set sets[SETS];

    c->sets = find_sets(&c->log, test, sets);
    if (c->sets == 0) {
        gp_format(c->words, sizeof(c->words),
                  "this result has no points of %s (gpuplan --bench %s)", bench_test_word(test),
                  bench_test_word(test));
        return false;
    }
    c->set = ((c->set % c->sets) + c->sets) % c->sets;
    *out = sets[c->set];
    return true;
}

/* ---- its points ---- */

static bool shown(const struct point_result *p, const struct set *set)
{
    return in_set(p, set) && p->state == POINT_OK && (!p->checked || p->correct) && p->ops > 0;
}

/* Tokens at once, or the arithmetic intensity; 0: it has none. */
static double x_of(const struct point_result *p)
{
    return bench_test_is(p->test, TEST_IS_LAYER) ? p->n : p->bytes > 0 ? p->ops / p->bytes : 0;
}

/* What has a series of its own: the layer, or the type; NULL: nothing. */
static const char *group_of(const struct point_result *p)
{
    return bench_test_is(p->test, TEST_IS_LAYER) ? result_param_text(p, "layer")
           : p->type < TYPE_COUNT                ? bench_type_word(p->type)
                                                 : NULL;
}

static bool in_group(const struct point_result *p, const struct set *set, const char *group)
{
    return shown(p, set) && x_of(p) > 0 && group_of(p) && strcmp(group_of(p), group) == 0;
}

/* Groups in the order of the file. */
static int groups_of(const struct curves *c, const struct set *set, const char **out)
{
    int count = 0;

    for (int i = 0; i < c->log.count && count < PLOT_SERIES / 2; i++) {
        const char *group = group_of(&c->log.point[i]);
        int k = 0;

        if (!group || !shown(&c->log.point[i], set))
            continue;
        while (k < count && strcmp(out[k], group) != 0)
            k++;
        if (k == count)
            out[count++] = group;
    }
    return count;
}

/* Flagged, and no other algorithm for the same product was measured undisturbed. */
static bool only_flagged(const struct benchlog *log, const struct point_result *p)
{
    for (int i = 0; i < log->count; i++)
        if (log->point[i].device == p->device && result_good(&log->point[i]) &&
            strcmp(log->point[i].id, p->id) == 0)
            return false;
    return !result_good(p);
}

static struct summary summary_of(const struct curves *c, const struct set *set)
{
    struct summary s = {.x_low = INFINITY, .y_low = INFINITY};

    for (int i = 0; i < c->log.count; i++) {
        const struct point_result *p = &c->log.point[i];
        double x = x_of(p);

        if (!shown(p, set)) {
            s.left_out += in_set(p, set);
            continue;
        }
        s.shown++;
        s.flagged += !result_good(p);
        if (p->predicted > 0)
            s.predicted = fmax(s.predicted, p->ops * p->median / p->predicted);
        if (x <= 0)
            continue;
        s.x_low = fmin(s.x_low, x);
        s.x_high = fmax(s.x_high, x);
        s.y_low = fmin(s.y_low, p->ops);
        s.y_high = fmax(s.y_high, p->ops);
    }
    return s;
}

/* ---- series ---- */

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

/* The good points of the i-th group; without a group those of all groups that were only
 * measured on a disturbed machine: worth a look, not to be relied on. */
static void add_marks(struct curves *c, const struct set *set, const char *group, int i,
                      double unit)
{
    int series = c->plot.count;
    char name[64] = "flagged";

    if (group)
        gp_format(name, sizeof(name), "%s measured", group);
    if (!plot_add(&c->plot, name, group ? plot_role(i) : PLOT_WARN, group ? (char)('1' + i) : '!'))
        return;
    for (int k = 0; k < c->log.count; k++) {
        const struct point_result *p = &c->log.point[k];

        if (group ? in_group(p, set, group) && result_good(p)
                  : shown(p, set) && x_of(p) > 0 && only_flagged(&c->log, p))
            point_put(c, series, k, x_of(p), p->ops / unit);
    }
    if (c->plot.series[series].count == 0) /* without a point it is none */
        c->plot.count = series;
}

static void say_set(struct curves *c, const struct set *set, const struct summary *n,
                    const char *what)
{
    const struct benchlog_device *d = &c->log.device[set->device];
    char which[48] = "", flagged[48] = "", left[48] = "";

    if (c->sets > 1)
        gp_format(which, sizeof(which), "; %d of %d, j and k: next", c->set + 1, c->sets);
    if (n->left_out > 0)
        gp_format(left, sizeof(left), ", %d without a figure left out", n->left_out);
    if (n->flagged > 0)
        gp_format(flagged, sizeof(flagged), ", %d of them flagged (!)", n->flagged);
    gp_format(c->words, sizeof(c->words), "%s, measured %.10s on %s: %d point%s%s%s; %s%s", d->name,
              c->log.started, d->host, n->shown, n->shown == 1 ? "" : "s", flagged, left, what,
              which);
}

/* ---- matrix products ---- */

static bool gpu_of(struct curves *c, struct form *form, int device, struct gpu *out)
{
    char id[96];
    char *slash;
    const struct gpu *gpu;

    gp_copy(id, sizeof(id), benchlog_device_text(&c->log, device, "profile"));
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
        const struct point_result *p = &log->point[i];

        if (p->device == device && result_good(p) && p->kind == KIND_READ && !p->hot)
            best = fmax(best, p->bytes);
    }
    return best;
}

/* As high as the roofs of the types that were measured. */
static double highest(const struct gpu *gpu, const char *const *types, int count, double most)
{
    for (int i = 0; i < count; i++) {
        struct quantity rate = roof_of_type(gpu, (enum bench_type)bench_type_parse(types[i])).rate;

        most = rate.known ? fmax(most, rate.value) : most;
    }
    return most;
}

/* gpu NULL: the bandwidth that was read with bounds it, 0 = unknown. */
static void add_roof(struct curves *c, const struct gpu *gpu, double read, const char *type, int i,
                     double unit)
{
    struct roof roof = {quantity_unknown(), quantity_exact(read)};
    char name[64];

    if (gpu)
        roof = roof_of_type(gpu, (enum bench_type)bench_type_parse(type));
    gp_format(name, sizeof(name), "%s %s", type, gpu ? "sheet" : "read bandwidth");
    roof_curve_line(&c->plot, name, PLOT_DIM, (char)('a' + i), roof, unit);
}

void curve_fill_gemm(struct curves *c, struct form *form)
{
    const char *types[PLOT_SERIES];
    struct set set;
    struct gpu gpu, *sheet;
    struct summary n;
    double unit, read, most;
    int count;

    if (!choose_set(c, TEST_GEMM, &set))
        return;
    sheet = gpu_of(c, form, set.device, &gpu) ? &gpu : NULL;
    read = sheet ? 0 : best_read(&c->log, set.device);
    n = summary_of(c, &set);
    say_set(c, &set, &n,
            sheet      ? "roof: the sheet"
            : read > 0 ? "roof: the read bandwidth measured with it"
                       : "no roof known");
    if (!(n.x_high > 0))
        return;
    count = groups_of(c, &set, types);
    most = sheet ? highest(sheet, types, count, n.y_high) : n.y_high;
    curve_range(c, roof_curve_floor2(n.x_low), roof_curve_ceil2(n.x_high * 1.01));
    unit = roof_curve_rates(&c->plot, n.y_low / 2, most * 1.1, most, false);
    for (int i = 0; i < count; i++)
        add_roof(c, sheet, read, types[i], i, unit);
    for (int i = 0; i < count; i++)
        add_marks(c, &set, types[i], i, unit);
    add_marks(c, &set, NULL, 0, unit);
    c->start = n.x_high;
}

/* ---- batch sweep ---- */

static int by_x(const void *a, const void *b)
{
    const double *p = a, *q = b;

    return (p[0] > q[0]) - (p[0] < q[0]);
}

/* What the file's own prediction makes of the rate, over the points that are shown. */
static void add_predicted(struct curves *c, const struct set *set, const char *layer, int i,
                          double unit)
{
    double pair[PLOT_POINTS][2];
    struct plot_series *s;
    char name[64];
    int count = 0;

    for (int k = 0; k < c->log.count && count < PLOT_POINTS; k++) {
        const struct point_result *p = &c->log.point[k];
        bool again = false;

        for (int j = 0; j < count; j++)
            again = again || pair[j][0] == p->n; /* another algorithm */
        if (!in_group(p, set, layer) || again || p->predicted <= 0 || p->median <= 0)
            continue;
        pair[count][0] = p->n;
        pair[count++][1] = p->ops * p->median / p->predicted / unit;
    }
    qsort(pair, (size_t)count, sizeof(pair[0]), by_x);
    gp_format(name, sizeof(name), "%s predicted", layer);
    s = count > 0 ? plot_add(&c->plot, name, plot_role(i), 0) : NULL;
    if (!s)
        return;
    s->label = (char)('a' + i);
    for (int k = 0; k < count; k++)
        plot_point(s, pair[k][0], pair[k][1]);
}

void curve_fill_batch(struct curves *c, struct form *form)
{
    const char *layers[PLOT_SERIES];
    struct set set;
    struct summary n;
    char what[120];
    double unit, most;
    int count;

    if (!c->log.json) {
        curve_fill_predicted(c, form);
        return;
    }
    if (!choose_set(c, TEST_BATCH, &set))
        return;
    gp_format(what, sizeof(what), "%s %s%s, TP %.0f", set.model, bench_type_word(set.type),
              set.model[0] ? "" : " layers", set.tp);
    n = summary_of(c, &set);
    say_set(c, &set, &n, what);
    if (!(n.x_high > 0))
        return;
    most = fmax(n.predicted, n.y_high);
    curve_range(c, n.x_low, fmax(n.x_high, 2 * n.x_low));
    unit = roof_curve_rates(&c->plot, n.y_low, most * 1.1, most, false);
    count = groups_of(c, &set, layers);
    for (int i = 0; i < count; i++) {
        add_marks(c, &set, layers[i], i, unit);
        add_predicted(c, &set, layers[i], i, unit);
    }
    add_marks(c, &set, NULL, 0, unit);
    c->start = n.x_low;
}

/* ---- reading ---- */

/* "down: contended" */
static char *flagged_name(const struct point_result *p, char *text, size_t size)
{
    const char *layer = result_param_text(p, "layer"), *word = "flagged";
    const json_t *flag;
    size_t i;

    json_array_foreach(p->flags, i, flag) if (line_flag_disturbs(json_string_value(flag))) word =
        json_string_value(flag);
    gp_format(text, size, "%s: %s", layer[0] ? layer : p->type_word, word);
    return text;
}

static void say_point(struct curves *c, const struct form *form, int series, int i)
{
    const struct plot_series *s = &c->plot.series[series];
    const struct point_result *p = &c->log.point[c->source[series][i]];
    bool flagged = s->mark == '!';
    char name[64], share[32] = "";

    (void)form;
    if (p->ratio > 0 && !flagged)
        gp_format(share, sizeof(share), ", %.0f %%", 100 * p->ratio);
    curve_say(c, s->mark, plot_ink(s->role),
              flagged ? flagged_name(p, name, sizeof(name)) : s->name, "%s %s%s",
              UNITS_PLAIN(s->y[i], 4), plot_unit(&c->plot.y), share);
    curve_more(c, "%.0fx%.0fx%.0f", p->m, p->n, p->k);
}

void curve_read_measured(struct curves *c, const struct form *form, double x)
{
    char tokens[32];

    if (c->curve == CURVE_BATCH)
        gp_format(c->at, sizeof(c->at), "%s token%s%s", units_tokens(tokens, sizeof(tokens), x),
                  x == 1 ? "" : "s", c->log.json ? "; % of what was predicted" : "");
    else
        gp_format(c->at, sizeof(c->at), "%s FLOP/B; %% of what was predicted", UNITS_PLAIN(x, 4));
    curve_read_series(c, form, x, say_point);
}
