/*
 * pager.c - a text to read: it scrolls, and / finds words in it.
 *
 * Lines that are too long go on in the next row, below their own first letter. A line
 * with a tab has two columns ("Enter<tab>change the field"): the left ones are as wide
 * as the widest, the right one is what goes on; lines without a tab between such are
 * headings.
 *
 * Rows depend on the window's width, so they are made anew when it changes.
 */
#include "tui/toolkit/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "tui/toolkit/frame.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/utf8.h"
#include "util/mem.h"
#include "util/str.h"

#define LEAST_COLS 60
#define LEFT_MOST  28 /* columns of the left column */

struct row {
    size_t from, len; /* bytes of the text, shown at column x */
    int x;
    size_t left, left_len; /* and those at column 0 */
    bool heading;
};

struct rows { /* as broken for one width */
    int cols;
    struct row *row;
    size_t count, cap;
};

struct pager {
    struct overlay overlay;
    const struct display *display; /* borrowed */
    char title[120];
    char *text;        /* owned */
    int wide;          /* columns of its longest line */
    int left;          /* columns of the left column; 0: lines have no tab */
    struct rows *rows; /* owned; made when it is drawn or moved */
    int top;
    char find[256]; /* "" = nothing was searched */
    size_t at;      /* byte of the match the cursor stands on */
    bool found;
    char note[300];
};

/* ---- rows ---- */

static struct row *add_row(struct rows *rows)
{
    rows->row = gp_grow(rows->row, &rows->cap, rows->count + 1, sizeof(*rows->row));
    rows->row[rows->count] = (struct row){.len = 0};
    return &rows->row[rows->count++];
}

/* Bytes of text[len] that fit in cols columns, broken after a blank where there is
 * one; at least one character. */
static size_t fitting(const char *text, size_t len, int cols)
{
    const char *p = text, *end = text + len, *blank = NULL;
    int width = 0;

    while (p < end) {
        const char *before = p;
        uint32_t ch = utf8_next(&p);

        width += utf8_width(ch);
        if (width > cols) {
            if (ch == ' ')
                return (size_t)(before - text);
            if (blank)
                return (size_t)(blank - text);
            return before > text ? (size_t)(before - text) : (size_t)(p - text);
        }
        if (ch == ' ')
            blank = p;
    }
    return len;
}

/* Breaks the bytes from..from+len into rows at column x, the first of which exists. */
static void break_line(const struct pager *pager, struct rows *rows, size_t from,
                       size_t len, int x, int hang)
{
    struct row *row = &rows->row[rows->count - 1];

    for (;;) {
        int room = rows->cols - x;

        row->from = from;
        row->len = fitting(pager->text + from, len, room > 1 ? room : 1);
        row->x = x;
        from += row->len;
        len -= row->len;
        while (len > 0 && pager->text[from] == ' ') {
            from++;
            len--;
        }
        if (len == 0)
            return;
        row = add_row(rows);
        x = hang;
    }
}

/* Where a line goes on: below its second column, where two blanks or more stand before
 * one, else below its first letter; at most `most`. */
static int hanging(const char *line, size_t len, int most)
{
    size_t first = 0, second;

    while (first < len && line[first] == ' ')
        first++;
    for (second = first; second + 1 < len; second++)
        if (line[second] == ' ' && line[second + 1] == ' ')
            break;
    while (second < len && line[second] == ' ')
        second++;
    if (second + 1 < len && utf8_columns(line, second) <= most)
        return utf8_columns(line, second);
    return (int)first <= most ? (int)first : 0;
}

static void add_line(const struct pager *pager, struct rows *rows, size_t from,
                     size_t len)
{
    const char *line = pager->text + from, *tab = memchr(line, '\t', len);
    struct row *row = add_row(rows);
    size_t left;
    int hang;

    if (tab) {
        left = (size_t)(tab - line);
        row->left = from;
        row->left_len = left;
        hang = pager->left + 2;
        if (utf8_columns(line, left) > pager->left) /* too wide to stand beside it */
            add_row(rows);
        break_line(pager, rows, from + left + 1, len - left - 1, hang, hang);
        return;
    }
    row->heading = pager->left > 0;
    break_line(pager, rows, from, len, 0, hanging(line, len, rows->cols / 2));
}

static void make_rows(const struct pager *pager, int cols)
{
    struct rows *rows = pager->rows;
    size_t from = 0;

    if (rows->cols == cols)
        return;
    rows->cols = cols;
    rows->count = 0;
    while (pager->text[from]) {
        size_t len = strcspn(pager->text + from, "\n");

        add_line(pager, rows, from, len);
        from += len + (pager->text[from + len] == '\n');
    }
    if (rows->count == 0)
        add_row(rows);
}

/* ---- the window ---- */

static struct rect window_rect(const struct pager *pager, struct rect body)
{
    int cols = pager->wide + 4, rows;

