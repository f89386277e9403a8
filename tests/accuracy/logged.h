/*
 * logged.h - one logged start of a server as the calibration of others (plan/logged.h).
 *
 * Rows of one model, format, GPU and engine are scored by each other: one is the log, every
 * other is planned with it and without it. A share of the residual and a part of the band
 * are carried to other layouts; logged_rows_print_shares() prints what the rows of all models but
 * one would have them be, model by model.
 */
#ifndef GP_TESTS_ACCURACY_LOGGED_H
#define GP_TESTS_ACCURACY_LOGGED_H

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "manual.h"
#include "plan/logged_fit.h"
#include "plan/memory.h"

#define LOGGED_ROWS 128

enum { LOGGED_POOL = LOGGED_TERMS, LOGGED_FIGURES };

struct logged_row {
    struct request request;
    struct gpu gpu; /* with this row's memory */
    struct layout layout;
    struct logged_figures figures;
};

struct logged_rows {
    struct logged_row row[LOGGED_ROWS];
    int count;
};

static inline void logged_rows_add(struct logged_rows *rows, const struct request *q,
                                   const struct layout *layout,
                                   const struct logged_figures *figures)
{
    if (rows->count == LOGGED_ROWS)
        return;
    struct logged_row *row = &rows->row[rows->count++];
    *row =
        (struct logged_row){.request = *q, .gpu = *q->gpu, .layout = *layout, .figures = *figures};
    row->request.gpu = &row->gpu;
}

static inline bool logged_rows_alike(const struct logged_row *a, const struct logged_row *b)
{
    return a->request.model == b->request.model && a->request.engine == b->request.engine &&
           a->request.precision.weight == b->request.precision.weight &&
           strcmp(a->gpu.id, b->gpu.id) == 0;
}

/* The memory of a row, planned with what another logged; log NULL: without. */
static inline struct memory logged_row_plan(const struct logged_row *row,
                                            const struct logged_row *log)
{
    struct request q = row->request;
    struct memory m;
    double planned;
    q.logged = (struct logged){.count = 0};
    if (log &&
        logged_fit(&log->request, &log->layout, &log->figures, &q.logged, &planned) != LOGGED_FINE)
        printf("FAIL: a row of %s is no log\n", q.model->id);
    q.logged.gpu = q.gpu;
    struct load load = load_sum(&q);
    memory_stage(&q, &load, &row->layout, 0, &m);
    return m;
}

static inline struct quantity logged_row_figure(const struct memory *m, int figure)
{
    const struct quantity of[LOGGED_FIGURES] = {m->weights, m->activation,     m->non_torch,
                                                m->graphs,  m->graphs_charged, m->kv_pool};
    return of[figure];
}

static inline double logged_row_seen(const struct logged_row *row, int figure)
{
    return figure == LOGGED_POOL ? row->figures.pool : row->figures.term[figure];
}

struct logged_score {
    double error, width, worst;
    int count, held;
};

static inline void logged_score_take(struct logged_score *s, double seen, struct quantity p)
{
    double error = 100 * fabs(p.value / seen - 1);
    s->error += error;
    s->worst = fmax(s->worst, error);
    s->width += 100 * (p.high - p.low) / 2 / seen;
    s->held += seen >= p.low * 0.995 && seen <= p.high * 1.005;
    s->count++;
}

static inline bool logged_rows_same(const struct logged_row *a, const struct logged_row *b)
{
    const struct layout *x = &a->layout, *y = &b->layout;
    return x->tp == y->tp && x->pp == y->pp && x->ep == y->ep &&
           memory_max_num_seqs(&a->request) == memory_max_num_seqs(&b->request) &&
           memory_max_batched_tokens(&a->request) == memory_max_batched_tokens(&b->request);
}

/* [same layout and limits?][with the log?][figure] */
typedef struct logged_score logged_scores[2][2][LOGGED_FIGURES];

static inline void logged_rows_score(const struct logged_rows *rows, logged_scores scores)
{
    for (int i = 0; i < rows->count; i++)
        for (int k = 0; k < rows->count; k++) {
            const struct logged_row *log = &rows->row[i], *row = &rows->row[k];
            if (i == k || !logged_rows_alike(log, row))
                continue;
            struct memory plain = logged_row_plan(row, NULL), with = logged_row_plan(row, log);
            bool same = logged_rows_same(log, row);
            for (int f = 0; f < LOGGED_FIGURES; f++) {
                double seen = logged_row_seen(row, f);
                if (!(seen > 0) || !(logged_row_seen(log, f) > 0))
                    continue;
                logged_score_take(&scores[same][0][f], seen, logged_row_figure(&plain, f));
                logged_score_take(&scores[same][1][f], seen, logged_row_figure(&with, f));
            }
        }
}

