/*
 * plan_answer.c - what stands beside the form: the answer in words, as a bar, in
 * figures.
 *
 * Only shows what form->answer holds; what is written here is rounded, never reckoned
 * (sums and differences of shown parts excepted).
 */
#include "tui/plan/plan_answer.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "output/parts.h"
#include "output/answer_lines.h"
#include "output/print_why.h"
#include "tui/membar.h"
#include "util/str.h"
#include "util/units.h"

/* ---- the verdict ---- */

static enum ink verdict_ink(enum verdict verdict)
{
    return verdict == VERDICT_FITS       ? INK_OK
           : verdict != VERDICT_DOES_NOT_FIT ? INK_WARN
                                         : INK_BAD;
}

/* "2 GPUs  $6.98/h  $2.87/M tokens out" */
static void decision_text(const struct plan *plan, const char *out, char *text,
                          size_t size)
{
    struct quantity hour, month, million = plan_token_price(plan);
    int gpus = plan->layout.gpus;
    char money[32];

    plan_prices(plan, &hour, &month);
    gp_format(text, size, "%d GPU%s", gpus, gpus == 1 ? "" : "s");
    if (hour.known)
        gp_format(text + strlen(text), size - strlen(text), "  %s/h",
                  units_money(money, sizeof(money), hour.value));
    if (million.known)
        gp_format(text + strlen(text), size - strlen(text), "  %s/M%s",
                  units_money(money, sizeof(money), million.value), out);
}

void plan_decision(const struct form *form, int cols, char *text, size_t size)
{
    const struct plan *plan = &form->answer->plan;
    const char *word = form->answered ? plan_shout(plan) : "NO ANSWER";
    char rest[96];

    gp_copy(text, size, word);
    if (!form->answered || plan->verdict == VERDICT_DOES_NOT_FIT)
        return;
    decision_text(plan, "", rest, sizeof(rest));
    if (gp_width(word) + 2 + gp_width(rest) <= cols)
        gp_format(text, size, "%s  %s", word, rest);
}

void plan_answer_title(const struct form *form, char *text, size_t size)
{
    const struct plan *plan = &form->answer->plan;

    if (form->answered)
        gp_format(text, size, "%d x %s", plan->layout.gpus, plan->request.gpu->name);
    else
        gp_copy(text, size, "no answer");
}

/* "TPOT 22.8 ms  TTFT 248 ms  675 tok/s" */
static void show_pace(struct page *p, const struct plan *plan)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(plan, NULL, LINE_SPEED, lines);

    if (plan->speed.gap == SPEED_KNOWN && n > 2)
        page_wordsf(p, 2, INK_TEXT, "%s %s  %s %s  %.0f tok/s", lines[0].name,
                    lines[0].amount, lines[1].name, lines[1].amount,
                    plan->speed.tokens.value);
}

static void budget_text(const struct plan *plan, char *text, size_t size)
{
    double budget = plan->memory.budget.value; /* what the verdict goes by */

    gp_format(text, size, "%.2f of %.2f GiB budget",
              (budget - plan_margin(plan)) / GP_GIB, budget / GP_GIB);
}

/* The decision is seen at once: its rows come first, always in this place. */
static void show_verdict(struct page *p, const struct plan *plan)
{
    const char *word = plan_shout(plan);
    bool decided = plan->verdict != VERDICT_DOES_NOT_FIT;
    int room = p->in.cols - gp_width(word) - 2;
    char text[96] = "", budget[80] = "";

    if (plan->has_memory)
        budget_text(plan, budget, sizeof(budget));
    if (decided)
        decision_text(plan, " tokens out", text, sizeof(text));
    if (decided && gp_width(text) > room)
        decision_text(plan, "", text, sizeof(text));
    if (p->canvas) {
        canvas_text(p->canvas, p->in, p->y, 0, verdict_ink(plan->verdict), word);
        canvas_fit(p->canvas, p->in, p->y, gp_width(word) + 2, room, INK_TEXT,
                   decided ? text : budget);
    }
    p->y++;
    show_pace(p, plan);
    if (decided)
        page_words(p, 2, INK_TEXT, budget);
}

/* The lines of one kind, each as a paragraph: its amount first, where it has one. */
static void show_lines(struct page *p, const struct plan *plan, const struct answer *a,
                       enum line_kind kind)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(plan, a, kind, lines);
    enum ink ink = kind == LINE_RULE || kind == LINE_SOURCE ? INK_DIM : INK_TEXT;
    bool named = kind == LINE_WARNING || kind == LINE_SOURCE;

    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines[i];

        if (line->amount[0])
            page_wordsf(p, 2, ink, "%s %s: %s", line->name, line->amount, line->text);
        else if (line->text[0])
            page_wordsf(p, 2, ink, "%s%s%s", named ? line->name : "", named ? ": " : "",
                        line->text);
    }
}

