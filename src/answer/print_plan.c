/*
 * print_plan.c - see print_plan.h. Words first, every number with its unit and origin. The
 * sentences are those of answer_lines.h, the figures those of figures.h; here is where they stand.
 */
#include "answer/print_plan.h"

#include <math.h>
#include <string.h>

#include "answer/answer_lines.h"
#include "answer/figures.h"
#include "answer/sentence.h"
#include "base/units.h"

/* A number as it is shown, an input's and a term's alike: four digits, all of those before
 * the point. */
static const char *number_text(enum input_style style, double number, char *text, size_t size)
{
    if (style == INPUT_BYTES)
        units_memory(text, size, number);
    else if (style == INPUT_EXACT)
        units_bytes(text, size, number);
    else if (style == INPUT_MONEY)
        units_money(text, size, number);
    else if (number == floor(number) || fabs(number) >= 1000)
        units_tokens(text, size, number);
    else
        units_plain(text, size, number, 4);
    return text;
}

void term_inputs_text(const struct term *term, struct strbuf *out)
{
    char value[48], low[48], high[48];

    for (int i = 0; i < term->input_count; i++) {
        const struct term_input *in = &term->input[i];
        const struct quantity *q = &in->value;

        if (i > 0)
            strbuf_add(out, ", ");
        if (in->times > 0)
            strbuf_addf(out, "%d x ", in->times);
        strbuf_addn(out, in->name, (size_t)in->name_len);
        if (in->style != INPUT_WORD && !q->known) {
            strbuf_add(out, " unknown");
        } else if (in->style != INPUT_WORD) {
            strbuf_addf(out, " %s", number_text(in->style, q->value, value, sizeof(value)));
            number_text(in->style, q->low, low, sizeof(low));
            number_text(in->style, q->high, high, sizeof(high));
            if (strcmp(low, high) != 0)
                strbuf_addf(out, ", %s to %s", low, high);
        }
        if (in->unit) /* "$2.29/h" is joined */
            strbuf_addf(out, "%s%s", in->style == INPUT_MONEY ? "" : " ", in->unit);
        if (in->origin && in->origin[0])
            strbuf_addf(out, " (%s)", in->origin);
    }
}

void term_source_text(const struct term_source *s, struct strbuf *out)
{
    strbuf_addf(out, "%s%s%s%s%s: %s%s%s", s->name, s->version[0] ? " " : "", s->version,
                s->date[0] ? " of " : "", s->date, s->evidence, s->evidence[0] ? "; " : "",
                s->text);
}

/* A band's end without the unit that the value has: "2.256 GiB (2.026..2.476)". */
static void cut_unit(char *end, const char *value)
{
    const char *unit = strchr(value, ' ');
    char *own = strchr(end, ' ');

    if (unit && own && strcmp(own, unit) == 0)
        *own = '\0';
}

static void print_value(const struct term *t, struct strbuf *out)
{
    const struct quantity *q = &t->value;
    bool gib = strcmp(t->unit, "GiB") == 0, money = t->unit[0] == '$';
    enum input_style style = gib ? INPUT_BYTES : money ? INPUT_MONEY : INPUT_NUMBER;
    double scale = gib ? GP_GIB : 1;
    char value[48], low[48], high[48];

    if (!q->known) {
        strbuf_add(out, "unknown");
        return;
    }
    strbuf_add(out, number_text(style, q->value * scale, value, sizeof(value)));
    if (money) /* "$2.29/h" */
        strbuf_add(out, t->unit + 1);
    else if (!gib)
        strbuf_addf(out, " %s", t->unit);
    number_text(style, q->low * scale, low, sizeof(low));
    number_text(style, q->high * scale, high, sizeof(high));
    cut_unit(low, value);
    cut_unit(high, value);
    if (q->high - q->low > 0.0005 * fabs(q->value) && strcmp(low, high) != 0)
        strbuf_addf(out, " (%s..%s)", low, high);
    strbuf_addf(out, ", %s", origin_word(q->origin));
}

const char *term_name(const struct term *t, char text[TERM_NAME_MAX])
{
    if (t->layers > 0)
        gp_format(text, TERM_NAME_MAX, "%s: %d %s layer%s", t->name, t->layers, t->part,
                  t->layers > 1 ? "s" : "");
    else
        gp_format(text, TERM_NAME_MAX, "%s%s%s", t->name, t->part ? ": " : "",
                  t->part ? t->part : "");
    for (int i = 0; i < t->size_count; i++)
        gp_append(text, TERM_NAME_MAX, t->size[i].before, "%d", t->size[i].number);
    return text;
}

