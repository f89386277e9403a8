/*
 * say.c - see say.h.
 */
#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/str.h"

bool gp_out(const char *text, size_t len)
{
    struct strbuf clean = STRBUF_EMPTY;

    if (gp_lines_are_clean(text, len))
        return gp_out_json(text, len);
    strbuf_addn(&clean, text, len);
    clean.len = gp_sanitize_lines(clean.text, clean.len);
    bool ok = fwrite(clean.text, 1, clean.len, stdout) == clean.len && fflush(stdout) == 0;
    strbuf_fini(&clean);
    return ok;
}

bool gp_out_json(const char *text, size_t len)
{
    return fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0;
}

void log_line(const char *fmt, ...)
{
    struct strbuf line = STRBUF_EMPTY;
    va_list args;

    va_start(args, fmt);
    strbuf_addv(&line, fmt, args);
    va_end(args);
    gp_sanitize_lines(line.text, line.len);
    fprintf(stderr, "%s\n", line.text);
    fflush(stderr);
    strbuf_fini(&line);
}

void log_over(const char *line)
{
    char text[1024];

    gp_copy(text, sizeof text, line);
    gp_sanitize(text);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
}
