/*
 * suggest.c - see suggest.h.
 */
#include "base/suggest.h"

#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "base/str.h"

#define WORDS_MAX 16
#define WORD_SIZE 32
#define TEXT_MAX 64      /* of two texts that are compared letter by letter */
#define LEAST_SCORE 0.45 /* of a name that is worth suggesting */
#define SAME_SCORE 0.06  /* this much below the best is as good */
#define EXTRA_WORD 0.01  /* what a word of the name costs that the text lacks, */
#define EXTRA_FIRST 0.05 /* and its first word more */

enum word_kind { WORD_LETTERS, WORD_NUMBER, WORD_SIZE_OF_MODEL };

struct word {
    enum word_kind kind;
    char text[WORD_SIZE]; /* lower case; of a number without its unit */
    double value;         /* of a number; of a size in billions */
};

struct words {
    struct word word[WORDS_MAX];
    size_t count;
};

/* ---- words ---- */

static bool is_letter(char c)
{
    return isalpha((unsigned char)c) && !((unsigned char)c & 0x80);
}

static bool is_digit(char c)
{
    return c >= '0' && c <= '9';
}

/* The unit of a number: "b" of 70b, "gb" of 80gb; 0 when other letters follow. */
static size_t unit_length(const char *text)
{
    static const char *const units[] = {"gib", "gb", "g", "b", "m", "t"};

    for (size_t i = 0; i < sizeof(units) / sizeof(units[0]); i++) {
        size_t n = strlen(units[i]), j = 0;

        while (j < n && gp_lower(text[j]) == units[i][j])
            j++;
        if (j == n && !is_letter(text[n]) && !is_digit(text[n]))
            return n;
    }
    return 0;
}

/* Reads the number at text, 1.5 or 70 or 70b or 80gb; returns its length. */
static size_t read_number(const char *text, struct word *word)
{
    size_t n = strspn(text, "0123456789"), unit;

    if (text[n] == '.' && is_digit(text[n + 1]))
        n += 1 + strspn(text + n + 1, "0123456789");
    gp_format(word->text, sizeof(word->text), "%.*s", (int)n, text);
    word->kind = WORD_NUMBER;
    word->value = strtod(word->text, NULL);
    unit = unit_length(text + n);
    if (unit == 1 && gp_lower(text[n]) != 'g') {
        char letter = gp_lower(text[n]);

        word->kind = WORD_SIZE_OF_MODEL;
        word->value *= letter == 't' ? 1e3 : letter == 'm' ? 1e-3 : 1;
    }
    return n + unit;
}

static size_t read_letters(const char *text, struct word *word)
{
    size_t n = 0;

    while (is_letter(text[n]))
        n++;
    word->kind = WORD_LETTERS;
    gp_format(word->text, sizeof(word->text), "%.*s", (int)n, text);
    for (char *c = word->text; *c; c++)
        *c = gp_lower(*c);
    return n;
}

static void split_words(const char *text, struct words *words)
{
    words->count = 0;
    while (*text && words->count < WORDS_MAX) {
        struct word *word = &words->word[words->count];

        if (is_letter(*text) || is_digit(*text)) {
            text += is_digit(*text) ? read_number(text, word) : read_letters(text, word);
            words->count++;
        } else {
            text++;
        }
    }
}

/* ---- likeness ---- */

static bool begins_with(const char *text, const char *start)
{
    return strncmp(text, start, strlen(start)) == 0;
}

