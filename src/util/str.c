/*
 * str.c - growing and bounded text, and the nearest known name to a typo.
 *
 * Cuts fall between UTF-8 characters: "caf\u00e9" in five bytes of storage is "caf".
 * A near miss is judged by Levenshtein's distance (insert, delete, replace one letter);
 * a name that only continues the word comes before one that differs by a letter:
 * "h100" is nearer to "h100-sxm" than to "a100".
 */
#include "util/str.h"

#include <limits.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "util/mem.h"

#define WORD_MAX     64 /* gp_distance: longer words count as far */
#define FAR          (2 * WORD_MAX)
#define FORMAT_GUESS 128 /* strbuf_addf: most pieces are shorter */
#define PREFIX_MIN   2   /* letters of a prefix before it says anything */

static char empty_text[1] = "";

void strbuf_init(struct strbuf *buf)
{
    buf->text = empty_text;
    buf->len = 0;
    buf->cap = 0;
}

void strbuf_fini(struct strbuf *buf)
{
    if (buf->cap)
        free(buf->text);
    strbuf_init(buf);
}

void strbuf_clear(struct strbuf *buf)
{
    buf->len = 0;
    if (buf->cap)
        buf->text[0] = '\0';
}

/* Room for `more` bytes and the terminator behind the text. */
void strbuf_reserve(struct strbuf *buf, size_t more)
{
    char *old = buf->cap ? buf->text : NULL;

    buf->text = gp_grow(old, &buf->cap, buf->len + more + 1, 1);
}

void strbuf_addn(struct strbuf *buf, const char *text, size_t len)
{
    strbuf_reserve(buf, len);
    if (len)
        memcpy(buf->text + buf->len, text, len);
    buf->len += len;
    buf->text[buf->len] = '\0';
}

void strbuf_add(struct strbuf *buf, const char *text)
{
    strbuf_addn(buf, text, strlen(text));
}

void strbuf_addf(struct strbuf *buf, const char *fmt, ...)
{
    va_list args, again;
    int need;

    va_start(args, fmt);
    va_copy(again, args);
    strbuf_reserve(buf, FORMAT_GUESS);
    need = vsnprintf(buf->text + buf->len, FORMAT_GUESS, fmt, args);
    va_end(args);
    if (need >= FORMAT_GUESS) {
        strbuf_reserve(buf, (size_t)need);
        vsnprintf(buf->text + buf->len, (size_t)need + 1, fmt, again);
    }
    va_end(again);
    buf->len += need > 0 ? (size_t)need : 0;
    buf->text[buf->len] = '\0';
}

/* Where to cut text so that at most `room` bytes remain and no character is split. */
static size_t cut_at(const char *text, size_t room)
{
    size_t at = room;

    while (at > 0 && at + 4 > room && ((unsigned char)text[at] & 0xC0) == 0x80)
        at--;
    return ((unsigned char)text[at] & 0xC0) == 0x80 ? room : at;
}

bool gp_copy(char *dst, size_t size, const char *text)
{
    size_t len = strlen(text);
    bool whole = len < size;

    if (!size)
        return false;
    if (!whole)
        len = cut_at(text, size - 1);
    memmove(dst, text, len);
    dst[len] = '\0';
    return whole;
}

bool gp_format(char *dst, size_t size, const char *fmt, ...)
{
    va_list args;
    int need;

    if (!size)
        return false;
    va_start(args, fmt);
    need = vsnprintf(dst, size, fmt, args);
    va_end(args);
    if (need < 0)
        dst[0] = '\0';
    return need >= 0 && (size_t)need < size;
}

char gp_lower(char c)
{
    return c >= 'A' && c <= 'Z' ? (char)(c - 'A' + 'a') : c;
}

int gp_casecmp(const char *a, const char *b)
{
    while (*a && gp_lower(*a) == gp_lower(*b)) {
        a++;
        b++;
    }
    return (unsigned char)gp_lower(*a) - (unsigned char)gp_lower(*b);
}

