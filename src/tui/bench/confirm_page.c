/*
 * confirm_page.c - what Confirm shows: each term predicted and measured, with
 * its band, and the plan's TPOT as it narrows; on a host without the plan's GPU
 * what could be measured instead.
 */
#include "tui/bench/s_bench.h"

#include <math.h>
#include <string.h>

#include "answer/figures.h"
#include "answer/print_plan.h"
#include "answer/sentence.h"
#include "base/units.h"
#include "measure/confirm.h"
#include "tui/list.h"

#define POINTS_LEAST 6 /* rows of the list of points */

/* In the room there is. */
static const char *use_word(const struct confirm_term *t)
{
    const bool less = t->use == CONFIRM_LESS;

    return t->use == CONFIRM_IGNORED ? "ignored"
           : isnan(t->error)         ? ""
           : t->in_band              ? (less ? "in band ~" : "in band")
                                     : (less ? "outside ~" : "outside");
}

#define BAND_X 80     /* where the bands are drawn */
#define BAND_LEAST 20 /* columns of one that still says something */

/* The place of a value between two, as its order says it. */
static int band_at(double value, double low, double high, int cols)
{
    return (int)lround(log(value / low) / log(high / low) * (cols - 1));
}

/* "|---+----o--|" over all between low and high: a band, what is predicted in
 * it, and what was measured, if so. */
static void draw_band(struct page *page, const struct quantity *q, double low, double high,
                      double measured, enum ink frame, enum ink ink)
{
    int cols = page->in.cols - BAND_X, at = BAND_X;

    if (cols < BAND_LEAST || !q->known || !(low > 0) || !(high > low) || !(q->low > 0))
        return;
    int first = at + band_at(q->low, low, high, cols),
        last = at + band_at(q->high, low, high, cols);

    canvas_run(page->canvas, page->in, page->y, first, last - first, frame, GLYPH_HORIZONTAL);
    canvas_glyph(page->canvas, page->in, page->y, first, frame, GLYPH_BAND_LOW);
    canvas_glyph(page->canvas, page->in, page->y, last, frame, GLYPH_BAND_HIGH);
    canvas_glyph(page->canvas, page->in, page->y, at + band_at(q->value, low, high, cols), frame,
                 GLYPH_BAND_AT);
    if (measured > 0)
        canvas_glyph(page->canvas, page->in, page->y, at + band_at(measured, low, high, cols), ink,
                     GLYPH_DOT);
}

/* SI, of the samples so far. */
static double sample_value(const struct confirm_term *t, const struct point *p, double seconds)
{
    return t->rate == RATE_SECONDS      ? seconds
           : t->rate == RATE_OPERATIONS ? point_operations(p) / seconds
                                        : point_bytes(p) / seconds;
}

/* With what is known of it while it is measured. */
static void show_term(struct page *page, const struct bench *b, const struct confirm_term *t)
{
    const struct quantity *q = &t->predicted;
    char predicted[32] = "-", band[32] = "-", measured[32] = "-", error[16] = "-";
    char use[240], row[400];
    double value = t->measured, spread = NAN;
    struct session_point p;
    bool runs = session_point(b->session, 0, t->point, &p) && p.mark == MARK_RUNNING;
    bool ignored = t->use == CONFIRM_IGNORED;

    if (q->known) {
        int decimals = q->high / t->divide < 999.5 ? t->decimals : 0; /* for its column */

        gp_format(predicted, sizeof(predicted), "%.*f %s", t->decimals, q->value / t->divide,
                  t->unit);
        gp_format(band, sizeof(band), "%.*f..%.*f", decimals, q->low / t->divide, decimals,
                  q->high / t->divide);
    }
    gp_copy(use, sizeof(use), use_word(t));
    if (ignored && t->why[0])
        gp_append(use, sizeof(use), ": ", "%s", t->why);
    if (runs) {
        value = sample_value(t, p.point, bench_sample_mean(b, t->point, &spread));
        gp_copy(use, sizeof(use), isnan(value) ? "warm-up" : "runs");
    }
    if (!isnan(value))
        gp_format(measured, sizeof(measured), "%.*f", t->decimals, value / t->divide);
    if (runs && !isnan(spread))
        gp_format(error, sizeof(error), "+-%.1f %%", 100 * spread);
    else if (!runs && !isnan(t->error))
        gp_format(error, sizeof(error), "%+.0f %%", 100 * t->error);
    gp_format(row, sizeof(row), "%-20.20s%13s%13s%9s%9s  %s", t->name, predicted, band, measured,
              error, use);
    if (!ignored)
        draw_band(page, q, value > 0 ? fmin(q->low, value) : q->low,
                  value > 0 ? fmax(q->high, value) : q->high, value, INK_FRAME,
                  runs         ? INK_ACCENT
                  : t->in_band ? INK_OK
                               : INK_WARN);
    page_row(page, 0, ignored ? INK_WARN : runs ? INK_ACCENT : INK_TEXT, row);
}

