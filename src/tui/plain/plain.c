/*
 * plain.c - plain mode: the questions, the answer, and what comes after it.
 *
 * Everything that can be asked for has a number, so that nothing must be remembered
 * from what was read out before. When the input ends, each question left keeps its
 * default, the answer is printed, and the exit code is that of --plan: so plain mode
 * also works at the end of a pipe.
 */
#include "tui/plain/plain_lines.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "answer/sentence.h"
#include "base/str.h"
#include "tui/toolkit/words.h"

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

static void apply(struct plain *plain, int i)
{
    struct gp_err err;
    struct texts texts = {0};
    const char *what = sentence_fix(&plain->form->answer->fixes[i], &texts);

    if (form_apply(plain->form, i, &err)) {
        plain_say_err(&err);
    } else {
        plain_say("Taken: %s.", what);
        plain_result(plain);
    }
    texts_fini(&texts);
}

static void do_next(struct plain *plain, int next)
{
    if (next == NEXT_WHY)
        plain_why(plain, "");
    else if (next == NEXT_COMPARE)
        plain_compare(plain);
    else if (next == NEXT_MEASURE)
        plain_bench(plain);
    else if (next == NEXT_AGAIN) {
        plain_form(plain);
        if (!plain->quit)
            plain_result(plain);
    } else {
        plain->quit = true;
    }
}

/* What an answer means: -1 - i for fix i, else one of enum next; NEXT_COUNT: nothing.
 */
static int meaning(const char *text, int fixes)
{
    int n = plain_number(text, fixes + NEXT_COUNT);

    if (!text[0] || gp_casecmp(text, "q") == 0)
        return NEXT_QUIT;
    if (n > 0 && n <= fixes)
        return -n;
    if (n > 0)
        return n - fixes - 1;
    for (int i = 0; i < NEXT_COUNT; i++)
        if (gp_casecmp(text, nexts[i].word) == 0)
            return i;
    return NEXT_COUNT;
}

static void say_nexts(int fixes)
{
    plain_say("Next:");
    if (fixes > 0)
        plain_say(fixes > 1 ? "1 to %d. take that suggestion" : "%d. take the suggestion", fixes);
    for (int i = 0; i < NEXT_COUNT; i++)
        plain_say("%d. %s", fixes + 1 + i, nexts[i].what);
}

static void ask_next(struct plain *plain)
{
    int fixes = plain->form->answered ? plain->form->answer->fix_count : 0, what;
    char question[64], text[PLAIN_LINE];

    if (!plain->ended)
        say_nexts(fixes);
    gp_format(question, sizeof(question), "Next [%d]: ", fixes + NEXT_COUNT);
    if (!plain_ask(plain, question, text))
        return;
    if (words_begin(text, "why ")) {
        plain_why(plain, text + 4);
        return;
    }
    what = meaning(text, fixes);
    if (what == NEXT_COUNT && strcmp(text, "?") != 0)
        plain_say("%s is not a number from 1 to %d.", text, fixes + NEXT_COUNT);
    else if (what < 0)
        apply(plain, -1 - what);
    else if (what != NEXT_COUNT)
        do_next(plain, what);
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

static int exit_code(const struct plain *plain)
{
    const struct form *form = plain->form;

    if (!plain->ended) /* somebody read it */
        return 0;
    if (!form->answered)
        return gp_status_exit(form->err.code);
    return form->answer->plan.verdict == VERDICT_DOES_NOT_FIT;
}

int plain_run(const struct app_start *start, const char *because, struct gp_err *err)
{
    struct plain plain = {.start = start, .echo = !isatty(STDIN_FILENO)};
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
    plain_form(&plain);
    if (!plain.quit)
        plain_result(&plain);
    while (!plain.quit && !plain.ended)
        ask_next(&plain);
    code = exit_code(&plain);
    form_free(plain.form);
    if (fflush(stdout) != 0 || ferror(stdout))
        return gp_status_exit(gp_fail(err, GP_E_FILE, "standard output", "", "cannot be written"));
    return code;
}
