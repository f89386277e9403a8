/*
 * overlay.h - windows over a screen: a list to choose from, a text to read, one line to
 * type, a question.
 *
 * A window takes all keys until it closes. It calls back when something was chosen or
 * typed; closing it (Esc) calls nothing. Text is typed only here, so that no letter is
 * ever both a motion and text.
 */
#ifndef GP_TUI_TOOLKIT_OVERLAY_H
#define GP_TUI_TOOLKIT_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/toolkit/canvas.h"
#include "util/err.h"
#include "util/str.h"

struct app;
struct edit;
struct paste;
struct overlay;

struct overlay_ops {
    size_t size;
    void (*draw)(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                 struct rect bottom);
    /* A key; sets overlay->closed when it is done. */
    void (*key)(struct app *app, struct overlay *overlay, int key);
    /* The line that pasted text goes to; NULL: it takes none. */
    struct edit *(*line)(struct overlay *overlay);
    /* It did, or why not. */
    void (*pasted)(struct overlay *overlay, const char *why);
    void (*free)(struct overlay *overlay);
    const char *bar; /* its keys: "Enter:choose  Esc:back" */
};

struct overlay {
    const struct overlay_ops *ops;
    struct overlay *below;
    bool closed;
};

/* ---- a list (chooser.c): typing filters it, by words in any order ---- */
struct choice {
    char id[256];   /* what is handed back */
    char text[120]; /* what is shown */
    char more[160]; /* beside it, or below when it is in focus */
};
struct chooser_ask {
    const char *title;
    const struct choice *choices; /* copied */
    int count;
    const char *selected;         /* id in focus at first; may be NULL */
    bool many;                    /* Space takes several; ids joined with ',' */
    const char *marked;           /* ids that are taken at first, ',' between */
    const char *free;             /* what else may be typed ("a size such as 70B, or a
                                   * folder"): what matches nothing is handed back as it
                                   * is. NULL: only the choices. */
    bool paths;                   /* one may be typed: Tab completes it */
    void (*chosen)(struct app *app, void *ctx, const char *id);
    void *ctx;
};
void chooser_open(struct app *app, const struct chooser_ask *options);

/* ---- a text (reader.c): scrolls, / searches, n N ---- */
void pager_open(struct app *app, const char *title, const char *text /* copied */);

/* ---- one line (prompt.c): edited, with history and completion ---- */
struct prompt_ask {
    const char *label; /* "Context: " */
    const char *text;  /* to start with */
    const char *hint;  /* shown until a key is pressed, may be NULL */
    int history;       /* which of PROMPT_HISTORIES */
    /* Called on Enter. False keeps the prompt open and shows *err. */
    bool (*done)(struct app *app, void *ctx, const char *text, struct gp_err *err);
    /* Tab; may be NULL. */
    void (*complete)(struct app *app, void *ctx, const char *text, struct strbuf *out);
    void *ctx;
};
enum { PROMPT_COMMAND, PROMPT_VALUE, PROMPT_SEARCH, PROMPT_FILE, PROMPT_HISTORIES };
void prompt_open(struct app *app, const struct prompt_ask *options);

/* ---- a question (prompt.c): y or n ---- */
void question_open(struct app *app, const char *text,
                   void (*yes)(struct app *app, void *ctx), void *ctx);

/* ---- for those who make windows (overlay.c) ---- */
struct overlay *overlay_new(const struct overlay_ops *ops);
void overlay_push(struct app *app, struct overlay *overlay); /* on top; then owned */

/* ---- for the loop (app.c) ---- */
/* Gives a key to the window on top, then frees all that are closed: nobody else may,
 * since a window may open another while it handles the key that closes it. False: no
 * window is open. */
bool overlay_key(struct app *app, int key);
/* What was pasted, to the line of the window on top. Returns why it is not taken; NULL:
 * it is. */
const char *overlay_paste(struct app *app, const struct paste *paste);
/* All of them, the lowest first. bottom: the rows that explain (frame.explain). */
void overlay_draw(const struct app *app, struct canvas *canvas, struct rect body,
                  struct rect bottom);
const char *overlay_bar(const struct app *app); /* keys of the one on top; NULL: none */
void overlay_close_all(struct app *app);

#endif
