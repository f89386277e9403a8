/*
 * err.c - filling in a struct gp_err, and what each status means outside.
 *
 * The texts are composed apart and copied last, because callers like to wrap an error
 * in a better one and then pass pieces of the old err as arguments. A text that is too
 * long is cut between UTF-8 characters, so that it can always go into JSON. What users
 * and files bring into a message cannot end its line or command a terminal.
 */
#include "base/err.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"

static const struct {
    int exit_code;
    const char *word;
} statuses[] = {
    [GP_OK] = {0, "ok"},
    [GP_E_USAGE] = {2, "usage"},
    [GP_E_FILE] = {3, "file"},
    [GP_E_DEVICE] = {4, "device"},
    [GP_E_CHECK] = {5, "check"},
    [GP_E_NOTHING] = {6, "nothing"},
    [GP_E_INTERNAL] = {70, "internal"},
};

static enum gp_status known_status(enum gp_status code)
{
    size_t count = sizeof statuses / sizeof statuses[0];

    return (size_t)code < count ? code : GP_E_INTERNAL;
}

enum gp_status gp_fail(struct gp_err *err, enum gp_status code, const char *where, const char *hint,
                       const char *fmt, ...)
{
    struct gp_err made = {.code = code};
    char text[4 * sizeof made.text];
    va_list args;

    if (!err)
        return code;
    va_start(args, fmt);
    vsnprintf(text, sizeof text, fmt, args);
    va_end(args);
    gp_copy(made.where, sizeof made.where, where ? where : "");
    gp_copy(made.text, sizeof made.text, text);
    gp_copy(made.hint, sizeof made.hint, hint ? hint : "");
    gp_sanitize(made.where);
    gp_sanitize(made.text);
    gp_sanitize(made.hint);
    *err = made;
    return code;
}

char *gp_err_line(const struct gp_err *err, char *line)
{
    gp_format(line, GP_ERR_LINE, "%s%s%s%s%s%s", err->where, err->where[0] ? ": " : "", err->text,
              err->hint[0] ? " (" : "", err->hint, err->hint[0] ? ")" : "");
    return line;
}

int gp_status_exit(enum gp_status code)
{
    return statuses[known_status(code)].exit_code;
}

const char *gp_status_word(enum gp_status code)
{
    return statuses[known_status(code)].word;
}
