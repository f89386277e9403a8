/*
 * plain.c - plain mode: the questions, the answer, and what comes after it.
 *
 * Everything that can be asked for has a number, so that nothing must be remembered
 * from what was read out before. A short list is read out with its question; of a long one
 * the count, since nobody wants 124 models read to them. Words make it shorter; a single match
 * is taken. Eight are named at a time, the ninth number goes on.
 *
 * The answer is the text of --plan, its columns divided by commas, since a screen reader
 * reads lines. When the input ends, each question left keeps its default, the answer is
 * printed, and the exit code is that of --plan: so plain mode also works at the end of a pipe.
 */
#include "tui/plain/plain.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/compare_run.h"
#include "answer/print_plan.h"
#include "answer/print_why.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/say.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/point/test.h"
#include "measure/session.h"
#include "tui/bench/bench_options.h"
#include "tui/form.h"
#include "tui/settings.h"
#include "tui/toolkit/words.h"

#define PLAIN_LINE 1024
#define PAGE 8      /* choices named at once */
#define SHORT 9     /* a list of so many is named with its question */
#define COMPARED 12 /* more rows than these one does not want to hear */

struct plain {
    struct form *form;
    bool echo;  /* standard input is no terminal: what is answered is printed too */
    bool ended; /* the input ended: defaults from here on */
    bool quit;
};

/* ---- lines out and in ---- */

/* One line on standard output: no control character reaches it. */
static void __attribute__((format(printf, 1, 2))) plain_say(const char *fmt, ...)
{
    char text[4096];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text) - 1, fmt, args);
    va_end(args);
    gp_tame(text);
    strcat(text, "\n");
    gp_out(text, strlen(text));
}

static void plain_say_err(const struct gp_err *err)
{
    char line[GP_ERR_LINE];

    plain_say("%s", gp_err_line(err, line));
}

/* Each line of a text, its columns divided by commas; the mark of a part in the bar, and the
 * bar, are left out. */
static void plain_say_text(const char *text)
{
    for (const char *end; *text; text = end + (*end == '\n')) {
        struct strbuf line;

        end = text + strcspn(text, "\n");
        text += strspn(text, " ");
        if (text + 3 < end && text[1] == ' ' && text[2] == ' ')
            text += 1 + strspn(text + 1, " ");
        if (text < end && *text == '[')
            continue;
        strbuf_init(&line);
        while (text < end) {
            size_t n = 0, blanks;

            while (text + n < end && !(text[n] == ' ' && text[n + 1] == ' '))
                n++;
            strbuf_addn(&line, text, n);
            blanks = strspn(text + n, " ");
            if (text + n + blanks < end)
                strbuf_add(&line, ", ");
            text += n + blanks;
        }
        plain_say("%s", line.len ? line.text : "");
        strbuf_fini(&line);
    }
}

/* Prints the question, reads a line without blanks around it; what is longer than the buffer
 * is dropped. False: the input ended. */
static bool plain_ask(struct plain *plain, const char *question, char text[PLAIN_LINE])
{
    char shown[PLAIN_LINE];
    const char *line;
    int c;

    text[0] = '\0';
    if (plain->ended)
        return false;
    gp_copy(shown, sizeof(shown), question);
    gp_tame(shown);
    gp_out(shown, strlen(shown));
    if (!fgets(text, PLAIN_LINE, stdin)) {
        plain->ended = true;
        plain_say("%s", "");
        return false;
    }
    if (!strchr(text, '\n'))
        while ((c = getchar()) != EOF && c != '\n')
            ;
    line = gp_trim(text);
    memmove(text, line, strlen(line) + 1);
    if (plain->echo)
        plain_say("%s", text);
    return true;
}

/* A number of 1..most; 0 when the text is none. */
static int plain_number(const char *text, int most)
{
    char *end;
    long n = strtol(text, &end, 10);

    return text[0] >= '0' && text[0] <= '9' && !*end && n >= 1 && n <= most ? (int)n : 0;
}

