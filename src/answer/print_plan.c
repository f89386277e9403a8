/*
 * print_plan.c - see print_plan.h. Words first, every number with its unit and origin.
 * The sentences are those of answer_lines.h; here is where they stand.
 */
#include "answer/print_plan.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "answer/answer_lines.h"
#include "answer/parts.h"
#include "answer/print_why.h"
#include "answer/record.h"
#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/usage.h"

#define BAR_WIDTH 60

/* Every line of one kind between two texts. */
static void print_kind(const struct answer *a, enum line_kind kind, const char *before,
                       const char *after, struct strbuf *out)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(&a->plan, a, kind, lines);

    for (int i = 0; i < n; i++)
        strbuf_addf(out, "%s%s%s", before, lines[i].text, after);
}

/* ---- the parts ---- */

/* One per role: what the bar is drawn with, and the mark before the part's line. */
static const char glyphs[PART_ROLE_COUNT] = {' ', '#', '=', ':', '-', '.'};

static void print_parts(const struct plan *p, struct strbuf *out)
{
    struct part parts[PARTS_MAX];
    int n = parts_list(p, parts);

    strbuf_addf(out, "\n%-25s GiB  band           origin\n",
                p->layout.prefill_tp > 0 ? "memory of a GPU, decode" : "memory of one GPU");
    for (int i = 0; i < n; i++) {
        const struct quantity *q = &parts[i].q;
        const char *origin = origin_word(q->origin);
        char band[40] = "";

        if (q->high - q->low > 0.005 * GP_GIB)
            gp_format(band, sizeof(band), "%.2f..%.2f", q->low / GP_GIB, q->high / GP_GIB);
        strbuf_addf(out, " %c  %-17s %7.2f  %-14s %s", glyphs[parts[i].role], parts[i].name,
                    q->value / GP_GIB, band, origin);
        if (parts[i].note[0])
            strbuf_addf(out, "%*s%s", 10 - (int)strlen(origin), "", parts[i].note);
        strbuf_add(out, "\n");
    }
}

static void print_bar(const struct plan *p, struct strbuf *out)
{
    struct part parts[PARTS_MAX];
    int n = parts_list(p, parts), used = 0;
    double room = p->memory.usable.value, sum = 0;

    strbuf_add(out, "    [");
    for (int i = 0; i < n; i++) {
        if (!parts_fills(parts[i].role))
            continue;
        sum += parts[i].q.value;
        int until = (int)lround(fmin(sum / room, 1) * BAR_WIDTH);
        for (; used < until; used++)
            strbuf_addn(out, &glyphs[parts[i].role], 1);
    }
    for (; used < BAR_WIDTH; used++)
        strbuf_add(out, ".");
    strbuf_add(out, sum > room ? "] overflows\n" : "]\n");
}

static void print_pool(const struct answer *a, struct strbuf *out)
{
    struct answer_line line[ANSWER_LINES_MAX];

    if (answer_lines(&a->plan, a, LINE_POOL, line) == 0)
        return;
    if (line->amount[0])
        strbuf_addf(out, "    KV pool %s%s%s%s: ", line->amount, line->note[0] ? " (" : "",
                    line->note, line->note[0] ? ")" : "");
    strbuf_addf(out, "%s%s\n", line->amount[0] ? "" : "    ", line->text);
}

static void print_logged(const struct answer *a, struct strbuf *out)
{
    struct answer_line line[ANSWER_LINES_MAX];
    int n = answer_lines(&a->plan, a, LINE_LOGGED, line);

    for (int i = 0; i < n; i++)
        strbuf_addf(out, "    %s %s\n", line[i].name, line[i].text);
}

static void print_rule(const struct plan *p, struct strbuf *out)
{
    const struct memory *m = &p->memory;
    char b[32];

    strbuf_addf(out,
                "    rule of thumb at %s: %.4g B x %.4g bit / 8 x 1.25 = %.1f GB in all; "
                "counted weights: %s\n",
                p->request.precision.id, model_params(p->request.model) / 1e9,
                p->request.precision.weight->bits, m->rule_of_thumb / 1e9,
                units_gib(b, sizeof(b), m->file_bytes));
}

