/*
 * page.h - rows of text, one below the other, that may be more than their panel holds.
 *
 * Laid out without a canvas they are only counted: the same calls say how far a panel
 * scrolls and draw it.
 */
#ifndef GP_TUI_TOOLKIT_PAGE_H
#define GP_TUI_TOOLKIT_PAGE_H

#include "tui/toolkit/canvas.h"

struct page {
    struct canvas *canvas; /* NULL: only counts */
    struct rect in;
    int y; /* the next row; above the panel while it is < 0 */
};

void page_row(struct page *page, int indent, enum ink ink, const char *text);
/* The first that fits (canvas_fit_first). */
void page_first(struct page *page, enum ink ink, const char *const *texts);
void page_rule(struct page *page, const char *title);
/* Words over as many rows as they need. Blanks before the first indent that row; those
 * after it stand `hang` to the right. */
void page_words(struct page *page, int hang, enum ink ink, const char *text);
void page_wordsf(struct page *page, int hang, enum ink ink, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