/* ---- a question for a field, with a list where there is one ---- */

struct plain_list {
    struct choice *choices; /* (count); owned */
    int count;
    int *match; /* (matches) of the words; owned */
    int matches;
    int first; /* of those, the first named; -1 = none is */
};

/* How many are named now. */
static int list_named(const struct plain_list *list)
{
    int left = list->matches - list->first;

    return list->first < 0 ? 0 : left > SHORT ? PAGE : left;
}

static void list_name(struct plain_list *list, int first)
{
    int count;

    list->first = first;
    count = list_named(list);
    for (int i = 0; i < count; i++) {
        const struct choice *c = &list->choices[list->match[first + i]];

        plain_say("%d. %s%s%s", i + 1, c->text, c->more[0] ? ": " : "", c->more);
    }
    if (first + count < list->matches)
        plain_say("%d. %d more", count + 1, list->matches - first - count);
}

static void list_filter(struct plain_list *list, const char *words)
{
    list->matches = 0;
    list->first = -1;
    for (int i = 0; i < list->count; i++)
        if (words_match(words, list->choices[i].id, list->choices[i].text))
            list->match[list->matches++] = i;
}

enum dialog_step { STEP_STAY, STEP_NEXT, STEP_BACK, STEP_QUIT };

static enum dialog_step field_put(struct plain *plain, enum field field, const char *text)
{
    struct gp_err err;

    if (form_set(plain->form, field, text, &err)) {
        plain_say_err(&err);
        return STEP_STAY;
    }
    plain_say("%s: %s.", field_rows[field].form->label, plain->form->shown[field]);
    if (!plain->form->answered)
        plain_say_err(&plain->form->err);
    return STEP_NEXT;
}

/* A number of a choice that was named, or words: one choice is taken, several are named, of
 * none the form says what is wrong. */
static enum dialog_step field_answer(struct plain *plain, enum field field, struct plain_list *list,
                                     const char *text)
{
    int count = list_named(list), n = plain_number(text, count + 1);
    bool more = list->first >= 0 && list->first + count < list->matches;

    if (n > 0 && n <= count)
        return field_put(plain, field, list->choices[list->match[list->first + n - 1]].id);
    if (more && (n > count || gp_casecmp(text, "more") == 0)) {
        list_name(list, list->first + count);
        return STEP_STAY;
    }
    for (int i = 0; i < list->count; i++)
        if (gp_casecmp(list->choices[i].id, text) == 0)
            return field_put(plain, field, list->choices[i].id);
    list_filter(list, text);
    if (list->matches == 1)
        return field_put(plain, field, list->choices[list->match[0]].id);
    if (list->matches > 1) {
        plain_say("%d match.", list->matches);
        list_name(list, 0);
        return STEP_STAY;
    }
    list_filter(list, "");
    return field_put(plain, field, text);
}

static enum dialog_step field_ask(struct plain *plain, enum field field, struct plain_list *list)
{
    const struct option_field *row = field_rows[field].form;
    char question[200], text[PLAIN_LINE];

    gp_format(question, sizeof(question), "%s [%s]: ", row->label, plain->form->shown[field]);
    if (!plain_ask(plain, question, text) || !text[0])
        return STEP_NEXT;
    if (gp_casecmp(text, "q") == 0 || gp_casecmp(text, "quit") == 0)
        return STEP_QUIT;
    if (strcmp(text, "<") == 0 || gp_casecmp(text, "back") == 0)
        return STEP_BACK;
    if (strcmp(text, "?") != 0)
        return field_answer(plain, field, list, text);
    plain_say_text(row->explain);
    if (list->count > 0) {
        if (form_free_text(field))
            plain_say("Besides the list: %s.", form_free_text(field));
        list_name(list, 0);
    }
    return STEP_STAY;
}