static void tpot_row(struct page *page, const char *when, const struct quantity *q,
                     const char *origin, const struct quantity *beside, enum ink ink)
{
    double low = beside->known ? fmin(q->low, beside->low) : q->low;
    double high = beside->known ? fmax(q->high, beside->high) : q->high;

    if (!q->known)
        return;
    draw_band(page, q, low, high, NAN, ink, ink);
    page_wordsf(page, 0, ink == INK_FRAME ? INK_TEXT : ink, "TPOT %s: %s ms (%s..%s)%s%s", when,
                UNITS_PLAIN(1e3 * q->value, 3), UNITS_PLAIN(1e3 * q->low, 3),
                UNITS_PLAIN(1e3 * q->high, 3), origin[0] ? ", " : "", origin);
}

/* As it was planned, and what has become of it: on one scale. */
static void show_tpot(struct page *page, const struct bench *b)
{
    const struct confirm *c = b->confirm;
    const struct quantity *planned = &c->before.plan.speed.tpot;
    bool done = b->stage == STAGE_DONE && b->refresh != REFRESH_MEASURED && c->measured;
    struct quantity now = done                    ? c->after.plan.speed.tpot
                          : b->stage == STAGE_RUN ? b->so_far
                                                  : quantity_unknown();

    tpot_row(page, "planned", planned, origin_word(planned->origin), &now, INK_FRAME);
    tpot_row(page, done ? "calibrated" : "if it ended now", &now,
             done ? origin_word(now.origin) : "", planned, INK_ACCENT);
}

/* What is measured, point by point, in what is left of the page. */
static void show_points(struct page *page, const struct bench *b)
{
    int used = page->y + 1; /* a blank row */
    struct rect rest = {page->in.y + used, page->in.x, page->in.rows - used, page->in.cols};

    if (rest.rows >= POINTS_LEAST && b->line_count > 0)
        page->y = used + bench_points_draw(b, page->canvas, rest);
}

static void show_terms(struct page *page, const struct bench *b)
{
    const struct confirm *c = b->confirm;
    struct strbuf words;

    page_row(page, 0, INK_DIM,
             "term                    predicted    low..high measured    error  band");
    for (int i = 0; i < c->terms; i++)
        show_term(page, b, &c->term[i]);
    show_tpot(page, b);
    if (b->stage == STAGE_RUN) {
        bench_progress_draw(b, page);
        for (int i = int_max(b->notes - 2, 0); i < b->notes; i++)
            page_words(page, 0, INK_WARN, b->note[i]);
        bench_gauges_draw(b, page);
        return;
    }
    if (b->stage != STAGE_DONE || b->refresh == REFRESH_MEASURED) {
        page_words(page, 0, INK_TEXT,
                   b->stage != STAGE_DONE ? "F5 measures these, two minutes at most; p all of Bench"
                                          : "planning with what was measured...");
        show_points(page, b);
        return;
    }
    strbuf_init(&words);
    confirm_say(c, &words);
    for (char *at = words.text, *line; (line = strsep(&at, "\n")) && line[0];)
        page_words(page, 0, INK_TEXT, line);
    strbuf_fini(&words);
    page_words(page, 0, INK_TEXT,
               confirm_counts(c) ? "kept for later plans: w saves it under a name too, D drops it, "
                                   "r again, p all of Bench"
                                 : "w saves the result under a name, r again, p all of Bench");
    show_points(page, b);
}

#define SAID_COLS 26

