/*
 * side_by_side.c - see side_by_side.h.
 */
#include "tui/compare/side_by_side.h"

#include <math.h>
#include <string.h>

#include "base/str.h"
#include "base/texts.h"
#include "base/units.h"
#include "tui/list.h"
#include "tui/membar.h"

#define NAME_COLS 13
#define LEAST_COLS 18 /* of a row's column */
#define MOST_COLS 60
#define MORE_LEAST 6 /* rows of what is told of each below its figures */

enum best { BEST_NONE, BEST_LOW, BEST_HIGH };

/* The figures: a column of the table, or a fact that has none there. */
static const struct figure {
    const char *name, *fact;
    enum best best;
    enum compare_column column; /* COLUMN_COUNT: the fact as it is */
} figures[] = {
    {"verdict", "verdict", BEST_NONE, COLUMN_VERDICT},
    {"layout", "tp", BEST_NONE, COLUMN_LAYOUT},
    {"$/h", "per_hour", BEST_LOW, COLUMN_HOUR},
    {"$/month", "per_month", BEST_LOW, COLUMN_MONTH},
    {"$/M tok", "per_million_output_tokens", BEST_LOW, COLUMN_MILLION},
    {"TPOT ms", "tpot", BEST_LOW, COLUMN_TPOT},
    {"TTFT ms", "ttft", BEST_LOW, COLUMN_COUNT},
    {"tok/s", "output_tokens_per_s", BEST_HIGH, COLUMN_TOKENS},
    {"J/token", "joules_per_output_token", BEST_LOW, COLUMN_COUNT},
    {"users held", "holds", BEST_HIGH, COLUMN_REQUESTS},
    {"weights GiB", "weights", BEST_NONE, COLUMN_WEIGHTS},
    {"KV pool GiB", "kv_pool", BEST_HIGH, COLUMN_POOL},
    {"memory GiB", "memory", BEST_NONE, COLUMN_MEMORY},
    {"bound by", "limit", BEST_NONE, COLUMN_LIMIT},
    {"offer", "offer", BEST_NONE, COLUMN_COUNT},
};
enum { FIGURES = sizeof(figures) / sizeof(figures[0]) };

int sides_rows(const struct compare_view *view, const struct compare_row *focus,
               const struct compare_row *out[SIDES_MOST])
{
    int n = 0, marked = 0;

    for (size_t i = 0; i < view->shown_count; i++)
        marked += compare_view_row(view, i)->marked;
    for (size_t i = 0; i < view->shown_count && n < SIDES_MOST; i++) {
        const struct compare_row *row = compare_view_row(view, i);
        bool own = row == &view->plan_row || strcmp(row->key, view->own) == 0;

        if (row->marked || (marked < 2 && (own || row == focus)))
            out[n++] = row;
    }
    return n;
}

int sides_seen(int count, int cols)
{
    return int_min(count, int_max((cols - NAME_COLS) / LEAST_COLS, 1));
}

/* The number that a figure is judged by; NAN: it is not known, or the row does not fit. */
static double side_value(const struct figure *f, const struct compare_row *row)
{
    const struct fact *fact = compare_view_fact(row, f->fact);

    return fact && fact->known && fact->kind != FACT_TEXT && fact->number.known &&
                   row->compared->plan.verdict != VERDICT_DOES_NOT_FIT
               ? fact->number.value
               : NAN;
}

/* The best of a figure; NAN: all that know it are alike, or one does. */
static double side_best(const struct figure *f, const struct compare_row *const *rows, int count)
{
    double low = NAN, high = NAN;
    int known = 0;

    for (int i = 0; i < count; i++) {
        double value = side_value(f, rows[i]);

        known += isfinite(value);
        low = fmin(low, value); /* which leave NANs out */
        high = fmax(high, value);
    }
    return f->best == BEST_NONE || known < 2 || !(high > low) ? NAN
           : f->best == BEST_LOW                              ? low
                                                              : high;
}

static void side_cell(const struct figure *f, const struct compare_row *row, struct strbuf *out)
{
    const struct fact *fact = compare_view_fact(row, f->fact);

    if (f->column != COLUMN_COUNT)
        compare_view_cell(row, f->column, out);
    else if (fact)
        record_cell(fact, out);
}