/* ---- head ---- */

/* ", context 12,240 tokens": the field that was solved for, and its value. */
static void print_solved(const struct answer *a, struct strbuf *out)
{
    const struct request *q = &a->plan.request;
    char tokens[32];

    if (!a->solved)
        return;
    if (!solve_has_limit(q, a->solve)) {
        strbuf_addf(out, ", %s: no limit, it keeps no KV",
                    a->solve == SOLVE_USERS ? "users" : "context");
        return;
    }
    switch (a->solve) {
    case SOLVE_CONTEXT:
        strbuf_addf(out, ", context %s tokens", units_tokens(tokens, sizeof(tokens), q->context));
        break;
    case SOLVE_USERS:
        strbuf_addf(out, ", %.0f users", q->users);
        break;
    case SOLVE_PRECISION:
        strbuf_addf(out, ", precision %s", q->precision.id);
        break;
    case SOLVE_BUDGET:
        strbuf_addf(out, ", $%.2f per hour", a->plan.cost.per_hour);
        break;
    default:
        strbuf_addf(out, ", %d GPU%s", a->plan.layout.gpus, a->plan.layout.gpus == 1 ? "" : "s");
    }
}

static void print_runner_up(const struct answer *a, struct strbuf *out)
{
    struct answer_line line[ANSWER_LINES_MAX];
    int gpus = a->plan.second.layout.gpus;

    if (answer_lines(&a->plan, a, LINE_RUNNER_UP, line) == 0)
        return;
    strbuf_addf(out, "  runner-up: %d GPU%s, %s%s%s%s (%s)\n", gpus, gpus == 1 ? "" : "s",
                line->text, line->amount[0] ? ", " : "", line->amount, line->amount[0] ? "/h" : "",
                line->note);
}

static void print_head(const struct answer *a, struct strbuf *out)
{
    const struct plan *p = &a->plan;

    print_kind(a, LINE_MODEL, "", "\n", out);
    print_kind(a, LINE_LOAD, "", "\n", out);
    strbuf_add(out, "\n");
    strbuf_addf(out, "%s on %d x %s (%s)", verdict_words_for(p->verdict, p->limit)->shout,
                p->layout.gpus, p->request.gpu->name, p->request.gpu->id);
    print_kind(a, LINE_LAYOUT, ": ", "\n", out);
    print_runner_up(a, out);
    print_kind(a, LINE_GPU_FROM, "", "\n", out);
    if (a->solve != SOLVE_NONE) {
        strbuf_add(out, a->solved ? "solved" : "solving found nothing that fits");
        print_solved(a, out);
        strbuf_add(out, a->solved && solve_has_limit(&p->request, a->solve)
                            ? " (the best that fits)\n"
                            : "\n");
    }
    print_kind(a, LINE_REASON, "  ", "\n", out);
    print_kind(a, LINE_STARTUP, "  ", "\n", out);
    print_kind(a, LINE_WARNING, "  warning: ", "\n", out);
}

/* ---- cost, fixes, sources ---- */

void print_cost(const struct plan *p, struct strbuf *out)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(p, NULL, LINE_COST, lines);

    strbuf_add(out, "\ncost\n");
    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines[i];

        if (line->amount[0])
            strbuf_addf(out, "    %-11s %9s/h  %10s/month  %s\n", line->name, line->amount,
                        line->month, line->text);
        else
            strbuf_addf(out, "    %s%s%s\n", line->name, line->name[0] ? "  " : "", line->text);
        if (line->note[0])
            strbuf_addf(out, "%16s%s\n", "", line->note);
    }
}

/* "1,024", "1,024 +- 500". */
static char *lengths(double mean, double spread, char *text, size_t size)
{
    char deviation[32];

    units_tokens(text, size, mean);
    if (spread * mean >= 0.5)
        gp_format(text + strlen(text), size - strlen(text), " +- %s",
                  units_tokens(deviation, sizeof(deviation), spread * mean));
    return text;
}

