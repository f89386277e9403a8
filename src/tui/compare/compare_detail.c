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
    struct answer_line layout[ANSWER_LINES_MAX];
    struct strbuf requests;
    char tokens[32];

    if (!p->has_memory)
        return;
    strbuf_init(&requests);
    answer_lines(p, NULL, LINE_LAYOUT, layout);
    record_cell(record_find(&row->facts, "max_concurrency"), &requests);
    page_wordsf(page, 0, INK_TEXT, "%s: holds %s requests of %s tokens, %.0f asked for%s",
                layout->text, requests.text,
                units_tokens(tokens, sizeof(tokens), p->request.context), p->request.users,
                row->compared->front ? "; * nothing that fits is cheaper and holds as many" : "");
    strbuf_fini(&requests);
}

static void show_reasons(struct page *page, const struct plan *p)
{
    struct strbuf text;
    char said[SENTENCE_MAX];

    strbuf_init(&text);
    if (p->verdict != VERDICT_FITS && p->limit != LIMIT_NONE)
        strbuf_addf(&text, "limit %s: ", limit_word(p->limit));
    for (int i = 0; sentence_reason(p, i, said); i++)
        strbuf_addf(&text, "%s%s", i ? "; " : "", said);
    if (p->verdict == VERDICT_MARGINAL && p->knob != KNOB_NONE)
        strbuf_addf(&text, "%swhat decides: %s", p->reasons ? "; " : "", sentence_knob(p, said));
    page_words(page, 0, p->verdict == VERDICT_FITS ? INK_TEXT : INK_WARN, text.text);
    strbuf_fini(&text);
}

/* "TPOT 22.8 ms (17.0..32.5 ms), TTFT 248 ms (124..620 ms), ..." in one paragraph. */
static void show_speed(struct page *page, const struct plan *p)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(p, NULL, LINE_SPEED, lines);
    struct strbuf text;

    strbuf_init(&text);
    for (int i = 0; i < n; i++)
        if (lines[i].amount[0])
            strbuf_addf(&text, "%s%s %s (%s)", i ? ", " : "", lines[i].name, lines[i].amount,
                        lines[i].note);
        else if (!lines[i].name[0])
            strbuf_addf(&text, "speed: %s", lines[i].text);
    page_words(page, 0, INK_TEXT, text.text);
    if (p->speed.gap == SPEED_KNOWN)
        page_wordsf(page, 0, INK_DIM, "bound by %s", sentence_speed_bound(p->speed.bound));
    strbuf_fini(&text);
}

/* The offer of the price class that was asked for, and what is to be known of it. */
static void show_cost(struct page *page, const struct plan *p)
{
    static const char *const classes[] = {"on demand", "spot", "marketplace", "buy"};
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(p, NULL, LINE_COST, lines), wanted = 0;
    char said[SENTENCE_MAX];
    const char *note = p->cost.note != COST_NOTE_NONE ? sentence_cost_note(p, said) : "";
    const char *then = note[0] ? "; " : "";

    while (wanted < n && !lines[wanted].wanted)
        wanted++;
    if (wanted < n)
        page_wordsf(page, 0, INK_TEXT, "%s %s/h, %s/month: %s%s%s%s%s", lines[wanted].name,
                    lines[wanted].amount, lines[wanted].month, lines[wanted].text,
                    lines[wanted].note[0] ? "; " : "", lines[wanted].note, then, note);
    else
        page_wordsf(page, 0, INK_TEXT, "%s: no price is known%s%s", classes[p->request.price], then,
                    note);
}

/* Of what differs from row to row: the GPU, the engine, the price. */
static void show_sources(struct page *page, const struct plan *p)
{
    struct answer_line lines[ANSWER_LINES_MAX];
    int n = answer_lines(p, NULL, LINE_SOURCE, lines);

    for (int i = 0; i < n; i++)
        if (strcmp(lines[i].name, "model") != 0 && strcmp(lines[i].name, "format") != 0)
            page_wordsf(page, 0, INK_DIM, "%s: %s", lines[i].name, lines[i].text);
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
    char said[SENTENCE_MAX];
    for (int i = 0; sentence_warning(p, i, said); i++)
        page_wordsf(page, 0, INK_WARN, "warning: %s", said);
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
