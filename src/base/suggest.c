/*
 * suggest.c - see suggest.h.
 */
#include "base/suggest.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define NEAR_MAX 4       /* names in a hint */
#define WORDS_MAX 16     /* of a text */
#define TEXT_MAX 64      /* letters and digits of two texts that are compared one by one */
#define LEAST_SCORE 0.45 /* of a name that is worth suggesting */
#define SAME_SCORE 0.06  /* this much below the best is as good */
#define EXTRA_WORD 0.01  /* what a word of the name costs that the text lacks, */
#define EXTRA_FIRST 0.05 /* and its first word more */
#define LETTERS "abcdefghijklmnopqrstuvwxyz"
#define DIGITS "0123456789"

/* A text in lower case: its words, and its letters and digits as one, "" when they are too many. */
struct text {
    struct word {
        enum { WORD_LETTERS, WORD_NUMBER, WORD_SIZE } kind;
        char text[32]; /* of a number without its unit */
        double value;  /* of a number; of a size in billions */
    } word[WORDS_MAX];
    int count;
    char whole[TEXT_MAX + 1];
};

/* The letters behind a number, where they are a unit: 80gb is a number, 70b a size. */
static size_t read_unit(const char *at, struct word *word)
{
    static const struct {
        const char *name;
        double billions;
    } units[] = {{"b", 1}, {"m", 1e-3}, {"t", 1e3}, {"g", 0}, {"gb", 0}, {"gib", 0}};
    size_t n = strspn(at, LETTERS);

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++)
        if (strlen(units[i].name) == n && strncmp(at, units[i].name, n) == 0 &&
            strspn(at + n, DIGITS) == 0) {
            word->kind = units[i].billions > 0 ? WORD_SIZE : WORD_NUMBER;
            word->value *= units[i].billions > 0 ? units[i].billions : 1;
            return n;
        }
    return 0;
}

static void text_read(struct text *t, const char *typed)
{
    char lower[256], *at = lower;
    size_t len = 0;

    *t = (struct text){.count = 0};
    gp_copy(lower, sizeof(lower), typed);
    for (char *c = lower; *c; c++) {
        *c = gp_lower(*c);
        if (strchr(LETTERS DIGITS, *c) && len < sizeof(t->whole))
            t->whole[len++] = *c;
    }
    t->whole[len < sizeof(t->whole) ? len : 0] = '\0';
    while (*(at += strcspn(at, LETTERS DIGITS)) && t->count < WORDS_MAX) {
        struct word *word = &t->word[t->count++];
        size_t letters = strspn(at, LETTERS), n = letters > 0 ? letters : strspn(at, DIGITS);

        if (letters == 0 && at[n] == '.' && strspn(at + n + 1, DIGITS) > 0)
            n += 1 + strspn(at + n + 1, DIGITS);
        gp_format(word->text, sizeof(word->text), "%.*s", (int)n, at);
        word->kind = letters > 0 ? WORD_LETTERS : WORD_NUMBER;
        word->value = strtod(word->text, NULL);
        at += n + (letters > 0 ? 0 : read_unit(at + n, word));
    }
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
    size_t len = strlen(typed->text), slips = len < 4 ? 0 : len < 8 ? 1 : 2;

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
        if (strlen(name->text) > 2 && begins_with(typed->text, name->text))
            return 0.7;
        return strstr(name->text, typed->text) ? 0.6 : 0; /* fp of nvfp */
    }
    if (typed->value == name->value)
        return typed->kind == name->kind ? 1 : 0.5; /* 70 for 70b */
    if (typed->kind != name->kind)
        return 0;
    if (typed->kind == WORD_SIZE) /* 0.8 of a neighbour, down by 0.5 for each factor of two */
        return fmax(0.8 - 0.5 * fabs(log2(typed->value / name->value)), 0);
    if (begins_with(name->text, typed->text) && name->text[len] == '.')
        return 0.9; /* 3 begins 3.1 */
    return floor(typed->value) == name->value || (last && begins_with(name->text, typed->text))
               ? 0.6
               : 0;
}

