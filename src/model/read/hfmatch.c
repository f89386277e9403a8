/*
 * hfmatch.c - see hfmatch.h.
 *
 * The expression part knows what such lists use: literals, ., \., \d, [...] sets,
 * groups with alternatives, *, +, ? after one of these, ^ and $. Anything else
 * (look-ahead, counted repetition) makes the pattern match nothing. Matching begins at
 * the start of the module's path, as Python's re.match does.
 */
#include "model/read/hfmatch.h"

#include <string.h>

#define DEPTH_MAX 64
#define PATTERN_MAX 1024
#define MODULE_MAX 256

struct matcher {
    long *budget;
    int depth;
};

static bool spend(struct matcher *m)
{
    if (*m->budget <= 0)
        return false;
    --*m->budget;
    return true;
}

/* ---- globs: * and ? ---- */

static bool glob(const char *p, const char *s, long *budget)
{
    const char *star = NULL, *back = s;

    while (*s != '\0') {
        if (--*budget <= 0)
            return false;
        if (*p == '*') {
            star = p++;
            back = s;
        } else if (*p == '?' || *p == *s) {
            p++;
            s++;
        } else if (star != NULL) {
            p = star + 1;
            s = ++back;
        } else {
            return false;
        }
    }
    while (*p == '*')
        p++;
    return *p == '\0';
}

/* ---- regular expressions ---- */

/* The pattern is cut into atoms: where one ends (before its repetition). */
static const char *atom_end(const char *p, const char *end)
{
    int depth = 0;

    if (*p == '\\')
        return p + 2 <= end ? p + 2 : NULL;
    if (*p == '[') {
        const char *close = memchr(p + 1, ']', (size_t)(end - p - 1));

        return close == NULL ? NULL : close + 1;
    }
    if (*p != '(')
        return p + 1;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end)
            p++;
        else if (*p == '(')
            depth++;
        else if (*p == ')' && --depth == 0)
            return p + 1;
    }
    return NULL;
}

static bool in_set(const char *p, const char *end, char c)
{
    bool negate = *p == '^', found = false;

    if (negate)
        p++;
    for (; p < end; p++) {
        if (*p == '\\' && p + 1 < end && p[1] == 'd') {
            found = found || (c >= '0' && c <= '9');
            p++;
        } else if (p + 2 < end && p[1] == '-') {
            found = found || (c >= p[0] && c <= p[2]);
            p += 2;
        } else {
            found = found || *p == c;
        }
    }
    return found != negate;
}

static bool atom_matches(const char *p, const char *end, char c)
{
    if (c == '\0')
        return false;
    if (*p == '[')
        return in_set(p + 1, end - 1, c);
    if (*p == '\\')
        return p[1] == 'd'   ? c >= '0' && c <= '9'
               : p[1] == 'w' ? (c >= '0' && c <= '9') || (c >= 'a' && c <= 'z') ||
                                   (c >= 'A' && c <= 'Z') || c == '_'
                             : p[1] == c;
    return *p == '.' || *p == c;
}

static const char *run_pattern(struct matcher *m, const char *p, const char *end, const char *s);

/* Where alternatives of a group begin and end. */
static const char *next_bar(const char *p, const char *end)
{
    int depth = 0;

    for (; p < end; p++) {
        if (*p == '\\')
            p++;
        else if (*p == '(')
            depth++;
        else if (*p == ')')
            depth--;
        else if (*p == '|' && depth == 0)
            break;
    }
    return p < end ? p : end;
}

/* One alternative, then the rest of the pattern: the alternative is matched alone and
 * must be followed by the rest; shorter matches of it are not retried. */
