/*
 * spelling.h - how else options and counts are written: engines' flags, other planners'
 * words, "8xH200". For messages only: what is said here is suggested, never accepted.
 */
#ifndef GP_ANSWER_SPELLING_H
#define GP_ANSWER_SPELLING_H

#include <stdbool.h>
#include <stddef.h>

/* "did you mean --context TOKENS?" for an option that is not in the table; dashes is
 * what stands before its name: "--", or "" where there is no command line. names[count]
 * are the names that may be meant here, options' or others. False and "" when none is
 * near. */
bool spelling_option(const char *text, const char *dashes, const char *const *names, size_t count,
                     char *hint, size_t size);

/* "8xH200", "H100 x8", "8*l40s" and "2 x a100 80gb" as a name and a count; false when
 * the text is none of these. */
bool spelling_count(const char *text, char *name, size_t size, int *count);

#endif
