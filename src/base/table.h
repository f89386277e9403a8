/*
 * table.h - rows and columns, printed as aligned text, CSV or Markdown.
 *
 * One table, one content: the formats differ only in how cells are set. Numbers go
 * right, words left. The table copies what it is given; caller's storage.
 */
#ifndef GP_BASE_TABLE_H
#define GP_BASE_TABLE_H

#include "base/str.h"

#include <stdbool.h>
#include <stddef.h>

enum table_align { TABLE_LEFT, TABLE_RIGHT };

struct table_column {
    const char *title; /* with its unit: "KV pool GiB" */
    enum table_align align;
};

struct table {
    const struct table_column *columns; /* borrowed; must outlive the table */
    size_t column_count;
    char **cells; /* row by row */
    size_t cell_count, cell_cap;
};

void table_init(struct table *table, const struct table_column *columns, size_t count);
void table_fini(struct table *table);

/* Adds the next cell; a row is complete after column_count of them. */
void table_cell(struct table *table, const char *text);
void table_cellf(struct table *table, const char *fmt, ...) __attribute__((format(printf, 2, 3)));

void table_text(const struct table *table, struct strbuf *out);     /* two spaces apart */
void table_csv(const struct table *table, struct strbuf *out);      /* RFC 4180, LF */
void table_markdown(const struct table *table, struct strbuf *out); /* of GitHub */

/* Text between two marks of Markdown: no HTML, no link, picture or code begins in it, and no cell
 * ends. All Markdown is written by this. */
void table_markdown_text(struct strbuf *out, const char *text);

/* One CSV field, quoted when it must be. Cells that a spreadsheet would run as a
 * formula (= + - @ before a non-number) get a leading apostrophe. */
void table_csv_field(struct strbuf *out, const char *text);

#endif
