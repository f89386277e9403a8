/*
 * suggest.h - the names nearest to what was typed: "did you mean llama-3.1-70b?"
 *
 * Text and names are cut into words, whatever stands between them: letters, numbers and
 * sizes. "llama3:70b" is llama, 3 and 70b. The words are compared in any order, and a
 * name's score is the share of the text that its words answer:
 *
 *   score = sum over the text's words of weight x likeness / sum of weight
 *
 * The first word, the family, weighs its length, at least 4; a number or size its length,
 * at least 3; other letters 2. The likeness to a word of the name is 1 when they are
 * equal, 0.9 when it begins that word (tensor of tensorrt, 3 of 3.1), less with a letter
 * wrong; a size counts by how near it is. Where the whole text is a misspelling of the
 * whole name, the share of letters that are right counts when it is higher.
 *
 *   "llama-80b" and "llama-3.1-70b": (llama 5 x 1 + 80b 3 x 0.70) / 8 = 0.89
 *
 * Names are suggested that score 0.45 and nearly as much as the best one: newer versions
 * and larger sizes first. Nothing is ever accepted for what it resembles.
 */
#ifndef GP_BASE_SUGGEST_H
#define GP_BASE_SUGGEST_H

#include <stdbool.h>
#include <stddef.h>

/* The nearest one; NULL when none is near. */
const char *suggest_name(const char *text, const char *const *names, size_t count);

/* "did you mean a, b or c?" with each name in place of the * of `as` ("*", "--*",
 * "*:8"); false and "" when no name is near. */
bool suggest(const char *text, const char *const *names, size_t count, const char *as, char *hint,
             size_t size);

#endif
