/*
 * str.c - growing and bounded text.
 *
 * Cuts fall between UTF-8 characters: "caf\u00e9" in five bytes of storage is "caf".
 */
#include "base/str.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <wchar.h>

#include "base/mem.h"

#define FORMAT_GUESS 128 /* strbuf_addf: most pieces are shorter */

char strbuf_empty[1] = "";

void strbuf_init(struct strbuf *buf)
{
    *buf = STRBUF_EMPTY;
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

void strbuf_grow(struct strbuf *buf, size_t more)
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

void strbuf_addv(struct strbuf *buf, const char *fmt, va_list args)
{
    va_list again;

    va_copy(again, args);
    strbuf_reserve(buf, FORMAT_GUESS);
    int need = vsnprintf(buf->text + buf->len, FORMAT_GUESS, fmt, args);
    if (need >= FORMAT_GUESS) {
        strbuf_reserve(buf, (size_t)need);
        vsnprintf(buf->text + buf->len, (size_t)need + 1, fmt, again);
    }
    va_end(again);
    buf->len += need > 0 ? (size_t)need : 0;
    buf->text[buf->len] = '\0';
}

void strbuf_addf(struct strbuf *buf, const char *fmt, ...)
{
    va_list args;

    va_start(args, fmt);
    strbuf_addv(buf, fmt, args);
    va_end(args);
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

    if (!size)
        return false;
    va_start(args, fmt);
    int need = vsnprintf(dst, size, fmt, args);
    va_end(args);
    if (need < 0)
        dst[0] = '\0';
    return need >= 0 && (size_t)need < size;
}

bool gp_append(char *dst, size_t size, const char *separator, const char *fmt, ...)
{
    size_t len = strlen(dst);
    bool whole = true;
    va_list args;

    if (len > 0)
        whole = gp_copy(dst + len, size - len, separator);
    len += strlen(dst + len);
    va_start(args, fmt);
    int n = vsnprintf(dst + len, size - len, fmt, args);
    va_end(args);
    return whole && n >= 0 && (size_t)n < size - len;
}

uint64_t gp_hash(uint64_t hash, const void *bytes, size_t len)
{
    const unsigned char *c = bytes;

    while (len-- > 0)
        hash = (hash ^ *c++) * 1099511628211u;
    return hash;
}

char *gp_trim(char *text)
{
    text += strspn(text, " \t");
    size_t len = strlen(text);
    while (len > 0 && strchr(" \t\r\n", text[len - 1]))
        text[--len] = '\0';
    return text;
}

bool gp_has_word(const char *words, const char *between, const char *word)
{
    if (!*words || !*word) /* so are most lists, asked in the search's innermost loop */
        return false;
    size_t len = strlen(word);
    for (const char *at = words; (at = strstr(at, word)) != NULL; at++)
        if ((at == words || strchr(between, at[-1])) && (!at[len] || strchr(between, at[len])))
            return strcspn(word, between) == len;
    return false;
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

int gp_utf8(const char *at, uint32_t *out)
{
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    const unsigned char *text = (const unsigned char *)at;
    int bytes = text[0] < 0x80   ? 1
                : text[0] < 0xC2 ? 0
                : text[0] < 0xE0 ? 2
                : text[0] < 0xF0 ? 3
                : text[0] < 0xF5 ? 4
                                 : 0;
    uint32_t value = bytes > 1 ? text[0] & (0x7Fu >> bytes) : text[0];

    for (int i = 1; i < bytes; i++) {
        if ((text[i] & 0xC0) != 0x80)
            return 0;
        value = value << 6 | (text[i] & 0x3Fu);
    }
    if (value > 0x10FFFF || (value >= 0xD800 && value <= 0xDFFF) || value < least[bytes])
        return 0;
    *out = value;
    return bytes;
}

bool gp_is_utf8(const char *text)
{
    uint32_t ch;

    while (*text) {
        int bytes = gp_utf8(text, &ch);

        if (bytes == 0)
            return false;
        text += bytes;
    }
    return true;
}

/* ---- what may go to a terminal ---- */

bool gp_is_clean(uint32_t ch)
{
    static const struct {
        uint32_t first, last;
    } wild[] = {
        {0, 0x1F},        {0x7F, 0x9F},           /* controls, C0 and C1 */
        {0x61C, 0x61C},   {0x200E, 0x200F},       /* they turn the direction of text */
        {0x202A, 0x202E}, {0x2066, 0x2069},       /* the same */
        {0x2028, 0x2029},                         /* ends of lines and paragraphs */
        {0xFFF9, 0xFFFB}, {0xE0000, 0xE007F},     /* text that is not seen */
        {0xD800, 0xDFFF}, {0x110000, UINT32_MAX}, /* no characters */
    };

    if (ch >= ' ' && ch <= '~') /* nearly all of what profiles hold */
        return true;
    for (size_t i = 0; i < sizeof wild / sizeof wild[0]; i++)
        if (ch >= wild[i].first && ch <= wild[i].last)
            return false;
    return true;
}

/* Bytes of the character at text and whether it may stay as it is. */
static int str_look(const char *text, bool lines, bool *clean)
{
    uint32_t ch;
    int bytes = gp_utf8(text, &ch);

    *clean = bytes > 0 && (gp_is_clean(ch) || (lines && (ch == '\n' || ch == '\t')));
    return bytes > 0 ? bytes : 1;
}

static bool text_is_clean(const char *text)
{
    bool good = true;

    while (*text && good)
        text += str_look(text, false, &good);
    return good;
}

void strbuf_quote(struct strbuf *out, const char *text)
{
    static const char plain[] = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                "0123456789_./:@%+,=-";

    if (text[0] && strspn(text, plain) == strlen(text)) {
        strbuf_add(out, text);
        return;
    }
    bool clean = text_is_clean(text);

    strbuf_add(out, clean ? "'" : "$'");
    while (*text) {
        bool good;
        int bytes = str_look(text, false, &good);

        for (; bytes > 0; bytes--, text++)
            if (!good)
                strbuf_addf(out, "\\%03o", (unsigned)(unsigned char)*text);
            else if (clean && *text == '\'')
                strbuf_add(out, "'\\''");
            else
                strbuf_addf(out, "%s%c", !clean && strchr("'\\", *text) ? "\\" : "", *text);
    }
    strbuf_add(out, "'");
}

static size_t str_sanitize(char *text, size_t len, bool lines)
{
    size_t to = 0;
    bool good;

    for (size_t at = 0; at < len;) {
        int bytes = str_look(text + at, lines, &good);

        if (good)
            memmove(text + to, text + at, (size_t)bytes);
        else
            text[to] = '?';
        to += good ? (size_t)bytes : 1;
        at += (size_t)bytes;
    }
    text[to] = '\0';
    return to;
}

void gp_sanitize(char *text)
{
    str_sanitize(text, strlen(text), false);
}

size_t gp_sanitize_lines(char *text, size_t len)
{
    return str_sanitize(text, len, true);
}

/* Are these eight bytes all from ' ' to '~'? Of a byte that is not, one of the sums has
 * its high bit changed. */
static bool eight_are_plain(const char *text)
{
    const uint64_t ones = 0x0101010101010101u, high = 0x8080808080808080u;
    uint64_t word;

    memcpy(&word, text, sizeof(word));
    return !((word | (word + ones) | ~((word | high) - ones * ' ')) & high);
}

bool gp_lines_are_clean(const char *text, size_t len)
{
    bool good = true;

    for (size_t at = 0; at < len && good;) {
        while (at + 8 <= len && eight_are_plain(text + at)) /* nearly all */
            at += 8;
        while (at < len && text[at] >= ' ' && text[at] <= '~')
            at++;
        if (at < len)
            at += (size_t)str_look(text + at, true, &good);
    }
    return good;
}

int gp_char_width(uint32_t ch)
{
    if (ch < 0x7f || (ch >= 0x2500 && ch < 0x2900) || !gp_is_clean(ch))
        return 1;
    int columns = wcwidth((wchar_t)ch);
    return columns < 0 ? 1 : columns;
}

int gp_columns(const char *text, size_t len)
{
    const char *end = text + len;
    int width = 0;

    while (text < end) {
        uint32_t ch = 0;
        int bytes = gp_utf8(text, &ch);

        width += bytes ? gp_char_width(ch) : 1;
        text += bytes ? bytes : 1;
    }
    return width;
}

int gp_width(const char *text)
{
    return gp_columns(text, strlen(text));
}
