/*
 * document.h - a page of headings, lines, tables and plots, as HTML.
 *
 * The page needs nothing besides itself: no script, no font, no other file. It is for
 * phones and desks, light and dark, and for paper. Every text is escaped here, so that a
 * model's name or a path is never markup.
 *
 *   document_init(&d, "Llama 3.1 8B on 1 x L4");
 *   document_heading(&d, "Memory of one GPU");
 *   document_table(&d, &table);
 *   document_end(&d, &out);
 */
#ifndef GP_ANSWER_DOCUMENT_H
#define GP_ANSWER_DOCUMENT_H

#include "answer/plot.h"
#include "base/str.h"
#include "base/table.h"

struct document {
    struct strbuf title, body;
    int plots;
};

/* Does a file of this name become a page? It ends in ".html". */
bool document_is_page(const char *path);

void document_init(struct document *document, const char *title);
void document_fini(struct document *document);

/* How a line is set. */
enum document_tone { DOCUMENT_PLAIN, DOCUMENT_GOOD, DOCUMENT_BAD, DOCUMENT_SMALL, DOCUMENT_CODE };
/* The answer itself, large; good, bad or plain: "FITS", " on 4 x NVIDIA L40S". */
void document_answer(struct document *document, enum document_tone tone, const char *verdict,
                     const char *text);
/* Figures that are read before anything else: "$4.00/h", "cost", "$2,920 a month". */
struct document_tile {
    const char *value, *label, *note; /* note: may be "" */
};
void document_tiles(struct document *document, const struct document_tile *tiles, int count);
/* Parts of a whole as a bar with its legend. */
struct document_part {
    char text[64]; /* "weights 17.0 GiB" */
    double share;  /* of the whole, 0..1 */
    int role;      /* of the colours of plots; -1: what is left over */
};
void document_bar(struct document *document, const struct document_part *parts, int count);
void document_heading(struct document *document, const char *text);
void document_line(struct document *document, enum document_tone tone, const char *text);
void document_table(struct document *document, const struct table *table);
/* One of many columns: those whose bit is set are left out on a phone, and the row that
 * begins with "=" is seen first. */
void document_table_wide(struct document *document, const struct table *table, unsigned minor);
/* Plots that follow each other stand side by side where there is room. */
void document_plot(struct document *document, const struct plot *plot, const char *words);

/* The whole page. */
void document_end(struct document *document, struct strbuf *out);

#endif
