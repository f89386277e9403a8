/*
 * suggest.c - see suggest.h.
 */
#include "base/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

#include "base/str.h"

#define WORDS_MAX 16
#define TEXT_MAX 64      /* letters and digits of two texts that are compared one by one */
#define LEAST_SCORE 0.45 /* of a name that is worth suggesting */
#define SAME_SCORE 0.06  /* this much below the best is as good */
#define EXTRA_WORD 0.01  /* what a word of the name costs that the text lacks, */
#define EXTRA_FIRST 0.05 /* and its first word more */

struct word {
    enum { WORD_LETTERS, WORD_NUMBER, WORD_SIZE } kind;
    char text[32]; /* lower case; of a number without its unit */
    double value;  /* of a number; of a size in billions */
};

static bool is_letter(char c)
{
    return gp_lower(c) >= 'a' && gp_lower(c) <= 'z';
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* Reads a word at text, 1.5 or 70b or 80gb or letters; returns its length. */
static size_t read_word(const char *text, struct word *word)
{
    static const char *const units[] = {"gib", "gb", "g", "b", "m", "t"};
    size_t n = 0;

    while (is_letter(text[n]))
        n++;
    word->kind = n > 0 ? WORD_LETTERS : WORD_NUMBER;
    if (n == 0) {
        n = strspn(text, "0123456789");
        if (text[n] == '.' && is_digit(text[n + 1]))
            n += 1 + strspn(text + n + 1, "0123456789");
    }
    gp_format(word->text, sizeof(word->text), "%.*s", (int)n, text);
    for (char *c = word->text; *c; c++)
        *c = gp_lower(*c);
    word->value = strtod(word->text, NULL);
    for (size_t i = 0; word->kind == WORD_NUMBER && i < sizeof(units) / sizeof(units[0]); i++) {
        size_t len = strlen(units[i]);

        if (strncasecmp(text + n, units[i], len) != 0 || is_letter(text[n + len]) ||
            is_digit(text[n + len]))
            continue;
        if (units[i][0] != 'g') {
            word->kind = WORD_SIZE;
            word->value *= units[i][0] == 't' ? 1e3 : units[i][0] == 'm' ? 1e-3 : 1;
        }
        return n + len;
    }
    return n;
}

static size_t split_words(const char *text, struct word words[WORDS_MAX])
{
    size_t count = 0;

    while (*text && count < WORDS_MAX)
        if (is_letter(*text) || is_digit(*text))
            text += read_word(text, &words[count++]);
        else
            text++;
    return count;
}

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

/* Edits between two texts of at most TEXT_MAX bytes: a letter inserted, deleted or
 * replaced, two neighbours exchanged. */
static size_t edit_distance(const char *a, const char *b)
{
    size_t rows[3][TEXT_MAX + 1], a_len = strlen(a), b_len = strlen(b);

    for (size_t j = 0; j <= b_len; j++)
        rows[0][j] = j;
    for (size_t i = 1; i <= a_len; i++) {
        size_t *row = rows[i % 3], *up = rows[(i + 2) % 3], *up2 = rows[(i + 1) % 3];

        row[0] = i;
        for (size_t j = 1; j <= b_len; j++) {
            size_t least = up[j - 1] + (a[i - 1] != b[j - 1]);

            least = up[j] + 1 < least ? up[j] + 1 : least;
            least = row[j - 1] + 1 < least ? row[j - 1] + 1 : least;
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                least = up2[j - 2] + 1 < least ? up2[j - 2] + 1 : least;
            row[j] = least;
        }
    }
    return rows[a_len % 3][b_len];
}

/* How well a word of the name answers one of the text, 0 to 1; last: the text ends with it, and it
 * may not be typed whole. */
static double word_likeness(const struct word *typed, const struct word *name, bool last)
{
    size_t len = strlen(typed->text), name_len = strlen(name->text);
    size_t slips = len < 4 ? 0 : len < 8 ? 1 : 2;

    if ((typed->kind == WORD_LETTERS) != (name->kind == WORD_LETTERS))
        return 0;
    if (typed->kind == WORD_LETTERS) {
        if (strcmp(typed->text, name->text) == 0)
            return 1;
        if (len < 2)
            return 0;
        if (begins_with(name->text, typed->text))
            return 0.9;
        if (slips > 0 && edit_distance(typed->text, name->text) <= slips)
            return 0.8;
        if (name_len > 2 && begins_with(typed->text, name->text))
            return 0.7;
        return strstr(name->text, typed->text) ? 0.6 : 0; /* fp of nvfp */
    }
    if (typed->value == name->value)
        return typed->kind == name->kind ? 1 : 0.5; /* 70 for 70b */
    if (typed->kind != name->kind)
        return 0;
    if (typed->kind == WORD_SIZE) /* 0.8 of a neighbour, down by 0.5 for each factor of two */
        return typed->value > 0 && name->value > 0
                   ? fmax(0.8 - 0.5 * fabs(log2(typed->value / name->value)), 0)
                   : 0;
    if (begins_with(name->text, typed->text) && name->text[len] == '.')
        return 0.9; /* 3 begins 3.1 */
    if (begins_with(typed->text, name->text) && typed->text[name_len] == '.')
        return 0.6;
    return last && begins_with(name->text, typed->text) ? 0.6 : 0;
}

/* The family stands first; "instruct" and the like behind it say little. */
static double word_weight(const struct word *word, bool first)
{
    double len = (double)strlen(word->text);

    return word->kind != WORD_LETTERS ? fmax(len, 3) : first ? fmax(len, 4) : 2;
}

static double words_score(const struct word *typed, size_t count, const char *name_text)
{
    struct word name[WORDS_MAX];
    bool used[WORDS_MAX] = {false}, first = false;
    double sum = 0, whole = 0;
    size_t name_count = split_words(name_text, name), extra = name_count;

    for (size_t i = 0; i < count; i++) {
        double best = 0;
        size_t at = 0;

        for (size_t j = 0; j < name_count; j++) {
            double here = used[j] ? 0 : word_likeness(&typed[i], &name[j], i + 1 == count);

            if (here > best) {
                best = here;
                at = j;
            }
        }
        if (best > 0) {
            used[at] = true;
            first |= i == 0;
            extra--;
        }
        sum += best * word_weight(&typed[i], i == 0);
        whole += word_weight(&typed[i], i == 0);
    }
    if (used[0] && !first && typed[0].kind == WORD_LETTERS)
        whole -= word_weight(&typed[0], true) - 2; /* NVIDIA before h100 is a word like others */
    sum = whole > 0 ? sum / whole : 0;
    return sum - EXTRA_WORD * (double)extra - (used[0] ? 0 : EXTRA_FIRST);
}

/* Letters and digits alone, in lower case; "" when they are too many. */
static void squeeze_text(const char *text, char out[TEXT_MAX + 1])
{
    size_t n = 0;

    for (; *text && n <= TEXT_MAX; text++)
        if (is_letter(*text) || is_digit(*text))
            out[n++] = gp_lower(*text);
    out[n <= TEXT_MAX ? n : 0] = '\0';
}

/* The text as one word, maybe with a few letters wrong: gptos is gpt-oss. */
static double slip_score(const char *typed, const char *name_text)
{
    char name[TEXT_MAX + 1];
    size_t len = strlen(typed), allowed = len > 8 ? len / 3 : len > 5 ? 2 : 1;

    squeeze_text(name_text, name);
    if (len < 3 || !name[0])
        return 0;
    if (begins_with(name, typed))
        return name[len] ? 0.95 : 1;
    size_t distance = edit_distance(typed, name);
    return distance > allowed ? 0 : 1 - (double)distance / fmax((double)len, (double)strlen(name));
}

/* Letters up, numbers down: llama-3.3-70b comes before llama-3.1-8b. */
static bool is_newer(const char *a, const char *b)
{
    size_t n = 0;

    while (a[n] && a[n] == b[n])
        n++;
    while (n > 0 && (is_digit(a[n - 1]) || a[n - 1] == '.')) /* to where the number begins */
        n--;
    double x = strtod(a + n, NULL), y = strtod(b + n, NULL);
    if (is_digit(a[n]) && is_digit(b[n]) && x != y)
        return x > y;
    return strcmp(a + n, b + n) < 0;
}

size_t suggest_names(const char *text, const char *const *names, size_t count,
                     const char *near[SUGGEST_MAX])
{
    const char *slash = strrchr(text, '/'); /* the owner of a model says little */
    double best[SUGGEST_MAX];
    char squeezed[TEXT_MAX + 1];
    struct word typed[WORDS_MAX];
    size_t found = 0, n = 0;

    text = slash && slash[1] ? slash + 1 : text;
    squeeze_text(text, squeezed);
    if (strlen(squeezed) < 2)
        return 0;
    size_t words = split_words(text, typed);
    for (size_t i = 0; i < count; i++) {
        double here = fmax(words_score(typed, words, names[i]), slip_score(squeezed, names[i]));
        size_t at = found;

        if (here < LEAST_SCORE)
            continue;
        for (; at > 0 && (here > best[at - 1] + 1e-9 ||
                          (here > best[at - 1] - 1e-9 && is_newer(names[i], near[at - 1])));
             at--)
            if (at < SUGGEST_MAX) {
                best[at] = best[at - 1];
                near[at] = near[at - 1];
            }
        if (at < SUGGEST_MAX) {
            best[at] = here;
            near[at] = names[i];
        }
        found += found < SUGGEST_MAX;
    }
    while (n < found && best[n] > best[0] - SAME_SCORE)
        n++;
    return n;
}

const char *suggest_name(const char *text, const char *const *names, size_t count)
{
    const char *near[SUGGEST_MAX];

    return suggest_names(text, names, count, near) > 0 ? near[0] : NULL;
}

bool suggest(const char *text, const char *const *names, size_t count, const char *as, char *hint,
             size_t size)
{
    const char *near[SUGGEST_MAX];
    size_t n = suggest_names(text, names, count, near), before = strcspn(as, "*");

    gp_copy(hint, size, n > 0 ? "did you mean " : "");
    for (size_t i = 0; i < n; i++)
        gp_append(hint, size,
                  i == 0       ? ""
                  : i + 1 == n ? " or "
                               : ", ",
                  "%.*s%s%s", (int)before, as, near[i], as + before + (as[before] == '*'));
    if (n > 0)
        gp_append(hint, size, "", "?");
    return n > 0;
}