    if (cols < LEAST_COLS)
        cols = LEAST_COLS;
    if (cols > body.cols || body.cols < 80)
        cols = body.cols;
    make_rows(pager, cols - 4 > 1 ? cols - 4 : 1);
    rows = (int)pager->rows->count + 2;
    if (rows > body.rows || body.rows <= 12)
        rows = body.rows;
    return frame_middle(body, rows, cols);
}

/* What is inside its edge, with a blank beside it. */
static struct rect inside_of(struct rect box)
{
    struct rect in = rect_inside(box);

    return (struct rect){in.y, in.x + 1, in.rows, in.cols - 2};
}

static int clamped(const struct pager *pager, int top, int page)
{
    int last = (int)pager->rows->count - page;

    top = top > last ? last : top;
    return top < 0 ? 0 : top;
}

/* ---- searching ---- */

static size_t match_at(const struct pager *pager, size_t at)
{
    size_t i = 0;

    while (pager->find[i] && gp_lower(pager->text[at + i]) == gp_lower(pager->find[i]))
        i++;
    return pager->find[i] ? 0 : i;
}

/* The row that shows this byte. */
static int row_of(const struct pager *pager, size_t at)
{
    const struct rows *rows = pager->rows;
    int last = 0;

    for (size_t i = 0; i < rows->count; i++) {
        const struct row *row = &rows->row[i];
        size_t from = row->left_len > 0 ? row->left : row->from;

        if (from > at)
            break;
        last = (int)i;
    }
    return last;
}

static void show_match(struct pager *pager, int page)
{
    int row = row_of(pager, pager->at);

    if (row < pager->top || row >= pager->top + page)
        pager->top = clamped(pager, row - page / 3, page);
}

/* To the next match after `from` (by > 0) or before it, round the end. */
static void find_match(struct pager *pager, size_t from, int by, int page)
{
    size_t len = strlen(pager->text), at = from;

    pager->note[0] = '\0';
    for (size_t i = 0; i < len; i++) {
        if (match_at(pager, at)) {
            if (by > 0 ? at < pager->at : at > pager->at)
                gp_format(pager->note, sizeof(pager->note), " continued from the %s ",
                          by > 0 ? "top" : "end");
            pager->at = at;
            pager->found = true;
            show_match(pager, page);
            return;
        }
        at = by > 0 ? (at + 1) % len : (at + len - 1) % len;
    }
    pager->found = false;
    gp_format(pager->note, sizeof(pager->note), " not found: %s ", pager->find);
}

static int page_of(const struct display *display, const struct pager *pager)
{
    struct rect body = frame_of(display->rows, display->cols).body;
    int rows = inside_of(window_rect(pager, body)).rows;

    return rows > 1 ? rows : 1;
}

static bool searched(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct pager *pager = ctx;
    const struct row *row;
    int page = page_of(pager->display, pager);

    (void)app;
    (void)err;
    if (text[0])
        gp_copy(pager->find, sizeof(pager->find), text);
    if (!pager->find[0])
        return true;
    pager->top = clamped(pager, pager->top, page);
    row = &pager->rows->row[pager->top];
    pager->at = row->left_len > 0 ? row->left : row->from;
    find_match(pager, pager->at, 1, page);
    return true;
}

static void ask_search(struct display *display, struct pager *pager)
{
    struct prompt_ask options = {
        .label = "/",
        .hint = "words to find; n and N go to the next and the previous",
        .history = PROMPT_SEARCH,
        .done = searched,
        .ctx = pager,
    };

    prompt_open(display, &options);
}

static void search_again(struct pager *pager, int by, int page)
{
    size_t len = strlen(pager->text);

    if (!pager->find[0] || len == 0)
        return;
    find_match(pager, by > 0 ? (pager->at + 1) % len : (pager->at + len - 1) % len, by,
               page);
}

/* ---- keys ---- */

static int moved(const struct pager *pager, int key, int page)
{
    switch (key) {
    case K_UP:
    case 'k':
        return pager->top - 1;
    case K_DOWN:
    case 'j':
    case K_ENTER:
        return pager->top + 1;
    case K_PGUP:
    case 'b':
    case KEY_CTRL('b'):
        return pager->top - page;
    case K_PGDN:
    case K_SPACE:
    case KEY_CTRL('f'):
        return pager->top + page;
    case K_HOME:
    case 'g':
        return 0;
    case K_END:
    case 'G':
        return (int)pager->rows->count;
    }
    return pager->top;
}

static void pager_key(struct display *display, struct overlay *overlay, int key)
{
    struct pager *pager = (struct pager *)overlay;
    int page = page_of(display, pager);

    pager->note[0] = '\0';
    if (key == 'q' || key == K_ESC || key == '?' || key == K_F1 || key == K_F10)
        overlay->closed = true;
    else if (key == '/' || key == K_F3)
        ask_search(display, pager);
    else if (key == 'n')
        search_again(pager, 1, page);
    else if (key == 'N')
        search_again(pager, -1, page);
    else
        pager->top = clamped(pager, moved(pager, key, page), page);
}