static const char *group(struct matcher *m, const char *p, const char *end, const char *rest,
                         const char *rest_end, const char *s)
{
    if (p < end && *p == '?') {
        if (p + 1 >= end || p[1] != ':')
            return NULL; /* look-ahead */
        p += 2;
    }
    for (;;) {
        const char *bar = next_bar(p, end);
        const char *after = run_pattern(m, p, bar, s);

        if (after != NULL) {
            const char *done = run_pattern(m, rest, rest_end, after);

            if (done != NULL)
                return done;
        }
        if (bar >= end)
            return NULL;
        p = bar + 1;
    }
}

/* Repeats a one-character atom, longest first. */
static const char *repeat(struct matcher *m, const char *p, const char *atom, char mark,
                          const char *rest, const char *end, const char *s)
{
    const char *least = mark == '+' ? s + 1 : s;
    const char *last = s;

    while (atom_matches(p, atom, *last) && (mark != '?' || last == s))
        last++;
    for (; last >= least; last--) {
        const char *done = run_pattern(m, rest, end, last);

        if (done != NULL)
            return done;
        if (last == s)
            break;
    }
    return NULL;
}

/* Returns where the match ends in s, or NULL. */
static const char *run_pattern(struct matcher *m, const char *p, const char *end, const char *s)
{
    const char *result = NULL, *atom, *rest;

    if (!spend(m) || m->depth >= DEPTH_MAX)
        return NULL;
    if (p >= end)
        return s;
    if (*p == '$' && p + 1 == end)
        return *s == '\0' ? s : NULL;
    if (*p == '^')
        return run_pattern(m, p + 1, end, s);
    atom = atom_end(p, end);
    if (atom == NULL || strchr("*+?{", *p) != NULL)
        return NULL;
    rest = atom < end && strchr("*+?", *atom) != NULL ? atom + 1 : atom;
    m->depth++;
    if (*p == '(') {
        result = group(m, p + 1, atom - 1, rest, end, s);
        if (result == NULL && rest != atom && *atom != '+')
            result = run_pattern(m, rest, end, s);
    } else if (rest != atom) {
        result = repeat(m, p, atom, *atom, rest, end, s);
    } else if (atom_matches(p, atom, *s)) {
        m->depth--; /* plain text does not nest */
        return run_pattern(m, rest, end, s + 1);
    }
    m->depth--;
    return result;
}

/* ---- plain names ---- */

/* Is the pattern (len bytes) a run of whole components of the path? */
static bool components(const char *pattern, size_t len, const char *module)
{
    while (len > 0 && pattern[len - 1] == '.')
        len--;
    for (const char *at = module; len > 0 && *at != '\0'; at++)
        if ((at == module || at[-1] == '.') && strncmp(at, pattern, len) == 0 &&
            (at[len] == '\0' || at[len] == '.'))
            return true;
    return false;
}

/* A glob names a module or one of the modules it lies in. */
static bool glob_path(const char *pattern, const char *module, long *budget)
{
    char path[MODULE_MAX];
    char *dot;

    if (strlen(module) >= sizeof path)
        return false;
    strcpy(path, module);
    do {
        if (glob(pattern, path, budget))
            return true;
        dot = strrchr(path, '.');
        if (dot != NULL)
            *dot = '\0';
    } while (dot != NULL);
    return false;
}

static bool expression(const char *pattern, const char *module, long *budget)
{
    struct matcher m = {.budget = budget};
    const char *end = pattern + strlen(pattern);

    for (;;) {
        const char *bar = next_bar(pattern, end);

        if (run_pattern(&m, pattern, bar, module) != NULL)
            return true;
        if (bar >= end)
            return false;
        pattern = bar + 1;
    }
}

bool hfmatch(const char *pattern, const char *module, long *budget)
{
    size_t len = strlen(pattern);

    if (*budget <= 0 || len >= PATTERN_MAX)
        return false;
    if (strncmp(pattern, "re:", 3) == 0)
        return expression(pattern + 3, module, budget);
    if (strpbrk(pattern, "*?") != NULL)
        return glob_path(pattern, module, budget);
    --*budget;
    return components(pattern, len, module);
}
