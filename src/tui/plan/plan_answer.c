/*
 * plan_answer.c - the answer: the rows that never move, the page below them, and the third
 * column of a large screen (plan_answer.h).
 */
#include "tui/plan/plan_answer.h"

#include <math.h>
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
#include "tui/membar.h"
#include "tui/plan_summary.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/plot_draw.h"

/* Have points measured here corrected its speed? */
static bool plan_is_measured(const struct plan *plan)
{
    return request_corrected(&plan->request) || plan->speed.tpot.origin == ORIGIN_MEASURED;
}

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
        if (strncmp(word, "--", 2) != 0)
            continue;
        const char *value = strtok_r(NULL, " ", &rest);
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

/* ---- the rows that never move ---- */

/* A word at its place, or behind the word before it where that is longer. Returns where
 * the next may begin. */
static int head_put(struct canvas *canvas, struct rect in, int at, int next, enum ink ink,
                    const char *text)
{
    int x = at > next ? at : next;

    return x + canvas_fit(canvas, in, 0, x, in.cols - x, ink, text) + 1;
}

/* "FITS  2 GPUs  $2.00/h  $30.09/M", "NO FIT  short 31.05 GiB on each L40S". */
static void draw_verdict(struct canvas *canvas, struct rect in, const struct form *form)
{
    const struct plan *plan = &form->answer->plan;
    struct quantity hour, million;
    bool wide = in.cols >= 46;
    int gpus = plan->layout.gpus, next;
    double lacks = plan->has_memory ? -plan_margin(plan) : 0;
    struct texts t = {0};

    if (!form->answered) {
        canvas_text(canvas, in, 0, 0, INK_BAD, "NO ANSWER");
        return;
    }
    next =
        head_put(canvas, in, 0, 0, plan_summary_ink(plan->verdict), plan_verdict_words(plan)->head);
    if (plan->verdict == VERDICT_DOES_NOT_FIT) {
        head_put(canvas, in, wide ? 9 : 8, next, INK_BAD,
                 lacks > 0 ? texts_addf(&t, "short %s on each %s", UNITS_GIB(lacks),
                                        gpu_short_name(plan->request.gpu))
                           : limit_words[plan->limit].noun);
    } else {
        hour = figure_value(plan, FIGURE_HOUR);
        million = figure_value(plan, FIGURE_MILLION);
        next = head_put(canvas, in, wide ? 13 : 12, next, INK_HEADING,
                        texts_addf(&t, "%d GPU%s", gpus, gpus == 1 ? "" : "s"));
        next = head_put(canvas, in, wide ? 22 : 21, next, INK_HEADING,
                        hour.known ? texts_addf(&t, "%s/h", UNITS_MONEY(hour.value))
                        : plan->cost.want == WANT_ON_DEMAND && plan->cost.market.known
                            ? "no list price"
                            : "no price");
        if (million.known && plan->request.model->pooling)
            head_put(canvas, in, wide ? 31 : 30, next, INK_HEADING,
                     texts_addf(&t, "%s%s", UNITS_MONEY(million.value),
                                in.cols >= 54 ? "/M tokens in"
                                : wide        ? "/M tok"
                                              : "/M"));
        else if (million.known)
            head_put(canvas, in, wide ? 33 : 30, next, INK_HEADING,
                     texts_addf(&t, "%s%s", UNITS_MONEY(million.value),
                                in.cols >= 54 ? "/M tokens out"
                                : wide        ? "/M tok"
                                              : "/M"));
    }
    texts_fini(&t);
}

