/*
 * measured_plot.c - see measured_plot.h.
 */
#include "answer/measured_plot.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "answer/calibrate.h"
#include "answer/roof_curve.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/speed/calib.h"
#include "plan/speed/speed.h"

#define SAME 0.05  /* lengths that differ by less are one */
#define SAMPLES 32 /* of the lines, beside those of the points */

/* ---- rows ---- */

struct measured_times measured_rows_predict(const struct answer *a, const struct anchor *point,
                                            bool corrected)
{
    struct request q = a->plan.request;
    struct plan plan;

    q.users = point->users;
    q.rate = 0;
    q.prompt = point->prompt;
    q.output = point->output;
    q.spread = (struct spread){0};
    if (!corrected)
        q.correction.points = 0;
    plan_layout(&q, &a->plan.layout, &a->resolved.market, &plan);
    if (plan.speed.gap != SPEED_KNOWN)
        return (struct measured_times){quantity_unknown(), quantity_unknown()};
    return (struct measured_times){plan.speed.tpot, plan.speed.ttft};
}

static void add_row(struct measured_rows *out, const struct anchor *point, const char *what,
                    double measured, const struct quantity *predicted,
                    const struct quantity *corrected)
{
    if (measured > 0 && predicted->known && predicted->value > 0)
        out->row[out->count++] = (struct measured_row){
            what,           point->users,     point->prompt,    point->output,
            measured,       predicted->value, corrected->value, predicted->low,
            predicted->high};
}

static int by_size(const void *a, const void *b)
{
    const double *p = a, *q = b;

    return (*p > *q) - (*p < *q);
}

/* The median of |predicted / measured - 1|, in per cent. */
static double median_error(const struct measured_rows *rows, bool corrected)
{
    double error[2 * ANCHORS_MAX];

    for (int i = 0; i < rows->count; i++) {
        const struct measured_row *r = &rows->row[i];

        error[i] = 100 * fabs((corrected ? r->corrected : r->predicted) / r->measured - 1);
    }
    qsort(error, (size_t)rows->count, sizeof(error[0]), by_size);
    return rows->count % 2 ? error[rows->count / 2]
                           : (error[rows->count / 2 - 1] + error[rows->count / 2]) / 2;
}

enum gp_status measured_rows_read(const struct answer *a, struct measured_rows *out,
                                  struct gp_err *err)
{
    struct serverbench bench = {.count = 0};
    enum gp_status rc;

    out->count = 0;
    if (!a->resolved.measured[0])
        return GP_OK;
    rc = calibrate_points(a->resolved.measured, &bench, err);
    if (rc)
        return rc;
    for (int i = 0; i < bench.count; i++) {
        const struct anchor *point = &bench.point[i];
        struct measured_times before = measured_rows_predict(a, point, false);
        struct measured_times after = measured_rows_predict(a, point, true);

        add_row(out, point, "TPOT", point->tpot, &before.tpot, &after.tpot);
        add_row(out, point, "TTFT", point->ttft, &before.ttft, &after.ttft);
    }
    if (out->count > 0)
        gp_format(out->words, sizeof(out->words),
                  "Measured: %s. Median error %.0f %% as predicted, %.0f %% corrected by "
                  "these points.",
                  a->resolved.measured, median_error(out, false), median_error(out, true));
    return GP_OK;
}

void measured_rows_table(const struct measured_rows *rows, struct table *table)
{
    static const struct table_column columns[] = {
        {"what", TABLE_LEFT},           {"users", TABLE_RIGHT},
        {"prompt tokens", TABLE_RIGHT}, {"output tokens", TABLE_RIGHT},
        {"measured ms", TABLE_RIGHT},   {"predicted ms", TABLE_RIGHT},
        {"error", TABLE_RIGHT},         {"corrected ms", TABLE_RIGHT},
        {"error then", TABLE_RIGHT}};

    table_init(table, columns, sizeof(columns) / sizeof(columns[0]));
    for (int i = 0; i < rows->count; i++) {
        const struct measured_row *r = &rows->row[i];

        table_cell(table, r->what);
        table_cellf(table, "%.1f", r->users);
        table_cellf(table, "%.0f", r->prompt);
        table_cellf(table, "%.0f", r->output);
        table_cellf(table, "%.2f", r->measured * 1e3);
        table_cellf(table, "%.2f", r->predicted * 1e3);
        table_cellf(table, "%+.0f %%", 100 * (r->predicted / r->measured - 1));
        table_cellf(table, "%.2f", r->corrected * 1e3);
        table_cellf(table, "%+.0f %%", 100 * (r->corrected / r->measured - 1));
    }
}