/* The family stands first; "instruct" and the like behind it say little. */
static double word_weight(const struct word *word, bool first)
{
    double len = (double)strlen(word->text);

    return word->kind != WORD_LETTERS ? fmax(len, 3) : first ? fmax(len, 4) : 2;
}

/* The share of the typed words that the name's answer. */
static double words_score(const struct text *typed, const struct text *name)
{
    bool used[WORDS_MAX] = {false}, family = false; /* the text's first word has an answer */
    double sum = 0, whole = 0;
    int extra = name->count;

    for (int i = 0; i < typed->count; i++) {
        double best = 0, weight = word_weight(&typed->word[i], i == 0);
        int at = 0;

        for (int j = 0; j < name->count; j++) {
            double here =
                used[j] ? 0 : word_likeness(&typed->word[i], &name->word[j], i + 1 == typed->count);

            at = here > best ? j : at;
            best = fmax(best, here);
        }
        used[at] |= best > 0;
        family |= best > 0 && i == 0;
        extra -= best > 0;
        sum += best * weight;
        whole += weight;
    }
    if (used[0] && !family && typed->word[0].kind == WORD_LETTERS)
        whole -= word_weight(&typed->word[0], true) - 2; /* NVIDIA of "NVIDIA H100" says little */
    return sum / whole - EXTRA_WORD * extra - (used[0] ? 0 : EXTRA_FIRST);
}

/* The text as one word, maybe with a few letters wrong: gptos is gpt-oss. */
static double whole_score(const char *typed, const char *name)
{
    size_t len = strlen(typed), allowed = len > 8 ? len / 3 : len > 5 ? 2 : 1;

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
    while (n > 0 && strchr(DIGITS ".", a[n - 1])) /* to where the number begins */
        n--;
    double x = strtod(a + n, NULL), y = strtod(b + n, NULL);
    return x != y && strspn(a + n, DIGITS) > 0 && strspn(b + n, DIGITS) > 0
               ? x > y
               : strcmp(a + n, b + n) < 0;
}

/* The names nearest to the text, best first, and how many. */
static int nearest_names(const char *text, const char *const *names, size_t count,
                         const char *near[NEAR_MAX + 1])
{
    const char *slash = strrchr(text, '/'); /* the owner of a model says little */
    double best[NEAR_MAX + 1];
    struct text typed, name;
    int found = 0, n = 0;

    text_read(&typed, slash && slash[1] ? slash + 1 : text);
    for (size_t i = 0; i < count && strlen(typed.whole) >= 2; i++) {
        int at = found;

        text_read(&name, names[i]);
        double here = fmax(words_score(&typed, &name), whole_score(typed.whole, name.whole));
        if (here < LEAST_SCORE)
            continue;
        for (; at > 0 && (here > best[at - 1] + 1e-9 ||
                          (here > best[at - 1] - 1e-9 && is_newer(names[i], near[at - 1])));
             at--) {
            best[at] = best[at - 1];
            near[at] = near[at - 1];
        }
        best[at] = here;
        near[at] = names[i];
        found += found < NEAR_MAX;
    }
    while (n < found && best[n] > best[0] - SAME_SCORE)
        n++;
    return n;
}

const char *suggest_name(const char *text, const char *const *names, size_t count)
{
    const char *near[NEAR_MAX + 1];

    return nearest_names(text, names, count, near) > 0 ? near[0] : NULL;
}

bool suggest(const char *text, const char *const *names, size_t count, const char *as, char *hint,
             size_t size)
{
    const char *near[NEAR_MAX + 1];
    int n = nearest_names(text, names, count, near), before = (int)strcspn(as, "*");

    gp_copy(hint, size, n > 0 ? "did you mean " : "");
    for (int i = 0; i < n; i++)
        gp_append(hint, size,
                  i == 0       ? ""
                  : i + 1 == n ? " or "
                               : ", ",
                  "%.*s%s%s%s", before, as, near[i], as + before + (as[before] == '*'),
                  i + 1 == n ? "?" : "");
    return n > 0;
}
