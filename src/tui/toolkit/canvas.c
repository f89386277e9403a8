/*
 * canvas.c - see canvas.h.
 */
#include "tui/toolkit/canvas.h"

#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/str.h"
#include "tui/toolkit/theme.h"
#include "tui/toolkit/utf8.h"

void canvas_init(struct canvas *canvas, enum charset charset)
{
    *canvas = (struct canvas){.charset = charset};
}

void canvas_fini(struct canvas *canvas)
{
    free(canvas->cells);
    canvas->cells = NULL;
}

void canvas_clear(struct canvas *canvas, int rows, int cols)
{
    size_t count = (size_t)rows * (size_t)cols;

    if (rows != canvas->rows || cols != canvas->cols || !canvas->cells) {
        free(canvas->cells);
        canvas->cells = gp_calloc(count ? count : 1, sizeof(*canvas->cells));
        canvas->rows = rows;
        canvas->cols = cols;
    }
    for (size_t i = 0; i < count; i++)
        canvas->cells[i] = (struct cell){' ', INK_TEXT};
    canvas->cursor_y = canvas->cursor_x = 0;
}

struct rect canvas_rect(const struct canvas *canvas)
{
    return (struct rect){0, 0, canvas->rows, canvas->cols};
}

/* ---- cells ---- */

/* The cell at (y, x) of the rectangle, NULL when it is outside of it or the canvas. */
static struct cell *cell_at(struct canvas *canvas, struct rect in, int y, int x)
{
    int row = in.y + y, col = in.x + x;

    if (y < 0 || x < 0 || y >= in.rows || x >= in.cols || row < 0 || col < 0 ||
        row >= canvas->rows || col >= canvas->cols)
        return NULL;
    return &canvas->cells[(size_t)row * (size_t)canvas->cols + (size_t)col];
}

/* Half of a wide character alone becomes a blank. */
static void cell_set(struct canvas *canvas, struct cell *cell, enum ink ink, uint32_t ch)
{
    const struct cell *end = canvas->cells + (size_t)canvas->rows * (size_t)canvas->cols;

    if (cell->ch == 0 && cell > canvas->cells)
        cell[-1].ch = ' ';
    else if (cell + 1 < end && cell[1].ch == 0)
        cell[1].ch = ' ';
    *cell = (struct cell){ch, (uint8_t)ink};
}

/* Columns taken; a wide character needs both its cells, else a blank stands there. */
static int cell_put(struct canvas *canvas, struct rect in, int y, int x, enum ink ink, uint32_t ch)
{
    struct cell *cell = cell_at(canvas, in, y, x), *right;

    if (!gp_is_clean(ch))
        ch = '?';
    if (canvas->charset == CHARSET_ASCII && ch > 0x7e)
        ch = ch == 0xb7 ? '.' : '?';
    int width = gp_char_width(ch);
    if (width == 0 || !cell)
        return width;
    right = width == 2 ? cell_at(canvas, in, y, x + 1) : NULL;
    if (width == 2 && !right) {
        cell_set(canvas, cell, ink, ' ');
        return width;
    }
    cell_set(canvas, cell, ink, ch);
    if (right) {
        cell_set(canvas, right, ink, ' ');
        cell->ch = ch; /* set() took the new pair for an old one */
        right->ch = 0;
    }
    return width;
}

/* ---- text ---- */

int canvas_text(struct canvas *canvas, struct rect in, int y, int x, enum ink ink, const char *text)
{
    int from = x;
    uint32_t ch;

    while ((ch = utf8_next(&text)) != 0)
        x += cell_put(canvas, in, y, x, ink, ch);
    return x - from;
}

int canvas_textf(struct canvas *canvas, struct rect in, int y, int x, enum ink ink, const char *fmt,
                 ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    return canvas_text(canvas, in, y, x, ink, text);
}

void canvas_right(struct canvas *canvas, struct rect in, int y, enum ink ink, const char *text)
{
    int x = in.cols - gp_width(text);

    canvas_fit(canvas, in, y, x < 0 ? 0 : x, in.cols, ink, text);
}

int canvas_fit(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
               const char *text)
{
    struct rect clip = in;
    int from = x;
    uint32_t ch;

    if (cols > in.cols - x)
        cols = in.cols - x;
    if (cols <= 0)
        return 0;
    if (gp_width(text) <= cols)
        return canvas_text(canvas, in, y, x, ink, text);
    clip.cols = x + cols - 1;
    while (x < clip.cols && (ch = utf8_next(&text)) != 0)
        x += cell_put(canvas, clip, y, x, ink, ch);
    canvas_glyph(canvas, in, y, from + cols - 1, ink, GLYPH_MORE);
    return cols;
}

