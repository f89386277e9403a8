/*
 * prompt.c - one line to type in the bottom rows, and questions that a letter answers.
 *
 * The line is edited by edit.c. Up and Down walk through what was typed before at the
 * same kind of prompt, for as long as the program runs; what is being typed is kept
 * below the last of it. Tab completes the last word as far as it is certain, then shows
 * what it could become. An answer that is refused stays in the line, with the reason
 * above it. A line that acts while it is typed is told of each change, and Esc takes all back.
 */
#include "tui/toolkit/overlay.h"

#include <string.h>

#include "base/str.h"
#include "tui/toolkit/edit.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/key.h"

/* ---- what was typed before ---- */

#define HISTORY 50

/* One front end per process: its history is the process's. Longer lines are not kept.
 */
static struct history {
    char line[HISTORY][256]; /* the newest last */
    int count;
} histories[PROMPT_HISTORIES];

static void history_add(struct history *history, const char *text)
{
    int last = history->count - 1;

    if (!text[0] || strlen(text) >= sizeof(history->line[0]) ||
        (last >= 0 && strcmp(history->line[last], text) == 0))
        return;
    if (history->count == HISTORY) {
        memmove(history->line[0], history->line[1], (HISTORY - 1) * sizeof(history->line[0]));
        history->count--;
    }
    gp_copy(history->line[history->count++], sizeof(history->line[0]), text);
}

/* ---- a line ---- */

struct prompt {
    struct overlay overlay;
    struct prompt_spec options; /* its texts are copied: */
    char label[80], hint[160];
    struct edit edit, kept;                /* kept: what was typed before Up */
    char before[EDIT_MAX], told[EDIT_MAX]; /* the text it began with, and that it told of last */
    int place;                             /* in the history; its count: what is typed now */
    struct strbuf note;                    /* above the line: what is wrong, or the candidates */
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
    char text[EDIT_MAX], why[GP_ERR_LINE];

    gp_copy(text, sizeof(text), p->edit.text);
    history_add(&histories[p->options.history], text);
    p->place = histories[p->options.history].count;
    if (p->options.done(display->app, p->options.ctx, text, &err)) {
        p->overlay.closed = true;
        return;
    }
    note_set(p, true, gp_err_line(&err, why));
}

/* ---- completion ---- */

static void complete_word(struct display *display, struct prompt *p)
{
    char text[EDIT_MAX];
    struct strbuf words;

    gp_format(text, sizeof(text), "%.*s", (int)p->edit.at, p->edit.text);
    strbuf_init(&words);
    p->options.complete(display->app, p->options.ctx, text, &words);
    int count = edit_complete(&p->edit, words.text);
    if (count == 0)
        note_set(p, false, "no completion");
    else if (count > 1)
        note_set(p, false, words.text);
    strbuf_fini(&words);
}

/* ---- keys ---- */

static void prompt_tell(struct display *display, struct prompt *p, const char *text)
{
    if (!p->options.typed || strcmp(p->told, text) == 0)
        return;
    gp_copy(p->told, sizeof(p->told), text);
    p->options.typed(display->app, p->options.ctx, p->told);
}

static void prompt_key(struct display *display, struct overlay *overlay, int key)
{
    struct prompt *p = (struct prompt *)overlay;

    note_clear(p);
    if (key == K_ESC || key == KEY_CTRL('g') || (key == K_BACKSPACE && p->edit.len == 0)) {
        overlay->closed = true;
        prompt_tell(display, p, p->before);
        return;
    }
    if (key == K_ENTER) {
        take_line(display, p);
        return;
    }
    if (key == K_UP || key == KEY_CTRL('p'))
        go_back(p, -1);
    else if (key == K_DOWN || key == KEY_CTRL('n'))
        go_back(p, 1);
    else if (key == K_TAB && p->options.complete)
        complete_word(display, p);
    else
        edit_key(&p->edit, key);
    prompt_tell(display, p, p->edit.text);
}

static struct edit *prompt_line(struct overlay *overlay)
{
    return &((struct prompt *)overlay)->edit;
}

static void prompt_pasted(struct display *display, struct overlay *overlay, const char *why)
{
    struct prompt *p = (struct prompt *)overlay;

    note_clear(p);
    note_set(p, why != NULL, why ? why : "");
    prompt_tell(display, p, p->edit.text);
}