static void print_speed(const struct answer *a, struct strbuf *out)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    const struct request *q = &a->plan.request;
    int n = answer_lines(&a->plan, a, LINE_SPEED, lines);
    char prompt[64], output[64];

    if (n == 0)
        return;
    if (a->plan.speed.gap == SPEED_NO_TOKENS)
        strbuf_add(out, "\nspeed\n");
    else
        strbuf_addf(out, "\nspeed, prompts of %s and answers of %s tokens\n",
                    lengths(q->prompt, q->spread.prompt, prompt, sizeof(prompt)),
                    lengths(q->output, q->spread.output, output, sizeof(output)));
    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines[i];

        if (line->amount[0])
            strbuf_addf(out, "    %-14s %9s  %-20s %s\n", line->name, line->amount, line->note,
                        line->text);
        else if (line->name[0])
            strbuf_addf(out, "    %-14s %s\n", line->name, line->text);
        else
            strbuf_addf(out, "    %s\n", line->text);
    }
}

static void print_fixes(const struct answer *a, const struct options *options, struct strbuf *out)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    bool fits = a->plan.verdict == VERDICT_FITS, slow = a->plan.verdict == VERDICT_SLOW;
    int n = answer_lines(&a->plan, a, LINE_FIX, lines);

    if (n > 0 && a->fixes[0].better == BETTER_NONE)
        strbuf_add(out, fits   ? "\nfewer GPUs\n"
                        : slow ? "\nwhat would reach the goals (each one was planned)\n"
                               : "\nwhat would fit (each one was planned)\n");
    else if (n == 0 && !fits)
        strbuf_add(out, slow ? "\nno single change reaches the goals\n"
                             : "\nno single change makes it fit\n");
    for (int i = 0; i < n; i++) {
        enum better before = i > 0 ? a->fixes[i - 1].better : BETTER_NONE;

        if (a->fixes[i].better != BETTER_NONE && before == BETTER_NONE)
            strbuf_add(out, "\nwhat would be better (each one was planned)\n");
        strbuf_addf(out, "    %-12s  %s\n      ", lines[i].amount, lines[i].text);
        planner_fix_command(options, a, &a->fixes[i], out);
        strbuf_add(out, "\n");
    }
}

/* "    name    text", broken at spaces so that lines stay under 100 columns. */
static void print_source(const char *name, const char *text, struct strbuf *out)
{
    const size_t width = 86;

    strbuf_addf(out, "    %-8s", name);
    while (strlen(text) > width) {
        size_t n = width;

        while (n > 1 && text[n] != ' ')
            n--;
        n = n > 1 ? n : width;
        strbuf_addn(out, text, n);
        strbuf_add(out, "\n            ");
        text += n + (text[n] == ' ');
    }
    strbuf_addf(out, "%s\n", text);
}

static void print_sources(const struct answer *a, struct strbuf *out)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(&a->plan, a, LINE_SOURCE, lines);

    strbuf_add(out, "\nsources\n");
    for (int i = 0; i < n; i++)
        print_source(lines[i].name, lines[i].text, out);
}

/* ---- the whole ---- */

void print_plan(const struct answer *a, const struct options *options, bool why, bool verbose,
                struct strbuf *out)
{
    const struct plan *p = &a->plan;
    struct term terms[TERMS_MAX];

    print_head(a, out);
    if (p->has_memory) {
        print_parts(p, out);
        print_kind(a, LINE_STAGE, "    (", ")\n", out);
        print_bar(p, out);
        print_pool(a, out);
        print_logged(a, out);
        print_rule(p, out);
        print_speed(a, out);
        print_cost(p, out);
    }
    print_fixes(a, options, out);
    if (why)
        print_why(terms, terms_of_plan(p, terms), out);
    if (verbose)
        print_sources(a, out);
    else if (!why)
        print_kind(a, LINE_DATES, "\nsources: ", "; details with -v or --why\n", out);
}

