/*
 * plan_answer.c - the page below the head of the answer (plan_answer.h).
 */
#include "tui/plan/plan_answer.h"

#include <stdio.h>
#include <string.h>

#include "answer/answer_lines.h"
#include "answer/figures.h"
#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/better.h"
#include "plan/compare.h"
#include "tui/list.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/words.h"

/* A rule whose columns have titles, from column `x` on. */
static void rule_titles(struct page *p, const char *title, int x, const char *titles)
{
    if (p->canvas && p->y >= 0) {
        canvas_rule(p->canvas, p->in, p->y, title);
        if (titles[0] && x > gp_width(title) + 4)
            canvas_textf(p->canvas, p->in, p->y, x - 1, INK_DIM, " %s", titles);
    }
    p->y++;
}

/* The lines of one kind, each as a paragraph. */
static bool is_named(enum line_kind kind)
{
    return kind == LINE_WARNING || kind == LINE_STARTUP || kind == LINE_LOGGED;
}

static void show_lines(struct page *p, const struct answer *a, enum line_kind kind, enum ink ink)
{
    struct answer_lines lines;

    answer_lines(&a->plan, a, kind, &lines);
    for (int i = 0; i < lines.count; i++) {
        const struct answer_line *line = &lines.list[i];

        if (line->amount[0])
            page_wordsf(p, 2, ink, "%s %s: %s", line->name, line->amount, line->text);
        else if (line->text[0])
            page_wordsf(p, 2, ink, "%s%s%s", is_named(kind) ? line->name : "",
                        is_named(kind) ? ": " : "", line->text);
    }
    answer_lines_fini(&lines);
}

/* ---- speed ---- */

bool plan_is_measured(const struct plan *plan)
{
    return request_corrected(&plan->request) || plan->speed.tpot.origin == ORIGIN_MEASURED;
}

enum { NAME_COLS = 8, AMOUNT_COLS = 10, BAND_COLS = 14 };

static int goal_x(const struct page *p)
{
    return NAME_COLS + AMOUNT_COLS + 2 + BAND_COLS + (p->in.cols >= 46 ? 2 : 0);
}

/* A figure with its band and what was asked of it; `unit` in place of its own. */
static void show_pace(struct page *p, const char *name, enum figure_style style,
                      struct quantity value, double goal, double scale, bool met)
{
    struct rect in = p->in;
    struct texts texts = {0};
    const char *amount = figure_amount(style, value, &texts);
    const char *band = figure_band(style, value, &texts);
    int x = NAME_COLS, at = goal_x(p);

    if (p->canvas) {
        if (style == AS_RATE)
            amount = texts_addf(&texts, "%.*s tok/s", (int)strcspn(amount, "/"), amount);
        canvas_fit(p->canvas, in, p->y, 0, NAME_COLS, INK_TEXT, name);
        list_text(p->canvas, in, p->y, x, AMOUNT_COLS, true, INK_HEADING, amount);
        x += AMOUNT_COLS + 2; /* the amount has the unit */
        canvas_fit(p->canvas, in, p->y, x, in.cols - x, INK_ESTIMATE,
                   texts_addf(&texts, "%.*s", (int)strcspn(band, " "), band));
        if (at + 4 <= in.cols && in.cols >= 46)
            list_text(p->canvas, in, p->y, at, 5, true, goal > 0 ? INK_TEXT : INK_DIM,
                      goal > 0 ? UNITS_PLAIN(goal * scale, 4) : "none");
        if (goal > 0)
            canvas_right(p->canvas, in, p->y, met ? INK_OK : INK_WARN, met ? "met" : "slow");
    }
    p->y++;
    texts_fini(&texts);
}

/* "holds   2.9 requests of 8,192 tokens; first: KV pool" */
static void show_holds(struct page *p, const struct plan *plan, const struct plan_more *more)
{
    const struct break_point *b = more ? &more->breaks[BREAK_USERS] : NULL;
    const char *first = b && b->known && !b->ends ? limit_words[b->limit].noun : NULL;
    struct texts t = {0};
    const char *held, *texts[] = {NULL, NULL, NULL, NULL};

    if (!plan->memory.max_concurrency.known)
        return;
    held = texts_addf(&t, "%-*s%.1f requests", NAME_COLS, "holds", compare_capacity(plan));
    texts[0] = texts[2] = texts_addf(&t, "%s of %s", held, UNITS_TOKENS(plan->request.context));
    texts[1] = texts[0];
    if (first) {
        texts[0] = texts_addf(&t, "%s; first: %s", texts[2], first);
        texts[1] = texts_addf(&t, "%s; first: %s", held, first);
    }
    page_first(p, INK_TEXT, texts);
    texts_fini(&t);
}

