/*
 * document.c - see document.h.
 */
#include "answer/document.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "base/path.h"
#include "base/units.h"
#include "base/xml.h"

#define PLOT_WIDE 480.0 /* in a page, in the picture's own units */
#define PLOT_HIGH 360.0
#define PLOT_ROWS 12 /* of a plot as a table */
#define SVG_WIDE 1000.0
#define SVG_LEFT 20.0
#define SVG_LINE 17.0
#define SVG_COLS 128  /* of a line */
#define SVG_ANSWER 80 /* of the answer's, which is larger */
#define FEW 4         /* columns that a phone has room for */

const char *const document_suffixes = "html, md or svg";

int document_format_of(const char *path)
{
#define X(id, suffix) suffix,
    static const char *const suffixes[] = {DOCUMENT_FORMATS(X)};
#undef X
    const char *dot = strrchr(path_name(path), '.');

    for (int i = 0; dot && i < DOCUMENT_FORMAT_COUNT; i++)
        if (strcmp(dot + 1, suffixes[i]) == 0)
            return i;
    return -1;
}

void document_init(struct document *d, enum document_format format, const char *title)
{
    memset(d, 0, sizeof(*d));
    d->format = format;
    strbuf_init(&d->title);
    strbuf_init(&d->body);
    strbuf_add(&d->title, title);
    d->y = 40;
}

void document_fini(struct document *d)
{
    strbuf_fini(&d->title);
    strbuf_fini(&d->body);
}

/* ---- SVG ---- */

static void svg_text(struct document *d, const char *how, double high, const char *text, size_t len)
{
    struct strbuf line;

    strbuf_init(&line);
    strbuf_addn(&line, text, len);
    strbuf_addf(&d->body, "<text xml:space=\"preserve\" x=\"%.0f\" y=\"%.1f\" %s>", SVG_LEFT, d->y,
                how);
    xml_text(&d->body, line.text);
    strbuf_add(&d->body, "</text>\n");
    strbuf_fini(&line);
    d->y += high;
}

/* Broken at spaces, never within a character. */
static void svg_line(struct document *d, const char *how, double high, size_t cols,
                     const char *text)
{
    size_t left = strlen(text);

    while (left > cols) {
        size_t n = cols;

        while (n > 1 && text[n] != ' ')
            n--;
        for (n = n > 1 ? n : cols; n > 1 && ((unsigned char)text[n] & 0xC0) == 0x80;)
            n--;
        svg_text(d, how, high, text, n);
        n += text[n] == ' ';
        text += n;
        left -= n;
    }
    svg_text(d, how, high, text, left);
}

static void svg_rows(struct document *d, const struct table *table)
{
    struct strbuf text;
    char *rest, *line;

    strbuf_init(&text);
    table_text(table, &text);
    rest = text.text;
    while ((line = strsep(&rest, "\n")))
        if (line[0])
            svg_text(d, "class=\"d\"", SVG_LINE, line, strlen(line));
    strbuf_fini(&text);
}

/* What comes under a pair of plots, or under one. */
static void svg_unpair(struct document *d)
{
    if (d->paired)
        d->y += PLOT_HIGH + 8 * SVG_LINE;
    d->paired = false;
}

static void svg_plot(struct document *d, const struct plot *plot, const char *words)
{
    double x = d->paired ? SVG_WIDE / 2 : 0;

    strbuf_addf(&d->body, "<svg x=\"%.0f\" y=\"%.1f\" width=\"%.0f\" height=\"%.0f\">\n", x,
                d->y - SVG_LINE, PLOT_WIDE, PLOT_HIGH + 7 * SVG_LINE);
    plot_svg_part(plot, d->plots, PLOT_WIDE, PLOT_HIGH, &d->body);
    strbuf_add(&d->body, "</svg>\n");
    if (d->paired)
        svg_unpair(d);
    else
        d->paired = true;
    (void)words; /* its rules say the same */
}

/* ---- HTML ---- */

static const char *const tones[] = {[DOCUMENT_PLAIN] = "",
                                    [DOCUMENT_GOOD] = " class=\"good\"",
                                    [DOCUMENT_BAD] = " class=\"bad\"",
                                    [DOCUMENT_SMALL] = " class=\"small\"",
                                    [DOCUMENT_CODE] = " class=\"code\""};