void print_plan_line(const struct answer *a, struct strbuf *out)
{
    const struct plan *p = &a->plan;

    strbuf_addf(out, "%s: %d x %s, TP %d, PP %d, replicas %d", verdict_word(p->verdict),
                p->layout.gpus, p->request.gpu->id, p->layout.tp, p->layout.pp, p->layout.replicas);
    if (p->limit != LIMIT_NONE)
        strbuf_addf(out, ", limit %s", limit_word(p->limit));
    print_solved(a, out);
    strbuf_add(out, "\n");
}

/* ---- CSV and Markdown ---- */

enum record_as output_record_as(enum output_format format)
{
    return format == OUTPUT_CSV        ? RECORD_CSV
           : format == OUTPUT_MARKDOWN ? RECORD_MARKDOWN
                                       : RECORD_TEXT;
}

static void speed_facts(const struct plan *p, struct record *r)
{
    const struct speed *v = &p->speed;
    struct usage usage;
    char text[640];

    if (v->gap != SPEED_KNOWN)
        return;
    record_quantity(r, "TTFT", "ms", v->ttft, 1e-3, 1);
    record_quantity(r, "TPOT", "ms", v->tpot, 1e-3, 2);
    record_note(r, sentence_speed_doubts(p, text, sizeof(text)));
    record_quantity(r, "output tokens per second", "tokens/s", v->tokens, 1, 1);
    record_note(r, sentence_speed_bound(v->bound));
    usage_of(p, &usage);
    record_quantity(r, "utilisation", "%", usage.share, 0.01, 1);
    if (!p->power.loaded)
        return;
    record_quantity(r, "power", "W", p->power.total, 1, 0);
    record_note(r, "GPUs and hosts at this load");
    record_quantity(r, "energy per output token", "J", p->power.joules, 1, 3);
}

void print_cost_rows(const struct plan *p, struct record *r)
{
    struct quantity hour, month, tokens = plan_token_price(p);
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(p, NULL, LINE_COST, lines);
    const char *offer = "";

    plan_prices(p, &hour, &month);
    for (int i = 0; i < n; i++)
        if (lines[i].wanted || (!hour.known && !lines[i].name[0]))
            offer = lines[i].text;
    record_quantity(r, "cost per hour", "$/h", hour, 1, 2);
    record_note(r, offer);
    record_quantity(r, "cost per month", "$/month", month, 1, 2);
    if (tokens.known) /* fine-tuning has none */
        record_quantity(r, "cost per million output tokens", "$", tokens, 1, 3);
}

void print_plan_rows(const struct answer *a, struct record *r)
{
    const struct plan *p = &a->plan;
    struct part parts[PARTS_MAX];
    struct answer_line line[ANSWER_LINES_MAX];
    struct quantity gpus = quantity_exact(p->layout.gpus);
    char reason[SENTENCE_MAX];
    int n = p->has_memory ? parts_list(p, parts) : 0;

    record_text(r, "verdict", verdict_word(p->verdict));
    record_note(r, sentence_first_reason(p, reason));
    record_text(r, "GPU", p->request.gpu->id);
    record_note(r, p->request.gpu->name);
    answer_lines(p, a, LINE_LAYOUT, line);
    gpus.known = p->has_memory; /* a refused layout has no size */
    record_quantity(r, "GPUs", "", gpus, 1, 0);
    record_note(r, gpus.known ? line->text : "");
    for (int i = 0; i < n; i++) {
        record_quantity(r, parts[i].name, "GiB", parts[i].q, GP_GIB, 4);
        record_note(r, parts[i].note);
    }
    speed_facts(p, r);
    if (p->has_memory)
        print_cost_rows(p, r);
}

void print_plan_table(const struct answer *a, enum output_format format, struct strbuf *out)
{
    struct record r;

    record_init(&r);
    print_plan_rows(a, &r);
    record_rows(&r, output_record_as(format), out);
    record_fini(&r);
}
