/*
 * plan_answer.c - the page below the head of the answer (plan_answer.h).
 */
#include "tui/plan/plan_answer.h"

#include <stdio.h>
#include <string.h>

#include "answer/answer_lines.h"
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
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(&a->plan, a, kind, lines);

    for (int i = 0; i < n; i++)
        if (lines[i].amount[0])
            page_wordsf(p, 2, ink, "%s %s: %s", lines[i].name, lines[i].amount, lines[i].text);
        else if (lines[i].text[0])
            page_wordsf(p, 2, ink, "%s%s%s", is_named(kind) ? lines[i].name : "",
                        is_named(kind) ? ": " : "", lines[i].text);
}

/* ---- speed ---- */

bool plan_is_measured(const struct plan *plan)
{
    return request_corrected(&plan->request) || plan->speed.tpot.origin == ORIGIN_MEASURED;
}

enum { NAME_COLS = 8, AMOUNT_COLS = 10, BAND_COLS = 14 };

struct speed_row {
    const char *name, *amount, *band;
    char goal[24];
    bool asked, met;
};

static int goal_x(const struct page *p)
{
    return NAME_COLS + AMOUNT_COLS + 2 + BAND_COLS + (p->in.cols >= 46 ? 2 : 0);
}

static void show_speed_row(struct page *p, const struct speed_row *row)
{
    struct rect in = p->in;
    int x = NAME_COLS, goal = goal_x(p);

    if (p->canvas) {
        canvas_fit(p->canvas, in, p->y, 0, NAME_COLS, INK_TEXT, row->name);
        list_text(p->canvas, in, p->y, x, AMOUNT_COLS, true, INK_HEADING, row->amount);
        x += AMOUNT_COLS + 2;
        canvas_fit(p->canvas, in, p->y, x, in.cols - x, INK_ESTIMATE, row->band);
        if (goal + 4 <= in.cols && in.cols >= 46)
            list_text(p->canvas, in, p->y, goal, 5, true, row->asked ? INK_TEXT : INK_DIM,
                      row->goal);
        if (row->asked)
            canvas_right(p->canvas, in, p->y, row->met ? INK_OK : INK_WARN,
                         row->met ? "met" : "slow");
    }
    p->y++;
}

static void set_goal(struct speed_row *row, double goal, double scale, bool met)
{
    row->asked = goal > 0;
    row->met = met;
    if (goal > 0)
        gp_format(row->goal, sizeof(row->goal), "%s", UNITS_PLAIN(goal * scale, 4));
    else
        gp_copy(row->goal, sizeof(row->goal), "none");
}

/* The band without its unit, which the amount has. */
static const char *band_of(struct answer_line *line)
{
    char *blank = strchr(line->note, ' ');

    if (blank)
        *blank = '\0';
    return line->note;
}

static void show_paces(struct page *p, const struct plan *plan,
                       struct answer_line lines[ANSWER_LINES_MAX])
{
    const struct request *q = &plan->request;
    const struct speed *v = &plan->speed;
    struct speed_row tpot = {"TPOT", lines[0].amount, band_of(&lines[0]), "", 0, 0};
    struct speed_row ttft = {"TTFT", lines[1].amount, band_of(&lines[1]), "", 0, 0};
    struct speed_row out = {"output", NULL, band_of(&lines[2]), "", 0, 0};
    char rate[48];

    gp_format(rate, sizeof(rate), "%.*s tok/s", (int)strcspn(lines[2].amount, "/"),
              lines[2].amount);
    out.amount = rate;
    set_goal(&ttft, q->ttft, 1e3, v->ttft.value <= q->ttft);
    set_goal(&tpot, q->tpot, 1e3, v->tpot.value <= q->tpot);
    set_goal(&out, q->throughput, 1, v->tokens.value >= q->throughput);
    show_speed_row(p, &ttft);
    show_speed_row(p, &tpot);
    show_speed_row(p, &out);
}

/* "holds   2.9 requests of 8,192 tokens; first: KV pool" */
static void show_holds(struct page *p, const struct plan *plan, const struct plan_more *more)
{
    const struct break_point *b = more ? &more->breaks[BREAK_USERS] : NULL;
    bool breaks = b && b->known && !b->ends;
    char whole[160], held[80], first[120], tokens[32];
    const char *texts[] = {whole, first, held, NULL};

    if (!plan->memory.max_concurrency.known)
        return;
    units_tokens(tokens, sizeof(tokens), plan->request.context);
    gp_format(held, sizeof(held), "%-*s%.1f requests of %s", NAME_COLS, "holds",
              compare_capacity(plan), tokens);
    gp_copy(whole, sizeof(whole), held);
    gp_copy(first, sizeof(first), held);
    if (breaks)
        gp_format(whole, sizeof(whole), "%s; first: %s", held, limit_words[b->limit].noun);
    if (breaks)
        gp_format(first, sizeof(first), "%-*s%.1f requests; first: %s", NAME_COLS, "holds",
                  compare_capacity(plan), limit_words[b->limit].noun);
    page_first(p, INK_TEXT, texts);
}

