/*
 * prompt.c - one line to type in the bottom rows, and questions of yes or no.
 *
 * The line is edited by edit.c. Up and Down walk through what was typed before at the
 * same kind of prompt, for as long as the program runs; what is being typed is kept
 * below the last of it. Tab completes the last word as far as it is certain, then shows
 * what it could become. An answer that is refused stays in the line, with the reason
 * above it.
 */
#include "tui/toolkit/overlay.h"

#include <string.h>

#include "tui/toolkit/edit.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/utf8.h"
#include "util/str.h"

/* ---- what was typed before ---- */

#define HISTORY 50

/* One front end per process: its history is the process's. Longer lines are not kept.
 */
static struct history {
    char line[HISTORY][256]; /* the newest last */
    int count;
} histories[PROMPT_HISTORIES];

static void remember(struct history *history, const char *text)
{
    int last = history->count - 1;

    if (!text[0] || strlen(text) >= sizeof(history->line[0]) ||
        (last >= 0 && strcmp(history->line[last], text) == 0))
        return;
    if (history->count == HISTORY) {
        memmove(history->line[0], history->line[1],
                (HISTORY - 1) * sizeof(history->line[0]));
        history->count--;
    }
    gp_copy(history->line[history->count++], sizeof(history->line[0]), text);
}

/* ---- a line ---- */

struct prompt {
    struct overlay overlay;
    struct prompt_ask options; /* its texts are copied: */
    char label[80], hint[160];
    struct edit edit, kept; /* kept: what was typed before Up */
    int place;              /* in the history; its count: what is typed now */
    struct strbuf note;     /* above the line: what is wrong, or the candidates */
    bool bad;
};

static void note_set(struct prompt *p, bool bad, const char *text)
{
    strbuf_clear(&p->note);
    strbuf_add(&p->note, text);
    p->bad = bad;
}

static void note_clear(struct prompt *p)
{
    note_set(p, false, "");
    p->hint[0] = '\0';
}

static void go_back(struct prompt *p, int by)
{
    const struct history *history = &histories[p->options.history];
    int place = p->place + by;

    if (place < 0 || place > history->count)
        return;
    if (p->place == history->count)
        p->kept = p->edit;
    p->place = place;
    if (place == history->count)
        p->edit = p->kept;
    else
        edit_set(&p->edit, history->line[place]);
}

static void take_line(struct display *display, struct prompt *p)
{
    struct gp_err err = {.code = GP_OK};
    char text[EDIT_MAX];
    struct strbuf why;

    gp_copy(text, sizeof(text), p->edit.text);
    remember(&histories[p->options.history], text);
    p->place = histories[p->options.history].count;
    if (p->options.done(display->app, p->options.ctx, text, &err)) {
        p->overlay.closed = true;
        return;
    }
    strbuf_init(&why);
    strbuf_addf(&why, "%s%s%s", err.where, err.where[0] ? ": " : "",
                err.text[0] ? err.text : "not possible");
    if (err.hint[0])
        strbuf_addf(&why, " (%s)", err.hint);
    note_set(p, true, why.text);
    strbuf_fini(&why);
}

/* ---- completion ---- */

static void complete_word(struct display *display, struct prompt *p)
{
    char text[EDIT_MAX];
    struct strbuf words;
    int count;

    gp_format(text, sizeof(text), "%.*s", (int)p->edit.at, p->edit.text);
    strbuf_init(&words);
    p->options.complete(display->app, p->options.ctx, text, &words);
    count = edit_complete(&p->edit, words.text);
    if (count == 0)
        note_set(p, false, "no completion");
    else if (count > 1)
        note_set(p, false, words.text);
    strbuf_fini(&words);
}

/* ---- keys ---- */

static void prompt_key(struct display *display, struct overlay *overlay, int key)
{
    struct prompt *p = (struct prompt *)overlay;

    note_clear(p);
    if (key == K_ESC || key == KEY_CTRL('g') ||
        (key == K_BACKSPACE && p->edit.len == 0))
        overlay->closed = true;
    else if (key == K_ENTER)
        take_line(display, p);
    else if (key == K_UP || key == KEY_CTRL('p'))
        go_back(p, -1);
    else if (key == K_DOWN || key == KEY_CTRL('n'))
        go_back(p, 1);
    else if (key == K_TAB && p->options.complete)
        complete_word(display, p);
    else
        edit_key(&p->edit, key);
}

static struct edit *prompt_line(struct overlay *overlay)
{
    return &((struct prompt *)overlay)->edit;
}

static void prompt_pasted(struct overlay *overlay, const char *why)
{
    struct prompt *p = (struct prompt *)overlay;

    note_clear(p);
    note_set(p, why != NULL, why ? why : "");
}

