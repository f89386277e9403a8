/*
 * say.c - see say.h.
 */
#include "base/say.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

#include "base/mem.h"
#include "base/str.h"

bool gp_out(const char *text, size_t len)
{
    struct strbuf tame;
    bool ok;

    if (gp_lines_are_tame(text, len))
        return gp_out_json(text, len);
    strbuf_init(&tame);
    strbuf_addn(&tame, text, len);
    tame.len = gp_tame_lines(tame.text, tame.len);
    ok = fwrite(tame.text, 1, tame.len, stdout) == tame.len && fflush(stdout) == 0;
    strbuf_fini(&tame);
    return ok;
}

bool gp_out_json(const char *text, size_t len)
{
    return fwrite(text, 1, len, stdout) == len && fflush(stdout) == 0;
}

void gp_say(const char *fmt, ...)
{
    struct strbuf line;
    va_list args;

    strbuf_init(&line);
    va_start(args, fmt);
    strbuf_addv(&line, fmt, args);
    va_end(args);
    gp_tame_lines(line.text, line.len);
    fprintf(stderr, "%s\n", line.text);
    fflush(stderr);
    strbuf_fini(&line);
}

void gp_say_over(const char *line)
{
    char text[1024];

    gp_copy(text, sizeof text, line);
    gp_tame(text);
    fprintf(stderr, "\r%s\033[K", text);
    fflush(stderr);
}