/* "memory 95 % of budget, 2.16 GiB to spare; measured" */
static void draw_fill(struct canvas *canvas, struct rect in, const struct plan *plan)
{
    double budget = plan->memory.budget.value, margin = plan_margin(plan);
    double part = (budget - margin) / budget * 100, gib = fabs(margin) / GP_GIB;
    const char *what = margin < 0 ? "short" : "to spare";
    const char *logged = plan->memory.kv_pool.origin == ORIGIN_MEASURED ? "; measured" : "";
    const char *texts[5] = {NULL};
    struct texts t = {0};

    if (!plan->has_memory || budget <= 0)
        return;
    for (int i = 0; i < 4; i++)
        texts[i] = texts_addf(&t, "memory %.0f %% of budget, %.*f GiB %s%s", part,
                              i < 2 ? 2 - i : 0, gib, what, i < 3 ? logged : "");
    canvas_fit_first(canvas, in, 1, 0, in.cols, margin < 0 ? INK_BAD : INK_TEXT, texts);
    texts_fini(&t);
}

void plan_head_draw(struct canvas *canvas, struct rect in, const struct form *form)
{
    const struct plan *plan = &form->answer->plan;

    draw_verdict(canvas, in, form);
    if (!form->answered || !plan->has_memory)
        return;
    draw_fill(canvas, in, plan);
    if (in.rows < PLAN_HEAD)
        return;
    membar_draw(canvas, in, 2, plan);
    membar_legend(canvas, in, 3, plan);
}

/* The rows of a small screen: verdict, memory, and "TPOT 52.1 ms  TTFT 578 ms  18.5 tok/s
 * model" or the way out. */
static void strip_draw(struct canvas *canvas, struct rect in, const struct form *form)
{
    const struct answer *a = form->answer;
    const struct speed *v = &a->plan.speed;
    bool way = a->plan.verdict == VERDICT_DOES_NOT_FIT && a->fix_count > 0;
    char change[FIX_OPTIONS_MAX];
    struct texts t = {0};
    const char *text, *rate;

    draw_verdict(canvas, in, form);
    if (!form->answered) {
        canvas_fit(canvas, in, 1, 0, in.cols, INK_TEXT, form->err.text);
        canvas_fit(canvas, in, 2, 0, in.cols, INK_TEXT, "u: undo the last change");
        return;
    }
    draw_fill(canvas, in, &a->plan);
    if (way) {
        text = texts_addf(&t, "a: %d ways out, such as %s", a->fix_count,
                          plan_fix_change(&a->plan, &a->fixes[0], change));
    } else if (v->gap == SPEED_KNOWN && a->plan.request.model->pooling) {
        text = texts_addf(&t, "a prompt in %s, %s", figure_amount(AS_TIME, v->ttft, &t),
                          figure_amount(AS_RATE, v->requests, &t));
    } else if (v->gap == SPEED_KNOWN) {
        rate = figure_amount(AS_RATE, v->tokens, &t);
        text = texts_addf(&t, "TPOT %s TTFT %s %.*s%s %s", figure_amount(AS_TIME, v->tpot, &t),
                          figure_amount(AS_TIME, v->ttft, &t), (int)strcspn(rate, "/"), rate,
                          in.cols >= 46 ? " tok/s" : "/s",
                          plan_is_measured(&a->plan) ? "measured" : origin_word(v->tpot.origin));
    } else {
        text = sentence_first_reason(&a->plan, &t);
    }
    canvas_fit(canvas, in, 2, 0, in.cols, way ? INK_KEY : INK_TEXT, text);
    texts_fini(&t);
}

/* ---- the page ---- */

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

enum { NAME_COLS = 8, AMOUNT_COLS = 10, BAND_COLS = 14 };

static int goal_x(const struct page *p)
{
    return NAME_COLS + AMOUNT_COLS + 2 + BAND_COLS + (p->in.cols >= 46 ? 2 : 0);
}

/* A figure with its band and what was asked of it; `unit` in place of its own. */
static void show_pace(struct page *p, const char *name, enum figure_style style,
                      struct quantity value, const struct goal *goal, double scale)
{
    static const char *const narrow[] = {[GOAL_MET] = "met",
                                         [GOAL_LIKELY] = "~met",
                                         [GOAL_UNLIKELY] = "~slow",
                                         [GOAL_MISSED] = "slow"};
    static const enum ink inks[] = {[GOAL_MET] = INK_OK,
                                    [GOAL_LIKELY] = INK_ESTIMATE,
                                    [GOAL_UNLIKELY] = INK_WARN,
                                    [GOAL_MISSED] = INK_BAD};
    struct rect in = p->in;
    struct texts texts = {0};
    const char *amount = figure_amount(style, value, &texts);
    const char *band = figure_band(style, value, &texts);
    int x = NAME_COLS, at = goal_x(p);

