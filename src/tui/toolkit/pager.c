/*
 * pager.c - a text to read: it scrolls, / finds words in it, and i lists its entries.
 *
 * Lines that are too long go on in the next row, below their own first letter or their
 * second column. Rows depend on the window's width, so they are made anew when it
 * changes. A wide window has them in two or three columns, as a newspaper does.
 */
#include "tui/toolkit/overlay.h"

#include <stdlib.h>
#include <string.h>

#include "base/mem.h"
#include "base/quantity.h"
#include "base/str.h"
#include "tui/toolkit/frame.h"
#include "tui/toolkit/key.h"
#include "tui/toolkit/utf8.h"

#define LEAST_COLS 60
#define COLUMN_LEAST 96 /* cells of a column, where nobody wants less */
#define COLUMNS_MOST 3
#define COLUMN_GAP 3

struct row {
    size_t from, len; /* bytes of the text, shown at column x */
    int x;
};

struct rows { /* as broken for one width */
    int cols, columns;
    struct row *row;
    size_t count, cap;
};

struct pager {
    struct overlay overlay;
    const struct display *display; /* borrowed */
    char title[120];
    char *text;        /* owned */
    int wide;          /* cells of its longest line */
    int least;         /* of a column */
    struct rows *rows; /* owned; made when it is drawn or moved */
    int top;
    char find[256]; /* "" = nothing was searched */
    size_t at;      /* byte of the match the cursor stands on */
    bool found;
    char note[300];
};

/* ---- rows ---- */

/* Where a line goes on: below its second column, where two blanks or more stand before
 * one, else below its first letter; at most `most`. */
static int line_hang(const char *line, size_t len, int most)
{
    size_t first = 0, second;

    while (first < len && line[first] == ' ')
        first++;
    for (second = first; second + 1 < len; second++)
        if (line[second] == ' ' && line[second + 1] == ' ')
            break;
    while (second < len && line[second] == ' ')
        second++;
    if (second + 1 < len && gp_columns(line, second) <= most)
        return gp_columns(line, second);
    return (int)first <= most ? (int)first : 0;
}

/* Each line has one row at least. */
static void make_rows(const struct pager *pager, int cols)
{
    struct rows *rows = pager->rows;
    size_t from = 0;

    if (rows->cols == cols)
        return;
    rows->cols = cols;
    rows->count = 0;
    do {
        size_t len = strcspn(pager->text + from, "\n"), end = from + len;
        int x = 0, hang = line_hang(pager->text + from, len, cols / 2);

        do {
            size_t n = utf8_fit(pager->text + from, end - from, int_max(cols - x, 1));

            rows->row = gp_grow(rows->row, &rows->cap, rows->count + 1, sizeof(*rows->row));
            rows->row[rows->count++] = (struct row){.from = from, .len = n, .x = x};
            for (from += n; from < end && pager->text[from] == ' '; from++)
                ;
            x = hang;
        } while (from < end);
        from = end + (pager->text[end] == '\n');
    } while (pager->text[from]);
}

/* ---- the window ---- */

static struct rect window_rect(const struct pager *pager, struct rect body)
{
    struct rows *made = pager->rows;
    int cols = int_max(pager->wide + 4, LEAST_COLS), rows, most;

    if (cols > body.cols || body.cols < 80)
        cols = body.cols;
    most = int_max(int_min((cols - 4) / pager->least, COLUMNS_MOST), 1);
    for (made->columns = most; made->columns > 0; made->columns = 1) {
        make_rows(pager, int_max((cols - 4 + COLUMN_GAP) / made->columns - COLUMN_GAP, 1));
        if (made->columns == 1 || (int)made->count > body.rows / 2) /* else one has room */
            break;
    }
    rows = ((int)made->count + made->columns - 1) / made->columns + 2;
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

static int pager_clamp(const struct pager *pager, int top, int page)
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

    while (last + 1 < (int)rows->count && rows->row[last + 1].from <= at)
        last++;
    return last;
}

