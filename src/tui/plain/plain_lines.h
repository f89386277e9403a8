/*
 * plain_lines.h - plain mode's lines out and in, and the parts that say and ask them.
 *
 * Every line goes through the sanitizer; every answer is a line, and when the input has
 * ended every question keeps its default.
 *
 *   plain.c -> plain_form.c, plain_say.c, plain_compare.c, plain_bench.c -> plain_lines.c
 */
#ifndef GP_TUI_PLAIN_PLAIN_LINES_H
#define GP_TUI_PLAIN_PLAIN_LINES_H

#include <stdbool.h>

#include "tui/form.h"
#include "tui/plain/plain.h"

#define PLAIN_LINE 1024

struct plain {
    const struct app_start *start;
    struct form *form;
    bool echo;  /* standard input is no terminal: what is answered is printed too */
    bool ended; /* the input ended: defaults from here on */
    bool quit;
};

/* One line on standard output, tamed: no control character reaches it. */
void plain_say(const char *fmt, ...) __attribute__((format(printf, 1, 2)));
void plain_say_lines(const char *text); /* each line of it */
void plain_say_err(const struct gp_err *err);
/* Prints the question, reads a line without blanks around it. False: the input ended.
 */
bool plain_ask(struct plain *plain, const char *question, char text[PLAIN_LINE]);
/* A number of 1..most; 0 when the text is none. */
int plain_number(const char *text, int most);

/* Questions about the form, one after the other (plain_form.c). */
void plain_form(struct plain *plain);

/* The answer in sentences (plain_say.c). */
void plain_result(const struct plain *plain);
/* The equation of each number with these words in its name; "": of all. */
void plain_why(const struct plain *plain, const char *words);

/* The same load on all GPUs (plain_compare.c). */
void plain_compare(const struct plain *plain);

/* Measures this machine (plain_bench.c). */
void plain_bench(struct plain *plain);

#endif