static void draw_figure(struct canvas *canvas, struct rect in, int y, const struct figure *f,
                        const struct compare_row *const *rows, int count, int first, int wide)
{
    double best = side_best(f, rows, count);
    int seen = sides_seen(count, in.cols);
    struct strbuf text;

    strbuf_init(&text);
    canvas_fit(canvas, in, y, 1, NAME_COLS - 2, INK_DIM, f->name);
    for (int i = 0; i < seen; i++) {
        const struct compare_row *row = rows[first + i];
        enum verdict verdict = row->compared->plan.verdict;
        bool wins = side_value(f, row) == best;
        int x = NAME_COLS + i * wide;

        strbuf_clear(&text);
        side_cell(f, row, &text);
        if (canvas->charset == CHARSET_ASCII && strstr(text.text, "±"))
            memcpy(strstr(text.text, "±"), "+-", 2); /* two bytes either way */
        canvas_fit(canvas, in, y, x, wide - 3,
                   wins                              ? INK_OK
                   : f->column != COLUMN_VERDICT     ? INK_TEXT
                   : verdict == VERDICT_FITS         ? INK_OK
                   : verdict == VERDICT_DOES_NOT_FIT ? INK_BAD
                                                     : INK_WARN,
                   text.text);
        if (wins)
            canvas_text(canvas, in, y, x + int_min(gp_width(text.text), wide - 3) + 1, INK_OK, "*");
    }
    strbuf_fini(&text);
}

/* The figure's number as a bar, of the largest of all rows. */
static void draw_bars(struct canvas *canvas, struct rect in, int y, const struct figure *f,
                      const struct compare_row *const *rows, int count, int first, int wide)
{
    double best = side_best(f, rows, count), most = 0;

    for (int i = 0; i < count; i++)
        most = fmax(most, side_value(f, rows[i]));
    for (int i = 0; i < sides_seen(count, in.cols) && most > 0; i++) {
        double value = side_value(f, rows[first + i]);

        if (value > 0)
            canvas_run(canvas, in, y, NAME_COLS + i * wide,
                       int_max((int)lround(value / most * (wide - 3)), 1),
                       value == best ? INK_OK : INK_SERIES1, GLYPH_FULL);
    }
}

void sides_draw(struct canvas *canvas, struct rect in, const struct compare_row *const *rows,
                int count, int focus,
                void (*more)(struct page *page, const struct compare_row *row))
{
    int seen = sides_seen(count, in.cols), first = int_max(0, focus - seen + 1), y = 3;
    int wide = seen > 0 ? int_min((in.cols - NAME_COLS) / seen, MOST_COLS) : MOST_COLS;
    int judged = 0;
    struct texts t = {0};

    for (int i = 0; i < seen; i++) {
        const struct plan *p = &rows[first + i]->compared->plan;
        struct rect bar = {in.y, in.x + NAME_COLS + i * wide, in.rows, wide - 2};

        canvas_fit_end(canvas, bar, 0, 0, bar.cols, INK_HEADING,
                       texts_addf(&t, "%s x %d", p->request.gpu->id, p->layout.gpus));
        canvas_fit(canvas, bar, 1, 0, bar.cols, INK_TEXT, p->request.precision.id);
        if (first + i == focus) {
            canvas_ink(canvas, bar, 0, 0, bar.cols, INK_FOCUS);
            canvas_ink(canvas, bar, 1, 0, bar.cols, INK_FOCUS);
            canvas_cursor(canvas, bar, 0, 0);
        }
        if (p->has_memory)
            membar_draw(canvas, bar, 2, p);
    }
    canvas_text(canvas, in, 2, 1, INK_DIM, "memory");
    for (int i = 0; i < FIGURES; i++)
        judged += figures[i].best != BEST_NONE;
    bool bars = in.rows >= y + FIGURES + judged;
    for (int i = 0; i < FIGURES && y < in.rows; i++, y++) {
        draw_figure(canvas, in, y, &figures[i], rows, count, first, wide);
        if (bars && figures[i].best != BEST_NONE)
            draw_bars(canvas, in, ++y, &figures[i], rows, count, first, wide);
    }
    if (++y < in.rows)
        canvas_text(canvas, in, y, 1, INK_DIM,
                    "* the best of its row; memory: of one GPU's budget in GiB");
    y += 2;
    for (int i = 0; i < seen && in.rows - y >= MORE_LEAST; i++) {
        struct page page = {.canvas = canvas,
                            .in = {in.y + y, in.x + NAME_COLS + i * wide, in.rows - y, wide - 3}};

        more(&page, rows[first + i]);
    }
    texts_fini(&t);
}