/* To the next match after `from` (by > 0) or before it, round the end. */
static void find_match(struct pager *pager, size_t from, int by, int page)
{
    size_t len = strlen(pager->text), at = from;
    int row;

    pager->note[0] = '\0';
    for (size_t i = 0; i < len; i++) {
        if (match_at(pager, at)) {
            if (by > 0 ? at < pager->at : at > pager->at)
                gp_format(pager->note, sizeof(pager->note), " continued from the %s ",
                          by > 0 ? "top" : "end");
            pager->at = at;
            pager->found = true;
            row = row_of(pager, at);
            if (row < pager->top || row >= pager->top + page)
                pager->top = pager_clamp(pager, row - page / 3, page);
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

    return int_max(rows, 1) * pager->rows->columns;
}

static bool pager_searched(struct app *app, void *ctx, const char *text, struct gp_err *err)
{
    struct pager *pager = ctx;
    int page = page_of(pager->display, pager);

    (void)app;
    (void)err;
    if (text[0])
        gp_copy(pager->find, sizeof(pager->find), text);
    if (!pager->find[0])
        return true;
    pager->top = pager_clamp(pager, pager->top, page);
    pager->at = pager->rows->row[pager->top].from;
    find_match(pager, pager->at, 1, page);
    return true;
}

static void search_again(struct pager *pager, int by, int page)
{
    size_t len = strlen(pager->text);

    if (!pager->find[0] || len == 0)
        return;
    find_match(pager, by > 0 ? (pager->at + 1) % len : (pager->at + len - 1) % len, by, page);
}

/* ---- entries ---- */

struct line { /* bytes of the text */
    size_t from, name, name_end, end;
    bool heading, entry;
};

static struct line line_at(const struct pager *pager, size_t from)
{
    const char *text = pager->text + from, *gap, *is;
    size_t len = strcspn(text, "\n"), indent = strspn(text, " ");
    struct line line = {.from = from, .name = from + indent, .end = from + len};

    line.heading = len > 0 && indent == 0 && text[len] && text[len + 1] == ' ';
    line.entry = indent == 2 && indent < len;
    gap = strstr(text + indent, "  ");
    is = strstr(text + indent, " = ");
    gap = is && (!gap || is < gap) ? is : gap;
    line.name_end = gap && gap < text + len ? from + (size_t)(gap - text) : line.end;
    return line;
}

static void entry_chosen(struct app *app, void *ctx, const char *id)
{
    struct pager *pager = ctx;

    (void)app;
    pager->top = row_of(pager, strtoul(id, NULL, 10));
}

static void index_open(struct display *display, struct pager *pager)
{
    struct chooser_spec options = {.title = "Index", .chosen = entry_chosen, .ctx = pager};
    struct choice *choices = NULL;
    size_t cap = 0;

    for (size_t at = 0; pager->text[at];) {
        struct line line = line_at(pager, at);

        at = line.end + (pager->text[line.end] == '\n');
        if (!line.entry)
            continue;
        choices = gp_grow(choices, &cap, (size_t)options.count + 1, sizeof(*choices));
        struct choice *c = &choices[options.count++];
        memset(c, 0, sizeof(*c));
        gp_format(c->id, sizeof(c->id), "%zu", line.from);
        gp_format(c->text, sizeof(c->text), "%.*s", (int)(line.name_end - line.name),
                  pager->text + line.name);
        gp_format(c->more, sizeof(c->more), "%.*s", (int)(line.end - line.name_end),
                  pager->text + line.name_end);
    }
    options.choices = choices;
    if (options.count > 0)
        chooser_open(display, &options);
    free(choices);
}

void pager_index(struct display *display)
{
    struct pager *pager = (struct pager *)display->top;

    page_of(display, pager); /* makes its rows */
    index_open(display, pager);
}

/* ---- keys ---- */

static int pager_moved(const struct pager *pager, int key, int page)
{
    return key == K_UP || key == 'k'                                 ? pager->top - 1
           : key == K_DOWN || key == 'j' || key == K_ENTER           ? pager->top + 1
           : key == K_PGUP || key == 'b' || key == KEY_CTRL('b')     ? pager->top - page
           : key == K_PGDN || key == K_SPACE || key == KEY_CTRL('f') ? pager->top + page
           : key == K_HOME || key == 'g'                             ? 0
           : key == K_END || key == 'G'                              ? (int)pager->rows->count
                                                                     : pager->top;
}

static void pager_key(struct display *display, struct overlay *overlay, int key)
{
    struct pager *pager = (struct pager *)overlay;
    int page = page_of(display, pager);
    struct prompt_spec search = {
        .label = "/",
        .hint = "words to find; n and N go to the next and the previous",
        .history = PROMPT_SEARCH,
        .done = pager_searched,
        .ctx = pager,
    };

    pager->note[0] = '\0';
    if (key == 'q' || key == K_ESC || key == '?' || key == K_F1 || key == K_F10)
        overlay->closed = true;
    else if (key == '/' || key == K_F3)
        prompt_open(display, &search);
    else if (key == 'i')
        index_open(display, pager);
    else if (key == 'n')
        search_again(pager, 1, page);
    else if (key == 'N')
        search_again(pager, -1, page);
    else
        pager->top = pager_clamp(pager, pager_moved(pager, key, page), page);
}

/* ---- what is seen ---- */

/* What of these bytes is in a row at y. */
static void ink_bytes(const struct pager *pager, struct canvas *canvas, struct rect in, int y,
                      const struct row *row, size_t from, size_t end, enum ink ink)
{
    size_t start = from > row->from ? from : row->from, last = row->from + row->len;

    end = end < last ? end : last;
    if (start < end)
        canvas_ink(canvas, in, y, row->x + gp_columns(pager->text + row->from, start - row->from),
                   gp_columns(pager->text + start, end - start), ink);
}

/* Headings, names of entries, what stands below these, and where a figure comes from. */
static void ink_row(const struct pager *pager, struct canvas *canvas, struct rect in, int y,
                    const struct row *row)
{
    static const struct {
        enum origin origin;
        enum ink ink;
    } chips[] = {{ORIGIN_EXACT, INK_OK},
                 {ORIGIN_MEASURED, INK_OK},
                 {ORIGIN_MODEL, INK_SERIES1},
                 {ORIGIN_ASSUMED, INK_WARN}};
    size_t from = row->from;

    while (from > 0 && pager->text[from - 1] != '\n')
        from--;
    struct line line = line_at(pager, from);
    if (line.heading)
        ink_bytes(pager, canvas, in, y, row, from, line.end, INK_HEADING);
    else if (line.entry && line.name_end < line.end)
        ink_bytes(pager, canvas, in, y, row, line.name, line.name_end, INK_KEY);
    else if (strncmp(pager->text + line.name, "from ", 5) == 0 && line.name > from + 2)
        ink_bytes(pager, canvas, in, y, row, from, line.end, INK_DIM);
    for (size_t i = 0; i < sizeof(chips) / sizeof(chips[0]); i++) {
        const char *word = origin_word(chips[i].origin), *text = pager->text, *at = text + from;

        for (; (at = strstr(at, word)) && at < text + line.end; at += strlen(word))
            if (at > text && strchr("( ", at[-1]) && strchr("),\n", at[strlen(word)]))
                ink_bytes(pager, canvas, in, y, row, (size_t)(at - text),
                          (size_t)(at - text) + strlen(word), chips[i].ink);
    }
}

/* Marks the matches in a row at y. A match may begin in the row before. */
static void mark_matches(const struct pager *pager, struct canvas *canvas, struct rect in, int y,
                         const struct row *row)
{
    const char *text = pager->text + row->from;
    size_t find = strlen(pager->find), from = row->from, end_of_row = from + row->len;

    for (size_t at = from > find ? from - find : 0; find > 0 && at < end_of_row; at++) {
        size_t n = match_at(pager, at), start = at < from ? from : at;
        size_t end = at + n < end_of_row ? at + n : end_of_row;

        if (n > 0 && end > start)
            canvas_ink(canvas, in, y, row->x + gp_columns(text, start - from),
                       gp_columns(pager->text + start, end - start), INK_FOCUS);
    }
}

static struct rect column_of(const struct pager *pager, struct rect in, int i)
{
    int cols = pager->rows->cols;

    return (struct rect){in.y, in.x + i * (cols + COLUMN_GAP), in.rows, cols};
}

static void pager_draw(const struct overlay *overlay, struct canvas *canvas, struct rect body,
                       struct rect bottom)
{
    const struct pager *pager = (const struct pager *)overlay;
    struct rect box = window_rect(pager, body), in = inside_of(box);
    int count = (int)pager->rows->count, page = in.rows * pager->rows->columns;
    int top = pager_clamp(pager, pager->top, page), last = int_min(top + page, count);
    int row = pager->found ? row_of(pager, pager->at) - top : 0; /* of the match, else the first */
    char text[2048];

    (void)bottom;
    gp_format(text, sizeof(text), "%d-%d of %d", top + 1, last, count);
    canvas_fill(canvas, box);
    canvas_box(canvas, box, pager->title, text);
    canvas_accent(canvas, box);
    for (int i = top; i < last; i++) {
        const struct row *r = &pager->rows->row[i];
        struct rect column = column_of(pager, in, (i - top) / in.rows);
        int y = (i - top) % in.rows;

        gp_format(text, sizeof(text), "%.*s", (int)r->len, pager->text + r->from);
        canvas_text(canvas, column, y, r->x, INK_TEXT, text);
        ink_row(pager, canvas, column, y, r);
        mark_matches(pager, canvas, column, y, r);
    }
    if (pager->note[0])
        canvas_fit(canvas, box, box.rows - 1, 2, box.cols - 4, INK_WARN, pager->note);
    row = row < 0 || row >= page ? 0 : row;
    in = column_of(pager, in, in.rows > 0 ? row / in.rows : 0);
    canvas_cursor(canvas, in, in.rows > 0 ? row % in.rows : 0, 0);
    if (pager->found && row_of(pager, pager->at) == top + row && in.rows > 0)
        canvas_glyph(canvas, (struct rect){in.y, in.x - 1, in.rows, 1}, row % in.rows, 0, INK_KEY,
                     GLYPH_CURSOR);
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
    .bar = "Up/Down:scroll  /:find  n:next  i:index  q or Esc:close",
};

/* ---- opening ---- */

void pager_open(struct display *display, const char *title, const char *text)
{
    struct pager *pager = (struct pager *)overlay_new(&ops);

    pager->display = display;
    pager->least = COLUMN_LEAST;
    gp_copy(pager->title, sizeof(pager->title), title);
    pager->text = gp_strdup(text);
    pager->rows = gp_calloc(1, sizeof(*pager->rows));
    for (size_t len; *text; text += len + (text[len] == '\n')) {
        len = strcspn(text, "\n");
        int cols = gp_columns(text, len);
        pager->wide = cols > pager->wide ? cols : pager->wide;
    }
    overlay_push(display, &pager->overlay);
}

void pager_columns(struct display *display, int least)
{
    ((struct pager *)display->top)->least = least;
}
