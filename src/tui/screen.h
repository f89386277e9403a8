/*
 * screen.h - what a screen is: one file that fills this table.
 *
 * Data flows one way. A key becomes an action (action.h); act() changes the form
 * (form.h) or the screen's own state; draw() paints from those values and computes
 * nothing. What takes long is begun by act() and goes on in tick(), in slices of at
 * most a few milliseconds, so that no key waits.
 *
 * state points at state_size zeroed bytes, made before open() and freed after close().
 * Any slot but draw may be NULL.
 *
 * To add a screen: a file s_<word>.c that ends in const struct screen_ops screen_<word>,
 * and a row in SCREENS (action.h); the keys of its own are rows of ACTIONS there.
 */
#ifndef GP_TUI_SCREEN_H
#define GP_TUI_SCREEN_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/option.h"
#include "base/err.h"
#include "base/str.h"
#include "tui/action.h"
#include "tui/toolkit/canvas.h"
#include "tui/toolkit/frame.h"

struct app;

struct screen_ops {
    size_t state_size;
    void (*open)(struct app *app, void *state); /* once, before it is first shown */
    void (*close)(struct app *app, void *state);
    void (*show)(struct app *app, void *state); /* each time it becomes the one shown */
    /* Paints into the body. Sets the cursor on what is in focus. */
    void (*draw)(const struct app *app, const void *state, struct canvas *canvas,
                 const struct frame *frame);
    /* True when the action was its own; else the app does what it means everywhere. */
    bool (*act)(struct app *app, void *state, enum action action);
    /* A key that begins to type what is in focus; it then is no action. False: it does not. */
    bool (*type)(struct app *app, void *state, int key);
    /* Goes on with what takes long. Returns the seconds after which it wants to be
     * called again: 0 = at once, there is more to do; < 0 = only after a key. */
    double (*tick)(struct app *app, void *state, double now);
    /* One or two lines about what is in focus, with its equation where it has one. */
    void (*explain)(const struct app *app, const void *state, struct strbuf *out);
    /* What is at the right of the row of tabs: file, count, state. */
    void (*title)(const struct app *app, const void *state, struct strbuf *out);
    /* What runs, in the row of tabs of every screen: "bench 63 %"; nothing: leaves it. */
    void (*running)(const void *state, struct strbuf *out);
    /* Writes what is shown as the suffix says; the suffixes it knows: "txt json csv". */
    const char *suffixes;
    enum gp_status (*export)(const struct app *app, const void *state, const char *suffix,
                             struct strbuf *out, struct gp_err *err);
    /* The command that prints the same. */
    void (*command)(const struct app *app, const void *state, struct strbuf *out);
    /* Is an option this screen's own, and not one of the plan? And a line of such, as
     * `:` takes them: "rel-ci 2 --force". */
    bool (*takes)(enum option_id id);
    enum gp_status (*options)(struct app *app, void *state, const char *line, struct gp_err *err);
    /* Why the program should not simply end now ("a measurement runs"); false: it may. */
    bool (*busy)(const struct app *app, const void *state, char *why, size_t size);
    /* What would be lost though nothing runs ("the result is in no file"). */
    bool (*unsaved)(const struct app *app, const void *state, char *why, size_t size);
    /* What an action of the key bar is called just now; NULL: not offered. */
    const char *(*word)(const void *state, enum action action);
    void (*click)(struct app *app, void *state, int y, int x); /* cell of the body */
    /* Is there something to show? Else it has no tab. state may be NULL. NULL: always. */
    bool (*here)(const void *state);
    void (*offer)(struct app *app); /* ... then it lists what it could show. NULL */
    /* What may follow its name at `:`, which is then its own, whole ("pool FILE"): words that
     * begin so, blanks between. NULL: it takes options. */
    void (*complete)(const struct app *app, const char *begin, struct strbuf *out);
};

#define X(id, word, ...) extern const struct screen_ops screen_##word;
SCREENS(X)
#undef X

/* Bench's finished run in Curves: offered first, and shown when no file is. The log is shared,
 * the caller keeps its own. */
struct benchlog;
void curves_show_log(struct app *app, const struct benchlog *log);

#endif