/* ---- times ---- */

static bool is_alike(double a, double b)
{
    return fabs(a - b) <= SAME * fmax(a, b);
}

static bool of_length(const struct measured_row *row, const struct measured_row *like)
{
    return strcmp(row->what, like->what) == 0 && is_alike(row->prompt, like->prompt) &&
           is_alike(row->output, like->output);
}

static int count_alike(const struct measured_rows *rows, const struct measured_row *like)
{
    int count = 0;

    for (int i = 0; i < rows->count; i++)
        count += of_length(&rows->row[i], like);
    return count;
}

/* The row whose length most others have; NULL: none is of that time. */
static const struct measured_row *usual_length(const struct measured_rows *rows, const char *what)
{
    const struct measured_row *best = NULL;

    for (int i = 0; i < rows->count; i++)
        if (strcmp(rows->row[i].what, what) == 0 &&
            (!best || count_alike(rows, &rows->row[i]) > count_alike(rows, best)))
            best = &rows->row[i];
    return best;
}

struct users {
    double at[SAMPLES + 2 * ANCHORS_MAX];
    int count;
};

/* Where the lines are planned: at the points, and in even steps between and beside them. */
static void users_of(const struct measured_rows *rows, const struct measured_row *like,
                     const struct plot_axis *x, struct users *out)
{
    double step = log2(x->high / x->low) / (SAMPLES - 1);

    out->count = 0;
    for (int i = 0; i < SAMPLES; i++)
        out->at[out->count++] = x->low * exp2(i * step);
    for (int i = 0; i < rows->count; i++)
        if (of_length(&rows->row[i], like))
            out->at[out->count++] = rows->row[i].users;
    qsort(out->at, (size_t)out->count, sizeof(out->at[0]), by_size);
}

static void x_of_times(const struct measured_rows *rows, const struct measured_row *like,
                       struct plot *plot)
{
    double low = like->users, high = like->users;

    for (int i = 0; i < rows->count; i++)
        if (of_length(&rows->row[i], like)) {
            low = fmin(low, rows->row[i].users);
            high = fmax(high, rows->row[i].users);
        }
    plot->x = (struct plot_axis){.low = roof_curve_floor2(fmax(low / 1.5, 1)),
                                 .high = roof_curve_ceil2(high * 1.5),
                                 .log = true,
                                 .base = 2,
                                 .title = "users (log2)"};
}

/* The lines: predicted with its band, and corrected. */
static void add_lines(const struct answer *a, const struct measured_row *like,
                      const struct users *users, struct plot *plot)
{
    struct plot_series *band = plot_add_shade(plot, "predicted", PLOT_1, PLOT_BAND);
    struct plot_series *before = plot_add(plot, "predicted", PLOT_1, 0);
    struct plot_series *after = plot_add(plot, "corrected by the points", PLOT_DIM, 0);
    bool tpot = strcmp(like->what, "TPOT") == 0;

    before->label = 'p';
    after->label = 'c';
    for (int i = 0; i < users->count; i++) {
        struct anchor at = {.users = users->at[i], .prompt = like->prompt, .output = like->output};
        struct measured_times t = measured_rows_predict(a, &at, false),
                              c = measured_rows_predict(a, &at, true);
        struct quantity p = tpot ? t.tpot : t.ttft, q = tpot ? c.tpot : c.ttft;

        plot_span(band, at.users, p.known ? p.low * 1e3 : NAN, p.known ? p.high * 1e3 : NAN);
        plot_point(before, at.users, p.known ? p.value * 1e3 : NAN);
        plot_point(after, at.users, q.known ? q.value * 1e3 : NAN);
    }
}

static void y_of_times(struct plot *plot)
{
    double low = INFINITY, high = 0;

    for (int i = 0; i < plot->count; i++)
        for (int k = 0; k < plot->series[i].count; k++) {
            const struct plot_series *s = &plot->series[i];

            low = fmin(low, s->y[k]);
            high = fmax(high, s->shade ? s->top[k] : s->y[k]);
        }
    plot->y = (struct plot_axis){
        .low = low / 1.1, .high = high * 1.1, .log = true, .base = 10, .title = "ms", .unit = "ms"};
}

