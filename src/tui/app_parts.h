/*
 * app_parts.h - the front end without its terminal: what the loop (app.c) and scripts
 * (script.c) drive, and the parts it is made of.
 */
#ifndef GP_TUI_APP_PARTS_H
#define GP_TUI_APP_PARTS_H

#include "tui/app.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/paste.h"

extern const struct screen_ops *const screens[SCREEN_COUNT];

/* Makes the form and opens the first screen. */
enum gp_status app_begin(struct app *app, const struct app_start *start,
                         struct gp_err *err);
void app_end(struct app *app);

/* A key, a click or turn of the wheel: whatever it means now. */
void app_key(struct app *app, int key);
void app_click(struct app *app, int y, int x);
/* Text between the marks of a paste: to the line that is open, never keys. */
void app_paste(struct app *app, const struct paste *paste);
void app_resize(struct app *app, int rows, int cols);

/* Ticks of all open screens that are due. Seconds until the next one; < 0: none. */
double app_tick(struct app *app);
/* The first open screen that is busy says why; false: none is. */
bool app_busy(const struct app *app, char *why, size_t size);
bool app_unsaved(const struct app *app, char *why, size_t size);

/* The whole screen: tabs, body, windows, explanation, keys. (app_draw.c) */
void app_draw(const struct app *app, struct canvas *canvas);
/* The screen whose tab is in this column of the first row; SCREEN_COUNT: none. */
enum screen_id app_tab_at(const struct app *app, int x);
/* The key whose word is in this column of the last row; K_NONE: none. */
int app_bar_at(const struct app *app, int x);

/* Ends the program, or asks first when something would be lost. (quit.c) */
void quit_ask(struct app *app);
/* The same where there is no room to ask: then only Q drops what is not saved. */
void quit_small(struct app *app);

/* Actions that hold everywhere. (app_act.c) */
void app_everywhere(struct app *app, enum action action);
/* What is shown, to a file whose suffix says how; a last '!' replaces one that is
 * there. False: *err. */
bool app_export(struct app *app, const char *text, struct gp_err *err);
/* Files and folders that go on as the path does, blanks between. (command.c) */
void app_complete_path(const char *path, struct strbuf *out);

#endif
