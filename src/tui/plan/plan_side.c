/*
 * plan_side.c - the third column of a large screen: alternatives, what breaks first,
 * tokens/s over users (plan_answer.h).
 */
#include "tui/plan/plan_answer.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "base/units.h"
#include "plan/compare.h"
#include "tui/list.h"
#include "tui/toolkit/plot_draw.h"

/* ---- alternatives ---- */

static const struct list_column columns[] = {
    {"GPU", 0, 0, false}, {"n", 2, 0, true},   {"$/h", 6, 0, true},
    {"TPOT", 4, 0, true}, {"$/M", 6, 0, true},
};
#define MOST_COLS 56 /* further apart, rows are hard to follow */
enum { COL_GPU, COL_COUNT, COL_HOUR, COL_TPOT, COL_MILLION, COLUMNS };

/* "$2.70", "$104": at most six columns. */
static char *short_money(char text[32], double dollars)
{
    if (dollars < 99.995)
        return units_money(text, 32, dollars);
    gp_format(text, 32, "$%.0f", dollars);
    return text;
}

static void show_alternative(struct page *p, const struct list_table *t, const char *id,
                             const struct outcome *o, bool own)
{
    char text[32];
    enum ink ink = own ? INK_HEADING : INK_TEXT;

    list_cell(p->canvas, p->in, p->y, t, COL_GPU, ink, id);
    gp_format(text, sizeof(text), "%d", o->gpus);
    list_cell(p->canvas, p->in, p->y, t, COL_COUNT, ink, text);
    list_cell(p->canvas, p->in, p->y, t, COL_HOUR, ink, short_money(text, o->per_hour));
    gp_format(text, sizeof(text),
              o->tpot <= 0        ? "-"
              : o->tpot < 99.5e-3 ? "%.1f"
                                  : "%.0f",
              o->tpot * 1e3);
    list_cell(p->canvas, p->in, p->y, t, COL_TPOT, ink, text);
    if (o->million > 0)
        list_cell(p->canvas, p->in, p->y, t, COL_MILLION, ink, short_money(text, o->million));
}

static void show_alternatives(struct page *p, const struct form *form, const struct plan_more *more)
{
    struct list_table t = list_table(columns, COLUMNS, int_min(p->in.cols, MOST_COLS));
    const char *own = form->answer->plan.request.gpu->id;

    for (int c = 0; c < COLUMNS; c++)
        list_cell(p->canvas, p->in, p->y, &t, c, INK_DIM, columns[c].title);
    p->y++;
    if (more->done && more->best_count == 0)
        page_row(p, 0, INK_TEXT, "no GPU with a price holds it");
    for (int i = 0; i < PLAN_ALTERNATIVES; i++, p->y++)
        if (i < more->best_count) {
            const struct outcome_row *row = &more->gpus.rows[more->best[i]];

            show_alternative(p, &t, row->id, &row->outcome, strcmp(row->id, own) == 0);
        }
}

/* ---- what breaks first ---- */

/* What becomes of one user more than hold, so that the row agrees with "holds": 2.9 requests
 * hold no third user (", to 3"); the second that only the low end of their band does not hold
 * is no contradiction (": 2 marginal"). */
static void add_total(char *more, size_t size, const struct break_point *b, const struct plan *plan)
{
    bool marginal = b->limit == LIMIT_KV && b->at + 1 <= compare_capacity(plan);
    size_t used = strlen(more);
    char total[32];

    units_tokens(total, sizeof(total), b->at + 1);
    gp_format(more + used, size - used, marginal ? ": %s marginal" : ", to %s", total);
}

/* "+2 users, to 18  KV pool"; plan: of the users alone */
static void show_break(struct page *p, const struct break_point *b, const char *what,
                       const struct plan *plan, bool whole)
{
    char more[64], number[32];
    double step = b->at - b->from;
    int x = p->in.cols >= 48 ? 30 : 24;

    if (!b->known)
        return;
    if (!whole)
        gp_format(more, sizeof(more), "%s %.3g %s", b->ends ? "none up to" : "beyond", b->at, what);
    else if (b->ends)
        gp_format(more, sizeof(more), "none up to %s %ss",
                  units_tokens(number, sizeof(number), b->at), what);
    else
        gp_format(more, sizeof(more), "+%s %s%s", units_tokens(number, sizeof(number), step + 1),
                  what, step > 0 ? "s" : "");
    if (whole && !b->ends && plan)
        add_total(more, sizeof(more), b, plan);
    canvas_fit(p->canvas, p->in, p->y, 0, b->ends ? p->in.cols : x - 1,
               b->ends ? INK_DIM : INK_TEXT, more);
    if (!b->ends)
        canvas_fit(p->canvas, p->in, p->y, x, p->in.cols - x, INK_HEADING,
                   limit_words[b->limit].noun);
    p->y++;
}

static void show_breaks(struct page *p, const struct form *form, const struct plan_more *more)
{
    bool rate = form->answer->plan.request.rate > 0;
    int from;

    page_rule(p, "First to break, this layout");
    from = p->y;
    show_break(p, &more->breaks[BREAK_USERS], rate ? "requests/s" : "user", &form->answer->plan,
               !rate);
    show_break(p, &more->breaks[BREAK_CONTEXT], "context token", NULL, true);
    show_break(p, &more->breaks[BREAK_PROMPT], "prompt token", NULL, true);
    if (p->y == from)
        page_words(p, 0, INK_TEXT,
                   verdict_holds(form->answer->plan.verdict) ? "" : "it has broken already");
}

/* ---- the plot ---- */

static void show_plot(struct page *p, const struct form *form, const struct plan_more *more)
{
    struct rect in = {p->in.y + p->y + 1, p->in.x, p->in.rows - p->y - 1, p->in.cols};
    struct plot plot;
    struct plot_series *tokens;
    double top = 0;

    if (in.rows < 6 || more->samples < 2)
        return;
    page_rule(p, "Output tok/s over users (3)");
    plot_init(&plot);
    tokens = plot_add(&plot, "tokens/s", PLOT_1, 0);
    for (int i = 0; i < more->samples; i++) {
        plot_point(tokens, more->sample[i].users, more->sample[i].tokens);
        top = fmax(top, more->sample[i].tokens);
    }
    plot.x = (struct plot_axis){.low = 1,
                                .high = more->sample[more->samples - 1].users,
                                .log = true,
                                .base = 2,
                                .title = "users at once"};
    plot.y = (struct plot_axis){.low = 0, .high = top * 1.05, .title = "", .unit = ""};
    plot_draw(p->canvas, in, &plot, form->answer->plan.request.users);
    plot_fini(&plot);
}

void plan_side_draw(struct canvas *canvas, struct rect in, const struct form *form,
                    const struct plan_more *more)
{
    struct page p = {.canvas = canvas, .in = in};

    if (!form->answered)
        return;
    show_alternatives(&p, form, more);
    show_breaks(&p, form, more);
    show_plot(&p, form, more);
}
