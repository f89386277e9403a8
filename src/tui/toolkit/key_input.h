/*
 * key_input.h - keys out of the bytes of a terminal; nothing a terminal sends by itself is one.
 *
 * What begins with Esc is read to its end by the grammar that all terminals share (ECMA-48:
 * CSI, SS3, strings; kitty's and xterm's own forms; mouse reports), whatever TERM says. The keys
 * among these are a table, in both of their modes; all else (modified keys, answers of the
 * device, focus, Alt with a letter) is passed over whole, so that no part of it is ever a key.
 *
 *   Esc alone is a key when nothing follows for 25 ms: an introducer ("[", "O", "]", ...) that
 *   comes within 250 ms still belongs to it, since slow lines cut sequences. A sequence that
 *   stops in its middle for 500 ms is over, without a key.
 *
 * What is pasted, between the marks of bracketed paste, is text. Time is the caller's, so that
 * tests have their own.
 */
#ifndef GP_TUI_TOOLKIT_KEY_INPUT_H
#define GP_TUI_TOOLKIT_KEY_INPUT_H

#include <stdbool.h>
#include <stddef.h>

#include "tui/toolkit/edit.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/utf8.h"

struct term_mouse {
    int y, x;
    bool click; /* else a wheel's turn: */
    int wheel;  /* -1 up, +1 down */
};

struct key_input {
    bool mouse_on; /* reports are K_MOUSE; else passed over */
    struct term_mouse mouse;
    struct paste paste;

    /* its own */
    int state, raw; /* raw: bytes of an old mouse report still to come */
    char seq[48];   /* of the sequence, from Esc on; a longer one is no key */
    size_t len;
    double since; /* the last byte, or the Esc that was a key: */
    bool late;
    struct utf8_input utf8;
};

/* The key that this byte completes, K_NONE: none yet. K_MOUSE: ->mouse; K_PASTE: ->paste. */
int key_input_byte(struct key_input *input, unsigned char byte, double now);
/* Seconds until silence means something; < 0: it never does. */
double key_input_wait(const struct key_input *input, double now);
/* The key that silence completes: Esc, a paste that was broken off; K_NONE. */
int key_input_silence(struct key_input *input, double now);

#endif