static void plain_questions(struct plain *plain)
{
    static const enum field asked[] = {FIELD_MODEL, FIELD_PRECISION, FIELD_GPU,
                                       FIELD_GPUS,  FIELD_CONTEXT,   FIELD_USERS};

    for (int i = 0; i < (int)(sizeof(asked) / sizeof(asked[0])) && !plain->ended;) {
        struct plain_list list = {.first = -1};
        enum dialog_step step = STEP_STAY;

        list.choices = form_choices(plain->form, asked[i], true, &list.count);
        list.match = gp_calloc((size_t)list.count + 1, sizeof(*list.match));
        list_filter(&list, "");
        if (list.count > 0)
            plain_say("%s: %d to choose from%s.", field_rows[asked[i]].form->label, list.count,
                      list.count > SHORT ? "; words find them, ? names them" : "");
        if (list.count > 0 && list.count <= SHORT)
            list_name(&list, 0);
        while (step == STEP_STAY)
            step = field_ask(plain, asked[i], &list);
        free(list.choices);
        free(list.match);
        if (step == STEP_QUIT) {
            plain->quit = true;
            return;
        }
        i += step == STEP_BACK ? -(i > 0) : 1;
    }
}

/* ---- the answer ---- */

static void plain_result(const struct plain *plain)
{
    const struct form *form = plain->form;
    struct strbuf text;
    struct options options;

    strbuf_init(&text);
    plain_say("%s", "");
    if (form->answered) {
        form_ask(form, &options);
        plain_say(
            "Result: %s.",
            verdict_words_for(form->answer->plan.verdict, form->answer->plan.limit)->sentence);
        print_plan(form->answer, &options, false, false, &text);
        plain_say_text(text.text);
    } else {
        plain_say("Result: no answer.");
        plain_say_err(&form->err);
    }
    strbuf_fini(&text);
    form_command(form, "plan", &text);
    plain_say("The command that prints the same: %s", text.text);
    strbuf_fini(&text);
}

/* The equation of each number with these words in its name; "": of all. */
static void plain_why(const struct plain *plain, const char *words)
{
    char name[TERM_NAME_MAX];
    struct strbuf out;

    if (!plain->form->answered) {
        plain_say_err(&plain->form->err);
        return;
    }
    strbuf_init(&out);
    for (int i = 0; i < plain->form->why_count; i++)
        if (words_match(words, term_name(&plain->form->why[i], name), ""))
            print_why_term(&plain->form->why[i], &out);
    if (out.len)
        plain_say_text(out.text);
    else
        plain_say("No number has %s in its name; why alone prints all.", words);
    strbuf_fini(&out);
}

/* The same load on all GPUs: what fits, cheapest first. */
static void plain_compare(const struct plain *plain)
{
    struct comparison *c = NULL;
    struct gp_err err = {.code = GP_OK};
    struct options options;
    size_t total, fitting = 0, said = 0;

    form_ask(plain->form, &options);
    options.gpu_count = 0; /* all of them */
    options.precision_count = 0;
    if (comparison_begin(plain->form->planner, &options, &c, &err) != GP_OK) {
        plain_say_err(&err);
        return;
    }
    total = comparison_total(c);
    while (comparison_step(c, total))
        ;
    for (size_t i = 0; i < total; i++)
        fitting += comparison_row(c, i)->plan.verdict == VERDICT_FITS;
    plain_say("Compared: %zu of %zu GPUs and precisions fit%s.", fitting, total,
              fitting > COMPARED ? "; the cheapest" : "");
    for (size_t i = 0; i < total && said < COMPARED; i++) {
        const struct compared *row = comparison_row(c, i);
        const struct plan *p = &row->plan;
        char hour[32];

        if (p->verdict != VERDICT_FITS)
            continue;
        units_money(hour, sizeof(hour), p->cost.per_hour);
        plain_say("%zu. %d x %s, %s weights: %s%s%s.", ++said, p->layout.gpus, p->request.gpu->id,
                  p->request.precision.id, p->cost.per_hour > 0 ? hour : "no price known",
                  p->cost.per_hour > 0 ? " per hour" : "",
                  row->front ? ", nothing cheaper holds more requests" : "");
    }
    comparison_free(c);
}

