/*
 * words.h - the words of what is typed: one after the other; does a text hold them?
 */
#ifndef GP_TUI_TOOLKIT_WORDS_H
#define GP_TUI_TOOLKIT_WORDS_H

#include <stdbool.h>
#include <stddef.h>

/* Every word of `words` (blanks between) stands somewhere in a or in b, in any order;
 * ASCII case does not count, nor do "-", "_" and "." within names. No word: true. */
bool words_match(const char *words, const char *a, const char *b);

/* The next word of *text, which moves to the one behind it; quotes around it are taken off.
 * False at the end. */
bool words_next(const char **text, char *word, size_t size);

/* Does text begin with all of `start`? ASCII case does not count. */
bool words_begin(const char *text, const char *start);

#endif