void print_why_term(const struct term *t, struct strbuf *out)
{
    char name[TERM_NAME_MAX];

    strbuf_addf(out, "  %s", term_name(t, name));
    if (strcmp(t->symbol, t->name) != 0)
        strbuf_addf(out, " (%s)", t->symbol);
    strbuf_add(out, " = ");
    print_value(t, out);
    strbuf_addf(out, "\n      %s", t->equation);
    if (t->input_count > 0)
        strbuf_add(out, "\n      with ");
    term_inputs_text(t, out);
    if (t->source.name)
        strbuf_add(out, "\n      from ");
    if (t->source.name)
        term_source_text(&t->source, out);
    strbuf_add(out, "\n");
}

void print_why(const struct term *terms, int count, struct strbuf *out)
{
    strbuf_add(out, "\nwhy\n");
    for (int i = 0; i < count; i++)
        print_why_term(&terms[i], out);
}

#define BAR_WIDTH 60

/* Every line of one kind between two texts. */
static void print_kind(const struct answer *a, enum line_kind kind, const char *before,
                       const char *after, struct strbuf *out)
{
    struct answer_lines lines;
    int n = answer_lines(&a->plan, a, kind, &lines);

    for (int i = 0; i < n; i++)
        strbuf_addf(out, "%s%s%s", before, lines.list[i].text, after);
    answer_lines_fini(&lines);
}

/* ---- the memory ---- */

/* One per role: what the bar is drawn with, and the mark before the part's line. */
static const char glyphs[PART_ROLE_COUNT] = {' ', '#', '=', ':', '-', '.'};

static void print_parts(const struct plan *p, struct figures *figures, struct strbuf *out)
{
    strbuf_addf(out, "\n%-25s GiB  band           origin\n",
                p->layout.prefill_tp > 0 ? "memory of a GPU, decode" : "memory of one GPU");
    for (int i = 0; i < figures->count; i++) {
        const struct figure *f = &figures->list[i];
        const char *origin = origin_word(f->value.origin);

        if (figure_rows[f->id].group != FIGURES_MEMORY)
            break;
        strbuf_addf(out, " %c  %-17s %7.2f  %-14s %s", glyphs[f->role], f->label,
                    f->value.value / GP_GIB, figure_band(AS_GIB, f->value, &figures->texts),
                    origin);
        if (f->note[0])
            strbuf_addf(out, "%*s%s", 10 - (int)strlen(origin), "", f->note);
        strbuf_add(out, "\n");
    }
}

static void print_bar(const struct plan *p, const struct figures *figures, struct strbuf *out)
{
    double room = p->memory.usable.value, sum = 0;
    int used = 0;

    strbuf_add(out, "    [");
    for (int i = 0; i < figures->count; i++) {
        const struct figure *f = &figures->list[i];

        if (!figure_fills(f))
            continue;
        sum += f->value.value;
        int until = (int)lround(fmin(sum / room, 1) * BAR_WIDTH);
        for (; used < until; used++)
            strbuf_addc(out, glyphs[f->role]);
    }
    for (; used < BAR_WIDTH; used++)
        strbuf_addc(out, '.');
    strbuf_add(out, sum > room ? "] overflows\n" : "]\n");
}

static void print_memory(const struct answer *a, struct strbuf *out)
{
    const struct plan *p = &a->plan;
    struct figures figures;
    struct answer_lines lines;

    figures_of(p, &figures);
    print_parts(p, &figures, out);
    print_kind(a, LINE_STAGE, "    (", ")\n", out);
    print_bar(p, &figures, out);
    figures_fini(&figures);
    if (answer_lines(p, a, LINE_POOL, &lines) > 0) {
        const struct answer_line *line = &lines.list[0];

        strbuf_add(out, "    ");
        if (line->amount[0])
            strbuf_addf(out, "KV pool %s%s%s%s: ", line->amount, line->note[0] ? " (" : "",
                        line->note, line->note[0] ? ")" : "");
        strbuf_addf(out, "%s\n", line->text);
    }
    answer_lines_fini(&lines);
    answer_lines(p, a, LINE_LOGGED, &lines);
    for (int i = 0; i < lines.count; i++)
        strbuf_addf(out, "    %s %s\n", lines.list[i].name, lines.list[i].text);
    answer_lines_fini(&lines);
    strbuf_addf(out,
                "    rule of thumb at %s: %.4g B x %.4g bit / 8 x 1.25 = %.1f GB in all; "
                "counted weights: %s\n",
                p->request.precision.id, model_params(p->request.model) / 1e9,
                p->request.precision.weight->bits, p->memory.rule_of_thumb / 1e9,
                UNITS_GIB(p->memory.file_bytes));
}

/* ---- head ---- */

