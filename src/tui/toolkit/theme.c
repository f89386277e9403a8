/*
 * theme.c - see theme.h.
 */
#include "tui/toolkit/theme.h"

#include <string.h>

struct ink_row {
    const char *word;
    struct look mono, sixteen, dark, light;
};

static const struct ink_row inks[INK_COUNT] = {
#define X(id, word, mono, color16, style16, dark, light, style256)                     \
    {word, {-1, mono}, {color16, style16}, {dark, style256}, {light, style256}},
    THEME_INKS(X)
#undef X
};

static const char *const glyphs[GLYPH_COUNT][2] = {
#define X(id, utf8, ascii) {ascii, utf8},
    THEME_GLYPHS(X)
#undef X
};

static const char *const schemes[SCHEME_COUNT] = {"mono", "16", "dark", "light"};

struct look theme_look(enum scheme scheme, enum ink ink)
{
    const struct ink_row *row = &inks[ink];

    switch (scheme) {
    case SCHEME_16:
        return row->sixteen;
    case SCHEME_DARK:
        return row->dark;
    case SCHEME_LIGHT:
        return row->light;
    default:
        return row->mono;
    }
}

const char *theme_ink_word(enum ink ink)
{
    return inks[ink].word;
}

const char *theme_scheme_word(enum scheme scheme)
{
    return schemes[scheme];
}

int theme_scheme_find(const char *word)
{
    for (int i = 0; i < SCHEME_COUNT; i++)
        if (strcmp(word, schemes[i]) == 0)
            return i;
    return -1;
}

const char *theme_glyph(enum charset charset, enum glyph glyph)
{
    return glyphs[glyph][charset != CHARSET_ASCII];
}
