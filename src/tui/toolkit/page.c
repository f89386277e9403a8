/*
 * page.c - see page.h.
 */
#include "tui/toolkit/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/str.h"
#include "tui/toolkit/utf8.h"

void page_row(struct page *p, int indent, enum ink ink, const char *text)
{
    if (p->canvas)
        canvas_fit(p->canvas, p->in, p->y, indent, p->in.cols - indent, ink, text);
    p->y++;
}

void page_first(struct page *p, enum ink ink, const char *const *texts)
{
    if (p->canvas)
        canvas_fit_first(p->canvas, p->in, p->y, 0, p->in.cols, ink, texts);
    p->y++;
}

void page_rule(struct page *p, const char *title)
{
    if (p->canvas && p->y >= 0)
        canvas_rule(p->canvas, p->in, p->y, title);
    p->y++;
}

void page_words(struct page *p, int hang, enum ink ink, const char *text)
{
    int indent = (int)strspn(text, " ");
    char line[512];

    text += indent;
    while (*text) {
        int room = p->in.cols - indent;
        size_t n = utf8_fit(text, strlen(text), room > 1 ? room : 1);

        gp_format(line, sizeof(line), "%.*s", (int)n, text);
        page_row(p, indent, ink, line);
        text += n + strspn(text + n, " ");
        indent = hang;
    }
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