/* The decision first, a row each; what was asked and what there is to know of it below. */
static void print_head(const struct answer *a, struct strbuf *out)
{
    const struct plan *p = &a->plan;
    int second = p->second.layout.gpus;
    struct answer_lines lines;

    answer_lines(p, a, LINE_HEADLINE, &lines);
    for (int i = 0; i < lines.count; i++) {
        const struct answer_line *row = &lines.list[i];

        if (row->name[0])
            strbuf_addf(out, "  %-9s%s\n", row->name, row->text);
        else
            strbuf_addf(out, "%s\n", row->text);
    }
    answer_lines_fini(&lines);
    strbuf_add(out, "\n");
    print_kind(a, LINE_MODEL, "", "\n", out);
    print_kind(a, LINE_LOAD, "", "\n", out);
    print_kind(a, LINE_GPU_FROM, "", "\n", out);
    print_kind(a, LINE_HOLDS, "", "\n", out);
    print_kind(a, LINE_GOALS, "", "\n", out);
    if (answer_lines(p, a, LINE_RUNNER_UP, &lines) > 0) {
        const struct answer_line *line = &lines.list[0];

        strbuf_addf(out, "runner-up: %d GPU%s, %s%s%s%s (%s)\n", second, second == 1 ? "" : "s",
                    line->text, line->amount[0] ? ", " : "", line->amount,
                    line->amount[0] ? "/h" : "", line->note);
    }
    answer_lines_fini(&lines);
    print_kind(a, LINE_REASON, "  ", "\n", out);
    print_kind(a, LINE_STARTUP, "  ", "\n", out);
    print_kind(a, LINE_WARNING, "  warning: ", "\n", out);
}

/* ---- speed, cost, fixes, sources ---- */

/* "1,024", "1,024 +- 500". */
static void print_lengths(double mean, double spread, struct strbuf *out)
{
    strbuf_add(out, UNITS_TOKENS(mean));
    if (spread * mean >= 0.5)
        strbuf_addf(out, " +- %s", UNITS_TOKENS(spread * mean));
}

static void print_speed(const struct answer *a, struct strbuf *out)
{
    const struct request *q = &a->plan.request;
    struct answer_lines lines;
    int n = answer_lines(&a->plan, a, LINE_SPEED, &lines);

    if (n > 0)
        strbuf_add(out, "\nspeed");
    bool answers = !q->model->pooling && !model_is_encoder(q->model);

    if (n > 0 && (a->plan.speed.gap != SPEED_NO_TOKENS || model_is_encoder(q->model))) {
        strbuf_add(out, ", prompts of ");
        print_lengths(q->prompt, q->spread.prompt, out);
        if (answers) {
            strbuf_add(out, " and answers of ");
            print_lengths(q->output, q->spread.output, out);
        }
        strbuf_add(out, " tokens");
    }
    if (n > 0)
        strbuf_add(out, "\n");
    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines.list[i];

        if (line->amount[0])
            strbuf_addf(out, "    %-14s %9s  %-20s %s\n", line->name, line->amount, line->note,
                        line->text);
        else if (line->name[0])
            strbuf_addf(out, "    %-14s %s\n", line->name, line->text);
        else
            strbuf_addf(out, "    %s\n", line->text);
    }
    answer_lines_fini(&lines);
}

void print_cost(const struct plan *p, struct strbuf *out)
{
    struct answer_lines lines;

    answer_lines(p, NULL, LINE_COST, &lines);
    strbuf_add(out, "\ncost\n");
    for (int i = 0; i < lines.count; i++) {
        const struct answer_line *line = &lines.list[i];

        if (line->amount[0])
            strbuf_addf(out, "    %-11s %9s/h  %10s/month  %s\n", line->name, line->amount,
                        line->month, line->text);
        else
            strbuf_addf(out, "    %s%s%s\n", line->name, line->name[0] ? "  " : "", line->text);
        if (line->note[0])
            strbuf_addf(out, "%16s%s\n", "", line->note);
    }
    answer_lines_fini(&lines);
}

static void print_fixes(const struct answer *a, const struct options *options, struct strbuf *out)
{
    bool fits = a->plan.verdict == VERDICT_FITS, slow = a->plan.verdict == VERDICT_SLOW;
    struct answer_lines lines;
    int n = answer_lines(&a->plan, a, LINE_FIX, &lines);

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
        strbuf_addf(out, "    %-12s  %s\n      ", lines.list[i].amount, lines.list[i].text);
        planner_fix_command(options, a, &a->fixes[i], out);
        strbuf_add(out, "\n");
    }
    answer_lines_fini(&lines);
}

static void print_sources(const struct answer *a, struct strbuf *out)
{
    struct answer_lines lines;

    answer_lines(&a->plan, a, LINE_SOURCE, &lines);
    strbuf_add(out, "\nsources\n");
    for (int i = 0; i < lines.count; i++)
        strbuf_addf(out, "    %-8s%s\n", lines.list[i].name, lines.list[i].text);
    answer_lines_fini(&lines);
}

