/*
 * words.c - see words.h.
 */
#include "tui/toolkit/words.h"

#include <string.h>

#include "base/str.h"

static bool word_begins(const char *text, const char *word, size_t len)
{
    size_t i = 0;

    while (i < len && gp_lower(text[i]) == gp_lower(word[i]))
        i++;
    return i == len;
}

static bool char_joins(char c)
{
    return c == '-' || c == '_' || c == '.' || c == ' ';
}

/* As word_begins(), but what joins parts of a name counts neither here nor there:
 * "llama3" is in "Llama-3.1", "h100sxm" in "h100-sxm". */
static bool begins_loosely(const char *text, const char *word, size_t len)
{
    size_t i = 0;

    for (; i < len; text++) {
        if (gp_lower(*text) == gp_lower(word[i]))
            i++;
        else if (i > 0 && char_joins(word[i])) {
            i++;
            text--;
        } else if (!*text || i == 0 || !char_joins(*text))
            return false;
    }
    return true;
}

static bool text_has(const char *text, const char *word, size_t len)
{
    for (const char *at = text; *at; at++)
        if (word_begins(at, word, len))
            return true;
    for (; *text; text++)
        if (begins_loosely(text, word, len))
            return true;
    return false;
}

bool words_match(const char *words, const char *a, const char *b)
{
    for (;;) {
        words += strspn(words, " ");
        size_t len = strcspn(words, " ");
        if (len == 0)
            return true;
        if (!text_has(a, words, len) && !text_has(b, words, len))
            return false;
        words += len;
    }
}

bool words_next(const char **text, char *word, size_t size)
{
    const char *from = *text + strspn(*text, " \t"), *end;
    char stop = *from == '"' || *from == '\'' ? *from : '\0';

    from += stop != '\0';
    end = stop ? strchr(from, stop) : NULL;
    size_t len = end ? (size_t)(end - from) : stop ? strlen(from) : strcspn(from, " \t");
    gp_format(word, size, "%.*s", (int)len, from);
    *text = from + len + (end != NULL);
    *text += strspn(*text, " \t");
    return stop || len > 0;
}

bool words_begin(const char *text, const char *start)
{
    return word_begins(text, start, strlen(start));
}
