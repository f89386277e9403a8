/*
 * str.h - text that grows (struct strbuf) and text that is bounded.
 *
 * A strbuf is caller's storage: "= STRBUF_EMPTY" or strbuf_init, use, strbuf_fini. `text` is
 * always terminated. gp_copy() cuts at the buffer's end and says whether it had to.
 */
#ifndef GP_BASE_STR_H
#define GP_BASE_STR_H

#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

struct strbuf {
    char *text; /* terminated; "" when empty */
    size_t len; /* bytes before the terminator */
    size_t cap;
};

extern char strbuf_empty[1]; /* never written */
#define STRBUF_EMPTY ((struct strbuf){.text = strbuf_empty})

void strbuf_init(struct strbuf *buf);
void strbuf_fini(struct strbuf *buf);
void strbuf_clear(struct strbuf *buf);
/* Makes room for `more` bytes after the text (and the terminator). */
void strbuf_grow(struct strbuf *buf, size_t more);
static inline void strbuf_reserve(struct strbuf *buf, size_t more)
{
    if (buf->len + more >= buf->cap)
        strbuf_grow(buf, more);
}
void strbuf_add(struct strbuf *buf, const char *text);
static inline void strbuf_addc(struct strbuf *buf, char c)
{
    strbuf_reserve(buf, 1);
    buf->text[buf->len++] = c;
    buf->text[buf->len] = '\0';
}
void strbuf_addn(struct strbuf *buf, const char *text, size_t len);
void strbuf_addf(struct strbuf *buf, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
void strbuf_addv(struct strbuf *buf, const char *fmt, va_list args);

/* Adds text as one word of a shell; $'\033' where it has what may not be printed. */
void strbuf_quote(struct strbuf *buf, const char *text);

/* Copies text into dst[size]; false when it had to be cut. */
bool gp_copy(char *dst, size_t size, const char *text);

/* Like snprintf, but the result is always terminated and its cut is reported. */
bool gp_format(char *dst, size_t size, const char *fmt, ...) __attribute__((format(printf, 3, 4)));

/* Adds to the text in dst[size], after the separator when there is some already. */
bool gp_append(char *dst, size_t size, const char *separator, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

/* FNV-1a over bytes, from GP_HASH or what came before. */
#define GP_HASH 14695981039346656037u
uint64_t gp_hash(uint64_t hash, const void *bytes, size_t len);

/* Where the text begins behind its blanks and tabs; those at its end are cut off, and so
 * is what ends a line. */
char *gp_trim(char *text);

/* Is it one of the words that these characters divide ("," or " ")? */
bool gp_has_word(const char *words, const char *between, const char *word);

/* ASCII lower case of one character / comparison that ignores ASCII case. */
char gp_lower(char c);
int gp_casecmp(const char *a, const char *b);

/* The character at text, and how many bytes it has; 0: it is none of UTF-8. */
int gp_utf8(const char *text, uint32_t *ch);
/* False when a byte of the text is not part of a UTF-8 character. */
bool gp_is_utf8(const char *text);

/* The one sanitizer of what files, users and devices bring into what is printed: false
 * for what would command a terminal or show something else than is there (controls of
 * one and two bytes, marks that turn the direction of text, ends of lines). */
bool gp_is_clean(uint32_t ch);
/* Puts '?' for each of them and for each byte that is no UTF-8; the text gets shorter,
 * not longer. The second leaves line ends and tabs, and returns the length. */
void gp_sanitize(char *text);
size_t gp_sanitize_lines(char *text, size_t len); /* text[len] is the terminator */
bool gp_lines_are_clean(const char *text, size_t len);

/* Columns on a terminal: 0, 1 or 2 for a character; 1 for one that may not be shown, and
 * in every locale for lines, blocks and braille. Of a text's first len bytes; of all. */
int gp_char_width(uint32_t ch);
int gp_columns(const char *text, size_t len);
int gp_width(const char *text);

#endif
