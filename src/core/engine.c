/*
 * engine.c - see engine.h.
 */
#include "core/engine.h"

#include <stdlib.h>
#include <string.h>

const char *engine_term_word(enum engine_term term)
{
    static const char *const words[TERM_COUNT] = {
        [TERM_BUDGET] = "budget",
        [TERM_DEFAULTS] = "defaults",
        [TERM_LOGITS] = "logits",
        [TERM_FORWARD] = "forward",
        [TERM_MOE] = "moe",
        [TERM_VISION] = "vision",
        [TERM_NON_TORCH] = "non_torch",
        [TERM_GRAPHS] = "graphs",
        [TERM_BLOCK] = "block",
    };
    return words[term];
}

const char *engine_budget_word(enum budget budget)
{
    static const char *const words[] = {
#define X(NAME, word) word,
        BUDGETS(X)
#undef X
    };
    return words[budget];
}

bool engine_lists(const char *list, const char *word)
{
    size_t n = strlen(word);
    for (const char *p = list; p && *p; p = strchr(p, '|') ? strchr(p, '|') + 1 : NULL)
        if (strncmp(p, word, n) == 0 && (p[n] == '|' || p[n] == '\0'))
            return true;
    return false;
}

int engine_version(const char *text)
{
    char *end;
    if (*text == 'v')
        text++;
    if (*text < '0' || *text > '9')
        return -1;
    long major = strtol(text, &end, 10), minor = 0;
    if (*end == '.') {
        if (end[1] < '0' || end[1] > '9')
            return -1;
        minor = strtol(end + 1, &end, 10);
    }
    if (major > 9999 || minor > 9999)
        return -1;
    /* what follows (".1", "rc2", ".post1") does not move a version out of its range */
    if (*end != '\0' && *end != '.' && *end != 'r' && *end != '+' && *end != '-')
        return -1;
    return (int)(major * 10000 + minor);
}