static void html_element(struct document *d, const char *element, const char *how, const char *text)
{
    strbuf_addf(&d->body, "<%s%s>", element, how);
    xml_text(&d->body, text);
    strbuf_addf(&d->body, "</%s>\n", element);
}

/* The colour of a part: as the plots have it. */
static void bar_class(const struct document_part *p, char class[16])
{
    gp_format(class, 16, p->role < 0 ? "b" : "b b%d", p->role);
}

static const char *cell_of(const struct table *t, size_t row, size_t column)
{
    return t->cells[row * t->column_count + column];
}

static void html_cell(struct document *d, const struct table *t, const char *element, size_t column,
                      unsigned minor, const char *label, const char *text)
{
    bool right = t->columns[column].align == TABLE_RIGHT, less = minor >> column & 1;

    strbuf_addf(&d->body, "<%s", element);
    if (right || less)
        strbuf_addf(&d->body, " class=\"%s%s%s\"", right ? "n" : "", right && less ? " " : "",
                    less ? "minor" : "");
    if (label) {
        strbuf_add(&d->body, " data-l=\"");
        xml_text(&d->body, label);
        strbuf_add(&d->body, "\"");
    }
    strbuf_add(&d->body, ">");
    xml_text(&d->body, text);
    strbuf_addf(&d->body, "</%s>", element);
}

/* On a phone a row of many columns becomes a card, each cell with its column's title; or
 * it leaves out those that are minor. */
static void html_table(struct document *d, const struct table *t, unsigned minor)
{
    size_t rows = t->column_count ? t->cell_count / t->column_count : 0;
    bool cards = t->column_count > FEW && !minor;

    strbuf_addf(&d->body, "<table%s>\n<thead><tr>", cards ? " class=\"cards\"" : "");
    for (size_t k = 0; k < t->column_count; k++)
        html_cell(d, t, "th", k, minor, NULL, t->columns[k].title);
    strbuf_add(&d->body, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows; i++) {
        bool own = strcmp(cell_of(t, i, 0), "=") == 0;

        strbuf_add(&d->body, own ? "<tr class=\"own\">" : "<tr>");
        for (size_t k = 0; k < t->column_count; k++)
            html_cell(d, t, "td", k, minor, cards ? t->columns[k].title : NULL, cell_of(t, i, k));
        strbuf_add(&d->body, "</tr>\n");
    }
    strbuf_add(&d->body, "</tbody></table>\n");
}

static void html_tiles(struct document *d, const struct document_tile *t, int count)
{
    strbuf_add(&d->body, "<div class=\"tiles\">\n");
    for (int i = 0; i < count; i++) {
        strbuf_add(&d->body, "<div>");
        html_element(d, "span", "", t[i].label);
        html_element(d, "b", "", t[i].value);
        html_element(d, "small", "", t[i].note);
        strbuf_add(&d->body, "</div>\n");
    }
    strbuf_add(&d->body, "</div>\n");
}

static void html_bar(struct document *d, const struct document_part *p, int count)
{
    char class[16];

    strbuf_add(&d->body, "<div class=\"bar\" aria-hidden=\"true\">");
    for (int i = 0; i < count; i++) {
        bar_class(&p[i], class);
        strbuf_addf(&d->body, "<i class=\"%s\" style=\"flex:%.4f\"></i>", class, p[i].share);
    }
    strbuf_add(&d->body, "</div>\n<p class=\"key\">");
    for (int i = 0; i < count; i++) {
        bar_class(&p[i], class);
        strbuf_addf(&d->body, "<span><i class=\"%s\"></i>", class);
        xml_text(&d->body, p[i].text);
        strbuf_add(&d->body, "</span> ");
    }
    strbuf_add(&d->body, "</p>\n");
}

static void html_plot(struct document *d, const struct plot *plot, const char *words)
{
    strbuf_add(&d->body, "<figure>\n");
    plot_svg_part(plot, d->plots, PLOT_WIDE, PLOT_HIGH, &d->body);
    html_element(d, "figcaption", "", words);
    strbuf_add(&d->body, "</figure>\n");
}