/* ---- the pin ---- */

/* "weights +1.25 GiB", "GPUs 2 -> 4", "$4.00/h -> $6.00/h (+2.00 $/h)" */
struct difference {
    char text[96];
    bool brief; /* also told where there is little room */
};

#define DIFFERENCES_MAX 12

static int memory_differences(const struct memory *now, const struct memory *then,
                              struct difference *d)
{
    const struct {
        const char *name;
        double bytes;
        bool brief;
    } parts[] = {
        {"weights", now->weights.value - then->weights.value, true},
        {"KV and state", now->kv_reserved.value - then->kv_reserved.value, true},
        {"activation", now->activation.value - then->activation.value, false},
        {"non-torch", now->non_torch.value - then->non_torch.value, false},
        {"CUDA graphs", now->graphs.value - then->graphs.value, false},
        {"free", now->free.value - then->free.value, true},
    };
    int n = 0;

    for (size_t i = 0; i < sizeof(parts) / sizeof(parts[0]); i++) {
        if (fabs(parts[i].bytes) < 0.005 * GP_GIB)
            continue;
        gp_format(d[n].text, sizeof(d[n].text), "%s %+.2f GiB", parts[i].name,
                  parts[i].bytes / GP_GIB);
        d[n++].brief = parts[i].brief;
    }
    return n;
}

static int plan_differences(const struct plan *now, const struct plan *then,
                            struct difference d[DIFFERENCES_MAX])
{
    const size_t size = sizeof(d[0].text);
    double more = now->cost.per_hour - then->cost.per_hour;
    char before[32], after[32];
    int n = 0;

    if (now->verdict != then->verdict)
        gp_format(d[n++].text, size, "%s -> %s", verdict_word(then->verdict),
                  verdict_word(now->verdict));
    if (strcmp(now->request.gpu->id, then->request.gpu->id) != 0)
        gp_format(d[n++].text, size, "GPU %s -> %s", then->request.gpu->id,
                  now->request.gpu->id);
    if (now->layout.gpus != then->layout.gpus)
        gp_format(d[n++].text, size, "GPUs %d -> %d", then->layout.gpus,
                  now->layout.gpus);
    if (now->cost.per_hour > 0 && then->cost.per_hour > 0 && fabs(more) >= 0.005)
        gp_format(d[n++].text, size, "%s/h -> %s/h (%+.2f $/h)",
                  units_money(before, sizeof(before), then->cost.per_hour),
                  units_money(after, sizeof(after), now->cost.per_hour), more);
    for (int i = 0; i < n; i++)
        d[i].brief = true;
    if (now->has_memory && then->has_memory)
        n += memory_differences(&now->memory, &then->memory, d + n);
    return n;
}

static void show_pin(struct page *p, const struct form *form)
{
    struct difference d[DIFFERENCES_MAX];
    int n, from;

    if (!form->pinned)
        return;
    page_rule(p, "Against the pinned plan");
    from = p->y;
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *a = form->pin_form.value[f], *b = form->values.value[f];

        if (strcmp(a, b) != 0)
            page_wordsf(p, 2, INK_TEXT, "%s %s -> %s", field_rows[f].label,
                        a[0] ? a : "auto", b[0] ? b : "auto");
    }
    n = plan_differences(&form->answer->plan, &form->pin->plan, d);
    for (int i = 0; i < n; i++)
        page_words(p, 2, INK_TEXT, d[i].text);
    if (p->y == from)
        page_row(p, 0, INK_TEXT, "no difference");
}

/* The same in one sentence. */
static void show_pin_briefly(struct page *p, const struct form *form)
{
    struct difference d[DIFFERENCES_MAX];
    char text[480] = "";
    int n;

    if (!form->pinned)
        return;
    n = plan_differences(&form->answer->plan, &form->pin->plan, d);
    for (int i = 0; i < n; i++)
        if (d[i].brief)
            gp_format(text + strlen(text), sizeof(text) - strlen(text), "%s%s",
                      text[0] ? ", " : "", d[i].text);
    page_wordsf(p, 2, INK_TEXT, "against the pin: %s",
                text[0] ? text : "no difference");
}

/* ---- memory ---- */

static void show_memory(struct page *p, const struct plan *plan)
{
    struct part parts[PARTS_MAX];

    if (!plan->has_memory)
        return;
    if (p->canvas) {
        membar_draw(p->canvas, p->in, p->y, plan);
        p->y += 1 + membar_legend(p->canvas, p->in, p->y + 1, plan);
    } else {
        p->y += 1 + parts_list(plan, parts) + (plan->request.used > 0);
    }
    show_lines(p, plan, NULL, LINE_STAGE);
    show_lines(p, plan, NULL, LINE_POOL);
}