/* The share of one row's residual that leaves the least squares of another's, of another layout,
 * over the rows of all models but one. */
static inline double logged_rows_share(const struct logged_rows *rows, int f,
                                       const struct model *without)
{
    double xy = 0, xx = 0;
    for (int i = 0; i < rows->count; i++)
        for (int k = 0; k < rows->count; k++) {
            const struct logged_row *of = &rows->row[i], *row = &rows->row[k];
            if (i == k || !logged_rows_alike(of, row) || logged_rows_same(of, row) ||
                row->request.model == without || !(logged_row_seen(row, f) > 0) ||
                !(logged_row_seen(of, f) > 0))
                continue;
            struct memory a = logged_row_plan(of, NULL), b = logged_row_plan(row, NULL);
            double x = log(logged_row_seen(of, f) / logged_row_figure(&a, f).value);
            double y = log(logged_row_seen(row, f) / logged_row_figure(&b, f).value);
            if (f == LOGGED_POOL) {
                struct logged g;
                double planned;
                logged_fit(&of->request, &of->layout, &of->figures, &g, &planned);
                x = g.pool / GP_GIB;
                b = logged_row_plan(row, of); /* with POOL_SHARE 0 */
                y = (logged_row_seen(row, f) - b.kv_pool.value) / GP_GIB;
            }
            if (!isfinite(x) || !isfinite(y))
                continue;
            xy += x * y;
            xx += x * x;
        }
    return xx > 0 ? xy / xx : NAN;
}

static inline const char *logged_figure_word(int figure)
{
    return figure == LOGGED_POOL ? "KV pool" : logged_word((enum logged_term)figure);
}

/* "error -> error, half band -> half band", in per cent; "-" without pairs. */
static inline char *logged_score_text(const struct logged_score s[2][LOGGED_FIGURES], int f,
                                      char *text, size_t size)
{
    const struct logged_score *a = &s[0][f], *b = &s[1][f];
    gp_copy(text, size, "-");
    if (a->count)
        gp_format(text, size, "%3d  %5.2f -> %5.2f  %4.1f -> %4.1f  %3d -> %3d", a->count,
                  a->error / a->count, b->error / b->count, a->width / a->count,
                  b->width / b->count, 100 * a->held / a->count, 100 * b->held / b->count);
    return text;
}

static inline bool logged_model_before(const struct logged_rows *rows, int row)
{
    for (int k = 0; k < row; k++)
        if (rows->row[k].request.model == rows->row[row].request.model)
            return true;
    return false;
}

static inline void logged_rows_print_shares(const struct logged_rows *rows)
{
    for (int f = 0; f < LOGGED_FIGURES; f++) {
        double all = logged_rows_share(rows, f, NULL);
        if (isnan(all))
            continue;
        printf("share to carry, %s: all models %.2f; without", logged_figure_word(f), all);
        for (int i = 0; i < rows->count; i++) {
            const struct model *m = rows->row[i].request.model;
            double share = logged_rows_share(rows, f, m);
            if (!logged_model_before(rows, i) && share != all)
                printf(" %s %.2f", m->id, share);
        }
        printf("\n");
    }
}

/* Prints pairs, mean error, half band and share in band, without -> with the log, of the same
 * layout and limits and of others. Returns how many lines gpuplan-model(7) has otherwise. */
static inline int logged_rows_print(const struct logged_rows *rows, const char *engine)
{
    logged_scores scores = {0};
    int wrong = 0;
    logged_rows_score(rows, scores);
    printf("\n%s, one row as the log of the others\n", engine);
    for (int same = 1; same >= 0; same--)
        for (int f = 0; f < LOGGED_FIGURES; f++) {
            char text[96], line[160];
            if (!scores[same][0][f].count)
                continue;
            gp_format(line, sizeof(line), "%-13s %-11s %s", same ? "same layout" : "other layout",
                      logged_figure_word(f),
                      logged_score_text(scores[same], f, text, sizeof(text)));
            printf("%s\n", line);
            wrong += manual_lacks(line);
        }
    logged_rows_print_shares(rows);
    return wrong;
}

#endif