/* Colours by what they are for: on paper and light screens, then on dark ones. */
static const char html_css[] =
    "<style>\n:root{color-scheme:light dark;--ink:#1c2024;--soft:#5c6670;--line:#dfe3e6;"
    "--page:#fff;--card:#f6f7f8;--good:#00795a;--warn:#8a5a00;--bad:#b33a00;--own:#e9f4f0}\n"
    "@media screen and (prefers-color-scheme:dark){:root{--ink:#e8eaec;--soft:#a3abb3;"
    "--line:#3a4046;--page:#1a1a1a;--card:#24272a;--good:#2fc79a;--warn:#e0a63c;"
    "--bad:#ff8f55;--own:#1d332b}}\n"
    "*{box-sizing:border-box}\n"
    "body{font:16px/1.5 system-ui,-apple-system,\"Segoe UI\",Roboto,sans-serif;"
    "max-width:1080px;margin:0 auto;padding:32px 24px 48px;color:var(--ink);"
    "background:var(--page);overflow-wrap:break-word}\n"
    "h1{font-size:1rem;font-weight:600;color:var(--soft);margin:0 0 .4em}"
    "h2{font-size:1.15rem;line-height:1.3;margin:2.2em 0 .6em}"
    "p{margin:.25em 0}\n"
    ".answer{font-size:1.9rem;line-height:1.2;font-weight:700;letter-spacing:-.01em;"
    "margin:.1em 0 .6em;--tone:var(--warn)}.answer b{color:var(--page);"
    "background:var(--tone);border-radius:.25em;padding:.08em .4em;margin-right:.15em;"
    "white-space:nowrap}.said{font-size:1.3rem;line-height:1.4}"
    ".said::first-letter{text-transform:uppercase}.good{--tone:var(--good)}"
    ".bad{--tone:var(--bad)}\n"
    ".tiles{display:grid;grid-template-columns:repeat(4,1fr);gap:10px;"
    "margin:0 0 14px}.tiles div{background:var(--card);border-radius:10px;"
    "padding:.7em .85em;display:flex;flex-direction:column}.tiles span{font-size:.8rem;"
    "color:var(--soft)}.tiles b{font-size:1.45rem;line-height:1.25;"
    "font-variant-numeric:tabular-nums}.tiles small{font-size:.8rem;color:var(--soft)}\n"
    ".bar{display:flex;height:16px;border-radius:8px;overflow:hidden;margin:4px 0 6px;"
    "background:var(--card)}.bar i{min-width:2px}.b{background:var(--line)}"
    ".key{font-size:.85rem;color:var(--soft);margin-bottom:1em}.key span{"
    "margin-right:1.1em;white-space:nowrap}.key i{display:inline-block;width:.75em;"
    "height:.75em;border-radius:3px;margin-right:.4em}\n"
    ".small,figcaption{font-size:.85rem;color:var(--soft)}.code{font:.85rem/1.4 "
    "ui-monospace,monospace;overflow-wrap:anywhere;background:var(--card);"
    "border-radius:6px;padding:.6em .8em}\n"
    "table{border-collapse:collapse;font-size:.88rem;width:100%}th,td{text-align:left;"
    "padding:.38em .6em;border-bottom:1px solid var(--line);vertical-align:top}"
    "th{font-size:.78rem;font-weight:600;color:var(--soft);white-space:nowrap}"
    ".n{text-align:right;white-space:nowrap;font-variant-numeric:tabular-nums}"
    ".own td{background:var(--own);font-weight:600}\n"
    "figure{margin:0 0 18px;display:inline-block;width:49.5%;vertical-align:top;"
    "padding-right:10px}figure svg{width:100%;height:auto;display:block}"
    "figcaption{margin-top:.2em}\n"
    "@media (max-width:700px){body{padding:16px 14px 32px}.answer{font-size:1.45rem}"
    ".tiles{grid-template-columns:1fr 1fr;gap:8px}.tiles b{font-size:1.2rem}"
    "figure{width:100%;padding:0}.minor{display:none}table{font-size:.82rem}"
    "th,td{padding:.35em .3em}.cards thead{display:none}.cards tr{display:grid;"
    "grid-template-columns:1fr 1fr;border-bottom:1px solid var(--soft);padding:.3em 0}"
    ".cards td{display:block;border:0;text-align:left;white-space:normal;"
    "padding:.1em .3em}.cards td::before{content:attr(data-l) \" \";color:var(--soft);"
    "font-size:.75rem}.cards td:empty{display:none}}\n"
    "@media print{:root{font-size:11px}*{print-color-adjust:exact;-webkit-print-color-adjust:exact}"
    "body{font-size:11px;max-width:none;padding:0;orphans:1;widows:1}"
    ".tiles{grid-template-columns:repeat(4,1fr)}figure,tr,.tiles div{break-inside:avoid}"
    "h2{break-after:avoid}}\n";