/* "bound   memory bandwidth; not measured: 4", or what decides a marginal verdict. */
static void show_bound(struct page *p, const struct plan *plan)
{
    const char *bound = sentence_speed_bound(plan->speed.bound);
    const char *measured = plan_is_measured(plan) ? "measured" : "not measured: 4";
    int len = (int)strcspn(bound, ":");
    struct texts t = {0};

    if (plan->verdict == VERDICT_MARGINAL && plan->knob != KNOB_NONE) {
        page_wordsf(p, NAME_COLS, INK_WARN, "%-*s%s", NAME_COLS, "decides",
                    sentence_knob(plan, &t));
    } else {
        const char *texts[] = {
            texts_addf(&t, "%-*s%s; %s", NAME_COLS, "bound", bound, measured),
            texts_addf(&t, "%-*s%.*s; %s", NAME_COLS, "bound", len, bound, measured),
            texts_addf(&t, "%-*s%.*s; %s", NAME_COLS, "bound", len, bound,
                       plan_is_measured(plan) ? "measured" : "4 measures"),
            NULL};

        page_first(p, INK_TEXT, texts);
    }
    texts_fini(&t);
}

static void show_speed(struct page *p, const struct plan *plan, const struct plan_more *more)
{
    const struct request *q = &plan->request;
    const struct speed *v = &plan->speed;
    bool known = v->gap == SPEED_KNOWN;
    struct texts t = {0};

    rule_titles(p,
                texts_addf(&t, "Speed: %s",
                           !known                   ? "unknown"
                           : plan_is_measured(plan) ? "measured"
                                                    : origin_word(v->tpot.origin)),
                NAME_COLS + AMOUNT_COLS + 2, known ? "low..high " : "");
    if (known && p->canvas && p->y > 0 && p->in.cols >= 46)
        canvas_text(p->canvas, p->in, p->y - 1, goal_x(p), INK_DIM, " goal ");
    if (known) {
        show_pace(p, "TTFT", AS_TIME, v->ttft, q->ttft, 1e3, v->ttft.value <= q->ttft);
        show_pace(p, "TPOT", AS_TIME, v->tpot, q->tpot, 1e3, v->tpot.value <= q->tpot);
        show_pace(p, "output", AS_RATE, v->tokens, q->throughput, 1,
                  v->tokens.value >= q->throughput);
    } else {
        page_words(p, 0, INK_TEXT, sentence_speed_gap(plan, &t));
    }
    show_holds(p, plan, more);
    if (known)
        show_bound(p, plan);
    texts_fini(&t);
}

/* ---- cost ---- */

/* "on demand  $4.57/h  $3,335/mo  nebius, by 2026-11" */
static void show_rent(struct page *p, const struct plan *plan, const char *name,
                      const struct rent *r)
{
    struct texts t = {0};
    struct rent_words words;
    const char *text, *by;
    int year, cents;

    if (!r->known)
        return;
    rent_words(plan, r, &t, &words);
    cents = r->per_month >= 100 ? (int)strcspn(words.month, ".") : (int)strlen(words.month);
    text = texts_addf(&t, "%-9s %s/h %.*s/mo", name, words.hour, cents, words.month);
    by = texts_addf(&t, "%s %s", text, r->instance->provider);
    year = (int)strcspn(words.date, "0123456789"); /* "by 2026-11", "by 26-11" */
    const char *texts[] = {texts_addf(&t, "%s, %s", by, words.date),
                           texts_addf(&t, "%s, %.*s%s", by, words.date[year] ? year : 0, words.date,
                                      words.date[year] ? words.date + year + 2 : words.date),
                           by, text, NULL};
    page_first(p, INK_TEXT, texts);
    texts_fini(&t);
}