    if (p->canvas) {
        if (style == AS_RATE && strcmp(name, "output") == 0)
            amount = texts_addf(&texts, "%.*s tok/s", (int)strcspn(amount, "/"), amount);
        canvas_fit(p->canvas, in, p->y, 0, NAME_COLS, INK_TEXT, name);
        list_text(p->canvas, in, p->y, x, AMOUNT_COLS, true, INK_HEADING, amount);
        x += AMOUNT_COLS + 2; /* the amount has the unit */
        canvas_fit(p->canvas, in, p->y, x, in.cols - x, INK_ESTIMATE,
                   texts_addf(&texts, "%.*s", (int)strcspn(band, " "), band));
        if (at + 4 <= in.cols && in.cols >= 46)
            list_text(p->canvas, in, p->y, at, 5, true, goal->asked > 0 ? INK_TEXT : INK_DIM,
                      goal->asked > 0 ? UNITS_PLAIN(goal->asked * scale, 4) : "none");
        if (goal->asked > 0)
            canvas_right(p->canvas, in, p->y, inks[goal->state],
                         in.cols > at + 5 + gp_width(goal_word(goal->state))
                             ? goal_word(goal->state)
                             : narrow[goal->state]);
    }
    p->y++;
    texts_fini(&texts);
}

/* "holds   18 requests of 1,280 tokens; limit: KV pool" */
static void show_holds(struct page *p, const struct plan *plan,
                       const struct plan_alternatives *more)
{
    const struct break_point *b = more ? &more->breaks[BREAK_USERS] : NULL;
    const char *first = b && b->known && !b->ends ? limit_words[b->limit].noun : NULL;
    struct texts t = {0};
    const char *held, *texts[] = {NULL, NULL, NULL, NULL, NULL};

    if (!plan->memory.max_concurrency.known)
        return;
    held =
        texts_addf(&t, "%-*s%s requests", NAME_COLS, "holds", UNITS_TOKENS(compare_capacity(plan)));
    texts[0] = texts[1] = texts[3] =
        texts_addf(&t, "%s of %s tokens", held, UNITS_TOKENS(memory_end_tokens(&plan->request)));
    if (first) {
        texts[0] = texts_addf(&t, "%s; limit: %s", texts[3], first);
        texts[1] = texts_addf(&t, "%s of %s; limit: %s", held,
                              UNITS_TOKENS(memory_end_tokens(&plan->request)), first);
        texts[2] = texts_addf(&t, "%s; limit: %s", held, first);
    }
    page_first(p, INK_TEXT, texts);
    texts_fini(&t);
}

/* "bound   memory bandwidth (4: measure it)", or what decides a marginal verdict. */
static void show_bound(struct page *p, const struct plan *plan)
{
    const char *bound = sentence_speed_bound(plan);
    const char *measured = plan_is_measured(plan) ? "; measured" : " (4: measure it)";
    int len = (int)strcspn(bound, ":");
    struct texts t = {0};

    if (plan->verdict == VERDICT_MARGINAL && plan->knob != KNOB_NONE) {
        page_wordsf(p, NAME_COLS, INK_WARN, "%-*s%s", NAME_COLS, "decides",
                    sentence_knob(plan, &t));
    } else {
        const char *texts[] = {
            texts_addf(&t, "%-*s%s%s", NAME_COLS, "bound", bound, measured),
            texts_addf(&t, "%-*s%.*s%s", NAME_COLS, "bound", len, bound, measured),
            texts_addf(&t, "%-*s%.*s", NAME_COLS, "bound", len, bound), NULL};

        page_first(p, INK_TEXT, texts);
    }
    texts_fini(&t);
}

