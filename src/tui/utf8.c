/*
 * utf8.c - see utf8.h.
 */
#include "tui/utf8.h"

#include <wchar.h>

#define REPLACEMENT 0xfffd

uint32_t utf8_next(const char **text)
{
    const unsigned char *p = (const unsigned char *)*text;
    static const uint32_t least[] = {0, 0, 0x80, 0x800, 0x10000};
    uint32_t ch = p[0];
    int n = ch < 0x80       ? 1
            : ch >> 5 == 6  ? 2
            : ch >> 4 == 14 ? 3
            : ch >> 3 == 30 ? 4
                            : 0;

    if (ch == 0)
        return 0;
    *text += 1;
    if (n == 1)
        return ch;
    if (n == 0)
        return REPLACEMENT;
    ch &= 0x7fu >> n;
    for (int i = 1; i < n; i++) {
        if ((p[i] & 0xc0) != 0x80)
            return REPLACEMENT;
        ch = ch << 6 | (p[i] & 0x3f);
    }
    if (ch < least[n] || ch > 0x10ffff || (ch >= 0xd800 && ch < 0xe000))
        return REPLACEMENT;
    *text += n - 1;
    return ch;
}

char *utf8_text(uint32_t ch, char text[5])
{
    char *p = text;

    if (ch < 0x80) {
        *p++ = (char)ch;
    } else if (ch < 0x800) {
        *p++ = (char)(0xc0 | ch >> 6);
        *p++ = (char)(0x80 | (ch & 0x3f));
    } else if (ch < 0x10000) {
        *p++ = (char)(0xe0 | ch >> 12);
        *p++ = (char)(0x80 | (ch >> 6 & 0x3f));
        *p++ = (char)(0x80 | (ch & 0x3f));
    } else {
        *p++ = (char)(0xf0 | ch >> 18);
        *p++ = (char)(0x80 | (ch >> 12 & 0x3f));
        *p++ = (char)(0x80 | (ch >> 6 & 0x3f));
        *p++ = (char)(0x80 | (ch & 0x3f));
    }
    *p = '\0';
    return text;
}

/* Lines, blocks and braille are one column wide in every locale. */
int utf8_width(uint32_t ch)
{
    int n;

    if (ch < 0x7f || (ch >= 0x2500 && ch < 0x2900))
        return ch < 0x20 ? 0 : 1;
    n = wcwidth((wchar_t)ch);
    return n < 0 ? 1 : n;
}

int utf8_columns(const char *text, size_t len)
{
    const char *end = text + len;
    int columns = 0;
    uint32_t ch;

    while (text < end && (ch = utf8_next(&text)) != 0)
        columns += ch < 0x20 ? 1 : utf8_width(ch);
    return columns;
}
