/*
 * theme.h - how things look: inks, glyphs, and what each scheme makes of them.
 *
 * Code that draws names a ink (INK_WEIGHTS), never a colour, and a glyph (GLYPH_BAR_KV),
 * never a character. A scheme turns a ink into attributes and colours; colour only
 * repeats what a word or a glyph says already. Backgrounds are the terminal's own, so
 * that light and dark terminals both work; blue and black are never used for text.
 *
 * Colours of 256 after Okabe and Ito: distinct for colour-blind eyes as well.
 */
#ifndef GP_TUI_TOOLKIT_THEME_H
#define GP_TUI_TOOLKIT_THEME_H

#include <stdbool.h>

enum style { /* bits */
             STYLE_BOLD = 1,
             STYLE_REVERSE = 2,
             STYLE_UNDERLINE = 4,
             STYLE_DIM = 8 /* where the terminal has it */
};

/* One row per ink: mono style; 16 colours: foreground, style; 256 colours on a
 * dark background, on a light one: foreground, style. -1: the terminal's own. */
#define THEME_INKS(X)                                                               \
    X(TEXT, 0, -1, 0, -1, -1, 0)                                                    \
    X(TITLE, STYLE_REVERSE, -1, STYLE_REVERSE, -1, -1, STYLE_REVERSE)               \
    X(TAB, STYLE_BOLD | STYLE_REVERSE, -1, STYLE_BOLD | STYLE_REVERSE, -1, -1,      \
      STYLE_BOLD | STYLE_REVERSE)                                                   \
    X(FRAME, 0, -1, 0, 244, 244, 0)                                                 \
    X(HEADING, STYLE_BOLD, -1, STYLE_BOLD, -1, -1, STYLE_BOLD)                      \
    X(FOCUS, STYLE_REVERSE, -1, STYLE_REVERSE | STYLE_BOLD, 117, 25, STYLE_REVERSE) \
    X(KEY, STYLE_BOLD, -1, STYLE_BOLD, -1, -1, STYLE_BOLD)                          \
    X(OK, 0, 6, 0, 36, 29, 0)                                                       \
    X(WARN, STYLE_UNDERLINE, 3, STYLE_BOLD, 214, 130, 0)                            \
    X(BAD, STYLE_BOLD | STYLE_REVERSE, 1, STYLE_BOLD, 166, 160, STYLE_BOLD)         \
    X(WEIGHTS, 0, -1, 0, 117, 25, 0)                                                \
    X(KV, 0, 3, 0, 214, 130, 0)                                                     \
    X(ACTIVATION, 0, 2, 0, 36, 29, 0)                                               \
    X(RUNTIME, STYLE_DIM, 5, 0, 175, 90, 0)                                         \
    X(FREE, STYLE_DIM, -1, 0, 244, 244, 0)                                          \
    X(ESTIMATE, 0, -1, 0, 245, 240, 0)                                              \
    X(DIM, STYLE_DIM, -1, 0, 244, 244, 0)                                           \
    X(SERIES1, 0, 6, 0, 117, 25, 0)                                                 \
    X(SERIES2, 0, 3, 0, 214, 130, 0)                                                \
    X(SERIES3, 0, 2, 0, 36, 29, 0)                                                  \
    X(SERIES4, 0, 5, 0, 175, 90, 0)                                                 \
    X(ACCENT, STYLE_BOLD, 6, STYLE_BOLD, 117, 25, STYLE_BOLD)

#define X(id, ...) INK_##id,
enum ink { THEME_INKS(X) INK_COUNT };
#undef X

/* One row per glyph: UTF-8, ASCII. All are one column wide. */
#define THEME_GLYPHS(X)         \
    X(HORIZONTAL, "─", "-")     \
    X(VERTICAL, "│", "|")       \
    X(UPPER_LEFT, "┌", "+")     \
    X(UPPER_RIGHT, "┐", "+")    \
    X(LOWER_LEFT, "└", "+")     \
    X(LOWER_RIGHT, "┘", "+")    \
    X(CURSOR, "▸", ">")         \
    X(OPEN, "▾", "v")           \
    X(UP, "▲", "^")             \
    X(DOWN, "▼", "v")           \
    X(MORE, "…", "~")           \
    X(BAR_WEIGHTS, "█", "#")    \
    X(BAR_KV, "▓", "=")         \
    X(BAR_ACTIVATION, "▒", ":") \
    X(BAR_RUNTIME, "░", "-")    \
    X(BAR_FREE, "·", ".")       \
    X(FULL, "█", "#")           \
    X(EMPTY, "·", ".")          \
    X(SPARK1, "▁", "_")         \
    X(SPARK2, "▂", "_")         \
    X(SPARK3, "▃", ".")         \
    X(SPARK4, "▄", "-")         \
    X(SPARK5, "▅", "=")         \
    X(SPARK6, "▆", "+")         \
    X(SPARK7, "▇", "*")         \
    X(SPARK8, "█", "#")         \
    X(BAND_LOW, "├", "|")       \
    X(BAND_HIGH, "┤", "|")      \
    X(BAND_AT, "┼", "+")        \
    X(DOT, "●", "o")

#define X(id, ...) GLYPH_##id,
enum glyph { THEME_GLYPHS(X) GLYPH_COUNT };
#undef X

#define THEME_SCHEMES(X) X(MONO, "mono") X(16, "16") X(DARK, "dark") X(LIGHT, "light")
#define X(id, word) SCHEME_##id,
enum scheme { THEME_SCHEMES(X) SCHEME_COUNT };
#undef X
enum charset { CHARSET_ASCII, CHARSET_BLOCK, CHARSET_BRAILLE }; /* what may be drawn */

struct look {
    int color;      /* foreground, 0..255; -1 = the terminal's own */
    unsigned style; /* bits of enum style */
};

struct look theme_look(enum scheme scheme, enum ink ink);
const char *theme_scheme_word(enum scheme scheme);
int theme_scheme_find(const char *word); /* -1: none */
const char *theme_glyph(enum charset charset, enum glyph glyph);

#endif
