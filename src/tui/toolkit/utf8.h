/*
 * utf8.h - one character of a UTF-8 text at a time, whatever the locale is.
 */
#ifndef GP_TUI_TOOLKIT_UTF8_H
#define GP_TUI_TOOLKIT_UTF8_H

#include <stddef.h>
#include <stdint.h>

/* The character at *text, which moves behind it; 0 at the end. A byte that is no part
 * of one is 0xfffd. */
uint32_t utf8_next(const char **text);
/* A character whose bytes come one by one. Returns it with its last byte, 0 before. A
 * byte that begins another one leaves a broken one out, so that it costs no key behind
 * it. */
struct utf8_input {
    char byte[5];
    int len;
};
uint32_t utf8_take(struct utf8_input *input, int byte);
/* It as UTF-8, terminated. Returns text. */
char *utf8_text(uint32_t ch, char text[5]);
/* How many of the first len bytes of a text fit in so many columns, up to a blank where
 * there is one; at least a character. */
size_t utf8_fit(const char *text, size_t len, int cols);

#endif
