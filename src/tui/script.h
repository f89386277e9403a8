/*
 * script.h - the front end driven by a file instead of a terminal: for tests, for
 * pictures in documents, for trying a screen without one.
 *
 *   # a comment
 *   Down Down Enter "l40s" Enter    names of keys (key.h), and text in quotes
 *   :users 16                       a line as typed at the prompt
 *   :size 120 36                    columns and rows of the screen
 *   :dump FILE   :inks FILE         the screen as text, or a letter per ink; - = stdout
 *   :paste TEXT                     text that is pasted; \n and \t as in C
 *   :wait [SECONDS]                 until no measurement or search goes on
 *   :until TEXT                     until the screen shows it
 *   :click ROW COLUMN               the mouse, from 1 1
 *
 * What is wrong at the prompt is shown as there; what is wrong in the script ends it.
 */
#ifndef GP_TUI_SCRIPT_H
#define GP_TUI_SCRIPT_H

#include "tui/app.h"

/* GP_E_USAGE: file:line, what is wrong. */
enum gp_status script_run(struct app *app, const char *path, struct gp_err *err);

#endif
