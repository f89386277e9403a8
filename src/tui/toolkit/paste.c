/*
 * paste.c - see paste.h.
 */
#include "tui/toolkit/paste.h"

#include <string.h>

#include "base/str.h"
#include "tui/toolkit/utf8.h"

void paste_begin(struct paste *paste)
{
    *paste = (struct paste){.on = true};
}

/* The character of a field that stands for this one. */
static uint32_t paste_plain(uint32_t ch)
{
    if (ch == '\r' || ch == '\n' || ch == '\t')
        return ' ';
    return gp_is_tame(ch) && ch != 0xfffd ? ch : '?';
}

static void paste_put(struct paste *paste, const char *text, size_t len)
{
    paste->over |= paste->len + len >= sizeof(paste->text);
    if (paste->over)
        return;
    memcpy(paste->text + paste->len, text, len);
    paste->len += len;
    paste->text[paste->len] = '\0';
}

void paste_add(struct paste *paste, uint32_t ch)
{
    char utf8[5];

    if ((ch == '\r' || ch == '\n') && paste->blanks == 0 && paste->len > 0 &&
        paste->text[paste->len - 1] == '\\')
        paste->text[--paste->len] = '\0';
    if (paste_plain(ch) == ' ') {
        paste->blanks += paste->len > 0;
        return;
    }
    for (; paste->blanks > 0; paste->blanks--)
        paste_put(paste, " ", 1);
    utf8_text(paste_plain(ch), utf8);
    paste_put(paste, utf8, strlen(utf8));
}

void paste_end(struct paste *paste)
{
    paste->on = false;
}
