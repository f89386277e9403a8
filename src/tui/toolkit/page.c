/*
 * page.c - see page.h.
 */
#include "tui/toolkit/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "tui/toolkit/utf8.h"
#include "util/str.h"

void page_row(struct page *p, int indent, enum ink ink, const char *text)
{
    if (p->canvas)
        canvas_fit(p->canvas, p->in, p->y, indent, p->in.cols - indent, ink, text);
    p->y++;
}

void page_rule(struct page *p, const char *title)
{
    if (p->canvas && p->y >= 0)
        canvas_rule(p->canvas, p->in, p->y, title);
    p->y++;
}

/* Bytes of the word that begins here, as much of it as fits in so many columns. */
static size_t word_bytes(const char *text, int cols)
{
    const char *end = text;
    int width = 0;

    while (*end && *end != ' ') {
        const char *before = end;

        width += utf8_width(utf8_next(&end));
        if (width > cols && before > text)
            return (size_t)(before - text);
    }
    return (size_t)(end - text);
}

void page_words(struct page *p, int hang, enum ink ink, const char *text)
{
    char line[512] = "", word[512];
    int indent = (int)strspn(text, " "), cols = 0;

    text += indent;
    while (*text) {
        size_t n = word_bytes(text, p->in.cols - hang);
        int width;

        gp_format(word, sizeof(word), "%.*s", (int)n, text);
        text += n + strspn(text + n, " ");
        width = gp_width(word);
        if (cols > 0 && indent + cols + 1 + width > p->in.cols) {
            page_row(p, indent, ink, line);
            line[0] = '\0';
            cols = 0;
            indent = hang;
        }
        gp_format(line + strlen(line), sizeof(line) - strlen(line), "%s%s",
                  cols ? " " : "", word);
        cols += width + (cols > 0);
    }
    if (cols > 0)
        page_row(p, indent, ink, line);
}

void page_wordsf(struct page *p, int hang, enum ink ink, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gp_tame(text);
    page_words(p, hang, ink, text);
}
