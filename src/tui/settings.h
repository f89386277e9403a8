/*
 * settings.h - what is remembered from one start to the next, and what is set by hand.
 *
 *   $XDG_CONFIG_HOME/gpuplan/gpuplan.cfg  (~/.config)      written by the user alone:
 *                                                          gpuplan never touches it
 *   $XDG_STATE_HOME/gpuplan/state.cfg     (~/.local/state) gpuplan's own, written only
 *                                                          when the user asks for it
 *
 * Both are libconfig texts with the keys theme ("mono", "16", "dark", "light"), charset
 * ("ascii", "block", "braille"), mouse (true, false), screen ("plan", "compare", ...);
 * gpuplan.cfg also has plain (true, false). What counts: an option, else gpuplan.cfg,
 * else state.cfg, else NO_COLOR, else the terminal.
 */
#ifndef GP_TUI_SETTINGS_H
#define GP_TUI_SETTINGS_H

#include <stddef.h>

#include "base/err.h"
#include "tui/app.h"

/* Fills *out with the defaults and what the files say. A file that is not there is no
 * error. On an error *err tells the first (file:line: key, what is allowed) and the
 * front end starts all the same, without that file. */
enum gp_status settings_read(struct app_settings *out, struct gp_err *err);

/* Writes theme, charset, mouse and screen to state.cfg, and its folders where they are
 * missing; theme and charset only where they are the user's choice, not the terminal's.
 * path[size] is the file, also on an error. */
enum gp_status settings_write(const struct app_settings *settings, char *path, size_t size,
                              struct gp_err *err);

/* Where results of measurements go: a folder beside state.cfg, else the current one. */
void settings_results(char *path, size_t size);
/* Makes it; whoever then writes into it says what is wrong. */
void settings_make_results(void);

/* The folders above a file of the state, as private as the specification asks. */
enum gp_status settings_make_folders(const char *path, struct gp_err *err);

#endif
