/*
 * canvas.h - a screenful of cells in memory: what every screen draws on.
 *
 * Drawing never touches the terminal. A canvas is painted by term.c, dumped as text by
 * scripts and tests, and exported by `e`; all three show the same cells. Everything is
 * clipped to the rectangle it is drawn in; coordinates are relative to its upper left.
 * Text is UTF-8; a character two columns wide takes two cells, the second has ch 0.
 */
#ifndef GP_TUI_TOOLKIT_CANVAS_H
#define GP_TUI_TOOLKIT_CANVAS_H

#include <stdbool.h>
#include <stdint.h>

#include "base/str.h"
#include "tui/toolkit/theme.h"

struct rect {
    int y, x;       /* of the upper left cell, from 0 */
    int rows, cols; /* 0 or less: nothing */
};

static inline int int_max(int a, int b)
{
    return a > b ? a : b;
}

static inline int int_min(int a, int b)
{
    return a < b ? a : b;
}

static inline bool rect_empty(struct rect r)
{
    return r.rows <= 0 || r.cols <= 0;
}

/* What is left inside a box drawn on the rectangle's edge. */
static inline struct rect rect_inside(struct rect r)
{
    return (struct rect){r.y + 1, r.x + 1, r.rows - 2, r.cols - 2};
}

struct cell {
    uint32_t ch; /* a character; 0: right half of the one before */
    uint8_t ink;
};

struct canvas {
    int rows, cols;
    enum charset charset;
    int cursor_y, cursor_x; /* where the real cursor stands */
    struct cell *cells;     /* (rows, cols); owned */
};

void canvas_init(struct canvas *canvas, enum charset charset);
void canvas_fini(struct canvas *canvas);
/* Blank cells, cursor at the upper left. */
void canvas_clear(struct canvas *canvas, int rows, int cols);
struct rect canvas_rect(const struct canvas *canvas);

/* Each puts text at (y, x) of the rectangle and returns the columns it takes (also when
 * it was cut). Control characters show as '?'. */
int canvas_text(struct canvas *canvas, struct rect in, int y, int x, enum ink ink,
                const char *text);
int canvas_textf(struct canvas *canvas, struct rect in, int y, int x, enum ink ink, const char *fmt,
                 ...) __attribute__((format(printf, 6, 7)));
/* Ends at the last column of the rectangle. */
void canvas_right(struct canvas *canvas, struct rect in, int y, enum ink ink, const char *text);
/* Text that is cut ends in GLYPH_MORE: at most `cols` columns. */
int canvas_fit(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
               const char *text);
/* The first of the texts that fits whole, from the longest to the shortest, NULL behind
 * the last; none does: the last, cut. */
int canvas_fit_first(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
                     const char *const *texts);
/* The same, cut at its left where that is needed: its end is what tells it from others. */
int canvas_fit_end(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
                   const char *text);
/* Broken at blanks over the rectangle's rows from y on. Returns the rows used. */
int canvas_wrap(struct canvas *canvas, struct rect in, int y, enum ink ink, const char *text);
void canvas_glyph(struct canvas *canvas, struct rect in, int y, int x, enum ink ink,
                  enum glyph glyph);
/* A character by its code, for plots. */
void canvas_char(struct canvas *canvas, struct rect in, int y, int x, enum ink ink, uint32_t ch);
/* `count` glyphs in a row. */
void canvas_run(struct canvas *canvas, struct rect in, int y, int x, int count, enum ink ink,
                enum glyph glyph);

/* The cells of another canvas from its row `top` on, as far as both have them; but a heading (its
 * first cell is of the frame) in the last row, whose lines are not in sight. */
void canvas_copy(struct canvas *canvas, struct rect in, const struct canvas *from, int top);
void canvas_fill(struct canvas *canvas, struct rect in); /* with blanks */
/* A box on the rectangle's edge, with words in its upper edge (left, right; NULL). */
void canvas_box(struct canvas *canvas, struct rect in, const char *title, const char *right);
/* The frame of the one that keys go to. */
void canvas_accent(struct canvas *canvas, struct rect box);
/* A line across a box from edge to edge at row y of its inside, with words; none in the last row,
 * where nothing would stand below it. */
void canvas_rule(struct canvas *canvas, struct rect inside, int y, const char *title);
/* Gives cells a ink (focus) and leaves what stands in them. */
void canvas_ink(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink);
void canvas_cursor(struct canvas *canvas, struct rect in, int y, int x);

/* The cells as text, a line per row, blanks at the end of lines cut. */
void canvas_dump(const struct canvas *canvas, struct strbuf *out);
/* A letter per cell that names its ink ('.' = text), for tests of colour. */
void canvas_dump_inks(const struct canvas *canvas, struct strbuf *out);

/* ---- rows of text, one below the other, that may be more than their panel holds ----
 *
 * Laid out without a canvas they are only counted: the same calls say how far a panel scrolls
 * and draw it. */
struct page {
    struct canvas *canvas; /* NULL: only counts */
    struct rect in;
    int y; /* the next row; above the panel while it is < 0 */
};

void page_row(struct page *page, int indent, enum ink ink, const char *text);
/* The first that fits (canvas_fit_first). */
void page_first(struct page *page, enum ink ink, const char *const *texts);
void page_rule(struct page *page, const char *title);
/* Words over as many rows as they need. Blanks before the first indent that row; those
 * after it stand `hang` to the right. */
void page_words(struct page *page, int hang, enum ink ink, const char *text);
void page_wordsf(struct page *page, int hang, enum ink ink, const char *fmt, ...)
    __attribute__((format(printf, 4, 5)));

#endif