static void prompt_free(struct overlay *overlay)
{
    strbuf_fini(&((struct prompt *)overlay)->note);
}

/* ---- what is seen ---- */

/* The line stands in the last row of `bottom`, what is said of it in the row above,
 * which is the body's where `bottom` has one row. */
static void prompt_draw(const struct overlay *overlay, struct canvas *canvas,
                        struct rect body, struct rect bottom)
{
    const struct prompt *p = (const struct prompt *)overlay;
    const char *said = p->note.len > 0 ? p->note.text : p->hint;
    struct rect in = {bottom.y + bottom.rows - 2, bottom.x, 2, bottom.cols};
    int x;

    (void)body;
    if (bottom.rows > 1 || said[0])
        canvas_fill(canvas, in);
    else
        canvas_fill(canvas, bottom);
    canvas_fit(canvas, in, 0, 1, in.cols - 2,
               p->bad        ? INK_BAD
               : p->note.len ? INK_TEXT
                             : INK_DIM,
               said);
    x = 1 + canvas_fit(canvas, in, 1, 1, in.cols / 2, INK_KEY, p->label);
    edit_draw(&p->edit, canvas, in, 1, x, true);
}

#define PROMPT_OPS(words)                                                              \
    {                                                                                  \
        .size = sizeof(struct prompt), .draw = prompt_draw, .key = prompt_key,         \
        .line = prompt_line, .pasted = prompt_pasted, .free = prompt_free,             \
        .bar = words                                                                   \
    }

static const struct overlay_ops prompt_ops =
    PROMPT_OPS("Enter:do it  Up:earlier  Esc:back");
static const struct overlay_ops complete_ops =
    PROMPT_OPS("Enter:do it  Tab:complete  Up:earlier  Esc:back");

void prompt_open(struct display *display, const struct prompt_ask *options)
{
    const struct overlay_ops *ops = options->complete ? &complete_ops : &prompt_ops;
    struct prompt *p = (struct prompt *)overlay_new(ops);

    p->options = *options;
    if (p->options.history < 0 || p->options.history >= PROMPT_HISTORIES)
        p->options.history = PROMPT_VALUE;
    gp_copy(p->label, sizeof(p->label), options->label ? options->label : "");
    gp_copy(p->hint, sizeof(p->hint), options->hint ? options->hint : "");
    edit_set(&p->edit, options->text ? options->text : "");
    p->edit.fresh = p->edit.len > 0;
    p->place = histories[p->options.history].count;
    strbuf_init(&p->note);
    overlay_push(display, &p->overlay);
}

/* ---- yes or no ---- */

struct question {
    struct overlay overlay;
    char text[400];
    void (*yes)(struct app *app, void *ctx);
    void *ctx;
};

static void question_key(struct display *display, struct overlay *overlay, int key)
{
    struct question *q = (struct question *)overlay;

    if (key == 'y' || key == 'Y') {
        overlay->closed = true;
        q->yes(display->app, q->ctx);
    } else if (key == 'n' || key == 'N' || key == K_ESC || key == 'q' ||
               key == KEY_CTRL('g')) {
        overlay->closed = true;
    }
}

static void question_draw(const struct overlay *overlay, struct canvas *canvas,
                          struct rect body, struct rect bottom)
{
    const struct question *q = (const struct question *)overlay;
    int width = utf8_columns(q->text, strlen(q->text)), cols = body.cols;
    int rows;
    struct rect box, in;

    (void)bottom;
    if (cols > 64)
        cols = 64;
    rows = width / (cols > 16 ? cols - 12 : 4) + 1;
    box = frame_middle(body, rows + 4, cols);
    in = rect_inside(box);
    canvas_fill(canvas, box);
    canvas_box(canvas, box, "Question", NULL);
    canvas_wrap(canvas, (struct rect){in.y, in.x + 1, in.rows - 2, in.cols - 2}, 0,
                INK_TEXT, q->text);
    canvas_text(canvas, in, in.rows - 1, 1, INK_KEY, "y: yes   n: no");
    canvas_cursor(canvas, in, in.rows - 1, 1);
}

static const struct overlay_ops question_ops = {
    .size = sizeof(struct question),
    .draw = question_draw,
    .key = question_key,
    .bar = "y:yes  n or Esc:no",
};

void question_open(struct display *display, const char *text,
                   void (*yes)(struct app *app, void *ctx), void *ctx)
{
    struct question *q = (struct question *)overlay_new(&question_ops);

    gp_copy(q->text, sizeof(q->text), text);
    q->yes = yes;
    q->ctx = ctx;
    overlay_push(display, &q->overlay);
}
