/*
 * plain.c - plain mode, the front end for screen readers and pipes: numbered questions, sentences.
 *
 * Lines of text on standard output, answers on standard input; no escape codes, no boxes, nothing
 * is drawn twice. The same form as the screens: every number is the one that --plan prints for the
 * command named at the end.
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
#include "tui/loop.h"

#include <math.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/compare_run.h"
#include "answer/print_plan.h"
#include "answer/sentence.h"
#include "base/mem.h"
#include "base/say.h"
#include "base/str.h"
#include "base/units.h"
#include "measure/point/test.h"
#include "measure/session.h"
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
    char text[PLAIN_LINE];   /* what was answered last */
    struct session *session; /* that measures; NULL: none does */
};

/* ---- lines out and in ---- */

/* One line on standard output: no control character reaches it. */
static void __attribute__((format(printf, 1, 2))) plain_say(const char *fmt, ...)
{
    struct strbuf line;
    va_list args;

    strbuf_init(&line);
    va_start(args, fmt);
    strbuf_addv(&line, fmt, args);
    va_end(args);
    gp_sanitize(line.text);
    gp_out(line.text, strlen(line.text));
    gp_out("\n", 1);
    strbuf_fini(&line);
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
            size_t n = 0;

            while (text + n < end && !(text[n] == ' ' && text[n + 1] == ' '))
                n++;
            strbuf_addf(&line, "%s%.*s", line.len ? ", " : "", (int)n, text);
            text += n + strspn(text + n, " ");
        }
        plain_say("%s", line.len ? line.text : "");
        strbuf_fini(&line);
    }
}

/* Prints the question, reads a line into plain->text without blanks around it; what is longer is
 * dropped. False: the input ended. */
static bool plain_ask(struct plain *plain, const char *question)
{
    char *text = plain->text;
    int c;

    text[0] = '\0';
    if (plain->ended)
        return false;
    gp_out(question, strlen(question));
    if (!fgets(text, PLAIN_LINE, stdin)) {
        plain->ended = true;
        plain_say("%s", "");
        return false;
    }
    if (!strchr(text, '\n'))
        while ((c = getchar()) != EOF && c != '\n')
            ;
    const char *line = gp_trim(text);
    memmove(text, line, strlen(line) + 1);
    if (plain->echo)
        plain_say("%s", text);
    return true;
}

static bool is_word(const char *text, const char *word, const char *other)
{
    return gp_casecmp(text, word) == 0 || gp_casecmp(text, other) == 0;
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
    const struct choice **match; /* (matches): those that hold the words typed last; owned */
    int matches, first, named;   /* the matches named last: named from first on */
};

static void list_match(struct plain_list *list, const char *words)
{
    list->matches = list->first = list->named = 0;
    for (int i = 0; i < list->count; i++)
        if (words_match(words, list->choices[i].id, list->choices[i].text))
            list->match[list->matches++] = &list->choices[i];
}

static void list_name(struct plain_list *list, int first)
{
    int left = list->matches - first;

    list->first = first;
    list->named = left > SHORT ? PAGE : left;
    for (int i = 0; i < list->named; i++) {
        const struct choice *c = list->match[first + i];

        plain_say("%d. %s%s%s", i + 1, c->text, c->more[0] ? ": " : "", c->more);
    }
    if (left > list->named)
        plain_say("%d. %d more", list->named + 1, left - list->named);
}

/* What is meant: a number that was named, an id, or words of one choice. NULL: it is asked
 * again, since these are several; no choice: the text as it is. */
static const char *list_choose(struct plain_list *list, const char *text)
{
    bool more = list->named > 0 && list->first + list->named < list->matches;
    int n = plain_number(text, list->named + more);

    if (n > list->named || (more && gp_casecmp(text, "more") == 0)) {
        list_name(list, list->first + list->named);
        return NULL;
    }
    if (n > 0)
        return list->match[list->first + n - 1]->id;
    for (int i = 0; i < list->count; i++)
        if (gp_casecmp(list->choices[i].id, text) == 0)
            return list->choices[i].id;
    list_match(list, text);
    if (list->matches > 1) {
        plain_say("%d match.", list->matches);
        list_name(list, 0);
        return NULL;
    }
    if (list->matches == 1)
        return list->match[0]->id;
    list_match(list, "");
    return text;
}

/* Until it has an answer. Which question comes next: 1 that after it, -1 that before; 0: none,
 * the user quits. */
