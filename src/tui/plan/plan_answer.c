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

#include "core/parts.h"
#include "output/answer_lines.h"
#include "output/print_why.h"
#include "tui/membar.h"
#include "util/str.h"
#include "util/units.h"

/* ---- rows ---- */

static void row(struct page *p, int indent, enum ink ink, const char *text)
{
    if (p->canvas)
        canvas_fit(p->canvas, p->in, p->y, indent, p->in.cols - indent, ink, text);
    p->y++;
}

static void rule(struct page *p, const char *title)
{
    if (p->canvas && p->y >= 0)
        canvas_rule(p->canvas, p->in, p->y, title);
    p->y++;
}

/* Words over as many rows as they need. Blanks before the first indent that row; those
 * after it stand `hang` to the right. */
static void words(struct page *p, int hang, enum ink ink, const char *text)
{
    char line[512] = "", word[512];
    int indent = (int)strspn(text, " "), cols = 0;

    text += indent;
    while (*text) {
        size_t n = strcspn(text, " ");
        int width;

        gp_format(word, sizeof(word), "%.*s", (int)n, text);
        text += n + strspn(text + n, " ");
        width = gp_width(word);
        if (cols > 0 && indent + cols + 1 + width > p->in.cols) {
            row(p, indent, ink, line);
            line[0] = '\0';
            cols = 0;
            indent = hang;
        }
        gp_format(line + strlen(line), sizeof(line) - strlen(line), "%s%s",
                  cols ? " " : "", word);
        cols += width + (cols > 0);
    }
    if (cols > 0)
        row(p, indent, ink, line);
}

static void wordsf(struct page *p, int hang, enum ink ink, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

static void wordsf(struct page *p, int hang, enum ink ink, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gp_tame(text);
    words(p, hang, ink, text);
}

/* ---- the verdict ---- */

static enum ink verdict_ink(enum verdict verdict)
{
    return verdict == VERDICT_FITS       ? INK_OK
           : verdict == VERDICT_MARGINAL ? INK_WARN
                                         : INK_BAD;
}

const char *plan_verdict(const struct form *form)
{
    return form->answered ? verdict_shout(form->answer->plan.verdict) : "NO ANSWER";
}

void plan_answer_title(const struct form *form, char *text, size_t size)
{
    const struct plan *plan = &form->answer->plan;

    if (form->answered)
        gp_format(text, size, "%d x %s", plan->layout.gpus, plan->request.gpu->name);
    else
        gp_copy(text, size, "no answer");
}

static void verdict(struct page *p, const struct plan *plan)
{
    const char *word = verdict_shout(plan->verdict);
    double budget = plan->memory.budget.value; /* what the verdict goes by */
    char text[80] = "";

    if (plan->has_memory)
        gp_format(text, sizeof(text), "%.2f of %.2f GiB budget",
                  (budget - plan_margin(plan)) / GP_GIB, budget / GP_GIB);
    if (p->canvas) {
        int x =
            canvas_text(p->canvas, p->in, p->y, 0, verdict_ink(plan->verdict), word);

        canvas_fit(p->canvas, p->in, p->y, x + 2, p->in.cols - x - 2, INK_TEXT, text);
    }
    p->y++;
}

/* The lines of one kind, each as a paragraph: its amount first, where it has one. */
static void lines_show(struct page *p, const struct plan *plan, const struct answer *a,
                       enum line_kind kind)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(plan, a, kind, lines);
    enum ink ink = kind == LINE_RULE || kind == LINE_SOURCE ? INK_DIM : INK_TEXT;
    bool named = kind == LINE_WARNING || kind == LINE_SOURCE;

    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines[i];

        if (line->amount[0])
            wordsf(p, 2, ink, "%s %s: %s", line->name, line->amount, line->text);
        else if (line->text[0])
            wordsf(p, 2, ink, "%s%s%s", named ? line->name : "", named ? ": " : "",
                   line->text);
    }
}

/* ---- the pin ---- */

static void difference(struct page *p, const char *name, double now, double then)
{
    if (fabs(now - then) >= 0.005 * GP_GIB)
        wordsf(p, 2, INK_TEXT, "%s %+.2f GiB", name, (now - then) / GP_GIB);
}

static void pinned_parts(struct page *p, const struct plan *now,
                         const struct plan *then)
{
    const struct memory *a = &now->memory, *b = &then->memory;

    if (!now->has_memory || !then->has_memory)
        return;
    difference(p, "weights", a->weights.value, b->weights.value);
    difference(p, "KV and state", a->kv_reserved.value, b->kv_reserved.value);
    difference(p, "activation", a->activation.value, b->activation.value);
    difference(p, "non-torch", a->non_torch.value, b->non_torch.value);
    difference(p, "CUDA graphs", a->graphs.value, b->graphs.value);
    difference(p, "free", a->free.value, b->free.value);
}