int canvas_fit_first(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
                     const char *const *texts)
{
    while (texts[1] && gp_width(texts[0]) > cols)
        texts++;
    return canvas_fit(canvas, in, y, x, cols, ink, texts[0]);
}

int canvas_fit_end(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink,
                   const char *text)
{
    if (cols > in.cols - x)
        cols = in.cols - x;
    if (cols <= 1 || gp_width(text) <= cols)
        return canvas_fit(canvas, in, y, x, cols, ink, text);
    while (*text && gp_width(text) > cols - 1)
        utf8_next(&text);
    canvas_glyph(canvas, in, y, x, ink, GLYPH_MORE);
    canvas_text(canvas, in, y, x + 1, ink, text);
    return cols;
}

int canvas_wrap(struct canvas *canvas, struct rect in, int y, enum ink ink, const char *text)
{
    int from = y;

    if (rect_empty(in))
        return 0;
    while (*text && y < in.rows) {
        size_t len = strcspn(text, "\n"), n = utf8_fit(text, len, in.cols);
        bool last = y == in.rows - 1; /* the last row there is: whole words of it */
        bool more = last && (n < len || text[len + strspn(text + len, "\n ")]);
        char line[1024];

        if (more && in.cols > 2)
            n = utf8_fit(text, len, in.cols - 2);
        gp_format(line, sizeof(line), "%.*s", (int)n, text);
        int used = canvas_text(canvas, in, y, 0, ink, line);
        if (more)
            canvas_glyph(canvas, in, y, used < in.cols - 1 ? used + 1 : in.cols - 1, ink,
                         GLYPH_MORE);
        text += n;
        y++;
        while (*text == ' ')
            text++;
        if (*text == '\n')
            text++;
    }
    return y - from;
}

/* ---- glyphs ---- */

void canvas_glyph(struct canvas *canvas, struct rect in, int y, int x, enum ink ink,
                  enum glyph glyph)
{
    canvas_text(canvas, in, y, x, ink, theme_glyph(canvas->charset, glyph));
}

void canvas_char(struct canvas *canvas, struct rect in, int y, int x, enum ink ink, uint32_t ch)
{
    cell_put(canvas, in, y, x, ink, ch);
}

void canvas_run(struct canvas *canvas, struct rect in, int y, int x, int count, enum ink ink,
                enum glyph glyph)
{
    for (int i = 0; i < count && x + i < in.cols; i++)
        canvas_glyph(canvas, in, y, x + i, ink, glyph);
}

void canvas_copy(struct canvas *canvas, struct rect in, const struct canvas *from, int top)
{
    int last = top + in.rows - 1; /* a heading there stands over nothing */
    int rows = from->cols > 0 && last >= 0 && last < from->rows - 1 &&
                       from->cells[(size_t)last * (size_t)from->cols].ink == INK_FRAME
                   ? in.rows - 1
                   : in.rows;

    for (int y = 0; y < rows && top + y < from->rows; y++)
        for (int x = 0; x < in.cols && x < from->cols; x++) {
            struct cell *cell = cell_at(canvas, in, y, x);

            if (cell)
                *cell = from->cells[(size_t)(top + y) * (size_t)from->cols + (size_t)x];
        }
}

void canvas_fill(struct canvas *canvas, struct rect in)
{
    for (int y = 0; y < in.rows; y++)
        for (int x = 0; x < in.cols; x++)
            cell_put(canvas, in, y, x, INK_TEXT, ' ');
}

/* " title " into row y from column x, at most until column `end`. */
static void wrap_words(struct canvas *canvas, struct rect in, int y, int x, int end,
                       const char *text)
{
    if (!text || !text[0] || end - x < 4)
        return;
    canvas_text(canvas, in, y, x, INK_FRAME, " ");
    x += 1;
    x += canvas_fit(canvas, in, y, x, end - x - 1, INK_HEADING, text);
    canvas_text(canvas, in, y, x, INK_FRAME, " ");
}

