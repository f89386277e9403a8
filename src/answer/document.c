/*
 * document.c - see document.h.
 */
#include "answer/document.h"

#include <string.h>

#include "base/path.h"
#include "base/xml.h"

#define PLOT_WIDE 480.0 /* in a page, in the picture's own units */
#define PLOT_HIGH 360.0
#define FEW 4 /* columns that a phone has room for */

bool document_is_page(const char *path)
{
    const char *dot = strrchr(path_name(path), '.');

    return dot && strcmp(dot, ".html") == 0;
}

void document_init(struct document *d, const char *title)
{
    d->plots = 0;
    strbuf_init(&d->title);
    strbuf_init(&d->body);
    strbuf_add(&d->title, title);
}

void document_fini(struct document *d)
{
    strbuf_fini(&d->title);
    strbuf_fini(&d->body);
}

/* ---- elements ---- */

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
void document_table_wide(struct document *d, const struct table *t, unsigned minor)
{
    size_t rows = t->column_count ? t->cell_count / t->column_count : 0;
    bool cards = t->column_count > FEW && !minor;

    if (rows == 0)
        return;
    strbuf_addf(&d->body, "<table%s>\n<thead><tr>", cards ? " class=\"cards\"" : "");
    for (size_t k = 0; k < t->column_count; k++)
        html_cell(d, t, "th", k, minor, NULL, t->columns[k].title);
    strbuf_add(&d->body, "</tr></thead>\n<tbody>\n");
    for (size_t i = 0; i < rows; i++) {
        const char *const *row = (const char *const *)&t->cells[i * t->column_count];

        strbuf_add(&d->body, strcmp(row[0], "=") == 0 ? "<tr class=\"own\">" : "<tr>");
        for (size_t k = 0; k < t->column_count; k++)
            html_cell(d, t, "td", k, minor, cards ? t->columns[k].title : NULL, row[k]);
        strbuf_add(&d->body, "</tr>\n");
    }
    strbuf_add(&d->body, "</tbody></table>\n");
}

void document_table(struct document *d, const struct table *table)
{
    document_table_wide(d, table, 0);
}

void document_answer(struct document *d, enum document_tone tone, const char *verdict,
                     const char *text)
{
    strbuf_addf(&d->body, "<p class=\"answer%s%s\">",
                tone == DOCUMENT_GOOD  ? " good"
                : tone == DOCUMENT_BAD ? " bad"
                                       : "",
                verdict[0] ? "" : " said");
    if (verdict[0])
        html_element(d, "b", "", verdict);
    xml_text(&d->body, text);
    strbuf_add(&d->body, "</p>\n");
}

void document_tiles(struct document *d, const struct document_tile *t, int count)
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

/* The colour of a part: as the plots have it. */
static void html_swatch(struct document *d, const struct document_part *p)
{
    strbuf_add(&d->body, "<i class=\"b");
    if (p->role >= 0)
        strbuf_addf(&d->body, " b%d", p->role);
    strbuf_add(&d->body, "\"");
}

void document_bar(struct document *d, const struct document_part *p, int count)
{
    strbuf_add(&d->body, "<div class=\"bar\" aria-hidden=\"true\">");
    for (int i = 0; i < count; i++) {
        html_swatch(d, &p[i]);
        strbuf_addf(&d->body, " style=\"flex:%.4f\"></i>", p[i].share);
    }
    strbuf_add(&d->body, "</div>\n<p class=\"key\">");
    for (int i = 0; i < count; i++) {
        strbuf_add(&d->body, "<span>");
        html_swatch(d, &p[i]);
        strbuf_add(&d->body, "></i>");
        xml_text(&d->body, p[i].text);
        strbuf_add(&d->body, "</span> ");
    }
    strbuf_add(&d->body, "</p>\n");
}

void document_heading(struct document *d, const char *text)
{
    html_element(d, "h2", "", text);
}

void document_line(struct document *d, enum document_tone tone, const char *text)
{
    html_element(d, "p", tones[tone], text);
}

void document_plot(struct document *d, const struct plot *plot, const char *words)
{
    strbuf_add(&d->body, "<figure>\n");
    plot_svg_part(plot, d->plots++, PLOT_WIDE, PLOT_HIGH, &d->body);
    html_element(d, "figcaption", "", words);
    strbuf_add(&d->body, "</figure>\n");
}

/* ---- the page ---- */

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

void document_end(struct document *d, struct strbuf *out)
{
    strbuf_add(out, "<!doctype html>\n<html lang=\"en\">\n<head>\n"
                    "<meta charset=\"utf-8\">\n<meta name=\"viewport\" "
                    "content=\"width=device-width,initial-scale=1\">\n<title>");
    xml_text(out, d->title.text);
    strbuf_add(out, "</title>\n");
    strbuf_add(out, html_css);
    plot_svg_style(out);
    strbuf_add(out, "</style>\n</head>\n<body>\n<h1>");
    xml_text(out, d->title.text);
    strbuf_add(out, "</h1>\n");
    strbuf_addn(out, d->body.text, d->body.len);
    strbuf_add(out, "</body>\n</html>\n");
}
