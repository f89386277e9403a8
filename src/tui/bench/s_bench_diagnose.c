/*
 * s_bench_diagnose.c - Diagnose, a page of Bench: why is this device slow?
 *
 * The key starts it: a session beside the screen with the options of --bench --diagnose, and
 * when it is over the same verdict in words, with its evidence. Nothing is kept but that.
 */
#include "tui/bench/s_bench.h"

#include <stdlib.h>
#include <string.h>

#include "answer/diagnose_print.h"
#include "base/mem.h"
#include "measure/diagnosing.h"

struct bench_diagnosis {
    struct diagnosing d;
    struct record doc; /* the verdict, when it is known */
    bool known;
};

void bench_diagnose_new(struct bench *b)
{
    b->diagnosis = gp_calloc(1, sizeof(*b->diagnosis));
    diagnosing_begin(&b->diagnosis->d);
    record_init(&b->diagnosis->doc);
}

void bench_diagnose_free(struct bench *b)
{
    if (!b->diagnosis)
        return;
    if (!b->diagnosis->known && b->stage == STAGE_RUN)
        diagnosing_drop_journal(b->session);
    diagnosing_end(&b->diagnosis->d);
    record_fini(&b->diagnosis->doc);
    free(b->diagnosis);
    b->diagnosis = NULL;
}

void bench_diagnose_ask(const struct bench *b, struct options *options, char *tests, size_t size)
{
    gp_copy(tests, size, DIAGNOSING_TESTS);
    diagnosing_options(&b->diagnosis->d, options);
}

void bench_diagnose_event(struct bench *b, const struct session_event *event)
{
    if (b->diagnosis)
        diagnosing_event(&b->diagnosis->d, b->session, event);
}

bool bench_diagnose_over(struct app *app, struct bench *b)
{
    struct bench_diagnosis *to = b->diagnosis;
    enum diagnose_status worst;

    if (!to)
        return false;
    diagnosing_finish(&to->d, b->session);
    worst = diagnosing_record(&to->d, &to->doc);
    to->known = true;
    app_report(app, worst >= DIAGNOSE_SLOW, "diagnosed: %s%s", diagnose_status_word(worst),
               b->stopping ? ", of what was measured until it was stopped" : "");
    return true;
}

/* ---- what is shown ---- */

static enum ink line_ink(const char *line)
{
    static const struct {
        const char *begins;
        enum ink ink;
    } inks[] = {
        {"healthy:", INK_OK},   {"slow:", INK_WARN},    {"broken:", INK_BAD},
        {"unknown:", INK_WARN}, {"evidence:", INK_DIM}, {"not told", INK_DIM},
    };

    for (size_t i = 0; i < sizeof(inks) / sizeof(inks[0]); i++)
        if (strncmp(line, inks[i].begins, strlen(inks[i].begins)) == 0)
            return inks[i].ink;
    return INK_TEXT;
}

/* "  clock   2300 MHz" after "clock 2000 MHz": the same facts in fewer rows. */
static void add_fact(struct strbuf *facts, const char *line)
{
    bool blank = false;

    strbuf_add(facts, facts->len > 0 ? ", " : "");
    for (line += strspn(line, " "); *line; line++) {
        if (*line != ' ' && blank)
            strbuf_add(facts, " ");
        if (*line != ' ')
            strbuf_addf(facts, "%c", *line);
        blank = *line == ' ';
    }
}

static void show_facts(struct page *page, struct strbuf *facts)
{
    if (facts->len > 0)
        page_words(page, 2, INK_TEXT, facts->text);
    strbuf_clear(facts);
}

/* The text of the command, its facts one after the other. */
static void show_verdict(struct page *page, const struct record *doc)
{
    struct strbuf text, facts;
    bool told = false;

    strbuf_init(&text);
    strbuf_init(&facts);
    diagnose_text(doc, &text);
    for (char *at = text.text, *line; (line = strsep(&at, "\n")) && at;) {
        told = strcmp(line, "evidence:") == 0 || (told && line[0] == ' ');
        if (told && line[0] == ' ') {
            add_fact(&facts, line);
            continue;
        }
        show_facts(page, &facts);
        page_words(page, 2, line_ink(line), line);
    }
    show_facts(page, &facts);
    strbuf_fini(&facts);
    strbuf_fini(&text);
}

