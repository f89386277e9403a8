/*
 * theme.c - see theme.h.
 */
#include "tui/toolkit/theme.h"

#include <string.h>

static const struct look inks[INK_COUNT][SCHEME_COUNT] = {
#define X(id, mono, color16, style16, dark, light, style256) \
    {{-1, mono}, {color16, style16}, {dark, style256}, {light, style256}},
    THEME_INKS(X)
#undef X
};

static const char *const glyphs[GLYPH_COUNT][2] = {
#define X(id, utf8, ascii) {ascii, utf8},
    THEME_GLYPHS(X)
#undef X
};

#define X(id, word) word,
static const char *const schemes[SCHEME_COUNT] = {THEME_SCHEMES(X)};
#undef X

struct look theme_look(enum scheme scheme, enum ink ink)
{
    return inks[ink][scheme];
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