static void prompt_free(struct overlay *overlay)
{
    strbuf_fini(&((struct prompt *)overlay)->note);
}

/* ---- what is seen ---- */

/* The line stands in the last row of `bottom`, what is said of it in the row above,
 * which is the body's where `bottom` has one row. */
static void prompt_draw(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                        struct rect bottom)
{
    const struct prompt *p = (const struct prompt *)overlay;
    const char *said = p->note.len > 0 ? p->note.text : p->hint;
    struct rect in = {bottom.y + bottom.rows - 2, bottom.x, 2, bottom.cols};

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
    int x = 1 + canvas_fit(canvas, in, 1, 1, in.cols / 2, INK_KEY, p->label);
    edit_draw(&p->edit, canvas, in, 1, x, true);
}

static const struct overlay_ops prompt_ops = {
    .size = sizeof(struct prompt),
    .draw = prompt_draw,
    .key = prompt_key,
    .line = prompt_line,
    .pasted = prompt_pasted,
    .free = prompt_free,
    .bar = "Enter:do it  Up:earlier  Esc:back",
};

void prompt_open(struct display *display, const struct prompt_spec *options)
{
    struct prompt *p = (struct prompt *)overlay_new(&prompt_ops);

    if (options->typed)
        p->overlay.bar = "type:filter  Enter:keep  Up:earlier  Esc:as before";
    if (options->complete)
        p->overlay.bar = "Enter:do it  Tab:complete  Up:earlier  Esc:back";
    p->options = *options;
    gp_copy(p->label, sizeof(p->label), options->label);
    gp_copy(p->hint, sizeof(p->hint), options->hint ? options->hint : "");
    edit_set(&p->edit, options->text ? options->text : "");
    gp_copy(p->before, sizeof(p->before), p->edit.text);
    gp_copy(p->told, sizeof(p->told), p->edit.text);
    p->edit.fresh = p->edit.len > 0;
    p->place = histories[p->options.history].count;
    strbuf_init(&p->note);
    overlay_push(display, &p->overlay);
}

/* ---- questions ---- */

struct question_window {
    struct overlay overlay;
    struct question question;
};

static void question_key(struct display *display, struct overlay *overlay, int key)
{
    const struct question *q = &((struct question_window *)overlay)->question;
    char letter = key == K_F10 ? 'q' : key < 0x7f ? gp_lower((char)key) : '\0';

    for (int i = 0; i < QUESTION_ANSWERS && letter; i++)
        if (letter == q->answer[i].letter) {
            overlay->closed = true;
            q->answer[i].take(display->app, q->ctx);
            return;
        }
    if (letter == 'n' || letter == 'q' || key == K_ESC || key == KEY_CTRL('g'))
        overlay->closed = true;
}

static void question_draw(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                          struct rect bottom)
{
    const struct question *q = &((const struct question_window *)overlay)->question;
    int cols = body.cols < 64 ? body.cols : 64;
    int rows = gp_width(q->text) / (cols > 16 ? cols - 12 : 4) + 1;
    struct rect box = frame_middle(body, rows + 4, cols), in = rect_inside(box);

    (void)bottom;
    canvas_fill(canvas, box);
    canvas_box(canvas, box, "Question", NULL);
    canvas_accent(canvas, box);
    canvas_wrap(canvas, (struct rect){in.y, in.x + 1, in.rows - 2, in.cols - 2}, 0, INK_TEXT,
                q->text);
    canvas_text(canvas, in, in.rows - 1, 1, INK_KEY, q->bar);
    canvas_cursor(canvas, in, in.rows - 1, 1);
}

static const struct overlay_ops question_ops = {
    .size = sizeof(struct question_window),
    .draw = question_draw,
    .key = question_key,
};

void question_ask(struct display *display, const struct question *question)
{
    struct question_window *q = (struct question_window *)overlay_new(&question_ops);

    q->question = *question;
    q->overlay.bar = question->bar;
    overlay_push(display, &q->overlay);
}

void question_open(struct display *display, const char *text,
                   void (*yes)(struct app *app, void *ctx), void *ctx)
{
    struct question q = {.bar = "y:yes  n or Esc:no", .answer = {{'y', yes}}, .ctx = ctx};

    gp_copy(q.text, sizeof(q.text), text);
    question_ask(display, &q);
}