void bench_diagnose_draw(const struct bench *b, struct canvas *canvas, const struct frame *frame)
{
    struct page page = {.canvas = canvas, .in = rect_inside(frame->body)};

    canvas_box(canvas, frame->body, "Diagnose", "why is this device slow?");
    if (b->diagnosis && b->diagnosis->known)
        show_verdict(&page, &b->diagnosis->doc);
    else if (b->err.text[0])
        page_words(&page, 0, INK_BAD, b->err.text);
    else if (bench_state(b) == SESSION_LOOKING)
        page_words(&page, 0, INK_TEXT, "looks for devices");
    else
        page_words(&page, 0, INK_TEXT,
                   "F5 measures for less than a minute and says why a device "
                   "is slow; p all of Bench");
    if (page.y > page.in.rows) /* not all of it */
        canvas_glyph(canvas, page.in, page.in.rows - 1, page.in.cols - 1, INK_TEXT, GLYPH_MORE);
    canvas_cursor(canvas, page.in, 0, 0);
}

const char *bench_diagnose_word(const struct bench *b)
{
    return b->diagnosis && b->diagnosis->known ? record_get(&b->diagnosis->doc, "status") : "";
}

void bench_diagnose_explain(struct strbuf *out)
{
    strbuf_add(out, "Diagnose: the first line is the verdict, with the first cause that holds.\n"
                    "Memory, products and copies were measured; no result is kept.");
}

enum gp_status bench_diagnose_export(const struct bench *b, const char *suffix, struct strbuf *out,
                                     struct gp_err *err)
{
    if (!b->diagnosis || !b->diagnosis->known)
        return gp_fail(err, GP_E_NOTHING, "", "y starts it", "nothing is diagnosed yet");
    if (strcmp(suffix, "csv") == 0)
        return gp_fail(err, GP_E_USAGE, "", "json or txt",
                       "a verdict cannot be printed as a table");
    if (strcmp(suffix, "json") == 0)
        record_json(&b->diagnosis->doc, out);
    else
        diagnose_text(&b->diagnosis->doc, out);
    return GP_OK;
}

/* ---- keys ---- */

static void diagnose_start(struct app *app, struct bench *b)
{
    b->page = BENCH_PAGE_DIAGNOSE;
    bench_renew(app, b);
    b->wanted = bench_state(b) != SESSION_BROKEN;
    if (!b->wanted)
        app_report_err(app, &b->err);
}

bool bench_diagnose_act(struct app *app, struct bench *b, enum action action)
{
    bool here = b->page == BENCH_PAGE_DIAGNOSE && b->stage != STAGE_RUN;

    if (action == ACT_DIAGNOSE && b->stage == STAGE_RUN)
        app_report(app, true, "it runs: x stops after the point");
    else if (action == ACT_DIAGNOSE || (here && (action == ACT_AGAIN || action == ACT_START)))
        diagnose_start(app, b);
    else if (here && action == ACT_OPEN && b->diagnosis && b->diagnosis->known) {
        struct strbuf out;

        strbuf_init(&out);
        diagnose_text(&b->diagnosis->doc, &out);
        pager_open(&app->display, "Diagnose", out.text);
        strbuf_fini(&out);
    } else if (here && action == ACT_OPEN)
        diagnose_start(app, b);
    else if (here && action == ACT_SAVE_RESULT)
        app_report(app, false, "no result is kept: e writes the verdict");
    else
        return here && (action == ACT_TOGGLE || action == ACT_OPTIONS || action == ACT_LEFT ||
                        action == ACT_RIGHT || action == ACT_PANEL || action == ACT_PANEL_BACK);
    return true;
}