static void pinned(struct page *p, const struct form *form)
{
    const struct plan *now = &form->answer->plan, *then = &form->pin->plan;
    char before[32], after[32];
    int from;

    if (!form->pinned)
        return;
    rule(p, "Against the pinned plan");
    from = p->y;
    for (int f = 0; f < FIELD_COUNT; f++) {
        const char *a = form->pin_form.value[f], *b = form->values.value[f];

        if (strcmp(a, b) != 0)
            wordsf(p, 2, INK_TEXT, "%s %s -> %s", field_rows[f].label,
                   a[0] ? a : "auto", b[0] ? b : "auto");
    }
    if (now->verdict != then->verdict)
        wordsf(p, 2, verdict_ink(now->verdict), "%s -> %s", verdict_word(then->verdict),
               verdict_word(now->verdict));
    pinned_parts(p, now, then);
    if (now->layout.gpus != then->layout.gpus)
        wordsf(p, 2, INK_TEXT, "GPUs %d -> %d", then->layout.gpus, now->layout.gpus);
    if (strcmp(now->request.gpu->id, then->request.gpu->id) != 0)
        wordsf(p, 2, INK_TEXT, "GPU %s -> %s", then->request.gpu->id,
               now->request.gpu->id);
    if (now->cost.per_hour > 0 && then->cost.per_hour > 0 &&
        fabs(now->cost.per_hour - then->cost.per_hour) >= 0.005)
        wordsf(p, 2, INK_TEXT, "%s/h -> %s/h (%+.2f $/h)",
               units_money(before, sizeof(before), then->cost.per_hour),
               units_money(after, sizeof(after), now->cost.per_hour),
               now->cost.per_hour - then->cost.per_hour);
    if (p->y == from)
        row(p, 0, INK_TEXT, "no difference");
}

static void changed(char *text, size_t size, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));

/* ", " and what changed. */
static void changed(char *text, size_t size, const char *fmt, ...)
{
    size_t n = strlen(text);
    va_list args;

    if (n > 0 && n + 2 < size)
        n += (size_t)snprintf(text + n, size - n, ", ");
    va_start(args, fmt);
    vsnprintf(text + n, size - n, fmt, args);
    va_end(args);
}

static void changed_gib(char *text, size_t size, const char *name, double bytes)
{
    if (fabs(bytes) >= 0.005 * GP_GIB)
        changed(text, size, "%s %+.2f GiB", name, bytes / GP_GIB);
}

/* The same in one sentence, for where there is little room: what changed, no more. */
static void pinned_short(struct page *p, const struct form *form)
{
    const struct plan *now = &form->answer->plan, *then = &form->pin->plan;
    const struct memory *a = &now->memory, *b = &then->memory;
    char text[240] = "";
    size_t size = sizeof(text);

    if (!form->pinned)
        return;
    if (now->verdict != then->verdict)
        changed(text, size, "%s -> %s", verdict_word(then->verdict),
                verdict_word(now->verdict));
    if (strcmp(now->request.gpu->id, then->request.gpu->id) != 0)
        changed(text, size, "%s -> %s", then->request.gpu->id, now->request.gpu->id);
    if (now->layout.gpus != then->layout.gpus)
        changed(text, size, "GPUs %d -> %d", then->layout.gpus, now->layout.gpus);
    if (now->has_memory && then->has_memory) {
        changed_gib(text, size, "weights", a->weights.value - b->weights.value);
        changed_gib(text, size, "KV", a->kv_reserved.value - b->kv_reserved.value);
        changed_gib(text, size, "free", a->free.value - b->free.value);
    }
    if (now->cost.per_hour > 0 && then->cost.per_hour > 0 &&
        fabs(now->cost.per_hour - then->cost.per_hour) >= 0.005)
        changed(text, size, "%+.2f $/h", now->cost.per_hour - then->cost.per_hour);
    wordsf(p, 2, INK_TEXT, "against the pin: %s", text[0] ? text : "no difference");
}

/* ---- memory ---- */

static void memory(struct page *p, const struct plan *plan)
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
    lines_show(p, plan, NULL, LINE_STAGE);
    lines_show(p, plan, NULL, LINE_POOL);
}

static void layout(struct page *p, const struct plan *plan)
{
    struct answer_line line[ANSWER_LINES_MAX];

    answer_lines(plan, NULL, LINE_LAYOUT, line);
    wordsf(p, 2, INK_TEXT, "GPUs %d: %s", plan->layout.gpus, line->text);
    if (answer_lines(plan, NULL, LINE_RUNNER_UP, line) > 0)
        wordsf(p, 2, INK_DIM, "runner-up %d: %s (%s)", plan->second.layout.gpus,
               line->text, line->note);
}

