/*
 * words.h - does a text hold these words? What typing into a list means.
 */
#ifndef GP_TUI_TOOLKIT_WORDS_H
#define GP_TUI_TOOLKIT_WORDS_H

#include <stdbool.h>

/* Every word of `words` (blanks between) stands somewhere in a or in b, in any order;
 * ASCII case does not count, nor do "-", "_" and "." within names. No word: true. */
bool words_match(const char *words, const char *a, const char *b);

/* Does text begin with all of `start`? ASCII case does not count. */
bool words_begin(const char *text, const char *start);

#endif
