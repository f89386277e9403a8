/*
 * edit.h - one line of UTF-8 text that is being typed: what each key does to it.
 *
 * A value without pointers. `at` is a byte between two characters. Letters, Left,
 * Right, Home, End, Ctrl-A, Ctrl-E; Backspace, Delete, Ctrl-D; Ctrl-U and Ctrl-K take
 * away what is left and right of the cursor, Ctrl-W the word before it. A line that is
 * full takes no more. A text that was offered is replaced by the first letter typed and
 * edited by any other key.
 */
#ifndef GP_TUI_TOOLKIT_EDIT_H
#define GP_TUI_TOOLKIT_EDIT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/toolkit/canvas.h"

#define EDIT_MAX 1024

struct edit {
    char text[EDIT_MAX];
    size_t len, at; /* bytes */
    bool fresh;     /* offered, not yet touched: a letter replaces all of it */
};

/* Control characters and what is no UTF-8 become '?'; the cursor stands at the end. */
void edit_set(struct edit *edit, const char *text);
/* Puts text where the cursor stands, instead of the `before` bytes left of it. */
void edit_put(struct edit *edit, size_t before, const char *text);
/* Completes the word before the cursor as far as all candidates agree, whole when there
 * is one. words: the candidates, blanks between. Returns how many there are. */
int edit_complete(struct edit *edit, const char *words);
/* Candidates for a path: files and folders that begin so, blanks between. */
void edit_paths(const char *begin, struct strbuf *out);
/* Types a text at once; false when there is no room for all of it, and then nothing. */
bool edit_type(struct edit *edit, const char *text);
/* True when the key is one of a line's. */
bool edit_key(struct edit *edit, int key);

/* The line at (y, x) of the rectangle, scrolled so that the cursor is seen, with
 * GLYPH_MORE where something is left out; sets the real cursor when asked to. */
void edit_draw(const struct edit *edit, struct canvas *canvas, struct rect in, int y, int x,
               bool cursor);

/* ---- text that was pasted, as it comes in: one line, as a field takes it ----
 *
 * Terminals put marks around what is pasted (bracketed paste), so that no pasted character is
 * ever a key. Ends of lines and tabs become blanks, those at both ends go, and so does the
 * backslash with which a shell's line goes on; what else is no text becomes '?'. */
struct paste {
    bool on;   /* between the marks */
    bool over; /* longer than a field: nothing of it counts */
    char text[EDIT_MAX];
    size_t len, blanks; /* blanks: after the text, of it when more text comes */
};

void paste_begin(struct paste *paste);
void paste_add(struct paste *paste, uint32_t ch);
void paste_end(struct paste *paste);

#endif
