/*
 * plain_lines.c - see plain_lines.h.
 */
#include "tui/plain/plain_lines.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/say.h"
#include "base/str.h"

void plain_say(const char *fmt, ...)
{
    char text[4096];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text) - 1, fmt, args);
    va_end(args);
    gp_tame(text); /* one line */
    strcat(text, "\n");
    gp_out(text, strlen(text));
}

void plain_say_lines(const char *text)
{
    while (*text) {
        size_t len = strcspn(text, "\n");

        plain_say("%.*s", (int)len, text);
        text += len + (text[len] == '\n');
    }
}

void plain_say_err(const struct gp_err *err)
{
    char line[GP_ERR_LINE];

    plain_say("%s", gp_err_line(err, line));
}

/* A line of any length; what is longer than the buffer is dropped. */
static bool read_line(char text[PLAIN_LINE])
{
    int c;

    if (!fgets(text, PLAIN_LINE, stdin))
        return false;
    if (!strchr(text, '\n'))
        while ((c = getchar()) != EOF && c != '\n')
            ;
    return true;
}

bool plain_ask(struct plain *plain, const char *question, char text[PLAIN_LINE])
{
    char tame[PLAIN_LINE];
    const char *line;

    text[0] = '\0';
    if (plain->ended)
        return false;
    gp_copy(tame, sizeof(tame), question);
    gp_tame(tame);
    gp_out(tame, strlen(tame));
    plain->ended = !read_line(text);
    if (plain->ended) {
        plain_say("%s", "");
        return false;
    }
    line = gp_trim(text);
    memmove(text, line, strlen(line) + 1);
    if (plain->echo)
        plain_say("%s", text);
    return true;
}

int plain_number(const char *text, int most)
{
    char *end;
    long n = strtol(text, &end, 10);

    return text[0] >= '0' && text[0] <= '9' && !*end && n >= 1 && n <= most ? (int)n : 0;
}