/* ---- measuring: a plan, a question, a line per point ---- */

/* What is measured and how, by the session of --bench (measure/session.h): its quick preset, or
 * the options that are typed where it asks. Ctrl-C once stops after the point, twice at once;
 * what was measured is in the result file either way. */
struct plain_bench {
    struct plain *plain;
    struct session *session;
    struct session_ask how; /* borrows the rest */
    struct options options;
    struct bench_options bench;
    char tests[96], folder[GP_PATH_MAX];
};

static enum gp_status bench_ask(struct plain_bench *b, struct gp_err *err)
{
    form_ask(b->plain->form, &b->options);
    bench_tests_list(bench_tests_that(TEST_IS_CHOSEN), b->tests, sizeof(b->tests));
    b->how = (struct session_ask){.options = &b->options,
                                  .planner = b->plain->form->planner,
                                  .tests = b->tests,
                                  .folder = b->folder};
    return bench_options_ask(&b->bench, &b->options, err);
}

static void bench_say_plan(const struct session *s)
{
    struct session_plan plan;
    struct session_device device;
    char text[200];

    session_plan(s, &plan);
    for (int i = 0; i < session_devices(s); i++)
        if (session_device(s, i, &device))
            plain_say("Device: %s.", device.name);
    plain_say("Plan, with the %s engine: %s. Ctrl-C stops after a point.", plan.backend,
              session_say_plan(s, text, sizeof(text)));
    plain_say("Result: %s", plan.result);
}

/* Options as they are typed, and the plan with them. What cannot be changes nothing. */
static void bench_take_options(struct plain_bench *b, const char *text)
{
    struct bench_options before = b->bench;
    struct strbuf command;
    struct gp_err err;
    enum gp_status rc = bench_options_line(&b->bench, b->plain->form->planner, text, &err);

    if (!rc && strcmp(before.value[OPT_BACKEND], b->bench.value[OPT_BACKEND]) != 0)
        rc = gp_fail(&err, GP_E_USAGE, "--backend", "gpuplan --bench takes it",
                     "cannot change once the devices are known");
    if (rc || bench_ask(b, &err) || session_replan(b->session, &b->how, &err)) {
        plain_say_err(&err);
        b->bench = before;
        if (bench_ask(b, &err) || session_replan(b->session, &b->how, &err))
            plain_say_err(&err);
        return;
    }
    strbuf_init(&command);
    bench_options_command(&b->bench, &command);
    plain_say("Set:%s", command.len ? command.text : " nothing");
    strbuf_fini(&command);
    bench_say_plan(b->session);
}

/* What may be typed, one line each: "max-time: ...". */
static void bench_say_options(const struct bench_options *bench)
{
    char range[120], fallback[80];

    plain_say("Options, as in: max-time 2 force. A value of auto is the default.");
    for (int i = 0; i < OPTION_COUNT; i++)
        if (bench_option((enum option_id)i) && !option_rows[i].manual_only)
            plain_say("%s: %s. %s. Default %s%s%s.", option_rows[i].name, option_rows[i].help,
                      bench_option_range((enum option_id)i, range, sizeof(range)),
                      bench_option_default((enum option_id)i, fallback, sizeof(fallback)),
                      bench->value[i][0] ? ", now " : "", bench->value[i]);
}

/* True when the measurement may begin. */
static bool bench_agreed(struct plain_bench *b)
{
    char text[PLAIN_LINE];
    struct session_plan plan;
    struct gp_err err;

    bench_say_plan(b->session);
    for (;;) {
        if (!plain_ask(
                b->plain,
                "Measure this machine? 1 yes, 2 no, or an option, ? names them [2]: ", text) ||
            !text[0] || strcmp(text, "2") == 0 || words_begin("no", text))
            return false;
        if (strcmp(text, "1") == 0 || words_begin("yes", text))
            break;
        if (strcmp(text, "?") == 0)
            bench_say_options(&b->bench);
        else
            bench_take_options(b, text);
    }
    session_plan(b->session, &plan);
    if (plan.result[0] == '/')
        settings_make_results();
    if (session_start(b->session, &err) == GP_OK)
        return true;
    plain_say_err(&err);
    return false;
}