static void show_layout(struct page *p, const struct plan *plan)
{
    struct answer_line line[ANSWER_LINES_MAX];

    answer_lines(plan, NULL, LINE_LAYOUT, line);
    page_wordsf(p, 2, INK_TEXT, "GPUs %d: %s", plan->layout.gpus, line->text);
    if (answer_lines(plan, NULL, LINE_RUNNER_UP, line) > 0)
        page_wordsf(p, 2, INK_DIM, "runner-up %d: %s (%s)", plan->second.layout.gpus,
                    line->text, line->note);
}

/* A row each; what a row means stands behind it where there is room. */
static void show_speed(struct page *p, const struct plan *plan)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(plan, NULL, LINE_SPEED, lines);
    char row[800];

    if (n > 0)
        page_rule(p, "Speed");
    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines[i];

        if (!line->amount[0]) {
            page_wordsf(p, 2, line->name[0] ? INK_DIM : INK_TEXT, "%s%s%s", line->name,
                        line->name[0] ? ": " : "", line->text);
            continue;
        }
        gp_format(row, sizeof(row), "%-13s %8s  %-15s %s", line->name, line->amount,
                  line->note, line->text);
        if (gp_width(row) > p->in.cols)
            gp_format(row, sizeof(row), "%-13s %8s  %s", line->name, line->amount,
                      line->note);
        page_row(p, 0, INK_TEXT, row);
    }
}

static void show_cost(struct page *p, const struct plan *plan)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(plan, NULL, LINE_COST, lines);

    if (n > 0)
        page_rule(p, "Cost");
    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines[i];

        if (line->amount[0])
            page_wordsf(p, 2, INK_TEXT, "%-10s %s/h, %s/month", line->name,
                        line->amount, line->month);
        if (line->amount[0])
            page_wordsf(p, 2, INK_DIM, "  %s", line->text);
        else
            page_wordsf(p, 2, line->name[0] ? INK_TEXT : INK_DIM, "%s%s%s", line->name,
                        line->name[0] ? " " : "", line->text);
        if (line->note[0])
            page_wordsf(p, 4, INK_WARN, "  %s", line->note);
    }
}

/* ---- the panels ---- */

static void show_no_answer(struct page *p, const struct form *form)
{
    page_row(p, 0, INK_BAD, "NO ANSWER");
    page_wordsf(p, 2, INK_TEXT, "%s%s%s", form->err.where,
                form->err.where[0] ? ": " : "", form->err.text);
    if (form->err.hint[0])
        page_wordsf(p, 2, INK_TEXT, "(%s)", form->err.hint);
    page_row(p, 0, INK_TEXT, "u: undo the last change");
}

/* Where the side panel is not in sight: what it would say first. */
static void show_way_out(struct page *p, const struct answer *a)
{
    char option[FIX_OPTIONS_MAX];

    if (a->plan.verdict == VERDICT_FITS)
        return;
    if (a->fix_count == 0)
        page_words(p, 2, INK_TEXT, "no single change makes it fit");
    else if (a->fix_count == 1)
        page_wordsf(p, 2, INK_KEY, "a: apply %s",
                    planner_fix_options(&a->fixes[0], option));
    else
        page_wordsf(p, 2, INK_KEY, "a: %d ways out, such as %s", a->fix_count,
                    planner_fix_options(&a->fixes[0], option));
}

void plan_answer_page(struct page *p, const struct form *form, bool alone)
{
    const struct answer *a = form->answer;

    if (!form->answered) {
        show_no_answer(p, form);
        return;
    }
    show_verdict(p, &a->plan);
    if (alone) {
        show_lines(p, &a->plan, a, LINE_REASON);
        show_way_out(p, a);
        show_pin_briefly(p, form);
    }
    show_memory(p, &a->plan);
    show_layout(p, &a->plan);
    if (alone)
        show_lines(p, &a->plan, a, LINE_WARNING);
    show_speed(p, &a->plan);
    show_cost(p, &a->plan);
    if (alone) {
        show_lines(p, &a->plan, a, LINE_STARTUP);
        show_lines(p, &a->plan, a, LINE_GPU_FROM);
        show_pin(p, form);
    }
    show_lines(p, &a->plan, a, LINE_RULE);
    if (alone)
        page_words(p, 2, INK_DIM, "Tab: suggestions, sources");
}

