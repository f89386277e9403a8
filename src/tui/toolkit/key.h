/*
 * key.h - keys, as the terminal, scripts and the table of actions name them.
 *
 * A key is a character's code, or one of these. Names: "a", "?", "Enter", "Space", "Esc",
 * "Tab", "S-Tab", "Up", "PgDn", "F1", "C-l", "M-2" (Alt; of digits only).
 */
#ifndef GP_TUI_TOOLKIT_KEY_H
#define GP_TUI_TOOLKIT_KEY_H

#include <stddef.h>

enum key {
    K_NONE = 0,
    K_TAB = 9,
    K_ENTER = 13,
    K_ESC = 27,
    K_SPACE = 32,
    K_SPECIAL = 0x110000, /* above every character */
    K_UP,
    K_DOWN,
    K_LEFT,
    K_RIGHT,
    K_PGUP,
    K_PGDN,
    K_HOME,
    K_END,
    K_BACKSPACE,
    K_DELETE,
    K_BACKTAB,
    K_F1,
    K_F2,
    K_F3,
    K_F4,
    K_F5,
    K_F6,
    K_F7,
    K_F8,
    K_F9,
    K_F10,
    K_F11,
    K_F12,
    K_ALT_1,
    K_ALT_9 = K_ALT_1 + 8,
    K_RESIZE, /* the terminal has another size */
    K_RESUME, /* the program goes on after it was stopped: draw everything */
    K_MOUSE,  /* see struct term_mouse */
    K_PASTE,  /* text was pasted: term_paste() */
    K_HANGUP, /* the terminal is gone */
    K_END_OF_KEYS
};
#define KEY_CTRL(c) ((c)&0x1f)

/* The key of a name; K_NONE when there is none such. */
int key_find(const char *name);
/* Its name, in text[size]. */
char *key_text(int key, char *text, size_t size);

#endif