void canvas_box(struct canvas *canvas, struct rect in, const char *title, const char *right)
{
    int last = in.rows - 1, edge = in.cols - 1, wide;

    if (in.rows < 2 || in.cols < 2)
        return;
    canvas_run(canvas, in, 0, 1, edge - 1, INK_FRAME, GLYPH_HORIZONTAL);
    canvas_run(canvas, in, last, 1, edge - 1, INK_FRAME, GLYPH_HORIZONTAL);
    for (int y = 1; y < last; y++) {
        canvas_glyph(canvas, in, y, 0, INK_FRAME, GLYPH_VERTICAL);
        canvas_glyph(canvas, in, y, edge, INK_FRAME, GLYPH_VERTICAL);
    }
    canvas_glyph(canvas, in, 0, 0, INK_FRAME, GLYPH_UPPER_LEFT);
    canvas_glyph(canvas, in, 0, edge, INK_FRAME, GLYPH_UPPER_RIGHT);
    canvas_glyph(canvas, in, last, 0, INK_FRAME, GLYPH_LOWER_LEFT);
    canvas_glyph(canvas, in, last, edge, INK_FRAME, GLYPH_LOWER_RIGHT);
    wrap_words(canvas, in, 0, 2, edge, title);
    wide = right ? gp_width(right) : 0;
    if (wide && edge - 1 - wide - 2 > 4 + (title ? gp_width(title) : 0))
        wrap_words(canvas, in, 0, edge - 1 - wide - 2, edge, right);
}

void canvas_accent(struct canvas *canvas, struct rect box)
{
    for (int y = 0; y < box.rows; y++) {
        bool whole = y == 0 || y == box.rows - 1;

        canvas_ink(canvas, box, y, 0, whole ? box.cols : 1, INK_ACCENT);
        canvas_ink(canvas, box, y, box.cols - 1, 1, INK_ACCENT);
    }
}

void canvas_rule(struct canvas *canvas, struct rect inside, int y, const char *title)
{
    if (y < 0 || y >= inside.rows - 1) /* in the last row it is the heading of nothing */
        return;
    canvas_run(canvas, inside, y, 0, inside.cols, INK_FRAME, GLYPH_HORIZONTAL);
    wrap_words(canvas, inside, y, 2, inside.cols, title);
}

void canvas_ink(struct canvas *canvas, struct rect in, int y, int x, int cols, enum ink ink)
{
    for (int i = 0; i < cols; i++) {
        struct cell *cell = cell_at(canvas, in, y, x + i);

        if (cell)
            cell->ink = (uint8_t)ink;
    }
}

void canvas_cursor(struct canvas *canvas, struct rect in, int y, int x)
{
    if (!cell_at(canvas, in, y, x))
        return;
    canvas->cursor_y = in.y + y;
    canvas->cursor_x = in.x + x;
}

/* ---- what can be read of it ---- */

void canvas_dump(const struct canvas *canvas, struct strbuf *out)
{
    char text[5];

    for (int y = 0; y < canvas->rows; y++) {
        const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->cols];
        size_t n = (size_t)canvas->cols;

        while (n > 0 && row[n - 1].ch == ' ')
            n--;
        for (size_t x = 0; x < n; x++)
            if (row[x].ch)
                strbuf_add(out, utf8_text(row[x].ch, text));
        strbuf_add(out, "\n");
    }
}

void canvas_dump_inks(const struct canvas *canvas, struct strbuf *out)
{
    for (int y = 0; y < canvas->rows; y++) {
        const struct cell *row = &canvas->cells[(size_t)y * (size_t)canvas->cols];

        for (int x = 0; x < canvas->cols; x++) {
            char letter = row[x].ink == INK_TEXT ? '.' : (char)('A' + row[x].ink);

            strbuf_addn(out, &letter, 1);
        }
        strbuf_add(out, "\n");
    }
}

/* ---- how things look (theme.h) ---- */

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

/* ---- rows of a panel ---- */

void page_row(struct page *p, int indent, enum ink ink, const char *text)
{
    if (p->canvas)
        canvas_fit(p->canvas, p->in, p->y, indent, p->in.cols - indent, ink, text);
    p->y++;
}

void page_first(struct page *p, enum ink ink, const char *const *texts)
{
    if (p->canvas)
        canvas_fit_first(p->canvas, p->in, p->y, 0, p->in.cols, ink, texts);
    p->y++;
}

void page_rule(struct page *p, const char *title)
{
    if (p->canvas && p->y >= 0)
        canvas_rule(p->canvas, p->in, p->y, title);
    p->y++;
}

void page_words(struct page *p, int hang, enum ink ink, const char *text)
{
    int indent = (int)strspn(text, " ");
    char line[512];

    text += indent;
    while (*text) {
        int room = p->in.cols - indent;
        size_t n = utf8_fit(text, strlen(text), room > 1 ? room : 1);

        gp_format(line, sizeof(line), "%.*s", (int)n, text);
        page_row(p, indent, ink, line);
        text += n + strspn(text + n, " ");
        indent = hang;
    }
}

void page_wordsf(struct page *p, int hang, enum ink ink, const char *fmt, ...)
{
    char text[1024];
    va_list args;

    va_start(args, fmt);
    vsnprintf(text, sizeof(text), fmt, args);
    va_end(args);
    gp_sanitize(text);
    page_words(p, hang, ink, text);
}