/* ---- the whole ---- */

void print_plan(const struct answer *a, const struct options *options, bool why, bool verbose,
                struct strbuf *out)
{
    struct term terms[TERMS_MAX];

    print_head(a, out);
    if (a->plan.has_memory) {
        print_memory(a, out);
        print_speed(a, out);
        print_cost(&a->plan, out);
    }
    print_fixes(a, options, out);
    if (why)
        print_why(terms, terms_of_plan(&a->plan, terms), out);
    if (verbose)
        print_sources(a, out);
    else if (!why)
        print_kind(a, LINE_DATES, "\nsources: ", "; details with -v or --why\n", out);
}

void print_plan_line(const struct answer *a, struct strbuf *out)
{
    const struct plan *p = &a->plan;
    const struct request *q = &p->request;
    struct texts texts = {0};

    strbuf_addf(out, "%s: %s, %s, %s", verdict_word(p->verdict), sentence_gpus(p, &texts),
                sentence_layout(&p->layout, &texts), q->precision.id);
    if (model_is_served(q->model) && q->engine)
        strbuf_addf(out, ", %s %s", q->engine->name, q->engine->range);
    if (p->has_memory && p->speed.gap == SPEED_KNOWN)
        strbuf_addf(out, ", %s %s", q->model->pooling ? "a prompt in" : "TPOT",
                    figure_amount(AS_TIME, plan_pace(p), &texts));
    if (p->has_memory && p->cost.per_hour > 0)
        strbuf_addf(out, ", %s/h", UNITS_MONEY(p->cost.per_hour));
    if (plan_goals(p) != GOAL_NOT_ASKED)
        strbuf_addf(out, ", goals %s", goal_word(plan_goals(p)));
    if (p->limit != LIMIT_NONE)
        strbuf_addf(out, ", limit %s", limit_word(p->limit));
    if (a->solved.found || a->solved.likely > 0 || a->solved.likely_precision)
        strbuf_addf(out, ", %s", answer_solved(a, &texts));
    strbuf_add(out, "\n");
    texts_fini(&texts);
}

/* ---- CSV and Markdown ---- */

enum record_as output_record_as(enum output_format format)
{
    return format == OUTPUT_CSV        ? RECORD_CSV
           : format == OUTPUT_MARKDOWN ? RECORD_MARKDOWN
                                       : RECORD_TEXT;
}

void output_line(const char *text, enum output_format format, struct strbuf *out)
{
    if (format == OUTPUT_MARKDOWN)
        table_markdown_text(out, text);
    else
        strbuf_add(out, text);
    strbuf_add(out, "\n");
}

static void figure_rows_of(const struct plan *p, enum figure_group least, struct record *r)
{
    struct figures figures;
    struct answer_lines lines;
    const char *offer = "";

    answer_lines(p, NULL, LINE_COST, &lines);
    figures_of(p, &figures);
    for (int i = 0; i < lines.count; i++)
        if (lines.list[i].wanted || (p->cost.per_hour <= 0 && !lines.list[i].name[0]))
            offer = lines.list[i].text;
    for (int i = 0; i < figures.count; i++) {
        struct figure *f = &figures.list[i];

        if (f->id == FIGURE_HOUR)
            f->note = offer;
        if (figure_rows[f->id].group >= least)
            figure_fact(f, r);
    }
    figures_fini(&figures);
    answer_lines_fini(&lines);
}

void print_cost_rows(const struct plan *p, struct record *r)
{
    figure_rows_of(p, FIGURES_COST, r);
}

void print_plan_rows(const struct answer *a, struct record *r)
{
    const struct plan *p = &a->plan;
    struct quantity gpus = quantity_exact(p->layout.gpus);
    struct answer_lines lines;

    record_text(r, "verdict", verdict_word(p->verdict));
    record_note(r, answer_lines(p, a, LINE_REASON, &lines) > 0 ? lines.list[0].text : "");
    answer_lines_fini(&lines);
    record_text(r, "GPU", p->request.gpu->id);
    record_note(r, p->request.gpu->name);
    answer_lines(p, a, LINE_LAYOUT, &lines);
    gpus.known = p->has_memory; /* a refused layout has no size */
    record_quantity(r, "GPUs", "", gpus, 1, 0);
    record_note(r, gpus.known ? lines.list[0].text : "");
    answer_lines_fini(&lines);
    figure_rows_of(p, FIGURES_MEMORY, r);
}

void print_plan_table(const struct answer *a, enum output_format format, struct strbuf *out)
{
    struct record r = {0};

    print_plan_rows(a, &r);
    record_rows(&r, output_record_as(format), out);
    record_fini(&r);
}