static void bench_say_point(const struct session *s, const struct session_event *event)
{
    const struct point_result *r = &event->result;
    struct session_point point;
    struct session_progress at;
    char left[40] = "an unknown time", rate[32], flags[96], ratio[64] = "";

    if (!session_point(s, event->device, event->index, &point))
        return;
    session_progress(s, &at);
    if (isfinite(at.left))
        session_say_time(left, sizeof(left), at.left);
    result_rate(rate, sizeof(rate), r);
    result_flags(r, ", ", flags, sizeof(flags));
    if (r->ratio > 0)
        gp_format(ratio, sizeof(ratio), ", %.0f percent of the prediction", 100 * r->ratio);
    if (r->state == POINT_OK)
        plain_say("%d of %d: %s%s%s, %s%s%s%s. About %s left.", at.done, at.of, point.point->id,
                  r->variant[0] ? ", " : "", r->variant, rate, ratio, flags[0] ? ", flagged: " : "",
                  flags, left);
    else
        plain_say("%d of %d: %s, %s%s%s. About %s left.", at.done, at.of, point.point->id,
                  point_state_words[r->state], r->reason[0] ? ": " : "", r->reason, left);
}

static void bench_say_end(struct session *s)
{
    struct session_plan plan;
    struct gp_err err;
    enum gp_status rc = session_finish(s, &err);
    char text[480];

    session_plan(s, &plan);
    if (rc)
        plain_say_err(&err);
    plain_say("%s", session_outcome(s, text, sizeof(text)));
    for (int i = 0; i < session_devices(s); i++)
        if (session_say_lost(s, i, text, sizeof(text)))
            plain_say("%s", text);
    for (int i = 0; i < session_summaries(s); i++)
        plain_say("%s", session_summary(s, i));
    if (!rc)
        plain_say("The result is in %s", plan.result);
}

/* One event; false when there is nothing more to wait for. */
static bool bench_event(void *ctx, const struct session_event *e)
{
    static const int interrupt[] = {SIGINT};
    struct plain_bench *b = ctx;

    switch (e->kind) {
    case SESSION_EVENT_READY:
        if (!bench_agreed(b))
            return false;
        session_signals_catch(interrupt, 1);
        return true;
    case SESSION_EVENT_POINT:
        bench_say_point(b->session, e);
        return true;
    case SESSION_EVENT_NOTE:
    case SESSION_EVENT_LOST:
        plain_say("%s", e->text);
        return true;
    case SESSION_EVENT_FAILED:
        plain_say_err(&e->err);
        return false;
    case SESSION_EVENT_OVER:
        bench_say_end(b->session);
        return false;
    default:
        return true;
    }
}

static void plain_measure(struct plain *plain)
{
    struct plain_bench *b = gp_calloc(1, sizeof(*b));
    struct gp_err err = {.code = GP_OK};

    b->plain = plain;
    settings_results(b->folder, sizeof(b->folder));
    gp_copy(b->bench.value[OPT_PRESET], BENCH_VALUE, "quick");
    if (bench_ask(b, &err) == GP_OK)
        b->session = session_new(&b->how, &err);
    if (b->session) {
        session_drive(b->session, bench_event, b);
        session_signals_release();
    } else {
        plain_say_err(&err);
    }
    session_free(b->session);
    free(b);
}

/* ---- what comes next ---- */

enum next { NEXT_WHY, NEXT_COMPARE, NEXT_MEASURE, NEXT_AGAIN, NEXT_QUIT, NEXT_COUNT };

static const struct {
    const char *word, *what;
} nexts[NEXT_COUNT] = {
    {"why", "why: every number's equation, inputs and source; why weights: only those "
            "of weights"},
    {"compare", "compare: the same load on all GPUs, cheapest first"},
    {"measure", "measure this machine"},
    {"again", "ask again, with your answers as defaults"},
    {"quit", "quit"},
};

