/*
 * app.h - the front end as a whole: the loop, the screens, and what lies over them.
 *
 * The loop waits for a key, the next tick or a signal, never for anything else; turns a
 * key into an action; offers it to what lies on top (a window of overlay.h), then to the
 * screen, then does what it means everywhere; and paints when something changed.
 *
 * Screens see the form, may put one line at the bottom (app_report), open a window
 * (overlay.h) and ask to be painted (app_touch). They never see curses.
 */
#ifndef GP_TUI_APP_H
#define GP_TUI_APP_H

#include <stdbool.h>
#include <stddef.h>

#include "request/planner.h"
#include "tui/form.h"
#include "tui/screen.h"
#include "tui/toolkit/overlay.h"
#include "util/err.h"

struct app_settings {
    enum scheme scheme;
    bool scheme_given;   /* by option or settings: not by the terminal */
    enum charset charset;
    bool charset_given;
    bool mouse;
    enum screen_id screen; /* shown first */
    char folder[GP_PATH_MAX]; /* of result files; "" = the current one */
};

struct app {
    struct form *form;
    struct app_settings settings;
    enum screen_id screen;
    void *state[SCREEN_COUNT]; /* NULL: not opened yet */
    struct overlay *overlay;   /* the window on top, NULL = none; a stack by its `below` */
    char report[200];          /* the line at the bottom; "" = the explanation */
    bool report_bad;
    bool touched;              /* paint */
    bool quit;
    int exit_code;
    int rows, cols;            /* of the terminal, or of the script's screen */

    /* the loop's own */
    bool whole;                /* paint also what did not change */
    bool scripted;             /* keys come from a file, nothing is painted */
    bool interrupted;          /* a Ctrl-C has stopped the measurement */
    double due[SCREEN_COUNT];  /* when its tick is wanted (app_now); 0 = now */
};

struct app_start {
    struct planner *planner;
    const struct options *options; /* of the command line: the form starts with it */
    struct app_settings settings;
    const char *script;         /* keys from this file instead of the terminal; NULL */
    const char *report;         /* the first line at the bottom; NULL */
};

/* Runs until the user quits. The exit code; *err when the terminal cannot be used
 * (GP_E_USAGE: not a terminal, TERM=dumb). */
int app_run(const struct app_start *start, struct gp_err *err);

/* A line at the bottom until the next key; bad: in the colour of what is wrong. */
void app_report(struct app *app, bool bad, const char *fmt, ...)
    __attribute__((format(printf, 3, 4)));
void app_report_err(struct app *app, const struct gp_err *err);
void app_touch(struct app *app);

/* Another screen / what a key would have asked for. */
void app_show(struct app *app, enum screen_id screen);
void app_act(struct app *app, enum action action);
void *app_state(struct app *app, enum screen_id screen); /* opens it when needed */

double app_now(void); /* s, monotonic */

/* One line of the `:` prompt: an action's name, "dump FILE", or options as --plan takes
 * them ("users 16", "--gpu h100:2", "set context 32k"). False: *err. (command.c) */
bool app_command(struct app *app, const char *line, struct gp_err *err);
/* Where to write: the path without a last '!', which says that a file of that name may
 * go; without it such a file is an error. */
enum gp_status app_target(const char *text, char *path, size_t size, struct gp_err *err);
/* Completions of the last word of that line, blanks between. */
void app_complete(struct app *app, const char *line, struct strbuf *out);

#endif