/* "bound   memory bandwidth; not measured: 4", or what decides a marginal verdict. */
static void show_bound(struct page *p, const struct plan *plan)
{
    const char *bound = sentence_speed_bound(plan->speed.bound);
    bool known = plan_is_measured(plan);
    int len = (int)strcspn(bound, ":");
    char whole[SENTENCE_MAX], text[SENTENCE_MAX], less[SENTENCE_MAX], said[SENTENCE_MAX];
    const char *texts[] = {whole, text, less, NULL};

    if (plan->verdict == VERDICT_MARGINAL && plan->knob != KNOB_NONE) {
        page_wordsf(p, NAME_COLS, INK_WARN, "%-*s%s", NAME_COLS, "decides",
                    sentence_knob(plan, said));
        return;
    }
    gp_format(whole, sizeof(whole), "%-*s%s; %s", NAME_COLS, "bound", bound,
              known ? "measured" : "not measured: 4");
    gp_format(text, sizeof(text), "%-*s%.*s; %s", NAME_COLS, "bound", len, bound,
              known ? "measured" : "not measured: 4");
    gp_format(less, sizeof(less), "%-*s%.*s; %s", NAME_COLS, "bound", len, bound,
              known ? "measured" : "4 measures");
    page_first(p, INK_TEXT, texts);
}

static void show_speed(struct page *p, const struct plan *plan, const struct plan_more *more)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    char title[40], said[SENTENCE_MAX];
    bool known = plan->speed.gap == SPEED_KNOWN;

    gp_format(title, sizeof(title), "Speed: %s",
              !known                   ? "unknown"
              : plan_is_measured(plan) ? "measured"
                                       : origin_word(plan->speed.tpot.origin));
    rule_titles(p, title, NAME_COLS + AMOUNT_COLS + 2, known ? "low..high " : "");
    if (known && p->canvas && p->y > 0 && p->in.cols >= 46)
        canvas_text(p->canvas, p->in, p->y - 1, goal_x(p), INK_DIM, " goal ");
    if (known && answer_lines(plan, NULL, LINE_SPEED, lines) > 2)
        show_paces(p, plan, lines);
    else
        page_words(p, 0, INK_TEXT, sentence_speed_gap(plan, said));
    show_holds(p, plan, more);
    if (known)
        show_bound(p, plan);
}

/* ---- cost ---- */

/* "on demand  $4.57/h  $3,335/mo  nebius, by 2026-11" */
static void show_rent(struct page *p, const char *name, const struct rent *r)
{
    char hour[32], month[32], date[SENTENCE_DATE_MAX], whole[160], less[160], by[120];
    char text[80];
    const char *texts[] = {whole, less, by, text, NULL};
    int year;

    if (!r->known)
        return;
    sentence_price_date(r->instance, date);
    units_money(hour, sizeof(hour), r->per_hour);
    units_money(month, sizeof(month), r->per_month);
    if (r->per_month >= 100) /* cents are noise there */
        month[strcspn(month, ".")] = '\0';
    gp_format(text, sizeof(text), "%-9s %s/h %s/mo", name, hour, month);
    gp_format(by, sizeof(by), "%s %s", text, r->instance->provider);
    gp_format(whole, sizeof(whole), "%s, %s", by, date[0] ? date : "undated");
    year = (int)strcspn(date, "0123456789"); /* "by 2026-11", "by 26-11" */
    gp_format(less, sizeof(less), "%s, %.*s%s", by, year, date,
              date[year] ? date + year + 2 : "undated");
    page_first(p, INK_TEXT, texts);
}

static void show_buy(struct page *p, const struct cost *cost)
{
    const struct buy *b = &cost->buy;
    double months = b->break_even_hours / (COST_HOURS_PER_MONTH * b->hours_share);
    char hour[32], text[80], whole[160], less[120];
    const char *texts[] = {whole, less, text, NULL};

    if (!b->known)
        return;
    gp_format(text, sizeof(text), "%-9s %s/h", "buy",
              units_money(hour, sizeof(hour), b->per_hour.value));
    gp_copy(whole, sizeof(whole), text);
    gp_copy(less, sizeof(less), text);
    if (b->break_even_hours > 0) {
        gp_format(whole, sizeof(whole), "%s  break-even %.1f months", text, months);
        gp_format(less, sizeof(less), "%s, even in %.1f months", text, months);
    }
    page_first(p, INK_TEXT, texts);
}

/* The class that was asked for first. */
static void show_cost(struct page *p, const struct plan *plan)
{
    const struct cost *c = &plan->cost;
    char said[SENTENCE_MAX];
    int from;

    if (!plan->has_memory)
        return;
    page_rule(p, "Cost");
    from = p->y;
    if (c->want == WANT_BUY)
        show_buy(p, c);
    if (c->want == WANT_SPOT)
        show_rent(p, "spot", &c->spot);
    if (c->want == WANT_MARKET)
        show_rent(p, "market", &c->market);
    show_rent(p, "on demand", &c->on_demand);
    if (c->want != WANT_BUY)
        show_buy(p, c);
    if (p->y == from)
        page_words(p, 0, INK_TEXT,
                   c->note != COST_NOTE_NONE ? sentence_cost_note(plan, said)
                                             : "no price is known");
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
    struct answer_line line[ANSWER_LINES_MAX];

    page_rule(p, "Why");
    show_lines(p, a, LINE_REASON, INK_TEXT);
    show_lines(p, a, LINE_STARTUP, INK_WARN);
    show_lines(p, a, LINE_WARNING, INK_WARN);
    show_lines(p, a, LINE_GPU_FROM, INK_TEXT);
    if (answer_lines(&a->plan, a, LINE_LAYOUT, line) > 0 && a->plan.has_memory)
        page_wordsf(p, 2, INK_TEXT, "GPUs %d: %s", a->plan.layout.gpus, line->text);
    if (answer_lines(&a->plan, a, LINE_RUNNER_UP, line) > 0)
        page_wordsf(p, 2, INK_DIM, "runner-up %d: %s (%s)", a->plan.second.layout.gpus, line->text,
                    line->note);
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
