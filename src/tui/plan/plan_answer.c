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

static const char *verdict_shout(enum verdict verdict)
{
    return verdict == VERDICT_FITS       ? "FITS"
           : verdict == VERDICT_MARGINAL ? "MARGINAL"
                                         : "DOES NOT FIT";
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

static void reasons(struct page *p, const struct plan *plan)
{
    for (int i = 0; i < plan->reason_count; i++)
        wordsf(p, 2, INK_TEXT, "%s", plan->reasons[i]);
}

static void warnings(struct page *p, const struct plan *plan)
{
    for (int i = 0; i < plan->warning_count; i++)
        wordsf(p, 2, INK_TEXT, "warning: %s", plan->warnings[i]);
}

static void how_it_came(struct page *p, const struct answer *a)
{
    if (a->resolved.gpu_chosen)
        words(p, 2, INK_TEXT, "no GPU was named: the cheapest list price that fits");
    if (a->resolved.gpu_local)
        words(p, 2, INK_TEXT, "no GPU was named: the one in this machine");
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

static void pool(struct page *p, const struct plan *plan)
{
    const struct memory *m = &plan->memory;
    char a[32], b[32], c[32];

    if (!m->max_concurrency.known || plan->request.model->weights_only)
        return;
    if (m->kv_pool.value <= 0) {
        wordsf(p, 2, INK_TEXT, "no room for KV: %s short",
               units_gib(a, sizeof(a), -m->kv_pool.value));
        return;
    }
    wordsf(p, 2, INK_TEXT, "KV pool %s: %s tokens, %.1f requests of %s tokens",
           units_gib(a, sizeof(a), m->kv_pool.value),
           units_tokens(b, sizeof(b), m->kv_cache_tokens.value),
           m->max_concurrency.value, units_tokens(c, sizeof(c), plan->request.context));
}

/* The field's rule beside the count, for all GPUs together; used for nothing. */
static void rule_of_thumb(struct page *p, const struct plan *plan)
{
    char a[32], b[32];

    wordsf(p, 2, INK_DIM, "rule of thumb %s, weights counted %s",
           units_gib(a, sizeof(a), plan->memory.rule_of_thumb),
           units_gib(b, sizeof(b), plan->memory.file_bytes));
}

static void memory(struct page *p, const struct plan *plan)
{
    struct part parts[PARTS_MAX];

    if (p->canvas) {
        membar_draw(p->canvas, p->in, p->y, plan);
        p->y += 1 + membar_legend(p->canvas, p->in, p->y + 1, plan);
    } else {
        p->y += 1 + parts_list(plan, parts) + (plan->request.used > 0);
    }
    if (plan->layout.pp > 1)
        wordsf(p, 2, INK_TEXT, "stage %d of %d, the one that binds",
               plan->memory.stage + 1, plan->layout.pp);
    pool(p, plan);
}

static void layout(struct page *p, const struct plan *plan)
{
    const struct layout *l = &plan->layout;
    const struct runner_up *r = &plan->second;
    char text[96];

    wordsf(p, 2, INK_TEXT, "GPUs %d: %s, %d host%s", l->gpus,
           layout_words(l, text, sizeof(text)), l->hosts, l->hosts == 1 ? "" : "s");
    if (r->layout.gpus > 0)
        wordsf(p, 2, INK_DIM, "runner-up %d: %s (%s)", r->layout.gpus,
               layout_words(&r->layout, text, sizeof(text)), r->lost);
}

/* ---- cost ---- */

static void rent(struct page *p, const char *name, const struct rent *r)
{
    char hour[32], month[32], note[256], age[64] = "undated: check it";

    if (!r->known)
        return;
    wordsf(p, 2, INK_TEXT, "%-10s %s/h, %s/month", name,
           units_money(hour, sizeof(hour), r->per_hour),
           units_money(month, sizeof(month), r->per_month));
    if (r->age_days >= 0)
        gp_format(age, sizeof(age), "%s, %ld days old%s", r->instance->date,
                  r->age_days, r->age_days > COST_OLD_DAYS ? ": check it" : "");
    wordsf(p, 2, INK_DIM, "  %d x %s %s, %d GPU%s (%s)", r->instances,
           r->instance->provider, r->instance->type, r->gpus_paid,
           r->gpus_paid == 1 ? "" : "s", age);
    if (cost_rent_note(r, note, sizeof(note))[0])
        wordsf(p, 4, INK_WARN, "  %s", note);
}

static void buy(struct page *p, const struct cost *c)
{
    const struct buy *b = &c->buy;
    char hour[32], month[32], capital[32];

    if (!b->known)
        return;
    wordsf(p, 2, INK_TEXT, "%-10s %s/h, %s/month", "buy",
           units_money(hour, sizeof(hour), b->per_hour.value),
           units_money(month, sizeof(month), b->per_month.value));
    wordsf(p, 2, INK_DIM, "  %s for %s (%s, %s), %.1f kW", b->what,
           units_money(capital, sizeof(capital), b->capital.value),
           b->as_of[0] ? b->as_of : "undated", origin_word(b->capital.origin),
           b->watts / 1000);
    if (b->break_even_hours > 0)
        wordsf(p, 2, INK_TEXT, "break-even after %.0f hours of renting (%.1f months)",
               b->break_even_hours,
               b->break_even_hours / (COST_HOURS_PER_MONTH * b->hours_share));
    else if (c->on_demand.known || c->spot.known || c->market.known)
        wordsf(p, 2, INK_TEXT, "break-even not within %.0f years", b->own->years);
}

static void cost(struct page *p, const struct cost *c)
{
    rule(p, "Cost");
    rent(p, "on demand", &c->on_demand);
    rent(p, "spot", &c->spot);
    if (c->want == WANT_MARKET)
        rent(p, "market", &c->market);
    buy(p, c);
    if (c->note[0])
        wordsf(p, 2, INK_DIM, "%s", c->note);
    else if (!c->on_demand.known && !c->spot.known && !c->buy.known)
        row(p, 0, INK_TEXT, "no price is known");
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
    if (a->plan.verdict == VERDICT_FITS)
        return;
    if (a->fix_count == 0)
        words(p, 2, INK_TEXT, "no single change makes it fit");
    else if (a->fix_count == 1)
        wordsf(p, 2, INK_KEY, "a: apply %s", a->fixes[0].option);
    else
        wordsf(p, 2, INK_KEY, "a: %d ways out, such as %s", a->fix_count,
               a->fixes[0].option);
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
        reasons(p, &a->plan);
        way_out(p, a);
        pinned_short(p, form);
    }
    if (a->plan.has_memory)
        memory(p, &a->plan);
    layout(p, &a->plan);
    if (alone)
        warnings(p, &a->plan);
    if (a->plan.has_memory)
        cost(p, &a->plan.cost);
    if (alone) {
        how_it_came(p, a);
        pinned(p, form);
    }
    words(p, 2, INK_DIM, "speed: not predicted; 4 measures layers");
    if (a->plan.has_memory)
        rule_of_thumb(p, &a->plan);
    if (alone)
        words(p, 2, INK_DIM, "Tab: suggestions, sources");
}

static void suggestions(struct page *p, const struct answer *a)
{
    bool fits = a->plan.verdict == VERDICT_FITS;

    if (fits && a->fix_count == 0)
        return;
    rule(p, fits ? "Fewer GPUs" : "What would fit");
    if (a->fix_count == 0)
        words(p, 2, INK_TEXT, "no single change makes it fit");
    for (int i = 0; i < a->fix_count; i++) {
        const struct fix *f = &a->fixes[i];
        char money[40] = "cost unknown";

        if (f->cost_known && fabs(f->cost_delta) < 0.005)
            gp_copy(money, sizeof(money), "same cost");
        else if (f->cost_known)
            gp_format(money, sizeof(money), "%+.2f $/h", f->cost_delta);
        else if (f->per_hour > 0)
            gp_format(money, sizeof(money), "%.2f $/h", f->per_hour);
        wordsf(p, 3, INK_KEY, "%d. %s", i + 1, f->option);
        wordsf(p, 3, INK_TEXT, "   %s%s, %+.2f GiB per GPU, %s", f->what,
               f->verdict == VERDICT_MARGINAL ? " (marginal)" : "", f->gain / GP_GIB,
               money);
    }
    if (a->fix_count)
        words(p, 2, INK_DIM, "a: apply one");
}

static void source(struct page *p, const char *name, const char *text)
{
    if (text && text[0])
        wordsf(p, 2, INK_DIM, "%s: %s", name, text);
}

static void sources(struct page *p, const struct plan *plan)
{
    const struct request *q = &plan->request;

    rule(p, "Sources");
    source(p, "model", q->model->source);
    wordsf(p, 2, INK_DIM, "gpu: confidence %s: %s",
           q->gpu->confidence[0] ? q->gpu->confidence : "unknown", q->gpu->source);
    wordsf(p, 2, INK_DIM, "engine: %s (%s)", q->engine->source, q->engine->date);
    source(p, "format", q->precision.weight->source);
    if (plan->cost.on_demand.known)
        source(p, "price", plan->cost.on_demand.instance->source);
}

void plan_side_page(struct page *p, const struct form *form)
{
    const struct answer *a = form->answer;

    if (!form->answered) {
        no_answer(p, form);
        return;
    }
    how_it_came(p, a);
    reasons(p, &a->plan);
    warnings(p, &a->plan);
    if (a->plan.verdict == VERDICT_FITS && !a->plan.warning_count)
        words(p, 2, INK_TEXT, "It fits; no warnings.");
    suggestions(p, a);
    pinned(p, form);
    sources(p, &a->plan);
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

static bool goes_into(enum field field, const struct term_why *term)
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
