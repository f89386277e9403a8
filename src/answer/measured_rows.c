/*
 * measured_rows.c - see measured_rows.h.
 */
#include "answer/measured_rows.h"

#include <math.h>
#include <stdlib.h>

#include "answer/calibrate.h"
#include "base/str.h"

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
