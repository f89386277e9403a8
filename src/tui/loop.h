/*
 * loop.h - the front end as a whole: who gets a key, what is painted, when it ends.
 *
 * The loop waits for a key, the next tick or a signal, never for anything else; turns a
 * key into an action; offers it to what lies on top (a window of overlay.h), then to the
 * screen, then does what it means everywhere; and paints when something changed.
 *
 *   cli -> loop.c, script.c -> app_key.c -> app_act.c, command.c -> screens -> app.c
 *
 * All but the terminal: a script (script.c) drives the same functions.
 */
#ifndef GP_TUI_LOOP_H
#define GP_TUI_LOOP_H

#include "tui/app.h"
#include "tui/toolkit/edit.h"

/* Runs until the user quits. The exit code; *err when the terminal cannot be used
 * (GP_E_USAGE: not a terminal, TERM=dumb). */
int app_run(const struct app_start *start, struct gp_err *err);

/* Plain mode (plain.c), until the user quits or the input ends. The exit code: 0, or 1 when the
 * last plan does not fit and the input ended (a script asked), or of *err. */
int plain_run(const struct app_start *start, const char *because, struct gp_err *err);
/* What turned it on, "--plain" (option), "GPUPLAN_PLAIN" or "gpuplan.cfg" (config); NULL: nothing.
 * The variable counts when it is set and not empty; "0" turns off what gpuplan.cfg says. */
const char *plain_because(bool option, bool config);

/* Makes the form and opens the first screen. */
enum gp_status app_begin(struct app *app, const struct app_start *start, struct gp_err *err);
void app_end(struct app *app);

/* A key, a click or turn of the wheel: whatever it means now. One that needs the answer
 * while that is being planned is held until it has come, and no key is asked for before
 * it has been taken. (app_key.c) */
void app_key(struct app *app, int key);
void app_click(struct app *app, int y, int x);
/* Text between the marks of a paste: to the line that is open, never keys. */
void app_paste(struct app *app, const struct paste *paste);
void app_resize(struct app *app, int rows, int cols);
/* Ticks of all open screens that are due. Seconds until the next one; < 0: none. */
double app_tick(struct app *app);

/* What a key would have asked for: of the screen, else what it means everywhere; with
 * questions before something would be lost. (app_act.c) */
void app_act(struct app *app, enum action action);
/* Does it read the answer, or rest on it? */
bool app_needs_answer(enum action action);
/* q on a terminal too small for questions: then only Q drops what is not saved. */
void quit_small(struct app *app);
/* A file whose name was typed; a last '!' of it replaces one that is there. What is
 * shown, as the suffix says; the plan; a plan that was saved. ctx is not looked at.
 * False: *err. */
bool app_export(struct app *app, void *ctx, const char *text, struct gp_err *err);
bool app_save(struct app *app, void *ctx, const char *text, struct gp_err *err);
bool app_load(struct app *app, void *ctx, const char *text, struct gp_err *err);

/* Writes the page of --report when it is done; true: it is not. / Waits for it. (app_act.c) */
bool page_job_tick(struct app *app);
void page_job_end(struct app *app);

/* One line of the `:` prompt: an action's name, "dump FILE", or options as --plan takes
 * them ("users 16", "--gpu h100:2", "set context 32k"). False: *err. (command.c) */
bool app_command(struct app *app, const char *line, struct gp_err *err);
/* Completions of the last word of that line, blanks between. */
void app_complete(struct app *app, const char *line, struct strbuf *out);

/* Keys from a file in place of a terminal (script.c). GP_E_USAGE: file:line, what is wrong. */
enum gp_status script_run(struct app *app, const char *path, struct gp_err *err);

#endif
