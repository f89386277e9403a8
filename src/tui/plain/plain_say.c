/*
 * plain_say.c - an answer in sentences and "name: value" lines.
 *
 * The same parts, figures and roundings as --plan prints; what there stands in columns
 * and bars is said in words, since a screen reader reads lines.
 */
#include "tui/plain/plain_lines.h"

#include <math.h>
#include <string.h>

#include "answer/answer_lines.h"
#include "answer/figures.h"
#include "answer/print_why.h"
#include "answer/sentence.h"
#include "base/str.h"
#include "base/units.h"
#include "plan/better.h"
#include "tui/toolkit/words.h"

/* ---- the verdict ---- */

/* Every line of one kind as a sentence: "Warning: ...". */
static void say_lines(const struct answer *a, enum line_kind kind, const char *name)
{
    struct answer_lines lines;
    int n = answer_lines(&a->plan, a, kind, &lines);

    for (int i = 0; i < n; i++)
        plain_say("%s: %s%s%s.", name, lines.list[i].amount, lines.list[i].amount[0] ? ", " : "",
                  lines.list[i].text);
    answer_lines_fini(&lines);
}

static void say_verdict(const struct plan *p)
{
    const struct layout *l = &p->layout;
    double room = p->memory.budget.value, used; /* what the verdict goes by */
    struct answer_lines layout;
    char of_budget[80] = "";

    answer_lines(p, NULL, LINE_LAYOUT, &layout);
    used = room - plan_margin(p);
    if (p->has_memory && room > 0)
        gp_format(of_budget, sizeof(of_budget), " %.2f of %.2f GiB budget per GPU, %.0f percent.",
                  used / GP_GIB, room / GP_GIB, 100 * used / room);
    plain_say("Result: %s.%s %d x %s (%s), %s.", verdict_words_for(p->verdict, p->limit)->sentence,
              of_budget, l->gpus, p->request.gpu->name, p->request.gpu->id, layout.list[0].text);
    answer_lines_fini(&layout);
}

/* ---- memory ---- */

static void say_memory(const struct answer *a)
{
    struct figures figures;

    plain_say("Memory of one GPU:");
    figures_of(&a->plan, &figures);
    for (int i = 0; i < figures.count; i++) {
        const struct figure *f = &figures.list[i];
        const struct quantity *q = &f->value;
        char band[64] = "";

        if (figure_rows[f->id].group != FIGURES_MEMORY)
            break;
        if (q->high - q->low > 0.005 * GP_GIB)
            gp_format(band, sizeof(band), ", between %.2f and %.2f", q->low / GP_GIB,
                      q->high / GP_GIB);
        plain_say("%s: %.2f GiB, %s%s%s%s.", f->label, q->value / GP_GIB, origin_word(q->origin),
                  band, f->note[0] ? ", " : "", f->note);
    }
    figures_fini(&figures);
    say_lines(a, LINE_STAGE, "Stage");
    say_lines(a, LINE_POOL, "KV pool");
    say_lines(a, LINE_LOGGED, "Log");
    plain_say("Rule of thumb: %.1f GB in all, weights counted %.2f GiB.",
              a->plan.memory.rule_of_thumb / 1e9, a->plan.memory.file_bytes / GP_GIB);
}

/* ---- cost ---- */

static void say_cost(const struct answer *a)
{
    struct answer_lines lines;
    int n = answer_lines(&a->plan, a, LINE_COST, &lines);

    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines.list[i];
        const char *comma = line->name[0] ? ", " : "";

        if (line->amount[0])
            plain_say("Cost, %s: %s per hour, %s per month, %s%s%s.", line->name, line->amount,
                      line->month, line->text, line->note[0] ? ", " : "", line->note);
        else
            plain_say("Cost%s%s: %s.", comma, line->name, line->text);
    }
    answer_lines_fini(&lines);
}

/* ---- speed ---- */