bool measured_plot_times(const struct answer *a, const struct measured_rows *rows, const char *what,
                         struct plot *plot, char words[CURVE_WORDS])
{
    const struct measured_row *like = usual_length(rows, what);
    int shown = 0, in = 0, all = 0;
    struct plot_series *marks;
    struct users users;
    char other[80] = "";

    if (!like)
        return false;
    x_of_times(rows, like, plot);
    users_of(rows, like, &plot->x, &users);
    add_lines(a, like, &users, plot);
    marks = plot_add(plot, "measured", PLOT_2, '1');
    for (int i = 0; i < rows->count; i++) {
        const struct measured_row *r = &rows->row[i];

        all += strcmp(r->what, what) == 0;
        if (!of_length(r, like))
            continue;
        plot_point(marks, r->users, r->measured * 1e3);
        in += r->measured >= r->low && r->measured <= r->high;
        shown++;
    }
    y_of_times(plot);
    gp_format(plot->title, sizeof(plot->title), "%s, measured and predicted, against users", what);
    if (all > shown)
        gp_format(other, sizeof(other), "; %d of other lengths are in the table", all - shown);
    gp_format(words, CURVE_WORDS,
              "%d of %d point%s within the predicted band; requests of %.0f and %.0f tokens%s", in,
              shown, shown == 1 ? "" : "s", like->prompt, like->output, other);
    return true;
}

/* ---- products ---- */

#define MOST_TOKENS 8192.0

/* Of one kernel; the worst and best ratio so far. */
static void add_kernel(const struct calib *c, const struct gpu *gpu, enum kernel kernel, int i,
                       double *low, double *high, struct plot *plot)
{
    struct plot_series *s = NULL;
    char name[64];

    gp_format(name, sizeof(name), "%s measured", kernel_word(kernel));
    for (int k = 0; k < c->points; k++) {
        const struct calib_point *p = &c->point[k];
        double ratio = calib_law(gpu, gpu->family, p) / p->time;

        if (p->kernel != kernel || !isfinite(ratio))
            continue;
        s = s ? s : plot_add(plot, name, plot_role(i), (char)('1' + i));
        if (!s || s->count == PLOT_POINTS)
            return;
        plot_point(s, p->tokens, ratio);
        *low = fmin(*low, ratio);
        *high = fmax(*high, ratio);
    }
}

bool measured_plot_products(const struct answer *a, const struct gpu *sheet, struct plot *plot,
                            char words[CURVE_WORDS])
{
    const struct gpu *gpu = a->plan.request.gpu;
    const struct calib *c = gpu->family ? gpu->family->calib : NULL;
    const struct gpu *law = sheet ? sheet : gpu;
    struct plot_series *band;
    double least, most, low, high;

    if (!c || c->points == 0 || !law->family)
        return false;
    speed_doubt_law(law, &least, &most);
    plot->x = (struct plot_axis){.low = 1,
                                 .high = MOST_TOKENS,
                                 .log = true,
                                 .base = 2,
                                 .title = "batch: tokens at once (log2)"};
    low = 1 / most;
    high = least;
    band = plot_add_shade(plot, "predicted", PLOT_DIM, PLOT_BAND);
    plot_span(band, 1, low, high);
    plot_span(band, MOST_TOKENS, low, high);
    for (int k = 0, i = 0; k < KERNEL_COUNT; k++) {
        int before = plot->count;

        add_kernel(c, law, (enum kernel)k, i, &low, &high, plot);
        i += plot->count > before;
    }
    plot->y = (struct plot_axis){
        .low = low / 1.15, .high = high * 1.15, .title = "measured rate / predicted rate"};
    plot_rule(plot, false, 1, PLOT_HEADING, "as predicted");
    gp_copy(plot->title, sizeof(plot->title), "Rate of products, measured / predicted");
    gp_format(words, CURVE_WORDS,
              "%s %s: %d products; the band, %.2f to %.2f, is that of the law %s",
              calib_from_words(c->from), c->date, c->points, 1 / most, least,
              sheet ? "before anything was measured"
                    : "with the bandwidth and the rate that were measured");
    return plot->count > 1;
}