static void html_style(struct strbuf *out)
{
    strbuf_add(out, html_css);
    plot_svg_style(out);
    strbuf_add(out, "</style>\n");
}

/* ---- Markdown ---- */

/* What Markdown would take for its own is escaped; a line stays one. */
static void markdown_text(struct strbuf *out, const char *text)
{
    for (; *text; text++) {
        if (strchr("\\`*_[]<>#|~&$", *text))
            strbuf_addc(out, '\\');
        strbuf_addc(out, (unsigned char)*text < 0x20 ? ' ' : *text);
    }
}

/* Of a cell, which is no place for backslashes: entities. */
static void markdown_cell(struct strbuf *out, const char *text)
{
    for (; *text; text++)
        if (strchr("`*_[]<>&", *text))
            strbuf_addf(out, "&#%d;", *text);
        else
            strbuf_addc(out, *text);
}

/* table_markdown() sees to the bars between cells. */
static void markdown_table(struct document *d, const struct table *table)
{
    struct table copy;
    struct strbuf cell;

    table_init(&copy, table->columns, table->column_count);
    strbuf_init(&cell);
    for (size_t i = 0; i < table->cell_count; i++) {
        strbuf_clear(&cell);
        markdown_cell(&cell, table->cells[i]);
        table_cell(&copy, cell.text);
    }
    table_markdown(&copy, &d->body);
    strbuf_add(&d->body, "\n");
    strbuf_fini(&cell);
    table_fini(&copy);
}

/* Longer than any run of backticks within. */
static void markdown_code(struct strbuf *out, const char *text)
{
    int run = 0, most = 0;

    for (const char *c = text; *c; c++) {
        run = *c == '`' ? run + 1 : 0;
        most = run > most ? run : most;
    }
    for (int i = 0; i <= most; i++)
        strbuf_addc(out, '`');
    strbuf_addf(out, " %s ", text);
    for (int i = 0; i <= most; i++)
        strbuf_addc(out, '`');
}

static void markdown_line(struct document *d, const char *before, const char *text,
                          const char *after)
{
    strbuf_add(&d->body, before);
    markdown_text(&d->body, text);
    strbuf_addf(&d->body, "%s\n\n", after);
}

/* The value of a series at x: on its line, or of the point that stands there. */
static double plot_value(const struct plot *plot, const struct plot_series *s, double x)
{
    for (int i = 0; i < s->count && s->mark; i++)
        if (s->x[i] == x)
            return s->y[i];
    return s->mark ? NAN : plot_read(plot, s, x);
}

/* Has it a value for each of several x, and not only one point? */
static bool is_column(const struct plot_series *s)
{
    return !s->mark && !s->shade && s->count > 2;
}

static void value_cell(struct table *table, const struct plot_axis *axis, double value)
{
    char text[32];

    if (!isfinite(value))
        table_cell(table, "-");
    else if (axis->hours > 0)
        table_cell(table, units_hour(text, sizeof(text), axis->hours, (int)value));
    else if (axis->bytes)
        table_cell(table, units_gib(text, sizeof(text), value));
    else
        table_cell(table, UNITS_PLAIN(value, 4));
}