#define TERM_COLS 52  /* of a term of the TPOT and its value, */
#define TERM_LEAST 16 /* and of its bar at least */

/* What the TPOT adds up from, each as a bar of it. */
static void show_rests(struct page *page, const struct form *form, const struct plan *p)
{
    int room = int_min(page->in.cols - TERM_COLS, 100), first = 0;
    struct texts texts = {0};

    while (first < form->why_count && strcmp(form->why[first].symbol, "G_i") != 0)
        first++;
    if (first == form->why_count || page->in.rows - page->y < 2 * POINTS_LEAST)
        return;
    page_rule(page, "What its TPOT rests on, estimated");
    for (int i = first; i < form->why_count; i++) {
        const struct term *t = &form->why[i];
        double share = t->value.value / (1e3 * p->speed.tpot.value);
        char name[TERM_NAME_MAX];

        if (page->in.rows - page->y < POINTS_LEAST + 2)
            break;
        if (strcmp(t->unit, "ms") != 0 || gp_has_word("solo pc stall", " ", t->symbol))
            continue; /* the last are of prompts alone */
        if (room >= TERM_LEAST)
            canvas_run(page->canvas, page->in, page->y, TERM_COLS,
                       (int)lround(fmin(share, 1) * room), INK_SERIES1, GLYPH_FULL);
        page_row(page, 0, INK_TEXT,
                 texts_addf(&texts, "%-36.36s %8.3f ms", term_name(t, name), t->value.value));
        if (strcmp(t->symbol, "TPOT") == 0)
            break;
    }
    texts_fini(&texts);
}

/* The plan's GPU is not here: what is offered, what the plan rests on, and what
 * would be measured of it here. */
static void show_elsewhere(struct page *page, const struct form *form, const struct bench *b)
{
    const struct plan *p = &b->confirm->before.plan;
    struct texts texts = {0};

    page_wordsf(page, 0, INK_WARN,
                "This host has no %s, it has %s. Enter plans %s on that, and "
                "confirms it: "
                "about two minutes, x stops, u takes the plan back. p measures "
                "without a plan.",
                p->request.gpu->id, b->confirm->here, p->request.model->id);
    page->y++;
    if (page->y + 2 < page->in.rows)
        page_rule(page, "What the plan says, not measured");
    for (int id = FIGURE_TTFT; id <= FIGURE_TOKENS; id++) {
        const struct figure_row *row = &figure_rows[id];
        struct quantity q = figure_value(p, (enum figure_id)id);

        if (q.known)
            bench_fact(page, SAID_COLS, row->label, "%s (%s), %s",
                       figure_amount(row->style, q, &texts), figure_band(row->style, q, &texts),
                       origin_word(q.origin));
    }
    bench_fact(page, SAID_COLS, "bound by", "%s", sentence_speed_bound(p));
    texts_fini(&texts);
    show_rests(page, form, p);
    show_points(page, b);
}

void confirm_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                  struct rect box)
{
    struct page page = {.canvas = canvas, .in = rect_inside(box)};
    const struct plan *p = app->form->answered ? &app->form->answer->plan : NULL;
    const struct confirm *c = b->confirm;
    char note[96] = "";

    if (p)
        gp_format(note, sizeof(note), "%.40s %.16s on %.24s", p->request.model->id,
                  p->request.precision.id, p->request.gpu->id);
    if (c && c->terms > 0 && !b->err.text[0])
        show_terms(&page, b);
    else if (b->session && session_state(b->session) == SESSION_LOOKING)
        page_words(&page, 0, INK_TEXT, "looks for devices");
    else if (b->err.text[0])
        page_words(&page, 0, INK_BAD, b->err.text);
    else if (!p)
        page_words(&page, 0, INK_BAD, app->form->err.text);
    else if (c && c->before.plan.speed.gap != SPEED_KNOWN)
        page_words(&page, 0, INK_WARN, "the plan has no estimate of speed to confirm");
    else if (c)
        show_elsewhere(&page, app->form, b);
    if (b->stage != STAGE_RUN)
        box.rows = int_min(box.rows, page.y + 2);
    canvas_box(canvas, box, "Confirm", note);
    canvas_cursor(canvas, page.in, 0, 0);
}