static int min3(int a, int b, int c)
{
    int least = a < b ? a : b;

    return least < c ? least : c;
}

int gp_distance(const char *a, const char *b)
{
    int row[WORD_MAX + 1];
    size_t a_len = strlen(a), b_len = strlen(b);

    if (a_len > WORD_MAX || b_len > WORD_MAX)
        return FAR;
    for (size_t j = 0; j <= b_len; j++)
        row[j] = (int)j;
    for (size_t i = 1; i <= a_len; i++) {
        int diagonal = row[0]; /* distance of a[0..i-1] and b[0..j-1] */

        row[0] = (int)i;
        for (size_t j = 1; j <= b_len; j++) {
            int swap = diagonal + (gp_lower(a[i - 1]) != gp_lower(b[j - 1]));

            diagonal = row[j];
            row[j] = min3(row[j] + 1, row[j - 1] + 1, swap);
        }
    }
    return row[b_len];
}

static bool starts_with(const char *text, const char *prefix)
{
    while (*prefix && gp_lower(*text) == gp_lower(*prefix)) {
        text++;
        prefix++;
    }
    return !*prefix;
}

/* Twice the edits, so that a mere continuation can rank between 0 and 1 edit; INT_MAX
 * when the name is no sensible suggestion. */
static int miss(const char *word, const char *name)
{
    size_t len = strlen(word), name_len = strlen(name);
    int distance = gp_distance(word, name);
    int allowed = len / 3 > 2 ? (int)(len / 3) : 2;

    if (distance == 0)
        return 0;
    if (len >= PREFIX_MIN && starts_with(name, word))
        return 1;
    if (name_len >= PREFIX_MIN && starts_with(word, name) && distance > allowed)
        return 2 * allowed + 1;
    /* Two edits turn any two letters into any other two: that is no resemblance. */
    if (distance > allowed || (size_t)distance >= (len > name_len ? len : name_len))
        return INT_MAX;
    return 2 * distance;
}

const char *gp_nearest(const char *word, const char *const *names, size_t count)
{
    const char *best = NULL;
    int best_miss = INT_MAX;

    for (size_t i = 0; i < count; i++) {
        int here = miss(word, names[i]);

        if (here < best_miss) {
            best_miss = here;
            best = names[i];
        }
    }
    return best;
}

/* Reads one UTF-8 character; returns its bytes, or 0 when there is none at text. */
static int utf8_char(const unsigned char *text, wchar_t *out)
{
    static const unsigned long least[] = {0, 0, 0x80, 0x800, 0x10000};
    int bytes = text[0] < 0x80   ? 1
                : text[0] < 0xC2 ? 0
                : text[0] < 0xE0 ? 2
                : text[0] < 0xF0 ? 3
                : text[0] < 0xF5 ? 4
                                 : 0;
    unsigned long value = bytes > 1 ? text[0] & (0x7Fu >> bytes) : text[0];

    for (int i = 1; i < bytes; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (text[i] & 0x3Fu);
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF) ||
        value < least[bytes])
        return 0;
    *out = (wchar_t)value;
    return bytes;
}

bool gp_is_utf8(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    wchar_t c;

    while (*at) {
        int bytes = utf8_char(at, &c);

        if (bytes == 0)
            return false;
        at += bytes;
    }
    return true;
}

void gp_tame(char *text)
{
    for (unsigned char *at = (unsigned char *)text; *at; at++) {
        if (*at < 0x20 || *at == 0x7F)
            *at = '?';
        else if (*at == 0xC2 && at[1] >= 0x80 && at[1] < 0xA0)
            at[0] = at[1] = '?';
    }
}

int gp_width(const char *text)
{
    const unsigned char *at = (const unsigned char *)text;
    int width = 0;

    while (*at) {
        wchar_t c = 0;
        int bytes = utf8_char(at, &c);
        int columns = bytes ? wcwidth(c) : 1;

        width += columns < 0 ? 1 : columns;
        at += bytes ? bytes : 1;
    }
    return width;
}