static void show_speed(struct page *p, const struct plan *plan,
                       const struct plan_alternatives *more)
{
    const struct speed *v = &plan->speed;
    bool known = v->gap == SPEED_KNOWN;
    struct goal goals[SPEED_GOALS];
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
        goals_of(&plan->request, v, goals);
        /* a percentile in place of the mean, where there are any and the goal is not of the mean */
        enum late late = plan->request.late[LATE_TTFT_P99] > 0 ? LATE_TTFT_P99 : LATE_TTFT_P95;
        bool pooling = plan->request.model->pooling; /* answers with a vector: no tokens */
        if (v->percentile[late].known && plan->request.ttft <= 0)
            show_pace(p,
                      pooling                 ? late == LATE_TTFT_P99 ? "time p99" : "time p95"
                      : late == LATE_TTFT_P99 ? "TTFT p99"
                                              : "TTFT p95",
                      AS_TIME, v->percentile[late], &goals[SPEED_GOAL_LATE + late], 1e3);
        else
            show_pace(p, pooling ? "prompt" : "TTFT", AS_TIME, v->ttft, &goals[SPEED_GOAL_TTFT],
                      1e3);
        if (pooling) {
            show_pace(p, "prompts", AS_RATE, v->requests, &goals[SPEED_GOAL_THROUGHPUT], 1);
            show_pace(p, "at most", AS_RATE, v->full, &goals[SPEED_GOAL_RATE], 1);
        } else {
            show_pace(p, "TPOT", AS_TIME, v->tpot, &goals[SPEED_GOAL_TPOT], 1e3);
            show_pace(p, "output", AS_RATE, v->tokens, &goals[SPEED_GOAL_THROUGHPUT], 1);
        }
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

    if (!r->known)
        return;
    rent_words(plan, r, &t, &words);
    const char *text = r->per_month >= 100 && r->per_month < 999.5 /* else without cents as it is */
                           ? texts_addf(&t, "%-9s %s/h $%.0f/mo", name, words.hour, r->per_month)
                           : texts_addf(&t, "%-9s %s/h %s/mo", name, words.hour, words.month);
    const char *by = texts_addf(&t, "%s %s", text, r->instance->provider);
    int year = (int)strcspn(words.date, "0123456789"); /* "by 2026-11", "by 26-11" */
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

    if (!plan->has_memory)
        return;
    page_rule(p, "Cost");
    int from = p->y;
    if (c->want == WANT_BUY)
        show_buy(p, c);
    if (c->want == WANT_SPOT)
        show_rent(p, plan, "spot", &c->spot);
    if (cost_says_market(c))
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

struct plan_summary plan_fix_outcome(const struct fix *fix, const struct plan_summary *planned)
{
    struct plan_summary o = {.known = true,
                             .verdict = fix->verdict,
                             .gpus = fix->gpus,
                             .per_hour = fix->per_hour,
                             .tpot = fix->tpot};

    if (planned && planned->known)
        o = *planned;
    o.gain = better_word(fix->better);
    return o;
}

static void show_ways(struct page *p, const struct answer *a, const struct plan_alternatives *more)
{
    bool fits = verdict_holds(a->plan.verdict);
    int cols = p->in.cols >= 62  ? PLAN_SUMMARY_WHOLE
               : p->in.cols < 46 ? PLAN_SUMMARY_LEAST
               : fits            ? PLAN_SUMMARY_GAIN
                                 : PLAN_SUMMARY_SHORT;
    int x = p->in.cols - cols;
    char change[FIX_OPTIONS_MAX], row[PLAN_SUMMARY_TEXT];

    rule_titles(p, fits ? "Changes (a)" : "Ways out (a)", x, plan_summary_titles(cols));
    if (a->fix_count == 0)
        page_words(p, 0, INK_TEXT,
                   fits ? "no single change is better; 2: all GPUs"
                        : "no single change makes it fit; 2: all GPUs");
    for (int i = 0; i < a->fix_count; i++, p->y++) {
        struct plan_summary o = plan_fix_outcome(&a->fixes[i], more ? &more->fix[i] : NULL);
        char number[8];

        if (a->plan.request.model->pooling)
            o.tpot = 0;
        if (!p->canvas)
            continue;
        gp_format(number, sizeof(number), "%d", i + 1);
        canvas_text(p->canvas, p->in, p->y, 0, INK_KEY, number);
        plan_fix_change(&a->plan, &a->fixes[i], change);
        /* of one change the end decides: "server:2" */
        (strstr(change, ", ") ? canvas_fit : canvas_fit_end)(p->canvas, p->in, p->y, 2 + (i >= 9),
                                                             x - 3 - (i >= 9), INK_TEXT, change);
        canvas_fit(p->canvas, p->in, p->y, x, cols, plan_summary_ink(o.verdict),
                   plan_summary_text(&o, cols, row));
        canvas_ink(p->canvas, p->in, p->y, x + 8, cols - 8, INK_TEXT);
    }
}

/* ---- why ---- */

static void show_why(struct page *p, const struct answer *a)
{
    struct answer_lines lines;

    page_rule(p, "Why");
    answer_lines(&a->plan, a, LINE_READ, &lines);
    for (int i = 0; i < lines.count; i++, p->y++) /* a line each: the ids are its beginning */
        if (p->canvas)
            canvas_fit(p->canvas, p->in, p->y, 0, p->in.cols, INK_TEXT, lines.list[i].text);
    answer_lines_fini(&lines);
    show_lines(p, a, LINE_REASON, INK_TEXT);
    show_lines(p, a, LINE_STARTUP, INK_WARN);
    show_lines(p, a, LINE_WARNING, INK_WARN);
    show_lines(p, a, LINE_GPU_FROM, INK_TEXT);
    show_lines(p, a, LINE_GOALS, INK_TEXT);
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

/* ---- the difference to the plan that is pinned ---- */

#define PIN_CHANGE 9 /* columns of a change */
#define PIN_VALUE 11 /* of a value, at the most 20 */

/* A figure that was, is, and how it changed; "" = not said. */
static void pin_row(struct page *p, const char *name, const char *then, const char *now,
                    const char *change)
{
    int wide = int_max(int_min((p->in.cols - PIN_CHANGE) / 3, 20), PIN_VALUE);
    int x = int_max(p->in.cols - PIN_CHANGE - 2 * wide, 0);

    if (p->canvas) {
        canvas_fit(p->canvas, p->in, p->y, 0, x - 1, INK_TEXT, name);
        list_text(p->canvas, p->in, p->y, x, wide - 1, true, INK_DIM, then);
        list_text(p->canvas, p->in, p->y, x + wide, wide - 1, true, INK_TEXT, now);
        list_text(p->canvas, p->in, p->y, x + 2 * wide, PIN_CHANGE, true, INK_ESTIMATE, change);
    }
    p->y++;
}

/* "x39.2", "+12 %"; a difference too small to be shown has no row. */
static void pin_ratio(struct page *p, const char *name, double then, double now,
                      const char *then_text, const char *now_text)
{
    double ratio = now / then;
    char change[32];

    if (!(then > 0) || !(now > 0) || strcmp(then_text, now_text) == 0)
        return;
    gp_format(change, sizeof(change), ratio >= 2 || ratio <= 0.5 ? "x%.3g" : "%+.0f %%",
              ratio >= 2 || ratio <= 0.5 ? ratio : 100 * (ratio - 1));
    pin_row(p, name, then_text, now_text, change);
}

static void pin_memory(struct page *p, const char *name, double then, double now)
{
    struct texts t = {0};

    if (fabs(now - then) >= 0.05 * GP_GIB)
        pin_row(p, name, texts_addf(&t, "%.1f GiB", then / GP_GIB),
                texts_addf(&t, "%.1f GiB", now / GP_GIB),
                texts_addf(&t, "%+.1f", (now - then) / GP_GIB));
    texts_fini(&t);
}

/* The fields that differ, then what comes of it. */
static void show_pin(struct page *p, const struct form *form)
{
    const struct plan *now = &form->answer->plan, *then = &form->pin->plan;
    const struct memory *m = &now->memory, *b = &then->memory;
    struct texts t = {0};

    if (!form->pinned)
        return;
    page_rule(p, "Against the pin");
    pin_row(p, "", "pinned", "now", "change");
    int before = p->y;
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *was = form->pin_form.value[f], *is = form->values.value[f];

        if (strcmp(was, is) != 0 && f != FIELD_GPUS) /* which has a row below */
            pin_row(p, field_rows[f].form->label, was[0] ? path_name(was) : "auto",
                    is[0] ? path_name(is) : "auto", "");
    }
    if (now->verdict != then->verdict)
        pin_row(p, "verdict", verdict_words[then->verdict].brief, verdict_words[now->verdict].brief,
                "");
    if (strcmp(now->request.gpu->id, then->request.gpu->id) != 0 &&
        strcmp(form->pin_form.value[FIELD_GPU], form->values.value[FIELD_GPU]) == 0)
        pin_row(p, "GPU", then->request.gpu->id, now->request.gpu->id, "");
    if (now->layout.gpus != then->layout.gpus)
        pin_row(p, "GPUs", texts_addf(&t, "%d", then->layout.gpus),
                texts_addf(&t, "%d", now->layout.gpus),
                texts_addf(&t, "%+d", now->layout.gpus - then->layout.gpus));
    pin_ratio(p, "$/h", then->cost.per_hour, now->cost.per_hour, UNITS_MONEY(then->cost.per_hour),
              UNITS_MONEY(now->cost.per_hour));
    if (now->speed.gap == SPEED_KNOWN && then->speed.gap == SPEED_KNOWN) {
        const struct quantity million[] = {plan_token_price(then), plan_token_price(now)};

        bool pooling = now->request.model->pooling;
        const char *rate = pooling ? "%.3g/s" : "%.0f tok/s";
        double pace[] = {plan_pace(then).value, plan_pace(now).value};

        pin_ratio(p, pooling ? "a prompt" : "TPOT", pace[0], pace[1],
                  texts_addf(&t, "%.3g ms", pace[0] * 1e3),
                  texts_addf(&t, "%.3g ms", pace[1] * 1e3));
        pin_ratio(p, pooling ? "prompts" : "output", then->speed.tokens.value,
                  now->speed.tokens.value, texts_addf(&t, rate, then->speed.tokens.value),
                  texts_addf(&t, rate, now->speed.tokens.value));
        if (million[0].known && million[1].known)
            pin_ratio(p, "$/M tok", million[0].value, million[1].value,
                      UNITS_MONEY(million[0].value), UNITS_MONEY(million[1].value));
    }
    if (now->has_memory && then->has_memory) { /* of one GPU */
        pin_memory(p, "weights", b->weights.value, m->weights.value);
        pin_memory(p, "KV and state", b->kv_reserved.value, m->kv_reserved.value);
        pin_memory(p, "activation", b->activation.value, m->activation.value);
        pin_memory(p, "non-torch", b->non_torch.value, m->non_torch.value);
        pin_memory(p, "CUDA graphs", b->graphs.value, m->graphs.value);
        pin_memory(p, "to spare", plan_margin(then), plan_margin(now));
    }
    if (p->y == before)
        page_row(p, 0, INK_TEXT, "no difference");
    texts_fini(&t);
}

/* ---- the page ---- */

static void page_answer(struct page *p, const struct form *form,
                        const struct plan_alternatives *more)
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
        show_pin(p, form);
        show_why(p, a);
        show_cost(p, &a->plan);
        return;
    }
    show_speed(p, &a->plan, more);
    show_cost(p, &a->plan);
    show_pin(p, form);
    show_ways(p, a, more);
    show_why(p, a);
}

