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
#ifndef GP_ANSWER_DOCUMENT_H
#define GP_ANSWER_DOCUMENT_H

#include "answer/plot.h"
#include "base/str.h"
#include "base/table.h"

/* X(id, suffix of the file) */
#define DOCUMENT_FORMATS(X) \
    X(HTML, "html")         \
    X(MARKDOWN, "md")       \
    X(SVG, "svg")
#define X(id, suffix) DOCUMENT_##id,
enum document_format { DOCUMENT_FORMATS(X) DOCUMENT_FORMAT_COUNT };
#undef X

struct document {
    enum document_format format;
    struct strbuf title, body;
    int plots;
    double y;    /* of an SVG: where the next line begins */
    bool paired; /* of an SVG: the last plot has room beside it */
};

/* The format of a file's name; -1: none of them. "html, md or svg" for messages. */
int document_format_of(const char *path);
extern const char *const document_suffixes;

void document_init(struct document *document, enum document_format format, const char *title);
void document_fini(struct document *document);

/* How a line is set. */
enum document_tone { DOCUMENT_PLAIN, DOCUMENT_GOOD, DOCUMENT_BAD, DOCUMENT_SMALL, DOCUMENT_CODE };
/* The answer itself, large; good, bad or plain: "FITS", " on 4 x NVIDIA L40S". */
void document_answer(struct document *document, enum document_tone tone, const char *verdict,
                     const char *text);
/* Figures that are read before anything else: "$4.00/h", "cost", "$2,920 a month". */
struct document_tile {
    char value[48], label[64], note[96];
};
void document_tiles(struct document *document, const struct document_tile *tiles, int count);
/* Parts of a whole as a bar with its legend; in Markdown as words. */
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