static void show_suggestions(struct page *p, const struct answer *a)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    bool fits = a->plan.verdict == VERDICT_FITS;
    int n = answer_lines(&a->plan, a, LINE_FIX, lines);

    if (fits && n == 0)
        return;
    page_rule(p, a->fixes[0].better ? "What would be better"
                 : fits              ? "Fewer GPUs"
                                     : "What would fit");
    if (n == 0)
        page_words(p, 2, INK_TEXT, "no single change makes it fit");
    for (int i = 0; i < n; i++) {
        page_wordsf(p, 3, INK_KEY, "%d. %s", i + 1, lines[i].name);
        if (a->fixes[i].better != BETTER_NONE)
            page_wordsf(p, 3, INK_TEXT, "   %s: %s", lines[i].amount, lines[i].text);
        else
            page_wordsf(p, 3, INK_TEXT, "   %s, %s", lines[i].text, lines[i].amount);
    }
    if (n > 0)
        page_words(p, 2, INK_DIM, "a: apply one");
}

void plan_side_page(struct page *p, const struct form *form)
{
    const struct answer *a = form->answer;

    if (!form->answered) {
        show_no_answer(p, form);
        return;
    }
    show_lines(p, &a->plan, a, LINE_GPU_FROM);
    show_lines(p, &a->plan, a, LINE_REASON);
    show_lines(p, &a->plan, a, LINE_STARTUP);
    show_lines(p, &a->plan, a, LINE_WARNING);
    if (a->plan.verdict == VERDICT_FITS && !a->plan.warnings)
        page_words(p, 2, INK_TEXT, "It fits; no warnings.");
    show_suggestions(p, a);
    show_pin(p, form);
    page_rule(p, "Sources");
    show_lines(p, &a->plan, a, LINE_SOURCE);
}

/* ---- why ---- */

/* The names of the terms that a field goes into begin with one of these. */
static const char *const terms_of[FIELD_COUNT][3] = {
    [FIELD_MODEL] = {"parameters", "active parameters", "weights"},
    [FIELD_PRECISION] = {"weights", "checkpoint", "product"},
    [FIELD_KV] = {"KV per token", "KV of one request"},
    [FIELD_CONTEXT] = {"KV of one request", "one request is given", "users'"},
    [FIELD_PROMPT] = {"a prompt alone", "what a prompt adds", "TTFT"},
    [FIELD_OUTPUT] = {"prompts of the others", "output tokens"},
    [FIELD_USERS] = {"users'", "max concurrency", "requests at once"},
    [FIELD_GPU] = {"physical memory", "usable memory", "product"},
    [FIELD_GPUS] = {"GPUs"},
    [FIELD_ENGINE] = {"budget", "KV pool", "fixed time"},
    [FIELD_PRICE] = {"instances", "rent", "buy"},
    [FIELD_TP] = {"GPUs", "weights"},
    [FIELD_PP] = {"GPUs", "layers of"},
    [FIELD_EP] = {"GPUs", "weights"},
    [FIELD_MAX_PP] = {"GPUs", "layers of"},
    [FIELD_REPLICAS] = {"GPUs", "users'"},
    [FIELD_MAX_SEQS] = {"activation"},
    [FIELD_BATCHED] = {"activation"},
    [FIELD_UTILIZATION] = {"budget", "KV pool"},
    [FIELD_HEADROOM] = {"budget", "KV pool"},
    [FIELD_USED] = {"usable memory", "free"},
    [FIELD_GPU_LAYERS] = {"host memory", "weights"},
    [FIELD_CPU_MOE] = {"host memory", "weights"},
    [FIELD_CPU_OFFLOAD] = {"host memory", "weights"},
    [FIELD_KV_OFFLOAD] = {"host memory", "one request is given"},
    [FIELD_NO_KV] = {"host memory", "users'"},
    [FIELD_DRAFT] = {"weights: draft", "weights: MTP", "KV:"},
    [FIELD_DRAFTED] = {"one request is given", "state"},
    [FIELD_LORA] = {"weights: LoRA", "CUDA graphs"},
    [FIELD_PRUNE] = {"weights: saved", "weights"},
    [FIELD_PROVIDER] = {"instances", "rent"},
    [FIELD_REGION] = {"instances", "rent"},
    [FIELD_DATED] = {"instances", "rent"},
    [FIELD_HOURS] = {"rent per month"},
    [FIELD_ELECTRICITY] = {"buy"},
};

static bool goes_into(enum field field, const struct term *term)
{
    for (int i = 0; field < FIELD_COUNT && i < 3 && terms_of[field][i]; i++)
        if (strncmp(term->name, terms_of[field][i], strlen(terms_of[field][i])) == 0)
            return true;
    return false;
}

void plan_why_text(const struct form *form, enum field first, struct strbuf *out)
{
    for (int pass = 0; pass < 2; pass++)
        for (int i = 0; i < form->why_count; i++)
            if (goes_into(first, &form->why[i]) == (pass == 0))
                print_why_term(&form->why[i], out);
}