/* ---- what is seen ---- */

static void draw_bytes(const struct pager *pager, struct canvas *canvas, struct rect in,
                       int y, int x, enum ink ink, size_t from, size_t len)
{
    char text[2048];

    gp_format(text, sizeof(text), "%.*s", (int)len, pager->text + from);
    canvas_text(canvas, in, y, x, ink, text);
}

/* Marks the matches in the bytes shown at (y, x). A match may begin in a row before. */
static void mark_matches(const struct pager *pager, struct canvas *canvas,
                         struct rect in, int y, int x, size_t from, size_t len)
{
    size_t find = strlen(pager->find), first = from > find ? from - find : 0;

    for (size_t at = first; find > 0 && at < from + len; at++) {
        size_t n = match_at(pager, at), start = at < from ? from : at;
        size_t end = at + n < from + len ? at + n : from + len;

        if (n == 0 || end <= start)
            continue;
        canvas_ink(canvas, in, y, x + utf8_columns(pager->text + from, start - from),
                   utf8_columns(pager->text + start, end - start), INK_FOCUS);
    }
}

static void draw_part(const struct pager *pager, struct canvas *canvas, struct rect in,
                      int y, int x, enum ink ink, size_t from, size_t len)
{
    draw_bytes(pager, canvas, in, y, x, ink, from, len);
    mark_matches(pager, canvas, in, y, x, from, len);
}

static void draw_row(const struct pager *pager, struct canvas *canvas, struct rect in,
                     int y, const struct row *row)
{
    if (row->left_len > 0)
        draw_part(pager, canvas, in, y, 0, INK_KEY, row->left, row->left_len);
    draw_part(pager, canvas, in, y, row->x, row->heading ? INK_HEADING : INK_TEXT,
              row->from, row->len);
}

/* The cursor stands on the match, else on the first row. */
static void draw_cursor(const struct pager *pager, struct canvas *canvas,
                        struct rect box, struct rect in, int top)
{
    int row = pager->found ? row_of(pager, pager->at) - top : 0;

    canvas_cursor(canvas, in, row < 0 || row >= in.rows ? 0 : row, 0);
    if (pager->found && row >= 0 && row < in.rows)
        canvas_glyph(canvas, rect_inside(box), row, 0, INK_KEY, GLYPH_CURSOR);
}

static void pager_draw(const struct overlay *overlay, struct canvas *canvas,
                       struct rect body, struct rect bottom)
{
    const struct pager *pager = (const struct pager *)overlay;
    struct rect box = window_rect(pager, body), in = inside_of(box);
    int count = (int)pager->rows->count, top = clamped(pager, pager->top, in.rows);
    int last = top + in.rows < count ? top + in.rows : count;
    char place[80];

    (void)bottom;
    gp_format(place, sizeof(place), "%d-%d of %d", top + 1, last, count);
    canvas_fill(canvas, box);
    canvas_box(canvas, box, pager->title, place);
    for (int i = top; i < last; i++)
        draw_row(pager, canvas, in, i - top, &pager->rows->row[i]);
    if (pager->note[0])
        canvas_fit(canvas, box, box.rows - 1, 2, box.cols - 4, INK_WARN, pager->note);
    draw_cursor(pager, canvas, box, in, top);
}

static void pager_free(struct overlay *overlay)
{
    struct pager *pager = (struct pager *)overlay;

    free(pager->text);
    free(pager->rows->row);
    free(pager->rows);
}

static const struct overlay_ops ops = {
    .size = sizeof(struct pager),
    .draw = pager_draw,
    .key = pager_key,
    .free = pager_free,
    .bar = "Up/Down:scroll  /:find  n:next  q or Esc:close",
};

/* ---- opening ---- */

/* Columns of its longest line and of its left column. */
static void measure_text(struct pager *pager)
{
    const char *line = pager->text;
    int right = 0;

    while (*line) {
        size_t len = strcspn(line, "\n"), left = strcspn(line, "\t\n");
        int cols = utf8_columns(line, left);

        if (left < len) {
            int rest = utf8_columns(line + left + 1, len - left - 1);

            pager->left = cols > pager->left ? cols : pager->left;
            right = rest > right ? rest : right;
        } else if (cols > pager->wide) {
            pager->wide = cols;
        }
        line += len + (line[len] == '\n');
    }
    if (pager->left > LEFT_MOST)
        pager->left = LEFT_MOST;
    if (pager->left > 0 && pager->left + 2 + right > pager->wide)
        pager->wide = pager->left + 2 + right;
}

void pager_open(struct display *display, const char *title, const char *text)
{
    struct pager *pager = (struct pager *)overlay_new(&ops);

    pager->display = display;
    gp_copy(pager->title, sizeof(pager->title), title ? title : "");
    pager->text = gp_strdup(text ? text : "");
    pager->rows = gp_calloc(1, sizeof(*pager->rows));
    measure_text(pager);
    overlay_push(display, &pager->overlay);
}
