/*
 * utf8.c - see utf8.h.
 */
#include "tui/toolkit/utf8.h"

#include "base/str.h"

#define REPLACEMENT 0xfffd

/* Bytes of the character that begins with this one; 0: none does. */
static int length_of(uint32_t first)
{
    return first < 0x80 ? 1 : first >> 5 == 6 ? 2 : first >> 4 == 14 ? 3 : first >> 3 == 30 ? 4 : 0;
}

uint32_t utf8_next(const char **text)
{
    uint32_t ch;
    int bytes = **text ? gp_utf8(*text, &ch) : 0;

    if (!**text)
        return 0;
    *text += bytes ? bytes : 1;
    return bytes ? ch : REPLACEMENT;
}

uint32_t utf8_take(struct utf8_input *input, int byte)
{
    const char *text = input->byte;

    if ((byte & 0xc0) != 0x80)
        input->len = 0;
    input->byte[input->len++] = (char)byte;
    input->byte[input->len] = '\0';
    if (input->len < length_of((unsigned char)input->byte[0]))
        return 0;
    input->len = 0;
    return utf8_next(&text);
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

size_t utf8_fit(const char *text, size_t len, int cols)
{
    const char *p = text, *blank = NULL;
    int width = 0;

    while (p < text + len) {
        const char *before = p;

        width += gp_char_width(utf8_next(&p));
        if (*before == ' ')
            blank = before;
        if (width > cols)
            return (size_t)((blank ? blank : before > text ? before : p) - text);
    }
    return len;
}
