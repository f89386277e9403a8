/*
 * compare_detail.c - see s_compare.h. Every text is a paragraph broken at blanks.
 */
#include "tui/compare/s_compare.h"

#include <string.h>

#include "answer/answer_lines.h"
#include "answer/sentence.h"
#include "base/units.h"
#include "tui/membar.h"
#include "tui/outcome.h"
#include "tui/toolkit/page.h"

/* ---- memory ---- */

static void show_memory(struct page *page, const struct plan *plan)
{
    if (!plan->has_memory)
        return;
    if (page->canvas && page->y >= 0)
        membar_draw(page->canvas, page->in, page->y, plan);
    if (page->canvas && page->y + 1 >= 0)
        membar_legend(page->canvas, page->in, page->y + 1, plan);
    page->y += 2;
}

/* ---- words ---- */

static void show_holds(struct page *page, const struct compare_row *row)
{
    const struct plan *p = &row->compared->plan;
    struct answer_lines layout;
    struct strbuf requests;
    char tokens[32];

    if (!p->has_memory)
        return;
    strbuf_init(&requests);
    answer_lines(p, NULL, LINE_LAYOUT, &layout);
    record_cell(record_find(&row->facts, "max_concurrency"), &requests);
    page_wordsf(page, 0, INK_TEXT, "%s: holds %s requests of %s tokens, %.0f asked for%s",
                layout.list[0].text, requests.text,
                units_tokens(tokens, sizeof(tokens), p->request.context), p->request.users,
                row->compared->front ? "; * nothing that fits is cheaper and holds as many" : "");
    strbuf_fini(&requests);
    answer_lines_fini(&layout);
}

static void show_reasons(struct page *page, const struct plan *p)
{
    struct strbuf text;
    struct texts texts = {0};
    const char *said;

    strbuf_init(&text);
    if (p->verdict != VERDICT_FITS && p->limit != LIMIT_NONE)
        strbuf_addf(&text, "limit %s: ", limit_word(p->limit));
    for (int i = 0; (said = sentence_reason(p, i, &texts)); i++)
        strbuf_addf(&text, "%s%s", i ? "; " : "", said);
    if (p->verdict == VERDICT_MARGINAL && p->knob != KNOB_NONE)
        strbuf_addf(&text, "%swhat decides: %s", p->reasons ? "; " : "", sentence_knob(p, &texts));
    page_words(page, 0, p->verdict == VERDICT_FITS ? INK_TEXT : INK_WARN, text.text);
    strbuf_fini(&text);
    texts_fini(&texts);
}

/* "TPOT 22.8 ms (17.0..32.5 ms), TTFT 248 ms (124..620 ms), ..." in one paragraph. */
static void show_speed(struct page *page, const struct plan *p)
{
    struct answer_lines lines;
    int n = answer_lines(p, NULL, LINE_SPEED, &lines);
    struct strbuf text;

    strbuf_init(&text);
    for (int i = 0; i < n; i++)
        if (lines.list[i].amount[0])
            strbuf_addf(&text, "%s%s %s (%s)", i ? ", " : "", lines.list[i].name,
                        lines.list[i].amount, lines.list[i].note);
        else if (!lines.list[i].name[0])
            strbuf_addf(&text, "speed: %s", lines.list[i].text);
    page_words(page, 0, INK_TEXT, text.text);
    if (p->speed.gap == SPEED_KNOWN)
        page_wordsf(page, 0, INK_DIM, "bound by %s", sentence_speed_bound(p->speed.bound));
    strbuf_fini(&text);
    answer_lines_fini(&lines);
}

/* The offer of the price class that was asked for, and what is to be known of it. */
static void show_cost(struct page *page, const struct plan *p)
{
    static const char *const classes[] = {"on demand", "spot", "marketplace", "buy"};
    struct answer_lines lines;
    int n = answer_lines(p, NULL, LINE_COST, &lines), wanted = 0;
    const char *note = p->cost.note != COST_NOTE_NONE ? sentence_cost_note(p, &lines.texts) : "";
    const char *then = note[0] ? "; " : "";

    while (wanted < n && !lines.list[wanted].wanted)
        wanted++;
    if (wanted < n)
        page_wordsf(page, 0, INK_TEXT, "%s %s/h, %s/month: %s%s%s%s%s", lines.list[wanted].name,
                    lines.list[wanted].amount, lines.list[wanted].month, lines.list[wanted].text,
                    lines.list[wanted].note[0] ? "; " : "", lines.list[wanted].note, then, note);
    else
        page_wordsf(page, 0, INK_TEXT, "%s: no price is known%s%s", classes[p->request.price], then,
                    note);
    answer_lines_fini(&lines);
}

/* Of what differs from row to row: the GPU, the engine, the price. */
static void show_sources(struct page *page, const struct plan *p)
{
    struct answer_lines lines;
    int n = answer_lines(p, NULL, LINE_SOURCE, &lines);

    for (int i = 0; i < n; i++)
        if (strcmp(lines.list[i].name, "model") != 0 && strcmp(lines.list[i].name, "format") != 0)
            page_wordsf(page, 0, INK_DIM, "%s: %s", lines.list[i].name, lines.list[i].text);
    answer_lines_fini(&lines);
}

/* ---- all of it ---- */

static void lay_out(struct page *page, const struct compare_row *row)
{
    const struct plan *p = &row->compared->plan;

    show_memory(page, p);
    if (p->verdict != VERDICT_FITS)
        show_reasons(page, p);
    show_holds(page, row);
    show_cost(page, p);
    show_speed(page, p);
    if (p->verdict == VERDICT_FITS)
        show_reasons(page, p);
    struct answer_lines warnings;
    answer_lines(p, NULL, LINE_WARNING, &warnings);
    for (int i = 0; i < warnings.count; i++)
        page_wordsf(page, 0, INK_WARN, "warning: %s", warnings.list[i].text);
    answer_lines_fini(&warnings);
    show_sources(page, p);
}

void compare_detail_draw(struct canvas *canvas, struct rect in, const struct compare_row *row,
                         int top)
{
    struct page page = {canvas, in, -top};

    lay_out(&page, row);
}

int compare_detail_lines(const struct compare_row *row, int cols)
{
    struct page page = {NULL, {0, 0, 0, cols}, 0};

    lay_out(&page, row);
    return page.y;
}

void compare_detail_title(const struct compare_row *row, struct strbuf *out)
{
    const struct plan *p = &row->compared->plan;

    strbuf_add(out, p->request.gpu->id);
    if (p->has_memory)
        strbuf_addf(out, " x %d", p->layout.gpus);
    strbuf_addf(out, ", %s%s: %s", p->request.precision.id,
                p->request.precision.native ? " (as published)" : "",
                verdict_words[p->verdict].brief);
}
