/*
 * curve_measured.c - matrix products of a result file under the roofline of the device they
 * were measured on.
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
    enum bench_type type; /* TYPE_COUNT: all of them; else of a model's layers */
    const char *model;
    double tp;
};

/* What its points come to. */
struct summary {
    int shown, flagged, left_out;        /* flagged: of those shown */
    double x_low, x_high, y_low, y_high; /* of those shown; x_high 0: none has an x */
};

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

    return own.test == set->test && own.device == set->device && own.type == set->type &&
           strcmp(own.model, set->model) == 0 && own.tp == set->tp;
}

/* Sets of matrix products, in the order of the file; *out is the i-th. */
static int find_sets(const struct benchlog *log, int wanted, struct set *out)
{
    struct set sets[SETS];
    int count = 0;

    for (int i = 0; i < log->count && count < SETS; i++) {
        const struct point_result *p = &log->point[i];
        int k = 0;

        if (p->test != TEST_GEMM && !bench_test_is(p->test, TEST_IS_LAYER))
            continue;
        while (k < count && !in_set(p, &sets[k]))
            k++;
        if (k == count)
            sets[count++] = set_of(p);
    }
    if (wanted < count)
        *out = sets[wanted];
    return count;
}

int curve_measured_sets(const struct benchlog *log)
{
    struct set set;

    return log->json ? find_sets(log, 0, &set) : 0;
}

/* ---- its points ---- */

static bool is_shown(const struct point_result *p, const struct set *set)
{
    return in_set(p, set) && p->state == POINT_OK && (!p->checked || p->correct) && p->ops > 0;
}

/* The arithmetic intensity; 0: it has none. */
static double x_of(const struct point_result *p)
{
    return p->bytes > 0 ? p->ops / p->bytes : 0;
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
    return is_shown(p, set) && x_of(p) > 0 && group_of(p) && strcmp(group_of(p), group) == 0;
}

/* Groups in the order of the file. */
static int groups_of(const struct curves *c, const struct set *set, const char **out)
{
    int count = 0;

    for (int i = 0; i < c->log.count && count < PLOT_SERIES / 2; i++) {
        const char *group = group_of(&c->log.point[i]);
        int k = 0;

        if (!group || !is_shown(&c->log.point[i], set))
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

        if (!is_shown(p, set)) {
            s.left_out += in_set(p, set);
            continue;
        }
        s.shown++;
        s.flagged += !result_good(p);
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
                  : is_shown(p, set) && x_of(p) > 0 && only_flagged(&c->log, p))
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

    if (c->sets > 2)
        gp_format(which, sizeof(which), "; %d of %d, j and k: next", c->set, c->sets - 1);
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
static double highest_rate(const struct gpu *gpu, const char *const *types, int count, double most)
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

void curve_fill_measured(struct curves *c, struct form *form)
{
    const char *groups[PLOT_SERIES], *types[PLOT_SERIES];
    struct set set;
    struct gpu gpu, *sheet;
    struct summary n;
    char products[96], what[160];
    double unit, read, most;
    int count, roofs;

    find_sets(&c->log, c->set - 1, &set);
    sheet = gpu_of(c, form, set.device, &gpu) ? &gpu : NULL;
    read = sheet ? 0 : best_read(&c->log, set.device);
    n = summary_of(c, &set);
    if (set.type == TYPE_COUNT)
        gp_copy(products, sizeof(products), bench_test_word(set.test));
    else
        gp_format(products, sizeof(products), "%.40s %s%s, TP %.0f", set.model,
                  bench_type_word(set.type), set.model[0] ? "" : " layers", set.tp);
    gp_format(what, sizeof(what), "%s; roof: %s", products,
              sheet      ? "the sheet"
              : read > 0 ? "the read bandwidth measured with it"
                         : "none is known");
    say_set(c, &set, &n, what);
    if (!(n.x_high > 0))
        return;
    count = roofs = groups_of(c, &set, groups);
    memcpy(types, groups, sizeof(types));
    if (set.type != TYPE_COUNT) {
        types[0] = bench_type_word(set.type);
        roofs = 1;
    }
    most = sheet ? highest_rate(sheet, types, roofs, n.y_high) : n.y_high;
    curve_range(c, roof_curve_floor2(n.x_low), roof_curve_ceil2(n.x_high * 1.01));
    unit = roof_curve_rates(&c->plot, n.y_low / 2, most * 1.1, most, false);
    for (int i = 0; i < roofs; i++)
        add_roof(c, sheet, read, types[i], i, unit);
    for (int i = 0; i < count; i++)
        add_marks(c, &set, groups[i], i, unit);
    add_marks(c, &set, NULL, 0, unit);
    c->start = n.x_high;
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

static void read_point(struct curves *c, const struct form *form, int series, int i)
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
    gp_format(c->at, sizeof(c->at), "%s FLOP/B; %% of what was predicted", UNITS_PLAIN(x, 4));
    curve_read_series(c, form, x, read_point);
}
