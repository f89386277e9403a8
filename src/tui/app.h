/*
 * app.h - what screens see of the front end: the form, the line at the bottom, windows,
 * the other screens.
 *
 * A screen may report a line (app_report), open a window over itself (overlay.h, on
 * app->display), ask to be painted (app_touch), show another screen (app_show). Nothing
 * here calls a screen but through its table (app->screens), so that screens stand above
 * this file and the loop (loop.h) above them.
 */
#ifndef GP_TUI_APP_H
#define GP_TUI_APP_H

#include <stdbool.h>
#include <stddef.h>

#include "answer/planner.h"
#include "base/err.h"
#include "base/path.h"
#include "tui/form.h"
#include "tui/screen.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/overlay.h"
#include "tui/worker.h"

struct app_settings {
    enum scheme scheme;
    bool scheme_given; /* by option or settings: not by the terminal */
    enum charset charset;
    bool charset_given;
    bool mouse, plain;
    enum screen_id screen; /* shown first */
};

struct app {
    struct form *form;
    struct app_settings settings;
    struct display display;
    const struct screen_ops *const *screens; /* (SCREEN_COUNT) */
    enum screen_id screen;
    void *state[SCREEN_COUNT]; /* NULL: not opened yet */
    bool quit;
    int exit_code;

    struct { /* the form is being saved, asked for its file */
        char path[GP_PATH_MAX];
        bool quit; /* when it is saved */
    } saving;

    struct worker *worker; /* plans beside the keys (worker.h); owned */
    struct page_job *page; /* of --report, being made (app_act.c); NULL: none */
    struct task *page_task;

    /* the loop's own */
    int held;                 /* the key that waits for the answer; K_NONE: none does */
    bool whole;               /* paint also what did not change */
    bool scripted;            /* keys come from a file, nothing is painted */
    bool interrupted;         /* a Ctrl-C has stopped the measurement */
    double due[SCREEN_COUNT]; /* when its tick is wanted (clock_now); 0 = now */
};

struct app_start {
    struct planner *planner;
    const struct options *options; /* of the command line: the form starts with it */
    struct app_settings settings;
    const char *script;  /* keys from this file instead of the terminal; NULL */
    const char *report;  /* the first line at the bottom; NULL */
    const char *command; /* a `:` line that is run first; NULL */
};

/* A line at the bottom until the next key; bad: in the colour of what is wrong. */
void app_report(struct app *app, bool bad, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void app_report_err(struct app *app, const struct gp_err *err);
void app_touch(struct app *app);
struct frame app_frame(const struct app *app); /* of the terminal as it is now */

/* Has the screen something to show? */
bool app_has(const struct app *app, enum screen_id screen);
/* Says so where it has not. */
void app_show(struct app *app, enum screen_id screen);
/* Options of what was chosen elsewhere become those of the plan, which is shown; a layout of before
 * is let go. */
void app_take(struct app *app, const char *options);
void *app_state(struct app *app, enum screen_id screen); /* opens it when needed */

/* The first open screen that is busy says why; false: none is. */
bool app_busy(const struct app *app, char *why, size_t size);

/* Where to write: the path without a last '!', which says that a file of that name may
 * go; without it such a file is an error. */
enum gp_status app_target(const char *text, char *path, size_t size, struct gp_err *err);

/* The whole screen: tabs, body, windows, explanation, keys. */
void app_draw(const struct app *app, struct canvas *canvas);
/* The screen whose tab is in this column of the first row; SCREEN_COUNT: none. */
enum screen_id app_tab_at(const struct app *app, int x);
/* The key whose word is in this column of the last row; K_NONE: none. */
int app_bar_at(const struct app *app, int x);

#endif