/* A plot of points alone: every point is a row. */
static void points_table(const struct plot *plot, struct table *table)
{
    for (int i = 0; i < plot->count; i++)
        for (int k = 0; !plot->series[i].shade && k < plot->series[i].count && k < 2 * PLOT_ROWS;
             k++) {
            table_cell(table, plot->series[i].name);
            value_cell(table, &plot->x, plot->series[i].x[k]);
            value_cell(table, &plot->y, plot->series[i].y[k]);
        }
}

static void lines_table(const struct plot *plot, const struct plot_series *first,
                        struct table *table)
{
    int step = (first->count + PLOT_ROWS - 1) / PLOT_ROWS;

    if (plot->x.hours > 24) /* whole parts of days */
        step = 6;

    for (int i = 0; i < first->count;
         i += i + step < first->count || i == first->count - 1 ? step : first->count - 1 - i) {
        value_cell(table, &plot->x, first->x[i]);
        for (int k = 0; k < plot->count; k++)
            if (is_column(&plot->series[k]))
                value_cell(table, &plot->y, plot_value(plot, &plot->series[k], first->x[i]));
    }
}

static void markdown_plot(struct document *d, const struct plot *plot, const char *words)
{
    struct table_column columns[PLOT_SERIES + 3];
    char titles[PLOT_SERIES][100];
    const struct plot_series *first = NULL;
    struct table table;
    size_t count = 0;

    columns[count++] = (struct table_column){plot->x.title, TABLE_RIGHT};
    for (int k = 0; k < plot->count; k++)
        if (is_column(&plot->series[k])) {
            first = first ? first : &plot->series[k];
            gp_format(titles[k], sizeof(titles[k]), "%s%s%s", plot->series[k].name,
                      plot->y.bytes ? "" : ", ", plot->y.bytes ? "" : plot_unit(&plot->y));
            columns[count++] = (struct table_column){titles[k], TABLE_RIGHT};
        }
    if (!first) {
        columns[0] = (struct table_column){"series", TABLE_LEFT};
        columns[1] = (struct table_column){plot->x.title, TABLE_RIGHT};
        columns[2] = (struct table_column){plot->y.title, TABLE_RIGHT};
        count = 3;
    }
    table_init(&table, columns, count);
    if (first)
        lines_table(plot, first, &table);
    else
        points_table(plot, &table);
    markdown_line(d, "### ", plot->title, "");
    table_markdown(&table, &d->body);
    strbuf_add(&d->body, "\n");
    markdown_line(d, "", words, "");
    table_fini(&table);
}

/* ---- any ---- */

void document_answer(struct document *d, enum document_tone tone, const char *verdict,
                     const char *text)
{
    struct strbuf line;

    if (d->format == DOCUMENT_HTML) {
        strbuf_addf(&d->body, "<p class=\"answer%s%s\">",
                    tone == DOCUMENT_GOOD  ? " good"
                    : tone == DOCUMENT_BAD ? " bad"
                                           : "",
                    verdict[0] ? "" : " said");
        if (verdict[0])
            html_element(d, "b", "", verdict);
        xml_text(&d->body, text);
        strbuf_add(&d->body, "</p>\n");
        return;
    }
    strbuf_init(&line);
    strbuf_addf(&line, "%s%s", verdict, text);
    if (d->format == DOCUMENT_MARKDOWN)
        markdown_line(d, "**", line.text, "**");
    else
        svg_line(d,
                 tone == DOCUMENT_GOOD  ? "class=\"b m c3\""
                 : tone == DOCUMENT_BAD ? "class=\"b m c4\""
                                        : "class=\"b m\"",
                 28, SVG_ANSWER, line.text);
    strbuf_fini(&line);
}

void document_tiles(struct document *d, const struct document_tile *tiles, int count)
{
    static const struct table_column columns[] = {
        {"", TABLE_LEFT}, {"", TABLE_LEFT}, {"", TABLE_LEFT}};
    struct table table;

    if (d->format == DOCUMENT_HTML) {
        html_tiles(d, tiles, count);
        return;
    }
    table_init(&table, columns, 3);
    for (int i = 0; i < count; i++) {
        table_cell(&table, tiles[i].label);
        table_cell(&table, tiles[i].value);
        table_cell(&table, tiles[i].note);
    }
    document_table(d, &table);
    table_fini(&table);
}