static void show_buy(struct page *p, const struct cost *cost)
{
    const struct buy *b = &cost->buy;
    double months = b->break_even_hours / (COST_HOURS_PER_MONTH * b->hours_share);
    bool even = b->break_even_hours > 0;
    struct texts t = {0};
    const char *text = texts_addf(&t, "%-9s %s/h", "buy", UNITS_MONEY(b->per_hour.value));
    const char *texts[] = {even ? texts_addf(&t, "%s  break-even %.1f months", text, months) : text,
                           even ? texts_addf(&t, "%s, even in %.1f months", text, months) : text,
                           text, NULL};

    if (b->known)
        page_first(p, INK_TEXT, texts);
    texts_fini(&t);
}

/* The class that was asked for first. */
static void show_cost(struct page *p, const struct plan *plan)
{
    const struct cost *c = &plan->cost;
    struct texts said = {0};
    int from;

    if (!plan->has_memory)
        return;
    page_rule(p, "Cost");
    from = p->y;
    if (c->want == WANT_BUY)
        show_buy(p, c);
    if (c->want == WANT_SPOT)
        show_rent(p, plan, "spot", &c->spot);
    if (c->want == WANT_MARKET)
        show_rent(p, plan, "market", &c->market);
    show_rent(p, plan, "on demand", &c->on_demand);
    if (c->want != WANT_BUY)
        show_buy(p, c);
    if (p->y == from)
        page_words(p, 0, INK_TEXT,
                   c->note != COST_NOTE_NONE ? sentence_cost_note(plan, &said)
                                             : "no price is known");
    texts_fini(&said);
}

/* ---- ways to change ---- */

/* "--gpu l40s:4 --tp auto" without what people do not say. */
char *plan_fix_change(const struct plan *plan, const struct fix *fix, char text[FIX_OPTIONS_MAX])
{
    bool same = fix->request.gpu == plan->request.gpu && fix->gpus == plan->layout.gpus;
    char options[FIX_OPTIONS_MAX], *rest;
    size_t n = 0;

    planner_fix_options(fix, options);
    text[0] = '\0';
    for (const char *word = strtok_r(options, " ", &rest); word;
         word = strtok_r(NULL, " ", &rest)) {
        const char *value;

        if (strncmp(word, "--", 2) != 0)
            continue;
        value = strtok_r(NULL, " ", &rest);
        if (!value || strcmp(value, "auto") == 0 || (same && strcmp(word, "--gpu") == 0))
            continue;
        word += 2;
        if (gp_has_word("gpu precision engine", " ", word)) /* the value says which */
            word = "";
        gp_format(text + n, FIX_OPTIONS_MAX - n, "%s%s%s%s", n ? ", " : "", word,
                  word[0] ? " " : "", value);
        n = strlen(text);
    }
    return text[0] ? text : planner_fix_options(fix, text);
}

struct outcome plan_fix_outcome(const struct fix *fix, const struct outcome *planned)
{
    struct outcome o = {.known = true,
                        .verdict = fix->verdict,
                        .gpus = fix->gpus,
                        .per_hour = fix->per_hour,
                        .tpot = fix->tpot};

    if (planned && planned->known)
        o = *planned;
    o.gain = better_word(fix->better);
    return o;
}

static void show_ways(struct page *p, const struct answer *a, const struct plan_more *more)
{
    bool fits = verdict_holds(a->plan.verdict);
    int cols = p->in.cols >= 62  ? OUTCOME_WHOLE
               : p->in.cols < 46 ? OUTCOME_LEAST
               : fits            ? OUTCOME_GAIN
                                 : OUTCOME_SHORT;
    int x = p->in.cols - cols;
    char change[FIX_OPTIONS_MAX], row[OUTCOME_TEXT];

    rule_titles(p, fits ? "Changes (a)" : "Ways out (a)", x, outcome_titles(cols));
    if (a->fix_count == 0)
        page_words(p, 0, INK_TEXT,
                   fits ? "no single change is better; 2: all GPUs"
                        : "no single change makes it fit; 2: all GPUs");
    for (int i = 0; i < a->fix_count; i++, p->y++) {
        struct outcome o = plan_fix_outcome(&a->fixes[i], more ? &more->fix[i] : NULL);
        char number[8];

        if (!p->canvas)
            continue;
        gp_format(number, sizeof(number), "%d", i + 1);
        canvas_text(p->canvas, p->in, p->y, 0, INK_KEY, number);
        plan_fix_change(&a->plan, &a->fixes[i], change);
        /* of one change the end decides: "server:2" */
        (strstr(change, ", ") ? canvas_fit : canvas_fit_end)(p->canvas, p->in, p->y, 2 + (i >= 9),
                                                             x - 3 - (i >= 9), INK_TEXT, change);
        canvas_fit(p->canvas, p->in, p->y, x, cols, outcome_ink(o.verdict),
                   outcome_text(&o, cols, row));
        canvas_ink(p->canvas, p->in, p->y, x + 8, cols - 8, INK_TEXT);
    }
}