void plan_page_make(struct plan_page *page, const struct form *form,
                    const struct plan_alternatives *more, int strip, int cols, enum charset charset)
{
    struct plan_page_of of = {.version = form->version,
                              .more = more ? 1 + more->taken + more->done : 0,
                              .strip = strip,
                              .cols = cols > 0 ? cols : 0,
                              .charset = charset};
    struct page lines = {.in = {0, 0, 0, of.cols}};
    const struct plan *plan = &form->answer->plan;
    struct texts t = {0};

    if (page->lines.cells && memcmp(&of, &page->of, sizeof(of)) == 0)
        return;
    page->of = of;
    page->head.charset = page->lines.charset = charset;
    gp_copy(page->title, sizeof(page->title), "Answer");
    if (form->answered) {
        const char *gpu = gpu_short_name(plan->request.gpu);

        gp_copy(page->title, sizeof(page->title),
                plan->has_memory ? texts_addf(&t, "Answer: %d x %s, %s", plan->layout.gpus, gpu,
                                              sentence_layout(&plan->layout, &t))
                                 : texts_addf(&t, "Answer: %s", gpu));
        texts_fini(&t);
    }
    canvas_clear(&page->head, strip ? FRAME_STRIP : PLAN_HEAD, strip ? strip : of.cols);
    (strip ? strip_draw : plan_head_draw)(&page->head, canvas_rect(&page->head), form);
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

/* ---- alternatives ---- */

static const struct list_column columns[] = {
    {"GPU", 0, 0, false}, {"n", 2, 0, true},   {"$/h", 6, 0, true},
    {"TPOT", 4, 0, true}, {"$/M", 6, 0, true},
};
#define MOST_COLS 56       /* further apart, rows are hard to follow */
#define FEW_ALTERNATIVES 5 /* of a panel of less than */
#define TALL_ROWS 32
enum { COL_GPU, COL_COUNT, COL_HOUR, COL_TPOT, COL_MILLION, COLUMNS };

/* "$2.70", "$104": at most six columns. */
static char *short_money(char text[32], double dollars)
{
    if (dollars < 99.995)
        return units_money(text, 32, dollars);
    gp_format(text, 32, "$%.0f", dollars);
    return text;
}

static void show_alternatives(struct page *p, const struct form *form,
                              const struct plan_alternatives *more)
{
    struct list_table t = list_table(columns, COLUMNS, int_min(p->in.cols, MOST_COLS));
    int shown = p->in.rows >= TALL_ROWS ? PLAN_ALTERNATIVES : FEW_ALTERNATIVES;
    int bar = p->in.cols - MOST_COLS - 2; /* cells that the dearest takes */
    const char *own = form->answer->plan.request.gpu->id;
    double dearest = 0;
    char text[32];

    for (int i = 0; i < more->best_count && i < shown; i++)
        dearest = fmax(dearest, more->gpus.rows[more->best[i]].summary.per_hour);
    for (int c = 0; c < COLUMNS; c++)
        list_cell(p->canvas, p->in, p->y, &t, c, INK_DIM, columns[c].title);
    p->y++;
    if (more->done && more->best_count == 0)
        page_row(p, 0, INK_TEXT, "no GPU with a price holds it");
    else if (more->best_count == 0)
        canvas_text(p->canvas, p->in, p->y, 0, INK_DIM, "every GPU is planned ...");
    for (int i = 0; i < more->best_count && i < shown; i++) {
        const struct plan_summary_row *row = &more->gpus.rows[more->best[i]];
        const struct plan_summary *o = &row->summary;
        enum ink ink = strcmp(row->id, own) == 0 ? INK_HEADING : INK_TEXT;
        int y = p->y + i;

        list_cell(p->canvas, p->in, y, &t, COL_GPU, ink, row->id);
        gp_format(text, sizeof(text), "%d", o->gpus);
        list_cell(p->canvas, p->in, y, &t, COL_COUNT, ink, text);
        list_cell(p->canvas, p->in, y, &t, COL_HOUR, ink, short_money(text, o->per_hour));
        gp_format(text, sizeof(text), o->tpot > 0 ? "%.*f" : "-", o->tpot < 99.5e-3 ? 1 : 0,
                  o->tpot * 1e3);
        list_cell(p->canvas, p->in, y, &t, COL_TPOT, ink, text);
        if (o->million > 0)
            list_cell(p->canvas, p->in, y, &t, COL_MILLION, ink, short_money(text, o->million));
        if (bar > 0 && p->canvas) /* dollars per hour */
            canvas_run(p->canvas, p->in, y, MOST_COLS + 2, (int)lround(o->per_hour / dearest * bar),
                       INK_SERIES1, GLYPH_BAR_WEIGHTS);
    }
    p->y += shown;
}

/* ---- what breaks first ---- */

/* plan: of the users alone. What becomes of one user more than hold is said, so that the row
 * agrees with "holds": 2.9 requests hold no third user (", to 3"); the second that only the low
 * end of their band does not hold is no contradiction (": 2 marginal"). */
static void show_break(struct page *p, const struct break_point *b, const char *what,
                       const struct plan *plan, bool whole)
{
    struct texts t = {0};
    double step = b->at - b->from;
    const char *limit = limit_words[b->limit].noun, *text;
    int x = p->in.cols >= 48 ? 30 : p->in.cols - (b->ends ? 0 : gp_width(limit));

    if (!b->known)
        return;
    if (!whole)
        text = texts_addf(&t, "%s %.3g %s", b->ends ? "none up to" : "beyond", b->at, what);
    else if (b->ends)
        text = texts_addf(&t, "none up to %s %ss", UNITS_TOKENS(b->at), what);
    else
        text = texts_addf(&t, "+%s %s%s", UNITS_TOKENS(step + 1), what, step > 0 ? "s" : "");
    if (whole && !b->ends && plan)
        text = texts_addf(&t,
                          b->limit == LIMIT_KV && b->at + 1 <= compare_capacity(plan)
                              ? "%s: %s marginal"
                              : "%s, to %s",
                          text, UNITS_TOKENS(b->at + 1));
    canvas_fit(p->canvas, p->in, p->y, 0, b->ends ? p->in.cols : x - 1,
               b->ends ? INK_DIM : INK_TEXT, text);
    if (!b->ends)
        canvas_fit(p->canvas, p->in, p->y, x, p->in.cols - x, INK_HEADING, limit);
    p->y++;
    texts_fini(&t);
}

static void show_breaks(struct page *p, const struct form *form,
                        const struct plan_alternatives *more)
{
    bool rate = form->answer->plan.request.rate > 0;

    page_rule(p, "First to break, this layout");
    int from = p->y;
    show_break(p, &more->breaks[BREAK_USERS], rate ? "requests/s" : "user", &form->answer->plan,
               !rate);
    show_break(p, &more->breaks[BREAK_CONTEXT], "context token", NULL, true);
    show_break(p, &more->breaks[BREAK_PROMPT], "prompt token", NULL, true);
    if (p->y == from)
        page_words(p, 0, INK_TEXT,
                   verdict_holds(form->answer->plan.verdict) ? "" : "it has broken already");
}

/* ---- the plot ---- */

static void show_plot(struct page *p, const struct form *form, const struct plan_alternatives *more)
{
    struct rect in = {p->in.y + p->y + 1, p->in.x, p->in.rows - p->y - 1, p->in.cols};
    struct plot plot;
    double top = 0;

    if (in.rows < 6 || more->samples < 2)
        return;
    page_rule(p, form->answer->plan.request.model->pooling ? "Prompts/s over users (3)"
                                                           : "Output tok/s over users (3)");
    plot_init(&plot);
    struct plot_series *tokens = plot_add(&plot, "tokens/s", PLOT_1, 0);
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
    double users = form->answer->plan.request.users; /* at 1 the cursor is the axis */
    plot_draw(p->canvas, in, &plot, users > 1 ? users : NAN);
    plot_fini(&plot);
}

void plan_side_draw(struct canvas *canvas, struct rect in, const struct form *form,
                    const struct plan_alternatives *more)
{
    struct page p = {.canvas = canvas, .in = in};

    if (!form->answered)
        return;
    show_alternatives(&p, form, more);
    show_breaks(&p, form, more);
    show_plot(&p, form, more);
}