static void next_apply(struct plain *plain, int i)
{
    struct gp_err err;
    char options[FIX_OPTIONS_MAX];

    planner_fix_options(&plain->form->answer->fixes[i], options);
    if (form_apply(plain->form, i, &err)) {
        plain_say_err(&err);
        return;
    }
    plain_say("Taken: %s.", options);
    plain_result(plain);
}

static void next_do(struct plain *plain, int next)
{
    if (next == NEXT_WHY)
        plain_why(plain, "");
    else if (next == NEXT_COMPARE)
        plain_compare(plain);
    else if (next == NEXT_MEASURE)
        plain_measure(plain);
    else if (next == NEXT_QUIT)
        plain->quit = true;
    else if (next == NEXT_AGAIN) {
        plain_questions(plain);
        if (!plain->quit)
            plain_result(plain);
    }
}

static void plain_next(struct plain *plain)
{
    const struct form *form = plain->form;
    int fixes = form->answered ? form->answer->fix_count : 0, next = NEXT_COUNT, n;
    char question[64], text[PLAIN_LINE], options[FIX_OPTIONS_MAX];

    if (!plain->ended)
        plain_say("Next:");
    for (int i = 0; i < fixes && !plain->ended; i++)
        plain_say("%d. take %s", i + 1, planner_fix_options(&form->answer->fixes[i], options));
    for (int i = 0; i < NEXT_COUNT && !plain->ended; i++)
        plain_say("%d. %s", fixes + 1 + i, nexts[i].what);
    gp_format(question, sizeof(question), "Next [%d]: ", fixes + NEXT_COUNT);
    if (!plain_ask(plain, question, text))
        return;
    n = plain_number(text, fixes + NEXT_COUNT);
    for (int i = 0; i < NEXT_COUNT; i++)
        if (gp_casecmp(text, nexts[i].word) == 0 || n == fixes + 1 + i)
            next = i;
    if (!text[0] || gp_casecmp(text, "q") == 0)
        next = NEXT_QUIT;
    if (words_begin(text, "why "))
        plain_why(plain, text + 4);
    else if (n > 0 && n <= fixes)
        next_apply(plain, n - 1);
    else if (next != NEXT_COUNT)
        next_do(plain, next);
    else if (strcmp(text, "?") != 0)
        plain_say("%s is not a number from 1 to %d.", text, fixes + NEXT_COUNT);
}

/* ---- the whole ---- */

const char *plain_because(bool option, bool config)
{
    const char *variable = getenv("GPUPLAN_PLAIN");

    if (option)
        return "--plain";
    if (variable && variable[0])
        return strcmp(variable, "0") == 0 ? NULL : "GPUPLAN_PLAIN";
    return config ? "gpuplan.cfg" : NULL;
}

int plain_run(const struct app_start *start, const char *because, struct gp_err *err)
{
    struct plain plain = {.echo = !isatty(STDIN_FILENO)};
    int code;

    *err = (struct gp_err){.code = GP_OK};
    plain_say("gpuplan plain mode (from %s). Answer with a number or with words, Enter "
              "keeps the default, ? explains, back goes back, quit ends.",
              because);
    if (start->report)
        plain_say("Note: %s", start->report);
    plain.form = form_new(start->planner, start->options, err);
    if (!plain.form)
        return gp_status_exit(err->code);
    plain_questions(&plain);
    if (!plain.quit)
        plain_result(&plain);
    while (!plain.quit && !plain.ended)
        plain_next(&plain);
    code = !plain.ended            ? 0 /* somebody read it */
           : !plain.form->answered ? gp_status_exit(plain.form->err.code)
                                   : plain.form->answer->plan.verdict == VERDICT_DOES_NOT_FIT;
    form_free(plain.form);
    if (fflush(stdout) != 0 || ferror(stdout))
        return gp_status_exit(gp_fail(err, GP_E_FILE, "standard output", "", "cannot be written"));
    return code;
}