static int field_ask(struct plain *plain, enum field field, struct plain_list *list)
{
    const struct option_field *row = field_rows[field].form;
    struct form *form = plain->form;
    const char *value, *text = plain->text;
    char question[200];
    struct gp_err err;

    if (list->count > 0)
        plain_say("%s: %d to choose from%s.", row->label, list->count,
                  list->count > SHORT ? "; words find them, ? names them" : "");
    if (list->count > 0 && list->count <= SHORT)
        list_name(list, 0);
    for (;;) {
        gp_format(question, sizeof(question), "%s [%s]: ", row->label, form->shown[field]);
        if (!plain_ask(plain, question) || !text[0])
            return 1;
        if (is_word(text, "q", "quit"))
            return 0;
        if (is_word(text, "<", "back"))
            return -1;
        if (strcmp(text, "?") == 0) {
            plain_say_text(row->explain);
            if (list->count > 0 && form_free_text(field))
                plain_say("Besides the list: %s.", form_free_text(field));
            list_name(list, 0);
        } else if ((value = list_choose(list, text)) && form_set(form, field, value, &err)) {
            plain_say_err(&err);
        } else if (value) {
            plain_say("%s: %s.", row->label, form->shown[field]);
            if (!form->answered)
                plain_say_err(&form->err);
            return 1;
        }
    }
}

/* ---- all questions, and the answer ---- */

static void plain_result(const struct plain *plain)
{
    const struct form *form = plain->form;
    struct strbuf text;
    struct options options;

    strbuf_init(&text);
    plain_say("%s", "");
    if (form->answered) {
        form_write_options(form, &options);
        plain_say("Result: %s.", plan_verdict_words(&form->answer->plan)->sentence);
        print_plan(form->answer, &options, false, false, &text);
        plain_say_text(text.text);
    } else {
        plain_say("Result: no answer.");
        plain_say_err(&form->err);
    }
    strbuf_clear(&text);
    form_command(form, "plan", &text);
    plain_say("The command that prints the same: %s", text.text);
    strbuf_fini(&text);
}

/* In words what the columns of the screen's list say under their heads. */
static void list_say_models(const struct form *form, struct plain_list *list)
{
    for (int i = 0; i < list->count; i++) {
        struct choice *c = &list->choices[i];
        const struct model *m;

        if (catalog_model(planner_catalog(form->planner), c->id, &m, NULL) != GP_OK)
            continue;
        gp_format(c->more, sizeof(c->more), "%s", UNITS_PARAMS(model_params(m)));
        if (model_params_active(m) < 0.9 * model_params(m))
            gp_append(c->more, sizeof(c->more), ", ", "%s active",
                      UNITS_PARAMS(model_params_active(m)));
        if (m->max_context > 0)
            gp_append(c->more, sizeof(c->more), ", ", "%s tokens", UNITS_TOKENS(m->max_context));
        gp_append(c->more, sizeof(c->more), ", ", "%s",
                  m->weights_only     ? "weights only"
                  : m->native_name[0] ? m->native_name
                                      : m->native_dtype);
    }
}

static void plain_ask_all(struct plain *plain)
{
    static const enum field asked[] = {FIELD_MODEL, FIELD_PRECISION, FIELD_GPU,
                                       FIELD_GPUS,  FIELD_CONTEXT,   FIELD_USERS};

    for (int i = 0, next; i < (int)(sizeof(asked) / sizeof(asked[0])) && !plain->ended;) {
        struct plain_list list = {0};

        list.choices = form_choices(plain->form, asked[i], true, &list.count);
        if (asked[i] == FIELD_MODEL)
            list_say_models(plain->form, &list);
        list.match = gp_calloc((size_t)list.count + 1, sizeof(*list.match));
        list_match(&list, "");
        next = field_ask(plain, asked[i], &list);
        free(list.match);
        free(list.choices);
        plain->quit = next == 0;
        if (plain->quit)
            return;
        i = i + next < 0 ? 0 : i + next;
    }
    plain_result(plain);
}

/* The equation of each number with these words in its name; "": of all. */
static void plain_why(const struct plain *plain, const char *words)
{
    const struct form *form = plain->form;
    char name[TERM_NAME_MAX];
    struct strbuf out;

    if (!form->answered) {
        plain_say_err(&form->err);
        return;
    }
    strbuf_init(&out);
    for (int i = 0; i < form->why_count; i++)
        if (words_match(words, term_name(&form->why[i], name), ""))
            print_why_term(&form->why[i], &out);
    if (!out.len)
        strbuf_addf(&out, "No number has %s in its name; why alone prints all.", words);
    plain_say_text(out.text);
    strbuf_fini(&out);
}

