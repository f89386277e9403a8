/*
 * term_none.c - term.h for a gpuplan that was built without curses (--disable-tui):
 * there is no screen; scripts, --plain and all commands are there.
 */
#include "tui/toolkit/term.h"

#ifndef GP_HAVE_CURSES

#include <langinfo.h>
#include <string.h>

enum gp_status term_usable(struct gp_err *err)
{
    return gp_fail(err, GP_E_USAGE, "",
                   "gpuplan --plan prints one answer, gpuplan --plain asks line by line",
                   "this gpuplan was built without terminal screens");
}

enum gp_status term_open(struct gp_err *err)
{
    return term_usable(err);
}

void term_close(void)
{
}

enum scheme term_scheme(void)
{
    return SCHEME_MONO;
}

enum scheme term_scheme_able(enum scheme scheme)
{
    return scheme;
}

enum charset term_charset(void)
{
    return strcmp(nl_langinfo(CODESET), "UTF-8") == 0 ? CHARSET_BRAILLE : CHARSET_ASCII;
}

void term_size(int *rows, int *cols)
{
    (void)rows;
    (void)cols;
}

void term_mouse(bool on)
{
    (void)on;
}

bool term_mouse_read(struct term_mouse *out)
{
    *out = (struct term_mouse){0};
    return false;
}

const struct paste *term_paste(void)
{
    static const struct paste nothing;

    return &nothing;
}

int term_key(double seconds)
{
    (void)seconds;
    return K_HANGUP;
}

int term_no_key(double seconds)
{
    return term_key(seconds);
}

int term_signal(void)
{
    return 0;
}

void term_paint(const struct canvas *canvas, enum scheme scheme, bool whole)
{
    (void)canvas;
    (void)scheme;
    (void)whole;
}

void term_suspend(const char *note)
{
    (void)note;
}

#endif
