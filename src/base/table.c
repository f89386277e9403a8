/*
 * table.c - one content, three notations: aligned text, CSV, Markdown.
 *
 * Cells can come from untrusted files (a model's name, a note). Control characters are
 * removed as a cell is added; and each notation has its own way of
 * being abused: a leading "=" is run by a spreadsheet, a pipe breaks a Markdown row. Each
 * printer disarms what is dangerous in its own notation and leaves the rest alone.
 *
 *   GPU       GiB                 GPU,GiB              | GPU | GiB |
 *   h100    79.65                 h100,79.65           | --- | ---: |
 *   b200   178.36                 b200,178.36          | h100 | 79.65 |
 */
#include "base/table.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/units.h"

#define GAP "  "

void table_init(struct table *table, const struct table_column *columns, size_t count)
{
    *table = (struct table){.columns = columns, .column_count = count};
}

void table_fini(struct table *table)
{
    for (size_t i = 0; i < table->cell_count; i++)
        free(table->cells[i]);
    free(table->cells);
    table->cells = NULL;
    table->cell_count = table->cell_cap = 0;
}

void table_cell(struct table *table, const char *text)
{
    table->cells = gp_grow(table->cells, &table->cell_cap, table->cell_count + 1, sizeof(char *));
    table->cells[table->cell_count] = gp_strdup(text);
    gp_sanitize(table->cells[table->cell_count++]);
}

void table_cellf(struct table *table, const char *fmt, ...)
{
    char *text = NULL;
    va_list args;

    va_start(args, fmt);
    if (vasprintf(&text, fmt, args) < 0)
        text = NULL;
    va_end(args);
    table_cell(table, text ? text : "");
    free(text);
}

/* Row 0 holds the titles; a last row that was left incomplete ends in empty cells. */
static const char *cell_at(const struct table *table, size_t row, size_t column)
{
    if (row == 0)
        return table->columns[column].title;
    size_t at = (row - 1) * table->column_count + column;
    return at < table->cell_count ? table->cells[at] : "";
}

static size_t row_count(const struct table *table)
{
    size_t columns = table->column_count;

    return columns ? 1 + (table->cell_count + columns - 1) / columns : 0;
}

/* ---- text ---- */

static void add_blanks(struct strbuf *out, int count)
{
    for (int i = 0; i < count; i++)
        strbuf_add(out, " ");
}

static void text_row(const struct table *table, size_t row, const int *widths, struct strbuf *out)
{
    for (size_t column = 0; column < table->column_count; column++) {
        const char *text = cell_at(table, row, column);
        int blanks = widths[column] - gp_width(text);
        bool right = table->columns[column].align == TABLE_RIGHT;

        if (column)
            strbuf_add(out, GAP);
        if (right)
            add_blanks(out, blanks);
        strbuf_add(out, text);
        if (!right)
            add_blanks(out, blanks);
    }
    while (out->len && out->text[out->len - 1] == ' ')
        out->text[--out->len] = '\0';
    strbuf_add(out, "\n");
}

void table_text(const struct table *table, struct strbuf *out)
{
    int *widths = gp_calloc(table->column_count, sizeof *widths);
    size_t rows = row_count(table);

    for (size_t column = 0; column < table->column_count; column++)
        for (size_t row = 0; row < rows; row++) {
            int width = gp_width(cell_at(table, row, column));

            if (width > widths[column])
                widths[column] = width;
        }
    for (size_t row = 0; row < rows; row++)
        text_row(table, row, widths, out);
    free(widths);
}

/* ---- CSV ---- */

/* A lone "-" stands for "nothing" in tables and is harmless. */
static bool is_formula(const char *text)
{
    double value;

    if (!text[0] || !strchr("=+-@\t\r", text[0]) || strcmp(text, "-") == 0)
        return false;
    return units_parse_number(text, "", &value, NULL) != GP_OK;
}

void table_csv_field(struct strbuf *out, const char *text)
{
    const char *armour = is_formula(text) ? "'" : "";

    if (!strpbrk(text, ",\"\r\n")) {
        strbuf_addf(out, "%s%s", armour, text);
        return;
    }
    strbuf_addf(out, "\"%s", armour);
    for (; *text; text++)
        strbuf_addn(out, *text == '"' ? "\"\"" : text, *text == '"' ? 2 : 1);
    strbuf_add(out, "\"");
}

void table_csv(const struct table *table, struct strbuf *out)
{
    size_t rows = row_count(table);

    for (size_t row = 0; row < rows; row++) {
        for (size_t column = 0; column < table->column_count; column++) {
            if (column)
                strbuf_add(out, ",");
            table_csv_field(out, cell_at(table, row, column));
        }
        strbuf_add(out, "\n");
    }
}

/* ---- Markdown ---- */

void table_markdown_text(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (*text == '<' || *text == '&') {
            strbuf_add(out, *text == '<' ? "&lt;" : "&amp;");
            continue;
        }
        if (strchr("|\\`[", *text))
            strbuf_add(out, "\\");
        strbuf_addn(out, text, 1);
    }
}

void table_markdown(const struct table *table, struct strbuf *out)
{
    size_t rows = row_count(table);

    for (size_t row = 0; row < rows; row++) {
        strbuf_add(out, "|");
        for (size_t column = 0; column < table->column_count; column++) {
            strbuf_add(out, " ");
            table_markdown_text(out, cell_at(table, row, column));
            strbuf_add(out, " |");
        }
        strbuf_add(out, "\n");
        if (row)
            continue;
        strbuf_add(out, "|");
        for (size_t column = 0; column < table->column_count; column++)
            strbuf_add(out, table->columns[column].align == TABLE_RIGHT ? " ---: |" : " --- |");
        strbuf_add(out, "\n");
    }
}
