/*
 * term.h - the terminal: the only file that knows curses.
 *
 * Opens it (never when it is none), paints canvases on it, reads keys from it, and gives
 * it back as it was whatever happens: quit, error, SIGTERM, SIGHUP, a crash.
 */
#ifndef GP_TUI_TOOLKIT_TERM_H
#define GP_TUI_TOOLKIT_TERM_H

#include <stdbool.h>

#include "base/err.h"
#include "tui/toolkit/canvas.h"
#include "tui/toolkit/key_input.h"
#include "tui/toolkit/theme.h"

/* GP_E_USAGE when standard input or output is no terminal, or it cannot move its cursor
 * (TERM=dumb), with what to do instead. Writes nothing. */
enum gp_status term_usable(struct gp_err *err);
enum gp_status term_open(struct gp_err *err);
void term_close(void); /* also when it is not open */

/* What the terminal and the environment (NO_COLOR, locale, TERM) allow. */
enum scheme term_scheme(void);
enum scheme term_scheme_able(enum scheme scheme); /* what comes of it here */
enum charset term_charset(void);
void term_size(int *rows, int *cols);
void term_mouse(bool on);                     /* off: the mode is never sent */
bool term_mouse_read(struct term_mouse *out); /* after K_MOUSE */

const struct paste *term_paste(void); /* after K_PASTE */

/* The next key, after at most `seconds` (0: at once; < 0: no limit); K_NONE when none
 * came. Never waits on a terminal that is gone: K_HANGUP. A signal that ends the
 * program (SIGTERM, SIGHUP, SIGINT) comes as K_HANGUP too, and term_signal() is it,
 * once. */
int term_key(double seconds);
int term_signal(void);
/* The same, but keys stay in the terminal: K_NONE, K_HANGUP, K_RESUME. */
int term_no_key(double seconds);

/* Paints what differs. whole: everything, after another program wrote on it. */
void term_paint(const struct canvas *canvas, enum scheme scheme, bool whole);
/* Puts a text into the clipboard of terminals that let programs do so (OSC 52). */
void term_copy(const char *text);
/* Stops the program as Ctrl-Z does; returns after fg. note: said to the shell, "" none. */
void term_suspend(const char *note);

#endif