static void say_speed(const struct answer *a)
{
    struct answer_lines lines;
    int n = answer_lines(&a->plan, a, LINE_SPEED, &lines);

    for (int i = 0; i < n; i++) {
        const struct answer_line *line = &lines.list[i];
        const char *dots = strstr(line->note, ".."); /* "17.0..32.5 ms" */
        char band[80] = "";

        if (dots)
            gp_format(band, sizeof(band), ", between %.*s and %s", (int)(dots - line->note),
                      line->note, dots + 2);
        if (line->amount[0])
            plain_say("Speed, %s: %s%s, %s.", line->name, line->amount, band, line->text);
        else
            plain_say("Speed%s%s: %s.", line->name[0] ? ", " : "", line->name, line->text);
    }
    answer_lines_fini(&lines);
}

/* ---- suggestions ---- */

static void say_better(int number, const struct plan *p, const struct fix *f)
{
    struct texts texts = {0};
    char option[FIX_OPTIONS_MAX];

    plain_say("%d. %s, %s: %s.", number, better_word(f->better), planner_fix_options(f, option),
              sentence_better(p, f, &texts));
    texts_fini(&texts);
}

static void say_fix(int number, const struct fix *f)
{
    char money[64] = "cost unknown", option[FIX_OPTIONS_MAX];
    struct texts texts = {0};

    if (f->per_hour > 0)
        gp_format(money, sizeof(money), "$%.2f per hour", f->per_hour);
    if (f->cost_known && fabs(f->cost_delta) < 0.005)
        gp_copy(money, sizeof(money), "same cost");
    else if (f->cost_known)
        gp_format(money, sizeof(money), "$%.2f per hour %s", fabs(f->cost_delta),
                  f->cost_delta > 0 ? "more" : "less");
    plain_say("%d. %s, %s: %.2f GiB more room per GPU, %s%s.", number, sentence_fix(f, &texts),
              planner_fix_options(f, option), f->gain / GP_GIB, money,
              f->verdict == VERDICT_MARGINAL ? ", still marginal" : "");
    texts_fini(&texts);
}

static void say_fixes(const struct answer *a)
{
    bool fits = a->plan.verdict == VERDICT_FITS;

    if (fits && a->fix_count == 0)
        return;
    if (a->fix_count == 0)
        plain_say("Suggestions: no single change makes it fit.");
    else
        plain_say("Suggestions, each one was planned:");
    for (int i = 0; i < a->fix_count; i++)
        if (a->fixes[i].better != BETTER_NONE)
            say_better(i + 1, &a->plan, &a->fixes[i]);
        else
            say_fix(i + 1, &a->fixes[i]);
}

/* ---- the whole ---- */

static const struct {
    enum line_kind kind;
    const char *name;
} before_memory[] = {
    {LINE_GPU_FROM, "GPU"},    {LINE_REASON, "Reason"}, {LINE_STARTUP, "Start-up"},
    {LINE_WARNING, "Warning"}, {LINE_MODEL, "Model"},   {LINE_LOAD, "Load"},
};

static void say_answer(const struct answer *a)
{
    const struct plan *p = &a->plan;

    say_verdict(p);
    for (size_t i = 0; i < sizeof(before_memory) / sizeof(before_memory[0]); i++)
        say_lines(a, before_memory[i].kind, before_memory[i].name);
    if (p->has_memory) {
        say_memory(a);
        say_speed(a);
        say_cost(a);
    }
    say_fixes(a);
}

static void say_command(const struct form *form)
{
    struct strbuf out;

    strbuf_init(&out);
    form_command(form, "plan", &out);
    plain_say("The command that prints the same: %s", out.text);
    strbuf_fini(&out);
}

void plain_result(const struct plain *plain)
{
    plain_say("%s", "");
    if (plain->form->answered) {
        say_answer(plain->form->answer);
    } else {
        plain_say("Result: no answer.");
        plain_say_err(&plain->form->err);
    }
    say_command(plain->form);
}

void plain_why(const struct plain *plain, const char *word)
{
    char name[TERM_NAME_MAX];
    struct strbuf out;
    int said = 0;

    if (!plain->form->answered) {
        plain_say_err(&plain->form->err);
        return;
    }
    strbuf_init(&out);
    for (int i = 0; i < plain->form->why_count; i++) {
        const struct term *t = &plain->form->why[i];

        if (!words_match(word, term_name(t, name), ""))
            continue;
        print_why_term(t, &out);
        said++;
    }
    plain_say_lines(out.text);
    if (said == 0)
        plain_say("No number has %s in its name; why alone prints all.", word);
    strbuf_fini(&out);
}