/* The same load on all GPUs: what fits, cheapest first. */
static void plain_compare(const struct plain *plain)
{
    struct comparison *c = NULL;
    struct gp_err err = {.code = GP_OK};
    struct options options;
    size_t total, fitting = 0, said = 0;

    form_write_options(plain->form, &options);
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
        bool priced = p->cost.per_hour > 0;

        if (p->verdict == VERDICT_FITS)
            plain_say("%zu. %d x %s, %s weights: %s%s%s.", ++said, p->layout.gpus,
                      p->request.gpu->id, p->request.precision.id,
                      priced ? UNITS_MONEY(p->cost.per_hour) : "no price known",
                      priced ? " per hour" : "",
                      row->front ? ", nothing cheaper holds more requests" : "");
    }
    comparison_free(c);
}

/* ---- measuring: a plan, a question, a line per point ---- */

/* By the session of --bench (measure/session.h) with its quick preset. Ctrl-C once stops after
 * the point, twice at once; what was measured is in the result file either way. True when it
 * has begun. */
static bool bench_begin(struct plain *plain)
{
    static const int interrupt[] = {SIGINT};
    const char *text = plain->text;
    struct session_plan plan;
    struct session_device device;
    struct gp_err err;
    char tests[200];

    session_plan(plain->session, &plan);
    for (int i = 0; i < session_devices(plain->session); i++)
        if (session_device(plain->session, i, &device))
            plain_say("Device: %s.", device.name);
    plain_say("Plan, with the %s engine: %s. Ctrl-C stops after a point.", plan.backend,
              session_text_plan(plain->session, tests, sizeof(tests)));
    plain_say("Result: %s; gpuplan --bench takes options.", plan.result);
    do
        if (!plain_ask(plain, "Measure this machine? 1 yes, 2 no [2]: ") || !text[0] ||
            strcmp(text, "2") == 0 || words_begin("no", text))
            return false;
    while (strcmp(text, "1") != 0 && !words_begin("yes", text));
    if (plan.result[0] == '/')
        settings_make_results();
    if (session_start(plain->session, &err)) {
        plain_say_err(&err);
        return false;
    }
    session_signals_catch(interrupt, 1);
    return true;
}

/* "3 of 25: gemm/bf16/..., 812 TFLOP/s, 94 percent of the prediction. About 40 s left." */
static void bench_say_point(const struct session *s, const struct session_event *event)
{
    const struct point_result *r = &event->result;
    struct session_point point;
    struct session_progress at;
    char text[96];
    struct strbuf line;

    if (!session_point(s, event->device, event->index, &point))
        return;
    session_progress(s, &at);
    strbuf_init(&line);
    strbuf_addf(&line, "%d of %d: %s", at.done, at.of, point.point->id);
    if (r->state == POINT_OK) {
        strbuf_addf(&line, "%s%s, %s", r->variant[0] ? ", " : "", r->variant,
                    result_rate(text, 32, r));
        if (r->ratio > 0)
            strbuf_addf(&line, ", %.0f percent of the prediction", 100 * r->ratio);
        result_flags(r, ", ", text, sizeof(text));
        strbuf_addf(&line, "%s%s", text[0] ? ", flagged: " : "", text);
    } else {
        strbuf_addf(&line, ", %s%s%s", point_state_words[r->state], r->reason[0] ? ": " : "",
                    r->reason);
    }
    plain_say("%s. About %s left.", line.text,
              isfinite(at.left) ? session_text_time(text, 40, at.left) : "an unknown time");
    strbuf_fini(&line);
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
        if (session_text_lost(s, i, text, sizeof(text)))
            plain_say("%s", text);
    for (int i = 0; i < session_summaries(s); i++)
        plain_say("%s", session_summary(s, i));
    if (!rc)
        plain_say("The result is in %s", plan.result);
}

/* One event; false when there is nothing more to wait for. */
static bool bench_event(void *ctx, const struct session_event *e)
{
    struct plain *plain = ctx;

    if (e->kind == SESSION_EVENT_READY)
        return bench_begin(plain);
    if (e->kind == SESSION_EVENT_POINT)
        bench_say_point(plain->session, e);
    else if (e->kind == SESSION_EVENT_NOTE || e->kind == SESSION_EVENT_LOST)
        plain_say("%s", e->text);
    else if (e->kind == SESSION_EVENT_FAILED)
        plain_say_err(&e->err);
    else if (e->kind == SESSION_EVENT_OVER)
        bench_say_end(plain->session);
    return e->kind != SESSION_EVENT_FAILED && e->kind != SESSION_EVENT_OVER;
}

