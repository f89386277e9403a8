/*
 * paste.h - text that was pasted, as it comes in: one line, as a field takes it.
 *
 * Terminals put marks around what is pasted (bracketed paste), so that no pasted
 * character is ever a key. Ends of lines and tabs become blanks, those at both ends go,
 * and so does the backslash with which a shell's line goes on; what else is no text
 * becomes '?'.
 */
#ifndef GP_TUI_TOOLKIT_PASTE_H
#define GP_TUI_TOOLKIT_PASTE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tui/toolkit/edit.h"

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
