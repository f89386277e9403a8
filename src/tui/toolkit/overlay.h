/*
 * overlay.h - what lies over a screen: the line at the bottom, and windows: a list to
 * choose from, a text to read, one line to type, a question.
 *
 * A window takes all keys until it closes. It calls back when something was chosen or
 * typed; closing it (Esc) calls nothing. Text is typed only here, so that no letter is
 * ever both a motion and text.
 */
#ifndef GP_TUI_TOOLKIT_OVERLAY_H
#define GP_TUI_TOOLKIT_OVERLAY_H

#include <stdbool.h>
#include <stddef.h>

#include "base/err.h"
#include "base/str.h"
#include "tui/toolkit/canvas.h"

struct app; /* handed back to who opened a window; nothing here looks into it */
struct edit;
struct paste;
struct overlay;

struct display {
    int rows, cols;   /* of the terminal, or of the script's screen */
    bool touched;     /* to be painted again */
    char report[200]; /* the line at the bottom; "" = the explanation */
    bool report_bad;
    struct overlay *top; /* the window on top, NULL = none; a stack by its `below` */
    struct app *app;     /* that of the callbacks */
};
void display_report(struct display *display, bool bad, const char *text);

struct overlay_ops {
    size_t size;
    void (*draw)(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                 struct rect bottom);
    /* A key; sets overlay->closed when it is done, overlay->passed when the key is to
     * mean what it means without the window. */
    void (*key)(struct display *display, struct overlay *overlay, int key);
    /* The line that pasted text goes to; NULL: it takes none. */
    struct edit *(*line)(struct overlay *overlay);
    /* It did, or why not. */
    void (*pasted)(struct display *display, struct overlay *overlay, const char *why);
    void (*free)(struct overlay *overlay);
    const char *bar; /* its keys: "Enter:choose  Esc:back" */
};

struct overlay {
    const struct overlay_ops *ops;
    const char *bar; /* ops->bar, unless this one has other keys */
    struct overlay *below;
    bool closed, passed;
};

/* ---- a list (chooser.c): typing filters it, by words in any order ---- */
struct choice {
    char id[256];   /* what is handed back */
    char text[120]; /* what is shown */
    char more[160]; /* beside it, or below when it is in focus */
    bool tail;      /* a text that is cut keeps its end: names that begin alike */
};
struct chooser_spec {
    const char *title;
    const char *heads;            /* titles over what choices say more, if these are
                                   * columns; NULL */
    const struct choice *choices; /* copied */
    int count;
    const char *selected; /* id in focus at first; may be NULL */
    bool many;            /* Space takes several; ids joined with ',' */
    const char *marked;   /* ids that are taken at first, ',' between */
    const char *free;     /* what else may be typed ("a size such as 70B, or a
                                   * folder"): what matches nothing is handed back as it
                                   * is. NULL: only the choices. */
    bool paths;           /* one may be typed: Tab completes it */
    /* What a text that is no choice would be taken for; out[size], "" = nothing is said. NULL. */
    bool (*means)(struct app *app, void *ctx, const char *text, char *out, size_t size);
    void (*chosen)(struct app *app, void *ctx, const char *id);
    void *ctx;
};
void chooser_open(struct display *display, const struct chooser_spec *options);
/* The first `cols` columns of what the choice `id` says more are known by now; nothing
 * happens when the window on top is no list that has it. */
void chooser_set_columns(struct display *display, const char *id, const char *columns, int cols);

/* ---- a text (pager.c): scrolls, / searches, n N, i lists what it has ----
 *
 * Its structure is in its blanks: a line of its own column over indented ones is a heading, two
 * blanks begin an entry ("  name = value", "  key  what it does"), more say more of that. */
void pager_open(struct display *display, const char *title, const char *text /* copied */);
void pager_index(struct display *display); /* the list over the text just opened */
/* That text side by side in columns of so many cells, where there is room for them. */
void pager_columns(struct display *display, int least);

/* ---- one line (prompt.c): edited, with history and completion ---- */
struct prompt_spec {
    const char *label; /* "Context: " */
    const char *text;  /* to start with */
    const char *hint;  /* shown until a key is pressed, may be NULL */
    int history;       /* which of PROMPT_HISTORIES */
    /* Called on Enter. False keeps the prompt open and shows *err. */
    bool (*done)(struct app *app, void *ctx, const char *text, struct gp_err *err);
    /* Called with what is in the line whenever it changes, and, when Esc closes it, with what it
     * began with; may be NULL. */
    void (*typed)(struct app *app, void *ctx, const char *text);
    /* Tab; may be NULL. */
    void (*complete)(struct app *app, void *ctx, const char *text, struct strbuf *out);
    void *ctx;
};
enum { PROMPT_COMMAND, PROMPT_VALUE, PROMPT_SEARCH, PROMPT_FILE, PROMPT_HISTORIES };
void prompt_open(struct display *display, const struct prompt_spec *options);

/* ---- a question (prompt.c): y or n, or letters of its own ---- */
void question_open(struct display *display, const char *text,
                   void (*yes)(struct app *app, void *ctx), void *ctx);
enum { QUESTION_ANSWERS = 2 };
struct question {
    char text[1100];
    const char *bar; /* "w:save  q:quit anyway  Esc:stay" */
    struct {
        char letter; /* 0: none; Esc, n and q take none, unless they are given here */
        void (*take)(struct app *app, void *ctx);
    } answer[QUESTION_ANSWERS];
    void *ctx;
};
void question_ask(struct display *display, const struct question *question);

/* ---- for those who make windows (overlay.c) ---- */
struct overlay *overlay_new(const struct overlay_ops *ops);
/* On top; then owned. */
void overlay_push(struct display *display, struct overlay *overlay);

/* ---- for the loop ---- */
/* Gives a key to the window on top, then frees all that are closed: nobody else may,
 * since a window may open another while it handles the key that closes it. False: no
 * window is open, or it passed the key on. */
bool overlay_key(struct display *display, int key);
/* What was pasted, to the line of the window on top. Returns why it is not taken; NULL:
 * it is. */
const char *overlay_paste(struct display *display, const struct paste *paste);
/* All of them, the lowest first. bottom: the rows that explain (frame.explain). */
void overlay_draw(const struct display *display, struct canvas *canvas, struct rect body,
                  struct rect bottom);
/* The keys of the one on top; NULL: none is open. */
const char *overlay_bar(const struct display *display);
void overlay_close_all(struct display *display);

#endif
