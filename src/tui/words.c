/*
 * words.c - see words.h.
 */
#include "tui/words.h"

#include <string.h>

#include "util/str.h"

static bool begins(const char *text, const char *word, size_t len)
{
    size_t i = 0;

    while (i < len && gp_lower(text[i]) == gp_lower(word[i]))
        i++;
    return i == len;
}

static bool contains(const char *text, const char *word, size_t len)
{
    for (; *text; text++)
        if (begins(text, word, len))
            return true;
    return false;
}

bool words_match(const char *words, const char *a, const char *b)
{
    for (;;) {
        size_t len;

        words += strspn(words, " ");
        len = strcspn(words, " ");
        if (len == 0)
            return true;
        if (!contains(a, words, len) && !contains(b, words, len))
            return false;
        words += len;
    }
}

bool words_begin(const char *text, const char *start)
{
    return begins(text, start, strlen(start));
}