void document_bar(struct document *d, const struct document_part *parts, int count)
{
    struct strbuf line;

    if (d->format == DOCUMENT_HTML) {
        html_bar(d, parts, count);
        return;
    }
    strbuf_init(&line);
    for (int i = 0; i < count; i++)
        strbuf_addf(&line, "%s%s", i ? ", " : "", parts[i].text);
    document_line(d, DOCUMENT_PLAIN, line.text);
    strbuf_fini(&line);
}

void document_heading(struct document *d, const char *text)
{
    if (d->format == DOCUMENT_HTML) {
        html_element(d, "h2", "", text);
    } else if (d->format == DOCUMENT_MARKDOWN) {
        markdown_line(d, "## ", text, "");
    } else {
        svg_unpair(d);
        d->y += SVG_LINE / 2;
        svg_text(d, "class=\"m\"", SVG_LINE + 3, text, strlen(text));
    }
}

void document_line(struct document *d, enum document_tone tone, const char *text)
{
    if (d->format == DOCUMENT_HTML) {
        html_element(d, "p", tones[tone], text);
    } else if (d->format == DOCUMENT_SVG) {
        svg_unpair(d);
        svg_line(d, "class=\"d\"", SVG_LINE, SVG_COLS, text);
    } else if (tone == DOCUMENT_CODE) {
        markdown_code(&d->body, text);
        strbuf_add(&d->body, "\n\n");
    } else {
        markdown_line(d, "", text, "");
    }
}

void document_table(struct document *d, const struct table *table)
{
    document_table_wide(d, table, 0);
}

void document_table_wide(struct document *d, const struct table *table, unsigned minor)
{
    if (table->cell_count == 0)
        return;
    if (d->format == DOCUMENT_HTML) {
        html_table(d, table, minor);
    } else if (d->format == DOCUMENT_MARKDOWN) {
        markdown_table(d, table);
    } else {
        svg_unpair(d);
        svg_rows(d, table);
    }
}

void document_plot(struct document *d, const struct plot *plot, const char *words)
{
    static void (*const add[])(struct document *, const struct plot *,
                               const char *) = {[DOCUMENT_HTML] = html_plot,
                                                [DOCUMENT_MARKDOWN] = markdown_plot,
                                                [DOCUMENT_SVG] = svg_plot};

    add[d->format](d, plot, words);
    d->plots++;
}

static void svg_end(struct document *d, struct strbuf *out)
{
    svg_unpair(d);
    strbuf_addf(out,
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%.0f\" height=\"%.0f\" "
                "viewBox=\"0 0 %.0f %.0f\">\n<title>",
                SVG_WIDE, d->y + 20, SVG_WIDE, d->y + 20);
    xml_text(out, d->title.text);
    strbuf_add(out, "</title>\n<style>");
    plot_svg_style(out);
    strbuf_add(out, "svg .d{font:12.5px monospace}svg .b{font-size:20px}</style>\n"
                    "<rect class=\"p\" width=\"100%\" height=\"100%\"/>\n");
    strbuf_addn(out, d->body.text, d->body.len);
    strbuf_add(out, "</svg>\n");
}

void document_end(struct document *d, struct strbuf *out)
{
    if (d->format == DOCUMENT_SVG) {
        svg_end(d, out);
        return;
    }
    if (d->format == DOCUMENT_HTML) {
        strbuf_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                        "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                        "content=\"width=device-width,initial-scale=1\">\n<title>");
        xml_text(out, d->title.text);
        strbuf_add(out, "</title>\n");
        html_style(out);
        strbuf_add(out, "</head>\n<body>\n<h1>");
        xml_text(out, d->title.text);
        strbuf_add(out, "</h1>\n");
    } else {
        strbuf_add(out, "# ");
        markdown_text(out, d->title.text);
        strbuf_add(out, "\n\n");
    }
    strbuf_addn(out, d->body.text, d->body.len);
    if (d->format == DOCUMENT_HTML)
        strbuf_add(out, "</body>\n</html>\n");
}
