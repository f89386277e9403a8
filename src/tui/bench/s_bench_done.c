/*
 * s_bench_done.c - Bench after a run: what it means, in sentences and point by point.
 *
 * The summary comes from the result file, so it is the same that --bench prints. The
 * list below has measured beside predicted; what is flagged says so in words.
 */
#include "tui/bench/s_bench.h"

#include <string.h>

#include "measure/result/benchlog.h"

/* ---- the words ---- */

/* Returns text[size], or a constant one. */
static const char *status_words(const struct bench *b, char *text, size_t size)
{
    if (b->unwritten[0] && !b->saved[0])
        return "NOT WRITTEN: the result is in no file; w saves it under another name.";
    return session_outcome(b->session, text, size);
}

static void show_file(struct page *page, const struct bench *b)
{
    if (b->unwritten[0])
        page_words(page, 0, INK_BAD, b->unwritten);
    else
        bench_file(page, "file", b->plan.result);
    if (b->saved[0])
        bench_file(page, b->unwritten[0] ? "file" : "also", b->saved);
}

static const char *next_words(const struct bench *b)
{
    if (!bench_unfinished(b))
        return "next: 3 shows it in Curves, w saves under a name, r new run";
    if (session_some_busy(b->session))
        return b->values.bench.value[OPT_FORCE][0]
                   ? "next: F5 measures all the same (force is on), r new run"
                   : "next: o, Enter, F5 measures all the same (force); or wait, then "
                     "F5; or r and leave it out";
    return session_can_resume(b->session)
               ? "next: F5 continues, c the command for it, 3 Curves, r new run"
               : "next: F5 tries again, r new run";
}

static enum ink status_ink(const struct bench *b)
{
    struct benchlog_tally t;

    if (b->unwritten[0] && !b->saved[0])
        return INK_BAD;
    if (bench_unfinished(b))
        return INK_WARN;
    t = benchlog_tally(session_log(b->session));
    return t.good == 0 ? INK_BAD : t.flagged || t.wrong || t.without ? INK_WARN : INK_OK;
}

static void show_words(struct page *page, const struct bench *b)
{
    bool busy = session_some_busy(b->session);
    char text[480];

    page_words(page, 0, status_ink(b), status_words(b, text, sizeof(text)));
    for (int i = 0; i < session_devices(b->session); i++)
        if (session_say_lost(b->session, i, text, sizeof(text)))
            page_words(page, 0, INK_BAD, text);
    if (!busy)
        show_file(page, b);
    page_words(page, 0, INK_TEXT, next_words(b));
    if (busy) /* what to do is more than a file with nothing in it */
        show_file(page, b);
    for (int i = 0; i < session_summaries(b->session); i++)
        page_words(page, 0, INK_TEXT, session_summary(b->session, i));
}

static void draw_words(const struct bench *b, struct canvas *canvas, struct rect in)
{
    struct page page = {.canvas = canvas, .in = rect_inside(in)};
    char word[40];

    canvas_box(canvas, in, "Result", session_outcome_word(b->session, word, sizeof(word)));
    show_words(&page, b);
    if (page.y > page.in.rows) /* not all of it */
        canvas_glyph(canvas, page.in, page.in.rows - 1, page.in.cols - 1, INK_TEXT, GLYPH_MORE);
    if (b->panel == BENCH_WORDS)
        canvas_cursor(canvas, page.in, 0, 0);
}

void bench_done_draw(const struct app *app, const struct bench *b, struct canvas *canvas,
                     const struct frame *frame)
{
    struct rect part[2];
    struct page words = {.in = rect_inside(frame->body)};
    int rows[2] = {0, 0};

    (void)app;
    if (frame->size <= SIZE_ONE) {
        if (b->panel == BENCH_WORDS)
            draw_words(b, canvas, frame->body);
        else
            bench_points_draw(b, canvas, frame->body, true);
        return;
    }
    show_words(&words, b);
    rows[0] = words.y + 2 < frame->body.rows - 8 ? words.y + 2 : frame->body.rows - 8;
    frame_rows(frame->body, rows, 2, part);
    draw_words(b, canvas, part[0]);
    bench_points_draw(b, canvas, part[1], true);
}

/* ---- keys ---- */

static bool save_result(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct bench *b = ctx;
    const struct benchlog *log = session_log(b->session);
    char path[GP_PATH_MAX];

    if (!log || !text[0]) {
        gp_fail(err, GP_E_USAGE, "", "", "a file needs a name");
        return false;
    }
    if (app_target(text, path, sizeof(path), err))
        return false;
    if (path_is_dir(path)) {
        gp_fail(err, GP_E_FILE, path, "", "is a folder");
        return false;
    }
    if (benchlog_write(path, log->json, err))
        return false;
    gp_copy(b->saved, sizeof(b->saved), path);
    app_report(app, false, "saved as %s", path);
    return true;
}

/* Everything there is to read, for a screen too small for it. */
static void read_all(struct app *app, const struct bench *b)
{
    struct strbuf out;
    char text[480];

    strbuf_init(&out);
    strbuf_addf(&out, "%s\n", status_words(b, text, sizeof(text)));
    for (int i = 0; i < session_devices(b->session); i++)
        if (session_say_lost(b->session, i, text, sizeof(text)))
            strbuf_addf(&out, "%s\n", text);
    strbuf_addf(&out, "%s\n\n", next_words(b));
    for (int i = 0; i < session_summaries(b->session); i++)
        strbuf_addf(&out, "%s\n", session_summary(b->session, i));
    strbuf_add(&out, "\n");
    benchlog_print(session_log(b->session), BENCHLOG_TEXT, &out);
    for (int i = 0; i < session_notes(b->session); i++)
        strbuf_addf(&out, "note: %s\n", session_note(b->session, i));
    strbuf_addf(&out, "file: %s\n", b->plan.result);
    pager_open(&app->display, "Result", out.text);
    strbuf_fini(&out);
}

bool bench_done_act(struct app *app, struct bench *b, enum action action)
{
    const char *slash = strrchr(b->plan.result, '/');
    struct prompt_ask options = {.label = "Save result as: ",
                                 .text = slash ? slash + 1 : b->plan.result,
                                 .hint = "a file name, .json",
                                 .history = PROMPT_FILE,
                                 .done = save_result,
                                 .ctx = b};
    struct frame frame = app_frame(app);

    switch (action) {
    case ACT_SAVE_RESULT:
        prompt_open(&app->display, &options);
        return true;
    case ACT_OPTIONS:
        bench_options_open(app, b, OPT_FORCE);
        return true;
    case ACT_AGAIN:
        bench_renew(app, b);
        return true;
    case ACT_START:
        if (!bench_unfinished(b))
            return false;
        bench_go_on(app, b);
        return true;
    case ACT_OPEN:
        if (session_log(b->session))
            read_all(app, b);
        return true;
    case ACT_PANEL:
    case ACT_PANEL_BACK:
        if (frame.size > SIZE_ONE)
            return false; /* the next device */
        if (b->panel == BENCH_WORDS)
            b->device = (b->device + 1) % session_devices(b->session);
        b->panel = b->panel == BENCH_WORDS ? BENCH_POINTS : BENCH_WORDS;
        return true;
    default:
        return false;
    }
}