static size_t least(size_t a, size_t b)
{
    return a < b ? a : b;
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
            row[j] = least(least(up[j], row[j - 1]) + 1, up[j - 1] + (a[i - 1] != b[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                row[j] = least(row[j], up2[j - 2] + 1);
        }
    }
    return rows[a_len % 3][b_len];
}

static double letters_likeness(const char *typed, const char *name)
{
    size_t len = strlen(typed), name_len = strlen(name);
    size_t slips = len < 4 ? 0 : len < 8 ? 1 : 2;

    if (strcmp(typed, name) == 0)
        return 1;
    if (len < 2)
        return 0;
    if (begins_with(name, typed))
        return 0.9;
    if (slips > 0 && edit_distance(typed, name) <= slips)
        return 0.8;
    if (name_len > 2 && begins_with(typed, name))
        return 0.7;
    return strstr(name, typed) ? 0.6 : 0; /* fp of nvfp */
}

/* 3 begins 3.1, and the last number of the text may not be typed whole. */
static double number_likeness(const struct word *typed, const struct word *name, bool last)
{
    size_t len = strlen(typed->text), name_len = strlen(name->text);

    if (typed->value == name->value)
        return 1;
    if (begins_with(name->text, typed->text) && name->text[len] == '.')
        return 0.9;
    if (begins_with(typed->text, name->text) && typed->text[name_len] == '.')
        return 0.6;
    return last && begins_with(name->text, typed->text) ? 0.6 : 0;
}

/* 0.8 of a neighbour, down by 0.5 for each factor of two. */
static double size_likeness(double typed, double name)
{
    if (typed == name)
        return 1;
    if (!(typed > 0 && name > 0))
        return 0;
    return fmax(0.8 - 0.5 * fabs(log2(typed / name)), 0);
}

static double likeness(const struct word *typed, const struct word *name, bool last)
{
    if ((typed->kind == WORD_LETTERS) != (name->kind == WORD_LETTERS))
        return 0;
    if (typed->kind == WORD_LETTERS)
        return letters_likeness(typed->text, name->text);
    if (typed->kind != name->kind) /* 70 for 70b */
        return typed->value == name->value ? 0.5 : 0;
    return typed->kind == WORD_NUMBER ? number_likeness(typed, name, last)
                                      : size_likeness(typed->value, name->value);
}

/* ---- scores ---- */

/* The family stands first; "instruct" and the like behind it say little. */
static double weight(const struct words *words, size_t at)
{
    double len = (double)strlen(words->word[at].text);

    if (words->word[at].kind != WORD_LETTERS)
        return fmax(len, 3);
    return at == 0 ? fmax(len, 4) : 2;
}

static double words_score(const struct words *typed, const struct words *name)
{
    bool used[WORDS_MAX] = {false}, first = false;
    double sum = 0, whole = 0;
    size_t extra = name->count;

    for (size_t i = 0; i < typed->count; i++) {
        double best = 0;
        size_t at = 0;

        for (size_t j = 0; j < name->count; j++) {
            double here =
                used[j] ? 0 : likeness(&typed->word[i], &name->word[j], i + 1 == typed->count);

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
        sum += best * weight(typed, i);
        whole += weight(typed, i);
    }
    if (used[0] && !first && typed->word[0].kind == WORD_LETTERS)
        whole -= weight(typed, 0) - 2; /* NVIDIA before h100 is a word like others */
    sum = whole > 0 ? sum / whole : 0;
    return sum - EXTRA_WORD * (double)extra - (used[0] ? 0 : EXTRA_FIRST);
}

/* Letters and digits alone, in lower case; false when they are too many. */
static bool squeeze(const char *text, char out[TEXT_MAX + 1])
{
    size_t n = 0;

    for (; *text && n <= TEXT_MAX; text++)
        if (is_letter(*text) || is_digit(*text))
            out[n++] = gp_lower(*text);
    out[n <= TEXT_MAX ? n : 0] = '\0';
    return n <= TEXT_MAX;
}

/* The text as one word, maybe with a few letters wrong: gptos is gpt-oss. */
static double slip_score(const char *typed, const char *name)
{
    size_t len = strlen(typed), name_len = strlen(name);
    size_t allowed = len > 8 ? len / 3 : len > 5 ? 2 : 1;
    size_t distance = edit_distance(typed, name);

    if (len < 3)
        return 0;
    if (begins_with(name, typed))
        return distance == 0 ? 1 : 0.95;
    return distance > allowed ? 0
                              : 1 - (double)distance / (double)(len > name_len ? len : name_len);
}

/* Letters up, numbers down: llama-3.3-70b comes before llama-3.1-8b. */
static int newer_first(const char *a, const char *b)
{
    while (*a && *b) {
        struct word x, y;

        if (is_digit(*a) && is_digit(*b)) {
            a += read_number(a, &x);
            b += read_number(b, &y);
            if (x.value != y.value)
                return x.value > y.value ? -1 : 1;
        } else if (*a != *b) {
            return (unsigned char)*a < (unsigned char)*b ? -1 : 1;
        } else {
            a++;
            b++;
        }
    }
    return (*a != '\0') - (*b != '\0');
}

struct candidate {
    const char *name;
    double score;
};

static bool comes_before(const struct candidate *a, const struct candidate *b)
{
    if (fabs(a->score - b->score) > 1e-9)
        return a->score > b->score;
    return newer_first(a->name, b->name) < 0;
}

/* How well the name answers the text, 0 to 1. */
static double score(const struct words *typed, const char *squeezed, const char *name)
{
    struct words words;
    char plain[TEXT_MAX + 1];
    double slip = 0;

    split_words(name, &words);
    if (squeeze(name, plain))
        slip = slip_score(squeezed, plain);
    return fmax(words_score(typed, &words), slip);
}

size_t suggest_names(const char *text, const char *const *names, size_t count,
                     const char *near[SUGGEST_MAX])
{
    const char *slash = strrchr(text, '/'); /* the owner of a model says little */
    struct candidate best[SUGGEST_MAX];
    char squeezed[TEXT_MAX + 1];
    struct words typed;
    size_t found = 0, n = 0;

    text = slash && slash[1] ? slash + 1 : text;
    if (!squeeze(text, squeezed) || strlen(squeezed) < 2)
        return 0;
    split_words(text, &typed);
    for (size_t i = 0; i < count; i++) {
        struct candidate here = {names[i], score(&typed, squeezed, names[i])};
        size_t at;

        if (here.score < LEAST_SCORE)
            continue;
        for (at = found; at > 0 && comes_before(&here, &best[at - 1]); at--)
            if (at < SUGGEST_MAX)
                best[at] = best[at - 1];
        if (at < SUGGEST_MAX)
            best[at] = here;
        found += found < SUGGEST_MAX;
    }
    for (; n < found && best[n].score > best[0].score - SAME_SCORE; n++)
        near[n] = best[n].name;
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
    struct strbuf buf;

    strbuf_init(&buf);
    for (size_t i = 0; i < n; i++)
        strbuf_addf(&buf, "%s%.*s%s%s",
                    i == 0       ? "did you mean "
                    : i + 1 == n ? " or "
                                 : ", ",
                    (int)before, as, near[i], as + before + (as[before] == '*'));
    if (n > 0)
        strbuf_add(&buf, "?");
    gp_copy(hint, size, buf.text);
    strbuf_fini(&buf);
    return n > 0;
}