/* ---- why ---- */

static void show_why(struct page *p, const struct answer *a)
{
    struct answer_lines lines;

    page_rule(p, "Why");
    show_lines(p, a, LINE_REASON, INK_TEXT);
    show_lines(p, a, LINE_STARTUP, INK_WARN);
    show_lines(p, a, LINE_WARNING, INK_WARN);
    show_lines(p, a, LINE_GPU_FROM, INK_TEXT);
    if (answer_lines(&a->plan, a, LINE_LAYOUT, &lines) > 0 && a->plan.has_memory)
        page_wordsf(p, 2, INK_TEXT, "GPUs %d: %s", a->plan.layout.gpus, lines.list[0].text);
    answer_lines_fini(&lines);
    if (answer_lines(&a->plan, a, LINE_RUNNER_UP, &lines) > 0)
        page_wordsf(p, 2, INK_DIM, "runner-up %d: %s (%s)", a->plan.second.layout.gpus,
                    lines.list[0].text, lines.list[0].note);
    answer_lines_fini(&lines);
    show_lines(p, a, LINE_STAGE, INK_TEXT);
    show_lines(p, a, LINE_POOL, INK_TEXT);
    show_lines(p, a, LINE_LOGGED, INK_TEXT);
    page_words(p, 0, INK_DIM, "y: every equation, input and source");
}

/* ---- the page ---- */

static void page_answer(struct page *p, const struct form *form, const struct plan_more *more)
{
    const struct answer *a = form->answer;

    if (!form->answered) {
        page_wordsf(p, 2, INK_TEXT, "%s%s%s", form->err.where, form->err.where[0] ? ": " : "",
                    form->err.text);
        if (form->err.hint[0])
            page_wordsf(p, 2, INK_TEXT, "(%s)", form->err.hint);
        page_row(p, 0, INK_TEXT, "u: undo the last change");
        return;
    }
    if (a->plan.verdict == VERDICT_DOES_NOT_FIT) {
        show_ways(p, a, more);
        plan_pin_page(p, form);
        show_why(p, a);
        show_cost(p, &a->plan);
        return;
    }
    show_speed(p, &a->plan, more);
    show_cost(p, &a->plan);
    plan_pin_page(p, form);
    show_ways(p, a, more);
    show_why(p, a);
}

void plan_page_make(struct plan_page *page, const struct form *form, const struct plan_more *more,
                    int strip, int cols, enum charset charset)
{
    struct plan_page_of of = {.version = form->version,
                              .more = more ? 1 + more->taken + more->done : 0,
                              .strip = strip,
                              .cols = cols > 0 ? cols : 0,
                              .charset = charset};
    struct page lines = {.in = {0, 0, 0, of.cols}};

    if (page->lines.cells && memcmp(&of, &page->of, sizeof(of)) == 0)
        return;
    page->of = of;
    page->head.charset = page->lines.charset = charset;
    plan_answer_title(form, page->title, sizeof(page->title));
    canvas_clear(&page->head, strip ? FRAME_STRIP : PLAN_HEAD, strip ? strip : of.cols);
    (strip ? plan_strip_draw : plan_head_draw)(&page->head, canvas_rect(&page->head), form);
    page_answer(&lines, form, more); /* without a canvas they are counted */
    canvas_clear(&page->lines, lines.y, of.cols);
    lines = (struct page){.canvas = &page->lines, .in = canvas_rect(&page->lines)};
    page_answer(&lines, form, more);
}

void plan_page_fini(struct plan_page *page)
{
    canvas_fini(&page->head);
    canvas_fini(&page->lines);
}