static void cost(struct page *p, const struct plan *plan)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(plan, NULL, LINE_COST, lines);

    if (n > 0)
        rule(p, "Cost");
    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines[i];

        if (line->amount[0])
            wordsf(p, 2, INK_TEXT, "%-10s %s/h, %s/month", line->name, line->amount,
                   line->month);
        if (line->amount[0])
            wordsf(p, 2, INK_DIM, "  %s", line->text);
        else
            wordsf(p, 2, line->name[0] ? INK_TEXT : INK_DIM, "%s%s%s", line->name,
                   line->name[0] ? " " : "", line->text);
        if (line->note[0])
            wordsf(p, 4, INK_WARN, "  %s", line->note);
    }
}

/* ---- the panels ---- */

static void no_answer(struct page *p, const struct form *form)
{
    row(p, 0, INK_BAD, "NO ANSWER");
    wordsf(p, 2, INK_TEXT, "%s%s%s", form->err.where, form->err.where[0] ? ": " : "",
           form->err.text);
    if (form->err.hint[0])
        wordsf(p, 2, INK_TEXT, "(%s)", form->err.hint);
    row(p, 0, INK_TEXT, "u: undo the last change");
}

/* Where the side panel is not in sight: what it would say first. */
static void way_out(struct page *p, const struct answer *a)
{
    char option[FIX_OPTIONS_MAX];

    if (a->plan.verdict == VERDICT_FITS)
        return;
    if (a->fix_count == 0)
        words(p, 2, INK_TEXT, "no single change makes it fit");
    else if (a->fix_count == 1)
        wordsf(p, 2, INK_KEY, "a: apply %s",
               planner_fix_options(&a->fixes[0], option));
    else
        wordsf(p, 2, INK_KEY, "a: %d ways out, such as %s", a->fix_count,
               planner_fix_options(&a->fixes[0], option));
}

void plan_answer_page(struct page *p, const struct form *form, bool alone)
{
    const struct answer *a = form->answer;

    if (!form->answered) {
        no_answer(p, form);
        return;
    }
    verdict(p, &a->plan);
    if (alone) {
        lines_show(p, &a->plan, a, LINE_REASON);
        way_out(p, a);
        pinned_short(p, form);
    }
    memory(p, &a->plan);
    layout(p, &a->plan);
    if (alone)
        lines_show(p, &a->plan, a, LINE_WARNING);
    cost(p, &a->plan);
    if (alone) {
        lines_show(p, &a->plan, a, LINE_GPU_FROM);
        pinned(p, form);
    }
    words(p, 2, INK_DIM, "speed: not predicted; 4 measures layers");
    lines_show(p, &a->plan, a, LINE_RULE);
    if (alone)
        words(p, 2, INK_DIM, "Tab: suggestions, sources");
}

static void suggestions(struct page *p, const struct answer *a)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    bool fits = a->plan.verdict == VERDICT_FITS;
    int n = answer_lines(&a->plan, a, LINE_FIX, lines);

    if (fits && n == 0)
        return;
    rule(p, fits ? "Fewer GPUs" : "What would fit");
    if (n == 0)
        words(p, 2, INK_TEXT, "no single change makes it fit");
    for (int i = 0; i < n; i++) {
        wordsf(p, 3, INK_KEY, "%d. %s", i + 1, lines[i].name);
        wordsf(p, 3, INK_TEXT, "   %s, %s", lines[i].text, lines[i].amount);
    }
    if (n > 0)
        words(p, 2, INK_DIM, "a: apply one");
}

void plan_side_page(struct page *p, const struct form *form)
{
    const struct answer *a = form->answer;

    if (!form->answered) {
        no_answer(p, form);
        return;
    }
    lines_show(p, &a->plan, a, LINE_GPU_FROM);
    lines_show(p, &a->plan, a, LINE_REASON);
    lines_show(p, &a->plan, a, LINE_WARNING);
    if (a->plan.verdict == VERDICT_FITS && !a->plan.warnings)
        words(p, 2, INK_TEXT, "It fits; no warnings.");
    suggestions(p, a);
    pinned(p, form);
    rule(p, "Sources");
    lines_show(p, &a->plan, a, LINE_SOURCE);
}

/* ---- why ---- */

/* The names of the terms that a field goes into begin with one of these. */
static const char *const terms_of[FIELD_COUNT][3] = {
    [FIELD_MODEL] = {"parameters", "active parameters", "weights"},
    [FIELD_PRECISION] = {"weights", "checkpoint"},
    [FIELD_KV] = {"KV per token", "KV of one request"},
    [FIELD_CONTEXT] = {"KV of one request", "one request is given", "users'"},
    [FIELD_USERS] = {"users'", "max concurrency"},
    [FIELD_GPU] = {"physical memory", "usable memory"},
    [FIELD_GPUS] = {"GPUs"},
    [FIELD_ENGINE] = {"budget", "KV pool", "non-torch"},
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
    [FIELD_PRUNE] = {"weights: saved", "weights"},
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
