/*
 * document.h - a page of headings, lines, tables and plots, as HTML, Markdown or SVG.
 *
 * The page needs nothing besides itself: no script, no font, no other file. HTML is for
 * phones and desks, light and dark, and for paper; Markdown has a plot's figures as a
 * table; SVG is one picture. Every text is escaped here, so that a model's name or a path
 * is never markup.
 *
 *   document_init(&d, DOCUMENT_HTML, "Llama 3.1 8B on 1 x L4");
 *   document_heading(&d, "Memory of one GPU");
 *   document_table(&d, &table);
 *   document_end(&d, &out);
 */
#ifndef GP_OUTPUT_DOCUMENT_H
#define GP_OUTPUT_DOCUMENT_H

#include "output/plot.h"
#include "util/str.h"
#include "util/table.h"

/* X(id, suffix of the file) */
#define DOCUMENT_FORMATS(X)                                                            \
    X(HTML, "html")                                                                    \
    X(MARKDOWN, "md")                                                                  \
    X(SVG, "svg")
#define X(id, suffix) DOCUMENT_##id,
enum document_format { DOCUMENT_FORMATS(X) DOCUMENT_FORMAT_COUNT };
#undef X

struct document {
    enum document_format format;
    struct strbuf title, body;
    int plots;
    double y;        /* of an SVG: where the next line begins */
    bool paired;     /* of an SVG: the last plot has room beside it */
};

/* The format of a file's name; -1: none of them. "html, md or svg" for messages. */
int document_format_of(const char *path);
extern const char *const document_suffixes;

void document_init(struct document *document, enum document_format format,
                   const char *title);
void document_fini(struct document *document);

/* How a line is set. */
enum document_tone { DOCUMENT_PLAIN, DOCUMENT_GOOD, DOCUMENT_BAD, DOCUMENT_SMALL,
                     DOCUMENT_CODE };
/* The answer itself, large; good, bad or plain. */
void document_answer(struct document *document, enum document_tone tone,
                     const char *text);
void document_heading(struct document *document, const char *text);
void document_line(struct document *document, enum document_tone tone, const char *text);
void document_table(struct document *document, const struct table *table);
/* Plots that follow each other stand side by side where there is room. */
void document_plot(struct document *document, const struct plot *plot,
                   const char *words);

/* The whole page. */
void document_end(struct document *document, struct strbuf *out);

#endif