static void plain_measure(struct plain *plain)
{
    struct options *options = gp_calloc(1, sizeof(*options));
    char tests[96], folder[GP_PATH_MAX];
    struct session_request how = {
        .options = options, .planner = plain->form->planner, .tests = tests, .folder = folder};
    struct gp_err err;

    form_write_options(plain->form, options);
    options_text(options, OPT_PRESET, "", "quick", NULL);
    bench_tests_list(bench_tests_that(TEST_IS_CHOSEN), tests, sizeof(tests));
    settings_results(folder, sizeof(folder));
    plain->session = session_new(&how, &err);
    if (plain->session) {
        session_drive(plain->session, bench_event, plain);
        session_signals_release();
    } else {
        plain_say_err(&err);
    }
    session_free(plain->session);
    free(options);
}

/* ---- what comes next ---- */

static const struct {
    const char *word, *what;
} nexts[] = {
    {"why", "why: every number's equation, inputs and source; why weights: only those "
            "of weights"},
    {"compare", "compare: the same load on all GPUs, cheapest first"},
    {"measure", "measure this machine"},
    {"again", "ask again, with your answers as defaults"},
    {"quit", "quit"},
};
enum { NEXT_WHY, NEXT_COMPARE, NEXT_MEASURE, NEXT_AGAIN, NEXT_QUIT, NEXTS };

static void plain_next(struct plain *plain)
{
    const struct form *form = plain->form;
    const char *text = plain->text;
    int fixes = form->answered ? form->answer->fix_count : 0, next;
    char question[64], options[FIX_OPTIONS_MAX];
    struct gp_err err;

    plain_say("Next:");
    for (int i = 0; i < fixes; i++)
        plain_say("%d. take %s", i + 1, planner_fix_options(&form->answer->fixes[i], options));
    for (int i = 0; i < NEXTS; i++)
        plain_say("%d. %s", fixes + 1 + i, nexts[i].what);
    gp_format(question, sizeof(question), "Next [%d]: ", fixes + NEXTS);
    if (!plain_ask(plain, question))
        return;
    next = plain_number(text, fixes + NEXTS) - 1 - fixes;
    for (int i = 0; i < NEXTS; i++)
        if (gp_casecmp(text, nexts[i].word) == 0)
            next = i;
    if (!text[0] || gp_casecmp(text, "q") == 0)
        next = NEXT_QUIT;
    if (next >= -fixes && next < 0) {
        planner_fix_options(&form->answer->fixes[next + fixes], options);
        if (form_apply(plain->form, next + fixes, &err)) {
            plain_say_err(&err);
            return;
        }
        plain_say("Taken: %s.", options);
        plain_result(plain);
    } else if (next == NEXT_WHY || words_begin(text, "why ")) {
        plain_why(plain, next == NEXT_WHY ? "" : text + 4);
    } else if (next == NEXT_COMPARE) {
        plain_compare(plain);
    } else if (next == NEXT_MEASURE) {
        plain_measure(plain);
    } else if (next == NEXT_AGAIN) {
        plain_ask_all(plain);
    } else if (next == NEXT_QUIT) {
        plain->quit = true;
    } else if (strcmp(text, "?") != 0) {
        plain_say("%s is not a number from 1 to %d.", text, fixes + NEXTS);
    }
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

    *err = (struct gp_err){.code = GP_OK};
    plain_say("gpuplan plain mode (from %s). Answer with a number or with words, Enter "
              "keeps the default, ? explains, back goes back, quit ends.",
              because);
    if (start->report)
        plain_say("Note: %s", start->report);
    plain.form = form_new(start->planner, start->options, err);
    if (!plain.form)
        return gp_status_exit(err->code);
    plain_ask_all(&plain);
    while (!plain.quit && !plain.ended)
        plain_next(&plain);
    int code = !plain.ended            ? 0 /* somebody read it */
               : !plain.form->answered ? gp_status_exit(plain.form->err.code)
                                       : plain.form->answer->plan.verdict == VERDICT_DOES_NOT_FIT;
    form_free(plain.form);
    if (fflush(stdout) != 0 || ferror(stdout))
        return gp_status_exit(gp_fail(err, GP_E_FILE, "standard output", "", "cannot be written"));
    return code;
}
